/*-------------------------------------------------------------------------
 *
 * inverse.h
 *	  Comparisons of a function's result with a constant, turned into
 *	  comparisons of its argument.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_INVERSE_H
#define DELTACC_SKIPPING_INVERSE_H

#include "predicate/expr.h"

/*
 * A condition with the same outcomes as e for every row, an error too, in which
 * functions that have an inverse stand on the constants' side: e itself if
 * there are none.  In the current memory context.
 */
extern DeltaExpr *deltacc_invert_functions(DeltaExpr *e);

#endif							/* DELTACC_SKIPPING_INVERSE_H */
