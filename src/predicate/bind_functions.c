/*-------------------------------------------------------------------------
 *
 * bind_functions.c
 *	  Function calls and operators: those that are short for something else
 *	  (Spark's RuntimeReplaceable), those of the function table, and the rest.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/bind.h"
#include "predicate/bind_functions.h"
#include "predicate/coerce.h"
#include "predicate/functions.h"
#include "predicate/literals.h"
#include "predicate/operands.h"

#define MICROS_PER_DAY	(INT64CONST(24) * 3600 * 1000000)

static DeltaExpr *
literal_int(int64 value)
{
	DeltaScalar v;

	v.i = value;
	return deltacc_expr_literal(deltacc_type(DELTA_INTEGER), v);
}

DeltaExpr *
deltacc_bind_call(Binder *b, const PredicateNode *node, const char *name, int nargs, DeltaExpr **args)
{
	const FunctionDef *function = deltacc_function_find(name, strlen(name));
	DeltaExpr	  **typed;
	DeltaType	type;

	if (function == NULL || deltacc_bind_is_opaque(nargs, args) ||
		nargs < function->min_args || (function->max_args >= 0 && nargs > function->max_args))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);

	typed = palloc(sizeof(DeltaExpr *) * (nargs + 1));
	memcpy(typed, args, sizeof(DeltaExpr *) * nargs);
	if (!function->resolve(function, nargs, typed, &type))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
	return deltacc_expr_call(function, type, nargs, typed);
}

/*
 * Calls that are another expression.  node is for messages.
 */
static DeltaExpr *
bind_coalesce(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaType	type;
	int			i;

	if (nargs == 1)
		return args[0];
	if (!deltacc_may_meet(nargs, args))
		deltacc_bind_no_common_type(b, node);
	if (deltacc_bind_is_opaque(nargs, args))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
	if (!deltacc_common_type(nargs, args, &type))
		deltacc_bind_no_common_type(b, node);
	for (i = 0; i < nargs; i++)
		args[i] = deltacc_coerce_to(args[i], type);
	return deltacc_expr_make(EXPR_COALESCE, type, nargs, args);
}

static DeltaExpr *
bind_if(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	if (args[0]->type.kind == DELTA_STRING)
		deltacc_bind_refuse_condition(b, node->children[0], args[0]);
	args[0] = deltacc_bind_to_condition(b, node->children[0], args[0]);
	return deltacc_bind_make_if(b, node, args[0], args[1], args[2]);
}

static DeltaExpr *
bind_nullif(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *equal = deltacc_bind_compare(b, node, CMP_EQ, args[0], args[1]);

	return deltacc_bind_make_if(b, node, equal, deltacc_expr_null(args[0]->type), args[0]);
}

static DeltaExpr *
bind_nvl2(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_bind_make_if(b, node, deltacc_expr_is_not_null(args[0]), args[1], args[2]);
}

static DeltaExpr *
bind_nullifzero(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *pair[2] = {args[0], literal_int(0)};

	return bind_nullif(b, node, 2, pair);
}

static DeltaExpr *
bind_zeroifnull(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaExpr	   *pair[2] = {args[0], literal_int(0)};

	return bind_coalesce(b, node, 2, pair);
}

static DeltaExpr *
bind_isnull(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_expr_is_null(args[0]);
}

static DeltaExpr *
bind_isnotnull(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_expr_is_not_null(args[0]);
}

static DeltaExpr *
bind_not(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_expr_not(deltacc_bind_to_condition(b, node->children[0], args[0]));
}

static DeltaExpr *
bind_equal_null(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_bind_compare(b, node, CMP_NULLSAFE_EQ, args[0], args[1]);
}

static DeltaExpr *
bind_ilike(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	args[0] = deltacc_bind_call(b, node, "lower", 1, &args[0]);
	args[1] = deltacc_bind_call(b, node, "lower", 1, &args[1]);
	return deltacc_bind_call(b, node, "like", nargs, args);
}

static DeltaExpr *
bind_rlike(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_bind_call(b, node, "rlike", nargs, args);
}

/* Of dates and times to_char is date_format. */
static DeltaExpr *
bind_to_char(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaKind	kind = args[0]->type.kind;
	bool		moment = kind == DELTA_DATE || kind == DELTA_TIMESTAMP || kind == DELTA_TIMESTAMP_NTZ;

	return deltacc_bind_call(b, node, moment ? "date_format" : "to_char", nargs, args);
}

/* The name of the argument's type: that is known before any value. */
static DeltaExpr *
bind_typeof(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	const char *name;

	if (deltacc_bind_is_opaque(nargs, args))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_STRING), nargs, args);
	if (!DELTA_IS_ATOMIC_KIND(args[0]->type.kind) || args[0]->type.kind == DELTA_INTERVAL_MONTHS ||
		args[0]->type.kind == DELTA_INTERVAL_MICROS || args[0]->type.collated || args[0]->type.char_length > 0)
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_STRING), nargs, args);
	name = deltacc_type_name(&args[0]->type);
	return deltacc_expr_literal(deltacc_type(DELTA_STRING), deltacc_string_value(name, strlen(name)));
}

/* decode(x, a, 1, b, 2, 3): by <=>, so that a may be NULL. */
static DeltaExpr *
bind_decode(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	DeltaExpr	  **branches = palloc(sizeof(DeltaExpr *) * nargs);
	int			n = 0;

	for (int i = 1; i + 1 < nargs; i += 2)
	{
		branches[n++] = deltacc_bind_compare(b, node, CMP_NULLSAFE_EQ, args[0], args[i]);
		branches[n++] = args[i + 1];
	}
	if (nargs % 2 == 0)
		branches[n++] = args[nargs - 1];
	return deltacc_bind_make_case(b, node, n, branches);
}

static DeltaExpr *
bind_try_to_date(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_bind_make_cast(b, node, args[0], deltacc_type(DELTA_DATE), true);
}

static DeltaExpr *
bind_try_to_timestamp(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	return deltacc_bind_make_cast(b, node, args[0], deltacc_type(DELTA_TIMESTAMP), true);
}

/*
 * timestampadd(unit, n, x) of hours and less: a length of time, where in an
 * interval whole days would go by the calendar.
 */
static DeltaExpr *
bind_shift(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args, int64 micros)
{
	DeltaType	whole = deltacc_type(DELTA_LONG);
	DeltaExpr  *pair[2] = {args[2], args[1]};
	DeltaExpr  *factors[2] = {args[1], deltacc_expr_literal(whole, (DeltaScalar) {.i = micros})};

	if (deltacc_bind_is_opaque(2, pair) || !deltacc_implicit_cast(&factors[0], whole) ||
		(pair[0]->type.kind != DELTA_TIMESTAMP_NTZ && !deltacc_implicit_cast(&pair[0], deltacc_type(DELTA_TIMESTAMP))))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
	if (args[1]->kind == EXPR_LITERAL && !args[1]->is_null && DELTA_IS_INTEGRAL_KIND(args[1]->type.kind) &&
		args[1]->value.i < MICROS_PER_DAY / micros && args[1]->value.i > -MICROS_PER_DAY / micros)
	{
		pair[1] = deltacc_expr_literal(deltacc_type(DELTA_INTERVAL_MICROS), (DeltaScalar) {.i = args[1]->value.i * micros});
		return deltacc_bind_call(b, node, "+", 2, pair);
	}
	pair[1] = deltacc_bind_call(b, node, "*", 2, factors);
	return deltacc_bind_call(b, node, "shift_timestamp", 2, pair);
}

/*
 * timestampadd(unit, n, x): x + INTERVAL n unit.
 */
static DeltaExpr *
bind_timestampadd(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args)
{
	static const struct
	{
		const char *unit;
		int64		months;
		int64		micros;
	}			units[] = {
		{"microsecond", 0, 1},
		{"millisecond", 0, 1000},
		{"second", 0, 1000000},
		{"minute", 0, 60 * INT64CONST(1000000)},
		{"hour", 0, 3600 * INT64CONST(1000000)},
		{"day", 0, MICROS_PER_DAY},
		{"dayofyear", 0, MICROS_PER_DAY},
		{"week", 0, 7 * MICROS_PER_DAY},
		{"month", 1, 0},
		{"quarter", 3, 0},
		{"year", 12, 0},
	};
	const DeltaExpr *unit = args[0];
	const DeltaExpr *n = args[1];
	DeltaExpr	   *pair[2] = {args[2], NULL};
	DeltaType	type;
	DeltaScalar value;

	for (int i = 0; i < lengthof(units); i++)
	{
		if (unit->kind != EXPR_LITERAL || unit->is_null || unit->type.kind != DELTA_STRING ||
			unit->value.s->len != (int) strlen(units[i].unit) ||
			pg_strncasecmp(unit->value.s->data, units[i].unit, unit->value.s->len) != 0)
			continue;
		if (units[i].months == 0 && units[i].micros < MICROS_PER_DAY)
			return bind_shift(b, node, nargs, args, units[i].micros);
		if (n->kind != EXPR_LITERAL || n->is_null || !DELTA_IS_INTEGRAL_KIND(n->type.kind) ||
			n->value.i > 1000000 || n->value.i < -1000000 || deltacc_bind_is_opaque(1, pair))
			break;
		value.i = n->value.i * (units[i].months != 0 ? units[i].months : units[i].micros);
		type = deltacc_type(units[i].months != 0 ? DELTA_INTERVAL_MONTHS : DELTA_INTERVAL_MICROS);
		pair[1] = deltacc_expr_literal(type, value);
		if (pair[0]->type.kind != DELTA_TIMESTAMP_NTZ && !deltacc_implicit_cast(&pair[0], deltacc_type(DELTA_TIMESTAMP)))
			break;
		return deltacc_bind_call(b, node, "+", 2, pair);
	}
	return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
}

typedef struct Replacement
{
	const char *name;
	int			min_args;
	int			max_args;		/* -1: any number */
	DeltaExpr	   *(*bind) (Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args);
} Replacement;

static const Replacement replacements[] = {
	{"coalesce", 1, -1, bind_coalesce},
	{"nvl", 2, 2, bind_coalesce},
	{"ifnull", 2, 2, bind_coalesce},
	{"nvl2", 3, 3, bind_nvl2},
	{"nullif", 2, 2, bind_nullif},
	{"nullifzero", 1, 1, bind_nullifzero},
	{"zeroifnull", 1, 1, bind_zeroifnull},
	{"if", 3, 3, bind_if},
	{"isnull", 1, 1, bind_isnull},
	{"isnotnull", 1, 1, bind_isnotnull},
	{"not", 1, 1, bind_not},
	{"equal_null", 2, 2, bind_equal_null},
	{"ilike", 2, 3, bind_ilike},
	{"regexp", 2, 2, bind_rlike},
	{"regexp_like", 2, 2, bind_rlike},
	{"decode", 3, -1, bind_decode},
	{"timestampadd", 3, 3, bind_timestampadd},
	{"to_char", 2, 2, bind_to_char},
	{"to_varchar", 2, 2, bind_to_char},
	{"typeof", 1, 1, bind_typeof},
	{"try_to_date", 1, 1, bind_try_to_date},
	{"try_to_timestamp", 1, 1, bind_try_to_timestamp},
};

/* Types whose names are functions: date(x) is CAST(x AS DATE). */
static const struct
{
	const char *name;
	DeltaKind	kind;
}			cast_functions[] = {
	{"boolean", DELTA_BOOLEAN},
	{"tinyint", DELTA_BYTE},
	{"smallint", DELTA_SHORT},
	{"int", DELTA_INTEGER},
	{"bigint", DELTA_LONG},
	{"float", DELTA_FLOAT},
	{"double", DELTA_DOUBLE},
	{"decimal", DELTA_DECIMAL},
	{"date", DELTA_DATE},
	{"timestamp", DELTA_TIMESTAMP},
	{"binary", DELTA_BINARY},
	{"string", DELTA_STRING},
	{"to_date", DELTA_DATE},	/* without a format */
	{"to_timestamp", DELTA_TIMESTAMP},
	{"to_timestamp_ltz", DELTA_TIMESTAMP},
	{"to_timestamp_ntz", DELTA_TIMESTAMP_NTZ},
};

/* What the function table needn't know of to be left out of data skipping. */
static const struct
{
	const char *name;
	DeltaKind	kind;
	uint32		flags;
	bool		bare;			/* may stand without parentheses */
}			special_functions[] = {
	{"current_date", DELTA_DATE, EXPR_HAS_CONTEXT, true},
	{"curdate", DELTA_DATE, EXPR_HAS_CONTEXT, false},
	{"current_timestamp", DELTA_TIMESTAMP, EXPR_HAS_CONTEXT, true},
	{"now", DELTA_TIMESTAMP, EXPR_HAS_CONTEXT, false},
	{"localtimestamp", DELTA_TIMESTAMP_NTZ, EXPR_HAS_CONTEXT, true},
	{"current_time", DELTA_OTHER, EXPR_HAS_CONTEXT, true},
	{"current_user", DELTA_STRING, EXPR_HAS_CONTEXT, true},
	{"user", DELTA_STRING, EXPR_HAS_CONTEXT, true},
	{"session_user", DELTA_STRING, EXPR_HAS_CONTEXT, true},
	{"current_timezone", DELTA_STRING, EXPR_HAS_CONTEXT, false},
	{"current_catalog", DELTA_STRING, EXPR_HAS_CONTEXT, false},
	{"current_database", DELTA_STRING, EXPR_HAS_CONTEXT, false},
	{"current_schema", DELTA_STRING, EXPR_HAS_CONTEXT, false},
	{"version", DELTA_STRING, EXPR_HAS_CONTEXT, false},
	{"unix_timestamp", DELTA_LONG, EXPR_HAS_CONTEXT, false},
	{"rand", DELTA_DOUBLE, EXPR_HAS_NONDETERMINISTIC, false},
	{"random", DELTA_DOUBLE, EXPR_HAS_NONDETERMINISTIC, false},
	{"randn", DELTA_DOUBLE, EXPR_HAS_NONDETERMINISTIC, false},
	{"randstr", DELTA_STRING, EXPR_HAS_NONDETERMINISTIC, false},
	{"uniform", DELTA_OTHER, EXPR_HAS_NONDETERMINISTIC, false},
	{"uuid", DELTA_STRING, EXPR_HAS_NONDETERMINISTIC, false},
	{"shuffle", DELTA_OTHER, EXPR_HAS_NONDETERMINISTIC, false},
	{"monotonically_increasing_id", DELTA_LONG, EXPR_HAS_NONDETERMINISTIC, false},
	{"spark_partition_id", DELTA_INTEGER, EXPR_HAS_NONDETERMINISTIC, false},
	{"reflect", DELTA_OTHER, EXPR_HAS_NONDETERMINISTIC, false},
	{"java_method", DELTA_OTHER, EXPR_HAS_NONDETERMINISTIC, false},
	{"input_file_name", DELTA_STRING, EXPR_HAS_FILE_METADATA, false},
	{"input_file_block_start", DELTA_LONG, EXPR_HAS_FILE_METADATA, false},
	{"input_file_block_length", DELTA_LONG, EXPR_HAS_FILE_METADATA, false},
};

/* Calls that are recognised by their arguments: see deltacc_bind_function. */
static const struct
{
	const char *name;
	int			min_args;
	int			max_args;
}			recognised_functions[] = {
	{"array_contains", 2, 2},
	{"array_join", 2, 2},
	{"array_max", 1, 1},
	{"array_min", 1, 1},
	{"array_position", 2, 2},
	{"array_size", 1, 1},
	{"cardinality", 1, 1},
	{"date_part", 2, 2},
	{"datepart", 2, 2},
	{"element_at", 2, 2},
	{"extract", 2, 2},
	{"get", 2, 2},
	{"size", 1, 1},
	{"try_element_at", 2, 2},
};

void
deltacc_bound_arity(const char *name, int *min_args, int *max_args)
{
	int			least = -1;
	int			most = 0;

	for (int i = 0; i < lengthof(replacements); i++)
	{
		if (strcmp(name, replacements[i].name) == 0)
		{
			least = replacements[i].min_args;
			most = replacements[i].max_args;
		}
	}
	for (int i = 0; i < lengthof(cast_functions) && least < 0; i++)
	{
		if (strcmp(name, cast_functions[i].name) == 0)
			least = most = 1;
	}
	if (strcmp(name, "unix_timestamp") == 0)
		least = most = 0;		/* the time of today */
	if (least < 0)
		return;
	*min_args = Min(*min_args, least);
	*max_args = most < 0 || *max_args < 0 ? -1 : Max(*max_args, most);
}

void
deltacc_bound_functions(void (*visit) (void *arg, const char *name, int min_args, int max_args, bool computed), void *arg)
{
	for (int i = 0; i < lengthof(replacements); i++)
	{
		if (deltacc_function_find(replacements[i].name, strlen(replacements[i].name)) == NULL)
			visit(arg, replacements[i].name, replacements[i].min_args, replacements[i].max_args, true);
	}
	for (int i = 0; i < lengthof(recognised_functions); i++)
		visit(arg, recognised_functions[i].name, recognised_functions[i].min_args, recognised_functions[i].max_args, true);
	for (int i = 0; i < lengthof(cast_functions); i++)
	{
		if (deltacc_function_find(cast_functions[i].name, strlen(cast_functions[i].name)) == NULL)
			visit(arg, cast_functions[i].name, 1, 1, true);
	}
	for (int i = 0; i < lengthof(special_functions); i++)
	{
		if (deltacc_function_find(special_functions[i].name, strlen(special_functions[i].name)) == NULL)
			visit(arg, special_functions[i].name, 0, -1, false);
	}
}

/*
 * A function that has no value of its own here.  NULL if name is none.
 */
static DeltaExpr *
bind_special_function(Binder *b, const PredicateNode *node, const char *name, bool bare, int nargs, DeltaExpr **args)
{
	int			i;

	for (i = 0; i < lengthof(special_functions); i++)
	{
		if (strcmp(name, special_functions[i].name) != 0 || (bare && !special_functions[i].bare))
			continue;
		if (strcmp(name, "unix_timestamp") == 0 && nargs > 0)
			return NULL;
		return deltacc_expr_unknown(deltacc_type(special_functions[i].kind), deltacc_bind_text(b, node),
									special_functions[i].flags, nargs, args);
	}
	return NULL;
}

DeltaExpr *
deltacc_bind_literal_function(Binder *b, const PredicateNode *node, const PredicateNode *name)
{
	char	   *lower = pnstrdup(name->text, name->text_len);
	char	   *p;
	DeltaExpr	   *e;

	for (p = lower; *p != '\0'; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	e = bind_special_function(b, node, lower, true, 0, NULL);
	if (e != NULL && deltacc_function_find(lower, strlen(lower)) != NULL)
		return deltacc_bind_call(b, node, lower, 0, NULL);
	return e;
}

/*
 * EXTRACT(YEAR FROM x), date_part('YEAR', x): the function of that field.
 */
static const struct
{
	const char *field;
	const char *function;
}			extract_fields[] = {
	{"year", "year"}, {"y", "year"}, {"years", "year"}, {"yr", "year"}, {"yrs", "year"},
	{"yearofweek", "extract_yearofweek"},
	{"quarter", "quarter"}, {"qtr", "quarter"},
	{"month", "month"}, {"mon", "month"}, {"mons", "month"}, {"months", "month"},
	{"week", "weekofyear"}, {"w", "weekofyear"}, {"weeks", "weekofyear"},
	{"day", "day"}, {"d", "day"}, {"days", "day"},
	{"dayofweek", "dayofweek"}, {"dow", "dayofweek"},
	{"dayofweek_iso", "extract_dayofweek_iso"}, {"dow_iso", "extract_dayofweek_iso"},
	{"doy", "dayofyear"},
	{"hour", "hour"}, {"h", "hour"}, {"hours", "hour"}, {"hr", "hour"}, {"hrs", "hour"},
	{"minute", "minute"}, {"m", "minute"}, {"min", "minute"}, {"mins", "minute"}, {"minutes", "minute"},
	{"second", "extract_second"}, {"s", "extract_second"}, {"sec", "extract_second"},
	{"seconds", "extract_second"}, {"secs", "extract_second"},
};

static DeltaExpr *
bind_extract(Binder *b, const PredicateNode *node)
{
	const PredicateNode *field = node->children[0];
	DeltaExpr	   *source = deltacc_bind_node(b, node->children[1]);
	int			i;

	if (field->kind == PRED_COLUMN && field->nchildren == 1)
		field = field->children[0];
	for (i = 0; field->text != NULL && i < lengthof(extract_fields); i++)
	{
		if (field->text_len == (int) strlen(extract_fields[i].field) &&
			pg_strncasecmp(field->text, extract_fields[i].field, field->text_len) == 0)
			return deltacc_bind_call(b, node, extract_fields[i].function, 1, &source);
	}
	return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 1, &source);
}

DeltaExpr *
deltacc_bind_function(Binder *b, const PredicateNode *node)
{
	int			nargs = node->nchildren;
	DeltaExpr	  **args;
	char		name[64];
	const FunctionDef *function;
	DeltaExpr	   *e;
	int			i;

	if (node->text_len >= (int) sizeof(name))
		name[0] = '\0';			/* no function has such a name */
	else
	{
		for (i = 0; i < node->text_len; i++)
			name[i] = pg_ascii_tolower((unsigned char) node->text[i]);
		name[node->text_len] = '\0';
	}
	if (nargs == 2 && (strcmp(name, "extract") == 0 || strcmp(name, "date_part") == 0 || strcmp(name, "datepart") == 0))
		return bind_extract(b, node);
	e = deltacc_bind_array_function(b, node, name);
	if (e != NULL)
		return e;

	args = palloc_extended(sizeof(DeltaExpr *) * ((Size) nargs + 1), MCXT_ALLOC_HUGE);
	for (i = 0; i < nargs; i++)
		args[i] = deltacc_bind_node(b, node->children[i]);

	for (i = 0; i < lengthof(replacements); i++)
	{
		if (strcmp(name, replacements[i].name) == 0 && nargs >= replacements[i].min_args &&
			(replacements[i].max_args < 0 || nargs <= replacements[i].max_args))
			return replacements[i].bind(b, node, nargs, args);
	}
	for (i = 0; nargs == 1 && i < lengthof(cast_functions); i++)
	{
		if (strcmp(name, cast_functions[i].name) == 0)
			return deltacc_bind_make_cast(b, node, args[0], deltacc_type(cast_functions[i].kind), false);
	}
	function = deltacc_function_find(name, strlen(name));
	if (function != NULL && (function->properties & FN_INTERNAL))
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), nargs, args);
	e = deltacc_bind_call(b, node, name, nargs, args);
	if (e->kind == EXPR_UNKNOWN)
	{
		DeltaExpr	   *special = bind_special_function(b, node, name, false, nargs, args);

		if (special != NULL)
			return special;
	}
	return e;
}

/*
 * Dates and intervals (BinaryArithmeticWithDatetimeResolver).  NULL: it is
 * ordinary arithmetic.
 */
static DeltaExpr *
negated_interval(const DeltaExpr *interval)
{
	DeltaScalar value;

	if (interval->kind != EXPR_LITERAL || interval->is_null || interval->value.i == PG_INT64_MIN)
		return NULL;
	value.i = -interval->value.i;
	return deltacc_expr_literal(interval->type, value);
}

static bool
is_interval(const DeltaExpr *e)
{
	return e->type.kind == DELTA_INTERVAL_MONTHS || e->type.kind == DELTA_INTERVAL_MICROS;
}

static DeltaExpr *
add_interval(Binder *b, const PredicateNode *node, DeltaExpr *moment, DeltaExpr *interval)
{
	DeltaExpr	   *args[2] = {moment, interval};

	if (moment->type.kind != DELTA_DATE)
		return deltacc_bind_call(b, node, "+", 2, args);
	if (interval->kind != EXPR_LITERAL || interval->is_null)
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 2, args);
	if (interval->type.kind == DELTA_INTERVAL_MONTHS)
	{
		args[1] = literal_int(interval->value.i);
		return deltacc_bind_call(b, node, "add_months", 2, args);
	}
	if (interval->type.scale == INTERVAL_FIELD_DAY && interval->value.i % MICROS_PER_DAY == 0 &&
		interval->value.i / MICROS_PER_DAY <= PG_INT32_MAX && interval->value.i / MICROS_PER_DAY >= PG_INT32_MIN)
	{
		args[1] = literal_int(interval->value.i / MICROS_PER_DAY);
		return deltacc_bind_call(b, node, "date_add", 2, args);
	}
	args[0] = deltacc_coerce_to(moment, deltacc_type(DELTA_TIMESTAMP));
	return deltacc_bind_call(b, node, "+", 2, args);
}

static DeltaExpr *
bind_datetime_arithmetic(Binder *b, const PredicateNode *node, char op, DeltaExpr *left, DeltaExpr *right)
{
	DeltaExpr	   *args[2] = {left, right};

	if (op == '+' && is_interval(left) && !is_interval(right))
	{
		args[0] = right;
		args[1] = left;
	}
	else if (op == '+' && right->type.kind == DELTA_DATE && DELTA_IS_INTEGRAL_KIND(left->type.kind))
	{
		args[0] = right;
		args[1] = left;
	}
	if (args[0]->type.kind == DELTA_DATE && DELTA_IS_INTEGRAL_KIND(args[1]->type.kind))
		return deltacc_bind_call(b, node, op == '+' ? "date_add" : "date_sub", 2, args);
	if (is_interval(args[1]) && (args[0]->type.kind == DELTA_DATE || args[0]->type.kind == DELTA_TIMESTAMP ||
								 args[0]->type.kind == DELTA_TIMESTAMP_NTZ))
	{
		if (op == '-')
			args[1] = negated_interval(right);
		if (args[1] != NULL)
			return add_interval(b, node, args[0], args[1]);
		args[1] = right;
		return deltacc_bind_unknown(b, node, deltacc_type(DELTA_OTHER), 2, args);
	}
	/* a string is taken for a timestamp, and is a string again afterwards */
	if (args[0]->type.kind == DELTA_STRING && args[1]->type.kind == DELTA_INTERVAL_MICROS)
	{
		DeltaExpr  *sum;

		args[0] = deltacc_coerce_to(args[0], deltacc_type(DELTA_TIMESTAMP));
		sum = bind_datetime_arithmetic(b, node, op, args[0], args[1]);
		return sum->type.kind == DELTA_TIMESTAMP ? deltacc_coerce_to(sum, deltacc_type(DELTA_STRING)) : sum;
	}
	return NULL;
}

DeltaExpr *
deltacc_bind_arithmetic(Binder *b, const PredicateNode *node)
{
	DeltaExpr	   *args[2];
	DeltaExpr	   *e = NULL;
	char		name[16];
	int			i;

	args[0] = deltacc_bind_node(b, node->children[0]);
	args[1] = deltacc_bind_node(b, node->children[1]);

	Assert(node->text_len < (int) sizeof(name));
	for (i = 0; i < node->text_len && i < (int) sizeof(name) - 1; i++)
		name[i] = pg_ascii_tolower((unsigned char) node->text[i]);
	name[i] = '\0';

	deltacc_check_arithmetic(b, node, name, args[0], args[1]);
	if (!deltacc_bind_is_opaque(2, args) && (strcmp(name, "+") == 0 || strcmp(name, "-") == 0))
		e = bind_datetime_arithmetic(b, node, name[0], args[0], args[1]);
	if (e == NULL)
		e = deltacc_bind_call(b, node, name, 2, args);
	return e;
}
