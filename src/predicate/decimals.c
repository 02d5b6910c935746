/*-------------------------------------------------------------------------
 *
 * decimals.c
 *	  Arithmetic on DECIMALs, with Spark's result types and roundings.
 *
 * From Catalyst's DecimalPrecision and BinaryArithmetic, and Decimal.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "predicate/decimals.h"

#define MAX_PRECISION	38
#define MIN_ADJUSTED_SCALE	6

/* Decimal's products have as many digits before they are rounded again, and
 * its quotients as many behind the point. */
#define INNER_DIGITS	(MAX_PRECISION + 1)

#define CALL1(f, a)	DatumGetNumeric(DirectFunctionCall1((f), NumericGetDatum(a)))
#define CALL2(f, a, b) \
	DatumGetNumeric(DirectFunctionCall2((f), NumericGetDatum(a), NumericGetDatum(b)))

static DeltaType
adjusted(int precision, int scale)
{
	int			integral = precision - scale;

	if (precision > MAX_PRECISION)
	{
		scale = Max(MAX_PRECISION - integral, Min(scale, MIN_ADJUSTED_SCALE));
		precision = MAX_PRECISION;
	}
	return deltacc_decimal_type(precision, scale);
}

DeltaType
deltacc_decimal_result_type(char op, const DeltaType *a, const DeltaType *b)
{
	int			ia = a->precision - a->scale;
	int			ib = b->precision - b->scale;
	int			scale = Max(a->scale, b->scale);

	switch (op)
	{
		case '*':
			return adjusted(a->precision + b->precision + 1, a->scale + b->scale);
		case '/':
			scale = Max(MIN_ADJUSTED_SCALE, a->scale + b->precision + 1);
			return adjusted(ia + b->scale + scale, scale);
		case '%':
			return adjusted(Min(ia, ib) + scale, scale);
		case 'd':
			return deltacc_decimal_type(Max(Min(ia + b->scale, MAX_PRECISION), 1), 0);
		default:
			return adjusted(Max(ia, ib) + scale + 1, scale);
	}
}

int
deltacc_decimal_sign(Numeric n)
{
	Datum		zero = NumericGetDatum(int64_to_numeric(0));

	return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(n), zero));
}

static Numeric
power_of_ten(int exponent)
{
	char		text[64];

	snprintf(text, sizeof(text), "1e%d", exponent);
	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

/* n * 10^exponent */
static Numeric
shifted(Numeric n, int exponent)
{
	return CALL2(numeric_mul, n, power_of_ten(exponent));
}

/*
 * Digits of the integer that n is without its point, leading zeros apart.
 */
static int
significant_digits(Numeric n)
{
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(n)));
	int			digits = 0;

	for (const char *p = text; *p != '\0'; p++)
	{
		if (*p >= '0' && *p <= '9' && (digits > 0 || *p != '0'))
			digits++;
	}
	return digits;
}

static int
scale_of(Numeric n)
{
	return DatumGetInt32(DirectFunctionCall1(numeric_scale, NumericGetDatum(n)));
}

static Numeric
rounded(Numeric n, int scale)
{
	return DatumGetNumeric(DirectFunctionCall2(numeric_round, NumericGetDatum(n), Int32GetDatum(scale)));
}

/*
 * Spark's Decimal goes through a Scala BigDecimal, which rounds to 34 digits
 * (MathContext.DECIMAL128).
 */
#define NEGATED_DIGITS	34

Numeric
deltacc_decimal_negate(Numeric n)
{
	int			excess = significant_digits(n) - NEGATED_DIGITS;

	if (excess > 0)
		n = deltacc_decimal_round(n, scale_of(n) - excess, ROUND_HALF_EVEN);
	return CALL1(numeric_uminus, n);
}

/*
 * a / b, rounded HALF_UP behind INNER_DIGITS digits: twice the shifted
 * quotient, cut off, plus one, halved.  numeric_div rounds too, but behind a
 * digit of its own choice.
 */
static Numeric
divide(Numeric a, Numeric b)
{
	Numeric		one = int64_to_numeric(1);
	Numeric		two = int64_to_numeric(2);
	bool		negative = deltacc_decimal_sign(a) * deltacc_decimal_sign(b) < 0;
	Numeric		twice = shifted(CALL2(numeric_mul, CALL1(numeric_abs, a), two), INNER_DIGITS);
	Numeric		quotient = CALL2(numeric_div_trunc, twice, CALL1(numeric_abs, b));

	quotient = CALL2(numeric_div_trunc, CALL2(numeric_add, quotient, one), two);
	quotient = shifted(quotient, -INNER_DIGITS);
	return negative ? CALL1(numeric_uminus, quotient) : quotient;
}

Numeric
deltacc_decimal_calculate(char op, Numeric a, Numeric b)
{
	Numeric		n;
	int			digits;

	switch (op)
	{
		case '+':
			return CALL2(numeric_add, a, b);
		case '-':
			return CALL2(numeric_sub, a, b);
		case '*':
			n = CALL2(numeric_mul, a, b);
			digits = significant_digits(n);
			return digits > INNER_DIGITS ? rounded(n, scale_of(n) - (digits - INNER_DIGITS)) : n;
		case '/':
			return divide(a, b);
		case '%':
			return CALL2(numeric_mod, a, b);
		default:
			return CALL2(numeric_div_trunc, a, b);
	}
}

Numeric
deltacc_decimal_round(Numeric n, int scale, DecimalRounding rounding)
{
	Numeric		moved;
	Numeric		result;
	Numeric		half;
	Numeric		twice_off;

	if (rounding == ROUND_HALF_UP)
		return rounded(n, scale);

	moved = shifted(n, scale);
	if (rounding == ROUND_CEILING)
		result = CALL1(numeric_ceil, moved);
	else
		result = CALL1(numeric_floor, moved);
	if (rounding == ROUND_HALF_EVEN)
	{
		/* up if more than half is left, or just half above an odd number */
		half = int64_to_numeric(1);
		twice_off = CALL2(numeric_mul, CALL2(numeric_sub, moved, result), int64_to_numeric(2));
		switch (DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(twice_off), NumericGetDatum(half))))
		{
			case 0:
				if (deltacc_decimal_sign(CALL2(numeric_mod, result, int64_to_numeric(2))) != 0)
					result = CALL2(numeric_add, result, half);
				break;
			case 1:
				result = CALL2(numeric_add, result, half);
				break;
		}
	}
	return rounded(shifted(result, -scale), Max(scale, 0));
}
