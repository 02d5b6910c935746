/*-------------------------------------------------------------------------
 *
 * boolean.h
 *	  AND, OR and NOT: a rule of optimize.c (BooleanSimplification).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_BOOLEAN_H
#define DELTACC_BOOLEAN_H

#include "base/options.h"
#include "predicate/expr.h"

/*
 * Neutral and absorbing operands, a AND NOT a, repeated operands, common
 * factors, NOT moved inwards.  AND and OR have two operands here.
 */
extern DeltaExpr *deltacc_simplify_boolean(DeltaExpr *e, const DeltaccOptions *options);

#endif							/* DELTACC_BOOLEAN_H */
