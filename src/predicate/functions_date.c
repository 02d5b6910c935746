/*-------------------------------------------------------------------------
 *
 * functions_date.c
 *	  Functions of DATE: fields, arithmetic, truncation.
 *
 * From Catalyst's datetimeExpressions and DateTimeUtils.  Dates are days since
 * 1970 in the proleptic Gregorian calendar.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/coerce.h"
#include "predicate/datetime.h"
#include "predicate/functions_support.h"

static bool
fits_date(int64 days)
{
	return days >= PG_INT32_MIN && days <= PG_INT32_MAX;
}

static PointResult
date_result(DeltaScalar *result, int64 days)
{
	/* Java's int wraps around: we don't follow it there */
	if (!fits_date(days))
		return POINT_UNKNOWN;
	result->i = days;
	return POINT_VALUE;
}

MONOTONE_FUNCTION(growing)
{
	return 1;
}

/* ----- fields ----- */

typedef enum DateField
{
	FIELD_YEAR,
	FIELD_QUARTER,
	FIELD_MONTH,
	FIELD_DAY,
	FIELD_DAY_OF_YEAR,
	FIELD_WEEK,
	FIELD_YEAR_OF_WEEK,
	FIELD_DAY_OF_WEEK,			/* Sunday is 1 */
	FIELD_WEEKDAY,				/* Monday is 0 */
	FIELD_DAY_OF_WEEK_ISO		/* Monday is 1 */
} DateField;

static const struct
{
	const char *name;
	DateField	field;
}			field_names[] = {
	{"year", FIELD_YEAR},
	{"quarter", FIELD_QUARTER},
	{"month", FIELD_MONTH},
	{"day", FIELD_DAY},
	{"dayofmonth", FIELD_DAY},
	{"dayofyear", FIELD_DAY_OF_YEAR},
	{"weekofyear", FIELD_WEEK},
	{"extract_yearofweek", FIELD_YEAR_OF_WEEK},
	{"dayofweek", FIELD_DAY_OF_WEEK},
	{"weekday", FIELD_WEEKDAY},
	{"extract_dayofweek_iso", FIELD_DAY_OF_WEEK_ISO},
};

/* The values that a field takes within its period. */
static const int field_bounds[][2] = {
	[FIELD_QUARTER] = {1, 4},
	[FIELD_MONTH] = {1, 12},
	[FIELD_DAY] = {1, 31},
	[FIELD_DAY_OF_YEAR] = {1, 366},
	[FIELD_WEEK] = {1, 53},
	[FIELD_DAY_OF_WEEK] = {1, 7},
	[FIELD_WEEKDAY] = {0, 6},
	[FIELD_DAY_OF_WEEK_ISO] = {1, 7},
};

static DateField
field_of(const DeltaCallContext *cx)
{
	for (int i = 0; i < lengthof(field_names); i++)
	{
		if (strcmp(cx->call->function->name, field_names[i].name) == 0)
			return field_names[i].field;
	}
	return FIELD_YEAR;
}

/* Of two dates of the same period the later one has the greater field. */
static int64
field_period(DateField field, int64 days)
{
	CivilDate	c = deltacc_civil(days);

	switch (field)
	{
		case FIELD_QUARTER:
		case FIELD_MONTH:
		case FIELD_DAY_OF_YEAR:
			return c.year;
		case FIELD_DAY:
			return c.year * 12 + c.month;
		case FIELD_WEEK:
			/* the year of the week's Thursday */
			return deltacc_civil(days - floor_mod(days + 3, 7) + 3).year;
		case FIELD_DAY_OF_WEEK:
			return floor_div(days + 4, 7);
		default:
			return floor_div(days + 3, 7);
	}
}

static int64
date_field(DateField field, int64 days)
{
	CivilDate	c = deltacc_civil(days);
	int64		monday = days - floor_mod(days + 3, 7);

	switch (field)
	{
		case FIELD_YEAR:
			return c.year;
		case FIELD_QUARTER:
			return (c.month - 1) / 3 + 1;
		case FIELD_MONTH:
			return c.month;
		case FIELD_DAY:
			return c.day;
		case FIELD_DAY_OF_YEAR:
			return days - deltacc_days_from_civil(c.year, 1, 1) + 1;
		case FIELD_WEEK:
			return (monday + 3 - deltacc_days_from_civil(deltacc_civil(monday + 3).year, 1, 1)) / 7 + 1;
		case FIELD_YEAR_OF_WEEK:
			return deltacc_civil(monday + 3).year;
		case FIELD_DAY_OF_WEEK:
			return floor_mod(days + 4, 7) + 1;
		case FIELD_WEEKDAY:
			return floor_mod(days + 3, 7);
		case FIELD_DAY_OF_WEEK_ISO:
			return floor_mod(days + 3, 7) + 1;
	}
	return 0;
}

RESOLVE_FIXED(resolve_date_int, DELTA_INTEGER, DELTA_DATE)

POINT_FUNCTION(point_field)
{
	result->i = date_field(field_of(cx), args[0].i);
	return POINT_VALUE;
}

RANGE_FUNCTION(range_field)
{
	DateField	field = field_of(cx);
	ValueRange	r = deltacc_arg_values(&args[0], row);

	if ((r.may & HAS_BOTH) == HAS_BOTH && field_period(field, r.lo.i) == field_period(field, r.hi.i))
		deltacc_set_int64_range(out, row, date_field(field, r.lo.i), date_field(field, r.hi.i));
	else
		deltacc_set_int64_range(out, row, field_bounds[field][0], field_bounds[field][1]);
}

RESOLVE_FIXED(resolve_date_string, DELTA_STRING, DELTA_DATE)

POINT_FUNCTION(point_dayname)
{
	*result = deltacc_string_value(deltacc_day_names[floor_mod(args[0].i + 3, 7)], 3);
	return POINT_VALUE;
}

POINT_FUNCTION(point_monthname)
{
	*result = deltacc_string_value(deltacc_month_names[deltacc_civil(args[0].i).month - 1], 3);
	return POINT_VALUE;
}

/* ----- arithmetic ----- */

RESOLVE_FIXED(resolve_date_add, DELTA_DATE, DELTA_DATE, DELTA_INTEGER)
RESOLVE_FIXED(resolve_datediff, DELTA_INTEGER, DELTA_DATE)

POINT_FUNCTION(point_date_add)
{
	return date_result(result, args[0].i + args[1].i);
}

POINT_FUNCTION(point_date_sub)
{
	return date_result(result, args[0].i - args[1].i);
}

POINT_FUNCTION(point_datediff)
{
	return date_result(result, args[0].i - args[1].i);
}

/* The same day of another month, or that month's last (LocalDate.plusMonths). */
POINT_FUNCTION(point_add_months)
{
	return date_result(result, deltacc_add_months(args[0].i, args[1].i));
}

RANGE_FUNCTION(range_date_add)
{
	deltacc_set_range(out, row, deltacc_corners(cx, nargs, args, row, point_date_add, 0));
}

RANGE_FUNCTION(range_date_sub)
{
	deltacc_set_range(out, row, deltacc_corners(cx, nargs, args, row, point_date_sub, 0));
}

RANGE_FUNCTION(range_datediff)
{
	deltacc_set_range(out, row, deltacc_corners(cx, nargs, args, row, point_datediff, 0));
}

RANGE_FUNCTION(range_add_months)
{
	deltacc_set_range(out, row, deltacc_corners(cx, nargs, args, row, point_add_months, MAY_ERROR));
}

RESOLVE_FIXED(resolve_last_day, DELTA_DATE, DELTA_DATE)

POINT_FUNCTION(point_last_day)
{
	CivilDate	c = deltacc_civil(args[0].i);
	int			next = c.month == 12 ? 1 : c.month + 1;

	return date_result(result, deltacc_days_from_civil(c.year + (c.month == 12), next, 1) - 1);
}

RESOLVE_FIXED(resolve_next_day, DELTA_DATE, DELTA_DATE, DELTA_STRING)

/* Monday is 0; -1 for no day of the week. */
static int
day_of_week(DeltaString s)
{
	for (int day = 0; day < 7; day++)
	{
		const char *name = deltacc_day_names[day];
		int			len = strlen(name);

		if ((s.len == 2 || s.len == 3 || s.len == len) && pg_strncasecmp(s.data, name, s.len) == 0)
			return day;
	}
	return -1;
}

POINT_FUNCTION(point_next_day)
{
	int			day = day_of_week(*args[1].s);
	int64		days = args[0].i;

	if (day < 0)
		return deltacc_point_error(cx, "ILLEGAL_DAY_OF_WEEK");
	return date_result(result, days + 1 + floor_mod(day - (days + 1 + 3), 7));
}

RESOLVE_FIXED(resolve_make_date, DELTA_DATE, DELTA_INTEGER)

POINT_FUNCTION(point_make_date)
{
	if (args[0].i > 5000000 || args[0].i < -5000000)
		return POINT_UNKNOWN;
	if (args[1].i < 1 || args[1].i > 12 || args[2].i < 1 || args[2].i > 31 ||
		!deltacc_date_is_valid(args[0].i, (int) args[1].i, (int) args[2].i))
		return deltacc_point_error(cx, "DATETIME_FIELD_OUT_OF_BOUNDS");
	return date_result(result, deltacc_days_from_civil(args[0].i, (int) args[1].i, (int) args[2].i));
}

/* ----- trunc ----- */

RESOLVE_FIXED(resolve_trunc, DELTA_DATE, DELTA_DATE, DELTA_STRING)

/* NULL for a unit that is none, or shorter than a week. */
POINT_FUNCTION(point_trunc)
{
	TruncUnit	unit = deltacc_trunc_unit(*args[1].s);

	if (unit < TRUNC_WEEK)
		return POINT_NULL;
	return date_result(result, deltacc_trunc_days(args[0].i, unit));
}

/* ----- days as numbers ----- */

RESOLVE_FIXED(resolve_from_unix_date, DELTA_DATE, DELTA_INTEGER)

POINT_FUNCTION(point_same)
{
	*result = args[0];
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)
#define STRICT		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS)

const FunctionDef deltacc_date_functions[] = {
	{"year", 1, 1, PURE, resolve_date_int, point_field, NULL, growing},
	{"extract_yearofweek", 1, 1, PURE | FN_INTERNAL, resolve_date_int, point_field, NULL, growing},
	{"quarter", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"month", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"day", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"dayofmonth", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"dayofyear", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"weekofyear", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"dayofweek", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"weekday", 1, 1, PURE, resolve_date_int, point_field, range_field},
	{"extract_dayofweek_iso", 1, 1, PURE | FN_INTERNAL, resolve_date_int, point_field, range_field},
	{"dayname", 1, 1, PURE, resolve_date_string, point_dayname},
	{"monthname", 1, 1, PURE, resolve_date_string, point_monthname},
	{"date_add", 2, 2, PURE, resolve_date_add, point_date_add, range_date_add},
	{"dateadd", 2, 2, PURE, resolve_date_add, point_date_add, range_date_add},
	{"date_sub", 2, 2, PURE, resolve_date_add, point_date_sub, range_date_sub},
	{"datediff", 2, 2, PURE, resolve_datediff, point_datediff, range_datediff},
	{"date_diff", 2, 2, PURE, resolve_datediff, point_datediff, range_datediff},
	{"add_months", 2, 2, RAISES, resolve_date_add, point_add_months, range_add_months},
	{"last_day", 1, 1, PURE, resolve_last_day, point_last_day, NULL, growing},
	{"next_day", 2, 2, RAISES | FN_TAKEN_FOR_NULLABLE, resolve_next_day, point_next_day, NULL, growing},
	{"make_date", 3, 3, RAISES, resolve_make_date, point_make_date},
	{"trunc", 2, 2, STRICT, resolve_trunc, point_trunc, NULL, growing},
	{"unix_date", 1, 1, PURE, resolve_date_int, point_same, NULL, growing},
	{"date_from_unix_date", 1, 1, PURE, resolve_from_unix_date, point_same, NULL, growing},
	{NULL}
};
