/*-------------------------------------------------------------------------
 *
 * actions.h
 *	  Reading a deltacc.actions value, slice by slice.
 *
 * A value is a header, then the table of its lines and file actions, then one
 * contiguous column per partition key and per statistic, then the text.  It
 * is stored uncompressed, so that each part is fetched on its own; nothing
 * here ever detoasts the whole but deltacc_actions_text().
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_ACTIONS_H
#define DELTACC_ACTIONS_H

#include "lib/stringinfo.h"

#include "delta/value.h"

typedef enum ActionKind
{
	ACTION_ADD,
	ACTION_REMOVE,
	ACTION_CDC,
	ACTION_COMMIT_INFO,
	ACTION_PROTOCOL,
	ACTION_METADATA,
	ACTION_TXN,
	ACTION_DOMAIN_METADATA,
	ACTION_TABLE_STATE,			/* our own {"tableState":{"version":N}} */
	ACTION_OTHER				/* unknown to Delta: kept, ignored */
} ActionKind;

#define ACTION_IS_FILE(k) ((k) <= ACTION_CDC)

/* Flags of a file action. */
#define FILE_DATA_CHANGE		0x01	/* dataChange, absent counts as true */
#define FILE_HAS_DV				0x02	/* has a deletionVector */
#define FILE_STATS_PRESENT		0x04	/* a stats field that is not null */
#define FILE_STATS_VALID		0x08	/* ... and that Spark's from_json reads */
#define FILE_HAS_BASE_ROW_ID	0x10

/* One file action, as the index holds it. */
typedef struct FileAction
{
	uint8		kind;			/* ActionKind */
	uint8		flags;
	int32		ordinal;		/* its place among all actions, from 1 */
	uint32		line_offset;	/* of its JSON object (the whole line) in the
								 * text section, and its length, in bytes */
	uint32		line_length;
} FileAction;

/* One other action. */
typedef struct OtherAction
{
	uint8		kind;
	int32		ordinal;
	uint32		line_offset;
	uint32		line_length;
} OtherAction;

/* Flags of a whole value. */
#define ACTIONS_BLIND_APPEND		0x0001	/* first commitInfo says
											 * isBlindAppend: true */
#define ACTIONS_ANY_DATA_CHANGE		0x0002	/* some file action has it */
#define ACTIONS_HAS_COMMIT_INFO		0x0004
#define ACTIONS_HAS_PROTOCOL		0x0008
#define ACTIONS_HAS_METADATA		0x0010
#define ACTIONS_HAS_TXN				0x0020
#define ACTIONS_HAS_DOMAIN			0x0040
#define ACTIONS_HAS_ADD				0x0080
#define ACTIONS_HAS_REMOVE			0x0100
#define ACTIONS_HAS_CDC				0x0200
#define ACTIONS_HAS_DV				0x0400

typedef struct DeltaActions DeltaActions;	/* an open value */

/*
 * Opens a value: fetches its header only.  The datum may be toasted, and has to
 * stay valid while the result is used; the result and all that is fetched
 * through it live in the current memory context (of this call).  ERROR XX001
 * for bytes that are no such value, 0A000 for a layout of another version.
 */
extern DeltaActions *deltacc_actions_open(Datum value);

extern uint32 deltacc_actions_flags(const DeltaActions *a);
extern int	deltacc_actions_count(const DeltaActions *a);	/* actions of any kind */
extern bool deltacc_actions_is_empty(const DeltaActions *a);	/* no action at all */
extern int64 deltacc_actions_version(DeltaActions *a);	/* of tableState; -1 */

/* 128-bit fingerprint of the protocol and metaData lines. */
extern const uint8 *deltacc_actions_fingerprint(const DeltaActions *a);

extern int	deltacc_actions_file_count(const DeltaActions *a);

/*
 * Kind and flags of each file action, in one byte: all that most checks ask.
 */
extern const uint8 *deltacc_actions_marks(DeltaActions *a, int *n);

#define FILE_MARK(kind, flags)	((uint8) ((kind) | (flags) << 2))
#define FILE_MARK_KIND(mark)	((mark) & 3)
#define FILE_MARK_FLAGS(mark)	((mark) >> 2)

/* The file actions and the others, in order; fetched at the first call. */
extern const FileAction *deltacc_actions_files(DeltaActions *a, int *n);

/* One of them, without fetching all. */
extern FileAction deltacc_actions_file(DeltaActions *a, int i);

extern const OtherAction *deltacc_actions_others(DeltaActions *a, int *n);

/* The first / the last action of a kind among the others; NULL if none. */
extern const OtherAction *deltacc_actions_first(DeltaActions *a, ActionKind kind);
extern const OtherAction *deltacc_actions_last(DeltaActions *a, ActionKind kind);

/* A piece of the text section, NUL-terminated, in the current context. */
extern char *deltacc_actions_line(DeltaActions *a, uint32 offset, uint32 length);

/*
 * The whole text, exactly as it came in (UTF-8), NUL-terminated.  It may be the
 * value's own memory: not to be written to.
 */
extern char *deltacc_actions_text(DeltaActions *a, int *len);

/*
 * How many slices of the value have been fetched so far, and their bytes.  A
 * value that is in memory anyway is read in place, and counted alike.
 */
extern int	deltacc_actions_slices(const DeltaActions *a, int64 *bytes);

/* ----- columns ----- */

typedef enum ColumnFamily
{
	COLUMN_PATH,				/* path as written; key is "" */
	COLUMN_PARTITION,			/* partitionValues; key is the physical name */
	COLUMN_MIN,					/* minValues; key is the physical path */
	COLUMN_MAX,
	COLUMN_NULL_COUNT,
	COLUMN_NUM_RECORDS,			/* key is "" */
	COLUMN_DV_ID				/* unique id of the deletion vector: storage
								 * type, path, "@" offset; key is "" */
} ColumnFamily;

typedef enum TokenKind
{
	TOKEN_ABSENT = 0,			/* no such key (or no statistics) */
	TOKEN_NULL,
	TOKEN_INT,					/* canonical JSON integer that fits int64 */
	TOKEN_NUMBER,				/* any other number, NaN and Infinity too: its
								 * text as written */
	TOKEN_STRING,				/* its value, unescaped */
	TOKEN_TRUE,
	TOKEN_FALSE,
	TOKEN_COMPOSITE				/* object or array: its text as written */
} TokenKind;

/* One column over all file actions, in the order of deltacc_actions_files. */
typedef struct ActionsColumn
{
	int			n;
	const uint8 *kinds;			/* TokenKind[n] */
	const int64 *ints;			/* for TOKEN_INT; NULL if the column has none */
	const uint32 *ends;			/* text i is heap[i ? ends[i-1] : 0, ends[i]);
								 * NULL if every value is an int or nothing */
	const char *heap;
	bool		all_int;		/* every kind is TOKEN_INT */
} ActionsColumn;

/*
 * The column, fetched in one slice at the first call; NULL if no file action
 * has such a key (then every token is TOKEN_ABSENT).
 */
extern const ActionsColumn *deltacc_actions_column(DeltaActions *a, ColumnFamily family, const char *key);

/* The text of token i (TOKEN_STRING, _NUMBER, _COMPOSITE). */
static inline DeltaString
deltacc_column_text(const ActionsColumn *c, int i)
{
	uint32		start = i > 0 ? c->ends[i - 1] : 0;
	DeltaString s = {(int32) (c->ends[i] - start), c->heap + start};

	return s;
}

/*
 * The short form of a column: eight bytes for each value, in the order of the
 * type that the shape names (PREFIX: equal ones may stand for different
 * strings).  A row whose token is no INT, NUMBER or STRING has
 * no value (0 stands there).
 */
typedef enum ValueShape
{
	SHAPE_NONE,
	SHAPE_INT,					/* TOKEN_INT only: int64 */
	SHAPE_DOUBLE,				/* numbers, and the names of NaN and Infinity:
								 * the nearest double */
	SHAPE_DATE,					/* 2024-01-31: days since 1970 */
	SHAPE_TIMESTAMP,			/* 2024-01-31T10:00:00.123Z: microseconds */
	SHAPE_TIMESTAMP_NTZ,		/* the same without Z */
	SHAPE_PREFIX				/* other strings: the eight bytes behind what
								 * they all begin with, in their order */
} ValueShape;

typedef struct ActionsValues
{
	int			n;
	ValueShape	shape;			/* never NONE */
	int			scale;			/* DOUBLE: no number has more digits behind the
								 * point than this, and none an exponent or a
								 * name; else SCALE_UNKNOWN */
	DeltaScalar least;			/* .i or, DOUBLE, .d; not of PREFIX */
	DeltaScalar greatest;
	DeltaString prefix;			/* PREFIX: what all strings begin with */
	const uint8 *kinds;			/* TokenKind[n]; NULL: every row has a value */
} ActionsValues;

#define SCALE_UNKNOWN 255

/* Rows from a multiple of VALUES_WINDOW on are fetched together. */
#define VALUES_WINDOW	8192

/*
 * The short form alone, without the texts.  NULL if there is no such column or
 * it has none.
 */
extern ActionsValues *deltacc_actions_values(DeltaActions *a, ColumnFamily family, const char *key);

/*
 * The values of rows [start, start + n), which lie in one window; they stay
 * until those of another one are asked for.
 */
extern const DeltaScalar *deltacc_values_at(ActionsValues *v, int start, int n);

/* All of them, in the current memory context or in the value's own memory. */
extern const DeltaScalar *deltacc_values_all(ActionsValues *v);

/* Is there an integer in every row?  Told by the directory alone. */
extern bool deltacc_actions_all_int(DeltaActions *a, ColumnFamily family, const char *key);

/*
 * The least and the greatest value of all file actions, told by the directory
 * alone.  False unless each file that is added has a value of one shape, or
 * (SHAPE_NONE) a string.
 */
typedef struct ActionsBounds
{
	ValueShape	shape;
	int			scale;
	DeltaScalar least;
	DeltaScalar greatest;

	/*
	 * Strings may have been cut, and are bounds then: the first bytes of the
	 * least one, and something that is above the greatest one (NULL: nothing
	 * is).  exact: they have not been cut.
	 */
	DeltaString least_text;
	DeltaString greatest_text;
	bool		exact;
} ActionsBounds;

extern bool deltacc_actions_bounds(DeltaActions *a, ColumnFamily family, const char *key, ActionsBounds *bounds);

/*
 * The text of one row of a column, without fetching all of it; empty if there
 * is none.
 */
extern DeltaString deltacc_actions_text_at(DeltaActions *a, ColumnFamily family, const char *key, int row);

/*
 * Which columns there are: a key has one if it stands in some file's statistics
 * or partitionValues.  A struct is both: its text (TOKEN_COMPOSITE), and its
 * fields below it, down to 32 levels.  Keys that hold DELTACC_PATH_SEPARATOR or
 * NUL have none.  Statistics without FILE_STATS_VALID leave nothing anywhere.
 */

/* The keys that the value has in a family, in the order of first appearance. */
extern const char **deltacc_actions_keys(DeltaActions *a, ColumnFamily family, int *n);

/*
 * What the value is made of, part by part in their order: a section ("header",
 * "files", "text", ...), or a column with its family's name as section and
 * its key.
 */
typedef struct ActionsPart
{
	const char *section;
	const char *key;			/* NULL: no column */
	uint32		bytes;
} ActionsPart;

extern ActionsPart *deltacc_actions_parts(DeltaActions *a, int *n);

/*
 * The lines of some of its actions, appended to text, or all but those, in the
 * current memory context: each on a line of its own, in order.  Ordinals ascend;
 * others than the value has are passed over.  A line that several actions share is
 * there if one of them is wanted.
 */
extern void deltacc_actions_pick(DeltaActions *a, const int32 *ordinals, int n, StringInfo text);
extern StringInfo deltacc_actions_without(DeltaActions *a, const int32 *ordinals, int n);

/*
 * The value with some of its file actions hidden: they are there as cdc actions
 * that change no data, and no flag tells of them; the text and its lines are still
 * whole.  It shares what a has fetched, and is good as long as a is.
 */
extern DeltaActions *deltacc_actions_hide(DeltaActions *a, const int32 *ordinals, int n);

/* Do two values have the same text, byte for byte? */
extern bool deltacc_actions_equal(DeltaActions *a, DeltaActions *b);

/* ----- making values ----- */

/*
 * Parses text (UTF-8; a commit file, newline-delimited) into a value in the
 * current memory context.  ERROR 22P02 with line, column and what was expected
 * for a line that is no action; 22023 for an add, remove or cdc without path,
 * a checkpoint or compacted file; 54000 past 1 GB.  For escontext see
 * PostgreSQL's soft errors: NULL is returned after one.
 */
extern struct varlena *deltacc_actions_parse(const char *text, int len, struct Node *escontext);

#endif							/* DELTACC_ACTIONS_H */
