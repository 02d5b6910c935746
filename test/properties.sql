-- Every operator, function and cast on ranges: the outcome on a point lies within the outcome on every range around it.
-- And what PostgreSQL says of a row is so, whatever is left out.  See data/properties.psql and data/judged.psql;
-- tools/soak.sh does the same with new seeds without end.
\ir data/begin.psql
SELECT no_plan();
\ir data/properties.psql
\ir data/judged.psql

SELECT pg_temp.round(seed, 30, 2, 120), pg_temp.judge(seed, 30, 500) FROM (VALUES (2), (7)) s(seed) \g /dev/null

SELECT is_empty('SELECT DISTINCT ON (template) * FROM violation ORDER BY template, seed', 'no outcome on a point lies outside of that on its ranges');
SELECT is_empty($$SELECT * FROM refused WHERE sqlstate NOT IN ('42804') LIMIT 20$$, 'nothing is refused but types that don''t go together');
SELECT is_empty($$SELECT t.id, t.text FROM template t WHERE NOT EXISTS (SELECT FROM asked a WHERE a.template = t.id) AND t.text NOT LIKE '%CAST(%'$$,
	'every template is an expression');
-- short for other expressions, whose templates stand for them
CREATE TEMP TABLE replaced AS SELECT unnest(string_to_array('coalesce nvl ifnull nvl2 nullif nullifzero zeroifnull if isnull isnotnull not equal_null ilike regexp regexp_like timestampadd to_varchar typeof boolean tinyint smallint int bigint float double decimal date timestamp binary string array_contains array_join array_max array_min array_position array_size cardinality date_part datepart element_at extract get size try_element_at', ' ')) AS name;
SELECT is_empty($$SELECT name FROM deltacc.functions() WHERE computed AND name NOT IN (SELECT unnest(covers) FROM template) AND name NOT IN (SELECT name FROM replaced)$$,
	'every function that is computed has a template');
-- not by what the templates say of themselves, but by what the evaluator did
SELECT is_empty($$SELECT name, w.what FROM deltacc.functions(), unnest('{points,ranges}'::text[]) w(what) WHERE computed
	AND NOT EXISTS (SELECT FROM called c WHERE c.what = format('%s of %s', w.what, name) AND times > 0)
	-- the parser calls substr by its other name; constants have no ranges, and what differs in the last digit from one libm to another is only known as a range
	AND name NOT IN (SELECT name FROM replaced) AND name <> 'substr' AND NOT (name IN ('pi', 'e') AND w.what = 'ranges')
	AND NOT (name ~ '^(a?(cos|sin|tan)h?|cot|csc|sec|atan2|expm1|log1p|hypot)$' AND w.what = 'points')$$,
	'every function that is computed has been, as it stands, on values and on ranges');
SELECT is_empty($$SELECT t.id, t.text, sum(exact_points) FROM template t JOIN asked a ON a.template = t.id WHERE t.text NOT LIKE '%CAST(%' GROUP BY 1, 2 HAVING sum(exact_points) = 0$$,
	'every template has been exact on some point');
SELECT cmp_ok((SELECT sum(exact_points)::bigint FROM asked), '>', 30000::bigint, 'there were many points');
SELECT cmp_ok(sum(true_rows)::bigint, '>', 10000::bigint, 'PostgreSQL found many rows true') FROM judged;
SELECT cmp_ok(sum(left_out)::bigint, '>', 10000::bigint, '... and many files were left out') FROM judged;
SELECT * FROM finish();
ROLLBACK;
