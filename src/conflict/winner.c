/*-------------------------------------------------------------------------
 *
 * winner.c
 *	  A winner while it is checked: what it did, and the conflicts found with it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/transaction.h"

/* Reads what the checks ask first. */
Winner *
deltacc_winner_open(Transaction *txn, DeltaActions *actions, int64 version)
{
	Winner	   *w = palloc0(sizeof(Winner));
	const OtherAction *o;

	w->actions = actions;
	w->version = version;
	if (deltacc_actions_is_empty(actions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 version >= 0 ? errmsg("the winning commit at version " INT64_FORMAT " holds no action", version) :
				 errmsg("the winning commit holds no action"),
				 errdetail("An empty commit file is a torn write until proven otherwise: it can't show that there is no conflict."),
				 errhint("Read the commit file again, and pass its whole text.")));
	w->flags = deltacc_actions_flags(actions);
	if (deltacc_actions_first(actions, ACTION_TABLE_STATE) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the winning commit is a table's state, not a commit"),
				 errhint("Pass the actions of one commit, as in one file of _delta_log.")));

	w->operation = "TRANSACTION";
	o = deltacc_actions_first(actions, ACTION_COMMIT_INFO);
	if (o != NULL && deltacc_edit_action(deltacc_other_line(actions, o), o->line_length,
										 "commitInfo", &w->commit_info))
	{
		JsonSlice	operation;

		w->has_commit_info = true;
		w->operation = deltacc_edit_string(&w->commit_info, "operation");
		if (w->operation == NULL && deltacc_json_member(&w->commit_info, "operation", &operation) &&
			operation.kind != JSON_NULL)
			w->operation = pnstrdup(operation.start, operation.len);
	}
	w->blind_append = (w->flags & ACTIONS_BLIND_APPEND) != 0;
	w->backfill = w->has_commit_info && w->operation != NULL &&
		strcmp(w->operation, "ROW TRACKING BACKFILL") == 0;
	w->unbackfill = w->has_commit_info && w->operation != NULL &&
		strcmp(w->operation, "ROW TRACKING UNBACKFILL") == 0;
	w->no_data_change = (w->flags & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE)) != 0 &&
		(w->flags & ACTIONS_ANY_DATA_CHANGE) == 0;

	if (w->flags & ACTIONS_HAS_PROTOCOL)
	{
		o = deltacc_actions_first(actions, ACTION_PROTOCOL);
		w->protocol = deltacc_protocol_parse(deltacc_other_line(actions, o), o->line_length);
	}
	if (w->flags & ACTIONS_HAS_METADATA)
	{
		o = deltacc_actions_first(actions, ACTION_METADATA);
		w->metadata = deltacc_metadata_parse(deltacc_other_line(actions, o), o->line_length);
	}
	w->effective_protocol = w->protocol ? w->protocol : txn->protocol;
	if (w->flags & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE))
		w->marks = deltacc_actions_marks(actions, &w->nfiles);
	return w;
}

DeltaString
deltacc_winner_path(Winner *w, int i)
{
	/*
	 * Paths are most of a commit's index.  Most checks end without any, and many
	 * with the one that conflicts.
	 */
	if (w->paths == NULL && w->npaths++ < 4)
		return deltacc_actions_text_at(w->actions, COLUMN_PATH, "", i);
	if (w->paths == NULL)
		w->paths = deltacc_actions_column(w->actions, COLUMN_PATH, "");
	return deltacc_file_path(w->paths, i);
}

DeltaPathSet *
deltacc_winner_removed(Transaction *txn, Winner *w)
{
	if (w->removed != NULL)
		return w->removed;
	w->removed = deltacc_path_set(txn->location, 8);
	for (int i = 0; i < w->nfiles; i++)
	{
		if (winner_removes(w, i))
			deltacc_path_set_add(w->removed, deltacc_winner_path(w, i), i);
	}
	return w->removed;
}

Conflict *
deltacc_add_conflict(Transaction *txn, Winner *w, const char *check_name,
					 const char *exception, const char *error_class, const char *sub_condition)
{
	Conflict   *c = palloc0(sizeof(Conflict));

	c->winning_version = w->version;
	c->winning_operation = w->operation;
	c->check_name = check_name;
	c->exception = exception;
	c->error_class = error_class;
	c->sub_condition = sub_condition;
	c->sqlstate = "2D521";
	c->isolation = deltacc_isolation_name(txn->isolation);
	w->conflicts = lappend(w->conflicts, c);
	return c;
}

/*
 * Notes which files this winner added that can't have been read, for the
 * winners after it.  A file that was there before may be added again (with a
 * deletion vector, or with new statistics by a commit that changes no data and
 * removes nothing): that one is not new.
 */
static void
note_new_files(Transaction *txn, Winner *w)
{
	bool		recommit = w->no_data_change && !(w->flags & ACTIONS_HAS_REMOVE);
	DeltaPathSet *removed;

	if (w->nfiles == 0 || !deltacc_transaction_needs_files(&txn->args))
		return;
	removed = deltacc_winner_removed(txn, w);
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);

		if (winner_adds(w, i) && !recommit &&
			!deltacc_path_set_find(txn->gone_paths, path, NULL, NULL) &&
			!deltacc_path_set_find(removed, path, NULL, NULL))
			deltacc_path_set_add(txn->new_paths, path, i);
	}
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);

		if (winner_removes(w, i) &&
			!deltacc_path_set_find(txn->new_paths, path, NULL, NULL))
			deltacc_path_set_add(txn->gone_paths, path, i);
	}
}

DeltaPathSet *
deltacc_new_paths(Transaction *txn)
{
	ListCell   *lc;

	/* Only a later winner that removes files asks. */
	foreach(lc, txn->not_noted)
		note_new_files(txn, lfirst(lc));
	txn->not_noted = NIL;
	return txn->new_paths;
}
