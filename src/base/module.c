/*-------------------------------------------------------------------------
 *
 * module.c
 *	  The module's start: magic block and settings.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/compat.h"
#include "base/counters.h"
#include "base/options.h"
#include "utils/guc.h"

#ifdef PG_MODULE_MAGIC_EXT
PG_MODULE_MAGIC_EXT(.name = "deltacc",.version = "1.0");
#else
PG_MODULE_MAGIC;
#endif

PGDLLEXPORT void _PG_init(void);

DeltaccCounters deltacc_counters;

static int	data_skipping = DATA_SKIPPING_ON;
static int	default_isolation = ISOLATION_WRITE_SERIALIZABLE;
static bool widen_nondeterministic = true;
static char *target_alias = NULL;
static int	row_level = ROW_LEVEL_OFF;
static int	row_level_time_limit = -1;
static bool ignore_rearranged = false;

static const struct config_enum_entry data_skipping_values[] = {
	{"off", DATA_SKIPPING_OFF, false},
	{"on", DATA_SKIPPING_ON, false},
	{"sharp", DATA_SKIPPING_SHARP, false},
	{NULL, 0, false}
};

static const struct config_enum_entry row_level_values[] = {
	{"off", ROW_LEVEL_OFF, false},
	{"on", ROW_LEVEL_ON, false},
	{"databricks", ROW_LEVEL_DATABRICKS, false},
	{NULL, 0, false}
};

static const struct config_enum_entry isolation_values[] = {
	{"WriteSerializable", ISOLATION_WRITE_SERIALIZABLE, false},
	{"Serializable", ISOLATION_SERIALIZABLE, false},
	{NULL, 0, false}
};

static const char *const isolation_names[] = {
	[ISOLATION_SERIALIZABLE] = "Serializable",
	[ISOLATION_WRITE_SERIALIZABLE] = "WriteSerializable",
	[ISOLATION_SNAPSHOT] = "SnapshotIsolation",
};

void
_PG_init(void)
{
	DefineCustomEnumVariable("deltacc.data_skipping",
							 "Decides which files column statistics may leave out of a conflict check.",
							 "off: none, as released Delta. on: those that Delta's reader would skip. "
							 "sharp: those for which the predicate can't be true over the ranges of their data, too.",
							 &data_skipping, DATA_SKIPPING_ON,
							 data_skipping_values,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("deltacc.default_isolation_level",
							 "The isolation level of a table that sets no delta.isolationLevel.",
							 "WriteSerializable, as Databricks, or Serializable, as open-source Delta.",
							 &default_isolation, ISOLATION_WRITE_SERIALIZABLE,
							 isolation_values,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomBoolVariable("deltacc.widen_nondeterministic",
							 "Lets a non-deterministic part of a partition predicate match every file.",
							 "Off evaluates it once, as Delta does with widenNonDeterministicPredicates off or logging.",
							 &widen_nondeterministic, true,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomStringVariable("deltacc.target_alias",
							   "The alias that names the target table in a predicate.",
							   "Empty: t and target do, unless another unknown qualifier is used.",
							   &target_alias, NULL,
							   PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomEnumVariable("deltacc.row_level",
							 "Lets two commits pass that changed different rows of the same file.",
							 "off: never, as released Delta. on: where deletion vectors prove it. "
							 "databricks: as Databricks documents its row-level concurrency.",
							 &row_level, ROW_LEVEL_OFF,
							 row_level_values,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	DefineCustomIntVariable("deltacc.row_level_time_limit",
							"How long a check may compare rows before it compares files.",
							"-1: without a limit.",
							&row_level_time_limit, -1, -1, INT_MAX,
							PGC_USERSET, GUC_UNIT_MS, NULL, NULL, NULL);
	DefineCustomBoolVariable("deltacc.ignore_rearranged",
							 "Lets a transaction that only appends pass a winner that only moved rows, as OPTIMIZE does.",
							 NULL,
							 &ignore_rearranged, false,
							 PGC_USERSET, 0, NULL, NULL, NULL);
	MarkGUCPrefixReserved("deltacc");
}

DeltaccOptions
deltacc_current_options(void)
{
	DeltaccOptions options = {
		.data_skipping = (DeltaccDataSkipping) data_skipping,
		.widen_nondeterministic = widen_nondeterministic,
		.default_isolation = (DeltaccIsolation) default_isolation,
		.target_alias = target_alias && target_alias[0] ? target_alias : NULL,
		.timezone = session_timezone,
		.row_level = (DeltaccRowLevel) row_level,
		.row_level_time_limit = row_level_time_limit,
		.ignore_rearranged = ignore_rearranged,
	};

	return options;
}

const char *
deltacc_isolation_name(DeltaccIsolation level)
{
	return isolation_names[level];
}

bool
deltacc_isolation_from_name(const char *name, DeltaccIsolation *level)
{
	for (int i = 0; i < lengthof(isolation_names); i++)
	{
		if (pg_strcasecmp(name, isolation_names[i]) == 0)
		{
			*level = (DeltaccIsolation) i;
			return true;
		}
	}
	return false;
}
