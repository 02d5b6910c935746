/*-------------------------------------------------------------------------
 *
 * boolean.c
 *	  AND, OR and NOT.
 *
 * Spark's rules look at one AND or OR with its two operands at a time, so what
 * they find depends on how a chain is nested.  That is kept: finding more would
 * drop files that Delta keeps.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/boolean.h"

/*
 * A set of expressions, by deltacc_expr_equal.
 */
typedef struct SetEntry
{
	DeltaExpr	   *expr;
	char		status;
} SetEntry;

#define SH_PREFIX exprset
#define SH_ELEMENT_TYPE SetEntry
#define SH_KEY_TYPE DeltaExpr *
#define SH_KEY expr
#define SH_HASH_KEY(tb, key) ((key)->hash)
#define SH_EQUAL(tb, a, b) deltacc_expr_equal(a, b)
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static DeltaExpr *
combine(ExprKind kind, DeltaExpr *a, DeltaExpr *b)
{
	DeltaExpr	   *pair[2] = {a, b};

	return deltacc_expr_make(kind, deltacc_type(DELTA_BOOLEAN), 2, pair);
}

/* Longer chains than this are never nested from the left: the stack is finite. */
#define MAX_LEFT_DEEP	100

/* From left to right, as a chain written out. */
static DeltaExpr *
chain(ExprKind kind, int n, DeltaExpr **parts)
{
	DeltaExpr	   *e = parts[0];
	int			i;

	if (n > MAX_LEFT_DEEP)
		return deltacc_expr_balanced(kind, n, parts);
	for (i = 1; i < n; i++)
		e = combine(kind, e, parts[i]);
	return e;
}

/*
 * Pair by pair, from below (buildBalancedPredicate): another shape than what the
 * parser makes.  The array is used up.
 */
static DeltaExpr *
pair_up(ExprKind kind, int n, DeltaExpr **parts)
{
	while (n > 1)
	{
		for (int i = 0; i < n; i += 2)
			parts[i / 2] = i + 1 == n ? parts[i] : combine(kind, parts[i], parts[i + 1]);
		n = (n + 1) / 2;
	}
	return parts[0];
}

static bool
is_literal(const DeltaExpr *e, bool value)
{
	return value ? deltacc_expr_is_true(e) : deltacc_expr_is_false(e);
}

static exprset_hash *
make_set(int n, DeltaExpr **parts)
{
	exprset_hash *set = exprset_create(CurrentMemoryContext, Max(n, 2), NULL);
	bool		found;
	int			i;

	for (i = 0; i < n; i++)
		exprset_insert(set, parts[i], &found);
	return set;
}

/*
 * Those of parts that are in the set (or aren't), in order.
 */
static int
select_parts(int n, DeltaExpr **parts, exprset_hash *set, bool in_set, DeltaExpr **out)
{
	int			count = 0;
	int			i;

	for (i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if ((exprset_lookup(set, parts[i]) != NULL) == in_set)
			out[count++] = parts[i];
	}
	return count;
}

/*
 * (a OR b) AND (a OR c) is a OR (b AND c): outer is AND, inner OR; or the same
 * the other way round.  NULL: no factor in common.
 */
static DeltaExpr *
extract_common_factors(ExprKind outer, ExprKind inner, DeltaExpr *left, DeltaExpr *right)
{
	int			nleft;
	int			nright;
	DeltaExpr	  **l = deltacc_expr_split(left, inner, &nleft);
	DeltaExpr	  **r = deltacc_expr_split(right, inner, &nright);
	DeltaExpr	  **common;
	DeltaExpr	  **rest;
	int			ncommon;
	int			nl;
	exprset_hash *set;
	DeltaExpr	   *result = NULL;

	set = make_set(nright, r);
	common = palloc_extended(sizeof(DeltaExpr *) * ((Size) nleft + 1), MCXT_ALLOC_HUGE);
	ncommon = select_parts(nleft, l, set, true, common);
	exprset_destroy(set);
	if (ncommon > 0)
	{
		set = make_set(ncommon, common);
		rest = palloc_extended(sizeof(DeltaExpr *) * ((Size) Max(nleft, nright) + 1), MCXT_ALLOC_HUGE);
		nl = select_parts(nleft, l, set, false, rest);
		if (nl == 0)
			result = chain(inner, ncommon, common);
		else
		{
			DeltaExpr	   *left_rest = deltacc_expr_balanced(inner, nl, rest);
			int			nr = select_parts(nright, r, set, false, rest);

			if (nr == 0)
				result = chain(inner, ncommon, common);
			else
			{
				common[ncommon++] = combine(outer, left_rest, deltacc_expr_balanced(inner, nr, rest));
				result = chain(inner, ncommon, common);
			}
		}
		exprset_destroy(set);
		pfree(rest);
	}
	pfree(common);
	pfree(l);
	pfree(r);
	return result;
}

/*
 * a AND b AND a: each operand once.  NULL: they are different.
 */
static DeltaExpr *
remove_duplicates(ExprKind kind, DeltaExpr *e)
{
	int			n;
	DeltaExpr	  **all = deltacc_expr_split(e, kind, &n);
	exprset_hash *set = exprset_create(CurrentMemoryContext, n, NULL);
	int			distinct = 0;
	DeltaExpr	   *result = NULL;
	int			i;

	for (i = 0; i < n; i++)
	{
		bool		found;

		CHECK_FOR_INTERRUPTS();
		exprset_insert(set, all[i], &found);
		if (!found)
			all[distinct++] = all[i];
	}
	if (distinct < n)
		result = pair_up(kind, distinct, all);
	exprset_destroy(set);
	pfree(all);
	return result;
}

/*
 * a AND (NOT a OR c) is a AND c, if a is never NULL; the same with OR and AND
 * changed over.  NULL: it is no such thing.
 */
static DeltaExpr *
drop_contradicting_part(ExprKind kind, DeltaExpr *a, DeltaExpr *other, bool a_first)
{
	ExprKind	inner = kind == EXPR_AND ? EXPR_OR : EXPR_AND;
	int			i;

	if (other->kind != inner || other->nargs != 2 || deltacc_expr_nullable(a))
		return NULL;
	for (i = 0; i < 2; i++)
	{
		if (deltacc_expr_is_negation(a, other->args[i]))
			return a_first ? combine(kind, a, other->args[1 - i]) : combine(kind, other->args[1 - i], a);
	}
	return NULL;
}

/*
 * NULL: there is nothing to simplify.
 */
static DeltaExpr *
simplify_and_or(DeltaExpr *e)
{
	ExprKind	kind = e->kind;
	ExprKind	inner = kind == EXPR_AND ? EXPR_OR : EXPR_AND;
	bool		neutral = kind == EXPR_AND;
	DeltaExpr	   *a = e->args[0];
	DeltaExpr	   *b = e->args[1];
	DeltaExpr	   *result;

	if (is_literal(a, neutral))
		return b;
	if (is_literal(b, neutral))
		return a;
	if (is_literal(a, !neutral) || is_literal(b, !neutral))
		return deltacc_expr_bool(!neutral);

	if (deltacc_expr_is_negation(a, b))
	{
		/* FALSE, or NULL where a is; other rules make AND or OR of that IF */
		DeltaExpr	   *plain = a->kind == EXPR_NOT ? b : a;
		DeltaType	boolean = deltacc_type(DELTA_BOOLEAN);

		return deltacc_expr_if(boolean, deltacc_expr_is_null(plain), deltacc_expr_null(boolean),
							   deltacc_expr_bool(kind == EXPR_OR));
	}
	if (deltacc_expr_equal(a, b))
		return a;

	result = drop_contradicting_part(kind, a, b, true);
	if (result == NULL)
		result = drop_contradicting_part(kind, b, a, false);
	/* single operands are known to differ by now */
	if (result == NULL && (a->kind == inner || b->kind == inner))
		result = extract_common_factors(kind, inner, a, b);
	if (result == NULL && (a->kind == kind || b->kind == kind))
		result = remove_duplicates(kind, e);
	return result;
}

/* More parts than this under a NOT, and it moves all the way at once. */
#define MAX_STEPWISE	2000

static bool
has_more_parts(const DeltaExpr *e, int *budget)
{
	check_stack_depth();
	if (e->kind != EXPR_AND && e->kind != EXPR_OR)
		return --*budget < 0;
	for (int i = 0; i < e->nargs; i++)
		if (has_more_parts(e->args[i], budget))
			return true;
	return false;
}

/*
 * NOT arg, one step inwards: what then stands under NOT is seen in the next
 * round, and other rules come in between.  e is that NOT; if NULL, there is no
 * node of it yet, and it moves as far as it goes.
 */
static DeltaExpr *
push_not(DeltaExpr *arg, DeltaExpr *e)
{
	int			budget = MAX_STEPWISE;

	check_stack_depth();
	switch (arg->kind)
	{
		case EXPR_LITERAL:
			if (!arg->is_null)
				return deltacc_expr_bool(arg->value.i == 0);
			break;
		case EXPR_COMPARE:
			if (arg->op == CMP_NULLSAFE_EQ || arg->op == CMP_EQ)
				break;
			return deltacc_expr_compare(deltacc_compare_negate(arg->op), arg->args[0], arg->args[1]);
		case EXPR_AND:
		case EXPR_OR:
			Assert(arg->nargs == 2);
			if (e == NULL || has_more_parts(arg, &budget))
				return combine(arg->kind == EXPR_AND ? EXPR_OR : EXPR_AND,
							   push_not(arg->args[0], NULL), push_not(arg->args[1], NULL));
			return combine(arg->kind == EXPR_AND ? EXPR_OR : EXPR_AND,
						   deltacc_expr_not(arg->args[0]), deltacc_expr_not(arg->args[1]));
		case EXPR_NOT:
			return arg->args[0];
		case EXPR_IS_NULL:
			return deltacc_expr_is_not_null(arg->args[0]);
		case EXPR_IS_NOT_NULL:
			return deltacc_expr_is_null(arg->args[0]);
		default:
			break;
	}
	return e != NULL ? e : deltacc_expr_not(arg);
}

DeltaExpr *
deltacc_simplify_boolean(DeltaExpr *e, const DeltaccOptions *options)
{
	DeltaExpr	   *result;

	if (e->kind == EXPR_NOT)
		return push_not(e->args[0], e);
	if ((e->kind != EXPR_AND && e->kind != EXPR_OR) || e->nargs != 2 || e->settled)
		return e;
	result = simplify_and_or(e);
	if (result != NULL)
		return result;
	e->settled = true;
	return e;
}
