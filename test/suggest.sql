-- What the condition should have said, and the decision panel.
\ir data/begin.psql
SELECT no_plan();
SELECT deltacc.ingest(t, :'data' || '/logs/' || t) > 0 FROM unnest(ARRAY['orders', 'events', 'accounts']) t \g /dev/null

-- ----- suggest -----
SELECT is(string_agg(concat_ws(' | ', winning_version, coalesce(conjunct, '-'), needs, avoids::text, avoids_all, files_given_up), E'\n' ORDER BY n) FILTER (WHERE n IS NOT NULL), want, what)
FROM (VALUES
	('events', 10, 't.event_id = s.event_id AND t.event_date = s.event_date', 12,
		E'11 | t.event_id < 90000 | data skipping | {11} | f | 0\n'
		'11 | t.event_date <> DATE ''2026-08-17'' | nothing | {11} | f | 1\n'
		'11 | t.event_date NOT IN (DATE ''2026-08-16'', DATE ''2026-08-17'') | nothing | {11,12} | t | 2\n'
		'11 | t.event_id < 6000 | data skipping | {11,12} | t | 2\n'
		'12 | t.event_date <> DATE ''2026-08-16'' | nothing | {12} | f | 1\n'
		'12 | t.event_date NOT IN (DATE ''2026-08-16'', DATE ''2026-08-17'') | nothing | {11,12} | t | 2\n'
		'12 | t.event_id < 6000 | data skipping | {11,12} | t | 2\n'
		'12 | t.event_id > 6299 | data skipping | {12} | f | 7', 'a MERGE by a join: partitions and ranges that leave the winners out'),
	('orders', 10, 'customer_id BETWEEN 900000 AND 901000', 12, E'11 | - | data skipping | {11,12} | t | 0\n12 | - | data skipping | {11,12} | t | 0', 'a condition that is good enough'),
	('orders', 15, 'customer_id BETWEEN 200000 AND 201000', 16, '16 | -', 'nothing helps: that is a row, too'),
	('orders', 10, 'customer_id BETWEEN 900000 AND 901000', 10, NULL, 'no conflict, no row')) v(name, read_version, predicate, last_version, want, what)
LEFT JOIN LATERAL deltacc.suggest(name, read_version, predicate::deltacc.predicate, last_version) WITH ORDINALITY AS s(winning_version, winning_operation, exception, conjunct, suggestion, needs, avoids, avoids_all, files_kept, files_given_up, n) ON true
GROUP BY want, what HAVING count(s.n) > 0 OR want IS NULL;

-- Every suggestion holds what it promises.
CREATE TEMP TABLE promise AS SELECT s.*, x.* FROM (VALUES ('events', 10, 't.event_id = s.event_id AND t.event_date = s.event_date', 14), ('events', 8, 'kind = ''buy''', 16), ('events', 20, 'event_id % 3 = 0', 24)) x(name, read_version, predicate, last_version),
	deltacc.suggest(x.name, x.read_version, x.predicate::deltacc.predicate, x.last_version) s WHERE conjunct IS NOT NULL;
SELECT cmp_ok(count(*), '>', 20::bigint, 'there are some') FROM promise;
SET LOCAL deltacc.data_skipping = on;
SELECT is(count(*), 0::bigint, 'with data skipping none of them conflicts with what it avoids') FROM promise p
JOIN LATERAL deltacc.check_commit(name, read_version, ARRAY[suggestion], isolation => 'Serializable', last_version => last_version) c ON c.winning_version = ANY (p.avoids);
SET LOCAL deltacc.data_skipping = off;
SELECT is(count(*), 0::bigint, 'those that need nothing not without it either') FROM promise p
JOIN LATERAL deltacc.check_commit(name, read_version, ARRAY[suggestion], isolation => 'Serializable', last_version => last_version) c ON c.winning_version = ANY (p.avoids) WHERE needs = 'nothing';
SELECT is(count(*), 0::bigint, '... and without the conjunct there is a conflict') FROM promise p
WHERE NOT EXISTS (SELECT FROM deltacc.check_commit(name, read_version, ARRAY[predicate::deltacc.predicate], isolation => 'Serializable', last_version => last_version) c WHERE c.winning_version = p.winning_version);
RESET deltacc.data_skipping;
SELECT is(count(*) FILTER (WHERE files_kept = 0), 0::bigint, 'none leaves nothing to be read') FROM promise;
SELECT is(count(*), 0::bigint, 'the smallest change comes first') FROM (SELECT files_given_up < lag(files_given_up) OVER (PARTITION BY name, read_version, winning_version ORDER BY n) AS wrong
	FROM (VALUES ('events', 10), ('events', 20)) x(name, read_version), deltacc.suggest(x.name, x.read_version, 'kind = ''buy''', x.read_version + 4) WITH ORDINALITY AS s(winning_version, winning_operation, exception, conjunct, suggestion, needs, avoids, avoids_all, files_kept, files_given_up, n)) y WHERE wrong;
SELECT throws_ok($$SELECT * FROM deltacc.suggest('orders', 10, NULL)$$, '22004');
SELECT throws_ok($$SELECT * FROM deltacc.suggest('orders', 99, 'true')$$, '22023');
SELECT throws_ok($$SELECT * FROM deltacc.suggest('nosuch', 1, 'true')$$, '42704');
SELECT throws_ok($$SELECT * FROM deltacc.suggest('orders', 10, 'nosuch = 1')$$, '42703');
SET LOCAL deltacc.target_alias = 'o';
SELECT is(min(conjunct), 'o.event_date <> DATE ''2026-08-17''', 'columns are qualified as the condition does it')
FROM deltacc.suggest('events', 10, 's.id = o.event_id', 11) WHERE needs = 'nothing';
RESET deltacc.target_alias;
SELECT is(deltacc.spark_literal(v, t), want, format('%s as %s', v, t))
FROM (VALUES ('5', 'long', '5'), ('-5', 'integer', '-5'), ('5.5', 'long', NULL), ('7.50', 'decimal(10,2)', '7.50'), ('2026-08-11', 'date', 'DATE ''2026-08-11'''), ('x', 'date', NULL),
	('it''s \', 'string', $$'it\'s \\'$$), ('true', 'boolean', 'true'), ('2026-08-11T00:00:00Z', 'timestamp', NULL), (NULL, 'long', NULL)) x(v, t, want);

-- Of a log whose beginning is missing the files are not counted.
INSERT INTO deltacc.tables (name) VALUES ('cut');
INSERT INTO deltacc.commits (table_id, version, actions) SELECT n.table_id, c.version, c.actions
FROM deltacc.commits c JOIN deltacc.tables o ON o.table_id = c.table_id AND o.name = 'events', deltacc.tables n WHERE n.name = 'cut' AND c.version > 10;
SELECT deltacc.set_base('cut', 10, deltacc.state_at('events', 10)) \g /dev/null
SELECT is(string_agg(DISTINCT conjunct, ', ' ORDER BY conjunct) || count(files_kept), 't.event_date <> DATE ''2026-08-16'', t.event_date <> DATE ''2026-08-17'', t.event_date NOT IN (DATE ''2026-08-16'', DATE ''2026-08-17'')0', 'a log without a list of files')
FROM deltacc.suggest('cut', 10, 't.event_id = s.event_id AND t.event_date = s.event_date', 12) WHERE needs = 'nothing';

-- A partition of NULL, statistics that are no numbers.
INSERT INTO deltacc.tables (name) VALUES ('odd');
INSERT INTO deltacc.commits (table_id, version, actions)
SELECT t.table_id, v, a::deltacc.actions FROM deltacc.tables t, (VALUES
	(0, E'{"protocol":{"minReaderVersion":1,"minWriterVersion":2}}\n{"metaData":{"id":"x","format":{"provider":"parquet","options":{}},"schemaString":"{\\"type\\":\\"struct\\",\\"fields\\":[{\\"name\\":\\"n\\",\\"type\\":\\"decimal(5,2)\\",\\"nullable\\":true,\\"metadata\\":{}},{\\"name\\":\\"p\\",\\"type\\":\\"string\\",\\"nullable\\":true,\\"metadata\\":{}}]}","partitionColumns":["p"],"configuration":{},"createdTime":1}}\n{"add":{"path":"a","partitionValues":{"p":"a"},"size":1,"modificationTime":1,"dataChange":true}}'),
	(1, E'{"commitInfo":{"operation":"WRITE"}}\n{"add":{"path":"b","partitionValues":{"p":null},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\\"numRecords\\":1,\\"minValues\\":{\\"n\\":\\"1.2.3\\"},\\"maxValues\\":{\\"n\\":\\"..\\"}}"}}')) v(v, a) WHERE t.name = 'odd';
SELECT is(string_agg(conjunct || ' ' || needs, ', '), 'p IS NOT NULL nothing', 'a partition of NULL') FROM deltacc.suggest('odd', 0, 'n > 1');

-- ----- the panel -----
CREATE TEMP TABLE panel AS SELECT * FROM deltacc.simulations;
SELECT is(count(*), (5 * 5 * 8 * 2 * 3)::bigint, 'every cell') FROM panel;
SELECT is(count(*) FILTER (WHERE outcome NOT IN ('ok', 'conflict') OR reason IS NULL OR usable_partition_predicates IS NULL OR (outcome = 'conflict') <> (exception IS NOT NULL)), 0::bigint, 'has an outcome and a reason') FROM panel;
SELECT is(count(*), 0::bigint, 'a cell is what simulate() says')
FROM panel p CROSS JOIN LATERAL deltacc.simulate(layout, condition, winner, isolation, row_level) s
WHERE p.layout = 'partitioned by both' AND (p.outcome, p.exception, p.sub_condition, p.usable_partition_predicates, p.reason) IS DISTINCT FROM (s.outcome, s.exception, s.sub_condition, s.usable_partition_predicates, s.reason);
-- What any page on Delta's concurrency says.
CREATE FUNCTION pg_temp.cell(layout text, condition text, winner text, isolation text DEFAULT 'WriteSerializable', row_level text DEFAULT 'off') RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', coalesce(exception, outcome), sub_condition, usable_partition_predicates) FROM deltacc.simulate(layout, condition::deltacc.predicate, winner, isolation, row_level) $$;
SELECT is(pg_temp.cell(layout, condition, winner, isolation, row_level), want, concat_ws(', ', layout, condition, winner, isolation, row_level))
FROM (VALUES
	('unpartitioned', 's.id = t.id', 'MERGE in another country', 'WriteSerializable', 'off', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('partitioned by country', 's.id = t.id', 'MERGE in another country', 'WriteSerializable', 'off', 'ConcurrentAppendException WITH_PARTITION_HINT 0'),
	('partitioned by country', 's.id = t.id AND t.country = ''DE''', 'MERGE in another country', 'WriteSerializable', 'off', 'ok 1'),
	('partitioned by country', 's.id = t.id AND s.country = ''DE''', 'MERGE in another country', 'WriteSerializable', 'off', 'ConcurrentAppendException WITH_PARTITION_HINT 0'),
	('partitioned by country', 's.id = t.id AND s.country = t.country', 'MERGE in another country', 'WriteSerializable', 'off', 'ConcurrentAppendException WITH_PARTITION_HINT 0'),
	('partitioned by event_date', 's.id = t.id AND t.event_date = DATE ''2026-08-12''', 'DELETE of a partition', 'Serializable', 'off', 'ok 1'),
	('partitioned by event_date', 's.id = t.id', 'DELETE of a partition', 'Serializable', 'off', 'ConcurrentDeleteReadException WITH_PARTITION_HINT 0'),
	('partitioned by both', 's.id = t.id AND t.event_date = DATE ''2026-08-12'' AND t.country = ''DE''', 'MERGE in the same partition with other rows', 'WriteSerializable', 'off', 'ConcurrentAppendException WITH_PARTITION_HINT 2'),
	('unpartitioned', 's.id = t.id', 'INSERT', 'WriteSerializable', 'off', 'ok 0'),
	('unpartitioned', 's.id = t.id', 'INSERT', 'Serializable', 'off', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('unpartitioned', 's.id = t.id', 'ALTER TABLE', 'WriteSerializable', 'off', 'MetadataChangedException 0'),
	('unpartitioned', 's.id = t.id', 'OPTIMIZE', 'WriteSerializable', 'off', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('unpartitioned', 's.id = t.id', 'OPTIMIZE', 'WriteSerializable', 'databricks', 'ok 0'),
	('unpartitioned', 's.id = t.id', 'OPTIMIZE ZORDER', 'WriteSerializable', 'databricks', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('unpartitioned', 's.id = t.id', 'MERGE in the same partition with other rows', 'WriteSerializable', 'databricks', 'ok 0'),
	('unpartitioned', 's.id = t.id', 'MERGE in the same partition with other rows', 'Serializable', 'databricks', 'ok 0'),
	('unpartitioned', 's.id = t.id', 'MERGE in the same partition with other rows', 'WriteSerializable', 'on', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('partitioned by country', 's.id = t.id', 'MERGE in the same partition with other rows', 'WriteSerializable', 'databricks', 'ConcurrentAppendException PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE 0'),
	('clustered', 's.id = t.id', 'INSERT', 'Serializable', 'databricks', 'ConcurrentAppendException WITHOUT_HINT 0'),
	('unpartitioned', 's.id = t.id', 'MERGE of the same rows', 'WriteSerializable', 'databricks', 'ConcurrentAppendException ROW_LEVEL_CHANGES 0'),
	('clustered', 's.id = t.id AND t.country = ''DE''', 'MERGE in another country', 'WriteSerializable', 'off', 'ok 0')) v(layout, condition, winner, isolation, row_level, want);
-- What Delta itself said of such MERGEs, in races of real commands.
SET LOCAL deltacc.data_skipping = off;
CREATE TEMP TABLE race AS SELECT j FROM regexp_split_to_table(pg_read_file(:'data' || '/corpus/race-verdicts.jsonl'), E'\n') l CROSS JOIN LATERAL (SELECT nullif(l, '')::jsonb) x(j) WHERE l <> '';
CREATE TEMP TABLE raced AS
SELECT p.layout, p.condition, p.winner, p.isolation, concat_ws('.', coalesce(p.exception, p.outcome), p.sub_condition) AS ours,
	concat_ws('.', coalesce(r.j ->> 'exception', r.j ->> 'outcome'), substring(r.j ->> 'errorClass' FROM '\.(.*)')) AS theirs
FROM (VALUES ('unpartitioned', 'country', 'unpartitioned'), ('partitioned', 'country', 'partitioned by country'), ('clustered', 'country', 'clustered'), ('partitioned', 'event_date', 'partitioned by event_date')) l(theirs, key, ours)
JOIN (VALUES ('MERGE_unaligned_a', 'country', 's.id = t.id'), ('MERGE_aligned_a', 'country', 's.id = t.id AND t.country = ''DE'''),
	('MERGE_unaligned_a', 'event_date', 's.id = t.id'), ('MERGE_aligned_a', 'event_date', 's.id = t.id AND t.event_date = DATE ''2026-08-12''')) c(theirs, key, ours) USING (key)
JOIN (VALUES ('MERGE_unaligned_b', 'country', 'MERGE in another country'), ('MERGE_aligned_a', 'country', 'MERGE of the same rows'), ('MERGE_aligned_a', 'country', 'MERGE in the same partition with other rows'),
	('INSERT_a', 'country', 'INSERT'), ('OPTIMIZE_a', 'country', 'OPTIMIZE'), ('ZORDER_a', 'country', 'OPTIMIZE ZORDER'), ('SET_TBLPROPERTIES', 'country', 'ALTER TABLE'), ('DELETE_part_b', 'event_date', 'DELETE of a partition')) w(theirs, key, ours) USING (key)
JOIN race r ON r.j ->> 'layout' = l.theirs AND r.j ->> 'loser' = c.theirs AND r.j ->> 'winner' = w.theirs
JOIN (SELECT * FROM deltacc.simulations) p ON p.layout = l.ours AND p.condition::text = c.ours AND p.winner = w.ours AND p.isolation = r.j ->> 'table_isolation' AND p.row_level = 'off';
SELECT cmp_ok(count(*), '>', 40::bigint, 'there are such races') FROM raced;
SELECT is(ours, theirs, concat_ws(', ', layout, condition, winner, isolation)) FROM raced WHERE ours <> theirs;
SELECT is(count(*) FILTER (WHERE ours <> theirs), 0::bigint, 'and of each of them the panel says the same') FROM raced;
SELECT is(pg_temp.cell('clustered', 's.id = t.id AND t.country = ''DE''', 'MERGE in another country'), 'ConcurrentAppendException WITHOUT_HINT 0', 'clustering helps with data skipping only');
SET LOCAL deltacc.data_skipping = on;
SET LOCAL deltacc.row_level = databricks;
SET LOCAL deltacc.target_alias = 'x';
SELECT is(pg_temp.cell('unpartitioned', 's.id = t.id', 'OPTIMIZE'), 'ConcurrentAppendException WITHOUT_HINT 0', 'other settings of the session have no say');
RESET deltacc.row_level;
RESET deltacc.target_alias;
SELECT throws_ok($$SELECT deltacc.simulate('by moonlight', 's.id = t.id', 'INSERT')$$, '22023');
SELECT throws_ok($$SELECT deltacc.simulate('clustered', 's.id = t.id', 'nobody')$$, '22023');
SELECT throws_ok($$SELECT deltacc.simulate('clustered', 's.id = t.id', 'INSERT', 'none')$$, '22023');
SELECT throws_ok($$SELECT deltacc.simulate('clustered', 's.id = t.id', 'INSERT', 'Serializable', 'maybe')$$, '22023');
SELECT throws_ok($$SELECT deltacc.simulate('clustered', NULL, 'INSERT')$$, '22004');

-- Why there is no conflict: whatever the level is called, and if it is the table's own.
SELECT is(s.reason, want, concat_ws(', ', layout, winner, isolation, row_level))
FROM (VALUES
	('partitioned by country', 'INSERT', NULL, 'off', 'The winner is a blind append, which under WriteSerializable conflicts with nobody''s reads.'),
	('partitioned by country', 'INSERT', 'writeserializable', 'off', 'The winner is a blind append, which under WriteSerializable conflicts with nobody''s reads.'),
	('partitioned by country', 'INSERT', 'SnapshotIsolation', 'off', 'Under SnapshotIsolation what a winner adds conflicts with nobody''s reads.'),
	-- in a file that the MERGE does not touch
	('clustered', 'MERGE in another country', 'Serializable', 'databricks', 'The MERGE changed other rows: row-level concurrency keeps both.')) v(layout, winner, isolation, row_level, want)
CROSS JOIN LATERAL deltacc.simulate(layout, 's.id = t.id', winner, isolation, row_level) s;

SELECT * FROM finish();
ROLLBACK;
