/*-------------------------------------------------------------------------
 *
 * short_form.h
 *	  Statistics by the short form of their column, without reading texts.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_SHORT_FORM_H
#define DELTACC_SKIPPING_SHORT_FORM_H

#include "predicate/block.h"
#include "skipping/sources.h"

/*
 * Fills a column of MIN or MAX from the short form of its column in a; false if
 * it has none that is exact for the type, and then nothing has been changed.
 * late: the values may be left to the functions below, lo being NULL then.
 */
extern bool deltacc_load_short_form(SourceColumn *c, DeltaActions *a, int n, bool late);

/*
 * What the short forms of a MIN or MAX of all added files come to, if each of
 * them has one that is exact for the type: false if not.  Of a decimal only
 * deltacc_bounds_compare() tells more than that there is one.
 */
extern bool deltacc_bounds_range(const DeltaExpr *leaf, const ActionsBounds *bounds, ValueRange *range);

/* The outcomes of comparing them with one value; false if the range serves. */
extern bool deltacc_bounds_compare(const DeltaExpr *leaf, const ActionsBounds *bounds, CompareOp op,
								   DeltaScalar value, uint8 *outcomes);

/* The values of some rows of a late column, in the current memory context. */
extern DeltaScalar *deltacc_late_values(const SourceColumn *c, int start, int n);

/*
 * Compares rows of a late column with one value, which is not NULL; false if
 * there is no shorter way than by its values.
 */
extern bool deltacc_late_compare(const SourceColumn *c, CompareOp op, DeltaScalar value,
								 int start, int n, uint8 *outcomes);

#endif							/* DELTACC_SKIPPING_SHORT_FORM_H */
