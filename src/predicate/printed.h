/*-------------------------------------------------------------------------
 *
 * printed.h
 *	  Reading the conditions that Spark prints into a log.
 *
 * commitInfo.operationParameters.predicate holds Expression.toString, not SQL:
 * "((id#12L < 5) AND (name#40 = Dennis))".  Strings have lost their quotes, so
 * what is between two of them can't always be told; what can be, is turned back
 * into SQL.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_PRINTED_H
#define DELTACC_PRINTED_H

#include "delta/schema.h"

typedef struct PrintedCondition
{
	const char *sql;			/* in UTF-8; NULL: it can't be told what the
								 * condition was */
	bool		widened;		/* some part became TRUE */
	bool		string_literal; /* it rests on a literal whose quotes are lost */
	const char *note;			/* why not sql, or why widened; static; NULL */
} PrintedCondition;

/*
 * Reads one printed condition over a table.  Whatever row the real condition is
 * true for, the one returned is true for, too.  In the current memory context;
 * raises only for a text that is nested too deeply.
 */
extern PrintedCondition deltacc_printed_condition(const char *text, int len, const DeltaSchema *schema);

#endif							/* DELTACC_PRINTED_H */
