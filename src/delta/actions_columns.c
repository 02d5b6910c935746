/*-------------------------------------------------------------------------
 *
 * actions_columns.c
 *	  The columns of a deltacc.actions value: their directory, their bounds,
 *	  their values.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/actions_internal.h"
#include "delta/shape.h"
#include "utils/memutils.h"

static const char *const family_names[] = {
	[COLUMN_PATH] = "path",
	[COLUMN_PARTITION] = "partitionValues",
	[COLUMN_MIN] = "minValues",
	[COLUMN_MAX] = "maxValues",
	[COLUMN_NULL_COUNT] = "nullCount",
	[COLUMN_NUM_RECORDS] = "numRecords",
	[COLUMN_DV_ID] = "deletionVector",
};

static void
load_directory(DeltaActions *a)
{
	if (a->directory != NULL)
		return;
	a->keys = deltacc_actions_fetch_section(a, &a->header.keys);
	a->columns = MemoryContextAllocExtended(a->context,
											Max(a->header.ncolumns, 1) * sizeof(ActionsColumn *),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	a->values = MemoryContextAllocExtended(a->context,
										   Max(a->header.ncolumns, 1) * sizeof(struct ActionsValuesReader *),
										   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	a->directory = (const ColumnEntry *) deltacc_actions_fetch_section(a, &a->header.directory);
}

/* A key of the directory: not terminated. */
static const char *
entry_key(const DeltaActions *a, const ColumnEntry *entry)
{
	if ((uint64) entry->key_offset + entry->key_length > a->header.keys.size)
		deltacc_actions_corrupt("directory");
	return a->keys + entry->key_offset;
}

static int
compare_entry(const DeltaActions *a, const ColumnEntry *entry, ColumnFamily family,
			  const char *key, uint32 key_length)
{
	const char *own = entry_key(a, entry);
	int			order;

	if (entry->family != family)
		return entry->family < family ? -1 : 1;
	order = memcmp(own, key, Min(entry->key_length, key_length));
	if (order == 0 && entry->key_length != key_length)
		order = entry->key_length < key_length ? -1 : 1;
	return order;
}

/* The place of a column in the directory; -1 if the value has none such. */
static int
find_column(const DeltaActions *a, ColumnFamily family, const char *key)
{
	uint32		key_length = strlen(key);
	int			low = 0;
	int			high = a->header.ncolumns;

	while (low < high)
	{
		int			middle = low + (high - low) / 2;
		int			order = compare_entry(a, &a->directory[middle], family, key, key_length);

		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* The parts of a stored column, read in place. */
typedef struct StoredColumn
{
	const ColumnEntry *entry;
	const uint32 *rows;			/* NULL: not sparse */
	const uint8 *kinds;			/* NULL: uniform */
	const int64 *ints;
	const uint32 *ends;
	const char *heap;
} StoredColumn;

static void
check_entry(const DeltaActions *a, const ColumnEntry *entry)
{
	uint32		n = a->header.nfiles;

	if (entry->nentries == 0 || entry->offset % 8 != 0 ||
		((entry->flags & COLUMN_SPARSE) ? entry->nentries > n : entry->nentries != n) ||
		((entry->flags & COLUMN_UNIFORM) && (entry->kind == TOKEN_ABSENT || entry->kind > TOKEN_COMPOSITE)) ||
		entry->shape > SHAPE_PREFIX || !(entry->flags & COLUMN_VALUES) != (entry->shape <= SHAPE_INT) ||
		(entry->shape == SHAPE_INT && !(entry->flags & COLUMN_INTS)) ||
		column_parts(entry->flags, entry->nentries, entry->heap_size).size != entry->size ||
		(uint64) entry->offset + entry->size > a->header.columns.size)
		deltacc_actions_corrupt("directory");
}

/* Which parts a kind needs, as COLUMN_... */
static const uint8 needed_part[] = {
	[TOKEN_INT] = COLUMN_INTS,
	[TOKEN_NUMBER] = COLUMN_TEXTS,
	[TOKEN_STRING] = COLUMN_TEXTS,
	[TOKEN_COMPOSITE] = COLUMN_TEXTS,
};

static void
check_rows(const DeltaActions *a, const uint32 *rows, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		if (rows[i] >= a->header.nfiles || (i > 0 && rows[i] <= rows[i - 1]))
			deltacc_actions_corrupt("column");
	}
}

/*
 * Whoever reads the column later follows kinds, rows and ends blindly, so they
 * are checked here, once.
 */
static void
check_stored(const DeltaActions *a, const StoredColumn *c)
{
	const ColumnEntry *entry = c->entry;
	uint32		end = 0;

	for (uint32 i = 0; c->kinds != NULL && i < entry->nentries; i++)
	{
		if (c->kinds[i] > TOKEN_COMPOSITE || (needed_part[c->kinds[i]] & ~entry->flags))
			deltacc_actions_corrupt("column");
	}
	if (c->kinds == NULL && (needed_part[entry->kind] & ~entry->flags))
		deltacc_actions_corrupt("column");
	if (c->rows != NULL)
		check_rows(a, c->rows, entry->nentries);
	for (uint32 i = 0; c->ends != NULL && i < entry->nentries; i++)
	{
		if (c->ends[i] < end || c->ends[i] > entry->heap_size)
			deltacc_actions_corrupt("column");
		end = c->ends[i];
	}
}

/* The column as it is stored, checked. */
static StoredColumn
fetch_column(DeltaActions *a, const ColumnEntry *entry)
{
	StoredColumn c = {.entry = entry};
	ColumnParts parts;
	const char *data;

	check_entry(a, entry);
	data = deltacc_actions_fetch(a, a->header.columns.offset + entry->offset, entry->size);
	parts = column_parts(entry->flags, entry->nentries, entry->heap_size);
	if (entry->flags & COLUMN_SPARSE)
		c.rows = (const uint32 *) data;
	if (!(entry->flags & COLUMN_UNIFORM))
		c.kinds = (const uint8 *) data + parts.kinds;
	if (entry->flags & COLUMN_INTS)
		c.ints = (const int64 *) (data + parts.ints);
	if (entry->flags & COLUMN_TEXTS)
		c.ends = (const uint32 *) (data + parts.ends);
	c.heap = data + parts.heap;
	check_stored(a, &c);
	return c;
}

/* An array of the column's, zeroed: of any size that the file count may ask. */
static void *
column_array(uint32 n, size_t element)
{
	return palloc_extended(Max(n, 1) * element, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
}

/* Spreads the entries of a sparse column over all rows. */
static void
spread(ActionsColumn *column, const StoredColumn *c)
{
	uint8	   *kinds = column_array(column->n, sizeof(uint8));
	int64	   *ints = c->ints ? column_array(column->n, sizeof(int64)) : NULL;
	uint32	   *ends = c->ends ? column_array(column->n, sizeof(uint32)) : NULL;
	uint32		end = 0;
	uint32		i = 0;

	for (uint32 e = 0; e < c->entry->nentries; e++)
	{
		uint32		row = c->rows[e];

		for (; ends != NULL && i < row; i++)
			ends[i] = end;
		kinds[row] = c->kinds ? c->kinds[e] : c->entry->kind;
		if (ints != NULL)
			ints[row] = c->ints[e];
		if (ends != NULL)
			end = c->ends[e];
	}
	for (; ends != NULL && i < column->n; i++)
		ends[i] = end;
	column->kinds = kinds;
	column->ints = ints;
	column->ends = ends;
}

static ActionsColumn *
load_column(DeltaActions *a, const ColumnEntry *entry)
{
	ActionsColumn *column = palloc0(sizeof(ActionsColumn));
	StoredColumn c = fetch_column(a, entry);

	column->n = a->header.nfiles;
	column->heap = c.heap;
	if (c.rows != NULL)
		spread(column, &c);
	else
	{
		column->ints = c.ints;
		column->ends = c.ends;
		column->kinds = c.kinds;
		if (c.kinds == NULL)
		{
			uint8	   *kinds = column_array(column->n, sizeof(uint8));

			memset(kinds, entry->kind, column->n);
			column->kinds = kinds;
			column->all_int = entry->kind == TOKEN_INT;
		}
	}
	return column;
}

const ActionsColumn *
deltacc_actions_column(DeltaActions *a, ColumnFamily family, const char *key)
{
	int			place;

	load_directory(a);
	place = find_column(a, family, key);
	if (place < 0)
	{
		/* each file has one */
		if (family == COLUMN_PATH && a->header.nfiles > 0)
			deltacc_actions_corrupt("directory");
		return NULL;
	}
	if (a->columns[place] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(a->context);

		a->columns[place] = load_column(a, &a->directory[place]);
		MemoryContextSwitchTo(old);
	}
	return a->columns[place];
}

/* ----- the short form ----- */

/* Values as they are read. */
struct ActionsValuesReader
{
	ActionsValues values;		/* must be first */
	DeltaActions *actions;
	uint32		offset;			/* of the first, in the whole value */
	const DeltaScalar *all;		/* NULL: by windows */
	MemoryContext window_context;
	int			window_start;	/* -1: none yet */
	const DeltaScalar *window;
};

/* Fetches values [start, start + n) as they are stored. */
static const DeltaScalar *
fetch_values(struct ActionsValuesReader *r, uint32 start, uint32 n)
{
	const char *data = deltacc_actions_fetch(r->actions, r->offset + start * sizeof(int64),
											 n * sizeof(int64));

	/* Who computes with dates counts on them to be dates. */
	if (!deltacc_shape_allows(r->values.shape, (const int64 *) data, n))
		deltacc_actions_corrupt("column");
	return (const DeltaScalar *) data;
}

/* A text of the section of bounds. */
static const BoundText *
bound_text(DeltaActions *a, int64 number, DeltaString *text)
{
	const BoundText *b;

	if (a->bounds == NULL)
		a->bounds = (const BoundText *) deltacc_actions_fetch_section(a, &a->header.bounds);
	if (number < 0 || number >= a->header.bounds.size / sizeof(BoundText))
		deltacc_actions_corrupt("table of bounds");
	b = &a->bounds[number];
	if (b->length > sizeof(b->text))
		deltacc_actions_corrupt("table of bounds");
	text->len = b->length;
	text->data = (b->flags & BOUND_NONE) ? NULL : b->text;
	return b;
}

static struct ActionsValuesReader *
open_values(DeltaActions *a, const ColumnEntry *entry)
{
	struct ActionsValuesReader *r = palloc0(sizeof(struct ActionsValuesReader));
	ActionsValues *v = &r->values;
	ColumnParts parts;
	uint32		start = a->header.columns.offset + entry->offset;
	const uint8 *kinds = NULL;

	check_entry(a, entry);
	parts = column_parts(entry->flags, entry->nentries, entry->heap_size);
	r->actions = a;
	r->offset = start + (entry->shape == SHAPE_INT ? parts.ints : parts.values);
	r->window_start = -1;
	v->n = a->header.nfiles;
	v->shape = entry->shape;
	v->scale = entry->scale;
	v->least.i = entry->least;
	v->greatest.i = entry->greatest;
	if (entry->shape == SHAPE_PREFIX)
	{
		bound_text(a, entry->least, &v->prefix);
		if (v->prefix.len < entry->scale)
			deltacc_actions_corrupt("directory");
		v->prefix.len = entry->scale;
	}

	if (!(entry->flags & COLUMN_UNIFORM))
		kinds = (const uint8 *) deltacc_actions_fetch(a, start + parts.kinds, entry->nentries);
	else if (!TOKEN_HAS_VALUE(entry->kind))
		deltacc_actions_corrupt("column");
	v->kinds = kinds;

	/* Few values are spread over the rows. */
	if (entry->flags & COLUMN_SPARSE)
	{
		const uint32 *rows = (const uint32 *) deltacc_actions_fetch(a, start, entry->nentries * sizeof(uint32));
		const DeltaScalar *values = fetch_values(r, 0, entry->nentries);
		DeltaScalar *all = column_array(v->n, sizeof(DeltaScalar));
		uint8	   *all_kinds = column_array(v->n, sizeof(uint8));

		check_rows(a, rows, entry->nentries);
		for (uint32 e = 0; e < entry->nentries; e++)
		{
			all[rows[e]] = values[e];
			all_kinds[rows[e]] = kinds ? kinds[e] : entry->kind;
		}
		r->all = all;
		v->kinds = all_kinds;
	}
	return r;
}

ActionsValues *
deltacc_actions_values(DeltaActions *a, ColumnFamily family, const char *key)
{
	int			place;

	load_directory(a);
	place = find_column(a, family, key);
	if (place < 0 || a->directory[place].shape == SHAPE_NONE)
		return NULL;
	if (a->values[place] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(a->context);

		a->values[place] = open_values(a, &a->directory[place]);
		MemoryContextSwitchTo(old);
	}
	return &a->values[place]->values;
}

const DeltaScalar *
deltacc_values_at(ActionsValues *v, int start, int n)
{
	struct ActionsValuesReader *r = (struct ActionsValuesReader *) v;
	int			window = start - start % VALUES_WINDOW;
	MemoryContext old;

	Assert(start + n <= Min(v->n, window + VALUES_WINDOW));
	if (r->all != NULL)
		return r->all + start;
	if (window != r->window_start)
	{
		/*
		 * One window after the other in the same memory: that of all would have
		 * to be got from the system, page by page.
		 */
		if (r->window_context == NULL)
			r->window_context = AllocSetContextCreate(r->actions->context, "deltacc values",
													  ALLOCSET_SMALL_SIZES);
		MemoryContextReset(r->window_context);
		old = MemoryContextSwitchTo(r->window_context);
		r->window = fetch_values(r, window, Min(VALUES_WINDOW, v->n - window));
		r->window_start = window;
		MemoryContextSwitchTo(old);
	}
	return r->window + (start - window);
}

const DeltaScalar *
deltacc_values_all(ActionsValues *v)
{
	struct ActionsValuesReader *r = (struct ActionsValuesReader *) v;

	return r->all ? r->all : fetch_values(r, 0, v->n);
}

bool
deltacc_actions_all_int(DeltaActions *a, ColumnFamily family, const char *key)
{
	const ColumnEntry *entry;
	int			place;

	load_directory(a);
	place = find_column(a, family, key);
	if (place < 0)
		return false;
	entry = &a->directory[place];
	return (entry->flags & (COLUMN_UNIFORM | COLUMN_SPARSE)) == COLUMN_UNIFORM && entry->kind == TOKEN_INT;
}

bool
deltacc_actions_bounds(DeltaActions *a, ColumnFamily family, const char *key, ActionsBounds *bounds)
{
	const ColumnEntry *entry;
	int			place;

	load_directory(a);
	place = find_column(a, family, key);
	if (place < 0)
		return false;
	entry = &a->directory[place];
	if (!(entry->flags & COLUMN_BOUNDED))
		return false;
	memset(bounds, 0, sizeof(*bounds));
	if (!SHAPE_IS_TEXT(entry->shape))
		bounds->shape = entry->shape;
	bounds->scale = entry->scale;
	if (SHAPE_IS_TEXT(entry->shape))
		bounds->exact = !((bound_text(a, entry->least, &bounds->least_text)->flags |
						   bound_text(a, entry->greatest, &bounds->greatest_text)->flags) & BOUND_CUT);
	else
	{
		bounds->least.i = entry->least;
		bounds->greatest.i = entry->greatest;
		if (!deltacc_shape_allows(bounds->shape, &entry->least, 1) ||
			!deltacc_shape_allows(bounds->shape, &entry->greatest, 1))
			deltacc_actions_corrupt("directory");
	}
	return true;
}

DeltaString
deltacc_actions_text_at(DeltaActions *a, ColumnFamily family, const char *key, int row)
{
	DeltaString text = {0, ""};
	const ActionsColumn *column;
	const ColumnEntry *entry;
	ColumnParts parts;
	uint32		ends[2] = {0, 0};
	uint32		first = Max(row - 1, 0);
	uint32		start;
	int			place;

	load_directory(a);
	place = find_column(a, family, key);
	if (place < 0)
		return text;
	entry = &a->directory[place];
	if (a->columns[place] != NULL || (entry->flags & COLUMN_SPARSE) ||
		!(entry->flags & COLUMN_UNIFORM) || !(entry->flags & COLUMN_TEXTS))
	{
		column = deltacc_actions_column(a, family, key);
		return column->ends != NULL ? deltacc_column_text(column, row) : text;
	}

	check_entry(a, entry);
	parts = column_parts(entry->flags, entry->nentries, entry->heap_size);
	start = a->header.columns.offset + entry->offset;
	memcpy(row > 0 ? &ends[0] : &ends[1],
		   deltacc_actions_fetch_bytes(a, start + parts.ends + first * sizeof(uint32),
									   (row - first + 1) * sizeof(uint32)),
		   (row - first + 1) * sizeof(uint32));
	if (ends[0] > ends[1] || ends[1] > entry->heap_size)
		deltacc_actions_corrupt("column");
	text.len = ends[1] - ends[0];
	text.data = deltacc_actions_fetch_bytes(a, start + parts.heap + ends[0], text.len);
	return text;
}

static int
compare_sequence(const void *a, const void *b)
{
	const ColumnEntry *ea = *(const ColumnEntry *const *) a;
	const ColumnEntry *eb = *(const ColumnEntry *const *) b;

	return (ea->sequence > eb->sequence) - (ea->sequence < eb->sequence);
}

const char **
deltacc_actions_keys(DeltaActions *a, ColumnFamily family, int *n)
{
	const ColumnEntry **entries;
	const char **keys;

	load_directory(a);
	entries = palloc_extended(Max(a->header.ncolumns, 1) * sizeof(ColumnEntry *), MCXT_ALLOC_HUGE);
	*n = 0;
	for (uint32 i = 0; i < a->header.ncolumns; i++)
	{
		if (a->directory[i].family == family)
			entries[(*n)++] = &a->directory[i];
	}
	qsort(entries, *n, sizeof(ColumnEntry *), compare_sequence);
	keys = palloc_extended(Max(*n, 1) * sizeof(char *), MCXT_ALLOC_HUGE);
	for (int i = 0; i < *n; i++)
		keys[i] = pnstrdup(entry_key(a, entries[i]), entries[i]->key_length);
	pfree(entries);
	return keys;
}

ActionsPart *
deltacc_actions_parts(DeltaActions *a, int *n)
{
	const ActionsHeader *h = &a->header;
	ActionsPart *parts;
	ActionsPart *p;

	load_directory(a);
	parts = p = palloc_extended(((Size) h->ncolumns + 8) * sizeof(ActionsPart), MCXT_ALLOC_HUGE);
	*p++ = (ActionsPart) {"header", NULL, h->header_size};
	*p++ = (ActionsPart) {"others", NULL, h->others.size};
	*p++ = (ActionsPart) {"directory", NULL, h->directory.size};
	*p++ = (ActionsPart) {"bounds", NULL, h->bounds.size};
	*p++ = (ActionsPart) {"keys", NULL, h->keys.size};
	*p++ = (ActionsPart) {"marks", NULL, h->marks.size};
	*p++ = (ActionsPart) {"files", NULL, h->files.size};
	for (uint32 i = 0; i < h->ncolumns; i++)
	{
		const ColumnEntry *entry = &a->directory[i];

		if (entry->family >= lengthof(family_names))
			deltacc_actions_corrupt("directory");
		*p++ = (ActionsPart) {family_names[entry->family],
			pnstrdup(entry_key(a, entry), entry->key_length), entry->size};
	}
	*p++ = (ActionsPart) {"text", NULL, h->text.size};
	*n = p - parts;
	return parts;
}
