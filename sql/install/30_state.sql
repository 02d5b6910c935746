-- The state of a table: the fold of its commits.

CREATE FUNCTION deltacc.table_state_transition(internal, bigint, deltacc.actions) RETURNS internal
AS 'MODULE_PATHNAME', 'deltacc_table_state_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.table_state_transition(internal, bigint, deltacc.actions) IS
'part of the aggregate deltacc.table_state';

CREATE FUNCTION deltacc.reconcile_transition(internal, bigint, deltacc.actions) RETURNS internal
AS 'MODULE_PATHNAME', 'deltacc_reconcile_transition' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION deltacc.reconcile_transition(internal, bigint, deltacc.actions) IS
'part of the aggregate deltacc.reconcile';

CREATE FUNCTION deltacc.table_state_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'deltacc_table_state_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.table_state_combine(internal, internal) IS
'part of the aggregates deltacc.table_state and deltacc.reconcile';

CREATE FUNCTION deltacc.table_state_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'deltacc_table_state_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.table_state_serialize(internal) IS
'part of the aggregates deltacc.table_state and deltacc.reconcile';

CREATE FUNCTION deltacc.table_state_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'deltacc_table_state_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.table_state_deserialize(bytea, internal) IS
'part of the aggregates deltacc.table_state and deltacc.reconcile';

CREATE FUNCTION deltacc.table_state_final(internal) RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_table_state_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.table_state_final(internal) IS
'part of the aggregates deltacc.table_state and deltacc.reconcile';

CREATE AGGREGATE deltacc.table_state(version bigint, actions deltacc.actions) (
	SFUNC = deltacc.table_state_transition,
	STYPE = internal,
	SSPACE = 8192,
	FINALFUNC = deltacc.table_state_final,
	COMBINEFUNC = deltacc.table_state_combine,
	SERIALFUNC = deltacc.table_state_serialize,
	DESERIALFUNC = deltacc.table_state_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE deltacc.table_state(bigint, deltacc.actions) IS
'the state of a table without its files: version, last protocol and metaData, last txn per appId, last domainMetadata per domain';

CREATE AGGREGATE deltacc.reconcile(version bigint, actions deltacc.actions) (
	SFUNC = deltacc.reconcile_transition,
	STYPE = internal,
	SSPACE = 1048576,
	FINALFUNC = deltacc.table_state_final,
	COMBINEFUNC = deltacc.table_state_combine,
	SERIALFUNC = deltacc.table_state_serialize,
	DESERIALFUNC = deltacc.table_state_deserialize,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE deltacc.reconcile(bigint, deltacc.actions) IS
'the state of a table with its live files, by path and deletion vector';

CREATE FUNCTION deltacc.changes_state(actions deltacc.actions) RETURNS boolean
AS 'MODULE_PATHNAME', 'deltacc_changes_state_sql' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION deltacc.changes_state(deltacc.actions) IS
'has a commit any action that table_state() keeps: protocol, metaData, txn, domainMetadata, or is it a state itself';

CREATE FUNCTION deltacc.canonical_path(path text, location text DEFAULT NULL) RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_canonical_path' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.canonical_path(text, text) IS
'one spelling for each file: percent-decoded once, relative to the table''s location where it lies below it';
