-- The decision on small tables that fit in the head: what released Delta says
-- and what data skipping changes.  Each expectation follows from the rows that
-- the files hold, not from what the code printed.
\ir data/begin.psql
SELECT plan(38);
SET LOCAL deltacc.default_isolation_level = 'Serializable';

-- A table of (id bigint, x int[, p string]), unpartitioned or partitioned by p.
CREATE FUNCTION pg_temp.snapshot(partitioned boolean DEFAULT false) RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT ('{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}' || E'\n' ||
	json_build_object('metaData', json_build_object('id', 'worked-example',
		'format', json_build_object('provider', 'parquet', 'options', '{}'::json),
		'schemaString', '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},{"name":"x","type":"integer","nullable":true,"metadata":{}},{"name":"p","type":"string","nullable":true,"metadata":{}}]}',
		'partitionColumns', CASE WHEN partitioned THEN '["p"]'::json ELSE '[]'::json END,
		'configuration', '{}'::json, 'createdTime', 1))::text)::deltacc.actions $$;

CREATE FUNCTION pg_temp.add(path text, stats text, p text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('add', json_strip_nulls(json_build_object('path', path,
		'partitionValues', CASE WHEN p IS NULL THEN '{}'::json ELSE json_build_object('p', p) END,
		'size', 100, 'modificationTime', 1, 'dataChange', true, 'stats', stats)))::text $$;

CREATE FUNCTION pg_temp.range(col text, lo bigint, hi bigint) RETURNS text LANGUAGE sql AS $$
	SELECT format('{"numRecords":10,"minValues":{%s:%s},"maxValues":{%s:%s},"nullCount":{%s:0}}',
		to_json(col), lo, to_json(col), hi, to_json(col)) $$;

CREATE FUNCTION pg_temp.remove(path text) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('remove', json_build_object('path', path, 'deletionTimestamp', 1, 'dataChange', true))::text $$;

CREATE FUNCTION pg_temp.winner(operation text, VARIADIC actions text[]) RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT (json_build_object('commitInfo', json_build_object('timestamp', 1, 'operation', operation, 'isBlindAppend', operation = 'WRITE'))::text
		|| E'\n' || array_to_string(actions, E'\n'))::deltacc.actions $$;

-- The exceptions of all conflicts, in order; '' if there is none.
CREATE FUNCTION pg_temp.verdict(skipping text, snapshot deltacc.actions, winner deltacc.actions,
	reads deltacc.predicate[] DEFAULT '{}', writes deltacc.actions DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', skipping, true);
	RETURN coalesce((SELECT string_agg(exception, ' ' ORDER BY n)
		FROM deltacc.check_conflicts(snapshot, winner, reads, writes) WITH ORDINALITY
			AS c(winning_version, winning_operation, check_name, exception, error_class, sub_condition, sqlstate, path,
				 partition_values, isolation, read_index, read_predicate, message, hint, details, n)), '');
END $$;

-- Disjoint ranges: DELETE id < 50 against an added file of [1000, 1100).
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', pg_temp.range('id', 1000, 1099))), ARRAY['id < 50']),
	'ConcurrentAppendException', 'disjoint ranges conflict in released Delta');
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', pg_temp.range('id', 1000, 1099))), ARRAY['id < 50']),
	'', 'disjoint ranges do not conflict with data skipping');

-- Overlapping ranges; the bound itself counts.
SELECT is(pg_temp.verdict(s, pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', pg_temp.range('id', 40, 1099))), ARRAY['id < 50']),
	'ConcurrentAppendException', 'overlapping ranges conflict, data skipping ' || s) FROM unnest(ARRAY['off', 'on']) s;
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', pg_temp.range('id', 50, 60))), ARRAY['id <= 50']),
	'ConcurrentAppendException', 'ranges that touch conflict');
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', pg_temp.range('id', 50, 60))), ARRAY['id < 50']),
	'', 'a range that starts where the condition ends does not');

-- Missing statistics, in each way.
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('new', stats)), ARRAY['id < 50']),
	'ConcurrentAppendException', 'a file without usable statistics conflicts: ' || coalesce(stats, 'none'))
FROM (VALUES (NULL), (''), ('{}'), ('{"numRecords":10'), ('{"numRecords":10,"minValues":{"id":1000}}'),
	('{"numRecords":10,"minValues":{"id":1000},"maxValues":{"id":1099}}'),
	('{"numRecords":10,"minValues":{"id":"1000"},"maxValues":{"id":"1099"},"nullCount":{"id":0}}')) v(stats);

-- A partitioned table: the data column avoids the conflict inside one partition.
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(true), pg_temp.winner('WRITE', pg_temp.add('p=a/new', pg_temp.range('id', 1000, 1099), 'a')), ARRAY['p = ''a'' AND id < 50']),
	'ConcurrentAppendException', 'same partition conflicts in released Delta');
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(true), pg_temp.winner('WRITE', pg_temp.add('p=a/new', pg_temp.range('id', 1000, 1099), 'a')), ARRAY['p = ''a'' AND id < 50']),
	'', 'same partition, other rows: no conflict with data skipping');
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(true), pg_temp.winner('WRITE', pg_temp.add('p=b/new', NULL, 'b')), ARRAY['p = ''a'' AND id < 50']),
	'', 'another partition never conflicts');

-- No read predicate on a transaction that is no blind append.
SELECT is(pg_temp.verdict(s, pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('n1', NULL), pg_temp.add('n2', NULL)), '{}', pg_temp.remove('old')),
	'ConcurrentAppendException ConcurrentAppendException', 'no reads, not blind, unpartitioned: every added file conflicts, ' || s) FROM unnest(ARRAY['off', 'on']) s;
SELECT is(pg_temp.verdict(s, pg_temp.snapshot(true), pg_temp.winner('WRITE', pg_temp.add('n1', NULL, 'a'), pg_temp.add('n2', NULL, 'b')), '{}', pg_temp.remove('old')),
	'', 'no reads, not blind, partitioned: none does, ' || s) FROM unnest(ARRAY['off', 'on']) s;
-- A blind append conflicts with no added file at all.
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('n1', NULL)), '{}', pg_temp.add('mine', NULL)),
	'', 'a blind append does not conflict with another');

-- Two UPDATEs on a clustered table: customer_id 0..1000 against 900000..901000.
CREATE FUNCTION pg_temp.clustered() RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT concat_ws(E'\n', pg_temp.snapshot()::text, pg_temp.add('low', pg_temp.range('id', 0, 1999)), pg_temp.add('high', pg_temp.range('id', 900000, 901999)))::deltacc.actions $$;
SELECT is(pg_temp.verdict('off', pg_temp.clustered(),
		pg_temp.winner('UPDATE', pg_temp.remove('high'), pg_temp.add('high-2', pg_temp.range('id', 900000, 901999))), ARRAY['id BETWEEN 0 AND 1000']),
	'ConcurrentAppendException', 'two UPDATEs of a clustered table conflict in released Delta');
SELECT is(pg_temp.verdict('on', pg_temp.clustered(),
		pg_temp.winner('UPDATE', pg_temp.remove('high'), pg_temp.add('high-2', pg_temp.range('id', 900000, 901999))), ARRAY['id BETWEEN 0 AND 1000']),
	'', 'with data skipping both commit');
-- Nobody knows what the removed file held: it counts as read.
SELECT is(pg_temp.verdict('on', pg_temp.snapshot(),
		pg_temp.winner('UPDATE', pg_temp.remove('high'), pg_temp.add('high-2', pg_temp.range('id', 900000, 901999))), ARRAY['id BETWEEN 0 AND 1000']),
	'ConcurrentDeleteReadException', 'a removed file that neither the snapshot nor the remove describes was read');

-- The value flip: the winner set x = 15 where it was 5; the loser deletes x > 10.
-- It never read the old file, but the new row is one that it would have deleted.
SELECT is(pg_temp.verdict(s, concat_ws(E'\n', pg_temp.snapshot()::text, pg_temp.add('f', pg_temp.range('x', 5, 5))),
		pg_temp.winner('UPDATE', pg_temp.remove('f'), pg_temp.add('f-2', pg_temp.range('x', 15, 15))), ARRAY['x > 10']),
	'ConcurrentAppendException', 'the value flip conflicts, data skipping ' || s) FROM unnest(ARRAY['off', 'on']) s;

-- Unknown never reads as "no conflict".
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(NULL, '{"txn":{"appId":"a","version":1}}')$$, '22004', NULL, 'a NULL snapshot is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), NULL)$$, '22004', NULL, 'a NULL winner is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), '{"txn":{"appId":"a","version":1}}', NULL)$$, '22004', NULL, 'a NULL list of reads is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), '{"txn":{"appId":"a","version":1}}', ARRAY[NULL]::deltacc.predicate[])$$, '22004', NULL, 'a NULL read is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), '{"txn":{"appId":"a","version":1}}', read_whole_table => NULL)$$, '22004', NULL, 'read_whole_table NULL is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), '{"txn":{"appId":"a","version":1}}', read_app_ids => NULL)$$, '22004', NULL, 'read_app_ids NULL is an error');
SELECT throws_ok($$SELECT * FROM deltacc.check_conflicts(pg_temp.snapshot(), '')$$, '22023', NULL, 'a winner without any action is an error');
SELECT throws_ok($$SELECT deltacc.first_conflict(pg_temp.snapshot(), NULL)$$, '22004', NULL, 'first_conflict of a NULL winner is an error');
SELECT throws_ok($$SELECT deltacc.rebase(pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('n', NULL)))$$, '22004', NULL, 'rebase without writes is an error');
-- writes not given: a data command that is no blind append.
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('n', NULL))),
	'ConcurrentAppendException', 'unknown writes count as those of a data command');
SELECT is(pg_temp.verdict('off', pg_temp.snapshot(), pg_temp.winner('DELETE', pg_temp.remove('f'))),
	'ConcurrentDeleteReadException', 'without reads and read files every removed file counts as read');

-- A conflict is an error of rebase, with Delta's SQLSTATE.
SELECT throws_ok($$SELECT deltacc.rebase(pg_temp.snapshot(), pg_temp.winner('WRITE', pg_temp.add('n', NULL)), ARRAY['true'], pg_temp.remove('f'), winner_version => 1)$$,
	'2D521', NULL, 'rebase raises 2D521 on a conflict');

SELECT * FROM finish();
ROLLBACK;
