/*-------------------------------------------------------------------------
 *
 * predicate.c
 *	  The stored form of a predicate.
 *
 * A value is its header (predicate.h), then the nodes in preorder, each
 *
 *		uint8		kind
 *		uint8		flags
 *		uint16		zero
 *		uint32		bytes of text
 *		uint32		children
 *		text, padded with zeros to a multiple of 4
 *
 * with its children behind it, then one int32 per node: its location.  There
 * are no offsets that could point astray: a node begins where the one before
 * it ends, so that reading a value forwards checks all of it.
 *
 * An AND among the children of an AND (and OR likewise) is no node: its
 * children are those of the outer one, so that values are equal however their
 * conditions nest.  How they do is in one more int32 per node, if any does:
 * how many inner ones begin with the node, and how many end with it.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "predicate/predicate.h"

#define PREDICATE_VERSION	1
#define PREDICATE_NESTED	0x0100	/* in the header: AND in AND, or OR in OR */

#define NESTING(begin, end)	((int32) ((begin) << 16 | (end)))
#define NESTING_BEGIN(n)	((uint32) (n) >> 16)
#define NESTING_END(n)		((uint32) (n) & 0xFFFF)
#define MAX_NESTING			0xFFFF

typedef struct StoredNode
{
	uint8		kind;
	uint8		flags;
	uint16		zero;
	uint32		text_len;
	uint32		nchildren;
} StoredNode;

/* How many children a kind has, so that nobody looks for one in vain. */
#define ANY_NUMBER	PG_INT32_MAX

static const struct
{
	int			min;
	int			max;
	bool		text;			/* needs a text that is not empty */
}			shapes[PRED_NKINDS] = {
	[PRED_NULL] = {0, 0, false},
	[PRED_TRUE] = {0, 0, false},
	[PRED_FALSE] = {0, 0, false},
	[PRED_INTEGER] = {0, 0, true},
	[PRED_BYTE] = {0, 0, true},
	[PRED_SHORT] = {0, 0, true},
	[PRED_LONG] = {0, 0, true},
	[PRED_DECIMAL] = {0, 0, true},
	[PRED_FLOAT] = {0, 0, true},
	[PRED_DOUBLE] = {0, 0, true},
	[PRED_STRING] = {0, 0, false},
	[PRED_DATE] = {0, 0, false},
	[PRED_TIMESTAMP] = {0, 0, false},
	[PRED_TIMESTAMP_NTZ] = {0, 0, false},
	[PRED_TIMESTAMP_LTZ] = {0, 0, false},
	[PRED_BINARY] = {0, 0, false},
	[PRED_INTERVAL] = {0, 0, true},
	[PRED_STAR] = {0, 0, false},
	[PRED_COLUMN] = {1, ANY_NUMBER, false},
	[PRED_NAME] = {0, 0, false},
	[PRED_AND] = {2, ANY_NUMBER, false},
	[PRED_OR] = {2, ANY_NUMBER, false},
	[PRED_NOT] = {1, 1, false},
	[PRED_COMPARE] = {2, 2, true},
	[PRED_ARITHMETIC] = {2, 2, true},
	[PRED_NEGATE] = {1, 1, true},
	[PRED_BETWEEN] = {3, 3, false},
	[PRED_IN] = {2, ANY_NUMBER, false},
	[PRED_LIKE] = {2, 3, true},
	[PRED_LIKE_LIST] = {2, ANY_NUMBER, true},
	[PRED_IS] = {1, 1, true},
	[PRED_IS_DISTINCT] = {2, 2, false},
	[PRED_CASE] = {2, ANY_NUMBER, false},
	[PRED_CAST] = {1, 1, true},
	[PRED_FUNCTION] = {0, ANY_NUMBER, true},
	[PRED_SUBSCRIPT] = {2, 2, false},
	[PRED_FIELD] = {1, 1, false},
	[PRED_ROW] = {2, ANY_NUMBER, false},
	[PRED_LAMBDA] = {2, ANY_NUMBER, false},
	[PRED_COLLATE] = {1, 1, true},
	[PRED_ALIAS] = {1, 1, false},
	[PRED_WINDOW] = {1, 1, true},
	[PRED_SUBQUERY] = {0, 0, true},
	[PRED_EXISTS] = {1, 1, false},
	[PRED_IN_SUBQUERY] = {2, 2, false},
	[PRED_AGGREGATE] = {1, 1, true},
	[PRED_NAMED_ARGUMENT] = {1, 1, false},
};

static bool
has_shape(uint8 kind, uint8 flags, uint32 text_len, uint32 nchildren)
{
	if (kind >= PRED_NKINDS || nchildren < shapes[kind].min || nchildren > shapes[kind].max ||
		(shapes[kind].text && text_len == 0))
		return false;
	if (kind == PRED_CASE)
	{
		/* what is left are pairs */
		uint32		others = ((flags & PRED_FLAG_CASE_VALUE) != 0) + ((flags & PRED_FLAG_CASE_ELSE) != 0);

		return nchildren >= others + 2 && (nchildren - others) % 2 == 0;
	}
	return true;
}

/* ---------------------------------------------------------------------
 * Flattening
 * ---------------------------------------------------------------------
 */

/* Is it one that its parent takes in? */
static bool
is_inner(const PredicateNode *parent, const PredicateNode *child)
{
	return (parent->kind == PRED_AND || parent->kind == PRED_OR) && child->kind == parent->kind;
}

typedef struct Measure
{
	Size		nnodes;
	Size		nodes_size;
	bool		nested;
} Measure;

static void
measure(const PredicateNode *node, bool inner, Measure *m)
{
	check_stack_depth();
	if (inner)
		m->nested = true;
	else
	{
		m->nnodes++;
		m->nodes_size += sizeof(StoredNode) + INTALIGN(node->text_len);
	}
	for (int i = 0; i < node->nchildren; i++)
		measure(node->children[i], is_inner(node, node->children[i]), m);
}

static uint32
count_children(const PredicateNode *node)
{
	uint32		n = 0;

	check_stack_depth();
	for (int i = 0; i < node->nchildren; i++)
		n += is_inner(node, node->children[i]) ? count_children(node->children[i]) : 1;
	return n;
}

typedef struct Writer
{
	char	   *to;
	int32	   *location;		/* of the next node */
	int32	   *nesting;		/* the same; NULL: none is stored */
} Writer;

static int32 *write_children(Writer *w, const PredicateNode *node);

static void
write_node(Writer *w, const PredicateNode *node)
{
	StoredNode	stored = {
		.kind = node->kind,
		.flags = node->flags & ~PRED_FLAG_GROUPED,
		.text_len = node->text_len,
		.nchildren = count_children(node),
	};

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	Assert(has_shape(stored.kind, stored.flags, stored.text_len, stored.nchildren));

	memcpy(w->to, &stored, sizeof(stored));
	w->to += sizeof(stored);
	if (node->text_len > 0)
	{
		memcpy(w->to, node->text, node->text_len);
		memset(w->to + node->text_len, 0, INTALIGN(node->text_len) - node->text_len);
		w->to += INTALIGN(node->text_len);
	}
	*w->location++ = node->location;
	if (w->nesting != NULL)
		*w->nesting++ = 0;
	(void) write_children(w, node);
}

/*
 * The children of a node and of the inner ones; where the nesting of the last
 * of them stands.
 */
static int32 *
write_children(Writer *w, const PredicateNode *node)
{
	int32	   *last = NULL;

	check_stack_depth();
	for (int i = 0; i < node->nchildren; i++)
	{
		const PredicateNode *child = node->children[i];
		int32	   *first = w->nesting;

		if (is_inner(node, child))
		{
			last = write_children(w, child);
			if (NESTING_BEGIN(*first) >= MAX_NESTING || NESTING_END(*last) >= MAX_NESTING)
				ereport(ERROR,
						(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
						 errmsg("predicate is nested too deeply")));
			*first += NESTING(1, 0);
			*last += NESTING(0, 1);
		}
		else
		{
			last = first;
			write_node(w, child);
		}
	}
	return last;
}

Predicate *
deltacc_predicate_flatten(const PredicateNode *root)
{
	Measure		m = {0};
	Writer		w;
	Size		size;
	Predicate  *predicate;

	measure(root, false, &m);
	size = sizeof(Predicate) + m.nodes_size + m.nnodes * sizeof(int32) * (m.nested ? 2 : 1);
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("predicate is too large"),
				 errdetail("It has %zu parts, which take %zu bytes; a value has at most %zu.",
						   m.nnodes, size, (Size) MaxAllocSize)));

	predicate = palloc(size);
	SET_VARSIZE(predicate, size);
	predicate->header = PREDICATE_VERSION | (m.nested ? PREDICATE_NESTED : 0);
	predicate->nnodes = m.nnodes;
	predicate->nodes_size = m.nodes_size;
	w.to = (char *) (predicate + 1);
	w.location = (int32 *) (w.to + m.nodes_size);
	w.nesting = m.nested ? w.location + m.nnodes : NULL;
	write_node(&w, root);
	Assert(w.to == (char *) (predicate + 1) + m.nodes_size);
	return predicate;
}

/* ---------------------------------------------------------------------
 * Opening
 * ---------------------------------------------------------------------
 */

typedef struct Opener
{
	const char *pos;
	const char *end;
	const int32 *location;		/* of the next node */
	const int32 *nesting;		/* the same; NULL: there is none */
	PredicateNode *node;		/* the next free one */
	uint32		nodes_left;		/* ... and how many there are */
	PredicateNode **child;		/* the next free link to a child */
	uint32		children_left;
} Opener;

static void
corrupt(const char *what)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATA_CORRUPTED),
			 errmsg("predicate is corrupt"),
			 errdetail("%s", what)));
}

/*
 * Puts the inner ANDs, or ORs, back among a node's children.  They end where
 * they began at the latest.
 */
static void
nest_children(PredicateNode *node, const int32 *const *nesting)
{
	PredicateNode **children = palloc_extended(sizeof(PredicateNode *) * (Size) node->nchildren, MCXT_ALLOC_HUGE);
	PredicateNode **stack = palloc_extended(sizeof(PredicateNode *) * (Size) (node->nchildren + 1), MCXT_ALLOC_HUGE);
	int		   *start = palloc_extended(sizeof(int) * (Size) (node->nchildren + 1), MCXT_ALLOC_HUGE);
	int			depth = 0;
	int			n = 0;

	for (int i = 0; i < node->nchildren; i++)
	{
		CHECK_FOR_INTERRUPTS();
		for (uint32 k = NESTING_BEGIN(*nesting[i]); k > 0; k--)
		{
			/* each holds two at least */
			if (depth >= node->nchildren)
				corrupt("More conditions begin in it than it has.");
			stack[depth] = palloc0(sizeof(PredicateNode));
			stack[depth]->kind = node->kind;
			stack[depth]->location = -1;
			start[depth++] = n;
		}
		children[n++] = node->children[i];
		for (uint32 k = NESTING_END(*nesting[i]); k > 0; k--)
		{
			PredicateNode *inner;

			if (depth == 0 || n - start[depth - 1] < 2)
				corrupt("A condition ends in it that didn't begin.");
			inner = stack[--depth];
			inner->nchildren = n - start[depth];
			inner->children = palloc_extended(sizeof(PredicateNode *) * (Size) inner->nchildren, MCXT_ALLOC_HUGE);
			memcpy(inner->children, children + start[depth], sizeof(PredicateNode *) * (Size) inner->nchildren);
			n = start[depth];
			children[n++] = inner;
		}
	}
	if (depth != 0 || n < 2)
		corrupt("A condition begins in it that doesn't end.");
	memcpy(node->children, children, sizeof(PredicateNode *) * (Size) n);
	node->nchildren = n;
	pfree(children);
	pfree(stack);
	pfree(start);
}

static PredicateNode *
open_node(Opener *o)
{
	PredicateNode *node;
	StoredNode	stored;
	const int32 **nesting = NULL;
	bool		nested = false;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();

	if (o->nodes_left == 0)
		corrupt("It has more parts than its header says.");
	if (o->end - o->pos < (ptrdiff_t) sizeof(stored))
		corrupt("It ends in the middle of a part.");
	memcpy(&stored, o->pos, sizeof(stored));
	o->pos += sizeof(stored);
	if (!has_shape(stored.kind, stored.flags, stored.text_len, stored.nchildren))
		corrupt("A part is of an unknown kind or has not the children of its kind.");
	if (stored.text_len > (Size) (o->end - o->pos) ||
		INTALIGN((Size) stored.text_len) > (Size) (o->end - o->pos))
		corrupt("A part's text reaches beyond the end.");
	if (stored.nchildren > o->children_left)
		corrupt("A part has more children than there are parts.");

	node = o->node++;
	o->nodes_left--;
	node->kind = stored.kind;
	node->flags = stored.flags;
	node->location = *o->location++;
	node->text = stored.text_len > 0 ? o->pos : NULL;
	node->text_len = stored.text_len;
	o->pos += INTALIGN(stored.text_len);
	node->nchildren = stored.nchildren;
	node->children = o->child;
	o->child += stored.nchildren;
	o->children_left -= stored.nchildren;
	if (o->nesting != NULL)
	{
		o->nesting++;
		if (node->kind == PRED_AND || node->kind == PRED_OR)
			nesting = palloc_extended(sizeof(int32 *) * (Size) stored.nchildren, MCXT_ALLOC_HUGE);
	}
	for (uint32 i = 0; i < stored.nchildren; i++)
	{
		if (nesting != NULL)
		{
			if (o->nodes_left == 0)
				corrupt("It has more parts than its header says.");
			nesting[i] = o->nesting;
			nested = nested || *o->nesting != 0;
		}
		node->children[i] = open_node(o);
	}
	if (nested)
		nest_children(node, nesting);
	if (nesting != NULL)
		pfree(nesting);
	return node;
}

PredicateNode *
deltacc_predicate_open(const Predicate *predicate)
{
	Size		size = VARSIZE(predicate);
	Size		body;
	bool		nested;
	Opener		o;
	char	   *copy;
	PredicateNode *root;

	if (size < sizeof(Predicate))
		corrupt("It is too short.");
	nested = (predicate->header & PREDICATE_NESTED) != 0;
	if ((predicate->header & ~PREDICATE_NESTED) != PREDICATE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("predicate is stored in layout %u, which this version of deltacc doesn't read",
						predicate->header),
				 errhint("Dump it with the version that wrote it, and load it again.")));
	body = size - sizeof(Predicate);
	if (predicate->nodes_size > body || predicate->nodes_size % sizeof(int32) != 0 ||
		predicate->nnodes == 0 ||
		(body - predicate->nodes_size) / sizeof(int32) != (Size) predicate->nnodes * (nested ? 2 : 1))
		corrupt("Its sizes don't add up.");

	/* the value may be a page of a table: no node points into it */
	copy = palloc(body);
	memcpy(copy, predicate + 1, body);
	o.pos = copy;
	o.end = copy + predicate->nodes_size;
	o.location = (const int32 *) o.end;
	o.nesting = nested ? o.location + predicate->nnodes : NULL;
	o.nodes_left = predicate->nnodes;
	o.node = palloc_extended(sizeof(PredicateNode) * (Size) predicate->nnodes, MCXT_ALLOC_HUGE);
	o.children_left = predicate->nnodes - 1;
	o.child = palloc_extended(sizeof(PredicateNode *) * (Size) predicate->nnodes, MCXT_ALLOC_HUGE);

	root = open_node(&o);
	if (o.pos != o.end || o.nodes_left != 0)
		corrupt("Something stands behind its last part.");
	return root;
}

const char *
deltacc_predicate_identity(const Predicate *predicate, Size *size)
{
	Size		whole = VARSIZE(predicate);

	if (whole < sizeof(Predicate) || predicate->nodes_size > whole - sizeof(Predicate))
		corrupt("Its sizes don't add up.");
	*size = predicate->nodes_size;
	return (const char *) (predicate + 1);
}
