-- What the aborted jobs of the table accounts wanted to commit.
--
-- A job that Delta aborted leaves no commit, but it has written its deletion
-- vectors: they lie beside the log, and no commit refers to them.
-- test/data/logs/aborted-vectors.jsonl says which belongs to which job (its line
-- in failed-jobs.jsonl): the one whose rows are those of the job's statement on
-- top of what was deleted before.  From these and the files live at the read
-- version follows the commit, but for the new files of an UPDATE, which are not
-- there.
--
-- Needs the log of accounts ingested.  psql variable: data, the absolute path of
-- test/data.

CREATE TEMP TABLE aborted_writes AS
WITH vectors AS (
	SELECT j
	FROM regexp_split_to_table(pg_read_file(:'data' || '/logs/aborted-vectors.jsonl'), E'\n') AS l(line)
	CROSS JOIN LATERAL (SELECT nullif(line, '')::jsonb) AS x(j)
	WHERE line <> ''
), changes AS (
	SELECT (j->>'job')::int AS job_id, j->>'operation' AS operation, j->>'statement' AS statement, j->>'condition' AS condition,
		(j->>'read_version')::bigint AS read_version, (j->>'last_version')::bigint AS last_version, j->'deletionVector' AS dv, f.*
	FROM vectors
	CROSS JOIN LATERAL deltacc.live_files('accounts', (j->>'read_version')::bigint) AS f
	WHERE f.path = j->>'path'
)
SELECT job_id, operation, statement, condition, read_version, last_version,
	(jsonb_build_array(jsonb_build_object('commitInfo', jsonb_build_object('operation', operation))) ||
	jsonb_agg(jsonb_build_object('remove', jsonb_strip_nulls(jsonb_build_object('path', path, 'deletionTimestamp', 1, 'dataChange', true,
		'extendedFileMetadata', true, 'partitionValues', partition_values, 'size', size, 'deletionVector', deletion_vector,
		'baseRowId', base_row_id, 'defaultRowCommitVersion', default_row_commit_version)))) ||
	jsonb_agg(jsonb_build_object('add', jsonb_strip_nulls(jsonb_build_object('path', path, 'partitionValues', partition_values, 'size', size,
		'modificationTime', modification_time, 'dataChange', true, 'stats', jsonb_set(stats, '{tightBounds}', 'false')::text, 'deletionVector', dv,
		'baseRowId', base_row_id, 'defaultRowCommitVersion', default_row_commit_version)))))::deltacc.actions AS writes
FROM changes
GROUP BY job_id, operation, statement, condition, read_version, last_version;
