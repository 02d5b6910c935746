/*-------------------------------------------------------------------------
 *
 * functions_regex.c
 *	  Functions over regular expressions: regexp_extract and the like, and the
 *	  parts of split().
 *
 * From Catalyst's regexpExpressions.  Positions are in UTF-16 units there.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"
#include "predicate/regex.h"
#include "predicate/utf8.h"

#define MAX_PATTERN	1000

/* What is searched for in what. */
typedef struct Search
{
	DeltaRegex *regex;
	int32	   *text;
	int			n;
	RegexMatch	match;
	int			next;			/* where the search goes on; past n: nowhere */
} Search;

DeltaRegex *
deltacc_regex_of_string(const DeltaString *pattern)
{
	int32	   *points;
	int			n;

	if (pattern->len > MAX_PATTERN || !deltacc_code_points(pattern, &points, &n))
		return NULL;
	return deltacc_regex_compile(points, n);
}

static bool
start_search(Search *s, const DeltaString *text, const DeltaString *pattern)
{
	s->next = 0;
	s->regex = deltacc_regex_of_string(pattern);
	return s->regex != NULL && deltacc_code_points(text, &s->text, &s->n);
}

/*
 * Matcher.find: after an empty match it goes on one unit later.  Within a
 * character of two units that would be no place of ours.
 */
static RegexResult
find_next(Search *s)
{
	RegexResult r;

	CHECK_FOR_INTERRUPTS();
	if (s->next > s->n)
		return REGEX_NOT_FOUND;
	r = deltacc_regex_search(s->regex, s->text, s->n, s->next, &s->match);
	if (r != REGEX_FOUND)
		return r;
	s->next = s->match.end[0];
	if (s->match.start[0] == s->match.end[0])
	{
		if (s->next < s->n && s->text[s->next] >= 0x10000)
			return REGEX_GAVE_UP;
		s->next++;
	}
	return REGEX_FOUND;
}

static void
append_points(StringInfo out, const int32 *text, int from, int to)
{
	for (int i = from; i < to; i++)
	{
		char		bytes[4];

		appendBinaryStringInfo(out, bytes, utf8_put(bytes, text[i]));
	}
}

static DeltaScalar
points_value(const int32 *text, int from, int to)
{
	StringInfoData out;

	initStringInfo(&out);
	append_points(&out, text, from, to);
	return deltacc_string_value(out.data, out.len);
}

/* ----- regexp_extract, regexp_substr, regexp_instr, regexp_count ----- */

RESOLVE_FIXED(resolve_extract, DELTA_STRING, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)
RESOLVE_FIXED(resolve_substr, DELTA_STRING, DELTA_STRING)
RESOLVE_FIXED(resolve_position, DELTA_INTEGER, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)

POINT_FUNCTION(point_extract)
{
	Search		s;
	int64		group = nargs > 2 ? args[2].i : 1;

	if (!start_search(&s, args[0].s, args[1].s))
		return POINT_UNKNOWN;
	switch (find_next(&s))
	{
		case REGEX_GAVE_UP:
			return POINT_UNKNOWN;
		case REGEX_NOT_FOUND:
			*result = deltacc_string_value("", 0);
			return POINT_VALUE;
		default:
			break;
	}
	if (group < 0 || group > deltacc_regex_groups(s.regex))
		return deltacc_point_error(cx, "INVALID_PARAMETER_VALUE.REGEX_GROUP_INDEX");
	*result = points_value(s.text, s.match.start[group], s.match.end[group]);
	return POINT_VALUE;
}

POINT_FUNCTION(point_regexp_substr)
{
	Search		s;

	if (!start_search(&s, args[0].s, args[1].s))
		return POINT_UNKNOWN;
	switch (find_next(&s))
	{
		case REGEX_GAVE_UP:
			return POINT_UNKNOWN;
		case REGEX_NOT_FOUND:
			return POINT_NULL;
		default:
			*result = points_value(s.text, s.match.start[0], s.match.end[0]);
			return POINT_VALUE;
	}
}

/* From 1; 0: it isn't there.  The third argument is of no use in Spark. */
POINT_FUNCTION(point_regexp_instr)
{
	Search		s;

	if (!start_search(&s, args[0].s, args[1].s))
		return POINT_UNKNOWN;
	switch (find_next(&s))
	{
		case REGEX_GAVE_UP:
			return POINT_UNKNOWN;
		case REGEX_NOT_FOUND:
			result->i = 0;
			return POINT_VALUE;
		default:
			result->i = 1;
			for (int i = 0; i < s.match.start[0]; i++)
				result->i += s.text[i] >= 0x10000 ? 2 : 1;
			return POINT_VALUE;
	}
}

POINT_FUNCTION(point_regexp_count)
{
	Search		s;
	RegexResult r;

	if (!start_search(&s, args[0].s, args[1].s))
		return POINT_UNKNOWN;
	result->i = 0;
	while ((r = find_next(&s)) == REGEX_FOUND)
		result->i++;
	return r == REGEX_GAVE_UP ? POINT_UNKNOWN : POINT_VALUE;
}

/* ----- regexp_replace ----- */

RESOLVE_FIXED(resolve_replace, DELTA_STRING, DELTA_STRING)

/*
 * Matcher.appendReplacement: $n is a group of as many digits as there are
 * groups, a backslash takes the next character as it is.  False: Java raises,
 * or a named group.
 */
static bool
append_replacement(StringInfo out, const Search *s, const int32 *replacement, int n)
{
	int			groups = deltacc_regex_groups(s->regex);

	for (int i = 0; i < n;)
	{
		int			group;

		if (replacement[i] == '\\')
		{
			if (i + 1 >= n)
				return false;
			append_points(out, replacement, i + 1, i + 2);
			i += 2;
			continue;
		}
		if (replacement[i] != '$')
		{
			append_points(out, replacement, i, i + 1);
			i++;
			continue;
		}
		i++;
		if (i >= n || replacement[i] < '0' || replacement[i] > '9')
			return false;
		group = replacement[i++] - '0';
		if (group > groups)
			return false;
		while (i < n && replacement[i] >= '0' && replacement[i] <= '9' &&
			   group * 10 + (replacement[i] - '0') <= groups)
			group = group * 10 + (replacement[i++] - '0');
		append_points(out, s->text, s->match.start[group], s->match.end[group]);
	}
	return true;
}

POINT_FUNCTION(point_regexp_replace)
{
	Search		s;
	RegexResult r;
	int32	   *replacement;
	int			nreplacement;
	int			copied = 0;
	StringInfoData out;

	if (!start_search(&s, args[0].s, args[1].s) ||
		!deltacc_code_points(args[2].s, &replacement, &nreplacement))
		return POINT_UNKNOWN;
	initStringInfo(&out);
	while ((r = find_next(&s)) == REGEX_FOUND)
	{
		append_points(&out, s.text, copied, s.match.start[0]);
		if (!append_replacement(&out, &s, replacement, nreplacement))
			return POINT_UNKNOWN;
		copied = s.match.end[0];
	}
	if (r == REGEX_GAVE_UP)
		return POINT_UNKNOWN;
	append_points(&out, s.text, copied, s.n);
	*result = deltacc_string_value(out.data, out.len);
	return POINT_VALUE;
}

/* ----- split(text, pattern [, limit])[i] ----- */

RESOLVE_FIXED(resolve_split, DELTA_STRING, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)

typedef struct Parts
{
	int			n;
	DeltaScalar *values;
} Parts;

static void
add_part(Parts *parts, const Search *s, int from, int to)
{
	if (parts->n % 16 == 0)
		parts->values = parts->n == 0 ? palloc(sizeof(DeltaScalar) * 16) :
			repalloc(parts->values, sizeof(DeltaScalar) * (parts->n + 16));
	parts->values[parts->n++] = points_value(s->text, from, to);
}

/*
 * UTF8String.split: Java's, with a limit of 0 as good as none; an empty pattern
 * gives the characters.  Nothing is left out at the end, but an empty match at
 * the start.
 */
static bool
split_text(Parts *parts, const DeltaString *text, const DeltaString *pattern, int64 limit)
{
	Search		s;
	RegexResult r = REGEX_NOT_FOUND;
	int			from = 0;

	parts->n = 0;
	if (!start_search(&s, text, pattern))
		return false;
	if (pattern->len == 0 && s.n > 0)
	{
		int			n = limit > s.n || limit <= 0 ? s.n : (int) limit;

		for (int i = 0; i < n - 1; i++)
			add_part(parts, &s, i, i + 1);
		add_part(parts, &s, n - 1, s.n);
		return true;
	}
	while ((limit <= 0 || parts->n < limit - 1) && (r = find_next(&s)) == REGEX_FOUND)
	{
		if (s.match.end[0] == 0)
			continue;
		add_part(parts, &s, from, s.match.start[0]);
		from = s.match.end[0];
	}
	if (r == REGEX_GAVE_UP)
		return false;
	add_part(parts, &s, from, s.n);
	return true;
}

/*
 * Arguments: the text, the pattern, the limit (-1: none) and which part is
 * wanted, from 0, as in split(..)[i] and get(split(..), i), or from 1 and from
 * the end, as in element_at(split(..), i).
 */
POINT_FUNCTION(point_split)
{
	const char *name = cx->call->function->name;
	int64		i = args[3].i;
	Parts		parts;

	if (!split_text(&parts, args[0].s, args[1].s, args[2].i))
		return POINT_UNKNOWN;
	if (strcmp(name, "element_of_split") == 0)
	{
		if (i == 0)
			return deltacc_point_error(cx, "INVALID_INDEX_OF_ZERO");
		if (i > parts.n || i < -parts.n)
			return deltacc_point_error(cx, "INVALID_ARRAY_INDEX_IN_ELEMENT_AT");
		i = i > 0 ? i - 1 : parts.n + i;
	}
	else if (i < 0 || i >= parts.n)
	{
		if (strcmp(name, "get_of_split") == 0)
			return POINT_NULL;
		return deltacc_point_error(cx, "INVALID_ARRAY_INDEX");
	}
	*result = parts.values[i];
	return POINT_VALUE;
}

/* array_contains(split(..), value): the value is the last argument. */
RESOLVE_FIXED(resolve_split_holds, DELTA_BOOLEAN, DELTA_STRING, DELTA_STRING, DELTA_INTEGER, DELTA_STRING)

POINT_FUNCTION(point_split_holds)
{
	Parts		parts;

	if (!split_text(&parts, args[0].s, args[1].s, args[2].i))
		return POINT_UNKNOWN;
	result->i = 0;
	for (int i = 0; i < parts.n && !result->i; i++)
		result->i = deltacc_value_compare(arg_type(cx, 3), parts.values[i], args[3]) == 0;
	return POINT_VALUE;
}

RESOLVE_FIXED(resolve_split_size, DELTA_INTEGER, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)

POINT_FUNCTION(point_split_size)
{
	Parts		parts;

	if (!split_text(&parts, args[0].s, args[1].s, args[2].i))
		return POINT_UNKNOWN;
	result->i = parts.n;
	return POINT_VALUE;
}

#define STRICT		FN_NULL_IN_NULL_OUT
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)

const FunctionDef deltacc_regex_functions[] = {
	{"regexp_extract", 2, 3, RAISES, resolve_extract, point_extract},
	{"regexp_substr", 2, 2, STRICT, resolve_substr, point_regexp_substr},
	{"regexp_instr", 2, 3, RAISES, resolve_position, point_regexp_instr},
	{"regexp_count", 2, 2, RAISES, resolve_position, point_regexp_count},
	{"regexp_replace", 3, 3, RAISES, resolve_replace, point_regexp_replace},
	{"part_of_split", 4, 4, RAISES | FN_TAKEN_FOR_NULLABLE | FN_INTERNAL, resolve_split, point_split},
	{"get_of_split", 4, 4, STRICT | FN_INTERNAL, resolve_split, point_split},
	{"element_of_split", 4, 4, RAISES | FN_TAKEN_FOR_NULLABLE | FN_INTERNAL, resolve_split, point_split},
	{"split_holds", 4, 4, RAISES | FN_INTERNAL, resolve_split_holds, point_split_holds},
	{"size_of_split", 3, 3, RAISES | FN_INTERNAL, resolve_split_size, point_split_size},
	{NULL}
};
