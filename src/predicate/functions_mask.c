/*-------------------------------------------------------------------------
 *
 * functions_mask.c
 *	  Texts character by character: mask, quote, luhn_check.
 *
 * From Catalyst's maskExpressions, ExpressionImplUtils.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"

RESOLVE_FIXED(resolve_string, DELTA_STRING, DELTA_STRING)
RESOLVE_FIXED(resolve_luhn_check, DELTA_BOOLEAN, DELTA_STRING)

static PointResult
text_result(DeltaScalar *result, const char *data, int len)
{
	*result = deltacc_string_value(data, len);
	return POINT_VALUE;
}

/*
 * mask(text, upper, lower, digit, other): what is put for characters of a kind,
 * nothing of it if NULL.
 */
POINT_FUNCTION(point_mask)
{
	char		put[4] = {'X', 'x', 'n', '\0'};
	char	   *out;

	if (is_null[0])
		return POINT_NULL;
	for (int i = 1; i < nargs; i++)
	{
		/* more or less than one character is refused */
		if (!is_null[i] && (args[i].s->len != 1 || (unsigned char) args[i].s->data[0] >= 0x80))
			return POINT_UNKNOWN;
		put[i - 1] = is_null[i] ? '\0' : args[i].s->data[0];
	}
	out = palloc(args[0].s->len + 1);
	for (int i = 0; i < args[0].s->len; i++)
	{
		unsigned char c = (unsigned char) args[0].s->data[i];
		int			kind = c >= 'A' && c <= 'Z' ? 0 : c >= 'a' && c <= 'z' ? 1 : c >= '0' && c <= '9' ? 2 : 3;

		/*
		 * Letters and digits of other scripts are left alone here.  What takes
		 * two UTF-16 units is neither, and no more are kana, ideographs and
		 * hangul (U+3040 to U+9FFF, U+B000 to U+CFFF).
		 */
		if (c >= 0x80)
		{
			int			len = c >= 0xf0 ? 4 : 3;
			unsigned char next = i + 1 < args[0].s->len ? (unsigned char) args[0].s->data[i + 1] : 0;
			bool		caseless = c >= 0xf0 || (c == 0xe3 && next >= 0x81) || (c > 0xe3 && c < 0xea) ||
				c == 0xeb || c == 0xec;

			len = Min(len, args[0].s->len - i);
			if (!caseless || put[3] != '\0')
				return POINT_UNKNOWN;
			memcpy(out + i, args[0].s->data + i, len);
			i += len - 1;
			continue;
		}
		out[i] = put[kind] != '\0' ? put[kind] : (char) c;
	}
	return text_result(result, out, args[0].s->len);
}

/* In single quotes. */
POINT_FUNCTION(point_quote)
{
	StringInfoData out;

	initStringInfo(&out);
	appendStringInfoChar(&out, '\'');
	for (int i = 0; i < args[0].s->len; i++)
	{
		if (args[0].s->data[i] == '\'')
			appendStringInfoChar(&out, '\\');
		appendStringInfoChar(&out, args[0].s->data[i]);
	}
	appendStringInfoChar(&out, '\'');
	return text_result(result, out.data, out.len);
}

/* The check digit of card numbers. */
POINT_FUNCTION(point_luhn_check)
{
	const DeltaString *s = args[0].s;
	int			sum = 0;

	result->i = 0;
	for (int i = 0; i < s->len; i++)
	{
		int			digit = s->data[s->len - 1 - i] - '0';

		if (digit < 0 || digit > 9)
			return POINT_VALUE;
		if (i % 2 == 1)
			digit = digit > 4 ? digit * 2 - 9 : digit * 2;
		sum += digit;
	}
	result->i = s->len > 0 && sum % 10 == 0;
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)

const FunctionDef deltacc_mask_functions[] = {
	{"mask", 1, 5, 0, resolve_string, point_mask},
	{"quote", 1, 1, PURE, resolve_string, point_quote},
	{"luhn_check", 1, 1, PURE, resolve_luhn_check, point_luhn_check},
	{NULL}
};
