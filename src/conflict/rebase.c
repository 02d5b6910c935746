/*-------------------------------------------------------------------------
 *
 * rebase.c
 *	  What would be committed on top of a winner.
 *
 * The steps and their order are those of ConflictChecker.checkConflicts: the
 * tag on row tracking, REPLACE TABLE's domains, backfills, row ids and row
 * commit versions, type widening, in-commit timestamps.  Actions are changed in
 * their text, member by member.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/int.h"
#include "conflict/json_edit.h"
#include "conflict/schema_change.h"
#include "conflict/transaction.h"
#include "miscadmin.h"

static OwnAction *
make_action(ActionKind kind, char *text)
{
	OwnAction  *action = palloc0(sizeof(OwnAction));

	action->kind = kind;
	action->text = text;
	action->len = strlen(text);
	return action;
}

static void
set_member(OwnAction *action, const char *name, const char *member, const char *value)
{
	action->text = deltacc_edit_set_in_action(action->text, action->len, name, member, value);
	action->len = strlen(action->text);
}

static OwnAction *
find_own(Transaction *txn, ActionKind kind)
{
	ListCell   *lc;

	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);

		if (action->kind == kind)
			return action;
	}
	return NULL;
}

/* Sets an entry of a map below an action: {"name": {"map": {key: value}}}. */
static void
set_entry(OwnAction *action, const char *name, const char *map, const char *key, const char *value)
{
	JsonSlice	object,
				entries;
	const char *quoted = deltacc_edit_quote(value);

	if (!deltacc_edit_action(action->text, action->len, name, &object))
		return;
	if (deltacc_json_member(&object, map, &entries) && entries.kind == JSON_OBJECT)
		set_member(action, name, map, deltacc_edit_set(entries.start, entries.len, key, quoted));
	else
		set_member(action, name, map, deltacc_edit_set("{}", 2, key, quoted));
}

static char *
own_domain(const OwnAction *action)
{
	JsonSlice	object;

	if (action->kind != ACTION_DOMAIN_METADATA ||
		!deltacc_edit_action(action->text, action->len, "domainMetadata", &object))
		return NULL;
	return deltacc_edit_string(&object, "domain");
}

static bool
is_row_tracking_domain(const OwnAction *action)
{
	return action->kind == ACTION_DOMAIN_METADATA &&
		deltacc_is_row_tracking_domain(action->text, action->len);
}

DeltaString
deltacc_own_path(const OwnAction *action)
{
	JsonSlice	object,
				path;
	StringInfoData out;
	DeltaString result = {0, ""};

	if (deltacc_edit_action(action->text, action->len, action->kind == ACTION_ADD ? "add" : "remove", &object) &&
		deltacc_json_member(&object, "path", &path) && path.kind == JSON_STRING)
	{
		initStringInfo(&out);
		deltacc_json_unescape(&out, &path);
		result.data = out.data;
		result.len = out.len;
	}
	return result;
}

static void
require_version(const Winner *w)
{
	if (w->version < 0)
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("the winner's version is not known"),
				 errdetail("Row commit versions, in-commit timestamps and type changes move with it."),
				 errhint("Pass winner_version.")));
}

/* ----- REPLACE TABLE ----- */

/*
 * Its domains go to the end, and a clustering domain that the winner brought is
 * removed again (DomainMetadataUtils.handleDomainMetadataForReplaceTable).
 */
static void
replace_table_domains(Transaction *txn, Winner *w)
{
	List	   *others = NIL;
	List	   *domains = NIL;
	bool		own_clustering = false;
	const OtherAction *theirs;
	ListCell   *lc;
	int			n;

	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);

		if (action->kind == ACTION_DOMAIN_METADATA)
		{
			char	   *name = own_domain(action);

			domains = lappend(domains, action);
			own_clustering |= name != NULL && strcmp(name, "delta.clustering") == 0;
		}
		else
			others = lappend(others, action);
	}
	theirs = deltacc_actions_others(w->actions, &n);
	for (int i = 0; i < n && !own_clustering; i++)
	{
		OwnAction  *copy;
		char	   *name;

		if (theirs[i].kind != ACTION_DOMAIN_METADATA)
			continue;
		copy = make_action(ACTION_DOMAIN_METADATA, deltacc_other_line(w->actions, &theirs[i]));
		name = own_domain(copy);
		if (name == NULL || strcmp(name, "delta.clustering") != 0)
			continue;
		set_member(copy, "domainMetadata", "removed", "true");
		domains = lcons(copy, domains);
		break;
	}
	txn->own = list_concat(others, domains);
}

/* ----- row tracking: backfill, ids, versions ----- */

/* The paths that the winner adds or removes; number: index among its files. */
static DeltaPathSet *
winner_paths(Transaction *txn, Winner *w, bool with_removes)
{
	DeltaPathSet *set = deltacc_path_set(txn->location, w->nfiles);

	for (int i = 0; i < w->nfiles; i++)
	{
		if (winner_adds(w, i) || (with_removes && winner_removes(w, i)))
			deltacc_path_set_add(set, deltacc_winner_path(w, i), i);
	}
	return set;
}

/* Drops our adds of files that the winner has added or removed itself. */
static void
drop_own_adds(Transaction *txn, Winner *w)
{
	DeltaPathSet *paths = winner_paths(txn, w, true);
	List	   *kept = NIL;
	ListCell   *lc;

	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);

		if (action->kind != ACTION_ADD ||
			!deltacc_path_set_find(paths, deltacc_own_path(action), NULL, NULL))
			kept = lappend(kept, action);
	}
	txn->own = kept;
}

/* The text of an integer member of a winner's add, or "null". */
static const char *
member_text(const JsonSlice *object, const char *name)
{
	JsonSlice	value;

	if (!deltacc_json_member(object, name, &value))
		return NULL;
	return pnstrdup(value.start, value.len);
}

/* Our adds and removes of files that a backfill gave ids get the same ids. */
static void
copy_backfilled_ids(Transaction *txn, Winner *w)
{
	DeltaPathSet *paths = winner_paths(txn, w, false);
	ListCell   *lc;

	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);
		const char *name = action->kind == ACTION_ADD ? "add" : "remove";
		JsonSlice	add;
		char	   *line;
		int			file;

		if ((action->kind != ACTION_ADD && action->kind != ACTION_REMOVE) ||
			!deltacc_path_set_find(paths, deltacc_own_path(action), &file, NULL))
			continue;
		line = deltacc_file_line(w->actions, &deltacc_winner_files(w)[file]);
		if (!deltacc_edit_action(line, deltacc_winner_files(w)[file].line_length, "add", &add))
			continue;
		set_member(action, name, "baseRowId", member_text(&add, "baseRowId"));
		set_member(action, name, "defaultRowCommitVersion", member_text(&add, "defaultRowCommitVersion"));
	}
}

bool
deltacc_winner_adds_with_ids(Winner *w, int i)
{
	const FileAction *file;
	JsonSlice	add;
	int64		ignored;

	if (!winner_adds(w, i))
		return false;
	file = &deltacc_winner_files(w)[i];
	return deltacc_edit_action(deltacc_file_line(w->actions, file), file->line_length, "add", &add) &&
		(deltacc_edit_int64(&add, "baseRowId", &ignored) ||
		 deltacc_edit_int64(&add, "defaultRowCommitVersion", &ignored));
}

/*
 * An un-backfill takes over the winner's adds, without ids; what the winner
 * removed or added itself is not added by us.
 */
static void
unbackfill(Transaction *txn, Winner *w)
{
	DeltaPathSet *taken = deltacc_path_set(txn->location, 8);

	drop_own_adds(txn, w);
	for (int i = 0; i < w->nfiles; i++)
	{
		OwnAction  *copy;

		if (!deltacc_winner_adds_with_ids(w, i) ||
			!deltacc_path_set_add(taken, deltacc_winner_path(w, i), i))
			continue;
		copy = make_action(ACTION_ADD, deltacc_file_line(w->actions, &deltacc_winner_files(w)[i]));
		set_member(copy, "add", "dataChange", "false");
		set_member(copy, "add", "baseRowId", NULL);
		set_member(copy, "add", "defaultRowCommitVersion", NULL);
		txn->own = lappend(txn->own, copy);
	}
}

const char *
deltacc_physical_records(const JsonSlice *add, int64 *records)
{
	static const char *const without = "DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS";
	char	   *stats = deltacc_edit_string(add, "stats");
	JsonScanner scanner;
	JsonSlice	object;
	JsonSlice	value;

	if (stats == NULL || stats[0] == '\0')
		return without;
	deltacc_json_init(&scanner, stats, strlen(stats), false);
	if (!deltacc_json_value(&scanner, &object))
		return "JsonParseException";

	/* Delta takes what is no count for 0, and the next file gets the same ids. */
	if (object.kind == JSON_OBJECT &&
		deltacc_json_member(&object, "numRecords", &value) && value.kind != JSON_NULL &&
		deltacc_jackson_int64(&object, "numRecords", records) && *records >= 0)
		return NULL;
	return without;
}

void
deltacc_report_no_records(const char *path, const char *failure, int level)
{
	ereport(level,
			(errcode(ERRCODE_DATA_EXCEPTION),
			 errmsg("%s: file \"%s\" has no usable numRecords, so that no row ids can be assigned to it",
					failure, path ? path : ""),
			 errhint("The table supports row tracking: write the statistics of added files.")));
}

/*
 * Row ids above the winner's high-water mark, in the order of the actions, for
 * files without ids and those whose ids we made; and the versions that go with
 * them.  The domain moves to the front, right after the commitInfo.
 */
static void
reassign_row_ids(Transaction *txn, Winner *w, int64 watermark)
{
	int64		high = watermark;
	List	   *front = NIL;
	List	   *rest = NIL;
	OwnAction  *domain;
	char	   *configuration;
	ListCell   *lc;

	require_version(w);
	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);
		JsonSlice	add;
		int64		value;

		CHECK_FOR_INTERRUPTS();
		if (action->kind == ACTION_COMMIT_INFO && front == NIL)
		{
			front = lappend(front, action);
			continue;
		}
		if (is_row_tracking_domain(action))
			continue;
		rest = lappend(rest, action);
		if (action->kind != ACTION_ADD || !deltacc_edit_action(action->text, action->len, "add", &add))
			continue;
		if (!deltacc_edit_int64(&add, "baseRowId", &value) ||
			(value > txn->row_id_watermark && !action->keeps_row_ids))
		{
			int64		records = 0;
			const char *failure = deltacc_physical_records(&add, &records);

			if (failure != NULL)
				deltacc_report_no_records(deltacc_own_path(action).data, failure, ERROR);
			set_member(action, "add", "baseRowId", psprintf(INT64_FORMAT, high + 1));
			if (pg_add_s64_overflow(high, records, &high) || high == PG_INT64_MAX)
				ereport(ERROR,
						(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
						 errmsg("row ids are out of range")));
		}
		if (deltacc_edit_action(action->text, action->len, "add", &add) &&
			(!deltacc_edit_int64(&add, "defaultRowCommitVersion", &value) ||
			 (value == w->version && !action->keeps_row_ids)))
			set_member(action, "add", "defaultRowCommitVersion", psprintf(INT64_FORMAT, w->version + 1));
	}

	configuration = psprintf("{\"rowIdHighWaterMark\":" INT64_FORMAT ",\"domainName\":\"%s\"}", high, ROW_TRACKING_DOMAIN);
	domain = make_action(ACTION_DOMAIN_METADATA,
						 psprintf("{\"domainMetadata\":{\"domain\":\"%s\",\"configuration\":%s,\"removed\":false}}",
								  ROW_TRACKING_DOMAIN, deltacc_edit_quote(configuration)));
	txn->own = list_concat(lappend(front, domain), rest);
}

bool
deltacc_row_tracking_suspended(const DeltaMetadata *metadata)
{
	bool		enabled = deltacc_boolean_property(metadata, "delta.enableRowTracking");
	bool		suspended = deltacc_boolean_property(metadata, "delta.rowTrackingSuspended");

	if (suspended && enabled)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the table sets both delta.enableRowTracking and delta.rowTrackingSuspended"),
				 errhint("Delta refuses the combination (DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION): set one of them to false.")));
	return suspended;
}

/* ----- type widening ----- */

static void
move_type_widening(Transaction *txn, Winner *w)
{
	OwnAction  *action = find_own(txn, ACTION_METADATA);
	JsonSlice	object;
	char	   *schema;

	if (action == NULL ||
		!(deltacc_protocol_supports(txn->protocol, "typeWidening") ||
		  deltacc_protocol_supports(txn->protocol, "typeWidening-preview")) ||
		!deltacc_boolean_property(txn->metadata, "delta.enableTypeWidening") ||
		!deltacc_edit_action(action->text, action->len, "metaData", &object) ||
		(schema = deltacc_edit_string(&object, "schemaString")) == NULL)
		return;
	require_version(w);
	schema = deltacc_schema_move_type_changes(schema, w->version);
	if (schema != NULL)
		set_member(action, "metaData", "schemaString", deltacc_edit_quote(schema));
}

/* ----- dropped features ----- */

/*
 * A transaction that drops a feature of readers protects the checkpoints before
 * its own version: where the table does so, the version moves with it.
 */
static void
move_checkpoint_protection(Transaction *txn, Winner *w)
{
	OwnAction  *action = find_own(txn, ACTION_METADATA);

	if (action == NULL || txn->own_protocol == NULL ||
		!deltacc_protocol_supports(txn->own_protocol, "checkpointProtection") ||
		!deltacc_drops_reader_feature(txn))
		return;
	require_version(w);
	set_entry(action, "metaData", "configuration", "delta.requireCheckpointProtectionBeforeVersion",
			  psprintf(INT64_FORMAT, w->version + 1));
}

/* ----- in-commit timestamps ----- */

#define ICT_ENABLED "delta.enableInCommitTimestamps"
#define ICT_VERSION "delta.inCommitTimestampEnablementVersion"
#define ICT_TIMESTAMP "delta.inCommitTimestampEnablementTimestamp"

/*
 * Our own metaData says since when the table has in-commit timestamps
 * (InCommitTimestampUtils.getUpdatedMetadataWithICTEnablementInfo).
 */
static void
move_ict_enablement(Transaction *txn, Winner *w, int64 timestamp)
{
	OwnAction  *action = find_own(txn, ACTION_METADATA);
	const DeltaMetadata *prior = txn->args.snapshot->metadata;

	if (action == NULL)
		return;
	if (prior == NULL || !deltacc_boolean_property(prior, ICT_ENABLED))
	{
		set_entry(action, "metaData", "configuration", ICT_VERSION, psprintf(INT64_FORMAT, w->version + 1));
		set_entry(action, "metaData", "configuration", ICT_TIMESTAMP, psprintf(INT64_FORMAT, timestamp));
	}
	else if (deltacc_metadata_property(prior, ICT_VERSION) != NULL &&
			 deltacc_metadata_property(prior, ICT_TIMESTAMP) != NULL &&
			 deltacc_metadata_property(txn->metadata, ICT_VERSION) == NULL)
	{
		/* A REPLACE or CLONE must not forget it. */
		set_entry(action, "metaData", "configuration", ICT_VERSION,
				  deltacc_metadata_property(prior, ICT_VERSION));
		set_entry(action, "metaData", "configuration", ICT_TIMESTAMP,
				  deltacc_metadata_property(prior, ICT_TIMESTAMP));
	}
}

static void
move_in_commit_timestamp(Transaction *txn, Winner *w)
{
	OwnAction  *action = find_own(txn, ACTION_COMMIT_INFO);
	JsonSlice	object;
	int64		ours,
				theirs;

	if (!deltacc_boolean_property(txn->metadata, ICT_ENABLED))
		return;
	require_version(w);
	if (action == NULL || !deltacc_edit_action(action->text, action->len, "commitInfo", &object) ||
		(!deltacc_edit_int64(&object, "inCommitTimestamp", &ours) &&
		 !deltacc_edit_int64(&object, "timestamp", &ours)))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("DELTA_MISSING_COMMIT_INFO: the table has in-commit timestamps, and the transaction has none"),
				 errhint("Give writes a commitInfo with inCommitTimestamp.")));

	/*
	 * Before in-commit timestamps were enabled a commit's time is that of its
	 * file, which no commit holds; its own clock comes nearest to it.
	 */
	if (w->has_commit_info &&
		(deltacc_edit_int64(&w->commit_info, "inCommitTimestamp", &theirs) ||
		 deltacc_edit_int64(&w->commit_info, "timestamp", &theirs)) &&
		theirs < PG_INT64_MAX)
		ours = Max(ours, theirs + 1);
	set_member(action, "commitInfo", "inCommitTimestamp", psprintf(INT64_FORMAT, ours));
	move_ict_enablement(txn, w, ours);
}

void
deltacc_rebase_domains(Transaction *txn, Winner *w)
{
	if (!txn->replace_table || !deltacc_protocol_supports(txn->protocol, "domainMetadata"))
		return;
	(void) deltacc_own_actions(txn);
	replace_table_domains(txn, w);
}

void
deltacc_rebase_actions(Transaction *txn, Winner *w, int64 winner_watermark, bool row_tracking_enabled)
{
	bool		row_tracking = deltacc_protocol_supports(txn->protocol, "rowTracking");
	OwnAction  *commit_info;

	(void) deltacc_own_actions(txn);

	commit_info = find_own(txn, ACTION_COMMIT_INFO);
	if (row_tracking_enabled && commit_info != NULL)
		set_entry(commit_info, "commitInfo", "tags", "delta.rowTracking.preserved", "false");
	deltacc_rebase_domains(txn, w);

	/* A transaction that drops row tracking ends like an un-backfill. */
	if (txn->drops_row_tracking)
		unbackfill(txn, w);
	if (row_tracking)
	{
		if (txn->backfill)
			drop_own_adds(txn, w);
		if (w->backfill)
			copy_backfilled_ids(txn, w);
		if (txn->unbackfill)
			unbackfill(txn, w);
		if (!deltacc_row_tracking_suspended(txn->metadata))
			reassign_row_ids(txn, w, winner_watermark);
	}
	move_checkpoint_protection(txn, w);
	move_type_widening(txn, w);
	move_in_commit_timestamp(txn, w);
}
