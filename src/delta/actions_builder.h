/*-------------------------------------------------------------------------
 *
 * actions_builder.h
 *	  A commit while it is parsed: the line at hand, and the columns so far.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ACTIONS_BUILDER_H
#define DELTACC_ACTIONS_BUILDER_H

#include "base/json_scan.h"
#include "delta/actions_build.h"

/* All nodes by parent and name: open addressing, a power of two of slots. */
typedef struct ColumnTable
{
	uint32		mask;
	ColumnNode **slots;
} ColumnTable;

/* What a line says about one file. */
typedef struct FileMembers
{
	JsonSlice	path;
	JsonSlice	partition_values;
	JsonSlice	stats;			/* of a string the kind, and where it begins */
	bool		stats_read;		/* it is in the columns already */
	StringInfoData stats_text;	/* else its value */
	JsonSlice	deletion_vector;
	bool		data_change;
	bool		has_base_row_id;
} FileMembers;

/* One action of a line; kind is -1 once a duplicate key has replaced it. */
typedef struct LineItem
{
	int			kind;
	JsonSlice	value;			/* not of a file action */
} LineItem;

typedef struct Builder
{
	struct Node *escontext;
	const char *text;
	const char *end;

	/* the line at hand */
	int			lineno;
	const char *line;
	const char *line_end;
	LineItem   *items;
	int			nitems;
	uint32		items_capacity;
	int			item_of_kind[ACTION_OTHER]; /* -1: none */
	FileMembers members[ACTION_CDC + 1];
	FileMembers *early;			/* whose statistics are in the columns; NULL */

	/* columns */
	ColumnTable table;
	ColumnNode *roots[COLUMN_DV_ID + 1];
	ColumnNode *all;
	uint32		nnodes;
	uint64		pass;			/* over the file at hand: see begin_value() */
	ColumnNode **touched;		/* nodes with an entry for this file */
	uint32		ntouched;
	uint32		touched_capacity;
	uint64		heap_total;
	StringInfoData key;			/* a key, unescaped */

	/* results */
	uint32		flags;
	int			nactions;
	uint32		row;			/* = number of file actions so far */
	FileAction *files;
	uint32		files_capacity;
	OtherAction *others;
	uint32		nothers;
	uint32		others_capacity;
	int64		table_version;
	uint64		fingerprint[2];
} Builder;

/*
 * Room for one more element in an array of the builder's.  The arrays may pass
 * 1 GB while the value doesn't.
 */
extern void *deltacc_grow_array(void *array, uint32 *capacity, uint32 first, size_t element);

/* Makes the roots of all families. */
extern void deltacc_builder_start(Builder *b);

/* Begins the entries of a file anew: nothing of it has been read. */
static inline void
deltacc_builder_begin_file(Builder *b)
{
	b->pass++;
	b->ntouched = 0;
	b->early = NULL;
}

/* Takes back the entries of the file at hand. */
extern void deltacc_builder_take_back(Builder *b);

/* One value, as a token of a column. */
extern void deltacc_builder_add_token(Builder *b, ColumnNode *c, const JsonSlice *value);

/*
 * Begins an entry with a text of at most max_len bytes: where to write it.
 * deltacc_builder_end_text() tells how long it has become.
 */
extern char *deltacc_builder_begin_text(Builder *b, ColumnNode *c, TokenKind kind, int max_len);
extern void deltacc_builder_end_text(Builder *b, ColumnNode *c, int len);

/* partitionValues: one level of keys, whatever their values are. */
extern void deltacc_builder_partition_values(Builder *b, const JsonSlice *object);

/*
 * Reads statistics as Spark's from_json does: false if any of it can't be read,
 * and then nothing of it counts.  What follows the object is not looked at.
 */
extern bool deltacc_builder_stats(Builder *b, const char *text, int len, bool single_quotes);

/*
 * The same for the string of statistics at the scanner's position, as it stands
 * in the line: without a copy that has its escapes resolved.  False, with nothing
 * changed, for all that isn't written in the usual way; then the copy has to be
 * made.
 */
extern bool deltacc_builder_stats_in_place(Builder *b, JsonScanner *line);

#endif							/* DELTACC_ACTIONS_BUILDER_H */
