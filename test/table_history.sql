-- What a log tells of its removed files and of the state before a commit, where it is odd.
\ir data/begin.psql
SELECT plan(4);
INSERT INTO deltacc.tables (name) VALUES ('absolute'), ('gap');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(1, '{"add":{"path":"s3://l/t/c","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(2, '{"remove":{"path":"s3://l/t/c","dataChange":true}}'),
	(3, '{"add":{"path":"s3://l/t/c","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}'),
	(4, '{"remove":{"path":"s3://l/t/c","dataChange":true}}')) v(v, a)
WHERE t.name = 'absolute' OR v.v <> 2;
-- An absolute path of a table whose location is not known stays in mind after all is known of one of its lives.
SELECT is(string_agg(concat_ws(' ', version, 'born ' || born, 'last ' || added_version || '/' || added_ordinal, 'again ' || readd_ordinal), ', ' ORDER BY version),
	'2 born 1 last 1/1, 4 born 3 last 3/1', 'a file that lived twice') FROM deltacc.removed_files('absolute');
SELECT is(count(*), 0::bigint, 'a pair behind a gap in the versions has no verdict') FROM deltacc.contention('gap', 1) WHERE winner_version = 3 AND error IS NULL;
SELECT is(count(*), 1::bigint, '... one of a log without has') FROM deltacc.contention('absolute', 1) WHERE winner_version = 3 AND error IS NULL;
-- One commit's reads, beside winners that found different columns.
INSERT INTO deltacc.tables (name) VALUES ('wider');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(1, '{"txn":{"appId":"a","version":1}}'),
	(2, E'{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"c\\",\\"type\\":\\"long\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(3, '{"txn":{"appId":"a","version":2}}'),
	(4, E'{"commitInfo":{"operation":"DELETE","operationParameters":{"predicate":"[\\"(c#1L = 5)\\"]"}}}\n{"txn":{"appId":"b","version":1}}')) v(v, a)
WHERE t.name = 'wider';
SELECT is(string_agg(concat_ws(' ', winner_version, reads), ', ' ORDER BY w), '3 {"c = 5"}, 1 {TRUE}, 3 {"c = 5"}', 'a column counts where the winner found it')
FROM (SELECT w, CASE w WHEN 2 THEN 1 ELSE 3 END AS winner_version, (deltacc.pair_verdicts('wider', NULL, NULL, CASE w WHEN 2 THEN 1 ELSE 3 END, 4)).reads FROM generate_series(1, 3) w) v;
SELECT * FROM finish();
ROLLBACK;
