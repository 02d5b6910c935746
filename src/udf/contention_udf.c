/*-------------------------------------------------------------------------
 *
 * contention_udf.c
 *	  Would one commit have conflicted with another one, had it not seen it?
 *	  What deltacc.contention() asks for tens of thousands of pairs.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/compat.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "conflict/logged_reads.h"
#include "conflict/net_writes.h"
#include "funcapi.h"
#include "udf/conflict_args.h"
#include "udf/kept_commits.h"
#include "udf/rule_sets.h"
#include "udf/vector_source.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

PG_FUNCTION_INFO_V1(deltacc_pair_verdicts);

/* Histories are kept of so many tables, which a query may ask for in turn. */
#define KEPT_HISTORIES 16
#define KEPT_HISTORY_BYTES (256 * 1024 * 1024)

/*
 * What a snapshot sees, as far as two of one transaction may differ: the longer one
 * waits, the fewer of the transactions below xmax are still running.
 */
typedef struct SeenBy
{
	TransactionId xmin;
	TransactionId xmax;
	uint32		running;
	CommandId	command;
} SeenBy;

/* The history that some arguments stand for. */
typedef struct KeptHistory
{
	TableHistory *history;		/* NULL: an empty slot */
	uint64		last_call;
	text	   *table_name;
	char	   *name;			/* the same in UTF-8, terminated */
	bool		nulls[2];		/* from_version, to_version */
	int64		versions[2];
} KeptHistory;

typedef struct PairState
{
	MemoryContext context;
	TupleDesc	tupdesc;
	Oid			predicate_type;
	DeltaccOptions options;
	uint64		calls;
	SeenBy		seen_by;		/* the histories are what it sees */
	KeptHistory histories[KEPT_HISTORIES];
	KeptCommits *commits;

	MemoryContext table_context;
	bool		has_table;
	uint8		fingerprint[16];
	DeltaSnapshot table;		/* the last snapshot's protocol, metaData, schema */
} PairState;

/* ---------------------------------------------------------------------
 * The verdict of one set of rules
 * ---------------------------------------------------------------------
 */

typedef enum PairOutcome
{
	PAIR_OK,
	PAIR_CONFLICT,
	PAIR_ERROR
} PairOutcome;

/* The verdict of one set of rules; an ERROR about what stands in the log is a
 * verdict, too, since one odd commit must not hide the others. */
static PairOutcome
judge(const TransactionArgs *args, const RuleSet *rules, DeltaActions *winner, int64 version,
	  const Conflict **first, char **error)
{
	MemoryContext caller = CurrentMemoryContext;
	TransactionArgs pinned = *args;
	List	   *volatile conflicts = NIL;
	volatile bool failed = false;

	deltacc_apply_rule_set(&pinned, rules);

	/* Bytes of vectors come through SQL, whose errors only a transaction ends. */
	if (rules->row_level != ROW_LEVEL_OFF)
	{
		pinned.writes = deltacc_net_writes(&pinned, winner);
		conflicts = deltacc_transaction_check(deltacc_transaction_begin(&pinned), winner, version);
	}
	else
	{
		PG_TRY();
		{
			conflicts = deltacc_transaction_check(deltacc_transaction_begin(&pinned), winner, version);
		}
		PG_CATCH();
		{
			*error = deltacc_log_error(caller);
			failed = true;
		}
		PG_END_TRY();
	}
	if (failed)
		return PAIR_ERROR;
	if (conflicts == NIL)
		return PAIR_OK;
	*first = linitial(conflicts);
	return PAIR_CONFLICT;
}

/*
 * The set of rules before r that is bound to give the same verdict; -1 if r has
 * to be asked itself.  The first set is released Delta's at the table's level;
 * then WriteSerializable, data skipping, sharp, row level.
 */
static int
same_verdict_as(const TransactionArgs *args, DeltaActions *winner, const PairOutcome *outcomes, int r)
{
	const RuleSet *rules = &deltacc_rule_sets[r];
	uint32		loser_flags = deltacc_actions_flags(args->writes);
	uint32		winner_flags = deltacc_actions_flags(winner);
	const uint32 both = loser_flags & winner_flags;

	if (r == 0)
		return -1;
	if (rules->has_table_level)
	{
		/*
		 * A transaction that changes data has the level that the table has.  If
		 * that is Serializable, WriteSerializable only leaves out blind appends.
		 */
		if (!(loser_flags & ACTIONS_ANY_DATA_CHANGE) || !args->snapshot->exists ||
			deltacc_metadata_property(args->snapshot->metadata, "delta.isolationLevel") != NULL)
			return -1;
		return outcomes[0] == PAIR_OK || !(winner_flags & ACTIONS_BLIND_APPEND) ? 0 : -1;
	}

	/* At the same level the others leave out conflicts of the first set. */
	if (outcomes[0] != PAIR_CONFLICT)
		return 0;
	if (rules->row_level != ROW_LEVEL_OFF)
		return outcomes[r - 2] != PAIR_CONFLICT || !(both & ACTIONS_HAS_DV) ? r - 2 : -1;
	if (rules->data_skipping == DATA_SKIPPING_SHARP)
		return outcomes[r - 1] != PAIR_CONFLICT ? r - 1 : -1;
	return -1;
}

static Datum
text_or_null(const char *utf8, bool *isnull)
{
	*isnull = utf8 == NULL;
	return utf8 ? PointerGetDatum(deltacc_utf8_to_text(utf8, strlen(utf8))) : (Datum) 0;
}

/* ---------------------------------------------------------------------
 * What is kept during a query
 * ---------------------------------------------------------------------
 */

static PairState *
pair_state(FunctionCallInfo fcinfo)
{
	PairState  *state = fcinfo->flinfo->fn_extra;
	MemoryContext old;

	if (state == NULL)
	{
		old = MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		state = palloc0(sizeof(PairState));
		state->context = AllocSetContextCreate(CurrentMemoryContext, "deltacc pairs", ALLOCSET_DEFAULT_SIZES);
		state->table_context = AllocSetContextCreate(state->context, "deltacc table", ALLOCSET_DEFAULT_SIZES);
		if (get_call_result_type(fcinfo, NULL, &state->tupdesc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		state->tupdesc = BlessTupleDesc(CreateTupleDescCopy(state->tupdesc));
		state->predicate_type = get_element_type(TupleDescAttr(state->tupdesc, 2)->atttypid);
		MemoryContextSwitchTo(state->context);
		state->commits = deltacc_kept_commits();
		MemoryContextSwitchTo(old);
		fcinfo->flinfo->fn_extra = state;
	}
	state->calls++;
	deltacc_limit_commits(state->commits);
	state->options = deltacc_current_options();
	return state;
}

static bool
is_history_of(const KeptHistory *kept, FunctionCallInfo fcinfo)
{
	text	   *name = PG_GETARG_TEXT_PP(0);

	for (int i = 0; i < 2; i++)
	{
		if (kept->nulls[i] != PG_ARGISNULL(1 + i) || (!kept->nulls[i] && kept->versions[i] != PG_GETARG_INT64(1 + i)))
			return false;
	}
	return VARSIZE_ANY_EXHDR(name) == VARSIZE_ANY_EXHDR(kept->table_name) &&
		memcmp(VARDATA_ANY(name), VARDATA_ANY(kept->table_name), VARSIZE_ANY_EXHDR(name)) == 0;
}

static void
forget_history(PairState *state, KeptHistory *kept)
{
	deltacc_forget_commits(state->commits);
	deltacc_history_free(kept->history);
	pfree(kept->table_name);
	pfree(kept->name);
	memset(kept, 0, sizeof(*kept));
}

/* A slot for one more history: those that are large make room. */
static KeptHistory *
free_slot(PairState *state)
{
	for (;;)
	{
		KeptHistory *free = NULL;
		KeptHistory *oldest = NULL;
		Size		bytes = 0;

		for (int i = 0; i < KEPT_HISTORIES; i++)
		{
			KeptHistory *kept = &state->histories[i];

			if (kept->history == NULL)
			{
				free = kept;
				continue;
			}
			bytes += deltacc_history_size(kept->history);
			if (oldest == NULL || kept->last_call < oldest->last_call)
				oldest = kept;
		}
		if (free != NULL && bytes < KEPT_HISTORY_BYTES)
			return free;
		forget_history(state, oldest);
	}
}

/*
 * Within a query all is as it was.  But an expression of a PL/pgSQL function lives as
 * long as the transaction does: what has been written since is to be read, too.
 */
static void
forget_outdated(PairState *state)
{
	Snapshot	snapshot = GetActiveSnapshot();
	SeenBy		now = {snapshot->xmin, snapshot->xmax, snapshot->xcnt + snapshot->subxcnt, snapshot->curcid};

	if (memcmp(&now, &state->seen_by, sizeof(SeenBy)) == 0)
		return;
	for (int i = 0; i < KEPT_HISTORIES; i++)
	{
		if (state->histories[i].history != NULL)
			forget_history(state, &state->histories[i]);
	}
	state->seen_by = now;
}

/* The history that the first three arguments stand for. */
static const KeptHistory *
kept_history(PairState *state, FunctionCallInfo fcinfo)
{
	KeptHistory *kept;
	MemoryContext old;

	forget_outdated(state);
	for (int i = 0; i < KEPT_HISTORIES; i++)
	{
		kept = &state->histories[i];
		if (kept->history != NULL && is_history_of(kept, fcinfo))
		{
			kept->last_call = state->calls;
			return kept;
		}
	}

	kept = free_slot(state);
	old = MemoryContextSwitchTo(state->context);
	kept->last_call = state->calls;
	kept->table_name = PG_GETARG_TEXT_P_COPY(0);
	kept->name = pstrdup(deltacc_utf8_argument(fcinfo, 0));
	for (int i = 0; i < 2; i++)
	{
		kept->nulls[i] = PG_ARGISNULL(1 + i);
		kept->versions[i] = kept->nulls[i] ? 0 : PG_GETARG_INT64(1 + i);
	}
	kept->history = deltacc_history_read(kept->table_name, kept->nulls[0] ? PG_INT64_MIN : kept->versions[0],
										 kept->nulls[1] ? NULL : &kept->versions[1], false);
	MemoryContextSwitchTo(old);
	return kept;
}

/* The schema is read once as long as it stays the same. */
static DeltaSnapshot *
open_snapshot(PairState *state, Datum value, int64 version)
{
	DeltaActions *actions = deltacc_actions_open(value);
	DeltaSnapshot *result = palloc(sizeof(DeltaSnapshot));
	const uint8 *fingerprint = deltacc_actions_fingerprint(actions);

	if (!state->has_table || memcmp(state->fingerprint, fingerprint, sizeof(state->fingerprint)) != 0)
	{
		MemoryContext old;

		state->has_table = false;
		MemoryContextReset(state->table_context);
		old = MemoryContextSwitchTo(state->table_context);
		/* It points into no value but its own lines. */
		state->table = *deltacc_snapshot_open(deltacc_actions_open(value));
		MemoryContextSwitchTo(old);
		memcpy(state->fingerprint, fingerprint, sizeof(state->fingerprint));
		state->has_table = true;
	}
	*result = state->table;
	result->actions = actions;
	result->version = version;
	return result;
}

/*
 * The snapshot that a commit found; false if the version before it isn't held.  One
 * that can't be made (the log has a hole) or opened (it lacks its beginning) is NULL,
 * and why in *error.
 */
static bool
try_snapshot(PairState *state, KeptCommit *commit, DeltaSnapshot **snapshot, char **error)
{
	MemoryContext caller = CurrentMemoryContext;
	volatile bool held = true;

	PG_TRY();
	{
		struct varlena *found = deltacc_commit_state(commit);

		if (found == NULL)
			held = false;
		else
			*snapshot = open_snapshot(state, PointerGetDatum(found), commit->commit->version - 1);
	}
	PG_CATCH();
	{
		*error = deltacc_log_error(caller);
	}
	PG_END_TRY();
	return held;
}

/* ---------------------------------------------------------------------
 * One pair
 * ---------------------------------------------------------------------
 */

#define PAIR_COLUMNS (4 + RULE_SETS + 6)

/* A pair, as far as all sets of rules have it in common. */
typedef struct Pair
{
	TransactionArgs args;		/* the loser's, at the state that the winner found */
	KeptCommit *winner;
	KeptCommit *loser;
	int64		version;		/* the winner's */
	List	   *reads;			/* LoggedRead * */
	char	   *error;			/* NULL: none */
} Pair;

/* The rest of a pair of commits; false if the version before the winner isn't held. */
static bool
open_pair(Pair *pair, PairState *state, const KeptHistory *kept)
{
	TransactionArgs *args = &pair->args;
	ListCell   *lc;

	if (!try_snapshot(state, pair->winner, &args->snapshot, &pair->error))
		return false;
	/* Without the table's schema it is not known what was read. */
	if (args->snapshot)
		pair->reads = deltacc_commit_reads(pair->loser, args->snapshot, state->fingerprint, &state->options);
	args->options = state->options;
	args->first_only = true;
	args->verdict_only = true;
	args->terse = true;
	args->for_hint = true;
	args->operation = deltacc_commit_operation(pair->loser);
	args->table_name = kept->name;
	args->table_location = deltacc_history_location(kept->history);
	args->writes = deltacc_commit_writes_before(pair->loser, pair->version);
	args->files = deltacc_removed_files_of(state->commits, pair->winner);
	args->read_app_ids = deltacc_commit_app_ids(pair->loser, &args->nread_app_ids);
	args->reads = palloc(sizeof(Predicate *) * (list_length(pair->reads) + 1));
	foreach(lc, pair->reads)
		args->reads[args->nreads++] = ((const LoggedRead *) lfirst(lc))->predicate;
	deltacc_vector_source(args, -1);
	return true;
}

/* The reads as an array, and whether all of them are exact. */
static Datum
reads_array(const Pair *pair, Oid predicate_type, bool *exact)
{
	Datum	   *reads = palloc(sizeof(Datum) * (list_length(pair->reads) + 1));
	int			n = 0;
	ListCell   *lc;

	*exact = true;
	foreach(lc, pair->reads)
	{
		const LoggedRead *read = lfirst(lc);

		reads[n++] = PointerGetDatum(read->predicate);
		*exact = *exact && read->exact;
	}
	return PointerGetDatum(n == 0 ? construct_empty_array(predicate_type) :
						   construct_array(reads, n, predicate_type, -1, false, TYPALIGN_INT));
}

/* The verdict of each set of rules; returns the first conflict, NULL: none. */
static const Conflict *
judge_all(Pair *pair, PairOutcome *outcomes)
{
	const Conflict *first = NULL;

	for (int r = 0; r < RULE_SETS; r++)
	{
		const Conflict *conflict = NULL;
		int			same;

		if (pair->args.snapshot == NULL)
			outcomes[r] = PAIR_ERROR;
		else if ((same = same_verdict_as(&pair->args, pair->winner->actions, outcomes, r)) >= 0)
			outcomes[r] = outcomes[same];
		else
			outcomes[r] = judge(&pair->args, &deltacc_rule_sets[r], pair->winner->actions, pair->version,
								&conflict, &pair->error);
		if (first == NULL)
			first = conflict;
	}
	return first;
}

/*
 * pair_verdicts(table_name, from_version, to_version, winner_version,
 * loser_version): NULL where one of the two, or the version before the winner,
 * isn't held.
 */
Datum
deltacc_pair_verdicts(PG_FUNCTION_ARGS)
{
	PairState  *state = pair_state(fcinfo);
	const KeptHistory *kept;
	const HistoryCommit *winner;
	const HistoryCommit *loser;
	Pair		pair = {0};
	PairOutcome outcomes[RULE_SETS];
	const Conflict *first;
	bool		exact;
	Datum		values[PAIR_COLUMNS];
	bool		nulls[PAIR_COLUMNS] = {false};
	int			i = 0;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	kept = kept_history(state, fcinfo);
	winner = deltacc_history_commit(kept->history, PG_GETARG_INT64(3));
	loser = deltacc_history_commit(kept->history, PG_GETARG_INT64(4));
	if (winner == NULL || loser == NULL)
		PG_RETURN_NULL();
	pair.version = winner->version;
	pair.winner = deltacc_keep_commit(state->commits, kept->history, winner);
	pair.loser = deltacc_keep_commit(state->commits, kept->history, loser);
	if (!open_pair(&pair, state, kept))
		PG_RETURN_NULL();

	values[i] = text_or_null(deltacc_commit_operation(pair.winner), &nulls[i]);
	i++;
	values[i] = text_or_null(pair.args.operation, &nulls[i]);
	i++;
	nulls[i] = nulls[i + 1] = pair.args.snapshot == NULL;
	values[i++] = reads_array(&pair, state->predicate_type, &exact);
	values[i++] = BoolGetDatum(exact);

	first = judge_all(&pair, outcomes);
	for (int r = 0; r < RULE_SETS; r++)
	{
		nulls[i] = outcomes[r] == PAIR_ERROR;
		values[i++] = BoolGetDatum(outcomes[r] == PAIR_CONFLICT);
	}

	values[i] = text_or_null(first ? first->exception : NULL, &nulls[i]);
	i++;
	values[i] = text_or_null(first ? first->check_name : NULL, &nulls[i]);
	i++;
	values[i] = text_or_null(first ? first->path : NULL, &nulls[i]);
	i++;
	nulls[i] = first == NULL || first->partition_values == NULL;
	values[i] = nulls[i] ? (Datum) 0 :
		PointerGetDatum(deltacc_json_to_jsonb(first->partition_values, strlen(first->partition_values)));
	i++;
	values[i] = text_or_null(first ? first->isolation : NULL, &nulls[i]);
	i++;
	nulls[i] = pair.error == NULL;
	values[i] = pair.error ? CStringGetTextDatum(pair.error) : (Datum) 0;
	i++;
	Assert(i == PAIR_COLUMNS);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(state->tupdesc, values, nulls)));
}
