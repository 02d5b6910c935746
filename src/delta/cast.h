/*-------------------------------------------------------------------------
 *
 * cast.h
 *	  Spark 4's casts (ANSI on) between the types of value.h.
 *
 * From Spark's Cast, UTF8String, SparkDateTimeUtils and Decimal.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CAST_H
#define DELTACC_CAST_H

#include "delta/value.h"

typedef enum CastResult
{
	CAST_OK,
	CAST_NULL,					/* (a NULL comes out) */
	CAST_ERROR,					/* Spark raises; *error_class is set */
	CAST_UNSUPPORTED			/* legal in Spark, but not computed here */
} CastResult;

/*
 * May a value of this type be cast at all, by Cast.canAnsiCast?
 */
extern bool deltacc_can_cast(const DeltaType *from, const DeltaType *to);

/*
 * Casts one non-null value.  The result lives in the current memory context.
 * Never raises but for lack of memory: what Spark raises is CAST_ERROR, with
 * Spark's error class ("CAST_INVALID_INPUT") in *error_class (static).
 */
extern CastResult deltacc_cast(const DeltaType *from, const DeltaType *to, DeltaScalar v,
							   pg_tz *tz, DeltaScalar *result, const char **error_class);

/*
 * Can the cast change the order of two values, or fail between two values for
 * which it succeeds?  If not (true is returned), the image of [lo, hi] is
 * [cast(lo), cast(hi)].
 */
extern bool deltacc_cast_is_monotone(const DeltaType *from, const DeltaType *to);

/* Text to DATE (days) and to TIMESTAMP, by stringToDate / stringToTimestamp.
 * For an NTZ target a zone in the text is ignored iff allow_zone. */
extern bool deltacc_parse_date(const char *s, int len, int64 *days);
extern bool deltacc_parse_timestamp(const char *s, int len, pg_tz *tz, int64 *micros);
extern bool deltacc_parse_timestamp_ntz(const char *s, int len, bool allow_zone, int64 *micros);

/*
 * Between the local clock and UTC, microseconds since 1970.  A local time that
 * occurs twice takes the earlier offset, one that doesn't occur is shifted
 * by the length of the gap: java.time's rules.
 */
extern int64 deltacc_local_to_utc(int64 local_micros, pg_tz *tz);
extern int64 deltacc_utc_to_local(int64 utc_micros, pg_tz *tz);

/*
 * ----- the parts that casts are made of -----
 *
 * A pg_tz of NULL means no shift at all (UTC, or the local clock of an NTZ).
 */

/* Days since 1970 in the proleptic Gregorian calendar; year 0 is 1 BC. */
extern bool deltacc_date_is_valid(int64 year, int month, int day);
extern int64 deltacc_days_from_civil(int64 year, int month, int day);
extern void deltacc_civil_from_days(int64 days, int64 *year, int *month, int *day);

/* Seconds east of UTC at an instant. */
extern int32 deltacc_utc_offset(int64 utc_micros, pg_tz *tz);

/* The first instant of a day: LocalDate.atStartOfDay.  False past int64. */
extern bool deltacc_day_start(int64 days, pg_tz *tz, int64 *micros);

/*
 * The zone that java.time's ZoneId.of finds for a name ("Z", "+3", "GMT+1",
 * "Europe/Paris", "PST").  *tz is NULL for a fixed *offset.
 */
extern bool deltacc_find_zone(const char *name, int len, int32 *offset, pg_tz **tz);

/* As Spark casts them to STRING: 2024-01-01, 2024-01-01 10:00:00.5, 1.0E10. */
extern void deltacc_append_date(StringInfo out, int64 days);
extern void deltacc_append_timestamp(StringInfo out, int64 utc_micros, pg_tz *tz);
extern void deltacc_append_double(StringInfo out, double value, bool is_float);

/* Is that the text on any JDK that Spark runs on (java_double.c)? */
extern bool deltacc_double_text_is_sure(double value, bool is_float);

/* By Double.parseDouble / Float.parseFloat; no special literals but NaN and
 * Infinity, blanks around it allowed. */
extern bool deltacc_parse_double(const char *s, int len, bool is_float, double *result);

/*
 * By BigDecimal(String), rounded HALF_UP: CAST_OK, CAST_ERROR, or
 * CAST_UNSUPPORTED for other characters outside ASCII than digits.  No blanks
 * around it.
 */
extern CastResult deltacc_parse_decimal(const char *s, int len, int precision, int scale,
										Numeric *result, const char **error_class);

/* A DECIMAL brought to another precision and scale, rounded HALF_UP; false if
 * it has too many digits for it. */
extern bool deltacc_decimal_rescale(Numeric n, int precision, int scale, Numeric *result);

/*
 * A double (never NaN or infinite) as BigDecimal.valueOf makes it, rounded:
 * CAST_OK, CAST_ERROR (too many digits), or CAST_UNSUPPORTED where that depends
 * on the JDK.
 */
extern CastResult deltacc_double_to_decimal(double d, int precision, int scale, Numeric *result);

#endif							/* DELTACC_CAST_H */
