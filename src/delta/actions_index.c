/*-------------------------------------------------------------------------
 *
 * actions_index.c
 *	  The columns of a commit while it is parsed, and the statistics that fill
 *	  them.
 *
 * Statistics are JSON inside a JSON string, and most of a commit.  They are read
 * twice over: the usual spelling where it stands, whose quotes are all preceded
 * by a backslash; anything else from a copy, by the scanner.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/json_scan.h"
#include "common/hashfn.h"
#include "delta/actions_builder.h"
#include "delta/schema.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * Struct columns nested deeper have no columns of their own: their statistics
 * count as missing.
 */
#define MAX_COLUMN_DEPTH	32

void *
deltacc_grow_array(void *array, uint32 *capacity, uint32 first, size_t element)
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

	c->kinds = deltacc_grow_array(c->kinds, &capacity, 8, sizeof(uint8));
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
	c->nentries++;

	if (b->ntouched == b->touched_capacity)
		b->touched = deltacc_grow_array(b->touched, &b->touched_capacity, 256, sizeof(ColumnNode *));
	b->touched[b->ntouched++] = c;
	return i;
}

static inline void
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
static inline char *
begin_text(Builder *b, ColumnNode *c, TokenKind kind, int max_len)
{
	add_entry(b, c, kind);
	if (c->ends == NULL)
		c->ends = MemoryContextAllocExtended(CurrentMemoryContext, c->capacity * sizeof(uint32),
											 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (b->heap_total + max_len > MaxAllocSize)
		deltacc_actions_too_big();
	while (c->heap_capacity - c->heap_size < max_len)
		c->heap = deltacc_grow_array(c->heap, &c->heap_capacity, Max(64, max_len), 1);
	return c->heap + c->heap_size;
}

static inline void
end_text(Builder *b, ColumnNode *c, int len)
{
	b->heap_total += len;
	c->heap_size += len;
	c->ends[c->nentries - 1] = c->heap_size;
}

static inline void
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
	if (c->pass == b->pass)
		take_back(b, c->touched_from, c->touched_to);
	c->pass = b->pass;
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

bool
deltacc_builder_stats(Builder *b, const char *text, int len, bool single_quotes)
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

/* ----- statistics in place ----- */

/*
 * The text of a JSON string that is JSON itself, where it stands: a quote is
 * \", and whatever else begins with a backslash is given up.
 */
typedef struct InPlace
{
	const char *pos;
	const char *end;			/* of the line */
} InPlace;

/* Passes over a character that the compact form has there. */
static inline bool
take(InPlace *s, char c)
{
	if (s->pos < s->end && *s->pos == c)
	{
		s->pos++;
		return true;
	}
	return false;
}

static inline bool
take_quote(InPlace *s)
{
	if (s->end - s->pos >= 2 && s->pos[0] == '\\' && s->pos[1] == '"')
	{
		s->pos += 2;
		return true;
	}
	return false;
}

#define EACH_BYTE(b)	((uint64) (b) * UINT64CONST(0x0101010101010101))
#define ANY_ZERO(w)		(((w) - EACH_BYTE(1)) & ~(w) & EACH_BYTE(0x80))

/* A string from its quote to the next one: what is in between, as it stands. */
static inline bool
take_string(InPlace *s, const char **start, int *len)
{
	const char *p;
	uint64		word;

	if (!take_quote(s))
		return false;
	p = s->pos;
	/* Eight bytes without a quote, a backslash, or a control character. */
	while (s->end - p >= sizeof(word) &&
		   (memcpy(&word, p, sizeof(word)),
			(ANY_ZERO(word ^ EACH_BYTE('"')) | ANY_ZERO(word ^ EACH_BYTE('\\')) |
			 ((word - EACH_BYTE(' ')) & ~word & EACH_BYTE(0x80))) == 0))
		p += sizeof(word);
	while (p < s->end && *p != '\\')
	{
		if (*p == '"' || (unsigned char) *p < ' ')
			return false;
		p++;
	}
	*start = s->pos;
	*len = p - s->pos;
	s->pos = p;
	return take_quote(s);
}

/* Are these the same bytes?  Names are too short for a call. */
static inline bool
same_bytes(const char *a, const char *b, int len)
{
	uint64		x,
				y;

	for (; len >= sizeof(x); a += sizeof(x), b += sizeof(x), len -= sizeof(x))
	{
		memcpy(&x, a, sizeof(x));
		memcpy(&y, b, sizeof(y));
		if (x != y)
			return false;
	}
	for (; len > 0; a++, b++, len--)
	{
		if (*a != *b)
			return false;
	}
	return true;
}

/* Passes over the key of a node, if it comes next: \"name\": */
static inline bool
take_key_of(InPlace *s, const ColumnNode *node)
{
	const char *p = s->pos;
	int			len = node->name_len;

	if (s->end - p < len + 5 || p[0] != '\\' || p[1] != '"' ||
		p[len + 2] != '\\' || p[len + 3] != '"' || p[len + 4] != ':' ||
		!same_bytes(p + 2, node->name, len))
		return false;
	s->pos = p + len + 5;
	return true;
}

/* Any key: with the quotes that a JsonSlice has, of which it shows none. */
static inline bool
take_key(InPlace *s, JsonSlice *key)
{
	const char *start;
	int			len;

	if (!take_string(s, &start, &len) || !take(s, ':'))
		return false;
	key->kind = JSON_STRING;
	key->start = start - 1;
	key->len = len + 2;
	key->escaped = false;
	return true;
}

/* An integer of 18 digits at most, that is followed by what ends a value. */
static inline bool
take_int(InPlace *s, int64 *value)
{
	const char *p = s->pos;
	bool		negative = p < s->end && *p == '-';
	const char *digits = p += negative;
	uint64		n = 0;

	while (p < s->end && *p >= '0' && *p <= '9' && p - digits < 18)
		n = n * 10 + (*p++ - '0');
	if (p == digits || p == s->end || (*p != ',' && *p != '}') ||
		(*digits == '0' && (negative || p - digits > 1)))
		return false;
	*value = negative ? -(int64) n : (int64) n;
	s->pos = p;
	return true;
}

/* A value that is neither a string nor an object nor an array. */
static bool
take_scalar(InPlace *s, JsonSlice *value)
{
	JsonScanner scanner;

	deltacc_json_init(&scanner, s->pos, s->end - s->pos, true);
	if (s->pos == s->end || *s->pos == '\\' || *s->pos == '\'' || *s->pos == '{' || *s->pos == '[' ||
		!deltacc_json_value(&scanner, value) || value->kind == JSON_STRING)
		return false;
	s->pos = scanner.pos;
	return true;
}

static bool members_in_place(Builder *b, InPlace *s, ColumnNode *parent);

/* See read_value(). */
static inline bool
value_in_place(Builder *b, InPlace *s, ColumnNode *c)
{
	const char *start = s->pos;
	int			len;
	int64		n;

	if (start == s->end)
		return false;
	begin_value(b, c);
	if (take_int(s, &n))
		add_int(b, c, n);
	else if (*start == '\\')
	{
		if (!take_string(s, &start, &len))
			return false;
		add_text(b, c, TOKEN_STRING, start, len);
	}
	else if (*start == '{')
	{
		JsonSlice	object = {JSON_STRING, start - 1, 0, true};

		if (c->depth >= MAX_COLUMN_DEPTH || !members_in_place(b, s, c))
			return false;
		object.len = s->pos - start + 2;
		end_text(b, c, deltacc_json_unescape_into(begin_text(b, c, TOKEN_COMPOSITE, object.len), &object, "?"));
	}
	else
	{
		JsonSlice	value;

		if (!take_scalar(s, &value))
			return false;
		add_token(b, c, &value);
	}
	end_value(b, c);
	return true;
}

/* See walk_members(). */
static bool
members_in_place(Builder *b, InPlace *s, ColumnNode *parent)
{
	ColumnNode **guess = &parent->guess_child;
	JsonSlice	key;

	if (!take(s, '{'))
		return false;
	if (take(s, '}'))
		return true;
	do
	{
		ColumnNode *node = *guess;

		if (node == NULL || !take_key_of(s, node))
		{
			if (!take_key(s, &key))
				return false;
			node = node_of_key(b, parent, &key);
			if (node->guessable)
				*guess = node;
		}
		if (!value_in_place(b, s, node))
			return false;
		guess = &node->guess_next;
	} while (take(s, ','));
	return take(s, '}');
}

/* The object of statistics, up to the quote behind it. */
static bool
object_in_place(Builder *b, InPlace *s)
{
	if (!take(s, '{'))
		return false;
	do
	{
		JsonSlice	key;
		JsonSlice	value;
		ColumnNode *family = NULL;

		if (!take_key(s, &key))
			return false;
		if (deltacc_json_string_equals(&key, "minValues"))
			family = b->roots[COLUMN_MIN];
		else if (deltacc_json_string_equals(&key, "maxValues"))
			family = b->roots[COLUMN_MAX];
		else if (deltacc_json_string_equals(&key, "nullCount"))
			family = b->roots[COLUMN_NULL_COUNT];
		if (family != NULL)
		{
			begin_value(b, family);
			if (!members_in_place(b, s, family))
				return false;
			end_value(b, family);
		}
		else if (deltacc_json_string_equals(&key, "numRecords"))
		{
			ColumnNode *c = b->roots[COLUMN_NUM_RECORDS];

			/* Whatever it is, it has no members. */
			if (!take_scalar(s, &value))
				return false;
			begin_value(b, c);
			add_token(b, c, &value);
			end_value(b, c);
		}
		else if (!take_scalar(s, &value))
			return false;
	} while (take(s, ','));
	return take(s, '}') && s->pos < s->end && *s->pos == '"';
}

bool
deltacc_builder_stats_in_place(Builder *b, JsonScanner *line)
{
	InPlace		s = {line->pos + 1, line->end};

	if (*line->pos == '"' && object_in_place(b, &s))
	{
		line->pos = s.pos + 1;
		return true;
	}
	deltacc_builder_take_back(b);
	deltacc_builder_begin_file(b);
	return false;
}

/* ----- for the parser ----- */

void
deltacc_builder_start(Builder *b)
{
	initStringInfo(&b->key);
	grow_table(b);
	for (int family = 0; family < lengthof(b->roots); family++)
		b->roots[family] = make_node(b, NULL, family, "", 0, 0);
}

void
deltacc_builder_take_back(Builder *b)
{
	take_back(b, 0, b->ntouched);
}

void
deltacc_builder_add_token(Builder *b, ColumnNode *c, const JsonSlice *value)
{
	add_token(b, c, value);
}

char *
deltacc_builder_begin_text(Builder *b, ColumnNode *c, TokenKind kind, int max_len)
{
	return begin_text(b, c, kind, max_len);
}

void
deltacc_builder_end_text(Builder *b, ColumnNode *c, int len)
{
	end_text(b, c, len);
}

void
deltacc_builder_partition_values(Builder *b, const JsonSlice *object)
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
