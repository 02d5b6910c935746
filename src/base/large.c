/*-------------------------------------------------------------------------
 *
 * large.c
 *	  Memory for values of many megabytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <sys/mman.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "base/large.h"
#include "utils/memutils.h"

/* From about here on, getting memory page by page is what takes longest. */
#define LARGE (8 * 1024 * 1024)

#define HUGE_PAGE (2 * 1024 * 1024)

void *
deltacc_alloc_large(MemoryContext context, Size size)
{
	char	   *memory = MemoryContextAllocHuge(context, size);

#ifdef MADV_HUGEPAGE
	if (size > LARGE)
	{
		char	   *start = (char *) TYPEALIGN(HUGE_PAGE, memory);
		char	   *end = (char *) TYPEALIGN_DOWN(HUGE_PAGE, memory + size);

		/* A hint: it may fail. */
		(void) madvise(start, end - start, MADV_HUGEPAGE);
	}
#endif
	return memory;
}

void
deltacc_give_back_memory(Size freed)
{
#ifdef __GLIBC__
	if (freed > LARGE)
		(void) malloc_trim(0);
#endif
}
