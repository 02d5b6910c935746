/*-------------------------------------------------------------------------
 *
 * check_domains.c
 *	  Checks 3 and 4: domain metadata that both write, and application ids that
 *	  the transaction read.
 *
 * ConflictChecker.checkIfDomainMetadataConflict and
 * checkForUpdatedApplicationTransactionIdsThatCurrentTxnDependsOn.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/transaction.h"

/* The domain of an action line; NULL if it names none. */
static char *
domain_name(const char *line, int len)
{
	JsonSlice	object;

	if (!deltacc_edit_action(line, len, "domainMetadata", &object))
		return NULL;
	return deltacc_edit_string(&object, "domain");
}

static bool
contains(List *names, const char *name)
{
	ListCell   *lc;

	foreach(lc, names)
	{
		if (strcmp(lfirst(lc), name) == 0)
			return true;
	}
	return false;
}

/* The domains that some actions write, in order. */
static List *
domains_of(DeltaActions *a)
{
	List	   *result = NIL;
	const OtherAction *others;
	int			n;

	if (!(deltacc_actions_flags(a) & ACTIONS_HAS_DOMAIN))
		return NIL;
	others = deltacc_actions_others(a, &n);
	for (int i = 0; i < n; i++)
	{
		char	   *name;

		if (others[i].kind == ACTION_DOMAIN_METADATA &&
			(name = domain_name(deltacc_other_line(a, &others[i]), others[i].line_length)) != NULL)
			result = lappend(result, name);
	}
	return result;
}

/* Our own, as a rebase may have changed them. */
static List *
own_domains(Transaction *txn)
{
	List	   *result = NIL;
	ListCell   *lc;

	if (!txn->own_loaded)
		return txn->args.writes ? domains_of(txn->args.writes) : NIL;
	foreach(lc, txn->own)
	{
		OwnAction  *action = lfirst(lc);
		char	   *name;

		if (action->kind == ACTION_DOMAIN_METADATA &&
			(name = domain_name(action->text, action->len)) != NULL)
			result = lappend(result, name);
	}
	return result;
}

/* What some actions leave of the domains that the table had before them. */
static List *
apply_domains(List *names, DeltaActions *a)
{
	const OtherAction *others;
	int			n;

	if (!(deltacc_actions_flags(a) & ACTIONS_HAS_DOMAIN))
		return names;
	others = deltacc_actions_others(a, &n);
	for (int i = 0; i < n; i++)
	{
		JsonSlice	object;
		JsonSlice	removed;
		char	   *name;
		ListCell   *lc;

		if (others[i].kind != ACTION_DOMAIN_METADATA ||
			!deltacc_edit_action(deltacc_other_line(a, &others[i]), others[i].line_length, "domainMetadata", &object) ||
			(name = deltacc_edit_string(&object, "domain")) == NULL)
			continue;
		foreach(lc, names)
		{
			if (strcmp(lfirst(lc), name) == 0)
				names = foreach_delete_current(names, lc);
		}
		if (!deltacc_json_member(&object, "removed", &removed) || removed.kind != JSON_TRUE)
			names = lappend(names, name);
	}
	return names;
}

List *
deltacc_live_domains(Transaction *txn, Winner *w)
{
	if (!txn->live_domains_made && txn->args.snapshot->exists)
		txn->live_domains = apply_domains(NIL, txn->args.snapshot->actions);
	txn->live_domains_made = true;
	txn->live_domains = apply_domains(txn->live_domains, w->actions);
	return txn->live_domains;
}

void
deltacc_check_domains(Transaction *txn, Winner *w)
{
	List	   *theirs;
	List	   *seen = NIL;
	ListCell   *lc;

	if (!(w->flags & ACTIONS_HAS_DOMAIN))
		return;
	theirs = domains_of(w->actions);

	if (deltacc_protocol_supports(w->effective_protocol, "domainMetadata"))
	{
		foreach(lc, theirs)
		{
			if (contains(seen, lfirst(lc)))
			{
				ereport(deltacc_verdict_known(txn, w) ? WARNING : ERROR,
						(errcode(ERRCODE_SYNTAX_ERROR),
						 errmsg("DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR: the winning commit writes the metadata domain \"%s\" twice",
								(char *) lfirst(lc)),
						 errhint("The commit is not valid: a domain may occur once in it. Look at the writer that made it.")));
			}
			seen = lappend(seen, lfirst(lc));
		}
	}

	/* The row-tracking domain resolves itself in the rebase. */
	seen = NIL;
	foreach(lc, own_domains(txn))
	{
		char	   *name = lfirst(lc);

		if (strcmp(name, ROW_TRACKING_DOMAIN) == 0 || contains(seen, name) || !contains(theirs, name))
			continue;
		seen = lappend(seen, name);
		deltacc_describe_domain(txn, w,
								deltacc_add_conflict(txn, w, "domain_metadata", "ConcurrentTransactionException",
													 "DELTA_CONCURRENT_TRANSACTION", NULL), name);
		if (deltacc_check_done(txn, w))
			return;
	}
}

void
deltacc_check_application_ids(Transaction *txn, Winner *w)
{
	const OtherAction *others;
	List	   *seen = NIL;
	int			n;

	if (!(w->flags & ACTIONS_HAS_TXN) || txn->args.nread_app_ids == 0)
		return;
	others = deltacc_actions_others(w->actions, &n);
	for (int i = 0; i < n; i++)
	{
		JsonSlice	object;
		char	   *app_id;
		int64		version = 0;
		bool		has_version;

		if (others[i].kind != ACTION_TXN ||
			!deltacc_edit_action(deltacc_other_line(w->actions, &others[i]), others[i].line_length,
								 "txn", &object) ||
			(app_id = deltacc_edit_string(&object, "appId")) == NULL || contains(seen, app_id))
			continue;
		for (int j = 0; j < txn->args.nread_app_ids; j++)
		{
			if (strcmp(txn->args.read_app_ids[j], app_id) != 0)
				continue;
			seen = lappend(seen, app_id);
			has_version = deltacc_edit_int64(&object, "version", &version);
			deltacc_describe_application_id(txn, w,
											deltacc_add_conflict(txn, w, "application_id",
																 "ConcurrentTransactionException",
																 "DELTA_CONCURRENT_TRANSACTION", NULL),
											app_id, has_version, version);
			if (deltacc_check_done(txn, w))
				return;
			break;
		}
	}
}
