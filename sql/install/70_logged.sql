-- ----- What a commit read, as far as the log shows it -----

CREATE FUNCTION deltacc.logged_predicates(
	snapshot deltacc.actions,
	actions deltacc.actions,
	OUT predicate deltacc.predicate,
	OUT exact boolean,
	OUT note text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_logged_predicates'
LANGUAGE C STABLE PARALLEL SAFE
COST 100 ROWS 1;

COMMENT ON FUNCTION deltacc.logged_predicates(deltacc.actions, deltacc.actions) IS
'what a commit read, by its own commitInfo: never narrower than that; true and not exact where the log is ambiguous; no row for a blind append';

CREATE FUNCTION deltacc.statement_reads(
	statement text,
	OUT operation text,
	OUT target text,
	OUT reads deltacc.predicate[],
	OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'deltacc_statement_reads_udf'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 100;

COMMENT ON FUNCTION deltacc.statement_reads(text) IS
'what a Spark SQL statement reads of the table that it writes: no read for an INSERT from elsewhere, true where the statement doesn''t tell; columns of the target are qualified by t or not at all, those of a MERGE''s source by s';

CREATE FUNCTION deltacc.fit_reads(
	snapshot deltacc.actions,
	INOUT reads deltacc.predicate[],
	OUT note text)
RETURNS record
AS 'MODULE_PATHNAME', 'deltacc_fit_reads'
LANGUAGE C STABLE PARALLEL SAFE
COST 100;

COMMENT ON FUNCTION deltacc.fit_reads(deltacc.actions, deltacc.predicate[]) IS
'the reads as they are, but true for one that does not fit the table (note says why): so that one bad condition doesn''t stop a query over many';

CREATE FUNCTION deltacc.app_ids(actions deltacc.actions) RETURNS text[]
AS 'MODULE_PATHNAME', 'deltacc_app_ids'
LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE
COST 10;

COMMENT ON FUNCTION deltacc.app_ids(deltacc.actions) IS
'the application ids whose versions a commit writes; their writer has read the last one before';
