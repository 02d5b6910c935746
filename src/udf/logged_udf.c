/*-------------------------------------------------------------------------
 *
 * logged_udf.c
 *	  SQL access to what commits and statements read: logged_predicates,
 *	  app_ids, statement_reads, fit_reads.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "conflict/logged_reads.h"
#include "funcapi.h"
#include "predicate/statement.h"
#include "udf/conflict_args.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

PG_FUNCTION_INFO_V1(deltacc_logged_predicates);
PG_FUNCTION_INFO_V1(deltacc_statement_reads_udf);
PG_FUNCTION_INFO_V1(deltacc_fit_reads);
PG_FUNCTION_INFO_V1(deltacc_app_ids);

static Datum text_or_null(const char *utf8, bool *isnull);

/* deltacc.logged_predicates(snapshot actions, actions actions) */
Datum
deltacc_logged_predicates(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DeltaccOptions options = deltacc_current_options();
	DeltaSnapshot *snapshot;
	List	   *reads;
	ListCell   *lc;

	deltacc_refuse_null(fcinfo, 0, "snapshot");
	deltacc_refuse_null(fcinfo, 1, "actions");
	snapshot = deltacc_snapshot_open(deltacc_actions_open(PG_GETARG_DATUM(0)));
	reads = deltacc_logged_reads(snapshot, deltacc_actions_open(PG_GETARG_DATUM(1)), &options);

	InitMaterializedSRF(fcinfo, 0);
	foreach(lc, reads)
	{
		const LoggedRead *read = lfirst(lc);
		Datum		values[3];
		bool		nulls[3] = {false};

		values[0] = PointerGetDatum(read->predicate);
		values[1] = BoolGetDatum(read->exact);
		values[2] = text_or_null(read->note, &nulls[2]);
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}

/* deltacc.app_ids(actions actions) */
Datum
deltacc_app_ids(PG_FUNCTION_ARGS)
{
	int			n;
	char	  **ids = deltacc_logged_app_ids(deltacc_actions_open(PG_GETARG_DATUM(0)), &n);
	Datum	   *elements = palloc(sizeof(Datum) * Max(n, 1));

	for (int i = 0; i < n; i++)
		elements[i] = PointerGetDatum(deltacc_utf8_to_text(ids[i], strlen(ids[i])));
	PG_RETURN_ARRAYTYPE_P(n == 0 ? construct_empty_array(TEXTOID) :
						  construct_array(elements, n, TEXTOID, -1, false, TYPALIGN_INT));
}

/* deltacc.statement_reads(statement text) */
Datum
deltacc_statement_reads_udf(PG_FUNCTION_ARGS)
{
	int			len;
	text	   *statement = PG_GETARG_TEXT_PP(0);
	char	   *utf8 = deltacc_to_utf8(VARDATA_ANY(statement), VARSIZE_ANY_EXHDR(statement), &len);
	StatementReads reads = deltacc_statement_reads(utf8, len);
	Datum		elements[1] = {PointerGetDatum(reads.condition)};
	TupleDesc	tupdesc;
	Oid			type;
	Datum		values[4];
	bool		nulls[4] = {false};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	type = get_element_type(TupleDescAttr(tupdesc, 2)->atttypid);
	values[0] = text_or_null(reads.operation, &nulls[0]);
	values[1] = text_or_null(reads.target, &nulls[1]);
	values[2] = PointerGetDatum(reads.nothing ? construct_empty_array(type) :
								construct_array(elements, 1, type, -1, false, TYPALIGN_INT));
	values[3] = text_or_null(reads.note, &nulls[3]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

/* deltacc.fit_reads(snapshot actions, reads predicate[]) */
Datum
deltacc_fit_reads(PG_FUNCTION_ARGS)
{
	DeltaccOptions options = deltacc_current_options();
	DeltaSnapshot *snapshot;
	ArrayType  *reads;
	Datum	   *elements;
	bool	   *element_nulls;
	int			n;
	const char *note = NULL;
	TupleDesc	tupdesc;
	Datum		values[2];
	bool		nulls[2] = {false};

	deltacc_refuse_null(fcinfo, 0, "snapshot");
	deltacc_refuse_null(fcinfo, 1, "reads");
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	snapshot = deltacc_snapshot_open(deltacc_actions_open(PG_GETARG_DATUM(0)));
	reads = PG_GETARG_ARRAYTYPE_P(1);
	deconstruct_array(reads, ARR_ELEMTYPE(reads), -1, false, TYPALIGN_INT, &elements, &element_nulls, &n);
	for (int i = 0; i < n; i++)
	{
		const char *one = NULL;

		if (!element_nulls[i])
			elements[i] = PointerGetDatum(deltacc_fitting_read(snapshot, DatumGetPredicateP(elements[i]), &options, &one));
		note = note ? note : one;
	}
	values[0] = n == 0 ? PG_GETARG_DATUM(1) :
		PointerGetDatum(construct_md_array(elements, element_nulls, 1, &n, (int[]) {1},
										   ARR_ELEMTYPE(reads), -1, false, TYPALIGN_INT));
	values[1] = text_or_null(note, &nulls[1]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

static Datum
text_or_null(const char *utf8, bool *isnull)
{
	*isnull = utf8 == NULL;
	return utf8 ? PointerGetDatum(deltacc_utf8_to_text(utf8, strlen(utf8))) : (Datum) 0;
}
