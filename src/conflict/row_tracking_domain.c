/*-------------------------------------------------------------------------
 *
 * row_tracking_domain.c
 *	  The domain in which row tracking keeps its high-water mark of row ids.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/transaction.h"

bool
deltacc_is_row_tracking_domain(const char *line, int len)
{
	JsonSlice	domain;
	char	   *name;

	return deltacc_edit_action(line, len, "domainMetadata", &domain) &&
		(name = deltacc_edit_string(&domain, "domain")) != NULL &&
		strcmp(name, ROW_TRACKING_DOMAIN) == 0;
}

bool
deltacc_row_id_watermark(DeltaActions *a, int64 *watermark)
{
	const OtherAction *others;
	int			n;

	if (!(deltacc_actions_flags(a) & ACTIONS_HAS_DOMAIN))
		return false;
	others = deltacc_actions_others(a, &n);
	for (int i = 0; i < n; i++)
	{
		char	   *line = deltacc_other_line(a, &others[i]);
		JsonSlice	domain;
		char	   *configuration;

		if (others[i].kind == ACTION_DOMAIN_METADATA &&
			deltacc_is_row_tracking_domain(line, others[i].line_length) &&
			deltacc_edit_action(line, others[i].line_length, "domainMetadata", &domain) &&
			(configuration = deltacc_edit_string(&domain, "configuration")) != NULL)
		{
			JsonScanner scanner;
			JsonSlice	object;

			deltacc_json_init(&scanner, configuration, strlen(configuration), false);
			if (!deltacc_json_value(&scanner, &object) || object.kind != JSON_OBJECT)
				continue;
			/* Absent it is 0, as Jackson has it. */
			if (!deltacc_edit_int64(&object, "rowIdHighWaterMark", watermark))
				*watermark = 0;
			return true;
		}
	}
	return false;
}
