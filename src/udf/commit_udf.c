/*-------------------------------------------------------------------------
 *
 * commit_udf.c
 *	  The conflict check against an ingested log: check_commit, rebase_commit,
 *	  compare_commit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/text.h"
#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "delta/path.h"
#include "delta/path_index.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "udf/rule_sets.h"
#include "udf/vector_source.h"
#include "utils/acl.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

PG_FUNCTION_INFO_V1(deltacc_check_commit);
PG_FUNCTION_INFO_V1(deltacc_rebase_commit);
PG_FUNCTION_INFO_V1(deltacc_compare_commit);
PG_FUNCTION_INFO_V1(deltacc_judged_commit);

/* The log that is looked at. */
typedef struct LogRange
{
	char	   *table_name;		/* in the database's encoding */
	int64		table_id;
	int64		read_version;
	int64		last_version;
	bool		may_read_snapshots; /* the caller's rights; else every commit is
									 * folded */
} LogRange;

/* The commits after the read version. */
typedef struct Winners
{
	int			n;
	Datum	   *actions;		/* in SPI's memory */
	DeltaActions **opened;		/* NULL: not yet; ask winner_at() */
	MemoryContext context;
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

/* Who may read the commits need not have been granted the states. */
static bool
may_read_snapshots(void)
{
	Oid			relid = get_relname_relid("snapshots", get_namespace_oid("deltacc", false));

	return OidIsValid(relid) && pg_class_aclcheck(relid, GetUserId(), ACL_SELECT) == ACLCHECK_OK;
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
		*location = deltacc_text_to_utf8(value, CurrentMemoryContext);
}

/* Where the log ends; checks the two ends of the range against it. */
static void
check_range(LogRange *range, bool has_last_version)
{
	int64		newest;
	bool		isnull;

	/* Where the newest commits have been forgotten, there is only the state. */
	query(range, range->may_read_snapshots ?
		  "SELECT GREATEST((SELECT pg_catalog.max(version) FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1), "
		  "(SELECT pg_catalog.max(version) FROM deltacc.snapshots WHERE table_id OPERATOR(pg_catalog.=) $1 AND is_base))" :
		  "SELECT pg_catalog.max(version) FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1",
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

	/*
	 * The newest state that is kept, and the commits after it.  A gap is an
	 * ERROR of the aggregate's.
	 */
	query(range, range->may_read_snapshots ?
		  "WITH kept AS (SELECT version, state FROM deltacc.snapshots "
		  "WHERE table_id OPERATOR(pg_catalog.=) $1 AND version OPERATOR(pg_catalog.<=) $3 "
		  "ORDER BY version DESC LIMIT 1) "
		  "SELECT deltacc.table_state(version, actions), pg_catalog.max(version) FROM ("
		  "SELECT version, state AS actions FROM kept UNION ALL "
		  "SELECT version, actions FROM deltacc.state_log($1, COALESCE((SELECT version FROM kept), $2), $3)) AS log" :
		  "SELECT deltacc.table_state(version, actions), pg_catalog.max(version) FROM deltacc.state_log($1, $2, $3)",
		  -1, range->read_version);
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
	winners.opened = palloc0(sizeof(DeltaActions *) * Max(winners.n, 1));
	winners.context = CurrentMemoryContext;
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

/* A winner is looked at several times, but opened once. */
static DeltaActions *
winner_at(const Winners *winners, int i)
{
	if (winners->opened[i] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(winners->context);

		winners->opened[i] = deltacc_actions_open(winners->actions[i]);
		MemoryContextSwitchTo(old);
	}
	return winners->opened[i];
}

/* Files that are looked for, and their adds as far as they have been found. */
typedef struct FileSearch
{
	DeltaPathSet *wanted;
	uint32	   *keys;			/* of those wanted, as path_index.h has them */
	int			nkeys;
	DeltaPathSet *found;
	StringInfoData adds;		/* lines */
	MemoryContext context;		/* of all of it */
	MemoryContext batch;		/* of what is looked through */
} FileSearch;

/* The paths of file actions of one kind are looked for. */
static void
want_paths(FileSearch *search, DeltaActions *a, ActionKind kind)
{
	const uint8 *marks;
	const ActionsColumn *paths;
	int			n;

	marks = deltacc_actions_marks(a, &n);
	paths = deltacc_actions_column(a, COLUMN_PATH, "");
	search->keys = search->keys ? repalloc_huge(search->keys, sizeof(uint32) * ((Size) search->nkeys + n)) :
		palloc_extended(sizeof(uint32) * (Size) Max(n, 1), MCXT_ALLOC_HUGE);
	for (int i = 0; i < n; i++)
	{
		DeltaString path;

		if (FILE_MARK_KIND(marks[i]) != kind)
			continue;
		path = deltacc_column_text(paths, i);
		if (deltacc_path_set_add(search->wanted, path, i))
			search->keys[search->nkeys++] = deltacc_path_index_key(path);
	}
}

static int
compare_keys(const void *a, const void *b)
{
	uint32		x = *(const uint32 *) a;
	uint32		y = *(const uint32 *) b;

	return (x > y) - (x < y);
}

/* Each key once. */
static void
sort_keys(FileSearch *search)
{
	int			kept = 0;

	qsort(search->keys, search->nkeys, sizeof(uint32), compare_keys);
	for (int i = 0; i < search->nkeys; i++)
	{
		if (kept == 0 || search->keys[kept - 1] != search->keys[i])
			search->keys[kept++] = search->keys[i];
	}
	search->nkeys = kept;
}

static bool
search_is_over(const FileSearch *search)
{
	return deltacc_path_set_count(search->found) >= deltacc_path_set_count(search->wanted);
}

/* Takes the adds of a commit, or of a state, the last one of each path first. */
static void
search_actions(FileSearch *search, DeltaActions *a)
{
	const uint8 *marks;
	const ActionsColumn *paths;
	int			n;

	if (!(deltacc_actions_flags(a) & ACTIONS_HAS_ADD))
		return;
	marks = deltacc_actions_marks(a, &n);
	paths = deltacc_actions_column(a, COLUMN_PATH, "");
	for (int f = n - 1; f >= 0; f--)
	{
		DeltaString path;
		FileAction	file;
		MemoryContext batch;

		if (FILE_MARK_KIND(marks[f]) != ACTION_ADD)
			continue;
		path = deltacc_column_text(paths, f);
		if (!deltacc_path_set_find(search->wanted, path, NULL, NULL) ||
			deltacc_path_set_find(search->found, path, NULL, NULL))
			continue;

		file = deltacc_actions_file(a, f);
		appendBinaryStringInfo(&search->adds, deltacc_actions_line(a, file.line_offset, file.line_length),
							   file.line_length);
		appendStringInfoChar(&search->adds, '\n');
		batch = MemoryContextSwitchTo(search->context);
		path.data = memcpy(palloc(path.len + 1), path.data, path.len);
		deltacc_path_set_add(search->found, path, f);
		MemoryContextSwitchTo(batch);
	}
}

/* Looks through the values in the first column of the last query's rows. */
static void
search_rows(FileSearch *search)
{
	SPITupleTable *table = SPI_tuptable;
	uint64		rows = SPI_processed;

	MemoryContextSwitchTo(search->batch);
	for (uint64 i = 0; i < rows; i++)
	{
		bool		isnull;

		CHECK_FOR_INTERRUPTS();
		search_actions(search, deltacc_actions_open(SPI_getbinval(table->vals[i], table->tupdesc, 1, &isnull)));
	}
	MemoryContextSwitchTo(search->context);
	MemoryContextReset(search->batch);
	SPI_freetuptable(table);
}

/* Looks through commits [lower, upper]; false if none of them is held. */
static bool
search_range(FileSearch *search, const LogRange *range, int64 lower, int64 upper)
{
	query(range, "SELECT actions FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1 "
		  "AND version OPERATOR(pg_catalog.>=) $2 AND version OPERATOR(pg_catalog.<=) $3 ORDER BY version DESC",
		  lower, upper);
	if (SPI_processed == 0)
		return false;
	search_rows(search);
	return true;
}

/* Looks through single commits. */
static void
search_commits(FileSearch *search, const LogRange *range, const int64 *versions, int n)
{
	Oid			types[2] = {INT8OID, INT8ARRAYOID};
	Datum	   *elements = palloc(sizeof(Datum) * Max(n, 1));
	Datum		values[2] = {Int64GetDatum(range->table_id)};

	if (n == 0)
		return;
	for (int i = 0; i < n; i++)
		elements[i] = Int64GetDatum(versions[i]);
	values[1] = PointerGetDatum(construct_array(elements, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
	if (SPI_execute_with_args("SELECT actions FROM deltacc.commits WHERE table_id OPERATOR(pg_catalog.=) $1 "
							  "AND version OPERATOR(pg_catalog.=) ANY ($2) ORDER BY version DESC",
							  2, types, values, NULL, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.commits failed");
	search_rows(search);
}

/* So many commits are looked through before it is asked whether all is found. */
#define SEARCH_BATCH 64

/*
 * Reads the log backwards from the read version until all is found.  Where an
 * index says which commits may hold a file, only those are looked at.
 */
static void
search_log(FileSearch *search, const LogRange *range)
{
	int64		upper = range->read_version;
	SPITupleTable *indexes = NULL;
	uint64		nindexes = 0;
	uint64		next = 0;
	int64	   *versions = NULL;
	int			nversions = 0;
	int			capacity = 0;

	if (range->may_read_snapshots)
	{
		query(range, "SELECT added_paths FROM deltacc.snapshots WHERE table_id OPERATOR(pg_catalog.=) $1 "
			  "AND added_paths IS NOT NULL ORDER BY version DESC", 0, 0);
		indexes = SPI_tuptable;
		nindexes = SPI_processed;
	}
	while (upper >= 0 && !search_is_over(search))
	{
		PathIndex  *index = NULL;

		CHECK_FOR_INTERRUPTS();
		for (; next < nindexes; next++)
		{
			bool		isnull;

			index = deltacc_path_index_open(SPI_getbinval(indexes->vals[next], indexes->tupdesc, 1, &isnull));
			if (index->first <= upper)
				break;
		}
		if (next < nindexes && index->last >= upper)
		{
			deltacc_path_index_search(index, upper, search->keys, search->nkeys, &versions, &nversions, &capacity);
			upper = index->first - 1;
			next++;
		}
		else
		{
			int64		lower = Max(upper - SEARCH_BATCH + 1, next < nindexes ? index->last + 1 : 0);

			/* What is newer comes first. */
			search_commits(search, range, versions, nversions);
			nversions = 0;
			if (search_is_over(search) || !search_range(search, range, lower, upper))
				break;
			upper = lower - 1;
		}
		if (nversions >= SEARCH_BATCH)
		{
			search_commits(search, range, versions, nversions);
			nversions = 0;
		}
	}
	search_commits(search, range, versions, nversions);
}

/*
 * The adds of those files that winners remove, as they were live at the read
 * version: NULL if there is none.  Also of those that the transaction adds
 * (writes; NULL: not asked for), where a winner moved rows.
 */
static DeltaActions *
read_live_files(const LogRange *range, const Winners *winners, DeltaActions *writes, const char *location)
{
	FileSearch	search = {0};

	search.context = CurrentMemoryContext;
	search.batch = AllocSetContextCreate(search.context, "deltacc commits", ALLOCSET_DEFAULT_SIZES);
	search.wanted = deltacc_path_set(deltacc_path_location(location), 64);
	search.found = deltacc_path_set(deltacc_path_location(location), 64);
	initStringInfo(&search.adds);
	for (int i = 0; i < winners->n; i++)
	{
		DeltaActions *a = winner_at(winners, i);

		if (!(deltacc_actions_flags(a) & ACTIONS_HAS_REMOVE))
			continue;
		want_paths(&search, a, ACTION_REMOVE);
		if (writes != NULL && !(deltacc_actions_flags(a) & ACTIONS_ANY_DATA_CHANGE))
		{
			want_paths(&search, writes, ACTION_ADD);
			writes = NULL;
		}
	}
	if (search.nkeys == 0)
		return NULL;
	sort_keys(&search);

	search_log(&search, range);
	if (range->may_read_snapshots && !search_is_over(&search))
	{
		query(range, "SELECT state FROM deltacc.snapshots WHERE table_id OPERATOR(pg_catalog.=) $1 "
			  "AND version OPERATOR(pg_catalog.<=) $3 AND is_base ORDER BY version DESC LIMIT 1",
			  0, range->read_version);
		search_rows(&search);
	}
	if (search.adds.len == 0)
		return NULL;
	return deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(search.adds.data, search.adds.len, NULL)));
}

/*
 * Checks a transaction against the log, within an SPI connection.  What is
 * palloc'd lives in SPI's memory: results are copied out by the callers.
 */
static void
prepare(FunctionCallInfo fcinfo, LogRange *range, Winners *winners, TransactionArgs *args)
{
	deltacc_refuse_null(fcinfo, 0, "table_name");
	deltacc_refuse_null(fcinfo, 1, "read_version");
	deltacc_transaction_arguments(fcinfo, args);
	range->table_name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	range->read_version = PG_GETARG_INT64(1);
	range->last_version = PG_ARGISNULL(9) ? 0 : PG_GETARG_INT64(9);
	if (range->read_version < -1)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("read_version must not be below -1"),
				 errhint("-1 means that there was no table yet.")));

	range->may_read_snapshots = may_read_snapshots();
	find_table(range, &args->table_location);
	check_range(range, !PG_ARGISNULL(9));
	args->table_name = deltacc_utf8_argument(fcinfo, 0);
	args->snapshot = read_snapshot(range);
	*winners = read_winners(range);
	deltacc_vector_source(args, range->table_id);
}

static bool
need_partitions(const TransactionArgs *args, const Winners *winners)
{
	for (int i = 0; i < winners->n; i++)
	{
		if (deltacc_transaction_needs_partitions(args, winner_at(winners, i)))
			return true;
	}
	return false;
}

static Transaction *
begin(FunctionCallInfo fcinfo, LogRange *range, Winners *winners, bool verdict_only)
{
	TransactionArgs args;

	prepare(fcinfo, range, winners, &args);
	args.verdict_only = verdict_only;
	if (deltacc_transaction_needs_files(&args) || deltacc_transaction_needs_own_files(&args) ||
		need_partitions(&args, winners))
		args.files = read_live_files(range, winners,
									 deltacc_transaction_needs_own_files(&args) ? args.writes : NULL,
									 args.table_location);
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
		DeltaActions *winner = winner_at(&winners, i);
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
		DeltaActions *winner = winner_at(&winners, i);
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

/* The first conflict that the winner number n gives, in words. */
static const Conflict *
conflict_in_words(const TransactionArgs *args, const LogRange *range, const Winners *winners, int n)
{
	TransactionArgs one = *args;
	Transaction *txn;
	List	   *conflicts = NIL;

	one.first_only = true;
	txn = deltacc_transaction_begin(&one);
	for (int i = 0; i <= n; i++)
	{
		DeltaActions *winner = winner_at(winners, i);
		int64		version = range->read_version + 1 + i;

		CHECK_FOR_INTERRUPTS();
		conflicts = deltacc_transaction_check(txn, winner, version);
		if (conflicts == NIL)
			deltacc_transaction_rebase(txn, winner, version);
	}
	return conflicts == NIL ? NULL : linitial(conflicts);
}

/*
 * All rules of one set over all winners: the number of conflicts, and of the winner
 * that gives the first one; -1: none.  They are not put into words: advice is tried
 * out on the winner's files, which takes longer than the check.
 */
static int
check_by_rules(const TransactionArgs *args, const LogRange *range, const Winners *winners, int *first)
{
	TransactionArgs terse = *args;
	Transaction *txn;
	int			count = 0;

	*first = -1;
	terse.terse = true;
	txn = deltacc_transaction_begin(&terse);
	for (int i = 0; i < winners->n; i++)
	{
		DeltaActions *winner = winner_at(winners, i);
		int64		version = range->read_version + 1 + i;
		List	   *conflicts = deltacc_transaction_check(txn, winner, version);

		CHECK_FOR_INTERRUPTS();
		if (conflicts == NIL)
			deltacc_transaction_rebase(txn, winner, version);
		else if (*first < 0)
			*first = i;
		count += list_length(conflicts);
	}
	return count;
}

/*
 * The same, but an ERROR about what stands in the log is no end: its message is
 * returned then, else NULL.
 */
static char *
try_by_rules(const TransactionArgs *args, const LogRange *range, const Winners *winners, int *first, int *count)
{
	MemoryContext caller = CurrentMemoryContext;
	char	   *volatile error = NULL;

	PG_TRY();
	{
		*count = check_by_rules(args, range, winners, first);
	}
	PG_CATCH();
	{
		*first = -1;
		*count = 0;
		error = deltacc_log_error(caller);
	}
	PG_END_TRY();
	return error;
}

#define COMPARE_COMMIT_COLUMNS 4

/*
 * One row for each set of rules.  With keep_errors a set that ends with an ERROR
 * is a row, too, and so are those after it.
 */
static Datum
compare(FunctionCallInfo fcinfo, bool keep_errors)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TupleDesc	conflict_type;
	LogRange	range;
	Winners		winners;
	TransactionArgs args;
	TransactionArgs pinned[RULE_SETS];
	bool		needs_files = false;
	bool		needs_own_files = false;
	char	   *error = NULL;

	InitMaterializedSRF(fcinfo, 0);
	conflict_type = lookup_rowtype_tupdesc_copy(TupleDescAttr(rsinfo->setDesc, 3)->atttypid, -1);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	prepare(fcinfo, &range, &winners, &args);
	args.verdict_only = true;
	for (int i = 0; i < RULE_SETS; i++)
	{
		pinned[i] = args;
		deltacc_apply_rule_set(&pinned[i], &deltacc_rule_sets[i]);
		needs_files = needs_files || deltacc_transaction_needs_files(&pinned[i]);
		needs_own_files = needs_own_files || deltacc_transaction_needs_own_files(&pinned[i]);
	}
	if (needs_files || needs_own_files || need_partitions(&args, &winners))
		args.files = read_live_files(&range, &winners, needs_own_files ? args.writes : NULL, args.table_location);

	for (int i = 0; i < RULE_SETS; i++)
	{
		const Conflict *first = NULL;
		int			first_winner = -1;
		Datum		values[COMPARE_COMMIT_COLUMNS + 1];
		bool		nulls[COMPARE_COMMIT_COLUMNS + 1] = {false};
		int			count = 0;

		pinned[i].files = args.files;
		/* Bytes of vectors come through SQL, whose errors only a transaction ends. */
		if (!keep_errors || (error == NULL && deltacc_rule_sets[i].row_level != ROW_LEVEL_OFF))
			count = check_by_rules(&pinned[i], &range, &winners, &first_winner);
		else if (error == NULL)
			error = try_by_rules(&pinned[i], &range, &winners, &first_winner, &count);
		/* A hint may look for vectors, too. */
		if (first_winner >= 0)
			first = conflict_in_words(&pinned[i], &range, &winners, first_winner);
		values[0] = CStringGetTextDatum(deltacc_rule_sets[i].name);
		values[1] = CStringGetTextDatum(error ? "error" : count == 0 ? "ok" : "conflict");
		values[2] = Int32GetDatum(count);
		nulls[2] = error != NULL;
		nulls[3] = first == NULL;
		if (first)
		{
			Datum		fields[CONFLICT_COLUMNS];
			bool		field_nulls[CONFLICT_COLUMNS];

			deltacc_conflict_row(first, fields, field_nulls);
			values[3] = HeapTupleGetDatum(heap_form_tuple(conflict_type, fields, field_nulls));
		}
		nulls[4] = error == NULL;
		if (error)
			values[4] = CStringGetTextDatum(error);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	SPI_finish();
	return (Datum) 0;
}

/* deltacc.compare_commit(the arguments of check_commit) */
Datum
deltacc_compare_commit(PG_FUNCTION_ARGS)
{
	return compare(fcinfo, false);
}

/* deltacc.judged_commit(the arguments of check_commit) */
Datum
deltacc_judged_commit(PG_FUNCTION_ARGS)
{
	return compare(fcinfo, true);
}
