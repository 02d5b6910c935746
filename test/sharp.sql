-- deltacc.data_skipping = sharp: the predicate over the ranges of a file's data.
\ir data/begin.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = sharp;

CREATE FUNCTION pg_temp.snapshot(configuration text DEFAULT '{}') RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT (E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n' ||
		jsonb_build_object('metaData', jsonb_build_object('id', 'x', 'format', '{"provider":"parquet","options":{}}'::jsonb,
			'schemaString', (SELECT json_build_object('type', 'struct', 'fields', json_agg(json_build_object('name', split_part(c, ' ', 1),
				'type', split_part(c, ' ', 2), 'nullable', true, 'metadata', CASE WHEN split_part(c, ' ', 3) <> '' THEN json_build_object('__CHAR_VARCHAR_TYPE_STRING', split_part(c, ' ', 3)) ELSE '{}' END)))::text
				FROM unnest(ARRAY['a long', 'b long', 'i integer', 'd double', 'e decimal(10,2)', 's string', 'c string char(5)', 'day date', 'ts timestamp', 'flag boolean', 'bin binary', 'p string', 'q integer']) c),
			'partitionColumns', '["p","q"]'::jsonb, 'configuration', configuration::jsonb, 'createdTime', 1))::text)::deltacc.actions $$;

-- One file with these statistics in the partition p = 'x', q = 7.
CREATE FUNCTION pg_temp.file(stats text, partition_values text DEFAULT '{"p":"x","q":"7"}') RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT json_build_object('add', json_build_object('path', 'f', 'partitionValues', partition_values::json, 'size', 1,
		'modificationTime', 1, 'dataChange', true, 'stats', stats))::text::deltacc.actions $$;
CREATE FUNCTION pg_temp.verdict(predicate text, stats text, configuration text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN kept THEN 'kept: ' ELSE 'left out: ' END || decided_by
	FROM deltacc.filter_files(pg_temp.snapshot(configuration), predicate::deltacc.predicate, pg_temp.file(stats)) $$;
CREATE FUNCTION pg_temp.reason(predicate text, stats text) RETURNS text LANGUAGE sql AS
$$ SELECT reason FROM deltacc.filter_files(pg_temp.snapshot(), predicate::deltacc.predicate, pg_temp.file(stats)) $$;

-- A file with this and that of every type; c, bin and flag have no bounds.
CREATE FUNCTION pg_temp.usual() RETURNS text LANGUAGE sql AS $$ SELECT
	'{"numRecords":10,"minValues":{"a":10,"b":30,"i":5,"d":1.5,"e":10.25,"s":"apple","c":"mm","day":"2024-03-01","ts":"2024-03-01T10:00:00.000Z"},
	  "maxValues":{"a":20,"b":40,"i":5,"d":2.5,"e":10.75,"s":"banana","c":"mm","day":"2024-03-09","ts":"2024-03-01T12:00:00.000Z"},
	  "nullCount":{"a":0,"b":0,"i":0,"d":0,"e":0,"s":2,"c":0,"day":0,"ts":0,"flag":0,"bin":0}}' $$;

-- ----- what the reader can't decide -----
SELECT is(pg_temp.verdict(p, pg_temp.usual()), verdict, p) FROM (VALUES
	-- IN value by value
	('a IN (5, 100)', 'left out: data ranges'), ('a IN (5, 15, 100)', 'kept: statistics'), ('a NOT IN (1, 2)', 'kept: data ranges'),
	('i NOT IN (4, 5)', 'left out: data ranges'), ('a IN (5, NULL, 100)', 'left out: data ranges'),
	-- column against column
	('a > b', 'left out: data ranges'), ('a < b', 'kept: data ranges'), ('a = b', 'left out: data ranges'), ('a <> a', 'left out: data ranges'),
	-- arithmetic and casts
	('a + 5 < 10', 'left out: data ranges'), ('a * 2 = 7', 'left out: data ranges'), ('a % 100 = 21', 'left out: data ranges'),
	('CAST(a AS STRING) = ''9''', 'left out: data ranges'), ('CAST(e AS INT) = 11', 'left out: data ranges'), ('a / 0 > 1', 'kept: data ranges'),
	-- functions of a column
	('year(day) = 2023', 'left out: data ranges'), ('month(day) = 4', 'left out: data ranges'), ('date_trunc(''MONTH'', day) = TIMESTAMP ''2024-02-01''', 'left out: data ranges'),
	('hour(ts) = 13', 'left out: data ranges'), ('hour(ts) = 11', 'kept: data ranges'), ('substr(s, 1, 1) = ''c''', 'left out: data ranges'),
	('upper(s) = ''CHERRY''', 'left out: data ranges'), ('upper(s) = ''AVOCADO''', 'kept: data ranges'), ('dayofweek(day) = 1', 'kept: data ranges'),
	-- CASE, COALESCE
	('CASE WHEN a > 100 THEN b = 35 ELSE false END', 'left out: data ranges'), ('coalesce(s, ''zzz'') = ''zzz''', 'kept: data ranges'), ('coalesce(a, 0) = 0', 'left out: data ranges'),
	-- booleans
	('(a > 15) = (b < 10)', 'kept: data ranges'), ('(a > 25) = (b > 10)', 'left out: data ranges'), ('flag', 'kept: data ranges'), ('flag AND NOT flag', 'left out: partition'),
	-- partition columns inside conditions on data
	('p = ''y'' OR a = 100', 'left out: data ranges'), ('p = ''x'' OR a = 100', 'kept: data ranges'), ('a = q', 'left out: data ranges'), ('a > q', 'kept: data ranges'), ('s = p', 'left out: data ranges'),
	-- one condition without statistics does not undo the other
	('b IN (1, 100) AND bin = X''00''', 'left out: data ranges'),
	-- conditions together
	('a > 15 AND a IN (10, 12, 100)', 'left out: data ranges'), ('a > 12 AND a < 13', 'left out: data ranges'), ('a < b AND b < 5', 'left out: statistics'),
	('(a > 15 AND a < 12) OR (a = 11 AND a = 12)', 'left out: data ranges'), ('s LIKE ''b%'' AND s < ''b''', 'left out: data ranges'),
	-- MIN = MAX is exact
	('i <=> 5', 'kept: statistics'), ('NOT (i <=> 5)', 'left out: statistics'), ('i + 1 <> 6', 'left out: data ranges'),
	-- what chance, a subquery or another relation has a part in is no condition
	('rand() < 0.5 AND a IN (5, 100)', 'left out: data ranges'), ('rand() < 0.5', 'kept: no skip expression'), ('a = s.a AND t.a IN (5, 100)', 'left out: data ranges'),
	('a IN (SELECT 1) AND a IN (5, 100)', 'left out: data ranges'),
	-- a function that isn't known may fail, and may be anything
	('no_such_function(a) = 1', 'kept: data ranges'), ('a IN (5, 100) AND no_such_function(a) = 1', 'left out: data ranges'), ('no_such_function(a) = 1 AND a IN (5, 100)', 'kept: statistics'),
	('day = current_date()', 'kept: statistics')
) c(p, verdict);

-- ----- an error stays possible -----
SELECT is(pg_temp.verdict(p, pg_temp.usual()), verdict, p) FROM (VALUES
	('10 / (a - 15) > 100', 'kept: data ranges'), ('10 / a > 100', 'left out: data ranges'),
	('CAST(s AS INT) = 7', 'kept: data ranges'), ('try_cast(s AS INT) = 7', 'kept: data ranges'),
	('a + 9223372036854775800 > 0', 'kept: data ranges'), ('try_add(a, 9223372036854775800) < 0', 'left out: data ranges')
) c(p, verdict);

-- ----- ranges: what is believed of statistics and what isn't -----
SELECT is(pg_temp.verdict(p, stats) LIKE 'kept%', kept, p || ' with ' || stats) FROM (VALUES
	-- a timestamp's maximum has a millisecond more, and it is never exact
	('ts NOT IN (TIMESTAMP ''2024-03-01 12:00:00'', TIMESTAMP ''1970-01-01'')', '{"numRecords":1,"minValues":{"ts":"2024-03-01T12:00:00.000Z"},"maxValues":{"ts":"2024-03-01T12:00:00.000Z"},"nullCount":{"ts":0}}', true),
	('second(ts) = 1', '{"numRecords":1,"minValues":{"ts":"2024-03-01T12:00:00.000Z"},"maxValues":{"ts":"2024-03-01T12:00:00.999Z"},"nullCount":{"ts":0}}', true),
	('second(ts) = 1', '{"numRecords":1,"minValues":{"ts":"2024-03-01T12:00:00.000Z"},"maxValues":{"ts":"2024-03-01T12:00:00.998Z"},"nullCount":{"ts":0}}', false),
	-- NaN may be there, and either zero
	('d * 2 > 100', '{"numRecords":1,"minValues":{"d":1},"maxValues":{"d":2},"nullCount":{"d":0}}', true),
	('d * 2 = 100', '{"numRecords":1,"minValues":{"d":1},"maxValues":{"d":2},"nullCount":{"d":0}}', false),
	('isnan(d)', '{"numRecords":1,"minValues":{"d":1},"maxValues":{"d":2},"nullCount":{"d":0}}', true),
	('CAST(d AS STRING) = ''-0.0''', '{"numRecords":1,"minValues":{"d":0.0},"maxValues":{"d":0.0},"nullCount":{"d":0}}', true),
	('d + 1 <> 1', '{"numRecords":1,"minValues":{"d":0.0},"maxValues":{"d":0.0},"nullCount":{"d":0}}', true),
	('CAST(d AS STRING) = ''1.5''', '{"numRecords":1,"minValues":{"d":"NaN"},"maxValues":{"d":"NaN"},"nullCount":{"d":0}}', false),
	-- CHAR has no bounds, but NULLs
	('c || ''x'' = ''a''', '{"numRecords":1,"minValues":{"c":"b"},"maxValues":{"c":"b"},"nullCount":{"c":0}}', true),
	('c IN (''a'', ''z'')', '{"numRecords":1,"minValues":{"c":"b"},"maxValues":{"c":"b"},"nullCount":{"c":0}}', true),
	('coalesce(c IS NULL, false)', '{"numRecords":1,"minValues":{"c":"b"},"maxValues":{"c":"b"},"nullCount":{"c":0}}', false),
	-- a string that was cut is a bound
	('s NOT IN (''aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'', ''b'')', '{"numRecords":1,"minValues":{"s":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},"maxValues":{"s":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\u007f"},"nullCount":{"s":0}}', true),
	('s NOT IN (''a'', ''b'')', '{"numRecords":1,"minValues":{"s":"a"},"maxValues":{"s":"a"},"nullCount":{"s":0}}', false),
	-- U+FFFD stands for bytes that were none of UTF-8
	('s NOT IN (''�'', ''b'')', '{"numRecords":1,"minValues":{"s":"�"},"maxValues":{"s":"�"},"nullCount":{"s":0}}', true),
	-- booleans, where a writer gives bounds
	('NOT flag', '{"numRecords":1,"minValues":{"flag":true},"maxValues":{"flag":true},"nullCount":{"flag":0}}', false),
	('NOT flag', '{"numRecords":1,"minValues":{"flag":false},"maxValues":{"flag":true},"nullCount":{"flag":0}}', true),
	('NOT flag', '{"numRecords":1,"minValues":{"flag":true},"maxValues":{"flag":false},"nullCount":{"flag":0}}', true),
	('flag', '{"numRecords":2,"nullCount":{"flag":2}}', false),
	-- those of binary are nobody's business
	('bin > X''10''', '{"numRecords":1,"minValues":{"bin":"a"},"maxValues":{"bin":"a"},"nullCount":{"bin":0}}', true),
	('bin > X''10''', '{"numRecords":1,"nullCount":{"bin":1}}', false),
	-- counts: none, all, and what can't be
	('reverse(s) IS NULL', '{"numRecords":5,"nullCount":{"s":0}}', false), ('reverse(s) IS NULL', '{"numRecords":5,"nullCount":{"s":1}}', true),
	-- (past its bounds a sum may overflow)
	('a + 1 IS NULL', '{"numRecords":5,"nullCount":{"a":0}}', true),
	('a + 1 = 2', '{"numRecords":5,"nullCount":{"a":5}}', false), ('a + 1 = 2', '{"numRecords":5,"nullCount":{"a":4}}', true),
	('a + 1 = 2', '{"numRecords":5,"nullCount":{"a":6}}', true), ('a + 1 = 2', '{"numRecords":0,"nullCount":{"a":0}}', true),
	('a + 1 = 2', '{"numRecords":-5,"nullCount":{"a":-5}}', true), ('a + 1 IS NULL', '{"numRecords":5,"nullCount":{"a":-1}}', true),
	('a + 1 = 2', '{"numRecords":5,"minValues":{"a":10},"maxValues":{"a":20},"nullCount":{"a":5}}', true),
	('a + 1 = 2', '{"numRecords":0,"minValues":{"a":10},"maxValues":{"a":20},"nullCount":{"a":0}}', true),
	-- bounds alone, and those that contradict each other
	('a + 1 = 2', '{"minValues":{"a":10},"maxValues":{"a":20}}', false), ('a DIV 2 = 1', '{"minValues":{"a":10}}', false), ('a + 1 = 2', '{"maxValues":{"a":20}}', true),
	('a + 1 = 2', '{"numRecords":5,"minValues":{"a":20},"maxValues":{"a":10},"nullCount":{"a":0}}', true),
	('a + 1 IS NULL', '{"minValues":{"a":10},"maxValues":{"a":20}}', true),
	-- missing never means NULL
	('a + 1 = 2', '{}', true), ('a + 1 IS NULL', '{"numRecords":5}', true), ('a + 1 = 2', NULL, true), ('a + 1 = 2', 'no json', true),
	('a + 1 = 2', '{"numRecords":5,"minValues":{"a":"10"},"maxValues":{"a":"20"},"nullCount":{"a":0}}', true)
) c(p, stats, kept);
SELECT is(pg_temp.verdict('a + 1 = 2', '{"numRecords":5,"minValues":{"a":10},"maxValues":{"a":20},"nullCount":{"a":0}}', '{"delta.dataSkippingNumIndexedCols":"0"}'),
	'kept: data ranges', 'statistics of a column that Delta does not index are not used');

-- a column that was float once: the bounds of the floats
SELECT is(kept, true, 'bounds of a widened column are as wide as a float''s') FROM deltacc.filter_files(
	E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"w\\",\\"type\\":\\"double\\",\\"nullable\\":true,\\"metadata\\":{\\"delta.typeChanges\\":[{\\"toType\\":\\"double\\",\\"fromType\\":\\"float\\",\\"tableVersion\\":1}]}}]}","partitionColumns":[],"configuration":{}}}',
	'w + 0.0D <> 0.1D AND w <= 0.1000001D', pg_temp.file('{"numRecords":1,"minValues":{"w":0.1},"maxValues":{"w":0.1},"nullCount":{"w":0}}', '{}'));

-- ----- partition values -----
SELECT is(kept, keep, p || ' in ' || v) FROM (VALUES
	('p = ''y'' OR a = 100', '{"p":"","q":"7"}', false), ('p IS NULL OR a = 100', '{"p":"","q":"7"}', true), ('p = '''' OR a = 100', '{"p":"","q":"7"}', true),
	('p = ''y'' OR a = 100', '{"q":"7"}', true), ('p = ''y'' OR a = 100', '{"p":null,"q":"7"}', false),
	('q = 7 OR a = 100', '{"p":"x","q":"007"}', true), ('q = 8 OR a = 100', '{"p":"x","q":"seven"}', true)
) c(p, v, keep), LATERAL deltacc.filter_files(pg_temp.snapshot(), c.p::deltacc.predicate, pg_temp.file(pg_temp.usual(), v)) f;

-- ----- why -----
SELECT is(pg_temp.reason(p, pg_temp.usual()), reason, p) FROM (VALUES
	('a IN (5, 100)', 'a IN (5, 100) is false for a between 10 and 20'),
	('a > b AND s <> ''x''', 'a > b is false for a between 10 and 20, b between 30 and 40'),
	('s = p', 's = p is false or NULL for s between ''apple'' and ''banana'' or NULL, p = ''x'''),
	('i + 1 <> 6', 'i + 1 <> 6 is false for i = 5'),
	('a > 15 AND a IN (10, 12, 100)', 'the conditions can''t be true together for a between 10 and 20'),
	('d * 2 = 100', 'd * 2.0D = 100.0D is false for d between 1.5D and 2.5D or NaN'),
	('a NOT IN (1, 2)', 'NOT (a IN (1, 2)) may be true for a between 10 and 20'),
	('10 / (a - 15) > 100', '10.0D / CAST(a - 15 AS double) > 100.0D may be true for a between 10 and 20'),
	('flag', 'flag may be true for flag unknown')
) c(p, reason);

-- ----- evaluate -----
CREATE FUNCTION pg_temp.may(predicate text) RETURNS text LANGUAGE sql AS $$
	SELECT concat_ws(' ', CASE WHEN may_true THEN 'TRUE' END, CASE WHEN may_false THEN 'FALSE' END, CASE WHEN may_null THEN 'NULL' END, CASE WHEN may_error THEN 'ERROR' END)
	FROM deltacc.evaluate(pg_temp.snapshot(), predicate::deltacc.predicate, pg_temp.file(pg_temp.usual())) $$;
SELECT is(pg_temp.may(p), may, p) FROM (VALUES
	('a > 15', 'TRUE FALSE'), ('a > 5', 'TRUE'), ('a > 25', 'FALSE'), ('s > ''c''', 'FALSE NULL'), ('s < ''b''', 'TRUE FALSE NULL'),
	('1 / (a - 15) > 0', 'TRUE FALSE ERROR'), ('CAST(s AS INT) = 1', 'TRUE FALSE NULL ERROR'), ('p = ''x''', 'TRUE'), ('q % 2 = 0', 'FALSE'),
	('rand() < 0.5', 'TRUE FALSE'), ('a > 15 AND a < 12', 'FALSE'), ('current_date() IS NULL', 'FALSE'), ('true', 'TRUE'), ('a = NULL', 'NULL')
) c(p, may);
SELECT results_eq($$SELECT path, may_true FROM deltacc.evaluate(pg_temp.snapshot(), 'a > 15', '{"remove":{"path":"r","dataChange":true}}')$$,
	'SELECT NULL::text, NULL::boolean WHERE false', 'only added files have a row');
SELECT throws_ok($$SELECT deltacc.evaluate(NULL, 'true', '')$$, '22004');
SELECT throws_ok($$SELECT deltacc.evaluate('', NULL, '')$$, '22004');
SELECT throws_ok($$SELECT deltacc.evaluate('', 'true', NULL)$$, '22004');
SELECT throws_ok($$SELECT deltacc.evaluate(pg_temp.snapshot(), 'nowhere = 1', '')$$, '42703');
SELECT is(format('%s %s %s', provolatile, proparallel, proisstrict), expected, proname || ' is marked') FROM pg_proc,
	(VALUES ('evaluate', 's s f'), ('functions', 'i s t')) v(name, expected) WHERE proname = name AND pronamespace = 'deltacc'::regnamespace;
SELECT ok(bool_and(computed), 'operators are computed') FROM deltacc.functions() WHERE name IN ('+', '-', '*', '/', '%', '||');
SELECT results_eq($$SELECT min_args, max_args, computed FROM deltacc.functions() WHERE name IN ('coalesce_is_no_function', 'greatest', 'rand') ORDER BY name$$,
	$$VALUES (2, NULL::int, true), (0, 1, false)$$, 'what functions() says');
SELECT is_empty($$SELECT name FROM deltacc.functions() WHERE name ~ '_of_(array|split)$|^(array_holds|split_holds|position_in_array|shift_timestamp|charindex)$|^extract_' UNION ALL SELECT name FROM deltacc.functions() GROUP BY name HAVING count(*) > 1$$,
	'it lists what a predicate may say, once');
SELECT is((SELECT count(*) FROM deltacc.functions() WHERE name IN ('coalesce', 'if', 'date', 'element_at', 'extract', 'array_contains', 'upper', 'current_date')), 8::bigint, 'under Spark''s names');
SELECT results_eq($$SELECT name, min_args, max_args FROM deltacc.functions() WHERE name IN ('to_date', 'decode', 'unix_timestamp', 'array_size') ORDER BY name$$,
	$$VALUES ('array_size', 1, 1), ('decode', 2, NULL), ('to_date', 1, 2), ('unix_timestamp', 0, 2)$$, 'with all the arguments that they may have');

-- ----- the setting -----
SELECT is(usable, true, 'a condition without a skip expression is usable') FROM deltacc.explain_predicate(pg_temp.snapshot(), 'a IN (1, 2) OR upper(s) = ''A''');
SELECT throws_ok('SET deltacc.data_skipping = sharper', '22023');

-- ----- in a conflict check: a read is taken whole -----
CREATE FUNCTION pg_temp.conflicts(setting text, reads text[], partition_values text DEFAULT '{"p":"x","q":"7"}', snapshot text DEFAULT NULL) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	PERFORM set_config('deltacc.data_skipping', setting, true);
	SELECT count(*) INTO n FROM deltacc.check_conflicts(coalesce(snapshot, pg_temp.snapshot()::text)::deltacc.actions,
		'{"commitInfo":{"operation":"WRITE","isBlindAppend":false}}' || E'\n' || pg_temp.file(pg_temp.usual(), partition_values)::text,
		reads::deltacc.predicate[], isolation => 'Serializable', read_files => '{}', winner_version => 1);
	PERFORM set_config('deltacc.data_skipping', 'sharp', true);
	RETURN n;
END $$;
SELECT is(ARRAY[pg_temp.conflicts('off', reads), pg_temp.conflicts('on', reads), pg_temp.conflicts('sharp', reads)], expected, reads::text)
FROM (VALUES
	(ARRAY['a IN (5, 100)'], '{1,1,0}'::int[]), (ARRAY['a = 15'], '{1,1,1}'), (ARRAY['a = 25'], '{1,0,0}'),
	(ARRAY['p = ''y'' OR upper(s) = ''A'''], '{1,1,1}'), (ARRAY['p = ''y'' OR a + 1 = 2'], '{1,1,0}'),
	-- passes the data half of the first read and the partition half of the second
	(ARRAY['p = ''y'' AND a = 15', 'p = ''x'' AND a = 25'], '{1,1,0}'),
	(ARRAY['p = ''y'' AND a = 15', 'p = ''x'' AND a = 15'], '{1,1,1}')
) c(reads, expected);
-- conditions without columns count, on a table without partitions as well; without any read the rules are those of off
SELECT is(ARRAY[pg_temp.conflicts(m, '{false}', '{}', s), pg_temp.conflicts(m, '{}', '{}', s), pg_temp.conflicts(m, ARRAY['a = 15'], '{}', s)], expected, m || ' without partitions')
FROM (VALUES ('off', '{1,1,1}'::int[]), ('on', '{1,1,1}'), ('sharp', '{0,1,1}')) v(m, expected),
	replace(pg_temp.snapshot()::text, '"partitionColumns": ["p", "q"]', '"partitionColumns": []') s;

-- A removed file was read iff a read selects it, sharply.
CREATE FUNCTION pg_temp.removed(setting text, reads text[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	PERFORM set_config('deltacc.data_skipping', setting, true);
	SELECT count(*) INTO n FROM deltacc.check_conflicts((pg_temp.snapshot()::text || E'\n' || pg_temp.file(pg_temp.usual())::text)::deltacc.actions,
		E'{"commitInfo":{"operation":"DELETE","isBlindAppend":false}}\n{"remove":{"path":"f","dataChange":true,"partitionValues":{"p":"x","q":"7"}}}',
		reads::deltacc.predicate[], isolation => 'Serializable', winner_version => 1);
	PERFORM set_config('deltacc.data_skipping', 'sharp', true);
	RETURN n;
END $$;
SELECT is(ARRAY[pg_temp.removed('on', reads), pg_temp.removed('sharp', reads)], expected, 'removed, read by ' || reads::text)
FROM (VALUES (ARRAY['a IN (5, 100)'], '{1,0}'::int[]), (ARRAY['a = 15'], '{1,1}'), (ARRAY['a = 25'], '{0,0}')) c(reads, expected);

-- A file that the winner re-adds under the same path with a deletion vector is kept.
SELECT is((SELECT count(*) FROM deltacc.check_conflicts(pg_temp.snapshot(),
	(E'{"commitInfo":{"operation":"DELETE","isBlindAppend":false}}\n{"remove":{"path":"f","dataChange":true}}\n' ||
	 jsonb_set(pg_temp.file(pg_temp.usual())::text::jsonb, '{add,deletionVector}', '{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":1}')::text)::deltacc.actions,
	ARRAY['a IN (5, 100)'], isolation => 'Serializable', read_files => '{}', winner_version => 1)), 1::bigint, 're-added with a deletion vector');

-- ----- size -----
SELECT is((SELECT kept FROM deltacc.filter_files(pg_temp.snapshot(), ('a > 15 AND (' || string_agg(format('(a = %s AND b = %s)', x, x + 15), ' OR ') || ')')::deltacc.predicate, pg_temp.file(pg_temp.usual()))),
	false, 'five thousand legs') FROM generate_series(1000, 5999) x;
SELECT is((SELECT kept FROM deltacc.filter_files(pg_temp.snapshot(), ('a < 12 AND a IN (' || string_agg(x::text, ', ') || ')')::deltacc.predicate, pg_temp.file(pg_temp.usual()))),
	false, 'a hundred thousand items') FROM generate_series(12, 100011) x;
SELECT lives_ok($$SELECT deltacc.filter_files(pg_temp.snapshot(), (repeat('(a > 15 AND (b < 3 OR ', 400) || 'a = 1' || repeat('))', 400))::deltacc.predicate, pg_temp.file(pg_temp.usual()))$$, 'deep nesting');

SELECT * FROM finish();
ROLLBACK;
