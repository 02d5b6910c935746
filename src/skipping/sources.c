/*-------------------------------------------------------------------------
 *
 * sources.c
 *	  Where the evaluator's rows come from: the partition values and the
 *	  statistics of the file actions of a commit.
 *
 * A source turns each column that an expression needs into arrays over all file
 * actions once; the evaluator then takes blocks out of the middle of them.
 * What stands as int64 in the commit's index and is int64 as a value is not
 * even copied.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "datatype/timestamp.h"
#include "delta/stats.h"
#include "miscadmin.h"
#include "skipping/rewrite.h"
#include "skipping/short_form.h"
#include "skipping/sources.h"

#define POINT (MAY_VALUE | HAS_LO | HAS_HI)

static bool compare_late(RowSource *source, const DeltaExpr *leaf, CompareOp op, DeltaScalar value,
						 int start, int n, uint8 *outcomes);
static void fill_block(RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block);
static void collect_columns(DeltaExpr *e, FileSource *source, int *allocated);
static void load_partition(SourceColumn *c, const ActionsColumn *values, int n, pg_tz *timezone, bool as_delta);
static FileSource *load_stats(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone, bool late);
static bool is_bound(const DeltaExpr *stat);
static bool load_bound(SourceColumn *c, DeltaActions *a, int n, pg_tz *timezone, bool late);
static void load_count(SourceColumn *c, DeltaActions *a, int n, bool presence);
static StatMissing read_bound(SourceColumn *c, const ActionsColumn *values, int i, pg_tz *timezone);
static void mark_safety(SourceColumn *c, int n, int row, SafetyRule rule);
static SourceColumn *stat_column(FileSource *source, StatKind stat, const DeltaField *column);

const char *
deltacc_safety_name(SafetyRule rule)
{
	switch (rule)
	{
		case SAFETY_NONE:
			break;
		case SAFETY_CHAR:
			return "safety: CHAR column";
		case SAFETY_COLLATION:
			return "safety: collated string";
		case SAFETY_TINYINT:
			return "safety: TINYINT statistics past their range";
		case SAFETY_WIDENED_FLOAT:
			return "safety: column widened from float";
		case SAFETY_EMPTY_PARTITION:
			return "safety: empty partition value";
		case SAFETY_ABSENT_PARTITION:
			return "safety: partition value absent";
		case SAFETY_TIMESTAMP:
			return "safety: TIMESTAMP statistics past their range";
	}
	return NULL;
}

/* ----- partition values ----- */

FileSource *
deltacc_partition_source(DeltaExpr *e, DeltaActions *a, pg_tz *timezone, bool as_delta)
{
	FileSource *source = palloc0(sizeof(FileSource));
	int			allocated = 0;

	source->source.fill = fill_block;
	source->n = deltacc_actions_file_count(a);
	collect_columns(e, source, &allocated);
	for (int i = 0; i < source->ncolumns; i++)
	{
		SourceColumn *c = &source->columns[i];

		load_partition(c, deltacc_actions_column(a, COLUMN_PARTITION, c->leaf->column->physical_name),
					   source->n, timezone, as_delta);
	}
	return source;
}

void
deltacc_source_add_column(FileSource *source, const DeltaExpr *leaf, int *allocated)
{
	if (source->ncolumns == *allocated)
	{
		*allocated = Max(4, *allocated * 2);
		source->columns = source->columns ?
			repalloc(source->columns, sizeof(SourceColumn) * *allocated) :
			palloc(sizeof(SourceColumn) * *allocated);
	}
	memset(&source->columns[source->ncolumns], 0, sizeof(SourceColumn));
	source->columns[source->ncolumns++].leaf = leaf;
}

/* The partition columns of e, each once. */
static void
collect_columns(DeltaExpr *e, FileSource *source, int *allocated)
{
	check_stack_depth();
	if (e->kind == EXPR_COLUMN && e->column && e->column->is_partition &&
		deltacc_source_column(source, e) == NULL)
		deltacc_source_add_column(source, e, allocated);
	for (int i = 0; i < e->nargs; i++)
		collect_columns(e->args[i], source, allocated);
}

static void
load_partition(SourceColumn *c, const ActionsColumn *values, int n, pg_tz *timezone, bool as_delta)
{
	const DeltaType *type = &c->leaf->column->type;
	bool		boolean = type->kind == DELTA_BOOLEAN;
	int			last = -1;		/* row whose value was read last */

	c->may = palloc(Max(n, 1));
	c->lo = boolean ? NULL : palloc(sizeof(DeltaScalar) * Max(n, 1));
	c->hi = c->lo;
	c->exact = true;
	c->all_values = !boolean;

	for (int i = 0; i < n; i++)
	{
		DeltaScalar value = {0};
		bool		ambiguous = false;
		const char *error_class;
		uint8		may = 0;

		if (i % DELTACC_BLOCK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();

		/* Files of one partition mostly stand together. */
		if (last >= 0 && values && values->kinds[i] == TOKEN_STRING && values->kinds[last] == TOKEN_STRING)
		{
			DeltaString now = deltacc_column_text(values, i);
			DeltaString before = deltacc_column_text(values, last);

			if (now.len > 0 && now.len == before.len && memcmp(now.data, before.data, now.len) == 0)
			{
				c->may[i] = c->may[last];
				if (c->lo)
					c->lo[i] = c->lo[last];
				continue;
			}
		}
		last = i;

		switch (deltacc_partition_value(values, i, type, timezone, &value, &ambiguous, &error_class))
		{
			case CAST_OK:
				if (boolean)
					may = value.i ? MAY_TRUE : MAY_FALSE;
				else
					may = POINT;
				break;
			case CAST_NULL:
				may = MAY_NULL;
				break;
			case CAST_ERROR:
				may = MAY_ERROR;
				break;
			case CAST_UNSUPPORTED:
				may = boolean ? MAY_ANYTHING : RANGE_UNKNOWN;
				break;
		}

		if (ambiguous && !as_delta)
		{
			/*
			 * No key: the file may hold any value.  '': NULL by the protocol,
			 * and for Delta the string itself, or an error where it is no
			 * value of the type; that error is no reading by which a row
			 * could match.
			 */
			if (values == NULL || values->kinds[i] == TOKEN_ABSENT)
			{
				may = boolean ? (MAY_TRUE | MAY_FALSE | MAY_NULL) : (MAY_VALUE | MAY_NULL);
				mark_safety(c, n, i, SAFETY_ABSENT_PARTITION);
			}
			else
			{
				may = (may & ~MAY_ERROR) | MAY_NULL;
				mark_safety(c, n, i, SAFETY_EMPTY_PARTITION);
			}
		}
		if (may != POINT)
			c->all_values = false;
		if (may != POINT && may != MAY_NULL && may != MAY_ERROR && !(boolean && (may == MAY_TRUE || may == MAY_FALSE)))
			c->exact = false;
		c->may[i] = may;
		if (c->lo)
			c->lo[i] = value;
	}
}

/* ----- statistics ----- */

FileSource *
deltacc_stats_source(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone)
{
	return load_stats(stats, nstats, a, timezone, false);
}

FileSource *
deltacc_skip_source(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone)
{
	FileSource *source = load_stats(stats, nstats, a, timezone, true);

	source->source.compare = compare_late;
	return source;
}

static FileSource *
load_stats(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone, bool late)
{
	FileSource *source = palloc0(sizeof(FileSource));
	bool		all_there = true;

	source->source.fill = fill_block;
	source->n = deltacc_actions_file_count(a);
	source->columns = palloc0(sizeof(SourceColumn) * (nstats * 2 + 1));

	/* Those asked for, then those that a bound needs beside it. */
	for (int i = 0; i < nstats; i++)
		source->columns[source->ncolumns++].leaf = stats[i];
	for (int i = 0; i < nstats; i++)
	{
		if (!is_bound(stats[i]))
			continue;
		if (!stat_column(source, STAT_NULL_COUNT, stats[i]->column))
			source->columns[source->ncolumns++].leaf = deltacc_expr_stat(STAT_NULL_COUNT, stats[i]->column);
		if (!stat_column(source, STAT_NUM_RECORDS, NULL))
			source->columns[source->ncolumns++].leaf = deltacc_expr_stat(STAT_NUM_RECORDS, NULL);
	}

	for (int i = 0; i < nstats; i++)
	{
		if (is_bound(stats[i]))
			all_there &= load_bound(&source->columns[i], a, source->n, timezone, late);
	}

	/* Where no bound is missing, nobody asks for the counts beside it. */
	for (int i = 0; i < source->ncolumns; i++)
	{
		if (!is_bound(source->columns[i].leaf))
			load_count(&source->columns[i], a, source->n, late && all_there && i >= nstats);
	}
	return source;
}

static bool
is_bound(const DeltaExpr *stat)
{
	return stat->stat == STAT_MIN || stat->stat == STAT_MAX;
}

/* Is there a value in every row? */
static bool
load_bound(SourceColumn *c, DeltaActions *a, int n, pg_tz *timezone, bool late)
{
	const ActionsColumn *values;

	c->may = palloc(Max(n, 1));
	memset(c->may, POINT, n);
	c->exact = true;
	c->all_values = true;
	if (deltacc_load_short_form(c, a, n, late))
		return c->missing == NULL;

	values = deltacc_actions_column(a, c->leaf->stat == STAT_MIN ? COLUMN_MIN : COLUMN_MAX,
									c->leaf->column->stats_path);
	c->lo = c->hi = palloc(sizeof(DeltaScalar) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		StatMissing why;

		if (i % DELTACC_BLOCK_ROWS == 0)
			CHECK_FOR_INTERRUPTS();
		why = read_bound(c, values, i, timezone);
		if (why != STAT_THERE)
			deltacc_source_missing(c, n, i, why);
	}
	return c->missing == NULL;
}

/* One MIN or MAX into c->lo[i] (and hi), with our safety rules. */
static StatMissing
read_bound(SourceColumn *c, const ActionsColumn *values, int i, pg_tz *timezone)
{
	const DeltaField *column = c->leaf->column;
	bool		is_max = c->leaf->stat == STAT_MAX;
	TokenKind	token = values ? (TokenKind) values->kinds[i] : TOKEN_ABSENT;

	c->lo[i].i = 0;
	if (token == TOKEN_ABSENT || token == TOKEN_NULL)
		return STAT_ABSENT;

	/* Delta takes 200 for -56, which is no bound of anything. */
	if (column->type.kind == DELTA_BYTE && token == TOKEN_INT &&
		(values->ints[i] < PG_INT8_MIN || values->ints[i] > PG_INT8_MAX))
		return STAT_TINYINT;

	/* The same with so many seconds that they are no number of microseconds. */
	if (column->type.kind == DELTA_TIMESTAMP && token == TOKEN_INT &&
		(values->ints[i] > PG_INT64_MAX / USECS_PER_SEC || values->ints[i] < PG_INT64_MIN / USECS_PER_SEC))
		return STAT_TIMESTAMP;

	if (!deltacc_stat_value(values, i, &column->type, timezone, is_max, &c->lo[i]))
		return STAT_UNREADABLE;

	/*
	 * A file written while the column was float holds the float, and its
	 * statistics may hold a shorter text of it: the bound of the doubles that
	 * a reader sees is that float.
	 */
	if (column->widened_from_float && column->type.kind == DELTA_DOUBLE)
	{
		DeltaType	narrow = deltacc_type(DELTA_FLOAT);
		DeltaScalar as_float;
		int			order;

		if (deltacc_stat_value(values, i, &narrow, timezone, is_max, &as_float))
		{
			order = deltacc_value_compare(&column->type, as_float, c->lo[i]);
			if (is_max ? order > 0 : order < 0)
			{
				c->lo[i] = as_float;
				mark_safety(c, values->n, i, SAFETY_WIDENED_FLOAT);
			}
		}
	}
	return STAT_THERE;
}

/* presence: which are there is all that will be asked. */
static void
load_count(SourceColumn *c, DeltaActions *a, int n, bool presence)
{
	ColumnFamily family = c->leaf->stat == STAT_NULL_COUNT ? COLUMN_NULL_COUNT : COLUMN_NUM_RECORDS;
	const char *key = c->leaf->stat == STAT_NULL_COUNT ? c->leaf->column->stats_path : "";
	const ActionsColumn *values;

	c->may = palloc(Max(n, 1));
	memset(c->may, POINT, n);
	c->exact = true;
	c->all_values = true;

	if (presence && deltacc_actions_all_int(a, family, key))
		return;
	values = deltacc_actions_column(a, family, key);
	if (values && values->all_int)
	{
		c->lo = c->hi = (DeltaScalar *) unconstify(int64 *, values->ints);
		return;
	}
	c->lo = c->hi = palloc(sizeof(DeltaScalar) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		c->lo[i].i = 0;
		if (values && values->kinds[i] == TOKEN_INT)
			c->lo[i].i = values->ints[i];
		else if (values == NULL || !deltacc_stat_count(values, i, &c->lo[i].i))
			deltacc_source_missing(c, n, i, values && values->kinds[i] != TOKEN_ABSENT && values->kinds[i] != TOKEN_NULL ?
								   STAT_UNREADABLE : STAT_ABSENT);
	}
}

/* NULL to the skip expression; whether that counts is decided separately. */
void
deltacc_source_missing(SourceColumn *c, int n, int row, StatMissing why)
{
	if (c->missing == NULL)
		c->missing = palloc0(n);
	c->missing[row] = why;
	c->may[row] = MAY_NULL;
	c->all_values = false;
}

static void
mark_safety(SourceColumn *c, int n, int row, SafetyRule rule)
{
	if (c->safety == NULL)
		c->safety = palloc0(n);
	c->safety[row] = rule;
}

bool
deltacc_stats_missing(const FileSource *stats, bool *missing)
{
	bool		any = false;

	for (int i = 0; i < stats->ncolumns; i++)
		any |= stats->columns[i].missing != NULL;
	if (!any)
		return false;
	for (int row = 0; row < stats->n; row++)
		missing[row] = deltacc_stats_culprit(stats, row) != NULL;
	return true;
}

const SourceColumn *
deltacc_stats_culprit(const FileSource *stats, int row)
{
	const SourceColumn *records = stat_column(unconstify(FileSource *, stats), STAT_NUM_RECORDS, NULL);

	for (int i = 0; i < stats->ncolumns; i++)
	{
		const SourceColumn *c = &stats->columns[i];
		const SourceColumn *nulls;

		if (c->missing == NULL || c->missing[row] == STAT_THERE)
			continue;
		if (c->leaf->stat == STAT_NULL_COUNT || c->leaf->stat == STAT_NUM_RECORDS)
			return c;

		/* Bounds may only be missing where there is nothing to bound. */
		nulls = stat_column(unconstify(FileSource *, stats), STAT_NULL_COUNT, c->leaf->column);
		if ((nulls->missing && nulls->missing[row]) || (records->missing && records->missing[row]) ||
			nulls->lo[row].i != records->lo[row].i)
			return c;
	}
	return NULL;
}

/* ----- both ----- */

static SourceColumn *
stat_column(FileSource *source, StatKind stat, const DeltaField *column)
{
	for (int i = 0; i < source->ncolumns; i++)
	{
		const DeltaExpr *leaf = source->columns[i].leaf;

		if (leaf->kind == EXPR_STAT && leaf->stat == stat && leaf->column == column)
			return &source->columns[i];
	}
	return NULL;
}

const SourceColumn *
deltacc_source_column(const FileSource *source, const DeltaExpr *leaf)
{
	for (int i = 0; i < source->ncolumns; i++)
	{
		const DeltaExpr *there = source->columns[i].leaf;

		if (there->kind == leaf->kind && there->column == leaf->column &&
			(leaf->kind != EXPR_STAT || there->stat == leaf->stat))
			return &source->columns[i];
	}
	return NULL;
}

static void
fill_block(RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block)
{
	const SourceColumn *c = deltacc_source_column((FileSource *) source, leaf);

	block->n = n;
	block->type = leaf->type;
	block->constant = false;
	if (c == NULL)
	{
		/* A leaf that this source knows nothing of may be anything. */
		bool		boolean = leaf->type.kind == DELTA_BOOLEAN;

		block->may = palloc(n);
		memset(block->may, boolean ? MAY_ANYTHING : RANGE_UNKNOWN, n);
		block->lo = block->hi = boolean ? NULL : palloc0(sizeof(DeltaScalar) * n);
		block->exact = block->all_values = false;
		return;
	}
	block->may = c->may + start;
	if (c->late)
		block->lo = block->hi = deltacc_late_values(c, start, n);
	else
	{
		block->lo = c->lo ? c->lo + start : NULL;
		block->hi = c->hi ? c->hi + start : NULL;
	}
	block->exact = c->exact;
	block->all_values = c->all_values;
}

static bool
compare_late(RowSource *source, const DeltaExpr *leaf, CompareOp op, DeltaScalar value,
			 int start, int n, uint8 *outcomes)
{
	const SourceColumn *c = deltacc_source_column((FileSource *) source, leaf);

	if (c == NULL || c->late == NULL)
		return false;
	return deltacc_late_compare(c, op, value, start, n, outcomes);
}
