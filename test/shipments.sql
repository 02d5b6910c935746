-- The log shipments: races at data level, MERGEs among them, and what Delta
-- aborted there.
\ir data/begin.psql
SELECT no_plan();
SELECT deltacc.ingest('shipments', :'data' || '/logs/shipments') \g /dev/null

INSERT INTO deltacc.aborted_transactions (table_name, job_name, statement, started_at, failed_at, error)
SELECT j ->> 'table', j ->> 'job', j ->> 'statement', to_timestamp((j ->> 'started_at')::bigint / 1000.0),
	to_timestamp((j ->> 'failed_at')::bigint / 1000.0), j ->> 'message'
FROM regexp_split_to_table(pg_read_file(:'data' || '/logs/shipments/failed-jobs.jsonl'), E'\n') AS line
CROSS JOIN LATERAL (SELECT nullif(line, '')::jsonb) AS x(j)
WHERE line <> '';

-- What Delta refused.
CREATE TEMP TABLE refused AS SELECT * FROM deltacc.aborted_conflicts;
SELECT is(count(*), 11::bigint, 'jobs that Delta aborted') FROM refused;
SELECT ok(agrees AND error_partition = format('[region=%s]', partition_values ->> 'region'),
	format('%s, read %s, beaten by %s: %s', job_name, read_version, winning_version, exception))
FROM refused ORDER BY started_at, job_name;
SELECT is(note, CASE job_name WHEN 'mirror' THEN 'a MERGE with WHEN NOT MATCHED BY SOURCE reads every row' END, job_name)
FROM refused ORDER BY started_at, job_name;

-- What Delta let pass.
CREATE TEMP TABLE replayed AS SELECT * FROM deltacc.replay('shipments');
SELECT is(string_agg(DISTINCT version || ' ' || operation || ' past ' || array_to_string(passed, ', '), '; '),
	'14 UPDATE past 13; 16 MERGE past 15; 18 MERGE past 17; 21 UPDATE past 20; 26 UPDATE past 25; 28 WRITE past 27; 29 WRITE past 27, 28; '
	'33 DELETE past 32; 35 OPTIMIZE past 34; 38 MERGE past 37; 41 UPDATE past 40; 42 MERGE past 40, 41; 44 DELETE past 43; 45 MERGE past 43, 44',
	'commits that raced') FROM replayed;
SELECT is(count(*) FILTER (WHERE outcome = 'conflict'), 0::bigint, 'Delta let them pass, and so does its verdict')
FROM replayed WHERE rules IN ('Delta 4.4.0', 'WriteSerializable');
SELECT is(count(*) FILTER (WHERE outcome = 'too wide' AND exact), 0::bigint, 'only reads that are wider than they were are too wide') FROM replayed;
SELECT ok(bool_and(outcome = 'ok' OR NOT exact), 'a commit with exact reads passes under every set of rules') FROM replayed;
SELECT is(string_agg(DISTINCT operation, ' ' ORDER BY operation) FILTER (WHERE outcome = 'too wide'), 'MERGE', 'these are MERGEs') FROM replayed;
SELECT is(string_agg(concat_ws(' ', rules, commits, ok, conflicts, too_wide, unknown), ', ' ORDER BY rules),
	'Delta 4.4.0 14 9 0 5 0, WriteSerializable 14 9 0 5 0, data skipping 14 9 0 5 0, row level 14 9 0 5 0, sharp 14 9 0 5 0', 'counted')
FROM deltacc.replay_summary;

-- With the conditions that the MERGEs really had, Delta's verdict on them is what
-- became of them.
SELECT is(r.outcome, 'ok', format('the MERGE at version %s with its own condition, %s', c.version, r.rules))
FROM (VALUES (16, 'EU'), (18, 'EU'), (38, 'US'), (42, 'EU'), (45, 'US')) AS c(version, region)
CROSS JOIN LATERAL (SELECT l.actions, (deltacc.commit_info(l.actions) ->> 'readVersion')::bigint AS read_version
	FROM deltacc.commits AS l WHERE l.version = c.version) AS l
CROSS JOIN LATERAL deltacc.compare_commit('shipments', l.read_version,
	ARRAY[format('s.shipment_id = t.shipment_id AND t.region = %L', c.region)::deltacc.predicate], l.actions,
	operation => 'MERGE', last_version => c.version - 1) AS r
ORDER BY c.version, r.rules;

-- What is read back of the other commits is what their statements said.
SELECT is(deltacc.commit_info(c.actions) ->> 'operation' || ' ' || p.predicate::text, want, format('version %s', version))
FROM (VALUES
	(13, 'UPDATE region = ''US'' AND shipment_id >= 200000 AND shipment_id <= 200400'),
	(14, 'UPDATE region = ''EU'' AND shipment_id >= 100000 AND shipment_id <= 100400'),
	(15, 'DELETE region = ''APAC'' AND shipment_id >= 0 AND shipment_id <= 200'),
	(19, 'UPDATE region = ''EU'' AND shipment_id >= 100000 AND shipment_id <= 100100'),
	(20, 'DELETE region = ''US'' AND shipment_id >= 203000 AND shipment_id <= 203999'),
	(33, 'DELETE region = ''EU'' AND shipment_id % 50 = 7'),
	(35, 'OPTIMIZE TRUE'),
	(40, 'WRITE region = ''APAC''')) AS v(version, want)
JOIN deltacc.commits AS c USING (version)
LEFT JOIN LATERAL deltacc.logged_predicates(deltacc.state_at('shipments', c.version - 1), c.actions) AS p ON true
ORDER BY c.version;
SELECT * FROM finish();
ROLLBACK;
