/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the value in the box of an element. Expressions in parameters are evaluated if possible.
 * Expressions of time remain texts, which are shortened.
 */
#include "show/draw/drawing.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHARACTERS = 26 }; /* of a value that is an expression, so that the box stays small */

/* ---- Parameters ---- */

struct names {
	const bxt_drawing *g;
	int frame;
};

static bool look_up(void *context, bxt_graph *graph, const char *name, bxt_ex *out)
{
	const struct names *names = context;
	if (strcmp(name, "t") == 0) {
		*out = bxt_ex_var(graph, 0);
		return true;
	}
	const bxt_drawn_frame *f = &names->g->frames[names->frame];
	for (size_t i = 0; i < f->n; i++)
		if (!isnan(f->value[i]) && strcmp(f->name[i], name) == 0) {
			*out = bxt_ex_const(graph, f->value[i]);
			return true;
		}
	return false;
}

/* The value of a text in a frame, in the coherent unit; NaN: not known, or not constant. */
static double value_of(bxt_drawing *g, int frame, const char *text, const char *unit)
{
	double value;
	if (text[0] != '=')
		return bxt_quantity_read(bxt_library_units(g->library), text, unit, &value) ==
				       BXT_QUANTITY_OK
			       ? value
			       : NAN;
	struct names names = {g, frame};
	const bxt_scope scope = {look_up, NULL, &names, NULL};
	bxt_expr_error error;
	bxt_ex f;
	const double t = 0;
	const int errors = bxt_expr_parse(g->graph, text + 1, &scope, &f, &error, 1);
	if (bxt_graph_failed(g->graph))
		g->failed = true;
	if (errors || g->failed || bxt_ex_depends(g->graph, f, 0))
		return NAN;
	return bxt_ex_value(g->graph, f, &t);
}

int bxt_drawing_frame(bxt_drawing *g, int file, const bxt_item *includer, int outer)
{
	const bxt_item *root = g->files[file].item;
	size_t n = 0;
	for (const bxt_item *p = NULL; (p = bxt_item_child(root, "parameter", p));)
		n++;
	bxt_drawn_frame f = {file, BXT_NEW(g->arena, const char *, n), BXT_NEW(g->arena, double, n),
			     0};
	const int index = (int)g->n_frames;
	if (!f.name || !f.value || BXT_GROW(g->frames, g->c_frames, g->n_frames + 1) != BXT_OK) {
		g->failed = true;
		return -1;
	}
	g->frames[g->n_frames++] = f;
	for (const bxt_item *p = NULL; (p = bxt_item_child(root, "parameter", p));) {
		const char *name = bxt_item_get(p, "name"), *unit = bxt_item_get(p, "unit");
		const char *given = includer && name ? bxt_item_get(includer, name) : NULL;
		const char *text = given ? given : bxt_item_get(p, "default");
		if (!name)
			continue;
		f.name[f.n] = name;
		f.value[f.n] =
			text ? value_of(g, given ? outer : index, text, unit ? unit : "") : NAN;
		g->frames[index].n = ++f.n;
	}
	return index;
}

/* ---- Text ---- */

/* The bytes of the first `most` characters. */
static size_t bytes_of(const char *text, size_t most)
{
	size_t i = 0;
	for (; text[i]; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80 && most-- == 0)
			break;
	return i;
}

const char *bxt_drawing_short(bxt_drawing *g, const char *text, size_t most)
{
	char *copy = bxt_arena_strdup(g->arena, text);
	size_t n = 0;
	for (const char *s = copy; s && *s; s++) {
		const bool space = strchr(" \t\r\n", *s) != NULL;
		if (!space || (n > 0 && copy[n - 1] != ' '))
			copy[n++] = space ? ' ' : *s;
	}
	if (copy) {
		copy[n > 0 && copy[n - 1] == ' ' ? n - 1 : n] = '\0';
		const size_t keep = bytes_of(copy, most);
		if (copy[keep]) {
			copy[bytes_of(copy, most - 1)] = '\0';
			copy = bxt_arena_printf(g->arena, "%s…", copy);
		}
	}
	g->failed = g->failed || !copy;
	return copy;
}

/* Units that may have a decimal prefix. */
static bool takes_prefix(const char *unit)
{
	static const char *const units[] = {"ohm", "F", "H", "V",  "A",  "W", "S", "s",
					    "m",   "N", "J", "Pa", "Wb", "C", "T", "Hz"};
	for (size_t i = 0; i < sizeof units / sizeof *units; i++)
		if (strcmp(unit, units[i]) == 0)
			return true;
	return false;
}

/* Formats "kg.m2/s" for display: raised digits, a raised dot, the sign of ohm. */
static void add_unit(bxt_buffer *out, const char *unit)
{
	static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
	for (const char *s = unit; *s; s++) {
		const bool sign = *s == '-' && s[1] >= '0' && s[1] <= '9';
		if (*s >= '0' && *s <= '9' && s > unit)
			bxt_buffer_printf(out, "%s", raised[*s - '0']);
		else if (sign || *s == '.')
			bxt_buffer_printf(out, "%s", sign ? "⁻" : "·");
		else if (strncmp(s, "ohm", 3) == 0) {
			bxt_buffer_printf(out, "Ω");
			s += 2;
		} else
			bxt_buffer_add(out, s, 1);
	}
}

/* "2 kΩ": four digits, with the exponent as a prefix if the unit can have one. */
static void add_value(bxt_buffer *out, double value, const char *unit)
{
	static const char *const prefixes[] = {"f", "p", "n", "µ", "m", "", "k", "M", "G", "T"};
	enum { ONE = 5 };
	const bool number = !*unit || strcmp(unit, "1") == 0;
	int at = ONE;
	char digits[32];
	if (takes_prefix(unit) && value != 0) {
		snprintf(digits, sizeof digits, "%.3e", value); /* rounded: 999.96 becomes 1 k */
		const int exponent = (int)strtol(strchr(digits, 'e') + 1, NULL, 10);
		at = ONE + (int)floor(exponent / 3.0);
		at = at < 0 ? 0 : at > 9 ? 9 : at;
	}
	snprintf(digits, sizeof digits, "%.4g", value / pow(10, 3 * (at - ONE)));
	for (char *c = digits; *c; c++) /* replaces the decimal sign of the locale */
		if (!strchr("0123456789e+-", *c))
			*c = '.';
	char *e = strchr(digits, 'e'); /* 5e+10 becomes 5e10 */
	if (e && e[1] == '+')
		memmove(e + 1, e + 2 + (e[2] == '0'), strlen(e + 2 + (e[2] == '0')) + 1);
	bxt_buffer_printf(out, "%s%s%s", digits, number ? "" : " ", prefixes[at]);
	if (!number)
		add_unit(out, unit);
}

/*
 * The first parameter, in the order of declaration, that the element sets; with its name if other
 * parameters precede it.
 */
const char *bxt_drawing_value(bxt_drawing *g, int frame, const bxt_component *c,
			      const bxt_item *item)
{
	bxt_buffer out = {0};
	const char *text = NULL;
	int k = 0;
	for (; k < c->n_parameters; k++)
		if ((text = bxt_item_get(item, c->parameters[k].name)))
			break;
	if (!text)
		return NULL;
	const bxt_parameter *p = &c->parameters[k];
	const double value = p->of ? NAN : value_of(g, frame, text, p->unit);
	if (k > 0 && !p->of)
		bxt_buffer_printf(&out, "%s = ", p->name);
	if (isnan(value)) {
		const char *words = bxt_drawing_short(g, text + (text[0] == '='), MOST_CHARACTERS);
		bxt_buffer_printf(&out, "%s", words ? words : "");
	} else {
		add_value(&out, value, p->si);
	}
	const char *copy = out.failed ? NULL : bxt_arena_strdup(g->arena, out.text);
	g->failed = g->failed || !copy;
	bxt_buffer_free(&out);
	return copy;
}
