/*-------------------------------------------------------------------------
 *
 * whole_commit.c
 *	  What the directory of a commit tells of all files that it adds.
 *
 * Most commits have nothing to do with a read, and most of those can be told by
 * the least and the greatest value of each column.  So the same conditions that
 * are evaluated file by file are first evaluated over one row, whose ranges hold
 * the values of all files: what they can't be there they are for none.  Nothing
 * but the first slice of the value is read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/stats.h"
#include "skipping/short_form.h"
#include "skipping/sources.h"
#include "skipping/whole_commit.h"
#include "utils/memutils.h"

typedef struct CommitSource
{
	RowSource	source;			/* must be first */
	DeltaActions *actions;
	pg_tz	   *timezone;
} CommitSource;

/* The bounds of a statistic of all added files; false unless each has it. */
static bool
stat_bounds(DeltaActions *a, StatKind stat, const DeltaField *column, ActionsBounds *bounds)
{
	switch (stat)
	{
		case STAT_MIN:
			return deltacc_actions_bounds(a, COLUMN_MIN, column->stats_path, bounds);
		case STAT_MAX:
			return deltacc_actions_bounds(a, COLUMN_MAX, column->stats_path, bounds);
		case STAT_NULL_COUNT:
			return deltacc_actions_bounds(a, COLUMN_NULL_COUNT, column->stats_path, bounds) &&
				bounds->shape == SHAPE_INT;
		case STAT_NUM_RECORDS:
			return deltacc_actions_bounds(a, COLUMN_NUM_RECORDS, "", bounds) &&
				bounds->shape == SHAPE_INT;
	}
	return false;
}

/* The range of a statistic; false unless all added files have it, readable. */
static bool
stat_range(DeltaActions *a, const DeltaExpr *leaf, ValueRange *range)
{
	ActionsBounds bounds;

	if (!stat_bounds(a, leaf->stat, leaf->column, &bounds))
		return false;
	if (leaf->stat == STAT_MIN || leaf->stat == STAT_MAX)
		return deltacc_bounds_range(leaf, &bounds, range);
	range->may = RANGE_CLOSED;
	range->lo = bounds.least;
	range->hi = bounds.greatest;
	return true;
}

/*
 * The value of a partition column, if all added files have one and the same.
 * '' is not for here: it is read in two ways.
 */
static bool
partition_range(CommitSource *s, const DeltaField *column, ValueRange *range)
{
	ActionsBounds bounds;
	uint8		kind = TOKEN_STRING;
	uint32		end;
	ActionsColumn token = {.n = 1,.kinds = &kind,.ends = &end};
	DeltaScalar value;
	bool		ambiguous;
	const char *error_class;

	if (!deltacc_actions_bounds(s->actions, COLUMN_PARTITION, column->physical_name, &bounds) ||
		!bounds.exact || bounds.least_text.len == 0 ||
		bounds.least_text.len != bounds.greatest_text.len ||
		memcmp(bounds.least_text.data, bounds.greatest_text.data, bounds.least_text.len) != 0)
		return false;
	end = bounds.least_text.len;
	token.heap = bounds.least_text.data;
	if (deltacc_partition_value(&token, 0, &column->type, s->timezone, &value, &ambiguous, &error_class) != CAST_OK ||
		ambiguous)
		return false;
	*range = deltacc_range_point(&column->type, value);
	if (column->type.kind == DELTA_STRING)
		range->lo = range->hi = deltacc_scalar_copy(&column->type, value);
	return true;
}

static void
fill(RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block)
{
	CommitSource *s = (CommitSource *) source;
	ValueRange	range = {.may = UNKNOWN_OF_KIND(leaf->type.kind)};
	ValueRange	known = {0};

	if (leaf->kind == EXPR_STAT ? stat_range(s->actions, leaf, &known) :
		leaf->column->is_partition && partition_range(s, leaf->column, &known))
		range = known;
	deltacc_block_alloc(block, 1, &leaf->type);
	block_set(block, 0, range);
	deltacc_block_finish(block);
}

static bool
compare(RowSource *source, const DeltaExpr *leaf, CompareOp op, DeltaScalar value,
		int start, int n, uint8 *outcomes)
{
	ActionsBounds bounds;

	return leaf->kind == EXPR_STAT && (leaf->stat == STAT_MIN || leaf->stat == STAT_MAX) &&
		stat_bounds(((CommitSource *) source)->actions, leaf->stat, leaf->column, &bounds) &&
		deltacc_bounds_compare(leaf, &bounds, op, value, outcomes);
}

static uint8
evaluate(const ReadPlan *plan, const DeltaExpr *e, DeltaActions *a)
{
	CommitSource source = {
		.source = {.fill = fill,.compare = compare},
		.actions = a,
		.timezone = plan->options.timezone,
	};
	uint8		outcomes;

	deltacc_eval_condition(e, &source.source, 1, &plan->options, &outcomes, NULL, NULL);
	return outcomes;
}

uint8
deltacc_commit_partition(const ReadPlan *plan, DeltaActions *a)
{
	return plan->partition ? evaluate(plan, plan->partition, a) : MAY_TRUE;
}

bool
deltacc_commit_is_skipped(const ReadPlan *plan, DeltaActions *a)
{
	if (plan->options.data_skipping == DATA_SKIPPING_OFF || plan->skip == NULL)
		return false;

	/* A file that lacks a statistic stays, whatever the others are. */
	for (int i = 0; i < plan->nstats; i++)
	{
		const DeltaExpr *stat = plan->stats[i];
		ActionsBounds bounds;
		ValueRange	range;

		if (!stat_range(a, stat, &range))
			return false;
		if ((stat->stat == STAT_MIN || stat->stat == STAT_MAX) &&
			(!stat_bounds(a, STAT_NULL_COUNT, stat->column, &bounds) ||
			 !stat_bounds(a, STAT_NUM_RECORDS, NULL, &bounds)))
			return false;
	}
	return (evaluate(plan, plan->skip, a) & (MAY_TRUE | MAY_ERROR)) == 0;
}
