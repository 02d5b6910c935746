/*-------------------------------------------------------------------------
 *
 * functions_opaque.c
 *	  Functions whose type is known and whose value is not: those that depend
 *	  on the session or on chance, and those that we don't compute.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/functions_support.h"

#define RESOLVE_ANY(name, kind) RESOLVE_FIXED(name, kind, DELTA_OTHER)

RESOLVE_ANY(any_integer, DELTA_INTEGER)
RESOLVE_ANY(any_long, DELTA_LONG)
RESOLVE_ANY(any_double, DELTA_DOUBLE)
RESOLVE_ANY(any_string, DELTA_STRING)
RESOLVE_ANY(any_binary, DELTA_BINARY)
RESOLVE_ANY(any_date, DELTA_DATE)
RESOLVE_ANY(any_timestamp, DELTA_TIMESTAMP)
RESOLVE_ANY(any_timestamp_ntz, DELTA_TIMESTAMP_NTZ)

#define CONTEXT		(FN_CONTEXT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define CHANCE		FN_NONDETERMINISTIC
#define METADATA	FN_FILE_METADATA
#define STRICT		FN_NULL_IN_NULL_OUT
#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define HASHES		(FN_NEVER_FAILS | FN_NEVER_NULL)

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

	{"rand", 0, 1, CHANCE, any_double},
	{"random", 0, 1, CHANCE, any_double},
	{"randn", 0, 1, CHANCE, any_double},
	{"randstr", 1, 2, CHANCE, any_string},
	{"uuid", 0, 1, CHANCE, any_string},
	{"monotonically_increasing_id", 0, 0, CHANCE, any_long},
	{"spark_partition_id", 0, 0, CHANCE, any_integer},

	{"input_file_name", 0, 0, METADATA, any_string},
	{"input_file_block_start", 0, 0, METADATA, any_long},
	{"input_file_block_length", 0, 0, METADATA, any_long},

	{"hash", 1, -1, HASHES, any_integer},
	{"xxhash64", 1, -1, HASHES, any_long},
	{"soundex", 1, 1, PURE, any_string},
	{"levenshtein", 2, 3, STRICT, any_integer},
	{"find_in_set", 2, 2, PURE, any_integer},
	{"overlay", 3, 4, STRICT, any_string},
	{"format_number", 2, 2, STRICT, any_string},
	{"format_string", 1, -1, 0, any_string},
	{"printf", 1, -1, 0, any_string},
	{"conv", 3, 4, STRICT, any_string},
	{"base64", 1, 1, STRICT, any_string},
	{"unbase64", 1, 1, STRICT, any_binary},
	{"encode", 2, 2, STRICT, any_binary},
	{"decode", 2, 2, STRICT, any_string},
	{"regexp_extract", 2, 3, STRICT, any_string},
	{"regexp_replace", 3, 4, STRICT, any_string},
	{"regexp_substr", 2, 2, STRICT, any_string},
	{"regexp_instr", 2, 3, STRICT, any_integer},
	{"regexp_count", 2, 2, STRICT, any_integer},
	{"get_json_object", 2, 2, STRICT, any_string},
	{"json_array_length", 1, 1, STRICT, any_integer},
	{"parse_url", 2, 3, STRICT, any_string},
	{"url_encode", 1, 1, STRICT, any_string},
	{"url_decode", 1, 1, STRICT, any_string},

	{"acos", 1, 1, STRICT, any_double},
	{"acosh", 1, 1, STRICT, any_double},
	{"asin", 1, 1, STRICT, any_double},
	{"asinh", 1, 1, STRICT, any_double},
	{"atan", 1, 1, STRICT, any_double},
	{"atan2", 2, 2, STRICT, any_double},
	{"atanh", 1, 1, STRICT, any_double},
	{"cos", 1, 1, STRICT, any_double},
	{"cosh", 1, 1, STRICT, any_double},
	{"cot", 1, 1, STRICT, any_double},
	{"csc", 1, 1, STRICT, any_double},
	{"degrees", 1, 1, STRICT, any_double},
	{"expm1", 1, 1, STRICT, any_double},
	{"factorial", 1, 1, STRICT, any_long},
	{"hypot", 2, 2, STRICT, any_double},
	{"log1p", 1, 1, STRICT, any_double},
	{"radians", 1, 1, STRICT, any_double},
	{"rint", 1, 1, STRICT, any_double},
	{"sec", 1, 1, STRICT, any_double},
	{"sin", 1, 1, STRICT, any_double},
	{"sinh", 1, 1, STRICT, any_double},
	{"tan", 1, 1, STRICT, any_double},
	{"tanh", 1, 1, STRICT, any_double},
	{NULL}
};
