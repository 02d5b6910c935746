/*-------------------------------------------------------------------------
 *
 * sources.h
 *	  Where the evaluator's rows come from: the partition values and the
 *	  statistics of the file actions of a commit.
 *
 * A third source, the ranges of a file's data (ranges.c), is made of both: over
 * it runs the predicate itself (data_skipping = sharp).
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_SOURCES_H
#define DELTACC_SKIPPING_SOURCES_H

#include "delta/actions.h"
#include "predicate/eval.h"

/*
 * The safety rules: where Delta's reading of a log may lose a row, ours is the
 * wider one.  Each marks the files that it may have kept.
 */
typedef enum SafetyRule
{
	SAFETY_NONE = 0,
	SAFETY_CHAR,				/* a condition on a CHAR(n) column */
	SAFETY_COLLATION,			/* a condition on a collated string */
	SAFETY_TINYINT,				/* a byte past -128 .. 127, which Delta wraps */
	SAFETY_WIDENED_FLOAT,		/* bounds of a column that once was float */
	SAFETY_EMPTY_PARTITION,		/* '' as a partition value */
	SAFETY_ABSENT_PARTITION,	/* no such key in partitionValues */
	SAFETY_TIMESTAMP			/* seconds past the range, which Delta wraps */
} SafetyRule;

/* "safety: CHAR column" etc.; static. */
extern const char *deltacc_safety_name(SafetyRule rule);

/* Why a statistic isn't there. */
typedef enum StatMissing
{
	STAT_THERE = 0,
	STAT_ABSENT,				/* no such key, or null */
	STAT_UNREADABLE,			/* something else than the column's type */
	STAT_TINYINT,				/* SAFETY_TINYINT */
	STAT_TIMESTAMP				/* SAFETY_TIMESTAMP */
} StatMissing;

/* One leaf over all file actions. */
typedef struct SourceColumn
{
	const DeltaExpr *leaf;
	uint8	   *may;			/* [n], as in Block */
	DeltaScalar *lo;			/* [n]; NULL for BOOLEAN */
	DeltaScalar *hi;			/* the same as lo: points */
	bool		exact;
	bool		all_values;
	uint8	   *missing;		/* StatMissing[n]; NULL: all are there */
	uint8	   *safety;			/* SafetyRule[n]; NULL: none */
	uint8	   *but_nan;		/* of ranges: HAS_HI where hi is a bound of all
								 * values but NaN; NULL: nowhere */
	struct LateColumn *late;	/* lo is NULL: see short_form.h */
} SourceColumn;

typedef struct FileSource
{
	RowSource	source;			/* must be first */
	int			n;				/* file actions */
	int			ncolumns;
	SourceColumn *columns;
} FileSource;

/*
 * The partition values of a, for the partition columns that e refers to.  In
 * the current memory context.  as_delta: without the safety rules.
 */
extern FileSource *deltacc_partition_source(DeltaExpr *e, DeltaActions *a, pg_tz *timezone, bool as_delta);

/*
 * The statistics of a.  Each MIN or MAX brings along the NULL_COUNT of its
 * column and NUM_RECORDS, without which it says nothing.
 */
extern FileSource *deltacc_stats_source(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone);

/*
 * The same for the evaluator alone: values are read block by block, decimals and
 * strings compared where they stand, and counts that nobody asks for not fetched
 * at all.  lo may be NULL.
 */
extern FileSource *deltacc_skip_source(DeltaExpr **stats, int nstats, DeltaActions *a, pg_tz *timezone);

/* Notes that the statistic of a row isn't there. */
extern void deltacc_source_missing(SourceColumn *c, int n, int row, StatMissing why);

/*
 * Statistics are there (DataSkippingReader.verifyStatsForFilter): missing[i] is
 * set for the files for which one that matters isn't.  False if there is no
 * such file; then missing is not touched.
 */
extern bool deltacc_stats_missing(const FileSource *stats, bool *missing);

/* The same for one file: the column at fault, NULL if none is. */
extern const SourceColumn *deltacc_stats_culprit(const FileSource *stats, int row);

/*
 * What the log says of the data of each file, for all columns that e refers to:
 * a partition column is a point, a column with statistics what they bound, any
 * other may be anything.  A value of the file lies within, whatever the
 * statistics look like (ranges.c says what is believed).
 */
extern FileSource *deltacc_range_source(DeltaExpr *e, DeltaActions *a, pg_tz *timezone);

/* The column of a leaf; NULL if the source doesn't hold it. */
extern const SourceColumn *deltacc_source_column(const FileSource *source, const DeltaExpr *leaf);

/* Appends an empty column for a leaf; *allocated: for how many there is room. */
extern void deltacc_source_add_column(FileSource *source, const DeltaExpr *leaf, int *allocated);

#endif							/* DELTACC_SKIPPING_SOURCES_H */
