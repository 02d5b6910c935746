/*-------------------------------------------------------------------------
 *
 * reads.c
 *	  Which read of the transaction selects which file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/transaction.h"
#include "miscadmin.h"
#include "skipping/whole_commit.h"

const char *
deltacc_read_text(Transaction *txn, int read)
{
	if (txn->read_texts == NULL)
		txn->read_texts = palloc0(sizeof(char *) * txn->args.nreads);
	if (txn->read_texts[read] == NULL)
	{
		StringInfoData out;

		initStringInfo(&out);
		deltacc_predicate_print(&out, deltacc_predicate_open(txn->args.reads[read]));
		txn->read_texts[read] = out.data;
	}
	return txn->read_texts[read];
}

/*
 * Runs the partition filter of a read over the winner's adds.  Where it
 * certainly raises on one of them, *error_row is the first such file.
 *
 * The filter reports the first row that raises; that may be a file that isn't
 * asked about (a remove).  Then the others are asked by themselves.
 */
static void
partition_filter(Transaction *txn, Winner *w, int read, const bool *counts, bool *keep,
				 const char **error_class, int *error_row)
{
	const ReadPlan *plan = txn->plans[read];

	*error_class = NULL;
	*error_row = -1;
	if (plan->partition == NULL)
	{
		memset(keep, true, w->nfiles);
		return;
	}
	deltacc_plan_partition_filter(plan, w->actions, keep, error_class, error_row);
	if (*error_class != NULL && !counts[*error_row])
	{
		StringInfoData text;
		DeltaActions *adds;
		bool	   *ignored;
		int		   *rows = palloc(sizeof(int) * w->nfiles);
		int			n = 0;

		initStringInfo(&text);
		for (int i = 0; i < w->nfiles; i++)
		{
			if (!counts[i])
				continue;
			rows[n++] = i;
			appendBinaryStringInfo(&text, deltacc_file_line(w->actions, &deltacc_winner_files(w)[i]), deltacc_winner_files(w)[i].line_length);
			appendStringInfoChar(&text, '\n');
		}
		*error_class = NULL;
		*error_row = -1;
		if (n == 0)
			return;
		adds = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
		ignored = palloc0(n);
		deltacc_plan_partition_filter(plan, adds, ignored, error_class, error_row);
		if (*error_class != NULL)
			*error_row = rows[*error_row];
	}
}

static void
skip_files(const ReadPlan *plan, DeltaActions *a, int n, bool *keep)
{
	if (plan->options.data_skipping == DATA_SKIPPING_OFF ||
		(plan->options.data_skipping == DATA_SKIPPING_ON && plan->skip == NULL))
		memset(keep, true, n);
	else
		deltacc_plan_skip_files(plan, a, keep);
}

bool
deltacc_added_again(Transaction *txn, Winner *w, int i)
{
	return (FILE_MARK_FLAGS(w->marks[i]) & FILE_HAS_DV) && (w->flags & ACTIONS_HAS_REMOVE) &&
		deltacc_path_set_find(deltacc_winner_removed(txn, w), deltacc_winner_path(w, i), NULL, NULL);
}

/*
 * Files that statistics may leave out: any but one that the winner re-adds
 * under the same path with a deletion vector.
 */
static bool *
skippable_files(Transaction *txn, Winner *w, const bool *counts)
{
	bool	   *result = palloc(w->nfiles);

	memcpy(result, counts, w->nfiles * sizeof(bool));
	if (!(w->flags & ACTIONS_HAS_DV) || !(w->flags & ACTIONS_HAS_REMOVE))
		return result;
	for (int i = 0; i < w->nfiles; i++)
		result[i] = counts[i] && !deltacc_added_again(txn, w, i);
	return result;
}

/*
 * Does the winner's directory tell that no read selects any of its files, and
 * that none of them makes a partition filter fail?
 */
static bool
no_read_selects(Transaction *txn, Winner *w)
{
	bool		sharp = txn->args.options.data_skipping == DATA_SKIPPING_SHARP;
	bool		skippable = !((w->flags & ACTIONS_HAS_DV) && (w->flags & ACTIONS_HAS_REMOVE));
	bool	   *skipped = palloc(txn->args.nreads);
	bool		all_skipped = true;

	for (int r = 0; r < txn->args.nreads; r++)
	{
		skipped[r] = skippable && deltacc_commit_is_skipped(txn->plans[r], w->actions);
		all_skipped &= skipped[r];
	}
	if (all_skipped)
		return true;

	/* See below: which files are read and which partitions goes by reads or not. */
	for (int r = 0; r < txn->args.nreads; r++)
	{
		uint8		partition = txn->partitioned || sharp ?
			deltacc_commit_partition(txn->plans[r], w->actions) : MAY_TRUE;

		if ((partition & MAY_ERROR) ||
			((partition & MAY_TRUE) && !(skipped[r] && (sharp || !txn->partitioned))))
			return false;
	}
	return true;
}

bool
deltacc_reads_of_added_files(Transaction *txn, Winner *w, const bool *counts, int *first)
{
	int			n = w->nfiles;
	int			nreads = txn->args.nreads;
	DeltaccDataSkipping skipping = txn->args.options.data_skipping;
	bool	   *skippable;
	bool	  **data = palloc0(sizeof(bool *) * nreads);
	bool	   *survivors = palloc0(n);
	bool	   *keep = palloc(n);

	for (int i = 0; i < n; i++)
		first[i] = -1;
	if (txn->plans == NULL ||
		(skipping == DATA_SKIPPING_OFF && !txn->partitioned))
	{
		/* Released Delta evaluates nothing on an unpartitioned table. */
		for (int i = 0; i < n; i++)
			first[i] = counts[i] ? 0 : -1;
		return true;
	}

	if (no_read_selects(txn, w))
		return false;

	/* What statistics leave: per read, and united. */
	skippable = skippable_files(txn, w, counts);
	for (int r = 0; r < nreads; r++)
	{
		bool	   *selected = data[r] = palloc(n);

		skip_files(txn->plans[r], w->actions, n, selected);
		for (int i = 0; i < n; i++)
		{
			selected[i] |= !skippable[i];
			survivors[i] |= selected[i];
		}
	}
	if (memchr(survivors, true, n) == NULL)
		return false;

	for (int r = 0; r < nreads; r++)
	{
		const char *error_class = NULL;
		int			error_row = -1;

		CHECK_FOR_INTERRUPTS();

		/*
		 * Taken whole (sharp), a read is false where it says so, with columns or
		 * without; else nothing is evaluated on an unpartitioned table.
		 */
		if (txn->partitioned || skipping == DATA_SKIPPING_SHARP)
			partition_filter(txn, w, r, counts, keep, &error_class, &error_row);
		else
			memset(keep, true, n);

		for (int i = 0; i < n; i++)
		{
			bool		by_data = skipping == DATA_SKIPPING_SHARP || !txn->partitioned ? data[r][i] : survivors[i];

			if (counts[i] && first[i] < 0 && keep[i] && by_data)
				first[i] = r;
		}

		/*
		 * Delta's check throws, if it gets that far: not where a file before has
		 * decided it.  The file that can't be judged is kept then.
		 */
		if (error_class != NULL && survivors[error_row] && !deltacc_verdict_known(txn, w))
		{
			bool		decided = false;

			for (int i = 0; i < n && !decided; i++)
				decided = first[i] >= 0 && (first[i] < r || i < error_row);
			if (!decided)
				deltacc_plan_raise(txn->plans[r], w->actions, error_class, error_row);
		}
	}
	return true;
}

/* The reader's data skipping is always on; sharp stays sharp. */
static void
make_reader_plans(Transaction *txn)
{
	DeltaccOptions options = txn->args.options;

	if (txn->reader_plans != NULL)
		return;
	if (options.data_skipping != DATA_SKIPPING_OFF)
	{
		txn->reader_plans = txn->plans;
		return;
	}
	options.data_skipping = DATA_SKIPPING_ON;
	txn->reader_plans = palloc0(sizeof(ReadPlan *) * txn->args.nreads);
	for (int i = 0; i < txn->args.nreads; i++)
		txn->reader_plans[i] = deltacc_read_plan(txn->args.snapshot, txn->args.reads[i], &options,
												 txn->args.table_name);
}

const ReadPlan *
deltacc_reader_plan(Transaction *txn, int read)
{
	make_reader_plans(txn);
	return txn->reader_plans[read];
}

/*
 * Would the reader's data skipping have spared us the conflict with an added
 * file?  For a hint: nothing is raised.
 */
bool
deltacc_data_skipping_spares(Transaction *txn, Winner *w, int file)
{
	if (txn->args.options.data_skipping != DATA_SKIPPING_OFF || txn->plans == NULL)
		return false;
	if (w->first_skipping == NULL)
	{
		Transaction skipping = *txn;
		bool	   *counts = palloc(w->nfiles);

		make_reader_plans(txn);
		skipping.plans = txn->reader_plans;
		skipping.args.options.data_skipping = DATA_SKIPPING_ON;
		skipping.has_conflict = true;
		for (int i = 0; i < w->nfiles; i++)
			counts[i] = winner_adds(w, i);
		w->first_skipping = palloc(sizeof(int) * w->nfiles);
		deltacc_reads_of_added_files(&skipping, w, counts, w->first_skipping);
	}
	return w->first_skipping[file] < 0;
}

void
deltacc_reads_of_live_files(Transaction *txn, DeltaActions *a, int *first)
{
	deltacc_count_reads_of_live_files(txn, a, first, NULL);
}

void
deltacc_count_reads_of_live_files(Transaction *txn, DeltaActions *a, int *first, int *counts)
{
	bool	   *keep;
	bool	   *data;
	int			n;

	n = deltacc_actions_file_count(a);
	for (int i = 0; i < n; i++)
	{
		first[i] = txn->plans == NULL ? 0 : -1;
		if (counts != NULL)
			counts[i] = txn->plans == NULL ? txn->args.nreads : 0;
	}
	if (txn->plans == NULL)
		return;
	make_reader_plans(txn);
	keep = palloc(n);
	data = palloc(n);
	for (int r = 0; r < txn->args.nreads; r++)
	{
		const ReadPlan *plan = txn->reader_plans[r];
		const char *error_class = NULL;
		int			error_row = -1;

		CHECK_FOR_INTERRUPTS();
		if (plan->partition == NULL)
			memset(keep, true, n);
		else
			deltacc_plan_partition_filter(plan, a, keep, &error_class, &error_row);
		skip_files(plan, a, n, data);
		for (int i = 0; i < n; i++)
		{
			if (!keep[i] || !data[i])
				continue;
			if (first[i] < 0)
				first[i] = r;
			if (counts != NULL)
				counts[i]++;
		}
	}
}
