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
extern Expr *deltacc_simplify_comparison(Expr *e, const DeltaccOptions *options);

/* Items of IN once each; a single one is = (OptimizeIn). */
extern Expr *deltacc_simplify_in(Expr *e, const DeltaccOptions *options);

/* Casts to the same type, and a widening one inside another (SimplifyCasts). */
extern Expr *deltacc_simplify_cast(Expr *e, const DeltaccOptions *options);

/* Are all items of an IN literals? */
extern bool deltacc_in_has_literals_only(const Expr *e);

#endif							/* DELTACC_COMPARISON_H */
