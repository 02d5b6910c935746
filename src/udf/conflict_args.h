/*-------------------------------------------------------------------------
 *
 * conflict_args.h
 *	  What check_conflicts and check_commit have in common: arguments 2 to 8,
 *	  and rows of deltacc.conflict.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_CONFLICT_ARGS_H
#define DELTACC_CONFLICT_ARGS_H

#include "access/tupdesc.h"
#include "conflict/conflict.h"
#include "fmgr.h"

#define CONFLICT_COLUMNS 15

/* ERROR 22004 if argument n is NULL. */
extern void deltacc_refuse_null(FunctionCallInfo fcinfo, int n, const char *name);

/* A text argument in UTF-8, terminated; NULL for NULL. */
extern char *deltacc_utf8_argument(FunctionCallInfo fcinfo, int n);

/*
 * Arguments 2 to 8: reads, writes, isolation, read_whole_table, read_files,
 * read_app_ids, operation; and the options.
 */
extern void deltacc_transaction_arguments(FunctionCallInfo fcinfo, TransactionArgs *args);

/*
 * All arguments of check_conflicts, and of the functions that take the same;
 * *version is -1 where none is given.
 */
extern void deltacc_check_arguments(FunctionCallInfo fcinfo, TransactionArgs *args,
									DeltaActions **winner, int64 *version);

/* One row of deltacc.conflict. */
extern void deltacc_conflict_row(const Conflict *c, Datum *values, bool *nulls);

/* ERROR 2D521 for a transaction that can't be rebased. */
extern void deltacc_raise_conflicts(List *conflicts);

#endif							/* DELTACC_CONFLICT_ARGS_H */
