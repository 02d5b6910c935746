/*-------------------------------------------------------------------------
 *
 * actions_parse.c
 *	  From the text of a commit to a deltacc.actions value.
 *
 * One pass over the lines.  What a file action says goes straight into the
 * columns (actions_index.c); a column holds entries only for those rows where its key is there,
 * so time and memory follow the size of the input, however many keys it has.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/compat.h"
#include "base/json_scan.h"
#include "common/hashfn.h"
#include "delta/actions.h"
#include "delta/actions_builder.h"
#include "miscadmin.h"
#include "utils/memutils.h"

static const struct
{
	const char *name;
	int			kind;
	uint32		flag;
}			known_actions[] = {
	{"add", ACTION_ADD, ACTIONS_HAS_ADD},
	{"remove", ACTION_REMOVE, ACTIONS_HAS_REMOVE},
	{"cdc", ACTION_CDC, ACTIONS_HAS_CDC},
	{"commitInfo", ACTION_COMMIT_INFO, ACTIONS_HAS_COMMIT_INFO},
	{"protocol", ACTION_PROTOCOL, ACTIONS_HAS_PROTOCOL},
	{"metaData", ACTION_METADATA, ACTIONS_HAS_METADATA},
	{"txn", ACTION_TXN, ACTIONS_HAS_TXN},
	{"domainMetadata", ACTION_DOMAIN_METADATA, ACTIONS_HAS_DOMAIN},
	{"tableState", ACTION_TABLE_STATE, 0},
};

#define COMMIT_HINT "Pass a commit file of _delta_log unchanged: each line holds one action as a JSON object."

/* ----- lines ----- */

/* Is there anything but white space from p on? */
static bool
more_to_come(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n'))
		p++;
	return p < end;
}

/* What to do about a line that can't be read at a place. */
static const char *
hint_for(const Builder *b, const char *at)
{
	if (*b->line == '[')
		return "An array of actions can be cast from jsonb.";
	if (at >= b->line_end)
	{
		if (more_to_come(b->line_end, b->end))
			return "Each action has to stand on one line of its own, not pretty-printed over several.";
		return "The commit seems to be cut off: read the file again once it is complete.";
	}
	if (at - b->line >= 3 && memcmp(at - 3, "\"{\"", 3) == 0)
		return "The backslashes inside of strings are gone: COPY in text format removes them. Use pg_read_file(), a parameter or COPY in CSV format.";
	return COMMIT_HINT;
}

/* The column of a place in the line, in characters from 1. */
static int
column_number(const Builder *b, const char *at)
{
	int			column = 1;

	for (const char *p = b->line; p < at; p++)
	{
		if (((unsigned char) *p & 0xC0) != 0x80)
			column++;
	}
	return column;
}

/* ERROR: what was expected at a place of the line and isn't there. */
static bool
report_unreadable(Builder *b, const char *at, const char *expected)
{
	char		found[64];

	/* Only ASCII: the message is in the database's encoding, the line in UTF-8. */
	if (at >= b->line_end)
		snprintf(found, sizeof(found), "the line ends there");
	else if (*at > ' ' && *at < 0x7F)
		snprintf(found, sizeof(found), "found \"%c\"", *at);
	else
		snprintf(found, sizeof(found), "found byte 0x%02X", (unsigned char) *at);
	errsave(b->escontext,
			(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
			 errmsg("line %d is not a Delta action", b->lineno),
			 errdetail("Column %d: expected %s, but %s.", column_number(b, at), expected, found),
			 errhint("%s", hint_for(b, at))));
	return false;
}

static bool
report_scanner(Builder *b, const JsonScanner *s)
{
	return report_unreadable(b, s->error_pos, s->error);
}

static const char *
action_name(int kind)
{
	for (int i = 0; i < lengthof(known_actions); i++)
	{
		if (known_actions[i].kind == kind)
			return known_actions[i].name;
	}
	return NULL;
}

/* Remembers an action of the line; of duplicate keys the last counts. */
static LineItem *
add_item(Builder *b, int kind)
{
	if (b->nitems == b->items_capacity)
		b->items = deltacc_grow_array(b->items, &b->items_capacity, 16, sizeof(LineItem));
	b->items[b->nitems].kind = kind;
	if (kind != ACTION_OTHER)
		b->item_of_kind[kind] = b->nitems;
	return &b->items[b->nitems++];
}

static void
drop_item(Builder *b, int kind)
{
	if (kind != ACTION_OTHER && b->item_of_kind[kind] >= 0)
		b->items[b->item_of_kind[kind]].kind = -1;
}

/* A member that has to be an object if it is there: false after an error. */
static bool
take_object(Builder *b, JsonSlice *member, const JsonSlice *value)
{
	if (value->kind != JSON_OBJECT && value->kind != JSON_NULL)
		return report_unreadable(b, value->start, "an object or null");
	*member = *value;
	return true;
}

/*
 * The statistics that have gone into the columns already don't count after all,
 * or not for this row: they are read again when the action is entered.
 */
static void
undo_early_stats(Builder *b)
{
	FileMembers *m = b->early;

	if (m == NULL)
		return;
	deltacc_builder_take_back(b);
	deltacc_builder_begin_file(b);
	m->stats_read = false;
	resetStringInfo(&m->stats_text);
	deltacc_json_unescape(&m->stats_text, &m->stats);
}

/*
 * Statistics: most of the line, so a string isn't passed over first.  Those of
 * the first action of a line go straight into the columns.
 */
static bool
take_stats(Builder *b, JsonScanner *s, FileMembers *m)
{
	const char *start;

	undo_early_stats(b);		/* of duplicates the last counts */
	m->stats_read = false;
	if (!deltacc_json_peek(s, &m->stats.kind))
		return false;
	if (m->stats.kind != JSON_STRING)
		return deltacc_json_value(s, &m->stats);
	start = s->pos;
	if (b->nitems == 1 && deltacc_builder_stats_in_place(b, s))
	{
		m->stats.start = start;
		m->stats.len = s->pos - start;
		m->stats.escaped = true;
		m->stats_read = true;
		b->early = m;
		return true;
	}
	resetStringInfo(&m->stats_text);
	return deltacc_json_string_value(s, &m->stats_text);
}

/*
 * The object of an add, remove or cdc.  Of the members only slices are taken:
 * of duplicates the last counts, and so does the last of duplicate actions.
 */
static bool
read_file_action(Builder *b, JsonScanner *s, FileMembers *m)
{
	JsonSlice	key;
	JsonSlice	value;

	m->path.kind = m->partition_values.kind = m->stats.kind = m->deletion_vector.kind = JSON_NULL;
	m->data_change = true;
	m->has_base_row_id = false;
	m->stats_read = false;

	if (!deltacc_json_enter_object(s))
		return report_scanner(b, s);
	while (deltacc_json_next_key(s, &key))
	{
		if (deltacc_json_string_equals(&key, "stats"))
		{
			if (!take_stats(b, s, m))
				break;
			continue;
		}
		if (!deltacc_json_value(s, &value))
			break;
		if (deltacc_json_string_equals(&key, "path"))
			m->path = value;
		else if (deltacc_json_string_equals(&key, "dataChange"))
			m->data_change = value.kind != JSON_FALSE;
		else if (deltacc_json_string_equals(&key, "baseRowId"))
			m->has_base_row_id = value.kind != JSON_NULL;
		else if (deltacc_json_string_equals(&key, "partitionValues"))
		{
			if (!take_object(b, &m->partition_values, &value))
				return false;
		}
		else if (deltacc_json_string_equals(&key, "deletionVector"))
		{
			if (!take_object(b, &m->deletion_vector, &value))
				return false;
		}
	}
	return s->error == NULL || report_scanner(b, s);
}

static bool
report_checkpoint(Builder *b)
{
	errsave(b->escontext,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("this is a checkpoint, not a commit"),
			 errdetail("Line %d holds an action that only checkpoints have.", b->lineno),
			 errhint("Commits are the files of _delta_log whose name is a version of 20 digits and .json.")));
	return false;
}

/* One key of a line, with its value. */
static bool
read_item(Builder *b, JsonScanner *s, const JsonSlice *key)
{
	JsonTokenKind kind;
	JsonSlice	value;
	int			action = ACTION_OTHER;

	for (int i = 0; i < lengthof(known_actions); i++)
	{
		if (deltacc_json_string_equals(key, known_actions[i].name))
		{
			action = known_actions[i].kind;
			break;
		}
	}
	drop_item(b, action);
	if (ACTION_IS_FILE(action))
		undo_early_stats(b);

	/* Some writers spell out every key, null where unused. */
	if (!deltacc_json_peek(s, &kind))
		return report_scanner(b, s);
	if (kind == JSON_NULL)
		return deltacc_json_value(s, &value) || report_scanner(b, s);

	if (ACTION_IS_FILE(action))
	{
		add_item(b, action);
		return read_file_action(b, s, &b->members[action]);
	}
	if (!deltacc_json_value(s, &value))
		return report_scanner(b, s);
	if (action == ACTION_OTHER &&
		(deltacc_json_string_equals(key, "checkpointMetadata") || deltacc_json_string_equals(key, "sidecar")))
		return report_checkpoint(b);
	if (action != ACTION_OTHER && value.kind != JSON_OBJECT)
		return report_unreadable(b, value.start, "an object");
	add_item(b, action)->value = value;
	return true;
}

/*
 * The unique id of a deletion vector (DeletionVectorDescriptor.uniqueId); false
 * if the descriptor lacks what it is made of.
 */
static bool
add_deletion_vector(Builder *b, const JsonSlice *vector)
{
	ColumnNode *c = b->roots[COLUMN_DV_ID];
	JsonSlice	type;
	JsonSlice	path;
	JsonSlice	offset;
	char	   *id;
	int			len;

	if (!deltacc_json_member(vector, "storageType", &type) || type.kind != JSON_STRING ||
		!deltacc_json_member(vector, "pathOrInlineDv", &path) || path.kind != JSON_STRING)
		return false;
	if (!deltacc_json_member(vector, "offset", &offset))
		offset.kind = JSON_NULL;
	else if (offset.kind != JSON_NULL && offset.kind != JSON_NUMBER)
		return false;

	id = deltacc_builder_begin_text(b, c, TOKEN_STRING, type.len + path.len + offset.len + 1);
	len = deltacc_json_unescape_into(id, &type, "?");
	len += deltacc_json_unescape_into(id + len, &path, "?");
	if (offset.kind == JSON_NUMBER)
	{
		id[len++] = '@';
		memcpy(id + len, offset.start, offset.len);
		len += offset.len;
	}
	deltacc_builder_end_text(b, c, len);
	return true;
}

/* Statistics as a string, the usual way, or as an object. */
static bool
add_stats(Builder *b, const FileMembers *m)
{
	if (m->stats_read)
		return true;
	if (m->stats.kind == JSON_OBJECT)
		return deltacc_builder_stats(b, m->stats.start, m->stats.len, false);
	if (m->stats.kind != JSON_STRING)
		return false;
	return deltacc_builder_stats(b, m->stats_text.data, m->stats_text.len, true);
}

static bool
emit_file(Builder *b, int kind, uint32 offset, uint32 length)
{
	const FileMembers *m = &b->members[kind];
	FileAction *file;
	uint8		flags = 0;

	if (m->path.kind != JSON_STRING)
	{
		errsave(b->escontext,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the action \"%s\" on line %d has no path", action_name(kind), b->lineno),
				 errdetail("Its \"path\" has to be a string."),
				 errhint(COMMIT_HINT)));
		return false;
	}

	deltacc_builder_add_token(b, b->roots[COLUMN_PATH], &m->path);
	if (m->partition_values.kind == JSON_OBJECT)
		deltacc_builder_partition_values(b, &m->partition_values);
	if (m->deletion_vector.kind == JSON_OBJECT)
	{
		if (!add_deletion_vector(b, &m->deletion_vector))
		{
			errsave(b->escontext,
					(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					 errmsg("the deletion vector on line %d is not complete", b->lineno),
					 errdetail("It needs \"storageType\" and \"pathOrInlineDv\" as strings, and \"offset\" as a number if it has one."),
					 errhint(COMMIT_HINT)));
			return false;
		}
		flags |= FILE_HAS_DV;
		b->flags |= ACTIONS_HAS_DV;
	}
	if (m->data_change)
	{
		flags |= FILE_DATA_CHANGE;
		b->flags |= ACTIONS_ANY_DATA_CHANGE;
	}
	if (m->has_base_row_id)
		flags |= FILE_HAS_BASE_ROW_ID;
	if (m->stats.kind != JSON_NULL)
	{
		flags |= FILE_STATS_PRESENT;
		if (add_stats(b, m))
			flags |= FILE_STATS_VALID;
	}

	if (b->row == b->files_capacity)
		b->files = deltacc_grow_array(b->files, &b->files_capacity, 32, sizeof(FileAction));
	file = &b->files[b->row++];
	memset(file, 0, sizeof(*file));
	file->kind = kind;
	file->flags = flags;
	file->ordinal = b->nactions;
	file->line_offset = offset;
	file->line_length = length;
	deltacc_builder_begin_file(b);
	return true;
}

static void
add_fingerprint(Builder *b, int kind, const JsonSlice *value)
{
	for (int i = 0; i < 2; i++)
		b->fingerprint[i] = hash_bytes_extended((const unsigned char *) value->start, value->len,
												hash_combine64(b->fingerprint[i], kind * 2 + i + 1));
}

/*
 * Is there but one action on the line?  Delta sees one only, and of several
 * never the commitInfo: what that one says must not excuse the others.
 */
static bool
stands_alone(const Builder *b)
{
	int			n = 0;

	for (int i = 0; i < b->nitems; i++)
		n += b->items[i].kind >= 0;
	return n == 1;
}

static bool
emit_other(Builder *b, const LineItem *item, uint32 offset, uint32 length)
{
	OtherAction *other;
	JsonSlice	member;

	if (item->kind == ACTION_COMMIT_INFO && !(b->flags & ACTIONS_HAS_COMMIT_INFO) && stands_alone(b) &&
		deltacc_json_member(&item->value, "isBlindAppend", &member) && member.kind == JSON_TRUE)
		b->flags |= ACTIONS_BLIND_APPEND;
	if (item->kind == ACTION_PROTOCOL || item->kind == ACTION_METADATA)
		add_fingerprint(b, item->kind, &item->value);
	if (item->kind == ACTION_TABLE_STATE &&
		(!deltacc_json_member(&item->value, "version", &member) ||
		 !deltacc_json_int64(&member, &b->table_version) || b->table_version < 0))
	{
		errsave(b->escontext,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("the tableState on line %d has no version", b->lineno),
				 errdetail("Its \"version\" has to be an integer that is not negative.")));
		return false;
	}

	if (b->nothers == b->others_capacity)
		b->others = deltacc_grow_array(b->others, &b->others_capacity, 8, sizeof(OtherAction));
	other = &b->others[b->nothers++];
	memset(other, 0, sizeof(*other));
	other->kind = item->kind;
	other->ordinal = b->nactions;
	other->line_offset = offset;
	other->line_length = length;
	return true;
}

/* The line has been read whole: its actions, in their order. */
static bool
emit_items(Builder *b, uint32 offset, uint32 length)
{
	for (int i = 0; i < b->nitems; i++)
	{
		const LineItem *item = &b->items[i];

		if (item->kind < 0)
			continue;
		b->nactions++;
		if (ACTION_IS_FILE(item->kind) ? !emit_file(b, item->kind, offset, length) :
			!emit_other(b, item, offset, length))
			return false;
		for (int k = 0; k < lengthof(known_actions); k++)
		{
			if (known_actions[k].kind == item->kind)
				b->flags |= known_actions[k].flag;
		}
	}
	return true;
}

static bool
read_line(Builder *b)
{
	JsonScanner s;
	JsonSlice	key;
	const char *start;

	deltacc_builder_begin_file(b);
	b->nitems = 0;
	memset(b->item_of_kind, -1, sizeof(b->item_of_kind));

	deltacc_json_init(&s, b->line, b->line_end - b->line, false);
	if (deltacc_json_at_end(&s))
		return true;			/* blank */
	start = s.pos;
	if (!deltacc_json_enter_object(&s))
		return report_scanner(b, &s);
	while (deltacc_json_next_key(&s, &key))
	{
		if (!read_item(b, &s, &key))
			return false;
	}
	if (s.error != NULL)
		return report_scanner(b, &s);
	if (emit_items(b, start - b->text, s.pos - start))
	{
		/* Whatever follows might be an action that nobody would see. */
		if (deltacc_json_at_end(&s))
			return true;
		return report_unreadable(b, s.pos, "the end of the line");
	}
	return false;
}

static bool
read_lines(Builder *b)
{
	const char *p = b->text;

	/* A byte order mark, as editors on Windows leave it. */
	if (b->end - p >= 3 && memcmp(p, "\xEF\xBB\xBF", 3) == 0)
		p += 3;

	while (p < b->end)
	{
		const char *newline = memchr(p, '\n', b->end - p);

		CHECK_FOR_INTERRUPTS();
		b->lineno++;
		b->line = p;
		b->line_end = newline ? newline : b->end;
		if (!read_line(b))
			return false;
		p = newline ? newline + 1 : b->end;
	}
	return true;
}

struct varlena *
deltacc_actions_parse(const char *text, int len, struct Node *escontext)
{
	MemoryContext result_context = CurrentMemoryContext;
	MemoryContext build_context = AllocSetContextCreate(CurrentMemoryContext, "deltacc actions",
														ALLOCSET_DEFAULT_SIZES);
	struct varlena *result = NULL;
	Builder		b = {0};

	MemoryContextSwitchTo(build_context);
	b.escontext = escontext;
	b.text = text;
	b.end = text + len;
	b.table_version = -1;
	for (int kind = 0; kind < lengthof(b.members); kind++)
		initStringInfo(&b.members[kind].stats_text);
	deltacc_builder_start(&b);

	if (read_lines(&b))
	{
		BuiltActions built = {
			.text_len = len,
			.flags = b.flags,
			.nactions = b.nactions,
			.nfiles = b.row,
			.files = b.files,
			.nothers = b.nothers,
			.others = b.others,
			.table_version = b.table_version,
			.columns = b.all,
		};

		memcpy(built.fingerprint, b.fingerprint, sizeof(built.fingerprint));
		result = deltacc_lay_out_actions(&built, result_context);
	}
	MemoryContextSwitchTo(result_context);
	MemoryContextDelete(build_context);
	if (result != NULL)
		deltacc_lay_out_text(result, text, len);
	return result;
}
