/*-------------------------------------------------------------------------
 *
 * options.h
 *	  What the user has set, as one value that the rooms below are handed.
 *
 * The settings are read once per call, in src/udf; nothing else looks at a
 * GUC, so a decision depends on its arguments only.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_OPTIONS_H
#define DELTACC_OPTIONS_H

#include "pgtime.h"

typedef enum DeltaccDataSkipping
{
	DATA_SKIPPING_OFF,			/* partition filter only: released Delta */
	DATA_SKIPPING_ON,			/* the reader's data skipping */
	DATA_SKIPPING_SHARP			/* the predicate over ranges as well */
} DeltaccDataSkipping;

typedef enum DeltaccIsolation
{
	ISOLATION_SERIALIZABLE,
	ISOLATION_WRITE_SERIALIZABLE,
	ISOLATION_SNAPSHOT
} DeltaccIsolation;

typedef enum DeltaccRowLevel
{
	ROW_LEVEL_OFF,				/* files are compared, as released Delta */
	ROW_LEVEL_ON,				/* rows, where deletion vectors prove something */
	ROW_LEVEL_DATABRICKS		/* ... and what Databricks' documents promise */
} DeltaccRowLevel;

typedef struct DeltaccOptions
{
	DeltaccDataSkipping data_skipping;
	bool		widen_nondeterministic;
	DeltaccIsolation default_isolation; /* never ISOLATION_SNAPSHOT */
	const char *target_alias;	/* NULL: not set */
	pg_tz	   *timezone;		/* Spark's session time zone */
	DeltaccRowLevel row_level;
	int			row_level_time_limit;	/* milliseconds; -1: none */
	bool		ignore_rearranged;	/* moved rows are nothing to a mere append */
} DeltaccOptions;

/*
 * The options of this session, read from the settings and TimeZone.  The
 * result points into the settings: good for one call.  Defined in
 * src/base/module.c; only src/udf calls it.
 */
extern DeltaccOptions deltacc_current_options(void);

/*
 * Delta's spelling of a level ("Serializable", ...).  Static storage.
 */
extern const char *deltacc_isolation_name(DeltaccIsolation level);

/*
 * The level that a word names, in any letter case as IsolationLevel.fromString
 * does.  False if the word is none.
 */
extern bool deltacc_isolation_from_name(const char *name, DeltaccIsolation *level);

#endif							/* DELTACC_OPTIONS_H */
