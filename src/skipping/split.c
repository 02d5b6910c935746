/*-------------------------------------------------------------------------
 *
 * split.c
 *	  The conjuncts of a read: which of them speak of the partition, which of
 *	  the data, and which of neither.
 *
 * From Delta's DeltaTableUtils.splitMetadataAndDataPredicates,
 * DataSkippingReader.filesForScan and ConflictCheckerPredicateElimination.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "predicate/conditional.h"
#include "predicate/fold.h"
#include "predicate/optimize.h"
#include "skipping/inverse.h"
#include "skipping/rewrite.h"
#include "skipping/sources.h"
#include "skipping/split.h"

/* What keeps a conjunct away from statistics as a whole. */
#define NOT_FOR_STATISTICS (EXPR_HAS_NONDETERMINISTIC | EXPR_HAS_SUBQUERY | EXPR_HAS_FILE_METADATA)

static void classify(ReadPlan *plan, Conjunct *c);
static const char *foreign_name(const DeltaExpr *e);
static const char *perhaps_own(const char *name, const ReadPlan *plan);
static bool refuse_failing_constants(ReadPlan *plan);
static const char *why_unusable(const DeltaExpr *e, const char **advice);
static DeltaExpr *widen(DeltaExpr *e, const DeltaccOptions *options, const char **safety);
static bool is_null_test(const DeltaExpr *e);
static DeltaExpr *conjunction(const ReadPlan *plan, size_t offset);
static DeltaExpr *as_filter(DeltaExpr *filter, bool alone, const DeltaccOptions *options);
static DeltaExpr *what_must_be_true(const ReadPlan *plan);

void
deltacc_split_predicate(ReadPlan *plan)
{
	DeltaExpr	  **parts;
	List	   *stats = NIL;
	ListCell   *lc;

	parts = deltacc_expr_split(plan->predicate, EXPR_AND, &plan->nconjuncts);
	plan->conjuncts = palloc0(sizeof(Conjunct) * plan->nconjuncts);
	for (int i = 0; i < plan->nconjuncts; i++)
	{
		CHECK_FOR_INTERRUPTS();
		plan->conjuncts[i].expr = parts[i];
		classify(plan, &plan->conjuncts[i]);
	}

	if (!refuse_failing_constants(plan))
		plan->sharp = what_must_be_true(plan);
	plan->partition = conjunction(plan, offsetof(Conjunct, partition));
	plan->skip = conjunction(plan, offsetof(Conjunct, skip));

	plan->data = NULL;
	{
		DeltaExpr	  **data = palloc(sizeof(DeltaExpr *) * plan->nconjuncts);
		int			ndata = 0;

		for (int i = 0; i < plan->nconjuncts; i++)
			if (plan->conjuncts[i].kind == CONJUNCT_DATA)
				data[ndata++] = plan->conjuncts[i].expr;
		if (ndata > 0)
			plan->data = deltacc_expr_and(ndata, data);
	}

	plan->partition = as_filter(plan->partition,
								plan->data == NULL || plan->options.data_skipping == DATA_SKIPPING_OFF,
								&plan->options);

	/* All statistics of all conjuncts are judged together. */
	if (plan->skip)
		stats = deltacc_collect_stats(plan->skip, NIL);
	plan->stats = palloc(sizeof(DeltaExpr *) * Max(list_length(stats), 1));
	plan->nstats = 0;
	foreach(lc, stats)
		plan->stats[plan->nstats++] = lfirst(lc);
}

/*
 * Spark folds constants before it looks at a file, and fails if that fails
 * (ConstantFolding).  A read like that can't have been, so nothing is concluded
 * from it: true is returned.
 */
static bool
refuse_failing_constants(ReadPlan *plan)
{
	const char *error_class = NULL;
	const DeltaExpr *culprit = NULL;

	for (int i = 0; i < plan->nconjuncts && culprit == NULL; i++)
		culprit = deltacc_failing_constant(plan->conjuncts[i].expr, &plan->options, &error_class);
	if (culprit == NULL)
		return false;
	for (int i = 0; i < plan->nconjuncts; i++)
	{
		Conjunct   *c = &plan->conjuncts[i];

		c->skip = NULL;
		c->partition = NULL;
		if (c->kind == CONJUNCT_FOREIGN)
			continue;
		c->reason = psprintf("Spark can't compute %s, which is part of the predicate: %s",
							 deltacc_expr_text(culprit, plan->options.timezone), error_class);
		c->advice = NULL;
	}
	return true;
}

/* Longer chains are left as they are, but for constants. */
#define MAX_CHAIN	100

/*
 * Spark's optimizer sees the filter again, its conjuncts joined from the left.
 * Alone, it is the condition of a plan: NULL is as good as FALSE there, and where
 * that decides it, nothing is evaluated that might fail.  Beside a filter on
 * data it isn't.
 */
static DeltaExpr *
as_filter(DeltaExpr *filter, bool alone, const DeltaccOptions *options)
{
	DeltaExpr **parts;
	DeltaExpr  *chain = NULL;
	int			n;

	if (filter == NULL)
		return NULL;
	parts = deltacc_expr_split(filter, EXPR_AND, &n);
	for (int i = 0; i < n; i++)
	{
		DeltaExpr  *pair[2] = {chain, alone ? deltacc_null_as_false(parts[i], false) : parts[i]};

		if (alone && deltacc_expr_is_false(pair[1]))
			return pair[1];
		if (n <= MAX_CHAIN)
			chain = i == 0 ? pair[1] : deltacc_expr_make(EXPR_AND, filter->type, 2, pair);
	}
	return n <= MAX_CHAIN ? deltacc_optimize(chain, options) : filter;
}

/*
 * AND of one part of all conjuncts; NULL if none has it.  Those that speak of
 * nothing but the partition come first, as in Delta: once one is FALSE, what
 * follows can't fail.
 */
static DeltaExpr *
conjunction(const ReadPlan *plan, size_t offset)
{
	DeltaExpr	  **parts = palloc(sizeof(DeltaExpr *) * plan->nconjuncts);
	int			n = 0;

	for (int pass = 0; pass < 2; pass++)
	{
		for (int i = 0; i < plan->nconjuncts; i++)
		{
			const Conjunct *c = &plan->conjuncts[i];
			DeltaExpr	   *part = *(DeltaExpr **) ((char *) c + offset);

			if (part && (c->kind == CONJUNCT_PARTITION) == (pass == 0))
				parts[n++] = part;
		}
	}
	return n > 0 ? deltacc_expr_and(n, parts) : NULL;
}

/*
 * What is evaluated over the ranges of a file's data: every conjunct that speaks
 * of the table alone, whole; of one that chance or a subquery has a part in only
 * what it implies for the partition.  NULL if there is none.
 */
static DeltaExpr *
what_must_be_true(const ReadPlan *plan)
{
	DeltaExpr **parts = palloc(sizeof(DeltaExpr *) * plan->nconjuncts);
	int			n = 0;

	for (int i = 0; i < plan->nconjuncts; i++)
	{
		const Conjunct *c = &plan->conjuncts[i];
		DeltaExpr  *part = c->kind == CONJUNCT_DATA ? c->expr : c->partition;

		if (part)
			parts[n++] = part;
	}
	return n > 0 ? deltacc_invert_functions(deltacc_expr_and(n, parts)) : NULL;
}

/* A name in e that is taken for another relation's. */
static const char *
foreign_name(const DeltaExpr *e)
{
	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		if (e->args[i]->flags & EXPR_HAS_FOREIGN)
			return foreign_name(e->args[i]);
	}
	return e->kind == EXPR_UNKNOWN ? e->text : NULL;
}

/*
 * What may have gone wrong, if it isn't another relation's at all: the table has
 * an alias that we weren't told, or a column is misspelled.
 */
static const char *
perhaps_own(const char *name, const ReadPlan *plan)
{
	int			len = name ? strcspn(name, ".(`") : 0;
	bool		call = name && name[len] == '(';
	const char *near = name && !call ? deltacc_schema_suggest(plan->schema, name) : NULL;

	if (near)
		near = psprintf(" %s", near);
	else
		near = "";
	if (len == 0 || call || name[len] == '`')
		return near;
	if (name[len] == '\0')
		return psprintf(" The table has no column %s.%s", name, near);
	/* what is called so is the source of a MERGE unless the setting says otherwise */
	if (plan->options.target_alias != NULL ||
		(len == 1 && pg_strncasecmp(name, "s", 1) == 0) || (len == 6 && pg_strncasecmp(name, "source", 6) == 0))
		return "";
	return psprintf(" If %.*s is the table itself, set deltacc.target_alias to %.*s.", len, name, len, name);
}

static void
classify(ReadPlan *plan, Conjunct *c)
{
	DeltaExpr	   *e = c->expr;

	if (e->flags & EXPR_HAS_FOREIGN)
	{
		c->kind = CONJUNCT_FOREIGN;
		c->reason = "it refers to another relation: a join condition filters nothing on the table";
		c->advice = psprintf("Add a condition on the table's own columns with constants, such as the partitions or the range of keys that the source holds.%s",
							 perhaps_own(foreign_name(e), plan));
		return;
	}
	if ((e->flags & (EXPR_HAS_DATA_COLUMN | EXPR_HAS_SUBQUERY | EXPR_HAS_FILE_METADATA)) == 0)
	{
		c->kind = CONJUNCT_PARTITION;
		c->partition = widen(e, &plan->options, &c->safety);
		if (c->partition == NULL)
			c->reason = why_unusable(e, &c->advice);
		else
		{
			c->reason = deltacc_why_unknown(e, plan->options.timezone, &c->advice);
			if (c->reason && e->kind == EXPR_OR)
				c->reason = psprintf("one side of its OR can't be decided: %s", c->reason);
		}
		return;
	}

	/* What it implies for the partition holds even if the rest is no use. */
	c->partition = deltacc_partition_part(e);
	if (c->partition)
		c->partition = widen(c->partition, &plan->options, &c->safety);

	if (e->flags & NOT_FOR_STATISTICS)
	{
		c->kind = CONJUNCT_UNUSABLE;
		c->reason = why_unusable(e, &c->advice);
	}
	else
	{
		SkipNotes	notes = {0};

		c->kind = CONJUNCT_DATA;
		c->skip = deltacc_skip_rewrite(e, plan->options.timezone, &notes);
		if (c->skip == NULL)
		{
			c->reason = notes.reason ? notes.reason : "it is none of the conditions that statistics answer";
			c->advice = notes.advice;
			if (e->kind == EXPR_OR)
				c->reason = psprintf("one side of its OR can't be decided: %s", c->reason);
		}
		if (notes.safety)
			c->safety = notes.safety;
	}
}

static const char *
why_unusable(const DeltaExpr *e, const char **advice)
{
	if (e->flags & EXPR_HAS_SUBQUERY)
	{
		*advice = "Put the values that the subquery gives into the condition.";
		return "it holds a subquery";
	}
	if (e->flags & EXPR_HAS_FILE_METADATA)
		return "it depends on the name or the metadata of a file";
	if (e->flags & EXPR_HAS_NONDETERMINISTIC)
	{
		*advice = "Compute the value first, and put it into the condition as a constant.";
		return "it holds a non-deterministic function, which may give another value each time";
	}
	if (e->flags & EXPR_HAS_CHAR)
	{
		*advice = "Make the column VARCHAR or STRING.";
		return "it holds a CHAR column: a comparison sees blanks at the end that the log doesn't";
	}
	if (e->flags & EXPR_HAS_COLLATION)
		return "it holds a collated string, and deltacc compares by bytes only";
	return "it is none of the conditions that can be decided";
}

DeltaExpr *
deltacc_partition_part(DeltaExpr *e)
{
	DeltaExpr	  **parts;
	int			n = 0;

	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_AND:
		case EXPR_OR:
			parts = palloc(sizeof(DeltaExpr *) * e->nargs);
			for (int i = 0; i < e->nargs; i++)
			{
				DeltaExpr	   *part = deltacc_partition_part(e->args[i]);

				if (part)
					parts[n++] = part;
				else if (e->kind == EXPR_OR)
					return NULL;
			}
			if (n == 0)
				return NULL;
			return e->kind == EXPR_AND ? deltacc_expr_and(n, parts) : deltacc_expr_or(n, parts);
		default:
			if (e->flags & (EXPR_HAS_DATA_COLUMN | EXPR_HAS_FOREIGN | NOT_FOR_STATISTICS))
				return NULL;
			return e;
	}
}

/*
 * A partition condition with every part that can't be relied on made TRUE: AND
 * and OR part by part, anything else as a whole.  NULL: nothing but TRUE is
 * left.
 *
 * That is so for what is non-deterministic (unless the user wants Delta's older
 * behaviour) and, as a safety rule of ours, for CHAR columns and collated
 * strings, of which only NULL or not NULL is sure.
 */
static DeltaExpr *
widen(DeltaExpr *e, const DeltaccOptions *options, const char **safety)
{
	DeltaExpr	  **parts;
	int			n = 0;

	check_stack_depth();
	if (e->kind == EXPR_AND || e->kind == EXPR_OR)
	{
		parts = palloc(sizeof(DeltaExpr *) * e->nargs);
		for (int i = 0; i < e->nargs; i++)
		{
			DeltaExpr	   *part = widen(e->args[i], options, safety);

			if (part)
				parts[n++] = part;
			else if (e->kind == EXPR_OR)
				return NULL;
		}
		if (n == 0)
			return NULL;
		return e->kind == EXPR_AND ? deltacc_expr_and(n, parts) : deltacc_expr_or(n, parts);
	}

	if ((e->flags & EXPR_HAS_NONDETERMINISTIC) && options->widen_nondeterministic)
		return NULL;
	if ((e->flags & EXPR_HAS_CHAR) && !is_null_test(e))
	{
		*safety = deltacc_safety_name(SAFETY_CHAR);
		return NULL;
	}
	if ((e->flags & EXPR_HAS_COLLATION) && !is_null_test(e))
	{
		*safety = deltacc_safety_name(SAFETY_COLLATION);
		return NULL;
	}
	return e;
}

static bool
is_null_test(const DeltaExpr *e)
{
	if (e->kind == EXPR_NOT)
		e = e->args[0];
	return (e->kind == EXPR_IS_NULL || e->kind == EXPR_IS_NOT_NULL) && e->args[0]->kind == EXPR_COLUMN;
}
