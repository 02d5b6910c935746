-- The main job on a real log: which commit beat each failed job, was it a real
-- overlap, and would data skipping have let both commit?
\set ON_ERROR_STOP 1
\pset footer off
SET client_min_messages = warning;

\echo '1. Load the log of the table "orders" (27 commits of several jobs that raced):'
\echo
SELECT deltacc.ingest('orders', :'data' || '/logs/orders') AS commits_added;

\echo '2. Its history, newest first:'
\echo
SELECT version, to_char(timestamp AT TIME ZONE 'UTC', 'HH24:MI:SS') AS utc, operation, is_blind_append AS blind,
	   coalesce(operation_parameters->>'predicate', operation_parameters->>'mode', '') AS parameters
FROM deltacc.history WHERE table_name = 'orders' ORDER BY version DESC;

\ir failed_jobs.sql

-- deltacc.aborted_conflicts explains each of them; here with the first winner
-- that data skipping leaves standing, for the jobs that still fail.
CREATE TEMP TABLE answers AS
SELECT j.job_id, j.statement, j.exception AS delta_exception, a.*, s.skipping, s.skipping ->> 'winning_version' AS still_beaten_by
FROM failed_jobs j
JOIN deltacc.aborted_conflicts a USING (table_name, started_at)
LEFT JOIN LATERAL (
	SELECT to_jsonb(c.first_conflict) AS skipping
	FROM deltacc.compare_commit(a.table_name, a.read_version, a.reads, last_version => a.last_version) c
	WHERE c.rules = 'data skipping' AND c.outcome = 'conflict') s ON true
WHERE table_name = 'orders';

\echo '3. The jobs that Delta aborted: who beat them, and was it real?'
\echo
SELECT job_id AS "#", job_name AS job, CASE WHEN operation = 'MERGE' THEN 'MERGE … ON ' ELSE operation || ' … ' END
			|| array_to_string(reads, ', ') AS "statement",
	   read_version AS "read", winning_version AS "beaten by", winning_operation AS "a",
	   replace(exception, 'Exception', '') AS exception, real_overlap AS "real overlap",
	   coalesce('no, v' || still_beaten_by, 'yes') AS "commits with data skipping"
FROM answers ORDER BY job_id;

\echo '4. In one line:'
\echo
SELECT format('%s of %s aborted jobs would have committed with data skipping.', count(*) FILTER (WHERE still_beaten_by IS NULL), count(*)) AS answer
FROM answers;

\echo '5. Why, job by job: what the statistics of the first file in the way prove, or why they prove nothing:'
\echo
SELECT a.job_id AS "#", CASE WHEN still_beaten_by IS NULL THEN 'commits' ELSE 'conflicts' END AS "with data skipping", f.decided_by, f.reason
FROM answers a
JOIN deltacc.tables t ON t.name = a.table_name
JOIN deltacc.commits w ON w.table_id = t.table_id AND w.version = a.winning_version
CROSS JOIN LATERAL deltacc.filter_files(deltacc.state_at(a.table_name, a.read_version), a.reads[1], w.actions) f
WHERE f.path = a.path
ORDER BY a.job_id;

\echo 'The whole row of the first that still conflicts:'
\echo
\x on
SELECT (jsonb_populate_record(NULL::deltacc.conflict, skipping)).* FROM answers WHERE skipping IS NOT NULL ORDER BY job_id LIMIT 1;
\x off

\echo '6. The same question in one call, for any condition you like:'
\echo
SELECT winning_version, winning_operation, exception, left(message, 120) || '…' AS message
FROM deltacc.check_commit('orders', 9, ARRAY['customer_id BETWEEN 0 AND 1000'], isolation => 'Serializable', last_version => 12);

SELECT count(*) = 16 AND bool_and(agrees AND exception = delta_exception) AS ok FROM answers
\gset
\if :ok
\echo 'Every answer under 3 is what Delta itself said: exception and version.'
\else
DO 'BEGIN RAISE ''an answer under 3 is not what Delta said''; END';
\endif
