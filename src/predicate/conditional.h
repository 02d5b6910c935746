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
extern DeltaExpr *deltacc_simplify_conditional(DeltaExpr *e, const DeltaccOptions *options);

/* f(IF(c, 1, 2)): IF(c, f(1), f(2)) (PushFoldableIntoBranches). */
extern DeltaExpr *deltacc_push_into_branches(DeltaExpr *e, const DeltaccOptions *options);

/* A condition of a CASE, or of IS TRUE, that is NULL is as good as FALSE
 * (ReplaceNullWithFalseInPredicate). */
extern DeltaExpr *deltacc_replace_null_conditions(DeltaExpr *e, const DeltaccOptions *options);

/* A condition whose NULL may be FALSE: down through AND, OR and the results of a
 * CASE, of which nothing is left where all are FALSE; no_else: of a CASE without
 * ELSE, too. */
extern DeltaExpr *deltacc_null_as_false(DeltaExpr *e, bool no_else);

#endif							/* DELTACC_CONDITIONAL_H */
