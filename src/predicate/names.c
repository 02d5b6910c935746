/*-------------------------------------------------------------------------
 *
 * names.c
 *	  Qualified names: the target's columns and everybody else's.
 *
 * A condition may come from a MERGE and speak of two relations, but all we
 * have is its text and one schema.  The rules (semantics.md, section 4) err on
 * the side of "another relation": such a conjunct filters nothing.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"

#include "base/text.h"
#include "predicate/names.h"
#include "predicate/pred_parse.h"

char *
deltacc_names_message_text(const char *text, int len)
{
	int			out_len;
	char	   *converted = deltacc_from_utf8(text, len, &out_len);

	return pnstrdup(converted, out_len);
}

int
deltacc_names_errplace(const PredicateNode *node)
{
	if (node->location >= 0)
		errdetail("At character %d of the predicate.", node->location + 1);
	return 0;
}

/*
 * Equal but for the case of ASCII letters: the database's locale knows nothing
 * of this text's encoding.
 */
static bool
same_text(const char *a, int a_len, const char *b, int b_len)
{
	int			i;

	if (a_len != b_len)
		return false;
	for (i = 0; i < a_len; i++)
	{
		if (pg_ascii_tolower((unsigned char) a[i]) != pg_ascii_tolower((unsigned char) b[i]))
			return false;
	}
	return true;
}

static bool
same_word(const PredicateNode *segment, const char *word)
{
	return word != NULL && same_text(segment->text, segment->text_len, word, strlen(word));
}

/*
 * Cuts a table's name at its dots, those in backticks apart.  A path
 * (delta.`/data/orders`, /data/orders) is one part.
 */
static void
split_table_name(NameScope *scope, const char *name)
{
	StringInfoData part;
	const char *p;
	bool		quoted = false;

	if (name == NULL || name[0] == '\0')
		return;
	scope->table_parts = palloc(sizeof(char *) * (strlen(name) + 1));
	if (strchr(name, '/') != NULL && name[strcspn(name, "`")] == '\0')
	{
		scope->table_parts[scope->ntable_parts++] = pstrdup(name);
		return;
	}
	initStringInfo(&part);
	for (p = name;; p++)
	{
		if (*p == '\0' || (*p == '.' && !quoted))
		{
			scope->table_parts[scope->ntable_parts++] = pstrdup(part.data);
			resetStringInfo(&part);
			if (*p == '\0')
				break;
		}
		else if (*p == '`' && quoted && p[1] == '`')
			appendStringInfoChar(&part, *p++);
		else if (*p == '`')
			quoted = !quoted;
		else
			appendStringInfoChar(&part, *p);
	}
}

/*
 * How many leading segments of a name are the target's alias or own name; 0
 * if none are.  At least one segment has to remain.
 */
static int
explicit_qualifier(const NameScope *scope, const PredicateNode *name)
{
	int			n = scope->ntable_parts;
	int			i;

	if (name->nchildren < 2)
		return 0;
	if (same_word(name->children[0], scope->alias))
		return 1;
	/* the whole name, or the end of it: catalog.db.tab, db.tab, tab */
	for (; n > 0; n--)
	{
		char	  **parts = scope->table_parts + (scope->ntable_parts - n);

		if (name->nchildren <= n)
			continue;
		for (i = 0; i < n && same_word(name->children[i], parts[i]); i++)
			;
		if (i == n)
			return n;
	}
	return 0;
}

static bool
is_implicit_qualifier(const PredicateNode *segment)
{
	return same_word(segment, "t") || same_word(segment, "target");
}

static bool
is_source_qualifier(const PredicateNode *segment)
{
	return same_word(segment, "s") || same_word(segment, "source");
}

static const DeltaField *
find_segment(const NameScope *scope, const DeltaField *parent, const PredicateNode *segment)
{
	return deltacc_schema_find(scope->schema, parent, segment->text, segment->text_len);
}

/*
 * Is a.b (for this name) an access to a column a that has parts?
 */
static bool
starts_with_complex_column(const NameScope *scope, const PredicateNode *name)
{
	const DeltaField *field = find_segment(scope, NULL, name->children[0]);

	return field != NULL && !DELTA_IS_ATOMIC_KIND(field->type.kind);
}

static bool
is_file_metadata(const NameScope *scope, const PredicateNode *name)
{
	return same_word(name->children[0], "_metadata") && find_segment(scope, NULL, name->children[0]) == NULL;
}

static bool
is_lambda_parameter(const LambdaScope *lambdas, const PredicateNode *name)
{
	const LambdaScope *scope;
	int			i;

	for (scope = lambdas; scope != NULL; scope = scope->outer)
	{
		for (i = 0; i + 1 < scope->lambda->nchildren; i++)
		{
			const PredicateNode *parameter = scope->lambda->children[i];
			const PredicateNode *first = name->children[0];

			if (same_text(parameter->text, parameter->text_len, first->text, first->text_len))
				return true;
		}
	}
	return false;
}

typedef struct Qualifiers
{
	bool		unknown;		/* neither ours nor t, target, s, source */
	bool		source;			/* s, source */
	bool		implicit;		/* t, target */
} Qualifiers;

/*
 * Notes how the names of a condition are qualified.
 */
static void
collect_qualifiers(const NameScope *scope, const PredicateNode *node, LambdaScope *lambdas, Qualifiers *found)
{
	LambdaScope inner;
	int			i;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (node->kind == PRED_COLUMN)
	{
		const PredicateNode *first;

		if (node->nchildren < 2 || is_lambda_parameter(lambdas, node) ||
			explicit_qualifier(scope, node) > 0 || starts_with_complex_column(scope, node) ||
			is_file_metadata(scope, node))
			return;
		first = node->children[0];
		if (is_source_qualifier(first))
			found->source = true;
		else if (scope->alias == NULL && is_implicit_qualifier(first))
			found->implicit = true;
		else
			found->unknown = true;
		return;
	}
	if (node->kind == PRED_LAMBDA)
	{
		inner.lambda = node;
		inner.outer = lambdas;
		lambdas = &inner;
	}
	for (i = 0; i < node->nchildren; i++)
		collect_qualifiers(scope, node->children[i], lambdas, found);
}

void
deltacc_names_init(NameScope *scope, const PredicateNode *root, const DeltaSchema *schema,
				   const DeltaccOptions *options, const char *table_name)
{
	Qualifiers	found = {false, false, false};

	memset(scope, 0, sizeof(*scope));
	scope->schema = schema;
	scope->alias = options->target_alias;
	split_table_name(scope, table_name);

	collect_qualifiers(scope, root, NULL, &found);
	scope->implicit = scope->alias == NULL && !found.unknown;
	scope->has_foreign = found.unknown || found.source || (found.implicit && !scope->implicit);
}

static char *
name_text(const PredicateNode *name)
{
	StringInfoData text;

	initStringInfo(&text);
	deltacc_predicate_print(&text, name);
	return text.data;
}

static DeltaExpr *
unknown(const PredicateNode *name, uint32 flags, DeltaExpr *reference)
{
	return deltacc_expr_unknown(deltacc_type(DELTA_OTHER), name_text(name), flags,
								reference != NULL ? 1 : 0, &reference);
}

/*
 * The struct below which the last segment of a name was looked for; NULL: the
 * table.
 */
static const DeltaField *
innermost_struct(const NameScope *scope, const PredicateNode *name)
{
	const DeltaField *field = NULL;
	int			i = 0;

	/* a qualifier may stand before it */
	while (i + 2 < name->nchildren && find_segment(scope, NULL, name->children[i]) == NULL)
		i++;
	for (; i + 1 < name->nchildren; i++)
	{
		const DeltaField *next = find_segment(scope, field, name->children[i]);

		if (next == NULL || next->type.kind != DELTA_STRUCT)
			break;
		field = next;
	}
	return field;
}

#define MAX_SHOWN_FIELDS	10

static char *
list_fields(const DeltaField *parent)
{
	StringInfoData list;
	int			i;

	initStringInfo(&list);
	for (i = 0; i < parent->type.nfields && i < MAX_SHOWN_FIELDS; i++)
	{
		const char *name = parent->type.fields[i].name;

		appendStringInfoString(&list, i > 0 ? ", " : "");
		deltacc_pred_print_name(&list, name, strlen(name));
	}
	if (parent->type.nfields > MAX_SHOWN_FIELDS)
		appendStringInfoString(&list, ", ...");
	return deltacc_names_message_text(list.data, list.len);
}

static void
unknown_field(const DeltaField *parent, const PredicateNode *place, const char *field, int len, const char *text)
{
	const char *near = deltacc_schema_suggest_field(parent, pnstrdup(field, len));
	char	   *path = deltacc_names_message_text(parent->logical_path, strlen(parent->logical_path));

	if (near != NULL)
		near = deltacc_names_message_text(near, strlen(near));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column %s does not exist in the table", text),
			 deltacc_names_errplace(place),
			 near != NULL ? errhint("The nearest field is %s. The fields of %s are: %s.", near, path, list_fields(parent)) :
			 errhint("The fields of %s are: %s.", path, list_fields(parent))));
}

void
deltacc_names_unknown_column(NameScope *scope, const PredicateNode *name)
{
	const PredicateNode *last = name->children[name->nchildren - 1];
	const DeltaField *parent = innermost_struct(scope, name);
	char	   *printed = name_text(name);
	char	   *text = deltacc_names_message_text(printed, strlen(printed));
	char	   *near;

	if (parent != NULL)
		unknown_field(parent, name, last->text, last->text_len, text);
	near = deltacc_schema_suggest(scope->schema, printed);
	if (near != NULL)
		near = deltacc_names_message_text(near, strlen(near));
	ereport(ERROR,
			(errcode(ERRCODE_UNDEFINED_COLUMN),
			 errmsg("column %s does not exist in the table", text),
			 deltacc_names_errplace(name),
			 near != NULL ? errhint("%s", near) : 0));
}

void
deltacc_names_check_field(NameScope *scope, const DeltaExpr *e, const PredicateNode *node, const char *field, int len)
{
	char	   *printed;

	/* beside another relation's names it may be that one's column */
	if (e->kind != EXPR_COLUMN || e->type.kind != DELTA_STRUCT || scope->has_foreign)
		return;
	printed = name_text(node);
	unknown_field(e->column, node, field, len, deltacc_names_message_text(printed, strlen(printed)));
}

/*
 * Walks from segment i on down into structs.  NULL: there is no such field.
 */
static DeltaExpr *
resolve_path(const NameScope *scope, const PredicateNode *name, int i)
{
	const DeltaField *field = NULL;

	for (; i < name->nchildren; i++)
	{
		if (field != NULL && field->type.kind != DELTA_STRUCT && !DELTA_IS_ATOMIC_KIND(field->type.kind))
			return unknown(name, 0, deltacc_expr_column(field));	/* of a map or array */
		if (field != NULL && field->type.kind != DELTA_STRUCT)
			return NULL;
		field = find_segment(scope, field, name->children[i]);
		if (field == NULL)
			return NULL;
	}
	return deltacc_expr_column(field);
}

DeltaExpr *
deltacc_names_resolve(NameScope *scope, const PredicateNode *name)
{
	int			qualifier;
	DeltaExpr	   *e;

	if (is_lambda_parameter(scope->lambdas, name))
		return unknown(name, 0, NULL);
	if (is_file_metadata(scope, name))
		return unknown(name, EXPR_HAS_FILE_METADATA, NULL);

	qualifier = explicit_qualifier(scope, name);
	if (qualifier > 0)
	{
		e = resolve_path(scope, name, qualifier);
		if (e != NULL)
			return e;
	}
	if (name->nchildren == 1)
	{
		e = resolve_path(scope, name, 0);
		/* beside another relation's names this may be a column of that one */
		if (e == NULL && scope->has_foreign)
			return unknown(name, EXPR_HAS_FOREIGN, NULL);
		return e;
	}
	if (starts_with_complex_column(scope, name))
	{
		e = resolve_path(scope, name, 0);
		if (scope->has_foreign)
			return unknown(name, EXPR_HAS_FOREIGN, e);
		if (e == NULL)
			deltacc_names_unknown_column(scope, name);
		return e;
	}
	if (scope->implicit && is_implicit_qualifier(name->children[0]))
	{
		qualifier = 1;
		e = resolve_path(scope, name, 1);
		if (e != NULL)
			return e;
	}
	if (qualifier > 0)
		deltacc_names_unknown_column(scope, name);
	return unknown(name, EXPR_HAS_FOREIGN, NULL);
}

DeltaExpr *
deltacc_names_struct_field(NameScope *scope, const DeltaExpr *e, const char *field, int len)
{
	const DeltaField *found;

	if (e->kind != EXPR_COLUMN || e->type.kind != DELTA_STRUCT)
		return NULL;
	found = deltacc_schema_find(scope->schema, e->column, field, len);
	return found != NULL ? deltacc_expr_column(found) : NULL;
}
