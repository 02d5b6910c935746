/*-------------------------------------------------------------------------
 *
 * path.h
 *	  When do two paths of a log name the same file?
 *
 * When they are equal after one percent-decoding, an absolute path below the
 * table's location being equal to the relative one.  Where the location is
 * unknown, an absolute path equals each relative one that it ends with.
 * (Delta compares the texts as they stand, and so misses conflicts.)
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_PATH_H
#define DELTACC_PATH_H

#include "delta/value.h"

/*
 * The canonical spelling of a path: decoded once, without empty and "."
 * segments, without the scheme "file:"; relative if it lies below location
 * (NULL: unknown).  *absolute tells whether it still is absolute.  The result
 * is the input itself where nothing is to be done.
 */
extern DeltaString deltacc_path_canonical(DeltaString path, const char *location, bool *absolute);

/*
 * The directory that a table's name names, if it is a path (also as
 * delta.`path`), canonical; NULL if it is none.  In the current context.
 */
extern char *deltacc_path_of_table_name(const char *table_name);

/* The canonical spelling of a location ("file:/x/", "/x"); NULL stays NULL. */
extern char *deltacc_path_location(const char *location);

/*
 * A set of paths, each with a number.  In the current memory context at the
 * time of creation; the paths added have to stay valid.
 */
typedef struct DeltaPathSet DeltaPathSet;

extern DeltaPathSet *deltacc_path_set(const char *location, int size_hint);

/* Adds a path; one that is there keeps its first number.  False if it was. */
extern bool deltacc_path_set_add(DeltaPathSet *set, DeltaString path, int value);

/*
 * The number of a path, which is added with this number if it isn't there; then
 * *added is true, and the set has made a copy of it.
 */
extern int	deltacc_path_set_enter(DeltaPathSet *set, DeltaString path, int value, bool *added);

/*
 * Forgets a path that was entered with a number.  False, and it stays, where it may
 * be known by another end.
 */
extern bool deltacc_path_set_remove(DeltaPathSet *set, DeltaString path, int value);

/*
 * Is a path that names the same file in the set?  *value is its number and
 * *same_text whether it is spelled the same way; either may be NULL.
 */
extern bool deltacc_path_set_find(DeltaPathSet *set, DeltaString path, int *value, bool *same_text);

extern int	deltacc_path_set_count(const DeltaPathSet *set);

#endif							/* DELTACC_PATH_H */
