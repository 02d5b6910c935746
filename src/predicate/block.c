/*-------------------------------------------------------------------------
 *
 * block.c
 *	  Ranges one by one: what the evaluator and the functions do with the rows
 *	  of a block.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "base/compat.h"
#include "predicate/block.h"

void
deltacc_block_alloc(Block *b, int n, const DeltaType *type)
{
	memset(b, 0, sizeof(*b));
	b->n = n;
	b->type = *type;
	b->may = palloc0(Max(n, 1));
	if (!IS_OUTCOME_KIND(type->kind))
	{
		b->lo = palloc0(sizeof(DeltaScalar) * Max(n, 1));
		b->hi = palloc0(sizeof(DeltaScalar) * Max(n, 1));
	}
}

void
deltacc_block_finish(Block *b)
{
	int			rows = b->constant ? 1 : b->n;

	b->exact = true;
	b->all_values = !IS_OUTCOME_KIND(b->type.kind);
	for (int i = 0; i < rows; i++)
	{
		uint8		may = b->may[i];

		if (may != RANGE_CLOSED)
			b->all_values = false;
		if (IS_OUTCOME_KIND(b->type.kind))
			b->exact = b->exact && (may & (may - 1)) == 0;
		else if (may == RANGE_CLOSED)
			b->exact = b->exact && b->lo[i].i == b->hi[i].i;
		else
			b->exact = b->exact && (may == MAY_NULL || may == MAY_ERROR);
	}
}

void
deltacc_block_constant(Block *b, const DeltaType *type, ValueRange r)
{
	deltacc_block_alloc(b, 1, type);
	b->constant = true;
	block_set(b, 0, r);
	deltacc_block_finish(b);
}

ValueRange
deltacc_range_point(const DeltaType *type, DeltaScalar v)
{
	ValueRange	r = {0};

	if (type->kind == DELTA_BOOLEAN)
		r.may = v.i ? MAY_TRUE : MAY_FALSE;
	else
	{
		r.may = RANGE_CLOSED;
		r.lo = v;
		r.hi = v;
	}
	return r;
}

bool
deltacc_range_is_point(const DeltaType *type, const ValueRange *r)
{
	if ((r->may & RANGE_CLOSED) != RANGE_CLOSED || IS_OUTCOME_KIND(type->kind))
		return false;
	if (r->lo.i == r->hi.i)
		return true;
	if (type->kind == DELTA_DECIMAL || DELTA_IS_BYTES_KIND(type->kind))
		return deltacc_value_compare(type, r->lo, r->hi) == 0;
	return false;
}

/*
 * Is a the lower end?  Of two zeros -0.0 is, so that a range of both is never
 * taken for a point.
 */
static bool
below(const DeltaType *type, DeltaScalar a, DeltaScalar b)
{
	int			order = deltacc_value_compare(type, a, b);

	if (order == 0 && DELTA_IS_DOUBLE_KIND(type->kind))
		return signbit(a.d) && !signbit(b.d);
	return order < 0;
}

void
deltacc_range_add(const DeltaType *type, ValueRange *acc, const ValueRange *add)
{
	uint8		both = acc->may & add->may;

	if (IS_OUTCOME_KIND(type->kind))
	{
		acc->may |= add->may;
		return;
	}
	if (!(add->may & MAY_VALUE))
	{
		acc->may |= add->may & (MAY_NULL | MAY_ERROR);
		return;
	}
	if (!(acc->may & MAY_VALUE))
	{
		uint8		rest = acc->may & (MAY_NULL | MAY_ERROR);

		*acc = *add;
		acc->may |= rest;
		return;
	}
	if ((both & HAS_LO) && below(type, add->lo, acc->lo))
		acc->lo = add->lo;
	if ((both & HAS_HI) && below(type, acc->hi, add->hi))
		acc->hi = add->hi;
	acc->may = ((acc->may | add->may) & ~HAS_BOTH) | (both & HAS_BOTH);
}

DeltaScalar
deltacc_scalar_copy(const DeltaType *type, DeltaScalar v)
{
	if (DELTA_IS_BYTES_KIND(type->kind))
		return deltacc_string_value(v.s->data, v.s->len);
	if (type->kind == DELTA_DECIMAL)
	{
		DeltaScalar copy;

		copy.n = palloc(VARSIZE(v.n));
		memcpy(copy.n, v.n, VARSIZE(v.n));
		return copy;
	}
	return v;
}
