/*-------------------------------------------------------------------------
 *
 * deletion_vector.c
 *	  Deletion vectors: descriptor, Z85, checksum.
 *
 * DeletionVectorDescriptor, Base85Codec and DeletionVectorStore of Delta.  A
 * descriptor and what it points to come from outside: every length is compared
 * with what is there, and the bytes with their checksum, before a bit of them
 * counts.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/hex.h"
#include "delta/deletion_vector.h"
#include "mb/pg_wchar.h"
#include "utils/memutils.h"
#include "utils/pg_crc.h"

/* A uuid in Z85. */
#define ENCODED_UUID 20

/* The alphabet of Z85 (ZeroMQ RFC 32). */
static const char z85[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/* ----- Z85 ----- */

static int
z85_digit(char c)
{
	const char *p = c ? strchr(z85, c) : NULL;

	return p ? (int) (p - z85) : -1;
}

/* Decodes len characters into len / 5 * 4 bytes; false if they are no Z85. */
static bool
z85_decode(const char *text, int len, uint8 *bytes)
{
	if (len % 5 != 0)
		return false;
	for (int i = 0; i < len; i += 5)
	{
		uint64		block = 0;

		for (int k = 0; k < 5; k++)
		{
			int			digit = z85_digit(text[i + k]);

			if (digit < 0)
				return false;
			block = block * 85 + digit;
		}
		if (block > PG_UINT32_MAX)
			return false;
		*bytes++ = (uint8) (block >> 24);
		*bytes++ = (uint8) (block >> 16);
		*bytes++ = (uint8) (block >> 8);
		*bytes++ = (uint8) block;
	}
	return true;
}

/* Appends bytes as Z85, padded with zero bytes to a multiple of four. */
static void
z85_encode(StringInfo out, const uint8 *bytes, int len)
{
	for (int i = 0; i < len; i += 4)
	{
		uint32		block = 0;
		char		digits[5];

		for (int k = 0; k < 4; k++)
			block = block << 8 | (i + k < len ? bytes[i + k] : 0);
		for (int k = 4; k >= 0; k--)
		{
			digits[k] = z85[block % 85];
			block /= 85;
		}
		appendBinaryStringInfo(out, digits, 5);
	}
}

/* ----- the descriptor ----- */

static bool
string_member(const JsonSlice *object, const char *name, StringInfo out)
{
	JsonSlice	value;

	if (!deltacc_json_member(object, name, &value) || value.kind != JSON_STRING)
		return false;
	initStringInfo(out);
	deltacc_json_unescape(out, &value);
	return strlen(out->data) == out->len;
}

/* A number of Java's int, not negative (a long where max says so). */
static bool
number_member(const JsonSlice *object, const char *name, int64 max, int64 *result)
{
	JsonSlice	value;

	return deltacc_json_member(object, name, &value) && value.kind == JSON_NUMBER &&
		deltacc_json_int64(&value, result) && *result >= 0 && *result <= max;
}

bool
deltacc_deletion_vector_read(const JsonSlice *object, DeletionVector *dv, const char **why)
{
	StringInfoData storage,
				text;
	JsonSlice	offset;
	bool		has_offset;

	if (object->kind != JSON_OBJECT)
	{
		*why = "it is no object";
		return false;
	}
	if (!string_member(object, "storageType", &storage) || storage.len != 1 ||
		strchr("iup", storage.data[0]) == NULL)
	{
		*why = "its storageType is none of i, u and p";
		return false;
	}
	if (!string_member(object, "pathOrInlineDv", &text))
	{
		*why = "it has no pathOrInlineDv";
		return false;
	}
	dv->storage = storage.data[0];
	dv->text = text.data;

	has_offset = deltacc_json_member(object, "offset", &offset) && offset.kind != JSON_NULL;
	dv->offset = 1;				/* behind the version byte */
	if (has_offset && !number_member(object, "offset", PG_INT32_MAX, &dv->offset))
	{
		*why = "its offset is no place in a file";
		return false;
	}
	if (!number_member(object, "sizeInBytes", PG_INT32_MAX, &dv->size))
	{
		*why = "it has no sizeInBytes";
		return false;
	}
	if (!number_member(object, "cardinality", PG_INT64_MAX, &dv->cardinality))
	{
		*why = "it has no cardinality";
		return false;
	}
	dv->id = has_offset ? psprintf("%c%s@" INT64_FORMAT, dv->storage, dv->text, dv->offset) :
		psprintf("%c%s", dv->storage, dv->text);
	return true;
}

bool
deltacc_deletion_vector_in_file(const DeletionVector *dv)
{
	return dv->storage != 'i' && dv->cardinality > 0;
}

/* ----- where it lies ----- */

/* A URI's path, percent-decoded once; NULL if that is no text. */
static char *
decode_uri(const char *uri)
{
	char	   *result = palloc(strlen(uri) + 1);
	char	   *out = result;

	while (*uri != '\0')
	{
		int			high = *uri == '%' ? deltacc_hex_digit(uri[1]) : -1;
		int			low = high >= 0 ? deltacc_hex_digit(uri[2]) : -1;

		if (low >= 0)
		{
			*out++ = (char) (high << 4 | low);
			if (out[-1] == '\0')
				return NULL;
			uri += 3;
		}
		else
			*out++ = *uri++;
	}
	*out = '\0';
	if (pg_encoding_verifymbstr(PG_UTF8, result, out - result) != out - result)
		return NULL;
	return result;
}

/*
 * A path or a URI with "file:" as a path of the file system; NULL for any other
 * scheme.  What is written as a plain path is taken as it stands, unless it is a
 * URI by nature.
 */
static char *
local_path(const char *text, bool is_uri)
{
	const char *p = text;

	while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
		   *p == '+' || *p == '-' || *p == '.')
		p++;
	if (p > text && p[0] == ':' && p[1] == '/')
	{
		if (p - text != 4 || pg_strncasecmp(text, "file", 4) != 0)
			return NULL;
		text = p + 1;
		if (strncmp(text, "///", 3) == 0)
			text += 2;
		else if (strncmp(text, "//", 2) == 0)
			return NULL;		/* of another host */
		is_uri = true;
	}
	return is_uri ? decode_uri(text) : pstrdup(text);
}

/* The random prefix is a directory in that of the table, no way out of it. */
static bool
plain_directory(const char *prefix, int len)
{
	for (int i = 0; i < len; i++)
	{
		if (prefix[i] == '/' || prefix[i] == '\\' || (unsigned char) prefix[i] < 0x20)
			return false;
	}
	return len < 256 && !(len > 0 && prefix[0] == '.');
}

static char *
uuid_path(const DeletionVector *dv, const char *location, const char **why)
{
	int			prefix = (int) strlen(dv->text) - ENCODED_UUID;
	uint8		u[16];
	char	   *directory;

	if (prefix < 0 || !z85_decode(dv->text + prefix, ENCODED_UUID, u))
	{
		*why = "its last 20 characters are no uuid in Z85";
		return NULL;
	}
	if (!plain_directory(dv->text, prefix))
	{
		*why = "what stands before its uuid is no directory of the table";
		return NULL;
	}
	if (location == NULL)
	{
		*why = "it lies in the table's directory, and where that is is not known";
		return NULL;
	}
	directory = local_path(location, false);
	if (directory == NULL)
	{
		*why = "the table lies in no file system of the server";
		return NULL;
	}
	return psprintf("%s%s%.*s%sdeletion_vector_"
					"%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x.bin",
					directory, directory[0] && directory[strlen(directory) - 1] == '/' ? "" : "/",
					prefix, dv->text, prefix > 0 ? "/" : "",
					u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7],
					u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]);
}

char *
deltacc_deletion_vector_path(const DeletionVector *dv, const char *location, const char **why)
{
	char	   *path;

	switch (dv->storage)
	{
		case 'u':
			return uuid_path(dv, location, why);
		case 'p':
			path = local_path(dv->text, true);
			if (path != NULL && path[0] == '/')
				return path;
			*why = "its path is none of the server's file system";
			return NULL;
		default:
			*why = "it is inline";
			return NULL;
	}
}

/* ----- its rows ----- */

static uint32
load_big_endian(const uint8 *p)
{
	return (uint32) p[0] << 24 | (uint32) p[1] << 16 | (uint32) p[2] << 8 | (uint32) p[3];
}

static uint32
checksum(const uint8 *data, Size len)
{
	uint32		crc;

	INIT_TRADITIONAL_CRC32(crc);
	COMP_TRADITIONAL_CRC32(crc, data, len);
	FIN_TRADITIONAL_CRC32(crc);
	return crc;
}

static const uint8 *
inline_data(const DeletionVector *dv, const char **why)
{
	int			len = (int) strlen(dv->text);
	Size		decoded = (Size) len / 5 * 4;
	uint8	   *data;

	/* Padding makes it longer by three bytes at most. */
	if (decoded < dv->size || decoded - dv->size > 3)
	{
		*why = "its text has another length than sizeInBytes says";
		return NULL;
	}
	data = palloc(Max(decoded, 1));
	if (!z85_decode(dv->text, len, data))
	{
		*why = "it is no Z85";
		return NULL;
	}
	return data;
}

static const uint8 *
framed_data(const DeletionVector *dv, const uint8 *frame, Size len, const char **why)
{
	if (len != (Size) dv->size + DELETION_VECTOR_FRAME)
	{
		*why = "there are not as many bytes as sizeInBytes says";
		return NULL;
	}
	if (load_big_endian(frame) != dv->size)
	{
		*why = "its size in the file is not sizeInBytes";
		return NULL;
	}
	if (load_big_endian(frame + 4 + dv->size) != checksum(frame + 4, dv->size))
	{
		*why = "its checksum is wrong";
		return NULL;
	}
	return frame + 4;
}

RowSet *
deltacc_deletion_vector_rows(const DeletionVector *dv, const uint8 *frame, Size len, const char **why)
{
	const uint8 *data;
	RowSet	   *rows;

	/* As Delta, which does not look at such a one. */
	if (dv->cardinality == 0)
		return deltacc_row_set_empty();
	data = dv->storage == 'i' ? inline_data(dv, why) : framed_data(dv, frame, len, why);
	if (data == NULL)
		return NULL;
	rows = deltacc_row_set_parse(data, dv->size, why);
	if (rows != NULL && rows->cardinality != dv->cardinality)
	{
		*why = "it holds another number of rows than its cardinality says";
		return NULL;
	}
	return rows;
}

char *
deltacc_deletion_vector_inline(const RowSet *rows)
{
	StringInfoData data,
				text,
				out;

	initStringInfo(&data);
	deltacc_row_set_serialize(&data, rows);
	initStringInfo(&text);
	z85_encode(&text, (uint8 *) data.data, data.len);
	initStringInfo(&out);
	appendStringInfoString(&out, "{\"storageType\":\"i\",\"pathOrInlineDv\":");
	deltacc_json_escape(&out, text.data, text.len);
	appendStringInfo(&out, ",\"sizeInBytes\":%d,\"cardinality\":" INT64_FORMAT "}", data.len, rows->cardinality);
	return out.data;
}
