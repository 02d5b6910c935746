/*-------------------------------------------------------------------------
 *
 * nearest.h
 *	  How far a name is from the one that was perhaps meant.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_NEAREST_H
#define DELTACC_NEAREST_H

/* So far a slip of the pen goes: beyond it, two names have nothing to do with
 * each other. */
extern int	deltacc_slip_limit(const char *name, const char *candidate);

/*
 * Letters to change, whatever their case, to get from one name to the other;
 * more than limit if it is more, or can't be told in the database's encoding.
 * Both are UTF-8.
 */
extern int	deltacc_name_distance(const char *name, const char *candidate, int limit);

#endif							/* DELTACC_NEAREST_H */
