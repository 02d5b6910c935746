/*-------------------------------------------------------------------------
 *
 * regex.h
 *	  Java's regular expressions (java.util.regex), as far as it is certain
 *	  what they find.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_REGEX_H
#define DELTACC_REGEX_H

#include "delta/value.h"

#define DELTACC_REGEX_MAX_GROUPS	16

typedef struct DeltaRegex DeltaRegex;

/* Where a match was found: offsets in code points, -1 for a group that took no
 * part.  Group 0 is the whole. */
typedef struct RegexMatch
{
	int			start[DELTACC_REGEX_MAX_GROUPS];
	int			end[DELTACC_REGEX_MAX_GROUPS];
} RegexMatch;

typedef enum RegexResult
{
	REGEX_FOUND,
	REGEX_NOT_FOUND,
	REGEX_GAVE_UP				/* too much work, or a corner of Unicode */
} RegexResult;

/*
 * A pattern of n code points, in the current memory context.  NULL: it holds
 * something that isn't understood here, or is no pattern to Java.
 */
extern DeltaRegex *deltacc_regex_compile(const int32 *pattern, int n);
extern int	deltacc_regex_groups(const DeltaRegex *regex);

/*
 * The first match in text[from, n) (Matcher.find); what stands before from is
 * seen by \b and ^.
 */
extern RegexResult deltacc_regex_search(const DeltaRegex *regex, const int32 *text, int n, int from,
										RegexMatch *match);

#endif							/* DELTACC_REGEX_H */
