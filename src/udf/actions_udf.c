/*-------------------------------------------------------------------------
 *
 * actions_udf.c
 *	  The type deltacc.actions and its accessors.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json_scan.h"
#include "base/text.h"
#include "common/hashfn.h"
#include "delta/actions.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "libpq/pqformat.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/memutils.h"
#include "utils/numeric.h"

/* The version of the binary format that send writes: the text follows. */
#define SEND_VERSION 1

PG_FUNCTION_INFO_V1(deltacc_actions_in);
PG_FUNCTION_INFO_V1(deltacc_actions_out);
PG_FUNCTION_INFO_V1(deltacc_actions_recv);
PG_FUNCTION_INFO_V1(deltacc_actions_send);
PG_FUNCTION_INFO_V1(deltacc_actions_from_text);
PG_FUNCTION_INFO_V1(deltacc_actions_from_jsonb);
PG_FUNCTION_INFO_V1(deltacc_actions_to_text);
PG_FUNCTION_INFO_V1(deltacc_actions_eq);
PG_FUNCTION_INFO_V1(deltacc_actions_ne);
PG_FUNCTION_INFO_V1(deltacc_actions_hash);
PG_FUNCTION_INFO_V1(deltacc_actions_hash_extended);
PG_FUNCTION_INFO_V1(deltacc_file_actions_sql);
PG_FUNCTION_INFO_V1(deltacc_commit_info_sql);
PG_FUNCTION_INFO_V1(deltacc_protocol_sql);
PG_FUNCTION_INFO_V1(deltacc_metadata_sql);
PG_FUNCTION_INFO_V1(deltacc_is_blind_append_sql);
PG_FUNCTION_INFO_V1(deltacc_actions_layout_sql);

/* ----- the type ----- */

/* Parses text in the database's encoding; NULL after a soft error. */
static struct varlena *
parse(const char *text, int len, Node *escontext)
{
	int			utf8_len;
	char	   *utf8 = deltacc_to_utf8(text, len, &utf8_len);

	return deltacc_actions_parse(utf8, utf8_len, escontext);
}

Datum
deltacc_actions_in(PG_FUNCTION_ARGS)
{
	char	   *text = PG_GETARG_CSTRING(0);
	struct varlena *value = parse(text, strlen(text), fcinfo->context);

	if (value == NULL)
		PG_RETURN_NULL();
	PG_RETURN_POINTER(value);
}

Datum
deltacc_actions_out(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = deltacc_actions_text(deltacc_actions_open(PG_GETARG_DATUM(0)), &len);
	int			out_len;
	char	   *out = deltacc_from_utf8(text, len, &out_len);

	/* Callers may pfree() it, and what is read in place is the value's own. */
	PG_RETURN_CSTRING(out == text ? pnstrdup(out, out_len) : out);
}

Datum
deltacc_actions_recv(PG_FUNCTION_ARGS)
{
	StringInfo	buf = (StringInfo) PG_GETARG_POINTER(0);
	int			version = pq_getmsgbyte(buf);
	char	   *text;
	int			len;

	if (version != SEND_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_BINARY_REPRESENTATION),
				 errmsg("binary format %d of type actions is not known", version),
				 errdetail("This is deltacc with format %d.", SEND_VERSION)));
	text = pq_getmsgtext(buf, buf->len - buf->cursor, &len);
	PG_RETURN_POINTER(parse(text, len, NULL));
}

Datum
deltacc_actions_send(PG_FUNCTION_ARGS)
{
	StringInfoData buf;
	int			len;
	char	   *text = deltacc_actions_text(deltacc_actions_open(PG_GETARG_DATUM(0)), &len);

	text = deltacc_from_utf8(text, len, &len);
	pq_begintypsend(&buf);
	pq_sendbyte(&buf, SEND_VERSION);
	pq_sendtext(&buf, text, len);
	PG_RETURN_BYTEA_P(pq_endtypsend(&buf));
}

Datum
deltacc_actions_from_text(PG_FUNCTION_ARGS)
{
	text	   *t = PG_GETARG_TEXT_PP(0);

	PG_RETURN_POINTER(parse(VARDATA_ANY(t), VARSIZE_ANY_EXHDR(t), NULL));
}

Datum
deltacc_actions_to_text(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = deltacc_actions_text(deltacc_actions_open(PG_GETARG_DATUM(0)), &len);

	text = deltacc_from_utf8(text, len, &len);
	PG_RETURN_TEXT_P(cstring_to_text_with_len(text, len));
}

/*
 * One action, or an array of them: each becomes a line, so that the line of an
 * error is the place in the array.
 */
Datum
deltacc_actions_from_jsonb(PG_FUNCTION_ARGS)
{
	Jsonb	   *jb = PG_GETARG_JSONB_P(0);
	JsonbIterator *it;
	JsonbIteratorToken token;
	JsonbValue	v;
	StringInfoData lines;
	int			n = 0;

	initStringInfo(&lines);
	if (JB_ROOT_IS_OBJECT(jb))
	{
		JsonbToCString(&lines, &jb->root, VARSIZE(jb));
		PG_RETURN_POINTER(parse(lines.data, lines.len, NULL));
	}
	if (JB_ROOT_IS_SCALAR(jb))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cast a jsonb scalar to type actions"),
				 errhint("Pass one action as an object, or an array of actions.")));

	it = JsonbIteratorInit(&jb->root);
	while ((token = JsonbIteratorNext(&it, &v, true)) != WJB_DONE)
	{
		CHECK_FOR_INTERRUPTS();
		if (token != WJB_ELEM)
			continue;
		n++;
		if (v.type != jbvBinary || !JsonContainerIsObject(v.val.binary.data))
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("element %d of the array is not a Delta action", n),
					 errhint("Each element has to be an object such as {\"add\": {...}}.")));
		JsonbToCString(&lines, v.val.binary.data, v.val.binary.len);
		appendStringInfoChar(&lines, '\n');
	}
	PG_RETURN_POINTER(parse(lines.data, lines.len, NULL));
}

/* ----- equality: of the text ----- */

static bool
same_text(FunctionCallInfo fcinfo)
{
	return deltacc_actions_equal(deltacc_actions_open(PG_GETARG_DATUM(0)),
								 deltacc_actions_open(PG_GETARG_DATUM(1)));
}

Datum
deltacc_actions_eq(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(same_text(fcinfo));
}

Datum
deltacc_actions_ne(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(!same_text(fcinfo));
}

Datum
deltacc_actions_hash(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = deltacc_actions_text(deltacc_actions_open(PG_GETARG_DATUM(0)), &len);

	PG_RETURN_UINT32(hash_bytes((unsigned char *) text, len));
}

Datum
deltacc_actions_hash_extended(PG_FUNCTION_ARGS)
{
	int			len;
	char	   *text = deltacc_actions_text(deltacc_actions_open(PG_GETARG_DATUM(0)), &len);

	PG_RETURN_UINT64(hash_bytes_extended((unsigned char *) text, len, PG_GETARG_INT64(1)));
}

/* ----- accessors ----- */

/* The object of an action inside its line. */
static bool
action_object(const char *line, uint32 len, const char *name, JsonSlice *object)
{
	JsonScanner s;
	JsonSlice	whole;

	deltacc_json_init(&s, line, len, false);
	return deltacc_json_value(&s, &whole) && deltacc_json_member(&whole, name, object) &&
		object->kind == JSON_OBJECT;
}

static Datum
other_action_jsonb(FunctionCallInfo fcinfo, const OtherAction *action, DeltaActions *a, const char *name)
{
	JsonSlice	object;

	if (action == NULL ||
		!action_object(deltacc_actions_line(a, action->line_offset, action->line_length),
					   action->line_length, name, &object))
		PG_RETURN_NULL();
	PG_RETURN_JSONB_P(deltacc_json_slice_to_jsonb(&object));
}

/* The first one, which is the one that counts in Delta. */
Datum
deltacc_commit_info_sql(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));

	return other_action_jsonb(fcinfo, deltacc_actions_first(a, ACTION_COMMIT_INFO), a, "commitInfo");
}

/* The last one: what holds after the commit. */
Datum
deltacc_protocol_sql(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));

	return other_action_jsonb(fcinfo, deltacc_actions_last(a, ACTION_PROTOCOL), a, "protocol");
}

Datum
deltacc_metadata_sql(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));

	return other_action_jsonb(fcinfo, deltacc_actions_last(a, ACTION_METADATA), a, "metaData");
}

Datum
deltacc_is_blind_append_sql(PG_FUNCTION_ARGS)
{
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));

	PG_RETURN_BOOL((deltacc_actions_flags(a) & ACTIONS_BLIND_APPEND) != 0);
}

/* ----- file_actions ----- */

typedef enum FileColumn
{
	FILE_ORDINAL,
	FILE_ACTION,
	FILE_PATH,
	FILE_PARTITION_VALUES,
	FILE_SIZE,
	FILE_CHANGES_DATA,
	FILE_MODIFICATION_TIME,
	FILE_DELETION_TIMESTAMP,
	FILE_STATS,
	FILE_DELETION_VECTOR,
	FILE_BASE_ROW_ID,
	FILE_DEFAULT_ROW_COMMIT_VERSION,
	FILE_TAGS,
	FILE_COLUMNS
} FileColumn;

/* How a member becomes a column. */
typedef enum MemberForm
{
	FORM_TEXT,
	FORM_NUMERIC,
	FORM_BIGINT,
	FORM_JSONB,
	FORM_STATS
} MemberForm;

static const struct
{
	const char *name;
	FileColumn	column;
	MemberForm	form;
}			file_members[] = {
	{"path", FILE_PATH, FORM_TEXT},
	{"partitionValues", FILE_PARTITION_VALUES, FORM_JSONB},
	{"size", FILE_SIZE, FORM_NUMERIC},
	{"modificationTime", FILE_MODIFICATION_TIME, FORM_NUMERIC},
	{"deletionTimestamp", FILE_DELETION_TIMESTAMP, FORM_NUMERIC},
	{"stats", FILE_STATS, FORM_STATS},
	{"deletionVector", FILE_DELETION_VECTOR, FORM_JSONB},
	{"baseRowId", FILE_BASE_ROW_ID, FORM_BIGINT},
	{"defaultRowCommitVersion", FILE_DEFAULT_ROW_COMMIT_VERSION, FORM_BIGINT},
	{"tags", FILE_TAGS, FORM_JSONB},
};

static const char *const file_action_names[] = {
	[ACTION_ADD] = "add",
	[ACTION_REMOVE] = "remove",
	[ACTION_CDC] = "cdc",
};

/* Statistics as Delta reads them; false where they are no JSON. */
static bool
stats_datum(const JsonSlice *member, Datum *value)
{
	StringInfoData text;
	JsonScanner s;
	JsonSlice	stats = *member;

	if (member->kind == JSON_STRING)
	{
		initStringInfo(&text);
		deltacc_json_unescape(&text, member);
		deltacc_json_init(&s, text.data, text.len, true);
		if (!deltacc_json_value(&s, &stats))
			return false;
		/* What follows an object is ignored there. */
		if (stats.kind != JSON_OBJECT && !deltacc_json_at_end(&s))
			return false;
	}
	*value = JsonbPGetDatum(deltacc_json_slice_to_jsonb(&stats));
	return true;
}

/* False: NULL. */
static bool
member_datum(const JsonSlice *member, MemberForm form, Datum *value)
{
	StringInfoData text;
	Numeric		numeric;
	int64		number;

	if (member->kind == JSON_NULL)
		return false;
	switch (form)
	{
		case FORM_TEXT:
			if (member->kind != JSON_STRING)
				return false;
			initStringInfo(&text);
			deltacc_json_unescape(&text, member);
			*value = PointerGetDatum(deltacc_utf8_to_text(text.data, text.len));
			return true;
		case FORM_NUMERIC:
			if (!deltacc_json_numeric(member, &numeric))
				return false;
			*value = NumericGetDatum(numeric);
			return true;
		case FORM_BIGINT:
			if (!deltacc_json_int64(member, &number))
				return false;
			*value = Int64GetDatum(number);
			return true;
		case FORM_JSONB:
			*value = JsonbPGetDatum(deltacc_json_slice_to_jsonb(member));
			return true;
		case FORM_STATS:
			return stats_datum(member, value);
	}
	return false;
}

static void
put_file_row(ReturnSetInfo *rsinfo, const FileAction *file, const char *text)
{
	Datum		values[FILE_COLUMNS] = {0};
	bool		nulls[FILE_COLUMNS];
	const char *action = file_action_names[file->kind];
	JsonSlice	object;
	JsonScanner s;
	JsonSlice	key;
	JsonSlice	value;

	if (!action_object(text + file->line_offset, file->line_length, action, &object))
		ereport(ERROR,
				(errcode(ERRCODE_DATA_CORRUPTED),
				 errmsg("a value of type actions is corrupt"),
				 errdetail("Action %d is no \"%s\" in the text.", file->ordinal, action)));

	memset(nulls, true, sizeof(nulls));
	deltacc_json_init(&s, object.start, object.len, false);
	deltacc_json_enter_object(&s);
	while (deltacc_json_next_member(&s, &key, &value))
	{
		for (int i = 0; i < lengthof(file_members); i++)
		{
			FileColumn	column = file_members[i].column;

			if (deltacc_json_string_equals(&key, file_members[i].name))
			{
				nulls[column] = !member_datum(&value, file_members[i].form, &values[column]);
				break;
			}
		}
	}
	values[FILE_ORDINAL] = Int32GetDatum(file->ordinal);
	values[FILE_ACTION] = CStringGetTextDatum(action);
	values[FILE_CHANGES_DATA] = BoolGetDatum((file->flags & FILE_DATA_CHANGE) != 0);
	nulls[FILE_ORDINAL] = nulls[FILE_ACTION] = nulls[FILE_CHANGES_DATA] = false;
	tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
}

Datum
deltacc_file_actions_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	DeltaActions *a = deltacc_actions_open(PG_GETARG_DATUM(0));
	MemoryContext row_context;
	int			n;
	const FileAction *files;
	const char *text;
	int			len;

	InitMaterializedSRF(fcinfo, 0);
	files = deltacc_actions_files(a, &n);
	if (n == 0)
		return (Datum) 0;
	text = deltacc_actions_text(a, &len);

	row_context = AllocSetContextCreate(CurrentMemoryContext, "deltacc file_actions row",
										ALLOCSET_DEFAULT_SIZES);
	for (int i = 0; i < n; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(row_context);

		CHECK_FOR_INTERRUPTS();
		put_file_row(rsinfo, &files[i], text);
		MemoryContextSwitchTo(old);
		MemoryContextReset(row_context);
	}
	MemoryContextDelete(row_context);
	return (Datum) 0;
}

/* ----- layout ----- */

/* A physical path as it is shown: segments joined by dots. */
static text *
shown_key(const char *key)
{
	char	   *shown = pstrdup(key);

	for (char *p = shown; *p; p++)
	{
		if (*p == '\x01')
			*p = '.';
	}
	return deltacc_utf8_to_text(shown, strlen(shown));
}

Datum
deltacc_actions_layout_sql(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *rsinfo = (ReturnSetInfo *) fcinfo->resultinfo;
	int			n;
	ActionsPart *parts = deltacc_actions_parts(deltacc_actions_open(PG_GETARG_DATUM(0)), &n);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
	{
		Datum		values[3] = {CStringGetTextDatum(parts[i].section), 0, Int64GetDatum(parts[i].bytes)};
		bool		nulls[3] = {false, parts[i].key == NULL, false};

		CHECK_FOR_INTERRUPTS();
		if (parts[i].key != NULL)
			values[1] = PointerGetDatum(shown_key(parts[i].key));
		tuplestore_putvalues(rsinfo->setResult, rsinfo->setDesc, values, nulls);
	}
	return (Datum) 0;
}
