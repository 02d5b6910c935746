-- ----- The decision panel: which layout and which condition avoid what? -----
--
-- Nothing here is an answer: a tiny table, a MERGE and a winning commit are
-- made up, and the checker is asked.

-- 40 rows: two days, two countries, ten ids each.
CREATE FUNCTION deltacc.simulated_rows(OUT id bigint, OUT event_date date, OUT country text)
RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 40
BEGIN ATOMIC
	SELECT 10 * (2 * (d.n - 1) + c.n - 1) + i.n, d.v, c.v
	FROM (VALUES (1, DATE '2026-08-11'), (2, DATE '2026-08-12')) AS d(n, v)
	CROSS JOIN (VALUES (1, 'DE'), (2, 'FR')) AS c(n, v)
	CROSS JOIN generate_series(0, 9) AS i(n);
END;
COMMENT ON FUNCTION deltacc.simulated_rows() IS 'part of deltacc.simulate(): the rows of its table';

-- The file that a row lies in, and its partition values.
CREATE FUNCTION deltacc.simulated_file(layout text, event_date date, country text, OUT path text, OUT partition_values jsonb)
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT
		CASE WHEN layout IN ('partitioned by event_date', 'partitioned by both', 'clustered')
			THEN 'event_date=' || event_date || '/' ELSE '' END
		|| CASE WHEN layout IN ('partitioned by country', 'partitioned by both', 'clustered')
			THEN 'country=' || country || '/' ELSE '' END
		|| 'part-0.parquet',
		jsonb_strip_nulls(jsonb_build_object(
			'event_date', CASE WHEN layout IN ('partitioned by event_date', 'partitioned by both') THEN event_date END,
			'country', CASE WHEN layout IN ('partitioned by country', 'partitioned by both') THEN country END));
END;
COMMENT ON FUNCTION deltacc.simulated_file(text, date, text) IS
'part of deltacc.simulate(): where a layout puts a row; a clustered table''s files hold one day and one country each';

-- The add of a file of these rows.
CREATE FUNCTION deltacc.simulated_add(path text, partition_values jsonb, rows int, ids bigint[], dates date[], countries text[],
	deletion_vector jsonb, data_change boolean)
RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT jsonb_build_object('add', jsonb_strip_nulls(jsonb_build_object('path', path, 'partitionValues', partition_values,
		'size', 1000, 'modificationTime', 1, 'dataChange', data_change, 'deletionVector', deletion_vector,
		'stats', jsonb_strip_nulls(jsonb_build_object('numRecords', rows,
			'tightBounds', CASE WHEN deletion_vector IS NOT NULL THEN false END,
			'minValues', jsonb_build_object('id', (SELECT min(v) FROM unnest(ids) AS v),
				'event_date', CASE WHEN NOT partition_values ? 'event_date' THEN (SELECT min(v) FROM unnest(dates) AS v) END,
				'country', CASE WHEN NOT partition_values ? 'country' THEN (SELECT min(v COLLATE "C") FROM unnest(countries) AS v) END),
			'maxValues', jsonb_build_object('id', (SELECT max(v) FROM unnest(ids) AS v),
				'event_date', CASE WHEN NOT partition_values ? 'event_date' THEN (SELECT max(v) FROM unnest(dates) AS v) END,
				'country', CASE WHEN NOT partition_values ? 'country' THEN (SELECT max(v COLLATE "C") FROM unnest(countries) AS v) END),
			'nullCount', jsonb_build_object('id', 0,
				'event_date', CASE WHEN NOT partition_values ? 'event_date' THEN 0 END,
				'country', CASE WHEN NOT partition_values ? 'country' THEN 0 END)))::text)))::text;
END;
COMMENT ON FUNCTION deltacc.simulated_add(text, jsonb, int, bigint[], date[], text[], jsonb, boolean) IS
'part of deltacc.simulate(): the add of a file of given rows, with its statistics';

-- The file actions of a commit that creates the table, or deletes or inserts
-- some of its rows, or rearranges all: with deletion vectors, or by writing the
-- files anew.
CREATE FUNCTION deltacc.simulated_actions(layout text, change text, changed bigint[], vectors boolean) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	WITH placed AS (
		SELECT f.path, f.partition_values, r.id, r.event_date, r.country, r.id = ANY (changed) AS hit,
			row_number() OVER (PARTITION BY f.path ORDER BY r.id) - 1 AS place
		FROM deltacc.simulated_rows() AS r
		CROSS JOIN LATERAL deltacc.simulated_file(layout, r.event_date, r.country) AS f
	), files AS (
		SELECT p.path, p.partition_values, replace(p.path, '/', '-') AS name, count(*)::int AS rows,
			array_agg(p.id) AS ids, array_agg(p.event_date) AS dates, array_agg(p.country) AS countries,
			count(*) FILTER (WHERE p.hit)::int AS hit,
			array_agg(p.place) FILTER (WHERE p.hit) AS hit_places,
			array_agg(p.id) FILTER (WHERE p.hit) AS hit_ids,
			array_agg(p.event_date) FILTER (WHERE p.hit) AS hit_dates,
			array_agg(p.country) FILTER (WHERE p.hit) AS hit_countries,
			array_agg(p.id) FILTER (WHERE NOT p.hit) AS other_ids,
			array_agg(p.event_date) FILTER (WHERE NOT p.hit) AS other_dates,
			array_agg(p.country) FILTER (WHERE NOT p.hit) AS other_countries
		FROM placed AS p
		GROUP BY p.path, p.partition_values
	)
	SELECT string_agg(a.action, E'\n' ORDER BY f.path COLLATE "C", a.n)
	FROM files AS f
	CROSS JOIN LATERAL (VALUES
		(1, CASE WHEN change = 'create' THEN
			deltacc.simulated_add(f.path, f.partition_values, f.rows, f.ids, f.dates, f.countries, NULL, true) END),
		(2, CASE WHEN change = 'rearrange' OR change = 'delete' AND f.hit > 0 THEN
			jsonb_build_object('remove', jsonb_build_object('path', f.path, 'deletionTimestamp', 1, 'dataChange', change <> 'rearrange',
				'extendedFileMetadata', true, 'partitionValues', f.partition_values, 'size', 1000))::text END),
		-- the rows that stay
		(3, CASE
			WHEN change = 'rearrange' THEN
				deltacc.simulated_add('compact-' || f.name, f.partition_values, f.rows, f.ids, f.dates, f.countries, NULL, false)
			WHEN change <> 'delete' OR f.hit = 0 OR f.hit = f.rows THEN NULL
			WHEN vectors THEN
				deltacc.simulated_add(f.path, f.partition_values, f.rows, f.ids, f.dates, f.countries, deltacc.dv_of(f.hit_places), true)
			ELSE deltacc.simulated_add('without' || f.hit_ids[1] || '-' || f.name, f.partition_values, f.rows - f.hit,
				f.other_ids, f.other_dates, f.other_countries, NULL, true) END),
		-- the rows that are new
		(4, CASE WHEN change = 'insert' AND f.hit > 0 THEN
			deltacc.simulated_add('insert' || f.hit_ids[1] || '-' || f.name, f.partition_values, f.hit, f.hit_ids, f.hit_dates, f.hit_countries, NULL, true) END)
	) AS a(n, action)
	WHERE a.action IS NOT NULL;
END;
COMMENT ON FUNCTION deltacc.simulated_actions(text, text, bigint[], boolean) IS
'part of deltacc.simulate(): the file actions of a commit that creates the table, or deletes, inserts or rearranges rows';

CREATE FUNCTION deltacc.simulated_table(layout text, vectors boolean, configuration jsonb DEFAULT '{}') RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT '{"protocol":{"minReaderVersion":3,"minWriterVersion":7,"readerFeatures":["deletionVectors"],"writerFeatures":["deletionVectors","domainMetadata","clustering"]}}'
		|| E'\n' || jsonb_build_object('metaData', jsonb_build_object('id', 'simulated', 'format', '{"provider":"parquet","options":{}}'::jsonb,
			'schemaString', '{"type":"struct","fields":[{"name":"id","type":"long","nullable":true,"metadata":{}},{"name":"event_date","type":"date","nullable":true,"metadata":{}},{"name":"country","type":"string","nullable":true,"metadata":{}},{"name":"value","type":"double","nullable":true,"metadata":{}}]}',
			'partitionColumns', CASE layout
				WHEN 'partitioned by event_date' THEN '["event_date"]'
				WHEN 'partitioned by country' THEN '["country"]'
				WHEN 'partitioned by both' THEN '["event_date","country"]'
				ELSE '[]' END::jsonb,
			'configuration', jsonb_build_object('delta.enableDeletionVectors', vectors::text) || configuration, 'createdTime', 1))::text
		|| CASE WHEN layout = 'clustered' THEN E'\n' ||
			'{"domainMetadata":{"domain":"delta.clustering","configuration":"{\"clusteringColumns\":[[\"event_date\"],[\"country\"]],\"domainName\":\"delta.clustering\"}","removed":false}}'
			ELSE '' END;
END;
COMMENT ON FUNCTION deltacc.simulated_table(text, boolean, jsonb) IS
'part of deltacc.simulate(): protocol, metaData and clustering of its table';

-- The table, and what the MERGE wants to write: it deletes (WHEN MATCHED THEN
-- DELETE) the first two rows of 2026-08-12, DE.  Of rows that an UPDATE writes
-- anew a log does not tell which ones they were.
CREATE FUNCTION deltacc.simulated_merge(layout text, vectors boolean, OUT snapshot deltacc.actions, OUT writes deltacc.actions)
LANGUAGE sql STABLE PARALLEL SAFE
BEGIN ATOMIC
	SELECT (deltacc.simulated_table(layout, vectors) || E'\n' || deltacc.simulated_actions(layout, 'create', '{}', vectors))::deltacc.actions,
		deltacc.simulated_actions(layout, 'delete', ARRAY(
			SELECT r.id FROM deltacc.simulated_rows() AS r
			WHERE r.event_date = '2026-08-12' AND r.country = 'DE' AND r.id % 10 < 2), vectors)::deltacc.actions;
END;
COMMENT ON FUNCTION deltacc.simulated_merge(text, boolean) IS
'part of deltacc.simulate(): the table, and what the MERGE writes';

-- The winners: their operations, what they change and which rows.
CREATE FUNCTION deltacc.simulated_winners(layout text, vectors boolean, OUT n int, OUT winner text, OUT actions deltacc.actions)
RETURNS SETOF record
LANGUAGE sql STABLE PARALLEL SAFE ROWS 8
BEGIN ATOMIC
	SELECT w.n, w.name, (jsonb_build_object('commitInfo', jsonb_build_object('timestamp', 1, 'operation', w.operation,
			'operationParameters', w.parameters, 'isolationLevel', CASE w.change WHEN 'rearrange' THEN 'SnapshotIsolation' ELSE 'Serializable' END,
			'isBlindAppend', w.change IN ('insert', 'alter')))::text
		|| E'\n' || CASE w.change
			WHEN 'alter' THEN split_part(deltacc.simulated_table(layout, vectors, '{"comment":"new"}'), E'\n', 2)
			ELSE deltacc.simulated_actions(layout, w.change, ARRAY(
				SELECT r.id FROM deltacc.simulated_rows() AS r
				WHERE (w.event_date IS NULL OR r.event_date = w.event_date) AND (w.country IS NULL OR r.country = w.country)
					AND (w.first IS NULL OR r.id % 10 BETWEEN w.first AND w.first + 1)), vectors) END)::deltacc.actions
	FROM (VALUES
		(1, 'MERGE in another country', 'MERGE', 'delete', DATE '2026-08-12', 'FR', 0, '{}'::jsonb),
		(2, 'MERGE in the same partition with other rows', 'MERGE', 'delete', DATE '2026-08-12', 'DE', 5, '{}'),
		(3, 'MERGE of the same rows', 'MERGE', 'delete', DATE '2026-08-12', 'DE', 0, '{}'),
		(4, 'INSERT', 'WRITE', 'insert', DATE '2026-08-12', 'DE', 0, '{"mode":"Append"}'),
		(5, 'DELETE of a partition', 'DELETE', 'delete', DATE '2026-08-11', NULL, NULL, '{"predicate":"[\"(event_date#1 = 2026-08-11)\"]"}'),
		(6, 'OPTIMIZE', 'OPTIMIZE', 'rearrange', NULL, NULL, NULL, '{"predicate":"[]","zOrderBy":"[]"}'),
		(7, 'OPTIMIZE ZORDER', 'OPTIMIZE', 'rearrange', NULL, NULL, NULL, '{"predicate":"[]","zOrderBy":"[\"id\"]"}'),
		(8, 'ALTER TABLE', 'SET TBLPROPERTIES', 'alter', NULL, NULL, NULL, '{"properties":"{\"comment\":\"new\"}"}')
	) AS w(n, name, operation, change, event_date, country, first, parameters);
END;
COMMENT ON FUNCTION deltacc.simulated_winners(text, boolean) IS
'part of deltacc.simulate(): the winning commits';

-- The check.  deltacc.row_level is a setting, and a query can't set one for a
-- row: so there is one function for each value.
CREATE FUNCTION deltacc.simulated_conflict_off(snapshot deltacc.actions, condition deltacc.predicate, winner deltacc.actions, writes deltacc.actions, isolation text)
RETURNS deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET deltacc.target_alias = 't'
SET deltacc.row_level = off
AS $$
	SELECT deltacc.first_conflict($1, $3, ARRAY[$2], $4, $5, operation => 'MERGE', winner_version => 1, table_name => 'simulated')
$$;
COMMENT ON FUNCTION deltacc.simulated_conflict_off(deltacc.actions, deltacc.predicate, deltacc.actions, deltacc.actions, text) IS
'part of deltacc.simulate(): the check without row-level concurrency';

CREATE FUNCTION deltacc.simulated_conflict_on(snapshot deltacc.actions, condition deltacc.predicate, winner deltacc.actions, writes deltacc.actions, isolation text)
RETURNS deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET deltacc.target_alias = 't'
SET deltacc.row_level = on
AS $$
	SELECT deltacc.first_conflict($1, $3, ARRAY[$2], $4, $5, operation => 'MERGE', winner_version => 1, table_name => 'simulated')
$$;
COMMENT ON FUNCTION deltacc.simulated_conflict_on(deltacc.actions, deltacc.predicate, deltacc.actions, deltacc.actions, text) IS
'part of deltacc.simulate(): the check with row-level concurrency';

CREATE FUNCTION deltacc.simulated_conflict_databricks(snapshot deltacc.actions, condition deltacc.predicate, winner deltacc.actions, writes deltacc.actions, isolation text)
RETURNS deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET deltacc.target_alias = 't'
SET deltacc.row_level = databricks
AS $$
	SELECT deltacc.first_conflict($1, $3, ARRAY[$2], $4, $5, operation => 'MERGE', winner_version => 1, table_name => 'simulated')
$$;
COMMENT ON FUNCTION deltacc.simulated_conflict_databricks(deltacc.actions, deltacc.predicate, deltacc.actions, deltacc.actions, text) IS
'part of deltacc.simulate(): the check by Databricks'' contract';

CREATE FUNCTION deltacc.simulated_conflict_released(snapshot deltacc.actions, condition deltacc.predicate, winner deltacc.actions, writes deltacc.actions, isolation text)
RETURNS deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET deltacc.target_alias = 't'
SET deltacc.row_level = off
SET deltacc.data_skipping = off
AS $$
	SELECT deltacc.first_conflict($1, $3, ARRAY[$2], $4, $5, operation => 'MERGE', winner_version => 1, table_name => 'simulated')
$$;
COMMENT ON FUNCTION deltacc.simulated_conflict_released(deltacc.actions, deltacc.predicate, deltacc.actions, deltacc.actions, text) IS
'part of deltacc.simulate(): the check by the rules of released Delta';

CREATE FUNCTION deltacc.simulated_verdict(
	snapshot deltacc.actions,
	condition deltacc.predicate,
	winner deltacc.actions,
	writes deltacc.actions,
	isolation text,
	row_level text,
	OUT outcome text,
	OUT exception text,
	OUT sub_condition text,
	OUT usable_partition_predicates int,
	OUT reason text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
SET deltacc.target_alias = 't'
AS $$
DECLARE
	conflict deltacc.conflict;
	released deltacc.conflict;
	skipping deltacc.conflict;
	partition_conjuncts text;
BEGIN
	SELECT count(*)::int, string_agg(e.conjunct, ' AND ') INTO usable_partition_predicates, partition_conjuncts
		FROM deltacc.explain_predicate(snapshot, condition) AS e
		WHERE e.kind = 'partition' AND e.usable;
	CASE row_level
		WHEN 'off' THEN conflict := deltacc.simulated_conflict_off(snapshot, condition, winner, writes, isolation);
		WHEN 'on' THEN conflict := deltacc.simulated_conflict_on(snapshot, condition, winner, writes, isolation);
		WHEN 'databricks' THEN conflict := deltacc.simulated_conflict_databricks(snapshot, condition, winner, writes, isolation);
		ELSE
			RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
				MESSAGE = format('there is no row_level "%s"', row_level),
				HINT = 'The values of the setting deltacc.row_level are off, on and databricks.';
	END CASE;
	IF NOT conflict IS NULL THEN
		outcome := 'conflict';
		exception := conflict.exception;
		sub_condition := conflict.sub_condition;
		reason := conflict.message;
		RETURN;
	END IF;

	-- No conflict: which of the rules is it thanks to?
	outcome := 'ok';
	skipping := deltacc.simulated_conflict_off(snapshot, condition, winner, writes, isolation);
	released := deltacc.simulated_conflict_released(snapshot, condition, winner, writes, isolation);
	reason := CASE
		WHEN NOT skipping IS NULL AND skipping.winning_operation = 'OPTIMIZE'
			THEN 'The OPTIMIZE moved rows and changed none: row-level concurrency keeps both.'
		WHEN NOT skipping IS NULL
			THEN format('The %s changed other rows: row-level concurrency keeps both.', skipping.winning_operation)
		WHEN NOT released IS NULL
			THEN format('The statistics of the files that the %s touched show that none of their rows match %s.',
				released.winning_operation, condition)
		WHEN NOT deltacc.simulated_conflict_released(snapshot, condition, winner, writes, 'Serializable') IS NULL
			THEN CASE WHEN lower(coalesce(isolation, deltacc.isolation_level(snapshot))) = 'writeserializable'
				THEN 'The winner is a blind append, which under WriteSerializable conflicts with nobody''s reads.'
				ELSE 'Under SnapshotIsolation what a winner adds conflicts with nobody''s reads.' END
		WHEN usable_partition_predicates > 0
			THEN format('No file that the winner touched lies in a partition with %s.', partition_conjuncts)
		ELSE 'The winner touched nothing that the transaction read.' END;
END
$$;
COMMENT ON FUNCTION deltacc.simulated_verdict(deltacc.actions, deltacc.predicate, deltacc.actions, deltacc.actions, text, text) IS
'part of deltacc.simulate(): one cell of the panel';

CREATE FUNCTION deltacc.simulate(
	layout text,
	condition deltacc.predicate,
	winner text,
	isolation text DEFAULT 'WriteSerializable',
	row_level text DEFAULT 'off',
	OUT outcome text,
	OUT exception text,
	OUT sub_condition text,
	OUT usable_partition_predicates int,
	OUT reason text)
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 20000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	-- Files are written anew where there are no rows to be told apart.
	vectors boolean := simulate.row_level IS DISTINCT FROM 'off';
	won deltacc.actions;
BEGIN
	IF simulate.layout IS NULL OR simulate.layout NOT IN ('unpartitioned', 'partitioned by event_date', 'partitioned by country',
		'partitioned by both', 'clustered') THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('there is no layout "%s"', simulate.layout),
			HINT = 'The layouts are: unpartitioned, partitioned by event_date, partitioned by country, partitioned by both, clustered.';
	END IF;
	IF simulate.condition IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'condition must not be NULL';
	END IF;
	won := (SELECT w.actions FROM deltacc.simulated_winners(simulate.layout, vectors) AS w WHERE w.winner = simulate.winner);
	IF won IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('there is no winner "%s"', simulate.winner),
			HINT = format('The winners are: %s.',
				(SELECT string_agg(w.winner, '; ' ORDER BY w.n) FROM deltacc.simulated_winners('unpartitioned', false) AS w));
	END IF;
	SELECT v.* INTO outcome, exception, sub_condition, usable_partition_predicates, reason
		FROM deltacc.simulated_merge(simulate.layout, vectors) AS m
		CROSS JOIN LATERAL deltacc.simulated_verdict(m.snapshot, simulate.condition, won, m.writes, simulate.isolation, simulate.row_level) AS v;
END
$$;
COMMENT ON FUNCTION deltacc.simulate(text, deltacc.predicate, text, text, text) IS
'makes up a tiny table of a layout, a MERGE with a condition (target t, source s) and a winning commit, and asks the checker, with the session''s deltacc.data_skipping: would the MERGE conflict, and why';

CREATE VIEW deltacc.simulations WITH (security_invoker = true) AS
WITH layouts AS MATERIALIZED (
	SELECT l.n, l.layout, d.vectors, m.snapshot, m.writes
	FROM (VALUES (1, 'unpartitioned'), (2, 'partitioned by event_date'), (3, 'partitioned by country'),
		(4, 'partitioned by both'), (5, 'clustered')) AS l(n, layout)
	CROSS JOIN (VALUES (false), (true)) AS d(vectors)
	CROSS JOIN LATERAL deltacc.simulated_merge(l.layout, d.vectors) AS m
), winners AS MATERIALIZED (
	SELECT l.layout, l.vectors, w.n, w.winner, w.actions
	FROM layouts AS l
	CROSS JOIN LATERAL deltacc.simulated_winners(l.layout, l.vectors) AS w
)
SELECT l.layout, c.condition, w.winner, i.isolation, r.row_level, s.*
FROM layouts AS l
JOIN winners AS w ON w.layout = l.layout AND w.vectors = l.vectors
CROSS JOIN (VALUES
	(1, 's.id = t.id'::deltacc.predicate),
	(2, 's.id = t.id AND s.event_date = t.event_date'),
	(3, 's.id = t.id AND t.event_date = DATE ''2026-08-12'''),
	(4, 's.id = t.id AND t.country = ''DE'''),
	(5, 's.id = t.id AND t.event_date = DATE ''2026-08-12'' AND t.country = ''DE''')) AS c(n, condition)
CROSS JOIN (VALUES (1, 'Serializable'), (2, 'WriteSerializable')) AS i(n, isolation)
JOIN (VALUES (1, 'off', false), (2, 'on', true), (3, 'databricks', true)) AS r(n, row_level, vectors) ON r.vectors = l.vectors
CROSS JOIN LATERAL deltacc.simulated_verdict(l.snapshot, c.condition, w.actions, l.writes, i.isolation, r.row_level) AS s
ORDER BY l.n, c.n, w.n, i.n, r.n;
-- It holds no data.
GRANT SELECT ON deltacc.simulations TO PUBLIC;
COMMENT ON VIEW deltacc.simulations IS
'simulate() over five layouts, five conditions, eight winners, both isolation levels and the settings of deltacc.row_level: every cell is computed';
