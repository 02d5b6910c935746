/*-------------------------------------------------------------------------
 *
 * eval_logic.c
 *	  AND, OR, NOT, IS NULL, CASE and COALESCE over sets of outcomes.
 *
 * Operands are taken to be independent of each other: the sets get larger by
 * that, never smaller.  They are evaluated from left to right, so an error is
 * none if an operand before it decides.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/eval_node.h"

/* FALSE for TRUE and the other way round. */
#define SWAP_OUTCOMES(s) \
	(((s) & (MAY_NULL | MAY_ERROR)) | (((s) & MAY_TRUE) << 1) | (((s) & MAY_FALSE) >> 1))

/*
 * The outcomes of "a AND b" for two sets.  b is looked at where a is neither
 * FALSE nor an error.  All on bytes and without branches, so that the loops
 * below are vectorised.
 */
static inline uint8
and_sets(uint8 a, uint8 b)
{
	uint8		a_true = a & 1;
	uint8		a_null = (a >> 2) & 1;
	uint8		b_open = (b | b >> 2) & 1;	/* b may be TRUE or NULL */
	uint8		reached = (uint8) -(a_true | a_null);

	StaticAssertStmt(MAY_TRUE == 1 && MAY_FALSE == 2 && MAY_NULL == 4, "outcomes are these bits");
	return (a & (MAY_FALSE | MAY_ERROR)) |
		(b & (MAY_FALSE | MAY_ERROR) & reached) |
		(b & (MAY_TRUE | MAY_NULL) & (uint8) -a_true) |
		(uint8) ((a_null & b_open) << 2);
}

/* The same of OR, with TRUE and FALSE in each other's place. */
static inline uint8
or_sets(uint8 a, uint8 b)
{
	uint8		a_false = (a >> 1) & 1;
	uint8		a_null = (a >> 2) & 1;
	uint8		b_open = (b >> 1 | b >> 2) & 1;
	uint8		reached = (uint8) -(a_false | a_null);

	return (a & (MAY_TRUE | MAY_ERROR)) |
		(b & (MAY_TRUE | MAY_ERROR) & reached) |
		(b & (MAY_FALSE | MAY_NULL) & (uint8) -a_false) |
		(uint8) ((a_null & b_open) << 2);
}

/* Loops of a fixed length are vectorised at any level of optimisation. */
#define CHUNK	64

#define COMBINE_ROWS(combine, b) \
	do { \
		for (; i + CHUNK <= n; i += CHUNK) \
		{ \
			for (int k = i; k < i + CHUNK; k++) \
				acc[k] = combine(acc[k], (b)); \
		} \
		for (int k = i; k < n; k++) \
			acc[k] = combine(acc[k], (b)); \
	} while (0)

/*
 * Takes one more operand into acc.
 */
static void
combine_rows(uint8 *pg_restrict acc, const uint8 *pg_restrict operand, bool constant, bool is_or, int n)
{
	uint8		first = operand[0];
	int			i = 0;

	if (constant && is_or)
		COMBINE_ROWS(or_sets, first);
	else if (constant)
		COMBINE_ROWS(and_sets, first);
	else if (is_or)
		COMBINE_ROWS(or_sets, operand[k]);
	else
		COMBINE_ROWS(and_sets, operand[k]);
}

/* Does any row still depend on operands to the right? */
static bool
any_undecided(const uint8 *sets, bool is_or, int n)
{
	uint8		open = is_or ? MAY_FALSE | MAY_NULL : MAY_TRUE | MAY_NULL;

	for (int i = 0; i < n; i++)
	{
		if (sets[i] & open)
			return true;
	}
	return false;
}

void
deltacc_eval_logic(Eval *ev, EvalNode *node, Block *out)
{
	bool		is_or = node->expr->kind == EXPR_OR;
	int			n = eval_rows(ev, node);

	deltacc_eval_result(ev, node, out);
	memset(out->may, is_or ? MAY_FALSE : MAY_TRUE, n);

	for (int arg = 0; arg < node->nargs && any_undecided(out->may, is_or, n); arg++)
	{
		static const uint8 anything = MAY_ANYTHING;
		Block		operand;

		deltacc_eval_node(ev, node->args[arg], &operand);
		if (IS_OUTCOME_KIND(operand.type.kind))
			combine_rows(out->may, operand.may, operand.constant, is_or, n);
		else
			combine_rows(out->may, &anything, true, is_or, n);
	}
}

void
deltacc_eval_not(Eval *ev, EvalNode *node, Block *out)
{
	int			n = eval_rows(ev, node);
	Block		operand;

	deltacc_eval_node(ev, node->args[0], &operand);
	deltacc_eval_result(ev, node, out);
	if (!IS_OUTCOME_KIND(operand.type.kind))
	{
		memset(out->may, MAY_ANYTHING, n);
		return;
	}
	for (int i = 0; i < n; i++)
	{
		uint8		set = block_may(&operand, i);

		out->may[i] = SWAP_OUTCOMES(set);
	}
}

void
deltacc_eval_null_test(Eval *ev, EvalNode *node, Block *out)
{
	uint8		if_null = node->expr->kind == EXPR_IS_NULL ? MAY_TRUE : MAY_FALSE;
	uint8		if_value = SWAP_OUTCOMES(if_null);
	int			n = eval_rows(ev, node);
	uint8		value_bits;
	Block		operand;

	deltacc_eval_node(ev, node->args[0], &operand);
	value_bits = VALUE_BITS(operand.type.kind);
	deltacc_eval_result(ev, node, out);
	for (int i = 0; i < n; i++)
	{
		uint8		may = block_may(&operand, i);
		uint8		set = may & MAY_ERROR;

		if (may & MAY_NULL)
			set |= if_null;
		if (may & value_bits)
			set |= if_value;
		out->may[i] = set;
	}
}

/*
 * Adds one row of a branch's result, errors apart, to the result.  The binder
 * casts the branches to one type, but for an untyped NULL; what has another
 * type all the same is unknown.
 */
static void
add_branch(Block *out, int row, const Block *branch, uint8 mask)
{
	ValueRange	acc = {.may = out->may[row]};
	ValueRange	add = block_get(branch, row);

	if (branch->type.kind != out->type.kind && (add.may & VALUE_BITS(branch->type.kind)))
		add.may = UNKNOWN_OF_KIND(out->type.kind);
	add.may &= mask;
	if (out->lo)
	{
		acc.lo = out->lo[row];
		acc.hi = out->hi[row];
	}
	deltacc_range_add(&out->type, &acc, &add);
	block_set(out, row, acc);
}

/*
 * CASE: a row reaches a branch as long as the conditions before it may be
 * other than TRUE.
 */
void
deltacc_eval_case(Eval *ev, EvalNode *node, Block *out)
{
	int			n = eval_rows(ev, node);
	bool	   *open = palloc(n);
	int			nopen = n;
	int			arg;

	deltacc_eval_result(ev, node, out);
	memset(open, true, n);

	for (arg = 0; arg + 1 < node->nargs && nopen > 0; arg += 2)
	{
		Block		condition;
		Block		result;
		bool		is_condition;

		deltacc_eval_node(ev, node->args[arg], &condition);
		deltacc_eval_node(ev, node->args[arg + 1], &result);
		is_condition = IS_OUTCOME_KIND(condition.type.kind);
		for (int i = 0; i < n; i++)
		{
			uint8		set = is_condition ? block_may(&condition, i) : MAY_ANYTHING;

			if (!open[i])
				continue;
			out->may[i] |= set & MAY_ERROR;
			if (set & MAY_TRUE)
				add_branch(out, i, &result, 0xFF);
			if (!(set & (MAY_FALSE | MAY_NULL)))
			{
				open[i] = false;
				nopen--;
			}
		}
	}

	if (nopen > 0)
	{
		bool		has_else = node->nargs % 2 != 0;
		Block		result;

		if (has_else)
			deltacc_eval_node(ev, node->args[node->nargs - 1], &result);
		for (int i = 0; i < n; i++)
		{
			if (open[i] && has_else)
				add_branch(out, i, &result, 0xFF);
			else if (open[i])
				out->may[i] |= MAY_NULL;
		}
	}
	deltacc_block_finish(out);
}

void
deltacc_eval_coalesce(Eval *ev, EvalNode *node, Block *out)
{
	int			n = eval_rows(ev, node);
	bool	   *open = palloc(n);
	int			nopen = n;

	deltacc_eval_result(ev, node, out);
	memset(open, true, n);

	for (int arg = 0; arg < node->nargs && nopen > 0; arg++)
	{
		Block		operand;

		deltacc_eval_node(ev, node->args[arg], &operand);
		for (int i = 0; i < n; i++)
		{
			if (!open[i])
				continue;
			add_branch(out, i, &operand, (uint8) ~MAY_NULL);
			if (!(block_may(&operand, i) & MAY_NULL))
			{
				open[i] = false;
				nopen--;
			}
		}
	}
	for (int i = 0; i < n; i++)
	{
		if (open[i])
			out->may[i] |= MAY_NULL;
	}
	deltacc_block_finish(out);
}
