/*-------------------------------------------------------------------------
 *
 * isolation.c
 *	  The isolation level that a transaction runs under, as Delta chooses it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/transaction.h"

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

DeltaccIsolation
deltacc_choose_isolation(Transaction *txn)
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
