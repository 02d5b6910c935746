/*-------------------------------------------------------------------------
 *
 * coerce.h
 *	  Spark 4's type coercion (ANSI on): which type two expressions meet in.
 *
 * From Catalyst's AnsiTypeCoercion, AnsiStringPromotionTypeCoercion,
 * DecimalPrecisionTypeCoercion and DecimalType.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_COERCE_H
#define DELTACC_COERCE_H

#include "predicate/expr.h"

/*
 * The tightest type that holds both without a change of kind (NULL and
 * anything, int and long, date and timestamp), as findTightestCommonType; and
 * the same with decimals widened and strings promoted to the other's type, as
 * findWiderTypeForTwo.  False if there is none.
 */
extern bool deltacc_tightest_type(const DeltaType *a, const DeltaType *b, DeltaType *result);
extern bool deltacc_wider_type(const DeltaType *a, const DeltaType *b, DeltaType *result);

/* The wider type of all expressions, from left to right (findWiderCommonType). */
extern bool deltacc_common_type(int n, DeltaExpr *const *exprs, DeltaType *result);

/* What a string becomes when it meets the other type (findWiderTypeForString). */
extern bool deltacc_string_promotion(const DeltaType *a, const DeltaType *b, DeltaType *result);

/*
 * The decimal that holds every value of a numeric type (DecimalType.forType),
 * just this integer (fromLiteral), or two decimals.
 */
extern DeltaType deltacc_decimal_for_type(const DeltaType *type);
extern DeltaType deltacc_decimal_for_integer(int64 value);
extern DeltaType deltacc_wider_decimal(const DeltaType *a, const DeltaType *b);

/* Is every value of the one a value of the other (Cast.canUpCast, for numbers)? */
extern bool deltacc_can_up_cast(const DeltaType *from, const DeltaType *to);

/* e as a value of type: itself, a NULL of that type, or a cast. */
extern DeltaExpr *deltacc_coerce_to(DeltaExpr *e, DeltaType type);

/*
 * Implicit cast of an argument to the type that a function expects (Spark's
 * implicitCast).  False if it isn't allowed; e then stays.
 */
extern bool deltacc_implicit_cast(DeltaExpr **e, DeltaType type);

/*
 * Brings the operands of a binary operator to one type, or leaves two decimals
 * of different precision to arithmetic.  False: there is no such type
 * (BINARY_OP_DIFF_TYPES).
 */
extern bool deltacc_coerce_operands(DeltaExpr **a, DeltaExpr **b);

/*
 * The comparison of two expressions of any types.  NULL: they can't be
 * compared.  An integral expression against a decimal literal becomes one
 * against a long (or TRUE or FALSE), as in Spark's analyzer.
 */
extern DeltaExpr *deltacc_coerce_comparison(CompareOp op, DeltaExpr *a, DeltaExpr *b);

#endif							/* DELTACC_COERCE_H */
