/*-------------------------------------------------------------------------
 *
 * deletion_vector_udf.c
 *	  SQL access to deletion vectors: where one lies, and the rows that its
 *	  bytes hold.
 *
 * Reading files is SQL (deltacc.dv_bytes), with the caller's rights; what is
 * here takes a descriptor and bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "base/compat.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "delta/deletion_vector.h"
#include "funcapi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"

/* So much of a vector's id stands in a message. */
#define MAX_SHOWN 60

PG_FUNCTION_INFO_V1(deltacc_dv_place);
PG_FUNCTION_INFO_V1(deltacc_dv_of);
PG_FUNCTION_INFO_V1(deltacc_dv_rows_from);
PG_FUNCTION_INFO_V1(deltacc_dv_cardinality_from);
PG_FUNCTION_INFO_V1(deltacc_dv_union_from);
PG_FUNCTION_INFO_V1(deltacc_dv_minus_from);
PG_FUNCTION_INFO_V1(deltacc_dv_overlap_from);

static void refuse_vector(const DeletionVector *dv, const char *why);
static char *shown_id(const DeletionVector *dv);
static bool vector_argument(FunctionCallInfo fcinfo, int n, DeletionVector *dv);
static RowSet *rows_argument(FunctionCallInfo fcinfo, int n);
static Datum inline_vector(const RowSet *rows);

/* Raises an ERROR for a vector that is none. */
static void
refuse_vector(const DeletionVector *dv, const char *why)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 dv == NULL ? errmsg("a deletion vector can't be read: %s", why) :
			 errmsg("deletion vector %s can't be read: %s", shown_id(dv), why),
			 errhint("Pass the descriptor as the log has it, and with it the bytes of its file.")));
}

/* Its id for a message: that of an inline one is as long as its data. */
static char *
shown_id(const DeletionVector *dv)
{
	int			len = pg_encoding_mbcliplen(PG_UTF8, dv->id, strlen(dv->id), MAX_SHOWN);

	return text_to_cstring(deltacc_utf8_to_text(dv->id, len));
}

/* The descriptor in argument n; false for NULL, the vector without rows. */
static bool
vector_argument(FunctionCallInfo fcinfo, int n, DeletionVector *dv)
{
	Jsonb	   *jsonb;
	char	   *text;
	int			len;
	JsonScanner scanner;
	JsonSlice	object;
	const char *why = "it is no JSON";

	if (PG_ARGISNULL(n))
		return false;
	jsonb = PG_GETARG_JSONB_P(n);
	text = JsonbToCString(NULL, &jsonb->root, VARSIZE(jsonb));
	text = deltacc_to_utf8(text, strlen(text), &len);
	deltacc_json_init(&scanner, text, len, false);
	if (!deltacc_json_value(&scanner, &object))
		refuse_vector(NULL, why);
	if (object.kind == JSON_NULL)
		return false;
	if (!deltacc_deletion_vector_read(&object, dv, &why))
		refuse_vector(NULL, why);
	return true;
}

/* The rows of the vector in argument n, its bytes in argument n + 1. */
static RowSet *
rows_argument(FunctionCallInfo fcinfo, int n)
{
	DeletionVector dv;
	const uint8 *frame = NULL;
	Size		len = 0;
	RowSet	   *rows;
	const char *why = NULL;

	if (!vector_argument(fcinfo, n, &dv))
		return deltacc_row_set_empty();
	if (deltacc_deletion_vector_in_file(&dv))
	{
		bytea	   *bytes;

		if (PG_ARGISNULL(n + 1))
			refuse_vector(&dv, "its bytes are not there");
		bytes = PG_GETARG_BYTEA_PP(n + 1);
		frame = (const uint8 *) VARDATA_ANY(bytes);
		len = VARSIZE_ANY_EXHDR(bytes);
	}
	rows = deltacc_deletion_vector_rows(&dv, frame, len, &why);
	if (rows == NULL)
		refuse_vector(&dv, why);
	return rows;
}

static Datum
inline_vector(const RowSet *rows)
{
	char	   *json = deltacc_deletion_vector_inline(rows);

	return JsonbPGetDatum(deltacc_json_to_jsonb(json, strlen(json)));
}

/*
 * dv_place(dv, table_location, OUT id, OUT path, OUT position, OUT size, OUT
 * problem): where the bytes are.  path is NULL for a vector that needs none,
 * and for one that is in no local file; then problem says why.
 */
Datum
deltacc_dv_place(PG_FUNCTION_ARGS)
{
	TupleDesc	tupdesc;
	DeletionVector dv;
	Datum		values[5] = {0};
	bool		nulls[5] = {true, true, true, true, true};

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	if (vector_argument(fcinfo, 0, &dv))
	{
		values[0] = PointerGetDatum(deltacc_utf8_to_text(dv.id, strlen(dv.id)));
		nulls[0] = false;
		if (deltacc_deletion_vector_in_file(&dv))
		{
			char	   *location = NULL;
			char	   *path;
			const char *why = NULL;

			if (!PG_ARGISNULL(1))
				location = deltacc_text_to_utf8(PG_GETARG_DATUM(1), CurrentMemoryContext);
			path = deltacc_deletion_vector_path(&dv, location, &why);
			if (path != NULL)
				values[1] = PointerGetDatum(deltacc_utf8_to_text(path, strlen(path)));
			nulls[1] = path == NULL;
			values[2] = Int64GetDatum(dv.offset);
			values[3] = Int64GetDatum(dv.size + DELETION_VECTOR_FRAME);
			nulls[2] = nulls[3] = false;
			if (path == NULL)
				values[4] = CStringGetTextDatum(why);
			nulls[4] = path != NULL;
		}
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, nulls)));
}

static int
compare_rows(const void *a, const void *b)
{
	int64		x = *(const int64 *) a;
	int64		y = *(const int64 *) b;

	return x < y ? -1 : x > y;
}

/* dv_of(rows bigint[]): the vector of these rows. */
Datum
deltacc_dv_of(PG_FUNCTION_ARGS)
{
	ArrayType  *array = PG_GETARG_ARRAYTYPE_P(0);
	Datum	   *values;
	bool	   *nulls;
	int64	   *rows;
	int			n;

	deconstruct_array(array, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE, &values, &nulls, &n);
	rows = palloc(sizeof(int64) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		if (nulls[i])
			ereport(ERROR,
					(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
					 errmsg("rows[%d] must not be NULL", i + 1)));
		rows[i] = DatumGetInt64(values[i]);
		if (rows[i] < 0 || rows[i] > MAX_ROW)
			ereport(ERROR,
					(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE),
					 errmsg("row " INT64_FORMAT " is out of range", rows[i]),
					 errhint("The rows of a file are counted from 0.")));
	}
	qsort(rows, n, sizeof(int64), compare_rows);
	return inline_vector(deltacc_row_set_of(rows, n));
}

Datum
deltacc_dv_rows_from(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	RowSet	   *rows;
	uint16	   *values = palloc(sizeof(uint16) * ROW_CONTAINER_VALUES);

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	rows = rows_argument(fcinfo, 0);
	for (int i = 0; i < rows->n; i++)
	{
		const RowContainer *c = &rows->containers[i];

		deltacc_row_container_values(c, values);
		for (int k = 0; k < c->cardinality; k++)
		{
			Datum		row = Int64GetDatum(c->key << 16 | values[k]);
			bool		null = false;

			CHECK_FOR_INTERRUPTS();
			tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, &row, &null);
		}
	}
	return (Datum) 0;
}

Datum
deltacc_dv_cardinality_from(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(rows_argument(fcinfo, 0)->cardinality);
}

Datum
deltacc_dv_union_from(PG_FUNCTION_ARGS)
{
	return inline_vector(deltacc_row_set_union(rows_argument(fcinfo, 0), rows_argument(fcinfo, 2)));
}

Datum
deltacc_dv_minus_from(PG_FUNCTION_ARGS)
{
	return inline_vector(deltacc_row_set_minus(rows_argument(fcinfo, 0), rows_argument(fcinfo, 2)));
}

Datum
deltacc_dv_overlap_from(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(deltacc_row_set_intersection(rows_argument(fcinfo, 0), rows_argument(fcinfo, 2))->cardinality);
}
