/*-------------------------------------------------------------------------
 *
 * logged_reads.c
 *	  What a commit read, as far as its own commitInfo shows it.
 *
 * operationParameters were made for people: what stands there is a printed
 * expression (UPDATE, DELETE), SQL (replaceWhere; in the logs of old releases
 * and of other writers everything), or the condition of a MERGE with both of
 * its sides.  Where it does not tell for certain what was read, the answer is
 * TRUE: a read may be shown wider than it was, never narrower.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "base/text.h"
#include "conflict/json_edit.h"
#include "conflict/logged_reads.h"
#include "miscadmin.h"
#include "predicate/bind.h"
#include "predicate/names.h"
#include "predicate/printed.h"

/* A condition on its way to a LoggedRead. */
typedef struct Reading
{
	DeltaSnapshot *snapshot;
	const DeltaccOptions *options;
	List	   *conjuncts;		/* PredicateNode *, ANDed; NIL: TRUE */
	bool		exact;
	const char *note;
} Reading;

static void read_parameters(Reading *reading, const char *operation, const JsonSlice *parameters);
static bool condition_texts(const JsonSlice *parameters, List **texts, bool *is_array);
static void add_conditions(Reading *reading, List *texts, bool is_sql, bool is_merge);
static void add_condition(Reading *reading, const char *text, bool is_printed, bool is_merge);
static void add_printed(Reading *reading, const char *text);
static void add_sql(Reading *reading, const char *text, bool is_merge);
static bool qualified_by_target(NameScope *scope, PredicateNode *node, bool *any);
static bool depends_on_zone(const DeltaExpr *e);
static void widen(Reading *reading, const char *note);
static LoggedRead *finish(Reading *reading);

List *
deltacc_logged_reads(DeltaSnapshot *snapshot, DeltaActions *commit, const DeltaccOptions *options)
{
	const OtherAction *info = deltacc_actions_first(commit, ACTION_COMMIT_INFO);
	Reading		reading = {snapshot, options, NIL, true, NULL};
	JsonSlice	object;

	if (deltacc_actions_flags(commit) & ACTIONS_BLIND_APPEND)
		return NIL;
	if (info == NULL ||
		!deltacc_edit_action(deltacc_actions_line(commit, info->line_offset, info->line_length),
							 info->line_length, "commitInfo", &object))
		widen(&reading, "the commit has no commitInfo");
	else
	{
		const char *operation = deltacc_edit_string(&object, "operation");
		JsonSlice	parameters = {JSON_NULL, NULL, 0, false};

		if (!deltacc_json_member(&object, "operationParameters", &parameters) || parameters.kind != JSON_OBJECT)
			parameters.kind = JSON_NULL;
		read_parameters(&reading, operation ? operation : "", &parameters);
	}
	return list_make1(finish(&reading));
}

char **
deltacc_logged_app_ids(DeltaActions *commit, int *n)
{
	const OtherAction *others;
	char	  **result;
	int			nothers;

	*n = 0;
	if (!(deltacc_actions_flags(commit) & ACTIONS_HAS_TXN))
		return NULL;
	others = deltacc_actions_others(commit, &nothers);
	result = palloc(sizeof(char *) * Max(nothers, 1));
	for (int i = 0; i < nothers; i++)
	{
		JsonSlice	object;
		char	   *app_id;

		if (others[i].kind == ACTION_TXN &&
			deltacc_edit_action(deltacc_actions_line(commit, others[i].line_offset, others[i].line_length),
								others[i].line_length, "txn", &object) &&
			(app_id = deltacc_edit_string(&object, "appId")) != NULL)
			result[(*n)++] = app_id;
	}
	return result;
}

/* Is a member there that is neither absent, null, false nor an empty array (as
 * text or as it is)? */
static bool
parameter_says(const JsonSlice *parameters, const char *name)
{
	JsonSlice	value;

	if (parameters->kind != JSON_OBJECT || !deltacc_json_member(parameters, name, &value))
		return false;
	switch (value.kind)
	{
		case JSON_NULL:
		case JSON_FALSE:
			return false;
		case JSON_STRING:
			return !deltacc_json_string_equals(&value, "[]") && !deltacc_json_string_equals(&value, "false");
		case JSON_ARRAY:
			return value.len > 2;
		default:
			return true;
	}
}

/* By operation. */
static void
read_parameters(Reading *reading, const char *operation, const JsonSlice *parameters)
{
	List	   *texts;
	bool		is_array;
	bool		readable = condition_texts(parameters, &texts, &is_array);

	if (strcmp(operation, "MERGE") == 0)
	{
		/* These clauses look at every row of the target. */
		if (parameter_says(parameters, "notMatchedBySourcePredicates"))
			widen(reading, "a MERGE with WHEN NOT MATCHED BY SOURCE reads every row");
		else if (!readable || texts == NIL)
			widen(reading, "the condition of the MERGE is not in the log");
		else
			add_conditions(reading, texts, false, true);
	}
	else if (strcmp(operation, "WRITE") == 0)
	{
		if (parameter_says(parameters, "isDynamicPartitionOverwrite"))
			widen(reading, "a dynamic partition overwrite reads the partitions that it writes");
		else if (parameter_says(parameters, "replaceOnCond") || parameter_says(parameters, "replaceUsingCols"))
			widen(reading, "a REPLACE ON or REPLACE USING compares with the rows that it writes");
		else if (!readable || texts == NIL)
			widen(reading, "the log does not say what a WRITE read that is no blind append");
		else
			add_conditions(reading, texts, true, false);
	}
	else if (strcmp(operation, "UPDATE") == 0 || strcmp(operation, "DELETE") == 0)
	{
		if (!readable)
			widen(reading, "the condition in the log can't be read");
		else if (texts == NIL)
			reading->note = "no condition: every row";
		else
			add_conditions(reading, texts, !is_array && strchr(linitial(texts), '#') == NULL, false);
	}
	else
		widen(reading, operation[0] ? psprintf("the log does not say what an operation %s read", operation) :
			  "the commit does not name its operation");
}

/*
 * The conditions in the parameter "predicate", unescaped: of a JSON array of
 * texts (in a string, or as it is), or one text by itself.  NIL if there is
 * none; false if it is something else.
 */
static bool
condition_texts(const JsonSlice *parameters, List **texts, bool *is_array)
{
	JsonSlice	value;
	JsonSlice	item;
	JsonScanner s;
	StringInfoData text;

	*texts = NIL;
	*is_array = true;
	if (parameters->kind != JSON_OBJECT || !deltacc_json_member(parameters, "predicate", &value) ||
		value.kind == JSON_NULL)
		return true;
	initStringInfo(&text);
	if (value.kind == JSON_STRING)
	{
		deltacc_json_unescape(&text, &value);
		if (text.len == 0 || strlen(text.data) != text.len)
			return false;
		if (text.data[0] != '[')
		{
			*texts = list_make1(text.data);
			*is_array = false;
			return true;
		}
	}
	else
		appendBinaryStringInfo(&text, value.start, value.len);

	deltacc_json_init(&s, text.data, text.len, false);
	if (!deltacc_json_enter_array(&s))
		return false;
	while (deltacc_json_next_element(&s, &item))
	{
		StringInfoData one;

		CHECK_FOR_INTERRUPTS();
		initStringInfo(&one);
		if (item.kind != JSON_STRING)
			return false;
		deltacc_json_unescape(&one, &item);
		/* What comes after a NUL would be lost. */
		if (strlen(one.data) != one.len)
			return false;
		*texts = lappend(*texts, one.data);
	}
	return s.error == NULL && deltacc_json_at_end(&s);
}

/*
 * Adds conditions, all of which hold.  A text is a printed expression if it has
 * a "#", since each of its columns has an id; else SQL, where that can't be a
 * misunderstanding.
 */
static void
add_conditions(Reading *reading, List *texts, bool is_sql, bool is_merge)
{
	ListCell   *lc;

	foreach(lc, texts)
	{
		const char *text = lfirst(lc);

		if (is_sql || strchr(text, '`') != NULL || (is_merge && strchr(text, '#') == NULL))
			add_condition(reading, text, false, is_merge);
		else if (is_merge)
			widen(reading, "a MERGE is printed without saying which side a column is of");
		else
			add_condition(reading, text, true, false);
	}
}

static void
widen(Reading *reading, const char *note)
{
	reading->exact = false;
	if (reading->note == NULL)
		reading->note = note;
}

/*
 * What must not stop a whole history from being read: a condition that is no
 * SQL of ours, or does not fit the table.
 */
static bool
is_about_condition(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case ERRCODE_DATA_EXCEPTION:
		case ERRCODE_SYNTAX_ERROR_OR_ACCESS_RULE_VIOLATION:
		case ERRCODE_PROGRAM_LIMIT_EXCEEDED:
		case ERRCODE_FEATURE_NOT_SUPPORTED:
			return true;
	}
	return false;
}

/* Takes the ERROR that was caught back, if it is about a condition. */
static char *
caught_condition_error(void)
{
	ErrorData  *failure = CopyErrorData();
	char	   *message;
	int			len;

	if (!is_about_condition(failure->sqlerrcode))
		PG_RE_THROW();
	FlushErrorState();
	message = deltacc_to_utf8(failure->message, strlen(failure->message), &len);
	return psprintf("the condition does not fit the table: %.*s", len, message);
}

Predicate *
deltacc_fitting_read(DeltaSnapshot *snapshot, Predicate *predicate, const DeltaccOptions *options,
					 const char **note)
{
	MemoryContext caller = CurrentMemoryContext;
	PredicateNode everything = {0};
	Predicate  *volatile result = predicate;

	*note = NULL;
	PG_TRY();
	{
		deltacc_bind(deltacc_predicate_open(predicate), snapshot->schema, options, NULL);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		*note = caught_condition_error();
		everything.kind = PRED_TRUE;
		everything.location = -1;
		result = deltacc_predicate_flatten(&everything);
	}
	PG_END_TRY();
	return result;
}

/*
 * Adds the conjuncts of one condition.  Nothing in here but memory is touched,
 * so that an ERROR leaves nothing to clean up.
 */
static void
add_condition(Reading *reading, const char *text, bool is_printed, bool is_merge)
{
	MemoryContext caller = CurrentMemoryContext;
	List	   *before = reading->conjuncts;

	PG_TRY();
	{
		if (is_printed)
			add_printed(reading, text);
		else
			add_sql(reading, text, is_merge);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(caller);
		reading->conjuncts = before;
		widen(reading, caught_condition_error());
	}
	PG_END_TRY();
}

static void
add_printed(Reading *reading, const char *text)
{
	PrintedCondition printed = deltacc_printed_condition(text, strlen(text), reading->snapshot->schema);

	if (printed.sql == NULL)
	{
		widen(reading, printed.note);
		return;
	}
	if (printed.widened)
		widen(reading, printed.note);
	if (printed.string_literal)
		widen(reading, "rests on a string whose quotes are lost");
	add_sql(reading, printed.sql, false);
}

/* The conjuncts of a condition, however its ANDs nest. */
static List *
collect_conjuncts(List *conjuncts, PredicateNode *node)
{
	check_stack_depth();
	if (node->kind != PRED_AND)
		return lappend(conjuncts, node);
	for (int i = 0; i < node->nchildren; i++)
		conjuncts = collect_conjuncts(conjuncts, node->children[i]);
	return conjuncts;
}

static void
add_sql(Reading *reading, const char *text, bool is_merge)
{
	const DeltaSchema *schema = reading->snapshot->schema;
	int			len;
	char	   *converted = deltacc_from_utf8(text, strlen(text), &len);
	PredicateNode *root = deltacc_predicate_parse_text(converted, len, NULL);
	ListCell   *lc;
	List	   *usable = NIL;
	NameScope	scope;

	/* Does it fit the table at all? */
	deltacc_bind(root, schema, reading->options, NULL);
	if (is_merge)
		deltacc_names_init(&scope, root, schema, reading->options, NULL);
	foreach(lc, collect_conjuncts(NIL, root))
	{
		PredicateNode *conjunct = lfirst(lc);

		CHECK_FOR_INTERRUPTS();

		/* TRUE stands for what is lost already */
		if (conjunct->kind == PRED_TRUE)
			continue;
		if (is_merge)
		{
			bool		any = false;

			if (!qualified_by_target(&scope, conjunct, &any) || !any)
			{
				widen(reading, "only the conjuncts of the MERGE that name the target alone are used");
				continue;
			}
		}
		if (depends_on_zone(deltacc_bind(conjunct, schema, reading->options, NULL)))
			widen(reading, "a timestamp stands in the writer's time zone, which is not in the log");
		else
			usable = lappend(usable, conjunct);
	}
	reading->conjuncts = list_concat(reading->conjuncts, usable);
}

/*
 * Are all columns of a MERGE's conjunct qualified by the target?  Then the
 * qualifiers are taken off: *any tells that there is a column.
 */
static bool
qualified_by_target(NameScope *scope, PredicateNode *node, bool *any)
{
	check_stack_depth();
	if (node->kind == PRED_COLUMN)
	{
		DeltaExpr  *e;
		int			depth = 0;

		*any = true;
		if (node->nchildren < 2 ||
			deltacc_schema_find(scope->schema, NULL, node->children[0]->text, node->children[0]->text_len) != NULL)
			return false;
		e = deltacc_names_resolve(scope, node);
		if (e == NULL || e->kind != EXPR_COLUMN)
			return false;
		for (const DeltaField *field = e->column; field != NULL; field = field->parent)
			depth++;
		if (depth >= node->nchildren)
			return false;
		node->children += node->nchildren - depth;
		node->nchildren = depth;
		return true;
	}
	for (int i = 0; i < node->nchildren; i++)
	{
		if (!qualified_by_target(scope, node->children[i], any))
			return false;
	}
	return node->kind != PRED_SUBQUERY && node->kind != PRED_LAMBDA;
}

/* May its value be another one in the writer's time zone than in ours? */
static bool
depends_on_zone(const DeltaExpr *e)
{
	check_stack_depth();
	if ((e->flags & EXPR_HAS_SESSION_TIMEZONE) || e->type.kind == DELTA_TIMESTAMP)
		return true;
	if ((e->kind == EXPR_IS_NULL || e->kind == EXPR_IS_NOT_NULL) && e->args[0]->kind == EXPR_COLUMN)
		return false;
	for (int i = 0; i < e->nargs; i++)
	{
		if (depends_on_zone(e->args[i]))
			return true;
	}
	return false;
}

/* Places in a text that nobody sees any more. */
static void
forget_locations(PredicateNode *node)
{
	check_stack_depth();
	node->location = -1;
	for (int i = 0; i < node->nchildren; i++)
		forget_locations(node->children[i]);
}

/* The conjunction, flat. */
static LoggedRead *
finish(Reading *reading)
{
	LoggedRead *read = palloc(sizeof(LoggedRead));
	PredicateNode *node = palloc0(sizeof(PredicateNode));
	int			n = list_length(reading->conjuncts);

	if (n == 0)
		node->kind = PRED_TRUE;
	else if (n == 1)
		node = linitial(reading->conjuncts);
	else
	{
		ListCell   *lc;

		node->kind = PRED_AND;
		node->children = palloc(sizeof(PredicateNode *) * n);
		foreach(lc, reading->conjuncts)
		{
			PredicateNode *conjunct = lfirst(lc);

			node->children[node->nchildren++] = conjunct;
		}
	}
	forget_locations(node);
	read->predicate = deltacc_predicate_flatten(node);
	read->exact = reading->exact;
	read->note = reading->note;
	return read;
}
