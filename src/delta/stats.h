/*-------------------------------------------------------------------------
 *
 * stats.h
 *	  From the tokens of a log to typed values: statistics by the rules of
 *	  Spark's from_json (PERMISSIVE), partition values by those of a cast.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_STATS_H
#define DELTACC_STATS_H

#include "delta/actions.h"
#include "delta/cast.h"
#include "delta/schema.h"

/* Writers cut timestamps to milliseconds, so a MAX is raised by as many
 * microseconds (DataSkippingReader). */
#define MAX_TIMESTAMP_SLACK INT64CONST(1000)

/*
 * Token i of a MIN or MAX column as a value of the field's type.  False: null
 * (absent, of a wrong type, not readable).  A NULL column is all absent.
 * is_max raises a timestamp.  Results
 * live in the current context; strings point into the column.
 */
extern bool deltacc_stat_value(const ActionsColumn *c, int i, const DeltaType *type, pg_tz *tz,
							   bool is_max, DeltaScalar *result);

/* Token i as numRecords / nullCount: a long. */
extern bool deltacc_stat_count(const ActionsColumn *c, int i, int64 *result);

/*
 * Token i of a partition column as a value of its type.  CAST_NULL: null.
 * CAST_ERROR: Spark raises.  *ambiguous is set where the protocol and Delta
 * read differently ('' ) or nothing is known (key absent), and the file has to
 * be kept if either reading matches; then the result is Delta's reading.
 */
extern CastResult deltacc_partition_value(const ActionsColumn *c, int i, const DeltaType *type, pg_tz *tz,
										  DeltaScalar *result, bool *ambiguous, const char **error_class);

#endif							/* DELTACC_STATS_H */
