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
#include "predicate/bind.h"
#include "predicate/functions.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_functions);

static void
put_function(void *arg, const char *name, int min_args, int max_args, bool computed)
{
	ReturnSetInfo *rsinfo = arg;
	Datum		values[4];
	bool		nulls[4] = {false};

	values[0] = CStringGetTextDatum(name);
	values[1] = Int32GetDatum(min_args);
	values[2] = Int32GetDatum(max_args);
	nulls[2] = max_args < 0;
	values[3] = BoolGetDatum(computed);
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

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
		int			min_args = table[i].min_args;
		int			max_args = table[i].max_args;

		if (table[i].properties & (FN_INTERNAL | FN_UNLISTED))
			continue;
		deltacc_bound_arity(table[i].name, &min_args, &max_args);
		put_function(rsinfo, table[i].name, min_args, max_args,
					 (table[i].point != NULL || table[i].range != NULL) &&
					 (table[i].properties & (FN_NONDETERMINISTIC | FN_CONTEXT | FN_FILE_METADATA)) == 0);
	}
	deltacc_bound_functions(put_function, rsinfo);
	return (Datum) 0;
}
