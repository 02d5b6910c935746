/*-------------------------------------------------------------------------
 *
 * vector_source.c
 *	  Where a check gets the bytes of deletion vectors from: SQL, with the
 *	  caller's rights.
 *
 * A vector that can't be had is no ERROR here: the check then answers at the
 * level of files, and says so.  So nothing is asked for that the caller may not
 * read.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/text.h"
#include "catalog/pg_type.h"
#include "delta/path.h"
#include "executor/spi.h"
#include "udf/vector_source.h"
#include "utils/builtins.h"

typedef struct VectorSource
{
	int64		table_id;		/* -1: not looked for yet, or none */
	bool		looked_for;
	bool		catalog;		/* the caller may read the catalog */
	bool		files;			/* ... and the server's files */
	const char *name;			/* of the table, UTF-8; NULL */
	const char *location;		/* NULL: unknown */
	MemoryContext context;		/* where it lives */
} VectorSource;

static Datum
text_datum(const char *utf8)
{
	return PointerGetDatum(deltacc_utf8_to_text(utf8, strlen(utf8)));
}

static Datum
first_cell(int column, bool *isnull)
{
	return SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, isnull);
}

/* What the caller may read, and which table it is. */
static void
look_for_table(VectorSource *source)
{
	Oid			types[2] = {TEXTOID, TEXTOID};
	Datum		values[2];
	char		nulls[2];
	bool		isnull;

	source->looked_for = true;
	if (SPI_execute("SELECT pg_catalog.has_table_privilege('deltacc.deletion_vectors', 'SELECT') "
					"AND pg_catalog.has_table_privilege('deltacc.tables', 'SELECT'), "
					"pg_catalog.has_function_privilege('pg_catalog.pg_read_binary_file(text,bigint,bigint,boolean)', 'EXECUTE') "
					"AND pg_catalog.pg_has_role('pg_read_server_files', 'USAGE')", true, 1) != SPI_OK_SELECT)
		elog(ERROR, "query on privileges failed");
	source->catalog = DatumGetBool(first_cell(1, &isnull));
	source->files = DatumGetBool(first_cell(2, &isnull));
	if (!source->catalog || source->table_id >= 0)
		return;

	nulls[0] = source->name ? ' ' : 'n';
	nulls[1] = source->location ? ' ' : 'n';
	values[0] = source->name ? text_datum(source->name) : (Datum) 0;
	values[1] = source->location ? text_datum(source->location) : (Datum) 0;
	if (SPI_execute_with_args("SELECT table_id, location FROM deltacc.tables "
							  "WHERE name OPERATOR(pg_catalog.=) $1 "
							  "OR deltacc.canonical_path(location) OPERATOR(pg_catalog.=) deltacc.canonical_path($2) "
							  "ORDER BY name OPERATOR(pg_catalog.=) $1 DESC, table_id LIMIT 1",
							  2, types, values, nulls, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.tables failed");
	if (SPI_processed == 0)
		return;
	source->table_id = DatumGetInt64(first_cell(1, &isnull));
	if (source->location == NULL)
	{
		Datum		location = first_cell(2, &isnull);

		if (!isnull)
			source->location = deltacc_text_to_utf8(location, source->context);
	}
}

/* A bytea of the first row, copied into context; NULL for none. */
static const uint8 *
copy_bytes(MemoryContext context, int column, Size *len)
{
	bytea	   *bytes;
	uint8	   *result;
	bool		isnull;
	Datum		value;

	if (SPI_processed == 0)
		return NULL;
	value = first_cell(column, &isnull);
	if (isnull)
		return NULL;
	bytes = DatumGetByteaPP(value);
	*len = VARSIZE_ANY_EXHDR(bytes);
	result = MemoryContextAlloc(context, Max(*len, 1));
	memcpy(result, VARDATA_ANY(bytes), *len);
	return result;
}

static const uint8 *
from_catalog(VectorSource *source, const DeletionVector *dv, MemoryContext context, Size *len)
{
	Oid			types[2] = {INT8OID, TEXTOID};
	Datum		values[2] = {Int64GetDatum(source->table_id), text_datum(dv->id)};

	if (!source->catalog || source->table_id < 0)
		return NULL;
	if (SPI_execute_with_args("SELECT bytes FROM deltacc.deletion_vectors "
							  "WHERE table_id OPERATOR(pg_catalog.=) $1 AND id OPERATOR(pg_catalog.=) $2",
							  2, types, values, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "query on deltacc.deletion_vectors failed");
	return copy_bytes(context, 1, len);
}

static const uint8 *
from_file(VectorSource *source, const DeletionVector *dv, MemoryContext context, Size *len, const char **why)
{
	Oid			types[3] = {TEXTOID, INT8OID, INT8OID};
	Datum		values[3];
	const uint8 *version;
	const uint8 *frame;
	Size		one;
	char	   *path = deltacc_deletion_vector_path(dv, source->location, why);

	if (path == NULL)
		return NULL;
	if (!source->files)
	{
		*why = "it is not in deltacc.deletion_vectors, and the role may not read the server's files";
		return NULL;
	}
	values[0] = text_datum(path);
	values[1] = Int64GetDatum(dv->offset);
	values[2] = Int64GetDatum(dv->size + DELETION_VECTOR_FRAME);
	if (SPI_execute_with_args("SELECT pg_catalog.pg_read_binary_file($1, 0, 1, true), "
							  "pg_catalog.pg_read_binary_file($1, $2, $3, true)",
							  3, types, values, NULL, true, 1) != SPI_OK_SELECT)
		elog(ERROR, "reading a deletion vector failed");
	version = copy_bytes(context, 1, &one);
	frame = copy_bytes(context, 2, len);
	if (version == NULL || frame == NULL)
	{
		*why = "it is not in deltacc.deletion_vectors, and its file is not there";
		return NULL;
	}
	if (one != 1 || version[0] != DELETION_VECTOR_FILE_VERSION)
	{
		*why = "its file does not begin with the format version 1";
		return NULL;
	}
	return frame;
}

static const uint8 *
fetch(void *arg, const DeletionVector *dv, bool open_files, Size *len, const char **why)
{
	VectorSource *source = arg;
	MemoryContext context = CurrentMemoryContext;
	const uint8 *frame;

	if (SPI_connect() != SPI_OK_CONNECT)
		elog(ERROR, "SPI_connect failed");
	if (!source->looked_for)
		look_for_table(source);
	frame = from_catalog(source, dv, context, len);
	if (frame == NULL && open_files)
		frame = from_file(source, dv, context, len, why);
	else if (frame == NULL)
		*why = "it is not in deltacc.deletion_vectors";
	SPI_finish();
	MemoryContextSwitchTo(context);
	return frame;
}

void
deltacc_vector_source(TransactionArgs *args, int64 table_id)
{
	VectorSource *source = palloc0(sizeof(VectorSource));

	source->context = CurrentMemoryContext;
	source->table_id = table_id;
	source->name = args->table_name;
	source->location = args->table_location;
	if (source->location == NULL)
		source->location = deltacc_path_of_table_name(args->table_name);
	args->fetch_vector = fetch;
	args->fetch_arg = source;
}
