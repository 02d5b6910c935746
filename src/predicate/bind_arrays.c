/*-------------------------------------------------------------------------
 *
 * bind_arrays.c
 *	  Binding of what is asked of split(..) and array(..): neither is a value
 *	  here, but their elements are.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/bind_functions.h"
#include "predicate/literals.h"

static bool
is_call_of(const PredicateNode *node, const char *name)
{
	return node->kind == PRED_FUNCTION && node->text_len == (int) strlen(name) &&
		pg_strncasecmp(node->text, name, node->text_len) == 0;
}

static bool
is_split(const PredicateNode *node)
{
	return is_call_of(node, "split") && (node->nchildren == 2 || node->nchildren == 3);
}

static bool
is_array(const PredicateNode *node)
{
	return is_call_of(node, "array") && node->nchildren > 0;
}

/* The arguments of split(), and room for one more; no limit is -1. */
static DeltaExpr **
split_arguments(Binder *b, const PredicateNode *split)
{
	DeltaExpr	  **args = palloc(sizeof(DeltaExpr *) * 4);

	for (int i = 0; i < split->nchildren; i++)
		args[i] = deltacc_bind_node(b, split->children[i]);
	if (split->nchildren < 3)
		args[2] = deltacc_expr_literal(deltacc_type(DELTA_INTEGER), (DeltaScalar) {.i = -1});
	return args;
}

/* first, then the elements of array(). */
static DeltaExpr **
array_arguments(Binder *b, const PredicateNode *array, DeltaExpr *first)
{
	DeltaExpr	  **args = palloc_extended(sizeof(DeltaExpr *) * ((Size) array->nchildren + 1), MCXT_ALLOC_HUGE);

	args[0] = first;
	for (int i = 0; i < array->nchildren; i++)
		args[i + 1] = deltacc_bind_node(b, array->children[i]);
	return args;
}

static DeltaExpr *
bind_item(Binder *b, const PredicateNode *node, const char *of_split, const char *of_array)
{
	const PredicateNode *array = node->children[0];
	DeltaExpr	   *index;
	DeltaExpr	  **args;

	if (!is_split(array) && !is_array(array))
		return NULL;
	index = deltacc_bind_node(b, node->children[1]);
	if (!DELTA_IS_INTEGRAL_KIND(index->type.kind))
		return NULL;
	if (is_array(array))
		return deltacc_bind_call(b, node, of_array, array->nchildren + 1, array_arguments(b, array, index));
	args = split_arguments(b, array);
	args[3] = index;
	return deltacc_bind_call(b, node, of_split, 4, args);
}

DeltaExpr *
deltacc_bind_array_item(Binder *b, const PredicateNode *node)
{
	return bind_item(b, node, "part_of_split", "item_of_array");
}

DeltaExpr *
deltacc_bind_array_function(Binder *b, const PredicateNode *node, const char *name)
{
	if (node->nchildren == 2 && strcmp(name, "element_at") == 0)
		return bind_item(b, node, "element_of_split", "element_of_array");
	if (node->nchildren == 2 && strcmp(name, "try_element_at") == 0 && is_array(node->children[0]))
		return bind_item(b, node, "element_of_split", "try_element_of_array");
	if (node->nchildren == 2 && strcmp(name, "get") == 0)
		return bind_item(b, node, "get_of_split", "get_of_array");
	if (node->nchildren == 2 && strcmp(name, "array_contains") == 0)
	{
		const PredicateNode *array = node->children[0];
		DeltaExpr	   *value;

		if (!is_array(array) && !is_split(array))
			return NULL;
		value = deltacc_bind_node(b, node->children[1]);
		if (is_split(array))
		{
			DeltaExpr	  **args = split_arguments(b, array);

			args[3] = value;
			return deltacc_bind_call(b, node, "split_holds", 4, args);
		}
		return deltacc_bind_call(b, node, "array_holds", array->nchildren + 1, array_arguments(b, array, value));
	}
	if (node->nchildren == 2 && is_array(node->children[0]) &&
		(strcmp(name, "array_position") == 0 || strcmp(name, "array_join") == 0))
		return deltacc_bind_call(b, node, name[6] == 'p' ? "position_in_array" : "join_of_array",
								 node->children[0]->nchildren + 1,
								 array_arguments(b, node->children[0], deltacc_bind_node(b, node->children[1])));
	if (node->nchildren == 1 && is_array(node->children[0]))
	{
		const PredicateNode *array = node->children[0];
		DeltaExpr	  **args = array_arguments(b, array, NULL) + 1;

		if (strcmp(name, "size") == 0 || strcmp(name, "cardinality") == 0 || strcmp(name, "array_size") == 0)
			return deltacc_bind_is_opaque(array->nchildren, args) ? NULL :
				deltacc_expr_literal(deltacc_type(DELTA_INTEGER), (DeltaScalar) {.i = array->nchildren});
		if (array->nchildren > 1 && strcmp(name, "array_max") == 0)
			return deltacc_bind_call(b, node, "greatest", array->nchildren, args);
		if (array->nchildren > 1 && strcmp(name, "array_min") == 0)
			return deltacc_bind_call(b, node, "least", array->nchildren, args);
	}
	if (node->nchildren == 1 && is_split(node->children[0]) &&
		(strcmp(name, "size") == 0 || strcmp(name, "cardinality") == 0 || strcmp(name, "array_size") == 0))
		return deltacc_bind_call(b, node, "size_of_split", 3, split_arguments(b, node->children[0]));
	return NULL;
}
