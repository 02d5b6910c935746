/*-------------------------------------------------------------------------
 *
 * advice.c
 *	  What to do about a conflict over files: sentences for its hint.
 *
 * What is said is said of this very conflict, with its names and values, and
 * nothing is advised that was not tried on the winner's files.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/advice.h"
#include "conflict/condition.h"
#include "skipping/sources.h"

/* So many conflicts of one winner get the advice that takes evaluating. */
#define MAX_EXPENSIVE_HINTS 16

static bool
is_optimize(const Winner *w)
{
	return w->operation != NULL &&
		(strcmp(w->operation, "OPTIMIZE") == 0 || strcmp(w->operation, "REORG") == 0);
}

/*
 * A winner that rewrote files without changing a row.  values, file: where the
 * partition of the file stands that it is about.
 */
static void
advise_no_data_change(StringInfo hint, Transaction *txn, const Winner *w, DeltaActions *values, int file)
{
	const char *elsewhere;
	const char *what;

	if (!w->no_data_change)
		return;
	if (!(w->flags & ACTIONS_HAS_REMOVE))
		what = "it only wrote anew what the log says of files (statistics, row ids, tags)";
	else if (!(w->flags & ACTIONS_HAS_ADD))
		what = "it only removed files whose rows are elsewhere";
	else
		what = "it only wrote rows into other files";
	deltacc_sentence(hint, "%s changed no row, %s: a retry finds the same data.", deltacc_winner_name(w), what);
	elsewhere = is_optimize(w) ? deltacc_condition_without_own(txn, values, file) : NULL;
	if (elsewhere != NULL)
		deltacc_sentence(hint, "Run it when no job writes here, or let it leave out what is being written: %s ... WHERE %s.",
						 w->operation, elsewhere);
	else
		deltacc_sentence(hint, "Run it when no job writes to these files.");
}

/* ----- what the conditions of a read do ----- */

/* The parts of a read that are joins, in one sentence. */
static bool
advise_joins(StringInfo hint, const ReadPlan *plan)
{
	StringInfoData joins;
	int			n = 0;

	initStringInfo(&joins);
	for (int i = 0; i < plan->nconjuncts; i++)
	{
		const Conjunct *c = &plan->conjuncts[i];

		if (c->kind == CONJUNCT_FOREIGN)
			appendStringInfo(&joins, "%s%s", n++ > 0 ? " and " : "",
							 deltacc_shown(deltacc_expr_text(c->expr, plan->options.timezone)));
	}
	if (n == 0)
		return false;
	deltacc_sentence(hint, n == 1 ?
					 "The condition %s is a join with another relation, and filters no file: add a condition with literals on the table's own columns." :
					 "The conditions %s are joins with another relation, and filter no file: add a condition with literals on the table's own columns.",
					 joins.data);
	return true;
}

/* The parts of a read that filter nothing, and why; false if there is none. */
static bool
advise_conjuncts(StringInfo hint, const ReadPlan *plan, bool by_statistics)
{
	bool		any = advise_joins(hint, plan);

	for (int i = 0; i < plan->nconjuncts; i++)
	{
		const Conjunct *c = &plan->conjuncts[i];
		/* On partitions a reason is there only where the condition can't be used. */
		bool		useless = c->kind == CONJUNCT_UNUSABLE ||
			(c->kind == CONJUNCT_PARTITION && c->reason != NULL) ||
			(c->kind == CONJUNCT_DATA && by_statistics && c->skip == NULL && c->reason != NULL);

		if (!useless)
			continue;
		any = true;
		deltacc_sentence(hint, "The condition %s filters no file",
						 deltacc_shown(deltacc_expr_text(c->expr, plan->options.timezone)));
		if (c->reason != NULL)
			appendStringInfo(hint, ": %s", c->reason);
		appendStringInfoChar(hint, '.');
		if (c->advice != NULL)
			deltacc_sentence(hint, "%s", c->advice);
	}
	return any;
}

static const char *
reads_name(const Transaction *txn, int read)
{
	if (read < 0)
		return "what it reads";
	return txn->args.nreads == 1 ? "the read" : psprintf("read %d", read + 1);
}

/* A condition that keeps the two apart. */
static void
advise_narrowing(StringInfo hint, Transaction *txn, const Winner *w, int read, const Narrowing *n, bool removed)
{
	const char *in_winner = removed ? "The removed file holds" : "The winner's files hold";
	const char *effect;

	if (removed)
		effect = txn->args.nreads <= 1 ? "the file is not read" : "this read does not select the file";
	else
		effect = txn->args.nreads == 1 ? "none of them conflicts" : "this read misses them";

	if (n->own == NULL && read < 0)
		deltacc_sentence(hint, "%s only %s: if the transaction needs none of it, let it read with %s, and %s (tested on this commit).",
						 in_winner, n->winner, n->condition, effect);
	else if (n->own == NULL)
		deltacc_sentence(hint, "%s only %s: if the transaction needs none of it, add %s to %s, and %s (tested on this commit).",
						 in_winner, n->winner, n->condition, reads_name(txn, read), effect);
	else
		deltacc_sentence(hint, "%s only %s, the %s %s: narrow %s by %s, and %s (tested on this commit).",
						 in_winner, n->winner, txn->args.writes ? "transaction's own files" : "files that the transaction read",
						 n->own, reads_name(txn, read), n->condition, effect);
	if (n->by_statistics && !removed && txn->args.options.data_skipping == DATA_SKIPPING_OFF)
		deltacc_sentence(hint, "That takes data skipping at conflict time (deltacc.data_skipping = on); released Delta compares partitions only.");
}

/* ----- statistics ----- */

/* The column for which a file has no statistics that the read needs; NULL if
 * nothing is missing. */
static const char *
missing_statistics(const ReadPlan *plan, DeltaActions *one)
{
	FileSource *stats;
	const SourceColumn *culprit;

	if (plan->skip == NULL)
		return NULL;
	stats = deltacc_stats_source(plan->stats, plan->nstats, one, plan->options.timezone);
	culprit = deltacc_stats_culprit(stats, 0);
	if (culprit == NULL)
		return NULL;
	return culprit->leaf->column ? culprit->leaf->column->logical_path : "numRecords";
}

/* The last part of a path. */
static const char *
file_name(DeltaString path)
{
	char	   *text = pnstrdup(path.data, path.len);
	char	   *slash = strrchr(text, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : text;
}

/* What the statistics of this very file say to this very read; true if they don't
 * keep the two apart. */
static bool
advise_statistics(StringInfo hint, Transaction *txn, Winner *w, int file, int read, bool narrowed)
{
	const ReadPlan *plan = deltacc_reader_plan(txn, read);
	FileAction	action = deltacc_actions_file(w->actions, file);
	char	   *line = deltacc_file_line(w->actions, &action);
	DeltaActions *one = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(line, action.line_length, NULL)));
	const char *missing = missing_statistics(plan, one);
	FileVerdict *verdict;

	/* A condition that is enough needs no statistics, and no statistics leave a
	 * file out that got a deletion vector. */
	if (missing != NULL && (narrowed || deltacc_added_again(txn, w, file)))
		return false;
	if (missing != NULL)
	{
		deltacc_sentence(hint, "Statistics of %s are missing in %s, so that it counts whatever it holds: let its writer collect them (delta.dataSkippingStatsColumns), or run ANALYZE TABLE ... COMPUTE DELTA STATISTICS.",
						 missing, file_name(deltacc_winner_path(w, file)));
		return false;
	}
	verdict = deltacc_plan_explain_files(plan, one);
	if (deltacc_data_skipping_spares(txn, w, file))
	{
		deltacc_sentence(hint, "With data skipping at conflict time (deltacc.data_skipping = on) this would be no conflict");
		if (!verdict->kept && verdict->reason != NULL)
			appendStringInfo(hint, ": %s", verdict->reason);
		appendStringInfoChar(hint, '.');
	}
	else if (!narrowed && !verdict->kept && verdict->reason != NULL && strcmp(verdict->decided_by, "statistics") == 0 &&
			 deltacc_added_again(txn, w, file))
		deltacc_sentence(hint, "By its statistics the file holds no row that the read asks for (%s); but data skipping never leaves out a file that comes back under its path with a deletion vector.",
						 verdict->reason);
	else if (!narrowed && verdict->kept && verdict->reason != NULL && strcmp(verdict->decided_by, "statistics") == 0)
	{
		/* Where no row changed, rows of the read in the file prove nothing. */
		if (!w->no_data_change)
			deltacc_sentence(hint, "By its statistics the file may hold rows that the read asks for (%s): the conflict is likely to be real.",
							 verdict->reason);
		return true;
	}
	return false;
}

/* A read that selects whatever there is. */
static bool
reads_everything(const ReadPlan *plan)
{
	return plan->predicate->kind == EXPR_LITERAL && !plan->predicate->is_null && plan->predicate->value.i != 0;
}

static char *
partition_columns(const Transaction *txn)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < schema->npartition_columns; i++)
		appendStringInfo(&out, "%s%s", i > 0 ? ", " : "", schema->partition_columns[i]->name);
	return out.data;
}

/* Where no condition would have helped: what those of the read did. */
static void
advise_conditions(StringInfo hint, Transaction *txn, Winner *w, int file, const ReadPlan *plan, int read)
{
	const char *name = txn->args.nreads == 1 ? "The read" : psprintf("Read %d", read + 1);

	if (txn->partitioned)
	{
		char	   *partition = deltacc_partition_text(txn, w->actions, file);

		if (plan->partition == NULL || reads_everything(plan))
			deltacc_sentence(hint, "%s has no condition on the partition column%s %s, so that every partition counts.", name,
							 txn->args.snapshot->schema->npartition_columns > 1 ? "s" : "", partition_columns(txn));
		else if (partition != NULL)
			deltacc_sentence(hint, "%s selects partition %s, to which the winner wrote: jobs on the same partition have to run one after the other.",
							 name, partition);
	}
	else if (txn->args.options.data_skipping == DATA_SKIPPING_OFF)
		deltacc_sentence(hint, "The table is not partitioned, so that released Delta compares no condition at all.");
	else if (reads_everything(plan))
		deltacc_sentence(hint, "%s has no condition, so that every file counts: say which rows it needs.", name);
}

/* ----- added files ----- */

void
deltacc_advise_added_file(StringInfo hint, Transaction *txn, Winner *w, int file, int read,
						  const char **narrow_by)
{
	*narrow_by = NULL;
	advise_no_data_change(hint, txn, w, w->actions, file);
	if (w->blind_append && txn->isolation == ISOLATION_SERIALIZABLE && !txn->metadata_changed)
		deltacc_sentence(hint, "%s only appended rows and read nothing: under WriteSerializable it would be no conflict. Retry this transaction, which reads, not the append, which is committed.",
						 deltacc_winner_name(w));
	else if (w->blind_append && txn->metadata_changed)
		deltacc_sentence(hint, "The transaction changes metadata, so that even blind appends count: run it when no job writes.");

	if (read >= 0 && txn->plans != NULL && w->nhints < MAX_EXPENSIVE_HINTS)
	{
		const Narrowing *n = deltacc_winner_narrowing(txn, w, read);
		bool		said,
					real;

		w->nhints++;
		/* What data skipping does by itself needs no condition. */
		if (n != NULL && n->by_statistics && deltacc_data_skipping_spares(txn, w, file))
			n = NULL;
		if (n != NULL)
		{
			advise_narrowing(hint, txn, w, read, n, false);
			*narrow_by = n->condition;
		}
		said = advise_conjuncts(hint, deltacc_reader_plan(txn, read), n == NULL || n->by_statistics);
		real = advise_statistics(hint, txn, w, file, read, n != NULL);
		if (n == NULL && !(real && !txn->partitioned) && !(txn->partitioned && (said || w->no_data_change)))
			advise_conditions(hint, txn, w, file, deltacc_reader_plan(txn, read), read);
	}
	else if (read < 0 && txn->args.read_whole_table)
		deltacc_sentence(hint, "A transaction that reads the whole table conflicts with every file added: read it with a condition.");
	else if (read < 0)
		deltacc_sentence(hint, "Without any read, every file added to an unpartitioned table counts: pass the conditions that the transaction read with.");
	deltacc_sentence(hint, "%s", deltacc_read_again(w));
}

/* ----- removed files ----- */

/* Both rewrote or removed the same file. */
static void
advise_shared_file(StringInfo hint, Transaction *txn, const Winner *w)
{
	if (is_optimize(w) && txn->args.operation != NULL && pg_strcasecmp(txn->args.operation, w->operation) == 0)
		deltacc_sentence(hint, "Two %s runs rewrote the same file: one of them is enough.", w->operation);
	else if (!w->no_data_change)
		deltacc_sentence(hint, "Both changed the same file, and no condition keeps two writers of one file apart: run them one after the other, or lay the table out (partitions, clustering) so that rows changed by different jobs lie in different files.");
}

void
deltacc_advise_removed_file(StringInfo hint, Transaction *txn, Winner *w, int file, int read,
							DeltaActions *values, int values_file,
							RemovedFileReason reason, const char **narrow_by)
{
	const Narrowing *n = NULL;
	bool		shared = reason == REMOVED_TWICE ||
		deltacc_path_set_find(deltacc_own_removes(txn), deltacc_winner_path(w, file), NULL, NULL);

	*narrow_by = NULL;
	if (reason == REMOVED_UNKNOWN_READS)
		deltacc_sentence(hint, "Pass the reads, the read files or the writes of the transaction: without them every removed file counts as read.");
	else if (reason == REMOVED_WHOLE_TABLE)
		deltacc_sentence(hint, "A transaction that reads the whole table conflicts with every removed file: read it with a condition.");
	else if (reason == REMOVED_BUT_ADDED)
		deltacc_sentence(hint, "Delta would have let this pass, and the file would be live again.");

	advise_no_data_change(hint, txn, w, values, values_file);
	if (shared)
		advise_shared_file(hint, txn, w);

	/* Of read files that were told, no one knows which read they belong to. */
	if (read < 0 && txn->args.nreads == 1)
		read = 0;
	if (reason == REMOVED_WAS_READ && !shared && (read >= 0 ? txn->plans != NULL : txn->args.nreads == 0) &&
		txn->args.snapshot->exists && w->nhints < MAX_EXPENSIVE_HINTS)
	{
		n = deltacc_file_narrowing(txn, read, values, values_file);
		w->nhints++;
		if (n != NULL)
		{
			advise_narrowing(hint, txn, w, read, n, true);
			*narrow_by = n->condition;
		}
		if (read >= 0)
			(void) advise_conjuncts(hint, deltacc_reader_plan(txn, read), n == NULL || n->by_statistics);
	}
	if (reason == REMOVED_WAS_READ && !shared && n == NULL && txn->args.writes != NULL && !w->no_data_change)
		deltacc_sentence(hint, "The transaction read this file and leaves it as it is: a condition that does not select it would avoid the conflict.");
	/* With vectors on both sides, what they say is in row_level_notes.c. */
	if (n == NULL && !w->no_data_change && ((FILE_MARK_FLAGS(w->marks[file]) & FILE_HAS_DV) || (w->flags & ACTIONS_HAS_DV)) &&
		(txn->args.writes == NULL || !(deltacc_actions_flags(txn->args.writes) & ACTIONS_HAS_DV)))
		deltacc_sentence(hint, "The winner marked rows of this file as deleted; whether they are the rows that the transaction touched, the log alone does not tell.");
	deltacc_sentence(hint, "%s", deltacc_read_again(w));
}
