-- ----- Failed jobs: what beat them, and was it real? -----

CREATE TABLE deltacc.aborted_transactions (
	transaction_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	table_name text NOT NULL,
	job_name text,
	statement text,
	reads deltacc.predicate[] CHECK (num_nulls(VARIADIC reads) = 0),
	read_version bigint CHECK (read_version >= -1),
	started_at timestamptz,
	failed_at timestamptz,
	isolation text CHECK (lower(isolation) IN ('serializable', 'writeserializable', 'snapshotisolation')),
	error text,
	added_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE deltacc.aborted_transactions IS
'transactions that a Delta writer gave up: filled by you, explained by deltacc.aborted_conflicts';
COMMENT ON COLUMN deltacc.aborted_transactions.table_name IS 'the table, as it is called in deltacc.tables';
COMMENT ON COLUMN deltacc.aborted_transactions.job_name IS 'whose it was: free text';
COMMENT ON COLUMN deltacc.aborted_transactions.statement IS 'the Spark SQL statement; NULL if there was none, or if reads says more';
COMMENT ON COLUMN deltacc.aborted_transactions.reads IS
'what it read of the table; NULL: what the statement says, without a statement everything';
COMMENT ON COLUMN deltacc.aborted_transactions.read_version IS
'the version that it read; NULL: found by deltacc.aborted_read_version()';
COMMENT ON COLUMN deltacc.aborted_transactions.started_at IS 'when it began to read';
COMMENT ON COLUMN deltacc.aborted_transactions.failed_at IS 'when it gave up';
COMMENT ON COLUMN deltacc.aborted_transactions.isolation IS
'the level at which it ran; NULL: the table''s own (delta.isolationLevel), else WriteSerializable if the error is one of Databricks, else Serializable';
COMMENT ON COLUMN deltacc.aborted_transactions.error IS 'the text of the exception, with or without its stack trace';
COMMENT ON COLUMN deltacc.aborted_transactions.added_at IS 'when the row was entered';
-- A row is small, explaining it is not.
ALTER TABLE deltacc.aborted_transactions SET (parallel_workers = 4);
CREATE INDEX aborted_transactions_table_name ON deltacc.aborted_transactions (table_name);
SELECT pg_catalog.pg_extension_config_dump('deltacc.aborted_transactions', '');
SELECT pg_catalog.pg_extension_config_dump('deltacc.aborted_transactions_transaction_id_seq', '');


-- The texts of Delta up to 4.0 (a sentence, and the commitInfo of the winner),
-- of 4.1 and later, and of Databricks (an error condition, SQLSTATE): alone, in a
-- stack trace, in a traceback of Python, in a line of a JSON log.  A commitInfo is
-- printed by Delta 3 in a way that is no JSON ("mode":Append), and may be cut off,
-- so it is searched, not parsed.  OFFSET bigint '0' keeps each search at one.
CREATE FUNCTION deltacc.parse_error(
	error text,
	OUT exception text,
	OUT error_class text,
	OUT sub_condition text,
	OUT sqlstate text,
	OUT winning_version bigint,
	OUT winning_operation text,
	OUT winning_txn_id text,
	OUT partition text,
	OUT partition_values jsonb,
	OUT path text,
	OUT is_databricks boolean,
	OUT winning_timestamp timestamptz)
RETURNS record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT
		known.exception, known.error_class, condition.sub,
		coalesce(
			substring(said.text FROM '(?:SQLSTATE|sqlState|sqlstate)["'' :=]*([0-9A-Z]{5})\M'),
			CASE WHEN known.exception IS NOT NULL THEN '2D521' END),
		coalesce(
			substring(said.text FROM 'committed at version (\d{1,18})\M'),
			substring(parameters.info FROM '"version" ?: ?"?(\d{1,18})\M'),
			-- not one that is a parameter of the operation
			substring(winner.info FROM '^\{[^{]*?"version": ?(\d{1,18})\M'))::bigint,
		nullif(coalesce(
			substring(said.text FROM '(?i)conflict detected[.,] a concurrent (.*?) (?:added|deleted) data'),
			substring(parameters.info FROM '"operation" ?: ?"([^"]+)"'),
			substring(winner.info FROM '"operation": ?"([^"]+)"')), 'null'),
		substring(winner.info FROM '"txnId": ?"([^"]+)"'),
		hint.partition,
		-- The blank after a comma is part of a value unless a column follows.
		(SELECT jsonb_object_agg(split_part(p, '=', 1), nullif(substr(p, strpos(p, '=') + 1), 'null'))
			FROM regexp_split_to_table(substring(hint.partition FROM '^\[(.*)\]$'), ', (?=[^=,]+=)') AS p
			WHERE strpos(p, '=') > 1),
		substring(said.text FROM 'were deleted ?\(for example (.*?)(?: in (?:partition \[.*?\]|the root of the table))?\) by a concurrent'),
		-- Delta's own stack traces name com.databricks.spark.util.
		coalesce(said.text ~ 'com\.databricks\.(?!spark\.util\.)|docs\.databricks\.com|[/.]azure/?databricks[./]|SQLSTATE'
			OR condition.sub NOT IN ('WITHOUT_HINT', 'WITH_PARTITION_HINT', 'CONFLICTING_COMMIT', 'WRITE_TO_EMPTY_DIRECTORY', 'GENERIC'), false),
		to_timestamp(substring(winner.info FROM '^\{[^{]*?"timestamp": ?(\d{1,15})\M')::bigint / 1000.0)
	FROM (
			-- quotes of a string within strings; lines that were wrapped
			SELECT regexp_replace(regexp_replace($1, '\\+(["''])', '\1', 'g'), '[ \t]*\r?\n[ \t]*', ' ', 'g') AS text
			OFFSET bigint '0'
		) AS said
	CROSS JOIN LATERAL (SELECT
			coalesce(
				substring(said.text FROM '\[(DELTA_[A-Z_]+)(?:\.[A-Z_]+)?\]'),
				substring(said.text FROM '\m(DELTA_(?:CONCURRENT_[A-Z_]+|METADATA_CHANGED|PROTOCOL_CHANGED))\M')) AS class,
			substring(said.text FROM '\mDELTA_(?:CONCURRENT_[A-Z_]+|METADATA_CHANGED|PROTOCOL_CHANGED)\.([A-Z_]+)\M') AS sub,
			-- the class of the exception; a sentence of it where that was cut off
			coalesce(
				substring(said.text FROM '\m((?:Concurrent(?:Append|DeleteRead|DeleteDelete|Transaction|Write)|MetadataChanged|ProtocolChanged)Exception):'),
				CASE
					WHEN said.text ~ 'Files were added to .* by a concurrent update' THEN 'ConcurrentAppendException'
					WHEN said.text ~ 'attempted to read one or more files that were deleted' THEN 'ConcurrentDeleteReadException'
					WHEN said.text ~ 'attempted to delete one or more files that were deleted' THEN 'ConcurrentDeleteDeleteException'
					WHEN said.text ~ 'metadata of the Delta table .*has been changed by a concurrent update' THEN 'MetadataChangedException'
					WHEN said.text ~ 'protocol version of the Delta table has been changed by a concurrent update' THEN 'ProtocolChangedException'
					WHEN said.text ~ 'multiple streaming queries are using the same checkpoint|conflicting metadata domain' THEN 'ConcurrentTransactionException'
					WHEN said.text ~ 'concurrent transaction has written new data since the current transaction read the table' THEN 'ConcurrentWriteException'
					WHEN said.text ~* 'conflict detected[.,] a concurrent .* added data to' THEN 'ConcurrentAppendException'
					WHEN said.text ~* 'conflict detected[.,] a concurrent .* deleted data from .* that this transaction read' THEN 'ConcurrentDeleteReadException'
					WHEN said.text ~* 'conflict detected[.,] a concurrent .* deleted data from .* that this transaction attempted to delete' THEN 'ConcurrentDeleteDeleteException'
				END,
				substring(said.text FROM '\m((?:Concurrent(?:Append|DeleteRead|DeleteDelete|Transaction|Write)|MetadataChanged|ProtocolChanged)Exception)\M')) AS exception
			OFFSET bigint '0'
		) AS condition
	LEFT JOIN (VALUES
		('DELTA_CONCURRENT_APPEND', 'ConcurrentAppendException'),
		('DELTA_CONCURRENT_DELETE_READ', 'ConcurrentDeleteReadException'),
		('DELTA_CONCURRENT_DELETE_DELETE', 'ConcurrentDeleteDeleteException'),
		('DELTA_CONCURRENT_TRANSACTION', 'ConcurrentTransactionException'),
		('DELTA_CONCURRENT_WRITE', 'ConcurrentWriteException'),
		('DELTA_METADATA_CHANGED', 'MetadataChangedException'),
		('DELTA_PROTOCOL_CHANGED', 'ProtocolChangedException')
	) AS known(error_class, exception)
		ON known.error_class = condition.class
		OR ((condition.class IS NULL OR condition.class !~ '^DELTA_(CONCURRENT_|METADATA_CHANGED$|PROTOCOL_CHANGED$)')
			AND known.exception = condition.exception)
	CROSS JOIN LATERAL (SELECT substring(said.text FROM 'Conflicting commit:(?: |\\+n)*(\{.*)') AS info OFFSET bigint '0') AS winner
	-- the error as Spark writes it as JSON
	CROSS JOIN LATERAL (SELECT substring(said.text FROM '"messageParameters" ?: ?(\{.*)') AS info OFFSET bigint '0') AS parameters
	CROSS JOIN LATERAL (SELECT coalesce(
			substring(said.text FROM '\mpartition (\[[^=]*?=.*?\])(?: by a concurrent| that | which |\) by |, (?![^ ,=]+=)|[.] |[.,]?$)'),
			substring(said.text FROM '\mpartition (\[[^]]*=[^]]*\])'),
			substring(parameters.info FROM '"partitionValues" ?: ?"(\[.*?\])"')) AS partition OFFSET bigint '0') AS hint;
END;
COMMENT ON FUNCTION deltacc.parse_error(text) IS
'what the text of one of Delta''s conflict exceptions tells: of Delta up to 4.0, of 4.1 and later, of Databricks; exception is null if it is none';

-- The version of the winner that an error names: by number, else by what its
-- commitInfo holds.
CREATE FUNCTION deltacc.named_winner(table_id bigint, version bigint, txn_id text, "timestamp" timestamptz)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT coalesce($2,
		CASE WHEN $3 IS NOT NULL THEN (
			SELECT max(c.version) FROM deltacc.commits AS c
			WHERE c.table_id = $1 AND deltacc.commit_info(c.actions) ->> 'txnId' = $3) END,
		CASE WHEN $3 IS NULL THEN (
			SELECT max(c.version) FROM deltacc.commits AS c
			WHERE c.table_id = $1 AND c.committed_at = $4 HAVING count(*) = 1) END);
END;
COMMENT ON FUNCTION deltacc.named_winner(bigint, bigint, text, timestamptz) IS
'part of deltacc.aborted_conflicts: the version of the commit that an error names by version, transaction id or time; null if it is not held';

-- The rule for a read version that nobody wrote down: the newest commit at or
-- before the start; but if the error names a winner that this would have seen,
-- the version before that one (clocks differ, and a commit's time is its
-- writer's).
CREATE FUNCTION deltacc.newest_seen(table_id bigint, started_at timestamptz, winning_version bigint)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE WHEN $3 <= seen.version OR seen.version IS NULL THEN $3 - 1 ELSE seen.version END
	FROM (
		SELECT CASE
			WHEN $2 < min(c.committed_at) AND min(c.version) = 0 THEN -1
			ELSE max(c.version) FILTER (WHERE c.committed_at <= $2) END AS version
		FROM deltacc.commits AS c WHERE c.table_id = $1
	) AS seen;
END;
COMMENT ON FUNCTION deltacc.newest_seen(bigint, timestamptz, bigint) IS
'part of deltacc.aborted_read_version(): the newest version that a transaction could have read';

CREATE FUNCTION deltacc.aborted_read_version(
	table_name text,
	started_at timestamptz,
	error text DEFAULT NULL)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT deltacc.newest_seen(t.table_id, $2,
		deltacc.named_winner(t.table_id, e.winning_version, e.winning_txn_id, e.winning_timestamp))
	FROM deltacc.tables AS t
	LEFT JOIN LATERAL deltacc.parse_error($3) AS e ON true
	WHERE t.name = $1;
END;
COMMENT ON FUNCTION deltacc.aborted_read_version(text, timestamptz, text) IS
'the version that a failed transaction read: the newest commit at or before its start, but the one before the winner that its error names; null if neither is known';

-- The level at which a transaction ran.  Null: the table's own, else that of Delta.
CREATE FUNCTION deltacc.aborted_isolation(isolation text, state deltacc.actions, is_databricks boolean, operation text)
RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE COST 10
BEGIN ATOMIC
	SELECT CASE
		WHEN $1 IS NOT NULL THEN (
			SELECT l FROM (VALUES ('Serializable'), ('WriteSerializable'), ('SnapshotIsolation')) AS known(l) WHERE lower(l) = lower($1))
		WHEN NOT $3 OR deltacc.metadata($2) #>> '{configuration,delta.isolationLevel}' IS NOT NULL THEN NULL
		WHEN $4 = 'OPTIMIZE' THEN 'SnapshotIsolation'
		ELSE 'WriteSerializable' END;
END;
COMMENT ON FUNCTION deltacc.aborted_isolation(text, deltacc.actions, boolean, text) IS
'part of deltacc.aborted_conflicts: the argument isolation for a failed transaction';

-- A function, so that the planner knows which table it is, and how large.
-- Without SET clauses, each call of which takes longer than the query: a scan asks
-- it for each row.
CREATE FUNCTION deltacc.table_id_of(table_name text) RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 10
BEGIN ATOMIC
	SELECT t.table_id FROM deltacc.tables AS t WHERE t.name = $1;
END;
COMMENT ON FUNCTION deltacc.table_id_of(text) IS 'the id of an ingested table; null if there is none of that name';

CREATE FUNCTION deltacc.judged_commit(
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
	OUT first_conflict deltacc.conflict,
	OUT error text)
RETURNS SETOF record
AS 'MODULE_PATHNAME', 'deltacc_judged_commit'
LANGUAGE C STABLE PARALLEL SAFE
COST 20000 ROWS 5;
COMMENT ON FUNCTION deltacc.judged_commit(text, bigint, deltacc.predicate[], deltacc.actions, text, boolean, text[], text[], text, bigint) IS
'compare_commit() for queries over many transactions: what a commit of the log makes an ERROR is the outcome error';

CREATE FUNCTION deltacc.state_problem(state deltacc.actions) RETURNS text
AS 'MODULE_PATHNAME', 'deltacc_state_problem' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION deltacc.state_problem(deltacc.actions) IS
'why a table''s state is no snapshot that a check could take; null if it is one';

-- Why nothing can be said about it; null: something can.
CREATE FUNCTION deltacc.unanswerable(
	table_name text,
	read_version bigint,
	last_version bigint,
	error_version bigint)
RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 1000
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
	target bigint := deltacc.table_id_of(unanswerable.table_name);
	base bigint := deltacc.log_base(target, NULL);
	first_version bigint := coalesce(base, (SELECT min(c.version) FROM deltacc.commits AS c WHERE c.table_id = target));
	newest_version bigint := coalesce((SELECT max(c.version) FROM deltacc.commits AS c WHERE c.table_id = target), base);
	state deltacc.actions;
BEGIN
	IF read_version IS NULL THEN
		RETURN 'the version that it read is not known: give read_version, started_at or the error';
	ELSIF error_version > newest_version THEN
		RETURN format('version %s, which the error names, is not held: the newest is %s', error_version, newest_version);
	ELSIF read_version > newest_version OR newest_version IS NULL THEN
		RETURN format('version %s is not held', read_version);
	ELSIF read_version < first_version - (first_version = 0)::int THEN
		RETURN format('version %s is not held any more', read_version);
	ELSIF last_version IS NULL AND read_version < first_version THEN
		RETURN 'it was over before the first commit that is held';
	ELSIF last_version IS NULL OR read_version > last_version THEN
		RETURN format('it can''t have read version %s: by its error or failed_at it was over before that one was committed', read_version);
	ELSIF read_version >= 0 THEN
		state := deltacc.state_at(table_name, read_version);
		RETURN 'what the table was at version ' || read_version || ' is not known: ' || deltacc.state_problem(state)
			|| CASE WHEN first_version > 0 THEN format(' (its log begins with version %s: deltacc.set_base() gives it a beginning)', first_version) ELSE '' END;
	END IF;
	RETURN NULL;
END
$$;
COMMENT ON FUNCTION deltacc.unanswerable(text, bigint, bigint, bigint) IS
'part of deltacc.aborted_conflicts and replay(): why nothing can be said about a transaction that read a version; null if something can';

-- The conflicts as released Delta sees them, whatever the session has set.
CREATE FUNCTION deltacc.released_conflicts(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[],
	writes deltacc.actions,
	isolation text,
	read_app_ids text[],
	operation text,
	last_version bigint)
RETURNS SETOF deltacc.conflict
LANGUAGE sql STABLE PARALLEL SAFE COST 10000 ROWS 5
SET search_path = pg_catalog, pg_temp
SET deltacc.data_skipping = off
SET deltacc.row_level = off
SET deltacc.ignore_rearranged = off
SET deltacc.widen_nondeterministic = on
SET deltacc.default_isolation_level = 'Serializable'
AS $$
	SELECT * FROM deltacc.check_commit($1, $2, $3, $4, isolation => $5, read_app_ids => $6, operation => $7, last_version => $8)
$$;
COMMENT ON FUNCTION deltacc.released_conflicts(text, bigint, deltacc.predicate[], deltacc.actions, text, text[], text, bigint) IS
'check_commit by the rules of released Delta, whatever the session has set';

-- The conflict that an error means: with the winner that it names, else the first
-- one with its exception, and in the partition that it names.
CREATE FUNCTION deltacc.named_conflict(
	table_name text,
	read_version bigint,
	reads deltacc.predicate[],
	writes deltacc.actions,
	isolation text,
	operation text,
	last_version bigint,
	error_version bigint,
	error_exception text,
	error_partition jsonb,
	OUT first_version bigint,
	OUT conflict deltacc.conflict)
RETURNS record
LANGUAGE sql STABLE PARALLEL SAFE COST 10000
SET search_path = pg_catalog, pg_temp
AS $$
	WITH found AS MATERIALIZED (
		SELECT row_number() OVER () AS n, c
		FROM deltacc.released_conflicts($1, $2, $3, $4, $5, '{}', $6, $7) AS c
	), of_winner AS (
		-- of each winner Delta raises the first
		SELECT f.n, f.c, first_value((f.c).exception) OVER (PARTITION BY (f.c).winning_version ORDER BY f.n) AS exception
		FROM found AS f
		WHERE (f.c).winning_version = $8 OR $8 IS NULL
	), meant AS (
		SELECT w.c FROM of_winner AS w
		WHERE (w.c).exception = w.exception
		ORDER BY $8 IS NULL AND $9 IS NOT NULL AND w.exception <> $9,
			$10 IS NOT NULL AND (w.c).partition_values IS DISTINCT FROM $10, w.n
		LIMIT 1
	)
	SELECT (f.c).winning_version, CASE WHEN m.c IS NULL THEN f.c ELSE m.c END
	FROM found AS f
	LEFT JOIN meant AS m ON true
	WHERE f.n = 1
$$;
COMMENT ON FUNCTION deltacc.named_conflict(text, bigint, deltacc.predicate[], deltacc.actions, text, text, bigint, bigint, text, jsonb) IS
'part of deltacc.aborted_conflicts: the conflict that an error means, and the version of the first one';

CREATE FUNCTION deltacc.explain_abort(
	aborted deltacc.aborted_transactions,
	OUT operation text,
	OUT reads deltacc.predicate[],
	OUT read_version bigint,
	OUT last_version bigint,
	OUT error_exception text,
	OUT error_version bigint,
	OUT error_partition text,
	OUT winning_version bigint,
	OUT winning_operation text,
	OUT winning_at timestamptz,
	OUT exception text,
	OUT sub_condition text,
	OUT agrees boolean,
	OUT path text,
	OUT partition_values jsonb,
	OUT read_predicate text,
	OUT real_overlap text,
	OUT avoided_by text[],
	OUT advice text,
	OUT message text,
	OUT note text)
RETURNS record
LANGUAGE plpgsql STABLE PARALLEL SAFE COST 50000
SET search_path = pg_catalog, pg_temp
SET standard_conforming_strings = on
AS $$
#variable_conflict use_variable
DECLARE
	target bigint := deltacc.table_id_of(aborted.table_name);
	failure record;
	said record;
	winner record;
	verdict record;
	state deltacc.actions := '';
	writes deltacc.actions;
	level text;
	apart_until bigint;
	found record;
	first_version bigint;
	conflict deltacc.conflict;
BEGIN
	-- What it read, and how far it came.
	SELECT * INTO failure FROM deltacc.parse_error(coalesce(aborted.error, ''));
	SELECT * INTO said FROM deltacc.statement_reads(coalesce(aborted.statement, ''));
	operation := said.operation;
	reads := coalesce(aborted.reads, said.reads);
	error_exception := failure.exception;
	error_version := deltacc.named_winner(target, failure.winning_version, failure.winning_txn_id, failure.winning_timestamp);
	error_partition := failure.partition;
	IF target IS NULL THEN
		error_version := failure.winning_version;
		note := format('table "%s" is not in deltacc.tables', aborted.table_name);
		RETURN;
	END IF;
	read_version := coalesce(aborted.read_version, deltacc.newest_seen(target, aborted.started_at, error_version));
	SELECT max(c.version) INTO last_version FROM deltacc.commits AS c
		WHERE c.table_id = target
			AND (CASE WHEN aborted.failed_at IS NULL THEN error_version IS NULL ELSE c.committed_at <= aborted.failed_at END
				OR c.version <= error_version);
	note := deltacc.unanswerable(aborted.table_name, read_version, last_version, error_version);
	IF note IS NOT NULL THEN
		RETURN;
	END IF;
	note := CASE WHEN aborted.reads IS NULL THEN
		CASE WHEN aborted.statement IS NULL THEN 'neither statement nor reads: it may have read everything' ELSE said.note END END;
	IF read_version >= 0 THEN
		state := deltacc.state_at(aborted.table_name, read_version);
		SELECT f.reads, coalesce(note, f.note) INTO reads, note FROM deltacc.fit_reads(state, reads) AS f;
	ELSE
		reads := ARRAY(SELECT 'true'::deltacc.predicate FROM unnest(reads));
	END IF;

	-- An OPTIMIZE changes no data, an INSERT that reads nothing is a blind append:
	-- of no other statement it is known what it was about to write.
	writes := CASE
		WHEN operation = 'OPTIMIZE' THEN ''
		WHEN operation = 'WRITE' AND aborted.reads IS NULL AND reads = '{}' THEN
			'{"add":{"path":"not written","partitionValues":{},"size":1,"modificationTime":1,"dataChange":true,"stats":"{\"numRecords\":1}"}}'
	END;
	level := deltacc.aborted_isolation(aborted.isolation, state, failure.is_databricks, operation);
	avoided_by := '{}';
	FOR verdict IN
		SELECT * FROM deltacc.judged_commit(aborted.table_name, read_version, reads, writes, operation => operation, last_version => last_version)
	LOOP
		-- One odd commit must not hide the other rows.
		IF verdict.error IS NOT NULL THEN
			avoided_by := NULL;
			note := verdict.error;
			RETURN;
		ELSIF verdict.outcome = 'ok' THEN
			avoided_by := avoided_by || verdict.rules;
		END IF;
		IF verdict.rules = coalesce(level, 'Delta 4.4.0') THEN
			conflict := verdict.first_conflict;
			first_version := conflict.winning_version;
		ELSIF verdict.rules IN ('data skipping', 'sharp', 'row level') THEN
			apart_until := greatest(apart_until, coalesce((verdict.first_conflict).winning_version - 1, last_version));
		END IF;
	END LOOP;

	-- The first conflict beat it; but if the error names a later winner, or an
	-- exception that only a later one raises, Delta passed those before, and the
	-- partition that it names is the one it means.
	IF error_version <> conflict.winning_version OR failure.partition_values <> conflict.partition_values
		OR (error_version IS NULL AND error_exception <> conflict.exception)
		OR level IN ('Serializable', 'SnapshotIsolation')
	THEN
		SELECT * INTO found FROM deltacc.named_conflict(aborted.table_name, read_version, reads, writes, level, operation, last_version,
			error_version, error_exception, failure.partition_values);
		first_version := found.first_version;
		conflict := found.conflict;
	END IF;
	winning_version := coalesce(conflict.winning_version, CASE WHEN error_version > read_version THEN error_version END);
	SELECT c.committed_at, deltacc.commit_info(c.actions) ->> 'operation' AS operation INTO winner
		FROM deltacc.commits AS c WHERE c.table_id = target AND c.version = winning_version;
	winning_at := winner.committed_at;
	winning_operation := winner.operation;
	agrees := CASE WHEN error_exception IS NOT NULL THEN
		coalesce(error_exception = conflict.exception AND coalesce(error_version = winning_version, true), false) END;
	IF conflict IS NULL THEN
		note := coalesce(note, 'no commit that it raced conflicts with what is known of it');
		RETURN;
	END IF;
	IF first_version < winning_version THEN
		note := coalesce(note, format('it read less than that: version %s, too, would have beaten it', first_version));
	END IF;
	exception := conflict.exception;
	sub_condition := conflict.sub_condition;
	path := conflict.path;
	partition_values := conflict.partition_values;
	read_predicate := conflict.read_predicate;
	advice := conflict.hint;
	message := conflict.message;

	-- Was it real?  Later winners have no say in that.
	real_overlap := CASE
		WHEN conflict.check_name NOT IN ('added_file', 'delete_read', 'delete_delete') THEN 'not about rows'
		WHEN apart_until >= winning_version THEN 'no'
		ELSE 'not excluded' END;
END
$$;
COMMENT ON FUNCTION deltacc.explain_abort(deltacc.aborted_transactions) IS
'one failed transaction: what it read, the commit that beat it, whether the overlap was real, and the advice';

-- Called in the list of columns, so that parallel workers do so.
CREATE VIEW deltacc.aborted_conflicts WITH (security_invoker = true) AS
SELECT v.transaction_id, v.table_name, v.job_name, v.started_at, v.failed_at, (v.x).*
FROM (
	SELECT a.transaction_id, a.table_name, a.job_name, a.started_at, a.failed_at, deltacc.explain_abort(a) AS x
	FROM deltacc.aborted_transactions AS a
	OFFSET bigint '0'
) AS v;
COMMENT ON VIEW deltacc.aborted_conflicts IS
'each failed transaction with the commit that beat it, the file, the read, whether the overlap was real, what would have avoided it, and the advice';
