/*-------------------------------------------------------------------------
 *
 * narrow.h
 *	  May a condition be TRUE when all that it asks of one column is taken
 *	  together?
 *
 * The evaluator takes the operands of AND to be independent: for a file with a
 * in [0, 60] it finds that a IN (1, 100) may be TRUE and that a > 50 may be,
 * and so that both may be.  But a row that makes both TRUE has a in (50, 60],
 * and there the first can't be.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_NARROW_H
#define DELTACC_SKIPPING_NARROW_H

#include "base/options.h"
#include "skipping/sources.h"

/*
 * What e may be over each row of source, a set of outcomes of eval.h: TRUE only
 * if it may be when all that it asks of one column is taken together.  source
 * is one that has all columns of e.
 */
extern void deltacc_evaluate_narrowed(DeltaExpr *e, const FileSource *source,
									  const DeltaccOptions *options, uint8 *outcomes);

#endif							/* DELTACC_SKIPPING_NARROW_H */
