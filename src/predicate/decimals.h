/*-------------------------------------------------------------------------
 *
 * decimals.h
 *	  Arithmetic on DECIMALs, with Spark's result types and roundings.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_DECIMALS_H
#define DELTACC_DECIMALS_H

#include "delta/value.h"

typedef enum DecimalRounding
{
	ROUND_HALF_UP,				/* away from zero */
	ROUND_HALF_EVEN,
	ROUND_FLOOR,
	ROUND_CEILING
} DecimalRounding;

/*
 * The result types of DecimalPrecision, cut to 38 digits at the cost of the
 * fraction, of which at least 6 digits stay (adjustPrecisionScale).  op is one
 * of + - * / %, and 'd' for DIV.
 */
extern DeltaType deltacc_decimal_result_type(char op, const DeltaType *a, const DeltaType *b);

/*
 * a op b, exact or rounded as Spark's Decimal does before it is brought to the
 * result type.  b must not be 0 in / % d.
 */
extern Numeric deltacc_decimal_calculate(char op, Numeric a, Numeric b);

extern int	deltacc_decimal_sign(Numeric n);
extern Numeric deltacc_decimal_negate(Numeric n);

/* Rounded to so many digits behind the point; before it if scale < 0. */
extern Numeric deltacc_decimal_round(Numeric n, int scale, DecimalRounding rounding);

#endif							/* DELTACC_DECIMALS_H */
