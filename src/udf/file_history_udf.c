/*-------------------------------------------------------------------------
 *
 * file_history_udf.c
 *	  Which files the commits of a log add and remove, and when each of them came
 *	  to life.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "delta/actions.h"
#include "delta/path.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(deltacc_touched_files);
PG_FUNCTION_INFO_V1(deltacc_removed_files);
PG_FUNCTION_INFO_V1(deltacc_young_files);

/* A file that a commit adds or removes; an ordinal of 0: it doesn't. */
typedef struct TouchedFile
{
	DeltaString path;			/* canonical */
	int			added;			/* ordinals of the actions */
	int			removed;
} TouchedFile;

/* Each file once, however its path is spelled. */
static TouchedFile *
touch_files(DeltaActions *a, const char *location, int *ntouched)
{
	int			n;
	const FileAction *files = deltacc_actions_files(a, &n);
	const ActionsColumn *paths = n > 0 ? deltacc_actions_column(a, COLUMN_PATH, "") : NULL;
	DeltaPathSet *seen = deltacc_path_set(location, Max(n, 16));
	TouchedFile *touched = palloc0(sizeof(TouchedFile) * Max(n, 1));

	*ntouched = 0;
	for (int i = 0; i < n; i++)
	{
		DeltaString path;
		bool		absolute;
		int			at = *ntouched;

		if (files[i].kind == ACTION_CDC)
			continue;
		path = deltacc_column_text(paths, i);
		if (deltacc_path_set_add(seen, path, at))
			touched[(*ntouched)++].path = deltacc_path_canonical(path, location, &absolute);
		else
			(void) deltacc_path_set_find(seen, path, &at, NULL);
		if (files[i].kind == ACTION_ADD)
			touched[at].added = files[i].ordinal;
		else
			touched[at].removed = files[i].ordinal;
	}
	return touched;
}

/*
 * touched_files(actions, table_location): one row for each file that a commit
 * adds or removes, known by its canonical path, with the ordinals of its
 * actions.
 */
Datum
deltacc_touched_files(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *location;
	TouchedFile *touched;
	int			n;

	deltacc_refuse_null(fcinfo, 0, "actions");
	location = deltacc_path_location(deltacc_utf8_argument(fcinfo, 1));
	touched = touch_files(deltacc_actions_open(PG_GETARG_DATUM(0)), location, &n);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, touched[i].added == 0, touched[i].removed == 0};

		CHECK_FOR_INTERRUPTS();
		values[0] = PointerGetDatum(deltacc_utf8_to_text(touched[i].path.data, touched[i].path.len));
		values[1] = Int32GetDatum(touched[i].added);
		values[2] = Int32GetDatum(touched[i].removed);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* What is known of a path in the log so far; a version of -1: it isn't. */
typedef struct KnownPath
{
	DeltaString path;
	uint32		hash;
	char		status;
	int64		born;			/* added by a commit that didn't remove it */
	int64		added;			/* added last */
	int			ordinal;		/* there */
} KnownPath;

#define SH_PREFIX known_path
#define SH_ELEMENT_TYPE KnownPath
#define SH_KEY_TYPE DeltaString
#define SH_KEY path
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) (key).data, (key).len)
#define SH_EQUAL(tb, a, b) ((a).len == (b).len && memcmp((a).data, (b).data, (a).len) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The rows of one commit's removes; then what it adds is known. */
static void
removed_by_commit(known_path_hash *known, MemoryContext context, int64 version, DeltaActions *a,
				  const char *location, bool wanted, ReturnSetInfo *rsinfo)
{
	int			n;
	TouchedFile *touched = touch_files(a, location, &n);

	for (int i = 0; i < n; i++)
	{
		KnownPath  *k = known_path_lookup(known, touched[i].path);
		bool		found = k != NULL;

		CHECK_FOR_INTERRUPTS();
		if (touched[i].removed != 0 && wanted)
		{
			Datum		values[7];
			bool		nulls[7] = {false, false, false, touched[i].added == 0, !found || k->born < 0, !found, !found};

			values[0] = Int64GetDatum(version);
			values[1] = PointerGetDatum(deltacc_utf8_to_text(touched[i].path.data, touched[i].path.len));
			values[2] = Int32GetDatum(touched[i].removed);
			values[3] = Int32GetDatum(touched[i].added);
			values[4] = Int64GetDatum(found ? k->born : 0);
			values[5] = Int64GetDatum(found ? k->added : 0);
			values[6] = Int32GetDatum(found ? k->ordinal : 0);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
		if (touched[i].added == 0)
			continue;
		if (!found)
		{
			DeltaString path = {touched[i].path.len, MemoryContextAlloc(context, Max(touched[i].path.len, 1))};

			memcpy(unconstify(char *, path.data), touched[i].path.data, path.len);
			k = known_path_insert(known, path, &found);
			k->born = -1;
		}
		if (touched[i].removed == 0)
			k->born = version;
		k->added = version;
		k->ordinal = touched[i].added;
	}
}

/*
 * removed_files(table_name, from_version, to_version): each file that a commit
 * removes, with the version at which it came to life and the add that added it
 * last.  One pass over the log, in the order of its versions.
 */
Datum
deltacc_removed_files(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context = CurrentMemoryContext;
	MemoryContext scratch;
	Oid			types[2] = {TEXTOID, INT8OID};
	Datum		arguments[2] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(2)};
	char		nulls[2] = {PG_ARGISNULL(0) ? 'n' : ' ', PG_ARGISNULL(2) ? 'n' : ' '};
	known_path_hash *known = known_path_create(context, 1024, NULL);
	char	   *location = NULL;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT l.version, l.actions, t.location FROM deltacc.tables AS t, deltacc.table_log($1, $2) AS l "
							  "WHERE t.name OPERATOR(pg_catalog.=) $1 ORDER BY l.version",
							  2, types, arguments, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.table_log failed");
	scratch = AllocSetContextCreate(CurrentMemoryContext, "deltacc removed files", ALLOCSET_DEFAULT_SIZES);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		int64		version = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		Datum		actions = SPI_getbinval(row, desc, 2, &isnull);
		MemoryContext old;

		if (i == 0)
		{
			Datum		value = SPI_getbinval(row, desc, 3, &isnull);

			if (!isnull)
			{
				text	   *t = DatumGetTextPP(value);
				int			len;
				char	   *utf8 = deltacc_to_utf8(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &len);

				location = deltacc_path_location(pnstrdup(utf8, len));
			}
		}
		old = MemoryContextSwitchTo(scratch);
		removed_by_commit(known, context, version, deltacc_actions_open(actions), location,
						  PG_ARGISNULL(1) || version >= PG_GETARG_INT64(1), rsinfo);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	SPI_finish();
	return (Datum) 0;
}

/* ---------------------------------------------------------------------
 * The young files of all commits, looked up one by one
 * ---------------------------------------------------------------------
 */

typedef struct YoungEntry
{
	int64		version;		/* hash key: must be first */
	ArrayType  *files;
} YoungEntry;

typedef struct YoungFiles
{
	MemoryContext context;
	Datum		arguments[4];	/* for which they were found */
	bool		nulls[4];
	HTAB	   *by_version;
} YoungFiles;

static bool
same_arguments(const YoungFiles *young, FunctionCallInfo fcinfo)
{
	for (int i = 0; i < 4; i++)
	{
		if (young->nulls[i] != PG_ARGISNULL(i))
			return false;
		if (young->nulls[i])
			continue;
		if (i == 0)
		{
			text	   *a = DatumGetTextPP(young->arguments[0]);
			text	   *b = PG_GETARG_TEXT_PP(0);

			if (VARSIZE_ANY_EXHDR(a) != VARSIZE_ANY_EXHDR(b) ||
				memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) != 0)
				return false;
		}
		else if (young->arguments[i] != PG_GETARG_DATUM(i))
			return false;
	}
	return true;
}

static void
find_young_files(YoungFiles *young, FunctionCallInfo fcinfo)
{
	Oid			types[4] = {TEXTOID, INT8OID, INT8OID, INT4OID};
	char		nulls[4];
	MemoryContext old = MemoryContextSwitchTo(young->context);
	HASHCTL		control = {.keysize = sizeof(int64), .entrysize = sizeof(YoungEntry), .hcxt = young->context};
	HTAB	   *by_version = hash_create("deltacc young files", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	for (int i = 0; i < 4; i++)
	{
		young->nulls[i] = PG_ARGISNULL(i);
		nulls[i] = young->nulls[i] ? 'n' : ' ';
		young->arguments[i] = young->nulls[i] ? (Datum) 0 :
			i == 0 ? PointerGetDatum(PG_GETARG_TEXT_P_COPY(0)) : PG_GETARG_DATUM(i);
	}
	MemoryContextSwitchTo(old);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT version, young FROM deltacc.loser_parts($1, $2, $3, $4)",
							  4, types, young->arguments, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.loser_parts failed");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		int64		version = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		Datum		files = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull);
		YoungEntry *entry = hash_search(by_version, &version, HASH_ENTER, NULL);

		old = MemoryContextSwitchTo(young->context);
		entry->files = DatumGetArrayTypePCopy(files);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	young->by_version = by_version;
}

/*
 * young_files(table_name, from_version, to_version, versions, loser_version):
 * one commit's row of loser_parts().  A join would do the same, but some plans
 * of it would sort or hash all pairs before they are judged, with all that
 * belongs to them.
 */
Datum
deltacc_young_files(PG_FUNCTION_ARGS)
{
	YoungFiles *young = fcinfo->flinfo->fn_extra;
	YoungEntry *entry;
	int64		version;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	if (young == NULL)
	{
		young = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(YoungFiles));
		young->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "deltacc young files", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = young;
	}
	if (young->by_version == NULL || !same_arguments(young, fcinfo))
	{
		young->by_version = NULL;
		MemoryContextReset(young->context);
		find_young_files(young, fcinfo);
	}
	version = PG_GETARG_INT64(4);
	entry = hash_search(young->by_version, &version, HASH_FIND, NULL);
	if (entry == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(entry->files);
}
