/*-------------------------------------------------------------------------
 *
 * logged_reads.h
 *	  What a commit read, as far as its own commitInfo shows it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_LOGGED_READS_H
#define DELTACC_LOGGED_READS_H

#include "nodes/pg_list.h"

#include "base/options.h"
#include "delta/snapshot.h"
#include "predicate/predicate.h"

typedef struct LoggedRead
{
	Predicate  *predicate;
	bool		exact;			/* the condition is known, not only one that
								 * contains it */
	const char *note;			/* where it comes from, or why it is wider; NULL */
} LoggedRead;

/*
 * The reads of a commit (LoggedRead *), never narrower than what the log says
 * was read; NIL for a blind append.  The snapshot is the table as the commit
 * read it.  In the current memory context.  What can't be read is TRUE, never
 * an ERROR.
 */
extern List *deltacc_logged_reads(DeltaSnapshot *snapshot, DeltaActions *commit, const DeltaccOptions *options);

/*
 * The application ids of a commit's txn actions: whoever commits a version of an
 * application has read its last one before.
 */
extern char **deltacc_logged_app_ids(DeltaActions *commit, int *n);

/*
 * The predicate itself if it can be bound to the snapshot's table, else TRUE and
 * why in *note.
 */
extern Predicate *deltacc_fitting_read(DeltaSnapshot *snapshot, Predicate *predicate,
									   const DeltaccOptions *options, const char **note);

#endif							/* DELTACC_LOGGED_READS_H */
