/*-------------------------------------------------------------------------
 *
 * clock.h
 *	  Time over ranges: the local clock is no monotone function of UTC where
 *	  clocks are changed, so bounds take the least and the greatest offset.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CLOCK_H
#define DELTACC_CLOCK_H

#include "pgtime.h"

#define MICROS_PER_SECOND	INT64CONST(1000000)
#define MICROS_PER_MINUTE	(60 * MICROS_PER_SECOND)
#define MICROS_PER_HOUR		(60 * MICROS_PER_MINUTE)
#define MICROS_PER_DAY		(24 * MICROS_PER_HOUR)

/* Rounded down, as Math.floorDiv and floorMod; b > 0. */
static inline int64
floor_div(int64 a, int64 b)
{
	return a / b - (a % b < 0);
}

static inline int64
floor_mod(int64 a, int64 b)
{
	return a - floor_div(a, b) * b;
}

/*
 * The least and the greatest offset from UTC, in microseconds, of the instants
 * in [lo, hi].
 */
extern void deltacc_offset_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *least, int64 *greatest);

/*
 * Bounds of the local clock over the instants [lo, hi], and of the instants
 * that local times in [lo, hi] mean.  False past int64.
 */
extern bool deltacc_local_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *local_lo, int64 *local_hi);
extern bool deltacc_utc_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *utc_lo, int64 *utc_hi);

#endif							/* DELTACC_CLOCK_H */
