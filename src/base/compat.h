/*-------------------------------------------------------------------------
 *
 * compat.h
 *	  The differences between PostgreSQL 15 and 18 that deltacc meets.
 *
 * Include after postgres.h.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_COMPAT_H
#define DELTACC_COMPAT_H

#include "fmgr.h"

#if PG_VERSION_NUM >= 160000
#include "nodes/miscnodes.h"
#include "varatt.h"
#else
/* Soft errors came with 16: before, an input error is raised at once. */
#define ereturn(escontext, retval, ...) \
	do { \
		(void) (escontext); \
		ereport(ERROR, __VA_ARGS__); \
		return retval; \
	} while (0)
#define errsave(escontext, ...) \
	do { \
		(void) (escontext); \
		ereport(ERROR, __VA_ARGS__); \
	} while (0)
#define SOFT_ERROR_OCCURRED(escontext) ((void) (escontext), false)
#endif

#endif							/* DELTACC_COMPAT_H */
