/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs of calls: netlists, libraries, systems and what they are made of. */
#include "fuzz/fuzz_api.h"

#include <stdlib.h>
#include <string.h>

static bxt_library *any_library(fuzz_world *w)
{
	return fuzz_choice(w, 4) == 3 ? w->library[1] : w->library[0];
}

/* The slot of a netlist, emptied. */
static bxt_netlist **slot(fuzz_world *w, int i)
{
	fuzz_free_netlist(w, i);
	return &w->netlist[i];
}

/* ---- Netlists ---- */

void fuzz_make_netlist(fuzz_world *w, int to)
{
	const char *text = fuzz_model(w);
	bxt_netlist_read_memory(text, strlen(text), "m", w->d, slot(w, to));
}

static void read_text(fuzz_world *w)
{
	fuzz_make_netlist(w, fuzz_choice(w, FUZZ_NETLISTS));
}

static void new_netlist(fuzz_world *w)
{
	static const char *const names[] = {"n", "", "folder/n.xml", "\xff\x01", NULL};
	const int i = fuzz_choice(w, FUZZ_NETLISTS);
	bxt_netlist_new(FUZZ_WORD(w, names), slot(w, i));
}

static void add(fuzz_world *w)
{
	static const char *const tags[] = {"resistor", "capacitor",  "subsystem",       "port",
					   "connect",  "simulation", "parameter",       "input",
					   "record",   "node",       "interconnection", "doc",
					   "",         "a b",        "component",       "signal"};
	static const bxt_attribute_value some[] = {{"id", "R1"},
						   {"id", "X"},
						   {"p", "a"},
						   {"n", "0"},
						   {"R", "1"},
						   {"C", "1"},
						   {"kind", "electrical"},
						   {"name", "u"},
						   {"default", "1"},
						   {"node", "a"},
						   {"ports", "loop.s X.p"},
						   {"step", "1 ms"},
						   {"", "x"},
						   {"id", "<&\"'"},
						   {"a b", ""},
						   {"end", "1 s"},
						   {NULL, NULL},
						   {"R", NULL},
						   {"id", "\xff\x02"},
						   {"to", "u"}};
	bxt_attribute_value list[5];
	const int i = fuzz_netlist_slot(w), n = fuzz_choice(w, 6);
	for (int k = 0; k < n; k++)
		list[k] = FUZZ_WORD(w, some);
	bxt_netlist_add(w->netlist[i], fuzz_path(w), FUZZ_WORD(w, tags), list, (size_t)n,
			fuzz_choice(w, 3) ? NULL : fuzz_path(w), w->d);
}

/* What goes on: a resistor and a capacitor, so that models by calls can run. */
static void add_circuit(fuzz_world *w)
{
	const bxt_attribute_value R[] = {{"id", "R1"}, {"p", "a"}, {"n", "0"}, {"R", "1 ohm"}};
	const bxt_attribute_value C[] = {
		{"id", "C1"}, {"p", "a"}, {"n", "0"}, {"C", "1 F"}, {"q", "1 C"}};
	const bxt_attribute_value s[] = {{"step", "0.1 s"}, {"end", "1 s"}};
	bxt_netlist *n = w->netlist[fuzz_netlist_slot(w)];
	bxt_netlist_add(n, "", "simulation", s, 2, NULL, w->d);
	bxt_netlist_add(n, "", "resistor", R, 4, NULL, w->d);
	bxt_netlist_add(n, "", "capacitor", C, 5, NULL, w->d);
}

static void add_xml(fuzz_world *w)
{
	static const char *const texts[] = {
		"<resistor id='R9' p='a' n='0' R='1'/><capacitor id='C9' p='a' n='0' C='2'/>",
		("<subsystem id='X'><resistor id='R1' p='a' n='0' R='1'/><port id='p' node='a'/>"
		 "</subsystem>"),
		"<resistor",
		"",
		"text",
		"<x xmlns='other'/>",
		"<resistor id='R1'/>"};
	bxt_netlist *n = w->netlist[fuzz_netlist_slot(w)];
	const char *scope = fuzz_path(w);
	bxt_netlist_add_xml(n, scope,
			    fuzz_choice(w, 4) ? FUZZ_WORD(w, texts) : fuzz_component_text(w), w->d);
}

static void remove_part(fuzz_world *w)
{
	bxt_netlist *n = w->netlist[fuzz_netlist_slot(w)];
	bxt_netlist_remove(n, fuzz_path(w), w->d);
}

static void set_attribute(fuzz_world *w)
{
	static const char *const names[] = {"R",    "C",       "q", "id", "scheme",
					    "step", "default", "",  "a b"},
				 *const values[] = {"1",         "0",      "-1",   "=C0",
						    "=1/0",      "x",      "",     "nan",
						    "1e400 ohm", "gauss2", "\xff", "2 kohm"};
	bxt_netlist *n = w->netlist[fuzz_netlist_slot(w)];
	const char *path = fuzz_path(w), *name = FUZZ_WORD(w, names);
	bxt_netlist_set(n, path, name, FUZZ_WORD(w, values), w->d);
}

static void copy(fuzz_world *w)
{
	const int i = fuzz_netlist_slot(w), to = fuzz_choice(w, FUZZ_NETLISTS);
	if (i != to)
		bxt_netlist_copy(w->netlist[i], slot(w, to));
}

/* What is written is read again, and written the same. */
static void through_memory(fuzz_world *w)
{
	const int i = fuzz_netlist_slot(w), to = fuzz_choice(w, FUZZ_NETLISTS);
	char *bytes = NULL, *again = NULL;
	size_t length, length_again;
	if (i == to || bxt_netlist_to_memory(w->netlist[i], &bytes, &length) != BXT_OK)
		return;
	FUZZ_PROMISE(strlen(bytes) == length);
	if (bxt_netlist_read_memory(bytes, length, "m", w->d, slot(w, to)) == BXT_OK &&
	    bxt_netlist_to_memory(w->netlist[to], &again, &length_again) == BXT_OK)
		FUZZ_PROMISE(length == length_again && memcmp(bytes, again, length) == 0);
	else
		fuzz_broken(__func__, "a netlist that was written can be read");
	bxt_release(bytes);
	bxt_release(again);
}

static void rewrite(fuzz_world *w)
{
	const int i = fuzz_netlist_slot(w), to = fuzz_choice(w, FUZZ_NETLISTS),
		  how = fuzz_choice(w, 3);
	bxt_library *library = any_library(w);
	bxt_netlist *made = NULL;
	bxt_tear_def def;
	bxt_default_tear_def(&def);
	if (how == 2) {
		const int which = fuzz_choice(w, 16);
		def.parts = which & 1 ? fuzz_choice(w, 6) - 1 : 0;
		def.node = which & 2 ? fuzz_path(w) : NULL;
		def.elements = which & 4 ? fuzz_path(w) : NULL;
		def.like = which & 8 ? w->netlist[fuzz_netlist_slot(w)] : NULL;
		def.names = fuzz_choice(w, 4) ? NULL : fuzz_path(w);
	}
	const bxt_status status =
		how == 0   ? bxt_netlist_flatten(w->netlist[i], library, w->d, &made)
		: how == 1 ? bxt_netlist_canonical(w->netlist[i], &made)
			   : bxt_netlist_tear(w->netlist[i], library, &def, w->d, &made);
	FUZZ_PROMISE((status == BXT_OK) == (made != NULL));
	if (made)
		*slot(w, to) = made;
}

static void draw(fuzz_world *w)
{
	bxt_draw_def def;
	const bxt_netlist *n = w->netlist[fuzz_netlist_slot(w)];
	bxt_default_draw_def(&def);
	def.most = fuzz_choice(w, 3);
	bxt_netlist_write_dot(n, any_library(w), &def, w->null, w->d);
	bxt_netlist_name(n);
}

static void free_one(fuzz_world *w)
{
	fuzz_free_netlist(w, fuzz_netlist_slot(w));
}

/* ---- Libraries ---- */

static void own_library(fuzz_world *w)
{
	const char *directory = getenv("BOXTIMES_PATH");
	if (!w->library[1] && fuzz_choice(w, 8) == 0)
		w->library[1] = bxt_library_new(&directory, directory ? 1 : 0, w->d);
}

static void add_component(fuzz_world *w)
{
	const char *text = fuzz_component_text(w);
	if (w->library[1])
		bxt_library_add_memory(w->library[1], text, strlen(text), "c", w->d);
}

static void quantity(fuzz_world *w)
{
	static const char *const texts[] = {"4.7 kohm", "1e400", "x", "", "nan", "1 m/s", "- 3"},
				 *const units[] = {"ohm", "", "1", "nothing", "m"};
	double value;
	bxt_library *library = any_library(w);
	const char *text = FUZZ_WORD(w, texts);
	bxt_library_read_quantity(library, "x", text, FUZZ_WORD(w, units), w->d, &value);
}

/* ---- Systems ---- */

void fuzz_make_system(fuzz_world *w, int to, int from)
{
	fuzz_free_system(w, to);
	w->system[to].netlist = from;
	const bxt_status status =
		bxt_system_compile(w->netlist[from], any_library(w), w->d, &w->system[to].system);
	FUZZ_PROMISE((status == BXT_OK) == (w->system[to].system != NULL));
}

static void compile(fuzz_world *w)
{
	const int to = fuzz_choice(w, FUZZ_SYSTEMS);
	fuzz_make_system(w, to, fuzz_netlist_slot(w));
}

static void look_at_part(fuzz_world *w)
{
	const bxt_system *s = w->system[fuzz_system_slot(w)].system;
	const bxt_part part = (bxt_part)(fuzz_choice(w, BXT_PART_COUNT + 2) - 1);
	const size_t n = bxt_system_count(s, part), i = fuzz_index(w, n);
	bxt_part_info info = {.size = fuzz_choice(w, 8) ? sizeof info : fuzz_byte(w)};
	const bxt_status status = bxt_system_part(s, part, i, &info);
	FUZZ_PROMISE(i < n || status != BXT_OK);
	if (status == BXT_OK && info.size == sizeof info)
		FUZZ_PROMISE(bxt_system_find(s, part, info.path, w->d) == (long)i);
	bxt_system_find(s, part, fuzz_path(w), w->d);
	const long *node = NULL;
	const char *const *name = NULL;
	const size_t ports = bxt_system_element_ports(s, i, &node, &name);
	const long nodes = (long)bxt_system_count(s, BXT_PART_NODE);
	for (size_t k = 0; k < ports; k++)
		FUZZ_PROMISE(node[k] >= -1 && node[k] < nodes && name[k]);
}

static void describe(fuzz_world *w)
{
	const bxt_system *s = w->system[fuzz_system_slot(w)].system;
	const bxt_run_def def = fuzz_run_def(w);
	char **names = NULL;
	bxt_column *columns = NULL;
	size_t n = 0;
	bxt_system_write_info(s, &def, w->null);
	bxt_system_is_part(s);
	if (bxt_signal_names(s, &def, w->d, &names, &n) == BXT_OK)
		bxt_signal_names_free(names, n);
	bxt_signal_columns(s, &def, w->d, &columns, &n);
	free(columns);
}

static void verify(fuzz_world *w)
{
	const bxt_system *a = w->system[fuzz_system_slot(w)].system,
			 *b = w->system[fuzz_system_slot(w)].system;
	bxt_verification *v = NULL;
	bxt_verify_def def;
	if (fuzz_choice(w, 8) != 1)
		return; /* it takes long */
	bxt_default_verify_def(&def);
	def.states = fuzz_choice(w, 2);
	if (fuzz_choice(w, 2))
		bxt_verify(a, &def, w->d, &v);
	else
		bxt_verify_against(a, b, &def, w->d, &v);
	bxt_verification_write_json(v, w->null);
	bxt_verification_free(v);
}

static void twins(fuzz_world *w)
{
	const bxt_system *a = w->system[fuzz_system_slot(w)].system,
			 *b = w->system[fuzz_system_slot(w)].system;
	bxt_difference *difference = NULL;
	bxt_twins found;
	memset(&found, 0, sizeof found);
	if (bxt_twins_find(a, b, NULL, NULL, 0, w->d, &found) == BXT_OK) {
		bxt_twins_compare(&found, w->table[0], w->table[1], NULL, 1e-9, w->d, &difference);
		free(difference);
	}
	bxt_twins_free(&found);
}

static void free_system(fuzz_world *w)
{
	fuzz_free_system(w, fuzz_system_slot(w));
}

static fuzz_call *const netlist_calls[] = {read_text,   new_netlist,   add,         add,
					   add_circuit, add_xml,       remove_part, set_attribute,
					   copy,        rewrite,       rewrite,     draw,
					   own_library, add_component, quantity,    through_memory,
					   free_one,    set_attribute};
const fuzz_calls fuzz_netlist_calls = {netlist_calls, sizeof netlist_calls / sizeof *netlist_calls};
static fuzz_call *const system_calls[] = {compile,  compile, look_at_part, look_at_part,
					  describe, verify,  twins,        free_system};
const fuzz_calls fuzz_system_calls = {system_calls, sizeof system_calls / sizeof *system_calls};
