/*-------------------------------------------------------------------------
 *
 * functions_udf.c
 *	  SQL access to the function table.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "predicate/functions.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_functions);

/* deltacc.functions() */
Datum
deltacc_functions(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const FunctionDef *table;
	int			n;

	table = deltacc_function_table(&n);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};

		values[0] = CStringGetTextDatum(table[i].name);
		values[1] = Int32GetDatum(table[i].min_args);
		values[2] = Int32GetDatum(table[i].max_args);
		nulls[2] = table[i].max_args < 0;
		values[3] = BoolGetDatum((table[i].point != NULL || table[i].range != NULL) &&
								 (table[i].properties & (FN_NONDETERMINISTIC | FN_CONTEXT | FN_FILE_METADATA)) == 0);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
