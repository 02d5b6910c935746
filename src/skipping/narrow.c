/*-------------------------------------------------------------------------
 *
 * narrow.c
 *	  May a condition be TRUE when all that it asks of one column is taken
 *	  together?
 *
 * Under AND every operand has to be TRUE, so a row that matters lies within
 * what each of them leaves of a column: an operand that compares the column
 * with a literal or with another column, a list of literals, a null check, a
 * prefix.  The ranges of the file's data are cut down to that, and then the
 * operands are evaluated over what is left.  The legs of an OR are taken one
 * by one, each with what stands around it.
 *
 * What is left of a range is again a range, a little too wide if anything:
 * never too narrow.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "predicate/block.h"
#include "predicate/functions.h"
#include "skipping/narrow.h"

/* A source whose columns are changed: each is copied before the first change. */
typedef struct Narrowed
{
	FileSource	source;
	bool	   *copied;			/* per column */
	bool	   *possible;		/* per row */
} Narrowed;

static void narrow_and(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible);
static void narrow_or(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible);
static void evaluate(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible);
static void apply(Narrowed *w, const DeltaExpr *e);
static void apply_compare(Narrowed *w, const DeltaExpr *e);
static void apply_bounds(Narrowed *w, SourceColumn *c, int row, const DeltaScalar *lo, const DeltaScalar *hi);
static void apply_list(Narrowed *w, const DeltaExpr *e);
static void apply_prefix(Narrowed *w, const DeltaExpr *e);
static void apply_null(Narrowed *w, const DeltaExpr *column, bool is_null);
static void apply_boolean(Narrowed *w, const DeltaExpr *column, uint8 outcome);
static SourceColumn *own_column(Narrowed *w, const DeltaExpr *column);
static bool is_ordered_column(const DeltaExpr *e);

void
deltacc_evaluate_narrowed(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, uint8 *outcomes)
{
	int			n = source->n;
	bool	   *possible;

	deltacc_eval_condition(e, unconstify(RowSource *, &source->source), n, options, outcomes, NULL, NULL);
	if (e->kind != EXPR_AND && e->kind != EXPR_OR)
		return;
	possible = palloc(Max(n, 1));
	for (int i = 0; i < n; i++)
		possible[i] = (outcomes[i] & MAY_TRUE) != 0;
	if (e->kind == EXPR_AND)
		narrow_and(e, source, options, possible);
	else
		narrow_or(e, source, options, possible);
	for (int i = 0; i < n; i++)
	{
		if (!possible[i])
			outcomes[i] &= ~MAY_TRUE;
	}
	pfree(possible);
}

static void
narrow_and(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible)
{
	Narrowed	w = {.source = *source,.possible = possible};
	int			nparts;
	DeltaExpr **parts = deltacc_expr_split(e, EXPR_AND, &nparts);
	DeltaExpr **plain = palloc(sizeof(DeltaExpr *) * nparts);
	int			nplain = 0;

	check_stack_depth();
	w.source.columns = palloc(sizeof(SourceColumn) * Max(source->ncolumns, 1));
	memcpy(w.source.columns, source->columns, sizeof(SourceColumn) * source->ncolumns);
	w.copied = palloc0(sizeof(bool) * Max(source->ncolumns, 1));

	/* Twice, for what one column hands on to another: a < b AND b < 3. */
	for (int round = 0; round < 2; round++)
	{
		for (int i = 0; i < nparts; i++)
			apply(&w, parts[i]);
	}

	for (int i = 0; i < nparts; i++)
	{
		if (parts[i]->kind == EXPR_OR)
			narrow_or(parts[i], &w.source, options, possible);
		else
			plain[nplain++] = parts[i];
	}
	if (nplain > 0)
		evaluate(deltacc_expr_and(nplain, plain), &w.source, options, possible);
}

static void
narrow_or(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible)
{
	int			n = source->n;
	bool	   *any = palloc0(Max(n, 1));
	bool	   *leg = palloc(Max(n, 1));
	int			nparts;
	DeltaExpr **parts = deltacc_expr_split(e, EXPR_OR, &nparts);
	DeltaExpr **plain = palloc(sizeof(DeltaExpr *) * nparts);
	int			nplain = 0;

	for (int i = 0; i < nparts; i++)
	{
		if (parts[i]->kind != EXPR_AND)
		{
			plain[nplain++] = parts[i];
			continue;
		}
		CHECK_FOR_INTERRUPTS();
		memcpy(leg, possible, n);
		narrow_and(parts[i], source, options, leg);
		for (int row = 0; row < n; row++)
			any[row] |= leg[row];
	}
	if (nplain > 0)
	{
		memcpy(leg, possible, n);
		evaluate(deltacc_expr_or(nplain, plain), source, options, leg);
		for (int row = 0; row < n; row++)
			any[row] |= leg[row];
	}
	for (int row = 0; row < n; row++)
		possible[row] &= any[row];
}

static void
evaluate(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, bool *possible)
{
	uint8	   *outcomes = palloc(Max(source->n, 1));

	deltacc_eval_condition(e, unconstify(RowSource *, &source->source), source->n, options, outcomes, NULL, NULL);
	for (int i = 0; i < source->n; i++)
		possible[i] &= (outcomes[i] & MAY_TRUE) != 0;
	pfree(outcomes);
}

/* ----- what an operand leaves of a column ----- */

static void
apply(Narrowed *w, const DeltaExpr *e)
{
	switch (e->kind)
	{
		case EXPR_COMPARE:
			apply_compare(w, e);
			break;
		case EXPR_IN:
			apply_list(w, e);
			break;
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
			if (e->args[0]->kind == EXPR_COLUMN)
				apply_null(w, e->args[0], e->kind == EXPR_IS_NULL);
			break;
		case EXPR_COLUMN:
			apply_boolean(w, e, MAY_TRUE);
			break;
		case EXPR_NOT:
			if (e->args[0]->kind == EXPR_COLUMN)
				apply_boolean(w, e->args[0], MAY_FALSE);
			break;
		case EXPR_CALL:
			if (strcmp(e->function->name, "startswith") == 0)
				apply_prefix(w, e);
			break;
		default:
			break;
	}
}

/* One end of what a column is compared with, NULL if it has none. */
static const DeltaScalar *
end_of(const FileSource *source, const DeltaExpr *e, int row, uint8 side)
{
	const SourceColumn *c;

	if (e->kind == EXPR_LITERAL)
		return &e->value;
	c = deltacc_source_column(source, e);
	if (c == NULL || !(c->may[row] & side))
		return NULL;
	return side == HAS_LO ? &c->lo[row] : &c->hi[row];
}

static bool
is_operand(const DeltaExpr *e)
{
	return (e->kind == EXPR_LITERAL && !e->is_null) || is_ordered_column(e);
}

/* Next to v in the order; false if there is none. */
static bool
beside(const DeltaType *type, const DeltaScalar *v, bool above, DeltaScalar *result)
{
	*result = *v;
	if (!DELTA_IS_INT64_KIND(type->kind))
		return true;			/* v itself will do: the range is a little too wide */
	if (v->i == (above ? PG_INT64_MAX : PG_INT64_MIN))
		return false;
	result->i += above ? 1 : -1;
	return true;
}

/* left op right, for the column on the left. */
static void
apply_side(Narrowed *w, const DeltaExpr *left, CompareOp op, const DeltaExpr *right)
{
	SourceColumn *c;

	if (!is_ordered_column(left) || left->type.kind != right->type.kind)
		return;
	c = own_column(w, left);
	if (c == NULL)
		return;
	for (int row = 0; row < w->source.n; row++)
	{
		const DeltaScalar *lo = NULL;
		const DeltaScalar *hi = NULL;
		DeltaScalar strict;

		if (!w->possible[row])
			continue;
		if (op == CMP_EQ || op == CMP_NULLSAFE_EQ || op == CMP_GT || op == CMP_GE)
			lo = end_of(&w->source, right, row, HAS_LO);
		if (op == CMP_EQ || op == CMP_NULLSAFE_EQ || op == CMP_LT || op == CMP_LE)
			hi = end_of(&w->source, right, row, HAS_HI);
		if ((op == CMP_GT && lo && !beside(&left->type, lo, true, &strict)) ||
			(op == CMP_LT && hi && !beside(&left->type, hi, false, &strict)))
		{
			w->possible[row] = false;
			continue;
		}
		if (op == CMP_GT && lo)
			lo = &strict;
		if (op == CMP_LT && hi)
			hi = &strict;
		apply_bounds(w, c, row, lo, hi);
	}
}

static void
apply_compare(Narrowed *w, const DeltaExpr *e)
{
	const DeltaExpr *left = e->args[0];
	const DeltaExpr *right = e->args[1];

	/* two columns that are NULL are <=> too */
	if (e->op == CMP_NULLSAFE_EQ && left->kind != EXPR_LITERAL && right->kind != EXPR_LITERAL)
		return;
	if (!is_operand(left) || !is_operand(right))
		return;
	apply_side(w, left, e->op, right);
	apply_side(w, right, e->op == CMP_NULLSAFE_EQ ? e->op : deltacc_compare_swap(e->op), left);
}

/* A zero as the end of a range: the other zero is equal to it. */
static DeltaScalar
end_value(const DeltaType *type, DeltaScalar v, bool is_lo)
{
	if (DELTA_IS_DOUBLE_KIND(type->kind) && v.d == 0)
		v.d = is_lo ? -0.0 : 0.0;
	return v;
}

/* The column is not NULL, and within [lo, hi]; NULL: no bound. */
static void
apply_bounds(Narrowed *w, SourceColumn *c, int row, const DeltaScalar *lo, const DeltaScalar *hi)
{
	const DeltaType *type = &c->leaf->type;
	uint8	   *may = &c->may[row];

	*may &= ~(MAY_NULL | MAY_ERROR);
	if (lo && (!(*may & HAS_LO) || deltacc_value_compare(type, *lo, c->lo[row]) > 0))
	{
		c->lo[row] = end_value(type, *lo, true);
		*may |= HAS_LO;
	}
	if (hi && (!(*may & HAS_HI) || deltacc_value_compare(type, *hi, c->hi[row]) < 0))
	{
		c->hi[row] = end_value(type, *hi, false);
		*may |= HAS_HI;
	}
	if (!(*may & MAY_VALUE) ||
		((*may & HAS_BOTH) == HAS_BOTH && deltacc_value_compare(type, c->lo[row], c->hi[row]) > 0))
	{
		/* nothing is left; what is evaluated must be a range all the same */
		w->possible[row] = false;
		*may = MAY_VALUE;
	}
}

static int
compare_values(const void *a, const void *b, void *arg)
{
	return deltacc_value_compare(arg, *(const DeltaScalar *) a, *(const DeltaScalar *) b);
}

/* The first of n sorted values that isn't below v (or is above it). */
static int
first_from(const DeltaType *type, const DeltaScalar *values, int n, DeltaScalar v, bool above)
{
	int			lo = 0;
	int			hi = n;

	while (lo < hi)
	{
		int			mid = lo + (hi - lo) / 2;
		int			order = deltacc_value_compare(type, values[mid], v);

		if (order < 0 || (above && order == 0))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The column is one of the items: between the first and the last in its range. */
static void
apply_list(Narrowed *w, const DeltaExpr *e)
{
	const DeltaType *type = &e->args[0]->type;
	DeltaScalar *values;
	int			nvalues = 0;
	SourceColumn *c;

	if (!is_ordered_column(e->args[0]))
		return;
	values = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DeltaScalar) * (Size) e->nargs);
	for (int i = 1; i < e->nargs; i++)
	{
		const DeltaExpr *item = e->args[i];

		if (item->kind != EXPR_LITERAL || (!item->is_null && item->type.kind != type->kind))
		{
			pfree(values);
			return;
		}
		if (!item->is_null)
			values[nvalues++] = item->value;
	}
	qsort_arg(values, nvalues, sizeof(DeltaScalar), compare_values, unconstify(DeltaType *, type));

	c = own_column(w, e->args[0]);
	for (int row = 0; c != NULL && row < w->source.n; row++)
	{
		int			first = 0;
		int			end = nvalues;

		if (!w->possible[row])
			continue;
		if (c->may[row] & HAS_LO)
			first = first_from(type, values, nvalues, c->lo[row], false);
		if (c->may[row] & HAS_HI)
			end = first_from(type, values, nvalues, c->hi[row], true);
		if (first >= end)
			w->possible[row] = false;
		else
			apply_bounds(w, c, row, &values[first], &values[end - 1]);
	}
	pfree(values);
}

/*
 * startswith(column, 'abc'): from 'abc' on, and below what comes after all that
 * starts with it.
 */
static void
apply_prefix(Narrowed *w, const DeltaExpr *e)
{
	const DeltaExpr *prefix = e->args[1];
	DeltaScalar after = {0};
	bool		has_after = false;
	SourceColumn *c;

	if (!is_ordered_column(e->args[0]) || e->args[0]->type.kind != DELTA_STRING ||
		prefix->kind != EXPR_LITERAL || prefix->is_null || prefix->type.kind != DELTA_STRING)
		return;
	c = own_column(w, e->args[0]);
	if (c == NULL)
		return;

	for (int len = prefix->value.s->len; len > 0 && !has_after; len--)
	{
		char	   *bytes;

		if ((unsigned char) prefix->value.s->data[len - 1] == 0xFF)
			continue;
		bytes = palloc(len);
		memcpy(bytes, prefix->value.s->data, len);
		bytes[len - 1]++;
		after = deltacc_string_value(bytes, len);
		has_after = true;
	}
	for (int row = 0; row < w->source.n; row++)
		if (w->possible[row])
			apply_bounds(w, c, row, &prefix->value, has_after ? &after : NULL);
}

static void
apply_null(Narrowed *w, const DeltaExpr *column, bool is_null)
{
	SourceColumn *c = own_column(w, column);
	uint8		value_bits = VALUE_BITS(column->type.kind);

	for (int row = 0; c != NULL && row < w->source.n; row++)
	{
		uint8		wanted = is_null ? MAY_NULL : value_bits;

		if (!(c->may[row] & wanted))
			w->possible[row] = false;
		else if (is_null)
			c->may[row] = MAY_NULL;
		else
			c->may[row] &= ~(MAY_NULL | MAY_ERROR);
	}
}

static void
apply_boolean(Narrowed *w, const DeltaExpr *column, uint8 outcome)
{
	SourceColumn *c;

	if (column->type.kind != DELTA_BOOLEAN)
		return;
	c = own_column(w, column);
	for (int row = 0; c != NULL && row < w->source.n; row++)
	{
		if (!(c->may[row] & outcome))
			w->possible[row] = false;
		else
			c->may[row] = outcome;
	}
}

/* The column of the source, to be changed; NULL if it doesn't have it. */
static SourceColumn *
own_column(Narrowed *w, const DeltaExpr *column)
{
	SourceColumn *c = unconstify(SourceColumn *, deltacc_source_column(&w->source, column));
	int			n = w->source.n;
	int			i;

	if (c == NULL)
		return NULL;
	i = c - w->source.columns;
	if (!w->copied[i])
	{
		uint8	   *may = palloc(Max(n, 1));

		memcpy(may, c->may, n);
		c->may = may;
		if (c->lo)
		{
			DeltaScalar *lo = palloc(sizeof(DeltaScalar) * Max(n, 1));
			DeltaScalar *hi = palloc(sizeof(DeltaScalar) * Max(n, 1));

			memcpy(lo, c->lo, sizeof(DeltaScalar) * n);
			memcpy(hi, c->hi, sizeof(DeltaScalar) * n);
			c->lo = lo;
			c->hi = hi;
		}
		/* no longer known for all rows */
		c->exact = false;
		c->all_values = false;
		w->copied[i] = true;
	}
	return c;
}

/* A column whose values the order of deltacc_value_compare compares. */
static bool
is_ordered_column(const DeltaExpr *e)
{
	return e->kind == EXPR_COLUMN && e->column != NULL &&
		DELTA_IS_ATOMIC_KIND(e->type.kind) && !IS_OUTCOME_KIND(e->type.kind) &&
		!(e->type.kind == DELTA_STRING && (e->type.collated || e->type.char_length > 0));
}
