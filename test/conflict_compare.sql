-- compare_rules: whether a conflict is real, and what would have avoided it.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

CREATE FUNCTION pg_temp.compared(state deltacc.actions, winner deltacc.actions, reads deltacc.predicate[], writes deltacc.actions DEFAULT NULL, isolation text DEFAULT NULL) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(concat_ws(' ', rules || ':', outcome, conflicts, first_exception, files_checked || '/' || files_skipped), '; ')
	FROM deltacc.compare_rules(state, winner, reads, writes, isolation) WHERE rules <> 'row level' $$;

-- A blind append of a range that the read doesn't ask for: false under every set of rules but released Delta's.
\set update 'pg_temp.commit_of(pg_temp.remove_of(\'old\'), pg_temp.add_of(\'mine\'))'
\set append 'pg_temp.commit_of(pg_temp.info_of(\'WRITE\', true), pg_temp.add_of(\'low\', NULL, 0, 9), pg_temp.add_of(\'high\', NULL, 90, 99))'
SELECT is(pg_temp.compared(pg_temp.table_of(), :append, ARRAY['x > 200'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: ok 0 2/2; sharp: ok 0 2/2', 'a blind append elsewhere');
SELECT is(pg_temp.compared(pg_temp.table_of(), :append, ARRAY['x > 50'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: conflict 1 ConcurrentAppendException 2/1; sharp: conflict 1 ConcurrentAppendException 2/1',
	'a blind append that may hold rows of the read');
SELECT is(pg_temp.compared(pg_temp.table_of(), :append, ARRAY['x IN (5, 95, 1000)', 'x NOT BETWEEN 0 AND 100'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: conflict 2 ConcurrentAppendException 2/0; sharp: conflict 2 ConcurrentAppendException 2/0', 'two reads');
SELECT is(pg_temp.compared(pg_temp.table_of(), :append, ARRAY['x IN (50, 1000)'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: conflict 1 ConcurrentAppendException 2/1; sharp: ok 0 2/2', 'value by value only sharp tells');
SELECT is(pg_temp.compared(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('old')), ARRAY['x > 50'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentDeleteReadException 0/0; WriteSerializable: conflict 2 ConcurrentDeleteReadException 0/0; data skipping: conflict 2 ConcurrentDeleteReadException 0/0; sharp: conflict 2 ConcurrentDeleteReadException 0/0',
	'a conflict over a removed file is real under all rules');
SELECT is(pg_temp.compared(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('MERGE'), pg_temp.add_of('a', 'a'), pg_temp.add_of('b', 'b')), ARRAY['p = ''a'''], :update),
	'Delta 4.4.0: conflict 1 ConcurrentAppendException 2/1; WriteSerializable: conflict 1 ConcurrentAppendException 2/1; data skipping: conflict 1 ConcurrentAppendException 2/1; sharp: conflict 1 ConcurrentAppendException 2/1',
	'partitions are compared under all rules');
SELECT is(pg_temp.compared(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('a')), '{}', pg_temp.commit_of(pg_temp.add_of('mine'))),
	'Delta 4.4.0: ok 0 0/0; WriteSerializable: ok 0 0/0; data skipping: ok 0 0/0; sharp: ok 0 0/0', 'a blind append of our own');

-- The level is the table's where the rules pin none: else Serializable, whatever the setting.
SELECT is(pg_temp.compared(pg_temp.table_of(configuration => '{"delta.isolationLevel":"WriteSerializable"}'), :append, ARRAY['x > 50'], :update),
	'Delta 4.4.0: ok 0 0/0; WriteSerializable: ok 0 0/0; data skipping: ok 0 0/0; sharp: ok 0 0/0', 'a table that asks for WriteSerializable');
SELECT is(pg_temp.compared(pg_temp.table_of(configuration => '{"delta.isolationLevel":"Serializable"}'), :append, ARRAY['x > 200'], :update),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: ok 0 2/2; sharp: ok 0 2/2', 'WriteSerializable is pinned, whatever the table says');

-- Nothing that the session sets, and no argument, changes a row.
SELECT is(pg_temp.compared(pg_temp.table_of(), :append, ARRAY['x > 50'], :update, level),
	'Delta 4.4.0: conflict 2 ConcurrentAppendException 2/0; WriteSerializable: ok 0 0/0; data skipping: conflict 1 ConcurrentAppendException 2/1; sharp: conflict 1 ConcurrentAppendException 2/1',
	format('%s, %s, isolation %s', set_config('deltacc.data_skipping', skipping, true), set_config('deltacc.default_isolation_level', default_level, true), level))
FROM unnest(ARRAY['off', 'on', 'sharp']) skipping, unnest(ARRAY['Serializable', 'WriteSerializable']) default_level, unnest(ARRAY['SnapshotIsolation', 'no such level', NULL]) level;

SELECT throws_ok($$SELECT deltacc.compare_rules(NULL, pg_temp.commit_of(pg_temp.add_of('f')))$$, '22004', NULL, 'no snapshot');
SELECT throws_ok($$SELECT deltacc.compare_rules(pg_temp.table_of(), '')$$, '22023', NULL, 'a winner without any action');
SELECT is((SELECT concat_ws(' ', provolatile, proparallel, proisstrict) FROM pg_proc WHERE oid = 'deltacc.compare_rules'::regproc), 's s f', 'stable, parallel safe, not strict');

SELECT * FROM finish();
ROLLBACK;
