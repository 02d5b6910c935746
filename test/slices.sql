-- A check of a stored commit of 10,000 files reads its header and the columns
-- that the predicate needs, never the whole value.
\ir data/begin.psql
SELECT plan(5);
SET LOCAL deltacc.data_skipping = on;

CREATE TEMP TABLE big (actions deltacc.actions);
INSERT INTO big
SELECT '{"commitInfo":{"timestamp":1,"operation":"WRITE","isBlindAppend":false}}' || E'\n' || string_agg(
	json_build_object('add', json_build_object('path', 'part-' || f, 'partitionValues', '{}'::json, 'size', 1, 'modificationTime', 1, 'dataChange', true,
		'stats', (SELECT format('{"numRecords":10,"minValues":{%1$s},"maxValues":{%1$s},"nullCount":{%2$s}}',
			string_agg(format('"c%s":%s', c, f * 10 + c), ','), string_agg(format('"c%s":0', c), ','))
			FROM generate_series(1, 32) c)))::text, E'\n')
FROM generate_series(1, 10000) f;

CREATE TEMP TABLE small (snapshot deltacc.actions);
INSERT INTO small
SELECT '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' || json_build_object('metaData', json_build_object('id', 'x',
	'format', '{"provider":"parquet","options":{}}'::json,
	'schemaString', (SELECT json_build_object('type', 'struct', 'fields', json_agg(json_build_object('name', 'c' || c, 'type', 'long', 'nullable', true, 'metadata', '{}'::json)))::text
					 FROM generate_series(1, 32) c),
	'partitionColumns', '[]'::json, 'configuration', '{}'::json, 'createdTime', 1))::text;

SELECT cmp_ok(pg_column_size(actions), '>', 20000000, 'the commit is large') FROM big;

CREATE TEMP TABLE before AS SELECT * FROM deltacc.counters();
SELECT is(deltacc.first_conflict(snapshot, actions, ARRAY['c3 > 200000000 AND c7 > 3']), NULL, 'no file can match') FROM big, small;
CREATE TEMP TABLE used AS SELECT name, a.value - b.value AS value FROM deltacc.counters() a JOIN before b USING (name);

SELECT cmp_ok(value, '<=', 16::bigint, 'a handful of slices') FROM used WHERE name = 'slices fetched';
SELECT cmp_ok(value, '>', 0::bigint, 'the slices are counted') FROM used WHERE name = 'slices fetched';
-- 10,000 files: 9 bytes for a value of a column, four columns of the two, two counts, 24 bytes of each file's own.
SELECT cmp_ok(value, '<', 1500000::bigint, 'less than 1.5 of over 20 MB') FROM used WHERE name = 'bytes fetched';

SELECT * FROM finish();
ROLLBACK;
