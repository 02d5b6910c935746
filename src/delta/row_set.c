/*-------------------------------------------------------------------------
 *
 * row_set.c
 *	  Sets of row positions: reading, combining and writing Delta's 64-bit
 *	  array of roaring bitmaps.
 *
 * The two formats of Delta's RoaringBitmapArray differ in what stands around
 * the 32-bit bitmaps; these are of the roaring format specification.  A set is
 * combined container by container, each as a bitmap of 8 kB on the stack: that
 * is a microsecond, and the same for every pair of forms.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/row_set.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#define PORTABLE_MAGIC	1681511377
#define NATIVE_MAGIC	1681511376

/* Of the 32-bit bitmaps. */
#define COOKIE_RUNS		12347	/* in the low 16 bits */
#define COOKIE_NO_RUNS	12346
#define NO_OFFSET_THRESHOLD 4	/* fewer containers with runs have no offsets */
#define MAX_ARRAY		4096	/* more values than these are a bitmap */
#define BITMAP_BYTES	8192
#define BITMAP_WORDS	(BITMAP_BYTES / 8)
#define MAX_CONTAINERS_OF_BITMAP 65536

/* Delta's RoaringBitmapArray has no place for more. */
#define MAX_BITMAP_KEY	(PG_INT32_MAX - 1)

#define MAX_CONTAINERS	((int) (MaxAllocSize / sizeof(RowContainer)))

/* Bytes that are being read. */
typedef struct Bytes
{
	const uint8 *pos;
	const uint8 *end;
	const char *why;			/* what is wrong; NULL */
} Bytes;

/* A set that is being made. */
typedef struct Builder
{
	RowSet	   *set;
	int			allocated;
} Builder;

static inline uint16
load16(const uint8 *p)
{
	return (uint16) (p[0] | p[1] << 8);
}

static inline uint32
load32(const uint8 *p)
{
	return (uint32) p[0] | (uint32) p[1] << 8 | (uint32) p[2] << 16 | (uint32) p[3] << 24;
}

static bool
fail(Bytes *b, const char *why)
{
	if (b->why == NULL)
		b->why = why;
	return false;
}

/* The next n bytes; false if there are not so many. */
static bool
take(Bytes *b, Size n, const uint8 **p)
{
	if ((Size) (b->end - b->pos) < n)
		return fail(b, "it ends too early");
	*p = b->pos;
	b->pos += n;
	return true;
}

static void
begin_set(Builder *builder)
{
	builder->set = palloc0(sizeof(RowSet));
	builder->allocated = 4;
	builder->set->containers = palloc(sizeof(RowContainer) * builder->allocated);
}

static RowContainer *
add_container(Builder *builder)
{
	RowSet	   *set = builder->set;

	if (set->n == builder->allocated)
	{
		if (set->n >= MAX_CONTAINERS)
			ereport(ERROR,
					(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
					 errmsg("a set of rows has more than %d parts", MAX_CONTAINERS)));
		builder->allocated = Min(builder->allocated * 2, MAX_CONTAINERS);
		set->containers = repalloc(set->containers, sizeof(RowContainer) * builder->allocated);
	}
	return &set->containers[set->n++];
}

RowSet *
deltacc_row_set_empty(void)
{
	return palloc0(sizeof(RowSet));
}

/* ----- reading ----- */

static bool
check_array(Bytes *b, const RowContainer *c)
{
	for (int i = 1; i < c->cardinality; i++)
	{
		if (load16(c->data + 2 * i) <= load16(c->data + 2 * (i - 1)))
			return fail(b, "the values of an array container do not ascend");
	}
	return true;
}

static bool
check_bitmap(Bytes *b, const RowContainer *c)
{
	if (pg_popcount((const char *) c->data, BITMAP_BYTES) != (uint64) c->cardinality)
		return fail(b, "a bitmap container holds another number of values than it says");
	return true;
}

static bool
check_runs(Bytes *b, const RowContainer *c)
{
	int32		next = 0;		/* where the next run may begin */
	int32		n = 0;

	for (int i = 0; i < c->nruns; i++)
	{
		int32		first = load16(c->data + 4 * i);
		int32		last = first + load16(c->data + 4 * i + 2);

		if (first < next || last >= ROW_CONTAINER_VALUES)
			return fail(b, "the runs of a container overlap or leave it");
		n += last - first + 1;
		next = last + 1;
	}
	if (n != c->cardinality)
		return fail(b, "a run container holds another number of values than it says");
	return true;
}

/* One container; its key and cardinality are known. */
static bool
read_container(Bytes *b, RowContainer *c, bool runs)
{
	const uint8 *p;

	c->nruns = 0;
	if (runs)
	{
		if (!take(b, 2, &p))
			return false;
		c->kind = ROWS_RUNS;
		c->nruns = load16(p);
		return take(b, 4 * (Size) c->nruns, &c->data) && check_runs(b, c);
	}
	if (c->cardinality <= MAX_ARRAY)
	{
		c->kind = ROWS_ARRAY;
		return take(b, 2 * (Size) c->cardinality, &c->data) && check_array(b, c);
	}
	c->kind = ROWS_BITMAP;
	return take(b, BITMAP_BYTES, &c->data) && check_bitmap(b, c);
}

/* A 32-bit bitmap, of the rows whose upper half is high. */
static bool
read_bitmap(Bytes *b, uint32 high, Builder *builder)
{
	const uint8 *start = b->pos;
	const uint8 *run_flags = NULL;
	const uint8 *header;
	const uint8 *offsets = NULL;
	const uint8 *p;
	uint32		cookie;
	uint32		n;

	if (!take(b, 4, &p))
		return false;
	cookie = load32(p);
	if ((cookie & 0xFFFF) == COOKIE_RUNS)
	{
		n = (cookie >> 16) + 1;
		if (!take(b, (n + 7) / 8, &run_flags))
			return false;
	}
	else if (cookie == COOKIE_NO_RUNS)
	{
		if (!take(b, 4, &p))
			return false;
		n = load32(p);
	}
	else
		return fail(b, "a bitmap begins with none of the two cookies of the roaring format");
	if (n > MAX_CONTAINERS_OF_BITMAP)
		return fail(b, "a bitmap has more than 65536 containers");

	if (!take(b, 4 * (Size) n, &header))
		return false;
	if ((run_flags == NULL || n >= NO_OFFSET_THRESHOLD) && !take(b, 4 * (Size) n, &offsets))
		return false;
	for (uint32 i = 0; i < n; i++)
	{
		uint16		key = load16(header + 4 * i);
		RowContainer *c;

		CHECK_FOR_INTERRUPTS();
		if (i > 0 && key <= load16(header + 4 * (i - 1)))
			return fail(b, "the containers of a bitmap do not ascend");
		if (offsets != NULL && load32(offsets + 4 * i) != (Size) (b->pos - start))
			return fail(b, "a container does not stand where its offset says");
		if (builder->set->n >= MAX_CONTAINERS)
			return fail(b, "it has too many containers");
		c = add_container(builder);
		c->key = (int64) high << 16 | key;
		c->cardinality = load16(header + 4 * i + 2) + 1;
		if (!read_container(b, c, run_flags != NULL && (run_flags[i / 8] >> (i % 8) & 1)))
			return false;
		builder->set->cardinality += c->cardinality;
	}
	return true;
}

/* Number of bitmaps, then each with its key. */
static bool
read_portable(Bytes *b, Builder *builder)
{
	const uint8 *p;
	uint32		n;
	int64		last = -1;

	if (!take(b, 8, &p))
		return false;
	n = load32(p);
	if (load32(p + 4) != 0 || n > PG_INT32_MAX)
		return fail(b, "it has too many bitmaps");
	for (uint32 i = 0; i < n; i++)
	{
		uint32		key;

		CHECK_FOR_INTERRUPTS();
		if (!take(b, 4, &p))
			return false;
		key = load32(p);
		if (key > MAX_BITMAP_KEY)
			return fail(b, "a row is out of range");
		if ((int64) key <= last)
			return fail(b, "its bitmaps do not ascend");
		last = key;
		if (!read_bitmap(b, key, builder))
			return false;
	}
	return true;
}

/* Number of bitmaps, then each with its size; the first has key 0, and so on. */
static bool
read_native(Bytes *b, Builder *builder)
{
	const uint8 *p;
	uint32		n;

	if (!take(b, 4, &p))
		return false;
	n = load32(p);
	if (n > PG_INT32_MAX)
		return fail(b, "it has too many bitmaps");
	for (uint32 i = 0; i < n; i++)
	{
		Bytes		bitmap;
		const uint8 *data;
		uint32		size;

		CHECK_FOR_INTERRUPTS();
		if (!take(b, 4, &p))
			return false;
		size = load32(p);
		if (!take(b, size, &data))
			return false;
		bitmap.pos = data;
		bitmap.end = data + size;
		bitmap.why = NULL;
		if (!read_bitmap(&bitmap, i, builder))
			return fail(b, bitmap.why);
		if (bitmap.pos != bitmap.end)
			return fail(b, "a bitmap is shorter than it says");
	}
	return true;
}

RowSet *
deltacc_row_set_parse(const uint8 *data, Size len, const char **why)
{
	Bytes		b = {data, data + len, NULL};
	Builder		builder;
	const uint8 *p;
	bool		ok;

	begin_set(&builder);
	if (!take(&b, 4, &p))
		ok = false;
	else if (load32(p) == PORTABLE_MAGIC)
		ok = read_portable(&b, &builder);
	else if (load32(p) == NATIVE_MAGIC)
		ok = read_native(&b, &builder);
	else
		ok = fail(&b, "it begins with none of the two magic numbers 1681511377 and 1681511376");
	if (ok && b.pos != b.end)
		ok = fail(&b, "there are bytes behind its end");
	if (!ok)
	{
		*why = b.why;
		return NULL;
	}
	return builder.set;
}

/* ----- combining ----- */

static void
set_bits(uint64 *words, int first, int last)
{
	for (int i = first; i <= last;)
	{
		if (i % 64 == 0 && last - i >= 63)
		{
			words[i / 64] = ~UINT64CONST(0);
			i += 64;
		}
		else
		{
			words[i / 64] |= UINT64CONST(1) << (i % 64);
			i++;
		}
	}
}

static void
to_words(const RowContainer *c, uint64 *words)
{
	memset(words, 0, BITMAP_BYTES);
	switch ((RowContainerKind) c->kind)
	{
		case ROWS_ARRAY:
			for (int i = 0; i < c->cardinality; i++)
			{
				uint16		value = load16(c->data + 2 * i);

				words[value / 64] |= UINT64CONST(1) << (value % 64);
			}
			break;
		case ROWS_BITMAP:
			for (int i = 0; i < BITMAP_WORDS; i++)
				words[i] = (uint64) load32(c->data + 8 * i) | (uint64) load32(c->data + 8 * i + 4) << 32;
			break;
		case ROWS_RUNS:
			for (int i = 0; i < c->nruns; i++)
			{
				int			first = load16(c->data + 4 * i);

				set_bits(words, first, first + load16(c->data + 4 * i + 2));
			}
			break;
	}
}

static int
words_values(const uint64 *words, uint16 *values)
{
	int			n = 0;

	for (int i = 0; i < BITMAP_WORDS; i++)
	{
		for (uint64 word = words[i]; word != 0; word &= word - 1)
			values[n++] = (uint16) (i * 64 + pg_rightmost_one_pos64(word));
	}
	return n;
}

static void
store16(uint8 *p, uint16 value)
{
	p[0] = (uint8) value;
	p[1] = (uint8) (value >> 8);
}

static void
store_values(uint8 *p, const uint16 *values, int n)
{
	for (int i = 0; i < n; i++)
		store16(p + 2 * i, values[i]);
}

static void
store_words(uint8 *p, const uint64 *words)
{
	for (int i = 0; i < BITMAP_WORDS; i++)
	{
		for (int k = 0; k < 8; k++)
			p[8 * i + k] = (uint8) (words[i] >> (8 * k));
	}
}

void
deltacc_row_container_values(const RowContainer *c, uint16 *values)
{
	uint64		words[BITMAP_WORDS];

	to_words(c, words);
	(void) words_values(words, values);
}

/* Adds a container of these words, if there is any bit. */
static void
add_words(Builder *builder, int64 key, const uint64 *words)
{
	RowContainer *c;
	int			n = 0;
	uint8	   *data;

	for (int i = 0; i < BITMAP_WORDS; i++)
		n += pg_popcount64(words[i]);
	if (n == 0)
		return;
	c = add_container(builder);
	c->key = key;
	c->cardinality = n;
	c->nruns = 0;
	if (n <= MAX_ARRAY)
	{
		uint16		values[MAX_ARRAY];

		(void) words_values(words, values);
		c->kind = ROWS_ARRAY;
		data = palloc(2 * n);
		store_values(data, values, n);
	}
	else
	{
		c->kind = ROWS_BITMAP;
		data = palloc(BITMAP_BYTES);
		store_words(data, words);
	}
	c->data = data;
	builder->set->cardinality += n;
}

RowSet *
deltacc_row_set_of(const int64 *rows, int n)
{
	Builder		builder;
	int			i = 0;

	begin_set(&builder);
	while (i < n)
	{
		int64		key = rows[i] >> 16;
		uint64		words[BITMAP_WORDS];

		CHECK_FOR_INTERRUPTS();
		memset(words, 0, sizeof(words));
		for (; i < n && rows[i] >> 16 == key; i++)
			words[(rows[i] & 0xFFFF) / 64] |= UINT64CONST(1) << (rows[i] % 64);
		add_words(&builder, key, words);
	}
	return builder.set;
}

typedef enum SetOperation
{
	SET_UNION,
	SET_MINUS,
	SET_INTERSECTION
} SetOperation;

static void
copy_container(Builder *builder, const RowContainer *c)
{
	*add_container(builder) = *c;
	builder->set->cardinality += c->cardinality;
}

static RowSet *
combine(const RowSet *a, const RowSet *b, SetOperation operation)
{
	Builder		builder;
	int			i = 0,
				j = 0;

	begin_set(&builder);
	while (i < a->n || j < b->n)
	{
		CHECK_FOR_INTERRUPTS();
		if (j == b->n || (i < a->n && a->containers[i].key < b->containers[j].key))
		{
			if (operation != SET_INTERSECTION)
				copy_container(&builder, &a->containers[i]);
			i++;
		}
		else if (i == a->n || b->containers[j].key < a->containers[i].key)
		{
			if (operation == SET_UNION)
				copy_container(&builder, &b->containers[j]);
			j++;
		}
		else
		{
			uint64		x[BITMAP_WORDS];
			uint64		y[BITMAP_WORDS];

			to_words(&a->containers[i], x);
			to_words(&b->containers[j], y);
			for (int k = 0; k < BITMAP_WORDS; k++)
				x[k] = operation == SET_UNION ? x[k] | y[k] :
					operation == SET_MINUS ? x[k] & ~y[k] : x[k] & y[k];
			add_words(&builder, a->containers[i].key, x);
			i++;
			j++;
		}
	}
	return builder.set;
}

RowSet *
deltacc_row_set_union(const RowSet *a, const RowSet *b)
{
	return combine(a, b, SET_UNION);
}

RowSet *
deltacc_row_set_minus(const RowSet *a, const RowSet *b)
{
	return combine(a, b, SET_MINUS);
}

RowSet *
deltacc_row_set_intersection(const RowSet *a, const RowSet *b)
{
	return combine(a, b, SET_INTERSECTION);
}

bool
deltacc_row_set_contains(const RowSet *whole, const RowSet *part)
{
	return deltacc_row_set_minus(part, whole)->cardinality == 0;
}

/* ----- writing ----- */

static void
append16(StringInfo out, uint16 value)
{
	uint8		bytes[2];

	store16(bytes, value);
	appendBinaryStringInfo(out, (char *) bytes, 2);
}

static void
append32(StringInfo out, uint32 value)
{
	append16(out, (uint16) value);
	append16(out, (uint16) (value >> 16));
}

/* The runs in a container's values. */
static int
count_runs(const uint16 *values, int n)
{
	int			runs = n > 0 ? 1 : 0;

	for (int i = 1; i < n; i++)
		runs += values[i] != values[i - 1] + 1;
	return runs;
}

/* The size of a container in its smallest form, and whether this is as runs. */
static Size
smallest_form(const RowContainer *c, bool *as_runs)
{
	uint16		values[ROW_CONTAINER_VALUES];
	Size		plain = c->cardinality <= MAX_ARRAY ? 2 * (Size) c->cardinality : BITMAP_BYTES;
	Size		runs;

	deltacc_row_container_values(c, values);
	runs = 2 + 4 * (Size) count_runs(values, c->cardinality);
	/* Where they are equal, runs: with them a bitmap's header is shorter. */
	*as_runs = runs <= plain;
	return Min(runs, plain);
}

static void
write_container(StringInfo out, const RowContainer *c, bool as_runs)
{
	uint16		values[ROW_CONTAINER_VALUES];
	int			n = c->cardinality;

	deltacc_row_container_values(c, values);
	if (as_runs)
	{
		append16(out, (uint16) count_runs(values, n));
		for (int i = 0; i < n;)
		{
			int			first = i;

			while (i + 1 < n && values[i + 1] == values[i] + 1)
				i++;
			append16(out, values[first]);
			append16(out, (uint16) (values[i] - values[first]));
			i++;
		}
	}
	else if (n <= MAX_ARRAY)
	{
		for (int i = 0; i < n; i++)
			append16(out, values[i]);
	}
	else
	{
		uint64		words[BITMAP_WORDS];

		to_words(c, words);
		enlargeStringInfo(out, BITMAP_BYTES);
		store_words((uint8 *) out->data + out->len, words);
		out->len += BITMAP_BYTES;
	}
}

/* The 32-bit bitmap of n containers. */
static void
write_bitmap(StringInfo out, const RowContainer *containers, int n)
{
	bool	   *as_runs = palloc(n);
	Size	   *sizes = palloc(sizeof(Size) * n);
	bool		any_runs = false;
	Size		offset;

	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		sizes[i] = smallest_form(&containers[i], &as_runs[i]);
		any_runs |= as_runs[i];
	}
	if (any_runs)
	{
		append32(out, COOKIE_RUNS | (uint32) (n - 1) << 16);
		for (int i = 0; i < n; i += 8)
		{
			char		flags = 0;

			for (int k = i; k < n && k < i + 8; k++)
				flags |= as_runs[k] << (k - i);
			appendStringInfoCharMacro(out, flags);
		}
		offset = 4 + (n + 7) / 8;
	}
	else
	{
		append32(out, COOKIE_NO_RUNS);
		append32(out, n);
		offset = 8;
	}
	for (int i = 0; i < n; i++)
	{
		append16(out, (uint16) containers[i].key);
		append16(out, (uint16) (containers[i].cardinality - 1));
	}
	if (!any_runs || n >= NO_OFFSET_THRESHOLD)
	{
		offset += 8 * (Size) n;
		for (int i = 0; i < n; i++)
		{
			append32(out, (uint32) offset);
			offset += sizes[i];
		}
	}
	for (int i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		write_container(out, &containers[i], as_runs[i]);
	}
	pfree(as_runs);
	pfree(sizes);
}

/* How many containers from i on belong to the same 32-bit bitmap. */
static int
same_bitmap(const RowSet *set, int i)
{
	int			n = 1;

	while (i + n < set->n && set->containers[i + n].key >> 16 == set->containers[i].key >> 16)
		n++;
	return n;
}

void
deltacc_row_set_serialize(StringInfo out, const RowSet *set)
{
	int			nbitmaps = 0;

	for (int i = 0; i < set->n; i += same_bitmap(set, i))
		nbitmaps++;
	append32(out, PORTABLE_MAGIC);
	append32(out, nbitmaps);
	append32(out, 0);
	for (int i = 0; i < set->n;)
	{
		int			n = same_bitmap(set, i);

		append32(out, (uint32) (set->containers[i].key >> 16));
		write_bitmap(out, &set->containers[i], n);
		i += n;
	}
}
