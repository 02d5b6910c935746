/*-------------------------------------------------------------------------
 *
 * check.c
 *	  A transaction compared with one winner after the other.
 *
 * The order of the checks is that of Delta's ConflictChecker: the first
 * conflict is the one that Delta raises.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/row_level.h"
#include "conflict/transaction.h"
#include "miscadmin.h"

List *
deltacc_transaction_check(Transaction *txn, DeltaActions *winner, int64 version)
{
	MemoryContext old = MemoryContextSwitchTo(txn->context);
	Winner	   *w;

	CHECK_FOR_INTERRUPTS();
	w = deltacc_winner_open(txn, winner, version);

	deltacc_check_tags(txn, w);
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

	deltacc_check_taken_over(txn, w);

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
	const char *failure;

	(void) deltacc_row_id_watermark(winner, &watermark, &failure);

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
