/*-------------------------------------------------------------------------
 *
 * conflict.h
 *	  The decision: does a winning commit invalidate a transaction, and if
 *	  not, what would be committed on top of it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CONFLICT_H
#define DELTACC_CONFLICT_H

#include "nodes/pg_list.h"

#include "base/options.h"
#include "delta/deletion_vector.h"
#include "delta/snapshot.h"
#include "predicate/predicate.h"

/* One reason why the transaction can't commit: a row of deltacc.conflict.  NULL
 * pointers are SQL NULLs. */
typedef struct Conflict
{
	int64		winning_version;	/* -1: NULL */
	const char *winning_operation;
	const char *check_name;
	const char *exception;
	const char *error_class;
	const char *sub_condition;
	const char *sqlstate;
	const char *path;
	const char *partition_values;	/* JSON */
	const char *isolation;
	int			read_index;		/* 1-based; 0: NULL */
	const char *read_predicate;
	const char *message;
	const char *hint;
	const char *details;		/* JSON */
} Conflict;

/*
 * The bytes of a deletion vector that lies in a file, as they stand there (size,
 * data, checksum), in the current memory context.  NULL with the reason in *why
 * if they can't be had.  May raise what reading a file raises, if files may be
 * opened.
 */
typedef const uint8 *(*DeltaccFetchVector) (void *arg, const DeletionVector *dv, bool open_files,
											Size *len, const char **why);

/* The arguments of check_conflicts / check_commit, NULLs already refused. */
typedef struct TransactionArgs
{
	DeltaSnapshot *snapshot;	/* at the read version */
	int			nreads;
	Predicate **reads;
	DeltaActions *writes;		/* NULL: unknown */
	const char *isolation;		/* NULL: as Delta chooses */
	bool		read_whole_table;
	bool		has_read_files; /* false: read_files is NULL */
	int			nread_files;
	char	  **read_files;
	int			nread_app_ids;
	char	  **read_app_ids;
	const char *operation;		/* NULL: one that changes data */
	const char *table_name;		/* NULL: unknown; a path if it is one */
	const char *table_location; /* NULL: unknown (else of deltacc.tables) */
	DeltaccOptions options;
	bool		first_only;		/* stop a check at its first conflict */
	bool		verdict_only;	/* no result is asked for: a rebase moves only what
								 * later winners are compared with */
	DeltaActions *files;		/* adds live at the read version, as far as they are
								 * known; NULL: those of the snapshot, if any */
	bool		has_table_level;	/* the level is table_level, whatever
									 * delta.isolationLevel and the options say;
									 * downgraded like those */
	DeltaccIsolation table_level;
	DeltaccFetchVector fetch_vector;	/* NULL: no file is at hand */
	void	   *fetch_arg;
	bool		terse;			/* of a conflict over a file, only what it is: no
								 * message, no hint, which take longest to find */
	bool		for_hint;		/* only tried: nothing may be raised */
} TransactionArgs;

typedef struct Transaction Transaction;

/*
 * A transaction at its read version, in the current memory context.  Raises
 * 22023 for an isolation level that is none, and what binding a read raises.
 */
extern Transaction *deltacc_transaction_begin(const TransactionArgs *args);

/*
 * All conflicts with one winner, as Conflict *, in the order in which Delta
 * checks (ConflictChecker.checkConflicts).  version: of the winner, -1 unknown.
 * ERROR 22023 for a winner without any action; 0A000 for one that Delta can't
 * read.
 */
extern List *deltacc_transaction_check(Transaction *txn, DeltaActions *winner, int64 version);

/*
 * Moves the transaction on top of a winner that it does not conflict with:
 * what later winners are compared with, and what would be committed.
 */
extern void deltacc_transaction_rebase(Transaction *txn, DeltaActions *winner, int64 version);

/*
 * What would be committed now, newline-delimited JSON.  0A000 where the result
 * would need what is not built yet (deltacc does not guess).
 */
extern char *deltacc_transaction_result(Transaction *txn);

/*
 * The table's own level: delta.isolationLevel of a metaData (NULL: no table),
 * else the one of the options.  ERROR 22023 for an unknown word.
 */
extern DeltaccIsolation deltacc_table_isolation(const DeltaMetadata *metadata, const DeltaccOptions *options);

/*
 * May the answer depend on which files were live at the read version?  Then
 * TransactionArgs.files is worth filling in for the paths that winners remove.
 */
extern bool deltacc_transaction_needs_files(const TransactionArgs *args);

/*
 * Does a conflict name a partition that only the add of a removed file tells?
 * A remove need not hold partition values, and which files were read was told.
 */
extern bool deltacc_transaction_needs_partitions(const TransactionArgs *args, DeltaActions *winner);

/*
 * May the answer depend on whether a file that the transaction adds was live?
 * Then TransactionArgs.files is worth filling in for these, too.
 */
extern bool deltacc_transaction_needs_own_files(const TransactionArgs *args);

/* What row-level concurrency makes of a file; NULL pointers are SQL NULLs. */
typedef struct RowLevelReport
{
	const char *path;			/* NULL: of all files of the winner */
	const char *outcome;		/* "reconciled", "conflict", "file level" */
	const char *basis;			/* "proof", "contract" */
	int64		rows_of_winner; /* -1: NULL, like the next two */
	int64		rows_of_transaction;
	int64		overlapping_rows;
	const char *reason;
} RowLevelReport;

/*
 * One report, as RowLevelReport *, for each file that winner and transaction
 * both changed; where row level is off, as if it were on.
 */
extern List *deltacc_transaction_explain_rows(Transaction *txn, DeltaActions *winner, int64 version);

/* The level used (after the downgrade). */
extern DeltaccIsolation deltacc_transaction_isolation(const Transaction *txn);

/*
 * How many files that winners added were compared with the reads, and how many
 * of those were ruled out.
 */
extern void deltacc_transaction_counts(const Transaction *txn, int *checked, int *skipped);

#endif							/* DELTACC_CONFLICT_H */
