/*-------------------------------------------------------------------------
 *
 * rewrite.h
 *	  From a condition on data to a condition on statistics.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_REWRITE_H
#define DELTACC_SKIPPING_REWRITE_H

#include "nodes/pg_list.h"
#include "predicate/expr.h"

/* What was met on the way that has no skip expression: the first of each. */
typedef struct SkipNotes
{
	const char *reason;			/* in words; NULL: everything has one */
	const char *advice;			/* what would help; NULL */
	const char *safety;			/* the safety rule that left a part out which
								 * Delta would use; NULL */
	bool		partition;		/* the reason is no more than that a part
								 * speaks of the partition */
} SkipNotes;

/*
 * The skip expression of a condition (Delta's DataFiltersBuilder): if it is not
 * TRUE over a file's statistics, and those that it refers to are there, no row
 * of the file makes the condition TRUE.  NULL: there is none.  In the current
 * memory context; notes may be NULL.
 */
extern DeltaExpr *deltacc_skip_rewrite(const DeltaExpr *e, pg_tz *timezone, SkipNotes *notes);

/* The end of an advice: what sharp can do with a condition that the reader has no
 * use for. */
#define DELTACC_OR_SHARP	"or set deltacc.data_skipping to sharp: it evaluates the condition over the range of the file's values."

/*
 * Which part of an expression deltacc doesn't know or doesn't compute, in words;
 * NULL: there is none.  Sets *advice, if there is any, unless advice is NULL.
 */
extern const char *deltacc_why_unknown(const DeltaExpr *e, pg_tz *timezone, const char **advice);

/* Appends the EXPR_STATs that e refers to, each once, to the list. */
extern List *deltacc_collect_stats(DeltaExpr *e, List *stats);

/* Has a column of this type, as such, MIN and MAX (SkippingEligibleDataType)? */
extern bool deltacc_kind_has_bounds(DeltaKind kind);

#endif							/* DELTACC_SKIPPING_REWRITE_H */
