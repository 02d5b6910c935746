-- ----- Does a winning commit invalidate a transaction? -----

CREATE TYPE deltacc.conflict AS (
	winning_version bigint,
	winning_operation text,
	check_name text,
	exception text,
	error_class text,
	sub_condition text,
	sqlstate text,
	path text,
	partition_values jsonb,
	isolation text,
	read_index int,
	read_predicate text,
	message text,
	hint text,
	details jsonb
);
COMMENT ON TYPE deltacc.conflict IS 'one reason why a transaction can''t commit';

CREATE FUNCTION deltacc.check_conflicts(
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
	table_name text DEFAULT NULL)
RETURNS SETOF deltacc.conflict
AS 'MODULE_PATHNAME', 'deltacc_check_conflicts'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000 ROWS 5;

COMMENT ON FUNCTION deltacc.check_conflicts(deltacc.actions, deltacc.actions, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint, text) IS
'every reason why a transaction that read the snapshot conflicts with the winner, in the order in which Delta checks; no row: no conflict';

CREATE FUNCTION deltacc.first_conflict(
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
	table_name text DEFAULT NULL)
RETURNS deltacc.conflict
AS 'MODULE_PATHNAME', 'deltacc_first_conflict'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000;

COMMENT ON FUNCTION deltacc.first_conflict(deltacc.actions, deltacc.actions, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint, text) IS
'the first row of check_conflicts, which is what Delta raises; NULL: no conflict';

CREATE FUNCTION deltacc.rebase(
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
	table_name text DEFAULT NULL)
RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_rebase'
LANGUAGE C STABLE PARALLEL SAFE
COST 1000;

COMMENT ON FUNCTION deltacc.rebase(deltacc.actions, deltacc.actions, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint, text) IS
'what the transaction would commit on top of the winner; an ERROR 2D521 on a conflict';

CREATE FUNCTION deltacc.compare_rules(
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
	OUT rules text,
	OUT outcome text,
	OUT conflicts int,
	OUT first_exception text,
	OUT files_checked int,
	OUT files_skipped int)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_compare_rules'
LANGUAGE C STABLE PARALLEL SAFE
COST 4000 ROWS 4;

COMMENT ON FUNCTION deltacc.compare_rules(deltacc.actions, deltacc.actions, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint, text) IS
'the same conflict check under several sets of rules, one row each: whether a conflict is real, and what would have avoided it';

CREATE FUNCTION deltacc.check_commit(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[] DEFAULT '{}',
	writes deltacc.actions DEFAULT NULL,
	isolation text DEFAULT NULL,
	read_whole_table boolean DEFAULT false,
	read_files text[] DEFAULT NULL,
	read_app_ids text[] DEFAULT '{}',
	operation text DEFAULT NULL,
	last_version bigint DEFAULT NULL)
RETURNS SETOF deltacc.conflict
AS 'MODULE_PATHNAME', 'deltacc_check_commit'
LANGUAGE C STABLE PARALLEL SAFE
COST 10000 ROWS 5;

COMMENT ON FUNCTION deltacc.check_commit(text, bigint, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint) IS
'check_conflicts against every commit of an ingested log after read_version, up to last_version (NULL: the newest)';

CREATE FUNCTION deltacc.rebase_commit(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[] DEFAULT '{}',
	writes deltacc.actions DEFAULT NULL,
	isolation text DEFAULT NULL,
	read_whole_table boolean DEFAULT false,
	read_files text[] DEFAULT NULL,
	read_app_ids text[] DEFAULT '{}',
	operation text DEFAULT NULL,
	last_version bigint DEFAULT NULL)
RETURNS deltacc.actions
AS 'MODULE_PATHNAME', 'deltacc_rebase_commit'
LANGUAGE C STABLE PARALLEL SAFE
COST 10000;

COMMENT ON FUNCTION deltacc.rebase_commit(text, bigint, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint) IS
'what the transaction would commit on top of every commit after read_version; an ERROR 2D521 on a conflict';

CREATE FUNCTION deltacc.isolation_level(snapshot deltacc.actions)
RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_isolation_level'
LANGUAGE C STABLE PARALLEL SAFE;

COMMENT ON FUNCTION deltacc.isolation_level(deltacc.actions) IS
'the isolation level that the table asks for (delta.isolationLevel), else the setting; not downgraded';

CREATE FUNCTION deltacc.compare_commit(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[] DEFAULT '{}',
	writes deltacc.actions DEFAULT NULL,
	isolation text DEFAULT NULL,
	read_whole_table boolean DEFAULT false,
	read_files text[] DEFAULT NULL,
	read_app_ids text[] DEFAULT '{}',
	operation text DEFAULT NULL,
	last_version bigint DEFAULT NULL,
	OUT rules text,
	OUT outcome text,
	OUT conflicts int,
	OUT first_conflict deltacc.conflict)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_compare_commit'
LANGUAGE C STABLE PARALLEL SAFE
COST 20000 ROWS 5;

COMMENT ON FUNCTION deltacc.compare_commit(text, bigint, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint) IS
'check_commit under the sets of rules of compare_rules, one row each, with the first conflict';
