-- deltacc.snapshots.added_paths: where check_commit looks for the adds of files
-- that winners removed.
\ir data/begin.psql
SELECT plan(12);

-- 300 commits of ten files; every seventh commit adds one of them again.
CREATE FUNCTION commit_text(v int) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(E'\n', '{"commitInfo":{"timestamp":1,"operation":"WRITE","operationParameters":{},"isBlindAppend":false}}',
		CASE WHEN v = 0 THEN '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"t","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}' END,
		(SELECT string_agg(format('{"add":{"path":"%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":1,\"minValues\":{\"id\":%s},\"maxValues\":{\"id\":%s},\"nullCount\":{\"id\":0}}"}}',
			'f' || v || '%20' || i, v * 10 + i, v * 10 + i), E'\n') FROM generate_series(0, 9) AS i),
		CASE WHEN v % 7 = 6 THEN format('{"add":{"path":"f%s%%20%s","partitionValues":{},"size":1,"modificationTime":2,"dataChange":true,"stats":"{\"numRecords\":1,\"minValues\":{\"id\":%s},\"maxValues\":{\"id\":%s},\"nullCount\":{\"id\":0}}"}}',
			v - 6, v % 10, -v, -v) END)
$$;
INSERT INTO deltacc.tables (name, location, snapshot_interval) VALUES ('indexed', '/lake/indexed', 50);
INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT table_id, v, commit_text(v)::deltacc.actions FROM deltacc.tables, generate_series(0, 299) AS v WHERE name = 'indexed';

-- Winners that remove old files, spelled in three ways, and one that isn't there.
INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT t.table_id, 300 + w, (
		SELECT string_agg(format('{"remove":{"path":"%s","deletionTimestamp":1,"dataChange":true}}', p), E'\n')
		FROM (SELECT CASE j % 3 WHEN 0 THEN '' WHEN 1 THEN 'file:/lake/indexed/' ELSE '/lake/indexed/./' END
				|| 'f' || ((j * 37 + w * 11) % 300) || CASE WHEN j % 2 = 0 THEN '%20' ELSE ' ' END || (j % 10) AS p
			FROM generate_series(0, 39) AS j
			UNION ALL SELECT 'nowhere') AS paths)::deltacc.actions
	FROM deltacc.tables AS t, generate_series(0, 2) AS w WHERE name = 'indexed';
CREATE FUNCTION answers() RETURNS SETOF text LANGUAGE sql AS $$
	SELECT concat_ws(' ', read_version, p, c.winning_version, c.check_name, c.path, c.read_index, c.message)
	FROM (VALUES (299), (298), (160), (100), (99), (50), (12)) AS v(read_version),
		unnest(ARRAY['id < 0', 'id BETWEEN 100 AND 900', 'id > 2500', 'id = 1234']) AS p,
		LATERAL deltacc.check_commit('indexed', read_version, ARRAY[p]::deltacc.predicate[], isolation => 'Serializable') AS c
$$;
CREATE TEMP TABLE without_index AS SELECT answers() AS answer;
SELECT ok((SELECT count(*) FROM without_index) > 100, 'there are answers to compare');

SELECT is(deltacc.keep_snapshots('indexed'), 6::bigint, 'states are kept');
SELECT is((SELECT count(added_paths) FROM deltacc.snapshots JOIN deltacc.tables USING (table_id) WHERE name = 'indexed'),
	6::bigint, '... each with an index');
SELECT set_eq('SELECT answers()', 'SELECT answer FROM without_index', 'the index changes no answer');
UPDATE deltacc.snapshots SET added_paths = NULL WHERE version IN (100, 250);
SELECT set_eq('SELECT answers()', 'SELECT answer FROM without_index', '... nor where parts of it are missing');
DELETE FROM deltacc.snapshots WHERE version = 150;
SELECT set_eq('SELECT answers()', 'SELECT answer FROM without_index', '... or a state is');
DELETE FROM deltacc.snapshots;
DO $$ BEGIN PERFORM deltacc.keep_snapshots('indexed'); END $$;

-- It spares most of the commits.
CREATE FUNCTION opened(query text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT value FROM deltacc.counters() WHERE name = 'values opened');
BEGIN
	EXECUTE query;
	RETURN (SELECT value FROM deltacc.counters() WHERE name = 'values opened') - before;
END
$$;
SELECT cmp_ok(opened($$SELECT count(*) FROM deltacc.check_commit('indexed', 302, ARRAY['id = 5'])$$), '<', 20::bigint, 'nothing removed, nothing looked through');
INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT table_id, 303, '{"remove":{"path":"f17%203","deletionTimestamp":1,"dataChange":true}}' FROM deltacc.tables WHERE name = 'indexed';
SELECT cmp_ok(opened($$SELECT count(*) FROM deltacc.check_commit('indexed', 302, ARRAY['id = 5'])$$), '<', 30::bigint, 'one old file removed: one commit looked through');
SELECT is((SELECT count(*) FROM deltacc.check_commit('indexed', 302, ARRAY['id = 173'])), 1::bigint, '... and its add says that it was read');
SELECT is((SELECT count(*) FROM deltacc.check_commit('indexed', 302, ARRAY['id = 174'])), 0::bigint, '... or not');

-- A commit that changes takes its index with it.
UPDATE deltacc.commits SET actions = '{"txn":{"appId":"x","version":1}}' WHERE version = 17;
SELECT is((SELECT count(*) FROM deltacc.snapshots JOIN deltacc.tables USING (table_id) WHERE name = 'indexed' AND version >= 17), 0::bigint,
	'a state is dropped with what it rests on');

DO $$ BEGIN PERFORM deltacc.keep_snapshots('indexed'); END $$;
UPDATE deltacc.snapshots SET added_paths = substr(added_paths, 1, length(added_paths) - 1);
SELECT throws_ok($$SELECT count(*) FROM deltacc.check_commit('indexed', 302, ARRAY['id = 5'])$$, 'XX001', NULL, 'bytes that are no index are an ERROR');
SELECT * FROM finish();
ROLLBACK;
