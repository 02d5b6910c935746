-- What explain_predicate says of conjuncts that statistics can't answer, and what it advises; what filter_files says of
-- files that the ranges of their data leave out.
\ir data/begin.psql
SELECT plan(34);

CREATE FUNCTION pg_temp.snapshot(configuration text) RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT ('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', '1', 'format', json_build_object('provider', 'parquet', 'options', '{}'::json),
		'schemaString', '{"type":"struct","fields":[{"name":"p","type":"string","nullable":true,"metadata":{}},{"name":"a","type":"integer","nullable":true,"metadata":{}},{"name":"s","type":"string","nullable":true,"metadata":{}},{"name":"st","type":{"type":"struct","fields":[{"name":"x","type":"integer","nullable":true,"metadata":{}},{"name":"odd name","type":"integer","nullable":true,"metadata":{}}]},"nullable":true,"metadata":{}},{"name":"last","type":"long","nullable":true,"metadata":{}}]}',
		'partitionColumns', '["p"]'::json, 'configuration', configuration::json)))::deltacc.actions $$;
CREATE FUNCTION pg_temp.advice(predicate text, configuration text DEFAULT '{"delta.dataSkippingNumIndexedCols":"2"}') RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(coalesce(advice, '-'), E'\n') FROM deltacc.explain_predicate(pg_temp.snapshot(configuration), predicate) $$;
CREATE FUNCTION pg_temp.reason(predicate text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(coalesce(reason, '-'), E'\n') FROM deltacc.explain_predicate(pg_temp.snapshot('{"delta.dataSkippingNumIndexedCols":"2"}'), predicate) $$;

-- the property and a value that works: the place of the leaf among the data columns' leaves
SELECT matches(pg_temp.advice('last = 1'), '^Set the table property delta\.dataSkippingNumIndexedCols to 5 or more, or list last in delta\.dataSkippingStatsColumns', 'a leaf''s number');
SELECT matches(pg_temp.advice('st.x = 1'), 'delta\.dataSkippingNumIndexedCols to 3 or more, or list st\.x in', 'of a field of a struct');
SELECT matches(pg_temp.advice('st.`odd name` = 1'), 'to 4 or more, or list st\.`odd name` in', 'of one that needs quotes');
SELECT matches(pg_temp.advice('last = 1', '{"delta.dataSkippingStatsColumns":"a,st.x"}'), '^Set the table property delta\.dataSkippingStatsColumns to ''a,st\.x,last'', and collect', 'where columns are listed, the list with this one');
SELECT matches(pg_temp.advice('last = 1', '{"delta.dataSkippingStatsColumns":" "}'), '^Set the table property delta\.dataSkippingStatsColumns, which is empty, to ''last'', and collect', 'of an empty list');
SELECT is(deltacc.skip_expression(pg_temp.snapshot('{"delta.dataSkippingNumIndexedCols":"5"}'), 'last = 1') IS NOT NULL AND deltacc.skip_expression(pg_temp.snapshot('{"delta.dataSkippingNumIndexedCols":"4"}'), 'last = 1') IS NULL
	AND deltacc.skip_expression(pg_temp.snapshot('{"delta.dataSkippingStatsColumns":"a,st.x,last"}'), 'last = 1') IS NOT NULL, true, 'these values are what it takes, and no less');

-- which part it is, and what helps
SELECT matches(pg_temp.reason('coalesce(a, 0) = 1'), '^coalesce\(a, 0\) is computed, and statistics know columns only$', 'a conditional expression is computed too');
SELECT matches(pg_temp.advice('a NOT IN (1, 2)'), 'deltacc\.data_skipping to sharp', 'sharp looks NOT IN up');
SELECT matches(pg_temp.advice('a = last'), 'deltacc\.data_skipping to sharp', 'and compares columns');
SELECT is(pg_temp.reason('(p = ''x'' AND a = 1) OR (p = ''y'' AND upper(s) = ''Y'')'), 'only what it says of the partition is used: p = ''x'' OR p = ''y''; one side of its OR can''t be decided: upper(s) is computed, and statistics know columns only',
	'of an OR the leg that can''t be decided, and what is used all the same');
SELECT is(pg_temp.reason('(a = 1 AND upper(s) = ''Y'') OR last = 3'), 'one side of its OR can''t be decided: no statistics are collected for column last', 'a leg that can be decided is not to blame, whatever part of it can''t');
SELECT matches(pg_temp.reason('p = ''x'' OR a = 1'), 'p is a partition column', 'if it is the partition that can''t be decided, that is said');

-- a qualifier that is no name of the table's: perhaps it is one after all
SELECT matches(pg_temp.advice('o.a = 5'), '^Add a condition .* If o is the table itself, set deltacc\.target_alias to o\.$', 'an alias that nobody told of');
SELECT matches(pg_temp.advice('t.a = 5 AND x.id = t.a'), 'If t is the table itself.*\n.*If x is the table itself', 'each conjunct its own');
SELECT matches(pg_temp.advice('s.id = t.a'), 'the source holds\.$', 'a source is a source');
SELECT matches(pg_temp.advice('s.id = t.a AND aa = 5'), '\n.* The table has no column aa\. The nearest column is a\.$', 'what is no column of the table is told');
SELECT matches(pg_temp.advice('s.id = t.a AND quite_another = 5'), '\n.* The table has no column quite_another\.$', '... without a name that is not near');
SET LOCAL deltacc.target_alias = 'o';
SELECT is(pg_temp.advice('o.a = 5'), '-', 'once it is told, the conjunct filters');
SELECT matches(pg_temp.advice('x.a = 5'), 'the source holds\.$', 'and no other alias is looked for');
RESET deltacc.target_alias;

-- a column that isn't there: what is near, whatever its case and its quotes
CREATE FUNCTION pg_temp.hint(predicate text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	PERFORM pg_temp.advice(predicate);
	RETURN 'no error';
EXCEPTION WHEN undefined_column THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END $$;
SELECT is(pg_temp.hint('lasst = 1'), 'The nearest column is last.', 'a letter too many');
SELECT is(pg_temp.hint('`LATS` = 1'), 'The nearest column is last.', 'two changed places');
SELECT is(pg_temp.hint('`odd name` = 1'), 'The nearest column is st.`odd name`.', 'a field without its struct');
SELECT is(pg_temp.hint('st.old_name = 1'), 'The nearest field is st.`odd name`. The fields of st are: x, `odd name`.', 'a field');
SELECT is(pg_temp.hint('st[''oddname''] = 1'), 'The nearest field is st.`odd name`. The fields of st are: x, `odd name`.', '... by subscript');
SELECT is(pg_temp.hint('s.id = t.a AND st[''oddname''] = 1'), 'no error', '... unless it may be another relation''s');
SELECT is(pg_temp.hint('nowhere = 1') || pg_temp.hint('LAST = 1'), 'no error', 'nothing is near; and letter case is no matter');

-- a function that isn't there, or not with so many arguments
SELECT is(pg_temp.reason('uper(s) = ''A'' AND upper(s, s) = ''A'' AND uper(p) = ''A'' AND upper(p, p) = ''A'''),
	'uper(s) is unknown to deltacc, and so may be anything' || E'\n' || 'deltacc knows upper with 1 argument only, and so upper(s, s) may be anything' || E'\n' ||
	'uper(p) is unknown to deltacc, and so may be anything' || E'\n' || 'deltacc knows upper with 1 argument only, and so upper(p, p) may be anything', 'of data and of the partition');
SELECT is(pg_temp.advice('uper(s) = ''A'' AND upper(s, s) = ''A'' AND uper(p) = ''A'' AND nosuch(p) = ''A'''),
	E'The nearest function that deltacc knows is upper.\n-\nThe nearest function that deltacc knows is upper.\n-', 'the nearest one');
SELECT is(pg_temp.reason('concat_ws() = s AND levenshtein(s) = 1'), 'deltacc knows concat_ws with at least 1 argument only, and so concat_ws() may be anything' || E'\n' ||
	'deltacc knows levenshtein with 2 to 3 arguments only, and so levenshtein(s) may be anything', 'any number, and a few');

-- of files that their ranges leave out, the conjunct that does so
CREATE FUNCTION pg_temp.file(path text, stats text) RETURNS text LANGUAGE sql AS
$$ SELECT json_build_object('add', json_build_object('path', path, 'partitionValues', '{"p":"x"}'::json, 'size', 1, 'modificationTime', 1, 'dataChange', true, 'stats', stats))::text $$;
SET LOCAL deltacc.data_skipping = sharp;
SELECT results_eq($$SELECT path, kept, decided_by, reason FROM deltacc.filter_files(pg_temp.snapshot('{}'), 'a IN (1, 9) AND a + 1 IN (3, 10)',
		(pg_temp.file('gap', '{"numRecords":2,"minValues":{"a":3},"maxValues":{"a":5},"nullCount":{"a":0}}') || E'\n' || pg_temp.file('next', '{"numRecords":2,"minValues":{"a":1},"maxValues":{"a":1},"nullCount":{"a":0}}') || E'\n' ||
		 pg_temp.file('both', '{"numRecords":2,"minValues":{"a":1},"maxValues":{"a":3},"nullCount":{"a":0}}') || E'\n' || pg_temp.file('kept', '{"numRecords":2,"minValues":{"a":9},"maxValues":{"a":9},"nullCount":{"a":0}}'))::deltacc.actions) WHERE NOT kept$$,
	$$VALUES ('gap', false, 'data ranges', 'a IN (1, 9) is false for a between 3 and 5'), ('next', false, 'data ranges', 'a + 1 IN (3, 10) is false for a = 1'),
		('both', false, 'data ranges', 'the conditions can''t be true together for a between 1 and 3')$$, 'each file its own conjunct, or all together');

-- under sharp nobody is advised to set it, and what is unknown stays so
SELECT is(pg_temp.advice('a NOT IN (1, 2) AND upper(s) = ''A'''), E'Write a range, or <> for each value, if that says the same.\nCompare the column itself with a constant.', 'sharp is set already');
SELECT results_eq($$SELECT usable, reason LIKE '%evaluated over the ranges%' FROM deltacc.explain_predicate(pg_temp.snapshot('{}'),
		'(nosuch(a) = 1 OR upper(s) = ''A'') AND (nosuch(a) = 1 AND upper(s) = ''A'' OR a + 1 = 3) AND nosuch(a) = 1 AND NOT nosuch(a) AND upper(s) = ''A''')$$,
	'VALUES (false, false), (true, true), (false, false), (false, false), (true, true)', 'which conjuncts the ranges may decide');

-- an item that fails is an error of its own, though it is a constant
SELECT is((SELECT may_error FROM deltacc.evaluate(pg_temp.snapshot('{}'), 'CASE WHEN a > 0 THEN a IN (1, CAST(s AS INT), CAST(''x'' AS INT)) ELSE false END',
	pg_temp.file('f', '{"numRecords":2,"minValues":{"a":3,"s":"5"},"maxValues":{"a":5,"s":"5"},"nullCount":{"a":0,"s":0}}')::deltacc.actions)), true, 'a constant item that fails');
SELECT is((SELECT may_error FROM deltacc.evaluate(pg_temp.snapshot('{}'), 'CASE WHEN a > 0 THEN a IN (1, CAST(''x'' AS INT)) ELSE false END',
	pg_temp.file('f', '{"numRecords":2,"minValues":{"a":3},"maxValues":{"a":5},"nullCount":{"a":0}}')::deltacc.actions)), true, '... in a list without columns');

SELECT * FROM finish();
ROLLBACK;
