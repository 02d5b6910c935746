/*-------------------------------------------------------------------------
 *
 * expr.h
 *	  A predicate bound to a schema: typed expressions over columns.
 *
 * bind.c makes them from a predicate, optimize.c simplifies them as Spark's
 * optimizer does, skipping/ splits and rewrites them, eval.c runs them.
 * Expressions are never changed in place: a rewrite makes new nodes that may
 * share arguments with the old ones.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_EXPR_H
#define DELTACC_EXPR_H

#include "delta/schema.h"
#include "delta/value.h"

typedef enum ExprKind
{
	EXPR_LITERAL,
	EXPR_COLUMN,				/* a column or struct field of the table */
	EXPR_STAT,					/* MIN(c), MAX(c), NULL_COUNT(c), NUM_RECORDS */
	EXPR_COMPARE,				/* two operands of the same type */
	EXPR_AND,					/* n-ary, at least two */
	EXPR_OR,					/* n-ary, at least two */
	EXPR_NOT,
	EXPR_IS_NULL,
	EXPR_IS_NOT_NULL,
	EXPR_IN,					/* value, items of the same type ... */
	EXPR_CAST,					/* one operand, to type */
	EXPR_CASE,					/* condition, result, ... [, else if odd] ; IF
								 * too */
	EXPR_COALESCE,
	EXPR_CALL,					/* a function of the table, operators too */
	EXPR_UNKNOWN				/* can't be computed: may be anything, error
								 * too. Keeps its arguments as references. */
} ExprKind;

/* CMP_: PostgreSQL 18 has a COMPARE_EQ of its own. */
typedef enum CompareOp
{
	CMP_EQ,
	CMP_NULLSAFE_EQ,		/* <=> */
	CMP_NE,
	CMP_LT,
	CMP_LE,
	CMP_GT,
	CMP_GE
} CompareOp;

typedef enum StatKind
{
	STAT_MIN,
	STAT_MAX,
	STAT_NULL_COUNT,
	STAT_NUM_RECORDS
} StatKind;

/* What an expression holds, its own node or any below. */
#define EXPR_HAS_DATA_COLUMN		0x0001
#define EXPR_HAS_PARTITION_COLUMN	0x0002
#define EXPR_HAS_FOREIGN			0x0004	/* a column of another relation */
#define EXPR_HAS_NONDETERMINISTIC	0x0008
#define EXPR_HAS_SUBQUERY			0x0010
#define EXPR_HAS_FILE_METADATA		0x0020	/* _metadata.x, input_file_name() */
#define EXPR_HAS_UNKNOWN			0x0040
#define EXPR_HAS_CONTEXT			0x0080	/* current_date() and the like */
#define EXPR_HAS_COLLATION			0x0100
#define EXPR_HAS_CHAR				0x0200	/* a CHAR(n) column */
#define EXPR_HAS_SESSION_TIMEZONE	0x0400	/* its value depends on TimeZone */
#define EXPR_HAS_NOT_FOLDED			0x0800	/* a call that is no constant */
#define EXPR_HAS_ANY_COLUMN	(EXPR_HAS_DATA_COLUMN | EXPR_HAS_PARTITION_COLUMN)

struct FunctionDef;

typedef struct DeltaExpr
{
	ExprKind	kind;
	DeltaType	type;
	uint32		flags;			/* EXPR_HAS_..., of the whole tree */
	int			nargs;
	struct DeltaExpr **args;

	/* EXPR_LITERAL */
	bool		is_null;
	DeltaScalar value;

	/* EXPR_COLUMN, EXPR_STAT (NULL for NUM_RECORDS) */
	const DeltaField *column;

	StatKind	stat;			/* EXPR_STAT */
	CompareOp	op;				/* EXPR_COMPARE */
	bool		try_cast;		/* EXPR_CAST: TRY_CAST, an error gives NULL */
	const struct FunctionDef *function; /* EXPR_CALL */
	const char *text;			/* EXPR_UNKNOWN: what it was, for messages;
								 * EXPR_CASE: not NULL if it was an IF */
	uint32		hash;			/* equal expressions have equal ones; set by the
								 * constructors */
	bool		settled;		/* boolean.c has nothing to do here: its own note */
} DeltaExpr;

/* Constructors: all in the current memory context; flags are computed. */
extern DeltaExpr *deltacc_expr_literal(DeltaType type, DeltaScalar value);
extern DeltaExpr *deltacc_expr_null(DeltaType type);
extern DeltaExpr *deltacc_expr_bool(bool value);
extern DeltaExpr *deltacc_expr_column(const DeltaField *column);
extern DeltaExpr *deltacc_expr_stat(StatKind stat, const DeltaField *column);
extern DeltaExpr *deltacc_expr_compare(CompareOp op, DeltaExpr *a, DeltaExpr *b);
extern DeltaExpr *deltacc_expr_not(DeltaExpr *arg);
extern DeltaExpr *deltacc_expr_is_null(DeltaExpr *arg);
extern DeltaExpr *deltacc_expr_is_not_null(DeltaExpr *arg);
extern DeltaExpr *deltacc_expr_cast(DeltaExpr *arg, DeltaType type, bool try_cast);
extern DeltaExpr *deltacc_expr_call(const struct FunctionDef *function, DeltaType type, int nargs, DeltaExpr **args);

/* IF(c, a, b): an EXPR_CASE that the optimizer treats a little differently. */
extern DeltaExpr *deltacc_expr_if(DeltaType type, DeltaExpr *condition, DeltaExpr *then_value, DeltaExpr *else_value);
extern bool deltacc_expr_is_if(const DeltaExpr *e);

/* AND / OR of n: flattens nested ones; n = 1 gives that one, 0 the neutral
 * literal. */
extern DeltaExpr *deltacc_expr_and(int n, DeltaExpr **args);
extern DeltaExpr *deltacc_expr_or(int n, DeltaExpr **args);

/* Any other kind, or a copy of a node over other arguments. */
extern DeltaExpr *deltacc_expr_make(ExprKind kind, DeltaType type, int nargs, DeltaExpr **args);
extern DeltaExpr *deltacc_expr_with_args(const DeltaExpr *e, DeltaExpr **args);
extern DeltaExpr *deltacc_expr_unknown(DeltaType type, const char *text, uint32 flags, int nargs, DeltaExpr **args);

/*
 * Do they always have the same value?  Looks through operands in another
 * order (a = b and b = a, a < b and b > a, AND, OR, the items of IN), as
 * Catalyst's semanticEquals.  Never for what may differ between two
 * evaluations or isn't known.
 */
extern bool deltacc_expr_equal(const DeltaExpr *a, const DeltaExpr *b);

/* Is b what NOT a comes to in Spark's canonical form: NOT a itself, or a
 * comparison turned; not a null check turned? */
extern bool deltacc_expr_is_negation(const DeltaExpr *a, const DeltaExpr *b);

/* The operands of a chain of nested ANDs (or ORs), from left to right; e itself
 * if it is none. */
extern DeltaExpr **deltacc_expr_split(DeltaExpr *e, ExprKind kind, int *n);

/* AND / OR of n >= 1 as a balanced tree of nodes with two operands: what
 * Spark's parser makes of a chain. */
extern DeltaExpr *deltacc_expr_balanced(ExprKind kind, int n, DeltaExpr **args);

/* May the expression be NULL?  False only if it can't; a column always may,
 * whatever its schema says. */
extern bool deltacc_expr_nullable(const DeltaExpr *e);

/* Has it one value, wherever and whenever it is evaluated, that we could
 * compute (Catalyst's foldable)? */
extern bool deltacc_expr_foldable(const DeltaExpr *e);

/* Is it free of rand(), subqueries and the like (Catalyst's deterministic)? */
extern bool deltacc_expr_deterministic(const DeltaExpr *e);

extern bool deltacc_expr_is_true(const DeltaExpr *e);	/* the literal TRUE */
extern bool deltacc_expr_is_false(const DeltaExpr *e);	/* the literal FALSE */
extern bool deltacc_expr_is_null_literal(const DeltaExpr *e);

/* The operator that holds for swapped operands, and the one that holds where
 * this does not (NULLSAFE_EQ has no opposite: an Assert). */
extern CompareOp deltacc_compare_swap(CompareOp op);
extern CompareOp deltacc_compare_negate(CompareOp op);
extern const char *deltacc_compare_name(CompareOp op);

/* Appends the expression in SQL: "MIN(a) <= 5 AND MAX(a) >= 5". */
extern void deltacc_expr_print(StringInfo out, const DeltaExpr *e, pg_tz *tz);
extern char *deltacc_expr_text(const DeltaExpr *e, pg_tz *tz);

#endif							/* DELTACC_EXPR_H */
