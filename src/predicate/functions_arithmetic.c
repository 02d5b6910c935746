/*-------------------------------------------------------------------------
 *
 * functions_arithmetic.c
 *	  + - * / % DIV of numbers, intervals and times, their try_ forms, unary
 *	  minus, abs, and the bitwise operators.
 *
 * From Catalyst's BinaryArithmetic, BinaryArithmeticWithDatetimeResolver and
 * bitwiseExpressions, ANSI on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "port/pg_bitutils.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/coerce.h"
#include "predicate/datetime.h"
#include "predicate/decimals.h"
#include "predicate/functions_support.h"

/* Timestamps aren't moved further. */
#define MAX_MONTHS	1200000

/* What an entry's name means; 'p' is pmod. */
static char
operation(const FunctionDef *f)
{
	static const struct
	{
		const char *name;
		char		op;
	}			names[] = {
		{"add", '+'}, {"subtract", '-'}, {"multiply", '*'}, {"divide", '/'},
		{"mod", '%'}, {"div", 'd'}, {"pmod", 'p'},
	};
	const char *name = f->name;

	if (strncmp(name, "try_", 4) == 0)
		name += 4;
	for (int i = 0; i < lengthof(names); i++)
	{
		if (strcmp(name, names[i].name) == 0)
			return names[i].op;
	}
	return name[0];
}

static bool
is_try(const FunctionDef *f)
{
	return strncmp(f->name, "try_", 4) == 0;
}

static bool
is_moment(DeltaKind kind)
{
	return kind == DELTA_DATE || kind == DELTA_TIMESTAMP || kind == DELTA_TIMESTAMP_NTZ;
}

static bool
is_interval(DeltaKind kind)
{
	return kind == DELTA_INTERVAL_MONTHS || kind == DELTA_INTERVAL_MICROS;
}

/*
 * Times and intervals.  The binder has turned dates with intervals into
 * date_add, add_months or timestamps.
 */
static bool
resolve_moments(char op, DeltaExpr **args, DeltaType *type)
{
	DeltaKind	a = args[0]->type.kind;
	DeltaKind	b = args[1]->type.kind;

	if (is_interval(a) && a == b)
	{
		*type = deltacc_type(a);
		return true;
	}
	if ((a == DELTA_TIMESTAMP || a == DELTA_TIMESTAMP_NTZ) && is_interval(b))
	{
		*type = args[0]->type;
		return true;
	}
	if (op != '-' || (!is_moment(a) && a != DELTA_STRING) || (!is_moment(b) && b != DELTA_STRING))
		return false;
	if (!deltacc_coerce_operands(&args[0], &args[1]) || !is_moment(args[0]->type.kind))
		return false;
	*type = deltacc_type(DELTA_INTERVAL_MICROS);
	return true;
}

RESOLVE_FUNCTION(resolve_arithmetic)
{
	char		op = operation(self);
	bool		from_string[2];
	DeltaKind	kind;

	if (nargs != 2)
		return false;
	if (is_moment(args[0]->type.kind) || is_moment(args[1]->type.kind) ||
		is_interval(args[0]->type.kind) || is_interval(args[1]->type.kind))
		return (op == '+' || op == '-') && resolve_moments(op, args, type);

	for (int i = 0; i < 2; i++)
		from_string[i] = args[i]->type.kind == DELTA_STRING;
	if (!deltacc_coerce_operands(&args[0], &args[1]))
		return false;
	for (int i = 0; i < 2 && is_try(self); i++)
	{
		/* TryEval: what can't be read is NULL, too, but for a constant that is folded by itself */
		if (from_string[i] && args[i]->kind == EXPR_CAST &&
			(!deltacc_expr_foldable(args[i]) || deltacc_expr_foldable(args[1 - i])))
			args[i] = deltacc_expr_cast(args[i]->args[0], args[i]->type, true);
	}
	kind = args[0]->type.kind;
	if (kind == DELTA_VOID)
	{
		/* NULL + NULL */
		kind = DELTA_DOUBLE;
		args[0] = deltacc_coerce_to(args[0], deltacc_type(kind));
		args[1] = deltacc_coerce_to(args[1], deltacc_type(kind));
	}
	if (!DELTA_IS_NUMERIC_KIND(kind))
		return false;

	if (kind == DELTA_DECIMAL)
	{
		*type = deltacc_decimal_result_type(op == 'p' ? '%' : op, &args[0]->type, &args[1]->type);
		if (op == 'd')
			*type = deltacc_type(DELTA_LONG);
		return true;
	}
	if (op == 'd' && DELTA_IS_DOUBLE_KIND(kind))
		return false;
	if (op == '/' || op == 'd')
	{
		kind = op == '/' ? DELTA_DOUBLE : DELTA_LONG;
		args[0] = deltacc_coerce_to(args[0], deltacc_type(kind));
		args[1] = deltacc_coerce_to(args[1], deltacc_type(kind));
	}
	*type = deltacc_type(kind);
	return true;
}

static const char *
zero_divisor_class(char op)
{
	return op == '%' || op == 'p' ? "REMAINDER_BY_ZERO" : "DIVIDE_BY_ZERO";
}

static PointResult
overflow(DeltaCallContext *cx)
{
	DeltaKind	kind = cx->call->type.kind;

	return deltacc_point_error(cx, kind == DELTA_BYTE || kind == DELTA_SHORT ?
							   "BINARY_ARITHMETIC_OVERFLOW" :
							   kind == DELTA_DECIMAL ? "NUMERIC_VALUE_OUT_OF_RANGE" : "ARITHMETIC_OVERFLOW");
}

/*
 * Integers, and intervals as integers.
 */
static PointResult
calculate_int64(DeltaCallContext *cx, char op, int64 a, int64 b, int64 *result)
{
	int64		least;
	int64		greatest;
	bool		failed = false;

	if (b == 0 && strchr("/%dp", op))
		return deltacc_point_error(cx, zero_divisor_class(op));
	switch (op)
	{
		case '+':
			failed = pg_add_s64_overflow(a, b, result);
			break;
		case '-':
			failed = pg_sub_s64_overflow(a, b, result);
			break;
		case '*':
			failed = pg_mul_s64_overflow(a, b, result);
			break;
		case 'd':
			if (a == PG_INT64_MIN && b == -1)
				failed = true;
			else
				*result = a / b;
			break;
		default:
			/* the remainder of the least integer by -1 must not be computed */
			*result = b == -1 ? 0 : a % b;
			if (op == 'p' && *result < 0)
			{
				/* Java's sum wraps around; that is past what we follow */
				if (pg_add_s64_overflow(*result, b, result))
					return POINT_UNKNOWN;
				*result = b == -1 ? 0 : *result % b;
			}
			break;
	}
	deltacc_int64_limits(cx->call->type.kind, &least, &greatest);
	if (failed || *result < least || *result > greatest)
		return op == 'p' ? POINT_UNKNOWN : overflow(cx);
	return POINT_VALUE;
}

static PointResult
calculate_double(DeltaCallContext *cx, char op, double a, double b, double *result)
{
	bool		is_float = cx->call->type.kind == DELTA_FLOAT;

	if (b == 0 && strchr("/%p", op))
		return deltacc_point_error(cx, zero_divisor_class(op));
	switch (op)
	{
		case '+':
			*result = is_float ? (float) a + (float) b : a + b;
			break;
		case '-':
			*result = is_float ? (float) a - (float) b : a - b;
			break;
		case '*':
			*result = is_float ? (float) a * (float) b : a * b;
			break;
		case '/':
			*result = a / b;
			break;
		default:
			/* exact, so a float's remainder is a float */
			*result = fmod(a, b);
			if (op == 'p' && *result < 0)
				*result = fmod(is_float ? (float) *result + (float) b : *result + b, b);
			break;
	}
	return POINT_VALUE;
}

static PointResult
calculate_decimal(DeltaCallContext *cx, char op, Numeric a, Numeric b, DeltaScalar *result)
{
	const DeltaType *type = &cx->call->type;
	Numeric		n;

	if (strchr("/%dp", op) && deltacc_decimal_sign(b) == 0)
		return deltacc_point_error(cx, zero_divisor_class(op));
	n = deltacc_decimal_calculate(op == 'p' ? '%' : op, a, b);
	if (op == 'p' && deltacc_decimal_sign(n) < 0)
		n = deltacc_decimal_calculate('%', deltacc_decimal_calculate('+', n, b), b);

	if (op == 'd')
	{
		/* (a DECIMAL in between may be too narrow, and Java's long wraps) */
		DeltaType	integral = deltacc_decimal_result_type('d', arg_type(cx, 0), arg_type(cx, 1));
		DeltaType	to = deltacc_type(DELTA_LONG);
		DeltaScalar in_between;
		const char *error_class;

		if (!deltacc_decimal_rescale(n, integral.precision, 0, &in_between.n))
			return deltacc_point_error(cx, "NUMERIC_VALUE_OUT_OF_RANGE");
		if (deltacc_cast(&integral, &to, in_between, cx->options->timezone, result, &error_class) != CAST_OK)
			return POINT_UNKNOWN;
		return POINT_VALUE;
	}
	if (!deltacc_decimal_rescale(n, type->precision, type->scale, &result->n))
		return overflow(cx);
	return POINT_VALUE;
}

/*
 * A timestamp plus an interval: days and months by the local calendar, the
 * rest by the clock (timestampAddDayTime, timestampAddMonths).  A local time
 * that occurs twice keeps the offset that it had.
 */
static PointResult
add_to_timestamp(DeltaCallContext *cx, int64 micros, int64 interval, int64 *result)
{
	pg_tz	   *tz = arg_kind(cx, 0) == DELTA_TIMESTAMP ? cx->options->timezone : NULL;
	int64		offset;
	int64		days;
	int64		time;
	int64		rest = 0;
	int64		local;

	/* java.time goes further than our arithmetic: leave the far ends alone */
	if (micros > PG_INT64_MAX / 4 || micros < PG_INT64_MIN / 4 ||
		interval > PG_INT64_MAX / 4 || interval < PG_INT64_MIN / 4)
		return POINT_UNKNOWN;

	offset = tz ? deltacc_utc_offset(micros, tz) * MICROS_PER_SECOND : 0;
	days = floor_div(micros + offset, MICROS_PER_DAY);
	time = floor_mod(micros + offset, MICROS_PER_DAY);
	if (arg_kind(cx, 1) == DELTA_INTERVAL_MICROS)
	{
		days += interval / MICROS_PER_DAY;
		rest = interval % MICROS_PER_DAY;
		if (interval == rest)
		{
			*result = micros + interval;
			return POINT_VALUE;
		}
	}
	else
	{
		if (interval > MAX_MONTHS || interval < -MAX_MONTHS)
			return POINT_UNKNOWN;
		days = deltacc_add_months(days, interval);
	}
	local = days * MICROS_PER_DAY + time;
	if (tz && deltacc_utc_offset(local - offset, tz) * MICROS_PER_SECOND != offset)
		*result = deltacc_local_to_utc(local, tz) + rest;
	else
		*result = local - offset + rest;
	return POINT_VALUE;
}

/*
 * Times: a - b, and a + or - an interval.
 */
static PointResult
calculate_moment(DeltaCallContext *cx, char op, int64 a, int64 b, int64 *result)
{
	DeltaKind	kind = arg_kind(cx, 0);

	if (is_interval(arg_kind(cx, 1)))
	{
		if (op == '-' && pg_sub_s64_overflow(0, b, &b))
			return POINT_UNKNOWN;
		return add_to_timestamp(cx, a, b, result);
	}
	if (kind == DELTA_DATE)
	{
		if (pg_mul_s64_overflow(a - b, MICROS_PER_DAY, result))
			return overflow(cx);
		return POINT_VALUE;
	}
	if (kind == DELTA_TIMESTAMP)
	{
		a = deltacc_utc_to_local(a, cx->options->timezone);
		b = deltacc_utc_to_local(b, cx->options->timezone);
	}
	if (pg_sub_s64_overflow(a, b, result))
		return overflow(cx);
	return POINT_VALUE;
}

POINT_FUNCTION(point_arithmetic)
{
	char		op = operation(cx->call->function);
	DeltaKind	kind = arg_kind(cx, 0);
	PointResult r;

	if (is_moment(kind))
		r = calculate_moment(cx, op, args[0].i, args[1].i, &result->i);
	else if (kind == DELTA_DECIMAL)
		r = calculate_decimal(cx, op, args[0].n, args[1].n, result);
	else if (DELTA_IS_DOUBLE_KIND(kind))
		r = calculate_double(cx, op, args[0].d, args[1].d, &result->d);
	else
		r = calculate_int64(cx, op, args[0].i, args[1].i, &result->i);
	return r == POINT_ERROR && is_try(cx->call->function) ? POINT_NULL : r;
}

/* ----- ranges ----- */

typedef struct WideRange
{
	int128		lo;
	int128		hi;
} WideRange;

/* An integer without a bound still is within its type. */
static WideRange
wide_range(const Block *arg, int row)
{
	ValueRange	r = deltacc_arg_values(arg, row);
	WideRange	w;
	int64		least;
	int64		greatest;

	deltacc_int64_limits(arg->type.kind, &least, &greatest);
	w.lo = (r.may & HAS_LO) ? r.lo.i : least;
	w.hi = (r.may & HAS_HI) ? r.hi.i : greatest;
	return w;
}

static void
widen(WideRange *w, int128 v)
{
	w->lo = Min(w->lo, v);
	w->hi = Max(w->hi, v);
}

/* All combinations of the ends: the hull for + - * and for / without 0. */
static WideRange
wide_corners(char op, WideRange a, WideRange b)
{
	WideRange	w = {0};
	bool		first = true;

	for (int corner = 0; corner < 4; corner++)
	{
		int128		x = (corner & 1) ? a.hi : a.lo;
		int128		y = (corner & 2) ? b.hi : b.lo;
		int128		v = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x / y;

		if (first)
			w.lo = w.hi = v;
		widen(&w, v);
		first = false;
	}
	return w;
}

/*
 * a / b, cut off, by the divisors below and above 0; b is not just 0.
 */
static WideRange
wide_quotient(WideRange a, WideRange b)
{
	WideRange	below = {b.lo, Min(b.hi, -1)};
	WideRange	above = {Max(b.lo, 1), b.hi};
	WideRange	w;

	if (below.lo > below.hi)
		return wide_corners('d', a, above);
	w = wide_corners('d', a, below);
	if (above.lo <= above.hi)
	{
		WideRange	other = wide_corners('d', a, above);

		widen(&w, other.lo);
		widen(&w, other.hi);
	}
	return w;
}

static int128
floor_quotient(int128 a, int128 b)
{
	return a / b - (a % b < 0);
}

/*
 * a % b, which has a's sign, and pmod by positive b, which is never negative;
 * b is not just 0.  Within one period the remainder grows with a.
 */
static WideRange
wide_remainder(char op, WideRange a, WideRange b)
{
	int128		most = Max(b.hi, -b.lo) - 1;
	WideRange	w;

	if (b.lo == b.hi && b.lo > 0 && floor_quotient(a.lo, b.lo) == floor_quotient(a.hi, b.lo) &&
		(op == 'p' || a.lo >= 0))
	{
		w.lo = a.lo - floor_quotient(a.lo, b.lo) * b.lo;
		w.hi = w.lo + (a.hi - a.lo);
		return w;
	}
	if (op == 'p')
	{
		w.lo = 0;
		w.hi = most;
		return w;
	}
	w.lo = a.lo >= 0 ? 0 : Max(a.lo, -most);
	w.hi = a.hi <= 0 ? 0 : Min(a.hi, most);
	return w;
}

static void
range_int64(DeltaCallContext *cx, char op, const Block *args, int row, Block *out)
{
	WideRange	a = wide_range(&args[0], row);
	WideRange	b = wide_range(&args[1], row);
	WideRange	w;
	uint8		fail = is_try(cx->call->function) ? MAY_NULL : MAY_ERROR;
	ValueRange	r = {.may = RANGE_CLOSED};
	int64		least;
	int64		greatest;

	if (strchr("%dp", op))
	{
		if (b.lo <= 0 && b.hi >= 0)
			r.may |= fail;
		if (b.lo == 0 && b.hi == 0)
		{
			r.may = fail;
			deltacc_set_range(out, row, r);
			return;
		}
		if (op == 'p' && b.lo < 0)
		{
			deltacc_set_unknown(out, row, r.may & fail);
			return;
		}
		if (op == 'p')
			b.lo = Max(b.lo, 1);
	}
	if (op == 'd')
		w = wide_quotient(a, b);
	else if (op == '%' || op == 'p')
		w = wide_remainder(op, a, b);
	else
		w = wide_corners(op, a, b);

	deltacc_int64_limits(cx->call->type.kind, &least, &greatest);
	if (w.lo < least || w.hi > greatest)
		r.may |= fail;
	if (w.hi < least || w.lo > greatest)
		r.may = fail;
	else
	{
		r.lo.i = (int64) Max(w.lo, (int128) least);
		r.hi.i = (int64) Min(w.hi, (int128) greatest);
	}
	deltacc_set_range(out, row, r);
}

/*
 * Bounds of a timestamp moved by months.  Days keep their order, but the 29th, the
 * 30th and the 31st may fall on the 28th, where the later hour wins.
 */
static bool
range_moved_by_months(int64 lo, int64 hi, int64 months, pg_tz *tz, ValueRange *r)
{
	int64		ends[2];

	if (lo < PG_INT64_MIN / 4 || hi > PG_INT64_MAX / 4 || months < -MAX_MONTHS || months > MAX_MONTHS ||
		!deltacc_local_bounds(lo, hi, tz, &ends[0], &ends[1]))
		return false;
	for (int i = 0; i < 2; i++)
	{
		int64		days = floor_div(ends[i], MICROS_PER_DAY);
		int64		time = ends[i] - days * MICROS_PER_DAY;

		if (i == 0 && deltacc_civil(days).day >= 28)
			time = 0;
		else if (i == 1 && deltacc_civil(days).day > 28)
			time = MICROS_PER_DAY - 1;
		ends[i] = deltacc_add_months(days, months) * MICROS_PER_DAY + time;
	}
	r->may = RANGE_CLOSED;
	return deltacc_utc_bounds(ends[0], ends[1], tz, &r->lo.i, &r->hi.i);
}

/*
 * Bounds of a timestamp moved by an interval.  By days the result differs from
 * plain addition by clock changes.
 */
static bool
range_moved_timestamp(DeltaCallContext *cx, char op, const Block *args, int row, ValueRange *r)
{
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	b = deltacc_arg_values(&args[1], row);
	pg_tz	   *tz = args[0].type.kind == DELTA_TIMESTAMP ? cx->options->timezone : NULL;
	DeltaScalar values[2];
	bool		is_null[2] = {false, false};
	int64		least = 0;
	int64		greatest = 0;

	if ((a.may & HAS_BOTH) != HAS_BOTH || !deltacc_range_is_point(&args[1].type, &b))
		return false;
	if (args[1].type.kind == DELTA_INTERVAL_MONTHS)
		return range_moved_by_months(a.lo.i, a.hi.i, op == '-' ? -b.lo.i : b.lo.i, tz, r);
	values[1] = b.lo;
	values[0] = a.lo;
	if (point_arithmetic(cx, 2, values, is_null, &r->lo) != POINT_VALUE)
		return false;
	values[0] = a.hi;
	if (point_arithmetic(cx, 2, values, is_null, &r->hi) != POINT_VALUE)
		return false;
	if (tz && (b.lo.i >= MICROS_PER_DAY || b.lo.i <= -MICROS_PER_DAY))
	{
		int64		reach = 4 * MICROS_PER_DAY;

		deltacc_offset_bounds(Min(a.lo.i, r->lo.i) - reach, Max(a.hi.i, r->hi.i) + reach, tz, &least, &greatest);
	}
	r->lo.i -= 2 * (greatest - least);
	r->hi.i += 2 * (greatest - least);
	r->may = RANGE_CLOSED;
	return true;
}

static void
range_moment(DeltaCallContext *cx, char op, const Block *args, int row, Block *out)
{
	uint8		fail = is_try(cx->call->function) ? MAY_NULL : MAY_ERROR;
	ValueRange	r = {.may = MAY_VALUE | fail};

	if (is_interval(args[1].type.kind))
	{
		if (!range_moved_timestamp(cx, op, args, row, &r))
			r.may = MAY_VALUE | fail;
	}
	else if (args[0].type.kind == DELTA_TIMESTAMP)
	{
		ValueRange	a = deltacc_arg_values(&args[0], row);
		ValueRange	b = deltacc_arg_values(&args[1], row);
		pg_tz	   *tz = cx->options->timezone;
		int64		alo;
		int64		ahi;
		int64		blo;
		int64		bhi;

		if ((a.may & b.may & HAS_BOTH) == HAS_BOTH &&
			deltacc_local_bounds(a.lo.i, a.hi.i, tz, &alo, &ahi) &&
			deltacc_local_bounds(b.lo.i, b.hi.i, tz, &blo, &bhi) &&
			!pg_sub_s64_overflow(alo, bhi, &r.lo.i) && !pg_sub_s64_overflow(ahi, blo, &r.hi.i))
			r.may = RANGE_CLOSED;
	}
	else
		r = deltacc_corners(cx, 2, args, row, point_arithmetic, fail);
	deltacc_set_range(out, row, r);
}

static bool
may_be_zero(const DeltaType *type, const ValueRange *r)
{
	DeltaScalar zero = {0};

	if (type->kind == DELTA_DECIMAL)
		zero.n = int64_to_numeric(0);
	return !((r->may & HAS_LO) && deltacc_value_compare(type, r->lo, zero) > 0) &&
		!((r->may & HAS_HI) && deltacc_value_compare(type, r->hi, zero) < 0);
}

RANGE_FUNCTION(range_arithmetic)
{
	char		op = operation(cx->call->function);
	uint8		fail = is_try(cx->call->function) ? MAY_NULL : MAY_ERROR;
	ValueRange	b = deltacc_arg_values(&args[1], row);
	DeltaKind	kind = args[0].type.kind;
	bool		zero;

	if (is_moment(kind))
	{
		range_moment(cx, op, args, row, out);
		return;
	}
	if (DELTA_IS_INTEGRAL_KIND(kind) || is_interval(kind))
	{
		range_int64(cx, op, args, row, out);
		return;
	}
	zero = strchr("/%dp", op) && may_be_zero(&args[1].type, &b);
	if (op == '%' || op == 'p' || op == 'd' || zero)
		deltacc_set_unknown(out, row, zero || kind == DELTA_DECIMAL ? fail : 0);
	else
		deltacc_set_range(out, row, deltacc_corners(cx, 2, args, row, point_arithmetic,
													kind == DELTA_DECIMAL ? fail : 0));
}

/* ----- one operand ----- */

RESOLVE_FUNCTION(resolve_same_number)
{
	if (args[0]->type.kind == DELTA_STRING || args[0]->type.kind == DELTA_VOID)
		args[0] = deltacc_coerce_to(args[0], deltacc_type(DELTA_DOUBLE));
	*type = args[0]->type;
	return DELTA_IS_NUMERIC_KIND(type->kind) || is_interval(type->kind);
}

POINT_FUNCTION(point_negative)
{
	DeltaKind	kind = arg_kind(cx, 0);

	if (kind == DELTA_DECIMAL)
	{
		const DeltaType *type = &cx->call->type;

		/* rounded up, it may have a digit too many */
		if (!deltacc_decimal_rescale(deltacc_decimal_negate(args[0].n), type->precision, type->scale, &result->n))
			return overflow(cx);
		return POINT_VALUE;
	}
	if (DELTA_IS_DOUBLE_KIND(kind))
	{
		result->d = -args[0].d;
		return POINT_VALUE;
	}
	return calculate_int64(cx, '-', 0, args[0].i, &result->i);
}

/* -NaN is NaN, the greatest of all still. */
MONOTONE_FUNCTION(negative_direction)
{
	ValueRange	r = deltacc_arg_values(&args[0], row);

	if (DELTA_IS_DOUBLE_KIND(args[0].type.kind) && (!(r.may & HAS_HI) || isnan(r.hi.d)))
		return 0;
	return -1;
}

POINT_FUNCTION(point_positive)
{
	*result = args[0];
	return POINT_VALUE;
}

MONOTONE_FUNCTION(growing)
{
	return 1;
}

POINT_FUNCTION(point_abs)
{
	DeltaKind	kind = arg_kind(cx, 0);

	if (kind == DELTA_DECIMAL)
		*result = args[0];
	else if (DELTA_IS_DOUBLE_KIND(kind))
	{
		result->d = fabs(args[0].d);
		return POINT_VALUE;
	}
	if (kind == DELTA_DECIMAL ? deltacc_decimal_sign(args[0].n) < 0 : args[0].i < 0)
		return point_negative(cx, nargs, args, is_null, result);
	*result = args[0];
	return POINT_VALUE;
}

/*
 * abs falls below 0 and grows above it.
 */
RANGE_FUNCTION(range_abs)
{
	const DeltaType *type = &args[0].type;
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	r = {.may = MAY_VALUE};
	uint8		fail = DELTA_IS_INT64_KIND(type->kind) ? MAY_ERROR : 0;
	bool		both = (a.may & HAS_BOTH) == HAS_BOTH;
	DeltaScalar zero = {0};
	DeltaScalar lo;
	DeltaScalar hi;
	bool		is_null = false;

	if (type->kind == DELTA_DECIMAL)
		zero.n = int64_to_numeric(0);
	r.lo = zero;
	r.may |= HAS_LO;
	if (both && point_abs(cx, 1, &a.lo, &is_null, &lo) == POINT_VALUE &&
		point_abs(cx, 1, &a.hi, &is_null, &hi) == POINT_VALUE)
	{
		bool		lo_less = deltacc_value_compare(type, lo, hi) < 0;

		r.may |= HAS_HI;
		r.hi = lo_less ? hi : lo;
		if (deltacc_value_compare(type, a.lo, zero) > 0 || deltacc_value_compare(type, a.hi, zero) < 0)
			r.lo = lo_less ? lo : hi;
	}
	else
		r.may |= fail;
	deltacc_set_range(out, row, r);
}

/* ----- bits ----- */

RESOLVE_FUNCTION(resolve_bits)
{
	for (int i = 0; i < nargs; i++)
	{
		if (args[i]->type.kind == DELTA_STRING)
			return false;
	}
	if (nargs == 2 && !deltacc_coerce_operands(&args[0], &args[1]))
		return false;
	*type = args[0]->type;
	return DELTA_IS_INTEGRAL_KIND(type->kind);
}

POINT_FUNCTION(point_bits)
{
	switch (cx->call->function->name[0])
	{
		case '&':
			result->i = args[0].i & args[1].i;
			break;
		case '|':
			result->i = args[0].i | args[1].i;
			break;
		case '^':
			result->i = args[0].i ^ args[1].i;
			break;
		default:
			result->i = ~args[0].i;
			break;
	}
	return POINT_VALUE;
}

RANGE_FUNCTION(range_bits)
{
	char		op = cx->call->function->name[0];
	WideRange	a = wide_range(&args[0], row);
	WideRange	b = wide_range(&args[1], row);
	int64		top;

	if (op == '&' && (a.lo >= 0 || b.lo >= 0))
	{
		/* no bit more than the operand that isn't negative has */
		top = (int64) (a.lo < 0 ? b.hi : b.lo < 0 ? a.hi : Min(a.hi, b.hi));
		deltacc_set_int64_range(out, row, 0, top);
	}
	else if (op != '&' && a.lo >= 0 && b.lo >= 0)
	{
		uint64		most = (uint64) Max(a.hi, b.hi);

		top = most == 0 ? 0 : (int64) (PG_UINT64_MAX >> (63 - pg_leftmost_one_pos64(most)));
		deltacc_set_int64_range(out, row, op == '|' ? (int64) Max(a.lo, b.lo) : 0, top);
	}
	else
		deltacc_set_unknown(out, row, 0);
}

MONOTONE_FUNCTION(falling)
{
	return -1;
}

RESOLVE_FUNCTION(resolve_shift)
{
	if (args[0]->type.kind != DELTA_LONG &&
		!deltacc_implicit_cast(&args[0], deltacc_type(DELTA_INTEGER)))
		return false;
	*type = args[0]->type;
	return deltacc_implicit_cast(&args[1], deltacc_type(DELTA_INTEGER));
}

/* Java's shifts: only the lowest bits of the distance count. */
POINT_FUNCTION(point_shift)
{
	const char *name = cx->call->function->name;
	bool		is_long = arg_kind(cx, 0) == DELTA_LONG;
	int			distance = (int) (args[1].i & (is_long ? 63 : 31));
	int64		v = args[0].i;

	if (strcmp(name, "<<") == 0 || strcmp(name, "shiftleft") == 0)
		result->i = is_long ? (int64) ((uint64) v << distance) : (int32) ((uint32) v << distance);
	else if (strcmp(name, ">>") == 0 || strcmp(name, "shiftright") == 0)
		result->i = v >> distance;
	else
		result->i = is_long ? (int64) ((uint64) v >> distance) : (int32) ((uint32) v >> distance);
	return POINT_VALUE;
}

RESOLVE_FUNCTION(resolve_bit_count)
{
	*type = deltacc_type(DELTA_INTEGER);
	return args[0]->type.kind == DELTA_BOOLEAN || DELTA_IS_INTEGRAL_KIND(args[0]->type.kind);
}

POINT_FUNCTION(point_bit_count)
{
	uint64		v = (uint64) args[0].i;

	result->i = pg_popcount32((uint32) v) + pg_popcount32((uint32) (v >> 32));
	return POINT_VALUE;
}

RANGE_FUNCTION(range_bit_count)
{
	deltacc_set_int64_range(out, row, 0, 64);
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)
#define DIVIDES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL | FN_RIGHT_FIRST)
#define TRIES		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS)

const FunctionDef deltacc_arithmetic_functions[] = {
	{"+", 2, 2, RAISES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"-", 2, 2, RAISES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"*", 2, 2, RAISES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"/", 2, 2, DIVIDES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"%", 2, 2, DIVIDES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"mod", 2, 2, DIVIDES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"div", 2, 2, DIVIDES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"pmod", 2, 2, DIVIDES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"try_add", 2, 2, TRIES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"try_subtract", 2, 2, TRIES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"try_multiply", 2, 2, TRIES, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"try_divide", 2, 2, TRIES | FN_RIGHT_FIRST, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"try_mod", 2, 2, TRIES | FN_RIGHT_FIRST, resolve_arithmetic, point_arithmetic, range_arithmetic},
	{"negative", 1, 1, RAISES, resolve_same_number, point_negative, NULL, negative_direction},
	{"positive", 1, 1, PURE, resolve_same_number, point_positive, NULL, growing},
	{"abs", 1, 1, RAISES, resolve_same_number, point_abs, range_abs},
	{"&", 2, 2, PURE, resolve_bits, point_bits, range_bits},
	{"|", 2, 2, PURE, resolve_bits, point_bits, range_bits},
	{"^", 2, 2, PURE, resolve_bits, point_bits, range_bits},
	{"~", 1, 1, PURE, resolve_bits, point_bits, NULL, falling},
	{"<<", 2, 2, PURE, resolve_shift, point_shift},
	{">>", 2, 2, PURE, resolve_shift, point_shift, NULL, growing},
	{">>>", 2, 2, PURE, resolve_shift, point_shift},
	{"shiftleft", 2, 2, PURE, resolve_shift, point_shift},
	{"shiftright", 2, 2, PURE, resolve_shift, point_shift, NULL, growing},
	{"shiftrightunsigned", 2, 2, PURE, resolve_shift, point_shift},
	{"bit_count", 1, 1, PURE, resolve_bit_count, point_bit_count, range_bit_count},
	{NULL}
};
