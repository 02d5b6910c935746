/*-------------------------------------------------------------------------
 *
 * stats.c
 *	  From the tokens of a log to typed values.
 *
 * Statistics follow Spark's JacksonParser with its default options: a value
 * that doesn't fit its type is null, and no more than that.  Where a reading
 * of Spark's can't be relied upon it is null here as well: the file stays.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <limits.h>
#include <math.h>

#include "common/int.h"
#include "delta/cast_internal.h"
#include "delta/stats.h"
#include "utils/builtins.h"
#include "utils/float.h"

static inline TokenKind
token_kind(const ActionsColumn *c, int i)
{
	return c ? (TokenKind) c->kinds[i] : TOKEN_ABSENT;
}

/* A string value over the column's own bytes, which outlive it. */
static DeltaScalar
string_over(DeltaString s)
{
	DeltaString *copy = palloc(sizeof(DeltaString));
	DeltaScalar result;

	*copy = s;
	result.s = copy;
	return result;
}

static bool
text_is(DeltaString s, const char *word)
{
	return s.len == strlen(word) && memcmp(s.data, word, s.len) == 0;
}

/*
 * A whole number.  Jackson also takes -0, which the index holds as text.
 */
static bool
stat_integer(const ActionsColumn *c, int i, int64 min, int64 max, int64 *result)
{
	switch (token_kind(c, i))
	{
		case TOKEN_INT:
			*result = c->ints[i];
			break;
		case TOKEN_NUMBER:
			if (!text_is(deltacc_column_text(c, i), "-0"))
				return false;
			*result = 0;
			break;
		default:
			return false;
	}
	return *result >= min && *result <= max;
}

bool
deltacc_stat_count(const ActionsColumn *c, int i, int64 *result)
{
	return stat_integer(c, i, PG_INT64_MIN, PG_INT64_MAX, result);
}

/*
 * FLOAT and DOUBLE: numbers, and the names of the special ones, quoted or not.
 */
static bool
stat_double(const ActionsColumn *c, int i, bool is_float, double *result)
{
	TokenKind	kind = token_kind(c, i);
	DeltaString s;

	if (kind == TOKEN_INT)
	{
		*result = is_float ? (double) (float) c->ints[i] : (double) c->ints[i];
		return true;
	}
	if (kind != TOKEN_NUMBER && kind != TOKEN_STRING)
		return false;

	s = deltacc_column_text(c, i);
	if (text_is(s, "NaN"))
		*result = get_float8_nan();
	else if (text_is(s, "Infinity") || text_is(s, "+Infinity") || text_is(s, "+INF"))
		*result = get_float8_infinity();
	else if (text_is(s, "-Infinity") || text_is(s, "-INF"))
		*result = -get_float8_infinity();
	else if (kind == TOKEN_STRING)
		return false;
	else
		return deltacc_parse_double(s.data, s.len, is_float, result);
	return true;
}

/* A decimal in quotes may have its digits in groups (ExprUtils.getDecimalParser). */
static DeltaString
without_commas(DeltaString s)
{
	char	   *copy;
	DeltaString result;

	if (memchr(s.data, ',', s.len) == NULL)
		return s;
	copy = palloc(s.len);
	result.data = copy;
	result.len = 0;
	for (int i = 0; i < s.len; i++)
	{
		if (s.data[i] != ',')
			copy[result.len++] = s.data[i];
	}
	return result;
}

static bool
stat_decimal(const ActionsColumn *c, int i, const DeltaType *type, Numeric *result)
{
	TokenKind	kind = token_kind(c, i);
	const char *ignored;
	DeltaString s;
	char		buf[32];

	if (kind == TOKEN_INT)
	{
		s.len = pg_lltoa(c->ints[i], buf);
		s.data = buf;
	}
	else if (kind == TOKEN_NUMBER)
		s = deltacc_column_text(c, i);
	else if (kind == TOKEN_STRING)
		s = without_commas(deltacc_column_text(c, i));
	else
		return false;
	return deltacc_parse_decimal(s.data, s.len, type->precision, type->scale, result, &ignored) == CAST_OK;
}

/*
 * A number without digits at position i, which is moved past it: Jackson puts
 * it in quotes when it writes it again.
 */
static const char *
special_number(DeltaString s, int *i)
{
	static const struct
	{
		const char *read;
		const char *written;
	}			words[] = {
		{"NaN", "NaN"},
		{"Infinity", "Infinity"},
		{"+Infinity", "Infinity"},
		{"-Infinity", "-Infinity"},
		{"+INF", "Infinity"},
		{"-INF", "-Infinity"},
	};

	for (int k = 0; k < lengthof(words); k++)
	{
		int			len = strlen(words[k].read);

		if (s.len - *i >= len && memcmp(s.data + *i, words[k].read, len) == 0)
		{
			*i += len;
			return words[k].written;
		}
	}
	return NULL;
}

/*
 * The text of what stands where a string is expected is what Jackson makes of
 * it when it writes it again (copyCurrentStructure): whole numbers as they are,
 * others as Java prints a double, without white space.  False where that isn't
 * sure: escapes, control characters, other quotes.
 */
static bool
written_again(StringInfo out, DeltaString s)
{
	DeltaType	from = deltacc_type(DELTA_DOUBLE);
	DeltaType	to = deltacc_type(DELTA_STRING);
	const char *ignored;
	int			i = 0;

	while (i < s.len)
	{
		int			start = i;
		bool		whole = true;
		DeltaScalar value;
		const char *word = special_number(s, &i);

		if (word != NULL)
		{
			appendStringInfo(out, "\"%s\"", word);
			continue;
		}

		if (strchr(" \t\r\n", s.data[i]) != NULL && s.data[i] != '\0')
		{
			i++;
			continue;
		}
		if (s.data[i] == '"')
		{
			for (i++; i < s.len && s.data[i] != '"'; i++)
				if (s.data[i] == '\\' || (unsigned char) s.data[i] < ' ')
					return false;
			i++;
		}
		else if (s.data[i] == '-' || (s.data[i] >= '0' && s.data[i] <= '9'))
		{
			for (i++; i < s.len && s.data[i] != '\0' && strchr("0123456789+-.eE", s.data[i]) != NULL; i++)
				whole &= s.data[i] >= '0' && s.data[i] <= '9';
			if (i - start == 1 && s.data[start] == '-')
				return false;
			if (!whole)
			{
				if (!deltacc_parse_double(s.data + start, i - start, false, &value.d) ||
					deltacc_cast(&from, &to, value, NULL, &value, &ignored) != CAST_OK)
					return false;
				appendBinaryStringInfo(out, value.s->data, value.s->len);
				continue;
			}
			if (i - start == 2 && s.data[start] == '-' && s.data[start + 1] == '0')
				start++;
		}
		else if (s.data[i] != '\0' && strchr("{}[]:,truefalsn", s.data[i]) != NULL)
			i++;
		else
			return false;
		appendBinaryStringInfo(out, s.data + start, Min(i, s.len) - start);
	}
	return true;
}

static bool
stat_string(const ActionsColumn *c, int i, DeltaScalar *result)
{
	char		buf[32];
	int			len;
	DeltaString s;

	switch (token_kind(c, i))
	{
		case TOKEN_STRING:
			s = deltacc_column_text(c, i);
			break;
		case TOKEN_INT:
			len = pg_lltoa(c->ints[i], buf);
			*result = deltacc_string_value(buf, len);
			return true;
		case TOKEN_TRUE:
			*result = deltacc_string_value("true", 4);
			return true;
		case TOKEN_FALSE:
			*result = deltacc_string_value("false", 5);
			return true;
		case TOKEN_NUMBER:
		case TOKEN_COMPOSITE:
			{
				StringInfoData text;

				initStringInfo(&text);
				if (!written_again(&text, deltacc_column_text(c, i)))
					return false;
				*result = deltacc_string_value(text.data, text.len);
				return true;
			}
		default:
			return false;
	}
	*result = string_over(s);
	return true;
}

/*
 * DateTimeUtils.cleanLegacyTimestampStr, the parser's second try.  NULL if it
 * would change nothing.
 */
static char *
without_gmt(DeltaString s, int *len)
{
	char	   *result = NULL;
	int			n = 0;

	for (int i = 0; i < s.len; i++)
	{
		if (s.len - i >= 3 && memcmp(s.data + i, "GMT", 3) == 0)
		{
			if (result == NULL)
			{
				result = palloc(s.len + 1);
				memcpy(result, s.data, i);
			}
			i += 2;
			continue;
		}
		if (result)
			result[n] = s.data[i];
		n++;
	}
	*len = n;
	return result;
}

/*
 * A date, or (Spark 1.5 wrote that) a string of the number of days.  Before
 * 1582 those would be days of the Julian calendar.
 */
static bool
stat_date(const ActionsColumn *c, int i, int64 *result)
{
	const int64 first_gregorian = -141427;
	DeltaScalar days;
	DeltaString s;
	char	   *cleaned;
	int			len;
	DeltaType	from = deltacc_type(DELTA_STRING);
	const char *ignored;

	if (token_kind(c, i) != TOKEN_STRING)
		return false;
	s = deltacc_column_text(c, i);
	if (s.len == 0)
		return false;
	if (deltacc_parse_date(s.data, s.len, result))
		return true;
	cleaned = without_gmt(s, &len);
	if (cleaned && deltacc_parse_date(cleaned, len, result))
		return true;

	/* Integer.parseInt: no blanks around it */
	if (is_blank_byte(s.data[0]) || is_blank_byte(s.data[s.len - 1]))
		return false;
	days.s = &s;
	if (deltacc_cast_to_integral(&from, DELTA_INTEGER, days, &days, &ignored) != CAST_OK ||
		days.i < first_gregorian)
		return false;
	*result = days.i;
	return true;
}

/* A maximum with what a writer may have cut off, at most the greatest there is. */
static int64
raised(int64 micros)
{
	int64		result;

	return pg_add_s64_overflow(micros, MAX_TIMESTAMP_SLACK, &result) ? PG_INT64_MAX : result;
}

static bool
stat_timestamp(const ActionsColumn *c, int i, pg_tz *tz, bool is_max, int64 *result)
{
	TokenKind	kind = token_kind(c, i);
	int64		seconds;

	if (kind == TOKEN_STRING)
	{
		DeltaString s = deltacc_column_text(c, i);

		if (!deltacc_parse_timestamp(s.data, s.len, tz, result))
		{
			int			len;
			char	   *cleaned = without_gmt(s, &len);

			if (cleaned == NULL || !deltacc_parse_timestamp(cleaned, len, tz, result))
				return false;
		}
	}
	else
	{
		/* seconds since 1970; Spark wraps around past int64 */
		if (!stat_integer(c, i, PG_INT64_MIN, PG_INT64_MAX, &seconds) ||
			pg_mul_s64_overflow(seconds, MICROS_PER_SECOND, result))
			return false;
	}
	if (is_max)
		*result = raised(*result);
	return true;
}

/* Without zone: the form that Delta writes, or a date. */
static bool
stat_timestamp_ntz(const ActionsColumn *c, int i, bool is_max, int64 *result)
{
	DeltaString s;

	if (token_kind(c, i) != TOKEN_STRING)
		return false;
	s = deltacc_column_text(c, i);
	if (!deltacc_parse_timestamp_ntz(s.data, s.len, false, result))
		return false;
	if (is_max)
		*result = raised(*result);
	return true;
}

bool
deltacc_stat_value(const ActionsColumn *c, int i, const DeltaType *type, pg_tz *tz,
				   bool is_max, DeltaScalar *result)
{
	switch (type->kind)
	{
		case DELTA_BOOLEAN:
			result->i = token_kind(c, i) == TOKEN_TRUE;
			return result->i || token_kind(c, i) == TOKEN_FALSE;
		case DELTA_BYTE:

			/*
			 * Jackson takes 128..255 for a byte and wraps it around, so that Delta
			 * finds a maximum of 200 to be -56 and skips the file.  Nothing is known
			 * of such a file.
			 */
			return stat_integer(c, i, SCHAR_MIN, SCHAR_MAX, &result->i);
		case DELTA_SHORT:
			return stat_integer(c, i, PG_INT16_MIN, PG_INT16_MAX, &result->i);
		case DELTA_INTEGER:
			return stat_integer(c, i, PG_INT32_MIN, PG_INT32_MAX, &result->i);
		case DELTA_LONG:
			return stat_integer(c, i, PG_INT64_MIN, PG_INT64_MAX, &result->i);
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			return stat_double(c, i, type->kind == DELTA_FLOAT, &result->d);
		case DELTA_DECIMAL:
			return stat_decimal(c, i, type, &result->n);
		case DELTA_STRING:
			return stat_string(c, i, result);
		case DELTA_DATE:
			return stat_date(c, i, &result->i);
		case DELTA_TIMESTAMP:
			return stat_timestamp(c, i, tz, is_max, &result->i);
		case DELTA_TIMESTAMP_NTZ:
			return stat_timestamp_ntz(c, i, is_max, &result->i);
		default:
			return false;
	}
}

/*
 * partitionValues is a map of strings to Delta: what else stands there is read
 * as its text.
 */
static bool
partition_text(const ActionsColumn *c, int i, DeltaScalar *text)
{
	char		buf[32];
	int			len;

	switch (token_kind(c, i))
	{
		case TOKEN_STRING:
		case TOKEN_NUMBER:
			*text = string_over(deltacc_column_text(c, i));
			return true;
		case TOKEN_INT:
			len = pg_lltoa(c->ints[i], buf);
			*text = deltacc_string_value(buf, len);
			return true;
		case TOKEN_TRUE:
			*text = deltacc_string_value("true", 4);
			return true;
		case TOKEN_FALSE:
			*text = deltacc_string_value("false", 5);
			return true;
		default:
			return false;
	}
}

CastResult
deltacc_partition_value(const ActionsColumn *c, int i, const DeltaType *type, pg_tz *tz,
						DeltaScalar *result, bool *ambiguous, const char **error_class)
{
	DeltaType	from = deltacc_type(DELTA_STRING);
	TokenKind	kind = token_kind(c, i);
	DeltaScalar text;

	*ambiguous = false;
	if (kind == TOKEN_NULL)
		return CAST_NULL;
	if (kind == TOKEN_ABSENT)
	{
		/* Delta takes it for NULL, but nothing says so */
		*ambiguous = true;
		return CAST_NULL;
	}
	if (!partition_text(c, i, &text))
	{
		*ambiguous = true;
		return CAST_UNSUPPORTED;
	}

	/* NULL by the protocol; an empty string, or an error, to Delta */
	*ambiguous = text.s->len == 0;
	return deltacc_cast(&from, type, text, tz, result, error_class);
}
