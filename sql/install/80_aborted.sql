-- ----- Failed jobs: what beat them, and was it real? -----

CREATE TABLE deltacc.aborted_transactions (
	transaction_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	table_name text NOT NULL,
	job_name text,
	statement text,
	reads deltacc.predicate[],
	read_version bigint CHECK (read_version >= -1),
	started_at timestamptz,
	failed_at timestamptz,
	isolation text,
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
'Serializable or WriteSerializable; NULL: WriteSerializable if the error is one of Databricks, else the table''s own level, else Serializable';
COMMENT ON COLUMN deltacc.aborted_transactions.error IS 'the text of the exception, with or without its stack trace';
COMMENT ON COLUMN deltacc.aborted_transactions.added_at IS 'when the row was entered';
CREATE INDEX aborted_transactions_table_name ON deltacc.aborted_transactions (table_name);
SELECT pg_catalog.pg_extension_config_dump('deltacc.aborted_transactions', '');
SELECT pg_catalog.pg_extension_config_dump('deltacc.aborted_transactions_transaction_id_seq', '');


-- The texts of Delta up to 4.0 (a sentence, and the commitInfo of the winner),
-- of 4.1 and later, and of Databricks (an error condition, SQLSTATE).  A
-- commitInfo is printed by Delta 3 in a way that is no JSON ("mode":Append), so
-- it is searched, not parsed.
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
	OUT is_databricks boolean)
RETURNS record
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE COST 100
BEGIN ATOMIC
	SELECT
		known.exception, known.error_class, condition.sub,
		coalesce(substring($1 FROM 'SQLSTATE:?\s*([0-9A-Z]{5})'), CASE WHEN known.exception IS NOT NULL THEN '2D521' END),
		coalesce(
			substring($1 FROM 'committed at version (\d{1,18})'),
			substring(winner.info FROM '"version":(\d{1,18})'))::bigint,
		coalesce(
			substring($1 FROM '(?i)conflict detected[.,] a concurrent (.*?) (?:added|deleted) data'),
			substring(winner.info FROM '"operation":"([^"]+)"')),
		substring(winner.info FROM '"txnId":"([^"]+)"'),
		hint.partition,
		-- The blank after a comma is part of a value unless a column follows.
		(SELECT jsonb_object_agg(split_part(p, '=', 1), substr(p, strpos(p, '=') + 1))
			FROM regexp_split_to_table(substring(hint.partition FROM '^\[(.*)\]$'), ', (?=[^=,]+=)') AS p
			WHERE strpos(p, '=') > 1),
		substring($1 FROM 'were deleted\s*\(for example (.*?)(?: in partition \[[^\n]*?\])?\) by a concurrent'),
		coalesce($1 ~ 'com\.databricks\.|SQLSTATE'
			OR condition.sub NOT IN ('WITHOUT_HINT', 'WITH_PARTITION_HINT'), false)
	FROM (SELECT
			substring($1 FROM '\[(DELTA_[A-Z_]+)(?:\.[A-Z_]+)?\]') AS class,
			substring($1 FROM '\[DELTA_[A-Z_]+\.([A-Z_]+)\]') AS sub,
			-- the class of the exception; a sentence of it where that was cut off
			coalesce(substring($1 FROM '\m((?:Concurrent(?:Append|DeleteRead|DeleteDelete|Transaction|Write)|MetadataChanged|ProtocolChanged)Exception)'),
				CASE
					WHEN $1 ~ 'Files were added to .* by a concurrent update' THEN 'ConcurrentAppendException'
					WHEN $1 ~ 'attempted to read one or more files that were deleted' THEN 'ConcurrentDeleteReadException'
					WHEN $1 ~ 'attempted to delete one or more files that were deleted' THEN 'ConcurrentDeleteDeleteException'
					WHEN $1 ~ 'metadata of the Delta table .*has been changed by a concurrent update' THEN 'MetadataChangedException'
					WHEN $1 ~ 'protocol version of the Delta table has been changed by a concurrent update' THEN 'ProtocolChangedException'
					WHEN $1 ~ 'multiple streaming queries are using the same checkpoint' THEN 'ConcurrentTransactionException'
				END) AS exception
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
		OR ((condition.class IS NULL OR condition.class !~ '^DELTA_(CONCURRENT|METADATA_CHANGED|PROTOCOL_CHANGED)')
			AND known.exception = condition.exception)
	CROSS JOIN LATERAL (SELECT substring($1 FROM 'Conflicting commit: (\{.*?\}) ?(?:\n|\\n|Refer to|$)') AS info) AS winner
	CROSS JOIN LATERAL (SELECT coalesce(
			substring($1 FROM 'partition (\[[^\n]*?=[^\n]*?\])(?: by a concurrent| that | which |[. ]|$)'),
			substring($1 FROM 'partition (\[[^\n]*?\])')) AS partition) AS hint;
END;
COMMENT ON FUNCTION deltacc.parse_error(text) IS
'what the text of one of Delta''s conflict exceptions tells: of Delta up to 4.0, of 4.1 and later, of Databricks; exception is null if it is none';

-- The rule for a read version that nobody wrote down: the newest commit at or
-- before the start; but if the error names a winner that this would have seen,
-- the version before that one (clocks differ, and a commit's time is its
-- writer's).
CREATE FUNCTION deltacc.aborted_read_version(
	table_name text,
	started_at timestamptz,
	error text DEFAULT NULL)
RETURNS bigint
LANGUAGE sql STABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	SELECT CASE
		WHEN named.version <= seen.version OR seen.version IS NULL THEN named.version - 1
		ELSE seen.version END
	FROM deltacc.tables AS t
	CROSS JOIN LATERAL (
		SELECT CASE
			WHEN $2 < min(c.committed_at) AND min(c.version) = 0 THEN -1
			ELSE max(c.version) FILTER (WHERE c.committed_at <= $2) END AS version
		FROM deltacc.commits AS c WHERE c.table_id = t.table_id
	) AS seen
	LEFT JOIN LATERAL deltacc.parse_error($3) AS e ON true
	LEFT JOIN LATERAL (
		SELECT coalesce(e.winning_version, (
			SELECT max(c.version) FROM deltacc.commits AS c
			WHERE c.table_id = t.table_id AND e.winning_txn_id IS NOT NULL
				AND deltacc.commit_info(c.actions) ->> 'txnId' = e.winning_txn_id)) AS version
	) AS named ON true
	WHERE t.name = $1;
END;
COMMENT ON FUNCTION deltacc.aborted_read_version(text, timestamptz, text) IS
'the version that a failed transaction read: the newest commit at or before its start, but the one before the winner that its error names; null if neither is known';


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
AS $$
#variable_conflict use_variable
DECLARE
	target deltacc.tables;
	failure record;
	said record;
	rules text;
	writes deltacc.actions;
	outcome record;
	conflict deltacc.conflict;
	found_conflict boolean := false;
BEGIN
	SELECT * INTO failure FROM deltacc.parse_error(coalesce(aborted.error, ''));
	error_exception := failure.exception;
	error_version := failure.winning_version;
	error_partition := failure.partition;
	SELECT * INTO said FROM deltacc.statement_reads(coalesce(aborted.statement, ''));
	operation := said.operation;
	reads := coalesce(aborted.reads, said.reads);
	note := CASE WHEN aborted.reads IS NULL THEN
		CASE WHEN aborted.statement IS NULL THEN 'neither statement nor reads: it may have read everything' ELSE said.note END END;

	SELECT t.* INTO target FROM deltacc.tables AS t WHERE t.name = aborted.table_name;
	IF target.table_id IS NULL THEN
		note := format('table "%s" is not in deltacc.tables', aborted.table_name);
		RETURN;
	END IF;
	IF error_version IS NULL AND failure.winning_txn_id IS NOT NULL THEN
		error_version := (SELECT max(c.version) FROM deltacc.commits AS c
			WHERE c.table_id = target.table_id AND deltacc.commit_info(c.actions) ->> 'txnId' = failure.winning_txn_id);
	END IF;
	read_version := coalesce(aborted.read_version,
		deltacc.aborted_read_version(aborted.table_name, aborted.started_at, aborted.error));
	SELECT max(c.version) INTO last_version FROM deltacc.commits AS c
		WHERE c.table_id = target.table_id
			AND CASE WHEN aborted.failed_at IS NULL THEN error_version IS NULL ELSE c.committed_at <= aborted.failed_at END
				OR c.table_id = target.table_id AND c.version <= error_version;
	IF read_version IS NULL THEN
		note := 'the version that it read is not known: give read_version, started_at or the error';
		RETURN;
	ELSIF read_version > last_version OR last_version IS NULL THEN
		note := format('version %s is not held', read_version);
		RETURN;
	ELSIF read_version < -1 + (SELECT min(l.version) FROM deltacc.table_log(aborted.table_name) AS l) THEN
		note := format('version %s is not held any more', read_version);
		RETURN;
	END IF;

	rules := CASE WHEN coalesce(aborted.isolation, CASE WHEN failure.is_databricks THEN 'WriteSerializable' END)
		ILIKE 'WriteSerializable' THEN 'WriteSerializable' ELSE 'Delta 4.4.0' END;
	-- An OPTIMIZE changes no data: of no other statement is that known.
	writes := CASE WHEN operation = 'OPTIMIZE' THEN ''::deltacc.actions END;
	IF read_version >= 0 THEN
		SELECT f.reads, coalesce(note, f.note) INTO reads, note
			FROM deltacc.fit_reads(deltacc.state_at(aborted.table_name, read_version), reads) AS f;
	ELSE
		reads := ARRAY(SELECT 'true'::deltacc.predicate FROM unnest(reads));
	END IF;
	avoided_by := '{}';
	FOR outcome IN
		SELECT c.rules, c.outcome, c.first_conflict
		FROM deltacc.compare_commit(aborted.table_name, read_version, reads, writes,
			operation => operation, last_version => last_version) AS c
	LOOP
		IF outcome.rules = rules AND outcome.outcome = 'conflict' THEN
			conflict := outcome.first_conflict;
			found_conflict := true;
		ELSIF outcome.outcome = 'ok' THEN
			avoided_by := avoided_by || outcome.rules;
		END IF;
	END LOOP;

	-- It failed: for a reason that the log doesn't show.
	IF NOT found_conflict THEN
		agrees := CASE WHEN error_exception IS NOT NULL THEN false END;
		note := coalesce(note, 'no commit that it raced conflicts with what is known of it');
		RETURN;
	END IF;
	winning_version := conflict.winning_version;
	winning_operation := conflict.winning_operation;
	winning_at := (SELECT c.committed_at FROM deltacc.commits AS c
		WHERE c.table_id = target.table_id AND c.version = conflict.winning_version);
	exception := conflict.exception;
	sub_condition := conflict.sub_condition;
	agrees := CASE WHEN error_exception IS NOT NULL THEN
		error_exception = exception AND coalesce(error_version = winning_version, true) END;
	path := conflict.path;
	partition_values := conflict.partition_values;
	read_predicate := conflict.read_predicate;
	real_overlap := CASE
		WHEN conflict.check_name NOT IN ('added_file', 'delete_read', 'delete_delete') THEN 'not about rows'
		WHEN avoided_by && ARRAY['data skipping', 'sharp', 'row level'] THEN 'no'
		ELSE 'not excluded' END;
	advice := conflict.hint;
	message := conflict.message;
END
$$;
COMMENT ON FUNCTION deltacc.explain_abort(deltacc.aborted_transactions) IS
'one failed transaction: what it read, the commit that beat it, whether the overlap was real, and the advice';

CREATE VIEW deltacc.aborted_conflicts WITH (security_invoker = true) AS
SELECT a.transaction_id, a.table_name, a.job_name, a.started_at, a.failed_at, x.*
FROM deltacc.aborted_transactions AS a
CROSS JOIN LATERAL deltacc.explain_abort(a) AS x;
COMMENT ON VIEW deltacc.aborted_conflicts IS
'each failed transaction with the commit that beat it, the file, the read, whether the overlap was real, what would have avoided it, and the advice';
