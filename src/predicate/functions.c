/*-------------------------------------------------------------------------
 *
 * functions.c
 *	  The function table: looking up, and what its files share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/memutils.h"

#include "base/nearest.h"
#include "predicate/coerce.h"
#include "predicate/functions_support.h"

static const FunctionDef *const tables[] = {
	deltacc_arithmetic_functions,
	deltacc_number_functions,
	deltacc_conditional_functions,
	deltacc_string_functions,
	deltacc_bytes_functions,
	deltacc_pattern_functions,
	deltacc_regex_functions,
	deltacc_array_functions,
	deltacc_text_functions,
	deltacc_mask_functions,
	deltacc_to_char_functions,
	deltacc_url_functions,
	deltacc_trigonometry_functions,
	deltacc_date_functions,
	deltacc_timestamp_functions,
	deltacc_format_functions,
	deltacc_hash_functions,
	deltacc_opaque_functions,
};

/* All of them in one array, sorted by name; made on the first look-up. */
static FunctionDef *functions = NULL;
static int	nfunctions = 0;
static FunctionCalls *calls;

static int
compare_by_name(const void *a, const void *b)
{
	return strcmp(((const FunctionDef *) a)->name, ((const FunctionDef *) b)->name);
}

static void
collect(void)
{
	FunctionDef *all;
	int			n = 0;

	for (int t = 0; t < lengthof(tables); t++)
	{
		for (const FunctionDef *f = tables[t]; f->name != NULL; f++)
			n++;
	}
	all = MemoryContextAlloc(TopMemoryContext, sizeof(FunctionDef) * n);
	n = 0;
	for (int t = 0; t < lengthof(tables); t++)
	{
		for (const FunctionDef *f = tables[t]; f->name != NULL; f++)
			all[n++] = *f;
	}
	qsort(all, n, sizeof(FunctionDef), compare_by_name);
	calls = MemoryContextAllocZero(TopMemoryContext, sizeof(FunctionCalls) * n);
	nfunctions = n;
	functions = all;
}

const FunctionDef *
deltacc_function_find(const char *name, int len)
{
	char		lower[NAMEDATALEN];
	FunctionDef key = {.name = lower};

	if (len >= (int) sizeof(lower))
		return NULL;
	if (functions == NULL)
		collect();
	for (int i = 0; i < len; i++)
		lower[i] = pg_ascii_tolower((unsigned char) name[i]);
	lower[len] = '\0';
	return bsearch(&key, functions, nfunctions, sizeof(FunctionDef), compare_by_name);
}

const char *
deltacc_function_suggest(const char *name, int len)
{
	char	   *called;
	const char *best = NULL;
	int			limit = Min(len / 3, 2);

	if (len >= NAMEDATALEN)
		return NULL;
	if (functions == NULL)
		collect();
	called = pnstrdup(name, len);
	for (int i = 0; i < nfunctions && limit > 0; i++)
	{
		int			distance;

		if ((functions[i].properties & (FN_INTERNAL | FN_UNLISTED)) || functions[i].name[0] < 'a' || functions[i].name[0] > 'z')
			continue;
		distance = deltacc_name_distance(called, functions[i].name, limit);
		if (distance <= limit)
		{
			best = functions[i].name;
			limit = distance - 1;
		}
	}
	return best;
}

const FunctionDef *
deltacc_function_table(int *n)
{
	if (functions == NULL)
		collect();
	*n = nfunctions;
	return functions;
}

FunctionCalls *
deltacc_function_calls(const FunctionDef *function)
{
	return &calls[function - functions];
}

bool
deltacc_resolve_fixed(int nargs, DeltaExpr **args, int nkinds, const DeltaKind *kinds)
{
	for (int i = 0; i < nargs; i++)
	{
		DeltaKind	kind = kinds[Min(i, nkinds - 1)];

		if (kind != DELTA_OTHER && !deltacc_implicit_cast(&args[i], deltacc_type(kind)))
			return false;
	}
	return true;
}

bool
deltacc_resolve_number(DeltaExpr **arg)
{
	DeltaKind	kind = (*arg)->type.kind;

	if (kind == DELTA_DECIMAL || kind == DELTA_DOUBLE || kind == DELTA_LONG)
		return true;
	return deltacc_implicit_cast(arg, deltacc_type(DELTA_IS_INTEGRAL_KIND(kind) ? DELTA_LONG : DELTA_DOUBLE));
}

PointResult
deltacc_point_error(DeltaCallContext *cx, const char *error_class)
{
	cx->error_class = error_class;
	return POINT_ERROR;
}

ValueRange
deltacc_arg_values(const Block *arg, int row)
{
	ValueRange	r = block_get(arg, row);

	r.may &= ~(MAY_NULL | MAY_ERROR);
	return r;
}

void
deltacc_set_range(Block *out, int row, ValueRange r)
{
	block_set(out, row, r);
}

void
deltacc_set_int64_range(Block *out, int row, int64 lo, int64 hi)
{
	ValueRange	r = {.may = RANGE_CLOSED,.lo.i = lo,.hi.i = hi};

	block_set(out, row, r);
}

void
deltacc_set_unknown(Block *out, int row, uint8 may)
{
	ValueRange	r = {.may = VALUE_BITS(out->type.kind) | may};

	block_set(out, row, r);
}

void
deltacc_int64_limits(DeltaKind kind, int64 *least, int64 *greatest)
{
	switch (kind)
	{
		case DELTA_BYTE:
			*least = PG_INT8_MIN;
			*greatest = PG_INT8_MAX;
			break;
		case DELTA_SHORT:
			*least = PG_INT16_MIN;
			*greatest = PG_INT16_MAX;
			break;
		case DELTA_INTEGER:
		case DELTA_DATE:
		case DELTA_INTERVAL_MONTHS:
			*least = PG_INT32_MIN;
			*greatest = PG_INT32_MAX;
			break;
		default:
			*least = PG_INT64_MIN;
			*greatest = PG_INT64_MAX;
			break;
	}
}

static bool
is_finite(const DeltaType *type, DeltaScalar v)
{
	return !DELTA_IS_DOUBLE_KIND(type->kind) || isfinite(v.d);
}

ValueRange
deltacc_corners(DeltaCallContext *cx, int nargs, const Block *args, int row,
				PointResult (*point) (DeltaCallContext *, int, const DeltaScalar *,
									  const bool *, DeltaScalar *),
				uint8 may_fail)
{
	const DeltaType *type = &cx->call->type;
	ValueRange	unbounded = {.may = MAY_VALUE | may_fail};
	ValueRange	hull = {0};
	ValueRange	ends[4];
	DeltaScalar values[4];
	bool		is_null[4] = {false};

	Assert(nargs <= 4);
	for (int i = 0; i < nargs; i++)
	{
		ends[i] = deltacc_arg_values(&args[i], row);
		if ((ends[i].may & HAS_BOTH) != HAS_BOTH ||
			!is_finite(&args[i].type, ends[i].lo) || !is_finite(&args[i].type, ends[i].hi))
			return unbounded;
	}
	for (int corner = 0; corner < (1 << nargs); corner++)
	{
		DeltaScalar value = {0};
		ValueRange	r;

		for (int i = 0; i < nargs; i++)
			values[i] = (corner & (1 << i)) ? ends[i].hi : ends[i].lo;
		if (point(cx, nargs, values, is_null, &value) != POINT_VALUE ||
			(DELTA_IS_DOUBLE_KIND(type->kind) && isnan(value.d)))
			return unbounded;
		r = deltacc_range_point(type, value);
		deltacc_range_add(type, &hull, &r);
	}
	return hull;
}
