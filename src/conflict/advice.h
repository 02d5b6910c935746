/*-------------------------------------------------------------------------
 *
 * advice.h
 *	  What to do about a conflict over files: sentences for its hint.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ADVICE_H
#define DELTACC_ADVICE_H

#include "conflict/transaction.h"

/*
 * About a file that the winner added.  read: that hit, 0-based, -1 if none did.
 * *narrow_by: the condition that would have avoided it; NULL.
 */
extern void deltacc_advise_added_file(StringInfo hint, Transaction *txn, Winner *w, int file, int read,
									  const char **narrow_by);

/*
 * About a file that the winner removed.  values, values_file: where its
 * partition values and statistics stand.
 */
extern void deltacc_advise_removed_file(StringInfo hint, Transaction *txn, Winner *w, int file, int read,
										DeltaActions *values, int values_file,
										RemovedFileReason reason, const char **narrow_by);

#endif							/* DELTACC_ADVICE_H */
