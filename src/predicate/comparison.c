/*-------------------------------------------------------------------------
 *
 * comparison.c
 *	  Comparisons, IN and casts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/coerce.h"
#include "predicate/comparison.h"
#include "predicate/functions.h"
#include "predicate/unwrap_cast.h"

/* Literals of one type. */
typedef struct ItemEntry
{
	DeltaExpr	   *expr;
	char		status;
} ItemEntry;

#define SH_PREFIX itemset
#define SH_ELEMENT_TYPE ItemEntry
#define SH_KEY_TYPE DeltaExpr *
#define SH_KEY expr
#define SH_HASH_KEY(tb, key) ((key)->hash)
#define SH_EQUAL(tb, a, b) deltacc_expr_equal(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/*
 * A condition compared with TRUE or FALSE.  NULL: not to be simplified.
 */
static DeltaExpr *
compare_with_truth(CompareOp op, DeltaExpr *condition, const DeltaExpr *truth)
{
	if (op == CMP_NULLSAFE_EQ && deltacc_expr_nullable(condition))
		return NULL;
	return truth->value.i != 0 ? condition : deltacc_expr_not(condition);
}

/*
 * x = uuid() can only be where x looks like one.  The user has chance evaluated,
 * or this doesn't matter.  NULL: it is no such thing.
 */
static DeltaExpr *
compare_with_uuid(DeltaExpr *e)
{
	static const char form[] = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";
	const FunctionDef *rlike = deltacc_function_find("rlike", strlen("rlike"));

	for (int i = 0; i < 2; i++)
	{
		const DeltaExpr *call = e->args[i];
		DeltaExpr	   *other = e->args[1 - i];
		DeltaExpr	   *args[2];

		if (call->kind != EXPR_CALL || strcmp(call->function->name, "uuid") != 0 ||
			other->type.kind != DELTA_STRING || rlike == NULL || !deltacc_expr_deterministic(other))
			continue;
		args[0] = other;
		args[1] = deltacc_expr_literal(deltacc_type(DELTA_STRING), deltacc_string_value(form, sizeof(form) - 1));
		return deltacc_expr_call(rlike, deltacc_type(DELTA_BOOLEAN), 2, args);
	}
	return NULL;
}

static bool
is_truth(const DeltaExpr *e)
{
	return deltacc_expr_is_true(e) || deltacc_expr_is_false(e);
}

DeltaExpr *
deltacc_simplify_comparison(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *result = NULL;

	if (e->kind != EXPR_COMPARE)
		return e;
	if (deltacc_expr_equal(e->args[0], e->args[1]) &&
		(e->op == CMP_NULLSAFE_EQ || !deltacc_expr_nullable(e->args[0])))
		return deltacc_expr_bool(e->op == CMP_EQ || e->op == CMP_NULLSAFE_EQ ||
								 e->op == CMP_LE || e->op == CMP_GE);
	if (e->op != CMP_EQ && e->op != CMP_NULLSAFE_EQ)
		return e;
	if ((e->flags & EXPR_HAS_NONDETERMINISTIC) && !options->widen_nondeterministic && e->op == CMP_EQ)
	{
		/* a constant stands for it: the comparison itself may be either */
		DeltaExpr	   *pair[2];

		pair[0] = compare_with_uuid(e);
		if (pair[0] != NULL)
		{
			pair[1] = deltacc_expr_unknown(deltacc_type(DELTA_BOOLEAN), "uuid()", EXPR_HAS_NONDETERMINISTIC, 2, e->args);
			return deltacc_expr_balanced(EXPR_AND, 2, pair);
		}
	}
	if (is_truth(e->args[1]))
		result = compare_with_truth(e->op, e->args[0], e->args[1]);
	else if (is_truth(e->args[0]))
		result = compare_with_truth(e->op, e->args[1], e->args[0]);
	return result != NULL ? result : e;
}

bool
deltacc_in_has_literals_only(const DeltaExpr *e)
{
	int			i;

	for (i = 1; i < e->nargs; i++)
	{
		if (e->args[i]->kind != EXPR_LITERAL)
			return false;
	}
	return true;
}

DeltaExpr *
deltacc_simplify_in(DeltaExpr *e, const DeltaccOptions *options)
{
	itemset_hash *set;
	DeltaExpr	  **args;
	int			n = 1;
	int			i;

	if (e->kind != EXPR_IN || !deltacc_in_has_literals_only(e))
		return e;

	args = palloc_extended(sizeof(DeltaExpr *) * (Size) e->nargs, MCXT_ALLOC_HUGE);
	args[0] = e->args[0];
	set = itemset_create(CurrentMemoryContext, e->nargs, NULL);
	for (i = 1; i < e->nargs; i++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		itemset_insert(set, e->args[i], &found);
		if (!found)
			args[n++] = e->args[i];
	}
	itemset_destroy(set);

	if (n == 2)
	{
		/* its cast goes as that of a list: beyond a decimal's digits = keeps it */
		DeltaExpr  *list = n < e->nargs ? deltacc_expr_make(EXPR_IN, e->type, n, args) : e;
		DeltaExpr  *unwrapped = deltacc_unwrap_cast(list, options);

		return unwrapped != list ? unwrapped : deltacc_expr_compare(CMP_EQ, args[0], args[1]);
	}
	return n < e->nargs ? deltacc_expr_make(EXPR_IN, e->type, n, args) : e;
}

/*
 * A cast of a number that never fails.  Spark looks through it for IS NOT NULL
 * only.
 */
static bool
is_widened_number(const DeltaExpr *e)
{
	return e->kind == EXPR_CAST && DELTA_IS_NUMERIC_KIND(e->type.kind) &&
		deltacc_can_up_cast(&e->args[0]->type, &e->type);
}

DeltaExpr *
deltacc_simplify_cast(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *arg;

	if (e->kind == EXPR_IS_NOT_NULL && is_widened_number(e->args[0]))
		return deltacc_expr_is_not_null(e->args[0]->args[0]);
	if (e->kind != EXPR_CAST)
		return e;
	arg = e->args[0];
	if (deltacc_type_equal(&arg->type, &e->type))
		return arg;
	if (arg->kind == EXPR_CAST && DELTA_IS_NUMERIC_KIND(arg->type.kind) && DELTA_IS_NUMERIC_KIND(e->type.kind) &&
		deltacc_can_up_cast(&arg->args[0]->type, &arg->type) && deltacc_can_up_cast(&arg->type, &e->type))
		return deltacc_expr_cast(arg->args[0], e->type, e->try_cast);
	return e;
}
