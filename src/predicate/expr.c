/*-------------------------------------------------------------------------
 *
 * expr.c
 *	  Making, comparing and printing bound expressions.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "predicate/expr.h"
#include "predicate/functions.h"

/* Added to the sum of its operands' hashes, so that the sum can be had back. */
#define AND_HASH	0x9e3779b9
#define OR_HASH		0x85ebca6b

static uint32
hash_of_literal(const DeltaExpr *e)
{
	uint32		h = hash_combine(EXPR_LITERAL, e->type.kind);
	double		d;

	if (e->is_null)
		return hash_combine(h, 1);
	if (DELTA_IS_INT64_KIND(e->type.kind))
		return hash_combine(h, hash_bytes((const unsigned char *) &e->value.i, sizeof(int64)));
	switch (e->type.kind)
	{
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			/* -0.0 equals 0.0, and all NaNs are one */
			d = e->value.d == 0 ? 0 : e->value.d;
			if (d != d)
				return hash_combine(h, 2);
			return hash_combine(h, hash_bytes((const unsigned char *) &d, sizeof(d)));
		case DELTA_DECIMAL:
			return hash_combine(h, DatumGetUInt32(DirectFunctionCall1(hash_numeric, NumericGetDatum(e->value.n))));
		case DELTA_STRING:
		case DELTA_BINARY:
			return hash_combine(h, hash_bytes((const unsigned char *) e->value.s->data, e->value.s->len));
		default:
			return h;
	}
}

static uint32
hash_of_pointer(const void *p)
{
	return hash_bytes((const unsigned char *) &p, sizeof(p));
}

/*
 * Operands whose order doesn't matter are added up.
 */
static uint32
hash_of(const DeltaExpr *e)
{
	uint32		h = hash_combine(e->kind, e->type.kind);
	CompareOp	op;
	int			i;

	switch (e->kind)
	{
		case EXPR_LITERAL:
			return hash_of_literal(e);
		case EXPR_COLUMN:
			return hash_combine(h, hash_of_pointer(e->column));
		case EXPR_STAT:
			return hash_combine(hash_combine(h, hash_of_pointer(e->column)), e->stat);
		case EXPR_COMPARE:
			op = e->op;
			switch (op)
			{
				case CMP_EQ:
				case CMP_NULLSAFE_EQ:
				case CMP_NE:
					return hash_combine(hash_combine(h, op), e->args[0]->hash + e->args[1]->hash);
				case CMP_GT:
				case CMP_GE:
					h = hash_combine(h, deltacc_compare_swap(op));
					return hash_combine(hash_combine(h, e->args[1]->hash), e->args[0]->hash);
				default:
					h = hash_combine(h, op);
					return hash_combine(hash_combine(h, e->args[0]->hash), e->args[1]->hash);
			}
		case EXPR_AND:
		case EXPR_OR:
			{
				uint32		own = e->kind == EXPR_AND ? AND_HASH : OR_HASH;

				h = own;
				for (i = 0; i < e->nargs; i++)
					h += e->args[i]->kind == e->kind ? e->args[i]->hash - own : e->args[i]->hash;
				return h;
			}
		case EXPR_IN:
			{
				uint32		items = 0;

				for (i = 1; i < e->nargs; i++)
					items += e->args[i]->hash;
				return hash_combine(hash_combine(h, e->args[0]->hash), items);
			}
		case EXPR_UNKNOWN:
			return hash_of_pointer(e);	/* equal to no other */
		default:
			if (e->kind == EXPR_CALL && (e->function->properties & FN_NONDETERMINISTIC))
				return hash_of_pointer(e);
			h = hash_combine(h, hash_of_pointer(e->function));
			for (i = 0; i < e->nargs; i++)
				h = hash_combine(h, e->args[i]->hash);
			return h;
	}
}

/*
 * Does a cast between these look at the session's time zone?
 */
static bool
cast_needs_timezone(DeltaKind from, DeltaKind to)
{
	if (from == DELTA_TIMESTAMP)
		return to == DELTA_DATE || to == DELTA_STRING || to == DELTA_TIMESTAMP_NTZ;
	if (to == DELTA_TIMESTAMP)
		return from == DELTA_DATE || from == DELTA_STRING || from == DELTA_TIMESTAMP_NTZ;
	return false;
}

static uint32
own_flags(const DeltaExpr *e)
{
	uint32		flags = 0;
	int			i;

	switch (e->kind)
	{
		case EXPR_COLUMN:
			flags = e->column->is_partition ? EXPR_HAS_PARTITION_COLUMN : EXPR_HAS_DATA_COLUMN;
			if (e->type.kind == DELTA_STRING && e->type.char_length > 0)
				flags |= EXPR_HAS_CHAR;
			if (e->type.kind == DELTA_STRING && e->type.collated)
				flags |= EXPR_HAS_COLLATION;
			break;
		case EXPR_STAT:
			flags = EXPR_HAS_DATA_COLUMN;
			break;
		case EXPR_CAST:
			if (cast_needs_timezone(e->args[0]->type.kind, e->type.kind))
				flags = EXPR_HAS_SESSION_TIMEZONE;
			break;
		case EXPR_CALL:
			if (e->function->properties & FN_NONDETERMINISTIC)
				flags |= EXPR_HAS_NONDETERMINISTIC;
			if (e->function->properties & FN_CONTEXT)
				flags |= EXPR_HAS_CONTEXT;
			if (e->function->properties & FN_FILE_METADATA)
				flags |= EXPR_HAS_FILE_METADATA;
			/* hour(ts), date_trunc(...): we don't ask which of them look at it */
			if (e->type.kind == DELTA_TIMESTAMP)
				flags |= EXPR_HAS_SESSION_TIMEZONE;
			for (i = 0; i < e->nargs; i++)
			{
				if (e->args[i]->type.kind == DELTA_TIMESTAMP)
					flags |= EXPR_HAS_SESSION_TIMEZONE;
			}
			break;
		case EXPR_UNKNOWN:
			flags = EXPR_HAS_UNKNOWN;
			break;
		default:
			break;
	}
	return flags;
}

/*
 * Sets what is computed from a node's other fields.  extra flags are added.
 */
static DeltaExpr *
finish(DeltaExpr *e, uint32 extra)
{
	int			i;

	e->flags = own_flags(e) | extra;
	for (i = 0; i < e->nargs; i++)
		e->flags |= e->args[i]->flags;
	e->hash = hash_of(e);
	return e;
}

static DeltaExpr *
new_node(ExprKind kind, DeltaType type, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *e = palloc0(sizeof(DeltaExpr));

	e->kind = kind;
	e->type = type;
	e->nargs = nargs;
	if (nargs > 0)
	{
		/* the caller's array may be short-lived */
		e->args = palloc_extended(sizeof(DeltaExpr *) * (Size) nargs, MCXT_ALLOC_HUGE);
		memcpy(e->args, args, sizeof(DeltaExpr *) * (Size) nargs);
	}
	return e;
}

DeltaExpr *
deltacc_expr_literal(DeltaType type, DeltaScalar value)
{
	DeltaExpr	   *e = new_node(EXPR_LITERAL, type, 0, NULL);

	e->value = value;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_null(DeltaType type)
{
	DeltaExpr	   *e = new_node(EXPR_LITERAL, type, 0, NULL);

	e->is_null = true;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_bool(bool value)
{
	DeltaScalar v;

	v.i = value ? 1 : 0;
	return deltacc_expr_literal(deltacc_type(DELTA_BOOLEAN), v);
}

DeltaExpr *
deltacc_expr_column(const DeltaField *column)
{
	DeltaExpr	   *e = new_node(EXPR_COLUMN, column->type, 0, NULL);

	e->column = column;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_stat(StatKind stat, const DeltaField *column)
{
	DeltaType	type = deltacc_type(DELTA_LONG);
	DeltaExpr	   *e;

	if (stat == STAT_MIN || stat == STAT_MAX)
		type = column->type;
	e = new_node(EXPR_STAT, type, 0, NULL);
	e->stat = stat;
	e->column = column;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_compare(CompareOp op, DeltaExpr *a, DeltaExpr *b)
{
	DeltaExpr	   *args[2] = {a, b};
	DeltaExpr	   *e = new_node(EXPR_COMPARE, deltacc_type(DELTA_BOOLEAN), 2, args);

	e->op = op;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_not(DeltaExpr *arg)
{
	return deltacc_expr_make(EXPR_NOT, deltacc_type(DELTA_BOOLEAN), 1, &arg);
}

DeltaExpr *
deltacc_expr_is_null(DeltaExpr *arg)
{
	return deltacc_expr_make(EXPR_IS_NULL, deltacc_type(DELTA_BOOLEAN), 1, &arg);
}

DeltaExpr *
deltacc_expr_is_not_null(DeltaExpr *arg)
{
	return deltacc_expr_make(EXPR_IS_NOT_NULL, deltacc_type(DELTA_BOOLEAN), 1, &arg);
}

DeltaExpr *
deltacc_expr_cast(DeltaExpr *arg, DeltaType type, bool try_cast)
{
	DeltaExpr	   *e = new_node(EXPR_CAST, type, 1, &arg);

	e->try_cast = try_cast;
	return finish(e, 0);
}

DeltaExpr *
deltacc_expr_call(const FunctionDef *function, DeltaType type, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *e = new_node(EXPR_CALL, type, nargs, args);

	e->function = function;
	return finish(e, (function->properties & FN_NOT_FOLDED) ? EXPR_HAS_NOT_FOLDED : 0);
}

static void
add_flattened(ExprKind kind, DeltaExpr *e, DeltaExpr **out, int *n)
{
	int			i;

	check_stack_depth();
	if (e->kind != kind)
	{
		if (out != NULL)
			out[*n] = e;
		(*n)++;
		return;
	}
	for (i = 0; i < e->nargs; i++)
		add_flattened(kind, e->args[i], out, n);
}

static DeltaExpr *
flat_chain(ExprKind kind, int n, DeltaExpr **args)
{
	DeltaExpr	  **flat;
	DeltaExpr	   *result;
	int			total = 0;
	int			i;

	if (n == 0)
		return deltacc_expr_bool(kind == EXPR_AND);
	if (n == 1)
		return args[0];
	for (i = 0; i < n; i++)
		add_flattened(kind, args[i], NULL, &total);
	flat = palloc_extended(sizeof(DeltaExpr *) * (Size) total, MCXT_ALLOC_HUGE);
	total = 0;
	for (i = 0; i < n; i++)
		add_flattened(kind, args[i], flat, &total);
	result = deltacc_expr_make(kind, deltacc_type(DELTA_BOOLEAN), total, flat);
	pfree(flat);
	return result;
}

DeltaExpr *
deltacc_expr_and(int n, DeltaExpr **args)
{
	return flat_chain(EXPR_AND, n, args);
}

DeltaExpr *
deltacc_expr_or(int n, DeltaExpr **args)
{
	return flat_chain(EXPR_OR, n, args);
}

DeltaExpr **
deltacc_expr_split(DeltaExpr *e, ExprKind kind, int *n)
{
	DeltaExpr	  **parts;

	*n = 0;
	add_flattened(kind, e, NULL, n);
	parts = palloc_extended(sizeof(DeltaExpr *) * (Size) *n, MCXT_ALLOC_HUGE);
	*n = 0;
	add_flattened(kind, e, parts, n);
	return parts;
}

DeltaExpr *
deltacc_expr_balanced(ExprKind kind, int n, DeltaExpr **args)
{
	DeltaExpr	   *pair[2];
	int			left;

	Assert(n > 0);
	if (n == 1)
		return args[0];
	left = (n - 1) / 2 + 1;
	pair[0] = deltacc_expr_balanced(kind, left, args);
	pair[1] = deltacc_expr_balanced(kind, n - left, args + left);
	return deltacc_expr_make(kind, deltacc_type(DELTA_BOOLEAN), 2, pair);
}

DeltaExpr *
deltacc_expr_make(ExprKind kind, DeltaType type, int nargs, DeltaExpr **args)
{
	return finish(new_node(kind, type, nargs, args), 0);
}

DeltaExpr *
deltacc_expr_with_args(const DeltaExpr *e, DeltaExpr **args)
{
	DeltaExpr	   *copy = new_node(e->kind, e->type, e->nargs, args);

	copy->is_null = e->is_null;
	copy->value = e->value;
	copy->column = e->column;
	copy->stat = e->stat;
	copy->op = e->op;
	copy->try_cast = e->try_cast;
	copy->function = e->function;
	copy->text = e->text;
	/* what an unknown was said to hold needn't show in its arguments */
	return finish(copy, e->kind == EXPR_UNKNOWN ? e->flags : 0);
}

DeltaExpr *
deltacc_expr_unknown(DeltaType type, const char *text, uint32 flags, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *e = new_node(EXPR_UNKNOWN, type, nargs, args);

	e->text = text;
	return finish(e, flags);
}

/*
 * Operands in any order: each of a's has a partner of its own in b.  The hashes
 * are sorted first, so that this is quick unless they collide.
 */
static int
compare_hashes(const void *a, const void *b)
{
	uint32		x = (*(DeltaExpr *const *) a)->hash;
	uint32		y = (*(DeltaExpr *const *) b)->hash;

	return x < y ? -1 : x > y;
}

static bool
equal_as_sets(int na, DeltaExpr **a, int nb, DeltaExpr **b)
{
	DeltaExpr	  **x;
	DeltaExpr	  **y;
	int			i;

	if (na != nb)
		return false;
	x = palloc_extended(sizeof(DeltaExpr *) * (Size) na, MCXT_ALLOC_HUGE);
	y = palloc_extended(sizeof(DeltaExpr *) * (Size) nb, MCXT_ALLOC_HUGE);
	memcpy(x, a, sizeof(DeltaExpr *) * (Size) na);
	memcpy(y, b, sizeof(DeltaExpr *) * (Size) nb);
	qsort(x, na, sizeof(DeltaExpr *), compare_hashes);
	qsort(y, nb, sizeof(DeltaExpr *), compare_hashes);
	for (i = 0; i < na; i++)
	{
		bool		found = false;
		int			j;

		/* among those of b with the same hash */
		for (j = i; !found && j < nb && y[j]->hash == x[i]->hash; j++)
		{
			if (deltacc_expr_equal(x[i], y[j]))
			{
				DeltaExpr	   *other = y[i];

				y[i] = y[j];
				y[j] = other;
				found = true;
			}
		}
		if (!found)
			return false;
	}
	return true;
}

static bool
equal_literals(const DeltaExpr *a, const DeltaExpr *b)
{
	if (a->is_null != b->is_null)
		return false;
	return a->is_null || deltacc_value_compare(&a->type, a->value, b->value) == 0;
}

static bool
equal_args(const DeltaExpr *a, const DeltaExpr *b)
{
	int			i;

	if (a->nargs != b->nargs)
		return false;
	for (i = 0; i < a->nargs; i++)
	{
		if (!deltacc_expr_equal(a->args[i], b->args[i]))
			return false;
	}
	return true;
}

static bool
equal_comparisons(const DeltaExpr *a, const DeltaExpr *b)
{
	if (a->op == b->op && equal_args(a, b))
		return true;
	return a->op == deltacc_compare_swap(b->op) &&
		deltacc_expr_equal(a->args[0], b->args[1]) && deltacc_expr_equal(a->args[1], b->args[0]);
}

bool
deltacc_expr_equal(const DeltaExpr *a, const DeltaExpr *b)
{
	check_stack_depth();

	if (a->hash != b->hash || a->kind != b->kind || !deltacc_type_equal(&a->type, &b->type))
		return false;
	if ((a->flags | b->flags) & (EXPR_HAS_NONDETERMINISTIC | EXPR_HAS_SUBQUERY | EXPR_HAS_UNKNOWN))
		return false;
	if (a == b)
		return true;

	switch (a->kind)
	{
		case EXPR_LITERAL:
			return equal_literals(a, b);
		case EXPR_COLUMN:
			return a->column == b->column;
		case EXPR_STAT:
			return a->column == b->column && a->stat == b->stat;
		case EXPR_COMPARE:
			return equal_comparisons(a, b);
		case EXPR_AND:
		case EXPR_OR:
			{
				int			na;
				int			nb;
				DeltaExpr	  **x = deltacc_expr_split(unconstify(DeltaExpr *, a), a->kind, &na);
				DeltaExpr	  **y = deltacc_expr_split(unconstify(DeltaExpr *, b), b->kind, &nb);

				return equal_as_sets(na, x, nb, y);
			}
		case EXPR_IN:
			return deltacc_expr_equal(a->args[0], b->args[0]) &&
				equal_as_sets(a->nargs - 1, a->args + 1, b->nargs - 1, b->args + 1);
		default:
			return a->try_cast == b->try_cast && a->function == b->function && equal_args(a, b);
	}
}

bool
deltacc_expr_is_negation(const DeltaExpr *a, const DeltaExpr *b)
{
	if (b->kind == EXPR_NOT && deltacc_expr_equal(a, b->args[0]))
		return true;
	if (a->kind == EXPR_NOT && deltacc_expr_equal(a->args[0], b))
		return true;
	if (a->kind != EXPR_COMPARE || b->kind != EXPR_COMPARE ||
		a->op == CMP_NULLSAFE_EQ || b->op == CMP_NULLSAFE_EQ)
		return false;
	if (a->op == deltacc_compare_negate(b->op) &&
		deltacc_expr_equal(a->args[0], b->args[0]) && deltacc_expr_equal(a->args[1], b->args[1]))
		return true;
	return a->op == deltacc_compare_swap(deltacc_compare_negate(b->op)) &&
		deltacc_expr_equal(a->args[0], b->args[1]) && deltacc_expr_equal(a->args[1], b->args[0]);
}

static bool
any_arg_nullable(const DeltaExpr *e, int from)
{
	int			i;

	for (i = from; i < e->nargs; i++)
	{
		if (deltacc_expr_nullable(e->args[i]))
			return true;
	}
	return false;
}

/*
 * Is a cast of a value taken for nullable (Cast.forceNullable)?  It never is
 * NULL under ANSI, but might be without.
 */
static bool
cast_may_be_null(const DeltaType *from, const DeltaType *to)
{
	DeltaKind	f = from->kind;
	DeltaKind	t = to->kind;

	if (f == DELTA_VOID || t == DELTA_STRING || deltacc_type_equal(from, to))
		return false;
	if (f == DELTA_STRING)
		return t != DELTA_BINARY;
	if (t == DELTA_DECIMAL)
	{
		if (DELTA_IS_INTEGRAL_KIND(f) || f == DELTA_BOOLEAN || f == DELTA_DECIMAL)
		{
			static const int digits[] = {3, 5, 10, 20};
			int			whole = f == DELTA_DECIMAL ? from->precision - from->scale :
				f == DELTA_BOOLEAN ? 1 : digits[f - DELTA_BYTE];

			return to->precision - to->scale < whole || (f == DELTA_DECIMAL && to->scale < from->scale);
		}
		return true;
	}
	if (DELTA_IS_INTEGRAL_KIND(t))
		return DELTA_IS_DOUBLE_KIND(f) || f == DELTA_DECIMAL || (f == DELTA_TIMESTAMP && t != DELTA_LONG);
	if (t == DELTA_TIMESTAMP)
		return DELTA_IS_DOUBLE_KIND(f);
	return t == DELTA_DATE && f != DELTA_TIMESTAMP;
}

bool
deltacc_expr_nullable(const DeltaExpr *e)
{
	int			i;

	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_LITERAL:
			return e->is_null;
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
			return false;
		case EXPR_COMPARE:
			return e->op != CMP_NULLSAFE_EQ && any_arg_nullable(e, 0);
		case EXPR_AND:
		case EXPR_OR:
		case EXPR_NOT:
		case EXPR_IN:
			return any_arg_nullable(e, 0);
		case EXPR_CAST:
			return e->try_cast || cast_may_be_null(&e->args[0]->type, &e->type) || any_arg_nullable(e, 0);
		case EXPR_CASE:
			if (e->nargs % 2 == 0)
				return true;	/* no ELSE */
			for (i = 1; i < e->nargs; i += 2)
			{
				if (deltacc_expr_nullable(e->args[i]))
					return true;
			}
			return deltacc_expr_nullable(e->args[e->nargs - 1]);
		case EXPR_COALESCE:
			for (i = 0; i < e->nargs; i++)
			{
				if (!deltacc_expr_nullable(e->args[i]))
					return false;
			}
			return true;
		case EXPR_CALL:
			if (e->function->properties & FN_NULL_WITH_FIRST)
				return deltacc_expr_nullable(e->args[0]);
			if (e->function->properties & FN_NULL_WITH_ALL)
			{
				for (i = 0; i < e->nargs; i++)
				{
					if (!deltacc_expr_nullable(e->args[i]))
						return false;
				}
				return true;
			}
			if (e->function->properties & FN_NULL_WITH_ANY)
				return DELTA_IS_DOUBLE_KIND(e->args[0]->type.kind) || any_arg_nullable(e, 0);
			/* of what divides Spark says so, though ANSI has an error for it */
			if (!(e->function->properties & FN_NEVER_NULL) ||
				(e->function->properties & (FN_RIGHT_FIRST | FN_TAKEN_FOR_NULLABLE)))
				return true;
			return (e->function->properties & FN_NULL_IN_NULL_OUT) && any_arg_nullable(e, 0);
		default:
			return true;
	}
}

bool
deltacc_expr_deterministic(const DeltaExpr *e)
{
	return (e->flags & (EXPR_HAS_NONDETERMINISTIC | EXPR_HAS_SUBQUERY)) == 0;
}

bool
deltacc_expr_foldable(const DeltaExpr *e)
{
	return (e->flags & ~EXPR_HAS_SESSION_TIMEZONE) == 0;
}

static const char *const if_mark = "if";

DeltaExpr *
deltacc_expr_if(DeltaType type, DeltaExpr *condition, DeltaExpr *then_value, DeltaExpr *else_value)
{
	DeltaExpr	   *args[3] = {condition, then_value, else_value};
	DeltaExpr	   *e = new_node(EXPR_CASE, type, 3, args);

	e->text = if_mark;
	return finish(e, 0);
}

bool
deltacc_expr_is_if(const DeltaExpr *e)
{
	return e->kind == EXPR_CASE && e->text != NULL;
}

bool
deltacc_expr_is_true(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && e->type.kind == DELTA_BOOLEAN && !e->is_null && e->value.i != 0;
}

bool
deltacc_expr_is_false(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && e->type.kind == DELTA_BOOLEAN && !e->is_null && e->value.i == 0;
}

bool
deltacc_expr_is_null_literal(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && e->is_null;
}

CompareOp
deltacc_compare_swap(CompareOp op)
{
	switch (op)
	{
		case CMP_LT:
			return CMP_GT;
		case CMP_LE:
			return CMP_GE;
		case CMP_GT:
			return CMP_LT;
		case CMP_GE:
			return CMP_LE;
		default:
			return op;
	}
}

CompareOp
deltacc_compare_negate(CompareOp op)
{
	switch (op)
	{
		case CMP_EQ:
			return CMP_NE;
		case CMP_NE:
			return CMP_EQ;
		case CMP_LT:
			return CMP_GE;
		case CMP_LE:
			return CMP_GT;
		case CMP_GT:
			return CMP_LE;
		case CMP_GE:
			return CMP_LT;
		default:
			Assert(false);
			return op;
	}
}

const char *
deltacc_compare_name(CompareOp op)
{
	static const char *const names[] = {"=", "<=>", "<>", "<", "<=", ">", ">="};

	return names[op];
}

/*
 * How tightly an operator binds, for parentheses.
 */
typedef enum Precedence
{
	PREC_OR = 1,
	PREC_AND,
	PREC_NOT,
	PREC_PREDICATE,				/* comparisons, IN, LIKE, IS NULL */
	PREC_OPERATOR,				/* arithmetic: always in parentheses inside
								 * another one */
	PREC_PRIMARY
} Precedence;

static void print_expr(StringInfo out, const DeltaExpr *e, pg_tz *tz, Precedence outside);

static bool
is_sign(const char *name)
{
	return strchr("+-*/%&|^~<>=!", name[0]) != NULL;
}

static Precedence
precedence_of(const DeltaExpr *e)
{
	switch (e->kind)
	{
		case EXPR_OR:
			return PREC_OR;
		case EXPR_AND:
			return PREC_AND;
		case EXPR_NOT:
			return PREC_NOT;
		case EXPR_COMPARE:
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
		case EXPR_IN:
			return PREC_PREDICATE;
		case EXPR_CALL:
			if (strcmp(e->function->name, "like") == 0)
				return PREC_PREDICATE;
			if (is_sign(e->function->name) ||
				strcmp(e->function->name, "div") == 0 || strcmp(e->function->name, "negative") == 0)
				return PREC_OPERATOR;
			return PREC_PRIMARY;
		case EXPR_UNKNOWN:
			/* its text may be anything up to a comparison, or a call or literal */
			if (e->type.kind != DELTA_BOOLEAN && DELTA_IS_ATOMIC_KIND(e->type.kind))
				return PREC_PRIMARY;
			return e->text != NULL && strchr(e->text, ' ') != NULL ? PREC_PREDICATE : PREC_PRIMARY;
		default:
			return PREC_PRIMARY;
	}
}

static void
print_list(StringInfo out, const DeltaExpr *e, int from, const char *separator, pg_tz *tz, Precedence outside)
{
	int			i;

	for (i = from; i < e->nargs; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > from)
			appendStringInfoString(out, separator);
		print_expr(out, e->args[i], tz, outside);
	}
}

static void
print_case(StringInfo out, const DeltaExpr *e, pg_tz *tz)
{
	int			i;

	if (deltacc_expr_is_if(e))
	{
		appendStringInfoString(out, "IF(");
		print_list(out, e, 0, ", ", tz, 0);
		appendStringInfoChar(out, ')');
		return;
	}
	appendStringInfoString(out, "CASE");
	for (i = 0; i + 1 < e->nargs; i += 2)
	{
		appendStringInfoString(out, " WHEN ");
		print_expr(out, e->args[i], tz, 0);
		appendStringInfoString(out, " THEN ");
		print_expr(out, e->args[i + 1], tz, 0);
	}
	if (e->nargs % 2 != 0)
	{
		appendStringInfoString(out, " ELSE ");
		print_expr(out, e->args[e->nargs - 1], tz, 0);
	}
	appendStringInfoString(out, " END");
}

static void
print_call(StringInfo out, const DeltaExpr *e, pg_tz *tz)
{
	const char *name = e->function->name;

	if (strcmp(name, "like") == 0 && e->nargs >= 2)
	{
		print_expr(out, e->args[0], tz, PREC_OPERATOR);
		appendStringInfoString(out, " LIKE ");
		print_expr(out, e->args[1], tz, PREC_OPERATOR);
		if (e->nargs > 2)
		{
			appendStringInfoString(out, " ESCAPE ");
			print_expr(out, e->args[2], tz, PREC_OPERATOR);
		}
	}
	else if (e->nargs == 2 && precedence_of(e) == PREC_OPERATOR)
	{
		print_expr(out, e->args[0], tz, PREC_PRIMARY);
		appendStringInfo(out, " %s ", name);
		print_expr(out, e->args[1], tz, PREC_PRIMARY);
	}
	else if (e->nargs == 1 && precedence_of(e) == PREC_OPERATOR)
	{
		/* "- " and not "-": the operand may start with a sign of its own */
		appendStringInfo(out, "%s ", strcmp(name, "negative") == 0 ? "-" : name);
		print_expr(out, e->args[0], tz, PREC_PRIMARY);
	}
	else
	{
		appendStringInfo(out, "%s(", name);
		print_list(out, e, 0, ", ", tz, 0);
		appendStringInfoChar(out, ')');
	}
}

static void
print_stat(StringInfo out, const DeltaExpr *e)
{
	static const char *const names[] = {"MIN", "MAX", "NULL_COUNT", "NUM_RECORDS"};

	appendStringInfoString(out, names[e->stat]);
	if (e->column != NULL)
		appendStringInfo(out, "(%s)", e->column->logical_path);
}

static void
print_node(StringInfo out, const DeltaExpr *e, pg_tz *tz)
{
	switch (e->kind)
	{
		case EXPR_LITERAL:
			if (e->is_null)
				appendStringInfoString(out, "NULL");
			else
				deltacc_value_print(out, &e->type, e->value, tz);
			break;
		case EXPR_COLUMN:
			appendStringInfoString(out, e->column->logical_path);
			break;
		case EXPR_STAT:
			print_stat(out, e);
			break;
		case EXPR_COMPARE:
			print_expr(out, e->args[0], tz, PREC_OPERATOR);
			appendStringInfo(out, " %s ", deltacc_compare_name(e->op));
			print_expr(out, e->args[1], tz, PREC_OPERATOR);
			break;
		case EXPR_AND:
			print_list(out, e, 0, " AND ", tz, PREC_AND);
			break;
		case EXPR_OR:
			print_list(out, e, 0, " OR ", tz, PREC_OR);
			break;
		case EXPR_NOT:
			appendStringInfoString(out, "NOT ");
			print_expr(out, e->args[0], tz, PREC_PRIMARY);
			break;
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
			print_expr(out, e->args[0], tz, PREC_OPERATOR);
			appendStringInfoString(out, e->kind == EXPR_IS_NULL ? " IS NULL" : " IS NOT NULL");
			break;
		case EXPR_IN:
			print_expr(out, e->args[0], tz, PREC_OPERATOR);
			appendStringInfoString(out, " IN (");
			print_list(out, e, 1, ", ", tz, 0);
			appendStringInfoChar(out, ')');
			break;
		case EXPR_CAST:
			appendStringInfoString(out, e->try_cast ? "TRY_CAST(" : "CAST(");
			print_expr(out, e->args[0], tz, 0);
			appendStringInfo(out, " AS %s)", deltacc_type_name(&e->type));
			break;
		case EXPR_CASE:
			print_case(out, e, tz);
			break;
		case EXPR_COALESCE:
			appendStringInfoString(out, "coalesce(");
			print_list(out, e, 0, ", ", tz, 0);
			appendStringInfoChar(out, ')');
			break;
		case EXPR_CALL:
			print_call(out, e, tz);
			break;
		case EXPR_UNKNOWN:
			appendStringInfoString(out, e->text != NULL ? e->text : "?");
			break;
	}
}

static void
print_expr(StringInfo out, const DeltaExpr *e, pg_tz *tz, Precedence outside)
{
	bool		parentheses = precedence_of(e) < outside;

	check_stack_depth();
	if (parentheses)
		appendStringInfoChar(out, '(');
	print_node(out, e, tz);
	if (parentheses)
		appendStringInfoChar(out, ')');
}

void
deltacc_expr_print(StringInfo out, const DeltaExpr *e, pg_tz *tz)
{
	print_expr(out, e, tz, 0);
}

char *
deltacc_expr_text(const DeltaExpr *e, pg_tz *tz)
{
	StringInfoData out;

	initStringInfo(&out);
	deltacc_expr_print(&out, e, tz);
	return out.data;
}
