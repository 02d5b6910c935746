-- ----- Who collides with whom -----

-- The columns for the rule sets are those of compare_rules, in its order.
CREATE TYPE deltacc.pair_verdict AS (
	winner_operation text,
	loser_operation text,
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
	isolation text,
	error text
);
COMMENT ON TYPE deltacc.pair_verdict IS
'would one commit have conflicted with another one: true, false, or null where that ended with an error';

CREATE FUNCTION deltacc.pair_verdicts(
	snapshot deltacc.actions,
	winner deltacc.actions,
	loser deltacc.actions,
	winner_version bigint,
	winner_files text,
	young bigint[],
	table_name text,
	table_location text)
RETURNS deltacc.pair_verdict
AS 'MODULE_PATHNAME', 'deltacc_pair_verdicts'
LANGUAGE C STABLE PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION deltacc.pair_verdicts(deltacc.actions, deltacc.actions, deltacc.actions, bigint, text, bigint[], text, text) IS
'part of deltacc.contention(): would a later commit have conflicted with an earlier one, under each set of rules. winner_files: the adds of the files that the winner removes; young: what loser_parts() gives';

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
AS 'MODULE_PATHNAME', 'deltacc_removed_files'
LANGUAGE C STABLE PARALLEL SAFE ROWS 10000 COST 100000;
COMMENT ON FUNCTION deltacc.removed_files(text, bigint, bigint) IS
'each file that a commit of an ingested table removes: with the version at which it came to life, and the action that added it last';

-- What there is to know of each commit as a winner: the state before it, and
-- the adds of the files that it removes.
-- ROWS is high so that no plan sorts them: a sort would drain the parallel scan of
-- the commits before the first pair is judged, and one process would get all.
CREATE FUNCTION deltacc.winner_parts(table_name text, from_version bigint, to_version bigint)
RETURNS TABLE (version bigint, location text, state deltacc.actions, adds text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100000 COST 100000
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
	SELECT s.version, t.location, s.state, p.adds
	FROM deltacc.tables AS t
	CROSS JOIN (
		SELECT a.version + 1, deltacc.table_state(a.version, a.actions) OVER (ORDER BY a.version)
		FROM (
			SELECT k.version, k.state FROM kept AS k
			UNION ALL
			SELECT l.version, l.actions FROM log AS l
			WHERE l.version > coalesce((SELECT k.version FROM kept AS k), -1)
		) AS a(version, actions)
	) AS s(version, state)
	LEFT JOIN (
		SELECT q.version, string_agg(deltacc.pick_actions(l.actions, q.ordinals), '')
		FROM picked AS q
		JOIN log AS l ON l.version = q.added_version
		GROUP BY q.version
	) AS p(version, adds) ON p.version = s.version
	WHERE t.name = $1 AND ($2 IS NULL OR s.version >= $2)
	-- Pairs in this order find what is kept of their losers.
	ORDER BY s.version
$$;
COMMENT ON FUNCTION deltacc.winner_parts(text, bigint, bigint) IS
'part of deltacc.contention(): for each version the state before it, and the adds of the files that it removes';

-- ... and as a loser: its actions on files that came to life not long before.
CREATE FUNCTION deltacc.loser_parts(table_name text, from_version bigint, to_version bigint, versions int)
RETURNS TABLE (version bigint, young bigint[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 COST 100000
SET search_path = pg_catalog, pg_temp
AS $$
	SELECT f.version, array_agg(ARRAY[o.ordinal, f.born])
	FROM deltacc.removed_files($1, $2, $3) AS f
	CROSS JOIN LATERAL (VALUES (f.remove_ordinal), (f.readd_ordinal)) AS o(ordinal)
	WHERE f.born >= f.version - $4 AND o.ordinal IS NOT NULL
	GROUP BY f.version
$$;
COMMENT ON FUNCTION deltacc.loser_parts(text, bigint, bigint, int) IS
'part of deltacc.contention(): the actions of each commit on files that came to life not long before: their places, each with the version at which the file came to life';

CREATE FUNCTION deltacc.young_files(table_name text, from_version bigint, to_version bigint, versions int, loser_version bigint)
RETURNS bigint[]
AS 'MODULE_PATHNAME', 'deltacc_young_files'
LANGUAGE C STABLE PARALLEL SAFE
COST 10;
COMMENT ON FUNCTION deltacc.young_files(text, bigint, bigint, int, bigint) IS
'part of deltacc.contention(): one commit''s row of loser_parts()';

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
	SELECT v.winner_version, v.loser_version, (v.p).winner_operation, (v.p).loser_operation, v.winner_at, v.loser_at,
		(v.p).reads, (v.p).exact, (v.p).delta, (v.p).write_serializable, (v.p).data_skipping, (v.p).sharp, (v.p).row_level,
		(v.p).exception, (v.p).check_name, (v.p).path, (v.p).partition_values, (v.p).error
	FROM (
		SELECT e.version AS winner_version, l.version AS loser_version, e.committed_at AS winner_at, l.committed_at AS loser_at,
			deltacc.pair_verdicts(w.state, e.actions, l.actions, e.version, w.adds,
				deltacc.young_files($1, $3, $4, $2, l.version), $1, w.location) AS p
		FROM deltacc.commits AS e
		JOIN deltacc.winner_parts($1, $3, $4) AS w ON w.version = e.version
		JOIN deltacc.commits AS l ON l.table_id = e.table_id AND l.version > e.version AND l.version <= e.version + $2
		-- the first without a column, so that it is asked once and before the rest
		WHERE deltacc.is_ingested($1) AND e.table_id = deltacc.table_id_of($1) AND ($4 IS NULL OR l.version <= $4)
		OFFSET 0
	) AS v;
END;
