/*-------------------------------------------------------------------------
 *
 * eval_in.c
 *	  IN over ranges: the items that are points are sorted once, and looked up
 *	  by binary search.
 *
 * value IN (a, b, ...) is TRUE if the value equals some item, else NULL if an
 * item is NULL, else FALSE.  A NULL value is NULL, and no item is looked at.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/eval_node.h"

typedef struct InList
{
	DeltaType	type;
	int			nvalues;		/* sorted, no two equal */
	DeltaScalar *values;
	uint8		others;			/* MAY_NULL, MAY_ERROR of constant items */
	int			nnodes;			/* items that are no points */
	EvalNode  **nodes;
} InList;

static int
compare_items(const void *a, const void *b, void *arg)
{
	return deltacc_value_compare(arg, *(const DeltaScalar *) a, *(const DeltaScalar *) b);
}

static bool
sorts(const DeltaType *type)
{
	return DELTA_IS_ATOMIC_KIND(type->kind) && !IS_OUTCOME_KIND(type->kind) &&
		!type->collated && type->char_length == 0;
}

/*
 * Takes an item into the sorted list; false if it is none for it.
 */
static bool
add_constant_item(InList *list, const DeltaType *type, const ValueRange *r)
{
	if (type->kind != list->type.kind && r->may != MAY_NULL && r->may != MAY_ERROR)
		return false;
	if (r->may == MAY_NULL || r->may == MAY_ERROR)
		list->others |= r->may;
	else if (sorts(&list->type) && sorts(type) && r->may == RANGE_CLOSED &&
			 deltacc_range_is_point(type, r))
		list->values[list->nvalues++] = r->lo;
	else
		return false;
	return true;
}

void
deltacc_eval_prepare_in(Eval *ev, EvalNode *node)
{
	const DeltaExpr *e = node->expr;
	int			nitems = e->nargs - 1;
	InList	   *list = palloc0(sizeof(InList));
	uint8		truths = 0;

	list->type = e->args[0]->type;
	list->values = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(DeltaScalar) * Max((Size) nitems, 1));
	list->nodes = MemoryContextAllocHuge(CurrentMemoryContext, sizeof(EvalNode *) * Max((Size) nitems, 1));

	for (int i = 0; i < nitems; i++)
	{
		const DeltaExpr *item = e->args[i + 1];
		ValueRange	r = {.may = MAY_NULL};
		EvalNode   *item_node;

		if (i % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		if (item->kind == EXPR_LITERAL)
		{
			if (!item->is_null)
				r = deltacc_range_point(&item->type, item->value);
			if (add_constant_item(list, &item->type, &r))
				continue;
			/* of many literals TRUE and FALSE one each will do */
			if (item->type.kind == DELTA_BOOLEAN && (truths & r.may) != 0)
				continue;
			if (item->type.kind == DELTA_BOOLEAN)
				truths |= r.may;
		}
		item_node = deltacc_eval_prepare(ev, item);
		if (item_node->constant)
		{
			r = block_get(&item_node->result, 0);
			if (add_constant_item(list, &item->type, &r))
				continue;
		}
		node->constant = node->constant && item_node->constant;
		list->nodes[list->nnodes++] = item_node;
	}

	qsort_arg(list->values, list->nvalues, sizeof(DeltaScalar), compare_items, &list->type);
	if (list->nvalues > 1)
	{
		int			kept = 0;

		for (int i = 1; i < list->nvalues; i++)
		{
			if (deltacc_value_compare(&list->type, list->values[kept], list->values[i]) != 0)
				list->values[++kept] = list->values[i];
		}
		list->nvalues = kept + 1;
	}
	node->list = list;
}

/*
 * The number of items below v.
 */
static int
items_below(const InList *list, DeltaScalar v)
{
	int			lo = 0;
	int			hi = list->nvalues;

	if (DELTA_IS_INT64_KIND(list->type.kind))
	{
		while (lo < hi)
		{
			int			mid = lo + (hi - lo) / 2;

			if (list->values[mid].i < v.i)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo;
	}
	while (lo < hi)
	{
		int			mid = lo + (hi - lo) / 2;

		if (deltacc_value_compare(&list->type, list->values[mid], v) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/*
 * Is the value one of the sorted items?  v may be a value.
 */
static uint8
find_in_list(const InList *list, const ValueRange *v)
{
	int			first = 0;

	if (list->nvalues == 0)
		return MAY_FALSE;
	if (v->may & HAS_LO)
		first = items_below(list, v->lo);
	if (first == list->nvalues)
		return MAY_FALSE;
	if ((v->may & HAS_HI) &&
		deltacc_value_compare(&list->type, list->values[first], v->hi) > 0)
		return MAY_FALSE;
	if ((v->may & HAS_BOTH) == HAS_BOTH)
	{
		if (deltacc_value_compare(&list->type, v->lo, v->hi) == 0)
			return MAY_TRUE;

		/* is every value there may be an item?  (sorted, so the last of them is) */
		if (DELTA_IS_INT64_KIND(list->type.kind))
		{
			uint64		width = (uint64) v->hi.i - (uint64) v->lo.i;

			if (width < (uint64) (list->nvalues - first) &&
				list->values[first].i == v->lo.i && list->values[first + width].i == v->hi.i)
				return MAY_TRUE;
		}
	}
	return MAY_TRUE | MAY_FALSE;
}

/*
 * One more item, whose comparison with the value has these outcomes.  NULL
 * stands for "not found so far, but an item was NULL".  An error is kept even
 * if another item is found: which of them comes first isn't looked at.
 */
static uint8
add_item(uint8 found, uint8 set)
{
	uint8		result = (found & (MAY_TRUE | MAY_ERROR)) | (set & MAY_ERROR);

	if (found & (MAY_FALSE | MAY_NULL))
	{
		result |= set & (MAY_TRUE | MAY_NULL);
		if (set & MAY_FALSE)
			result |= found & (MAY_FALSE | MAY_NULL);
	}
	return result;
}

void
deltacc_eval_in(Eval *ev, EvalNode *node, Block *out)
{
	const InList *list = node->list;
	int			n = eval_rows(ev, node);
	Block		value;

	deltacc_eval_node(ev, node->args[0], &value);
	deltacc_eval_result(ev, node, out);

	/* may[] first holds what the items make of rows that have a value */
	for (int i = 0; i < n; i++)
	{
		ValueRange	v = block_get(&value, i);

		if (!(v.may & VALUE_BITS(value.type.kind)))
			out->may[i] = 0;
		else if (list->nvalues > 0 && (value.type.kind != list->type.kind || !sorts(&value.type)))
			out->may[i] = MAY_TRUE | MAY_FALSE;
		else
			out->may[i] = find_in_list(list, &v);
	}

	/* the others one by one */
	for (int item = 0; item < list->nnodes; item++)
	{
		Block		b;

		if (item % 1024 == 0)
			CHECK_FOR_INTERRUPTS();
		deltacc_eval_node(ev, list->nodes[item], &b);
		for (int i = 0; i < n; i++)
		{
			ValueRange	v = block_get(&value, i);
			uint8		set;

			v.may &= ~(MAY_NULL | MAY_ERROR);
			if (!(v.may & VALUE_BITS(value.type.kind)))
				continue;
			set = deltacc_compare_ranges(CMP_EQ, &value.type, v, &b.type, block_get(&b, i));
			out->may[i] = add_item(out->may[i], set);
		}
	}

	for (int i = 0; i < n; i++)
	{
		uint8		may = block_may(&value, i);

		if ((list->others & MAY_NULL) && (may & VALUE_BITS(value.type.kind)))
			out->may[i] = add_item(out->may[i], MAY_NULL);
		if ((list->others & MAY_ERROR) && (may & VALUE_BITS(value.type.kind)))
			out->may[i] = add_item(out->may[i], MAY_ERROR);
		out->may[i] |= may & (MAY_NULL | MAY_ERROR);
	}
}
