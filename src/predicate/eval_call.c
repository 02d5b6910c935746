/*-------------------------------------------------------------------------
 *
 * eval_call.c
 *	  Function calls over ranges.
 *
 * Where every argument is a point, or NULL, the function is computed; else its
 * entry in the table says what it does to ranges, or that it keeps the order
 * of its first argument, or nothing, and then the result may be anything.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "predicate/eval_node.h"
#include "predicate/functions.h"

/* So many combinations of points, NULL, TRUE and FALSE are tried one by one. */
#define MAX_COMBINATIONS	16

typedef struct CallState
{
	Eval	   *ev;
	EvalNode   *node;
	DeltaCallContext cx;
	const FunctionDef *function;
	FunctionCalls *calls;
	int			nargs;
	Block	   *args;
	Block	   *out;

	/* of the current row */
	int			row;
	ValueRange *ranges;
	int		   *choices;		/* how many points argument i may be */
	DeltaScalar *values;		/* the points tried */
	bool	   *is_null;
} CallState;

static uint8
unknown_result(const CallState *s)
{
	uint8		may = UNKNOWN_OF_KIND(s->node->expr->type.kind);

	if (s->function->properties & FN_NEVER_FAILS)
		may &= ~MAY_ERROR;
	if (s->function->properties & FN_NEVER_NULL)
		may &= ~MAY_NULL;
	return may;
}

/*
 * Takes errors and NULLs of the arguments into the result.  False if no call
 * remains to be made: an argument is NULL or fails in any case.
 */
static bool
pass_nulls(CallState *s, ValueRange *result)
{
	bool		reached = true;
	bool		right_first = (s->function->properties & FN_RIGHT_FIRST) != 0;

	for (int k = 0; k < s->nargs && reached; k++)
	{
		int			i = right_first ? s->nargs - 1 - k : k;
		uint8		may = s->ranges[i].may;

		result->may |= may & (MAY_NULL | MAY_ERROR);
		reached = (may & VALUE_BITS(s->args[i].type.kind)) != 0;
		s->ranges[i].may &= ~(MAY_NULL | MAY_ERROR);
	}
	return reached;
}

/*
 * Which points may the argument be?  0: it is no choice between a few.
 */
static int
count_choices(const DeltaType *type, const ValueRange *r)
{
	int			n = (r->may & MAY_NULL) != 0;

	if (IS_OUTCOME_KIND(type->kind))
		return n + ((r->may & MAY_TRUE) != 0) + ((r->may & MAY_FALSE) != 0);
	if (!(r->may & MAY_VALUE))
		return n;
	return deltacc_range_is_point(type, r) ? n + 1 : 0;
}

/* Sets argument i to choice k: NULL first, then FALSE, TRUE or the point. */
static void
set_choice(CallState *s, int i, int k)
{
	const ValueRange *r = &s->ranges[i];

	s->is_null[i] = false;
	if (r->may & MAY_NULL)
	{
		if (k == 0)
		{
			s->is_null[i] = true;
			s->values[i].i = 0;
			return;
		}
		k--;
	}
	if (IS_OUTCOME_KIND(s->args[i].type.kind))
		s->values[i].i = (r->may & MAY_FALSE) ? k : 1;
	else
		s->values[i] = r->lo;
}

/*
 * Calls the function on points.  False if it doesn't know the result.
 */
static bool
call_point(CallState *s, ValueRange *result)
{
	const DeltaType *type = &s->node->expr->type;
	DeltaScalar value = {0};
	ValueRange	r = {0};

	s->cx.error_class = NULL;
	switch (s->function->point(&s->cx, s->nargs, s->values, s->is_null, &value))
	{
		case POINT_VALUE:
			r = deltacc_range_point(type, value);
			break;
		case POINT_NULL:
			r.may = MAY_NULL;
			break;
		case POINT_ERROR:
			r.may = MAY_ERROR;
			deltacc_eval_note_error(s->ev, s->node, s->row, s->cx.error_class);
			break;
		case POINT_UNKNOWN:
			return false;
	}
	deltacc_range_add(type, result, &r);
	return true;
}

/*
 * Calls the function on every combination of points that the arguments may
 * be.  False if they may be more than a few, or a result isn't known.
 */
static bool
call_points(CallState *s, ValueRange *result)
{
	int			combinations = 1;

	if (s->function->point == NULL)
		return false;
	for (int i = 0; i < s->nargs; i++)
	{
		s->choices[i] = count_choices(&s->args[i].type, &s->ranges[i]);
		if (s->choices[i] == 0)
			return false;
		combinations *= s->choices[i];
		if (combinations > MAX_COMBINATIONS)
			return false;
	}
	for (int c = 0; c < combinations; c++)
	{
		int			rest = c;

		for (int i = 0; i < s->nargs; i++)
		{
			set_choice(s, i, rest % s->choices[i]);
			rest /= s->choices[i];
		}
		if (!call_point(s, result))
			return false;
	}
	return true;
}

/*
 * One end of the result of a function that keeps the order or turns it round.
 * Beyond an end that isn't there, or where the function gives no value, it may
 * fail or be NULL.
 */
static void
monotone_end(CallState *s, uint8 side, uint8 result_side, ValueRange *result)
{
	const ValueRange *r = &s->ranges[0];
	ValueRange	end = {0};
	bool		known = false;

	if (r->may & side)
	{
		s->values[0] = side == HAS_LO ? r->lo : r->hi;
		known = call_point(s, &end) && (end.may & MAY_VALUE);
	}
	if (!known)
	{
		result->may |= end.may | (unknown_result(s) & (MAY_NULL | MAY_ERROR));
		return;
	}
	result->may |= result_side;
	if (result_side == HAS_LO)
		result->lo = end.lo;
	else
		result->hi = end.lo;
}

static bool
call_monotone(CallState *s, ValueRange *result)
{
	int			direction;
	ValueRange	r = {.may = MAY_VALUE};

	if (s->function->monotone == NULL || s->function->point == NULL || s->nargs == 0 ||
		IS_OUTCOME_KIND(s->node->expr->type.kind) || IS_OUTCOME_KIND(s->args[0].type.kind))
		return false;
	if (s->ranges[0].may & (MAY_NULL | MAY_ERROR))
		return false;
	for (int i = 1; i < s->nargs; i++)
	{
		if (count_choices(&s->args[i].type, &s->ranges[i]) != 1)
			return false;
		set_choice(s, i, 0);
	}
	direction = s->function->monotone(&s->cx, s->nargs, s->args, s->row);
	if (direction == 0)
		return false;
	s->is_null[0] = false;
	monotone_end(s, HAS_LO, direction > 0 ? HAS_LO : HAS_HI, &r);
	monotone_end(s, HAS_HI, direction > 0 ? HAS_HI : HAS_LO, &r);
	deltacc_range_add(&s->node->expr->type, result, &r);
	return true;
}

static void
call_range(CallState *s, ValueRange *result)
{
	const DeltaType *type = &s->node->expr->type;
	ValueRange	r = {0};

	if (s->function->range != NULL)
	{
		s->function->range(&s->cx, s->nargs, s->args, s->row, s->out);
		r.may = s->out->may[s->row];
		if (s->out->lo)
		{
			r.lo = s->out->lo[s->row];
			r.hi = s->out->hi[s->row];
		}
	}
	else if (call_monotone(s, result))
		return;
	else
		r.may = unknown_result(s);
	deltacc_range_add(type, result, &r);
}

static ValueRange
call_row(CallState *s)
{
	ValueRange	result = {0};
	ValueRange	by_points;

	for (int i = 0; i < s->nargs; i++)
		s->ranges[i] = block_get(&s->args[i], s->row);

	if (s->function->properties & FN_NULL_IN_NULL_OUT)
	{
		if (!pass_nulls(s, &result))
			return result;
	}
	else
	{
		for (int i = 0; i < s->nargs; i++)
		{
			/* one that fails for sure fails the whole */
			if (s->ranges[i].may == MAY_ERROR && !(s->function->properties & FN_LAZY))
				return s->ranges[i];
			result.may |= s->ranges[i].may & MAY_ERROR;
			s->ranges[i].may &= ~MAY_ERROR;
		}
	}

	by_points = result;
	if (call_points(s, &by_points))
	{
		s->calls->points++;
		return by_points;
	}
	s->calls->ranges++;
	call_range(s, &result);
	return result;
}

void
deltacc_eval_call(Eval *ev, EvalNode *node, Block *out)
{
	int			n = eval_rows(ev, node);
	CallState	s = {.ev = ev,.node = node,.out = out};

	s.function = node->expr->function;
	s.calls = deltacc_function_calls(s.function);
	s.nargs = node->nargs;
	s.cx.call = node->expr;
	s.cx.options = ev->options;
	s.args = palloc0(sizeof(Block) * Max(s.nargs, 1));
	s.ranges = palloc0(sizeof(ValueRange) * Max(s.nargs, 1));
	s.choices = palloc0(sizeof(int) * Max(s.nargs, 1));
	s.values = palloc0(sizeof(DeltaScalar) * Max(s.nargs, 1));
	s.is_null = palloc0(sizeof(bool) * Max(s.nargs, 1));
	for (int i = 0; i < s.nargs; i++)
		deltacc_eval_node(ev, node->args[i], &s.args[i]);

	deltacc_eval_result(ev, node, out);
	for (s.row = 0; s.row < n; s.row++)
	{
		if (s.row % 64 == 0)
			CHECK_FOR_INTERRUPTS();
		block_set(out, s.row, call_row(&s));
	}
	deltacc_block_finish(out);
}
