/*-------------------------------------------------------------------------
 *
 * path.c
 *	  When do two paths of a log name the same file?
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/hex.h"
#include "common/hashfn.h"
#include "delta/path.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * One spelling in a set.  An absolute path of a table whose location is
 * unknown is entered once for each of its ends, too: as_end says that such an
 * end has this spelling, as_path that a path itself has.
 */
typedef struct PathEntry
{
	DeltaString key;			/* canonical */
	DeltaString text;			/* as it stood in the log */
	uint32		hash;
	int			value;
	int			end_value;
	DeltaString end_text;
	bool		absolute;
	bool		as_path;
	bool		as_end;
	bool		owned;			/* text is the set's, and key is text or its own */
	char		status;
} PathEntry;

static inline bool
key_equal(DeltaString a, DeltaString b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static inline uint32
key_hash(DeltaString s)
{
	return hash_bytes((const unsigned char *) s.data, s.len);
}

#define SH_PREFIX path_hash
#define SH_ELEMENT_TYPE PathEntry
#define SH_KEY_TYPE DeltaString
#define SH_KEY key
#define SH_HASH_KEY(tb, key) key_hash(key)
#define SH_EQUAL(tb, a, b) key_equal(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) a->hash
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct DeltaPathSet
{
	path_hash_hash *hash;
	MemoryContext context;
	const char *location;		/* canonical; NULL: unknown */
	int			count;
};

/* The length of "scheme:" at the start, 0 if there is none.  A colon that is
 * not followed by a slash belongs to a file name. */
static int
scheme_length(const char *s, int len)
{
	int			i;

	if (len == 0 || !isalpha((unsigned char) s[0]))
		return 0;
	for (i = 1; i < len; i++)
	{
		unsigned char c = s[i];

		if (c == ':')
			return i + 1 < len && s[i + 1] == '/' ? i + 1 : 0;
		if (!isalnum(c) && c != '+' && c != '-' && c != '.')
			return 0;
	}
	return 0;
}

/* Nothing to decode, to shorten or to strip?  True for almost every path. */
static bool
is_plain_relative(const char *s, int len)
{
	const char *end = s + len;
	const char *slash = s;

	if (len == 0 || s[0] == '/' || s[0] == '.' || memchr(s, '%', len) || memchr(s, ':', len))
		return false;
	while ((slash = memchr(slash, '/', end - slash)) != NULL)
	{
		slash++;
		if (slash == end || *slash == '/' || *slash == '.')
			return false;
	}
	return true;
}

/*
 * Decodes once, drops empty and "." segments, resolves "..", keeps a scheme
 * other than "file" in lower case; s3a and s3n are s3.
 */
static DeltaString
normalise(DeltaString path, bool *absolute)
{
	int			scheme = scheme_length(path.data, path.len);
	char	   *decoded = palloc(path.len + 1);
	char	   *out = palloc(path.len + 2);
	int			ndecoded = 0;
	int			n = 0;
	int			root;
	DeltaString result;

	for (int i = scheme; i < path.len; i++)
	{
		int			high,
					low;

		if (path.data[i] == '%' && i + 2 < path.len &&
			(high = deltacc_hex_digit(path.data[i + 1])) >= 0 &&
			(low = deltacc_hex_digit(path.data[i + 2])) >= 0)
		{
			decoded[ndecoded++] = (char) (high * 16 + low);
			i += 2;
		}
		else
			decoded[ndecoded++] = path.data[i];
	}

	if (scheme > 0 && !(scheme == 5 && pg_strncasecmp(path.data, "file:", 5) == 0))
	{
		for (int i = 0; i < scheme; i++)
			out[n++] = pg_ascii_tolower((unsigned char) path.data[i]);
		if (scheme == 4 && (memcmp(out, "s3a:", 4) == 0 || memcmp(out, "s3n:", 4) == 0))
		{
			out[2] = ':';
			n = 3;
		}
	}
	*absolute = scheme > 0 || (ndecoded > 0 && decoded[0] == '/');
	root = n;

	for (int i = 0; i < ndecoded;)
	{
		int			start = i;
		int			len;

		while (i < ndecoded && decoded[i] != '/')
			i++;
		len = i - start;
		i++;
		if (len == 0 || (len == 1 && decoded[start] == '.'))
			continue;
		if (len == 2 && decoded[start] == '.' && decoded[start + 1] == '.' && n > root)
		{
			while (n > root && out[n - 1] != '/')
				n--;
			if (n > root)
				n--;
			continue;
		}
		if (n > root || *absolute)
			out[n++] = '/';
		memcpy(out + n, decoded + start, len);
		n += len;
	}
	pfree(decoded);
	out[n] = '\0';
	result.data = out;
	result.len = n;
	return result;
}

DeltaString
deltacc_path_canonical(DeltaString path, const char *location, bool *absolute)
{
	DeltaString result;

	*absolute = false;
	if (is_plain_relative(path.data, path.len))
		return path;
	result = normalise(path, absolute);
	if (*absolute && location != NULL)
	{
		int			len = strlen(location);

		if (result.len > len + 1 && memcmp(result.data, location, len) == 0 && result.data[len] == '/')
		{
			result.data += len + 1;
			result.len -= len + 1;
			*absolute = false;
		}
	}
	return result;
}

char *
deltacc_path_location(const char *location)
{
	DeltaString in;
	bool		absolute;

	if (location == NULL || location[0] == '\0')
		return NULL;
	in.data = location;
	in.len = strlen(location);
	return unconstify(char *, normalise(in, &absolute).data);
}

char *
deltacc_path_of_table_name(const char *table_name)
{
	int			len;

	if (table_name == NULL)
		return NULL;
	len = strlen(table_name);
	if (len > 8 && pg_strncasecmp(table_name, "delta.`", 7) == 0 && table_name[len - 1] == '`')
		return deltacc_path_location(pnstrdup(table_name + 7, len - 8));
	if (table_name[0] == '/' || scheme_length(table_name, len) > 0)
		return deltacc_path_location(table_name);
	return NULL;
}

DeltaPathSet *
deltacc_path_set(const char *location, int size_hint)
{
	DeltaPathSet *set = palloc0(sizeof(DeltaPathSet));

	set->context = CurrentMemoryContext;
	set->hash = path_hash_create(set->context, Max(size_hint, 8), NULL);
	set->location = location;
	return set;
}

int
deltacc_path_set_count(const DeltaPathSet *set)
{
	return set->count;
}

/* The entry of a spelling, made if it isn't there. */
static PathEntry *
enter(DeltaPathSet *set, DeltaString key)
{
	bool		found;
	PathEntry  *entry = path_hash_insert(set->hash, key, &found);

	if (!found)
	{
		entry->as_path = entry->as_end = entry->absolute = entry->owned = false;
		entry->value = entry->end_value = 0;
	}
	return entry;
}

/* Makes an entry stand for a path; an absolute one is found by its ends, too. */
static void
fill(DeltaPathSet *set, PathEntry *entry, DeltaString path, bool absolute, int value)
{
	DeltaString key = entry->key;

	entry->as_path = true;
	entry->absolute = absolute;
	entry->text = path;
	entry->value = value;
	set->count++;
	if (!absolute || set->location != NULL)
		return;
	for (int i = 1; i < key.len; i++)
	{
		DeltaString end = {key.len - i, key.data + i};

		if (key.data[i - 1] != '/')
			continue;
		CHECK_FOR_INTERRUPTS();
		entry = enter(set, end);
		if (entry->as_end)
			continue;
		entry->as_end = true;
		entry->end_value = value;
		entry->end_text = path;
	}
}

bool
deltacc_path_set_add(DeltaPathSet *set, DeltaString path, int value)
{
	MemoryContext old = MemoryContextSwitchTo(set->context);
	bool		absolute;
	PathEntry  *entry = enter(set, deltacc_path_canonical(path, set->location, &absolute));
	bool		added = !entry->as_path;

	if (added)
		fill(set, entry, path, absolute, value);
	MemoryContextSwitchTo(old);
	return added;
}

int
deltacc_path_set_enter(DeltaPathSet *set, DeltaString path, int value, bool *added)
{
	MemoryContext old;
	bool		absolute;
	DeltaString key;
	PathEntry  *entry;
	char	   *copy;

	*added = false;
	/* Without a location the set may know it by another end. */
	if (set->location == NULL && deltacc_path_set_find(set, path, &value, NULL))
		return value;
	key = deltacc_path_canonical(path, set->location, &absolute);
	entry = enter(set, key);
	if (entry->as_path)
		return entry->value;

	old = MemoryContextSwitchTo(set->context);
	copy = memcpy(palloc(path.len + 1), path.data, path.len);
	copy[path.len] = '\0';
	if (key.data == path.data)
		entry->key.data = copy;
	else
		entry->key.data = memcpy(palloc(Max(key.len, 1)), key.data, key.len);
	path.data = copy;
	entry->owned = true;
	fill(set, entry, path, absolute, value);
	MemoryContextSwitchTo(old);
	*added = true;
	return value;
}

bool
deltacc_path_set_remove(DeltaPathSet *set, DeltaString path, int value)
{
	bool		absolute;
	PathEntry  *entry = path_hash_lookup(set->hash, deltacc_path_canonical(path, set->location, &absolute));
	const char *text;
	const char *key;

	if (entry == NULL || !entry->as_path || !entry->owned || entry->value != value ||
		entry->as_end || (absolute && set->location == NULL))
		return false;
	text = entry->text.data;
	key = entry->key.data;
	set->count--;
	path_hash_delete_item(set->hash, entry);
	if (key != text)
		pfree(unconstify(char *, key));
	pfree(unconstify(char *, text));
	return true;
}

bool
deltacc_path_set_find(DeltaPathSet *set, DeltaString path, int *value, bool *same_text)
{
	bool		absolute;
	DeltaString key;
	PathEntry  *entry;

	if (set->count == 0)
		return false;
	key = deltacc_path_canonical(path, set->location, &absolute);
	entry = path_hash_lookup(set->hash, key);
	if (entry != NULL && entry->as_path)
	{
		if (value)
			*value = entry->value;
		if (same_text)
			*same_text = key_equal(entry->text, path);
		return true;
	}
	if (entry != NULL && entry->as_end && !absolute)
	{
		if (value)
			*value = entry->end_value;
		if (same_text)
			*same_text = key_equal(entry->end_text, path);
		return true;
	}
	if (absolute && set->location == NULL)
	{
		for (int i = 1; i < key.len; i++)
		{
			DeltaString end = {key.len - i, key.data + i};

			if (key.data[i - 1] != '/')
				continue;
			CHECK_FOR_INTERRUPTS();
			entry = path_hash_lookup(set->hash, end);
			if (entry != NULL && entry->as_path && !entry->absolute)
			{
				if (value)
					*value = entry->value;
				if (same_text)
					*same_text = false;
				return true;
			}
		}
	}
	return false;
}
