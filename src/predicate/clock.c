/*-------------------------------------------------------------------------
 *
 * clock.c
 *	  Time over ranges.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"

#include "delta/cast.h"
#include "predicate/clock.h"

/* Past so many clock changes the bounds are any offset that a zone can have. */
#define MAX_BOUNDARIES	200
#define WIDEST_OFFSET	(8 * MICROS_PER_DAY)

void
deltacc_offset_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *least, int64 *greatest)
{
	int64		first;
	int64		last;
	pg_time_t	t = floor_div(lo, MICROS_PER_SECOND);
	pg_time_t	end = floor_div(hi, MICROS_PER_SECOND);
	long		fixed;

	*least = *greatest = 0;
	if (tz == NULL)
		return;
	if (pg_get_timezone_offset(tz, &fixed))
	{
		*least = *greatest = fixed * MICROS_PER_SECOND;
		return;
	}

	first = deltacc_utc_offset(lo, tz);
	last = deltacc_utc_offset(hi, tz);
	*least = Min(first, last) * MICROS_PER_SECOND;
	*greatest = Max(first, last) * MICROS_PER_SECOND;
	for (int i = 0; i < MAX_BOUNDARIES; i++)
	{
		long		before;
		long		after;
		int			before_isdst;
		int			after_isdst;
		pg_time_t	boundary;
		int			found = pg_next_dst_boundary(&t, &before, &before_isdst, &boundary,
												 &after, &after_isdst, tz);

		if (found < 0)
			break;
		*least = Min(*least, before * MICROS_PER_SECOND);
		*greatest = Max(*greatest, before * MICROS_PER_SECOND);
		if (found == 0 || boundary > end)
			return;
		if (boundary <= t)
			break;
		*least = Min(*least, after * MICROS_PER_SECOND);
		*greatest = Max(*greatest, after * MICROS_PER_SECOND);
		t = boundary;
	}
	*least = -WIDEST_OFFSET;
	*greatest = WIDEST_OFFSET;
}

bool
deltacc_local_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *local_lo, int64 *local_hi)
{
	int64		least;
	int64		greatest;

	deltacc_offset_bounds(lo, hi, tz, &least, &greatest);
	return !pg_add_s64_overflow(lo, least, local_lo) &&
		!pg_add_s64_overflow(hi, greatest, local_hi);
}

/*
 * The instant that a local time means lies within a few days of it, and has
 * one of the offsets in force there.  A local time that doesn't occur is
 * shifted by the gap, which is the same as taking the offset before it.
 */
bool
deltacc_utc_bounds(int64 lo, int64 hi, pg_tz *tz, int64 *utc_lo, int64 *utc_hi)
{
	int64		least;
	int64		greatest;
	int64		from;
	int64		to;

	if (pg_sub_s64_overflow(lo, 2 * WIDEST_OFFSET, &from) ||
		pg_add_s64_overflow(hi, 2 * WIDEST_OFFSET, &to))
		return false;
	deltacc_offset_bounds(from, to, tz, &least, &greatest);
	return !pg_sub_s64_overflow(lo, greatest, utc_lo) &&
		!pg_sub_s64_overflow(hi, least, utc_hi);
}
