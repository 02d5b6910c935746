/*-------------------------------------------------------------------------
 *
 * json_doc.h
 *	  Documents (schemaString, configuration, commitInfo): jansson, owned by a
 *	  memory context.
 *
 * Include <jansson.h> in the .c file that needs it, never beside
 * utils/builtins.h, and never call json_object(): PostgreSQL exports a
 * function of that name which wins.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_JSON_DOC_H
#define DELTACC_JSON_DOC_H

struct json_t;

/*
 * Parses a document; the root is released when the current memory context is
 * reset or deleted.  what names it in the message ("schemaString").  ERROR
 * 22P02 with line and column; 53200 out of memory.
 */
extern struct json_t *deltacc_json_document(const char *text, int len, const char *what);

/* The same, but NULL for what can't be read. */
extern struct json_t *deltacc_json_document_or_null(const char *text, int len);

/* Hands a new reference over to the current memory context. */
extern struct json_t *deltacc_json_own(struct json_t *value);

/* Compact text of a value, palloc'd. */
extern char *deltacc_json_dump(struct json_t *value);

#endif							/* DELTACC_JSON_DOC_H */
