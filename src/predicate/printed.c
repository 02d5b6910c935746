/*-------------------------------------------------------------------------
 *
 * printed.c
 *	  Reading the conditions that Spark prints into a log.
 *
 * The printed form (Catalyst's Expression.toString) is strict: every binary
 * operator stands in parentheses of its own with one blank on each side, every
 * column carries its id.  This strictness is what makes a string literal
 * without quotes readable at all: the literal is what stands between the
 * operator and the next closing parenthesis, and if it was longer than that,
 * the rest of the text does not fit the form any more, and nothing is read.
 *
 * One pass, which writes SQL as it reads: operands come in the same order in
 * both.  A part that can't be used but whose extent is certain becomes TRUE,
 * which is wider under AND and OR; under anything else the whole becomes TRUE.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "lib/stringinfo.h"
#include "miscadmin.h"

#include "delta/value.h"
#include "predicate/pred_parse.h"
#include "predicate/printed.h"

typedef struct Reader
{
	const char *pos;
	const char *end;
	const DeltaSchema *schema;
	StringInfoData sql;
	bool		string_literal;
	bool		widened;
	bool		broken;			/* nothing of it can be trusted */
	const char *note;			/* the first reason */

	/* which id each column was seen with: one each, in a sound text */
	int			nids;
	const DeltaField **id_fields;
	int64	   *ids;
	int			max_ids;
} Reader;

/* An expression that has been read and written. */
typedef struct Operand
{
	DeltaType	type;			/* DELTA_OTHER: not known */
	bool		widened;		/* BOOLEAN: TRUE for more rows than the original;
								 * else: its value isn't known */
	int			start;			/* of its SQL */
	const char *number;			/* a bare number: what it is a literal of is still
								 * open, and no SQL is written; NULL */
	int			number_len;
} Operand;

static bool read_expression(Reader *r, Operand *e);
static bool read_binary(Reader *r, Operand *e);
static bool read_comparison(Reader *r, Operand *left, const char *op);
static bool read_arithmetic(Reader *r, Operand *left, const char *op);
static bool read_in_list(Reader *r, Operand *e);
static bool read_not(Reader *r, Operand *e);
static bool read_column(Reader *r, Operand *e);
static bool read_call(Reader *r, Operand *e);
static bool read_cast(Reader *r, Operand *e);
static bool read_string_literal(Reader *r, bool *usable);
static bool read_literal(Reader *r, const DeltaType *type, bool *usable);
static bool write_number(Reader *r, const DeltaType *type, const char *text, int len);
static void widen(Reader *r, Operand *e, const char *note);

static const char *const unreadable = "the printed condition can't be read back with certainty";
static const char *const lost_quotes = "the quotes of a string are lost, and where it ends can't be told";
static const char *const lost_zone = "a timestamp stands in the writer's time zone, which is not in the log";
static const char *const cut_short = "the printed condition was cut short";
static const char *const not_computed = "a part of the printed condition has no certain meaning";

PrintedCondition
deltacc_printed_condition(const char *text, int len, const DeltaSchema *schema)
{
	PrintedCondition result = {NULL, false, false, NULL};
	Reader		r = {0};
	Operand		e;

	r.pos = text;
	r.end = text + len;
	r.schema = schema;
	initStringInfo(&r.sql);

	/* Spark's truncatedString: "... 12 more fields" */
	if (len >= 3 && memmem(text, len, "...", 3) != NULL)
		r.note = cut_short;
	else if (read_expression(&r, &e) && r.pos == r.end && e.number == NULL &&
			 e.type.kind == DELTA_BOOLEAN)
	{
		result.sql = r.sql.data;
		result.widened = r.widened;
		result.string_literal = r.string_literal;
		result.note = r.note;
		return result;
	}
	result.note = r.note ? r.note : unreadable;
	return result;
}

/* ---------------------------------------------------------------------
 * Characters
 * ---------------------------------------------------------------------
 */

static bool
at(const Reader *r, const char *word)
{
	size_t		len = strlen(word);

	return (size_t) (r->end - r->pos) >= len && memcmp(r->pos, word, len) == 0;
}

static bool
take(Reader *r, const char *word)
{
	if (!at(r, word))
		return false;
	r->pos += strlen(word);
	return true;
}

static bool
holds(const char *text, int len, const char *word)
{
	return memmem(text, len, word, strlen(word)) != NULL;
}

/* A part of a name as we read it back; others are too easily something else. */
static bool
is_name_byte(unsigned char c)
{
	return isalnum(c) || c == '_' || c >= 0x80;
}

static bool
is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

/* Up to the end of the text or the first of these bytes. */
static int
token_length(const Reader *r, const char *stops)
{
	const char *p = r->pos;

	while (p < r->end && strchr(stops, *p) == NULL)
		p++;
	return p - r->pos;
}

static bool
fail(Reader *r, const char *note)
{
	if (r->note == NULL)
		r->note = note;
	return false;
}

/* ---------------------------------------------------------------------
 * Expressions
 * ---------------------------------------------------------------------
 */

static void
begin(Reader *r, Operand *e, DeltaKind kind)
{
	e->type = deltacc_type(kind);
	e->widened = false;
	e->start = r->sql.len;
	e->number = NULL;
	e->number_len = 0;
}

/* What has been written for e is forgotten: it may be anything. */
static void
widen(Reader *r, Operand *e, const char *note)
{
	r->sql.len = e->start;
	r->sql.data[r->sql.len] = '\0';
	appendStringInfoString(&r->sql, "true");
	e->widened = true;
	e->number = NULL;
	r->widened = true;
	if (r->note == NULL)
		r->note = note ? note : not_computed;
}

static bool
read_expression(Reader *r, Operand *e)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	begin(r, e, DELTA_OTHER);
	if (r->pos >= r->end)
		return false;
	if (*r->pos == '(')
	{
		if (!read_binary(r, e))
			return false;
	}
	else if (at(r, "NOT "))
		return read_not(r, e);
	else if (is_digit(*r->pos) || *r->pos == '-')
	{
		e->number = r->pos;
		e->number_len = token_length(r, " (),");
		r->pos += e->number_len;
		return true;
	}
	else if (at(r, "cast("))
	{
		if (!read_cast(r, e))
			return false;
	}
	else if (!read_column(r, e) && !read_call(r, e))
		return false;
	if (at(r, " IN ("))
		return read_in_list(r, e);
	return true;
}

/* (left op right) */
static bool
read_binary(Reader *r, Operand *e)
{
	static const char *const comparisons[] = {"<=>", "<=", ">=", "=", "<", ">"};
	static const char *const operators[] = {"+", "-", "*", "/", "%"};
	static const char *const connectives[] = {"AND", "OR"};
	bool		is_root = r->sql.len == 0;
	bool		certain;
	Operand		left;
	int			len;
	char		op[4];

	begin(r, e, DELTA_BOOLEAN);
	r->pos++;
	appendStringInfoChar(&r->sql, '(');
	if (!read_expression(r, &left) || !take(r, " "))
		return false;
	len = token_length(r, " ");
	if (len == 0 || len >= (int) sizeof(op))
		return false;
	memcpy(op, r->pos, len);
	op[len] = '\0';
	r->pos += len;
	if (!take(r, " "))
		return false;

	for (int i = 0; i < lengthof(connectives); i++)
	{
		Operand		right;
		int			right_start;

		if (strcmp(op, connectives[i]) != 0)
			continue;
		if (left.number || left.type.kind != DELTA_BOOLEAN)
			return false;
		appendStringInfo(&r->sql, " %s ", op);
		right_start = r->sql.len;
		certain = !r->string_literal;
		if (!read_expression(r, &right) || right.number || right.type.kind != DELTA_BOOLEAN || !take(r, ")"))
		{
			/*
			 * At the root a left side without strings is certain whatever
			 * stands on the right, which reaches to the end.
			 */
			if (!is_root || !certain || r->broken || op[0] != 'A' || r->end[-1] != ')')
				return false;
			right.start = right_start;
			widen(r, &right, r->note ? NULL : unreadable);
			r->string_literal = false;
			r->pos = r->end;
		}
		appendStringInfoChar(&r->sql, ')');
		e->widened = left.widened || right.widened;
		return true;
	}
	for (int i = 0; i < lengthof(comparisons); i++)
	{
		if (strcmp(op, comparisons[i]) != 0)
			continue;
		if (!read_comparison(r, &left, op) || !take(r, ")"))
			return false;
		if (left.widened)
			widen(r, e, NULL);
		else
			appendStringInfoChar(&r->sql, ')');
		return true;
	}
	for (int i = 0; i < lengthof(operators); i++)
	{
		if (strcmp(op, operators[i]) != 0)
			continue;
		if (!read_arithmetic(r, &left, op) || !take(r, ")"))
			return false;
		appendStringInfoChar(&r->sql, ')');
		e->type = left.type;
		e->widened = left.widened;
		return true;
	}
	return false;
}

/* The right side of a comparison.  left->widened: it can't be used. */
static bool
read_comparison(Reader *r, Operand *left, const char *op)
{
	Operand		right;
	bool		usable = true;

	/* 5 < id#1: turned round */
	if (left->number)
	{
		const char *turned = op[0] == '<' && strcmp(op, "<=>") != 0 ? (op[1] ? ">=" : ">") :
			op[0] == '>' ? (op[1] ? "<=" : "<") : op;

		if (!read_expression(r, &right) || right.number || right.type.kind == DELTA_STRING)
			return false;
		appendStringInfo(&r->sql, " %s ", turned);
		if (right.widened || !write_number(r, &right.type, left->number, left->number_len))
			left->widened = true;
		return true;
	}

	appendStringInfo(&r->sql, " %s ", op);
	if (left->type.kind == DELTA_STRING)
	{
		if (!read_string_literal(r, &usable))
			return false;
		left->widened |= !usable;
		return true;
	}

	/* another column or call, or a literal */
	if (memchr(r->pos, '#', token_length(r, " )")) != NULL || at(r, "(") || at(r, "cast("))
	{
		if (!read_expression(r, &right) || right.number)
			return false;
		if (right.widened || !deltacc_type_equal(&left->type, &right.type))
			left->widened = true;
		return true;
	}
	if (!read_literal(r, &left->type, &usable))
		return false;
	left->widened |= !usable;
	return true;
}

/* The right side of an arithmetic operator; left becomes the result. */
static bool
read_arithmetic(Reader *r, Operand *left, const char *op)
{
	Operand		right;
	bool		known;

	if (left->number || left->type.kind == DELTA_STRING || left->type.kind == DELTA_BOOLEAN)
		return false;
	appendStringInfo(&r->sql, " %s ", op);
	if (!read_expression(r, &right) || right.type.kind == DELTA_STRING || right.type.kind == DELTA_BOOLEAN)
		return false;
	known = !left->widened && !right.widened;
	if (right.number)
		known = known && write_number(r, &left->type, right.number, right.number_len);
	else
		known = known && deltacc_type_equal(&left->type, &right.type);
	/* decimals: the result has another precision; integers divide to doubles */
	if (!DELTA_IS_INTEGRAL_KIND(left->type.kind) && left->type.kind != DELTA_DOUBLE)
		known = false;
	if (op[0] == '/' && left->type.kind != DELTA_DOUBLE)
		known = false;
	if (!known)
	{
		left->type = deltacc_type(DELTA_OTHER);
		left->widened = true;
	}
	return true;
}

/* value IN (2,3,4) */
static bool
read_in_list(Reader *r, Operand *e)
{
	bool		usable = !e->widened;

	/* A comma may be part of a string. */
	if (e->number || e->type.kind == DELTA_STRING)
		return fail(r, lost_quotes);
	take(r, " IN (");
	appendStringInfoString(&r->sql, " IN (");
	for (;;)
	{
		bool		item_usable = true;

		CHECK_FOR_INTERRUPTS();
		if (!read_literal(r, &e->type, &item_usable))
			return false;
		usable = usable && item_usable;
		if (take(r, ")"))
			break;
		if (!take(r, ","))
			return false;
		take(r, " ");
		appendStringInfoString(&r->sql, ", ");
	}
	appendStringInfoChar(&r->sql, ')');
	e->type = deltacc_type(DELTA_BOOLEAN);
	e->widened = false;
	if (!usable)
		widen(r, e, NULL);
	else
	{
		/* in parentheses, since it stands in none */
		appendStringInfoString(&r->sql, ") ");
		memmove(r->sql.data + e->start + 1, r->sql.data + e->start, r->sql.len - 1 - e->start);
		r->sql.data[e->start] = '(';
	}
	return true;
}

static bool
read_not(Reader *r, Operand *e)
{
	Operand		argument;

	begin(r, e, DELTA_BOOLEAN);
	take(r, "NOT ");
	appendStringInfoString(&r->sql, "(NOT ");
	if (!read_expression(r, &argument) || argument.number || argument.type.kind != DELTA_BOOLEAN)
		return false;
	appendStringInfoChar(&r->sql, ')');
	if (argument.widened)
		widen(r, e, NULL);
	return true;
}

/* ---------------------------------------------------------------------
 * Columns
 * ---------------------------------------------------------------------
 */

/* One id for each column: else the text is something else than it seems. */
static bool
note_id(Reader *r, const DeltaField *field, int64 id)
{
	for (int i = 0; i < r->nids; i++)
	{
		if ((r->id_fields[i] == field) != (r->ids[i] == id))
			return false;
		if (r->id_fields[i] == field)
			return true;
	}
	if (r->nids == r->max_ids)
	{
		r->max_ids = Max(r->max_ids * 2, 16);
		r->id_fields = r->id_fields ? repalloc(r->id_fields, r->max_ids * sizeof(*r->id_fields)) :
			palloc(r->max_ids * sizeof(*r->id_fields));
		r->ids = r->ids ? repalloc(r->ids, r->max_ids * sizeof(int64)) : palloc(r->max_ids * sizeof(int64));
	}
	r->id_fields[r->nids] = field;
	r->ids[r->nids++] = id;
	return true;
}

/* name#12, name#12L, name#12.field; a name alone is true or false. */
static bool
read_column(Reader *r, Operand *e)
{
	const char *start = r->pos;
	const char *p = r->pos;
	const DeltaField *field;
	int64		id = 0;
	int			digits = 0;
	bool		is_long;

	begin(r, e, DELTA_BOOLEAN);
	while (p < r->end && (is_name_byte(*p) || *p == '.'))
		p++;
	if (p == start || p == r->end || *p != '#')
	{
		for (int i = 0; i < 2; i++)
		{
			const char *word = i == 0 ? "true" : "false";

			if ((size_t) (p - start) == strlen(word) && memcmp(start, word, p - start) == 0 &&
				(p == r->end || *p == ' ' || *p == ')'))
			{
				appendStringInfoString(&r->sql, word);
				r->pos = p;
				return true;
			}
		}
		return false;
	}
	field = deltacc_schema_find(r->schema, NULL, start, p - start);
	if (field == NULL)
		return fail(r, "the printed condition names a column that the table did not have");
	for (p++; p < r->end && is_digit(*p) && digits < 18; p++, digits++)
		id = id * 10 + (*p - '0');
	is_long = p < r->end && *p == 'L';
	if (is_long)
		p++;
	if (digits == 0 || is_long != (field->type.kind == DELTA_LONG))
		return false;
	if (!note_id(r, field, id))
	{
		r->broken = true;
		return false;
	}
	deltacc_pred_print_name(&r->sql, field->name, strlen(field->name));

	while (p < r->end && *p == '.')
	{
		const char *name = ++p;

		while (p < r->end && is_name_byte(*p))
			p++;
		if (field->type.kind != DELTA_STRUCT ||
			(field = deltacc_schema_find(r->schema, field, name, p - name)) == NULL)
			return false;
		appendStringInfoChar(&r->sql, '.');
		deltacc_pred_print_name(&r->sql, field->name, strlen(field->name));
	}
	if (p < r->end && strchr(" ),", *p) == NULL)
		return false;
	r->pos = p;
	e->type = field->type;
	if (!DELTA_IS_ATOMIC_KIND(e->type.kind) || e->type.collated || e->type.char_length > 0)
		return false;
	return true;
}

/* ---------------------------------------------------------------------
 * Calls
 * ---------------------------------------------------------------------
 */

/*
 * Calls that are read back: of one argument, or of one and numbers.  Others
 * may have string arguments, which can't be told from numbers and columns.
 */
typedef struct PrintedCall
{
	const char *printed;		/* Catalyst's prettyName */
	const char *before;			/* what SQL it is */
	const char *after;
	DeltaKind	argument;		/* DELTA_VOID: of any type */
	DeltaKind	result;			/* DELTA_VOID: of its argument's */
	int			nnumbers;
} PrintedCall;

static const PrintedCall calls[] = {
	{"isnull", "(", " IS NULL)", DELTA_VOID, DELTA_BOOLEAN, 0},
	{"isnotnull", "(", " IS NOT NULL)", DELTA_VOID, DELTA_BOOLEAN, 0},
	{"upper", "upper(", ")", DELTA_STRING, DELTA_STRING, 0},
	{"lower", "lower(", ")", DELTA_STRING, DELTA_STRING, 0},
	{"length", "length(", ")", DELTA_STRING, DELTA_INTEGER, 0},
	{"char_length", "length(", ")", DELTA_STRING, DELTA_INTEGER, 0},
	{"substring", "substring(", ")", DELTA_STRING, DELTA_STRING, 2},
	{"substr", "substring(", ")", DELTA_STRING, DELTA_STRING, 2},
	{"year", "year(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"quarter", "quarter(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"month", "month(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"day", "day(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"dayofmonth", "day(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"dayofweek", "dayofweek(", ")", DELTA_DATE, DELTA_INTEGER, 0},
	{"dayofyear", "dayofyear(", ")", DELTA_DATE, DELTA_INTEGER, 0},
};

static bool
read_call(Reader *r, Operand *e)
{
	int			len = token_length(r, "( ),");
	const PrintedCall *call = NULL;
	Operand		argument;

	for (int i = 0; i < lengthof(calls); i++)
	{
		if (strlen(calls[i].printed) == (size_t) len && memcmp(r->pos, calls[i].printed, len) == 0)
			call = &calls[i];
	}
	begin(r, e, DELTA_OTHER);
	if (call == NULL)
		return fail(r, "the printed condition holds something else than comparisons of columns with literals");
	r->pos += len;
	if (!take(r, "("))
		return false;
	appendStringInfoString(&r->sql, call->before);
	if (!read_expression(r, &argument) || argument.number ||
		(call->argument != DELTA_VOID && argument.type.kind != call->argument))
		return false;
	for (int i = 0; i < call->nnumbers; i++)
	{
		DeltaType	integer = deltacc_type(DELTA_INTEGER);
		bool		usable;

		if (!take(r, ", "))
			return false;
		appendStringInfoString(&r->sql, ", ");
		if (!read_literal(r, &integer, &usable) || !usable)
			return false;
	}
	if (!take(r, ")"))
		return false;
	appendStringInfoString(&r->sql, call->after);
	e->type = call->result == DELTA_VOID ? argument.type : deltacc_type(call->result);
	if (argument.widened)
	{
		if (e->type.kind == DELTA_BOOLEAN)
			widen(r, e, NULL);
		else
			e->widened = true;
	}
	return true;
}

/* cast(value as type) */
static bool
read_cast(Reader *r, Operand *e)
{
	Operand		argument;
	DeltaType	type;
	const char *name;

	begin(r, e, DELTA_OTHER);
	take(r, "cast(");
	appendStringInfoString(&r->sql, "CAST(");
	if (!read_expression(r, &argument))
		return false;
	if (argument.number)
	{
		/* cast(2 as bigint): a number that is of the type itself */
		argument.type = deltacc_type(DELTA_INTEGER);
		if (!write_number(r, &argument.type, argument.number, argument.number_len))
			return false;
	}
	if (!take(r, " as "))
		return false;
	name = r->pos;
	r->pos += token_length(r, "()");
	if (at(r, "("))
		r->pos += token_length(r, ")") + 1;
	if (r->pos >= r->end)
		return false;
	type = deltacc_type_from_name(name, r->pos - name);
	if (type.kind == DELTA_VOID || type.kind == DELTA_OTHER || !DELTA_IS_ATOMIC_KIND(type.kind) ||
		type.char_length > 0 || !take(r, ")"))
		return false;
	appendStringInfo(&r->sql, " AS %s)", deltacc_type_name(&type));
	e->type = type;
	e->widened = argument.widened;
	if (argument.type.kind == DELTA_TIMESTAMP || type.kind == DELTA_TIMESTAMP)
	{
		e->widened = true;
		fail(r, lost_zone);
	}
	if (e->widened && type.kind == DELTA_BOOLEAN)
		widen(r, e, NULL);
	return true;
}

/* ---------------------------------------------------------------------
 * Literals
 * ---------------------------------------------------------------------
 */

/*
 * A string without its quotes: up to the next closing parenthesis, which stays.
 * False if it may not end there.
 */
static bool
read_string_literal(Reader *r, bool *usable)
{
	int			len = token_length(r, ")");

	if (r->pos + len == r->end)
		return false;
	if (memchr(r->pos, '(', len) || memchr(r->pos, '#', len) || memchr(r->pos, '\'', len) ||
		memchr(r->pos, '"', len) || memchr(r->pos, '`', len) ||
		holds(r->pos, len, " AND ") || holds(r->pos, len, " OR "))
		return fail(r, lost_quotes);

	/* NULL, or the string of these letters */
	*usable = !(len == 4 && memcmp(r->pos, "null", 4) == 0);
	deltacc_pred_print_string(&r->sql, r->pos, len);
	r->pos += len;
	r->string_literal = true;
	return true;
}

static bool
all_digits(const char *text, int len)
{
	for (int i = 0; i < len; i++)
	{
		if (!is_digit(text[i]))
			return false;
	}
	return len > 0;
}

static bool
is_date(const char *text, int len)
{
	return len == 10 && all_digits(text, 4) && text[4] == '-' && all_digits(text + 5, 2) &&
		text[7] == '-' && all_digits(text + 8, 2);
}

/* 2026-03-01 00:00:00[.123456] */
static int
timestamp_length(const Reader *r)
{
	const char *p = r->pos;
	int			len = 19;

	if (r->end - p < len || !is_date(p, 10) || p[10] != ' ' || !all_digits(p + 11, 2) || p[13] != ':' ||
		!all_digits(p + 14, 2) || p[16] != ':' || !all_digits(p + 17, 2))
		return 0;
	if (p + len < r->end && p[len] == '.')
	{
		len++;
		while (p + len < r->end && is_digit(p[len]))
			len++;
	}
	return len;
}

/*
 * A literal of a type that is no string, up to a blank, a comma or a
 * parenthesis.  False: none; *usable false: one whose value we don't know.
 */
static bool
read_literal(Reader *r, const DeltaType *type, bool *usable)
{
	int			len = token_length(r, " (),");

	*usable = false;
	if (len == 0)
		return false;
	if (len == 4 && memcmp(r->pos, "null", 4) == 0)
		fail(r, not_computed);
	else if (type->kind == DELTA_BOOLEAN)
	{
		if (!(len == 4 && memcmp(r->pos, "true", 4) == 0) && !(len == 5 && memcmp(r->pos, "false", 5) == 0))
			return false;
		appendBinaryStringInfo(&r->sql, r->pos, len);
		*usable = true;
	}
	else if (type->kind == DELTA_DATE)
	{
		if (!is_date(r->pos, len))
			return false;
		appendStringInfo(&r->sql, "DATE '%.*s'", len, r->pos);
		*usable = true;
	}
	else if (timestamp_length(r) > 0)
	{
		if (DELTA_IS_NUMERIC_KIND(type->kind))
			return false;
		len = timestamp_length(r);
		fail(r, lost_zone);
	}
	else if (write_number(r, type, r->pos, len))
		*usable = true;
	else if (!is_digit(*r->pos) && *r->pos != '-')
		return false;
	r->pos += len;
	return true;
}

/*
 * A number as a literal of just this type, since the printed condition's types
 * are already those that Spark compares in (an int meets a bigint as one).
 * False, and nothing written, if it is none of this type.
 */
static bool
write_number(Reader *r, const DeltaType *type, const char *text, int len)
{
	const char *suffix;
	int			i = len > 0 && text[0] == '-' ? 1 : 0;
	int			digits = 0;

	switch (type->kind)
	{
		case DELTA_BYTE:
			suffix = "Y";
			break;
		case DELTA_SHORT:
			suffix = "S";
			break;
		case DELTA_INTEGER:
		case DELTA_LONG:
			suffix = "";
			break;
		case DELTA_FLOAT:
			suffix = "F";
			break;
		case DELTA_DOUBLE:
			suffix = "D";
			break;
		case DELTA_DECIMAL:
			suffix = memchr(text, '.', len) ? "" : "BD";
			break;
		default:
			return false;
	}
	for (; i < len && is_digit(text[i]); i++)
		digits++;
	if (digits == 0)
		return false;
	if (i < len && text[i] == '.' && !DELTA_IS_INTEGRAL_KIND(type->kind))
	{
		if (!all_digits(text + i + 1, 1))
			return false;
		for (i++; i < len && is_digit(text[i]); i++)
			;
	}
	if (i < len && text[i] == 'E' && DELTA_IS_DOUBLE_KIND(type->kind))
	{
		i++;
		if (i < len && text[i] == '-')
			i++;
		if (!all_digits(text + i, len - i))
			return false;
		i = len;
	}
	if (i != len)
		return false;
	appendBinaryStringInfo(&r->sql, text, len);
	appendStringInfoString(&r->sql, suffix);
	return true;
}
