/*-------------------------------------------------------------------------
 *
 * kept_commits.h
 *	  What has been read of a commit, for all the pairs of which it is part.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_KEPT_COMMITS_H
#define DELTACC_KEPT_COMMITS_H

#include "nodes/pg_list.h"

#include "base/options.h"
#include "delta/snapshot.h"
#include "udf/table_history.h"

typedef struct KeptCommit
{
	MemoryContext context;		/* NULL: an empty slot */
	TableHistory *history;
	const HistoryCommit *commit;
	DeltaActions *actions;
	uint64		last_call;		/* that asked for it */

	/* These are for kept_commits.c only. */
	struct varlena *state;		/* before it; NULL: not looked for */
	const char *operation;		/* NULL: none */
	bool		has_operation;	/* it was looked for */
	bool		has_reads;		/* over the table of this fingerprint: */
	uint8		fingerprint[16];
	List	   *reads;			/* LoggedRead * */
	int			napp_ids;		/* -1: not looked for */
	char	  **app_ids;
	List	   *parts;			/* CommitPart * */
} KeptCommit;

typedef struct KeptCommits KeptCommits;

/* None as yet.  In the current memory context. */
extern KeptCommits *deltacc_kept_commits(void);

/*
 * A commit of a history, as it was left the last time.  It is good until the next
 * deltacc_limit_commits(), and so is all that the functions below return, unless
 * they say otherwise.
 */
extern KeptCommit *deltacc_keep_commit(KeptCommits *kept, TableHistory *history, const HistoryCommit *commit);

/* Between two calls of a function: forgets some if they have become large. */
extern void deltacc_limit_commits(KeptCommits *kept);

/* Forgets all, as has to be done before a history is freed. */
extern void deltacc_forget_commits(KeptCommits *kept);

/*
 * The state that the commit found, an actions value; NULL if the version before it
 * isn't held.  Raises deltacc_history_state's errors.
 */
extern struct varlena *deltacc_commit_state(KeptCommit *commit);

/* commitInfo's operation, UTF-8; NULL: none. */
extern const char *deltacc_commit_operation(KeptCommit *commit);

/* The applications whose txn it writes; *n is their number. */
extern char **deltacc_commit_app_ids(KeptCommit *commit, int *n);

/*
 * What it read by its own account (LoggedRead *), over a table of that
 * fingerprint.
 */
extern List *deltacc_commit_reads(KeptCommit *commit, DeltaSnapshot *snapshot, const uint8 *fingerprint,
								  const DeltaccOptions *options);

/*
 * The adds of the files that it removes, as far as they are known; NULL: none are.
 * Those of one commit are kept: they are good until the next call.
 */
extern DeltaActions *deltacc_removed_files_of(KeptCommits *kept, KeptCommit *commit);

/*
 * What it wrote, without the actions on files that came to life at a version or
 * later.
 */
extern DeltaActions *deltacc_commit_writes_before(KeptCommit *commit, int64 version);

#endif							/* DELTACC_KEPT_COMMITS_H */
