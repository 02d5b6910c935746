/*-------------------------------------------------------------------------
 *
 * actions_internal.h
 *	  An open deltacc.actions value: what actions.c and actions_columns.c share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ACTIONS_INTERNAL_H
#define DELTACC_ACTIONS_INTERNAL_H

#include "delta/actions.h"
#include "delta/actions_layout.h"

struct DeltaActions
{
	MemoryContext context;
	Datum		value;
	uint32		size;			/* of the whole varlena */

	/* What is in memory of it, from its start on. */
	const char *start;
	uint32		start_size;

	ActionsHeader header;

	/* NULL until asked for; owned by context */
	const uint8 *marks;
	const FileAction *files;
	const OtherAction *others;
	const ColumnEntry *directory;
	const char *keys;
	const BoundText *bounds;
	ActionsColumn **columns;	/* by place in the directory */
	struct ActionsValuesReader **values;	/* ... */

	/* The line that was asked for last, unless it was long. */
	char	   *last_line;		/* NULL: none yet */
	uint32		last_offset;
	uint32		last_length;

	int			nslices;
	int64		slice_bytes;
};

#define LAST_LINE_SIZE 2048

/* ERROR XX001: the value can't be right in this. */
extern void deltacc_actions_corrupt(const char *what);

/*
 * The bytes [offset, offset + size) of the value, aligned as they are in it; in
 * the current memory context.  offset is a multiple of eight.
 */
extern const char *deltacc_actions_fetch(DeltaActions *a, uint32 offset, uint32 size);

/* The same for bytes that begin anywhere. */
extern const char *deltacc_actions_fetch_bytes(DeltaActions *a, uint32 offset, uint32 size);

/* A section, in the value's own context. */
extern const char *deltacc_actions_fetch_section(DeltaActions *a, const ActionsSection *section);

#endif							/* DELTACC_ACTIONS_INTERNAL_H */
