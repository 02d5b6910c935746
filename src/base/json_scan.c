/*-------------------------------------------------------------------------
 *
 * json_scan.c
 *	  A scanner for JSON as Jackson reads it: the hot path over file actions.
 *
 * Every byte of a commit comes by here, so the scanner keeps no state but its
 * position.  Whether a member is the first of its object, and so whether a
 * comma has to come before it, is told by the byte just passed: it is the
 * opening brace iff nothing has been read since.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/hex.h"
#include "base/json_scan.h"
#include "mb/pg_wchar.h"

/* Bytes that a string may hold as they are, but for both quotes and the backslash. */
static const bool plain[256] = {
	[' ' ... '!'] = true,
	['#' ... '&'] = true,
	['(' ... '['] = true,
	[']' ... 255] = true,
};

#define EACH_BYTE(b)	((uint64) (b) * UINT64CONST(0x0101010101010101))
#define ANY_ZERO(w)		(((w) - EACH_BYTE(1)) & ~(w) & EACH_BYTE(0x80))

/* Are eight bytes all plain? */
static inline bool
all_plain(uint64 w)
{
	return (ANY_ZERO(w ^ EACH_BYTE('"')) | ANY_ZERO(w ^ EACH_BYTE('\'')) | ANY_ZERO(w ^ EACH_BYTE('\\')) |
			((w - EACH_BYTE(' ')) & ~w & EACH_BYTE(0x80))) == 0;
}

static inline bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void
skip_space(JsonScanner *s)
{
	const char *p = s->pos;

	while (p < s->end && is_space(*p))
		p++;
	s->pos = p;
}

static bool
fail(JsonScanner *s, const char *at, const char *expected)
{
	/* The first error is the one that matters. */
	if (s->error == NULL)
	{
		s->error = expected;
		s->error_pos = at;
	}
	return false;
}

void
deltacc_json_init(JsonScanner *s, const char *data, int len, bool single_quotes)
{
	s->pos = data;
	s->end = data + len;
	s->single_quotes = single_quotes;
	s->error = NULL;
	s->error_pos = NULL;
	s->depth = 0;
}

/*
 * The escape at p (a backslash) has a form that JSON knows: its length, else 0
 * with an error.
 */
static int
escape_length(JsonScanner *s, const char *p)
{
	if (s->end - p < 2)
	{
		fail(s, s->end, "the rest of a string");
		return 0;
	}
	switch (p[1])
	{
		case '"':
		case '\\':
		case '/':
		case 'b':
		case 'f':
		case 'n':
		case 'r':
		case 't':
			return 2;
		case 'u':
			for (int i = 2; i < 6; i++)
			{
				if (p + i >= s->end || deltacc_hex_digit(p[i]) < 0)
				{
					fail(s, Min(p + i, s->end), "four hexadecimal digits after \\u");
					return 0;
				}
			}
			return 6;
		case '\'':
			/* Jackson allows it along with single quotes. */
			if (s->single_quotes)
				return 2;
			break;
		default:
			break;
	}
	fail(s, p + 1, "an escape that JSON knows");
	return 0;
}

/* The string at s->pos, which is its opening quote. */
static bool
scan_string(JsonScanner *s, JsonSlice *value)
{
	const char *start = s->pos;
	const char *p = start + 1;
	const char *end = s->end;
	const char	quote = *start;

	value->kind = JSON_STRING;
	value->start = start;
	value->escaped = false;
	for (;;)
	{
		uint64		word;

		while (end - p >= sizeof(word) && (memcpy(&word, p, sizeof(word)), all_plain(word)))
			p += sizeof(word);
		while (p < end && plain[(unsigned char) *p])
			p++;
		if (p >= end)
			return fail(s, end, "the rest of a string");
		if (*p == quote)
			break;
		if (*p == '\\')
		{
			int			len;

			value->escaped = true;
			/* By far the most common one, and always right. */
			if (end - p >= 2 && p[1] == '"')
				len = 2;
			else if ((len = escape_length(s, p)) == 0)
				return false;
			p += len;
		}
		else if ((unsigned char) *p < ' ')
			return fail(s, p, "a control character to be escaped");
		else
			p++;				/* the other kind of quote */
	}
	value->len = p + 1 - start;
	s->pos = p + 1;
	return true;
}

/* Passes over a word, if it stands there. */
static bool
take_word(JsonScanner *s, const char *word)
{
	size_t		len = strlen(word);

	if (s->end - s->pos < len || memcmp(s->pos, word, len) != 0)
		return false;
	s->pos += len;
	return true;
}

/* The number at s->pos, which is a digit, '-', '+', 'I' or 'N'. */
static bool
scan_number(JsonScanner *s, JsonSlice *value)
{
	const char *start = s->pos;
	const char *p = start;
	const char *end = s->end;

	value->kind = JSON_NUMBER;
	value->start = start;
	value->escaped = false;

	if (*p == '-')
		p++;
	if (p < end && is_digit(*p))
	{
		/* No further digit after a leading zero. */
		if (*p++ != '0')
			while (p < end && is_digit(*p))
				p++;
		if (p < end && *p == '.')
		{
			p++;
			if (p >= end || !is_digit(*p))
				return fail(s, p, "a digit after the decimal point");
			while (p < end && is_digit(*p))
				p++;
		}
		if (p < end && (*p == 'e' || *p == 'E'))
		{
			p++;
			if (p < end && (*p == '+' || *p == '-'))
				p++;
			if (p >= end || !is_digit(*p))
				return fail(s, p, "a digit in the exponent");
			while (p < end && is_digit(*p))
				p++;
		}
		s->pos = p;
	}
	else if (!(take_word(s, "NaN") || take_word(s, "Infinity") || take_word(s, "-Infinity") ||
			   (s->single_quotes &&
				(take_word(s, "-INF") || take_word(s, "+INF") || take_word(s, "+Infinity")))))
		return fail(s, *start == '-' ? p : start, *start == '-' ? "a digit" : "a value");
	value->len = s->pos - start;
	return true;
}

/* A value that is no container; s->pos is its first byte. */
static bool
scan_scalar(JsonScanner *s, JsonSlice *value)
{
	value->start = s->pos;
	value->escaped = false;
	switch (*s->pos)
	{
		case '"':
			return scan_string(s, value);
		case '\'':
			if (s->single_quotes)
				return scan_string(s, value);
			break;
		case 't':
			value->kind = JSON_TRUE;
			value->len = 4;
			if (take_word(s, "true"))
				return true;
			break;
		case 'f':
			value->kind = JSON_FALSE;
			value->len = 5;
			if (take_word(s, "false"))
				return true;
			break;
		case 'n':
			value->kind = JSON_NULL;
			value->len = 4;
			if (take_word(s, "null"))
				return true;
			break;
		case '-':
		case '+':
		case 'I':
		case 'N':
		case '0':
		case '1':
		case '2':
		case '3':
		case '4':
		case '5':
		case '6':
		case '7':
		case '8':
		case '9':
			return scan_number(s, value);
		default:
			break;
	}
	return fail(s, s->pos, "a value");
}

/*
 * Moves to the next thing inside the container that open and close stand for.
 * False at its end, which is passed over, and on an error.
 */
static inline bool
next_item(JsonScanner *s, char open, char close, const char *expected)
{
	bool		first = s->pos[-1] == open;

	skip_space(s);
	if (s->pos >= s->end)
		return fail(s, s->end, expected);
	if (*s->pos == close)
	{
		s->pos++;
		return false;
	}
	if (!first)
	{
		if (*s->pos != ',')
			return fail(s, s->pos, expected);
		s->pos++;
		skip_space(s);
		if (s->pos >= s->end)
			return fail(s, s->end, "more after the comma");
	}
	return true;
}

static inline bool
pass_colon(JsonScanner *s)
{
	skip_space(s);
	if (s->pos >= s->end || *s->pos != ':')
		return fail(s, s->pos, "a colon");
	s->pos++;
	return true;
}

static inline bool
at_key(JsonScanner *s)
{
	if (*s->pos == '"' || (*s->pos == '\'' && s->single_quotes))
		return true;
	return fail(s, s->pos, "a key in double quotes");
}

static inline bool
next_member_key(JsonScanner *s, JsonSlice *key)
{
	return next_item(s, '{', '}', "a comma or the closing brace") &&
		at_key(s) && scan_string(s, key) && pass_colon(s);
}

static inline bool
next_array_item(JsonScanner *s)
{
	return next_item(s, '[', ']', "a comma or the closing bracket");
}

static bool
too_deep(JsonScanner *s)
{
	return fail(s, s->pos, "at most 1000 levels of nesting");
}

/*
 * Passes over the container at s->pos.  A loop over a stack of its own, so that
 * no nesting is a danger to the C stack.
 */
static bool
skip_container(JsonScanner *s)
{
	char		open[DELTACC_JSON_MAX_DEPTH];
	int			depth = 0;
	JsonSlice	ignored;

	open[depth++] = *s->pos++;
	while (depth > 0)
	{
		bool		more = open[depth - 1] == '{' ? next_member_key(s, &ignored) : next_array_item(s);

		if (more)
		{
			skip_space(s);
			if (s->pos >= s->end)
				return fail(s, s->end, "a value");
			if (*s->pos == '{' || *s->pos == '[')
			{
				if (s->depth + depth >= DELTACC_JSON_MAX_DEPTH)
					return too_deep(s);
				open[depth++] = *s->pos++;
			}
			else if (!scan_scalar(s, &ignored))
				return false;
		}
		else if (s->error != NULL)
			return false;
		else
			depth--;
	}
	return true;
}

bool
deltacc_json_value(JsonScanner *s, JsonSlice *value)
{
	skip_space(s);
	if (s->pos >= s->end)
		return fail(s, s->end, "a value");
	if (*s->pos != '{' && *s->pos != '[')
		return scan_scalar(s, value);

	value->kind = *s->pos == '{' ? JSON_OBJECT : JSON_ARRAY;
	value->start = s->pos;
	value->escaped = false;
	if (s->depth >= DELTACC_JSON_MAX_DEPTH)
		return too_deep(s);
	if (!skip_container(s))
		return false;
	value->len = s->pos - value->start;
	return true;
}

bool
deltacc_json_peek(JsonScanner *s, JsonTokenKind *kind)
{
	skip_space(s);
	if (s->pos >= s->end)
		return fail(s, s->end, "a value");
	switch (*s->pos)
	{
		case '{':
			*kind = JSON_OBJECT;
			break;
		case '[':
			*kind = JSON_ARRAY;
			break;
		case '"':
		case '\'':
			*kind = JSON_STRING;
			break;
		case 't':
			*kind = JSON_TRUE;
			break;
		case 'f':
			*kind = JSON_FALSE;
			break;
		case 'n':
			*kind = JSON_NULL;
			break;
		default:
			*kind = JSON_NUMBER;
			break;
	}
	return true;
}

static bool
enter(JsonScanner *s, char open, const char *expected)
{
	skip_space(s);
	if (s->pos >= s->end || *s->pos != open)
		return fail(s, s->pos, expected);
	if (s->depth >= DELTACC_JSON_MAX_DEPTH)
		return too_deep(s);
	s->pos++;
	s->depth++;
	return true;
}

bool
deltacc_json_enter_object(JsonScanner *s)
{
	return enter(s, '{', "an object");
}

bool
deltacc_json_enter_array(JsonScanner *s)
{
	return enter(s, '[', "an array");
}

bool
deltacc_json_next_key(JsonScanner *s, JsonSlice *key)
{
	if (next_member_key(s, key))
		return true;
	if (s->error == NULL)
		s->depth--;
	return false;
}

bool
deltacc_json_next_key_guess(JsonScanner *s, const char *guess, int guess_len,
							JsonSlice *key, bool *hit)
{
	*hit = false;
	if (!next_item(s, '{', '}', "a comma or the closing brace"))
	{
		if (s->error == NULL)
			s->depth--;
		return false;
	}
	if (s->end - s->pos > guess_len + 2 && s->pos[0] == '"' && s->pos[guess_len + 1] == '"' &&
		memcmp(s->pos + 1, guess, guess_len) == 0)
	{
		*hit = true;
		key->kind = JSON_STRING;
		key->start = s->pos;
		key->len = guess_len + 2;
		key->escaped = false;
		s->pos += guess_len + 2;
	}
	else if (!at_key(s) || !scan_string(s, key))
		return false;
	return pass_colon(s);
}

bool
deltacc_json_next_member(JsonScanner *s, JsonSlice *key, JsonSlice *value)
{
	return deltacc_json_next_key(s, key) && deltacc_json_value(s, value);
}

bool
deltacc_json_next_item(JsonScanner *s)
{
	if (next_array_item(s))
		return true;
	if (s->error == NULL)
		s->depth--;
	return false;
}

bool
deltacc_json_next_element(JsonScanner *s, JsonSlice *value)
{
	return deltacc_json_next_item(s) && deltacc_json_value(s, value);
}

bool
deltacc_json_at_end(JsonScanner *s)
{
	skip_space(s);
	return s->pos >= s->end;
}

/* Four hexadecimal digits that the scanner has seen before. */
static pg_wchar
code_unit(const char *p)
{
	pg_wchar	unit = 0;

	for (int i = 0; i < 4; i++)
		unit = unit << 4 | (pg_wchar) Max(deltacc_hex_digit(p[i]), 0);
	return unit;
}

/*
 * Resolves the \u escape at *p into out; returns the bytes written and moves *p
 * past what was read: both halves of a surrogate pair.
 */
static int
unescape_unit(char *out, const char **p, const char *end, const char *substitute)
{
	pg_wchar	c = code_unit(*p + 2);

	*p += 6;
	if (is_utf16_surrogate_first(c) && end - *p >= 6 && (*p)[0] == '\\' && (*p)[1] == 'u')
	{
		pg_wchar	second = code_unit(*p + 2);

		if (is_utf16_surrogate_second(second))
		{
			*p += 6;
			c = surrogate_pair_to_codepoint(c, second);
		}
	}
	if (is_utf16_surrogate_first(c) || is_utf16_surrogate_second(c))
	{
		int			len = strlen(substitute);

		memcpy(out, substitute, len);
		return len;
	}
	unicode_to_utf8(c, (unsigned char *) out);
	return pg_utf_mblen((unsigned char *) out);
}

/* Resolves the escape at *p, which has a form that JSON knows. */
static inline int
unescape_one(char *out, const char **p, const char *end, const char *substitute)
{
	char		c = (*p)[1];

	if (c == 'u')
		return unescape_unit(out, p, end, substitute);
	switch (c)
	{
		case 'b':
			c = '\b';
			break;
		case 'f':
			c = '\f';
			break;
		case 'n':
			c = '\n';
			break;
		case 'r':
			c = '\r';
			break;
		case 't':
			c = '\t';
			break;
		default:				/* the character itself */
			break;
	}
	*out = c;
	*p += 2;
	return 1;
}

int
deltacc_json_unescape_into(char *out, const JsonSlice *string, const char *substitute)
{
	const char *p = string->start + 1;
	const char *end = string->start + string->len - 1;
	char	   *o = out;

	if (!string->escaped)
	{
		memcpy(out, p, end - p);
		return end - p;
	}
	while (p < end)
	{
		if (*p != '\\')
			*o++ = *p++;
		else
			o += unescape_one(o, &p, end, substitute);
	}
	return o - out;
}

bool
deltacc_json_string_value(JsonScanner *s, StringInfo out)
{
	const char *p = s->pos + 1;
	const char *end = s->end;
	const char	quote = *s->pos;
	char	   *o;

	if (quote != '"' && !s->single_quotes)
		return fail(s, s->pos, "a value");

	/* It can't become longer than what is left. */
	enlargeStringInfo(out, end - p);
	o = out->data + out->len;
	for (;;)
	{
		uint64		word;

		while (end - p >= sizeof(word) && (memcpy(&word, p, sizeof(word)), all_plain(word)))
		{
			memcpy(o, &word, sizeof(word));
			p += sizeof(word);
			o += sizeof(word);
		}
		while (p < end && plain[(unsigned char) *p])
			*o++ = *p++;
		if (p >= end)
			return fail(s, end, "the rest of a string");
		if (*p == quote)
			break;
		if ((unsigned char) *p < ' ')
			return fail(s, p, "a control character to be escaped");
		if (*p != '\\')
			*o++ = *p++;		/* the other kind of quote */
		else if (end - p >= 2 && p[1] == '"')
		{
			/* By far the most common one, and always right. */
			*o++ = '"';
			p += 2;
		}
		else
		{
			int			len = escape_length(s, p);

			/* Two of them may be one character. */
			if (len == 0 ||
				(len == 6 && end - p >= 8 && p[6] == '\\' && p[7] == 'u' && escape_length(s, p + 6) == 0))
				return false;
			o += unescape_one(o, &p, end, "?");
		}
	}
	out->len = o - out->data;
	out->data[out->len] = '\0';
	s->pos = p + 1;
	return true;
}

void
deltacc_json_unescape(StringInfo out, const JsonSlice *string)
{
	enlargeStringInfo(out, string->len);
	out->len += deltacc_json_unescape_into(out->data + out->len, string, "?");
	out->data[out->len] = '\0';
}

bool
deltacc_json_string_equals(const JsonSlice *string, const char *word)
{
	int			len = strlen(word);
	char		buffer[256];

	if (string->kind != JSON_STRING)
		return false;
	if (!string->escaped)
		return string->len == len + 2 && memcmp(string->start + 1, word, len) == 0;

	/*
	 * Each byte of an ASCII word takes six at most (\u0061), so a longer string
	 * is another one.
	 */
	if (string->len - 2 > len * 6)
		return false;
	if (string->len <= sizeof(buffer))
		return deltacc_json_unescape_into(buffer, string, "?") == len && memcmp(buffer, word, len) == 0;
	else
	{
		char	   *value = palloc(string->len);
		bool		equal = deltacc_json_unescape_into(value, string, "?") == len &&
			memcmp(value, word, len) == 0;

		pfree(value);
		return equal;
	}
}

bool
deltacc_json_member(const JsonSlice *object, const char *name, JsonSlice *value)
{
	JsonScanner s;
	JsonSlice	key;
	JsonSlice	member;
	bool		found = false;

	if (object->kind != JSON_OBJECT)
		return false;

	/* A slice has been scanned before: the wider dialect lets nothing bad in. */
	deltacc_json_init(&s, object->start, object->len, true);
	if (!deltacc_json_enter_object(&s))
		return false;
	while (deltacc_json_next_member(&s, &key, &member))
	{
		if (deltacc_json_string_equals(&key, name))
		{
			*value = member;
			found = true;
		}
	}
	return found;
}

bool
deltacc_json_int64(const JsonSlice *number, int64 *value)
{
	const char *p = number->start;
	const char *end = p + number->len;
	bool		negative;
	uint64		n = 0;

	if (number->kind != JSON_NUMBER)
		return false;
	negative = *p == '-';
	if (negative)
		p++;
	/* 19 digits can't overflow an uint64. */
	if (p >= end || end - p > 19)
		return false;
	if (*p == '0' && (negative || end - p > 1))
		return false;
	for (; p < end; p++)
	{
		if (!is_digit(*p))
			return false;
		n = n * 10 + (*p - '0');
	}
	if (n > (uint64) PG_INT64_MAX + (negative ? 1 : 0))
		return false;
	*value = negative ? (int64) (0 - n) : (int64) n;
	return true;
}

void
deltacc_json_escape(StringInfo out, const char *text, int len)
{
	static const char hex[] = "0123456789abcdef";
	const char *end = text + len;
	const char *from = text;

	appendStringInfoCharMacro(out, '"');
	for (const char *p = text; p < end; p++)
	{
		unsigned char c = *p;
		char		escape[7] = {'\\', 0};

		if (c >= ' ' && c != '"' && c != '\\')
			continue;
		appendBinaryStringInfo(out, from, p - from);
		from = p + 1;
		switch (c)
		{
			case '"':
			case '\\':
				escape[1] = c;
				break;
			case '\b':
				escape[1] = 'b';
				break;
			case '\f':
				escape[1] = 'f';
				break;
			case '\n':
				escape[1] = 'n';
				break;
			case '\r':
				escape[1] = 'r';
				break;
			case '\t':
				escape[1] = 't';
				break;
			default:
				memcpy(escape + 1, "u00", 3);
				escape[4] = hex[c >> 4];
				escape[5] = hex[c & 15];
				break;
		}
		appendStringInfoString(out, escape);
	}
	appendBinaryStringInfo(out, from, end - from);
	appendStringInfoCharMacro(out, '"');
}
