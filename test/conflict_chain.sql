-- Several winners, one after the other: what the transaction takes over from one
-- is what the next is compared with.  The first conflict of the first winner that
-- has one is what Delta raises; here all are listed.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = off;

-- A log of which the first commit is what the transaction read.
CREATE FUNCTION pg_temp.log_of(VARIADIC commits text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	log text := 'chain ' || (SELECT count(*) FROM deltacc.tables);
BEGIN
	INSERT INTO deltacc.tables (name) VALUES (log);
	INSERT INTO deltacc.commits (table_id, version, actions)
	SELECT table_id, v - 1, c::deltacc.actions FROM deltacc.tables, unnest(commits) WITH ORDINALITY u(c, v) WHERE name = log;
	RETURN log;
END $$;

-- What stops a transaction that only adds a file, in order; '' if nothing does.
CREATE FUNCTION pg_temp.stops(log text, writes text DEFAULT pg_temp.add_of('mine'), reads deltacc.predicate[] DEFAULT '{}', app_ids text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', winning_version, check_name), ', '), '')
	FROM deltacc.check_commit(log, 0, reads, writes::deltacc.actions, 'Serializable', read_files => '{}', read_app_ids => app_ids) $$;

CREATE FUNCTION pg_temp.features(VARIADIC names text[]) RETURNS text LANGUAGE sql AS $$ SELECT pg_temp.protocol_of(1, 7, names) $$;
CREATE FUNCTION pg_temp.table_with(features text[], configuration text DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT pg_temp.protocol_of(1, 7, features) || E'\n' || pg_temp.metadata_of(configuration) $$;

\set vectors '{"delta.enableDeletionVectors":"true"}'
\set vectors_v2 '{"delta.enableDeletionVectors":"true","delta.checkpointPolicy":"v2"}'

-- Metadata: what was taken over is the base for the next.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{deletionVectors,v2Checkpoint}'), pg_temp.metadata_of(:'vectors'), pg_temp.metadata_of(:'vectors'))), '', 'the same change twice is one change');
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{deletionVectors,v2Checkpoint}'), pg_temp.metadata_of(:'vectors'), pg_temp.metadata_of(:'vectors_v2'))), '', 'one allowed change on top of another');
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{deletionVectors,v2Checkpoint}'), pg_temp.metadata_of(:'vectors'), pg_temp.metadata_of())), '2 metadata', 'taking it back unsets a property');
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{appendOnly}'), pg_temp.features('appendOnly', 'deletionVectors'), pg_temp.metadata_of(:'vectors'))), '', 'the feature came with an earlier winner');
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{appendOnly}'), pg_temp.metadata_of(:'vectors'), pg_temp.features('appendOnly', 'deletionVectors'))), '1 metadata', '... and is too late with a later one');
-- After a conflict the transaction goes on as it stood: both differ from what it read.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{}'), pg_temp.metadata_of('{"a":"1"}'), pg_temp.metadata_of('{"a":"1"}'))), '1 metadata, 2 metadata', 'a change that stops is not taken over');
-- An identity update is let pass, but not taken over.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{}'), '{"commitInfo":{"operation":"WRITE","tags":{"delta.identity.schemaUpdate":"true"}}}' || E'\n' || pg_temp.metadata_of('{"a":"1"}'), pg_temp.metadata_of('{"a":"1"}'))),
	'2 metadata', 'an identity update is no base for the next');

-- Protocol: dropped is what the protocol at the read version had.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{appendOnly}'), pg_temp.features('appendOnly', 'invariants'), pg_temp.features('appendOnly'))), '', 'a feature that came and went');
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{appendOnly,invariants}'), pg_temp.features('appendOnly'), pg_temp.features('appendOnly', 'invariants'))), '1 protocol', 'a feature that went and came back');

-- Files: partition columns and predicates stay those of the read version.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_of('["p"]')::text, pg_temp.info_of('WRITE') || E'\n' || pg_temp.add_of('b', 'b'), pg_temp.info_of('WRITE') || E'\n' || pg_temp.add_of('a', 'a')),
	pg_temp.remove_of('old', 'a'), ARRAY['p = ''a''']), '2 added_file', 'the second winner wrote into the partition that was read');

-- All reasons of all winners, in order.
SELECT is(pg_temp.stops(pg_temp.log_of(pg_temp.table_with('{appendOnly,domainMetadata}'),
		pg_temp.info_of('DELETE') || E'\n' || pg_temp.remove_of('f') || E'\n' || pg_temp.add_of('g'),
		'{"txn":{"appId":"q","version":1}}' || E'\n' || '{"domainMetadata":{"domain":"d","configuration":"","removed":false}}',
		pg_temp.info_of('WRITE') || E'\n' || pg_temp.features('domainMetadata') || E'\n' || pg_temp.metadata_of('{"a":"1"}')),
	pg_temp.remove_of('f') || E'\n' || '{"domainMetadata":{"domain":"d","configuration":"","removed":false}}', ARRAY['true'], '{q}'),
	'1 added_file, 1 delete_delete, 2 domain_metadata, 2 application_id, 3 protocol, 3 metadata', 'every reason of every winner');

-- What is committed in the end: rebased on each winner in turn.
CREATE FUNCTION pg_temp.committed(log text, writes text, operation text DEFAULT 'WRITE') RETURNS SETOF json LANGUAGE sql AS $$
	SELECT l::json FROM regexp_split_to_table(deltacc.rebase_commit(log, 0, '{}', writes::deltacc.actions, operation => operation)::text, E'\n') l $$;
CREATE FUNCTION pg_temp.mark_of(mark int) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('domainMetadata', json_build_object('domain', 'delta.rowTracking', 'configuration', json_build_object('rowIdHighWaterMark', mark)::text, 'removed', false))::text $$;
SELECT results_eq(format('SELECT a->''add''->>''baseRowId'', a->''add''->>''defaultRowCommitVersion'' FROM pg_temp.committed(%L, %L) a WHERE a->''add'' IS NOT NULL',
		pg_temp.log_of(pg_temp.table_with('{appendOnly}'), pg_temp.features('appendOnly', 'rowTracking', 'domainMetadata'), pg_temp.mark_of(9), pg_temp.mark_of(19)),
		pg_temp.info_of('WRITE', true) || E'\n' || pg_temp.add_of('mine', NULL, 0, 9) || E'\n' || pg_temp.add_of('too', NULL, 0, 9)),
	$$VALUES ('20', '4'), ('30', '4')$$, 'row ids above the last winner''s, though row tracking came with the first');
SELECT is((SELECT a->'commitInfo'->>'inCommitTimestamp' FROM pg_temp.committed(
		pg_temp.log_of(pg_temp.table_with('{inCommitTimestamp}', '{"delta.enableInCommitTimestamps":"true"}'), '{"commitInfo":{"operation":"WRITE","inCommitTimestamp":500}}', '{"commitInfo":{"operation":"WRITE","inCommitTimestamp":400}}'),
		'{"commitInfo":{"operation":"WRITE","inCommitTimestamp":100}}' || E'\n' || pg_temp.add_of('mine')) a WHERE a->'commitInfo' IS NOT NULL), '501', 'a timestamp only grows');
SELECT is((SELECT a->'commitInfo'->>'inCommitTimestamp' FROM pg_temp.committed(
		pg_temp.log_of(pg_temp.table_with('{inCommitTimestamp}'), '{"commitInfo":{"operation":"SET TBLPROPERTIES","inCommitTimestamp":500}}' || E'\n' || pg_temp.metadata_of('{"delta.enableInCommitTimestamps":"true"}')),
		'{"commitInfo":{"operation":"WRITE","timestamp":100}}' || E'\n' || pg_temp.add_of('mine')) a WHERE a->'commitInfo' IS NOT NULL), '501', 'in-commit timestamps that a winner enabled');
SELECT is((SELECT count(*) FROM pg_temp.committed(
		pg_temp.log_of(pg_temp.table_with('{deletionVectors}'), pg_temp.metadata_of(:'vectors')), pg_temp.info_of('WRITE', true) || E'\n' || pg_temp.add_of('mine')) a WHERE a->'metaData' IS NOT NULL), 0::bigint,
	'metadata that was taken over is not written again');

SELECT * FROM finish();
ROLLBACK;
