/*-------------------------------------------------------------------------
 *
 * sources.h
 *	  Where the evaluator's rows come from: the partition values and the
 *	  statistics of the file actions of a commit.
 *
 * A third source, the ranges of a file's data, joins these two when the
 * predicate itself is evaluated (data_skipping = sharp).
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
	SAFETY_ABSENT_PARTITION		/* no such key in partitionValues */
} SafetyRule;

/* "safety: CHAR column" etc.; static. */
extern const char *deltacc_safety_name(SafetyRule rule);

/* Why a statistic isn't there. */
typedef enum StatMissing
{
	STAT_THERE = 0,
	STAT_ABSENT,				/* no such key, or null */
	STAT_UNREADABLE,			/* something else than the column's type */
	STAT_TINYINT				/* SAFETY_TINYINT */
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
 * Statistics are there (DataSkippingReader.verifyStatsForFilter): missing[i] is
 * set for the files for which one that matters isn't.  False if there is no
 * such file; then missing is not touched.
 */
extern bool deltacc_stats_missing(const FileSource *stats, bool *missing);

/* The same for one file: the column at fault, NULL if none is. */
extern const SourceColumn *deltacc_stats_culprit(const FileSource *stats, int row);

/* The column of a leaf; NULL if the source doesn't hold it. */
extern const SourceColumn *deltacc_source_column(const FileSource *source, const DeltaExpr *leaf);

#endif							/* DELTACC_SKIPPING_SOURCES_H */
