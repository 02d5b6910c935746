/*-------------------------------------------------------------------------
 *
 * transaction.c
 *	  A transaction: what it read and wants to write, compared with one winner
 *	  after the other.
 *
 * The order of the checks is that of Delta's ConflictChecker: the first
 * conflict is the one that Delta raises.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/row_level.h"
#include "conflict/transaction.h"
#include "miscadmin.h"
#include "utils/memutils.h"

/*
 * The operations that Delta knows and of which it says that they don't change
 * data (DeltaOperations.Operation.changesData).  Any other may: what we don't
 * know counts as changing data.
 */
static const char *const harmless_operations[] = {
	"ADD COLUMNS", "ADD CONSTRAINT", "CHANGE COLUMN", "CHANGE COLUMNS", "CLUSTER BY",
	"COMPUTE STATS", "CREATE TABLE", "Deletion Vector Tombstones", "DOMAIN METADATA CLEANUP",
	"DROP COLUMNS", "DROP CONSTRAINT", "DROP FEATURE", "Empty Commit", "Manual Update",
	"OPTIMIZE", "OPTIMIZE CHECKPOINT", "REMOVE COLUMN MAPPING", "RENAME COLUMN", "REORG",
	"REPLACE COLUMNS", "ROW TRACKING BACKFILL", "ROW TRACKING UNBACKFILL", "SET TBLPROPERTIES",
	"UNSET TBLPROPERTIES", "UPDATE COLUMN METADATA", "UPDATE SCHEMA",
	"UPGRADE PROTOCOL", "VACUUM END", "VACUUM START",
};

/* An operation with its parameter ("WRITE:Overwrite") is the part before it. */
bool
deltacc_operation_is(const char *operation, const char *name)
{
	size_t		len = strlen(name);

	return operation != NULL && pg_strncasecmp(operation, name, len) == 0 &&
		(operation[len] == '\0' || operation[len] == ':');
}

static bool
operation_changes_data(const char *operation)
{
	if (operation == NULL)
		return true;
	for (int i = 0; i < lengthof(harmless_operations); i++)
	{
		if (deltacc_operation_is(operation, harmless_operations[i]))
			return false;
	}
	return true;
}

DeltaString
deltacc_file_path(const ActionsColumn *paths, int i)
{
	DeltaString none = {0, ""};

	if (paths == NULL || paths->kinds[i] != TOKEN_STRING)
		return none;
	return deltacc_column_text(paths, i);
}

DeltaString
deltacc_winner_path(Winner *w, int i)
{
	/*
	 * Paths are most of a commit's index.  Most checks end without any, and many
	 * with the one that conflicts.
	 */
	if (w->paths == NULL && w->npaths++ < 4)
		return deltacc_actions_text_at(w->actions, COLUMN_PATH, "", i);
	if (w->paths == NULL)
		w->paths = deltacc_actions_column(w->actions, COLUMN_PATH, "");
	return deltacc_file_path(w->paths, i);
}

char *
deltacc_file_line(DeltaActions *a, const FileAction *file)
{
	return deltacc_actions_line(a, file->line_offset, file->line_length);
}

char *
deltacc_other_line(DeltaActions *a, const OtherAction *other)
{
	return deltacc_actions_line(a, other->line_offset, other->line_length);
}

DeltaccIsolation
deltacc_table_isolation(const DeltaMetadata *metadata, const DeltaccOptions *options)
{
	const char *word = metadata ? deltacc_metadata_property(metadata, "delta.isolationLevel") : NULL;
	DeltaccIsolation level = options->default_isolation;

	if (word != NULL && !deltacc_isolation_from_name(word, &level))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table property delta.isolationLevel is \"%s\", which is no isolation level", word),
				 errdetail("Delta fails every commit to such a table with DELTA_INVALID_ISOLATION_LEVEL."),
				 errhint("Valid levels are Serializable, WriteSerializable and SnapshotIsolation. To ask for one whatever the table says, pass the argument isolation.")));
	return level;
}

/*
 * May the transaction run under SnapshotIsolation, since it changes no data?
 * (TransactionHelper.canDowngradeToSnapshotIsolation)
 */
static bool
can_downgrade(Transaction *txn, DeltaccIsolation level)
{
	DeltaActions *writes = txn->args.writes;
	const OtherAction *others;
	int			n;

	if (writes == NULL || level == ISOLATION_SNAPSHOT)
		return false;
	if (level == ISOLATION_WRITE_SERIALIZABLE && operation_changes_data(txn->args.operation))
		return false;

	if (deltacc_actions_flags(writes) & ACTIONS_ANY_DATA_CHANGE)
	{
		const FileAction *files = deltacc_actions_files(writes, &n);

		/* A cdc file never changes data, whatever it says. */
		for (int i = 0; i < n; i++)
		{
			if (files[i].kind != ACTION_CDC && (files[i].flags & FILE_DATA_CHANGE))
				return false;
		}
	}

	others = deltacc_actions_others(writes, &n);
	for (int i = 0; i < n; i++)
	{
		if (others[i].kind == ACTION_COMMIT_INFO ||
			(others[i].kind == ACTION_DOMAIN_METADATA &&
			 deltacc_is_row_tracking_domain(deltacc_other_line(writes, &others[i]), others[i].line_length)))
			continue;
		return false;
	}
	return true;
}

static DeltaccIsolation
choose_isolation(Transaction *txn)
{
	DeltaccIsolation level;

	if (txn->args.isolation != NULL)
	{
		if (!deltacc_isolation_from_name(txn->args.isolation, &level))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("\"%s\" is no isolation level", txn->args.isolation),
					 errhint("Valid levels are Serializable, WriteSerializable and SnapshotIsolation; NULL means the table's own.")));
		return level;
	}
	/* A transaction that writes a metaData runs under what that one says. */
	level = txn->args.has_table_level ? txn->args.table_level :
		deltacc_table_isolation(txn->metadata, &txn->args.options);
	return can_downgrade(txn, level) ? ISOLATION_SNAPSHOT : level;
}

/* Own adds and removes by path: only a winner that removes files asks. */
static void
collect_own_paths(Transaction *txn)
{
	DeltaActions *writes = txn->args.writes;
	const FileAction *files;
	const ActionsColumn *paths;
	int			n;

	txn->own_removes = deltacc_path_set(txn->location, 8);
	txn->own_adds = deltacc_path_set(txn->location, 8);
	if (writes == NULL || !(deltacc_actions_flags(writes) & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_ADD)))
		return;
	files = deltacc_actions_files(writes, &n);
	paths = deltacc_actions_column(writes, COLUMN_PATH, "");
	for (int i = 0; i < n; i++)
	{
		if (files[i].kind == ACTION_REMOVE)
			deltacc_path_set_add(txn->own_removes, deltacc_file_path(paths, i), i);
		else if (files[i].kind == ACTION_ADD)
			deltacc_path_set_add(txn->own_adds, deltacc_file_path(paths, i), i);
	}
}

DeltaPathSet *
deltacc_own_removes(Transaction *txn)
{
	if (txn->own_removes == NULL)
		collect_own_paths(txn);
	return txn->own_removes;
}

DeltaPathSet *
deltacc_own_adds(Transaction *txn)
{
	if (txn->own_adds == NULL)
		collect_own_paths(txn);
	return txn->own_adds;
}

bool
deltacc_is_row_tracking_domain(const char *line, int len)
{
	JsonSlice	domain;
	char	   *name;

	return deltacc_edit_action(line, len, "domainMetadata", &domain) &&
		(name = deltacc_edit_string(&domain, "domain")) != NULL &&
		strcmp(name, ROW_TRACKING_DOMAIN) == 0;
}

/* The high-water mark of row ids in the row-tracking domain of some actions;
 * false if they have none. */
static bool
row_id_watermark(DeltaActions *a, int64 *watermark)
{
	const OtherAction *others;
	int			n;

	if (!(deltacc_actions_flags(a) & ACTIONS_HAS_DOMAIN))
		return false;
	others = deltacc_actions_others(a, &n);
	for (int i = 0; i < n; i++)
	{
		char	   *line = deltacc_other_line(a, &others[i]);
		JsonSlice	domain;
		char	   *configuration;

		if (others[i].kind == ACTION_DOMAIN_METADATA &&
			deltacc_is_row_tracking_domain(line, others[i].line_length) &&
			deltacc_edit_action(line, others[i].line_length, "domainMetadata", &domain) &&
			(configuration = deltacc_edit_string(&domain, "configuration")) != NULL)
		{
			JsonScanner scanner;
			JsonSlice	object;

			deltacc_json_init(&scanner, configuration, strlen(configuration), false);
			if (!deltacc_json_value(&scanner, &object) || object.kind != JSON_OBJECT)
				continue;
			/* Absent it is 0, as Jackson has it. */
			if (!deltacc_edit_int64(&object, "rowIdHighWaterMark", watermark))
				*watermark = 0;
			return true;
		}
	}
	return false;
}

bool
deltacc_transaction_needs_files(const TransactionArgs *args)
{
	return args->nreads > 0 && !args->has_read_files;
}

bool
deltacc_transaction_needs_own_files(const TransactionArgs *args)
{
	return args->options.ignore_rearranged && args->writes != NULL &&
		(deltacc_actions_flags(args->writes) & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE)) == ACTIONS_HAS_ADD;
}

Transaction *
deltacc_transaction_begin(const TransactionArgs *args)
{
	Transaction *txn = palloc0(sizeof(Transaction));
	DeltaSnapshot *snapshot = args->snapshot;
	DeltaActions *writes = args->writes;
	uint32		flags = writes ? deltacc_actions_flags(writes) : 0;

	txn->args = *args;
	txn->context = CurrentMemoryContext;
	txn->location = deltacc_path_location(args->table_location);
	if (txn->location == NULL)
		txn->location = deltacc_path_of_table_name(args->table_name);
	txn->protocol = snapshot->protocol;
	txn->metadata = snapshot->metadata;
	txn->partitioned = snapshot->exists && snapshot->schema->npartition_columns > 0;
	txn->row_id_watermark = -1;
	if (snapshot->exists)
		(void) row_id_watermark(snapshot->actions, &txn->row_id_watermark);

	if (flags & ACTIONS_HAS_PROTOCOL)
	{
		const OtherAction *o = deltacc_actions_first(writes, ACTION_PROTOCOL);

		txn->own_protocol = deltacc_protocol_parse(deltacc_other_line(writes, o), o->line_length);
		txn->protocol = txn->own_protocol;
	}
	if (flags & ACTIONS_HAS_METADATA)
	{
		const OtherAction *o = deltacc_actions_last(writes, ACTION_METADATA);

		txn->metadata = deltacc_metadata_parse(deltacc_other_line(writes, o), o->line_length);
		txn->metadata_changed = true;
	}
	txn->backfill = deltacc_operation_is(args->operation, "ROW TRACKING BACKFILL");
	txn->unbackfill = deltacc_operation_is(args->operation, "ROW TRACKING UNBACKFILL");
	txn->replace_table = args->operation != NULL &&
		(pg_strncasecmp(args->operation, "REPLACE TABLE", 13) == 0 ||
		 pg_strncasecmp(args->operation, "CREATE OR REPLACE TABLE", 23) == 0);

	/* Computed, never declared (OptimisticTransaction.isBlindAppend). */
	txn->blind_append = writes != NULL && !(flags & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC)) &&
		args->nreads == 0 && !args->read_whole_table && args->nread_files == 0;
	txn->isolation = choose_isolation(txn);

	/* A read of a table that isn't there has nothing to be bound to. */
	if (args->nreads > 0 && snapshot->exists)
	{
		txn->plans = palloc0(sizeof(ReadPlan *) * args->nreads);
		for (int i = 0; i < args->nreads; i++)
			txn->plans[i] = deltacc_read_plan(snapshot, args->reads[i], &txn->args.options, args->table_name);
	}

	if (args->has_read_files)
	{
		txn->read_paths = deltacc_path_set(txn->location, args->nread_files);
		for (int i = 0; i < args->nread_files; i++)
		{
			DeltaString path = {strlen(args->read_files[i]), args->read_files[i]};

			deltacc_path_set_add(txn->read_paths, path, i);
		}
	}
	txn->known_files = args->files;
	if (txn->known_files == NULL && snapshot->exists &&
		(deltacc_actions_flags(snapshot->actions) & ACTIONS_HAS_ADD))
		txn->known_files = snapshot->actions;
	txn->new_paths = deltacc_path_set(txn->location, 8);
	txn->gone_paths = deltacc_path_set(txn->location, 8);
	return txn;
}

DeltaccIsolation
deltacc_transaction_isolation(const Transaction *txn)
{
	return txn->isolation;
}

void
deltacc_transaction_counts(const Transaction *txn, int *checked, int *skipped)
{
	*checked = txn->files_checked;
	*skipped = txn->files_skipped;
}

/* Reads what the checks ask first. */
Winner *
deltacc_winner_open(Transaction *txn, DeltaActions *actions, int64 version)
{
	Winner	   *w = palloc0(sizeof(Winner));
	const OtherAction *o;

	w->actions = actions;
	w->version = version;
	if (deltacc_actions_is_empty(actions))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 version >= 0 ? errmsg("the winning commit at version " INT64_FORMAT " holds no action", version) :
				 errmsg("the winning commit holds no action"),
				 errdetail("An empty commit file is a torn write until proven otherwise: it can't show that there is no conflict."),
				 errhint("Read the commit file again, and pass its whole text.")));
	w->flags = deltacc_actions_flags(actions);
	if (deltacc_actions_first(actions, ACTION_TABLE_STATE) != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the winning commit is a table's state, not a commit"),
				 errhint("Pass the actions of one commit, as in one file of _delta_log.")));

	w->operation = "TRANSACTION";
	o = deltacc_actions_first(actions, ACTION_COMMIT_INFO);
	if (o != NULL && deltacc_edit_action(deltacc_other_line(actions, o), o->line_length,
										 "commitInfo", &w->commit_info))
	{
		JsonSlice	operation;

		w->has_commit_info = true;
		w->operation = deltacc_edit_string(&w->commit_info, "operation");
		if (w->operation == NULL && deltacc_json_member(&w->commit_info, "operation", &operation) &&
			operation.kind != JSON_NULL)
			w->operation = pnstrdup(operation.start, operation.len);
	}
	w->blind_append = (w->flags & ACTIONS_BLIND_APPEND) != 0;
	w->backfill = w->has_commit_info && w->operation != NULL &&
		strcmp(w->operation, "ROW TRACKING BACKFILL") == 0;
	w->unbackfill = w->has_commit_info && w->operation != NULL &&
		strcmp(w->operation, "ROW TRACKING UNBACKFILL") == 0;
	w->no_data_change = (w->flags & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE)) != 0 &&
		(w->flags & ACTIONS_ANY_DATA_CHANGE) == 0;

	if (w->flags & ACTIONS_HAS_PROTOCOL)
	{
		o = deltacc_actions_first(actions, ACTION_PROTOCOL);
		w->protocol = deltacc_protocol_parse(deltacc_other_line(actions, o), o->line_length);
	}
	if (w->flags & ACTIONS_HAS_METADATA)
	{
		o = deltacc_actions_first(actions, ACTION_METADATA);
		w->metadata = deltacc_metadata_parse(deltacc_other_line(actions, o), o->line_length);
	}
	w->effective_protocol = w->protocol ? w->protocol : txn->protocol;
	if (w->flags & (ACTIONS_HAS_ADD | ACTIONS_HAS_REMOVE))
		w->marks = deltacc_actions_marks(actions, &w->nfiles);
	return w;
}

Conflict *
deltacc_add_conflict(Transaction *txn, Winner *w, const char *check_name,
					 const char *exception, const char *error_class, const char *sub_condition)
{
	Conflict   *c = palloc0(sizeof(Conflict));

	c->winning_version = w->version;
	c->winning_operation = w->operation;
	c->check_name = check_name;
	c->exception = exception;
	c->error_class = error_class;
	c->sub_condition = sub_condition;
	c->sqlstate = "2D521";
	c->isolation = deltacc_isolation_name(txn->isolation);
	w->conflicts = lappend(w->conflicts, c);
	return c;
}

/*
 * Notes which files this winner added that can't have been read, for the
 * winners after it.  A file that was there before may be added again (with a
 * deletion vector, or with new statistics by a commit that changes no data and
 * removes nothing): that one is not new.
 */
static void
note_new_files(Transaction *txn, Winner *w)
{
	bool		recommit = w->no_data_change && !(w->flags & ACTIONS_HAS_REMOVE);
	DeltaPathSet *removed;

	if (w->nfiles == 0 || !deltacc_transaction_needs_files(&txn->args))
		return;
	removed = deltacc_winner_removed(txn, w);
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);

		if (winner_adds(w, i) && !recommit &&
			!deltacc_path_set_find(txn->gone_paths, path, NULL, NULL) &&
			!deltacc_path_set_find(removed, path, NULL, NULL))
			deltacc_path_set_add(txn->new_paths, path, i);
	}
	for (int i = 0; i < w->nfiles; i++)
	{
		DeltaString path = deltacc_winner_path(w, i);

		if (winner_removes(w, i) &&
			!deltacc_path_set_find(txn->new_paths, path, NULL, NULL))
			deltacc_path_set_add(txn->gone_paths, path, i);
	}
}

DeltaPathSet *
deltacc_new_paths(Transaction *txn)
{
	ListCell   *lc;

	/* Only a later winner that removes files asks. */
	foreach(lc, txn->not_noted)
		note_new_files(txn, lfirst(lc));
	txn->not_noted = NIL;
	return txn->new_paths;
}

List *
deltacc_transaction_check(Transaction *txn, DeltaActions *winner, int64 version)
{
	MemoryContext old = MemoryContextSwitchTo(txn->context);
	Winner	   *w;

	CHECK_FOR_INTERRUPTS();
	w = deltacc_winner_open(txn, winner, version);

	deltacc_check_protocol(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_metadata(txn, w);
	if (w->conflicts == NIL)
		deltacc_check_identity_columns(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_domains(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_application_ids(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_row_tracking(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_row_level(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_added_files(txn, w);
	if (!deltacc_check_done(txn, w))
		deltacc_check_removed_files(txn, w);

	txn->not_noted = lappend(txn->not_noted, w);
	if (w->conflicts != NIL)
		txn->has_conflict = true;
	MemoryContextSwitchTo(old);
	return w->conflicts;
}

void
deltacc_transaction_rebase(Transaction *txn, DeltaActions *winner, int64 version)
{
	MemoryContext old = MemoryContextSwitchTo(txn->context);
	Winner	   *w = deltacc_winner_open(txn, winner, version);
	bool		row_tracking_enabled = false;
	int64		watermark = txn->row_id_watermark;

	(void) row_id_watermark(winner, &watermark);

	/* With a protocol of our own there would have been a conflict. */
	if (w->protocol != NULL)
		txn->protocol = unconstify(DeltaProtocol *, w->protocol);
	if (w->metadata != NULL && !txn->metadata_changed &&
		deltacc_adopts_metadata(txn, w, &row_tracking_enabled))
		txn->metadata = unconstify(DeltaMetadata *, w->metadata);
	deltacc_row_level_rebase(txn, w);
	if (!txn->args.verdict_only)
		deltacc_rebase_actions(txn, w, watermark, row_tracking_enabled);
	else
		deltacc_rebase_domains(txn, w);
	txn->row_id_watermark = watermark;
	MemoryContextSwitchTo(old);
}

List *
deltacc_own_actions(Transaction *txn)
{
	const FileAction *files;
	const OtherAction *others;
	const char *text;
	int			len,
				nfiles,
				nothers,
				f = 0,
				o = 0;

	if (txn->own_loaded)
		return txn->own;
	txn->own_loaded = true;
	if (txn->args.writes == NULL)
		return NIL;
	text = deltacc_actions_text(txn->args.writes, &len);
	files = deltacc_actions_files(txn->args.writes, &nfiles);
	others = deltacc_actions_others(txn->args.writes, &nothers);
	while (f < nfiles || o < nothers)
	{
		OwnAction  *own = palloc0(sizeof(OwnAction));

		if (o == nothers || (f < nfiles && files[f].ordinal < others[o].ordinal))
		{
			own->kind = files[f].kind;
			own->text = text + files[f].line_offset;
			own->len = files[f].line_length;
			f++;
		}
		else
		{
			own->kind = others[o].kind;
			own->text = text + others[o].line_offset;
			own->len = others[o].line_length;
			o++;
		}
		txn->own = lappend(txn->own, own);
	}
	return txn->own;
}

char *
deltacc_transaction_result(Transaction *txn)
{
	MemoryContext old = MemoryContextSwitchTo(txn->context);
	List	   *own = deltacc_own_actions(txn);
	StringInfoData out;
	ListCell   *lc;

	initStringInfo(&out);
	foreach(lc, own)
	{
		OwnAction  *action = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (out.len > 0)
			appendStringInfoChar(&out, '\n');
		appendBinaryStringInfo(&out, action->text, action->len);
	}
	MemoryContextSwitchTo(old);
	return out.data;
}
