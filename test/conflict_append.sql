-- ConcurrentAppendException: the winner added files that the transaction should
-- have read.  Which files are looked at, and which of them conflict.
\ir data/begin.psql
\ir data/conflict_helpers.psql
SELECT no_plan();
SET LOCAL deltacc.data_skipping = off;

-- The files that conflict, in order; '' if there is none.
CREATE FUNCTION pg_temp.hit(
	state deltacc.actions, winner deltacc.actions, reads deltacc.predicate[], writes deltacc.actions,
	isolation text DEFAULT 'Serializable', whole boolean DEFAULT false) RETURNS text
LANGUAGE sql AS $$
	SELECT coalesce(string_agg(path, ' '), '')
	FROM deltacc.check_conflicts(state, winner, reads, writes, isolation, whole, read_files => '{}', operation => 'UPDATE')
	WHERE exception = 'ConcurrentAppendException'
$$;

\set update 'pg_temp.commit_of(pg_temp.remove_of(''old''), pg_temp.add_of(''mine''))'
\set append 'pg_temp.commit_of(pg_temp.add_of(''mine''))'

-- Levels: a blind append of the winner's, and one that read.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE', blind), pg_temp.add_of('new')), ARRAY['x > 3'], :update, level),
	expected, format('%s against %s', level, CASE WHEN blind THEN 'a blind append' ELSE 'a writer that read' END))
FROM (VALUES
	('Serializable', true, 'new'), ('Serializable', false, 'new'),
	('WriteSerializable', true, ''), ('WriteSerializable', false, 'new'),
	('SnapshotIsolation', true, ''), ('SnapshotIsolation', false, '')) v(level, blind, expected);

-- What counts as a blind append of the winner's is isBlindAppend: true, and nothing else.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(info, pg_temp.add_of('new')), ARRAY['x > 3'], :update, 'WriteSerializable'), 'new', why)
FROM (VALUES
	('{"commitInfo":{"operation":"WRITE"}}', 'isBlindAppend absent: not blind'),
	('{"commitInfo":{"operation":"WRITE","isBlindAppend":null}}', 'isBlindAppend null: not blind'),
	('{"commitInfo":{"operation":"WRITE","isBlindAppend":"true"}}', 'isBlindAppend a string: not blind'),
	('{"txn":{"appId":"a","version":1}}', 'no commitInfo: not blind')) v(info, why);

-- A transaction that changes metadata looks at blind appends, too.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE', true), pg_temp.add_of('new')), ARRAY['true'],
	pg_temp.commit_of(pg_temp.metadata_of('{"a":"b"}'), pg_temp.remove_of('old')), 'WriteSerializable'), 'new',
	'WriteSerializable: with a metaData of our own blind appends count');

-- A blind append of our own reads nothing, at any level.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('UPDATE'), pg_temp.add_of('new')), '{}', :append), '',
	'a blind append conflicts with no added file');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('UPDATE'), pg_temp.add_of('new')), '{}',
	pg_temp.commit_of(pg_temp.add_of('mine'), '{"cdc":{"path":"c","partitionValues":{},"size":1}}')), 'new',
	'a cdc file ends a blind append');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('UPDATE'), pg_temp.add_of('new')), '{}', NULL), 'new',
	'writes NULL is no blind append');

-- The winner's dataChange is never looked at: OPTIMIZE conflicts.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('OPTIMIZE'), pg_temp.remove_of('f', NULL, false), pg_temp.add_of('big', NULL, NULL, NULL, false)),
	ARRAY['x > 3'], :update), 'big', 'files that an OPTIMIZE wrote count');

-- Unpartitioned: released Delta compares no condition.
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 0, 9)), ARRAY['x > 1000'], :update), 'new',
	'unpartitioned, data skipping off: every added file conflicts');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 0, 9)), ARRAY['false'], :update), 'new',
	'unpartitioned, data skipping off: even for a read of nothing');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 0, 9)), '{}', :update), 'new',
	'unpartitioned, no read, not blind: every added file conflicts');

-- Partitioned: the partition predicates decide.
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'),
	pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('in_a', 'a'), pg_temp.add_of('in_b', 'b'), pg_temp.add_of('in_c', 'c')), reads::deltacc.predicate[], :update),
	expected, 'partitioned: ' || reads)
FROM (VALUES
	('{p = ''b''}', 'in_b'), ('{p <> ''b''}', 'in_a in_c'), ('{p > ''z''}', ''), ('{true}', 'in_a in_b in_c'), ('{false}', ''),
	('{x < 0}', 'in_a in_b in_c'), ('{p = ''b'' AND x < 0}', 'in_b'), ('{p = ''b'' OR x < 0}', 'in_a in_b in_c'),
	('{p = ''c'',p = ''a''}', 'in_c in_a'), ('{p = ''a'',true}', 'in_a in_b in_c'), ('{}', '')) v(reads, expected);
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('in_b', 'b')), '{}', :update, whole => true), 'in_b',
	'partitioned, whole table read: every added file conflicts');

-- With data skipping the statistics rule files out.
SET LOCAL deltacc.data_skipping = on;
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('low', NULL, 0, 9), pg_temp.add_of('high', NULL, 90, 99), pg_temp.add_of('blank')),
	ARRAY['x > 50'], :update), 'high blank', 'data skipping: disjoint files are left out, files without statistics are not');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 0, 9)), ARRAY['false'], :update), 'new',
	'data skipping: on an unpartitioned table a condition without columns still counts for nothing');
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('low', 'b', 0, 9), pg_temp.add_of('high', 'b', 90, 99)),
	ARRAY['p = ''b'' AND x > 50'], :update), 'high', 'data skipping: within one partition the data decides');
SELECT is(pg_temp.hit(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('low', 'b', 0, 9)),
	ARRAY['p = ''b'' AND x > 50', 'p = ''a'' AND x < 5'], :update), 'low',
	'data skipping: reads are united first, so that a file can pass one read''s data half and another''s partition half');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('low', NULL, 0, 9)), ARRAY['x > 50'], :update, whole => true), 'low',
	'whole table read: no data skipping');
SELECT is(pg_temp.hit(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('DELETE'), pg_temp.remove_of('f'),
	'{"add":{"path":"f","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"deletionVector":{"storageType":"u","pathOrInlineDv":"ab^-aqEH.-t@S}K{vb[*k^","offset":4,"sizeInBytes":40,"cardinality":6},"stats":"{\"numRecords\":10,\"minValues\":{\"x\":0},\"maxValues\":{\"x\":9},\"nullCount\":{\"x\":0}}"}}'),
	ARRAY['x > 50'], :update), 'f', 'a file that the winner re-adds with a deletion vector is kept');

-- The row itself.
SET LOCAL deltacc.data_skipping = off;
SELECT results_eq($$
	SELECT winning_version, winning_operation, check_name, exception, error_class, sub_condition, sqlstate, path, partition_values, isolation, read_index, read_predicate
	FROM deltacc.check_conflicts(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', 'b')),
		ARRAY['p = ''a''', 'p = ''b'''], pg_temp.commit_of(pg_temp.remove_of('old', 'a')), 'Serializable', winner_version => 7, table_name => 'sales') $$,
	$$ VALUES (7::bigint, 'WRITE', 'added_file', 'ConcurrentAppendException', 'DELTA_CONCURRENT_APPEND', 'WITH_PARTITION_HINT', '2D521', 'new', '{"p": "b"}'::jsonb,
		'Serializable', 2, 'p = ''b''') $$, 'a row names the winner, the error class, the file, its partition and the read');
SELECT is((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of('{"txn":{"appId":"a","version":1}}', pg_temp.add_of('new')), ARRAY['true'], :update)).winning_operation,
	'TRANSACTION', 'a winner without commitInfo is called TRANSACTION, as Delta does');
SELECT is((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of('{"commitInfo":{"operation":null}}', pg_temp.add_of('new')), ARRAY['true'], :update)).winning_operation,
	NULL, 'an operation null stays NULL');
SELECT matches((deltacc.first_conflict(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', 'b')), ARRAY['x > 3'],
	pg_temp.commit_of(pg_temp.remove_of('old', 'a'), pg_temp.add_of('mine', 'a')))).hint, 'p = ''a''',
	'the hint names a condition that would have kept the two apart');
SELECT matches((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 0, 9)), ARRAY['x > 50'], :update)).hint,
	'deltacc.data_skipping = on', 'the hint says that data skipping would have avoided it');
SELECT doesnt_match((deltacc.first_conflict(pg_temp.table_of(), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', NULL, 60, 69)), ARRAY['x > 50'], :update)).hint,
	'deltacc.data_skipping = on', '... and does not say so where it would not');
SELECT matches((deltacc.first_conflict(pg_temp.table_of('["p"]'), pg_temp.commit_of(pg_temp.info_of('WRITE'), pg_temp.add_of('new', 'b')), ARRAY['s.p = t.p'],
	pg_temp.commit_of(pg_temp.remove_of('old', 'a')))).hint, 'join', 'the hint says that a join condition filters nothing');

-- A partition value that can't be read is told where the commit's own directory seems to rule all files out.
SELECT throws_like($$SELECT deltacc.check_conflicts(pg_temp.table_of('["p", "x"]'),
	'{"add":{"path":"a","partitionValues":{"x":"seven","p":"b"},"size":1,"modificationTime":1,"dataChange":true}}', ARRAY['x = 7 AND p = ''a'''], pg_temp.remove_of('g')::deltacc.actions, 'Serializable')$$,
	'%CAST_INVALID_INPUT%', 'a partition value that is no number');

SELECT * FROM finish();
ROLLBACK;
