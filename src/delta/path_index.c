/*-------------------------------------------------------------------------
 *
 * path_index.c
 *	  In which of many commits was a file added?
 *
 * The bytes are a header, then the keys in order, then for each key how far its
 * commit is from the first one.  The latter are read only where a key is found.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "base/compat.h"
#include "common/hashfn.h"
#include "delta/path.h"
#include "delta/path_index.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#define PATH_INDEX_FORMAT	1

typedef struct PathIndexHeader
{
	uint32		format;
	uint32		nkeys;
	int64		first;			/* versions */
	int64		last;
} PathIndexHeader;


typedef struct AddedKey
{
	uint32		key;
	int64		version;
} AddedKey;

struct PathIndexBuilder
{
	MemoryContext context;
	int64		first;
	int64		last;
	AddedKey   *keys;
	uint32		n;
	uint32		capacity;
};

uint32
deltacc_path_index_key(DeltaString path)
{
	bool		absolute;
	DeltaString canonical = deltacc_path_canonical(path, NULL, &absolute);
	int			start = canonical.len;

	while (start > 0 && canonical.data[start - 1] != '/')
		start--;
	return hash_bytes((const unsigned char *) canonical.data + start, canonical.len - start);
}

/* ----- making one ----- */

PathIndexBuilder *
deltacc_path_index_builder(MemoryContext context)
{
	PathIndexBuilder *b = MemoryContextAllocZero(context, sizeof(PathIndexBuilder));

	b->context = context;
	b->first = PG_INT64_MAX;
	b->last = -1;
	b->capacity = 1024;
	b->keys = MemoryContextAlloc(context, b->capacity * sizeof(AddedKey));
	return b;
}

void
deltacc_path_index_add(PathIndexBuilder *b, int64 version, DeltaActions *actions)
{
	const ActionsColumn *paths;
	const uint8 *marks;
	int			n;

	b->first = Min(b->first, version);
	b->last = Max(b->last, version);
	if (!(deltacc_actions_flags(actions) & ACTIONS_HAS_ADD))
		return;
	marks = deltacc_actions_marks(actions, &n);
	paths = deltacc_actions_column(actions, COLUMN_PATH, "");
	for (int i = 0; i < n; i++)
	{
		if (FILE_MARK_KIND(marks[i]) != ACTION_ADD || paths == NULL || paths->kinds[i] != TOKEN_STRING)
			continue;
		if (b->n == b->capacity)
		{
			b->capacity *= 2;
			b->keys = repalloc_huge(b->keys, b->capacity * sizeof(AddedKey));
		}
		b->keys[b->n].key = deltacc_path_index_key(deltacc_column_text(paths, i));
		b->keys[b->n++].version = version;
	}
}

static int
compare_keys(const void *a, const void *b)
{
	const AddedKey *x = a;
	const AddedKey *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->version > y->version) - (x->version < y->version);
}

struct varlena *
deltacc_path_index_finish(PathIndexBuilder *b)
{
	PathIndexHeader header = {PATH_INDEX_FORMAT, 0, b->first, b->last};
	Size		size;
	struct varlena *result;
	char	   *at;
	uint32		kept = 0;

	qsort(b->keys, b->n, sizeof(AddedKey), compare_keys);
	for (uint32 i = 0; i < b->n; i++)
	{
		if (kept == 0 || compare_keys(&b->keys[kept - 1], &b->keys[i]) != 0)
			b->keys[kept++] = b->keys[i];
	}
	b->n = header.nkeys = kept;
	if (b->last - b->first > PG_UINT32_MAX)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("the versions of one index of paths lie too far apart")));

	size = VARHDRSZ + sizeof(header) + (Size) kept * 2 * sizeof(uint32);
	result = palloc(size);
	SET_VARSIZE(result, size);
	at = VARDATA(result);
	memcpy(at, &header, sizeof(header));
	at += sizeof(header);
	for (uint32 i = 0; i < kept; i++, at += sizeof(uint32))
		memcpy(at, &b->keys[i].key, sizeof(uint32));
	for (uint32 i = 0; i < kept; i++, at += sizeof(uint32))
	{
		uint32		distance = b->keys[i].version - b->first;

		memcpy(at, &distance, sizeof(uint32));
	}
	return result;
}

/* ----- looking up ----- */

static void
corrupt(void)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("an index of paths is corrupt"),
			 errhint("Delete the row of deltacc.snapshots that holds it; deltacc.keep_snapshots() makes it anew.")));
}

/* Bytes [offset, offset + size) behind the length word. */
static const char *
slice(Datum index, uint32 offset, uint32 size)
{
	struct varlena *bytes = PG_DETOAST_DATUM_SLICE(index, offset, size);

	if (VARSIZE_ANY_EXHDR(bytes) != size)
		corrupt();
	return VARDATA_ANY(bytes);
}

PathIndex *
deltacc_path_index_open(Datum bytes)
{
	PathIndex  *index = palloc(sizeof(PathIndex));
	PathIndexHeader header;
	Size		size = toast_raw_datum_size(bytes) - VARHDRSZ;
	const char *start;

	if (size < sizeof(header) || (size - sizeof(header)) % (2 * sizeof(uint32)) != 0)
		corrupt();
	index->bytes = bytes;
	index->nkeys = (size - sizeof(header)) / (2 * sizeof(uint32));
	start = slice(bytes, 0, sizeof(header) + index->nkeys * sizeof(uint32));
	memcpy(&header, start, sizeof(header));
	if (header.format != PATH_INDEX_FORMAT || header.nkeys != index->nkeys ||
		header.first < 0 || header.first > header.last)
		corrupt();
	index->first = header.first;
	index->last = header.last;
	index->keys = start + sizeof(header);
	return index;
}

static inline uint32
number_at(const char *numbers, uint32 i)
{
	uint32		n;

	memcpy(&n, numbers + (Size) i * sizeof(n), sizeof(n));
	return n;
}

void
deltacc_path_index_search(const PathIndex *index, int64 newest, const uint32 *keys, int nkeys,
						  int64 **versions, int *n, int *capacity)
{
	uint32		keys_size = index->nkeys * sizeof(uint32);
	const char *distances = NULL;
	uint32		from = 0;

	for (int k = 0; k < nkeys; k++)
	{
		uint32		high = index->nkeys;

		while (from < high)
		{
			uint32		middle = from + (high - from) / 2;

			if (number_at(index->keys, middle) < keys[k])
				from = middle + 1;
			else
				high = middle;
		}
		for (uint32 i = from; i < index->nkeys && number_at(index->keys, i) == keys[k]; i++)
		{
			int64		version;

			if (distances == NULL)
				distances = slice(index->bytes, sizeof(PathIndexHeader) + keys_size, keys_size);
			version = index->first + number_at(distances, i);
			if (version > index->last)
				corrupt();
			if (version > newest)
				continue;
			if (*n == *capacity)
			{
				*capacity = Max(64, *capacity * 2);
				*versions = *versions ? repalloc(*versions, *capacity * sizeof(int64)) :
					palloc(*capacity * sizeof(int64));
			}
			(*versions)[(*n)++] = version;
		}
	}
}
