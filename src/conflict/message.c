/*-------------------------------------------------------------------------
 *
 * message.c
 *	  What a conflict says: what happened, and what to do about it.
 *
 * Never personal data: userName, notebook and job of a commitInfo stay in the
 * history.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/transaction.h"

/* So many conflicts of one winner get the advice that takes evaluating. */
#define MAX_EXPENSIVE_HINTS 16

/* So much of a predicate is shown in a sentence; the column has it whole. */
#define MAX_SHOWN 200

/* "The DELETE at version 7" */
static char *
winner_name(const Winner *w)
{
	const char *what = !w->has_commit_info || w->operation == NULL ? "commit" : w->operation;

	if (w->version >= 0)
		return psprintf("The %s at version " INT64_FORMAT, what, w->version);
	return psprintf("The concurrent %s", what);
}

static const char *
table_name(const Transaction *txn)
{
	return txn->args.table_name ? txn->args.table_name : "the table";
}

/* Where a retry has to start. */
static const char *
read_again(const Winner *w)
{
	if (w->version >= 0)
		return psprintf("Read the table again, at version " INT64_FORMAT " or later, and run the transaction anew; committing the same files again can't succeed.",
						w->version);
	return "Read the table again and run the transaction anew; committing the same files again can't succeed.";
}

/* A sentence's part, cut between characters of UTF-8. */
static char *
shown(const char *text)
{
	int			len = strlen(text);
	int			end = Min(len, MAX_SHOWN);

	if (end == len)
		return pstrdup(text);
	while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
		end--;
	return psprintf("%.*s...", end, text);
}

static void
sentence(StringInfo out, const char *fmt,...) pg_attribute_printf(2, 3);

static void
sentence(StringInfo out, const char *fmt,...)
{
	if (out->len > 0)
		appendStringInfoChar(out, ' ');
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, fmt);
		needed = appendStringInfoVA(out, fmt, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(out, needed);
	}
}

/* ----- protocol, metadata, domains, application ids ----- */

void
deltacc_describe_protocol(Transaction *txn, Winner *w, Conflict *c, const char *dropped)
{
	if (txn->own_protocol != NULL)
	{
		c->message = psprintf("%s wrote a protocol, and so does the transaction, for %s.",
							  winner_name(w), table_name(txn));
		c->hint = txn->args.snapshot->exists ?
			"Two jobs change the protocol at the same time: look at the table's protocol now, and change it again only if something is still missing." :
			"Two jobs create the table at the same time: let one create it, and the other write to it once it is there.";
	}
	else
	{
		c->message = psprintf("%s dropped table features of %s: %s.", winner_name(w), table_name(txn), dropped);
		c->hint = "A transaction that began before a feature was dropped can't be kept: run it anew. Drop features when no job writes to the table.";
	}
	if (dropped != NULL)
		c->details = psprintf("{\"dropped_features\": %s}", deltacc_edit_quote(dropped));
}

void
deltacc_describe_metadata(Transaction *txn, Winner *w, Conflict *c, const char *changed, bool both)
{
	if (both)
	{
		c->message = psprintf("%s wrote metadata of %s, and so does the transaction%s%s.",
							  winner_name(w), table_name(txn),
							  changed[0] ? "; the winner changed: " : "", shown(changed));
		c->hint = "Two jobs change the schema or the properties at the same time: read the new metadata, and apply the change again if it is still missing.";
	}
	else if (!txn->args.snapshot->exists)
	{
		c->message = psprintf("%s created %s, which the transaction had not seen.", winner_name(w), table_name(txn));
		c->hint = "Run the transaction anew: the table is there now.";
	}
	else
	{
		c->message = psprintf("%s changed the metadata of %s: %s.", winner_name(w), table_name(txn), shown(changed));
		c->hint = "Retry with the new metadata. If this happens often, run ALTER TABLE, SET TBLPROPERTIES and OPTIMIZE setups when no job writes to the table.";
	}
	c->details = psprintf("{\"changed\": %s}", deltacc_edit_quote(changed));
}

void
deltacc_describe_domain(Transaction *txn, Winner *w, Conflict *c, const char *domain)
{
	c->message = psprintf("%s wrote the metadata domain %s of %s, and so does the transaction.",
						  winner_name(w), domain, table_name(txn));
	c->hint = psprintf("Only one of two concurrent transactions may write a domain, even the same value: read %s again, and write it only if it still has to change.",
					   domain);
	c->details = psprintf("{\"domain\": %s}", deltacc_edit_quote(domain));
}

void
deltacc_describe_application_id(Transaction *txn, Winner *w, Conflict *c, const char *app_id,
								bool has_version, int64 version)
{
	StringInfoData details;

	c->message = psprintf("%s wrote a transaction of the application id %s, which the transaction read.",
						  winner_name(w), app_id);
	c->hint = psprintf("Two queries share the application id %s, or the same batch ran twice: give each query its own id (its own checkpoint, or txnAppId), and stop the one that is not meant to run. A retry does not help.",
					   app_id);
	initStringInfo(&details);
	appendStringInfo(&details, "{\"app_id\": %s", deltacc_edit_quote(app_id));
	if (has_version)
		appendStringInfo(&details, ", \"version\": " INT64_FORMAT, version);
	appendStringInfoChar(&details, '}');
	c->details = details.data;
}

/* ----- files ----- */

/* Facts about a file that a dashboard may want to sum up. */
static char *
file_details(Winner *w, int file, const char *safety)
{
	const ActionsColumn *records = deltacc_actions_column(w->actions, COLUMN_NUM_RECORDS, "");
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{\"data_change\": %s", w->files[file].flags & FILE_DATA_CHANGE ? "true" : "false");
	if (records != NULL && records->kinds[file] == TOKEN_INT)
		appendStringInfo(&out, ", \"num_records\": " INT64_FORMAT, records->ints[file]);
	if (w->files[file].flags & FILE_HAS_DV)
		appendStringInfoString(&out, ", \"deletion_vector\": true");
	/* Where we are stricter than Delta on purpose, and why. */
	if (safety != NULL)
		appendStringInfo(&out, ", \"safety\": %s", deltacc_edit_quote(safety));
	appendStringInfoChar(&out, '}');
	return out.data;
}

/*
 * Is a partition value empty, or its key absent?  The protocol and Delta read
 * such a value differently, and the partition filter keeps the file if either
 * reading may match.
 */
static bool
has_doubtful_partition(Transaction *txn, Winner *w, int file)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;

	for (int i = 0; i < schema->npartition_columns; i++)
	{
		const ActionsColumn *c = deltacc_actions_column(w->actions, COLUMN_PARTITION,
														schema->partition_columns[i]->physical_name);

		if (c == NULL || c->kinds[file] == TOKEN_ABSENT ||
			(c->kinds[file] == TOKEN_STRING && deltacc_column_text(c, file).len == 0))
			return true;
	}
	return false;
}

/* A partition value as a literal of its column's type; NULL for null. */
static char *
partition_literal(DeltaActions *a, const DeltaField *field, int file)
{
	StringInfoData text,
				out;

	initStringInfo(&text);
	if (!deltacc_partition_token(a, field, file, &text))
		return NULL;
	if (DELTA_IS_NUMERIC_KIND(field->type.kind) || field->type.kind == DELTA_BOOLEAN)
		return text.data;
	initStringInfo(&out);
	if (field->type.kind == DELTA_DATE)
		appendStringInfoString(&out, "DATE ");
	else if (field->type.kind == DELTA_TIMESTAMP)
		appendStringInfoString(&out, "TIMESTAMP ");
	else if (field->type.kind == DELTA_TIMESTAMP_NTZ)
		appendStringInfoString(&out, "TIMESTAMP_NTZ ");
	appendStringInfoChar(&out, '\'');
	for (int i = 0; i < text.len; i++)
	{
		if (text.data[i] == '\'' || text.data[i] == '\\')
			appendStringInfoChar(&out, '\\');
		appendStringInfoChar(&out, text.data[i]);
	}
	appendStringInfoChar(&out, '\'');
	return out.data;
}

static bool
list_has(List *texts, const char *text)
{
	ListCell   *lc;

	foreach(lc, texts)
	{
		if (strcmp(lfirst(lc), text) == 0)
			return true;
	}
	return false;
}

/*
 * A partition column in which the transaction's own files and the winner's adds
 * have no value in common: a condition on it that the winner's files can't
 * match.  NULL if there is none (or too many values to name).
 */
static char *
separating_condition(Transaction *txn, Winner *w)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;
	DeltaActions *writes = txn->args.writes;
	const FileAction *own;
	int			n;

	if (!txn->partitioned || writes == NULL)
		return NULL;
	own = deltacc_actions_files(writes, &n);
	for (int k = 0; k < schema->npartition_columns; k++)
	{
		const DeltaField *field = schema->partition_columns[k];
		List	   *values = NIL;
		bool		usable = n > 0;

		for (int i = 0; i < n && usable; i++)
		{
			char	   *literal;

			if (own[i].kind == ACTION_CDC)
				continue;
			literal = partition_literal(writes, field, i);
			if (literal == NULL)
				usable = false;
			else if (!list_has(values, literal))
				values = lappend(values, literal);
			if (list_length(values) > 3)
				usable = false;
		}
		for (int i = 0; i < w->nfiles && usable; i++)
		{
			char	   *literal;

			if (w->files[i].kind != ACTION_ADD)
				continue;
			literal = partition_literal(w->actions, field, i);
			if (literal != NULL && list_has(values, literal))
				usable = false;
		}
		if (usable && values != NIL)
		{
			StringInfoData out;
			ListCell   *lc;

			initStringInfo(&out);
			appendStringInfo(&out, "%s %s", field->logical_path, list_length(values) == 1 ? "= " : "IN (");
			foreach(lc, values)
				appendStringInfo(&out, "%s%s", lc == list_head(values) ? "" : ", ", (char *) lfirst(lc));
			if (list_length(values) > 1)
				appendStringInfoChar(&out, ')');
			return out.data;
		}
	}
	return NULL;
}

/* The parts of a read that filter nothing, and why. */
static void
unusable_conjuncts(StringInfo hint, const ReadPlan *plan)
{
	for (int i = 0; i < plan->nconjuncts; i++)
	{
		const Conjunct *conjunct = &plan->conjuncts[i];
		char	   *text;

		if (conjunct->kind != CONJUNCT_FOREIGN && conjunct->kind != CONJUNCT_UNUSABLE)
			continue;
		text = shown(deltacc_expr_text(conjunct->expr, plan->options.timezone));
		if (conjunct->kind == CONJUNCT_FOREIGN)
			sentence(hint, "The condition %s refers to another relation: it is a join, and filters no file. Add a condition with a literal on the table's own columns.",
					 text);
		else if (conjunct->reason != NULL)
			sentence(hint, "The condition %s filters no file: %s.", text, conjunct->reason);
		else
			sentence(hint, "The condition %s filters no file.", text);
	}
}

/* What the statistics of this very file say to this very read. */
static void
statistics_advice(StringInfo hint, Transaction *txn, Winner *w, int file, int read)
{
	const ReadPlan *plan = deltacc_reader_plan(txn, read);
	char	   *line = deltacc_file_line(w->actions, &w->files[file]);
	DeltaActions *one = deltacc_actions_open(PointerGetDatum(
															 deltacc_actions_parse(line, w->files[file].line_length, NULL)));
	FileVerdict *verdict = deltacc_plan_explain_files(plan, one);

	if (deltacc_data_skipping_spares(txn, w, file))
	{
		sentence(hint, "With data skipping at conflict time (deltacc.data_skipping = on) this would be no conflict");
		if (!verdict->kept && verdict->reason != NULL)
			appendStringInfo(hint, ": %s", verdict->reason);
		appendStringInfoChar(hint, '.');
	}
	else if (verdict->kept && verdict->reason != NULL && strcmp(verdict->decided_by, "missing statistics") == 0)
		sentence(hint, "Statistics can't tell the read from this file: %s. ANALYZE TABLE ... COMPUTE DELTA STATISTICS, or delta.dataSkippingStatsColumns, makes writers record them.",
				 verdict->reason);
	else if (!txn->partitioned && txn->args.options.data_skipping == DATA_SKIPPING_OFF)
		sentence(hint, "The table is not partitioned, so that released Delta compares no condition at all.");
}

void
deltacc_describe_added_file(Transaction *txn, Winner *w, Conflict *c, int file, int read)
{
	DeltaString path = deltacc_file_path(w->paths, file);
	char	   *partition = deltacc_partition_text(txn, w->actions, file);
	StringInfoData message,
				hint;
	char	   *condition;

	c->path = pnstrdup(path.data, path.len);
	c->partition_values = deltacc_partition_json(txn, w->actions, file);
	c->details = file_details(w, file,
							  read >= 0 && txn->plans != NULL && txn->plans[read]->partition != NULL &&
							  has_doubtful_partition(txn, w, file) ?
							  "partition value empty or absent: kept if either reading of it may match" : NULL);
	initStringInfo(&message);
	initStringInfo(&hint);

	sentence(&message, "%s added file %s%s%s to %s,", winner_name(w), c->path,
			 partition ? " in partition " : "", partition ? partition : "", table_name(txn));
	if (read >= 0)
	{
		c->read_index = read + 1;
		c->read_predicate = deltacc_read_text(txn, read);
		sentence(&message, "which may hold rows of read %d (%s).", read + 1, shown(c->read_predicate));
	}
	else if (txn->args.read_whole_table)
		sentence(&message, "and the transaction read the whole table.");
	else
		sentence(&message, "and the transaction is no blind append.");

	if (w->no_data_change)
		sentence(&hint, "The winner moved rows without changing any (dataChange is false, as OPTIMIZE does): a retry will find the same data. Run OPTIMIZE when no job writes to these files.");
	if (w->blind_append && txn->isolation == ISOLATION_SERIALIZABLE && !txn->metadata_changed)
		sentence(&hint, "The winner is a blind append: under WriteSerializable it would not conflict.");

	if (read >= 0 && txn->plans != NULL && w->nhints < MAX_EXPENSIVE_HINTS)
	{
		w->nhints++;
		unusable_conjuncts(&hint, txn->plans[read]);
		statistics_advice(&hint, txn, w, file, read);
		condition = separating_condition(txn, w);
		if (condition != NULL)
			sentence(&hint, "The transaction wrote only where %s, and none of the winner's files is there: if it read no more than that, add this condition to the read.",
					 condition);
	}
	else if (read < 0 && txn->args.read_whole_table)
		sentence(&hint, "A transaction that reads the whole table conflicts with every file added: read it with a condition.");
	else if (read < 0)
		sentence(&hint, "Without any read, every file added to an unpartitioned table counts: pass the conditions that the transaction read with.");
	sentence(&hint, "%s", read_again(w));
	c->message = message.data;
	c->hint = hint.data;
}

void
deltacc_describe_removed_file(Transaction *txn, Winner *w, Conflict *c, int file, int read,
							  const char *partition, RemovedFileReason reason, bool spelled_alike)
{
	DeltaString path = deltacc_file_path(w->paths, file);
	const char *safety = !spelled_alike ? "paths spelled differently" :
		reason == REMOVED_BUT_ADDED ? "an added file that was removed" : NULL;
	StringInfoData message,
				hint;

	c->path = pnstrdup(path.data, path.len);
	c->details = file_details(w, file, safety);
	initStringInfo(&message);
	initStringInfo(&hint);
	sentence(&message, "%s removed file %s%s%s of %s,", winner_name(w), c->path,
			 partition ? " in partition " : "", partition ? partition : "", table_name(txn));
	if (read >= 0)
	{
		c->read_index = read + 1;
		c->read_predicate = deltacc_read_text(txn, read);
	}
	switch (reason)
	{
		case REMOVED_WAS_READ:
			if (read >= 0)
				sentence(&message, "which read %d (%s) selects.", read + 1, shown(c->read_predicate));
			else
				sentence(&message, "which the transaction read.");
			break;
		case REMOVED_WAS_OURS:
			sentence(&message, "which the transaction read and removes, too.");
			break;
		case REMOVED_UNKNOWN_READS:
			sentence(&message, "and nothing is known of what the transaction read.");
			sentence(&hint, "Pass the reads, the read files or the writes of the transaction: without them every removed file counts as read.");
			break;
		case REMOVED_WHOLE_TABLE:
			sentence(&message, "and the transaction read the whole table.");
			sentence(&hint, "A transaction that reads the whole table conflicts with every removed file: read it with a condition.");
			break;
		case REMOVED_TWICE:
			sentence(&message, "which the transaction removes, too.");
			break;
		case REMOVED_BUT_ADDED:
			sentence(&message, "which the transaction adds: that would bring the removed rows back.");
			break;
	}
	if (!spelled_alike)
		sentence(&hint, "The two spell the path differently. Delta compares the spellings, and would have let this pass.");
	else if (reason == REMOVED_BUT_ADDED)
		sentence(&hint, "Delta would have let this pass, and the file would be live again.");
	if (w->no_data_change)
		sentence(&hint, "The winner moved rows without changing any (dataChange is false, as OPTIMIZE does): a retry will find the same data in other files. Run OPTIMIZE when no job writes to these files.");
	else if ((w->files[file].flags & FILE_HAS_DV) || (w->flags & ACTIONS_HAS_DV))
		sentence(&hint, "The winner marked rows of this file as deleted; whether they are the rows that the transaction touched, the log alone does not tell.");
	sentence(&hint, "%s", read_again(w));
	c->message = message.data;
	c->hint = hint.data;
}
