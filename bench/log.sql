-- The logs that the benchmarks run on: deterministic, of any size.  Each file
-- has its place k among n; the bounds of its columns lie between k and half way
-- to k + 1, so that there are gaps which no file reaches into, and the files
-- come in no order.

CREATE SCHEMA bench;

-- Column c of the logs: its kind goes by its number.
CREATE FUNCTION bench.kind(c int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN (ARRAY['long', 'double', 'string', 'date', 'decimal', 'timestamp'])[(c - 1) % 6 + 1];

CREATE FUNCTION bench.name(c int) RETURNS text LANGUAGE sql IMMUTABLE
RETURN bench.kind(c) || '_' || c;

-- A bound of column c as JSON, as a template of format(): %1$s is k, %2$s k with
-- leading zeros, %3$s a date, %4$s a time.
CREATE FUNCTION bench.bound(c int, upper boolean) RETURNS text LANGUAGE sql IMMUTABLE
RETURN CASE bench.kind(c)
	WHEN 'long' THEN '%1$s' || CASE WHEN upper THEN 4 ELSE 0 END || lpad((c % 100)::text, 2, '0')
	WHEN 'double' THEN '%1$s.' || CASE WHEN upper THEN 6 ELSE 1 END || lpad((c % 100)::text, 2, '0') || '5'
	WHEN 'string' THEN '"customer-%2$s-' || CASE WHEN upper THEN 'm' ELSE 'a' END || '"'
	WHEN 'date' THEN '"%3$s"'
	WHEN 'decimal' THEN '%1$s.' || CASE WHEN upper THEN 6 ELSE 1 END || '5'
	WHEN 'timestamp' THEN '"%4$s.' || CASE WHEN upper THEN '500' ELSE '000' END || 'Z"'
END;

-- The stats of a file with that many columns, as a template: %5$s is a count of NULLs.
CREATE FUNCTION bench.stats(columns int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT format('{"numRecords":1000,"minValues":{%s},"maxValues":{%s},"nullCount":{%s}}',
		string_agg(format('"%s":%s', bench.name(c), bench.bound(c, false)), ',' ORDER BY c),
		string_agg(format('"%s":%s', bench.name(c), bench.bound(c, true)), ',' ORDER BY c),
		string_agg(format('"%s":%s', bench.name(c), '%5$s'), ',' ORDER BY c))
	FROM generate_series(1, $1) AS c
$$;

CREATE FUNCTION bench.path(f bigint) RETURNS text LANGUAGE sql IMMUTABLE
RETURN format('part-%s-%s-c000.snappy.parquet', lpad(f::text, 8, '0'), md5(f::text)::uuid);

CREATE FUNCTION bench.day(k bigint) RETURNS date LANGUAGE sql IMMUTABLE
RETURN DATE '1990-01-01' + 2 * (k % 8000)::int;

-- The adds of files [first, first + n), one line each.
CREATE FUNCTION bench.adds(first bigint, n bigint, columns int) RETURNS TABLE (file bigint, line text) LANGUAGE sql STABLE AS $$
	-- once for all files
	WITH t AS MATERIALIZED (
		SELECT '{"add":{"path":"%6$s","partitionValues":{},"size":%7$s,"modificationTime":%8$s,"dataChange":true,"stats":'
			|| to_json(bench.stats($3)) || '}}' AS template
	)
	SELECT f, format(t.template, k, lpad(k::text, 8, '0'), bench.day(k),
		to_char(TIMESTAMP '2020-01-01' + k * INTERVAL '1 second', 'YYYY-MM-DD"T"HH24:MI:SS'), f % 7, bench.path(f), 100000 + f, 1700000000000 + f)
	FROM t, generate_series($1, $1 + $2 - 1) AS f, LATERAL (SELECT $1 + (f - $1) * 7919 % $2 + 1) AS p(k)
$$;

CREATE FUNCTION bench.removes(first bigint, n bigint) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT coalesce(string_agg(format('{"remove":{"path":"%s","deletionTimestamp":1700000000000,"dataChange":true}}' || E'\n', bench.path(f)), '' ORDER BY f), '')
	FROM generate_series($1, $1 + $2 - 1) AS f
$$;

-- Protocol and metaData of a table of that many columns.
CREATE FUNCTION bench.table_lines(columns int) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || format(
		'{"metaData":{"id":"5fba94ed-9794-4965-ba6e-6ee3c0d22af9","format":{"provider":"parquet","options":{}},"schemaString":%s,"partitionColumns":[],"configuration":{},"createdTime":1700000000000}}',
		to_json(format('{"type":"struct","fields":[%s]}', string_agg(format('{"name":"%s","type":"%s","nullable":true,"metadata":{}}', bench.name(c),
			replace(bench.kind(c), 'decimal', 'decimal(14,2)')), ',' ORDER BY c)))) || E'\n'
	FROM generate_series(1, $1) AS c
$$;

-- What an UPDATE of a range of long_1 says of itself.
CREATE FUNCTION bench.update_info(version bigint, low bigint, high bigint) RETURNS text LANGUAGE sql STABLE
RETURN format('{"commitInfo":{"timestamp":%s,"operation":"UPDATE","operationParameters":{"predicate":"[\"((long_1#1L >= %s) AND (long_1#1L < %s))\"]"},"readVersion":%s,"isolationLevel":"WriteSerializable","isBlindAppend":false}}' || E'\n',
	1700000000000 + version * 1000, low, high, version - 1);

-- Enters a table of so many versions of so many files each.  A version rewrites
-- some of the files of the one before, and reads the range of its own files and
-- of those two versions on.
CREATE FUNCTION bench.enter_table(name text, versions bigint, files bigint, rewritten bigint, columns int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO deltacc.tables (name, location) VALUES ($1, '/lake/' || $1);
	INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT t.table_id, v, (CASE WHEN v = 0 THEN bench.table_lines($5) ELSE '' END
		|| bench.update_info(v, v * $3 * 1000, (v + 3) * $3 * 1000)
		|| (SELECT string_agg(a.line || E'\n', '' ORDER BY a.file) FROM bench.adds(v * $3, $3, $5) AS a)
		|| CASE WHEN v > 0 THEN bench.removes((v - 1) * $3, $4) ELSE '' END)::deltacc.actions
	FROM deltacc.tables AS t, generate_series(0, $2 - 1) AS v
	WHERE t.name = $1;
	SELECT deltacc.keep_snapshots($1);
$$;

-- The kinds that stored commits are checked by: two conditions on column c that
-- each hold for about half of n files, and both for none; and the same as
-- PostgreSQL compares the bounds of typed columns.
CREATE FUNCTION bench.gap(c int, n bigint) RETURNS TABLE (kind text, sql_type text, spark text, pg text) LANGUAGE sql STABLE AS $$
	SELECT bench.kind($1), t, format('%1$s > %2$s AND %1$s < %3$s', bench.name($1), low, high),
		format('%%1$s > %1$s::%3$s AND %%2$s < %2$s::%3$s', replace(low, 'D', ''), replace(high, 'D', ''), t)
	FROM (SELECT n / 2 AS k) AS _, LATERAL (VALUES
		('long', 'bigint', k || '600', k || '700'),
		('double', 'float8', k || '.75D', k || '.875D'),
		('string', 'text', format('''customer-%s-p''', lpad(k::text, 8, '0')), format('''customer-%s-q''', lpad(k::text, 8, '0'))),
		('date', 'date', format('''%s''', bench.day(LEAST(k, 4000))), format('''%s''', bench.day(LEAST(k, 4000)) + 2)),
		('decimal', 'numeric', k || '.75', k || '.80'),
		('timestamp', 'timestamptz', format('''%sZ''', TIMESTAMP '2020-01-01' + k * INTERVAL '1 second' + INTERVAL '0.7 second'),
		 format('''%sZ''', TIMESTAMP '2020-01-01' + k * INTERVAL '1 second' + INTERVAL '0.9 second'))) AS v(kind, t, low, high)
	WHERE v.kind = bench.kind($1)
$$;

-- A list of n numbers, none of them in a file's range.
CREATE FUNCTION bench.in_list(n int, files bigint) RETURNS text LANGUAGE sql STABLE AS $$
	SELECT 'long_1 IN (' || string_agg((1 + i * ($2 + 1) / $1) || '700', ', ' ORDER BY i) || ')' FROM generate_series(0, $1 - 1) AS i
$$;
