/*-------------------------------------------------------------------------
 *
 * skipping.h
 *	  Which files a read can't have touched: the plan of one read predicate
 *	  over one schema, and running it over the files of a commit.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SKIPPING_H
#define DELTACC_SKIPPING_H

#include "base/options.h"
#include "delta/actions.h"
#include "delta/snapshot.h"
#include "predicate/eval.h"
#include "predicate/expr.h"
#include "predicate/predicate.h"

/*
 * One top-level conjunct of the optimized predicate and what can be done with
 * it.
 */
typedef enum ConjunctKind
{
	CONJUNCT_PARTITION,			/* over partition columns, or no column */
	CONJUNCT_DATA,				/* over data columns (perhaps both) */
	CONJUNCT_FOREIGN,			/* refers to another relation: filters nothing */
	CONJUNCT_UNUSABLE			/* subquery, file metadata, non-deterministic */
} ConjunctKind;

typedef struct Conjunct
{
	ConjunctKind kind;
	Expr	   *expr;
	Expr	   *skip;			/* skip expression of its data part; NULL: none */
	Expr	   *partition;		/* partition part, or extracted from under OR;
								 * NULL: TRUE */
	const char *reason;			/* why it can't be used; NULL if it can */
	const char *advice;			/* what would make it usable; NULL */
	const char *safety;			/* the safety rule that leaves a part of it out
								 * which Delta would use ("CHAR column"); NULL */
} Conjunct;

typedef struct ReadPlan
{
	const DeltaSchema *schema;
	DeltaccOptions options;
	Expr	   *predicate;		/* bound and optimized, whole */
	int			nconjuncts;
	Conjunct   *conjuncts;
	Expr	   *partition;		/* AND of the partition parts; NULL: TRUE */
	Expr	   *data;			/* AND of the data conjuncts; NULL: none */
	Expr	   *skip;			/* AND of the skip expressions; NULL: none */
	Expr	  **stats;			/* the EXPR_STATs that skip refers to */
	int			nstats;
} ReadPlan;

/*
 * The plan of a predicate over a snapshot.  Cached in the backend (by metaData,
 * predicate, options, TimeZone and table name).  It stays until the memory
 * context that is current in this call is reset or deleted, whatever becomes
 * of the cache, and must not be changed.  Raises what binding raises.
 */
extern const ReadPlan *deltacc_read_plan(DeltaSnapshot *snapshot, const Predicate *predicate,
										 const DeltaccOptions *options, const char *table_name);

/*
 * Runs the partition filter over all file actions of a: keep[i] = true
 * where it may be TRUE or may fail, else false.  What a row certainly raises is given
 * back as eval.h says (semantics: Delta's check throws), ambiguous partition
 * values excepted.
 */
extern void deltacc_plan_partition_filter(const ReadPlan *plan, DeltaActions *a, bool *keep,
										  const char **error_class, int *error_row);

/*
 * Runs data skipping (options: on) over all file actions: keep[i] = true
 * where the skip expression is TRUE or statistics that it needs are missing.
 */
extern void deltacc_plan_skip_files(const ReadPlan *plan, DeltaActions *a, bool *keep);

/*
 * A file's whole verdict for filter_files: partition filter and, by the
 * options, data skipping, with who decided and why.
 */
typedef struct FileVerdict
{
	bool		kept;
	const char *decided_by;		/* "partition", "statistics", "missing
								 * statistics", "no skip expression", "data
								 * skipping off", "safety: ..." */
	const char *reason;			/* in words, with the values */
} FileVerdict;

/*
 * One verdict per file action.  error_class and error_row as in
 * deltacc_plan_partition_filter.
 */
extern FileVerdict *deltacc_plan_explain_files(const ReadPlan *plan, DeltaActions *a,
											   const char **error_class, int *error_row);

/* Raises what Spark raises for a condition over the partition values of file
 * action row, with a SQLSTATE to match. */
extern void deltacc_plan_raise(const ReadPlan *plan, DeltaActions *a, const char *error_class, int row) pg_attribute_cold();

#endif							/* DELTACC_SKIPPING_H */
