-- The type deltacc.predicate: its catalog entries, round trips, limits.
\ir data/begin.psql
SET LOCAL search_path = public, deltacc;
SELECT no_plan();

-- The catalog
SELECT ok(provolatile = 'i' AND proisstrict AND proparallel = 's', proname || ' is immutable, strict and parallel safe')
FROM pg_proc
WHERE pronamespace = 'deltacc'::regnamespace AND proname ~ '^predicate($|_(in|out|recv|send|text|eq|ne|lt|le|gt|ge|cmp|hash|hash_extended)$)'
ORDER BY proname;
SELECT is(count(*)::int, 15, 'fifteen functions make the type')
FROM pg_proc
WHERE pronamespace = 'deltacc'::regnamespace AND proname ~ '^predicate($|_(in|out|recv|send|text|eq|ne|lt|le|gt|ge|cmp|hash|hash_extended)$)';
SELECT ok(obj_description(oid, 'pg_proc') IS NOT NULL, proname || ' has a comment')
FROM pg_proc
WHERE pronamespace = 'deltacc'::regnamespace AND proname ~ '^predicate($|_(in|out|recv|send|text|eq|ne|lt|le|gt|ge|cmp|hash|hash_extended)$)'
ORDER BY proname;
SELECT is(castcontext::text || castmethod::text, 'if', 'text is a predicate, implicitly and by a function')
FROM pg_cast WHERE castsource = 'text'::regtype AND casttarget = 'predicate'::regtype;
SELECT is(castcontext::text || castmethod::text, 'af', 'a predicate is assigned to text')
FROM pg_cast WHERE castsource = 'predicate'::regtype AND casttarget = 'text'::regtype;
SELECT is(typstorage::text || typalign::text, 'xi', 'extended storage, aligned to 4') FROM pg_type WHERE oid = 'predicate'::regtype;
SELECT ok(oprcanhash AND oprcanmerge, 'equality can hash and merge') FROM pg_operator WHERE oid = 'deltacc.=(predicate, predicate)'::regoperator;

-- An order, whatever it means: total, and its equality is =.
CREATE TEMP TABLE sorted (p predicate);
INSERT INTO sorted VALUES ('b = 1'), ('a = 1'), ('a=1'), ('a'), ('a = 1 AND b = 2'), ('(a = 1)'), ('A = 1'), ('TRUE'), ('a IN (1, 2, 3)');
SELECT is(count(*), 0::bigint, 'each pair is in one of three relations, the same from both sides')
FROM sorted x, sorted y
WHERE (x.p < y.p)::int + (x.p = y.p)::int + (x.p > y.p)::int <> 1 OR (x.p <= y.p) <> (NOT x.p > y.p) OR (x.p >= y.p) <> (NOT x.p < y.p)
	OR (x.p < y.p) <> (y.p > x.p) OR sign(predicate_cmp(x.p, y.p)) <> -sign(predicate_cmp(y.p, x.p)) OR (x.p <> y.p) = (x.p = y.p);
SELECT is(count(*), 0::bigint, '... and it is transitive') FROM sorted x, sorted y, sorted z WHERE x.p < y.p AND y.p < z.p AND NOT x.p < z.p;
SELECT is(count(DISTINCT p), 7::bigint, 'count(DISTINCT) sorts') FROM sorted;
SELECT is(count(DISTINCT ARRAY[p, 'a']), 7::bigint, '... arrays, too') FROM sorted;
SELECT is(array_agg(p ORDER BY p) = (SELECT array_agg(p ORDER BY p DESC) FROM sorted), false, 'ORDER BY and its reverse') FROM sorted;
CREATE UNIQUE INDEX ON sorted (p) WHERE p <> 'a = 1';
SELECT throws_ok($$INSERT INTO sorted VALUES ('b  =  1')$$, '23505', NULL, 'a unique index');

-- in(out(p)) = p, for each of a list that has every form in it
CREATE TEMP TABLE texts (t text);
INSERT INTO texts VALUES
	('a = 1 OR b <=> 2 AND NOT (c < 3 OR d IS NULL)'), ('(a OR b) AND (c OR (d AND (e OR f)))'), ('((a = b) = c) <> (d = (e = f))'),
	('-(-3) = - -x AND -(1::string) = -(-y) AND -1.5e3[0] = -.5'), ('(a | b) ^ (c & d) << ((e + f) * g) - (h - i) DIV j % k / (l * m) || n >> 1 >>> 2'),
	('~a BETWEEN +b AND -c AND d NOT BETWEEN (e = f) AND g'), ('(a, b AS c) IN ((1, 2), (3L, NULL))'), ('NOT EXISTS (SELECT '')'' FROM t -- )' || E'\n)'),
	('a NOT IN (SELECT 1) AND b = (SELECT max(c) FROM d)'), ('a LIKE ''\%_'' AND b NOT ILIKE ''x!%'' ESCAPE ''!'' AND c RLIKE r''\d+'' AND d NOT LIKE ANY (''x'', e) AND f ILIKE ALL (''y'')'),
	('a IS NOT TRUE AND b IS UNKNOWN AND (c = d) IS NOT DISTINCT FROM e'), ('CASE a WHEN 1 THEN 2 ELSE CASE WHEN b THEN c END END = 1'),
	('CAST(a::struct<x:int not null comment ''y'', `b c`:array<map<string,decimal(3,1)>>> AS string) = TRY_CAST(b AS interval day to second)'),
	('f(x -> x + 1, (a, b) -> a AND b, (c -> d), key => 1) IS NULL'), ('(x -> y) AND z'), ('count(DISTINCT *) FILTER (WHERE a) OVER (ORDER BY b) + first(c IGNORE NULLS) > 1'),
	('`a``b`.`c.d`.`select`[0][''x''].`1e` = (f(x)).y AND (1).z AND (a COLLATE x).b'), ('`not`(a) = `case` AND `cast`(b) AND `distinct`(`distinct` - 1) AND `any`(c)'),
	('struct(1 AS x, `and`) = timestampadd(DAY, 1, b)'), ('trim(BOTH ''x'' FROM a) = extract(YEAR FROM b) || overlay(a PLACING b FROM 1 FOR 2)'),
	('INTERVAL -1 DAY 2 HOURS + INTERVAL ''1 2:3:4'' DAY TO SECOND - INTERVAL ''x'' < `interval`'), ('X''0aF'' = DATE ''x'' AND TIMESTAMP ''\'''' < TIMESTAMP_NTZ "y" AND TIMESTAMP_LTZ ''z'' IS NULL'),
	('1Y + 2S + 3L + 4F + 5D + 6BD + 7. + 8.5BD + 9e1BD + .1F > 0'), ('''\u0000\0012\n\\"\'''' = "it''s"'), ('* = 1 AND t.* IS NULL AND ! *'), ('a AND'), ('a AS `b c`'), ('TIME ''1:00'' = a::time(3)');
SELECT is(t::predicate::text::predicate::text, t::predicate::text, 'its text is in normal form: ' || translate(left(t, 40), E'\n', ' ')) FROM texts;
SELECT ok(t::predicate::text::predicate = t::predicate, 'its text is the same predicate: ' || translate(left(t, 40), E'\n', ' ')) FROM texts;

-- every cut of them is a predicate or a clear error
CREATE FUNCTION pg_temp.outcome(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF t::deltacc.predicate = t::deltacc.predicate::text::deltacc.predicate THEN RETURN 'parses'; END IF;
	RETURN 'reads its own text as something else';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
SELECT ok(array_agg(o) <@ '{22025,42601,42704,parses}', 'cut anywhere, it parses or is an error of its own')
FROM texts, generate_series(0, length(t)) n, pg_temp.outcome(left(t, n)) o;
SELECT ok(array_agg(o) <@ '{22025,42601,42704,parses}', 'without any one character, too')
FROM texts, generate_series(1, length(t)) n, pg_temp.outcome(left(t, n - 1) || substr(t, n + 1)) o;

-- size and depth
SELECT is(length((string_agg('a = ' || i, ' OR '))::predicate::text), 1288891, 'an OR of 100,000 terms') FROM generate_series(1, 100000) i;
SELECT is(length(('a IN (' || string_agg(i::text, ', ') || ')')::predicate::text), 688900, 'an IN of 100,000 values') FROM generate_series(1, 100000) i;
SELECT is(length(('a = ''' || repeat('x', 30000000) || '''')::predicate::text), 30000006, 'a text of 30 MB');
SELECT is(pg_temp.outcome(repeat('(', 3000) || 'a' || repeat(')', 3000)), 'parses', '3,000 parentheses');
SELECT is(pg_temp.outcome(repeat('(', 1000000)), '54001', 'a million parentheses');
SELECT is(pg_temp.outcome(repeat('NOT ', 1000000) || 'a'), '54001', 'a million NOTs');
SELECT is(pg_temp.outcome(repeat('a + ', 1000000) || 'a'), '54001', 'a million additions');
SELECT is(pg_temp.outcome(repeat('a.', 100000) || 'b'), 'parses', 'a long path');
SELECT ok((repeat('a AND (', 2000) || 'b' || repeat(')', 2000))::predicate = (repeat('a AND ', 2000) || 'b')::predicate, 'AND is one node, however it nests');

-- stored, toasted, binary
CREATE TEMP TABLE kept (p predicate);
INSERT INTO kept SELECT t FROM texts UNION ALL SELECT 'id IN (' || string_agg('''' || md5(i::text) || '''', ',') || ')' FROM generate_series(1, 5000) i;
SELECT ok(pg_column_size(p) > 2000, 'the long one is toasted') FROM kept ORDER BY length(p::text) DESC LIMIT 1;
SELECT is((SELECT count(*) FROM kept a JOIN kept b ON a.p = b.p), (SELECT count(*) FROM kept), 'each equals itself and no other');
SELECT ok(bool_and(get_byte(predicate_send(p), 0) = 1 AND convert_from(substr(predicate_send(p), 2), getdatabaseencoding()) = p::text),
		  'the binary form is a version and the text') FROM kept;

-- soft errors came with PostgreSQL 16
SELECT current_setting('server_version_num')::int >= 160000 AS soft_errors \gset
\if :soft_errors
SELECT ok(pg_input_is_valid('a < 1', 'deltacc.predicate') AND NOT pg_input_is_valid('a <', 'deltacc.predicate'), 'a syntax error is a soft one');
SELECT is(sql_error_code, '42601', 'with its SQLSTATE') FROM pg_input_error_info('a = ''x', 'deltacc.predicate');
\endif

-- encodings
SELECT CASE WHEN getdatabaseencoding() = 'UTF8' THEN
	is(('`' || chr(233) || 't' || chr(233) || '` = ''' || chr(128512) || '\ud83d\ude00\ud83d''')::predicate::text,
	   '`' || chr(233) || 't' || chr(233) || '` = ''' || chr(128512) || chr(128512) || '?''', 'beyond ASCII; half a surrogate is ?, as in Java')
	ELSE pass('not UTF8') END;
SELECT CASE WHEN getdatabaseencoding() = 'UTF8' THEN
	throws_ok(format('SELECT %L::deltacc.predicate', chr(233) || 't' || chr(233) || ' = 1'), '42601', 'invalid name "' || chr(233) || 't' || chr(233) || '"', 'names beyond ASCII need backticks')
	ELSE pass('not UTF8') END;
SELECT CASE WHEN getdatabaseencoding() = 'UTF8' THEN
	is(('a' || chr(160) || '=' || chr(12288) || '1')::predicate::text, 'a = 1', 'blanks beyond ASCII')
	ELSE pass('not UTF8') END;

SELECT * FROM finish();
ROLLBACK;
