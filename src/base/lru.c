/*-------------------------------------------------------------------------
 *
 * lru.c
 *	  What a backend keeps from call to call: the entries used last.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/lru.h"
#include "utils/memutils.h"

typedef struct LruPin
{
	MemoryContextCallback callback;
	LruEntry   *entry;
} LruPin;

/* Takes an entry out of the list; its last user frees it. */
static void
give_up(LruList *list, LruEntry *entry)
{
	dlist_delete(&entry->node);
	dlist_delete(&entry->bucket_node);
	entry->listed = false;
	list->nentries--;
	list->bytes -= entry->bytes;
	if (entry->pins == 0)
		MemoryContextDelete(entry->context);
}

static void
unpin(void *arg)
{
	LruEntry   *entry = ((LruPin *) arg)->entry;

	if (--entry->pins == 0 && !entry->listed)
		MemoryContextDelete(entry->context);
}

void
deltacc_lru_add(LruList *list, LruEntry *entry)
{
	entry->bytes = MemoryContextMemAllocated(entry->context, true);
	entry->pins = 0;
	entry->listed = true;
	MemoryContextSetParent(entry->context, TopMemoryContext);
	dlist_push_head(&list->entries, &entry->node);
	dlist_push_head(&list->buckets[entry->hash % LRU_BUCKETS], &entry->bucket_node);
	list->nentries++;
	list->bytes += entry->bytes;
	while (list->nentries > list->max_entries || (list->bytes > list->max_bytes && list->nentries > 1))
		give_up(list, dlist_tail_element(LruEntry, node, &list->entries));
}

void
deltacc_lru_pin(LruEntry *entry)
{
	LruPin	   *pin = palloc(sizeof(LruPin));

	pin->entry = entry;
	pin->callback.func = unpin;
	pin->callback.arg = pin;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &pin->callback);
	entry->pins++;
}

void
deltacc_lru_use(LruList *list, LruEntry *entry)
{
	deltacc_lru_pin(entry);
	dlist_move_head(&list->entries, &entry->node);
}
