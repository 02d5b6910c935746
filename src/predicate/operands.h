/*-------------------------------------------------------------------------
 *
 * operands.h
 *	  Which types Spark's analyzer lets an operator have (DATATYPE_MISMATCH).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_OPERANDS_H
#define DELTACC_OPERANDS_H

#include "predicate/bind_functions.h"

/*
 * Each of these raises a 42804 with the place, and advice, if Spark refuses such
 * operands for certain.  What has a type that isn't known passes.
 */

/* a op b: arithmetic, bits, || and shifts; -a, +a, ~a. */
extern void deltacc_check_arithmetic(Binder *b, const PredicateNode *node, const char *op,
									 const DeltaExpr *left, const DeltaExpr *right);
extern void deltacc_check_sign(Binder *b, const PredicateNode *node, char op, const DeltaExpr *e);

/* LIKE and its like. */
extern void deltacc_check_like(Binder *b, const PredicateNode *node, int nargs, DeltaExpr *const *args);

/* a[i] and e.name, where a and e are no struct columns whose field is there. */
extern void deltacc_check_subscript(Binder *b, const PredicateNode *node, const DeltaExpr *base, const DeltaExpr *index);
extern void deltacc_check_field(Binder *b, const PredicateNode *node, const DeltaExpr *base);

/*
 * Values that have parts: what they can be compared with, cast to, and be
 * another result beside.
 */
extern bool deltacc_may_compare(const DeltaType *a, const DeltaType *b);
extern bool deltacc_may_cast(const DeltaType *from, const DeltaType *to);
extern bool deltacc_may_meet(int n, DeltaExpr *const *exprs);

#endif							/* DELTACC_OPERANDS_H */
