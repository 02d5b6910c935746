/*-------------------------------------------------------------------------
 *
 * counters_udf.c
 *	  SQL access to the backend's counters.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/counters.h"
#include "fmgr.h"
#include "funcapi.h"
#include "predicate/functions.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_counters_sql);

static void
put_count(ReturnSetInfo *rsinfo, const char *name, int64 count)
{
	Datum		values[2] = {CStringGetTextDatum(name), Int64GetDatum(count)};
	bool		nulls[2] = {false, false};

	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

/* How often each function has been computed, of those that have been. */
static void
put_function_calls(ReturnSetInfo *rsinfo)
{
	const FunctionDef *table;
	int			n;

	table = deltacc_function_table(&n);
	for (int i = 0; i < n; i++)
	{
		const FunctionCalls *calls = deltacc_function_calls(&table[i]);

		if (calls->points > 0)
			put_count(rsinfo, psprintf("points of %s", table[i].name), calls->points);
		if (calls->ranges > 0)
			put_count(rsinfo, psprintf("ranges of %s", table[i].name), calls->ranges);
	}
}

/* deltacc.counters(): one row per counter of this backend. */
Datum
deltacc_counters_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const struct
	{
		const char *name;
		int64		value;
	}			rows[] = {
		{"values opened", deltacc_counters.values_opened},
		{"slices fetched", deltacc_counters.slices_fetched},
		{"bytes fetched", deltacc_counters.bytes_fetched},
		{"plans built", deltacc_counters.plans_built},
		{"plans reused", deltacc_counters.plans_reused},
	};

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < lengthof(rows); i++)
		put_count(rsinfo, rows[i].name, rows[i].value);
	put_function_calls(rsinfo);
	return (Datum) 0;
}
