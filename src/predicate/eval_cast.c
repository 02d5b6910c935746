/*-------------------------------------------------------------------------
 *
 * eval_cast.c
 *	  CAST and TRY_CAST over ranges.
 *
 * A point is cast as cast.h does; a range by its ends where the cast keeps the
 * order.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/eval_node.h"

typedef struct CastState
{
	Eval	   *ev;
	EvalNode   *node;
	const DeltaType *from;
	const DeltaType *to;
	bool		try_cast;
	bool		monotone;
	bool		never_fails;
	bool		nan_is_null;	/* NaN and infinities become NULL */
} CastState;

/* Digits before the point that values of a type may have. */
static int
integral_digits(const DeltaType *type)
{
	switch (type->kind)
	{
		case DELTA_BOOLEAN:
			return 1;
		case DELTA_BYTE:
			return 3;
		case DELTA_SHORT:
			return 5;
		case DELTA_INTEGER:
			return 10;
		case DELTA_LONG:
			return 19;
		case DELTA_DECIMAL:
			return type->precision - type->scale;
		default:
			return 1000;
	}
}

/*
 * Does the cast succeed for every value?  False where we aren't sure.
 */
static bool
cast_never_fails(const DeltaType *from, const DeltaType *to)
{
	if (from->kind == to->kind && from->kind != DELTA_DECIMAL)
		return true;
	if (to->kind == DELTA_STRING)
		return DELTA_IS_ATOMIC_KIND(from->kind);
	if (to->kind == DELTA_BINARY)
		return from->kind == DELTA_STRING;
	if (to->kind == DELTA_BOOLEAN)
		return DELTA_IS_NUMERIC_KIND(from->kind);
	if (DELTA_IS_DOUBLE_KIND(to->kind))
		return from->kind == DELTA_BOOLEAN || DELTA_IS_NUMERIC_KIND(from->kind);
	if (DELTA_IS_INTEGRAL_KIND(to->kind))
		return from->kind == DELTA_BOOLEAN ||
			(DELTA_IS_INTEGRAL_KIND(from->kind) && from->kind <= to->kind);
	if (to->kind == DELTA_DECIMAL)
	{
		bool		rounds = from->kind == DELTA_DECIMAL && from->scale > to->scale;

		return integral_digits(from) + rounds <= to->precision - to->scale;
	}
	if (to->kind == DELTA_DATE)
		return from->kind == DELTA_TIMESTAMP || from->kind == DELTA_TIMESTAMP_NTZ;
	return false;
}

/*
 * What a cast makes of one value.  ok tells whether it is a value.
 */
static ValueRange
cast_point(const CastState *s, int row, DeltaScalar v, bool *ok)
{
	ValueRange	r = {0};
	const char *error_class = NULL;
	DeltaScalar result;

	*ok = false;
	switch (deltacc_cast(s->from, s->to, v, s->ev->options->timezone, &result, &error_class))
	{
		case CAST_OK:
			*ok = true;
			return deltacc_range_point(s->to, result);
		case CAST_NULL:
			r.may = MAY_NULL;
			break;
		case CAST_ERROR:
			if (s->try_cast)
				r.may = MAY_NULL;
			else
			{
				r.may = MAY_ERROR;
				deltacc_eval_note_error(s->ev, s->node, row, error_class);
			}
			break;
		case CAST_UNSUPPORTED:
			r.may = UNKNOWN_OF_KIND(s->to->kind);
			break;
	}
	return r;
}

/* What may become of values other than a result. */
static uint8
may_go_wrong(const CastState *s)
{
	uint8		may = s->nan_is_null ? MAY_NULL : 0;

	if (!s->never_fails)
		may |= s->try_cast ? MAY_NULL : MAY_ERROR;
	return may;
}

static ValueRange
any_value(const CastState *s)
{
	ValueRange	r = {.may = VALUE_BITS(s->to->kind) | may_go_wrong(s)};

	return r;
}

/*
 * One end of a range, by a cast that keeps the order.  Behind an end that
 * fails, or that isn't there, values may fail too.
 */
static void
cast_end(const CastState *s, int row, const ValueRange *v, uint8 side, ValueRange *r)
{
	bool		ok = false;
	ValueRange	end;

	if (v->may & side)
	{
		end = cast_point(s, row, side == HAS_LO ? v->lo : v->hi, &ok);
		if (ok && side == HAS_LO)
			r->lo = end.lo;
		else if (ok)
			r->hi = end.hi;
	}
	if (ok)
		r->may |= side;
	else
		r->may |= may_go_wrong(s);
}

/*
 * TIMESTAMP to the local clock and back, by the offsets in the range.
 */
static bool
cast_clock(const CastState *s, const ValueRange *v, ValueRange *r)
{
	pg_tz	   *tz = s->ev->options->timezone;
	int64		lo;
	int64		hi;

	if ((v->may & HAS_BOTH) != HAS_BOTH)
		return false;
	if (s->from->kind == DELTA_TIMESTAMP_NTZ && s->to->kind == DELTA_TIMESTAMP)
	{
		if (!deltacc_utc_bounds(v->lo.i, v->hi.i, tz, &lo, &hi))
			return false;
	}
	else if (s->from->kind == DELTA_TIMESTAMP &&
			 (s->to->kind == DELTA_TIMESTAMP_NTZ || s->to->kind == DELTA_DATE))
	{
		if (!deltacc_local_bounds(v->lo.i, v->hi.i, tz, &lo, &hi))
			return false;
	}
	else
		return false;

	if (s->to->kind == DELTA_DATE)
	{
		lo = floor_div(lo, MICROS_PER_DAY);
		hi = floor_div(hi, MICROS_PER_DAY);
	}
	r->may = RANGE_CLOSED;
	r->lo.i = lo;
	r->hi.i = hi;
	return true;
}

/*
 * The values of a range, NULL and errors apart.
 */
static ValueRange
cast_range(const CastState *s, int row, const ValueRange *v)
{
	ValueRange	r = {0};
	bool		ok;

	if (deltacc_range_is_point(s->from, v))
		return cast_point(s, row, v->lo, &ok);
	if (cast_clock(s, v, &r))
		return r;
	if (!s->monotone || IS_OUTCOME_KIND(s->to->kind))
		return any_value(s);
	r.may = MAY_VALUE;
	cast_end(s, row, v, HAS_LO, &r);
	cast_end(s, row, v, HAS_HI, &r);
	return r;
}

/* FALSE and TRUE one by one. */
static ValueRange
cast_booleans(const CastState *s, int row, uint8 may)
{
	ValueRange	all = {0};

	for (int x = 0; x <= 1; x++)
	{
		if (may & (x ? MAY_TRUE : MAY_FALSE))
		{
			DeltaScalar v = {.i = x};
			bool		ok;
			ValueRange	r = cast_point(s, row, v, &ok);

			deltacc_range_add(s->to, &all, &r);
		}
	}
	return all;
}

static ValueRange
cast_row(const CastState *s, int row, const ValueRange *v)
{
	ValueRange	r = {0};

	if (v->may & VALUE_BITS(s->from->kind))
	{
		if (s->from->kind == DELTA_BOOLEAN)
			r = cast_booleans(s, row, v->may);
		else if (s->from->kind == DELTA_VOID || !DELTA_IS_ATOMIC_KIND(s->from->kind))
			r.may = UNKNOWN_OF_KIND(s->to->kind);
		else
			r = cast_range(s, row, v);
	}
	r.may |= v->may & (MAY_NULL | MAY_ERROR);
	return r;
}

void
deltacc_eval_cast(Eval *ev, EvalNode *node, Block *out)
{
	int			n = eval_rows(ev, node);
	Block		operand;
	CastState	s = {.ev = ev,.node = node};

	deltacc_eval_node(ev, node->args[0], &operand);
	deltacc_eval_result(ev, node, out);
	s.from = &operand.type;
	s.to = &node->expr->type;
	s.try_cast = node->expr->try_cast;
	s.monotone = deltacc_cast_is_monotone(s.from, s.to);
	s.never_fails = cast_never_fails(s.from, s.to);
	s.nan_is_null = DELTA_IS_DOUBLE_KIND(s.from->kind) &&
		(s.to->kind == DELTA_DECIMAL || s.to->kind == DELTA_TIMESTAMP);

	for (int i = 0; i < n; i++)
	{
		ValueRange	v = block_get(&operand, i);

		block_set(out, i, cast_row(&s, i, &v));
	}
	deltacc_block_finish(out);
}
