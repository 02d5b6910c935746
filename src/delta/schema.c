/*-------------------------------------------------------------------------
 *
 * schema.c
 *	  A table's schema: partition columns, which columns have statistics, and
 *	  finding columns by name.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/nearest.h"
#include "base/text.h"
#include "delta/schema_internal.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"

/* DeltaConfigs.DATA_SKIPPING_NUM_INDEXED_COLS */
#define DEFAULT_INDEXED_COLUMNS 32

/* How many names a hint offers. */
#define MAX_SUGGESTIONS 3

/* ----- names ----- */

const char *
deltacc_for_message(const char *utf8)
{
	int			len;

	return deltacc_from_utf8(utf8, strlen(utf8), &len);
}

static void
bad_property(const char *key, const char *value)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for table property \"%s\": \"%s\"",
					key, deltacc_for_message(value))));
}

/*
 * Character.toLowerCase for the scripts that have cases and occur in column
 * names: Latin, Greek, Cyrillic, Armenian, full-width.  PostgreSQL's own
 * lower() would depend on a collation.
 */
static pg_wchar
lower_character(pg_wchar c)
{
	if (c < 0x80)
		return pg_ascii_tolower((unsigned char) c);
	if (c < 0x100)
		return c >= 0xC0 && c <= 0xDE && c != 0xD7 ? c + 0x20 : c;
	if (c < 0x180)
	{
		if (c == 0x130)
			return 'i';
		if (c == 0x178)
			return 0xFF;
		if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
			return c % 2 == 1 ? c + 1 : c;
		if (c == 0x138 || c == 0x149 || c == 0x17F)
			return c;
		return c % 2 == 0 ? c + 1 : c;
	}
	if (c >= 0x370 && c < 0x400)
	{
		if (c == 0x386)
			return 0x3AC;
		if (c >= 0x388 && c <= 0x38A)
			return c + 37;
		if (c == 0x38C)
			return 0x3CC;
		if (c == 0x38E || c == 0x38F)
			return c + 63;
		return c >= 0x391 && c <= 0x3AB && c != 0x3A2 ? c + 0x20 : c;
	}
	if (c >= 0x400 && c < 0x530)
	{
		if (c <= 0x40F)
			return c + 0x50;
		if (c <= 0x42F)
			return c >= 0x410 ? c + 0x20 : c;
		if ((c >= 0x460 && c <= 0x481) || (c >= 0x48A && c <= 0x4BF) || c >= 0x4D0)
			return c % 2 == 0 ? c + 1 : c;
		if (c == 0x4C0)
			return 0x4CF;
		return c >= 0x4C1 && c <= 0x4CE && c % 2 == 1 ? c + 1 : c;
	}
	if (c >= 0x531 && c <= 0x556)
		return c + 0x30;
	if ((c >= 0x1E00 && c <= 0x1E95) || (c >= 0x1EA0 && c <= 0x1EFF))
		return c % 2 == 0 ? c + 1 : c;
	if (c >= 0xFF21 && c <= 0xFF3A)
		return c + 0x20;
	return c;
}

/* The next character of UTF-8 text, however broken; moves on. */
static pg_wchar
next_character(const unsigned char **s, const unsigned char *end)
{
	int			l = pg_utf_mblen((unsigned char *) *s);
	pg_wchar	c;

	if (l > end - *s || !pg_utf8_islegal(*s, l))
		return *(*s)++;
	c = utf8_to_unicode((unsigned char *) *s);
	*s += l;
	return c;
}

bool
deltacc_name_equal(const char *a, int a_len, const char *b, int b_len)
{
	const unsigned char *p = (const unsigned char *) a;
	const unsigned char *q = (const unsigned char *) b;
	const unsigned char *p_end = p + a_len;
	const unsigned char *q_end = q + b_len;

	while (p < p_end && q < q_end)
	{
		if (lower_character(next_character(&p, p_end)) != lower_character(next_character(&q, q_end)))
			return false;
	}
	return p == p_end && q == q_end;
}

void
deltacc_append_name(StringInfo out, const char *name)
{
	bool		plain = name[0] != '\0';
	bool		digits = true;

	for (const char *p = name; *p; p++)
	{
		bool		digit = *p >= '0' && *p <= '9';

		digits = digits && digit;
		plain = plain && (digit || *p == '_' || (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z'));
	}
	if (plain && !digits)
	{
		appendStringInfoString(out, name);
		return;
	}
	appendStringInfoChar(out, '`');
	for (const char *p = name; *p; p++)
	{
		if (*p == '`')
			appendStringInfoChar(out, '`');
		appendStringInfoChar(out, *p);
	}
	appendStringInfoChar(out, '`');
}

/* ----- which columns have statistics (StatisticsCollection) ----- */

/* Types of which Delta could use at least the number of NULLs. */
static bool
can_have_stats(const DeltaField *field)
{
	DeltaKind	kind = field->type.kind;

	if (field->is_partition || strchr(field->physical_name, DELTACC_PATH_SEPARATOR) != NULL)
		return false;
	return (kind >= DELTA_BOOLEAN && kind <= DELTA_TIMESTAMP_NTZ) || kind == DELTA_VARIANT;
}

static DeltaField *
field_at(const DeltaField *fields, int i)
{
	return (DeltaField *) &fields[i];
}

/*
 * The first leaves in the order of the text, depth first; -1: all of them.
 * Arrays and maps count as one.  Returns how many may still follow.
 */
static int
index_first(const DeltaField *fields, int nfields, int left)
{
	check_stack_depth();

	for (int i = 0; i < nfields && left != 0; i++)
	{
		DeltaField *field = field_at(fields, i);

		if (field->is_partition)
			continue;
		if (field->type.kind == DELTA_STRUCT)
		{
			left = index_first(field->type.fields, field->type.nfields, left);
			continue;
		}
		field->has_stats = can_have_stats(field);
		if (left > 0)
			left--;
	}
	return left;
}

/* A column as delta.dataSkippingStatsColumns names it: its segments. */
typedef struct ColumnPath
{
	int			nsegments;
	DeltaString *segments;
} ColumnPath;

/*
 * The fields that paths name, from their segment number depth on.  A struct
 * named as a whole has all its leaves, unless fields of it are named as well.
 */
static void
index_named(const DeltaField *fields, int nfields, List *paths, int depth)
{
	check_stack_depth();

	for (int i = 0; i < nfields; i++)
	{
		DeltaField *field = field_at(fields, i);
		List	   *below = NIL;
		bool		whole = false;
		ListCell   *lc;

		CHECK_FOR_INTERRUPTS();
		foreach(lc, paths)
		{
			ColumnPath *path = lfirst(lc);
			DeltaString segment = path->segments[depth];

			if (!deltacc_name_equal(field->name, strlen(field->name), segment.data, segment.len))
				continue;
			if (path->nsegments == depth + 1)
				whole = true;
			else
				below = lappend(below, path);
		}
		if (field->is_partition || (below == NIL && !whole))
			continue;
		if (field->type.kind == DELTA_STRUCT)
		{
			if (below == NIL)
				index_first(field->type.fields, field->type.nfields, -1);
			else
				index_named(field->type.fields, field->type.nfields, below, depth + 1);
		}
		else if (below == NIL)
			field->has_stats = can_have_stats(field);
	}
}

static const char *
skip_blanks(const char *s)
{
	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	return s;
}

/* One segment, in backticks or plain (of ASCII, to Spark); NULL for what is
 * none. */
static const char *
parse_segment(const char *s, DeltaString *segment)
{
	StringInfoData name;

	initStringInfo(&name);
	if (*s == '`')
	{
		for (s++;; s++)
		{
			if (*s == '\0')
				return NULL;
			if (*s == '`' && *++s != '`')
				break;
			appendStringInfoChar(&name, *s);
		}
	}
	else
	{
		while ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
			   *s == '_')
			appendStringInfoChar(&name, *s++);
	}
	segment->data = name.data;
	segment->len = name.len;
	return name.len > 0 ? s : NULL;
}

/* "a, b.c, `d.e`".  False for what is no such list: then nothing is indexed. */
static bool
parse_column_list(const char *s, List **paths)
{
	*paths = NIL;
	s = skip_blanks(s);
	if (*s == '\0')
		return true;
	for (;;)
	{
		ColumnPath *path = palloc0(sizeof(ColumnPath));

		do
		{
			s = skip_blanks(path->nsegments > 0 ? s + 1 : s);
			path->segments = path->nsegments == 0 ? palloc(sizeof(DeltaString)) :
				repalloc(path->segments, (path->nsegments + 1) * sizeof(DeltaString));
			s = parse_segment(s, &path->segments[path->nsegments++]);
			if (s == NULL)
				return false;
			s = skip_blanks(s);
		} while (*s == '.');
		*paths = lappend(*paths, path);
		if (*s == '\0')
			return true;
		if (*s != ',')
			return false;
		s = skip_blanks(s + 1);
	}
}

/* Integer.parseInt, or nothing indexed. */
static int
parse_column_count(const char *s)
{
	char	   *end;
	long		value;

	errno = 0;
	value = strtol(s, &end, 10);
	if (end == s || *end != '\0' || errno != 0 || value > INT_MAX || *s == ' ')
		return 0;
	return value < 0 ? -1 : (int) value;
}

/* Where a leaf stands, and what decides: for advice on what to set. */
static void
number_leaves(const DeltaField *fields, int nfields, const char *stats_columns, int *n)
{
	check_stack_depth();

	for (int i = 0; i < nfields; i++)
	{
		DeltaField *field = field_at(fields, i);

		if (field->is_partition)
			continue;
		if (field->type.kind == DELTA_STRUCT)
			number_leaves(field->type.fields, field->type.nfields, stats_columns, n);
		else
			field->leaf_number = ++*n;
		field->stats_columns = stats_columns;
	}
}

static void
resolve_statistics(DeltaSchema *schema, DeltaConfigLookup lookup, void *lookup_arg)
{
	const char *columns = lookup(lookup_arg, "delta.dataSkippingStatsColumns");
	const char *count = lookup(lookup_arg, "delta.dataSkippingNumIndexedCols");
	List	   *paths;
	int			n = 0;

	number_leaves(schema->fields, schema->nfields, columns ? pstrdup(columns) : NULL, &n);
	if (columns == NULL)
		index_first(schema->fields, schema->nfields, count ? parse_column_count(count) : DEFAULT_INDEXED_COLUMNS);
	else if (parse_column_list(columns, &paths))
		index_named(schema->fields, schema->nfields, paths, 0);
}

/* ----- the schema as a whole ----- */

static DeltaField *
find_top_level(const DeltaSchema *schema, const char *name)
{
	for (int i = 0; i < schema->nfields; i++)
	{
		if (strcmp(schema->fields[i].name, name) == 0)
			return field_at(schema->fields, i);
	}
	return (DeltaField *) deltacc_schema_find(schema, NULL, name, strlen(name));
}

static void
resolve_partition_columns(DeltaSchema *schema, char **names, int n)
{
	schema->partition_columns = palloc0(Max(n, 1) * sizeof(DeltaField *));
	schema->npartition_columns = n;
	for (int i = 0; i < n; i++)
	{
		DeltaField *field = find_top_level(schema, names[i]);

		if (field == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("partition column \"%s\" is not in the table's schema",
							deltacc_for_message(names[i])),
					 errhint("Pass the metaData action unchanged, as it stands in the log.")));
		field->is_partition = true;
		field->partition_index = i;
		schema->partition_columns[i] = field;
	}
}

static bool
is_column_mapping_on(DeltaConfigLookup lookup, void *lookup_arg)
{
	const char *mode = lookup(lookup_arg, "delta.columnMapping.mode");

	if (mode == NULL || pg_strcasecmp(mode, "none") == 0)
		return false;
	if (pg_strcasecmp(mode, "name") != 0 && pg_strcasecmp(mode, "id") != 0)
		bad_property("delta.columnMapping.mode", mode);
	return true;
}

DeltaSchema *
deltacc_schema_parse(const char *schema_string, int len,
					 char **partition_columns, int npartition_columns,
					 DeltaConfigLookup lookup, void *lookup_arg)
{
	DeltaSchema *schema = palloc0(sizeof(DeltaSchema));

	schema->fields = deltacc_schema_fields(schema_string, len, is_column_mapping_on(lookup, lookup_arg),
										   &schema->nfields);
	resolve_partition_columns(schema, partition_columns, npartition_columns);
	resolve_statistics(schema, lookup, lookup_arg);
	return schema;
}

const DeltaField *
deltacc_schema_find(const DeltaSchema *schema, const DeltaField *parent,
					const char *name, int len)
{
	const DeltaField *fields = parent ? parent->type.fields : schema->fields;
	int			nfields = parent ? parent->type.nfields : schema->nfields;

	for (int i = 0; i < nfields; i++)
	{
		if (deltacc_name_equal(fields[i].name, strlen(fields[i].name), name, len))
			return &fields[i];
	}
	return NULL;
}

/* ----- suggestions ----- */

typedef struct Suggestions
{
	int			n;
	const char *paths[MAX_SUGGESTIONS];
	int			distances[MAX_SUGGESTIONS];
} Suggestions;

/* A path without its backticks: those are no letters of the name. */
static char *
bare_path(const char *path)
{
	char	   *copy = pstrdup(path);
	char	   *to = copy;

	for (const char *p = copy; *p; p++)
	{
		if (*p != '`')
			*to++ = *p;
	}
	*to = '\0';
	return copy;
}

/*
 * What is left of a path behind its first point; a qualifier may stand there.
 * NULL: nothing.
 */
static const char *
behind_point(const char *path)
{
	const char *point = strchr(path, '.');

	return point != NULL && point[1] != '\0' ? point + 1 : NULL;
}

/*
 * How far a field is from the name that was written; more than any slip if it
 * isn't near.  A field of a struct may be named without the struct.
 */
static int
field_distance(const DeltaField *field, const char *name)
{
	char	   *candidate = bare_path(field->logical_path);
	const char *rest = behind_point(name);
	int			limit = deltacc_slip_limit(name, candidate);
	int			distance = deltacc_name_distance(name, candidate, limit);

	if (distance > limit)
		distance = INT_MAX;
	if (distance > 0 && rest != NULL)
	{
		int			other;

		limit = deltacc_slip_limit(rest, candidate);
		other = deltacc_name_distance(rest, candidate, limit);
		if (other <= limit)
			distance = Min(distance, other);
	}
	if (distance > 1 && deltacc_name_equal(field->name, strlen(field->name), name, strlen(name)))
		distance = 1;
	pfree(candidate);
	return distance;
}

static void
suggest_below(Suggestions *best, const DeltaField *fields, int nfields, const char *name)
{
	check_stack_depth();

	for (int i = 0; i < nfields; i++)
	{
		const DeltaField *field = &fields[i];
		int			distance = field_distance(field, name);
		int			place = best->n;

		CHECK_FOR_INTERRUPTS();
		while (place > 0 && best->distances[place - 1] > distance)
			place--;
		if (distance < INT_MAX && place < MAX_SUGGESTIONS)
		{
			if (best->n < MAX_SUGGESTIONS)
				best->n++;
			for (int j = best->n - 1; j > place; j--)
			{
				best->paths[j] = best->paths[j - 1];
				best->distances[j] = best->distances[j - 1];
			}
			best->paths[place] = field->logical_path;
			best->distances[place] = distance;
		}
		suggest_below(best, field->type.fields, field->type.nfields, name);
	}
}

const char *
deltacc_schema_suggest_field(const DeltaField *parent, const char *name)
{
	const char *best = NULL;
	int			least = INT_MAX;

	for (int i = 0; i < parent->type.nfields; i++)
	{
		const DeltaField *field = &parent->type.fields[i];
		int			limit = deltacc_slip_limit(name, field->name);
		int			distance = deltacc_name_distance(name, field->name, limit);

		if (distance <= limit && distance < least)
		{
			best = field->logical_path;
			least = distance;
		}
	}
	return best;
}

char *
deltacc_schema_suggest(const DeltaSchema *schema, const char *name)
{
	Suggestions best = {0};
	StringInfoData out;
	char	   *bare = bare_path(name);

	suggest_below(&best, schema->fields, schema->nfields, bare);
	if (best.n == 0)
		return NULL;

	initStringInfo(&out);
	appendStringInfoString(&out, best.n == 1 ? "The nearest column is " : "The nearest columns are ");
	for (int i = 0; i < best.n; i++)
		appendStringInfo(&out, "%s%s", i == 0 ? "" : i + 1 < best.n ? ", " : " and ", best.paths[i]);
	appendStringInfoChar(&out, '.');
	return out.data;
}
