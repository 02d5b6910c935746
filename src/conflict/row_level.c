/*-------------------------------------------------------------------------
 *
 * row_level.c
 *	  Row-level concurrency: two commits that deleted or updated rows of the
 *	  same file, by their deletion vectors.
 *
 * A DELETE or UPDATE changes exactly the rows for which its condition is true.
 * If a winner changed other rows of a file that it changed, too, then these rows
 * are as they were, the condition is true for the same ones, and the transaction
 * after the winner would do to that file what it did.  So it may follow the
 * winner, with the vectors united.  That holds where the condition is all that
 * it read of the file, and a function of the row: else, and for any other shape
 * of a change, the checks of files answer.  What the winner adds in other files,
 * the new images of an UPDATE above all, stays with these, too.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/row_level.h"
#include "miscadmin.h"
#include "utils/timestamp.h"

/* How a commit changed one file. */
typedef struct FileChange
{
	int			nadds;
	int			nremoves;
	int			add;			/* the last of them; -1 */
	int			remove;
} FileChange;

static void
count_change(FileChange *change, const FileAction *file, int i)
{
	if (file->kind == ACTION_ADD)
	{
		change->nadds++;
		change->add = i;
	}
	else if (file->kind == ACTION_REMOVE)
	{
		change->nremoves++;
		change->remove = i;
	}
}

/* One remove and one add with a deletion vector? */
static bool
changes_rows(const FileChange *change, const FileAction *files)
{
	return change->nadds == 1 && change->nremoves == 1 && (files[change->add].flags & FILE_HAS_DV);
}

/* The files whose rows the transaction changes. */
RowLevelState *
deltacc_row_level_state(Transaction *txn)
{
	RowLevelState *state = txn->row_level;
	DeltaActions *writes = txn->args.writes;
	const FileAction *files;
	const ActionsColumn *paths;
	const ActionsColumn *ids;
	DeltaPathSet *seen;
	FileChange *changes;
	int		   *index;
	int			n;

	if (state != NULL)
		return state;
	state = txn->row_level = palloc0(sizeof(RowLevelState));
	state->paths = deltacc_path_set(txn->location, 8);
	if (writes == NULL || !(deltacc_actions_flags(writes) & ACTIONS_HAS_DV))
		return state;

	files = deltacc_actions_files(writes, &n);
	paths = deltacc_actions_column(writes, COLUMN_PATH, "");
	ids = deltacc_actions_column(writes, COLUMN_DV_ID, "");
	seen = deltacc_path_set(txn->location, n);
	changes = palloc0(sizeof(FileChange) * n);
	index = palloc(sizeof(int) * n);
	for (int i = 0; i < n; i++)
	{
		DeltaString path = deltacc_file_path(paths, i);

		CHECK_FOR_INTERRUPTS();
		deltacc_path_set_add(seen, path, i);
		(void) deltacc_path_set_find(seen, path, &index[i], NULL);
		count_change(&changes[index[i]], &files[i], i);
	}
	state->files = palloc0(sizeof(RowLevelFile) * n);
	for (int i = 0; i < n; i++)
	{
		RowLevelFile *f = &state->files[state->nfiles];

		if (index[i] != i || !changes_rows(&changes[i], files) ||
			!(files[changes[i].add].flags & files[changes[i].remove].flags & FILE_DATA_CHANGE))
			continue;
		f->own_add = changes[i].add;
		f->own_remove = changes[i].remove;
		if (ids->kinds[f->own_remove] == TOKEN_STRING)
		{
			DeltaString id = deltacc_column_text(ids, f->own_remove);

			f->base_id = pnstrdup(id.data, id.len);
		}
		deltacc_path_set_add(state->paths, deltacc_file_path(paths, i), state->nfiles++);
	}
	return state;
}

/* ----- vectors ----- */

/*
 * The rows of the deletion vector of a file action: none without one.  NULL with
 * the reason if they can't be known.
 */
static RowSet *
rows_of_action(Transaction *txn, DeltaActions *a, const FileAction *file, DeletionVector *dv, const char **why)
{
	const char *name = file->kind == ACTION_ADD ? "add" : "remove";
	JsonSlice	object,
				vector;
	const uint8 *frame = NULL;
	Size		len = 0;
	RowSet	   *rows;
	const char *reason = NULL;

	dv->id = NULL;
	if (!(file->flags & FILE_HAS_DV))
		return deltacc_row_set_empty();
	if (!deltacc_edit_action(deltacc_file_line(a, file), file->line_length, name, &object) ||
		!deltacc_json_member(&object, "deletionVector", &vector))
	{
		*why = "a deletion vector can't be read: it is not there";
		return NULL;
	}
	if (!deltacc_deletion_vector_read(&vector, dv, &reason))
	{
		*why = psprintf("a deletion vector can't be read: %s", reason);
		return NULL;
	}
	if (deltacc_deletion_vector_in_file(dv))
	{
		if (txn->args.fetch_vector == NULL)
			reason = "its file is not at hand";
		else
			frame = txn->args.fetch_vector(txn->args.fetch_arg, dv, !txn->args.for_hint, &len, &reason);
		if (frame == NULL)
		{
			*why = psprintf("deletion vector %s can't be read: %s", dv->id, reason);
			return NULL;
		}
	}
	rows = deltacc_deletion_vector_rows(dv, frame, len, &reason);
	if (rows == NULL)
		*why = psprintf("%s can't be read: %s",
						dv->storage == 'i' ? "an inline deletion vector" : psprintf("deletion vector %s", dv->id), reason);
	return rows;
}

/* The transaction's own two vectors of a file. */
static bool
load_own(Transaction *txn, RowLevelFile *f)
{
	const FileAction *files;
	DeletionVector dv;
	RowSet	   *after;
	int			n;

	if (f->loaded)
		return f->why == NULL;
	f->loaded = true;
	files = deltacc_actions_files(txn->args.writes, &n);
	f->base = rows_of_action(txn, txn->args.writes, &files[f->own_remove], &dv, &f->why);
	if (f->base == NULL)
		return false;
	after = rows_of_action(txn, txn->args.writes, &files[f->own_add], &dv, &f->why);
	if (after == NULL)
		return false;
	if (!deltacc_row_set_contains(after, f->base))
	{
		f->why = "the transaction's deletion vector lacks rows of the one before it";
		return false;
	}
	f->rows = deltacc_row_set_minus(after, f->base);
	return true;
}

/* ----- the conditions ----- */

/*
 * The reads that select each of the files in question at the read version, by
 * their adds, else by what the winner's removes say of them.
 */
static void
count_reads(Transaction *txn, Winner *w, List *verdicts, int *counts, int *first)
{
	int			n = list_length(verdicts);
	DeltaPathSet *wanted = deltacc_path_set(txn->location, n);
	StringInfoData text;
	List	   *owners = NIL;
	int		   *row_counts;
	int		   *row_first;
	DeltaActions *adds;
	int			i = 0;
	ListCell   *lc;

	for (i = 0; i < n; i++)
	{
		RowLevelVerdict *v = list_nth(verdicts, i);

		counts[i] = 0;
		first[i] = -1;
		deltacc_path_set_add(wanted, deltacc_winner_path(w, v->winner_remove), i);
	}
	if (txn->args.nreads == 0 || n == 0)
		return;

	initStringInfo(&text);
	if (txn->known_files != NULL)
	{
		const FileAction *files;
		const ActionsColumn *paths;
		int			nknown;

		files = deltacc_actions_files(txn->known_files, &nknown);
		paths = deltacc_actions_column(txn->known_files, COLUMN_PATH, "");
		for (int f = 0; f < nknown; f++)
		{
			int			owner;

			if (files[f].kind != ACTION_ADD ||
				!deltacc_path_set_find(wanted, deltacc_file_path(paths, f), &owner, NULL))
				continue;
			appendBinaryStringInfo(&text, deltacc_file_line(txn->known_files, &files[f]), files[f].line_length);
			appendStringInfoChar(&text, '\n');
			owners = lappend_int(owners, owner);
		}
	}
	for (i = 0; i < n; i++)
	{
		RowLevelVerdict *v = list_nth(verdicts, i);
		const FileAction *file = &deltacc_winner_files(w)[v->winner_remove];

		if (list_member_int(owners, i))
			continue;
		appendBinaryStringInfo(&text, deltacc_file_line(w->actions, file), file->line_length);
		appendStringInfoChar(&text, '\n');
		owners = lappend_int(owners, i);
	}

	adds = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
	row_counts = palloc(sizeof(int) * list_length(owners));
	row_first = palloc(sizeof(int) * list_length(owners));
	deltacc_count_reads_of_live_files(txn, adds, row_first, row_counts);
	i = 0;
	foreach(lc, owners)
	{
		int			owner = lfirst_int(lc);

		/* A path may have been live with several vectors. */
		if (first[owner] >= 0 && row_first[i] >= 0 && first[owner] != row_first[i])
			counts[owner] = txn->args.nreads;
		counts[owner] = Max(counts[owner], row_counts[i]);
		if (row_first[i] >= 0)
			first[owner] = row_first[i];
		i++;
	}
}

/* Why the transaction as a whole proves nothing about rows; NULL if it may. */
static const char *
why_not_transaction(Transaction *txn)
{
	const char *operation = deltacc_own_operation(txn);

	if (operation == NULL)
		return "it is not known whether the transaction is a DELETE or an UPDATE";
	if (!deltacc_operation_is(operation, "DELETE") && !deltacc_operation_is(operation, "UPDATE"))
		return psprintf("disjoint rows are a proof for a DELETE and an UPDATE, and the transaction is a %s", operation);
	if (txn->args.read_whole_table)
		return "the transaction read the whole table";
	return NULL;
}

/* ... about one file; count of the reads that select it, the first of them. */
static const char *
why_not_file(Transaction *txn, DeltaString path, int count, int read)
{
	const char *why;

	if (txn->read_paths != NULL && !deltacc_path_set_find(txn->read_paths, path, NULL, NULL))
		return "the file is not among read_files";
	if (count == 0)
		return "no read of the transaction selects the file";
	if (count > 1)
		return psprintf("%d reads of the transaction select the file: which rows they read is not known", count);
	why = deltacc_read_unfit_for_rows(txn, read);
	if (why != NULL)
		return psprintf("the read that selects the file is no function of its rows: %s", why);
	return NULL;
}

static bool
out_of_time(Transaction *txn, TimestampTz since)
{
	int			limit = txn->args.options.row_level_time_limit;

	return limit >= 0 &&
		txn->row_level->spent + (GetCurrentTimestamp() - since) >= (int64) limit * 1000;
}

/* ----- the comparison ----- */

static void
file_level(RowLevelVerdict *v, const char *reason)
{
	v->outcome = ROW_LEVEL_FILE;
	v->reason = reason;
}

static bool
same_id(const char *a, const char *b)
{
	return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/*
 * Compares the vectors of a winner with those of the transaction, or, where the
 * transaction left the file alone, with the one before it.
 */
static void
compare_vectors(Transaction *txn, Winner *w, RowLevelVerdict *v)
{
	RowLevelFile *f = v->file;
	DeletionVector before_dv,
				dv;
	RowSet	   *before,
			   *after,
			   *changed;
	const char *why = NULL;

	if (f != NULL && !load_own(txn, f))
	{
		file_level(v, f->why);
		v->unread = f->rows == NULL;
		return;
	}
	before = rows_of_action(txn, w->actions, &deltacc_winner_files(w)[v->winner_remove], &before_dv, &why);
	if (before == NULL)
	{
		file_level(v, why);
		v->unread = true;
		return;
	}
	if (f != NULL && !same_id(f->base_id, before_dv.id))
	{
		file_level(v, "the two started from different deletion vectors of the file");
		return;
	}
	after = rows_of_action(txn, w->actions, &deltacc_winner_files(w)[v->winner_add], &dv, &why);
	if (after == NULL)
	{
		file_level(v, why);
		v->unread = true;
		return;
	}
	if (!deltacc_row_set_contains(after, before))
	{
		file_level(v, "the winner's deletion vector lacks rows of the one before it: rows came back");
		return;
	}
	changed = deltacc_row_set_minus(after, before);
	v->winner_id = dv.id;
	v->winner_rows = after;
	v->changed_by_winner = changed->cardinality;
	v->overlap = f ? deltacc_row_set_intersection(changed, f->rows)->cardinality : 0;
	v->outcome = v->overlap > 0 ? ROW_LEVEL_OVERLAP : ROW_LEVEL_RECONCILED;
	v->reason = v->overlap > 0 ? "both changed the same rows" :
		f != NULL ? "they changed different rows" : "the transaction changed no row of the file";
}

/*
 * The files that the winner and the transaction both changed; of those that only
 * the winner changed, the ones whose rows it deleted (with_others).
 */
static List *
common_files(Transaction *txn, Winner *w, bool with_others)
{
	RowLevelState *state = deltacc_row_level_state(txn);
	DeltaPathSet *seen = deltacc_path_set(txn->location, w->nfiles);
	FileChange *changes = palloc0(sizeof(FileChange) * Max(w->nfiles, 1));
	int		   *index = palloc(sizeof(int) * Max(w->nfiles, 1));
	List	   *verdicts = NIL;

	if (state->nfiles == 0 && !with_others)
		return NIL;
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);

		CHECK_FOR_INTERRUPTS();
		index[i] = -1;
		if (FILE_MARK_KIND(w->marks[i]) == ACTION_CDC)
			continue;
		deltacc_path_set_add(seen, path, i);
		(void) deltacc_path_set_find(seen, path, &index[i], NULL);
		count_change(&changes[index[i]], &deltacc_winner_files(w)[i], i);
	}
	for (int i = 0; i < w->nfiles; i++)
	{
		RowLevelVerdict *v;
		DeltaString path;
		int			own;
		bool		is_own;

		if (index[i] != i || changes[i].nremoves == 0)
			continue;
		path = deltacc_winner_path(w, i);
		is_own = deltacc_path_set_find(state->paths, path, &own, NULL);
		if (!is_own &&
			(!with_others || !changes_rows(&changes[i], deltacc_winner_files(w)) ||
			 deltacc_path_set_find(deltacc_own_removes(txn), path, NULL, NULL) ||
			 deltacc_path_set_find(deltacc_own_adds(txn), path, NULL, NULL)))
			continue;
		v = palloc0(sizeof(RowLevelVerdict));
		v->file = is_own ? &state->files[own] : NULL;
		v->winner_add = changes[i].nadds > 0 ? changes[i].add : -1;
		v->winner_remove = changes[i].remove;
		v->read = -1;
		if (changes_rows(&changes[i], deltacc_winner_files(w)))
			v->outcome = ROW_LEVEL_RECONCILED;	/* until something speaks against it */
		else
			file_level(v, changes[i].nadds == 0 ? "the winner removed the file altogether" :
					   "the winner changed the file otherwise than by one deletion vector");
		verdicts = lappend(verdicts, v);
	}
	return verdicts;
}

static void
judge(Transaction *txn, Winner *w, List *verdicts, bool by_contract)
{
	TimestampTz since = GetCurrentTimestamp();
	int			n = list_length(verdicts);
	int		   *counts = palloc(sizeof(int) * Max(n, 1));
	int		   *first = palloc(sizeof(int) * Max(n, 1));
	const char *why_not = by_contract ? NULL : why_not_transaction(txn);

	count_reads(txn, w, verdicts, counts, first);
	for (int i = 0; i < n; i++)
	{
		RowLevelVerdict *v = list_nth(verdicts, i);
		const char *reason = why_not;

		CHECK_FOR_INTERRUPTS();
		if (counts[i] == 1)
			v->read = first[i];
		if (v->outcome == ROW_LEVEL_FILE)
			continue;
		v->by_contract = by_contract;
		if (reason == NULL && !by_contract)
			reason = why_not_file(txn, deltacc_winner_path(w, v->winner_remove), counts[i], first[i]);
		if (reason == NULL && out_of_time(txn, since))
		{
			reason = "deltacc.row_level_time_limit is over";
			w->sub_condition = "ALLOTTED_TIME_EXCEEDED";
		}
		if (reason != NULL)
			file_level(v, reason);
		else
			compare_vectors(txn, w, v);
	}
	txn->row_level->spent += GetCurrentTimestamp() - since;
}

List *
deltacc_row_level_verdicts(Transaction *txn, Winner *w)
{
	bool		by_contract = txn->args.options.row_level == ROW_LEVEL_DATABRICKS;
	List	   *verdicts;

	if (by_contract && !deltacc_row_level_contract(txn, w))
		return NIL;
	if (txn->args.writes == NULL || !(w->flags & ACTIONS_HAS_REMOVE))
		return NIL;
	verdicts = common_files(txn, w, by_contract);
	if (verdicts != NIL)
		judge(txn, w, verdicts, by_contract);
	return verdicts;
}

void
deltacc_check_row_level(Transaction *txn, Winner *w)
{
	RowLevelState *state;
	List	   *verdicts = NIL;
	ListCell   *lc;

	if (txn->args.options.row_level == ROW_LEVEL_OFF && !txn->args.options.ignore_rearranged)
		return;
	state = deltacc_row_level_state(txn);
	if (txn->args.options.ignore_rearranged && deltacc_only_rearranged(txn, w))
		w->exempt = "the winner only moved rows, and the transaction only appends";
	else if (txn->args.options.row_level != ROW_LEVEL_OFF)
		verdicts = deltacc_row_level_verdicts(txn, w);

	if (verdicts != NIL)
		w->row_level = palloc0(sizeof(RowLevelVerdict *) * w->nfiles);
	foreach(lc, verdicts)
	{
		RowLevelVerdict *v = lfirst(lc);

		if (v->winner_add >= 0)
			w->row_level[v->winner_add] = v;
		w->row_level[v->winner_remove] = v;
		if (v->outcome == ROW_LEVEL_OVERLAP && !deltacc_check_done(txn, w))
		{
			Conflict   *c = deltacc_add_conflict(txn, w, "added_file", "ConcurrentAppendException",
												 "DELTA_CONCURRENT_APPEND", "ROW_LEVEL_CHANGES");

			deltacc_describe_row_level(txn, w, c, v);
		}
	}
	state->winner = w->actions;
	state->verdicts = verdicts;
	state->exempt_by_contract = w->exempt_by_contract;
}

bool
deltacc_row_level_exempts(const Winner *w, int i)
{
	return w->exempt != NULL ||
		(w->row_level != NULL && w->row_level[i] != NULL && w->row_level[i]->outcome != ROW_LEVEL_FILE);
}

const char *
deltacc_row_level_sub_condition(const Winner *w, const char *normal)
{
	return w->sub_condition ? w->sub_condition : normal;
}
