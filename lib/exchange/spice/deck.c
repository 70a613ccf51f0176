/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A netlist as a deck of SPICE, the reverse of spice/spice.c: subsystems are dissolved first. What
 * the import writes of R, L, C, K, V, I, E, F, G, H, T, D, Q, M and J is written back as it was;
 * other components are refused by name.
 */
#define _XOPEN_SOURCE 700 /* strtok_r */

#include "exchange/spice/deck.h"

#include "boxtimes_import.h"
#include "boxtimes_rewrite.h"

#include <math.h>
#include <string.h>

/* ---- Elements ---- */

static void add_nodes(bxt_deck_writer *w, const bxt_item *item, const char *const *ports)
{
	for (; *ports; ports++) {
		const char *node = bxt_item_get(item, *ports);
		bxt_buffer_printf(&w->out, " %s", node ? bxt_deck_node(w, node) : "0");
	}
}

static const char *const two[] = {"p", "n", NULL}, *const four[] = {"p", "n", "cp", "cn", NULL};

/*
 * With UIC the run starts from the initial values in the deck, otherwise from the operating point.
 */
static void add_initial(bxt_deck_writer *w, const bxt_item *item, bool capacitor, double size)
{
	const char *name = capacitor ? (bxt_item_get(item, "v") ? "v" : "q") : "i";
	if (!bxt_item_get(item, name) || !w->uic)
		return;
	const double value = bxt_deck_number(w, item, name,
					     !capacitor     ? "A"
					     : *name == 'v' ? "V"
							    : "C");
	bxt_buffer_printf(&w->out, " IC=");
	bxt_deck_add(w, *name == 'q' ? value / size : value);
}

static void write_passive(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	const char *name = letter == 'r' ? "R" : letter == 'l' ? "L" : "C";
	const double value = bxt_deck_number(w, item, name,
					     letter == 'r'   ? "ohm"
					     : letter == 'l' ? "H"
							     : "F");
	bxt_buffer_printf(&w->out, "%s", bxt_deck_name(w, item, letter));
	add_nodes(w, item, two);
	bxt_deck_add(w, value);
	if (letter != 'r')
		add_initial(w, item, letter == 'c', value);
	bxt_buffer_printf(&w->out, "\n");
}

static void write_coupling(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	const bxt_item *a = bxt_deck_element(w, bxt_item_get(item, "a"));
	const bxt_item *b = bxt_deck_element(w, bxt_item_get(item, "b"));
	if (!a || !b) {
		bxt_deck_wrong(w, item, "its inductors are not there");
		return;
	}
	const double M = bxt_deck_number(w, item, "M", "H");
	const double La = bxt_deck_number(w, a, "L", "H"), Lb = bxt_deck_number(w, b, "L", "H");
	bxt_buffer_printf(&w->out, "%s %s %s", bxt_deck_name(w, item, letter),
			  bxt_deck_name(w, a, 'l'), bxt_deck_name(w, b, 'l'));
	bxt_deck_add(w, M / (sqrt(La) * sqrt(Lb)));
	bxt_buffer_printf(&w->out, "\n");
}

/* The node after the senses in series with a voltage source. The counts are numbers of pins. */
static const char *behind_senses(bxt_deck_writer *w, const char *node)
{
	const bxt_item *sense;
	while ((sense = bxt_deck_sense_at(w, node)))
		node = bxt_item_get(sense, "cn");
	return node;
}

static void write_source(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	const char *text = bxt_item_get(item, letter == 'v' ? "e" : "I");
	const char *p = bxt_item_get(item, "p"), *n = bxt_item_get(item, "n");
	double value;
	bxt_buffer_printf(&w->out, "%s %s %s", bxt_deck_name(w, item, letter),
			  bxt_deck_node(w, p ? p : "0"),
			  bxt_deck_node(w, letter == 'v' ? behind_senses(w, n ? n : "0") : n));
	if (bxt_deck_value(w, text, letter == 'v' ? "V" : "A", &value))
		bxt_deck_add(w, value);
	else if (!text || !bxt_deck_waveform(w, text))
		bxt_deck_wrong(
			w, item,
			"its waveform has no counterpart in SPICE: there are pulse, pwl, and "
			"the forms of SIN, EXP, SFFM and AM");
	bxt_buffer_printf(&w->out, "\n");
}

/*
 * A current source that is controlled by its own voltage and has the name of a resistor is a
 * negative resistor.
 */
static bool write_negative(bxt_deck_writer *w, const bxt_item *item, double gain)
{
	const char *p = bxt_item_get(item, "p"), *cp = bxt_item_get(item, "cp");
	const char *n = bxt_item_get(item, "n"), *cn = bxt_item_get(item, "cn");
	if ((bxt_item_get(item, "id")[0] | 32) != 'r' || !(gain < 0) || !p || !cp || !n || !cn ||
	    strcmp(p, cp) != 0 || strcmp(n, cn) != 0)
		return false;
	bxt_buffer_printf(&w->out, "%s", bxt_deck_name(w, item, 'r'));
	add_nodes(w, item, two);
	bxt_deck_add(w, 1 / gain);
	bxt_buffer_printf(&w->out, "\n");
	return true;
}

/*
 * Writes E and G, and F and H with the source that they sense: a new source, if none is in series.
 */
static void write_controlled(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	static const struct {
		const char *name, *unit;
	} gains[] = {{"mu", "1"}, {"beta", "1"}, {"gm", "S"}, {"r", "ohm"}};
	const bool by_current = letter == 'f' || letter == 'h';
	const double gain =
		bxt_deck_number(w, item, gains[letter - 'e'].name, gains[letter - 'e'].unit);
	if (letter == 'g' && write_negative(w, item, gain))
		return;
	const char *name = bxt_deck_name(w, item, letter);
	bxt_buffer_printf(&w->out, "%s", name);
	add_nodes(w, item, by_current ? two : four);
	if (by_current) {
		const bxt_item *source = bxt_deck_source_before(w, item);
		char *own = bxt_arena_printf(w->arena, "V%s_sense", name);
		w->failed = w->failed || !own;
		const char *sensed =
			source ? bxt_deck_name(w, source, 'v')
			       : bxt_deck_free_name(w, &w->element_names, own ? own : "");
		bxt_buffer_printf(&w->out, " %s", sensed);
		bxt_deck_add(w, gain);
		if (!source) {
			bxt_buffer_printf(&w->out, "\n%s", sensed);
			add_nodes(w, item, four + 2);
			bxt_buffer_printf(&w->out, " 0");
		}
	} else {
		bxt_deck_add(w, gain);
	}
	bxt_buffer_printf(&w->out, "\n");
}

/* The waves on the line at the start matter only with UIC. */
static void write_line(bxt_deck_writer *w, const bxt_item *item, char letter)
{
	static const char *const ports[] = {"p1", "n1", "p2", "n2", NULL};
	static const char *const names[] = {"V1", "I1", "V2", "I2"};
	bool any = false;
	bxt_buffer_printf(&w->out, "%s", bxt_deck_name(w, item, letter));
	add_nodes(w, item, ports);
	bxt_buffer_printf(&w->out, " Z0=");
	bxt_deck_add(w, bxt_deck_number(w, item, "z0", "ohm"));
	bxt_buffer_printf(&w->out, " TD=");
	bxt_deck_add(w, bxt_deck_number(w, item, "td", "s"));
	for (int i = 0; i < 4; i++)
		any = any || bxt_item_get(item, names[i]);
	for (int i = 0; i < 4 && any && w->uic; i++) {
		bxt_buffer_printf(&w->out, "%s", i == 0 ? " IC=" : ",");
		bxt_deck_add(w, bxt_item_get(item, names[i])
					? bxt_deck_number(w, item, names[i], i % 2 == 0 ? "V" : "A")
					: 0);
	}
	bxt_buffer_printf(&w->out, "\n");
}

static const struct {
	const char *component;
	char letter;
	void (*write)(bxt_deck_writer *, const bxt_item *, char);
} kinds[] = {{"resistor", 'r', write_passive},      {"inductor", 'l', write_passive},
	     {"capacitor", 'c', write_passive},     {"mutual-inductance", 'k', write_coupling},
	     {"voltage-source", 'v', write_source}, {"current-source", 'i', write_source},
	     {"vcvs", 'e', write_controlled},       {"cccs", 'f', write_controlled},
	     {"vccs", 'g', write_controlled},       {"ccvs", 'h', write_controlled},
	     {"delay-line", 't', write_line}};

/* ---- The whole deck ---- */

/* Elements of the language that are not parts of the circuit. */
static bool is_known(const char *name)
{
	static const char *const words[] = {"simulation", "record", "doc", "parameter", "node"};
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(words[i], name) == 0)
			return true;
	return false;
}

static void write_element(bxt_deck_writer *w, const bxt_item *item)
{
	const bool weighs = bxt_item_get(item, "weight") != NULL;
	if (weighs && bxt_item_get(item, "id")) {
		bxt_deck_wrong(w, item, "a weight is not exported");
		return;
	}
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(kinds[i].component, item->name) == 0 && bxt_item_get(item, "id")) {
			kinds[i].write(w, item, kinds[i].letter);
			return;
		}
	if (bxt_item_get(item, "id") && bxt_deck_device(w, item))
		return;
	if (!is_known(item->name))
		bxt_deck_wrong(w, item,
			       "is not exported: decks have R, L, C, K, V, I, E, F, G, H, T, "
			       "and D, Q, M, J with the components spice-...");
}

static void write_nodes(bxt_deck_writer *w)
{
	for (const bxt_item *n = NULL; (n = bxt_item_child(w->tree->root, "node", n));) {
		const char *guess = bxt_item_get(n, "nodeset"), *id = bxt_item_get(n, "id");
		if (!guess || !id)
			continue;
		const double value = bxt_deck_number(w, n, "nodeset", "V");
		bxt_buffer_printf(&w->out, ".nodeset v(%s)=", bxt_deck_node(w, id));
		bxt_deck_add(w, value);
		bxt_buffer_printf(&w->out, "\n");
	}
}

/* The import divides reltol by ten; the default of reltol is 1e-3. */
static void write_tolerance(bxt_deck_writer *w, const bxt_item *s)
{
	const char *text = s ? bxt_item_get(s, "tolerance") : NULL;
	const double tolerance = text ? bxt_deck_number(w, s, "tolerance", "1") : 0;
	if (tolerance > 0 && tolerance != 1e-4) {
		bxt_buffer_printf(&w->out, ".options reltol=");
		bxt_deck_add(w, 10 * tolerance);
		bxt_buffer_printf(&w->out, "\n");
	}
}

static void write_run(bxt_deck_writer *w, const bxt_item *s)
{
	double end = 0, step = 0, most = 0;
	write_tolerance(w, s);
	if (!s || !bxt_item_get(s, "end"))
		return;
	end = bxt_deck_number(w, s, "end", "s");
	step = bxt_item_get(s, "step") ? bxt_deck_number(w, s, "step", "s") : end / 100;
	bxt_buffer_printf(&w->out, ".tran");
	bxt_deck_add(w, step);
	bxt_deck_add(w, end);
	if (bxt_item_get(s, "max-step")) {
		most = bxt_deck_number(w, s, "max-step", "s");
		bxt_deck_add(w, 0);
		bxt_deck_add(w, most);
	}
	bxt_buffer_printf(&w->out, "%s\n", w->uic ? " uic" : "");
}

/* node(a).v and V1.i, in the order of <record>. */
static void write_records(bxt_deck_writer *w)
{
	int left_out = 0;
	for (const bxt_item *r = NULL; (r = bxt_item_child(w->tree->root, "record", r));) {
		const char *content = bxt_item_content(w->arena, r);
		char *text = bxt_arena_strdup(w->arena, content ? content : "");
		char *rest = NULL;
		bool any = false;
		w->failed = w->failed || !text;
		for (char *name = text ? strtok_r(text, ", \n\t\r", &rest) : NULL; name;
		     name = strtok_r(NULL, ", \n\t\r", &rest)) {
			const size_t n = strlen(name);
			const char *is = NULL;
			if (strncmp(name, "node(", 5) == 0 && n > 8 &&
			    strcmp(name + n - 3, ").v") == 0) {
				name[n - 3] = '\0';
				is = bxt_arena_printf(w->arena, "v(%s)",
						      bxt_deck_node(w, name + 5));
			} else if (n > 2 && strcmp(name + n - 2, ".i") == 0) {
				name[n - 2] = '\0';
				const char *known = bxt_dictionary_get(&w->elements, name);
				is = known && strchr("vVlL", *known)
					     ? bxt_arena_printf(w->arena, "i(%s)", known)
					     : NULL;
			}
			left_out += is == NULL;
			if (is)
				bxt_buffer_printf(&w->out, "%s %s", any ? "" : ".print tran", is);
			any = any || is;
		}
		bxt_buffer_printf(&w->out, "%s", any ? "\n" : "");
	}
	if (left_out)
		bxt_note(w->d, w->tree->root->place,
			 "%d signals of <record> are left out: decks print V(node) and I(source)",
			 left_out);
}

static void write_title(bxt_deck_writer *w)
{
	const char *name = bxt_item_get(w->tree->root, "name");
	bxt_buffer_printf(&w->out, "%s", name && *name ? name : "exported from a netlist");
	for (size_t i = 0; i < w->out.length; i++)
		if (w->out.text[i] == '\n' || w->out.text[i] == '\r')
			w->out.text[i] = ' ';
	bxt_buffer_printf(&w->out, "\n");
}

static bxt_status write_deck(bxt_deck_writer *w, FILE *stream)
{
	const bxt_item *s = bxt_item_child(w->tree->root, "simulation", NULL);
	const char *start = s ? bxt_item_get(s, "start") : NULL;
	w->uic = !start || strcmp(start, "operating-point") != 0;
	bxt_deck_find_elements(w);
	if (w->failed)
		return BXT_ERR_MEMORY;
	write_title(w);
	for (const bxt_item *i = NULL; (i = bxt_item_child(w->tree->root, NULL, i));)
		write_element(w, i);
	bxt_buffer_add(&w->out, w->models.text ? w->models.text : "", w->models.length);
	write_nodes(w);
	write_run(w, s);
	write_records(w);
	bxt_buffer_printf(&w->out, ".end\n");
	if (w->failed || w->out.failed || w->models.failed || bxt_graph_failed(w->graph))
		return BXT_ERR_MEMORY;
	if (w->errors)
		return BXT_ERR_MODEL;
	return fwrite(w->out.text, 1, w->out.length, stream) == w->out.length ? BXT_OK : BXT_ERR_IO;
}

bxt_status bxt_netlist_write_spice(const bxt_netlist *netlist, bxt_library *library, FILE *stream,
				   bxt_diagnostics *d)
{
	BXT_NEEDS(d, netlist);
	BXT_NEEDS(d, library);
	BXT_NEEDS(d, stream);
	bxt_netlist *flat = NULL;
	bxt_deck_writer w = {.d = d, .library = library, .tree = netlist};
	if (bxt_item_child(netlist->root, "subsystem", NULL)) {
		const bxt_status status = bxt_netlist_flatten(netlist, library, d, &flat);
		if (status != BXT_OK)
			return status;
		w.tree = flat;
	}
	bxt_status status = BXT_ERR_MEMORY;
	w.arena = bxt_arena_new();
	w.graph = bxt_graph_new();
	if (w.arena && w.graph)
		status = write_deck(&w, stream);
	bxt_graph_free(w.graph);
	bxt_arena_free(w.arena);
	bxt_dictionary_free(&w.nodes);
	bxt_dictionary_free(&w.elements);
	bxt_map_free(&w.node_names);
	bxt_map_free(&w.element_names);
	bxt_map_free(&w.ids);
	bxt_map_free(&w.pins);
	bxt_map_free(&w.senses[0]);
	bxt_map_free(&w.senses[1]);
	bxt_map_free(&w.sources);
	bxt_map_free(&w.model_numbers);
	bxt_buffer_free(&w.out);
	bxt_buffer_free(&w.models);
	bxt_netlist_free(flat);
	return status;
}
