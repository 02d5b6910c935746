/*-------------------------------------------------------------------------
 *
 * pred_parse.h
 *	  What scanner, grammar and printer of predicates share.
 *
 * Internal to the predicate type: others include predicate.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_PRED_PARSE_H
#define DELTACC_PRED_PARSE_H

#include "predicate/predicate.h"

/* ----- words ----- */

/*
 * The words that mean something in some place.  Nearly all of them are names
 * in any other: Spark (without ANSI keywords) reserves none.
 */
typedef enum PredWord
{
	WORD_NONE,					/* just a name */
	WORD_ALL, WORD_AND, WORD_ANY, WORD_ARRAY, WORD_AS,
	WORD_BETWEEN, WORD_BOTH,
	WORD_CASE, WORD_CAST, WORD_COLLATE, WORD_COMMENT,
	WORD_DATE, WORD_DISTINCT, WORD_DIV,
	WORD_ELSE, WORD_END, WORD_ESCAPE, WORD_EXISTS, WORD_EXTRACT,
	WORD_FALSE, WORD_FILTER, WORD_FOR, WORD_FROM,
	WORD_GROUP,
	WORD_IGNORE, WORD_ILIKE, WORD_IN, WORD_INTERVAL, WORD_IS,
	WORD_LEADING, WORD_LIKE,
	WORD_MAP,
	WORD_NOT, WORD_NULL, WORD_NULLS,
	WORD_OR, WORD_OVER, WORD_OVERLAY,
	WORD_PLACING, WORD_POSITION,
	WORD_RESPECT, WORD_RLIKE,
	WORD_SELECT, WORD_SOME, WORD_STRING, WORD_STRUCT, WORD_SUBSTR, WORD_SUBSTRING,
	WORD_TABLE, WORD_THEN, WORD_TIME, WORD_TIMESTAMP, WORD_TIMESTAMP_LTZ, WORD_TIMESTAMP_NTZ,
	WORD_TO, WORD_TRAILING, WORD_TRIM, WORD_TRUE, WORD_TRY_CAST,
	WORD_UNKNOWN,
	WORD_VALUES,
	WORD_WHEN, WORD_WITH, WORD_WITHIN, WORD_WITHOUT,
	WORD_X,
	WORD_XOR,					/* no keyword, but some expect one */
	WORD_ZONE
} PredWord;

extern PredWord deltacc_pred_word(const char *text, int len);

/* Has the name to stand in backticks where a column, an alias or a field is
 * meant / where a function is called? */
extern bool deltacc_pred_quote_name(const char *text, int len);
extern bool deltacc_pred_quote_call(const char *text, int len);

/* The singular, in upper case, of a unit of an interval ("days": "DAY"), or
 * NULL; the same of those that INTERVAL ... TO ... has. */
extern const char *deltacc_pred_interval_unit(const char *text, int len);
extern const char *deltacc_pred_range_unit(const char *text, int len);

/* The unit of TIMESTAMPADD and its like in upper case, or NULL. */
extern const char *deltacc_pred_datetime_unit(const char *text, int len);

/* Append a name, in backticks if it needs them or always, and a string
 * literal. */
extern void deltacc_pred_print_name(StringInfo out, const char *text, int len);
extern void deltacc_pred_print_quoted(StringInfo out, const char *text, int len);
extern void deltacc_pred_print_string(StringInfo out, const char *text, int len);

/* ----- the parser's state ----- */

typedef struct PredText
{
	const char *data;
	int			len;
} PredText;

typedef struct PredLiteral
{
	PredicateKind kind;
	PredText	text;
} PredLiteral;

/* One token as the scanner sees it, before it is known what a word means. */
typedef struct PredToken
{
	int			kind;			/* a token of the grammar, or RAW_WORD */
	PredWord	word;			/* RAW_WORD */
	bool		is_type;		/* a word of a type */
	PredicateKind literal;		/* LITERAL */
	PredText	text;			/* its value: escapes resolved, no suffix */
	int			start;			/* bytes [start, end) of the source */
	int			end;
	bool		is_alias;		/* a name for what stands before it */
	bool		is_odd;			/* a word like AND, taken for a column */
} PredToken;

/* What the next word can be. */
typedef enum PredState
{
	STATE_OPERAND,				/* an operand begins */
	STATE_OPERATOR,				/* an operand has ended */
	STATE_IS,					/* after IS [NOT] */
	STATE_TYPE					/* after :: or CAST(... AS */
} PredState;

/* What an open parenthesis belongs to. */
typedef enum PredParen
{
	PAREN_GROUP,
	PAREN_BRACKET,				/* [ ... ] */
	PAREN_LIST,					/* IN ( ... ) */
	PAREN_CALL,
	PAREN_CAST,
	PAREN_EXTRACT,
	PAREN_OVERLAY,
	PAREN_POSITION,
	PAREN_SUBSTRING,
	PAREN_TRIM
} PredParen;

typedef struct PredLevel
{
	PredParen	paren;
	int			cases;			/* CASEs open on this level */
	int			betweens;		/* BETWEENs whose AND is to come */
	bool		named;			/* its parts may have names: struct(a AS x) */
} PredLevel;

#define PRED_LOOKAHEAD	8

typedef struct PredParser
{
	const char *source;			/* UTF-8 */
	int			source_len;
	void	   *scanner;		/* flex's */
	struct Node *escontext;
	bool		failed;			/* an error was saved there */
	PredicateNode *result;

	/* the scanner: where it is, and the token that it just read */
	int			pos;
	int			start;
	bool		ended;
	int			comment_start;
	int			comment_depth;
	int			angles;			/* open < of ARRAY<, MAP<, STRUCT< */

	/* tokens read ahead */
	PredToken	ahead[PRED_LOOKAHEAD];
	int			nahead;
	PredToken	pending;		/* one more, read while strings were joined */
	bool		have_pending;

	/* deciding what a word means */
	PredState	state;
	PredToken	token;			/* the last token handed to the grammar */
	bool		any_token;		/* ... and one before it */
	bool		closed_call;	/* token is the ')' of a call */
	PredLevel  *levels;
	int			nlevels;
	int			max_levels;

	/* for messages: the tokens before it, the last one first */
	PredToken	before[2];
	bool		operator_possible;	/* in front of token */

	/* characters up to a byte: the last one asked for */
	int			counted_bytes;
	int			counted_chars;

	/* memory for nodes */
	char	   *chunk;
	Size		chunk_left;
	Size		chunk_size;
} PredParser;

/* ----- errors ----- */

/* Saves or raises an error at a character of the source; msg, detail and hint
 * (or NULL) are complete. */
extern void deltacc_pred_error(PredParser *ps, int sqlstate, int location,
							   const char *message, const char *detail, const char *hint);

/* "near text" for a message: cut short, in the database's encoding. */
extern char *deltacc_pred_excerpt(const char *text, int len);

/* Characters before a byte of the source; asked for in ascending order. */
extern int	deltacc_pred_location(PredParser *ps, int byte);

/* ----- nodes ----- */

extern void *deltacc_pred_alloc(PredParser *ps, Size size);
extern PredText deltacc_pred_copy(PredParser *ps, const char *text, int len);
extern PredicateNode *deltacc_pred_leaf(PredParser *ps, PredicateKind kind, PredText text, int location);
extern PredicateNode *deltacc_pred_node(PredParser *ps, PredicateKind kind, const char *text, int flags,
										int location, int nchildren,...);
extern void deltacc_pred_append(PredParser *ps, PredicateNode *node, PredicateNode *child);

/* A list is a node that has no kind of its own yet. */
extern PredicateNode *deltacc_pred_list(PredParser *ps, PredicateNode *first);
extern PredicateNode *deltacc_pred_from_list(PredParser *ps, PredicateKind kind, const char *text, int flags,
											 int location, PredicateNode *first, PredicateNode *list);

extern PredicateNode *deltacc_pred_logical(PredParser *ps, PredicateKind kind, int location,
										   PredicateNode *left, PredicateNode *right);
extern PredicateNode *deltacc_pred_name(PredParser *ps, PredText name, int location);
extern PredicateNode *deltacc_pred_field(PredParser *ps, PredicateNode *base, PredText name, int location);
extern PredText deltacc_pred_path(PredParser *ps, const PredicateNode *column);
extern PredicateNode *deltacc_pred_call(PredParser *ps, PredicateNode *name, int flags, PredicateNode *arguments);
extern PredicateNode *deltacc_pred_special_call(PredParser *ps, const char *name, int location,
												PredicateNode *arguments);
extern PredicateNode *deltacc_pred_group(PredParser *ps, PredicateNode *list, int location);
extern PredicateNode *deltacc_pred_lambda(PredParser *ps, PredicateNode *parameters, PredicateNode *body,
										  int location);
extern PredicateNode *deltacc_pred_escape(PredParser *ps, PredText text, int location);

/* A name as it is printed. */
extern PredText deltacc_pred_quoted_name(PredParser *ps, PredText name);

/* Types: their normalised text. */
extern PredText deltacc_pred_type(PredParser *ps, PredText name, const PredicateNode *parameters, int location);

#endif							/* DELTACC_PRED_PARSE_H */
