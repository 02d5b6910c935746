/*-------------------------------------------------------------------------
 *
 * functions.h
 *	  The function table: one entry per function and operator, with its types,
 *	  its value on points and what it does to ranges.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_FUNCTIONS_H
#define DELTACC_FUNCTIONS_H

#include "base/options.h"
#include "predicate/eval.h"
#include "predicate/expr.h"

typedef enum PointResult
{
	POINT_VALUE,
	POINT_NULL,
	POINT_ERROR,				/* Spark raises; *error_class is set */
	POINT_UNKNOWN				/* we don't know: anything */
} PointResult;

typedef struct DeltaCallContext
{
	const DeltaExpr *call;
	const DeltaccOptions *options;
	const char *error_class;	/* set with POINT_ERROR; static */
} DeltaCallContext;

/* Properties. */
#define FN_NULL_IN_NULL_OUT		0x01	/* any NULL argument gives NULL, and
										 * point is never called with one */
#define FN_NEVER_FAILS			0x02	/* no argument makes it raise */
#define FN_NONDETERMINISTIC		0x04	/* rand(), uuid() */
#define FN_CONTEXT				0x08	/* current_date(): an unknown non-null
										 * value, never our clock */
#define FN_FILE_METADATA		0x10	/* input_file_name() */
#define FN_NEVER_NULL			0x20	/* the result is never NULL (without
										 * FN_NULL_IN_NULL_OUT), or only for NULL
										 * arguments (with it) */
#define FN_RIGHT_FIRST			0x40	/* the last argument is evaluated first:
										 * a / b, a % b */
#define FN_NULL_WITH_FIRST		0x100	/* NULL if its first argument is, else
										 * never */
#define FN_NULL_WITH_ALL		0x200	/* NULL if all of its arguments are, else
										 * never */
#define FN_NULL_WITH_ANY		0x400	/* NULL only if one of its arguments is,
										 * but not whenever, or if it is NaN */
#define FN_TAKEN_FOR_NULLABLE	0x800	/* it never is, but Spark doesn't know */
#define FN_NOT_FOLDED			0x1000	/* of constants, too, Spark computes it
										 * for each file only */
#define FN_INTERNAL				0x2000	/* what a function of Spark's becomes for
										 * some arguments: nobody writes its name */
#define FN_UNLISTED				0x4000	/* Databricks knows it, Spark doesn't */
#define FN_LAZY					0x80	/* without FN_NULL_IN_NULL_OUT: not every
										 * argument need be evaluated */

typedef struct FunctionDef
{
	const char *name;			/* lower case, or the operator's sign */
	int			min_args;
	int			max_args;		/* -1: any number */
	uint32		properties;

	/*
	 * Types the call: may replace args[i] by casts (Spark's implicit ANSI
	 * casts), sets *type.  False: no such signature (42804).
	 */
	bool		(*resolve) (const struct FunctionDef *self, int nargs, DeltaExpr **args, DeltaType *type);

	/*
	 * The value on points.  is_null[i] tells NULL arguments.  BOOLEAN values
	 * are 0/1 in .i.  NULL: no point is computed, all are POINT_UNKNOWN.
	 */
	PointResult (*point) (DeltaCallContext *cx, int nargs, const DeltaScalar *args, const bool *is_null,
						  DeltaScalar *result);

	/*
	 * What it does to ranges that are no points, and to points of which point
	 * doesn't know the result, row by row: fills may[row], lo[row], hi[row] of
	 * out.  That an argument is NULL or fails is the caller's matter: only the
	 * values are meant (without FN_NULL_IN_NULL_OUT, NULLs too).  NULL: if the
	 * function is monotone in its first argument (see monotone) and the others
	 * are points, its ends; else unknown.
	 */
	void		(*range) (DeltaCallContext *cx, int nargs, const Block *args, int row, Block *out);

	/* 0: not; 1: never decreasing, -1: never increasing in argument 0, for
	 * fixed others, over every interval on which neither end raises.  */
	int			(*monotone) (DeltaCallContext *cx, int nargs, const Block *args, int row);
} FunctionDef;

/* By name (any letter case); NULL if there is none. */
extern const FunctionDef *deltacc_function_find(const char *name, int len);

/* The nearest name, if it is near enough to be a slip of the pen; else NULL. */
extern const char *deltacc_function_suggest(const char *name, int len);

/* For the docs and the tests: all entries. */
extern const FunctionDef *deltacc_function_table(int *n);

/*
 * How often this backend has computed a function of the table, one by one, and
 * on ranges: the proof that the tests reach it.
 */
typedef struct FunctionCalls
{
	int64		points;
	int64		ranges;
} FunctionCalls;

extern FunctionCalls *deltacc_function_calls(const FunctionDef *function);

#endif							/* DELTACC_FUNCTIONS_H */
