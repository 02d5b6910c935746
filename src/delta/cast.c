/*-------------------------------------------------------------------------
 *
 * cast.c
 *	  Spark 4's casts, ANSI on: which there are, and the way to each.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/cast_internal.h"
#include "delta/schema.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

static bool
is_interval(DeltaKind kind)
{
	return kind == DELTA_INTERVAL_MONTHS || kind == DELTA_INTERVAL_MICROS;
}

static bool
can_cast_struct(const DeltaType *from, const DeltaType *to)
{
	if (from->kind != DELTA_STRUCT)
		return false;
	if (from->fields == NULL || to->fields == NULL)
		return true;			/* not known better */
	if (from->nfields != to->nfields)
		return false;
	for (int i = 0; i < from->nfields; i++)
	{
		if (!deltacc_can_cast(&from->fields[i].type, &to->fields[i].type))
			return false;
	}
	return true;
}

bool
deltacc_can_cast(const DeltaType *from, const DeltaType *to)
{
	DeltaKind	f = from->kind;

	check_stack_depth();

	if (deltacc_type_equal(from, to) || f == DELTA_VOID)
		return true;
	if (f == DELTA_OTHER || f == DELTA_VARIANT)
		return true;			/* VARIANT can; of the rest nothing is known */

	switch (to->kind)
	{
		case DELTA_STRING:
		case DELTA_VARIANT:
		case DELTA_OTHER:
			return true;
		case DELTA_BINARY:
			return f == DELTA_STRING;
		case DELTA_BOOLEAN:
			return f == DELTA_STRING || DELTA_IS_NUMERIC_KIND(f);
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
		case DELTA_DECIMAL:
			if (is_interval(f))
				return true;
			/* FALLTHROUGH */
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			return f == DELTA_STRING || f == DELTA_BOOLEAN || f == DELTA_TIMESTAMP || DELTA_IS_NUMERIC_KIND(f);
		case DELTA_DATE:
			return f == DELTA_STRING || f == DELTA_TIMESTAMP || f == DELTA_TIMESTAMP_NTZ;
		case DELTA_TIMESTAMP:
			return f == DELTA_STRING || f == DELTA_DATE || f == DELTA_TIMESTAMP_NTZ || DELTA_IS_NUMERIC_KIND(f);
		case DELTA_TIMESTAMP_NTZ:
			return f == DELTA_STRING || f == DELTA_DATE || f == DELTA_TIMESTAMP;
		case DELTA_INTERVAL_MONTHS:
		case DELTA_INTERVAL_MICROS:
			return f == DELTA_STRING || f == to->kind || f == DELTA_DECIMAL || DELTA_IS_INTEGRAL_KIND(f);
		case DELTA_STRUCT:
			return can_cast_struct(from, to);
		case DELTA_ARRAY:
		case DELTA_MAP:
			return f == to->kind;
		case DELTA_VOID:
			break;
	}
	return false;
}

static CastResult
string_to_boolean(const DeltaString *s, DeltaScalar *result, const char **error_class)
{
	static const char *const words[2][5] = {
		{"f", "false", "n", "no", "0"},
		{"t", "true", "y", "yes", "1"},
	};
	const char *p = s->data;
	int			len = s->len;

	trim_blank_bytes(&p, &len);
	for (int value = 0; value <= 1; value++)
	{
		for (int i = 0; i < lengthof(words[value]); i++)
		{
			const char *word = words[value][i];

			if (len == strlen(word) && pg_strncasecmp(p, word, len) == 0)
			{
				result->i = value;
				return CAST_OK;
			}
		}
	}
	return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
}

static CastResult
cast_to_boolean(const DeltaType *from, DeltaScalar v, DeltaScalar *result, const char **error_class)
{
	if (from->kind == DELTA_STRING)
		return string_to_boolean(v.s, result, error_class);
	if (DELTA_IS_INTEGRAL_KIND(from->kind))
		result->i = v.i != 0;
	else if (DELTA_IS_DOUBLE_KIND(from->kind))
		result->i = v.d != 0;	/* NaN is true */
	else if (from->kind == DELTA_DECIMAL)
		result->i = strpbrk(deltacc_decimal_text(v.n), "123456789") != NULL;
	else
		return CAST_UNSUPPORTED;
	return CAST_OK;
}

/* Plain digits, with as many behind the point as the type has. */
static void
append_decimal(StringInfo out, const DeltaType *type, Numeric n)
{
	Datum		rounded = DirectFunctionCall2(numeric_round, NumericGetDatum(n), Int32GetDatum(type->scale));

	appendStringInfoString(out, deltacc_decimal_text(DatumGetNumeric(rounded)));
}

static CastResult
cast_to_string(const DeltaType *from, DeltaScalar v, pg_tz *tz, DeltaScalar *result)
{
	StringInfoData out;

	if (from->kind == DELTA_BINARY)
	{
		*result = v;			/* the bytes, valid UTF-8 or not */
		return CAST_OK;
	}

	initStringInfo(&out);
	switch (from->kind)
	{
		case DELTA_BOOLEAN:
			appendStringInfoString(&out, v.i ? "true" : "false");
			break;
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			appendStringInfo(&out, INT64_FORMAT, v.i);
			break;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			if (!deltacc_double_text_is_sure(v.d, from->kind == DELTA_FLOAT))
			{
				pfree(out.data);
				return CAST_UNSUPPORTED;
			}
			deltacc_append_double(&out, v.d, from->kind == DELTA_FLOAT);
			break;
		case DELTA_DECIMAL:
			append_decimal(&out, from, v.n);
			break;
		case DELTA_DATE:
			deltacc_append_date(&out, v.i);
			break;
		case DELTA_TIMESTAMP:
			deltacc_append_timestamp(&out, v.i, tz);
			break;
		case DELTA_TIMESTAMP_NTZ:
			deltacc_append_timestamp(&out, v.i, NULL);
			break;
		default:
			pfree(out.data);
			return CAST_UNSUPPORTED;
	}
	*result = deltacc_string_value(out.data, out.len);
	pfree(out.data);
	return CAST_OK;
}

CastResult
deltacc_cast(const DeltaType *from, const DeltaType *to, DeltaScalar v,
			 pg_tz *tz, DeltaScalar *result, const char **error_class)
{
	const char *ignored;

	if (error_class == NULL)
		error_class = &ignored;

	if (from->kind == DELTA_VOID)
		return CAST_NULL;
	if (!deltacc_can_cast(from, to))
		return CAST_UNSUPPORTED;

	switch (to->kind)
	{
		case DELTA_STRUCT:
		case DELTA_ARRAY:
		case DELTA_MAP:
		case DELTA_VARIANT:
		case DELTA_OTHER:
			return CAST_UNSUPPORTED;
		default:
			break;
	}

	/* a collation is but a way to compare */
	if (deltacc_type_equal(from, to))
	{
		*result = v;
		return CAST_OK;
	}

	switch (to->kind)
	{
		case DELTA_BOOLEAN:
			return cast_to_boolean(from, v, result, error_class);
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			return deltacc_cast_to_integral(from, to->kind, v, result, error_class);
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			return deltacc_cast_to_double(from, to->kind == DELTA_FLOAT, v, result, error_class);
		case DELTA_DECIMAL:
			return deltacc_cast_to_decimal(from, to, v, result, error_class);
		case DELTA_STRING:
			return cast_to_string(from, v, tz, result);
		case DELTA_BINARY:
			*result = v;		/* only STRING comes here */
			return CAST_OK;
		case DELTA_DATE:
			return deltacc_cast_to_date(from, v, tz, result, error_class);
		case DELTA_TIMESTAMP:
			return deltacc_cast_to_timestamp(from, v, tz, result, error_class);
		case DELTA_TIMESTAMP_NTZ:
			return deltacc_cast_to_ntz(from, v, tz, result, error_class);
		default:
			return CAST_UNSUPPORTED;	/* intervals: their fields aren't known */
	}
}

/*
 * Every cast between numbers rounds or cuts in one direction, and fails only
 * beyond an end of the target's range.
 *
 * Not monotone: what goes through text, but for its bytes; -1, 0, 1 as
 * BOOLEAN; TIMESTAMP to the local clock and back, where clocks are changed.
 * The start of a day is: no day starts before the one that it follows.
 */
bool
deltacc_cast_is_monotone(const DeltaType *from, const DeltaType *to)
{
	DeltaKind	f = from->kind;

	if (!DELTA_IS_ATOMIC_KIND(f) || !deltacc_can_cast(from, to))
		return false;
	if (deltacc_type_equal(from, to))
		return true;

	switch (to->kind)
	{
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
		case DELTA_DECIMAL:
			return f == DELTA_BOOLEAN || f == DELTA_TIMESTAMP || DELTA_IS_NUMERIC_KIND(f);
		case DELTA_STRING:
			return f == DELTA_BINARY || f == DELTA_BOOLEAN;
		case DELTA_BINARY:
			return f == DELTA_STRING;
		case DELTA_DATE:
			return f == DELTA_TIMESTAMP_NTZ;
		case DELTA_TIMESTAMP:
			return f == DELTA_DATE || DELTA_IS_NUMERIC_KIND(f);
		case DELTA_TIMESTAMP_NTZ:
			return f == DELTA_DATE;
		default:
			return false;
	}
}
