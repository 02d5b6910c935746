/*-------------------------------------------------------------------------
 *
 * check_protocol.c
 *	  Check 1: the winner changes the protocol.
 *
 * ConflictChecker.checkProtocolCompatibility.  Which features a protocol means
 * follows Delta's TableFeature table and Protocol.implicitlySupportedFeatures.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/transaction.h"

typedef struct Feature
{
	const char *name;
	bool		reader;			/* readers have to know it, too */
	bool		removable;		/* ALTER TABLE ... DROP FEATURE may take it away */
	int8		legacy_reader;	/* implied from these versions on, where there */
	int8		legacy_writer;	/* are no lists; 0: never implied */
} Feature;

/* What Delta 4.4.0 can read and write. */
static const Feature features[] = {
	{"appendOnly", false, false, 0, 2},
	{"invariants", false, false, 0, 2},
	{"checkConstraints", false, true, 0, 3},
	{"changeDataFeed", false, false, 0, 4},
	{"generatedColumns", false, false, 0, 4},
	{"columnMapping", true, true, 2, 5},
	{"identityColumns", false, false, 0, 6},
	{"allowColumnDefaults", false, false, 0, 0},
	{"catalogManaged", true, false, 0, 0},
	{"checkpointProtection", false, true, 0, 0},
	{"clustering", false, false, 0, 0},
	{"coordinatedCommits-preview", false, true, 0, 0},
	{"deletionVectors", true, true, 0, 0},
	{"domainMetadata", false, true, 0, 0},
	{"geospatial", true, true, 0, 0},
	{"geospatial-dev", true, false, 0, 0},
	{"icebergCompatV1", false, false, 0, 0},
	{"icebergCompatV2", false, false, 0, 0},
	{"icebergCompatV3", false, false, 0, 0},
	{"inCommitTimestamp", false, true, 0, 0},
	{"materializePartitionColumns", false, true, 0, 0},
	{"rowTracking", false, true, 0, 0},
	{"timestampNtz", true, false, 0, 0},
	{"typeWidening", true, true, 0, 0},
	{"typeWidening-preview", true, true, 0, 0},
	{"v2Checkpoint", true, true, 0, 0},
	{"vacuumProtocolCheck", true, true, 0, 0},
	{"variantShredding", true, false, 0, 0},
	{"variantShredding-preview", true, false, 0, 0},
	{"variantType", true, false, 0, 0},
	{"variantType-preview", true, false, 0, 0},

	/*
	 * Not in Delta 4.4.0, but no reason to refuse a log: collations are handled
	 * (a collated column is never used for skipping), and the others touch
	 * nothing that a check looks at.
	 */
	{"catalogOwned-preview", true, false, 0, 0},
	{"collations", false, false, 0, 0},
	{"collations-preview", false, false, 0, 0},
	{"icebergWriterCompatV1", false, false, 0, 0},
	{"icebergWriterCompatV3", false, false, 0, 0},
};

static const Feature *
find_feature(const char *name)
{
	for (int i = 0; i < lengthof(features); i++)
	{
		if (strcmp(features[i].name, name) == 0)
			return &features[i];
	}
	return NULL;
}

static bool
in_list(char *const *list, int n, const char *name)
{
	for (int i = 0; i < n; i++)
	{
		if (strcmp(list[i], name) == 0)
			return true;
	}
	return false;
}

/*
 * Supported explicitly, in a list, or implied by the versions: a protocol that
 * has a list for either side implies nothing.
 */
bool
deltacc_protocol_supports(const DeltaProtocol *protocol, const char *name)
{
	const Feature *feature = find_feature(name);

	if (protocol == NULL)
		return false;
	if (in_list(protocol->writer_features, protocol->nwriter_features, name) ||
		in_list(protocol->reader_features, protocol->nreader_features, name))
		return true;
	return feature != NULL && feature->legacy_writer > 0 &&
		protocol->reader_version < 3 && protocol->writer_version < 7 &&
		protocol->reader_version >= feature->legacy_reader &&
		protocol->writer_version >= feature->legacy_writer;
}

/* The features that one protocol has and the next has not; "" if none. */
static char *
dropped_features(const DeltaProtocol *from, const DeltaProtocol *to, int *count, const char **one)
{
	StringInfoData out;
	int			n = 0;

	initStringInfo(&out);
	if (from != NULL)
	{
		for (int i = 0; i < lengthof(features) + from->nwriter_features + from->nreader_features; i++)
		{
			const char *name;

			/* The known ones, then those in the lists that we don't know. */
			if (i < lengthof(features))
				name = features[i].name;
			else if (i < lengthof(features) + from->nwriter_features)
				name = from->writer_features[i - lengthof(features)];
			else
				name = from->reader_features[i - lengthof(features) - from->nwriter_features];
			if (i >= lengthof(features) && find_feature(name) != NULL)
				continue;
			if (i >= lengthof(features) + from->nwriter_features &&
				in_list(from->writer_features, from->nwriter_features, name))
				continue;
			if (deltacc_protocol_supports(from, name) && !deltacc_protocol_supports(to, name))
			{
				appendStringInfo(&out, "%s%s", n > 0 ? ", " : "", name);
				*one = name;
				n++;
			}
		}
	}
	*count = n;
	return out.data;
}

/* An error of Delta's own, unless the verdict is known before it comes up. */
static void
report_unsupported(Transaction *txn, Winner *w, const char *class_name, const char *what)
{
	int			level = deltacc_verdict_known(txn, w) ? WARNING : ERROR;

	ereport(level,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 w->version >= 0 ?
			 errmsg("%s: the commit at version " INT64_FORMAT " needs %s", class_name, w->version, what) :
			 errmsg("%s: the winning commit needs %s", class_name, what),
			 errdetail("Delta's conflict check fails for such a commit, and deltacc doesn't guess what it means."),
			 errhint("Upgrade the writers to a Delta version that knows it, and deltacc as well.")));
}

/*
 * Versions and lists that don't go together: Delta can't even make the action
 * (Protocol's constructor), and so fails before it looks at anything else.
 */
static void
check_well_formed(Transaction *txn, Winner *w)
{
	const DeltaProtocol *p = w->protocol;
	const char *what = NULL;

	if ((p->reader_version >= 3) != p->has_reader_features)
		what = psprintf("minReaderVersion %d and %s readerFeatures", p->reader_version,
						p->has_reader_features ? "yet" : "no");
	else if ((p->writer_version >= 7) != p->has_writer_features)
		what = psprintf("minWriterVersion %d and %s writerFeatures", p->writer_version,
						p->has_writer_features ? "yet" : "no");
	else if (p->reader_version >= 3 && p->writer_version < 7)
		what = psprintf("readerFeatures and minWriterVersion %d", p->writer_version);
	if (what == NULL)
		return;
	ereport(deltacc_verdict_known(txn, w) ? WARNING : ERROR,
			(errcode(p->reader_version > 3 || p->writer_version > 7 ?
					 ERRCODE_FEATURE_NOT_SUPPORTED : ERRCODE_INVALID_PARAMETER_VALUE),
			 w->version >= 0 ?
			 errmsg("the protocol of the commit at version " INT64_FORMAT " has %s", w->version, what) :
			 errmsg("the protocol of the winning commit has %s", what),
			 errdetail("readerFeatures go with minReaderVersion 3, writerFeatures with minWriterVersion 7. Delta's conflict check can't read such a commit (ValueInstantiationException)."),
			 errhint("Look at the writer that made this commit.")));
}

static void
check_supported(Transaction *txn, Winner *w)
{
	const DeltaProtocol *p = w->protocol;

	check_well_formed(txn, w);
	if (p->reader_version < 1 || p->reader_version > 3)
		report_unsupported(txn, w, "DELTA_INVALID_PROTOCOL_VERSION",
						   psprintf("reader version %d", p->reader_version));
	if (p->writer_version < 1 || p->writer_version > 7)
		report_unsupported(txn, w, "DELTA_INVALID_PROTOCOL_VERSION",
						   psprintf("writer version %d", p->writer_version));
	for (int i = 0; i < p->nreader_features; i++)
	{
		const Feature *feature = find_feature(p->reader_features[i]);

		if (feature == NULL || !feature->reader)
			report_unsupported(txn, w, "DELTA_UNSUPPORTED_FEATURES_FOR_READ",
							   psprintf("the table feature \"%s\"", p->reader_features[i]));
	}
	for (int i = 0; i < p->nwriter_features; i++)
	{
		if (find_feature(p->writer_features[i]) == NULL)
			report_unsupported(txn, w, "DELTA_UNSUPPORTED_FEATURES_FOR_WRITE",
							   psprintf("the table feature \"%s\"", p->writer_features[i]));
	}
}

static bool
property_is_true(const DeltaMetadata *m, const char *key)
{
	const char *value = m ? deltacc_metadata_property(m, key) : NULL;

	return value != NULL && pg_strcasecmp(value, "true") == 0;
}

static bool
property_is_set(const DeltaMetadata *m, const char *prefix)
{
	for (int i = 0; m != NULL && i < m->nconfiguration; i++)
	{
		if (pg_strncasecmp(m->configuration[i].key, prefix, strlen(prefix)) == 0)
			return true;
	}
	return false;
}

/* Does some field of the schema, however deep, have this key in its metadata? */
static bool
schema_has(const DeltaMetadata *m, const char *key)
{
	char	   *quoted = psprintf("\"%s\"", key);
	const char *at = m->schema_string;

	while (at != NULL && (at = strstr(at, quoted)) != NULL)
	{
		at += strlen(quoted);
		at += strspn(at, " \t\r\n");
		if (*at == ':')
			return true;
	}
	return false;
}

/*
 * A transaction that drops a feature: does the table at the winner's version
 * still use it?  (RemovableFeature.validateDropInvariants, as far as the
 * metadata tells it.)
 */
static bool
still_used(const char *feature, const DeltaMetadata *m)
{
	const char *value;

	if (strcmp(feature, "checkConstraints") == 0)
		return property_is_set(m, "delta.constraints.");
	if (strcmp(feature, "deletionVectors") == 0)
		return property_is_true(m, "delta.enableDeletionVectors");
	if (strcmp(feature, "columnMapping") == 0)
	{
		value = deltacc_metadata_property(m, "delta.columnMapping.mode");
		return (value != NULL && pg_strcasecmp(value, "none") != 0) ||
			schema_has(m, "delta.columnMapping.id") ||
			schema_has(m, "delta.columnMapping.physicalName") ||
			schema_has(m, "delta.columnMapping.nested.ids");
	}
	if (strcmp(feature, "typeWidening") == 0 || strcmp(feature, "typeWidening-preview") == 0)
		return property_is_true(m, "delta.enableTypeWidening") || schema_has(m, "delta.typeChanges");
	if (strcmp(feature, "inCommitTimestamp") == 0)
		return property_is_true(m, "delta.enableInCommitTimestamps") ||
			deltacc_metadata_property(m, "delta.inCommitTimestampEnablementVersion") != NULL ||
			deltacc_metadata_property(m, "delta.inCommitTimestampEnablementTimestamp") != NULL;
	if (strcmp(feature, "v2Checkpoint") == 0)
	{
		value = deltacc_metadata_property(m, "delta.checkpointPolicy");
		return value != NULL && pg_strcasecmp(value, "v2") == 0;
	}
	if (strcmp(feature, "checkpointProtection") == 0)
		return deltacc_metadata_property(m, "delta.requireCheckpointProtectionBeforeVersion") != NULL;
	return false;
}

bool
deltacc_drops_reader_feature(Transaction *txn)
{
	const char *feature = NULL;
	int			n;

	(void) dropped_features(txn->args.snapshot->protocol, txn->own_protocol, &n, &feature);
	return n == 1 && find_feature(feature) != NULL && find_feature(feature)->reader;
}

/* DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL is none of the seven
 * exceptions: an ERROR here, too. */
static void
revalidate_drop(Transaction *txn, Winner *w)
{
	const DeltaMetadata *metadata = w->metadata ? w->metadata : txn->args.snapshot->metadata;
	List	   *domains = deltacc_live_domains(txn, w);
	const char *feature = NULL;
	int			n;
	char	   *dropped = dropped_features(txn->args.snapshot->protocol, w->effective_protocol, &n, &feature);

	if (n == 1 && find_feature(feature) != NULL && !find_feature(feature)->removable)
		ereport(deltacc_verdict_known(txn, w) ? WARNING : ERROR,
				(errcode(ERRCODE_TRANSACTION_ROLLBACK),
				 errmsg("DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE: the transaction drops the table feature %s, which can't be dropped", feature),
				 errdetail("Delta's conflict check fails on it."),
				 errhint("Leave the feature in the table's protocol.")));

	/* Row tracking has its own resolution: the un-backfill. */
	if (n == 0 || metadata == NULL || strstr(dropped, "rowTracking") != NULL)
		return;
	if (n == 1 && !still_used(feature, metadata) &&
		(strcmp(feature, "domainMetadata") != 0 || domains == NIL))
		return;
	ereport(deltacc_verdict_known(txn, w) ? WARNING : ERROR,
			(errcode(ERRCODE_TRANSACTION_ROLLBACK),
			 errmsg("DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL: the transaction drops %s %s, which the table uses after the commit at version " INT64_FORMAT,
					n == 1 ? "the table feature" : "several table features at once:", dropped, w->version),
			 errhint("Look at what the winning commit changed, clean it up, and drop the feature again.")));
}

void
deltacc_check_protocol(Transaction *txn, Winner *w)
{
	const char *one = NULL;
	int			n;
	char	   *dropped;

	if (w->protocol != NULL)
	{
		check_supported(txn, w);
		dropped = dropped_features(txn->args.snapshot->protocol, w->protocol, &n, &one);
		if (txn->own_protocol != NULL || n > 0)
		{
			Conflict   *c = deltacc_add_conflict(txn, w, "protocol", "ProtocolChangedException",
												 "DELTA_PROTOCOL_CHANGED", NULL);

			deltacc_describe_protocol(txn, w, c, n > 0 ? dropped : NULL);
			return;
		}
	}
	if (txn->own_protocol != NULL)
		revalidate_drop(txn, w);
}
