-- Row tracking: nothing of it conflicts, but what can't be resolved is an ERROR.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

\set tracked 'pg_temp.table_of(protocol => \'{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["appendOnly","invariants","rowTracking","domainMetadata"]}\')'
CREATE FUNCTION pg_temp.ids_of(path text, id bigint, version int) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('add', json_build_object('path', path, 'partitionValues', '{}'::json, 'size', 1, 'modificationTime', 1, 'dataChange', false,
		'stats', '{"numRecords":10}', 'baseRowId', id, 'defaultRowCommitVersion', version))::text $$;
\set backfill 'pg_temp.commit_of(pg_temp.info_of(\'ROW TRACKING BACKFILL\'), pg_temp.ids_of(\'f\', 0, 2))'
\set unbackfill 'pg_temp.commit_of(pg_temp.info_of(\'ROW TRACKING UNBACKFILL\'), pg_temp.add_of(\'f\', NULL, NULL, NULL, false))'
CREATE FUNCTION pg_temp.hit(state deltacc.actions, winner deltacc.actions, writes deltacc.actions, operation text DEFAULT 'UPDATE', reads deltacc.predicate[] DEFAULT ARRAY['true']) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', check_name, path), '; '), '') FROM deltacc.check_conflicts(state, winner, reads, writes, 'Serializable', operation => operation, winner_version => 2) $$;

-- The files of a backfill hold no new rows.
SELECT is(pg_temp.hit(:tracked, :backfill, pg_temp.commit_of(pg_temp.remove_of('f'), pg_temp.add_of('g'))), '', 'a winner that is a backfill');
SELECT is(pg_temp.hit(:tracked, :unbackfill, pg_temp.commit_of(pg_temp.remove_of('f'), pg_temp.add_of('g'))), '', 'a winner that is an un-backfill');
SELECT is(pg_temp.hit(:tracked, pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), pg_temp.commit_of(pg_temp.ids_of('f', 0, 2)), 'ROW TRACKING BACKFILL'), '',
	'a backfill beside a winner that removed one of its files');
SELECT is((SELECT count(*) FROM regexp_split_to_table(deltacc.rebase(:tracked, pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), ARRAY['true'],
	pg_temp.commit_of(pg_temp.info_of('X'), pg_temp.ids_of('f', 0, 2), pg_temp.ids_of('g', 10, 2)), operation => 'ROW TRACKING BACKFILL', winner_version => 2)::text, E'\n') l WHERE l LIKE '{"add"%'),
	1::bigint, '... drops it');

-- The name of an operation alone switches nothing off.
SELECT throws_ok(format('SELECT pg_temp.hit(pg_temp.table_of(), %L, %L)', :backfill::text, pg_temp.remove_of('f')), '22023', NULL, 'a backfill of a table without row tracking');
SELECT throws_ok(format('SELECT pg_temp.hit(pg_temp.table_of(), %L, %L, %L)', pg_temp.add_of('g'), pg_temp.add_of('f'), 'ROW TRACKING BACKFILL'), '22023', NULL, '... of our own');
SELECT throws_ok(format('SELECT pg_temp.hit(%L, %L, %L, %L)', :tracked::text, pg_temp.add_of('g'), pg_temp.remove_of('f'), 'ROW TRACKING BACKFILL'), '22023', NULL, 'a backfill that removes a file');
SELECT throws_like(format('SELECT pg_temp.hit(%L, %L, %L, %L)', :tracked::text, :backfill::text, pg_temp.add_of('f'), 'ROW TRACKING UNBACKFILL'), '%DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL%',
	'an un-backfill beside a backfill');

-- ... which is looked through only where the winner has files.
SELECT is(pg_temp.hit(:tracked, '{"txn":{"appId":"a","version":1}}', pg_temp.remove_of('f')::deltacc.actions, 'ROW TRACKING BACKFILL'), '', 'a backfill beside a winner without files');

-- The winner's high-water mark has to be a number: our row ids go above it.
CREATE FUNCTION pg_temp.mark_of(configuration text) RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT json_build_object('domainMetadata', json_build_object('domain', 'delta.rowTracking', 'configuration', configuration, 'removed', false))::text::deltacc.actions $$;
SELECT is(deltacc.rebase(:tracked, pg_temp.mark_of(configuration), '{}', pg_temp.commit_of(pg_temp.add_of('f', NULL, 0, 9)), winner_version => 2)::text LIKE format('%%"baseRowId":%s,%%', first_id), true, configuration)
FROM (VALUES ('{"rowIdHighWaterMark":41}', 42), ('{"rowIdHighWaterMark":"41"}', 42), ('{}', 1)) v(configuration, first_id);
SELECT throws_ok(format('SELECT pg_temp.hit(%L, %L, %L, reads => ''{}'')', :tracked::text, pg_temp.mark_of(configuration)::text, pg_temp.add_of('f')), '22023', NULL, configuration || ' is no mark')
FROM unnest(ARRAY['', 'garbage', '[]', '{"rowIdHighWaterMark":true}', '{"rowIdHighWaterMark":"many"}']) configuration;
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.mark_of('garbage'), pg_temp.add_of('f')::deltacc.actions, reads => '{}'), '', '... which nobody asks for in a table without row tracking');

-- To enable what is suspended is an ERROR.
SELECT throws_like(format('SELECT pg_temp.hit(%L, %L, %L, reads => ''{}'')',
	pg_temp.table_of(configuration => '{"delta.rowTrackingSuspended":"true"}', protocol => '{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["rowTracking","domainMetadata"]}')::text,
	pg_temp.metadata_of('{"delta.rowTrackingSuspended":"true","delta.enableRowTracking":"true"}'), pg_temp.add_of('f')), '%delta.rowTrackingSuspended%', 'enabled and suspended');

-- A winner that brings row tracking: our files need their numRecords.
\set supports 'pg_temp.commit_of(pg_temp.protocol_of(1, 7, \'{appendOnly,invariants,rowTracking,domainMetadata}\'))'
SELECT is(pg_temp.hit(pg_temp.table_of(), :supports, pg_temp.add_of('f', NULL, 0, 9)::deltacc.actions), '', 'row tracking comes up, and the files have statistics');
SELECT throws_like(format('SELECT pg_temp.hit(pg_temp.table_of(), %L, %L)', :supports::text, pg_temp.add_of('f')), '%DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS%"f"%', '... and have none');
SELECT is(pg_temp.hit(:tracked, pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.add_of('w')), pg_temp.add_of('f')::deltacc.actions, reads => '{}'), '', 'a table that had it is only asked for the verdict');
SELECT throws_ok(format('SELECT deltacc.rebase(%L, %L, ''{}'', %L, winner_version => 2)', :tracked::text, pg_temp.add_of('w'), pg_temp.add_of('f')), '22000', NULL, '... the rebase needs them');

-- A transaction that drops row tracking from the protocol ends like an un-backfill: what the winner touched it has not
-- read, and takes over without ids.
\set drop 'pg_temp.commit_of(pg_temp.info_of(\'DROP FEATURE\'), pg_temp.protocol_of(1, 7, \'{appendOnly,invariants,domainMetadata}\'))'
SELECT is((deltacc.first_conflict(:tracked, pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f')), '{}', writes, 'SnapshotIsolation', read_files => '{f}', operation => 'DROP FEATURE')).exception, expected, what)
FROM (VALUES (:drop, NULL, 'a file that the winner removed'), (pg_temp.commit_of(pg_temp.add_of('n')), 'ConcurrentDeleteReadException', '... of a transaction that drops nothing')) v(writes, expected, what);
SELECT is((SELECT count(*) FROM regexp_split_to_table(deltacc.rebase(:tracked, pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.ids_of('w', 7, 2)), '{}', :drop, operation => 'DROP FEATURE', winner_version => 2)::text, E'\n') l
	WHERE l LIKE '{"add"%' AND l NOT LIKE '%baseRowId%'), 1::bigint, 'the winner''s adds are written again');

-- A conflict that comes before decides.
SELECT is((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('ROW TRACKING BACKFILL'), pg_temp.metadata_of('{"a":"b"}')), '{}', pg_temp.commit_of(pg_temp.add_of('f')))).check_name,
	'metadata', 'metadata comes before row tracking');

SELECT * FROM finish();
ROLLBACK;
