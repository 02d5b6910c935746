/*-------------------------------------------------------------------------
 *
 * schema_change.c
 *	  Changes between two schemaStrings, and in one.
 *
 * ConflictChecker.checkSchemaChangesForConflicts and
 * TypeWideningMetadata.updateTypeChangeVersion.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <jansson.h>

#include "base/json_doc.h"
#include "conflict/schema_change.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"

#pragma GCC poison json_object

/* DeltaColumnMapping.COLUMN_MAPPING_METADATA_KEYS */
static const char *const mapping_keys[] = {
	"delta.columnMapping.id", "delta.columnMapping.physicalName", "delta.columnMapping.nested.ids",
	"parquet.field.id", "parquet.field.nested.ids",
};

/* A copy of a field's metadata without the keys of column mapping. */
static json_t *
other_metadata(json_t *field)
{
	json_t	   *metadata = json_object_get(field, "metadata");

	metadata = metadata ? json_deep_copy(metadata) : json_pack("{}");
	if (metadata == NULL)
		ereport(ERROR, (errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	metadata = deltacc_json_own(metadata);
	for (int i = 0; i < lengthof(mapping_keys); i++)
		json_object_del(metadata, mapping_keys[i]);
	return metadata;
}

static bool
field_differs_in_mapping_only(json_t *ours, json_t *theirs)
{
	static const char *const keys[] = {"name", "type", "nullable"};

	for (int i = 0; i < lengthof(keys); i++)
	{
		json_t	   *a = json_object_get(ours, keys[i]);
		json_t	   *b = json_object_get(theirs, keys[i]);

		if (a == NULL || b == NULL || !json_equal(a, b))
			return false;
	}
	return json_equal(other_metadata(ours), other_metadata(theirs));
}

bool
deltacc_schema_differs_in_mapping_only(const char *ours, const char *theirs)
{
	json_t	   *a = deltacc_json_document_or_null(ours, strlen(ours));
	json_t	   *b = deltacc_json_document_or_null(theirs, strlen(theirs));

	if (a == NULL || b == NULL)
		return false;
	a = json_object_get(a, "fields");
	b = json_object_get(b, "fields");
	if (!json_is_array(a) || !json_is_array(b) || json_array_size(a) != json_array_size(b))
		return false;
	for (size_t i = 0; i < json_array_size(a); i++)
	{
		if (!field_differs_in_mapping_only(json_array_get(a, i), json_array_get(b, i)))
			return false;
	}
	return true;
}

/* So many columns are named. */
#define MAX_NAMED 5

static json_t *
find_field(json_t *fields, const char *name)
{
	for (size_t i = 0; i < json_array_size(fields); i++)
	{
		json_t	   *field = json_array_get(fields, i);
		const char *other = json_string_value(json_object_get(field, "name"));

		if (other != NULL && strcmp(other, name) == 0)
			return field;
	}
	return NULL;
}

/* One more column; past the limit they are only counted. */
static void
append_change(StringInfo out, int *count, const char *name, const char *what)
{
	if (*count < MAX_NAMED)
		appendStringInfo(out, "%scolumn %s %s", *count > 0 ? ", " : "", name, what);
	(*count)++;
}

static const char *
simple_type(json_t *field)
{
	return json_string_value(json_object_get(field, "type"));
}

/* What else than the type differs between two fields, in words. */
static const char *
field_difference(json_t *old, json_t *field)
{
	json_t	   *a = json_object_get(old, "metadata");
	json_t	   *b = json_object_get(field, "metadata");
	const char *key;
	json_t	   *value;

	if (!json_equal(json_object_get(old, "nullable"), json_object_get(field, "nullable")))
		return json_is_false(json_object_get(field, "nullable")) ? "made NOT NULL" : "made nullable";
	json_object_foreach(b, key, value)
	{
		if (!json_equal(json_object_get(a, key), value))
			return psprintf("changed (%s)", key);
	}
	json_object_foreach(a, key, value)
	{
		if (json_object_get(b, key) == NULL)
			return psprintf("changed (%s)", key);
	}
	return "changed";
}

char *
deltacc_schema_describe_change(const char *ours, const char *theirs)
{
	json_t	   *a = ours ? deltacc_json_document_or_null(ours, strlen(ours)) : NULL;
	json_t	   *b = theirs ? deltacc_json_document_or_null(theirs, strlen(theirs)) : NULL;
	StringInfoData out;
	int			count = 0;

	a = json_object_get(a, "fields");
	b = json_object_get(b, "fields");
	if (!json_is_array(a) || !json_is_array(b))
		return NULL;
	initStringInfo(&out);
	for (size_t i = 0; i < json_array_size(b); i++)
	{
		json_t	   *field = json_array_get(b, i);
		const char *name = json_string_value(json_object_get(field, "name"));
		json_t	   *old = name ? find_field(a, name) : NULL;

		if (name == NULL)
			continue;
		if (old == NULL)
			append_change(&out, &count, name, "added");
		else if (!json_equal(json_object_get(old, "type"), json_object_get(field, "type")))
			append_change(&out, &count, name,
						  simple_type(old) && simple_type(field) ?
						  psprintf("changed from %s to %s", simple_type(old), simple_type(field)) :
						  "changed its type");
		else if (!json_equal(old, field))
			append_change(&out, &count, name, field_difference(old, field));
	}
	for (size_t i = 0; i < json_array_size(a); i++)
	{
		const char *name = json_string_value(json_object_get(json_array_get(a, i), "name"));

		if (name != NULL && find_field(b, name) == NULL)
			append_change(&out, &count, name, "dropped");
	}
	if (count > MAX_NAMED)
		appendStringInfo(&out, " and %d more", count - MAX_NAMED);
	return count > 0 ? out.data : NULL;
}

/* Moves the version of the type changes of a node and all below it. */
static bool
move_type_changes(json_t *node, int64 from)
{
	json_t	   *changes = json_object_get(json_object_get(node, "metadata"), "delta.typeChanges");
	bool		changed = false;
	const char *key;
	json_t	   *child;
	size_t		i;

	check_stack_depth();
	for (i = 0; i < json_array_size(changes); i++)
	{
		json_t	   *version = json_object_get(json_array_get(changes, i), "tableVersion");

		if (json_is_integer(version) && json_integer_value(version) == from)
		{
			json_integer_set(version, from + 1);
			changed = true;
		}
	}
	json_object_foreach(node, key, child)
	{
		if (strcmp(key, "metadata") != 0)
			changed |= move_type_changes(child, from);
	}
	json_array_foreach(node, i, child)
		changed |= move_type_changes(child, from);
	return changed;
}

char *
deltacc_schema_move_type_changes(const char *schema, int64 from)
{
	json_t	   *document = deltacc_json_document(schema, strlen(schema), "schemaString");

	return move_type_changes(document, from) ? deltacc_json_dump(document) : NULL;
}
