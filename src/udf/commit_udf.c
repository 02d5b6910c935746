/*-------------------------------------------------------------------------
 *
 * commit_udf.c
 *	  The conflict check against an ingested log: check_commit, rebase_commit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "catalog/pg_type.h"
#include "delta/path.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(deltacc_check_commit);
PG_FUNCTION_INFO_V1(deltacc_rebase_commit);

/* The log that is looked at. */
typedef struct LogRange
{
	char	   *table_name;		/* in the database's encoding */
	int64		table_id;
	int64		read_version;
	int64		last_version;
} LogRange;

/* The commits after the read version. */
typedef struct Winners
{
	int			n;
	Datum	   *actions;		/* in SPI's memory */
} Winners;

/* Runs a query whose parameters are the table's id and two versions. */
static void
query(const LogRange *range, const char *sql, int64 from, int64 to)
{
	Oid			types[3] = {INT8OID, INT8OID, INT8OID};
	Datum		values[3] = {Int64GetDatum(range->table_id), Int64GetDatum(from), Int64GetDatum(to)};

	if (SPI_execute_with_args(sql, 3, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.commits failed");
}

static Datum
cell(uint64 row, int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, isnull);
}

/* The table of that name; its location in *location, UTF-8. */
static void
find_table(LogRange *range, const char **location)
{
	Oid			type = TEXTOID;
	Datum		name = CStringGetTextDatum(range->table_name);
	Datum		value;
	bool		isnull;

	if (SPI_execute_with_args("SELECT table_id, location FROM deltacc.tables WHERE name OPERATOR(pg_catalog.=) $1",
							  1, &type, &name, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.tables failed");
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("there is no log of a table \"%s\"", range->table_name),
				 errhint("SELECT name FROM deltacc.tables shows what was ingested; deltacc.ingest() adds a log.")));
	range->table_id = DatumGetInt64(cell(0, 1, &isnull));
	value = cell(0, 2, &isnull);
	*location = NULL;
	if (!isnull)
	{
		text	   *t = DatumGetTextPP(value);
		int			len;
		char	   *utf8 = deltacc_to_utf8(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &len);

		*location = pnstrdup(utf8, len);
	}
}

/* Where the log ends; checks the two ends of the range against it. */
static void
check_range(LogRange *range, bool has_last_version)
{
	int64		newest;
	bool		isnull;

	query(range, "SELECT pg_catalog.max(version) FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1",
		  0, 0);
	newest = DatumGetInt64(cell(0, 1, &isnull));
	if (isnull)
		newest = -1;
	if (range->read_version > newest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the log of \"%s\" does not hold read_version " INT64_FORMAT, range->table_name, range->read_version),
				 newest < 0 ? errdetail("It holds no commit.") :
				 errdetail("Its newest version is " INT64_FORMAT ".", newest),
				 errhint("Ingest the newer commits first: deltacc.ingest().")));
	if (!has_last_version)
		range->last_version = newest;
	else if (range->last_version > newest)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the log of \"%s\" does not hold last_version " INT64_FORMAT, range->table_name, range->last_version),
				 errdetail("Its newest version is " INT64_FORMAT ".", newest),
				 errhint("Ingest the newer commits first: deltacc.ingest().")));
	if (range->last_version < range->read_version)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("last_version " INT64_FORMAT " comes before read_version " INT64_FORMAT,
						range->last_version, range->read_version)));
}

/* The table as the transaction read it. */
static DeltaSnapshot *
read_snapshot(const LogRange *range)
{
	Datum		state;
	bool		isnull;

	if (range->read_version < 0)
		return deltacc_snapshot_open(deltacc_actions_open(
														  PointerGetDatum(deltacc_actions_parse("", 0, NULL))));

	/* A gap is an ERROR of the aggregate's. */
	query(range, "SELECT deltacc.table_state(version, actions), pg_catalog.max(version) FROM deltacc.commits "
		  "WHERE table_id OPERATOR(pg_catalog.=) $1 AND version OPERATOR(pg_catalog.>=) $2 "
		  "AND version OPERATOR(pg_catalog.<=) $3", 0, range->read_version);
	state = cell(0, 1, &isnull);
	if (isnull || DatumGetInt64(cell(0, 2, &isnull)) != range->read_version)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the log of \"%s\" does not hold read_version " INT64_FORMAT, range->table_name, range->read_version),
				 errhint("Versions may have been cut off at the start of the log; read_version must be one that is there.")));
	return deltacc_snapshot_open(deltacc_actions_open(state));
}

/* Every commit after the read version, none missing. */
static Winners
read_winners(const LogRange *range)
{
	Winners		winners;
	int64		expected = range->read_version + 1;

	query(range, "SELECT version, actions FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1 "
		  "AND version OPERATOR(pg_catalog.>) $2 AND version OPERATOR(pg_catalog.<=) $3 ORDER BY version",
		  range->read_version, range->last_version);
	winners.n = (int) SPI_processed;
	winners.actions = palloc(sizeof(Datum) * Max(winners.n, 1));
	for (int i = 0; i <= winners.n; i++)
	{
		bool		isnull;

		if (i == winners.n ? expected <= range->last_version : DatumGetInt64(cell(i, 1, &isnull)) != expected)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the log of \"%s\" does not hold version " INT64_FORMAT, range->table_name, expected),
					 errdetail("The winners are the commits " INT64_FORMAT " to " INT64_FORMAT ": each may conflict.",
							   range->read_version + 1, range->last_version),
					 errhint("Ingest the missing commit.")));
		if (i < winners.n)
			winners.actions[i] = cell(i, 2, &isnull);
		expected++;
	}
	return winners;
}

/*
 * The adds of those files that winners remove, as they were live at the read
 * version: read off the log backwards, until all are found.  NULL if there is
 * none.
 */
static DeltaActions *
read_live_files(const LogRange *range, const Winners *winners, const char *location)
{
	DeltaPathSet *wanted;
	DeltaPathSet *found;
	StringInfoData text;
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext batch = AllocSetContextCreate(outer, "deltacc commits", ALLOCSET_DEFAULT_SIZES);
	int64		upper = range->read_version;

	wanted = deltacc_path_set(deltacc_path_location(location), 64);
	found = deltacc_path_set(deltacc_path_location(location), 64);
	for (int i = 0; i < winners->n; i++)
	{
		DeltaActions *a = deltacc_actions_open(winners->actions[i]);
		const FileAction *files;
		const ActionsColumn *paths;
		int			n;

		if (!(deltacc_actions_flags(a) & ACTIONS_HAS_REMOVE))
			continue;
		files = deltacc_actions_files(a, &n);
		paths = deltacc_actions_column(a, COLUMN_PATH, "");
		for (int f = 0; f < n; f++)
		{
			if (files[f].kind == ACTION_REMOVE)
				deltacc_path_set_add(wanted, deltacc_column_text(paths, f), f);
		}
	}

	initStringInfo(&text);
	while (upper >= 0 && deltacc_path_set_count(found) < deltacc_path_set_count(wanted))
	{
		int64		lower = Max(upper - 63, 0);
		SPITupleTable *table;
		uint64		rows;

		query(range, "SELECT actions FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1 "
			  "AND version OPERATOR(pg_catalog.>=) $2 AND version OPERATOR(pg_catalog.<=) $3 ORDER BY version DESC",
			  lower, upper);
		rows = SPI_processed;
		table = SPI_tuptable;
		MemoryContextSwitchTo(batch);
		for (uint64 i = 0; i < rows; i++)
		{
			bool		isnull;
			DeltaActions *a = deltacc_actions_open(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull));
			const FileAction *files;
			const ActionsColumn *paths;
			int			n;

			CHECK_FOR_INTERRUPTS();
			if (!(deltacc_actions_flags(a) & ACTIONS_HAS_ADD))
				continue;
			files = deltacc_actions_files(a, &n);
			paths = deltacc_actions_column(a, COLUMN_PATH, "");
			for (int f = n - 1; f >= 0; f--)
			{
				DeltaString path;

				if (files[f].kind != ACTION_ADD)
					continue;
				path = deltacc_column_text(paths, f);
				if (!deltacc_path_set_find(wanted, path, NULL, NULL) ||
					deltacc_path_set_find(found, path, NULL, NULL))
					continue;

				/* What is kept must outlive the batch. */
				path.data = memcpy(MemoryContextAlloc(outer, path.len + 1), path.data, path.len);
				deltacc_path_set_add(found, path, f);
				appendBinaryStringInfo(&text, deltacc_actions_line(a, files[f].line_offset, files[f].line_length),
									   files[f].line_length);
				appendStringInfoChar(&text, '\n');
			}
		}
		MemoryContextSwitchTo(outer);
		MemoryContextReset(batch);
		SPI_freetuptable(table);
		upper = lower - 1;
	}
	if (text.len == 0)
		return NULL;
	return deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
}

/*
 * Checks a transaction against the log, within an SPI connection.  What is
 * palloc'd lives in SPI's memory: results are copied out by the callers.
 */
static Transaction *
begin(FunctionCallInfo fcinfo, LogRange *range, Winners *winners, bool verdict_only)
{
	TransactionArgs args;

	deltacc_refuse_null(fcinfo, 0, "table_name");
	deltacc_refuse_null(fcinfo, 1, "read_version");
	deltacc_transaction_arguments(fcinfo, &args);
	range->table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	range->read_version = PG_GETARG_INT64(1);
	range->last_version = PG_ARGISNULL(9) ? 0 : PG_GETARG_INT64(9);
	if (range->read_version < -1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("read_version must not be below -1"),
				 errhint("-1 means that there was no table yet.")));

	find_table(range, &args.table_location);
	check_range(range, !PG_ARGISNULL(9));
	args.table_name = deltacc_utf8_argument(fcinfo, 0);
	args.verdict_only = verdict_only;
	args.snapshot = read_snapshot(range);
	*winners = read_winners(range);
	if (deltacc_transaction_needs_files(&args))
		args.files = read_live_files(range, winners, args.table_location);
	return deltacc_transaction_begin(&args);
}

Datum
deltacc_check_commit(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	LogRange	range;
	Winners		winners;
	Transaction *txn;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	txn = begin(fcinfo, &range, &winners, true);
	for (int i = 0; i < winners.n; i++)
	{
		DeltaActions *winner = deltacc_actions_open(winners.actions[i]);
		int64		version = range.read_version + 1 + i;
		List	   *conflicts = deltacc_transaction_check(txn, winner, version);
		ListCell   *lc;

		foreach(lc, conflicts)
		{
			Datum		values[CONFLICT_COLUMNS];
			bool		nulls[CONFLICT_COLUMNS];

			CHECK_FOR_INTERRUPTS();
			deltacc_conflict_row(lfirst(lc), values, nulls);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}

		/* After a winner that conflicts the transaction goes on as it stood. */
		if (conflicts == NIL)
			deltacc_transaction_rebase(txn, winner, version);
	}
	SPI_finish();
	return (Datum) 0;
}

Datum
deltacc_rebase_commit(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	LogRange	range;
	Winners		winners;
	Transaction *txn;
	List	   *all = NIL;
	char	   *result = NULL;

	deltacc_refuse_null(fcinfo, 3, "writes");
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	txn = begin(fcinfo, &range, &winners, false);
	for (int i = 0; i < winners.n; i++)
	{
		DeltaActions *winner = deltacc_actions_open(winners.actions[i]);
		int64		version = range.read_version + 1 + i;
		List	   *conflicts = deltacc_transaction_check(txn, winner, version);

		all = list_concat(all, conflicts);
		if (all == NIL)
			deltacc_transaction_rebase(txn, winner, version);
	}
	if (all != NIL)
		deltacc_raise_conflicts(all);
	result = MemoryContextStrdup(caller, deltacc_transaction_result(txn));
	SPI_finish();
	PG_RETURN_POINTER(deltacc_actions_parse(result, strlen(result), NULL));
}
