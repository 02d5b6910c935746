/*-------------------------------------------------------------------------
 *
 * schema.h
 *	  A table's schema: its columns, which of them partition the table, and
 *	  for which of them statistics exist.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SCHEMA_H
#define DELTACC_SCHEMA_H

#include "delta/value.h"

typedef struct DeltaField
{
	const char *name;			/* logical */
	const char *physical_name;	/* the same without column mapping */
	DeltaType	type;
	bool		nullable;
	struct DeltaField *parent;	/* NULL at the top */
	bool		is_partition;	/* top level only */
	int			partition_index;	/* in partitionColumns; -1 */

	/*
	 * Delta indexes this leaf (dataSkippingNumIndexedCols /
	 * dataSkippingStatsColumns, StatisticsCollection).  Always false for
	 * arrays, maps, structs and partition columns.
	 */
	bool		has_stats;
	bool		widened_from_float; /* delta.typeChanges: float -> double */
	const char *logical_path;	/* "a.b", quoted with backticks where needed */
	const char *stats_path;		/* physical segments joined by
								 * DELTACC_PATH_SEPARATOR */
	int			leaf_number;	/* among the leaves of the data columns, from 1
								 * on; 0: it is none of them */
	const char *stats_columns;	/* what dataSkippingStatsColumns is set to; NULL */
} DeltaField;

/* Between the segments of a column's physical path: no name holds it. */
#define DELTACC_PATH_SEPARATOR '\x01'

typedef struct DeltaSchema
{
	const DeltaField *fields;	/* top level */
	int			nfields;
	const DeltaField **partition_columns;	/* in the order of the metaData */
	int			npartition_columns;
} DeltaSchema;

/*
 * Parses schemaString.  partition_columns are logical names; configuration
 * gives what decides which columns are indexed and mapped: looked up through
 * the callback, which returns NULL for a key that isn't set.
 *
 * Everything lives in the current memory context.  ERROR 22023 for a
 * schemaString that is none, or a partition column that isn't in it.
 */
typedef const char *(*DeltaConfigLookup) (void *arg, const char *key);

extern DeltaSchema *deltacc_schema_parse(const char *schema_string, int len,
										 char **partition_columns, int npartition_columns,
										 DeltaConfigLookup lookup, void *lookup_arg);

/* The field of that (case-insensitive) name below parent (NULL: the top), or
 * NULL. Spark's AMBIGUOUS_REFERENCE cannot arise: Delta forbids such schemas. */
extern const DeltaField *deltacc_schema_find(const DeltaSchema *schema, const DeltaField *parent,
											 const char *name, int len);

/* Are two names (UTF-8) the same to Spark, letter case apart? */
extern bool deltacc_name_equal(const char *a, int a_len, const char *b, int b_len);

/*
 * A hint that names the columns and fields nearest to a path; NULL if none is
 * near.  A qualifier may stand in front of the path.
 */
extern char *deltacc_schema_suggest(const DeltaSchema *schema, const char *name);

/* The path of the field of a struct that is nearest to a name; NULL if none is
 * near. */
extern const char *deltacc_schema_suggest_field(const DeltaField *parent, const char *name);

#endif							/* DELTACC_SCHEMA_H */
