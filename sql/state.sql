-- The aggregates table_state and reconcile.
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
SET search_path = public;
\set SHOW_CONTEXT never

CREATE TEMP TABLE log (version bigint, actions deltacc.actions);
INSERT INTO log VALUES
(0, $$
{"commitInfo":{"operation":"CREATE TABLE","timestamp":1}}
{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"m0","schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{}}}
{"domainMetadata":{"domain":"d1","configuration":"0","removed":false}}
{"domainMetadata":{"domain":"d2","configuration":"0","removed":false}}
$$),
(1, $$
{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"txn":{"appId":"app","version":1}}
{"txn":{"appId":"other","version":7}}
$$),
(2, $$
{"remove":{"path":"a","deletionTimestamp":2,"dataChange":true}}
{"add":{"path":"c","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true},"future":{"x":[1]}}
{"txn":{"appId":"\u0061pp","version":2}}
{"domainMetadata":{"domain":"d1","configuration":"","removed":true}}
{"someFutureAction":{}}
$$),
(3, $$
{"metaData":{"id":"m3","schemaString":"{\"type\":\"struct\",\"fields\":[]}","partitionColumns":[],"configuration":{"k" : "v"}}}
{"cdc":{"path":"_change_data/x","partitionValues":{},"size":1,"dataChange":false}}
{"remove":{"path":"b","deletionTimestamp":3,"dataChange":true}}
{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":2}}}
$$);

-- Each line as it stood in its commit; no commitInfo, no unknown action.
SELECT deltacc.table_state(version, actions) FROM log;
SELECT deltacc.reconcile(version, actions) FROM log;
-- Any order of rows, and any version.
SELECT deltacc.table_state(version, actions ORDER BY version DESC)::text
	= deltacc.table_state(version, actions)::text FROM log;
SELECT deltacc.reconcile(version, actions ORDER BY (version + 2) % 4)::text
	= deltacc.reconcile(version, actions)::text FROM log;
SELECT deltacc.table_state(version, actions) FROM log WHERE version <= 1;
-- As a window aggregate: the state at each version.
SELECT string_agg(version || ' ' || (deltacc.protocol(state) IS NOT NULL) || ' ' || (deltacc.metadata(state) ->> 'id'), E'\n' ORDER BY version)
FROM (SELECT version, deltacc.table_state(version, actions) OVER (ORDER BY version) AS state FROM log) AS s;

-- No rows, no state.
SELECT deltacc.table_state(version, actions) IS NULL, deltacc.reconcile(version, actions) IS NULL FROM log WHERE false;
-- An empty commit says nothing, but counts as there.
SELECT deltacc.table_state(v, a::deltacc.actions) FROM (VALUES (0, '{"txn":{"appId":"x","version":1}}'), (1, ''), (2, '{"txn":{"appId":"y","version":1}}')) AS t(v, a);

-- A state stands for all versions up to its own.
WITH s AS (SELECT deltacc.reconcile(version, actions) AS state FROM log WHERE version <= 2)
SELECT deltacc.reconcile(u.version, u.actions)::text = (SELECT deltacc.reconcile(version, actions) FROM log)::text,
	deltacc.table_state(u.version, u.actions)::text = (SELECT deltacc.table_state(version, actions) FROM log)::text
FROM (SELECT 2 AS version, state AS actions FROM s UNION ALL SELECT version, actions FROM log WHERE version = 3) AS u;
-- Its own state is itself.
WITH s AS (SELECT deltacc.reconcile(version, actions) AS state FROM log)
SELECT deltacc.reconcile(3, state)::text = (SELECT state FROM s)::text FROM s;

-- Without its beginning a log still has a state, but no list of files.
SELECT deltacc.table_state(version, actions) FROM log WHERE version >= 2;
SELECT deltacc.reconcile(version, actions) FROM log WHERE version >= 2;

-- Two actions in one line: each is remembered without the other.
SELECT deltacc.reconcile(v, a::deltacc.actions) FROM (VALUES
	(0, '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true},"txn":{"appId":"x","version":1}}
{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true},"remove":null,"commitInfo":null}'),
	(1, '{"remove":{"path":"a","dataChange":true}}')) AS t(v, a);
-- In one commit the later action counts; a path in another spelling is the same file.
SELECT deltacc.reconcile(v, a::deltacc.actions) FROM (VALUES
	(0, '{"add":{"path":"p%3D1/x","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"add":{"path":"y","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}
{"remove":{"path":"y","dataChange":true}}
{"remove":{"path":"z","dataChange":true}}
{"add":{"path":"z","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(1, '{"remove":{"path":"p=1/x","dataChange":true}}')) AS t(v, a);
-- With another deletion vector it is another file, as far as the list goes.
SELECT deltacc.reconcile(v, a::deltacc.actions) FROM (VALUES
	(0, '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(1, '{"remove":{"path":"a","dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"x","offset":1,"sizeInBytes":1,"cardinality":1}}}')) AS t(v, a);

-- What is no state.
SELECT deltacc.table_state(version, actions) FROM log WHERE version <> 1;
SELECT deltacc.table_state(version, actions) FROM (SELECT * FROM log UNION ALL SELECT * FROM log WHERE version = 2) AS l;
SELECT deltacc.reconcile(version, actions) FROM log WHERE version <> 2;
SELECT deltacc.table_state(NULL, actions) FROM log;
SELECT deltacc.table_state(version, NULL) FROM log;
SELECT deltacc.reconcile(NULL::bigint, NULL);
SELECT deltacc.table_state(-1, actions) FROM log WHERE version = 0;
SELECT deltacc.table_state(5, state) FROM (SELECT deltacc.table_state(version, actions) AS state FROM log) AS s;
SELECT deltacc.table_state(version, actions)
FROM (SELECT 3 AS version, deltacc.table_state(version, actions) AS actions FROM log UNION ALL SELECT * FROM log WHERE version = 1) AS u;
SELECT deltacc.reconcile(3, state) FROM (SELECT deltacc.table_state(version, actions) AS state FROM log) AS s;

-- One spelling for each path.
SELECT p, deltacc.canonical_path(p), deltacc.canonical_path(p, '/data/t')
FROM (VALUES ('a/b'), ('a%20b'), ('a%2520b'), ('/data/t/a'), ('file:///data/t/a%3D1/b'), ('file:/data/t/a'), ('/data/tt/a'),
	('s3://bucket/t/a'), ('50%'), ('%ff'), ('%00'), (''), (NULL)) AS v(p);
SELECT deltacc.canonical_path('s3://bucket/t/a', 's3://bucket/t/');

-- A parallel plan gives the same.
CREATE TABLE state_log (version bigint, actions deltacc.actions, filler text);
ALTER TABLE state_log SET (parallel_workers = 2);
INSERT INTO state_log
SELECT v, CASE WHEN v = 0 THEN (SELECT actions FROM log WHERE version = 0)
	ELSE (format('{"txn":{"appId":"app%s","version":%s}}', v % 7, v) || E'\n'
		|| format('{"add":{"path":"f%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}', v)
		|| CASE WHEN v % 3 = 0 THEN E'\n' || format('{"remove":{"path":"f%s","dataChange":true}}', v - 1) ELSE '' END)::deltacc.actions END,
	repeat('x', 200)
FROM generate_series(0, 499) AS v;
ANALYZE state_log;
CREATE TEMP TABLE serial AS
SELECT deltacc.table_state(version, actions) AS state, deltacc.reconcile(version, actions) AS files FROM state_log;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
EXPLAIN (COSTS OFF) SELECT deltacc.table_state(version, actions), deltacc.reconcile(version, actions) FROM state_log;
SELECT deltacc.table_state(version, actions)::text = (SELECT state FROM serial)::text,
	deltacc.reconcile(version, actions)::text = (SELECT files FROM serial)::text FROM state_log;
SELECT count(*), count(DISTINCT path) FROM serial, deltacc.file_actions(files);
SELECT deltacc.table_state(version, actions) FROM state_log WHERE version <> 250;
DROP TABLE state_log;
