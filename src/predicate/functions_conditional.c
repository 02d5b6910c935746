/*-------------------------------------------------------------------------
 *
 * functions_conditional.c
 *	  Functions that look at NULL and NaN: greatest, least, nanvl, isnan.
 *
 * coalesce, nvl, nullif, if and their like are expressions of their own.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "predicate/coerce.h"
#include "predicate/functions_support.h"

RESOLVE_FUNCTION(resolve_extreme)
{
	if (!deltacc_common_type(nargs, args, type) || !DELTA_IS_ATOMIC_KIND(type->kind))
		return false;
	for (int i = 0; i < nargs; i++)
	{
		/* here Spark makes nothing else of a string */
		if (type->kind != DELTA_STRING && args[i]->type.kind == DELTA_STRING)
			return false;
		args[i] = deltacc_coerce_to(args[i], *type);
	}
	return true;
}

/* 1 for greatest, -1 for least. */
static int
extreme_sign(const DeltaCallContext *cx)
{
	return cx->call->function->name[0] == 'g' ? 1 : -1;
}

POINT_FUNCTION(point_extreme)
{
	const DeltaType *type = &cx->call->type;
	int			sign = extreme_sign(cx);
	bool		found = false;

	for (int i = 0; i < nargs; i++)
	{
		if (is_null[i])
			continue;
		if (!found || deltacc_value_compare(type, args[i], *result) * sign > 0)
			*result = args[i];
		found = true;
	}
	return found ? POINT_VALUE : POINT_NULL;
}

/*
 * Of truth values the greatest is TRUE if any is, and FALSE if none surely is
 * TRUE; for the least the other way round.
 */
static void
extreme_outcome(const DeltaCallContext *cx, int nargs, const Block *args, int row, Block *out)
{
	uint8		wins = extreme_sign(cx) > 0 ? MAY_TRUE : MAY_FALSE;
	uint8		any = 0;
	uint8		all = MAY_NULL;
	bool		surely = false;

	for (int i = 0; i < nargs; i++)
	{
		uint8		may = block_may(&args[i], row) & ~MAY_ERROR;

		any |= may & (MAY_TRUE | MAY_FALSE);
		all &= may;
		surely = surely || may == wins;
	}
	out->may[row] = (surely ? wins : any) | all;
}

/*
 * The result is one of the values, and no further than any argument that
 * surely has one.
 */
RANGE_FUNCTION(range_extreme)
{
	const DeltaType *type = &cx->call->type;
	bool		greatest = extreme_sign(cx) > 0;
	uint8		near = greatest ? HAS_LO : HAS_HI;
	ValueRange	hull = {0};
	bool		some_value = false;

	if (IS_OUTCOME_KIND(type->kind))
	{
		extreme_outcome(cx, nargs, args, row, out);
		return;
	}
	for (int i = 0; i < nargs; i++)
	{
		ValueRange	r = block_get(&args[i], row);

		r.may &= ~(MAY_NULL | MAY_ERROR);
		deltacc_range_add(type, &hull, &r);
	}
	for (int i = 0; i < nargs; i++)
	{
		ValueRange	r = block_get(&args[i], row);
		DeltaScalar end = greatest ? r.lo : r.hi;
		DeltaScalar *bound = greatest ? &hull.lo : &hull.hi;

		if (r.may & (MAY_NULL | MAY_ERROR))
			continue;
		some_value = true;
		if ((r.may & near) &&
			(!(hull.may & near) || deltacc_value_compare(type, end, *bound) * (greatest ? 1 : -1) > 0))
		{
			*bound = end;
			hull.may |= near;
		}
	}
	if (!some_value)
		hull.may |= MAY_NULL;
	deltacc_set_range(out, row, hull);
}

RESOLVE_FUNCTION(resolve_nanvl)
{
	DeltaKind	kind = DELTA_DOUBLE;

	if (args[0]->type.kind == DELTA_FLOAT && args[1]->type.kind == DELTA_FLOAT)
		kind = DELTA_FLOAT;
	*type = deltacc_type(kind);
	return deltacc_implicit_cast(&args[0], *type) && deltacc_implicit_cast(&args[1], *type);
}

POINT_FUNCTION(point_nanvl)
{
	int			chosen = !is_null[0] && isnan(args[0].d) ? 1 : 0;

	if (is_null[chosen])
		return POINT_NULL;
	*result = args[chosen];
	return POINT_VALUE;
}

static bool
may_be_nan(const ValueRange *r)
{
	return !(r->may & HAS_HI) || isnan(r->hi.d);
}

RANGE_FUNCTION(range_nanvl)
{
	ValueRange	a = block_get(&args[0], row);
	ValueRange	b = block_get(&args[1], row);
	ValueRange	r = {0};

	deltacc_range_add(&out->type, &r, &a);
	if ((a.may & MAY_VALUE) && may_be_nan(&a))
		deltacc_range_add(&out->type, &r, &b);
	deltacc_set_range(out, row, r);
}

RESOLVE_FUNCTION(resolve_isnan)
{
	*type = deltacc_type(DELTA_BOOLEAN);
	return args[0]->type.kind == DELTA_FLOAT || deltacc_implicit_cast(&args[0], deltacc_type(DELTA_DOUBLE));
}

POINT_FUNCTION(point_isnan)
{
	result->i = !is_null[0] && isnan(args[0].d);
	return POINT_VALUE;
}

RANGE_FUNCTION(range_isnan)
{
	ValueRange	a = block_get(&args[0], row);
	uint8		may = 0;

	if (a.may & MAY_NULL)
		may |= MAY_FALSE;
	if (a.may & MAY_VALUE)
	{
		if (may_be_nan(&a))
			may |= MAY_TRUE;
		if (!(a.may & HAS_LO) || !isnan(a.lo.d))
			may |= MAY_FALSE;
	}
	out->may[row] = may;
}

const FunctionDef deltacc_conditional_functions[] = {
	{"greatest", 2, -1, FN_NEVER_FAILS | FN_NULL_WITH_ALL, resolve_extreme, point_extreme, range_extreme},
	{"least", 2, -1, FN_NEVER_FAILS | FN_NULL_WITH_ALL, resolve_extreme, point_extreme, range_extreme},
	{"nanvl", 2, 2, FN_NEVER_FAILS | FN_LAZY, resolve_nanvl, point_nanvl, range_nanvl},
	{"isnan", 1, 1, FN_NEVER_FAILS | FN_NEVER_NULL, resolve_isnan, point_isnan, range_isnan},
	{NULL}
};
