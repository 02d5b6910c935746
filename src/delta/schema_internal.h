/*-------------------------------------------------------------------------
 *
 * schema_internal.h
 *	  What the two files of the schema share: schema_json.c reads it,
 *	  schema.c resolves and searches it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SCHEMA_INTERNAL_H
#define DELTACC_SCHEMA_INTERNAL_H

#include "delta/schema.h"

/* UTF-8 as it may stand in a message: in the database's encoding. */
extern const char *deltacc_for_message(const char *utf8);

/*
 * The fields of a schemaString, as a tree without statistics and partition
 * columns.  mapped: physical names count.
 */
extern DeltaField *deltacc_schema_fields(const char *schema_string, int len, bool mapped, int *nfields);

/* A name that needs no backticks stays, others get them (quoteIfNeeded). */
extern void deltacc_append_name(StringInfo out, const char *name);

#endif							/* DELTACC_SCHEMA_INTERNAL_H */
