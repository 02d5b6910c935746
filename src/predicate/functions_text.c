/*-------------------------------------------------------------------------
 *
 * functions_text.c
 *	  Sounds, distances, number systems and encodings of strings.
 *
 * From Catalyst's stringExpressions, mathExpressions (Conv) and UTF8String.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/base64.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"

#include "base/hex.h"
#include "delta/cast.h"
#include "predicate/coerce.h"
#include "predicate/decimals.h"
#include "predicate/functions_support.h"
#include "predicate/utf8.h"

/* Longer ones aren't worth computing. */
#define MAX_TEXT	(64 * 1024)

RESOLVE_FIXED(resolve_string, DELTA_STRING, DELTA_STRING)
RESOLVE_FIXED(resolve_string_to_int, DELTA_INTEGER, DELTA_STRING)

static PointResult
buffer_result(DeltaScalar *result, const StringInfo buf)
{
	*result = deltacc_string_value(buf->data, buf->len);
	return POINT_VALUE;
}

/* ----- soundex ----- */

POINT_FUNCTION(point_soundex)
{
	static const char codes[] = "01230127022455012623017202";
	const DeltaString *s = args[0].s;
	char		sound[4] = {'0', '0', '0', '0'};
	int			n = 1;
	char		last;

	if (s->len == 0 || pg_ascii_toupper(s->data[0]) < 'A' || pg_ascii_toupper(s->data[0]) > 'Z')
	{
		*result = args[0];
		return POINT_VALUE;
	}
	sound[0] = (char) pg_ascii_toupper(s->data[0]);
	last = codes[sound[0] - 'A'];
	for (int i = 1; i < s->len && n < 4; i++)
	{
		unsigned char c = pg_ascii_toupper((unsigned char) s->data[i]);
		char		code;

		if (c < 'A' || c > 'Z')
		{
			last = '0';
			continue;
		}
		code = codes[c - 'A'];
		if (code == '7')
			continue;
		if (code != '0' && code != last)
			sound[n++] = code;
		last = code;
	}
	*result = deltacc_string_value(sound, 4);
	return POINT_VALUE;
}

/* ----- levenshtein ----- */

RESOLVE_FIXED(resolve_levenshtein, DELTA_INTEGER, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)

POINT_FUNCTION(point_levenshtein)
{
	int32	   *a;
	int32	   *b;
	int			na;
	int			nb;
	int		   *row;

	if ((int64) args[0].s->len * args[1].s->len > MAX_TEXT * 16 ||
		!deltacc_code_points(args[0].s, &a, &na) || !deltacc_code_points(args[1].s, &b, &nb) ||
		(nargs > 2 && args[2].i < 0))
		return POINT_UNKNOWN;
	row = palloc(sizeof(int) * (nb + 1));
	for (int j = 0; j <= nb; j++)
		row[j] = j;
	for (int i = 1; i <= na; i++)
	{
		int			diagonal = row[0];

		row[0] = i;
		for (int j = 1; j <= nb; j++)
		{
			int			replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);

			diagonal = row[j];
			row[j] = Min(replaced, Min(row[j], row[j - 1]) + 1);
		}
	}
	result->i = nargs > 2 && row[nb] > args[2].i ? -1 : row[nb];
	return POINT_VALUE;
}

/* ----- find_in_set ----- */

POINT_FUNCTION(point_find_in_set)
{
	const DeltaString *word = args[0].s;
	const DeltaString *set = args[1].s;
	int			start = 0;

	result->i = 0;
	if (memchr(word->data, ',', word->len) != NULL)
		return POINT_VALUE;
	for (int n = 1;; n++)
	{
		const char *comma = start < set->len ? memchr(set->data + start, ',', set->len - start) : NULL;
		int			end = comma != NULL ? comma - set->data : set->len;

		if (end - start == word->len && memcmp(set->data + start, word->data, word->len) == 0)
		{
			result->i = n;
			return POINT_VALUE;
		}
		if (comma == NULL)
			return POINT_VALUE;
		start = end + 1;
	}
}

/* ----- overlay ----- */

RESOLVE_FUNCTION(resolve_overlay)
{
	*type = deltacc_type(DELTA_STRING);
	if (args[0]->type.kind == DELTA_BINARY)
		return false;
	for (int i = 0; i < nargs; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(i < 2 ? DELTA_STRING : DELTA_INTEGER)))
			return false;
	}
	return true;
}

/* Characters [pos, pos + len) from 1, as substr() takes them. */
static void
append_substring(StringInfo out, const int32 *text, int n, int64 pos, int64 len)
{
	int64		start = pos > 0 ? pos - 1 : pos < 0 ? n + pos : 0;

	for (int64 i = Max(start, 0); len > 0 && i < Min(start + len, n); i++)
	{
		char		bytes[4];

		appendBinaryStringInfo(out, bytes, utf8_put(bytes, text[i]));
	}
}

POINT_FUNCTION(point_overlay)
{
	int64		pos = args[2].i;
	int64		len = nargs > 3 ? args[3].i : -1;
	int32	   *text;
	int			n;
	StringInfoData out;

	if (args[1].s->len > MAX_TEXT || args[0].s->len > MAX_TEXT || !deltacc_code_points(args[0].s, &text, &n) ||
		pos < -MAX_TEXT || pos > MAX_TEXT)
		return POINT_UNKNOWN;
	if (len < 0)
		len = utf8_length(args[1].s->data, args[1].s->len);
	initStringInfo(&out);
	append_substring(&out, text, n, 1, pos - 1);
	appendBinaryStringInfo(&out, args[1].s->data, args[1].s->len);
	append_substring(&out, text, n, pos + len, PG_INT32_MAX);
	return buffer_result(result, &out);
}

/* ----- base64, unbase64 ----- */

RESOLVE_FIXED(resolve_base64, DELTA_STRING, DELTA_BINARY)
RESOLVE_FIXED(resolve_unbase64, DELTA_BINARY, DELTA_STRING)

POINT_FUNCTION(point_base64)
{
	int			room = pg_b64_enc_len(args[0].s->len) + 1;
	char	   *out;
	int			len;

	if (args[0].s->len > MAX_TEXT)
		return POINT_UNKNOWN;
	out = palloc(room);
	len = pg_b64_encode((const void *) args[0].s->data, args[0].s->len, out, room);
	if (len < 0)
		return POINT_UNKNOWN;
	*result = deltacc_string_value(out, len);
	return POINT_VALUE;
}

/* Java's decoder passes over much; only clean text is decoded here. */
POINT_FUNCTION(point_unbase64)
{
	int			room = pg_b64_dec_len(args[0].s->len) + 1;
	char	   *out;
	int			len;

	if (args[0].s->len > MAX_TEXT || args[0].s->len % 4 != 0)
		return POINT_UNKNOWN;
	out = palloc(room);
	len = pg_b64_decode(args[0].s->data, args[0].s->len, (void *) out, room);
	if (len < 0)
		return POINT_UNKNOWN;
	*result = deltacc_string_value(out, len);
	return POINT_VALUE;
}

/* ----- conv ----- */

RESOLVE_FUNCTION(resolve_conv)
{
	*type = deltacc_type(DELTA_STRING);
	return deltacc_implicit_cast(&args[0], deltacc_type(DELTA_STRING)) &&
		deltacc_implicit_cast(&args[1], deltacc_type(DELTA_INTEGER)) &&
		deltacc_implicit_cast(&args[2], deltacc_type(DELTA_INTEGER));
}

static int
digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char) pg_ascii_tolower((unsigned char) c);
	return c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* NumberConverter: digits up to the first that is none, 64 bits unsigned. */
POINT_FUNCTION(point_conv)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	int			from = (int) args[1].i;
	int64		to = args[2].i;
	const char *s = args[0].s->data;
	const char *end = s + args[0].s->len;
	bool		negative;
	uint64		v = 0;
	char		out[66];
	int			at = sizeof(out);

	if (from < 2 || from > 36 || to < -36 || to > 36 || (to > -2 && to < 2))
		return POINT_NULL;
	while (s < end && *s == ' ')
		s++;
	while (s < end && end[-1] == ' ')
		end--;
	if (s == end)
		return POINT_NULL;
	negative = *s == '-';
	for (s += negative; s < end && digit_value(*s) < from; s++)
	{
		uint64		digit = digit_value(*s);

		if (v > (PG_UINT64_MAX - digit) / from)
			return deltacc_point_error(cx, "ARITHMETIC_OVERFLOW");
		v = v * from + digit;
	}
	if (negative && to > 0)
		v = (int64) v < 0 ? PG_UINT64_MAX : -v;
	if (to < 0 && (int64) v < 0)
	{
		v = -v;
		negative = true;
	}
	else if (to < 0 && negative && v == 0)
		return POINT_UNKNOWN;
	do
	{
		out[--at] = digits[v % (uint64) (to < 0 ? -to : to)];
		v /= (uint64) (to < 0 ? -to : to);
	} while (v != 0);
	if (negative && to < 0)
		out[--at] = '-';
	*result = deltacc_string_value(out + at, (int) sizeof(out) - at);
	return POINT_VALUE;
}

/* ----- url_encode, encode, decode ----- */

RESOLVE_FIXED(resolve_encode, DELTA_BINARY, DELTA_STRING)
RESOLVE_FIXED(resolve_decode, DELTA_STRING, DELTA_BINARY, DELTA_STRING)

POINT_FUNCTION(point_url_encode)
{
	const DeltaString *s = args[0].s;
	StringInfoData out;

	if (s->len > MAX_TEXT)
		return POINT_UNKNOWN;
	initStringInfo(&out);
	for (int i = 0; i < s->len; i++)
	{
		unsigned char c = (unsigned char) s->data[i];

		if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
			(c != '\0' && strchr(".-*_", c) != NULL))
			appendStringInfoChar(&out, (char) c);
		else if (c == ' ')
			appendStringInfoChar(&out, '+');
		else
			appendStringInfo(&out, "%%%02X", c);
	}
	return buffer_result(result, &out);
}

POINT_FUNCTION(point_url_decode)
{
	const DeltaString *s = args[0].s;
	StringInfoData out;

	initStringInfo(&out);
	for (int i = 0; i < s->len; i++)
	{
		if (s->data[i] != '%')
			appendStringInfoChar(&out, s->data[i] == '+' ? ' ' : s->data[i]);
		else if (i + 2 >= s->len || deltacc_hex_digit(s->data[i + 1]) < 0 || deltacc_hex_digit(s->data[i + 2]) < 0)
			return POINT_UNKNOWN;
		else
		{
			appendStringInfoChar(&out, (char) (deltacc_hex_digit(s->data[i + 1]) << 4 | deltacc_hex_digit(s->data[i + 2])));
			i += 2;
		}
	}
	/* what is no UTF-8 is replaced, and it isn't guessed how */
	if (memchr(out.data, '\0', out.len) != NULL || !pg_verify_mbstr(PG_UTF8, out.data, out.len, true))
		return POINT_UNKNOWN;
	return buffer_result(result, &out);
}

RESOLVE_FIXED(resolve_is_valid, DELTA_BOOLEAN, DELTA_STRING)

POINT_FUNCTION(point_is_valid)
{
	const DeltaString *s = args[0].s;

	if (memchr(s->data, '\0', s->len) != NULL)
		return POINT_UNKNOWN;
	result->i = pg_verify_mbstr(PG_UTF8, s->data, s->len, true);
	return POINT_VALUE;
}

typedef enum Charset
{
	CHARSET_OTHER,
	CHARSET_UTF8,
	CHARSET_ASCII
} Charset;

static Charset
charset_of(const DeltaString *name)
{
	if (name->len == 5 && pg_strncasecmp(name->data, "UTF-8", 5) == 0)
		return CHARSET_UTF8;
	if (name->len == 8 && pg_strncasecmp(name->data, "US-ASCII", 8) == 0)
		return CHARSET_ASCII;
	return CHARSET_OTHER;
}

/* The same bytes, where nothing has to be converted. */
POINT_FUNCTION(point_same_bytes)
{
	const DeltaString *s = args[0].s;
	Charset		charset = charset_of(args[1].s);

	if (charset == CHARSET_OTHER || !pg_verify_mbstr(PG_UTF8, s->data, s->len, true))
		return POINT_UNKNOWN;
	for (int i = 0; charset == CHARSET_ASCII && i < s->len; i++)
	{
		if ((unsigned char) s->data[i] >= 0x80)
			return POINT_UNKNOWN;
	}
	*result = args[0];
	return POINT_VALUE;
}

/* ----- format_number ----- */

RESOLVE_FUNCTION(resolve_format_number)
{
	*type = deltacc_type(DELTA_STRING);
	return DELTA_IS_NUMERIC_KIND(args[0]->type.kind) && DELTA_IS_INTEGRAL_KIND(args[1]->type.kind) &&
		deltacc_implicit_cast(&args[1], deltacc_type(DELTA_INTEGER));
}

/*
 * The text of a double to so many digits.  DecimalFormat starts from the digits
 * of Double.toString, which are fewer than the value has; where digits fall away
 * it rounds as the exact value says, halves to the even neighbour, like printf.
 */
static const char *
double_text(double d, int scale)
{
	StringInfoData shortest;
	const char *point;
	Datum		n;

	if (d == 0)
		return psprintf("%.*f", scale, d);
	initStringInfo(&shortest);
	deltacc_append_double(&shortest, d, false);
	n = DirectFunctionCall3(numeric_in, CStringGetDatum(shortest.data), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	point = DatumGetCString(DirectFunctionCall1(numeric_out, n));
	if (strchr(point, '.') != NULL && (int) strlen(strchr(point, '.') + 1) > scale)
		return psprintf("%.*f", scale, d);
	n = DirectFunctionCall2(numeric_round, n, Int32GetDatum(scale));
	return DatumGetCString(DirectFunctionCall1(numeric_out, n));
}

/* DecimalFormat with groups of three. */
POINT_FUNCTION(point_format_number)
{
	int			scale = (int) args[1].i;
	DeltaKind	kind = arg_kind(cx, 0);
	const char *text;
	int			whole;
	StringInfoData out;

	if (scale < 0)
		return POINT_NULL;
	if (DELTA_IS_DOUBLE_KIND(kind) && !isfinite(args[0].d))
	{
		/* DecimalFormat's own signs */
		text = isnan(args[0].d) ? "NaN" : args[0].d > 0 ? "\xe2\x88\x9e" : "-\xe2\x88\x9e";
		*result = deltacc_string_value(text, strlen(text));
		return POINT_VALUE;
	}
	if (scale > 100 || (DELTA_IS_DOUBLE_KIND(kind) && !deltacc_double_text_is_sure(args[0].d, false)))
		return POINT_UNKNOWN;
	if (DELTA_IS_DOUBLE_KIND(kind))
		text = double_text(args[0].d, scale);
	else if (kind == DELTA_DECIMAL)
	{
		Numeric		rounded = deltacc_decimal_round(args[0].n, Min(scale, 38), ROUND_HALF_EVEN);

		rounded = DatumGetNumeric(DirectFunctionCall2(numeric_round, NumericGetDatum(rounded), Int32GetDatum(scale)));
		text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(rounded)));
		if (deltacc_decimal_sign(args[0].n) < 0 && text[0] != '-')
			text = psprintf("-%s", text);
	}
	else
		text = scale > 0 ? psprintf(INT64_FORMAT ".%0*d", args[0].i, scale, 0) : psprintf(INT64_FORMAT, args[0].i);

	initStringInfo(&out);
	if (*text == '-')
		appendStringInfoChar(&out, *text++);
	whole = strcspn(text, ".");
	for (int i = 0; i < whole; i++)
	{
		if (i > 0 && (whole - i) % 3 == 0)
			appendStringInfoChar(&out, ',');
		appendStringInfoChar(&out, text[i]);
	}
	appendStringInfoString(&out, text + whole);
	return buffer_result(result, &out);
}

/* ----- format_string, printf ----- */

RESOLVE_FUNCTION(resolve_format_string)
{
	*type = deltacc_type(DELTA_STRING);
	return deltacc_implicit_cast(&args[0], deltacc_type(DELTA_STRING));
}

/*
 * java.util.Formatter, of it %s and %d with a width, and %%.  False: something
 * else.
 */
static bool
append_formatted(DeltaCallContext *cx, StringInfo out, char conversion, bool left, bool zeros, int width,
				 int i, DeltaScalar value, bool is_null)
{
	DeltaKind	kind = arg_kind(cx, i);
	const char *text = "null";
	int			len = 4;
	int			pad;

	if (!is_null)
	{
		if (DELTA_IS_INTEGRAL_KIND(kind))
			text = psprintf(INT64_FORMAT, value.i);
		else if (conversion == 'd')
			return false;
		else if (kind == DELTA_STRING)
			text = value.s->data;
		else if (kind == DELTA_BOOLEAN)
			text = value.i ? "true" : "false";
		else
			return false;
		len = kind == DELTA_STRING ? value.s->len : (int) strlen(text);
	}
	if (zeros && (conversion != 'd' || left || width == 0 || is_null))
		return false;
	/* widths are in UTF-16 units */
	pad = width - len;
	for (int k = 0; k < len && width > 0; k++)
	{
		if ((unsigned char) text[k] >= 0x80)
			return false;
	}
	if (zeros && *text == '-')
	{
		appendStringInfoChar(out, '-');
		text++;
		len--;
	}
	for (int k = 0; k < pad && !left; k++)
		appendStringInfoChar(out, zeros ? '0' : ' ');
	appendBinaryStringInfo(out, text, len);
	for (int k = 0; k < pad && left; k++)
		appendStringInfoChar(out, ' ');
	return true;
}

POINT_FUNCTION(point_format_string)
{
	const char *p;
	const char *end;
	int			next = 1;
	StringInfoData out;

	if (is_null[0])
		return POINT_NULL;
	p = args[0].s->data;
	end = p + args[0].s->len;
	initStringInfo(&out);
	while (p < end)
	{
		bool		left = false;
		bool		zeros = false;
		int			width = 0;

		if (*p != '%')
		{
			appendStringInfoChar(&out, *p++);
			continue;
		}
		for (p++; p < end && (*p == '-' || *p == '0'); p++)
		{
			left = left || *p == '-';
			zeros = zeros || *p == '0';
		}
		for (; p < end && *p >= '0' && *p <= '9' && width < 1000; p++)
			width = width * 10 + (*p - '0');
		if (p >= end || (left && width == 0))
			return POINT_UNKNOWN;
		if (*p == '%' && width == 0 && !zeros)
			appendStringInfoChar(&out, '%');
		else if ((*p != 's' && *p != 'd') || next >= nargs ||
				 !append_formatted(cx, &out, *p, left, zeros, width, next, args[next], is_null[next]))
			return POINT_UNKNOWN;
		else
			next++;
		p++;
	}
	return buffer_result(result, &out);
}

/* ----- numbers that are bits ----- */

RESOLVE_FUNCTION(resolve_bit_get)
{
	*type = deltacc_type(DELTA_BYTE);
	return DELTA_IS_INTEGRAL_KIND(args[0]->type.kind) && deltacc_implicit_cast(&args[1], deltacc_type(DELTA_INTEGER));
}

POINT_FUNCTION(point_bit_get)
{
	static const int sizes[] = {8, 16, 32, 64};
	int			size = sizes[arg_kind(cx, 0) - DELTA_BYTE];

	if (args[1].i < 0 || args[1].i >= size)
		return deltacc_point_error(cx, "INVALID_PARAMETER_VALUE.BIT_POSITION_RANGE");
	result->i = args[0].i >> args[1].i & 1;
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)
#define STRICT		FN_NULL_IN_NULL_OUT

const FunctionDef deltacc_text_functions[] = {
	{"soundex", 1, 1, PURE, resolve_string, point_soundex},
	{"levenshtein", 2, 3, PURE, resolve_levenshtein, point_levenshtein},
	{"find_in_set", 2, 2, PURE, resolve_string_to_int, point_find_in_set},
	{"overlay", 3, 4, PURE, resolve_overlay, point_overlay},
	{"base64", 1, 1, PURE, resolve_base64, point_base64},
	{"unbase64", 1, 1, RAISES, resolve_unbase64, point_unbase64},
	{"conv", 3, 3, STRICT, resolve_conv, point_conv},
	{"url_encode", 1, 1, PURE, resolve_string, point_url_encode},
	{"url_decode", 1, 1, RAISES | FN_TAKEN_FOR_NULLABLE, resolve_string, point_url_decode},
	{"is_valid_utf8", 1, 1, PURE, resolve_is_valid, point_is_valid},
	{"encode", 2, 2, RAISES, resolve_encode, point_same_bytes},
	{"decode", 2, 2, RAISES, resolve_decode, point_same_bytes},
	{"format_number", 2, 2, STRICT, resolve_format_number, point_format_number},
	{"format_string", 1, -1, FN_NULL_WITH_FIRST, resolve_format_string, point_format_string},
	{"printf", 1, -1, FN_NULL_WITH_FIRST, resolve_format_string, point_format_string},
	{"bit_get", 2, 2, RAISES, resolve_bit_get, point_bit_get},
	{"getbit", 2, 2, RAISES, resolve_bit_get, point_bit_get},
	{NULL}
};
