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
#include "delta/actions_internal.h"
#include "utils/memutils.h"

/*
 * The slice that is fetched first, in whole chunks of TOAST: the header and, in
 * most commits, the sections behind it.
 */
#define FIRST_SLICE		(4 * TOAST_MAX_CHUNK_SIZE)

void
deltacc_actions_corrupt(const char *what)
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
const char *
deltacc_actions_fetch(DeltaActions *a, uint32 offset, uint32 size)
{
	struct varlena *slice;

	if (size == 0)
		return "";
	if ((uint64) offset + size > a->size || offset < 8)
		deltacc_actions_corrupt("size");
	if ((uint64) offset + size <= a->start_size)
	{
		/* Read in place; where all is in memory, counted as a slice would be. */
		if (a->start_size == a->size)
			count_slice(a, size);
		return a->start + offset;
	}

	slice = PG_DETOAST_DATUM_SLICE(a->value, offset - 8, size + 4);
	if (VARSIZE(slice) - VARHDRSZ != size + 4)
		deltacc_actions_corrupt("size");
	count_slice(a, size);
	return (const char *) slice + 8;
}

/* The same for bytes that begin anywhere. */
const char *
deltacc_actions_fetch_bytes(DeltaActions *a, uint32 offset, uint32 size)
{
	uint32		aligned = offset & ~(uint32) 7;

	return size == 0 ? "" : deltacc_actions_fetch(a, aligned, size + (offset - aligned)) + (offset - aligned);
}

const char *
deltacc_actions_fetch_section(DeltaActions *a, const ActionsSection *section)
{
	MemoryContext old = MemoryContextSwitchTo(a->context);
	const char *data = deltacc_actions_fetch(a, section->offset, section->size);

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
		deltacc_actions_corrupt(what);
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
		deltacc_actions_corrupt("size");
	memcpy(h, a->start, Min(sizeof(*h), a->start_size));
	if (h->magic != ACTIONS_MAGIC)
		deltacc_actions_corrupt("first word");
	if (h->layout_version != ACTIONS_LAYOUT_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("a value of type actions has layout version %d, this is deltacc with version %d",
						h->layout_version, ACTIONS_LAYOUT_VERSION),
				 errhint("Dump it with the deltacc that wrote it and load it again.")));
	if (a->start_size < sizeof(*h) || h->header_size != sizeof(*h))
		deltacc_actions_corrupt("header");
	check_section(a, &h->others, (uint64) h->nothers * sizeof(OtherAction), "table of actions");
	check_section(a, &h->bounds, h->bounds.size, "table of bounds");
	check_section(a, &h->directory, (uint64) h->ncolumns * sizeof(ColumnEntry), "directory");
	check_section(a, &h->keys, h->keys.size, "table of keys");
	check_section(a, &h->marks, h->nfiles, "table of marks");
	check_section(a, &h->files, (uint64) h->nfiles * sizeof(FileAction), "table of files");
	check_section(a, &h->columns, h->columns.size, "section of columns");
	check_section(a, &h->text, h->text.size, "text");
	if (h->text.size == 0 || h->nactions > PG_INT32_MAX ||
		(uint64) h->nactions != (uint64) h->nfiles + h->nothers)
		deltacc_actions_corrupt("number of actions");
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
		deltacc_actions_corrupt("table of actions");
}

int
deltacc_actions_file_count(const DeltaActions *a)
{
	return a->header.nfiles;
}

const uint8 *
deltacc_actions_marks(DeltaActions *a, int *n)
{
	*n = a->header.nfiles;
	if (a->marks == NULL)
	{
		const uint8 *marks = (const uint8 *) deltacc_actions_fetch_section(a, &a->header.marks);
		bool		wrong = false;

		for (int i = 0; i < *n; i++)
			wrong |= FILE_MARK_KIND(marks[i]) > ACTION_CDC;
		if (wrong)
			deltacc_actions_corrupt("table of marks");
		a->marks = marks;
	}
	return a->marks;
}

const FileAction *
deltacc_actions_files(DeltaActions *a, int *n)
{
	*n = a->header.nfiles;
	if (a->files == NULL)
	{
		const FileAction *files = (const FileAction *) deltacc_actions_fetch_section(a, &a->header.files);

		for (int i = 0; i < *n; i++)
			check_action(a, files[i].kind, ACTION_ADD, ACTION_CDC, files[i].ordinal,
						 files[i].line_offset, files[i].line_length);
		a->files = files;
	}
	return a->files;
}

FileAction
deltacc_actions_file(DeltaActions *a, int i)
{
	FileAction	file;

	if (a->files != NULL)
		return a->files[i];
	memcpy(&file, deltacc_actions_fetch(a, a->header.files.offset + i * sizeof(FileAction), sizeof(FileAction)),
		   sizeof(FileAction));
	check_action(a, file.kind, ACTION_ADD, ACTION_CDC, file.ordinal, file.line_offset, file.line_length);
	return file;
}

const OtherAction *
deltacc_actions_others(DeltaActions *a, int *n)
{
	*n = a->header.nothers;
	if (a->others == NULL)
	{
		const OtherAction *others = (const OtherAction *) deltacc_actions_fetch_section(a, &a->header.others);
		uint32		told = 0;

		for (int i = 0; i < *n; i++)
		{
			check_action(a, others[i].kind, ACTION_COMMIT_INFO, ACTION_OTHER, others[i].ordinal,
						 others[i].line_offset, others[i].line_length);
			if (others[i].kind == ACTION_PROTOCOL)
				told |= ACTIONS_HAS_PROTOCOL;
			else if (others[i].kind == ACTION_METADATA)
				told |= ACTIONS_HAS_METADATA;
		}
		/* who sees the flag takes the action for granted */
		if ((a->header.flags & (ACTIONS_HAS_PROTOCOL | ACTIONS_HAS_METADATA)) & ~told)
			deltacc_actions_corrupt("table of actions");
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
		deltacc_actions_corrupt("table of actions");
	line = palloc(length + 1);
	if (a->last_line != NULL && a->last_offset == offset && a->last_length == length)
		data = a->last_line;
	else
		data = deltacc_actions_fetch_bytes(a, a->header.text.offset + offset, length);
	memcpy(line, data, length);
	line[length] = '\0';

	/* A commit that is a winner again and again is asked for its commitInfo. */
	if (data != a->last_line && length <= LAST_LINE_SIZE)
	{
		if (a->last_line == NULL)
			a->last_line = MemoryContextAlloc(a->context, LAST_LINE_SIZE);
		memcpy(a->last_line, data, length);
		a->last_offset = offset;
		a->last_length = length;
	}
	return line;
}

char *
deltacc_actions_text(DeltaActions *a, int *len)
{
	const char *data = deltacc_actions_fetch(a, a->header.text.offset, a->header.text.size);

	/* It is stored with a NUL byte behind it, so it can be used as it is. */
	*len = text_length(a);
	if (data[*len] != '\0')
		deltacc_actions_corrupt("text");
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
