/*-------------------------------------------------------------------------
 *
 * predicate_print.c
 *	  A predicate as text that parses to the same predicate.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/pred_parse.h"

/*
 * How tightly the form binds in which a node is printed.  A part stands in
 * parentheses if it binds less than its place asks for.
 */
typedef enum Binding
{
	BIND_NAMED,					/* a AS b */
	BIND_LAMBDA,
	BIND_OR,
	BIND_AND,
	BIND_NOT,
	BIND_PREDICATE,				/* IN, LIKE, IS, ... */
	BIND_COMPARE,
	BIND_BIT_OR,
	BIND_BIT_XOR,
	BIND_BIT_AND,
	BIND_SHIFT,
	BIND_SUM,
	BIND_PRODUCT,
	BIND_UNARY,
	BIND_NUMBER,				/* 5, a COLLATE x: a dot behind it would be
								 * theirs */
	BIND_PRIMARY
} Binding;

static void print(StringInfo out, const PredicateNode *node, Binding least);
static void print_node(StringInfo out, const PredicateNode *node);
static void print_list(StringInfo out, const PredicateNode *node, int from, int to, Binding least);

static bool
text_is(const PredicateNode *node, const char *text)
{
	return node->text_len == (int) strlen(text) && memcmp(node->text, text, node->text_len) == 0;
}

static Binding
arithmetic_binding(const PredicateNode *node)
{
	switch (node->text[0])
	{
		case '*':
		case '/':
		case '%':
		case 'D':
			return BIND_PRODUCT;
		case '<':
		case '>':
			return BIND_SHIFT;
		case '&':
			return BIND_BIT_AND;
		case '^':
			return BIND_BIT_XOR;
		case '|':
			return node->text_len == 2 ? BIND_SUM : BIND_BIT_OR;
		default:
			return BIND_SUM;
	}
}

static Binding
binding(const PredicateNode *node)
{
	switch ((PredicateKind) node->kind)
	{
		case PRED_ALIAS:
		case PRED_NAMED_ARGUMENT:
		case PRED_STAR:			/* elsewhere it would be the operator */
			return BIND_NAMED;
		case PRED_LAMBDA:
			return BIND_LAMBDA;
		case PRED_OR:
			return BIND_OR;
		case PRED_AND:
			return BIND_AND;
		case PRED_NOT:
			return BIND_NOT;
		case PRED_BETWEEN:
		case PRED_IN:
		case PRED_LIKE:
		case PRED_LIKE_LIST:
		case PRED_IS:
		case PRED_IS_DISTINCT:
		case PRED_EXISTS:
		case PRED_IN_SUBQUERY:
			return BIND_PREDICATE;
		case PRED_COMPARE:
			return BIND_COMPARE;
		case PRED_ARITHMETIC:
			return arithmetic_binding(node);
		case PRED_NEGATE:
			return BIND_UNARY;
		case PRED_INTEGER:
		case PRED_BYTE:
		case PRED_SHORT:
		case PRED_LONG:
		case PRED_DECIMAL:
		case PRED_FLOAT:
		case PRED_DOUBLE:
		case PRED_COLLATE:
			return BIND_NUMBER;
		default:
			return BIND_PRIMARY;
	}
}

static void
append_text(StringInfo out, const PredicateNode *node)
{
	appendBinaryStringInfo(out, node->text_len > 0 ? node->text : "", node->text_len);
}

static void
print_typed(StringInfo out, const char *type, const PredicateNode *node)
{
	appendStringInfo(out, "%s ", type);
	deltacc_pred_print_string(out, node->text, node->text_len);
}

static void
print_decimal(StringInfo out, const PredicateNode *node)
{
	append_text(out, node);
	/* without a point it would be an integer, with an exponent a double */
	if (memchr(node->text, '.', node->text_len) == NULL ||
		memchr(node->text, 'e', node->text_len) != NULL || memchr(node->text, 'E', node->text_len) != NULL)
		appendStringInfoString(out, "BD");
}

static void
print_not(StringInfo out, const PredicateNode *node)
{
	if (node->flags & PRED_FLAG_NOT)
		appendStringInfoString(out, " NOT");
}

static void
print_binary(StringInfo out, const PredicateNode *node, Binding left, Binding right)
{
	print(out, node->children[0], left);
	appendStringInfoChar(out, ' ');
	append_text(out, node);
	appendStringInfoChar(out, ' ');
	print(out, node->children[1], right);
}

/*
 * -x: not --x, which begins a comment, and not -5, which is a number.
 */
static void
print_negate(StringInfo out, const PredicateNode *node)
{
	int			start;
	char		first;

	append_text(out, node);
	start = out->len;
	print(out, node->children[0], BIND_UNARY);
	if (node->text[0] != '-')
		return;
	first = out->data[start];
	if (first == '-' || first == '.' || (first >= '0' && first <= '9'))
	{
		appendStringInfoString(out, "))");
		memmove(out->data + start + 1, out->data + start, out->len - start - 2);
		out->data[start] = '(';
	}
}

static void
print_logical(StringInfo out, const PredicateNode *node, const char *word, Binding least)
{
	for (int i = 0; i < node->nchildren; i++)
	{
		if (i > 0)
			appendStringInfoString(out, word);
		print(out, node->children[i], least);
	}
}

static void
print_like(StringInfo out, const PredicateNode *node)
{
	print(out, node->children[0], BIND_BIT_OR);
	print_not(out, node);
	appendStringInfoChar(out, ' ');
	append_text(out, node);
	appendStringInfoChar(out, ' ');
	print(out, node->children[1], BIND_BIT_OR);
	if (node->nchildren > 2)
	{
		appendStringInfoString(out, " ESCAPE ");
		print(out, node->children[2], BIND_PRIMARY);
	}
}

static void
print_case(StringInfo out, const PredicateNode *node)
{
	int			i = 0;
	int			end = node->nchildren;

	appendStringInfoString(out, "CASE");
	if (node->flags & PRED_FLAG_CASE_VALUE)
	{
		appendStringInfoChar(out, ' ');
		print(out, node->children[i++], BIND_LAMBDA);
	}
	if (node->flags & PRED_FLAG_CASE_ELSE)
		end--;
	for (; i + 1 < end; i += 2)
	{
		appendStringInfoString(out, " WHEN ");
		print(out, node->children[i], BIND_LAMBDA);
		appendStringInfoString(out, " THEN ");
		print(out, node->children[i + 1], BIND_LAMBDA);
	}
	if (node->flags & PRED_FLAG_CASE_ELSE)
	{
		appendStringInfoString(out, " ELSE ");
		print(out, node->children[end], BIND_LAMBDA);
	}
	appendStringInfoString(out, " END");
}

/*
 * The first argument of TIMESTAMPADD and TIMESTAMPDIFF is a unit, no string.
 */
static bool
has_unit(const PredicateNode *node)
{
	return node->nchildren == 3 && node->children[0]->kind == PRED_STRING &&
		(text_is(node, "timestampadd") || text_is(node, "timestampdiff")) &&
		deltacc_pred_datetime_unit(node->children[0]->text, node->children[0]->text_len) != NULL;
}

static void
print_call(StringInfo out, const PredicateNode *node)
{
	if (deltacc_pred_word(node->text, node->text_len) != WORD_NONE &&
		deltacc_pred_quote_call(node->text, node->text_len))
		deltacc_pred_print_quoted(out, node->text, node->text_len);
	else
		append_text(out, node);
	appendStringInfoChar(out, '(');
	if (node->flags & PRED_FLAG_DISTINCT)
		appendStringInfoString(out, "DISTINCT ");
	if (has_unit(node))
	{
		append_text(out, node->children[0]);
		appendStringInfoString(out, ", ");
		print_list(out, node, 1, node->nchildren, BIND_NAMED);
	}
	else
		print_list(out, node, 0, node->nchildren, BIND_NAMED);
	appendStringInfoChar(out, ')');
}

static void
print_list(StringInfo out, const PredicateNode *node, int from, int to, Binding least)
{
	for (int i = from; i < to; i++)
	{
		if (i > from)
			appendStringInfoString(out, ", ");
		print(out, node->children[i], least);
	}
}

static void
print_parenthesised(StringInfo out, const PredicateNode *node, int from, int to, Binding least)
{
	appendStringInfoChar(out, '(');
	print_list(out, node, from, to, least);
	appendStringInfoChar(out, ')');
}

static void
print_lambda(StringInfo out, const PredicateNode *node)
{
	int			nparameters = node->nchildren - 1;

	if (nparameters == 1)
		print(out, node->children[0], BIND_PRIMARY);
	else
		print_parenthesised(out, node, 0, nparameters, BIND_PRIMARY);
	appendStringInfoString(out, " -> ");
	print(out, node->children[nparameters], BIND_LAMBDA);
}

static void
print(StringInfo out, const PredicateNode *node, Binding least)
{
	bool		parentheses = binding(node) < least;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (parentheses)
		appendStringInfoChar(out, '(');
	print_node(out, node);
	if (parentheses)
		appendStringInfoChar(out, ')');
}

/* Literals and *; false for anything else. */
static bool
print_literal(StringInfo out, const PredicateNode *node)
{
	switch ((PredicateKind) node->kind)
	{
		case PRED_NULL:
			appendStringInfoString(out, "NULL");
			return true;
		case PRED_TRUE:
			appendStringInfoString(out, "TRUE");
			return true;
		case PRED_FALSE:
			appendStringInfoString(out, "FALSE");
			return true;
		case PRED_INTEGER:
			append_text(out, node);
			return true;
		case PRED_BYTE:
			append_text(out, node);
			appendStringInfoChar(out, 'Y');
			return true;
		case PRED_SHORT:
			append_text(out, node);
			appendStringInfoChar(out, 'S');
			return true;
		case PRED_LONG:
			append_text(out, node);
			appendStringInfoChar(out, 'L');
			return true;
		case PRED_DECIMAL:
			print_decimal(out, node);
			return true;
		case PRED_FLOAT:
			append_text(out, node);
			appendStringInfoChar(out, 'F');
			return true;
		case PRED_DOUBLE:
			append_text(out, node);
			appendStringInfoChar(out, 'D');
			return true;
		case PRED_STRING:
			deltacc_pred_print_string(out, node->text, node->text_len);
			return true;
		case PRED_DATE:
			print_typed(out, "DATE", node);
			return true;
		case PRED_TIMESTAMP:
			print_typed(out, "TIMESTAMP", node);
			return true;
		case PRED_TIMESTAMP_NTZ:
			print_typed(out, "TIMESTAMP_NTZ", node);
			return true;
		case PRED_TIMESTAMP_LTZ:
			print_typed(out, "TIMESTAMP_LTZ", node);
			return true;
		case PRED_BINARY:
			appendStringInfoChar(out, 'X');
			deltacc_pred_print_string(out, node->text, node->text_len);
			return true;
		case PRED_INTERVAL:
			appendStringInfoString(out, "INTERVAL ");
			append_text(out, node);
			return true;
		case PRED_STAR:
			append_text(out, node);
			appendStringInfoString(out, node->text_len > 0 ? ".*" : "*");
			return true;
		default:
			return false;
	}
}

/* What is TRUE, FALSE or NULL; false for anything else. */
static bool
print_condition(StringInfo out, const PredicateNode *node)
{
	switch ((PredicateKind) node->kind)
	{
		case PRED_AND:
			print_logical(out, node, " AND ", BIND_NOT);
			return true;
		case PRED_OR:
			print_logical(out, node, " OR ", BIND_AND);
			return true;
		case PRED_NOT:
			appendStringInfoString(out, "NOT ");
			print(out, node->children[0], BIND_NOT);
			return true;
		case PRED_COMPARE:
			print_binary(out, node, BIND_BIT_OR, BIND_BIT_OR);
			return true;
		case PRED_BETWEEN:
			print(out, node->children[0], BIND_BIT_OR);
			print_not(out, node);
			appendStringInfoString(out, " BETWEEN ");
			print(out, node->children[1], BIND_BIT_OR);
			appendStringInfoString(out, " AND ");
			print(out, node->children[2], BIND_BIT_OR);
			return true;
		case PRED_IN:
			print(out, node->children[0], BIND_BIT_OR);
			print_not(out, node);
			appendStringInfoString(out, " IN ");
			print_parenthesised(out, node, 1, node->nchildren, BIND_LAMBDA);
			return true;
		case PRED_LIKE:
			print_like(out, node);
			return true;
		case PRED_LIKE_LIST:
			print(out, node->children[0], BIND_BIT_OR);
			print_not(out, node);
			appendStringInfoChar(out, ' ');
			append_text(out, node);
			appendStringInfoChar(out, ' ');
			print_parenthesised(out, node, 1, node->nchildren, BIND_LAMBDA);
			return true;
		case PRED_IS:
			print(out, node->children[0], BIND_BIT_OR);
			appendStringInfoString(out, " IS");
			print_not(out, node);
			appendStringInfoChar(out, ' ');
			append_text(out, node);
			return true;
		case PRED_IS_DISTINCT:
			print(out, node->children[0], BIND_BIT_OR);
			appendStringInfoString(out, " IS");
			print_not(out, node);
			appendStringInfoString(out, " DISTINCT FROM ");
			print(out, node->children[1], BIND_BIT_OR);
			return true;
		case PRED_EXISTS:
			appendStringInfoString(out, "EXISTS ");
			print(out, node->children[0], BIND_PRIMARY);
			return true;
		case PRED_IN_SUBQUERY:
			print(out, node->children[0], BIND_BIT_OR);
			print_not(out, node);
			appendStringInfoString(out, " IN ");
			print(out, node->children[1], BIND_PRIMARY);
			return true;
		default:
			return false;
	}
}

/* Columns, what is computed from values, and what surrounds them; false for anything else. */
static bool
print_value(StringInfo out, const PredicateNode *node)
{
	switch ((PredicateKind) node->kind)
	{
		case PRED_COLUMN:
			for (int i = 0; i < node->nchildren; i++)
			{
				if (i > 0)
					appendStringInfoChar(out, '.');
				print(out, node->children[i], BIND_PRIMARY);
			}
			return true;
		case PRED_NAME:
			deltacc_pred_print_name(out, node->text, node->text_len);
			return true;
		case PRED_ARITHMETIC:
			print_binary(out, node, arithmetic_binding(node), arithmetic_binding(node) + 1);
			return true;
		case PRED_NEGATE:
			print_negate(out, node);
			return true;
		case PRED_CASE:
			print_case(out, node);
			return true;
		case PRED_CAST:
			appendStringInfoString(out, node->flags & PRED_FLAG_TRY ? "TRY_CAST(" : "CAST(");
			print(out, node->children[0], BIND_LAMBDA);
			appendStringInfoString(out, " AS ");
			append_text(out, node);
			appendStringInfoChar(out, ')');
			return true;
		case PRED_FUNCTION:
			print_call(out, node);
			return true;
		case PRED_SUBSCRIPT:
			print(out, node->children[0], BIND_PRIMARY);
			appendStringInfoChar(out, '[');
			print(out, node->children[1], BIND_COMPARE);
			appendStringInfoChar(out, ']');
			return true;
		case PRED_FIELD:
			print(out, node->children[0], BIND_PRIMARY);
			appendStringInfoChar(out, '.');
			deltacc_pred_print_name(out, node->text, node->text_len);
			return true;
		case PRED_ROW:
			print_parenthesised(out, node, 0, node->nchildren, BIND_NAMED);
			return true;
		case PRED_LAMBDA:
			print_lambda(out, node);
			return true;
		case PRED_COLLATE:
			print(out, node->children[0], BIND_PRIMARY);
			appendStringInfoString(out, " COLLATE ");
			append_text(out, node);
			return true;
		case PRED_ALIAS:
			print(out, node->children[0], BIND_LAMBDA);
			appendStringInfoString(out, " AS ");
			deltacc_pred_print_name(out, node->text, node->text_len);
			return true;
		case PRED_WINDOW:
			print(out, node->children[0], BIND_PRIMARY);
			appendStringInfoString(out, " OVER ");
			append_text(out, node);
			return true;
		case PRED_SUBQUERY:
			append_text(out, node);
			return true;
		case PRED_AGGREGATE:
			print(out, node->children[0], BIND_PRIMARY);
			appendStringInfoChar(out, ' ');
			append_text(out, node);
			return true;
		case PRED_NAMED_ARGUMENT:
			deltacc_pred_print_name(out, node->text, node->text_len);
			appendStringInfoString(out, " => ");
			print(out, node->children[0], BIND_LAMBDA);
			return true;
		default:
			return false;
	}
}

static void
print_node(StringInfo out, const PredicateNode *node)
{
	if (!print_literal(out, node) && !print_condition(out, node) && !print_value(out, node))
		elog(ERROR, "a predicate's node is of no kind: %d", node->kind);
}

void
deltacc_predicate_print(StringInfo out, const PredicateNode *node)
{
	print(out, node, BIND_NAMED);
}
