-- Data skipping: the rules by which a file is left out or kept, one by one.
\ir data/begin.psql
SELECT no_plan();

-- A table with these columns, indexed as Delta does by default unless told otherwise.
CREATE FUNCTION pg_temp.snapshot(columns text, partitions text DEFAULT '[]', configuration text DEFAULT '{}')
RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT (E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n' ||
		jsonb_build_object('metaData', jsonb_build_object('id', 'x', 'format', '{"provider":"parquet","options":{}}'::jsonb,
			'schemaString', '{"type":"struct","fields":[' || (
				SELECT string_agg(format('{"name":%s,"type":%s,"nullable":true,"metadata":%s}', to_json(split_part(c, ' ', 1)),
					to_json(split_part(c, ' ', 2)),
					CASE WHEN c LIKE '% char(%' THEN format('{"__CHAR_VARCHAR_TYPE_STRING":%s}', to_json(split_part(c, ' ', 3)))
						 WHEN c LIKE '% was-float' THEN '{"delta.typeChanges":[{"toType":"double","fromType":"float","tableVersion":1}]}'
						 ELSE '{}' END), ',')
				FROM unnest(string_to_array(columns, ', ')) c) || ']}',
			'partitionColumns', partitions::jsonb, 'configuration', configuration::jsonb, 'createdTime', 1))::text)::deltacc.actions $$;

-- One file with these statistics and partition values: is it kept, and by whom?
CREATE FUNCTION pg_temp.verdict(columns text, predicate text, stats text, partition_values text DEFAULT '{}', partitions text DEFAULT '[]', configuration text DEFAULT '{}')
RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN kept THEN 'kept: ' ELSE 'left out: ' END || decided_by
	FROM deltacc.filter_files(pg_temp.snapshot(columns, partitions, configuration), predicate::deltacc.predicate,
		json_build_object('add', json_build_object('path', 'f', 'partitionValues', partition_values::json, 'size', 1,
			'modificationTime', 1, 'dataChange', true, 'stats', stats))::text::deltacc.actions) $$;

-- A file of column a with these parts of its statistics.
CREATE FUNCTION pg_temp.a(predicate text, stats text) RETURNS text LANGUAGE sql AS
$$ SELECT pg_temp.verdict('a long, b long', predicate, stats) $$;

-- ----- comparisons against [10, 20], no nulls -----
SELECT is(pg_temp.a(p, '{"numRecords":5,"minValues":{"a":10},"maxValues":{"a":20},"nullCount":{"a":0}}') LIKE 'kept%', keep, p)
FROM (VALUES
	('a = 9', false), ('a = 10', true), ('a = 20', true), ('a = 21', false),
	('a < 10', false), ('a <= 10', true), ('a < 11', true),
	('a > 20', false), ('a >= 20', true), ('a > 19', true),
	('9 = a', false), ('20 < a', false), ('20 <= a', true),
	('a <> 15', true), ('a <=> 15', true), ('a <=> 21', false), ('NOT (a <=> 21)', true),
	('NOT a >= 10', false), ('NOT (a < 10 OR a > 20)', true), ('NOT (a >= 10 AND a <= 20)', false),
	('a BETWEEN 21 AND 30', false), ('a NOT BETWEEN 0 AND 30', false), ('15 BETWEEN a AND a', true),
	('a IN (1, 2)', false), ('a IN (1, 100)', true), ('a IN (1, NULL)', false), ('a IN (NULL)', false),
	('a NOT IN (1, 2)', true), ('a IS NULL', false), ('a IS NOT NULL', true), ('(a > 3) IS NULL', false),
	('a = NULL', false), ('a + 1 = 100', true), ('a % 2 = 0', true), ('a = 100 AND a % 2 = 0', false), ('a = 100 OR a % 2 = 0', true),
	('false', false), ('true', true), ('a = 15 AND false', false)
) AS c(p, keep);

-- ----- a file of one value only has nothing but it -----
SELECT is(pg_temp.a('a <> 7', '{"numRecords":5,"minValues":{"a":7},"maxValues":{"a":7},"nullCount":{"a":0}}'), 'left out: statistics', 'a <> 7 where all are 7');
SELECT is(pg_temp.a('NOT (a <=> 7)', '{"numRecords":5,"minValues":{"a":7},"maxValues":{"a":7},"nullCount":{"a":1}}'), 'kept: statistics', 'NOT (a <=> 7) where all are 7 but for a null');

-- ----- statistics that are needed -----
SELECT is(pg_temp.a(p, stats), verdict, p || ' with ' || stats) FROM (VALUES
	-- only the side that is compared
	('a > 100', '{"numRecords":5,"maxValues":{"a":20},"nullCount":{"a":0}}', 'left out: statistics'),
	('a > 100', '{"numRecords":5,"minValues":{"a":20},"nullCount":{"a":0}}', 'kept: missing statistics'),
	-- but with nulls and rows counted
	('a > 100', '{"numRecords":5,"maxValues":{"a":20}}', 'kept: missing statistics'),
	('a > 100', '{"maxValues":{"a":20},"nullCount":{"a":0}}', 'kept: missing statistics'),
	-- all null: nothing to bound, and no comparison is true
	('a > 100', '{"numRecords":5,"nullCount":{"a":5}}', 'left out: statistics'),
	('a <> 100', '{"numRecords":5,"nullCount":{"a":5}}', 'left out: statistics'),
	('a IS NOT NULL', '{"numRecords":5,"nullCount":{"a":5}}', 'left out: statistics'),
	('NOT (a <=> 3)', '{"numRecords":5,"nullCount":{"a":5}}', 'kept: statistics'),
	('a IS NULL', '{"nullCount":{"a":5}}', 'kept: statistics'),
	('a IS NULL', '{"nullCount":{"a":0}}', 'left out: statistics'),
	-- an impossible count is not all null
	('a = 100', '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":6}}', 'left out: statistics'),
	('a = 100', '{"numRecords":5,"nullCount":{"a":6}}', 'kept: missing statistics'),
	-- all conjuncts are judged together, but only those that can be used
	('a = 100 AND b = 3', '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":0}}', 'kept: missing statistics'),
	('a = 100 AND b % 2 = 0', '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":0}}', 'left out: statistics'),
	-- no rows
	('a IS NOT NULL', '{"numRecords":0,"nullCount":{"a":0}}', 'left out: statistics'),
	-- wrong types and what is no JSON
	('a = 100', '{"numRecords":5,"minValues":{"a":"1"},"maxValues":{"a":"2"},"nullCount":{"a":0}}', 'kept: missing statistics'),
	('a = 100', '{"numRecords":"5","minValues":{"a":1},"maxValues":{"a":2},"nullCount":{"a":0}}', 'kept: missing statistics'),
	('a = 100', '{"numRecords":5,"minValues":{"A":1},"maxValues":{"A":2},"nullCount":{"A":0}}', 'kept: missing statistics'),
	('a = 100', '', 'kept: missing statistics'),
	('a = 100', 'null', 'kept: missing statistics'),
	('a = 100', '{"numRecords":5,"minVal', 'kept: missing statistics'),
	('a = 100', '[]', 'kept: missing statistics')
) AS c(p, stats, verdict);

-- ----- the exact value counts, however large -----
SELECT is(pg_temp.a('a > 9007199254740992', '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":9007199254740993},"nullCount":{"a":0}}'), 'kept: statistics', 'no long through a double');
SELECT is(pg_temp.a('a > 9007199254740993', '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":9007199254740993},"nullCount":{"a":0}}'), 'left out: statistics', 'the same from above');

-- ----- columns that Delta doesn't index -----
SELECT is(pg_temp.verdict('a long, b long', 'b = 100', '{"numRecords":5,"minValues":{"b":1},"maxValues":{"b":2},"nullCount":{"b":0}}', configuration => '{"delta.dataSkippingNumIndexedCols":"1"}'),
	'kept: no skip expression', 'statistics of a column that is not indexed are not used');
SELECT is(pg_temp.verdict('a long, b long', 'b = 100', '{"numRecords":5,"minValues":{"b":1},"maxValues":{"b":2},"nullCount":{"b":0}}', configuration => '{"delta.dataSkippingStatsColumns":"b"}'),
	'left out: statistics', 'those of one that is listed are');

-- ----- types -----
SELECT is(pg_temp.verdict('a ' || type, p, format('{"numRecords":5,"minValues":{"a":%s},"maxValues":{"a":%s},"nullCount":{"a":0}}', lo, hi)), verdict, type || ': ' || p)
FROM (VALUES
	('boolean', 'a = true', 'false', 'false', 'kept: no skip expression'),
	('boolean', 'a IS NULL', 'false', 'false', 'left out: statistics'),
	('string', 'a = ''c''', '"d"', '"e"', 'left out: statistics'),
	('string', 'a LIKE ''da%''', '"d"', '"e"', 'kept: statistics'),
	('string', 'a LIKE ''c%''', '"d"', '"e"', 'left out: statistics'),
	('string', 'a LIKE ''%c''', '"d"', '"e"', 'kept: no skip expression'),
	('string', 'a LIKE ''aéz%''', '"aéa"', '"aéb"', 'left out: statistics'),
	('date', 'a > DATE ''2026-08-12''', '"2026-08-01"', '"2026-08-12"', 'left out: statistics'),
	('timestamp', 'a > TIMESTAMP ''2026-08-12 10:00:00.1239''', '"2026-08-12T09:00:00.000Z"', '"2026-08-12T10:00:00.123Z"', 'kept: statistics'),
	('timestamp', 'a > TIMESTAMP ''2026-08-12 10:00:00.1241''', '"2026-08-12T09:00:00.000Z"', '"2026-08-12T10:00:00.123Z"', 'left out: statistics'),
	('timestamp', 'a >= TIMESTAMP ''2026-08-12 08:30:00Z''', '"2026-08-12T10:00:00.000+03:00"', '"2026-08-12T11:00:00.000+03:00"', 'left out: statistics'),
	('double', 'a > 1e300', '1.5', '"NaN"', 'kept: statistics'),
	('double', 'a = 0', '-0.0', '-0.0', 'kept: statistics'),
	('decimal(38,2)', 'a > 999999999999999999999999999999999999.98BD', '1', '999999999999999999999999999999999999.99', 'kept: statistics'),
	('decimal(38,2)', 'a > 999999999999999999999999999999999999.99BD', '1', '999999999999999999999999999999999999.99', 'left out: statistics')
) AS c(type, p, lo, hi, verdict);

-- ----- safer than Delta -----
SELECT is(pg_temp.verdict('c string char(5)', p, '{"numRecords":5,"minValues":{"c":"a"},"maxValues":{"c":"m"},"nullCount":{"c":0}}'), verdict, 'CHAR: ' || p)
FROM (VALUES ('c >= ''m''', 'kept: safety: CHAR column'), ('c = ''z''', 'kept: safety: CHAR column'), ('c IN (''x'', ''z'')', 'kept: safety: CHAR column'),
	('c IS NULL', 'left out: statistics'), ('c IS NOT NULL', 'kept: statistics')) AS c(p, verdict);
SELECT is(pg_temp.verdict('c string varchar(5)', 'c >= ''n''', '{"numRecords":5,"minValues":{"c":"a"},"maxValues":{"c":"m"},"nullCount":{"c":0}}'), 'left out: statistics', 'VARCHAR is a plain string');
SELECT is(pg_temp.verdict('c string char(5)', 'c = ''m''', '{}', '{"c":"a"}', '["c"]'), 'kept: safety: CHAR column', 'CHAR as a partition column');
SELECT is(pg_temp.verdict('t byte', 't = 5', '{"numRecords":5,"minValues":{"t":128},"maxValues":{"t":200},"nullCount":{"t":0}}'), 'kept: safety: TINYINT statistics past their range', 'TINYINT past its range');
SELECT is(pg_temp.verdict('t byte', 't = 5', '{"numRecords":5,"minValues":{"t":10},"maxValues":{"t":20},"nullCount":{"t":0}}'), 'left out: statistics', 'TINYINT inside its range');
SELECT is(pg_temp.verdict('d double was-float', 'd > 0.1', '{"numRecords":5,"minValues":{"d":0.1},"maxValues":{"d":0.1},"nullCount":{"d":0}}'), 'kept: safety: column widened from float', 'the float 0.1 is more than the double 0.1');
SELECT is(pg_temp.verdict('d double', 'd > 0.1', '{"numRecords":5,"minValues":{"d":0.1},"maxValues":{"d":0.1},"nullCount":{"d":0}}'), 'left out: statistics', 'a double that never was a float');
SELECT is(pg_temp.verdict('a long, p string', 'p IS NULL', '{}', '{"p":""}', '["p"]'), 'kept: safety: empty partition value', 'an empty partition value as NULL');
SELECT is(pg_temp.verdict('a long, p string', 'p = ''''', '{}', '{"p":""}', '["p"]'), 'kept: partition', '... as a string');
SELECT is(pg_temp.verdict('a long, p string', 'p = ''x''', '{}', '{"p":""}', '["p"]'), 'left out: partition', '... but nothing else');
SELECT is(pg_temp.verdict('a long, p integer', 'p = 3', '{}', '{"p":""}', '["p"]'), 'left out: partition', 'an empty partition value of a number is NULL');
SELECT is(pg_temp.verdict('a long, p integer', 'p IS NULL', '{}', '{"p":""}', '["p"]'), 'kept: safety: empty partition value', '... and kept as such');
SELECT is(pg_temp.verdict('a long, p string', 'p = ''x''', '{}', '{}', '["p"]'), 'kept: safety: partition value absent', 'no partition value at all');

-- ----- partition conditions -----
SELECT is(pg_temp.verdict('a long, p string, q integer', predicate, '{"numRecords":5,"minValues":{"a":1},"maxValues":{"a":9},"nullCount":{"a":0}}', '{"p":"x","q":"7"}', '["p","q"]'), verdict, predicate)
FROM (VALUES
	('p = ''x''', 'kept: partition'), ('p = ''X''', 'left out: partition'), ('q % 2 = 1', 'kept: partition'), ('upper(p) = ''Y''', 'left out: partition'),
	('q = ''7''', 'kept: partition'), ('q > 7.5', 'left out: partition'),
	('p = ''y'' OR a = 100', 'kept: no skip expression'),
	('(p = ''y'' AND a = 3) OR (p = ''z'' AND a = 4)', 'left out: partition'),
	('(p = ''x'' AND a = 30) OR (p = ''z'' AND a = 4)', 'kept: statistics'),
	('(p = ''x'' AND a = 30) OR (p = ''z'' AND a = 40)', 'left out: statistics'),
	('p = ''y'' AND rand() < 0.5', 'left out: partition'), ('p = ''y'' OR rand() < 0.5', 'kept: no skip expression'),
	('(p = ''y'' AND rand() < 0.5) OR q = 8', 'left out: partition'),
	('p = ''y'' AND nosuch(q)', 'left out: partition'), ('nosuch(q)', 'kept: partition')
) AS c(predicate, verdict);
SELECT throws_ok($$ SELECT pg_temp.verdict('a long, q integer', 'q = 1', '{}', '{"q":"abc"}', '["q"]') $$, '22018', NULL, 'a partition value that is none of its type');
SELECT is(pg_temp.verdict('a long, q integer', 'a = 1', '{}', '{"q":"abc"}', '["q"]'), 'kept: missing statistics', '... is no error where nobody asks for it');

-- ----- off -----
SET LOCAL deltacc.data_skipping = off;
SELECT is(pg_temp.a('a = 100', '{"numRecords":5,"minValues":{"a":10},"maxValues":{"a":20},"nullCount":{"a":0}}'), 'kept: data skipping off', 'off: statistics are not looked at');
SELECT is(pg_temp.verdict('a long, p string', 'p = ''y'' AND a = 1', '{}', '{"p":"x"}', '["p"]'), 'left out: partition', 'off: the partition is');
RESET deltacc.data_skipping;

-- ----- what the functions promise -----
SELECT volatility_is('deltacc', f, 'stable', f || ' depends on settings and TimeZone') FROM unnest(ARRAY['filter_files', 'skip_expression', 'explain_predicate']) f;
SELECT isnt_strict('deltacc', f, f || ' refuses NULL itself') FROM unnest(ARRAY['filter_files', 'skip_expression', 'explain_predicate']) f;
SELECT is(p.proparallel::text, 's', p.proname || ' is parallel safe') FROM pg_proc p WHERE pronamespace = 'deltacc'::regnamespace AND proname IN ('filter_files', 'skip_expression', 'explain_predicate');
SELECT throws_ok($$ SELECT * FROM deltacc.filter_files(NULL, 'true', '') $$, '22004');
SELECT throws_ok($$ SELECT * FROM deltacc.filter_files('', NULL, '') $$, '22004');
SELECT throws_ok($$ SELECT * FROM deltacc.filter_files('', 'true', NULL) $$, '22004');
SELECT throws_ok($$ SELECT deltacc.skip_expression(NULL, 'true') $$, '22004');
SELECT throws_ok($$ SELECT deltacc.explain_predicate('', NULL) $$, '22004');
SELECT throws_ok($$ SELECT pg_temp.a('5', '{}') $$, '42804');
SELECT throws_ok($$ SELECT pg_temp.a('NULL', '{}') $$, '42804');
SELECT throws_ok($$ SELECT pg_temp.a('''x''', '{}') $$, '42804');
SELECT is(pg_temp.a('b', '{}'), 'kept: no skip expression', 'a bare column that is no condition decides nothing');

SELECT * FROM finish();
ROLLBACK;
