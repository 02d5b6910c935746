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
		if (op == CMP_LT) \
			LESS_THAN(less, a, b); \
		else if (op == CMP_LE) \
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

/*
 * Points against a constant that is one: a single comparison tells, which C makes
 * as Spark does but for NaN.  Above all numbers, that one is neither < nor <= nor
 * = any; so c < x is written as not x <= c.
 */
#define POINT_LOOP(condition, yes, no) \
	for (int i = 0; i < n; i++) \
		may[i] = (condition) ? (yes) : (no)

#define COMPARE_POINTS(name, type, member) \
static bool \
name(CompareOp op, const Block *a, const Block *b, int n, uint8 *may) \
{ \
	bool		turned = a->constant; \
	const Block *points = turned ? b : a; \
	const Block *constant = turned ? a : b; \
	const type *x = &points->lo->member; \
	type		c = constant->lo->member; \
	\
	/* of NaN, too, not equal to itself here */ \
	if (points->constant || !constant->constant || points->lo != points->hi || \
		!(c == constant->hi->member)) \
		return false; \
	if (op == CMP_LT && turned) \
		POINT_LOOP(x[i] <= c, MAY_FALSE, MAY_TRUE); \
	else if (op == CMP_LT) \
		POINT_LOOP(x[i] < c, MAY_TRUE, MAY_FALSE); \
	else if (op == CMP_LE && turned) \
		POINT_LOOP(x[i] < c, MAY_FALSE, MAY_TRUE); \
	else if (op == CMP_LE) \
		POINT_LOOP(x[i] <= c, MAY_TRUE, MAY_FALSE); \
	else \
		POINT_LOOP(x[i] == c, MAY_TRUE, MAY_FALSE); \
	return true; \
}

COMPARE_POINTS(compare_int64_points, int64, i)
COMPARE_POINTS(compare_double_points, double, d)

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
		case CMP_LT:
			/* FALSE if some a >= some b */
			return may_less * MAY_TRUE | !is_less(type, a, b) * MAY_FALSE;
		case CMP_LE:
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
			bool		holds = op == CMP_LT ? x < y : op == CMP_LE ? x <= y : x == y;

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
	bool		null_safe = op == CMP_NULLSAFE_EQ;
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

	if (op == CMP_GT || op == CMP_GE)
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
		uint8		set = compare_booleans(op == CMP_NE ? CMP_EQ : op, a.may, b.may);

		outcomes |= op == CMP_NE ? swap_outcomes(set) : set;
	}
	else
	{
		uint8		set = compare_values(op, type_a, &a, &b);

		outcomes |= op == CMP_NE ? swap_outcomes(set) : set;
	}
	return outcomes;
}

/*
 * Has every row that may have a value both bounds, so that the loops may run
 * over it?  What they make of the other rows is masked out afterwards.
 */
static bool
is_closed(const Block *b)
{
	int			rows = b->constant ? 1 : b->n;
	uint8		open = 0;

	if (b->all_values)
		return true;
	if (b->lo == NULL || b->hi == NULL)
		return false;
	for (int i = 0; i < rows; i++)
		open |= b->may[i] & ~((b->may[i] >> 4) & (b->may[i] >> 5)) & MAY_VALUE;
	StaticAssertStmt(MAY_VALUE == 1 && HAS_LO == 0x10 && HAS_HI == 0x20, "bounds are these bits");
	return open == 0;
}

/*
 * Puts NULL and errors of the operands in, from left to right, and takes out
 * what was compared without values.
 */
static void
mask_rows(const Block *a, const Block *b, int n, uint8 *outcomes)
{
	for (int i = 0; i < n; i++)
	{
		uint8		x = block_may(a, i);
		uint8		y = block_may(b, i);
		uint8		x_value = (uint8) -(x & MAY_VALUE);
		uint8		y_value = (uint8) -(y & MAY_VALUE);

		outcomes[i] = (outcomes[i] & x_value & y_value) |
			(x & (MAY_NULL | MAY_ERROR)) | (y & (MAY_NULL | MAY_ERROR) & x_value);
	}
}

/*
 * A whole block by the loops; false if it doesn't suit them.
 */
static bool
compare_by_loop(CompareOp op, const Block *a, const Block *b, int n, uint8 *outcomes)
{
	bool		all_values = a->all_values && b->all_values;
	bool		swap = op == CMP_GT || op == CMP_GE;
	CompareOp	inner = swap ? deltacc_compare_swap(op) : op;
	const Block *left = swap ? b : a;
	const Block *right = swap ? a : b;

	if (a->type.kind != b->type.kind ||
		!(DELTA_IS_INT64_KIND(a->type.kind) || DELTA_IS_DOUBLE_KIND(a->type.kind)) ||
		IS_OUTCOME_KIND(a->type.kind))
		return false;
	if (!all_values && (op == CMP_NULLSAFE_EQ || !is_closed(a) || !is_closed(b)))
		return false;

	if (DELTA_IS_DOUBLE_KIND(a->type.kind))
	{
		if (!compare_double_points(inner, left, right, n, outcomes))
			compare_double(inner, left, right, n, outcomes);
	}
	else if (!compare_int64_points(inner, left, right, n, outcomes))
		compare_int64(inner, left, right, n, outcomes);
	if (op == CMP_NE)
	{
		for (int i = 0; i < n; i++)
			outcomes[i] = swap_outcomes(outcomes[i]);
	}
	if (!all_values)
		mask_rows(a, b, n, outcomes);
	return true;
}

/*
 * a op a: both sides have the same value, whatever it is; NaN is equal to
 * itself.
 */
static void
compare_with_itself(CompareOp op, const Block *a, int n, uint8 *outcomes)
{
	bool		holds = op == CMP_EQ || op == CMP_NULLSAFE_EQ || op == CMP_LE || op == CMP_GE;
	uint8		value_bits = VALUE_BITS(a->type.kind);

	for (int i = 0; i < n; i++)
	{
		uint8		may = block_may(a, i);

		outcomes[i] = may & MAY_ERROR;
		if (may & value_bits)
			outcomes[i] |= holds ? MAY_TRUE : MAY_FALSE;
		if (may & MAY_NULL)
			outcomes[i] |= op == CMP_NULLSAFE_EQ ? MAY_TRUE : MAY_NULL;
	}
}

/*
 * A statistic compared with a literal, where the source can do that.
 */
static bool
compare_by_source(Eval *ev, EvalNode *node, Block *out)
{
	CompareOp	op = node->expr->op;
	const EvalNode *leaf = node->args[0];
	const EvalNode *constant = node->args[1];
	ValueRange	r;

	if (ev->source == NULL || ev->source->compare == NULL)
		return false;
	if (leaf->constant)
	{
		leaf = node->args[1];
		constant = node->args[0];
		op = deltacc_compare_swap(op);
	}
	if (leaf->leaf == NULL || !constant->constant || !comparable(&leaf->expr->type, &constant->result.type))
		return false;
	r = block_get(&constant->result, 0);
	if (r.may != RANGE_CLOSED || !deltacc_range_is_point(&constant->result.type, &r))
		return false;
	deltacc_eval_result(ev, node, out);
	return ev->source->compare(ev->source, leaf->expr, op, r.lo, ev->start, ev->n, out->may);
}

void
deltacc_eval_compare(Eval *ev, EvalNode *node, Block *out)
{
	CompareOp	op = node->expr->op;
	int			n = eval_rows(ev, node);
	Block		a;
	Block		b;

	if (compare_by_source(ev, node, out))
		return;
	deltacc_eval_node(ev, node->args[0], &a);
	if (node->same_operands)
	{
		deltacc_eval_result(ev, node, out);
		compare_with_itself(op, &a, n, out->may);
		return;
	}
	deltacc_eval_node(ev, node->args[1], &b);
	deltacc_eval_result(ev, node, out);
	if (compare_by_loop(op, &a, &b, n, out->may))
		return;
	for (int i = 0; i < n; i++)
		out->may[i] = deltacc_compare_ranges(op, &a.type, block_get(&a, i), &b.type, block_get(&b, i));
}
