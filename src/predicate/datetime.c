/*-------------------------------------------------------------------------
 *
 * datetime.c
 *	  Calendar arithmetic that the functions of dates, of timestamps and of
 *	  formats share.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "delta/cast.h"
#include "predicate/clock.h"
#include "predicate/datetime.h"

const char *const deltacc_day_names[7] = {
	"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday",
};

const char *const deltacc_month_names[12] = {
	"January", "February", "March", "April", "May", "June",
	"July", "August", "September", "October", "November", "December",
};

CivilDate
deltacc_civil(int64 days)
{
	CivilDate	c;

	deltacc_civil_from_days(days, &c.year, &c.month, &c.day);
	return c;
}

int64
deltacc_add_months(int64 days, int64 months)
{
	CivilDate	c = deltacc_civil(days);
	int64		total = c.year * 12 + (c.month - 1) + months;

	/* nobody's DATE goes there */
	if (months > 120000000 || months < -120000000)
		return months > 0 ? PG_INT64_MAX : PG_INT64_MIN;
	c.year = floor_div(total, 12);
	c.month = (int) floor_mod(total, 12) + 1;
	while (!deltacc_date_is_valid(c.year, c.month, c.day) && c.day > 28)
		c.day--;
	return deltacc_days_from_civil(c.year, c.month, c.day);
}

TruncUnit
deltacc_trunc_unit(DeltaString s)
{
	static const struct
	{
		const char *name;
		TruncUnit	unit;
	}			units[] = {
		{"MICROSECOND", TRUNC_MICROSECOND},
		{"MILLISECOND", TRUNC_MILLISECOND},
		{"SECOND", TRUNC_SECOND},
		{"MINUTE", TRUNC_MINUTE},
		{"HOUR", TRUNC_HOUR},
		{"DAY", TRUNC_DAY}, {"DD", TRUNC_DAY},
		{"WEEK", TRUNC_WEEK},
		{"MONTH", TRUNC_MONTH}, {"MM", TRUNC_MONTH}, {"MON", TRUNC_MONTH},
		{"QUARTER", TRUNC_QUARTER},
		{"YEAR", TRUNC_YEAR}, {"YYYY", TRUNC_YEAR}, {"YY", TRUNC_YEAR},
	};

	for (int i = 0; i < lengthof(units); i++)
	{
		if (s.len == (int) strlen(units[i].name) && pg_strncasecmp(s.data, units[i].name, s.len) == 0)
			return units[i].unit;
	}
	return TRUNC_INVALID;
}

int64
deltacc_trunc_days(int64 days, TruncUnit unit)
{
	CivilDate	c = deltacc_civil(days);

	switch (unit)
	{
		case TRUNC_WEEK:
			return days - floor_mod(days + 3, 7);
		case TRUNC_MONTH:
			return days - (c.day - 1);
		case TRUNC_QUARTER:
			return deltacc_days_from_civil(c.year, (c.month - 1) / 3 * 3 + 1, 1);
		case TRUNC_YEAR:
			return deltacc_days_from_civil(c.year, 1, 1);
		default:
			return days;
	}
}
