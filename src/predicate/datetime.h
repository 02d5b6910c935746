/*-------------------------------------------------------------------------
 *
 * datetime.h
 *	  Calendar arithmetic that the functions of dates, of timestamps and of
 *	  formats share.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_DATETIME_H
#define DELTACC_DATETIME_H

#include "delta/value.h"

typedef struct CivilDate
{
	int64		year;
	int			month;
	int			day;
} CivilDate;

/* Units of trunc and date_trunc, from small to large. */
typedef enum TruncUnit
{
	TRUNC_INVALID,
	TRUNC_MICROSECOND,
	TRUNC_MILLISECOND,
	TRUNC_SECOND,
	TRUNC_MINUTE,
	TRUNC_HOUR,
	TRUNC_DAY,
	TRUNC_WEEK,
	TRUNC_MONTH,
	TRUNC_QUARTER,
	TRUNC_YEAR
} TruncUnit;

/* "Monday" ..., "January" ... */
extern const char *const deltacc_day_names[7];
extern const char *const deltacc_month_names[12];

extern CivilDate deltacc_civil(int64 days);

/* The same day of another month, or that month's last; past any DATE for what
 * is too far. */
extern int64 deltacc_add_months(int64 days, int64 months);

extern TruncUnit deltacc_trunc_unit(DeltaString s);

/* The first day of the week (from Monday), month, quarter or year. */
extern int64 deltacc_trunc_days(int64 days, TruncUnit unit);

#endif							/* DELTACC_DATETIME_H */
