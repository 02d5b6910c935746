/*-------------------------------------------------------------------------
 *
 * literals.h
 *	  The value of a literal, typed as Spark's parser types it.
 *
 *-------------------------------------------------------------------------
 */
#ifndef DELTACC_LITERALS_H
#define DELTACC_LITERALS_H

#include "base/options.h"
#include "predicate/expr.h"
#include "predicate/predicate.h"

/*
 * The literal of a leaf node, NULL for any other kind of node.  negate: with
 * its sign turned, for a number.  'now' and 'today' are EXPR_UNKNOWN; an
 * interval of months and days is, too.
 *
 * 22003 for a number that its type can't hold, 22007 for a date, time or
 * interval that is none, 22P02 for other malformed ones.
 */
extern DeltaExpr *deltacc_literal(const PredicateNode *node, const DeltaccOptions *options, bool negate);

/*
 * Fields of a day-time interval: a literal's type carries the first and the
 * last one as precision and scale, since INTERVAL 1 DAY adds to a date what
 * INTERVAL 24 HOURS adds to a timestamp only.
 */
#define INTERVAL_FIELD_DAY		0
#define INTERVAL_FIELD_HOUR		1
#define INTERVAL_FIELD_MINUTE	2
#define INTERVAL_FIELD_SECOND	3

#endif							/* DELTACC_LITERALS_H */
