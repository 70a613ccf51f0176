/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Converts D, Q, M and J with their model cards. The files of the components spice-... define which
 * component a card becomes, its nodes, and the names of its values (<spice>, and the attributes
 * spice and spice-line of <parameter>). A name of a card without a counterpart is reported as a
 * warning, unless its value has no effect.
 */
#include "exchange/spice/spice_device.h"

#include "ground/expr/expr.h"
#include "model/component/library.h"

#include <stdlib.h>
#include <string.h>

static void add_name(bxt_buffer *list, const char *name, double value)
{
	bxt_buffer_printf(list, "%s%.40s=%g", list->length ? ", " : "", name, value);
}

/*
 * Handles a name of the card: a value of the component, or a name in one of the lists of names
 * without a counterpart.
 */
static void read_assignment(const bxt_spice_device *d, const bxt_spice_assignment *a,
			    bxt_buffer *ignored, bxt_buffer *warm)
{
	bxt_deck *deck = d->scope->deck;
	const bxt_spice_part *spice = d->component->spice;
	const int k = bxt_spice_find_of_card(d->component, a->name);
	double value = 0, without = 0;
	if (k < 0 && bxt_spice_lists_name(spice->silent, a->name, NULL))
		return;
	if (!a->text) {
		if (!bxt_spice_lists_name(d->component->model_type, a->name, NULL))
			bxt_deck_warning(deck, d->model->line,
					 "model '%.100s': '%.100s' is left out", d->model->name,
					 a->name);
		return;
	}
	if (!bxt_spice_value(deck, d->where, a->text, d->model->line, &value))
		return;
	if (k >= 0) {
		d->values[k] = value;
		d->given[k] = true;
	} else if (bxt_spice_lists_name(spice->warm, a->name, NULL)) {
		if (value != 0)
			add_name(warm, a->name, value);
	} else if (!bxt_spice_lists_name(spice->without, a->name, &without) || value != without) {
		add_name(ignored, a->name, value);
	}
}

static void read_model(const bxt_spice_device *d)
{
	bxt_deck *deck = d->scope->deck;
	bxt_buffer ignored = {0}, warm = {0}; /* at every temperature; away from nominal */
	const double level = bxt_spice_card_value(d, "level", 1);
	if (level != 1) {
		bxt_deck_error(
			deck, d->e->line,
			"'%s': level %g of its model '%.100s' is not taken over, only level 1",
			d->e->words.word[0], level, d->model->name);
		return;
	}
	for (size_t i = 0; i < d->model->values.n; i++)
		read_assignment(d, &d->model->values.items[i], &ignored, &warm);
	if (warm.length && bxt_spice_temperature(d->scope, d->e) !=
				   bxt_spice_device_value(d, "tnom", deck->nominal))
		bxt_buffer_printf(&ignored, "%s%s", ignored.length ? ", " : "", warm.text);
	if (ignored.length)
		bxt_deck_warning(
			deck, d->model->line,
			"model '%.100s': the component %s has nothing for %.400s: what comes "
			"out will differ",
			d->model->name, d->component->name, ignored.text);
	deck->failed = deck->failed || ignored.failed || warm.failed;
	bxt_buffer_free(&ignored);
	bxt_buffer_free(&warm);
}

/* ---- The component ---- */

static void add_device_name(void *visitor, const char *name)
{
	bxt_deck *deck = visitor;
	if (strncmp(name, "spice-", 6) != 0)
		return;
	if (BXT_GROW(deck->devices.names, deck->devices.capacity, deck->devices.n + 1) != BXT_OK)
		deck->failed = true;
	else
		deck->devices.names[deck->devices.n++] = name;
}

/* The components for devices of decks: those called spice-... in the library. */
static const bxt_component *device_component(bxt_deck *deck, size_t i)
{
	bool broken;
	const bxt_component *c =
		bxt_library_find(deck->devices.library, deck->devices.names[i], deck->d, &broken);
	if (broken)
		deck->errors++;
	return c && c->spice ? c : NULL;
}

typedef struct card {
	const bxt_spice_device *device;
	const bxt_component *component;
} card;

/* The value of a parameter from the card, otherwise from the component. */
static bool look_up_value(void *context, bxt_graph *graph, const char *name, bxt_ex *out)
{
	const card *of = context;
	for (int k = 0; k < of->component->n_parameters; k++) {
		const bxt_parameter *p = &of->component->parameters[k];
		if (strcmp(p->name, name) != 0)
			continue;
		double value = p->default_value;
		for (size_t i = 0; i < of->device->model->values.n; i++) {
			const bxt_spice_assignment *a = &of->device->model->values.items[i];
			if (bxt_spice_lists_name(p->spice, a->name, NULL))
				value = bxt_spice_card_value(of->device, a->name, value);
		}
		*out = bxt_ex_const(graph, value);
		return true;
	}
	return false;
}

/* Does the card need the component: is its condition above 0? */
static bool is_needed(const bxt_spice_device *d, const bxt_component *c)
{
	card of = {d, c};
	const bxt_scope scope = {look_up_value, NULL, &of, NULL};
	bxt_graph *graph = bxt_graph_new();
	bxt_expr_error error;
	bxt_ex f;
	bool needed = false;
	if (graph && bxt_expr_parse(graph, c->spice->when.text, &scope, &f, &error, 1) == 0)
		needed = bxt_ex_value(graph, f, NULL) > 0;
	d->scope->deck->failed = d->scope->deck->failed || !graph || bxt_graph_failed(graph);
	bxt_graph_free(graph);
	return needed;
}

/*
 * How well a component fits the card: 0: not at all. A component with words or a condition fits
 * better than one without.
 */
static int fit_of(const bxt_spice_device *d, const bxt_component *c, char letter)
{
	const char *type = c->model_type, *words = type + strcspn(type, " ");
	bool has_word = false;
	bool same = c->spice->letter == letter && strlen(d->model->type) == (size_t)(words - type);
	for (const char *s = type; s < words && same; s++)
		same = (*s | 32) == d->model->type[s - type];
	if (!same)
		return 0;
	for (size_t i = 0; i < d->model->values.n && *words; i++)
		has_word = has_word ||
			   bxt_spice_lists_name(words, d->model->values.items[i].name, NULL);
	if ((*words && !has_word) || (c->spice->when.text && !is_needed(d, c)))
		return 0;
	return 1 + (*words != '\0') + (c->spice->when.text != NULL);
}

static bool find_component(bxt_spice_device *d)
{
	bxt_deck *deck = d->scope->deck;
	const char letter = (char)(*d->e->words.word[0] | 32);
	int best = 0;
	if (!deck->devices.library) {
		bxt_deck_error(deck, d->e->line,
			       "'%s': devices need a component library, which the import has not",
			       d->e->words.word[0]);
		return false;
	}
	if (!deck->devices.names)
		bxt_library_offer_names(deck->devices.library, add_device_name, deck);
	for (size_t i = 0; i < deck->devices.n; i++) {
		const bxt_component *c = device_component(deck, i);
		const int fit = c ? fit_of(d, c, letter) : 0;
		if (fit > best) {
			best = fit;
			d->component = c;
		}
	}
	if (!d->component) {
		bxt_deck_error(deck, d->e->line, "'%s': models of type '%.40s' are not taken over",
			       d->e->words.word[0], d->model->type);
		return false;
	}
	d->values = BXT_NEW(deck->arena, double, (size_t)d->component->n_parameters);
	d->given = BXT_NEW(deck->arena, bool, (size_t)d->component->n_parameters);
	deck->failed = deck->failed || !d->values || !d->given;
	return d->values && d->given;
}

/* ---- The line ---- */

/* The word that names the model. It follows the nodes, of which a Q has three to five. */
static int find_model(bxt_spice_device *d)
{
	static const struct {
		char letter;
		int least, most;
	} nodes[] = {{'d', 2, 3}, {'q', 3, 5}, {'m', 3, 6}, {'j', 3, 3}};
	const bxt_spice_words *w = &d->e->words;
	const char letter = (char)(*w->word[0] | 32);
	int k = 0;
	while (nodes[k].letter != letter)
		k++;
	for (int i = nodes[k].least + 1; i <= nodes[k].most + 1 && i < w->n; i++) {
		const char *name =
			bxt_spice_lower(d->scope->deck->arena, w->word[i], strlen(w->word[i]));
		d->model = name ? bxt_deck_model(d->scope->env, name, &d->where) : NULL;
		if (d->model)
			return i;
	}
	if (w->n <= nodes[k].least + 1)
		bxt_deck_error(d->scope->deck, d->e->line,
			       "'%s' is not complete: nodes and a model", w->word[0]);
	else
		bxt_deck_error(d->scope->deck, d->e->line, "'%s': there is no model '%.100s'",
			       w->word[0], w->word[nodes[k].least + 1]);
	return -1;
}

/*
 * Reports an error for each name on the line that neither SPICE's devices nor the component have.
 */
static void check_names(const bxt_spice_device *d)
{
	static const char *const common[] = {"area", "m", "temp", "dtemp", "ic", "off"};
	const bxt_component *c = d->component;
	for (size_t i = 0; i < d->e->values.n; i++) {
		const bxt_spice_assignment *a = &d->e->values.items[i];
		bool known = bxt_spice_lists_name(c->spice->line_names, a->name, NULL);
		for (size_t k = 0; k < sizeof common / sizeof *common; k++)
			known = known || bxt_spice_same(common[k], a->name);
		for (int k = 0; k < c->n_parameters; k++)
			known = known ||
				bxt_spice_lists_name(c->parameters[k].spice_line, a->name, NULL);
		if (!known)
			bxt_deck_error(d->scope->deck, d->e->line,
				       "'%s': '%.100s' is not known here", d->e->words.word[0],
				       a->name);
	}
}

static bool has_area(const bxt_component *c)
{
	for (int k = 0; k < c->n_parameters; k++)
		if (bxt_spice_lists_name(c->parameters[k].spice_line, "area", NULL))
			return true;
	return false;
}

/* A number without a name after the model is the area. */
static void read_line(bxt_spice_device *d, int at)
{
	bxt_deck *deck = d->scope->deck;
	const bxt_spice_words *w = &d->e->words;
	const bxt_component *c = d->component;
	check_names(d);
	d->area = 1;
	for (int i = at + 1; i < w->n; i++)
		if (!bxt_spice_same(w->word[i], "off"))
			bxt_spice_value(deck, d->scope->env, w->word[i], d->e->line, &d->area);
	d->area *= bxt_spice_assigned(d->scope, d->e, "area", 1);
	if (has_area(c))
		d->area *= bxt_spice_assigned(d->scope, d->e, "m", 1);
	else if (d->area != 1)
		bxt_deck_error(deck, d->e->line, "'%s': its model takes no area", w->word[0]);
	if (!(d->area > 0))
		bxt_deck_error(deck, d->e->line, "'%s': the area is not above 0", w->word[0]);
	if (bxt_spice_find(&d->e->values, "ic") && deck->uic)
		bxt_deck_warning(deck, d->e->line, "'%s': IC of devices is left out", w->word[0]);
}

static bool is_temperature(const bxt_parameter *p)
{
	return strcmp(p->unit, "K") == 0;
}

/*
 * Writes values in the order of the component's parameters. Temperatures equal to the default of 27
 * degrees are not written.
 */
static void write_values(const bxt_spice_device *d)
{
	const bxt_deck *deck = d->scope->deck;
	for (int k = 0; k < d->component->n_parameters; k++) {
		const bxt_parameter *p = &d->component->parameters[k];
		const bool line = p->spice_line != NULL;
		if (is_temperature(p) && (line || p->spice)) {
			const double t = line          ? bxt_spice_temperature(d->scope, d->e)
					 : d->given[k] ? d->values[k]
						       : deck->nominal;
			if (t != 27)
				bxt_spice_value_attribute(d->scope, p->name, t + 273.15, "K");
		} else if (line && bxt_spice_lists_name(p->spice_line, "area", NULL)) {
			if (d->area != 1)
				bxt_spice_value_attribute(d->scope, p->name, d->area, "");
		} else if (d->given[k] && !(line && d->values[k] == 0)) {
			bxt_spice_value_attribute(d->scope, p->name, d->values[k],
						  strcmp(p->unit, "1") == 0 ? "" : p->unit);
		}
	}
}

/* Reads values that the line sets by parameter names. */
static void read_line_values(const bxt_spice_device *d)
{
	for (size_t i = 0; i < d->e->values.n; i++)
		for (int k = 0; k < d->component->n_parameters; k++) {
			const char *name = d->e->values.items[i].name;
			if (!bxt_spice_lists_name(d->component->parameters[k].spice_line, name,
						  NULL))
				continue;
			d->values[k] = bxt_spice_assigned(d->scope, d->e, name, 0);
			d->given[k] = true;
		}
}

/*
 * The number of nodes of the component that the line has. Missing nodes of a Q are the reference.
 */
static int count_nodes(const bxt_component *c)
{
	int n = 0;
	for (const char *s = c->spice->nodes; *(s += strspn(s, " \t\r\n")); n++)
		s += strcspn(s, " \t\r\n");
	return n;
}

/* Between the name and the model: only a Q takes a substrate, and no transistor a temperature. */
static bool check_nodes(const bxt_spice_device *d, int at)
{
	const bxt_spice_words *w = &d->e->words;
	const char letter = d->component->spice->letter;
	const int n = count_nodes(d->component);
	bool thermal = false;
	for (int i = at + 1; i < w->n; i++)
		thermal = thermal || bxt_spice_same(w->word[i], "thermal");
	if (!thermal && (letter == 'q' || at > n) && !(letter == 'm' && at > n + 1))
		return true;
	bxt_deck_error(
		d->scope->deck, d->e->line,
		thermal  ? "'%s': the transistor heats itself ('thermal'), which is not taken "
			   "over"
		: at > n ? "'%s': there are too many nodes before its model"
			 : "'%s' is not complete: nodes and a model",
		w->word[0]);
	return false;
}

static void write_nodes(const bxt_spice_device *d, int at)
{
	int i = 1;
	for (const char *s = d->component->spice->nodes; *(s += strspn(s, " \t\r\n")); i++) {
		const size_t length = strcspn(s, " \t\r\n");
		const char *port = bxt_arena_strndup(d->scope->deck->arena, s, length);
		d->scope->deck->failed = d->scope->deck->failed || !port;
		if (port)
			bxt_spice_node_attribute(d->scope, port,
						 i < at ? d->e->words.word[i] : "0");
		s += length;
	}
}

void bxt_spice_write_device(bxt_spice_scope *scope, const bxt_spice_element *e)
{
	bxt_spice_device d = {.scope = scope, .e = e};
	const int at = find_model(&d);
	if (at < 0 || !find_component(&d))
		return;
	read_model(&d);
	if (e->line->error || !check_nodes(&d, at))
		return;
	read_line(&d, at);
	read_line_values(&d);
	bxt_spice_device_derive(&d);
	scope->deck->nonlinear = true;
	bxt_spice_open(scope, d.component->name, e->id);
	write_nodes(&d, at);
	write_values(&d);
	bxt_spice_close(scope);
}
