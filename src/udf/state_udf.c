/*-------------------------------------------------------------------------
 *
 * state_udf.c
 *	  The aggregates table_state and reconcile, changes_state, state_problem and canonical_path.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "libpq/pqformat.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "base/text.h"
#include "delta/path.h"
#include "delta/snapshot.h"
#include "delta/table_state.h"
#include "udf/rule_sets.h"

PG_FUNCTION_INFO_V1(deltacc_table_state_transition);
PG_FUNCTION_INFO_V1(deltacc_reconcile_transition);
PG_FUNCTION_INFO_V1(deltacc_table_state_combine);
PG_FUNCTION_INFO_V1(deltacc_table_state_serialize);
PG_FUNCTION_INFO_V1(deltacc_table_state_deserialize);
PG_FUNCTION_INFO_V1(deltacc_table_state_final);
PG_FUNCTION_INFO_V1(deltacc_changes_state_sql);
PG_FUNCTION_INFO_V1(deltacc_state_problem);
PG_FUNCTION_INFO_V1(deltacc_canonical_path);

/* The aggregate's memory; these functions are good for nothing else. */
static MemoryContext
aggregate_context(FunctionCallInfo fcinfo)
{
	MemoryContext cxt;

	if (!AggCheckCallContext(fcinfo, &cxt))
		elog(ERROR, "aggregate function called in non-aggregate context");
	return cxt;
}

static Datum
state_transition(FunctionCallInfo fcinfo, bool with_files)
{
	MemoryContext cxt = aggregate_context(fcinfo);
	TableState *state = PG_ARGISNULL(0) ? NULL : (TableState *) PG_GETARG_POINTER(0);

	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the %s of a commit must not be NULL", PG_ARGISNULL(1) ? "version" : "actions"),
				 errhint("Leave out the rows of an outer join that found no commit: FILTER (WHERE version IS NOT NULL).")));

	if (state == NULL)
		state = deltacc_state_create(cxt, with_files);
	deltacc_state_add(state, PG_GETARG_INT64(1), deltacc_actions_open(PG_GETARG_DATUM(2)));
	PG_RETURN_POINTER(state);
}

Datum
deltacc_table_state_transition(PG_FUNCTION_ARGS)
{
	return state_transition(fcinfo, false);
}

Datum
deltacc_reconcile_transition(PG_FUNCTION_ARGS)
{
	return state_transition(fcinfo, true);
}

Datum
deltacc_table_state_combine(PG_FUNCTION_ARGS)
{
	MemoryContext cxt = aggregate_context(fcinfo);
	TableState *state = PG_ARGISNULL(0) ? NULL : (TableState *) PG_GETARG_POINTER(0);
	const TableState *other = PG_ARGISNULL(1) ? NULL : (TableState *) PG_GETARG_POINTER(1);

	if (other != NULL)
	{
		/* The other one lives in memory that is reset soon. */
		if (state == NULL)
			state = deltacc_state_create(cxt, deltacc_state_with_files(other));
		deltacc_state_combine(state, other);
	}
	if (state == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(state);
}

Datum
deltacc_table_state_serialize(PG_FUNCTION_ARGS)
{
	StringInfoData out;

	aggregate_context(fcinfo);
	pq_begintypsend(&out);
	deltacc_state_serialize((TableState *) PG_GETARG_POINTER(0), &out);
	PG_RETURN_BYTEA_P(pq_endtypsend(&out));
}

Datum
deltacc_table_state_deserialize(PG_FUNCTION_ARGS)
{
	bytea	   *bytes;
	StringInfoData in = {0};

	aggregate_context(fcinfo);
	bytes = PG_GETARG_BYTEA_PP(0);
	in.data = VARDATA_ANY(bytes);
	in.len = VARSIZE_ANY_EXHDR(bytes);
	PG_RETURN_POINTER(deltacc_state_deserialize(CurrentMemoryContext, &in));
}

Datum
deltacc_table_state_final(PG_FUNCTION_ARGS)
{
	aggregate_context(fcinfo);
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(deltacc_state_finish((TableState *) PG_GETARG_POINTER(0)));
}

/* changes_state(actions): has it what a state without files holds? */
Datum
deltacc_changes_state_sql(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(deltacc_changes_state(deltacc_actions_open(PG_GETARG_DATUM(0))));
}

/* state_problem(state actions): why it can't be a snapshot, else NULL */
Datum
deltacc_state_problem(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		value = PG_GETARG_DATUM(0);
	char	   *volatile error = NULL;

	PG_TRY();
	{
		(void) deltacc_snapshot_open(deltacc_actions_open(value));
	}
	PG_CATCH();
	{
		error = deltacc_log_error(caller);
	}
	PG_END_TRY();
	if (error == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(error));
}

/*
 * canonical_path(path, location): one spelling per file; a path whose decoded
 * bytes are no text stays as it is.
 */
Datum
deltacc_canonical_path(PG_FUNCTION_ARGS)
{
	text	   *path;
	char	   *location = NULL;
	DeltaString in;
	DeltaString out;
	bool		absolute;

	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	path = PG_GETARG_TEXT_PP(0);
	if (!PG_ARGISNULL(1))
		location = deltacc_path_location(deltacc_text_to_utf8(PG_GETARG_DATUM(1), CurrentMemoryContext));

	in.data = deltacc_to_utf8(VARDATA_ANY(path), VARSIZE_ANY_EXHDR(path), &in.len);
	out = deltacc_path_canonical(in, location, &absolute);
	if (pg_encoding_verifymbstr(PG_UTF8, out.data, out.len) != out.len)
		PG_RETURN_TEXT_P(path);
	PG_RETURN_TEXT_P(deltacc_utf8_to_text(out.data, out.len));
}
