-- No input crashes the backend.  Truncated, duplicated and random bytes go to
-- every input function and through every function; each call may answer or
-- raise an ordinary error, never an internal one (XX...), and the server is
-- still there at the end.  The seed is fixed: the same inputs every run.
\ir data/begin.psql
SELECT plan(5);
SET LOCAL client_min_messages = error;
SELECT set_config('deltacc_test.data', :'data', true) \g /dev/null

SELECT setseed(0.42) \g /dev/null

CREATE FUNCTION pg_temp.mutate(s text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	n int := greatest(length(s), 1);
	i int := 1 + floor(random() * n);
	len int := 1 + floor(random() * 12);
	odd text[] := ARRAY['{', '}', '[', ']', '"', '\', '''', '`', ',', ':', '(', ')', E'\n', E'\r', E'\t', E'\x01', '-', '9223372036854775808',
		'1e999999999', 'NaN', 'null', 'NULL', '\u0000', '\ud800', 'é', '𝄞', '--', '/*', ' AND ', ' OR ', ' NOT ', ' IN (', '::', '%', '0x', '.', '..', '1e', '''''', '$'];
BEGIN
	RETURN CASE floor(random() * 6)
		WHEN 0 THEN left(s, i - 1)
		WHEN 1 THEN left(s, i - 1) || substr(s, i + len)
		WHEN 2 THEN left(s, i) || substr(s, greatest(i - len, 1))
		WHEN 3 THEN overlay(s PLACING odd[1 + floor(random() * cardinality(odd))] FROM i)
		WHEN 4 THEN left(s, i - 1) || odd[1 + floor(random() * cardinality(odd))] || substr(s, i)
		ELSE overlay(s PLACING chr(1 + floor(random() * 255)::int) FROM i)
	END;
END $$;

-- Real inputs to start from.
CREATE TEMP TABLE commit_text AS
SELECT t, v, pg_read_file(format('%s/logs/%s/_delta_log/%s.json', :'data', t, lpad(v::text, 20, '0'))) AS s
FROM unnest(ARRAY['orders', 'events', 'accounts']) t, generate_series(0, 12) v;
CREATE TEMP TABLE odd_commit AS
SELECT row_number() OVER () AS n, s FROM (
	SELECT string_agg(a #>> '{}', E'\n') AS s
	FROM (SELECT l::json AS j, k FROM regexp_split_to_table(pg_read_file(:'data' || '/corpus/conflict-scenarios.jsonl'), E'\n') WITH ORDINALITY AS x(l, k) WHERE l <> '' AND k % 7 = 0) y,
		 json_array_elements(j->'winners') w, json_array_elements(w) a
	GROUP BY k) z WHERE length(s) < 20000;
CREATE TEMP TABLE predicate_text AS
SELECT row_number() OVER () AS n, p->>'sql' AS s
FROM (SELECT l::json AS j FROM regexp_split_to_table(pg_read_file(:'data' || '/corpus/skip-spec.jsonl') || pg_read_file(:'data' || '/corpus/skip-truth.jsonl'), E'\n') l WHERE l <> '') x,
	 json_array_elements(j->'predicates') p;

-- Runs one call; remembers what came of it.
CREATE TEMP TABLE outcome (call text, state text);
CREATE FUNCTION pg_temp.try(call text, statement text, VARIADIC args text[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement USING args[1], args[2], args[3];
	INSERT INTO outcome VALUES (call, 'answered');
EXCEPTION WHEN OTHERS THEN
	INSERT INTO outcome VALUES (call, SQLSTATE);
	IF SQLSTATE LIKE 'XX%' THEN
		RAISE WARNING '% % for % %', SQLSTATE, SQLERRM, call, left(args::text, 2000);
	END IF;
END $$;

-- The text of an actions value, mutated once to thrice, through every function that takes one.
DO $$
DECLARE
	s text;
	snapshot text := (SELECT deltacc.table_state(v, c.s::deltacc.actions)::text FROM commit_text c WHERE t = 'orders' AND v < 5);
	good text := (SELECT c.s FROM commit_text c WHERE t = 'orders' AND v = 6);
	f text;
BEGIN
	FOR s IN (SELECT x.s FROM commit_text x WHERE v % 4 = 0) UNION ALL (SELECT x.s FROM odd_commit x ORDER BY n LIMIT 60) LOOP
		FOR i IN 1..30 LOOP
			s := pg_temp.mutate(s);
			PERFORM pg_temp.try('file_actions', 'SELECT count(*), max(stats::text) FROM deltacc.file_actions($1::deltacc.actions)', s);
			PERFORM pg_temp.try('accessors', 'SELECT deltacc.commit_info(a), deltacc.protocol(a), deltacc.metadata(a), deltacc.is_blind_append(a), a::text, a = a FROM (SELECT $1::deltacc.actions a) x', s);
			PERFORM pg_temp.try('aggregates', 'SELECT deltacc.table_state(0, a), deltacc.reconcile(0, a) FROM (SELECT $1::deltacc.actions a) x', s);
			PERFORM pg_temp.try('winner', 'SELECT * FROM deltacc.check_conflicts($2::deltacc.actions, $1::deltacc.actions, ARRAY[''customer_id < 5''])', s, snapshot);
			PERFORM pg_temp.try('snapshot', 'SELECT * FROM deltacc.check_conflicts($1::deltacc.actions, $2::deltacc.actions, ARRAY[''customer_id < 5''])', s, good);
			PERFORM pg_temp.try('mixed snapshot', 'SELECT deltacc.isolation_level(($2 || E''\n'' || $1)::deltacc.actions), deltacc.skip_expression(($2 || E''\n'' || $1)::deltacc.actions, ''id = 1'')', s, snapshot);
			PERFORM pg_temp.try('writes', 'SELECT deltacc.rebase($3::deltacc.actions, $2::deltacc.actions, writes => $1::deltacc.actions, winner_version => 7)', s, good, snapshot);
			PERFORM pg_temp.try('files', 'SELECT * FROM deltacc.filter_files($2::deltacc.actions, ''customer_id < 5 AND tier LIKE ''''g%'''''', $1::deltacc.actions)', s, snapshot);
		END LOOP;
	END LOOP;
END $$;

-- Predicates likewise, bound to a table of every type.
DO $$
DECLARE
	s text;
	spec json := (SELECT l::json FROM regexp_split_to_table(pg_read_file(current_setting('deltacc_test.data') || '/corpus/skip-spec.jsonl'), E'\n') l LIMIT 1);
	snapshot text := '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', 'x',
		'format', '{"provider":"parquet","options":{}}'::json, 'schemaString', spec->>'schemaString', 'partitionColumns', spec->'partitionColumns',
		'configuration', '{}'::json, 'createdTime', 1))::text;
	files text := (SELECT string_agg('{"add":' || a || '}', E'\n') FROM json_array_elements(spec->'adds') a);
BEGIN
	FOR s IN SELECT p.s FROM predicate_text p WHERE n % 2 = 0 ORDER BY n LOOP
		FOR i IN 1..4 LOOP
			s := pg_temp.mutate(s);
			PERFORM pg_temp.try('predicate', 'SELECT (($1::deltacc.predicate)::text)::deltacc.predicate = $1::deltacc.predicate', s);
			PERFORM pg_temp.try('filter_files', 'SELECT * FROM deltacc.filter_files($2::deltacc.actions, $1::deltacc.predicate, $3::deltacc.actions)', s, snapshot, files);
			PERFORM pg_temp.try('skip_expression', 'SELECT deltacc.skip_expression($2::deltacc.actions, $1::deltacc.predicate)', s, snapshot);
			PERFORM pg_temp.try('explain_predicate', 'SELECT * FROM deltacc.explain_predicate($2::deltacc.actions, $1::deltacc.predicate)', s, snapshot);
			PERFORM pg_temp.try('check_conflicts', 'SELECT * FROM deltacc.check_conflicts($2::deltacc.actions, $3::deltacc.actions, ARRAY[$1]::deltacc.predicate[])', s, snapshot, files);
		END LOOP;
	END LOOP;
END $$;

-- Depth and size.
SELECT pg_temp.try('deep predicate', 'SELECT $1::deltacc.predicate', repeat(o, 100000) || 'a' || repeat(c, 100000))
FROM (VALUES ('(', ')'), ('NOT ', ''), ('- ', ''), ('f(', ')'), ('a[', ']'), ('CASE WHEN ', ' THEN 1 END'), ('CAST(', ' AS INT)'), ('a IN (', ')')) v(o, c) \g /dev/null
SELECT pg_temp.try('deep JSON', 'SELECT deltacc.commit_info($1::deltacc.actions)', '{"commitInfo":' || repeat(o, 100000) || repeat(c, 100000) || '}')
FROM (VALUES ('[', ']'), ('{"a":', '}')) v(o, c) \g /dev/null
SELECT pg_temp.try('deep schema', 'SELECT deltacc.skip_expression($1::deltacc.actions, ''a = 1'')',
	'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', 'x', 'schemaString',
	repeat('{"type":"struct","fields":[{"name":"a","nullable":true,"metadata":{},"type":', 20000) || '"long"' || repeat('}]}', 20000),
	'partitionColumns', '[]'::json, 'configuration', '{}'::json))::text) \g /dev/null
SELECT pg_temp.try('long chain', 'SELECT deltacc.skip_expression($2::deltacc.actions, $1::deltacc.predicate)',
	array_to_string(ARRAY(SELECT 'a = ' || i FROM generate_series(1, 100000) i), op), (SELECT deltacc.table_state(v, s::deltacc.actions)::text FROM commit_text WHERE t = 'orders' AND v < 5))
FROM unnest(ARRAY[' OR ', ' AND ']) op \g /dev/null

SELECT is(count(*), 0::bigint, 'no internal error') FROM outcome WHERE state LIKE 'XX%';
SELECT cmp_ok(count(*), '>', 8000::bigint, 'thousands of calls') FROM outcome;
SELECT cmp_ok(count(*) FILTER (WHERE state = 'answered'), '>', 1000::bigint, 'many of them are answered') FROM outcome;
SELECT cmp_ok(count(*) FILTER (WHERE state <> 'answered'), '>', 1000::bigint, 'many are refused') FROM outcome;
SELECT ok(true, 'the server is still there');

SELECT * FROM finish();
ROLLBACK;
