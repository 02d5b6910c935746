/*-------------------------------------------------------------------------
 *
 * large.h
 *	  Memory for values of many megabytes.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_LARGE_H
#define DELTACC_LARGE_H

/*
 * As MemoryContextAllocHuge(), for what is going to be filled from one end to
 * the other at once.
 */
extern void *deltacc_alloc_large(MemoryContext context, Size size);

/*
 * So many bytes have been freed, in pieces, and won't be needed again at once:
 * the C library may keep them from the system.
 */
extern void deltacc_give_back_memory(Size freed);

#endif							/* DELTACC_LARGE_H */
