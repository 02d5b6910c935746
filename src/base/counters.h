/*-------------------------------------------------------------------------
 *
 * counters.h
 *	  What this backend has done so far: the proof that a check reads slices
 *	  and binds once, not a setting and not a result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_COUNTERS_H
#define DELTACC_COUNTERS_H

typedef struct DeltaccCounters
{
	int64		values_opened;	/* deltacc.actions values */
	int64		slices_fetched; /* from them */
	int64		bytes_fetched;	/* by these slices */
	int64		plans_built;	/* predicates bound and rewritten */
	int64		plans_reused;	/* ... and found in the cache */
} DeltaccCounters;

extern DeltaccCounters deltacc_counters;

#endif							/* DELTACC_COUNTERS_H */
