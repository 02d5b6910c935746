-- ConcurrentDeleteDeleteException: both removed the same file.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

CREATE FUNCTION pg_temp.hit(state deltacc.actions, winner deltacc.actions, writes deltacc.actions, isolation text DEFAULT 'Serializable') RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(format('%s %s %s', error_class, sub_condition, path), '; '), '')
	FROM deltacc.check_conflicts(state, winner, '{}', writes, isolation, read_files => '{}')
$$;

SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), pg_temp.commit_of(pg_temp.remove_of('f')), level),
	'DELTA_CONCURRENT_DELETE_DELETE WITHOUT_HINT f', 'both removed f, ' || level)
FROM unnest(ARRAY['Serializable', 'WriteSerializable', 'SnapshotIsolation']) level;
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), pg_temp.commit_of(pg_temp.remove_of('g'))), '',
	'different files');
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), pg_temp.commit_of(pg_temp.remove_of('f', 'a'))),
	'DELTA_CONCURRENT_DELETE_DELETE WITH_PARTITION_HINT f', 'the partition stands in our own remove');
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f', 'a')), pg_temp.commit_of(pg_temp.remove_of('f'))),
	'DELTA_CONCURRENT_DELETE_DELETE WITHOUT_HINT f', '... and only there');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('X'), pg_temp.remove_of('c'), pg_temp.remove_of('a'), pg_temp.remove_of('b')),
	pg_temp.commit_of(pg_temp.remove_of('b'), pg_temp.remove_of('c'))),
	'DELTA_CONCURRENT_DELETE_DELETE WITHOUT_HINT c; DELTA_CONCURRENT_DELETE_DELETE WITHOUT_HINT b', 'in the winner''s order');

-- Deletion vectors are not looked at: the path is the file.
\set dv '\'{"remove":{"path":"f","deletionTimestamp":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6}}}\''
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), :dv), pg_temp.commit_of(pg_temp.remove_of('f'), pg_temp.add_of('f'))),
	'DELTA_CONCURRENT_DELETE_DELETE WITHOUT_HINT f', 'another deletion vector is the same file');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('f')), pg_temp.commit_of(pg_temp.add_of('f')), 'SnapshotIsolation'), '',
	'two adds of the same path are no delete');

SELECT * FROM finish();
ROLLBACK;
