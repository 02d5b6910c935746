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

static DeltaExpr *
call(const char *name, DeltaExpr *input, const char *text, int len)
{
	const FunctionDef *function = deltacc_function_find(name, strlen(name));
	DeltaExpr	   *args[2];

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
static DeltaExpr *
prefix_and_suffix(DeltaExpr *input, const char *prefix, int prefix_len, const char *suffix, int suffix_len)
{
	const FunctionDef *length = deltacc_function_find("length", strlen("length"));
	DeltaScalar n;
	DeltaExpr	   *inner[2];
	DeltaExpr	   *outer[2];

	inner[0] = call("startswith", input, prefix, prefix_len);
	inner[1] = call("endswith", input, suffix, suffix_len);
	if (length == NULL || inner[0] == NULL || inner[1] == NULL)
		return NULL;
	n.i = java_length(prefix, prefix_len) + java_length(suffix, suffix_len);
	outer[0] = deltacc_expr_compare(CMP_GE, deltacc_expr_call(length, deltacc_type(DELTA_INTEGER), 1, &input),
									deltacc_expr_literal(deltacc_type(DELTA_INTEGER), n));
	outer[1] = deltacc_expr_balanced(EXPR_AND, 2, inner);
	return deltacc_expr_balanced(EXPR_AND, 2, outer);
}

/* The end of a run of % (or of what is none) that begins at p. */
static const char *
run_end(const char *p, const char *end, bool wildcards)
{
	while (p < end && (*p == '%') == wildcards)
		p++;
	return p;
}

/*
 * A pattern is text and runs of % in turn; several % in a row are as good as
 * one.  NULL: it is none of the simple ones.
 */
static DeltaExpr *
simplify_pattern(DeltaExpr *input, const char *pattern, int len)
{
	const char *end = pattern + len;
	const char *text;			/* after leading % */
	const char *text_end;
	const char *rest;			/* after the % behind that text */

	if (memchr(pattern, '_', len) != NULL)
		return NULL;
	text = run_end(pattern, end, true);
	text_end = run_end(text, end, false);
	rest = run_end(text_end, end, true);

	if (text == pattern && text_end == end)
		return deltacc_expr_compare(CMP_EQ, input,
									deltacc_expr_literal(deltacc_type(DELTA_STRING), deltacc_string_value(pattern, len)));
	if (text == text_end)
		return NULL;			/* nothing but % */
	if (text == pattern && rest == end)
		return call("startswith", input, text, text_end - text);
	if (text > pattern && text_end == end)
		return call("endswith", input, text, text_end - text);
	if (text > pattern && rest == end)
		return call("contains", input, text, text_end - text);
	if (text == pattern && run_end(rest, end, false) == end)
		return prefix_and_suffix(input, text, text_end - text, rest, end - rest);
	return NULL;
}

DeltaExpr *
deltacc_simplify_like(DeltaExpr *e, const DeltaccOptions *options)
{
	const DeltaString *pattern;
	const char *escape = "\\";
	int			escape_len = 1;
	DeltaExpr	   *result;
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
	result = simplify_pattern(e->args[0], pattern->len > 0 ? pattern->data : "", pattern->len);
	return result != NULL ? result : e;
}
