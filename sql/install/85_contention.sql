-- ----- Who collides with whom -----

-- The columns for the rule sets are those of compare_rules, in its order.
CREATE FUNCTION deltacc.pair_verdicts(
	snapshot deltacc.actions,
	winner deltacc.actions,
	loser deltacc.actions,
	winner_version bigint,
	winner_files deltacc.actions,
	ordinals int[],
	since bigint[],
	table_name text,
	table_location text,
	OUT winner_operation text,
	OUT loser_operation text,
	OUT reads deltacc.predicate[],
	OUT exact boolean,
	OUT delta boolean,
	OUT write_serializable boolean,
	OUT data_skipping boolean,
	OUT sharp boolean,
	OUT row_level boolean,
	OUT exception text,
	OUT check_name text,
	OUT path text,
	OUT partition_values jsonb,
	OUT isolation text,
	OUT error text)
RETURNS record
AS 'MODULE_PATHNAME', 'deltacc_pair_verdicts'
LANGUAGE C STABLE PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION deltacc.pair_verdicts(deltacc.actions, deltacc.actions, deltacc.actions, bigint, deltacc.actions, int[], bigint[], text, text) IS
'part of deltacc.contention(): would a later commit have conflicted with an earlier one, under each set of rules. winner_files: the adds of the files that the winner removes; ordinals, since: the loser''s actions on files that came to life at these versions';

CREATE FUNCTION deltacc.touched_files(
	actions deltacc.actions,
	table_location text,
	OUT path text,
	OUT add_ordinal int,
	OUT remove_ordinal int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_touched_files'
LANGUAGE C IMMUTABLE PARALLEL SAFE
COST 100 ROWS 100;
COMMENT ON FUNCTION deltacc.touched_files(deltacc.actions, text) IS
'one row for each file that a commit adds or removes: its canonical path, and where its actions stand';

CREATE FUNCTION deltacc.pick_actions(actions deltacc.actions, ordinals int[])
RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_pick_actions'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 100;
COMMENT ON FUNCTION deltacc.pick_actions(deltacc.actions, int[]) IS
'the actions of a commit at these places, one a line';

-- Each file that a commit removes: when it came to life, and the action that
-- added it last.  Files of the state that a log begins with have always been
-- there; of others nothing is known.
CREATE FUNCTION deltacc.removed_files(
	table_name text,
	from_version bigint DEFAULT NULL,
	to_version bigint DEFAULT NULL)
RETURNS TABLE (version bigint, path text, remove_ordinal int, readd_ordinal int, born bigint, added_version bigint, added_ordinal int)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 10000 COST 100000
SET search_path = pg_catalog, pg_temp
AS $$
	WITH touched AS MATERIALIZED (
		SELECT c.version, f.path COLLATE "C" AS path, f.add_ordinal, f.remove_ordinal
		FROM deltacc.tables AS t
		CROSS JOIN deltacc.table_log($1, $3) AS c
		CROSS JOIN LATERAL deltacc.touched_files(c.actions, t.location) AS f
		WHERE t.name = $1
	), removed AS MATERIALIZED (
		SELECT * FROM touched AS r
		WHERE r.remove_ordinal IS NOT NULL AND ($2 IS NULL OR r.version >= $2)
	)
	SELECT r.version, r.path, r.remove_ordinal, r.add_ordinal,
		max(a.version) FILTER (WHERE a.remove_ordinal IS NULL),
		max(a.version),
		(array_agg(a.add_ordinal ORDER BY a.version DESC))[1]
	FROM removed AS r
	LEFT JOIN touched AS a ON a.path = r.path AND a.version < r.version AND a.add_ordinal IS NOT NULL
	GROUP BY r.version, r.path, r.remove_ordinal, r.add_ordinal
$$;
COMMENT ON FUNCTION deltacc.removed_files(text, bigint, bigint) IS
'each file that a commit of an ingested table removes: with the version at which it came to life, and the action that added it last';

-- What there is to know of each commit as a winner: the state before it, and
-- the adds of the files that it removes.
CREATE FUNCTION deltacc.winner_parts(table_name text, from_version bigint, to_version bigint)
RETURNS TABLE (version bigint, state deltacc.actions, adds deltacc.actions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 100000
SET search_path = pg_catalog, pg_temp
AS $$
	WITH log AS MATERIALIZED (
		SELECT * FROM deltacc.table_log($1, $3)
	), kept AS MATERIALIZED (
		SELECT s.version, s.state
		FROM deltacc.tables AS t
		JOIN deltacc.snapshots AS s USING (table_id)
		WHERE t.name = $1 AND s.version < $2 AND s.version > (SELECT min(l.version) FROM log AS l)
		ORDER BY s.version DESC LIMIT 1
	), picked AS (
		SELECT f.version, f.added_version, array_agg(f.added_ordinal) AS ordinals
		FROM deltacc.removed_files($1, $2, $3) AS f
		WHERE f.added_version IS NOT NULL
		GROUP BY f.version, f.added_version
	)
	SELECT s.version, s.state, p.adds
	FROM (
		SELECT a.version + 1, deltacc.table_state(a.version, a.actions) OVER (ORDER BY a.version)
		FROM (
			SELECT k.version, k.state FROM kept AS k
			UNION ALL
			SELECT l.version, l.actions FROM log AS l
			WHERE l.version > coalesce((SELECT k.version FROM kept AS k), -1)
		) AS a(version, actions)
	) AS s(version, state)
	LEFT JOIN (
		SELECT q.version, string_agg(deltacc.pick_actions(l.actions, q.ordinals), '')::deltacc.actions
		FROM picked AS q
		JOIN log AS l ON l.version = q.added_version
		GROUP BY q.version
	) AS p(version, adds) ON p.version = s.version
	WHERE $2 IS NULL OR s.version >= $2
$$;
COMMENT ON FUNCTION deltacc.winner_parts(text, bigint, bigint) IS
'part of deltacc.contention(): for each version the state before it, and the adds of the files that it removes';

-- ... and as a loser: its actions on files that are younger than some versions.
CREATE FUNCTION deltacc.loser_parts(table_name text, from_version bigint, to_version bigint, versions int)
RETURNS TABLE (version bigint, ordinals int[], since bigint[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 100000
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT f.version, array_agg(o.ordinal), array_agg(f.born)
	FROM deltacc.removed_files($1, $2, $3) AS f
	CROSS JOIN LATERAL (VALUES (f.remove_ordinal), (f.readd_ordinal)) AS o(ordinal)
	WHERE f.born >= f.version - $4 AND o.ordinal IS NOT NULL
	GROUP BY f.version
$$;
COMMENT ON FUNCTION deltacc.loser_parts(text, bigint, bigint, int) IS
'part of deltacc.contention(): where a commit''s actions on files stand that came to life not long before, and when';

CREATE FUNCTION deltacc.contention(
	table_name text,
	versions int DEFAULT 10,
	from_version bigint DEFAULT NULL,
	to_version bigint DEFAULT NULL)
RETURNS TABLE (
	winner_version bigint,
	loser_version bigint,
	winner_operation text,
	loser_operation text,
	winner_at timestamptz,
	loser_at timestamptz,
	reads deltacc.predicate[],
	exact boolean,
	delta boolean,
	write_serializable boolean,
	data_skipping boolean,
	sharp boolean,
	row_level boolean,
	exception text,
	check_name text,
	path text,
	partition_values jsonb,
	error text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
	SELECT e.version, l.version, p.winner_operation, p.loser_operation, e.committed_at, l.committed_at,
		p.reads, p.exact, p.delta, p.write_serializable, p.data_skipping, p.sharp, p.row_level,
		p.exception, p.check_name, p.path, p.partition_values, p.error
	FROM deltacc.tables AS t
	JOIN deltacc.commits AS l ON l.table_id = t.table_id
	CROSS JOIN generate_series(1, $2) AS distance
	JOIN deltacc.commits AS e ON e.table_id = t.table_id AND e.version = l.version - distance
	JOIN deltacc.winner_parts($1, $3, $4) AS w ON w.version = e.version
	LEFT JOIN deltacc.loser_parts($1, $3, $4, $2) AS b ON b.version = l.version
	CROSS JOIN LATERAL deltacc.pair_verdicts(w.state, e.actions, l.actions, e.version, w.adds, b.ordinals, b.since,
		t.name, t.location) AS p
	WHERE t.name = $1 AND ($3 IS NULL OR l.version > $3) AND ($4 IS NULL OR l.version <= $4);
END;
