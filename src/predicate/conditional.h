/*-------------------------------------------------------------------------
 *
 * conditional.h
 *	  CASE and IF: rules of optimize.c.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CONDITIONAL_H
#define DELTACC_CONDITIONAL_H

#include "base/options.h"
#include "predicate/expr.h"

/* Branches that are always or never taken, or all alike (SimplifyConditionals). */
extern Expr *deltacc_simplify_conditional(Expr *e, const DeltaccOptions *options);

/* f(IF(c, 1, 2)): IF(c, f(1), f(2)) (PushFoldableIntoBranches). */
extern Expr *deltacc_push_into_branches(Expr *e, const DeltaccOptions *options);

/* A condition of a CASE, or of IS TRUE, that is NULL is as good as FALSE
 * (ReplaceNullWithFalseInPredicate). */
extern Expr *deltacc_replace_null_conditions(Expr *e, const DeltaccOptions *options);

#endif							/* DELTACC_CONDITIONAL_H */
