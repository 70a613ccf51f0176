/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expressions as text with as few parentheses as possible. */
#include "ground/base/text.h"
#include "ground/expr/curve_node.h"
#include "ground/expr/divided_difference.h"
#include "ground/expr/expr_internal.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* Precedence, as in the parser; later binds tighter. */
enum { BINDS_COMPARE, BINDS_SUM, BINDS_PRODUCT, BINDS_MINUS, BINDS_POWER, BINDS_ATOM };

/* Shared nodes are printed at each use, so a text may become very long: beyond this length it ends
 * in "...". */
enum { LONGEST_TEXT = 1 << 20 };

/* An item still to be printed: a word, or a node with its least precedence. */
struct item {
	const char *word;
	bxt_ex x;
	int least;
};

struct writer {
	const bxt_graph *g;
	const char *(*name)(void *context, int v);
	void *context;
	bxt_buffer text;
	struct item *stack;
	size_t top, capacity;
	bool failed;
};

static void push(struct writer *w, const char *word, bxt_ex x, int least)
{
	if (BXT_GROW(w->stack, w->capacity, w->top + 1) != BXT_OK) {
		w->failed = true;
		return;
	}
	w->stack[w->top++] = (struct item){word, x, least};
}

static void push_word(struct writer *w, const char *word)
{
	push(w, word, -1, 0);
}

/* The shortest text that reads back as the same number, with a point whatever the locale. */
static void write_number(struct writer *w, double value)
{
	char text[64];
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof text, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	char *point = strchr(text, localeconv()->decimal_point[0]);
	if (point)
		*point = '.';
	bxt_buffer_add(&w->text, text, strlen(text));
}

static const char *word_of(bxt_op op)
{
	switch (op) {
	case BXT_OP_SQRT:
		return "sqrt(";
	case BXT_OP_EXP:
		return "exp(";
	case BXT_OP_LOG:
		return "log(";
	case BXT_OP_SIN:
		return "sin(";
	case BXT_OP_COS:
		return "cos(";
	case BXT_OP_TAN:
		return "tan(";
	case BXT_OP_ASIN:
		return "asin(";
	case BXT_OP_ACOS:
		return "acos(";
	case BXT_OP_ATAN:
		return "atan(";
	case BXT_OP_SINH:
		return "sinh(";
	case BXT_OP_COSH:
		return "cosh(";
	case BXT_OP_TANH:
		return "tanh(";
	case BXT_OP_ABS:
		return "abs(";
	case BXT_OP_SIGN:
		return "sign(";
	case BXT_OP_FLOOR:
		return "floor(";
	case BXT_OP_ATAN2:
		return "atan2(";
	case BXT_OP_MIN:
		return "min(";
	case BXT_OP_MAX:
		return "max(";
	case BXT_OP_IF:
		return "if(";
	case BXT_OP_NEG:
		return "-";
	case BXT_OP_ADD:
		return " + ";
	case BXT_OP_SUB:
		return " - ";
	case BXT_OP_MUL:
		return "*";
	case BXT_OP_DIV:
		return "/";
	case BXT_OP_POW:
		return "^";
	case BXT_OP_LT:
		return " < ";
	case BXT_OP_LE:
		return " <= ";
	case BXT_OP_EQ:
		return " == ";
	case BXT_OP_NE:
		return " != ";
	default:
		return "?";
	}
}

static int binding_of(const bxt_node *x)
{
	switch (x->op) {
	case BXT_OP_CONST:
		return x->value < 0 ? BINDS_MINUS : BINDS_ATOM;
	case BXT_OP_NEG:
		return BINDS_MINUS;
	case BXT_OP_ADD:
	case BXT_OP_SUB:
		return BINDS_SUM;
	case BXT_OP_MUL:
		return x->a == x->b ? BINDS_POWER : BINDS_PRODUCT;
	case BXT_OP_DIV:
		return BINDS_PRODUCT;
	case BXT_OP_POW:
		return BINDS_POWER;
	default:
		return bxt_op_is_comparison(x->op) ? BINDS_COMPARE : BINDS_ATOM;
	}
}

/* Pushes the pieces of an operator written between its operands, last piece first. */
static void push_infix(struct writer *w, const bxt_node *x)
{
	const int binds = binding_of(x);
	if (x->op == BXT_OP_MUL && x->a == x->b) {
		push_word(w, "^2");
		push(w, NULL, x->a, BINDS_ATOM);
	} else if (x->op == BXT_OP_NEG) {
		push(w, NULL, x->a, BINDS_POWER);
		push_word(w, "-");
	} else if (x->op == BXT_OP_ADD && w->g->nodes[x->a].op == BXT_OP_CONST) {
		push(w, NULL, x->a, BINDS_PRODUCT); /* numbers are kept in front */
		push_word(w, " + ");
		push(w, NULL, x->b, BINDS_SUM);
	} else {
		const bool loose_right = x->op == BXT_OP_ADD || x->op == BXT_OP_MUL;
		const bool tight_left = x->op == BXT_OP_POW || binds == BINDS_COMPARE;
		push(w, NULL, x->b, x->op == BXT_OP_POW ? BINDS_POWER : binds + !loose_right);
		push_word(w, word_of(x->op));
		push(w, NULL, x->a, binds + tight_left);
	}
}

/* f[a, .. a, b, .. b], "exp(.)[x, y]" and "(.^p)[x, x, y]" */
static void push_chord(struct writer *w, const bxt_node *x)
{
	const bxt_chord c = bxt_chord_of(x);
	push_word(w, "]");
	for (int k = c.m + c.n - 1; k >= 0; k--) {
		push(w, NULL, k < c.m ? x->a : x->b, BINDS_SUM);
		push_word(w, k > 0 ? ", " : c.f == BXT_OP_POW ? ")[" : ".)[");
	}
	if (c.f == BXT_OP_POW)
		push(w, NULL, x->c, BINDS_POWER);
	push_word(w, c.f == BXT_OP_POW ? "(.^" : word_of(c.f));
}

/* "name(x)"; of a derivative "name'(x)"; of a chord "name[x, x, y]" */
static void push_curve(struct writer *w, const bxt_node *x)
{
	const bxt_curve_use u = bxt_curve_use_of(x);
	push_word(w, u.m ? "]" : ")");
	for (int k = u.m ? u.m + u.n - 1 : 0; k >= 0; k--) {
		push(w, NULL, k < u.m || !u.m ? x->a : x->b, BINDS_SUM);
		push_word(w, k > 0 ? ", " : u.m ? "[" : "(");
	}
	for (int k = 0; k < u.order; k++)
		push_word(w, "'");
	push_word(w, bxt_curve_of(w->g, x)->name);
}

static void push_call(struct writer *w, const bxt_node *x)
{
	const bxt_ex operands[3] = {x->a, x->b, x->c};
	if (x->op == BXT_OP_CHORD) {
		push_chord(w, x);
		return;
	}
	if (x->op == BXT_OP_CURVE || x->op == BXT_OP_CURVE_CHORD) {
		push_curve(w, x);
		return;
	}
	push_word(w, ")");
	for (int k = 2; k >= 0; k--) {
		if (operands[k] < 0)
			continue;
		push(w, NULL, operands[k],
		     x->op == BXT_OP_IF && k == 0 ? BINDS_COMPARE : BINDS_SUM);
		if (k > 0)
			push_word(w, ", ");
	}
	push_word(w, word_of(x->op));
}

static void write_node(struct writer *w, bxt_ex id, int least)
{
	const bxt_node x = w->g->nodes[id];
	const int binds = binding_of(&x);
	if (binds < least) {
		push_word(w, ")");
		push(w, NULL, id, BINDS_COMPARE);
		push_word(w, "(");
	} else if (x.op == BXT_OP_CONST) {
		write_number(w, x.value);
	} else if (x.op == BXT_OP_VAR) {
		const char *name = w->name ? w->name(w->context, x.a) : NULL;
		if (name)
			bxt_buffer_add(&w->text, name, strlen(name));
		else
			bxt_buffer_printf(&w->text, "x%d", x.a);
	} else if (binds == BINDS_ATOM) {
		push_call(w, &x);
	} else {
		push_infix(w, &x);
	}
}

/* Writes a negative number after " + " as " - " with its magnitude. */
static bool write_minus(struct writer *w, const struct item *item)
{
	if (strcmp(item->word, " + ") != 0 || w->top == 0)
		return false;
	struct item *next = &w->stack[w->top - 1];
	if (next->word || w->g->nodes[next->x].op != BXT_OP_CONST ||
	    !(w->g->nodes[next->x].value < 0))
		return false;
	bxt_buffer_add(&w->text, " - ", 3);
	write_number(w, -w->g->nodes[next->x].value);
	w->top--;
	return true;
}

char *bxt_ex_text(const bxt_graph *g, bxt_ex f, const char *(*name)(void *context, int v),
		  void *context)
{
	struct writer w = {.g = g, .name = name, .context = context};
	push(&w, NULL, f, BINDS_COMPARE);
	while (w.top > 0 && !w.failed && !w.text.failed) {
		if (w.text.length > LONGEST_TEXT) {
			bxt_buffer_add(&w.text, "...", 3);
			break;
		}
		const struct item item = w.stack[--w.top];
		if (!item.word)
			write_node(&w, item.x, item.least);
		else if (!write_minus(&w, &item))
			bxt_buffer_add(&w.text, item.word, strlen(item.word));
	}
	free(w.stack);
	if (w.failed || w.text.failed)
		bxt_buffer_free(&w.text);
	return w.text.text;
}
