/*-------------------------------------------------------------------------
 *
 * like.c
 *	  LIKE patterns that are a prefix, a suffix, a part or a whole.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/functions.h"
#include "predicate/like.h"

static Expr *
call(const char *name, Expr *input, const char *text, int len)
{
	const FunctionDef *function = deltacc_function_find(name, strlen(name));
	Expr	   *args[2];

	if (function == NULL)
		return NULL;
	args[0] = input;
	args[1] = deltacc_expr_literal(deltacc_type(DELTA_STRING), deltacc_string_value(text, len));
	return deltacc_expr_call(function, deltacc_type(DELTA_BOOLEAN), 2, args);
}

/*
 * The length of a string as Java counts it, in UTF-16 units: that is what Spark
 * compares with the number of characters here.
 */
static int
java_length(const char *text, int len)
{
	int			n = 0;
	int			i;

	for (i = 0; i < len; i++)
	{
		unsigned char c = (unsigned char) text[i];

		if ((c & 0xC0) != 0x80)
			n += c >= 0xF0 ? 2 : 1;
	}
	return n;
}

/*
 * 'a%b': long enough, begins with a and ends with b.
 */
static Expr *
prefix_and_suffix(Expr *input, const char *prefix, int prefix_len, const char *suffix, int suffix_len)
{
	const FunctionDef *length = deltacc_function_find("length", strlen("length"));
	DeltaScalar n;
	Expr	   *inner[2];
	Expr	   *outer[2];

	inner[0] = call("startswith", input, prefix, prefix_len);
	inner[1] = call("endswith", input, suffix, suffix_len);
	if (length == NULL || inner[0] == NULL || inner[1] == NULL)
		return NULL;
	n.i = java_length(prefix, prefix_len) + java_length(suffix, suffix_len);
	outer[0] = deltacc_expr_compare(COMPARE_GE, deltacc_expr_call(length, deltacc_type(DELTA_INTEGER), 1, &input),
									deltacc_expr_literal(deltacc_type(DELTA_INTEGER), n));
	outer[1] = deltacc_expr_balanced(EXPR_AND, 2, inner);
	return deltacc_expr_balanced(EXPR_AND, 2, outer);
}

/*
 * NULL: the pattern is none of those.
 */
static Expr *
simplify_pattern(Expr *input, const char *pattern, int len)
{
	const char *first;
	const char *second;

	if (len > 0 && memchr(pattern, '_', len) != NULL)
		return NULL;
	first = len > 0 ? memchr(pattern, '%', len) : NULL;
	if (first == NULL)
		return deltacc_expr_compare(COMPARE_EQ, input,
									deltacc_expr_literal(deltacc_type(DELTA_STRING), deltacc_string_value(pattern, len)));
	if (len == 1)
		return NULL;			/* '%' */
	second = memchr(first + 1, '%', pattern + len - first - 1);
	if (second == NULL)
	{
		if (first == pattern + len - 1)
			return call("startswith", input, pattern, len - 1);
		if (first == pattern)
			return call("endswith", input, pattern + 1, len - 1);
		return prefix_and_suffix(input, pattern, first - pattern, first + 1, pattern + len - first - 1);
	}
	if (first == pattern && second == pattern + len - 1 && len > 2)
		return call("contains", input, pattern + 1, len - 2);
	return NULL;
}

Expr *
deltacc_simplify_like(Expr *e, const DeltaccOptions *options)
{
	const DeltaString *pattern;
	const char *escape = "\\";
	int			escape_len = 1;
	Expr	   *result;
	int			i;

	if (e->kind != EXPR_CALL || e->nargs < 2 || strcmp(e->function->name, "like") != 0 ||
		e->args[0]->type.kind != DELTA_STRING)
		return e;
	for (i = 1; i < e->nargs; i++)
	{
		if (e->args[i]->kind != EXPR_LITERAL || e->args[i]->is_null || e->args[i]->type.kind != DELTA_STRING)
			return e;
	}
	if (e->nargs > 2)
	{
		escape = e->args[2]->value.s->data;
		escape_len = e->args[2]->value.s->len;
	}
	pattern = e->args[1]->value.s;
	/* anything escaped: left to the evaluation of LIKE itself */
	for (i = 0; escape_len > 0 && i + escape_len <= pattern->len; i++)
	{
		if (memcmp(pattern->data + i, escape, escape_len) == 0)
			return e;
	}
	result = simplify_pattern(e->args[0], pattern->data, pattern->len);
	return result != NULL ? result : e;
}
