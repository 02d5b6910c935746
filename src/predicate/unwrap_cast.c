/*-------------------------------------------------------------------------
 *
 * unwrap_cast.c
 *	  CAST(column AS t) against a literal: the cast moves to the literal.
 *
 * Only where the cast loses nothing.  A literal that the column's type can't
 * hold is rounded to one that it can, in the direction that keeps the meaning;
 * one beyond its range leaves (a IS NULL) AND NULL, which is never true, or
 * (a IS NOT NULL) OR NULL, which is so for every value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"

#include "delta/cast.h"
#include "predicate/coerce.h"
#include "predicate/comparison.h"
#include "predicate/unwrap_cast.h"

static DeltaExpr *
false_if_not_null(DeltaExpr *e)
{
	DeltaExpr	   *pair[2];

	pair[0] = deltacc_expr_is_null(e);
	pair[1] = deltacc_expr_null(deltacc_type(DELTA_BOOLEAN));
	return deltacc_expr_balanced(EXPR_AND, 2, pair);
}

static DeltaExpr *
true_if_not_null(DeltaExpr *e)
{
	DeltaExpr	   *pair[2];

	pair[0] = deltacc_expr_is_not_null(e);
	pair[1] = deltacc_expr_null(deltacc_type(DELTA_BOOLEAN));
	return deltacc_expr_balanced(EXPR_OR, 2, pair);
}

static DeltaExpr *
compare_with(CompareOp op, DeltaExpr *column, DeltaScalar value)
{
	return deltacc_expr_compare(op, column, deltacc_expr_literal(column->type, value));
}

static bool
cast_value(const DeltaType *from, const DeltaType *to, DeltaScalar value, const DeltaccOptions *options, DeltaScalar *result)
{
	const char *error_class;

	return deltacc_cast(from, to, value, options->timezone, result, &error_class) == CAST_OK;
}

static bool
may_unwrap(const DeltaType *from, const DeltaType *to)
{
	if (!DELTA_IS_NUMERIC_KIND(to->kind))
		return false;
	if (from->kind == DELTA_BOOLEAN)
		return true;
	/* an int has more digits than a float, a long than a double */
	if ((from->kind == DELTA_INTEGER && to->kind == DELTA_FLOAT) ||
		(from->kind == DELTA_LONG && DELTA_IS_DOUBLE_KIND(to->kind)))
		return false;
	return deltacc_can_up_cast(from, to);
}

/*
 * The least and the greatest value of a type; false for decimals.
 */
static bool
type_range(const DeltaType *type, DeltaScalar *min, DeltaScalar *max)
{
	switch (type->kind)
	{
		case DELTA_BOOLEAN:
			min->i = 0;
			max->i = 1;
			return true;
		case DELTA_BYTE:
			min->i = PG_INT8_MIN;
			max->i = PG_INT8_MAX;
			return true;
		case DELTA_SHORT:
			min->i = PG_INT16_MIN;
			max->i = PG_INT16_MAX;
			return true;
		case DELTA_INTEGER:
			min->i = PG_INT32_MIN;
			max->i = PG_INT32_MAX;
			return true;
		case DELTA_LONG:
			min->i = PG_INT64_MIN;
			max->i = PG_INT64_MAX;
			return true;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			min->d = -INFINITY;
			max->d = NAN;
			return true;
		default:
			return false;
	}
}

/*
 * A literal above the greatest value of the column's type.  For one below the
 * least, the operator is given turned round.
 */
static DeltaExpr *
beyond_range(CompareOp op, DeltaExpr *column)
{
	switch (op)
	{
		case CMP_EQ:
		case CMP_GT:
		case CMP_GE:
			return false_if_not_null(column);
		case CMP_LT:
		case CMP_LE:
			return true_if_not_null(column);
		case CMP_NULLSAFE_EQ:
			return deltacc_expr_bool(false);
		default:
			return NULL;
	}
}

/*
 * A literal that is the greatest value of the column's type; or the least, with
 * the operator turned round.
 */
static DeltaExpr *
at_end_of_range(CompareOp op, DeltaExpr *column, DeltaScalar end)
{
	switch (op)
	{
		case CMP_GT:
			return false_if_not_null(column);
		case CMP_LE:
			return true_if_not_null(column);
		case CMP_LT:
			return deltacc_expr_not(compare_with(CMP_EQ, column, end));
		case CMP_GE:
		case CMP_EQ:
			return compare_with(CMP_EQ, column, end);
		case CMP_NULLSAFE_EQ:
			return compare_with(CMP_NULLSAFE_EQ, column, end);
		default:
			return NULL;
	}
}

/*
 * The literal lies between two values of the column's type: near is the next
 * one, above it (rounded up) or below.
 */
static DeltaExpr *
between_values(CompareOp op, DeltaExpr *column, DeltaScalar near, bool rounded_up)
{
	switch (op)
	{
		case CMP_EQ:
			return false_if_not_null(column);
		case CMP_NULLSAFE_EQ:
			return deltacc_expr_bool(false);
		case CMP_GT:
		case CMP_GE:
			return compare_with(rounded_up ? CMP_GE : CMP_GT, column, near);
		case CMP_LT:
		case CMP_LE:
			return compare_with(rounded_up ? CMP_LT : CMP_LE, column, near);
		default:
			return NULL;
	}
}

/*
 * NULL wherever it stays as it is.
 */
static DeltaExpr *
unwrap_number(CompareOp op, DeltaExpr *column, const DeltaType *type, DeltaScalar value, const DeltaccOptions *options)
{
	const DeltaType *from = &column->type;
	DeltaScalar min;
	DeltaScalar max;
	DeltaScalar min_cast;
	DeltaScalar max_cast;
	DeltaScalar narrow;
	DeltaScalar back;
	int			cmp;

	if (!may_unwrap(from, type) || deltacc_expr_foldable(column) || !deltacc_expr_deterministic(column))
		return NULL;
	if (type_range(from, &min, &max))
	{
		if (!cast_value(from, type, min, options, &min_cast) || !cast_value(from, type, max, options, &max_cast))
			return NULL;
		cmp = deltacc_value_compare(type, value, max_cast);
		if (cmp > 0)
			return beyond_range(op, column);
		if (cmp == 0)
			return at_end_of_range(op, column, max);
		cmp = deltacc_value_compare(type, value, min_cast);
		if (cmp < 0)
			return beyond_range(deltacc_compare_swap(op), column);
		if (cmp == 0)
			return at_end_of_range(deltacc_compare_swap(op), column, min);
	}
	if (!cast_value(type, from, value, options, &narrow) || !cast_value(from, type, narrow, options, &back))
		return NULL;
	cmp = deltacc_value_compare(type, value, back);
	if (cmp == 0)
		return compare_with(op, column, narrow);
	return between_values(op, column, narrow, cmp < 0);
}

/*
 * CAST(timestamp AS DATE) against a date: a range of whole days in the
 * session's time zone.
 */
static DeltaExpr *
unwrap_to_date(CompareOp op, DeltaExpr *column, DeltaScalar date, const DeltaccOptions *options)
{
	DeltaType	type = deltacc_type(DELTA_DATE);
	DeltaScalar next = {.i = date.i + 1};
	DeltaScalar start;
	DeltaScalar end;
	DeltaExpr	   *pair[2];

	if (!cast_value(&type, &column->type, date, options, &start) || next.i > PG_INT32_MAX ||
		!cast_value(&type, &column->type, next, options, &end))
		return NULL;
	switch (op)
	{
		case CMP_GT:
			return compare_with(CMP_GE, column, end);
		case CMP_GE:
			return compare_with(CMP_GE, column, start);
		case CMP_LT:
			return compare_with(CMP_LT, column, start);
		case CMP_LE:
			return compare_with(CMP_LT, column, end);
		case CMP_NULLSAFE_EQ:
			if (deltacc_expr_nullable(column))
				return NULL;
			/* FALLTHROUGH */
		case CMP_EQ:
			pair[0] = compare_with(CMP_GE, column, start);
			pair[1] = compare_with(CMP_LT, column, end);
			return deltacc_expr_balanced(EXPR_AND, 2, pair);
		default:
			return NULL;
	}
}

/*
 * CAST(date AS TIMESTAMP) against a timestamp.
 */
static DeltaExpr *
unwrap_from_date(CompareOp op, DeltaExpr *column, const DeltaType *type, DeltaScalar value, const DeltaccOptions *options)
{
	DeltaScalar day;
	DeltaScalar midnight;
	bool		is_midnight;

	if (!cast_value(type, &column->type, value, options, &day) ||
		!cast_value(&column->type, type, day, options, &midnight))
		return NULL;
	is_midnight = midnight.i == value.i;
	switch (op)
	{
		case CMP_GT:
		case CMP_LE:
			return compare_with(op, column, day);
		case CMP_GE:
			return compare_with(is_midnight ? CMP_GE : CMP_GT, column, day);
		case CMP_LT:
			return compare_with(is_midnight ? CMP_LT : CMP_LE, column, day);
		case CMP_EQ:
			return is_midnight ? compare_with(op, column, day) : false_if_not_null(column);
		case CMP_NULLSAFE_EQ:
			return is_midnight ? compare_with(op, column, day) : deltacc_expr_bool(false);
		default:
			return NULL;
	}
}

static bool
is_timestamp(DeltaKind kind)
{
	return kind == DELTA_TIMESTAMP || kind == DELTA_TIMESTAMP_NTZ;
}

/*
 * CAST(column AS type) op value.  NULL where it stays.
 */
static DeltaExpr *
unwrap_comparison(CompareOp op, DeltaExpr *column, const DeltaType *type, DeltaScalar value, const DeltaccOptions *options)
{
	DeltaScalar narrow;
	DeltaScalar back;

	if (DELTA_IS_NUMERIC_KIND(type->kind))
		return unwrap_number(op, column, type, value, options);
	if (type->kind == DELTA_DATE && is_timestamp(column->type.kind))
		return unwrap_to_date(op, column, value, options);
	if (is_timestamp(type->kind) && column->type.kind == DELTA_DATE)
		return unwrap_from_date(op, column, type, value, options);
	if (is_timestamp(type->kind) && is_timestamp(column->type.kind))
	{
		/* between clocks: only where the way there and back ends at the start */
		if (cast_value(type, &column->type, value, options, &narrow) &&
			cast_value(&column->type, type, narrow, options, &back) && back.i == value.i)
			return compare_with(op, column, narrow);
	}
	return NULL;
}

/*
 * CAST(column AS number) IN (literals): those that the column's type can't hold
 * are left out.
 */
static DeltaExpr *
unwrap_in(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *column = e->args[0]->args[0];
	const DeltaType *type = &e->args[0]->type;
	DeltaExpr	  **args;
	int			n = 1;
	int			i;

	if (!may_unwrap(&column->type, type) || deltacc_expr_foldable(column) || !deltacc_in_has_literals_only(e))
		return e;

	args = palloc_extended(sizeof(DeltaExpr *) * (Size) e->nargs, MCXT_ALLOC_HUGE);
	args[0] = column;
	/* NULLs first, as Spark has them */
	for (i = 1; i < e->nargs; i++)
	{
		if (e->args[i]->is_null)
			args[n++] = deltacc_expr_null(column->type);
	}
	for (i = 1; i < e->nargs; i++)
	{
		DeltaScalar narrow;
		DeltaScalar back;

		CHECK_FOR_INTERRUPTS();
		if (!e->args[i]->is_null &&
			cast_value(type, &column->type, e->args[i]->value, options, &narrow) &&
			cast_value(&column->type, type, narrow, options, &back) &&
			deltacc_value_compare(type, e->args[i]->value, back) == 0)
			args[n++] = deltacc_expr_literal(column->type, narrow);
	}
	if (n == 1)
		return false_if_not_null(column);
	return deltacc_expr_make(EXPR_IN, e->type, n, args);
}

static bool
is_value(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && !e->is_null;
}

/*
 * Undoes the exchange of operands in what came out of it: only a comparison has
 * them.
 */
static DeltaExpr *
swap_back(DeltaExpr *e)
{
	if (e == NULL || e->kind != EXPR_COMPARE)
		return e;
	return deltacc_expr_compare(deltacc_compare_swap(e->op), e->args[1], e->args[0]);
}

DeltaExpr *
deltacc_unwrap_cast(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *result = NULL;

	if (e->kind == EXPR_IN && e->args[0]->kind == EXPR_CAST)
		return unwrap_in(e, options);
	if (e->kind != EXPR_COMPARE)
		return e;
	if (e->args[0]->kind == EXPR_CAST && is_value(e->args[1]))
		result = unwrap_comparison(e->op, e->args[0]->args[0], &e->args[0]->type, e->args[1]->value, options);
	else if (e->args[1]->kind == EXPR_CAST && is_value(e->args[0]))
		result = swap_back(unwrap_comparison(deltacc_compare_swap(e->op), e->args[1]->args[0],
											 &e->args[1]->type, e->args[0]->value, options));
	return result != NULL ? result : e;
}
