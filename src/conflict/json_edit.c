/*-------------------------------------------------------------------------
 *
 * json_edit.c
 *	  Reading single members of an action, and changing them in the text.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <stdlib.h>

#include "conflict/json_edit.h"
#include "miscadmin.h"

bool
deltacc_edit_action(const char *line, int len, const char *name, JsonSlice *object)
{
	JsonScanner scanner;
	JsonSlice	whole;

	deltacc_json_init(&scanner, line, len, false);
	return deltacc_json_value(&scanner, &whole) && whole.kind == JSON_OBJECT &&
		deltacc_json_member(&whole, name, object) && object->kind == JSON_OBJECT;
}

char *
deltacc_edit_string(const JsonSlice *object, const char *name)
{
	JsonSlice	value;
	StringInfoData out;

	if (!deltacc_json_member(object, name, &value) || value.kind != JSON_STRING)
		return NULL;
	initStringInfo(&out);
	deltacc_json_unescape(&out, &value);
	return out.data;
}

bool
deltacc_edit_parse_int64(const char *text, int len, int64 *value)
{
	int64		result = 0;
	int			i = 0;
	bool		negative = false;

	if (i < len && text[i] == '-')
	{
		negative = true;
		i++;
	}
	if (i == len)
		return false;
	/* Counts downwards: the least value has no positive counterpart. */
	for (; i < len; i++)
	{
		if (text[i] < '0' || text[i] > '9')
			return false;
		if (__builtin_mul_overflow(result, (int64) 10, &result) ||
			__builtin_sub_overflow(result, (int64) (text[i] - '0'), &result))
			return false;
	}
	if (!negative)
	{
		if (result == PG_INT64_MIN)
			return false;
		result = -result;
	}
	*value = result;
	return true;
}

bool
deltacc_edit_int64(const JsonSlice *object, const char *name, int64 *value)
{
	JsonSlice	slice;

	return deltacc_json_member(object, name, &slice) && slice.kind == JSON_NUMBER &&
		deltacc_edit_parse_int64(slice.start, slice.len, value);
}

bool
deltacc_jackson_int64(const JsonSlice *object, const char *name, int64 *value)
{
	JsonSlice	slice;
	const char *text;
	double		number;
	int			len;

	*value = 0;
	if (!deltacc_json_member(object, name, &slice) || slice.kind == JSON_NULL)
		return true;
	if (slice.kind == JSON_NUMBER)
	{
		if (deltacc_edit_parse_int64(slice.start, slice.len, value))
			return true;
		number = strtod(pnstrdup(slice.start, slice.len), NULL);
		/* what lies past the range is an error of Jackson's */
		if (!(number > -9.2e18 && number < 9.2e18))
			return false;
		*value = (int64) number;
		return true;
	}
	if (slice.kind != JSON_STRING)
		return false;
	text = deltacc_edit_string(object, name);
	while (isspace((unsigned char) *text))
		text++;
	for (len = strlen(text); len > 0 && isspace((unsigned char) text[len - 1]);)
		len--;
	return len == 0 || deltacc_edit_parse_int64(text, len, value);
}

char *
deltacc_edit_quote(const char *text)
{
	StringInfoData out;

	initStringInfo(&out);
	deltacc_json_escape(&out, text, strlen(text));
	return out.data;
}

char *
deltacc_edit_set(const char *object, int len, const char *name, const char *value)
{
	JsonScanner scanner;
	JsonSlice	key,
				old;
	StringInfoData out;
	const char *member_start = NULL;
	const char *value_start = NULL;
	const char *value_end = NULL;
	const char *end;
	bool		any = false;
	bool		first = false;

	deltacc_json_init(&scanner, object, len, false);
	if (!deltacc_json_enter_object(&scanner))
		elog(ERROR, "not a JSON object");
	while (deltacc_json_next_member(&scanner, &key, &old))
	{
		if (deltacc_json_string_equals(&key, name))
		{
			member_start = key.start;
			value_start = old.start;
			value_end = old.start + old.len;
			first = !any;
		}
		any = true;
	}

	initStringInfo(&out);
	if (member_start != NULL && value != NULL)
	{
		appendBinaryStringInfo(&out, object, value_start - object);
		appendStringInfoString(&out, value);
		appendBinaryStringInfo(&out, value_end, object + len - value_end);
		return out.data;
	}
	if (member_start != NULL)
	{
		/* Take away the member and one comma: behind it if it is the first. */
		const char *from = member_start;
		const char *to = value_end;

		if (!first)
		{
			while (from > object && from[-1] != ',')
				from--;
			if (from > object)
				from--;
		}
		else
		{
			const char *p = to;

			while (p < object + len && (*p == ' ' || *p == '\t'))
				p++;
			if (p < object + len && *p == ',')
				to = p + 1;
		}
		appendBinaryStringInfo(&out, object, from - object);
		appendBinaryStringInfo(&out, to, object + len - to);
		/* An older duplicate must not come back to life. */
		check_stack_depth();
		return deltacc_edit_set(out.data, out.len, name, NULL);
	}
	if (value == NULL)
		return pnstrdup(object, len);

	end = object + len;
	while (end > object && end[-1] != '}')
		end--;
	appendBinaryStringInfo(&out, object, end - 1 - object);
	if (any)
		appendStringInfoChar(&out, ',');
	deltacc_json_escape(&out, name, strlen(name));
	appendStringInfoChar(&out, ':');
	appendStringInfoString(&out, value);
	appendBinaryStringInfo(&out, end - 1, object + len - (end - 1));
	return out.data;
}

char *
deltacc_edit_set_in_action(const char *line, int len, const char *action,
						   const char *name, const char *value)
{
	JsonSlice	object;
	StringInfoData out;

	if (!deltacc_edit_action(line, len, action, &object))
		elog(ERROR, "action without \"%s\"", action);
	initStringInfo(&out);
	appendBinaryStringInfo(&out, line, object.start - line);
	appendStringInfoString(&out, deltacc_edit_set(object.start, object.len, name, value));
	appendBinaryStringInfo(&out, object.start + object.len, line + len - (object.start + object.len));
	return out.data;
}
