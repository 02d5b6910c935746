/*-------------------------------------------------------------------------
 *
 * text.h
 *	  Between the database's encoding and UTF-8, and from JSON text to jsonb.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_TEXT_H
#define DELTACC_TEXT_H

#include "base/json_scan.h"
#include "utils/jsonb.h"

/* Database encoding to UTF-8 and back; the input itself where nothing is to be
 * done, else palloc'd.  Raises what PostgreSQL's conversions raise. */
extern char *deltacc_to_utf8(const char *text, int len, int *utf8_len);
extern char *deltacc_from_utf8(const char *text, int len, int *out_len);

/* A text datum in UTF-8: a copy in that memory context, terminated. */
extern char *deltacc_text_to_utf8(Datum value, MemoryContext context);

/* UTF-8 as text, and as a string that stays UTF-8: NUL bytes become U+FFFD. */
extern text *deltacc_utf8_to_text(const char *text, int len);
extern char *deltacc_utf8_to_cstring(const char *text, int len);

/*
 * UTF-8 JSON of Delta's dialect as jsonb: \u0000 and lone surrogates become
 * U+FFFD, bare NaN and infinities strings.  NULL if it can't be read.
 */
extern Jsonb *deltacc_json_to_jsonb(const char *json, int len);

/* The same for a value that the scanner has passed over, of either dialect. */
extern Jsonb *deltacc_json_slice_to_jsonb(const JsonSlice *value);

/*
 * A JSON number as numeric.  False for NaN, an infinity and what numeric can't
 * hold.
 */
extern bool deltacc_json_numeric(const JsonSlice *number, Numeric *result);

#endif							/* DELTACC_TEXT_H */
