/*-------------------------------------------------------------------------
 *
 * statement.h
 *	  What a Spark SQL statement reads of the table that it writes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_STATEMENT_H
#define DELTACC_STATEMENT_H

#include "predicate/predicate.h"

typedef struct StatementReads
{
	const char *operation;		/* as Delta logs it: "UPDATE", "DELETE", "MERGE",
								 * "WRITE", "OPTIMIZE", "TRUNCATE"; else the
								 * statement's first word; NULL if there is none */
	const char *target;			/* the table written, as it stands there; NULL:
								 * none was found */
	bool		nothing;		/* nothing is read */
	Predicate  *condition;		/* what is read, TRUE: everything.  Columns of the
								 * target are qualified by t or not at all, those
								 * of the source of a MERGE by s */
	const char *note;			/* why it is TRUE; NULL */
} StatementReads;

/*
 * Takes a statement apart (UTF-8).  It is not parsed: a statement that Spark
 * would refuse reads something, too.  In the current memory context; what can't
 * be understood reads everything.
 */
extern StatementReads deltacc_statement_reads(const char *text, int len);

#endif							/* DELTACC_STATEMENT_H */
