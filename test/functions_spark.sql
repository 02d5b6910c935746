-- What Spark 4.1 answers (on JDK 17), value by value: data/functions.jsonl holds, for columns of each type, expressions over
-- them and their results as text (of binary in hexadecimal digits), or the class of the error.  The values are those of a
-- partition column, so that a file is kept exactly where the expression has that result.
\ir data/begin.psql
SELECT no_plan();

CREATE TEMP TABLE line AS
SELECT l::json AS line, n FROM regexp_split_to_table(pg_read_file(:'data' || '/functions.jsonl'), E'\n') WITH ORDINALITY AS t(l, n) WHERE l <> '';
CREATE TEMP TABLE answer (type text, zone text, expression text, expected text, wanted text[], kept text[], failure text);

CREATE FUNCTION pg_temp.literal(t text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT '''' || replace(replace(replace(t, '\', '\\'), '''', '\'''), E'\n', '\n') || '''' $$;

CREATE FUNCTION pg_temp.ask() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	t json;
	e json;
	snapshot deltacc.actions;
	files deltacc.actions;
	condition text;
	result text;
	wanted text[];
	kept text[];
	failure text;
BEGIN
	FOR t IN SELECT line FROM line ORDER BY n LOOP
		PERFORM set_config('TimeZone', t->>'timeZone', true);
		snapshot := format(E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":%s,"partitionColumns":["p"],"configuration":{}}}',
			to_json(format('{"type":"struct","fields":[{"name":"a","type":"integer","nullable":true,"metadata":{}},{"name":"p","type":"%s","nullable":true,"metadata":{}}]}',
				CASE t->>'type' WHEN 'int' THEN 'integer' WHEN 'bigint' THEN 'long' ELSE t->>'type' END)));
		FOR e IN SELECT json_array_elements(t->'expressions') LOOP
			-- a file whose value fails would fail the whole
			files := (SELECT string_agg(json_build_object('add', json_build_object('path', 'f' || n, 'partitionValues', json_build_object('p', v),
						'size', 1, 'modificationTime', 1, 'dataChange', true))::text, E'\n' ORDER BY n)
				FROM json_array_elements_text(t->'values') WITH ORDINALITY AS x(v, n) JOIN json_array_elements(e->'results') WITH ORDINALITY AS y(r, m) ON n = m
				WHERE json_typeof(r) <> 'object');
			FOR result IN SELECT DISTINCT r #>> '{}' FROM json_array_elements(e->'results') r WHERE json_typeof(r) <> 'object' ORDER BY 1 LOOP
				condition := CASE WHEN result IS NULL THEN format('(%s) IS NULL', e->>'sql')
					WHEN e->>'type' = 'binary' THEN format('hex(%s) <=> %s', e->>'sql', pg_temp.literal(result))
					ELSE format('CAST((%s) AS STRING) <=> %s', e->>'sql', pg_temp.literal(result)) END;
				wanted := ARRAY(SELECT 'f' || m FROM json_array_elements(e->'results') WITH ORDINALITY AS y(r, m)
					WHERE json_typeof(r) <> 'object' AND (r #>> '{}') IS NOT DISTINCT FROM result ORDER BY 1);
				failure := NULL;
				BEGIN
					kept := ARRAY(SELECT path FROM deltacc.filter_files(snapshot, condition, files) f WHERE f.kept ORDER BY 1);
				EXCEPTION WHEN OTHERS THEN
					kept := NULL; failure := SQLSTATE || ' ' || SQLERRM;
				END;
				INSERT INTO answer VALUES (t->>'type', t->>'timeZone', e->>'sql', result, wanted, kept, failure);
			END LOOP;
		END LOOP;
	END LOOP;
END $$;
SELECT pg_temp.ask() \g /dev/null

SELECT cmp_ok((SELECT count(*) FROM answer), '>', 4000::bigint, 'Spark was asked much');
SELECT is_empty('SELECT type, zone, expression, failure FROM answer WHERE failure IS NOT NULL LIMIT 20', 'nothing fails that Spark computes');
SELECT is_empty('SELECT type, zone, expression, expected, wanted, kept FROM answer WHERE NOT kept @> wanted LIMIT 20', 'no file is dropped that has the result');
SELECT is_empty('SELECT type, zone, expression, expected, wanted, kept FROM answer WHERE NOT kept <@ wanted LIMIT 20', 'no file is kept that has another');
SELECT * FROM finish();
ROLLBACK;
