/*-------------------------------------------------------------------------
 *
 * names.h
 *	  Which column a name means, and which names mean another relation.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_NAMES_H
#define DELTACC_NAMES_H

#include "base/options.h"
#include "predicate/expr.h"
#include "predicate/predicate.h"

/*
 * The names that may qualify the target's columns, for one condition.
 */
typedef struct NameScope
{
	const DeltaSchema *schema;
	const char *alias;			/* deltacc.target_alias; NULL */
	int			ntable_parts;	/* the table's own name; 0 */
	char	  **table_parts;
	bool		implicit;		/* "t" and "target" are the target, too */
	bool		has_foreign;	/* some name is qualified by another relation */
	struct LambdaScope *lambdas;	/* innermost first */
} NameScope;

/* Parameters of a lambda function, while its body is bound. */
typedef struct LambdaScope
{
	const PredicateNode *lambda;
	struct LambdaScope *outer;
} LambdaScope;

/*
 * Looks over all names of a condition: what a qualifier means depends on the
 * others.
 */
extern void deltacc_names_init(NameScope *scope, const PredicateNode *root, const DeltaSchema *schema,
							   const DeltaccOptions *options, const char *table_name);

/*
 * A name (PRED_COLUMN) as a column or struct field, or EXPR_UNKNOWN where it is
 * foreign, a lambda parameter, file metadata or an element of a map or array.
 * NULL for a name without qualifier that is no column; 42703 with the nearest
 * names for any other that can't be.
 */
extern DeltaExpr *deltacc_names_resolve(NameScope *scope, const PredicateNode *name);

/* Raises that 42703: does not return. */
extern void deltacc_names_unknown_column(NameScope *scope, const PredicateNode *name);

/* The field of a struct-typed expression: NULL if e is no column of that type
 * or has no such field. */
extern DeltaExpr *deltacc_names_struct_field(NameScope *scope, const DeltaExpr *e, const char *field, int len);

/* The same 42703 if e is a struct column of the table alone: it hasn't that field. */
extern void deltacc_names_check_field(NameScope *scope, const DeltaExpr *e, const PredicateNode *node, const char *field, int len);

/* A piece of a predicate's text as it may stand in a message. */
extern char *deltacc_names_message_text(const char *text, int len);

/* errdetail() with the place of a node, if it is known; for ereport. */
extern int	deltacc_names_errplace(const PredicateNode *node);

#endif							/* DELTACC_NAMES_H */
