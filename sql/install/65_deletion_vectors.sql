-- ----- Deletion vectors: which rows of a file are deleted -----

CREATE TABLE deltacc.deletion_vectors (
	table_id bigint NOT NULL REFERENCES deltacc.tables ON DELETE CASCADE,
	id text COLLATE "C" NOT NULL,
	bytes bytea NOT NULL,
	added_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (table_id, id)
);
COMMENT ON TABLE deltacc.deletion_vectors IS
'the bytes of deletion vectors that lie in files, kept so that a check needs no file';
COMMENT ON COLUMN deltacc.deletion_vectors.id IS
'the vector''s unique id: storageType, pathOrInlineDv, "@" and the offset';
COMMENT ON COLUMN deltacc.deletion_vectors.bytes IS
'as they stand in the file: size, data, checksum';
COMMENT ON COLUMN deltacc.deletion_vectors.added_at IS 'when the row was entered';

SELECT pg_catalog.pg_extension_config_dump('deltacc.deletion_vectors', '');


-- What C does: it takes a descriptor and bytes, and opens no file.

CREATE FUNCTION deltacc.dv_place(
	dv jsonb,
	table_location text DEFAULT NULL,
	OUT id text,
	OUT path text,
	OUT "position" bigint,
	OUT size bigint,
	OUT problem text)
AS 'MODULE_PATHNAME', 'deltacc_dv_place' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.dv_place(jsonb, text) IS
'a deletion vector''s unique id and where its bytes lie: file, position and number; no path for an inline vector, nor for one that is in no file of the server (problem says why)';

CREATE FUNCTION deltacc.dv_of(rows bigint[]) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_dv_of' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION deltacc.dv_of(bigint[]) IS
'an inline deletion vector of these rows, counted from 0';

CREATE FUNCTION deltacc.dv_rows_from(dv jsonb, bytes bytea) RETURNS SETOF bigint
AS 'MODULE_PATHNAME', 'deltacc_dv_rows_from' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100 ROWS 1000;
COMMENT ON FUNCTION deltacc.dv_rows_from(jsonb, bytea) IS
'dv_rows for bytes that the caller has: what stands in the file at the vector''s offset';

CREATE FUNCTION deltacc.dv_cardinality_from(dv jsonb, bytes bytea) RETURNS bigint
AS 'MODULE_PATHNAME', 'deltacc_dv_cardinality_from' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION deltacc.dv_cardinality_from(jsonb, bytea) IS 'dv_cardinality for bytes that the caller has';

CREATE FUNCTION deltacc.dv_union_from(a jsonb, a_bytes bytea, b jsonb, b_bytes bytea) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_dv_union_from' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION deltacc.dv_union_from(jsonb, bytea, jsonb, bytea) IS 'dv_union for bytes that the caller has';

CREATE FUNCTION deltacc.dv_minus_from(a jsonb, a_bytes bytea, b jsonb, b_bytes bytea) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_dv_minus_from' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION deltacc.dv_minus_from(jsonb, bytea, jsonb, bytea) IS 'dv_minus for bytes that the caller has';

CREATE FUNCTION deltacc.dv_overlap_from(a jsonb, a_bytes bytea, b jsonb, b_bytes bytea) RETURNS bigint
AS 'MODULE_PATHNAME', 'deltacc_dv_overlap_from' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200;
COMMENT ON FUNCTION deltacc.dv_overlap_from(jsonb, bytea, jsonb, bytea) IS 'dv_overlap for bytes that the caller has';


-- Reading is SQL, with the caller's own rights: pg_read_binary_file checks them.
-- The catalog's copy goes first.
CREATE FUNCTION deltacc.dv_bytes(dv jsonb, table_location text DEFAULT NULL) RETURNS bytea
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
DECLARE
	place record;
	result bytea;
BEGIN
	SELECT * INTO place FROM deltacc.dv_place(dv_bytes.dv, dv_bytes.table_location);
	-- Nothing to read for an inline vector, and for none.
	IF place.size IS NULL THEN
		RETURN NULL;
	END IF;
	IF dv_bytes.table_location IS NOT NULL
		AND has_table_privilege('deltacc.deletion_vectors', 'SELECT') AND has_table_privilege('deltacc.tables', 'SELECT') THEN
		SELECT v.bytes INTO result
			FROM deltacc.deletion_vectors AS v JOIN deltacc.tables AS t USING (table_id)
			WHERE v.id = place.id AND deltacc.canonical_path(t.location) = deltacc.canonical_path(dv_bytes.table_location)
			LIMIT 1;
		IF result IS NOT NULL THEN
			RETURN result;
		END IF;
	END IF;
	IF place.path IS NULL THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('deletion vector %s can''t be read: %s', place.id, place.problem),
			HINT = 'Give the directory of the table, as the server sees it, as table_location; or pass the bytes to the functions dv_..._from.';
	END IF;
	IF pg_read_binary_file(place.path, 0, 1) IS DISTINCT FROM '\x01' THEN
		RAISE EXCEPTION USING
			ERRCODE = 'invalid_parameter_value',
			MESSAGE = format('"%s" is no file of deletion vectors', place.path),
			DETAIL = 'It does not begin with the format version 1.';
	END IF;
	RETURN pg_read_binary_file(place.path, place.position, place.size);
END
$$;
COMMENT ON FUNCTION deltacc.dv_bytes(jsonb, text) IS
'the bytes of a deletion vector that lies in a file (size, data, checksum), from the catalog or the file, with the caller''s rights; null for an inline one';

CREATE FUNCTION deltacc.dv_rows(dv jsonb, table_location text DEFAULT NULL) RETURNS SETOF bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000 ROWS 1000
SET search_path = pg_catalog, pg_temp
AS $$ SELECT deltacc.dv_rows_from(dv, deltacc.dv_bytes(dv, table_location)) $$;
COMMENT ON FUNCTION deltacc.dv_rows(jsonb, text) IS
'the positions, from 0, of the rows that a deletion vector deletes, ascending; none for null';

CREATE FUNCTION deltacc.dv_cardinality(dv jsonb, table_location text DEFAULT NULL) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$ SELECT deltacc.dv_cardinality_from(dv, deltacc.dv_bytes(dv, table_location)) $$;
COMMENT ON FUNCTION deltacc.dv_cardinality(jsonb, text) IS
'how many rows a deletion vector deletes, counted in its bytes; 0 for null';

CREATE FUNCTION deltacc.dv_union(a jsonb, b jsonb, table_location text DEFAULT NULL) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 2000
SET search_path = pg_catalog, pg_temp
AS $$ SELECT deltacc.dv_union_from(a, deltacc.dv_bytes(a, table_location), b, deltacc.dv_bytes(b, table_location)) $$;
COMMENT ON FUNCTION deltacc.dv_union(jsonb, jsonb, text) IS
'the rows of either deletion vector, as an inline one';

CREATE FUNCTION deltacc.dv_minus(a jsonb, b jsonb, table_location text DEFAULT NULL) RETURNS jsonb
LANGUAGE sql STABLE PARALLEL SAFE COST 2000
SET search_path = pg_catalog, pg_temp
AS $$ SELECT deltacc.dv_minus_from(a, deltacc.dv_bytes(a, table_location), b, deltacc.dv_bytes(b, table_location)) $$;
COMMENT ON FUNCTION deltacc.dv_minus(jsonb, jsonb, text) IS
'the rows of a that are not in b, as an inline deletion vector';

CREATE FUNCTION deltacc.dv_overlap(a jsonb, b jsonb, table_location text DEFAULT NULL) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 2000
SET search_path = pg_catalog, pg_temp
AS $$ SELECT deltacc.dv_overlap_from(a, deltacc.dv_bytes(a, table_location), b, deltacc.dv_bytes(b, table_location)) $$;
COMMENT ON FUNCTION deltacc.dv_overlap(jsonb, jsonb, text) IS
'how many rows two deletion vectors have in common';


-- A vector that can't be read is left out, not an ERROR: VACUUM may have removed
-- its file long ago, and a check that needs it says so.
CREATE FUNCTION deltacc.keep_deletion_vectors(
	table_name text,
	table_location text DEFAULT NULL,
	first_version bigint DEFAULT 0)
RETURNS bigint
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
DECLARE
	target deltacc.tables;
	vector record;
	frame bytea;
	added bigint := 0;
BEGIN
	PERFORM deltacc.is_ingested(keep_deletion_vectors.table_name);
	SELECT t.* INTO target FROM deltacc.tables AS t WHERE t.name = keep_deletion_vectors.table_name;
	FOR vector IN
		SELECT DISTINCT ON (p.id) p.id, f.deletion_vector AS dv
		FROM deltacc.commits AS c
		CROSS JOIN LATERAL deltacc.file_actions(c.actions) AS f
		CROSS JOIN LATERAL (SELECT concat(f.deletion_vector ->> 'storageType', f.deletion_vector ->> 'pathOrInlineDv',
			'@' || (f.deletion_vector ->> 'offset')) COLLATE "C" AS id) AS p
		WHERE c.table_id = target.table_id AND c.version >= coalesce(keep_deletion_vectors.first_version, 0)
			AND f.deletion_vector ->> 'storageType' <> 'i' AND octet_length(p.id) < 2000
			AND NOT EXISTS (SELECT FROM deltacc.deletion_vectors AS v WHERE v.table_id = target.table_id AND v.id = p.id)
		ORDER BY p.id
	LOOP
		BEGIN
			frame := deltacc.dv_bytes(vector.dv, coalesce(keep_deletion_vectors.table_location, target.location));
			CONTINUE WHEN frame IS NULL;
			-- Bytes that are no such vector are worth nothing.
			PERFORM deltacc.dv_cardinality_from(vector.dv, frame);
		EXCEPTION WHEN OTHERS THEN
			RAISE DEBUG 'deletion vector % is not kept: %', vector.id, SQLERRM;
			CONTINUE;
		END;
		INSERT INTO deltacc.deletion_vectors (table_id, id, bytes) VALUES (target.table_id, vector.id, frame)
			ON CONFLICT (table_id, id) DO NOTHING;
		added := added + 1;
	END LOOP;
	RETURN added;
END
$$;
COMMENT ON FUNCTION deltacc.keep_deletion_vectors(text, text, bigint) IS
'copies the bytes of an ingested table''s deletion vectors, as far as their files can be read, into deltacc.deletion_vectors; returns how many. ingest does so for the commits that it adds';


-- ----- Row-level concurrency -----

CREATE FUNCTION deltacc.explain_row_level(
	snapshot deltacc.actions,
	winner deltacc.actions,
	reads deltacc.predicate[] DEFAULT '{}',
	writes deltacc.actions DEFAULT NULL,
	isolation text DEFAULT NULL,
	read_whole_table boolean DEFAULT false,
	read_files text[] DEFAULT NULL,
	read_app_ids text[] DEFAULT '{}',
	operation text DEFAULT NULL,
	winner_version bigint DEFAULT NULL,
	table_name text DEFAULT NULL,
	OUT path text,
	OUT outcome text,
	OUT basis text,
	OUT rows_of_winner bigint,
	OUT rows_of_transaction bigint,
	OUT overlapping_rows bigint,
	OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_explain_row_level'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000 ROWS 5;
COMMENT ON FUNCTION deltacc.explain_row_level(deltacc.actions, deltacc.actions, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint, text) IS
'what row-level concurrency makes of each file that the winner and the transaction both changed: reconciled, conflict or file level, by proof or by Databricks'' contract, and why';
