/*-------------------------------------------------------------------------
 *
 * actions_layout.c
 *	  Laying out a deltacc.actions value: from what the parser has gathered to
 *	  one piece of memory.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/large.h"
#include "delta/actions_build.h"
#include "delta/schema.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* A column with the path of its key. */
typedef struct FinishedColumn
{
	ColumnNode *node;
	const char *key;
} FinishedColumn;

/* The texts that bound columns of strings. */
typedef struct BoundTexts
{
	BoundText  *texts;
	uint32		n;
	uint32		capacity;
} BoundTexts;

void
deltacc_actions_too_big(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
			 errmsg("a value of type actions can't be larger than 1 GB"),
			 errdetail("Besides its text it holds an index of the file actions and their statistics.")));
}

/* ----- bounds ----- */

/*
 * Enters a string as a bound: its first bytes, and of an upper bound the next
 * greater string that is no longer.
 */
static int64
add_bound(BoundTexts *bounds, DeltaString s, bool upper)
{
	BoundText  *b;

	if (bounds->n == bounds->capacity)
	{
		bounds->capacity = Max(16, bounds->capacity * 2);
		bounds->texts = bounds->texts ?
			repalloc_huge(bounds->texts, bounds->capacity * sizeof(BoundText)) :
			palloc(bounds->capacity * sizeof(BoundText));
	}
	b = &bounds->texts[bounds->n];
	memset(b, 0, sizeof(*b));
	b->length = Min(s.len, sizeof(b->text));
	memcpy(b->text, s.data, b->length);
	if (s.len > sizeof(b->text))
	{
		b->flags = BOUND_CUT;
		if (upper)
		{
			while (b->length > 0 && (uint8) b->text[b->length - 1] == 0xFF)
				b->text[--b->length] = '\0';
			if (b->length == 0)
				b->flags |= BOUND_NONE;
			else
				b->text[b->length - 1]++;
		}
	}
	return bounds->n++;
}

static int
compare_texts(DeltaString a, DeltaString b)
{
	int			order = memcmp(a.data, b.data, Min(a.len, b.len));

	return order != 0 ? order : a.len - b.len;
}

static DeltaString
entry_text(const ColumnNode *c, uint32 i)
{
	uint32		start = i > 0 ? c->ends[i - 1] : 0;
	DeltaString s = {(int32) (c->ends[i] - start), c->heap + start};

	return s;
}

/*
 * The least and the greatest value of all files, and whether each that is added
 * has one.
 */
static void
bound_column(ColumnNode *c, const BuiltActions *built, uint32 nadds, BoundTexts *bounds)
{
	ValueShape	shape = c->shape.shape;
	bool		texts = SHAPE_IS_TEXT(shape);
	uint32		n = 0;
	uint32		adds = 0;
	uint32		least = 0;
	uint32		greatest = 0;

	if (c->family == COLUMN_PATH || c->family == COLUMN_DV_ID)
		return;
	for (uint32 i = 0; i < c->nentries; i++)
	{
		if (texts ? c->kinds[i] != TOKEN_STRING : !TOKEN_HAS_VALUE(c->kinds[i]))
			continue;
		adds += built->files[c->rows ? c->rows[i] : i].kind == ACTION_ADD;
		if (n++ == 0)
			least = greatest = i;
		else if (texts)
		{
			DeltaString text = entry_text(c, i);

			if (compare_texts(text, entry_text(c, least)) < 0)
				least = i;
			else if (compare_texts(text, entry_text(c, greatest)) > 0)
				greatest = i;
		}
		else if (deltacc_shape_less(shape, c->shape.values[i], c->shape.values[least]))
			least = i;
		else if (deltacc_shape_less(shape, c->shape.values[greatest], c->shape.values[i]))
			greatest = i;
	}
	if (nadds > 0 && adds == nadds)
		c->flags |= COLUMN_BOUNDED;
	if (!texts && n > 0)
	{
		c->least = c->shape.values[least];
		c->greatest = c->shape.values[greatest];
	}
	else if (shape == SHAPE_PREFIX || (c->flags & COLUMN_BOUNDED))
	{
		c->least = add_bound(bounds, entry_text(c, least), false);
		c->greatest = add_bound(bounds, entry_text(c, greatest), true);
	}
}

/* ----- columns ----- */

static int
compare_columns(const void *a, const void *b)
{
	const FinishedColumn *ca = a;
	const FinishedColumn *cb = b;
	int			order;

	if (ca->node->family != cb->node->family)
		return ca->node->family < cb->node->family ? -1 : 1;
	order = memcmp(ca->key, cb->key, Min(ca->node->key_length, cb->node->key_length));
	if (order == 0 && ca->node->key_length != cb->node->key_length)
		order = ca->node->key_length < cb->node->key_length ? -1 : 1;
	return order;
}

/* Writes the names from the root of the family down to a node. */
static const char *
make_key(ColumnNode *node)
{
	char	   *key;
	char	   *p;
	uint32		length = 0;

	for (ColumnNode *n = node; n->parent != NULL; n = n->parent)
		length += n->name_len + (n->parent->parent != NULL ? 1 : 0);
	key = palloc(length + 1);
	p = key + length;
	for (ColumnNode *n = node; n->parent != NULL; n = n->parent)
	{
		p -= n->name_len;
		memcpy(p, n->name, n->name_len);
		if (n->parent->parent != NULL)
			*--p = DELTACC_PATH_SEPARATOR;
	}
	node->key_length = length;
	return key;
}

/* Chooses how a column is stored. */
static void
plan_column(ColumnNode *c, uint32 nfiles)
{
	uint8		flags = 0;
	uint8		seen = 0;		/* bit per TokenKind */

	for (uint32 i = 0; i < c->nentries; i++)
		seen |= 1 << c->kinds[i];
	if (c->family == COLUMN_MIN || c->family == COLUMN_MAX ||
		c->family == COLUMN_NULL_COUNT || c->family == COLUMN_NUM_RECORDS)
	{
		TokenColumn tokens = {c->nentries, c->kinds, c->ints, c->ends, c->heap};

		c->shape = deltacc_shape_column(&tokens);
		if (c->shape.shape > SHAPE_INT)
			flags |= COLUMN_VALUES;
	}

	if (seen & (1 << TOKEN_INT))
		flags |= COLUMN_INTS;
	if (c->heap_size > 0 || (seen & (1 << TOKEN_STRING)))
		flags |= COLUMN_TEXTS;
	if ((seen & (seen - 1)) == 0)
		flags |= COLUMN_UNIFORM;

	c->flags = flags;
	c->parts = column_parts(flags, c->nentries, c->heap_size);
	if (c->nentries < nfiles)
	{
		/*
		 * Dense columns are read in place, so being sparse has to save half.
		 */
		ColumnParts sparse = column_parts(flags | COLUMN_SPARSE, c->nentries, c->heap_size);
		ColumnParts dense = column_parts(flags & ~COLUMN_UNIFORM, nfiles, c->heap_size);

		if (sparse.size * 2 <= dense.size)
		{
			c->flags = flags | COLUMN_SPARSE;
			c->parts = sparse;
		}
		else
		{
			c->flags = flags & ~COLUMN_UNIFORM;
			c->parts = dense;
		}
	}
}

/* Copies a part of the value into its place and clears what aligns the next. */
static void
put(char *place, const void *data, Size len)
{
	if (len > 0)
		memcpy(place, data, len);
	memset(place + len, 0, ACTIONS_ALIGN(len) - len);
}

/* The entries of a column for all rows: those where the key isn't are absent. */
static void
put_spread(const ColumnNode *c, uint32 nfiles, char *place)
{
	int64	   *values = (int64 *) (place + c->parts.values);
	int64	   *ints = (int64 *) (place + c->parts.ints);
	uint32	   *ends = (uint32 *) (place + c->parts.ends);
	uint8	   *kinds = (uint8 *) place + c->parts.kinds;
	uint32		end = 0;
	uint32		i = 0;

	memset(place, 0, c->parts.heap);
	for (uint32 row = 0; row < nfiles; row++)
	{
		if (i < c->nentries && (c->rows ? c->rows[i] : i) == row)
		{
			kinds[row] = c->kinds[i];
			if (c->flags & COLUMN_VALUES)
				values[row] = c->shape.values[i];
			if (c->flags & COLUMN_INTS)
				ints[row] = c->ints[i];
			if (c->flags & COLUMN_TEXTS)
				end = c->ends[i];
			i++;
		}
		if (c->flags & COLUMN_TEXTS)
			ends[row] = end;
	}
}

static void
put_column(const ColumnNode *c, uint32 nfiles, char *place)
{
	uint32		n = c->nentries;

	if (!(c->flags & COLUMN_SPARSE) && n < nfiles)
		put_spread(c, nfiles, place);
	else
	{
		if (c->flags & COLUMN_SPARSE)
		{
			uint32	   *rows = (uint32 *) place;

			put(place, c->rows, c->rows ? n * sizeof(uint32) : 0);
			if (c->rows == NULL)
			{
				memset(rows, 0, c->parts.kinds);
				for (uint32 i = 0; i < n; i++)
					rows[i] = i;
			}
		}
		if (!(c->flags & COLUMN_UNIFORM))
			put(place + c->parts.kinds, c->kinds, n);
		if (c->flags & COLUMN_VALUES)
			put(place + c->parts.values, c->shape.values, n * sizeof(int64));
		if (c->flags & COLUMN_INTS)
			put(place + c->parts.ints, c->ints, n * sizeof(int64));
		if (c->flags & COLUMN_TEXTS)
			put(place + c->parts.ends, c->ends, n * sizeof(uint32));
	}
	put(place + c->parts.heap, c->heap, c->heap_size);
}

/* All columns that have entries, in the order of the directory. */
static FinishedColumn *
finish_columns(const BuiltActions *built, BoundTexts *bounds, uint32 *n)
{
	FinishedColumn *columns;
	uint32		nadds = 0;

	for (uint32 i = 0; i < built->nfiles; i++)
		nadds += built->files[i].kind == ACTION_ADD;
	*n = 0;
	for (ColumnNode *c = built->columns; c != NULL; c = c->all_next)
		*n += c->nentries > 0;
	columns = MemoryContextAllocHuge(CurrentMemoryContext, Max(*n, 1) * sizeof(FinishedColumn));
	*n = 0;
	for (ColumnNode *c = built->columns; c != NULL; c = c->all_next)
	{
		if (c->nentries == 0)
			continue;
		CHECK_FOR_INTERRUPTS();
		plan_column(c, built->nfiles);
		bound_column(c, built, nadds, bounds);
		columns[*n].node = c;
		columns[(*n)++].key = make_key(c);
	}
	qsort(columns, *n, sizeof(FinishedColumn), compare_columns);
	return columns;
}

/* Appends a section of that size after all others. */
static ActionsSection
lay_section(uint64 *total, uint64 size)
{
	ActionsSection section;

	if (*total + size > MaxAllocSize)
		deltacc_actions_too_big();
	section.offset = *total;
	section.size = size;
	*total = ACTIONS_ALIGN(*total + size);
	return section;
}

/* What has been copied isn't kept. */
static void
free_column(ColumnNode *c)
{
	void	   *parts[] = {c->rows, c->kinds, c->ints, c->ends, c->heap,
	c->shape.values != c->ints ? unconstify(int64 *, c->shape.values) : NULL};

	for (int i = 0; i < lengthof(parts); i++)
	{
		if (parts[i] != NULL)
			pfree(parts[i]);
	}
}

struct varlena *
deltacc_lay_out_actions(BuiltActions *built, MemoryContext result_context)
{
	ActionsHeader h = {0};
	FinishedColumn *columns;
	uint64		total = sizeof(ActionsHeader);
	uint64		keys_size = 0;
	uint64		columns_size = 0;
	BoundTexts	bounds = {0};
	char	   *value;
	ColumnEntry *entry;
	char	   *key;
	char	   *column;

	columns = finish_columns(built, &bounds, &h.ncolumns);
	for (uint32 i = 0; i < h.ncolumns; i++)
	{
		keys_size += columns[i].node->key_length;
		columns_size += columns[i].node->parts.size;
	}

	h.magic = ACTIONS_MAGIC;
	h.layout_version = ACTIONS_LAYOUT_VERSION;
	h.header_size = sizeof(ActionsHeader);
	h.flags = built->flags;
	h.nactions = built->nactions;
	h.nfiles = built->nfiles;
	h.nothers = built->nothers;
	h.table_version = built->table_version;
	memcpy(h.fingerprint, built->fingerprint, sizeof(h.fingerprint));
	h.others = lay_section(&total, (uint64) h.nothers * sizeof(OtherAction));
	h.directory = lay_section(&total, (uint64) h.ncolumns * sizeof(ColumnEntry));
	h.bounds = lay_section(&total, (uint64) bounds.n * sizeof(BoundText));
	h.keys = lay_section(&total, keys_size);
	h.marks = lay_section(&total, h.nfiles);
	h.files = lay_section(&total, (uint64) h.nfiles * sizeof(FileAction));
	h.columns = lay_section(&total, columns_size);
	h.text = lay_section(&total, (uint64) built->text_len + 1);
	if (total > MaxAllocSize)
		deltacc_actions_too_big();

	value = deltacc_alloc_large(result_context, total);
	SET_VARSIZE(&h, total);
	memcpy(value, &h, sizeof(h));
	put(value + h.others.offset, built->others, h.others.size);
	put(value + h.bounds.offset, bounds.texts, h.bounds.size);
	for (uint32 i = 0; i < h.nfiles; i++)
		value[h.marks.offset + i] = FILE_MARK(built->files[i].kind, built->files[i].flags);
	memset(value + h.marks.offset + h.nfiles, 0, ACTIONS_ALIGN(h.nfiles) - h.nfiles);
	put(value + h.files.offset, built->files, h.files.size);

	entry = (ColumnEntry *) (value + h.directory.offset);
	key = value + h.keys.offset;
	column = value + h.columns.offset;
	for (uint32 i = 0; i < h.ncolumns; i++, entry++)
	{
		ColumnNode *c = columns[i].node;

		entry->key_offset = key - (value + h.keys.offset);
		entry->key_length = c->key_length;
		entry->offset = column - (value + h.columns.offset);
		entry->size = c->parts.size;
		entry->nentries = (c->flags & COLUMN_SPARSE) ? c->nentries : h.nfiles;
		entry->heap_size = c->heap_size;
		entry->sequence = c->sequence;
		entry->family = c->family;
		entry->flags = c->flags;
		entry->kind = (c->flags & COLUMN_UNIFORM) ? c->kinds[0] : 0;
		entry->shape = c->shape.shape;
		entry->scale = c->shape.scale;
		memset(entry->reserved, 0, sizeof(entry->reserved));
		entry->least = c->least;
		entry->greatest = c->greatest;
		memcpy(key, columns[i].key, c->key_length);
		put_column(c, h.nfiles, column);
		free_column(c);
		key += c->key_length;
		column += c->parts.size;
	}
	memset(key, 0, ACTIONS_ALIGN(h.keys.size) - h.keys.size);

	return (struct varlena *) value;
}

void
deltacc_lay_out_text(struct varlena *value, const char *text, uint32 text_len)
{
	const ActionsHeader *h = (const ActionsHeader *) value;
	char	   *place = (char *) value + h->text.offset;

	/* All of the index is freed by now, and the text may take its place. */
	deltacc_give_back_memory(h->columns.size);
	memcpy(place, text, text_len);
	memset(place + text_len, 0, (char *) value + VARSIZE(value) - place - text_len);
}
