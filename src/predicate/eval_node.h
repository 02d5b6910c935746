/*-------------------------------------------------------------------------
 *
 * eval_node.h
 *	  The evaluator's own state: what eval.c and eval_*.c share.
 *
 * An expression is prepared once per call: a tree of nodes beside it, parts
 * without columns computed, lists of IN sorted.  Then each block of rows runs
 * through the tree.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_EVAL_NODE_H
#define DELTACC_EVAL_NODE_H

#include "predicate/block.h"
#include "predicate/eval.h"

/* A column or statistic that the expression refers to, filled once per block. */
typedef struct EvalLeaf
{
	const DeltaExpr *expr;
	int64		filled;			/* the block that it holds; -1 none */
	Block		block;
	struct EvalLeaf *next;
} EvalLeaf;

struct InList;

typedef struct EvalNode
{
	const DeltaExpr *expr;
	int			nargs;
	struct EvalNode **args;
	bool		constant;		/* the same for all rows: result holds it */
	Block		result;
	EvalLeaf   *leaf;			/* EXPR_COLUMN, EXPR_STAT */
	struct InList *list;		/* EXPR_IN: the items that are points */
	bool		same_operands;	/* EXPR_COMPARE: a op a */
} EvalNode;

typedef struct Eval
{
	const DeltaccOptions *options;
	RowSource  *source;
	MemoryContext cxt;			/* lives as long as the call */
	EvalLeaf   *leaves;
	int64		block_number;
	int			start;			/* rows [start, start + n) */
	int			n;

	/*
	 * The class of the first error met in each row of the block (NULL: none;
	 * the array itself is made on the first), and of one in a constant part.
	 */
	const char **row_errors;
	const char *constant_error;
} Eval;

/*
 * Evaluates a node over the current block.  The result's arrays may belong to
 * others: they must not be changed.
 */
extern void deltacc_eval_node(Eval *ev, EvalNode *node, Block *out);

/* How many rows of a node's result are to be computed. */
static inline int
eval_rows(const Eval *ev, const EvalNode *node)
{
	return node->constant ? 1 : ev->n;
}

/* A fresh block for a node's result. */
extern void deltacc_eval_result(const Eval *ev, const EvalNode *node, Block *out);

/* Remembers why a row has failed. */
extern void deltacc_eval_note_error(Eval *ev, const EvalNode *node, int row, const char *error_class);

/* One file each. */
extern void deltacc_eval_logic(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_not(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_null_test(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_case(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_coalesce(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_compare(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_prepare_in(Eval *ev, EvalNode *node);
extern void deltacc_eval_in(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_cast(Eval *ev, EvalNode *node, Block *out);
extern void deltacc_eval_call(Eval *ev, EvalNode *node, Block *out);

/* The outcomes of a comparison of two ranges. */
extern uint8 deltacc_compare_ranges(CompareOp op, const DeltaType *type_a, ValueRange a,
									const DeltaType *type_b, ValueRange b);

/* Prepares a part of an expression (eval.c); eval_compare.c asks for items. */
extern EvalNode *deltacc_eval_prepare(Eval *ev, const DeltaExpr *e);

#endif							/* DELTACC_EVAL_NODE_H */
