/*-------------------------------------------------------------------------
 *
 * contention_udf.c
 *	  Would one commit have conflicted with another one, had it not seen it?
 *	  What deltacc.contention() asks for tens of thousands of pairs.
 *
 * A commit is part of many pairs, one after the other.  So what has been read
 * of a value is kept for the rest of the query, as are the table's schema and
 * what a commit read by its own account.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/compat.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "common/hashfn.h"
#include "conflict/json_edit.h"
#include "conflict/logged_reads.h"
#include "conflict/net_writes.h"
#include "funcapi.h"
#include "udf/conflict_args.h"
#include "udf/rule_sets.h"
#include "udf/vector_source.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(deltacc_pair_verdicts);
PG_FUNCTION_INFO_V1(deltacc_pick_actions);
PG_FUNCTION_INFO_V1(deltacc_state_problem);

#define KEPT_VALUES 1024
#define KEPT_BYTES (64 * 1024 * 1024)

/* A value is known by its TOAST pointer, or by its bytes if they are few. */
#define MAX_KEY_BYTES 8192

/* What is known of a commit, beyond what its value tells. */
typedef struct KeptCommit
{
	MemoryContext context;		/* NULL: an empty slot */
	const char *key;			/* the datum as it came */
	Size		key_size;
	DeltaActions *actions;
	const char *operation;		/* NULL: none */
	bool		has_operation;	/* it was looked for */

	/* its reads over the table of this fingerprint */
	bool		has_reads;
	uint8		fingerprint[16];
	List	   *reads;			/* LoggedRead * */

	int			napp_ids;		/* -1: not looked for */
	char	  **app_ids;

	List	   *parts;			/* CommitPart * */
} KeptCommit;

/* An action on a file that came to life not long before: two numbers of an
 * array. */
typedef struct YoungFile
{
	int64		ordinal;
	int64		born;
} YoungFile;

/* A commit without its actions on files that are younger than a version: the
 * younger the version, the more of them are left out. */
typedef struct CommitPart
{
	int			left_out;
	DeltaActions *actions;
} CommitPart;

typedef struct PairState
{
	MemoryContext context;
	TupleDesc	tupdesc;
	Oid			predicate_type;
	DeltaccOptions options;
	KeptCommit	slots[KEPT_VALUES];
	const KeptCommit *in_use[2];	/* by this call */
	int			nin_use;
	uint64		calls;

	/* the last winner's files: one value for many pairs */
	MemoryContext files_context;
	text	   *files_value;
	DeltaActions *files;

	MemoryContext table_context;
	bool		has_table;
	uint8		fingerprint[16];
	DeltaSnapshot table;		/* the last snapshot's protocol, metaData, schema */
} PairState;

static PairState *pair_state(FunctionCallInfo fcinfo);
static void limit_kept(PairState *state);
static KeptCommit *passing_commit(Datum value);
static DeltaActions *last_files(PairState *state, text *value);
static KeptCommit *kept_commit(PairState *state, Datum value);
static DeltaSnapshot *open_snapshot(PairState *state, Datum value);
static DeltaSnapshot *try_snapshot(PairState *state, Datum value, char **error);
static void find_operation(KeptCommit *commit);
static void find_app_ids(KeptCommit *commit);
static void find_reads(PairState *state, KeptCommit *commit, DeltaSnapshot *snapshot);
static DeltaActions *writes_without(KeptCommit *commit, ArrayType *young, int64 version);

/* ---------------------------------------------------------------------
 * One pair
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

#define PAIR_COLUMNS (4 + RULE_SETS + 6)

/*
 * pair_verdicts(snapshot, winner, loser, winner_version, winner_files, young,
 * table_name, table_location)
 */
Datum
deltacc_pair_verdicts(PG_FUNCTION_ARGS)
{
	PairState  *state = pair_state(fcinfo);
	KeptCommit *winner;
	KeptCommit *loser;
	TransactionArgs args = {0};
	int64		version;
	PairOutcome outcomes[RULE_SETS];
	const Conflict *first = NULL;
	char	   *error = NULL;
	bool		exact = true;
	Datum		values[PAIR_COLUMNS];
	bool		nulls[PAIR_COLUMNS] = {false};
	Datum	   *reads;
	ListCell   *lc;
	int			i = 0;

	deltacc_refuse_null(fcinfo, 0, "snapshot");
	deltacc_refuse_null(fcinfo, 1, "winner");
	deltacc_refuse_null(fcinfo, 2, "loser");
	deltacc_refuse_null(fcinfo, 3, "winner_version");
	version = PG_GETARG_INT64(3);
	args.snapshot = try_snapshot(state, PG_GETARG_DATUM(0), &error);
	winner = kept_commit(state, PG_GETARG_DATUM(1));
	loser = kept_commit(state, PG_GETARG_DATUM(2));
	find_operation(winner);
	find_operation(loser);
	find_app_ids(loser);
	if (args.snapshot)
		find_reads(state, loser, args.snapshot);

	args.options = state->options;
	args.first_only = true;
	args.verdict_only = true;
	args.terse = true;
	args.for_hint = true;
	args.operation = loser->operation;
	args.table_name = deltacc_utf8_argument(fcinfo, 6);
	args.table_location = deltacc_utf8_argument(fcinfo, 7);
	args.writes = PG_ARGISNULL(5) ? loser->actions :
		writes_without(loser, PG_GETARG_ARRAYTYPE_P(5), version);
	if (!PG_ARGISNULL(4))
		args.files = last_files(state, PG_GETARG_TEXT_P(4));
	args.nread_app_ids = loser->napp_ids;
	args.read_app_ids = loser->app_ids;
	args.reads = palloc(sizeof(Predicate *) * (list_length(loser->reads) + 1));
	reads = palloc(sizeof(Datum) * (list_length(loser->reads) + 1));
	foreach(lc, args.snapshot ? loser->reads : NIL)
	{
		const LoggedRead *read = lfirst(lc);

		reads[args.nreads] = PointerGetDatum(read->predicate);
		args.reads[args.nreads++] = read->predicate;
		exact = exact && read->exact;
	}
	deltacc_vector_source(&args, -1);

	values[i] = text_or_null(winner->operation, &nulls[i]);
	i++;
	values[i] = text_or_null(loser->operation, &nulls[i]);
	i++;
	/* Without the table's schema it is not known what was read. */
	nulls[i] = nulls[i + 1] = args.snapshot == NULL;
	values[i++] = PointerGetDatum(args.nreads == 0 ? construct_empty_array(state->predicate_type) :
								  construct_array(reads, args.nreads, state->predicate_type, -1, false, TYPALIGN_INT));
	values[i++] = BoolGetDatum(exact);

	for (int r = 0; r < RULE_SETS; r++)
	{
		const Conflict *conflict = NULL;
		int			same;

		if (args.snapshot == NULL)
			outcomes[r] = PAIR_ERROR;
		else if ((same = same_verdict_as(&args, winner->actions, outcomes, r)) >= 0)
			outcomes[r] = outcomes[same];
		else
			outcomes[r] = judge(&args, &deltacc_rule_sets[r], winner->actions, version, &conflict, &error);
		nulls[i + r] = outcomes[r] == PAIR_ERROR;
		values[i + r] = BoolGetDatum(outcomes[r] == PAIR_CONFLICT);
		if (first == NULL)
			first = conflict;
	}
	i += RULE_SETS;

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
	nulls[i] = error == NULL;
	values[i] = error ? CStringGetTextDatum(error) : (Datum) 0;
	i++;
	Assert(i == PAIR_COLUMNS);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(state->tupdesc, values, nulls)));
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
		state->files_context = AllocSetContextCreate(state->context, "deltacc files", ALLOCSET_DEFAULT_SIZES);
		state->table_context = AllocSetContextCreate(state->context, "deltacc table", ALLOCSET_DEFAULT_SIZES);
		if (get_call_result_type(fcinfo, NULL, &state->tupdesc) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		state->tupdesc = BlessTupleDesc(CreateTupleDescCopy(state->tupdesc));
		state->predicate_type = get_element_type(TupleDescAttr(state->tupdesc, 2)->atttypid);
		fcinfo->flinfo->fn_extra = state;
		MemoryContextSwitchTo(old);
	}
	limit_kept(state);
	state->options = deltacc_current_options();
	return state;
}

static void
forget_commit(KeptCommit *slot)
{
	if (slot->context)
		MemoryContextDelete(slot->context);
	memset(slot, 0, sizeof(*slot));
}

static KeptCommit *
passing_commit(Datum value)
{
	KeptCommit *commit = palloc0(sizeof(KeptCommit));

	commit->napp_ids = -1;
	commit->actions = deltacc_actions_open(value);
	return commit;
}

/* Between two calls: what is kept must not grow without end. */
static void
limit_kept(PairState *state)
{
	Size		bytes = 0;

	state->nin_use = 0;
	if (++state->calls % KEPT_VALUES != 0)
		return;
	for (int i = 0; i < KEPT_VALUES; i++)
	{
		if (state->slots[i].context)
			bytes += MemoryContextMemAllocated(state->slots[i].context, true);
	}
	if (bytes > KEPT_BYTES)
	{
		for (int i = 0; i < KEPT_VALUES; i++)
			forget_commit(&state->slots[i]);
	}
}

/*
 * The commit of a datum: opened anew, or as it was left the last time.  What
 * can't be recognised again is opened in the current memory context.
 */
static KeptCommit *
kept_commit(PairState *state, Datum value)
{
	struct varlena *datum = (struct varlena *) DatumGetPointer(value);
	bool		recognised = VARATT_IS_EXTERNAL_ONDISK(datum) ||
		(!VARATT_IS_EXTERNAL(datum) && VARSIZE_ANY(datum) <= MAX_KEY_BYTES);
	Size		size = recognised ? VARSIZE_ANY(datum) : 0;
	KeptCommit *slot;
	MemoryContext old;
	char	   *key;

	if (!recognised)
		return passing_commit(value);
	slot = &state->slots[hash_bytes((unsigned char *) datum, size) % KEPT_VALUES];
	if (slot->context && slot->key_size == size && memcmp(slot->key, datum, size) == 0)
	{
		state->in_use[state->nin_use++] = slot;
		return slot;
	}

	/* Another one of this call is there: this one is kept for the call only. */
	for (int i = 0; i < state->nin_use; i++)
	{
		if (state->in_use[i] == slot)
			return passing_commit(value);
	}
	forget_commit(slot);
	slot->context = AllocSetContextCreate(state->context, "deltacc commit", ALLOCSET_SMALL_SIZES);
	old = MemoryContextSwitchTo(slot->context);
	key = palloc(size);
	memcpy(key, datum, size);
	slot->key = key;
	slot->key_size = size;
	slot->napp_ids = -1;
	slot->actions = deltacc_actions_open(PointerGetDatum(key));
	MemoryContextSwitchTo(old);
	state->in_use[state->nin_use++] = slot;
	return slot;
}

/* The winner's files, as text: read once for all of its pairs. */
static DeltaActions *
last_files(PairState *state, text *value)
{
	Size		size = VARSIZE(value);
	MemoryContext old;
	const char *utf8;
	int			len;

	if (state->files_value && VARSIZE(state->files_value) == size &&
		memcmp(state->files_value, value, size) == 0)
		return state->files;
	state->files_value = NULL;
	MemoryContextReset(state->files_context);
	old = MemoryContextSwitchTo(state->files_context);
	utf8 = deltacc_to_utf8(VARDATA(value), VARSIZE(value) - VARHDRSZ, &len);
	state->files = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(utf8, len, NULL)));
	state->files_value = memcpy(palloc(size), value, size);
	MemoryContextSwitchTo(old);
	return state->files;
}

/* Where a commit's own notes live. */
static MemoryContext
commit_context(KeptCommit *commit)
{
	return commit->context ? commit->context : CurrentMemoryContext;
}

/* The schema is read once as long as it stays the same. */
static DeltaSnapshot *
open_snapshot(PairState *state, Datum value)
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
	result->version = deltacc_actions_version(actions);
	return result;
}

/* One that can't be opened (a log that lacks its beginning) is NULL, and why in
 * *error. */
static DeltaSnapshot *
try_snapshot(PairState *state, Datum value, char **error)
{
	MemoryContext caller = CurrentMemoryContext;
	DeltaSnapshot *volatile result = NULL;

	PG_TRY();
	{
		result = open_snapshot(state, value);
	}
	PG_CATCH();
	{
		*error = deltacc_log_error(caller);
	}
	PG_END_TRY();
	return result;
}

/* state_problem(state actions): why it can't be a snapshot, else NULL */
Datum
deltacc_state_problem(PG_FUNCTION_ARGS)
{
	MemoryContext caller = CurrentMemoryContext;
	Datum		value = PG_GETARG_DATUM(0);
	char	   *volatile error = NULL;

	PG_TRY();
	{
		(void) deltacc_snapshot_open(deltacc_actions_open(value));
	}
	PG_CATCH();
	{
		error = deltacc_log_error(caller);
	}
	PG_END_TRY();
	if (error == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(error));
}

static void
find_operation(KeptCommit *commit)
{
	MemoryContext old;
	const OtherAction *info;
	JsonSlice	object;

	if (commit->has_operation)
		return;
	old = MemoryContextSwitchTo(commit_context(commit));
	info = deltacc_actions_first(commit->actions, ACTION_COMMIT_INFO);
	if (info && deltacc_edit_action(deltacc_actions_line(commit->actions, info->line_offset, info->line_length),
									info->line_length, "commitInfo", &object))
		commit->operation = deltacc_edit_string(&object, "operation");
	commit->has_operation = true;
	MemoryContextSwitchTo(old);
}

static void
find_app_ids(KeptCommit *commit)
{
	MemoryContext old;

	if (commit->napp_ids >= 0)
		return;
	old = MemoryContextSwitchTo(commit_context(commit));
	commit->app_ids = deltacc_logged_app_ids(commit->actions, &commit->napp_ids);
	MemoryContextSwitchTo(old);
}

static void
find_reads(PairState *state, KeptCommit *commit, DeltaSnapshot *snapshot)
{
	MemoryContext old;

	if (commit->has_reads && memcmp(commit->fingerprint, state->fingerprint, sizeof(state->fingerprint)) == 0)
		return;
	old = MemoryContextSwitchTo(commit_context(commit));
	commit->has_reads = false;
	commit->reads = deltacc_logged_reads(snapshot, commit->actions, &state->options);
	memcpy(commit->fingerprint, state->fingerprint, sizeof(state->fingerprint));
	commit->has_reads = true;
	MemoryContextSwitchTo(old);
}

/* ---------------------------------------------------------------------
 * Parts of commits
 * ---------------------------------------------------------------------
 */

/* The lines for which keep[] is set. */
static StringInfo
lines_of(DeltaActions *a, const bool *keep, int n)
{
	const FileAction *files;
	const OtherAction *others;
	int			nfiles;
	int			nothers;
	int			f = 0;
	int			o = 0;
	int			kept = 0;
	uint32		last = PG_UINT32_MAX;
	const char *whole = NULL;
	StringInfo	text = makeStringInfo();

	/* Many slices take longer than all of it. */
	for (int i = 1; i <= n; i++)
		kept += keep[i];
	if (kept > 8)
	{
		int			len;

		whole = deltacc_actions_text(a, &len);
	}
	files = deltacc_actions_files(a, &nfiles);
	others = deltacc_actions_others(a, &nothers);
	for (int ordinal = 1; ordinal <= n; ordinal++)
	{
		uint32		offset;
		uint32		length;

		if (f < nfiles && files[f].ordinal == ordinal)
		{
			offset = files[f].line_offset;
			length = files[f++].line_length;
		}
		else if (o < nothers && others[o].ordinal == ordinal)
		{
			offset = others[o].line_offset;
			length = others[o++].line_length;
		}
		else
			continue;
		/* several actions may share a line: it stays if one of them does */
		if (!keep[ordinal] || offset == last)
			continue;
		last = offset;
		appendBinaryStringInfo(text, whole ? whole + offset : deltacc_actions_line(a, offset, length), length);
		appendStringInfoChar(text, '\n');
	}
	return text;
}

/*
 * What the loser wanted to write, without the actions on files that were not
 * there yet at the snapshot: those that came to life at the winner's version or
 * later.
 */
static DeltaActions *
writes_without(KeptCommit *commit, ArrayType *young, int64 version)
{
	int			n = ArrayGetNItems(ARR_NDIM(young), ARR_DIMS(young)) / 2;
	const YoungFile *files = (const YoungFile *) ARR_DATA_PTR(young);
	int			nactions = deltacc_actions_count(commit->actions);
	bool	   *keep;
	StringInfo	text;
	CommitPart *part;
	ListCell   *lc;
	int			left_out = 0;
	MemoryContext old;

	if (ARR_HASNULL(young) || ARR_ELEMTYPE(young) != INT8OID)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("young must be an array of bigint without NULL")));
	for (int i = 0; i < n; i++)
		left_out += files[i].born >= version;
	if (left_out == 0)
		return commit->actions;
	foreach(lc, commit->parts)
	{
		part = lfirst(lc);
		if (part->left_out == left_out)
			return part->actions;
	}

	keep = palloc(nactions + 1);
	memset(keep, true, nactions + 1);
	for (int i = 0; i < n; i++)
	{
		if (files[i].born >= version && files[i].ordinal >= 1 && files[i].ordinal <= nactions)
			keep[files[i].ordinal] = false;
	}
	text = lines_of(commit->actions, keep, nactions);
	old = MemoryContextSwitchTo(commit_context(commit));
	part = palloc(sizeof(CommitPart));
	part->left_out = left_out;
	part->actions = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text->data, text->len, NULL)));
	commit->parts = lappend(commit->parts, part);
	MemoryContextSwitchTo(old);
	return part->actions;
}

/* pick_actions(actions, ordinals int[]): these actions alone, as text */
Datum
deltacc_pick_actions(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));
	ArrayType  *ordinals = PG_GETARG_ARRAYTYPE_P(1);
	int			n = ArrayGetNItems(ARR_NDIM(ordinals), ARR_DIMS(ordinals));
	int			nactions = deltacc_actions_count(a);
	const int32 *ordinal = (const int32 *) ARR_DATA_PTR(ordinals);
	bool	   *keep = palloc0(nactions + 1);
	StringInfo	text;

	if (ARR_HASNULL(ordinals))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("ordinals must not hold a NULL")));
	for (int i = 0; i < n; i++)
	{
		if (ordinal[i] >= 1 && ordinal[i] <= nactions)
			keep[ordinal[i]] = true;
	}
	text = lines_of(a, keep, nactions);
	PG_RETURN_TEXT_P(deltacc_utf8_to_text(text->data, text->len));
}
