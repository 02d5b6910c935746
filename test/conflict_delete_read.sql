-- ConcurrentDeleteReadException: the winner removed a file that the transaction
-- read; and what was read where that is not said.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = off;

CREATE FUNCTION pg_temp.hit(
	state deltacc.actions, winner deltacc.actions, reads deltacc.predicate[] DEFAULT '{}', writes deltacc.actions DEFAULT NULL,
	read_files text[] DEFAULT NULL, whole boolean DEFAULT false, isolation text DEFAULT 'Serializable', table_name text DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(path || CASE sub_condition WHEN 'WITH_PARTITION_HINT' THEN partition_values::text ELSE '' END, ' '), '')
	FROM deltacc.check_conflicts(state, winner, reads, writes, isolation, whole, read_files, table_name => table_name)
	WHERE exception = 'ConcurrentDeleteReadException'
$$;

\set delete_f 'pg_temp.commit_of(pg_temp.info_of(''DELETE''), pg_temp.remove_of(''f''))'
\set append 'pg_temp.commit_of(pg_temp.add_of(''mine''))'

-- Said: read_files.
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', :append, ARRAY['f', 'g']), 'f', 'a file that was read');
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', :append, ARRAY['g']), '', 'another file was read');
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, ARRAY['true'], :append, '{}'), '', 'read_files empty: no file was read, whatever the reads say');
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', :append, ARRAY['f'], isolation => level), 'f', 'also under ' || level)
FROM unnest(ARRAY['Serializable', 'WriteSerializable', 'SnapshotIsolation']) level;
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('OPTIMIZE'), pg_temp.remove_of('f', NULL, false)), '{}', :append, ARRAY['f']), 'f',
	'a remove without data change counts as well');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('X'), pg_temp.remove_of('g'), pg_temp.remove_of('f')), '{}', :append, ARRAY['f', 'g']), 'g f',
	'the winner''s order');

-- The whole table: any remove at all, and Delta names no partition.
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f', 'a')), '{}', :append, '{}', true), 'f',
	'whole table read');
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('g', 'b'), pg_temp.remove_of('f', 'a')), '{}', :append, ARRAY['f'], true),
	'f{"p": "a"} g', 'a read file goes before the whole table');

-- Not said: what the reads select, by the remove itself.
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f', 'a'), pg_temp.remove_of('g', 'b'), pg_temp.remove_of('h')),
	ARRAY['p = ''a'''], :append), 'f{"p": "a"} h', 'selected by its partition value; unknown values select');
-- ... or, better, by the add in the snapshot: here statistics decide, even with data skipping off at conflict time.
SELECT is(pg_temp.hit(pg_temp.commit_of(pg_temp.table_of()::text, pg_temp.add_of('f', NULL, 0, 9), pg_temp.add_of('g', NULL, 90, 99)),
	pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f'), pg_temp.remove_of('g')), ARRAY['x > 50'], :append), 'g',
	'selected by the statistics of its add');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f'), pg_temp.remove_of('g')), ARRAY['x > 50'], :append), 'f g',
	'nothing known of a file: it was read');
-- No reads: the transaction's own removes.
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', pg_temp.commit_of(pg_temp.remove_of('f'))), 'f', 'without reads our own removes count as read');
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', :append), '', 'a blind append read no file');
-- Nothing known at all.
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f), 'f', 'neither reads nor writes: every removed file counts as read');

-- Paths name files.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of(theirs)), '{}', :append, ARRAY[ours], table_name => name),
	expected, format('%s and %s', theirs, ours))
FROM (VALUES
	('a%20b', 'a b', NULL, 'a%20b'), ('a%2520b', 'a b', NULL, ''), ('./f', 'f', NULL, './f'), ('F', 'f', NULL, ''),
	('file:/tables/t/f', 'f', '/tables/t', 'file:/tables/t/f'), ('f', 'file:///tables/t/f', 'delta.`/tables/t`', 'f'),
	('/other/f', 'f', '/tables/t', ''), ('/tables/t/f', 'f', NULL, '/tables/t/f'), ('/tables/t/f', 't/f', NULL, '/tables/t/f'),
	('/tables/t/f', 's/f', NULL, ''), ('s3a://b/t/f', 's3://b/t/f', NULL, 's3a://b/t/f')) v(theirs, ours, name, expected);
SELECT matches((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('a%20b')), '{}', :append, read_files => ARRAY['a b'])).hint,
	'Delta compares the spellings', 'a conflict that Delta would have missed says so');

-- Several actions may share a line, of the state as of a commit: each file is judged by its own add.
SELECT is(pg_temp.hit(
		(pg_temp.table_of()::text || E'\n' || rtrim(pg_temp.add_of('f', NULL, 1, 5), '}') || '}, ' || ltrim(pg_temp.remove_of('gone'), '{') || E'\n' || pg_temp.add_of('g', NULL, 6, 9))::deltacc.actions,
		pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of(removed)), ARRAY[condition]::deltacc.predicate[]), expected, format('%s: %s removed', condition, removed))
FROM (VALUES ('x = 3', 'f', 'f'), ('x = 7', 'f', ''), ('x = 3', 'g', ''), ('x = 7', 'g', 'g')) v(condition, removed, expected);

-- An add of our own that would bring a removed file back (Delta lets it pass).
SELECT is(pg_temp.hit(pg_temp.table_of(), :delete_f, '{}', pg_temp.commit_of(pg_temp.add_of('f')), '{}'), 'f', 'our own add of a file that the winner removed');

SELECT * FROM finish();
ROLLBACK;
