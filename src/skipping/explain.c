/*-------------------------------------------------------------------------
 *
 * explain.c
 *	  Who decided on a file and why, in words with the values.
 *
 * The same expressions over the same sources as in plan.c; here they are asked
 * once more, one file and one node at a time, for the part that made the
 * difference.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/stats.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "predicate/block.h"
#include "skipping/rewrite.h"
#include "skipping/sharp.h"
#include "skipping/skipping.h"
#include "skipping/sources.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"

/* How much of a value or a condition a reason shows. */
#define SHOWN_BYTES 200

/* Of longer chains than this no part is named. */
#define MAX_NAMED_PARTS 256

/* Room for outcomes that are kept, lest a condition be prepared anew for each
 * file. */
#define MEMO_BYTES (64 * 1024 * 1024)

#define MAX_SHOWN_LEAVES 8

/* What is known of an expression: its text and its leaves, and its outcomes over
 * a source. */
typedef struct MemoKey
{
	const DeltaExpr *expr;
	const FileSource *source;	/* NULL: what doesn't depend on one */
} MemoKey;

typedef struct MemoEntry
{
	MemoKey		key;
	const char *text;
	uint8	   *outcomes;
	bool		has_leaves;
	List	   *leaves;
} MemoEntry;

/* One row of another source. */
typedef struct OneRow
{
	RowSource	source;			/* must be first */
	RowSource  *inner;
	int			row;
} OneRow;

typedef struct Explainer
{
	const ReadPlan *plan;
	DeltaActions *actions;
	FileSource *partition;		/* NULL: no partition part */
	FileSource *stats;			/* NULL: no skip expression, or not asked */
	uint8	   *partition_outcomes;
	uint8	   *delta_outcomes; /* of the partition part as Delta reads the values */
	uint8	   *stats_outcomes;
	FileSource *ranges;			/* NULL: not sharp, or nothing to evaluate */
	uint8	   *range_outcomes;
	int		   *deciders;		/* of files left out by their ranges: which
								 * conjunct alone; -1 none. NULL: not looked for */
	uint8	   *decider_outcomes;
	HTAB	   *memo;
	Size		memo_bytes;
} Explainer;

static void explain_file(Explainer *ex, int row, FileVerdict *verdict);
static void explain_condition(Explainer *ex, int row, FileSource *source, const DeltaExpr *e, FileVerdict *verdict);
static bool explain_partition_safety(Explainer *ex, int row, FileVerdict *verdict);
static void explain_ranges(Explainer *ex, int row, FileVerdict *verdict);
static void explain_missing(Explainer *ex, int row, const SourceColumn *culprit, FileVerdict *verdict);
static bool explain_safety(Explainer *ex, int row, FileVerdict *verdict);
static void explain_unused(Explainer *ex, FileVerdict *verdict);
static MemoEntry *remember(Explainer *ex, const DeltaExpr *e, const FileSource *source);
static uint8 outcome(Explainer *ex, FileSource *source, const DeltaExpr *e, int row);
static void describe(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row, bool held);
static void describe_compare(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row, bool held);
static void describe_operand(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row);
static void append_value(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *leaf, int row);
static void append_leaves(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row);
static void append_range(Explainer *ex, StringInfo out, const SourceColumn *c, const DeltaExpr *leaf, int row);
static const char *what_it_is(uint8 outcomes);
static void append_clipped(StringInfo out, const char *text, int len);
static const char *condition_text(Explainer *ex, const DeltaExpr *e);

FileVerdict *
deltacc_plan_explain_files(const ReadPlan *plan, DeltaActions *a)
{
	Explainer	ex = {.plan = plan,.actions = a};
	FileVerdict *verdicts;
	int			n;

	n = deltacc_actions_file_count(a);
	verdicts = palloc0(sizeof(FileVerdict) * Max(n, 1));

	if (plan->partition)
	{
		FileSource *as_delta = deltacc_partition_source(plan->partition, a, plan->options.timezone, true);

		ex.partition = deltacc_partition_source(plan->partition, a, plan->options.timezone, false);
		ex.partition_outcomes = palloc(Max(n, 1));
		ex.delta_outcomes = palloc(Max(n, 1));
		deltacc_eval_condition(plan->partition, &ex.partition->source, n, &plan->options,
							   ex.partition_outcomes, NULL, NULL);
		deltacc_eval_condition(plan->partition, &as_delta->source, n, &plan->options,
							   ex.delta_outcomes, NULL, NULL);
	}
	if (plan->skip && plan->options.data_skipping != DATA_SKIPPING_OFF)
	{
		ex.stats = deltacc_stats_source(plan->stats, plan->nstats, a, plan->options.timezone);
		ex.stats_outcomes = palloc(Max(n, 1));
		deltacc_eval_condition(plan->skip, &ex.stats->source, n, &plan->options, ex.stats_outcomes, NULL, NULL);
	}
	if (plan->sharp && plan->options.data_skipping == DATA_SKIPPING_SHARP)
	{
		ex.ranges = deltacc_range_source(plan->sharp, a, plan->options.timezone);
		ex.range_outcomes = palloc(Max(n, 1));
		deltacc_sharp_evaluate(plan->sharp, ex.ranges, &plan->options, ex.range_outcomes);
	}
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		explain_file(&ex, i, &verdicts[i]);
	}
	return verdicts;
}

/*
 * Dropped by the partition, dropped by statistics, dropped by the ranges of the
 * data; else kept, and then by the first that could not be passed: a safety
 * rule on the partition value, missing statistics, another safety rule, and at
 * last the conditions themselves.
 */
static void
explain_file(Explainer *ex, int row, FileVerdict *verdict)
{
	const SourceColumn *culprit = ex->stats ? deltacc_stats_culprit(ex->stats, row) : NULL;

	verdict->kept = false;
	if (ex->partition && (ex->partition_outcomes[row] & (MAY_TRUE | MAY_ERROR)) == 0)
		explain_condition(ex, row, ex->partition, ex->plan->partition, verdict);
	else if (ex->stats && culprit == NULL && (ex->stats_outcomes[row] & (MAY_TRUE | MAY_ERROR)) == 0)
		explain_condition(ex, row, ex->stats, ex->plan->skip, verdict);
	else if (ex->ranges && !DELTACC_SHARP_KEEPS(ex->range_outcomes[row]))
		explain_ranges(ex, row, verdict);
	else
	{
		verdict->kept = true;
		if (explain_partition_safety(ex, row, verdict))
			return;
		if (culprit)
			explain_missing(ex, row, culprit, verdict);
		else if (explain_safety(ex, row, verdict))
			return;
		else if (ex->stats)
			explain_condition(ex, row, ex->stats, ex->plan->skip, verdict);
		else if (ex->ranges && ex->plan->data)
			explain_condition(ex, row, ex->ranges, ex->plan->data, verdict);
		else if (ex->plan->data || ex->partition == NULL)
			explain_unused(ex, verdict);
		else
			explain_condition(ex, row, ex->partition, ex->plan->partition, verdict);
	}
}

/* The partition filter, the skip expression or the ranges decided. */
static void
explain_condition(Explainer *ex, int row, FileSource *source, const DeltaExpr *e, FileVerdict *verdict)
{
	StringInfoData reason;

	initStringInfo(&reason);
	verdict->decided_by = source == ex->partition ? "partition" :
		source == ex->ranges ? "data ranges" : "statistics";
	describe(ex, &reason, source, e, row, verdict->kept);
	verdict->reason = reason.data;
}

/*
 * Which conjunct alone leaves each file out that the ranges do?  All files at
 * once: a list of many values is sorted once, not file by file.
 */
static void
find_deciders(Explainer *ex)
{
	DeltaExpr  *e = ex->plan->sharp;
	int			n = ex->ranges->n;
	uint8	   *outcomes = palloc(Max(n, 1));
	int			left = 0;

	ex->deciders = palloc(sizeof(int) * Max(n, 1));
	ex->decider_outcomes = palloc(Max(n, 1));
	for (int row = 0; row < n; row++)
	{
		ex->deciders[row] = -1;
		left += !DELTACC_SHARP_KEEPS(ex->range_outcomes[row]);
	}
	for (int i = 0; e->kind == EXPR_AND && i < e->nargs && left > 0; i++)
	{
		CHECK_FOR_INTERRUPTS();
		deltacc_sharp_evaluate(e->args[i], ex->ranges, &ex->plan->options, outcomes);
		for (int row = 0; row < n; row++)
		{
			if (ex->deciders[row] >= 0 || DELTACC_SHARP_KEEPS(ex->range_outcomes[row]) || (outcomes[row] & MAY_TRUE) != 0)
				continue;
			ex->deciders[row] = i;
			ex->decider_outcomes[row] = outcomes[row];
			left--;
		}
	}
	pfree(outcomes);
}

/*
 * The predicate can't be TRUE over the ranges of the file's data: one of its
 * conjuncts, or all of them together.
 */
static void
explain_ranges(Explainer *ex, int row, FileVerdict *verdict)
{
	DeltaExpr  *e = ex->plan->sharp;
	uint8		outcomes = ex->range_outcomes[row];
	StringInfoData reason;

	if (ex->deciders == NULL)
		find_deciders(ex);
	if (ex->deciders[row] >= 0)
	{
		e = e->args[ex->deciders[row]];
		outcomes = ex->decider_outcomes[row];
	}
	verdict->decided_by = "data ranges";
	initStringInfo(&reason);
	if (e == ex->plan->sharp && e->kind == EXPR_AND)
		appendStringInfoString(&reason, "the conditions can't be true together");
	else
		appendStringInfo(&reason, "%s%s", condition_text(ex, e), what_it_is(outcomes));
	append_leaves(ex, &reason, ex->ranges, e, row);
	verdict->reason = reason.data;
}

static void
explain_missing(Explainer *ex, int row, const SourceColumn *culprit, FileVerdict *verdict)
{
	const char *text = deltacc_expr_text(culprit->leaf, ex->plan->options.timezone);
	StatMissing why = culprit->missing[row];
	int			n;
	const FileAction *file = &deltacc_actions_files(ex->actions, &n)[row];

	verdict->kept = true;

	/* Delta would have used it: only if that was all that was missing. */
	if (why == STAT_TINYINT || why == STAT_TIMESTAMP)
	{
		bool		others = false;

		for (int i = 0; i < ex->stats->ncolumns; i++)
		{
			const SourceColumn *c = &ex->stats->columns[i];

			others |= c->missing && c->missing[row] != STAT_THERE &&
				c->missing[row] != STAT_TINYINT && c->missing[row] != STAT_TIMESTAMP;
		}
		verdict->decided_by = others ? "missing statistics" :
			deltacc_safety_name(why == STAT_TINYINT ? SAFETY_TINYINT : SAFETY_TIMESTAMP);
		verdict->reason = psprintf("%s is no value of a %s, so it bounds nothing", text,
								   deltacc_type_name(&culprit->leaf->type));
		return;
	}

	verdict->decided_by = "missing statistics";
	if ((file->flags & FILE_STATS_PRESENT) == 0)
		verdict->reason = psprintf("%s is needed, and the file has no statistics at all", text);
	else if ((file->flags & FILE_STATS_VALID) == 0)
		verdict->reason = psprintf("%s is needed, and the file's statistics can't be read", text);
	else if (why == STAT_UNREADABLE)
		verdict->reason = psprintf("%s is needed, and the file's statistics hold something else than a %s there",
								   text, deltacc_type_name(&culprit->leaf->type));
	else
		verdict->reason = psprintf("%s is needed, and the file's statistics don't have it", text);
}

/* Is the file kept only because its partition value has two readings? */
static bool
explain_partition_safety(Explainer *ex, int row, FileVerdict *verdict)
{
	if (ex->partition == NULL || (ex->delta_outcomes[row] & MAY_TRUE) != 0)
		return false;
	for (int i = 0; i < ex->partition->ncolumns; i++)
	{
		const SourceColumn *c = &ex->partition->columns[i];
		const char *name = c->leaf->column->logical_path;

		if (c->safety == NULL || c->safety[row] == SAFETY_NONE)
			continue;
		verdict->decided_by = deltacc_safety_name((SafetyRule) c->safety[row]);
		if (c->safety[row] == SAFETY_ABSENT_PARTITION)
			verdict->reason = psprintf("partitionValues has no key for partition column %s, so it may hold anything", name);
		else
			verdict->reason = psprintf("the empty partition value of %s is NULL by the protocol, and the condition holds for NULL", name);
		return true;
	}
	return false;
}

/* Is the file kept where Delta may have dropped it? */
static bool
explain_safety(Explainer *ex, int row, FileVerdict *verdict)
{
	for (int i = 0; ex->stats && i < ex->stats->ncolumns; i++)
	{
		const SourceColumn *c = &ex->stats->columns[i];

		if (c->safety == NULL || c->safety[row] == SAFETY_NONE)
			continue;
		verdict->decided_by = deltacc_safety_name((SafetyRule) c->safety[row]);
		verdict->reason = psprintf("%s was float once: its bounds are taken as wide as a float's", c->leaf->column->logical_path);
		return true;
	}
	for (int i = 0; i < ex->plan->nconjuncts; i++)
	{
		const Conjunct *c = &ex->plan->conjuncts[i];

		if (c->safety == NULL || (c->kind == CONJUNCT_DATA && ex->plan->options.data_skipping == DATA_SKIPPING_OFF))
			continue;
		verdict->decided_by = c->safety;
		verdict->reason = psprintf("%s: %s", condition_text(ex, c->expr),
								   c->reason ? c->reason : "a part of it can't be decided without risk");
		return true;
	}
	return false;
}

/* Kept because nothing could decide. */
static void
explain_unused(Explainer *ex, FileVerdict *verdict)
{
	if (ex->plan->skip)
	{
		verdict->decided_by = "data skipping off";
		verdict->reason = "deltacc.data_skipping is off, so statistics are not looked at";
		return;
	}
	for (int i = 0; i < ex->plan->nconjuncts; i++)
	{
		const Conjunct *c = &ex->plan->conjuncts[i];

		if (c->reason == NULL)
			continue;
		verdict->decided_by = "no skip expression";
		verdict->reason = psprintf("%s: %s", condition_text(ex, c->expr), c->reason);
		return;
	}
	verdict->decided_by = "no skip expression";
	verdict->reason = "the predicate holds for every row";
}

/* ----- the part that made the difference ----- */

static void
one_row_fill(RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block)
{
	OneRow	   *one = (OneRow *) source;

	one->inner->fill(one->inner, leaf, one->row + start, n, block);
}

static uint8
outcome(Explainer *ex, FileSource *source, const DeltaExpr *e, int row)
{
	OneRow		one = {{one_row_fill}, &source->source, row};
	MemoEntry  *entry = remember(ex, e, source);
	uint8		result;

	if (entry->outcomes == NULL && ex->memo_bytes + source->n <= MEMO_BYTES)
	{
		entry->outcomes = palloc(Max(source->n, 1));
		ex->memo_bytes += source->n;
		deltacc_eval_condition(e, &source->source, source->n, &ex->plan->options, entry->outcomes, NULL, NULL);
	}
	if (entry->outcomes != NULL)
		return entry->outcomes[row];
	deltacc_eval_condition(e, &one.source, 1, &ex->plan->options, &result, NULL, NULL);
	return result;
}

/* The memo of e over a source, perhaps a fresh one. */
static MemoEntry *
remember(Explainer *ex, const DeltaExpr *e, const FileSource *source)
{
	MemoKey		key = {e, source};
	MemoEntry  *entry;
	bool		found;

	if (ex->memo == NULL)
	{
		HASHCTL		ctl = {.keysize = sizeof(MemoKey),.entrysize = sizeof(MemoEntry),.hcxt = CurrentMemoryContext};

		ex->memo = hash_create("deltacc explanation", 64, &ctl, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	}
	entry = hash_search(ex->memo, &key, HASH_ENTER, &found);
	if (!found)
	{
		entry->text = NULL;
		entry->outcomes = NULL;
		entry->has_leaves = false;
	}
	return entry;
}

/*
 * Appends why e may be TRUE for the row (held), or can't be: for AND that
 * can't be TRUE the first operand that can't, for OR all of them; the other
 * way round where it may.
 */
static void
describe(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row, bool held)
{
	check_stack_depth();
	if ((e->kind == EXPR_AND || e->kind == EXPR_OR) && e->nargs <= MAX_NAMED_PARTS)
	{
		bool		all = (e->kind == EXPR_AND) == held;
		int			start = out->len;

		for (int i = 0; i < e->nargs; i++)
		{
			bool		holds = (outcome(ex, source, e->args[i], row) & (MAY_TRUE | MAY_ERROR)) != 0;
			StringInfoData part;

			if (!all && holds != held)
				continue;
			if (out->len > start + 4 * SHOWN_BYTES)
			{
				appendStringInfoString(out, ", ...");
				return;
			}
			initStringInfo(&part);
			describe(ex, &part, source, e->args[i], row, held);

			/* Both bounds of a column without values say the same. */
			if (strstr(out->data + start, part.data) == NULL)
				appendStringInfo(out, "%s%s", out->len > start ? ", " : "", part.data);
			if (!all)
				return;
		}
		if (out->len > start)
			return;
	}
	if (e->kind == EXPR_COMPARE && source != ex->ranges)
		describe_compare(ex, out, source, e, row, held);
	else if (e->kind == EXPR_LITERAL)
		appendStringInfo(out, "it is always %s", held ? "true" : e->is_null ? "NULL" : "false");
	else
	{
		appendStringInfoString(out, condition_text(ex, e));
		if (!held)
			appendStringInfoString(out, what_it_is(outcome(ex, source, e, row)));
		else if (source == ex->ranges)
			appendStringInfoString(out, (outcome(ex, source, e, row) & MAY_TRUE) ? " may be true" : " may fail");
		append_leaves(ex, out, source, e, row);
	}
}

/* "MAX(customer_id) = 749 < 900000" */
static void
describe_compare(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row, bool held)
{
	CompareOp	op = e->op;
	const DeltaExpr *stat = e->args[0]->kind == EXPR_CALL && source == ex->stats ? e->args[0]->args[0] : e->args[0];

	/* The bounds of a column that has no value. */
	if (!held && stat->kind == EXPR_STAT && (stat->stat == STAT_MIN || stat->stat == STAT_MAX) &&
		deltacc_source_column(source, stat)->may[row] == MAY_NULL)
	{
		appendStringInfo(out, "%s is NULL in every row", stat->column->logical_path);
		return;
	}
	/* IS NULL */
	if (stat->kind == EXPR_STAT && stat->stat == STAT_NULL_COUNT && e->args[1]->kind == EXPR_LITERAL)
	{
		describe_operand(ex, out, source, stat, row);
		return;
	}

	/* Not TRUE and not FALSE: something is NULL. */
	if (op == CMP_NULLSAFE_EQ || (!held && (outcome(ex, source, e, row) & MAY_FALSE) == 0))
	{
		appendStringInfo(out, "%s is %s", condition_text(ex, e), op == CMP_NULLSAFE_EQ ? (held ? "true" : "false") : "NULL");
		append_leaves(ex, out, source, e, row);
		return;
	}
	if (!held)
		op = deltacc_compare_negate(op);
	if (op == CMP_EQ && e->args[0]->kind == EXPR_COLUMN && e->args[1]->kind == EXPR_LITERAL)
	{
		appendStringInfoString(out, condition_text(ex, e));
		return;
	}
	/* A prefix of MIN above, or of MAX below, and so the whole of it is. */
	describe_operand(ex, out, source, held ? e->args[0] : stat, row);
	appendStringInfo(out, " %s ", deltacc_compare_name(op));
	describe_operand(ex, out, source, e->args[1], row);
}

static void
describe_operand(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row)
{
	if (e->kind == EXPR_COLUMN || e->kind == EXPR_STAT)
	{
		appendStringInfo(out, "%s = ", deltacc_expr_text(e, ex->plan->options.timezone));
		append_value(ex, out, source, e, row);
	}
	else
	{
		appendStringInfoString(out, condition_text(ex, e));
		append_leaves(ex, out, source, e, row);
	}
}

/* What a condition is that can't be TRUE. */
static const char *
what_it_is(uint8 outcomes)
{
	if (outcomes & MAY_FALSE)
		return (outcomes & MAY_NULL) ? " is false or NULL" : " is false";
	return " is NULL";
}

/* The leaves of an expression, each once: the first few. */
static List *
collect_leaves(const DeltaExpr *e, List *leaves)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (e->kind == EXPR_COLUMN || e->kind == EXPR_STAT)
	{
		ListCell   *lc;

		foreach(lc, leaves)
		{
			const DeltaExpr *there = lfirst(lc);

			if (there->kind == e->kind && there->column == e->column &&
				(e->kind == EXPR_COLUMN || there->stat == e->stat))
				return leaves;
		}
		return lappend(leaves, unconstify(DeltaExpr *, e));
	}
	for (int i = 0; i < e->nargs && list_length(leaves) < MAX_SHOWN_LEAVES; i++)
		leaves = collect_leaves(e->args[i], leaves);
	return leaves;
}

/* " for p = 'x', q = 3" for the leaves of an expression. */
static void
append_leaves(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *e, int row)
{
	MemoEntry  *entry = remember(ex, e, NULL);
	bool		first = true;
	ListCell   *lc;

	if (!entry->has_leaves)
	{
		entry->leaves = collect_leaves(e, NIL);
		entry->has_leaves = true;
	}
	foreach(lc, entry->leaves)
	{
		const DeltaExpr *leaf = lfirst(lc);

		appendStringInfo(out, "%s%s ", first ? " for " : ", ", deltacc_expr_text(leaf, ex->plan->options.timezone));
		if (source == ex->ranges)
			append_range(ex, out, deltacc_source_column(source, leaf), leaf, row);
		else
		{
			appendStringInfoString(out, "= ");
			append_value(ex, out, source, leaf, row);
		}
		first = false;
	}
}

static void
append_scalar(Explainer *ex, StringInfo out, const DeltaType *type, DeltaScalar v)
{
	StringInfoData value;

	initStringInfo(&value);
	deltacc_value_print(&value, type, v, ex->plan->options.timezone);
	append_clipped(out, value.data, value.len);
	pfree(value.data);
}

static void
append_value(Explainer *ex, StringInfo out, FileSource *source, const DeltaExpr *leaf, int row)
{
	const SourceColumn *c = deltacc_source_column(source, leaf);

	if (c == NULL || (c->may[row] & MAY_ERROR) || (c->safety && c->safety[row] == SAFETY_ABSENT_PARTITION))
		appendStringInfoString(out, "unknown");
	else if (c->may[row] == MAY_NULL)
		appendStringInfoString(out, "NULL");
	else if (c->lo == NULL)
		appendStringInfoString(out, c->may[row] == MAY_TRUE ? "true" : c->may[row] == MAY_FALSE ? "false" : "unknown");
	else
		append_scalar(ex, out, &leaf->type, c->lo[row]);
}

/* "= 3", "between 3 and 7 or NULL", "between 1.5 and 2.5 or NaN", "unknown" */
static void
append_range(Explainer *ex, StringInfo out, const SourceColumn *c, const DeltaExpr *leaf, int row)
{
	const DeltaType *type = &leaf->type;
	uint8		may = c ? c->may[row] : RANGE_UNKNOWN;
	ValueRange	r = {.may = may};

	if (c && c->lo)
	{
		r.lo = c->lo[row];
		r.hi = c->hi[row];
	}
	if (c && c->but_nan)
		may |= c->but_nan[row];
	if (may == MAY_NULL)
		appendStringInfoString(out, "= NULL");
	else if (type->kind == DELTA_BOOLEAN)
		appendStringInfoString(out, (may & (MAY_TRUE | MAY_FALSE)) == MAY_TRUE ? "= true" :
							   (may & (MAY_TRUE | MAY_FALSE)) == MAY_FALSE ? "= false" : "unknown");
	else if (deltacc_range_is_point(type, &r))
	{
		appendStringInfoString(out, "= ");
		append_scalar(ex, out, type, r.lo);
	}
	else if (may & HAS_BOTH)
	{
		appendStringInfoString(out, (may & HAS_BOTH) == HAS_BOTH ? "between " : (may & HAS_LO) ? ">= " : "<= ");
		if (may & HAS_LO)
			append_scalar(ex, out, type, r.lo);
		if ((may & HAS_BOTH) == HAS_BOTH)
			appendStringInfoString(out, " and ");
		if (may & HAS_HI)
			append_scalar(ex, out, type, r.hi);
	}
	else
		appendStringInfoString(out, "unknown");
	if (c && c->but_nan && c->but_nan[row])
		appendStringInfoString(out, " or NaN");
	if ((may & MAY_NULL) && (may & ~(MAY_NULL | MAY_VALUE | MAY_ERROR)) != 0)
		appendStringInfoString(out, " or NULL");
}

/* UTF-8, cut between characters. */
static void
append_clipped(StringInfo out, const char *text, int len)
{
	int			end = Min(len, SHOWN_BYTES);

	while (end < len && end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
		end--;
	appendBinaryStringInfo(out, text, end);
	if (end < len)
		appendStringInfoString(out, "...");
}

static const char *
condition_text(Explainer *ex, const DeltaExpr *e)
{
	MemoEntry  *entry = remember(ex, e, NULL);
	StringInfoData out;
	char	   *text;

	if (entry->text == NULL)
	{
		text = deltacc_expr_text(e, ex->plan->options.timezone);
		initStringInfo(&out);
		append_clipped(&out, text, strlen(text));
		pfree(text);
		entry->text = out.data;
	}
	return entry->text;
}

/* ----- a plan in words ----- */

/* May a condition be told not to be TRUE, though parts of it are unknown? */
static bool
ranges_may_decide(const DeltaExpr *e)
{
	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_AND:
			for (int i = 0; i < e->nargs; i++)
			{
				if (ranges_may_decide(e->args[i]))
					return true;
			}
			return false;
		case EXPR_OR:
			for (int i = 0; i < e->nargs; i++)
			{
				if (!ranges_may_decide(e->args[i]))
					return false;
			}
			return true;
		case EXPR_NOT:
			return e->args[0]->kind != EXPR_UNKNOWN;
		default:
			return e->kind != EXPR_UNKNOWN;
	}
}

ConjunctReport *
deltacc_plan_report(const ReadPlan *plan, int *n)
{
	static const char *const kinds[] = {
		[CONJUNCT_PARTITION] = "partition",
		[CONJUNCT_DATA] = "data",
		[CONJUNCT_FOREIGN] = "join",
		[CONJUNCT_UNUSABLE] = "unusable",
	};
	ConjunctReport *reports = palloc0(sizeof(ConjunctReport) * plan->nconjuncts);

	for (int i = 0; i < plan->nconjuncts; i++)
	{
		const Conjunct *c = &plan->conjuncts[i];
		pg_tz	   *tz = plan->options.timezone;

		CHECK_FOR_INTERRUPTS();
		reports[i].conjunct = deltacc_expr_text(c->expr, tz);
		reports[i].kind = kinds[c->kind];
		reports[i].usable = c->skip != NULL ||
			(c->partition != NULL && (c->kind != CONJUNCT_PARTITION || c->reason == NULL));
		reports[i].skip_expression = c->skip ? deltacc_expr_text(c->skip, tz) : NULL;
		reports[i].reason = c->reason;
		reports[i].advice = c->advice;

		/* Of a condition on both, what is left when its data part is no use. */
		if (c->kind == CONJUNCT_DATA && c->skip == NULL && c->partition != NULL)
			reports[i].reason = psprintf("only what it says of the partition is used: %s; %s",
										 deltacc_expr_text(c->partition, tz), c->reason);

		/* Without a skip expression, but not without a say. */
		if (plan->sharp && plan->options.data_skipping == DATA_SKIPPING_SHARP &&
			c->kind == CONJUNCT_DATA && c->skip == NULL && ranges_may_decide(c->expr))
		{
			const char *setting = c->advice ? strstr(c->advice, ", " DELTACC_OR_SHARP) : NULL;

			reports[i].usable = true;
			reports[i].reason = psprintf("%s; but it is evaluated over the ranges of each file's data", reports[i].reason);
			if (setting)
				reports[i].advice = psprintf("%.*s.", (int) (setting - c->advice), c->advice);
		}
	}
	*n = plan->nconjuncts;
	return reports;
}

char *
deltacc_plan_skip_text(const ReadPlan *plan)
{
	return plan->skip ? deltacc_expr_text(plan->skip, plan->options.timezone) : NULL;
}

/* ----- errors ----- */

/*
 * The evaluator knows of a partition value only that it can't be read.  Spark's
 * class for it says why: out of range, or no value at all.
 */
static const char *
unreadable_value_class(const ReadPlan *plan, DeltaActions *a, int row)
{
	for (int i = 0; i < plan->schema->npartition_columns; i++)
	{
		const DeltaField *column = plan->schema->partition_columns[i];
		const ActionsColumn *c = deltacc_actions_column(a, COLUMN_PARTITION, column->physical_name);
		const char *error_class;
		DeltaScalar value;
		bool		ambiguous;

		if (deltacc_partition_value(c, row, &column->type, plan->options.timezone,
									&value, &ambiguous, &error_class) == CAST_ERROR)
			return error_class;
	}
	return NULL;
}

void
deltacc_plan_raise(const ReadPlan *plan, DeltaActions *a, const char *error_class, int row)
{
	static const struct
	{
		const char *error_class;
		int			sqlstate;
	}			known[] = {
		{"ARITHMETIC_OVERFLOW", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
		{"CAST_INVALID_INPUT", ERRCODE_INVALID_CHARACTER_VALUE_FOR_CAST},
		{"CAST_OVERFLOW", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
		{"DATETIME_OVERFLOW", ERRCODE_DATETIME_FIELD_OVERFLOW},
		{"DIVIDE_BY_ZERO", ERRCODE_DIVISION_BY_ZERO},
		{"NUMERIC_VALUE_OUT_OF_RANGE", ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE},
	};
	Explainer	ex = {.plan = plan,.actions = a};
	const ActionsColumn *paths = deltacc_actions_column(a, COLUMN_PATH, "");
	const char *value_class = unreadable_value_class(plan, a, row);
	StringInfoData values;
	int			sqlstate = ERRCODE_DATA_EXCEPTION;

	if (value_class != NULL && strcmp(error_class, "CAST_INVALID_INPUT") == 0)
		error_class = value_class;
	for (int i = 0; i < lengthof(known); i++)
		if (strncmp(known[i].error_class, error_class, strlen(known[i].error_class)) == 0)
			sqlstate = known[i].sqlstate;

	initStringInfo(&values);
	for (int i = 0; i < plan->schema->npartition_columns; i++)
	{
		const DeltaField *column = plan->schema->partition_columns[i];
		const ActionsColumn *c = deltacc_actions_column(a, COLUMN_PARTITION, column->physical_name);
		TokenKind	kind = c ? (TokenKind) c->kinds[row] : TOKEN_ABSENT;

		appendStringInfo(&values, "%s%s=", i > 0 ? ", " : "", column->logical_path);
		if (kind == TOKEN_STRING || kind == TOKEN_NUMBER || kind == TOKEN_COMPOSITE)
		{
			DeltaString text = deltacc_column_text(c, row);

			append_clipped(&values, text.data, text.len);
		}
		else if (kind == TOKEN_INT)
			appendStringInfo(&values, INT64_FORMAT, c->ints[row]);
		else
			appendStringInfoString(&values, kind == TOKEN_TRUE ? "true" : kind == TOKEN_FALSE ? "false" : "null");
	}
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("the predicate can't be evaluated on a file's partition values: %s", error_class),
			 errdetail("Condition: %s. File: %s. Partition: [%s].",
					   condition_text(&ex, plan->partition),
					   paths && paths->kinds[row] == TOKEN_STRING ?
					   pnstrdup(deltacc_column_text(paths, row).data, deltacc_column_text(paths, row).len) : "unknown",
					   values.data),
			 errhint("Delta fails on this condition as well.")));
}
