/*-------------------------------------------------------------------------
 *
 * coerce.c
 *	  Spark 4's type coercion (ANSI on).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "predicate/coerce.h"

#define MAX_PRECISION	38

/*
 * One type, whatever is known of a string's length or collation.
 */
static bool
same_type(const DeltaType *a, const DeltaType *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == DELTA_STRING || DELTA_IS_INT64_KIND(a->kind))
		return true;
	return deltacc_type_equal(a, b);
}

/*
 * A decimal of that size, cut to 38 digits at the cost of the fraction
 * (DecimalType.boundedPreferIntegralDigits).
 */
static DeltaType
bounded_decimal(int precision, int scale)
{
	if (precision > MAX_PRECISION)
	{
		scale = Max(0, scale - (precision - MAX_PRECISION));
		precision = MAX_PRECISION;
	}
	return deltacc_decimal_type(precision, scale);
}

DeltaType
deltacc_decimal_for_type(const DeltaType *type)
{
	switch (type->kind)
	{
		case DELTA_BYTE:
			return deltacc_decimal_type(3, 0);
		case DELTA_SHORT:
			return deltacc_decimal_type(5, 0);
		case DELTA_INTEGER:
			return deltacc_decimal_type(10, 0);
		case DELTA_LONG:
			return deltacc_decimal_type(20, 0);
		case DELTA_FLOAT:
			return deltacc_decimal_type(14, 7);
		case DELTA_DOUBLE:
			return deltacc_decimal_type(30, 15);
		default:
			return *type;
	}
}

DeltaType
deltacc_decimal_for_integer(int64 value)
{
	int			digits = 1;

	while (value / 10 != 0)
	{
		value /= 10;
		digits++;
	}
	return deltacc_decimal_type(digits, 0);
}

DeltaType
deltacc_wider_decimal(const DeltaType *a, const DeltaType *b)
{
	int			scale = Max(a->scale, b->scale);
	int			range = Max(a->precision - a->scale, b->precision - b->scale);

	return bounded_decimal(range + scale, scale);
}

/*
 * Does a decimal hold every value of b, an integral or decimal type
 * (DecimalType.isWiderThan)?
 */
static bool
decimal_is_wider(const DeltaType *decimal, const DeltaType *b)
{
	DeltaType	other = deltacc_decimal_for_type(b);

	return decimal->precision - decimal->scale >= other.precision - other.scale &&
		decimal->scale >= other.scale;
}

bool
deltacc_can_up_cast(const DeltaType *from, const DeltaType *to)
{
	if (same_type(from, to))
		return true;
	if (!DELTA_IS_NUMERIC_KIND(from->kind) || !DELTA_IS_NUMERIC_KIND(to->kind))
		return false;
	if (to->kind == DELTA_DECIMAL)
		return (DELTA_IS_INTEGRAL_KIND(from->kind) || from->kind == DELTA_DECIMAL) &&
			decimal_is_wider(to, from);
	if (from->kind == DELTA_DECIMAL)
	{
		/* a decimal of as many digits may still be too large an integer */
		return DELTA_IS_INTEGRAL_KIND(to->kind) && from->scale == 0 &&
			from->precision < deltacc_decimal_for_type(to).precision;
	}
	/* byte, short, int, long, float, double: the enum's order */
	return from->kind <= to->kind;
}

static bool
is_datetime(DeltaKind kind)
{
	return kind == DELTA_DATE || kind == DELTA_TIMESTAMP || kind == DELTA_TIMESTAMP_NTZ;
}

bool
deltacc_tightest_type(const DeltaType *a, const DeltaType *b, DeltaType *result)
{
	if (same_type(a, b) || b->kind == DELTA_VOID)
	{
		*result = *a;
		return true;
	}
	if (a->kind == DELTA_VOID)
	{
		*result = *b;
		return true;
	}
	if (a->kind == DELTA_DECIMAL || b->kind == DELTA_DECIMAL)
	{
		const DeltaType *decimal = a->kind == DELTA_DECIMAL ? a : b;
		const DeltaType *other = decimal == a ? b : a;

		if (!DELTA_IS_INTEGRAL_KIND(other->kind) || !decimal_is_wider(decimal, other))
			return false;
		*result = *decimal;
		return true;
	}
	if (DELTA_IS_NUMERIC_KIND(a->kind) && DELTA_IS_NUMERIC_KIND(b->kind))
	{
		DeltaKind	kind = Max(a->kind, b->kind);

		/* an integer and a float meet in double */
		*result = deltacc_type(kind == DELTA_FLOAT ? DELTA_DOUBLE : kind);
		return true;
	}
	if (is_datetime(a->kind) && is_datetime(b->kind))
	{
		bool		zoned = a->kind == DELTA_TIMESTAMP || b->kind == DELTA_TIMESTAMP;

		*result = deltacc_type(zoned ? DELTA_TIMESTAMP : DELTA_TIMESTAMP_NTZ);
		return true;
	}
	return false;
}

bool
deltacc_string_promotion(const DeltaType *a, const DeltaType *b, DeltaType *result)
{
	const DeltaType *other = a->kind == DELTA_STRING ? b : a;

	if ((a->kind == DELTA_STRING) == (b->kind == DELTA_STRING))
		return false;
	if (other->kind == DELTA_VOID)
		*result = deltacc_type(DELTA_STRING);
	else if (DELTA_IS_INTEGRAL_KIND(other->kind))
		*result = deltacc_type(DELTA_LONG);
	else if (DELTA_IS_NUMERIC_KIND(other->kind))
		*result = deltacc_type(DELTA_DOUBLE);
	else if (other->kind == DELTA_INTERVAL_MONTHS || other->kind == DELTA_INTERVAL_MICROS ||
			 !DELTA_IS_ATOMIC_KIND(other->kind))
		return false;
	else
		*result = *other;
	return true;
}

bool
deltacc_wider_type(const DeltaType *a, const DeltaType *b, DeltaType *result)
{
	if (deltacc_tightest_type(a, b, result))
		return true;
	if ((a->kind == DELTA_DECIMAL && DELTA_IS_NUMERIC_KIND(b->kind)) ||
		(b->kind == DELTA_DECIMAL && DELTA_IS_NUMERIC_KIND(a->kind)))
	{
		DeltaType	x = deltacc_decimal_for_type(a);
		DeltaType	y = deltacc_decimal_for_type(b);

		if (DELTA_IS_DOUBLE_KIND(a->kind) || DELTA_IS_DOUBLE_KIND(b->kind))
			*result = deltacc_type(DELTA_DOUBLE);
		else
			*result = deltacc_wider_decimal(&x, &y);
		return true;
	}
	return deltacc_string_promotion(a, b, result);
}

bool
deltacc_common_type(int n, DeltaExpr *const *exprs, DeltaType *result)
{
	int			i;

	*result = deltacc_type(DELTA_VOID);
	for (i = 0; i < n; i++)
	{
		DeltaType	so_far = *result;

		if (!deltacc_wider_type(&so_far, &exprs[i]->type, result))
			return false;
	}
	return true;
}

DeltaExpr *
deltacc_coerce_to(DeltaExpr *e, DeltaType type)
{
	if (same_type(&e->type, &type))
		return e;
	if (deltacc_expr_is_null_literal(e))
		return deltacc_expr_null(type);
	return deltacc_expr_cast(e, type, false);
}

/*
 * May an argument of one type be given where the other is expected
 * (Cast.canANSIStoreAssign, and strings for anything)?
 */
static bool
implicit_cast_allowed(const DeltaType *from, const DeltaType *to)
{
	if (from->kind == DELTA_VOID)
		return true;
	if (!DELTA_IS_ATOMIC_KIND(from->kind) || !DELTA_IS_ATOMIC_KIND(to->kind))
		return false;
	if (from->kind == DELTA_STRING || to->kind == DELTA_STRING)
		return true;
	if (DELTA_IS_NUMERIC_KIND(from->kind) && DELTA_IS_NUMERIC_KIND(to->kind))
		return DELTA_IS_INTEGRAL_KIND(from->kind) || !DELTA_IS_INTEGRAL_KIND(to->kind);
	return is_datetime(from->kind) && is_datetime(to->kind);
}

bool
deltacc_implicit_cast(DeltaExpr **e, DeltaType type)
{
	if (same_type(&(*e)->type, &type))
		return true;
	if (!implicit_cast_allowed(&(*e)->type, &type))
		return false;
	*e = deltacc_coerce_to(*e, type);
	return true;
}

static bool
is_integral_literal(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && !e->is_null && DELTA_IS_INTEGRAL_KIND(e->type.kind);
}

/*
 * A number beside a decimal (nondecimalAndDecimal): a literal becomes the
 * smallest decimal that holds it, an integral expression the one of its type,
 * and a float makes both double.
 */
static void
meet_decimal(DeltaExpr **number, DeltaExpr **decimal)
{
	if (is_integral_literal(*number))
		*number = deltacc_coerce_to(*number, deltacc_decimal_for_integer((*number)->value.i));
	else if (DELTA_IS_INTEGRAL_KIND((*number)->type.kind))
		*number = deltacc_coerce_to(*number, deltacc_decimal_for_type(&(*number)->type));
	else
	{
		*number = deltacc_coerce_to(*number, deltacc_type(DELTA_DOUBLE));
		*decimal = deltacc_coerce_to(*decimal, deltacc_type(DELTA_DOUBLE));
	}
}

bool
deltacc_coerce_operands(DeltaExpr **a, DeltaExpr **b)
{
	DeltaType	type;

	if (same_type(&(*a)->type, &(*b)->type))
		return true;
	if (deltacc_string_promotion(&(*a)->type, &(*b)->type, &type))
	{
		*a = deltacc_coerce_to(*a, type);
		*b = deltacc_coerce_to(*b, type);
		return true;
	}
	if ((*a)->type.kind == DELTA_DECIMAL && DELTA_IS_NUMERIC_KIND((*b)->type.kind))
	{
		if ((*b)->type.kind != DELTA_DECIMAL)
			meet_decimal(b, a);
		return true;
	}
	if ((*b)->type.kind == DELTA_DECIMAL && DELTA_IS_NUMERIC_KIND((*a)->type.kind))
	{
		meet_decimal(a, b);
		return true;
	}
	if (!deltacc_tightest_type(&(*a)->type, &(*b)->type, &type))
		return false;
	*a = deltacc_coerce_to(*a, type);
	*b = deltacc_coerce_to(*b, type);
	return true;
}

static int
compare_to_long(Numeric value, int64 bound)
{
	Datum		other = NumericGetDatum(int64_to_numeric(bound));

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(value), other));
}

/*
 * integral op decimal literal: a comparison with the long next to it, on the
 * side that keeps the meaning (DecimalPrecisionTypeCoercion's
 * integralAndDecimalLiteral).
 */
static DeltaExpr *
compare_with_decimal_literal(CompareOp op, DeltaExpr *integral, DeltaExpr *literal, bool swapped)
{
	Numeric		value = literal->value.n;
	bool		greater = op == CMP_GT || op == CMP_GE;
	bool		downwards = op == CMP_GT || op == CMP_LE;
	DeltaScalar bound;
	DeltaExpr	   *e;
	Datum		rounded;

	if (compare_to_long(value, PG_INT64_MIN) < 0)
		return deltacc_expr_bool(greater);
	if (compare_to_long(value, PG_INT64_MAX) > 0)
		return deltacc_expr_bool(!greater);

	rounded = DirectFunctionCall1(downwards ? numeric_floor : numeric_ceil, NumericGetDatum(value));
	bound.i = DatumGetInt64(DirectFunctionCall1(numeric_int8, rounded));
	e = deltacc_expr_literal(deltacc_type(DELTA_LONG), bound);
	if (swapped)
		return deltacc_coerce_comparison(deltacc_compare_swap(op), e, integral);
	return deltacc_coerce_comparison(op, integral, e);
}

static bool
is_inequality(CompareOp op)
{
	return op == CMP_LT || op == CMP_LE || op == CMP_GT || op == CMP_GE;
}

static bool
is_decimal_literal(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && !e->is_null && e->type.kind == DELTA_DECIMAL;
}

DeltaExpr *
deltacc_coerce_comparison(CompareOp op, DeltaExpr *a, DeltaExpr *b)
{
	if (is_inequality(op) && DELTA_IS_INTEGRAL_KIND(a->type.kind) && is_decimal_literal(b))
		return compare_with_decimal_literal(op, a, b, false);
	if (is_inequality(op) && DELTA_IS_INTEGRAL_KIND(b->type.kind) && is_decimal_literal(a))
		return compare_with_decimal_literal(deltacc_compare_swap(op), b, a, true);

	if (!deltacc_coerce_operands(&a, &b))
		return NULL;
	if (a->type.kind == DELTA_DECIMAL && b->type.kind == DELTA_DECIMAL)
	{
		DeltaType	type = deltacc_wider_decimal(&a->type, &b->type);

		a = deltacc_coerce_to(a, type);
		b = deltacc_coerce_to(b, type);
	}
	return deltacc_expr_compare(op, a, b);
}
