/*-------------------------------------------------------------------------
 *
 * json_scan.h
 *	  A scanner for JSON as Jackson reads it: the hot path over file actions.
 *
 * It walks over bytes without building anything.  Dialect (Spark's from_json
 * and Delta's JsonUtils): JSON, and bare NaN, Infinity, -Infinity; single
 * quotes where allowed; \u0000 and lone surrogates.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_JSON_SCAN_H
#define DELTACC_JSON_SCAN_H

#include "lib/stringinfo.h"

typedef enum JsonTokenKind
{
	JSON_NULL,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NUMBER,				/* NaN, Infinity, -Infinity too */
	JSON_STRING,
	JSON_OBJECT,
	JSON_ARRAY
} JsonTokenKind;

/* A value in place: [start, start + len) holds it with its quotes or braces. */
typedef struct JsonSlice
{
	JsonTokenKind kind;
	const char *start;
	int			len;
	bool		escaped;		/* STRING: holds a backslash */
} JsonSlice;

typedef struct JsonScanner
{
	const char *pos;
	const char *end;
	bool		single_quotes;	/* allow 'x' (statistics) */
	const char *error;			/* what was expected, static; NULL: no error */
	const char *error_pos;
	int			depth;
} JsonScanner;

extern void deltacc_json_init(JsonScanner *s, const char *data, int len, bool single_quotes);

/*
 * Reads one whole value from the current position (white space before it is
 * passed over).  False with s->error set if there is none.  Nothing is
 * allocated and nothing raised, but for a nesting that is too deep
 * (check_stack_depth).
 */
extern bool deltacc_json_value(JsonScanner *s, JsonSlice *value);

/*
 * Walks over an object: enter, then next for each key and value until it
 * returns false (s->error tells the end from an error).  The key is a STRING
 * slice, quotes included; the value is complete.
 */
extern bool deltacc_json_enter_object(JsonScanner *s);
extern bool deltacc_json_next_member(JsonScanner *s, JsonSlice *key, JsonSlice *value);
extern bool deltacc_json_enter_array(JsonScanner *s);
extern bool deltacc_json_next_element(JsonScanner *s, JsonSlice *value);

/* Only white space left? */
extern bool deltacc_json_at_end(JsonScanner *s);

/* A key or string against a plain ASCII word, escapes resolved. */
extern bool deltacc_json_string_equals(const JsonSlice *string, const char *word);

/*
 * Appends the value of a STRING slice, escapes resolved, in UTF-8.  \u0000
 * becomes a NUL byte; a lone surrogate becomes '?', as Java writes it.
 */
extern void deltacc_json_unescape(StringInfo out, const JsonSlice *string);

/*
 * Looks a member up in an object slice: the last of duplicates.  False if it
 * isn't there or the slice is no object.
 */
extern bool deltacc_json_member(const JsonSlice *object, const char *name, JsonSlice *value);

/* Appends text as a JSON string, quotes included. */
extern void deltacc_json_escape(StringInfo out, const char *text, int len);

#endif							/* DELTACC_JSON_SCAN_H */
