/*-------------------------------------------------------------------------
 *
 * json_doc.c
 *	  Documents (schemaString, configuration, commitInfo): jansson, owned by a
 *	  memory context.
 *
 * jansson's memory is malloc'd and its allocator is shared with whoever else
 * uses the library in this backend, so it is left alone: a reset callback of
 * the memory context gives a document back, on success and on error alike.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <jansson.h>

#include "base/json_doc.h"

/* PostgreSQL exports a function of this name, and it would be called. */
#pragma GCC poison json_object

/* The last of duplicate keys, as Jackson; \u0000 too; any value at the top. */
#define LOAD_FLAGS	(JSON_ALLOW_NUL | JSON_DECODE_ANY)
#define DUMP_FLAGS	(JSON_COMPACT | JSON_ENCODE_ANY)

typedef struct OwnedDocument
{
	MemoryContextCallback callback;
	json_t	   *root;
} OwnedDocument;

static void
release_document(void *arg)
{
	OwnedDocument *owned = arg;

	json_decref(owned->root);
	owned->root = NULL;
}

/* A place for a document, whose release is registered already. */
static OwnedDocument *
make_owner(void)
{
	OwnedDocument *owned = palloc0(sizeof(OwnedDocument));

	owned->callback.func = release_document;
	owned->callback.arg = owned;
	MemoryContextRegisterResetCallback(CurrentMemoryContext, &owned->callback);
	return owned;
}

json_t *
deltacc_json_own(json_t *value)
{
	/* Until this returns nobody owns the value, so it must not fail half-way. */
	OwnedDocument *owned;

	if (value == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory for a JSON document")));

	PG_TRY();
	{
		owned = make_owner();
	}
	PG_CATCH();
	{
		json_decref(value);
		PG_RE_THROW();
	}
	PG_END_TRY();
	owned->root = value;
	return value;
}

static json_t *
load(const char *text, int len, json_error_t *error)
{
	OwnedDocument *owned = make_owner();

	owned->root = json_loadb(text, len, LOAD_FLAGS, error);
	if (owned->root == NULL && json_error_code(error) == json_error_out_of_memory)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("out of memory for a JSON document")));
	return owned->root;
}

/*
 * jansson's own words quote the input, perhaps half a character of it; these
 * don't.
 */
static const char *
error_in_words(const json_error_t *error)
{
	switch (json_error_code(error))
	{
		case json_error_premature_end_of_input:
			return "the document ends too early";
		case json_error_end_of_input_expected:
			return "something follows the end of the document";
		case json_error_numeric_overflow:
			return "a number is out of range";
		case json_error_stack_overflow:
			return "the nesting is too deep";
		case json_error_invalid_utf8:
			return "a string is not valid UTF-8";
		case json_error_null_byte_in_key:
			return "a key holds a NUL character";
		default:
			return "this is not valid JSON";
	}
}

json_t *
deltacc_json_document(const char *text, int len, const char *what)
{
	json_error_t error;
	json_t	   *root = load(text, len, &error);

	if (root == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
				 errmsg("%s is not a JSON document that can be read", what),
				 errdetail("Line %d, column %d: %s.", error.line, error.column, error_in_words(&error))));
	return root;
}

json_t *
deltacc_json_document_or_null(const char *text, int len)
{
	json_error_t error;

	return load(text, len, &error);
}

char *
deltacc_json_dump(json_t *value)
{
	size_t		size = json_dumpb(value, NULL, 0, DUMP_FLAGS);
	char	   *text;

	if (size == 0)
		elog(ERROR, "could not write a JSON document");
	text = palloc(size + 1);
	json_dumpb(value, text, size, DUMP_FLAGS);
	text[size] = '\0';
	return text;
}
