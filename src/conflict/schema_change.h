/*-------------------------------------------------------------------------
 *
 * schema_change.h
 *	  Changes between two schemaStrings, and in one.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_SCHEMA_CHANGE_H
#define DELTACC_SCHEMA_CHANGE_H

/*
 * Are the top-level fields the same, but for the metadata of column mapping?
 * False too if one of the two can't be read.
 */
extern bool deltacc_schema_differs_in_mapping_only(const char *ours, const char *theirs);

/*
 * In words, what has become of the top-level columns: "column y added, column
 * z dropped"; NULL if that can't be told.
 */
extern char *deltacc_schema_describe_change(const char *ours, const char *theirs);

/*
 * The schema with the type changes made in table version `from` moved to the
 * next one; NULL if there is none.  ERROR 22P02 if it can't be read.
 */
extern char *deltacc_schema_move_type_changes(const char *schema, int64 from);

#endif							/* DELTACC_SCHEMA_CHANGE_H */
