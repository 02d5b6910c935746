/*-------------------------------------------------------------------------
 *
 * bind_functions.h
 *	  Binding of function calls and operators: bind.c's other half.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_BIND_FUNCTIONS_H
#define DELTACC_BIND_FUNCTIONS_H

#include "predicate/names.h"

typedef struct Binder
{
	NameScope	scope;
	const DeltaccOptions *options;
	int64		unknown_text;	/* bytes printed for messages so far */
} Binder;

/* bind.c */
extern DeltaExpr *deltacc_bind_node(Binder *b, const PredicateNode *node);
extern DeltaExpr *deltacc_bind_condition(Binder *b, const PredicateNode *node);
extern DeltaExpr *deltacc_bind_to_condition(Binder *b, const PredicateNode *node, DeltaExpr *e);
extern DeltaExpr *deltacc_bind_compare(Binder *b, const PredicateNode *node, CompareOp op, DeltaExpr *left, DeltaExpr *right);
extern DeltaExpr *deltacc_bind_make_case(Binder *b, const PredicateNode *node, int nargs, DeltaExpr **args);
extern DeltaExpr *deltacc_bind_make_if(Binder *b, const PredicateNode *node, DeltaExpr *condition,
								  DeltaExpr *then_value, DeltaExpr *else_value);
extern DeltaExpr *deltacc_bind_make_cast(Binder *b, const PredicateNode *node, DeltaExpr *e, DeltaType type, bool try_cast);
extern DeltaExpr *deltacc_bind_unknown(Binder *b, const PredicateNode *node, DeltaType type, int nargs, DeltaExpr **args);
extern bool deltacc_bind_is_opaque(int nargs, DeltaExpr *const *args);
extern void deltacc_bind_refuse_condition(Binder *b, const PredicateNode *node, const DeltaExpr *e);
extern void deltacc_bind_no_common_type(Binder *b, const PredicateNode *node);
extern const char *deltacc_bind_text(Binder *b, const PredicateNode *node);
extern char *deltacc_bind_message_text(Binder *b, const PredicateNode *node);

/* bind_functions.c */
extern DeltaExpr *deltacc_bind_function(Binder *b, const PredicateNode *node);
extern DeltaExpr *deltacc_bind_arithmetic(Binder *b, const PredicateNode *node);

/* A call of a function of the table, by name; EXPR_UNKNOWN if it has none of
 * that name for these arguments. */
extern DeltaExpr *deltacc_bind_call(Binder *b, const PredicateNode *node, const char *name, int nargs, DeltaExpr **args);

/* current_date and the like without parentheses; NULL if name is none. */
extern DeltaExpr *deltacc_bind_literal_function(Binder *b, const PredicateNode *node, const PredicateNode *name);

/* bind_arrays.c: a[i], and functions over split(..) or array(..); NULL: it is
 * no such thing. */
extern DeltaExpr *deltacc_bind_array_item(Binder *b, const PredicateNode *node);
extern DeltaExpr *deltacc_bind_array_function(Binder *b, const PredicateNode *node, const char *name);

#endif							/* DELTACC_BIND_FUNCTIONS_H */
