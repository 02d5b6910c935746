/*-------------------------------------------------------------------------
 *
 * bind.c
 *	  From a predicate's nodes to typed expressions over a table's columns.
 *
 * What Spark's analyzer does to a condition: names, literals, types, and the
 * forms that are short for others (BETWEEN, IS TRUE, LIKE ANY, nvl).  Where
 * Spark would refuse and a guess is harmless, the part becomes EXPR_UNKNOWN,
 * which keeps every file.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "delta/cast.h"
#include "predicate/bind.h"
#include "predicate/bind_functions.h"
#include "predicate/coerce.h"
#include "predicate/functions.h"
#include "predicate/literals.h"
#include "predicate/names.h"
#include "predicate/operands.h"

/* Texts of unknown parts are for messages: not more than this in all. */
#define MAX_UNKNOWN_TEXT	(1024 * 1024)
#define MAX_SHOWN_TEXT		200

static DeltaExpr *bind_column(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_logical(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_comparison(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_negate(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_between(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_in(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_like(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_like_list(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_is(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_case(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_cast(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_subscript(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_field(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_lambda(Binder *b, const PredicateNode *node);
static DeltaExpr *bind_opaque(Binder *b, const PredicateNode *node, uint32 flags);

DeltaExpr *
deltacc_bind(const PredicateNode *root, const DeltaSchema *schema,
			 const DeltaccOptions *options, const char *table_name)
{
	Binder		b;
	DeltaExpr	   *e;

	b.options = options;
	b.unknown_text = 0;
	deltacc_names_init(&b.scope, root, schema, options, table_name);

	e = deltacc_bind_node(&b, root);
	if (e->type.kind == DELTA_BOOLEAN)
		return e;

	/*
	 * Spark lets a bare column pass, and it then matches nothing that could be
	 * skipped; a literal is an error when the table is scanned.
	 */
	if (e->kind == EXPR_LITERAL)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a condition must be of type boolean, not %s", deltacc_type_name(&e->type)),
				 deltacc_names_errplace(root),
				 errhint("Write a condition, such as a comparison with a column.")));
	return deltacc_bind_unknown(&b, root, deltacc_type(DELTA_BOOLEAN), 1, &e);
}

DeltaExpr *
deltacc_bind_node(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *e;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	e = deltacc_literal(node, b->options, false);
	if (e != NULL)
		return e;

	switch ((PredicateKind) node->kind)
	{
		case PRED_COLUMN:
			return bind_column(b, node);
		case PRED_AND:
		case PRED_OR:
			return bind_logical(b, node);
		case PRED_NOT:
			return deltacc_expr_not(deltacc_bind_condition(b, node->children[0]));
		case PRED_COMPARE:
		case PRED_IS_DISTINCT:
			return bind_comparison(b, node);
		case PRED_ARITHMETIC:
			return deltacc_bind_arithmetic(b, node);
		case PRED_NEGATE:
			return bind_negate(b, node);
		case PRED_BETWEEN:
			return bind_between(b, node);
		case PRED_IN:
			return bind_in(b, node);
		case PRED_LIKE:
			return bind_like(b, node);
		case PRED_LIKE_LIST:
			return bind_like_list(b, node);
		case PRED_IS:
			return bind_is(b, node);
		case PRED_CASE:
			return bind_case(b, node);
		case PRED_CAST:
			return bind_cast(b, node);
		case PRED_FUNCTION:
			return deltacc_bind_function(b, node);
		case PRED_SUBSCRIPT:
			return bind_subscript(b, node);
		case PRED_FIELD:
			return bind_field(b, node);
		case PRED_LAMBDA:
			return bind_lambda(b, node);
		case PRED_COLLATE:
			return bind_opaque(b, node, EXPR_HAS_COLLATION);
		case PRED_ALIAS:
			return deltacc_bind_node(b, node->children[0]);
		case PRED_SUBQUERY:
			return deltacc_expr_unknown(deltacc_type(DELTA_OTHER), deltacc_bind_text(b, node),
										EXPR_HAS_SUBQUERY, 0, NULL);
		case PRED_EXISTS:
		case PRED_IN_SUBQUERY:
			return bind_opaque(b, node, EXPR_HAS_SUBQUERY);
		default:
			/* rows, windows, stars */
			return bind_opaque(b, node, 0);
	}
}

/*
 * What a part was, for messages.
 */
const char *
deltacc_bind_text(Binder *b, const PredicateNode *node)
{
	StringInfoData text;

	if (b->unknown_text > MAX_UNKNOWN_TEXT)
		return "...";
	initStringInfo(&text);
	deltacc_predicate_print(&text, node);
	b->unknown_text += text.len;
	return text.data;
}

DeltaExpr *
deltacc_bind_unknown(Binder *b, const PredicateNode *node, DeltaType type, int nargs, DeltaExpr **args)
{
	return deltacc_expr_unknown(type, deltacc_bind_text(b, node), 0, nargs, args);
}

/*
 * Can nothing be computed from these arguments?  So it is for what is unknown,
 * for values that have parts, and for strings that don't compare bytewise: a
 * collation decides what is equal, and CHAR(n) is padded in the one place and
 * not in the other.
 */
bool
deltacc_bind_is_opaque(int nargs, DeltaExpr *const *args)
{
	int			i;

	for (i = 0; i < nargs; i++)
	{
		const DeltaExpr *e = args[i];

		if (!DELTA_IS_ATOMIC_KIND(e->type.kind))
			return true;
		if (e->type.kind == DELTA_STRING && (e->type.collated || e->type.char_length > 0))
			return true;
	}
	return false;
}

/*
 * Only strings that don't compare bytewise stand in the way?  Then the types
 * meet all the same, and so constants may fail to be cast.
 */
static bool
only_strings_are_opaque(int nargs, DeltaExpr *const *args)
{
	int			i;

	for (i = 0; i < nargs; i++)
	{
		if (!DELTA_IS_ATOMIC_KIND(args[i]->type.kind))
			return false;
	}
	return true;
}

void
deltacc_bind_refuse_condition(Binder *b, const PredicateNode *node, const DeltaExpr *e)
{
	char	   *text = deltacc_bind_message_text(b, node);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a condition must be of type boolean, not %s: %s", deltacc_type_name(&e->type), text),
			 deltacc_names_errplace(node),
			 errhint("Compare it with something, or cast it to boolean.")));
}

/*
 * An expression where a condition is expected.
 */
DeltaExpr *
deltacc_bind_to_condition(Binder *b, const PredicateNode *node, DeltaExpr *e)
{
	switch (e->type.kind)
	{
		case DELTA_BOOLEAN:
			return e;
		case DELTA_VOID:
		case DELTA_STRING:
			if (deltacc_bind_is_opaque(1, &e))
				break;
			return deltacc_coerce_to(e, deltacc_type(DELTA_BOOLEAN));
		case DELTA_OTHER:
			break;
		default:
			deltacc_bind_refuse_condition(b, node, e);
	}
	return deltacc_bind_unknown(b, node, deltacc_type(DELTA_BOOLEAN), 1, &e);
}

DeltaExpr *
deltacc_bind_condition(Binder *b, const PredicateNode *node)
{
	return deltacc_bind_to_condition(b, node, deltacc_bind_node(b, node));
}

/*
 * A part's text in the database's encoding, cut short.
 */
char *
deltacc_bind_message_text(Binder *b, const PredicateNode *node)
{
	StringInfoData text;

	initStringInfo(&text);
	deltacc_predicate_print(&text, node);
	if (text.len > MAX_SHOWN_TEXT)
	{
		/* not within a character */
		int			len = MAX_SHOWN_TEXT;

		while (len > 0 && ((unsigned char) text.data[len] & 0xC0) == 0x80)
			len--;
		text.len = len;
		text.data[len] = '\0';
		appendStringInfoString(&text, "...");
	}
	return deltacc_names_message_text(text.data, text.len);
}

static DeltaExpr *
bind_column(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *e = deltacc_names_resolve(&b->scope, node);

	if (e != NULL)
		return e;
	/* current_date and the like may be written without parentheses */
	if (node->nchildren == 1 && (node->children[0]->flags & PRED_FLAG_QUOTED) == 0)
		e = deltacc_bind_literal_function(b, node, node->children[0]);
	if (e == NULL)
		deltacc_names_unknown_column(&b->scope, node);
	return e;
}

/*
 * A string becomes a condition beside one only: two of them, or one and NULL, have
 * no operator AND.  Spark joins a chain in halves.
 */
static void
check_string_pairs(Binder *b, const PredicateNode *node, DeltaExpr *const *parts, int first, int last)
{
	const DeltaExpr *left = parts[first];
	const DeltaExpr *right = parts[last];
	int			middle = first + (last - first) / 2;

	if (last - first > 1)
	{
		check_string_pairs(b, node, parts, first, middle);
		check_string_pairs(b, node, parts, middle + 1, last);
		return;
	}
	if (last - first == 1 && (left->type.kind == DELTA_STRING || right->type.kind == DELTA_STRING) &&
		(left->type.kind == DELTA_STRING || left->type.kind == DELTA_VOID) &&
		(right->type.kind == DELTA_STRING || right->type.kind == DELTA_VOID))
	{
		int			culprit = left->type.kind == DELTA_STRING ? first : last;

		deltacc_bind_refuse_condition(b, node->children[culprit], parts[culprit]);
	}
}

static DeltaExpr *
bind_logical(Binder *b, const PredicateNode *node)
{
	DeltaExpr	  **parts = palloc_extended(sizeof(DeltaExpr *) * (Size) node->nchildren, MCXT_ALLOC_HUGE);
	int			i;

	for (i = 0; i < node->nchildren; i++)
		parts[i] = deltacc_bind_node(b, node->children[i]);
	check_string_pairs(b, node, parts, 0, node->nchildren - 1);
	for (i = 0; i < node->nchildren; i++)
		parts[i] = deltacc_bind_to_condition(b, node->children[i], parts[i]);
	return deltacc_expr_balanced(node->kind == PRED_AND ? EXPR_AND : EXPR_OR, node->nchildren, parts);
}

/*
 * The NOT that belongs to a node.  What is unknown has it in its text.
 */
static DeltaExpr *
negate(DeltaExpr *e)
{
	return e->kind == EXPR_UNKNOWN ? e : deltacc_expr_not(e);
}

static CompareOp
compare_op(const PredicateNode *node)
{
	static const struct
	{
		const char *text;
		CompareOp	op;
	}			ops[] = {
		{"=", CMP_EQ},
		{"==", CMP_EQ},
		{"<=>", CMP_NULLSAFE_EQ},
		{"<>", CMP_NE},
		{"!=", CMP_NE},
		{"<", CMP_LT},
		{"<=", CMP_LE},
		{"!>", CMP_LE},
		{">", CMP_GT},
		{">=", CMP_GE},
		{"!<", CMP_GE},
	};
	int			i;

	for (i = 0; i < lengthof(ops); i++)
	{
		if (node->text_len == (int) strlen(ops[i].text) &&
			memcmp(node->text, ops[i].text, node->text_len) == 0)
			return ops[i].op;
	}
	elog(ERROR, "unknown comparison operator \"%.*s\"", node->text_len, node->text);
}

/*
 * A column compared with NULL, whatever its type; a NULL that has a type of its
 * own is a value like others.  NULL: it is no such thing.
 */
static DeltaExpr *
compare_column_with_null(CompareOp op, DeltaExpr *left, DeltaExpr *right)
{
	DeltaExpr	   *column = deltacc_expr_is_null_literal(right) ? left : right;
	DeltaExpr	   *null = column == left ? right : left;

	if (column->kind != EXPR_COLUMN || !deltacc_expr_is_null_literal(null) || null->type.kind != DELTA_VOID)
		return NULL;
	if (op == CMP_NULLSAFE_EQ)
		return deltacc_expr_is_null(column);
	return deltacc_expr_null(deltacc_type(DELTA_BOOLEAN));
}

static void
refuse_comparison(Binder *b, const PredicateNode *node, const DeltaType *left, const DeltaType *right)
{
	char	   *text = deltacc_bind_message_text(b, node);
	char	   *left_name = pstrdup(deltacc_type_name(left));

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s can't be compared with %s: %s", left_name, deltacc_type_name(right), text),
			 deltacc_names_errplace(node),
			 DELTA_IS_ATOMIC_KIND(left->kind) && DELTA_IS_ATOMIC_KIND(right->kind) ?
			 errhint("Cast one of them to the other's type.") :
			 errhint("Compare an element or a field of it.")));
}

/*
 * a op b, with a <> b as NOT (a = b): the form that the optimizer works on.
 */
DeltaExpr *
deltacc_bind_compare(Binder *b, const PredicateNode *node, CompareOp op, DeltaExpr *left, DeltaExpr *right)
{
	DeltaExpr	   *args[2] = {left, right};
	DeltaExpr	   *e;

	if (!deltacc_may_compare(&left->type, &right->type))
		refuse_comparison(b, node, &left->type, &right->type);
	e = compare_column_with_null(op, left, right);
	if (e != NULL)
		return e;
	if (deltacc_bind_is_opaque(2, args) && !only_strings_are_opaque(2, args))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_BOOLEAN), 2, args);
	e = deltacc_coerce_comparison(op == CMP_NE ? CMP_EQ : op, left, right);
	if (e != NULL && deltacc_bind_is_opaque(2, args))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_BOOLEAN), e->nargs, e->args);
	if (e == NULL)
		refuse_comparison(b, node, &left->type, &right->type);
	return op == CMP_NE ? deltacc_expr_not(e) : e;
}

static DeltaExpr *
bind_comparison(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *left = deltacc_bind_node(b, node->children[0]);
	DeltaExpr	   *right = deltacc_bind_node(b, node->children[1]);
	DeltaExpr	   *e;

	if (node->kind == PRED_COMPARE)
		return deltacc_bind_compare(b, node, compare_op(node), left, right);
	e = deltacc_bind_compare(b, node, CMP_NULLSAFE_EQ, left, right);
	return (node->flags & PRED_FLAG_NOT) ? e : negate(e);
}

static DeltaExpr *
bind_negate(Binder *b, const PredicateNode *node)
{
	const PredicateNode *child = node->children[0];
	DeltaExpr	   *e;

	if (node->text_len > 0 && node->text[0] == '-' &&
		child->kind >= PRED_INTEGER && child->kind <= PRED_DOUBLE && child->text_len > 0 && child->text[0] != '-')
		return deltacc_literal(child, b->options, true);
	e = deltacc_bind_node(b, child);
	if (node->text_len > 0)
		deltacc_check_sign(b, node, node->text[0], e);
	if (node->text_len > 0 && node->text[0] == '+')
		return e->type.kind == DELTA_STRING ? deltacc_coerce_to(e, deltacc_type(DELTA_DOUBLE)) : e;
	return deltacc_bind_call(b, node, node->text[0] == '-' ? "negative" : "~", 1, &e);
}

/*
 * One half of a BETWEEN: a conjunct of its own, that may be of use where the
 * other isn't.
 */
static DeltaExpr *
bind_bound(Binder *b, const PredicateNode *node, CompareOp op, DeltaExpr *value, int bound)
{
	PredicateNode *pair[2] = {node->children[0], node->children[bound]};
	PredicateNode half = *node;

	half.kind = PRED_COMPARE;	/* for messages */
	half.flags = 0;
	half.text = deltacc_compare_name(op);
	half.text_len = strlen(half.text);
	half.nchildren = 2;
	half.children = pair;
	return deltacc_bind_compare(b, &half, op, value, deltacc_bind_node(b, node->children[bound]));
}

static DeltaExpr *
bind_between(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *value = deltacc_bind_node(b, node->children[0]);
	DeltaExpr	   *parts[2];
	DeltaExpr	   *e;

	parts[0] = bind_bound(b, node, CMP_GE, value, 1);
	parts[1] = bind_bound(b, node, CMP_LE, value, 2);
	e = deltacc_expr_balanced(EXPR_AND, 2, parts);
	return (node->flags & PRED_FLAG_NOT) ? deltacc_expr_not(e) : e;
}

/*
 * The value and the items meet in one type; unlike a comparison, an IN with a
 * decimal literal widens the column.
 */
static DeltaExpr *
bind_in(Binder *b, const PredicateNode *node)
{
	int			n = node->nchildren;
	DeltaExpr	  **args = palloc_extended(sizeof(DeltaExpr *) * (Size) n, MCXT_ALLOC_HUGE);
	DeltaType	type;
	DeltaExpr	   *e;
	int			i;

	for (i = 0; i < n; i++)
		args[i] = deltacc_bind_node(b, node->children[i]);

	for (i = 1; i < n; i++)
	{
		if (!deltacc_may_compare(&args[0]->type, &args[i]->type))
			refuse_comparison(b, node, &args[0]->type, &args[i]->type);
	}
	if (deltacc_bind_is_opaque(n, args) && !only_strings_are_opaque(n, args))
		e = deltacc_bind_unknown(b, node, deltacc_type(DELTA_BOOLEAN), n, args);
	else
	{
		bool		opaque = deltacc_bind_is_opaque(n, args);

		if (!deltacc_common_type(n, args, &type))
		{
			for (i = 1; i + 1 < n && deltacc_common_type(i + 1, args, &type); i++)
				;
			refuse_comparison(b, node, &args[0]->type, &args[i]->type);
		}
		for (i = 0; i < n; i++)
			args[i] = deltacc_coerce_to(args[i], type);
		if (opaque)
			e = deltacc_bind_unknown(b, node, deltacc_type(DELTA_BOOLEAN), n, args);
		else
			e = deltacc_expr_make(EXPR_IN, deltacc_type(DELTA_BOOLEAN), n, args);
	}
	return (node->flags & PRED_FLAG_NOT) ? negate(e) : e;
}

/*
 * One LIKE, ILIKE or RLIKE.  ILIKE compares in lower case, as Spark puts it.
 */
static DeltaExpr *
make_like(Binder *b, const PredicateNode *node, char first_letter, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *copy[3];
	int			i;

	deltacc_check_like(b, node, nargs, args);
	memcpy(copy, args, sizeof(DeltaExpr *) * nargs);
	if (pg_tolower((unsigned char) first_letter) == 'r')
		return deltacc_bind_call(b, node, "rlike", nargs, copy);
	if (pg_tolower((unsigned char) first_letter) == 'i')
	{
		for (i = 0; i < 2; i++)
			copy[i] = deltacc_bind_call(b, node, "lower", 1, &copy[i]);
	}
	return deltacc_bind_call(b, node, "like", nargs, copy);
}

static DeltaExpr *
bind_like(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *args[3];
	DeltaExpr	   *e;
	int			i;

	Assert(node->nchildren >= 2 && node->nchildren <= 3);
	for (i = 0; i < node->nchildren; i++)
		args[i] = deltacc_bind_node(b, node->children[i]);
	e = make_like(b, node, node->text[0], node->nchildren, args);
	e = deltacc_bind_to_condition(b, node, e);
	return (node->flags & PRED_FLAG_NOT) ? negate(e) : e;
}

/*
 * LIKE ANY: an OR of LIKEs; LIKE ALL: an AND.  NOT stands before each LIKE.
 */
static DeltaExpr *
bind_like_list(Binder *b, const PredicateNode *node)
{
	bool		all = pg_tolower((unsigned char) node->text[node->text_len - 1]) == 'l';
	int			n = node->nchildren - 1;
	DeltaExpr	  **parts = palloc_extended(sizeof(DeltaExpr *) * (Size) n, MCXT_ALLOC_HUGE);
	DeltaExpr	   *args[2];
	int			i;

	args[0] = deltacc_bind_node(b, node->children[0]);
	for (i = 0; i < n; i++)
	{
		PredicateNode *pair[2] = {node->children[0], node->children[i + 1]};
		PredicateNode one = *node;

		/* for messages: the LIKE that it stands for */
		one.kind = PRED_LIKE;
		one.text_len = memchr(node->text, ' ', node->text_len) != NULL ?
			(char *) memchr(node->text, ' ', node->text_len) - node->text : node->text_len;
		one.nchildren = 2;
		one.children = pair;

		args[1] = deltacc_bind_node(b, node->children[i + 1]);
		parts[i] = make_like(b, &one, node->text[0], 2, args);
		parts[i] = deltacc_bind_to_condition(b, &one, parts[i]);
		if (node->flags & PRED_FLAG_NOT)
			parts[i] = negate(parts[i]);
	}
	return deltacc_expr_balanced(all ? EXPR_AND : EXPR_OR, n, parts);
}

static DeltaExpr *
bind_is(Binder *b, const PredicateNode *node)
{
	bool		negated = (node->flags & PRED_FLAG_NOT) != 0;
	char		word = pg_tolower((unsigned char) node->text[0]);
	DeltaExpr	   *e;

	/* UNKNOWN is NULL, of whatever type */
	if (word == 'n' || word == 'u')
		e = deltacc_bind_node(b, node->children[0]);
	else
		e = deltacc_bind_condition(b, node->children[0]);
	if (word == 'n' || word == 'u')
		return negated ? deltacc_expr_is_not_null(e) : deltacc_expr_is_null(e);
	e = deltacc_expr_compare(CMP_NULLSAFE_EQ, e, deltacc_expr_bool(word == 't'));
	return negated ? deltacc_expr_not(e) : e;
}

/*
 * The results (every other argument, and the last) of a CASE in one type.
 */
DeltaExpr *
deltacc_bind_make_case(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaExpr	  **results = palloc(sizeof(DeltaExpr *) * (nargs / 2 + 1));
	int			nresults = 0;
	DeltaType	type;
	int			i;

	for (i = 1; i < nargs; i += 2)
		results[nresults++] = args[i];
	if (nargs % 2 != 0)
		results[nresults++] = args[nargs - 1];

	if (!deltacc_may_meet(nresults, results))
		deltacc_bind_no_common_type(b, node);
	if (deltacc_bind_is_opaque(nresults, results))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
	if (!deltacc_common_type(nresults, results, &type))
		deltacc_bind_no_common_type(b, node);
	for (i = 1; i < nargs; i += 2)
		args[i] = deltacc_coerce_to(args[i], type);
	if (nargs % 2 != 0)
		args[nargs - 1] = deltacc_coerce_to(args[nargs - 1], type);
	return deltacc_expr_make(EXPR_CASE, type, nargs, args);
}

DeltaExpr *
deltacc_bind_make_if(Binder *b, const PredicateNode *node, DeltaExpr *condition, DeltaExpr *then_value, DeltaExpr *else_value)
{
	DeltaExpr	   *args[3] = {condition, then_value, else_value};
	DeltaExpr	   *e = deltacc_bind_make_case(b, node, 3, args);

	return e->kind == EXPR_CASE ? deltacc_expr_if(e->type, e->args[0], e->args[1], e->args[2]) : e;
}

void
deltacc_bind_no_common_type(Binder *b, const PredicateNode *node)
{
	char	   *text = deltacc_bind_message_text(b, node);

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("the results have no type in common: %s", text),
			 deltacc_names_errplace(node),
			 errhint("Cast them to one type.")));
}

static DeltaExpr *
bind_case(Binder *b, const PredicateNode *node)
{
	bool		with_value = (node->flags & PRED_FLAG_CASE_VALUE) != 0;
	bool		with_else = (node->flags & PRED_FLAG_CASE_ELSE) != 0;
	int			nargs = node->nchildren - (with_value ? 1 : 0);
	DeltaExpr	  **args = palloc_extended(sizeof(DeltaExpr *) * (Size) (nargs + 1), MCXT_ALLOC_HUGE);
	DeltaExpr	   *value = NULL;
	int			i;

	if (with_value)
		value = deltacc_bind_node(b, node->children[0]);
	for (i = 0; i < nargs; i++)
	{
		const PredicateNode *child = node->children[i + (with_value ? 1 : 0)];
		bool		is_condition = i % 2 == 0 && !(with_else && i == nargs - 1);

		if (!is_condition)
			args[i] = deltacc_bind_node(b, child);
		else if (with_value)
			args[i] = deltacc_bind_compare(b, child, CMP_EQ, value, deltacc_bind_node(b, child));
		else
		{
			args[i] = deltacc_bind_node(b, child);
			/* here Spark takes neither a NULL nor a string for a condition */
			if (args[i]->type.kind == DELTA_VOID || args[i]->type.kind == DELTA_STRING)
				deltacc_bind_refuse_condition(b, child, args[i]);
			args[i] = deltacc_bind_to_condition(b, child, args[i]);
		}
	}
	return deltacc_bind_make_case(b, node, nargs, args);
}

static void
refuse_cast(Binder *b, const PredicateNode *node, const DeltaType *from, const DeltaType *to)
{
	char	   *text = deltacc_bind_message_text(b, node);
	char	   *from_name = pstrdup(deltacc_type_name(from));
	bool		moment = from->kind == DELTA_DATE || from->kind == DELTA_TIMESTAMP || from->kind == DELTA_TIMESTAMP_NTZ;

	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("%s can't be cast to %s: %s", from_name, deltacc_type_name(to), text),
			 deltacc_names_errplace(node),
			 DELTA_IS_NUMERIC_KIND(from->kind) && to->kind == DELTA_DATE ? errhint("Use date_from_unix_date() for days since 1970.") :
			 moment && DELTA_IS_NUMERIC_KIND(to->kind) ? errhint("Use unix_date() or unix_seconds().") :
			 errhint("Cast it to a type in between, or compare it as it is.")));
}

DeltaExpr *
deltacc_bind_make_cast(Binder *b, const PredicateNode *node, DeltaExpr *e, DeltaType type, bool try_cast)
{
	if (!deltacc_may_cast(&e->type, &type))
		refuse_cast(b, node, &e->type, &type);
	/* a cast to text and the like of CHAR or a collation: not bytewise either */
	if (!DELTA_IS_ATOMIC_KIND(type.kind) || deltacc_bind_is_opaque(1, &e) || type.collated)
		return deltacc_expr_unknown(DELTA_IS_ATOMIC_KIND(type.kind) && !type.collated ? type : deltacc_type(DELTA_OTHER),
									deltacc_bind_text(b, node),
									type.collated ? EXPR_HAS_COLLATION : 0, 1, &e);
	if (!deltacc_can_cast(&e->type, &type))
		refuse_cast(b, node, &e->type, &type);
	if (deltacc_expr_is_null_literal(e))
		return deltacc_expr_null(type);
	return deltacc_expr_cast(e, type, try_cast);
}

static DeltaExpr *
bind_cast(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *e = deltacc_bind_node(b, node->children[0]);
	DeltaType	type = deltacc_type_from_name(node->text, node->text_len);

	return deltacc_bind_make_cast(b, node, e, type, (node->flags & PRED_FLAG_TRY) != 0);
}

/*
 * st['x'] is st.x; elements of arrays and maps aren't looked at, unless they
 * are written out.
 */
static DeltaExpr *
bind_subscript(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *args[2];
	DeltaExpr	   *field = deltacc_bind_array_item(b, node);

	if (field != NULL)
		return field;
	args[0] = deltacc_bind_node(b, node->children[0]);
	if (node->children[1]->kind == PRED_STRING)
		field = deltacc_names_struct_field(&b->scope, args[0], node->children[1]->text, node->children[1]->text_len);
	if (field != NULL)
		return field;
	if (node->children[1]->kind == PRED_STRING)
		deltacc_names_check_field(&b->scope, args[0], node, node->children[1]->text, node->children[1]->text_len);
	args[1] = deltacc_bind_node(b, node->children[1]);
	deltacc_check_subscript(b, node, args[0], args[1]);
	return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 2, args);
}

static DeltaExpr *
bind_field(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *e = deltacc_bind_node(b, node->children[0]);
	DeltaExpr	   *field = deltacc_names_struct_field(&b->scope, e, node->text, node->text_len);

	if (field == NULL)
	{
		deltacc_names_check_field(&b->scope, e, node, node->text, node->text_len);
		deltacc_check_field(b, node, e);
	}
	return field != NULL ? field : deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 1, &e);
}

static DeltaExpr *
bind_lambda(Binder *b, const PredicateNode *node)
{
	LambdaScope inner = {.lambda = node,.outer = b->scope.lambdas};
	DeltaExpr	   *body;

	b->scope.lambdas = &inner;
	body = deltacc_bind_node(b, node->children[node->nchildren - 1]);
	b->scope.lambdas = inner.outer;
	return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 1, &body);
}

/*
 * A form that isn't computed: it only keeps what it refers to.
 */
static DeltaExpr *
bind_opaque(Binder *b, const PredicateNode *node, uint32 flags)
{
	DeltaExpr	  **args = palloc_extended(sizeof(DeltaExpr *) * (Size) (node->nchildren + 1), MCXT_ALLOC_HUGE);
	int			i;

	for (i = 0; i < node->nchildren; i++)
		args[i] = deltacc_bind_node(b, node->children[i]);
	return deltacc_expr_unknown(deltacc_type(DELTA_OTHER), deltacc_bind_text(b, node), flags,
								node->nchildren, args);
}
