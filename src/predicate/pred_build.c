/*-------------------------------------------------------------------------
 *
 * pred_build.c
 *	  The nodes that the grammar of predicates builds, and its errors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "utils/memutils.h"

#include "base/text.h"
#include "predicate/pred_parse.h"

#define FIRST_CHUNK		((Size) 4 * 1024)
#define LAST_CHUNK		((Size) 4 * 1024 * 1024)
#define MAX_EXCERPT		60

static Size next_chunk_size(PredParser *ps);
static PredicateNode *call_of(PredParser *ps, PredText name, int flags, int location, PredicateNode *arguments);
static void check_arguments(PredParser *ps, PredText name, const PredicateNode *arguments);
static void take_unit(PredParser *ps, PredicateNode *call);

/* ---------------------------------------------------------------------
 * Errors
 * ---------------------------------------------------------------------
 */

void
deltacc_pred_error(PredParser *ps, int sqlstate, int location,
				   const char *message, const char *detail, const char *hint)
{
	/* the first one counts */
	if (ps->failed)
		return;
	ps->failed = true;
	errsave(ps->escontext,
			(errcode(sqlstate),
			 errmsg("%s", message),
			 detail != NULL ? errdetail("At character %d of the predicate. %s", location + 1, detail) :
			 errdetail("At character %d of the predicate.", location + 1),
			 hint != NULL ? errhint("%s", hint) : 0));
}

char *
deltacc_pred_excerpt(const char *text, int len)
{
	int			shown = 0;
	int			converted_len;
	char	   *converted;

	while (shown < len && shown < MAX_EXCERPT)
		shown += pg_utf_mblen((const unsigned char *) text + shown);
	shown = Min(shown, len);
	converted = deltacc_from_utf8(text, shown, &converted_len);
	return psprintf("%.*s%s", converted_len, converted, shown < len ? "..." : "");
}

int
deltacc_pred_location(PredParser *ps, int byte)
{
	if (byte < ps->counted_bytes)
	{
		ps->counted_bytes = 0;
		ps->counted_chars = 0;
	}
	while (ps->counted_bytes < byte)
	{
		ps->counted_bytes += pg_utf_mblen((const unsigned char *) ps->source + ps->counted_bytes);
		ps->counted_chars++;
	}
	return ps->counted_chars;
}

/* ---------------------------------------------------------------------
 * Memory
 * ---------------------------------------------------------------------
 */

/*
 * A predicate may have millions of nodes: they are cut from chunks, without
 * a header for each, and live as long as the context of the parse.
 */
void *
deltacc_pred_alloc(PredParser *ps, Size size)
{
	void	   *result;

	size = MAXALIGN(size);
	if (size > ps->chunk_left)
	{
		Size		chunk_size = next_chunk_size(ps);

		if (size > chunk_size / 4)
			return palloc_extended(size, MCXT_ALLOC_HUGE);
		ps->chunk = palloc(chunk_size);
		ps->chunk_left = chunk_size;
	}
	result = ps->chunk;
	ps->chunk += size;
	ps->chunk_left -= size;
	return result;
}

static Size
next_chunk_size(PredParser *ps)
{
	ps->chunk_size = ps->chunk_size == 0 ? FIRST_CHUNK : Min(ps->chunk_size * 2, LAST_CHUNK);
	return ps->chunk_size;
}

PredText
deltacc_pred_copy(PredParser *ps, const char *text, int len)
{
	PredText	copy;
	char	   *data = deltacc_pred_alloc(ps, len);

	if (len > 0)
		memcpy(data, text, len);
	copy.data = data;
	copy.len = len;
	return copy;
}

/* ---------------------------------------------------------------------
 * Nodes
 * ---------------------------------------------------------------------
 */

PredicateNode *
deltacc_pred_leaf(PredParser *ps, PredicateKind kind, PredText text, int location)
{
	PredicateNode *node = deltacc_pred_alloc(ps, sizeof(PredicateNode));

	node->kind = kind;
	node->flags = 0;
	node->location = location;
	node->text = text.data;
	node->text_len = text.len;
	node->nchildren = 0;
	node->children = NULL;
	return node;
}

PredicateNode *
deltacc_pred_node(PredParser *ps, PredicateKind kind, const char *text, int flags,
				  int location, int nchildren,...)
{
	PredText	node_text = {text, text != NULL ? strlen(text) : 0};
	PredicateNode *node = deltacc_pred_leaf(ps, kind, node_text, location);
	va_list		args;

	node->flags = flags;
	va_start(args, nchildren);
	for (int i = 0; i < nchildren; i++)
		deltacc_pred_append(ps, node, va_arg(args, PredicateNode *));
	va_end(args);
	return node;
}

/*
 * There is room for a power of two of children, so that a list of any length
 * is built in linear time.
 */
void
deltacc_pred_append(PredParser *ps, PredicateNode *node, PredicateNode *child)
{
	int			n = node->nchildren;

	if ((n & (n - 1)) == 0)
	{
		PredicateNode **children = deltacc_pred_alloc(ps, sizeof(PredicateNode *) * (n == 0 ? 1 : (Size) n * 2));

		if (n > 0)
			memcpy(children, node->children, sizeof(PredicateNode *) * n);
		node->children = children;
	}
	node->children[node->nchildren++] = child;
}

PredicateNode *
deltacc_pred_list(PredParser *ps, PredicateNode *first)
{
	PredicateNode *list = deltacc_pred_node(ps, PRED_ROW, NULL, 0, first != NULL ? first->location : -1, 0);

	if (first != NULL)
		deltacc_pred_append(ps, list, first);
	return list;
}

/*
 * Makes a node of a list, with one more child in front if first isn't NULL.
 */
PredicateNode *
deltacc_pred_from_list(PredParser *ps, PredicateKind kind, const char *text, int flags,
					   int location, PredicateNode *first, PredicateNode *list)
{
	PredicateNode *node = list;

	if (first != NULL)
	{
		node = deltacc_pred_list(ps, first);
		for (int i = 0; i < list->nchildren; i++)
			deltacc_pred_append(ps, node, list->children[i]);
	}
	node->kind = kind;
	node->text = text;
	node->text_len = text != NULL ? strlen(text) : 0;
	node->flags = flags;
	node->location = location;
	return node;
}

/*
 * A chain of ANDs, or ORs, is one node.  What stands in parentheses is a node of
 * its own: Spark's optimizer looks at pairs, and so it matters how they nest.
 */
PredicateNode *
deltacc_pred_logical(PredParser *ps, PredicateKind kind, int location,
					 PredicateNode *left, PredicateNode *right)
{
	PredicateNode *node = left;

	if (left->kind != kind || (left->flags & PRED_FLAG_GROUPED))
		node = deltacc_pred_node(ps, kind, NULL, 0, location, 1, left);
	if (right->kind == kind && (right->flags & PRED_FLAG_GROUPED) == 0)
	{
		for (int i = 0; i < right->nchildren; i++)
			deltacc_pred_append(ps, node, right->children[i]);
	}
	else
		deltacc_pred_append(ps, node, right);
	return node;
}

PredicateNode *
deltacc_pred_name(PredParser *ps, PredText name, int location)
{
	PredicateNode *node = deltacc_pred_leaf(ps, PRED_NAME, name, location);

	if (deltacc_pred_quote_name(name.data, name.len))
		node->flags |= PRED_FLAG_QUOTED;
	return node;
}

/*
 * (expr).name; (a).b is a.b, as Spark has it.
 */
PredicateNode *
deltacc_pred_field(PredParser *ps, PredicateNode *base, PredText name, int location)
{
	PredicateNode *node;

	if (base->kind == PRED_COLUMN)
	{
		deltacc_pred_append(ps, base, deltacc_pred_name(ps, name, location));
		return base;
	}
	node = deltacc_pred_node(ps, PRED_FIELD, NULL, 0, location, 1, base);
	node->text = name.data;
	node->text_len = name.len;
	return node;
}

PredText
deltacc_pred_quoted_name(PredParser *ps, PredText name)
{
	StringInfoData out;
	PredText	result;

	if (!deltacc_pred_quote_name(name.data, name.len))
		return name;
	initStringInfo(&out);
	deltacc_pred_print_name(&out, name.data, name.len);
	result = deltacc_pred_copy(ps, out.data, out.len);
	pfree(out.data);
	return result;
}

/*
 * A name of several segments as one text.
 */
PredText
deltacc_pred_path(PredParser *ps, const PredicateNode *column)
{
	StringInfoData out;
	PredText	result;

	initStringInfo(&out);
	for (int i = 0; i < column->nchildren; i++)
	{
		if (i > 0)
			appendStringInfoChar(&out, '.');
		deltacc_pred_print_name(&out, column->children[i]->text, column->children[i]->text_len);
	}
	result = deltacc_pred_copy(ps, out.data, out.len);
	pfree(out.data);
	return result;
}

static PredText
lower_case(PredParser *ps, PredText text)
{
	PredText	result = deltacc_pred_copy(ps, text.data, text.len);
	char	   *data = unconstify(char *, result.data);

	for (int i = 0; i < result.len; i++)
		data[i] = pg_ascii_tolower((unsigned char) data[i]);
	return result;
}

/*
 * A call by name.  The name of a function has no letter case; one segment of
 * plain letters stands for itself even if, as a column, it would need
 * backticks.
 */
PredicateNode *
deltacc_pred_call(PredParser *ps, PredicateNode *name, int flags, PredicateNode *arguments)
{
	PredText	text;
	const PredicateNode *first = name->children[0];

	text.data = first->text;
	text.len = first->text_len;
	if (name->nchildren > 1 ||
		(deltacc_pred_quote_call(text.data, text.len) && deltacc_pred_word(text.data, text.len) == WORD_NONE))
		text = deltacc_pred_path(ps, name);
	return call_of(ps, lower_case(ps, text), flags, name->location, arguments);
}

PredicateNode *
deltacc_pred_special_call(PredParser *ps, const char *name, int location, PredicateNode *arguments)
{
	PredText	text = {name, strlen(name)};

	return call_of(ps, text, 0, location, arguments);
}

static PredicateNode *
call_of(PredParser *ps, PredText name, int flags, int location, PredicateNode *arguments)
{
	PredicateNode *call;

	check_arguments(ps, name, arguments);
	call = deltacc_pred_from_list(ps, PRED_FUNCTION, NULL, flags, location, NULL, arguments);
	call->text = name.data;
	call->text_len = name.len;
	take_unit(ps, call);
	return call;
}

static bool
is_text(PredText text, const char *word)
{
	return text.len == (int) strlen(word) && memcmp(text.data, word, text.len) == 0;
}

/*
 * struct(a AS x) is the one call with names inside.
 */
static void
check_arguments(PredParser *ps, PredText name, const PredicateNode *arguments)
{
	if (is_text(name, "struct"))
		return;
	for (int i = 0; i < arguments->nchildren; i++)
	{
		const PredicateNode *argument = arguments->children[i];

		if (argument->kind == PRED_ALIAS)
		{
			deltacc_pred_error(ps, ERRCODE_SYNTAX_ERROR, argument->location,
							   psprintf("syntax error in predicate at or near \"%s\"",
										deltacc_pred_excerpt(argument->text, argument->text_len)),
							   is_text(name, "extract") ? "FROM, a comma, a closing parenthesis or an operator was expected." :
							   is_text(name, "position") ? "IN, a comma, a closing parenthesis or an operator was expected." :
							   is_text(name, "overlay") ? "PLACING, a comma, a closing parenthesis or an operator was expected." :
							   "A comma, a closing parenthesis or an operator was expected.", NULL);
			return;
		}
	}
}

/*
 * TIMESTAMPADD(DAY, 1, ts) and its like: the unit is a word, not a column.
 * All names of the two functions become one, and the unit a string.
 */
static void
take_unit(PredParser *ps, PredicateNode *call)
{
	static const char *const add_names[] = {"timestampadd", "dateadd", "date_add"};
	static const char *const diff_names[] = {"timestampdiff", "datediff", "date_diff", "timediff"};
	PredText	name = {call->text, call->text_len};
	const char *function = NULL;
	const char *unit;
	PredicateNode *first;

	if (call->nchildren != 3)
		return;
	for (int i = 0; i < lengthof(add_names); i++)
	{
		if (is_text(name, add_names[i]))
			function = add_names[0];
	}
	for (int i = 0; i < lengthof(diff_names); i++)
	{
		if (is_text(name, diff_names[i]))
			function = diff_names[0];
	}
	first = call->children[0];
	if (function == NULL || first->kind != PRED_COLUMN || first->nchildren != 1)
		return;
	unit = deltacc_pred_datetime_unit(first->children[0]->text, first->children[0]->text_len);
	if (unit == NULL)
		return;

	call->text = function;
	call->text_len = strlen(function);
	first->kind = PRED_STRING;
	first->text = unit;
	first->text_len = strlen(unit);
	first->nchildren = 0;
	first->children = NULL;
}

/*
 * ( ... ): an expression, or a row of two or more.
 */
PredicateNode *
deltacc_pred_group(PredParser *ps, PredicateNode *list, int location)
{
	PredicateNode *only = list->children[0];

	if (list->nchildren > 1)
		return deltacc_pred_from_list(ps, PRED_ROW, NULL, 0, location, NULL, list);
	if (only->kind == PRED_ALIAS)
		deltacc_pred_error(ps, ERRCODE_SYNTAX_ERROR, only->location,
						   psprintf("syntax error in predicate at or near \"%s\"",
									deltacc_pred_excerpt(only->text, only->text_len)),
						   "A closing parenthesis or an operator was expected.", NULL);
	if (only->kind == PRED_AND || only->kind == PRED_OR)
		only->flags |= PRED_FLAG_GROUPED;
	return only;
}

/*
 * x -> body, (x, y) -> body: what looked like columns are the parameters.
 */
PredicateNode *
deltacc_pred_lambda(PredParser *ps, PredicateNode *parameters, PredicateNode *body, int location)
{
	for (int i = 0; i < parameters->nchildren; i++)
	{
		PredicateNode *parameter = parameters->children[i];

		if (parameter->kind != PRED_COLUMN || parameter->nchildren != 1)
		{
			deltacc_pred_error(ps, ERRCODE_SYNTAX_ERROR, parameter->location,
							   "a parameter of a lambda function is a plain name", NULL,
							   "Write it like x -> x > 0 or (x, y) -> x + y.");
			return body;
		}
		parameters->children[i] = parameter->children[0];
	}
	deltacc_pred_append(ps, parameters, body);
	return deltacc_pred_from_list(ps, PRED_LAMBDA, NULL, 0, location, NULL, parameters);
}

PredicateNode *
deltacc_pred_escape(PredParser *ps, PredText text, int location)
{
	if (text.len == 0 || pg_utf_mblen((const unsigned char *) text.data) < text.len)
		deltacc_pred_error(ps, ERRCODE_INVALID_ESCAPE_SEQUENCE, location,
						   "an escape character is one character", NULL,
						   "Write it like ESCAPE '!'.");
	return deltacc_pred_leaf(ps, PRED_STRING, text, location);
}

/* ---------------------------------------------------------------------
 * Types
 * ---------------------------------------------------------------------
 */

static const struct
{
	const char *name;
	const char *type;
}			type_names[] = {
	{"boolean", "boolean"},
	{"tinyint", "tinyint"}, {"byte", "tinyint"},
	{"smallint", "smallint"}, {"short", "smallint"},
	{"int", "int"}, {"integer", "int"},
	{"bigint", "bigint"}, {"long", "bigint"},
	{"float", "float"}, {"real", "float"},
	{"double", "double"},
	{"date", "date"},
	{"timestamp", "timestamp"}, {"timestamp_ltz", "timestamp"},
	{"timestamp_ntz", "timestamp_ntz"},
	{"time", "time"},
	{"string", "string"},
	{"char", "char"}, {"character", "char"},
	{"varchar", "varchar"},
	{"binary", "binary"},
	{"decimal", "decimal"}, {"dec", "decimal"}, {"numeric", "decimal"},
	{"void", "void"},
	{"interval", "interval"},
	{"variant", "variant"},
	{"geometry", "geometry"}, {"geography", "geography"},
};

/*
 * A number in a type, without leading zeros; -1 if it is none.
 */
static int
type_number(const PredicateNode *parameter)
{
	int64		value = 0;

	if (parameter->kind != PRED_INTEGER)
		return -1;
	for (int i = 0; i < parameter->text_len; i++)
	{
		if (!isdigit((unsigned char) parameter->text[i]))
			return -1;
		value = value * 10 + (parameter->text[i] - '0');
		if (value > PG_INT32_MAX)
			return -1;
	}
	return (int) value;
}

static PredText
bad_type(PredParser *ps, PredText name, int location, const char *hint)
{
	deltacc_pred_error(ps, ERRCODE_UNDEFINED_OBJECT, location,
					   psprintf("there is no type \"%s\"", deltacc_pred_excerpt(name.data, name.len)),
					   NULL, hint);
	return name;
}

PredText
deltacc_pred_type(PredParser *ps, PredText name, const PredicateNode *parameters, int location)
{
	PredText	lower = lower_case(ps, name);
	int			nparameters = parameters != NULL ? parameters->nchildren : 0;
	const char *type = NULL;
	int			first;
	char	   *text;

	/* put together by the scanner */
	if (lower.len > 9 && memcmp(lower.data, "interval ", 9) == 0)
		return lower;

	for (int i = 0; i < lengthof(type_names); i++)
	{
		if (is_text(lower, type_names[i].name))
			type = type_names[i].type;
	}
	if (type == NULL)
		return bad_type(ps, name, location, "Types are those of Spark SQL: bigint, decimal(10, 2), string, timestamp and so on.");

	if (strcmp(type, "decimal") == 0)
	{
		int			second = nparameters > 1 ? type_number(parameters->children[1]) : 0;

		first = nparameters > 0 ? type_number(parameters->children[0]) : 10;
		if (nparameters > 2 || first < 1 || first > 38 || second < 0 || second > first)
			return bad_type(ps, name, location, "A decimal has 1 to 38 digits, and not more of them behind the point.");
		text = psprintf("decimal(%d,%d)", first, second);
	}
	else if (strcmp(type, "char") == 0 || strcmp(type, "varchar") == 0)
	{
		first = nparameters == 1 ? type_number(parameters->children[0]) : -1;
		if (first < 1)
			return bad_type(ps, name, location, "Write it with a length, like varchar(10).");
		text = psprintf("%s(%d)", type, first);
	}
	else if (nparameters > 0)
	{
		first = type_number(parameters->children[0]);
		if (nparameters > 1 || first < 0 ||
			(strcmp(type, "time") != 0 && strcmp(type, "geometry") != 0 && strcmp(type, "geography") != 0))
			return bad_type(ps, name, location, "This type has no parameters like these.");
		text = psprintf("%s(%d)", type, first);
	}
	else
		text = pstrdup(type);
	lower.data = text;
	lower.len = strlen(text);
	return lower;
}
