/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes D, Q, M and J of a netlist to a deck: some values on the line of the element, the rest in
 * a model card. Equal cards are written once. The names are those of the component's <spice> and of
 * the attributes spice and spice-line of its parameters.
 */
#include "exchange/spice/deck.h"
#include "model/component/library.h"

#include <string.h>

/* The first of the names, which are separated by blanks; NULL when memory ends. */
static const char *first_name(bxt_deck_writer *w, const char *names)
{
	const char *first = bxt_arena_strndup(w->arena, names, strcspn(names, " "));
	w->failed = w->failed || !first;
	return first ? first : "";
}

/* Converts to a text other than w->out, because bxt_deck_add writes to w->out. */
static void add_assignment(bxt_deck_writer *w, bxt_buffer *to, const char *name, double value)
{
	const bxt_buffer whole = w->out;
	w->out = *to;
	bxt_buffer_printf(&w->out, " %s=", name);
	bxt_deck_add(w, value);
	*to = w->out;
	w->out = whole;
}

/* In SPICE a breakdown current belongs to the whole diode, not to a unit of area. */
static double of_area(bxt_deck_writer *w, const bxt_item *item, const char *name)
{
	const char *area = bxt_item_get(item, "area");
	double value = 1;
	if (area && strcmp(name, "IBV") == 0)
		bxt_deck_value(w, area, "1", &value);
	return value;
}

static const bxt_parameter *find_parameter(const bxt_component *c, const char *name)
{
	for (int k = 0; k < c->n_parameters; k++)
		if (strcmp(c->parameters[k].name, name) == 0)
			return &c->parameters[k];
	return NULL;
}

static bool is_port(const bxt_component *c, const char *name)
{
	for (int k = 0; k < c->n_ports; k++)
		if (strcmp(c->ports[k].name, name) == 0)
			return true;
	return false;
}

static void sort_attributes(bxt_deck_writer *w, const bxt_item *item, const bxt_component *c,
			    bxt_buffer *line, bxt_buffer *model)
{
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		const bxt_parameter *p = find_parameter(c, a->name);
		if (bxt_attribute_is_foreign(a) || strcmp(a->name, "id") == 0 ||
		    is_port(c, a->name))
			continue;
		if (!p || (!p->spice && !p->spice_line)) {
			bxt_deck_wrong(w, item, "%s is not exported", a->name);
			continue;
		}
		double value = bxt_deck_number(w, item, a->name, p->unit);
		if (strcmp(p->unit, "K") == 0) /* decks have degrees Celsius */
			value -= 273.15;
		add_assignment(w, p->spice_line ? line : model,
			       first_name(w, p->spice_line ? p->spice_line : p->spice),
			       value * of_area(w, item, a->name));
	}
}

/*
 * Writes a value that equals the component's default if SPICE would otherwise derive another value:
 * KP from TOX, and IBV, which in SPICE belongs to the whole diode. With CJSW=1, PD and PS are
 * capacitances.
 */
static void add_derived(bxt_deck_writer *w, const bxt_item *item, const bxt_component *c,
			bxt_buffer *model)
{
	const bxt_parameter *kp = find_parameter(c, "KP"), *ibv = find_parameter(c, "IBV");
	const char *tox = bxt_item_get(item, "TOX");
	double value;
	if (kp && tox && bxt_deck_value(w, tox, "m", &value) && value > 0 &&
	    !bxt_item_get(item, "KP"))
		add_assignment(w, model, "KP", kp->default_value);
	if (ibv && bxt_item_get(item, "BV") && bxt_item_get(item, "area") &&
	    !bxt_item_get(item, "IBV"))
		add_assignment(w, model, "IBV", ibv->default_value * of_area(w, item, "IBV"));
	if (bxt_item_get(item, "CDSW") || bxt_item_get(item, "CSSW"))
		add_assignment(w, model, "CJSW", 1);
}

/* The number of the card with that text. A new card is written. */
static int number_of_card(bxt_deck_writer *w, const bxt_component *c, const bxt_buffer *model)
{
	const char *type = c->model_type, *words = type + strcspn(type, " ");
	const char *word = *words ? first_name(w, words + 1) : "";
	const char *values = model->length ? model->text + 1 : "";
	const bool any = *word || *values;
	char *text = bxt_arena_printf(w->arena, " %.*s%s%s%s%s%s", (int)(words - type), type,
				      any ? "(" : "", word, *word && *values ? " " : "", values,
				      any ? ")" : "");
	int number = text ? bxt_map_get(&w->model_numbers, text) : -1;
	if (text && number < 0) {
		number = (int)w->model_numbers.count + 1;
		w->failed = w->failed || bxt_map_put(&w->model_numbers, text, number) != BXT_OK;
		bxt_buffer_printf(&w->models, ".model m%d%s\n", number, text);
	}
	w->failed = w->failed || !text;
	return number;
}

bool bxt_deck_device(bxt_deck_writer *w, const bxt_item *item)
{
	bool broken;
	const bxt_component *c = bxt_library_find(w->library, item->name, NULL, &broken);
	if (!c || !c->spice)
		return false;
	bxt_buffer model = {0}, line = {0};
	sort_attributes(w, item, c, &line, &model);
	add_derived(w, item, c, &model);
	const int number = number_of_card(w, c, &model);
	w->failed = w->failed || model.failed || line.failed;
	bxt_buffer_printf(&w->out, "%s", bxt_deck_name(w, item, c->spice->letter));
	for (const char *s = c->spice->nodes; *(s += strspn(s, " \t\r\n"));) {
		const char *port = first_name(w, s), *node = bxt_item_get(item, port);
		bxt_buffer_printf(&w->out, " %s", node ? bxt_deck_node(w, node) : "0");
		s += strcspn(s, " \t\r\n");
	}
	bxt_buffer_printf(&w->out, " m%d%s\n", number, line.text ? line.text : "");
	bxt_buffer_free(&model);
	bxt_buffer_free(&line);
	return true;
}
