/*-------------------------------------------------------------------------
 *
 * rewrite.c
 *	  From a condition on data to a condition on statistics.
 *
 * The rules are those of Delta's DataFiltersBuilder: which shapes have a skip
 * expression decides which statistics have to be there, so that a cleverer
 * rewrite of one conjunct would drop files that Delta keeps, and the other way
 * round.  Cleverness belongs to the evaluation over ranges.
 *
 * Every function gives NULL for "no skip expression": nothing can be said.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "predicate/functions.h"
#include "skipping/rewrite.h"
#include "skipping/sources.h"

/* Delta's bound on how deep IS NULL of AND and OR is expanded. */
#define IS_NULL_MAX_DEPTH 8

typedef struct Rewriter
{
	pg_tz	   *timezone;		/* for the words of the notes */
	SkipNotes  *notes;
} Rewriter;

static DeltaExpr *rewrite(Rewriter *rw, const DeltaExpr *e, bool negated, int depth);
static DeltaExpr *rewrite_all(Rewriter *rw, const DeltaExpr *e, bool negated, int depth);
static DeltaExpr *rewrite_any(Rewriter *rw, const DeltaExpr *e, bool negated, int depth);
static DeltaExpr *rewrite_compare(Rewriter *rw, const DeltaExpr *e, bool negated);
static DeltaExpr *rewrite_null_safe(Rewriter *rw, const DeltaExpr *column, const DeltaExpr *value, bool negated, int depth);
static DeltaExpr *rewrite_in(Rewriter *rw, const DeltaExpr *e);
static DeltaExpr *rewrite_prefix(Rewriter *rw, const DeltaExpr *e);
static DeltaExpr *rewrite_is_null(Rewriter *rw, const DeltaExpr *e, int depth);
static DeltaExpr *rewrite_is_null_of_any(Rewriter *rw, DeltaExpr *const *args, int nargs, int depth);
static DeltaExpr *rewrite_is_not_null(Rewriter *rw, const DeltaExpr *e);
static DeltaExpr *compare_stats(CompareOp op, const DeltaField *column, const DeltaExpr *value);
static bool is_constant(const DeltaExpr *e);
static bool is_prefix_test(const DeltaExpr *e);
static const DeltaField *counted_column(Rewriter *rw, const DeltaExpr *e);
static const DeltaField *bounded_column(Rewriter *rw, const DeltaExpr *e);
static DeltaExpr *nothing(Rewriter *rw, const char *reason, const char *advice);
static DeltaExpr *explain_operand(Rewriter *rw, const DeltaExpr *operand);
static DeltaExpr *explain_unknown(Rewriter *rw, const DeltaExpr *e);
static DeltaExpr *unsafe(Rewriter *rw, SafetyRule rule);

DeltaExpr *
deltacc_skip_rewrite(const DeltaExpr *e, pg_tz *timezone, SkipNotes *notes)
{
	SkipNotes	unused = {0};
	Rewriter	rw = {timezone, notes ? notes : &unused};

	return rewrite(&rw, e, false, 0);
}

/* NOT e if negated.  NOT is carried inwards and never stands in a result. */
static DeltaExpr *
rewrite(Rewriter *rw, const DeltaExpr *e, bool negated, int depth)
{
	check_stack_depth();

	if ((e->flags & (EXPR_HAS_ANY_COLUMN | EXPR_HAS_UNKNOWN)) == 0)
		return nothing(rw, "it refers to no column, and so says nothing about a file's statistics", NULL);

	switch (e->kind)
	{
		case EXPR_AND:
			return negated ? rewrite_any(rw, e, true, depth) : rewrite_all(rw, e, false, depth);
		case EXPR_OR:
			return negated ? rewrite_all(rw, e, true, depth) : rewrite_any(rw, e, false, depth);
		case EXPR_NOT:
			return rewrite(rw, e->args[0], !negated, depth);
		case EXPR_IS_NULL:
			return negated ? rewrite_is_not_null(rw, e->args[0]) : rewrite_is_null(rw, e->args[0], depth);
		case EXPR_IS_NOT_NULL:
			return negated ? rewrite_is_null(rw, e->args[0], depth) : rewrite_is_not_null(rw, e->args[0]);
		case EXPR_COMPARE:
			if (e->op != CMP_NULLSAFE_EQ)
				return rewrite_compare(rw, e, negated);
			if (e->args[1]->kind == EXPR_LITERAL)
				return rewrite_null_safe(rw, e->args[0], e->args[1], negated, depth);
			if (e->args[0]->kind == EXPR_LITERAL)
				return rewrite_null_safe(rw, e->args[1], e->args[0], negated, depth);
			return nothing(rw, "it compares columns with each other, and statistics know each column by itself only",
						   "Compare one of the columns with a constant as well, " DELTACC_OR_SHARP);
		case EXPR_IN:
			if (!negated)
				return rewrite_in(rw, e);
			return nothing(rw, "NOT IN is not looked up in statistics",
						   "Write a range, or <> for each value, if that says the same, " DELTACC_OR_SHARP);
		case EXPR_CALL:
			if (is_prefix_test(e))
			{
				if (!negated)
					return rewrite_prefix(rw, e);
				return nothing(rw, "the negation of a prefix test is not looked up in statistics",
							   "Set deltacc.data_skipping to sharp: it evaluates the condition over the range of the file's values.");
			}
			return explain_operand(rw, e);
		default:
			return explain_operand(rw, e);
	}
}

/* AND: what is known of the operands; one alone may drop a file. */
static DeltaExpr *
rewrite_all(Rewriter *rw, const DeltaExpr *e, bool negated, int depth)
{
	DeltaExpr	  **known = palloc(sizeof(DeltaExpr *) * e->nargs);
	int			nknown = 0;

	for (int i = 0; i < e->nargs; i++)
	{
		DeltaExpr	   *part = rewrite(rw, e->args[i], negated, depth);

		if (part)
			known[nknown++] = part;
	}
	return nknown > 0 ? deltacc_expr_and(nknown, known) : NULL;
}

/* OR: only if all operands are known. */
static DeltaExpr *
rewrite_any(Rewriter *rw, const DeltaExpr *e, bool negated, int depth)
{
	DeltaExpr	  **known = palloc(sizeof(DeltaExpr *) * e->nargs);

	for (int i = 0; i < e->nargs; i++)
	{
		SkipNotes	before = *rw->notes;

		/* of a leg that can be used nothing is to be said, whatever of it can't */
		rw->notes->reason = rw->notes->advice = NULL;
		rw->notes->partition = false;
		known[i] = rewrite(rw, e->args[i], negated, depth);
		if (known[i] == NULL && before.reason == NULL)
			return NULL;
		rw->notes->reason = before.reason;
		rw->notes->advice = before.advice;
		rw->notes->partition = before.partition;
		if (known[i] == NULL)
			return NULL;
	}
	return deltacc_expr_or(e->nargs, known);
}

/* A column against a constant, in either order (but for <=>). */
static DeltaExpr *
rewrite_compare(Rewriter *rw, const DeltaExpr *e, bool negated)
{
	CompareOp	op = negated ? deltacc_compare_negate(e->op) : e->op;
	const DeltaExpr *operand = e->args[0];
	const DeltaExpr *value = e->args[1];
	const DeltaField *column;

	if (is_constant(operand) && !is_constant(value))
	{
		operand = e->args[1];
		value = e->args[0];
		op = deltacc_compare_swap(op);
	}
	if (!is_constant(value))
	{
		if ((operand->flags & EXPR_HAS_ANY_COLUMN) && (value->flags & EXPR_HAS_ANY_COLUMN))
			return nothing(rw, "it compares columns with each other, and statistics know each column by itself only",
						   "Compare one of the columns with a constant as well, " DELTACC_OR_SHARP);
		return explain_operand(rw, (value->flags & EXPR_HAS_ANY_COLUMN) ? operand : value);
	}
	if (e->flags & EXPR_HAS_COLLATION)
		return unsafe(rw, SAFETY_COLLATION);
	column = bounded_column(rw, operand);
	if (column == NULL || column->type.kind != value->type.kind)
		return NULL;
	return compare_stats(op, column, value);
}

/* The comparison itself: may a value of the column stand in that relation? */
static DeltaExpr *
compare_stats(CompareOp op, const DeltaField *column, const DeltaExpr *value)
{
	DeltaExpr	   *v = unconstify(DeltaExpr *, value);
	DeltaExpr	   *parts[2];

	switch (op)
	{
		case CMP_EQ:
			parts[0] = deltacc_expr_compare(CMP_LE, deltacc_expr_stat(STAT_MIN, column), v);
			parts[1] = deltacc_expr_compare(CMP_GE, deltacc_expr_stat(STAT_MAX, column), v);
			return deltacc_expr_and(2, parts);
		case CMP_NE:
			parts[0] = deltacc_expr_compare(CMP_LT, deltacc_expr_stat(STAT_MIN, column), v);
			parts[1] = deltacc_expr_compare(CMP_GT, deltacc_expr_stat(STAT_MAX, column), v);
			return deltacc_expr_or(2, parts);
		case CMP_LT:
		case CMP_LE:
			return deltacc_expr_compare(op, deltacc_expr_stat(STAT_MIN, column), v);
		case CMP_GT:
		case CMP_GE:
			return deltacc_expr_compare(op, deltacc_expr_stat(STAT_MAX, column), v);
		case CMP_NULLSAFE_EQ:
			break;
	}
	elog(ERROR, "unexpected comparison operator %d", (int) op);
	return NULL;
}

/* e <=> literal: "e IS NOT NULL AND e = literal", or "e IS NULL". */
static DeltaExpr *
rewrite_null_safe(Rewriter *rw, const DeltaExpr *e, const DeltaExpr *value, bool negated, int depth)
{
	DeltaExpr	   *equal;
	DeltaExpr	   *null_test;
	DeltaExpr	   *parts[2];

	if (value->is_null)
		return negated ? rewrite_is_not_null(rw, e) : rewrite_is_null(rw, e, depth);

	equal = deltacc_expr_compare(CMP_EQ, unconstify(DeltaExpr *, e), unconstify(DeltaExpr *, value));
	if (value->type.kind == DELTA_BOOLEAN && e->kind != EXPR_COLUMN)
		nothing(rw, "IS [NOT] TRUE or FALSE of a condition is not looked up in statistics",
				"Leave it out where it makes no difference: a row only counts where the predicate is TRUE.");
	equal = rewrite_compare(rw, equal, negated);
	if (negated && equal == NULL)
		return NULL;
	null_test = negated ? rewrite_is_null(rw, e, depth) : rewrite_is_not_null(rw, e);
	if (null_test == NULL)
		return negated ? NULL : equal;
	if (equal == NULL)
		return null_test;
	parts[0] = null_test;
	parts[1] = equal;
	return negated ? deltacc_expr_or(2, parts) : deltacc_expr_and(2, parts);
}

/*
 * IN over literals: the range from the least to the greatest of them, and so a
 * file whose values lie in a gap stays.
 */
static DeltaExpr *
rewrite_in(Rewriter *rw, const DeltaExpr *e)
{
	const DeltaExpr *least = NULL;
	const DeltaExpr *greatest = NULL;
	const DeltaField *column;
	DeltaExpr	   *parts[2];

	for (int i = 1; i < e->nargs; i++)
	{
		const DeltaExpr *item = e->args[i];

		if (item->kind != EXPR_LITERAL)
			return nothing(rw, "the list holds something else than constants", NULL);
		if (item->is_null)
			continue;
		if (!least || deltacc_value_compare(&item->type, item->value, least->value) < 0)
			least = item;
		if (!greatest || deltacc_value_compare(&item->type, item->value, greatest->value) > 0)
			greatest = item;
	}
	if (least == NULL)
		return deltacc_expr_bool(false);
	if (e->flags & EXPR_HAS_COLLATION)
		return unsafe(rw, SAFETY_COLLATION);
	column = bounded_column(rw, e->args[0]);
	if (column == NULL || column->type.kind != least->type.kind)
		return NULL;
	parts[0] = compare_stats(CMP_LE, column, greatest);
	parts[1] = compare_stats(CMP_GE, column, least);
	return deltacc_expr_and(2, parts);
}

/* startswith(column, 'abc'), which is what LIKE 'abc%' has become. */
static bool
is_prefix_test(const DeltaExpr *e)
{
	return e->kind == EXPR_CALL && e->nargs == 2 && strcmp(e->function->name, "startswith") == 0;
}

/*
 * Characters, not bytes: MIN and MAX are cut to the length of the prefix.  The
 * function table's substring counts as Spark's.
 */
static DeltaExpr *
rewrite_prefix(Rewriter *rw, const DeltaExpr *e)
{
	static const StatKind ends[2] = {STAT_MIN, STAT_MAX};
	static const CompareOp ops[2] = {CMP_LE, CMP_GE};
	const FunctionDef *substring = deltacc_function_find("substring", 9);
	const DeltaExpr *prefix = e->args[1];
	const DeltaField *column;
	int64		length = 0;
	DeltaExpr	   *parts[2];

	if (prefix->kind != EXPR_LITERAL || prefix->is_null || prefix->type.kind != DELTA_STRING)
		return nothing(rw, "the prefix is no constant", NULL);
	if (e->flags & EXPR_HAS_COLLATION)
		return unsafe(rw, SAFETY_COLLATION);
	column = bounded_column(rw, e->args[0]);
	if (column == NULL || column->type.kind != DELTA_STRING || substring == NULL)
		return NULL;

	for (int i = 0; i < prefix->value.s->len; i++)
		length += ((unsigned char) prefix->value.s->data[i] & 0xC0) != 0x80;
	for (int i = 0; i < 2; i++)
	{
		DeltaExpr	   *args[3];

		args[0] = deltacc_expr_stat(ends[i], column);
		args[1] = deltacc_expr_literal(deltacc_type(DELTA_INTEGER), (DeltaScalar) {.i = 1});
		args[2] = deltacc_expr_literal(deltacc_type(DELTA_INTEGER), (DeltaScalar) {.i = length});
		parts[i] = deltacc_expr_call(substring, deltacc_type(DELTA_STRING), 3, args);
		parts[i] = deltacc_expr_compare(ops[i], parts[i], unconstify(DeltaExpr *, prefix));
	}
	return deltacc_expr_and(2, parts);
}

/*
 * e IS NULL.  A comparison, NOT or a prefix test is NULL just where an operand
 * is; AND and OR are NULL at most there.
 */
static DeltaExpr *
rewrite_is_null(Rewriter *rw, const DeltaExpr *e, int depth)
{
	DeltaExpr	   *parts[2];

	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_COMPARE:
			if (e->op == CMP_NULLSAFE_EQ)
				break;
			/* FALLTHROUGH */
		case EXPR_CALL:
			if (e->kind == EXPR_CALL && !is_prefix_test(e))
				break;
			/* FALLTHROUGH */
		case EXPR_NOT:
			for (int i = 0; i < e->nargs; i++)
			{
				const DeltaExpr *arg = e->args[i];

				if (arg->kind == EXPR_LITERAL)
					parts[i] = deltacc_expr_bool(arg->is_null);
				else if (is_constant(arg))
					parts[i] = deltacc_expr_bool(false);
				else
					parts[i] = rewrite_is_null(rw, arg, depth);
				if (parts[i] == NULL)
					return NULL;
			}
			return deltacc_expr_or(e->nargs, parts);
		case EXPR_AND:
		case EXPR_OR:
			return rewrite_is_null_of_any(rw, e->args, e->nargs, depth);
		case EXPR_COLUMN:
			{
				const DeltaField *column = counted_column(rw, e);
				DeltaExpr	   *zero = deltacc_expr_literal(deltacc_type(DELTA_LONG), (DeltaScalar) {.i = 0});

				if (column == NULL)
					return NULL;
				return deltacc_expr_compare(CMP_GT, deltacc_expr_stat(STAT_NULL_COUNT, column), zero);
			}
		default:
			break;
	}
	return explain_operand(rw, e);
}

/*
 * Delta sees a chain of ANDs as a balanced tree, and counts its levels.  (Its
 * other half of the expansion, on the operands being TRUE or FALSE, never has
 * a skip expression.)
 */
static DeltaExpr *
rewrite_is_null_of_any(Rewriter *rw, DeltaExpr *const *args, int nargs, int depth)
{
	DeltaExpr	   *parts[2];

	if (nargs == 1)
	{
		if ((args[0]->flags & EXPR_HAS_ANY_COLUMN) == 0)
			return nothing(rw, "it refers to no column, and so says nothing about a file's statistics", NULL);
		return rewrite_is_null(rw, args[0], depth);
	}
	if (depth > IS_NULL_MAX_DEPTH)
		return nothing(rw, "IS NULL of a condition is not followed that deep", NULL);
	parts[0] = rewrite_is_null_of_any(rw, args, nargs / 2, depth + 1);
	parts[1] = parts[0] ? rewrite_is_null_of_any(rw, args + nargs / 2, nargs - nargs / 2, depth + 1) : NULL;
	return parts[1] ? deltacc_expr_or(2, parts) : NULL;
}

static DeltaExpr *
rewrite_is_not_null(Rewriter *rw, const DeltaExpr *e)
{
	const DeltaField *column = counted_column(rw, e);

	if (column == NULL)
		return NULL;
	return deltacc_expr_compare(CMP_LT, deltacc_expr_stat(STAT_NULL_COUNT, column),
								deltacc_expr_stat(STAT_NUM_RECORDS, NULL));
}

/*
 * A literal, or a value that is one by the time Spark runs: current_date() and
 * what is computed from it.
 */
static bool
is_constant(const DeltaExpr *e)
{
	if (e->kind == EXPR_LITERAL)
		return true;
	return (e->flags & EXPR_HAS_CONTEXT) &&
		(e->flags & ~(uint32) (EXPR_HAS_CONTEXT | EXPR_HAS_SESSION_TIMEZONE | EXPR_HAS_UNKNOWN)) == 0;
}

/* A column whose nulls are counted (SkippingEligibleColumn), else NULL. */
static const DeltaField *
counted_column(Rewriter *rw, const DeltaExpr *e)
{
	const DeltaField *column = e->column;

	if (e->kind != EXPR_COLUMN || column == NULL || column->is_partition || !column->has_stats ||
		((column->type.kind <= DELTA_VOID || column->type.kind > DELTA_TIMESTAMP_NTZ) && column->type.kind != DELTA_VARIANT))
	{
		explain_operand(rw, e);
		return NULL;
	}
	return column;
}

/* A column whose MIN and MAX may be trusted, else NULL. */
static const DeltaField *
bounded_column(Rewriter *rw, const DeltaExpr *e)
{
	const DeltaField *column = counted_column(rw, e);

	if (column == NULL)
		return NULL;
	if (!deltacc_kind_has_bounds(column->type.kind))
	{
		nothing(rw, psprintf("columns of type %s have no MIN and MAX in the statistics", deltacc_type_name(&column->type)), NULL);
		return NULL;
	}

	/*
	 * A read pads the column to its length, the files and their statistics
	 * hold it as it was written: 'm' is less than 'm    '.
	 */
	if (column->type.char_length > 0)
	{
		unsafe(rw, SAFETY_CHAR);
		return NULL;
	}
	if (column->type.collated)
	{
		unsafe(rw, SAFETY_COLLATION);
		return NULL;
	}
	return column;
}

bool
deltacc_kind_has_bounds(DeltaKind kind)
{
	return DELTA_IS_NUMERIC_KIND(kind) || kind == DELTA_STRING || kind == DELTA_DATE ||
		kind == DELTA_TIMESTAMP || kind == DELTA_TIMESTAMP_NTZ;
}

/* Notes the first reason; NULL for the caller to return. */
static DeltaExpr *
nothing(Rewriter *rw, const char *reason, const char *advice)
{
	/* that a part speaks of the partition is the least of the reasons */
	if (rw->notes->reason == NULL || rw->notes->partition)
	{
		rw->notes->partition = false;
		rw->notes->reason = reason;
		rw->notes->advice = advice;
	}
	return NULL;
}

/* The table property that gives a column statistics, with a value. */
static const char *
statistics_advice(const DeltaField *column)
{
	static const char then[] = "and collect the statistics of files that are there already (ANALYZE TABLE ... COMPUTE DELTA STATISTICS)";
	const char *listed = column->stats_columns;

	if (listed && strspn(listed, " \t\r\n") < strlen(listed))
		return psprintf("Set the table property delta.dataSkippingStatsColumns to '%s,%s', %s.", listed, column->logical_path, then);
	if (listed)
		return psprintf("Set the table property delta.dataSkippingStatsColumns, which is empty, to '%s', %s.", column->logical_path, then);
	return psprintf("Set the table property delta.dataSkippingNumIndexedCols to %d or more, or list %s in delta.dataSkippingStatsColumns with the other columns that need statistics, %s.",
					column->leaf_number, column->logical_path, then);
}

/* Why an operand is none that statistics know. */
static DeltaExpr *
explain_operand(Rewriter *rw, const DeltaExpr *e)
{
	const char *text;

	/* The binder computes nothing from such strings: that is our rule. */
	if (e->kind == EXPR_UNKNOWN && (e->flags & (EXPR_HAS_CHAR | EXPR_HAS_COLLATION)))
		return unsafe(rw, e->flags & EXPR_HAS_CHAR ? SAFETY_CHAR : SAFETY_COLLATION);

	if (rw->notes->reason && !rw->notes->partition)
		return NULL;
	text = deltacc_expr_text(e, rw->timezone);

	switch (e->kind)
	{
		case EXPR_COLUMN:
			if (e->column->is_partition)
			{
				nothing(rw, psprintf("%s is a partition column: it has no statistics, and under OR with a data column its value alone decides nothing", text),
						"Give each side of the OR a condition on the partition.");
				rw->notes->partition = true;
				return NULL;
			}
			if (!DELTA_IS_ATOMIC_KIND(e->column->type.kind))
				return nothing(rw, psprintf("%s is of type %s, for which no statistics are collected", text, deltacc_type_name(&e->column->type)),
							   NULL);
			if (!e->column->has_stats)
				return nothing(rw, psprintf("no statistics are collected for column %s", text),
							   statistics_advice(e->column));
			if (e->type.kind == DELTA_BOOLEAN)
				return nothing(rw, "a boolean column has no MIN and MAX in the statistics", NULL);
			return nothing(rw, psprintf("%s by itself is no condition", text), NULL);
		case EXPR_CAST:
			if (e->args[0]->kind == EXPR_COLUMN)
				return nothing(rw, psprintf("column %s is cast to %s before it is compared", deltacc_expr_text(e->args[0], rw->timezone), deltacc_type_name(&e->type)),
							   psprintf("Compare it with a constant of its own type, %s.", deltacc_type_name(&e->args[0]->type)));
			return nothing(rw, psprintf("%s is computed, and statistics know columns only", text), NULL);
		case EXPR_CALL:
		case EXPR_CASE:
		case EXPR_COALESCE:
			return nothing(rw, psprintf("%s is computed, and statistics know columns only", text),
						   "Compare the column itself with a constant, " DELTACC_OR_SHARP);
		case EXPR_UNKNOWN:
			return explain_unknown(rw, e);
		default:
			return nothing(rw, psprintf("%s is none of the conditions that statistics answer", text), NULL);
	}
}

/* The function's name at the beginning of a call's text; 0: it is no call. */
static int
called_name(const char *text)
{
	int			len = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");

	return text[len] == '(' ? len : 0;
}

/* How many arguments a function takes, in words. */
static const char *
arity(const FunctionDef *function)
{
	if (function->max_args < 0)
		return psprintf(function->min_args == 1 ? "at least %d argument" : "at least %d arguments", function->min_args);
	if (function->max_args > function->min_args)
		return psprintf("%d to %d arguments", function->min_args, function->max_args);
	return psprintf(function->min_args == 1 ? "%d argument" : "%d arguments", function->min_args);
}

/* Why nothing is known of an expression's value; a call may have other arguments
 * than the function takes. */
static const char *
why_anything(const DeltaExpr *e, const char *text)
{
	int			len = called_name(text);
	const FunctionDef *function = len > 0 ? deltacc_function_find(text, len) : NULL;

	if (function && (e->nargs < function->min_args || (function->max_args >= 0 && e->nargs > function->max_args)))
		return psprintf("deltacc knows %s with %s only, and so %s may be anything", function->name, arity(function), text);
	return psprintf("%s is unknown to deltacc, and so may be anything", text);
}

/* The function that was meant, perhaps. */
static const char *
nearest_function(const char *text)
{
	int			len = called_name(text);
	const char *near = len > 0 && deltacc_function_find(text, len) == NULL ? deltacc_function_suggest(text, len) : NULL;

	return near ? psprintf("The nearest function that deltacc knows is %s.", near) : NULL;
}

/* What of it isn't known: the innermost such part. */
static DeltaExpr *
explain_unknown(Rewriter *rw, const DeltaExpr *e)
{
	const char *text = e->text ? e->text : "it";

	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		const DeltaExpr *arg = e->args[i];

		if (arg->kind == EXPR_UNKNOWN)
			return explain_unknown(rw, arg);
		if (arg->kind == EXPR_COLUMN && e->nargs == 1 && strcmp(text, arg->column->logical_path) == 0)
			return nothing(rw, psprintf("%s is of type %s, and so no condition", text, deltacc_type_name(&arg->type)),
						   "Compare it with a constant.");
		if (arg->kind == EXPR_COLUMN && !DELTA_IS_ATOMIC_KIND(arg->type.kind))
			return nothing(rw, psprintf("%s is of type %s, for which no statistics are collected",
										arg->column->logical_path, deltacc_type_name(&arg->type)), NULL);
	}
	return nothing(rw, why_anything(e, text), nearest_function(text));
}

const char *
deltacc_why_unknown(const DeltaExpr *e, pg_tz *timezone, const char **advice)
{
	check_stack_depth();
	for (int i = 0; i < e->nargs; i++)
	{
		const char *why = deltacc_why_unknown(e->args[i], timezone, advice);

		if (why)
			return why;
	}
	if (e->kind == EXPR_UNKNOWN && (e->flags & (EXPR_HAS_CHAR | EXPR_HAS_COLLATION | EXPR_HAS_FOREIGN)) == 0)
	{
		const char *text = e->text ? e->text : deltacc_expr_text(e, timezone);

		if (advice)
			*advice = nearest_function(text);
		return why_anything(e, text);
	}
	if (e->kind == EXPR_CALL && e->function->point == NULL && e->function->range == NULL &&
		(e->function->properties & (FN_CONTEXT | FN_NONDETERMINISTIC | FN_FILE_METADATA)) == 0)
		return psprintf("deltacc does not compute %s, and so it may be anything", deltacc_expr_text(e, timezone));
	return NULL;
}

/* A part that Delta may use and we don't. */
static DeltaExpr *
unsafe(Rewriter *rw, SafetyRule rule)
{
	rw->notes->safety = deltacc_safety_name(rule);
	if (rule == SAFETY_CHAR)
		return nothing(rw, "it rests on a CHAR column, whose values a comparison pads with blanks that files and statistics don't hold",
					   "Make the column VARCHAR or STRING.");
	return nothing(rw, "it rests on a collation, and statistics are in the order of bytes", NULL);
}

List *
deltacc_collect_stats(DeltaExpr *e, List *stats)
{
	check_stack_depth();
	if (e->kind == EXPR_STAT)
	{
		ListCell   *lc;

		foreach(lc, stats)
		{
			const DeltaExpr *there = lfirst(lc);

			if (there->stat == e->stat && there->column == e->column)
				return stats;
		}
		return lappend(stats, e);
	}
	for (int i = 0; i < e->nargs; i++)
		stats = deltacc_collect_stats(e->args[i], stats);
	return stats;
}
