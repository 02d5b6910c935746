/*-------------------------------------------------------------------------
 *
 * check_row_tracking.c
 *	  Row tracking never conflicts: what can't be resolved fails.
 *
 * ConflictChecker resolves backfills and assigns row ids between the checks of
 * what commits say and the checks of files.  Where that fails in Delta, our
 * check must not say that there is no conflict.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/transaction.h"
#include "miscadmin.h"

/*
 * Does an add of the transaction lack what row ids are made of?  Only where
 * they come up with the winner: a transaction that knew of row tracking has
 * assigned its own, or is checked for its verdict alone.
 */
static const char *
file_without_records(Transaction *txn, const char **failure)
{
	DeltaActions *writes = txn->args.writes;
	const FileAction *files;
	int			n;

	if (writes == NULL || !(deltacc_actions_flags(writes) & ACTIONS_HAS_ADD))
		return NULL;
	files = deltacc_actions_files(writes, &n);
	for (int i = 0; i < n; i++)
	{
		JsonSlice	add;
		int64		ignored;

		CHECK_FOR_INTERRUPTS();
		if (files[i].kind == ACTION_ADD &&
			deltacc_edit_action(deltacc_file_line(writes, &files[i]), files[i].line_length, "add", &add) &&
			(*failure = deltacc_physical_records(&add, &ignored)) != NULL)
			return deltacc_edit_string(&add, "path");
	}
	return NULL;
}

/* A backfill writes adds and the domain of row tracking, nothing else. */
static bool
has_foreign_action(DeltaActions *writes)
{
	const OtherAction *others;
	int			n;

	if (deltacc_actions_flags(writes) & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC))
		return true;
	others = deltacc_actions_others(writes, &n);
	for (int i = 0; i < n; i++)
	{
		if (others[i].kind != ACTION_COMMIT_INFO &&
			!(others[i].kind == ACTION_DOMAIN_METADATA &&
			  deltacc_is_row_tracking_domain(deltacc_other_line(writes, &others[i]), others[i].line_length)))
			return true;
	}
	return false;
}

/* Under the properties that hold after the winner: those that it brings have been
 * taken over, if there is no conflict. */
static bool
suspended(const Transaction *txn, const Winner *w, int level)
{
	const DeltaMetadata *metadata = w->metadata && !txn->metadata_changed && !w->identity_only ?
		w->metadata : txn->metadata;
	const char *value;

	if (level == ERROR)
		return deltacc_row_tracking_suspended(metadata);
	value = metadata ? deltacc_metadata_property(metadata, "delta.rowTrackingSuspended") : NULL;
	return value != NULL && pg_strcasecmp(value, "true") == 0;
}

/* Are two file actions of the winner's the same, word for word? */
static bool
same_lines(Winner *w, int a, int b)
{
	const FileAction *files = deltacc_winner_files(w);

	return files[a].line_length == files[b].line_length &&
		memcmp(deltacc_file_line(w->actions, &files[a]), deltacc_file_line(w->actions, &files[b]), files[a].line_length) == 0;
}

/*
 * An un-backfill takes over the winner's adds that have row ids, each once.  Delta
 * checks afterwards that no path is added twice.
 */
void
deltacc_check_taken_over(Transaction *txn, Winner *w)
{
	DeltaPathSet *paths;

	if (!(txn->unbackfill || txn->drops_row_tracking) || !(w->flags & ACTIONS_HAS_ADD) ||
		deltacc_verdict_known(txn, w))
		return;
	paths = deltacc_path_set(txn->location, 8);
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);
		int			other;

		CHECK_FOR_INTERRUPTS();
		if (!deltacc_winner_adds_with_ids(w, i) || deltacc_path_set_add(paths, path, i) ||
			!deltacc_path_set_find(paths, path, &other, NULL) || same_lines(w, i, other))
			continue;
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("DELTA_DUPLICATE_ACTIONS_FOUND: the winner adds file \"%s\" twice, and the transaction would take over both",
						pnstrdup(path.data, path.len)),
				 errhint("A file may be added once in a commit: look at the writer that made it.")));
	}
}

void
deltacc_check_row_tracking(Transaction *txn, Winner *w)
{
	int			level = deltacc_verdict_known(txn, w) ? WARNING : ERROR;
	const char *path;
	int64		watermark;
	const char *failure;

	if (!deltacc_protocol_supports(w->effective_protocol, "rowTracking"))
	{
		/* Otherwise the name of an operation would switch checks off. */
		if (txn->backfill || txn->unbackfill || w->backfill || w->unbackfill)
			ereport(level,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("a row-tracking backfill of a table that doesn't support row tracking"),
					 errdetail("Delta's conflict check fails on it (AssertionError)."),
					 errhint("Look at who wrote the commit whose operation is %s.",
							 w->operation && (w->backfill || w->unbackfill) ? w->operation : txn->args.operation)));
		return;
	}

	/* An un-backfill can't go on beside a backfill. */
	if (txn->unbackfill && w->backfill)
		ereport(level,
				(errcode(ERRCODE_TRANSACTION_ROLLBACK),
				 errmsg("DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL: the winner is a row-tracking backfill, the transaction an un-backfill"),
				 errhint("Wait until the backfill is through, then drop row tracking again.")));

	/* It is looked through only for files of the winner. */
	if (txn->backfill && txn->args.writes != NULL && (w->flags & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE)) &&
		has_foreign_action(txn->args.writes))
		ereport(level,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a row-tracking backfill holds an action that is no add"),
				 errdetail("Delta's conflict check fails on it (IllegalStateException)."),
				 errhint("Pass the adds of the backfill, and the row-tracking domain.")));

	if (suspended(txn, w, level))
		return;
	if (deltacc_row_id_watermark(w->actions, &watermark, &failure) && failure != NULL)
		ereport(level,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the high-water mark in the winner's domain " ROW_TRACKING_DOMAIN " can't be read"),
				 errdetail("Delta's conflict check fails on it (%s).", failure),
				 errhint("The configuration of the domain is JSON with a number rowIdHighWaterMark: look at the writer that made this commit.")));
	if (!deltacc_protocol_supports(txn->args.snapshot->protocol, "rowTracking") &&
		txn->own_protocol == NULL &&
		(path = file_without_records(txn, &failure)) != NULL)
		deltacc_report_no_records(path, failure, level);
}
