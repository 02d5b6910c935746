/*-------------------------------------------------------------------------
 *
 * net_writes.h
 *	  What a commit did by itself, where other commits came before it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_NET_WRITES_H
#define DELTACC_NET_WRITES_H

#include "conflict/conflict.h"

/*
 * args->writes as they would have been had the transaction not seen the winner
 * and what came after it: where both changed rows of one file, its vectors hold
 * the rows that it deleted itself, on top of those that were deleted before the
 * winner.  A file whose vectors can't be read stays as it is.  In the current
 * memory context.
 */
extern DeltaActions *deltacc_net_writes(const TransactionArgs *args, DeltaActions *winner);

#endif							/* DELTACC_NET_WRITES_H */
