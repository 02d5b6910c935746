/*-------------------------------------------------------------------------
 *
 * table_state.h
 *	  The fold of commits into a table's state, with or without its files.
 *
 * The commits may come in any order, and in several parts that are combined:
 * for every key (the protocol, the metaData, an appId, a domain, a file) the
 * newest version wins.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_TABLE_STATE_H
#define DELTACC_TABLE_STATE_H

#include "lib/stringinfo.h"

#include "delta/actions.h"

typedef struct TableState TableState;

/* An empty state; it and all that it keeps live in cxt. */
extern TableState *deltacc_state_create(MemoryContext cxt, bool with_files);
extern bool deltacc_state_with_files(const TableState *state);

/*
 * Adds the commit of a version.  A value that is a state itself (it has a
 * tableState line) stands for all versions up to its own.  Scratch memory is
 * taken from the current memory context.  ERROR 22023 for a negative version,
 * a state under another version than its own, and a state without files where
 * files are wanted.
 */
extern void deltacc_state_add(TableState *state, int64 version, DeltaActions *actions);

/* Has it an action that a state without files holds, or is it a state itself? */
extern bool deltacc_changes_state(DeltaActions *actions);

/* Adds a commit that doesn't. */
extern void deltacc_state_pass(TableState *state, int64 version);

/* Adds all that other has seen; other is left as it is. */
extern void deltacc_state_combine(TableState *state, const TableState *other);

/*
 * The state as an actions value, in the current memory context.  The TableState
 * is not changed, and may be added to afterwards.  ERROR 22023 for a version
 * that was added twice, a gap between two versions and, where files are
 * wanted, a log whose beginning is missing; 54000 past 1 GB.
 */
extern struct varlena *deltacc_state_finish(const TableState *state);

/* To bytes and back, within one server (between a parallel plan's processes). */
extern void deltacc_state_serialize(const TableState *state, StringInfo out);
extern TableState *deltacc_state_deserialize(MemoryContext cxt, StringInfo in);

#endif							/* DELTACC_TABLE_STATE_H */
