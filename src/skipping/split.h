/*-------------------------------------------------------------------------
 *
 * split.h
 *	  The conjuncts of a read and what each is good for.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_SPLIT_H
#define DELTACC_SKIPPING_SPLIT_H

#include "skipping/skipping.h"

/*
 * Splits plan->predicate at its top-level ANDs and fills the plan's conjuncts,
 * their partition parts and skip expressions, and the conjunctions of these.
 * In the current memory context.
 */
extern void deltacc_split_predicate(ReadPlan *plan);

/*
 * The part of a condition over data columns that speaks of the partition only
 * (DeltaTableUtils.extractMetadataPredicates): whatever it is not TRUE for, the
 * condition is not TRUE for.  NULL if there is none.
 */
extern DeltaExpr *deltacc_partition_part(DeltaExpr *e);

#endif							/* DELTACC_SKIPPING_SPLIT_H */
