/*-------------------------------------------------------------------------
 *
 * actions_pick.c
 *	  Some of a value's actions: as text, or as a value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "delta/actions_internal.h"

/* Fetching a slice takes about as long as this many bytes more in another one. */
#define SLICE_BYTES 16384

/* The lines of a value, action by action. */
typedef struct LineWalk
{
	DeltaActions *a;
	const FileAction *files;	/* NULL: fetch one by one */
	int			nfiles;
	const OtherAction *others;
	int			nothers;
	int			next_other;
	const char *whole;			/* the text; NULL: fetch line by line */
	bool		any;
	uint32		last_offset;	/* of the line that was written last */
	StringInfo	text;
} LineWalk;

static LineWalk
start_walk(DeltaActions *a, bool whole, StringInfo text)
{
	LineWalk	walk = {.a = a,.text = text};
	int			len;

	walk.others = deltacc_actions_others(a, &walk.nothers);
	if (whole)
	{
		walk.files = deltacc_actions_files(a, &walk.nfiles);
		walk.whole = deltacc_actions_text(a, &len);
	}
	else
		walk.nfiles = deltacc_actions_file_count(a);
	return walk;
}

/* Writes the line of an action, unless the one before it stood on the same. */
static void
write_line(LineWalk *walk, uint32 offset, uint32 length)
{
	if (walk->any && walk->last_offset == offset)
		return;
	walk->any = true;
	walk->last_offset = offset;
	appendBinaryStringInfo(walk->text, walk->whole ? walk->whole + offset :
						   deltacc_actions_line(walk->a, offset, length), length);
	appendStringInfoChar(walk->text, '\n');
}

/* Ordinals have to come in ascending order. */
static void
write_action(LineWalk *walk, int32 ordinal)
{
	int			file;

	CHECK_FOR_INTERRUPTS();
	while (walk->next_other < walk->nothers && walk->others[walk->next_other].ordinal < ordinal)
		walk->next_other++;
	if (walk->next_other < walk->nothers && walk->others[walk->next_other].ordinal == ordinal)
	{
		const OtherAction *other = &walk->others[walk->next_other];

		write_line(walk, other->line_offset, other->line_length);
		return;
	}

	/* What is none of the others is a file action. */
	file = ordinal - 1 - walk->next_other;
	if (file >= 0 && file < walk->nfiles)
	{
		FileAction	action = walk->files ? walk->files[file] : deltacc_actions_file(walk->a, file);

		write_line(walk, action.line_offset, action.line_length);
	}
}

void
deltacc_actions_pick(DeltaActions *a, const int32 *ordinals, int n, StringInfo text)
{
	LineWalk	walk = start_walk(a, (int64) n * SLICE_BYTES > a->header.text.size, text);

	for (int i = 0; i < n; i++)
		write_action(&walk, ordinals[i]);
}

StringInfo
deltacc_actions_without(DeltaActions *a, const int32 *ordinals, int n)
{
	LineWalk	walk = start_walk(a, true, makeStringInfo());
	int			count = deltacc_actions_count(a);
	int			next = 0;

	for (int32 ordinal = 1; ordinal <= count; ordinal++)
	{
		while (next < n && ordinals[next] < ordinal)
			next++;
		if (next == n || ordinals[next] != ordinal)
			write_action(&walk, ordinal);
	}
	return walk.text;
}

/* What flags of a whole value tell of one file action. */
static uint32
flags_of_file(const FileAction *file)
{
	static const uint32 by_kind[] = {
		[ACTION_ADD] = ACTIONS_HAS_ADD,
		[ACTION_REMOVE] = ACTIONS_HAS_REMOVE,
		[ACTION_CDC] = ACTIONS_HAS_CDC,
	};

	return by_kind[file->kind] |
		((file->flags & FILE_DATA_CHANGE) ? ACTIONS_ANY_DATA_CHANGE : 0) |
		((file->flags & FILE_HAS_DV) ? ACTIONS_HAS_DV : 0);
}

DeltaActions *
deltacc_actions_hide(DeltaActions *a, const int32 *ordinals, int n)
{
	DeltaActions *result = palloc(sizeof(DeltaActions));
	int			nfiles;
	const FileAction *files = deltacc_actions_files(a, &nfiles);
	FileAction *own_files = palloc_extended(Max(nfiles, 1) * sizeof(FileAction), MCXT_ALLOC_HUGE);
	uint8	   *own_marks = palloc_extended(Max(nfiles, 1), MCXT_ALLOC_HUGE);
	uint32		flags = 0;
	int			next = 0;

	for (int i = 0; i < nfiles; i++)
	{
		own_files[i] = files[i];
		while (next < n && ordinals[next] < files[i].ordinal)
			next++;
		if (next < n && ordinals[next] == files[i].ordinal)
		{
			own_files[i].kind = ACTION_CDC;
			own_files[i].flags = 0;
		}
		else
			flags |= flags_of_file(&files[i]);
		own_marks[i] = FILE_MARK(own_files[i].kind, own_files[i].flags);
	}

	*result = *a;
	result->context = CurrentMemoryContext;
	result->files = own_files;
	result->marks = own_marks;
	result->header.flags = flags | (a->header.flags &
									~(ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC | ACTIONS_ANY_DATA_CHANGE | ACTIONS_HAS_DV));
	return result;
}
