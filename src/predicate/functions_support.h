/*-------------------------------------------------------------------------
 *
 * functions_support.h
 *	  What the files of the function table share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_FUNCTIONS_SUPPORT_H
#define DELTACC_FUNCTIONS_SUPPORT_H

#include "predicate/block.h"
#include "predicate/functions.h"

/* The tables, one per file; each ends with a row whose name is NULL. */
extern const FunctionDef deltacc_arithmetic_functions[];
extern const FunctionDef deltacc_number_functions[];
extern const FunctionDef deltacc_conditional_functions[];
extern const FunctionDef deltacc_string_functions[];
extern const FunctionDef deltacc_bytes_functions[];
extern const FunctionDef deltacc_pattern_functions[];
extern const FunctionDef deltacc_regex_functions[];
extern const FunctionDef deltacc_array_functions[];
extern const FunctionDef deltacc_text_functions[];
extern const FunctionDef deltacc_mask_functions[];
extern const FunctionDef deltacc_to_char_functions[];
extern const FunctionDef deltacc_url_functions[];
extern const FunctionDef deltacc_trigonometry_functions[];
extern const FunctionDef deltacc_date_functions[];
extern const FunctionDef deltacc_timestamp_functions[];
extern const FunctionDef deltacc_format_functions[];
extern const FunctionDef deltacc_hash_functions[];
extern const FunctionDef deltacc_opaque_functions[];

/* What the members of FunctionDef look like. */
#define RESOLVE_FUNCTION(name) \
	static bool name(const FunctionDef *self, int nargs, DeltaExpr **args, DeltaType *type)
#define POINT_FUNCTION(name) \
	static PointResult name(DeltaCallContext *cx, int nargs, const DeltaScalar *args, \
							const bool *is_null, DeltaScalar *result)
#define RANGE_FUNCTION(name) \
	static void name(DeltaCallContext *cx, int nargs, const Block *args, int row, Block *out)
#define MONOTONE_FUNCTION(name) \
	static int name(DeltaCallContext *cx, int nargs, const Block *args, int row)

/*
 * A resolve function for a fixed signature: the result's kind, then the
 * arguments' kinds (the last one for all that follow; DELTA_OTHER: any type).
 */
#define RESOLVE_FIXED(name, result_kind, ...) \
	RESOLVE_FUNCTION(name) \
	{ \
		static const DeltaKind kinds[] = {__VA_ARGS__}; \
		\
		*type = deltacc_type(result_kind); \
		return deltacc_resolve_fixed(nargs, args, lengthof(kinds), kinds); \
	}

extern bool deltacc_resolve_fixed(int nargs, DeltaExpr **args, int nkinds, const DeltaKind *kinds);

/*
 * Casts an argument to the first of these kinds that its own is or widens to;
 * integers widen to LONG, FLOAT to DOUBLE, strings to DOUBLE.
 */
extern bool deltacc_resolve_number(DeltaExpr **arg);

/* ----- results ----- */

static inline DeltaKind
arg_kind(const DeltaCallContext *cx, int i)
{
	return cx->call->args[i]->type.kind;
}

static inline const DeltaType *
arg_type(const DeltaCallContext *cx, int i)
{
	return &cx->call->args[i]->type;
}

extern PointResult deltacc_point_error(DeltaCallContext *cx, const char *error_class);

/* The values of an argument: NULL and errors are the caller's matter. */
extern ValueRange deltacc_arg_values(const Block *arg, int row);

/* A result with no bounds, with bounds, or what properties leave open. */
extern void deltacc_set_range(Block *out, int row, ValueRange r);
extern void deltacc_set_int64_range(Block *out, int row, int64 lo, int64 hi);
extern void deltacc_set_unknown(Block *out, int row, uint8 may);

/* The least and the greatest value of an integral kind or DATE. */
extern void deltacc_int64_limits(DeltaKind kind, int64 *least, int64 *greatest);

/*
 * Everything that point can be where each argument lies between its ends, if
 * it keeps or turns the order in each of them: the hull of its values at all
 * corners.  An end that is missing, NaN or infinite, or a corner without a
 * value, leaves the result without bounds; may_fail adds what then may happen.
 */
extern ValueRange deltacc_corners(DeltaCallContext *cx, int nargs, const Block *args, int row,
								  PointResult (*point) (DeltaCallContext *, int, const DeltaScalar *,
														const bool *, DeltaScalar *),
								  uint8 may_fail);

/* A string's code points; false if it isn't valid UTF-8 (functions_pattern.c). */
extern bool deltacc_code_points(const DeltaString *s, int32 **points, int *n);

/* A string as a pattern; NULL: not understood (functions_regex.c). */
struct DeltaRegex;
extern struct DeltaRegex *deltacc_regex_of_string(const DeltaString *pattern);

/* Do the strings of a range start with prefix (functions_string.c)? */
extern uint8 deltacc_prefix_outcomes(const ValueRange *r, DeltaString prefix);

#endif							/* DELTACC_FUNCTIONS_SUPPORT_H */
