/*-------------------------------------------------------------------------
 *
 * actions.c
 *	  Reading a deltacc.actions value, slice by slice.
 *
 * A value that is stored out of line is never detoasted: each section and each
 * column that is asked for is fetched as a slice.  Every offset and count is
 * checked where it is used, so that a corrupt value is an ERROR and nothing
 * worse.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/heaptoast.h"
#include "base/compat.h"
#include "base/counters.h"
#include "delta/actions.h"
#include "delta/actions_layout.h"
#include "utils/memutils.h"

/*
 * The slice that is fetched first, in whole chunks of TOAST: the header and, in
 * most commits, the sections behind it.
 */
#define FIRST_SLICE		(4 * TOAST_MAX_CHUNK_SIZE)

struct DeltaActions
{
	MemoryContext context;
	Datum		value;
	uint32		size;			/* of the whole varlena */

	/* What is in memory of it, from its start on. */
	const char *start;
	uint32		start_size;

	ActionsHeader header;

	/* NULL until asked for; owned by context */
	const FileAction *files;
	const OtherAction *others;
	const ColumnEntry *directory;
	const char *keys;
	ActionsColumn **columns;	/* by place in the directory */

	int			nslices;
	int64		slice_bytes;
};

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
corrupt(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("a value of type actions is corrupt"),
			 errdetail("Its %s can't be right.", what)));
}

/* ----- slices ----- */

static void
count_slice(DeltaActions *a, uint32 bytes)
{
	a->nslices++;
	a->slice_bytes += bytes;
	deltacc_counters.slices_fetched++;
	deltacc_counters.bytes_fetched += bytes;
}

/*
 * The bytes [offset, offset + size) of the value, aligned as they are in it.
 *
 * offset is a multiple of eight and counts the length word, which a slice has
 * as well: taking one from eight bytes before gives four bytes too many in
 * front, and what was wanted stands at an aligned place.
 */
static const char *
fetch(DeltaActions *a, uint32 offset, uint32 size)
{
	struct varlena *slice;

	if (size == 0)
		return "";
	if ((uint64) offset + size > a->size || offset < 8)
		corrupt("size");
	if ((uint64) offset + size <= a->start_size)
	{
		/* Read in place; where all is in memory, counted as a slice would be. */
		if (a->start_size == a->size)
			count_slice(a, size);
		return a->start + offset;
	}

	slice = PG_DETOAST_DATUM_SLICE(a->value, offset - 8, size + 4);
	if (VARSIZE(slice) - VARHDRSZ != size + 4)
		corrupt("size");
	count_slice(a, size);
	return (const char *) slice + 8;
}

/* The same for bytes that begin anywhere. */
static const char *
fetch_bytes(DeltaActions *a, uint32 offset, uint32 size)
{
	uint32		aligned = offset & ~(uint32) 7;

	return size == 0 ? "" : fetch(a, aligned, size + (offset - aligned)) + (offset - aligned);
}

static const char *
fetch_section(DeltaActions *a, const ActionsSection *section)
{
	MemoryContext old = MemoryContextSwitchTo(a->context);
	const char *data = fetch(a, section->offset, section->size);

	MemoryContextSwitchTo(old);
	return data;
}

/*
 * Makes the start of the value readable: all of it if it is in memory or can't
 * be sliced, else the first slice.
 */
static void
open_start(DeltaActions *a)
{
	struct varlena *value = (struct varlena *) DatumGetPointer(a->value);

	if (VARATT_IS_EXTERNAL_ONDISK(value))
	{
		struct varatt_external pointer;

		VARATT_EXTERNAL_GET_POINTER(pointer, value);
		if (!VARATT_EXTERNAL_IS_COMPRESSED(pointer))
		{
			uint32		wanted;
			struct varlena *slice;

			a->size = pointer.va_rawsize;
			wanted = Min(a->size - VARHDRSZ, FIRST_SLICE);
			slice = PG_DETOAST_DATUM_SLICE(a->value, 0, wanted);

			a->start = (const char *) slice;
			a->start_size = VARSIZE(slice);
			count_slice(a, wanted);
			return;
		}
	}

	/* Compressed, if somebody changed the column's storage: no slices, then. */
	value = PG_DETOAST_DATUM(a->value);
	if ((uintptr_t) value != MAXALIGN((uintptr_t) value))
	{
		struct varlena *copy = palloc(VARSIZE(value));

		memcpy(copy, value, VARSIZE(value));
		value = copy;
	}
	a->start = (const char *) value;
	a->start_size = a->size = VARSIZE(value);
	count_slice(a, Min(a->size, sizeof(ActionsHeader)));
}

static void
check_section(const DeltaActions *a, const ActionsSection *section, uint64 size, const char *what)
{
	if (section->offset % 8 != 0 || section->offset < sizeof(ActionsHeader) ||
		(uint64) section->offset + section->size > a->size || section->size != size)
		corrupt(what);
}

DeltaActions *
deltacc_actions_open(Datum value)
{
	DeltaActions *a = palloc0(sizeof(DeltaActions));
	ActionsHeader *h = &a->header;

	a->context = CurrentMemoryContext;
	a->value = value;
	deltacc_counters.values_opened++;
	open_start(a);

	if (a->start_size < offsetof(ActionsHeader, header_size))
		corrupt("size");
	memcpy(h, a->start, Min(sizeof(*h), a->start_size));
	if (h->magic != ACTIONS_MAGIC)
		corrupt("first word");
	if (h->layout_version != ACTIONS_LAYOUT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a value of type actions has layout version %d, this is deltacc with version %d",
						h->layout_version, ACTIONS_LAYOUT_VERSION),
				 errhint("Dump it with the deltacc that wrote it and load it again.")));
	if (a->start_size < sizeof(*h) || h->header_size != sizeof(*h))
		corrupt("header");
	check_section(a, &h->others, (uint64) h->nothers * sizeof(OtherAction), "table of actions");
	check_section(a, &h->bounds, h->bounds.size, "table of bounds");
	check_section(a, &h->directory, (uint64) h->ncolumns * sizeof(ColumnEntry), "directory");
	check_section(a, &h->keys, h->keys.size, "table of keys");
	check_section(a, &h->files, (uint64) h->nfiles * sizeof(FileAction), "table of files");
	check_section(a, &h->columns, h->columns.size, "section of columns");
	check_section(a, &h->text, h->text.size, "text");
	if (h->text.size == 0 || h->nactions > PG_INT32_MAX ||
		(uint64) h->nactions != (uint64) h->nfiles + h->nothers)
		corrupt("number of actions");
	return a;
}

int
deltacc_actions_slices(const DeltaActions *a, int64 *bytes)
{
	if (bytes != NULL)
		*bytes = a->slice_bytes;
	return a->nslices;
}

/* ----- header ----- */

uint32
deltacc_actions_flags(const DeltaActions *a)
{
	return a->header.flags;
}

int
deltacc_actions_count(const DeltaActions *a)
{
	return a->header.nactions;
}

bool
deltacc_actions_is_empty(const DeltaActions *a)
{
	return a->header.nactions == 0;
}

int64
deltacc_actions_version(DeltaActions *a)
{
	return a->header.table_version;
}

const uint8 *
deltacc_actions_fingerprint(const DeltaActions *a)
{
	return a->header.fingerprint;
}

/* ----- actions ----- */

/* The bytes of the text, without the NUL byte behind it. */
static inline uint32
text_length(const DeltaActions *a)
{
	return a->header.text.size - 1;
}

static void
check_action(const DeltaActions *a, int kind, int first_kind, int last_kind,
			 int32 ordinal, uint32 offset, uint32 length)
{
	if (kind < first_kind || kind > last_kind || ordinal < 1 || ordinal > a->header.nactions ||
		(uint64) offset + length > text_length(a))
		corrupt("table of actions");
}

const FileAction *
deltacc_actions_files(DeltaActions *a, int *n)
{
	*n = a->header.nfiles;
	if (a->files == NULL)
	{
		const FileAction *files = (const FileAction *) fetch_section(a, &a->header.files);

		for (int i = 0; i < *n; i++)
			check_action(a, files[i].kind, ACTION_ADD, ACTION_CDC, files[i].ordinal,
						 files[i].line_offset, files[i].line_length);
		a->files = files;
	}
	return a->files;
}

const OtherAction *
deltacc_actions_others(DeltaActions *a, int *n)
{
	*n = a->header.nothers;
	if (a->others == NULL)
	{
		const OtherAction *others = (const OtherAction *) fetch_section(a, &a->header.others);

		for (int i = 0; i < *n; i++)
			check_action(a, others[i].kind, ACTION_COMMIT_INFO, ACTION_OTHER, others[i].ordinal,
						 others[i].line_offset, others[i].line_length);
		a->others = others;
	}
	return a->others;
}

const OtherAction *
deltacc_actions_first(DeltaActions *a, ActionKind kind)
{
	int			n;
	const OtherAction *others = deltacc_actions_others(a, &n);

	for (int i = 0; i < n; i++)
	{
		if (others[i].kind == kind)
			return &others[i];
	}
	return NULL;
}

const OtherAction *
deltacc_actions_last(DeltaActions *a, ActionKind kind)
{
	int			n;
	const OtherAction *others = deltacc_actions_others(a, &n);

	for (int i = n - 1; i >= 0; i--)
	{
		if (others[i].kind == kind)
			return &others[i];
	}
	return NULL;
}

char *
deltacc_actions_line(DeltaActions *a, uint32 offset, uint32 length)
{
	char	   *line;
	const char *data;

	if ((uint64) offset + length > text_length(a))
		corrupt("table of actions");
	data = fetch_bytes(a, a->header.text.offset + offset, length);
	line = palloc(length + 1);
	memcpy(line, data, length);
	line[length] = '\0';
	return line;
}

char *
deltacc_actions_text(DeltaActions *a, int *len)
{
	const char *data = fetch(a, a->header.text.offset, a->header.text.size);

	/* It is stored with a NUL byte behind it, so it can be used as it is. */
	*len = text_length(a);
	if (data[*len] != '\0')
		corrupt("text");
	return (char *) data;
}

bool
deltacc_actions_equal(DeltaActions *a, DeltaActions *b)
{
	int			alen;
	int			blen;

	if (a->header.text.size != b->header.text.size ||
		memcmp(a->header.fingerprint, b->header.fingerprint, sizeof(a->header.fingerprint)) != 0)
		return false;
	return memcmp(deltacc_actions_text(a, &alen), deltacc_actions_text(b, &blen), a->header.text.size) == 0;
}

/* ----- columns ----- */

static void
load_directory(DeltaActions *a)
{
	if (a->directory != NULL)
		return;
	a->keys = fetch_section(a, &a->header.keys);
	a->columns = MemoryContextAllocExtended(a->context,
											Max(a->header.ncolumns, 1) * sizeof(ActionsColumn *),
											MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	a->directory = (const ColumnEntry *) fetch_section(a, &a->header.directory);
}

/* A key of the directory: not terminated. */
static const char *
entry_key(const DeltaActions *a, const ColumnEntry *entry)
{
	if ((uint64) entry->key_offset + entry->key_length > a->header.keys.size)
		corrupt("directory");
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
	const int64 *ints;
	const uint32 *ends;
	const uint8 *kinds;			/* NULL: uniform */
	const char *heap;
} StoredColumn;

static void
check_entry(const DeltaActions *a, const ColumnEntry *entry)
{
	uint32		n = a->header.nfiles;

	if (entry->nentries == 0 || entry->offset % 8 != 0 ||
		((entry->flags & COLUMN_SPARSE) ? entry->nentries > n : entry->nentries != n) ||
		((entry->flags & COLUMN_UNIFORM) && (entry->kind == TOKEN_ABSENT || entry->kind > TOKEN_COMPOSITE)) ||
		column_parts(entry->flags, entry->nentries, entry->heap_size).size != entry->size ||
		(uint64) entry->offset + entry->size > a->header.columns.size)
		corrupt("directory");
}

/* Which parts a kind needs, as COLUMN_... */
static const uint8 needed_part[] = {
	[TOKEN_INT] = COLUMN_INTS,
	[TOKEN_NUMBER] = COLUMN_TEXTS,
	[TOKEN_STRING] = COLUMN_TEXTS,
	[TOKEN_COMPOSITE] = COLUMN_TEXTS,
};

/*
 * Whoever reads the column later follows kinds, rows and ends blindly, so they
 * are checked here, once.
 */
static void
check_stored(const DeltaActions *a, const StoredColumn *c)
{
	const ColumnEntry *entry = c->entry;
	uint32		end = 0;

	for (uint32 i = 0; i < entry->nentries; i++)
	{
		if (c->kinds != NULL && c->kinds[i] > TOKEN_COMPOSITE)
			corrupt("column");
		if (c->rows != NULL && (c->rows[i] >= a->header.nfiles || (i > 0 && c->rows[i] <= c->rows[i - 1])))
			corrupt("column");
	}
	for (uint32 i = 0; c->ends != NULL && i < entry->nentries; i++)
	{
		if (c->ends[i] < end || c->ends[i] > entry->heap_size)
			corrupt("column");
		end = c->ends[i];
	}
	if (c->kinds == NULL)
	{
		if (needed_part[entry->kind] & ~entry->flags)
			corrupt("column");
	}
	else if ((entry->flags & (COLUMN_INTS | COLUMN_TEXTS)) != (COLUMN_INTS | COLUMN_TEXTS))
	{
		for (uint32 i = 0; i < entry->nentries; i++)
		{
			if (needed_part[c->kinds[i]] & ~entry->flags)
				corrupt("column");
		}
	}
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
	StoredColumn c = {.entry = entry};
	ColumnParts parts;
	const char *data;

	check_entry(a, entry);
	data = fetch(a, a->header.columns.offset + entry->offset, entry->size);
	parts = column_parts(entry->flags, entry->nentries, entry->heap_size);
	if (entry->flags & COLUMN_SPARSE)
		c.rows = (const uint32 *) data;
	if (entry->flags & COLUMN_INTS)
		c.ints = (const int64 *) (data + parts.ints);
	if (entry->flags & COLUMN_TEXTS)
		c.ends = (const uint32 *) (data + parts.ends);
	if (!(entry->flags & COLUMN_UNIFORM))
		c.kinds = (const uint8 *) data + parts.kinds;
	c.heap = data + parts.heap;
	check_stored(a, &c);

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
		return NULL;
	if (a->columns[place] == NULL)
	{
		MemoryContext old = MemoryContextSwitchTo(a->context);

		a->columns[place] = load_column(a, &a->directory[place]);
		MemoryContextSwitchTo(old);
	}
	return a->columns[place];
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
	parts = p = palloc_extended(((Size) h->ncolumns + 7) * sizeof(ActionsPart), MCXT_ALLOC_HUGE);
	*p++ = (ActionsPart) {"header", NULL, h->header_size};
	*p++ = (ActionsPart) {"others", NULL, h->others.size};
	*p++ = (ActionsPart) {"bounds", NULL, h->bounds.size};
	*p++ = (ActionsPart) {"directory", NULL, h->directory.size};
	*p++ = (ActionsPart) {"keys", NULL, h->keys.size};
	*p++ = (ActionsPart) {"files", NULL, h->files.size};
	for (uint32 i = 0; i < h->ncolumns; i++)
	{
		const ColumnEntry *entry = &a->directory[i];

		if (entry->family >= lengthof(family_names))
			corrupt("directory");
		*p++ = (ActionsPart) {family_names[entry->family],
			pnstrdup(entry_key(a, entry), entry->key_length), entry->size};
	}
	*p++ = (ActionsPart) {"text", NULL, h->text.size};
	*n = p - parts;
	return parts;
}
