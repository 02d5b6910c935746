/*-------------------------------------------------------------------------
 *
 * functions_hash.c
 *	  hash() and xxhash64(): Spark's Murmur3 and its XXH64.
 *
 * From Catalyst's HashExpression, Murmur3_x86_32 (hashUnsafeBytes: the last
 * bytes one by one, each as a signed number) and XXH64.  A NULL leaves the hash
 * as it is; the hash so far is the seed for the next value.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "utils/builtins.h"
#include "utils/fmgrprotos.h"

#include "predicate/functions_support.h"

#define HASH_SEED 42

static inline uint32
rotate(uint32 v, int bits)
{
	return v << bits | v >> (32 - bits);
}

static inline uint32
mix(uint32 hash, uint32 word)
{
	word = rotate(word * 0xcc9e2d51, 15) * 0x1b873593;
	return rotate(hash ^ word, 13) * 5 + 0xe6546b64;
}

static inline uint32
finish(uint32 hash, uint32 length)
{
	hash ^= length;
	hash = (hash ^ hash >> 16) * 0x85ebca6b;
	hash = (hash ^ hash >> 13) * 0xc2b2ae35;
	return hash ^ hash >> 16;
}

static uint64
murmur_int(uint64 seed, uint32 v)
{
	return finish(mix((uint32) seed, v), 4);
}

static uint64
murmur_long(uint64 seed, uint64 v)
{
	return finish(mix(mix((uint32) seed, (uint32) v), (uint32) (v >> 32)), 8);
}

static uint64
murmur_bytes(uint64 seed, const char *data, int len)
{
	uint32		hash = (uint32) seed;
	int			i = 0;

	for (; i + 4 <= len; i += 4)
	{
		const uint8 *b = (const uint8 *) data + i;

		hash = mix(hash, b[0] | b[1] << 8 | b[2] << 16 | (uint32) b[3] << 24);
	}
	for (; i < len; i++)
		hash = mix(hash, (uint32) (int32) (int8) data[i]);
	return finish(hash, len);
}

/* ----- XXH64 ----- */

#define PRIME_1	UINT64CONST(0x9E3779B185EBCA87)
#define PRIME_2	UINT64CONST(0xC2B2AE3D27D4EB4F)
#define PRIME_3	UINT64CONST(0x165667B19E3779F9)
#define PRIME_4	UINT64CONST(0x85EBCA77C2B2AE63)
#define PRIME_5	UINT64CONST(0x27D4EB2F165667C5)

static inline uint64
rotate64(uint64 v, int bits)
{
	return v << bits | v >> (64 - bits);
}

static inline uint64
xx_finish(uint64 hash)
{
	hash = (hash ^ hash >> 33) * PRIME_2;
	hash = (hash ^ hash >> 29) * PRIME_3;
	return hash ^ hash >> 32;
}

static inline uint64
xx_round(uint64 acc, uint64 v)
{
	return rotate64(acc + v * PRIME_2, 31) * PRIME_1;
}

static inline uint64
xx_add_int(uint64 hash, uint32 v)
{
	return rotate64(hash ^ v * PRIME_1, 23) * PRIME_2 + PRIME_3;
}

static inline uint64
xx_add_long(uint64 hash, uint64 v)
{
	return rotate64(hash ^ xx_round(0, v), 27) * PRIME_1 + PRIME_4;
}

static uint64
xx_int(uint64 seed, uint32 v)
{
	return xx_finish(xx_add_int(seed + PRIME_5 + 4, v));
}

static uint64
xx_long(uint64 seed, uint64 v)
{
	return xx_finish(xx_add_long(seed + PRIME_5 + 8, v));
}

/* Little-endian, of any alignment. */
static inline uint64
read_bytes(const char *data, int n)
{
	uint64		v = 0;

	for (int i = n - 1; i >= 0; i--)
		v = v << 8 | (uint8) data[i];
	return v;
}

static uint64
xx_bytes(uint64 seed, const char *data, int len)
{
	uint64		hash = seed + PRIME_5;
	int			i = 0;

	if (len >= 32)
	{
		uint64		acc[4] = {seed + PRIME_1 + PRIME_2, seed + PRIME_2, seed, seed - PRIME_1};

		for (; i + 32 <= len; i += 32)
		{
			for (int k = 0; k < 4; k++)
				acc[k] = xx_round(acc[k], read_bytes(data + i + k * 8, 8));
		}
		hash = rotate64(acc[0], 1) + rotate64(acc[1], 7) + rotate64(acc[2], 12) + rotate64(acc[3], 18);
		for (int k = 0; k < 4; k++)
			hash = (hash ^ xx_round(0, acc[k])) * PRIME_1 + PRIME_4;
	}
	hash += (uint64) len;
	for (; i + 8 <= len; i += 8)
		hash = xx_add_long(hash, read_bytes(data + i, 8));
	if (i + 4 <= len)
	{
		hash = xx_add_int(hash, (uint32) read_bytes(data + i, 4));
		i += 4;
	}
	for (; i < len; i++)
		hash = rotate64(hash ^ (uint8) data[i] * PRIME_5, 11) * PRIME_1;
	return xx_finish(hash);
}

/* ----- values ----- */

typedef struct Hasher
{
	uint64		(*of_int) (uint64 seed, uint32 v);
	uint64		(*of_long) (uint64 seed, uint64 v);
	uint64		(*of_bytes) (uint64 seed, const char *data, int len);
} Hasher;

static const Hasher murmur = {murmur_int, murmur_long, murmur_bytes};
static const Hasher xx = {xx_int, xx_long, xx_bytes};

/*
 * The unscaled value: a long up to 18 digits, else the least number of bytes
 * that hold it, the highest first (BigInteger.toByteArray).
 */
static uint64
hash_decimal(const Hasher *h, uint64 hash, const DeltaType *type, Numeric n)
{
	Datum		rounded = DirectFunctionCall2(numeric_round, NumericGetDatum(n), Int32GetDatum(type->scale));
	const char *p = DatumGetCString(DirectFunctionCall1(numeric_out, rounded));
	bool		negative = *p == '-';
	int128		unscaled = 0;
	char		bytes[16];
	int			len = 1;

	for (; *p != '\0'; p++)
	{
		if (*p >= '0' && *p <= '9')
			unscaled = unscaled * 10 + (*p - '0');
	}
	if (negative)
		unscaled = -unscaled;
	if (type->precision <= 18)
		return h->of_long(hash, (uint64) unscaled);
	while (len < 16 && unscaled >> (len * 8 - 1) != (negative && unscaled != 0 ? -1 : 0))
		len++;
	for (int i = 0; i < len; i++)
		bytes[i] = (char) (unscaled >> (len - 1 - i) * 8);
	return h->of_bytes(hash, bytes, len);
}

/* Equal values have equal bits: of the zeros the positive one, one NaN. */
static uint64
hash_double(const Hasher *h, uint64 hash, bool is_float, double v)
{
	if (is_float)
	{
		float		f = v == 0 ? 0 : (float) v;
		uint32		bits = 0x7fc00000;

		if (!isnan(v))
			memcpy(&bits, &f, sizeof(bits));
		return h->of_int(hash, bits);
	}
	else
	{
		double		d = v == 0 ? 0 : v;
		uint64		bits = UINT64CONST(0x7ff8000000000000);

		if (!isnan(v))
			memcpy(&bits, &d, sizeof(bits));
		return h->of_long(hash, bits);
	}
}

RESOLVE_FUNCTION(resolve_hash)
{
	*type = deltacc_type(self->name[0] == 'x' ? DELTA_LONG : DELTA_INTEGER);
	return true;
}

POINT_FUNCTION(point_hash)
{
	bool		is_long = cx->call->type.kind == DELTA_LONG;
	const Hasher *h = is_long ? &xx : &murmur;
	uint64		hash = HASH_SEED;

	for (int i = 0; i < nargs; i++)
	{
		const DeltaType *type = arg_type(cx, i);

		if (is_null[i])
			continue;
		switch (type->kind)
		{
			case DELTA_BOOLEAN:
			case DELTA_BYTE:
			case DELTA_SHORT:
			case DELTA_INTEGER:
			case DELTA_DATE:
			case DELTA_INTERVAL_MONTHS:
				hash = h->of_int(hash, (uint32) args[i].i);
				break;
			case DELTA_LONG:
			case DELTA_TIMESTAMP:
			case DELTA_TIMESTAMP_NTZ:
			case DELTA_INTERVAL_MICROS:
				hash = h->of_long(hash, (uint64) args[i].i);
				break;
			case DELTA_FLOAT:
			case DELTA_DOUBLE:
				hash = hash_double(h, hash, type->kind == DELTA_FLOAT, args[i].d);
				break;
			case DELTA_DECIMAL:
				hash = hash_decimal(h, hash, type, args[i].n);
				break;
			case DELTA_STRING:
			case DELTA_BINARY:
				/* what a collation calls equal has the same hash */
				if (type->collated || type->char_length > 0)
					return POINT_UNKNOWN;
				hash = h->of_bytes(hash, args[i].s->data, args[i].s->len);
				break;
			default:
				return POINT_UNKNOWN;
		}
	}
	result->i = is_long ? (int64) hash : (int64) (int32) hash;
	return POINT_VALUE;
}

const FunctionDef deltacc_hash_functions[] = {
	{"hash", 1, -1, FN_NEVER_FAILS | FN_NEVER_NULL, resolve_hash, point_hash},
	{"xxhash64", 1, -1, FN_NEVER_FAILS | FN_NEVER_NULL, resolve_hash, point_hash},
	{NULL}
};
