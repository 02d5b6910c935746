/*-------------------------------------------------------------------------
 *
 * comparison.h
 *	  Comparisons, IN and casts: rules of optimize.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_COMPARISON_H
#define DELTACC_COMPARISON_H

#include "base/options.h"
#include "predicate/expr.h"

/* a <=> a; x = true (SimplifyBinaryComparison). */
extern DeltaExpr *deltacc_simplify_comparison(DeltaExpr *e, const DeltaccOptions *options);

/* Items of IN once each; a single one is = (OptimizeIn). */
extern DeltaExpr *deltacc_simplify_in(DeltaExpr *e, const DeltaccOptions *options);

/* Casts to the same type, and a widening one inside another (SimplifyCasts). */
extern DeltaExpr *deltacc_simplify_cast(DeltaExpr *e, const DeltaccOptions *options);

/* Are all items of an IN literals? */
extern bool deltacc_in_has_literals_only(const DeltaExpr *e);

#endif							/* DELTACC_COMPARISON_H */
