/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions of SPICE: ?: (right-associative),
 *
 * |, && &, comparisons, + -, * /, unary - + ! ~, and ^ ** (left-associative, as in ngspice: 2^3^2
 * is 64, and -2^2 is -4). V(a), V(a, b) and I(source) are the quantities that sources sense.
 */
#include "exchange/spice/spice.h"

#include <string.h>

typedef struct parser {
	bxt_deck *deck;
	bxt_deck_line *line;
	const char *s, *text;
	int depth;
	bool wrong;
} parser;

bxt_spice_expr *bxt_spice_new(bxt_deck *deck, char op, int n)
{
	bxt_spice_expr *e = BXT_NEW(deck->arena, bxt_spice_expr, 1);
	const bxt_spice_expr **of =
		n > 0 ? BXT_NEW(deck->arena, const bxt_spice_expr *, (size_t)n) : NULL;
	deck->failed = deck->failed || !e || (n > 0 && !of);
	if (deck->failed)
		return NULL;
	*e = (bxt_spice_expr){.op = op, .of = of, .n = n};
	return e;
}

const bxt_spice_expr *bxt_spice_constant(bxt_deck *deck, double value)
{
	bxt_spice_expr *e = bxt_spice_new(deck, 'n', 0);
	if (e)
		e->value = value;
	return e;
}

const bxt_spice_expr *bxt_spice_binary(bxt_deck *deck, char op, const bxt_spice_expr *a,
				       const bxt_spice_expr *b)
{
	bxt_spice_expr *e = a && b ? bxt_spice_new(deck, op, 2) : NULL;
	if (!e)
		return NULL;
	e->of[0] = a;
	e->of[1] = b;
	e->depth = 1 + (a->depth > b->depth ? a->depth : b->depth);
	return e;
}

static const bxt_spice_expr *fail(parser *p, const char *what)
{
	if (!p->wrong)
		bxt_deck_error(p->deck, p->line, "expression '%.200s': %s", p->text, what);
	p->wrong = true;
	return NULL;
}

/* Quotes inside an expression only mark it as an expression. */
static void skip(parser *p)
{
	while (*p->s && strchr(" \t\r'\"", *p->s))
		p->s++;
}

static bool take(parser *p, const char *sign)
{
	skip(p);
	const size_t length = strlen(sign);
	if (strncmp(p->s, sign, length) != 0)
		return false;
	p->s += length;
	return true;
}

static const bxt_spice_expr *parse_choice(parser *p);

/* ---- Quantities that are sensed ---- */

static const char *node_name(parser *p)
{
	skip(p);
	const char *start = p->s;
	while (*p->s && !strchr("(), \t", *p->s))
		p->s++;
	return p->s > start ? bxt_spice_lower(p->deck->arena, start, (size_t)(p->s - start)) : NULL;
}

static const bxt_spice_expr *parse_sensed(parser *p, char op)
{
	bxt_spice_expr *e = bxt_spice_new(p->deck, op, 0);
	if (!e)
		return NULL;
	e->name = node_name(p);
	if (op == 'v' && take(p, ","))
		e->other = node_name(p);
	if (!take(p, ")") || !e->name)
		return fail(p, op == 'v' ? "write V(NODE) or V(NODE, NODE)" : "write I(SOURCE)");
	return e;
}

/* ---- Functions ---- */

static const bxt_spice_expr *parse_call(parser *p, const char *name)
{
	const bxt_spice_expr **of = NULL;
	int n = 0, room = 0;
	if (!take(p, ")")) {
		do {
			const bxt_spice_expr *argument = parse_choice(p);
			if (!argument)
				return NULL;
			if (n == room) {
				room = room ? 2 * room : 4;
				const bxt_spice_expr **more = BXT_NEW(
					p->deck->arena, const bxt_spice_expr *, (size_t)room);
				p->deck->failed = p->deck->failed || !more;
				if (!more)
					return NULL;
				if (n)
					memcpy(more, of, (size_t)n * sizeof *more);
				of = more;
			}
			of[n++] = argument;
		} while (take(p, ","));
		if (!take(p, ")"))
			return fail(p, "a ) is missing");
	}
	bxt_spice_expr *e = bxt_spice_new(p->deck, 'f', 0);
	if (!e)
		return NULL;
	e->name = name;
	e->of = of;
	e->n = n;
	return e;
}

static const bxt_spice_expr *parse_name(parser *p)
{
	const char *start = p->s;
	while (bxt_spice_is_word(*p->s))
		p->s++;
	const char *name = bxt_spice_lower(p->deck->arena, start, (size_t)(p->s - start));
	bxt_spice_expr *e = NULL;
	if (!name) {
		p->deck->failed = true;
	} else if (take(p, "(")) {
		if (strcmp(name, "v") == 0 || strcmp(name, "i") == 0)
			return parse_sensed(p, name[0]);
		return parse_call(p, name);
	} else if ((e = bxt_spice_new(p->deck, strcmp(name, "time") == 0 ? 't' : 'x', 0))) {
		e->name = name;
	}
	return e;
}

/* ---- Operators, from the highest precedence ---- */

static const bxt_spice_expr *parse_atom(parser *p)
{
	double value = 0;
	skip(p);
	if (p->depth >= BXT_SPICE_NESTING)
		return fail(p, "it is nested too deeply");
	if (take(p, "(") || take(p, "{")) {
		const char close = p->s[-1] == '(' ? ')' : '}';
		p->depth++;
		const bxt_spice_expr *inner = parse_choice(p);
		p->depth--;
		if (inner && !take(p, (char[]){close, 0}))
			return fail(p, "a ) or } is missing");
		return inner;
	}
	const size_t length = bxt_spice_number(p->s, &value);
	if (length > 0 && *p->s != '+' && *p->s != '-') {
		p->s += length;
		return bxt_spice_constant(p->deck, value);
	}
	if (!bxt_spice_is_word(*p->s) || *p->s == '.')
		return fail(p, *p->s ? "a number or a name is missing" : "it ends early");
	p->depth++;
	const bxt_spice_expr *e = parse_name(p);
	p->depth--;
	return e;
}

static const bxt_spice_expr *parse_unary(parser *p);

static const bxt_spice_expr *parse_power(parser *p)
{
	const bxt_spice_expr *e = parse_atom(p);
	while (e && (take(p, "**") || take(p, "^"))) {
		skip(p);
		e = bxt_spice_binary(p->deck, '^', e,
				     *p->s == '-' || *p->s == '+' ? parse_unary(p) : parse_atom(p));
	}
	return e;
}

static const bxt_spice_expr *parse_unary(parser *p)
{
	skip(p);
	if (p->depth >= BXT_SPICE_NESTING)
		return fail(p, "it is nested too deeply");
	const char sign = *p->s;
	if (sign != '-' && sign != '+' && sign != '~' && (sign != '!' || p->s[1] == '='))
		return parse_power(p);
	p->s++;
	p->depth++;
	const bxt_spice_expr *of = parse_unary(p);
	p->depth--;
	if (sign == '+' || !of)
		return of;
	bxt_spice_expr *e = bxt_spice_new(p->deck, sign == '-' ? '~' : '!', 1);
	if (e)
		e->of[0] = of;
	return e;
}

/* Parses one level of left-associative operators: their characters and the operations. */
typedef struct level {
	struct {
		const char *sign;
		char op;
	} of[8];
} level;
static const level levels[] = {
	{{{"||", '|'}, {"|", '|'}}},
	{{{"&&", '&'}, {"&", '&'}}},
	{{{"==", '='}, {"!=", '#'}, {"<>", '#'}, {"<=", 'l'}, {">=", 'g'}, {"<", '<'}, {">", '>'}}},
	{{{"+", '+'}, {"-", '-'}}},
	{{{"*", '*'}, {"/", '/'}}},
};

static char take_operator(parser *p, const level *l)
{
	for (int i = 0; i < 8 && l->of[i].sign; i++)
		if (take(p, l->of[i].sign))
			return l->of[i].op;
	return '\0';
}

static const bxt_spice_expr *parse_level(parser *p, size_t which)
{
	char op;
	if (which == sizeof levels / sizeof *levels)
		return parse_unary(p);
	const bxt_spice_expr *e = parse_level(p, which + 1);
	while (e && (op = take_operator(p, &levels[which]))) {
		e = bxt_spice_binary(p->deck, op, e, parse_level(p, which + 1));
		if (e && e->depth > BXT_SPICE_TERMS)
			return fail(p, "it is too long");
	}
	return e;
}

static const bxt_spice_expr *parse_choice(parser *p)
{
	if (p->depth >= BXT_SPICE_NESTING)
		return fail(p, "it is nested too deeply");
	const bxt_spice_expr *condition = parse_level(p, 0);
	if (!condition || !take(p, "?"))
		return condition;
	bxt_spice_expr *e = bxt_spice_new(p->deck, '?', 3);
	p->depth++;
	const bxt_spice_expr *yes = parse_choice(p);
	if (yes && !take(p, ":"))
		fail(p, "a : is missing");
	const bxt_spice_expr *no = yes && !p->wrong ? parse_choice(p) : NULL;
	p->depth--;
	if (!e || !no)
		return NULL;
	e->of[0] = condition;
	e->of[1] = yes;
	e->of[2] = no;
	return e;
}

const bxt_spice_expr *bxt_spice_parse(bxt_deck *deck, const char *text, bxt_deck_line *line)
{
	parser p = {.deck = deck, .line = line, .s = text, .text = text};
	const size_t length = strlen(text);
	if ((deck->work += length / 8 + 1) > BXT_SPICE_WORK || length > BXT_SPICE_EXPRESSION) {
		bxt_deck_error(deck, line, "expressions are too long, or too many are evaluated");
		deck->errors = BXT_SPICE_ERRORS;
		return NULL;
	}
	const bxt_spice_expr *e = parse_choice(&p);
	skip(&p);
	if (e && *p.s)
		e = fail(&p, "it goes on where it should end");
	return e;
}
