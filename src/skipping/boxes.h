/*-------------------------------------------------------------------------
 *
 * boxes.h
 *	  A condition over ranges, cut into pieces.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_BOXES_H
#define DELTACC_SKIPPING_BOXES_H

#include "base/options.h"
#include "skipping/sources.h"

/*
 * outcomes[i] is what e may be for file i of source, known from evaluating it
 * over the file's ranges as they are.  Where that is more than one thing, and
 * the ranges can be cut into a few pieces, it becomes what e may be over one
 * piece or another: a part of what it was.
 */
extern void deltacc_evaluate_boxes(DeltaExpr *e, const FileSource *source,
								   const DeltaccOptions *options, uint8 *outcomes);

#endif							/* DELTACC_SKIPPING_BOXES_H */
