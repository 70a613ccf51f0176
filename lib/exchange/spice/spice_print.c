/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Prints expressions in the language of netlists. There comparisons occur only inside if(), so a
 * combined condition becomes nested if()s: if(a && b, x, y) is if(a, if(b, x, y), y).
 */
#include "exchange/spice/spice.h"
#include "exchange/spice/spice_functions.h"

#include <math.h>
#include <string.h>

typedef struct printer {
	bxt_deck *deck;
	const bxt_spice_senses *senses;
	bxt_deck_line *line;
	bxt_buffer *out;
} printer;

static void add(bxt_buffer *out, const char *text)
{
	bxt_buffer_add(out, text, strlen(text));
}

void bxt_spice_add_number(bxt_buffer *out, double value)
{
	char number[32];
	bxt_format_number(number, value);
	add(out, number);
}

void bxt_spice_add_escaped(bxt_buffer *out, const char *text)
{
	for (const char *c = text; *c; c++)
		if (strchr("&<>\"\n\t\r", *c))
			bxt_buffer_printf(out, "&#%d;", *c);
		else
			bxt_buffer_add(out, c, 1);
}

static void print(printer *p, const bxt_spice_expr *e);

static bool is_over(printer *p)
{
	if (p->out->length > BXT_SPICE_EXPRESSION && !bxt_deck_is_over(p->deck)) {
		bxt_deck_error(p->deck, p->line, "an expression becomes too long");
		p->deck->errors = BXT_SPICE_ERRORS;
	}
	return bxt_deck_is_over(p->deck);
}

static bool is_comparison(char op)
{
	return strchr("<>lg=#", op) != NULL;
}

/* if(condition, yes, no) */
static void print_choice(printer *p, const bxt_spice_expr *condition, const bxt_spice_expr *yes,
			 const bxt_spice_expr *no)
{
	static const char *const signs[] = {"<", ">", "<=", ">=", "==", "!="};
	if (is_over(p))
		return;
	if (condition->op == '!') {
		print_choice(p, condition->of[0], no, yes);
	} else if (condition->op == '&' || condition->op == '|') {
		const bool both = condition->op == '&';
		bxt_spice_expr inner = {.op = '?', .n = 3, .depth = condition->depth};
		const bxt_spice_expr *of[] = {condition->of[1], yes, no};
		inner.of = of;
		print_choice(p, condition->of[0], both ? &inner : yes, both ? no : &inner);
	} else {
		add(p->out, "if(");
		if (is_comparison(condition->op)) {
			print(p, condition->of[0]);
			bxt_buffer_printf(p->out, " %s ",
					  signs[strchr("<>lg=#", condition->op) - "<>lg=#"]);
			print(p, condition->of[1]);
		} else {
			print(p, condition);
			add(p->out, " != 0");
		}
		add(p->out, ", ");
		print(p, yes);
		add(p->out, ", ");
		print(p, no);
		add(p->out, ")");
	}
}

/* Prints a term in parentheses, except an operator, which prints its own. */
static void print_inside(printer *p, const bxt_spice_expr *e)
{
	const bool has = strchr("+-*/~", e->op) || (e->op == 'n' && e->value < 0);
	add(p->out, has ? "" : "(");
	print(p, e);
	add(p->out, has ? "" : ")");
}

/* Linear extrapolation before the first and after the last point, as in SPICE. */
static void print_pwl(printer *p, const bxt_spice_expr *e)
{
	static const double far = 1e9; /* times the table's width */
	const int last = e->n - 1;
	for (int i = 1; i < e->n; i++)
		if (e->of[i]->op != 'n' ||
		    (i > 2 && i % 2 == 1 && e->of[i]->value <= e->of[i - 2]->value)) {
			bxt_deck_error(p->deck, p->line,
				       "the points of pwl() are not numbers that rise");
			return;
		}
	const double x0 = e->of[1]->value, y0 = e->of[2]->value, x1 = e->of[3]->value;
	const double xn = e->of[last - 1]->value, yn = e->of[last]->value;
	const double xm = e->of[last - 3]->value, ym = e->of[last - 2]->value,
		     way = far * (xn - x0);
	add(p->out, "pwl(");
	print(p, e->of[0]);
	const double before[] = {x0 - way, y0 - way * (e->of[4]->value - y0) / (x1 - x0)};
	const double after[] = {xn + way, yn + way * (yn - ym) / (xn - xm)};
	for (int i = 1 - 2; i <= last + 2; i++) {
		add(p->out, ", ");
		bxt_spice_add_number(p->out, i < 1      ? before[i + 1]
					     : i > last ? after[i - last - 1]
							: e->of[i]->value);
	}
	add(p->out, ")");
}

/*
 * |a|^b, without the bars where b is even. Where the slope at 0 is not finite, a stays away from 0
 * by less than its own accuracy.
 */
static void print_power(printer *p, const bxt_spice_expr *e)
{
	const bxt_spice_expr *b = e->of[1];
	const bool even = b->op == 'n' && b->value > 0 && fmod(b->value, 2) == 0;
	const bool smooth = b->op == 'n' && b->value >= 1;
	add(p->out, even ? "" : smooth ? "abs" : "(abs");
	print_inside(p, e->of[0]);
	add(p->out, even || smooth ? "^" : " + 1e-32)^");
	print_inside(p, b);
}

static void print_call(printer *p, const bxt_spice_expr *e)
{
	const bxt_spice_builtin *f = bxt_spice_builtin_of(e->name, e->n, true);
	if (!f) {
		print_pwl(p, e);
		return;
	}
	for (const char *c = f->text; *c; c++)
		if (*c == '%' || *c == '@')
			print_inside(p, e->of[*c == '@']);
		else if (*c == '$')
			print_power(p, e);
		else
			bxt_buffer_add(p->out, c, 1);
}

static void print(printer *p, const bxt_spice_expr *e)
{
	static const bxt_spice_expr one = {.op = 'n', .value = 1}, zero = {.op = 'n'};
	if (is_over(p))
		return;
	if (e->op == 'n') {
		const bool negative = e->value < 0;
		add(p->out, negative ? "(" : "");
		bxt_spice_add_number(p->out, e->value);
		add(p->out, negative ? ")" : "");
	} else if (e->op == 't') {
		add(p->out, "t");
	} else if (e->op == 'v' || e->op == 'i') {
		const char *name = p->senses->name(p->senses->context, e);
		add(p->out, name ? name : "0");
	} else if (e->op == 'f') {
		print_call(p, e);
	} else if (e->op == '?') {
		print_choice(p, e->of[0], e->of[1], e->of[2]);
	} else if (e->op == '~') {
		add(p->out, "(-");
		print_inside(p, e->of[0]);
		add(p->out, ")");
	} else if (e->op == '^') {
		print_power(p, e);
	} else if (e->op == '/' && e->of[1]->op != 'n') {
		add(p->out, "(");
		print(p, e->of[0]);
		add(p->out, "/("); /* see spice_functions.c */
		print(p, e->of[1]);
		add(p->out, " + 1e-32))");
	} else if (strchr("+-*/", e->op)) {
		add(p->out, "(");
		print(p, e->of[0]);
		bxt_buffer_printf(p->out, strchr("+-", e->op) ? " %c " : "%c", e->op);
		print(p, e->of[1]);
		add(p->out, ")");
	} else {
		print_choice(p, e, &one, &zero);
	}
}

void bxt_spice_print(bxt_deck *deck, const bxt_spice_expr *e, const bxt_spice_senses *senses,
		     bxt_deck_line *line, bxt_buffer *out)
{
	printer p = {deck, senses, line, out};
	print(&p, e);
}
