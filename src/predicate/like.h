/*-------------------------------------------------------------------------
 *
 * like.h
 *	  LIKE patterns that are a prefix, a suffix, a part or a whole.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_LIKE_H
#define DELTACC_LIKE_H

#include "base/options.h"
#include "predicate/expr.h"

/* A rule of optimize.c (LikeSimplification). */
extern DeltaExpr *deltacc_simplify_like(DeltaExpr *e, const DeltaccOptions *options);

#endif							/* DELTACC_LIKE_H */
