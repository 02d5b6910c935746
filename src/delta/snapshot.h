/*-------------------------------------------------------------------------
 *
 * snapshot.h
 *	  A table's state as the check needs it: protocol, metaData, schema.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SNAPSHOT_H
#define DELTACC_SNAPSHOT_H

#include "delta/actions.h"
#include "delta/schema.h"

typedef struct DeltaKeyValue
{
	const char *key;
	const char *value;			/* NULL for a JSON null */
} DeltaKeyValue;

typedef struct DeltaProtocol
{
	int			reader_version;
	int			writer_version;
	bool		has_reader_features;	/* the list is there (version 3) */
	bool		has_writer_features;	/* ... (version 7) */
	char	  **reader_features;
	int			nreader_features;
	char	  **writer_features;
	int			nwriter_features;
} DeltaProtocol;

typedef struct DeltaMetadata
{
	const char *json;			/* the metaData object as it stands (inside
								 * {"metaData": ...}) */
	const char *id;
	const char *name;			/* NULL if absent */
	const char *description;
	const char *format_provider;
	const char *schema_string;
	char	  **partition_columns;	/* logical names */
	int			npartition_columns;
	DeltaKeyValue *configuration;	/* in the order of the text, last of
									 * duplicate keys */
	int			nconfiguration;
	DeltaKeyValue *format_options;
	int			nformat_options;
	bool		has_created_time;
	int64		created_time;
} DeltaMetadata;

typedef struct DeltaSnapshot
{
	bool		exists;			/* false: '' - no table yet */
	int64		version;		/* of its tableState; -1 if it has none */
	DeltaProtocol *protocol;	/* NULL iff not exists */
	DeltaMetadata *metadata;
	const DeltaSchema *schema;	/* no columns if not exists; as long as somebody
								 * uses it, one for all snapshots of the same
								 * protocol and metaData */
	DeltaActions *actions;
	struct KnownTable *known;	/* whose these are; NULL iff not exists */
} DeltaSnapshot;

/*
 * Reads the header and the protocol and metaData lines.  In the current
 * memory context; protocol, metadata and schema may be others' as well and must
 * not be changed.  ERROR 22023 if just one of the two is there, 22P02 or
 * 22023 if one can't be read.
 */
extern DeltaSnapshot *deltacc_snapshot_open(DeltaActions *actions);

/*
 * Lets protocol, metadata and schema stay until the current memory context is
 * reset or deleted, too.
 */
extern void deltacc_snapshot_pin(const DeltaSnapshot *snapshot);

/* From the text of one action line. */
extern DeltaProtocol *deltacc_protocol_parse(const char *line, int len);
extern DeltaMetadata *deltacc_metadata_parse(const char *line, int len);

/* The schema of a metaData (partition columns and indexed columns resolved). */
extern DeltaSchema *deltacc_metadata_schema(const DeltaMetadata *metadata);

/* The value of a table property, NULL if not set. Keys as Delta looks them up
 * (case-sensitive). */
extern const char *deltacc_metadata_property(const DeltaMetadata *metadata, const char *key);

#endif							/* DELTACC_SNAPSHOT_H */
