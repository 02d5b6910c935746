/*-------------------------------------------------------------------------
 *
 * boxes.c
 *	  A condition over ranges, cut into pieces.
 *
 * A range is one interval, so it has to hold more than there may be: everything
 * between 1.5 and NaN where a double is at most 1.5 or NaN, or between the
 * months 1 and 12 of a file that holds December and January.  And the
 * evaluator forgets that two mentions of a column have the same value.
 *
 * So a file's ranges are cut: into values and NULL, numbers and NaN, TRUE and
 * FALSE, and where a column has a few values only into each of them.  Every
 * combination of pieces is a box, every row of the file lies in one of them,
 * and what the condition may be over the file is what it may be over some box.
 * All boxes of many files are evaluated at once, as if each were a file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "predicate/block.h"
#include "skipping/boxes.h"
#include "skipping/narrow.h"
#include "utils/float.h"
#include "utils/memutils.h"

#define MAX_BOXES	64			/* of a file */
#define BATCH_BOXES	8192		/* evaluated at once */

/* One column of the source. */
typedef struct CutColumn
{
	const SourceColumn *from;
	bool		worth;			/* cutting it may tell more */
	int			mentions;
	int			npieces;		/* of the current file */
	ValueRange	pieces[MAX_BOXES];
	uint8	   *may;			/* [capacity] of the boxes gathered so far */
	DeltaScalar *lo;
	DeltaScalar *hi;
} CutColumn;

typedef struct Cutter
{
	DeltaExpr  *e;
	const FileSource *source;
	const DeltaccOptions *options;
	uint8	   *outcomes;
	CutColumn  *columns;
	int			nboxes;
	int		   *owners;			/* the file of each box */
} Cutter;

static void find_worth(Cutter *cut, const DeltaExpr *e, bool plain);
static bool cut_file(Cutter *cut, int row);
static int	cut_column(const SourceColumn *c, int row, ValueRange *pieces);
static int	cut_value(const SourceColumn *c, int row, ValueRange whole, ValueRange *pieces);
static void add_boxes(Cutter *cut, int row);
static void evaluate_batch(Cutter *cut);

void
deltacc_evaluate_boxes(DeltaExpr *e, const FileSource *source, const DeltaccOptions *options, uint8 *outcomes)
{
	Cutter		cut = {.e = e,.source = source,.options = options,.outcomes = outcomes};
	int			capacity = BATCH_BOXES + MAX_BOXES;
	bool		any = false;

	if (source->n == 0 || source->ncolumns == 0)
		return;
	cut.columns = palloc0(sizeof(CutColumn) * source->ncolumns);
	for (int i = 0; i < source->ncolumns; i++)
		cut.columns[i].from = &source->columns[i];
	find_worth(&cut, e, true);
	for (int i = 0; i < source->ncolumns; i++)
	{
		CutColumn  *c = &cut.columns[i];

		c->worth |= c->mentions > 1 || c->from->but_nan != NULL;
		any |= c->worth;
	}
	if (!any)
		return;

	for (int i = 0; i < source->ncolumns; i++)
	{
		CutColumn  *c = &cut.columns[i];

		c->may = palloc(capacity);
		if (c->from->lo)
		{
			c->lo = palloc(sizeof(DeltaScalar) * capacity);
			c->hi = palloc(sizeof(DeltaScalar) * capacity);
		}
	}
	cut.owners = palloc(sizeof(int) * capacity);
	for (int row = 0; row < source->n; row++)
	{
		/* one thing only: it can't be less */
		if ((outcomes[row] & (outcomes[row] - 1)) == 0 || !cut_file(&cut, row))
			continue;
		add_boxes(&cut, row);
		if (cut.nboxes >= BATCH_BOXES)
			evaluate_batch(&cut);
	}
	evaluate_batch(&cut);
}

/*
 * Counts how often each column is mentioned, and where it is not just compared
 * with a literal, looked up in a list or tested for NULL (plain), on which an
 * interval loses nothing.
 */
static void
find_worth(Cutter *cut, const DeltaExpr *e, bool plain)
{
	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_COLUMN:
			{
				const SourceColumn *c = deltacc_source_column(cut->source, e);

				if (c)
				{
					CutColumn  *column = &cut->columns[c - cut->source->columns];

					column->mentions++;
					column->worth |= !plain;
				}
			}
			return;
		case EXPR_COMPARE:
			for (int i = 0; i < 2; i++)
				find_worth(cut, e->args[i], plain && e->args[1 - i]->kind == EXPR_LITERAL);
			return;
		case EXPR_AND:
		case EXPR_OR:
		case EXPR_NOT:
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
		case EXPR_IN:
			break;
		case EXPR_UNKNOWN:
			return;
		default:
			plain = false;
			break;
	}
	for (int i = 0; i < e->nargs; i++)
		find_worth(cut, e->args[i], plain);
}

/* Cuts a file's columns, as many as MAX_BOXES allow.  False: it stays whole. */
static bool
cut_file(Cutter *cut, int row)
{
	int			boxes = 1;

	for (int i = 0; i < cut->source->ncolumns; i++)
	{
		CutColumn  *c = &cut->columns[i];

		c->npieces = c->worth ? cut_column(c->from, row, c->pieces) : 0;
		if (c->npieces * boxes > MAX_BOXES)
			c->npieces = 0;
		if (c->npieces > 0)
			boxes *= c->npieces;
	}
	return boxes > 1;
}

/* The pieces of a column's range; 0 if there are too many. */
static int
cut_column(const SourceColumn *c, int row, ValueRange *pieces)
{
	DeltaKind	kind = c->leaf->type.kind;
	ValueRange	whole = {.may = c->may[row]};
	int			n = 0;

	/* what couldn't be read may be anything */
	if (whole.may & MAY_ERROR)
		return 0;
	if (whole.may & VALUE_BITS(kind))
	{
		if (c->lo)
		{
			whole.lo = c->lo[row];
			whole.hi = c->hi[row];
		}
		whole.may &= ~MAY_NULL;
		n = cut_value(c, row, whole, pieces);
	}
	if (n > 0 && n < MAX_BOXES && (c->may[row] & MAY_NULL))
		pieces[n++] = (ValueRange) {.may = MAY_NULL};
	else if (c->may[row] & MAY_NULL)
		n = 0;
	return n;
}

/* The same of a range that isn't NULL. */
static int
cut_value(const SourceColumn *c, int row, ValueRange whole, ValueRange *pieces)
{
	DeltaKind	kind = c->leaf->type.kind;
	int			n = 0;

	if (kind == DELTA_BOOLEAN)
	{
		for (uint8 outcome = MAY_TRUE; outcome <= MAY_FALSE; outcome <<= 1)
		{
			if (whole.may & outcome)
				pieces[n++] = (ValueRange) {.may = outcome};
		}
		return n;
	}
	if (c->but_nan && c->but_nan[row])
	{
		pieces[n] = whole;
		pieces[n++].may |= HAS_HI;
		pieces[n] = (ValueRange) {.may = RANGE_CLOSED};
		pieces[n].lo.d = pieces[n].hi.d = get_float8_nan();
		return n + 1;
	}
	if ((DELTA_IS_INTEGRAL_KIND(kind) || kind == DELTA_DATE) && (whole.may & HAS_BOTH) == HAS_BOTH &&
		(uint64) whole.hi.i - (uint64) whole.lo.i < MAX_BOXES / 4)
	{
		for (int64 v = whole.lo.i;; v++)
		{
			pieces[n] = whole;
			pieces[n].lo.i = v;
			pieces[n++].hi.i = v;
			if (v == whole.hi.i)
				return n;
		}
	}
	pieces[n++] = whole;
	return n;
}

/* Appends every combination of the file's pieces. */
static void
add_boxes(Cutter *cut, int row)
{
	int			ncolumns = cut->source->ncolumns;
	int			boxes = 1;

	for (int i = 0; i < ncolumns; i++)
		boxes *= Max(cut->columns[i].npieces, 1);
	for (int box = 0; box < boxes; box++)
	{
		int			rest = box;
		int			at = cut->nboxes++;

		cut->owners[at] = row;
		for (int i = 0; i < ncolumns; i++)
		{
			CutColumn  *c = &cut->columns[i];

			if (c->npieces == 0)
			{
				c->may[at] = c->from->may[row];
				if (c->lo)
				{
					c->lo[at] = c->from->lo[row];
					c->hi[at] = c->from->hi[row];
				}
			}
			else
			{
				const ValueRange *piece = &c->pieces[rest % c->npieces];

				rest /= c->npieces;
				c->may[at] = piece->may;
				if (c->lo)
				{
					c->lo[at] = piece->lo;
					c->hi[at] = piece->hi;
				}
			}
		}
	}
}

/*
 * Evaluates the boxes gathered so far, and gives their files what they may be
 * over some box of theirs.
 */
static void
evaluate_batch(Cutter *cut)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "deltacc boxes", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	int			n = cut->nboxes;
	FileSource	source = *cut->source;
	uint8	   *outcomes = palloc(Max(n, 1));

	CHECK_FOR_INTERRUPTS();
	source.n = n;
	source.columns = palloc0(sizeof(SourceColumn) * source.ncolumns);
	for (int i = 0; i < source.ncolumns; i++)
	{
		source.columns[i].leaf = cut->columns[i].from->leaf;
		source.columns[i].may = cut->columns[i].may;
		source.columns[i].lo = cut->columns[i].lo;
		source.columns[i].hi = cut->columns[i].hi;
	}
	deltacc_evaluate_narrowed(cut->e, &source, cut->options, outcomes);
	for (int i = 0; i < n; i++)
	{
		if (i == 0 || cut->owners[i] != cut->owners[i - 1])
			cut->outcomes[cut->owners[i]] = 0;
		cut->outcomes[cut->owners[i]] |= outcomes[i];
	}
	cut->nboxes = 0;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}
