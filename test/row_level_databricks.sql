-- deltacc.row_level = databricks: the contract that Databricks documents.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.row_level = databricks;

CREATE FUNCTION pg_temp.change_of(path text, after bigint[], before bigint[] DEFAULT NULL) RETURNS text
LANGUAGE sql AS $$
	SELECT jsonb_build_object('remove', jsonb_strip_nulls(jsonb_build_object('path', path, 'deletionTimestamp', 1, 'dataChange', true,
			'deletionVector', CASE WHEN before IS NOT NULL THEN deltacc.dv_of(before) END)))::text || E'\n' ||
		jsonb_build_object('add', jsonb_build_object('path', path, 'partitionValues', '{}'::jsonb, 'size', 1, 'modificationTime', 1, 'dataChange', true,
			'stats', '{"numRecords":100,"minValues":{"x":0},"maxValues":{"x":99},"nullCount":{"x":0}}', 'deletionVector', deltacc.dv_of(after)))::text
$$;
CREATE FUNCTION pg_temp.table_with_vectors(partition_columns text DEFAULT '[]', configuration jsonb DEFAULT '{}') RETURNS deltacc.actions LANGUAGE sql AS $$
	SELECT pg_temp.table_of(partition_columns, ('{"delta.enableDeletionVectors":"true"}'::jsonb || configuration)::text,
		'{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors"]}')
$$;
CREATE FUNCTION pg_temp.hit(winner text, writes text, operation text DEFAULT 'UPDATE', reads deltacc.predicate[] DEFAULT ARRAY['x < 5'],
	isolation text DEFAULT 'WriteSerializable', state deltacc.actions DEFAULT pg_temp.table_with_vectors(), whole boolean DEFAULT false) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', replace(exception, 'Exception', ''), sub_condition, path), '; '), '')
	FROM deltacc.check_conflicts(state, winner, reads, writes, isolation, whole, operation => operation, winner_version => 1)
$$;
CREATE FUNCTION pg_temp.dml(operation text, VARIADIC lines text[]) RETURNS text LANGUAGE sql AS $$ SELECT array_to_string(pg_temp.info_of(operation) || lines, E'\n') $$;
CREATE FUNCTION pg_temp.optimize(parameters json DEFAULT '{"predicate":"[]","zOrderBy":"[]"}', operation text DEFAULT 'OPTIMIZE', data_change boolean DEFAULT false) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('commitInfo', json_build_object('operation', operation, 'operationParameters', parameters))::text || E'\n' ||
		pg_temp.remove_of('f', data_change => data_change) || E'\n' || pg_temp.remove_of('g', data_change => data_change) || E'\n' || pg_temp.add_of('fg', low => 0, high => 99, data_change => data_change)
$$;

-- UPDATE, DELETE and MERGE conflict with each other when they change the same row.
SELECT is(pg_temp.hit(pg_temp.dml(a, pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), b), '', format('%s beside %s, different rows', b, a))
FROM unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) a, unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) b;
SELECT is(pg_temp.hit(pg_temp.dml(a, pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{1,2}'), b), 'ConcurrentAppend ROW_LEVEL_CHANGES f', format('%s beside %s, the same row', b, a))
FROM unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) a, unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) b;
SELECT is(pg_temp.hit(pg_temp.dml('MERGE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), 'MERGE', ARRAY['t.x = s.x', 'x < 50']), '', 'several reads, and joins');
SELECT is((SELECT string_agg(concat_ws('|', path, outcome, basis), ';') FROM deltacc.explain_row_level(pg_temp.table_with_vectors(), pg_temp.dml('MERGE', pg_temp.change_of('f', '{1}')), ARRAY['t.x = s.x'],
	pg_temp.change_of('f', '{2}'), operation => 'MERGE')), 'f|reconciled|contract', 'it rests on the contract, and says so');
SELECT is(details->>'basis', 'contract', '... also a conflict') FROM deltacc.check_conflicts(pg_temp.table_with_vectors(), pg_temp.dml('MERGE', pg_temp.change_of('f', '{1}')), ARRAY['x < 5'], pg_temp.change_of('f', '{1}'), operation => 'MERGE');
-- A file of which the transaction changed no row.
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('g', '{1}')), pg_temp.change_of('f', '{1}')), '', 'rows of a file that the transaction only read');
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('g', '{1}', '{2}')), pg_temp.change_of('f', '{1}')) <> '', true, '... unless rows came back');
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.remove_of('g')), pg_temp.change_of('f', '{1}')), 'ConcurrentDeleteRead WITHOUT_HINT g', '... or the file is gone');
-- What the winner adds is compared by value there: at file level here, and the row says so.
SELECT is(pg_temp.hit(pg_temp.dml('UPDATE', pg_temp.change_of('f', '{1}'), pg_temp.add_of('new', low => 3, high => 3)), pg_temp.change_of('f', '{2}')), 'ConcurrentAppend WITHOUT_HINT new', 'the value flip');
SELECT alike(details->>'row_level', 'file level: Databricks compares rows by value here%', '... says so')
FROM deltacc.check_conflicts(pg_temp.table_with_vectors(), pg_temp.dml('UPDATE', pg_temp.change_of('f', '{1}'), pg_temp.add_of('new')), ARRAY['x < 5'], pg_temp.change_of('f', '{2}'), operation => 'UPDATE');
-- INSERT conflicts with nothing, and nothing with an INSERT but under Serializable.
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}'), pg_temp.add_of('new')), pg_temp.add_of('mine'), 'WRITE', '{}', i), '', 'INSERT beside DML, ' || i) FROM unnest(ARRAY['WriteSerializable', 'Serializable']) i;
SELECT is(pg_temp.hit(pg_temp.info_of('WRITE', true) || E'\n' || pg_temp.add_of('new'), pg_temp.change_of('f', '{1}'), isolation => i), want, 'DML beside INSERT, ' || i)
FROM (VALUES ('WriteSerializable', ''), ('Serializable', 'ConcurrentAppend WITHOUT_HINT new')) v(i, want);
SELECT is(pg_temp.hit(pg_temp.info_of('WRITE', true) || E'\n' || pg_temp.add_of('new', low => 50, high => 60), pg_temp.change_of('f', '{1}'), isolation => 'Serializable'), '', '... and there only where it may be a row that was read');
-- An OPTIMIZE that packs files conflicts with none of them.
SELECT is(pg_temp.hit(pg_temp.optimize(operation => o, parameters => p::json), pg_temp.change_of('f', '{1}'), b), '', format('%s beside %s', b, o))
FROM (VALUES ('OPTIMIZE', '{"predicate":"[]","zOrderBy":"[]"}'), ('REORG', '{"predicate":"[]","applyPurge":true}')) v(o, p), unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) b;
SELECT is(pg_temp.hit(pg_temp.dml(a, pg_temp.change_of('f', '{1}')), pg_temp.optimize(), 'OPTIMIZE', ARRAY['true']), '', format('OPTIMIZE beside %s', a)) FROM unnest(ARRAY['UPDATE', 'DELETE', 'MERGE']) a;
SELECT is(pg_temp.hit(pg_temp.optimize(), pg_temp.optimize(), 'OPTIMIZE', ARRAY['true']), '', 'OPTIMIZE beside OPTIMIZE');
SELECT is(pg_temp.hit(w, pg_temp.change_of('f', '{1}')) ~ 'DeleteDelete', true, what)
FROM (VALUES (pg_temp.optimize('{"predicate":"[]","zOrderBy":"[\"x\"]"}'), 'Z-ORDER may conflict'), (pg_temp.optimize('{"predicate":"[]"}'), 'an OPTIMIZE that doesn''t say whether it sorted'),
	(pg_temp.optimize(data_change => true), 'an OPTIMIZE that changes data'), (replace(pg_temp.optimize(), '"OPTIMIZE"', '"RESTORE"'), 'another operation')) v(w, what);
SELECT is(pg_temp.hit(pg_temp.optimize(), pg_temp.change_of('f', '{1}'), NULL) ~ 'DeleteDelete', true, 'beside an operation that isn''t known, it may');
SELECT is(pg_temp.hit(pg_temp.optimize(), pg_temp.change_of('h', '{1}')), '', 'beside a file that it didn''t touch');
SELECT throws_ok(format('SELECT deltacc.rebase(%L, %L, ARRAY[''x < 5''], %L, operation => ''UPDATE'')', pg_temp.table_with_vectors(), pg_temp.optimize(), pg_temp.change_of('f', '{1}')), '0A000', NULL, 'the commit can''t be made without the rows');
SELECT is(deltacc.rebase(pg_temp.table_with_vectors(), pg_temp.optimize(), ARRAY['x < 5'], pg_temp.change_of('h', '{1}'), operation => 'UPDATE')::text, pg_temp.change_of('h', '{1}'), '... but where the files are others');
SELECT is((SELECT concat_ws('|', outcome, basis, reason) FROM deltacc.explain_row_level(pg_temp.table_with_vectors(), pg_temp.optimize(), ARRAY['x < 5'], pg_temp.change_of('f', '{2}'), operation => 'MERGE')),
	'reconciled|contract|the winner only packed files', '... and says what it rests on');
-- A partitioned table has the OPTIMIZE part only.
SELECT is(pg_temp.hit(pg_temp.optimize(), pg_temp.change_of('f', '{1}'), state => pg_temp.table_with_vectors('["p"]')), '', 'partitioned: OPTIMIZE');
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), state => pg_temp.table_with_vectors('["p"]')),
	'ConcurrentAppend PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE f; ConcurrentDeleteRead PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE f; ConcurrentDeleteDelete PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE f', 'partitioned: rows aren''t compared');
SELECT alike(hint, 'Partitioning switched row-level concurrency off%', 'the hint knows')
FROM deltacc.check_conflicts(pg_temp.table_with_vectors('["p"]'), pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), ARRAY['x < 5'], pg_temp.change_of('f', '{2}'), operation => 'UPDATE') LIMIT 1;
-- What row level can't do there.
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), whole => true), 'ConcurrentAppend WHOLE_TABLE_READ f; ConcurrentDeleteRead WHOLE_TABLE_READ f; ConcurrentDeleteDelete WHOLE_TABLE_READ f', 'the whole table read');
SELECT is(split_part(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), reads => r::deltacc.predicate[], state => pg_temp.table_of(
	configuration => '{"delta.enableDeletionVectors":"true"}')), ';', 1), 'ConcurrentAppend PREDICATES_NEED_REWRITE f', what)
FROM (VALUES (ARRAY['rand() < 0.5'], 'chance'), (ARRAY['x IN (SELECT id FROM s)'], 'a subquery'), (ARRAY['array(x) = array(1)'], 'an array compared'), (ARRAY['x < 5 AND map(''a'', x) = map(''a'', 1)'], 'a map'), (ARRAY['named_struct(''a'', x) = named_struct(''a'', 1)'], 'a struct')) v(r, what);
SET LOCAL deltacc.row_level_time_limit = 0;
SELECT is(split_part(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}')), ';', 1), 'ConcurrentAppend ALLOTTED_TIME_EXCEEDED f', 'time');
SET LOCAL deltacc.row_level_time_limit = -1;
-- Without deletion vectors nothing of it applies.
SELECT is(pg_temp.hit(pg_temp.dml('DELETE', pg_temp.change_of('f', '{1}')), pg_temp.change_of('f', '{2}'), state => pg_temp.table_of()), 'ConcurrentAppend WITHOUT_HINT f; ConcurrentDeleteRead WITHOUT_HINT f; ConcurrentDeleteDelete WITHOUT_HINT f', 'not enabled: DML');
SELECT is(pg_temp.hit(pg_temp.optimize(), pg_temp.change_of('f', '{1}'), state => pg_temp.table_of()) ~ 'DeleteDelete', true, 'not enabled: OPTIMIZE');
-- Identity columns: no two transactions at a time.
SELECT is((SELECT string_agg(exception || ' ' || check_name, '; ') FROM deltacc.check_conflicts(replace(pg_temp.table_with_vectors()::text, '\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}',
	'\"name\":\"id\",\"type\":\"long\",\"nullable\":true,\"metadata\":{\"delta.identity.start\":1,\"delta.identity.step\":1,\"delta.identity.allowExplicitInsert\":false}'), pg_temp.info_of('WRITE', true) || E'\n' || pg_temp.add_of('new'), '{}', pg_temp.add_of('mine'), operation => 'WRITE')),
	'MetadataChangedException metadata', 'identity columns');

SELECT * FROM finish();
ROLLBACK;
