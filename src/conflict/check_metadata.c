/*-------------------------------------------------------------------------
 *
 * check_metadata.c
 *	  Check 2: the winner changes the metadata.
 *
 * ConflictChecker.attemptToResolveMetadataConflicts: a change that only turns
 * on one of a few features, or adds column-mapping metadata to the schema, is
 * taken over; any other conflicts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/schema_change.h"
#include "conflict/transaction.h"

#define ROW_TRACKING_ENABLED "delta.enableRowTracking"
#define COLUMN_MAPPING_MODE "delta.columnMapping.mode"

/* What a winner's metaData means for the transaction. */
typedef struct MetadataChange
{
	bool		accepted;
	bool		identity_only;	/* accepted, and not taken over */
	bool		row_tracking_enabled;
	StringInfoData changed;		/* what differs, for the message */
} MetadataChange;

static bool
text_equal(const char *a, const char *b)
{
	return a == NULL ? b == NULL : b != NULL && strcmp(a, b) == 0;
}

/*
 * Scala's toBoolean: anything but true and false (in any case) is an
 * exception, which fails Delta's check.
 */
static bool
to_boolean(const char *key, const char *value)
{
	if (value != NULL && pg_strcasecmp(value, "true") == 0)
		return true;
	if (value != NULL && pg_strcasecmp(value, "false") == 0)
		return false;
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("the table property %s is \"%s\", which is no boolean", key, value ? value : "null"),
			 errdetail("Delta's conflict check fails on it (IllegalArgumentException)."),
			 errhint("Set the property to true or false.")));
	return false;				/* keep the compiler quiet */
}

bool
deltacc_boolean_property(const DeltaMetadata *metadata, const char *key)
{
	const char *value = metadata ? deltacc_metadata_property(metadata, key) : NULL;

	return value != NULL && to_boolean(key, value);
}

static const DeltaKeyValue *
find_key(const DeltaKeyValue *list, int n, const char *key)
{
	for (int i = 0; i < n; i++)
	{
		if (strcmp(list[i].key, key) == 0)
			return &list[i];
	}
	return NULL;
}

/* Maps are equal whatever the order of their keys. */
static bool
maps_equal(const DeltaKeyValue *a, int na, const DeltaKeyValue *b, int nb)
{
	if (na != nb)
		return false;
	for (int i = 0; i < na; i++)
	{
		const DeltaKeyValue *other = find_key(b, nb, a[i].key);

		if (other == NULL || !text_equal(a[i].value, other->value))
			return false;
	}
	return true;
}

static bool
partition_columns_equal(const DeltaMetadata *a, const DeltaMetadata *b)
{
	if (a->npartition_columns != b->npartition_columns)
		return false;
	for (int i = 0; i < a->npartition_columns; i++)
	{
		if (strcmp(a->partition_columns[i], b->partition_columns[i]) != 0)
			return false;
	}
	return true;
}

static void
note(MetadataChange *change, const char *what)
{
	appendStringInfo(&change->changed, "%s%s", change->changed.len > 0 ? ", " : "", what);
}

/* none, name, id; NULL for another word. */
static const char *
mapping_mode(const DeltaMetadata *m)
{
	static const char *const modes[] = {"none", "name", "id"};
	const char *value = deltacc_metadata_property(m, COLUMN_MAPPING_MODE);

	if (value == NULL)
		return "none";
	for (int i = 0; i < lengthof(modes); i++)
	{
		if (pg_strcasecmp(value, modes[i]) == 0)
			return modes[i];
	}
	return NULL;
}

static bool
mapping_turned_on(const DeltaMetadata *ours, const DeltaMetadata *theirs)
{
	return text_equal(mapping_mode(ours), "none") && text_equal(mapping_mode(theirs), "name");
}

/* May one property become what the winner sets it to? */
static bool
property_allowed(const DeltaProtocol *protocol, const DeltaMetadata *ours, const DeltaMetadata *theirs,
				 const char *key, const char *value, bool is_new)
{
	if (strcmp(key, ROW_TRACKING_ENABLED) == 0)
		return deltacc_protocol_supports(protocol, "rowTracking") && to_boolean(key, value);
	if (strcmp(key, "delta.rowTracking.materializedRowIdColumnName") == 0 ||
		strcmp(key, "delta.rowTracking.materializedRowCommitVersionColumnName") == 0)
		return deltacc_boolean_property(theirs, ROW_TRACKING_ENABLED);
	if (strcmp(key, COLUMN_MAPPING_MODE) == 0)
		return mapping_turned_on(ours, theirs) && deltacc_protocol_supports(protocol, "columnMapping");
	if (strcmp(key, "delta.columnMapping.maxColumnId") == 0)
		return true;
	if (strcmp(key, "delta.enableDeletionVectors") == 0)
		return deltacc_protocol_supports(protocol, "deletionVectors") && to_boolean(key, value);
	if (strcmp(key, "delta.checkpointPolicy") == 0)
		return deltacc_protocol_supports(protocol, "v2Checkpoint") && text_equal(value, "v2");
	if (strcmp(key, "delta.enableInCommitTimestamps") == 0)
		return deltacc_protocol_supports(protocol, "inCommitTimestamp") && to_boolean(key, value);
	if (strcmp(key, "delta.inCommitTimestampEnablementVersion") == 0 ||
		strcmp(key, "delta.inCommitTimestampEnablementTimestamp") == 0)
		return is_new;
	if (strcmp(key, "io.unitycatalog.tableId") == 0)
		return is_new || !deltacc_protocol_supports(protocol, "catalogManaged");
	return false;
}

/* Only properties of the allow-list, and none unset? */
static bool
configuration_allowed(const DeltaProtocol *protocol, const DeltaMetadata *ours, const DeltaMetadata *theirs,
					  MetadataChange *change)
{
	bool		allowed = protocol != NULL;

	for (int i = 0; i < ours->nconfiguration; i++)
	{
		if (find_key(theirs->configuration, theirs->nconfiguration, ours->configuration[i].key) == NULL)
		{
			note(change, psprintf("property %s unset", ours->configuration[i].key));
			allowed = false;
		}
	}
	for (int i = 0; i < theirs->nconfiguration; i++)
	{
		const char *key = theirs->configuration[i].key;
		const char *value = theirs->configuration[i].value;
		const DeltaKeyValue *old = find_key(ours->configuration, ours->nconfiguration, key);

		if (old != NULL && text_equal(old->value, value))
			continue;
		note(change, psprintf("property %s = %s", key, value ? value : "null"));
		if (!allowed)
			continue;
		if (!property_allowed(protocol, ours, theirs, key, value, old == NULL))
			allowed = false;
		else if (strcmp(key, ROW_TRACKING_ENABLED) == 0)
			change->row_tracking_enabled = true;
	}
	return allowed;
}

/* Only column-mapping metadata of top-level fields, on turning mapping on? */
static bool
schema_allowed(const DeltaMetadata *ours, const DeltaMetadata *theirs)
{
	return mapping_turned_on(ours, theirs) && ours->schema_string != NULL && theirs->schema_string != NULL &&
		deltacc_schema_differs_in_mapping_only(ours->schema_string, theirs->schema_string);
}

/* commitInfo.tags['delta.identity.schemaUpdate'] is believed. */
static bool
identity_only(const Winner *w)
{
	JsonSlice	tags;
	char	   *value;

	if (!w->has_commit_info || !deltacc_json_member(&w->commit_info, "tags", &tags) ||
		tags.kind != JSON_OBJECT)
		return false;
	value = deltacc_edit_string(&tags, "delta.identity.schemaUpdate");
	return value != NULL && pg_strcasecmp(value, "true") == 0;
}

/* Compares the winner's metaData with ours, field by field as a case class. */
static MetadataChange
compare_metadata(const DeltaProtocol *protocol, const DeltaMetadata *ours, const DeltaMetadata *theirs)
{
	MetadataChange change = {.accepted = true};
	const char *provider_a,
			   *provider_b;

	initStringInfo(&change.changed);
	if (ours == NULL)
	{
		/* The transaction saw no table, and now there is one. */
		note(&change, "a table came into being");
		change.accepted = false;
		return change;
	}
	if (!text_equal(ours->id, theirs->id))
		note(&change, "id");
	if (!text_equal(ours->name, theirs->name))
		note(&change, "name");
	if (!text_equal(ours->description, theirs->description))
		note(&change, "description");
	provider_a = ours->format_provider ? ours->format_provider : "parquet";
	provider_b = theirs->format_provider ? theirs->format_provider : "parquet";
	if (!text_equal(provider_a, provider_b) ||
		!maps_equal(ours->format_options, ours->nformat_options,
					theirs->format_options, theirs->nformat_options))
		note(&change, "format");
	if (!partition_columns_equal(ours, theirs))
		note(&change, "partition columns");
	if (ours->has_created_time != theirs->has_created_time ||
		(ours->has_created_time && ours->created_time != theirs->created_time))
		note(&change, "createdTime");
	if (change.changed.len > 0)
		change.accepted = false;

	if (!maps_equal(ours->configuration, ours->nconfiguration,
					theirs->configuration, theirs->nconfiguration))
	{
		/* Where another field decides already, Delta doesn't look at these. */
		if (!change.accepted)
			note(&change, "properties");
		else if (!configuration_allowed(protocol, ours, theirs, &change))
			change.accepted = false;
	}
	if (!text_equal(ours->schema_string, theirs->schema_string))
	{
		note(&change, "schema");
		if (change.accepted && !schema_allowed(ours, theirs))
			change.accepted = false;
	}
	return change;
}

void
deltacc_check_metadata(Transaction *txn, Winner *w)
{
	MetadataChange change;
	Conflict   *c;

	if (w->metadata == NULL)
		return;
	if (!txn->metadata_changed && identity_only(w))
		return;

	/* What fails in Delta must not hide a conflict that comes before it. */
	if (txn->metadata_changed)
	{
		/* Only for the message: both change it, which always conflicts. */
		change = compare_metadata(NULL, txn->args.snapshot->metadata, w->metadata);
		change.accepted = false;
	}
	else
		change = compare_metadata(w->effective_protocol, txn->metadata, w->metadata);
	if (change.accepted)
		return;
	c = deltacc_add_conflict(txn, w, "metadata", "MetadataChangedException", "DELTA_METADATA_CHANGED", NULL);
	deltacc_describe_metadata(txn, w, c, change.changed.data, txn->metadata_changed);
}

bool
deltacc_adopts_metadata(Transaction *txn, Winner *w, bool *row_tracking_enabled)
{
	MetadataChange change;

	*row_tracking_enabled = false;
	if (w->metadata == NULL || txn->metadata_changed || identity_only(w))
		return false;
	change = compare_metadata(w->effective_protocol, txn->metadata, w->metadata);
	*row_tracking_enabled = change.accepted && change.row_tracking_enabled;
	return change.accepted;
}
