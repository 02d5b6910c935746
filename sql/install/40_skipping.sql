-- ----- Which files a predicate selects -----

CREATE FUNCTION deltacc.filter_files(
	snapshot deltacc.actions,
	predicate deltacc.predicate,
	files deltacc.actions,
	OUT path text,
	OUT kept boolean,
	OUT decided_by text,
	OUT reason text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_filter_files'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000 ROWS 1000;

COMMENT ON FUNCTION deltacc.filter_files(deltacc.actions, deltacc.predicate, deltacc.actions) IS
'for each file that the actions add: may it hold rows for which the predicate is true, who decided, and why';

CREATE FUNCTION deltacc.skip_expression(
	snapshot deltacc.actions,
	predicate deltacc.predicate)
RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_skip_expression'
LANGUAGE C STABLE PARALLEL SAFE
COST 100;

COMMENT ON FUNCTION deltacc.skip_expression(deltacc.actions, deltacc.predicate) IS
'the condition on a file''s statistics that the predicate comes to: a file for which it is not true is skipped; null if there is none';

CREATE FUNCTION deltacc.explain_predicate(
	snapshot deltacc.actions,
	predicate deltacc.predicate,
	OUT conjunct text,
	OUT kind text,
	OUT usable boolean,
	OUT skip_expression text,
	OUT reason text,
	OUT advice text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_explain_predicate'
LANGUAGE C STABLE PARALLEL SAFE
COST 100 ROWS 5;

COMMENT ON FUNCTION deltacc.explain_predicate(deltacc.actions, deltacc.predicate) IS
'what each conjunct of the predicate can do to leave files out of a check, why it can''t, and what would help';

CREATE FUNCTION deltacc.evaluate(
	snapshot deltacc.actions,
	predicate deltacc.predicate,
	files deltacc.actions,
	OUT path text,
	OUT may_true boolean,
	OUT may_false boolean,
	OUT may_null boolean,
	OUT may_error boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_evaluate'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000 ROWS 1000;

COMMENT ON FUNCTION deltacc.evaluate(deltacc.actions, deltacc.predicate, deltacc.actions) IS
'for each file that the actions add: what the predicate may be for a row within the ranges that its partition values and statistics give';

CREATE FUNCTION deltacc.functions(
	OUT name text,
	OUT min_args integer,
	OUT max_args integer,
	OUT computed boolean)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_functions'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 10 ROWS 200;

COMMENT ON FUNCTION deltacc.functions() IS
'the functions and operators of a predicate that deltacc knows: how many arguments they take (max_args null: any number), and whether it computes them or knows their type only';
