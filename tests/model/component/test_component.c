/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Components: the shipped ones, what bad ones are told, and the library that finds them. */
#include "support/harness.h"

#include "ground/base/text.h"
#include "model/component/library.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *in_source(const char *path)
{
	const char *top = getenv("srcdir");
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "%s/%s", top ? top : ".", path);
	ck_assert(!b.failed);
	return b.text;
}

static void print_findings(const bxt_diagnostics *d)
{
	for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++) {
		const bxt_finding *f = bxt_diagnostics_get(d, i);
		fprintf(stderr, "%s:%d: %s\n", f->file, f->line, f->text);
	}
}

static bxt_library *shipped(bxt_diagnostics *d)
{
	char *folder = in_source("components");
	bxt_library *library = bxt_library_new((const char *const[]){folder}, 1, d);
	ck_assert_ptr_nonnull(library);
	free(folder);
	return library;
}

/* ---- The shipped components ---- */

/* Netlists are written with these names: they are a contract. Parameters are space separated. */
static const struct {
	const char *name, *parameters, *ports, *coordinates, *flows;
} contract[] = {
	{"resistor", "R", "p n", "q", "i"},
	{"conductance", "G", "p n", "q s", "i v"},
	{"capacitor", "C", "p n", "q", "i"},
	{"nonlinear-capacitor", "energy", "p n", "q", "i"},
	{"inductor", "L", "p n", "q", "i"},
	{"voltage-source", "e", "p n", "q", "i"},
	{"current-source", "I", "p n", "q", "i"},
	{"transformer", "n", "p1 n1 p2 n2", "q1 q2", "i1 i2"},
	{"gyrator", "r", "p1 n1 p2 n2", "q1 q2", "i1 i2"},
	{"diode", "Is Vt gmin", "p n", "q s", "i v"},
};

#define CHECK_NAMES(count, item, expected)                                                         \
	do {                                                                                       \
		bxt_buffer names_ = {0};                                                           \
		for (int k = 0; k < (count); k++)                                                  \
			bxt_buffer_printf(&names_, "%s%s", k ? " " : "", item);                    \
		ck_assert_str_eq(names_.text ? names_.text : "", expected);                        \
		bxt_buffer_free(&names_);                                                          \
	} while (0)

START_TEST(shipped_components)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = shipped(d);
	bool broken;
	const bxt_component *c = bxt_library_find(library, contract[_i].name, d, &broken);
	print_findings(d);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 0);
	ck_assert_ptr_nonnull(c);
	ck_assert(!broken);
	ck_assert_str_eq(c->name, contract[_i].name);
	ck_assert_str_eq(c->domain, "electrical");
	ck_assert_uint_gt(strlen(c->doc), 10);
	CHECK_NAMES(c->n_parameters, c->parameters[k].name, contract[_i].parameters);
	CHECK_NAMES(c->n_ports, c->ports[k].name, contract[_i].ports);
	CHECK_NAMES(c->n_coordinates, c->coordinates[k].name, contract[_i].coordinates);
	CHECK_NAMES(c->n_coordinates, c->coordinates[k].flow, contract[_i].flows);
	for (int k = 0; k < c->n_parameters; k++)
		ck_assert_str_ne(c->parameters[k].doc, "");
	for (int k = 0; k < c->n_ports; k++) {
		ck_assert_str_eq(c->ports[k].kind->name, "electrical");
		ck_assert_ptr_nonnull(c->ports[k].flow.text);
	}
	/* the same pointer when asked again, and no finding twice */
	ck_assert_ptr_eq(bxt_library_find(library, contract[_i].name, d, &broken), c);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

static void count_name(void *visitor, const char *name)
{
	int *left = visitor;
	for (size_t i = 0; i < sizeof contract / sizeof *contract; i++)
		if (strcmp(contract[i].name, name) == 0)
			--*left;
}

START_TEST(shipped_names)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = shipped(d);
	int left = sizeof contract / sizeof *contract;
	bxt_library_offer_names(library, count_name, &left);
	ck_assert_int_eq(left, 0);
	bool broken = true;
	ck_assert_ptr_null(bxt_library_find(library, "resistro", d, &broken));
	ck_assert(!broken);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 0);
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(details_of_the_diode)
{
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = shipped(d);
	bool broken;
	const bxt_component *c = bxt_library_find(library, "diode", d, &broken);
	ck_assert_ptr_nonnull(c);
	ck_assert(c->parameters[1].has_default && c->parameters[1].default_value == 25.85e-3);
	ck_assert(c->parameters[1].positive && !c->parameters[2].positive);
	ck_assert(c->parameters[2].min == 0 && c->parameters[2].max == INFINITY);
	ck_assert(c->parameters[0].min == -INFINITY);
	ck_assert_str_eq(c->lagrangian.text, "s*i");
	ck_assert_str_eq(c->rayleigh.text, "Is*(Vt*exp(v/Vt) - v) + gmin*v^2/2");
	ck_assert_int_eq(c->lagrangian.place.line, 12);
	ck_assert_str_eq(c->coordinates[1].flow_unit, "V.s.s-1");
	ck_assert_int_eq(bxt_units_same_dimension(bxt_library_units(library), "V.s.s-1", "V"), 1);
	ck_assert_str_eq(c->ports[1].flow.text, "-i");
	c = bxt_library_find(library, "nonlinear-capacitor", d, &broken);
	ck_assert_str_eq(c->parameters[0].of, "q");
	ck_assert(!c->parameters[0].has_default && !c->parameters[0].default_text);
	c = bxt_library_find(library, "voltage-source", d, &broken);
	ck_assert(c->parameters[0].time);
	ck_assert_str_eq(c->forces[0].on, "q");
	ck_assert_str_eq(c->forces[0].expression.text, "-e");
	c = bxt_library_find(library, "current-source", d, &broken);
	ck_assert(c->n_constraints == 1 && !c->constraints[0].position);
	c = bxt_library_find(library, "gyrator", d, &broken);
	ck_assert_str_eq(c->gyrators[0].a, "q1");
	ck_assert_str_eq(c->gyrators[0].b, "q2");
	ck_assert_str_eq(c->gyrators[0].k.text, "r");
	bxt_library_free(library);
	bxt_diagnostics_free(d);
}
END_TEST

/* ---- Other good ones ---- */

static bxt_component *read_text(bxt_arena *arena, const char *text, bxt_diagnostics *d)
{
	bxt_netlist *tree = NULL;
	bxt_units *units = bxt_units_new();
	ck_assert_int_eq(bxt_tree_read_memory(text, strlen(text), "text", BXT_NS_COMPONENT,
					      "component", d, &tree),
			 BXT_OK);
	bxt_component *c = bxt_component_read(arena, tree->root, units, d);
	bxt_netlist_free(tree); /* the component holds copies */
	bxt_units_free(units);
	return c;
}

START_TEST(mechanical_component)
{
	static const char text[] =
		"<component xmlns='" BXT_NS_COMPONENT "' xmlns:x='urn:x' name='m' domain='d'>"
		"<!-- c --><x:note>kept out</x:note>"
		"<parameter name='k' unit='V.s/rad' max='3 V.s/rad' x:a='1'/>"
		"<parameter name='e' of='q' unit='J' default='q^2/2'/>"
		"<coordinate name='q' unit='1' flow='u'/>"
		"<port name='shaft' kind='rotational'/><port name='f' kind='planar'/>"
		"<port name='a-b' kind='thermal' flow='u'/>"
		"<gyrator a='q' b='shaft.theta'>k</gyrator>"
		"<force on='f.y'>-k</force><force on='f.theta'>k</force>"
		"<constraint name='c' kind='position'>f.x</constraint>"
		"<output name='P' unit='W' doc='power'> k * <!-- times -->u </output></component>";
	bxt_arena *arena = bxt_arena_new();
	bxt_diagnostics *d = bxt_diagnostics_new();
	const bxt_component *c = read_text(arena, text, d);
	print_findings(d);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 0);
	ck_assert_str_eq(c->coordinates[0].flow_unit, "s-1");
	ck_assert(c->parameters[0].max == 3);
	ck_assert_str_eq(c->parameters[1].default_text, "q^2/2");
	ck_assert_int_eq(c->n_forces, 2);
	ck_assert(c->constraints[0].position);
	ck_assert_str_eq(c->outputs[0].expression.text, "k * u");
	ck_assert_str_eq(c->outputs[0].doc, "power");
	ck_assert_ptr_null(c->lagrangian.text);
	ck_assert_ptr_null(c->ports[0].flow.text);
	bxt_diagnostics_free(d);
	bxt_arena_free(arena);
}
END_TEST

START_TEST(wrong_namespace)
{
	static const char text[] = "<netlist xmlns='" BXT_NS_NETLIST "'><component name='x'/>"
				   "<component xmlns='" BXT_NS_COMPONENT "' name='y'>"
				   "<record xmlns='" BXT_NS_NETLIST "'/></component></netlist>";
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_arena *arena = bxt_arena_new();
	bxt_units *units = bxt_units_new();
	bxt_netlist *n = NULL;
	ck_assert_int_eq(bxt_netlist_read_memory(text, sizeof text - 1, "t", d, &n), BXT_OK);
	const bxt_item *first = bxt_item_child(n->root, "component", NULL);
	ck_assert_ptr_null(bxt_component_read(arena, first, units, d));
	ck_assert_str_eq(bxt_diagnostics_get(d, 0)->text,
			 "<component> needs xmlns=\"urn:boxtimes:component:1\" to be a component");
	ck_assert_ptr_null(
		bxt_component_read(arena, bxt_item_child(n->root, "component", first), units, d));
	ck_assert_str_eq(bxt_diagnostics_get(d, 1)->text,
			 "<record> of a netlist cannot stand in a component");
	bxt_netlist_free(n);
	bxt_units_free(units);
	bxt_arena_free(arena);
	bxt_diagnostics_free(d);
}
END_TEST

START_TEST(reserved_names)
{
	ck_assert(bxt_name_is_reserved("id") && bxt_name_is_reserved("t"));
	ck_assert(bxt_name_is_reserved("subsystem") && bxt_name_is_reserved("if"));
	ck_assert(!bxt_name_is_reserved("energy") && !bxt_name_is_reserved("R"));
}
END_TEST

/* ---- Bad ones: all findings, in order ---- */

static const struct {
	const char *file;
	struct {
		int line;
		const char *text;
	} findings[20];
} bad[] = {
	{"component-parts.xml",
	 {{1, "<component> has no attribute 'domian' (did you mean 'domain'?)"},
	  {2, "<component> has no <parametr> (did you mean 'parameter'?)"},
	  {3, "<parameter> has no attribute 'defualt' (did you mean 'default'?)"},
	  {4, "<parameter> needs the attribute name="},
	  {5, "<coordinate> needs the attribute unit="},
	  {6, "<coordinate> needs the attribute flow="},
	  {7, "<lagrangian> is empty: it needs an expression"},
	  {9, "a second <rayleigh>; the first is in line 8"},
	  {10, "<state> needs the attribute unit="},
	  {11, "<rate> needs the attribute of="},
	  {11, "<rate> is empty"},
	  {12, "<discrete-lagrangian> is empty: it needs an expression"},
	  {13, "<symmetry> needs the attribute name="},
	  {13, "has no <generator on="},
	  {14, "<b> cannot stand inside <doc>"},
	  {14, "text outside of any element of the component"},
	  {10, "the state 'z' has 0 <rate of=\"z\"> and 0 <update of=\"z\">"}}},
	{"component-names.xml",
	 {{3, "the name 'id' is reserved"},
	  {4, "'a-b' cannot be used in expressions, where '-' is minus"},
	  {5, "'1x' is not a name"},
	  {6, "the name 'exp' is that of a function"},
	  {7, "the name 'R' is used twice, first in line 2"},
	  {7, "the name 'pi' is reserved"},
	  {8, "the name 'R' is used twice, first in line 2"}}},
	{"component-units.xml",
	 {{2, "the unit 'ohmm' is not known"},
	  {3, "the unit 'degC' is not known or has no fixed zero"},
	  {4, "default=\"2 S\" is not a quantity in 'ohm'"},
	  {5, "default=\"50 Hz\" is not a quantity in 's'"},
	  {6, "default=\"2-3 V\" has an unknown unit"},
	  {7, "default=\"big\" does not start with a finite number"},
	  {8, "the default 0 of 'g' is not positive"},
	  {9, "the default -0.001 of 'i' is outside its min and max"},
	  {10, "'j' has min 2000 above max 1000"},
	  {11, "positive=\"yes\": write \"true\" or \"false\""}}},
	{"component-references.xml",
	 {{2, "'energy' is an expression in 'qq': positive, time, min and max do not apply"},
	  {4, "no kind of port 'electrcal' (did you mean 'electrical'?)"},
	  {6, "the rotational port 'shaft' takes its motion from the node"},
	  {10, "<gyrator> couples 'qa' to itself"},
	  {11, "<gyrator> is empty"},
	  {12, "kind=\"speed\": a constraint's kind is \"flow\" or \"position\""},
	  {5, "the electrical port 'm' needs flow="},
	  {2, "there is no coordinate or output 'qq' (did you mean 'qa'?)"},
	  {8, "there is no coordinate 'axle.thet' (did you mean 'axle.theta'?)"},
	  {9, "there is no coordinate 'p.q'"},
	  {11, "there is no coordinate 'axle.omega'"}}},
};

START_TEST(bad_components)
{
	bxt_buffer name = {0};
	bxt_buffer_printf(&name, "tests/bad/xml/%s", bad[_i].file);
	char *path = in_source(name.text);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_arena *arena = bxt_arena_new();
	bxt_units *units = bxt_units_new();
	bxt_netlist *tree = NULL;
	ck_assert_int_eq(bxt_tree_read_file(path, BXT_NS_COMPONENT, "component", d, &tree), BXT_OK);
	ck_assert_ptr_null(bxt_component_read(arena, tree->root, units, d));
	size_t n = 0;
	for (; bad[_i].findings[n].text; n++) {
		const bxt_finding *f = bxt_diagnostics_get(d, n);
		ck_assert_msg(f && f->line == bad[_i].findings[n].line &&
				      strstr(f->text, bad[_i].findings[n].text),
			      "%s: finding %zu is %d: %s", path, n, f ? f->line : 0,
			      f ? f->text : "absent");
		ck_assert_str_eq(f->file, path);
	}
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), n);
	bxt_netlist_free(tree);
	bxt_units_free(units);
	bxt_arena_free(arena);
	bxt_diagnostics_free(d);
	bxt_buffer_free(&name);
	free(path);
}
END_TEST

/* ---- The library ---- */

/* A folder of its own: a/x.xml a/sub/y.xml a/sub/x.xml a/wrong.xml a/sub/deep/z.xml b/x.xml */
static char *folder;
static const char *const files[][3] = {
	{"a/x.xml", "x", "first"},    {"a/sub/y.xml", "y", "sub"},     {"a/sub/x.xml", "x", "no"},
	{"a/wrong.xml", "other", ""}, {"a/sub/deep/z.xml", "z", "no"}, {"b/x.xml", "x", "second"},
	{"b/w.xml", "w", "second"},
};
static const char *const folders[] = {"a", "a/sub", "a/sub/deep", "b"};

static char *in_folder(const char *path)
{
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "%s/%s", folder, path);
	return b.text;
}

static void make_library(void)
{
	folder = scratch_folder();
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
		char *path = in_folder(folders[i]);
		ck_assert_int_eq(mkdir(path, 0700), 0);
		free(path);
	}
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		char *path = in_folder(files[i][0]);
		FILE *f = fopen(path, "w");
		fprintf(f, "<component xmlns='" BXT_NS_COMPONENT "' name='%s' domain='%s'/>\n",
			files[i][1], files[i][2]);
		fclose(f);
		free(path);
	}
}

static void remove_library(void)
{
	scratch_remove(folder);
}

static void collect(void *visitor, const char *name)
{
	bxt_buffer_printf(visitor, "%s ", name);
}

START_TEST(search_path)
{
	char *a = in_folder("a"), *none = in_folder("none"), *b = in_folder("b");
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_library *library = bxt_library_new((const char *const[]){a, none, b}, 3, d);
	ck_assert_ptr_nonnull(library);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 2);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "'x' is taken from"));
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 1)->text, "cannot be read: No such"));
	bxt_buffer names = {0};
	bxt_library_offer_names(library, collect, &names);
	ck_assert_str_eq(names.text, "x y wrong w "); /* paths sorted: a/sub before a/wrong */
	bxt_buffer_free(&names);
	bool broken;
	ck_assert_str_eq(bxt_library_find(library, "y", d, &broken)->domain, "sub");
	ck_assert_str_eq(bxt_library_find(library, "w", d, &broken)->domain, "second");
	ck_assert_ptr_null(bxt_library_find(library, "z", d, &broken)); /* too deep */
	ck_assert(!broken);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 0);
	for (int again = 0; again < 2; again++) {
		ck_assert_ptr_null(bxt_library_find(library, "wrong", d, &broken));
		ck_assert(broken);
		ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 1);
	}
	ck_assert_str_eq(bxt_diagnostics_get(d, 2)->text,
			 "the component is named 'other', its file 'wrong.xml'");
	bxt_library_free(library);
	bxt_diagnostics_free(d);
	free(a);
	free(none);
	free(b);
}
END_TEST

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))

TEST_SUITE("component")
{
	const test_case tests[] = {
		{"shipped components", shipped_components, .loops = ROWS(contract)},
		{"shipped names", shipped_names},
		{"details of the diode", details_of_the_diode},
		{"mechanical component", mechanical_component},
		{"wrong namespace", wrong_namespace},
		{"reserved names", reserved_names},
		{"bad components", bad_components, .loops = ROWS(bad)},
	};
	const test_case tests_in_folder[] = {
		{"search path", search_path},
	};
	ADD_TESTS(tests);
	ADD_TESTS_WITH(make_library, remove_library, tests_in_folder);
}
