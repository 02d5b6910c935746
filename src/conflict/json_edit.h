/*-------------------------------------------------------------------------
 *
 * json_edit.h
 *	  Reading single members of an action, and changing them in the text: what
 *	  is not changed stays byte for byte as it was written.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_JSON_EDIT_H
#define DELTACC_JSON_EDIT_H

#include "base/json_scan.h"

/* The object of an action line: {"<name>": {...}}.  False if it has none. */
extern bool deltacc_edit_action(const char *line, int len, const char *name, JsonSlice *object);

/* A string member, unescaped and terminated; NULL if absent, null or no string. */
extern char *deltacc_edit_string(const JsonSlice *object, const char *name);

/* An integer member; false if absent or none that fits int64. */
extern bool deltacc_edit_int64(const JsonSlice *object, const char *name, int64 *value);

/*
 * The same as Jackson reads it into a long: a number is cut off behind its
 * point, one in quotes is one, too; null, "" and absent are 0.
 */
extern bool deltacc_jackson_int64(const JsonSlice *object, const char *name, int64 *value);

/* A whole number in text; false if it is none or doesn't fit. */
extern bool deltacc_edit_parse_int64(const char *text, int len, int64 *value);

/*
 * An object's text with a member set to value (JSON text), or without it
 * (value NULL).  The last of duplicates is what counts, and what is changed.
 */
extern char *deltacc_edit_set(const char *object, int len, const char *name, const char *value);

/*
 * The same in an action line: {"<action>": {... "<name>": value ...}}.
 */
extern char *deltacc_edit_set_in_action(const char *line, int len, const char *action,
										const char *name, const char *value);

/* Text as a JSON string. */
extern char *deltacc_edit_quote(const char *text);

#endif							/* DELTACC_JSON_EDIT_H */
