/*-------------------------------------------------------------------------
 *
 * shape.h
 *	  The short form of a column of statistics: eight bytes for each value,
 *	  beside its text.
 *
 * A column has one if all of its values can be read alike, whatever the type of
 * the table's column turns out to be: numbers as doubles, text that is written
 * like a date as days, and so on.  A value is what stats.h makes of the token
 * for the type named with the shape.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SHAPE_H
#define DELTACC_SHAPE_H

#include "delta/actions.h"
#include "port/pg_bswap.h"

/* The tokens of a column, entry by entry: see ActionsColumn. */
typedef struct TokenColumn
{
	uint32		n;
	const uint8 *kinds;
	const int64 *ints;
	const uint32 *ends;
	const char *heap;
} TokenColumn;

typedef struct ColumnShape
{
	ValueShape	shape;
	uint8		scale;			/* DOUBLE: see ActionsValues; PREFIX: length of
								 * what all strings begin with */
	const int64 *values;		/* [n]; 0 where a token has none */
} ColumnShape;

/* Has a token of this kind a value, if the column has a shape? */
#define TOKEN_HAS_VALUE(kind) ((kind) >= TOKEN_INT && (kind) <= TOKEN_STRING)

/* The shape of a column.  The values are palloc'd, or the column's ints. */
extern ColumnShape deltacc_shape_column(const TokenColumn *tokens);

/* Can these be values of that shape, so that it is safe to compute with them? */
extern bool deltacc_shape_allows(ValueShape shape, const int64 *values, uint32 n);

/* A double as it stands among values, and back. */
static inline int64
shape_from_double(double d)
{
	int64		bits;

	StaticAssertStmt(sizeof(bits) == sizeof(d), "a double has eight bytes");
	memcpy(&bits, &d, sizeof(bits));
	return bits;
}

static inline double
shape_to_double(int64 bits)
{
	double		d;

	memcpy(&d, &bits, sizeof(d));
	return d;
}

/* The value of SHAPE_PREFIX that a string has, without what all begin with. */
static inline int64
deltacc_shape_prefix(const char *s, int len)
{
	uint64		bytes = 0;

	/* Zeros stand for what isn't there; the order is that of unsigned bytes. */
	memcpy(&bytes, s, Min(len, sizeof(bytes)));
	return (int64) (pg_hton64(bytes) ^ (UINT64CONST(1) << 63));
}

/* Is the order of its values that of the texts, and not of more? */
#define SHAPE_IS_TEXT(shape) ((shape) == SHAPE_NONE || (shape) == SHAPE_PREFIX)

/* Is one value of a shape less than another, as the types compare them (NaN
 * above all)? */
static inline bool
deltacc_shape_less(ValueShape shape, int64 a, int64 b)
{
	double		x,
				y;

	if (shape != SHAPE_DOUBLE)
		return a < b;
	x = shape_to_double(a);
	y = shape_to_double(b);
	return x < y || (x == x && y != y);
}

#endif							/* DELTACC_SHAPE_H */
