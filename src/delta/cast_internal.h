/*-------------------------------------------------------------------------
 *
 * cast_internal.h
 *	  What the files of deltacc_cast() share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CAST_INTERNAL_H
#define DELTACC_CAST_INTERNAL_H

#include "delta/cast.h"

#define MICROS_PER_SECOND	INT64CONST(1000000)
#define SECONDS_PER_DAY		INT64CONST(86400)
#define MICROS_PER_DAY		(SECONDS_PER_DAY * MICROS_PER_SECOND)

/* Spark's error classes. */
#define CAST_INVALID_INPUT_CLASS	"CAST_INVALID_INPUT"
#define CAST_OVERFLOW_CLASS			"CAST_OVERFLOW"
#define NUMERIC_RANGE_CLASS			"NUMERIC_VALUE_OUT_OF_RANGE"
#define NUMERIC_SUPPORTED_CLASS		"NUMERIC_OUT_OF_SUPPORTED_RANGE"
/* java.lang.ArithmeticException, which has no class of Spark's */
#define ARITHMETIC_CLASS			"ARITHMETIC_OVERFLOW"

static inline CastResult
cast_fails(const char **error_class, const char *name)
{
	*error_class = name;
	return CAST_ERROR;
}

/* Rounded towards negative infinity. */
static inline int64
floor_div(int64 a, int64 b)
{
	int64		q = a / b;

	return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/*
 * UTF8String.isWhitespaceOrISOControl of a byte: what casts from STRING trim.
 */
static inline bool
is_blank_byte(char c)
{
	return (unsigned char) c <= ' ' || c == 0x7F;
}

static inline void
trim_blank_bytes(const char **s, int *len)
{
	while (*len > 0 && is_blank_byte(**s))
	{
		(*s)++;
		(*len)--;
	}
	while (*len > 0 && is_blank_byte((*s)[*len - 1]))
		(*len)--;
}

/* String.trim: the casts to DECIMAL, FLOAT and DOUBLE use that one. */
static inline void
trim_java(const char **s, int *len)
{
	while (*len > 0 && (unsigned char) **s <= ' ')
	{
		(*s)++;
		(*len)--;
	}
	while (*len > 0 && (unsigned char) (*s)[*len - 1] <= ' ')
		(*len)--;
}

/* cast_number.c */
extern CastResult deltacc_cast_to_integral(const DeltaType *from, DeltaKind to, DeltaScalar v,
										   DeltaScalar *result, const char **error_class);
extern CastResult deltacc_cast_to_double(const DeltaType *from, bool is_float, DeltaScalar v,
										 DeltaScalar *result, const char **error_class);
extern CastResult deltacc_cast_to_decimal(const DeltaType *from, const DeltaType *to, DeltaScalar v,
										  DeltaScalar *result, const char **error_class);
extern char *deltacc_decimal_text(Numeric n);

/* cast_datetime.c */
extern CastResult deltacc_cast_to_date(const DeltaType *from, DeltaScalar v, pg_tz *tz,
									   DeltaScalar *result, const char **error_class);
extern CastResult deltacc_cast_to_timestamp(const DeltaType *from, DeltaScalar v, pg_tz *tz,
											DeltaScalar *result, const char **error_class);
extern CastResult deltacc_cast_to_ntz(const DeltaType *from, DeltaScalar v, pg_tz *tz,
									  DeltaScalar *result, const char **error_class);

#endif							/* DELTACC_CAST_INTERNAL_H */
