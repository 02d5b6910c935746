/*-------------------------------------------------------------------------
 *
 * optimize.h
 *	  What Spark's optimizer makes of a condition before Delta sees it.
 *
 * Constant folding, null propagation, boolean simplification, unwrapped casts
 * in comparisons, IN lists, LIKE shapes (Catalyst's ConstantFolding,
 * NullPropagation, BooleanSimplification, SimplifyBinaryComparison,
 * UnwrapCastInBinaryComparison, OptimizeIn, LikeSimplification, ...).  It is
 * part of the behaviour: it decides which conjuncts have a skip expression.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_OPTIMIZE_H
#define DELTACC_OPTIMIZE_H

#include "base/options.h"
#include "predicate/expr.h"

/*
 * The optimized expression, in the current memory context.  Never raises for
 * what evaluating would raise: such a part stays as it is; if it is a constant
 * that certainly fails (deltacc_failing_constant()), nothing more is done.
 *
 * At the top an AND is one list of conjuncts; further down AND and OR have two
 * operands each, nested as in Spark, whose bounds on depth count that way.
 * NOT (a = b) is a <> b; otherwise NOT stands only where it can't be carried
 * inwards.
 */
extern DeltaExpr *deltacc_optimize(DeltaExpr *e, const DeltaccOptions *options);

#endif							/* DELTACC_OPTIMIZE_H */
