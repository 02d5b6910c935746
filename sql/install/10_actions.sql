-- ----- The type deltacc.actions: a list of Delta actions -----

CREATE TYPE deltacc.actions;

CREATE FUNCTION deltacc.actions_in(cstring) RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_actions_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_in(cstring) IS 'I/O';

CREATE FUNCTION deltacc.actions_out(deltacc.actions) RETURNS cstring
AS 'MODULE_PATHNAME', 'deltacc_actions_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_out(deltacc.actions) IS 'I/O';

CREATE FUNCTION deltacc.actions_recv(internal) RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_actions_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_recv(internal) IS 'I/O';

CREATE FUNCTION deltacc.actions_send(deltacc.actions) RETURNS bytea
AS 'MODULE_PATHNAME', 'deltacc_actions_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_send(deltacc.actions) IS 'I/O';

-- Not compressed: parts of a value are read as slices.
CREATE TYPE deltacc.actions (
	INPUT = deltacc.actions_in,
	OUTPUT = deltacc.actions_out,
	RECEIVE = deltacc.actions_recv,
	SEND = deltacc.actions_send,
	INTERNALLENGTH = variable,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE deltacc.actions IS
'Delta actions, one JSON object on each line: the content of a commit file, unchanged, with an index of its file actions';


CREATE FUNCTION deltacc.actions(text) RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_actions_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION deltacc.actions(text) IS 'the actions that a commit file holds';

CREATE FUNCTION deltacc.actions(jsonb) RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_actions_from_jsonb' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION deltacc.actions(jsonb) IS 'one action, or those of an array';

CREATE FUNCTION deltacc.text(deltacc.actions) RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_actions_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.text(deltacc.actions) IS 'the text of the actions, as it came in';

CREATE CAST (text AS deltacc.actions) WITH FUNCTION deltacc.actions(text) AS IMPLICIT;
COMMENT ON CAST (text AS deltacc.actions) IS 'a commit file';
CREATE CAST (jsonb AS deltacc.actions) WITH FUNCTION deltacc.actions(jsonb) AS IMPLICIT;
COMMENT ON CAST (jsonb AS deltacc.actions) IS 'one action, or an array of actions';
CREATE CAST (deltacc.actions AS text) WITH FUNCTION deltacc.text(deltacc.actions) AS ASSIGNMENT;
COMMENT ON CAST (deltacc.actions AS text) IS 'the text as it came in';


-- Equality is that of the text: DISTINCT and UNION need one.

CREATE FUNCTION deltacc.actions_eq(deltacc.actions, deltacc.actions) RETURNS boolean
AS 'MODULE_PATHNAME', 'deltacc_actions_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_eq(deltacc.actions, deltacc.actions) IS 'implementation of the operator =';

CREATE FUNCTION deltacc.actions_ne(deltacc.actions, deltacc.actions) RETURNS boolean
AS 'MODULE_PATHNAME', 'deltacc_actions_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_ne(deltacc.actions, deltacc.actions) IS 'implementation of the operator <>';

CREATE FUNCTION deltacc.actions_hash(deltacc.actions) RETURNS integer
AS 'MODULE_PATHNAME', 'deltacc_actions_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_hash(deltacc.actions) IS 'hash of the text';

CREATE FUNCTION deltacc.actions_hash_extended(deltacc.actions, bigint) RETURNS bigint
AS 'MODULE_PATHNAME', 'deltacc_actions_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.actions_hash_extended(deltacc.actions, bigint) IS 'seeded hash of the text';

CREATE OPERATOR deltacc.= (
	LEFTARG = deltacc.actions,
	RIGHTARG = deltacc.actions,
	FUNCTION = deltacc.actions_eq,
	COMMUTATOR = OPERATOR(deltacc.=),
	NEGATOR = OPERATOR(deltacc.<>),
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES
);
COMMENT ON OPERATOR deltacc.= (deltacc.actions, deltacc.actions) IS 'same text';

CREATE OPERATOR deltacc.<> (
	LEFTARG = deltacc.actions,
	RIGHTARG = deltacc.actions,
	FUNCTION = deltacc.actions_ne,
	COMMUTATOR = OPERATOR(deltacc.<>),
	NEGATOR = OPERATOR(deltacc.=),
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR deltacc.<> (deltacc.actions, deltacc.actions) IS 'different text';

CREATE OPERATOR CLASS deltacc.actions_hash_ops
DEFAULT FOR TYPE deltacc.actions USING hash AS
	OPERATOR 1 deltacc.= (deltacc.actions, deltacc.actions),
	FUNCTION 1 deltacc.actions_hash(deltacc.actions),
	FUNCTION 2 deltacc.actions_hash_extended(deltacc.actions, bigint);
COMMENT ON OPERATOR CLASS deltacc.actions_hash_ops USING hash IS 'hashing of actions by their text';
COMMENT ON OPERATOR FAMILY deltacc.actions_hash_ops USING hash IS 'hashing of actions by their text';


-- ----- What a commit says -----

CREATE FUNCTION deltacc.file_actions(
	actions deltacc.actions,
	OUT ordinal integer,
	OUT action text,
	OUT path text,
	OUT partition_values jsonb,
	OUT size numeric,
	OUT data_change boolean,
	OUT modification_time numeric,
	OUT deletion_timestamp numeric,
	OUT stats jsonb,
	OUT deletion_vector jsonb,
	OUT base_row_id bigint,
	OUT default_row_commit_version bigint,
	OUT tags jsonb)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_file_actions_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 1000 ROWS 1000;
COMMENT ON FUNCTION deltacc.file_actions(deltacc.actions) IS
'one row for each add, remove and cdc action';

CREATE FUNCTION deltacc.commit_info(actions deltacc.actions) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_commit_info_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.commit_info(deltacc.actions) IS 'the first commitInfo; null if there is none';

CREATE FUNCTION deltacc.protocol(actions deltacc.actions) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_protocol_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.protocol(deltacc.actions) IS 'the last protocol action; null if there is none';

CREATE FUNCTION deltacc.metadata(actions deltacc.actions) RETURNS jsonb
AS 'MODULE_PATHNAME', 'deltacc_metadata_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.metadata(deltacc.actions) IS 'the last metaData action; null if there is none';

CREATE FUNCTION deltacc.is_blind_append(actions deltacc.actions) RETURNS boolean
AS 'MODULE_PATHNAME', 'deltacc_is_blind_append_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.is_blind_append(deltacc.actions) IS
'what the commit counts as when it is a winner: true only if its first commitInfo says so';

CREATE FUNCTION deltacc.actions_layout(
	actions deltacc.actions,
	OUT section text,
	OUT key text,
	OUT bytes bigint)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_actions_layout_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 100 ROWS 50;
COMMENT ON FUNCTION deltacc.actions_layout(deltacc.actions) IS
'the parts that the stored value consists of, each of which can be read on its own, and their sizes';
