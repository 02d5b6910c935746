/*-------------------------------------------------------------------------
 *
 * nearest.c
 *	  How far a name is from the one that was perhaps meant.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/nearest.h"
#include "mb/pg_wchar.h"
#include "utils/varlena.h"

#define MAX_SLIP	3
#define MAX_NAME	255			/* as far as varstr_levenshtein goes */

/* Small letters, as far as a comparison by eye goes. */
static char *
lower_ascii(const char *s)
{
	char	   *copy = pstrdup(s);

	for (char *p = copy; *p; p++)
		*p = pg_ascii_tolower((unsigned char) *p);
	return copy;
}

/*
 * varstr_levenshtein counts characters of the database's encoding, and wants
 * text that is valid in it.
 */
static bool
can_compare(const char *s)
{
	size_t		len = strlen(s);

	if (len > MAX_NAME)
		return false;
	if (GetDatabaseEncoding() == PG_UTF8)
		return pg_encoding_verifymbstr(PG_UTF8, s, len) == len;
	for (; *s; s++)
	{
		if (IS_HIGHBIT_SET(*s))
			return false;
	}
	return true;
}

int
deltacc_slip_limit(const char *name, const char *candidate)
{
	size_t		shorter = Min(strlen(name), strlen(candidate));

	return strlen(name) < 2 ? 0 : Min(MAX_SLIP, Max((int) (Min(shorter, 100) + 1) / 3, 1));
}

/* Two letters that changed places are one slip. */
static bool
swapped(const char *a, const char *b)
{
	size_t		n = 0;

	if (strlen(a) != strlen(b))
		return false;
	while (a[n] != '\0' && a[n] == b[n])
		n++;
	return a[n] != '\0' && a[n] == b[n + 1] && a[n + 1] == b[n] && strcmp(a + n + 2, b + n + 2) == 0;
}

int
deltacc_name_distance(const char *name, const char *candidate, int limit)
{
	char	   *a;
	char	   *b;
	int			distance;

	if (!can_compare(name) || !can_compare(candidate))
		return limit + 1;
	a = lower_ascii(name);
	b = lower_ascii(candidate);
	if (swapped(a, b))
		distance = 1;
	else
		distance = varstr_levenshtein_less_equal(a, strlen(a), b, strlen(b), 1, 1, 1, limit, true);
	pfree(a);
	pfree(b);
	return distance;
}
