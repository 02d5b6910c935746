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

-- The process reads the log once, for all pairs that it is asked for.
CREATE FUNCTION deltacc.pair_verdicts(
	table_name text,
	from_version bigint,
	to_version bigint,
	winner_version bigint,
	loser_version bigint)
RETURNS deltacc.pair_verdict
AS 'MODULE_PATHNAME', 'deltacc_pair_verdicts'
LANGUAGE C STABLE PARALLEL SAFE
COST 2000;
COMMENT ON FUNCTION deltacc.pair_verdicts(text, bigint, bigint, bigint, bigint) IS
'part of deltacc.contention(): would a later commit have conflicted with an earlier one, under each set of rules. from_version, to_version: the range that all pairs of the query are in. Null: one of the two, or the version before the winner, is not held';

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
			deltacc.pair_verdicts($1, $3, $4, e.version, l.version) AS p
		FROM deltacc.commits AS e
		JOIN deltacc.commits AS l ON l.table_id = e.table_id AND l.version > e.version
			-- no version is larger than this one
			AND l.version <= e.version + least($2, 9223372036854775807 - e.version)
		-- the first without a column, so that it is asked once and before the rest
		WHERE deltacc.is_ingested($1)
			-- A parallel scan deals out pages, and those of the index hold too many winners:
			-- all versions are read from the table's own.
			AND ($3 IS NULL AND e.table_id + 0 = deltacc.table_id_of($1)
				OR $3 IS NOT NULL AND e.table_id = deltacc.table_id_of($1) AND e.version >= $3)
			AND ($4 IS NULL OR e.version < $4 AND l.version <= $4)
		-- each pair is judged once, whatever columns are asked for; see deltacc.history
		OFFSET bigint '0'
	) AS v
	-- the pair as a whole, not all of its columns
	WHERE v.p IS DISTINCT FROM NULL;
END;
