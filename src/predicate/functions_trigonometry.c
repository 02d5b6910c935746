/*-------------------------------------------------------------------------
 *
 * functions_trigonometry.c
 *	  Angles and what is near them: known up to the last few bits only, since
 *	  Java and the C library may round differently.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "predicate/functions_support.h"

/* How far, in units of the last place, results of two libraries may differ. */
#define UNITS	16

RESOLVE_FIXED(resolve_double, DELTA_DOUBLE, DELTA_DOUBLE)

static double
cotangent(double x)
{
	return 1 / tan(x);
}

static double
secant(double x)
{
	return 1 / cos(x);
}

static double
cosecant(double x)
{
	return 1 / sin(x);
}

static const struct
{
	const char *name;
	double		(*one) (double x);
	double		(*two) (double x, double y);
}			formulas[] = {
	{"acos", acos},
	{"asin", asin},
	{"atan", atan},
	{"atan2", NULL, atan2},
	{"cos", cos},
	{"cosh", cosh},
	{"cot", cotangent},
	{"csc", cosecant},
	{"expm1", expm1},
	{"hypot", NULL, hypot},
	{"log1p", log1p},
	{"sec", secant},
	{"sin", sin},
	{"sinh", sinh},
	{"tan", tan},
	{"tanh", tanh},
};

static double
calculate(const char *name, const double *x)
{
	for (int i = 0; i < lengthof(formulas); i++)
	{
		if (strcmp(formulas[i].name, name) == 0)
			return formulas[i].one != NULL ? formulas[i].one(x[0]) : formulas[i].two(x[0] + 0.0, x[1] + 0.0);
	}
	return NAN;
}

/* The logarithm of nothing, or less, is NULL. */
POINT_FUNCTION(point_inexact)
{
	if (strcmp(cx->call->function->name, "log1p") == 0 && args[0].d <= -1)
		return POINT_NULL;
	if (strcmp(cx->call->function->name, "hypot") == 0 && !(isfinite(args[0].d) && isfinite(args[1].d)))
	{
		/* an infinite side outweighs NaN */
		result->d = isinf(args[0].d) || isinf(args[1].d) ? INFINITY : NAN;
		return POINT_VALUE;
	}
	return POINT_UNKNOWN;
}

RANGE_FUNCTION(range_inexact)
{
	double		x[2];
	ValueRange	r = {.may = MAY_VALUE};
	double		y;
	double		slack;

	for (int i = 0; i < cx->call->nargs; i++)
	{
		ValueRange	a = deltacc_arg_values(&args[i], row);

		if (!deltacc_range_is_point(&args[i].type, &a) || !isfinite(a.lo.d))
		{
			if (strcmp(cx->call->function->name, "log1p") == 0)
				r.may |= MAY_NULL;
			deltacc_set_range(out, row, r);
			return;
		}
		x[i] = a.lo.d;
	}
	y = calculate(cx->call->function->name, x);
	if (isfinite(y))
	{
		slack = fabs(y) * UNITS * DBL_EPSILON + DBL_MIN;
		r.lo.d = y - slack;
		r.hi.d = y + slack;
		if (isfinite(r.lo.d) && isfinite(r.hi.d))
			r.may |= HAS_BOTH;
	}
	deltacc_set_range(out, row, r);
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define LOGARITHM	(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS)

const FunctionDef deltacc_trigonometry_functions[] = {
	{"acos", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"asin", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"atan", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"atan2", 2, 2, PURE, resolve_double, point_inexact, range_inexact},
	{"cos", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"cosh", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"cot", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"csc", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"expm1", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"hypot", 2, 2, PURE, resolve_double, point_inexact, range_inexact},
	{"log1p", 1, 1, LOGARITHM, resolve_double, point_inexact, range_inexact},
	{"sec", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"sin", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"sinh", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"tan", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{"tanh", 1, 1, PURE, resolve_double, point_inexact, range_inexact},
	{NULL}
};
