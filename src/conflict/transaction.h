/*-------------------------------------------------------------------------
 *
 * transaction.h
 *	  What the files of this room share: the state of a transaction while it is
 *	  compared with one winner after the other.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_TRANSACTION_H
#define DELTACC_TRANSACTION_H

#include "base/json_scan.h"
#include "conflict/conflict.h"
#include "delta/path.h"
#include "skipping/skipping.h"

/* One action that the transaction wants to commit, as text. */
typedef struct OwnAction
{
	ActionKind	kind;
	const char *text;			/* the line, not terminated */
	int			len;
	bool		keeps_row_ids;	/* those of a winner's add */
} OwnAction;

struct Transaction
{
	TransactionArgs args;
	MemoryContext context;
	DeltaccIsolation isolation;

	/*
	 * Protocol and metadata as the transaction sees them now: its own if it
	 * writes any, else those of the read version, else what it took over from
	 * winners.  NULL: no table.
	 */
	DeltaProtocol *protocol;
	DeltaMetadata *metadata;
	DeltaProtocol *own_protocol;	/* NULL: writes none */
	bool		metadata_changed;	/* writes a metaData */
	bool		blind_append;
	bool		backfill;
	bool		unbackfill;
	bool		drops_row_tracking; /* by its own protocol, and so ends like an
									 * un-backfill */
	bool		replace_table;
	bool		partitioned;

	const ReadPlan **plans;		/* one per read, with the options as they are */
	const ReadPlan **reader_plans;	/* ... as the reader selects files: lazily */
	const char **read_texts;	/* lazily */

	const char *location;		/* canonical; NULL: unknown */
	DeltaPathSet *read_paths;	/* read_files, or own removes where those count
								 * as read; NULL: judge by the reads */
	DeltaPathSet *own_removes;	/* number: index among the file actions of
								 * writes; ask deltacc_own_removes() */
	DeltaPathSet *own_adds;		/* ask deltacc_own_adds() */
	DeltaPathSet *known_paths;	/* paths of args.files / of the snapshot; number:
								 * file index */
	DeltaActions *known_files;	/* NULL: none known */
	DeltaPathSet *new_paths;	/* added by winners so far, not live at the read
								 * version: ask deltacc_new_paths() */
	DeltaPathSet *gone_paths;	/* removed by winners so far */
	List	   *not_noted;		/* of Winner *: seen, but not yet in these two */

	bool		has_conflict;	/* with some winner so far */
	struct RowLevelState *row_level;	/* lazily: row_level.c */
	int			files_checked;	/* files added by winners so far that the level
								 * lets count ... */
	int			files_skipped;	/* ... of which no read selects any */

	DeltaActions *own_area;		/* condition.c: own files; NULL: none */
	bool		own_area_made;

	/* What would be committed; NIL until it is needed. */
	List	   *own;			/* of OwnAction * */
	bool		own_loaded;
	int64		row_id_watermark;	/* at the version seen last */

	List	   *live_domains;	/* metadata domains of the table at the version
								 * seen last, names: ask deltacc_live_domains() */
	bool		live_domains_made;
};

/* A winner while it is being checked. */
typedef struct Winner
{
	DeltaActions *actions;
	int64		version;		/* -1 unknown */
	uint32		flags;
	int			nfiles;
	const uint8 *marks;			/* kind and flags of each: FILE_MARK_KIND() */
	const FileAction *lazy_files;	/* ask deltacc_winner_files() */

	bool		has_commit_info;
	JsonSlice	commit_info;	/* the object */
	const char *operation;		/* "TRANSACTION" without a commitInfo, as Delta
								 * says; NULL for a null */
	bool		blind_append;
	bool		backfill;
	bool		unbackfill;
	bool		no_data_change; /* no file action changes data */
	bool		identity_only;	/* set by deltacc_check_tags() */

	const DeltaProtocol *protocol;	/* of its first protocol action; NULL: none */
	const DeltaMetadata *metadata;	/* of its first metaData; NULL: none */
	const ActionsColumn *paths; /* lazily: ask deltacc_winner_path() */
	int			npaths;			/* asked for so far */
	DeltaPathSet *removed;		/* lazily; number: file index */

	const DeltaProtocol *effective_protocol;	/* the transaction's once it has
												 * seen this winner */
	List	   *conflicts;		/* of Conflict * */

	/* Set by row_level.c, before the checks of files. */
	struct RowLevelVerdict **row_level; /* by file action; NULL: none */
	const char *exempt;			/* why no file of it can conflict; NULL */
	bool		exempt_by_contract;
	bool		compares_values;	/* Databricks would look at the rows */
	const char *sub_condition;	/* of conflicts over files; NULL: the usual */
	struct Winner *tried;		/* the same with row level, for hints: lazily */

	const int  *first_read;		/* of each file added, 0-based, -1; NULL: no reads */
	const struct Narrowing **narrowings;	/* condition.c: per read, lazily */
	bool	   *narrowings_made;
	int		   *first_skipping; /* for hints, lazily: the first read of each file
								 * with data skipping on */
	int			nhints;			/* expensive hints made so far */
} Winner;

#define ROW_TRACKING_DOMAIN "delta.rowTracking"

/* ----- transaction.c ----- */

/* What it wants to commit: of OwnAction *. */
extern List *deltacc_own_actions(Transaction *txn);

/* No more needs to be looked for? */
static inline bool
deltacc_check_done(const Transaction *txn, const Winner *w)
{
	return txn->args.first_only && w->conflicts != NIL;
}

/* Was there a conflict before, so that what Delta raises is known already? */
static inline bool
deltacc_verdict_known(const Transaction *txn, const Winner *w)
{
	return txn->has_conflict || w->conflicts != NIL;
}

/* Is operation name, or name with a parameter behind a colon? */
extern bool deltacc_operation_is(const char *operation, const char *name);

/* The path of file action i; its action's line. */
extern DeltaString deltacc_file_path(const ActionsColumn *paths, int i);
extern char *deltacc_file_line(DeltaActions *a, const FileAction *file);

/* A line of another action. */
extern char *deltacc_other_line(DeltaActions *a, const OtherAction *other);

/* Files that the transaction itself removes and adds. */
extern DeltaPathSet *deltacc_own_removes(Transaction *txn);
extern DeltaPathSet *deltacc_own_adds(Transaction *txn);

/* ----- isolation.c ----- */

/* What the caller, or the table, or a commit that changes no data asks for;
 * ERROR 22023 for a word that is no level. */
extern DeltaccIsolation deltacc_choose_isolation(Transaction *txn);

/* ----- row_tracking_domain.c ----- */

/* Is an action line the domain of row tracking? */
extern bool deltacc_is_row_tracking_domain(const char *line, int len);

/* The high-water mark of row ids in that domain among some actions; false if
 * they have none.  *failure: NULL, or what Delta fails with where it can't be
 * read. */
extern bool deltacc_row_id_watermark(DeltaActions *a, int64 *watermark, const char **failure);

/* ----- winner.c ----- */

/* Reads what the checks ask first; ERROR 22023 for what is no commit. */
extern Winner *deltacc_winner_open(Transaction *txn, DeltaActions *actions, int64 version);

/* Appends a conflict with the fields that all have in common. */
extern Conflict *deltacc_add_conflict(Transaction *txn, Winner *w, const char *check_name,
									  const char *exception, const char *error_class,
									  const char *sub_condition);

extern DeltaString deltacc_winner_path(Winner *w, int i);

/* The files that it removes; number: file index. */
extern DeltaPathSet *deltacc_winner_removed(Transaction *txn, Winner *w);

/* Files that winners so far have added, so that they can't have been read. */
extern DeltaPathSet *deltacc_new_paths(Transaction *txn);

static inline bool
winner_adds(const Winner *w, int i)
{
	return FILE_MARK_KIND(w->marks[i]) == ACTION_ADD;
}

static inline bool
winner_removes(const Winner *w, int i)
{
	return FILE_MARK_KIND(w->marks[i]) == ACTION_REMOVE;
}

/* The winner's file actions, where marks don't do. */
static inline const FileAction *
deltacc_winner_files(Winner *w)
{
	int			n;

	if (w->lazy_files == NULL)
		w->lazy_files = deltacc_actions_files(w->actions, &n);
	return w->lazy_files;
}

/* ----- check_protocol.c ----- */
extern void deltacc_check_protocol(Transaction *txn, Winner *w);
extern bool deltacc_protocol_supports(const DeltaProtocol *protocol, const char *feature);

/* Does the transaction's own protocol drop one feature, which readers know, too? */
extern bool deltacc_drops_reader_feature(Transaction *txn);

/* ----- check_metadata.c ----- */
extern void deltacc_check_tags(Transaction *txn, Winner *w);
extern void deltacc_check_metadata(Transaction *txn, Winner *w);

/*
 * Would the winner's metaData be taken over (in a winner without conflict)?
 * *row_tracking_enabled: it enables row tracking.
 */
extern bool deltacc_adopts_metadata(Transaction *txn, Winner *w, bool *row_tracking_enabled);

/* A boolean table property as Scala's toBoolean reads it; ERROR 22023. */
extern bool deltacc_boolean_property(const DeltaMetadata *metadata, const char *key);

/* ----- check_domains.c ----- */
extern void deltacc_check_domains(Transaction *txn, Winner *w);
extern void deltacc_check_application_ids(Transaction *txn, Winner *w);

/* The metadata domains that the table has after this winner, as far as the
 * snapshot shows them: of char *. */
extern List *deltacc_live_domains(Transaction *txn, Winner *w);

/* ----- check_row_tracking.c ----- */
extern void deltacc_check_row_tracking(Transaction *txn, Winner *w);
extern void deltacc_check_taken_over(Transaction *txn, Winner *w);


/* ----- check_files.c ----- */
extern void deltacc_check_added_files(Transaction *txn, Winner *w);
extern void deltacc_check_removed_files(Transaction *txn, Winner *w);

/* ----- reads.c ----- */
extern const char *deltacc_read_text(Transaction *txn, int read);

/*
 * The first read that selects each file action of a at conflict time (by the
 * setting), 0-based, or -1: first[n].  counts[i] false: not looked at.  False
 * if no file is selected.
 */
extern bool deltacc_reads_of_added_files(Transaction *txn, Winner *w, const bool *counts, int *first);

/* ... that selects it as the reader does at the read version; never raises for
 * a partition value that can't be read. */
extern void deltacc_reads_of_live_files(Transaction *txn, DeltaActions *a, int *first);

/* The same, with the number of reads that select each. */
extern void deltacc_count_reads_of_live_files(Transaction *txn, DeltaActions *a, int *first, int *counts);

/* Does the winner add file action i again, under the same path, with a deletion
 * vector?  Statistics leave no such file out. */
extern bool deltacc_added_again(Transaction *txn, Winner *w, int i);

extern bool deltacc_data_skipping_spares(Transaction *txn, Winner *w, int file);

/* The plan of a read as the reader makes it: with data skipping. */
extern const ReadPlan *deltacc_reader_plan(Transaction *txn, int read);

/* ----- partition.c ----- */

/* "[col=value, ...]" as Delta's messages have it, or NULL where it names none;
 * and the same as JSON by logical names. */
extern char *deltacc_partition_text(Transaction *txn, DeltaActions *a, int file);
extern char *deltacc_partition_json(Transaction *txn, DeltaActions *a, int file);

/* One partition value's text; false for null and for a key that isn't there. */
extern bool deltacc_partition_token(DeltaActions *a, const DeltaField *field, int file, StringInfo out);

/* ----- message.c ----- */
extern void deltacc_describe_protocol(Transaction *txn, Winner *w, Conflict *c, const char *dropped);
extern void deltacc_describe_metadata(Transaction *txn, Winner *w, Conflict *c, const char *changed,
									  const char *missing_feature, bool both);
extern void deltacc_describe_domain(Transaction *txn, Winner *w, Conflict *c, const char *domain);
extern void deltacc_describe_application_id(Transaction *txn, Winner *w, Conflict *c, const char *app_id,
											bool has_version, int64 version);
extern void deltacc_describe_added_file(Transaction *txn, Winner *w, Conflict *c, int file, int read);

typedef enum RemovedFileReason
{
	REMOVED_WAS_READ,			/* by read_files, or selected by a read */
	REMOVED_WAS_OURS,			/* no reads: our own remove says that we read it */
	REMOVED_UNKNOWN_READS,		/* nothing is known about the reads */
	REMOVED_WHOLE_TABLE,		/* whole table read */
	REMOVED_TWICE,
	REMOVED_BUT_ADDED			/* our add would bring it back */
} RemovedFileReason;

extern void deltacc_describe_removed_file(Transaction *txn, Winner *w, Conflict *c, int file, int read,
										  DeltaActions *values, int values_file, const char *partition,
										  RemovedFileReason reason, bool spelled_alike);

/* Parts of a hint: "The DELETE at version 7"; where a retry has to start; a text
 * cut to a length that a sentence bears, between characters of UTF-8. */
extern char *deltacc_winner_name(const Winner *w);
extern const char *deltacc_read_again(const Winner *w);
extern char *deltacc_shown(const char *text);

/* Appends a sentence, with a blank before it. */
extern void deltacc_sentence(StringInfo out, const char *fmt,...) pg_attribute_printf(2, 3);

/* ----- rebase.c ----- */

/* Is row tracking suspended?  ERROR 22023 where it is enabled, too. */
extern bool deltacc_row_tracking_suspended(const DeltaMetadata *metadata);

/* How many rows an add's file holds, deleted ones too.  NULL, or what Delta fails
 * with if it doesn't say. */
extern const char *deltacc_physical_records(const JsonSlice *add, int64 *records);

/* Does the winner's file action i add a file with a row id or commit version? */
extern bool deltacc_winner_adds_with_ids(Winner *w, int i);

/* That failure, as an ERROR or a WARNING. */
extern void deltacc_report_no_records(const char *path, const char *failure, int level);

/* The part of a rebase that later verdicts depend on: domains of a REPLACE TABLE. */
extern void deltacc_rebase_domains(Transaction *txn, Winner *w);

/* The path of an own add or remove. */
extern DeltaString deltacc_own_path(const OwnAction *action);

extern void deltacc_rebase_actions(Transaction *txn, Winner *w, int64 winner_watermark,
								   bool row_tracking_enabled);

#endif							/* DELTACC_TRANSACTION_H */
