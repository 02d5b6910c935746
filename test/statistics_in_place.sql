-- Statistics are read where they stand if they are written in the usual way, and
-- from a copy if they aren't: the index of the commit has to be the same.
\ir data/begin.psql
SELECT plan(14);
SELECT setseed(0.25);

CREATE FUNCTION pg_temp.pick(VARIADIC a text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT a[1 + floor(random() * cardinality(a))::int] $$;

CREATE FUNCTION pg_temp.value(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	n text := (random() * 1e6)::int::text;
BEGIN
	IF depth > 0 AND random() < 0.2 THEN
		RETURN pg_temp.object(depth - 1);
	END IF;
	RETURN pg_temp.pick(n, n, n, '-' || n, '-0', '0', '1' || repeat('0', 17), '1' || repeat('0', 18), '9223372036854775808', n || '.25', n || '.5e3', 'NaN', '-Infinity', '+INF',
		'true', 'false', 'null', '[1, 2]', '"v' || n || '"', '"v' || n || '"', '""', '"a b''c"', '"2024-01-02"', '"2024-01-02T03:04:05.006Z"', '"ünïcode"',
		'"a\"b"', '"a\\b"', '"\u0041"', '''single''', '{}');
END $$;

CREATE FUNCTION pg_temp.object(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	result text := '';
	-- mostly the same keys in the same order, as the writers leave them
	usual boolean := random() < 0.7;
BEGIN
	FOR i IN 1..5 LOOP
		IF usual OR random() < 0.6 THEN
			result := result || CASE WHEN result = '' THEN '' ELSE ',' END
				|| CASE WHEN usual THEN format('"c%s"', i) ELSE pg_temp.pick('"c1"', '"c2"', '"c3"', '"s"', '"a b"', '""', '"long name of a column"', '"q\"uote"', '"k\u0061"') END
				|| ':' || CASE WHEN usual AND random() < 0.8 THEN (i * random() * 1000)::int::text ELSE pg_temp.value(depth) END;
		END IF;
	END LOOP;
	RETURN '{' || result || '}';
END $$;

CREATE FUNCTION pg_temp.stats() RETURNS text LANGUAGE sql VOLATILE AS $$
	SELECT pg_temp.pick('{"numRecords":', '{"tightBounds":true,"numRecords":', '{"numRecords":7,"numRecords":', '{"extra":"x","numRecords":')
		|| pg_temp.pick('10', '10', '10', '0', '"10"', 'null', '{"a":1}')
		|| ',"minValues":' || pg_temp.object(2) || ',"maxValues":' || pg_temp.object(2)
		|| pg_temp.pick('', '', '', ',"minValues":' || pg_temp.object(1), ',"maxValues":null')
		|| ',"nullCount":' || pg_temp.object(1) || pg_temp.pick('}', '}', '}', '}', ',"nullCount":5}', '', ' }')
$$;

-- A line with some statistics: the usual one, and those that only odd writers leave.
CREATE FUNCTION pg_temp.line(f int, stats text, other text, kind int) RETURNS text LANGUAGE sql IMMUTABLE AS $$
	SELECT replace(replace(replace((ARRAY[
		'{"add":{"path":"f%f","partitionValues":{},"dataChange":true,"stats":%s}}',
		'{"add":{"stats":%s,"path":"f%f","partitionValues":{"p":"1"},"dataChange":true}}',
		'{"add":{"path":"f%f","stats":%o,"dataChange":true,"stats":%s}}',
		'{"add":{"path":"f%f","stats":%s,"stats":null}}',
		'{"add":{"path":"f%f","stats":%s},"remove":{"path":"r%f","stats":%o}}',
		'{"add":{"path":"g","stats":%o},"add":{"path":"f%f","stats":%s}}',
		'{"add":{"path":"f%f","stats":%s},"add":null,"remove":{"path":"r%f"}}',
		'{"add":{"path":"f%f","stats":%s},"commitInfo":{"operation":"WRITE"}}',
		'{"remove":{"path":"r%f","stats":%s}}'])[kind], '%f', f::text), '%s', to_json(stats)::text), '%o', to_json(other)::text)
$$;

-- Each commit three times: as it is; with a blank before the statistics, which
-- makes the reader give up at once; and with something after them, so that it
-- gives up when all of it is in the columns.
CREATE TEMP TABLE lines AS
SELECT c, f, pg_temp.stats() AS stats, pg_temp.stats() AS other, CASE WHEN random() < 0.6 THEN 1 ELSE 1 + floor(random() * 9)::int END AS kind
FROM generate_series(1, 150) AS c, generate_series(1, 40) AS f;
CREATE TEMP TABLE commits AS
SELECT c, string_agg(pg_temp.line(f, stats, other, kind), E'\n' ORDER BY f)::deltacc.actions AS plain,
	string_agg(pg_temp.line(f, ' ' || stats, ' ' || other, kind), E'\n' ORDER BY f)::deltacc.actions AS blank_before,
	string_agg(pg_temp.line(f, stats || ' x', other || ' x', kind), E'\n' ORDER BY f)::deltacc.actions AS more_behind
FROM lines GROUP BY c;

CREATE FUNCTION pg_temp.index_of(deltacc.actions) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(':', section, key, bytes), ' ' ORDER BY section, key) FROM deltacc.actions_layout($1) WHERE section <> 'text' $$;
SELECT is((SELECT count(*) FROM commits WHERE pg_temp.index_of(plain) <> pg_temp.index_of(blank_before)), 0::bigint, 'the same columns, of the same size');
SELECT is((SELECT count(*) FROM commits WHERE pg_temp.index_of(plain) <> pg_temp.index_of(more_behind)), 0::bigint, 'the same where reading is begun anew');
SELECT cmp_ok((SELECT count(DISTINCT key) FROM commits, deltacc.actions_layout(plain) WHERE section = 'minValues'), '>', 20::bigint, 'there are columns');

-- What the columns say, by the decisions that are made of them.
CREATE TEMP TABLE snapshot AS SELECT ('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', 't',
	'format', '{"provider":"parquet","options":{}}'::json, 'schemaString', '{"type":"struct","fields":[' || (
		SELECT string_agg(format('{"name":"%s","type":"%s","nullable":true,"metadata":{}}', name, type), ',')
		FROM (VALUES ('c1', 'long'), ('c2', 'double'), ('c3', 'string'), ('c4', 'decimal(20,2)'), ('c5', 'date')) AS c(name, type)) || ']}',
	'partitionColumns', '[]'::json, 'configuration', '{}'::json))::text)::deltacc.actions AS state;
CREATE TEMP TABLE predicates AS SELECT p::deltacc.predicate AS p FROM unnest(ARRAY['c1 > 500', 'c1 IS NULL', 'c2 < 700.5', 'c2 >= 1e3 AND c1 < 10', 'c3 > ''v5''',
	'c3 = ''a b''''c''', 'c4 BETWEEN 10 AND 1000.5', 'c5 > DATE''2024-01-01''', 'c5 IS NOT NULL', 'c4 IN (1, 500, 2000)']) AS p;
SELECT is((SELECT count(*) FROM commits, snapshot, deltacc.filter_files(state, p, plain) WITH ORDINALITY AS a FULL JOIN deltacc.filter_files(state, p, blank_before) WITH ORDINALITY AS b USING (ordinality)
		WHERE (a.kept, a.decided_by, a.reason) IS DISTINCT FROM (b.kept, b.decided_by, b.reason)), 0::bigint, 'the same files are kept, for the same reason: ' || p::text)
FROM predicates;
SELECT cmp_ok((SELECT count(*) FILTER (WHERE NOT kept) FROM commits, snapshot, predicates, deltacc.filter_files(state, p, plain)), '>', 1000::bigint, 'files are left out');

SELECT * FROM finish();
ROLLBACK;
