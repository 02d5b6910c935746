/*-------------------------------------------------------------------------
 *
 * transaction.c
 *	  A transaction: what it read and wants to write.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/transaction.h"
#include "miscadmin.h"

/* An operation with its parameter ("WRITE:Overwrite") is the part before it. */
bool
deltacc_operation_is(const char *operation, const char *name)
{
	size_t		len = strlen(name);

	return operation != NULL && pg_strncasecmp(operation, name, len) == 0 &&
		(operation[len] == '\0' || operation[len] == ':');
}

DeltaString
deltacc_file_path(const ActionsColumn *paths, int i)
{
	DeltaString none = {0, ""};

	if (paths == NULL || paths->kinds[i] != TOKEN_STRING)
		return none;
	return deltacc_column_text(paths, i);
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
	const char *failure;

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
		(void) deltacc_row_id_watermark(snapshot->actions, &txn->row_id_watermark, &failure);

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
	txn->drops_row_tracking = txn->own_protocol != NULL &&
		!deltacc_protocol_supports(txn->own_protocol, "rowTracking") &&
		deltacc_protocol_supports(snapshot->protocol, "rowTracking");
	txn->replace_table = args->operation != NULL &&
		(pg_strncasecmp(args->operation, "REPLACE TABLE", 13) == 0 ||
		 pg_strncasecmp(args->operation, "CREATE OR REPLACE TABLE", 23) == 0);

	/* Computed, never declared (OptimisticTransaction.isBlindAppend). */
	txn->blind_append = writes != NULL && !(flags & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC)) &&
		args->nreads == 0 && !args->read_whole_table && args->nread_files == 0;
	txn->isolation = deltacc_choose_isolation(txn);

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
