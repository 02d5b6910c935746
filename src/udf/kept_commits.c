/*-------------------------------------------------------------------------
 *
 * kept_commits.c
 *	  What has been read of a commit, for all the pairs of which it is part.
 *
 * A commit has one slot that it can be in.  Neighbours don't share one, and pairs
 * are made of neighbours.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/detoast.h"
#include "common/hashfn.h"
#include "conflict/json_edit.h"
#include "conflict/logged_reads.h"
#include "udf/kept_commits.h"
#include "utils/datum.h"
#include "utils/memutils.h"

#define KEPT_COMMITS 1024
#define KEPT_BYTES (256 * 1024 * 1024)

struct KeptCommits
{
	MemoryContext context;
	uint64		calls;
	Size		opened;			/* since it was looked what all take: values of so
								 * many bytes */

	/* the files that the winner asked for last removes */
	MemoryContext removed_context;
	const HistoryCommit *removed_by;	/* NULL: none */
	DeltaActions *removed_files;	/* NULL: none is known */

	KeptCommit	slots[KEPT_COMMITS];
};

/* A commit without its actions on young files: the younger they have to be, the
 * fewer of them are left out. */
typedef struct CommitPart
{
	int			left_out;
	DeltaActions *actions;
} CommitPart;

KeptCommits *
deltacc_kept_commits(void)
{
	KeptCommits *kept = palloc0(sizeof(KeptCommits));

	kept->context = CurrentMemoryContext;
	kept->removed_context = AllocSetContextCreate(CurrentMemoryContext, "deltacc removed files", ALLOCSET_DEFAULT_SIZES);
	return kept;
}

static void
forget(KeptCommit *slot)
{
	if (slot->context)
		MemoryContextDelete(slot->context);
	memset(slot, 0, sizeof(*slot));
}

void
deltacc_forget_commits(KeptCommits *kept)
{
	for (int i = 0; i < KEPT_COMMITS; i++)
		forget(&kept->slots[i]);
	kept->removed_by = NULL;
}

/* Forgets those that nobody has asked for since a call, and returns the bytes of
 * the others. */
static Size
forget_before(KeptCommits *kept, uint64 call)
{
	Size		bytes = 0;

	for (int i = 0; i < KEPT_COMMITS; i++)
	{
		if (kept->slots[i].context == NULL)
			continue;
		if (kept->slots[i].last_call < call)
			forget(&kept->slots[i]);
		else
			bytes += MemoryContextMemAllocated(kept->slots[i].context, true);
	}
	return bytes;
}

void
deltacc_limit_commits(KeptCommits *kept)
{
	uint64		age = KEPT_COMMITS;

	if (++kept->calls % KEPT_COMMITS != 0 && kept->opened < KEPT_BYTES / 2)
		return;
	kept->opened = 0;
	/* New memory has to be made by the system, that of others is at hand. */
	while (forget_before(kept, kept->calls - Min(age, kept->calls)) > KEPT_BYTES && age > 0)
		age /= 2;
}

static void
fill(KeptCommit *slot, MemoryContext context, TableHistory *history, const HistoryCommit *commit)
{
	MemoryContext old = MemoryContextSwitchTo(context);

	slot->context = context;
	slot->actions = deltacc_actions_open(commit->actions);
	slot->history = history;
	slot->napp_ids = -1;
	/* last, so that one that can't be opened isn't taken for this commit */
	slot->commit = commit;
	MemoryContextSwitchTo(old);
}

KeptCommit *
deltacc_keep_commit(KeptCommits *kept, TableHistory *history, const HistoryCommit *commit)
{
	uint32		place = (uint32) commit->version + hash_bytes((unsigned char *) &history, sizeof(history));
	KeptCommit *slot = &kept->slots[place % KEPT_COMMITS];

	if (slot->context && slot->commit != commit)
	{
		/* Another one of this call is there: this one is kept for the call only. */
		if (slot->last_call == kept->calls)
		{
			slot = palloc0(sizeof(KeptCommit));
			fill(slot, CurrentMemoryContext, history, commit);
			return slot;
		}
		forget(slot);
	}
	if (slot->context == NULL)
	{
		fill(slot, AllocSetContextCreate(kept->context, "deltacc commit", ALLOCSET_SMALL_SIZES), history, commit);
		kept->opened += toast_raw_datum_size(commit->actions);
	}
	slot->last_call = kept->calls;
	return slot;
}

/* ---------------------------------------------------------------------
 * What a commit says
 * ---------------------------------------------------------------------
 */

struct varlena *
deltacc_commit_state(KeptCommit *commit)
{
	if (commit->state == NULL)
	{
		struct varlena *state = deltacc_history_state(commit->history, commit->commit);

		if (state != NULL)
			commit->state = memcpy(MemoryContextAlloc(commit->context, VARSIZE(state)), state, VARSIZE(state));
	}
	return commit->state;
}

const char *
deltacc_commit_operation(KeptCommit *commit)
{
	MemoryContext old;
	const OtherAction *info;
	JsonSlice	object;

	if (commit->has_operation)
		return commit->operation;
	old = MemoryContextSwitchTo(commit->context);
	info = deltacc_actions_first(commit->actions, ACTION_COMMIT_INFO);
	if (info && deltacc_edit_action(deltacc_actions_line(commit->actions, info->line_offset, info->line_length),
									info->line_length, "commitInfo", &object))
		commit->operation = deltacc_edit_string(&object, "operation");
	commit->has_operation = true;
	MemoryContextSwitchTo(old);
	return commit->operation;
}

char	  **
deltacc_commit_app_ids(KeptCommit *commit, int *n)
{
	if (commit->napp_ids < 0)
	{
		MemoryContext old = MemoryContextSwitchTo(commit->context);

		commit->app_ids = deltacc_logged_app_ids(commit->actions, &commit->napp_ids);
		MemoryContextSwitchTo(old);
	}
	*n = commit->napp_ids;
	return commit->app_ids;
}

List *
deltacc_commit_reads(KeptCommit *commit, DeltaSnapshot *snapshot, const uint8 *fingerprint,
					 const DeltaccOptions *options)
{
	if (!commit->has_reads || memcmp(commit->fingerprint, fingerprint, sizeof(commit->fingerprint)) != 0)
	{
		MemoryContext old = MemoryContextSwitchTo(commit->context);

		commit->has_reads = false;
		commit->reads = deltacc_logged_reads(snapshot, commit->actions, options);
		memcpy(commit->fingerprint, fingerprint, sizeof(commit->fingerprint));
		commit->has_reads = true;
		MemoryContextSwitchTo(old);
	}
	return commit->reads;
}

/*
 * Parses lines into a value of its own in a memory context, which gets nothing
 * else: what parsing takes beside it stays in the current one.
 */
static DeltaActions *
parse_into(MemoryContext context, StringInfo lines)
{
	struct varlena *parsed = deltacc_actions_parse(lines->data, lines->len, NULL);
	MemoryContext old = MemoryContextSwitchTo(context);
	DeltaActions *result;

	result = deltacc_actions_open(datumCopy(PointerGetDatum(parsed), false, -1));
	MemoryContextSwitchTo(old);
	return result;
}

DeltaActions *
deltacc_removed_files_of(KeptCommits *kept, KeptCommit *commit)
{
	StringInfo	lines;
	MemoryContext old;

	if (kept->removed_by == commit->commit)
		return kept->removed_files;
	kept->removed_by = NULL;
	MemoryContextReset(kept->removed_context);
	lines = deltacc_history_adds(commit->history, commit->commit);
	old = MemoryContextSwitchTo(kept->removed_context);
	kept->removed_files = lines->len == 0 ? NULL :
		deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(lines->data, lines->len, NULL)));
	MemoryContextSwitchTo(old);
	kept->removed_by = commit->commit;
	return kept->removed_files;
}

DeltaActions *
deltacc_commit_writes_before(KeptCommit *commit, int64 version)
{
	int			left_out = deltacc_history_count_young(commit->commit, version);
	CommitPart *part;
	ListCell   *lc;
	int32	   *young;
	int			n;
	MemoryContext old;

	if (left_out == 0)
		return commit->actions;
	foreach(lc, commit->parts)
	{
		part = lfirst(lc);
		if (part->left_out == left_out)
			return part->actions;
	}

	young = deltacc_history_young(commit->commit, version, &n);
	old = MemoryContextSwitchTo(commit->context);
	part = palloc(sizeof(CommitPart));
	part->left_out = left_out;
	part->actions = deltacc_actions_hide(commit->actions, young, n);
	MemoryContextSwitchTo(old);
	/* Vectors are united in the text, where nothing is hidden. */
	if (deltacc_actions_flags(part->actions) & ACTIONS_HAS_DV)
		part->actions = parse_into(commit->context, deltacc_actions_without(commit->actions, young, n));
	MemoryContextSwitchTo(commit->context);
	commit->parts = lappend(commit->parts, part);
	MemoryContextSwitchTo(old);
	return part->actions;
}
