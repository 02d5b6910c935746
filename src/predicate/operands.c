/*-------------------------------------------------------------------------
 *
 * operands.c
 *	  Which types Spark's analyzer lets an operator have.
 *
 * What stands here was asked of Spark 4.1, for every pair of types; what has to
 * do with a collation or a type that deltacc doesn't know is let pass.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/operands.h"

/* Types that all operators treat alike. */
#define T_SMALL		0x0001		/* byte, short, int */
#define T_LONG		0x0002
#define T_DECIMAL	0x0004
#define T_FLOAT		0x0008		/* float, double */
#define T_STRING	0x0010
#define T_NULL		0x0020
#define T_BOOLEAN	0x0040
#define T_BINARY	0x0080
#define T_DATE		0x0100
#define T_TIME		0x0200		/* timestamp, with a zone or without */
#define T_MICROS	0x0400		/* day-time interval */
#define T_MONTHS	0x0800		/* year-month interval */
#define T_ARRAY		0x1000
#define T_MAP		0x2000
#define T_STRUCT	0x4000
#define T_VARIANT	0x8000

#define T_INT		(T_SMALL | T_LONG)
#define T_NUMBER	(T_INT | T_DECIMAL | T_FLOAT)
#define T_INTERVAL	(T_MICROS | T_MONTHS)
#define T_COMPLEX	(T_ARRAY | T_MAP | T_STRUCT)
#define T_ATOMIC	(T_NUMBER | T_STRING | T_NULL | T_BOOLEAN | T_BINARY | T_DATE | T_TIME | T_INTERVAL)

static const struct
{
	const char *op;
	int			left;
	int			right;
}			accepted[] = {
	{"+", T_NUMBER, T_NUMBER | T_STRING | T_NULL},
	{"+", T_STRING, T_NUMBER | T_MICROS},
	{"+", T_NULL, T_NUMBER | T_DATE | T_TIME | T_INTERVAL | T_NULL},
	{"+", T_DATE, T_SMALL},
	{"+", T_SMALL, T_DATE},
	{"+", T_DATE | T_TIME, T_INTERVAL | T_NULL},
	{"+", T_MICROS, T_STRING | T_DATE | T_TIME | T_NULL | T_MICROS},
	{"+", T_MONTHS, T_DATE | T_TIME | T_NULL | T_MONTHS},

	{"-", T_NUMBER, T_NUMBER | T_STRING | T_NULL},
	{"-", T_STRING, T_NUMBER | T_DATE | T_TIME | T_MICROS},
	{"-", T_NULL, T_NUMBER | T_DATE | T_TIME | T_INTERVAL | T_NULL},
	{"-", T_DATE, T_SMALL},
	{"-", T_DATE | T_TIME, T_STRING | T_DATE | T_TIME | T_INTERVAL | T_NULL},
	{"-", T_MICROS, T_NULL | T_MICROS},
	{"-", T_MONTHS, T_NULL | T_MONTHS},

	{"*", T_NUMBER, T_NUMBER | T_STRING | T_NULL | T_INTERVAL},
	{"*", T_STRING, T_NUMBER | T_INTERVAL},
	{"*", T_NULL, T_NUMBER | T_NULL | T_INTERVAL},
	{"*", T_INTERVAL, T_NUMBER | T_STRING | T_NULL},

	{"/", T_NUMBER | T_INTERVAL, T_NUMBER | T_STRING | T_NULL},
	{"/", T_STRING, T_NUMBER},
	{"/", T_NULL, T_NUMBER | T_NULL},

	{"%", T_NUMBER, T_NUMBER | T_STRING | T_NULL},
	{"%", T_STRING, T_NUMBER},
	{"%", T_NULL, T_NUMBER | T_NULL},

	{"div", T_INT, T_INT | T_DECIMAL | T_STRING | T_NULL},
	{"div", T_DECIMAL, T_INT | T_DECIMAL | T_NULL},
	{"div", T_STRING, T_INT},
	{"div", T_NULL, T_INT | T_DECIMAL | T_INTERVAL | T_NULL},
	{"div", T_MICROS, T_NULL | T_MICROS},
	{"div", T_MONTHS, T_NULL | T_MONTHS},

	{"||", T_ATOMIC | T_VARIANT, T_ATOMIC | T_VARIANT},
	{"||", T_ARRAY, T_ARRAY},

	{"&", T_INT, T_INT | T_STRING | T_NULL},
	{"&", T_STRING, T_INT},
	{"&", T_NULL, T_INT | T_NULL},
	{"|", T_INT, T_INT | T_STRING | T_NULL},
	{"|", T_STRING, T_INT},
	{"|", T_NULL, T_INT | T_NULL},
	{"^", T_INT, T_INT | T_STRING | T_NULL},
	{"^", T_STRING, T_INT},
	{"^", T_NULL, T_INT | T_NULL},

	{"<<", T_NUMBER | T_STRING | T_NULL, T_NUMBER | T_STRING | T_NULL},
	{">>", T_NUMBER | T_STRING | T_NULL, T_NUMBER | T_STRING | T_NULL},
	{">>>", T_NUMBER | T_STRING | T_NULL, T_NUMBER | T_STRING | T_NULL},
};

/*
 * The class of a type, or 0 if nothing is known for certain.
 */
static int
class_of(const DeltaType *type)
{
	switch (type->kind)
	{
		case DELTA_VOID:
			return T_NULL;
		case DELTA_BOOLEAN:
			return T_BOOLEAN;
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
			return T_SMALL;
		case DELTA_LONG:
			return T_LONG;
		case DELTA_FLOAT:
		case DELTA_DOUBLE:
			return T_FLOAT;
		case DELTA_DECIMAL:
			return T_DECIMAL;
		case DELTA_STRING:
			return type->collated ? 0 : T_STRING;
		case DELTA_BINARY:
			return T_BINARY;
		case DELTA_DATE:
			return T_DATE;
		case DELTA_TIMESTAMP:
		case DELTA_TIMESTAMP_NTZ:
			return T_TIME;
		case DELTA_INTERVAL_MONTHS:
			return T_MONTHS;
		case DELTA_INTERVAL_MICROS:
			return T_MICROS;
		case DELTA_STRUCT:
			return T_STRUCT;
		case DELTA_ARRAY:
			return T_ARRAY;
		case DELTA_MAP:
			return T_MAP;
		case DELTA_VARIANT:
			return T_VARIANT;
		case DELTA_OTHER:
			break;
	}
	return 0;
}

/* What helps with operands of these classes. */
static const char *
advice(const char *op, int left, int right)
{
	int			both = left | right;

	if (both & (T_COMPLEX | T_VARIANT))
		return "Use an element or a field of it.";
	if ((both & (T_DATE | T_TIME)) && (both & (T_NUMBER | T_STRING)) && (*op == '+' || *op == '-'))
		return "Add or subtract an interval, such as INTERVAL 1 DAY.";
	if (both & (T_DATE | T_TIME))
		return "Take a number out of the date or timestamp, with year() or unix_seconds() for example.";
	if (both & T_BOOLEAN)
		return "Combine conditions by AND, OR and NOT, or cast the boolean to a number.";
	if (both & T_STRING)
		return "Cast the string to a number.";
	return "Cast the operands to types that the operator takes.";
}

static void
refuse(Binder *b, const PredicateNode *node, const char *op, const DeltaExpr *left, const DeltaExpr *right)
{
	char	   *text = deltacc_bind_message_text(b, node);
	char	   *types = pstrdup(deltacc_type_name(&left->type));
	char	   *sign = pstrdup(op);

	for (char *p = sign; *p; p++)
		*p = pg_ascii_toupper((unsigned char) *p);
	if (right != NULL)
		types = psprintf("%s and %s", types, deltacc_type_name(&right->type));
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("operator %s can't be applied to %s: %s", sign, types, text),
			 deltacc_names_errplace(node),
			 errhint("%s", advice(op, class_of(&left->type), right != NULL ? class_of(&right->type) : 0))));
}

void
deltacc_check_arithmetic(Binder *b, const PredicateNode *node, const char *op,
						 const DeltaExpr *left, const DeltaExpr *right)
{
	int			a = class_of(&left->type);
	int			c = class_of(&right->type);
	bool		known = false;

	if (a == 0 || c == 0)
		return;
	for (int i = 0; i < lengthof(accepted); i++)
	{
		if (pg_strcasecmp(accepted[i].op, op) != 0)
			continue;
		known = true;
		if ((accepted[i].left & a) && (accepted[i].right & c))
			return;
	}
	if (known)
		refuse(b, node, op, left, right);
}

void
deltacc_check_sign(Binder *b, const PredicateNode *node, char op, const DeltaExpr *e)
{
	int			class = class_of(&e->type);
	char		name[2] = {op, '\0'};
	int			takes = op == '~' ? T_INT | T_NULL : T_NUMBER | T_STRING | T_NULL | T_INTERVAL;

	if (class != 0 && (class & takes) == 0)
		refuse(b, node, name, e, NULL);
}

void
deltacc_check_like(Binder *b, const PredicateNode *node, int nargs, DeltaExpr *const *args)
{
	char	   *op = pnstrdup(node->text, node->text_len);

	if ((class_of(&args[0]->type) | class_of(&args[1]->type)) & T_COMPLEX)
		refuse(b, node, op, args[0], args[1]);
}

void
deltacc_check_subscript(Binder *b, const PredicateNode *node, const DeltaExpr *base, const DeltaExpr *index)
{
	int			class = class_of(&base->type);
	int			by = class_of(&index->type);

	if (class & ~(T_COMPLEX | T_VARIANT))
	{
		char	   *text = deltacc_bind_message_text(b, node);

		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a value of type %s has no elements: %s", deltacc_type_name(&base->type), text),
				 deltacc_names_errplace(node),
				 errhint("Only an array, a map or a struct has.")));
	}
	if ((class & T_ARRAY) && by != 0 && (by & (T_INT | T_NULL)) == 0)
	{
		char	   *text = deltacc_bind_message_text(b, node);

		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("an element of an array can't be chosen by %s: %s", deltacc_type_name(&index->type), text),
				 deltacc_names_errplace(node),
				 errhint("Write the number of the element, from 0.")));
	}
	if ((class & T_STRUCT) && (index->kind == EXPR_COLUMN || (index->kind == EXPR_LITERAL && by != T_STRING)))
	{
		char	   *text = deltacc_bind_message_text(b, node);

		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("a field of a struct can't be chosen by %s: %s",
						index->kind == EXPR_COLUMN ? "a column" : deltacc_type_name(&index->type), text),
				 deltacc_names_errplace(node),
				 errhint("Write the name of the field, as a string.")));
	}
}

void
deltacc_check_field(Binder *b, const PredicateNode *node, const DeltaExpr *base)
{
	char	   *text;

	if ((class_of(&base->type) & T_ATOMIC) == 0)
		return;
	text = deltacc_bind_message_text(b, node);
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("a value of type %s has no fields: %s", deltacc_type_name(&base->type), text),
			 deltacc_names_errplace(node),
			 errhint("Only a struct has.")));
}

bool
deltacc_may_compare(const DeltaType *a, const DeltaType *b)
{
	int			left = class_of(a);
	int			right = class_of(b);

	if (left == 0 || right == 0 || ((left | right) & (T_COMPLEX | T_VARIANT)) == 0)
		return true;
	/* neither maps nor variants have an order */
	if ((left | right) & (T_MAP | T_VARIANT))
		return false;
	return left == right || left == T_NULL || right == T_NULL;
}

bool
deltacc_may_cast(const DeltaType *from, const DeltaType *to)
{
	int			source = class_of(from);
	int			target = class_of(to);

	if (source == 0 || target == 0 || ((source | target) & T_COMPLEX) == 0)
		return true;
	if (target & T_COMPLEX)
		return source == target || source == T_NULL || source == T_VARIANT;
	return target == T_STRING || (target == T_VARIANT && source == T_ARRAY);
}

/*
 * Is there a type for all these results, as far as those with parts go?
 */
bool
deltacc_may_meet(int n, DeltaExpr *const *exprs)
{
	int			complex = 0;

	for (int i = 0; i < n; i++)
		complex |= class_of(&exprs[i]->type) & (T_COMPLEX | T_VARIANT);
	if (complex == 0)
		return true;
	for (int i = 0; i < n; i++)
	{
		int			class = class_of(&exprs[i]->type);

		/* a variant holds strings */
		if (class != 0 && class != T_NULL && class != complex && !(complex == T_VARIANT && class == T_STRING))
			return false;
	}
	return true;
}
