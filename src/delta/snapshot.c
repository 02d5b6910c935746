/*-------------------------------------------------------------------------
 *
 * snapshot.c
 *	  A table's state as the check needs it: protocol, metaData, schema.
 *
 * The two actions are read by the scanner, as lenient as Delta's own reader
 * (lone surrogates, numbers of any size), so that the text of the metaData is
 * there as it stands in the log.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>

#include "base/json_scan.h"
#include "base/lru.h"
#include "delta/snapshot.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static void
bad_action(const char *action, const char *detail)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid %s action", action),
			 errdetail("%s", detail),
			 errhint("Pass the commits unchanged, one action per line.")));
}

/* The object of the action that a line holds: {"name": object}. */
static JsonSlice
action_object(const char *line, int len, const char *name)
{
	JsonScanner scanner;
	JsonSlice	whole;
	JsonSlice	object;

	deltacc_json_init(&scanner, line, len, false);
	if (!deltacc_json_value(&scanner, &whole))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("invalid %s action", name),
				 errdetail("At column %d of its line: expected %s.",
						   (int) (scanner.error_pos - line) + 1, scanner.error)));
	if (!deltacc_json_member(&whole, name, &object) || object.kind != JSON_OBJECT)
		bad_action(name, "It is not a JSON object.");
	return object;
}

/* A slice's text, NUL-terminated: a string's value, else as it stands. */
static char *
slice_text(const JsonSlice *slice)
{
	StringInfoData text;

	if (slice->kind != JSON_STRING)
		return pnstrdup(slice->start, slice->len);
	initStringInfo(&text);
	deltacc_json_unescape(&text, slice);
	return text.data;
}

/* A string member; NULL if it is absent or null. */
static char *
string_member(const JsonSlice *object, const char *name)
{
	JsonSlice	value;

	if (!deltacc_json_member(object, name, &value) || value.kind == JSON_NULL)
		return NULL;
	return slice_text(&value);
}

/* A member that is a list of strings; false if it is absent or null. */
static bool
string_list(const JsonSlice *object, const char *action, const char *name, char ***list, int *n)
{
	JsonSlice	value;
	JsonSlice	element;
	JsonScanner scanner;
	int			allocated = 8;

	*n = 0;
	*list = palloc(allocated * sizeof(char *));
	if (!deltacc_json_member(object, name, &value) || value.kind == JSON_NULL)
		return false;

	deltacc_json_init(&scanner, value.start, value.len, false);
	if (value.kind != JSON_ARRAY || !deltacc_json_enter_array(&scanner))
		bad_action(action, psprintf("Its %s is not a list.", name));
	while (deltacc_json_next_element(&scanner, &element))
	{
		CHECK_FOR_INTERRUPTS();
		if (element.kind != JSON_STRING)
			bad_action(action, psprintf("Its %s holds something that is not a string.", name));
		if (*n == allocated)
		{
			allocated *= 2;
			*list = repalloc(*list, allocated * sizeof(char *));
		}
		(*list)[(*n)++] = slice_text(&element);
	}
	return true;
}

/* A member that maps strings to strings, as a list; the last of duplicates. */
static void
string_map(const JsonSlice *object, const char *action, const char *name, DeltaKeyValue **list, int *n)
{
	JsonSlice	map;
	JsonSlice	key;
	JsonSlice	value;
	JsonScanner scanner;
	int			allocated = 8;

	*n = 0;
	*list = palloc(allocated * sizeof(DeltaKeyValue));
	if (!deltacc_json_member(object, name, &map) || map.kind == JSON_NULL)
		return;

	deltacc_json_init(&scanner, map.start, map.len, false);
	if (map.kind != JSON_OBJECT || !deltacc_json_enter_object(&scanner))
		bad_action(action, psprintf("Its %s is not an object.", name));
	while (deltacc_json_next_member(&scanner, &key, &value))
	{
		char	   *text = slice_text(&key);
		int			i = 0;

		CHECK_FOR_INTERRUPTS();
		while (i < *n && strcmp((*list)[i].key, text) != 0)
			i++;
		if (i == allocated)
		{
			allocated *= 2;
			*list = repalloc(*list, allocated * sizeof(DeltaKeyValue));
		}
		(*list)[i].key = text;
		(*list)[i].value = value.kind == JSON_NULL ? NULL : slice_text(&value);
		*n = Max(*n, i + 1);
	}
}

static int
version_member(const JsonSlice *object, const char *name)
{
	JsonSlice	value;
	int64		version;

	/* Absent it is 0, as Jackson has it: a version that no table has. */
	if (!deltacc_json_member(object, name, &value) || value.kind == JSON_NULL)
		return 0;
	if (value.kind != JSON_NUMBER || !deltacc_json_int64(&value, &version) || version < INT_MIN || version > INT_MAX)
	{
		bad_action("protocol", psprintf("Its %s is not a version number.", name));
		return 0;
	}
	return (int) version;
}

DeltaProtocol *
deltacc_protocol_parse(const char *line, int len)
{
	JsonSlice	object = action_object(line, len, "protocol");
	DeltaProtocol *protocol = palloc0(sizeof(DeltaProtocol));

	protocol->reader_version = version_member(&object, "minReaderVersion");
	protocol->writer_version = version_member(&object, "minWriterVersion");
	protocol->has_reader_features = string_list(&object, "protocol", "readerFeatures",
												&protocol->reader_features, &protocol->nreader_features);
	protocol->has_writer_features = string_list(&object, "protocol", "writerFeatures",
												&protocol->writer_features, &protocol->nwriter_features);
	return protocol;
}

DeltaMetadata *
deltacc_metadata_parse(const char *line, int len)
{
	JsonSlice	object = action_object(line, len, "metaData");
	DeltaMetadata *metadata = palloc0(sizeof(DeltaMetadata));
	JsonSlice	value;

	metadata->json = pnstrdup(object.start, object.len);
	metadata->id = string_member(&object, "id");
	metadata->name = string_member(&object, "name");
	metadata->description = string_member(&object, "description");
	metadata->schema_string = string_member(&object, "schemaString");
	(void) string_list(&object, "metaData", "partitionColumns",
					   &metadata->partition_columns, &metadata->npartition_columns);
	string_map(&object, "metaData", "configuration", &metadata->configuration, &metadata->nconfiguration);
	if (deltacc_json_member(&object, "format", &value) && value.kind == JSON_OBJECT)
	{
		metadata->format_provider = string_member(&value, "provider");
		string_map(&value, "metaData", "options", &metadata->format_options, &metadata->nformat_options);
	}
	if (deltacc_json_member(&object, "createdTime", &value) && value.kind == JSON_NUMBER)
		metadata->has_created_time = deltacc_json_int64(&value, &metadata->created_time);
	return metadata;
}

const char *
deltacc_metadata_property(const DeltaMetadata *metadata, const char *key)
{
	for (int i = 0; i < metadata->nconfiguration; i++)
	{
		if (strcmp(metadata->configuration[i].key, key) == 0)
			return metadata->configuration[i].value;
	}
	return NULL;
}

static const char *
lookup_property(void *arg, const char *key)
{
	return deltacc_metadata_property((const DeltaMetadata *) arg, key);
}

DeltaSchema *
deltacc_metadata_schema(const DeltaMetadata *metadata)
{
	const char *schema_string = metadata->schema_string;

	/* Delta takes an absent schema for one without columns */
	if (schema_string == NULL)
		schema_string = "{\"type\":\"struct\",\"fields\":[]}";
	return deltacc_schema_parse(schema_string, strlen(schema_string),
								metadata->partition_columns, metadata->npartition_columns,
								lookup_property, (void *) metadata);
}

/*
 * What the last protocols and metaDatas have come to: one snapshot is asked
 * about many winners.
 */
typedef struct KnownTable
{
	LruEntry	lru;			/* must be first */
	DeltaString protocol_line;
	DeltaString metadata_line;
	DeltaProtocol *protocol;
	DeltaMetadata *metadata;
	DeltaSchema *schema;
} KnownTable;

#define KNOWN_TABLES	16
#define KNOWN_BYTES		(8 * 1024 * 1024)

/* That of a table that doesn't exist yet. */
static const DeltaSchema no_columns;

static LruList known_tables = LRU_LIST(known_tables, KNOWN_TABLES, KNOWN_BYTES);

static DeltaString
line_of(DeltaActions *actions, const OtherAction *action)
{
	DeltaString line = {action->line_length,
	deltacc_actions_line(actions, action->line_offset, action->line_length)};

	return line;
}

static bool
same_line(DeltaString a, DeltaString b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/* In a context below the current one. */
static KnownTable *
read_table(DeltaActions *actions, const OtherAction *protocol, const OtherAction *metadata)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "deltacc table", ALLOCSET_SMALL_SIZES);
	MemoryContext caller = MemoryContextSwitchTo(context);
	KnownTable *table = palloc0(sizeof(KnownTable));

	table->lru.context = context;
	table->protocol_line = line_of(actions, protocol);
	table->metadata_line = line_of(actions, metadata);
	table->protocol = deltacc_protocol_parse(table->protocol_line.data, table->protocol_line.len);
	if (table->protocol->reader_version < 1 || table->protocol->writer_version < 1)
		bad_action("protocol", "Its minReaderVersion and minWriterVersion are not both version numbers.");
	table->metadata = deltacc_metadata_parse(table->metadata_line.data, table->metadata_line.len);
	table->schema = deltacc_metadata_schema(table->metadata);
	MemoryContextSwitchTo(caller);
	return table;
}

static KnownTable *
find_table(DeltaActions *actions, const OtherAction *protocol, const OtherAction *metadata)
{
	DeltaString protocol_line = line_of(actions, protocol);
	DeltaString metadata_line = line_of(actions, metadata);
	KnownTable *table = NULL;
	dlist_iter	iter;
	uint32		hash;

	/* It need not tell all apart: the lines do. */
	memcpy(&hash, deltacc_actions_fingerprint(actions), sizeof(hash));
	lru_foreach(iter, &known_tables, hash)
	{
		KnownTable *candidate = (KnownTable *) LRU_ENTRY(iter);

		if (candidate->lru.hash == hash &&
			same_line(candidate->metadata_line, metadata_line) &&
			same_line(candidate->protocol_line, protocol_line))
		{
			table = candidate;
			break;
		}
	}
	if (table == NULL)
	{
		table = read_table(actions, protocol, metadata);
		table->lru.hash = hash;
		deltacc_lru_add(&known_tables, &table->lru);
	}
	deltacc_lru_use(&known_tables, &table->lru);
	return table;
}

DeltaSnapshot *
deltacc_snapshot_open(DeltaActions *actions)
{
	DeltaSnapshot *snapshot = palloc0(sizeof(DeltaSnapshot));
	const OtherAction *protocol = deltacc_actions_last(actions, ACTION_PROTOCOL);
	const OtherAction *metadata = deltacc_actions_last(actions, ACTION_METADATA);
	KnownTable *table;

	snapshot->actions = actions;
	snapshot->version = deltacc_actions_version(actions);

	/* '' is a table that is yet to come; files without a table are a mistake */
	if (protocol == NULL && metadata == NULL && deltacc_actions_is_empty(actions))
	{
		snapshot->schema = &no_columns;
		return snapshot;
	}
	if (protocol == NULL || metadata == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the snapshot has no %s action", protocol == NULL ? "protocol" : "metaData"),
				 errdetail("A table's state needs a protocol and a metaData action."),
				 errhint("Build it with deltacc.table_state() over all commits from version 0; pass '' only for a table that does not exist yet.")));

	snapshot->exists = true;
	table = find_table(actions, protocol, metadata);
	snapshot->protocol = table->protocol;
	snapshot->metadata = table->metadata;
	snapshot->schema = table->schema;
	snapshot->known = table;
	return snapshot;
}

void
deltacc_snapshot_pin(const DeltaSnapshot *snapshot)
{
	if (snapshot->known)
		deltacc_lru_pin(&snapshot->known->lru);
}
