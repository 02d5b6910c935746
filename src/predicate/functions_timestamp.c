/*-------------------------------------------------------------------------
 *
 * functions_timestamp.c
 *	  Functions of TIMESTAMP and TIMESTAMP_NTZ: fields, truncation, conversion
 *	  from and to numbers and zones.
 *
 * From Catalyst's datetimeExpressions and DateTimeUtils.  A TIMESTAMP is shown
 * by the clock of the session's time zone, a TIMESTAMP_NTZ is a local time.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "utils/fmgrprotos.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/coerce.h"
#include "predicate/datetime.h"
#include "predicate/decimals.h"
#include "predicate/functions_support.h"

MONOTONE_FUNCTION(growing)
{
	return 1;
}

/* The zone that an argument is shown in; NULL for a local time. */
static pg_tz *
zone_of(const DeltaCallContext *cx, int arg)
{
	return arg_kind(cx, arg) == DELTA_TIMESTAMP ? cx->options->timezone : NULL;
}

static int64
local_time(const DeltaCallContext *cx, int arg, int64 micros)
{
	pg_tz	   *tz = zone_of(cx, arg);

	return tz ? deltacc_utc_to_local(micros, tz) : micros;
}

/* Bounds of the local clock over an argument's range. */
static bool
local_range(DeltaCallContext *cx, const Block *args, int arg, int row, int64 *lo, int64 *hi)
{
	ValueRange	r = deltacc_arg_values(&args[arg], row);

	return (r.may & HAS_BOTH) == HAS_BOTH &&
		deltacc_local_bounds(r.lo.i, r.hi.i, zone_of(cx, arg), lo, hi);
}

static bool
resolve_timestamp(DeltaExpr **arg)
{
	return (*arg)->type.kind == DELTA_TIMESTAMP_NTZ || deltacc_implicit_cast(arg, deltacc_type(DELTA_TIMESTAMP));
}

/* ----- fields ----- */

RESOLVE_FUNCTION(resolve_time_field)
{
	*type = deltacc_type(DELTA_INTEGER);
	return resolve_timestamp(&args[0]);
}

/* How long the field's unit is, and after how long it starts anew. */
static int64
field_unit(const DeltaCallContext *cx, int64 *period)
{
	switch (cx->call->function->name[0])
	{
		case 'h':
			*period = MICROS_PER_DAY;
			return MICROS_PER_HOUR;
		case 'm':
			*period = MICROS_PER_HOUR;
			return MICROS_PER_MINUTE;
		default:
			*period = MICROS_PER_MINUTE;
			return MICROS_PER_SECOND;
	}
}

POINT_FUNCTION(point_time_field)
{
	int64		period;
	int64		unit = field_unit(cx, &period);

	result->i = floor_mod(local_time(cx, 0, args[0].i), period) / unit;
	return POINT_VALUE;
}

RANGE_FUNCTION(range_time_field)
{
	int64		period;
	int64		unit = field_unit(cx, &period);
	int64		lo;
	int64		hi;

	if (local_range(cx, args, 0, row, &lo, &hi) && floor_div(lo, period) == floor_div(hi, period))
		deltacc_set_int64_range(out, row, floor_mod(lo, period) / unit, floor_mod(hi, period) / unit);
	else
		deltacc_set_int64_range(out, row, 0, period / unit - 1);
}

/* extract(SECOND FROM ...) has a fraction. */
RESOLVE_FUNCTION(resolve_extract_second)
{
	*type = deltacc_decimal_type(8, 6);
	return resolve_timestamp(&args[0]);
}

POINT_FUNCTION(point_extract_second)
{
	int64		micros = floor_mod(local_time(cx, 0, args[0].i), MICROS_PER_MINUTE);

	result->n = int64_div_fast_to_numeric(micros, 6);
	return POINT_VALUE;
}

/* ----- date_trunc ----- */

RESOLVE_FIXED(resolve_date_trunc, DELTA_TIMESTAMP, DELTA_STRING, DELTA_TIMESTAMP)

/* Of units below a day. */
static const int64 unit_lengths[] = {
	[TRUNC_MICROSECOND] = 1,
	[TRUNC_MILLISECOND] = 1000,
	[TRUNC_SECOND] = MICROS_PER_SECOND,
	[TRUNC_MINUTE] = MICROS_PER_MINUTE,
	[TRUNC_HOUR] = MICROS_PER_HOUR,
};

/*
 * Units below a day keep the offset if they can; days start when the local
 * clock says so.
 */
static bool
truncate_timestamp(int64 micros, TruncUnit unit, pg_tz *tz, int64 *result)
{
	int64		offset;
	int64		local;

	/* far from the ends of int64 */
	if (micros > PG_INT64_MAX / 2 || micros < PG_INT64_MIN / 2)
		return false;
	if (unit <= TRUNC_SECOND)
	{
		*result = micros - floor_mod(micros, unit_lengths[unit]);
		return true;
	}
	offset = deltacc_utc_offset(micros, tz) * MICROS_PER_SECOND;
	local = micros + offset;
	if (unit >= TRUNC_DAY)
		return deltacc_day_start(deltacc_trunc_days(floor_div(local, MICROS_PER_DAY), unit), tz, result);

	local -= floor_mod(local, unit_lengths[unit]);
	if (deltacc_utc_offset(local - offset, tz) * MICROS_PER_SECOND == offset)
		*result = local - offset;
	else
		*result = deltacc_local_to_utc(local, tz);
	return true;
}

POINT_FUNCTION(point_date_trunc)
{
	TruncUnit	unit = deltacc_trunc_unit(*args[0].s);

	if (unit == TRUNC_INVALID)
		return POINT_NULL;
	if (!truncate_timestamp(args[1].i, unit, cx->options->timezone, &result->i))
		return POINT_UNKNOWN;
	return POINT_VALUE;
}

/*
 * Days start one after the other, so their bounds come from bounds of the
 * local date.  Hours and minutes may run back with the clock: what is cut off
 * is less than one of them, and what the offsets differ by.
 */
RANGE_FUNCTION(range_date_trunc)
{
	pg_tz	   *tz = cx->options->timezone;
	ValueRange	u = deltacc_arg_values(&args[0], row);
	ValueRange	t = deltacc_arg_values(&args[1], row);
	ValueRange	r = {.may = MAY_VALUE | MAY_NULL | MAY_ERROR};
	int64		lo;
	int64		hi;
	TruncUnit	unit;

	if (deltacc_range_is_point(&args[0].type, &u) && (t.may & HAS_BOTH) == HAS_BOTH &&
		t.lo.i > PG_INT64_MIN / 2 && t.hi.i < PG_INT64_MAX / 2)
	{
		unit = deltacc_trunc_unit(*u.lo.s);
		if (unit == TRUNC_INVALID)
			r.may = MAY_NULL;
		else if (unit >= TRUNC_DAY)
		{
			if (deltacc_local_bounds(t.lo.i, t.hi.i, tz, &lo, &hi) &&
				deltacc_day_start(deltacc_trunc_days(floor_div(lo, MICROS_PER_DAY), unit), tz, &r.lo.i) &&
				deltacc_day_start(deltacc_trunc_days(floor_div(hi, MICROS_PER_DAY), unit), tz, &r.hi.i))
				r.may = RANGE_CLOSED;
		}
		else if (truncate_timestamp(t.lo.i, unit, tz, &r.lo.i) &&
				 truncate_timestamp(t.hi.i, unit, tz, &r.hi.i))
		{
			deltacc_offset_bounds(t.lo.i - 2 * MICROS_PER_DAY, t.hi.i + 2 * MICROS_PER_DAY, tz, &lo, &hi);
			if (lo != hi && unit > TRUNC_SECOND)
			{
				r.lo.i = t.lo.i - (unit_lengths[unit] - 1) - (hi - lo);
				r.hi.i = t.hi.i + (hi - lo);
			}
			r.may = RANGE_CLOSED;
		}
	}
	deltacc_set_range(out, row, r);
}

/* ----- timestamps as numbers ----- */

RESOLVE_FIXED(resolve_unix_number, DELTA_LONG, DELTA_TIMESTAMP)

static int64
number_unit(const DeltaCallContext *cx)
{
	const char *name = cx->call->function->name;

	if (strstr(name, "second") != NULL)
		return MICROS_PER_SECOND;
	return strstr(name, "millis") != NULL ? 1000 : 1;
}

POINT_FUNCTION(point_unix_number)
{
	result->i = floor_div(args[0].i, number_unit(cx));
	return POINT_VALUE;
}

RESOLVE_FIXED(resolve_from_number, DELTA_TIMESTAMP, DELTA_LONG)

RESOLVE_FUNCTION(resolve_timestamp_seconds)
{
	*type = deltacc_type(DELTA_TIMESTAMP);
	if (!DELTA_IS_NUMERIC_KIND(args[0]->type.kind) && args[0]->type.kind != DELTA_VOID)
		return false;
	return deltacc_resolve_number(&args[0]);
}

POINT_FUNCTION(point_from_number)
{
	double		micros;
	Datum		product;

	switch (arg_kind(cx, 0))
	{
		case DELTA_DOUBLE:
			micros = args[0].d * 1e6;
			if (isnan(args[0].d) || isinf(args[0].d))
				return POINT_NULL;
			/* Java's conversion stops at the ends of long */
			if (micros >= 9223372036854775808.0)
				result->i = PG_INT64_MAX;
			else if (micros <= -9223372036854775808.0)
				result->i = PG_INT64_MIN;
			else
				result->i = (int64) micros;
			return POINT_VALUE;
		case DELTA_DECIMAL:
			product = DirectFunctionCall2(numeric_mul, NumericGetDatum(args[0].n),
										  NumericGetDatum(int64_to_numeric(MICROS_PER_SECOND)));
			/* what doesn't fit, or has a rest, raises */
			if (!deltacc_decimal_rescale(DatumGetNumeric(product), 18, 0, &result->n) ||
				DatumGetInt32(DirectFunctionCall2(numeric_cmp, product, NumericGetDatum(result->n))) != 0)
				return POINT_UNKNOWN;
			result->i = DatumGetInt64(DirectFunctionCall1(numeric_int8, product));
			return POINT_VALUE;
		default:
			if (pg_mul_s64_overflow(args[0].i, number_unit(cx), &result->i))
				return deltacc_point_error(cx, "ARITHMETIC_OVERFLOW");
			return POINT_VALUE;
	}
}

/* ----- zones ----- */

RESOLVE_FIXED(resolve_zone_shift, DELTA_TIMESTAMP, DELTA_TIMESTAMP, DELTA_STRING)

/* A zone's clock and UTC, one to the other. */
static bool
shift_clock(const DeltaString *zone, bool from_utc, int64 *micros)
{
	pg_tz	   *tz = NULL;
	int32		offset = 0;
	int64		shift;

	if (!deltacc_find_zone(zone->data, zone->len, &offset, &tz))
		return false;
	shift = (int64) offset * MICROS_PER_SECOND;
	if (tz == NULL)
		*micros += from_utc ? shift : -shift;
	else
		*micros = from_utc ? deltacc_utc_to_local(*micros, tz) : deltacc_local_to_utc(*micros, tz);
	return true;
}

POINT_FUNCTION(point_zone_shift)
{
	bool		from_utc = cx->call->function->name[0] == 'f';

	*result = args[0];
	if (args[0].i > PG_INT64_MAX / 2 || args[0].i < PG_INT64_MIN / 2 ||
		!shift_clock(args[1].s, from_utc, &result->i))
		return POINT_UNKNOWN;
	return POINT_VALUE;
}

/*
 * convert_timezone([from,] to, local time): what another zone's clock shows at
 * that moment.
 */
RESOLVE_FUNCTION(resolve_convert_timezone)
{
	*type = deltacc_type(DELTA_TIMESTAMP_NTZ);
	for (int i = 0; i < nargs - 1; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(DELTA_STRING)))
			return false;
	}
	return deltacc_implicit_cast(&args[nargs - 1], deltacc_type(DELTA_TIMESTAMP_NTZ));
}

POINT_FUNCTION(point_convert_timezone)
{
	int64		micros = args[nargs - 1].i;

	if (micros > PG_INT64_MAX / 2 || micros < PG_INT64_MIN / 2)
		return POINT_UNKNOWN;
	if (nargs == 2)
		micros = deltacc_local_to_utc(micros, cx->options->timezone);
	else if (!shift_clock(args[0].s, false, &micros))
		return POINT_UNKNOWN;
	if (!shift_clock(args[nargs - 2].s, true, &micros))
		return POINT_UNKNOWN;
	result->i = micros;
	return POINT_VALUE;
}

/* A moment some time later, by no calendar: timestampadd of hours and less. */
RESOLVE_FUNCTION(resolve_shift)
{
	*type = args[0]->type;
	return (type->kind == DELTA_TIMESTAMP || type->kind == DELTA_TIMESTAMP_NTZ) &&
		deltacc_implicit_cast(&args[1], deltacc_type(DELTA_LONG));
}

POINT_FUNCTION(point_shift)
{
	if (pg_add_s64_overflow(args[0].i, args[1].i, &result->i))
		return deltacc_point_error(cx, "DATETIME_OVERFLOW");
	return POINT_VALUE;
}

/* ----- timestampdiff ----- */

RESOLVE_FUNCTION(resolve_timestampdiff)
{
	*type = deltacc_type(DELTA_LONG);
	return args[0]->kind == EXPR_LITERAL && args[0]->type.kind == DELTA_STRING && !args[0]->is_null &&
		deltacc_implicit_cast(&args[1], deltacc_type(DELTA_TIMESTAMP)) &&
		deltacc_implicit_cast(&args[2], deltacc_type(DELTA_TIMESTAMP));
}

/*
 * ChronoUnit.between on the local clock, whole units only: those of a fixed
 * length, then months and what is made of them.
 */
static const struct
{
	const char *name;
	int64		micros;			/* 0: months */
	int			months;
}			diff_units[] = {
	{"microsecond", 1, 0},
	{"millisecond", 1000, 0},
	{"second", MICROS_PER_SECOND, 0},
	{"minute", 60 * MICROS_PER_SECOND, 0},
	{"hour", 3600 * MICROS_PER_SECOND, 0},
	{"day", MICROS_PER_DAY, 0},
	{"week", 7 * MICROS_PER_DAY, 0},
	{"month", 0, 1},
	{"quarter", 0, 3},
	{"year", 0, 12},
};

static int64
months_until(int64 start, int64 end)
{
	int64		start_day = floor_div(start, MICROS_PER_DAY);
	int64		end_day = floor_div(end, MICROS_PER_DAY);
	int64		start_time = start - start_day * MICROS_PER_DAY;
	int64		end_time = end - end_day * MICROS_PER_DAY;
	CivilDate	a;
	CivilDate	b;

	if (end_day > start_day && end_time < start_time)
		end_day--;
	else if (end_day < start_day && end_time > start_time)
		end_day++;
	a = deltacc_civil(start_day);
	b = deltacc_civil(end_day);
	return (((b.year * 12 + b.month) * 32 + b.day) - ((a.year * 12 + a.month) * 32 + a.day)) / 32;
}

POINT_FUNCTION(point_timestampdiff)
{
	const DeltaString *unit = args[0].s;
	int64		start = deltacc_utc_to_local(args[1].i, cx->options->timezone);
	int64		end = deltacc_utc_to_local(args[2].i, cx->options->timezone);
	int64		micros;

	for (int i = 0; i < lengthof(diff_units); i++)
	{
		if (unit->len != (int) strlen(diff_units[i].name) ||
			pg_strncasecmp(unit->data, diff_units[i].name, unit->len) != 0)
			continue;
		if (diff_units[i].months != 0)
			result->i = months_until(start, end) / diff_units[i].months;
		else if (pg_sub_s64_overflow(end, start, &micros))
			return POINT_UNKNOWN;
		else
			result->i = micros / diff_units[i].micros;
		return POINT_VALUE;
	}
	return POINT_UNKNOWN;
}

/* ----- months_between ----- */

RESOLVE_FUNCTION(resolve_months_between)
{
	*type = deltacc_type(DELTA_DOUBLE);
	for (int i = 0; i < 2; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(DELTA_TIMESTAMP)))
			return false;
	}
	return nargs == 2 || args[2]->type.kind == DELTA_BOOLEAN;
}

/*
 * Whole months between the same days, or last days, of two months; else days
 * count as a 31st of a month, rounded to 8 digits unless told otherwise.
 */
POINT_FUNCTION(point_months_between)
{
	pg_tz	   *tz = cx->options->timezone;
	int64		days[2];
	int64		seconds[2];
	CivilDate	c[2];
	bool		last[2];
	int64		months;
	double		diff;

	for (int i = 0; i < 2; i++)
	{
		int64		midnight;

		days[i] = floor_div(deltacc_utc_to_local(args[i].i, tz), MICROS_PER_DAY);
		if (!deltacc_day_start(days[i], tz, &midnight))
			return POINT_UNKNOWN;
		/* MICROSECONDS.toSeconds cuts off */
		seconds[i] = (args[i].i - midnight) / MICROS_PER_SECOND;
		c[i] = deltacc_civil(days[i]);
		last[i] = !deltacc_date_is_valid(c[i].year, c[i].month, c[i].day + 1);
	}
	months = (c[0].year - c[1].year) * 12 + (c[0].month - c[1].month);
	result->d = (double) months;
	if (c[0].day == c[1].day || (last[0] && last[1]))
		return POINT_VALUE;
	diff = (double) months +
		(double) ((c[0].day - c[1].day) * INT64CONST(86400) + seconds[0] - seconds[1]) / (31 * 86400.0);
	/* Math.round: half a digit goes up */
	result->d = nargs == 3 && !args[2].i ? diff : floor(diff * 1e8 + 0.5) / 1e8;
	return POINT_VALUE;
}

/* ----- make_timestamp ----- */

static bool
resolve_parts(int nargs, DeltaExpr **args)
{
	for (int i = 0; i < 5; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(DELTA_INTEGER)))
			return false;
	}
	return deltacc_implicit_cast(&args[5], deltacc_decimal_type(16, 6));
}

RESOLVE_FUNCTION(resolve_make_timestamp)
{
	*type = deltacc_type(DELTA_TIMESTAMP);
	return resolve_parts(nargs, args);
}

RESOLVE_FUNCTION(resolve_make_timestamp_ntz)
{
	*type = deltacc_type(DELTA_TIMESTAMP_NTZ);
	return resolve_parts(nargs, args);
}

POINT_FUNCTION(point_make_timestamp)
{
	bool		try_ = cx->call->function->name[0] == 't';
	Datum		micros = DirectFunctionCall2(numeric_mul, NumericGetDatum(args[5].n),
											 NumericGetDatum(int64_to_numeric(MICROS_PER_SECOND)));
	int64		second = DatumGetInt64(DirectFunctionCall1(numeric_int8, micros));
	int64		local;

	if (args[0].i > 200000 || args[0].i < -200000)
		return POINT_UNKNOWN;
	/* 60 seconds, with no fraction, are the next minute */
	if (args[1].i < 1 || args[1].i > 12 || args[2].i < 1 || args[2].i > 31 ||
		!deltacc_date_is_valid(args[0].i, (int) args[1].i, (int) args[2].i) ||
		args[3].i < 0 || args[3].i > 23 || args[4].i < 0 || args[4].i > 59 ||
		second < 0 || second > MICROS_PER_MINUTE)
	{
		if (try_)
			return POINT_NULL;
		return deltacc_point_error(cx, "DATETIME_FIELD_OUT_OF_BOUNDS");
	}
	local = deltacc_days_from_civil(args[0].i, (int) args[1].i, (int) args[2].i) * MICROS_PER_DAY +
		args[3].i * MICROS_PER_HOUR + args[4].i * MICROS_PER_MINUTE + second;
	if (cx->call->type.kind == DELTA_TIMESTAMP)
		local = deltacc_local_to_utc(local, cx->options->timezone);
	result->i = local;
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)
#define STRICT		FN_NULL_IN_NULL_OUT

const FunctionDef deltacc_timestamp_functions[] = {
	{"hour", 1, 1, PURE, resolve_time_field, point_time_field, range_time_field},
	{"minute", 1, 1, PURE, resolve_time_field, point_time_field, range_time_field},
	{"second", 1, 1, PURE, resolve_time_field, point_time_field, range_time_field},
	{"extract_second", 1, 1, PURE | FN_INTERNAL, resolve_extract_second, point_extract_second},
	{"date_trunc", 2, 2, STRICT, resolve_date_trunc, point_date_trunc, range_date_trunc},
	{"unix_seconds", 1, 1, PURE, resolve_unix_number, point_unix_number, NULL, growing},
	{"unix_millis", 1, 1, PURE, resolve_unix_number, point_unix_number, NULL, growing},
	{"unix_micros", 1, 1, PURE, resolve_unix_number, point_unix_number, NULL, growing},
	{"timestamp_seconds", 1, 1, STRICT | FN_NULL_WITH_ANY, resolve_timestamp_seconds, point_from_number, NULL, growing},
	{"timestamp_millis", 1, 1, RAISES, resolve_from_number, point_from_number, NULL, growing},
	{"timestamp_micros", 1, 1, RAISES, resolve_from_number, point_from_number, NULL, growing},
	{"from_utc_timestamp", 2, 2, RAISES, resolve_zone_shift, point_zone_shift},
	{"to_utc_timestamp", 2, 2, RAISES, resolve_zone_shift, point_zone_shift},
	{"shift_timestamp", 2, 2, RAISES | FN_INTERNAL, resolve_shift, point_shift},
	{"convert_timezone", 2, 3, RAISES, resolve_convert_timezone, point_convert_timezone},
	{"timestampdiff", 3, 3, STRICT, resolve_timestampdiff, point_timestampdiff},
	{"months_between", 2, 3, STRICT, resolve_months_between, point_months_between},
	{"make_timestamp", 6, 6, RAISES, resolve_make_timestamp, point_make_timestamp},
	{"make_timestamp_ltz", 6, 6, RAISES, resolve_make_timestamp, point_make_timestamp},
	{"make_timestamp_ntz", 6, 6, RAISES, resolve_make_timestamp_ntz, point_make_timestamp},
	{"try_make_timestamp", 6, 6, STRICT, resolve_make_timestamp, point_make_timestamp},
	{"try_make_timestamp_ltz", 6, 6, STRICT, resolve_make_timestamp, point_make_timestamp},
	{"try_make_timestamp_ntz", 6, 6, STRICT, resolve_make_timestamp_ntz, point_make_timestamp},
	{NULL}
};
