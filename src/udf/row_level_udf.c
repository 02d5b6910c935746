/*-------------------------------------------------------------------------
 *
 * row_level_udf.c
 *	  explain_row_level: what deletion vectors say of two commits, file by file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "udf/conflict_args.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_explain_row_level);

#define REPORT_COLUMNS 7

static Datum
text_column(const char *text, bool *isnull)
{
	*isnull = text == NULL;
	return text ? PointerGetDatum(deltacc_utf8_to_text(text, strlen(text))) : (Datum) 0;
}

static Datum
count_column(int64 count, bool *isnull)
{
	*isnull = count < 0;
	return Int64GetDatum(count);
}

Datum
deltacc_explain_row_level(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	TransactionArgs args;
	DeltaActions *winner;
	int64		version;
	ListCell   *lc;
	List	   *reports;

	deltacc_check_arguments(fcinfo, &args, &winner, &version);
	InitMaterializedSRF(fcinfo, 0);
	reports = deltacc_transaction_explain_rows(deltacc_transaction_begin(&args), winner, version);
	foreach(lc, reports)
	{
		const RowLevelReport *report = lfirst(lc);
		Datum		values[REPORT_COLUMNS];
		bool		nulls[REPORT_COLUMNS];

		CHECK_FOR_INTERRUPTS();
		values[0] = text_column(report->path, &nulls[0]);
		values[1] = text_column(report->outcome, &nulls[1]);
		values[2] = text_column(report->basis, &nulls[2]);
		values[3] = count_column(report->rows_of_winner, &nulls[3]);
		values[4] = count_column(report->rows_of_transaction, &nulls[4]);
		values[5] = count_column(report->overlapping_rows, &nulls[5]);
		values[6] = text_column(report->reason, &nulls[6]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
