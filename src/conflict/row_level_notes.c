/*-------------------------------------------------------------------------
 *
 * row_level_notes.c
 *	  What row-level concurrency has to say in a conflict.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "conflict/json_edit.h"
#include "conflict/row_level.h"

static void
put_detail(Conflict *c, const char *name, const char *json)
{
	const char *details = c->details ? c->details : "{}";

	c->details = deltacc_edit_set(details, strlen(details), name, json);
}

static void
put_hint(Conflict *c, const char *sentence)
{
	c->hint = c->hint ? psprintf("%s %s", sentence, c->hint) : sentence;
}

void
deltacc_describe_row_level(Transaction *txn, Winner *w, Conflict *c, const RowLevelVerdict *v)
{
	DeltaString path = deltacc_winner_path(w, v->winner_add);
	const char *rows = v->overlap == 1 ? "row" : "rows";

	c->path = deltacc_utf8_to_cstring(path.data, path.len);
	c->partition_values = deltacc_partition_json(txn, w->actions, v->winner_add);
	if (v->read >= 0)
	{
		c->read_index = v->read + 1;
		c->read_predicate = deltacc_read_text(txn, v->read);
	}
	c->message = psprintf("%s changed " INT64_FORMAT " %s of file %s of %s that the transaction changes, too.",
						  deltacc_winner_name(w), v->overlap, rows, c->path,
						  txn->args.table_name ? txn->args.table_name : "the table");
	c->hint = psprintf("Both deleted or updated the same %s: read the table again%s and run the transaction anew, it will find them changed.",
					   rows, w->version >= 0 ? psprintf(", at version " INT64_FORMAT " or later,", w->version) : "");
	c->details = psprintf("{\"overlapping_rows\": " INT64_FORMAT ", \"rows_of_winner\": " INT64_FORMAT
						  ", \"rows_of_transaction\": " INT64_FORMAT ", \"basis\": \"%s\"}",
						  v->overlap, v->changed_by_winner, v->file->rows->cardinality,
						  v->by_contract ? "contract" : "proof");
}

/*
 * Would row-level concurrency have let the winner pass?  Tried on a copy, once a
 * winner.
 */
static Winner *
try_row_level(Transaction *txn, Winner *w, Transaction *trial)
{
	Winner	   *tried;

	if (w->tried != NULL)
		return w->tried;
	*trial = *txn;
	trial->args.options.row_level = ROW_LEVEL_ON;
	trial->args.first_only = true;
	trial->args.for_hint = true;
	trial->row_level = NULL;
	trial->has_conflict = true; /* nothing is raised */
	tried = deltacc_winner_open(trial, w->actions, w->version);
	w->tried = tried;
	deltacc_check_row_level(trial, tried);
	if (!deltacc_check_done(trial, tried))
		deltacc_check_added_files(trial, tried);
	if (!deltacc_check_done(trial, tried))
		deltacc_check_removed_files(trial, tried);
	return tried;
}

/* Has the winner conflicts that are not over files? */
static bool
other_conflicts(const Winner *w)
{
	ListCell   *lc;

	foreach(lc, w->conflicts)
	{
		const Conflict *c = lfirst(lc);

		if (strcmp(c->check_name, "added_file") != 0 && strncmp(c->check_name, "delete_", 7) != 0)
			return true;
	}
	return false;
}

static void
note_what_would_be(Transaction *txn, Winner *w, int i, Conflict *c)
{
	Transaction trial;
	Winner	   *tried;
	const RowLevelVerdict *v;

	if (txn->args.writes == NULL || !(deltacc_actions_flags(txn->args.writes) & ACTIONS_HAS_DV) ||
		!(w->flags & ACTIONS_HAS_DV))
		return;
	tried = try_row_level(txn, w, &trial);
	v = tried->row_level ? tried->row_level[i] : NULL;
	if (v == NULL)
		return;
	if (v->outcome == ROW_LEVEL_RECONCILED)
		put_hint(c, psprintf("%s with row-level concurrency (deltacc.row_level = on): the two changed different rows of this file.%s",
							 tried->conflicts == NIL && !other_conflicts(w) ? "The transaction would commit" : "This would be no conflict",
							 txn->partitioned ? " On Databricks partitioning switches it off." : ""));
	else if (v->unread)
		put_hint(c, "Row-level concurrency (deltacc.row_level = on) would compare the rows that the two changed in this file.");
	else if (v->outcome == ROW_LEVEL_OVERLAP)
		put_hint(c, psprintf("Row-level concurrency would not help: both changed " INT64_FORMAT " row%s of this file.",
							 v->overlap, v->overlap == 1 ? "" : "s"));
}

static const char *
sub_condition_hint(const char *sub_condition)
{
	if (strcmp(sub_condition, "PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE") == 0)
		return "Partitioning switched row-level concurrency off: on Databricks only tables without partitions have it. Cluster the table (CLUSTER BY) instead.";
	if (strcmp(sub_condition, "WHOLE_TABLE_READ") == 0)
		return "Row-level concurrency does not help a transaction that read the whole table: read it with a condition.";
	if (strcmp(sub_condition, "PREDICATES_NEED_REWRITE") == 0)
		return "Row-level concurrency can't evaluate the condition: rewrite it without comparisons of structs, arrays and maps, non-deterministic functions and subqueries.";
	if (strcmp(sub_condition, "ALLOTTED_TIME_EXCEEDED") == 0)
		return "The comparison of rows took longer than deltacc.row_level_time_limit: raise it, or retry.";
	return NULL;
}

void
deltacc_row_level_note(Transaction *txn, Winner *w, int i, Conflict *c)
{
	const RowLevelVerdict *v = w->row_level ? w->row_level[i] : NULL;
	const char *reason = NULL;

	if (txn->args.terse)
		return;
	if (txn->args.options.row_level == ROW_LEVEL_OFF)
	{
		note_what_would_be(txn, w, i, c);
		return;
	}
	if (v != NULL)
		reason = v->reason;
	else if (txn->args.options.row_level == ROW_LEVEL_DATABRICKS && w->sub_condition == NULL && w->compares_values)
		reason = "Databricks compares rows by value here, which the log can't prove";
	if (w->sub_condition != NULL)
		put_hint(c, sub_condition_hint(w->sub_condition));
	if (reason != NULL)
	{
		put_detail(c, "row_level", deltacc_edit_quote(psprintf("file level: %s", reason)));
		if (w->sub_condition == NULL)
			put_hint(c, psprintf("Row-level concurrency does not decide this: %s.", reason));
	}
}


/* ----- explain_row_level ----- */

static RowLevelReport *
make_report(const char *outcome, bool by_contract, const char *reason)
{
	RowLevelReport *report = palloc0(sizeof(RowLevelReport));

	report->outcome = outcome;
	report->basis = by_contract ? "contract" : "proof";
	report->reason = reason;
	report->rows_of_winner = report->rows_of_transaction = report->overlapping_rows = -1;
	return report;
}

static RowLevelReport *
report_verdict(Winner *w, const RowLevelVerdict *v)
{
	static const char *const outcomes[] = {
		[ROW_LEVEL_RECONCILED] = "reconciled",
		[ROW_LEVEL_OVERLAP] = "conflict",
		[ROW_LEVEL_FILE] = "file level",
	};
	RowLevelReport *report = make_report(outcomes[v->outcome], v->by_contract, v->reason);
	DeltaString path = deltacc_winner_path(w, v->winner_remove);

	report->path = deltacc_utf8_to_cstring(path.data, path.len);
	if (v->outcome == ROW_LEVEL_FILE)
		report->basis = NULL;
	else
	{
		report->rows_of_winner = v->changed_by_winner;
		report->rows_of_transaction = v->file ? v->file->rows->cardinality : 0;
		report->overlapping_rows = v->overlap;
	}
	return report;
}

List *
deltacc_transaction_explain_rows(Transaction *txn, DeltaActions *winner, int64 version)
{
	MemoryContext old = MemoryContextSwitchTo(txn->context);
	List	   *reports = NIL;
	Winner	   *w;
	ListCell   *lc;

	if (txn->args.options.row_level == ROW_LEVEL_OFF)
		txn->args.options.row_level = ROW_LEVEL_ON;
	w = deltacc_winner_open(txn, winner, version);
	deltacc_check_row_level(txn, w);
	if (w->exempt != NULL)
		reports = lappend(reports, make_report("reconciled", w->exempt_by_contract, w->exempt));
	else if (w->sub_condition != NULL && txn->row_level->verdicts == NIL)
	{
		RowLevelReport *report = make_report("file level", true, sub_condition_hint(w->sub_condition));

		reports = lappend(reports, report);
	}
	foreach(lc, txn->row_level->verdicts)
		reports = lappend(reports, report_verdict(w, lfirst(lc)));
	MemoryContextSwitchTo(old);
	return reports;
}
