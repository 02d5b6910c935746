/*-------------------------------------------------------------------------
 *
 * rearranged.c
 *	  deltacc.ignore_rearranged: a transaction that only appends beside a
 *	  winner that only moved rows from file to file.
 *
 * Whatever the transaction read, it finds the same rows in the winner's files:
 * what it adds would be the same after the winner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/row_level.h"
#include "miscadmin.h"

/* The files live at the read version, as far as they are known. */
static DeltaPathSet *
known_paths(Transaction *txn)
{
	const FileAction *files;
	const ActionsColumn *paths;
	int			n;

	if (txn->known_paths != NULL || txn->known_files == NULL)
		return txn->known_paths;
	files = deltacc_actions_files(txn->known_files, &n);
	paths = deltacc_actions_column(txn->known_files, COLUMN_PATH, "");
	txn->known_paths = deltacc_path_set(txn->location, n);
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (files[i].kind == ACTION_ADD)
			deltacc_path_set_add(txn->known_paths, deltacc_file_path(paths, i), i);
	}
	return txn->known_paths;
}

/*
 * Every file action adds a file that changes data, on a path that was not live
 * and that the winner has not touched; and no read sees files.
 */
static bool
only_appends(Transaction *txn, Winner *w)
{
	DeltaActions *writes = txn->args.writes;
	const FileAction *files;
	const ActionsColumn *paths;
	DeltaPathSet *known;
	DeltaPathSet *touched;
	int			n;

	if (writes == NULL || !(deltacc_actions_flags(writes) & ACTIONS_HAS_ADD) ||
		(deltacc_actions_flags(writes) & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC)))
		return false;
	for (int r = 0; r < txn->args.nreads; r++)
	{
		if (deltacc_read_sees_files(txn, r))
			return false;
	}

	known = known_paths(txn);
	touched = deltacc_path_set(txn->location, w->nfiles);
	for (int i = 0; i < w->nfiles; i++)
		deltacc_path_set_add(touched, deltacc_winner_path(w, i), i);
	files = deltacc_actions_files(writes, &n);
	paths = deltacc_actions_column(writes, COLUMN_PATH, "");
	for (int i = 0; i < n; i++)
	{
		DeltaString path = deltacc_file_path(paths, i);

		CHECK_FOR_INTERRUPTS();
		if (!(files[i].flags & FILE_DATA_CHANGE) ||
			deltacc_path_set_find(touched, path, NULL, NULL) ||
			(known != NULL && deltacc_path_set_find(known, path, NULL, NULL)))
			return false;
	}
	return true;
}

/* The id of the deletion vector of file action i; none is empty. */
static DeltaString
vector_id(const ActionsColumn *ids, int i)
{
	DeltaString none = {0, ""};

	return ids != NULL && ids->kinds[i] == TOKEN_STRING ? deltacc_column_text(ids, i) : none;
}

/*
 * Every add and remove says that it changes no data, at least one file is
 * removed, there is no metaData, and no removed file comes back with another
 * deletion vector: that would be rows that came or went.
 */
static bool
only_moves(Transaction *txn, Winner *w)
{
	DeltaPathSet *removed;
	const ActionsColumn *ids;
	int			nremoved = 0;

	if (!(w->flags & ACTIONS_HAS_REMOVE) || (w->flags & (ACTIONS_HAS_METADATA | ACTIONS_HAS_CDC)))
		return false;
	for (int i = 0; i < w->nfiles; i++)
	{
		if (FILE_MARK_FLAGS(w->marks[i]) & FILE_DATA_CHANGE)
			return false;
		nremoved += winner_removes(w, i);
	}

	removed = deltacc_winner_removed(txn, w);
	if (deltacc_path_set_count(removed) != nremoved)
		return false;			/* one file with several vectors */
	ids = deltacc_actions_column(w->actions, COLUMN_DV_ID, "");
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString mine,
					before;
		int			remove;

		CHECK_FOR_INTERRUPTS();
		if (!winner_adds(w, i) ||
			!deltacc_path_set_find(removed, deltacc_winner_path(w, i), &remove, NULL))
			continue;
		mine = vector_id(ids, i);
		before = vector_id(ids, remove);
		if (mine.len != before.len || memcmp(mine.data, before.data, mine.len) != 0)
			return false;
	}
	return true;
}

bool
deltacc_only_rearranged(Transaction *txn, Winner *w)
{
	return only_moves(txn, w) && only_appends(txn, w);
}
