/*-------------------------------------------------------------------------
 *
 * table_history.h
 *	  The log of an ingested table, read once: what was there before a version,
 *	  and since when.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_TABLE_HISTORY_H
#define DELTACC_TABLE_HISTORY_H

#include "lib/stringinfo.h"

#include "delta/actions.h"

typedef struct TableHistory TableHistory;

/* A file that a commit removes; ordinals count the actions of a commit from 1. */
typedef struct RemovedFile
{
	int32		remove_ordinal;
	int32		readd_ordinal;	/* the same commit adds it, too; 0: it doesn't */
	int32		added_in;		/* index of the commit that added it last; -1: it
								 * is not known */
	int32		added_ordinal;	/* there */
	int64		born;			/* added by the commit of this version, which
								 * didn't remove it; -1: not known */
} RemovedFile;

/* A commit, or the state that the log begins with. */
typedef struct HistoryCommit
{
	int64		version;
	Datum		actions;		/* the history's copy; mostly a TOAST pointer */
	bool		changes_state;	/* see deltacc_changes_state() */
	int			nremoved;
	RemovedFile *removed;
	DeltaString *paths;			/* theirs, canonical, UTF-8; NULL unless asked for */
} HistoryCommit;

/*
 * Reads a table's log up to a version (NULL: all) in one pass, as far back as it
 * takes to know all of the versions from from_version on.  Of these the removed
 * files are kept, with_paths: with their paths.  In a memory context of its own below
 * the current one.  ERROR 42704 for a table that isn't in deltacc.tables; raises
 * what reading it raises, and deltacc_actions_open's errors.
 */
extern TableHistory *deltacc_history_read(text *table_name, int64 from_version, const int64 *to_version,
										  bool with_paths);
extern void deltacc_history_free(TableHistory *history);

/* With all that it holds, in bytes. */
extern Size deltacc_history_size(const TableHistory *history);

/* The table's location as it stands in deltacc.tables, UTF-8; NULL: unknown. */
extern const char *deltacc_history_location(const TableHistory *history);

/* All commits, in the order of their versions. */
extern const HistoryCommit *deltacc_history_commits(const TableHistory *history, int *n);

/* The commit of a version; NULL if it isn't held. */
extern const HistoryCommit *deltacc_history_commit(const TableHistory *history, int64 version);

/* The commit that added a file last; it has to be known. */
extern const HistoryCommit *deltacc_history_added_in(const TableHistory *history, const RemovedFile *file);

/*
 * The state without its files as a commit found it: an actions value that is good
 * until the next call.  Its own version may be an older one that had the same state.
 * NULL if the version before the commit isn't held.  Raises deltacc_state_finish's
 * errors.  Cheap where the versions asked for go up.
 */
extern struct varlena *deltacc_history_state(TableHistory *history, const HistoryCommit *commit);

/*
 * The adds of the files that a commit removes, as far as they are known, one a line
 * (UTF-8); empty without any.  In the current memory context.
 */
extern StringInfo deltacc_history_adds(const TableHistory *history, const HistoryCommit *commit);

/*
 * How many actions of a commit are on files that came to life at a version or later,
 * and their ordinals: an ascending array in the current memory context.
 */
extern int	deltacc_history_count_young(const HistoryCommit *commit, int64 version);
extern int32 *deltacc_history_young(const HistoryCommit *commit, int64 version, int *n);

#endif							/* DELTACC_TABLE_HISTORY_H */
