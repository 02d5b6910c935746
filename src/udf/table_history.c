/*-------------------------------------------------------------------------
 *
 * table_history.c
 *	  The log of an ingested table, read once: what was there before a version,
 *	  and since when.
 *
 * Each process of a parallel query reads it for itself, so what takes time is
 * left until somebody asks for it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "catalog/pg_type.h"
#include "delta/path.h"
#include "delta/table_state.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "udf/table_history.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/memutils.h"

/* Rows of the log that are in memory at a time. */
#define BATCH_ROWS 1000

/* States are kept of every so many commits that change it, at first, and as long
 * as they take less than this together. */
#define KEPT_STATE_DISTANCE 64
#define KEPT_STATE_BYTES (16 * 1024 * 1024)

/* A state on the way: where going back begins. */
typedef struct KeptState
{
	int			folded;			/* of that many commits */
	struct varlena *value;
} KeptState;

struct TableHistory
{
	MemoryContext context;
	const char *location;
	HistoryCommit *commits;		/* in the order of their versions */
	int			ncommits;
	int			max_commits;

	/* The fold of the first commits. */
	MemoryContext fold_context;
	TableState *fold;			/* NULL: none yet */
	int			folded;
	int			changes;		/* that the fold has seen since the last kept state */
	MemoryContext value_context;
	struct varlena *value;		/* of the fold; NULL: not made */

	KeptState  *kept;			/* ascending */
	int			nkept;
	int			max_kept;
	Size		kept_bytes;
	int			kept_distance;
};

/* ---------------------------------------------------------------------
 * Reading the log, from its end to its beginning
 *
 * So only files that some commit removes have to be remembered, and only until
 * the commit is seen that brought them to life.
 * ---------------------------------------------------------------------
 */

#define NONE (-1)

/* A removed file of which something isn't known yet. */
typedef struct Pending
{
	RemovedFile *file;
	int			next_to_add;	/* that waits for the path's last add; or NONE */
	int			next_to_bear;	/* ... for its birth; or NONE */
} Pending;

/* A path that later commits remove. */
typedef struct RemovedPath
{
	int			to_add;			/* Pending: waits for its last add; or NONE */
	int			to_bear;		/* ... for its birth; or NONE */

	/* what the commit at hand does with it; ordinals of 0: it doesn't */
	int			touched_in;
	int32		adds;
	int32		removes;
	DeltaString text;			/* as it is spelled there, in the commit's memory */
} RemovedPath;

/* An array of elements that come and go. */
typedef struct Pool
{
	void	   *elements;
	int			used;			/* ever */
	int			max;
	int		   *unused;			/* of these, free again */
	int			nunused;
	int			max_unused;
} Pool;

typedef struct LogReader
{
	TableHistory *history;
	MemoryContext context;		/* gone when the log is read */
	DeltaPathSet *set;			/* number: index in paths */
	const char *location;		/* canonical */
	Pool		paths;			/* of RemovedPath */
	Pool		pending;		/* of Pending */
	int		   *touched;		/* by the commit at hand: indexes in paths */
	int			ntouched;
	int			max_touched;
	int64		from_version;
	bool		with_paths;
} LogReader;

#define PATH(reader, i)		(&((RemovedPath *) (reader)->paths.elements)[i])
#define PENDING(reader, i)	(&((Pending *) (reader)->pending.elements)[i])

/* Makes room for one more element. */
static void *
make_room(void *elements, int used, int *max, Size size)
{
	if (used < *max)
		return elements;
	*max *= 2;
	return repalloc_huge(elements, *max * size);
}

static void
start_pool(Pool *pool, Size size)
{
	pool->max = pool->max_unused = 64;
	pool->elements = palloc(pool->max * size);
	pool->unused = palloc(pool->max_unused * sizeof(int));
}

static int
take(Pool *pool, Size size)
{
	if (pool->nunused > 0)
		return pool->unused[--pool->nunused];
	pool->elements = make_room(pool->elements, pool->used, &pool->max, size);
	return pool->used++;
}

static void
give_back(Pool *pool, int i)
{
	pool->unused = make_room(pool->unused, pool->nunused, &pool->max_unused, sizeof(int));
	pool->unused[pool->nunused++] = i;
}

/* The path of a remove. */
static int
enter_path(LogReader *reader, DeltaString path)
{
	int			candidate = take(&reader->paths, sizeof(RemovedPath));
	bool		added;
	int			i = deltacc_path_set_enter(reader->set, path, candidate, &added);

	if (added)
		*PATH(reader, i) = (RemovedPath) {.to_add = NONE,.to_bear = NONE,.touched_in = NONE};
	else
		give_back(&reader->paths, candidate);
	return i;
}

static void
touch(LogReader *reader, int i, int commit, DeltaString text, const FileAction *file)
{
	RemovedPath *path = PATH(reader, i);

	if (path->touched_in != commit)
	{
		path->touched_in = commit;
		path->text = text;
		path->adds = path->removes = 0;
		reader->touched = make_room(reader->touched, reader->ntouched, &reader->max_touched, sizeof(int));
		reader->touched[reader->ntouched++] = i;
	}
	if (file->kind == ACTION_ADD)
		path->adds = file->ordinal;
	else
		path->removes = file->ordinal;
}

/*
 * Which files the commit removes, and which of those that later ones remove it
 * adds: each once, however it is spelled.
 */
static void
touch_files(LogReader *reader, DeltaActions *a, int64 version, int commit)
{
	bool		enters = version >= reader->from_version;
	uint32		flags = deltacc_actions_flags(a);
	const FileAction *files;
	const ActionsColumn *paths;
	int			n;

	reader->ntouched = 0;
	if (deltacc_path_set_count(reader->set) == 0 && !(enters && (flags & ACTIONS_HAS_REMOVE)))
		return;
	files = deltacc_actions_files(a, &n);
	paths = n > 0 ? deltacc_actions_column(a, COLUMN_PATH, "") : NULL;
	/* the removes first, so that the adds find them */
	for (int round = 0; round < 2; round++)
	{
		ActionKind	kind = round == 0 ? ACTION_REMOVE : ACTION_ADD;

		if (!(flags & (round == 0 ? ACTIONS_HAS_REMOVE : ACTIONS_HAS_ADD)))
			continue;
		for (int f = 0; f < n; f++)
		{
			DeltaString text;
			int			i;

			CHECK_FOR_INTERRUPTS();
			if (files[f].kind != kind)
				continue;
			text = deltacc_column_text(paths, f);
			if (enters && kind == ACTION_REMOVE)
				i = enter_path(reader, text);
			else if (!deltacc_path_set_find(reader->set, text, &i, NULL))
				continue;
			touch(reader, i, commit, text, &files[f]);
		}
	}
}

/* What those who wait for it get to know of a path that the commit adds. */
static void
tell_pending(LogReader *reader, RemovedPath *path, int64 version, int commit)
{
	for (int i = path->to_add; i != NONE; i = PENDING(reader, i)->next_to_add)
	{
		PENDING(reader, i)->file->added_in = commit;
		PENDING(reader, i)->file->added_ordinal = path->adds;
	}
	path->to_add = NONE;
	if (path->removes != 0)
		return;
	for (int i = path->to_bear; i != NONE; i = PENDING(reader, i)->next_to_bear)
	{
		PENDING(reader, i)->file->born = version;
		give_back(&reader->pending, i);
	}
	path->to_bear = NONE;
}

/* A file that the commit removes, of which nothing else is known yet. */
static void
note_removed(LogReader *reader, RemovedPath *path, HistoryCommit *commit)
{
	RemovedFile *file = &commit->removed[commit->nremoved];
	int			i = take(&reader->pending, sizeof(Pending));

	*file = (RemovedFile) {.remove_ordinal = path->removes,.readd_ordinal = path->adds,.added_in = NONE,.born = -1};
	*PENDING(reader, i) = (Pending) {.file = file,.next_to_add = path->to_add,.next_to_bear = path->to_bear};
	path->to_add = path->to_bear = i;
	if (reader->with_paths)
	{
		bool		absolute;
		DeltaString canonical = deltacc_path_canonical(path->text, reader->location, &absolute);
		char	   *copy = MemoryContextAlloc(reader->history->context, Max(canonical.len, 1));

		commit->paths[commit->nremoved] = (DeltaString) {canonical.len, memcpy(copy, canonical.data, canonical.len)};
	}
	commit->nremoved++;
}

/* What the commit at hand means for the paths that it touches. */
static void
settle_touched(LogReader *reader, HistoryCommit *commit, int index)
{
	MemoryContext context = reader->history->context;
	int			nremoved = 0;

	for (int t = 0; t < reader->ntouched; t++)
		nremoved += PATH(reader, reader->touched[t])->removes != 0;
	if (nremoved > 0 && commit->version >= reader->from_version)
	{
		commit->removed = MemoryContextAllocHuge(context, nremoved * sizeof(RemovedFile));
		if (reader->with_paths)
			commit->paths = MemoryContextAllocHuge(context, nremoved * sizeof(DeltaString));
	}
	for (int t = 0; t < reader->ntouched; t++)
	{
		int			i = reader->touched[t];
		RemovedPath *path = PATH(reader, i);

		if (path->adds != 0)
			tell_pending(reader, path, commit->version, index);
		if (path->removes != 0 && commit->removed != NULL)
			note_removed(reader, path, commit);
		/* all is known of it */
		if (path->to_bear == NONE && deltacc_path_set_remove(reader->set, path->text, i))
			give_back(&reader->paths, i);
	}
}

static void
read_commit(LogReader *reader, int64 version, Datum value)
{
	TableHistory *history = reader->history;
	DeltaActions *a = deltacc_actions_open(value);
	MemoryContext old = MemoryContextSwitchTo(history->context);
	HistoryCommit *commit;
	int			index = history->ncommits;

	history->commits = make_room(history->commits, index, &history->max_commits, sizeof(HistoryCommit));
	history->ncommits++;
	commit = &history->commits[index];
	memset(commit, 0, sizeof(*commit));
	commit->version = version;
	commit->actions = datumCopy(value, false, -1);
	commit->changes_state = deltacc_changes_state(a);
	MemoryContextSwitchTo(old);

	touch_files(reader, a, version, index);
	settle_touched(reader, commit, index);
}

/* Sets up what needs the table's location. */
static void
start_reading(LogReader *reader, text *location)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);

	if (location != NULL)
	{
		reader->history->location = deltacc_text_to_utf8(PointerGetDatum(location), reader->history->context);
		reader->location = deltacc_path_location(reader->history->location);
	}
	reader->set = deltacc_path_set(reader->location, 1024);
	start_pool(&reader->paths, sizeof(RemovedPath));
	start_pool(&reader->pending, sizeof(Pending));
	reader->max_touched = 64;
	reader->touched = palloc(reader->max_touched * sizeof(int));
	MemoryContextSwitchTo(old);
}

/*
 * Commits from the newest one on: version, actions, the state that is kept of that
 * version.  Where nothing is looked for any more, the state stands for all commits
 * up to its own.  Returns whether one does.
 */
static bool
read_rows(LogReader *reader, Portal portal)
{
	MemoryContext scratch = AllocSetContextCreate(CurrentMemoryContext, "deltacc commit", ALLOCSET_DEFAULT_SIZES);
	bool		complete = false;

	while (!complete)
	{
		SPI_cursor_fetch(portal, true, BATCH_ROWS);
		if (SPI_processed == 0)
			break;
		for (uint64 i = 0; i < SPI_processed && !complete; i++)
		{
			HeapTuple	row = SPI_tuptable->vals[i];
			TupleDesc	desc = SPI_tuptable->tupdesc;
			MemoryContext old;
			bool		isnull;
			int64		version = DatumGetInt64(SPI_getbinval(row, desc, 1, &isnull));
			Datum		actions = SPI_getbinval(row, desc, 2, &isnull);
			Datum		state = SPI_getbinval(row, desc, 3, &isnull);

			complete = !isnull && version < reader->from_version && deltacc_path_set_count(reader->set) == 0;
			old = MemoryContextSwitchTo(scratch);
			read_commit(reader, version, complete ? state : actions);
			MemoryContextSwitchTo(old);
			MemoryContextReset(scratch);
		}
		SPI_freetuptable(SPI_tuptable);
	}
	return complete;
}

/* Reads the table's row, its commits, and the state that the log begins with. */
static void
read_log(LogReader *reader, text *table_name, const int64 *to_version)
{
	Oid			types[3] = {TEXTOID, INT8OID, INT8OID};
	Datum		arguments[3] = {PointerGetDatum(table_name), Int64GetDatum(to_version ? *to_version : 0)};
	char		nulls[3] = {' ', to_version ? ' ' : 'n', ' '};
	SPITupleTable *table;
	Portal		portal;
	Datum		base;
	bool		no_base;
	Datum		location;
	bool		isnull;

	if (SPI_execute_with_args("SELECT t.location, t.table_id, s.version, s.state "
							  "FROM deltacc.tables AS t "
							  "LEFT JOIN deltacc.snapshots AS s ON s.table_id OPERATOR(pg_catalog.=) t.table_id "
							  "AND s.version OPERATOR(pg_catalog.=) deltacc.log_base(t.table_id, $2) "
							  "WHERE t.name OPERATOR(pg_catalog.=) $1",
							  2, types, arguments, nulls, true, 0) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.tables failed");
	if (SPI_processed == 0)
		ereport(ERROR,
				(errcode(ERRCODE_UNDEFINED_OBJECT),
				 errmsg("table \"%s\" is not in deltacc.tables", text_to_cstring(table_name)),
				 errhint("deltacc.ingest() enters a table and its commits.")));
	table = SPI_tuptable;
	location = SPI_getbinval(table->vals[0], table->tupdesc, 1, &isnull);
	start_reading(reader, isnull ? NULL : DatumGetTextPP(location));

	types[0] = INT8OID;
	arguments[0] = SPI_getbinval(table->vals[0], table->tupdesc, 2, &isnull);
	base = SPI_getbinval(table->vals[0], table->tupdesc, 3, &no_base);
	arguments[2] = no_base ? Int64GetDatum(-1) : base;
	portal = SPI_cursor_open_with_args(NULL,
									   "SELECT c.version, c.actions, s.state "
									   "FROM deltacc.commits AS c LEFT JOIN deltacc.snapshots AS s "
									   "ON s.table_id OPERATOR(pg_catalog.=) c.table_id AND s.version OPERATOR(pg_catalog.=) c.version "
									   "WHERE c.table_id OPERATOR(pg_catalog.=) $1 AND c.version OPERATOR(pg_catalog.>) $3 "
									   "AND ($2 IS NULL OR c.version OPERATOR(pg_catalog.<=) $2) ORDER BY c.version DESC",
									   3, types, arguments, nulls, true, 0);
	if (!read_rows(reader, portal) && !no_base)
		read_commit(reader, DatumGetInt64(base), SPI_getbinval(table->vals[0], table->tupdesc, 4, &isnull));
	SPI_cursor_close(portal);
}

/* From the order in which the log was read to that of the versions. */
static void
turn_round(TableHistory *history)
{
	int			n = history->ncommits;

	for (int i = 0; i < n / 2; i++)
	{
		HistoryCommit swap = history->commits[i];

		history->commits[i] = history->commits[n - 1 - i];
		history->commits[n - 1 - i] = swap;
	}
	for (int i = 0; i < n; i++)
	{
		HistoryCommit *commit = &history->commits[i];

		CHECK_FOR_INTERRUPTS();
		for (int f = 0; f < commit->nremoved; f++)
		{
			if (commit->removed[f].added_in != NONE)
				commit->removed[f].added_in = n - 1 - commit->removed[f].added_in;
		}
	}
}

TableHistory *
deltacc_history_read(text *table_name, int64 from_version, const int64 *to_version, bool with_paths)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "deltacc history", ALLOCSET_DEFAULT_SIZES);
	TableHistory *history = MemoryContextAllocZero(context, sizeof(TableHistory));
	LogReader	reader = {.history = history,.from_version = from_version,.with_paths = with_paths};

	history->context = context;
	history->max_commits = 64;
	history->commits = MemoryContextAlloc(context, history->max_commits * sizeof(HistoryCommit));
	history->fold_context = AllocSetContextCreate(context, "deltacc fold", ALLOCSET_DEFAULT_SIZES);
	history->value_context = AllocSetContextCreate(context, "deltacc state", ALLOCSET_DEFAULT_SIZES);
	history->kept_distance = KEPT_STATE_DISTANCE;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	reader.context = AllocSetContextCreate(CurrentMemoryContext, "deltacc log reader", ALLOCSET_DEFAULT_SIZES);
	read_log(&reader, table_name, to_version);
	SPI_finish();
	turn_round(history);
	return history;
}

void
deltacc_history_free(TableHistory *history)
{
	MemoryContextDelete(history->context);
}

/* ---------------------------------------------------------------------
 * What it tells
 * ---------------------------------------------------------------------
 */

Size
deltacc_history_size(const TableHistory *history)
{
	return MemoryContextMemAllocated(history->context, true);
}

const char *
deltacc_history_location(const TableHistory *history)
{
	return history->location;
}

const HistoryCommit *
deltacc_history_commits(const TableHistory *history, int *n)
{
	*n = history->ncommits;
	return history->commits;
}

const HistoryCommit *
deltacc_history_commit(const TableHistory *history, int64 version)
{
	int			low = 0;
	int			high = history->ncommits;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;

		if (history->commits[middle].version < version)
			low = middle + 1;
		else
			high = middle;
	}
	return low < history->ncommits && history->commits[low].version == version ? &history->commits[low] : NULL;
}

const HistoryCommit *
deltacc_history_added_in(const TableHistory *history, const RemovedFile *file)
{
	Assert(file->added_in >= 0);
	return &history->commits[file->added_in];
}

/* By commit, then by place in it. */
static int
compare_adds(const void *a, const void *b)
{
	const RemovedFile *left = *(RemovedFile *const *) a;
	const RemovedFile *right = *(RemovedFile *const *) b;

	if (left->added_in != right->added_in)
		return left->added_in < right->added_in ? -1 : 1;
	return left->added_ordinal < right->added_ordinal ? -1 : left->added_ordinal > right->added_ordinal;
}

StringInfo
deltacc_history_adds(const TableHistory *history, const HistoryCommit *commit)
{
	StringInfo	text = makeStringInfo();
	const RemovedFile **known = palloc(Max(commit->nremoved, 1) * sizeof(RemovedFile *));
	int32	   *ordinals = palloc(Max(commit->nremoved, 1) * sizeof(int32));
	int			nknown = 0;

	for (int i = 0; i < commit->nremoved; i++)
	{
		if (commit->removed[i].added_in >= 0)
			known[nknown++] = &commit->removed[i];
	}
	qsort(known, nknown, sizeof(RemovedFile *), compare_adds);
	for (int i = 0; i < nknown;)
	{
		int			added_in = known[i]->added_in;
		int			n = 0;

		while (i < nknown && known[i]->added_in == added_in)
			ordinals[n++] = known[i++]->added_ordinal;
		deltacc_actions_pick(deltacc_actions_open(history->commits[added_in].actions), ordinals, n, text);
	}
	return text;
}

int
deltacc_history_count_young(const HistoryCommit *commit, int64 version)
{
	int			n = 0;

	for (int i = 0; i < commit->nremoved; i++)
	{
		if (commit->removed[i].born >= version)
			n += commit->removed[i].readd_ordinal != 0 ? 2 : 1;
	}
	return n;
}

static int
compare_ordinals(const void *a, const void *b)
{
	const int32 left = *(const int32 *) a;
	const int32 right = *(const int32 *) b;

	return left < right ? -1 : left > right;
}

int32 *
deltacc_history_young(const HistoryCommit *commit, int64 version, int *n)
{
	int32	   *ordinals = palloc(2 * Max(commit->nremoved, 1) * sizeof(int32));

	*n = 0;
	for (int i = 0; i < commit->nremoved; i++)
	{
		const RemovedFile *file = &commit->removed[i];

		if (file->born < version)
			continue;
		ordinals[(*n)++] = file->remove_ordinal;
		if (file->readd_ordinal != 0)
			ordinals[(*n)++] = file->readd_ordinal;
	}
	qsort(ordinals, *n, sizeof(int32), compare_ordinals);
	return ordinals;
}

/* ---------------------------------------------------------------------
 * States
 * ---------------------------------------------------------------------
 */

/* The fold begins again at the last kept state of no more than so many commits. */
static void
go_back(TableHistory *history, int folded)
{
	int			i = history->nkept - 1;

	while (i >= 0 && history->kept[i].folded > folded)
		i--;
	history->fold = NULL;
	history->value = NULL;
	MemoryContextReset(history->fold_context);
	history->fold = deltacc_state_create(history->fold_context, false);
	history->folded = 0;
	history->changes = 0;
	if (i >= 0)
	{
		const KeptState *kept = &history->kept[i];

		deltacc_state_add(history->fold, history->commits[kept->folded - 1].version,
						  deltacc_actions_open(PointerGetDatum(kept->value)));
		history->folded = kept->folded;
	}
}

/* Keeps the state as it is, and only each second one if they have become many. */
static void
keep_state(TableHistory *history)
{
	MemoryContext old = MemoryContextSwitchTo(history->context);
	KeptState	state = {.folded = history->folded};

	if (history->kept == NULL)
		history->kept = palloc((history->max_kept = 16) * sizeof(KeptState));
	else if (history->nkept == history->max_kept)
		history->kept = repalloc(history->kept, (history->max_kept *= 2) * sizeof(KeptState));
	state.value = deltacc_state_finish(history->fold);
	history->kept[history->nkept++] = state;
	history->kept_bytes += VARSIZE(state.value);
	if (history->kept_bytes > KEPT_STATE_BYTES)
	{
		int			n = 0;

		history->kept_distance *= 2;
		history->kept_bytes = 0;
		for (int i = 0; i < history->nkept; i++)
		{
			if (i % 2 == 0)
				pfree(history->kept[i].value);
			else
			{
				history->kept_bytes += VARSIZE(history->kept[i].value);
				history->kept[n++] = history->kept[i];
			}
		}
		history->nkept = n;
	}
	MemoryContextSwitchTo(old);
}

/* Adds the next commit to the fold. */
static void
fold_next(TableHistory *history)
{
	const HistoryCommit *commit = &history->commits[history->folded];

	CHECK_FOR_INTERRUPTS();
	/* Who knows what a missing version has changed: the fold refuses to tell. */
	if (history->folded > 0 && commit[-1].version != commit->version - 1)
		history->value = NULL;
	if (!commit->changes_state)
		deltacc_state_pass(history->fold, commit->version);
	else
	{
		deltacc_state_add(history->fold, commit->version, deltacc_actions_open(commit->actions));
		history->value = NULL;
		history->changes++;
	}
	history->folded++;
	if (history->changes >= history->kept_distance)
	{
		history->changes = 0;
		if (history->nkept == 0 || history->kept[history->nkept - 1].folded < history->folded)
			keep_state(history);
	}
}

struct varlena *
deltacc_history_state(TableHistory *history, const HistoryCommit *commit)
{
	int			wanted = commit - history->commits;
	MemoryContext scratch;
	MemoryContext old;

	/* of the commits before it */
	if (wanted == 0 || commit[-1].version != commit->version - 1)
		return NULL;
	if (history->fold == NULL || history->folded > wanted)
		go_back(history, wanted);
	scratch = AllocSetContextCreate(CurrentMemoryContext, "deltacc commits", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scratch);
	while (history->folded < wanted)
	{
		fold_next(history);
		MemoryContextReset(scratch);
	}
	if (history->value == NULL)
	{
		MemoryContextSwitchTo(history->value_context);
		MemoryContextReset(history->value_context);
		history->value = deltacc_state_finish(history->fold);
	}
	MemoryContextSwitchTo(old);
	MemoryContextDelete(scratch);
	return history->value;
}
