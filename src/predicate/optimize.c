/*-------------------------------------------------------------------------
 *
 * optimize.c
 *	  What Spark's optimizer makes of a condition before Delta sees it.
 *
 * Rules run one after the other over the whole tree, in Spark's order and as
 * often as they find something, because their order shows in the result:
 * (k > 65L) IS NULL becomes CAST(k AS BIGINT) IS NULL, which can't skip
 * anything, since the null check moves inwards before the cast is unwrapped.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/boolean.h"
#include "predicate/comparison.h"
#include "predicate/conditional.h"
#include "predicate/fold.h"
#include "predicate/like.h"
#include "predicate/optimize.h"
#include "predicate/unwrap_cast.h"

/* As often as Spark's batch runs at most; a few times are the rule. */
#define MAX_ROUNDS	100

typedef DeltaExpr *(*Rule) (DeltaExpr *e, const DeltaccOptions *options);

typedef enum Direction
{
	UPWARDS,					/* operands first */
	DOWNWARDS,					/* operands of the result afterwards */
	ITSELF						/* the rule goes through the tree by itself */
} Direction;

/* In the order of Spark's operatorOptimizationRuleSet. */
static const struct
{
	Rule		rule;
	Direction	direction;
}			rules[] = {
	{deltacc_propagate_nulls, UPWARDS},
	{deltacc_push_null_checks, DOWNWARDS},
	{deltacc_simplify_in, DOWNWARDS},
	{deltacc_fold_constants, ITSELF},
	{deltacc_reorder_arithmetic, DOWNWARDS},
	{deltacc_simplify_like, DOWNWARDS},
	{deltacc_simplify_boolean, UPWARDS},
	{deltacc_simplify_conditional, UPWARDS},
	{deltacc_push_into_branches, UPWARDS},
	{deltacc_simplify_comparison, UPWARDS},
	{deltacc_replace_null_conditions, DOWNWARDS},
	{deltacc_simplify_cast, DOWNWARDS},
	{deltacc_unwrap_cast, UPWARDS},
};

static DeltaExpr *transform(DeltaExpr *e, Rule rule, Direction direction, const DeltaccOptions *options);

/*
 * e over transformed operands; e itself if none changed.
 */
static DeltaExpr *
transform_args(DeltaExpr *e, Rule rule, Direction direction, const DeltaccOptions *options)
{
	DeltaExpr	  **args = NULL;
	int			i;

	for (i = 0; i < e->nargs; i++)
	{
		DeltaExpr	   *arg = transform(e->args[i], rule, direction, options);

		if (arg != e->args[i] && args == NULL)
		{
			args = palloc_extended(sizeof(DeltaExpr *) * (Size) e->nargs, MCXT_ALLOC_HUGE);
			memcpy(args, e->args, sizeof(DeltaExpr *) * (Size) e->nargs);
		}
		if (args != NULL)
			args[i] = arg;
	}
	return args != NULL ? deltacc_expr_with_args(e, args) : e;
}

static DeltaExpr *
transform(DeltaExpr *e, Rule rule, Direction direction, const DeltaccOptions *options)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (direction == UPWARDS)
		return rule(transform_args(e, rule, direction, options), options);
	return transform_args(rule(e, options), rule, direction, options);
}

/*
 * AND and OR with two operands each, which is what the rules look at.
 */
static DeltaExpr *
make_binary(DeltaExpr *e, const DeltaccOptions *options)
{
	if ((e->kind == EXPR_AND || e->kind == EXPR_OR) && e->nargs > 2)
		return deltacc_expr_balanced(e->kind, e->nargs, e->args);
	return e;
}

/*
 * The final form: NOT (a = b) is a <> b again.
 */
static DeltaExpr *
make_readable(DeltaExpr *e, const DeltaccOptions *options)
{
	if (e->kind == EXPR_NOT && e->args[0]->kind == EXPR_COMPARE && e->args[0]->op == CMP_EQ)
		return deltacc_expr_compare(CMP_NE, e->args[0]->args[0], e->args[0]->args[1]);
	return e;
}

/* a <> b as the rules know it. */
static DeltaExpr *
make_internal(DeltaExpr *e, const DeltaccOptions *options)
{
	if (e->kind == EXPR_COMPARE && e->op == CMP_NE)
		return deltacc_expr_not(deltacc_expr_compare(CMP_EQ, e->args[0], e->args[1]));
	return e;
}

DeltaExpr *
deltacc_optimize(DeltaExpr *e, const DeltaccOptions *options)
{
	bool		fails = false;
	int			round;
	int			i;

	e = transform(e, make_binary, UPWARDS, options);
	e = transform(e, make_internal, UPWARDS, options);
	for (round = 0; round < MAX_ROUNDS && !fails; round++)
	{
		DeltaExpr	   *before = e;

		for (i = 0; i < lengthof(rules) && !fails; i++)
		{
			if (rules[i].direction == ITSELF)
				e = rules[i].rule(e, options);
			else
				e = transform(e, rules[i].rule, rules[i].direction, options);

			/* there Spark stops: no later rule may hide it */
			if (rules[i].rule == deltacc_fold_constants)
			{
				const char *ignored;

				fails = deltacc_failing_constant(e, options, &ignored) != NULL;
			}
		}
		if (e == before)
			break;
	}
	e = transform(e, make_readable, UPWARDS, options);
	if (e->kind == EXPR_AND)
		e = deltacc_expr_and(e->nargs, e->args);	/* one list of conjuncts */
	return e;
}
