/*-------------------------------------------------------------------------
 *
 * fold.c
 *	  Constants and NULLs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/coerce.h"
#include "predicate/eval.h"
#include "predicate/fold.h"
#include "predicate/functions.h"

/*
 * The literal that a constant comes to; NULL if it would raise or isn't known.
 */
static DeltaExpr *
evaluate(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaScalar value;
	bool		is_null;

	if (!deltacc_eval_constant(e, options, &value, &is_null))
		return NULL;
	return is_null ? deltacc_expr_null(e->type) : deltacc_expr_literal(e->type, value);
}

DeltaExpr *
deltacc_fold_constants(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	  **args = NULL;
	int			i;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (e->kind == EXPR_LITERAL || e->kind == EXPR_COLUMN)
		return e;
	if (deltacc_expr_foldable(e) && DELTA_IS_ATOMIC_KIND(e->type.kind))
	{
		DeltaExpr	   *literal = evaluate(e, options);

		if (literal != NULL)
			return literal;
	}
	for (i = 0; i < e->nargs; i++)
	{
		DeltaExpr	   *arg = deltacc_fold_constants(e->args[i], options);

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

/* No row to ask for: a constant has no leaf. */
static void
no_leaf(RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block)
{
	elog(ERROR, "a constant refers to a column");
}

/*
 * Spark's ConditionalExpression: only what is certainly reached is computed in
 * advance.
 */
static bool
is_conditional(const DeltaExpr *e)
{
	return e->kind == EXPR_CASE || e->kind == EXPR_COALESCE ||
		(e->kind == EXPR_CALL && strcmp(e->function->name, "nanvl") == 0);
}

const DeltaExpr *
deltacc_failing_constant(const DeltaExpr *e, const DeltaccOptions *options, const char **error_class)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (e->nargs == 0)
		return NULL;
	if (deltacc_expr_foldable(e))
	{
		RowSource	none = {no_leaf};
		uint8		outcomes;
		int			row;

		deltacc_eval_condition(deltacc_expr_is_null(unconstify(DeltaExpr *, e)), &none, 1, options,
							   &outcomes, error_class, &row);
		return outcomes == MAY_ERROR ? e : NULL;
	}
	if (is_conditional(e))
		return NULL;
	for (int i = 0; i < e->nargs; i++)
	{
		const DeltaExpr *culprit = deltacc_failing_constant(e->args[i], options, error_class);

		if (culprit != NULL)
			return culprit;
	}
	return NULL;
}

static bool
any_null_literal(const DeltaExpr *e)
{
	int			i;

	for (i = 0; i < e->nargs; i++)
	{
		if (deltacc_expr_is_null_literal(e->args[i]))
			return true;
	}
	return false;
}

/*
 * COALESCE without its NULLs, up to the first argument that is never NULL.
 */
static DeltaExpr *
shorten_coalesce(DeltaExpr *e)
{
	DeltaExpr	  **args = palloc(sizeof(DeltaExpr *) * e->nargs);
	int			n = 0;
	int			i;

	for (i = 0; i < e->nargs; i++)
	{
		if (deltacc_expr_is_null_literal(e->args[i]))
			continue;
		args[n++] = e->args[i];
		if (!deltacc_expr_nullable(e->args[i]))
			break;
	}
	if (n == 0)
		return deltacc_expr_null(e->type);
	if (n == 1)
		return args[0];
	return n == e->nargs ? e : deltacc_expr_make(EXPR_COALESCE, e->type, n, args);
}

DeltaExpr *
deltacc_propagate_nulls(DeltaExpr *e, const DeltaccOptions *options)
{
	switch (e->kind)
	{
		case EXPR_IS_NULL:
			return deltacc_expr_nullable(e->args[0]) ? e : deltacc_expr_bool(false);
		case EXPR_IS_NOT_NULL:
			return deltacc_expr_nullable(e->args[0]) ? e : deltacc_expr_bool(true);
		case EXPR_COMPARE:
			if (e->op == CMP_NULLSAFE_EQ)
			{
				if (deltacc_expr_is_null_literal(e->args[0]))
					return deltacc_expr_is_null(e->args[1]);
				if (deltacc_expr_is_null_literal(e->args[1]))
					return deltacc_expr_is_null(e->args[0]);
				return e;
			}
			return any_null_literal(e) ? deltacc_expr_null(e->type) : e;
		case EXPR_COALESCE:
			return shorten_coalesce(e);
		case EXPR_IN:
			return deltacc_expr_is_null_literal(e->args[0]) ? deltacc_expr_null(e->type) : e;
		case EXPR_NOT:
		case EXPR_CAST:
			return any_null_literal(e) ? deltacc_expr_null(e->type) : e;
		case EXPR_CALL:
			if ((e->function->properties & FN_NULL_IN_NULL_OUT) && any_null_literal(e))
				return deltacc_expr_null(e->type);
			return e;
		default:
			return e;
	}
}

/*
 * NULL exactly if one of its operands is, whatever their values.  (= is so too,
 * but Spark leaves it out.)
 */
static bool
passes_nulls_through(const DeltaExpr *e)
{
	if (e->kind == EXPR_NOT)
		return true;
	if (e->kind != EXPR_COMPARE || !deltacc_expr_deterministic(e))
		return false;
	return e->op == CMP_LT || e->op == CMP_LE || e->op == CMP_GT || e->op == CMP_GE;
}

DeltaExpr *
deltacc_push_null_checks(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *parts[2];
	DeltaExpr	   *arg;
	int			i;

	if (e->kind != EXPR_IS_NULL && e->kind != EXPR_IS_NOT_NULL)
		return e;
	arg = e->args[0];
	if (!passes_nulls_through(arg))
		return e;
	for (i = 0; i < arg->nargs; i++)
		parts[i] = deltacc_expr_make(e->kind, e->type, 1, &arg->args[i]);
	return deltacc_expr_balanced(e->kind == EXPR_IS_NULL ? EXPR_OR : EXPR_AND, arg->nargs, parts);
}

/*
 * The operands of a chain of one operator, constants apart.
 */
static void
collect_operands(DeltaExpr *e, const DeltaExpr *top, DeltaExpr **others, int *nothers, DeltaExpr **literals, int *nliterals)
{
	int			i;

	check_stack_depth();
	if (e->kind == EXPR_CALL && e->function == top->function && e->type.kind == top->type.kind)
	{
		for (i = 0; i < e->nargs; i++)
			collect_operands(e->args[i], top, others, nothers, literals, nliterals);
		return;
	}
	if (e->kind == EXPR_LITERAL)
	{
		if (literals != NULL)
			literals[*nliterals] = e;
		(*nliterals)++;
	}
	else
	{
		if (others != NULL)
			others[*nothers] = e;
		(*nothers)++;
	}
}

static DeltaExpr *
chain(const DeltaExpr *top, int n, DeltaExpr **operands)
{
	DeltaExpr	   *e = operands[0];
	int			i;

	for (i = 1; i < n; i++)
	{
		DeltaExpr	   *pair[2] = {e, operands[i]};

		e = deltacc_expr_call(top->function, top->type, 2, pair);
	}
	return e;
}

DeltaExpr *
deltacc_reorder_arithmetic(DeltaExpr *e, const DeltaccOptions *options)
{
	bool		plus;
	DeltaExpr	  **others;
	DeltaExpr	  **literals;
	DeltaExpr	   *pair[2];
	int			nothers = 0;
	int			nliterals = 0;

	if (e->kind != EXPR_CALL || e->nargs != 2 || !DELTA_IS_INTEGRAL_KIND(e->type.kind) ||
		!deltacc_expr_deterministic(e))
		return e;
	plus = strcmp(e->function->name, "+") == 0;
	if (!plus && strcmp(e->function->name, "*") != 0)
		return e;

	collect_operands(e, e, NULL, &nothers, NULL, &nliterals);
	if (nliterals == 0 || nothers == 0)
		return e;
	others = palloc(sizeof(DeltaExpr *) * nothers);
	literals = palloc(sizeof(DeltaExpr *) * nliterals);
	nothers = nliterals = 0;
	collect_operands(e, e, others, &nothers, literals, &nliterals);

	/* the constants' sum may overflow where the whole doesn't */
	pair[1] = deltacc_fold_constants(chain(e, nliterals, literals), options);
	if (pair[1]->kind != EXPR_LITERAL || pair[1]->is_null)
		return e;
	if (pair[1]->value.i == (plus ? 0 : 1))
		return chain(e, nothers, others);
	if (nliterals == 1 && e->args[1] == literals[0])
		return e;				/* it is in its place */
	pair[0] = chain(e, nothers, others);
	return deltacc_expr_call(e->function, e->type, 2, pair);
}
