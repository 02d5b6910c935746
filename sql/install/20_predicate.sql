-- The type predicate: a Spark SQL condition, parsed but not bound to a table.

CREATE TYPE deltacc.predicate;
COMMENT ON TYPE deltacc.predicate IS 'Spark SQL condition, as in WHERE, DELETE, UPDATE or MERGE ... ON; parsed, not bound to a table';

CREATE FUNCTION deltacc.predicate_in(cstring) RETURNS deltacc.predicate
	AS 'MODULE_PATHNAME', 'deltacc_predicate_in' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_in(cstring) IS 'input of predicate';

CREATE FUNCTION deltacc.predicate_out(deltacc.predicate) RETURNS cstring
	AS 'MODULE_PATHNAME', 'deltacc_predicate_out' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_out(deltacc.predicate) IS 'output of predicate';

CREATE FUNCTION deltacc.predicate_recv(internal) RETURNS deltacc.predicate
	AS 'MODULE_PATHNAME', 'deltacc_predicate_recv' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_recv(internal) IS 'binary input of predicate';

CREATE FUNCTION deltacc.predicate_send(deltacc.predicate) RETURNS bytea
	AS 'MODULE_PATHNAME', 'deltacc_predicate_send' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_send(deltacc.predicate) IS 'binary output of predicate';

CREATE TYPE deltacc.predicate (
	INPUT = deltacc.predicate_in,
	OUTPUT = deltacc.predicate_out,
	RECEIVE = deltacc.predicate_recv,
	SEND = deltacc.predicate_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = int4,
	STORAGE = extended
);

-- Implicit, and through a function: so a text column and ARRAY['a = 1'] are
-- taken where a predicate or an array of them is asked for.
CREATE FUNCTION deltacc.predicate(text) RETURNS deltacc.predicate
	AS 'MODULE_PATHNAME', 'deltacc_predicate_from_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate(text) IS 'parses a Spark SQL condition';

CREATE FUNCTION deltacc.predicate_text(deltacc.predicate) RETURNS text
	AS 'MODULE_PATHNAME', 'deltacc_predicate_to_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_text(deltacc.predicate) IS 'normalised text of a predicate: it parses to the same predicate';

CREATE CAST (text AS deltacc.predicate) WITH FUNCTION deltacc.predicate(text) AS IMPLICIT;
COMMENT ON CAST (text AS deltacc.predicate) IS 'parses a Spark SQL condition';

CREATE CAST (deltacc.predicate AS text) WITH FUNCTION deltacc.predicate_text(deltacc.predicate) AS ASSIGNMENT;
COMMENT ON CAST (deltacc.predicate AS text) IS 'normalised text of a predicate';

CREATE FUNCTION deltacc.predicate_eq(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_eq' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_eq(deltacc.predicate, deltacc.predicate) IS 'implementation of = operator';

CREATE FUNCTION deltacc.predicate_ne(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_ne' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_ne(deltacc.predicate, deltacc.predicate) IS 'implementation of <> operator';

CREATE FUNCTION deltacc.predicate_lt(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_lt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_lt(deltacc.predicate, deltacc.predicate) IS 'implementation of < operator';

CREATE FUNCTION deltacc.predicate_le(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_le' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_le(deltacc.predicate, deltacc.predicate) IS 'implementation of <= operator';

CREATE FUNCTION deltacc.predicate_gt(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_gt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_gt(deltacc.predicate, deltacc.predicate) IS 'implementation of > operator';

CREATE FUNCTION deltacc.predicate_ge(deltacc.predicate, deltacc.predicate) RETURNS boolean
	AS 'MODULE_PATHNAME', 'deltacc_predicate_ge' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_ge(deltacc.predicate, deltacc.predicate) IS 'implementation of >= operator';

CREATE FUNCTION deltacc.predicate_cmp(deltacc.predicate, deltacc.predicate) RETURNS integer
	AS 'MODULE_PATHNAME', 'deltacc_predicate_cmp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_cmp(deltacc.predicate, deltacc.predicate) IS 'less than 0, 0 or more: the first predicate sorts before the second, they are equal, or after it';

CREATE FUNCTION deltacc.predicate_hash(deltacc.predicate) RETURNS integer
	AS 'MODULE_PATHNAME', 'deltacc_predicate_hash' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_hash(deltacc.predicate) IS 'hash of a predicate';

CREATE FUNCTION deltacc.predicate_hash_extended(deltacc.predicate, bigint) RETURNS bigint
	AS 'MODULE_PATHNAME', 'deltacc_predicate_hash_extended' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION deltacc.predicate_hash_extended(deltacc.predicate, bigint) IS '64-bit hash of a predicate';

CREATE OPERATOR deltacc.= (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_eq,
	COMMUTATOR = OPERATOR(deltacc.=),
	NEGATOR = OPERATOR(deltacc.<>),
	RESTRICT = eqsel,
	JOIN = eqjoinsel,
	HASHES,
	MERGES
);
COMMENT ON OPERATOR deltacc.= (deltacc.predicate, deltacc.predicate) IS 'same condition, part by part; not: same meaning';

CREATE OPERATOR deltacc.<> (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_ne,
	COMMUTATOR = OPERATOR(deltacc.<>),
	NEGATOR = OPERATOR(deltacc.=),
	RESTRICT = neqsel,
	JOIN = neqjoinsel
);
COMMENT ON OPERATOR deltacc.<> (deltacc.predicate, deltacc.predicate) IS 'not the same condition';

-- An order that has no meaning: for whatever sorts, such as count(DISTINCT ...).
CREATE OPERATOR deltacc.< (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_lt,
	COMMUTATOR = OPERATOR(deltacc.>),
	NEGATOR = OPERATOR(deltacc.>=),
	RESTRICT = scalarltsel,
	JOIN = scalarltjoinsel
);
COMMENT ON OPERATOR deltacc.< (deltacc.predicate, deltacc.predicate) IS 'sorts before';

CREATE OPERATOR deltacc.<= (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_le,
	COMMUTATOR = OPERATOR(deltacc.>=),
	NEGATOR = OPERATOR(deltacc.>),
	RESTRICT = scalarlesel,
	JOIN = scalarlejoinsel
);
COMMENT ON OPERATOR deltacc.<= (deltacc.predicate, deltacc.predicate) IS 'sorts before, or is the same';

CREATE OPERATOR deltacc.> (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_gt,
	COMMUTATOR = OPERATOR(deltacc.<),
	NEGATOR = OPERATOR(deltacc.<=),
	RESTRICT = scalargtsel,
	JOIN = scalargtjoinsel
);
COMMENT ON OPERATOR deltacc.> (deltacc.predicate, deltacc.predicate) IS 'sorts after';

CREATE OPERATOR deltacc.>= (
	LEFTARG = deltacc.predicate,
	RIGHTARG = deltacc.predicate,
	FUNCTION = deltacc.predicate_ge,
	COMMUTATOR = OPERATOR(deltacc.<=),
	NEGATOR = OPERATOR(deltacc.<),
	RESTRICT = scalargesel,
	JOIN = scalargejoinsel
);
COMMENT ON OPERATOR deltacc.>= (deltacc.predicate, deltacc.predicate) IS 'sorts after, or is the same';

CREATE OPERATOR CLASS deltacc.predicate_ops
	DEFAULT FOR TYPE deltacc.predicate USING btree AS
	OPERATOR 1 deltacc.<,
	OPERATOR 2 deltacc.<=,
	OPERATOR 3 deltacc.=,
	OPERATOR 4 deltacc.>=,
	OPERATOR 5 deltacc.>,
	FUNCTION 1 deltacc.predicate_cmp(deltacc.predicate, deltacc.predicate);
COMMENT ON OPERATOR CLASS deltacc.predicate_ops USING btree IS 'predicates in an order that has no meaning: count(DISTINCT), ORDER BY, merge joins, unique indexes';
COMMENT ON OPERATOR FAMILY deltacc.predicate_ops USING btree IS 'predicates in an order that has no meaning: count(DISTINCT), ORDER BY, merge joins, unique indexes';

CREATE OPERATOR CLASS deltacc.predicate_hash_ops
	DEFAULT FOR TYPE deltacc.predicate USING hash AS
	OPERATOR 1 deltacc.=,
	FUNCTION 1 deltacc.predicate_hash(deltacc.predicate),
	FUNCTION 2 deltacc.predicate_hash_extended(deltacc.predicate, bigint);
COMMENT ON OPERATOR CLASS deltacc.predicate_hash_ops USING hash IS 'predicates by hash: DISTINCT, UNION, GROUP BY, hash joins';
