/*-------------------------------------------------------------------------
 *
 * path_index.h
 *	  In which of many commits was a file added?
 *
 * An index of a run of commits holds a hash of the last segment of each path
 * that they add, which is the same however the path is spelled.  It tells in
 * which commits to look; what it doesn't name isn't there.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_PATH_INDEX_H
#define DELTACC_PATH_INDEX_H

#include "delta/actions.h"

/* Making one, commit by commit in any order; in a memory context. */
typedef struct PathIndexBuilder PathIndexBuilder;

extern PathIndexBuilder *deltacc_path_index_builder(MemoryContext context);
extern void deltacc_path_index_add(PathIndexBuilder *b, int64 version, DeltaActions *actions);
extern struct varlena *deltacc_path_index_finish(PathIndexBuilder *b);

/* What a path is looked up by. */
extern uint32 deltacc_path_index_key(DeltaString path);

/* An index that has been read. */
typedef struct PathIndex
{
	int64		first;			/* the versions that the run covers */
	int64		last;
	Datum		bytes;
	uint32		nkeys;
	const char *keys;			/* as they stand in the bytes, not aligned */
} PathIndex;

/* In the current memory context.  ERROR XX001 for bytes that are no index. */
extern PathIndex *deltacc_path_index_open(Datum bytes);

/*
 * Appends to *versions (palloc'd; *n there, *capacity) those commits up to
 * newest that may add a path with one of the keys, which are sorted.
 */
extern void deltacc_path_index_search(const PathIndex *index, int64 newest, const uint32 *keys, int nkeys,
									  int64 **versions, int *n, int *capacity);

#endif							/* DELTACC_PATH_INDEX_H */
