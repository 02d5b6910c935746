-- The plans that the backend keeps: made once, never the wrong one, never gone
-- while in use.
\ir data/begin.psql
SELECT no_plan();

CREATE FUNCTION pg_temp.snapshot(type text, configuration text DEFAULT '{}') RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT (E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n' ||
		jsonb_build_object('metaData', jsonb_build_object('id', 'x', 'format', '{"provider":"parquet","options":{}}'::jsonb,
			'schemaString', format('{"type":"struct","fields":[{"name":"a","type":"%s","nullable":true,"metadata":{}}]}', type),
			'partitionColumns', '[]'::jsonb, 'configuration', configuration::jsonb, 'createdTime', 1))::text)::deltacc.actions $$;

CREATE FUNCTION pg_temp.counter(what text) RETURNS bigint LANGUAGE sql VOLATILE AS
$$ SELECT value FROM deltacc.counters() WHERE name = what $$;

CREATE TEMP TABLE before AS SELECT pg_temp.counter('plans built') AS built, pg_temp.counter('plans reused') AS reused;
CREATE FUNCTION pg_temp.since(OUT built bigint, OUT reused bigint) LANGUAGE plpgsql VOLATILE AS $$
BEGIN
	built := pg_temp.counter('plans built') - b.built FROM before b;
	reused := pg_temp.counter('plans reused') - b.reused FROM before b;
	UPDATE before b SET built = pg_temp.counter('plans built'), reused = pg_temp.counter('plans reused');
END $$;

CREATE TEMP TABLE s AS SELECT pg_temp.snapshot('long') AS s;
SELECT count(deltacc.skip_expression(s, 'a = 1')) FROM s, generate_series(1, 100);
SELECT is(pg_temp.since()::text, '(1,99)', 'one predicate is bound once');

SELECT count(deltacc.skip_expression(s, ('a = ' || n % 10)::deltacc.predicate)) FROM s, generate_series(1, 100) n;
SELECT is((pg_temp.since()).built BETWEEN 9 AND 10, true, 'so are ten that alternate');

-- what a plan depends on
SELECT is(deltacc.skip_expression(pg_temp.snapshot(t), 'a = 1'), e, 'by schema: ' || t)
FROM (VALUES ('long', 'MIN(a) <= 1 AND MAX(a) >= 1'), ('integer', 'MIN(a) <= 1 AND MAX(a) >= 1'), ('boolean', NULL), ('long', 'MIN(a) <= 1 AND MAX(a) >= 1')) c(t, e)
WHERE t <> 'boolean';
SELECT is(deltacc.skip_expression(pg_temp.snapshot('long', '{"delta.dataSkippingNumIndexedCols":"0"}'), 'a = 1'), NULL, 'by configuration');
SET LOCAL TimeZone = 'Europe/Berlin';
SELECT is(deltacc.skip_expression(pg_temp.snapshot('timestamp'), 'a > ''2026-08-12 12:00:00Z'''), 'MAX(a) > TIMESTAMP ''2026-08-12 14:00:00''', 'by time zone');
SET LOCAL TimeZone = 'UTC';
SELECT is(deltacc.skip_expression(pg_temp.snapshot('timestamp'), 'a > ''2026-08-12 12:00:00Z'''), 'MAX(a) > TIMESTAMP ''2026-08-12 12:00:00''', '... and back');
-- ... and the table's own name
SELECT is((deltacc.first_conflict(pg_temp.snapshot('integer'), '{"add":{"path":"f","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":1,\"minValues\":{\"a\":9},\"maxValues\":{\"a\":9},\"nullCount\":{\"a\":0}}"}}',
	ARRAY['orders.a < 5'], isolation => 'Serializable', table_name => name)).path, path, 'a read of orders.a, in table ' || name)
FROM (VALUES ('lake.orders', NULL), ('lake.events', 'f'), ('orders', NULL)) v(name, path);
-- ... and whether chance is evaluated
SELECT is((SELECT string_agg(kept::text, ' ' ORDER BY n) FROM (SELECT n, set_config('deltacc.widen_nondeterministic', setting, true) AS now
		FROM unnest('{off,on,off}'::text[]) WITH ORDINALITY x(setting, n) OFFSET 0) AS s,
	LATERAL deltacc.filter_files(pg_temp.snapshot('integer'), (CASE WHEN now IS NOT NULL THEN 'rand() < 0' END)::deltacc.predicate, '{"add":{"path":"f","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}')),
	'false true false', 'whether chance is evaluated');
RESET deltacc.widen_nondeterministic;
SELECT is((SELECT kind FROM deltacc.explain_predicate(s, 'x.a = 1')), 'join', 'by alias: another relation') FROM s;
SET LOCAL deltacc.target_alias = 'x';
SELECT is((SELECT kind FROM deltacc.explain_predicate(s, 'x.a = 1')), 'data', 'by alias: the table') FROM s;
RESET deltacc.target_alias;

-- more predicates than the cache holds, all in use in one statement
SELECT is(count(*), 1000::bigint, 'a thousand predicates in one statement')
FROM (SELECT n, deltacc.skip_expression(s, ('a > ' || n)::deltacc.predicate) AS e FROM s, generate_series(1, 1000) n OFFSET 0) x
WHERE e LIKE 'MAX(a) > ' || n || '%';
SELECT is(count(*), 2000::bigint, 'and set-returning, interleaved')
FROM generate_series(1, 1000) n, s,
	 LATERAL (SELECT * FROM deltacc.explain_predicate(s, ('a > ' || n || ' AND a < 5')::deltacc.predicate)) e;

-- an ERROR on the way leaves nothing behind
SELECT throws_ok($$ SELECT deltacc.skip_expression(s, 'nosuch = 1') FROM s $$, '42703') FROM generate_series(1, 3);
SELECT is(deltacc.skip_expression(s, 'a = 1'), 'MIN(a) <= 1 AND MAX(a) >= 1', 'after errors') FROM s;

-- a long list
SELECT is(length(deltacc.skip_expression(s, ('a IN (' || (SELECT string_agg(n::text, ',') FROM generate_series(1, 100000) n) || ')')::deltacc.predicate)) < 100, true, 'an IN list of 100,000 values is one range') FROM s;

SELECT * FROM finish();
ROLLBACK;
