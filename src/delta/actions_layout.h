/*-------------------------------------------------------------------------
 *
 * actions_layout.h
 *	  How a deltacc.actions value is laid out: for its builder and its reader.
 *
 * Offsets count from the start of the varlena, its length word included, and
 * are multiples of eight, so that each section is aligned in memory wherever
 * the value itself is, and in a slice of it too (see fetch() in actions.c).
 *
 *		header
 *		others		OtherAction[nothers]
 *		directory	ColumnEntry[ncolumns], by family and key
 *		bounds		BoundText[], those that entries refer to
 *		keys		the bytes of their keys
 *		marks		uint8[nfiles]: FILE_MARK
 *		files		FileAction[nfiles]
 *		columns		one after the other, in the order of the directory
 *		text		as it came in, and a NUL byte
 *
 * What most checks ask for first comes first: the reader fetches the header
 * with the sections behind it in one slice.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ACTIONS_LAYOUT_H
#define DELTACC_ACTIONS_LAYOUT_H

#include "delta/actions.h"

#define ACTIONS_MAGIC			0xDE17
#define ACTIONS_LAYOUT_VERSION	2

#define ACTIONS_ALIGN(len)		(((uint64) (len) + 7) & ~(uint64) 7)

typedef struct ActionsSection
{
	uint32		offset;
	uint32		size;
} ActionsSection;

typedef struct ActionsHeader
{
	int32		vl_len_;		/* varlena header (do not touch directly!) */
	uint16		magic;
	uint16		layout_version;
	uint32		header_size;	/* a later version may append fields */
	uint32		flags;			/* ACTIONS_... */
	uint32		nactions;
	uint32		nfiles;
	uint32		nothers;
	uint32		ncolumns;
	int64		table_version;	/* of tableState; -1 */
	uint8		fingerprint[16];	/* of protocol and metaData; zero if none */
	ActionsSection others;
	ActionsSection directory;
	ActionsSection bounds;
	ActionsSection keys;
	ActionsSection marks;
	ActionsSection files;
	ActionsSection columns;
	ActionsSection text;
	uint32		reserved[2];	/* always zero */
} ActionsHeader;

StaticAssertDecl(sizeof(ActionsHeader) == 128, "the header has a fixed layout");

/*
 * A column stores m entries: all rows, or only those where the key is there if
 * these are few (COLUMN_SPARSE); then their row numbers come first.  Parts, each
 * aligned, in this order, those that the flags name:
 *
 *		rows	uint32[m]	COLUMN_SPARSE, ascending
 *		kinds	uint8[m]	unless COLUMN_UNIFORM
 *		values	8 bytes [m]	COLUMN_VALUES: of the shape, unless that is INT
 *		ints	int64[m]	COLUMN_INTS
 *		ends	uint32[m]	COLUMN_TEXTS
 *		heap	heap_size bytes
 *
 * The texts come last: a check mostly does without them.
 */
typedef struct ColumnEntry
{
	uint32		key_offset;		/* in the section of keys */
	uint32		key_length;
	uint32		offset;			/* in the section of columns */
	uint32		size;
	uint32		nentries;		/* m */
	uint32		heap_size;
	uint32		sequence;		/* order of first appearance */
	uint8		family;			/* ColumnFamily */
	uint8		flags;			/* COLUMN_... */
	uint8		kind;			/* TokenKind of every entry: COLUMN_UNIFORM */
	uint8		shape;			/* ValueShape */
	uint8		scale;			/* of ActionsValues; PREFIX: length of what all
								 * strings begin with */
	uint8		reserved[7];

	/*
	 * Of all rows that have a value.  Of shape PREFIX, and of NONE if
	 * COLUMN_BOUNDED, the number of a BoundText.
	 */
	int64		least;
	int64		greatest;
} ColumnEntry;

StaticAssertDecl(sizeof(ColumnEntry) == 56, "a column's entry has a fixed layout");
StaticAssertDecl(sizeof(FileAction) == 16 && sizeof(OtherAction) == 16,
				 "actions are stored as they stand in memory");

/* A string that bounds others. */
#define BOUND_TEXT_LENGTH 38

typedef struct BoundText
{
	uint8		length;
	uint8		flags;			/* BOUND_... */
	char		text[BOUND_TEXT_LENGTH];
} BoundText;

StaticAssertDecl(sizeof(BoundText) == 40, "a bound has a fixed layout");

#define BOUND_CUT		0x01	/* it isn't the string itself */
#define BOUND_NONE		0x02	/* nothing is above the greatest one */

#define COLUMN_SPARSE	0x01
#define COLUMN_INTS		0x02
#define COLUMN_TEXTS	0x04
#define COLUMN_UNIFORM	0x08
#define COLUMN_VALUES	0x10
#define COLUMN_BOUNDED	0x20	/* each file that is added has a value, or (shape
								 * NONE) a string */

/* Where the parts of a column begin, counted from its own start. */
typedef struct ColumnParts
{
	uint64		kinds;
	uint64		values;
	uint64		ints;
	uint64		ends;
	uint64		heap;
	uint64		size;
} ColumnParts;

static inline ColumnParts
column_parts(uint8 flags, uint64 nentries, uint64 heap_size)
{
	ColumnParts p;
	uint64		at = 0;

	if (flags & COLUMN_SPARSE)
		at += ACTIONS_ALIGN(nentries * sizeof(uint32));
	p.kinds = at;
	if (!(flags & COLUMN_UNIFORM))
		at += ACTIONS_ALIGN(nentries);
	p.values = at;
	if (flags & COLUMN_VALUES)
		at += nentries * sizeof(int64);
	p.ints = at;
	if (flags & COLUMN_INTS)
		at += nentries * sizeof(int64);
	p.ends = at;
	if (flags & COLUMN_TEXTS)
		at += ACTIONS_ALIGN(nentries * sizeof(uint32));
	p.heap = at;
	p.size = ACTIONS_ALIGN(at + heap_size);
	return p;
}

#endif							/* DELTACC_ACTIONS_LAYOUT_H */
