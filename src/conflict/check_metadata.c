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
#define IDENTITY_TAG "delta.identity.schemaUpdate"

/* What a winner's metaData means for the transaction. */
typedef struct MetadataChange
{
	bool		accepted;
	bool		row_tracking_enabled;
	StringInfoData changed;		/* what differs, for the message */
	bool		schema_changed;
	bool		what_if;		/* nothing is raised: the verdict is known, or this
								 * is for a hint only */
	const char *missing_feature;	/* the change would be taken over if the
									 * protocol had it; NULL */
} MetadataChange;

static bool
text_equal(const char *a, const char *b)
{
	return a == NULL ? b == NULL : b != NULL && strcmp(a, b) == 0;
}

/*
 * Scala's toBoolean: anything but true and false (in any case) is an
 * exception, which fails Delta's check; not where we only want to know
 * (what_if).
 */
static bool
to_boolean(const char *key, const char *value, bool what_if)
{
	if (value != NULL && pg_strcasecmp(value, "true") == 0)
		return true;
	if ((value != NULL && pg_strcasecmp(value, "false") == 0) || what_if)
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

	return value != NULL && to_boolean(key, value, false);
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
mapping_turned_on(const DeltaMetadata *ours, const DeltaMetadata *theirs, bool what_if)
{
	if (mapping_mode(theirs) == NULL && !what_if)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table property " COLUMN_MAPPING_MODE " is \"%s\", which is no column mapping mode",
						deltacc_metadata_property(theirs, COLUMN_MAPPING_MODE)),
				 errdetail("Delta's conflict check fails on it (ColumnMappingUnsupportedException)."),
				 errhint("Valid modes are none, name and id.")));
	return text_equal(mapping_mode(ours), "none") && text_equal(mapping_mode(theirs), "name");
}

/* The table feature without which turning a property on isn't taken over. */
static const char *
feature_of_property(const char *key)
{
	static const char *const features[][2] = {
		{ROW_TRACKING_ENABLED, "rowTracking"},
		{COLUMN_MAPPING_MODE, "columnMapping"},
		{"delta.enableDeletionVectors", "deletionVectors"},
		{"delta.checkpointPolicy", "v2Checkpoint"},
		{"delta.enableInCommitTimestamps", "inCommitTimestamp"},
	};

	for (int i = 0; i < lengthof(features); i++)
	{
		if (strcmp(key, features[i][0]) == 0)
			return features[i][1];
	}
	return NULL;
}

/* May one property become what the winner sets it to? */
static bool
property_allowed(const DeltaProtocol *protocol, const DeltaMetadata *ours, const DeltaMetadata *theirs,
				 const char *key, const char *value, bool is_new, bool what_if)
{
	if (strcmp(key, ROW_TRACKING_ENABLED) == 0)
		return to_boolean(key, value, what_if) && deltacc_protocol_supports(protocol, "rowTracking");
	if (strcmp(key, "delta.rowTracking.materializedRowIdColumnName") == 0 ||
		strcmp(key, "delta.rowTracking.materializedRowCommitVersionColumnName") == 0)
		return deltacc_metadata_property(theirs, ROW_TRACKING_ENABLED) != NULL &&
			to_boolean(ROW_TRACKING_ENABLED, deltacc_metadata_property(theirs, ROW_TRACKING_ENABLED), what_if);
	if (strcmp(key, COLUMN_MAPPING_MODE) == 0)
		return mapping_turned_on(ours, theirs, what_if) && deltacc_protocol_supports(protocol, "columnMapping");
	if (strcmp(key, "delta.columnMapping.maxColumnId") == 0)
		return true;
	if (strcmp(key, "delta.enableDeletionVectors") == 0)
		return deltacc_protocol_supports(protocol, "deletionVectors") && to_boolean(key, value, what_if);
	if (strcmp(key, "delta.checkpointPolicy") == 0)
		return deltacc_protocol_supports(protocol, "v2Checkpoint") && text_equal(value, "v2");
	if (strcmp(key, "delta.enableInCommitTimestamps") == 0)
		return deltacc_protocol_supports(protocol, "inCommitTimestamp") && to_boolean(key, value, what_if);
	if (strcmp(key, "delta.inCommitTimestampEnablementVersion") == 0 ||
		strcmp(key, "delta.inCommitTimestampEnablementTimestamp") == 0)
		return is_new;
	if (strcmp(key, "io.unitycatalog.tableId") == 0)
		return is_new || !deltacc_protocol_supports(protocol, "catalogManaged");
	return false;
}

/* Is the property one that may change at all, whatever its value? */
static bool
property_known(const char *key)
{
	static const char *const keys[] = {
		ROW_TRACKING_ENABLED, "delta.rowTracking.materializedRowIdColumnName",
		"delta.rowTracking.materializedRowCommitVersionColumnName", COLUMN_MAPPING_MODE,
		"delta.columnMapping.maxColumnId", "delta.enableDeletionVectors", "delta.checkpointPolicy",
		"delta.enableInCommitTimestamps", "delta.inCommitTimestampEnablementVersion",
		"delta.inCommitTimestampEnablementTimestamp", "io.unitycatalog.tableId",
	};

	for (int i = 0; i < lengthof(keys); i++)
	{
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
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
		const DeltaKeyValue *now = &theirs->configuration[i];
		const DeltaKeyValue *old = find_key(ours->configuration, ours->nconfiguration, now->key);

		if (old != NULL && text_equal(old->value, now->value))
			continue;
		note(change, psprintf("property %s = %s", now->key, now->value ? now->value : "null"));
		allowed = allowed && property_known(now->key);
	}

	if (!allowed)
		return false;

	/* Only where every key may change do values count; then each is looked at,
	 * so that one that fails does so beside one that isn't allowed. */
	for (int i = 0; i < theirs->nconfiguration; i++)
	{
		const char *key = theirs->configuration[i].key;
		const char *value = theirs->configuration[i].value;
		const DeltaKeyValue *old = find_key(ours->configuration, ours->nconfiguration, key);

		if (old != NULL && text_equal(old->value, value))
			continue;
		if (!property_allowed(protocol, ours, theirs, key, value, old == NULL, change->what_if))
		{
			const char *feature = feature_of_property(key);

			allowed = false;
			if (feature != NULL && !deltacc_protocol_supports(protocol, feature))
				change->missing_feature = feature;
		}
		else if (strcmp(key, ROW_TRACKING_ENABLED) == 0)
			change->row_tracking_enabled = true;
	}
	return allowed;
}

/* Only column-mapping metadata of top-level fields, on turning mapping on? */
static bool
schema_allowed(const DeltaMetadata *ours, const DeltaMetadata *theirs, bool what_if)
{
	return mapping_turned_on(ours, theirs, what_if) && ours->schema_string != NULL && theirs->schema_string != NULL &&
		deltacc_schema_differs_in_mapping_only(ours->schema_string, theirs->schema_string);
}

/*
 * commitInfo.tags['delta.identity.schemaUpdate'] is believed.  Tags are texts, so
 * that a boolean is one, too.
 */
static bool
identity_only(const Transaction *txn, const Winner *w)
{
	JsonSlice	tags,
				tag;
	char	   *value;

	if (!w->has_commit_info || !deltacc_json_member(&w->commit_info, "tags", &tags) ||
		tags.kind != JSON_OBJECT ||
		!deltacc_json_member(&tags, IDENTITY_TAG, &tag))
		return false;
	value = tag.kind == JSON_STRING ? deltacc_edit_string(&tags, IDENTITY_TAG) : pnstrdup(tag.start, tag.len);
	if (pg_strcasecmp(value, "true") == 0)
		return true;
	if (pg_strcasecmp(value, "false") != 0)
		ereport(deltacc_verdict_known(txn, w) ? WARNING : ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the winner's tag " IDENTITY_TAG " is \"%s\", which is no boolean", value),
				 errdetail("Delta's conflict check fails on it (IllegalArgumentException)."),
				 errhint("Look at the writer that made this commit.")));
	return false;
}

/* Compares the winner's metaData with ours, field by field as a case class. */
static MetadataChange
compare_metadata(const DeltaProtocol *protocol, const DeltaMetadata *ours, const DeltaMetadata *theirs,
				 bool what_if)
{
	MetadataChange change = {.accepted = true,.what_if = what_if};
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
		change.schema_changed = true;
		if (change.accepted && !schema_allowed(ours, theirs, what_if))
			change.accepted = false;
	}
	return change;
}

/* Would the change be taken over if the table supported the feature? */
static bool
only_feature_missing(Transaction *txn, Winner *w, const char *feature)
{
	DeltaProtocol with;
	char	  **features;

	if (feature == NULL || w->effective_protocol == NULL)
		return false;
	with = *w->effective_protocol;
	features = palloc(sizeof(char *) * (with.nwriter_features + 1));
	for (int i = 0; i < with.nwriter_features; i++)
		features[i] = with.writer_features[i];
	features[with.nwriter_features++] = pstrdup(feature);
	with.writer_features = features;
	return compare_metadata(&with, txn->metadata, w->metadata, true).accepted;
}

/* A tag that can't be read fails before anything is compared. */
void
deltacc_check_tags(Transaction *txn, Winner *w)
{
	w->identity_only = identity_only(txn, w);
}

void
deltacc_check_metadata(Transaction *txn, Winner *w)
{
	MetadataChange change;
	Conflict   *c;

	if (w->metadata == NULL || (!txn->metadata_changed && w->identity_only))
		return;

	if (txn->metadata_changed)
	{
		/* Only for the message: both change it, which always conflicts. */
		change = compare_metadata(NULL, txn->args.snapshot->metadata, w->metadata, true);
		change.accepted = false;
	}
	else
		/* What fails in Delta must not hide a conflict that comes before it. */
		change = compare_metadata(w->effective_protocol, txn->metadata, w->metadata,
								  deltacc_verdict_known(txn, w));
	if (change.accepted)
		return;
	c = deltacc_add_conflict(txn, w, "metadata", "MetadataChangedException", "DELTA_METADATA_CHANGED", NULL);
	if (change.schema_changed && txn->args.snapshot->metadata != NULL)
	{
		char	   *columns = deltacc_schema_describe_change(txn->metadata_changed ?
															 txn->args.snapshot->metadata->schema_string :
															 txn->metadata->schema_string,
															 w->metadata->schema_string);

		if (columns != NULL)
			appendStringInfo(&change.changed, " (%s)", columns);
	}
	if (!only_feature_missing(txn, w, change.missing_feature))
		change.missing_feature = NULL;
	deltacc_describe_metadata(txn, w, c, change.changed.data, change.missing_feature, txn->metadata_changed);
}

bool
deltacc_adopts_metadata(Transaction *txn, Winner *w, bool *row_tracking_enabled)
{
	MetadataChange change;

	*row_tracking_enabled = false;
	if (w->metadata == NULL || txn->metadata_changed || identity_only(txn, w))
		return false;
	change = compare_metadata(w->effective_protocol, txn->metadata, w->metadata, false);
	*row_tracking_enabled = change.accepted && change.row_tracking_enabled;
	return change.accepted;
}
