/*-------------------------------------------------------------------------
 *
 * sharp.h
 *	  data_skipping = sharp: the predicate itself over the ranges of a file's
 *	  data.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_SHARP_H
#define DELTACC_SKIPPING_SHARP_H

#include "skipping/skipping.h"
#include "skipping/sources.h"

/*
 * What a condition (a plan's sharp, or all of its predicate) may be for some
 * row of each file of ranges: outcomes of eval.h.
 */
extern void deltacc_sharp_evaluate(DeltaExpr *e, const FileSource *ranges,
								   const DeltaccOptions *options, uint8 *outcomes);

/* May it be TRUE for a row of the file, or fail? */
#define DELTACC_SHARP_KEEPS(outcomes) (((outcomes) & (MAY_TRUE | MAY_ERROR)) != 0)

#endif							/* DELTACC_SKIPPING_SHARP_H */
