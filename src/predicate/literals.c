/*-------------------------------------------------------------------------
 *
 * literals.c
 *	  Numbers, strings, dates, times and intervals as Spark's parser
 *	  (AstBuilder) types them.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "common/int.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "base/hex.h"
#include "delta/cast.h"
#include "predicate/literals.h"
#include "predicate/names.h"

#define MAX_PRECISION	38
#define MICROS_PER_SECOND	INT64CONST(1000000)

static DeltaExpr *integer_literal(const PredicateNode *node, bool negate);
static DeltaExpr *typed_integer_literal(const PredicateNode *node, bool negate);
static DeltaExpr *decimal_literal(const PredicateNode *node, bool negate);
static DeltaExpr *double_literal(const PredicateNode *node, bool negate);
static DeltaExpr *string_literal(const PredicateNode *node);
static DeltaExpr *binary_literal(const PredicateNode *node);
static DeltaExpr *datetime_literal(const PredicateNode *node, const DeltaccOptions *options);
static DeltaExpr *interval_literal(const PredicateNode *node);

DeltaExpr *
deltacc_literal(const PredicateNode *node, const DeltaccOptions *options, bool negate)
{
	switch (node->kind)
	{
		case PRED_NULL:
			return deltacc_expr_null(deltacc_type(DELTA_VOID));
		case PRED_TRUE:
			return deltacc_expr_bool(true);
		case PRED_FALSE:
			return deltacc_expr_bool(false);
		case PRED_INTEGER:
			return integer_literal(node, negate);
		case PRED_BYTE:
		case PRED_SHORT:
		case PRED_LONG:
			return typed_integer_literal(node, negate);
		case PRED_DECIMAL:
			return decimal_literal(node, negate);
		case PRED_FLOAT:
		case PRED_DOUBLE:
			return double_literal(node, negate);
		case PRED_STRING:
			return string_literal(node);
		case PRED_BINARY:
			return binary_literal(node);
		case PRED_DATE:
		case PRED_TIMESTAMP:
		case PRED_TIMESTAMP_NTZ:
		case PRED_TIMESTAMP_LTZ:
			return datetime_literal(node, options);
		case PRED_INTERVAL:
			return interval_literal(node);
		default:
			return NULL;
	}
}

static void
bad_literal(const PredicateNode *node, int sqlstate, const char *what, const char *hint)
{
	char	   *text = deltacc_names_message_text(node->text, Min(node->text_len, 100));

	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("invalid %s: \"%s\"", what, text),
			 deltacc_names_errplace(node),
			 hint != NULL ? errhint("%s", hint) : 0));
}

/*
 * The digits of a number without suffix, blanks or underscores, with its sign.
 */
static char *
number_text(const PredicateNode *node, bool negate)
{
	StringInfoData text;
	int			i = 0;

	initStringInfo(&text);
	while (i < node->text_len && (node->text[i] == '-' || node->text[i] == '+' || node->text[i] == ' '))
	{
		if (node->text[i] == '-')
			negate = !negate;
		i++;
	}
	if (negate)
		appendStringInfoChar(&text, '-');
	appendBinaryStringInfo(&text, node->text + i, node->text_len - i);
	return text.data;
}

/*
 * An integer in a range; false if it is out of it or no integer at all.
 */
static bool
parse_int64(const char *s, int64 min, int64 max, int64 *result)
{
	bool		negative = *s == '-';
	int64		value = 0;

	if (negative)
		s++;
	if (*s == '\0')
		return false;
	for (; *s != '\0'; s++)
	{
		if (!isdigit((unsigned char) *s))
			return false;
		/* downwards, for the least int64 */
		if (pg_mul_s64_overflow(value, 10, &value) || pg_sub_s64_overflow(value, *s - '0', &value))
			return false;
	}
	if (!negative)
	{
		if (value == PG_INT64_MIN)
			return false;
		value = -value;
	}
	*result = value;
	return value >= min && value <= max;
}

static DeltaExpr *
integer_literal(const PredicateNode *node, bool negate)
{
	char	   *text = number_text(node, negate);
	DeltaScalar value;

	if (parse_int64(text, PG_INT32_MIN, PG_INT32_MAX, &value.i))
		return deltacc_expr_literal(deltacc_type(DELTA_INTEGER), value);
	if (parse_int64(text, PG_INT64_MIN, PG_INT64_MAX, &value.i))
		return deltacc_expr_literal(deltacc_type(DELTA_LONG), value);
	return decimal_literal(node, negate);
}

static DeltaExpr *
typed_integer_literal(const PredicateNode *node, bool negate)
{
	DeltaKind	kind = DELTA_LONG;
	int64		min = PG_INT64_MIN;
	int64		max = PG_INT64_MAX;
	DeltaScalar value;

	if (node->kind == PRED_BYTE)
	{
		kind = DELTA_BYTE;
		min = PG_INT8_MIN;
		max = PG_INT8_MAX;
	}
	else if (node->kind == PRED_SHORT)
	{
		kind = DELTA_SHORT;
		min = PG_INT16_MIN;
		max = PG_INT16_MAX;
	}
	if (!parse_int64(number_text(node, negate), min, max, &value.i))
	{
		DeltaType	type = deltacc_type(kind);

		bad_literal(node, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, deltacc_type_name(&type), NULL);
	}
	return deltacc_expr_literal(deltacc_type(kind), value);
}

/*
 * The precision and scale of a decimal's text, as java.math.BigDecimal and
 * Spark's Decimal have them: the digits after leading zeros, at least as many
 * as stand behind the point.  False: it is no number.
 */
static bool
decimal_size(const char *s, int64 *precision, int64 *scale)
{
	int64		digits = 0;
	int64		fraction = 0;
	int64		exponent = 0;
	bool		any = false;
	bool		point = false;

	if (*s == '-')
		s++;
	for (; isdigit((unsigned char) *s) || (*s == '.' && !point); s++)
	{
		if (*s == '.')
		{
			point = true;
			continue;
		}
		any = true;
		if (digits > 0 || *s != '0')
			digits++;
		if (point)
			fraction++;
	}
	if (*s == 'e' || *s == 'E')
	{
		const char *e = s + 1;

		if (*e == '+')
			e++;
		if (!parse_int64(e, -100000, 100000, &exponent))
			return false;
		s = "";
	}
	*scale = fraction - exponent;
	*precision = Max(digits, 1);
	if (*scale < 0)
	{
		*precision -= *scale;
		*scale = 0;
	}
	*precision = Max(*precision, *scale);
	return any && *s == '\0';
}

static DeltaExpr *
decimal_literal(const PredicateNode *node, bool negate)
{
	char	   *text = number_text(node, negate);
	int64		precision;
	int64		scale;
	DeltaScalar value;
	Datum		numeric;

	if (!decimal_size(text, &precision, &scale))
		bad_literal(node, ERRCODE_INVALID_TEXT_REPRESENTATION, "decimal", NULL);
	if (precision > MAX_PRECISION)
		bad_literal(node, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, "decimal",
					"A decimal has at most 38 digits. Append D for a double.");
	numeric = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	/* as many digits behind the point as its type says */
	numeric = DirectFunctionCall2(numeric_round, numeric, Int32GetDatum((int32) scale));
	value.n = DatumGetNumeric(numeric);
	return deltacc_expr_literal(deltacc_decimal_type((int) precision, (int) scale), value);
}

static DeltaExpr *
double_literal(const PredicateNode *node, bool negate)
{
	bool		is_float = node->kind == PRED_FLOAT;
	char	   *text = number_text(node, negate);
	char	   *end;
	DeltaScalar value;

	value.d = is_float ? (double) strtof(text, &end) : strtod(text, &end);
	if (*end != '\0' || end == text)
		bad_literal(node, ERRCODE_INVALID_TEXT_REPRESENTATION, is_float ? "float" : "double", NULL);
	if (isinf(value.d))
		bad_literal(node, ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE, is_float ? "float" : "double",
					"The number is too large. Write double('Infinity') if that is meant.");
	return deltacc_expr_literal(deltacc_type(is_float ? DELTA_FLOAT : DELTA_DOUBLE), value);
}

static DeltaExpr *
string_literal(const PredicateNode *node)
{
	return deltacc_expr_literal(deltacc_type(DELTA_STRING),
								deltacc_string_value(node->text_len > 0 ? node->text : "", node->text_len));
}

/*
 * Hex digits; an odd number of them gets a 0 in front.
 */
static DeltaExpr *
binary_literal(const PredicateNode *node)
{
	int			nbytes = (node->text_len + 1) / 2;
	char	   *bytes = palloc_extended((Size) nbytes + 1, MCXT_ALLOC_HUGE);
	int			high = 0;
	bool		have_high = node->text_len % 2 != 0;
	int			n = 0;
	int			i;

	for (i = 0; i < node->text_len; i++)
	{
		int			digit = deltacc_hex_digit(node->text[i]);

		if (digit < 0)
			bad_literal(node, ERRCODE_INVALID_TEXT_REPRESENTATION, "binary literal",
						"X'...' holds hexadecimal digits.");
		if (have_high)
			bytes[n++] = (char) (high * 16 + digit);
		high = digit;
		have_high = !have_high;
	}
	return deltacc_expr_literal(deltacc_type(DELTA_BINARY), deltacc_string_value(bytes, n));
}

static bool
is_word(const PredicateNode *node, const char *word)
{
	return node->text_len == (int) strlen(word) && pg_strncasecmp(node->text, word, node->text_len) == 0;
}

/*
 * DATE 'today' and the like: a moment that we don't know.
 */
static bool
is_special_moment(const PredicateNode *node)
{
	return is_word(node, "now") || is_word(node, "today") ||
		is_word(node, "yesterday") || is_word(node, "tomorrow");
}

static DeltaExpr *
datetime_literal(const PredicateNode *node, const DeltaccOptions *options)
{
	DeltaKind	kind = DELTA_TIMESTAMP;
	DeltaType	type;
	DeltaScalar value = {0};
	bool		valid;

	if (node->kind == PRED_DATE)
		kind = DELTA_DATE;
	else if (node->kind == PRED_TIMESTAMP_NTZ)
		kind = DELTA_TIMESTAMP_NTZ;
	type = deltacc_type(kind);

	if (is_special_moment(node))
	{
		StringInfoData text;

		initStringInfo(&text);
		deltacc_predicate_print(&text, node);
		return deltacc_expr_unknown(type, text.data, EXPR_HAS_CONTEXT, 0, NULL);
	}
	if (is_word(node, "epoch"))
		valid = true;
	else if (kind == DELTA_DATE)
		valid = deltacc_parse_date(node->text, node->text_len, &value.i);
	else if (kind == DELTA_TIMESTAMP)
		valid = deltacc_parse_timestamp(node->text, node->text_len, options->timezone, &value.i);
	else
		valid = deltacc_parse_timestamp_ntz(node->text, node->text_len, true, &value.i);
	if (!valid)
		bad_literal(node, ERRCODE_INVALID_DATETIME_FORMAT, psprintf("%s literal", deltacc_type_name(&type)),
					kind == DELTA_DATE ? "Write it like DATE '2026-08-12'." :
					"Write it like TIMESTAMP '2026-08-12 10:00:00'.");
	return deltacc_expr_literal(type, value);
}

/*
 * Intervals
 */
typedef struct IntervalUnit
{
	const char *name;			/* singular */
	bool		months;
	int			field;			/* of a day-time interval */
	int64		size;			/* in months or microseconds */
} IntervalUnit;

static const IntervalUnit interval_units[] = {
	{"year", true, 0, 12},
	{"month", true, 0, 1},
	{"week", false, INTERVAL_FIELD_DAY, INT64CONST(7) * 24 * 3600 * 1000000},
	{"day", false, INTERVAL_FIELD_DAY, INT64CONST(24) * 3600 * 1000000},
	{"hour", false, INTERVAL_FIELD_HOUR, INT64CONST(3600) * 1000000},
	{"minute", false, INTERVAL_FIELD_MINUTE, INT64CONST(60) * 1000000},
	{"second", false, INTERVAL_FIELD_SECOND, INT64CONST(1000000)},
	{"millisecond", false, INTERVAL_FIELD_SECOND, 1000},
	{"microsecond", false, INTERVAL_FIELD_SECOND, 1},
};

typedef struct IntervalParser
{
	const char *pos;
	const char *end;
	bool		has_months;
	bool		has_micros;
	int			first;			/* fields seen */
	int			last;
	int64		months;
	int64		micros;
} IntervalParser;

static void
skip_blanks(IntervalParser *p)
{
	while (p->pos < p->end && isspace((unsigned char) *p->pos))
		p->pos++;
}

static const IntervalUnit *
next_unit(IntervalParser *p)
{
	const char *start;
	int			len;
	int			i;

	skip_blanks(p);
	start = p->pos;
	while (p->pos < p->end && isalpha((unsigned char) *p->pos))
		p->pos++;
	len = p->pos - start;
	for (i = 0; i < lengthof(interval_units); i++)
	{
		const char *name = interval_units[i].name;
		int			name_len = strlen(name);

		if ((len == name_len || (len == name_len + 1 && pg_tolower((unsigned char) start[name_len]) == 's')) &&
			pg_strncasecmp(start, name, name_len) == 0)
			return &interval_units[i];
	}
	p->pos = start;
	return NULL;
}

/*
 * A number of units: digits with a fraction where the unit is small enough for
 * one (seconds).  sign is +1 or -1.
 */
static bool
add_amount(IntervalParser *p, const char *number, int len, int sign, const IntervalUnit *unit)
{
	int64	   *sum = unit->months ? &p->months : &p->micros;
	int64		whole = 0;
	int64		fraction = 0;
	int64		scale = 1;
	bool		any = false;
	int			i;

	for (i = 0; i < len && isdigit((unsigned char) number[i]); i++)
	{
		any = true;
		if (pg_mul_s64_overflow(whole, 10, &whole) || pg_add_s64_overflow(whole, number[i] - '0', &whole))
			return false;
	}
	if (i < len && number[i] == '.' && unit->size == MICROS_PER_SECOND && !unit->months)
	{
		for (i++; i < len && isdigit((unsigned char) number[i]); i++)
		{
			any = true;
			if (scale < MICROS_PER_SECOND)
			{
				fraction = fraction * 10 + (number[i] - '0');
				scale *= 10;
			}
		}
		fraction *= MICROS_PER_SECOND / scale;
	}
	if (!any || i != len)
		return false;
	if (pg_mul_s64_overflow(whole, unit->size, &whole) || pg_add_s64_overflow(whole, fraction, &whole) ||
		pg_mul_s64_overflow(whole, sign, &whole) || pg_add_s64_overflow(*sum, whole, sum))
		return false;

	if (unit->months)
		p->has_months = true;
	else
	{
		p->first = p->has_micros ? Min(p->first, unit->field) : unit->field;
		p->last = p->has_micros ? Max(p->last, unit->field) : unit->field;
		p->has_micros = true;
	}
	return true;
}

static int
next_sign(IntervalParser *p)
{
	int			sign = 1;

	skip_blanks(p);
	while (p->pos < p->end && (*p->pos == '-' || *p->pos == '+'))
	{
		if (*p->pos++ == '-')
			sign = -sign;
		skip_blanks(p);
	}
	return sign;
}

static bool
next_number(IntervalParser *p, const char **number, int *len)
{
	skip_blanks(p);
	*number = p->pos;
	while (p->pos < p->end && (isdigit((unsigned char) *p->pos) || *p->pos == '.'))
		p->pos++;
	*len = p->pos - *number;
	return *len > 0;
}

/*
 * '1 02:03:04.5' DAY TO SECOND: the parts of a string belong to the units from
 * the first to the last.
 */
static bool
parse_range(IntervalParser *p, const char *s, int len, int sign, const IntervalUnit *from, const IntervalUnit *to)
{
	IntervalParser parts = {.pos = s,.end = s + len};
	const IntervalUnit *unit;

	sign *= next_sign(&parts);
	for (unit = from; unit <= to; unit++)
	{
		const char *number;
		int			number_len;

		if (strcmp(unit->name, "week") == 0)
			continue;
		if (unit != from)
		{
			if (parts.pos == parts.end || strchr(" :-", *parts.pos) == NULL)
				return false;
			parts.pos++;
		}
		if (!next_number(&parts, &number, &number_len) || !add_amount(p, number, number_len, sign, unit))
			return false;
	}
	skip_blanks(&parts);
	return parts.pos == parts.end;
}

/* Amounts and units in turn: 1 DAY 2 HOURS; with quotes around an amount or
 * around it all. */
static bool
parse_amounts(IntervalParser *p)
{
	bool		any = false;

	for (skip_blanks(p); p->pos < p->end; skip_blanks(p))
	{
		int			sign = next_sign(p);
		const char *number;
		int			len;
		const IntervalUnit *unit;
		const IntervalUnit *to = NULL;

		if (p->pos < p->end && (*p->pos == '\'' || *p->pos == '"'))
		{
			const char *close = memchr(p->pos + 1, *p->pos, p->end - p->pos - 1);

			if (close == NULL)
				return false;
			number = p->pos + 1;
			len = close - number;
			p->pos = close + 1;
			unit = next_unit(p);
			if (unit == NULL)
			{
				/* the string holds the units, too */
				IntervalParser inner = *p;
				bool		valid;

				skip_blanks(p);
				if (any || p->pos != p->end || sign < 0)
					return false;
				inner.pos = number;
				inner.end = number + len;
				valid = parse_amounts(&inner);
				inner.pos = inner.end = p->end;
				*p = inner;
				return valid;
			}
			skip_blanks(p);
			if (p->end - p->pos > 3 && pg_strncasecmp(p->pos, "to", 2) == 0 && isspace((unsigned char) p->pos[2]))
			{
				p->pos += 2;
				to = next_unit(p);
				if (to == NULL || to <= unit || to->months != unit->months)
					return false;
				if (!parse_range(p, number, len, sign, unit, to))
					return false;
			}
			else if (!parse_range(p, number, len, sign, unit, unit))
				return false;
		}
		else
		{
			if (!next_number(p, &number, &len))
				return false;
			unit = next_unit(p);
			if (unit == NULL || !add_amount(p, number, len, sign, unit))
				return false;
		}
		any = true;
	}
	return any;
}

static DeltaExpr *
interval_literal(const PredicateNode *node)
{
	IntervalParser p = {.pos = node->text,.end = node->text + node->text_len};
	DeltaScalar value;
	DeltaType	type;

	if (!parse_amounts(&p))
		bad_literal(node, ERRCODE_INVALID_DATETIME_FORMAT, "interval literal",
					"Write it like INTERVAL 1 DAY or INTERVAL '1 02:00:00' DAY TO SECOND.");
	if (p.has_months && p.has_micros)
		return deltacc_expr_unknown(deltacc_type(DELTA_OTHER), pnstrdup(node->text, node->text_len), 0, 0, NULL);
	if (p.has_months)
	{
		if (p.months < PG_INT32_MIN || p.months > PG_INT32_MAX)
			bad_literal(node, ERRCODE_INTERVAL_FIELD_OVERFLOW, "interval literal", NULL);
		value.i = p.months;
		return deltacc_expr_literal(deltacc_type(DELTA_INTERVAL_MONTHS), value);
	}
	type = deltacc_type(DELTA_INTERVAL_MICROS);
	type.precision = p.first;
	type.scale = p.last;
	value.i = p.micros;
	return deltacc_expr_literal(type, value);
}
