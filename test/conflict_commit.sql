-- check_commit: a transaction against an ingested log.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = off;

INSERT INTO deltacc.tables (name, location) VALUES ('conflict_commit', '/tables/t'), ('conflict_commit_gap', NULL), ('conflict_commit_empty', NULL);
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v, a FROM deltacc.tables, (VALUES
	(0, pg_temp.table_of('["p"]')),
	(1, pg_temp.commit_of(pg_temp.add_of('low', 'a', 0, 9), pg_temp.add_of('high', 'a', 90, 99))),
	(2, pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.add_of('new', 'a', 40, 49))),
	(3, pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('/tables/t/low'), pg_temp.remove_of('new', 'a'))),
	(4, pg_temp.commit_of(pg_temp.info_of('SET TBLPROPERTIES'), pg_temp.metadata_of('{"x":"y"}', '["p"]')))) c(v, a)
WHERE name = 'conflict_commit' OR (name = 'conflict_commit_gap' AND v <> 3);

CREATE FUNCTION pg_temp.rows_of(reads deltacc.predicate[], isolation text DEFAULT 'Serializable', last bigint DEFAULT NULL, read_version bigint DEFAULT 1) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', winning_version, check_name, path), '; '), '')
	FROM deltacc.check_commit('conflict_commit', read_version, reads, pg_temp.commit_of(pg_temp.add_of('mine', 'a')), isolation, last_version => last) $$;

SELECT is(pg_temp.rows_of(ARRAY['p = ''a'' AND x < 20']), '2 added_file new; 3 delete_read /tables/t/low; 4 metadata', 'every reason of every winner, in order');
SELECT is(pg_temp.rows_of(ARRAY['p = ''a'' AND x < 20'], 'WriteSerializable'), '3 delete_read /tables/t/low; 4 metadata',
	'a file that an earlier winner added was not read');
SELECT is(pg_temp.rows_of(ARRAY['p = ''a'' AND x > 50'], 'WriteSerializable'), '4 metadata', 'statistics of the add at the read version say what was read');
SELECT is(pg_temp.rows_of(ARRAY['p = ''b''']), '4 metadata', 'another partition');
SELECT is(pg_temp.rows_of(ARRAY['p = ''a'' AND x < 20'], last => 2), '2 added_file new', 'up to last_version');
SELECT is(pg_temp.rows_of(ARRAY['true'], last => 1), '', 'no winner, no conflict');
SELECT is(pg_temp.rows_of('{}', read_version => -1, last => 0), '0 metadata', 'read version -1: there was no table');

-- A remove need not say its partition: the log knows it.
SELECT is((SELECT string_agg(concat_ws(' ', check_name, path, sub_condition, partition_values), '; ') FROM deltacc.check_commit('conflict_commit', 1, ARRAY['false'], pg_temp.commit_of(pg_temp.add_of('mine', 'a')),
	read_files => files, last_version => 3)), expected, format('read files %s', files))
FROM (VALUES (NULL, NULL), ('{}'::text[], NULL), ('{low}', 'delete_read /tables/t/low WITH_PARTITION_HINT {"p": "a"}')) v(files, expected);

SELECT throws_ok($$SELECT deltacc.check_commit('no such table', 0)$$, '42704', NULL, 'an unknown table');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit', 9)$$, '22023', NULL, 'a read version past the end');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit', 1, last_version => 9)$$, '22023', NULL, 'a last version past the end');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit', 2, last_version => 1)$$, '22023', NULL, 'a last version before the read version');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit', -2)$$, '22023', NULL, 'a read version below -1');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit_gap', 1)$$, '22023', NULL, 'a gap among the winners');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit_gap', 4)$$, '22023', NULL, 'a gap before the read version');
SELECT throws_ok($$SELECT deltacc.check_commit('conflict_commit_empty', 0)$$, '22023', NULL, 'an empty log');
SELECT throws_ok(q, '22004', NULL, q) FROM unnest(ARRAY[
	'SELECT deltacc.check_commit(NULL, 0)', 'SELECT deltacc.check_commit(''conflict_commit'', NULL)', 'SELECT deltacc.check_commit(''conflict_commit'', 1, NULL)',
	'SELECT deltacc.check_commit(''conflict_commit'', 1, read_whole_table => NULL)', 'SELECT deltacc.check_commit(''conflict_commit'', 1, read_app_ids => NULL)',
	'SELECT deltacc.rebase_commit(''conflict_commit'', 1)']) q;

SELECT * FROM finish();
ROLLBACK;
