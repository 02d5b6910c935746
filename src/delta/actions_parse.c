/*-------------------------------------------------------------------------
 *
 * actions_parse.c
 *	  From the text of a commit to a deltacc.actions value.
 *
 * One pass over the lines.  What a file action says goes straight into the
 * columns; a column holds entries only for those rows where its key is there,
 * so time and memory follow the size of the input, however many keys it has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json_scan.h"
#include "common/hashfn.h"
#include "delta/actions.h"
#include "delta/actions_build.h"
#include "delta/schema.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Struct columns nested deeper have no columns of their own: their statistics
 * count as missing.
 */
#define MAX_COLUMN_DEPTH	32

/* All nodes by parent and name: open addressing, a power of two of slots. */
typedef struct ColumnTable
{
	uint32		mask;
	ColumnNode **slots;
} ColumnTable;

/* What a line says about one file. */
typedef struct FileMembers
{
	JsonSlice	path;
	JsonSlice	partition_values;
	JsonSlice	stats;			/* of a string only the kind */
	StringInfoData stats_text;	/* its value */
	JsonSlice	deletion_vector;
	bool		data_change;
	bool		has_base_row_id;
} FileMembers;

/* One action of a line; kind is -1 once a duplicate key has replaced it. */
typedef struct LineItem
{
	int			kind;
	JsonSlice	value;			/* not of a file action */
} LineItem;

typedef struct Builder
{
	struct Node *escontext;
	const char *text;
	const char *end;

	/* the line at hand */
	int			lineno;
	const char *line;
	const char *line_end;
	LineItem   *items;
	int			nitems;
	uint32		items_capacity;
	int			item_of_kind[ACTION_OTHER]; /* -1: none */
	FileMembers members[ACTION_CDC + 1];

	/* columns */
	ColumnTable table;
	ColumnNode *roots[COLUMN_DV_ID + 1];
	ColumnNode *all;
	uint32		nnodes;
	ColumnNode **touched;		/* nodes with an entry for this file */
	uint32		ntouched;
	uint32		touched_capacity;
	uint64		heap_total;
	StringInfoData key;			/* a key, unescaped */

	/* results */
	uint32		flags;
	int			nactions;
	uint32		row;			/* = number of file actions so far */
	FileAction *files;
	uint32		files_capacity;
	OtherAction *others;
	uint32		nothers;
	uint32		others_capacity;
	int64		table_version;
	uint64		fingerprint[2];
} Builder;

static const struct
{
	const char *name;
	int			kind;
	uint32		flag;
}			known_actions[] = {
	{"add", ACTION_ADD, ACTIONS_HAS_ADD},
	{"remove", ACTION_REMOVE, ACTIONS_HAS_REMOVE},
	{"cdc", ACTION_CDC, ACTIONS_HAS_CDC},
	{"commitInfo", ACTION_COMMIT_INFO, ACTIONS_HAS_COMMIT_INFO},
	{"protocol", ACTION_PROTOCOL, ACTIONS_HAS_PROTOCOL},
	{"metaData", ACTION_METADATA, ACTIONS_HAS_METADATA},
	{"txn", ACTION_TXN, ACTIONS_HAS_TXN},
	{"domainMetadata", ACTION_DOMAIN_METADATA, ACTIONS_HAS_DOMAIN},
	{"tableState", ACTION_TABLE_STATE, 0},
};

#define COMMIT_HINT "Pass a commit file of _delta_log unchanged: each line holds one action as a JSON object."

/*
 * Room for one more element in an array of the builder's.  The arrays may pass
 * 1 GB while the value doesn't.
 */
static void *
grow_array(void *array, uint32 *capacity, uint32 first, size_t element)
{
	if (*capacity > MaxAllocSize / 2)
		deltacc_actions_too_big();
	if (array == NULL)
	{
		*capacity = first;
		return palloc(first * element);
	}
	*capacity *= 2;
	return repalloc_huge(array, *capacity * element);
}

/* ----- columns ----- */

static uint32
column_hash(const ColumnNode *parent, const char *name, int len)
{
	return hash_combine(hash_bytes((const unsigned char *) name, len), murmurhash32(parent->sequence));
}

/* The slot of a key: its node, or the NULL where it would stand. */
static ColumnNode **
column_slot(ColumnTable *table, const ColumnNode *parent, const char *name, int len, uint32 hash)
{
	for (uint32 i = hash & table->mask;; i = (i + 1) & table->mask)
	{
		ColumnNode *node = table->slots[i];

		if (node == NULL ||
			(node->hash == hash && node->parent == parent && node->name_len == len &&
			 memcmp(node->name, name, len) == 0))
			return &table->slots[i];
	}
}

static void
grow_table(Builder *b)
{
	ColumnTable bigger;

	bigger.mask = b->table.slots ? b->table.mask * 2 + 1 : 255;
	bigger.slots = MemoryContextAllocExtended(CurrentMemoryContext,
											  (bigger.mask + (Size) 1) * sizeof(ColumnNode *),
											  MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	for (ColumnNode *n = b->all; n != NULL; n = n->all_next)
	{
		if (n->parent != NULL)
			*column_slot(&bigger, n->parent, n->name, n->name_len, n->hash) = n;
	}
	if (b->table.slots != NULL)
		pfree(b->table.slots);
	b->table = bigger;
}

/* Can the name stand in JSON as it is? */
static bool
reads_the_same(const char *name, int len)
{
	for (int i = 0; i < len; i++)
	{
		if ((unsigned char) name[i] < ' ' || name[i] == '"' || name[i] == '\\')
			return false;
	}
	return true;
}

static ColumnNode *
make_node(Builder *b, ColumnNode *parent, ColumnFamily family, const char *name, int len, uint32 hash)
{
	ColumnNode *node = palloc0(offsetof(ColumnNode, name) + len);

	node->parent = parent;
	node->family = family;
	node->depth = parent ? parent->depth + 1 : 0;
	node->hash = hash;
	node->sequence = b->nnodes++;
	node->guessable = reads_the_same(name, len);
	node->row = -1;
	node->name_len = len;
	memcpy(node->name, name, len);
	node->all_next = b->all;
	b->all = node;
	return node;
}

/*
 * The node of a key below parent, made at its first appearance; NULL for a key
 * that no column can have, since its path would be ambiguous.
 */
static ColumnNode *
node_of_key(Builder *b, ColumnNode *parent, const JsonSlice *key)
{
	const char *name = key->start + 1;
	int			len = key->len - 2;
	uint32		hash;
	ColumnNode **slot;

	/* Many keys with one hash would make this slow. */
	CHECK_FOR_INTERRUPTS();

	if (key->escaped)
	{
		resetStringInfo(&b->key);
		deltacc_json_unescape(&b->key, key);
		name = b->key.data;
		len = b->key.len;
		if (memchr(name, DELTACC_PATH_SEPARATOR, len) != NULL || memchr(name, '\0', len) != NULL)
			return NULL;
	}

	/* At most half full, roots counted. */
	if (b->nnodes >= b->table.mask / 2)
		grow_table(b);
	hash = column_hash(parent, name, len);
	slot = column_slot(&b->table, parent, name, len, hash);
	if (*slot == NULL)
		*slot = make_node(b, parent, parent->family, name, len, hash);
	return *slot;
}

static inline uint32
last_row(const ColumnNode *c)
{
	return c->rows ? c->rows[c->nentries - 1] : c->nentries - 1;
}

static void
grow_column(ColumnNode *c)
{
	uint32		capacity = c->capacity;

	c->kinds = grow_array(c->kinds, &capacity, 8, sizeof(uint8));
	if (c->rows)
		c->rows = repalloc_huge(c->rows, capacity * sizeof(uint32));
	if (c->ints)
		c->ints = repalloc_huge(c->ints, capacity * sizeof(int64));
	if (c->ends)
		c->ends = repalloc_huge(c->ends, capacity * sizeof(uint32));
	c->capacity = capacity;
}

/* Begins an entry for the file at hand; the caller fills in its int or text. */
static inline uint32
add_entry(Builder *b, ColumnNode *c, TokenKind kind)
{
	uint32		i = c->nentries;

	if (i == c->capacity)
		grow_column(c);
	if (c->rows == NULL && i != b->row)
	{
		c->rows = MemoryContextAllocHuge(CurrentMemoryContext, c->capacity * sizeof(uint32));
		for (uint32 j = 0; j < i; j++)
			c->rows[j] = j;
	}
	if (c->rows)
		c->rows[i] = b->row;
	if (c->ints)
		c->ints[i] = 0;
	if (c->ends)
		c->ends[i] = c->heap_size;
	c->kinds[i] = kind;
	c->kinds_seen |= 1 << kind;
	c->nentries++;

	if (b->ntouched == b->touched_capacity)
		b->touched = grow_array(b->touched, &b->touched_capacity, 256, sizeof(ColumnNode *));
	b->touched[b->ntouched++] = c;
	return i;
}

static void
add_int(Builder *b, ColumnNode *c, int64 value)
{
	uint32		i = add_entry(b, c, TOKEN_INT);

	if (c->ints == NULL)
		c->ints = MemoryContextAllocExtended(CurrentMemoryContext, c->capacity * sizeof(int64),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	c->ints[i] = value;
}

/*
 * Begins an entry with a text of at most max_len bytes: where to write it.
 * end_text() tells how long it has become.
 */
static char *
begin_text(Builder *b, ColumnNode *c, TokenKind kind, int max_len)
{
	add_entry(b, c, kind);
	if (c->ends == NULL)
		c->ends = MemoryContextAllocExtended(CurrentMemoryContext, c->capacity * sizeof(uint32),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (b->heap_total + max_len > MaxAllocSize)
		deltacc_actions_too_big();
	while (c->heap_capacity - c->heap_size < max_len)
		c->heap = grow_array(c->heap, &c->heap_capacity, Max(64, max_len), 1);
	return c->heap + c->heap_size;
}

static inline void
end_text(Builder *b, ColumnNode *c, int len)
{
	b->heap_total += len;
	c->heap_size += len;
	c->ends[c->nentries - 1] = c->heap_size;
}

static void
add_text(Builder *b, ColumnNode *c, TokenKind kind, const char *text, int len)
{
	memcpy(begin_text(b, c, kind, len), text, len);
	end_text(b, c, len);
}

static void
add_token(Builder *b, ColumnNode *c, const JsonSlice *value)
{
	int64		n;

	switch (value->kind)
	{
		case JSON_NULL:
			add_entry(b, c, TOKEN_NULL);
			break;
		case JSON_TRUE:
			add_entry(b, c, TOKEN_TRUE);
			break;
		case JSON_FALSE:
			add_entry(b, c, TOKEN_FALSE);
			break;
		case JSON_NUMBER:
			if (deltacc_json_int64(value, &n))
				add_int(b, c, n);
			else
				add_text(b, c, TOKEN_NUMBER, value->start, value->len);
			break;
		case JSON_STRING:
			end_text(b, c, deltacc_json_unescape_into(begin_text(b, c, TOKEN_STRING, value->len), value, "?"));
			break;
		default:
			add_text(b, c, TOKEN_COMPOSITE, value->start, value->len);
			break;
	}
}

/* Takes back the entries of touched[from] and after, up to touched[to]. */
static void
take_back(Builder *b, uint32 from, uint32 to)
{
	for (uint32 i = from; i < to; i++)
	{
		ColumnNode *c = b->touched[i];

		if (c->nentries == 0 || last_row(c) != b->row)
			continue;			/* taken back before */
		c->nentries--;
		if (c->ends)
		{
			b->heap_total -= c->heap_size;
			c->heap_size = c->nentries > 0 ? c->ends[c->nentries - 1] : 0;
			b->heap_total += c->heap_size;
		}
	}
}

/*
 * A key of the file at hand is about to be read.  If it has stood there before,
 * the last one counts: what the earlier one left is taken back, with all that
 * was below it.
 */
static inline void
begin_value(Builder *b, ColumnNode *c)
{
	if (c->row == b->row)
		take_back(b, c->touched_from, c->touched_to);
	c->row = b->row;
	c->touched_from = b->ntouched;
}

static inline void
end_value(Builder *b, ColumnNode *c)
{
	c->touched_to = b->ntouched;
}

static bool walk_members(Builder *b, JsonScanner *s, ColumnNode *parent);

/*
 * Reads the value of a node.  An object is both: its members have columns of
 * their own, and it is a value as a whole.
 */
static bool
read_value(Builder *b, JsonScanner *s, ColumnNode *c)
{
	JsonTokenKind kind;
	JsonSlice	value;

	if (!deltacc_json_peek(s, &kind))
		return false;
	begin_value(b, c);
	if (kind == JSON_OBJECT && c->depth < MAX_COLUMN_DEPTH)
	{
		const char *start = s->pos;

		if (!walk_members(b, s, c))
			return false;
		add_text(b, c, TOKEN_COMPOSITE, start, s->pos - start);
	}
	else
	{
		if (!deltacc_json_value(s, &value))
			return false;
		add_token(b, c, &value);
	}
	end_value(b, c);
	return true;
}

/*
 * Reads an object of minValues and the like into the nodes below parent.  Files
 * of one commit mostly have the same keys in the same order.
 */
static bool
walk_members(Builder *b, JsonScanner *s, ColumnNode *parent)
{
	ColumnNode **guess = &parent->guess_child;
	JsonSlice	key;

	if (!deltacc_json_enter_object(s))
		return false;
	for (;;)
	{
		ColumnNode *node = *guess;
		bool		hit = false;

		if (!(node != NULL ? deltacc_json_next_key_guess(s, node->name, node->name_len, &key, &hit) :
			  deltacc_json_next_key(s, &key)))
			return s->error == NULL;
		if (!hit)
		{
			node = node_of_key(b, parent, &key);
			if (node == NULL)
			{
				JsonSlice	ignored;

				if (!deltacc_json_value(s, &ignored))
					return false;
				continue;
			}
			if (node->guessable)
				*guess = node;
		}
		if (!read_value(b, s, node))
			return false;
		guess = &node->guess_next;
	}
}

/* minValues, maxValues or nullCount: no columns unless it is an object. */
static bool
read_family(Builder *b, JsonScanner *s, ColumnNode *root)
{
	JsonTokenKind kind;
	JsonSlice	ignored;
	bool		read;

	if (!deltacc_json_peek(s, &kind))
		return false;
	begin_value(b, root);
	read = kind == JSON_OBJECT ? walk_members(b, s, root) : deltacc_json_value(s, &ignored);
	end_value(b, root);
	return read;
}

/*
 * Reads statistics as Spark's from_json does: false if any of it can't be read,
 * and then nothing of it counts.  What follows the object is not looked at.
 */
static bool
read_stats(Builder *b, const char *text, int len, bool single_quotes)
{
	JsonScanner s;
	JsonSlice	key;
	JsonSlice	ignored;
	uint32		from = b->ntouched;

	deltacc_json_init(&s, text, len, single_quotes);
	if (!deltacc_json_enter_object(&s))
		return false;
	while (deltacc_json_next_key(&s, &key))
	{
		bool		read;

		if (deltacc_json_string_equals(&key, "minValues"))
			read = read_family(b, &s, b->roots[COLUMN_MIN]);
		else if (deltacc_json_string_equals(&key, "maxValues"))
			read = read_family(b, &s, b->roots[COLUMN_MAX]);
		else if (deltacc_json_string_equals(&key, "nullCount"))
			read = read_family(b, &s, b->roots[COLUMN_NULL_COUNT]);
		else if (deltacc_json_string_equals(&key, "numRecords"))
		{
			ColumnNode *c = b->roots[COLUMN_NUM_RECORDS];

			begin_value(b, c);
			read = deltacc_json_value(&s, &ignored);
			if (read)
				add_token(b, c, &ignored);
			end_value(b, c);
		}
		else
			read = deltacc_json_value(&s, &ignored);
		if (!read)
			break;
	}
	if (s.error == NULL)
		return true;
	take_back(b, from, b->ntouched);
	return false;
}

/* ----- lines ----- */

/* Is there anything but white space from p on? */
static bool
more_to_come(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p < end;
}

/* What to do about a line that can't be read at a place. */
static const char *
hint_for(const Builder *b, const char *at)
{
	if (*b->line == '[')
		return "An array of actions can be cast from jsonb.";
	if (at >= b->line_end)
	{
		if (more_to_come(b->line_end, b->end))
			return "Each action has to stand on one line of its own, not pretty-printed over several.";
		return "The commit seems to be cut off: read the file again once it is complete.";
	}
	if (at - b->line >= 3 && memcmp(at - 3, "\"{\"", 3) == 0)
		return "The backslashes inside of strings are gone: COPY in text format removes them. Use pg_read_file(), a parameter or COPY in CSV format.";
	return COMMIT_HINT;
}

/* The column of a place in the line, in characters from 1. */
static int
column_number(const Builder *b, const char *at)
{
	int			column = 1;

	for (const char *p = b->line; p < at; p++)
	{
		if (((unsigned char) *p & 0xC0) != 0x80)
			column++;
	}
	return column;
}

/* ERROR: what was expected at a place of the line and isn't there. */
static bool
report_unreadable(Builder *b, const char *at, const char *expected)
{
	char		found[64];

	/* Only ASCII: the message is in the database's encoding, the line in UTF-8. */
	if (at >= b->line_end)
		snprintf(found, sizeof(found), "the line ends there");
	else if (*at > ' ' && *at < 0x7F)
		snprintf(found, sizeof(found), "found \"%c\"", *at);
	else
		snprintf(found, sizeof(found), "found byte 0x%02X", (unsigned char) *at);
	errsave(b->escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("line %d is not a Delta action", b->lineno),
			 errdetail("Column %d: expected %s, but %s.", column_number(b, at), expected, found),
			 errhint("%s", hint_for(b, at))));
	return false;
}

static bool
report_scanner(Builder *b, const JsonScanner *s)
{
	return report_unreadable(b, s->error_pos, s->error);
}

static const char *
action_name(int kind)
{
	for (int i = 0; i < lengthof(known_actions); i++)
	{
		if (known_actions[i].kind == kind)
			return known_actions[i].name;
	}
	return NULL;
}

/* Remembers an action of the line; of duplicate keys the last counts. */
static LineItem *
add_item(Builder *b, int kind)
{
	if (b->nitems == b->items_capacity)
		b->items = grow_array(b->items, &b->items_capacity, 16, sizeof(LineItem));
	b->items[b->nitems].kind = kind;
	if (kind != ACTION_OTHER)
		b->item_of_kind[kind] = b->nitems;
	return &b->items[b->nitems++];
}

static void
drop_item(Builder *b, int kind)
{
	if (kind != ACTION_OTHER && b->item_of_kind[kind] >= 0)
		b->items[b->item_of_kind[kind]].kind = -1;
}

/* A member that has to be an object if it is there: false after an error. */
static bool
take_object(Builder *b, JsonSlice *member, const JsonSlice *value)
{
	if (value->kind != JSON_OBJECT && value->kind != JSON_NULL)
		return report_unreadable(b, value->start, "an object or null");
	*member = *value;
	return true;
}

/* Statistics: most of the line, so a string is unescaped while it is read. */
static bool
take_stats(JsonScanner *s, FileMembers *m)
{
	if (!deltacc_json_peek(s, &m->stats.kind))
		return false;
	if (m->stats.kind != JSON_STRING)
		return deltacc_json_value(s, &m->stats);
	resetStringInfo(&m->stats_text);
	return deltacc_json_string_value(s, &m->stats_text);
}

/*
 * The object of an add, remove or cdc.  Of the members only slices are taken:
 * of duplicates the last counts, and so does the last of duplicate actions.
 */
static bool
read_file_action(Builder *b, JsonScanner *s, FileMembers *m)
{
	JsonSlice	key;
	JsonSlice	value;

	m->path.kind = m->partition_values.kind = m->stats.kind = m->deletion_vector.kind = JSON_NULL;
	m->data_change = true;
	m->has_base_row_id = false;

	if (!deltacc_json_enter_object(s))
		return report_scanner(b, s);
	while (deltacc_json_next_key(s, &key))
	{
		if (deltacc_json_string_equals(&key, "stats"))
		{
			if (!take_stats(s, m))
				break;
			continue;
		}
		if (!deltacc_json_value(s, &value))
			break;
		if (deltacc_json_string_equals(&key, "path"))
			m->path = value;
		else if (deltacc_json_string_equals(&key, "dataChange"))
			m->data_change = value.kind != JSON_FALSE;
		else if (deltacc_json_string_equals(&key, "baseRowId"))
			m->has_base_row_id = value.kind != JSON_NULL;
		else if (deltacc_json_string_equals(&key, "partitionValues"))
		{
			if (!take_object(b, &m->partition_values, &value))
				return false;
		}
		else if (deltacc_json_string_equals(&key, "deletionVector"))
		{
			if (!take_object(b, &m->deletion_vector, &value))
				return false;
		}
	}
	return s->error == NULL || report_scanner(b, s);
}

static bool
report_checkpoint(Builder *b)
{
	errsave(b->escontext,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("this is a checkpoint, not a commit"),
			 errdetail("Line %d holds an action that only checkpoints have.", b->lineno),
			 errhint("Commits are the files of _delta_log whose name is a version of 20 digits and .json.")));
	return false;
}

/* One key of a line, with its value. */
static bool
read_item(Builder *b, JsonScanner *s, const JsonSlice *key)
{
	JsonTokenKind kind;
	JsonSlice	value;
	int			action = ACTION_OTHER;

	for (int i = 0; i < lengthof(known_actions); i++)
	{
		if (deltacc_json_string_equals(key, known_actions[i].name))
		{
			action = known_actions[i].kind;
			break;
		}
	}
	drop_item(b, action);

	/* Some writers spell out every key, null where unused. */
	if (!deltacc_json_peek(s, &kind))
		return report_scanner(b, s);
	if (kind == JSON_NULL)
		return deltacc_json_value(s, &value) || report_scanner(b, s);

	if (ACTION_IS_FILE(action))
	{
		add_item(b, action);
		return read_file_action(b, s, &b->members[action]);
	}
	if (!deltacc_json_value(s, &value))
		return report_scanner(b, s);
	if (action == ACTION_OTHER &&
		(deltacc_json_string_equals(key, "checkpointMetadata") || deltacc_json_string_equals(key, "sidecar")))
		return report_checkpoint(b);
	if (action != ACTION_OTHER && value.kind != JSON_OBJECT)
		return report_unreadable(b, value.start, "an object");
	add_item(b, action)->value = value;
	return true;
}

/*
 * The unique id of a deletion vector (DeletionVectorDescriptor.uniqueId); false
 * if the descriptor lacks what it is made of.
 */
static bool
add_deletion_vector(Builder *b, const JsonSlice *vector)
{
	ColumnNode *c = b->roots[COLUMN_DV_ID];
	JsonSlice	type;
	JsonSlice	path;
	JsonSlice	offset;
	char	   *id;
	int			len;

	if (!deltacc_json_member(vector, "storageType", &type) || type.kind != JSON_STRING ||
		!deltacc_json_member(vector, "pathOrInlineDv", &path) || path.kind != JSON_STRING)
		return false;
	if (!deltacc_json_member(vector, "offset", &offset))
		offset.kind = JSON_NULL;
	else if (offset.kind != JSON_NULL && offset.kind != JSON_NUMBER)
		return false;

	id = begin_text(b, c, TOKEN_STRING, type.len + path.len + offset.len + 1);
	len = deltacc_json_unescape_into(id, &type, "?");
	len += deltacc_json_unescape_into(id + len, &path, "?");
	if (offset.kind == JSON_NUMBER)
	{
		id[len++] = '@';
		memcpy(id + len, offset.start, offset.len);
		len += offset.len;
	}
	end_text(b, c, len);
	return true;
}

/* partitionValues: one level of keys, whatever their values are. */
static void
add_partition_values(Builder *b, const JsonSlice *object)
{
	JsonScanner s;
	JsonSlice	key;
	JsonSlice	value;

	deltacc_json_init(&s, object->start, object->len, false);
	deltacc_json_enter_object(&s);
	while (deltacc_json_next_member(&s, &key, &value))
	{
		ColumnNode *c = node_of_key(b, b->roots[COLUMN_PARTITION], &key);

		if (c == NULL)
			continue;
		begin_value(b, c);
		add_token(b, c, &value);
		end_value(b, c);
	}
}

/* Statistics as a string, the usual way, or as an object. */
static bool
add_stats(Builder *b, const FileMembers *m)
{
	if (m->stats.kind == JSON_OBJECT)
		return read_stats(b, m->stats.start, m->stats.len, false);
	if (m->stats.kind != JSON_STRING)
		return false;
	return read_stats(b, m->stats_text.data, m->stats_text.len, true);
}

static bool
emit_file(Builder *b, int kind, uint32 offset, uint32 length)
{
	const FileMembers *m = &b->members[kind];
	FileAction *file;
	uint8		flags = 0;

	if (m->path.kind != JSON_STRING)
	{
		errsave(b->escontext,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the action \"%s\" on line %d has no path", action_name(kind), b->lineno),
				 errdetail("Its \"path\" has to be a string."),
				 errhint(COMMIT_HINT)));
		return false;
	}

	b->ntouched = 0;
	add_token(b, b->roots[COLUMN_PATH], &m->path);
	if (m->partition_values.kind == JSON_OBJECT)
		add_partition_values(b, &m->partition_values);
	if (m->deletion_vector.kind == JSON_OBJECT)
	{
		if (!add_deletion_vector(b, &m->deletion_vector))
		{
			errsave(b->escontext,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the deletion vector on line %d is not complete", b->lineno),
					 errdetail("It needs \"storageType\" and \"pathOrInlineDv\" as strings, and \"offset\" as a number if it has one."),
					 errhint(COMMIT_HINT)));
			return false;
		}
		flags |= FILE_HAS_DV;
		b->flags |= ACTIONS_HAS_DV;
	}
	if (m->data_change)
	{
		flags |= FILE_DATA_CHANGE;
		b->flags |= ACTIONS_ANY_DATA_CHANGE;
	}
	if (m->has_base_row_id)
		flags |= FILE_HAS_BASE_ROW_ID;
	if (m->stats.kind != JSON_NULL)
	{
		flags |= FILE_STATS_PRESENT;
		if (add_stats(b, m))
			flags |= FILE_STATS_VALID;
	}

	if (b->row == b->files_capacity)
		b->files = grow_array(b->files, &b->files_capacity, 32, sizeof(FileAction));
	file = &b->files[b->row++];
	memset(file, 0, sizeof(*file));
	file->kind = kind;
	file->flags = flags;
	file->ordinal = b->nactions;
	file->line_offset = offset;
	file->line_length = length;
	return true;
}

static void
add_fingerprint(Builder *b, int kind, const JsonSlice *value)
{
	for (int i = 0; i < 2; i++)
		b->fingerprint[i] = hash_bytes_extended((const unsigned char *) value->start, value->len,
												hash_combine64(b->fingerprint[i], kind * 2 + i + 1));
}

/*
 * Is there but one action on the line?  Delta sees one only, and of several
 * never the commitInfo: what that one says must not excuse the others.
 */
static bool
stands_alone(const Builder *b)
{
	int			n = 0;

	for (int i = 0; i < b->nitems; i++)
		n += b->items[i].kind >= 0;
	return n == 1;
}

static bool
emit_other(Builder *b, const LineItem *item, uint32 offset, uint32 length)
{
	OtherAction *other;
	JsonSlice	member;

	if (item->kind == ACTION_COMMIT_INFO && !(b->flags & ACTIONS_HAS_COMMIT_INFO) && stands_alone(b) &&
		deltacc_json_member(&item->value, "isBlindAppend", &member) && member.kind == JSON_TRUE)
		b->flags |= ACTIONS_BLIND_APPEND;
	if (item->kind == ACTION_PROTOCOL || item->kind == ACTION_METADATA)
		add_fingerprint(b, item->kind, &item->value);
	if (item->kind == ACTION_TABLE_STATE &&
		(!deltacc_json_member(&item->value, "version", &member) ||
		 !deltacc_json_int64(&member, &b->table_version) || b->table_version < 0))
	{
		errsave(b->escontext,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the tableState on line %d has no version", b->lineno),
				 errdetail("Its \"version\" has to be an integer that is not negative.")));
		return false;
	}

	if (b->nothers == b->others_capacity)
		b->others = grow_array(b->others, &b->others_capacity, 8, sizeof(OtherAction));
	other = &b->others[b->nothers++];
	memset(other, 0, sizeof(*other));
	other->kind = item->kind;
	other->ordinal = b->nactions;
	other->line_offset = offset;
	other->line_length = length;
	return true;
}

/* The line has been read whole: its actions, in their order. */
static bool
emit_items(Builder *b, uint32 offset, uint32 length)
{
	for (int i = 0; i < b->nitems; i++)
	{
		const LineItem *item = &b->items[i];

		if (item->kind < 0)
			continue;
		b->nactions++;
		if (ACTION_IS_FILE(item->kind) ? !emit_file(b, item->kind, offset, length) :
			!emit_other(b, item, offset, length))
			return false;
		for (int k = 0; k < lengthof(known_actions); k++)
		{
			if (known_actions[k].kind == item->kind)
				b->flags |= known_actions[k].flag;
		}
	}
	return true;
}

static bool
read_line(Builder *b)
{
	JsonScanner s;
	JsonSlice	key;
	const char *start;

	b->nitems = 0;
	memset(b->item_of_kind, -1, sizeof(b->item_of_kind));

	deltacc_json_init(&s, b->line, b->line_end - b->line, false);
	if (deltacc_json_at_end(&s))
		return true;			/* blank */
	start = s.pos;
	if (!deltacc_json_enter_object(&s))
		return report_scanner(b, &s);
	while (deltacc_json_next_key(&s, &key))
	{
		if (!read_item(b, &s, &key))
			return false;
	}
	if (s.error != NULL)
		return report_scanner(b, &s);
	if (emit_items(b, start - b->text, s.pos - start))
	{
		/* Whatever follows might be an action that nobody would see. */
		if (deltacc_json_at_end(&s))
			return true;
		return report_unreadable(b, s.pos, "the end of the line");
	}
	return false;
}

static bool
read_lines(Builder *b)
{
	const char *p = b->text;

	/* A byte order mark, as editors on Windows leave it. */
	if (b->end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3;

	while (p < b->end)
	{
		const char *newline = memchr(p, '\n', b->end - p);

		CHECK_FOR_INTERRUPTS();
		b->lineno++;
		b->line = p;
		b->line_end = newline ? newline : b->end;
		if (!read_line(b))
			return false;
		p = newline ? newline + 1 : b->end;
	}
	return true;
}

struct varlena *
deltacc_actions_parse(const char *text, int len, struct Node *escontext)
{
	MemoryContext result_context = CurrentMemoryContext;
	MemoryContext build_context = AllocSetContextCreate(CurrentMemoryContext, "deltacc actions",
														ALLOCSET_DEFAULT_SIZES);
	struct varlena *result = NULL;
	Builder		b = {0};

	MemoryContextSwitchTo(build_context);
	b.escontext = escontext;
	b.text = text;
	b.end = text + len;
	b.table_version = -1;
	for (int kind = 0; kind < lengthof(b.members); kind++)
		initStringInfo(&b.members[kind].stats_text);
	initStringInfo(&b.key);
	grow_table(&b);
	for (int family = 0; family < lengthof(b.roots); family++)
		b.roots[family] = make_node(&b, NULL, family, "", 0, 0);

	if (read_lines(&b))
	{
		BuiltActions built = {
			.text = text,
			.text_len = len,
			.flags = b.flags,
			.nactions = b.nactions,
			.nfiles = b.row,
			.files = b.files,
			.nothers = b.nothers,
			.others = b.others,
			.table_version = b.table_version,
			.columns = b.all,
		};

		memcpy(built.fingerprint, b.fingerprint, sizeof(built.fingerprint));
		result = deltacc_lay_out_actions(&built, result_context);
	}
	MemoryContextSwitchTo(result_context);
	MemoryContextDelete(build_context);
	return result;
}
