/*-------------------------------------------------------------------------
 *
 * conflict_udf.c
 *	  SQL access to the conflict check of two commits: check_conflicts,
 *	  first_conflict, rebase, isolation_level.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "udf/vector_source.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(deltacc_check_conflicts);
PG_FUNCTION_INFO_V1(deltacc_first_conflict);
PG_FUNCTION_INFO_V1(deltacc_rebase);
PG_FUNCTION_INFO_V1(deltacc_isolation_level);

/* Delta's SQLSTATE of a conflict. */
#define ERRCODE_DELTA_CONFLICT MAKE_SQLSTATE('2', 'D', '5', '2', '1')

/* So many bytes of a read's text stand in a row. */
#define MAX_READ_PREDICATE 8192

/* So many further conflicts stand in the DETAIL of an ERROR. */
#define MAX_DETAILED 20

void
deltacc_refuse_null(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be NULL", name),
				 errhint("A conflict check that is not told what happened can't answer that nothing did.")));
}

char *
deltacc_utf8_argument(FunctionCallInfo fcinfo, int n)
{
	return PG_ARGISNULL(n) ? NULL : deltacc_text_to_utf8(PG_GETARG_DATUM(n), CurrentMemoryContext);
}

/* The elements of an array argument, none of them NULL. */
static Datum *
array_argument(FunctionCallInfo fcinfo, int n, const char *name, int *count)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(n);
	int16		typlen;
	bool		typbyval;
	char		typalign;
	Datum	   *values;
	bool	   *nulls;

	get_typlenbyvalalign(ARR_ELEMTYPE(array), &typlen, &typbyval, &typalign);
	deconstruct_array(array, ARR_ELEMTYPE(array), typlen, typbyval, typalign, &values, &nulls, count);
	for (int i = 0; i < *count; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("%s[%d] must not be NULL", name, i + 1),
					 errhint("Leave the element out if there is none; a read of the whole table is the predicate true.")));
	}
	return values;
}

static char **
text_array_argument(FunctionCallInfo fcinfo, int n, const char *name, int *count)
{
	Datum	   *values = array_argument(fcinfo, n, name, count);
	char	  **result = palloc(sizeof(char *) * Max(*count, 1));

	for (int i = 0; i < *count; i++)
		result[i] = deltacc_text_to_utf8(values[i], CurrentMemoryContext);
	return result;
}

void
deltacc_transaction_arguments(FunctionCallInfo fcinfo, TransactionArgs *args)
{
	Datum	   *reads;

	memset(args, 0, sizeof(*args));
	args->options = deltacc_current_options();

	deltacc_refuse_null(fcinfo, 2, "reads");
	reads = array_argument(fcinfo, 2, "reads", &args->nreads);
	args->reads = palloc(sizeof(Predicate *) * Max(args->nreads, 1));
	for (int i = 0; i < args->nreads; i++)
		args->reads[i] = DatumGetPredicateP(reads[i]);

	if (!PG_ARGISNULL(3))
		args->writes = deltacc_actions_open(PG_GETARG_DATUM(3));
	args->isolation = deltacc_utf8_argument(fcinfo, 4);
	deltacc_refuse_null(fcinfo, 5, "read_whole_table");
	args->read_whole_table = PG_GETARG_BOOL(5);
	if (!PG_ARGISNULL(6))
	{
		args->has_read_files = true;
		args->read_files = text_array_argument(fcinfo, 6, "read_files", &args->nread_files);
	}
	deltacc_refuse_null(fcinfo, 7, "read_app_ids");
	args->read_app_ids = text_array_argument(fcinfo, 7, "read_app_ids", &args->nread_app_ids);
	args->operation = deltacc_utf8_argument(fcinfo, 8);
}

static Datum
utf8_column(const char *text, bool *isnull)
{
	*isnull = text == NULL;
	return text ? PointerGetDatum(deltacc_utf8_to_text(text, strlen(text))) : (Datum) 0;
}

/*
 * The text of a read stands on each of its rows: a list of 100,000 values on
 * 10,000 rows would be gigabytes.  Cut, it doesn't pass for another predicate.
 */
static Datum
predicate_column(const char *text, bool *isnull)
{
	int			end = MAX_READ_PREDICATE;

	if (text == NULL || strlen(text) <= end)
		return utf8_column(text, isnull);
	while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
		end--;
	return utf8_column(psprintf("%.*s ...", end, text), isnull);
}

static Datum
jsonb_column(const char *json, bool *isnull)
{
	Jsonb	   *value = json ? deltacc_json_to_jsonb(json, strlen(json)) : NULL;

	*isnull = value == NULL;
	return value ? PointerGetDatum(value) : (Datum) 0;
}

void
deltacc_conflict_row(const Conflict *c, Datum *values, bool *nulls)
{
	int			i = 0;

	values[i] = Int64GetDatum(c->winning_version);
	nulls[i] = c->winning_version < 0;
	i++;
#define TEXT_COLUMN(member) values[i] = utf8_column(c->member, &nulls[i]), i++
#define JSONB_COLUMN(member) values[i] = jsonb_column(c->member, &nulls[i]), i++
	TEXT_COLUMN(winning_operation);
	TEXT_COLUMN(check_name);
	TEXT_COLUMN(exception);
	TEXT_COLUMN(error_class);
	TEXT_COLUMN(sub_condition);
	TEXT_COLUMN(sqlstate);
	TEXT_COLUMN(path);
	JSONB_COLUMN(partition_values);
	TEXT_COLUMN(isolation);
	values[i] = Int32GetDatum(c->read_index);
	nulls[i] = c->read_index == 0;
	i++;
	values[i] = predicate_column(c->read_predicate, &nulls[i]), i++;
	TEXT_COLUMN(message);
	TEXT_COLUMN(hint);
	JSONB_COLUMN(details);
	Assert(i == CONFLICT_COLUMNS);
#undef TEXT_COLUMN
#undef JSONB_COLUMN
}

/* In the database's encoding, terminated. */
static char *
to_database(const char *utf8)
{
	return text_to_cstring(deltacc_utf8_to_text(utf8, strlen(utf8)));
}

void
deltacc_raise_conflicts(List *conflicts)
{
	const Conflict *first = linitial(conflicts);
	StringInfoData detail;

	initStringInfo(&detail);
	for (int i = 1; i < list_length(conflicts) && i <= MAX_DETAILED; i++)
	{
		const Conflict *c = list_nth(conflicts, i);

		appendStringInfo(&detail, "%s%s: %s", i > 1 ? "\n" : "", c->exception, to_database(c->message));
	}
	if (list_length(conflicts) > MAX_DETAILED + 1)
		appendStringInfo(&detail, "\nAnd %d more: check_conflicts lists them.", list_length(conflicts) - MAX_DETAILED - 1);
	ereport(ERROR,
			(errcode(ERRCODE_DELTA_CONFLICT),
			 errmsg("%s: %s", first->exception, to_database(first->message)),
			 detail.len > 0 ? errdetail("%s", detail.data) : 0,
			 first->hint ? errhint("%s", to_database(first->hint)) : 0));
}

void
deltacc_check_arguments(FunctionCallInfo fcinfo, TransactionArgs *args, DeltaActions **winner, int64 *version)
{
	deltacc_refuse_null(fcinfo, 0, "snapshot");
	deltacc_refuse_null(fcinfo, 1, "winner");
	deltacc_transaction_arguments(fcinfo, args);
	*version = -1;
	if (!PG_ARGISNULL(9))
	{
		*version = PG_GETARG_INT64(9);
		if (*version < 0)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("winner_version must not be negative")));
	}
	args->table_name = deltacc_utf8_argument(fcinfo, 10);
	args->snapshot = deltacc_snapshot_open(deltacc_actions_open(PG_GETARG_DATUM(0)));
	*winner = deltacc_actions_open(PG_GETARG_DATUM(1));
	deltacc_vector_source(args, -1);
}

/* The arguments of check_conflicts and rebase, and the check itself. */
static List *
check(FunctionCallInfo fcinfo, bool first_only, Transaction **txn, DeltaActions **winner, int64 *version)
{
	TransactionArgs args;

	deltacc_check_arguments(fcinfo, &args, winner, version);
	args.first_only = first_only;
	*txn = deltacc_transaction_begin(&args);
	return deltacc_transaction_check(*txn, *winner, *version);
}

Datum
deltacc_check_conflicts(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	Transaction *txn;
	DeltaActions *winner;
	int64		version;
	List	   *conflicts = check(fcinfo, false, &txn, &winner, &version);
	ListCell   *lc;

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, conflicts)
	{
		Datum		values[CONFLICT_COLUMNS];
		bool		nulls[CONFLICT_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		deltacc_conflict_row(lfirst(lc), values, nulls);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

Datum
deltacc_first_conflict(PG_FUNCTION_ARGS)
{
	Transaction *txn;
	DeltaActions *winner;
	int64		version;
	List	   *conflicts = check(fcinfo, true, &txn, &winner, &version);
	TupleDesc	tupdesc;
	Datum		values[CONFLICT_COLUMNS];
	bool		nulls[CONFLICT_COLUMNS];

	if (conflicts == NIL)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	deltacc_conflict_row(linitial(conflicts), values, nulls);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

Datum
deltacc_rebase(PG_FUNCTION_ARGS)
{
	Transaction *txn;
	DeltaActions *winner;
	int64		version;
	List	   *conflicts;
	char	   *result;

	deltacc_refuse_null(fcinfo, 3, "writes");
	conflicts = check(fcinfo, false, &txn, &winner, &version);
	if (conflicts != NIL)
		deltacc_raise_conflicts(conflicts);
	deltacc_transaction_rebase(txn, winner, version);
	result = deltacc_transaction_result(txn);
	PG_RETURN_POINTER(deltacc_actions_parse(result, strlen(result), NULL));
}

Datum
deltacc_isolation_level(PG_FUNCTION_ARGS)
{
	DeltaccOptions options = deltacc_current_options();
	DeltaSnapshot *snapshot;

	deltacc_refuse_null(fcinfo, 0, "snapshot");
	snapshot = deltacc_snapshot_open(deltacc_actions_open(PG_GETARG_DATUM(0)));
	PG_RETURN_TEXT_P(cstring_to_text(deltacc_isolation_name(
															deltacc_table_isolation(snapshot->metadata, &options))));
}
