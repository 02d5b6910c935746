/*-------------------------------------------------------------------------
 *
 * fold.h
 *	  Constants and NULLs: rules of optimize.c.
 *
 * A rule looks at one node and gives back what it comes to, or the node itself.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_FOLD_H
#define DELTACC_FOLD_H

#include "base/options.h"
#include "predicate/expr.h"

/* The whole tree: every part that is a constant becomes a literal
 * (ConstantFolding); a part that would raise stays. */
extern DeltaExpr *deltacc_fold_constants(DeltaExpr *e, const DeltaccOptions *options);

/* A part that is a constant and certainly raises, outside of CASE, IF and
 * COALESCE, where Spark would not compute it in advance; NULL: there is none.
 * For what has been folded already. */
extern const DeltaExpr *deltacc_failing_constant(const DeltaExpr *e, const DeltaccOptions *options,
												 const char **error_class);

/* NULL in, NULL out; IS NULL of what can't be; COALESCE (NullPropagation). */
extern DeltaExpr *deltacc_propagate_nulls(DeltaExpr *e, const DeltaccOptions *options);

/* (a > b) IS NULL: one of them is (NullDownPropagation). */
extern DeltaExpr *deltacc_push_null_checks(DeltaExpr *e, const DeltaccOptions *options);

/* 1 + a + 2: a + 3; a + 0: a (ReorderAssociativeOperator). */
extern DeltaExpr *deltacc_reorder_arithmetic(DeltaExpr *e, const DeltaccOptions *options);

#endif							/* DELTACC_FOLD_H */
