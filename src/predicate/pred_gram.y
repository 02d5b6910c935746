%{
/*-------------------------------------------------------------------------
 *
 * pred_gram.y
 *	  The grammar of predicates: Spark SQL's conditions (SqlBaseParser.g4).
 *
 * What a word means where it stands has been decided by the scanner
 * (pred_scan.l): IDENT is any word that is a name there.
 *
 * Lists, AND and OR are left-recursive, so that their length is bounded by
 * memory only; nesting is bounded by YYMAXDEPTH.
 *
 *-------------------------------------------------------------------------
 */
#include "postgres.h"

#include <ctype.h>

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#include "base/text.h"
#include "predicate/pred_parse.h"

#define YYMALLOC	palloc
#define YYFREE		pfree
#define YYMAXDEPTH	10000

/* A location is a character's number; a part stands where it begins. */
#define YYLLOC_DEFAULT(Current, Rhs, N) \
	((Current) = (N) > 0 ? (Rhs)[1] : -1)

/* A token that only the scanner sees. */
#define RAW_WORD	1000000

#define NODE(kind, text, flags, location, ...) \
	deltacc_pred_node(ps, kind, text, flags, location, __VA_ARGS__)
#define ARITHMETIC(text, location, left, right) \
	NODE(PRED_ARITHMETIC, text, 0, location, 2, left, right)
#define COMPARE(text, location, left, right) \
	NODE(PRED_COMPARE, text, 0, location, 2, left, right)
#define LEAF(kind, text, location) \
	deltacc_pred_leaf(ps, kind, text, location)

static const PredText no_text = {NULL, 0};

static const char *near_token(PredParser *ps, const PredToken *token);
static PredText format_text(const char *format,...) pg_attribute_printf(1, 2);
static PredicateNode *with_text(PredicateNode *node, PredText text);
%}

%define api.pure
%define api.prefix {deltacc_pred_gram_}
%define api.location.type {int}
%define parse.error custom
%locations
%expect 0
%parse-param {PredParser *ps}
%lex-param {PredParser *ps}

%union
{
	PredText	text;
	PredLiteral literal;
	PredicateNode *node;
	StringInfo	buffer;
	const char *word;
	int			flags;
}

%{
static int	deltacc_pred_yylex(YYSTYPE *lval, YYLTYPE *lloc, PredParser *ps);
static void deltacc_pred_gram_error(YYLTYPE *location, PredParser *ps, const char *message);

#define deltacc_pred_gram_lex	deltacc_pred_yylex
%}

%token <text> IDENT STRING SUBQUERY ARGUMENT_CLAUSE CALL_CLAUSE OVER_CLAUSE
%token <literal> LITERAL
%token INVALID
%token EQ NULLSAFE_EQ NE LE GE SHIFT_LEFT SHIFT_RIGHT SHIFT_RIGHT_UNSIGNED CONCAT
%token DOUBLE_COLON ARROW FAT_ARROW STAR
%token ALL AND ANY AS BETWEEN BOTH CASE CAST COLLATE DISTINCT DISTINCT_FROM DIV
%token ELSE END ESCAPE EXISTS EXTRACT FALSE_P FOR FROM ILIKE IN IS LEADING LIKE
%token NOT NULL_P OR OVERLAY PLACING POSITION POSITION_IN RLIKE SUBSTRING
%token THEN TIME_P TRAILING TRIM TRUE_P TRY_CAST UNKNOWN_P WHEN
/* words of a type */
%token ARRAY_T COLLATE_T COMMENT_T MAP_T STRUCT_T

%type <node> condition named_expr expr boolean_expr predicate value_expr primary other_primary name_path
%type <node> expr_list named_list when_list call arguments argument_list argument
%type <flags> opt_not
%type <word> like like_quantifier is_test trim_name
%type <text> type type_field collation
%type <node> type_parameters
%type <buffer> type_fields

%left OR
%left AND
%right NOT
%left EQ NULLSAFE_EQ NE '<' LE '>' GE
%left '|'
%left '^'
%left '&'
%left SHIFT_LEFT SHIFT_RIGHT SHIFT_RIGHT_UNSIGNED
%left '+' '-' CONCAT
%left '*' '/' '%' DIV
%right UNARY
%nonassoc COLLATE
%left '.'

%%

condition:
	named_expr							{ ps->result = $1; (void) yynerrs; }
	;

named_expr:
	expr
	| expr AS IDENT						{ $$ = with_text(NODE(PRED_ALIAS, NULL, 0, @3, 1, $1), $3); }
	| expr IDENT						{ $$ = with_text(NODE(PRED_ALIAS, NULL, 0, @2, 1, $1), $2); }
	;

expr:
	boolean_expr
	| name_path ARROW expr				{ $$ = deltacc_pred_lambda(ps, deltacc_pred_list(ps, $1), $3, @2); }
	| '(' named_list ')' ARROW expr		{ $$ = deltacc_pred_lambda(ps, $2, $5, @4); }
	;

boolean_expr:
	predicate
	| NOT boolean_expr					{ $$ = NODE(PRED_NOT, NULL, 0, @1, 1, $2); }
	| boolean_expr AND boolean_expr		{ $$ = deltacc_pred_logical(ps, PRED_AND, @2, $1, $3); }
	| boolean_expr OR boolean_expr		{ $$ = deltacc_pred_logical(ps, PRED_OR, @2, $1, $3); }
	;

predicate:
	value_expr
	| EXISTS SUBQUERY					{ $$ = NODE(PRED_EXISTS, NULL, 0, @1, 1, LEAF(PRED_SUBQUERY, $2, @2)); }
	| value_expr opt_not BETWEEN value_expr AND value_expr
										{ $$ = NODE(PRED_BETWEEN, NULL, $2, @3, 3, $1, $4, $6); }
	| value_expr opt_not IN '(' expr_list ')'
										{ $$ = deltacc_pred_from_list(ps, PRED_IN, NULL, $2, @3, $1, $5); }
	| value_expr opt_not IN SUBQUERY	{ $$ = NODE(PRED_IN_SUBQUERY, NULL, $2, @3, 2, $1, LEAF(PRED_SUBQUERY, $4, @4)); }
	| value_expr opt_not like value_expr
										{ $$ = NODE(PRED_LIKE, $3, $2, @3, 2, $1, $4); }
	| value_expr opt_not like value_expr ESCAPE STRING
										{ $$ = NODE(PRED_LIKE, $3, $2, @3, 3, $1, $4, deltacc_pred_escape(ps, $6, @6)); }
	| value_expr opt_not RLIKE value_expr
										{ $$ = NODE(PRED_LIKE, "RLIKE", $2, @3, 2, $1, $4); }
	| value_expr opt_not like_quantifier '(' expr_list ')'
										{ $$ = deltacc_pred_from_list(ps, PRED_LIKE_LIST, $3, $2, @3, $1, $5); }
	| value_expr IS opt_not is_test		{ $$ = NODE(PRED_IS, $4, $3, @2, 1, $1); }
	| value_expr IS opt_not DISTINCT_FROM value_expr
										{ $$ = NODE(PRED_IS_DISTINCT, NULL, $3, @2, 2, $1, $5); }
	;

opt_not:
	/* empty */							{ $$ = 0; }
	| NOT								{ $$ = PRED_FLAG_NOT; }
	;

like:
	LIKE								{ $$ = "LIKE"; }
	| ILIKE								{ $$ = "ILIKE"; }
	;

like_quantifier:
	LIKE ANY							{ $$ = "LIKE ANY"; }
	| LIKE ALL							{ $$ = "LIKE ALL"; }
	| ILIKE ANY							{ $$ = "ILIKE ANY"; }
	| ILIKE ALL							{ $$ = "ILIKE ALL"; }
	;

is_test:
	NULL_P								{ $$ = "NULL"; }
	| TRUE_P							{ $$ = "TRUE"; }
	| FALSE_P							{ $$ = "FALSE"; }
	| UNKNOWN_P							{ $$ = "UNKNOWN"; }
	;

value_expr:
	primary
	| '-' value_expr %prec UNARY		{ $$ = NODE(PRED_NEGATE, "-", 0, @1, 1, $2); }
	| '+' value_expr %prec UNARY		{ $$ = NODE(PRED_NEGATE, "+", 0, @1, 1, $2); }
	| '~' value_expr %prec UNARY		{ $$ = NODE(PRED_NEGATE, "~", 0, @1, 1, $2); }
	| value_expr '*' value_expr			{ $$ = ARITHMETIC("*", @2, $1, $3); }
	| value_expr '/' value_expr			{ $$ = ARITHMETIC("/", @2, $1, $3); }
	| value_expr '%' value_expr			{ $$ = ARITHMETIC("%", @2, $1, $3); }
	| value_expr DIV value_expr			{ $$ = ARITHMETIC("DIV", @2, $1, $3); }
	| value_expr '+' value_expr			{ $$ = ARITHMETIC("+", @2, $1, $3); }
	| value_expr '-' value_expr			{ $$ = ARITHMETIC("-", @2, $1, $3); }
	| value_expr CONCAT value_expr		{ $$ = ARITHMETIC("||", @2, $1, $3); }
	| value_expr SHIFT_LEFT value_expr	{ $$ = ARITHMETIC("<<", @2, $1, $3); }
	| value_expr SHIFT_RIGHT value_expr	{ $$ = ARITHMETIC(">>", @2, $1, $3); }
	| value_expr SHIFT_RIGHT_UNSIGNED value_expr
										{ $$ = ARITHMETIC(">>>", @2, $1, $3); }
	| value_expr '&' value_expr			{ $$ = ARITHMETIC("&", @2, $1, $3); }
	| value_expr '^' value_expr			{ $$ = ARITHMETIC("^", @2, $1, $3); }
	| value_expr '|' value_expr			{ $$ = ARITHMETIC("|", @2, $1, $3); }
	| value_expr EQ value_expr			{ $$ = COMPARE("=", @2, $1, $3); }
	| value_expr NULLSAFE_EQ value_expr	{ $$ = COMPARE("<=>", @2, $1, $3); }
	| value_expr NE value_expr			{ $$ = COMPARE("<>", @2, $1, $3); }
	| value_expr '<' value_expr			{ $$ = COMPARE("<", @2, $1, $3); }
	| value_expr LE value_expr			{ $$ = COMPARE("<=", @2, $1, $3); }
	| value_expr '>' value_expr			{ $$ = COMPARE(">", @2, $1, $3); }
	| value_expr GE value_expr			{ $$ = COMPARE(">=", @2, $1, $3); }
	;

primary:
	name_path
	| other_primary
	;

/* a.b.c: a column with its qualifier and fields; only the schema can tell */
name_path:
	IDENT								{ $$ = NODE(PRED_COLUMN, NULL, 0, @1, 1, deltacc_pred_name(ps, $1, @1)); }
	| name_path '.' IDENT				{ deltacc_pred_append(ps, $1, deltacc_pred_name(ps, $3, @3)); $$ = $1; }
	;

other_primary:
	LITERAL								{ $$ = LEAF($1.kind, $1.text, @1); }
	| STRING							{ $$ = LEAF(PRED_STRING, $1, @1); }
	| NULL_P							{ $$ = LEAF(PRED_NULL, no_text, @1); }
	| TRUE_P							{ $$ = LEAF(PRED_TRUE, no_text, @1); }
	| FALSE_P							{ $$ = LEAF(PRED_FALSE, no_text, @1); }
	| TIME_P STRING						{ $$ = NODE(PRED_CAST, "time", 0, @1, 1, LEAF(PRED_STRING, $2, @2)); }
	| STAR								{ $$ = LEAF(PRED_STAR, no_text, @1); }
	| name_path '.' STAR				{ $$ = LEAF(PRED_STAR, deltacc_pred_path(ps, $1), @1); }
	| CASE when_list END				{ $$ = deltacc_pred_from_list(ps, PRED_CASE, NULL, 0, @1, NULL, $2); }
	| CASE when_list ELSE expr END		{
											deltacc_pred_append(ps, $2, $4);
											$$ = deltacc_pred_from_list(ps, PRED_CASE, NULL, PRED_FLAG_CASE_ELSE, @1, NULL, $2);
										}
	| CASE expr when_list END			{ $$ = deltacc_pred_from_list(ps, PRED_CASE, NULL, PRED_FLAG_CASE_VALUE, @1, $2, $3); }
	| CASE expr when_list ELSE expr END	{
											deltacc_pred_append(ps, $3, $5);
											$$ = deltacc_pred_from_list(ps, PRED_CASE, NULL,
																		PRED_FLAG_CASE_VALUE | PRED_FLAG_CASE_ELSE, @1, $2, $3);
										}
	| CAST '(' expr AS type ')'			{ $$ = with_text(NODE(PRED_CAST, NULL, 0, @1, 1, $3), $5); }
	| TRY_CAST '(' expr AS type ')'		{ $$ = with_text(NODE(PRED_CAST, NULL, PRED_FLAG_TRY, @1, 1, $3), $5); }
	| primary DOUBLE_COLON type			{ $$ = with_text(NODE(PRED_CAST, NULL, 0, @2, 1, $1), $3); }
	| call
	| '(' named_list ')'				{ $$ = deltacc_pred_group(ps, $2, @1); }
	| SUBQUERY							{ $$ = LEAF(PRED_SUBQUERY, $1, @1); }
	| other_primary '.' IDENT			{ $$ = deltacc_pred_field(ps, $1, $3, @3); }
	| primary '[' value_expr ']'		{ $$ = NODE(PRED_SUBSCRIPT, NULL, 0, @2, 2, $1, $3); }
	| primary COLLATE collation			{ $$ = with_text(NODE(PRED_COLLATE, NULL, 0, @2, 1, $1), $3); }
	;

collation:
	name_path %prec COLLATE				{ $$ = deltacc_pred_path(ps, $1); }
	;

when_list:
	WHEN expr THEN expr					{ $$ = deltacc_pred_list(ps, $2); deltacc_pred_append(ps, $$, $4); }
	| when_list WHEN expr THEN expr		{ deltacc_pred_append(ps, $1, $3); deltacc_pred_append(ps, $1, $5); $$ = $1; }
	;

expr_list:
	expr								{ $$ = deltacc_pred_list(ps, $1); }
	| expr_list ',' expr				{ deltacc_pred_append(ps, $1, $3); $$ = $1; }
	;

named_list:
	named_expr							{ $$ = deltacc_pred_list(ps, $1); }
	| named_list ',' named_expr			{ deltacc_pred_append(ps, $1, $3); $$ = $1; }
	;

/* Functions.  The forms with words inside are calls like any other. */
call:
	name_path '(' arguments ')'			{ $$ = deltacc_pred_call(ps, $1, 0, $3); }
	| name_path '(' ALL argument_list ')'
										{ $$ = deltacc_pred_call(ps, $1, 0, $4); }
	| name_path '(' DISTINCT argument_list ')'
										{ $$ = deltacc_pred_call(ps, $1, PRED_FLAG_DISTINCT, $4); }
	| name_path '(' argument_list ARGUMENT_CLAUSE ')'
										{ $$ = with_text(NODE(PRED_AGGREGATE, NULL, 0, @1, 1, deltacc_pred_call(ps, $1, 0, $3)), $4); }
	| call CALL_CLAUSE					{ $$ = with_text(NODE(PRED_AGGREGATE, NULL, 0, @1, 1, $1), $2); }
	| call OVER_CLAUSE					{ $$ = with_text(NODE(PRED_WINDOW, NULL, 0, @1, 1, $1), $2); }
	| EXTRACT '(' IDENT FROM value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, LEAF(PRED_STRING, $3, @3));

											deltacc_pred_append(ps, list, $5);
											$$ = deltacc_pred_special_call(ps, "extract", @1, list);
										}
	| EXTRACT '(' arguments ')'			{ $$ = deltacc_pred_special_call(ps, "extract", @1, $3); }
	| TRIM '(' trim_name value_expr FROM value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $4);

											deltacc_pred_append(ps, list, $6);
											$$ = deltacc_pred_special_call(ps, $3, @1, list);
										}
	| TRIM '(' value_expr FROM value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											$$ = deltacc_pred_special_call(ps, "trim", @1, list);
										}
	| TRIM '(' trim_name FROM value_expr ')'
										{ $$ = deltacc_pred_special_call(ps, $3, @1, deltacc_pred_list(ps, $5)); }
	| TRIM '(' FROM value_expr ')'		{ $$ = deltacc_pred_special_call(ps, "trim", @1, deltacc_pred_list(ps, $4)); }
	| TRIM '(' arguments ')'			{ $$ = deltacc_pred_special_call(ps, "trim", @1, $3); }
	| SUBSTRING '(' value_expr FROM value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											$$ = deltacc_pred_special_call(ps, "substring", @1, list);
										}
	| SUBSTRING '(' value_expr FROM value_expr FOR value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											deltacc_pred_append(ps, list, $7);
											$$ = deltacc_pred_special_call(ps, "substring", @1, list);
										}
	| SUBSTRING '(' arguments ')'		{ $$ = deltacc_pred_special_call(ps, "substring", @1, $3); }
	| POSITION '(' value_expr POSITION_IN value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											$$ = deltacc_pred_special_call(ps, "position", @1, list);
										}
	| POSITION '(' arguments ')'		{ $$ = deltacc_pred_special_call(ps, "position", @1, $3); }
	| OVERLAY '(' value_expr PLACING value_expr FROM value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											deltacc_pred_append(ps, list, $7);
											$$ = deltacc_pred_special_call(ps, "overlay", @1, list);
										}
	| OVERLAY '(' value_expr PLACING value_expr FROM value_expr FOR value_expr ')'
										{
											PredicateNode *list = deltacc_pred_list(ps, $3);

											deltacc_pred_append(ps, list, $5);
											deltacc_pred_append(ps, list, $7);
											deltacc_pred_append(ps, list, $9);
											$$ = deltacc_pred_special_call(ps, "overlay", @1, list);
										}
	| OVERLAY '(' arguments ')'			{ $$ = deltacc_pred_special_call(ps, "overlay", @1, $3); }
	;

/* trim(c, x): what is cut off stands first */
trim_name:
	BOTH								{ $$ = "trim"; }
	| LEADING							{ $$ = "ltrim"; }
	| TRAILING							{ $$ = "rtrim"; }
	;

arguments:
	/* empty */							{ $$ = deltacc_pred_list(ps, NULL); }
	| argument_list
	;

argument_list:
	argument							{ $$ = deltacc_pred_list(ps, $1); }
	| argument_list ',' argument		{ deltacc_pred_append(ps, $1, $3); $$ = $1; }
	;

argument:
	named_expr
	| IDENT FAT_ARROW expr				{ $$ = with_text(NODE(PRED_NAMED_ARGUMENT, NULL, 0, @1, 1, $3), $1); }
	;

/* Types, as the text that names them best. */
type:
	IDENT								{ $$ = deltacc_pred_type(ps, $1, NULL, @1); }
	| IDENT '(' type_parameters ')'		{ $$ = deltacc_pred_type(ps, $1, $3, @1); }
	| IDENT COLLATE_T collation			{ $$ = format_text("string collate %.*s", $3.len, $3.data); }
	| ARRAY_T '<' type '>'				{ $$ = format_text("array<%.*s>", $3.len, $3.data); }
	| MAP_T '<' type ',' type '>'		{ $$ = format_text("map<%.*s,%.*s>", $3.len, $3.data, $5.len, $5.data); }
	| STRUCT_T '<' type_fields '>'		{ $$ = format_text("struct<%s>", $3->data); }
	| STRUCT_T NE						{ $$ = format_text("struct<>"); }
	;

type_parameters:
	LITERAL								{ $$ = deltacc_pred_list(ps, LEAF($1.kind, $1.text, @1)); }
	| type_parameters ',' LITERAL		{ deltacc_pred_append(ps, $1, LEAF($3.kind, $3.text, @3)); $$ = $1; }
	;

type_fields:
	type_field							{ $$ = makeStringInfo(); appendBinaryStringInfo($$, $1.data, $1.len); }
	| type_fields ',' type_field		{
											appendStringInfoChar($1, ',');
											appendBinaryStringInfo($1, $3.data, $3.len);
											$$ = $1;
										}
	;

type_field:
	IDENT opt_colon type				{
											PredText	name = deltacc_pred_quoted_name(ps, $1);

											$$ = format_text("%.*s:%.*s", name.len, name.data, $3.len, $3.data);
										}
	| type_field NOT NULL_P				{ $$ = format_text("%.*s not null", $1.len, $1.data); }
	| type_field COMMENT_T STRING		{
											StringInfoData comment;

											initStringInfo(&comment);
											deltacc_pred_print_string(&comment, $3.data, $3.len);
											$$ = format_text("%.*s comment %s", $1.len, $1.data, comment.data);
											pfree(comment.data);
										}
	;

opt_colon:
	/* empty */
	| ':'
	;

%%

#include "pred_scan.c"

static PredText
format_text(const char *format,...)
{
	StringInfoData buffer;
	PredText	text;

	initStringInfo(&buffer);
	for (;;)
	{
		va_list		args;
		int			needed;

		va_start(args, format);
		needed = appendStringInfoVA(&buffer, format, args);
		va_end(args);
		if (needed == 0)
			break;
		enlargeStringInfo(&buffer, needed);
	}
	text.len = buffer.len;
	/* not with the room that the buffer has to grow */
	text.data = pnstrdup(buffer.data, buffer.len);
	pfree(buffer.data);
	return text;
}

static PredicateNode *
with_text(PredicateNode *node, PredText text)
{
	node->text = text.data;
	node->text_len = text.len;
	return node;
}

/*
 * What the text may be, if it is no condition: a hint, or NULL.
 */
static const char *
other_form(PredParser *ps)
{
	static const char *const words[] = {"select", "delete", "update", "merge", "insert", "where", "on"};
	int			start = 0;
	int			len = 0;

	while (start < ps->source_len && isspace((unsigned char) ps->source[start]))
		start++;
	if (start < ps->source_len && ps->source[start] == '[')
		return "What a commit's operationParameters show is a list of printed expressions, not SQL.";
	while (start + len < ps->source_len && isalpha((unsigned char) ps->source[start + len]))
		len++;
	for (int i = 0; i < lengthof(words); i++)
	{
		if (len == (int) strlen(words[i]) && pg_strncasecmp(ps->source + start, words[i], len) == 0)
			return "A predicate is only the condition, what would stand behind WHERE or ON.";
	}
	return NULL;
}

/* ---------------------------------------------------------------------
 * Syntax errors
 * ---------------------------------------------------------------------
 */

/* Where and on what the parser stumbled. */
static const char *
near_token(PredParser *ps, const PredToken *token)
{
	if (token->kind != 0)
		return psprintf("syntax error in predicate at or near \"%s\"",
						deltacc_pred_excerpt(ps->source + token->start, token->end - token->start));
	if (!ps->any_token)
		return "predicate is empty";
	if (level(ps)->cases > 0)
		return "predicate ends inside a CASE";
	if (level(ps)->paren == PAREN_BRACKET)
		return "predicate ends inside brackets";
	return ps->nlevels > 1 ? "predicate ends inside parentheses" : "predicate ends in the middle";
}

/* Which tokens the grammar could go on with. */
typedef struct Expected
{
	bool		token[YYNTOKENS];
	int			nitems;
	const char *items[YYNTOKENS];
} Expected;

static void
expect(Expected *e, const char *item)
{
	e->items[e->nitems++] = item;
}

/* All tokens from first on that the grammar knows by the word itself. */
static void
expect_words(Expected *e)
{
	static const struct
	{
		yysymbol_kind_t symbol;
		const char *word;
	}			words[] = {
		{YYSYMBOL_WHEN, "WHEN"}, {YYSYMBOL_THEN, "THEN"}, {YYSYMBOL_ELSE, "ELSE"}, {YYSYMBOL_END, "END"},
		{YYSYMBOL_AS, "AS with a type"}, {YYSYMBOL_FROM, "FROM"}, {YYSYMBOL_FOR, "FOR"},
		{YYSYMBOL_PLACING, "PLACING"}, {YYSYMBOL_POSITION_IN, "IN"},
		{YYSYMBOL_NULL_P, "NULL"}, {YYSYMBOL_TRUE_P, "TRUE"}, {YYSYMBOL_FALSE_P, "FALSE"},
		{YYSYMBOL_UNKNOWN_P, "UNKNOWN"}, {YYSYMBOL_DISTINCT_FROM, "DISTINCT FROM"},
		{YYSYMBOL_BETWEEN, "BETWEEN"}, {YYSYMBOL_IN, "IN"}, {YYSYMBOL_LIKE, "LIKE"},
		{YYSYMBOL_ILIKE, "ILIKE"}, {YYSYMBOL_RLIKE, "RLIKE"},
	};

	for (int i = 0; i < lengthof(words); i++)
	{
		if (e->token[words[i].symbol])
			expect(e, words[i].word);
	}
}

/*
 * The tokens in words, those first that have to come and not only may.  Where
 * an operator may follow, bison names all of them; most often it has left them
 * behind already, and only the scanner knows.
 */
static void
expect_in_words(Expected *e, bool operator_possible, bool ended)
{
	bool		operand = e->token[YYSYMBOL_CASE];
	bool		type = e->token[YYSYMBOL_ARRAY_T];
	bool		operators = e->token[YYSYMBOL_EQ];

	if (operators)
	{
		/* a BETWEEN 1: other than by OR, it can't go on by AND only */
		if (e->token[YYSYMBOL_AND] && !e->token[YYSYMBOL_OR])
			expect(e, "AND with an upper bound");
		e->token[YYSYMBOL_BETWEEN] = e->token[YYSYMBOL_IN] = e->token[YYSYMBOL_LIKE] = false;
		e->token[YYSYMBOL_ILIKE] = e->token[YYSYMBOL_RLIKE] = false;
	}
	if (operand)
	{
		expect(e, "a column");
		expect(e, "a value");
		expect(e, "an expression");
		e->token[YYSYMBOL_FROM] = e->token[YYSYMBOL_NULL_P] = false;
		e->token[YYSYMBOL_TRUE_P] = e->token[YYSYMBOL_FALSE_P] = false;
	}
	else if (type)
		expect(e, "a type");
	else if (e->token[YYSYMBOL_SUBQUERY])
		expect(e, "a list in parentheses");
	else if (e->token[YYSYMBOL_IDENT] && !e->token[YYSYMBOL_YYEOF] && !operators)
		expect(e, "a name");
	else if (e->token[YYSYMBOL_LITERAL])
		expect(e, "a number");
	else if (e->token[YYSYMBOL_STRING])
		expect(e, "a string in quotes");
	expect_words(e);
	if (e->token[YYTRANSLATE(',')])
		expect(e, "a comma");
	if (e->token[YYTRANSLATE(':')] && !operators)
		expect(e, "a colon");
	if (e->token[YYTRANSLATE('>')] && !operators)
		expect(e, "a closing \">\"");
	if (e->token[YYTRANSLATE(')')])
		expect(e, "a closing parenthesis");
	if (e->token[YYTRANSLATE(']')])
		expect(e, "a closing bracket");

	/* what is at its end needs no operator, though one may follow */
	if ((operators || operator_possible) && (!ended || e->nitems == 0))
		expect(e, "an operator");
	if (e->token[YYSYMBOL_YYEOF])
		expect(e, "the end of the predicate");
}

/* ... or on its being complete. */
static void
expect_argument_end(Expected *e, PredParen paren)
{
	if (paren >= PAREN_CALL && paren != PAREN_CAST)
		e->token[YYTRANSLATE(',')] = true;
	if (paren == PAREN_EXTRACT)
		e->token[YYSYMBOL_FROM] = true;
	else if (paren == PAREN_OVERLAY)
		e->token[YYSYMBOL_PLACING] = true;
	else if (paren == PAREN_POSITION)
		e->token[YYSYMBOL_POSITION_IN] = true;
}

static char *
expected_text(const Expected *e, const char *behind)
{
	StringInfoData text;

	initStringInfo(&text);
	for (int i = 0; i < e->nitems; i++)
		appendStringInfo(&text, "%s%s", i == 0 ? "" : i + 1 < e->nitems ? ", " : " or ", e->items[i]);
	text.data[0] = pg_ascii_toupper((unsigned char) text.data[0]);
	appendStringInfoString(&text, " was expected");
	if (behind != NULL)
		appendStringInfo(&text, " behind \"%s\"", behind);
	return text.data;
}

static char *
token_text(PredParser *ps, const PredToken *token)
{
	return deltacc_pred_excerpt(ps->source + token->start, token->end - token->start);
}

/* Text that is no condition of Spark's, but often taken for one: a hint, or NULL. */
static const char *
usual_mistake(PredParser *ps, const PredToken *token)
{
	const PredToken *before = &ps->before[0];
	const char *hint = other_form(ps);

	if (hint != NULL)
		return hint;
	if (token->kind == '!')
		return "Write NOT in front of IN, LIKE and BETWEEN.";
	if (token->kind == LITERAL && (before->word == WORD_DATE || before->word == WORD_X || before->word == WORD_TIMESTAMP ||
								   before->word == WORD_TIMESTAMP_NTZ || before->word == WORD_TIMESTAMP_LTZ))
		return "The value of a typed literal is a string in quotes, like DATE '2026-08-12'.";
	if (ps->before[1].kind == BETWEEN && before->text.len > 0 &&
		((before->text.len == 9 && pg_strncasecmp(before->text.data, "symmetric", 9) == 0) ||
		 (before->text.len == 10 && pg_strncasecmp(before->text.data, "asymmetric", 10) == 0)))
		return "Spark SQL has no BETWEEN SYMMETRIC: write the lower bound first.";
	if (before->is_alias && ps->before[1].kind != AS && token->kind != 0)
		return psprintf("Perhaps an operator is missing or misspelt at \"%s\".", token_text(ps, before));
	return NULL;
}

/*
 * bison asks for this where a token doesn't fit.
 */
static int
yyreport_syntax_error(const yypcontext_t *context, PredParser *ps)
{
	yysymbol_kind_t tokens[YYNTOKENS];
	int			n = yypcontext_expected_tokens(context, tokens, YYNTOKENS);
	Expected	e = {0};
	const PredToken *token = &ps->token;
	const PredToken *before = &ps->before[0];
	int			location = *yypcontext_location(context);
	char	   *detail;

	if (ps->failed)
		return 0;

	/* AND AND b = 1: the word that was taken for a column is the culprit */
	if (before->is_odd && (token->kind == LITERAL || token->kind == STRING || token->kind == IDENT ||
						   before->word == WORD_END))
		token = before;
	else if (before->is_alias && ps->before[1].is_odd && token->kind != 0)
		token = &ps->before[1];
	if (token == &ps->token)
	{
		for (int i = 0; i < n; i++)
			e.token[tokens[i]] = true;
		/* bison has made up its mind on the empty list of f( */
		if (before->kind == '(' && e.token[YYTRANSLATE(')')])
			e.token[YYSYMBOL_CASE] = true;
		else if (e.token[YYTRANSLATE(')')] && !e.token[YYSYMBOL_EQ])
			expect_argument_end(&e, level(ps)->paren);
		/* (a AS x, b AS y) is rare */
		if (token->kind == 0 && level(ps)->paren == PAREN_GROUP && !level(ps)->named)
			e.token[YYTRANSLATE(',')] = false;
	}
	else
	{
		location = deltacc_pred_location(ps, token->start);
		e.token[YYSYMBOL_CASE] = true;
		before = NULL;
	}

	expect_in_words(&e, token == &ps->token && ps->operator_possible, token->kind == 0);
	detail = expected_text(&e, e.token[YYSYMBOL_CASE] && before != NULL && ps->any_token ? token_text(ps, before) : NULL);
	if (before != NULL && before->is_alias && e.token[YYSYMBOL_YYEOF])
		detail = psprintf("%s, as \"%s\" is read as a name for what stands before it.", detail, token_text(ps, before));
	else
		detail = psprintf("%s.", detail);
	deltacc_pred_error(ps, ERRCODE_SYNTAX_ERROR, location, near_token(ps, token), detail,
					   token == &ps->token ? usual_mistake(ps, token) : other_form(ps));
	return 0;
}

/*
 * bison's other message: that the stack is full.
 */
static void
deltacc_pred_gram_error(YYLTYPE *location, PredParser *ps, const char *message)
{
	if (strstr(message, "exhausted") == NULL)
		elog(ERROR, "predicate parser: %s", message);
	deltacc_pred_error(ps, ERRCODE_STATEMENT_TOO_COMPLEX, *location,
					   "predicate is nested too deeply", NULL,
					   "Long chains of AND and OR are fine, deep parentheses are not.");
}

PredicateNode *
deltacc_predicate_parse_text(const char *text, int len, struct Node *escontext)
{
	PredParser	ps = {0};
	int			source_len = len;

	ps.escontext = escontext;
	ps.source = deltacc_to_utf8(text, len, &source_len);
	ps.source_len = source_len;

	scanner_begin(&ps);
	if (deltacc_pred_gram_parse(&ps) != 0 && !ps.failed)
		elog(ERROR, "predicate could not be parsed");
	scanner_end(&ps);
	return ps.failed ? NULL : ps.result;
}
