-- An unknown or missing thing never reads as "no conflict".
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();

\set state 'pg_temp.table_of()'
\set winner 'pg_temp.commit_of(pg_temp.add_of(\'f\'))'
SELECT throws_ok(format('SELECT %s(%s)', f, args), '22004', NULL, f || '(' || args || ')')
FROM unnest(ARRAY['deltacc.check_conflicts', 'deltacc.first_conflict', 'deltacc.rebase']) f,
	unnest(ARRAY['NULL, pg_temp.commit_of(pg_temp.add_of(''f''))', 'pg_temp.table_of(), NULL', 'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), NULL',
		'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), ARRAY[''true'', NULL]::deltacc.predicate[]',
		'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), read_whole_table => NULL',
		'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), read_app_ids => NULL',
		'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), read_app_ids => ARRAY[NULL]',
		'pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of(''f'')), read_files => ARRAY[''a'', NULL]']) args;
SELECT throws_ok('SELECT deltacc.isolation_level(NULL)', '22004', NULL, 'isolation_level(NULL)');

SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.table_of(), '')$$, '22023', NULL, 'a winner without any action');
SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.table_of(), E'\n\n')$$, '22023', NULL, 'a winner of blank lines');
SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.protocol_of(1, 2)::deltacc.actions, pg_temp.commit_of(pg_temp.add_of('f')))$$, '22023', NULL, 'a snapshot without metaData');
SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of('f')), isolation => 'ReadCommitted')$$, '22023', NULL, 'no isolation level');
SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of('f')), ARRAY['no_such_column = 1'])$$, '42703', NULL, 'a read of an unknown column');
SELECT throws_ok($$SELECT deltacc.check_conflicts(pg_temp.table_of(), pg_temp.commit_of(pg_temp.add_of('f')), winner_version => -1)$$, '22023', NULL, 'a negative version');

-- writes NULL: not blind, not downgraded.
SELECT is((deltacc.first_conflict(:state, :winner)).exception, 'ConcurrentAppendException', 'nothing known but the winner');
SELECT is((deltacc.first_conflict(:state, :winner)).isolation, 'WriteSerializable', 'the setting is the level of a table that sets none');
SELECT is((deltacc.first_conflict(:state, :winner, '{}', '')).exception, NULL, 'an empty commit is known to be empty');

-- The level: the table's, else the setting, then the downgrade.
SELECT is(deltacc.isolation_level(pg_temp.table_of(configuration => c)), expected, c)
FROM (VALUES ('{}', 'WriteSerializable'), ('{"delta.isolationLevel":"Serializable"}', 'Serializable'), ('{"delta.isolationLevel":"serializable"}', 'Serializable'),
	('{"delta.isolationLevel":"SnapshotIsolation"}', 'SnapshotIsolation')) v(c, expected);
SELECT throws_ok($$SELECT deltacc.isolation_level(pg_temp.table_of(configuration => '{"delta.isolationLevel":"foo"}'))$$, '22023', NULL, 'an unknown level in the table');
SELECT is(deltacc.isolation_level(''), 'WriteSerializable', 'no table yet');
SELECT is((deltacc.first_conflict(pg_temp.table_of(configuration => format('{"delta.isolationLevel":%s}', to_json(level))), :winner, ARRAY['true'], writes::deltacc.actions, operation => operation)).isolation,
	expected, format('%s, %s, %s', level, operation, what))
FROM (VALUES
	('Serializable', 'OPTIMIZE', pg_temp.remove_of('g', NULL, false), 'no data change', NULL),
	('Serializable', 'UPDATE', pg_temp.remove_of('g', NULL, false), 'no data change', NULL),
	('WriteSerializable', 'OPTIMIZE', pg_temp.remove_of('g', NULL, false), 'no data change', NULL),
	('WriteSerializable', 'UPDATE', pg_temp.remove_of('g', NULL, false), 'no data change', 'WriteSerializable'),
	('WriteSerializable', NULL, pg_temp.remove_of('g', NULL, false), 'no data change', 'WriteSerializable'),
	('Serializable', 'OPTIMIZE', pg_temp.remove_of('g'), 'data change', 'Serializable'),
	('Serializable', 'OPTIMIZE', '{"txn":{"appId":"a","version":1}}' || E'\n' || pg_temp.remove_of('g', NULL, false), 'a txn action', 'Serializable'),
	('Serializable', 'UPDATE', '{"cdc":{"path":"c","partitionValues":{},"size":1,"dataChange":true}}', 'cdc only', NULL)) v(level, operation, writes, what, expected);

SELECT is((deltacc.first_conflict(pg_temp.table_of(configuration => '{"delta.isolationLevel":"WriteSerializable"}'), :winner, ARRAY['true'], pg_temp.remove_of('g', NULL, false)::deltacc.actions, operation => operation)).isolation,
	'WriteSerializable', operation || ' is never downgraded')
FROM unnest('{WRITE,STREAMING UPDATE,DELETE,TRUNCATE,CONVERT,MERGE,UPDATE,RESTORE,CLONE,CREATE TABLE AS SELECT,REPLACE TABLE AS SELECT,CREATE OR REPLACE TABLE AS SELECT,REPLACE TABLE,WRITE:Overwrite,Nobody Knows}'::text[]) operation;

-- The functions' marks.
SELECT is((SELECT string_agg(DISTINCT concat_ws(' ', provolatile, proparallel, proisstrict), ', ') FROM pg_proc
	WHERE pronamespace = 'deltacc'::regnamespace AND proname IN ('check_conflicts', 'first_conflict', 'rebase', 'check_commit', 'rebase_commit', 'isolation_level')),
	's s f', 'stable, parallel safe, not strict');

SELECT * FROM finish();
ROLLBACK;
