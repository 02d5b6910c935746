/*-------------------------------------------------------------------------
 *
 * partition.c
 *	  A file's partition in words and as JSON.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "conflict/json_edit.h"
#include "conflict/transaction.h"

/*
 * Delta leaves null out of the partition values of a remove, so that none may be
 * left of them: with extended metadata they were there.
 */
static bool
has_only_nulls(DeltaActions *a, int file)
{
	int			n;
	const FileAction *action = &deltacc_actions_files(a, &n)[file];
	JsonSlice	remove;
	JsonSlice	member;

	return action->kind == ACTION_REMOVE &&
		deltacc_edit_action(deltacc_file_line(a, action), action->line_length, "remove", &remove) &&
		deltacc_json_member(&remove, "extendedFileMetadata", &member) && member.kind == JSON_TRUE &&
		deltacc_json_member(&remove, "partitionValues", &member) && member.kind == JSON_OBJECT;
}

/* Has the file any partition value at all?  (Removes often have none.) */
static bool
has_partition_values(DeltaActions *a, int file)
{
	int			n;
	const char **keys = deltacc_actions_keys(a, COLUMN_PARTITION, &n);

	for (int i = 0; i < n; i++)
	{
		const ActionsColumn *c = deltacc_actions_column(a, COLUMN_PARTITION, keys[i]);

		if (c != NULL && c->kinds[file] != TOKEN_ABSENT)
			return true;
	}
	return has_only_nulls(a, file);
}

bool
deltacc_transaction_needs_partitions(const TransactionArgs *args, DeltaActions *winner)
{
	const FileAction *files;
	int			n;

	if (!args->has_read_files || args->nread_files == 0 || !args->snapshot->exists ||
		args->snapshot->schema->npartition_columns == 0 ||
		!(deltacc_actions_flags(winner) & ACTIONS_HAS_REMOVE))
		return false;
	files = deltacc_actions_files(winner, &n);
	for (int i = 0; i < n; i++)
	{
		if (files[i].kind == ACTION_REMOVE && !has_partition_values(winner, i))
			return true;
	}
	return false;
}

bool
deltacc_partition_token(DeltaActions *a, const DeltaField *field, int file, StringInfo out)
{
	const ActionsColumn *c = deltacc_actions_column(a, COLUMN_PARTITION, field->physical_name);
	DeltaString s;

	switch (c ? c->kinds[file] : TOKEN_ABSENT)
	{
		case TOKEN_ABSENT:
		case TOKEN_NULL:
			return false;
		case TOKEN_INT:
			appendStringInfo(out, INT64_FORMAT, c->ints[file]);
			return true;
		case TOKEN_TRUE:
			appendStringInfoString(out, "true");
			return true;
		case TOKEN_FALSE:
			appendStringInfoString(out, "false");
			return true;
		default:
			s = deltacc_column_text(c, file);
			appendBinaryStringInfo(out, s.data, s.len);
			return true;
	}
}

char *
deltacc_partition_text(Transaction *txn, DeltaActions *a, int file)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;
	StringInfoData out;

	if (!txn->partitioned || !has_partition_values(a, file))
		return NULL;
	initStringInfo(&out);
	appendStringInfoChar(&out, '[');
	for (int i = 0; i < schema->npartition_columns; i++)
	{
		const DeltaField *field = schema->partition_columns[i];

		appendStringInfo(&out, "%s%s=", i > 0 ? ", " : "", field->name);
		if (!deltacc_partition_token(a, field, file, &out))
			appendStringInfoString(&out, "null");
	}
	appendStringInfoChar(&out, ']');
	return deltacc_utf8_to_cstring(out.data, out.len);
}

char *
deltacc_partition_json(Transaction *txn, DeltaActions *a, int file)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;
	StringInfoData out,
				value;

	if (!txn->partitioned || !has_partition_values(a, file))
		return NULL;
	initStringInfo(&out);
	initStringInfo(&value);
	for (int i = 0; i < schema->npartition_columns; i++)
	{
		const DeltaField *field = schema->partition_columns[i];

		appendStringInfoChar(&out, i > 0 ? ',' : '{');
		deltacc_json_escape(&out, field->name, strlen(field->name));
		appendStringInfoChar(&out, ':');
		resetStringInfo(&value);
		if (deltacc_partition_token(a, field, file, &value))
			deltacc_json_escape(&out, value.data, value.len);
		else
			appendStringInfoString(&out, "null");
	}
	appendStringInfoChar(&out, '}');
	return out.data;
}
