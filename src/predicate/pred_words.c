/*-------------------------------------------------------------------------
 *
 * pred_words.c
 *	  The words of predicates, and how names and strings are quoted.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "predicate/pred_parse.h"

#define QUOTE_NAME	0x01		/* would be misread as a column or hard to
								 * read */
#define QUOTE_CALL	0x02		/* would be misread in front of a '(' */

typedef struct WordEntry
{
	const char *name;
	PredWord	word;
	int			quote;
} WordEntry;

/* Sorted: looked up by binary search. */
static const WordEntry words[] = {
	{"all", WORD_ALL, QUOTE_NAME | QUOTE_CALL},
	{"and", WORD_AND, QUOTE_NAME},
	{"any", WORD_ANY, QUOTE_NAME | QUOTE_CALL},
	{"array", WORD_ARRAY, 0},
	{"as", WORD_AS, QUOTE_NAME},
	{"between", WORD_BETWEEN, QUOTE_NAME},
	{"both", WORD_BOTH, QUOTE_NAME | QUOTE_CALL},
	{"case", WORD_CASE, QUOTE_NAME | QUOTE_CALL},
	{"cast", WORD_CAST, QUOTE_CALL},
	{"collate", WORD_COLLATE, QUOTE_NAME},
	{"comment", WORD_COMMENT, 0},
	{"date", WORD_DATE, 0},
	{"distinct", WORD_DISTINCT, QUOTE_NAME | QUOTE_CALL},
	{"div", WORD_DIV, QUOTE_NAME},
	{"else", WORD_ELSE, QUOTE_NAME},
	{"end", WORD_END, QUOTE_NAME},
	{"escape", WORD_ESCAPE, QUOTE_NAME},
	{"exists", WORD_EXISTS, QUOTE_NAME},
	{"extract", WORD_EXTRACT, 0},
	{"false", WORD_FALSE, QUOTE_NAME},
	{"filter", WORD_FILTER, 0},
	{"for", WORD_FOR, 0},
	{"from", WORD_FROM, QUOTE_NAME | QUOTE_CALL},
	{"group", WORD_GROUP, 0},
	{"ignore", WORD_IGNORE, 0},
	{"ilike", WORD_ILIKE, QUOTE_NAME},
	{"in", WORD_IN, QUOTE_NAME},
	{"interval", WORD_INTERVAL, QUOTE_NAME},
	{"is", WORD_IS, QUOTE_NAME},
	{"leading", WORD_LEADING, QUOTE_NAME | QUOTE_CALL},
	{"like", WORD_LIKE, QUOTE_NAME},
	{"map", WORD_MAP, 0},
	{"not", WORD_NOT, QUOTE_NAME | QUOTE_CALL},
	{"null", WORD_NULL, QUOTE_NAME},
	{"nulls", WORD_NULLS, 0},
	{"or", WORD_OR, QUOTE_NAME},
	{"over", WORD_OVER, 0},
	{"overlay", WORD_OVERLAY, 0},
	{"placing", WORD_PLACING, 0},
	{"position", WORD_POSITION, 0},
	{"regexp", WORD_RLIKE, QUOTE_NAME},
	{"respect", WORD_RESPECT, 0},
	{"rlike", WORD_RLIKE, QUOTE_NAME},
	{"select", WORD_SELECT, QUOTE_NAME | QUOTE_CALL},
	{"some", WORD_SOME, QUOTE_NAME | QUOTE_CALL},
	{"string", WORD_STRING, 0},
	{"struct", WORD_STRUCT, 0},
	{"substr", WORD_SUBSTR, 0},
	{"substring", WORD_SUBSTRING, 0},
	{"table", WORD_TABLE, QUOTE_NAME | QUOTE_CALL},
	{"then", WORD_THEN, QUOTE_NAME},
	{"time", WORD_TIME, 0},
	{"timestamp", WORD_TIMESTAMP, 0},
	{"timestamp_ltz", WORD_TIMESTAMP_LTZ, 0},
	{"timestamp_ntz", WORD_TIMESTAMP_NTZ, 0},
	{"to", WORD_TO, 0},
	{"trailing", WORD_TRAILING, QUOTE_NAME | QUOTE_CALL},
	{"trim", WORD_TRIM, 0},
	{"true", WORD_TRUE, QUOTE_NAME},
	{"try_cast", WORD_TRY_CAST, QUOTE_CALL},
	{"unknown", WORD_UNKNOWN, 0},
	{"values", WORD_VALUES, QUOTE_NAME | QUOTE_CALL},
	{"when", WORD_WHEN, QUOTE_NAME | QUOTE_CALL},
	{"with", WORD_WITH, QUOTE_NAME | QUOTE_CALL},
	{"within", WORD_WITHIN, 0},
	{"without", WORD_WITHOUT, 0},
	{"x", WORD_X, 0},
	{"xor", WORD_XOR, 0},
	{"zone", WORD_ZONE, 0},
};

static const char *const interval_units[] = {
	"YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND",	/* those of a range */
	"WEEK", "MILLISECOND", "MICROSECOND", "NANOSECOND",
};
#define NRANGE_UNITS	6

static const char *const datetime_units[] = {
	"YEAR", "QUARTER", "MONTH", "WEEK", "DAY", "DAYOFYEAR",
	"HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND",
};

/*
 * Compares a name with a word in lower case, as strcmp does.
 */
static int
compare_word(const char *text, int len, const char *word)
{
	for (int i = 0; i < len; i++)
	{
		int			c = pg_ascii_tolower((unsigned char) text[i]);

		if (word[i] == '\0' || c != (unsigned char) word[i])
			return c - (unsigned char) word[i];
	}
	return word[len] == '\0' ? 0 : -1;
}

static const WordEntry *
find_word(const char *text, int len)
{
	int			low = 0;
	int			high = lengthof(words);

	while (low < high)
	{
		int			middle = (low + high) / 2;
		int			order = compare_word(text, len, words[middle].name);

		if (order == 0)
			return &words[middle];
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

PredWord
deltacc_pred_word(const char *text, int len)
{
	const WordEntry *entry = find_word(text, len);

	return entry != NULL ? entry->word : WORD_NONE;
}

/*
 * A name that the scanner reads as one word, whatever stands around it.
 */
static bool
is_plain(const char *text, int len)
{
	if (len == 0 || (text[0] >= '0' && text[0] <= '9'))
		return false;
	for (int i = 0; i < len; i++)
	{
		char		c = text[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'))
			return false;
	}
	return true;
}

bool
deltacc_pred_quote_name(const char *text, int len)
{
	const WordEntry *entry;

	if (!is_plain(text, len))
		return true;
	entry = find_word(text, len);
	return entry != NULL && (entry->quote & QUOTE_NAME) != 0;
}

bool
deltacc_pred_quote_call(const char *text, int len)
{
	const WordEntry *entry;

	if (!is_plain(text, len))
		return true;
	entry = find_word(text, len);
	return entry != NULL && (entry->quote & QUOTE_CALL) != 0;
}

static const char *
find_unit(const char *text, int len, const char *const *units, int nunits, bool plural)
{
	for (int i = 0; i < nunits; i++)
	{
		int			unit_len = strlen(units[i]);

		if ((len == unit_len || (plural && len == unit_len + 1 && (text[unit_len] | 0x20) == 's')) &&
			pg_strncasecmp(text, units[i], unit_len) == 0)
			return units[i];
	}
	return NULL;
}

const char *
deltacc_pred_interval_unit(const char *text, int len)
{
	return find_unit(text, len, interval_units, lengthof(interval_units), true);
}

const char *
deltacc_pred_range_unit(const char *text, int len)
{
	return find_unit(text, len, interval_units, NRANGE_UNITS, false);
}

const char *
deltacc_pred_datetime_unit(const char *text, int len)
{
	return find_unit(text, len, datetime_units, lengthof(datetime_units), false);
}

void
deltacc_pred_print_quoted(StringInfo out, const char *text, int len)
{
	appendStringInfoChar(out, '`');
	for (int i = 0; i < len; i++)
	{
		if (text[i] == '`')
			appendStringInfoChar(out, '`');
		appendStringInfoChar(out, text[i]);
	}
	appendStringInfoChar(out, '`');
}

void
deltacc_pred_print_name(StringInfo out, const char *text, int len)
{
	if (deltacc_pred_quote_name(text, len))
		deltacc_pred_print_quoted(out, text, len);
	else
		appendBinaryStringInfo(out, text, len);
}

void
deltacc_pred_print_string(StringInfo out, const char *text, int len)
{
	appendStringInfoChar(out, '\'');
	for (int i = 0; i < len; i++)
	{
		switch (text[i])
		{
			case '\'':
			case '\\':
				appendStringInfoChar(out, '\\');
				appendStringInfoChar(out, text[i]);
				break;
			case '\n':
				appendStringInfoString(out, "\\n");
				break;
			case '\r':
				appendStringInfoString(out, "\\r");
				break;
			case '\t':
				appendStringInfoString(out, "\\t");
				break;
			default:
				/* NUL too: \0 with two digits behind it would be octal */
				if ((unsigned char) text[i] < ' ' || text[i] == 0x7F)
					appendStringInfo(out, "\\u%04x", text[i]);
				else
					appendStringInfoChar(out, text[i]);
		}
	}
	appendStringInfoChar(out, '\'');
}
