/*-------------------------------------------------------------------------
 *
 * schema_json.c
 *	  Reads a schemaString: the JSON form of Spark's StructType.
 *
 * This file sees jansson, and so must not see utils/builtins.h.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <jansson.h>
#pragma GCC poison json_object

#include "base/json_doc.h"
#include "delta/schema_internal.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/* Keys of a field's metadata. */
#define PHYSICAL_NAME_KEY	"delta.columnMapping.physicalName"
#define TYPE_CHANGES_KEY	"delta.typeChanges"
#define CHAR_VARCHAR_KEY	"__CHAR_VARCHAR_TYPE_STRING"
#define COLLATIONS_KEY		"__COLLATIONS"

static DeltaField *read_fields(json_t *array, DeltaField *parent, bool mapped, int *nfields);

static void
bad_schema(const DeltaField *parent, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid schemaString in the table's metaData"),
			 parent ? errdetail("Below column \"%s\": %s",
								deltacc_for_message(parent->logical_path), detail)
			 : errdetail("%s", detail),
			 errhint("Pass the metaData action unchanged, as it stands in the log.")));
}

/* A member that is a string; NULL if there is none. */
static const char *
string_member(json_t *object, const char *key, const DeltaField *parent)
{
	json_t	   *value = json_object_get(object, key);

	if (!json_is_string(value))
		return NULL;
	if (strlen(json_string_value(value)) != json_string_length(value))
		bad_schema(parent, "A name holds a NUL character.");
	return pstrdup(json_string_value(value));
}

/* n of "char(n)", else 0. */
static int
char_length(const char *type_name)
{
	int			n = 0;

	if (strncmp(type_name, "char(", 5) != 0)
		return 0;
	for (const char *p = type_name + 5; *p >= '0' && *p <= '9' && n < 100000000; p++)
		n = n * 10 + (*p - '0');
	return Max(n, 1);
}

static bool
widened_from_float(json_t *metadata)
{
	json_t	   *changes = json_object_get(metadata, TYPE_CHANGES_KEY);
	size_t		i;
	json_t	   *change;

	json_array_foreach(changes, i, change)
	{
		const char *from = json_string_value(json_object_get(change, "fromType"));

		if (from && strcmp(from, "float") == 0)
			return true;
	}
	return false;
}

static void
read_type(DeltaField *field, json_t *type, json_t *metadata, bool mapped)
{
	const char *name;

	if (json_is_object(type))
	{
		name = string_member(type, "type", field);
		if (name && strcmp(name, "struct") == 0)
		{
			field->type = deltacc_type(DELTA_STRUCT);
			field->type.fields = read_fields(json_object_get(type, "fields"), field, mapped,
											 &field->type.nfields);
		}
		else if (name && strcmp(name, "array") == 0)
			field->type = deltacc_type(DELTA_ARRAY);
		else if (name && strcmp(name, "map") == 0)
			field->type = deltacc_type(DELTA_MAP);
		else
			field->type = deltacc_type(DELTA_OTHER);	/* udt, or yet to come */
		return;
	}
	if (!json_is_string(type))
		bad_schema(field, "It has no type.");

	field->type = deltacc_type_from_name(json_string_value(type), json_string_length(type));
	if (field->type.kind == DELTA_STRING)
	{
		const char *declared = string_member(metadata, CHAR_VARCHAR_KEY, field);

		field->type.char_length = char_length(declared ? declared : json_string_value(type));
		if (json_object_size(json_object_get(metadata, COLLATIONS_KEY)) > 0)
			field->type.collated = true;
	}
	field->widened_from_float = field->type.kind == DELTA_DOUBLE && widened_from_float(metadata);
}

static void
read_field(DeltaField *field, json_t *json, DeltaField *parent, bool mapped)
{
	json_t	   *metadata = json_object_get(json, "metadata");
	StringInfoData path;

	field->parent = parent;
	field->partition_index = -1;
	field->name = string_member(json, "name", parent);
	if (field->name == NULL)
	{
		bad_schema(parent, "A field has no name.");
		return;
	}
	field->physical_name = mapped ? string_member(metadata, PHYSICAL_NAME_KEY, parent) : NULL;
	if (field->physical_name == NULL)
		field->physical_name = field->name;
	field->nullable = !json_is_false(json_object_get(json, "nullable"));

	initStringInfo(&path);
	if (parent)
		appendStringInfo(&path, "%s.", parent->logical_path);
	deltacc_append_name(&path, field->name);
	field->logical_path = path.data;
	if (parent)
		field->stats_path = psprintf("%s%c%s", parent->stats_path, DELTACC_PATH_SEPARATOR, field->physical_name);
	else
		field->stats_path = field->physical_name;

	read_type(field, json_object_get(json, "type"), metadata, mapped);
}

static DeltaField *
read_fields(json_t *array, DeltaField *parent, bool mapped, int *nfields)
{
	DeltaField *fields;
	size_t		n = json_array_size(array);

	check_stack_depth();

	*nfields = 0;
	if (!json_is_array(array))
	{
		bad_schema(parent, "A struct has no list of fields.");
		return NULL;
	}
	if (n > MaxAllocSize / sizeof(DeltaField))
		bad_schema(parent, "There are too many fields.");
	fields = palloc0(Max(n, 1) * sizeof(DeltaField));
	for (size_t i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		read_field(&fields[i], json_array_get(array, i), parent, mapped);
	}
	*nfields = (int) n;
	return fields;
}

DeltaField *
deltacc_schema_fields(const char *schema_string, int len, bool mapped, int *nfields)
{
	json_t	   *root = deltacc_json_document_or_null(schema_string, len);
	const char *type;

	*nfields = 0;
	if (root == NULL)
	{
		bad_schema(NULL, "It is no JSON document.");
		return NULL;
	}
	type = json_string_value(json_object_get(root, "type"));
	if (type == NULL || strcmp(type, "struct") != 0)
		bad_schema(NULL, "It is not the JSON object of a struct type.");
	return read_fields(json_object_get(root, "fields"), NULL, mapped, nfields);
}
