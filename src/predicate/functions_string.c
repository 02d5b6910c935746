/*-------------------------------------------------------------------------
 *
 * functions_string.c
 *	  Functions of strings, by characters (code points).
 *
 * From Catalyst's stringExpressions and UTF8String.  Some take BINARY too, and
 * then count bytes.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "lib/stringinfo.h"

#include "predicate/coerce.h"
#include "predicate/functions_support.h"
#include "predicate/utf8.h"

/* Longer results aren't worth computing. */
#define MAX_RESULT	(1024 * 1024)

static inline DeltaString
str(DeltaScalar v)
{
	return *v.s;
}

static PointResult
string_result(DeltaScalar *result, const char *data, int len)
{
	*result = deltacc_string_value(data, len);
	return POINT_VALUE;
}

static PointResult
buffer_result(DeltaScalar *result, const StringInfo buf)
{
	return string_result(result, buf->data, buf->len);
}

/* Position of a substring, from a byte offset on; -1 if there is none. */
static int
find_bytes(DeltaString s, DeltaString sub, int from)
{
	if (sub.len == 0)
		return from;
	for (int i = from; i + sub.len <= s.len; i++)
	{
		const char *hit = memchr(s.data + i, sub.data[0], s.len - sub.len - i + 1);

		if (hit == NULL)
			return -1;
		i = hit - s.data;
		if (memcmp(hit, sub.data, sub.len) == 0)
			return i;
	}
	return -1;
}

/* ----- types ----- */

RESOLVE_FIXED(resolve_string, DELTA_STRING, DELTA_STRING)
RESOLVE_FIXED(resolve_string_int, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)
RESOLVE_FIXED(resolve_ascii, DELTA_INTEGER, DELTA_STRING)
RESOLVE_FIXED(resolve_chr, DELTA_STRING, DELTA_LONG)
RESOLVE_FIXED(resolve_space, DELTA_STRING, DELTA_INTEGER)
RESOLVE_FIXED(resolve_instr, DELTA_INTEGER, DELTA_STRING)
RESOLVE_FIXED(resolve_locate, DELTA_INTEGER, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)
/* Binary only if both are; else both are strings. */
RESOLVE_FUNCTION(resolve_pad)
{
	bool		binary = args[0]->type.kind == DELTA_BINARY && (nargs < 3 || args[2]->type.kind == DELTA_BINARY);

	*type = deltacc_type(binary ? DELTA_BINARY : DELTA_STRING);
	return deltacc_implicit_cast(&args[0], *type) &&
		deltacc_implicit_cast(&args[1], deltacc_type(DELTA_INTEGER)) &&
		(nargs < 3 || deltacc_implicit_cast(&args[2], *type));
}

RESOLVE_FIXED(resolve_split_part, DELTA_STRING, DELTA_STRING, DELTA_STRING, DELTA_INTEGER)

/* The first argument is a string, or binary; so is the result. */
RESOLVE_FUNCTION(resolve_bytes_int)
{
	for (int i = 1; i < nargs; i++)
	{
		if (!deltacc_implicit_cast(&args[i], deltacc_type(DELTA_INTEGER)))
			return false;
	}
	*type = deltacc_type(args[0]->type.kind == DELTA_BINARY ? DELTA_BINARY : DELTA_STRING);
	return deltacc_implicit_cast(&args[0], *type);
}

RESOLVE_FUNCTION(resolve_length)
{
	*type = deltacc_type(DELTA_INTEGER);
	return args[0]->type.kind == DELTA_BINARY || deltacc_implicit_cast(&args[0], deltacc_type(DELTA_STRING));
}

/* All binary, or all strings. */
static bool
resolve_alike(int nargs, DeltaExpr **args, DeltaType *type)
{
	bool		binary = nargs > 0;

	for (int i = 0; i < nargs; i++)
		binary = binary && args[i]->type.kind == DELTA_BINARY;
	*type = deltacc_type(binary ? DELTA_BINARY : DELTA_STRING);
	for (int i = 0; i < nargs; i++)
	{
		if (!deltacc_implicit_cast(&args[i], *type))
			return false;
	}
	return true;
}

RESOLVE_FUNCTION(resolve_concat)
{
	return resolve_alike(nargs, args, type);
}

RESOLVE_FUNCTION(resolve_starts)
{
	if (!resolve_alike(nargs, args, type))
		return false;
	*type = deltacc_type(DELTA_BOOLEAN);
	return true;
}

/* ----- substring ----- */

/* Characters [from, to) of a string, bytes of a binary; to may be below from. */
static PointResult
slice(DeltaScalar *result, DeltaString s, bool binary, int64 from, int64 to)
{
	int			start;
	int			end;

	from = Max(from, 0);
	if (to <= from || from >= s.len)
		return string_result(result, "", 0);
	if (binary)
		return string_result(result, s.data + from, (int) (Min(to, s.len) - from));
	start = utf8_offset(s.data, s.len, (int) from);
	end = start + utf8_offset(s.data + start, s.len - start, (int) Min(to - from, s.len));
	return string_result(result, s.data + start, end - start);
}

/*
 * substringSQL: positions count from 1, 0 means 1, a negative one counts from
 * the end, and may lie before the start.
 */
static PointResult
substring_sql(DeltaScalar *result, DeltaString s, bool binary, int64 pos, int64 len)
{
	int64		total = binary ? s.len : utf8_length(s.data, s.len);
	int64		start = pos > 0 ? pos - 1 : pos < 0 ? total + pos : 0;

	if (len <= 0)
		return string_result(result, "", 0);
	return slice(result, s, binary, start, start + len);
}

POINT_FUNCTION(point_substring)
{
	return substring_sql(result, str(args[0]), arg_kind(cx, 0) == DELTA_BINARY, args[1].i,
						 nargs == 3 ? args[2].i : PG_INT32_MAX);
}

POINT_FUNCTION(point_left)
{
	return substring_sql(result, str(args[0]), arg_kind(cx, 0) == DELTA_BINARY, 1, args[1].i);
}

POINT_FUNCTION(point_right)
{
	if (args[1].i <= 0)
		return string_result(result, "", 0);
	return substring_sql(result, str(args[0]), arg_kind(cx, 0) == DELTA_BINARY, -args[1].i, args[1].i);
}

/* A prefix keeps the order. */
MONOTONE_FUNCTION(substring_direction)
{
	ValueRange	pos = deltacc_arg_values(&args[1], row);

	return pos.lo.i == 0 || pos.lo.i == 1 ? 1 : 0;
}

MONOTONE_FUNCTION(left_direction)
{
	return 1;
}

/* ----- letters ----- */

typedef struct CaseMap
{
	int32		lower_first;
	int32		lower_last;
	int32		upper_first;
	int32		skipped;		/* a lower-case position without a pair */
} CaseMap;

/*
 * Pairs of letters that every version of Unicode maps one to one, whatever
 * stands beside them.
 */
static const CaseMap case_maps[] = {
	{'a', 'z', 'A', 0},
	{0xE0, 0xFE, 0xC0, 0xF7},	/* Latin-1 */
	{0x430, 0x44F, 0x410, 0},	/* Cyrillic */
	{0x450, 0x45F, 0x400, 0},
};

/* Blocks without any letter that has cases. */
static const int32 caseless[][2] = {
	{0x00, 0x40}, {0x5B, 0x60}, {0x7B, 0xA9}, {0xAB, 0xB4}, {0xB6, 0xB9}, {0xBB, 0xBF},
	{0xD7, 0xD7}, {0xF7, 0xF7},
	{0x2010, 0x2027}, {0x20A0, 0x20BF},
	{0x3041, 0x3096}, {0x30A1, 0x30FA}, {0x4E00, 0x9FFF}, {0xAC00, 0xD7A3},
	{0x1F300, 0x1FAFF},
};

/*
 * A character in the other case, or as it is; -1 if we don't know.
 */
static int32
map_case(int32 c, bool to_upper)
{
	for (int i = 0; i < lengthof(case_maps); i++)
	{
		const CaseMap *m = &case_maps[i];
		int32		shift = m->lower_first - m->upper_first;
		bool		is_lower = c >= m->lower_first && c <= m->lower_last && c != m->skipped;
		bool		is_upper = c + shift >= m->lower_first && c + shift <= m->lower_last &&
			c + shift != m->skipped;

		if (is_lower)
			return to_upper ? c - shift : c;
		if (is_upper)
			return to_upper ? c : c + shift;
	}
	for (int i = 0; i < lengthof(caseless); i++)
	{
		if (c >= caseless[i][0] && c <= caseless[i][1])
			return c;
	}
	return -1;
}

static PointResult
change_case(DeltaScalar *result, DeltaString s, bool to_upper)
{
	char	   *out = palloc(s.len * 2 + 1);
	int			n = 0;

	for (int i = 0; i < s.len;)
	{
		int			step = utf8_step(s.data + i, s.len - i);
		int32		c = utf8_code_point(s.data + i, step);

		if (c == 0xDF && to_upper)
		{
			out[n++] = 'S';
			out[n++] = 'S';
		}
		else
		{
			int32		mapped = c == 0xDF ? c : c < 0 ? -1 : map_case(c, to_upper);

			if (mapped < 0)
				return POINT_UNKNOWN;
			n += utf8_put(out + n, mapped);
		}
		i += step;
	}
	return string_result(result, out, n);
}

POINT_FUNCTION(point_upper)
{
	return change_case(result, str(args[0]), true);
}

POINT_FUNCTION(point_lower)
{
	return change_case(result, str(args[0]), false);
}

/*
 * A letter of ASCII becomes one of ASCII, whatever stands behind it.  So all
 * strings of a range keep what they have in common in front, in the other case,
 * and behind it the next character is one of a few.
 */
RANGE_FUNCTION(range_case)
{
	bool		to_upper = cx->call->function->name[0] == 'u';
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	r = {.may = MAY_VALUE};
	DeltaString lo;
	DeltaString hi;
	char	   *bounds[2];
	int			n = 0;
	int			next;
	int			least = 0x80;
	int			greatest = -1;

	if ((a.may & HAS_BOTH) != HAS_BOTH)
	{
		deltacc_set_range(out, row, r);
		return;
	}
	lo = str(a.lo);
	hi = str(a.hi);
	while (n < lo.len && n < hi.len && lo.data[n] == hi.data[n] && (unsigned char) lo.data[n] < 0x80)
		n++;
	for (int i = 0; i < 2; i++)
	{
		bounds[i] = palloc(n + 1);
		for (int k = 0; k < n; k++)
			bounds[i][k] = to_upper ? pg_ascii_toupper(lo.data[k]) : pg_ascii_tolower(lo.data[k]);
	}

	/* -1: the string may end here; past ASCII anything may come of it */
	next = n < hi.len ? (unsigned char) hi.data[n] : -1;
	if (next < 0x80)
	{
		for (int c = n < lo.len ? (unsigned char) lo.data[n] : 0; c <= next; c++)
		{
			int			mapped = to_upper ? pg_ascii_toupper(c) : pg_ascii_tolower(c);

			least = Min(least, mapped);
			greatest = Max(greatest, mapped);
		}
	}
	r.may |= HAS_LO;
	bounds[0][n] = (char) least;
	r.lo = deltacc_string_value(bounds[0], n < lo.len && greatest >= 0 ? n + 1 : n);
	if (greatest >= 0)
	{
		r.may |= HAS_HI;
		bounds[1][n] = (char) (greatest + 1);
		r.hi = deltacc_string_value(bounds[1], n + 1);
	}
	else if (n > 0)
	{
		r.may |= HAS_HI;
		bounds[1][n - 1]++;
		r.hi = deltacc_string_value(bounds[1], n);
	}
	deltacc_set_range(out, row, r);
}

/* A word starts behind a blank, and nowhere else. */
POINT_FUNCTION(point_initcap)
{
	DeltaString s = str(args[0]);
	char	   *out = palloc(s.len * 2 + 1);
	bool		first = true;
	int			n = 0;

	for (int i = 0; i < s.len;)
	{
		int			step = utf8_step(s.data + i, s.len - i);
		int32		c = utf8_code_point(s.data + i, step);

		if (c == 0xDF && first)
		{
			out[n++] = 'S';
			out[n++] = 's';
		}
		else
		{
			int32		mapped = c == 0xDF ? c : c < 0 ? -1 : map_case(c, first);

			if (mapped < 0)
				return POINT_UNKNOWN;
			n += utf8_put(out + n, mapped);
		}
		first = c == ' ';
		i += step;
	}
	return string_result(result, out, n);
}

/* ----- trim ----- */

/* Does the set hold the character of n bytes at p? */
static bool
in_set(DeltaString set, const char *p, int n)
{
	for (int i = 0; i < set.len;)
	{
		int			step = utf8_step(set.data + i, set.len - i);

		if (step == n && memcmp(set.data + i, p, n) == 0)
			return true;
		i += step;
	}
	return false;
}

static PointResult
trim(DeltaScalar *result, DeltaString s, DeltaString set, bool leading, bool trailing)
{
	int			start = 0;
	int			end = s.len;

	while (leading && start < end)
	{
		int			step = utf8_step(s.data + start, end - start);

		if (!in_set(set, s.data + start, step))
			break;
		start += step;
	}
	while (trailing && end > start)
	{
		int			last = end - 1;

		/* to the first byte of the last character */
		while (last > start && ((unsigned char) s.data[last] & 0xC0) == 0x80)
			last--;
		if (!in_set(set, s.data + last, end - last))
			break;
		end = last;
	}
	return string_result(result, s.data + start, end - start);
}

/* btrim(s, set), but trim(set, s): as Spark's constructors have it. */
POINT_FUNCTION(point_trim)
{
	const char *name = cx->call->function->name;
	DeltaString blank = {1, " "};
	bool		string_first = name[0] == 'b';
	DeltaString s = str(args[nargs == 2 && !string_first ? 1 : 0]);
	DeltaString set = nargs == 2 ? str(args[string_first ? 1 : 0]) : blank;

	return trim(result, s, set, name[0] != 'r', name[0] != 'l');
}

/*
 * Of blanks.  Where no string begins with one, nothing but blanks at the end go:
 * what is left is the start of the string, and so at most as great.
 */
RANGE_FUNCTION(range_trim)
{
	const char *name = cx->call->function->name;
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	r = {.may = MAY_VALUE};
	bool		leading = name[0] != 'r';
	DeltaString lo;
	int			len = 0;

	if (nargs == 1 && (!leading || ((a.may & HAS_LO) && a.lo.s->len > 0 && (unsigned char) a.lo.s->data[0] > ' ')))
	{
		r = a;
		if ((a.may & HAS_LO) && name[0] != 'l')
		{
			/* up to here a greater string has no blank where it is greater */
			lo = str(a.lo);
			while (len < lo.len && (unsigned char) lo.data[len] >= ' ')
				len++;
			while (len > 0 && lo.data[len - 1] == ' ')
				len--;
			r.lo = deltacc_string_value(lo.data, len);
		}
	}
	deltacc_set_range(out, row, r);
}

/* ----- joining, repeating, replacing ----- */

POINT_FUNCTION(point_concat)
{
	StringInfoData buf;

	initStringInfo(&buf);
	for (int i = 0; i < nargs; i++)
	{
		if (buf.len > MAX_RESULT || args[i].s->len > MAX_RESULT)
			return POINT_UNKNOWN;
		appendBinaryStringInfo(&buf, args[i].s->data, args[i].s->len);
	}
	return buffer_result(result, &buf);
}

/*
 * 'x' || column: behind a fixed text the order stays.  A fixed text behind a
 * column only keeps it if no value is the start of another.
 */
RANGE_FUNCTION(range_concat)
{
	ValueRange	r = {.may = MAY_VALUE | HAS_LO};
	StringInfoData lo;
	StringInfoData hi;
	int			i;

	initStringInfo(&lo);
	initStringInfo(&hi);
	for (i = 0; i < nargs; i++)
	{
		ValueRange	a = deltacc_arg_values(&args[i], row);

		if ((a.may & HAS_LO) && a.lo.s->len <= MAX_RESULT)
			appendBinaryStringInfo(&lo, a.lo.s->data, a.lo.s->len);
		if (!deltacc_range_is_point(&args[i].type, &a))
		{
			/* what follows makes a string longer, so greater, if anything */
			if ((a.may & HAS_HI) && i == nargs - 1 && a.hi.s->len <= MAX_RESULT)
			{
				appendBinaryStringInfo(&hi, a.hi.s->data, a.hi.s->len);
				r.may |= HAS_HI;
			}
			break;
		}
		if (a.hi.s->len > MAX_RESULT)
			break;
		appendBinaryStringInfo(&hi, a.hi.s->data, a.hi.s->len);
	}
	r.lo = deltacc_string_value(lo.data, lo.len);
	r.hi = deltacc_string_value(hi.data, hi.len);
	deltacc_set_range(out, row, r);
}

POINT_FUNCTION(point_concat_ws)
{
	StringInfoData buf;
	bool		first = true;

	if (is_null[0])
		return POINT_NULL;
	initStringInfo(&buf);
	for (int i = 1; i < nargs; i++)
	{
		if (is_null[i])
			continue;
		if (buf.len > MAX_RESULT || args[i].s->len > MAX_RESULT || args[0].s->len > MAX_RESULT)
			return POINT_UNKNOWN;
		if (!first)
			appendBinaryStringInfo(&buf, args[0].s->data, args[0].s->len);
		appendBinaryStringInfo(&buf, args[i].s->data, args[i].s->len);
		first = false;
	}
	return buffer_result(result, &buf);
}

POINT_FUNCTION(point_repeat)
{
	DeltaString s = str(args[0]);
	int64		n = Max(args[1].i, 0);
	StringInfoData buf;

	if (s.len > 0 && n > MAX_RESULT / s.len)
		return POINT_UNKNOWN;
	initStringInfo(&buf);
	for (int64 i = 0; s.len > 0 && i < n; i++)
		appendBinaryStringInfo(&buf, s.data, s.len);
	return buffer_result(result, &buf);
}

POINT_FUNCTION(point_space)
{
	int64		n = Max(args[0].i, 0);
	char	   *out;

	if (n > MAX_RESULT)
		return POINT_UNKNOWN;
	out = palloc(n + 1);
	memset(out, ' ', n);
	return string_result(result, out, (int) n);
}

POINT_FUNCTION(point_reverse)
{
	DeltaString s = str(args[0]);
	char	   *out = palloc(s.len + 1);
	int			end = s.len;

	for (int i = 0; i < s.len;)
	{
		int			step = utf8_step(s.data + i, s.len - i);

		end -= step;
		memcpy(out + end, s.data + i, step);
		i += step;
	}
	return string_result(result, out, s.len);
}

POINT_FUNCTION(point_replace)
{
	DeltaString s = str(args[0]);
	DeltaString search = str(args[1]);
	DeltaString replacement = {0, ""};
	StringInfoData buf;
	int			from = 0;

	if (nargs == 3)
		replacement = str(args[2]);
	if (search.len == 0)
	{
		*result = args[0];
		return POINT_VALUE;
	}
	initStringInfo(&buf);
	for (;;)
	{
		int			hit = find_bytes(s, search, from);

		if (buf.len > MAX_RESULT || replacement.len > MAX_RESULT || s.len > MAX_RESULT)
			return POINT_UNKNOWN;
		if (hit < 0)
			break;
		appendBinaryStringInfo(&buf, s.data + from, hit - from);
		appendBinaryStringInfo(&buf, replacement.data, replacement.len);
		from = hit + search.len;
	}
	appendBinaryStringInfo(&buf, s.data + from, s.len - from);
	return buffer_result(result, &buf);
}

/* Each character by the one in its place; the first counts, none removes it. */
POINT_FUNCTION(point_translate)
{
	DeltaString s = str(args[0]);
	DeltaString from = str(args[1]);
	DeltaString to = str(args[2]);
	StringInfoData buf;

	initStringInfo(&buf);
	if (s.len > MAX_RESULT / 4 || memchr(to.data, '\0', to.len) != NULL)
		return POINT_UNKNOWN;
	for (int i = 0; i < s.len;)
	{
		int			step = utf8_step(s.data + i, s.len - i);
		int			t = 0;
		int			f = 0;
		bool		found = false;

		while (f < from.len && !found)
		{
			int			fstep = utf8_step(from.data + f, from.len - f);

			found = fstep == step && memcmp(from.data + f, s.data + i, step) == 0;
			f += fstep;
			if (!found && t < to.len)
				t += utf8_step(to.data + t, to.len - t);
		}
		if (!found)
			appendBinaryStringInfo(&buf, s.data + i, step);
		else if (t < to.len)
			appendBinaryStringInfo(&buf, to.data + t, utf8_step(to.data + t, to.len - t));
		i += step;
	}
	return buffer_result(result, &buf);
}

POINT_FUNCTION(point_pad)
{
	bool		left = cx->call->function->name[0] == 'l';
	DeltaString s = str(args[0]);
	bool		binary = arg_kind(cx, 0) == DELTA_BINARY;
	DeltaString pad = {1, binary ? "\0" : " "};
	int64		total = args[1].i;
	int			length = binary ? s.len : utf8_length(s.data, s.len);
	int			pad_length;
	StringInfoData fill;
	StringInfoData buf;

	if (nargs == 3)
		pad = str(args[2]);
	pad_length = binary ? pad.len : utf8_length(pad.data, pad.len);
	if (total <= length || pad_length == 0)
		return slice(result, s, binary, 0, total);
	if (total > MAX_RESULT / 4 || s.len > MAX_RESULT)
		return POINT_UNKNOWN;

	initStringInfo(&fill);
	for (int64 missing = total - length; missing > 0; missing -= pad_length)
		appendBinaryStringInfo(&fill, pad.data,
							   missing >= pad_length ? pad.len :
							   binary ? (int) missing : utf8_offset(pad.data, pad.len, (int) missing));
	initStringInfo(&buf);
	if (left)
		appendBinaryStringInfo(&buf, fill.data, fill.len);
	appendBinaryStringInfo(&buf, s.data, s.len);
	if (!left)
		appendBinaryStringInfo(&buf, fill.data, fill.len);
	return buffer_result(result, &buf);
}

/* ----- lengths and positions ----- */

POINT_FUNCTION(point_length)
{
	const char *name = cx->call->function->name;
	DeltaString s = str(args[0]);

	if (strcmp(name, "octet_length") == 0)
		result->i = s.len;
	else if (strcmp(name, "bit_length") == 0)
		result->i = (int64) s.len * 8;
	else
		result->i = arg_kind(cx, 0) == DELTA_BINARY ? s.len : utf8_length(s.data, s.len);
	return POINT_VALUE;
}

RANGE_FUNCTION(range_not_negative)
{
	deltacc_set_int64_range(out, row, 0, PG_INT32_MAX);
}

/* The position of sub, characters from 1 on; 0 if it isn't there. */
static int
position(DeltaString s, DeltaString sub, int from_char)
{
	int			from = utf8_offset(s.data, s.len, from_char);
	int			hit;

	if (sub.len == 0)
		return 1;
	hit = find_bytes(s, sub, from);
	return hit < 0 ? 0 : utf8_length(s.data, hit) + 1;
}

POINT_FUNCTION(point_instr)
{
	result->i = position(str(args[0]), str(args[1]), 0);
	return POINT_VALUE;
}

/* A start that is NULL gives 0, as StringLocate has it. */
POINT_FUNCTION(point_locate)
{
	int64		start = nargs == 3 && !is_null[2] ? args[2].i : 1;

	result->i = 0;
	if (nargs == 3 && is_null[2])
		return POINT_VALUE;
	if (is_null[0] || is_null[1])
		return POINT_NULL;
	if (start >= 1)
		result->i = position(str(args[1]), str(args[0]), (int) Min(start - 1, PG_INT32_MAX));
	return POINT_VALUE;
}

POINT_FUNCTION(point_ascii)
{
	DeltaString s = str(args[0]);
	int32		c;

	result->i = 0;
	if (s.len == 0)
		return POINT_VALUE;
	c = utf8_code_point(s.data, utf8_step(s.data, s.len));
	if (c < 0)
		return POINT_UNKNOWN;
	result->i = c;
	return POINT_VALUE;
}

/* The first character decides the order of two strings, if valid. */
MONOTONE_FUNCTION(ascii_direction)
{
	return 1;
}

POINT_FUNCTION(point_chr)
{
	char		out[4];

	if (args[0].i < 0)
		return string_result(result, "", 0);
	return string_result(result, out, utf8_put(out, (int32) (args[0].i & 0xFF)));
}

/* ----- parts ----- */

POINT_FUNCTION(point_split_part)
{
	DeltaString s = str(args[0]);
	DeltaString delimiter = str(args[1]);
	int64		wanted = args[2].i;
	int64		parts = 1;
	int			from = 0;
	int			hit;

	if (wanted == 0)
		return deltacc_point_error(cx, "INVALID_INDEX_OF_ZERO");
	if (delimiter.len > 0)
	{
		for (int pos = 0; (hit = find_bytes(s, delimiter, pos)) >= 0; pos = hit + delimiter.len)
			parts++;
	}
	if (wanted < 0)
		wanted += parts + 1;
	if (wanted < 1 || wanted > parts)
		return string_result(result, "", 0);
	if (delimiter.len == 0)
		return string_result(result, s.data, s.len);
	for (int64 i = 1; i < wanted; i++)
		from = find_bytes(s, delimiter, from) + delimiter.len;
	hit = find_bytes(s, delimiter, from);
	return string_result(result, s.data + from, (hit < 0 ? s.len : hit) - from);
}

/* What stands before the n-th delimiter, or behind the n-th from the end. */
POINT_FUNCTION(point_substring_index)
{
	DeltaString s = str(args[0]);
	DeltaString delimiter = str(args[1]);
	int64		count = args[2].i;

	if (delimiter.len == 0 || count == 0 || s.len == 0)
		return string_result(result, "", 0);
	if (count > 0)
	{
		int			from = 0;
		int			hit = -1;

		/* a hit starts at least one byte behind the one before it */
		for (; count > 0; count--)
		{
			hit = find_bytes(s, delimiter, from);
			if (hit < 0)
				break;
			from = hit + 1;
		}
		return string_result(result, s.data, hit < 0 ? s.len : hit);
	}
	for (int i = s.len - delimiter.len; i >= 0; i--)
	{
		if (memcmp(s.data + i, delimiter.data, delimiter.len) == 0 && ++count == 0)
			return string_result(result, s.data + i + delimiter.len, s.len - i - delimiter.len);
	}
	return string_result(result, s.data, s.len);
}

/* ----- startswith, endswith, contains ----- */

POINT_FUNCTION(point_starts)
{
	DeltaString s = str(args[0]);
	DeltaString sub = str(args[1]);

	switch (cx->call->function->name[0])
	{
		case 's':
			result->i = sub.len <= s.len && memcmp(s.data, sub.data, sub.len) == 0;
			break;
		case 'e':
			result->i = sub.len <= s.len && memcmp(s.data + s.len - sub.len, sub.data, sub.len) == 0;
			break;
		default:
			result->i = find_bytes(s, sub, 0) >= 0;
			break;
	}
	return POINT_VALUE;
}

/* Compares the start of s, as long as prefix, with prefix. */
static int
compare_start(DeltaString s, DeltaString prefix)
{
	int			diff = memcmp(s.data, prefix.data, Min(s.len, prefix.len));

	return diff != 0 ? diff : s.len < prefix.len ? -1 : 0;
}

uint8
deltacc_prefix_outcomes(const ValueRange *r, DeltaString prefix)
{
	int			lo = (r->may & HAS_LO) ? compare_start(str(r->lo), prefix) : -1;
	int			hi = (r->may & HAS_HI) ? compare_start(str(r->hi), prefix) : 1;
	uint8		may = 0;

	if (lo <= 0 && hi >= 0)
		may |= MAY_TRUE;
	if (lo != 0 || hi != 0)
		may |= MAY_FALSE;
	return may;
}

RANGE_FUNCTION(range_starts)
{
	ValueRange	a = deltacc_arg_values(&args[0], row);
	ValueRange	b = deltacc_arg_values(&args[1], row);

	if (cx->call->function->name[0] == 's' && deltacc_range_is_point(&args[1].type, &b))
		out->may[row] = deltacc_prefix_outcomes(&a, str(b.lo));
	else
		out->may[row] = MAY_TRUE | MAY_FALSE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define RAISES		(FN_NULL_IN_NULL_OUT | FN_NEVER_NULL)

const FunctionDef deltacc_string_functions[] = {
	{"substring", 2, 3, PURE, resolve_bytes_int, point_substring, NULL, substring_direction},
	{"substr", 2, 3, PURE, resolve_bytes_int, point_substring, NULL, substring_direction},
	{"left", 2, 2, PURE, resolve_bytes_int, point_left, NULL, left_direction},
	{"right", 2, 2, PURE, resolve_string_int, point_right},
	{"upper", 1, 1, PURE, resolve_string, point_upper, range_case},
	{"ucase", 1, 1, PURE, resolve_string, point_upper, range_case},
	{"lower", 1, 1, PURE, resolve_string, point_lower, range_case},
	{"lcase", 1, 1, PURE, resolve_string, point_lower, range_case},
	{"initcap", 1, 1, PURE, resolve_string, point_initcap},
	{"trim", 1, 2, PURE, resolve_string, point_trim, range_trim},
	{"btrim", 1, 2, PURE, resolve_string, point_trim, range_trim},
	{"ltrim", 1, 2, PURE, resolve_string, point_trim, range_trim},
	{"rtrim", 1, 2, PURE, resolve_string, point_trim, range_trim},
	{"concat", 0, -1, PURE, resolve_concat, point_concat, range_concat},
	{"||", 2, -1, PURE, resolve_concat, point_concat, range_concat},
	{"concat_ws", 1, -1, FN_NEVER_FAILS | FN_NULL_WITH_FIRST, resolve_string, point_concat_ws},
	{"repeat", 2, 2, PURE, resolve_string_int, point_repeat},
	{"space", 1, 1, PURE, resolve_space, point_space},
	{"reverse", 1, 1, PURE, resolve_string, point_reverse},
	{"replace", 2, 3, PURE, resolve_string, point_replace},
	{"translate", 3, 3, PURE, resolve_string, point_translate},
	{"lpad", 2, 3, PURE, resolve_pad, point_pad},
	{"rpad", 2, 3, PURE, resolve_pad, point_pad},
	{"length", 1, 1, PURE, resolve_length, point_length, range_not_negative},
	{"len", 1, 1, PURE, resolve_length, point_length, range_not_negative},
	{"char_length", 1, 1, PURE, resolve_length, point_length, range_not_negative},
	{"character_length", 1, 1, PURE, resolve_length, point_length, range_not_negative},
	{"octet_length", 1, 1, PURE, resolve_length, point_length, range_not_negative},
	{"bit_length", 1, 1, PURE, resolve_length, point_length},
	{"instr", 2, 2, PURE, resolve_instr, point_instr, range_not_negative},
	{"locate", 2, 3, FN_NEVER_FAILS, resolve_locate, point_locate},
	{"position", 2, 3, FN_NEVER_FAILS, resolve_locate, point_locate},
	{"charindex", 2, 3, FN_NEVER_FAILS | FN_UNLISTED, resolve_locate, point_locate},
	{"ascii", 1, 1, PURE, resolve_ascii, point_ascii, NULL, ascii_direction},
	{"char", 1, 1, PURE, resolve_chr, point_chr},
	{"chr", 1, 1, PURE, resolve_chr, point_chr},
	{"split_part", 3, 3, RAISES | FN_TAKEN_FOR_NULLABLE, resolve_split_part, point_split_part},
	{"substring_index", 3, 3, PURE, resolve_split_part, point_substring_index},
	{"startswith", 2, 2, PURE, resolve_starts, point_starts, range_starts},
	{"endswith", 2, 2, PURE, resolve_starts, point_starts, range_starts},
	{"contains", 2, 2, PURE, resolve_starts, point_starts, range_starts},
	{NULL}
};
