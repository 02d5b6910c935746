-- Failed jobs: the statements that Delta aborted over the shipped logs, entered
-- into deltacc.aborted_transactions.
--
-- Used by tools/demo.sh and by test/failed_jobs.sql.  psql variable: data, the
-- absolute path of test/data.  The temporary table failed_jobs has what the file
-- says beside that: its line, and the exception's class.

CREATE TEMP TABLE failed_jobs AS
SELECT n AS job_id, j->>'table' AS table_name, j->>'job' AS job,
	   to_timestamp((j->>'started_at')::bigint / 1000.0) AS started_at,
	   to_timestamp((j->>'failed_at')::bigint / 1000.0) AS failed_at,
	   j->>'statement' AS statement, j->>'exception' AS exception, j->>'message' AS message
FROM regexp_split_to_table(pg_read_file(:'data' || '/logs/failed-jobs.jsonl'), E'\n') WITH ORDINALITY AS l(line, n)
CROSS JOIN LATERAL (SELECT nullif(line, '')::jsonb) AS x(j)
WHERE line <> '';

INSERT INTO deltacc.aborted_transactions (table_name, job_name, statement, started_at, failed_at, error)
SELECT table_name, job, statement, started_at, failed_at, message FROM failed_jobs ORDER BY job_id;

CREATE FUNCTION pg_temp.read_version(j failed_jobs) RETURNS bigint LANGUAGE sql STABLE AS
$$ SELECT deltacc.aborted_read_version(j.table_name, j.started_at, j.message) $$;

CREATE FUNCTION pg_temp.reads_of(statement text) RETURNS deltacc.predicate[] LANGUAGE sql STABLE AS
$$ SELECT reads FROM deltacc.statement_reads(statement) $$;
