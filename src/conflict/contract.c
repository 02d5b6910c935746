/*-------------------------------------------------------------------------
 *
 * contract.c
 *	  deltacc.row_level = databricks: the contract that Databricks documents
 *	  for its row-level concurrency ("Row-level concurrency", "Conflict matrix").
 *
 * What is settled here rests on these documents.  It is a promise about an
 * engine that also looks at the rows themselves; the log alone proves it for
 * some cases only, which is what deltacc.row_level = on is about.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/row_level.h"

typedef enum OperationKind
{
	OPERATION_UNKNOWN,
	OPERATION_INSERT,			/* appends, and reads nothing of the table */
	OPERATION_DML,				/* UPDATE, DELETE, MERGE */
	OPERATION_OPTIMIZE			/* bin-packing, REORG */
} OperationKind;

static bool
has_vectors_enabled(const Transaction *txn)
{
	const char *value = txn->metadata ? deltacc_metadata_property(txn->metadata, "delta.enableDeletionVectors") : NULL;

	return value != NULL && pg_strcasecmp(value, "true") == 0;
}

/*
 * Did an OPTIMIZE only pack files?  Its zOrderBy tells; where an OPTIMIZE does
 * not, it may have sorted the rows.  REORG does not sort.
 */
static bool
only_packs(const char *operation, const JsonSlice *commit_info)
{
	JsonSlice	parameters;
	char	   *columns;

	if (deltacc_operation_is(operation, "REORG"))
		return true;
	if (!deltacc_operation_is(operation, "OPTIMIZE") || commit_info == NULL ||
		!deltacc_json_member(commit_info, "operationParameters", &parameters) ||
		parameters.kind != JSON_OBJECT)
		return false;
	columns = deltacc_edit_string(&parameters, "zOrderBy");
	return columns != NULL && strcmp(columns, "[]") == 0;
}

static OperationKind
kind_of(const char *operation, const JsonSlice *commit_info, uint32 flags, bool any_data_change, bool blind)
{
	if (deltacc_operation_is(operation, "UPDATE") || deltacc_operation_is(operation, "DELETE") ||
		deltacc_operation_is(operation, "MERGE"))
		return OPERATION_DML;
	if (only_packs(operation, commit_info) && !any_data_change &&
		!(flags & (ACTIONS_HAS_PROTOCOL | ACTIONS_HAS_METADATA)))
		return OPERATION_OPTIMIZE;
	if ((deltacc_operation_is(operation, "WRITE") || deltacc_operation_is(operation, "STREAMING UPDATE")) &&
		blind && !(flags & (ACTIONS_HAS_REMOVE | ACTIONS_HAS_CDC)))
		return OPERATION_INSERT;
	return OPERATION_UNKNOWN;
}

static OperationKind
own_kind(Transaction *txn)
{
	DeltaActions *writes = txn->args.writes;
	const OtherAction *o;
	JsonSlice	info;
	bool		has_info;
	uint32		flags;

	if (writes == NULL)
		return OPERATION_UNKNOWN;
	flags = deltacc_actions_flags(writes);
	o = deltacc_actions_first(writes, ACTION_COMMIT_INFO);
	has_info = o != NULL &&
		deltacc_edit_action(deltacc_other_line(writes, o), o->line_length, "commitInfo", &info);
	return kind_of(deltacc_own_operation(txn), has_info ? &info : NULL, flags,
				   (flags & ACTIONS_ANY_DATA_CHANGE) != 0, txn->blind_append);
}

static OperationKind
winner_kind(Winner *w)
{
	return kind_of(w->operation, w->has_commit_info ? &w->commit_info : NULL, w->flags,
				   (w->flags & ACTIONS_ANY_DATA_CHANGE) != 0, w->blind_append);
}

void
deltacc_check_identity_columns(Transaction *txn, Winner *w)
{
	Conflict   *c;

	if (txn->args.options.row_level != ROW_LEVEL_DATABRICKS || txn->metadata == NULL ||
		txn->metadata->schema_string == NULL ||
		strstr(txn->metadata->schema_string, "\"delta.identity.") == NULL)
		return;
	c = deltacc_add_conflict(txn, w, "metadata", "MetadataChangedException", "DELTA_METADATA_CHANGED", NULL);
	c->message = psprintf("%s ran beside the transaction, and %s has identity columns: Databricks lets no two transactions on it run at the same time.",
						  deltacc_winner_name(w), txn->args.table_name ? txn->args.table_name : "the table");
	c->hint = "Run the writers of a table with identity columns one after the other, or generate the numbers outside of it.";
	c->details = "{\"identity_columns\": true, \"basis\": \"contract\"}";
}

bool
deltacc_row_level_contract(Transaction *txn, Winner *w)
{
	OperationKind own,
				theirs;

	if (!has_vectors_enabled(txn))
		return false;
	own = own_kind(txn);
	theirs = winner_kind(w);

	/* An OPTIMIZE that packs files: beside whatever is known. */
	if ((theirs == OPERATION_OPTIMIZE && own != OPERATION_UNKNOWN) ||
		(own == OPERATION_OPTIMIZE && theirs != OPERATION_UNKNOWN))
	{
		w->exempt = theirs == OPERATION_OPTIMIZE ? "the winner only packed files" : "the transaction only packs files";
		w->exempt_by_contract = true;
		return false;
	}

	/* Rows are compared for UPDATE, DELETE and MERGE. */
	if (txn->partitioned)
		w->sub_condition = "PARTITIONED_TABLE_WITHOUT_MERGE_SOURCE";
	else if (txn->args.read_whole_table)
		w->sub_condition = "WHOLE_TABLE_READ";
	else
	{
		for (int r = 0; r < txn->args.nreads && w->sub_condition == NULL; r++)
		{
			if (deltacc_read_needs_rewrite(txn, r))
				w->sub_condition = "PREDICATES_NEED_REWRITE";
		}
	}
	w->compares_values = w->sub_condition == NULL;
	return w->sub_condition == NULL && own == OPERATION_DML;
}
