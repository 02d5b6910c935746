/*-------------------------------------------------------------------------
 *
 * whole_commit.h
 *	  What the directory of a commit tells of all files that it adds.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_WHOLE_COMMIT_H
#define DELTACC_SKIPPING_WHOLE_COMMIT_H

#include "skipping/skipping.h"

/*
 * What the partition filter may be for a file that a adds; MAY_ANYTHING where
 * that isn't known.
 */
extern uint8 deltacc_commit_partition(const ReadPlan *plan, DeltaActions *a);

/* Is it certain that deltacc_plan_skip_files() keeps none of them? */
extern bool deltacc_commit_is_skipped(const ReadPlan *plan, DeltaActions *a);

#endif							/* DELTACC_SKIPPING_WHOLE_COMMIT_H */
