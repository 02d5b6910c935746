/*-------------------------------------------------------------------------
 *
 * compare_udf.c
 *	  compare_rules: the same question under several sets of rules, side by
 *	  side.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "udf/rule_sets.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_compare_rules);

#define COMPARE_COLUMNS 6

Datum
deltacc_compare_rules(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TransactionArgs args;
	DeltaActions *winner;
	int64		version;

	deltacc_check_arguments(fcinfo, &args, &winner, &version);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < RULE_SETS; i++)
	{
		const RuleSet *rules = &deltacc_rule_sets[i];
		TransactionArgs pinned = args;
		Transaction *txn;
		List	   *conflicts;
		Datum		values[COMPARE_COLUMNS];
		bool		nulls[COMPARE_COLUMNS] = {false};
		int			checked,
					skipped;

		CHECK_FOR_INTERRUPTS();
		deltacc_apply_rule_set(&pinned, rules);
		txn = deltacc_transaction_begin(&pinned);
		conflicts = deltacc_transaction_check(txn, winner, version);
		deltacc_transaction_counts(txn, &checked, &skipped);

		values[0] = CStringGetTextDatum(rules->name);
		values[1] = CStringGetTextDatum(conflicts == NIL ? "ok" : "conflict");
		values[2] = Int32GetDatum(list_length(conflicts));
		nulls[3] = conflicts == NIL;
		if (conflicts != NIL)
			values[3] = CStringGetTextDatum(((const Conflict *) linitial(conflicts))->exception);
		values[4] = Int32GetDatum(checked);
		values[5] = Int32GetDatum(skipped);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
