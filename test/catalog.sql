-- The catalog: ingest takes a log directory as writers leave it, and refuses,
-- as a whole, what may hide a conflict.
\ir data/begin.psql
SELECT plan(63);
-- Wherever pgTAP is, another role finds it, too.
SELECT set_config('search_path', (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pgtap'), true) \g /dev/null
SELECT set_config('deltacc_test.data', :'data', true) \g /dev/null

CREATE FUNCTION pg_temp.dir(name text) RETURNS text LANGUAGE sql AS
$$ SELECT current_setting('deltacc_test.data') || '/' || name $$;

-- What a statement raises: SQLSTATE, message, detail, hint.
CREATE FUNCTION pg_temp.failure(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE d text; h text;
BEGIN
	EXECUTE statement;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS d = PG_EXCEPTION_DETAIL, h = PG_EXCEPTION_HINT;
	RETURN concat_ws(E'\n', SQLSTATE, SQLERRM, d, h);
END
$$;

CREATE FUNCTION pg_temp.ingest_failure(name text) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', name, pg_temp.dir('ingest/' || name))) $$;

-- A real log.
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), files, 'every commit of the log is added')
FROM (SELECT count(*) AS files FROM pg_ls_dir(:'data' || '/logs/orders/_delta_log') AS f WHERE f ~ '^\d{20}\.json$') AS d;
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), 0::bigint, 'the second time nothing');
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders/_delta_log/'), 0::bigint, '_delta_log itself is the same directory');
SELECT is(location, :'data' || '/logs/orders', 'the location is the directory that holds _delta_log')
FROM deltacc.tables WHERE name = 'orders';
SELECT ok(deltacc.ingest('by log', :'data' || '/logs/accounts/_delta_log') > 0, 'a table may be entered by its _delta_log');
SELECT is(location, :'data' || '/logs/accounts', '... and has the same location')
FROM deltacc.tables WHERE name = 'by log';
SELECT ok(bool_and(c.actions::text = pg_read_file(:'data' || '/logs/orders/_delta_log/' || lpad(c.version::text, 20, '0') || '.json')),
	'each commit is stored as it stood in its file')
FROM deltacc.commits AS c JOIN deltacc.tables AS t USING (table_id) WHERE t.name = 'orders';
DELETE FROM deltacc.commits AS c USING deltacc.tables AS t WHERE t.table_id = c.table_id AND t.name = 'orders' AND c.version > 20;
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), files - 21, 'what is new is added')
FROM (SELECT count(*) AS files FROM pg_ls_dir(:'data' || '/logs/orders/_delta_log') AS f WHERE f ~ '^\d{20}\.json$') AS d;

-- The first thing seen of a log need not be its beginning.
DELETE FROM deltacc.commits AS c USING deltacc.tables AS t WHERE t.table_id = c.table_id AND t.name = 'orders' AND c.version < 10;
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), 10::bigint, 'older commits that turn up are added, too');
SELECT is(deltacc.ingest('no_head', pg_temp.dir('ingest/no_head')), 2::bigint, 'a log may begin later than at 0');

-- Files that are no commits.
SELECT is(deltacc.ingest('other_files', pg_temp.dir('ingest/other_files')), 2::bigint,
	'checkpoints, checksums, compacted, staged and temporary files are passed over');
SELECT is(deltacc.ingest('windows', pg_temp.dir('ingest/windows')), 2::bigint, 'CRLF, blank lines, a BOM, no final newline');

-- Bad logs: an ERROR that names the place, and nothing is added.
SELECT alike(pg_temp.ingest_failure('gap'), E'22023\nversion 2 of table "gap" is missing\n%', 'a gap is an ERROR that names the version');
SELECT alike(pg_temp.ingest_failure('torn'), '%ingest/torn/_delta_log/00000000000000000002.json"%', 'a torn line: the file');
SELECT matches(pg_temp.ingest_failure('torn'), '\mline 2\M', 'a torn line: the line');
SELECT alike(pg_temp.ingest_failure('unreadable'), '%ingest/unreadable/_delta_log/00000000000000000001.json"%', 'an unreadable line: the file');
SELECT matches(pg_temp.ingest_failure('unreadable'), '\mline 2\M', 'an unreadable line: the line');
SELECT alike(pg_temp.ingest_failure('empty'), '%ingest/empty/_delta_log/00000000000000000001.json" holds no action%', 'a 0-byte file is a torn write');
SELECT alike(pg_temp.ingest_failure('blank'), '%ingest/blank/_delta_log/00000000000000000001.json" holds no action%', 'blank lines are no commit');
SELECT alike(pg_temp.ingest_failure('bad_utf8'), '%ingest/bad_utf8/_delta_log/00000000000000000001.json"%UTF8%', 'bytes that are no UTF-8');
SELECT alike(pg_temp.ingest_failure('checkpoint'), '22023%ingest/checkpoint/_delta_log/00000000000000000001.json"%', 'a checkpoint given as a commit');
SELECT alike(pg_temp.ingest_failure('compacted'), E'22023\nfile "%ingest/compacted/_delta_log/00000000000000000001.json" is a compacted%', 'a compacted file given as the newest commit');
SELECT alike(pg_temp.ingest_failure('compacted_first'), E'22023\nfile "%ingest/compacted_first/_delta_log/00000000000000000000.json" is a compacted%', 'a compacted file given as the oldest commit');
SELECT alike(pg_temp.ingest_failure('nothing'), E'22023\n%ingest/nothing/_delta_log" holds no commit files%', 'a directory without commits');
SELECT alike(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'x',
	pg_temp.dir('ingest/nothing/_delta_log/00000000000000000000.00000000000000000001.compacted.json'))),
	E'22023\n%compacted.json" is a compacted log file%', 'a compacted file in the place of the directory');
SELECT alike(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'x',
	pg_temp.dir('ingest/other_files/_delta_log/00000000000000000001.checkpoint.parquet'))),
	E'22023\n%checkpoint.parquet" is a checkpoint%', 'a checkpoint in the place of the directory');
SELECT alike(pg_temp.ingest_failure('not there'), '58P01%ingest/not there"%', 'a directory that isn''t there');
SELECT is(array_agg(name ORDER BY name COLLATE "C"), ARRAY['by log', 'no_head', 'orders', 'other_files', 'windows'], 'no bad log has left a table')
FROM deltacc.tables;
SELECT is(count(*), 0::bigint, '... or a commit')
FROM deltacc.commits WHERE table_id NOT IN (SELECT table_id FROM deltacc.tables);

-- A bad log for a table that is there adds nothing to it.
INSERT INTO deltacc.tables (name) VALUES ('torn');
SELECT isnt(pg_temp.ingest_failure('torn'), NULL, 'a torn line in the log of a table that is there');
SELECT is(count(*), 0::bigint, '... leaves it as it was')
FROM deltacc.commits AS c JOIN deltacc.tables AS t USING (table_id) WHERE t.name = 'torn';
-- Between what is held and what is new, too.
DELETE FROM deltacc.commits AS c USING deltacc.tables AS t WHERE t.table_id = c.table_id AND t.name = 'no_head';
INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 3, '{"txn":{"appId":"a","version":1}}' FROM deltacc.tables WHERE name = 'no_head';
SELECT alike(pg_temp.ingest_failure('no_head'), E'22023\nversion 4 of table "no_head" is missing\n%', 'a gap after the newest commit that is held');

SELECT alike(pg_temp.failure(format('SELECT deltacc.ingest(NULL, %L)', :'data')), E'22004\ntable_name%', 'no name');
SELECT alike(pg_temp.failure('SELECT deltacc.ingest(''x'', NULL)'), E'22004\nlog_directory%', 'no directory');
SELECT alike(pg_temp.failure('SELECT deltacc.ingest(''x'', '''')'), E'22023\nlog_directory%', 'an empty directory name');
SELECT alike(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'orders', pg_temp.dir('logs/events'))),
	E'22023\ntable "orders" is located at %', 'the log of another table');
UPDATE deltacc.tables SET location = 's3://lake/orders' WHERE name = 'orders';
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), 0::bigint, 'the log of a table in an object store may be read from a copy');

-- Any client may insert; the type and the constraints look at what comes in.
SELECT throws_ok($$INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, -1, '{"txn":{"appId":"a","version":1}}' FROM deltacc.tables LIMIT 1$$,
	'23514', NULL, 'no negative version');
SELECT throws_ok($$INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 0, '{"txn":{"appId":"a","version":1}}' FROM deltacc.tables WHERE name = 'orders'$$,
	'23505', NULL, 'no version twice');
SELECT throws_ok($$INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 1000, '{"txn":{"appId":"a"' FROM deltacc.tables WHERE name = 'orders'$$,
	'22P02', NULL, 'no line that is no action');
SELECT throws_ok($$INSERT INTO deltacc.tables (name) VALUES ('orders')$$, '23505', NULL, 'no name twice');

-- Rights are the caller's.
CREATE ROLE deltacc_test_reader;
GRANT SELECT, INSERT ON deltacc.tables, deltacc.commits TO deltacc_test_reader;
GRANT USAGE ON SCHEMA deltacc TO deltacc_test_reader;
GRANT SELECT ON deltacc.history TO deltacc_test_reader;
SET LOCAL ROLE deltacc_test_reader;
SELECT throws_ok(format('SELECT deltacc.ingest(''mine'', %L)', :'data' || '/logs/orders'), '42501', NULL, 'reading the server''s files is not for everybody');
SELECT lives_ok($$INSERT INTO deltacc.tables (name) VALUES ('mine')$$, 'who may insert may enter a table');
SELECT lives_ok($$INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 0, '{"txn":{"appId":"a","version":1}}' FROM deltacc.tables WHERE name = 'mine'$$, '... and its commits');
SELECT is(count(*), 1::bigint, 'the history is there for who may read the tables') FROM deltacc.history WHERE table_name = 'mine';
RESET ROLE;
REVOKE SELECT ON deltacc.commits FROM deltacc_test_reader;
SET LOCAL ROLE deltacc_test_reader;
SELECT throws_ok('SELECT version FROM deltacc.history', '42501', NULL, '... and for nobody else');
RESET ROLE;

-- The history of a real log.
SELECT is(count(*), count(*) FILTER (WHERE "timestamp" IS NOT NULL AND operation IS NOT NULL AND txn_id IS NOT NULL), 'every commit of a real log has its time, operation and transaction')
FROM deltacc.history WHERE table_name = 'orders';
SELECT is(h."timestamp", timestamptz 'epoch' + (deltacc.commit_info(c.actions) ->> 'timestamp')::bigint * interval '1 millisecond', 'the timestamp is exact')
FROM deltacc.history AS h JOIN deltacc.tables AS t ON t.name = h.table_name JOIN deltacc.commits AS c USING (table_id, version)
WHERE h.table_name = 'orders' AND h.version = 1;
SELECT is(array_agg(attname::text ORDER BY attnum), ARRAY['table_name', 'version', 'timestamp', 'user_id', 'user_name', 'operation', 'operation_parameters', 'job', 'notebook',
	'cluster_id', 'read_version', 'isolation_level', 'is_blind_append', 'operation_metrics', 'user_metadata', 'engine_info', 'txn_id'],
	'the columns are those of DESCRIBE HISTORY')
FROM pg_attribute WHERE attrelid = 'deltacc.history'::regclass;

-- The files of a version are those of the aggregate.
SELECT ok(deltacc.ingest('accounts', :'data' || '/logs/accounts') > 0 AND deltacc.ingest('events', :'data' || '/logs/events') > 0, 'the other two logs');
SELECT is_empty(format($$
	(SELECT * FROM deltacc.live_files(%1$L) EXCEPT ALL SELECT * FROM deltacc.file_actions((SELECT deltacc.reconcile(version, actions) FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = %1$L)))
	UNION ALL
	(SELECT * FROM deltacc.file_actions((SELECT deltacc.reconcile(version, actions) FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = %1$L)) EXCEPT ALL SELECT * FROM deltacc.live_files(%1$L))$$, t),
	'live_files and reconcile agree about ' || t)
FROM unnest(ARRAY['orders', 'events', 'accounts']) AS t;
-- Spark's checksum files say how many files there are at each version.
SELECT is_empty(format($$
	SELECT v, live, expected FROM (
		SELECT v, (SELECT count(*) FROM deltacc.live_files(%1$L, v)) AS live,
			(pg_read_file(%2$L || '/' || lpad(v::text, 20, '0') || '.crc')::jsonb ->> 'numFiles')::bigint AS expected
		FROM (SELECT version AS v FROM deltacc.history WHERE table_name = %1$L) AS s) AS c
	WHERE live <> expected$$, t, :'data' || '/logs/' || t || '/_delta_log'),
	'as many live files at each version of ' || t || ' as Spark counted')
FROM unnest(ARRAY['orders', 'events', 'accounts']) AS t;

SELECT throws_ok('SELECT * FROM deltacc.live_files(''nowhere'')', '42704', NULL, 'a table that isn''t there');
SELECT throws_ok('SELECT * FROM deltacc.live_files(''orders'', 1000000)', '22023', NULL, 'a version that isn''t held');
SELECT throws_ok('SELECT * FROM deltacc.live_files(''orders'', -1)', '22023', NULL, 'a version that can''t be');
SELECT throws_ok('SELECT * FROM deltacc.live_files(NULL)', '22004', NULL, 'no name for live_files');
SELECT throws_ok('SELECT * FROM deltacc.live_files(''no_head'')', '22023', NULL, 'without its beginning a log has no list of files');
-- Paths below the table's location are relative ones.
INSERT INTO deltacc.tables (name, location) VALUES ('paths', '/lake/t');
INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, v, a::deltacc.actions FROM deltacc.tables, (VALUES
	(0, '{"add":{"path":"x%201","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"y","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(1, '{"remove":{"path":"file:///lake/t/x%201","dataChange":true}}')) AS w(v, a) WHERE name = 'paths';
SELECT results_eq('SELECT path FROM deltacc.live_files(''paths'')', ARRAY['y'], 'an absolute path names the same file as the relative one');
-- A state may stand for a beginning that is gone.
INSERT INTO deltacc.tables (name) VALUES ('cut');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, 20, deltacc.reconcile(c.version, c.actions)
FROM deltacc.commits AS c JOIN deltacc.tables AS t USING (table_id), deltacc.tables AS n
WHERE t.name = 'orders' AND c.version <= 20 AND n.name = 'cut' GROUP BY n.table_id;
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, c.version, c.actions
FROM deltacc.commits AS c JOIN deltacc.tables AS t USING (table_id), deltacc.tables AS n
WHERE t.name = 'orders' AND c.version > 20 AND n.name = 'cut';
SELECT is_empty('SELECT * FROM deltacc.live_files(''cut'') EXCEPT ALL SELECT * FROM deltacc.live_files(''orders'')', 'a state may be the first row of a log');

SELECT * FROM finish();
ROLLBACK;
