/*-------------------------------------------------------------------------
 *
 * message.c
 *	  What a conflict says: what happened; what to do about it where no file is
 *	  the matter (else advice.c).
 *
 * Never personal data: userName, notebook and job of a commitInfo stay in the
 * history.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "conflict/advice.h"
#include "conflict/json_edit.h"

/* So much of a predicate is shown in a sentence; the column has it whole. */
#define MAX_SHOWN 200

char *
deltacc_winner_name(const Winner *w)
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
const char *
deltacc_read_again(const Winner *w)
{
	if (w->version >= 0)
		return psprintf("Read the table again, at version " INT64_FORMAT " or later, and run the transaction anew; committing the same files again can't succeed.",
						w->version);
	return "Read the table again and run the transaction anew; committing the same files again can't succeed.";
}

char *
deltacc_shown(const char *text)
{
	int			len = strlen(text);
	int			end = Min(len, MAX_SHOWN);

	if (end == len)
		return pstrdup(text);
	while (end > 0 && ((unsigned char) text[end] & 0xC0) == 0x80)
		end--;
	return psprintf("%.*s...", end, text);
}

void
deltacc_sentence(StringInfo out, const char *fmt,...)
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
							  deltacc_winner_name(w), table_name(txn));
		c->hint = txn->args.snapshot->exists ?
			"Two jobs change the protocol at the same time: look at the table's protocol now, and change it again only if something is still missing." :
			"Two jobs create the table at the same time: let one create it, and the other write to it once it is there.";
	}
	else
	{
		c->message = psprintf("%s dropped table features of %s: %s.", deltacc_winner_name(w), table_name(txn), dropped);
		c->hint = "A transaction that began before a feature was dropped can't be kept: run it anew. Drop features when no job writes to the table.";
	}
	if (dropped != NULL)
		c->details = psprintf("{\"dropped_features\": %s}", deltacc_edit_quote(dropped));
}

/* Did the winner write rows, so that its operation is none that only changes the
 * table? */
static bool
writes_rows(const Winner *w)
{
	static const char *const operations[] = {"WRITE", "STREAMING UPDATE", "MERGE", "UPDATE", "DELETE"};

	for (int i = 0; i < lengthof(operations); i++)
	{
		if (w->has_commit_info && deltacc_operation_is(w->operation, operations[i]))
			return true;
	}
	return false;
}

void
deltacc_describe_metadata(Transaction *txn, Winner *w, Conflict *c, const char *changed,
						  const char *missing_feature, bool both)
{
	StringInfoData hint;

	if (both)
	{
		c->message = psprintf("%s wrote metadata of %s, and so does the transaction%s%s.",
							  deltacc_winner_name(w), table_name(txn),
							  changed[0] ? "; the winner changed: " : "", deltacc_shown(changed));
		c->hint = "Two jobs change the schema or the properties at the same time: read the new metadata, and apply the change again if it is still missing.";
	}
	else if (!txn->args.snapshot->exists)
	{
		c->message = psprintf("%s created %s, which the transaction had not seen.", deltacc_winner_name(w), table_name(txn));
		c->hint = "Run the transaction anew: the table is there now.";
	}
	else
	{
		c->message = psprintf("%s changed the metadata of %s: %s.", deltacc_winner_name(w), table_name(txn), deltacc_shown(changed));
		initStringInfo(&hint);
		deltacc_sentence(&hint, "%s", deltacc_read_again(w));
		if (missing_feature != NULL)
			deltacc_sentence(&hint, "The change would not have stopped it if the table had supported %s before: add the table feature first, in a commit of its own.",
							 missing_feature);
		if (writes_rows(w))
			deltacc_sentence(&hint, "%s changed the metadata while it wrote rows, and each such write stops every transaction that is under way: change the table beforehand, in a job of its own, when nothing writes.",
							 deltacc_winner_name(w));
		else
			deltacc_sentence(&hint, "Schedule DDL away from the writers: every %s stops each transaction that is under way.",
							 !w->has_commit_info || w->operation == NULL ? "change of metadata" : w->operation);
		c->hint = hint.data;
	}
	c->details = psprintf("{\"changed\": %s}", deltacc_edit_quote(changed));
}

void
deltacc_describe_domain(Transaction *txn, Winner *w, Conflict *c, const char *domain)
{
	c->message = psprintf("%s wrote the metadata domain %s of %s, and so does the transaction.",
						  deltacc_winner_name(w), domain, table_name(txn));
	c->hint = psprintf("Only one of two concurrent transactions may write a domain, even the same value: read the domain %s again, and write it only if it still has to change.",
					   domain);
	c->details = psprintf("{\"domain\": %s}", deltacc_edit_quote(domain));
}

void
deltacc_describe_application_id(Transaction *txn, Winner *w, Conflict *c, const char *app_id,
								bool has_version, int64 version)
{
	StringInfoData details;

	c->message = psprintf("%s wrote a transaction of the application id %s, which the transaction read.",
						  deltacc_winner_name(w), app_id);
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
file_details(Winner *w, int file, const char *narrow_by, const char *safety)
{
	const ActionsColumn *records = deltacc_actions_column(w->actions, COLUMN_NUM_RECORDS, "");
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfo(&out, "{\"data_change\": %s", FILE_MARK_FLAGS(w->marks[file]) & FILE_DATA_CHANGE ? "true" : "false");
	if (records != NULL && records->kinds[file] == TOKEN_INT)
		appendStringInfo(&out, ", \"num_records\": " INT64_FORMAT, records->ints[file]);
	if (FILE_MARK_FLAGS(w->marks[file]) & FILE_HAS_DV)
		appendStringInfoString(&out, ", \"deletion_vector\": true");
	/* A condition that would have avoided the conflict. */
	if (narrow_by != NULL)
		appendStringInfo(&out, ", \"narrow_by\": %s", deltacc_edit_quote(narrow_by));
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

void
deltacc_describe_added_file(Transaction *txn, Winner *w, Conflict *c, int file, int read)
{
	DeltaString path = deltacc_winner_path(w, file);
	char	   *partition = deltacc_partition_text(txn, w->actions, file);
	StringInfoData message,
				hint;
	const char *narrow_by;

	c->path = deltacc_utf8_to_cstring(path.data, path.len);
	c->partition_values = deltacc_partition_json(txn, w->actions, file);
	c->read_index = read + 1;
	if (txn->args.terse)
		return;
	initStringInfo(&message);
	initStringInfo(&hint);

	deltacc_sentence(&message, "%s added file %s%s%s to %s,", deltacc_winner_name(w), c->path,
					 partition ? " in partition " : "", partition ? partition : "", table_name(txn));
	if (read >= 0)
	{
		c->read_predicate = deltacc_read_text(txn, read);
		deltacc_sentence(&message, "which may hold rows of read %d (%s).", read + 1, deltacc_shown(c->read_predicate));
	}
	else if (txn->args.read_whole_table)
		deltacc_sentence(&message, "and the transaction read the whole table.");
	else
		deltacc_sentence(&message, "and the transaction is no blind append.");

	deltacc_advise_added_file(&hint, txn, w, file, read, &narrow_by);
	c->details = file_details(w, file, narrow_by,
							  read >= 0 && txn->plans != NULL && txn->plans[read]->partition != NULL &&
							  has_doubtful_partition(txn, w, file) ?
							  "partition value empty or absent: kept if either reading of it may match" : NULL);
	c->message = message.data;
	c->hint = hint.data;
}

void
deltacc_describe_removed_file(Transaction *txn, Winner *w, Conflict *c, int file, int read,
							  DeltaActions *values, int values_file, const char *partition,
							  RemovedFileReason reason, bool spelled_alike)
{
	DeltaString path = deltacc_winner_path(w, file);
	const char *safety = !spelled_alike ? "paths spelled differently" :
		reason == REMOVED_BUT_ADDED ? "an added file that was removed" : NULL;
	StringInfoData message,
				hint;
	const char *narrow_by;

	c->path = deltacc_utf8_to_cstring(path.data, path.len);
	c->read_index = read + 1;
	if (txn->args.terse)
		return;
	initStringInfo(&message);
	initStringInfo(&hint);
	deltacc_sentence(&message, "%s removed file %s%s%s of %s,", deltacc_winner_name(w), c->path,
					 partition ? " in partition " : "", partition ? partition : "", table_name(txn));
	if (read >= 0)
		c->read_predicate = deltacc_read_text(txn, read);
	switch (reason)
	{
		case REMOVED_WAS_READ:
			if (read >= 0)
				deltacc_sentence(&message, "which read %d (%s) selects.", read + 1, deltacc_shown(c->read_predicate));
			else
				deltacc_sentence(&message, "which the transaction read.");
			break;
		case REMOVED_WAS_OURS:
			deltacc_sentence(&message, "which the transaction read and removes, too.");
			break;
		case REMOVED_UNKNOWN_READS:
			deltacc_sentence(&message, "and nothing is known of what the transaction read.");
			break;
		case REMOVED_WHOLE_TABLE:
			deltacc_sentence(&message, "and the transaction read the whole table.");
			break;
		case REMOVED_TWICE:
			deltacc_sentence(&message, "which the transaction removes, too.");
			break;
		case REMOVED_BUT_ADDED:
			deltacc_sentence(&message, "which the transaction adds: that would bring the removed rows back.");
			break;
	}
	if (!spelled_alike)
		deltacc_sentence(&hint, "The two spell the path differently. Delta compares the spellings, and would have let this pass.");
	deltacc_advise_removed_file(&hint, txn, w, file, read, values, values_file, reason, &narrow_by);
	c->details = file_details(w, file, narrow_by, safety);
	c->message = message.data;
	c->hint = hint.data;
}
