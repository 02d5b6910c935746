/*-------------------------------------------------------------------------
 *
 * eval.h
 *	  The evaluator: expressions over ranges, a block of rows at a time.
 *
 * A row is a file.  A value of a row is a range: what it may be.  A condition
 * of a row is the set of outcomes that it may have.  A point is the range with
 * equal ends, so the same code computes exactly where the input is exact.
 *
 * Soundness is the law here: the exact result for any values inside the input
 * ranges, an error too, lies within the result.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_EVAL_H
#define DELTACC_EVAL_H

#include "base/options.h"
#include "predicate/expr.h"

/* Outcomes of a condition. */
#define MAY_TRUE	0x01
#define MAY_FALSE	0x02
#define MAY_NULL	0x04
#define MAY_ERROR	0x08
#define MAY_ANYTHING (MAY_TRUE | MAY_FALSE | MAY_NULL | MAY_ERROR)

/* What a value's range says, besides MAY_NULL and MAY_ERROR. */
#define MAY_VALUE	0x01		/* may be something other than NULL */
#define HAS_LO		0x10		/* lo is a bound; else unbounded below */
#define HAS_HI		0x20		/* hi is a bound; else unbounded above */
#define RANGE_UNKNOWN (MAY_VALUE | MAY_NULL | MAY_ERROR)

/*
 * A block of values of one type.  BOOLEAN (and VOID): only may[] is used, as a
 * set of outcomes.  Other types: may[] holds MAY_VALUE, MAY_NULL, MAY_ERROR,
 * HAS_LO, HAS_HI, and lo/hi the bounds (inclusive).
 */
typedef struct Block
{
	int			n;
	DeltaType	type;
	uint8	   *may;
	DeltaScalar *lo;			/* NULL for BOOLEAN */
	DeltaScalar *hi;			/* may be the same array as lo: points */
	bool		constant;		/* all rows are equal: only row 0 is filled */
	bool		exact;			/* every row is a point, NULL or ERROR, never a
								 * mixture (int64 and double kinds: no HAS_ bits
								 * need be tested in the loop where all rows
								 * are MAY_VALUE|HAS_LO|HAS_HI) */
	bool		all_values;		/* every row is exactly
								 * MAY_VALUE|HAS_LO|HAS_HI */
} Block;

/*
 * Where the rows come from: fills the block of a leaf (EXPR_COLUMN or
 * EXPR_STAT) for rows [start, start + n).  Arrays are the source's own or in
 * the current memory context, which is reset after each block.
 */
typedef struct RowSource
{
	void		(*fill) (struct RowSource *source, const DeltaExpr *leaf, int start, int n, Block *block);

	/*
	 * May be NULL.  Compares a leaf with a value of its type, not NULL, if the
	 * source knows a shorter way than filling a block: outcomes[n]; else false.
	 */
	bool		(*compare) (struct RowSource *source, const DeltaExpr *leaf, CompareOp op,
							DeltaScalar value, int start, int n, uint8 *outcomes);
} RowSource;

/*
 * Evaluates a condition over rows [0, nrows) of source into outcomes[], a set
 * of MAY_... each.  Works in blocks of DELTACC_BLOCK_ROWS, in a memory context
 * of its own that it resets between them; checks for interrupts.
 *
 * error_class, if not NULL, is set to the class of the first error that a row
 * certainly has (its set is MAY_ERROR alone), with the row in *error_row; else
 * it is left alone.
 */
#define DELTACC_BLOCK_ROWS 1024
extern void deltacc_eval_condition(const DeltaExpr *e, RowSource *source, int nrows,
								   const DeltaccOptions *options, uint8 *outcomes,
								   const char **error_class, int *error_row);

/*
 * Evaluates an expression without leaves, deterministic: a constant.  True and
 * the value, or NULL (is_null), if it is just one value; false if it may raise
 * or can't be computed.  In the current memory context.
 */
extern bool deltacc_eval_constant(const DeltaExpr *e, const DeltaccOptions *options,
								  DeltaScalar *value, bool *is_null);

#endif							/* DELTACC_EVAL_H */
