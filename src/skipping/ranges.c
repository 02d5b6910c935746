/*-------------------------------------------------------------------------
 *
 * ranges.c
 *	  The ranges of a file's data: what its partition values and statistics say
 *	  of every row in it, column by column.
 *
 * One way safety: a range may be too wide, never too narrow.  So statistics
 * that contradict each other (MIN above MAX, more NULLs than rows) say nothing
 * at all, what is missing says nothing (least of all that a column is NULL),
 * and where writers are known to leave something out the range has room for
 * it:
 *
 * - the MAX of a timestamp is raised (deltacc_stat_value), so a timestamp is
 *	 never known exactly;
 * - a float or double may be NaN whatever MAX says, and -0.0 where a bound is
 *	 0.0, and the other way round;
 * - a string that was cut still is a bound, but not one with the sign that
 *	 stands for bytes which were no UTF-8;
 * - CHAR(n) and collated strings have no bounds: their comparisons are not
 *	 those of bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "predicate/block.h"
#include "skipping/rewrite.h"
#include "skipping/sources.h"

typedef struct ColumnStats
{
	const SourceColumn *min;	/* NULL: has no bounds */
	const SourceColumn *max;
	const SourceColumn *nulls;
	const SourceColumn *records;
} ColumnStats;

static void collect_columns(const DeltaExpr *e, FileSource *source, int *allocated);
static FileSource *load_stats(const FileSource *source, DeltaActions *a, pg_tz *timezone);
static bool has_bounds(const DeltaType *type);
static void load_range(SourceColumn *c, const ColumnStats *stats, int n);
static uint8 null_outcomes(const ColumnStats *stats, int row, bool *believable);
static uint8 bounds_of(const SourceColumn *c, const ColumnStats *stats, int row);
static uint8 double_bounds(const SourceColumn *c, int row, uint8 may);
static uint8 boolean_outcomes(const ColumnStats *stats, int row);
static void own_zeros(SourceColumn *c, int n);
static void load_point(SourceColumn *c, const SourceColumn *values, int n);

FileSource *
deltacc_range_source(DeltaExpr *e, DeltaActions *a, pg_tz *timezone)
{
	FileSource *partition = deltacc_partition_source(e, a, timezone, false);
	FileSource *source = palloc0(sizeof(FileSource));
	FileSource *stats;
	int			allocated = 0;

	source->source = partition->source;
	source->n = partition->n;
	collect_columns(e, source, &allocated);
	stats = load_stats(source, a, timezone);
	for (int i = 0; i < source->ncolumns; i++)
	{
		SourceColumn *c = &source->columns[i];
		const DeltaField *column = c->leaf->column;
		ColumnStats s = {0};

		CHECK_FOR_INTERRUPTS();
		if (column->is_partition)
		{
			load_point(c, deltacc_source_column(partition, c->leaf), source->n);
			continue;
		}
		if (column->has_stats)
		{
			s.nulls = deltacc_source_column(stats, deltacc_expr_stat(STAT_NULL_COUNT, column));
			s.records = deltacc_source_column(stats, deltacc_expr_stat(STAT_NUM_RECORDS, NULL));
			if (has_bounds(&column->type))
			{
				s.min = deltacc_source_column(stats, deltacc_expr_stat(STAT_MIN, column));
				s.max = deltacc_source_column(stats, deltacc_expr_stat(STAT_MAX, column));
			}
		}
		load_range(c, &s, source->n);
	}
	return source;
}

/* The columns of e, each once. */
static void
collect_columns(const DeltaExpr *e, FileSource *source, int *allocated)
{
	check_stack_depth();
	if (e->kind == EXPR_COLUMN && e->column && deltacc_source_column(source, e) == NULL)
		deltacc_source_add_column(source, e, allocated);
	/* what isn't known needs no values */
	for (int i = 0; i < e->nargs && e->kind != EXPR_UNKNOWN; i++)
		collect_columns(e->args[i], source, allocated);
}

/* The statistics of the data columns of source. */
static FileSource *
load_stats(const FileSource *source, DeltaActions *a, pg_tz *timezone)
{
	DeltaExpr **stats = palloc(sizeof(DeltaExpr *) * (source->ncolumns * 3 + 1));
	int			n = 0;

	stats[n++] = deltacc_expr_stat(STAT_NUM_RECORDS, NULL);
	for (int i = 0; i < source->ncolumns; i++)
	{
		const DeltaField *column = source->columns[i].leaf->column;

		if (column->is_partition || !column->has_stats)
			continue;
		stats[n++] = deltacc_expr_stat(STAT_NULL_COUNT, column);
		if (has_bounds(&column->type))
		{
			stats[n++] = deltacc_expr_stat(STAT_MIN, column);
			stats[n++] = deltacc_expr_stat(STAT_MAX, column);
		}
	}
	return deltacc_stats_source(stats, n, a, timezone);
}

/*
 * MIN and MAX of booleans aren't the reader's business, but where a writer
 * gives them they are as good as those of numbers.  Those of BINARY are
 * written in ways that differ.
 */
static bool
has_bounds(const DeltaType *type)
{
	if (type->kind == DELTA_STRING && (type->collated || type->char_length > 0))
		return false;
	return type->kind == DELTA_BOOLEAN || deltacc_kind_has_bounds(type->kind);
}

static void
load_range(SourceColumn *c, const ColumnStats *stats, int n)
{
	const DeltaType *type = &c->leaf->column->type;
	bool		outcomes = IS_OUTCOME_KIND(type->kind);

	c->may = palloc(Max(n, 1));
	if (!outcomes && stats->min)
	{
		c->lo = stats->min->lo;
		c->hi = stats->max->lo;
	}
	else if (!outcomes)
		c->lo = c->hi = palloc0(sizeof(DeltaScalar) * Max(n, 1));
	if (DELTA_IS_DOUBLE_KIND(type->kind) && stats->min)
		own_zeros(c, n);

	c->exact = false;
	c->all_values = !outcomes;
	for (int i = 0; i < n; i++)
	{
		bool		believable = true;
		uint8		may = null_outcomes(stats, i, &believable);

		if (i % DELTACC_BLOCK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		if (may & MAY_VALUE)
		{
			if (outcomes)
				may = (may & MAY_NULL) | (believable ? boolean_outcomes(stats, i) : MAY_TRUE | MAY_FALSE);
			else if (believable)
				may |= bounds_of(c, stats, i);
		}
		if (may != RANGE_CLOSED)
			c->all_values = false;
		c->may[i] = may;
	}
}

static inline bool
is_there(const SourceColumn *c, int row)
{
	return c != NULL && (c->missing == NULL || c->missing[row] == STAT_THERE);
}

/*
 * MAY_VALUE, MAY_NULL or both.  Counts that can't be are no reason to believe
 * the bounds beside them, nor are bounds of what should be NULL in every row.
 *
 * Where deletion vectors have made the counts wide (tightBounds: false), 0
 * still means none, and as many as there are rows means all.
 */
static uint8
null_outcomes(const ColumnStats *stats, int row, bool *believable)
{
	int64		nulls;
	int64		records;

	if (is_there(stats->records, row) && stats->records->lo[row].i <= 0)
		*believable = false;
	if (is_there(stats->nulls, row) && stats->nulls->lo[row].i < 0)
		*believable = false;
	if (!is_there(stats->records, row) || !is_there(stats->nulls, row) || !*believable)
		return MAY_VALUE | MAY_NULL;

	nulls = stats->nulls->lo[row].i;
	records = stats->records->lo[row].i;
	if (nulls == 0)
		return MAY_VALUE;
	if (nulls == records && !is_there(stats->min, row) && !is_there(stats->max, row))
		return MAY_NULL;
	if (nulls >= records)
		*believable = false;
	return MAY_VALUE | MAY_NULL;
}

/* Is there U+FFFD in it, which may stand for any byte that is no UTF-8? */
static bool
was_replaced(const DeltaString *s)
{
	for (int i = 0; i + 3 <= s->len; i++)
		if (memcmp(s->data + i, "\xEF\xBF\xBD", 3) == 0)
			return true;
	return false;
}

/* HAS_LO, HAS_HI. */
static uint8
bounds_of(const SourceColumn *c, const ColumnStats *stats, int row)
{
	const DeltaType *type = &c->leaf->column->type;
	uint8		may = 0;

	if (is_there(stats->min, row))
		may |= HAS_LO;
	if (is_there(stats->max, row))
		may |= HAS_HI;
	if (may == HAS_BOTH && deltacc_value_compare(type, stats->min->lo[row], stats->max->lo[row]) > 0)
		return 0;
	if (type->kind == DELTA_STRING)
	{
		if ((may & HAS_LO) && was_replaced(c->lo[row].s))
			may &= ~HAS_LO;
		if ((may & HAS_HI) && was_replaced(c->hi[row].s))
			may &= ~HAS_HI;
	}
	if (DELTA_IS_DOUBLE_KIND(type->kind))
		return double_bounds(c, row, may);
	return may;
}

/*
 * NaN, the greatest of all, may be there though MAX is less.  Where MIN is NaN
 * nothing else is.
 */
static uint8
double_bounds(const SourceColumn *c, int row, uint8 may)
{
	if ((may & HAS_LO) && isnan(c->lo[row].d))
	{
		c->hi[row].d = c->lo[row].d;
		return HAS_BOTH;
	}
	if ((may & HAS_HI) && !isnan(c->hi[row].d))
		c->but_nan[row] = HAS_HI;
	return may & HAS_LO;
}

/* MAY_TRUE, MAY_FALSE. */
static uint8
boolean_outcomes(const ColumnStats *stats, int row)
{
	bool		least = false;
	bool		greatest = true;

	if (is_there(stats->min, row))
		least = stats->min->lo[row].i != 0;
	if (is_there(stats->max, row))
		greatest = stats->max->lo[row].i != 0;
	if (least && !greatest)
		return MAY_TRUE | MAY_FALSE;
	return (least ? 0 : MAY_FALSE) | (greatest ? MAY_TRUE : 0);
}

/* A bound of 0.0 is one of -0.0 too, and the other way round. */
static void
own_zeros(SourceColumn *c, int n)
{
	DeltaScalar *lo = palloc(sizeof(DeltaScalar) * Max(n, 1));
	DeltaScalar *hi = palloc(sizeof(DeltaScalar) * Max(n, 1));

	for (int i = 0; i < n; i++)
	{
		lo[i].d = c->lo[i].d == 0 ? -0.0 : c->lo[i].d;
		hi[i].d = c->hi[i].d == 0 ? 0.0 : c->hi[i].d;
	}
	c->lo = lo;
	c->hi = hi;
	c->but_nan = palloc0(Max(n, 1));
}

/* A partition column: its points, but for strings that bytes don't compare. */
static void
load_point(SourceColumn *c, const SourceColumn *values, int n)
{
	const DeltaType *type = &c->leaf->column->type;

	*c = *values;
	if (type->kind != DELTA_STRING || has_bounds(type))
		return;
	c->may = palloc(Max(n, 1));
	for (int i = 0; i < n; i++)
		c->may[i] = values->may[i] & ~HAS_BOTH;
	c->exact = false;
	c->all_values = false;
}
