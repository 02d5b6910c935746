/*-------------------------------------------------------------------------
 *
 * predicate_udf.c
 *	  The SQL surface of deltacc.predicate: input, output, casts, equality.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "libpq/pqformat.h"
#include "utils/builtins.h"

#include "base/compat.h"
#include "base/text.h"
#include "predicate/predicate.h"

/* The first byte of the binary form. */
#define PREDICATE_BINARY_VERSION	1

PG_FUNCTION_INFO_V1(deltacc_predicate_in);
PG_FUNCTION_INFO_V1(deltacc_predicate_out);
PG_FUNCTION_INFO_V1(deltacc_predicate_recv);
PG_FUNCTION_INFO_V1(deltacc_predicate_send);
PG_FUNCTION_INFO_V1(deltacc_predicate_from_text);
PG_FUNCTION_INFO_V1(deltacc_predicate_to_text);
PG_FUNCTION_INFO_V1(deltacc_predicate_eq);
PG_FUNCTION_INFO_V1(deltacc_predicate_ne);
PG_FUNCTION_INFO_V1(deltacc_predicate_lt);
PG_FUNCTION_INFO_V1(deltacc_predicate_le);
PG_FUNCTION_INFO_V1(deltacc_predicate_gt);
PG_FUNCTION_INFO_V1(deltacc_predicate_ge);
PG_FUNCTION_INFO_V1(deltacc_predicate_cmp);
PG_FUNCTION_INFO_V1(deltacc_predicate_hash);
PG_FUNCTION_INFO_V1(deltacc_predicate_hash_extended);

/*
 * NULL after an error that was saved in escontext.
 */
static Predicate *
predicate_from_text(const char *text, int len, struct Node *escontext)
{
	PredicateNode *root = deltacc_predicate_parse_text(text, len, escontext);

	return root != NULL ? deltacc_predicate_flatten(root) : NULL;
}

/*
 * The normalised text in the database's encoding.
 */
static char *
predicate_text(const Predicate *predicate, int *len)
{
	StringInfoData out;

	initStringInfo(&out);
	deltacc_predicate_print(&out, deltacc_predicate_open(predicate));
	return deltacc_from_utf8(out.data, out.len, len);
}

Datum
deltacc_predicate_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	Predicate  *predicate = predicate_from_text(text, strlen(text), fcinfo->context);

	if (predicate == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(predicate);
}

Datum
deltacc_predicate_out(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = predicate_text(PG_GETARG_PREDICATE_P(0), &len);

	PG_RETURN_CSTRING(pnstrdup(text, len));
}

/*
 * A version, then the text: the stored form never comes from outside.
 */
Datum
deltacc_predicate_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			version = pq_getmsgbyte(buf);
	char	   *text;
	int			len;

	if (version != PREDICATE_BINARY_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("unsupported version %d of type predicate", version),
				 errhint("This version of deltacc reads version %d.", PREDICATE_BINARY_VERSION)));
	text = pq_getmsgtext(buf, buf->len - buf->cursor, &len);
	PG_RETURN_POINTER(predicate_from_text(text, len, NULL));
}

Datum
deltacc_predicate_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	int			len;
	char	   *text = predicate_text(PG_GETARG_PREDICATE_P(0), &len);

	pq_begintypsend(&buf);
	pq_sendbyte(&buf, PREDICATE_BINARY_VERSION);
	pq_sendtext(&buf, text, len);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
deltacc_predicate_from_text(PG_FUNCTION_ARGS)
{
	text	   *t = PG_GETARG_TEXT_PP(0);

	PG_RETURN_POINTER(predicate_from_text(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), NULL));
}

Datum
deltacc_predicate_to_text(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = predicate_text(PG_GETARG_PREDICATE_P(0), &len);

	PG_RETURN_TEXT_P(cstring_to_text_with_len(text, len));
}

/* By their bytes, the shorter first: an order that has no meaning, but to sort by. */
static int
compare_predicates(FunctionCallInfo fcinfo)
{
	Predicate  *a = PG_GETARG_PREDICATE_P(0);
	Predicate  *b = PG_GETARG_PREDICATE_P(1);
	Size		a_size;
	Size		b_size;
	const char *a_bytes = deltacc_predicate_identity(a, &a_size);
	const char *b_bytes = deltacc_predicate_identity(b, &b_size);
	int			result;

	if (a_size != b_size)
		result = a_size < b_size ? -1 : 1;
	else
		result = memcmp(a_bytes, b_bytes, a_size);
	PG_FREE_IF_COPY(a, 0);
	PG_FREE_IF_COPY(b, 1);
	return result;
}

Datum
deltacc_predicate_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) == 0);
}

Datum
deltacc_predicate_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) != 0);
}

Datum
deltacc_predicate_lt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) < 0);
}

Datum
deltacc_predicate_le(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) <= 0);
}

Datum
deltacc_predicate_gt(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) > 0);
}

Datum
deltacc_predicate_ge(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(compare_predicates(fcinfo) >= 0);
}

Datum
deltacc_predicate_cmp(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32(compare_predicates(fcinfo));
}

Datum
deltacc_predicate_hash(PG_FUNCTION_ARGS)
{
	Predicate  *predicate = PG_GETARG_PREDICATE_P(0);
	Size		size;
	const char *bytes = deltacc_predicate_identity(predicate, &size);
	Datum		hash = hash_any((const unsigned char *) bytes, size);

	PG_FREE_IF_COPY(predicate, 0);
	return hash;
}

Datum
deltacc_predicate_hash_extended(PG_FUNCTION_ARGS)
{
	Predicate  *predicate = PG_GETARG_PREDICATE_P(0);
	Size		size;
	const char *bytes = deltacc_predicate_identity(predicate, &size);
	Datum		hash = hash_any_extended((const unsigned char *) bytes, size, PG_GETARG_INT64(1));

	PG_FREE_IF_COPY(predicate, 0);
	return hash;
}
