/*-------------------------------------------------------------------------
 *
 * cast_number.c
 *	  Casts to the numeric types.
 *
 * Decimals are parsed and rounded here, as digits, and only then handed to
 * numeric_in: it would raise for some of what a log may hold, and spend
 * memory on exponents.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "common/int.h"
#include "common/shortest_dec.h"
#include "delta/cast_internal.h"
#include "delta/java_double.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/fmgrprotos.h"

/* Spark's DecimalType.MAX_PRECISION. */
#define MAX_PRECISION 38

/* Sign, digits, point, some of each. */
#define DECIMAL_TEXT_SIZE (2 * MAX_PRECISION + 8)

/*
 * A decimal number as it stands: digits without the point, and how many of
 * them stand behind it (BigDecimal's unscaled value and scale).  The point
 * still sits between the digits: digit_at() knows.
 */
typedef struct DecimalText
{
	bool		negative;
	const char *digits;			/* from the first that isn't zero */
	int			point;			/* where the point is among them; -1 */
	int64		ndigits;		/* 0: zero */
	int64		scale;
} DecimalText;

static inline int
digit_at(const DecimalText *d, int64 i)
{
	return d->digits[d->point >= 0 && i >= d->point ? i + 1 : i] - '0';
}

typedef enum ParseResult
{
	PARSE_OK,
	PARSE_INVALID,
	PARSE_NOT_ASCII
} ParseResult;

static ParseResult
parse_decimal_text(const char *s, int len, DecimalText *d)
{
	const char *end = s + len;
	const char *point = NULL;
	const char *first = NULL;
	int64		digits = 0;
	int64		exponent = 0;

	for (int i = 0; i < len; i++)
	{
		if (IS_HIGHBIT_SET(s[i]))
			return PARSE_NOT_ASCII;
	}

	d->negative = false;
	if (s < end && (*s == '-' || *s == '+'))
		d->negative = *s++ == '-';

	d->scale = 0;
	for (; s < end; s++)
	{
		if (*s == '.' && point == NULL)
			point = s;
		else if (*s >= '0' && *s <= '9')
		{
			digits++;
			if (point)
				d->scale++;
			if (first == NULL && *s != '0')
				first = s;
		}
		else
			break;
	}
	if (digits == 0)
		return PARSE_INVALID;

	d->digits = first;
	d->point = -1;
	d->ndigits = 0;
	if (first)
	{
		d->ndigits = s - first;
		if (point && point > first)
		{
			d->point = point - first;
			d->ndigits--;
		}
	}

	if (s < end && (*s == 'e' || *s == 'E'))
	{
		bool		negative = false;

		s++;
		if (s < end && (*s == '-' || *s == '+'))
			negative = *s++ == '-';
		if (s == end)
			return PARSE_INVALID;
		for (; s < end && *s >= '0' && *s <= '9'; s++)
		{
			if (exponent <= INT_MAX)
				exponent = exponent * 10 + (*s - '0');
		}
		if (exponent > INT_MAX)
			return PARSE_INVALID;	/* NumberFormatException */
		d->scale -= negative ? -exponent : exponent;
	}
	if (s != end || d->scale > INT_MAX || d->scale < INT_MIN)
		return PARSE_INVALID;
	return PARSE_OK;
}

/* The first n digits (zeros beyond the last), as text with a point. */
static Numeric
make_numeric(const DecimalText *d, int n, bool round_up, int scale)
{
	char		digits[MAX_PRECISION + 2];
	char		text[DECIMAL_TEXT_SIZE];
	char	   *p = text;
	bool		zero = true;

	Assert(n <= MAX_PRECISION);

	/* one place in front, for a carry */
	digits[0] = '0';
	for (int i = 0; i < n; i++)
		digits[i + 1] = '0' + (i < d->ndigits ? digit_at(d, i) : 0);
	if (round_up)
	{
		int			i = n;

		while (digits[i] == '9')
			digits[i--] = '0';
		digits[i]++;
	}
	n++;

	for (int i = 0; i < n; i++)
		zero = zero && digits[i] == '0';
	if (d->negative && !zero)
		*p++ = '-';
	if (n > scale)
	{
		memcpy(p, digits, n - scale);
		p += n - scale;
	}
	else
		*p++ = '0';
	if (scale > 0)
	{
		*p++ = '.';
		for (int i = n; i < scale; i++)
			*p++ = '0';
		memcpy(p, digits + Max(n - scale, 0), Min(n, scale));
		p += Min(n, scale);
	}
	*p = '\0';

	return DatumGetNumeric(DirectFunctionCall3(numeric_in, CStringGetDatum(text),
											   ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
}

/*
 * Rounds HALF_UP (away from zero) to scale; false if more than precision
 * digits are left.
 */
static bool
round_decimal(const DecimalText *d, int precision, int scale, Numeric *result)
{
	int64		keep = d->ndigits - (d->scale - scale); /* digits that stay */
	bool		round_up = false;

	if (d->ndigits == 0 || keep < 0)
		keep = 0;
	else if (keep < d->ndigits)
		round_up = digit_at(d, keep) >= 5;
	if (keep > precision)
		return false;
	if (keep == precision && round_up)
	{
		int64		i = 0;

		while (i < keep && digit_at(d, i) == 9)
			i++;
		if (i == keep)
			return false;		/* 999.9 -> 1000 */
	}
	*result = make_numeric(d, (int) keep, round_up, scale);
	return true;
}

/*
 * BigDecimal takes the digits of any script (Character.digit): here in those of
 * ASCII.  NULL: there is some other character (*ascii_len is 0), or no valid
 * UTF-8 (-1).
 */
static char *
ascii_digits(const char *s, int len, int *ascii_len)
{
	/* the zeros of the scripts; the other digits follow each of them */
	static const uint16 zeros[] = {
		0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6,
		0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0,
		0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10
	};
	char	   *out = palloc(len + 1);
	int			n = 0;

	for (int i = 0; i < len;)
	{
		int			step = pg_utf_mblen((const unsigned char *) s + i);
		pg_wchar	c;
		char		digit = 0;

		if (!IS_HIGHBIT_SET(s[i]))
		{
			out[n++] = s[i++];
			continue;
		}
		if (step > len - i || !pg_utf8_islegal((const unsigned char *) s + i, step))
		{
			*ascii_len = -1;
			return NULL;
		}
		c = utf8_to_unicode((const unsigned char *) s + i);
		for (int k = 0; k < lengthof(zeros); k++)
		{
			if (c >= zeros[k] && c < zeros[k] + 10)
				digit = (char) ('0' + (c - zeros[k]));
		}
		if (digit == 0)
		{
			*ascii_len = 0;
			return NULL;
		}
		out[n++] = digit;
		i += step;
	}
	*ascii_len = n;
	return out;
}

CastResult
deltacc_parse_decimal(const char *s, int len, int precision, int scale,
					  Numeric *result, const char **error_class)
{
	DecimalText d;

	switch (parse_decimal_text(s, len, &d))
	{
		case PARSE_NOT_ASCII:
			{
				int			ascii_len;
				char	   *ascii = ascii_digits(s, len, &ascii_len);

				if (ascii == NULL && ascii_len < 0)
					return CAST_UNSUPPORTED;
				if (ascii == NULL)
					return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
				return deltacc_parse_decimal(ascii, ascii_len, precision, scale, result, error_class);
			}
		case PARSE_INVALID:
			return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
		case PARSE_OK:
			break;
	}

	/* Decimal.fromStringANSI gives up early; zero counts as one digit */
	if (Max(d.ndigits, 1) - d.scale > MAX_PRECISION)
		return cast_fails(error_class, NUMERIC_SUPPORTED_CLASS);
	if (!round_decimal(&d, precision, scale, result))
		return cast_fails(error_class, NUMERIC_RANGE_CLASS);
	return CAST_OK;
}

char *
deltacc_decimal_text(Numeric n)
{
	return DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(n)));
}

bool
deltacc_decimal_rescale(Numeric n, int precision, int scale, Numeric *result)
{
	char	   *text = deltacc_decimal_text(n);
	DecimalText d;
	bool		ok;

	ok = parse_decimal_text(text, strlen(text), &d) == PARSE_OK &&
		round_decimal(&d, precision, scale, result);
	pfree(text);
	return ok;
}

/* Drops zeros at the end. */
static void
strip_zeros(DecimalText *d)
{
	while (d->ndigits > 1 && digit_at(d, d->ndigits - 1) == 0)
	{
		d->ndigits--;
		d->scale--;
	}
}

/* The value to n digits, if they read back as it; else d stays. */
static void
try_digits(double value, bool is_float, int n, char *buf, size_t size, DecimalText *d)
{
	char		text[64];
	int			len = snprintf(text, sizeof(text), "%.*e", n - 1, value);

	if ((is_float ? (double) strtof(text, NULL) : strtod(text, NULL)) != value)
		return;
	snprintf(buf, size, "%s", text);
	(void) parse_decimal_text(buf, len, d);
	strip_zeros(d);
}

/*
 * The digits of Java's Double.toString / Float.toString: the fewest that read
 * back as the same value; where one would do, the closest two (4.9E-324).
 *
 * PostgreSQL's shortest form never sits on the border between two values, as
 * 1.0E23 does: one digit less is worth a try where there are many.
 */
static void
java_digits(double value, bool is_float, char *buf, size_t size, DecimalText *d)
{
	int			len;

	if (is_float)
		len = float_to_shortest_decimal_bufn((float) value, buf);
	else
		len = double_to_shortest_decimal_bufn(value, buf);
	(void) parse_decimal_text(buf, len, d);
	strip_zeros(d);

	if (d->ndigits > (is_float ? FLT_DIG : DBL_DIG))
		try_digits(value, is_float, (int) d->ndigits - 1, buf, size, d);
	if (d->ndigits == 1)
		try_digits(value, is_float, 2, buf, size, d);
}

void
deltacc_append_double(StringInfo out, double value, bool is_float)
{
	char		buf[64];
	DecimalText d;
	int64		exponent;		/* of the first digit */

	if (isnan(value))
	{
		appendStringInfoString(out, "NaN");
		return;
	}
	if (signbit(value))
		appendStringInfoChar(out, '-');
	if (isinf(value))
	{
		appendStringInfoString(out, "Infinity");
		return;
	}
	if (value == 0)
	{
		appendStringInfoString(out, "0.0");
		return;
	}

	java_digits(value, is_float, buf, sizeof(buf), &d);
	exponent = d.ndigits - 1 - d.scale;

	if (exponent >= -3 && exponent < 7)
	{
		int64		last = Max(d.ndigits - 1, exponent + 1);

		if (exponent < 0)
		{
			appendStringInfoString(out, "0.");
			for (int64 i = exponent + 1; i < 0; i++)
				appendStringInfoChar(out, '0');
		}
		for (int64 i = 0; i <= (exponent < 0 ? d.ndigits - 1 : last); i++)
		{
			if (exponent >= 0 && i == exponent + 1)
				appendStringInfoChar(out, '.');
			appendStringInfoChar(out, i < d.ndigits ? '0' + digit_at(&d, i) : '0');
		}
	}
	else
	{
		for (int64 i = 0; i < Max(d.ndigits, 2); i++)
		{
			if (i == 1)
				appendStringInfoChar(out, '.');
			appendStringInfoChar(out, i < d.ndigits ? '0' + digit_at(&d, i) : '0');
		}
		appendStringInfo(out, "E%d", (int) exponent);
	}
}

bool
deltacc_double_text_is_sure(double value, bool is_float)
{
	char		buf[64];
	DecimalText d;
	JavaDigits	before;

	if (value == 0 || !isfinite(value))
		return true;
	java_digits(value, is_float, buf, sizeof(buf), &d);
	deltacc_java_digits_before_19(value, is_float, &before);
	if (d.ndigits != before.ndigits || d.ndigits - 1 - d.scale != before.exponent)
		return false;
	for (int i = 0; i < before.ndigits; i++)
	{
		if (digit_at(&d, i) != before.digits[i] - '0')
			return false;
	}
	return true;
}

CastResult
deltacc_double_to_decimal(double value, int precision, int scale, Numeric *result)
{
	char		buf[64];
	char		buf_before[64];
	DecimalText d;
	DecimalText d_before;
	JavaDigits	before;
	Numeric		other;
	bool		ok;
	int			len;

	java_digits(value, false, buf, sizeof(buf), &d);
	ok = round_decimal(&d, precision, scale, result);
	if (deltacc_double_text_is_sure(value, false))
		return ok ? CAST_OK : CAST_ERROR;

	/* rounded, they may come to the same */
	deltacc_java_digits_before_19(value, false, &before);
	len = snprintf(buf_before, sizeof(buf_before), "%s%.*sE%d", value < 0 ? "-" : "", before.ndigits, before.digits,
				   before.exponent - before.ndigits + 1);
	if (parse_decimal_text(buf_before, len, &d_before) != PARSE_OK ||
		round_decimal(&d_before, precision, scale, &other) != ok)
		return CAST_UNSUPPORTED;
	if (!ok)
		return CAST_ERROR;
	return DatumGetBool(DirectFunctionCall2(numeric_eq, NumericGetDatum(*result), NumericGetDatum(other))) ?
		CAST_OK : CAST_UNSUPPORTED;
}

/*
 * Is it a number that Double.parseDouble takes?  *suffix is set to the length
 * of what strtod must not see.
 */
static bool
java_double_syntax(const char *s, int len, int *suffix)
{
	const char *end = s + len;
	bool		digits = false;
	bool		hex = false;

	*suffix = 0;
	if (s < end && (*s == '-' || *s == '+'))
		s++;
	if (end - s == 3 && memcmp(s, "NaN", 3) == 0)
		return true;
	if (end - s == 8 && memcmp(s, "Infinity", 8) == 0)
		return true;
	if (end - s >= 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
	{
		hex = true;
		s += 2;
	}

	for (int point = 0; s < end; s++)
	{
		if (*s == '.' && point++ == 0)
			continue;
		if (!((*s >= '0' && *s <= '9') ||
			  (hex && ((*s >= 'a' && *s <= 'f') || (*s >= 'A' && *s <= 'F')))))
			break;
		digits = true;
	}
	if (!digits)
		return false;

	/* hexadecimal numbers must have an exponent */
	if (s < end && (hex ? (*s == 'p' || *s == 'P') : (*s == 'e' || *s == 'E')))
	{
		s++;
		if (s < end && (*s == '-' || *s == '+'))
			s++;
		if (s == end || *s < '0' || *s > '9')
			return false;
		while (s < end && *s >= '0' && *s <= '9')
			s++;
	}
	else if (hex)
		return false;

	if (s < end && (*s == 'd' || *s == 'D' || *s == 'f' || *s == 'F'))
	{
		s++;
		*suffix = 1;
	}
	return s == end;
}

bool
deltacc_parse_double(const char *s, int len, bool is_float, double *result)
{
	char		stack[64];
	char	   *copy = stack;
	int			suffix;

	trim_java(&s, &len);
	if (!java_double_syntax(s, len, &suffix))
		return false;
	len -= suffix;

	if (len >= sizeof(stack))
		copy = palloc(len + 1);
	memcpy(copy, s, len);
	copy[len] = '\0';
	*result = is_float ? (double) strtof(copy, NULL) : strtod(copy, NULL);
	if (copy != stack)
		pfree(copy);
	return true;
}

/*
 * The bounds of an integral type.
 */
static void
integral_bounds(DeltaKind kind, int64 *min, int64 *max)
{
	switch (kind)
	{
		case DELTA_BYTE:
			*min = SCHAR_MIN;
			*max = SCHAR_MAX;
			break;
		case DELTA_SHORT:
			*min = PG_INT16_MIN;
			*max = PG_INT16_MAX;
			break;
		case DELTA_INTEGER:
			*min = PG_INT32_MIN;
			*max = PG_INT32_MAX;
			break;
		default:
			*min = PG_INT64_MIN;
			*max = PG_INT64_MAX;
			break;
	}
}

static CastResult
string_to_integral(const DeltaString *s, int64 min, int64 max,
				   DeltaScalar *result, const char **error_class)
{
	const char *p = s->data;
	int			len = s->len;
	bool		negative = false;
	int64		value = 0;

	trim_blank_bytes(&p, &len);
	if (len > 0 && (*p == '-' || *p == '+'))
	{
		negative = *p == '-';
		p++;
		len--;
	}
	if (len == 0)
		return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);

	/* gathered below zero, where there is room for the least of all */
	for (; len > 0; p++, len--)
	{
		if (*p < '0' || *p > '9' ||
			pg_mul_s64_overflow(value, 10, &value) ||
			pg_sub_s64_overflow(value, *p - '0', &value))
			return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
	}
	if (!negative && value == PG_INT64_MIN)
		return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
	if (!negative)
		value = -value;
	if (value < min || value > max)
		return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
	result->i = value;
	return CAST_OK;
}

/* By Decimal.roundToInt / roundToLong. */
static CastResult
decimal_to_integral(Numeric n, DeltaKind to, int64 min, int64 max,
					DeltaScalar *result, const char **error_class)
{
	char	   *text = deltacc_decimal_text(n);
	bool		negative = *text == '-';
	int64		value = 0;
	bool		fits = true;

	for (char *p = text + (negative ? 1 : 0); *p >= '0' && *p <= '9' && fits; p++)
		fits = !(pg_mul_s64_overflow(value, 10, &value) ||
				 pg_sub_s64_overflow(value, *p - '0', &value));
	if (fits && !negative)
	{
		fits = value != PG_INT64_MIN;
		value = fits ? -value : 0;
	}
	fits = fits && value >= min && value <= max;

	/*
	 * Below LONG a decimal that Spark doesn't hold in a long goes through a
	 * double.  Whether it does can't be known here: where it would matter,
	 * there is no answer.
	 */
	if (to != DELTA_LONG)
	{
		double		d = strtod(text, NULL);
		bool		d_fits = floor(d) <= (double) max && ceil(d) >= (double) min;

		if (d_fits != fits || (fits && (int64) d != value))
			return CAST_UNSUPPORTED;
	}
	pfree(text);
	if (!fits)
		return cast_fails(error_class, CAST_OVERFLOW_CLASS);
	result->i = value;
	return CAST_OK;
}

CastResult
deltacc_cast_to_integral(const DeltaType *from, DeltaKind to, DeltaScalar v,
						 DeltaScalar *result, const char **error_class)
{
	int64		min;
	int64		max;
	int64		value;

	integral_bounds(to, &min, &max);

	switch (from->kind)
	{
		case DELTA_STRING:
			return string_to_integral(v.s, min, max, result, error_class);
		case DELTA_DECIMAL:
			return decimal_to_integral(v.n, to, min, max, result, error_class);
		case DELTA_FLOAT:
		case DELTA_DOUBLE:

			/*
			 * FloatExactNumeric, DoubleExactNumeric: the bounds are compared as
			 * doubles, so that 2^63 still passes and becomes the greatest long.
			 */
			if (!(floor(v.d) <= (double) max && ceil(v.d) >= (double) min))
				return cast_fails(error_class, CAST_OVERFLOW_CLASS);
			if (v.d >= -(double) PG_INT64_MIN)
				value = PG_INT64_MAX;
			else
				value = (int64) v.d;
			break;
		case DELTA_TIMESTAMP:
			value = floor_div(v.i, MICROS_PER_SECOND);
			break;
		case DELTA_BOOLEAN:
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			value = v.i;
			break;
		default:
			return CAST_UNSUPPORTED;
	}
	if (value < min || value > max)
		return cast_fails(error_class, CAST_OVERFLOW_CLASS);
	result->i = value;
	return CAST_OK;
}

/* Cast.processFloatingPointSpecialLiterals */
static bool
special_double(const char *s, int len, double *result)
{
	double		sign = 1;

	trim_java(&s, &len);
	if (len == 3 && pg_strncasecmp(s, "nan", 3) == 0)
	{
		*result = get_float8_nan();
		return true;
	}
	if (len > 0 && (*s == '-' || *s == '+'))
	{
		sign = *s == '-' ? -1 : 1;
		s++;
		len--;
	}
	if ((len == 3 && pg_strncasecmp(s, "inf", 3) == 0) ||
		(len == 8 && pg_strncasecmp(s, "infinity", 8) == 0))
	{
		*result = sign * get_float8_infinity();
		return true;
	}
	return false;
}

CastResult
deltacc_cast_to_double(const DeltaType *from, bool is_float, DeltaScalar v,
					   DeltaScalar *result, const char **error_class)
{
	switch (from->kind)
	{
		case DELTA_STRING:
			if (!deltacc_parse_double(v.s->data, v.s->len, is_float, &result->d) &&
				!special_double(v.s->data, v.s->len, &result->d))
				return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
			return CAST_OK;
		case DELTA_DECIMAL:
			{
				char	   *text = deltacc_decimal_text(v.n);

				result->d = is_float ? (double) strtof(text, NULL) : strtod(text, NULL);
				pfree(text);
				return CAST_OK;
			}
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			result->d = is_float ? (double) (float) v.d : v.d;
			return CAST_OK;
		case DELTA_TIMESTAMP:
			result->d = (double) v.i / (double) MICROS_PER_SECOND;
			if (is_float)
				result->d = (float) result->d;
			return CAST_OK;
		case DELTA_BOOLEAN:
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			/* straight to float: by way of a double it would round twice */
			result->d = is_float ? (double) (float) v.i : (double) v.i;
			return CAST_OK;
		default:
			return CAST_UNSUPPORTED;
	}
}

CastResult
deltacc_cast_to_decimal(const DeltaType *from, const DeltaType *to, DeltaScalar v,
						DeltaScalar *result, const char **error_class)
{
	int			precision = to->precision;
	int			scale = to->scale;
	CastResult	outcome;
	bool		ok;

	switch (from->kind)
	{
		case DELTA_STRING:
			{
				const char *s = v.s->data;
				int			len = v.s->len;

				trim_java(&s, &len);
				return deltacc_parse_decimal(s, len, precision, scale, &result->n, error_class);
			}
		case DELTA_DECIMAL:
			ok = deltacc_decimal_rescale(v.n, precision, scale, &result->n);
			break;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			if (isnan(v.d) || isinf(v.d))
				return CAST_NULL;	/* Spark swallows the
									 * NumberFormatException */
			outcome = deltacc_double_to_decimal(v.d, precision, scale, &result->n);
			return outcome == CAST_ERROR ? cast_fails(error_class, NUMERIC_RANGE_CLASS) : outcome;
		case DELTA_TIMESTAMP:
			ok = deltacc_decimal_rescale(int64_div_fast_to_numeric(v.i, 6), precision, scale, &result->n);
			break;
		case DELTA_BOOLEAN:
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			{
				char		buf[32];
				int			len = pg_lltoa(v.i, buf);
				DecimalText d;

				ok = parse_decimal_text(buf, len, &d) == PARSE_OK &&
					round_decimal(&d, precision, scale, &result->n);
				break;
			}
		default:
			return CAST_UNSUPPORTED;
	}
	if (!ok)
		return cast_fails(error_class, NUMERIC_RANGE_CLASS);
	return CAST_OK;
}
