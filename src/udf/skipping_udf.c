/*-------------------------------------------------------------------------
 *
 * skipping_udf.c
 *	  SQL access to data skipping: filter_files, skip_expression,
 *	  explain_predicate, evaluate.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "predicate/eval.h"
#include "skipping/read_plan.h"
#include "utils/builtins.h"

PG_FUNCTION_INFO_V1(deltacc_filter_files);
PG_FUNCTION_INFO_V1(deltacc_skip_expression);
PG_FUNCTION_INFO_V1(deltacc_explain_predicate);
PG_FUNCTION_INFO_V1(deltacc_evaluate);

static void refuse_null(FunctionCallInfo fcinfo, int n, const char *name);
static const ReadPlan *plan_from_args(FunctionCallInfo fcinfo);
static Datum utf8_datum(const char *text, bool *isnull);

/* deltacc.filter_files(snapshot actions, predicate predicate, files actions) */
Datum
deltacc_filter_files(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const ReadPlan *plan;
	DeltaActions *files;
	const FileAction *actions;
	const ActionsColumn *paths;
	const char *error_class = NULL;
	int			error_row = 0;
	bool	   *keep;
	FileVerdict *verdicts;
	int			n;

	plan = plan_from_args(fcinfo);
	refuse_null(fcinfo, 2, "files");
	files = deltacc_actions_open(PG_GETARG_DATUM(2));
	actions = deltacc_actions_files(files, &n);
	paths = deltacc_actions_column(files, COLUMN_PATH, "");

	keep = palloc(Max(n, 1));
	deltacc_plan_partition_filter(plan, files, keep, &error_class, &error_row);
	if (error_class && actions[error_row].kind == ACTION_ADD)
		deltacc_plan_raise(plan, files, error_class, error_row);

	verdicts = deltacc_plan_explain_files(plan, files);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[4];
		bool		nulls[4] = {false};
		DeltaString path;

		CHECK_FOR_INTERRUPTS();
		if (actions[i].kind != ACTION_ADD)
			continue;
		path = deltacc_column_text(paths, i);
		values[0] = PointerGetDatum(deltacc_utf8_to_text(path.data, path.len));
		values[1] = BoolGetDatum(verdicts[i].kept);
		values[2] = utf8_datum(verdicts[i].decided_by, &nulls[2]);
		values[3] = utf8_datum(verdicts[i].reason, &nulls[3]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* deltacc.skip_expression(snapshot actions, predicate predicate) */
Datum
deltacc_skip_expression(PG_FUNCTION_ARGS)
{
	char	   *text = deltacc_plan_skip_text(plan_from_args(fcinfo));

	if (text == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(deltacc_utf8_to_text(text, strlen(text)));
}

/* deltacc.explain_predicate(snapshot actions, predicate predicate) */
Datum
deltacc_explain_predicate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			n;
	ConjunctReport *reports = deltacc_plan_report(plan_from_args(fcinfo), &n);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[6];
		bool		nulls[6] = {false};

		CHECK_FOR_INTERRUPTS();
		values[0] = utf8_datum(reports[i].conjunct, &nulls[0]);
		values[1] = utf8_datum(reports[i].kind, &nulls[1]);
		values[2] = BoolGetDatum(reports[i].usable);
		values[3] = utf8_datum(reports[i].skip_expression, &nulls[3]);
		values[4] = utf8_datum(reports[i].reason, &nulls[4]);
		values[5] = utf8_datum(reports[i].advice, &nulls[5]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* deltacc.evaluate(snapshot actions, predicate predicate, files actions) */
Datum
deltacc_evaluate(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	const ReadPlan *plan = plan_from_args(fcinfo);
	DeltaActions *files;
	const FileAction *actions;
	const ActionsColumn *paths;
	uint8	   *outcomes;
	int			n;

	refuse_null(fcinfo, 2, "files");
	files = deltacc_actions_open(PG_GETARG_DATUM(2));
	actions = deltacc_actions_files(files, &n);
	paths = deltacc_actions_column(files, COLUMN_PATH, "");
	outcomes = palloc(Max(n, 1));
	deltacc_plan_evaluate(plan, files, outcomes);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[5];
		bool		nulls[5] = {false};
		DeltaString path;

		CHECK_FOR_INTERRUPTS();
		if (actions[i].kind != ACTION_ADD)
			continue;
		path = deltacc_column_text(paths, i);
		values[0] = PointerGetDatum(deltacc_utf8_to_text(path.data, path.len));
		values[1] = BoolGetDatum((outcomes[i] & MAY_TRUE) != 0);
		values[2] = BoolGetDatum((outcomes[i] & MAY_FALSE) != 0);
		values[3] = BoolGetDatum((outcomes[i] & MAY_NULL) != 0);
		values[4] = BoolGetDatum((outcomes[i] & MAY_ERROR) != 0);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* The plan of arguments 0 and 1, which all of these functions share. */
static const ReadPlan *
plan_from_args(FunctionCallInfo fcinfo)
{
	DeltaccOptions options = deltacc_current_options();
	DeltaSnapshot *snapshot;

	refuse_null(fcinfo, 0, "snapshot");
	refuse_null(fcinfo, 1, "predicate");
	snapshot = deltacc_snapshot_open(deltacc_actions_open(PG_GETARG_DATUM(0)));
	return deltacc_read_plan(snapshot, PG_GETARG_PREDICATE_P(1), &options, NULL);
}

/* NULL is no answer to "which files", and no answer must not look like one. */
static void
refuse_null(FunctionCallInfo fcinfo, int n, const char *name)
{
	if (PG_ARGISNULL(n))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				 errmsg("argument \"%s\" must not be null", name)));
}

static Datum
utf8_datum(const char *text, bool *isnull)
{
	*isnull = text == NULL;
	return text ? PointerGetDatum(deltacc_utf8_to_text(text, strlen(text))) : (Datum) 0;
}
