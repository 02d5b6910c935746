/*-------------------------------------------------------------------------
 *
 * statement.c
 *	  What a Spark SQL statement reads of the table that it writes.
 *
 * No grammar: the statement is cut into words, and the condition is what stands
 * between two keywords at the top level.  A query may hide in a subquery, so
 * a statement that names its target a second time reads everything.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "base/text.h"
#include "miscadmin.h"
#include "predicate/statement.h"

typedef enum PieceType
{
	PIECE_END,
	PIECE_WORD,					/* a name, a keyword, a number */
	PIECE_QUOTED,				/* `name` */
	PIECE_STRING,				/* 'text' or "text" */
	PIECE_MARK					/* any other byte */
} PieceType;

typedef struct Piece
{
	PieceType	type;
	int			start;			/* bytes [start, end) of the statement */
	int			end;
	int			depth;			/* of parentheses around it */
} Piece;

typedef struct Statement
{
	const char *text;
	int			len;
	Piece	   *pieces;			/* the last one is PIECE_END */
	int			npieces;
	int			at;				/* the piece to be looked at next */
	int			begin;			/* the one that begins it, behind its WITH */

	/* the target: pieces [first, last) of its name, and its alias */
	int			target_first;
	int			target_last;
	const Piece *target_alias;	/* NULL */
	const Piece *source_alias;	/* or the last part of its name */

	/* the condition: pieces (first, last), behind the word that begins it */
	int			condition_first;
	int			condition_last;
} Statement;

/* The words that may come next, so that they are no alias. */
static const char *const after_target[] = {"SET", "WHERE", "USING", "FROM"};
static const char *const after_source[] = {"ON"};

static const char target_twice[] = "the statement names its target twice: it may read all of it";

static void cut(Statement *s);
static bool is_word(const Statement *s, int i, const char *word);
static bool is_mark(const Statement *s, int i, char mark);
static bool accept(Statement *s, const char *word);
static bool read_name(Statement *s, int *first, int *last);
static const Piece *read_alias(Statement *s, const char *const *stops, int nstops);
static int	find_top(const Statement *s, int from, const char *word);
static bool names_target_again(const Statement *s);
static Predicate *condition_between(Statement *s, int first, int last, const char **note);
static void qualify(const Statement *s, PredicateNode *node);
static Predicate *everything(void);

static void
forget_condition(Statement *s)
{
	s->condition_first = s->condition_last = 0;
}

/* What stands in parentheses here, with them; false if nothing does. */
static bool
skip_parentheses(Statement *s)
{
	int			depth = s->pieces[s->at].depth;

	if (!is_mark(s, s->at, '('))
		return false;
	for (s->at++; s->at < s->npieces - 1 && s->pieces[s->at].depth > depth; s->at++)
		;
	s->at += s->at < s->npieces - 1;
	return true;
}

/* WITH name [(columns)] [AS] (query), …, before any other statement. */
static void
skip_with(Statement *s)
{
	int			first,
				last;

	if (!accept(s, "WITH"))
		return;
	accept(s, "RECURSIVE");
	for (;;)
	{
		bool		columns;

		if (!read_name(s, &first, &last))
			break;
		columns = skip_parentheses(s);
		accept(s, "AS");
		if (!skip_parentheses(s) && !columns)
			break;
		if (!is_mark(s, s->at, ','))
		{
			s->begin = s->at;
			return;
		}
		s->at++;
	}
	s->at = 0;					/* not as we know it */
}

/* UPDATE t SET … [WHERE …], DELETE FROM t [WHERE …] */
static void
read_update(Statement *s, StatementReads *result)
{
	if (!read_name(s, &s->target_first, &s->target_last))
		return;
	s->target_alias = read_alias(s, after_target, lengthof(after_target));
	s->condition_first = find_top(s, s->at, "WHERE");
	s->condition_last = s->npieces - 1;
	result->note = s->condition_first == s->condition_last ? "no condition: every row" : NULL;
}

/* What is merged: a query in parentheses, or a name. */
static void
read_source(Statement *s)
{
	const Piece *alias;
	int			first,
				last;

	if (!skip_parentheses(s) && read_name(s, &first, &last))
		s->source_alias = &s->pieces[last - 1];
	alias = read_alias(s, after_source, lengthof(after_source));
	if (alias)
		s->source_alias = alias;
}

/* MERGE [WITH SCHEMA EVOLUTION] INTO t USING … ON … WHEN … */
static void
read_merge(Statement *s, StatementReads *result)
{
	if (accept(s, "WITH") && accept(s, "SCHEMA"))
		accept(s, "EVOLUTION");
	if (!accept(s, "INTO") || !read_name(s, &s->target_first, &s->target_last))
		return;
	s->target_alias = read_alias(s, after_target, lengthof(after_target));
	s->condition_first = find_top(s, s->at, "ON");
	if (accept(s, "USING"))
		read_source(s);
	s->condition_last = find_top(s, s->condition_first, "WHEN");
	result->note = NULL;
	for (int i = s->condition_last; i + 3 < s->npieces; i++)
	{
		if (is_word(s, i, "NOT") && is_word(s, i + 1, "MATCHED") && is_word(s, i + 2, "BY") &&
			is_word(s, i + 3, "SOURCE"))
		{
			result->note = "a MERGE with WHEN NOT MATCHED BY SOURCE reads every row";
			forget_condition(s);
			break;
		}
	}
}

/* INSERT … REPLACE WHERE condition query: the condition ends where a query begins. */
static void
read_replace_where(Statement *s, StatementReads *result, int where)
{
	static const char *const queries[] = {"SELECT", "VALUES", "TABLE", "FROM", "WITH", "MAP", "REDUCE"};

	s->condition_first = where;
	s->condition_last = s->npieces - 1;
	for (int i = 0; i < lengthof(queries); i++)
		s->condition_last = Min(s->condition_last, find_top(s, where, queries[i]));
	result->note = NULL;
	/* the query may stand in parentheses */
	if (s->condition_last == s->npieces - 1)
	{
		result->note = "where the condition of REPLACE WHERE ends can't be told";
		forget_condition(s);
	}
}

/* INSERT INTO t …, INSERT OVERWRITE t …, INSERT INTO t REPLACE … */
static void
read_insert(Statement *s, StatementReads *result)
{
	bool		overwrite = accept(s, "OVERWRITE");
	int			replace;

	if (!overwrite)
		accept(s, "INTO");
	accept(s, "TABLE");
	if (!read_name(s, &s->target_first, &s->target_last))
		return;
	replace = find_top(s, s->at, "REPLACE");
	if (overwrite)
		result->note = "an overwrite reads what it replaces";
	else if (is_word(s, replace + 1, "WHERE"))
		read_replace_where(s, result, replace + 1);
	else if (replace < s->npieces - 1)
		result->note = "a REPLACE ON or REPLACE USING compares with the rows that it writes";
	else if (names_target_again(s))
		result->note = target_twice;
	else
	{
		result->nothing = true;
		result->note = NULL;
	}
}

/* The first word of any other statement, in capitals; NULL if it begins with none. */
static char *
first_word(const Statement *s)
{
	char	   *word;

	if (s->pieces[0].type != PIECE_WORD)
		return NULL;
	word = pnstrdup(s->text + s->pieces[0].start, s->pieces[0].end - s->pieces[0].start);
	for (char *c = word; *c; c++)
		*c = pg_ascii_toupper((unsigned char) *c);
	return word;
}

StatementReads
deltacc_statement_reads(const char *text, int len)
{
	StatementReads result = {0};
	Statement	s = {0};

	s.text = text;
	s.len = len;
	cut(&s);
	result.note = "the statement is none that says what it reads";
	skip_with(&s);

	if (accept(&s, "UPDATE") || (accept(&s, "DELETE") && accept(&s, "FROM")))
	{
		result.operation = is_word(&s, s.begin, "UPDATE") ? "UPDATE" : "DELETE";
		read_update(&s, &result);
	}
	else if (accept(&s, "MERGE"))
	{
		result.operation = "MERGE";
		read_merge(&s, &result);
	}
	else if (accept(&s, "INSERT"))
	{
		result.operation = "WRITE";
		read_insert(&s, &result);
	}
	else if (accept(&s, "OPTIMIZE") || (accept(&s, "TRUNCATE") && accept(&s, "TABLE")))
	{
		result.operation = is_word(&s, s.begin, "OPTIMIZE") ? "OPTIMIZE" : "TRUNCATE";
		read_name(&s, &s.target_first, &s.target_last);
		result.note = psprintf("%s reads everything", result.operation);
	}
	else
		result.operation = first_word(&s);

	if (s.target_last > s.target_first)
		result.target = pnstrdup(text + s.pieces[s.target_first].start,
								 s.pieces[s.target_last - 1].end - s.pieces[s.target_first].start);
	if (result.nothing)
		return result;

	if (s.condition_last > s.condition_first + 1 && names_target_again(&s))
	{
		forget_condition(&s);
		result.note = target_twice;
	}
	if (s.condition_last > s.condition_first + 1)
		result.condition = condition_between(&s, s.condition_first, s.condition_last, &result.note);
	if (result.condition == NULL)
		result.condition = everything();
	return result;
}

/* ---------------------------------------------------------------------
 * Words
 * ---------------------------------------------------------------------
 */

static bool
is_word_byte(unsigned char c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

/* Behind what is quoted at i, escapes minded. */
static int
end_of_quoted(const Statement *s, int i)
{
	char		quote = s->text[i++];

	for (; i < s->len && s->text[i] != quote; i++)
	{
		if (s->text[i] == '\\' && quote != '`')
			i++;
	}
	return Min(i + 1, s->len);
}

/* Behind blanks and comments at i. */
static int
skip_space(const Statement *s, int i)
{
	for (;;)
	{
		if (i < s->len && isspace((unsigned char) s->text[i]))
			i++;
		else if (i + 1 < s->len && s->text[i] == '-' && s->text[i + 1] == '-')
		{
			while (i < s->len && s->text[i] != '\n')
				i++;
		}
		else if (i + 1 < s->len && s->text[i] == '/' && s->text[i + 1] == '*')
		{
			for (i += 2; i < s->len && !(s->text[i] == '/' && s->text[i - 1] == '*'); i++)
				;
			i = Min(i + 1, s->len);
		}
		else
			return i;
	}
}

/* Into pieces; a semicolon at the end is left out. */
static void
cut(Statement *s)
{
	int			allocated = 64;
	int			depth = 0;
	int			i = skip_space(s, 0);

	s->pieces = palloc(sizeof(Piece) * allocated);
	while (i < s->len)
	{
		Piece	   *t;
		unsigned char c = s->text[i];

		CHECK_FOR_INTERRUPTS();
		if (s->npieces + 1 >= allocated)
		{
			allocated *= 2;
			s->pieces = repalloc_huge(s->pieces, sizeof(Piece) * (Size) allocated);
		}
		t = &s->pieces[s->npieces++];
		t->start = i;
		if (c == ')')
			depth--;
		t->depth = depth;
		if (c == '(')
			depth++;
		if (c == '`' || c == '\'' || c == '"')
		{
			t->type = c == '`' ? PIECE_QUOTED : PIECE_STRING;
			i = end_of_quoted(s, i);
		}
		else if (is_word_byte(c))
		{
			t->type = PIECE_WORD;
			while (i < s->len && is_word_byte(s->text[i]))
				i++;
		}
		else
		{
			t->type = PIECE_MARK;
			i++;
		}
		t->end = i;
		i = skip_space(s, i);
	}
	if (s->npieces > 0 && s->text[s->pieces[s->npieces - 1].start] == ';')
		s->npieces--;
	s->pieces[s->npieces].type = PIECE_END;
	s->pieces[s->npieces].start = s->pieces[s->npieces].end =
		s->npieces > 0 ? s->pieces[s->npieces - 1].end : s->len;
	s->pieces[s->npieces].depth = 0;
	s->npieces++;
}

static bool
is_word(const Statement *s, int i, const char *word)
{
	size_t		len = strlen(word);

	return i < s->npieces && s->pieces[i].type == PIECE_WORD &&
		(size_t) (s->pieces[i].end - s->pieces[i].start) == len &&
		pg_strncasecmp(s->text + s->pieces[i].start, word, len) == 0;
}

static bool
is_mark(const Statement *s, int i, char mark)
{
	return i < s->npieces && s->pieces[i].type == PIECE_MARK && s->text[s->pieces[i].start] == mark;
}

static bool
accept(Statement *s, const char *word)
{
	if (!is_word(s, s->at, word))
		return false;
	s->at++;
	return true;
}

/* a.b.`c` */
static bool
read_name(Statement *s, int *first, int *last)
{
	*first = s->at;
	for (;;)
	{
		if (s->pieces[s->at].type != PIECE_WORD && s->pieces[s->at].type != PIECE_QUOTED)
		{
			s->at = *first;
			*last = *first;
			return false;
		}
		s->at++;
		if (!is_mark(s, s->at, '.'))
			break;
		s->at++;
	}
	*last = s->at;
	return true;
}

/* [AS] alias, unless one of the stops comes next. */
static const Piece *
read_alias(Statement *s, const char *const *stops, int nstops)
{
	if (!accept(s, "AS"))
	{
		for (int i = 0; i < nstops; i++)
		{
			if (is_word(s, s->at, stops[i]))
				return NULL;
		}
	}
	if (s->pieces[s->at].type != PIECE_WORD && s->pieces[s->at].type != PIECE_QUOTED)
		return NULL;
	return &s->pieces[s->at++];
}

/* The next piece that is this word outside of all parentheses; the end. */
static int
find_top(const Statement *s, int from, const char *word)
{
	for (int i = from; i < s->npieces - 1; i++)
	{
		if (s->pieces[i].depth == 0 && is_word(s, i, word) && !is_mark(s, i - 1, '.'))
			return i;
	}
	return s->npieces - 1;
}

/* ---------------------------------------------------------------------
 * Names
 * ---------------------------------------------------------------------
 */

static void
piece_name(const Statement *s, const Piece *t, const char **name, int *len)
{
	bool		quoted = t->type == PIECE_QUOTED && t->end - t->start >= 2;

	*name = s->text + t->start + quoted;
	*len = t->end - t->start - 2 * quoted;
}

static bool
same_name(const char *a, int a_len, const char *b, int b_len)
{
	return a_len == b_len && pg_strncasecmp(a, b, a_len) == 0;
}

/* Does the last part of the target's name occur again, other than as the
 * qualifier of a column?  In a WITH as well as behind the target. */
static bool
names_target_again(const Statement *s)
{
	const char *target;
	int			target_len;

	piece_name(s, &s->pieces[s->target_last - 1], &target, &target_len);
	for (int i = 0; i < s->npieces; i++)
	{
		const char *name;
		int			len;

		if (i >= s->begin && i < s->target_last)
			continue;
		if (s->pieces[i].type != PIECE_WORD && s->pieces[i].type != PIECE_QUOTED)
			continue;
		piece_name(s, &s->pieces[i], &name, &len);
		if (same_name(name, len, target, target_len) && !is_mark(s, i + 1, '.'))
			return true;
	}
	return false;
}

/* ---------------------------------------------------------------------
 * The condition
 * ---------------------------------------------------------------------
 */

/* What stands behind piece first and before piece last; NULL: it is no
 * condition of ours. */
static Predicate *
condition_between(Statement *s, int first, int last, const char **note)
{
	MemoryContext caller = CurrentMemoryContext;
	int			start = s->pieces[first].end;
	int			end = s->pieces[last - 1].end;
	Predicate  *volatile result = NULL;

	/* Nothing but memory is touched: an ERROR leaves nothing to clean up. */
	PG_TRY();
	{
		int			len;
		char	   *text = deltacc_from_utf8(s->text + start, end - start, &len);
		PredicateNode *root = deltacc_predicate_parse_text(text, len, NULL);

		qualify(s, root);
		result = deltacc_predicate_flatten(root);
	}
	PG_CATCH();
	{
		ErrorData  *failure;
		char	   *message;
		int			len;

		MemoryContextSwitchTo(caller);
		failure = CopyErrorData();
		switch (ERRCODE_TO_CATEGORY(failure->sqlerrcode))
		{
			case ERRCODE_DATA_EXCEPTION:
			case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
			case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
			case ERRCODE_FEATURE_NOT_SUPPORTED:
				break;
			default:
				PG_RE_THROW();
		}
		FlushErrorState();
		message = deltacc_to_utf8(failure->message, strlen(failure->message), &len);
		*note = psprintf("the condition can't be read: %.*s", len, message);
	}
	PG_END_TRY();
	return result;
}

static void
rename_to(PredicateNode *name, const char *text)
{
	name->text = text;
	name->text_len = strlen(text);
	name->flags &= ~PRED_FLAG_QUOTED;
}

/*
 * Qualifies the target's columns by t and the source's by s, whatever the
 * aliases are called, and takes the places in the text away.
 */
static void
qualify(const Statement *s, PredicateNode *node)
{
	check_stack_depth();
	node->location = -1;
	if (node->kind == PRED_COLUMN && node->nchildren > 1)
	{
		PredicateNode *qualifier = node->children[0];
		const Piece *target = s->target_alias ? s->target_alias : &s->pieces[s->target_last - 1];
		const char *name;
		int			len;

		piece_name(s, target, &name, &len);
		if (same_name(name, len, qualifier->text, qualifier->text_len))
		{
			rename_to(qualifier, "t");
		}
		else
		{
			bool		is_source = false;

			if (s->source_alias)
			{
				piece_name(s, s->source_alias, &name, &len);
				is_source = same_name(name, len, qualifier->text, qualifier->text_len);
			}
			/* t and target are the target to us, but not here */
			if (is_source || same_name("t", 1, qualifier->text, qualifier->text_len) ||
				same_name("target", 6, qualifier->text, qualifier->text_len))
			{
				rename_to(qualifier, "s");
			}
		}
	}
	for (int i = 0; i < node->nchildren; i++)
		qualify(s, node->children[i]);
}

static Predicate *
everything(void)
{
	PredicateNode node = {0};

	node.kind = PRED_TRUE;
	node.location = -1;
	return deltacc_predicate_flatten(&node);
}
