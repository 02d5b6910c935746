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

/* As Jackson (StreamReadConstraints): what is nested deeper is an error. */
#define DELTACC_JSON_MAX_DEPTH 1000

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

/*
 * The fields are for reading only: pos always stands behind what was read last.
 */
typedef struct JsonScanner
{
	const char *pos;
	const char *end;
	bool		single_quotes;	/* statistics: allow 'x', and -INF, +INF,
								 * +Infinity */
	const char *error;			/* what was expected, static; NULL: no error */
	const char *error_pos;
	int			depth;
} JsonScanner;

extern void deltacc_json_init(JsonScanner *s, const char *data, int len, bool single_quotes);

/*
 * Reads one whole value from the current position (white space before it is
 * passed over).  False with s->error set if there is none, a nesting that is
 * too deep too.  Nothing is allocated, nothing raised, and it does not recurse.
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

/*
 * The next key alone, the colon passed over: the value is the caller's to read,
 * by deltacc_json_value() or by entering it.  False at the end of the object
 * or with s->error.
 */
extern bool deltacc_json_next_key(JsonScanner *s, JsonSlice *key);

/*
 * The same for a caller who knows which key is likely to come: *hit tells that
 * it is the one guessed (compared as written; guess must hold no quote and no
 * backslash, or it is simply never hit).  *key is filled in either way.
 */
extern bool deltacc_json_next_key_guess(JsonScanner *s, const char *guess, int guess_len,
										JsonSlice *key, bool *hit);

/* The next element of an array, not yet read. */
extern bool deltacc_json_next_item(JsonScanner *s);

/* The kind of value that stands next, white space passed over; false with
 * s->error if none begins here. */
extern bool deltacc_json_peek(JsonScanner *s, JsonTokenKind *kind);

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
 * Reads the string that stands at the current position (deltacc_json_peek() has
 * said so) and appends its value: deltacc_json_value() and deltacc_json_unescape()
 * in one pass.
 */
extern bool deltacc_json_string_value(JsonScanner *s, StringInfo out);

/*
 * deltacc_json_unescape() into memory of the caller's, of string->len bytes at least (a value
 * is never longer than what stands for it); the length is returned.  A lone
 * surrogate becomes substitute, of three bytes at most.
 */
extern int	deltacc_json_unescape_into(char *out, const JsonSlice *string, const char *substitute);

/* A canonical integer (no fraction, no exponent, no "-0") that fits int64? */
extern bool deltacc_json_int64(const JsonSlice *number, int64 *value);

/*
 * Looks a member up in an object slice: the last of duplicates.  False if it
 * isn't there or the slice is no object.
 */
extern bool deltacc_json_member(const JsonSlice *object, const char *name, JsonSlice *value);

/* Appends text as a JSON string, quotes included. */
extern void deltacc_json_escape(StringInfo out, const char *text, int len);

#endif							/* DELTACC_JSON_SCAN_H */
