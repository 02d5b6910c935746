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

static uint8 and_sets[16][16];
static bool and_sets_ready = false;

/*
 * The outcomes of "a AND b" for each pair of sets.
 */
static void
prepare_and_sets(void)
{
	for (int a = 0; a < 16; a++)
	{
		for (int b = 0; b < 16; b++)
		{
			uint8		set = a & (MAY_FALSE | MAY_ERROR);

			/* b is looked at where a is neither FALSE nor an error */
			if (a & (MAY_TRUE | MAY_NULL))
				set |= b & (MAY_FALSE | MAY_ERROR);
			if (a & MAY_TRUE)
				set |= b & (MAY_TRUE | MAY_NULL);
			if ((a & MAY_NULL) && (b & (MAY_TRUE | MAY_NULL)))
				set |= MAY_NULL;
			and_sets[a][b] = set;
		}
	}
	and_sets_ready = true;
}

/* Does any row still depend on operands to the right? */
static bool
any_undecided(const uint8 *sets, int n)
{
	uint8		all = 0;

	for (int i = 0; i < n; i++)
		all |= sets[i];
	return (all & (MAY_TRUE | MAY_NULL)) != 0;
}

/*
 * AND and OR.  a OR b is NOT (NOT a AND NOT b), with errors as they are.
 */
void
deltacc_eval_logic(Eval *ev, EvalNode *node, Block *out)
{
	bool		is_or = node->expr->kind == EXPR_OR;
	int			n = eval_rows(ev, node);

	if (!and_sets_ready)
		prepare_and_sets();
	deltacc_eval_result(ev, node, out);
	memset(out->may, MAY_TRUE, n);

	for (int arg = 0; arg < node->nargs && any_undecided(out->may, n); arg++)
	{
		Block		operand;
		bool		is_condition;

		deltacc_eval_node(ev, node->args[arg], &operand);
		is_condition = IS_OUTCOME_KIND(operand.type.kind);
		for (int i = 0; i < n; i++)
		{
			uint8		set = is_condition ? block_may(&operand, i) & MAY_ANYTHING : MAY_ANYTHING;

			if (is_or)
				set = SWAP_OUTCOMES(set);
			out->may[i] = and_sets[out->may[i]][set];
		}
	}

	if (is_or)
	{
		for (int i = 0; i < n; i++)
			out->may[i] = SWAP_OUTCOMES(out->may[i]);
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
