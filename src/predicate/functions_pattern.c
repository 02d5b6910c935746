/*-------------------------------------------------------------------------
 *
 * functions_pattern.c
 *	  LIKE and RLIKE.
 *
 * RLIKE is Java's regular expressions: see regex.c.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/coerce.h"
#include "predicate/eval_node.h"
#include "predicate/functions_support.h"
#include "predicate/regex.h"
#include "predicate/utf8.h"

/* ----- LIKE ----- */

/* A pattern of LIKE taken apart: characters, and the two wildcards. */
#define WILD_ONE	(-2)		/* _ */
#define WILD_MANY	(-3)		/* % */

typedef struct LikePattern
{
	int			n;
	int32	   *items;			/* code points or WILD_... */
} LikePattern;

/*
 * Spark's escapeLikeRegex: the escape character may stand before a wildcard or
 * itself, and nowhere else.
 */
static PointResult
parse_like(DeltaCallContext *cx, DeltaString p, int32 escape, LikePattern *pattern)
{
	pattern->n = 0;
	pattern->items = palloc(sizeof(int32) * (p.len + 1));
	for (int i = 0; i < p.len;)
	{
		int			step = utf8_step(p.data + i, p.len - i);
		int32		c = utf8_code_point(p.data + i, step);

		if (c < 0)
			return POINT_UNKNOWN;
		i += step;
		if (c == escape)
		{
			if (i >= p.len)
				return deltacc_point_error(cx, "INVALID_FORMAT.ESC_AT_THE_END");
			step = utf8_step(p.data + i, p.len - i);
			c = utf8_code_point(p.data + i, step);
			if (c != '_' && c != '%' && c != escape)
				return deltacc_point_error(cx, "INVALID_FORMAT.ESC_IN_THE_MIDDLE");
			i += step;
		}
		else if (c == '_')
			c = WILD_ONE;
		else if (c == '%')
			c = WILD_MANY;
		pattern->items[pattern->n++] = c;
	}
	return POINT_VALUE;
}

/*
 * Matches by going back to the last % only: linear in the pattern for each
 * character of the text.
 */
static bool
match_like(const int32 *text, int n, const LikePattern *pattern)
{
	int			t = 0;
	int			p = 0;
	int			many = -1;		/* the last % */
	int			resume = 0;		/* where the text goes on after it */

	while (t < n)
	{
		if (p < pattern->n && pattern->items[p] == WILD_MANY)
		{
			many = p++;
			resume = t;
		}
		else if (p < pattern->n && (pattern->items[p] == WILD_ONE || pattern->items[p] == text[t]))
		{
			p++;
			t++;
		}
		else if (many >= 0)
		{
			p = many + 1;
			t = ++resume;
		}
		else
			return false;
	}
	while (p < pattern->n && pattern->items[p] == WILD_MANY)
		p++;
	return p == pattern->n;
}

bool
deltacc_code_points(const DeltaString *s, int32 **points, int *n)
{
	*points = palloc_extended(sizeof(int32) * ((Size) s->len + 1), MCXT_ALLOC_HUGE);
	*n = 0;
	for (int i = 0; i < s->len;)
	{
		int			step = utf8_step(s->data + i, s->len - i);
		int32		c = utf8_code_point(s->data + i, step);

		if (c < 0)
			return false;
		(*points)[(*n)++] = c;
		i += step;
	}
	return true;
}

RESOLVE_FIXED(resolve_like, DELTA_BOOLEAN, DELTA_STRING)

/* The escape character; -1: not just one character. */
static int32
escape_character(int nargs, const DeltaScalar *args)
{
	const DeltaString *e;

	if (nargs < 3)
		return '\\';
	e = args[2].s;
	if (e->len == 0 || utf8_step(e->data, e->len) != e->len)
		return -1;
	return utf8_code_point(e->data, e->len);
}

POINT_FUNCTION(point_like)
{
	LikePattern pattern;
	int32		escape = escape_character(nargs, args);
	int32	   *text;
	int			n;
	PointResult r;

	if (escape < 0)
		return POINT_UNKNOWN;
	r = parse_like(cx, *args[1].s, escape, &pattern);
	if (r != POINT_VALUE)
		return r;
	if (!deltacc_code_points(args[0].s, &text, &n))
		return POINT_UNKNOWN;
	result->i = match_like(text, n, &pattern);
	return POINT_VALUE;
}

/*
 * A pattern that starts with fixed characters matches only what starts with
 * them; 'abc%' matches all of that.
 */
RANGE_FUNCTION(range_like)
{
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	b = deltacc_arg_values(&args[1], row);
	ValueRange	e = {.may = 0};
	DeltaScalar values[3] = {{0}};
	LikePattern pattern;
	DeltaString prefix;
	char	   *bytes;
	int			fixed = 0;
	int32		escape;
	uint8		may;

	if (nargs == 3)
		e = deltacc_arg_values(&args[2], row);
	if (!deltacc_range_is_point(&args[1].type, &b) ||
		(nargs == 3 && !deltacc_range_is_point(&args[2].type, &e)))
	{
		deltacc_set_unknown(out, row, MAY_ERROR);
		return;
	}
	values[2] = e.lo;
	escape = escape_character(nargs, values);
	switch (escape < 0 ? POINT_UNKNOWN : parse_like(cx, *b.lo.s, escape, &pattern))
	{
		case POINT_ERROR:
			out->may[row] = MAY_ERROR;
			return;
		case POINT_VALUE:
			break;
		default:
			deltacc_set_unknown(out, row, MAY_ERROR);
			return;
	}

	bytes = palloc(pattern.n * 4 + 1);
	prefix.len = 0;
	prefix.data = bytes;
	while (fixed < pattern.n && pattern.items[fixed] >= 0)
		prefix.len += utf8_put(bytes + prefix.len, pattern.items[fixed++]);
	may = deltacc_prefix_outcomes(&a, prefix);
	if (fixed == pattern.n && may & MAY_TRUE)
	{
		/* without a wildcard: that text and no other */
		ValueRange	text = deltacc_range_point(&args[0].type, deltacc_string_value(prefix.data, prefix.len));

		out->may[row] = deltacc_compare_ranges(CMP_EQ, &args[0].type, a, &args[0].type, text);
		return;
	}
	if (fixed != pattern.n - 1 || pattern.items[fixed] != WILD_MANY)
		may |= MAY_FALSE;
	out->may[row] = may;
}

/* ----- RLIKE ----- */

/*
 * Does the pattern match anywhere in the text (Matcher.find)?
 */
POINT_FUNCTION(point_rlike)
{
	DeltaRegex *regex = deltacc_regex_of_string(args[1].s);
	RegexMatch	match;
	int32	   *text;
	int			n;

	if (regex == NULL || !deltacc_code_points(args[0].s, &text, &n))
		return POINT_UNKNOWN;
	switch (deltacc_regex_search(regex, text, n, 0, &match))
	{
		case REGEX_FOUND:
			result->i = 1;
			return POINT_VALUE;
		case REGEX_NOT_FOUND:
			result->i = 0;
			return POINT_VALUE;
		default:
			return POINT_UNKNOWN;
	}
}

/*
 * '^abc...' is found only in what starts with 'abc': of a pattern without
 * alternatives, the characters that stand for themselves.
 */
RANGE_FUNCTION(range_rlike)
{
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	b = deltacc_arg_values(&args[1], row);
	DeltaString pattern;
	DeltaString prefix;
	int			end = 1;

	if (!deltacc_range_is_point(&args[1].type, &b))
	{
		deltacc_set_unknown(out, row, MAY_ERROR);
		return;
	}
	if (deltacc_regex_of_string(b.lo.s) == NULL)
	{
		/* it may be no pattern at all */
		deltacc_set_unknown(out, row, MAY_ERROR);
		return;
	}
	deltacc_set_unknown(out, row, 0);
	pattern = *b.lo.s;
	if (pattern.len == 0 || pattern.data[0] != '^' || memchr(pattern.data, '|', pattern.len) != NULL)
		return;
	while (end < pattern.len && strchr("\\^$.?*+()[]{}", pattern.data[end]) == NULL)
		end++;
	/* what is repeated may not be there */
	if (end < pattern.len && strchr("?*{", pattern.data[end]) != NULL)
	{
		while (end > 1 && ((unsigned char) pattern.data[end - 1] & 0xC0) == 0x80)
			end--;
		end = Max(end - 1, 1);
	}
	prefix.data = pattern.data + 1;
	prefix.len = end - 1;
	out->may[row] = (deltacc_prefix_outcomes(&a, prefix) & MAY_TRUE) | MAY_FALSE;
}

#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)

const FunctionDef deltacc_pattern_functions[] = {
	{"like", 2, 3, RAISES, resolve_like, point_like, range_like},
	{"rlike", 2, 2, RAISES, resolve_like, point_rlike, range_rlike},
	{NULL}
};
