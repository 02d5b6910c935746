/*-------------------------------------------------------------------------
 *
 * value.h
 *	  The types of a Delta table and their values.
 *
 * A value is eight bytes whose meaning its type gives, so that a column of
 * values is a plain array.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_VALUE_H
#define DELTACC_VALUE_H

#include "lib/stringinfo.h"
#include "pgtime.h"
#include "utils/numeric.h"

typedef enum DeltaKind
{
	DELTA_VOID,					/* the type of NULL */
	DELTA_BOOLEAN,
	DELTA_BYTE,
	DELTA_SHORT,
	DELTA_INTEGER,
	DELTA_LONG,
	DELTA_FLOAT,
	DELTA_DOUBLE,
	DELTA_DECIMAL,
	DELTA_STRING,
	DELTA_BINARY,
	DELTA_DATE,
	DELTA_TIMESTAMP,
	DELTA_TIMESTAMP_NTZ,
	DELTA_INTERVAL_MONTHS,		/* year-month interval */
	DELTA_INTERVAL_MICROS,		/* day-time interval */
	DELTA_STRUCT,
	DELTA_ARRAY,
	DELTA_MAP,
	DELTA_VARIANT,
	DELTA_OTHER					/* geometry, anything unknown */
} DeltaKind;

struct DeltaField;

typedef struct DeltaType
{
	DeltaKind	kind;
	int16		precision;		/* DECIMAL */
	int16		scale;			/* DECIMAL */
	int32		char_length;	/* STRING: n of CHAR(n); 0 if it is none */
	bool		collated;		/* STRING with a collation of its own */
	const struct DeltaField *fields;	/* STRUCT */
	int			nfields;
} DeltaType;

/* UTF-8 (or bytes, for BINARY), not terminated; may hold NUL bytes. */
typedef struct DeltaString
{
	int32		len;
	const char *data;
} DeltaString;

typedef union DeltaScalar
{
	int64		i;				/* BOOLEAN 0/1, BYTE..LONG, DATE in days since
								 * 1970, TIMESTAMP[_NTZ] in microseconds since
								 * 1970 (UTC; NTZ: of the local clock),
								 * intervals in months or microseconds */
	double		d;				/* FLOAT (rounded to float4), DOUBLE */
	Numeric		n;				/* DECIMAL */
	const DeltaString *s;		/* STRING, BINARY */
} DeltaScalar;

#define DELTA_IS_INT64_KIND(k) \
	((k) == DELTA_BOOLEAN || ((k) >= DELTA_BYTE && (k) <= DELTA_LONG) || \
	 ((k) >= DELTA_DATE && (k) <= DELTA_INTERVAL_MICROS))
#define DELTA_IS_DOUBLE_KIND(k) ((k) == DELTA_FLOAT || (k) == DELTA_DOUBLE)
#define DELTA_IS_INTEGRAL_KIND(k) ((k) >= DELTA_BYTE && (k) <= DELTA_LONG)
#define DELTA_IS_NUMERIC_KIND(k) ((k) >= DELTA_BYTE && (k) <= DELTA_DECIMAL)
#define DELTA_IS_BYTES_KIND(k) ((k) == DELTA_STRING || (k) == DELTA_BINARY)
#define DELTA_IS_ATOMIC_KIND(k) ((k) != DELTA_STRUCT && (k) != DELTA_ARRAY && (k) != DELTA_MAP && \
	 (k) != DELTA_VARIANT && (k) != DELTA_OTHER)

extern DeltaType deltacc_type(DeltaKind kind);
extern DeltaType deltacc_decimal_type(int precision, int scale);
extern bool deltacc_type_equal(const DeltaType *a, const DeltaType *b);

/*
 * Spark's name of a type as it stands in SQL ("bigint", "decimal(10,2)",
 * "timestamp_ntz").  palloc'd or static.
 */
extern const char *deltacc_type_name(const DeltaType *type);

/*
 * The type that a name of SQL (CAST ... AS name) or of a schemaString
 * ("long", "integer", "decimal(10,2)") means; DELTA_OTHER if it is none.
 */
extern DeltaType deltacc_type_from_name(const char *name, int len);

/*
 * Compares two values of one type: <0, 0, >0.  Strings and binary by unsigned
 * bytes, NaN equal to itself and above all, -0.0 equal to 0.0.  Never raises.
 */
extern int	deltacc_value_compare(const DeltaType *type, DeltaScalar a, DeltaScalar b);

/*
 * Appends a value as Spark SQL would write it as a literal ("3", "'x'",
 * "DATE '2024-01-01'"); timestamps in the zone given.
 */
extern void deltacc_value_print(StringInfo out, const DeltaType *type, DeltaScalar v, pg_tz *tz);

/* A DeltaString in the current memory context over a copy of the bytes. */
extern DeltaScalar deltacc_string_value(const char *data, int len);

#endif							/* DELTACC_VALUE_H */
