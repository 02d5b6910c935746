/*-------------------------------------------------------------------------
 *
 * read_plan.h
 *	  Running the plan of a read predicate over the files of a commit, and
 *	  saying in words what it does.
 *
 * The inside of a plan, and so its expressions, is skipping.h's.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_READ_PLAN_H
#define DELTACC_READ_PLAN_H

#include "base/options.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "predicate/predicate.h"

typedef struct ReadPlan ReadPlan;

/*
 * The plan of a predicate over a snapshot.  Cached in the backend (by metaData,
 * predicate, options, TimeZone and table name).  It stays until the memory
 * context that is current in this call is reset or deleted, whatever becomes
 * of the cache, and must not be changed.  Raises what binding raises.
 */
extern const ReadPlan *deltacc_read_plan(DeltaSnapshot *snapshot, const Predicate *predicate,
										 const DeltaccOptions *options, const char *table_name);

/*
 * Runs the partition filter over all file actions of a: keep[i] = true where
 * it may be TRUE or may fail, else false.  What a row certainly raises is given
 * back as eval.h says (semantics: Delta's check throws), ambiguous partition
 * values excepted.
 */
extern void deltacc_plan_partition_filter(const ReadPlan *plan, DeltaActions *a, bool *keep,
										  const char **error_class, int *error_row);

/*
 * Runs data skipping over all file actions: keep[i] = true where the skip
 * expression is TRUE or statistics that it needs are missing.  By the options
 * (sharp) only where, in addition, the read as a whole may be TRUE, or fail,
 * over the ranges of the file's data.
 */
extern void deltacc_plan_skip_files(const ReadPlan *plan, DeltaActions *a, bool *keep);

/*
 * What the whole predicate may be over the ranges of each file's data: outcomes
 * of eval.h, one set per file action.
 */
extern void deltacc_plan_evaluate(const ReadPlan *plan, DeltaActions *a, uint8 *outcomes);

/*
 * A file's whole verdict for filter_files: partition filter and, by the
 * options, data skipping, with who decided and why.
 */
typedef struct FileVerdict
{
	bool		kept;
	const char *decided_by;		/* "partition", "statistics", "data
								 * ranges", "missing statistics", "no skip
								 * expression", "data skipping off",
								 * "safety: ..." */
	const char *reason;			/* in words, with the values */
} FileVerdict;

/* One verdict per file action. */
extern FileVerdict *deltacc_plan_explain_files(const ReadPlan *plan, DeltaActions *a);

/*
 * Raises an ERROR for what deltacc_plan_partition_filter gave back: Spark's
 * error class, the condition and the partition values of that file action.
 */
extern void deltacc_plan_raise(const ReadPlan *plan, DeltaActions *a, const char *error_class, int row);

/* What explain_predicate says of one conjunct; NULL pointers are SQL NULLs. */
typedef struct ConjunctReport
{
	const char *conjunct;
	const char *kind;			/* "partition", "data", "join", "unusable" */
	bool		usable;			/* may it leave a file out? */
	const char *skip_expression;
	const char *reason;
	const char *advice;
} ConjunctReport;

extern ConjunctReport *deltacc_plan_report(const ReadPlan *plan, int *n);

/* The skip expression in SQL; NULL if there is none. */
extern char *deltacc_plan_skip_text(const ReadPlan *plan);

#endif							/* DELTACC_READ_PLAN_H */
