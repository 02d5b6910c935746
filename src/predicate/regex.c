/*-------------------------------------------------------------------------
 *
 * regex.c
 *	  Java's regular expressions, as far as it is certain what they find.
 *
 * A backtracking matcher like java.util.regex: alternatives are tried from left
 * to right, quantifiers as greedy (or reluctant) as written, so that the match
 * and its groups are the same.  Understood are characters, classes without
 * unions, the escapes for ASCII, groups, alternatives, quantifiers that aren't
 * possessive, ^ $ \A \z \Z \b \B, and (?i) at the very start.  All else isn't
 * guessed at: look-around, back references, flags, \p{..}, repeated groups that
 * may match nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "miscadmin.h"

#include "predicate/regex.h"

#define MAX_STEPS	200000		/* of backtracking, in one search */
#define MAX_DEPTH	1500		/* of recursion */
#define MAX_REPEAT	1000		/* in {n,m} */
#define UNBOUNDED	INT_MAX

typedef enum NodeKind
{
	NODE_SET,					/* one character */
	NODE_EMPTY,
	NODE_INPUT_START,			/* ^ \A */
	NODE_LAST_LINE_END,			/* $ \Z: the end, or before a final newline */
	NODE_INPUT_END,				/* \z */
	NODE_BOUNDARY,				/* \b, \B if negated */
	NODE_OPEN,					/* a group begins */
	NODE_CLOSE,
	NODE_BRANCH,				/* one of several */
	NODE_REPEAT,				/* of a set */
	NODE_LOOP,					/* of anything longer */
	NODE_LOOP_END				/* behind the body of a loop */
} NodeKind;

typedef struct Node
{
	NodeKind	kind;
	struct Node *next;			/* NULL: the match is complete */
	bool		negated;		/* SET, BOUNDARY */
	bool		any;			/* SET: . */
	int			nranges;
	int32	  (*ranges)[2];
	int			group;			/* OPEN, CLOSE */
	int			nbranches;
	struct Node **branches;		/* BRANCH */
	struct Node *body;			/* REPEAT, LOOP; LOOP_END: its LOOP */
	int			least;
	int			most;
	bool		reluctant;
	int			loop;			/* LOOP: its counter */
} Node;

struct DeltaRegex
{
	Node	   *first;
	int			ngroups;		/* the whole not counted */
	int			nloops;
	bool		ignore_case;
};

/* ----- parsing ----- */

typedef struct Parser
{
	const int32 *p;
	int			n;
	int			i;
	DeltaRegex *regex;
	bool		failed;
} Parser;

/* A piece of a pattern: its nodes hang on each other, the last one's next is
 * still to be set. */
typedef struct Piece
{
	Node	   *first;
	Node	   *last;
	bool		may_be_empty;
} Piece;

static Piece parse_alternatives(Parser *s);

static Node *
make_node(NodeKind kind)
{
	Node	   *node = palloc0(sizeof(Node));

	node->kind = kind;
	return node;
}

static Piece
single(Node *node, bool may_be_empty)
{
	Piece		piece = {node, node, may_be_empty};

	return piece;
}

static Piece
failed(Parser *s)
{
	s->failed = true;
	return single(make_node(NODE_EMPTY), true);
}

static bool
more(const Parser *s)
{
	return s->i < s->n;
}

/* The next character; 0 at the end. */
static int32
peek(const Parser *s)
{
	return more(s) ? s->p[s->i] : 0;
}

static void
add_range(Node *set, int32 first, int32 last)
{
	if (set->nranges % 8 == 0)
		set->ranges = set->nranges == 0 ? palloc(sizeof(int32[2]) * 8) :
			repalloc(set->ranges, sizeof(int32[2]) * (set->nranges + 8));
	set->ranges[set->nranges][0] = first;
	set->ranges[set->nranges][1] = last;
	set->nranges++;
}

/* \d, \w, \s: ASCII, as no flag says otherwise.  False: none of them. */
static bool
add_named_set(Node *set, int32 c)
{
	switch (c)
	{
		case 'd':
			add_range(set, '0', '9');
			return true;
		case 'w':
			add_range(set, 'a', 'z');
			add_range(set, 'A', 'Z');
			add_range(set, '0', '9');
			add_range(set, '_', '_');
			return true;
		case 's':
			add_range(set, ' ', ' ');
			add_range(set, '\t', '\r');
			return true;
		default:
			return false;
	}
}

/* The character that an escape means; -1 if it means none. */
static int32
escaped_character(int32 c)
{
	switch (c)
	{
		case 't':
			return '\t';
		case 'n':
			return '\n';
		case 'r':
			return '\r';
		case 'f':
			return '\f';
		default:
			/* Java lets any character but letters and digits be escaped */
			if (c > ' ' && c < 0x7F && !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')))
				return c;
			return -1;
	}
}

/* What stands between [ and ]. */
static Piece
parse_class(Parser *s)
{
	Node	   *set = make_node(NODE_SET);

	if (peek(s) == '^')
	{
		set->negated = true;
		s->i++;
	}
	if (peek(s) == ']')
		return failed(s);
	while (more(s) && peek(s) != ']')
	{
		int32		first = s->p[s->i++];
		int32		last;

		if (first == '[' || first == '&')
			return failed(s);	/* unions, intersections */
		if (first == '\\')
		{
			int32		c = peek(s);

			s->i++;
			if (add_named_set(set, c))
			{
				if (peek(s) == '-')
					return failed(s);
				continue;
			}
			first = escaped_character(c);
			if (first < 0)
				return failed(s);
		}
		last = first;
		if (peek(s) == '-' && s->i + 1 < s->n && s->p[s->i + 1] != ']')
		{
			last = s->p[s->i + 1];
			if (last == '[' || last == '\\' || last == '&' || last < first)
				return failed(s);
			s->i += 2;
		}
		add_range(set, first, last);
	}
	if (!more(s))
		return failed(s);
	s->i++;
	return single(set, false);
}

static Piece
parse_escape(Parser *s)
{
	int32		c = peek(s);
	int32		lower = c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
	Node	   *node = make_node(NODE_SET);

	if (!more(s))
		return failed(s);
	s->i++;
	switch (c)
	{
		case 'A':
			return single(make_node(NODE_INPUT_START), true);
		case 'z':
			return single(make_node(NODE_INPUT_END), true);
		case 'Z':
			return single(make_node(NODE_LAST_LINE_END), true);
		case 'b':
		case 'B':
			node->kind = NODE_BOUNDARY;
			node->negated = c == 'B';
			return single(node, true);
		default:
			break;
	}
	if (add_named_set(node, lower))
		node->negated = c != lower;
	else if (escaped_character(c) >= 0)
		add_range(node, escaped_character(c), escaped_character(c));
	else
		return failed(s);
	return single(node, false);
}

static Piece
parse_group(Parser *s)
{
	Node	   *open = NULL;
	Piece		inner;

	if (peek(s) == '?')
	{
		if (s->i + 1 >= s->n || s->p[s->i + 1] != ':')
			return failed(s);
		s->i += 2;
	}
	else
	{
		if (s->regex->ngroups + 1 >= DELTACC_REGEX_MAX_GROUPS)
			return failed(s);
		open = make_node(NODE_OPEN);
		open->group = ++s->regex->ngroups;
	}
	inner = parse_alternatives(s);
	if (peek(s) != ')')
		return failed(s);
	s->i++;
	if (open != NULL)
	{
		Node	   *close = make_node(NODE_CLOSE);

		close->group = open->group;
		open->next = inner.first;
		inner.last->next = close;
		inner.first = open;
		inner.last = close;
	}
	return inner;
}

static Piece
parse_atom(Parser *s)
{
	int32		c = s->p[s->i++];
	Node	   *set;

	switch (c)
	{
		case '(':
			return parse_group(s);
		case '[':
			return parse_class(s);
		case '\\':
			return parse_escape(s);
		case '^':
			return single(make_node(NODE_INPUT_START), true);
		case '$':
			return single(make_node(NODE_LAST_LINE_END), true);
		case '*':
		case '+':
		case '?':
		case '{':
			return failed(s);
		default:
			break;
	}
	set = make_node(NODE_SET);
	set->any = c == '.';
	if (!set->any)
		add_range(set, c, c);
	return single(set, false);
}

static int
parse_number(Parser *s)
{
	int			start = s->i;
	int			number = 0;

	while (peek(s) >= '0' && peek(s) <= '9' && number <= MAX_REPEAT)
		number = number * 10 + (s->p[s->i++] - '0');
	if (s->i == start || number > MAX_REPEAT)
		s->failed = true;
	return number;
}

/* The numbers of a quantifier; false if none follows. */
static bool
parse_quantifier(Parser *s, int *least, int *most)
{
	int32		c = peek(s);

	if (c == '*' || c == '+' || c == '?')
	{
		s->i++;
		*least = c == '+' ? 1 : 0;
		*most = c == '?' ? 1 : UNBOUNDED;
		return true;
	}
	if (c != '{')
		return false;
	s->i++;
	*least = *most = parse_number(s);
	if (peek(s) == ',')
	{
		s->i++;
		*most = peek(s) == '}' ? UNBOUNDED : parse_number(s);
	}
	if (peek(s) != '}' || *most < *least)
		s->failed = true;
	s->i++;
	return true;
}

static Piece
parse_repetition(Parser *s)
{
	Piece		atom = parse_atom(s);
	bool		is_set = atom.first->kind == NODE_SET && atom.first == atom.last;
	Node	   *node;
	int			least;
	int			most;

	if (s->failed || !parse_quantifier(s, &least, &most))
		return atom;
	/* how often nothing is repeated shows in the groups */
	if (s->failed || (atom.may_be_empty && most > 1) || (atom.may_be_empty && atom.first == atom.last))
		return failed(s);

	node = make_node(is_set ? NODE_REPEAT : NODE_LOOP);
	node->least = least;
	node->most = most;
	node->body = atom.first;
	if (!is_set)
	{
		Node	   *end = make_node(NODE_LOOP_END);

		end->body = node;
		atom.last->next = end;
		node->loop = s->regex->nloops++;
	}
	if (peek(s) == '?')
	{
		node->reluctant = true;
		s->i++;
	}
	/* possessive, or a quantifier of a quantifier */
	if (more(s) && strchr("*+?{", (int) Min(peek(s), 0x7F)) != NULL)
		return failed(s);
	return single(node, atom.may_be_empty || least == 0);
}

static Piece
parse_sequence(Parser *s)
{
	Piece		all = single(make_node(NODE_EMPTY), true);

	while (more(s) && peek(s) != '|' && peek(s) != ')' && !s->failed)
	{
		Piece		piece = parse_repetition(s);

		all.last->next = piece.first;
		all.last = piece.last;
		all.may_be_empty = all.may_be_empty && piece.may_be_empty;
	}
	return all;
}

static Piece
parse_alternatives(Parser *s)
{
	Piece		first;
	Piece		result;
	Node	   *branch;
	Node	   *end;

	check_stack_depth();
	first = parse_sequence(s);
	if (peek(s) != '|' || s->failed)
		return first;

	branch = make_node(NODE_BRANCH);
	end = make_node(NODE_EMPTY);
	result.first = branch;
	result.last = end;
	result.may_be_empty = first.may_be_empty;
	branch->branches = palloc(sizeof(Node *) * (s->n + 1));
	branch->branches[branch->nbranches++] = first.first;
	first.last->next = end;
	while (peek(s) == '|' && !s->failed)
	{
		Piece		piece;

		s->i++;
		piece = parse_sequence(s);
		piece.last->next = end;
		branch->branches[branch->nbranches++] = piece.first;
		result.may_be_empty = result.may_be_empty || piece.may_be_empty;
	}
	return result;
}

DeltaRegex *
deltacc_regex_compile(const int32 *pattern, int n)
{
	DeltaRegex *regex = palloc0(sizeof(DeltaRegex));
	Parser		s = {.p = pattern,.n = n,.regex = regex};
	Piece		all;

	if (n >= 4 && pattern[0] == '(' && pattern[1] == '?' && pattern[2] == 'i' && pattern[3] == ')')
	{
		regex->ignore_case = true;
		s.i = 4;
	}
	all = parse_alternatives(&s);
	if (s.failed || more(&s))
		return NULL;
	regex->first = all.first;
	return regex;
}

int
deltacc_regex_groups(const DeltaRegex *regex)
{
	return regex->ngroups;
}

/* ----- matching ----- */

typedef struct Matcher
{
	const DeltaRegex *regex;
	const int32 *text;
	int			n;
	int			steps;
	int			depth;
	bool		gave_up;
	RegexMatch *match;
	int			open[DELTACC_REGEX_MAX_GROUPS]; /* where groups began */
	int		   *counts;			/* of loops */
} Matcher;

static bool
is_line_terminator(int32 c)
{
	return c == '\n' || c == '\r' || c == 0x85 || c == 0x2028 || c == 0x2029;
}

static bool
in_ranges(const Node *set, int32 c)
{
	for (int i = 0; i < set->nranges; i++)
	{
		if (c >= set->ranges[i][0] && c <= set->ranges[i][1])
			return true;
	}
	return false;
}

/* CASE_INSENSITIVE is about the letters of ASCII only. */
static bool
set_matches(const DeltaRegex *regex, const Node *set, int32 c)
{
	bool		found;

	if (set->any)
		return !is_line_terminator(c);
	found = in_ranges(set, c);
	if (!found && regex->ignore_case && c < 0x80)
		found = in_ranges(set, pg_ascii_toupper((unsigned char) c)) || in_ranges(set, pg_ascii_tolower((unsigned char) c));
	return found != set->negated;
}

/* Before the line terminator that ends the text, but not within \r\n. */
static bool
at_last_line_end(const Matcher *m, int i)
{
	if (i == m->n)
		return true;
	if (i == m->n - 2)
		return m->text[i] == '\r' && m->text[i + 1] == '\n';
	if (i != m->n - 1 || !is_line_terminator(m->text[i]))
		return false;
	return !(m->text[i] == '\n' && i > 0 && m->text[i - 1] == '\r');
}

/* Outside of ASCII it depends on Unicode what a word is. */
static bool
is_word(Matcher *m, int i)
{
	int32		c;

	if (i < 0 || i >= m->n)
		return false;
	c = m->text[i];
	if (c >= 0x80)
		m->gave_up = true;
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool match_node(Matcher *m, const Node *node, int i);

static bool
match_repeat(Matcher *m, const Node *node, int i)
{
	int			count = 0;

	while (count < node->least)
	{
		if (i + count >= m->n || !set_matches(m->regex, node->body, m->text[i + count]))
			return false;
		count++;
	}
	if (node->reluctant)
	{
		for (;;)
		{
			if (match_node(m, node->next, i + count))
				return true;
			if (m->gave_up || count >= node->most || i + count >= m->n ||
				!set_matches(m->regex, node->body, m->text[i + count]))
				return false;
			count++;
		}
	}
	while (count < node->most && i + count < m->n && set_matches(m->regex, node->body, m->text[i + count]))
		count++;
	m->steps -= count;
	for (;;)
	{
		if (match_node(m, node->next, i + count))
			return true;
		if (m->gave_up || count <= node->least)
			return false;
		count--;
	}
}

/* Once more through the body of a loop that was passed count times. */
static bool
match_body(Matcher *m, const Node *loop, int count, int i)
{
	m->counts[loop->loop] = count + 1;
	if (match_node(m, loop->body, i))
		return true;
	m->counts[loop->loop] = count;
	return false;
}

/* In front of the body of a loop that was passed count times. */
static bool
match_loop(Matcher *m, const Node *loop, int count, int i)
{
	if (count < loop->least)
		return match_body(m, loop, count, i);
	if (!loop->reluctant && count < loop->most && match_body(m, loop, count, i))
		return true;
	if (m->gave_up)
		return false;
	if (match_node(m, loop->next, i))
		return true;
	return loop->reluctant && count < loop->most && !m->gave_up && match_body(m, loop, count, i);
}

/* Into a loop: within an outer one it may be on its way already. */
static bool
enter_loop(Matcher *m, const Node *loop, int i)
{
	int			before = m->counts[loop->loop];

	m->counts[loop->loop] = 0;
	if (match_loop(m, loop, 0, i))
		return true;
	m->counts[loop->loop] = before;
	return false;
}

static bool
match_group_end(Matcher *m, const Node *node, int i)
{
	int			start = m->match->start[node->group];
	int			end = m->match->end[node->group];

	m->match->start[node->group] = m->open[node->group];
	m->match->end[node->group] = i;
	if (match_node(m, node->next, i))
		return true;
	m->match->start[node->group] = start;
	m->match->end[node->group] = end;
	return false;
}

static bool
match_group_start(Matcher *m, const Node *node, int i)
{
	int			before = m->open[node->group];

	m->open[node->group] = i;
	if (match_node(m, node->next, i))
		return true;
	m->open[node->group] = before;
	return false;
}

static bool
match_from(Matcher *m, const Node *node, int i)
{
	while (node != NULL)
	{
		if (--m->steps < 0)
			m->gave_up = true;
		if (m->gave_up)
			return false;
		switch (node->kind)
		{
			case NODE_SET:
				if (i >= m->n || !set_matches(m->regex, node, m->text[i]))
					return false;
				i++;
				break;
			case NODE_EMPTY:
				break;
			case NODE_INPUT_START:
				if (i != 0)
					return false;
				break;
			case NODE_LAST_LINE_END:
				if (!at_last_line_end(m, i))
					return false;
				break;
			case NODE_INPUT_END:
				if (i != m->n)
					return false;
				break;
			case NODE_BOUNDARY:
				if ((is_word(m, i - 1) != is_word(m, i)) == node->negated || m->gave_up)
					return false;
				break;
			case NODE_OPEN:
				return match_group_start(m, node, i);
			case NODE_CLOSE:
				return match_group_end(m, node, i);
			case NODE_BRANCH:
				for (int b = 0; b < node->nbranches; b++)
				{
					if (match_node(m, node->branches[b], i))
						return true;
					if (m->gave_up)
						return false;
				}
				return false;
			case NODE_REPEAT:
				return match_repeat(m, node, i);
			case NODE_LOOP:
				return enter_loop(m, node, i);
			case NODE_LOOP_END:
				return match_loop(m, node->body, m->counts[node->body->loop], i);
		}
		node = node->next;
	}
	m->match->end[0] = i;
	return true;
}

static bool
match_node(Matcher *m, const Node *node, int i)
{
	bool		found;

	if (m->depth >= MAX_DEPTH)
	{
		m->gave_up = true;
		return false;
	}
	check_stack_depth();
	m->depth++;
	found = match_from(m, node, i);
	m->depth--;
	return found;
}

RegexResult
deltacc_regex_search(const DeltaRegex *regex, const int32 *text, int n, int from, RegexMatch *match)
{
	Matcher		m = {.regex = regex,.text = text,.n = n,.steps = MAX_STEPS,.match = match};

	m.counts = palloc0(sizeof(int) * (regex->nloops + 1));
	for (int start = from; start <= n; start++)
	{
		CHECK_FOR_INTERRUPTS();
		memset(match, -1, sizeof(*match));
		if (match_node(&m, regex->first, start))
		{
			match->start[0] = start;
			pfree(m.counts);
			return REGEX_FOUND;
		}
		if (m.gave_up)
			break;
	}
	pfree(m.counts);
	return m.gave_up ? REGEX_GAVE_UP : REGEX_NOT_FOUND;
}
