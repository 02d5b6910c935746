/*-------------------------------------------------------------------------
 *
 * condition.h
 *	  A condition that would have kept a transaction and a winner apart.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CONDITION_H
#define DELTACC_CONDITION_H

#include "conflict/transaction.h"

typedef struct Narrowing
{
	const char *condition;		/* to add to the read, in SQL */
	const char *winner;			/* what the winner touched: "p = 'b'", "x from 10
								 * to 19" */
	const char *own;			/* what the transaction touched, the same way;
								 * NULL: not known, the condition leaves out the
								 * winner */
	bool		by_statistics;	/* it takes data skipping at conflict time */
} Narrowing;

/*
 * A condition on one column that, added to a read (0-based), makes it miss the
 * files of the winner's that it hit; it has been run over them.  The
 * transaction's own files lie within it, as far as they are known.  NULL if
 * there is none, or nothing is known to make one of.
 */
extern const Narrowing *deltacc_winner_narrowing(Transaction *txn, Winner *w, int read);

/* The same for one file that was read; read -1: the transaction has no reads. */
extern const Narrowing *deltacc_file_narrowing(Transaction *txn, int read, DeltaActions *files, int file);

/*
 * A condition on a partition column that leaves out a file, with all that the
 * transaction's own files have in common with it: "p <> 'a'"; NULL if there is
 * none.
 */
extern const char *deltacc_condition_without_own(Transaction *txn, DeltaActions *files, int file);

#endif							/* DELTACC_CONDITION_H */
