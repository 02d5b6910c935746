-- ConcurrentTransactionException: an application id that the transaction read,
-- or a metadata domain that both write.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

\set state 'pg_temp.table_of(protocol => \'{"minReaderVersion":1,"minWriterVersion":7,"writerFeatures":["domainMetadata","rowTracking"]}\')'
CREATE FUNCTION pg_temp.txn_of(app text, version int DEFAULT 1) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('txn', json_build_object('appId', app, 'version', version))::text $$;
CREATE FUNCTION pg_temp.domain_of(name text, removed boolean DEFAULT false) RETURNS text LANGUAGE sql AS $$
	SELECT json_build_object('domainMetadata', json_build_object('domain', name, 'configuration', '{}', 'removed', removed))::text $$;
CREATE FUNCTION pg_temp.hit(state deltacc.actions, winner text, writes text, app_ids text[] DEFAULT '{}') RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(concat_ws(' ', check_name, exception, error_class, details), '; '), '')
	FROM deltacc.check_conflicts(state, winner::deltacc.actions, '{}', writes::deltacc.actions, read_app_ids => app_ids) $$;

-- Application ids: read is what counts, not the version, and not writing.
SELECT is(pg_temp.hit(:state, pg_temp.txn_of('q', 5), pg_temp.add_of('mine'), ARRAY['q']),
	'application_id ConcurrentTransactionException DELTA_CONCURRENT_TRANSACTION {"app_id": "q", "version": 5}', 'an id that was read');
SELECT is(pg_temp.hit(:state, pg_temp.txn_of('r'), pg_temp.add_of('mine'), ARRAY['q']), '', 'another id');
SELECT is(pg_temp.hit(:state, pg_temp.txn_of('q'), pg_temp.txn_of('q'), '{}'), '', 'both write it, and nobody read it');
SELECT is(pg_temp.hit(:state, pg_temp.txn_of('Q'), pg_temp.add_of('mine'), ARRAY['q']), '', 'ids are case-sensitive');
SELECT matches((deltacc.first_conflict(:state, pg_temp.txn_of('q')::deltacc.actions, '{}', pg_temp.commit_of(pg_temp.add_of('mine')), read_app_ids => ARRAY['q'])).hint,
	'share the application id q', 'the hint says what is wrong');

-- Domains: the same one in both.
SELECT is(pg_temp.hit(:state, pg_temp.domain_of('d'), pg_temp.domain_of('d')),
	'domain_metadata ConcurrentTransactionException DELTA_CONCURRENT_TRANSACTION {"domain": "d"}', 'the same domain, even the same value');
SELECT is(pg_temp.hit(:state, pg_temp.domain_of('d', true), pg_temp.domain_of('d')),
	'domain_metadata ConcurrentTransactionException DELTA_CONCURRENT_TRANSACTION {"domain": "d"}', 'one removes it');
SELECT is(pg_temp.hit(:state, pg_temp.domain_of('d'), pg_temp.domain_of('D')), '', 'names are case-sensitive');
SELECT is(pg_temp.hit(:state, pg_temp.domain_of('d'), pg_temp.add_of('mine')), '', 'the winner''s alone');
SELECT is(pg_temp.hit(:state, pg_temp.domain_of('delta.rowTracking'), pg_temp.domain_of('delta.rowTracking')), '', 'row tracking resolves itself');
SELECT throws_ok(format('SELECT pg_temp.hit(%L, %L, %L)', :state::text, pg_temp.domain_of('d') || E'\n' || pg_temp.domain_of('d'), pg_temp.add_of('mine')),
	'42601', NULL, 'a domain twice in one commit is an ERROR');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.domain_of('d') || E'\n' || pg_temp.domain_of('d'), pg_temp.add_of('mine')), '',
	'... but not where the table does not support domains');

-- A REPLACE TABLE takes back the clustering that a winner brought, and so writes its domain: the next one conflicts.
INSERT INTO deltacc.tables (name) VALUES ('conflict_transaction');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT table_id, v, a::deltacc.actions FROM deltacc.tables, (VALUES (0, :state::text), (1, pg_temp.domain_of('delta.clustering')), (2, pg_temp.domain_of('delta.clustering'))) c(v, a)
WHERE name = 'conflict_transaction';
SELECT is((SELECT string_agg(concat_ws(' ', winning_version, check_name), '; ') FROM deltacc.check_commit('conflict_transaction', 0, '{}', pg_temp.remove_of('f')::deltacc.actions, operation => operation)),
	expected, operation)
FROM (VALUES ('REPLACE TABLE', '2 domain_metadata'), ('DELETE', NULL)) v(operation, expected);

SELECT * FROM finish();
ROLLBACK;
