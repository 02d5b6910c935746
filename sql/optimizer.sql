-- What Spark's optimizer makes of a condition before Delta sees it: right is
-- what Delta 4.4.0 on Spark 4.1.4 gets to see.
\set ON_ERROR_STOP 0
\pset format unaligned
\pset tuples_only on
SET TimeZone = 'UTC';

CREATE TEMP TABLE t AS SELECT
'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}
{"metaData":{"id":"00000000-0000-4000-8000-000000000003","format":{"provider":"parquet","options":{}},"schemaString":"{\"type\":\"struct\",\"fields\":[{\"name\":\"a\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"b\",\"type\":\"integer\",\"nullable\":true,\"metadata\":{}},{\"name\":\"l\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}},{\"name\":\"y\",\"type\":\"byte\",\"nullable\":true,\"metadata\":{}},{\"name\":\"f\",\"type\":\"float\",\"nullable\":true,\"metadata\":{}},{\"name\":\"d\",\"type\":\"double\",\"nullable\":true,\"metadata\":{}},{\"name\":\"e\",\"type\":\"decimal(10,2)\",\"nullable\":true,\"metadata\":{}},{\"name\":\"s\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},{\"name\":\"dt\",\"type\":\"date\",\"nullable\":true,\"metadata\":{}},{\"name\":\"ts\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}},{\"name\":\"nt\",\"type\":\"timestamp_ntz\",\"nullable\":true,\"metadata\":{}},{\"name\":\"bo\",\"type\":\"boolean\",\"nullable\":true,\"metadata\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}'::deltacc.actions AS snapshot;

CREATE FUNCTION pg_temp.conjuncts(p text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(conjunct, '; ' ORDER BY n)
   FROM t, deltacc.explain_predicate(t.snapshot, p::deltacc.predicate) WITH ORDINALITY AS e(conjunct, kind, usable, skip_expression, reason, advice, n) $$;
CREATE FUNCTION pg_temp.show(VARIADIC text[]) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT p || '   ->   ' || pg_temp.conjuncts(p) FROM unnest($1) WITH ORDINALITY AS x(p, n) ORDER BY n $$;

-- constants
SELECT pg_temp.show('a = 1 + 2', 'a = 6 / 2', 'a = 7 DIV 2', 'a = abs(-3)', '1 = 1', '1 = 2', 'a > 1 AND 1 = 2', 'a > 1 OR 1 = 1', '1 = 2 OR a = 3',
	's = concat(''a'', ''b'')', 'dt > date_add(DATE ''2024-12-30'', 1)', 'dt > last_day(DATE ''2024-12-01'')', 'a + 0 = 3', 'a * 1 = 3', '2 * a > 200',
	'1 + a + 2 = 4', 'a + 1 = 3', 'a - 1 > 90');
-- what would raise stays, and so keeps every file
SELECT pg_temp.show('a = 1 / 0', 'a = ''x''', 'd = ''x''', 'dt = ''x''', 'ts > ''''', 'a = 2147483647 + 1');

-- NULL
SELECT pg_temp.show('a = NULL', 'NOT (a > NULL)', 'a <=> NULL', 'NULL <=> a', 'a = 3 OR NULL', 'a = 3 AND NULL', 'a IN (NULL)', 'NULL IN (a, 3)',
	's LIKE NULL', 'startswith(s, NULL)', 'a IS DISTINCT FROM NULL', 'coalesce(NULL, a, NULL) = 3', 'coalesce(a, 3, b) = 3', '(a IS NULL) IS NULL',
	'(a <=> 3) IS NULL', '(a > 3) IS NULL', '(a = 3) IS NULL', 'NOT ((a > 3) IS NULL)', '(a > 3 OR b > 3) IS NULL', '(NOT bo) IS NULL');
-- a null check is carried inwards before the cast is seen through; IS NOT NULL sees through it
SELECT pg_temp.show('(a > 65L) IS NULL', '(a > 65L) IS NOT NULL', '(nt > TIMESTAMP ''2024-01-01 00:00:00'') IS NOT NULL');

-- AND, OR, NOT
SELECT pg_temp.show('NOT (a > 5)', 'NOT (a <= 5)', 'NOT a = 7', 'NOT (a <=> 7)', 'NOT NOT a = 7', 'NOT (a > 3 AND b > 3)', 'NOT (a > 3 OR b > 3)',
	'NOT (a IS NULL)', 'NOT true', '(a = 3 AND b = 3) OR (a = 60 AND b = 3)', '(a = 3 OR b = 3) AND (a = 3 OR b = 4)', 'a = 3 AND b = 4 AND a = 3',
	'a = 3 OR 3 = a', 'a > 5 AND a <= 5', 'a > 5 OR a <= 5', 'bo AND NOT bo', 'bo = false OR bo', 'a IS NULL AND a IS NOT NULL',
	'NOT (NOT b IS NULL OR (a = 3 AND b IS NULL))');

-- comparisons
SELECT pg_temp.show('bo = true', 'true = bo', 'bo = false', 'NOT bo = false', 'bo <=> true', '(a > 100) = false', '(a > 100) IS TRUE',
	'(a != 3.5) IS TRUE', '(a = 3.5) IS TRUE', 'a <=> a', 'a = a', 'a >= a', '7 BETWEEN a AND b', 'a !> 3', 'a = b');

-- IN
SELECT pg_temp.show('a IN (3)', 'a NOT IN (3)', 'a IN (3, 4, 3)', 'a IN (3, NULL)', 'a IN (3, 5000000000)', 'a IN (3.5)', 'y IN (300, 400)',
	'a IN (''3'', 4)', 'a IN (3.0, 4.5, 5)', 'a IN (b, 3)', 'a IN (a)', 's IN (1, 2)', 'f IN (6.5, 0.1)', 'bo IN (true)',
	'dt IN (''2024-02-01'', DATE ''2024-02-05'')');

-- a literal in the column's type: integers
SELECT pg_temp.show('a > 3.5', 'a >= 3.5', 'a < 3.5', 'a <= 3.5', 'a = 3.5', 'a != 3.5', 'a <=> 3.5', '3.5 > a', 'a > -3.5D', 'a = 3F',
	'a = 2147483648', 'a < 2147483648', 'a <> 2147483648', 'a <=> 2147483648', 'a < 99999999999999999999', 'a = 99999999999999999999', 'a <= 2147483647L',
	'a < 2147483647L', 'a > 2147483647L', 'a >= -2147483648L', 'a <= -2147483648L', 'y = 300', 'y < 300', 'y = 127L', 'l = 3.5', 'l > 5000000000',
	'l = 3D', 'l = 9223372036854775808', 'a BETWEEN 5.5 AND 6.5', 'CAST(a AS DOUBLE) > 90.5D', 'CAST(a AS FLOAT) = 100', 'CAST(a AS FLOAT) > 90.5F',
	'CAST(l AS INT) = 100', 'a::bigint = 100', 'TRY_CAST(a AS BIGINT) = 100');
-- floats, doubles and decimals
SELECT pg_temp.show('f = 0.1', 'f = 0.1F', 'f > 90.6', 'f > 90.5', 'f > 1e40', 'f < -1e40', 'f > double(''NaN'')', 'f >= double(''NaN'')', 'f = 3',
	'd = 3', 'd > 90.5F', 'd = -0.0', 'e > 90', 'e >= 90.755', 'e > 90.755', 'e < 90.755', 'e = 3.145', 'e = 3D', 'e > ''90.75''', 'e > 99999999999', 'e = CAST(3 AS DECIMAL(38,10))');
-- dates and timestamps
SELECT pg_temp.show('dt = TIMESTAMP ''2024-02-01 12:00:00''', 'dt = TIMESTAMP ''2024-02-01 00:00:00''', 'dt > TIMESTAMP ''2024-02-01 12:00:00''',
	'dt >= TIMESTAMP ''2024-02-01 12:00:00''', 'dt < TIMESTAMP ''2024-02-01 12:00:00''', 'dt <= TIMESTAMP ''2024-02-01 12:00:00''',
	'dt <=> TIMESTAMP ''2024-02-01 12:00:00''', 'TIMESTAMP ''2024-02-01 12:00:00'' >= dt', 'ts > DATE ''2024-12-31''', 'nt > TIMESTAMP ''2024-12-31 00:00:00''',
	'CAST(ts AS DATE) = DATE ''2024-12-31''', 'CAST(ts AS DATE) > DATE ''2024-12-31''', 'CAST(ts AS DATE) <= DATE ''2024-12-31''',
	'to_date(ts) < ''2024-12-31''', 'CAST(ts AS DATE) <=> DATE ''2024-12-31''', 'CAST(dt AS TIMESTAMP) > TIMESTAMP ''2025-01-01 00:00:00''',
	'year(dt) = 2025', 'date_trunc(''DAY'', ts) > TIMESTAMP ''2025-01-01''', 'dt + INTERVAL 1 DAY > DATE ''2025-01-01''');
-- in the session's time zone
SET TimeZone = 'America/New_York';
SELECT pg_temp.show('CAST(ts AS DATE) = DATE ''2024-11-03''', 'ts > DATE ''2024-03-10''', 'dt >= TIMESTAMP ''2024-02-01 05:00:00Z''',
	'nt > TIMESTAMP ''2024-11-03 05:30:00Z''', 'nt > TIMESTAMP ''2024-11-03 06:30:00Z''');
SET TimeZone = 'UTC';

-- LIKE
SELECT pg_temp.show('s LIKE ''a%''', 's LIKE ''a%%''', 's LIKE ''xyz''', 's LIKE ''''', 's LIKE ''%''', 's LIKE ''%z''', 's LIKE ''%z%''', 's LIKE ''a%b''',
	's LIKE ''é%b''', 's LIKE ''a_''', 's LIKE r''a\%%''', 's LIKE ''a!%%'' ESCAPE ''!''', 's LIKE ''a%'' ESCAPE ''!''', 's LIKE ''a%b%c''', 's NOT LIKE ''a%''', 'a LIKE ''1%''');

-- IF and CASE
SELECT pg_temp.show('IF(a > 3, true, false)', 'IF(a > 3, false, true)', 'IF(a IS NULL, true, false)', 'CASE WHEN a > 100 THEN true ELSE false END',
	'IF(a > 100, b > 3, false)', 'IF(true, a > 1, b > 1)', 'IF(NULL, a > 1, b > 1)', 'IF(a > 1, b > 1, b > 1)', 'CASE WHEN false THEN a > 1 WHEN true THEN b > 1 ELSE bo END',
	'nullif(a, 3) = 3', 'nullif(a, 3) IS NULL', 'IF(a IS NULL, 0, 1) = 0', 'CASE WHEN a = 1 THEN ''x'' WHEN a = 2 THEN ''y'' END = ''y''', 'IF(a IS NULL, NULL, false)',
	'IF(a IS NULL, NULL, true)', 'IF(a > 1 AND NULL, b = 1, b = 2)');

-- long chains and lists
SELECT n, length(pg_temp.conjuncts(p)) FROM (VALUES
	(1, (SELECT string_agg('a = ' || i, ' OR ') FROM generate_series(1, 20000) i)),
	(2, 'NOT (' || (SELECT string_agg('a = ' || i, ' OR ') FROM generate_series(1, 20000) i) || ')'),
	(3, (SELECT string_agg('(b = 5 AND a = ' || i || ')', ' OR ') FROM generate_series(1, 20000) i)),
	(4, (SELECT string_agg('a = ' || i % 3, ' OR ') FROM generate_series(1, 20000) i)),
	(5, 'a IN (' || (SELECT string_agg(i || '.0', ', ') FROM generate_series(1, 100000) i) || ')'),
	(6, 'a IN (' || (SELECT string_agg((i % 2)::text, ', ') FROM generate_series(1, 100000) i) || ')')) v(n, p);
