-- Upkeep: kept states, refresh, forget, logs that begin after version 0.
\ir data/begin.psql
SELECT no_plan();
SELECT set_config('search_path', (SELECT extnamespace::regnamespace::text FROM pg_extension WHERE extname = 'pgtap'), true) \g /dev/null
SELECT set_config('deltacc_test.data', :'data', true) \g /dev/null

CREATE FUNCTION pg_temp.failure(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE statement;
	RETURN NULL;
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE || ' ' || SQLERRM;
END $$;
-- The kept states of a table: versions, those of a beginning with a star.
CREATE FUNCTION pg_temp.kept(name text) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(version || CASE WHEN is_base THEN '*' ELSE '' END, ' ' ORDER BY version) FROM deltacc.snapshots JOIN deltacc.tables USING (table_id) WHERE tables.name = kept.name $$;
-- All that the checks and lists say of a table, from a version on.
CREATE FUNCTION pg_temp.digest(name text, first bigint) RETURNS text LANGUAGE sql AS $$
	SELECT md5(string_agg(concat_ws('|', v, deltacc.state_at(digest.name, v)::text,
		(SELECT string_agg(concat_ws('|', f.path, f.partition_values, f.stats, f.deletion_vector), E'\n' ORDER BY f.path COLLATE "C") FROM deltacc.live_files(digest.name, v) f),
		(SELECT string_agg(concat_ws('|', c.winning_version, c.exception, c.path, c.read_index, c.partition_values, c.isolation), E'\n' ORDER BY c.winning_version, c.exception, c.path COLLATE "C") FROM deltacc.check_commit(digest.name, v, ARRAY['true']::deltacc.predicate[]) c)), E'\n' ORDER BY v))
	FROM deltacc.tables t JOIN deltacc.commits c USING (table_id) CROSS JOIN LATERAL (SELECT c.version) x(v)
	WHERE t.name = digest.name AND c.version >= first $$;

-- ----- kept states -----
SELECT deltacc.ingest('orders', :'data' || '/logs/orders') \g /dev/null
CREATE TEMP TABLE before AS SELECT pg_temp.digest('orders', 5) AS whole, pg_temp.digest('orders', 12) AS half;
SELECT is(pg_temp.kept('orders'), NULL, 'a state is kept every 100 versions: none yet');
UPDATE deltacc.tables SET snapshot_interval = 5 WHERE name = 'orders';
SELECT is(deltacc.keep_snapshots('orders'), 5::bigint, 'more, if the interval is shorter');
SELECT is(pg_temp.kept('orders'), '5 10 15 20 25', '... at its multiples');
SELECT is(deltacc.keep_snapshots('orders'), 0::bigint, 'those that are there stay');
SELECT is(pg_temp.digest('orders', 5), whole, 'nothing is told otherwise because of them') FROM before;
SELECT is(deltacc.state_at('orders', 12)::text, deltacc.table_state(version, actions)::text, 'state_at() is table_state()')
FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = 'orders' AND version <= 12;
SELECT is(deltacc.state_at('orders')::text, deltacc.state_at('orders', 26)::text, '... the newest if no version is given');
SELECT matches(pg_temp.failure($$SELECT deltacc.state_at('orders', 99)$$), '^22023 version 99 of table "orders" is not held', 'a version that is not held');
SELECT matches(pg_temp.failure($$SELECT deltacc.state_at('nosuch', 1)$$), '^42704 ', 'no table');
SELECT matches(pg_temp.failure($$SELECT deltacc.state_at(NULL, 1)$$), '^22004 ', 'no name');

-- Without any, only the commits that change the state are read.
SAVEPOINT bare;
INSERT INTO deltacc.tables (name) VALUES ('long');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT n.table_id, v, coalesce((SELECT actions FROM deltacc.commits c JOIN deltacc.tables t USING (table_id) WHERE t.name = 'orders' AND version = v AND v < 1),
	(format('{"add":{"path":"f%s","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}', v)
		|| CASE WHEN v % 100 = 50 THEN format(E'\n{"txn":{"appId":"job","version":%s}}', v) ELSE '' END)::deltacc.actions)
FROM deltacc.tables n, generate_series(0, 400) v WHERE n.name = 'long';
DELETE FROM deltacc.snapshots;
SELECT is(deltacc.state_at('long', 390)::text, deltacc.table_state(version, actions)::text, 'a state without kept ones')
FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = 'long' AND version <= 390;
CREATE FUNCTION pg_temp.plan(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE plan json;
BEGIN
	EXECUTE 'EXPLAIN (FORMAT json) ' || query INTO plan;
	RETURN plan;
END $$;
SELECT matches(pg_temp.plan(format('SELECT * FROM deltacc.state_log(%s, -1, 390)', table_id)), 'commits_changing_state', '... by the index') FROM deltacc.tables WHERE name = 'long';
SELECT is(array_agg(version ORDER BY version), ARRAY[0, 50, 150, 250, 350]::bigint[], 'those that change it') FROM deltacc.state_log((SELECT table_id FROM deltacc.tables WHERE name = 'long'), -1, NULL) WHERE actions::text <> '';
SELECT is(concat_ws(' ', count(*), min(version), max(version)), '6 145 150', '... in a range') FROM deltacc.state_log((SELECT table_id FROM deltacc.tables WHERE name = 'long'), 144, 150);
SELECT results_eq($$SELECT deltacc.changes_state(a::deltacc.actions) FROM (VALUES (1, ''), (2, '{"add":{"path":"a"}}'), (3, '{"commitInfo":{}}'), (4, '{"protocol":{}}'), (5, '{"metaData":{}}'), (6, '{"txn":{"appId":"a","version":1}}'), (7, '{"domainMetadata":{"domain":"d","configuration":""}}'), (8, '{"tableState":{"version":3}}'), (9, '{"whatever":{}}')) v(n, a) ORDER BY n$$,
	'VALUES (false), (false), (false), (true), (true), (true), (true), (true), (false)', 'which actions a state holds');
DELETE FROM deltacc.commits USING deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'long' AND version = 7;
SELECT matches(pg_temp.failure($$SELECT deltacc.state_at('long', 20)$$), '^22023 .*gap|^22023 .*missing|^22023 .*7', 'a gap is one, though nothing stood there that a state holds');
ROLLBACK TO bare;

-- They follow the commits.
UPDATE deltacc.commits SET added_at = now() FROM deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'orders' AND version = 12;
SELECT is(pg_temp.kept('orders'), '5 10', 'a changed commit takes the states after it along');
SELECT deltacc.keep_snapshots('orders') \g /dev/null
DELETE FROM deltacc.commits USING deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'orders' AND version > 22;
SELECT is(pg_temp.kept('orders'), '5 10 15 20', 'a commit that goes, too');
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), 4::bigint, 'ingest brings it back');
SELECT is(pg_temp.kept('orders'), '5 10 15 20 25', '... and the state after it');
DELETE FROM deltacc.commits USING deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'orders' AND version < 3;
SELECT is(pg_temp.kept('orders'), NULL, 'a beginning that goes takes all');
SELECT deltacc.ingest('orders', :'data' || '/logs/orders') \g /dev/null
SELECT is(pg_temp.digest('orders', 5), whole, 'all is as it was') FROM before;
SAVEPOINT truncated;
TRUNCATE deltacc.commits;
SELECT is(pg_temp.kept('orders'), NULL, 'TRUNCATE');
ROLLBACK TO truncated;
-- A state is used: one that is wrong shows.
UPDATE deltacc.snapshots SET state = '{"tableState":{"version":10}}' FROM deltacc.tables t WHERE t.table_id = snapshots.table_id AND t.name = 'orders' AND version = 10;
SELECT is(deltacc.metadata(deltacc.state_at('orders', 12)), NULL, 'what is kept is what is used');
DELETE FROM deltacc.snapshots USING deltacc.tables t WHERE t.table_id = snapshots.table_id AND t.name = 'orders' AND version = 10;

-- Who may insert commits need not see the states.
CREATE ROLE deltacc_test_writer;
GRANT USAGE ON SCHEMA deltacc TO deltacc_test_writer;
GRANT SELECT, INSERT, DELETE ON deltacc.commits TO deltacc_test_writer;
GRANT SELECT ON deltacc.tables TO deltacc_test_writer;
SET LOCAL ROLE deltacc_test_writer;
SELECT lives_ok($$INSERT INTO deltacc.commits (table_id, version, actions) SELECT table_id, 27, '{"txn":{"appId":"a","version":1}}' FROM deltacc.tables WHERE name = 'orders'$$, 'who may insert a commit may do so');
SELECT is(pg_temp.failure($$DELETE FROM deltacc.commits WHERE version = 12$$), '42501 permission denied for table snapshots', '... but not make a kept state wrong');
SELECT is(min(winning_version), 26::bigint, 'and check, by folding the commits')
FROM deltacc.check_commit('orders', 25, ARRAY['true']::deltacc.predicate[], isolation => 'Serializable', last_version => 26);
SELECT is(pg_temp.failure($$SELECT state FROM deltacc.snapshots$$), '42501 permission denied for table snapshots', 'the states themselves are for those who were granted them');
RESET ROLE;
DELETE FROM deltacc.commits USING deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'orders' AND version = 27;

-- ----- forget -----
SELECT is(deltacc.forget('orders', 12), 12::bigint, 'forget: the commits before a version');
SELECT is(min(version), 12::bigint, '... are gone') FROM deltacc.commits JOIN deltacc.tables USING (table_id) WHERE name = 'orders';
SELECT is(pg_temp.kept('orders'), '11* 15 20 25', '... their state begins the log');
SELECT is(pg_temp.digest('orders', 12), half, 'what came later is told as before') FROM before;
SELECT is((SELECT count(*) FROM deltacc.live_files('orders', 11)), (SELECT count(*) FROM deltacc.file_actions((SELECT state FROM deltacc.snapshots WHERE version = 11 AND is_base)) WHERE action = 'add'), 'the version itself is there, with its files');
SELECT isnt(deltacc.state_at('orders', 11)::text, NULL, '... and can be read');
SELECT is((SELECT count(*) FROM deltacc.check_commit('orders', 11, ARRAY['customer_id = 5'], isolation => 'Serializable', last_version => 12)), 0::bigint, '... and checked against');
SELECT matches(pg_temp.failure($$SELECT deltacc.check_commit('orders', 10, ARRAY['true'])$$), '^22023 ', 'an older one is not');
SELECT matches(pg_temp.failure($$SELECT deltacc.live_files('orders', 10)$$), '^22023 version 10 of table "orders" is not held', 'nor are its files');
SELECT is(deltacc.ingest('orders', :'data' || '/logs/orders'), 0::bigint, 'what was forgotten is not taken in again');
SELECT is(deltacc.forget('orders', 12), 0::bigint, 'forgetting again does nothing');
SELECT is(deltacc.forget('orders', 16), 4::bigint, 'nor is it the end');
SELECT is(pg_temp.kept('orders'), '15* 20 25', '... the state moves on');
SELECT is((SELECT pg_temp.digest('orders', 16)), (SELECT pg_temp.digest('orders', 16)), 'and stays readable');
SELECT is(deltacc.forget('orders', 27), 11::bigint, 'all may be forgotten');
SELECT is(concat_ws(' ', pg_temp.kept('orders'), (SELECT count(*) FROM deltacc.live_files('orders')), (SELECT count(*) FROM deltacc.check_commit('orders', 26, ARRAY['true']))), '26* 3 0', '... but the state');
SELECT matches(pg_temp.failure($$SELECT deltacc.forget('orders', 99)$$), '^22023 ', 'not what is not there');
SELECT matches(pg_temp.failure($$SELECT deltacc.forget('nosuch', 9)$$), '^42704 ', 'no table');
SELECT matches(pg_temp.failure($$SELECT deltacc.forget('orders', NULL)$$), '^22004 ', 'no version');

-- Vectors that nothing refers to any more go, and nothing is told otherwise.
SELECT deltacc.ingest('accounts', :'data' || '/logs/accounts') \g /dev/null
CREATE TEMP TABLE rows_before AS
SELECT (SELECT md5(string_agg(c::text, E'\n' ORDER BY winner_version, loser_version)) FROM deltacc.contention('accounts', 10, 15) c) AS pairs,
	(SELECT count(*) FROM deltacc.contention('accounts', 10, 15) WHERE data_skipping AND NOT row_level) AS told_apart,
	(SELECT array_agg(v.id ORDER BY v.id) FROM deltacc.deletion_vectors v JOIN deltacc.tables t USING (table_id) WHERE t.name = 'accounts') AS vectors;
INSERT INTO deltacc.deletion_vectors (table_id, id, bytes) SELECT table_id, 'of a client', '' FROM deltacc.tables WHERE name = 'accounts';
SELECT is(deltacc.forget('accounts', 15), 15::bigint, 'a log with deletion vectors is forgotten');
SELECT is((SELECT md5(string_agg(c::text, E'\n' ORDER BY winner_version, loser_version)) FROM deltacc.contention('accounts', 10, 15) c), pairs, '... and rows are told apart as before') FROM rows_before;
SELECT ok(told_apart > 0, '(there are some)') FROM rows_before;
SELECT ok(count(*) FILTER (WHERE v.id = ANY (vectors)) BETWEEN 1 AND cardinality(vectors) - 1, '... with fewer vectors') FROM rows_before, deltacc.deletion_vectors v JOIN deltacc.tables t USING (table_id) WHERE t.name = 'accounts' GROUP BY vectors;
SELECT is(count(*), 1::bigint, '... but those that the log never named stay') FROM deltacc.deletion_vectors WHERE id = 'of a client';
DELETE FROM deltacc.tables WHERE name = 'accounts';

-- A table without a file is one whose files are known.
INSERT INTO deltacc.tables (name) VALUES ('bare at first');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"commitInfo":{"operation":"CREATE TABLE"}}\n{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[]}","partitionColumns":[],"configuration":{},"createdTime":1}}'),
	(1, '{"txn":{"appId":"a","version":1}}'),
	(2, '{"add":{"path":"a","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true}}')) v(v, a) WHERE t.name = 'bare at first';
SELECT is(deltacc.forget('bare at first', 1), 1::bigint, 'a table that was empty is forgotten');
SELECT is(deltacc.forget('bare at first', 2), 1::bigint, '... twice');
SELECT is((SELECT count(*) FROM deltacc.live_files('bare at first', 1)) || ' ' || (SELECT string_agg(path, ' ') FROM deltacc.live_files('bare at first')), '0 a', '... and its files are still known');
SELECT alike(deltacc.reconcile(version, actions)::text, '{"tableState":{"version":2}}%', 'one with files is as always') FROM deltacc.table_log('bare at first');
SELECT alike(deltacc.table_state(version, actions)::text, '{"tableState":{"version":2}}%', '... and a state without files doesn''t claim to have none') FROM deltacc.table_log('bare at first');

-- ----- refresh -----
SELECT deltacc.ingest('events', :'data' || '/logs/events') \g /dev/null
DELETE FROM deltacc.commits USING deltacc.tables t WHERE t.table_id = commits.table_id AND t.name = 'events' AND version > 30;
SELECT is(deltacc.refresh('events'), 3::bigint, 'refresh takes in what is new');
SELECT is(deltacc.refresh('events'), 0::bigint, '... if there is anything');
UPDATE deltacc.tables SET location = 'file://' || location WHERE name = 'events';
SELECT is(deltacc.refresh('events'), 0::bigint, 'a location may be a file: URI');
UPDATE deltacc.tables SET location = 's3://lake/events', snapshot_interval = 10 WHERE name = 'events';
SELECT is(deltacc.refresh('events'), 0::bigint, 'what lies elsewhere is not read');
SELECT is(pg_temp.kept('events'), '10 20 30', '... but its states are kept');
SELECT matches(pg_temp.failure($$SELECT deltacc.refresh('nosuch')$$), '^42704 ', 'no table');

-- ----- logs that begin after version 0 -----
-- From a checksum file: the shipped ones hold all files.
CREATE FUNCTION pg_temp.crc(name text, version bigint) RETURNS json LANGUAGE sql AS
$$ SELECT pg_read_file(format('%s/logs/%s/_delta_log/%s.crc', current_setting('deltacc_test.data'), name, lpad(version::text, 20, '0')))::json $$;
SELECT deltacc.ingest('accounts', :'data' || '/logs/accounts') \g /dev/null
CREATE FUNCTION pg_temp.sorted(state deltacc.actions) RETURNS text LANGUAGE sql AS
$$ SELECT string_agg(x.l, E'\n' ORDER BY x.l COLLATE "C") FROM regexp_split_to_table(rtrim(state::text, E'\n'), E'\n') s(l)
	CROSS JOIN LATERAL (SELECT (s.l::jsonb #- '{add,dataChange}' #- '{add,tags}')::text) x(l) $$;
SELECT is(pg_temp.sorted(deltacc.checksum_state(pg_temp.crc('accounts', 12), 12)::deltacc.actions), (SELECT pg_temp.sorted(deltacc.reconcile(version, actions)) FROM deltacc.table_log('accounts', 12)),
	'a checksum file''s state is the one that the commits come to, dataChange and empty tags apart');

-- The log without its first commits.
CREATE TEMP TABLE accounts AS SELECT pg_temp.digest('accounts', 13) AS whole, string_agg(f.path, ' ' ORDER BY f.path COLLATE "C") AS files FROM deltacc.live_files('accounts', 12) f;
CREATE FUNCTION pg_temp.cut(name text) RETURNS void LANGUAGE sql AS $$
	DELETE FROM deltacc.tables WHERE tables.name = cut.name;
	INSERT INTO deltacc.tables (name, location) SELECT cut.name, location FROM deltacc.tables WHERE tables.name = 'accounts';
	INSERT INTO deltacc.commits (table_id, version, actions) SELECT n.table_id, c.version, c.actions
	FROM deltacc.commits c JOIN deltacc.tables o ON o.table_id = c.table_id AND o.name = 'accounts', deltacc.tables n WHERE n.name = cut.name AND c.version > 12 $$;
SELECT pg_temp.cut('cut') \g /dev/null
SELECT is(deltacc.keep_snapshots('cut'), 0::bigint, 'without its beginning there is no state to be kept');
-- Nor is there one after a gap.
SAVEPOINT gap;
UPDATE deltacc.tables SET snapshot_interval = 4 WHERE name = 'accounts';
DELETE FROM deltacc.snapshots USING deltacc.tables t WHERE snapshots.table_id = t.table_id AND t.name = 'accounts';
DELETE FROM deltacc.commits USING deltacc.tables t WHERE commits.table_id = t.table_id AND t.name = 'accounts' AND version BETWEEN 6 AND 9;
SELECT is(deltacc.keep_snapshots('accounts'), 1::bigint, 'states are kept up to a gap');
SELECT throws_ok($$SELECT deltacc.state_at('accounts', 12)$$, '22023', 'version 6 is missing', '... and it is named');
ROLLBACK TO gap;
SELECT deltacc.set_base('cut', 12, deltacc.checksum_state(pg_temp.crc('accounts', 12), 12)::deltacc.actions) \g /dev/null
SELECT is(pg_temp.kept('cut'), '12*', 'a state may be given');
SELECT is(pg_temp.digest('cut', 13), whole, '... and all is told as if the log were whole') FROM accounts;
-- From the rows of a checkpoint: adds, and removes of what is gone.
SELECT pg_temp.cut('checkpoint') \g /dev/null
SELECT deltacc.set_base('checkpoint', 12, (SELECT string_agg(l, E'\n') FROM regexp_split_to_table((SELECT deltacc.reconcile(version, actions)::text FROM deltacc.table_log('accounts', 12)), E'\n') l WHERE l !~ 'tableState')
	|| E'\n{"remove":{"path":"gone.parquet","deletionTimestamp":1,"dataChange":false}}') \g /dev/null
SELECT is(string_agg(f.path, ' ' ORDER BY f.path COLLATE "C"), files, 'the rows of a checkpoint: its files') FROM deltacc.live_files('checkpoint', 12) f, accounts GROUP BY files;
SELECT is(pg_temp.digest('checkpoint', 13), whole, '... and what came after') FROM accounts;
-- Only the schema.
SELECT pg_temp.cut('bare') \g /dev/null
SELECT deltacc.set_base('bare', 12, (deltacc.state_at('accounts', 12))) \g /dev/null
SELECT is(deltacc.state_at('bare', 20)::text, deltacc.state_at('accounts', 20)::text, 'without files there is a state');
SELECT matches(pg_temp.failure($$SELECT deltacc.live_files('bare', 20)$$), '^22023 ', '... but no list of files');
SELECT is((SELECT count(*) > 0 FROM deltacc.check_commit('bare', 20, ARRAY['id = 3'])), true, '... and checks');
SELECT is(deltacc.forget('bare', 16), 3::bigint, '... and its commits can be forgotten');
SELECT is(deltacc.state_at('bare', 20)::text, deltacc.state_at('accounts', 20)::text, '... with no loss');
SELECT is(deltacc.checksum_state('{"numFiles":0,"allFiles":[],"protocol":{"minReaderVersion":1,"minWriterVersion":2},"metadata":{"id":"x"}}', 3),
	E'{"tableState":{"version":3,"numFiles":0}}\n{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x"}}', 'a checksum file of an empty table');
-- What can't be a beginning.
SELECT matches(pg_temp.failure($$SELECT deltacc.set_base('cut', 12, '{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}')$$), '^22023 the state of "cut" at version 12 has no metaData', 'no metaData');
SELECT matches(pg_temp.failure($$SELECT deltacc.set_base('cut', 11, deltacc.state_at('accounts', 11))$$), '^22023 the log of "cut" can''t begin with version 11', 'a hole behind it');
SELECT matches(pg_temp.failure($$SELECT deltacc.set_base('accounts', 12, deltacc.state_at('accounts', 12))$$), '^22023 the log of "accounts" can''t begin with version 12', 'a log that is whole');
SELECT matches(pg_temp.failure($$SELECT deltacc.set_base('cut', 12, '{"checkpointMetadata":{"version":12}}')$$), '^22023 ', 'a V2 checkpoint that lists sidecars');
SELECT matches(pg_temp.failure($$SELECT deltacc.set_base('cut', 12, NULL)$$), '^22004 ', 'nothing');

-- ingest finds the checksum file by itself.
SELECT is(deltacc.ingest('late', :'data' || '/ingest/late_start'), 2::bigint, 'a log that begins with version 5');
SELECT is(pg_temp.kept('late'), '5*', '... begins with the state that 5.crc holds');
SELECT is(array_agg(path ORDER BY path COLLATE "C"), ARRAY['a', 'b', 'c'], '... with its files') FROM deltacc.live_files('late');
SELECT is(count(*), 1::bigint, '... and can be checked against') FROM deltacc.check_commit('late', 5, ARRAY['id = 3'], isolation => 'Serializable');
-- The rights that docs/catalog.md lists are enough.
CREATE ROLE deltacc_test_loader;
GRANT USAGE ON SCHEMA deltacc TO deltacc_test_loader;
GRANT SELECT, INSERT ON deltacc.tables, deltacc.commits, deltacc.deletion_vectors, deltacc.snapshots TO deltacc_test_loader;
GRANT pg_read_server_files TO deltacc_test_loader;
GRANT EXECUTE ON FUNCTION pg_ls_dir(text), pg_read_file(text), pg_read_binary_file(text) TO deltacc_test_loader;
SET LOCAL ROLE deltacc_test_loader;
SELECT is(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'of a loader', :'data' || '/ingest/late_start')), NULL, 'a loader may ingest such a log');
SELECT is(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'of a loader, too', :'data' || '/logs/accounts')), NULL, '... and any other');
RESET ROLE;
SELECT is(pg_temp.kept('of a loader'), '5*', '... with its beginning');
SELECT matches(pg_temp.failure(format('SELECT deltacc.ingest(%L, %L)', 'bad checksum', :'data' || '/ingest/bad_checksum')), '^22P02 checksum file ".*/bad_checksum/_delta_log/00000000000000000005.crc" can''t be read', 'a checksum file that is none');
SELECT is(deltacc.ingest('no_head', :'data' || '/ingest/no_head'), 2::bigint, 'without one the log is as it is');
SELECT is(pg_temp.kept('no_head'), NULL, '... and has no state');

-- Tables that are not there.
SELECT throws_ok($$SELECT deltacc.keep_snapshots('nosuch')$$, '42704', 'table "nosuch" is not in deltacc.tables');
SELECT throws_ok(format('SELECT deltacc.%s', call), '22004', 'table_name must not be NULL', call || ' without a name')
FROM unnest(ARRAY['keep_snapshots(NULL)', 'refresh(NULL)', 'state_at(NULL)', 'forget(NULL, 3)']) call;

SELECT * FROM finish();
ROLLBACK;
