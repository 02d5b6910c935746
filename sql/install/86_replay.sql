-- ----- Commits that raced, judged again -----

CREATE FUNCTION deltacc.released_conflict(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[],
	writes deltacc.actions,
	isolation text,
	read_app_ids text[],
	operation text,
	last_version bigint)
RETURNS deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT c FROM deltacc.released_conflicts($1, $2, $3, $4, $5, $6, $7, $8) AS c LIMIT 1
$$;
COMMENT ON FUNCTION deltacc.released_conflict(text, bigint, deltacc.predicate[], deltacc.actions, text, text[], text, bigint) IS
'the first row of released_conflicts(); null: no conflict';

CREATE FUNCTION deltacc.replay(
	table_name text,
	from_version bigint DEFAULT NULL,
	to_version bigint DEFAULT NULL)
RETURNS TABLE (
	version bigint,
	operation text,
	committed_at timestamptz,
	read_version bigint,
	passed bigint[],
	logged_isolation text,
	reads deltacc.predicate[],
	exact boolean,
	note text,
	rules text,
	outcome text,
	conflicts int,
	too_wide boolean,
	conflict deltacc.conflict)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100 COST 100000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
	WITH log AS (
		SELECT min(l.version) AS first FROM deltacc.table_log($1) AS l
	), late AS (
		-- Version 0 came after nothing.  One that read the version before it raced nobody.
		SELECT c.version, c.committed_at, c.actions, h.operation, h.read_version, h.isolation_level,
			CASE
				WHEN h.read_version IS NULL THEN 'the commit does not say which version it read'
				WHEN h.read_version >= c.version THEN 'the commit says that it read a version that came later'
				WHEN h.read_version < log.first - (log.first = 0)::int THEN 'the version that it read is not held'
				ELSE deltacc.unanswerable($1, h.read_version, c.version - 1, NULL)
			END AS unknown
		FROM log
		JOIN deltacc.tables AS t ON t.name = $1
		JOIN deltacc.commits AS c ON c.table_id = t.table_id
		CROSS JOIN LATERAL (
			SELECT i.info ->> 'operation', i.info ->> 'isolationLevel',
				CASE WHEN i.info ->> 'readVersion' ~ '^-?[0-9]{1,18}(\.0*)?$' THEN (i.info ->> 'readVersion')::numeric::bigint END
			FROM (SELECT deltacc.commit_info(c.actions) AS info OFFSET bigint '0') AS i
		) AS h(operation, isolation_level, read_version)
		-- the first without a column, so that it is asked once and before the rest
		WHERE deltacc.is_ingested($1) AND c.version > log.first AND c.version > 0
			AND ($2 IS NULL OR c.version >= $2) AND ($3 IS NULL OR c.version <= $3)
			AND h.read_version IS DISTINCT FROM c.version - 1
	), read AS (
		SELECT l.*, r.reads, r.exact, r.note
		FROM late AS l
		CROSS JOIN LATERAL (
			SELECT CASE WHEN l.read_version >= 0 THEN deltacc.state_at($1, l.read_version) ELSE '' END AS state OFFSET bigint '0'
		) AS s
		CROSS JOIN LATERAL (
			SELECT coalesce(array_agg(p.predicate), '{}'), coalesce(bool_and(p.exact), true), min(p.note)
			FROM deltacc.logged_predicates(s.state, l.actions) AS p
		) AS r(reads, exact, note)
		WHERE l.unknown IS NULL
	), judged AS MATERIALIZED (
		SELECT r.*, o.*
		FROM read AS r
		CROSS JOIN LATERAL deltacc.judged_commit($1, r.read_version, r.reads, r.actions,
			read_app_ids => deltacc.app_ids(r.actions), operation => r.operation, last_version => r.version - 1) AS o
	), refused AS MATERIALIZED (
		-- It did commit: what would have stopped it at its own level was not read.
		SELECT j.version, NOT deltacc.released_conflict($1, j.read_version, j.reads, j.actions,
			CASE WHEN j.isolation_level IN ('Serializable', 'WriteSerializable', 'SnapshotIsolation') THEN j.isolation_level ELSE 'Serializable' END,
			deltacc.app_ids(j.actions), j.operation, j.version - 1) IS NULL AS too_wide
		FROM judged AS j
		WHERE j.rules = 'Delta 4.4.0' AND j.outcome <> 'error'
	)
	SELECT j.version, j.operation, j.committed_at, j.read_version,
		ARRAY(SELECT generate_series(j.read_version + 1, j.version - 1)),
		j.isolation_level, j.reads, j.exact,
		coalesce(j.error, j.note, CASE WHEN r.too_wide AND j.exact THEN 'its writer has rules that released Delta has not' END), j.rules,
		CASE WHEN j.outcome = 'error' THEN 'unknown' WHEN j.outcome = 'conflict' AND r.too_wide THEN 'too wide' ELSE j.outcome END,
		j.conflicts, r.too_wide, j.first_conflict
	FROM judged AS j
	LEFT JOIN refused AS r USING (version)
	UNION ALL
	SELECT l.version, l.operation, l.committed_at, l.read_version, NULL, l.isolation_level, NULL, NULL,
		l.unknown, NULL, 'unknown', NULL, NULL, NULL
	FROM late AS l
	WHERE l.unknown IS NOT NULL
	ORDER BY 1, 10
$$;
COMMENT ON FUNCTION deltacc.replay(text, bigint, bigint) IS
'each ingested commit that raced others, with the commits that it passed, and for each set of rules whether it would have passed them. outcome: ok, conflict, too wide (released Delta let it pass, so its reads are shown wider than they were), unknown (no read version)';

CREATE VIEW deltacc.replay_summary WITH (security_invoker = true) AS
SELECT t.name AS table_name, r.rules,
	count(*) AS commits,
	count(*) FILTER (WHERE r.outcome = 'ok') AS ok,
	count(*) FILTER (WHERE r.outcome = 'conflict') AS conflicts,
	count(*) FILTER (WHERE r.outcome = 'too wide') AS too_wide,
	count(*) FILTER (WHERE r.outcome = 'unknown') AS unknown
FROM deltacc.tables AS t
CROSS JOIN LATERAL deltacc.replay(t.name) AS r
GROUP BY t.name, r.rules;
COMMENT ON VIEW deltacc.replay_summary IS
'replay() of every table, counted: rules is null for the commits whose read version is unknown';


-- ----- contention(), counted -----

CREATE VIEW deltacc.contention_by_operation WITH (security_invoker = true) AS
SELECT t.name AS table_name, c.winner_operation, c.loser_operation,
	count(*) AS pairs,
	count(*) FILTER (WHERE c.delta) AS delta,
	count(*) FILTER (WHERE c.write_serializable) AS write_serializable,
	count(*) FILTER (WHERE c.data_skipping) AS data_skipping,
	count(*) FILTER (WHERE c.sharp) AS sharp,
	count(*) FILTER (WHERE c.row_level) AS row_level,
	count(*) FILTER (WHERE c.delta IS NULL) AS unknown,
	round(1 - count(*) FILTER (WHERE c.data_skipping)::numeric / nullif(count(*) FILTER (WHERE c.delta), 0), 3) AS share_avoided
FROM deltacc.tables AS t
CROSS JOIN LATERAL deltacc.contention(t.name) AS c
GROUP BY t.name, c.winner_operation, c.loser_operation;
COMMENT ON VIEW deltacc.contention_by_operation IS
'contention() of every table by the two operations: pairs of commits, conflicts under each set of rules, and the share of released Delta''s that data skipping avoids';

CREATE VIEW deltacc.contention_by_partition WITH (security_invoker = true) AS
SELECT t.name AS table_name, c.partition_values,
	count(*) AS pairs,
	count(*) FILTER (WHERE c.delta) AS delta,
	count(*) FILTER (WHERE c.write_serializable) AS write_serializable,
	count(*) FILTER (WHERE c.data_skipping) AS data_skipping,
	count(*) FILTER (WHERE c.sharp) AS sharp,
	count(*) FILTER (WHERE c.row_level) AS row_level,
	count(*) FILTER (WHERE c.delta IS NULL) AS unknown,
	round(1 - count(*) FILTER (WHERE c.data_skipping)::numeric / nullif(count(*) FILTER (WHERE c.delta), 0), 3) AS share_avoided
FROM deltacc.tables AS t
CROSS JOIN LATERAL deltacc.contention(t.name) AS c
GROUP BY t.name, c.partition_values;
COMMENT ON VIEW deltacc.contention_by_partition IS
'contention() of every table by the partition of the first file in the way; null: no conflict, or one that is in no partition';

CREATE VIEW deltacc.contention_by_hour WITH (security_invoker = true) AS
SELECT t.name AS table_name, date_trunc('hour', c.loser_at) AS hour,
	count(*) AS pairs,
	count(*) FILTER (WHERE c.delta) AS delta,
	count(*) FILTER (WHERE c.write_serializable) AS write_serializable,
	count(*) FILTER (WHERE c.data_skipping) AS data_skipping,
	count(*) FILTER (WHERE c.sharp) AS sharp,
	count(*) FILTER (WHERE c.row_level) AS row_level,
	count(*) FILTER (WHERE c.delta IS NULL) AS unknown,
	round(1 - count(*) FILTER (WHERE c.data_skipping)::numeric / nullif(count(*) FILTER (WHERE c.delta), 0), 3) AS share_avoided
FROM deltacc.tables AS t
CROSS JOIN LATERAL deltacc.contention(t.name) AS c
GROUP BY t.name, date_trunc('hour', c.loser_at);
COMMENT ON VIEW deltacc.contention_by_hour IS
'contention() of every table by the hour of the later commit, in the session''s time zone';
