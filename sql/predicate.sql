-- The type deltacc.predicate: what parses, how it is read, and what does not parse.
SET search_path = public, deltacc;
SET standard_conforming_strings = on;
\pset format unaligned
\pset tuples_only on

-- A text per line: what it is in normal form, which says how it was read.
CREATE FUNCTION show(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE sql AS
$$ SELECT rpad(t, 40) || '  ' || t::predicate::text FROM unnest(texts) WITH ORDINALITY u(t, i) ORDER BY i $$;

\echo -- comparison and logic, and how they bind
SELECT show('a = 1', 'a == 1', 'a != 1', 'a <> 1', 'a <=> NULL', 'a < 1', 'a <= 1', 'a !> 1', 'a > 1', 'a >= 1', 'a !< 1',
	'a = 1 OR b = 2 AND NOT c = 3', '(a = 1 OR b = 2) AND c = 3', 'NOT a AND b', 'NOT (a AND b)', '! a = b', '!!a',
	'a AND (b AND (c AND d)) AND e', '(a OR b) OR (c OR d)', '(a = b) = c', 'a = b = c', 'a = (b = c)', 'a = b IS NULL', 'a = 1 AND true or FALSE');

\echo -- arithmetic, from loose to tight
SELECT show('a | b ^ c & d << e + f * -g', '((((((a | b) ^ c) & d) << e) + f) * -g)', 'a - b - c', 'a - (b - c)', 'a + b || c',
	'a * b / c % d DIV e', 'a * (b + c)', 'a >> 1 >>> 2', '~a & b', '- a * b', '-(a * b)', '-a::int', '(-a)::int', '+a');

\echo -- the sign of a number belongs to it
SELECT show('a = -1', 'a = - 1', 'a - 1', 'a -1', 'a = -(1)', 'a = -(-1)', 'a = - -1', 'a = -2147483648', 'a = -x', '-1::string = a', '-(1::string) = a');

\echo -- predicates
SELECT show('a BETWEEN 1 AND 2 AND b', 'a NOT BETWEEN 1 AND 2 OR b', 'a BETWEEN 1 AND 2 = c', 'a IN (1)', 'a NOT IN (1, NULL, ''x'')', 'NOT a IN (1)',
	'a LIKE ''x%''', 'a NOT LIKE b', 'a ILIKE ''x''', 'a RLIKE ''x''', 'a REGEXP ''x''', 'a LIKE ''x!%'' ESCAPE ''!''',
	'a LIKE ANY (''x'', ''y'')', 'a NOT LIKE SOME (''x'')', 'a ILIKE ALL (''x'', ''y'')',
	'a IS NULL', 'a IS NOT NULL', 'a IS TRUE', 'a IS NOT FALSE', 'a IS UNKNOWN', 'a IS DISTINCT FROM b', 'a IS NOT DISTINCT FROM 1 + 1',
	'(a, b) IN ((1, 2), (3, 4))', '(a IS NULL) IS NULL');

\echo -- literals
SELECT show('NULL', 'true', '1', '1L', '1S', '1Y', '1.5', '5.', '.5', '1e3', '1.5E-3', '1.5D', '1F', '1BD', '1.5BD', '1e2BD', '007',
	'DATE ''2026-08-12''', 'date''2026''', 'TIMESTAMP ''2026-08-12 10:00:00''', 'TIMESTAMP_NTZ ''x''', 'TIMESTAMP_LTZ ''x''', 'X''0aF''', 'x '''' = b',
	'TIME ''12:00''');

\echo -- intervals
SELECT show('INTERVAL 1 DAY', 'interval ''1'' days', 'INTERVAL -1 DAY + x', 'INTERVAL 1 YEAR 2 MONTHS', 'INTERVAL 1 DAY - 2 HOURS', 'INTERVAL 1 DAY - 2',
	'INTERVAL 1.5 SECONDS', 'INTERVAL ''1 02:03:04'' DAY TO SECOND', 'INTERVAL ''1-2'' YEAR TO MONTH', 'INTERVAL ''1 day 2 hours''', 'interval - 1 > 0', 'interval = 1');

\echo -- strings
SELECT show('a = ''it''''s''', 'a = "it''s"', 'a = "say ""x"""', 'a = ''it\''s''', 'a = ''x'' ''y'' "z"', 'a = r''\d''', 'a = R"\d"', 'a = ''\\d''',
	'a = ''\n\r\t\b\Z''', 'a = ''\q''', 'a LIKE ''\%\_''', 'a = ''\u0041\U00000042\103''', 'a = ''\0''', 'a = ''\01''', 'a = ''\u00zz''',
	E'a = ''two\nlines''');

\echo -- names
SELECT show('a.b.c = 1', 't.id = s.id AND t.p = ''x''', '`a b` = 1', '`a.b`.`c``d` = 1', '`plain` = 1', '1a = 0x1F', 'a._1 = 1', 'A = a',
	'(a).b = 1', '(a + b).c = 1', 'a[0].b = 1', 'f(a).b = 1', 'm[''x''] = 1', 'a[0][1] = 1', 't.1a = 1', 'st.end = st.null');

\echo -- words are names wherever they can be
SELECT show('date = timestamp', 'year > month', 'order = value', 'key = interval', 'left = first', 'end = user', 'not', 'not = 1', 'case = 1', 'case.x = 1',
	'and = or', 'in IN (in)', 'is IS NULL', 'like LIKE like', 'between BETWEEN and AND as', 'exists = cast', 'select = from', '(select = 1)', '(values) = 1',
	'from IS NULL', 'when = then', 'CASE WHEN when THEN then ELSE else END', 'struct = array', 'any = all', 'distinct = 1', 'current_date > a', 'div DIV div', 'x = 1', 'x.x = X''0A''');

\echo -- functions
SELECT show('Upper(a) = ''X''', 'f()', 'a.b.f(1)', '`my f`(1)', '`not`(a)', 'null(a)', 'exists(ar, v -> v > 1)', 'aggregate(ar, 0, (acc, v) -> acc + v) > 1', 'f(x -> y -> x)',
	'count(*) > 1', 'count(DISTINCT a, b) > 1', 'count(ALL a) > 1', 'sum(a) FILTER (WHERE b > 1) > 1', 'row_number() OVER (PARTITION BY a ORDER BY b) = 1',
	'first(a IGNORE NULLS) = 1', 'last(a) IGNORE NULLS OVER w = 1', 'percentile_cont(0.5) WITHIN GROUP (ORDER BY a) > 1', 'f(key => 1, value => a)',
	'struct(1 AS x, b) = c', 'identifier(''a'') = 1', 'left(s, 2) = right(s, 2)', 'if(a, b, c)', 'date(a) = b', 'current_timestamp() > a');

\echo -- functions with words inside
SELECT show('extract(YEAR FROM d) = 2026', 'EXTRACT(dow FROM d)', 'trim(a) = b', 'trim(BOTH FROM a) = b', 'trim(''x'' FROM a) = b', 'trim(LEADING ''x'' FROM a) = b', 'trim(TRAILING FROM a) = b',
	'trim(FROM a) = b', 'trim(leading) = b', 'substring(a FROM 2) = b', 'substr(a FROM 2 FOR 3) = b', 'substring(a, 2, 3) = b', 'position(''x'' IN a) = 1', 'position(''x'', a) = 1',
	'overlay(a PLACING b FROM 2) = c', 'overlay(a PLACING b FROM 2 FOR 3) = c', 'timestampadd(DAY, 1, ts) > b', 'dateadd(month, 1, d) > b', 'date_add(d, 1) > b', 'datediff(HOUR, a, b) > 1', 'datediff(a, b) > 1');

\echo -- CASE
SELECT show('CASE WHEN a THEN b END', 'CASE a WHEN 1 THEN true WHEN 2 THEN false ELSE b = 1 END', 'CASE WHEN a THEN CASE b WHEN 1 THEN 2 END ELSE 3 END = 1', 'CASE WHEN (CASE WHEN a THEN b END) THEN c END',
	'CASE -1 WHEN a THEN b END', 'CASE NOT a WHEN true THEN b END');

\echo -- casts and types
SELECT show('CAST(a AS INT) = 1', 'a::bigint = 1', 'TRY_CAST(a AS date) IS NULL', 'a::int::string', 'CAST(a AS byte)', 'CAST(a AS short)', 'CAST(a AS integer)', 'CAST(a AS long)', 'CAST(a AS real)',
	'CAST(a AS dec(10))', 'CAST(a AS numeric(10, 2))', 'CAST(a AS decimal)', 'CAST(a AS timestamp_ltz)', 'CAST(a AS TIMESTAMP WITHOUT TIME ZONE)', 'CAST(a AS char(3))', 'CAST(a AS character(3))', 'CAST(a AS varchar(3))',
	'CAST(a AS interval)', 'a::interval day to second', 'a::interval year', 'a::interval year to month = b', 'a::string collate utf8_lcase = b', 'CAST(a AS array<array<int>>)', 'a::array<map<string,decimal(3,1)>>>>1',
	'CAST(a AS map<string, array<int>>)', 'CAST(a AS STRUCT<x: INT NOT NULL COMMENT ''it''''s'', `b c` STRING>)', 'CAST(a AS struct<>)', 'CAST(CASE WHEN a THEN b END AS int)', 'array > map AND struct < array', 'array(1) >> 1 = 1');

\echo -- collations, aliases, queries, comments
SELECT show('a COLLATE UTF8_LCASE = b', '(a COLLATE x).b', 'a = 3 AS z', 'a = 3 z', 'a = 1 AND', 'a AS `b c`', 'EXISTS (SELECT 1)', 'NOT EXISTS (SELECT 1 FROM t WHERE x = '')'')', 'a IN (SELECT b FROM t)', 'a NOT IN (WITH q AS (SELECT 1) SELECT * FROM q)',
	'a = (SELECT max(b) FROM t)', '((SELECT 1) + 1) = a', 'a = 1 -- and b', 'a /* x /* y */ z */ = 1', E'a -- x\n = 1', E'a\t=\n1', 'a -> a = 1', '(a, b) = (1, 2)', '*', 't.* = 1');

\echo -- no predicates: the error, where it is, and what to do
CREATE FUNCTION refuse(VARIADIC texts text[]) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	t text; state text; message text; detail text; hint text;
BEGIN
	FOREACH t IN ARRAY texts LOOP
		BEGIN
			RETURN NEXT t || '  PARSES: ' || t::deltacc.predicate::text;
		EXCEPTION WHEN OTHERS THEN
			GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
			RETURN NEXT rpad(t, 28) || concat_ws(' | ', state, message, detail, nullif(hint, ''));
		END;
	END LOOP;
END $$;
SELECT refuse('', '  ', 'a =', '= 3', 'a = 3)', '(a = 3', 'a = 3;', 'a = 1; b = 2', 'a === 3', 'a = 3 XOR b = 3', 'a BETWEEN 1', 'a BETWEEN SYMMETRIC 8 AND 6', 'a IN ()', 'a IN 1', 'a NOT 1',
	'SELECT 1', 'WHERE a = 1', 'a = 3 ORDER BY a', '$a = 1', '["(id#12L < 5)"]', 'id#12L < 5', 'a = ''x', 'a = "x', 'a = `x', 'a = 3 /* c', 'a /*+ hint */ = 1', 'a = ?', ':p = 1', 's LIKE ''a'' ESCAPE ''ab''',
	'foo ''x'' = a', 'CAST(a AS foo)', 'CAST(a AS decimal(39))', 'CAST(a AS varchar)', 'CAST(a AS int(3))', 'CAST(a)', 'CASE WHEN a END', 'CASE a END', 'a IS 1', 'a LIKE ANY ()', 'a !IN (1)', 'a.b.', 'f(a b)', '(a b)',
	'a + 1 -> a', 'a = ''\U00110000''', 'a LIKE ''x'' ESCAPE b', 'a IS NULL IS NULL');

\echo -- what was expected where a text breaks off or goes on wrongly
SELECT refuse('x BETWEEN 1 AND', '(x BETWEEN 1 AND)', 'x BETWEEN 1 OR 2', 'x BETWEEN AND 5', 'x NOT BETWEEN 1', 'CASE a', 'CASE WHEN', 'CASE WHEN a = 1', 'CASE WHEN a = 1 THEN', 'CASE WHEN a = 1 THEN b', 'CASE WHEN a THEN b ELSE',
	'CASE WHEN a THEN b ELSE c', 'CASE a WHEN 1 2 END', 'CASE a WHEN 1 THEN 2 3 END', 'CASE WHEN a THEN END', 'CASE WHEN THEN 1 END', 'CASE WHEN a THEN b ELSE c WHEN d END', '(CASE WHEN a THEN b)', 'CASE WHEN a AND THEN b END');
SELECT refuse('(a IN)', 'a IN (', 'a IN (1', 'a IN (1,', 'a IN (1 2)', 'a NOT IN', 'a IN [1]', 'a IN (SELECT 1', '(a LIKE)', 'a LIKE ANY (', '(a LIKE ''x'' ESCAPE)', '(a NOT)', '(a IS)', 'a IS NOT', 'a IS DISTINCT b', 'a IS NOT DISTINCT FROM', 'a IS NULL 1',
	'CAST(', 'CAST(a', 'CAST(a AS', 'CAST(a AS int', 'CAST(a int)', 'CAST(a AS 1)', 'CAST(a AS decimal(10', 'CAST(a AS decimal(x))', 'CAST(a AS array<int)', 'CAST(a AS map<int>)', 'CAST(a AS struct<x>)', 'CAST(a AS struct<x: int y: int>)', 'a::', 'a::1', 'a::int 5', 'a::string collate');
SELECT refuse('INTERVAL 1', 'INTERVAL 1 FOO', 'INTERVAL 1L DAY', 'DATE 2026-01-01', 'a > TIMESTAMP 5', 'DATE ''2026', 'f(', 'f(a', 'f(a,', 'f(,a)', 'f(a AND)', 'f(x ->', 'f(key =>', 'count(*', 'sum(a) OVER (', 'extract(YEAR', 'extract(YEAR FROM)', 'extract(YEAR d)', 'trim(BOTH a)',
	'substring(a FROM 1 TO 2)', 'position(a b)', 'overlay(a PLACING b)', 'struct(a AS x', 'a[', 'a[1', 'a[]', 'a[1)', 'a]', 'array(1, 2)[', '(', '()', '(a AND)', '((a = 1)', 'a = 1 AND (b = 2', '(a = 1))', '(x, y', '(x, y) ->', '`a`.', 'a..b', 'a.1', '`a` `b` `c`');
SELECT refuse('a = 1 b = 2', 'a = 1 ADN b = 2', 'a = 1, b = 2', 'a = 1 AND AND b = 2', 'a = 1 AND = 2', 'AND b = 1', 'a = 1 2', 'a = 1 ''x''', 'a = = 1', 'a +', 'a * / b', '-', 'a = 1 AS b c', 'a AS 1', 'a COLLATE 1', 'a SIMILAR TO ''x''', 'a = 1 && b = 2', 'a := 1', 'a = 1 OR )', 'EXISTS (SELECT 1');
\echo -- such words may still name what stands before them
SELECT show('a BETWEEN 1 AND 2 AND', 'struct(a AND, b OR) = c', '(a AS x, b NOT) = c', 'CASE WHEN a THEN b END IN', 'a LIKE');
SELECT refuse(repeat('(', 20000) || 'a' || repeat(')', 20000)) ~ '54001 | predicate is nested too deeply';
SELECT refuse(repeat('a + ', 200000) || 'a') ~ '54001';

\echo -- casts, arrays, equality
CREATE FUNCTION reads(predicate[]) RETURNS text LANGUAGE sql AS 'SELECT $1::text';
SELECT reads(ARRAY['a = 1', 'id IN (1, 2)']);
SELECT reads(array_agg(t)) FROM (VALUES ('a=1'::text), (NULL)) v(t);
SELECT reads('{}');
CREATE TABLE kept (p predicate, t text);
INSERT INTO kept VALUES ('a = 1', 'a=1'), ('a == 1', NULL), ('b IN (1,2)', 'B in (1,2)');
INSERT INTO kept SELECT 'id IN (' || string_agg(i::text, ', ') || ')', 'x' FROM generate_series(1, 3000) i;
UPDATE kept SET t = p WHERE t IS NULL;
SELECT left(p::text, 30), left(t, 30), CASE WHEN t <> 'x' THEN p = t::predicate END, p <> t::predicate FROM kept ORDER BY p::text COLLATE "C", t COLLATE "C";
SELECT count(*) FROM (SELECT DISTINCT p FROM kept) d;
SELECT count(*) FROM (SELECT p FROM kept UNION SELECT 'a = 1') u;
SET enable_mergejoin = off;
SET enable_nestloop = off;
SELECT count(*) FROM kept a JOIN kept b USING (p);
RESET enable_mergejoin;
RESET enable_nestloop;
SELECT '`a` = 1 and (b and c)'::predicate = 'a=1 AND b AND c', 'a = 1'::predicate = 'A = 1', 'a = 1 AND b'::predicate = 'b AND a = 1';
SELECT predicate_hash('a = 1') = predicate_hash('a  =  1'), predicate_hash_extended('a = 1', 7) = predicate_hash_extended('a=1', 7);
SELECT predicate_send('a=1');
DROP TABLE kept;
