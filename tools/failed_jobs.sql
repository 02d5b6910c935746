-- Failed jobs: what each statement read, and which commits it raced.
--
-- Used by tools/demo.sh and by test/failed_jobs.sql.  Loads the statements that
-- Delta aborted into the table failed_jobs.  psql variable: data, the absolute
-- path of test/data.

CREATE TEMP TABLE failed_jobs AS
SELECT n AS job_id, j->>'table' AS table_name, j->>'job' AS job,
	   to_timestamp((j->>'started_at')::bigint / 1000.0) AS started_at,
	   to_timestamp((j->>'failed_at')::bigint / 1000.0) AS failed_at,
	   j->>'statement' AS statement, j->>'exception' AS exception, j->>'message' AS message
FROM regexp_split_to_table(pg_read_file(:'data' || '/logs/failed-jobs.jsonl'), E'\n') WITH ORDINALITY AS l(line, n)
CROSS JOIN LATERAL (SELECT nullif(line, '')::jsonb) AS x(j)
WHERE line <> '';

-- The statement with everything in quotes or parentheses blanked out, so that
-- a keyword found in it stands at the top level.
CREATE FUNCTION pg_temp.top_level(statement text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	out text := '';
	quote text;
	depth int := 0;
	c text;
BEGIN
	FOREACH c IN ARRAY regexp_split_to_array(statement, '') LOOP
		IF quote IS NOT NULL THEN
			out := out || '_';
			IF c = quote THEN quote := NULL; END IF;
		ELSIF c IN ('''', '"', '`') THEN
			quote := c;
			out := out || '_';
		ELSE
			IF c = ')' THEN depth := depth - 1; END IF;
			out := out || CASE WHEN depth > 0 THEN '_' ELSE c END;
			IF c = '(' THEN depth := depth + 1; END IF;
		END IF;
	END LOOP;
	RETURN out;
END $$;

-- What a statement read, as predicates: UPDATE and DELETE the text after the
-- last WHERE, MERGE its ON text, an INSERT that reads no table of its own
-- nothing, anything else everything.
CREATE FUNCTION pg_temp.reads_of(statement text) RETURNS deltacc.predicate[] LANGUAGE plpgsql STABLE AS $$
DECLARE
	top text := pg_temp.top_level(statement);
	command text := upper(substring(top FROM '^\s*(\w+)'));
	place int;
	stop int;
	target text := substring(statement FROM '(delta\.`[^`]+`)');
BEGIN
	IF command IN ('UPDATE', 'DELETE') AND top ~* '\mWHERE\M' THEN
		place := length(substring(top FROM '(?i)^(.*\mWHERE\M)'));
		RETURN ARRAY[substr(statement, place + 1)]::deltacc.predicate[];
	ELSIF command = 'MERGE' AND top !~* '\mNOT\s+MATCHED\s+BY\s+SOURCE\M' THEN
		place := length(substring(top FROM '(?i)^(.*?\mON\M)'));
		stop := length(substring(top FROM '(?i)^(.*?)\mWHEN\M'));
		RETURN ARRAY[substr(statement, place + 1, stop - place)]::deltacc.predicate[];
	ELSIF command = 'INSERT' AND position(target IN substr(statement, position(target IN statement) + length(target))) = 0 THEN
		RETURN '{}';
	END IF;
	RETURN ARRAY['true']::deltacc.predicate[];
END $$;

-- The alias of a MERGE's target; NULL if it has none.
CREATE FUNCTION pg_temp.target_alias(statement text) RETURNS text LANGUAGE sql IMMUTABLE AS
$$ SELECT substring(statement FROM '(?i)^\s*MERGE\s+INTO\s+\S+\s+(?:AS\s+)?(\w+)\s+USING\M') $$;

-- The version a job read: the newest commit at or before its start; but if the
-- error names a version that this would have seen, the one before that.
CREATE FUNCTION pg_temp.read_version(j failed_jobs) RETURNS bigint LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN named <= seen THEN named - 1 ELSE seen END
	FROM (SELECT substring(j.message FROM 'committed at version (\d+)')::bigint AS named,
				 (SELECT max(version) FROM deltacc.history h WHERE h.table_name = j.table_name AND h.timestamp <= j.started_at) AS seen) x $$;

CREATE FUNCTION pg_temp.last_version(j failed_jobs) RETURNS bigint LANGUAGE sql STABLE AS $$
	SELECT max(version) FROM deltacc.history h WHERE h.table_name = j.table_name AND h.timestamp <= j.failed_at $$;

-- Every conflict of a job with the commits that it raced, under a setting of
-- deltacc.data_skipping.  The writes are unknown: the job never got to commit.
CREATE FUNCTION pg_temp.conflicts_of(j failed_jobs, data_skipping text) RETURNS SETOF deltacc.conflict LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('deltacc.data_skipping', data_skipping, true),
			set_config('deltacc.target_alias', coalesce(pg_temp.target_alias(j.statement), ''), true);
	RETURN QUERY SELECT * FROM deltacc.check_commit(j.table_name, pg_temp.read_version(j),
		pg_temp.reads_of(j.statement), isolation => 'Serializable', last_version => pg_temp.last_version(j));
END $$;
