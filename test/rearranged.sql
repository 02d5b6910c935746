-- deltacc.ignore_rearranged: a transaction that only appends, and a winner that only moved rows.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.ignore_rearranged = on;

CREATE FUNCTION pg_temp.hit(winner text, writes text, reads deltacc.predicate[] DEFAULT ARRAY['x < 5'], state deltacc.actions DEFAULT pg_temp.table_of(), whole boolean DEFAULT false) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', replace(exception, 'Exception', ''), path), '; '), '')
	FROM deltacc.check_conflicts(state, winner, reads, writes, 'Serializable', whole, winner_version => 1)
$$;
\set optimize 'array_to_string(ARRAY[pg_temp.info_of(\'OPTIMIZE\'), pg_temp.remove_of(\'a\', data_change => false), pg_temp.remove_of(\'b\', data_change => false), pg_temp.add_of(\'ab\', low => 0, high => 9, data_change => false)], E\'\\n\')'
\set both 'ConcurrentAppend ab; ConcurrentDeleteRead a; ConcurrentDeleteRead b'

SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n')), '', 'an append that reads, beside an OPTIMIZE');
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n') || E'\n' || pg_temp.info_of('WRITE') || E'\n{"txn":{"appId":"a","version":1}}'), '', 'other actions don''t count');
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n'), ARRAY['x < 5', 'p = ''a''', 'rand() < 0.5', 't.x = s.x']), '', 'whatever it read');
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n'), whole => true), '', '... also the whole table');
SET LOCAL deltacc.ignore_rearranged = off;
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n')), :'both', 'off: as released Delta');
SET LOCAL deltacc.ignore_rearranged = on;

-- It must only append.
SELECT is(pg_temp.hit(:optimize, writes), :'both' || extra, what)
FROM (VALUES (NULL, '', 'writes not known'), (pg_temp.info_of('WRITE'), '', 'no file at all'),
	(pg_temp.add_of('n', data_change => false), '', 'an add that changes no data'), (pg_temp.add_of('n') || E'\n' || pg_temp.add_of('m', data_change => false), '', '... one of two'),
	(pg_temp.add_of('n') || E'\n' || pg_temp.remove_of('c'), '', 'a remove'), (pg_temp.add_of('n') || E'\n{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":false}}', '', 'a cdc file'),
	(pg_temp.add_of('a'), '', 'a file that the winner removed'), (pg_temp.add_of('ab'), '', 'a file that the winner added')) v(writes, extra, what);
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('c'), state => (pg_temp.table_of()::text || E'\n' || pg_temp.add_of('c') || E'\n' || pg_temp.add_of('a') || E'\n' || pg_temp.add_of('b'))::deltacc.actions), :'both', 'a file that was live');
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n'), r::deltacc.predicate[]), :'both', what)
FROM (VALUES (ARRAY['x < 5', '_metadata.file_name = ''a'''], '_metadata'), (ARRAY['input_file_name() = ''a'''], 'input_file_name()'), (ARRAY['x IN (SELECT _metadata.file_size FROM t)'], 'a subquery may see files')) v(r, what);

-- The winner must only have moved rows.
SELECT is(pg_temp.hit(winner, pg_temp.add_of('n')) = '', false, what)
FROM (VALUES (:optimize || E'\n' || pg_temp.add_of('new'), 'an add that changes data'), (:optimize || E'\n' || pg_temp.remove_of('c'), 'a real delete'),
	(pg_temp.info_of('OPTIMIZE') || E'\n' || pg_temp.add_of('a', data_change => false), 'nothing removed (statistics written again)'),
	(:optimize || E'\n' || pg_temp.metadata_of('{"a":"b"}'), 'a metaData'),
	(:optimize || E'\n{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":false}}', 'a cdc file'),
	(:optimize || E'\n{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":false,"deletionVector":' || deltacc.dv_of('{1}') || '}}', 'a removed file comes back with a vector'),
	(:optimize || E'\n{"remove":{"path":"a","dataChange":false,"deletionVector":' || deltacc.dv_of('{1}') || '}}' || E'\n' || pg_temp.add_of('a', data_change => false), 'one file with two vectors'),
	(pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('a'))::text, 'a delete'),
	(replace(:optimize, '"dataChange":false', '"dataChange":true'), 'dataChange')) v(winner, what);
SELECT is(pg_temp.hit(:optimize || E'\n{"remove":{"path":"c","dataChange":false,"deletionVector":' || deltacc.dv_of('{1}') || '}}' ||
	E'\n{"add":{"path":"c","partitionValues":{},"size":1,"modificationTime":1,"dataChange":false,"deletionVector":' || deltacc.dv_of('{1}') || '}}', pg_temp.add_of('n')), '', 'a file that comes back with the same vector');
SELECT is(pg_temp.hit(:optimize || E'\n' || pg_temp.metadata_of(), pg_temp.add_of('n')), :'both', 'a metaData, and be it the table''s own');
-- DML against OPTIMIZE conflicts as ever.
SELECT is(pg_temp.hit(:optimize, pg_temp.add_of('n') || E'\n' || pg_temp.remove_of('a')), :'both' || '; ConcurrentDeleteDelete a', 'a DELETE of a file that was moved');
-- Nothing else is ignored.
SELECT is((SELECT check_name FROM deltacc.check_conflicts(pg_temp.table_of(), :optimize || E'\n{"txn":{"appId":"a","version":1}}', ARRAY['x < 5'], pg_temp.add_of('n'), read_app_ids => '{a}')), 'application_id', 'application ids');

-- Through the log: whether a file was live is looked up.
INSERT INTO deltacc.tables (name) VALUES ('rearranged');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v, a::deltacc.actions FROM deltacc.tables, (VALUES
	(0, pg_temp.table_of()::text || E'\n' || pg_temp.add_of('a') || E'\n' || pg_temp.add_of('b') || E'\n' || pg_temp.add_of('live')), (1, :optimize)) c(v, a)
WHERE name = 'rearranged';
SELECT is((SELECT count(*) FROM deltacc.check_commit('rearranged', 0, ARRAY['x < 5'], pg_temp.add_of(path), 'Serializable', read_files => files)), n, what)
FROM (VALUES ('n', NULL, 0::bigint, 'a new file'), ('live', NULL, 3, 'a live one'), ('n', '{a}'::text[], 0, 'a new file, with read files'), ('live', '{a}', 2, 'a live one, with read files')) v(path, files, n, what);
SELECT is(deltacc.rebase_commit('rearranged', 0, ARRAY['x < 5'], pg_temp.add_of('n'), 'Serializable')::text, pg_temp.add_of('n'), 'rebase changes nothing');

SELECT * FROM finish();
ROLLBACK;
