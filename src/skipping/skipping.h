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
 * The plan of a predicate over a snapshot.  Cached in the backend (by schema
 * fingerprint, predicate, options); the result lives until the end of the
 * statement at least and must not be changed.  Raises what binding raises.
 */
extern const ReadPlan *deltacc_read_plan(DeltaSnapshot *snapshot, const Predicate *predicate,
										 const DeltaccOptions *options, const char *table_name);

/*
 * Runs the partition filter over all file actions of a: keep[i] |= 1 << bit
 * where it may be TRUE or may fail.  What a row certainly raises is given
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
								 * statistics", "no skip expression", ... */
	const char *reason;			/* in words, with the values */
} FileVerdict;

extern FileVerdict *deltacc_plan_explain_files(const ReadPlan *plan, DeltaActions *a);

#endif							/* DELTACC_SKIPPING_H */
