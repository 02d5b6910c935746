/*-------------------------------------------------------------------------
 *
 * inverse.c
 *	  Comparisons of a function's result with a constant, turned into
 *	  comparisons of its argument.
 *
 * CAST(id AS STRING) = '1005' is id = 1005, reverse(s) = '31s' is s = 's13', and
 * code || '-x' = 'ab-x' is code = 'ab'.  A range tells much of the argument, and
 * little or nothing of such a function, which doesn't keep the order.
 *
 * The reader's own rewrite knows nothing of this (rewrite.c).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "miscadmin.h"
#include "predicate/functions.h"
#include "skipping/inverse.h"
#include "utils/builtins.h"

typedef enum Inverted
{
	INVERTED_VALUE,				/* one value of the argument gives this result */
	INVERTED_NONE,				/* none does */
	INVERTED_UNKNOWN
} Inverted;

/* One argument, and what it is if the function's result is a constant. */
typedef struct Inverse
{
	DeltaExpr  *argument;
	Inverted	(*value) (const struct Inverse *inverse, DeltaString result, DeltaScalar *value);
	DeltaString before;			/* of a concatenation */
	DeltaString after;
} Inverse;

static DeltaExpr *invert_compare(DeltaExpr *e);
static DeltaExpr *invert_in(DeltaExpr *e);
static bool find_inverse(DeltaExpr *e, Inverse *inverse);

DeltaExpr *
deltacc_invert_functions(DeltaExpr *e)
{
	DeltaExpr **args = NULL;

	check_stack_depth();
	switch (e->kind)
	{
		case EXPR_COMPARE:
			return invert_compare(e);
		case EXPR_IN:
			return invert_in(e);
		case EXPR_AND:
		case EXPR_OR:
		case EXPR_NOT:
			break;
		default:
			return e;
	}
	for (int i = 0; i < e->nargs; i++)
	{
		DeltaExpr  *arg = deltacc_invert_functions(e->args[i]);

		if (arg != e->args[i] && args == NULL)
		{
			args = palloc_extended(sizeof(DeltaExpr *) * (Size) e->nargs, MCXT_ALLOC_HUGE);
			memcpy(args, e->args, sizeof(DeltaExpr *) * (Size) e->nargs);
		}
		if (args)
			args[i] = arg;
	}
	return args ? deltacc_expr_with_args(e, args) : e;
}

/* FALSE for every value, NULL for NULL; TRUE for every value. */
static DeltaExpr *
no_value(DeltaExpr *argument, bool outcome)
{
	DeltaExpr  *parts[2] = {
		outcome ? deltacc_expr_is_not_null(argument) : deltacc_expr_is_null(argument),
		deltacc_expr_null(deltacc_type(DELTA_BOOLEAN)),
	};

	return outcome ? deltacc_expr_or(2, parts) : deltacc_expr_and(2, parts);
}

static bool
is_text(const DeltaExpr *e)
{
	return e->kind == EXPR_LITERAL && !e->is_null && e->type.kind == DELTA_STRING;
}

/* f(x) = 'constant' and f(x) <> 'constant', in either order. */
static DeltaExpr *
invert_compare(DeltaExpr *e)
{
	Inverse		inverse = {0};
	int			text = is_text(e->args[1]) ? 1 : 0;
	DeltaScalar value;

	if ((e->op != CMP_EQ && e->op != CMP_NE) || !is_text(e->args[text]) ||
		!find_inverse(e->args[1 - text], &inverse))
		return e;
	switch (inverse.value(&inverse, *e->args[text]->value.s, &value))
	{
		case INVERTED_UNKNOWN:
			return e;
		case INVERTED_NONE:
			return no_value(inverse.argument, e->op == CMP_NE);
		case INVERTED_VALUE:
			break;
	}
	/* what stands there now may have an inverse too */
	return invert_compare(deltacc_expr_compare(e->op, inverse.argument, deltacc_expr_literal(inverse.argument->type, value)));
}

static DeltaExpr *
invert_in(DeltaExpr *e)
{
	Inverse		inverse = {0};
	DeltaExpr **args;
	int			n = 1;

	if (!find_inverse(e->args[0], &inverse))
		return e;
	for (int i = 1; i < e->nargs; i++)
	{
		if (!is_text(e->args[i]) && !deltacc_expr_is_null_literal(e->args[i]))
			return e;
	}
	args = palloc_extended(sizeof(DeltaExpr *) * (Size) e->nargs, MCXT_ALLOC_HUGE);
	args[0] = inverse.argument;
	for (int i = 1; i < e->nargs; i++)
	{
		DeltaScalar value;

		CHECK_FOR_INTERRUPTS();
		if (deltacc_expr_is_null_literal(e->args[i]))
		{
			args[n++] = deltacc_expr_null(inverse.argument->type);
			continue;
		}
		switch (inverse.value(&inverse, *e->args[i]->value.s, &value))
		{
			case INVERTED_UNKNOWN:
				return e;
			case INVERTED_NONE:
				break;
			case INVERTED_VALUE:
				args[n++] = deltacc_expr_literal(inverse.argument->type, value);
				break;
		}
	}
	if (n == 1)
		return no_value(inverse.argument, false);
	return invert_in(deltacc_expr_make(EXPR_IN, e->type, n, args));
}

/* ----- the functions ----- */

/* An integer whose text this is. */
static Inverted
integer_of_text(const Inverse *inverse, DeltaString result, DeltaScalar *value)
{
	int64		least;
	int64		greatest;
	bool		negative = result.len > 0 && result.data[0] == '-';
	int			i = negative;

	/* as it is printed: '+1', '01' and '-0' are the text of none */
	if (result.len == i || result.len > 20 || (result.data[i] == '0' && result.len > 1))
		return INVERTED_NONE;
	value->i = 0;
	for (; i < result.len; i++)
	{
		int			digit = (unsigned char) result.data[i] - '0';

		if (digit < 0 || digit > 9 || pg_mul_s64_overflow(value->i, 10, &value->i) ||
			(negative ? pg_sub_s64_overflow(value->i, digit, &value->i) : pg_add_s64_overflow(value->i, digit, &value->i)))
			return INVERTED_NONE;
	}
	switch (inverse->argument->type.kind)
	{
		case DELTA_BYTE:
			least = PG_INT8_MIN;
			greatest = PG_INT8_MAX;
			break;
		case DELTA_SHORT:
			least = PG_INT16_MIN;
			greatest = PG_INT16_MAX;
			break;
		case DELTA_INTEGER:
			least = PG_INT32_MIN;
			greatest = PG_INT32_MAX;
			break;
		default:
			least = PG_INT64_MIN;
			greatest = PG_INT64_MAX;
			break;
	}
	return value->i >= least && value->i <= greatest ? INVERTED_VALUE : INVERTED_NONE;
}

/* Of ASCII: what else is turned round may not be UTF-8. */
static Inverted
reversed_text(const Inverse *inverse, DeltaString result, DeltaScalar *value)
{
	char	   *bytes = palloc(result.len + 1);

	for (int i = 0; i < result.len; i++)
	{
		bytes[i] = result.data[result.len - 1 - i];
		if (IS_HIGHBIT_SET(bytes[i]))
			return INVERTED_UNKNOWN;
	}
	*value = deltacc_string_value(bytes, result.len);
	return INVERTED_VALUE;
}

/* What stands between the constants. */
static Inverted
text_between(const Inverse *inverse, DeltaString result, DeltaScalar *value)
{
	int			len = result.len - inverse->before.len - inverse->after.len;

	if (len < 0 ||
		memcmp(result.data, inverse->before.data, inverse->before.len) != 0 ||
		memcmp(result.data + inverse->before.len + len, inverse->after.data, inverse->after.len) != 0)
		return INVERTED_NONE;
	*value = deltacc_string_value(result.data + inverse->before.len, len);
	return INVERTED_VALUE;
}

static void
append_text(DeltaString *text, DeltaString more)
{
	char	   *bytes = palloc(text->len + more.len + 1);

	memcpy(bytes, text->data, text->len);
	memcpy(bytes + text->len, more.data, more.len);
	text->data = bytes;
	text->len += more.len;
}

/* Constants around one argument. */
static bool
find_concatenation(DeltaExpr *e, Inverse *inverse)
{
	inverse->before = inverse->after = (DeltaString) {0, ""};
	for (int i = 0; i < e->nargs; i++)
	{
		if (is_text(e->args[i]))
			append_text(inverse->argument ? &inverse->after : &inverse->before, *e->args[i]->value.s);
		else if (inverse->argument == NULL && e->args[i]->type.kind == DELTA_STRING)
			inverse->argument = e->args[i];
		else
			return false;
	}
	inverse->value = text_between;
	return inverse->argument != NULL;
}

static bool
find_inverse(DeltaExpr *e, Inverse *inverse)
{
	if (e->type.kind != DELTA_STRING || e->type.collated || e->type.char_length > 0)
		return false;
	if (e->kind == EXPR_CAST && DELTA_IS_INTEGRAL_KIND(e->args[0]->type.kind))
	{
		inverse->argument = e->args[0];
		inverse->value = integer_of_text;
	}
	else if (e->kind == EXPR_CALL && strcmp(e->function->name, "reverse") == 0)
	{
		inverse->argument = e->args[0];
		inverse->value = reversed_text;
	}
	else if (e->kind != EXPR_CALL || (strcmp(e->function->name, "concat") != 0 && strcmp(e->function->name, "||") != 0) ||
			 !find_concatenation(e, inverse))
		return false;
	/* of a collated or CHAR string nothing is known */
	return inverse->argument->kind != EXPR_LITERAL &&
		!inverse->argument->type.collated && inverse->argument->type.char_length == 0 &&
		!(inverse->argument->flags & (EXPR_HAS_CHAR | EXPR_HAS_COLLATION));
}
