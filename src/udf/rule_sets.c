/*-------------------------------------------------------------------------
 *
 * rule_sets.c
 *	  The sets of rules that are shown side by side, and what becomes of an
 *	  ERROR there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "udf/rule_sets.h"

const RuleSet deltacc_rule_sets[RULE_SETS] = {
	{"Delta 4.4.0", false, ISOLATION_SERIALIZABLE, DATA_SKIPPING_OFF, ROW_LEVEL_OFF},
	{"WriteSerializable", true, ISOLATION_WRITE_SERIALIZABLE, DATA_SKIPPING_OFF, ROW_LEVEL_OFF},
	{"data skipping", false, ISOLATION_SERIALIZABLE, DATA_SKIPPING_ON, ROW_LEVEL_OFF},
	{"sharp", false, ISOLATION_SERIALIZABLE, DATA_SKIPPING_SHARP, ROW_LEVEL_OFF},
	{"row level", false, ISOLATION_SERIALIZABLE, DATA_SKIPPING_ON, ROW_LEVEL_ON},
};

void
deltacc_apply_rule_set(TransactionArgs *args, const RuleSet *rules)
{
	args->isolation = NULL;
	args->options.default_isolation = ISOLATION_SERIALIZABLE;
	args->options.widen_nondeterministic = true;
	args->options.ignore_rearranged = false;
	args->has_table_level = rules->has_table_level;
	args->table_level = rules->table_level;
	args->options.data_skipping = rules->data_skipping;
	args->options.row_level = rules->row_level;
}

char *
deltacc_log_error(MemoryContext context)
{
	ErrorData  *data;

	MemoryContextSwitchTo(context);
	data = CopyErrorData();
	switch (ERRCODE_TO_CATEGORY(data->sqlerrcode))
	{
		case ERRCODE_INSUFFICIENT_RESOURCES:
		case ERRCODE_OPERATOR_INTERVENTION:
		case ERRCODE_SYSTEM_ERROR:
		case ERRCODE_INTERNAL_ERROR:
			PG_RE_THROW();
	}
	FlushErrorState();
	return data->detail ? psprintf("%s: %s", data->message, data->detail) : data->message;
}
