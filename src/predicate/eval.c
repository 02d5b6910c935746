/*-------------------------------------------------------------------------
 *
 * eval.c
 *	  The evaluator's driver: preparing an expression, running it over blocks
 *	  of rows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "predicate/eval_node.h"
#include "predicate/functions.h"

static EvalLeaf *find_leaf(Eval *ev, const DeltaExpr *e);
static void eval_leaf(Eval *ev, EvalNode *node, Block *out);
static void eval_literal(const DeltaExpr *e, Block *out);
static bool is_opaque(const DeltaExpr *e);
static void eval_opaque(const DeltaExpr *e, Block *out);
static void store_outcomes(const Block *result, int n, uint8 *outcomes);
static void report_error(const Eval *ev, const uint8 *outcomes, const char **error_class, int *error_row);

void
deltacc_eval_condition(const DeltaExpr *e, RowSource *source, int nrows,
					   const DeltaccOptions *options, uint8 *outcomes,
					   const char **error_class, int *error_row)
{
	MemoryContext cxt = AllocSetContextCreate(CurrentMemoryContext, "deltacc evaluation",
											  ALLOCSET_DEFAULT_SIZES);
	MemoryContext block_cxt = AllocSetContextCreate(cxt, "deltacc block", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old_cxt = MemoryContextSwitchTo(cxt);
	Eval		ev = {.options = options,.source = source,.cxt = cxt};
	const char *first_class = NULL;
	int			first_row = -1;
	EvalNode   *root = deltacc_eval_prepare(&ev, e);

	MemoryContextSwitchTo(block_cxt);
	for (int start = 0; start < nrows; start += DELTACC_BLOCK_ROWS)
	{
		Block		result;

		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(block_cxt);
		ev.row_errors = NULL;
		ev.block_number++;
		ev.start = start;
		ev.n = Min(nrows - start, DELTACC_BLOCK_ROWS);
		deltacc_eval_node(&ev, root, &result);
		store_outcomes(&result, ev.n, outcomes + start);
		if (first_row < 0)
			report_error(&ev, outcomes + start, &first_class, &first_row);
	}
	MemoryContextSwitchTo(old_cxt);
	MemoryContextDelete(cxt);

	if (first_row >= 0 && error_class != NULL)
	{
		*error_class = first_class;
		if (error_row != NULL)
			*error_row = first_row;
	}
}

bool
deltacc_eval_constant(const DeltaExpr *e, const DeltaccOptions *options,
					  DeltaScalar *value, bool *is_null)
{
	MemoryContext outer = CurrentMemoryContext;
	MemoryContext cxt = AllocSetContextCreate(outer, "deltacc constant", ALLOCSET_SMALL_SIZES);
	MemoryContext old_cxt = MemoryContextSwitchTo(cxt);
	Eval		ev = {.options = options,.cxt = cxt};
	EvalNode   *root = deltacc_eval_prepare(&ev, e);
	ValueRange	r = {.may = UNKNOWN_OF_KIND(e->type.kind)};
	bool		single = true;

	if (root->constant)
		r = block_get(&root->result, 0);
	MemoryContextSwitchTo(old_cxt);

	*is_null = false;
	if (r.may == MAY_NULL)
		*is_null = true;
	else if (IS_OUTCOME_KIND(e->type.kind) && (r.may == MAY_TRUE || r.may == MAY_FALSE))
		value->i = r.may == MAY_TRUE;
	else if (r.may == RANGE_CLOSED && deltacc_range_is_point(&e->type, &r))
		*value = deltacc_scalar_copy(&e->type, r.lo);
	else
		single = false;
	MemoryContextDelete(cxt);
	return single;
}

/*
 * The tree beside an expression.  A part all of whose arguments are constant
 * is computed at once.
 */
EvalNode *
deltacc_eval_prepare(Eval *ev, const DeltaExpr *e)
{
	EvalNode   *node = palloc0(sizeof(EvalNode));

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	node->expr = e;
	if (e->kind == EXPR_COLUMN || e->kind == EXPR_STAT)
	{
		node->leaf = find_leaf(ev, e);
		return node;
	}

	node->constant = true;
	if (!is_opaque(e))
	{
		/* the items of an IN may be many: most need no node */
		node->nargs = e->kind == EXPR_IN ? 1 : e->nargs;
		node->args = palloc(sizeof(EvalNode *) * Max(node->nargs, 1));
		for (int i = 0; i < node->nargs; i++)
		{
			node->args[i] = deltacc_eval_prepare(ev, e->args[i]);
			node->constant = node->constant && node->args[i]->constant;
		}
		if (e->kind == EXPR_IN)
			deltacc_eval_prepare_in(ev, node);
		if (e->kind == EXPR_COMPARE)
			node->same_operands = deltacc_expr_equal(e->args[0], e->args[1]);
	}
	if (node->constant)
	{
		Block		result;

		deltacc_eval_node(ev, node, &result);
		node->result = result;
		node->result.constant = true;
	}
	return node;
}

void
deltacc_eval_node(Eval *ev, EvalNode *node, Block *out)
{
	const DeltaExpr *e = node->expr;

	if (node->constant && node->result.may != NULL)
	{
		*out = node->result;
		return;
	}
	if (is_opaque(e))
	{
		eval_opaque(e, out);
		return;
	}

	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_LITERAL:
			eval_literal(e, out);
			break;
		case EXPR_COLUMN:
		case EXPR_STAT:
			eval_leaf(ev, node, out);
			break;
		case EXPR_COMPARE:
			deltacc_eval_compare(ev, node, out);
			break;
		case EXPR_AND:
		case EXPR_OR:
			deltacc_eval_logic(ev, node, out);
			break;
		case EXPR_NOT:
			deltacc_eval_not(ev, node, out);
			break;
		case EXPR_IS_NULL:
		case EXPR_IS_NOT_NULL:
			deltacc_eval_null_test(ev, node, out);
			break;
		case EXPR_IN:
			deltacc_eval_in(ev, node, out);
			break;
		case EXPR_CAST:
			deltacc_eval_cast(ev, node, out);
			break;
		case EXPR_CASE:
			deltacc_eval_case(ev, node, out);
			break;
		case EXPR_COALESCE:
			deltacc_eval_coalesce(ev, node, out);
			break;
		case EXPR_CALL:
			deltacc_eval_call(ev, node, out);
			break;
		case EXPR_UNKNOWN:
			eval_opaque(e, out);
			break;
	}
}

void
deltacc_eval_result(const Eval *ev, const EvalNode *node, Block *out)
{
	deltacc_block_alloc(out, eval_rows(ev, node), &node->expr->type);
	out->constant = node->constant;
}

void
deltacc_eval_note_error(Eval *ev, const EvalNode *node, int row, const char *error_class)
{
	if (node->constant)
	{
		if (ev->constant_error == NULL)
			ev->constant_error = error_class;
		return;
	}
	if (ev->row_errors == NULL)
		ev->row_errors = palloc0(sizeof(char *) * ev->n);
	if (ev->row_errors[row] == NULL)
		ev->row_errors[row] = error_class;
}

/*
 * A predicate may name a column many times: the source fills it once.
 */
static EvalLeaf *
find_leaf(Eval *ev, const DeltaExpr *e)
{
	EvalLeaf   *leaf;

	for (leaf = ev->leaves; leaf != NULL; leaf = leaf->next)
	{
		if (leaf->expr->kind == e->kind && leaf->expr->column == e->column &&
			(e->kind == EXPR_COLUMN || leaf->expr->stat == e->stat))
			return leaf;
	}
	leaf = palloc0(sizeof(EvalLeaf));
	leaf->expr = e;
	leaf->filled = -1;
	leaf->next = ev->leaves;
	ev->leaves = leaf;
	return leaf;
}

static void
eval_leaf(Eval *ev, EvalNode *node, Block *out)
{
	EvalLeaf   *leaf = node->leaf;

	if (leaf->filled != ev->block_number)
	{
		memset(&leaf->block, 0, sizeof(Block));
		leaf->block.n = ev->n;
		leaf->block.type = leaf->expr->type;
		ev->source->fill(ev->source, leaf->expr, ev->start, ev->n, &leaf->block);
		leaf->filled = ev->block_number;
	}
	*out = leaf->block;
}

static void
eval_literal(const DeltaExpr *e, Block *out)
{
	ValueRange	r = {.may = MAY_NULL};

	if (!e->is_null)
		r = deltacc_range_point(&e->type, e->value);
	deltacc_block_constant(out, &e->type, r);
}

/*
 * Is an expression what it is whatever its arguments are?
 */
static bool
is_opaque(const DeltaExpr *e)
{
	if (e->kind == EXPR_UNKNOWN)
		return true;
	return e->kind == EXPR_CALL &&
		(e->function->properties & (FN_NONDETERMINISTIC | FN_CONTEXT | FN_FILE_METADATA)) != 0;
}

static void
eval_opaque(const DeltaExpr *e, Block *out)
{
	ValueRange	r = {.may = UNKNOWN_OF_KIND(e->type.kind)};

	if (e->kind == EXPR_CALL && (e->function->properties & FN_CONTEXT))
		r.may = VALUE_BITS(e->type.kind);
	deltacc_block_constant(out, &e->type, r);

	/* chance has its bounds */
	if (e->kind == EXPR_CALL && e->function->range != NULL)
	{
		DeltaCallContext cx = {.call = e};

		e->function->range(&cx, 0, NULL, 0, out);
		deltacc_block_finish(out);
	}
}

static void
store_outcomes(const Block *result, int n, uint8 *outcomes)
{
	if (!IS_OUTCOME_KIND(result->type.kind))
		memset(outcomes, MAY_ANYTHING, n);
	else if (result->constant)
		memset(outcomes, result->may[0], n);
	else
		memcpy(outcomes, result->may, n);
}

/*
 * The first row of the block that fails for certain.
 */
static void
report_error(const Eval *ev, const uint8 *outcomes, const char **error_class, int *error_row)
{
	for (int i = 0; i < ev->n; i++)
	{
		if (outcomes[i] != MAY_ERROR)
			continue;
		if (ev->row_errors != NULL && ev->row_errors[i] != NULL)
			*error_class = ev->row_errors[i];
		else if (ev->constant_error != NULL)
			*error_class = ev->constant_error;
		else
			/* the value itself could not be read */
			*error_class = "CAST_INVALID_INPUT";
		*error_row = ev->start + i;
		return;
	}
}
