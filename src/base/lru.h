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

#define LRU_BUCKETS 1024

typedef struct LruList
{
	dlist_head	entries;		/* the one used last first */
	dlist_head	buckets[LRU_BUCKETS];	/* by hash */
	int			max_entries;
	Size		max_bytes;		/* of all; one entry is kept, however large */
	int			nentries;
	Size		bytes;
} LruList;

#define LRU_LIST(list, max_entries_, max_bytes_) \
	{ .entries = DLIST_STATIC_INIT((list).entries), .max_entries = (max_entries_), .max_bytes = (max_bytes_) }

typedef struct LruEntry
{
	dlist_node	node;			/* in entries */
	dlist_node	bucket_node;
	MemoryContext context;
	uint32		hash;			/* of what it is searched by */
	Size		bytes;
	int			pins;
	bool		listed;
} LruEntry;

/*
 * The entries among which one of that hash is, if there is one: iter is a
 * dlist_iter, and LRU_ENTRY(iter) the entry.
 */
#define lru_foreach(iter, list, hash) \
	dlist_foreach(iter, &(list)->buckets[(hash) % LRU_BUCKETS])
#define LRU_ENTRY(iter) dlist_container(LruEntry, bucket_node, (iter).cur)

/*
 * Adds a new entry; its context and hash are set, and the context belongs to the
 * list from now on.
 */
extern void deltacc_lru_add(LruList *list, LruEntry *entry);

/*
 * Makes an entry the one used last.  It stays until the memory context that is
 * current in this call is reset or deleted.
 */
extern void deltacc_lru_use(LruList *list, LruEntry *entry);

/* The same for one that somebody else uses already, whether it is listed or not. */
extern void deltacc_lru_pin(LruEntry *entry);

#endif							/* DELTACC_LRU_H */
