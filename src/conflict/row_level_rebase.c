/*-------------------------------------------------------------------------
 *
 * row_level_rebase.c
 *	  What is committed on top of a winner that changed other rows of the same
 *	  file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/row_level.h"
#include "miscadmin.h"

/* Sets a member of an action to another one's text, if that has it. */
static void
copy_member(OwnAction *action, const char *name, const JsonSlice *from, const char *member)
{
	JsonSlice	value;

	if (!deltacc_json_member(from, member, &value))
		return;
	action->text = deltacc_edit_set_in_action(action->text, action->len, name, member,
											  pnstrdup(value.start, value.len));
	action->len = strlen(action->text);
}

static void
set_member(OwnAction *action, const char *name, const char *member, const char *value)
{
	action->text = deltacc_edit_set_in_action(action->text, action->len, name, member, value);
	action->len = strlen(action->text);
}

/*
 * An add's statistics once more rows are deleted: the bounds are wide.  What
 * can't be edited says nothing that could be relied on.
 */
static void
widen_statistics(OwnAction *add)
{
	JsonScanner scanner;
	JsonSlice	object,
				stats,
				tight;
	StringInfoData text,
				quoted;
	bool		as_string;

	if (!deltacc_edit_action(add->text, add->len, "add", &object) ||
		!deltacc_json_member(&object, "stats", &stats) || stats.kind == JSON_NULL)
		return;
	as_string = stats.kind == JSON_STRING;
	initStringInfo(&text);
	if (as_string)
	{
		deltacc_json_unescape(&text, &stats);
		deltacc_json_init(&scanner, text.data, text.len, false);
		if (strlen(text.data) != text.len || !deltacc_json_value(&scanner, &stats) ||
			!deltacc_json_at_end(&scanner))
			stats.kind = JSON_NULL;
	}
	if (stats.kind != JSON_OBJECT)
	{
		set_member(add, "add", "stats", NULL);
		return;
	}
	if (deltacc_json_member(&stats, "tightBounds", &tight) && tight.kind == JSON_FALSE)
		return;
	initStringInfo(&quoted);
	appendStringInfoString(&quoted, deltacc_edit_set(stats.start, stats.len, "tightBounds", "false"));
	set_member(add, "add", "stats", as_string ? deltacc_edit_quote(quoted.data) : quoted.data);
}

/*
 * The winner's add with the vectors united, and a remove of the file as the
 * winner left it.
 */
static void
replace_own_action(OwnAction *own, Winner *w, const RowLevelVerdict *v)
{
	const FileAction *file = &deltacc_winner_files(w)[v->winner_add];
	char	   *line = deltacc_file_line(w->actions, file);
	JsonSlice	theirs;

	if (!deltacc_edit_action(line, file->line_length, "add", &theirs))
		elog(ERROR, "an add is not there");
	if (own->kind == ACTION_ADD)
	{
		RowSet	   *united = deltacc_row_set_union(v->winner_rows, v->file->rows);

		own->text = line;
		own->len = file->line_length;
		set_member(own, "add", "deletionVector", deltacc_deletion_vector_inline(united));
		set_member(own, "add", "dataChange", "true");
		widen_statistics(own);
		own->keeps_row_ids = true;
	}
	else
	{
		copy_member(own, "remove", &theirs, "path");
		copy_member(own, "remove", &theirs, "deletionVector");
		copy_member(own, "remove", &theirs, "baseRowId");
		copy_member(own, "remove", &theirs, "defaultRowCommitVersion");
	}
}

static void
replace_own_actions(Transaction *txn, Winner *w, List *verdicts)
{
	DeltaPathSet *paths = deltacc_path_set(txn->location, list_length(verdicts));
	ListCell   *lc;
	int			i = 0;

	foreach(lc, verdicts)
	{
		RowLevelVerdict *v = lfirst(lc);

		deltacc_path_set_add(paths, deltacc_winner_path(w, v->winner_remove), i++);
	}
	foreach(lc, deltacc_own_actions(txn))
	{
		OwnAction  *own = lfirst(lc);
		const RowLevelVerdict *v;

		CHECK_FOR_INTERRUPTS();
		if ((own->kind != ACTION_ADD && own->kind != ACTION_REMOVE) ||
			!deltacc_path_set_find(paths, deltacc_own_path(own), &i, NULL))
			continue;
		v = list_nth(verdicts, i);
		if (v->outcome == ROW_LEVEL_RECONCILED && v->file != NULL)
			replace_own_action(own, w, v);
	}
}

/*
 * What Databricks commits after a winner that moved rows, or packing files whose
 * rows a winner changed, takes the rows themselves.
 */
static void
refuse_moved_rows(Transaction *txn, Winner *w)
{
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path;

		if (!winner_removes(w, i))
			continue;
		path = deltacc_winner_path(w, i);
		if (deltacc_path_set_find(deltacc_own_removes(txn), path, NULL, NULL) ||
			deltacc_path_set_find(deltacc_own_adds(txn), path, NULL, NULL))
			ereport(ERROR,
					(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					 errmsg("the commit on top of the winner can't be made from the log"),
					 errdetail("Both change file \"%.*s\", and one of them moved its rows to another file. On Databricks that is no conflict: it looks the rows up in their new places.",
							   path.len, path.data),
					 errhint("Run the transaction anew on top of the winner.")));
	}
}

void
deltacc_row_level_rebase(Transaction *txn, Winner *w)
{
	RowLevelState *state;
	ListCell   *lc;

	if (txn->args.options.row_level == ROW_LEVEL_OFF)
		return;
	state = deltacc_row_level_state(txn);
	if (state->winner != w->actions)
		deltacc_check_row_level(txn, w);
	if (state->exempt_by_contract && !txn->args.verdict_only)
		refuse_moved_rows(txn, w);
	if (state->verdicts == NIL)
		return;
	if (!txn->args.verdict_only)
		replace_own_actions(txn, w, state->verdicts);
	foreach(lc, state->verdicts)
	{
		RowLevelVerdict *v = lfirst(lc);

		if (v->outcome != ROW_LEVEL_RECONCILED || v->file == NULL)
			continue;
		v->file->base = v->winner_rows;
		v->file->base_id = v->winner_id;
	}
}
