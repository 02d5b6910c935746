/*-------------------------------------------------------------------------
 *
 * cast_datetime.c
 *	  Dates, timestamps, zones: their texts, and casts to them.
 *
 * By Spark's SparkDateTimeUtils, and java.time below it: the proleptic
 * Gregorian calendar, and whole days of 86400 seconds.  All arithmetic is done
 * in seconds, where every int64 of microseconds has room.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "common/int.h"
#include "fmgr.h"
#include "utils/fmgrprotos.h"

#include "delta/cast_internal.h"

/* ----- the calendar ----- */

static bool
is_leap_year(int64 year)
{
	return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

bool
deltacc_date_is_valid(int64 year, int month, int day)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (month < 1 || month > 12 || day < 1)
		return false;
	return day <= days[month - 1] + (month == 2 && is_leap_year(year) ? 1 : 0);
}

/*
 * Years are counted from March, so that the day of a leap year is the last,
 * and in cycles of 400 years (146097 days).
 */
int64
deltacc_days_from_civil(int64 year, int month, int day)
{
	int64		y = month <= 2 ? year - 1 : year;
	int64		era = floor_div(y, 400);
	int64		year_of_era = y - era * 400;
	int64		day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
	int64		day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;

	return era * 146097 + day_of_era - 719468;	/* 0000-03-01 to 1970-01-01 */
}

void
deltacc_civil_from_days(int64 days, int64 *year, int *month, int *day)
{
	int64		d = days + 719468;
	int64		era = floor_div(d, 146097);
	int64		day_of_era = d - era * 146097;
	int64		year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
	int64		day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	int			m = (int) ((5 * day_of_year + 2) / 153);

	*day = (int) (day_of_year - (153 * m + 2) / 5 + 1);
	*month = m < 10 ? m + 3 : m - 9;
	*year = year_of_era + era * 400 + (*month <= 2 ? 1 : 0);
}

/* Seconds and microseconds of a second (never negative) as microseconds. */
static bool
make_micros(int64 seconds, int64 micros, int64 *result)
{
	/* the second in which int64 begins isn't all within it */
	if (seconds < 0 && micros > 0)
	{
		seconds++;
		micros -= MICROS_PER_SECOND;
	}
	return !pg_mul_s64_overflow(seconds, MICROS_PER_SECOND, result) &&
		!pg_add_s64_overflow(*result, micros, result);
}

/* ----- zones ----- */

static bool
is_utc(pg_tz *tz)
{
	const char *name;

	if (tz == NULL)
		return true;
	name = pg_get_timezone_name(tz);
	return strcmp(name, "UTC") == 0 || strcmp(name, "GMT") == 0 || strcmp(name, "Etc/UTC") == 0;
}

static int32
offset_at(pg_time_t seconds, pg_tz *tz)
{
	struct pg_tm *tm;

	if (is_utc(tz))
		return 0;
	tm = pg_localtime(&seconds, tz);
	return tm ? (int32) tm->tm_gmtoff : 0;
}

int32
deltacc_utc_offset(int64 utc_micros, pg_tz *tz)
{
	return offset_at(floor_div(utc_micros, MICROS_PER_SECOND), tz);
}

/*
 * The UTC second at which the local clock shows local.  *gap_end is set where
 * it never does, to the second after the clocks were put forward.
 *
 * The transitions of two days around are walked through: no zone is further
 * than a day from UTC.  Both in a gap and where a local time occurs twice the
 * offset before the transition is the right one.
 */
static int64
local_seconds_to_utc(int64 local, pg_tz *tz, bool *in_gap, int64 *gap_end)
{
	pg_time_t	t = local - SECONDS_PER_DAY;
	int64		offset;

	*in_gap = false;
	if (is_utc(tz))
		return local;

	offset = offset_at(t, tz);
	for (;;)
	{
		long		before;
		long		after;
		int			before_isdst;
		int			after_isdst;
		pg_time_t	boundary;

		if (pg_next_dst_boundary(&t, &before, &before_isdst, &boundary, &after, &after_isdst, tz) != 1 ||
			boundary <= t || boundary > local + SECONDS_PER_DAY)
			break;
		if (local < boundary + Max(before, after))
		{
			offset = before;
			if (local >= boundary + before && local < boundary + after)
			{
				*in_gap = true;
				*gap_end = boundary;
			}
			break;
		}
		offset = after;
		t = boundary;
	}
	return local - offset;
}

static bool
local_to_utc(int64 local_micros, pg_tz *tz, int64 *utc_micros)
{
	int64		seconds = floor_div(local_micros, MICROS_PER_SECOND);
	int64		micros = local_micros - seconds * MICROS_PER_SECOND;
	bool		in_gap;
	int64		gap_end;

	return make_micros(local_seconds_to_utc(seconds, tz, &in_gap, &gap_end), micros, utc_micros);
}

static bool
utc_to_local(int64 utc_micros, pg_tz *tz, int64 *local_micros)
{
	return !pg_add_s64_overflow(utc_micros, deltacc_utc_offset(utc_micros, tz) * MICROS_PER_SECOND, local_micros);
}

int64
deltacc_local_to_utc(int64 local_micros, pg_tz *tz)
{
	int64		result;

	if (!local_to_utc(local_micros, tz, &result))
		return local_micros < 0 ? PG_INT64_MIN : PG_INT64_MAX;
	return result;
}

int64
deltacc_utc_to_local(int64 utc_micros, pg_tz *tz)
{
	int64		result;

	if (!utc_to_local(utc_micros, tz, &result))
		return utc_micros < 0 ? PG_INT64_MIN : PG_INT64_MAX;
	return result;
}

bool
deltacc_day_start(int64 days, pg_tz *tz, int64 *micros)
{
	int64		seconds;
	int64		gap_end;
	bool		in_gap;

	/* far past what a timestamp can hold, and far from overflowing */
	if (days < -INT64CONST(200000000) || days > INT64CONST(200000000))
		return false;
	seconds = local_seconds_to_utc(days * SECONDS_PER_DAY, tz, &in_gap, &gap_end);
	return make_micros(in_gap ? gap_end : seconds, 0, micros);
}

static bool
two_digits(const char *s, int *value)
{
	if (s[0] < '0' || s[0] > '9' || s[1] < '0' || s[1] > '9')
		return false;
	*value = (s[0] - '0') * 10 + (s[1] - '0');
	return true;
}

/*
 * ZoneOffset.of, after what SparkDateTimeUtils.getZoneId does to +h:mm and
 * +hh:m: Z, +h, +hh, +hhmm, +hh:mm, +hhmmss, +hh:mm:ss.
 */
static bool
parse_offset(const char *s, int len, int32 *offset)
{
	char		buf[16];
	int			hours = 0;
	int			minutes = 0;
	int			seconds = 0;
	int			sign;
	int			total;
	bool		ok;

	if (len == 1 && *s == 'Z')
	{
		*offset = 0;
		return true;
	}
	if (len < 2 || len > 9 || (*s != '+' && *s != '-'))
		return false;
	sign = *s == '-' ? -1 : 1;
	s++;
	len--;

	/* +h, +h:mm and the like get their zero */
	if (len == 1 || s[1] == ':')
	{
		buf[0] = '0';
		memcpy(buf + 1, s, len);
		len++;
	}
	else
		memcpy(buf, s, len);
	/* +hh:m */
	if (len == 4 && buf[2] == ':')
	{
		buf[4] = buf[3];
		buf[3] = '0';
		len++;
	}
	buf[len] = '\0';

	switch (len)
	{
		case 2:
			ok = two_digits(buf, &hours);
			break;
		case 4:
			ok = two_digits(buf, &hours) && two_digits(buf + 2, &minutes);
			break;
		case 5:
			ok = two_digits(buf, &hours) && buf[2] == ':' && two_digits(buf + 3, &minutes);
			break;
		case 6:
			ok = two_digits(buf, &hours) && two_digits(buf + 2, &minutes) && two_digits(buf + 4, &seconds);
			break;
		case 8:
			ok = two_digits(buf, &hours) && buf[2] == ':' && two_digits(buf + 3, &minutes) &&
				buf[5] == ':' && two_digits(buf + 6, &seconds);
			break;
		default:
			ok = false;
			break;
	}
	total = hours * 3600 + minutes * 60 + seconds;
	if (!ok || minutes > 59 || seconds > 59 || total > 18 * 3600)
		return false;
	*offset = sign * total;
	return true;
}

/* ZoneId.SHORT_IDS of Java 17. */
static const struct
{
	const char *name;
	const char *zone;
}			short_ids[] =
{
	{"ACT", "Australia/Darwin"},
	{"AET", "Australia/Sydney"},
	{"AGT", "America/Argentina/Buenos_Aires"},
	{"ART", "Africa/Cairo"},
	{"AST", "America/Anchorage"},
	{"BET", "America/Sao_Paulo"},
	{"BST", "Asia/Dhaka"},
	{"CAT", "Africa/Harare"},
	{"CNT", "America/St_Johns"},
	{"CST", "America/Chicago"},
	{"CTT", "Asia/Shanghai"},
	{"EAT", "Africa/Addis_Ababa"},
	{"ECT", "Europe/Paris"},
	{"EST", "-05:00"},
	{"HST", "-10:00"},
	{"IET", "America/Indiana/Indianapolis"},
	{"IST", "Asia/Kolkata"},
	{"JST", "Asia/Tokyo"},
	{"MIT", "Pacific/Apia"},
	{"MST", "-07:00"},
	{"NET", "Asia/Yerevan"},
	{"NST", "Pacific/Auckland"},
	{"PLT", "Asia/Karachi"},
	{"PNT", "America/Phoenix"},
	{"PRT", "America/Puerto_Rico"},
	{"PST", "America/Los_Angeles"},
	{"SST", "Pacific/Guadalcanal"},
	{"VST", "Asia/Ho_Chi_Minh"},
};

/*
 * Might a name be a region of the time zone database?  PostgreSQL reads more
 * as a zone than Java does, POSIX rules such as FOO3 above all, and keeps each
 * that it has seen: so only what looks like a region is asked for.
 */
static bool
looks_like_region(const char *name)
{
	static const char *const plain[] = {
		"CET", "CST6CDT", "Cuba", "EET", "EST5EDT", "Egypt", "Eire", "GB", "GB-Eire", "GMT", "GMT0",
		"Greenwich", "Hongkong", "Iceland", "Iran", "Israel", "Jamaica", "Japan", "Kwajalein", "Libya",
		"MET", "MST7MDT", "NZ", "NZ-CHAT", "Navajo", "PRC", "PST8PDT", "Poland", "Portugal", "ROK",
		"Singapore", "Turkey", "UCT", "UTC", "Universal", "W-SU", "WET", "Zulu"
	};
	bool		slash = false;
	bool		digit = false;

	for (const char *p = name; *p; p++)
	{
		bool		letter = (*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z');

		if (p == name ? !letter : !(letter || (*p >= '0' && *p <= '9') || strchr("~/._+-", *p)))
			return false;
		slash = slash || *p == '/';
		digit = digit || (*p >= '0' && *p <= '9');
	}
	if (!slash)
	{
		for (int i = 0; i < lengthof(plain); i++)
		{
			if (strcmp(name, plain[i]) == 0)
				return true;
		}
		return false;
	}

	/* no region has a digit but those named after their offset */
	if (digit)
	{
		int			hours = 0;
		const char *p;

		if (strncmp(name, "Etc/GMT", 7) != 0)
			return false;
		if (strcmp(name + 7, "0") == 0)
			return true;
		if (name[7] != '+' && name[7] != '-')
			return false;
		for (p = name + 8; *p >= '0' && *p <= '9' && p < name + 10; p++)
			hours = hours * 10 + (*p - '0');
		return *p == '\0' && hours <= (name[7] == '-' ? 14 : 12);
	}
	return strncmp(name, "posix/", 6) != 0 && strncmp(name, "right/", 6) != 0 && strstr(name, "..") == NULL;
}

static bool
find_region(const char *name, int32 *offset, pg_tz **tz)
{
	pg_tz	   *zone;

	*offset = 0;
	if (!looks_like_region(name))
		return false;
	zone = pg_tzset(name);
	/* Java's names are case-sensitive */
	if (zone == NULL || !pg_tz_acceptable(zone) || strcmp(pg_get_timezone_name(zone), name) != 0)
		return false;
	*tz = zone;
	return true;
}

bool
deltacc_find_zone(const char *name, int len, int32 *offset, pg_tz **tz)
{
	char		buf[64];
	int			prefix = 0;

	*tz = NULL;
	*offset = 0;
	if (len <= 0 || len >= sizeof(buf) || memchr(name, '\0', len) != NULL)
		return false;
	memcpy(buf, name, len);
	buf[len] = '\0';

	for (int i = 0; i < lengthof(short_ids); i++)
	{
		if (strcmp(buf, short_ids[i].name) == 0)
		{
			len = snprintf(buf, sizeof(buf), "%s", short_ids[i].zone);
			break;
		}
	}

	if (len == 1 || buf[0] == '+' || buf[0] == '-')
		return parse_offset(buf, len, offset);
	if (strncmp(buf, "UTC", 3) == 0 || strncmp(buf, "GMT", 3) == 0)
		prefix = 3;
	else if (strncmp(buf, "UT", 2) == 0)
		prefix = 2;
	if (prefix > 0)
	{
		if (len == prefix)
			return true;
		if (buf[prefix] == '+' || buf[prefix] == '-')
			return parse_offset(buf + prefix, len - prefix, offset);
	}
	return find_region(buf, offset, tz);
}

/* ----- texts ----- */

void
deltacc_append_date(StringInfo out, int64 days)
{
	int64		year;
	int			month;
	int			day;

	deltacc_civil_from_days(days, &year, &month, &day);
	if (year < 0)
		appendStringInfo(out, "-%04lld", (long long) -year);
	else
		appendStringInfo(out, "%s%04lld", year > 9999 ? "+" : "", (long long) year);
	appendStringInfo(out, "-%02d-%02d", month, day);
}

void
deltacc_append_timestamp(StringInfo out, int64 utc_micros, pg_tz *tz)
{
	int64		seconds = floor_div(utc_micros, MICROS_PER_SECOND);
	int			micros = (int) (utc_micros - seconds * MICROS_PER_SECOND);
	int64		days;
	int			time;

	seconds += offset_at(seconds, tz);
	days = floor_div(seconds, SECONDS_PER_DAY);
	time = (int) (seconds - days * SECONDS_PER_DAY);

	deltacc_append_date(out, days);
	appendStringInfo(out, " %02d:%02d:%02d", time / 3600, time / 60 % 60, time % 60);
	if (micros > 0)
	{
		appendStringInfo(out, ".%06d", micros);
		while (out->data[out->len - 1] == '0')
			out->data[--out->len] = '\0';
	}
}

/*
 * DateTimeUtils.stringToDate: [+-]y[yyyyyy], with -[m]m, with -[d]d, and
 * after a complete date anything that begins with a blank or T.
 */
bool
deltacc_parse_date(const char *s, int len, int64 *days)
{
	int			segments[3] = {1, 1, 1};
	int			sign = 1;
	int			n = 0;
	int			value = 0;
	int			digits = 0;
	int			i = 0;

	trim_blank_bytes(&s, &len);
	if (len > 0 && (s[0] == '-' || s[0] == '+'))
	{
		sign = s[0] == '-' ? -1 : 1;
		i++;
	}
	for (; i < len && s[i] != ' ' && s[i] != 'T'; i++)
	{
		if (n < 2 && s[i] == '-')
		{
			if (n == 0 ? (digits < 4 || digits > 7) : (digits < 1 || digits > 2))
				return false;
			segments[n++] = value;
			value = 0;
			digits = 0;
		}
		else if (s[i] >= '0' && s[i] <= '9')
		{
			if (++digits > 7)
				return false;
			value = value * 10 + (s[i] - '0');
		}
		else
			return false;
	}
	if (n == 0 ? (digits < 4 || digits > 7) : (digits < 1 || digits > 2))
		return false;
	if (n < 2 && i < len)
		return false;
	segments[n] = value;

	if (!deltacc_date_is_valid((int64) sign * segments[0], segments[1], segments[2]))
		return false;
	*days = deltacc_days_from_civil((int64) sign * segments[0], segments[1], segments[2]);
	return *days >= PG_INT32_MIN && *days <= PG_INT32_MAX;
}

/* What a timestamp's text says. */
typedef struct TimestampText
{
	int64		date;			/* days */
	int64		second;			/* of the day */
	int64		micros;			/* of the second */
	bool		only_time;		/* no date: today's, in Spark */
	bool		has_zone;
	int32		offset;
	pg_tz	   *tz;				/* NULL: offset */
} TimestampText;

/* The parts of a timestamp, in their order. */
enum
{
	YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, FRACTION, ZONE, NO_PART
};

/* Enters the part that has been read; false if it has a wrong number of digits. */
static bool
enter_part(int64 *parts, int part, int64 value, int digits)
{
	switch (part)
	{
		case YEAR:
			if (digits < 4 || digits > 6)
				return false;
			break;
		case FRACTION:
			/* any number of them: more than 6 have been cut */
			for (; digits < 6; digits++)
				value *= 10;
			break;
		default:
			if (digits < 1 || digits > 2)
				return false;
			break;
	}
	parts[part] = value;
	return true;
}

/* The part that a character after some digits leads to. */
static int
part_after(int part, char c)
{
	switch (part)
	{
		case YEAR:
		case MONTH:
			return c == '-' ? part + 1 : NO_PART;
		case DAY:
			return c == ' ' || c == 'T' ? HOUR : NO_PART;
		case HOUR:
		case MINUTE:
			return c == ':' ? part + 1 : NO_PART;
		case SECOND:
			return c == '.' ? FRACTION : ZONE;
		default:
			return ZONE;
	}
}

/*
 * DateTimeUtils.parseTimestampString.  The parts that aren't there are 1 or 0.
 */
static bool
parse_timestamp_parts(const char *s, int len, int64 *parts, TimestampText *t)
{
	const char *start = s;
	int			part = YEAR;
	int			digits = 0;
	int64		value = 0;
	int64		sign = 0;

	trim_blank_bytes(&s, &len);
	if (len == 0)
		return false;
	if (*s == '-' || *s == '+')
	{
		sign = *s == '-' ? -1 : 1;
		s++;
		len--;
	}

	for (; len > 0; s++, len--)
	{
		char		c = *s;
		int			next;

		if (c >= '0' && c <= '9')
		{
			if (digits < 6)
				value = value * 10 + (c - '0');
			else if (part != FRACTION)
				return false;
			digits++;
			continue;
		}
		if (c == 'T' && s == start)
		{
			t->only_time = true;
			part = HOUR;
			continue;
		}
		if (part == YEAR && c == ':' && sign == 0)
		{
			/* it was the hour */
			t->only_time = true;
			part = HOUR;
		}

		next = part_after(part, c);
		if (next == NO_PART || !enter_part(parts, part, value, digits))
			return false;
		part = next;
		value = 0;
		digits = 0;
		if (part == ZONE)
		{
			/* all that is left is its name */
			trim_java(&s, &len);
			t->has_zone = true;
			break;
		}
	}
	if (part == ZONE ? !deltacc_find_zone(s, len, &t->offset, &t->tz) :
		!enter_part(parts, part, value, digits))
		return false;
	if (sign < 0)
		parts[YEAR] = -parts[YEAR];
	return true;
}

/* The same, with the checks of LocalDate.of and LocalTime.of. */
static bool
parse_timestamp_text(const char *s, int len, TimestampText *t)
{
	int64		parts[ZONE + 1] = {1, 1, 1, 0, 0, 0, 0, 0};

	memset(t, 0, sizeof(*t));
	if (!parse_timestamp_parts(s, len, parts, t) ||
		parts[HOUR] > 23 || parts[MINUTE] > 59 || parts[SECOND] > 59 ||
		!deltacc_date_is_valid(parts[YEAR], (int) parts[MONTH], (int) parts[DAY]))
		return false;
	t->date = deltacc_days_from_civil(parts[YEAR], (int) parts[MONTH], (int) parts[DAY]);
	t->second = parts[HOUR] * 3600 + parts[MINUTE] * 60 + parts[SECOND];
	t->micros = parts[FRACTION];
	return true;
}

/* The instant that a text with a date means. */
static bool
timestamp_text_to_utc(const TimestampText *t, pg_tz *tz, int64 *micros)
{
	int64		seconds = t->date * SECONDS_PER_DAY + t->second;
	int64		gap_end;
	bool		in_gap;

	if (t->has_zone && t->tz == NULL)
		seconds -= t->offset;
	else
		seconds = local_seconds_to_utc(seconds, t->has_zone ? t->tz : tz, &in_gap, &gap_end);
	return make_micros(seconds, t->micros, micros);
}

bool
deltacc_parse_timestamp(const char *s, int len, pg_tz *tz, int64 *micros)
{
	TimestampText t;

	return parse_timestamp_text(s, len, &t) && !t.only_time && timestamp_text_to_utc(&t, tz, micros);
}

bool
deltacc_parse_timestamp_ntz(const char *s, int len, bool allow_zone, int64 *micros)
{
	TimestampText t;

	return parse_timestamp_text(s, len, &t) && !t.only_time && (allow_zone || !t.has_zone) &&
		make_micros(t.date * SECONDS_PER_DAY + t.second, t.micros, micros);
}

/* ----- casts ----- */

CastResult
deltacc_cast_to_date(const DeltaType *from, DeltaScalar v, pg_tz *tz,
					 DeltaScalar *result, const char **error_class)
{
	int64		seconds;

	switch (from->kind)
	{
		case DELTA_STRING:
			if (!deltacc_parse_date(v.s->data, v.s->len, &result->i))
				return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
			return CAST_OK;
		case DELTA_TIMESTAMP:
		case DELTA_TIMESTAMP_NTZ:
			seconds = floor_div(v.i, MICROS_PER_SECOND);
			if (from->kind == DELTA_TIMESTAMP)
				seconds += offset_at(seconds, tz);
			result->i = floor_div(seconds, SECONDS_PER_DAY);
			return CAST_OK;
		default:
			return CAST_UNSUPPORTED;
	}
}

/* DoubleExactNumeric.toLong of the seconds times a million. */
static CastResult
double_to_timestamp(double d, DeltaScalar *result, const char **error_class)
{
	if (isnan(d) || isinf(d))
		return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
	d *= (double) MICROS_PER_SECOND;
	if (!(floor(d) <= (double) PG_INT64_MAX && ceil(d) >= (double) PG_INT64_MIN))
		return cast_fails(error_class, CAST_OVERFLOW_CLASS);
	result->i = d >= -(double) PG_INT64_MIN ? PG_INT64_MAX : (int64) d;
	return CAST_OK;
}

/*
 * The low 64 bits of the integer part of a decimal's text, with its point moved
 * to the right: BigDecimal.longValue().
 */
static int64
wrapped_integer(const char *p, int shift)
{
	bool		negative = *p == '-';
	uint64		value = 0;

	if (negative)
		p++;
	for (; *p >= '0' && *p <= '9'; p++)
		value = value * 10 + (*p - '0');
	if (*p == '.')
		p++;
	for (; shift > 0; shift--)
		value = value * 10 + (*p ? *p++ - '0' : 0);
	return (int64) (negative ? -value : value);
}

/* ... of a number rounded to 34 digits first (MathContext.DECIMAL128). */
#define PRODUCT_DIGITS	34

static char *
rounded_text(char *text)
{
	int			digits = 0;
	int			fraction = 0;
	bool		behind = false;
	Datum		n;

	for (const char *p = text; *p != '\0'; p++)
	{
		if (*p == '.')
			behind = true;
		else if (*p != '-')
		{
			digits += digits > 0 || *p != '0';
			fraction += behind;
		}
	}
	if (digits <= PRODUCT_DIGITS)
		return text;
	n = DirectFunctionCall3(numeric_in, CStringGetDatum(text), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1));
	n = DirectFunctionCall2(numeric_round, n, Int32GetDatum(fraction - (digits - PRODUCT_DIGITS)));
	return DatumGetCString(DirectFunctionCall1(numeric_out, n));
}

/*
 * Seconds, cut below the microsecond; past int64 they wrap around.  Spark's
 * interpreter rounds the product to 34 digits, the code that it generates
 * doesn't: where that matters, we don't know.
 */
static CastResult
decimal_to_timestamp(Numeric n, DeltaScalar *result)
{
	char	   *text = deltacc_decimal_text(n);

	result->i = wrapped_integer(text, 6);
	return wrapped_integer(rounded_text(text), 6) == result->i ? CAST_OK : CAST_UNSUPPORTED;
}

CastResult
deltacc_cast_to_timestamp(const DeltaType *from, DeltaScalar v, pg_tz *tz,
						  DeltaScalar *result, const char **error_class)
{
	TimestampText t;

	switch (from->kind)
	{
		case DELTA_STRING:
			if (!parse_timestamp_text(v.s->data, v.s->len, &t))
				return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
			if (t.only_time)
				return CAST_UNSUPPORTED;	/* of today, whenever that was */
			if (!timestamp_text_to_utc(&t, tz, &result->i))
				return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
			return CAST_OK;
		case DELTA_DATE:
			if (!deltacc_day_start(v.i, tz, &result->i))
				return cast_fails(error_class, ARITHMETIC_CLASS);
			return CAST_OK;
		case DELTA_TIMESTAMP_NTZ:
			if (!local_to_utc(v.i, tz, &result->i))
				return cast_fails(error_class, ARITHMETIC_CLASS);
			return CAST_OK;
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			/* TimeUnit.toMicros saturates */
			if (pg_mul_s64_overflow(v.i, MICROS_PER_SECOND, &result->i))
				result->i = v.i < 0 ? PG_INT64_MIN : PG_INT64_MAX;
			return CAST_OK;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			return double_to_timestamp(v.d, result, error_class);
		case DELTA_DECIMAL:
			return decimal_to_timestamp(v.n, result);
		default:
			return CAST_UNSUPPORTED;
	}
}

CastResult
deltacc_cast_to_ntz(const DeltaType *from, DeltaScalar v, pg_tz *tz,
					DeltaScalar *result, const char **error_class)
{
	switch (from->kind)
	{
		case DELTA_STRING:
			if (!deltacc_parse_timestamp_ntz(v.s->data, v.s->len, true, &result->i))
				return cast_fails(error_class, CAST_INVALID_INPUT_CLASS);
			return CAST_OK;
		case DELTA_DATE:
			if (!deltacc_day_start(v.i, NULL, &result->i))
				return cast_fails(error_class, ARITHMETIC_CLASS);
			return CAST_OK;
		case DELTA_TIMESTAMP:
			if (!utc_to_local(v.i, tz, &result->i))
				return cast_fails(error_class, ARITHMETIC_CLASS);
			return CAST_OK;
		default:
			return CAST_UNSUPPORTED;
	}
}
