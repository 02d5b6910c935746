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
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "predicate/predicate.h"

#define PREDICATE_VERSION	1

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

static void
measure(const PredicateNode *node, Size *nnodes, Size *nodes_size)
{
	check_stack_depth();
	*nnodes += 1;
	*nodes_size += sizeof(StoredNode) + INTALIGN(node->text_len);
	for (int i = 0; i < node->nchildren; i++)
		measure(node->children[i], nnodes, nodes_size);
}

static char *
flatten(const PredicateNode *node, char *to, int32 **location)
{
	StoredNode	stored = {
		.kind = node->kind,
		.flags = node->flags,
		.text_len = node->text_len,
		.nchildren = node->nchildren,
	};

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	Assert(has_shape(node->kind, node->flags, node->text_len, node->nchildren));

	memcpy(to, &stored, sizeof(stored));
	to += sizeof(stored);
	if (node->text_len > 0)
	{
		memcpy(to, node->text, node->text_len);
		memset(to + node->text_len, 0, INTALIGN(node->text_len) - node->text_len);
		to += INTALIGN(node->text_len);
	}
	*(*location)++ = node->location;
	for (int i = 0; i < node->nchildren; i++)
		to = flatten(node->children[i], to, location);
	return to;
}

Predicate *
deltacc_predicate_flatten(const PredicateNode *root)
{
	Size		nnodes = 0;
	Size		nodes_size = 0;
	Size		size;
	Predicate  *predicate;
	int32	   *location;
	char	   *end;

	measure(root, &nnodes, &nodes_size);
	size = sizeof(Predicate) + nodes_size + nnodes * sizeof(int32);
	if (size > MaxAllocSize)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("predicate is too large"),
				 errdetail("It has %zu parts, which take %zu bytes; a value has at most %zu.",
						   nnodes, size, (Size) MaxAllocSize)));

	predicate = palloc(size);
	SET_VARSIZE(predicate, size);
	predicate->header = PREDICATE_VERSION;
	predicate->nnodes = nnodes;
	predicate->nodes_size = nodes_size;
	location = (int32 *) ((char *) (predicate + 1) + nodes_size);
	end = flatten(root, (char *) (predicate + 1), &location);
	Assert(end == (char *) (predicate + 1) + nodes_size);
	(void) end;
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

static PredicateNode *
open_node(Opener *o)
{
	PredicateNode *node;
	StoredNode	stored;

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
	for (uint32 i = 0; i < stored.nchildren; i++)
		node->children[i] = open_node(o);
	return node;
}

PredicateNode *
deltacc_predicate_open(const Predicate *predicate)
{
	Size		size = VARSIZE(predicate);
	Size		body;
	Opener		o;
	char	   *copy;
	PredicateNode *root;

	if (size < sizeof(Predicate))
		corrupt("It is too short.");
	if (predicate->header != PREDICATE_VERSION)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("predicate is stored in layout %u, which this version of deltacc doesn't read",
						predicate->header),
				 errhint("Dump it with the version that wrote it, and load it again.")));
	body = size - sizeof(Predicate);
	if (predicate->nodes_size > body || predicate->nodes_size % sizeof(int32) != 0 ||
		predicate->nnodes == 0 ||
		(body - predicate->nodes_size) / sizeof(int32) != predicate->nnodes)
		corrupt("Its sizes don't add up.");

	/* the value may be a page of a table: no node points into it */
	copy = palloc(body);
	memcpy(copy, predicate + 1, body);
	o.pos = copy;
	o.end = copy + predicate->nodes_size;
	o.location = (const int32 *) o.end;
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
