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

CREATE TEMP TABLE answers AS
SELECT j.*, pg_temp.read_version(j) AS read_version, released, skipping
FROM failed_jobs j
CROSS JOIN LATERAL (SELECT c AS released FROM pg_temp.conflicts_of(j, 'off') c LIMIT 1) r
LEFT JOIN LATERAL (SELECT c AS skipping FROM pg_temp.conflicts_of(j, 'on') c LIMIT 1) s ON true
WHERE table_name = 'orders';

\echo '3. The jobs that Delta aborted: who beat them, and was it real?'
\echo
SELECT job_id AS "#", job, CASE WHEN statement ~ '^MERGE' THEN 'MERGE … ON ' ELSE split_part(statement, ' ', 1) || ' … ' END
			|| btrim(array_to_string(pg_temp.reads_of(statement), ',')) AS "statement",
	   read_version AS "read", (released).winning_version AS "beaten by", (released).winning_operation AS "a",
	   replace((released).exception, 'Exception', '') AS exception,
	   CASE WHEN skipping IS NULL THEN 'no' ELSE 'not excluded' END AS "real overlap",
	   CASE WHEN skipping IS NULL THEN 'yes' ELSE 'no, v' || (skipping).winning_version END AS "commits with data skipping"
FROM answers ORDER BY job_id;

\echo '4. In one line:'
\echo
SELECT format('%s of %s aborted jobs would have committed with data skipping.', count(*) FILTER (WHERE skipping IS NULL), count(*)) AS answer
FROM answers;

\echo '5. Why, job by job: what the statistics of the first file in the way prove, or why they prove nothing:'
\echo
SELECT a.job_id AS "#", CASE WHEN skipping IS NULL THEN 'commits' ELSE 'conflicts' END AS "with data skipping", f.decided_by, f.reason
FROM answers a
JOIN deltacc.tables t ON t.name = a.table_name
JOIN deltacc.commits w ON w.table_id = t.table_id AND w.version = (released).winning_version
CROSS JOIN LATERAL deltacc.filter_files(
	(SELECT deltacc.table_state(c.version, c.actions) FROM deltacc.commits c WHERE c.table_id = t.table_id AND c.version <= a.read_version),
	(pg_temp.reads_of(a.statement))[1], w.actions) f
WHERE f.path = (released).path
ORDER BY a.job_id;

\echo 'The whole row of the first that still conflicts:'
\echo
\x on
SELECT (skipping).* FROM answers WHERE NOT skipping IS NULL ORDER BY job_id LIMIT 1;
\x off

\echo '6. The same question in one call, for any condition you like:'
\echo
SELECT winning_version, winning_operation, exception, left(message, 120) AS message
FROM deltacc.check_commit('orders', 9, ARRAY['customer_id BETWEEN 0 AND 1000'], isolation => 'Serializable', last_version => 12);

SELECT 'demo: ' || CASE WHEN count(*) = 16 AND count(*) FILTER (WHERE (released).exception = exception
	AND (released).winning_version = substring(message FROM 'committed at version (\d+)')::bigint) = 16
	THEN 'ok' ELSE 'NOT ok' END AS every_answer_is_deltas FROM answers
