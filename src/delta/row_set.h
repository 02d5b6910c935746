/*-------------------------------------------------------------------------
 *
 * row_set.h
 *	  Sets of row positions, as deletion vectors hold them: Delta's 64-bit
 *	  array of roaring bitmaps, read in place.
 *
 * The serialized bytes are what a set is made of: they are checked once, from
 * the first byte to the last, and then read where they lie.  Nothing is handed
 * to a library that would trust them.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ROW_SET_H
#define DELTACC_ROW_SET_H

#include "lib/stringinfo.h"

typedef enum RowContainerKind
{
	ROWS_ARRAY,					/* cardinality little-endian uint16, ascending */
	ROWS_BITMAP,				/* 65536 bits, the first the lowest of byte 0 */
	ROWS_RUNS					/* nruns pairs of uint16: first, length - 1 */
} RowContainerKind;

#define ROW_CONTAINER_VALUES 65536

/* The rows that have their upper 48 bits in common. */
typedef struct RowContainer
{
	int64		key;			/* these bits */
	int32		cardinality;	/* 1 .. 65536 */
	uint16		kind;			/* RowContainerKind */
	uint16		nruns;
	const uint8 *data;			/* not aligned */
} RowContainer;

/* Containers in the order of their keys. */
typedef struct RowSet
{
	int			n;
	RowContainer *containers;
	int64		cardinality;
} RowSet;

/*
 * Reads a serialized array of roaring bitmaps of either format (Delta's
 * RoaringBitmapArray): magic number, then the bitmaps.  NULL with what is wrong
 * in *why for bytes that are none.  The set points into data, which has to stay
 * as it is.  In the current memory context.
 */
extern RowSet *deltacc_row_set_parse(const uint8 *data, Size len, const char **why);

extern RowSet *deltacc_row_set_empty(void);

/* The greatest row that a set can hold. */
#define MAX_ROW (((int64) (PG_INT32_MAX - 1) << 32) | 0xFFFFFFFF)

/* A set of n rows between 0 and MAX_ROW, ascending; some may be there twice. */
extern RowSet *deltacc_row_set_of(const int64 *rows, int n);

/*
 * New sets; they may share the memory of their operands.
 */
extern RowSet *deltacc_row_set_union(const RowSet *a, const RowSet *b);
extern RowSet *deltacc_row_set_minus(const RowSet *a, const RowSet *b);
extern RowSet *deltacc_row_set_intersection(const RowSet *a, const RowSet *b);

/* Is every row of part in whole? */
extern bool deltacc_row_set_contains(const RowSet *whole, const RowSet *part);

/* The low 16 bits of a container's rows, ascending, into values[65536]. */
extern void deltacc_row_container_values(const RowContainer *c, uint16 *values);

/*
 * Appends a set in the portable format, each container in its smallest form.
 * ERROR 54000 past 1 GB.
 */
extern void deltacc_row_set_serialize(StringInfo out, const RowSet *set);

#endif							/* DELTACC_ROW_SET_H */
