-- Who collides with whom: contention, replay.
\ir data/begin.psql
SELECT no_plan();
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null

CREATE TEMP TABLE pair AS SELECT t AS name, c.* FROM unnest(ARRAY['orders', 'events', 'accounts']) t, deltacc.contention(t) c;
SELECT is(count(*), (SELECT sum(greatest(0, least(10, newest - v)))::bigint FROM (SELECT max(version) AS newest FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE tables.name = p.name) m, generate_series(1, newest) v),
	format('%s: every pair that is ten versions apart or less, but for version 0', name)) FROM pair p GROUP BY name ORDER BY name;
SELECT is(count(*) FILTER (WHERE error IS NOT NULL), 0::bigint, 'no pair is an ERROR') FROM pair;
SELECT is(count(*) FILTER (WHERE delta IS NULL), 0::bigint, 'each has a verdict') FROM pair;
SELECT is(count(*) FILTER (WHERE data_skipping AND NOT delta OR sharp AND NOT data_skipping OR row_level AND NOT data_skipping), 0::bigint, 'data skipping, sharp and row level only leave out') FROM pair;
SELECT is(count(*) FILTER (WHERE delta AND (exception IS NULL OR check_name IS NULL) OR NOT delta AND NOT write_serializable AND exception IS NOT NULL), 0::bigint, 'a conflict has an exception') FROM pair;
SELECT is(concat_ws(' ', count(*), count(*) FILTER (WHERE delta), count(*) FILTER (WHERE write_serializable), count(*) FILTER (WHERE data_skipping), count(*) FILTER (WHERE sharp)), want, name)
FROM (VALUES ('accounts', '185 164 145 149 149'), ('events', '275 40 23 40 40'), ('orders', '205 77 32 26 26')) v(name, want) JOIN pair USING (name) GROUP BY name, want ORDER BY name;

-- The verdict on a pair is that of compare_rules, where the loser's actions are
-- all on files that were there.
CREATE TEMP TABLE checked AS
SELECT p.*, r.rules, r.outcome
FROM pair p
JOIN deltacc.tables t USING (name)
JOIN deltacc.commits w ON w.table_id = t.table_id AND w.version = p.winner_version
JOIN deltacc.commits l ON l.table_id = t.table_id AND l.version = p.loser_version
CROSS JOIN LATERAL deltacc.compare_commit(p.name, p.winner_version - 1, p.reads,
	-- without the actions on files that are younger
	(SELECT coalesce(string_agg(line, E'\n' ORDER BY n), '') FROM regexp_split_to_table(rtrim(l.actions::text, E'\n'), E'\n') WITH ORDINALITY x(line, n)
		WHERE NOT EXISTS (
			SELECT FROM deltacc.removed_files(p.name) f
			WHERE f.version = p.loser_version AND f.born >= p.winner_version AND n IN (f.remove_ordinal, f.readd_ordinal)))::deltacc.actions,
	read_app_ids => deltacc.app_ids(l.actions), operation => p.loser_operation, last_version => p.winner_version) r
WHERE p.name <> 'accounts' AND p.loser_version <= p.winner_version + 3;
SELECT is(count(*) FILTER (WHERE (outcome = 'conflict') <> CASE rules WHEN 'Delta 4.4.0' THEN delta WHEN 'WriteSerializable' THEN write_serializable
	WHEN 'data skipping' THEN data_skipping WHEN 'sharp' THEN sharp WHEN 'row level' THEN row_level END), 0::bigint, 'the verdicts are those of the checker')
FROM checked;
SELECT is(count(*) FILTER (WHERE outcome = 'conflict') > 50, true, '(and there are some)') FROM checked;

-- Reads.
SELECT is(reads::text, '{"event_date = DATE ''2026-08-17'' AND event_id % 7 = 0"}', 'the reads are those that the loser logged') FROM pair WHERE name = 'events' AND winner_version = 9 AND loser_version = 10;
SELECT is(concat_ws(' ', exact, delta), want, what)
FROM (VALUES ('events', 9, 10, 't f', 'other partitions don''t collide'), ('events', 11, 15, 'f t', 'a MERGE collides with everything: its condition can''t be read'),
	('orders', 11, 12, 't f', 'nor does a blind append'), ('events', 32, 33, 't f', 'nor ADD COLUMNS')) v(name, winner_version, loser_version, want, what)
JOIN pair USING (name, winner_version, loser_version);

-- Deletion vectors as net sets: DELETEs of other rows of the same file.
SELECT is(count(*) FILTER (WHERE row_level) < count(*) FILTER (WHERE data_skipping), true, 'row level tells rows of one file apart') FROM pair WHERE name = 'accounts';
SELECT is(concat_ws(' ', data_skipping, row_level), 't f', 'accounts 6 and 10: rows 2000-2002 and 2040-2042') FROM pair WHERE name = 'accounts' AND winner_version = 6 AND loser_version = 10;
SELECT is(count(*) FILTER (WHERE row_level), 1::bigint, 'not where the later one deleted the same rows: the same commit taken twice')
FROM deltacc.pair_verdicts('accounts', NULL, NULL, 6, 6);

-- Files that were not there yet.
SELECT is(array_agg(born), ARRAY[1]::bigint[], 'a file''s birth is found') FROM deltacc.removed_files('events') WHERE version = 9 AND path LIKE '%event_date=2026-08-10%';
SELECT is(count(*) FILTER (WHERE born IS NULL OR added_version IS NULL OR added_ordinal IS NULL), 0::bigint, '... that of each file of a log that is whole')
FROM unnest(ARRAY['orders', 'events', 'accounts']) t, deltacc.removed_files(t);
SELECT is(count(*), 0::bigint, 'a vector is no birth') FROM deltacc.removed_files('accounts') WHERE version < 21 AND born > 5;

-- A file that nobody says the birth of, and one whose spellings only its end tells
-- to be the same, since the table's location is unknown.
INSERT INTO deltacc.tables (name) VALUES ('nowhere');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(1, E'{"add":{"path":"d/a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(2, E'{"remove":{"path":"d/a","dataChange":true}}\n{"add":{"path":"s3://lake/t/d/a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(3, E'{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}\n{"remove":{"path":"never added","dataChange":true}}'),
	(4, E'{"remove":{"path":"s3://lake/t/d/a","dataChange":true}}\n{"remove":{"path":"./%62","dataChange":true}}'),
	(5, E'{"remove":{"path":"b","dataChange":true}}'),
	(6, E'{"add":{"path":"b","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(7, E'{"remove":{"path":"b","dataChange":true}}')) v(v, a)
WHERE t.name = 'nowhere';
SELECT is(string_agg(concat_ws(' ', version, path, 'born ' || born, 'last ' || added_version || '/' || added_ordinal, 'again ' || readd_ordinal), ', ' ORDER BY version, remove_ordinal),
	'2 d/a born 1 last 1/1 again 2, 3 never added, 4 s3:/lake/t/d/a born 1 last 2/2, 4 b born 3 last 3/1, 5 b born 3 last 3/1, 7 b born 6 last 6/1', 'spellings, files removed twice and added again')
FROM deltacc.removed_files('nowhere');
DELETE FROM deltacc.tables WHERE name = 'nowhere';

-- Who asks for the newest versions only reads no more of the log than that takes.
CREATE TEMP TABLE removed AS SELECT t AS of_table, f.* FROM unnest(ARRAY['orders', 'events', 'accounts']) t, deltacc.removed_files(t) f;
SAVEPOINT states;
UPDATE deltacc.tables SET snapshot_interval = 3 WHERE name IN ('orders', 'events', 'accounts');
SELECT deltacc.keep_snapshots(t) FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null
SELECT is(count(*), 0::bigint, 'removed files from a version on: those of the whole log')
FROM unnest(ARRAY['orders', 'events', 'accounts']) t, generate_series(0, 60) v, LATERAL (
	(SELECT * FROM deltacc.removed_files(t, v) EXCEPT SELECT version, path, remove_ordinal, readd_ordinal, born, added_version, added_ordinal FROM removed WHERE of_table = t AND version >= v)
	UNION ALL
	(SELECT version, path, remove_ordinal, readd_ordinal, born, added_version, added_ordinal FROM removed WHERE of_table = t AND version >= v EXCEPT SELECT * FROM deltacc.removed_files(t, v))) AS d;
SELECT is(count(*), 0::bigint, '... and so are the verdicts')
FROM generate_series(1, 40) v, LATERAL (
	SELECT winner_version, loser_version, reads, delta, write_serializable, data_skipping, sharp, row_level, path FROM deltacc.contention('accounts', 3, v)
	EXCEPT SELECT winner_version, loser_version, reads, delta, write_serializable, data_skipping, sharp, row_level, path FROM pair WHERE name = 'accounts') AS d;
ROLLBACK TO states;

-- The state that a winner found, in whatever order they are asked for: 300 commits
-- that each change it, every third one by a column more.
INSERT INTO deltacc.tables (name) VALUES ('growing');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, (CASE v WHEN 0 THEN E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n' ELSE '' END
	|| format(E'{"commitInfo":{"operation":"DELETE","operationParameters":{"predicate":"[\\"(c%s#1L = 5)\\"]"}}}\n{"txn":{"appId":"a%s","version":%s}}\n', v / 3, v % 7, v)
	|| CASE v % 3 WHEN 0 THEN format('{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":%s,"partitionColumns":[],"configuration":{},"createdTime":1}}',
		to_json('{"type":"struct","fields":[' || string_agg(format('{"name":"c%s","type":"long","nullable":true,"metadata":{}}', c), ',') || ']}')) ELSE '' END)::deltacc.actions
FROM deltacc.tables t, generate_series(0, 300) v, generate_series(0, v / 3) c WHERE t.name = 'growing' GROUP BY t.table_id, v;
CREATE TEMP TABLE found AS SELECT winner_version AS version, reads, error FROM deltacc.contention('growing', 1);
SELECT is(count(*) FILTER (WHERE reads <> ARRAY[(CASE WHEN (version + 1) / 3 > (version - 1) / 3 THEN 'TRUE' ELSE format('c%s = 5', (version + 1) / 3) END)::deltacc.predicate]), 0::bigint,
	'a column that the loser knew and the table before the winner did not: it may have read anything') FROM found;
SELECT is(count(*), 299::bigint, '(of each pair)') FROM found;
SELECT is(count(*) FILTER (WHERE v.reads IS DISTINCT FROM f.reads), 0::bigint, 'winners asked for in any order: ' || way)
FROM (VALUES ('backwards', -1), ('to and fro', 157)) AS w(way, step)
CROSS JOIN LATERAL (
	SELECT n, deltacc.pair_verdicts('growing', NULL, NULL, n, n + 1) AS p FROM (SELECT (((i * step) % 299) + 299) % 299 + 1 AS n FROM generate_series(0, 298) i OFFSET 0) AS o
) AS asked
CROSS JOIN LATERAL (SELECT n AS version, (p).reads) AS v
JOIN found f USING (version) GROUP BY way ORDER BY way;
DELETE FROM deltacc.tables WHERE name = 'growing';

-- More tables in one query than a process keeps the logs of.
SAVEPOINT many;
INSERT INTO deltacc.tables (name) SELECT 'copy ' || i FROM generate_series(1, 20) i;
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, c.version, c.actions FROM deltacc.tables n, deltacc.tables o JOIN deltacc.commits c USING (table_id) WHERE n.name LIKE 'copy %' AND o.name = 'orders' AND c.version < 12;
SELECT is(count(*), 0::bigint, 'twenty tables, pair by pair in turn')
FROM (SELECT w, l, i, deltacc.pair_verdicts('copy ' || i, NULL, NULL, w, l) AS p
	FROM (SELECT w, w + d AS l, i FROM generate_series(1, 6) w, generate_series(1, 3) d, generate_series(1, 20) i ORDER BY w, d, i) AS o) AS v
JOIN pair ON name = 'orders' AND winner_version = w AND loser_version = l
WHERE ((p).delta, (p).write_serializable, (p).data_skipping, (p).sharp) IS DISTINCT FROM (delta, write_serializable, data_skipping, sharp);
ROLLBACK TO many;

-- Ranges of versions, and other starting points.
SELECT is(count(*), (SELECT count(*) FROM pair WHERE name = 'orders' AND winner_version >= 10 AND loser_version <= 20 AND loser_version - winner_version <= 4), 'a range of versions')
FROM deltacc.contention('orders', 4, 10, 20);
SELECT results_eq($$SELECT winner_version, loser_version, delta, write_serializable, data_skipping, sharp, row_level FROM deltacc.contention('orders', 4, 10, 20) ORDER BY 1, 2$$,
	$$SELECT winner_version, loser_version, delta, write_serializable, data_skipping, sharp, row_level FROM pair WHERE name = 'orders' AND winner_version >= 10 AND loser_version <= 20 AND loser_version - winner_version <= 4 ORDER BY 1, 2$$,
	'... with the same verdicts');
UPDATE deltacc.tables SET snapshot_interval = 4 WHERE name = 'orders';
SELECT deltacc.keep_snapshots('orders') \g /dev/null
SELECT results_eq($$SELECT winner_version, loser_version, delta, data_skipping FROM deltacc.contention('orders', 4, 10, 20) ORDER BY 1, 2$$,
	$$SELECT winner_version, loser_version, delta, data_skipping FROM pair WHERE name = 'orders' AND winner_version >= 10 AND loser_version <= 20 AND loser_version - winner_version <= 4 ORDER BY 1, 2$$,
	'... from a kept state, too');
SAVEPOINT forgotten;
SELECT deltacc.forget('orders', 10) \g /dev/null
SELECT results_eq($$SELECT winner_version, loser_version, delta, data_skipping FROM deltacc.contention('orders', 4) ORDER BY 1, 2$$,
	$$SELECT winner_version, loser_version, delta, data_skipping FROM pair WHERE name = 'orders' AND winner_version >= 10 AND loser_version - winner_version <= 4 ORDER BY 1, 2$$,
	'... and where the log begins later');
ROLLBACK TO forgotten;
SELECT throws_ok($$SELECT * FROM deltacc.contention('nosuch')$$, '42704', 'table "nosuch" is not in deltacc.tables');
SELECT throws_ok('SELECT * FROM deltacc.contention(NULL)', '22004', 'table_name must not be NULL');
SELECT throws_ok($$SELECT * FROM deltacc.removed_files('nosuch')$$, '42704', 'table "nosuch" is not in deltacc.tables');
SELECT throws_ok('SELECT * FROM deltacc.removed_files(NULL)', '22004', 'table_name must not be NULL');
SELECT is(count(*), 0::bigint, 'no distance: no pair') FROM deltacc.contention('orders', 0);

-- An odd commit is one verdict, not the end of all.
INSERT INTO deltacc.tables (name) VALUES ('odd');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"id\\",\\"type\\":\\"long\\",\\"nullable\\":true,\\"metadata\\":{}},{\\"name\\":\\"d\\",\\"type\\":\\"date\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["d"],"configuration":{},"createdTime":1}}'),
	(1, '{"add":{"path":"a","partitionValues":{"d":"nonsense"},"size":1,"modificationTime":1,"dataChange":true}}'),
	(2, E'{"commitInfo":{"operation":"DELETE","operationParameters":{"predicate":"[\\"(d#1 = 2026-08-11)\\"]"}}}\n{"remove":{"path":"z","dataChange":true}}'),
	(3, '{"protocol":{"minReaderVersion":9,"minWriterVersion":99}}'),
	(4, E'{"commitInfo":{"operation":"WRITE","isBlindAppend":true}}\n{"txn":{"appId":"a","version":1}}'),
	(5, E'{"commitInfo":{"operation":"WRITE","isBlindAppend":true}}\n{"txn":{"appId":"a","version":2}}')) v(v, a)
WHERE t.name = 'odd';
SELECT is(string_agg(concat_ws(' ', winner_version, loser_version, coalesce(delta::text, 'error'), exception, CASE WHEN error ~ 'nonsense|CAST' THEN 'cast' WHEN error IS NOT NULL THEN 'unsupported' END), ', ' ORDER BY winner_version, loser_version),
	'1 2 error cast, 1 3 error unsupported, 1 4 false, 1 5 false, 2 3 error unsupported, 2 4 false, 2 5 false, 3 4 error unsupported, 3 5 error unsupported, 4 5 true ConcurrentTransactionException',
	'errors are told, pair by pair') FROM deltacc.contention('odd');
DELETE FROM deltacc.tables WHERE name = 'odd';

-- Neither is a log whose beginning is missing, or one that nobody can read.
INSERT INTO deltacc.tables (name) VALUES ('headless'), ('garbage'), ('empty');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, format(E'{"commitInfo":{"operation":"DELETE","readVersion":%s,"operationParameters":{"predicate":"[\\"(id#1 = 5)\\"]"}}}\n{"add":{"path":"a%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}', v - 2, v)::deltacc.actions
FROM deltacc.tables t, generate_series(1, 9) v WHERE (t.name = 'headless' AND v >= 7) OR (t.name = 'garbage' AND v <= 3);
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, 0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"nonsense","partitionColumns":[],"configuration":{},"createdTime":1}}'
FROM deltacc.tables t WHERE t.name = 'garbage';
SELECT is(string_agg(concat_ws(' ', winner_version, loser_version, delta, reads, row_level, regexp_replace(error, ':.*', '')), ', ' ORDER BY winner_version, loser_version), want, what)
FROM (VALUES ('headless', '8 9 the snapshot has no protocol action', 'a log without beginning'),
	('garbage', '1 2 invalid schemaString in the table''s metaData, 1 3 invalid schemaString in the table''s metaData, 2 3 invalid schemaString in the table''s metaData', 'a schema that is none'),
	('empty', '', 'a table without commits')) v(name, want, what)
LEFT JOIN LATERAL deltacc.contention(name) ON true GROUP BY want, what ORDER BY what;
SELECT is(string_agg(DISTINCT concat_ws(' ', version, outcome, regexp_replace(note, ':.*', '')), ', '), want, 'replay: ' || what)
FROM (VALUES ('headless', '8 unknown the version that it read is not held, 9 unknown what the table was at version 7 is not known', 'a log without beginning'),
	('garbage', '1 too wide the printed condition names a column that the table did not have, 2 unknown what the table was at version 0 is not known, 3 unknown what the table was at version 1 is not known', 'a schema that is none'),
	('empty', '', 'a table without commits')) v(name, want, what)
LEFT JOIN LATERAL deltacc.replay(name) ON true GROUP BY want, what ORDER BY what;
SELECT is(count(*), 3::bigint, 'the views have the other tables, too') FROM (SELECT DISTINCT table_name FROM deltacc.contention_by_operation WHERE table_name IN ('orders', 'headless', 'garbage')) v;
SELECT cmp_ok(count(*), '>', 1::bigint, '... those of replay as well') FROM deltacc.replay_summary WHERE table_name IN ('events', 'garbage') AND rules IS NOT NULL;
DELETE FROM deltacc.tables WHERE name IN ('headless', 'garbage', 'empty');

-- Nor is one with a hole: what is known after it doesn't depend on where one looks from.
INSERT INTO deltacc.tables (name) VALUES ('hole'), ('huge'), ('growing');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, CASE WHEN name = 'huge' AND v > 0 THEN v + 9223372036854775800 ELSE v END, format('%s{"add":{"path":"a%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}',
	CASE WHEN v IN (0, 4) THEN E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}\n'
		ELSE format(E'{"remove":{"path":"a%s","dataChange":true}}\n', v - 1) END, v)::deltacc.actions
FROM deltacc.tables t, generate_series(0, 7) v WHERE (name = 'hole' AND v <> 3) OR (name = 'huge' AND v NOT IN (1, 2, 3)) OR (name = 'growing' AND v < 2);
SELECT is(string_agg(concat_ws(' ', winner_version, loser_version, delta, regexp_replace(error, ':.*', '')), ', ' ORDER BY winner_version, loser_version), want, what)
FROM (VALUES (NULL::bigint, '1 2 t, 2 4 t, 5 6 version 3 is missing, 5 7 version 3 is missing, 6 7 version 3 is missing', 'a log with a hole'),
	(5, '5 6 version 3 is missing, 5 7 version 3 is missing, 6 7 version 3 is missing', '... from a version after it')) v(from_version, want, what)
CROSS JOIN LATERAL deltacc.contention('hole', 2, from_version) GROUP BY want, what ORDER BY what DESC;
DELETE FROM deltacc.commits USING deltacc.tables t WHERE commits.table_id = t.table_id AND name = 'huge' AND version = 0;
SELECT is(string_agg(concat_ws(' ', winner_version - 9223372036854775800, loser_version - 9223372036854775800, delta), ', ' ORDER BY winner_version, loser_version),
	'5 6 t, 5 7 t, 6 7 t', 'no sum of versions is too large') FROM deltacc.contention('huge', 9);
SELECT is(count(*), 12::bigint, 'without a distance: every pair') FROM deltacc.contention('hole', NULL);

-- An expression of PL/pgSQL sees what was written since it was asked last.
CREATE FUNCTION pg_temp.grow() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text := '';
	pair deltacc.pair_verdict;
BEGIN
	FOR v IN 2..5 LOOP
		INSERT INTO deltacc.commits (table_id, version, actions)
		SELECT table_id, v, format(E'{"remove":{"path":"a%s","dataChange":true}}\n{"add":{"path":"a%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}', v - 1, v)::deltacc.actions
		FROM deltacc.tables WHERE name = 'growing';
		pair := deltacc.pair_verdicts('growing', NULL, NULL, v - 1, v);
		result := result || coalesce(pair.delta::text, 'null') || ' ';
	END LOOP;
	RETURN result;
END $$;
SELECT is(pg_temp.grow(), 'true true true true ', 'an expression that lives on');
DELETE FROM deltacc.tables WHERE name IN ('hole', 'huge', 'growing');

-- Parallel plans give the same.
ANALYZE deltacc.commits;
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
-- What tests before this one left in the heap makes the index look cheap.
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_indexscan = off;
CREATE FUNCTION pg_temp.workers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN (regexp_match(plan::text, '"Workers Planned": (\d+)'))[1];
END $$;
SELECT ok(pg_temp.workers($$SELECT count(*) FROM deltacc.contention('orders') WHERE delta$$) > 0, 'contention is planned in parallel');
SELECT results_eq($$SELECT winner_version, loser_version, delta, data_skipping, row_level, path FROM deltacc.contention('accounts') ORDER BY 1, 2$$,
	$$SELECT winner_version, loser_version, delta, data_skipping, row_level, path FROM pair WHERE name = 'accounts' ORDER BY 1, 2$$, '... with the same result');
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET enable_bitmapscan;
RESET enable_indexscan;
SELECT is(bool_and(proparallel = 's'), true, 'all of it is parallel safe') FROM pg_proc
WHERE pronamespace = 'deltacc'::regnamespace AND proname IN ('contention', 'pair_verdicts', 'removed_files', 'table_id_of', 'replay', 'released_conflict', 'suggest', 'tested_conjuncts', 'simulate', 'simulated_verdict');

-- Views.
SELECT results_eq($$SELECT pairs, delta, write_serializable, data_skipping, sharp, unknown, share_avoided FROM deltacc.contention_by_operation WHERE table_name = 'orders' AND winner_operation = 'WRITE' AND loser_operation = 'UPDATE'$$,
	$$VALUES (45::bigint, 45::bigint, 0::bigint, 2::bigint, 2::bigint, 0::bigint, 0.956)$$, 'by operation');
SELECT is(sum(delta)::bigint, (SELECT count(*) FROM pair WHERE delta), 'by hour') FROM deltacc.contention_by_hour;
SELECT is(sum(delta)::bigint, (SELECT count(*) FROM pair WHERE delta), 'by partition') FROM deltacc.contention_by_partition;
SELECT is(sum(pairs)::bigint, (SELECT count(*) FROM pair), '... every pair') FROM deltacc.contention_by_partition;
SELECT results_eq($$SELECT pairs, delta, data_skipping FROM deltacc.contention_by_partition WHERE table_name = 'events' AND partition_values = '{"event_date": "2026-08-11"}'$$,
	$$SELECT count(*), count(*) FILTER (WHERE delta), count(*) FILTER (WHERE data_skipping) FROM pair WHERE name = 'events' AND partition_values = '{"event_date": "2026-08-11"}' HAVING count(*) > 0$$, '... one partition');

-- ----- replay -----
SELECT is(string_agg(DISTINCT version || ' past ' || passed::text, ', '), '10 past {9}, 13 past {12}, 17 past {16}, 20 past {19}, 24 past {23}, 27 past {26}', 'the six commits of events that raced')
FROM deltacc.replay('events');
SELECT is(count(*), 30::bigint, 'each under five sets of rules') FROM deltacc.replay('events');
SELECT is(count(*) FILTER (WHERE outcome <> 'ok' OR too_wide), 0::bigint, 'all of which let it pass') FROM deltacc.replay('events');
SELECT is(count(*), 0::bigint, 'nobody raced on orders') FROM deltacc.replay('orders');
SELECT is(count(*), 10::bigint, 'a range of versions') FROM deltacc.replay('events', 12, 18);

INSERT INTO deltacc.tables (name) VALUES ('raced');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"id\\",\\"type\\":\\"long\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(1, E'{"commitInfo":{"operation":"WRITE","readVersion":0,"isBlindAppend":true}}\n{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	-- allowed at its own level, and not at the table's
	(2, E'{"commitInfo":{"operation":"DELETE","readVersion":0,"isolationLevel":"WriteSerializable","isBlindAppend":false,"operationParameters":{"predicate":"[\\"(id#1L = 5)\\"]"}}}\n{"remove":{"path":"y","dataChange":true}}'),
	-- released Delta would have refused it at its level: what it read is not what the log shows
	(3, E'{"commitInfo":{"operation":"MERGE","readVersion":1,"isolationLevel":"Serializable","isBlindAppend":false,"operationParameters":{"predicate":"[\\"(id#1L = id#2L)\\"]"}}}\n{"remove":{"path":"z","dataChange":true}}'),
	(4, E'{"commitInfo":{"operation":"DELETE"}}\n{"remove":{"path":"a","dataChange":true}}'),
	(5, E'{"commitInfo":{"operation":"DELETE","readVersion":7}}\n{"remove":{"path":"x","dataChange":true}}'),
	(6, '{"txn":{"appId":"a","version":1}}')) v(v, a)
WHERE t.name = 'raced';
SELECT is(string_agg(concat_ws(' ', version, rules, outcome, too_wide, (conflict).winning_version, note), E'\n' ORDER BY version, rules), want, 'replay: version ' || v)
FROM (VALUES
	(2, E'2 Delta 4.4.0 conflict f 1\n2 WriteSerializable ok f\n2 data skipping conflict f 1\n2 row level conflict f 1\n2 sharp conflict f 1'),
	(3, E'3 Delta 4.4.0 too wide t 2 a MERGE is printed without saying which side a column is of\n3 WriteSerializable too wide t 2 a MERGE is printed without saying which side a column is of\n3 data skipping too wide t 2 a MERGE is printed without saying which side a column is of\n3 row level too wide t 2 a MERGE is printed without saying which side a column is of\n3 sharp too wide t 2 a MERGE is printed without saying which side a column is of'),
	(4, '4 unknown the commit does not say which version it read'),
	(5, '5 unknown the commit says that it read a version that came later'),
	(6, '6 unknown the commit does not say which version it read')) v(v, want)
LEFT JOIN deltacc.replay('raced') r ON r.version = v
GROUP BY v, want ORDER BY v;
-- Who found no table raced the one that made it.
INSERT INTO deltacc.tables (name) VALUES ('made twice');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, c.version, CASE c.version WHEN 0 THEN c.actions ELSE replace(c.actions::text, '"readVersion":0', '"readVersion":-1')::deltacc.actions END
FROM deltacc.commits c JOIN deltacc.tables t ON t.table_id = c.table_id AND t.name = 'raced', deltacc.tables n WHERE n.name = 'made twice' AND c.version < 2;
SELECT is(string_agg(DISTINCT concat_ws(' ', version, read_version, passed, outcome, (conflict).check_name, note), ', '), '1 -1 {0} too wide metadata its writer has rules that released Delta has not', 'a commit that read version -1') FROM deltacc.replay('made twice');
DELETE FROM deltacc.tables WHERE name = 'made twice';

SELECT results_eq($$SELECT rules, commits, ok, conflicts, too_wide, unknown FROM deltacc.replay_summary WHERE table_name = 'raced' ORDER BY rules COLLATE "C"$$,
	$$VALUES ('Delta 4.4.0', 2::bigint, 0::bigint, 1::bigint, 1::bigint, 0::bigint), ('WriteSerializable', 2, 1, 0, 1, 0), ('data skipping', 2, 0, 1, 1, 0), ('row level', 2, 0, 1, 1, 0), ('sharp', 2, 0, 1, 1, 0), (NULL, 3, 0, 0, 0, 3)$$,
	'... counted');

-- A name that was mistyped is no table whose commits never raced.
SELECT throws_ok($$SELECT * FROM deltacc.replay('nosuch')$$, '42704', 'table "nosuch" is not in deltacc.tables');
SELECT throws_ok($$SELECT * FROM deltacc.replay(NULL)$$, '22004', 'table_name must not be NULL');

SELECT * FROM finish();
ROLLBACK;
