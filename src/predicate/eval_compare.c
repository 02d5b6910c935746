/*-------------------------------------------------------------------------
 *
 * eval_compare.c
 *	  Comparisons of ranges.
 *
 * [lo, hi] op [lo, hi] may be TRUE if it is for some two values, and FALSE if
 * it is not for some two.  Where all rows are closed ranges of int64 or double
 * a loop without branches does a whole block; else it goes row by row.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/eval_node.h"

/* NaN is equal to itself and above all numbers, -0.0 equal to 0.0. */
static inline bool
less_double(double a, double b)
{
	return (a < b) | ((a == a) & (b != b));
}

static inline bool
less_int64(int64 a, int64 b)
{
	return a < b;
}

/*
 * The three loops that are needed: >, >= are <, <= with the operands swapped,
 * <> is = with the outcomes swapped.  a and b say how the operands are found:
 * [i] in a block, [0] in a constant.
 */
#define LOOP(outcomes) \
	for (int i = 0; i < n; i++) \
		may[i] = (outcomes)

#define LESS_THAN(less, a, b) \
	LOOP((less) (alo a, bhi b) * MAY_TRUE | !(less) (ahi a, blo b) * MAY_FALSE)
#define LESS_EQUAL(less, a, b) \
	LOOP(!(less) (bhi b, alo a) * MAY_TRUE | (less) (blo b, ahi a) * MAY_FALSE)
#define EQUAL(less, a, b) \
	LOOP((!(less) (bhi b, alo a) & !(less) (ahi a, blo b)) * MAY_TRUE | \
		 ((less) (alo a, bhi b) | (less) (blo b, ahi a)) * MAY_FALSE)

#define ALL_LOOPS(less, a, b) \
	do { \
		if (op == COMPARE_LT) \
			LESS_THAN(less, a, b); \
		else if (op == COMPARE_LE) \
			LESS_EQUAL(less, a, b); \
		else \
			EQUAL(less, a, b); \
	} while (0)

#define COMPARE_CLOSED(name, type, less, member) \
static void \
name(CompareOp op, const Block *a, const Block *b, int n, uint8 *may) \
{ \
	const type *alo = &a->lo->member; \
	const type *ahi = &a->hi->member; \
	const type *blo = &b->lo->member; \
	const type *bhi = &b->hi->member; \
	\
	StaticAssertStmt(sizeof(type) == sizeof(DeltaScalar), "values are arrays of eight bytes"); \
	if (b->constant) \
		ALL_LOOPS(less, [i], [0]); \
	else if (a->constant) \
		ALL_LOOPS(less, [0], [i]); \
	else \
		ALL_LOOPS(less, [i], [i]); \
}

COMPARE_CLOSED(compare_int64, int64, less_int64, i)
COMPARE_CLOSED(compare_double, double, less_double, d)

static bool
comparable(const DeltaType *a, const DeltaType *b)
{
	if (a->kind != b->kind || !DELTA_IS_ATOMIC_KIND(a->kind))
		return false;
	if (a->kind != DELTA_STRING)
		return true;
	/* what a collation calls equal we don't know, nor how CHAR is padded */
	return !a->collated && !b->collated && a->char_length == 0 && b->char_length == 0;
}

static inline bool
value_less(const DeltaType *type, DeltaScalar a, DeltaScalar b)
{
	if (DELTA_IS_INT64_KIND(type->kind))
		return less_int64(a.i, b.i);
	if (DELTA_IS_DOUBLE_KIND(type->kind))
		return less_double(a.d, b.d);
	return deltacc_value_compare(type, a, b) < 0;
}

/* Can a value of a be below one of b? */
static inline bool
may_be_less(const DeltaType *type, const ValueRange *a, const ValueRange *b)
{
	return !(a->may & HAS_LO) || !(b->may & HAS_HI) || value_less(type, a->lo, b->hi);
}

/* Is every value of a below every one of b? */
static inline bool
is_less(const DeltaType *type, const ValueRange *a, const ValueRange *b)
{
	return (a->may & HAS_HI) && (b->may & HAS_LO) && value_less(type, a->hi, b->lo);
}

/*
 * =, < and <= of two values of one type.
 */
static uint8
compare_values(CompareOp op, const DeltaType *type, const ValueRange *a, const ValueRange *b)
{
	bool		may_less = may_be_less(type, a, b);
	bool		may_greater = may_be_less(type, b, a);

	switch (op)
	{
		case COMPARE_LT:
			/* FALSE if some a >= some b */
			return may_less * MAY_TRUE | !is_less(type, a, b) * MAY_FALSE;
		case COMPARE_LE:
			return !is_less(type, b, a) * MAY_TRUE | may_greater * MAY_FALSE;
		default:
			return (!is_less(type, a, b) && !is_less(type, b, a)) * MAY_TRUE |
				(may_less || may_greater) * MAY_FALSE;
	}
}

/* The same of two sets of truth values, FALSE being less than TRUE. */
static uint8
compare_booleans(CompareOp op, uint8 a, uint8 b)
{
	uint8		outcomes = 0;

	for (int x = 0; x <= 1; x++)
	{
		for (int y = 0; y <= 1; y++)
		{
			bool		holds = op == COMPARE_LT ? x < y : op == COMPARE_LE ? x <= y : x == y;

			if ((a & (x ? MAY_TRUE : MAY_FALSE)) && (b & (y ? MAY_TRUE : MAY_FALSE)))
				outcomes |= holds ? MAY_TRUE : MAY_FALSE;
		}
	}
	return outcomes;
}

static uint8
swap_outcomes(uint8 may)
{
	return (may & (MAY_NULL | MAY_ERROR)) | (may & MAY_TRUE) << 1 | (may & MAY_FALSE) >> 1;
}

uint8
deltacc_compare_ranges(CompareOp op, const DeltaType *type_a, ValueRange a,
					   const DeltaType *type_b, ValueRange b)
{
	uint8		a_value = a.may & VALUE_BITS(type_a->kind);
	uint8		b_value = b.may & VALUE_BITS(type_b->kind);
	bool		null_safe = op == COMPARE_NULLSAFE_EQ;
	uint8		outcomes = a.may & MAY_ERROR;

	/* a NULL on the left decides without the right */
	if ((a.may & MAY_NULL) && !null_safe)
		outcomes |= MAY_NULL;
	if (!a_value && !(null_safe && (a.may & MAY_NULL)))
		return outcomes;

	outcomes |= b.may & MAY_ERROR;
	if (null_safe)
	{
		if ((a.may & MAY_NULL) && (b.may & MAY_NULL))
			outcomes |= MAY_TRUE;
		if (((a.may & MAY_NULL) && b_value) || (a_value && (b.may & MAY_NULL)))
			outcomes |= MAY_FALSE;
	}
	else
		outcomes |= b.may & MAY_NULL;
	if (!a_value || !b_value)
		return outcomes;

	if (op == COMPARE_GT || op == COMPARE_GE)
	{
		ValueRange	swap = a;

		a = b;
		b = swap;
		op = deltacc_compare_swap(op);
	}
	if (!comparable(type_a, type_b))
		outcomes |= MAY_TRUE | MAY_FALSE;
	else if (IS_OUTCOME_KIND(type_a->kind))
	{
		uint8		set = compare_booleans(op == COMPARE_NE ? COMPARE_EQ : op, a.may, b.may);

		outcomes |= op == COMPARE_NE ? swap_outcomes(set) : set;
	}
	else
	{
		uint8		set = compare_values(op, type_a, &a, &b);

		outcomes |= op == COMPARE_NE ? swap_outcomes(set) : set;
	}
	return outcomes;
}

void
deltacc_eval_compare(Eval *ev, EvalNode *node, Block *out)
{
	CompareOp	op = node->expr->op;
	int			n = eval_rows(ev, node);
	Block		a;
	Block		b;

	deltacc_eval_node(ev, node->args[0], &a);
	deltacc_eval_node(ev, node->args[1], &b);
	deltacc_eval_result(ev, node, out);

	if (a.all_values && b.all_values && a.type.kind == b.type.kind &&
		(DELTA_IS_INT64_KIND(a.type.kind) || DELTA_IS_DOUBLE_KIND(a.type.kind)))
	{
		bool		swap = op == COMPARE_GT || op == COMPARE_GE;
		CompareOp	inner = swap ? deltacc_compare_swap(op) : op;
		const Block *left = swap ? &b : &a;
		const Block *right = swap ? &a : &b;

		if (DELTA_IS_DOUBLE_KIND(a.type.kind))
			compare_double(inner, left, right, n, out->may);
		else
			compare_int64(inner, left, right, n, out->may);
		if (op == COMPARE_NE)
		{
			for (int i = 0; i < n; i++)
				out->may[i] = swap_outcomes(out->may[i]);
		}
		return;
	}

	for (int i = 0; i < n; i++)
		out->may[i] = deltacc_compare_ranges(op, &a.type, block_get(&a, i), &b.type, block_get(&b, i));
}
