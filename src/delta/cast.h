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

#endif							/* DELTACC_CAST_H */
