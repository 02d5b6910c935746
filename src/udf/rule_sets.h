/*-------------------------------------------------------------------------
 *
 * rule_sets.h
 *	  The sets of rules that are shown side by side.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_RULE_SETS_H
#define DELTACC_RULE_SETS_H

#include "conflict/conflict.h"

/*
 * A set of rules pins what a session may set: the level and how files are
 * compared.  What the reads mean (TimeZone, deltacc.target_alias) is the
 * session's.
 */
typedef struct RuleSet
{
	const char *name;
	bool		has_table_level;	/* else the table's, or that of Delta */
	DeltaccIsolation table_level;
	DeltaccDataSkipping data_skipping;
	DeltaccRowLevel row_level;
} RuleSet;

#define RULE_SETS 5

extern const RuleSet deltacc_rule_sets[RULE_SETS];

/* Pins these rules; the argument isolation is not used. */
extern void deltacc_apply_rule_set(TransactionArgs *args, const RuleSet *rules);

/*
 * In PG_CATCH: ends the ERROR and returns its message, in the memory context
 * given.  One that is not about what stands in the log is thrown on.
 */
extern char *deltacc_log_error(MemoryContext context);

#endif							/* DELTACC_RULE_SETS_H */
