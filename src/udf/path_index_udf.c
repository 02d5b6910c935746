/*-------------------------------------------------------------------------
 *
 * path_index_udf.c
 *	  The aggregate path_index.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "delta/path_index.h"
#include "fmgr.h"

PG_FUNCTION_INFO_V1(deltacc_path_index_transition);
PG_FUNCTION_INFO_V1(deltacc_path_index_final);

Datum
deltacc_path_index_transition(PG_FUNCTION_ARGS)
{
	MemoryContext context;
	PathIndexBuilder *builder = PG_ARGISNULL(0) ? NULL : (PathIndexBuilder *) PG_GETARG_POINTER(0);

	if (!AggCheckCallContext(fcinfo, &context))
		elog(ERROR, "aggregate function called in non-aggregate context");
	if (builder == NULL)
		builder = deltacc_path_index_builder(context);
	if (PG_ARGISNULL(1) || PG_ARGISNULL(2))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("%s must not be NULL", PG_ARGISNULL(1) ? "version" : "actions")));
	deltacc_path_index_add(builder, PG_GETARG_INT64(1), deltacc_actions_open(PG_GETARG_DATUM(2)));
	PG_RETURN_POINTER(builder);
}

Datum
deltacc_path_index_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_POINTER(deltacc_path_index_finish((PathIndexBuilder *) PG_GETARG_POINTER(0)));
}
