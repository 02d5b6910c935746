/*-------------------------------------------------------------------------
 *
 * row_level.h
 *	  Row-level concurrency: what deletion vectors prove about two commits that
 *	  changed rows of the same file, and what a winner that only moved rows
 *	  means for a transaction that only adds some.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ROW_LEVEL_H
#define DELTACC_ROW_LEVEL_H

#include "conflict/transaction.h"
#include "delta/deletion_vector.h"

typedef enum RowLevelOutcome
{
	ROW_LEVEL_RECONCILED,		/* different rows: no conflict */
	ROW_LEVEL_OVERLAP,			/* the same rows: a conflict, reported */
	ROW_LEVEL_FILE				/* not decided here: the checks of files answer */
} RowLevelOutcome;

/*
 * A file that the transaction changed by one remove and one add with a deletion
 * vector.  Its base moves on with each winner that it is reconciled with.
 */
typedef struct RowLevelFile
{
	int			own_add;		/* among the file actions of writes */
	int			own_remove;
	bool		loaded;			/* the three below; else by the first winner that
								 * changed the file, too */
	const char *why;			/* it could not be loaded; NULL */
	RowSet	   *base;			/* deleted before */
	RowSet	   *rows;			/* deleted or updated by the transaction */

	const char *base_id;		/* of the vector that is the base; NULL: none */
} RowLevelFile;

/* What is said of one file that a winner changed. */
typedef struct RowLevelVerdict
{
	RowLevelOutcome outcome;
	bool		by_contract;	/* rests on Databricks' documents, not on proof */
	const char *reason;			/* in words */
	RowLevelFile *file;			/* NULL: the transaction didn't change it */
	int			winner_add;		/* among the winner's file actions; -1 */
	int			winner_remove;	/* -1 */
	int			read;			/* that selects the file; -1 */

	bool		unread;			/* a vector could not be read */

	/* Where both vectors could be read: */
	const char *winner_id;		/* of the winner's new vector */
	RowSet	   *winner_rows;	/* all that it holds; NULL */
	int64		changed_by_winner;
	int64		overlap;		/* rows that both changed */
} RowLevelVerdict;

/* What a transaction remembers from winner to winner. */
typedef struct RowLevelState
{
	int			nfiles;
	RowLevelFile *files;
	DeltaPathSet *paths;		/* number: index of files */
	int64		spent;			/* microseconds, over all winners so far */

	/* What the check found about its winner, for the rebase on it. */
	DeltaActions *winner;
	bool		exempt_by_contract;
	List	   *verdicts;		/* of RowLevelVerdict * */
} RowLevelState;

extern RowLevelState *deltacc_row_level_state(Transaction *txn);

/* The phase before the checks of files.  Adds the conflicts that it finds. */
extern void deltacc_check_row_level(Transaction *txn, Winner *w);

/* Is file action i of the winner out of the checks of files? */
extern bool deltacc_row_level_exempts(const Winner *w, int i);

/* The sub-condition of a conflict over a file that would have normal. */
extern const char *deltacc_row_level_sub_condition(const Winner *w, const char *normal);

/* The verdicts over one winner, as RowLevelVerdict *, in the winner's order. */
extern List *deltacc_row_level_verdicts(Transaction *txn, Winner *w);

/* ----- row_level_notes.c ----- */

/* What a conflict over rows says. */
extern void deltacc_describe_row_level(Transaction *txn, Winner *w, Conflict *c, const RowLevelVerdict *v);

/* Adds what row level has to say to a conflict over file action i. */
extern void deltacc_row_level_note(Transaction *txn, Winner *w, int i, Conflict *c);

/* ----- row_level_rebase.c ----- */

/*
 * Moves the transaction on top of a winner that it has been reconciled with:
 * the bases and, where a result is wanted, its own actions.  Before row ids.
 */
extern void deltacc_row_level_rebase(Transaction *txn, Winner *w);

/* ----- contract.c: what Databricks' documents say ----- */

/* Databricks lets nothing run beside anything on a table with identity columns. */
extern void deltacc_check_identity_columns(Transaction *txn, Winner *w);

/*
 * Settles what is so without a look at any vector: fills in the winner's exempt
 * and sub_condition.  False if vectors are not compared at all.
 */
extern bool deltacc_row_level_contract(Transaction *txn, Winner *w);

/* ----- row_level_reads.c ----- */

/* The transaction's operation: as told, else that of its own commitInfo; NULL if
 * unknown, or if the two differ. */
extern const char *deltacc_own_operation(Transaction *txn);

/*
 * Why a read is no ground for a proof over rows ("it holds a subquery"); NULL
 * if it is one.
 */
extern const char *deltacc_read_unfit_for_rows(Transaction *txn, int read);

/* May a read depend on files rather than on what is in them? */
extern bool deltacc_read_sees_files(Transaction *txn, int read);

/* Does a read hold what row level can't evaluate on Databricks? */
extern bool deltacc_read_needs_rewrite(Transaction *txn, int read);

/* ----- rearranged.c ----- */

/* A transaction that only appends, and a winner that only moved rows? */
extern bool deltacc_only_rearranged(Transaction *txn, Winner *w);

#endif							/* DELTACC_ROW_LEVEL_H */
