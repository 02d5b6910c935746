/*-------------------------------------------------------------------------
 *
 * functions_pattern.c
 *	  LIKE and RLIKE.
 *
 * RLIKE is Java's regular expressions, which are not PostgreSQL's.  Only a
 * part on which nobody disagrees is matched, by a small matcher of our own:
 * characters, classes, the usual quantifiers, alternatives, ^ and $; no
 * groups.  All other patterns are unknown.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"
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
parse_like(CallContext *cx, DeltaString p, int32 escape, LikePattern *pattern)
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

/* A string's code points; false if it isn't valid UTF-8. */
static bool
code_points(DeltaString s, int32 **points, int *n)
{
	*points = palloc_extended(sizeof(int32) * ((Size) s.len + 1), MCXT_ALLOC_HUGE);
	*n = 0;
	for (int i = 0; i < s.len;)
	{
		int			step = utf8_step(s.data + i, s.len - i);
		int32		c = utf8_code_point(s.data + i, step);

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
	if (!code_points(*args[0].s, &text, &n))
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
	if (fixed != pattern.n - 1 || pattern.items[fixed] != WILD_MANY)
		may |= MAY_FALSE;
	out->may[row] = may;
}

/* ----- RLIKE ----- */

#define MAX_STEPS	100000		/* of backtracking */
#define UNBOUNDED	INT_MAX

typedef struct RegexAtom
{
	bool		any;			/* . */
	bool		negated;
	int			nranges;
	int32		ranges[32][2];
	int			least;
	int			most;
} RegexAtom;

typedef struct RegexBranch
{
	bool		at_start;		/* ^ */
	bool		at_end;			/* $ */
	int			natoms;
	RegexAtom  *atoms;
} RegexBranch;

typedef struct RegexParser
{
	const int32 *p;
	int			n;
	int			i;
} RegexParser;

static bool
add_range(RegexAtom *atom, int32 first, int32 last)
{
	if (atom->nranges >= lengthof(atom->ranges) || first > last)
		return false;
	atom->ranges[atom->nranges][0] = first;
	atom->ranges[atom->nranges][1] = last;
	atom->nranges++;
	return true;
}

/* \d, \w, \s and escaped signs; Java's are ASCII unless told otherwise. */
static bool
add_escape(RegexAtom *atom, int32 c)
{
	switch (c)
	{
		case 'd':
			return add_range(atom, '0', '9');
		case 'w':
			return add_range(atom, 'a', 'z') && add_range(atom, 'A', 'Z') &&
				add_range(atom, '0', '9') && add_range(atom, '_', '_');
		case 's':
			return add_range(atom, ' ', ' ') && add_range(atom, '\t', '\r');
		case 't':
			return add_range(atom, '\t', '\t');
		default:
			if (c < 0x80 && c > ' ' && strchr("\\.^$|()[]{}*+?-/", (char) c) != NULL)
				return add_range(atom, c, c);
			return false;
	}
}

static bool
parse_class(RegexParser *s, RegexAtom *atom)
{
	if (s->i < s->n && s->p[s->i] == '^')
	{
		atom->negated = true;
		s->i++;
	}
	if (s->i < s->n && s->p[s->i] == ']')
		return false;
	while (s->i < s->n && s->p[s->i] != ']')
	{
		int32		c = s->p[s->i++];

		if (c == '[' || c == '&' || c == '^')
			return false;		/* unions, intersections */
		if (c == '\\')
		{
			if (s->i >= s->n || !add_escape(atom, s->p[s->i++]))
				return false;
			/* no range may start or end with it */
			if (s->i < s->n && s->p[s->i] == '-')
				return false;
			continue;
		}
		if (s->i + 1 < s->n && s->p[s->i] == '-' && s->p[s->i + 1] != ']')
		{
			int32		last = s->p[s->i + 1];

			if (last == '[' || last == '\\' || last == '&' || c == '-' || last == '-' || !add_range(atom, c, last))
				return false;
			s->i += 2;
		}
		else if (!add_range(atom, c, c))
			return false;
	}
	if (s->i >= s->n)
		return false;
	s->i++;
	return atom->nranges > 0;
}

static bool
parse_number(RegexParser *s, int *number)
{
	int			start = s->i;

	*number = 0;
	while (s->i < s->n && s->p[s->i] >= '0' && s->p[s->i] <= '9')
	{
		*number = *number * 10 + (s->p[s->i++] - '0');
		if (*number > 10000)
			return false;
	}
	return s->i > start;
}

static bool
parse_quantifier(RegexParser *s, RegexAtom *atom)
{
	int32		c = s->i < s->n ? s->p[s->i] : 0;

	atom->least = atom->most = 1;
	if (c == '*' || c == '+' || c == '?')
	{
		s->i++;
		atom->least = c == '+' ? 1 : 0;
		atom->most = c == '?' ? 1 : UNBOUNDED;
	}
	else if (c == '{')
	{
		s->i++;
		if (!parse_number(s, &atom->least))
			return false;
		atom->most = atom->least;
		if (s->i < s->n && s->p[s->i] == ',')
		{
			s->i++;
			atom->most = UNBOUNDED;
			if (s->i < s->n && s->p[s->i] != '}' && !parse_number(s, &atom->most))
				return false;
		}
		if (s->i >= s->n || s->p[s->i] != '}' || atom->most < atom->least)
			return false;
		s->i++;
	}
	else
		return true;

	/* a reluctant quantifier finds no more and no less; a possessive does */
	if (s->i < s->n && s->p[s->i] == '?')
		s->i++;
	return s->i >= s->n || strchr("*+?{", (char) Min(s->p[s->i], 127)) == NULL;
}

static bool
parse_branch(RegexParser *s, RegexBranch *branch)
{
	memset(branch, 0, sizeof(*branch));
	branch->atoms = palloc0(sizeof(RegexAtom) * Max(s->n - s->i, 1));
	if (s->i < s->n && s->p[s->i] == '^')
	{
		branch->at_start = true;
		s->i++;
	}
	while (s->i < s->n && s->p[s->i] != '|')
	{
		RegexAtom  *atom = &branch->atoms[branch->natoms];
		int32		c = s->p[s->i++];

		if (c == '$' && (s->i == s->n || s->p[s->i] == '|'))
		{
			branch->at_end = true;
			break;
		}
		if (c < 0x20 || (c < 0x80 && strchr("^$*+?{}()]", (char) c) != NULL))
			return false;
		if (c == '.')
			atom->any = true;
		else if (c == '[')
		{
			if (!parse_class(s, atom))
				return false;
		}
		else if (c == '\\')
		{
			if (s->i >= s->n || !add_escape(atom, s->p[s->i++]))
				return false;
		}
		else if (!add_range(atom, c, c))
			return false;
		if (!parse_quantifier(s, atom))
			return false;
		branch->natoms++;
	}
	return true;
}

static bool
atom_matches(const RegexAtom *atom, int32 c)
{
	bool		found = atom->any;

	for (int i = 0; i < atom->nranges && !found; i++)
		found = c >= atom->ranges[i][0] && c <= atom->ranges[i][1];
	return found != atom->negated;
}

typedef struct RegexMatch
{
	const int32 *text;
	int			n;
	int			steps;			/* left */
} RegexMatch;

/* Do the atoms from number a on match the text from t on? */
static bool
match_here(RegexMatch *m, const RegexBranch *branch, int a, int t)
{
	const RegexAtom *atom;
	int			count = 0;

	check_stack_depth();
	if (a == branch->natoms)
		return !branch->at_end || t == m->n;
	atom = &branch->atoms[a];
	for (;;)
	{
		if (--m->steps < 0)
			return false;
		if (count >= atom->least && match_here(m, branch, a + 1, t + count))
			return true;
		if (count >= atom->most || t + count >= m->n || !atom_matches(atom, m->text[t + count]))
			return false;
		count++;
	}
}

static bool
has_line_terminator(const int32 *text, int n)
{
	for (int i = 0; i < n; i++)
	{
		if (text[i] == '\n' || text[i] == '\r' || text[i] == 0x85 || text[i] == 0x2028 || text[i] == 0x2029)
			return true;
	}
	return false;
}

/*
 * Does the pattern match anywhere in the text (Matcher.find)?
 */
POINT_FUNCTION(point_rlike)
{
	RegexParser parser = {0};
	RegexMatch	m = {.steps = MAX_STEPS};
	int32	   *pattern;
	int32	   *text;

	if (args[1].s->len > 1000 || !code_points(*args[1].s, &pattern, &parser.n) ||
		!code_points(*args[0].s, &text, &m.n))
		return POINT_UNKNOWN;
	/* what . and $ do there depends on flags */
	if (has_line_terminator(text, m.n))
		return POINT_UNKNOWN;

	parser.p = pattern;
	m.text = text;
	result->i = 0;
	for (;;)
	{
		RegexBranch branch;

		/* the whole pattern has to be read, even if it matches already */
		if (!parse_branch(&parser, &branch))
			return POINT_UNKNOWN;
		for (int t = 0; t <= m.n && !result->i && (t == 0 || !branch.at_start); t++)
			result->i = match_here(&m, &branch, 0, t);
		if (m.steps < 0)
			return POINT_UNKNOWN;
		if (parser.i >= parser.n)
			return POINT_VALUE;
		parser.i++;
	}
}

#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)

const FunctionDef deltacc_pattern_functions[] = {
	{"like", 2, 3, RAISES, resolve_like, point_like, range_like},
	{"rlike", 2, 2, RAISES, resolve_like, point_rlike},
	{NULL}
};
