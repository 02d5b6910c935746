-- What a commit read, as its own commitInfo shows it: never narrower than what
-- it really read.
\ir data/begin.psql
SELECT no_plan();

-- ----- the shipped logs -----
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null
CREATE TEMP TABLE logged AS
SELECT t.name, c.version, c.info ->> 'operation' AS operation, l.predicate, l.exact, l.note
FROM deltacc.tables t
JOIN LATERAL (
	SELECT version, deltacc.commit_info(actions) AS info, actions,
		deltacc.table_state(version, actions) OVER (ORDER BY version) AS state
	FROM deltacc.commits WHERE table_id = t.table_id) c ON true
LEFT JOIN LATERAL deltacc.logged_predicates(c.state, c.actions) l ON true;

SELECT is((SELECT predicate::text FROM logged WHERE name = n AND version = v), p, format('%s %s: %s', n, v, p))
FROM (VALUES
	('orders', 11, 'customer_id >= 0 AND customer_id <= 1000'),
	('orders', 15, 'TRUE'),
	('events', 9, 'event_date = DATE ''2026-08-10'' AND kind = ''buy'''),
	('events', 10, 'event_date = DATE ''2026-08-17'' AND event_id % 7 = 0'),
	('events', 15, 'TRUE'),
	('events', 32, 'event_date = ''2026-08-11'''),
	('accounts', 5, 'id = 0 OR id = 1000'),
	('accounts', 17, 'id = 542'),
	('accounts', 22, 'id % 97 = 0')) x(n, v, p);
SELECT is(count(*) FILTER (WHERE predicate IS NULL), count(*) FILTER (WHERE operation IN ('CREATE TABLE', 'ADD COLUMNS') OR (operation = 'WRITE' AND NOT (name = 'events' AND version = 32))),
	'no row for a blind append, one for any other commit') FROM logged;
SELECT is(bool_and(exact), true, 'an UPDATE or DELETE over numbers and dates is exact')
FROM logged WHERE operation IN ('UPDATE', 'DELETE') AND NOT predicate::text ~ 'kind';
SELECT is(bool_or(exact), false, 'what rests on a string literal is not exact') FROM logged WHERE predicate::text ~ 'kind';
SELECT is(bool_or(exact), false, 'what became TRUE is not exact') FROM logged WHERE predicate::text = 'TRUE';
SELECT is(count(*) FILTER (WHERE note IS NULL), 0::bigint, 'what is not exact says why') FROM logged WHERE NOT exact;

-- ----- the race corpus: the real reads are known -----
-- Never narrower: over a grid of files of one row each, what the real reads
-- select the logged ones do, too.
CREATE TEMP TABLE race AS SELECT pg_read_file(:'data' || '/corpus/race-transactions.json')::json AS doc;
CREATE TEMP TABLE race_layout AS
SELECT key AS layout, (SELECT deltacc.table_state((v - 1)::bigint, (SELECT string_agg(a #>> '{}', E'\n') FROM json_array_elements(c) a)::deltacc.actions)
	FROM json_array_elements(value) WITH ORDINALITY h(c, v)) AS snapshot
FROM race, json_each(doc -> 'history');
CREATE TEMP TABLE race_grid AS
SELECT layout, string_agg(json_build_object('add', json_build_object('path', format('p=%s/%s-%s', coalesce(p, 'null'), x, id),
	'partitionValues', CASE WHEN layout LIKE 'partitioned%' THEN json_build_object('p', p) ELSE '{}' END,
	'size', 1, 'modificationTime', 1, 'dataChange', true, 'stats', json_build_object('numRecords', 1,
		'minValues', json_strip_nulls(json_build_object('id', id, 'x', x, 'p', CASE WHEN layout LIKE 'partitioned%' THEN NULL ELSE p END)),
		'maxValues', json_strip_nulls(json_build_object('id', id, 'x', x, 'p', CASE WHEN layout LIKE 'partitioned%' THEN NULL ELSE p END)),
		'nullCount', json_build_object('id', 0, 'x', 0, 'p', (p IS NULL)::int))::text))::text, E'\n')::deltacc.actions AS files
FROM race_layout, unnest(ARRAY['a', 'A', 'aa', 'b', 'c', NULL]) p, unnest(ARRAY[1, 3, 5, 11]) x, unnest(ARRAY[1, 1000]) id
GROUP BY layout;
CREATE TEMP TABLE race_read AS
SELECT l ->> 'layout' AS layout, l ->> 'loser' AS loser, real.predicate AS real, log.predicate AS logged, log.exact
FROM race CROSS JOIN json_array_elements(doc -> 'losers') l
JOIN race_layout y ON y.layout = l ->> 'layout'
LEFT JOIN LATERAL deltacc.logged_predicates(y.snapshot, (l -> 'prepared_commit_info')::text::deltacc.actions) log ON true
CROSS JOIN LATERAL (
	SELECT coalesce(string_agg(CASE part WHEN 'UDF(partitionValues)' THEN 'p = ''a''' ELSE part END, ' AND '), 'true')::deltacc.predicate AS predicate, count(*) AS n
	FROM json_array_elements(l -> 'read_predicates') r
	CROSS JOIN LATERAL (SELECT json_array_elements_text(r -> 'partition') UNION ALL SELECT json_array_elements_text(r -> 'data')) p(part)) real
WHERE json_array_length(l -> 'read_predicates') > 0 OR log.predicate IS NOT NULL;
SELECT is(count(*) FILTER (WHERE logged IS NULL), 0::bigint, 'every transaction of the race corpus that read something has a logged read') FROM race_read;
SELECT is(count(*), 99::bigint, '... and no other') FROM race_read;
SELECT is((
	SELECT count(*) FROM deltacc.filter_files(y.snapshot, r.real, g.files) real
	JOIN deltacc.filter_files(y.snapshot, r.logged, g.files) log USING (path)
	WHERE real.kept AND NOT log.kept), 0::bigint, format('%s, %s: %s is not narrower than %s', layout, loser, logged, real))
FROM race_read r JOIN race_layout y USING (layout) JOIN race_grid g USING (layout);
SELECT is(count(*) FILTER (WHERE logged::text <> 'TRUE'), 39::bigint, 'and two of five of them say something') FROM race_read;

-- ----- shapes of printed expressions -----
CREATE FUNCTION pg_temp.snapshot() RETURNS deltacc.actions LANGUAGE sql IMMUTABLE AS $$
	SELECT (E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n' ||
		json_build_object('metaData', json_build_object('id', 'x', 'format', '{"provider":"parquet","options":{}}'::json,
			'schemaString', '{"type":"struct","fields":[' || string_agg(format('{"name":"%s","type":%s,"nullable":true,"metadata":{}}',
				split_part(c, ' ', 1), CASE WHEN c LIKE '%{%' THEN substr(c, strpos(c, ' ') + 1) ELSE to_json(split_part(c, ' ', 2))::text END), ',') || ']}',
			'partitionColumns', '["d"]'::json, 'configuration', '{}'::json, 'createdTime', 1)))::deltacc.actions
	FROM unnest(ARRAY['id long', 'x integer', 'sm short', 'name string', 'kind string', 'd date', 'ts timestamp', 'flag boolean',
		'amount decimal(12,2)', 'f float', 'dbl double', 'st {"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}}]}']) c $$;

CREATE FUNCTION pg_temp.read_of(operation text, parameters json) RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN exact THEN '' ELSE '~ ' END || predicate::text
	FROM deltacc.logged_predicates(pg_temp.snapshot(), json_build_object('commitInfo', json_build_object('operation', operation,
		'operationParameters', parameters))::text::deltacc.actions) $$;
CREATE FUNCTION pg_temp.printed(VARIADIC conditions text[]) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.read_of('DELETE', json_build_object('predicate', to_json(conditions)::text)) $$;

-- "~" marks what is not exact.
SELECT is(pg_temp.printed(p), want, p)
FROM (VALUES
	('(id#1L = 5)', 'id = 5'),
	('(id#1L <=> 5)', 'id <=> 5'),
	('(5 < id#1L)', 'id > 5'),
	('(5 >= id#1L)', 'id <= 5'),
	('(id#1L = -5)', 'id = -5'),
	('NOT (id#1L = 5)', 'NOT id = 5'),
	('((id#1L = 5) OR NOT (x#2 = 6))', 'id = 5 OR NOT x = 6'),
	('(((id#1L > 5) AND (x#2 = 6)) AND isnotnull(name#3))', 'id > 5 AND x = 6 AND name IS NOT NULL'),
	('id#1L IN (2,3,4)', 'id IN (2, 3, 4)'),
	('NOT id#1L IN (2,3,4)', 'NOT id IN (2, 3, 4)'),
	('d#4 IN (2026-08-11,2026-08-12)', 'd IN (DATE ''2026-08-11'', DATE ''2026-08-12'')'),
	('(d#4 >= 2026-08-11)', 'd >= DATE ''2026-08-11'''),
	('(amount#5 > 7.50)', 'amount > 7.50'),
	('(dbl#5 > 1.5)', 'dbl > 1.5D'),
	('(dbl#5 > 1.5E-7)', 'dbl > 1.5E-7D'),
	('(f#5 > 0.1)', 'f > 0.1F'),
	('(sm#5 > 1)', 'sm > 1S'),
	('(cast(sm#5 as int) > 1)', 'CAST(sm AS int) > 1'),
	('((id#1L % cast(2 as bigint)) = cast(0 as bigint))', 'id % CAST(2 AS bigint) = CAST(0 AS bigint)'),
	('(flag#6 AND (x#2 = 1))', 'flag AND x = 1'),
	('(flag#6 = false)', 'flag = FALSE'),
	('(st#7.a = 1)', 'st.a = 1'),
	('(year(d#4) = 2026)', 'year(d) = 2026'),
	('(x#2 = x#2)', 'x = x'),
	('true', 'TRUE'),
	('false', 'FALSE'),
	-- strings
	('(name#3 = Dennis)', '~ name = ''Dennis'''),
	('(name#3 = O Brien & Co)', '~ name = ''O Brien & Co'''),
	('(name#3 = )', '~ name = '''''),
	('(name#3 >= a\b)', '~ name >= ''a\\b'''),
	('((name#3 = a) AND (kind#8 = b))', '~ name = ''a'' AND kind = ''b'''),
	('(upper(name#3) = A)', '~ upper(name) = ''A'''),
	('(substring(name#3, 1, 2) = ab)', '~ substring(name, 1, 2) = ''ab'''),
	('(name#3 = 2026-08-11)', '~ name = ''2026-08-11'''),
	-- strings that could be something else
	('(name#3 = it''s)', '~ TRUE'),
	('(name#3 = "a")', '~ TRUE'),
	('(name#3 = a (b))', '~ TRUE'),
	('(name#3 = a) b)', '~ TRUE'),
	('(name#3 = a) OR (id#1L = 5)', '~ TRUE'),
	('(name#3 = a OR b)', '~ TRUE'),
	('(name#3 = a AND b)', '~ TRUE'),
	('(name#3 = kind#8)', '~ TRUE'),
	('(name#3 = null)', '~ TRUE'),
	('(Dennis = name#3)', '~ TRUE'),
	('name#3 IN (a,b)', '~ TRUE'),
	('name#3 LIKE abc%', '~ TRUE'),
	('(concat(name#3, 01) = a01)', '~ TRUE'),
	('((name#3 = a) AND (id#1L = 5) OR (x#2 = 1))', '~ TRUE'),
	('((name#3 = a) AND x OR (x#2 = 1))', '~ TRUE'),
	-- a part is lost, the rest holds
	('((id#1L < 5) AND name#3 LIKE a) OR%)', '~ id < 5'),
	('((d#4 = 2026-08-11) AND (name#3 = it''s))', '~ d = DATE ''2026-08-11'''),
	('((ts#9 >= 2026-03-01 00:00:00) AND (id#1L = 5))', '~ id = 5'),
	('((ts#9 >= 2026-03-01 00:00:00.123) OR (id#1L = 5))', '~ TRUE OR id = 5'),
	('((cast(ts#9 as date) = 2026-03-01) AND (id#1L = 5))', '~ id = 5'),
	('(NOT (ts#9 >= 2026-03-01 00:00:00) AND (id#1L = 5))', '~ id = 5'),
	('(NOT ((ts#9 >= 2026-03-01 00:00:00) AND (id#1L = 5)) AND (x#2 = 1))', '~ x = 1'),
	('(isnotnull(ts#9) AND (id#1L = 5))', 'ts IS NOT NULL AND id = 5'),
	('((amount#5 + 1.00) > 3.00)', '~ TRUE'),
	-- nothing of it is certain
	('id#1L IN (2,3,... 12 more fields)', '~ TRUE'),
	('(unknown#1 = 5)', '~ TRUE'),
	('(id#1 = 5)', '~ TRUE'),
	('(x#1L = 5)', '~ TRUE'),
	('((x#1 = 5) AND (x#2 = 6))', '~ TRUE'),
	('((x#1 = 5) AND (id#1L = 6))', '~ TRUE'),
	('(x#1 = 5', '~ TRUE'),
	('(x#1 = 5))', '~ TRUE'),
	('(x#1 = )', '~ TRUE'),
	('(x#1 = abc)', '~ TRUE'),
	('(x#1 == 5)', '~ TRUE'),
	('(x#1  = 5)', '~ TRUE'),
	('x#1 = 5', '~ TRUE'),
	('(x = 5)', '~ TRUE'),
	('(name = Dennis)', '~ TRUE'),
	('(''p = a)', '~ TRUE'),
	('(scalar-subquery#12 [] = x#1)', '~ TRUE'),
	('x#1', '~ TRUE'),
	('', '~ TRUE'),
	(repeat('(', 100000), '~ TRUE'),
	(repeat('NOT ', 100000) || 'flag#1', '~ TRUE')) v(p, want);

SELECT is(pg_temp.printed('(id#1L = 5)', '(name#2 = a)'), '~ id = 5 AND name = ''a''', 'several conditions are joined by AND');
SELECT is(pg_temp.printed('(id#1L = 5)', '(name#2 = a#b)'), '~ id = 5', '... those that can''t be read apart');

-- ----- by operation -----
SELECT is(pg_temp.read_of(operation, parameters::json), want, format('%s %s', operation, parameters))
FROM (VALUES
	('DELETE', '{"predicate":"[]"}', 'TRUE'),
	('DELETE', '{"predicate":null}', 'TRUE'),
	('DELETE', '{}', 'TRUE'),
	('DELETE', '{"predicate":["(id#1L = 5)"]}', 'id = 5'),
	('DELETE', '{"predicate":"[\"(id#1L = 5)\""}', '~ TRUE'),
	('DELETE', '{"predicate":"[5]"}', '~ TRUE'),
	('DELETE', '{"predicate":{"a":1}}', '~ TRUE'),
	('DELETE', '{"predicate":""}', '~ TRUE'),
	('UPDATE', '{"predicate":"(id#1L = 5)"}', 'id = 5'),
	('UPDATE', 'null', 'TRUE'),
	-- SQL, in the logs of old releases and of other writers
	('DELETE', '{"predicate":"[\"(`id` = 5L)\"]"}', 'id = 5L'),
	('DELETE', '{"predicate":"[\"(`name` = ''a'')\"]"}', 'name = ''a'''),
	('DELETE', '{"predicate":"name = ''a'' AND id > 3"}', 'name = ''a'' AND id > 3'),
	('DELETE', '{"predicate":"nosuch = 3"}', '~ TRUE'),
	('DELETE', '{"predicate":"id = = 3"}', '~ TRUE'),
	-- WRITE
	('WRITE', '{"mode":"Append"}', '~ TRUE'),
	('WRITE', '{"mode":"Overwrite"}', '~ TRUE'),
	('WRITE', '{"mode":"Overwrite","predicate":"d = ''2026-08-11'' AND name = ''a#b''"}', 'd = ''2026-08-11'' AND name = ''a#b'''),
	('WRITE', '{"mode":"Overwrite","predicate":"true"}', 'TRUE'),
	('WRITE', '{"mode":"Overwrite","predicate":"d = ''2026-08-11'' AND ts >= ''2026-08-11''"}', '~ d = ''2026-08-11'''),
	('WRITE', '{"mode":"Overwrite","predicate":"ts >= TIMESTAMP ''2026-08-11 00:00:00''"}', '~ TRUE'),
	('WRITE', '{"mode":"Overwrite","predicate":"d = ''2026-08-11''","isDynamicPartitionOverwrite":true}', '~ TRUE'),
	('WRITE', '{"mode":"Overwrite","predicate":"d = ''2026-08-11''","replaceUsingCols":"(d)"}', '~ TRUE'),
	-- MERGE
	('MERGE', '{"predicate":"[\"((id#1L = id#2L) AND (d#3 = 2026-08-11))\"]","notMatchedBySourcePredicates":"[]"}', '~ TRUE'),
	('MERGE', '{"predicate":"((s.`id` = t.`id`) AND (t.`d` = DATE ''2026-08-11''))"}', '~ d = DATE ''2026-08-11'''),
	('MERGE', '{"predicate":"source.id = target.id AND target.x > 3 AND source.x = 3"}', '~ x > 3'),
	('MERGE', '{"predicate":"s.id = t.id AND x > 3"}', '~ TRUE'),
	('MERGE', '{"predicate":"u.id = t.id AND t.x > 3"}', '~ TRUE'),
	('MERGE', '{"predicate":"t.id = s.id AND t.x > 3","notMatchedBySourcePredicates":"[{\"actionType\":\"delete\"}]"}', '~ TRUE'),
	('MERGE', '{}', '~ TRUE'),
	-- others
	('OPTIMIZE', '{"predicate":"[]"}', '~ TRUE'),
	('OPTIMIZE', '{"predicate":"[\"(''d = 2026-08-11)\"]"}', '~ TRUE'),
	('TRUNCATE', '{}', '~ TRUE'),
	('RESTORE', '{"version":3}', '~ TRUE'),
	('delete', '{"predicate":"[\"(id#1L = 5)\"]"}', '~ TRUE')) v(operation, parameters, want);

SET LOCAL deltacc.target_alias = 'u';
SELECT is(pg_temp.read_of('MERGE', '{"predicate":"u.id = t.id AND u.x > 3"}'), '~ x > 3', 'deltacc.target_alias says who the target is');
RESET deltacc.target_alias;
SET LOCAL TimeZone = 'Asia/Tokyo';
SELECT is(pg_temp.read_of('WRITE', '{"predicate":"ts >= ''2026-08-11''"}'), '~ TRUE', 'our time zone is not the writer''s');
SET LOCAL TimeZone = 'UTC';

SELECT is(count(*), 0::bigint, 'a blind append read nothing')
FROM deltacc.logged_predicates(pg_temp.snapshot(), '{"commitInfo":{"operation":"DELETE","isBlindAppend":true}}');
SELECT is(count(*) FILTER (WHERE predicate::text = 'TRUE' AND NOT exact), 1::bigint, '"true" as a text is no blind append')
FROM deltacc.logged_predicates(pg_temp.snapshot(), '{"commitInfo":{"operation":"WRITE","isBlindAppend":"true"}}');
SELECT is(count(*) FILTER (WHERE predicate::text = 'TRUE' AND NOT exact), 1::bigint, 'without a commitInfo everything may have been read')
FROM deltacc.logged_predicates(pg_temp.snapshot(), '{"add":{"path":"f","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}');
SELECT is(count(*) FILTER (WHERE predicate::text = 'TRUE' AND NOT exact), 1::bigint, 'a NUL ends no condition early')
FROM deltacc.logged_predicates(pg_temp.snapshot(), '{"commitInfo":{"operation":"WRITE","operationParameters":{"predicate":"id = 5\u0000 OR x = 1"}}}');
SELECT is((SELECT predicate::text FROM deltacc.logged_predicates('', '{"commitInfo":{"operation":"DELETE","operationParameters":{"predicate":"[\"(id#1L = 5)\"]"}}}')), 'TRUE', 'no table yet: no column');
SELECT throws_ok($$ SELECT * FROM deltacc.logged_predicates(NULL, '{"txn":{"appId":"a","version":1}}') $$, '22004');
SELECT throws_ok($$ SELECT * FROM deltacc.logged_predicates('', NULL) $$, '22004');
SELECT volatility_is('deltacc', 'logged_predicates', ARRAY['deltacc.actions', 'deltacc.actions'], 'stable');
SELECT is(proparallel, 's'::"char", 'parallel safe') FROM pg_proc WHERE oid = 'deltacc.logged_predicates'::regproc;

SELECT * FROM finish();
ROLLBACK;
