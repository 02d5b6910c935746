/*-------------------------------------------------------------------------
 *
 * functions_array.c
 *	  What is asked of an array that is written out: array(1, 2, 3)[i],
 *	  array_contains(array(1, 2), x).
 *
 * Arrays are no values here, so bind_arrays.c makes one call of both: the first
 * argument is the index, or the value that is looked for, the others are the
 * elements.  From Catalyst's collectionOperations, ANSI on.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"

/* The elements in one type, which is the result's. */
RESOLVE_FUNCTION(resolve_item)
{
	/* an index of [] may be a long, of which the low half counts */
	if (!(self->name[0] == 'i' && args[0]->type.kind == DELTA_LONG) &&
		!deltacc_implicit_cast(&args[0], deltacc_type(DELTA_INTEGER)))
		return false;
	if (!deltacc_common_type(nargs - 1, args + 1, type) || !DELTA_IS_ATOMIC_KIND(type->kind))
		return false;
	for (int i = 1; i < nargs; i++)
		args[i] = deltacc_coerce_to(args[i], *type);
	return true;
}

POINT_FUNCTION(point_item)
{
	const char *name = cx->call->function->name;
	int64		i = (int32) args[0].i;
	int			n = nargs - 1;

	if (is_null[0])
		return POINT_NULL;
	if (strcmp(name, "element_of_array") == 0 || strcmp(name, "try_element_of_array") == 0)
	{
		if (i == 0)
			return deltacc_point_error(cx, "INVALID_INDEX_OF_ZERO");
		if ((i > n || i < -n) && name[0] == 't')
			return POINT_NULL;
		if (i > n || i < -n)
			return deltacc_point_error(cx, "INVALID_ARRAY_INDEX_IN_ELEMENT_AT");
		i = i > 0 ? i - 1 : n + i;
	}
	else if (i < 0 || i >= n)
	{
		if (strcmp(name, "get_of_array") == 0)
			return POINT_NULL;
		return deltacc_point_error(cx, "INVALID_ARRAY_INDEX");
	}
	if (is_null[i + 1])
		return POINT_NULL;
	*result = args[i + 1];
	return POINT_VALUE;
}

/* elt(i, a, b, ...): strings, or all of them binary. */
RESOLVE_FUNCTION(resolve_elt)
{
	bool		binary = true;

	for (int i = 1; i < nargs; i++)
		binary = binary && args[i]->type.kind == DELTA_BINARY;
	*type = deltacc_type(binary ? DELTA_BINARY : DELTA_STRING);
	for (int i = 1; i < nargs; i++)
	{
		if (!deltacc_implicit_cast(&args[i], *type))
			return false;
	}
	return deltacc_implicit_cast(&args[0], deltacc_type(DELTA_INTEGER));
}

POINT_FUNCTION(point_elt)
{
	if (is_null[0])
		return POINT_NULL;
	if (args[0].i < 1 || args[0].i >= nargs)
		return deltacc_point_error(cx, "INVALID_ARRAY_INDEX");
	if (is_null[args[0].i])
		return POINT_NULL;
	*result = args[args[0].i];
	return POINT_VALUE;
}

/* All in the tightest type of the elements' and the value's. */
RESOLVE_FUNCTION(resolve_contains)
{
	DeltaType	elements;
	DeltaType	common;

	*type = deltacc_type(DELTA_BOOLEAN);
	if (args[0]->type.kind == DELTA_VOID || !deltacc_common_type(nargs - 1, args + 1, &elements) ||
		!deltacc_tightest_type(&elements, &args[0]->type, &common) || !DELTA_IS_ATOMIC_KIND(common.kind))
		return false;
	for (int i = 0; i < nargs; i++)
		args[i] = deltacc_coerce_to(args[i], common);
	return true;
}

POINT_FUNCTION(point_contains)
{
	bool		null_element = false;

	if (is_null[0])
		return POINT_NULL;
	for (int i = 1; i < nargs; i++)
	{
		if (is_null[i])
			null_element = true;
		else if (deltacc_value_compare(arg_type(cx, 0), args[0], args[i]) == 0)
		{
			result->i = 1;
			return POINT_VALUE;
		}
	}
	result->i = 0;
	return null_element ? POINT_NULL : POINT_VALUE;
}

/* Where in the array the value stands first, from 1; 0: nowhere. */
RESOLVE_FUNCTION(resolve_position)
{
	if (!resolve_contains(self, nargs, args, type))
		return false;
	*type = deltacc_type(DELTA_LONG);
	return true;
}

POINT_FUNCTION(point_position)
{
	result->i = 0;
	if (is_null[0])
		return POINT_NULL;
	for (int i = 1; i < nargs && result->i == 0; i++)
	{
		if (!is_null[i] && deltacc_value_compare(arg_type(cx, 0), args[0], args[i]) == 0)
			result->i = i;
	}
	return POINT_VALUE;
}

/* array_join: the first argument is the separator; NULLs are left out. */
RESOLVE_FIXED(resolve_join, DELTA_STRING, DELTA_STRING)

POINT_FUNCTION(point_join)
{
	StringInfoData out;
	bool		first = true;

	if (is_null[0])
		return POINT_NULL;
	initStringInfo(&out);
	for (int i = 1; i < nargs; i++)
	{
		if (is_null[i])
			continue;
		if (!first)
			appendBinaryStringInfo(&out, args[0].s->data, args[0].s->len);
		appendBinaryStringInfo(&out, args[i].s->data, args[i].s->len);
		first = false;
	}
	*result = deltacc_string_value(out.data, out.len);
	return POINT_VALUE;
}

const FunctionDef deltacc_array_functions[] = {
	{"item_of_array", 2, -1, FN_NULL_WITH_ANY | FN_INTERNAL, resolve_item, point_item},
	{"get_of_array", 2, -1, FN_NEVER_FAILS | FN_INTERNAL, resolve_item, point_item},
	{"element_of_array", 2, -1, FN_NULL_WITH_ANY | FN_INTERNAL, resolve_item, point_item},
	{"elt", 2, -1, FN_LAZY | FN_NOT_FOLDED, resolve_elt, point_elt},
	{"array_holds", 2, -1, FN_NEVER_FAILS | FN_INTERNAL, resolve_contains, point_contains},
	{"position_in_array", 2, -1, FN_NEVER_FAILS | FN_INTERNAL, resolve_position, point_position},
	{"join_of_array", 2, -1, FN_NEVER_FAILS | FN_INTERNAL, resolve_join, point_join},
	{"try_element_of_array", 2, -1, FN_INTERNAL, resolve_item, point_item},
	{NULL}
};
