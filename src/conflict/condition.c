/*-------------------------------------------------------------------------
 *
 * condition.c
 *	  A condition that would have kept a transaction and a winner apart.
 *
 * What the transaction touched shows in the files that it adds and removes:
 * their partition values, and the range of a column in their statistics.
 * Where the winner's files have none of that in common, a condition on it may
 * have avoided the conflict.  It is advised only after it has been run over the
 * winner's files together with the read, as a check would.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "conflict/condition.h"
#include "conflict/json_edit.h"
#include "delta/stats.h"
#include "miscadmin.h"
#include "utils/fmgrprotos.h"

/* What is looked at, at most: advice must not cost more than the check. */
#define MAX_OWN_FILES	4096
#define MAX_COLUMNS		64
#define MAX_TESTED		8

/* So many values are listed; more are a range. */
#define MAX_VALUES		3

/* The values of one column over some files. */
typedef struct Extent
{
	const DeltaField *field;
	bool		known;			/* for each of the files */
	bool		has_null;
	int			nvalues;		/* distinct ones; MAX_VALUES + 1: many */
	DeltaScalar values[MAX_VALUES];
	bool		has_range;
	DeltaScalar lo;
	DeltaScalar hi;
} Extent;

/* ----- conditions as nodes ----- */

static PredicateNode *
make_node(PredicateKind kind, const char *text, int nchildren)
{
	PredicateNode *node = palloc0(sizeof(PredicateNode));

	node->kind = kind;
	node->location = -1;
	node->text = text;
	node->text_len = text ? strlen(text) : 0;
	node->nchildren = nchildren;
	node->children = nchildren > 0 ? palloc0(sizeof(PredicateNode *) * nchildren) : NULL;
	return node;
}

static PredicateNode *
column_node(const DeltaField *field)
{
	int			depth = 0;
	PredicateNode *node;

	for (const DeltaField *f = field; f != NULL; f = f->parent)
		depth++;
	node = make_node(PRED_COLUMN, NULL, depth);
	for (const DeltaField *f = field; f != NULL; f = f->parent)
		node->children[--depth] = make_node(PRED_NAME, f->name, 0);
	return node;
}

/* A literal of the type; NULL for a type that has none here. */
static PredicateNode *
literal_node(Transaction *txn, const DeltaType *type, DeltaScalar value)
{
	StringInfoData text;
	PredicateNode *node;

	initStringInfo(&text);
	switch (type->kind)
	{
		case DELTA_BOOLEAN:
			return make_node(value.i ? PRED_TRUE : PRED_FALSE, NULL, 0);
		case DELTA_BYTE:
		case DELTA_SHORT:
		case DELTA_INTEGER:
		case DELTA_LONG:
			appendStringInfo(&text, INT64_FORMAT, value.i);
			return make_node(PRED_INTEGER, text.data, 0);
		case DELTA_DECIMAL:
			appendStringInfoString(&text, DatumGetCString(DirectFunctionCall1(numeric_out, NumericGetDatum(value.n))));
			return make_node(PRED_DECIMAL, text.data, 0);
		case DELTA_DATE:
			deltacc_append_date(&text, value.i);
			return make_node(PRED_DATE, text.data, 0);
		case DELTA_TIMESTAMP:
			deltacc_append_timestamp(&text, value.i, txn->args.options.timezone);
			return make_node(PRED_TIMESTAMP, text.data, 0);
		case DELTA_TIMESTAMP_NTZ:
			deltacc_append_timestamp(&text, value.i, NULL);
			return make_node(PRED_TIMESTAMP_NTZ, text.data, 0);
		case DELTA_STRING:
			if (type->collated || type->char_length > 0)
				return NULL;
			node = make_node(PRED_STRING, value.s->data, 0);
			node->text_len = value.s->len;
			return node;
		default:
			return NULL;
	}
}

static PredicateNode *
is_null_node(PredicateNode *value, bool negated)
{
	PredicateNode *node = make_node(PRED_IS, "NULL", 1);

	node->flags = negated ? PRED_FLAG_NOT : 0;
	node->children[0] = value;
	return node;
}

/*
 * "column is within the extent", or outside of it; NULL if that can't be said.
 */
static PredicateNode *
extent_node(Transaction *txn, const Extent *e, bool negated)
{
	PredicateNode *node;

	if (!e->known)
		return NULL;
	if (e->has_null)
		return e->nvalues == 0 ? is_null_node(column_node(e->field), negated) : NULL;
	if (e->nvalues == 0 && !e->has_range)
		return NULL;
	if (e->nvalues == 1)
	{
		node = make_node(PRED_COMPARE, negated ? "<>" : "=", 2);
		node->children[1] = literal_node(txn, &e->field->type, e->values[0]);
	}
	else if (e->nvalues > 1 && e->nvalues <= MAX_VALUES)
	{
		node = make_node(PRED_IN, NULL, e->nvalues + 1);
		for (int i = 0; i < e->nvalues; i++)
			node->children[i + 1] = literal_node(txn, &e->field->type, e->values[i]);
	}
	else
	{
		node = make_node(PRED_BETWEEN, NULL, 3);
		node->children[1] = literal_node(txn, &e->field->type, e->lo);
		node->children[2] = literal_node(txn, &e->field->type, e->hi);
	}
	if (negated && node->kind != PRED_COMPARE)
		node->flags = PRED_FLAG_NOT;
	node->children[0] = column_node(e->field);
	for (int i = 1; i < node->nchildren; i++)
	{
		if (node->children[i] == NULL)
			return NULL;
	}
	return node;
}

static char *
node_text(const PredicateNode *node)
{
	StringInfoData out;

	initStringInfo(&out);
	deltacc_predicate_print(&out, node);
	return out.data;
}

/* In a sentence: "p = 'a'", "x from 10 to 19". */
static char *
extent_text(Transaction *txn, const Extent *e)
{
	Extent		values = *e;
	PredicateNode *node;
	StringInfoData out;

	if (!e->has_range)
		return node_text(is_null_node(column_node(e->field), false));
	initStringInfo(&out);
	values.has_null = false;
	node = e->nvalues > 0 && e->nvalues <= MAX_VALUES ? extent_node(txn, &values, false) : NULL;
	if (node != NULL)
		deltacc_predicate_print(&out, node);
	else
	{
		appendStringInfo(&out, "%s from ", e->field->logical_path);
		deltacc_value_print(&out, &e->field->type, e->lo, txn->args.options.timezone);
		appendStringInfoString(&out, " to ");
		deltacc_value_print(&out, &e->field->type, e->hi, txn->args.options.timezone);
	}
	if (e->has_null)
		appendStringInfoString(&out, " or NULL");
	return out.data;
}

/* ----- extents ----- */

static void
widen(Extent *e, DeltaScalar lo, DeltaScalar hi)
{
	if (!e->has_range || deltacc_value_compare(&e->field->type, lo, e->lo) < 0)
		e->lo = lo;
	if (!e->has_range || deltacc_value_compare(&e->field->type, hi, e->hi) > 0)
		e->hi = hi;
	e->has_range = true;
}

static void
add_value(Extent *e, DeltaScalar value)
{
	widen(e, value, value);
	for (int i = 0; i < Min(e->nvalues, MAX_VALUES); i++)
	{
		if (deltacc_value_compare(&e->field->type, e->values[i], value) == 0)
			return;
	}
	if (e->nvalues < MAX_VALUES)
		e->values[e->nvalues] = value;
	if (e->nvalues <= MAX_VALUES)
		e->nvalues++;
}

/* The partition values of a column over those files that count. */
static Extent
partition_extent(Transaction *txn, const DeltaField *field, DeltaActions *files, const bool *counts)
{
	Extent		e = {.field = field,.known = true};
	const ActionsColumn *column = deltacc_actions_column(files, COLUMN_PARTITION, field->physical_name);
	int			n;

	n = deltacc_actions_file_count(files);
	for (int i = 0; i < n && e.known; i++)
	{
		DeltaScalar value;
		bool		ambiguous = false;
		const char *error_class;

		if (!counts[i])
			continue;
		switch (deltacc_partition_value(column, i, &field->type, txn->args.options.timezone,
										&value, &ambiguous, &error_class))
		{
			case CAST_OK:
				add_value(&e, value);
				break;
			case CAST_NULL:
				e.has_null = true;
				break;
			default:
				e.known = false;
				break;
		}
		e.known &= !ambiguous;
	}
	return e;
}

/* The range of a column in the statistics of those files. */
static Extent
statistics_extent(Transaction *txn, const DeltaField *field, DeltaActions *files, const bool *counts)
{
	Extent		e = {.field = field,.known = true};
	const ActionsColumn *min = deltacc_actions_column(files, COLUMN_MIN, field->stats_path);
	const ActionsColumn *max = deltacc_actions_column(files, COLUMN_MAX, field->stats_path);
	const ActionsColumn *nulls = deltacc_actions_column(files, COLUMN_NULL_COUNT, field->stats_path);
	pg_tz	   *tz = txn->args.options.timezone;
	int			n;

	n = deltacc_actions_file_count(files);
	e.known = min != NULL && max != NULL && nulls != NULL;
	for (int i = 0; i < n && e.known; i++)
	{
		DeltaScalar lo,
					hi;
		int64		null_count;

		if (!counts[i])
			continue;
		if (deltacc_stat_value(min, i, &field->type, tz, false, &lo) &&
			deltacc_stat_value(max, i, &field->type, tz, true, &hi) &&
			deltacc_stat_count(nulls, i, &null_count) && null_count == 0 &&
			deltacc_value_compare(&field->type, lo, hi) <= 0)
			widen(&e, lo, hi);
		else
			e.known = false;
	}
	e.known &= e.has_range;
	return e;
}

/* Have two extents surely nothing in common? */
static bool
apart(const Extent *a, const Extent *b)
{
	const DeltaType *type = &a->field->type;

	if (!a->known || !b->known || (a->has_null && b->has_null))
		return false;
	if (!a->has_range || !b->has_range)
		return true;
	if (deltacc_value_compare(type, a->hi, b->lo) < 0 || deltacc_value_compare(type, b->hi, a->lo) < 0)
		return true;
	if (a->nvalues == 0 || a->nvalues > MAX_VALUES || b->nvalues == 0 || b->nvalues > MAX_VALUES)
		return false;
	for (int i = 0; i < a->nvalues; i++)
	{
		for (int j = 0; j < b->nvalues; j++)
		{
			if (deltacc_value_compare(type, a->values[i], b->values[j]) == 0)
				return false;
		}
	}
	return true;
}

/* ----- where the transaction's own files lie ----- */

/*
 * The files that the transaction adds and removes, as a value of their own; a
 * removed file by its add, if that is known, which has more to say.  NULL if
 * there are none, or too many.
 */
static DeltaActions *
own_files(Transaction *txn)
{
	DeltaActions *writes = txn->args.writes;
	const FileAction *files;
	StringInfoData text;
	int			n;

	if (txn->own_area_made || writes == NULL)
		return txn->own_area;
	txn->own_area_made = true;
	files = deltacc_actions_files(writes, &n);
	if (n > MAX_OWN_FILES)
		return NULL;
	initStringInfo(&text);
	for (int i = 0; i < n; i++)
	{
		if (files[i].kind == ACTION_CDC)
			continue;
		appendBinaryStringInfo(&text, deltacc_file_line(writes, &files[i]), files[i].line_length);
		appendStringInfoChar(&text, '\n');
	}
	if (text.len == 0)
		return NULL;

	/* The adds of what is removed, in its place. */
	if (txn->known_files != NULL && (deltacc_actions_flags(writes) & ACTIONS_HAS_REMOVE))
	{
		const ActionsColumn *paths = deltacc_actions_column(writes, COLUMN_PATH, "");
		const FileAction *known;
		const ActionsColumn *known_paths = deltacc_actions_column(txn->known_files, COLUMN_PATH, "");
		DeltaPathSet *found = deltacc_path_set(txn->location, 8);
		int			nknown;

		resetStringInfo(&text);
		known = deltacc_actions_files(txn->known_files, &nknown);
		for (int i = 0; i < nknown; i++)
		{
			DeltaString path = deltacc_file_path(known_paths, i);

			if (known[i].kind != ACTION_ADD ||
				!deltacc_path_set_find(deltacc_own_removes(txn), path, NULL, NULL))
				continue;
			deltacc_path_set_add(found, path, i);
			appendBinaryStringInfo(&text, deltacc_file_line(txn->known_files, &known[i]), known[i].line_length);
			appendStringInfoChar(&text, '\n');
		}
		for (int i = 0; i < n; i++)
		{
			if (files[i].kind == ACTION_CDC ||
				(files[i].kind == ACTION_REMOVE && deltacc_path_set_find(found, deltacc_file_path(paths, i), NULL, NULL)))
				continue;
			appendBinaryStringInfo(&text, deltacc_file_line(writes, &files[i]), files[i].line_length);
			appendStringInfoChar(&text, '\n');
		}
	}
	txn->own_area = deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
	return txn->own_area;
}

static bool *
all_files(DeltaActions *files)
{
	int			n;
	bool	   *result;

	n = deltacc_actions_file_count(files);
	result = palloc(Max(n, 1));
	memset(result, true, n);
	return result;
}

/* One file of many. */
static bool *
one_file(DeltaActions *files, int file)
{
	bool	   *result = palloc0(Max(deltacc_actions_file_count(files), 1));

	result[file] = true;
	return result;
}

const char *
deltacc_condition_without_own(Transaction *txn, DeltaActions *files, int file)
{
	const DeltaSchema *schema = txn->args.snapshot->schema;
	DeltaActions *own = txn->partitioned ? own_files(txn) : NULL;

	if (own == NULL)
		return NULL;
	for (int i = 0; i < schema->npartition_columns; i++)
	{
		Extent		ours = partition_extent(txn, schema->partition_columns[i], own, all_files(own));
		Extent		theirs = partition_extent(txn, schema->partition_columns[i], files, one_file(files, file));
		PredicateNode *node;

		/* A range may be all that there is, and what lies elsewhere is left out
		 * already. */
		if (ours.nvalues > MAX_VALUES || !theirs.known || apart(&ours, &theirs))
			continue;
		node = extent_node(txn, &ours, true);
		if (node != NULL)
			return node_text(node);
	}
	return NULL;
}

/*
 * Where nothing is known of what the transaction writes: the files that it was
 * told to have read, as far as they are known.  NULL if there are none, or too
 * many.
 */
static DeltaActions *
read_files(Transaction *txn)
{
	const ActionsColumn *paths;
	const uint8 *marks;
	StringInfoData text;
	int			n;

	if (txn->args.writes != NULL || !txn->args.has_read_files || txn->args.nread_files > MAX_OWN_FILES ||
		txn->known_files == NULL)
		return NULL;
	marks = deltacc_actions_marks(txn->known_files, &n);
	paths = deltacc_actions_column(txn->known_files, COLUMN_PATH, "");
	initStringInfo(&text);
	for (int i = 0; i < n; i++)
	{
		FileAction	file;

		CHECK_FOR_INTERRUPTS();
		if (FILE_MARK_KIND(marks[i]) != ACTION_ADD ||
			!deltacc_path_set_find(txn->read_paths, deltacc_file_path(paths, i), NULL, NULL))
			continue;
		file = deltacc_actions_file(txn->known_files, i);
		appendBinaryStringInfo(&text, deltacc_file_line(txn->known_files, &file), file.line_length);
		appendStringInfoChar(&text, '\n');
	}
	return text.len == 0 ? NULL :
		deltacc_actions_open(PointerGetDatum(deltacc_actions_parse(text.data, text.len, NULL)));
}

/* ----- which columns are worth a try ----- */

static bool
mentions(const DeltaExpr *e, const DeltaField *field)
{
	check_stack_depth();
	if (e->kind == EXPR_COLUMN && e->column == field)
		return true;
	for (int i = 0; i < e->nargs; i++)
	{
		if (mentions(e->args[i], field))
			return true;
	}
	return false;
}

/* Does a condition of the read speak of the column, other than a join? */
static bool
filters_by(const ReadPlan *plan, const DeltaField *field)
{
	for (int i = 0; i < plan->nconjuncts; i++)
	{
		if (plan->conjuncts[i].kind != CONJUNCT_FOREIGN && mentions(plan->conjuncts[i].expr, field))
			return true;
	}
	return false;
}

/* Is the table clustered by the column?  Its domain has physical names. */
static bool
is_clustering_column(Transaction *txn, const DeltaField *field)
{
	DeltaActions *snapshot = txn->args.snapshot->actions;
	const OtherAction *others;
	int			n;

	if (field->parent != NULL)
		return false;
	others = deltacc_actions_others(snapshot, &n);
	for (int i = n - 1; i >= 0; i--)
	{
		JsonSlice	domain;
		char	   *name,
				   *configuration;

		if (others[i].kind != ACTION_DOMAIN_METADATA ||
			!deltacc_edit_action(deltacc_other_line(snapshot, &others[i]), others[i].line_length,
								 "domainMetadata", &domain) ||
			(name = deltacc_edit_string(&domain, "domain")) == NULL || strcmp(name, "delta.clustering") != 0)
			continue;
		configuration = deltacc_edit_string(&domain, "configuration");
		return configuration != NULL &&
			strstr(configuration, psprintf("[%s]", deltacc_edit_quote(field->physical_name))) != NULL;
	}
	return false;
}

/* Data columns with statistics, those of the struct fields included. */
static List *
columns_with_statistics(const DeltaField *fields, int nfields, List *result)
{
	check_stack_depth();
	for (int i = 0; i < nfields && list_length(result) < MAX_COLUMNS; i++)
	{
		if (fields[i].type.kind == DELTA_STRUCT)
			result = columns_with_statistics(fields[i].type.fields, fields[i].type.nfields, result);
		else if (fields[i].has_stats)
			result = lappend(result, unconstify(DeltaField *, &fields[i]));
	}
	return result;
}

/*
 * In this order: columns of the clustering, columns that the read speaks of,
 * other numbers and times; a text that nobody asked for separates by chance.
 */
static List *
candidate_columns(Transaction *txn, const ReadPlan *plan)
{
	List	   *columns = columns_with_statistics(plan->schema->fields, plan->schema->nfields, NIL);
	List	   *ranks[3] = {NIL, NIL, NIL};
	ListCell   *lc;

	foreach(lc, columns)
	{
		DeltaField *field = lfirst(lc);

		if (is_clustering_column(txn, field))
			ranks[0] = lappend(ranks[0], field);
		else if (mentions(plan->predicate, field))
			ranks[1] = lappend(ranks[1], field);
		else if (DELTA_IS_INTEGRAL_KIND(field->type.kind) || field->type.kind == DELTA_DATE ||
				 field->type.kind == DELTA_TIMESTAMP || field->type.kind == DELTA_TIMESTAMP_NTZ)
			ranks[2] = lappend(ranks[2], field);
	}
	return list_concat(ranks[0], list_concat(ranks[1], ranks[2]));
}

/* ----- the test ----- */

/*
 * Can the read stand beside a condition?  A bare column that is no boolean is a
 * read, if one of nothing, but no operand of AND; an alias is none either.
 */
static bool
may_be_narrowed(const ReadPlan *plan, const PredicateNode *read)
{
	switch ((PredicateKind) read->kind)
	{
		case PRED_TRUE:
		case PRED_FALSE:
		case PRED_AND:
		case PRED_OR:
		case PRED_NOT:
		case PRED_COMPARE:
		case PRED_BETWEEN:
		case PRED_IN:
		case PRED_LIKE:
		case PRED_LIKE_LIST:
		case PRED_IS:
		case PRED_IS_DISTINCT:
		case PRED_EXISTS:
		case PRED_IN_SUBQUERY:
			return true;
		case PRED_COLUMN:
		case PRED_FUNCTION:
		case PRED_CASE:
		case PRED_CAST:
			return plan->predicate->kind != EXPR_UNKNOWN;
		default:
			return false;
	}
}

/* A transaction without reads has read all, as far as a condition goes. */
static PredicateNode *
read_node(Transaction *txn, int read)
{
	return read < 0 ? make_node(PRED_TRUE, NULL, 0) : deltacc_predicate_open(txn->args.reads[read]);
}

static const ReadPlan *
read_plan(Transaction *txn, int read)
{
	return read >= 0 ? deltacc_reader_plan(txn, read) :
		deltacc_read_plan(txn->args.snapshot, deltacc_predicate_flatten(read_node(txn, read)), &txn->args.options,
						  txn->args.table_name);
}

/*
 * The files that a read together with a condition selects, as a check with data
 * skipping would select them.
 */
static bool *
select_files(Transaction *txn, int read, PredicateNode *condition, DeltaActions *files, bool by_statistics)
{
	PredicateNode *both = make_node(PRED_AND, NULL, 2);
	PredicateNode *own = read_node(txn, read);
	DeltaccOptions options = txn->args.options;
	const ReadPlan *plan;
	const char *error_class = NULL;
	int			error_row = -1;
	bool	   *keep;
	int			n;

	/* No AND is a child of an AND. */
	if (own->kind == PRED_AND)
	{
		both = make_node(PRED_AND, NULL, own->nchildren + 1);
		memcpy(both->children, own->children, sizeof(PredicateNode *) * own->nchildren);
		both->children[own->nchildren] = condition;
	}
	else
	{
		both->children[0] = own;
		both->children[1] = condition;
	}
	if (by_statistics && options.data_skipping == DATA_SKIPPING_OFF)
		options.data_skipping = DATA_SKIPPING_ON;
	plan = deltacc_read_plan(txn->args.snapshot, deltacc_predicate_flatten(both), &options, txn->args.table_name);

	n = deltacc_actions_file_count(files);
	keep = palloc(Max(n, 1));
	memset(keep, true, n);
	if (plan->partition != NULL)
		deltacc_plan_partition_filter(plan, files, keep, &error_class, &error_row);
	if (by_statistics)
	{
		bool	   *data = palloc(Max(n, 1));

		deltacc_plan_skip_files(plan, files, data);
		for (int i = 0; i < n; i++)
			keep[i] &= data[i];
	}
	return keep;
}

/* Does the read with the condition miss the winner's files, and still find the
 * transaction's own? */
static bool
works(Transaction *txn, int read, PredicateNode *condition, DeltaActions *files, const bool *counts,
	  DeltaActions *own, bool by_statistics)
{
	bool	   *keep = select_files(txn, read, condition, files, by_statistics);
	int			n;

	n = deltacc_actions_file_count(files);
	for (int i = 0; i < n; i++)
	{
		if (counts[i] && keep[i])
			return false;
	}
	if (own == NULL)
		return true;
	keep = select_files(txn, read, condition, own, by_statistics);
	n = deltacc_actions_file_count(own);
	for (int i = 0; i < n; i++)
	{
		if (keep[i])
			return true;
	}
	return false;
}

static const Narrowing *
make_narrowing(Transaction *txn, PredicateNode *condition, const Extent *theirs, const Extent *ours, bool by_statistics)
{
	Narrowing  *result = palloc0(sizeof(Narrowing));

	result->condition = node_text(condition);
	result->winner = extent_text(txn, theirs);
	result->own = ours ? extent_text(txn, ours) : NULL;
	result->by_statistics = by_statistics;
	return result;
}

/*
 * own: the files that the transaction needs; NULL: not known.  statistics: may
 * these tell the files from the read?
 */
static const Narrowing *
find_narrowing(Transaction *txn, int read, DeltaActions *files, const bool *counts, DeltaActions *own,
			   bool statistics)
{
	const ReadPlan *plan = read_plan(txn, read);
	const DeltaSchema *schema = plan->schema;
	int			tested = 0;
	ListCell   *lc;

	if (!may_be_narrowed(plan, read_node(txn, read)))
		return NULL;
	for (int i = 0; i < schema->npartition_columns && tested < MAX_TESTED; i++)
	{
		const DeltaField *field = schema->partition_columns[i];
		Extent		theirs = partition_extent(txn, field, files, counts);
		Extent		ours = {.field = field};
		PredicateNode *condition;

		if (own != NULL)
		{
			ours = partition_extent(txn, field, own, all_files(own));
			if (!apart(&ours, &theirs))
				continue;
			condition = extent_node(txn, &ours, false);
		}
		else
			/* A column that the read filters by already has its condition. */
			condition = filters_by(plan, field) ? NULL : extent_node(txn, &theirs, true);
		if (condition == NULL)
			continue;
		tested++;
		if (works(txn, read, condition, files, counts, own, false))
			return make_narrowing(txn, condition, &theirs, own ? &ours : NULL, false);
	}

	/* Without own files no range is known. */
	if (own == NULL || !statistics)
		return NULL;
	foreach(lc, candidate_columns(txn, plan))
	{
		DeltaField *field = lfirst(lc);
		Extent		theirs,
					ours;
		PredicateNode *condition;

		CHECK_FOR_INTERRUPTS();
		if (tested >= MAX_TESTED)
			break;
		ours = statistics_extent(txn, field, own, all_files(own));
		if (!ours.known)
			continue;
		theirs = statistics_extent(txn, field, files, counts);
		if (!apart(&ours, &theirs))
			continue;
		condition = extent_node(txn, &ours, false);
		if (condition == NULL)
			continue;
		tested++;
		if (works(txn, read, condition, files, counts, own, true))
			return make_narrowing(txn, condition, &theirs, &ours, true);
	}
	return NULL;
}

const Narrowing *
deltacc_winner_narrowing(Transaction *txn, Winner *w, int read)
{
	if (w->narrowings == NULL)
	{
		w->narrowings = palloc0(sizeof(Narrowing *) * txn->args.nreads);
		w->narrowings_made = palloc0(sizeof(bool) * txn->args.nreads);
	}
	if (!w->narrowings_made[read])
	{
		bool	   *counts = palloc(w->nfiles);
		bool		statistics = true;

		for (int i = 0; i < w->nfiles; i++)
		{
			counts[i] = winner_adds(w, i) && (w->first_read == NULL || w->first_read[i] == read);
			if (counts[i] && deltacc_added_again(txn, w, i))
				statistics = false;
		}
		w->narrowings[read] = find_narrowing(txn, read, w->actions, counts,
											 txn->args.writes != NULL ? own_files(txn) : read_files(txn), statistics);
		w->narrowings_made[read] = true;
	}
	return w->narrowings[read];
}

const Narrowing *
deltacc_file_narrowing(Transaction *txn, int read, DeltaActions *files, int file)
{
	return find_narrowing(txn, read, files, one_file(files, file), own_files(txn), true);
}
