/* SPDX-License-Identifier: GPL-3.0-or-later */
/* D, Q, M and J: what belongs to the line of the element, the rest in a model; equal models are
 * one. */
#include "exchange/spice/deck.h"

#include <string.h>

static const struct {
	const char *component, *type, *ports;
} devices[] = {{"spice-diode", "D", "pn"},
	       {"spice-diode-knee", "D", "pn"},
	       {"spice-npn", "NPN", "cbe"},
	       {"spice-pnp", "PNP", "cbe"},
	       {"spice-npn-substrate", "NPN", "cbes"},
	       {"spice-pnp-substrate", "PNP", "cbes"},
	       {"spice-nmos", "NMOS", "dgsb"},
	       {"spice-pmos", "PMOS", "dgsb"},
	       {"spice-njf", "NJF", "dgs"},
	       {"spice-pjf", "PJF", "dgs"}};

/* Parameters with their units; how: 'm' of the model, 'l' of the line, 't' a temperature of the
 * line, 'n' one of the model, 'd' and 's' side walls of drain and source. */
static const struct {
	const char *name, *unit;
	char how;
} rows[] = {
	{"IS", "A", 'm'},      {"N", "1", 'm'},         {"RS", "ohm", 'm'},    {"CJO", "F", 'm'},
	{"VJ", "V", 'm'},      {"M", "1", 'm'},         {"FC", "1", 'm'},      {"TT", "s", 'm'},
	{"BV", "V", 'm'},      {"IBV", "A", 'm'},       {"EG", "V", 'm'},      {"XTI", "1", 'm'},
	{"BF", "1", 'm'},      {"BR", "1", 'm'},        {"NF", "1", 'm'},      {"NR", "1", 'm'},
	{"VAF", "V", 'm'},     {"VAR", "V", 'm'},       {"IKF", "A", 'm'},     {"IKR", "A", 'm'},
	{"ISE", "A", 'm'},     {"ISC", "A", 'm'},       {"NE", "1", 'm'},      {"NC", "1", 'm'},
	{"RB", "ohm", 'm'},    {"RBM", "ohm", 'm'},     {"RE", "ohm", 'm'},    {"RC", "ohm", 'm'},
	{"CJE", "F", 'm'},     {"VJE", "V", 'm'},       {"MJE", "1", 'm'},     {"CJC", "F", 'm'},
	{"VJC", "V", 'm'},     {"MJC", "1", 'm'},       {"TF", "s", 'm'},      {"TR", "s", 'm'},
	{"NBV", "1", 'm'},     {"XTF", "1", 'm'},       {"VTF", "V", 'm'},     {"ITF", "A", 'm'},
	{"XTB", "1", 'm'},     {"XCJC", "1", 'm'},      {"CJS", "F", 'm'},     {"VJS", "V", 'm'},
	{"MJS", "1", 'm'},     {"VTO", "V", 'm'},       {"KP", "A/V2", 'm'},   {"GAMMA", "1", 'm'},
	{"PHI", "V", 'm'},     {"LAMBDA", "1/V", 'm'},  {"LD", "m", 'm'},      {"TOX", "m", 'm'},
	{"CGSO", "F/m", 'm'},  {"CGDO", "F/m", 'm'},    {"CGBO", "F/m", 'm'},  {"CBD", "F", 'm'},
	{"CBS", "F", 'm'},     {"PB", "V", 'm'},        {"MJ", "1", 'm'},      {"MJSW", "1", 'm'},
	{"RD", "ohm", 'm'},    {"BETA", "A/V2", 'm'},   {"CGS", "F", 'm'},     {"CGD", "F", 'm'},
	{"IRB", "A", 'm'},     {"NK", "1", 'm'},        {"ISS", "A", 'm'},     {"NS", "1", 'm'},
	{"ISR", "A", 'm'},     {"TRS1", "1/K", 'm'},    {"TRS2", "1/K2", 'm'}, {"TBV1", "V/K", 'm'},
	{"VTOTC", "V/K", 'm'}, {"BETATCE", "1/K", 'm'}, {"W", "m", 'l'},       {"L", "m", 'l'},
	{"area", "1", 'l'},    {"temp", "K", 't'},      {"tnom", "K", 'n'},    {"CDSW", "F", 'd'},
	{"CSSW", "F", 's'}};

static int row_of(const char *name)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* To a text other than w->out, which bxt_deck_add writes to. */
static void add_assignment(bxt_deck_writer *w, bxt_buffer *to, const char *name, double value)
{
	const bxt_buffer whole = w->out;
	w->out = *to;
	bxt_buffer_printf(&w->out, " %s=", name);
	bxt_deck_add(w, value);
	*to = w->out;
	w->out = whole;
}

/* SPICE's breakdown current is not that of a unit of area. */
static double of_area(bxt_deck_writer *w, const bxt_item *item, const char *name)
{
	const char *area = bxt_item_get(item, "area");
	double value = 1;
	if (area && strcmp(name, "IBV") == 0)
		bxt_deck_value(w, area, "1", &value);
	return value;
}

static void sort_attributes(bxt_deck_writer *w, const bxt_item *item, const char *ports,
			    bxt_buffer *line, bxt_buffer *model)
{
	for (const bxt_attribute *a = NULL; (a = bxt_item_attribute(item, a));) {
		const int k = row_of(a->name);
		if (bxt_attribute_is_foreign(a) || strcmp(a->name, "id") == 0 ||
		    (a->name[0] && !a->name[1] && strchr(ports, a->name[0])))
			continue;
		if (k < 0) {
			bxt_deck_wrong(w, item, "%s is not exported", a->name);
			continue;
		}
		const double value = bxt_deck_number(w, item, a->name, rows[k].unit);
		if (rows[k].how == 'l')
			add_assignment(w, line, a->name, value);
		else if (rows[k].how == 't')
			add_assignment(w, line, "TEMP", value - 273.15);
		else if (rows[k].how == 'n')
			add_assignment(w, model, "TNOM", value - 273.15);
		else if (rows[k].how == 'd' || rows[k].how == 's')
			add_assignment(w, line, rows[k].how == 'd' ? "PD" : "PS", value);
		else
			add_assignment(w, model, a->name, value * of_area(w, item, a->name));
	}
}

/* What SPICE would derive from TOX or have as it is, where the netlist has the component's default.
 */
static void add_derived(bxt_deck_writer *w, const bxt_item *item, bxt_buffer *model)
{
	const char *tox = bxt_item_get(item, "TOX");
	double value;
	if (tox && bxt_deck_value(w, tox, "m", &value) && value > 0 && !bxt_item_get(item, "KP"))
		add_assignment(w, model, "KP", 2e-5);
	if (bxt_item_get(item, "BV") && bxt_item_get(item, "area") && !bxt_item_get(item, "IBV"))
		add_assignment(w, model, "IBV", 1e-3 * of_area(w, item, "IBV"));
	if (bxt_item_get(item, "CDSW") || bxt_item_get(item, "CSSW"))
		add_assignment(w, model, "CJSW", 1); /* PD and PS are the capacitances then */
}

void bxt_deck_device(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	bxt_buffer model = {0}, line = {0};
	size_t k = 0;
	while (strcmp(devices[k].component, item->name) != 0)
		k++;
	sort_attributes(w, item, devices[k].ports, &line, &model);
	add_derived(w, item, &model);
	char *text =
		bxt_arena_printf(w->arena, " %s%s%s%s", devices[k].type, model.length ? "(" : "",
				 model.length ? model.text + 1 : "", model.length ? ")" : "");
	int number = text ? bxt_map_get(&w->model_numbers, text) : -1;
	if (text && number < 0) {
		number = (int)w->model_numbers.count + 1;
		w->failed = w->failed || bxt_map_put(&w->model_numbers, text, number) != BXT_OK;
		bxt_buffer_printf(&w->models, ".model m%d%s\n", number, text);
	}
	w->failed = w->failed || !text || model.failed || line.failed;
	bxt_buffer_printf(&w->out, "%s", bxt_deck_name(w, item, letter));
	for (const char *p = devices[k].ports; *p; p++) {
		const char *node = bxt_item_get(item, (char[]){*p, 0});
		bxt_buffer_printf(&w->out, " %s", node ? bxt_deck_node(w, node) : "0");
	}
	bxt_buffer_printf(&w->out, " m%d%s\n", number, line.text ? line.text : "");
	bxt_buffer_free(&model);
	bxt_buffer_free(&line);
}
