/*-------------------------------------------------------------------------
 *
 * value.c
 *	  The types of a Delta table and their values: names, order, literals.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>
#include <math.h>

#include "delta/cast.h"
#include "delta/schema.h"
#include "delta/value.h"
#include "miscadmin.h"
#include "mb/pg_wchar.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

static const struct
{
	const char *name;
	DeltaKind	kind;
}			type_names[] =
{
	{"boolean", DELTA_BOOLEAN},
	{"byte", DELTA_BYTE},
	{"tinyint", DELTA_BYTE},
	{"short", DELTA_SHORT},
	{"smallint", DELTA_SHORT},
	{"int", DELTA_INTEGER},
	{"integer", DELTA_INTEGER},
	{"long", DELTA_LONG},
	{"bigint", DELTA_LONG},
	{"float", DELTA_FLOAT},
	{"real", DELTA_FLOAT},
	{"double", DELTA_DOUBLE},
	{"string", DELTA_STRING},
	{"binary", DELTA_BINARY},
	{"date", DELTA_DATE},
	{"timestamp", DELTA_TIMESTAMP},
	{"timestamp_ltz", DELTA_TIMESTAMP},
	{"timestamp_ntz", DELTA_TIMESTAMP_NTZ},
	{"variant", DELTA_VARIANT},
	{"void", DELTA_VOID},
	{"null", DELTA_VOID},
	{"interval year", DELTA_INTERVAL_MONTHS},
	{"interval month", DELTA_INTERVAL_MONTHS},
	{"interval year to month", DELTA_INTERVAL_MONTHS},
	{"interval day", DELTA_INTERVAL_MICROS},
	{"interval day to hour", DELTA_INTERVAL_MICROS},
	{"interval day to minute", DELTA_INTERVAL_MICROS},
	{"interval day to second", DELTA_INTERVAL_MICROS},
	{"interval hour", DELTA_INTERVAL_MICROS},
	{"interval hour to minute", DELTA_INTERVAL_MICROS},
	{"interval hour to second", DELTA_INTERVAL_MICROS},
	{"interval minute", DELTA_INTERVAL_MICROS},
	{"interval minute to second", DELTA_INTERVAL_MICROS},
	{"interval second", DELTA_INTERVAL_MICROS},
	{"struct", DELTA_STRUCT},
	{"array", DELTA_ARRAY},
	{"map", DELTA_MAP},
};

/* Longer names than this are those of nested types, or nonsense. */
#define MAX_NAME_LENGTH 63

DeltaType
deltacc_type(DeltaKind kind)
{
	DeltaType	type = {.kind = kind};

	if (kind == DELTA_DECIMAL)
		type.precision = 10;
	return type;
}

DeltaType
deltacc_decimal_type(int precision, int scale)
{
	DeltaType	type = {.kind = DELTA_DECIMAL,.precision = precision,.scale = scale};

	return type;
}

/*
 * Are two types the same to Spark's analyzer?  CHAR(n) and collations aren't
 * told apart: both are strings that are marked otherwise.
 */
bool
deltacc_type_equal(const DeltaType *a, const DeltaType *b)
{
	check_stack_depth();

	if (a == b)
		return true;
	if (a->kind != b->kind)
		return false;
	if (a->kind == DELTA_DECIMAL)
		return a->precision == b->precision && a->scale == b->scale;
	if (a->kind == DELTA_STRUCT && a->fields != b->fields)
	{
		if (a->nfields != b->nfields)
			return false;
		for (int i = 0; i < a->nfields; i++)
		{
			if (strcmp(a->fields[i].name, b->fields[i].name) != 0 ||
				!deltacc_type_equal(&a->fields[i].type, &b->fields[i].type))
				return false;
		}
	}
	return true;
}

const char *
deltacc_type_name(const DeltaType *type)
{
	switch (type->kind)
	{
		case DELTA_VOID:
			return "void";
		case DELTA_BOOLEAN:
			return "boolean";
		case DELTA_BYTE:
			return "tinyint";
		case DELTA_SHORT:
			return "smallint";
		case DELTA_INTEGER:
			return "int";
		case DELTA_LONG:
			return "bigint";
		case DELTA_FLOAT:
			return "float";
		case DELTA_DOUBLE:
			return "double";
		case DELTA_DECIMAL:
			return psprintf("decimal(%d,%d)", type->precision, type->scale);
		case DELTA_STRING:
			return type->char_length > 0 ? psprintf("char(%d)", type->char_length) : "string";
		case DELTA_BINARY:
			return "binary";
		case DELTA_DATE:
			return "date";
		case DELTA_TIMESTAMP:
			return "timestamp";
		case DELTA_TIMESTAMP_NTZ:
			return "timestamp_ntz";
		case DELTA_INTERVAL_MONTHS:
			return "interval year to month";
		case DELTA_INTERVAL_MICROS:
			return "interval day to second";
		case DELTA_STRUCT:
			return "struct";
		case DELTA_ARRAY:
			return "array";
		case DELTA_MAP:
			return "map";
		case DELTA_VARIANT:
			return "variant";
		case DELTA_OTHER:
			break;
	}
	return "unknown type";
}

/*
 * The numbers of "(10, 2)": how many there are, or -1 if it isn't that.
 */
static int
type_arguments(const char *s, int *numbers, int max)
{
	int			n = 0;

	if (*s++ != '(')
		return -1;
	for (;;)
	{
		int			value = 0;
		int			digits = 0;

		while (*s == ' ')
			s++;
		for (; isdigit((unsigned char) *s); s++)
		{
			if (++digits > 9)
				return -1;
			value = value * 10 + (*s - '0');
		}
		if (digits == 0 || n >= max)
			return -1;
		numbers[n++] = value;
		while (*s == ' ')
			s++;
		if (*s == ')')
			return s[1] == '\0' ? n : -1;
		if (*s++ != ',')
			return -1;
	}
}

/* Is name one of the words, before "(", and its arguments what is asked for? */
static bool
parameterised(const char *name, const char *word, int *numbers, int max, int *n)
{
	size_t		length = strlen(word);

	if (strncmp(name, word, length) != 0)
		return false;
	name += length;
	while (*name == ' ')
		name++;
	*n = *name == '\0' ? 0 : type_arguments(name, numbers, max);
	return *n >= 0;
}

DeltaType
deltacc_type_from_name(const char *name, int len)
{
	char		buf[MAX_NAME_LENGTH + 1];
	int			n = 0;
	int			numbers[2];
	int			nnumbers;

	/* lower case, one blank for each run of them */
	for (int i = 0; i < len; i++)
	{
		char		c = name[i];

		if (n >= MAX_NAME_LENGTH)
			break;
		if (c == ' ' || (c >= '\t' && c <= '\r'))
		{
			if (n > 0 && buf[n - 1] != ' ')
				buf[n++] = ' ';
		}
		else if (c == '\0')
			return deltacc_type(DELTA_OTHER);
		else
			buf[n++] = pg_ascii_tolower((unsigned char) c);
	}
	while (n > 0 && buf[n - 1] == ' ')
		n--;
	buf[n] = '\0';

	if (strncmp(buf, "array<", 6) == 0)
		return deltacc_type(DELTA_ARRAY);
	if (strncmp(buf, "map<", 4) == 0)
		return deltacc_type(DELTA_MAP);
	if (strncmp(buf, "struct<", 7) == 0)
		return deltacc_type(DELTA_STRUCT);
	if (strncmp(buf, "string collate ", 15) == 0)
	{
		DeltaType	type = deltacc_type(DELTA_STRING);

		type.collated = strcmp(buf + 15, "utf8_binary") != 0;
		return type;
	}
	if (n >= MAX_NAME_LENGTH)
		return deltacc_type(DELTA_OTHER);

	for (int i = 0; i < lengthof(type_names); i++)
	{
		if (strcmp(buf, type_names[i].name) == 0)
			return deltacc_type(type_names[i].kind);
	}

	if (parameterised(buf, "decimal", numbers, 2, &nnumbers) ||
		parameterised(buf, "numeric", numbers, 2, &nnumbers) ||
		parameterised(buf, "dec", numbers, 2, &nnumbers))
	{
		int			precision = nnumbers > 0 ? numbers[0] : 10;
		int			scale = nnumbers > 1 ? numbers[1] : 0;

		if (precision >= 1 && precision <= 38 && scale <= precision)
			return deltacc_decimal_type(precision, scale);
	}

	/*
	 * CAST(x AS CHAR(5)) is a cast to STRING in Spark; a column's CHAR(n) stands
	 * in its metadata.
	 */
	if ((parameterised(buf, "varchar", numbers, 1, &nnumbers) ||
		 parameterised(buf, "character", numbers, 1, &nnumbers) ||
		 parameterised(buf, "char", numbers, 1, &nnumbers)) && nnumbers == 1)
		return deltacc_type(DELTA_STRING);

	return deltacc_type(DELTA_OTHER);
}

int
deltacc_value_compare(const DeltaType *type, DeltaScalar a, DeltaScalar b)
{
	if (DELTA_IS_INT64_KIND(type->kind))
		return a.i < b.i ? -1 : a.i > b.i;
	if (DELTA_IS_DOUBLE_KIND(type->kind))
	{
		/* NaN is the greatest; == takes -0.0 for 0.0 */
		if (isnan(a.d) || isnan(b.d))
			return (isnan(a.d) ? 1 : 0) - (isnan(b.d) ? 1 : 0);
		return a.d < b.d ? -1 : a.d > b.d;
	}
	if (DELTA_IS_BYTES_KIND(type->kind))
	{
		int			result = memcmp(a.s->data, b.s->data, Min(a.s->len, b.s->len));

		return result != 0 ? result : (a.s->len < b.s->len ? -1 : a.s->len > b.s->len);
	}
	if (type->kind == DELTA_DECIMAL)
		return DatumGetInt32(DirectFunctionCall2(numeric_cmp, NumericGetDatum(a.n), NumericGetDatum(b.n)));
	return 0;					/* no values of other types are ever made */
}

static void print_binary(StringInfo out, const DeltaString *s);

/* NUL bytes apart, which a string of Spark's may hold. */
static bool
valid_utf8(const DeltaString *s)
{
	const char *p = s->data;
	const char *end = s->data + s->len;

	while (p < end)
	{
		const char *nul = memchr(p, '\0', end - p);
		const char *stop = nul != NULL ? nul : end;

		if (!pg_verify_mbstr(PG_UTF8, p, stop - p, true))
			return false;
		p = nul != NULL ? nul + 1 : end;
	}
	return true;
}

/*
 * A string between quotes that Spark's parser reads back; bytes that are no
 * UTF-8 as a cast of them.
 */
static void
print_string(StringInfo out, const DeltaString *s)
{
	if (!valid_utf8(s))
	{
		appendStringInfoString(out, "CAST(");
		print_binary(out, s);
		appendStringInfoString(out, " AS string)");
		return;
	}
	appendStringInfoChar(out, '\'');
	for (int i = 0; i < s->len; i++)
	{
		char		c = s->data[i];

		if (c == '\'' || c == '\\')
			appendStringInfoChar(out, '\\');
		if (c == '\0')
			appendStringInfoString(out, "\\0");
		else
			appendStringInfoCharMacro(out, c);
	}
	appendStringInfoChar(out, '\'');
}

static void
print_binary(StringInfo out, const DeltaString *s)
{
	static const char digits[] = "0123456789ABCDEF";

	appendStringInfoString(out, "X'");
	for (int i = 0; i < s->len; i++)
	{
		unsigned char c = s->data[i];

		appendStringInfoCharMacro(out, digits[c >> 4]);
		appendStringInfoCharMacro(out, digits[c & 0xF]);
	}
	appendStringInfoChar(out, '\'');
}

/* What has no literal form stands as a cast of its text. */
static void
print_double(StringInfo out, double d, bool is_float)
{
	if (isnan(d) || isinf(d))
		appendStringInfo(out, "%s('%s')", is_float ? "float" : "double",
						 isnan(d) ? "NaN" : d > 0 ? "Infinity" : "-Infinity");
	else
	{
		deltacc_append_double(out, d, is_float);
		appendStringInfoChar(out, is_float ? 'F' : 'D');
	}
}

/*
 * Integers go without the suffix that marks their width: it makes no
 * difference to what the literal is compared with, and reads worse.
 */
void
deltacc_value_print(StringInfo out, const DeltaType *type, DeltaScalar v, pg_tz *tz)
{
	switch (type->kind)
	{
		case DELTA_BOOLEAN:
			appendStringInfoString(out, v.i ? "true" : "false");
			break;
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			appendStringInfo(out, INT64_FORMAT, v.i);
			break;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			print_double(out, v.d, type->kind == DELTA_FLOAT);
			break;
		case DELTA_DECIMAL:
			appendStringInfoString(out, DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(v.n))));
			if (type->scale == 0)
				appendStringInfoString(out, "BD");
			break;
		case DELTA_STRING:
			print_string(out, v.s);
			break;
		case DELTA_BINARY:
			print_binary(out, v.s);
			break;
		case DELTA_DATE:
			appendStringInfoString(out, "DATE '");
			deltacc_append_date(out, v.i);
			appendStringInfoChar(out, '\'');
			break;
		case DELTA_TIMESTAMP:
			appendStringInfoString(out, "TIMESTAMP '");
			deltacc_append_timestamp(out, v.i, tz);
			appendStringInfoChar(out, '\'');
			break;
		case DELTA_TIMESTAMP_NTZ:
			appendStringInfoString(out, "TIMESTAMP_NTZ '");
			deltacc_append_timestamp(out, v.i, NULL);
			appendStringInfoChar(out, '\'');
			break;
		case DELTA_INTERVAL_MONTHS:
			appendStringInfo(out, "INTERVAL '" INT64_FORMAT "' MONTH", v.i);
			break;
		case DELTA_INTERVAL_MICROS:
			{
				/* the magnitude of the least int64 fits uint64 only */
				uint64		micros = v.i < 0 ? -(uint64) v.i : (uint64) v.i;

				appendStringInfo(out, "INTERVAL '%s" UINT64_FORMAT, v.i < 0 ? "-" : "", micros / 1000000);
				if (micros % 1000000 != 0)
					appendStringInfo(out, ".%06d", (int) (micros % 1000000));
				appendStringInfoString(out, "' SECOND");
				break;
			}
		case DELTA_VOID:
		case DELTA_STRUCT:
		case DELTA_ARRAY:
		case DELTA_MAP:
		case DELTA_VARIANT:
		case DELTA_OTHER:
			appendStringInfoString(out, "NULL");
			break;
	}
}

DeltaScalar
deltacc_string_value(const char *data, int len)
{
	DeltaString *s = palloc(sizeof(DeltaString) + len + 1);
	char	   *bytes = (char *) (s + 1);
	DeltaScalar result;

	memcpy(bytes, data, len);
	bytes[len] = '\0';
	s->len = len;
	s->data = bytes;
	result.s = s;
	return result;
}
