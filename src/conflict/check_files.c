/*-------------------------------------------------------------------------
 *
 * check_files.c
 *	  Checks 7 to 9: files that the winner added and the transaction should have
 *	  read, files that it removed and the transaction read, and files that both
 *	  removed.
 *
 * ConflictChecker.checkForAddedFilesThatShouldHaveBeenReadByCurrentTxn,
 * checkForDeletedFilesAgainstCurrentTxnReadFiles and
 * checkForDeletedFilesAgainstCurrentTxnDeletedFiles.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/row_level.h"
#include "conflict/transaction.h"
#include "miscadmin.h"

/* ----- added files ----- */

/* Are the winner's adds looked at at all?  (semantics: the table of levels) */
static bool
added_files_count(const Transaction *txn, const Winner *w)
{
	if (!(w->flags & ACTIONS_HAS_ADD) || txn->blind_append)
		return false;
	/* A backfill changes no data, on either side. */
	if (w->backfill || w->unbackfill || txn->backfill || txn->unbackfill)
		return false;
	switch (txn->isolation)
	{
		case ISOLATION_SERIALIZABLE:
			return true;
		case ISOLATION_WRITE_SERIALIZABLE:
			return txn->metadata_changed || !w->blind_append;
		case ISOLATION_SNAPSHOT:
			return false;
	}
	return true;
}

static void
add_added_file(Transaction *txn, Winner *w, int file, int read)
{
	char	   *partition = deltacc_partition_text(txn, w->actions, file);
	Conflict   *c = deltacc_add_conflict(txn, w, "added_file", "ConcurrentAppendException",
										 "DELTA_CONCURRENT_APPEND",
										 deltacc_row_level_sub_condition(w, partition ? "WITH_PARTITION_HINT" : "WITHOUT_HINT"));

	deltacc_describe_added_file(txn, w, c, file, read);
	deltacc_row_level_note(txn, w, file, c);
}

void
deltacc_check_added_files(Transaction *txn, Winner *w)
{
	bool	   *counts;
	int		   *first;
	const uint8 *marks = w->marks;
	int			nfiles = w->nfiles;
	int			n = 0;
	int			nreads = txn->args.nreads;

	if (!added_files_count(txn, w))
		return;
	if (nreads == 0 && !txn->args.read_whole_table && txn->partitioned)
	{
		/* Without a read there is nothing that a partition could match. */
		for (int i = 0; i < w->nfiles; i++)
		{
			txn->files_checked += winner_adds(w, i);
			txn->files_skipped += winner_adds(w, i);
		}
		return;
	}

	counts = palloc(nfiles);
	for (int i = 0; i < nfiles; i++)
		n += counts[i] = FILE_MARK_KIND(marks[i]) == ACTION_ADD;
	if (w->exempt != NULL || w->row_level != NULL)
	{
		n = 0;
		for (int i = 0; i < nfiles; i++)
			n += counts[i] = counts[i] && !deltacc_row_level_exempts(w, i);
	}
	txn->files_checked += n;

	if (txn->args.read_whole_table || nreads == 0)
	{
		for (int i = 0; i < w->nfiles; i++)
		{
			if (!counts[i])
				continue;
			CHECK_FOR_INTERRUPTS();
			add_added_file(txn, w, i, -1);
			if (deltacc_check_done(txn, w))
				return;
		}
		return;
	}

	/* The order of the reads goes before that of the files. */
	first = palloc(sizeof(int) * w->nfiles);
	w->first_read = first;
	if (!deltacc_reads_of_added_files(txn, w, counts, first))
	{
		txn->files_skipped += n;
		return;
	}
	n = 0;
	for (int i = 0; i < w->nfiles; i++)
		n += counts[i] & (first[i] < 0);
	txn->files_skipped += n;
	for (int r = 0; r < nreads; r++)
	{
		for (int i = 0; i < w->nfiles; i++)
		{
			if (first[i] != r)
				continue;
			CHECK_FOR_INTERRUPTS();
			add_added_file(txn, w, i, r);
			if (deltacc_check_done(txn, w))
				return;
		}
	}
}

/* ----- removed files ----- */

/* What is known of a removed file from before: its add, and which read
 * selected it. */
typedef struct RemovedFile
{
	bool		known;			/* its add is known */
	bool		read;
	int			first_read;		/* -1: not by a read */
	bool		spelled_alike;
	RemovedFileReason reason;
	DeltaActions *values;		/* where its partition values stand */
	int			values_file;
} RemovedFile;

/* The file actions that have an owner, made a value of their own. */
static DeltaActions *
pick_files(DeltaActions *a, const FileAction *files, int n, const int *owners)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int f = 0; f < n; f++)
	{
		if (owners[f] < 0)
			continue;
		appendBinaryStringInfo(&text, deltacc_file_line(a, &files[f]), files[f].line_length);
		appendStringInfoChar(&text, '\n');
	}
	return deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
}

/*
 * Finds the adds, live at the read version, of the files that the winner
 * removed: all that are known, or a few out of what may be many.
 */
static void
find_known_adds(Transaction *txn, Winner *w, RemovedFile *removed)
{
	DeltaPathSet *paths = deltacc_winner_removed(txn, w);
	const FileAction *files;
	const ActionsColumn *known_paths;
	DeltaActions *adds;
	int		   *owners;
	int		   *first;
	int			n,
				nowners = 0;

	if (txn->known_files == NULL)
		return;
	files = deltacc_actions_files(txn->known_files, &n);
	known_paths = deltacc_actions_column(txn->known_files, COLUMN_PATH, "");
	owners = palloc(sizeof(int) * Max(n, 1));
	for (int f = 0; f < n; f++)
	{
		owners[f] = -1;
		if (files[f].kind == ACTION_ADD &&
			deltacc_path_set_find(paths, deltacc_file_path(known_paths, f), &owners[f], NULL))
			nowners++;
	}
	if (nowners == 0)
		return;
	adds = nowners == n ? txn->known_files : pick_files(txn->known_files, files, n, owners);
	/* Where several actions share a line, all are looked at. */
	if (deltacc_actions_file_count(adds) != nowners)
		adds = txn->known_files;
	first = palloc(sizeof(int) * deltacc_actions_file_count(adds));
	for (int i = 0; i < deltacc_actions_file_count(adds); i++)
		first[i] = -1;
	if (deltacc_transaction_needs_files(&txn->args))
		deltacc_reads_of_live_files(txn, adds, first);
	for (int f = 0, i = 0; f < n; f++)
	{
		RemovedFile *r;

		if (owners[f] < 0)
			continue;
		r = &removed[owners[f]];
		r->known = true;
		r->values = adds;
		r->values_file = adds == txn->known_files ? f : i++;
		/* Of several adds of one path any may have been the one that was read. */
		if (first[r->values_file] >= 0 && (r->first_read < 0 || first[r->values_file] < r->first_read))
			r->first_read = first[r->values_file];
	}
}

/* Which of the removed files did the transaction read? */
static void
judge_removed_files(Transaction *txn, Winner *w, RemovedFile *removed)
{
	bool		by_reads = deltacc_transaction_needs_files(&txn->args);
	bool		unknown = !by_reads && !txn->args.has_read_files && txn->args.writes == NULL &&
		!txn->args.read_whole_table;
	int		   *first = NULL;

	/* A backfill drops from its reads what the winner has added or removed. */
	if (txn->backfill || txn->unbackfill || txn->drops_row_tracking)
		return;

	for (int i = 0; i < w->nfiles; i++)
	{
		RemovedFile *r = &removed[i];
		DeltaString path;

		if (!winner_removes(w, i))
			continue;
		path = deltacc_winner_path(w, i);
		if (txn->args.has_read_files)
			r->read = deltacc_path_set_find(txn->read_paths, path, NULL, &r->spelled_alike);
		else if (unknown)
		{
			r->read = true;
			r->reason = REMOVED_UNKNOWN_READS;
		}
		else if (!by_reads)
		{
			int			own;

			r->read = deltacc_path_set_find(deltacc_own_removes(txn), path, &own, &r->spelled_alike);
			r->reason = REMOVED_WAS_OURS;
			if (r->read && !r->known)
			{
				r->values = txn->args.writes;
				r->values_file = own;
			}
		}
		else if (r->known)
			r->read = r->first_read >= 0;
		else if (deltacc_path_set_find(deltacc_new_paths(txn), path, NULL, NULL))
			r->read = false;	/* an earlier winner added it */
		else
		{
			/* Judged by what the remove itself says. */
			if (first == NULL)
			{
				first = palloc(sizeof(int) * w->nfiles);
				deltacc_reads_of_live_files(txn, w->actions, first);
			}
			r->first_read = first[i];
			r->read = first[i] >= 0;
		}
	}
}

static void
add_removed_file(Transaction *txn, Winner *w, int file, RemovedFile *r, RemovedFileReason reason,
				 const char *check_name, const char *exception, const char *error_class)
{
	/* Of a table read whole, Delta names no partition. */
	char	   *partition = deltacc_partition_text(txn, r->values, r->values_file);
	Conflict   *c = deltacc_add_conflict(txn, w, check_name, exception, error_class,
										 deltacc_row_level_sub_condition(w, partition && reason != REMOVED_WHOLE_TABLE ? "WITH_PARTITION_HINT" : "WITHOUT_HINT"));

	CHECK_FOR_INTERRUPTS();
	c->partition_values = deltacc_partition_json(txn, r->values, r->values_file);
	deltacc_describe_removed_file(txn, w, c, file, reason == REMOVED_WAS_READ ? r->first_read : -1,
								  r->values, r->values_file, partition, reason, r->spelled_alike);
	deltacc_row_level_note(txn, w, file, c);
}

#define ADD_DELETE_READ(i, reason) \
	add_removed_file(txn, w, i, &removed[i], reason, "delete_read", \
					 "ConcurrentDeleteReadException", "DELTA_CONCURRENT_DELETE_READ")

void
deltacc_check_removed_files(Transaction *txn, Winner *w)
{
	RemovedFile *removed;

	if (!(w->flags & ACTIONS_HAS_REMOVE))
		return;
	removed = palloc0(sizeof(RemovedFile) * w->nfiles);
	for (int i = 0; i < w->nfiles; i++)
	{
		removed[i].first_read = -1;
		removed[i].spelled_alike = true;
		removed[i].values = w->actions;
		removed[i].values_file = i;
	}
	find_known_adds(txn, w, removed);
	judge_removed_files(txn, w, removed);

	for (int i = 0; i < w->nfiles; i++)
	{
		if (!removed[i].read || deltacc_row_level_exempts(w, i))
			continue;
		ADD_DELETE_READ(i, removed[i].reason);
		if (deltacc_check_done(txn, w))
			return;
	}
	if (txn->args.read_whole_table)
	{
		for (int i = 0; i < w->nfiles; i++)
		{
			if (!winner_removes(w, i) || removed[i].read || deltacc_row_level_exempts(w, i))
				continue;
			ADD_DELETE_READ(i, REMOVED_WHOLE_TABLE);
			if (deltacc_check_done(txn, w))
				return;
		}
	}

	for (int i = 0; i < w->nfiles; i++)
	{
		RemovedFile twice = removed[i];

		if (!winner_removes(w, i) || deltacc_row_level_exempts(w, i) ||
			!deltacc_path_set_find(deltacc_own_removes(txn), deltacc_winner_path(w, i),
								   &twice.values_file, &twice.spelled_alike))
			continue;
		twice.values = txn->args.writes;
		add_removed_file(txn, w, i, &twice, REMOVED_TWICE, "delete_delete",
						 "ConcurrentDeleteDeleteException", "DELTA_CONCURRENT_DELETE_DELETE");
		if (deltacc_check_done(txn, w))
			return;
	}

	/*
	 * Our own add of a file that the winner removed would bring it back.  Delta
	 * lets that pass; we don't.
	 */
	if (txn->backfill || txn->unbackfill || txn->drops_row_tracking)
		return;
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path;
		RemovedFile added = removed[i];

		if (!winner_removes(w, i) || removed[i].read || txn->args.read_whole_table ||
			deltacc_row_level_exempts(w, i))
			continue;
		path = deltacc_winner_path(w, i);
		if (!deltacc_path_set_find(deltacc_own_adds(txn), path, &added.values_file, &added.spelled_alike) ||
			deltacc_path_set_find(deltacc_own_removes(txn), path, NULL, NULL))
			continue;
		added.values = txn->args.writes;
		add_removed_file(txn, w, i, &added, REMOVED_BUT_ADDED, "delete_read",
						 "ConcurrentDeleteReadException", "DELTA_CONCURRENT_DELETE_READ");
		if (deltacc_check_done(txn, w))
			return;
	}
}
