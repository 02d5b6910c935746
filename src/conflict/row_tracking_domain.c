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

/*
 * The high-water mark in the configuration of the domain.  NULL, or the
 * exception that Delta fails with where it can't be read.
 */
static const char *
read_watermark(const JsonSlice *domain, int64 *watermark)
{
	const char *configuration = deltacc_edit_string(domain, "configuration");
	JsonScanner scanner;
	JsonSlice	object;
	JsonSlice	mark;

	if (configuration == NULL)
		return deltacc_json_member(domain, "configuration", &object) && object.kind != JSON_NULL ?
			"MismatchedInputException" : "IllegalArgumentException";
	deltacc_json_init(&scanner, configuration, strlen(configuration), false);
	if (deltacc_json_at_end(&scanner))
		return "MismatchedInputException";
	if (!deltacc_json_value(&scanner, &object))
		return "JsonParseException";
	if (object.kind == JSON_NULL)
		return "NullPointerException";
	if (object.kind != JSON_OBJECT)
		return "MismatchedInputException";
	if (deltacc_jackson_int64(&object, "rowIdHighWaterMark", watermark))
		return NULL;
	(void) deltacc_json_member(&object, "rowIdHighWaterMark", &mark);
	return mark.kind == JSON_NUMBER ? "JsonMappingException" :
		mark.kind == JSON_STRING ? "InvalidFormatException" : "MismatchedInputException";
}

bool
deltacc_row_id_watermark(DeltaActions *a, int64 *watermark, const char **failure)
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

		if (others[i].kind != ACTION_DOMAIN_METADATA ||
			!deltacc_is_row_tracking_domain(line, others[i].line_length) ||
			!deltacc_edit_action(line, others[i].line_length, "domainMetadata", &domain))
			continue;
		*failure = read_watermark(&domain, watermark);
		return true;
	}
	return false;
}
