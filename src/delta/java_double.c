/*-------------------------------------------------------------------------
 *
 * java_double.c
 *	  Double.toString and Float.toString as they were before JDK 19: not
 *	  always the shortest text.
 *
 * Spark 4 runs on JDK 17 and 21, and a query can't tell which.  What the two
 * print differently (1.9999999999999998E23 and 2.0E23) is not known here.
 *
 * From jdk.internal.math.FloatingDecimal: digits are made one by one until the
 * rest is less than half of the distance to the next value, which is taken to
 * be less than it is for powers of two; whole numbers past 2^53 lose digits by a
 * table; and there are always two digits where an exponent is printed.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <math.h>

#include "delta/java_double.h"

#define FRACTION_BITS	52
#define EXPONENT_BIAS	1023
#define SMALLEST_EXPONENT	(-21)	/* within these, whole numbers are easy */
#define GREATEST_EXPONENT	62
#define MAX_WORDS		80

/* How many bits 5^n has. */
static const int bits_of_5_pow[] = {
	0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59, 61
};

/* How many digits of a whole number of so many bits past the fraction count for
 * nothing. */
static const int insignificant_digits[] = {
	0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5, 6, 6, 6, 6, 7, 7, 7, 8, 8, 8, 9, 9, 9, 9, 10, 10, 10,
	11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 14, 14, 14, 15, 15, 15, 15, 16, 16, 16, 17, 17, 17, 18, 18, 18, 19
};

/* ----- whole numbers of any size, the lowest word first ----- */

typedef struct Big
{
	int			n;
	uint32		words[MAX_WORDS];
} Big;

static void
big_set(Big *b, uint64 v)
{
	b->n = 0;
	for (; v != 0; v >>= 32)
		b->words[b->n++] = (uint32) v;
}

static void
big_multiply(Big *b, uint32 factor)
{
	uint64		carry = 0;

	for (int i = 0; i < b->n; i++)
	{
		carry += (uint64) b->words[i] * factor;
		b->words[i] = (uint32) carry;
		carry >>= 32;
	}
	if (carry != 0 && b->n < MAX_WORDS)
		b->words[b->n++] = (uint32) carry;
}

/* b * 5^fives * 2^twos */
static void
big_scale(Big *b, int fives, int twos)
{
	for (int i = 0; i < fives; i++)
		big_multiply(b, 5);
	for (; twos > 0; twos -= Min(twos, 31))
		big_multiply(b, (uint32) 1 << Min(twos, 31));
}

static int
big_compare(const Big *a, const Big *b)
{
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	for (int i = a->n - 1; i >= 0; i--)
	{
		if (a->words[i] != b->words[i])
			return a->words[i] < b->words[i] ? -1 : 1;
	}
	return 0;
}

static void
big_subtract(Big *a, const Big *b)
{
	int64		borrow = 0;

	for (int i = 0; i < a->n; i++)
	{
		borrow += (int64) a->words[i] - (i < b->n ? b->words[i] : 0);
		a->words[i] = (uint32) borrow;
		borrow >>= 32;
	}
	while (a->n > 0 && a->words[a->n - 1] == 0)
		a->n--;
}

static void
big_add(Big *sum, const Big *a, const Big *b)
{
	uint64		carry = 0;
	int			n = Max(a->n, b->n);

	for (int i = 0; i < n; i++)
	{
		carry += (uint64) (i < a->n ? a->words[i] : 0) + (i < b->n ? b->words[i] : 0);
		sum->words[i] = (uint32) carry;
		carry >>= 32;
	}
	sum->n = n;
	if (carry != 0 && n < MAX_WORDS)
		sum->words[sum->n++] = (uint32) carry;
}

/* The quotient, a digit; b becomes ten times the remainder. */
static int
next_digit(Big *b, const Big *s)
{
	int			q = 0;

	while (big_compare(b, s) >= 0)
	{
		big_subtract(b, s);
		q++;
	}
	big_multiply(b, 10);
	return q;
}

/* ----- digits ----- */

/* A whole number without its last, insignificant digits. */
static void
whole_digits(uint64 value, int insignificant, JavaDigits *d)
{
	char		text[32];

	d->exponent = 0;
	if (insignificant != 0)
	{
		uint64		pow10 = 1;
		uint64		rest;

		for (int i = 0; i < insignificant; i++)
			pow10 *= 10;
		rest = value % pow10;
		value = value / pow10 + (rest >= pow10 / 2 ? 1 : 0);
	}
	d->ndigits = snprintf(text, sizeof(text), UINT64_FORMAT, value);
	d->exponent = d->ndigits - 1 + insignificant;
	memcpy(d->digits, text, d->ndigits);
}

/* The digits are rounded up by one of the last. */
static void
round_up(JavaDigits *d)
{
	int			i = d->ndigits - 1;

	while (i >= 0 && d->digits[i] == '9')
		d->digits[i--] = '0';
	if (i >= 0)
		d->digits[i]++;
	else
	{
		d->digits[0] = '1';
		d->exponent++;
	}
}

static int
pow5_bits(int n)
{
	return n < lengthof(bits_of_5_pow) ? bits_of_5_pow[n] : n * 3;
}

/* A value whose digits are being made: b / s. */
typedef struct Digits
{
	Big			b;
	Big			s;
	Big			m;				/* half the distance to the next value, times s */
	Big			tens;			/* ten times s */
	bool		small;			/* all of it fits into 64 bits: FloatingDecimal then
								 * stops only past the middle */
	bool		low;			/* the rest is less than m ... */
	bool		high;			/* ... and this much below the next digit */
} Digits;

/*
 * Sets b, s and m for a value of nbits bits (fraction without the zeros behind),
 * tiny of them behind the point; returns the exponent of ten as it is estimated:
 * never too low, and at most one too high.
 */
static int
start_digits(Digits *v, int exponent, uint64 fraction, int significant, int zeros, int nbits, int tiny)
{
	double		estimate = ((double) fraction / ((uint64) 1 << FRACTION_BITS) - 1.5) * 0.289529654 + 0.176091259 +
		(double) exponent * 0.301029995663981;
	int			dec = (int) floor(estimate);
	int			b5 = Max(0, -dec);
	int			b2 = b5 + tiny + exponent;
	int			s5 = Max(0, dec);
	int			s2 = s5 + tiny;
	int			m2 = b2 - significant;
	int			common;

	b2 -= nbits - 1;
	common = Min(b2, s2);
	b2 -= common;
	s2 -= common;
	m2 -= common;
	if (nbits == 1)
		m2 -= 1;				/* below a power of two they are closer */
	if (m2 < 0)
	{
		b2 -= m2;
		s2 -= m2;
		m2 = 0;
	}
	v->small = nbits + b2 + pow5_bits(b5) < 64 && s2 + 1 + pow5_bits(s5 + 1) < 64;

	big_set(&v->b, fraction >> zeros);
	big_scale(&v->b, b5, b2);
	big_set(&v->s, 1);
	big_scale(&v->s, s5, s2);
	big_set(&v->m, 1);
	big_scale(&v->m, b5, m2);
	v->tens = v->s;
	big_multiply(&v->tens, 10);
	return dec;
}

/* The next digit, and whether the rest of them is needed. */
static int
step(Digits *v)
{
	int			q = next_digit(&v->b, &v->s);
	Big			sum;

	big_multiply(&v->m, 10);
	v->low = big_compare(&v->b, &v->m) < 0;
	big_add(&sum, &v->b, &v->m);
	v->high = big_compare(&sum, &v->tens) >= (v->small ? 1 : 0);
	return q;
}

/* Is the rest more than half of the last digit, or half of it and that odd? */
static bool
rounds_up(Digits *v, const JavaDigits *d)
{
	int			middle;

	if (!v->high || !v->low)
		return v->high;
	big_multiply(&v->b, 2);
	middle = big_compare(&v->b, &v->tens);
	return middle > 0 || (middle == 0 && (d->digits[d->ndigits - 1] - '0') % 2 != 0);
}

/*
 * The value is fraction * 2^(exponent - 52), its highest bit set; significant
 * is how many bits of it the type has.
 */
static void
make_digits(int exponent, uint64 fraction, int significant, JavaDigits *d)
{
	Digits		v;
	int			zeros = 0;
	int			nbits;
	int			tiny;
	int			q;

	while ((fraction >> zeros & 1) == 0)
		zeros++;
	nbits = FRACTION_BITS + 1 - zeros;
	tiny = Max(0, nbits - exponent - 1);
	if (exponent <= GREATEST_EXPONENT && exponent >= SMALLEST_EXPONENT && tiny == 0)
	{
		int			past = exponent - significant - 1;
		int			insignificant = exponent > significant && past > 1 && past < lengthof(insignificant_digits) ?
			insignificant_digits[past] : 0;

		whole_digits(exponent >= FRACTION_BITS ? fraction << (exponent - FRACTION_BITS) :
					 fraction >> (FRACTION_BITS - exponent), insignificant, d);
		return;
	}

	d->exponent = start_digits(&v, exponent, fraction, significant, zeros, nbits, tiny);
	d->ndigits = 0;
	q = step(&v);
	if (q == 0 && !v.high)
		d->exponent--;
	else
		d->digits[d->ndigits++] = '0' + q;
	if (d->exponent < -3 || d->exponent >= 8)
		v.high = v.low = false;
	while (!v.low && !v.high && d->ndigits < (int) sizeof(d->digits))
	{
		q = step(&v);
		d->digits[d->ndigits++] = '0' + q;
	}
	if (rounds_up(&v, d))
		round_up(d);
}

void
deltacc_java_digits_before_19(double value, bool is_float, JavaDigits *d)
{
	int			exponent;
	double		mantissa = frexp(fabs(value), &exponent);
	uint64		fraction = (uint64) ldexp(mantissa, FRACTION_BITS + 1);
	int			significant = is_float ? 24 : FRACTION_BITS + 1;
	int			least = is_float ? -126 : 1 - EXPONENT_BIAS;

	/* frexp's mantissa is below 1; what is subnormal has fewer bits */
	exponent--;
	if (exponent < least)
		significant -= least - exponent;
	make_digits(exponent, fraction, significant, d);
	while (d->ndigits > 1 && d->digits[d->ndigits - 1] == '0')
		d->ndigits--;
}
