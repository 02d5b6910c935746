/*-------------------------------------------------------------------------
 *
 * functions_to_char.c
 *	  Numbers by a format: to_char, to_varchar.
 *
 * From Catalyst's ToNumberParser.  Of dates to_char is date_format, which the
 * binder makes of it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"
#include "utils/fmgrprotos.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"

typedef struct NumberFormat
{
	const char *whole;			/* 0, 9 and , before the point */
	int			whole_len;
	int			whole_digits;
	int			fraction_digits;
	bool		point;
	bool		dollar;			/* in front */
	char		sign_before;	/* S, M(I), or '\0' */
	char		sign_after;		/* S, M(I), P(R), or '\0' */
} NumberFormat;

static bool
skip_word(const char **p, const char *end, const char *word)
{
	int			len = strlen(word);

	if (end - *p < len || pg_strncasecmp(*p, word, len) != 0)
		return false;
	*p += len;
	return true;
}

/* False: another form, or none. */
static bool
parse_format(const DeltaString *s, NumberFormat *f)
{
	const char *p = s->data;
	const char *end = p + s->len;
	bool		separated = true;	/* no separator may follow */

	memset(f, 0, sizeof(*f));
	if (skip_word(&p, end, "MI"))
		f->sign_before = 'M';
	else if (skip_word(&p, end, "S"))
		f->sign_before = 'S';
	f->dollar = skip_word(&p, end, "$");

	f->whole = p;
	for (; p < end && (*p == '0' || *p == '9' || *p == ',' || *p == 'G' || *p == 'g'); p++)
	{
		if (*p == '0' || *p == '9')
		{
			f->whole_digits++;
			separated = false;
		}
		else if (separated)
			return false;
		else
			separated = true;
	}
	f->whole_len = p - f->whole;
	if (f->whole_len > 0 && separated)
		return false;
	if (p < end && (*p == '.' || *p == 'D' || *p == 'd'))
	{
		f->point = true;
		for (p++; p < end && (*p == '0' || *p == '9'); p++)
			f->fraction_digits++;
	}
	if (skip_word(&p, end, "MI"))
		f->sign_after = 'M';
	else if (skip_word(&p, end, "PR"))
		f->sign_after = 'P';
	else if (skip_word(&p, end, "S"))
		f->sign_after = 'S';
	return p == end && f->whole_digits + f->fraction_digits > 0 && (f->sign_before == '\0' || f->sign_after == '\0');
}

/* A sign stands beside the number: behind the blanks in front of it, and before
 * those at its end. */
static void
append_beside(StringInfo out, char sign)
{
	int			n = out->len;

	while (n > 0 && out->data[n - 1] == ' ')
		n--;
	appendStringInfoChar(out, sign);
	memmove(out->data + n + 1, out->data + n, out->len - 1 - n);
	out->data[n] = sign;
}

/* A blank goes in front of a sign. */
static void
append_blank(StringInfo out, bool sign_first)
{
	appendStringInfoChar(out, ' ');
	if (sign_first && out->len > 1)
	{
		out->data[out->len - 1] = out->data[out->len - 2];
		out->data[out->len - 2] = ' ';
	}
}

RESOLVE_FUNCTION(resolve_to_char)
{
	*type = deltacc_type(DELTA_STRING);
	if (args[0]->type.kind != DELTA_DECIMAL && !DELTA_IS_INTEGRAL_KIND(args[0]->type.kind))
		return false;
	args[0] = deltacc_coerce_to(args[0], deltacc_decimal_for_type(&args[0]->type));
	return deltacc_implicit_cast(&args[1], deltacc_type(DELTA_STRING));
}

POINT_FUNCTION(point_to_char)
{
	NumberFormat f;
	StringInfoData out;
	char	   *text = DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(args[0].n)));
	bool		negative = *text == '-';
	int			whole;
	int			fraction;
	int			position;		/* digits of the format still to come */
	bool		sign_first;
	bool		too_long;

	if (!parse_format(args[1].s, &f))
		return POINT_UNKNOWN;

	/* the digits that count */
	if (negative)
		text++;
	text += strspn(text, "0");
	whole = strcspn(text, ".");
	fraction = text[whole] == '.' ? (int) strlen(text) - whole - 1 : 0;
	while (fraction > 0 && text[whole + fraction] == '0')
		fraction--;
	too_long = whole > f.whole_digits || fraction > f.fraction_digits;

	initStringInfo(&out);
	if (f.sign_before == 'S')
		appendStringInfoChar(&out, negative ? '-' : '+');
	else if (f.sign_before == 'M')
		appendStringInfoChar(&out, negative ? '-' : ' ');
	else if (f.sign_after == 'P' && negative)
		appendStringInfoChar(&out, '<');
	sign_first = out.len > 0 && !f.dollar;
	if (f.dollar)
		appendStringInfoChar(&out, '$');

	position = f.whole_digits;
	for (int i = 0; i < f.whole_len; i++)
	{
		char		c = f.whole[i];
		bool		last = i == f.whole_len - 1;
		bool		begun = position < whole || memchr(f.whole, '0', i) != NULL;

		if (c != '0' && c != '9')
		{
			if (begun && !too_long)
				appendStringInfoChar(&out, ',');
			else if (too_long)
				appendStringInfoChar(&out, ' ');
			else
				append_blank(&out, sign_first);
			continue;
		}
		if (too_long)
			appendStringInfoChar(&out, '#');
		else if (position <= whole)
			appendStringInfoChar(&out, text[whole - position]);
		else if (c == '0' || begun || (last && f.point))
			appendStringInfoChar(&out, '0');
		else
			append_blank(&out, sign_first);
		position--;
	}
	if (f.point)
		appendStringInfoChar(&out, '.');
	for (int i = 0; i < f.fraction_digits; i++)
		appendStringInfoChar(&out, too_long ? '#' : i < fraction ? text[whole + 1 + i] : '0');

	if (f.sign_after == 'S')
		append_beside(&out, negative ? '-' : '+');
	else if (f.sign_after == 'M' && negative)
		append_beside(&out, '-');
	else if (f.sign_after == 'M')
		appendStringInfoChar(&out, ' ');
	else if (f.sign_after == 'P' && negative)
		append_beside(&out, '>');
	else if (f.sign_after == 'P')
		appendStringInfoString(&out, "  ");
	*result = deltacc_string_value(out.data, out.len);
	return POINT_VALUE;
}

#define STRICT		FN_NULL_IN_NULL_OUT

const FunctionDef deltacc_to_char_functions[] = {
	{"to_char", 2, 2, STRICT, resolve_to_char, point_to_char},
	{NULL}
};
