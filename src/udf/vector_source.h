/*-------------------------------------------------------------------------
 *
 * vector_source.h
 *	  Where a check gets the bytes of deletion vectors from.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_VECTOR_SOURCE_H
#define DELTACC_VECTOR_SOURCE_H

#include "conflict/conflict.h"

/*
 * Lets a check fetch the bytes of deletion vectors that lie in files: from the
 * catalog, for the table of that id (-1: the one that table_name or its location
 * names), else from the file, if the caller may read the server's files.  Call
 * it when the rest of args is complete.
 */
extern void deltacc_vector_source(TransactionArgs *args, int64 table_id);

#endif							/* DELTACC_VECTOR_SOURCE_H */
