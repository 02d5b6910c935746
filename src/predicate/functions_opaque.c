/*-------------------------------------------------------------------------
 *
 * functions_opaque.c
 *	  Functions whose type is known and whose value is not: those that depend
 *	  on the session or on chance, and those that we don't compute.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>

#include "predicate/functions_support.h"

#define RESOLVE_ANY(name, kind) RESOLVE_FIXED(name, kind, DELTA_OTHER)

RESOLVE_ANY(any_integer, DELTA_INTEGER)
RESOLVE_ANY(any_long, DELTA_LONG)
RESOLVE_ANY(any_double, DELTA_DOUBLE)
RESOLVE_ANY(any_string, DELTA_STRING)
RESOLVE_ANY(any_date, DELTA_DATE)
RESOLVE_ANY(any_timestamp, DELTA_TIMESTAMP)
RESOLVE_ANY(any_timestamp_ntz, DELTA_TIMESTAMP_NTZ)

/*
 * What chance may give.  It matters where the user has it evaluated
 * (widen_nondeterministic off).
 */
RANGE_FUNCTION(range_rand)
{
	ValueRange	r = {.may = RANGE_CLOSED};

	r.lo.d = 0.0;
	r.hi.d = 1.0 - DBL_EPSILON / 2;
	deltacc_set_range(out, row, r);
}

RANGE_FUNCTION(range_uuid)
{
	ValueRange	r = {.may = RANGE_CLOSED};

	r.lo = deltacc_string_value("00000000-0000-4000-8000-000000000000", 36);
	r.hi = deltacc_string_value("ffffffff-ffff-4fff-bfff-ffffffffffff", 36);
	deltacc_set_range(out, row, r);
}

RANGE_FUNCTION(range_id)
{
	deltacc_set_int64_range(out, row, 0, cx->call->type.kind == DELTA_INTEGER ? PG_INT32_MAX : PG_INT64_MAX);
}

#define CONTEXT		(FN_CONTEXT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define CHANCE		FN_NONDETERMINISTIC
#define SURE		(FN_NONDETERMINISTIC | FN_NEVER_FAILS | FN_NEVER_NULL)
#define METADATA	FN_FILE_METADATA
#define STRICT		FN_NULL_IN_NULL_OUT

const FunctionDef deltacc_opaque_functions[] = {
	{"current_date", 0, 0, CONTEXT, any_date},
	{"curdate", 0, 0, CONTEXT, any_date},
	{"current_timestamp", 0, 0, CONTEXT, any_timestamp},
	{"now", 0, 0, CONTEXT, any_timestamp},
	{"localtimestamp", 0, 0, CONTEXT, any_timestamp_ntz},
	{"current_user", 0, 0, CONTEXT, any_string},
	{"user", 0, 0, CONTEXT, any_string},
	{"session_user", 0, 0, CONTEXT, any_string},
	{"current_timezone", 0, 0, CONTEXT, any_string},
	{"current_catalog", 0, 0, CONTEXT, any_string},
	{"current_database", 0, 0, CONTEXT, any_string},
	{"current_schema", 0, 0, CONTEXT, any_string},
	{"version", 0, 0, CONTEXT, any_string},

	{"rand", 0, 1, SURE, any_double, NULL, range_rand},
	{"random", 0, 1, SURE, any_double, NULL, range_rand},
	{"randn", 0, 1, SURE, any_double},
	{"randstr", 1, 2, CHANCE, any_string},
	{"uuid", 0, 1, SURE, any_string, NULL, range_uuid},
	{"monotonically_increasing_id", 0, 0, SURE, any_long, NULL, range_id},
	{"spark_partition_id", 0, 0, SURE, any_integer, NULL, range_id},

	{"input_file_name", 0, 0, METADATA, any_string},
	{"input_file_block_start", 0, 0, METADATA, any_long},
	{"input_file_block_length", 0, 0, METADATA, any_long},

	{"get_json_object", 2, 2, STRICT, any_string},
	{"json_array_length", 1, 1, STRICT, any_integer},

	{"acosh", 1, 1, STRICT, any_double},
	{"asinh", 1, 1, STRICT, any_double},
	{"atanh", 1, 1, STRICT, any_double},
	{NULL}
};
