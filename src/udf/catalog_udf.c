/*-------------------------------------------------------------------------
 *
 * catalog_udf.c
 *	  What the catalog's tables compute from a commit.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "datatype/timestamp.h"
#include "delta/actions.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/timestamp.h"

PG_FUNCTION_INFO_V1(deltacc_commit_timestamp);

/* 0001-01-01 and 9999-12-31, in milliseconds since 1970. */
#define FIRST_MILLIS INT64CONST(-62135596800000)
#define LAST_MILLIS INT64CONST(253402300799999)

/*
 * A member that counts milliseconds, as a whole number or as the text of one;
 * a commitInfo is free JSON, and one odd commit must not be an ERROR.
 */
static bool
millis_member(const JsonSlice *info, const char *name, int64 *millis)
{
	JsonSlice	value;
	Numeric		number;

	if (!deltacc_json_member(info, name, &value))
		return false;
	if (value.kind == JSON_STRING && value.len > 2)
	{
		int			sign = value.start[1] == '-' ? 1 : 0;

		value.start++;
		value.len -= 2;
		value.kind = JSON_NUMBER;
		if (value.len == sign || strspn(value.start + sign, "0123456789") != value.len - sign)
			return false;
	}
	if (value.kind != JSON_NUMBER || value.len > 40 || !deltacc_json_numeric(&value, &number))
		return false;
	if (!DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(number),
										  DirectFunctionCall2(numeric_trunc, NumericGetDatum(number), Int32GetDatum(0)))))
		return false;
	if (DatumGetBool(DirectFunctionCall2(numeric_lt, NumericGetDatum(number),
										 DirectFunctionCall1(int8_numeric, Int64GetDatum(FIRST_MILLIS)))) ||
		DatumGetBool(DirectFunctionCall2(numeric_gt, NumericGetDatum(number),
										 DirectFunctionCall1(int8_numeric, Int64GetDatum(LAST_MILLIS)))))
		return false;
	*millis = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(number)));
	return true;
}

/*
 * commit_timestamp(actions): the in-commit timestamp, else the writer's clock.
 */
Datum
deltacc_commit_timestamp(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));
	const OtherAction *info = deltacc_actions_first(a, ACTION_COMMIT_INFO);
	JsonSlice	line = {JSON_OBJECT, NULL, 0, false};
	JsonSlice	object;
	int64		millis;

	if (info == NULL)
		PG_RETURN_NULL();
	line.start = deltacc_actions_line(a, info->line_offset, info->line_length);
	line.len = info->line_length;
	if (!deltacc_json_member(&line, "commitInfo", &object) ||
		(!millis_member(&object, "inCommitTimestamp", &millis) && !millis_member(&object, "timestamp", &millis)))
		PG_RETURN_NULL();
	PG_RETURN_TIMESTAMPTZ(millis * 1000 -
						  (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * INT64CONST(86400) * USECS_PER_SEC);
}
