/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Expressions from text, by recursive descent to a limited depth:
 *
 *     condition  = sum [("<" | "<=" | ">" | ">=" | "==" | "!=") sum]
 *     sum        = product {("+" | "-") product}
 *     product    = signed {("*" | "/") signed}
 *     signed     = {"-" | "+"} power
 *     power      = primary ["^" signed]
 *     primary    = number | name | name "(" list ")" | "(" sum ")"
 *
 * After a syntax error only unknown names, functions and characters are reported, since further
 * syntax errors mostly follow from the first.
 */
#include "ground/base/text.h"
#include "ground/expr/expr_internal.h"
#include "ground/expr/functions.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 200, LONGEST_SUGGESTION = 64, LONGEST_QUOTE = 24 };

struct parser {
	bxt_graph *g;
	const bxt_scope *scope;
	const char *text;
	size_t at, length;
	int depth;
	bool lost; /* after an error of syntax */
	bxt_expr_error *errors;
	int n_errors, max_errors;
	bxt_buffer name; /* the last name read */
	bxt_ex *values;  /* stack of arguments */
	size_t n_values, value_capacity;
};

static bxt_ex parse_sum(struct parser *p);
static bxt_ex parse_condition(struct parser *p);
static bxt_ex parse_signed(struct parser *p);

/* ---- Errors ---- */

/* Adds an error unless one with the same text exists. */
BXT_PRINTF(3, 4) static void fail(struct parser *p, size_t at, const char *format, ...)
{
	bxt_expr_error e = {.column = (int)at + 1};
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(e.text, sizeof e.text, format, arguments);
	va_end(arguments);
	const int kept = p->n_errors < p->max_errors ? p->n_errors : p->max_errors;
	for (int i = 0; i < kept; i++)
		if (strcmp(p->errors[i].text, e.text) == 0)
			return;
	if (p->n_errors < p->max_errors)
		p->errors[p->n_errors] = e;
	p->n_errors++;
}

/* A syntax error: only the first one is reported. */
#define lose(p, ...)                                                                               \
	do {                                                                                       \
		if (!(p)->lost)                                                                    \
			fail((p), __VA_ARGS__);                                                    \
		(p)->lost = true;                                                                  \
	} while (0)

/* The nearest known name, copied: the scope may create names on the fly. */
struct suggestion {
	bxt_nearest_search search;
	char best[LONGEST_SUGGESTION];
	char words[LONGEST_SUGGESTION + 24];
};

static void offer(void *visitor, const char *name)
{
	struct suggestion *s = visitor;
	if (strlen(name) >= sizeof s->best)
		return;
	bxt_nearest_offer(&s->search, name);
	if (s->search.best == name) {
		memcpy(s->best, name, strlen(name) + 1);
		s->search.best = s->best;
	}
}

static const char *did_you_mean(struct suggestion *s)
{
	s->words[0] = '\0';
	if (s->search.best)
		snprintf(s->words, sizeof s->words, " (did you mean '%s'?)", s->best);
	return s->words;
}

/* ---- Characters ---- */

static unsigned char peek(const struct parser *p, size_t ahead)
{
	return p->at + ahead < p->length ? (unsigned char)p->text[p->at + ahead] : 0;
}

/* Not <ctype.h>: names must not depend on the locale. */
static bool is_digit(unsigned char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alpha(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_alnum(unsigned char c)
{
	return is_alpha(c) || is_digit(c);
}

static bool is_space(unsigned char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_known_character(unsigned char c)
{
	return c && (is_alnum(c) || strchr("_.+-*/^(),<>=!", c));
}

/* Reports and skips one character that no expression contains, with all its UTF-8 bytes. */
static void skip_character(struct parser *p)
{
	const size_t start = p->at++;
	const unsigned char c = (unsigned char)p->text[start];
	while (c >= 0x80 && p->at < p->length && ((unsigned char)p->text[p->at] & 0xc0) == 0x80)
		p->at++;
	if (c < 0x20 || c == 0x7f)
		fail(p, start, "unexpected character with code %d", c);
	else
		fail(p, start, "unexpected character '%.*s'", (int)(p->at - start),
		     p->text + start);
	p->lost = true; /* it may have been an operator */
}

/* The next character that is not white space; 0 at the end. */
static unsigned char next(struct parser *p)
{
	while (p->at < p->length) {
		const unsigned char c = (unsigned char)p->text[p->at];
		if (is_space(c))
			p->at++;
		else if (is_known_character(c))
			return c;
		else
			skip_character(p);
	}
	return 0;
}

static bool accept(struct parser *p, unsigned char c)
{
	const bool here = next(p) == c;
	p->at += here;
	return here;
}

static bool starts_value(const struct parser *p, unsigned char c)
{
	return is_alnum(c) || c == '_' || c == '(' || (c == '.' && is_digit(peek(p, 1)));
}

/* The end of the name at `start`: dots and '@' belong to it only if something follows them. */
static size_t name_end(const struct parser *p, size_t start)
{
	size_t i = start;
	while (i < p->length) {
		const unsigned char c = (unsigned char)p->text[i];
		const unsigned char then = i + 1 < p->length ? (unsigned char)p->text[i + 1] : 0;
		if (!is_alnum(c) && c != '_' &&
		    !((c == '.' || c == '@') && (is_alnum(then) || then == '_')))
			break;
		i++;
	}
	return i;
}

/* ---- Functions ---- */

static void check_times(struct parser *p, size_t at, const bxt_ex *v, size_t n)
{
	double before, after;
	for (size_t i = 0; i + 1 < n; i++)
		if (bxt_ex_is_const(p->g, v[1 + 2 * i], &before) &&
		    bxt_ex_is_const(p->g, v[3 + 2 * i], &after) && after < before)
			fail(p, at, "the times of pwl must not decrease: %g comes after %g", after,
			     before);
}

static bool count_is_right(struct parser *p, size_t at, const bxt_function *f, size_t n)
{
	if (f->op == BXT_FUNCTION_PWL ? n >= 3 && n % 2 == 1 : n == (size_t)f->arguments)
		return true;
	if (p->lost) /* an argument may have been lost as well */
		return false;
	if (f->op == BXT_FUNCTION_PWL)
		fail(p, at, "'pwl' takes t and then pairs of time and value, not %zu argument%s", n,
		     n == 1 ? "" : "s");
	else
		fail(p, at, "'%s' takes %d argument%s%s%s%s, not %zu", f->name, f->arguments,
		     f->arguments == 1 ? "" : "s", f->arguments == 1 ? "" : " (",
		     f->arguments == 1 ? "" : f->list, f->arguments == 1 ? "" : ")", n);
	return false;
}

/* A curve of the scope. */
static bxt_ex apply_curve(struct parser *p, size_t at, const bxt_curve *curve, const bxt_ex *v,
			  size_t n)
{
	if (n == 1)
		return bxt_ex_curve(p->g, curve, 0, v[0]);
	if (!p->lost)
		fail(p, at, "'%s' takes 1 argument, not %zu", curve->name, n);
	return BXT_EX_ONE;
}

static bxt_ex apply(struct parser *p, size_t at, const bxt_function *f, const bxt_ex *v, size_t n)
{
	if (!count_is_right(p, at, f, n))
		return BXT_EX_ONE;
	switch (f->op) {
	case BXT_FUNCTION_RAMP:
		return bxt_ex_ramp(p->g, v);
	case BXT_FUNCTION_PULSE:
		return bxt_ex_pulse(p->g, v);
	case BXT_FUNCTION_PWL:
		check_times(p, at, v, (n - 1) / 2);
		return bxt_ex_pwl(p->g, v, (n - 1) / 2);
	case BXT_FUNCTION_LOG10:
		return bxt_ex_log10(p->g, v[0]);
	case BXT_FUNCTION_CEIL:
		return bxt_ex_ceil(p->g, v[0]);
	case BXT_FUNCTION_ROUND:
		return bxt_ex_round(p->g, v[0]);
	case BXT_FUNCTION_MOD:
		return bxt_ex_mod(p->g, v[0], v[1]);
	case BXT_OP_IF:
		return bxt_ex_if(p->g, v[0], v[1], v[2]);
	default:
		return n == 1 ? bxt_ex_unary(p->g, (bxt_op)f->op, v[0])
			      : bxt_ex_binary(p->g, (bxt_op)f->op, v[0], v[1]);
	}
}

static void push_value(struct parser *p, bxt_ex x)
{
	if (BXT_GROW(p->values, p->value_capacity, p->n_values + 1) != BXT_OK)
		p->g->failed = true;
	else
		p->values[p->n_values++] = x;
}

/* Length of the comparison here, 0 when there is none. */
static size_t comparison(struct parser *p, bxt_op *op, bool *swap)
{
	const unsigned char c = next(p);
	const bool equal = peek(p, 1) == '=';
	*swap = c == '>';
	if (c == '<' || c == '>') {
		*op = equal ? BXT_OP_LE : BXT_OP_LT;
		return equal ? 2 : 1;
	}
	if ((c == '=' || c == '!') && equal) {
		*op = c == '=' ? BXT_OP_EQ : BXT_OP_NE;
		return 2;
	}
	if (c == '=')
		lose(p, p->at, "'=' is not an operator: equality is written '=='");
	return 0;
}

/* Reports a comparison where none is allowed, and skips its sign. */
static void report_comparison(struct parser *p)
{
	bxt_op op;
	bool swap;
	const size_t at = p->at;
	const size_t taken = comparison(p, &op, &swap);
	if (taken)
		lose(p, at, "a comparison stands in the condition of if(condition, yes, no) only");
	else
		lose(p, at, "unexpected '%c'", p->text[at]);
	p->at = at + (taken ? taken : 1);
}

static void expect_close(struct parser *p, size_t opened)
{
	if (accept(p, ')'))
		return;
	const unsigned char c = next(p);
	if (c == '<' || c == '>' || c == '=' || c == '!')
		report_comparison(p);
	else if (c)
		lose(p, p->at, "')' expected before '%c' (opened in column %d)", (char)c,
		     (int)opened + 1);
	else
		lose(p, p->at, "')' expected at the end (opened in column %d)", (int)opened + 1);
}

/* A function's arguments from its '(' on; f and curve are NULL when it is unknown. */
static bxt_ex parse_call(struct parser *p, size_t at, const bxt_function *f, const bxt_curve *curve)
{
	const size_t first = p->n_values, opened = p->at++;
	size_t n = 0;
	if (next(p) != ')')
		do {
			const bool condition = f && f->op == BXT_OP_IF && n == 0;
			push_value(p, condition ? parse_condition(p) : parse_sum(p));
			n++;
		} while (accept(p, ','));
	expect_close(p, opened);
	bxt_ex x = BXT_EX_ONE;
	const bxt_ex *v = n ? p->values + first : NULL;
	if (p->n_values - first == n && (f || curve)) /* else memory ended */
		x = f ? apply(p, at, f, v, n) : apply_curve(p, at, curve, v, n);
	p->n_values = first;
	return x;
}

/* ---- Values ---- */

static void report_unknown(struct parser *p, size_t at, const char *name, bool call)
{
	struct suggestion s = {.search = {.name = name}};
	const bxt_curves *curves = p->scope ? p->scope->curves : NULL;
	const bool is_function = bxt_function_find(name) || bxt_curves_find(curves, name);
	if (call) {
		for (const bxt_function *f = bxt_functions; f->name; f++)
			offer(&s, f->name);
		for (int i = 0; curves && i < curves->n; i++)
			offer(&s, curves->list[i]->name);
		fail(p, at, "function '%s' is not known%s", name, did_you_mean(&s));
	} else if (is_function) {
		fail(p, at, "the arguments of '%s' are missing: write %s(...)", name, name);
	} else {
		offer(&s, "pi");
		if (p->scope && p->scope->names)
			p->scope->names(p->scope->context, offer, &s);
		fail(p, at, "unknown name '%s'%s", name, did_you_mean(&s));
	}
}

static bool lookup(const struct parser *p, const char *name, bxt_ex *x)
{
	if (strcmp(name, "pi") == 0) {
		*x = bxt_ex_const(p->g, 3.14159265358979323846);
		return true;
	}
	return p->scope && p->scope->lookup(p->scope->context, p->g, name, x);
}

static bxt_ex parse_name(struct parser *p)
{
	const size_t at = p->at;
	bxt_ex x = BXT_EX_ONE;
	p->at = name_end(p, at);
	bxt_buffer_clear(&p->name);
	bxt_buffer_add(&p->name, p->text + at, p->at - at);
	if (p->name.failed) {
		p->g->failed = true;
		return x;
	}
	const char *name = p->name.text;
	const bxt_curve *curve = bxt_curves_find(p->scope ? p->scope->curves : NULL, name);
	if (next(p) == '(') {
		/* a table keeps its name even if the language later got a function of that name */
		const bxt_function *f = curve ? NULL : bxt_function_find(name);
		if (f || curve)
			return parse_call(p, at, f, curve);
		if (lookup(p, name, &x)) {
			fail(p, at, "'%s' is not a function; a product needs '*'", name);
			return x;
		}
		report_unknown(p, at, name, true);
		return parse_call(p, at, NULL, NULL);
	}
	if (!lookup(p, name, &x))
		report_unknown(p, at, name, false);
	return x;
}

static bxt_ex parse_number(struct parser *p)
{
	double value;
	const size_t at = p->at;
	const size_t taken = bxt_read_number(p->text + at, p->length - at, &value);
	if (taken) {
		p->at += taken;
		return bxt_ex_const(p->g, value);
	}
	/* a number is refused only if it is too large (or if there was no memory to read it) */
	if (isfinite(value)) {
		p->g->failed = true;
		p->at = p->length;
		return BXT_EX_ONE;
	}
	while (is_alnum(peek(p, 0)) || peek(p, 0) == '.' ||
	       ((peek(p, 0) == '+' || peek(p, 0) == '-') && (p->text[p->at - 1] | 0x20) == 'e'))
		p->at++;
	fail(p, at, "the number %.*s is too large", (int)(p->at - at > 40 ? 40 : p->at - at),
	     p->text + at);
	return BXT_EX_ONE;
}

/* Reports the text that stands in place of a value, and skips what cannot belong to the rest. */
static bxt_ex missing_value(struct parser *p, unsigned char c)
{
	if (!c)
		lose(p, p->at, "the expression ends where a value is expected");
	else if (c == '=' && p->at == strspn(p->text, " \t\r\n"))
		lose(p, p->at, "the text is an expression by itself: leave out the '='");
	else if (c == '*' && p->at > 0 && p->text[p->at - 1] == '*')
		lose(p, p->at - 1, "'**' is not an operator: powers are written with '^'");
	else
		lose(p, p->at, "a value is expected before '%c'", (char)c);
	if (c && c != ')' && c != ',')
		p->at++;
	return BXT_EX_ONE;
}

static bxt_ex parse_primary(struct parser *p)
{
	const unsigned char c = next(p);
	if (is_digit(c) || (c == '.' && is_digit(peek(p, 1))))
		return parse_number(p);
	if (is_alpha(c) || c == '_')
		return parse_name(p);
	if (c != '(')
		return missing_value(p, c);
	const size_t opened = p->at++;
	const bxt_ex x = parse_sum(p);
	expect_close(p, opened);
	return x;
}

/* ---- Operators ---- */

static bxt_ex parse_power(struct parser *p)
{
	const bxt_ex base = parse_primary(p);
	if (!accept(p, '^'))
		return base;
	return bxt_ex_binary(p->g, BXT_OP_POW, base, parse_signed(p));
}

/* Every recursion passes through here, so the depth is counted here. */
static bxt_ex parse_signed(struct parser *p)
{
	bool negative = false;
	for (;;) {
		const unsigned char c = next(p);
		if (c != '-' && c != '+')
			break;
		negative = negative != (c == '-');
		p->at++;
	}
	if (p->depth >= DEEPEST) {
		lose(p, p->at, "the expression is nested deeper than %d levels", DEEPEST);
		p->at = p->length;
		return BXT_EX_ONE;
	}
	p->depth++;
	const bxt_ex x = parse_power(p);
	p->depth--;
	return negative ? bxt_ex_neg(p->g, x) : x;
}

/* Two adjacent values: "2x". Reported, and read as the product that was probably meant. */
static void report_missing_operator(struct parser *p, size_t from)
{
	size_t to = name_end(p, p->at);
	if (to == p->at)
		to++;
	if (to - from <= LONGEST_QUOTE)
		lose(p, p->at, "%.*s: a product needs '*'", (int)(to - from), p->text + from);
	else
		lose(p, p->at, "a product needs '*' before '%.*s'",
		     (int)(to - p->at > LONGEST_QUOTE ? LONGEST_QUOTE : to - p->at),
		     p->text + p->at);
}

static bxt_ex parse_product(struct parser *p)
{
	next(p);
	size_t from = p->at;
	bxt_ex x = parse_signed(p);
	for (;;) {
		const unsigned char c = next(p);
		const bool juxtaposed = starts_value(p, c);
		if (c != '*' && c != '/' && !juxtaposed)
			return x;
		if (juxtaposed)
			report_missing_operator(p, from);
		else
			p->at++;
		next(p);
		from = p->at;
		const bxt_ex y = parse_signed(p);
		x = c == '/' ? bxt_ex_div(p->g, x, y) : bxt_ex_mul(p->g, x, y);
	}
}

static bxt_ex parse_sum(struct parser *p)
{
	bxt_ex x = parse_product(p);
	for (;;) {
		const unsigned char c = next(p);
		if (c != '+' && c != '-')
			break;
		p->at++;
		const bxt_ex y = parse_product(p);
		x = c == '+' ? bxt_ex_add(p->g, x, y) : bxt_ex_sub(p->g, x, y);
	}
	return x;
}

static bxt_ex parse_condition(struct parser *p)
{
	bxt_op op;
	bool swap;
	const bxt_ex a = parse_sum(p);
	const size_t taken = comparison(p, &op, &swap);
	if (!taken)
		return a;
	p->at += taken;
	const bxt_ex b = parse_sum(p);
	const size_t at = p->at;
	bxt_op again;
	bool ignored;
	if (comparison(p, &again, &ignored))
		lose(p, at, "comparisons cannot be chained");
	return swap ? bxt_ex_binary(p->g, op, b, a) : bxt_ex_binary(p->g, op, a, b);
}

/* Reports text that cannot follow a complete expression, skips it, and parses the rest, too. */
static void report_rest(struct parser *p, unsigned char c)
{
	if (c != ')' && c != ',') {
		report_comparison(p);
		return;
	}
	lose(p, p->at, "%s",
	     c == ')' ? "')' without '('" : "',' outside the arguments of a function");
	p->at++;
}

int bxt_expr_parse(bxt_graph *g, const char *text, const bxt_scope *scope, bxt_ex *out,
		   bxt_expr_error *errors, int max_errors)
{
	struct parser p = {.g = g,
			   .scope = scope,
			   .text = text,
			   .length = strlen(text),
			   .errors = errors,
			   .max_errors = max_errors > 0 ? max_errors : 0};
	*out = BXT_EX_ONE;
	if (!next(&p) && !p.lost) {
		lose(&p, 0, "the expression is empty");
		return p.n_errors;
	}
	*out = parse_sum(&p);
	for (unsigned char c = next(&p); c; c = next(&p)) {
		report_rest(&p, c);
		if (starts_value(&p, next(&p)))
			parse_sum(&p);
	}
	bxt_buffer_free(&p.name);
	free(p.values);
	if (p.max_errors > 0 && p.n_errors > p.max_errors)
		return p.max_errors;
	return p.n_errors;
}
