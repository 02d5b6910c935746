/*-------------------------------------------------------------------------
 *
 * skipping.h
 *	  Which files a read can't have touched: the plan of one read predicate
 *	  over one schema.  What is done with a plan is in read_plan.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_H
#define DELTACC_SKIPPING_H

#include "base/options.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "predicate/eval.h"
#include "predicate/expr.h"
#include "predicate/predicate.h"
#include "skipping/read_plan.h"

/*
 * One top-level conjunct of the optimized predicate and what can be done with
 * it.
 */
typedef enum ConjunctKind
{
	CONJUNCT_PARTITION,			/* over partition columns, or no column */
	CONJUNCT_DATA,				/* over data columns (perhaps both) */
	CONJUNCT_FOREIGN,			/* refers to another relation: filters nothing */
	CONJUNCT_UNUSABLE			/* subquery, file metadata, non-deterministic */
} ConjunctKind;

typedef struct Conjunct
{
	ConjunctKind kind;
	DeltaExpr	   *expr;
	DeltaExpr	   *skip;			/* skip expression of its data part; NULL: none */
	DeltaExpr	   *partition;		/* partition part, or extracted from under OR;
								 * NULL: TRUE */
	const char *reason;			/* why it can't be used; NULL if it can */
	const char *advice;			/* what would make it usable; NULL */
	const char *safety;			/* the safety rule that leaves a part of it out
								 * which Delta would use ("CHAR column"); NULL */
} Conjunct;

struct ReadPlan
{
	const DeltaSchema *schema;
	DeltaccOptions options;
	DeltaExpr	   *predicate;		/* bound and optimized, whole */
	int			nconjuncts;
	Conjunct   *conjuncts;
	DeltaExpr	   *partition;		/* AND of the partition parts; NULL: TRUE */
	DeltaExpr	   *data;			/* AND of the data conjuncts; NULL: none */
	DeltaExpr	   *skip;			/* AND of the skip expressions; NULL: none */
	DeltaExpr	  **stats;			/* the EXPR_STATs that skip refers to */
	int			nstats;
	DeltaExpr	   *sharp;			/* what a row must make TRUE to matter, over
								 * partition and data columns together; NULL:
								 * nothing is concluded */
};

#endif							/* DELTACC_SKIPPING_H */
