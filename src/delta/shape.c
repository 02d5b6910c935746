/*-------------------------------------------------------------------------
 *
 * shape.c
 *	  The short form of a column of statistics: eight bytes for each value,
 *	  beside its text.
 *
 * It is made once, when a commit is parsed, so that a check compares numbers
 * instead of reading texts.  What isn't written in the usual way gives the
 * column no shape: its texts are read, then.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "delta/actions_layout.h"
#include "delta/cast_internal.h"
#include "delta/shape.h"
#include "delta/stats.h"
#include "miscadmin.h"
#include "port/pg_bitutils.h"

/* Reads one token; false if it isn't of the shape. */
typedef bool (*TokenReader) (const TokenColumn *t, uint32 i, int64 *value, uint8 *scale);

static inline DeltaString
token_text(const TokenColumn *t, uint32 i)
{
	uint32		start = i > 0 ? t->ends[i - 1] : 0;
	DeltaString s = {(int32) (t->ends[i] - start), t->heap + start};

	return s;
}

/* ----- numbers ----- */

/* 10^0 .. 10^19 */
static const uint64 power_of_ten[] = {
	UINT64CONST(1), UINT64CONST(10), UINT64CONST(100), UINT64CONST(1000), UINT64CONST(10000),
	UINT64CONST(100000), UINT64CONST(1000000), UINT64CONST(10000000), UINT64CONST(100000000),
	UINT64CONST(1000000000), UINT64CONST(10000000000), UINT64CONST(100000000000),
	UINT64CONST(1000000000000), UINT64CONST(10000000000000), UINT64CONST(100000000000000),
	UINT64CONST(1000000000000000), UINT64CONST(10000000000000000),
	UINT64CONST(100000000000000000), UINT64CONST(1000000000000000000),
	UINT64CONST(10000000000000000000)
};

#define MAX_PLAIN_DIGITS 19

/*
 * m / 10^k, rounded to the nearest double as strtod does; false where that
 * isn't simple.
 */
static bool
divide(uint64 m, int k, double *result)
{
	/* Both are exact as doubles, so the one rounding is the division's. */
	if (m <= UINT64CONST(1) << 53)
	{
		*result = (double) m / (double) power_of_ten[k];
		return true;
	}
#ifdef HAVE_INT128
	{
		/*
		 * Both are brought to 64 bits; the quotient has 62 of them at least, and
		 * with the remainder that is enough to round.
		 */
		int			m_shift = 63 - pg_leftmost_one_pos64(m);
		int			d_shift = 63 - pg_leftmost_one_pos64(power_of_ten[k]);
		uint64		divisor = power_of_ten[k] << d_shift;
		uint128		dividend = (uint128) (m << m_shift) << 63;
		uint64		quotient = (uint64) (dividend / divisor);
		bool		rest = dividend % divisor != 0;
		int			shift = pg_leftmost_one_pos64(quotient) - 52;
		uint64		half = UINT64CONST(1) << (shift - 1);
		uint64		low = quotient & (half * 2 - 1);
		uint64		rounded = quotient >> shift;

		if (low > half || (low == half && (rest || (rounded & 1))))
			rounded++;
		*result = ldexp((double) rounded, shift - 63 + d_shift - m_shift);
		return true;
	}
#else
	return false;
#endif
}

/* [-]digits[.digits], by far the most common form. */
static bool
plain_number(DeltaString s, double *result, int *scale)
{
	const char *p = s.data;
	const char *end = p + s.len;
	bool		negative = p < end && *p == '-';
	const char *point = NULL;
	uint64		m = 0;

	if (negative)
		p++;
	if (end - p > MAX_PLAIN_DIGITS)
		return false;
	for (; p < end; p++)
	{
		if (*p >= '0' && *p <= '9')
			m = m * 10 + (*p - '0');
		else if (*p == '.' && point == NULL)
			point = p;
		else
			return false;
	}
	*scale = point ? end - point - 1 : 0;
	if (!divide(m, *scale, result))
		return false;
	if (negative)
		*result = -*result;
	return true;
}

static bool
read_double(const TokenColumn *t, uint32 i, int64 *value, uint8 *scale)
{
	ActionsColumn column = {.n = t->n,.kinds = t->kinds,.ints = t->ints,.ends = t->ends,.heap = t->heap};
	DeltaType	type = deltacc_type(DELTA_DOUBLE);
	DeltaScalar scalar;
	int			digits;

	if (t->kinds[i] == TOKEN_INT)
		scalar.d = (double) t->ints[i];
	else if (t->kinds[i] == TOKEN_NUMBER && plain_number(token_text(t, i), &scalar.d, &digits))
		*scale = Max(*scale, digits);
	else
	{
		if (!deltacc_stat_value(&column, i, &type, NULL, false, &scalar))
			return false;
		*scale = SCALE_UNKNOWN;
	}
	*value = shape_from_double(scalar.d);
	return true;
}

/* ----- dates and timestamps ----- */

/* The number that n digits stand for; -1 if not all are digits. */
static inline int
digits_at(const char *s, int n)
{
	int			value = 0;

	for (int i = 0; i < n; i++)
	{
		if (s[i] < '0' || s[i] > '9')
			return -1;
		value = value * 10 + (s[i] - '0');
	}
	return value;
}

/* 2024-01-31 */
static bool
days_at(const char *s, int64 *days)
{
	int			year = digits_at(s, 4);
	int			month = digits_at(s + 5, 2);
	int			day = digits_at(s + 8, 2);

	if (s[4] != '-' || s[7] != '-' || year < 0 || !deltacc_date_is_valid(year, month, day))
		return false;
	*days = deltacc_days_from_civil(year, month, day);
	return true;
}

/* 2024-01-31T10:00:00.123 or .123456 */
static bool
micros_at(const char *s, int len, int64 *micros)
{
	int			hour,
				minute,
				second,
				fraction;
	int64		days;

	if ((len != 23 && len != 26) || !days_at(s, &days) ||
		s[10] != 'T' || s[13] != ':' || s[16] != ':' || s[19] != '.')
		return false;
	hour = digits_at(s + 11, 2);
	minute = digits_at(s + 14, 2);
	second = digits_at(s + 17, 2);
	fraction = digits_at(s + 20, len - 20);
	if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 59 || fraction < 0)
		return false;
	*micros = days * MICROS_PER_DAY + ((hour * 60 + minute) * 60 + second) * MICROS_PER_SECOND +
		(len == 23 ? fraction * 1000 : fraction);
	return true;
}

static bool
read_date(const TokenColumn *t, uint32 i, int64 *value, uint8 *scale)
{
	DeltaString s = token_text(t, i);

	return t->kinds[i] == TOKEN_STRING && s.len == 10 && days_at(s.data, value);
}

static bool
read_timestamp(const TokenColumn *t, uint32 i, int64 *value, uint8 *scale)
{
	DeltaString s = token_text(t, i);

	return t->kinds[i] == TOKEN_STRING && s.len > 0 && s.data[s.len - 1] == 'Z' &&
		micros_at(s.data, s.len - 1, value);
}

static bool
read_timestamp_ntz(const TokenColumn *t, uint32 i, int64 *value, uint8 *scale)
{
	DeltaString s = token_text(t, i);

	return t->kinds[i] == TOKEN_STRING && micros_at(s.data, s.len, value);
}

/* ----- columns ----- */

static const TokenReader readers[] = {
	[SHAPE_DOUBLE] = read_double,
	[SHAPE_DATE] = read_date,
	[SHAPE_TIMESTAMP] = read_timestamp,
	[SHAPE_TIMESTAMP_NTZ] = read_timestamp_ntz,
};

/* Reads all tokens from first on by the shape; NULL if one isn't of it. */
static int64 *
read_all(const TokenColumn *t, uint32 first, ValueShape shape, uint8 *scale)
{
	int64	   *values = palloc_extended(sizeof(int64) * (Size) t->n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (uint32 i = first; i < t->n; i++)
	{
		if (i % 65536 == 0)
			CHECK_FOR_INTERRUPTS();
		if (TOKEN_HAS_VALUE(t->kinds[i]) && !readers[shape] (t, i, &values[i], scale))
		{
			pfree(values);
			return NULL;
		}
	}
	return values;
}

/* Strings of any kind. */
static ColumnShape
shape_strings(const TokenColumn *t, uint32 first)
{
	ColumnShape result = {SHAPE_PREFIX};
	DeltaString one = token_text(t, first);
	int64	   *values = palloc_extended(sizeof(int64) * (Size) t->n, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	int			common = Min(one.len, BOUND_TEXT_LENGTH);

	for (uint32 i = first; i < t->n && common > 0; i++)
	{
		DeltaString s = token_text(t, i);

		if (t->kinds[i] != TOKEN_STRING)
			continue;
		common = Min(common, s.len);
		while (memcmp(s.data, one.data, common) != 0)
			common--;
	}
	for (uint32 i = first; i < t->n; i++)
	{
		DeltaString s = token_text(t, i);

		if (t->kinds[i] == TOKEN_STRING)
			values[i] = deltacc_shape_prefix(s.data + common, s.len - common);
	}
	result.scale = common;
	result.values = values;
	return result;
}

ColumnShape
deltacc_shape_column(const TokenColumn *t)
{
	ColumnShape result = {SHAPE_NONE};
	uint32		first = 0;
	uint8		seen = 0;
	ValueShape	shape = SHAPE_DOUBLE;
	int64		value;

	while (first < t->n && !TOKEN_HAS_VALUE(t->kinds[first]))
		first++;
	if (first == t->n)
		return result;
	for (uint32 i = first; i < t->n; i++)
		seen |= 1 << t->kinds[i];
	if (!(seen & (1 << TOKEN_NUMBER | 1 << TOKEN_STRING)))
	{
		result.shape = SHAPE_INT;
		result.values = t->ints;
		return result;
	}

	/* The first one says which shape it may be. */
	while (shape < lengthof(readers) && !readers[shape] (t, first, &value, &result.scale))
		shape++;
	if (shape < lengthof(readers) && (result.values = read_all(t, first, shape, &result.scale)) != NULL)
		result.shape = shape;
	else if (!(seen & (1 << TOKEN_NUMBER | 1 << TOKEN_INT)))
		result = shape_strings(t, first);
	return result;
}

bool
deltacc_shape_allows(ValueShape shape, const int64 *values, uint32 n)
{
	/* years 0 to 9999 */
	int64		first = -719528;
	int64		last = 2932896;
	bool		outside = false;

	if (shape <= SHAPE_DOUBLE || shape == SHAPE_PREFIX)
		return true;
	if (shape != SHAPE_DATE)
	{
		first *= MICROS_PER_DAY;
		last = (last + 1) * MICROS_PER_DAY - 1;
	}
	for (uint32 i = 0; i < n; i++)
		outside |= values[i] < first || values[i] > last;
	return !outside;
}
