/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values and names of a netlist as a deck has them. */
#include "exchange/spice/deck.h"
#include "model/component/library.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- Values ---- */

static bool look_up(void *context, bxt_graph *graph, const char *name, bxt_ex *out)
{
	bxt_deck_writer *w = context;
	if (strcmp(name, "t") == 0) {
		*out = bxt_ex_var(graph, 0);
		return true;
	}
	for (const bxt_item *p = NULL; (p = bxt_item_child(w->tree->root, "parameter", p));) {
		const char *own = bxt_item_get(p, "name"), *unit = bxt_item_get(p, "unit");
		double value;
		if (!own || strcmp(own, name) != 0 || w->depth > 30)
			continue;
		w->depth++;
		const bool known =
			bxt_deck_value(w, bxt_item_get(p, "default"), unit ? unit : "1", &value);
		w->depth--;
		if (known)
			*out = bxt_ex_const(graph, value);
		return known;
	}
	return false;
}

bool bxt_deck_value(bxt_deck_writer *w, const char *text, const char *unit, double *value)
{
	const double t = 0;
	bxt_expr_error error;
	bxt_ex f;
	if (!text)
		return false;
	if (text[0] != '=')
		return bxt_quantity_read(bxt_library_units(w->library), text, unit, value) ==
		       BXT_QUANTITY_OK;
	const bxt_scope scope = {look_up, NULL, w, NULL};
	if (bxt_expr_parse(w->graph, text + 1, &scope, &f, &error, 1) != 0 ||
	    bxt_graph_failed(w->graph) || bxt_ex_depends(w->graph, f, 0))
		return false;
	*value = bxt_ex_value(w->graph, f, &t);
	return isfinite(*value);
}

void bxt_deck_wrong(bxt_deck_writer *w, const bxt_item *item, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	char *text = bxt_arena_vprintf(w->arena, format, arguments);
	va_end(arguments);
	w->failed = w->failed || !text;
	w->errors++;
	bxt_error(w->d, item->place, "%s '%s': %s", item->name,
		  bxt_item_get(item, "id") ? bxt_item_get(item, "id") : "", text ? text : "");
}

double bxt_deck_number(bxt_deck_writer *w, const bxt_item *item, const char *name, const char *unit)
{
	double value = 0;
	if (!bxt_deck_value(w, bxt_item_get(item, name), unit, &value))
		bxt_deck_wrong(w, item, "%s is no constant value: a deck has numbers", name);
	return value;
}

/* ---- Names: SPICE ignores case, and the first letter indicates the type of an element ---- */

static const char *lower(bxt_deck_writer *w, const char *name)
{
	char *copy = bxt_arena_strdup(w->arena, name);
	for (char *c = copy; c && *c; c++)
		*c = (char)(*c >= 'A' && *c <= 'Z' ? *c + 32 : *c);
	w->failed = w->failed || !copy;
	return copy ? copy : "";
}

/* Returns the wanted name, with a number appended if another name differs from it only in case. */
const char *bxt_deck_free_name(bxt_deck_writer *w, bxt_map *taken, const char *wish)
{
	const char *name = wish;
	for (int k = 2; name && bxt_map_get(taken, lower(w, name)) >= 0; k++)
		name = bxt_arena_printf(w->arena, "%s_%d", wish, k);
	w->failed = w->failed || !name || bxt_map_put(taken, lower(w, name), 1) != BXT_OK;
	return name ? name : "";
}

const char *bxt_deck_node(bxt_deck_writer *w, const char *id)
{
	if (strcmp(id, "0") == 0 || strcmp(id, "wall") == 0 || strcmp(id, "ground") == 0)
		return "0";
	const char *known = bxt_dictionary_get(&w->nodes, id);
	if (known)
		return known;
	const bool word = strcmp(lower(w, id), "gnd") == 0;
	const char *name = bxt_deck_free_name(w, &w->node_names, word ? "gnd_2" : id);
	w->failed = w->failed || bxt_dictionary_put(&w->nodes, id, name) != BXT_OK;
	return name;
}

const char *bxt_deck_name(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	const char *id = bxt_item_get(item, "id");
	const char *known = bxt_dictionary_get(&w->elements, id);
	if (known)
		return known;
	const bool fits = (id[0] | 32) == letter;
	const char *wish = fits ? id : bxt_arena_printf(w->arena, "%c%s", letter - 32, id);
	const char *name = bxt_deck_free_name(w, &w->element_names, wish ? wish : "");
	w->failed = w->failed || !wish || bxt_dictionary_put(&w->elements, id, name) != BXT_OK;
	return name;
}

void bxt_deck_add(bxt_deck_writer *w, double value)
{
	char number[32];
	bxt_format_number(number, value);
	const char last = w->out.length ? w->out.text[w->out.length - 1] : ' ';
	bxt_buffer_printf(&w->out, "%s%s", strchr("=(", last) ? "" : " ", number);
}
