/*-------------------------------------------------------------------------
 *
 * bind.h
 *	  From a predicate's names to a table's columns, with Spark 4's types.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_BIND_H
#define DELTACC_BIND_H

#include "base/options.h"
#include "predicate/expr.h"
#include "predicate/predicate.h"

/*
 * Binds a condition: resolves columns (semantics.md: qualified names), types
 * literals, inserts the casts of Spark's ANSI type coercion, replaces BETWEEN,
 * IS TRUE, NOT IN, LIKE lists and the like by what Spark's analyzer makes of
 * them (a <> b is NOT (a = b)).  The result has type BOOLEAN.
 *
 * table_name may be NULL; its last part, and the whole, name the target too.
 *
 * In the current memory context.  ERROR 42703 for an unknown column (nearest
 * names as HINT), 42804 for types that don't go together, 22007/22P02 for a
 * typed literal that is none; the position is in DETAIL.  An unknown function
 * is no error but EXPR_UNKNOWN, and so is what compares by a collation or
 * as CHAR(n): only null checks of such columns are computed.
 */
extern DeltaExpr *deltacc_bind(const PredicateNode *root, const DeltaSchema *schema,
						  const DeltaccOptions *options, const char *table_name);

/*
 * The functions that binding turns into something else, other than those of the
 * function table: for functions().
 */
extern void deltacc_bound_functions(void (*visit) (void *arg, const char *name, int min_args, int max_args, bool computed),
									void *arg);

/* ... and what they add to the arguments that one of that table may have. */
extern void deltacc_bound_arity(const char *name, int *min_args, int *max_args);

#endif							/* DELTACC_BIND_H */
