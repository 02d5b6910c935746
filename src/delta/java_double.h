/*-------------------------------------------------------------------------
 *
 * java_double.h
 *	  Double.toString as it was before JDK 19.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_JAVA_DOUBLE_H
#define DELTACC_JAVA_DOUBLE_H

/* digits[0].digits[1..] * 10^exponent, without zeros at the end. */
typedef struct JavaDigits
{
	char		digits[32];
	int			ndigits;
	int			exponent;
} JavaDigits;

/* Of a finite value other than zero. */
extern void deltacc_java_digits_before_19(double value, bool is_float, JavaDigits *d);

#endif							/* DELTACC_JAVA_DOUBLE_H */
