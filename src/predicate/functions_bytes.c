/*-------------------------------------------------------------------------
 *
 * functions_bytes.c
 *	  Hexadecimal digits and checksums.
 *
 * From Catalyst's mathExpressions (Hex, Unhex), misc and hash.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "common/cryptohash.h"
#include "common/md5.h"
#include "common/sha1.h"
#include "common/sha2.h"
#include "utils/pg_crc.h"

#include "base/hex.h"
#include "predicate/coerce.h"
#include "predicate/functions_support.h"

static PointResult
hex_result(DeltaScalar *result, const uint8 *bytes, int len, const char *digits)
{
	char	   *out = palloc((Size) len * 2 + 1);

	for (int i = 0; i < len; i++)
	{
		out[i * 2] = digits[bytes[i] >> 4];
		out[i * 2 + 1] = digits[bytes[i] & 15];
	}
	*result = deltacc_string_value(out, len * 2);
	return POINT_VALUE;
}

/* ----- hex, unhex ----- */

RESOLVE_FUNCTION(resolve_hex)
{
	DeltaKind	kind = args[0]->type.kind;

	*type = deltacc_type(DELTA_STRING);
	if (DELTA_IS_BYTES_KIND(kind))
		return true;
	if (DELTA_IS_NUMERIC_KIND(kind))
	{
		args[0] = deltacc_coerce_to(args[0], deltacc_type(DELTA_LONG));
		return true;
	}
	return deltacc_implicit_cast(&args[0], deltacc_type(DELTA_STRING));
}

POINT_FUNCTION(point_hex)
{
	if (arg_kind(cx, 0) == DELTA_LONG)
	{
		char		digits[17];
		int			len = snprintf(digits, sizeof(digits), "%llX", (unsigned long long) args[0].i);

		*result = deltacc_string_value(digits, len);
		return POINT_VALUE;
	}
	if (args[0].s->len > 1024 * 1024)
		return POINT_UNKNOWN;
	return hex_result(result, (const uint8 *) args[0].s->data, args[0].s->len, "0123456789ABCDEF");
}

RESOLVE_FIXED(resolve_unhex, DELTA_BINARY, DELTA_STRING)

/* NULL for what are no digits; of an odd number the first stands alone. */
POINT_FUNCTION(point_unhex)
{
	const char *s = args[0].s->data;
	int			len = args[0].s->len;
	char	   *out = palloc(len / 2 + 1);
	int			n = 0;
	int			i = 0;

	if (len % 2 != 0)
	{
		int			digit = deltacc_hex_digit(s[i++]);

		if (digit < 0)
			return POINT_NULL;
		out[n++] = (char) digit;
	}
	for (; i < len; i += 2)
	{
		int			high = deltacc_hex_digit(s[i]);
		int			low = deltacc_hex_digit(s[i + 1]);

		if (high < 0 || low < 0)
			return POINT_NULL;
		out[n++] = (char) (high << 4 | low);
	}
	*result = deltacc_string_value(out, n);
	return POINT_VALUE;
}

/* ----- checksums: strings by their UTF-8 bytes ----- */

RESOLVE_FIXED(resolve_digest, DELTA_STRING, DELTA_BINARY, DELTA_INTEGER)
RESOLVE_FIXED(resolve_crc32, DELTA_LONG, DELTA_BINARY)

static PointResult
digest(DeltaScalar *result, pg_cryptohash_type type, int size, const DeltaString *data)
{
	uint8		bytes[PG_SHA512_DIGEST_LENGTH];
	pg_cryptohash_ctx *hash = pg_cryptohash_create(type);
	bool		ok;

	if (hash == NULL)
		return POINT_UNKNOWN;
	ok = pg_cryptohash_init(hash) >= 0 &&
		pg_cryptohash_update(hash, (const uint8 *) data->data, data->len) >= 0 &&
		pg_cryptohash_final(hash, bytes, size) >= 0;
	pg_cryptohash_free(hash);
	if (!ok)
		return POINT_UNKNOWN;
	return hex_result(result, bytes, size, "0123456789abcdef");
}

POINT_FUNCTION(point_md5)
{
	return digest(result, PG_MD5, MD5_DIGEST_LENGTH, args[0].s);
}

POINT_FUNCTION(point_sha1)
{
	return digest(result, PG_SHA1, SHA1_DIGEST_LENGTH, args[0].s);
}

POINT_FUNCTION(point_sha2)
{
	switch (args[1].i)
	{
		case 0:
		case 256:
			return digest(result, PG_SHA256, PG_SHA256_DIGEST_LENGTH, args[0].s);
		case 224:
			return digest(result, PG_SHA224, PG_SHA224_DIGEST_LENGTH, args[0].s);
		case 384:
			return digest(result, PG_SHA384, PG_SHA384_DIGEST_LENGTH, args[0].s);
		case 512:
			return digest(result, PG_SHA512, PG_SHA512_DIGEST_LENGTH, args[0].s);
		default:
			return POINT_NULL;
	}
}

/* Hexadecimal digits, as many as of any checksum or more. */
RANGE_FUNCTION(range_digest)
{
	ValueRange	r = {.may = RANGE_CLOSED};

	r.lo = deltacc_string_value("0", 1);
	r.hi = deltacc_string_value("fg", 2);
	if (!(cx->call->function->properties & FN_NEVER_NULL))
		r.may |= MAY_NULL;
	deltacc_set_range(out, row, r);
}

RANGE_FUNCTION(range_crc32)
{
	deltacc_set_int64_range(out, row, 0, PG_UINT32_MAX);
}

POINT_FUNCTION(point_crc32)
{
	pg_crc32	crc;

	INIT_TRADITIONAL_CRC32(crc);
	COMP_TRADITIONAL_CRC32(crc, args[0].s->data, args[0].s->len);
	FIN_TRADITIONAL_CRC32(crc);
	result->i = (int64) crc;
	return POINT_VALUE;
}

#define PURE		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS | FN_NEVER_NULL)
#define STRICT		(FN_NULL_IN_NULL_OUT | FN_NEVER_FAILS)

const FunctionDef deltacc_bytes_functions[] = {
	{"hex", 1, 1, PURE, resolve_hex, point_hex},
	{"unhex", 1, 1, STRICT, resolve_unhex, point_unhex},
	{"md5", 1, 1, PURE, resolve_digest, point_md5, range_digest},
	{"sha", 1, 1, PURE, resolve_digest, point_sha1, range_digest},
	{"sha1", 1, 1, PURE, resolve_digest, point_sha1, range_digest},
	{"sha2", 2, 2, STRICT, resolve_digest, point_sha2, range_digest},
	{"crc32", 1, 1, PURE, resolve_crc32, point_crc32, range_crc32},
	{NULL}
};
