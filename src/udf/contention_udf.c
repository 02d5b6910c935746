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
#include "delta/path.h"
#include "executor/spi.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "udf/rule_sets.h"
#include "udf/vector_source.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_FUNCTION_INFO_V1(deltacc_pair_verdicts);
PG_FUNCTION_INFO_V1(deltacc_young_files);
PG_FUNCTION_INFO_V1(deltacc_touched_files);
PG_FUNCTION_INFO_V1(deltacc_removed_files);
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
	struct varlena *files_value;
	DeltaActions *files;

	MemoryContext table_context;
	bool		has_table;
	uint8		fingerprint[16];
	DeltaSnapshot table;		/* the last snapshot's protocol, metaData, schema */
} PairState;

static PairState *pair_state(FunctionCallInfo fcinfo);
static void limit_kept(PairState *state);
static KeptCommit *passing_commit(Datum value);
static DeltaActions *last_files(PairState *state, struct varlena *value);
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
		args.files = last_files(state, (struct varlena *) PG_DETOAST_DATUM(PG_GETARG_DATUM(4)));
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

/* The winner's files, which are no stored value: compared in full. */
static DeltaActions *
last_files(PairState *state, struct varlena *value)
{
	Size		size = VARSIZE(value);
	MemoryContext old;

	if (state->files_value && VARSIZE(state->files_value) == size &&
		memcmp(state->files_value, value, size) == 0)
		return state->files;
	state->files_value = NULL;
	MemoryContextReset(state->files_context);
	old = MemoryContextSwitchTo(state->files_context);
	state->files_value = memcpy(palloc(size), value, size);
	state->files = deltacc_actions_open(PointerGetDatum(state->files_value));
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

/* A file that a commit adds or removes; an ordinal of 0: it doesn't. */
typedef struct TouchedFile
{
	DeltaString path;			/* canonical */
	int			added;			/* ordinals of the actions */
	int			removed;
} TouchedFile;

/* Each file once, however its path is spelled. */
static TouchedFile *
touch_files(DeltaActions *a, const char *location, int *ntouched)
{
	int			n;
	const FileAction *files = deltacc_actions_files(a, &n);
	const ActionsColumn *paths = n > 0 ? deltacc_actions_column(a, COLUMN_PATH, "") : NULL;
	DeltaPathSet *seen = deltacc_path_set(location, Max(n, 16));
	TouchedFile *touched = palloc0(sizeof(TouchedFile) * Max(n, 1));

	*ntouched = 0;
	for (int i = 0; i < n; i++)
	{
		DeltaString path;
		bool		absolute;
		int			at = *ntouched;

		if (files[i].kind == ACTION_CDC)
			continue;
		path = deltacc_column_text(paths, i);
		if (deltacc_path_set_add(seen, path, at))
			touched[(*ntouched)++].path = deltacc_path_canonical(path, location, &absolute);
		else
			(void) deltacc_path_set_find(seen, path, &at, NULL);
		if (files[i].kind == ACTION_ADD)
			touched[at].added = files[i].ordinal;
		else
			touched[at].removed = files[i].ordinal;
	}
	return touched;
}

/*
 * touched_files(actions, table_location): one row for each file that a commit
 * adds or removes, known by its canonical path, with the ordinals of its
 * actions.
 */
Datum
deltacc_touched_files(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	char	   *location;
	TouchedFile *touched;
	int			n;

	deltacc_refuse_null(fcinfo, 0, "actions");
	location = deltacc_path_location(deltacc_utf8_argument(fcinfo, 1));
	touched = touch_files(deltacc_actions_open(PG_GETARG_DATUM(0)), location, &n);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3];
		bool		nulls[3] = {false, touched[i].added == 0, touched[i].removed == 0};

		CHECK_FOR_INTERRUPTS();
		values[0] = PointerGetDatum(deltacc_utf8_to_text(touched[i].path.data, touched[i].path.len));
		values[1] = Int32GetDatum(touched[i].added);
		values[2] = Int32GetDatum(touched[i].removed);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* What is known of a path in the log so far; a version of -1: it isn't. */
typedef struct KnownPath
{
	DeltaString path;
	uint32		hash;
	char		status;
	int64		born;			/* added by a commit that didn't remove it */
	int64		added;			/* added last */
	int			ordinal;		/* there */
} KnownPath;

#define SH_PREFIX known_path
#define SH_ELEMENT_TYPE KnownPath
#define SH_KEY_TYPE DeltaString
#define SH_KEY path
#define SH_HASH_KEY(tb, key) hash_bytes((const unsigned char *) (key).data, (key).len)
#define SH_EQUAL(tb, a, b) ((a).len == (b).len && memcmp((a).data, (b).data, (a).len) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

/* The rows of one commit's removes; then what it adds is known. */
static void
removed_by_commit(known_path_hash *known, MemoryContext context, int64 version, DeltaActions *a,
				  const char *location, bool wanted, ReturnSetInfo *rsinfo)
{
	int			n;
	TouchedFile *touched = touch_files(a, location, &n);

	for (int i = 0; i < n; i++)
	{
		KnownPath  *k = known_path_lookup(known, touched[i].path);
		bool		found = k != NULL;

		CHECK_FOR_INTERRUPTS();
		if (touched[i].removed != 0 && wanted)
		{
			Datum		values[7];
			bool		nulls[7] = {false, false, false, touched[i].added == 0, !found || k->born < 0, !found, !found};

			values[0] = Int64GetDatum(version);
			values[1] = PointerGetDatum(deltacc_utf8_to_text(touched[i].path.data, touched[i].path.len));
			values[2] = Int32GetDatum(touched[i].removed);
			values[3] = Int32GetDatum(touched[i].added);
			values[4] = Int64GetDatum(found ? k->born : 0);
			values[5] = Int64GetDatum(found ? k->added : 0);
			values[6] = Int32GetDatum(found ? k->ordinal : 0);
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		}
		if (touched[i].added == 0)
			continue;
		if (!found)
		{
			DeltaString path = {touched[i].path.len, MemoryContextAlloc(context, Max(touched[i].path.len, 1))};

			memcpy(unconstify(char *, path.data), touched[i].path.data, path.len);
			k = known_path_insert(known, path, &found);
			k->born = -1;
		}
		if (touched[i].removed == 0)
			k->born = version;
		k->added = version;
		k->ordinal = touched[i].added;
	}
}

/*
 * removed_files(table_name, from_version, to_version): each file that a commit
 * removes, with the version at which it came to life and the add that added it
 * last.  One pass over the log, in the order of its versions.
 */
Datum
deltacc_removed_files(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	MemoryContext context = CurrentMemoryContext;
	MemoryContext scratch;
	Oid			types[2] = {TEXTOID, INT8OID};
	Datum		arguments[2] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(2)};
	char		nulls[2] = {PG_ARGISNULL(0) ? 'n' : ' ', PG_ARGISNULL(2) ? 'n' : ' '};
	known_path_hash *known = known_path_create(context, 1024, NULL);
	char	   *location = NULL;

	InitMaterializedSRF(fcinfo, 0);
	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT l.version, l.actions, t.location FROM deltacc.tables AS t, deltacc.table_log($1, $2) AS l "
							  "WHERE t.name OPERATOR(pg_catalog.=) $1 ORDER BY l.version",
							  2, types, arguments, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.table_log failed");
	scratch = AllocSetContextCreate(CurrentMemoryContext, "deltacc removed files", ALLOCSET_DEFAULT_SIZES);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple	row = SPI_tuptable->vals[i];
		TupleDesc	desc = SPI_tuptable->tupdesc;
		bool		isnull;
		int64		version = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
		Datum		actions = SPI_getbinval(row, desc, 2, &isnull);
		MemoryContext old;

		if (i == 0)
		{
			Datum		value = SPI_getbinval(row, desc, 3, &isnull);

			if (!isnull)
			{
				text	   *t = DatumGetTextPP(value);
				int			len;
				char	   *utf8 = deltacc_to_utf8(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &len);

				location = deltacc_path_location(pnstrdup(utf8, len));
			}
		}
		old = MemoryContextSwitchTo(scratch);
		removed_by_commit(known, context, version, deltacc_actions_open(actions), location,
						  PG_ARGISNULL(1) || version >= PG_GETARG_INT64(1), rsinfo);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	SPI_finish();
	return (Datum) 0;
}

/* ---------------------------------------------------------------------
 * The young files of all commits, looked up one by one
 * ---------------------------------------------------------------------
 */

typedef struct YoungEntry
{
	int64		version;		/* hash key: must be first */
	ArrayType  *files;
} YoungEntry;

typedef struct YoungFiles
{
	MemoryContext context;
	Datum		arguments[4];	/* for which they were found */
	bool		nulls[4];
	HTAB	   *by_version;
} YoungFiles;

static bool
same_arguments(const YoungFiles *young, FunctionCallInfo fcinfo)
{
	for (int i = 0; i < 4; i++)
	{
		if (young->nulls[i] != PG_ARGISNULL(i))
			return false;
		if (young->nulls[i])
			continue;
		if (i == 0)
		{
			text	   *a = DatumGetTextPP(young->arguments[0]);
			text	   *b = PG_GETARG_TEXT_PP(0);

			if (VARSIZE_ANY_EXHDR(a) != VARSIZE_ANY_EXHDR(b) ||
				memcmp(VARDATA_ANY(a), VARDATA_ANY(b), VARSIZE_ANY_EXHDR(a)) != 0)
				return false;
		}
		else if (young->arguments[i] != PG_GETARG_DATUM(i))
			return false;
	}
	return true;
}

static void
find_young_files(YoungFiles *young, FunctionCallInfo fcinfo)
{
	Oid			types[4] = {TEXTOID, INT8OID, INT8OID, INT4OID};
	char		nulls[4];
	MemoryContext old = MemoryContextSwitchTo(young->context);
	HASHCTL		control = {.keysize = sizeof(int64), .entrysize = sizeof(YoungEntry), .hcxt = young->context};
	HTAB	   *by_version = hash_create("deltacc young files", 256, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);

	for (int i = 0; i < 4; i++)
	{
		young->nulls[i] = PG_ARGISNULL(i);
		nulls[i] = young->nulls[i] ? 'n' : ' ';
		young->arguments[i] = young->nulls[i] ? (Datum) 0 :
			i == 0 ? PointerGetDatum(PG_GETARG_TEXT_P_COPY(0)) : PG_GETARG_DATUM(i);
	}
	MemoryContextSwitchTo(old);

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (SPI_execute_with_args("SELECT version, young FROM deltacc.loser_parts($1, $2, $3, $4)",
							  4, types, young->arguments, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.loser_parts failed");
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool		isnull;
		int64		version = DatumGetInt64(SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		Datum		files = SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 2, &isnull);
		YoungEntry *entry = hash_search(by_version, &version, HASH_ENTER, NULL);

		old = MemoryContextSwitchTo(young->context);
		entry->files = DatumGetArrayTypePCopy(files);
		MemoryContextSwitchTo(old);
	}
	SPI_finish();
	young->by_version = by_version;
}

/*
 * young_files(table_name, from_version, to_version, versions, loser_version):
 * one commit's row of loser_parts().  A join would do the same, but some plans
 * of it would sort or hash all pairs before they are judged, with all that
 * belongs to them.
 */
Datum
deltacc_young_files(PG_FUNCTION_ARGS)
{
	YoungFiles *young = fcinfo->flinfo->fn_extra;
	YoungEntry *entry;
	int64		version;

	if (PG_ARGISNULL(0) || PG_ARGISNULL(3) || PG_ARGISNULL(4))
		PG_RETURN_NULL();
	if (young == NULL)
	{
		young = MemoryContextAllocZero(fcinfo->flinfo->fn_mcxt, sizeof(YoungFiles));
		young->context = AllocSetContextCreate(fcinfo->flinfo->fn_mcxt, "deltacc young files", ALLOCSET_DEFAULT_SIZES);
		fcinfo->flinfo->fn_extra = young;
	}
	if (young->by_version == NULL || !same_arguments(young, fcinfo))
	{
		young->by_version = NULL;
		MemoryContextReset(young->context);
		find_young_files(young, fcinfo);
	}
	version = PG_GETARG_INT64(4);
	entry = hash_search(young->by_version, &version, HASH_FIND, NULL);
	if (entry == NULL)
		PG_RETURN_NULL();
	PG_RETURN_ARRAYTYPE_P(entry->files);
}
