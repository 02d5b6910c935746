/*-------------------------------------------------------------------------
 *
 * net_writes.c
 *	  What a commit did by itself, where other commits came before it.
 *
 * A deletion vector holds all deleted rows of a file, those of earlier commits
 * too.  What a commit deleted is the difference of the one that it wrote and the
 * one that it found.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/json_edit.h"
#include "conflict/net_writes.h"
#include "delta/path.h"
#include "miscadmin.h"

/* One file that a commit removes and adds again. */
typedef struct ChangedFile
{
	const FileAction *add;		/* NULL: not added */
	const FileAction *remove;	/* NULL: not removed */
	bool		rewritten;		/* its new lines have been written */
} ChangedFile;

/*
 * The files of a commit, by their place in *paths: by path, so that one that is
 * added and removed is one.
 */
static ChangedFile *
changed_files(DeltaActions *a, const char *location, DeltaPathSet **paths)
{
	const FileAction *files;
	const ActionsColumn *column;
	ChangedFile *result;
	int			n;
	int			found = 0;

	files = deltacc_actions_files(a, &n);
	column = n > 0 ? deltacc_actions_column(a, COLUMN_PATH, "") : NULL;
	*paths = deltacc_path_set(location, Max(n, 8));
	result = palloc0(sizeof(ChangedFile) * Max(n, 1));
	for (int i = 0; i < n; i++)
	{
		int			at;

		if (files[i].kind == ACTION_CDC)
			continue;
		if (deltacc_path_set_add(*paths, deltacc_column_text(column, i), found))
			at = found++;
		else
			(void) deltacc_path_set_find(*paths, deltacc_column_text(column, i), &at, NULL);
		if (files[i].kind == ACTION_ADD)
			result[at].add = &files[i];
		else
			result[at].remove = &files[i];
	}
	return result;
}

/* The object of a file action, and its deletion vector as JSON: NULL for none. */
static const char *
vector_of(DeltaActions *a, const FileAction *file, JsonSlice *vector)
{
	const char *line = deltacc_actions_line(a, file->line_offset, file->line_length);
	JsonSlice	object;

	vector->kind = JSON_NULL;
	if (deltacc_edit_action(line, file->line_length, file->kind == ACTION_ADD ? "add" : "remove", &object) &&
		!deltacc_json_member(&object, "deletionVector", vector))
		vector->kind = JSON_NULL;
	return line;
}

/* The rows of a vector; NULL if they can't be known. */
static RowSet *
rows_of(const TransactionArgs *args, const JsonSlice *vector)
{
	DeletionVector dv;
	const uint8 *frame = NULL;
	Size		len = 0;
	const char *why = NULL;

	if (vector->kind == JSON_NULL)
		return deltacc_row_set_empty();
	if (!deltacc_deletion_vector_read(vector, &dv, &why))
		return NULL;
	if (deltacc_deletion_vector_in_file(&dv))
	{
		if (args->fetch_vector == NULL ||
			(frame = args->fetch_vector(args->fetch_arg, &dv, false, &len, &why)) == NULL)
			return NULL;
	}
	return deltacc_deletion_vector_rows(&dv, frame, len, &why);
}

/* The two lines of a file with the vectors that it would have had; false if
 * they can't be known. */
static bool
net_lines(const TransactionArgs *args, DeltaActions *winner, const ChangedFile *theirs, const ChangedFile *own,
		  char **add, char **remove)
{
	JsonSlice	base_vector;
	JsonSlice	old_vector;
	JsonSlice	new_vector;
	const char *add_line;
	const char *remove_line;
	RowSet	   *base;
	RowSet	   *before;
	RowSet	   *after;

	vector_of(winner, theirs->remove, &base_vector);
	remove_line = vector_of(args->writes, own->remove, &old_vector);
	add_line = vector_of(args->writes, own->add, &new_vector);
	if (new_vector.kind == JSON_NULL ||
		(base = rows_of(args, &base_vector)) == NULL ||
		(before = rows_of(args, &old_vector)) == NULL ||
		(after = rows_of(args, &new_vector)) == NULL ||
		!deltacc_row_set_contains(after, before))
		return false;
	after = deltacc_row_set_union(base, deltacc_row_set_minus(after, before));
	*add = deltacc_edit_set_in_action(add_line, own->add->line_length, "add", "deletionVector",
									  deltacc_deletion_vector_inline(after));
	*remove = deltacc_edit_set_in_action(remove_line, own->remove->line_length, "remove", "deletionVector",
										 base_vector.kind == JSON_NULL ? NULL :
										 pnstrdup(base_vector.start, base_vector.len));
	return true;
}

DeltaActions *
deltacc_net_writes(const TransactionArgs *args, DeltaActions *winner)
{
	const char *location = deltacc_path_location(args->table_location);
	DeltaPathSet *their_paths;
	DeltaPathSet *own_paths;
	ChangedFile *theirs;
	ChangedFile *own;
	const FileAction *files;
	const ActionsColumn *paths;
	const char *text;
	StringInfoData result;
	uint32		done = 0;
	int			len;
	int			n;
	bool		changed = false;

	if (!(deltacc_actions_flags(winner) & deltacc_actions_flags(args->writes) & ACTIONS_HAS_DV))
		return args->writes;
	theirs = changed_files(winner, location, &their_paths);
	own = changed_files(args->writes, location, &own_paths);
	files = deltacc_actions_files(args->writes, &n);
	paths = deltacc_actions_column(args->writes, COLUMN_PATH, "");
	text = deltacc_actions_text(args->writes, &len);
	initStringInfo(&result);
	for (int i = 0; i < n; i++)
	{
		int			mine;
		int			other;
		char	   *add;
		char	   *remove;

		CHECK_FOR_INTERRUPTS();
		/* once for each file, at the first of its actions */
		if (files[i].kind == ACTION_CDC ||
			!deltacc_path_set_find(their_paths, deltacc_column_text(paths, i), &other, NULL) ||
			!deltacc_path_set_find(own_paths, deltacc_column_text(paths, i), &mine, NULL) ||
			theirs[other].add == NULL || theirs[other].remove == NULL ||
			own[mine].add == NULL || own[mine].remove == NULL || own[mine].rewritten ||
			files[i].line_offset != Min(own[mine].add->line_offset, own[mine].remove->line_offset) ||
			own[mine].add->line_offset == own[mine].remove->line_offset ||
			!net_lines(args, winner, &theirs[other], &own[mine], &add, &remove))
			continue;

		/* The new lines go to the end, the old ones are left out. */
		own[mine].rewritten = true;
		appendStringInfo(&result, "%s\n%s\n", remove, add);
		changed = true;
	}
	if (!changed)
		return args->writes;

	for (int i = 0; i < n; i++)
	{
		int			mine;

		if (files[i].kind == ACTION_CDC ||
			!deltacc_path_set_find(own_paths, deltacc_column_text(paths, i), &mine, NULL) ||
			!own[mine].rewritten)
			continue;
		appendBinaryStringInfo(&result, text + done, files[i].line_offset - done);
		done = files[i].line_offset + files[i].line_length;
	}
	appendBinaryStringInfo(&result, text + done, len - done);
	return deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(result.data, result.len, NULL)));
}
