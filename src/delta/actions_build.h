/*-------------------------------------------------------------------------
 *
 * actions_build.h
 *	  What the parser of a commit hands over to be laid out.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ACTIONS_BUILD_H
#define DELTACC_ACTIONS_BUILD_H

#include "delta/actions.h"
#include "delta/actions_layout.h"
#include "delta/shape.h"

/*
 * One column, or an inner node of the tree of keys that leads to columns.  A
 * key is looked for below its parent, so no path is put together per file.
 */
typedef struct ColumnNode
{
	struct ColumnNode *parent;	/* NULL: the root of a family */
	struct ColumnNode *all_next;	/* list of all nodes */
	uint32		hash;
	uint32		sequence;		/* order of creation */
	uint8		family;
	uint8		depth;
	bool		guessable;		/* its name reads the same in JSON */

	/* The node that was met next, and first below this one, last time. */
	struct ColumnNode *guess_next;
	struct ColumnNode *guess_child;

	/* The entries. */
	uint32		nentries;
	uint32		capacity;
	uint32	   *rows;			/* NULL while they are 0, 1, 2, ... */
	int64	   *ints;			/* NULL without any int */
	uint32	   *ends;			/* NULL without any text */
	uint8	   *kinds;
	char	   *heap;
	uint32		heap_size;
	uint32		heap_capacity;

	/* Where the key stood in the present file: see begin_value(). */
	uint64		pass;
	uint32		touched_from;
	uint32		touched_to;

	/* For the layout. */
	uint8		flags;
	uint32		key_length;
	ColumnShape shape;
	int64		least;
	int64		greatest;
	ColumnParts parts;

	int			name_len;
	char		name[FLEXIBLE_ARRAY_MEMBER];	/* not terminated */
} ColumnNode;

/* A commit that has been read whole. */
typedef struct BuiltActions
{
	uint32		text_len;
	uint32		flags;
	uint32		nactions;
	uint32		nfiles;
	FileAction *files;
	uint32		nothers;
	OtherAction *others;
	int64		table_version;
	uint64		fingerprint[2];
	ColumnNode *columns;		/* by all_next */
} BuiltActions;

/*
 * The value but for its text, in a memory context of the caller's.  What the
 * columns hold is given back on the way, so that it isn't there twice.
 */
extern struct varlena *deltacc_lay_out_actions(BuiltActions *built, MemoryContext result_context);

/* ... and its text, once nothing of the index is there twice. */
extern void deltacc_lay_out_text(struct varlena *value, const char *text, uint32 text_len);

extern void deltacc_actions_too_big(void);

#endif							/* DELTACC_ACTIONS_BUILD_H */
