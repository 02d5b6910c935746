/*-------------------------------------------------------------------------
 *
 * table_state.c
 *	  The fold of commits into a table's state, with or without its files.
 *
 * What is remembered is one entry per key, whatever the key is: the protocol,
 * the metaData, an appId, a domain, a file.  The entry holds the line that
 * said so last, as it stood in its commit, or no line where the last word was
 * that the thing is gone; such an entry has to stay, since an older commit may
 * still come.  Newer means a higher version, inside one commit a later action
 * (as Delta's InMemoryLogReplay).
 *
 * Which versions were seen can only be judged at the end, so they are kept as
 * ranges; commits that come in order are one range.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "common/hashfn.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "base/compat.h"
#include "base/json_scan.h"
#include "delta/path.h"
#include "delta/table_state.h"

typedef struct StateKey
{
	const char *data;
	int32		len;
} StateKey;

typedef struct StateEntry
{
	StateKey	key;
	uint32		hash;
	char		status;			/* of simplehash */
	uint8		kind;			/* ActionKind; ACTION_ADD for any file */
	int32		ordinal;		/* of the action in its commit */
	int64		version;
	char	   *line;			/* NULL: removed */
	int32		line_length;
} StateEntry;

#define SH_PREFIX entries
#define SH_ELEMENT_TYPE StateEntry
#define SH_KEY_TYPE StateKey
#define SH_KEY key
#define SH_HASH_KEY(tb, k) hash_bytes((const unsigned char *) (k).data, (k).len)
#define SH_EQUAL(tb, a, b) ((a).len == (b).len && memcmp((a).data, (b).data, (a).len) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

typedef struct VersionRange
{
	int64		first;
	int64		last;
} VersionRange;

struct TableState
{
	MemoryContext cxt;
	bool		with_files;
	entries_hash *entries;
	VersionRange *ranges;		/* as they came, neither sorted nor merged */
	int			nranges;
	int			max_ranges;
};

/* The name of an action's key in its line; NULL for what is none of Delta's. */
static const char *const action_names[] = {
	[ACTION_ADD] = "add",
	[ACTION_REMOVE] = "remove",
	[ACTION_CDC] = "cdc",
	[ACTION_COMMIT_INFO] = "commitInfo",
	[ACTION_PROTOCOL] = "protocol",
	[ACTION_METADATA] = "metaData",
	[ACTION_TXN] = "txn",
	[ACTION_DOMAIN_METADATA] = "domainMetadata",
	[ACTION_TABLE_STATE] = "tableState",
	[ACTION_OTHER] = NULL,
};

static void add_range(TableState *state, int64 first, int64 last);
static void add_others(TableState *state, int64 version, DeltaActions *actions);
static void add_files(TableState *state, int64 version, DeltaActions *actions);
static bool line_is_shared(const FileAction *files, int nfiles, int i,
						   const OtherAction *others, int nothers, int *next_other);
static bool find_action(const char *line, int len, ActionKind kind, JsonSlice *action);
static void identity_key(StringInfo key, const JsonSlice *action, const char *field);
static bool is_newer(const TableState *state, StateKey key, int64 version, int32 ordinal);
static void put(TableState *state, StateKey key, ActionKind kind, int64 version, int32 ordinal,
				const char *line, int len);
static void put_action(TableState *state, StateKey key, ActionKind kind, int64 version, int32 ordinal,
					   const JsonSlice *action);
static bool says_no_files(DeltaActions *actions);
static VersionRange check_versions(const TableState *state);
static StateEntry **live_entries(const TableState *state, int64 *count, int64 *size);
static void check_size(const TableState *state, int64 size);
static void advise_live_files(void *arg);

TableState *
deltacc_state_create(MemoryContext cxt, bool with_files)
{
	TableState *state = MemoryContextAllocZero(cxt, sizeof(TableState));

	state->cxt = cxt;
	state->with_files = with_files;
	state->entries = entries_create(cxt, 8, NULL);
	state->max_ranges = 4;
	state->ranges = MemoryContextAlloc(cxt, state->max_ranges * sizeof(VersionRange));
	return state;
}

bool
deltacc_state_with_files(const TableState *state)
{
	return state->with_files;
}

void
deltacc_state_add(TableState *state, int64 version, DeltaActions *actions)
{
	int64		state_version = deltacc_actions_version(actions);

	if (version < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("a version must not be negative, but is " INT64_FORMAT, version)));
	if (state_version >= 0 && state_version != version)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table state of version " INT64_FORMAT " is given as version " INT64_FORMAT,
						state_version, version),
				 errhint("A table state stands for all commits up to its own version; give it under that version.")));

	/*
	 * A state that table_state() made has no files.  So has one of a table
	 * that is empty, which says so: a list that lacks files must not pass for a
	 * complete one.
	 */
	if (state_version >= 0 && state->with_files && !(deltacc_actions_flags(actions) & ACTIONS_HAS_ADD) &&
		!says_no_files(actions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table state of version " INT64_FORMAT " holds no files", state_version),
				 errdetail("The files that are live at a version can't be found from a state that lacks them."),
				 errhint("Give a state that reconcile() made of a table with files, or the commits themselves.")));

	add_range(state, state_version >= 0 ? 0 : version, version);
	if (deltacc_changes_state(actions))
		add_others(state, version, actions);
	if (state->with_files)
		add_files(state, version, actions);
}

bool
deltacc_changes_state(DeltaActions *actions)
{
	return deltacc_actions_version(actions) >= 0 ||
		(deltacc_actions_flags(actions) &
		 (ACTIONS_HAS_PROTOCOL | ACTIONS_HAS_METADATA | ACTIONS_HAS_TXN | ACTIONS_HAS_DOMAIN)) != 0;
}

void
deltacc_state_pass(TableState *state, int64 version)
{
	Assert(!state->with_files && version >= 0);
	add_range(state, version, version);
}

/* Does a state know that its table is empty? */
static bool
says_no_files(DeltaActions *actions)
{
	const OtherAction *mark = deltacc_actions_first(actions, ACTION_TABLE_STATE);
	JsonSlice	object;
	JsonSlice	member;
	int64		n;

	return mark &&
		find_action(deltacc_actions_line(actions, mark->line_offset, mark->line_length), mark->line_length,
					ACTION_TABLE_STATE, &object) &&
		deltacc_json_member(&object, "numFiles", &member) &&
		deltacc_json_int64(&member, &n) && n == 0;
}

void
deltacc_state_combine(TableState *state, const TableState *other)
{
	entries_iterator it;
	StateEntry *entry;

	Assert(state->with_files == other->with_files);
	for (int i = 0; i < other->nranges; i++)
		add_range(state, other->ranges[i].first, other->ranges[i].last);

	entries_start_iterate(other->entries, &it);
	while ((entry = entries_iterate(other->entries, &it)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		if (is_newer(state, entry->key, entry->version, entry->ordinal))
			put(state, entry->key, entry->kind, entry->version, entry->ordinal,
				entry->line, entry->line_length);
	}
}

struct varlena *
deltacc_state_finish(const TableState *state)
{
	VersionRange seen = check_versions(state);
	StateEntry **live;
	int64		count;
	int64		size;
	bool		has_files = false;
	StringInfoData text;
	struct varlena *result;
	ErrorContextCallback context;

	live = live_entries(state, &count, &size);
	check_size(state, size);
	for (int64 i = 0; i < count && !has_files; i++)
		has_files = live[i]->kind == ACTION_ADD;

	initStringInfo(&text);
	enlargeStringInfo(&text, (int) size + 64);
	appendStringInfo(&text, "{\"tableState\":{\"version\":" INT64_FORMAT "%s}}\n", seen.last,
					 state->with_files && !has_files ? ",\"numFiles\":0" : "");
	for (int64 i = 0; i < count; i++)
	{
		CHECK_FOR_INTERRUPTS();
		appendBinaryStringInfo(&text, live[i]->line, live[i]->line_length);
		appendStringInfoChar(&text, '\n');
	}
	pfree(live);

	/* With its index the value may be too large though its text isn't. */
	context.callback = advise_live_files;
	context.arg = unconstify(TableState *, state);
	context.previous = error_context_stack;
	error_context_stack = &context;
	result = deltacc_actions_parse(text.data, text.len, NULL);
	error_context_stack = context.previous;

	pfree(text.data);
	return result;
}

void
deltacc_state_serialize(const TableState *state, StringInfo out)
{
	entries_iterator it;
	StateEntry *entry;
	int64		size = 0;

	entries_start_iterate(state->entries, &it);
	while ((entry = entries_iterate(state->entries, &it)) != NULL)
		size += 32 + (int64) entry->key.len + entry->line_length;
	check_size(state, size + state->nranges * (int64) sizeof(VersionRange));

	pq_sendbyte(out, state->with_files);
	pq_sendint32(out, state->nranges);
	for (int i = 0; i < state->nranges; i++)
	{
		pq_sendint64(out, state->ranges[i].first);
		pq_sendint64(out, state->ranges[i].last);
	}
	pq_sendint32(out, state->entries->members);
	entries_start_iterate(state->entries, &it);
	while ((entry = entries_iterate(state->entries, &it)) != NULL)
	{
		CHECK_FOR_INTERRUPTS();
		pq_sendbyte(out, entry->kind);
		pq_sendint64(out, entry->version);
		pq_sendint32(out, entry->ordinal);
		pq_sendint32(out, entry->key.len);
		pq_sendbytes(out, entry->key.data, entry->key.len);
		pq_sendint32(out, entry->line ? entry->line_length : -1);
		if (entry->line)
			pq_sendbytes(out, entry->line, entry->line_length);
	}
}

TableState *
deltacc_state_deserialize(MemoryContext cxt, StringInfo in)
{
	TableState *state = deltacc_state_create(cxt, pq_getmsgbyte(in) != 0);
	uint32		n = pq_getmsgint(in, 4);

	for (uint32 i = 0; i < n; i++)
	{
		int64		first = pq_getmsgint64(in);
		int64		last = pq_getmsgint64(in);

		add_range(state, first, last);
	}
	n = pq_getmsgint(in, 4);
	for (uint32 i = 0; i < n; i++)
	{
		ActionKind	kind = pq_getmsgbyte(in);
		int64		version = pq_getmsgint64(in);
		int32		ordinal = pq_getmsgint(in, 4);
		StateKey	key;
		const char *line = NULL;
		int32		len;

		CHECK_FOR_INTERRUPTS();
		key.len = pq_getmsgint(in, 4);
		key.data = pq_getmsgbytes(in, key.len);
		len = pq_getmsgint(in, 4);
		if (len >= 0)
			line = pq_getmsgbytes(in, len);
		put(state, key, kind, version, ordinal, line, len);
	}
	pq_getmsgend(in);
	return state;
}

/* Remembers versions, the common case being the next one or the one before. */
static void
add_range(TableState *state, int64 first, int64 last)
{
	if (state->nranges > 0)
	{
		VersionRange *newest = &state->ranges[state->nranges - 1];

		if (first > 0 && newest->last == first - 1)
		{
			newest->last = last;
			return;
		}
		if (last < PG_INT64_MAX && newest->first == last + 1)
		{
			newest->first = first;
			return;
		}
	}
	if (state->nranges == state->max_ranges)
	{
		if (state->max_ranges > INT_MAX / 2)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("too many versions in no order")));
		state->max_ranges *= 2;
		state->ranges = repalloc(state->ranges, state->max_ranges * sizeof(VersionRange));
	}
	state->ranges[state->nranges].first = first;
	state->ranges[state->nranges].last = last;
	state->nranges++;
}

/* Protocol, metaData, appIds, domains. */
static void
add_others(TableState *state, int64 version, DeltaActions *actions)
{
	int			n;
	const OtherAction *others = deltacc_actions_others(actions, &n);
	StringInfoData key;

	initStringInfo(&key);
	for (int i = 0; i < n; i++)
	{
		const OtherAction *other = &others[i];
		ActionKind	kind = other->kind;
		StateKey	state_key;
		JsonSlice	action;
		JsonSlice	removed;
		char	   *line;
		bool		alone;

		CHECK_FOR_INTERRUPTS();
		if (kind != ACTION_PROTOCOL && kind != ACTION_METADATA &&
			kind != ACTION_TXN && kind != ACTION_DOMAIN_METADATA)
			continue;

		resetStringInfo(&key);
		appendStringInfoChar(&key, (char) kind);
		if (kind == ACTION_PROTOCOL || kind == ACTION_METADATA)
		{
			/* No need to fetch a line that is out of date already. */
			state_key = (StateKey) {key.data, key.len};
			if (!is_newer(state, state_key, version, other->ordinal))
				continue;
		}

		line = deltacc_actions_line(actions, other->line_offset, other->line_length);
		alone = find_action(line, other->line_length, kind, &action);
		if (kind == ACTION_TXN)
			identity_key(&key, &action, "appId");
		else if (kind == ACTION_DOMAIN_METADATA)
			identity_key(&key, &action, "domain");
		state_key = (StateKey) {key.data, key.len};

		if (!is_newer(state, state_key, version, other->ordinal))
			 /* out of date */ ;
		else if (kind == ACTION_DOMAIN_METADATA &&
				 deltacc_json_member(&action, "removed", &removed) && removed.kind == JSON_TRUE)
			put(state, state_key, kind, version, other->ordinal, NULL, 0);
		else if (alone)
			put(state, state_key, kind, version, other->ordinal, line, other->line_length);
		else
			put_action(state, state_key, kind, version, other->ordinal, &action);
		pfree(line);
	}
	pfree(key.data);
}

/*
 * Adds and removes, by path and deletion vector.  Where the table lies is not
 * known here, so an absolute path and a relative one are two files.
 */
static void
add_files(TableState *state, int64 version, DeltaActions *actions)
{
	int			nfiles;
	int			nothers;
	int			next_other = 0;
	const FileAction *files = deltacc_actions_files(actions, &nfiles);
	const OtherAction *others = deltacc_actions_others(actions, &nothers);
	const ActionsColumn *paths = deltacc_actions_column(actions, COLUMN_PATH, "");
	const ActionsColumn *dv_ids = deltacc_actions_column(actions, COLUMN_DV_ID, "");
	const char *text = NULL;
	int			text_len = 0;
	StringInfoData key;

	initStringInfo(&key);
	for (int i = 0; i < nfiles; i++)
	{
		const FileAction *file = &files[i];
		DeltaString path;
		StateKey	state_key;
		bool		absolute;
		bool		shared;

		CHECK_FOR_INTERRUPTS();
		shared = line_is_shared(files, nfiles, i, others, nothers, &next_other);
		if (file->kind == ACTION_CDC)
			continue;
		if (paths == NULL || paths->kinds[i] != TOKEN_STRING)
			elog(ERROR, "file action %d has no path", file->ordinal);

		/* The path's length comes first, so that no two keys run together. */
		path = deltacc_path_canonical(deltacc_column_text(paths, i), NULL, &absolute);
		resetStringInfo(&key);
		appendStringInfoChar(&key, (char) ACTION_ADD);
		appendBinaryStringInfo(&key, (const char *) &path.len, sizeof(path.len));
		appendBinaryStringInfo(&key, path.data, path.len);
		if (dv_ids && dv_ids->kinds[i] == TOKEN_STRING)
		{
			DeltaString dv_id = deltacc_column_text(dv_ids, i);

			appendBinaryStringInfo(&key, dv_id.data, dv_id.len);
		}
		state_key = (StateKey) {key.data, key.len};

		if (!is_newer(state, state_key, version, file->ordinal))
			continue;
		if (file->kind == ACTION_REMOVE)
		{
			put(state, state_key, ACTION_ADD, version, file->ordinal, NULL, 0);
			continue;
		}
		if (text == NULL)
			text = deltacc_actions_text(actions, &text_len);
		Assert((int64) file->line_offset + file->line_length <= text_len);
		if (shared)
		{
			JsonSlice	action;

			find_action(text + file->line_offset, file->line_length, ACTION_ADD, &action);
			put_action(state, state_key, ACTION_ADD, version, file->ordinal, &action);
		}
		else
			put(state, state_key, ACTION_ADD, version, file->ordinal,
				text + file->line_offset, file->line_length);
	}
	pfree(key.data);
}

/*
 * Does the line of file action i hold another action of Delta's too?  Both
 * lists go up through the text; *next_other is where the last call got to.
 */
static bool
line_is_shared(const FileAction *files, int nfiles, int i,
			   const OtherAction *others, int nothers, int *next_other)
{
	uint32		offset = files[i].line_offset;

	while (*next_other < nothers && others[*next_other].line_offset < offset)
		(*next_other)++;
	for (int j = *next_other; j < nothers && others[j].line_offset == offset; j++)
	{
		if (others[j].kind != ACTION_OTHER)
			return true;
	}
	return (i > 0 && files[i - 1].line_offset == offset) ||
		(i + 1 < nfiles && files[i + 1].line_offset == offset);
}

/*
 * Finds the action of that kind in a line.  Returns whether it is the only one
 * of Delta's in it, so that the line may stand for it as a whole; else the
 * line would bring back the other one along with it.
 */
static bool
find_action(const char *line, int len, ActionKind kind, JsonSlice *action)
{
	JsonScanner scanner;
	JsonSlice	key;
	JsonSlice	value;
	bool		found = false;
	bool		alone = true;

	deltacc_json_init(&scanner, line, len, false);
	if (deltacc_json_enter_object(&scanner))
	{
		while (deltacc_json_next_member(&scanner, &key, &value))
		{
			if (value.kind == JSON_NULL)
				continue;
			for (int i = 0; i < lengthof(action_names); i++)
			{
				if (action_names[i] == NULL || !deltacc_json_string_equals(&key, action_names[i]))
					continue;
				if (i == kind)
				{
					*action = value;	/* the last of duplicates */
					found = true;
				}
				else
					alone = false;
				break;
			}
		}
	}
	if (!found)
		elog(ERROR, "the index names a line with %s that holds none", action_names[kind]);
	return alone;
}

/* What an appId or a domain is known by; one that is no string by its text. */
static void
identity_key(StringInfo key, const JsonSlice *action, const char *field)
{
	JsonSlice	value;

	if (!deltacc_json_member(action, field, &value))
		return;
	if (value.kind == JSON_STRING)
	{
		appendStringInfoChar(key, 's');
		deltacc_json_unescape(key, &value);
	}
	else
	{
		appendStringInfoChar(key, 'j');
		appendBinaryStringInfo(key, value.start, value.len);
	}
}

/* Would what this action says be the last word on its key so far? */
static bool
is_newer(const TableState *state, StateKey key, int64 version, int32 ordinal)
{
	const StateEntry *entry = entries_lookup(state->entries, key);

	return entry == NULL || entry->version < version ||
		(entry->version == version && entry->ordinal < ordinal);
}

/* Enters what is_newer() let pass; copies key and line. */
static void
put(TableState *state, StateKey key, ActionKind kind, int64 version, int32 ordinal,
	const char *line, int len)
{
	StateEntry *entry;
	char	   *copy = NULL;
	bool		found;

	/* All that may fail comes before the table is touched. */
	if (line)
	{
		copy = MemoryContextAlloc(state->cxt, len + 1);
		memcpy(copy, line, len);
	}
	entry = entries_lookup(state->entries, key);
	if (entry == NULL)
	{
		char	   *key_copy = MemoryContextAlloc(state->cxt, key.len + 1);

		memcpy(key_copy, key.data, key.len);
		key.data = key_copy;
		entry = entries_insert(state->entries, key, &found);
		entry->line = NULL;
	}
	else if (entry->line)
		pfree(entry->line);

	entry->kind = kind;
	entry->version = version;
	entry->ordinal = ordinal;
	entry->line = copy;
	entry->line_length = copy ? len : 0;
}

/* The same for an action that shares its line: it gets one of its own. */
static void
put_action(TableState *state, StateKey key, ActionKind kind, int64 version, int32 ordinal,
		   const JsonSlice *action)
{
	StringInfoData line;

	initStringInfo(&line);
	appendStringInfo(&line, "{\"%s\":", action_names[kind]);
	appendBinaryStringInfo(&line, action->start, action->len);
	appendStringInfoChar(&line, '}');
	put(state, key, kind, version, ordinal, line.data, line.len);
	pfree(line.data);
}

static int
compare_ranges(const void *a, const void *b)
{
	const VersionRange *x = a;
	const VersionRange *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Each version once, none missing in between: returns the whole range. */
static VersionRange
check_versions(const TableState *state)
{
	VersionRange *ranges;
	VersionRange seen;

	Assert(state->nranges > 0);
	ranges = palloc(state->nranges * sizeof(VersionRange));
	memcpy(ranges, state->ranges, state->nranges * sizeof(VersionRange));
	qsort(ranges, state->nranges, sizeof(VersionRange), compare_ranges);

	seen = ranges[0];
	for (int i = 1; i < state->nranges; i++)
	{
		if (ranges[i].first <= seen.last)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("version " INT64_FORMAT " is there twice", ranges[i].first),
					 errhint("One state is made of one table's commits, each once: group by table_id; a table state stands for all versions up to its own.")));
		if (ranges[i].first > seen.last + 1)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("version " INT64_FORMAT " is missing", seen.last + 1),
					 errdetail("The next version that is there is " INT64_FORMAT ".", ranges[i].first),
					 errhint("A state needs every commit up to its version; ingest the missing ones first.")));
		seen.last = ranges[i].last;
	}
	if (state->with_files && seen.first > 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the versions before " INT64_FORMAT " are missing", seen.first),
				 errdetail("The files that were live before are unknown."),
				 errhint("Start from version 0, or from a state that reconcile() made; table_state() does without the files.")));
	pfree(ranges);
	return seen;
}

/* Protocol, metaData, appIds, domains, files; each in the order of the log. */
static int
compare_entries(const void *a, const void *b)
{
	static const uint8 ranks[] = {
		[ACTION_PROTOCOL] = 0,
		[ACTION_METADATA] = 1,
		[ACTION_TXN] = 2,
		[ACTION_DOMAIN_METADATA] = 3,
		[ACTION_ADD] = 4,
	};
	const StateEntry *x = *(StateEntry *const *) a;
	const StateEntry *y = *(StateEntry *const *) b;

	if (x->kind != y->kind)
		return ranks[x->kind] - ranks[y->kind];
	if (x->version != y->version)
		return x->version < y->version ? -1 : 1;
	return x->ordinal < y->ordinal ? -1 : x->ordinal > y->ordinal;
}

static StateEntry **
live_entries(const TableState *state, int64 *count, int64 *size)
{
	StateEntry **live;
	StateEntry *entry;
	entries_iterator it;

	live = MemoryContextAllocHuge(CurrentMemoryContext,
								  ((Size) state->entries->members + 1) * sizeof(StateEntry *));
	*count = 0;
	*size = 0;
	entries_start_iterate(state->entries, &it);
	while ((entry = entries_iterate(state->entries, &it)) != NULL)
	{
		if (entry->line)
		{
			live[(*count)++] = entry;
			*size += (int64) entry->line_length + 1;
		}
	}
	qsort(live, *count, sizeof(StateEntry *), compare_entries);
	return live;
}

static void
check_size(const TableState *state, int64 size)
{
	if (size <= MaxAllocSize - 1024)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("the state of the table is larger than 1 GB"),
			 errdetail("Its lines take " INT64_FORMAT " bytes.", size),
			 state->with_files ?
			 errhint("deltacc.live_files() lists the files without this limit, table_state() does without them.") : 0));
}

/* Adds the same advice where the making of the value meets the limit. */
static void
advise_live_files(void *arg)
{
	const TableState *state = arg;

	if (state->with_files && geterrcode() == ERRCODE_PROGRAM_LIMIT_EXCEEDED)
		errhint("deltacc.live_files() lists the files without this limit, table_state() does without them.");
}
