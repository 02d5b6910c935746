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
 * Takes the numbers from lo to hi, which have the same sign and as many digits,
 * into the bounds of their texts: of positive ones the texts are in order, of
 * negative ones the other way round.
 */
static void
add_texts(ValueRange *r, const DeltaType *type, uint64 lo, uint64 hi, bool negative)
{
	uint64		ends[2] = {lo, hi};

	for (int i = 0; i < 2; i++)
	{
		char		text[32];
		int			len = snprintf(text, sizeof(text), "%s" UINT64_FORMAT, negative ? "-" : "", ends[i]);
		ValueRange	point = deltacc_range_point(type, deltacc_string_value(text, len));

		deltacc_range_add(type, r, &point);
	}
}

/* The numbers from lo to hi, one number of digits after the other. */
static void
add_digits(ValueRange *r, const DeltaType *type, uint64 lo, uint64 hi, bool negative)
{
	uint64		next = 10;		/* the first with one digit more */

	for (;;)
	{
		bool		last = next == 0 || hi < next;

		if (lo < next || next == 0)
		{
			add_texts(r, type, lo, last ? hi : next - 1, negative);
			if (last)
				return;
			lo = next;
		}
		next = next > PG_UINT64_MAX / 10 ? 0 : next * 10;
	}
}

/*
 * Integers as text: '10' comes before '9'.
 */
static ValueRange
integer_texts(const DeltaType *type, int64 lo, int64 hi)
{
	ValueRange	r = {0};

	if (lo < 0)
		add_digits(&r, type, hi < 0 ? -(uint64) hi : 1, -(uint64) lo, true);
	if (hi >= 0)
		add_digits(&r, type, Max(lo, 0), (uint64) hi, false);
	return r;
}

/*
 * To STRING: of integers; of dates and times with years of four digits, whose
 * texts are in their order.
 */
static bool
cast_to_text(const CastState *s, const ValueRange *v, ValueRange *r)
{
	const int64 first_day = deltacc_days_from_civil(0, 1, 1);
	const int64 last_day = deltacc_days_from_civil(9999, 12, 31);
	DeltaType	local = deltacc_type(s->from->kind == DELTA_DATE ? DELTA_DATE : DELTA_TIMESTAMP_NTZ);
	int64		unit = s->from->kind == DELTA_DATE ? 1 : MICROS_PER_DAY;
	int64		lo = v->lo.i;
	int64		hi = v->hi.i;
	DeltaScalar text;
	const char *ignored;

	if (s->to->kind != DELTA_STRING || (v->may & HAS_BOTH) != HAS_BOTH)
		return false;
	if (DELTA_IS_INTEGRAL_KIND(s->from->kind))
	{
		*r = integer_texts(s->to, lo, hi);
		return true;
	}
	if (s->from->kind != DELTA_DATE && s->from->kind != DELTA_TIMESTAMP_NTZ &&
		!(s->from->kind == DELTA_TIMESTAMP &&
		  deltacc_local_bounds(lo, hi, s->ev->options->timezone, &lo, &hi)))
		return false;
	if (lo < first_day * unit || hi >= (last_day + 1) * unit)
		return false;
	for (int end = 0; end < 2; end++)
	{
		ValueRange	point;

		text.i = end == 0 ? lo : hi;
		if (deltacc_cast(&local, s->to, text, NULL, &text, &ignored) != CAST_OK)
			return false;
		point = deltacc_range_point(s->to, text);
		deltacc_range_add(s->to, r, &point);
	}
	return true;
}

/* Do all values of a range stay, as seconds, clear of the bounds of a timestamp,
 * past which a decimal wraps around? */
static bool
seconds_fit(const CastState *s, const ValueRange *v)
{
	const DeltaType to = deltacc_type(DELTA_LONG);
	const int64 limit = PG_INT64_MAX / MICROS_PER_SECOND - 1;

	if ((v->may & HAS_BOTH) != HAS_BOTH)
		return false;
	for (int end = 0; end < 2; end++)
	{
		DeltaScalar seconds;
		const char *ignored;

		if (deltacc_cast(s->from, &to, end == 0 ? v->lo : v->hi, NULL, &seconds, &ignored) != CAST_OK ||
			seconds.i > limit || seconds.i < -limit)
			return false;
	}
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
	if (cast_clock(s, v, &r) || cast_to_text(s, v, &r))
		return r;
	if (!s->monotone || IS_OUTCOME_KIND(s->to->kind) ||
		(s->from->kind == DELTA_DECIMAL && s->to->kind == DELTA_TIMESTAMP && !seconds_fit(s, v)))
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
