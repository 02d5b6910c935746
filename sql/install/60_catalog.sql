-- The catalog: logs that were ingested, and what can be read off them.

CREATE FUNCTION deltacc.commit_timestamp(actions deltacc.actions) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'deltacc_commit_timestamp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.commit_timestamp(deltacc.actions) IS
'when a commit was made: its in-commit timestamp, else the writer''s clock; null if it has neither';

CREATE TABLE deltacc.tables (
	table_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text NOT NULL UNIQUE,
	location text,
	added_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE deltacc.tables IS 'Delta tables whose logs are held here';
COMMENT ON COLUMN deltacc.tables.name IS 'what functions and views call the table';
COMMENT ON COLUMN deltacc.tables.location IS
'the directory that holds _delta_log, as a path or URI; NULL: unknown. Absolute paths in the log that lie below it are the same as relative ones';
COMMENT ON COLUMN deltacc.tables.added_at IS 'when the row was entered';

CREATE TABLE deltacc.commits (
	table_id bigint NOT NULL REFERENCES deltacc.tables ON DELETE CASCADE,
	version bigint NOT NULL CHECK (version >= 0),
	actions deltacc.actions NOT NULL,
	added_at timestamptz NOT NULL DEFAULT now(),
	committed_at timestamptz GENERATED ALWAYS AS (deltacc.commit_timestamp(actions)) STORED,
	PRIMARY KEY (table_id, version)
);
-- Slices of a value are read on their own, which compression would prevent.
ALTER TABLE deltacc.commits ALTER COLUMN actions SET STORAGE EXTERNAL;
COMMENT ON TABLE deltacc.commits IS 'one row per commit of a table: the content of _delta_log/N.json';
COMMENT ON COLUMN deltacc.commits.version IS 'N of _delta_log/N.json';
COMMENT ON COLUMN deltacc.commits.actions IS 'the content of the file, unchanged';
COMMENT ON COLUMN deltacc.commits.added_at IS 'when the row was entered';
COMMENT ON COLUMN deltacc.commits.committed_at IS 'when the commit was made: see deltacc.commit_timestamp()';
-- The rows are small, what they stand for is not: a scan over a table's history
-- is worth several processes long before the heap is large.
ALTER TABLE deltacc.commits SET (parallel_workers = 4);
-- Most commits add and remove files only.
CREATE INDEX commits_changing_state ON deltacc.commits (table_id, version) WHERE deltacc.changes_state(actions);
COMMENT ON INDEX deltacc.commits_changing_state IS 'the commits that a state without files is made of: see deltacc.state_log()';

SELECT pg_catalog.pg_extension_config_dump('deltacc.tables', '');
SELECT pg_catalog.pg_extension_config_dump('deltacc.tables_table_id_seq', '');
SELECT pg_catalog.pg_extension_config_dump('deltacc.commits', '');

-- A name that was mistyped must not read as a table without commits.
CREATE FUNCTION deltacc.is_ingested(table_name text) RETURNS boolean
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
	IF is_ingested.table_name IS NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'null_value_not_allowed', MESSAGE = 'table_name must not be NULL';
	ELSIF NOT EXISTS (SELECT FROM deltacc.tables AS t WHERE t.name = is_ingested.table_name) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'undefined_object',
			MESSAGE = format('table "%s" is not in deltacc.tables', is_ingested.table_name),
			HINT = 'deltacc.ingest() enters a table and its commits.';
	END IF;
	RETURN true;
END
$$;
COMMENT ON FUNCTION deltacc.is_ingested(text) IS 'true, or an ERROR where there is no table of that name';

-- DESCRIBE HISTORY of every table.  A commitInfo is free JSON: what is not of
-- the expected type is NULL here, never an ERROR, since one odd commit must not
-- hide the others.  OFFSET bigint '0' keeps commit_info at one call for each row;
-- an int would have to be converted, and until then the planner takes it for a
-- limit, below which nothing runs in parallel.
CREATE VIEW deltacc.history WITH (security_invoker = true) AS
SELECT
	t.name AS table_name,
	c.version,
	c.committed_at AS "timestamp",
	i.info ->> 'userId' AS user_id,
	i.info ->> 'userName' AS user_name,
	i.info ->> 'operation' AS operation,
	nullif(i.info -> 'operationParameters', 'null') AS operation_parameters,
	nullif(i.info -> 'job', 'null') AS job,
	nullif(i.info -> 'notebook', 'null') AS notebook,
	i.info ->> 'clusterId' AS cluster_id,
	i.read_version,
	i.info ->> 'isolationLevel' AS isolation_level,
	CASE WHEN jsonb_typeof(i.info -> 'isBlindAppend') = 'boolean'
		THEN (i.info -> 'isBlindAppend')::boolean END AS is_blind_append,
	nullif(i.info -> 'operationMetrics', 'null') AS operation_metrics,
	i.info ->> 'userMetadata' AS user_metadata,
	i.info ->> 'engineInfo' AS engine_info,
	i.info ->> 'txnId' AS txn_id
FROM deltacc.commits AS c
JOIN deltacc.tables AS t USING (table_id)
CROSS JOIN LATERAL (
	SELECT
		j.info,
		CASE WHEN j.info ->> 'readVersion' ~ '^-?[0-9]{1,18}(\.0*)?$'
			THEN (j.info ->> 'readVersion')::numeric::bigint END AS read_version
	FROM (SELECT deltacc.commit_info(c.actions) AS info OFFSET bigint '0') AS j
	OFFSET bigint '0'
) AS i;
COMMENT ON VIEW deltacc.history IS
'the columns of DESCRIBE HISTORY for every table: one row per commit, also for one without commitInfo';

-- Reading the files is SQL, with the caller's own rights: pg_ls_dir and
-- pg_read_file check them.  The pieces of deltacc.ingest() come first.

CREATE FUNCTION deltacc.find_log(log_directory text, OUT directory text, OUT location text, OUT names text[])
LANGUAGE plpgsql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
BEGIN
	directory := regexp_replace(log_directory, '(.)/+$', '\1');
	IF directory = '' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = 'log_directory is empty',
			HINT = 'Give the directory _delta_log, or the one that holds it.';
	END IF;
	IF directory ~ '\.(json|parquet|crc)$' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format(CASE
				WHEN directory ~ '\.compacted\.json$' THEN '"%s" is a compacted log file, not a log directory'
				WHEN directory ~ '\.checkpoint\.[^/]*$' THEN '"%s" is a checkpoint, not a log directory'
				ELSE '"%s" is a file, not a log directory' END, directory),
			HINT = 'Give the directory _delta_log, or the one that holds it.';
	END IF;
	names := ARRAY(SELECT pg_ls_dir(directory));
	IF directory ~ '(^|/)_delta_log$' THEN
		location := coalesce(nullif(regexp_replace(directory, '/*_delta_log$', ''), ''),
			CASE WHEN directory ~ '^/' THEN '/' ELSE '.' END);
	ELSIF '_delta_log' = ANY (names) THEN
		location := directory;
		directory := CASE WHEN directory = '/' THEN '' ELSE directory END || '/_delta_log';
		names := ARRAY(SELECT pg_ls_dir(directory));
	END IF;
END
$$;
COMMENT ON FUNCTION deltacc.find_log(text) IS
'part of deltacc.ingest(): where the log is, and with it the table, and the names of its files';

-- A log is UTF-8, whatever the database is; a byte order mark has no equivalent
-- in other encodings.
CREATE FUNCTION deltacc.read_log_file(file text) RETURNS text
LANGUAGE sql VOLATILE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
	SELECT CASE WHEN getdatabaseencoding() = 'UTF8' THEN pg_read_file($1)
		ELSE (
			SELECT convert_from(substring(f.bytes FROM CASE WHEN substring(f.bytes FROM 1 FOR 3) = '\xefbbbf' THEN 4 ELSE 1 END), 'UTF8')
			FROM (SELECT pg_read_binary_file($1) OFFSET bigint '0') AS f(bytes)) END
$$;
COMMENT ON FUNCTION deltacc.read_log_file(text) IS
'part of deltacc.ingest(): the text of a file of a log';

CREATE FUNCTION deltacc.read_commit(file text) RETURNS deltacc.actions
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	content text;
	result deltacc.actions;
	error_detail text;
	error_hint text;
BEGIN
	BEGIN
		content := deltacc.read_log_file(file);
		result := content::deltacc.actions;
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS error_detail = PG_EXCEPTION_DETAIL, error_hint = PG_EXCEPTION_HINT;
		RAISE EXCEPTION USING
			ERRCODE = SQLSTATE,
			MESSAGE = format('commit file "%s" can''t be ingested: %s', file, SQLERRM),
			DETAIL = concat_ws(' ', nullif(error_detail, ''), 'No commit was added.'),
			HINT = coalesce(nullif(error_hint, ''), 'Bring the file back as its writer left it.');
	END;
	-- Every action is an object.
	IF strpos(content, '{') = 0 THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('commit file "%s" holds no action', file),
			DETAIL = 'No writer leaves such a commit; the file was cut off while it was written or copied. No commit was added.',
			HINT = 'Bring the file back as its writer left it.';
	END IF;
	RETURN result;
END
$$;
COMMENT ON FUNCTION deltacc.read_commit(text) IS
'part of deltacc.ingest(): the commit in a file';

-- A compacted file says nothing of itself; but it has no commitInfo, and it holds
-- the actions of the commits beside it a second time.
CREATE FUNCTION deltacc.refuse_compacted(table_id bigint, version bigint, actions deltacc.actions, directory text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
	previous deltacc.actions;
	repeated text;
BEGIN
	SELECT c.actions INTO previous
		FROM deltacc.commits AS c
		WHERE c.table_id = refuse_compacted.table_id AND c.version = refuse_compacted.version - 1
			AND (deltacc.commit_info(refuse_compacted.actions) IS NULL OR deltacc.commit_info(c.actions) IS NULL);
	IF previous IS NULL THEN
		RETURN;
	END IF;
	SELECT format('the file %s', o.path) INTO repeated FROM (
		SELECT f.path, f.deletion_vector, f.modification_time
			FROM deltacc.file_actions(refuse_compacted.actions) AS f WHERE f.action = 'add'
		INTERSECT
		SELECT f.path, f.deletion_vector, f.modification_time
			FROM deltacc.file_actions(previous) AS f WHERE f.action = 'add'
	) AS o ORDER BY o.path COLLATE "C" LIMIT 1;
	IF repeated IS NULL AND deltacc.metadata(actions) = deltacc.metadata(previous)
		AND deltacc.protocol(actions) = deltacc.protocol(previous) THEN
		repeated := 'the same protocol and metaData';
	END IF;
	IF repeated IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('file "%s/%s.json" is a compacted log file, not a commit', directory,
				lpad((version - CASE WHEN deltacc.commit_info(actions) IS NULL THEN 0 ELSE 1 END)::text, 20, '0')),
			DETAIL = format('It has no commitInfo, and versions %s and %s both hold %s. No commit was added.',
				version - 1, version, repeated),
			HINT = 'Bring the commit itself back; if this is it, enter its content into deltacc.commits.';
	END IF;
END
$$;
COMMENT ON FUNCTION deltacc.refuse_compacted(bigint, bigint, deltacc.actions, text) IS
'part of deltacc.ingest(): an ERROR if a commit or the one before it is a compacted log file';

-- A hole may hide a conflict.  A missing beginning can't: such versions are simply
-- not held.
CREATE FUNCTION deltacc.refuse_hole(table_name text, table_id bigint, base bigint, versions bigint[], directory text) RETURNS void
LANGUAGE plpgsql STABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	hole record;
BEGIN
	SELECT v.version + 1 AS missing, v.next_version INTO hole
		FROM (
			SELECT u.version, lead(u.version) OVER (ORDER BY u.version) AS next_version
			FROM (
				SELECT c.version FROM deltacc.commits AS c WHERE c.table_id = refuse_hole.table_id
				UNION
				SELECT unnest(versions)
				UNION
				SELECT base WHERE base IS NOT NULL
			) AS u(version)
		) AS v
		WHERE v.next_version <> v.version + 1
		ORDER BY v.version
		LIMIT 1;
	IF hole.missing IS NOT NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('version %s of table "%s" is missing', hole.missing, table_name),
			DETAIL = format('Neither "%s/%s.json" nor a row in deltacc.commits is there, but version %s is.',
				directory, lpad(hole.missing::text, 20, '0'), hole.next_version),
			HINT = 'No commit was added. Bring the file back, or enter its content into deltacc.commits.';
	END IF;
END
$$;
COMMENT ON FUNCTION deltacc.refuse_hole(text, bigint, bigint, bigint[], text) IS
'part of deltacc.ingest(): an ERROR if a version between others is neither held nor new';

-- A log that begins later than at version 0 begins with the state that a
-- checksum file holds, if there is one.
CREATE FUNCTION deltacc.begin_with_checksum(table_name text, directory text, names text[], first_version bigint) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
DECLARE
	name text := (SELECT min(n COLLATE "C") FROM unnest(names) AS n
		WHERE n ~ '^[0-9]{20}\.crc$' AND left(n, 20)::bigint >= first_version - 1);
	state deltacc.actions;
	error_detail text;
	error_hint text;
BEGIN
	IF name IS NULL THEN
		RETURN;
	END IF;
	state := deltacc.checksum_state(deltacc.read_log_file(directory || '/' || name)::json, left(name, 20)::bigint)::deltacc.actions;
	-- One without a state is no help, but no harm.
	IF deltacc.protocol(state) IS NOT NULL AND deltacc.metadata(state) IS NOT NULL THEN
		PERFORM deltacc.set_base(table_name, left(name, 20)::bigint, state);
	END IF;
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS error_detail = PG_EXCEPTION_DETAIL, error_hint = PG_EXCEPTION_HINT;
	RAISE EXCEPTION USING
		ERRCODE = SQLSTATE,
		MESSAGE = format('checksum file "%s" can''t be read: %s', directory || '/' || name, SQLERRM),
		DETAIL = concat_ws(' ', nullif(error_detail, ''), 'No commit was added.'),
		HINT = 'Bring the file back as its writer left it, or move it out of the way.';
END
$$;
COMMENT ON FUNCTION deltacc.begin_with_checksum(text, text, text[], bigint) IS
'part of deltacc.ingest(): lets a log begin with the state in its first .crc file';

-- One call is one statement, so an ERROR undoes all.
CREATE FUNCTION deltacc.ingest(table_name text, log_directory text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
#variable_conflict use_column
DECLARE
	log record;
	stored_location text;
	id bigint;
	base bigint;
	versions bigint[];
	commit_version bigint;
	commit_actions deltacc.actions;
	first_held bigint;
	first_added bigint;
	added bigint := 0;
	added_now bigint;
BEGIN
	IF ingest.table_name IS NULL OR ingest.log_directory IS NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'null_value_not_allowed',
			MESSAGE = format('%s must not be NULL',
				CASE WHEN ingest.table_name IS NULL THEN 'table_name' ELSE 'log_directory' END);
	END IF;
	SELECT * INTO log FROM deltacc.find_log(ingest.log_directory);

	-- Checkpoints, compacted files, checksums and what is still being written
	-- have other names.
	versions := ARRAY(SELECT left(n, 20)::bigint FROM unnest(log.names) AS n WHERE n ~ '^[0-9]{20}\.json$');
	IF cardinality(versions) = 0 THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('"%s" holds no commit files', log.directory),
			DETAIL = format('None of its %s entries is called like 00000000000000000000.json.', cardinality(log.names)),
			HINT = 'Give the directory _delta_log, or the one that holds it.';
	END IF;

	INSERT INTO deltacc.tables (name, location) VALUES (ingest.table_name, log.location)
		ON CONFLICT (name) DO NOTHING;
	SELECT t.table_id, t.location INTO STRICT id, stored_location
		FROM deltacc.tables AS t WHERE t.name = ingest.table_name;
	-- A log may be read from a copy of a table that lies in an object store; but
	-- of two directories one is the wrong one.
	IF stored_location !~ '^(?!file:)[A-Za-z][A-Za-z0-9+.-]*:/'
		AND deltacc.canonical_path(stored_location) <> deltacc.canonical_path(log.location) THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('table "%s" is located at "%s", not at "%s"',
				ingest.table_name, stored_location, log.location),
			HINT = 'Give another table another name; or update deltacc.tables.location if this one has moved.';
	END IF;
	PERFORM deltacc.lock_log(id);

	-- What was forgotten stays so.
	base := deltacc.log_base(id, NULL);
	versions := ARRAY(SELECT v FROM unnest(versions) AS v WHERE base IS NULL OR v > base ORDER BY v);
	PERFORM deltacc.refuse_hole(ingest.table_name, id, base, versions, log.directory);
	FOREACH commit_version IN ARRAY versions LOOP
		CONTINUE WHEN EXISTS (
			SELECT FROM deltacc.commits AS c WHERE c.table_id = id AND c.version = commit_version);
		commit_actions := deltacc.read_commit(log.directory || '/' || lpad(commit_version::text, 20, '0') || '.json');
		PERFORM deltacc.refuse_compacted(id, commit_version, commit_actions, log.directory);
		INSERT INTO deltacc.commits (table_id, version, actions) VALUES (id, commit_version, commit_actions)
			ON CONFLICT (table_id, version) DO NOTHING;
		GET DIAGNOSTICS added_now = ROW_COUNT;
		added := added + added_now;
		IF added_now > 0 THEN
			first_added := least(first_added, commit_version);
		END IF;
	END LOOP;

	-- The states that go with it, and the bytes of deletion vectors, where they
	-- are at hand: as far as the caller may.
	first_held := (SELECT min(c.version) FROM deltacc.commits AS c WHERE c.table_id = id);
	IF base IS NULL AND first_held > 0 AND has_table_privilege('deltacc.snapshots', 'INSERT') THEN
		PERFORM deltacc.begin_with_checksum(ingest.table_name, log.directory, log.names, first_held);
	END IF;
	IF has_table_privilege('deltacc.snapshots', 'SELECT, INSERT') THEN
		PERFORM deltacc.keep_snapshots(ingest.table_name);
	END IF;
	IF first_added IS NOT NULL AND has_table_privilege('deltacc.deletion_vectors', 'SELECT')
		AND has_table_privilege('deltacc.deletion_vectors', 'INSERT') THEN
		PERFORM deltacc.keep_deletion_vectors(ingest.table_name, log.location, first_added);
	END IF;
	RETURN added;
END
$$;
COMMENT ON FUNCTION deltacc.ingest(text, text) IS
'adds the commits of a _delta_log that are not held yet; returns their number. Reads files of the server, with the caller''s rights';

CREATE FUNCTION deltacc.live_files(table_name text, version bigint DEFAULT NULL)
RETURNS TABLE (
	ordinal int,
	action text,
	path text,
	partition_values jsonb,
	size numeric,
	data_change boolean,
	modification_time numeric,
	deletion_timestamp numeric,
	stats jsonb,
	deletion_vector jsonb,
	base_row_id bigint,
	default_row_commit_version bigint,
	tags jsonb
)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 10000 COST 10000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
#variable_conflict use_column
DECLARE
	target deltacc.tables;
	base bigint;
	first_version bigint;
	last_version bigint;
	wanted bigint;
	other_actions int;
BEGIN
	PERFORM deltacc.is_ingested(live_files.table_name);
	SELECT t.* INTO target FROM deltacc.tables AS t WHERE t.name = live_files.table_name;
	SELECT min(l.version), max(l.version) INTO first_version, last_version
		FROM (
			SELECT c.version FROM deltacc.commits AS c WHERE c.table_id = target.table_id
			UNION ALL
			SELECT s.version FROM deltacc.snapshots AS s WHERE s.table_id = target.table_id AND s.is_base
		) AS l;
	wanted := coalesce(live_files.version, last_version);
	IF first_version IS NULL OR wanted NOT BETWEEN first_version AND last_version THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = CASE WHEN wanted IS NULL THEN format('no version of table "%s" is held', target.name)
				ELSE format('version %s of table "%s" is not held', wanted, target.name) END,
			DETAIL = CASE WHEN first_version IS NULL THEN 'There is no commit of it in deltacc.commits.'
				ELSE format('Versions %s to %s are.', first_version, last_version) END;
	END IF;
	base := (SELECT max(s.version) FROM deltacc.snapshots AS s
		WHERE s.table_id = target.table_id AND s.is_base AND s.version <= wanted);
	first_version := coalesce(base, first_version);

	-- What makes a list wrong is an ERROR of the aggregates: a hole, or a
	-- beginning that is neither version 0 nor a state with files.
	PERFORM deltacc.reconcile(l.version, l.actions)
		FROM deltacc.table_log(target.name, wanted) AS l
		WHERE l.version = first_version;
	SELECT regexp_count(deltacc.table_state(l.version, l.actions)::text, '\n') INTO other_actions
		FROM deltacc.table_log(target.name, wanted) AS l;

	-- The last word on each file, in the order in which reconcile() lists them.
	RETURN QUERY
		SELECT (other_actions + row_number() OVER (ORDER BY l.version, l.ordinal))::int,
			l.action, l.path, l.partition_values, l.size, l.data_change, l.modification_time,
			l.deletion_timestamp, l.stats, l.deletion_vector, l.base_row_id,
			l.default_row_commit_version, l.tags
		FROM (
			SELECT DISTINCT ON (k.path_key, k.dv_key) c.version, f.*
			FROM deltacc.table_log(target.name, wanted) AS c
			CROSS JOIN LATERAL deltacc.file_actions(c.actions) AS f
			CROSS JOIN LATERAL (
				SELECT deltacc.canonical_path(f.path, target.location) COLLATE "C" AS path_key,
					concat(f.deletion_vector ->> 'storageType', f.deletion_vector ->> 'pathOrInlineDv',
						'@' || (f.deletion_vector ->> 'offset')) COLLATE "C" AS dv_key
			) AS k
			WHERE f.action IN ('add', 'remove')
			ORDER BY k.path_key, k.dv_key, c.version DESC, f.ordinal DESC
		) AS l
		WHERE l.action = 'add'
		ORDER BY l.version, l.ordinal;
END
$$;
COMMENT ON FUNCTION deltacc.live_files(text, bigint) IS
'the files of a version of an ingested table (NULL: the newest), as rows of file_actions';
