/*-------------------------------------------------------------------------
 *
 * conditional.c
 *	  CASE and IF.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/conditional.h"
#include "predicate/functions.h"

static int
count_branches(const DeltaExpr *e)
{
	return e->nargs / 2;
}

static DeltaExpr *
else_value(const DeltaExpr *e)
{
	return e->nargs % 2 != 0 ? e->args[e->nargs - 1] : NULL;
}

static bool
is_false_or_null(const DeltaExpr *e)
{
	return deltacc_expr_is_false(e) || deltacc_expr_is_null_literal(e);
}

static DeltaExpr *
true_where(DeltaExpr *condition)
{
	if (deltacc_expr_nullable(condition))
		return deltacc_expr_compare(CMP_NULLSAFE_EQ, condition, deltacc_expr_bool(true));
	return condition;
}

/*
 * Drops branches that are never taken, and what follows one that always is.
 * NULL: there are none.
 */
static DeltaExpr *
drop_branches(DeltaExpr *e)
{
	DeltaExpr	  **args = palloc(sizeof(DeltaExpr *) * (e->nargs + 1));
	DeltaExpr	   *rest = else_value(e);
	int			n = 0;
	int			i;

	for (i = 0; i < count_branches(e); i++)
	{
		if (is_false_or_null(e->args[2 * i]))
			continue;
		if (deltacc_expr_is_true(e->args[2 * i]))
		{
			rest = e->args[2 * i + 1];
			break;
		}
		args[n++] = e->args[2 * i];
		args[n++] = e->args[2 * i + 1];
	}
	if (n == 2 * count_branches(e))
		return NULL;
	if (n == 0)
		return rest != NULL ? rest : deltacc_expr_null(e->type);
	if (rest != NULL)
		args[n++] = rest;
	return deltacc_expr_make(EXPR_CASE, e->type, n, args);
}

/*
 * All results alike: it doesn't matter which.
 */
static DeltaExpr *
common_result(const DeltaExpr *e)
{
	DeltaExpr	   *other = else_value(e);
	int			i;

	if (other == NULL)
		other = deltacc_expr_null(e->type);
	for (i = 0; i < count_branches(e); i++)
	{
		if (!deltacc_expr_deterministic(e->args[2 * i]) || !deltacc_expr_equal(e->args[2 * i + 1], other))
			return NULL;
	}
	return other;
}

/*
 * IF with a NULL and a truth value, for a condition that is never NULL:
 * IF(c, NULL, FALSE) is c AND NULL, IF(c, NULL, TRUE) is NOT c OR NULL, and so
 * on.
 */
static DeltaExpr *
if_with_null(const DeltaExpr *e)
{
	bool		null_first = deltacc_expr_is_null_literal(e->args[1]);
	DeltaExpr	   *null = e->args[null_first ? 1 : 2];
	DeltaExpr	   *literal = e->args[null_first ? 2 : 1];
	bool		is_true = deltacc_expr_is_true(literal);
	DeltaExpr	   *pair[2];

	if (!deltacc_expr_is_if(e) || deltacc_expr_nullable(e->args[0]) ||
		!deltacc_expr_is_null_literal(null) || !(is_true || deltacc_expr_is_false(literal)))
		return NULL;
	pair[0] = is_true == null_first ? deltacc_expr_not(e->args[0]) : e->args[0];
	pair[1] = deltacc_expr_null(deltacc_type(DELTA_BOOLEAN));
	return deltacc_expr_make(is_true ? EXPR_OR : EXPR_AND, deltacc_type(DELTA_BOOLEAN), 2, pair);
}

DeltaExpr *
deltacc_simplify_conditional(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *result;

	if (e->kind != EXPR_CASE)
		return e;
	result = drop_branches(e);
	if (result != NULL)
		return result;
	if (e->nargs == 3 && deltacc_expr_is_true(e->args[1]) && deltacc_expr_is_false(e->args[2]))
		return true_where(e->args[0]);
	if (e->nargs == 3 && deltacc_expr_is_false(e->args[1]) && deltacc_expr_is_true(e->args[2]))
		return deltacc_expr_not(true_where(e->args[0]));
	result = common_result(e);
	if (result == NULL && e->nargs == 3)
		result = if_with_null(e);
	if (result != NULL)
		return result;
	if (!deltacc_expr_is_if(e) && else_value(e) != NULL && deltacc_expr_is_null_literal(else_value(e)))
		return deltacc_expr_make(EXPR_CASE, e->type, e->nargs - 1, e->args);
	return e;
}

/* Calls that PushFoldableIntoBranches moves: of all others it knows nothing. */
static bool
is_pushable_call(const DeltaExpr *e)
{
	static const char *const unary[] = {
		"abs", "bin", "factorial", "hex",
		"acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "ceiling", "cos", "cosh", "cot", "csc", "degrees",
		"exp", "expm1", "floor", "ln", "log", "log10", "log1p", "log2", "radians", "rint", "sec", "sign", "signum", "sin", "sinh",
		"sqrt", "tan", "tanh",
		"upper", "ucase", "lower", "lcase", "ascii", "base64", "bit_length", "char", "chr",
		"length", "len", "char_length", "character_length",
		"year", "quarter", "month", "day", "dayofmonth", "dayofweek", "dayofyear", "weekday", "weekofyear",
		"extract_dayofweek_iso", "extract_yearofweek", "last_day",
	};
	static const char *const binary[] = {
		"+", "-", "*", "/", "%", "div", "mod", "pmod", "&", "|", "^",
		"try_add", "try_subtract", "try_multiply", "try_divide", "try_mod",
		"like", "rlike", "startswith", "endswith", "contains",
		"atan2", "hypot", "log", "pow", "power", "bround", "ceil", "ceiling", "floor", "round",
		"add_months", "date_add", "date_diff", "date_sub", "dateadd", "datediff", "find_in_set",
	};

	const char *const *names = e->nargs < 2 ? unary : binary;
	int			n = e->nargs < 2 ? lengthof(unary) : lengthof(binary);

	for (int i = 0; i < n; i++)
	{
		if (strcmp(e->function->name, names[i]) == 0)
			return true;
	}
	return false;
}

/*
 * Which argument of e is a CASE that the rest, constants, may be moved into;
 * -1 if none.
 */
static int
pushable_argument(const DeltaExpr *e)
{
	int			found = -1;
	int			i;

	switch (e->kind)
	{
		case EXPR_COMPARE:
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
		case EXPR_CAST:
			break;
		case EXPR_CALL:
			if ((e->function->properties & FN_NULL_IN_NULL_OUT) == 0 || e->nargs > 2 || !is_pushable_call(e))
				return -1;
			break;
		default:
			return -1;
	}
	for (i = 0; i < e->nargs; i++)
	{
		if (e->args[i]->kind == EXPR_CASE && found < 0)
			found = i;
		else if (!deltacc_expr_foldable(e->args[i]))
			return -1;
	}
	return found;
}

/* No more than one result that isn't a constant: else it is no gain. */
static bool
nearly_constant_results(const DeltaExpr *e)
{
	int			n = 0;
	int			i;

	for (i = 1; i < e->nargs; i += 2)
		n += deltacc_expr_foldable(e->args[i]) ? 0 : 1;
	if (else_value(e) != NULL && !deltacc_expr_foldable(else_value(e)))
		n++;
	return n <= 1;
}

static DeltaExpr *
with_argument(const DeltaExpr *e, int i, DeltaExpr *arg)
{
	DeltaExpr	   *args[2];

	memcpy(args, e->args, sizeof(DeltaExpr *) * e->nargs);
	args[i] = arg;
	return deltacc_expr_with_args(e, args);
}

DeltaExpr *
deltacc_push_into_branches(DeltaExpr *e, const DeltaccOptions *options)
{
	int			at = pushable_argument(e);
	DeltaExpr	   *inner;
	DeltaExpr	  **args;
	DeltaExpr	   *rest;
	int			i;

	if (at < 0)
		return e;
	inner = e->args[at];
	if (!nearly_constant_results(inner))
		return e;

	args = palloc(sizeof(DeltaExpr *) * (inner->nargs + 1));
	for (i = 0; i < count_branches(inner); i++)
	{
		args[2 * i] = inner->args[2 * i];
		args[2 * i + 1] = with_argument(e, at, inner->args[2 * i + 1]);
	}
	rest = else_value(inner) != NULL ? else_value(inner) : deltacc_expr_null(inner->type);
	rest = with_argument(e, at, rest);
	if (deltacc_expr_is_if(inner))
		return deltacc_expr_if(e->type, args[0], args[1], rest);
	args[2 * i] = rest;
	return deltacc_expr_make(EXPR_CASE, e->type, 2 * i + 1, args);
}

static bool
is_not_in_with_null(const DeltaExpr *e)
{
	int			i;

	if (e->kind != EXPR_NOT || e->args[0]->kind != EXPR_IN)
		return false;
	for (i = 0; i < e->args[0]->nargs; i++)
	{
		if (deltacc_expr_is_null_literal(e->args[0]->args[i]))
			return true;
	}
	return false;
}

DeltaExpr *
deltacc_null_as_false(DeltaExpr *e, bool no_else)
{
	DeltaExpr	  **args;
	bool		changed = false;
	int			n = e->nargs;
	int			i;

	check_stack_depth();
	if (deltacc_expr_is_null_literal(e) || is_not_in_with_null(e))
		return deltacc_expr_bool(false);
	if (e->kind != EXPR_AND && e->kind != EXPR_OR && !(e->kind == EXPR_CASE && e->type.kind == DELTA_BOOLEAN))
		return e;
	args = palloc_extended(sizeof(DeltaExpr *) * ((Size) n + 1), MCXT_ALLOC_HUGE);
	for (i = 0; i < n; i++)
	{
		args[i] = deltacc_null_as_false(e->args[i], no_else);
		changed |= args[i] != e->args[i];
	}
	if (e->kind == EXPR_CASE && n % 2 == 0)
	{
		bool		all_false = true;

		for (i = 1; i < n; i += 2)
			all_false &= deltacc_expr_is_false(args[i]);
		if (all_false)
			return deltacc_expr_bool(false);
		if (no_else)
		{
			args[n++] = deltacc_expr_bool(false);
			return deltacc_expr_make(EXPR_CASE, e->type, n, args);
		}
	}
	return changed ? deltacc_expr_with_args(e, args) : e;
}

DeltaExpr *
deltacc_replace_null_conditions(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	  **args;
	bool		changed = false;
	int			i;

	if (e->kind == EXPR_COMPARE && e->op == CMP_NULLSAFE_EQ && deltacc_expr_is_true(e->args[1]))
	{
		DeltaExpr	   *condition = deltacc_null_as_false(e->args[0], true);

		return condition == e->args[0] ? e : deltacc_expr_compare(e->op, condition, e->args[1]);
	}
	if (e->kind != EXPR_CASE)
		return e;
	args = palloc(sizeof(DeltaExpr *) * e->nargs);
	memcpy(args, e->args, sizeof(DeltaExpr *) * e->nargs);
	for (i = 0; i < count_branches(e); i++)
	{
		args[2 * i] = deltacc_null_as_false(e->args[2 * i], true);
		changed |= args[2 * i] != e->args[2 * i];
	}
	return changed ? deltacc_expr_with_args(e, args) : e;
}
