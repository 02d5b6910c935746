-- ----- What should the condition have said? -----

-- The versions whose winners a transaction conflicts with, by rules that the
-- session has no say in.
CREATE FUNCTION deltacc.conflicting_versions(table_name text, read_version bigint, reads deltacc.predicate[], last_version bigint)
RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET deltacc.data_skipping = off
SET deltacc.row_level = off
AS $$
	SELECT coalesce(array_agg(DISTINCT c.winning_version ORDER BY c.winning_version), '{}')
	FROM deltacc.check_commit($1, $2, $3, isolation => 'Serializable', last_version => $4) AS c
$$;
COMMENT ON FUNCTION deltacc.conflicting_versions(text, bigint, deltacc.predicate[], bigint) IS
'part of deltacc.suggest(): the winners that conflict, without data skipping';

CREATE FUNCTION deltacc.conflicting_versions_skipping(table_name text, read_version bigint, reads deltacc.predicate[], last_version bigint)
RETURNS bigint[]
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET deltacc.data_skipping = on
SET deltacc.row_level = off
AS $$
	SELECT coalesce(array_agg(DISTINCT c.winning_version ORDER BY c.winning_version), '{}')
	FROM deltacc.check_commit($1, $2, $3, isolation => 'Serializable', last_version => $4) AS c
$$;
COMMENT ON FUNCTION deltacc.conflicting_versions_skipping(text, bigint, deltacc.predicate[], bigint) IS
'part of deltacc.suggest(): the winners that conflict, with data skipping';

-- A value of a log as a literal of Spark SQL; null where the type has none that
-- is exact.
CREATE FUNCTION deltacc.spark_literal(value text, type text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT CASE
		WHEN value IS NULL OR type IS NULL THEN NULL
		WHEN type IN ('long', 'integer', 'short', 'byte') THEN CASE WHEN value ~ '^-?[0-9]+$' THEN value END
		WHEN type ~ '^decimal' THEN CASE WHEN value ~ '^-?[0-9]+(\.[0-9]+)?$' THEN value END
		WHEN type = 'date' THEN CASE WHEN value ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' THEN format('DATE ''%s''', value) END
		WHEN type = 'boolean' THEN CASE WHEN value IN ('true', 'false') THEN value END
		WHEN type = 'string' THEN '''' || replace(replace(value, '\', '\\'), '''', '\''') || ''''
	END;
END;
COMMENT ON FUNCTION deltacc.spark_literal(text, text) IS
'a value of a log, of a type as schemaString names it, as a literal of Spark SQL; null if there is no exact one';

-- What may be tried: winner by winner, and for all of them together.
CREATE FUNCTION deltacc.candidate_conjuncts(
	table_name text,
	read_version bigint,
	predicate deltacc.predicate,
	last_version bigint,
	state deltacc.actions,
	live deltacc.actions,
	qualifier text)
RETURNS SETOF text
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 COST 100000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
SET deltacc.data_skipping = on
AS $$
	WITH columns AS MATERIALIZED (
		-- of the top level, by the names that the log uses
		SELECT f ->> 'name' AS name,
			coalesce(f #>> '{metadata,delta.columnMapping.physicalName}', f ->> 'name') AS physical,
			CASE WHEN jsonb_typeof(f -> 'type') = 'string' THEN f ->> 'type' END AS type,
			deltacc.metadata($5) -> 'partitionColumns' ? (f ->> 'name') AS is_partition
		FROM jsonb_array_elements((deltacc.metadata($5) ->> 'schemaString')::jsonb -> 'fields') AS f
	), hits AS MATERIALIZED (
		-- the files in the way, winner by winner
		SELECT DISTINCT c.winning_version, c.winning_operation, c.path, c.details ->> 'narrow_by' AS narrow_by
		FROM deltacc.check_commit($1, $2, ARRAY[$3],
			isolation => 'Serializable', last_version => $4) AS c
		WHERE c.path IS NOT NULL
	), files AS MATERIALIZED (
		SELECT h.winning_version, h.path, f.partition_values, f.stats
		FROM hits AS h
		JOIN deltacc.commits AS w ON w.table_id = deltacc.table_id_of($1) AND w.version = h.winning_version
		CROSS JOIN LATERAL deltacc.file_actions(w.actions) AS f
		WHERE f.path = h.path AND f.action IN ('add', 'remove')
			AND (f.action = 'add' OR NOT EXISTS (
				SELECT FROM deltacc.file_actions(w.actions) AS a WHERE a.path = h.path AND a.action = 'add'))
	), known AS MATERIALIZED (
		-- the statistics of a removed file stand in its add
		SELECT f.winning_version, f.path, f.partition_values,
			coalesce(CASE WHEN f.stats ? 'maxValues' THEN f.stats END, l.stats) AS stats
		FROM files AS f
		LEFT JOIN deltacc.file_actions(coalesce($6, '')) AS l ON l.path = f.path AND l.action = 'add'
	), extents AS MATERIALIZED (
		SELECT k.winning_version, c.name, c.type, c.is_partition, count(*) AS files,
			count(*) FILTER (WHERE k.partition_values ? c.physical) AS with_value,
			array_agg(DISTINCT k.partition_values ->> c.physical) AS partition_values,
			count(*) FILTER (WHERE deltacc.spark_literal(k.stats -> 'minValues' ->> c.physical, c.type) IS NOT NULL
				AND deltacc.spark_literal(k.stats -> 'maxValues' ->> c.physical, c.type) IS NOT NULL) AS with_range,
			CASE WHEN c.type = 'string' OR c.type = 'date' THEN min(k.stats -> 'minValues' ->> c.physical COLLATE "C")
				WHEN c.type IN ('long', 'integer', 'short', 'byte') OR c.type ~ '^decimal' THEN min(CASE
					WHEN k.stats -> 'minValues' ->> c.physical ~ '^-?[0-9]+(\.[0-9]+)?$' THEN (k.stats -> 'minValues' ->> c.physical)::numeric END)::text END AS low,
			CASE WHEN c.type = 'string' OR c.type = 'date' THEN max(k.stats -> 'maxValues' ->> c.physical COLLATE "C")
				WHEN c.type IN ('long', 'integer', 'short', 'byte') OR c.type ~ '^decimal' THEN max(CASE
					WHEN k.stats -> 'maxValues' ->> c.physical ~ '^-?[0-9]+(\.[0-9]+)?$' THEN (k.stats -> 'maxValues' ->> c.physical)::numeric END)::text END AS high
		FROM known AS k
		CROSS JOIN columns AS c
		WHERE c.type IS NOT NULL
		-- winner by winner, and of all of them together
		GROUP BY GROUPING SETS ((k.winning_version, c.name, c.type, c.is_partition), (c.name, c.type, c.is_partition))
	), conditions AS (
		SELECT h.narrow_by AS conjunct FROM hits AS h WHERE h.narrow_by IS NOT NULL AND $7 = ''
		UNION
		SELECT CASE
				WHEN e.partition_values = '{NULL}' THEN format('%s IS NOT NULL', q.name)
				WHEN cardinality(e.partition_values) = 1
					THEN format('%s <> %s', q.name, deltacc.spark_literal(e.partition_values[1], e.type))
				ELSE format('%s NOT IN (%s)', q.name, (
					SELECT string_agg(deltacc.spark_literal(v, e.type), ', ' ORDER BY v COLLATE "C") FROM unnest(e.partition_values) AS v)) END
		FROM extents AS e
		CROSS JOIN LATERAL (SELECT $7 || '`' || replace(e.name, '`', '``') || '`') AS q(name)
		WHERE e.is_partition AND e.with_value = e.files AND cardinality(e.partition_values) <= 10
			AND (e.partition_values = '{NULL}'
				OR NOT EXISTS (SELECT FROM unnest(e.partition_values) AS v WHERE deltacc.spark_literal(v, e.type) IS NULL))
		UNION
		SELECT format(x.form, $7 || '`' || replace(e.name, '`', '``') || '`', deltacc.spark_literal(x.bound, e.type))
		FROM extents AS e
		CROSS JOIN LATERAL (VALUES ('%s < %s', e.low), ('%s > %s', e.high)) AS x(form, bound)
		WHERE NOT e.is_partition AND e.with_range = e.files AND deltacc.spark_literal(x.bound, e.type) IS NOT NULL
	)
	-- written the way that predicates are
	SELECT DISTINCT (c.conjunct::deltacc.predicate)::text AS conjunct FROM conditions AS c
$$;
COMMENT ON FUNCTION deltacc.candidate_conjuncts(text, bigint, deltacc.predicate, bigint, deltacc.actions, deltacc.actions, text) IS
'part of deltacc.suggest(): conjuncts that leave out the partitions or the ranges of the winners'' files. live: the files at read_version, null if they are not known; qualifier: what names the target, with its dot, or nothing';

-- Every candidate is tested over all winners; suggest() sorts.
CREATE FUNCTION deltacc.tested_conjuncts(
	table_name text,
	read_version bigint,
	predicate deltacc.predicate,
	last_version bigint DEFAULT NULL)
RETURNS TABLE (
	winning_version bigint,
	conjunct text,
	suggestion deltacc.predicate,
	needs text,
	avoids bigint[],
	avoids_all boolean,
	files_kept bigint,
	files_given_up bigint)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 20 COST 100000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
SET deltacc.data_skipping = on
AS $$
#variable_conflict use_column
DECLARE
	state deltacc.actions := deltacc.state_at(tested_conjuncts.table_name, tested_conjuncts.read_version);
	-- what the target's columns are qualified by, if they are
	qualifier text := coalesce(substring(tested_conjuncts.predicate::text FROM format('(?i)\m((?:%s)\.)',
		coalesce(nullif(current_setting('deltacc.target_alias'), ''), 't|target'))), '');
	newest bigint := coalesce(tested_conjuncts.last_version, (
		SELECT max(c.version) FROM deltacc.commits AS c WHERE c.table_id = deltacc.table_id_of(tested_conjuncts.table_name)));
	live deltacc.actions;
	selected bigint;
	released bigint[];
	skipping bigint[];
	candidate record;
	narrowed deltacc.predicate;
	still_released bigint[];
	still_skipping bigint[];
	kept bigint;
BEGIN
	IF tested_conjuncts.predicate IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'predicate must not be NULL';
	END IF;
	released := deltacc.conflicting_versions(tested_conjuncts.table_name, tested_conjuncts.read_version, ARRAY[tested_conjuncts.predicate], newest);
	skipping := deltacc.conflicting_versions_skipping(tested_conjuncts.table_name, tested_conjuncts.read_version, ARRAY[tested_conjuncts.predicate], newest);
	IF cardinality(released) = 0 THEN
		RETURN;
	END IF;
	-- Of a log whose beginning is missing the files are not known; they are not
	-- counted then.
	IF (SELECT l.version = 0 OR deltacc.knows_files(l.actions)
		FROM deltacc.table_log(tested_conjuncts.table_name, tested_conjuncts.read_version) AS l ORDER BY l.version LIMIT 1)
	THEN
		live := (SELECT deltacc.reconcile(l.version, l.actions) FROM deltacc.table_log(tested_conjuncts.table_name, tested_conjuncts.read_version) AS l);
		selected := (SELECT count(*) FROM deltacc.filter_files(state, tested_conjuncts.predicate, live) AS f WHERE f.kept);
	END IF;

	FOR candidate IN
		SELECT c AS conjunct FROM deltacc.candidate_conjuncts(tested_conjuncts.table_name, tested_conjuncts.read_version, tested_conjuncts.predicate, newest,
			state, live, qualifier) AS c ORDER BY c COLLATE "C"
	LOOP
		narrowed := (format('(%s) AND (%s)', tested_conjuncts.predicate, candidate.conjunct))::deltacc.predicate;
		kept := CASE WHEN live IS NOT NULL THEN (SELECT count(*) FROM deltacc.filter_files(state, narrowed, live) AS f WHERE f.kept) END;
		-- One that leaves nothing to be read is no advice.
		CONTINUE WHEN kept = 0;
		still_released := deltacc.conflicting_versions(tested_conjuncts.table_name, tested_conjuncts.read_version, ARRAY[narrowed], newest);
		still_skipping := deltacc.conflicting_versions_skipping(tested_conjuncts.table_name, tested_conjuncts.read_version, ARRAY[narrowed], newest);
		RETURN QUERY
			SELECT v, candidate.conjunct, narrowed, t.needs, t.avoids, t.avoids_all, kept, selected - kept
			FROM (
				SELECT 'nothing', ARRAY(SELECT v FROM unnest(released) AS v WHERE v <> ALL (still_released) ORDER BY v),
					cardinality(still_released) = 0
				UNION ALL
				SELECT 'data skipping', ARRAY(SELECT v FROM unnest(released) AS v WHERE v <> ALL (still_skipping) ORDER BY v),
					cardinality(still_skipping) = 0
			) AS t(needs, avoids, avoids_all)
			CROSS JOIN LATERAL unnest(t.avoids) AS v
			WHERE t.needs = 'nothing' OR v = ANY (still_released) AND v = ANY (skipping);
	END LOOP;
END
$$;
COMMENT ON FUNCTION deltacc.tested_conjuncts(text, bigint, deltacc.predicate, bigint) IS
'part of deltacc.suggest(): one row for each winner and each conjunct that avoids the conflict with it';

CREATE FUNCTION deltacc.suggest(
	table_name text,
	read_version bigint,
	predicate deltacc.predicate,
	last_version bigint DEFAULT NULL)
RETURNS TABLE (
	winning_version bigint,
	winning_operation text,
	exception text,
	conjunct text,
	suggestion deltacc.predicate,
	needs text,
	avoids bigint[],
	avoids_all boolean,
	files_kept bigint,
	files_given_up bigint)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 20 COST 100000
SET search_path = pg_catalog, pg_temp
SET deltacc.data_skipping = off
SET deltacc.row_level = off
AS $$
	WITH winners AS MATERIALIZED (
		SELECT DISTINCT ON (c.winning_version) c.winning_version, c.winning_operation, c.exception
		FROM deltacc.check_commit($1, $2, ARRAY[$3], isolation => 'Serializable', last_version => $4)
			WITH ORDINALITY AS c
		ORDER BY c.winning_version, c.ordinality
	), skipping AS MATERIALIZED (
		SELECT deltacc.conflicting_versions_skipping($1, $2, ARRAY[$3], $4) AS versions
	), tested AS MATERIALIZED (
		SELECT * FROM deltacc.tested_conjuncts($1, $2, $3, $4)
	)
	SELECT w.winning_version, w.winning_operation, w.exception, t.conjunct, t.suggestion, t.needs, t.avoids, t.avoids_all,
		t.files_kept, t.files_given_up
	FROM winners AS w
	LEFT JOIN LATERAL (
		SELECT x.conjunct, x.suggestion, x.needs, x.avoids, x.avoids_all, x.files_kept, x.files_given_up
		FROM tested AS x
		WHERE x.winning_version = w.winning_version
		UNION ALL
		-- as it is
		SELECT NULL, $3, 'data skipping', ARRAY(SELECT v.winning_version FROM winners AS v WHERE v.winning_version <> ALL (s.versions) ORDER BY 1),
			cardinality(s.versions) = 0, NULL, 0
		FROM skipping AS s
		WHERE w.winning_version <> ALL (s.versions)
	) AS t ON true
	ORDER BY w.winning_version, t.files_given_up, t.needs DESC, t.avoids_all DESC, length(t.conjunct), t.conjunct COLLATE "C"
$$;
COMMENT ON FUNCTION deltacc.suggest(text, bigint, deltacc.predicate, bigint) IS
'for each winner that conflicts, the conjuncts that would have avoided it, each tested over all winners, the smallest change first: the one that gives up fewest of the files that were read. needs: nothing (released Delta would do) or data skipping; no conjunct and data skipping: the condition would do as it is; nothing at all: no conjunct was found';
