/*-------------------------------------------------------------------------
 *
 * lru.h
 *	  What a backend keeps from call to call: the entries used last.
 *
 * An entry is the first member of what is kept, which lives in a memory context
 * of its own, the entry included.  It is built in a context below the caller's,
 * so that an ERROR on the way leaves nothing, and joins the list when it is
 * complete.
 *
 * An entry that somebody uses must not vanish when the list is full.  So the
 * user's memory context holds a pin on it, by a reset callback: it is dropped
 * when that context is reset or deleted, on an ERROR too, and an entry that the
 * list has given up is freed with its last pin.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_LRU_H
#define DELTACC_LRU_H

#include "lib/ilist.h"

typedef struct LruList
{
	dlist_head	entries;		/* the one used last first */
	int			max_entries;
	Size		max_bytes;		/* of all; one entry is kept, however large */
	int			nentries;
	Size		bytes;
} LruList;

#define LRU_LIST(list, max_entries_, max_bytes_) \
	{ DLIST_STATIC_INIT((list).entries), (max_entries_), (max_bytes_), 0, 0 }

typedef struct LruEntry
{
	dlist_node	node;
	MemoryContext context;
	uint32		hash;			/* for the caller's search: see lru_foreach */
	Size		bytes;
	int			pins;
	bool		listed;
} LruEntry;

/* Adds a new entry; entry->context is set, and from now on belongs to the list. */
extern void deltacc_lru_add(LruList *list, LruEntry *entry);

/*
 * Makes an entry the one used last.  It stays until the memory context that is
 * current in this call is reset or deleted.
 */
extern void deltacc_lru_use(LruList *list, LruEntry *entry);

#endif							/* DELTACC_LRU_H */
