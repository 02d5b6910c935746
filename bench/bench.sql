-- See run.sh.  psql variables: files, columns.
SET client_min_messages = warning;
SET deltacc.data_skipping = on;
SET max_parallel_workers_per_gather = 0;

-- A commit of that many adds, each with statistics on that many columns.
CREATE TABLE line AS
SELECT f, json_build_object('add', json_build_object('path', format('part-%s-%s.snappy.parquet', lpad(f::text, 6, '0'), md5(f::text)),
	'partitionValues', '{}'::json, 'size', 1000 + f, 'modificationTime', 1700000000000 + f, 'dataChange', true,
	'stats', (SELECT format('{"numRecords":1000,"minValues":{%s},"maxValues":{%s},"nullCount":{%s}}',
		string_agg(format('"column_%s":%s', c, f * 1000 + c), ','), string_agg(format('"column_%s":%s', c, f * 1000 + c + 999), ','),
		string_agg(format('"column_%s":0', c), ','))
		FROM generate_series(1, :columns) c)))::text AS line
FROM generate_series(1, :files) f;

CREATE TABLE commit_text AS SELECT string_agg(line, E'\n' ORDER BY f) AS body FROM line;
CREATE TABLE stored (actions deltacc.actions);
INSERT INTO stored SELECT body::deltacc.actions FROM commit_text;
CREATE TABLE snapshot AS
SELECT ('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', 'bench',
	'format', '{"provider":"parquet","options":{}}'::json,
	'schemaString', (SELECT json_build_object('type', 'struct', 'fields', json_agg(json_build_object('name', 'column_' || c, 'type', 'long', 'nullable', true, 'metadata', '{}'::json)))::text
					 FROM generate_series(1, :columns) c),
	'partitionColumns', '[]'::json, 'configuration', '{}'::json, 'createdTime', 1))::text)::deltacc.actions AS state;
-- The rivals' own best form: typed columns, and jsonb.
CREATE TABLE typed AS SELECT f, (f * 1000 + 1)::bigint AS min_1, (f * 1000 + 1 + 999)::bigint AS max_1, (f * 1000 + 2)::bigint AS min_2, (f * 1000 + 2 + 999)::bigint AS max_2
FROM generate_series(1, :files) f;
CREATE TABLE parsed AS SELECT (line::jsonb -> 'add' ->> 'stats')::jsonb AS stats FROM line;
VACUUM ANALYZE;

-- The median of seven runs of a statement, in milliseconds, after one that warms up.
CREATE FUNCTION median(statement text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	took numeric[] := '{}';
	started timestamptz;
BEGIN
	EXECUTE statement;
	FOR i IN 1..7 LOOP
		started := clock_timestamp();
		EXECUTE statement;
		took := took || extract(epoch FROM clock_timestamp() - started)::numeric * 1000;
	END LOOP;
	RETURN (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY t) FROM unnest(took) t)::numeric;
END $$;

CREATE TABLE bench (n int GENERATED ALWAYS AS IDENTITY, what text, ours text, rival text, theirs text);
INSERT INTO bench (what, ours, rival, theirs) VALUES
	('raw text to deltacc.actions, every column indexed', 'SELECT body::deltacc.actions FROM commit_text',
	 'jsonb of the same lines and of their statistics', 'SELECT count((line::jsonb -> ''add'' ->> ''stats'')::jsonb) FROM line'),
	('check of the stored commit, two conjuncts, no file matches', 'SELECT deltacc.first_conflict(state, actions, ARRAY[''column_1 > 99999999999 AND column_2 < 5'']) FROM snapshot, stored',
	 'sequential scan of typed columns, same comparisons', 'SELECT count(*) FROM typed WHERE max_1 > 99999999999 AND min_2 < 5'),
	('check of the stored commit, two conjuncts, no file matches', 'SELECT deltacc.first_conflict(state, actions, ARRAY[''column_1 > 99999999999 AND column_2 < 5'']) FROM snapshot, stored',
	 'the same over parsed jsonb', 'SELECT count(*) FROM parsed WHERE (stats -> ''maxValues'' ->> ''column_1'')::bigint > 99999999999 AND (stats -> ''minValues'' ->> ''column_2'')::bigint < 5'),
	('check of the stored commit, each conjunct hits half of the files', format('SELECT deltacc.first_conflict(state, actions, ARRAY[''column_1 > %1$s AND column_2 < %1$s'']) FROM snapshot, stored', :files * 500),
	 'sequential scan of typed columns, same comparisons', format('SELECT count(*) FROM typed WHERE max_1 > %1$s AND min_2 < %1$s', :files * 500));

SELECT '| what | files | ours, ms | rival | rival, ms | ours : rival |' UNION ALL SELECT '| --- | --- | --- | --- | --- | --- |';
SELECT format('| %s | %s | %s | %s | %s | %s |', what, :files, round(o, 2), rival, round(t, 2), round(o / nullif(t, 0), 3))
FROM (SELECT n, what, rival, median(ours) AS o, median(theirs) AS t FROM bench ORDER BY n) x ORDER BY n;
