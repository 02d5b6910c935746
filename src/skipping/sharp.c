/*-------------------------------------------------------------------------
 *
 * sharp.c
 *	  data_skipping = sharp: the predicate itself over the ranges of a file's
 *	  data.
 *
 * No rewrite and no special cases: partition columns and data columns, with
 * statistics or without, are all ranges, and every operator and function says
 * what it does to them (predicate/).  A file stays if the result may be TRUE.
 * It also stays if it may be an error: the statement would have failed on it,
 * and what it did can't be what the log shows.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "skipping/boxes.h"
#include "skipping/narrow.h"
#include "skipping/sharp.h"

void
deltacc_sharp_evaluate(DeltaExpr *e, const FileSource *ranges, const DeltaccOptions *options, uint8 *outcomes)
{
	deltacc_evaluate_narrowed(e, ranges, options, outcomes);
	deltacc_evaluate_boxes(e, ranges, options, outcomes);
}
