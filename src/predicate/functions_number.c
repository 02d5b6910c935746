/*-------------------------------------------------------------------------
 *
 * functions_number.c
 *	  Rounding, sign, roots, powers and logarithms.
 *
 * From Catalyst's mathExpressions, ANSI on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "utils/float.h"
#include "utils/fmgrprotos.h"

#include "delta/cast.h"
#include "predicate/coerce.h"
#include "predicate/decimals.h"
#include "predicate/functions_support.h"

/* ----- floor, ceil, round, bround ----- */

static DecimalRounding
rounding_of(const DeltaCallContext *cx)
{
	switch (cx->call->function->name[0])
	{
		case 'f':
			return ROUND_FLOOR;
		case 'c':
			return ROUND_CEILING;
		case 'b':
			return ROUND_HALF_EVEN;
		default:
			return ROUND_HALF_UP;
	}
}

/* The second argument has to be a literal: the type depends on it. */
static bool
literal_scale(int nargs, DeltaExpr **args, int *scale)
{
	*scale = 0;
	if (nargs == 1)
		return true;
	if (args[1]->kind != EXPR_LITERAL || args[1]->is_null || !DELTA_IS_INTEGRAL_KIND(args[1]->type.kind) ||
		args[1]->value.i > 400 || args[1]->value.i < -400)
		return false;
	*scale = (int) args[1]->value.i;
	return true;
}

static DeltaType
rounded_decimal_type(const DeltaType *type, int scale)
{
	int			integral = type->precision - type->scale + 1;

	if (scale < 0)
		return deltacc_decimal_type(Min(Max(integral, -scale + 1), 38), 0);
	scale = Min(scale, type->scale);
	return deltacc_decimal_type(Min(integral + scale, 38), scale);
}

RESOLVE_FUNCTION(resolve_round)
{
	int			scale;

	if (!literal_scale(nargs, args, &scale))
		return false;
	if (args[0]->type.kind == DELTA_STRING || args[0]->type.kind == DELTA_VOID)
		args[0] = deltacc_coerce_to(args[0], deltacc_type(DELTA_DOUBLE));
	if (!DELTA_IS_NUMERIC_KIND(args[0]->type.kind))
		return false;
	*type = args[0]->type.kind == DELTA_DECIMAL ? rounded_decimal_type(&args[0]->type, scale) : args[0]->type;
	return true;
}

/*
 * floor and ceil give a long; with a scale they round a decimal.
 */
RESOLVE_FUNCTION(resolve_floor)
{
	int			scale;

	if (!literal_scale(nargs, args, &scale))
		return false;
	if (nargs == 2)
	{
		if (args[0]->type.kind == DELTA_STRING || !DELTA_IS_NUMERIC_KIND(args[0]->type.kind))
			return false;
		args[0] = deltacc_coerce_to(args[0], deltacc_decimal_for_type(&args[0]->type));
		*type = rounded_decimal_type(&args[0]->type, scale);
		return true;
	}
	if (!deltacc_resolve_number(&args[0]))
		return false;
	if (args[0]->type.kind == DELTA_DECIMAL)
		*type = deltacc_decimal_type(Min(args[0]->type.precision - args[0]->type.scale + 1, 38), 0);
	else
		*type = deltacc_type(DELTA_LONG);
	return true;
}

static PointResult
round_decimal(DeltaCallContext *cx, Numeric n, int scale, DeltaScalar *result)
{
	const DeltaType *type = &cx->call->type;

	n = deltacc_decimal_round(n, Min(scale, arg_type(cx, 0)->scale), rounding_of(cx));
	if (!deltacc_decimal_rescale(n, type->precision, type->scale, &result->n))
		return deltacc_point_error(cx, "NUMERIC_VALUE_OUT_OF_RANGE");
	return POINT_VALUE;
}

POINT_FUNCTION(point_floor)
{
	double		d;

	switch (arg_kind(cx, 0))
	{
		case DELTA_DECIMAL:
			return round_decimal(cx, args[0].n, nargs == 2 ? (int) args[1].i : 0, result);
		case DELTA_LONG:
			*result = args[0];
			return POINT_VALUE;
		default:
			d = rounding_of(cx) == ROUND_FLOOR ? floor(args[0].d) : ceil(args[0].d);
			/* Java's conversion to long: NaN is 0, the rest stops at the ends */
			if (isnan(d))
				result->i = 0;
			else if (d >= 9223372036854775808.0)
				result->i = PG_INT64_MAX;
			else if (d <= -9223372036854775808.0)
				result->i = PG_INT64_MIN;
			else
				result->i = (int64) d;
			return POINT_VALUE;
	}
}

/* NaN, greatest of all, becomes 0. */
MONOTONE_FUNCTION(floor_direction)
{
	ValueRange	r = deltacc_arg_values(&args[0], row);

	if (DELTA_IS_DOUBLE_KIND(args[0].type.kind) && (!(r.may & HAS_HI) || isnan(r.hi.d)))
		return 0;
	return 1;
}

/*
 * A double is rounded as the decimal that Java prints for it.
 */
static PointResult
round_double(DeltaCallContext *cx, double d, int scale, bool is_float, DeltaScalar *result)
{
	StringInfoData text;
	Datum		n;

	if (isnan(d) || isinf(d))
	{
		result->d = d;
		return POINT_VALUE;
	}
	if (d == 0)
	{
		result->d = 0;			/* a BigDecimal has no -0.0 */
		return POINT_VALUE;
	}
	if (fabs(d) < 1e-300 || fabs(d) > 1e300 || scale > 300 || !deltacc_double_text_is_sure(d, false))
		return POINT_UNKNOWN;
	initStringInfo(&text);
	deltacc_append_double(&text, d, false);
	n = DirectFunctionCall3(numeric_in, CStringGetDatum(text.data),
							ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	n = NumericGetDatum(deltacc_decimal_round(DatumGetNumeric(n), scale, rounding_of(cx)));
	result->d = DatumGetFloat8(DirectFunctionCall1(numeric_float8, n));
	if (is_float)
		result->d = (float) result->d;
	return POINT_VALUE;
}

POINT_FUNCTION(point_round)
{
	int			scale = nargs == 2 ? (int) args[1].i : 0;
	DeltaKind	kind = arg_kind(cx, 0);
	int64		least;
	int64		greatest;
	Numeric		n;
	int64		rounded;

	if (kind == DELTA_DECIMAL)
		return round_decimal(cx, args[0].n, scale, result);
	if (DELTA_IS_DOUBLE_KIND(kind))
		return round_double(cx, args[0].d, scale, kind == DELTA_FLOAT, result);
	if (scale >= 0)
	{
		*result = args[0];
		return POINT_VALUE;
	}
	if (scale < -30)
	{
		result->i = 0;
		return POINT_VALUE;
	}

	n = deltacc_decimal_round(int64_to_numeric(args[0].i), scale, rounding_of(cx));
	if (!deltacc_decimal_rescale(n, 18, 0, &n))
		return POINT_UNKNOWN;
	rounded = DatumGetInt64(DirectFunctionCall1(numeric_int8, NumericGetDatum(n)));
	deltacc_int64_limits(kind, &least, &greatest);
	if (rounded < least || rounded > greatest)
		return deltacc_point_error(cx, "ARITHMETIC_OVERFLOW");
	result->i = rounded;
	return POINT_VALUE;
}

MONOTONE_FUNCTION(growing)
{
	return 1;
}

/* ----- functions of doubles ----- */

RESOLVE_FIXED(resolve_double, DELTA_DOUBLE, DELTA_DOUBLE)

POINT_FUNCTION(point_sign)
{
	double		d = args[0].d;

	result->d = d > 0 ? 1 : d < 0 ? -1 : d;
	return POINT_VALUE;
}

POINT_FUNCTION(point_sqrt)
{
	/* correctly rounded by IEEE, in Java and here; NaN below 0 */
	result->d = args[0].d < 0 ? get_float8_nan() : sqrt(args[0].d);
	return POINT_VALUE;
}

MONOTONE_FUNCTION(sqrt_direction)
{
	ValueRange	r = deltacc_arg_values(&args[0], row);

	return (r.may & HAS_LO) && r.lo.d >= 0 ? 1 : 0;
}

/*
 * Where Java's libraries and ours may differ in the last digits, a result is
 * known as a narrow range only.
 */
static double
slightly_below(double d)
{
	return d - fabs(d) * 4 * DBL_EPSILON - DBL_MIN;
}

static double
slightly_above(double d)
{
	return d + fabs(d) * 4 * DBL_EPSILON + DBL_MIN;
}

/* The functions that grow with their argument from least on. */
static double
growing_function(const char *name, double x)
{
	if (strcmp(name, "exp") == 0)
		return exp(x);
	if (strcmp(name, "log10") == 0)
		return log10(x);
	if (strcmp(name, "log2") == 0)
		return log(x) / log(2.0);
	if (strcmp(name, "cbrt") == 0)
		return cbrt(x);
	return log(x);
}

/* From where on exp() is far beyond what a double holds. */
#define SURE_TO_OVERFLOW	1000

static bool
is_logarithm(const DeltaCallContext *cx)
{
	return cx->call->function->name[0] == 'l';
}

POINT_FUNCTION(point_growing)
{
	const char *name = cx->call->function->name;
	double		x = args[0].d;

	if (is_logarithm(cx) && x <= 0)
		return POINT_NULL;
	if (isnan(x) || x == INFINITY)
		result->d = x;
	else if (strcmp(name, "exp") == 0 && (x == 0 || x == -INFINITY))
		result->d = x == 0 ? 1 : 0;
	else if (strcmp(name, "exp") == 0 && fabs(x) > SURE_TO_OVERFLOW)
		result->d = x > 0 ? INFINITY : 0;
	else if (strcmp(name, "cbrt") == 0 && (x == 0 || isinf(x)))
		result->d = x;
	else if (is_logarithm(cx) && x == 1)
		result->d = 0;
	else
		return POINT_UNKNOWN;
	return POINT_VALUE;
}

RANGE_FUNCTION(range_growing)
{
	const char *name = cx->call->function->name;
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	r = {.may = MAY_VALUE};
	bool		logarithm = is_logarithm(cx);

	if (logarithm && !((a.may & HAS_LO) && a.lo.d > 0))
	{
		r.may |= MAY_NULL;
		a.may &= ~HAS_LO;
	}
	if (logarithm && (a.may & HAS_HI) && a.hi.d <= 0)
		r.may = MAY_NULL;
	else
	{
		if ((a.may & HAS_LO) && strcmp(name, "exp") == 0 && a.lo.d > SURE_TO_OVERFLOW)
		{
			r.lo.d = INFINITY;
			r.may |= HAS_LO;
		}
		else if ((a.may & HAS_LO) && isfinite(a.lo.d))
		{
			r.lo.d = slightly_below(growing_function(name, a.lo.d));
			if (isfinite(r.lo.d))
				r.may |= HAS_LO;
		}
		if ((a.may & HAS_HI) && isfinite(a.hi.d))
		{
			r.hi.d = slightly_above(growing_function(name, a.hi.d));
			if (isfinite(r.hi.d))
				r.may |= HAS_HI;
		}
	}
	deltacc_set_range(out, row, r);
}

/* Powers of small integers are exact everywhere. */
POINT_FUNCTION(point_pow)
{
	double		base = args[0].d;
	double		exponent = args[1].d;
	double		product = 1;

	/* where there is nothing to round */
	if (exponent == 0 || isnan(exponent) || isnan(base))
	{
		result->d = exponent == 0 ? 1 : NAN;
		return POINT_VALUE;
	}
	if (exponent == 1)
	{
		result->d = base;
		return POINT_VALUE;
	}
	if (isinf(exponent) && fabs(base) == 1)
	{
		result->d = NAN;		/* 1 in C */
		return POINT_VALUE;
	}
	if (base == 0 || isinf(base) || isinf(exponent))
	{
		result->d = pow(base, exponent);
		return POINT_VALUE;
	}
	if (!isfinite(base) || floor(base) != base || floor(exponent) != exponent ||
		exponent < 0 || exponent > 60)
		return POINT_UNKNOWN;
	for (int i = 0; i < (int) exponent; i++)
	{
		product *= base;
		if (fabs(product) > 9007199254740992.0)
			return POINT_UNKNOWN;
	}
	result->d = product;
	return POINT_VALUE;
}

/* Of points, elsewhere: a narrow range. */
RANGE_FUNCTION(range_pow)
{
	ValueRange	base = deltacc_arg_values(&args[0], row);
	ValueRange	exponent = deltacc_arg_values(&args[1], row);
	ValueRange	r = {.may = MAY_VALUE};

	if (deltacc_range_is_point(&args[0].type, &base) && deltacc_range_is_point(&args[1].type, &exponent))
	{
		double		d = pow(base.lo.d, exponent.lo.d);

		r.lo.d = slightly_below(d);
		r.hi.d = slightly_above(d);
		if (isfinite(r.lo.d) && isfinite(r.hi.d))
			r.may |= HAS_BOTH;
	}
	deltacc_set_range(out, row, r);
}

RESOLVE_FUNCTION(resolve_constant)
{
	*type = deltacc_type(DELTA_DOUBLE);
	return true;
}

POINT_FUNCTION(point_constant)
{
	result->d = cx->call->function->name[0] == 'p' ? 3.14159265358979323846 : 2.71828182845904523536;
	return POINT_VALUE;
}

/* ----- bin ----- */

RESOLVE_FIXED(resolve_bin, DELTA_STRING, DELTA_LONG)

POINT_FUNCTION(point_bin)
{
	char		digits[64];
	int			n = 0;
	uint64		v = (uint64) args[0].i;

	do
	{
		digits[63 - n++] = '0' + (v & 1);
		v >>= 1;
	} while (v != 0);
	*result = deltacc_string_value(digits + 64 - n, n);
	return POINT_VALUE;
}

/* ----- angles, rint, factorial ----- */

POINT_FUNCTION(point_scaled)
{
	bool		to_degrees = cx->call->function->name[0] == 'd';

	/* Math.toDegrees and toRadians multiply by these */
	result->d = args[0].d * (to_degrees ? 57.29577951308232 : 0.017453292519943295);
	return POINT_VALUE;
}

POINT_FUNCTION(point_rint)
{
	result->d = rint(args[0].d);
	return POINT_VALUE;
}

RESOLVE_FIXED(resolve_factorial, DELTA_LONG, DELTA_INTEGER)

POINT_FUNCTION(point_factorial)
{
	if (args[0].i < 0 || args[0].i > 20)
		return POINT_NULL;
	result->i = 1;
	for (int64 i = 2; i <= args[0].i; i++)
		result->i *= i;
	return POINT_VALUE;
}

/* ----- width_bucket ----- */

RESOLVE_FUNCTION(resolve_width_bucket)
{
	*type = deltacc_type(DELTA_LONG);
	for (int i = 0; i < 3; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(DELTA_DOUBLE)))
			return false;
	}
	return deltacc_implicit_cast(&args[3], deltacc_type(DELTA_LONG));
}

/* Which of n equal parts between two bounds a value falls into; 0 and n + 1 are
 * before and behind them. */
POINT_FUNCTION(point_width_bucket)
{
	double		value = args[0].d;
	double		from = args[1].d;
	double		to = args[2].d;
	double		n = (double) args[3].i;

	if (args[3].i <= 0 || args[3].i == PG_INT64_MAX || isnan(value) || from == to || !isfinite(from) || !isfinite(to))
		return POINT_NULL;
	if (n > 1e9)
		return POINT_UNKNOWN;
	if (from < to ? value < from : value > from)
		result->i = 0;
	else if (from < to ? value >= to : value <= to)
		result->i = args[3].i + 1;
	else if (from < to)
		result->i = (int64) (n * (value - from) / (to - from) + 1);
	else
		result->i = (int64) (n * (from - value) / (from - to) + 1);
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)
#define LOGARITHM	(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS)

const FunctionDef deltacc_number_functions[] = {
	{"floor", 1, 2, RAISES, resolve_floor, point_floor, NULL, floor_direction},
	{"ceil", 1, 2, RAISES, resolve_floor, point_floor, NULL, floor_direction},
	{"ceiling", 1, 2, RAISES, resolve_floor, point_floor, NULL, floor_direction},
	{"round", 1, 2, RAISES, resolve_round, point_round, NULL, growing},
	{"bround", 1, 2, RAISES, resolve_round, point_round, NULL, growing},
	{"sign", 1, 1, PURE, resolve_double, point_sign, NULL, growing},
	{"signum", 1, 1, PURE, resolve_double, point_sign, NULL, growing},
	{"sqrt", 1, 1, PURE, resolve_double, point_sqrt, NULL, sqrt_direction},
	{"cbrt", 1, 1, PURE, resolve_double, point_growing, range_growing},
	{"exp", 1, 1, PURE, resolve_double, point_growing, range_growing},
	{"ln", 1, 1, LOGARITHM, resolve_double, point_growing, range_growing},
	{"log", 1, 1, LOGARITHM, resolve_double, point_growing, range_growing},
	{"log10", 1, 1, LOGARITHM, resolve_double, point_growing, range_growing},
	{"log2", 1, 1, LOGARITHM, resolve_double, point_growing, range_growing},
	{"width_bucket", 4, 4, FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS, resolve_width_bucket, point_width_bucket},
	{"pow", 2, 2, PURE, resolve_double, point_pow, range_pow},
	{"power", 2, 2, PURE, resolve_double, point_pow, range_pow},
	{"degrees", 1, 1, PURE, resolve_double, point_scaled, NULL, growing},
	{"radians", 1, 1, PURE, resolve_double, point_scaled, NULL, growing},
	{"rint", 1, 1, PURE, resolve_double, point_rint, NULL, growing},
	{"factorial", 1, 1, FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS, resolve_factorial, point_factorial},
	{"pi", 0, 0, PURE, resolve_constant, point_constant},
	{"e", 0, 0, PURE, resolve_constant, point_constant},
	{"bin", 1, 1, PURE, resolve_bin, point_bin},
	{NULL}
};
