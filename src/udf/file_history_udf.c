/*-------------------------------------------------------------------------
 *
 * file_history_udf.c
 *	  removed_files: which files the commits of a log remove, and when each of
 *	  them came to life.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/text.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "udf/table_history.h"

PG_FUNCTION_INFO_V1(deltacc_removed_files);

#define REMOVED_COLUMNS 7

static void
put_rows(const TableHistory *history, const HistoryCommit *commit, ReturnSetInfo *rsinfo)
{
	for (int i = 0; i < commit->nremoved; i++)
	{
		const RemovedFile *file = &commit->removed[i];
		bool		added = file->added_in >= 0;
		Datum		values[REMOVED_COLUMNS];
		bool		nulls[REMOVED_COLUMNS] = {false, false, false, file->readd_ordinal == 0, file->born < 0, !added, !added};

		CHECK_FOR_INTERRUPTS();
		values[0] = Int64GetDatum(commit->version);
		values[1] = PointerGetDatum(deltacc_utf8_to_text(commit->paths[i].data, commit->paths[i].len));
		values[2] = Int32GetDatum(file->remove_ordinal);
		values[3] = Int32GetDatum(file->readd_ordinal);
		values[4] = Int64GetDatum(file->born);
		values[5] = Int64GetDatum(added ? deltacc_history_added_in(history, file)->version : 0);
		values[6] = Int32GetDatum(file->added_ordinal);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
		pfree(DatumGetPointer(values[1]));
	}
}

/*
 * removed_files(table_name, from_version, to_version): each file that a commit
 * removes, with the version at which it came to life and the add that added it
 * last.
 */
Datum
deltacc_removed_files(PG_FUNCTION_ARGS)
{
	int64		to_version = PG_ARGISNULL(2) ? 0 : PG_GETARG_INT64(2);
	TableHistory *history;
	const HistoryCommit *commits;
	int			n;

	deltacc_refuse_null(fcinfo, 0, "table_name");
	InitMaterializedSRF(fcinfo, 0);
	history = deltacc_history_read(PG_GETARG_TEXT_PP(0), PG_ARGISNULL(1) ? PG_INT64_MIN : PG_GETARG_INT64(1),
								   PG_ARGISNULL(2) ? NULL : &to_version, true);
	commits = deltacc_history_commits(history, &n);
	for (int i = 0; i < n; i++)
		put_rows(history, &commits[i], (ReturnSetInfo *) fcinfo->resultinfo);
	deltacc_history_free(history);
	return (Datum) 0;
}
