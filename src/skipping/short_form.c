/*-------------------------------------------------------------------------
 *
 * short_form.c
 *	  Statistics by the short form of their column, without reading texts.
 *
 * For the types whose values are eight bytes the short form is the value, where
 * the shape is the type's own.  A decimal is compared by the doubles nearest to
 * it and to the literal, a string by eight of its bytes.  Both keep the order:
 * where these differ they decide, and where they are equal the text does.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "delta/shape.h"
#include "delta/stats.h"
#include "miscadmin.h"
#include "skipping/short_form.h"
#include "utils/fmgrprotos.h"

/* How the values of a column come from its short form. */
typedef enum LateForm
{
	LATE_NONE,					/* not at all */
	LATE_SAME,					/* they are it */
	LATE_INT_AS_DOUBLE,
	LATE_RAISED,				/* the MAX of a timestamp: see stats.h */
	LATE_FLOAT,					/* not block by block */
	LATE_DECIMAL,
	LATE_STRING
} LateForm;

/* A column that is read block by block, as far as it is needed at all. */
typedef struct LateColumn
{
	LateForm	form;
	DeltaActions *actions;
	ActionsValues *values;
	const ActionsColumn *tokens;	/* NULL: not fetched */
	int			ntexts;			/* fetched one by one so far */
} LateColumn;

/* So many are fetched one by one before all are. */
#define MAX_SINGLE_TEXTS 16

static inline ColumnFamily
family_of(const SourceColumn *c)
{
	return c->leaf->stat == STAT_MAX ? COLUMN_MAX : COLUMN_MIN;
}

/* Are all values integers that lie within? */
static bool
ints_within(const ActionsValues *v, int64 least, int64 greatest)
{
	return v->shape == SHAPE_INT && v->least.i >= least && v->greatest.i <= greatest;
}

/*
 * Are all tokens decimals of the type, none of which has to be rounded and none
 * too large for it?
 */
static bool
are_decimals(const ActionsValues *v, const DeltaType *type)
{
	double		limit = pow(10, type->precision - type->scale) * (1 - 1e-9);

	if (v->shape == SHAPE_INT)
		return fabs((double) v->least.i) < limit && fabs((double) v->greatest.i) < limit;
	return v->shape == SHAPE_DOUBLE && v->scale <= type->scale &&
		fabs(v->least.d) < limit && fabs(v->greatest.d) < limit;
}

static LateForm
form_of(const ActionsValues *v, const DeltaField *column, bool is_max)
{
	LateForm	raised = is_max ? LATE_RAISED : LATE_SAME;

	switch (column->type.kind)
	{
		case DELTA_BYTE:
			return ints_within(v, PG_INT8_MIN, PG_INT8_MAX) ? LATE_SAME : LATE_NONE;
		case DELTA_SHORT:
			return ints_within(v, PG_INT16_MIN, PG_INT16_MAX) ? LATE_SAME : LATE_NONE;
		case DELTA_INTEGER:
			return ints_within(v, PG_INT32_MIN, PG_INT32_MAX) ? LATE_SAME : LATE_NONE;
		case DELTA_LONG:
			return v->shape == SHAPE_INT ? LATE_SAME : LATE_NONE;
		case DELTA_FLOAT:
			return v->shape <= SHAPE_DOUBLE ? LATE_FLOAT : LATE_NONE;
		case DELTA_DOUBLE:
			/* One that was float is looked at twice: sources.c. */
			if (column->widened_from_float || v->shape > SHAPE_DOUBLE)
				return LATE_NONE;
			return v->shape == SHAPE_DOUBLE ? LATE_SAME : LATE_INT_AS_DOUBLE;
		case DELTA_DECIMAL:
			return are_decimals(v, &column->type) ? LATE_DECIMAL : LATE_NONE;
		case DELTA_STRING:
			return v->shape == SHAPE_PREFIX ? LATE_STRING : LATE_NONE;
		case DELTA_DATE:
			return v->shape == SHAPE_DATE ? LATE_SAME : LATE_NONE;
		case DELTA_TIMESTAMP:
			return v->shape == SHAPE_TIMESTAMP ? raised : LATE_NONE;
		case DELTA_TIMESTAMP_NTZ:
			return v->shape == SHAPE_TIMESTAMP_NTZ ? raised : LATE_NONE;
		default:
			return LATE_NONE;
	}
}

static DeltaScalar *
new_values(int n)
{
	return palloc_extended(sizeof(DeltaScalar) * (Size) Max(n, 1), MCXT_ALLOC_HUGE);
}

/* Eight bytes of the type's own out of those of the shape. */
static DeltaScalar *
convert(LateForm form, const DeltaScalar *values, int n)
{
	DeltaScalar *result;

	if (form == LATE_SAME)
		return unconstify(DeltaScalar *, values);
	result = new_values(n);
	for (int i = 0; i < n; i++)
	{
		if (form == LATE_RAISED)
			result[i].i = values[i].i + MAX_TIMESTAMP_SLACK;
		else
			result[i].d = (double) values[i].i;
	}
	return result;
}

/*
 * The floats nearest to the texts; NULL if they aren't certain.  A double is
 * rounded once already: where it lies right between two floats, its text may
 * lie on either side.
 */
static DeltaScalar *
floats(ActionsValues *v)
{
	const DeltaScalar *values = deltacc_values_all(v);
	DeltaScalar *result = new_values(v->n);

	for (int i = 0; i < v->n; i++)
	{
		double		d = v->shape == SHAPE_INT ? (double) values[i].i : values[i].d;
		float		f = (float) d;

		if (d != f && !isnan(d) && !isinf(d))
		{
			double		next = nextafterf(f, d > f ? INFINITY : -INFINITY);

			if (fabs(d) > FLT_MAX || d == ((double) f + next) / 2)
				return NULL;
		}
		result[i].d = f;
	}
	return result;
}

static void
mark_missing(SourceColumn *c, const uint8 *kinds, int n)
{
	for (int i = 0; kinds != NULL && i < n; i++)
	{
		if (!TOKEN_HAS_VALUE(kinds[i]))
			deltacc_source_missing(c, n, i, kinds[i] <= TOKEN_NULL ? STAT_ABSENT : STAT_UNREADABLE);
	}
}

bool
deltacc_load_short_form(SourceColumn *c, DeltaActions *a, int n, bool late)
{
	const DeltaField *column = c->leaf->column;
	LateColumn	l = {.actions = a};

	l.values = deltacc_actions_values(a, family_of(c), column->stats_path);
	if (l.values == NULL)
		return false;
	l.form = form_of(l.values, column, c->leaf->stat == STAT_MAX);
	if (l.form == LATE_NONE || (l.form > LATE_FLOAT && !late))
		return false;
	if (l.form == LATE_FLOAT)
	{
		if ((c->lo = floats(l.values)) == NULL)
			return false;
	}
	else if (!late)
		c->lo = convert(l.form, deltacc_values_all(l.values), n);
	c->hi = c->lo;
	mark_missing(c, l.values->kinds, n);
	if (c->lo == NULL)
	{
		c->late = palloc(sizeof(LateColumn));
		*c->late = l;
	}
	return true;
}

/* ----- late columns ----- */

/* A value by its text, or by its token. */
static DeltaScalar
late_value(const SourceColumn *c, int row)
{
	LateColumn *l = c->late;
	DeltaScalar value;

	if (l->tokens == NULL)
		l->tokens = deltacc_actions_column(l->actions, family_of(c), c->leaf->column->stats_path);
	/* No time zone comes into it. */
	if (!deltacc_stat_value(l->tokens, row, &c->leaf->column->type, NULL, false, &value))
		elog(ERROR, "a statistic is not of the type that its column has");
	return value;
}

DeltaScalar *
deltacc_late_values(const SourceColumn *c, int start, int n)
{
	DeltaScalar *values;

	if (c->late->form < LATE_FLOAT)
		return convert(c->late->form, deltacc_values_at(c->late->values, start, n), n);
	values = palloc0(sizeof(DeltaScalar) * n);
	for (int i = 0; i < n; i++)
	{
		if (c->may[start + i] != MAY_NULL)
			values[i] = late_value(c, start + i);
	}
	return values;
}

/* What a comparison comes to, by the order of its operands. */
typedef struct OrderOutcomes
{
	uint8		less;
	uint8		equal;
	uint8		greater;
} OrderOutcomes;

static OrderOutcomes
order_outcomes(CompareOp op)
{
	const uint8 t = MAY_TRUE;
	const uint8 f = MAY_FALSE;

	switch (op)
	{
		case CMP_LT:
			return (OrderOutcomes) {t, f, f};
		case CMP_LE:
			return (OrderOutcomes) {t, t, f};
		case CMP_GT:
			return (OrderOutcomes) {f, f, t};
		case CMP_GE:
			return (OrderOutcomes) {f, t, t};
		case CMP_NE:
			return (OrderOutcomes) {t, f, t};
		case CMP_EQ:
		case CMP_NULLSAFE_EQ:
			break;
	}
	return (OrderOutcomes) {f, t, f};
}

static inline uint8
outcome_of(const OrderOutcomes *o, int order)
{
	return order < 0 ? o->less : order > 0 ? o->greater : o->equal;
}

static double
nearest_double(Numeric n)
{
	return DatumGetFloat8(DirectFunctionCall1(numeric_float8, NumericGetDatum(n)));
}

static void
compare_decimals(const SourceColumn *c, OrderOutcomes o, DeltaScalar value, int start, int n, uint8 *outcomes)
{
	const DeltaScalar *v = deltacc_values_at(c->late->values, start, n);
	bool		ints = c->late->values->shape == SHAPE_INT;
	const DeltaType *type = &c->leaf->column->type;
	double		d = nearest_double(value.n);

	for (int i = 0; i < n; i++)
	{
		double		x = ints ? (double) v[i].i : v[i].d;

		outcomes[i] = (x < d ? o.less : 0) | (x > d ? o.greater : 0);
	}
	for (int i = 0; i < n; i++)
	{
		if (outcomes[i] == 0 && c->may[start + i] != MAY_NULL)
			outcomes[i] = outcome_of(&o, deltacc_value_compare(type, late_value(c, start + i), value));
	}
}

/* The order of a string and a literal. */
static int
order_of_text(const SourceColumn *c, int row, const DeltaString *literal)
{
	LateColumn *l = c->late;
	DeltaString s;
	int			order;

	if (l->tokens == NULL && l->ntexts++ < MAX_SINGLE_TEXTS)
		s = deltacc_actions_text_at(l->actions, family_of(c), c->leaf->column->stats_path, row);
	else
		s = *late_value(c, row).s;
	order = memcmp(s.data, literal->data, Min(s.len, literal->len));
	return order != 0 ? order : s.len - literal->len;
}

static void
compare_strings(const SourceColumn *c, OrderOutcomes o, DeltaScalar value, int start, int n, uint8 *outcomes)
{
	ActionsValues *values = c->late->values;
	const DeltaString *literal = value.s;
	int			prefix = values->prefix.len;
	int			order = memcmp(values->prefix.data, literal->data, Min(prefix, literal->len));
	const DeltaScalar *v;
	int64		key;

	/* Does the literal begin like all of them?  Then what follows decides. */
	if (order != 0 || literal->len < prefix)
	{
		memset(outcomes, outcome_of(&o, order != 0 ? order : 1), n);
		return;
	}
	v = deltacc_values_at(values, start, n);
	key = deltacc_shape_prefix(literal->data + prefix, literal->len - prefix);
	for (int i = 0; i < n; i++)
		outcomes[i] = (v[i].i < key ? o.less : 0) | (v[i].i > key ? o.greater : 0);
	for (int i = 0; i < n; i++)
	{
		if (outcomes[i] == 0 && c->may[start + i] != MAY_NULL)
			outcomes[i] = outcome_of(&o, order_of_text(c, start + i, literal));
	}
}

bool
deltacc_late_compare(const SourceColumn *c, CompareOp op, DeltaScalar value, int start, int n, uint8 *outcomes)
{
	OrderOutcomes o = order_outcomes(op);

	if (c->late->form == LATE_DECIMAL)
		compare_decimals(c, o, value, start, n, outcomes);
	else if (c->late->form == LATE_STRING)
		compare_strings(c, o, value, start, n, outcomes);
	else
		return false;

	if (c->missing == NULL)
		return true;
	for (int i = 0; i < n; i++)
	{
		if (c->may[start + i] == MAY_NULL)
			outcomes[i] = op == CMP_NULLSAFE_EQ ? MAY_FALSE : MAY_NULL;
	}
	return true;
}

/* ----- all files of a commit at once ----- */

static LateForm
bounds_form(const DeltaExpr *leaf, const ActionsBounds *bounds)
{
	ActionsValues v = {
		.shape = bounds->shape,
		.scale = bounds->scale,
		.least = bounds->least,
		.greatest = bounds->greatest,
	};

	if (leaf->column->type.kind == DELTA_STRING)
		return bounds->shape == SHAPE_NONE ? LATE_STRING : LATE_NONE;
	return bounds->shape == SHAPE_NONE ? LATE_NONE : form_of(&v, leaf->column, leaf->stat == STAT_MAX);
}

bool
deltacc_bounds_range(const DeltaExpr *leaf, const ActionsBounds *bounds, ValueRange *range)
{
	LateForm	form = bounds_form(leaf, bounds);
	DeltaString *texts;

	range->may = RANGE_CLOSED;
	switch (form)
	{
		case LATE_NONE:
			return false;
		case LATE_SAME:
		case LATE_INT_AS_DOUBLE:
		case LATE_RAISED:
			range->lo = *convert(form, &bounds->least, 1);
			range->hi = *convert(form, &bounds->greatest, 1);
			break;
		case LATE_FLOAT:
			/* See floats(): one further is far enough. */
			range->lo.d = bounds->shape == SHAPE_INT ? (double) bounds->least.i : bounds->least.d;
			range->hi.d = bounds->shape == SHAPE_INT ? (double) bounds->greatest.i : bounds->greatest.d;
			range->lo.d = nextafterf((float) range->lo.d, -INFINITY);
			range->hi.d = nextafterf((float) range->hi.d, INFINITY);
			break;
		case LATE_DECIMAL:
			range->may = MAY_VALUE;
			break;
		case LATE_STRING:
			texts = palloc(sizeof(DeltaString) * 2);
			texts[0] = bounds->least_text;
			texts[1] = bounds->greatest_text;
			range->lo.s = &texts[0];
			range->hi.s = &texts[1];
			if (texts[1].data == NULL)
				range->may &= ~HAS_HI;
			break;
	}
	return true;
}

bool
deltacc_bounds_compare(const DeltaExpr *leaf, const ActionsBounds *bounds, CompareOp op,
					   DeltaScalar value, uint8 *outcomes)
{
	OrderOutcomes o = order_outcomes(op);
	bool		ints = bounds->shape == SHAPE_INT;
	double		least = ints ? (double) bounds->least.i : bounds->least.d;
	double		greatest = ints ? (double) bounds->greatest.i : bounds->greatest.d;
	double		d;

	if (bounds_form(leaf, bounds) != LATE_DECIMAL)
		return false;
	d = nearest_double(value.n);
	if (greatest < d)
		*outcomes = o.less;
	else if (least > d)
		*outcomes = o.greater;
	else
		*outcomes = o.less | o.equal | o.greater;
	return true;
}
