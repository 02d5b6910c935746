/*-------------------------------------------------------------------------
 *
 * text.c
 *	  Between the database's encoding and UTF-8, and from JSON text to jsonb.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/text.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

/*
 * A number with more characters, or a greater exponent, is left as text: below
 * both numeric can hold any.
 */
#define MAX_NUMERIC_CHARS		8000
#define MAX_NUMERIC_EXPONENT	8000

char *
deltacc_to_utf8(const char *text, int len, int *utf8_len)
{
	char	   *utf8 = pg_server_to_any(text, len, PG_UTF8);

	*utf8_len = utf8 == text ? len : strlen(utf8);
	return utf8;
}

char *
deltacc_from_utf8(const char *text, int len, int *out_len)
{
	char	   *out;

	/* Nothing to convert, and perhaps nothing terminated. */
	if (len == 0)
	{
		*out_len = 0;
		return (char *) text;
	}
	out = pg_any_to_server(text, len, PG_UTF8);
	*out_len = out == text ? len : strlen(out);
	return out;
}

/* What stands for a character that PostgreSQL's text can't hold. */
static const char *
replacement(void)
{
	return GetDatabaseEncoding() == PG_UTF8 ? "\xEF\xBF\xBD" : "?";
}

char *
deltacc_text_to_utf8(Datum value, MemoryContext context)
{
	text	   *t = DatumGetTextPP(value);
	int			len;
	const char *utf8 = deltacc_to_utf8(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), &len);
	char	   *result = MemoryContextAlloc(context, len + 1);

	memcpy(result, utf8, len);
	result[len] = '\0';
	return result;
}

char *
deltacc_utf8_to_cstring(const char *text, int len)
{
	const char *end = text + len;
	const char *nul;
	StringInfoData buf;

	if (memchr(text, '\0', len) == NULL)
		return pnstrdup(text, len);
	initStringInfo(&buf);
	while ((nul = memchr(text, '\0', end - text)) != NULL)
	{
		appendBinaryStringInfo(&buf, text, nul - text);
		appendStringInfoString(&buf, replacement());
		text = nul + 1;
	}
	appendBinaryStringInfo(&buf, text, end - text);
	return buf.data;
}

/* Database encoding, NUL bytes replaced. */
static char *
without_nul(const char *text, int len, int *out_len)
{
	if (memchr(text, '\0', len) != NULL)
	{
		text = deltacc_utf8_to_cstring(text, len);
		len = strlen(text);
	}
	return deltacc_from_utf8(text, len, out_len);
}

text *
deltacc_utf8_to_text(const char *text, int len)
{
	int			out_len;
	char	   *out = without_nul(text, len, &out_len);
	struct varlena *result = palloc(out_len + VARHDRSZ);

	SET_VARSIZE(result, out_len + VARHDRSZ);
	memcpy(VARDATA(result), out, out_len);
	return result;
}

/* The exponent of a JSON number, or more than MAX_NUMERIC_EXPONENT. */
static int
exponent_size(const char *p, const char *end)
{
	int			n = 0;

	while (p < end && *p != 'e' && *p != 'E')
		p++;
	for (; p < end && n <= MAX_NUMERIC_EXPONENT; p++)
	{
		if (*p >= '0' && *p <= '9')
			n = n * 10 + (*p - '0');
	}
	return n;
}

bool
deltacc_json_numeric(const JsonSlice *number, Numeric *result)
{
	const char *end = number->start + number->len;
	char	   *digits;

	if (number->kind != JSON_NUMBER ||
		end[-1] < '0' || end[-1] > '9' ||	/* NaN, Infinity */
		number->len > MAX_NUMERIC_CHARS ||
		exponent_size(number->start, end) > MAX_NUMERIC_EXPONENT)
		return false;
	digits = pnstrdup(number->start, number->len);
	*result = DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(digits),
												  ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	pfree(digits);
	return true;
}

static void
set_jsonb_string(JsonbValue *v, const char *text, int len)
{
	v->type = jbvString;
	v->val.string.val = without_nul(text, len, &v->val.string.len);
}

static void
set_jsonb_unescaped(JsonbValue *v, const JsonSlice *string)
{
	char	   *buffer = palloc(string->len);

	set_jsonb_string(v, buffer, deltacc_json_unescape_into(buffer, string, replacement()));
}

static void
set_jsonb_scalar(JsonbValue *v, const JsonSlice *value)
{
	switch (value->kind)
	{
		case JSON_TRUE:
		case JSON_FALSE:
			v->type = jbvBool;
			v->val.boolean = value->kind == JSON_TRUE;
			break;
		case JSON_NUMBER:
			if (deltacc_json_numeric(value, &v->val.numeric))
				v->type = jbvNumeric;
			else
				set_jsonb_string(v, value->start, value->len);
			break;
		case JSON_STRING:
			set_jsonb_unescaped(v, value);
			break;
		default:
			v->type = jbvNull;
			break;
	}
}

static JsonbValue *push_container(JsonbParseState **state, JsonScanner *s, JsonTokenKind kind);

/* The value that stands next, as one of kind token inside a container. */
static void
push_value(JsonbParseState **state, JsonScanner *s, JsonbIteratorToken token)
{
	JsonTokenKind kind;
	JsonSlice	value;
	JsonbValue	v;

	if (!deltacc_json_peek(s, &kind))
		return;
	if (kind == JSON_OBJECT || kind == JSON_ARRAY)
	{
		push_container(state, s, kind);
		return;
	}
	if (!deltacc_json_value(s, &value))
		return;
	set_jsonb_scalar(&v, &value);
	pushJsonbValue(state, token, &v);
}

static JsonbValue *
push_object(JsonbParseState **state, JsonScanner *s)
{
	JsonSlice	key;

	deltacc_json_enter_object(s);
	pushJsonbValue(state, WJB_BEGIN_OBJECT, NULL);
	while (deltacc_json_next_key(s, &key))
	{
		JsonbValue	v;

		set_jsonb_unescaped(&v, &key);
		pushJsonbValue(state, WJB_KEY, &v);
		push_value(state, s, WJB_VALUE);
	}
	return pushJsonbValue(state, WJB_END_OBJECT, NULL);
}

static JsonbValue *
push_array(JsonbParseState **state, JsonScanner *s)
{
	deltacc_json_enter_array(s);
	pushJsonbValue(state, WJB_BEGIN_ARRAY, NULL);
	while (deltacc_json_next_item(s))
		push_value(state, s, WJB_ELEM);
	return pushJsonbValue(state, WJB_END_ARRAY, NULL);
}

static JsonbValue *
push_container(JsonbParseState **state, JsonScanner *s, JsonTokenKind kind)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	return kind == JSON_OBJECT ? push_object(state, s) : push_array(state, s);
}

Jsonb *
deltacc_json_slice_to_jsonb(const JsonSlice *value)
{
	JsonbParseState *state = NULL;
	JsonbValue	v;

	if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
	{
		JsonScanner s;

		/* It has been scanned before: the wider dialect reads both. */
		deltacc_json_init(&s, value->start, value->len, true);
		return JsonbValueToJsonb(push_container(&state, &s, value->kind));
	}
	set_jsonb_scalar(&v, value);
	return JsonbValueToJsonb(&v);
}

Jsonb *
deltacc_json_to_jsonb(const char *json, int len)
{
	JsonScanner s;
	JsonSlice	value;

	deltacc_json_init(&s, json, len, false);
	if (!deltacc_json_value(&s, &value) || !deltacc_json_at_end(&s))
		return NULL;
	return deltacc_json_slice_to_jsonb(&value);
}
