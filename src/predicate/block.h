/*-------------------------------------------------------------------------
 *
 * block.h
 *	  Ranges one by one: what the evaluator and the functions do with the rows
 *	  of a block (see eval.h).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_BLOCK_H
#define DELTACC_BLOCK_H

#include "predicate/eval.h"

/*
 * One row of a block.  Of BOOLEAN and VOID only may is meant, as a set of
 * outcomes.
 */
typedef struct ValueRange
{
	uint8		may;
	DeltaScalar lo;
	DeltaScalar hi;
} ValueRange;

#define HAS_BOTH	(HAS_LO | HAS_HI)
#define RANGE_CLOSED (MAY_VALUE | HAS_LO | HAS_HI)

/* Are the rows of this type sets of outcomes? */
#define IS_OUTCOME_KIND(k) ((k) == DELTA_BOOLEAN || (k) == DELTA_VOID)

/* The bits of may that stand for "something other than NULL". */
#define VALUE_BITS(k) (IS_OUTCOME_KIND(k) ? (MAY_TRUE | MAY_FALSE) : MAY_VALUE)

/* May be anything at all, an error too. */
#define UNKNOWN_OF_KIND(k) (IS_OUTCOME_KIND(k) ? MAY_ANYTHING : RANGE_UNKNOWN)

static inline int
block_index(const Block *b, int row)
{
	return b->constant ? 0 : row;
}

static inline uint8
block_may(const Block *b, int row)
{
	return b->may[block_index(b, row)];
}

static inline ValueRange
block_get(const Block *b, int row)
{
	ValueRange	r = {0};
	int			i = block_index(b, row);

	r.may = b->may[i];
	if ((r.may & HAS_LO) && b->lo)
		r.lo = b->lo[i];
	if ((r.may & HAS_HI) && b->hi)
		r.hi = b->hi[i];
	return r;
}

static inline void
block_set(Block *b, int row, ValueRange r)
{
	b->may[row] = r.may;
	if (b->lo)
	{
		b->lo[row] = r.lo;
		b->hi[row] = r.hi;
	}
}

/* Fresh arrays for n rows in the current memory context; may is zeroed. */
extern void deltacc_block_alloc(Block *b, int n, const DeltaType *type);

/* Sets exact and all_values from the rows. */
extern void deltacc_block_finish(Block *b);

/* A constant block of one row. */
extern void deltacc_block_constant(Block *b, const DeltaType *type, ValueRange r);

/* The value v, and no other. */
extern ValueRange deltacc_range_point(const DeltaType *type, DeltaScalar v);

/*
 * May the value be one only, which is then in lo?  Doubles are compared by
 * their bits: [-0.0, 0.0] is no point, though its ends are equal.
 */
extern bool deltacc_range_is_point(const DeltaType *type, const ValueRange *r);

/* Makes acc hold what add holds too; acc->may = 0 is the empty range. */
extern void deltacc_range_add(const DeltaType *type, ValueRange *acc, const ValueRange *add);

/* A copy of a value in the current memory context. */
extern DeltaScalar deltacc_scalar_copy(const DeltaType *type, DeltaScalar v);

#endif							/* DELTACC_BLOCK_H */
