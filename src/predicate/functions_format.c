/*-------------------------------------------------------------------------
 *
 * functions_format.c
 *	  Dates and times by a format: date_format, to_date, to_timestamp,
 *	  unix_timestamp, from_unixtime.
 *
 * Formats are java.time's.  Of these the plain ones are computed (numbers of
 * a fixed width, English names); with all others the result is unknown, and so
 * it is for a text that a format doesn't read as we do.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/coerce.h"
#include "predicate/datetime.h"
#include "predicate/functions_support.h"

#define MAX_PARTS	32
#define DEFAULT_FORMAT	"yyyy-MM-dd HH:mm:ss"

typedef struct FormatPart
{
	char		letter;			/* 0: a literal */
	int			count;			/* of the letter */
	DeltaString literal;
} FormatPart;

typedef struct Format
{
	int			n;
	FormatPart	parts[MAX_PARTS];
} Format;

/* The letters that we know, and how often each may stand. */
static bool
known_letter(char letter, int count)
{
	switch (letter)
	{
		case 'u':
			return count == 4;
		case 'y':
			return count <= 6;
		case 'G':
		case 'x':
		case 'X':
			return count <= 3;
		case 'Z':
			return count <= 5 && count != 4;
		case 'M':
		case 'E':
		case 'L':
			return count <= 4;
		case 'D':
			return count <= 3;
		case 'q':
		case 'Q':
			return count <= 4;
		case 'a':
			return count == 1;
		case 'd':
		case 'H':
		case 'h':
		case 'K':
		case 'k':
		case 'm':
		case 's':
			return count <= 2;
		case 'S':
			return count <= 9;
		default:
			return false;
	}
}

/* Are all of them read, too?  Those that are only written have no year of four
 * digits, or half of the day. */
static bool
is_readable(const Format *f)
{
	for (int i = 0; i < f->n; i++)
	{
		const FormatPart *part = &f->parts[i];

		if ((part->letter == 'y' && part->count != 4) ||
			(part->letter != 0 && strchr("yMEdHmsS", part->letter) == NULL))
			return false;
	}
	return true;
}

static bool
add_literal(Format *f, const char *data, int len)
{
	if (f->n >= MAX_PARTS)
		return false;
	f->parts[f->n].letter = 0;
	f->parts[f->n].literal.data = data;
	f->parts[f->n].literal.len = len;
	f->n++;
	return true;
}

static bool
parse_format(DeltaString s, Format *f)
{
	f->n = 0;
	for (int i = 0; i < s.len;)
	{
		char		c = s.data[i];
		int			start = i;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		{
			while (i < s.len && s.data[i] == c)
				i++;
			if (!known_letter(c, i - start) || f->n >= MAX_PARTS)
				return false;
			f->parts[f->n].letter = c == 'u' ? 'y' : c;
			f->parts[f->n].count = i - start;
			f->n++;
		}
		else if (c == '\'')
		{
			const char *end = memchr(s.data + i + 1, '\'', s.len - i - 1);

			if (end == NULL)
				return false;
			i = end - s.data + 1;
			/* '' is a quote, and within quotes too: leave that alone */
			if (i < s.len && s.data[i] == '\'')
				return false;
			if (!(i - start == 2 ? add_literal(f, "'", 1) : add_literal(f, s.data + start + 1, i - start - 2)))
				return false;
		}
		else if (c == '\0' || strchr("{}#[]", c) != NULL)
			return false;
		else
		{
			i++;
			if (!add_literal(f, s.data + start, 1))
				return false;
		}
	}
	return true;
}

/* ----- writing ----- */

/* The offset of a zone: +hh, +hhmm or +hh:mm, with the seconds if it has any. */
static void
append_offset(StringInfo buf, char letter, int count, int32 offset)
{
	bool		colon = letter == 'Z' ? count == 5 : count == 3;
	int			size = abs(offset);

	if (offset == 0 && (letter == 'X' || (letter == 'Z' && count == 5)))
	{
		appendStringInfoChar(buf, 'Z');
		return;
	}
	appendStringInfo(buf, "%c%02d", offset < 0 ? '-' : '+', size / 3600);
	if (letter == 'Z' || count > 1 || size / 60 % 60 != 0)
		appendStringInfo(buf, "%s%02d", colon ? ":" : "", size / 60 % 60);
	if (letter == 'Z' && count == 5 && size % 60 != 0)
		appendStringInfo(buf, ":%02d", size % 60);
}

/*
 * A local time, and how far its clock is ahead of UTC, in seconds.  False for
 * years that need a sign, or more than four digits.
 */
static bool
format_local(StringInfo buf, const Format *f, int64 local, int32 offset)
{
	static const char *const quarters[] = {"1st quarter", "2nd quarter", "3rd quarter", "4th quarter"};

	int64		days = floor_div(local, MICROS_PER_DAY);
	int64		time = floor_mod(local, MICROS_PER_DAY);
	CivilDate	c = deltacc_civil(days);

	if (c.year < 1 || c.year > 9999)
		return false;
	for (int i = 0; i < f->n; i++)
	{
		const FormatPart *part = &f->parts[i];
		const char *day_name = deltacc_day_names[floor_mod(days + 3, 7)];
		const char *month_name = deltacc_month_names[c.month - 1];
		char		micros[16];

		switch (part->letter)
		{
			case 0:
				appendBinaryStringInfo(buf, part->literal.data, part->literal.len);
				break;
			case 'y':
				if (part->count == 2)
					appendStringInfo(buf, "%02d", (int) c.year % 100);
				else
					appendStringInfo(buf, "%0*d", part->count, (int) c.year);
				break;
			case 'D':
				appendStringInfo(buf, "%0*d", part->count, (int) (days - deltacc_days_from_civil(c.year, 1, 1)) + 1);
				break;
			case 'G':
				appendStringInfoString(buf, "AD");
				break;
			case 'x':
			case 'X':
			case 'Z':
				append_offset(buf, part->letter, part->count, offset);
				break;
			case 'q':
			case 'Q':
				if (part->count == 4)
					appendStringInfoString(buf, quarters[(c.month + 2) / 3 - 1]);
				else
					appendStringInfo(buf, part->count == 3 ? "Q%0*d" : "%0*d", part->count == 3 ? 1 : part->count, (c.month + 2) / 3);
				break;
			case 'a':
				appendStringInfoString(buf, time < 12 * MICROS_PER_HOUR ? "AM" : "PM");
				break;
			case 'h':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_HOUR + 11) % 12 + 1);
				break;
			case 'K':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_HOUR) % 12);
				break;
			case 'k':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_HOUR + 23) % 24 + 1);
				break;
			case 'M':
			case 'L':
				if (part->count >= 3)
					appendBinaryStringInfo(buf, month_name, part->count == 3 ? 3 : (int) strlen(month_name));
				else
					appendStringInfo(buf, "%0*d", part->count, c.month);
				break;
			case 'E':
				appendBinaryStringInfo(buf, day_name, part->count == 4 ? (int) strlen(day_name) : 3);
				break;
			case 'd':
				appendStringInfo(buf, "%0*d", part->count, c.day);
				break;
			case 'H':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_HOUR));
				break;
			case 'm':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_MINUTE % 60));
				break;
			case 's':
				appendStringInfo(buf, "%0*d", part->count, (int) (time / MICROS_PER_SECOND % 60));
				break;
			case 'S':
				snprintf(micros, sizeof(micros), "%06d000", (int) (time % MICROS_PER_SECOND));
				appendBinaryStringInfo(buf, micros, part->count);
				break;
		}
	}
	return true;
}

/*
 * Does the text grow with time?  So it does if the units stand from large to
 * small, none left out, each of a fixed width.
 */
static bool
format_grows(const Format *f)
{
	static const char order[] = "yMdHmsS";
	int			next = 0;

	for (int i = 0; i < f->n; i++)
	{
		const FormatPart *part = &f->parts[i];

		if (part->letter == 0)
			continue;
		if (next >= (int) sizeof(order) - 1 || part->letter != order[next])
			return false;
		if (part->letter != 'S' && part->count != (next == 0 ? 4 : 2))
			return false;
		next++;
	}
	return next > 0;
}

RESOLVE_FIXED(resolve_date_format, DELTA_STRING, DELTA_TIMESTAMP, DELTA_STRING)

static PointResult
format_timestamp(DeltaCallContext *cx, int64 micros, DeltaString pattern, DeltaScalar *result)
{
	StringInfoData buf;
	Format		f;
	int64		local = deltacc_utc_to_local(micros, cx->options->timezone);

	initStringInfo(&buf);
	if (!parse_format(pattern, &f) ||
		!format_local(&buf, &f, local, (int32) ((local - micros) / MICROS_PER_SECOND)))
		return POINT_UNKNOWN;
	*result = deltacc_string_value(buf.data, buf.len);
	return POINT_VALUE;
}

POINT_FUNCTION(point_date_format)
{
	return format_timestamp(cx, args[0].i, *args[1].s, result);
}

RANGE_FUNCTION(range_date_format)
{
	ValueRange	t = deltacc_arg_values(&args[0], row);
	ValueRange	p = deltacc_arg_values(&args[1], row);
	ValueRange	r = {.may = MAY_VALUE | MAY_ERROR};
	StringInfoData lo_text;
	StringInfoData hi_text;
	int64		lo;
	int64		hi;
	Format		f;

	initStringInfo(&lo_text);
	initStringInfo(&hi_text);
	if ((t.may & HAS_BOTH) == HAS_BOTH && deltacc_range_is_point(&args[1].type, &p) &&
		parse_format(*p.lo.s, &f) && format_grows(&f) &&
		deltacc_local_bounds(t.lo.i, t.hi.i, cx->options->timezone, &lo, &hi) &&
		format_local(&lo_text, &f, lo, 0) && format_local(&hi_text, &f, hi, 0))
	{
		r.lo = deltacc_string_value(lo_text.data, lo_text.len);
		r.hi = deltacc_string_value(hi_text.data, hi_text.len);
		r.may = RANGE_CLOSED;
	}
	deltacc_set_range(out, row, r);
}

RESOLVE_FIXED(resolve_from_unixtime, DELTA_STRING, DELTA_LONG, DELTA_STRING)

POINT_FUNCTION(point_from_unixtime)
{
	DeltaString pattern = {strlen(DEFAULT_FORMAT), DEFAULT_FORMAT};

	if (nargs == 2)
		pattern = *args[1].s;
	if (args[0].i > PG_INT64_MAX / MICROS_PER_SECOND / 2 || args[0].i < PG_INT64_MIN / MICROS_PER_SECOND / 2)
		return POINT_UNKNOWN;
	return format_timestamp(cx, args[0].i * MICROS_PER_SECOND, pattern, result);
}

/* ----- reading ----- */

typedef enum ReadResult
{
	READ_OK,
	READ_FAILS,					/* java.time refuses it, for sure */
	READ_UNKNOWN
} ReadResult;

/* Names, a unit twice, a fraction of one digit, letters without a width beside
 * digits: not ours. */
static bool
is_plain(const Format *f)
{
	char		seen[MAX_PARTS + 1] = "";

	for (int p = 0; p < f->n; p++)
	{
		const FormatPart *part = &f->parts[p];
		bool		digits_follow = p + 1 < f->n && f->parts[p + 1].letter != 0;

		if (part->letter == 0)
			continue;
		if ((part->letter == 'M' && part->count > 2) || part->letter == 'E' ||
			(part->letter == 'S' && part->count > 6) || strchr(seen, part->letter) != NULL || (digits_follow && part->count == 1))
			return false;
		seen[strlen(seen)] = part->letter;
	}
	return is_readable(f);
}

/*
 * The digits of a part: as many as its letters; a single letter takes any number
 * of them, a year has four or, with a sign, more.  A fraction may be shorter.
 */
static ReadResult
read_number(DeltaString s, int *i, const FormatPart *part, bool digits_follow, int *number)
{
	int			start = *i;
	int			digits = 0;
	bool		open = part->count == 1 || (part->letter == 'y' && !digits_follow);

	*number = 0;
	if (start < s.len && (s.data[start] == '+' || s.data[start] == '-'))
		return READ_UNKNOWN;
	while (*i < s.len && (open || digits < part->count) && s.data[*i] >= '0' && s.data[*i] <= '9')
	{
		if (digits < 6)
			*number = *number * 10 + (s.data[*i] - '0');
		digits++;
		(*i)++;
	}
	if (part->letter == 'S')
		return digits == part->count && part->count > 1 ? READ_OK : READ_UNKNOWN;
	if (digits < part->count || (open && digits > part->count + (part->count == 1)))
		return READ_FAILS;
	return READ_OK;
}

static ReadResult
read_literal(DeltaString s, int *i, DeltaString literal)
{
	const char *text = s.data + *i;

	if (s.len - *i < literal.len)
		return READ_FAILS;
	*i += literal.len;
	if (memcmp(text, literal.data, literal.len) == 0)
		return READ_OK;
	/* letters in either case */
	return pg_strncasecmp(text, literal.data, literal.len) == 0 ? READ_UNKNOWN : READ_FAILS;
}

/* A text that fits the format in the plainest way, as a local time. */
static ReadResult
read_local(DeltaString s, const Format *f, int64 *local)
{
	int			year = 1970;
	int			month = 1;
	int			day = 1;
	int			hour = 0;
	int			minute = 0;
	int			second = 0;
	int			micros = 0;
	int			i = 0;

	if (!is_plain(f))
		return READ_UNKNOWN;
	for (int p = 0; p < f->n; p++)
	{
		const FormatPart *part = &f->parts[p];
		bool		digits_follow = p + 1 < f->n && f->parts[p + 1].letter != 0;
		int			number;
		ReadResult	r = part->letter == 0 ? read_literal(s, &i, part->literal) :
			read_number(s, &i, part, digits_follow, &number);

		if (r != READ_OK)
			return r;
		switch (part->letter)
		{
			case 'y':
				year = number;
				break;
			case 'M':
				month = number;
				break;
			case 'd':
				day = number;
				break;
			case 'H':
				hour = number;
				break;
			case 'm':
				minute = number;
				break;
			case 's':
				second = number;
				break;
			case 'S':
				for (int k = part->count; k < 6; k++)
					number *= 10;
				micros = number;
				break;
		}
	}
	if (year < 1)
		return READ_UNKNOWN;
	if (i != s.len || !deltacc_date_is_valid(year, month, day) || hour > 23 || minute > 59 || second > 59)
		return READ_FAILS;
	*local = deltacc_days_from_civil(year, month, day) * MICROS_PER_DAY + hour * MICROS_PER_HOUR +
		minute * MICROS_PER_MINUTE + second * MICROS_PER_SECOND + micros;
	return READ_OK;
}

/* What becomes of a text that isn't read. */
static PointResult
not_read(DeltaCallContext *cx, ReadResult r)
{
	if (r == READ_UNKNOWN)
		return POINT_UNKNOWN;
	if (cx->call->function->name[0] == 't' && cx->call->function->name[1] == 'r')
		return POINT_NULL;
	return deltacc_point_error(cx, "CANNOT_PARSE_TIMESTAMP");
}

static bool
only_strings(int nargs, DeltaExpr **args)
{
	return args[0]->type.kind == DELTA_STRING && args[1]->type.kind == DELTA_STRING;
}

RESOLVE_FUNCTION(resolve_to_date)
{
	*type = deltacc_type(DELTA_DATE);
	return only_strings(nargs, args);
}

RESOLVE_FUNCTION(resolve_to_timestamp)
{
	*type = deltacc_type(DELTA_TIMESTAMP);
	return only_strings(nargs, args);
}

RESOLVE_FUNCTION(resolve_to_timestamp_ntz)
{
	*type = deltacc_type(DELTA_TIMESTAMP_NTZ);
	return only_strings(nargs, args);
}

POINT_FUNCTION(point_read)
{
	Format		f;
	int64		local;
	ReadResult	r = READ_UNKNOWN;

	if (parse_format(*args[1].s, &f))
		r = read_local(*args[0].s, &f, &local);
	if (r != READ_OK)
		return not_read(cx, r);
	if (cx->call->type.kind == DELTA_DATE)
		result->i = floor_div(local, MICROS_PER_DAY);
	else if (cx->call->type.kind == DELTA_TIMESTAMP)
		result->i = deltacc_local_to_utc(local, cx->options->timezone);
	else
		result->i = local;
	return POINT_VALUE;
}

/* Seconds since 1970 of a text, a date or a timestamp. */
RESOLVE_FUNCTION(resolve_unix_timestamp)
{
	*type = deltacc_type(DELTA_LONG);
	if (nargs == 2 && !deltacc_implicit_cast(&args[1], deltacc_type(DELTA_STRING)))
		return false;
	switch (args[0]->type.kind)
	{
		case DELTA_STRING:
		case DELTA_TIMESTAMP:
		case DELTA_TIMESTAMP_NTZ:
			return true;
		case DELTA_DATE:
			args[0] = deltacc_coerce_to(args[0], deltacc_type(DELTA_TIMESTAMP));
			return true;
		default:
			return false;
	}
}

POINT_FUNCTION(point_unix_timestamp)
{
	DeltaString pattern = {strlen(DEFAULT_FORMAT), DEFAULT_FORMAT};
	int64		micros = args[0].i;
	Format		f;

	if (arg_kind(cx, 0) == DELTA_STRING)
	{
		ReadResult	r = READ_UNKNOWN;

		if (nargs == 2)
			pattern = *args[1].s;
		if (parse_format(pattern, &f))
			r = read_local(*args[0].s, &f, &micros);
		if (r != READ_OK)
			return not_read(cx, r);
		micros = deltacc_local_to_utc(micros, cx->options->timezone);
	}
	result->i = micros / MICROS_PER_SECOND; /* a fraction is cut off, before 1970 too */
	return POINT_VALUE;
}

MONOTONE_FUNCTION(unix_timestamp_direction)
{
	return args[0].type.kind == DELTA_STRING ? 0 : 1;
}

#define STRICT		FN_NULL_IN_NULL_OUT
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)

const FunctionDef deltacc_format_functions[] = {
	{"date_format", 2, 2, RAISES, resolve_date_format, point_date_format, range_date_format},
	{"from_unixtime", 1, 2, RAISES, resolve_from_unixtime, point_from_unixtime},
	{"to_date", 2, 2, RAISES, resolve_to_date, point_read},
	{"try_to_date", 2, 2, STRICT, resolve_to_date, point_read},
	{"to_timestamp", 2, 2, RAISES, resolve_to_timestamp, point_read},
	{"to_timestamp_ltz", 2, 2, RAISES, resolve_to_timestamp, point_read},
	{"to_timestamp_ntz", 2, 2, RAISES, resolve_to_timestamp_ntz, point_read},
	{"try_to_timestamp", 2, 2, STRICT, resolve_to_timestamp, point_read},
	{"unix_timestamp", 1, 2, RAISES, resolve_unix_timestamp, point_unix_timestamp, NULL, unix_timestamp_direction},
	{"to_unix_timestamp", 1, 2, RAISES, resolve_unix_timestamp, point_unix_timestamp, NULL, unix_timestamp_direction},
	{NULL}
};
