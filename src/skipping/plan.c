/*-------------------------------------------------------------------------
 *
 * plan.c
 *	  The plan of a read: made once per (table, predicate, options), kept, and
 *	  run over the files of a commit.
 *
 * An entry of the cache holds its key, the plan, and on to the schema that the
 * plan points into (base/lru.h).
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/counters.h"
#include "base/lru.h"
#include "common/hashfn.h"
#include "predicate/bind.h"
#include "predicate/optimize.h"
#include "skipping/inverse.h"
#include "skipping/sharp.h"
#include "skipping/skipping.h"
#include "skipping/sources.h"
#include "skipping/split.h"
#include "utils/memutils.h"

/* deltacc.contention() asks for three plans of each commit within its distance. */
#define CACHE_ENTRIES	4096
#define CACHE_BYTES		(32 * 1024 * 1024)

/* What a plan depends on.  Compared in full: a hash alone decides nothing. */
typedef struct PlanKey
{
	const DeltaSchema *schema;	/* itself: there is one for each table */
	const Predicate *predicate;
	const char *target_alias;	/* NULL: not set */
	const char *table_name;		/* NULL: unknown */
	pg_tz	   *timezone;		/* PostgreSQL keeps one of each for good */
	DeltaccDataSkipping data_skipping;
	bool		widen_nondeterministic;
	uint32		hash;
} PlanKey;

typedef struct PlanEntry
{
	LruEntry	lru;			/* must be first */
	PlanKey		key;
	ReadPlan	plan;
} PlanEntry;

static LruList cache = LRU_LIST(cache, CACHE_ENTRIES, CACHE_BYTES);

static PlanKey make_key(DeltaSnapshot *snapshot, const Predicate *predicate,
						const DeltaccOptions *options, const char *table_name);
static bool same_key(const PlanKey *a, const PlanKey *b);
static bool same_text(const char *a, const char *b);
static PlanEntry *build_entry(DeltaSnapshot *snapshot, const PlanKey *key, const DeltaccOptions *options);
static void skip_by_statistics(const ReadPlan *plan, DeltaActions *a, int n, bool *keep);

const ReadPlan *
deltacc_read_plan(DeltaSnapshot *snapshot, const Predicate *predicate,
				  const DeltaccOptions *options, const char *table_name)
{
	PlanKey		key = make_key(snapshot, predicate, options, table_name);
	PlanEntry  *entry = NULL;
	dlist_iter	iter;

	lru_foreach(iter, &cache, key.hash)
	{
		PlanEntry  *candidate = (PlanEntry *) LRU_ENTRY(iter);

		if (same_key(&candidate->key, &key))
		{
			entry = candidate;
			break;
		}
	}

	if (entry)
		deltacc_counters.plans_reused++;
	else
	{
		entry = build_entry(snapshot, &key, options);
		deltacc_lru_add(&cache, &entry->lru);
		deltacc_counters.plans_built++;
	}
	deltacc_lru_use(&cache, &entry->lru);
	return &entry->plan;
}

static PlanKey
make_key(DeltaSnapshot *snapshot, const Predicate *predicate,
		 const DeltaccOptions *options, const char *table_name)
{
	PlanKey		key = {
		.schema = snapshot->schema,
		.predicate = predicate,
		.target_alias = options->target_alias,
		.table_name = table_name,
		.timezone = options->timezone,
		.data_skipping = options->data_skipping,
		.widen_nondeterministic = options->widen_nondeterministic,
	};

	key.hash = hash_bytes((const unsigned char *) predicate, VARSIZE_ANY(predicate));
	key.hash = hash_combine(key.hash, hash_bytes((const unsigned char *) &key.schema, sizeof(key.schema)) + options->data_skipping);
	return key;
}

static bool
same_key(const PlanKey *a, const PlanKey *b)
{
	return a->hash == b->hash &&
		a->schema == b->schema &&
		a->timezone == b->timezone &&
		a->data_skipping == b->data_skipping &&
		a->widen_nondeterministic == b->widen_nondeterministic &&
		VARSIZE_ANY(a->predicate) == VARSIZE_ANY(b->predicate) &&
		memcmp(a->predicate, b->predicate, VARSIZE_ANY(a->predicate)) == 0 &&
		same_text(a->target_alias, b->target_alias) &&
		same_text(a->table_name, b->table_name);
}

static bool
same_text(const char *a, const char *b)
{
	if (a == NULL || b == NULL)
		return a == b;
	return strcmp(a, b) == 0;
}

/*
 * A complete entry, in a context below the current one.  Expressions point into
 * the predicate, which is copied, and into the schema, which is held on to.
 */
static PlanEntry *
build_entry(DeltaSnapshot *snapshot, const PlanKey *key, const DeltaccOptions *options)
{
	MemoryContext context;
	MemoryContext caller;
	PlanEntry  *entry;
	Predicate  *predicate;
	DeltaExpr	   *bound;

	context = AllocSetContextCreate(CurrentMemoryContext, "deltacc read plan", ALLOCSET_SMALL_SIZES);
	caller = MemoryContextSwitchTo(context);

	predicate = palloc(VARSIZE_ANY(key->predicate));
	memcpy(predicate, key->predicate, VARSIZE_ANY(key->predicate));

	entry = palloc0(sizeof(PlanEntry));
	entry->lru.context = context;
	entry->lru.hash = key->hash;
	entry->key = *key;
	entry->key.predicate = predicate;
	entry->key.target_alias = key->target_alias ? pstrdup(key->target_alias) : NULL;
	entry->key.table_name = key->table_name ? pstrdup(key->table_name) : NULL;

	entry->plan.options = *options;
	entry->plan.options.target_alias = entry->key.target_alias;
	deltacc_snapshot_pin(snapshot);
	entry->plan.schema = snapshot->schema;
	bound = deltacc_bind(deltacc_predicate_open(predicate), entry->plan.schema,
						 &entry->plan.options, entry->key.table_name);
	entry->plan.predicate = deltacc_optimize(bound, &entry->plan.options);
	deltacc_split_predicate(&entry->plan);

	MemoryContextSwitchTo(caller);
	return entry;
}

/* ----- running a plan ----- */

void
deltacc_plan_partition_filter(const ReadPlan *plan, DeltaActions *a, bool *keep,
							  const char **error_class, int *error_row)
{
	MemoryContext work;
	MemoryContext caller;
	FileSource *source;
	uint8	   *outcomes;
	int			n;

	n = deltacc_actions_file_count(a);
	if (plan->partition == NULL)
	{
		memset(keep, true, n);
		return;
	}

	/* What is fetched from a stays with it, so only our arrays are given back. */
	work = AllocSetContextCreate(CurrentMemoryContext, "deltacc partition filter", ALLOCSET_DEFAULT_SIZES);
	caller = MemoryContextSwitchTo(work);
	source = deltacc_partition_source(plan->partition, a, plan->options.timezone, false);
	outcomes = palloc(Max(n, 1));
	deltacc_eval_condition(plan->partition, &source->source, n, &plan->options, outcomes, error_class, error_row);
	for (int i = 0; i < n; i++)
		keep[i] = (outcomes[i] & (MAY_TRUE | MAY_ERROR)) != 0;
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

void
deltacc_plan_skip_files(const ReadPlan *plan, DeltaActions *a, bool *keep)
{
	MemoryContext work = AllocSetContextCreate(CurrentMemoryContext, "deltacc data skipping", ALLOCSET_DEFAULT_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(work);
	int			n;

	n = deltacc_actions_file_count(a);
	if (plan->skip)
		skip_by_statistics(plan, a, n, keep);
	else
		memset(keep, true, n);

	/* Never more than the reader keeps. */
	if (plan->options.data_skipping == DATA_SKIPPING_SHARP && plan->sharp)
	{
		FileSource *ranges = deltacc_range_source(plan->sharp, a, plan->options.timezone);
		uint8	   *outcomes = palloc(Max(n, 1));

		deltacc_sharp_evaluate(plan->sharp, ranges, &plan->options, outcomes);
		for (int i = 0; i < n; i++)
			keep[i] &= DELTACC_SHARP_KEEPS(outcomes[i]);
	}
	MemoryContextSwitchTo(caller);
	MemoryContextDelete(work);
}

/* The reader's rule. */
static void
skip_by_statistics(const ReadPlan *plan, DeltaActions *a, int n, bool *keep)
{
	FileSource *source;
	uint8	   *outcomes;
	bool	   *missing;

	source = deltacc_skip_source(plan->stats, plan->nstats, a, plan->options.timezone);
	outcomes = palloc(Max(n, 1));
	deltacc_eval_condition(plan->skip, &source->source, n, &plan->options, outcomes, NULL, NULL);
	for (int i = 0; i < n; i++)
		keep[i] = (outcomes[i] & (MAY_TRUE | MAY_ERROR)) != 0;

	missing = palloc0(Max(n, 1));
	if (deltacc_stats_missing(source, missing))
	{
		for (int i = 0; i < n; i++)
			keep[i] |= missing[i];
	}
}

void
deltacc_plan_evaluate(const ReadPlan *plan, DeltaActions *a, uint8 *outcomes)
{
	DeltaExpr  *e = deltacc_invert_functions(plan->predicate);
	FileSource *ranges = deltacc_range_source(e, a, plan->options.timezone);

	deltacc_sharp_evaluate(e, ranges, &plan->options, outcomes);
}
