/*-------------------------------------------------------------------------
 *
 * unwrap_cast.h
 *	  CAST(column AS t) against a literal: the cast moves to the literal.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_UNWRAP_CAST_H
#define DELTACC_UNWRAP_CAST_H

#include "base/options.h"
#include "predicate/expr.h"

/* A rule of optimize.c (UnwrapCastInBinaryComparison). */
extern DeltaExpr *deltacc_unwrap_cast(DeltaExpr *e, const DeltaccOptions *options);

#endif							/* DELTACC_UNWRAP_CAST_H */
