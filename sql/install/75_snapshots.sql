-- ----- Kept states: where a log begins, and milestones on the way -----

CREATE TABLE deltacc.snapshots (
	table_id bigint NOT NULL REFERENCES deltacc.tables ON DELETE CASCADE,
	version bigint NOT NULL CHECK (version >= 0),
	is_base boolean NOT NULL DEFAULT false,
	state deltacc.actions NOT NULL,
	added_paths bytea,
	added_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (table_id, version)
);
ALTER TABLE deltacc.snapshots ALTER COLUMN state SET STORAGE EXTERNAL;
ALTER TABLE deltacc.snapshots ALTER COLUMN added_paths SET STORAGE EXTERNAL;
CREATE INDEX snapshots_base ON deltacc.snapshots (table_id, version) WHERE is_base;
COMMENT ON TABLE deltacc.snapshots IS
'states of tables at some versions: so that a check folds the newest commits only, and a log can begin after version 0';
COMMENT ON COLUMN deltacc.snapshots.version IS 'the state is the one after this commit';
COMMENT ON COLUMN deltacc.snapshots.is_base IS
'true: the log begins here, earlier commits are not needed (forgotten, or never seen). false: computed from the commits, at will to be dropped';
COMMENT ON COLUMN deltacc.snapshots.state IS
'what table_state() gives; of a base what reconcile() gives, where its files are known';
COMMENT ON COLUMN deltacc.snapshots.added_paths IS
'path_index() over the commits since the state before: which of them may have added a file';
COMMENT ON COLUMN deltacc.snapshots.added_at IS 'when the row was entered';

-- Which versions there are is no secret, and who may insert a commit has to find
-- out whether one of them is out of date.
GRANT SELECT (table_id, version, is_base) ON deltacc.snapshots TO PUBLIC;

SELECT pg_catalog.pg_extension_config_dump('deltacc.snapshots', '');

ALTER TABLE deltacc.tables ADD COLUMN snapshot_interval int NOT NULL DEFAULT 100 CHECK (snapshot_interval > 0);
COMMENT ON COLUMN deltacc.tables.snapshot_interval IS
'a state is kept in deltacc.snapshots every so many versions';


-- Who takes in, forgets or changes commits of a table does so alone, till the end
-- of the transaction; readers and inserts of clients don't wait.  An advisory lock
-- asks for no right to the table.
CREATE FUNCTION deltacc.lock_log(table_id bigint) RETURNS void
LANGUAGE sql VOLATILE PARALLEL UNSAFE
BEGIN ATOMIC
	SELECT pg_catalog.pg_advisory_xact_lock(pg_catalog.hashtextextended('deltacc.tables', $1));
END;
COMMENT ON FUNCTION deltacc.lock_log(bigint) IS
'waits for other sessions that ingest, refresh or forget commits of this table, and keeps them waiting till the end of the transaction';

-- A state that was computed from a commit which has changed since must go.
CREATE FUNCTION deltacc.drop_stale_snapshots() RETURNS trigger
LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	changes text := CASE TG_OP
		WHEN 'UPDATE' THEN 'SELECT table_id, version FROM changed UNION ALL SELECT table_id, version FROM changed_to'
		ELSE 'SELECT table_id, version FROM changed' END;
	target bigint;
	stale record;
BEGIN
	IF TG_OP = 'TRUNCATE' THEN
		DELETE FROM deltacc.snapshots WHERE NOT is_base;
		RETURN NULL;
	END IF;
	-- Another session may be folding the commits as they were.  A new commit is in
	-- no state: without it there was a gap.
	IF TG_OP <> 'INSERT' THEN
		FOR target IN EXECUTE format('SELECT DISTINCT c.table_id FROM (%s) AS c ORDER BY 1', changes) LOOP
			PERFORM deltacc.lock_log(target);
		END LOOP;
	END IF;
	-- What lies at or before the beginning of the log takes no part in it.
	FOR stale IN EXECUTE format('
		SELECT s.table_id, min(s.version) AS version
		FROM (%s) AS c
		JOIN deltacc.snapshots AS s ON s.table_id = c.table_id AND s.version >= c.version AND NOT s.is_base
		WHERE NOT EXISTS (SELECT FROM deltacc.snapshots AS b WHERE b.table_id = c.table_id AND b.is_base AND b.version >= c.version)
		GROUP BY s.table_id', changes)
	LOOP
		DELETE FROM deltacc.snapshots AS s
			WHERE s.table_id = stale.table_id AND s.version >= stale.version AND NOT s.is_base;
	END LOOP;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION deltacc.drop_stale_snapshots() IS
'trigger on deltacc.commits: drops the kept states that a change makes wrong';

CREATE TRIGGER drop_stale_snapshots_insert AFTER INSERT ON deltacc.commits
	REFERENCING NEW TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION deltacc.drop_stale_snapshots();
CREATE TRIGGER drop_stale_snapshots_update AFTER UPDATE ON deltacc.commits
	REFERENCING OLD TABLE AS changed NEW TABLE AS changed_to
	FOR EACH STATEMENT EXECUTE FUNCTION deltacc.drop_stale_snapshots();
CREATE TRIGGER drop_stale_snapshots_delete AFTER DELETE ON deltacc.commits
	REFERENCING OLD TABLE AS changed
	FOR EACH STATEMENT EXECUTE FUNCTION deltacc.drop_stale_snapshots();
CREATE TRIGGER drop_stale_snapshots_truncate AFTER TRUNCATE ON deltacc.commits
	FOR EACH STATEMENT EXECUTE FUNCTION deltacc.drop_stale_snapshots();


-- The names are resolved when these functions are made, so that they can be
-- inlined, and need no search_path of their own.
CREATE FUNCTION deltacc.log_base(table_id bigint, version bigint) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 10
BEGIN ATOMIC
	SELECT max(s.version) FROM deltacc.snapshots AS s
	WHERE s.table_id = $1 AND s.is_base AND ($2 IS NULL OR s.version <= $2);
END;
COMMENT ON FUNCTION deltacc.log_base(bigint, bigint) IS
'part of deltacc.table_log(): the version whose state a log begins with, as seen from a version (NULL: the newest); null if it begins with version 0';

-- What it begins with is looked up once, not for each commit.
CREATE FUNCTION deltacc.table_log(table_name text, version bigint DEFAULT NULL)
RETURNS TABLE (version bigint, actions deltacc.actions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000
BEGIN ATOMIC
	SELECT s.version, s.state
	FROM deltacc.tables AS t
	CROSS JOIN LATERAL (SELECT deltacc.log_base(t.table_id, $2) AS version OFFSET bigint '0') AS base
	JOIN deltacc.snapshots AS s ON s.table_id = t.table_id AND s.version = base.version
	WHERE t.name = $1
	UNION ALL
	SELECT c.version, c.actions
	FROM deltacc.tables AS t
	CROSS JOIN LATERAL (SELECT coalesce(deltacc.log_base(t.table_id, $2), -1) AS version OFFSET bigint '0') AS base
	JOIN deltacc.commits AS c ON c.table_id = t.table_id AND c.version > base.version
	WHERE t.name = $1 AND ($2 IS NULL OR c.version <= $2);
END;
COMMENT ON FUNCTION deltacc.table_log(text, bigint) IS
'what table_state() and reconcile() fold for a version (NULL: the newest) of an ingested table: the state that its log begins with, if it begins with one, and the commits after it';

-- A subquery, not a join: whatever is guessed of the number of rows, each takes one
-- look into an index.
CREATE FUNCTION deltacc.state_log(table_id bigint, after_version bigint, to_version bigint)
RETURNS TABLE (version bigint, actions deltacc.actions)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 100
BEGIN ATOMIC
	SELECT c.version, coalesce((
			SELECT s.actions FROM deltacc.commits AS s
			WHERE s.table_id = c.table_id AND s.version = c.version AND deltacc.changes_state(s.actions)), '')
	FROM deltacc.commits AS c
	WHERE c.table_id = $1 AND c.version > $2 AND ($3 IS NULL OR c.version <= $3);
END;
COMMENT ON FUNCTION deltacc.state_log(bigint, bigint, bigint) IS
'what table_state() has to fold of the commits after a version, up to another one (NULL: the newest): those that change no state are empty here, and not read';

CREATE FUNCTION deltacc.state_at(table_name text, version bigint DEFAULT NULL) RETURNS deltacc.actions
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	target bigint;
	kept bigint;
	result deltacc.actions;
	newest bigint;
BEGIN
	PERFORM deltacc.is_ingested(state_at.table_name);
	SELECT t.table_id INTO target FROM deltacc.tables AS t WHERE t.name = state_at.table_name;
	SELECT max(s.version) INTO kept
		FROM deltacc.snapshots AS s
		WHERE s.table_id = target AND (state_at.version IS NULL OR s.version <= state_at.version);
	SELECT deltacc.table_state(l.version, l.actions), max(l.version) INTO result, newest
		FROM (
			SELECT s.version, s.state FROM deltacc.snapshots AS s WHERE s.table_id = target AND s.version = kept
			UNION ALL
			SELECT c.version, c.actions FROM deltacc.state_log(target, coalesce(kept, -1), state_at.version) AS c
		) AS l(version, actions);
	IF newest IS NULL OR newest <> state_at.version THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = CASE WHEN state_at.version IS NULL THEN format('no version of table "%s" is held', state_at.table_name)
				ELSE format('version %s of table "%s" is not held', state_at.version, state_at.table_name) END;
	END IF;
	RETURN result;
END
$$;
COMMENT ON FUNCTION deltacc.state_at(text, bigint) IS
'the state of an ingested table at a version (NULL: the newest), without its files: the snapshot that the check functions take';


-- ----- Upkeep -----

CREATE FUNCTION deltacc.path_index_transition(internal, bigint, deltacc.actions) RETURNS internal
AS 'MODULE_PATHNAME', 'deltacc_path_index_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION deltacc.path_index_transition(internal, bigint, deltacc.actions) IS
'part of the aggregate deltacc.path_index';

CREATE FUNCTION deltacc.path_index_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'deltacc_path_index_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.path_index_final(internal) IS
'part of the aggregate deltacc.path_index';

CREATE AGGREGATE deltacc.path_index(version bigint, actions deltacc.actions) (
	SFUNC = deltacc.path_index_transition,
	STYPE = internal,
	SSPACE = 131072,
	FINALFUNC = deltacc.path_index_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE deltacc.path_index(bigint, deltacc.actions) IS
'part of deltacc.keep_snapshots(): hashes of the paths that a run of commits adds, and of which commit each is';

CREATE FUNCTION deltacc.keep_snapshots(table_name text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	target deltacc.tables;
	kept bigint;
	newest bigint;
	milestone bigint;
	result deltacc.actions;
	paths bytea;
	added bigint := 0;
BEGIN
	PERFORM deltacc.is_ingested(keep_snapshots.table_name);
	SELECT t.* INTO target FROM deltacc.tables AS t WHERE t.name = keep_snapshots.table_name;
	PERFORM deltacc.lock_log(target.table_id);
	SELECT max(c.version) INTO newest FROM deltacc.commits AS c WHERE c.table_id = target.table_id;
	SELECT max(s.version) INTO kept FROM deltacc.snapshots AS s WHERE s.table_id = target.table_id;
	-- A log whose beginning is missing has no state that could be relied on.
	IF kept IS NULL AND NOT EXISTS (
		SELECT FROM deltacc.commits AS c WHERE c.table_id = target.table_id AND c.version = 0) THEN
		RETURN 0;
	END IF;
	milestone := (coalesce(kept, -1) / target.snapshot_interval + 1) * target.snapshot_interval;
	WHILE milestone <= newest LOOP
		-- Nor has what comes after a gap.
		EXIT WHEN milestone - coalesce(kept, -1) > (
			SELECT count(*) FROM deltacc.commits AS c
			WHERE c.table_id = target.table_id AND c.version > coalesce(kept, -1) AND c.version <= milestone);
		SELECT deltacc.table_state(l.version, l.actions),
				deltacc.path_index(l.version, l.actions) FILTER (WHERE l.version > coalesce(kept, -1))
			INTO result, paths
			FROM (
				SELECT s.version, s.state FROM deltacc.snapshots AS s WHERE s.table_id = target.table_id AND s.version = kept
				UNION ALL
				SELECT c.version, c.actions FROM deltacc.commits AS c
				WHERE c.table_id = target.table_id AND c.version > coalesce(kept, -1) AND c.version <= milestone
			) AS l(version, actions);
		INSERT INTO deltacc.snapshots (table_id, version, state, added_paths)
			VALUES (target.table_id, milestone, result, paths);
		added := added + 1;
		kept := milestone;
		milestone := milestone + target.snapshot_interval;
	END LOOP;
	RETURN added;
END
$$;
COMMENT ON FUNCTION deltacc.keep_snapshots(text) IS
'computes the states that deltacc.snapshots should hold for a table and doesn''t; returns their number';

CREATE FUNCTION deltacc.refresh(table_name text) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	target deltacc.tables;
	directory text;
BEGIN
	PERFORM deltacc.is_ingested(refresh.table_name);
	SELECT t.* INTO target FROM deltacc.tables AS t WHERE t.name = refresh.table_name;
	directory := regexp_replace(target.location, '^file:/*(?=/)', '');
	IF directory IS NULL OR directory ~ '^[A-Za-z][A-Za-z0-9+.-]*:/' THEN
		RAISE NOTICE USING
			MESSAGE = format('table "%s" lies in no directory of this server: nothing was read', target.name),
			HINT = 'Insert its new commits into deltacc.commits, or give ingest() a directory with a copy of its log.';
		PERFORM deltacc.keep_snapshots(target.name);
		RETURN 0;
	END IF;
	RETURN deltacc.ingest(target.name, directory);
END
$$;
COMMENT ON FUNCTION deltacc.refresh(text) IS
'takes in the new versions of an ingested table from its own location; returns their number. Where commits are inserted by a client, it keeps the states up to date';

-- A state without files is one of an empty table only if it says so.
CREATE FUNCTION deltacc.knows_files(state deltacc.actions) RETURNS boolean
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT EXISTS (SELECT FROM deltacc.file_actions($1) AS f WHERE f.action = 'add')
		OR $1::text ~ '^\{"tableState":\{"version":[0-9]+,"numFiles":0\}\}';
END;
COMMENT ON FUNCTION deltacc.knows_files(deltacc.actions) IS
'does a state hold the live files, be it none?';

CREATE FUNCTION deltacc.vector_ids(actions deltacc.actions) RETURNS SETOF text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 10
BEGIN ATOMIC
	SELECT concat(f.deletion_vector ->> 'storageType', f.deletion_vector ->> 'pathOrInlineDv',
		'@' || (f.deletion_vector ->> 'offset')) COLLATE "C"
	FROM deltacc.file_actions($1) AS f
	WHERE f.deletion_vector ->> 'storageType' <> 'i';
END;
COMMENT ON FUNCTION deltacc.vector_ids(deltacc.actions) IS
'the deletion vectors that actions refer to, but for those that they hold, as deltacc.deletion_vectors.id has them';

CREATE FUNCTION deltacc.forget(table_name text, before_version bigint) RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	target bigint;
	base bigint := forget.before_version - 1;
	old_base bigint;
	newest bigint;
	with_files boolean;
	result deltacc.actions;
	forgotten bigint;
BEGIN
	IF forget.table_name IS NULL OR forget.before_version IS NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'null_value_not_allowed',
			MESSAGE = format('%s must not be NULL',
				CASE WHEN forget.table_name IS NULL THEN 'table_name' ELSE 'before_version' END);
	END IF;
	PERFORM deltacc.is_ingested(forget.table_name);
	SELECT t.table_id INTO target FROM deltacc.tables AS t WHERE t.name = forget.table_name;
	PERFORM deltacc.lock_log(target);
	SELECT max(c.version) INTO newest FROM deltacc.commits AS c WHERE c.table_id = target;
	IF newest IS NULL OR base > newest THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('before_version %s is past the log of "%s"', forget.before_version, forget.table_name),
			DETAIL = CASE WHEN newest IS NULL THEN 'No commit of it is held.'
				ELSE format('Its newest version is %s.', newest) END;
	END IF;
	SELECT max(s.version) INTO old_base
		FROM deltacc.snapshots AS s WHERE s.table_id = target AND s.is_base AND s.version <= base;
	IF NOT EXISTS (SELECT FROM deltacc.commits AS c WHERE c.table_id = target AND c.version <= base) THEN
		RETURN 0;
	END IF;

	-- The state at the last version that goes: with its files, where the log
	-- still knows them.
	IF base > coalesce(old_base, -1) THEN
		with_files := CASE WHEN old_base IS NULL
			THEN EXISTS (SELECT FROM deltacc.commits AS c WHERE c.table_id = target AND c.version = 0)
			ELSE (SELECT deltacc.knows_files(s.state) FROM deltacc.snapshots AS s WHERE s.table_id = target AND s.version = old_base) END;
		IF with_files THEN
			SELECT deltacc.reconcile(l.version, l.actions) INTO result FROM deltacc.table_log(forget.table_name, base) AS l;
		ELSE
			SELECT deltacc.table_state(l.version, l.actions) INTO result FROM deltacc.table_log(forget.table_name, base) AS l;
		END IF;
		INSERT INTO deltacc.snapshots AS s (table_id, version, is_base, state) VALUES (target, base, true, result)
			ON CONFLICT (table_id, version) DO UPDATE SET is_base = true, state = excluded.state, added_at = now();
	END IF;
	DELETE FROM deltacc.snapshots AS s WHERE s.table_id = target AND s.version < base;

	-- The bytes of vectors that only these commits refer to, as far as the caller may.
	IF has_table_privilege('deltacc.deletion_vectors', 'SELECT') AND has_table_privilege('deltacc.deletion_vectors', 'DELETE')
		AND EXISTS (SELECT FROM deltacc.deletion_vectors AS v WHERE v.table_id = target)
		AND (SELECT deltacc.knows_files(s.state) FROM deltacc.snapshots AS s WHERE s.table_id = target AND s.version = base)
	THEN
		DELETE FROM deltacc.deletion_vectors AS v
			WHERE v.table_id = target AND v.id IN (
				SELECT i FROM deltacc.commits AS c CROSS JOIN LATERAL deltacc.vector_ids(c.actions) AS i
				WHERE c.table_id = target AND c.version <= base
				EXCEPT
				SELECT i FROM deltacc.table_log(forget.table_name) AS l CROSS JOIN LATERAL deltacc.vector_ids(l.actions) AS i);
	END IF;
	DELETE FROM deltacc.commits AS c WHERE c.table_id = target AND c.version <= base;
	GET DIAGNOSTICS forgotten = ROW_COUNT;
	RETURN forgotten;
END
$$;
COMMENT ON FUNCTION deltacc.forget(text, bigint) IS
'folds the commits before a version into one state, with which the log then begins, and deletes them; returns their number';

CREATE FUNCTION deltacc.set_base(table_name text, version bigint, state deltacc.actions) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
#variable_conflict use_column
DECLARE
	target bigint;
	first_held bigint;
	marked deltacc.actions;
	result deltacc.actions;
BEGIN
	IF set_base.table_name IS NULL OR set_base.version IS NULL OR set_base.state IS NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'null_value_not_allowed',
			MESSAGE = format('%s must not be NULL', CASE WHEN set_base.table_name IS NULL THEN 'table_name'
				WHEN set_base.version IS NULL THEN 'version' ELSE 'state' END);
	END IF;
	IF deltacc.protocol(set_base.state) IS NULL OR deltacc.metadata(set_base.state) IS NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('the state of "%s" at version %s has no %s', set_base.table_name, set_base.version,
				CASE WHEN deltacc.protocol(set_base.state) IS NULL THEN 'protocol' ELSE 'metaData' END),
			HINT = 'Give all actions of the checkpoint, one JSON object a line.';
	END IF;
	INSERT INTO deltacc.tables (name) VALUES (set_base.table_name) ON CONFLICT (name) DO NOTHING;
	SELECT t.table_id INTO STRICT target FROM deltacc.tables AS t WHERE t.name = set_base.table_name;
	PERFORM deltacc.lock_log(target);
	SELECT min(c.version) INTO first_held FROM deltacc.commits AS c WHERE c.table_id = target;
	IF first_held = 0 OR first_held > set_base.version + 1 THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('the log of "%s" can''t begin with version %s', set_base.table_name, set_base.version),
			DETAIL = CASE WHEN first_held = 0 THEN 'It is held from version 0 on, and needs no other beginning.'
				ELSE format('The first commit that is held is version %s: those between are missing.', first_held) END;
	END IF;

	-- The removes of a checkpoint are of files that are gone already.
	marked := CASE WHEN set_base.state::text ~ '^\{"tableState":' THEN set_base.state
		ELSE (format('{"tableState":{"version":%s}}', set_base.version) || E'\n' || set_base.state::text)::deltacc.actions END;
	IF deltacc.knows_files(marked) THEN
		result := (SELECT deltacc.reconcile(set_base.version, marked));
	ELSE
		result := (SELECT deltacc.table_state(set_base.version, marked));
	END IF;
	-- Who may only insert can do so where there is nothing to delete.
	IF EXISTS (SELECT FROM deltacc.snapshots AS s WHERE s.table_id = target) THEN
		DELETE FROM deltacc.snapshots AS s WHERE s.table_id = target AND (NOT s.is_base OR s.version = set_base.version);
	END IF;
	INSERT INTO deltacc.snapshots (table_id, version, is_base, state) VALUES (target, set_base.version, true, result);
END
$$;
COMMENT ON FUNCTION deltacc.set_base(text, bigint, deltacc.actions) IS
'lets the log of a table begin with a version after 0: the actions of a checkpoint of that version, as JSON';

CREATE FUNCTION deltacc.checksum_state(checksum json, version bigint) RETURNS text
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
BEGIN ATOMIC
	SELECT concat_ws(E'\n',
		format('{"tableState":{"version":%s%s}}', $2,
			CASE WHEN $1 ->> 'numFiles' = '0' THEN ',"numFiles":0' ELSE '' END),
		'{"protocol":' || nullif(($1 -> 'protocol')::text, 'null') || '}',
		'{"metaData":' || nullif(($1 -> 'metadata')::text, 'null') || '}',
		(SELECT string_agg('{"txn":' || x.v::text || '}', E'\n' ORDER BY x.n) FROM json_array_elements(
			CASE WHEN json_typeof($1 -> 'setTransactions') = 'array' THEN $1 -> 'setTransactions' ELSE '[]' END) WITH ORDINALITY AS x(v, n)),
		(SELECT string_agg('{"domainMetadata":' || x.v::text || '}', E'\n' ORDER BY x.n) FROM json_array_elements(
			CASE WHEN json_typeof($1 -> 'domainMetadata') = 'array' THEN $1 -> 'domainMetadata' ELSE '[]' END) WITH ORDINALITY AS x(v, n)),
		-- Only where it is all of them.
		(SELECT string_agg('{"add":' || x.v::text || '}', E'\n' ORDER BY x.n) FROM json_array_elements(
			CASE WHEN json_typeof($1 -> 'allFiles') = 'array' THEN $1 -> 'allFiles' ELSE '[]' END) WITH ORDINALITY AS x(v, n)
		HAVING count(*)::text = $1 ->> 'numFiles'));
END;
COMMENT ON FUNCTION deltacc.checksum_state(json, bigint) IS
'the actions of a state that a .crc file of a Delta log describes; its files only if they are all there';
