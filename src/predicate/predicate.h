/*-------------------------------------------------------------------------
 *
 * predicate.h
 *	  The deltacc.predicate type: a parsed Spark SQL condition, not bound to
 *	  any schema.
 *
 * One node shape serves for all: a kind, flags, a text, children.  The parser
 * builds nodes in memory; the stored form is the same nodes flattened into a
 * varlena, as jsonpath does.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_PREDICATE_H
#define DELTACC_PREDICATE_H

#include "base/compat.h"
#include "lib/stringinfo.h"

typedef enum PredicateKind
{
	/* leaves; text is ... */
	PRED_NULL,
	PRED_TRUE,
	PRED_FALSE,
	PRED_INTEGER,				/* digits (with a sign if folded) */
	PRED_BYTE,					/* ... of a literal with suffix Y */
	PRED_SHORT,					/* S */
	PRED_LONG,					/* L */
	PRED_DECIMAL,				/* digits with a point, or suffix BD */
	PRED_FLOAT,					/* F */
	PRED_DOUBLE,				/* D, or an exponent */
	PRED_STRING,				/* the value, escapes resolved */
	PRED_DATE,					/* the text between the quotes */
	PRED_TIMESTAMP,				/* ... TIMESTAMP '...' */
	PRED_TIMESTAMP_NTZ,
	PRED_TIMESTAMP_LTZ,
	PRED_BINARY,				/* hex digits of X'...' */
	PRED_INTERVAL,				/* as written after INTERVAL, normalised: one
								 * blank between parts, units in upper case and
								 * singular, strings in single quotes */
	PRED_STAR,					/* *; text: what stands before ".*", if any */

	/* a name: one child of kind PRED_NAME per segment */
	PRED_COLUMN,
	PRED_NAME,

	/* operators; children are the operands */
	PRED_AND,					/* n-ary; an AND among its children stands in
								 * parentheses */
	PRED_OR,					/* n-ary, the same */
	PRED_NOT,
	PRED_COMPARE,				/* text: "=", "<=>", "<>", "<", "<=", ">", ">=" */
	PRED_ARITHMETIC,			/* text: + - * / % DIV || & | ^ << >> >>> */
	PRED_NEGATE,				/* unary: text: - + ~ */
	PRED_BETWEEN,				/* value, low, high; flag NOT */
	PRED_IN,					/* value, items...; flag NOT */
	PRED_LIKE,					/* value, pattern[, escape]; text: LIKE, ILIKE,
								 * RLIKE; flag NOT */
	PRED_LIKE_LIST,				/* value, patterns...; text: "LIKE ANY", "LIKE
								 * ALL", "ILIKE ANY", ... ; flag NOT */
	PRED_IS,					/* value; text: NULL, TRUE, FALSE, UNKNOWN;
								 * flag NOT */
	PRED_IS_DISTINCT,			/* two values; flag NOT */
	PRED_CASE,					/* [value if flag CASE_VALUE,] when, then ...,
								 * [else if flag CASE_ELSE] */
	PRED_CAST,					/* value; text: the type, normalised; flag TRY */
	PRED_FUNCTION,				/* arguments; text: the name in lower case (a
								 * name of several segments, or with other
								 * characters: as it is printed); flag
								 * DISTINCT */
	PRED_SUBSCRIPT,				/* value, index: a[i] */
	PRED_FIELD,					/* value; text: field name, for (expr).name */
	PRED_ROW,					/* (a, b, ...) */
	PRED_LAMBDA,				/* parameters (PRED_NAME)..., body */
	PRED_COLLATE,				/* value; text: collation */
	PRED_ALIAS,					/* value; text: name ("a = 3 AS z") */
	PRED_WINDOW,				/* function; text: what stands after OVER */
	PRED_SUBQUERY,				/* text: the query in parentheses, as written */
	PRED_EXISTS,				/* child PRED_SUBQUERY */
	PRED_IN_SUBQUERY,			/* value, PRED_SUBQUERY; flag NOT */
	PRED_AGGREGATE,				/* function; text: the clause after it, as
								 * written: FILTER (...), WITHIN GROUP (...),
								 * IGNORE NULLS, RESPECT NULLS */
	PRED_NAMED_ARGUMENT,		/* value; text: name ("f(x => 1)") */
	PRED_NKINDS
} PredicateKind;

#define PRED_FLAG_NOT			0x01
#define PRED_FLAG_CASE_VALUE	0x02
#define PRED_FLAG_CASE_ELSE		0x04
#define PRED_FLAG_TRY			0x08	/* TRY_CAST */
#define PRED_FLAG_DISTINCT		0x10
#define PRED_FLAG_QUOTED		0x20	/* PRED_NAME: a name that only stands in
										 * backticks */

#define PRED_FLAG_GROUPED		0x40	/* AND, OR: in parentheses; while parsing
										 * only, it isn't stored */

typedef struct PredicateNode
{
	uint8		kind;
	uint8		flags;
	int32		location;		/* in the source text, in characters from 0; -1
								 * unknown */
	int32		text_len;
	const char *text;			/* UTF-8, not terminated, may hold NUL bytes;
								 * NULL if none */
	int32		nchildren;
	struct PredicateNode **children;
} PredicateNode;

/*
 * The stored form: this header, then the nodes in preorder (see predicate.c),
 * then the location of each as an int32.  Two predicates are equal if their
 * nodes are: where in its text a node stood is no part of the value, nor how
 * ANDs nest in each other, or ORs.
 */
typedef struct Predicate
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint32		header;			/* layout version */
	uint32		nnodes;
	uint32		nodes_size;		/* bytes of the nodes, a multiple of 4 */
} Predicate;

#define DatumGetPredicateP(d)		((Predicate *) PG_DETOAST_DATUM(d))
#define PG_GETARG_PREDICATE_P(n)	DatumGetPredicateP(PG_GETARG_DATUM(n))

/*
 * Parses a condition (database encoding, not terminated) into nodes in the
 * current memory context; they may point into text.  42601 with the position
 * for a syntax error, 54001 past deltacc's limits; through escontext (NULL is
 * returned) if there is one.
 */
extern PredicateNode *deltacc_predicate_parse_text(const char *text, int len, struct Node *escontext);

/* Nodes into the stored form and back; both in the current context.  XX001 for
 * a value that is corrupt, 0A000 for another layout version.  Opened nodes
 * don't point into the value. */
extern Predicate *deltacc_predicate_flatten(const PredicateNode *root);
extern PredicateNode *deltacc_predicate_open(const Predicate *predicate);

/* The bytes that two equal predicates have in common. */
extern const char *deltacc_predicate_identity(const Predicate *predicate, Size *size);

/* Appends the normalised text of a node (UTF-8): it parses to the same nodes. */
extern void deltacc_predicate_print(StringInfo out, const PredicateNode *node);

#endif							/* DELTACC_PREDICATE_H */
