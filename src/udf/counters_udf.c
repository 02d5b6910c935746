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
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_counters_sql);

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
	{
		Datum		values[2] = {CStringGetTextDatum(rows[i].name), Int64GetDatum(rows[i].value)};
		bool		nulls[2] = {false, false};

		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
