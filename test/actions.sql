-- The type deltacc.actions: what is read of real logs and of random JSON is
-- what PostgreSQL reads, nothing is lost, and nothing more is read than needed.
\ir data/begin.psql
SELECT plan(44);
SELECT setseed(0.25) \g /dev/null

-- ----- real logs -----

CREATE TEMP TABLE commit_text AS
SELECT t, v, pg_read_file(format('%s/logs/%s/_delta_log/%s.json', :'data', t, lpad(v::text, 20, '0'))) AS s
FROM unnest(ARRAY['orders', 'events', 'accounts']) t, generate_series(0, 20) v;
CREATE TEMP TABLE line AS
SELECT t, v, k::int, key, value
FROM commit_text, regexp_split_to_table(s, E'\n') WITH ORDINALITY AS x(l, k), jsonb_each(nullif(l, '')::jsonb);

SELECT is((SELECT count(*) FROM commit_text WHERE s::deltacc.actions::text <> s), 0::bigint, 'real commits come out as they went in');
SELECT bag_eq(
	$$ SELECT ROW(t, v, ordinal, action, path, partition_values, size, data_change, modification_time, deletion_timestamp, stats, deletion_vector,
		base_row_id, default_row_commit_version, tags)::text FROM commit_text, deltacc.file_actions(s) $$,
	$$ SELECT ROW(t, v, k, key, value->>'path', value->'partitionValues', (value->>'size')::numeric, (value->>'dataChange')::boolean,
		(value->>'modificationTime')::numeric, (value->>'deletionTimestamp')::numeric, (value->>'stats')::jsonb, value->'deletionVector',
		(value->>'baseRowId')::bigint, (value->>'defaultRowCommitVersion')::bigint, value->'tags')::text
		FROM line WHERE key IN ('add', 'remove', 'cdc') $$,
	'file_actions says what jsonb says');
SELECT bag_eq(
	$$ SELECT ROW(t, v, deltacc.commit_info(s), deltacc.protocol(s), deltacc.metadata(s))::text FROM commit_text $$,
	$$ SELECT ROW(t, v, (array_agg(value) FILTER (WHERE key = 'commitInfo'))[1], (array_agg(value) FILTER (WHERE key = 'protocol'))[1],
		(array_agg(value) FILTER (WHERE key = 'metaData'))[1])::text FROM line GROUP BY t, v $$,
	'so do the other accessors');
SELECT is((SELECT count(*) FROM commit_text WHERE deltacc.is_blind_append(s)),
	(SELECT count(*) FROM line WHERE key = 'commitInfo' AND value->'isBlindAppend' = 'true'), 'and is_blind_append');
SELECT is((SELECT array_agg(DISTINCT section || ':' || key ORDER BY section || ':' || key)
		FROM commit_text, deltacc.actions_layout(s) WHERE t = 'events' AND key <> ''),
	(SELECT array_agg(DISTINCT a ORDER BY a) FROM (
		SELECT f || ':' || jsonb_object_keys((value->>'stats')::jsonb->f) AS a
		FROM line, unnest(ARRAY['minValues', 'maxValues', 'nullCount']) f WHERE t = 'events' AND key IN ('add', 'remove') AND value ? 'stats'
		UNION ALL SELECT 'partitionValues:' || jsonb_object_keys(value->'partitionValues') FROM line WHERE t = 'events' AND key IN ('add', 'remove')) x),
	'one column for each key of a statistic and of partitionValues');

-- ----- random JSON against PostgreSQL's parser -----

CREATE FUNCTION pg_temp.pick(VARIADIC a text[]) RETURNS text LANGUAGE sql VOLATILE AS $$ SELECT a[1 + floor(random() * cardinality(a))::int] $$;
CREATE FUNCTION pg_temp.random_string() RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	s text := '';
BEGIN
	FOR i IN 1..floor(random() * 6)::int LOOP
		s := s || pg_temp.pick('a', 'b', 'é', '𝄞', '\"', '\\', '\/', '\b\f\n\r\t', '\u0041', '\u00e9', '\uD834\udd1e', '''', '{', ' ');
	END LOOP;
	RETURN '"' || s || '"';
END $$;
CREATE FUNCTION pg_temp.random_json(depth int) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	s text := '';
	kind float := random() * CASE WHEN depth > 4 THEN 0.6 ELSE 1 END;
BEGIN
	IF kind < 0.25 THEN
		RETURN pg_temp.pick('0', '-0', '1', '-17', '3.50', '1e3', '1E+2', '-2.5e-3', '9223372036854775807', '9223372036854775808', '0.1234567890123456789012345');
	ELSIF kind < 0.4 THEN
		RETURN pg_temp.pick('null', 'true', 'false');
	ELSIF kind < 0.6 THEN
		RETURN pg_temp.random_string();
	END IF;
	FOR i IN 1..floor(random() * 4)::int LOOP
		s := s || CASE WHEN i > 1 THEN ',' ELSE '' END || pg_temp.pick('', ' ', E'\t')
			|| CASE WHEN kind < 0.8 THEN '' ELSE pg_temp.random_string() || pg_temp.pick(':', ' : ') END || pg_temp.random_json(depth + 1);
	END LOOP;
	RETURN CASE WHEN kind < 0.8 THEN '[' || s || ']' ELSE '{' || s || pg_temp.pick('', ' ') || '}' END;
END $$;
CREATE FUNCTION pg_temp.mutate(s text) RETURNS text LANGUAGE plpgsql VOLATILE AS $$
DECLARE
	i int := 1 + floor(random() * length(s));
	c text := pg_temp.pick('{', '}', '[', ']', '"', '\', ',', ':', '0', '1', '.', '-', 'e', '\u12', E'\x01', 'é', ' ', 'null');
BEGIN
	RETURN CASE floor(random() * 4)
		WHEN 0 THEN left(s, i - 1)
		WHEN 1 THEN left(s, i - 1) || substr(s, i + 1)
		WHEN 2 THEN left(s, i - 1) || c || substr(s, i)
		ELSE overlay(s PLACING c FROM i)
	END;
END $$;
-- NULL: refused as unreadable.
CREATE FUNCTION pg_temp.ours(s text) RETURNS jsonb LANGUAGE plpgsql AS $$
BEGIN
	RETURN deltacc.commit_info('{"commitInfo":{"v":' || s || '}}') -> 'v';
EXCEPTION WHEN invalid_text_representation THEN
	RETURN NULL;
END $$;
CREATE FUNCTION pg_temp.theirs(s text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
	RETURN ('{"commitInfo":{"v":' || s || '}}')::json IS NOT NULL;
EXCEPTION WHEN invalid_text_representation THEN
	RETURN false;
END $$;

CREATE TEMP TABLE random_json AS SELECT pg_temp.random_json(0) AS s FROM generate_series(1, 3000);
SELECT is((SELECT count(*) FROM random_json WHERE pg_temp.ours(s) IS DISTINCT FROM s::jsonb), 0::bigint, 'valid JSON is read as jsonb reads it');
CREATE TEMP TABLE mutated_json AS SELECT pg_temp.mutate(s) AS s FROM random_json, generate_series(1, 3);
SELECT cmp_ok((SELECT count(*) FROM mutated_json WHERE NOT pg_temp.theirs(s)), '>', 1000::bigint, 'there is bad JSON to refuse');
SELECT is((SELECT s FROM mutated_json WHERE pg_temp.theirs(s) <> (pg_temp.ours(s) IS NOT NULL) LIMIT 1), NULL, 'bad JSON is refused where json refuses it');

-- ----- statistics -----

CREATE FUNCTION pg_temp.columns(a deltacc.actions) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(section || ':' || replace(key, '.', '/'), ' ' ORDER BY section, key)
	FROM deltacc.actions_layout(a) WHERE section IN ('minValues', 'maxValues', 'nullCount', 'numRecords') $$;
CREATE FUNCTION pg_temp.stats_columns(stats text) RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.columns(json_build_object('add', json_build_object('path', 'a', 'stats', stats))::text) $$;

SELECT is(pg_temp.stats_columns('{"numRecords":1,"minValues":{"a":1},"maxValues":{"a":1},"nullCount":{"a":0}}'),
	'maxValues:a minValues:a nullCount:a numRecords:', 'plain statistics');
SELECT is(pg_temp.stats_columns(' {"minValues":{"a":{"b":1,"c":{"d":null}}}}'),
	'minValues:a minValues:a/b minValues:a/c minValues:a/c/d', 'a struct is a column and its fields are');
SELECT is(pg_temp.stats_columns('{"minValues":{"a":{"b":1},"x":1,"a":{"c":1}}}'),
	'minValues:a minValues:a/c minValues:x', 'of duplicate keys the last counts, with what is below it');
SELECT is(pg_temp.stats_columns('{"minValues":{"a":1},"minValues":{"b":1},"maxValues":{"a":1},"maxValues":null}'),
	'minValues:b', 'and so at the top');
SELECT is(pg_temp.stats_columns('{"minValues":{"\u0061":1}}'), 'minValues:a', 'a key in escapes');
SELECT is(pg_temp.stats_columns('{"minValues":{"a\u0001b":1,"a\u0000b":1,"c":1}}'), 'minValues:c', 'a key that no column can have');
SELECT is(pg_temp.stats_columns('{''minValues'':{''a"b'':''x'',''c\''d'':1}}'), 'minValues:a"b minValues:c''d', 'single quotes');
SELECT is(pg_temp.stats_columns('{"minValues":{"a":1}}garbage'), 'minValues:a', 'what follows is ignored');
SELECT is(pg_temp.stats_columns('{"minValues":{"a":NaN,"b":-Infinity,"c":+INF}}'), 'minValues:a minValues:b minValues:c', 'numbers that are none');
SELECT is(pg_temp.stats_columns(s), NULL, 'no statistics: ' || s) FROM (VALUES
	('{"minValues":{"a":1}'), ('{"minValues":{"a":01}}'), ('{"minValues":{a:1}}'), ('{"minValues":{"a":1},}'), ('[{"minValues":{"a":1}}]'), ('null'), ('')) x(s);
SELECT is(pg_temp.columns('{"add":{"path":"a","stats":{"minValues":{"a":1}}}}'), 'minValues:a', 'statistics as an object');
SELECT lives_ok($$ SELECT pg_temp.stats_columns('{"minValues":' || repeat('{"a":', 900) || '1' || repeat('}', 901)) $$, 'deep statistics are no error');

-- ----- layout -----

SELECT is((SELECT typstorage::text || typalign::text || typlen FROM pg_type WHERE oid = 'deltacc.actions'::regtype), 'ed-1', 'stored uncompressed and aligned');

CREATE TEMP TABLE big (a deltacc.actions);
INSERT INTO big
SELECT string_agg(format('{"add":{"path":"part-%s","partitionValues":{},"stats":"{\"numRecords\":10,\"minValues\":{%s}}"}}', f,
	(SELECT string_agg(format('\"c%s\":%s', c, f * c), ',') FROM generate_series(1, 20) c)), E'\n') || E'\n{"commitInfo":{"isBlindAppend":true}}'
FROM generate_series(1, 5000) f;
CREATE TEMP TABLE before AS SELECT * FROM deltacc.counters();
SELECT ok(deltacc.is_blind_append(a) AND deltacc.commit_info(a) IS NOT NULL, 'asked for what is in the header and in one line') FROM big;
CREATE TEMP TABLE used AS SELECT name, c.value - b.value AS value FROM deltacc.counters() c JOIN before b USING (name);
SELECT cmp_ok(value, '<', 20000::bigint, 'little is read of a large value: ' || name) FROM used WHERE name IN ('slices fetched', 'bytes fetched') ORDER BY name;
SELECT is((SELECT bytes FROM big, deltacc.actions_layout(a) WHERE section = 'minValues' AND key = 'c7'), 40000::bigint, 'integers take eight bytes and nothing else');
SELECT is((SELECT count(*) FROM big, deltacc.file_actions(a) WHERE stats->'minValues'->>'c7' = (ordinal * 7)::text), 5000::bigint, 'every line is found again');

-- Each file with a key of its own: the size follows the input, not files times keys.
SELECT cmp_ok((SELECT sum(bytes) FROM deltacc.actions_layout(
	(SELECT string_agg(format('{"add":{"path":"%s","stats":"{\"minValues\":{\"c%s\":1}}"}}', f, f), E'\n') FROM generate_series(1, 3000) f)::deltacc.actions)
	WHERE section = 'minValues'), '<', 3000 * 50::numeric, 'sparse columns are small');

-- A column whose storage was changed holds compressed values.
CREATE TEMP TABLE compressed (a deltacc.actions);
ALTER TABLE compressed ALTER a SET STORAGE EXTENDED;
INSERT INTO compressed SELECT a FROM big;
INSERT INTO compressed SELECT string_agg(format('{"add":{"path":"p"}}'), E'\n') FROM generate_series(1, 50);
SELECT ok(compressed.a OPERATOR(deltacc.=) big.a, 'a compressed value is the same value') FROM compressed, big ORDER BY pg_column_size(compressed.a) DESC LIMIT 1;
SELECT is((SELECT array_agg(n ORDER BY n) FROM (SELECT (SELECT count(*) FROM deltacc.file_actions(a)) AS n FROM compressed) x), ARRAY[50, 5000]::bigint[], 'and can be read');

-- ----- input and output -----

-- In the data directory, which goes away with the cluster.
SELECT current_setting('data_directory') || '/deltacc_test_actions' AS file \gset
CREATE TEMP TABLE back (a deltacc.actions);
COPY big TO :'file' (FORMAT binary);
COPY back FROM :'file' (FORMAT binary);
SELECT ok(big.a OPERATOR(deltacc.=) back.a AND pg_column_size(big.a) = pg_column_size(back.a), 'COPY in binary and back') FROM big, back;
COPY big TO :'file';
COPY back FROM :'file';
SELECT is((SELECT count(*) FROM (SELECT a FROM back UNION SELECT a FROM big) x), 1::bigint, 'COPY of the type as text and back');
SELECT is(deltacc.actions_send('{"add":{"path":"é"}}'), '\x01'::bytea || convert_to('{"add":{"path":"é"}}', 'UTF8'), 'send writes a version and the text');

-- PostgreSQL 16 and later ask without an error.
CREATE FUNCTION pg_temp.input_error(s text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	state text;
BEGIN
	IF current_setting('server_version_num')::int >= 160000 THEN
		EXECUTE 'SELECT sql_error_code FROM pg_input_error_info($1, ''deltacc.actions'')' INTO state USING s;
	ELSE
		BEGIN
			EXECUTE 'SELECT $1::cstring::text::deltacc.actions' USING s;
		EXCEPTION WHEN OTHERS THEN
			state := SQLSTATE;
		END;
	END IF;
	RETURN state;
END $$;
SELECT is(pg_temp.input_error(s), state, 'input of ' || s) FROM (VALUES
	('{"add":{"path":"a"}}', NULL), ('{"add":', '22P02'), ('{"add":{}}', '22023'), ('{"sidecar":{}}', '22023')) x(s, state);

-- ----- markings -----

SELECT is((SELECT string_agg(p.oid::regprocedure::text, ', ') FROM pg_proc p
	WHERE p.pronamespace = 'deltacc'::regnamespace
	  AND p.proname IN ('actions', 'actions_in', 'actions_out', 'actions_recv', 'actions_send', 'text', 'actions_eq', 'actions_ne', 'actions_hash',
		'actions_hash_extended', 'file_actions', 'commit_info', 'protocol', 'metadata', 'is_blind_append', 'actions_layout')
	  AND (provolatile <> 'i' OR NOT proisstrict OR proparallel <> 's')), NULL, 'immutable, strict and parallel safe');

-- What an output function gives is the caller's: format() frees it.
SELECT is(format('%s', '{"txn":{"appId":"a","version":1}}'::deltacc.actions), '{"txn":{"appId":"a","version":1}}', 'format() of a value');

SELECT * FROM finish();
ROLLBACK;
