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
extern Expr *deltacc_fold_constants(Expr *e, const DeltaccOptions *options);

/* NULL in, NULL out; IS NULL of what can't be; COALESCE (NullPropagation). */
extern Expr *deltacc_propagate_nulls(Expr *e, const DeltaccOptions *options);

/* (a > b) IS NULL: one of them is (NullDownPropagation). */
extern Expr *deltacc_push_null_checks(Expr *e, const DeltaccOptions *options);

/* 1 + a + 2: a + 3; a + 0: a (ReorderAssociativeOperator). */
extern Expr *deltacc_reorder_arithmetic(Expr *e, const DeltaccOptions *options);

#endif							/* DELTACC_FOLD_H */
