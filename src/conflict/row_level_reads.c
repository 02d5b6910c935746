/*-------------------------------------------------------------------------
 *
 * row_level_reads.c
 *	  Which reads row-level concurrency can reason about.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/row_level.h"
#include "miscadmin.h"

const char *
deltacc_own_operation(Transaction *txn)
{
	const char *told = txn->args.operation;
	const char *written = NULL;
	const OtherAction *o = NULL;
	JsonSlice	info;

	if (txn->args.writes != NULL)
		o = deltacc_actions_first(txn->args.writes, ACTION_COMMIT_INFO);
	if (o != NULL && deltacc_edit_action(deltacc_other_line(txn->args.writes, o), o->line_length, "commitInfo", &info))
		written = deltacc_edit_string(&info, "operation");
	if (told == NULL)
		return written;
	return written == NULL || deltacc_operation_is(told, written) ? told : NULL;
}

static bool
same_word(const PredicateNode *node, const char *word)
{
	return node->text != NULL && node->text_len == strlen(word) &&
		pg_strncasecmp(node->text, word, node->text_len) == 0;
}

/* A subquery or a name _metadata anywhere, whatever it is bound to. */
static bool
looks_at_files(const PredicateNode *node)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (node->kind == PRED_SUBQUERY || (node->kind == PRED_NAME && same_word(node, "_metadata")))
		return true;
	for (int i = 0; i < node->nchildren; i++)
	{
		if (looks_at_files(node->children[i]))
			return true;
	}
	return false;
}

bool
deltacc_read_sees_files(Transaction *txn, int read)
{
	const DeltaExpr *e = txn->plans ? txn->plans[read]->predicate : NULL;

	return e == NULL || (e->flags & (EXPR_HAS_FILE_METADATA | EXPR_HAS_SUBQUERY)) != 0 ||
		looks_at_files(deltacc_predicate_open(txn->args.reads[read]));
}

/*
 * Is there a part whose value isn't known to be a function of the row?  That of
 * current_date() and the like is one, for the whole statement.
 */
static bool
holds_unknown(const DeltaExpr *e)
{
	check_stack_depth();
	if ((e->flags & EXPR_HAS_UNKNOWN) == 0)
		return false;
	if (e->kind == EXPR_UNKNOWN)
		return !(e->nargs == 0 && (e->flags & EXPR_HAS_CONTEXT));
	for (int i = 0; i < e->nargs; i++)
	{
		if (holds_unknown(e->args[i]))
			return true;
	}
	return false;
}

const char *
deltacc_read_unfit_for_rows(Transaction *txn, int read)
{
	const DeltaExpr *e = txn->plans ? txn->plans[read]->predicate : NULL;

	if (e == NULL)
		return "it is not bound to a table";
	if (e->flags & EXPR_HAS_SUBQUERY)
		return "it holds a subquery";
	if (e->flags & EXPR_HAS_NONDETERMINISTIC)
		return "it holds a non-deterministic function";
	if (deltacc_read_sees_files(txn, read))
		return "it depends on the metadata of files";
	if (e->flags & EXPR_HAS_FOREIGN)
		return "it refers to another relation";
	if (holds_unknown(e))
		return "it holds a function that deltacc does not know to be deterministic";
	return NULL;
}

/* A value of no simple type, but for a column of another relation: its type is
 * not known. */
static bool
is_composite(const DeltaExpr *e)
{
	return !DELTA_IS_ATOMIC_KIND(e->type.kind) && !(e->nargs == 0 && (e->flags & EXPR_HAS_FOREIGN));
}

/* Does an operator or function take a struct, array or map? */
static bool
compares_composite(const DeltaExpr *e)
{
	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		if (is_composite(e->args[i]) && (e->kind == EXPR_COMPARE || e->kind == EXPR_IN || e->kind == EXPR_UNKNOWN))
			return true;
		if (compares_composite(e->args[i]))
			return true;
	}
	return false;
}

bool
deltacc_read_needs_rewrite(Transaction *txn, int read)
{
	const DeltaExpr *e = txn->plans ? txn->plans[read]->predicate : NULL;

	return e != NULL &&
		((e->flags & (EXPR_HAS_NONDETERMINISTIC | EXPR_HAS_SUBQUERY)) != 0 || compares_composite(e));
}
