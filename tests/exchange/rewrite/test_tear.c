/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tearing and flattening undo each other: canonical(flatten(tear(M))) is canonical(M) byte for byte
 * for every shipped netlist and many cuts, canonical(tear(flatten(T), like T)) is canonical(T), and
 * the runs of both are the same but for round-off.
 */
#include "support/cuts.h"
#include "support/files.h"
#include "support/random_network.h"

#include "exchange/rewrite/flat_names.h"
#include "exchange/rewrite/rename.h"
#include "model/builder/build.h"
#include "model/system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Round trips ---- */

static void same_text(const char *a, const char *b, const char *name, const char *what)
{
	size_t i = 0;
	while (a[i] && a[i] == b[i])
		i++;
	while (i > 0 && a[i - 1] != '\n')
		i--;
	ck_assert_msg(strcmp(a, b) == 0, "%s, %s: expected\n%.300s\ngot\n%.300s", name, what, a + i,
		      b + i);
}

/* flatten(T) is M, tear(flatten(T), like T) is T. */
static void there_and_back(const bxt_netlist *whole, const bxt_netlist *t, bxt_library *library,
			   const char *name)
{
	bxt_netlist *f = flat(t, library);
	char *expected = canonical_of(whole), *got = canonical_of(f);
	same_text(expected, got, name, "whole, torn and flat");
	free(expected);
	free(got);
	const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .like = t};
	bxt_netlist *again = torn(f, library, &def, NULL);
	expected = canonical_of(t);
	got = canonical_of(again);
	same_text(expected, got, name, "torn, flat and torn like it");
	free(expected);
	free(got);
	bxt_netlist_free(again);
	bxt_netlist_free(f);
}

/* One way to cut, when it is one: what "cannot" says is the only excuse. */
static int try_cut(const bxt_netlist *whole, bxt_library *library, const bxt_tear_def *def,
		   const char *cannot, const char *name)
{
	bxt_netlist *t = torn(whole, library, def, cannot);
	if (!t)
		return 0;
	there_and_back(whole, t, library, name);
	bxt_netlist_free(t);
	return 1;
}

/* Every second element on average. */
static char *random_elements(const bxt_network *net, uint64_t *seed)
{
	bxt_buffer list = {0};
	const size_t n = bxt_element_count(net);
	for (size_t i = 0; i < n; i++)
		if (random_next(seed) & 1)
			bxt_buffer_printf(&list, "%s ", net->elements[i].id);
	if (!list.length)
		bxt_buffer_printf(&list, "%s", net->elements[0].id);
	return list.text;
}

/* The network of a flat netlist. */
static bxt_network *network_of(const bxt_netlist *n, bxt_library *library)
{
	bxt_network *net = NULL;
	ck_assert_int_eq(bxt_network_build(n, library, NULL, &net), BXT_OK);
	return net;
}

static int cut_in_many_ways(const bxt_netlist *whole, bxt_library *library, const char *name)
{
	bxt_network *net = network_of(whole, library);
	uint64_t seed = 0;
	int cuts = 0;
	for (const char *c = name; *c; c++)
		seed = seed * 31 + (unsigned char)*c;
	for (int parts = 2; parts <= 6; parts++) {
		const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = parts};
		cuts += try_cut(whole, library, &def, "some parts would be empty", name);
	}
	for (int k = 0; k < 3; k++) {
		char *list = random_elements(net, &seed);
		const bxt_tear_def def = {
			.size = sizeof(bxt_tear_def), .elements = list, .names = "some, rest"};
		cuts += try_cut(whole, library, &def, "the other part would be empty", name);
		free(list);
	}
	for (size_t i = 0; i < net->n_nodes && i < 8; i++) {
		const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .node = net->nodes[i].name};
		cuts += try_cut(whole, library, &def, "separates nothing", name);
	}
	bxt_network_free(net);
	return cuts;
}

/* Why a netlist cannot be torn: it has one element, or only ones that are bound to each other. */
static bool has_one_piece(const bxt_netlist *whole, bxt_library *library)
{
	bxt_network *net = network_of(whole, library);
	const bool one = bxt_element_count(net) == 1;
	const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = 2};
	bxt_netlist *parts =
		torn(whole, library, &def, one ? "one element" : "there is nothing to tear");
	ck_assert(!one || !parts);
	bxt_network_free(net);
	const bool no = !parts;
	bxt_netlist_free(parts);
	return no;
}

START_TEST(test_round_trips)
{
	bxt_library *library = library_of();
	netlist_names names = all_netlists();
	int cuts = 0, whole = 0, alone = 0, already = 0;
	for (size_t i = 0; i < names.n; i++) {
		bxt_netlist *n = read_shipped(names.name[i]);
		bxt_network *net = network_of(n, library);
		if (net->n_primitives > 1) { /* torn already: what it is when flat is torn anew */
			bxt_netlist *f = flat(n, library);
			const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = 2};
			ck_assert_ptr_null(torn(n, library, &def, "flatten it first"));
			there_and_back(f, n, library, names.name[i]);
			bxt_netlist_free(n);
			n = f;
			already++;
		}
		bxt_network_free(net);
		if (has_one_piece(n, library)) {
			alone++;
		} else {
			const int here = cut_in_many_ways(n, library, names.name[i]);
			ck_assert_msg(here > 0, "%s is not torn in any way", names.name[i]);
			cuts += here;
			whole++;
		}
		bxt_netlist_free(n);
	}
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr, "%d cuts of %d netlists, %d of one element, %d torn already\n",
			cuts, whole, alone, already);
	ck_assert_int_ge(already, 2);
	ck_assert_int_ge(whole, 30);
	ck_assert_int_ge(cuts, 10 * whole / 2);
	all_netlists_free(&names);
	bxt_library_free(library);
}
END_TEST

/* ---- Runs ---- */

/* Another order of elimination over some steps, of a signal's largest value. */
static const double SAME = 1e-11;
/* Newton's method leaves open what its tolerance allows; junctions and contacts pass it on. */
static const double SAME_NONLINEAR = 1e-7;
enum { STEPS = 30 };

static bxt_table *run_netlist(const bxt_netlist *n, bxt_library *library, const char *record,
			      bool *affine, const char *name)
{
	model m = {.findings = bxt_diagnostics_new(), .library = library};
	if (bxt_system_compile(n, library, m.findings, &m.system) != BXT_OK) {
		tell(m.findings);
		ck_abort_msg("%s does not compile", name);
	}
	const bxt_run_def def = first_steps(
		&m, (bxt_run_def){.size = sizeof(bxt_run_def), .record = record}, STEPS);
	bxt_summary summary;
	bxt_table *table = model_run(&m, &def, &summary);
	*affine = summary.affine;
	bxt_summary_free(&summary);
	bxt_system_free(m.system);
	bxt_diagnostics_free(m.findings);
	return table;
}

/* All elements of the torn netlist, and the same by their flat names. */
static void list_elements(const bxt_netlist *t, bxt_library *library, bxt_buffer *here,
			  bxt_buffer *flat_list)
{
	bxt_network *net = network_of(t, library);
	bxt_arena *arena = bxt_arena_new();
	bxt_flat_names names;
	ck_assert_int_eq(bxt_flat_names_make(arena, net, &names), BXT_OK);
	for (size_t i = 0; i < bxt_element_count(net); i++) {
		const bxt_element_type *type = net->types[net->elements[i].type];
		const char *path = net->primitives[net->elements[i].primitive].path;
		if (type->component->n_coordinates == 0)
			continue;
		bxt_buffer_printf(here, "%s%s%s%s.*", here->length ? ", " : "", path,
				  *path ? "." : "", net->elements[i].id);
		bxt_buffer_printf(flat_list, "%s%s.*", flat_list->length ? ", " : "",
				  names.element[i]);
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		const char *path = net->primitives[net->nodes[i].primitive].path;
		if (names.class_of[i] != (int)i || net->nodes[i].kind->type != BXT_PORT_SHARED)
			continue;
		bxt_buffer_printf(here, "%snode(%s%s%s).*", here->length ? ", " : "", path,
				  *path ? "." : "", net->nodes[i].name);
		bxt_buffer_printf(flat_list, "%snode(%s).*", flat_list->length ? ", " : "",
				  names.node[i]);
	}
	bxt_arena_free(arena);
	bxt_network_free(net);
}

/*
 * The largest value of signals of that name, whoever has it: what should be 0 is round-off of it.
 * Where all of them are 0, as y in a motion along x, it is round-off of the others.
 */
static double scale_of(const bxt_table *t, size_t column)
{
	const char *name = strrchr(bxt_table_name(t, column), '.');
	double scale = 0;
	for (size_t j = 0; j < bxt_table_columns(t); j++) {
		const bool same = strcmp(strrchr(bxt_table_name(t, j), '.'), name) == 0;
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			scale = fmax(scale, fabs(bxt_table_value(t, i, j)) * (same ? 1 : 1e-6));
	}
	return scale;
}

static double compare_runs(const bxt_netlist *whole, const bxt_netlist *t, bxt_library *library,
			   const char *name)
{
	bxt_buffer here = {0}, flat_list = {0};
	bool affine;
	double worst = 0;
	list_elements(t, library, &here, &flat_list);
	bxt_table *a = run_netlist(whole, library, flat_list.text, &affine, name);
	bxt_table *b = run_netlist(t, library, here.text, &affine, name);
	ck_assert_uint_eq(bxt_table_columns(a), bxt_table_columns(b));
	ck_assert_uint_gt(bxt_table_columns(a), 0);
	for (size_t j = 0; j < bxt_table_columns(a); j++) {
		const double scale = scale_of(a, j);
		double most = 0;
		for (size_t i = 0; i < bxt_table_rows(a); i++)
			most = fmax(most,
				    fabs(bxt_table_value(a, i, j) - bxt_table_value(b, i, j)));
		worst = fmax(worst, scale > 0 ? most / scale : most);
		ck_assert_msg(most <= (affine ? SAME : SAME_NONLINEAR) * scale,
			      "%s: %s differs by %g of %g", name, bxt_table_name(b, j), most,
			      scale);
	}
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_buffer_free(&here);
	bxt_buffer_free(&flat_list);
	if (getenv("BXT_TESTS_TELL"))
		fprintf(stderr, "%-32s %-9s %.1e\n", name, affine ? "affine" : "nonlinear", worst);
	return worst;
}

/*
 * Does a model move as its parts do, to round-off? Not so an arm in joint angles, whose inertia is
 * one form: that of a part is none. And the flows of a screw's shaft are not found at every row.
 */
static bool has_same_parts(const char *name)
{
	return strcmp(name, "arm-three-links.xml") != 0 && strcmp(name, "screw-jack.xml") != 0;
}

START_TEST(test_runs)
{
	bxt_library *library = library_of();
	netlist_names names = all_netlists();
	for (size_t i = 0; i < names.n; i++) {
		bxt_netlist *n = read_shipped(names.name[i]), *whole = flat(n, library);
		bxt_network *net = network_of(n, library);
		const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = 3},
				   two = {.size = sizeof(bxt_tear_def), .parts = 2};
		bxt_netlist *t = NULL;
		if (net->n_primitives > 1)
			compare_runs(whole, n, library, names.name[i]);
		if (!has_one_piece(whole, library) && has_same_parts(names.name[i])) {
			t = torn(whole, library, &def, "some parts would be empty");
			t = t ? t : torn(whole, library, &two, "there is nothing to tear");
		}
		if (t)
			compare_runs(whole, t, library, names.name[i]);
		bxt_network_free(net);
		bxt_netlist_free(t);
		bxt_netlist_free(whole);
		bxt_netlist_free(n);
	}
	all_netlists_free(&names);
	bxt_library_free(library);
}
END_TEST

/* ---- Random circuits ---- */

START_TEST(test_random)
{
	bxt_library *library = library_of();
	int cuts = 0;
	for (uint64_t seed = 1; seed <= (uint64_t)campaign(40); seed++) {
		random_network net;
		bxt_buffer xml = {0}, record = {0}, name = {0};
		random_network_make(&net, seed, true);
		random_network_write(&net, NULL, false, &xml, &record);
		bxt_buffer_printf(&name, "random circuit %d", (int)seed);
		bxt_netlist *whole = netlist_of(xml.text);
		cuts += cut_in_many_ways(whole, library, name.text);
		/* one that was torn when it was made */
		bxt_buffer_clear(&xml);
		random_network_write(&net, NULL, true, &xml, &record);
		bxt_netlist *t = netlist_of(xml.text), *f = flat(t, library);
		there_and_back(f, t, library, name.text);
		bxt_netlist_free(f);
		bxt_netlist_free(t);
		bxt_netlist_free(whole);
		bxt_buffer_free(&xml);
		bxt_buffer_free(&record);
		bxt_buffer_free(&name);
	}
	ck_assert_int_ge(cuts, 300);
	bxt_library_free(library);
}
END_TEST

/* ---- Names, comments, values ---- */

#define NS "xmlns=\"urn:boxtimes:netlist:1\""
#define XML "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"

static void expect_text(bxt_netlist *n, const char *expected, const char *what)
{
	char *got = text_of(n);
	same_text(expected, got, what, "its text");
	free(got);
	bxt_netlist_free(n);
}

/* Author's order, comments before and behind, foreign elements, digits as node, ties, <fix>. */
START_TEST(test_text)
{
	static const char whole[] =
		XML "<!-- head -->\n"
		    "<netlist " NS " xmlns:x=\"urn:x\">\n"
		    "  <!-- about time -->\n"
		    "  <simulation end=\"1 s\" step=\"0.1 s\" scheme=\"discrete-gradient\" "
		    "gradient=\"increments\"/>\n"
		    "  <parameter name=\"R\" default=\"1\"/> <!-- a load -->\n"
		    "\n"
		    "  <!-- the source -->\n"
		    "  <voltage-source id=\"V1\" p=\"in\" n=\"0\" e=\"=sin(t)\"/> <!-- beside -->\n"
		    "  <resistor id=\"R1\" p=\"in\" n=\"12\" R=\"=2*R\" x:note=\"hot\"/>\n"
		    "  <x:picture at=\"3,4\"/>\n"
		    "  <inductor id=\"L1\" p=\"12\" n=\"node\" L=\"1 H\"/>\n"
		    "  <inductor id=\"L2\" p=\"b\" n=\"0\" L=\"1 H\"/>\n"
		    "  <mutual-inductance id=\"M12\" a=\"L1\" b=\"L2\" M=\"0.5 H\"/>\n"
		    "  <capacitor id=\"n12\" p=\"node\" n=\"b\" C=\"1 F\"/>\n"
		    "  <fix of=\"n12.q\"/>\n"
		    "  <fix of=\"L1.q, n12.q\"/>\n"
		    "  <record>n12.q,\n    node(12).v</record>\n"
		    "  <!-- the end -->\n"
		    "</netlist>\n";
	static const char parts[] = XML
		"<!-- head -->\n"
		"<netlist " NS " xmlns:x=\"urn:x\">\n"
		"  <!-- about time -->\n"
		"  <simulation end=\"1 s\" step=\"0.1 s\" scheme=\"discrete-gradient\" "
		"gradient=\"increments\"/>\n"
		"  <parameter name=\"R\" default=\"1\"/> <!-- a load -->\n"
		"  <subsystem id=\"coils\">\n"
		"    <x:picture at=\"3,4\"/>\n"
		"    <inductor id=\"L1\" p=\"12\" n=\"node\" L=\"1 H\"/>\n"
		"    <inductor id=\"L2\" p=\"b\" n=\"0\" L=\"1 H\"/>\n"
		"    <mutual-inductance id=\"M12\" a=\"L1\" b=\"L2\" M=\"0.5 H\"/>\n"
		"    <port id=\"n12_\" node=\"12\"/>\n"
		"    <port id=\"node_\" node=\"node\"/>\n"
		"    <port id=\"b\" node=\"b\"/>\n"
		"  </subsystem>\n"
		"  <subsystem id=\"rest\">\n"
		"    <!-- the source -->\n"
		"    <voltage-source id=\"V1\" p=\"in\" n=\"0\" e=\"=sin(t)\"/> <!-- beside -->\n"
		"    <resistor id=\"R1\" p=\"in\" n=\"12\" R=\"=2*R\" x:note=\"hot\"/>\n"
		"    <capacitor id=\"n12\" p=\"node\" n=\"b\" C=\"1 F\"/>\n"
		"    <fix of=\"n12.q\"/>\n"
		"    <port id=\"n12_\" node=\"12\"/>\n"
		"    <port id=\"node_\" node=\"node\"/>\n"
		"    <port id=\"b\" node=\"b\"/>\n"
		"  </subsystem>\n"
		"  <interconnection>\n"
		"    <connect id=\"n12\" a=\"coils.n12_\" b=\"rest.n12_\"/>\n"
		"    <connect id=\"node_\" a=\"coils.node_\" b=\"rest.node_\"/>\n"
		"    <connect id=\"b\" a=\"coils.b\" b=\"rest.b\"/>\n"
		"  </interconnection>\n"
		"  <fix of=\"coils.L1.q, rest.n12.q\"/>\n"
		"  <record>rest.n12.q,\n    node(coils.12).v</record>\n"
		"  <!-- the end -->\n"
		"</netlist>\n";
	bxt_library *library = library_of();
	bxt_netlist *n = netlist_of(whole);
	const bxt_tear_def def = {
		.size = sizeof(bxt_tear_def), .elements = "L1", .names = "coils rest"};
	bxt_netlist *t = torn(n, library, &def, NULL);
	expect_text(t, parts, "torn");
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

/* The joined copies of a node say together what each says; elements of one id get their paths. */
START_TEST(test_merging)
{
	static const char parts[] =
		XML "<netlist " NS ">\n"
		    "  <subsystem id=\"x\">\n"
		    "    <mass id=\"M\" a=\"m\" m=\"1 kg\"/>\n"
		    "    <node id=\"m\" kind=\"translational\" x=\"1 m\"/> <!-- here -->\n"
		    "    <fix node=\"m\"/>\n"
		    "    <port id=\"s\" node=\"m\"/>\n"
		    "  </subsystem>\n"
		    "  <subsystem id=\"y\">\n"
		    "    <mass id=\"M\" a=\"n\" m=\"1 kg\"/>\n"
		    "    <!-- there -->\n"
		    "    <node id=\"n\" kind=\"translational\" x=\"100 cm\" v=\"2 m/s\"/>\n"
		    "    <fix of=\"node(n).x\"/>\n"
		    "    <fix node=\"n\"/>\n"
		    "    <port id=\"s\" node=\"n\"/>\n"
		    "  </subsystem>\n"
		    "  <interconnection>\n"
		    "    <!-- rigid -->\n"
		    "    <connect id=\"c\" a=\"x.s\" b=\"y.s\"/>\n"
		    "  </interconnection>\n"
		    "  <record>node(y.n).x, node(x.m).x, x.*, energy(x.M), node(x.m).v</record>\n"
		    "</netlist>\n";
	static const char whole[] = XML
		"<netlist " NS ">\n"
		"  <mass id=\"x_M\" a=\"m\" m=\"1 kg\"/>\n"
		"  <node id=\"m\" kind=\"translational\" x=\"1 m\" v=\"2 m/s\"/> <!-- here -->\n"
		"  <fix node=\"m\"/>\n"
		"  <mass id=\"y_M\" a=\"m\" m=\"1 kg\"/>\n"
		"  <!-- there -->\n"
		"  <fix of=\"node(m).x\"/>\n"
		"  <!-- rigid -->\n"
		"  <record>node(m).x, x_M.*, energy(x_M), node(m).v</record>\n"
		"</netlist>\n";
	bxt_library *library = library_of();
	bxt_netlist *t = netlist_of(parts), *f = flat(t, library);
	expect_text(f, whole, "flat");
	bxt_netlist_free(t);
	bxt_library_free(library);
}
END_TEST

/* One canonical text for what differs in order and white space. */
START_TEST(test_canonical)
{
	static const char one[] =
		"<netlist " NS " name='n'>"
		"<record>\n  a.q ,b.q\n</record>\n<!-- of R10 --><resistor R='1' id='R10' p='a' "
		"n='0'/>"
		"<capacitor id='C1' p='a' n='0' C='1'/><!-- same line -->\n"
		"<resistor id='R9' p='a' n='0' R='1'/> <parameter name='b' default='=a'/>\n\n"
		"<simulation end='1' step='1'/><component xmlns='urn:boxtimes:component:1' "
		"name='w'>"
		"<lagrangian>\n   x +\n     y  </lagrangian></component><!-- last --></netlist>";
	static const char expected[] =
		XML "<netlist " NS " name=\"n\">\n"
		    "  <parameter name=\"b\" default=\"=a\"/>\n"
		    "  <simulation end=\"1\" step=\"1\"/>\n"
		    "  <component name=\"w\" xmlns=\"urn:boxtimes:component:1\">\n"
		    "    <lagrangian>\n"
		    "      x +\n"
		    "      y\n"
		    "    </lagrangian>\n"
		    "  </component> <!-- last -->\n"
		    "  <capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1\"/> <!-- same line -->\n"
		    "  <resistor id=\"R9\" p=\"a\" n=\"0\" R=\"1\"/>\n"
		    "  <!-- of R10 -->\n"
		    "  <resistor id=\"R10\" R=\"1\" p=\"a\" n=\"0\"/>\n"
		    "  <record>a.q, b.q</record>\n"
		    "</netlist>\n";
	bxt_netlist *n = netlist_of(one), *c = NULL, *again = NULL;
	ck_assert_int_eq(bxt_netlist_canonical(n, &c), BXT_OK);
	ck_assert_int_eq(bxt_netlist_canonical(c, &again), BXT_OK);
	expect_text(again, expected, "canonical twice");
	expect_text(c, expected, "canonical");
	bxt_netlist_free(n);
}
END_TEST

/* ---- Included files ---- */

#define COMPONENT(name, rayleigh)                                                                  \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='electrical'>"         \
	"<parameter name='r' unit='ohm'/><coordinate name='q' unit='C' flow='i'/>"                 \
	"<rayleigh>" rayleigh "</rayleigh><port name='p' kind='electrical' flow='i'/>"             \
	"<port name='n' kind='electrical' flow='-i'/></component>"

static void write_files(void)
{
	put("parts/cell.xml",
	    HEAD "<!-- a cell --><parameter name='R' unit='ohm' default='2 ohm'/>"
		 "<parameter name='k' default='=R/10'/><parameter name='q' default='7'/>"
		 "<resistor id='r' p='in' n='mid' R='=R'/>"
		 "<capacitor id='c' p='mid' n='0' C='1 F' q='=k'/>"
		 "<nonlinear-capacitor id='d' p='mid' n='0' energy='=q^2/2 + k*q^4'/>"
		 "<fix of='c.q'/><port id='s' node='in'/></netlist>");
	put("stage.xml",
	    HEAD "<parameter name='R' unit='ohm' default='3 ohm'/>"
		 "<parameter name='C0' unit='F' default='=2e-1/R'/>" COMPONENT(
			 "leak", "r*i^2/2") "<simulation end='1 s' step='0.1 s'/><leak id='l' "
					    "p='x' n='0' r='=R'/>"
					    "<nonlinear-capacitor id='n' p='x' n='0' "
					    "energy='q^2/(2*C0) + q^4/R'/>"
					    "<!-- inner -->\n<subsystem id='cell' "
					    "href='parts/cell.xml' R='=R/2'/>"
					    "<port id='s' node='x'/><port id='u' node='x'/>"
					    "<interconnection><connect id='k' a='cell.s' "
					    "b='u'/></interconnection></netlist>");
	put("main.xml", HEAD
	    "<parameter name='R' unit='ohm' default='1 ohm'/>"
	    "<simulation end='2 s' step='0.05 s'/>" COMPONENT(
		    "leak", "2*r*i^2") "<voltage-source id='V' p='f' n='0' e='=sin(3*t)'/>"
				       "<leak id='l' p='f' n='x' r='=R'/><port id='feed' node='x'/>"
				       "<subsystem id='A' href='stage.xml' R='=2*R'/>"
				       "<subsystem id='B' href='stage.xml'/><interconnection>"
				       "<sigma id='row'>feed.i + A.s.i - "
				       "2*R*B.s.i</sigma></interconnection>"
				       "<record>A.l.q, B.cell.c.q, row.lambda, A.k.lambda, "
				       "power(B.s)</record>"
				       "</netlist>");
}

START_TEST(test_included)
{
	bxt_library *library = library_of();
	bxt_netlist *n = NULL;
	make_folder();
	write_files();
	ck_assert_int_eq(bxt_netlist_read("main.xml", NULL, &n), BXT_OK);
	bxt_netlist *f = flat(n, library);
	char *text = text_of(f);
	static const char *const holds[] = {
		"<parameter name=\"A_R\" unit=\"ohm\" default=\"=2*R\"/>",
		"<parameter name=\"A_C0\" unit=\"F\" default=\"=2e-1/A_R\"/>",
		"<parameter name=\"B_cell_R\" unit=\"ohm\" default=\"=B_R/2\"/>",
		"<A_leak id=\"B_l\" p=\"B_x\" n=\"0\" r=\"=B_R\"/>",
		"<leak id=\"l\" p=\"f\" n=\"x\" r=\"=R\"/>",
		/* q is the charge there, whatever parameters are called */
		"energy=\"=q^2/2 + B_cell_k*q^4\"",
		"<sigma id=\"row\">feed.i + A_s.i - 2*R*B_s.i</sigma>",
		"<record>A_l.q, B_cell_c.q, row.lambda, node(A_x).v, power(B_s)</record>",
	};
	for (size_t i = 0; i < sizeof holds / sizeof *holds; i++)
		ck_assert_msg(strstr(text, holds[i]), "not in the flat netlist: %s\n%s", holds[i],
			      text);
	ck_assert_ptr_null(strstr(text, "href"));
	ck_assert_ptr_null(strstr(text, "<connect"));
	free(text);
	compare_runs(f, n, library, "included files");
	/* what was files before can be torn like any other */
	const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .parts = 2},
			   like = {.size = sizeof(bxt_tear_def), .like = n};
	try_cut(f, library, &def, NULL, "included files");
	there_and_back(f, n, library, "included files");
	/* files that stay included cannot say something else */
	ck_assert_int_eq(bxt_netlist_set(f, "A_cell_r", "R", "9 ohm", NULL), BXT_OK);
	ck_assert_ptr_null(torn(f, library, &like, "'A_cell_r' is not as parts/cell.xml has it"));
	remove_folder();
	bxt_netlist_free(f);
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

/* A file with signals, which are elements and no elements, and elements behind it. */
START_TEST(test_included_signals)
{
	bxt_library *library = library_of();
	bxt_netlist *n = NULL;
	make_folder();
	put("control.xml",
	    HEAD "<parameter name='K' unit='1' default='1'/><lead-lag id='L' T1='1 s' T2='2 s'/>"
		 "<mass id='m' a='x' m='1 kg'/><force-actuator id='F' a='wall' b='x'/>"
		 "<subsystem id='in'><lead-lag id='L' T1='1 s' T2='2 s'/></subsystem>"
		 "<signal to='L.y'>K*node(x).x + sin(K*t)</signal><signal to='F.u'>in.L.u</signal>"
		 "<signal to='in.L.y'>L.u</signal></netlist>");
	put("main.xml",
	    HEAD "<subsystem id='a' href='control.xml'/><mass id='m2' a='y' m='1 kg'/>"
		 "<subsystem id='b' href='control.xml' K='3'/><mass id='m3' a='z' m='2 kg'/>"
		 "<lead-lag id='M' T1='1 s' T2='3 s'/><subsystem id='c'><mass id='m4' a='z' "
		 "m='3 kg'/></subsystem><signal to='M.y'>a.L.u*b.in.L.u</signal></netlist>");
	ck_assert_int_eq(bxt_netlist_read("main.xml", NULL, &n), BXT_OK);
	bxt_netlist *f = flat(n, library);
	there_and_back(f, n, library, "signals in included files");
	remove_folder();
	bxt_netlist_free(f);
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

/* A prefix may mean something else in an included file: that is refused, not mixed up. */
START_TEST(test_prefixes)
{
	bxt_library *library = library_of();
	bxt_netlist *n = NULL, *out = NULL;
	make_folder();
	put("inner.xml", "<b:netlist xmlns:b='urn:boxtimes:netlist:1' xmlns:x='urn:x'>"
			 "<b:resistor id='R1' p='a' n='0' R='1' x:note='n'/>"
			 "<b:capacitor id='C1' p='a' n='0' C='1' q='1 C'/></b:netlist>");
	put("good.xml", HEAD "<subsystem id='s' href='inner.xml'/></netlist>");
	put("bad.xml", "<netlist xmlns='urn:boxtimes:netlist:1' xmlns:x='urn:y'>"
		       "<subsystem id='s' href='inner.xml'/></netlist>");
	ck_assert_int_eq(bxt_netlist_read("good.xml", NULL, &n), BXT_OK);
	expect_text(flat(n, library),
		    XML "<netlist " NS " xmlns:b=\"urn:boxtimes:netlist:1\" xmlns:x=\"urn:x\">\n"
			"  <resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1\" x:note=\"n\"/>\n"
			"  <capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1\" q=\"1 C\"/>\n"
			"</netlist>\n",
		    "prefixes");
	bxt_netlist_free(n);
	ck_assert_int_eq(bxt_netlist_read("bad.xml", NULL, &n), BXT_OK);
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_int_eq(bxt_netlist_flatten(n, library, d, &out), BXT_ERR_MODEL);
	ck_assert_ptr_null(out);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "the prefix 'x' means"));
	remove_folder();
	bxt_diagnostics_free(d);
	bxt_netlist_free(n);
	bxt_library_free(library);
}
END_TEST

/* ---- Signals that tearing ends ---- */

/* The momentum of a node is that of all that stands there: cut, it is none of one part. */
START_TEST(test_momentum_of_a_cut_node)
{
	bxt_library *library = library_of();
	bxt_netlist *n = netlist_of(
		NETLIST("<mass id='M1' a='m' m='1 kg'/><mass id='M2' a='m' m='2 kg'/>"
			"<spring id='k' a='m' b='free' k='1 N/m'/><mass id='M3' a='free' m='1 kg'/>"
			"<record>node(m).x.p, node(free).x.p, node(m).x</record>"));
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_netlist *t = NULL;
	const bxt_tear_def def = {.size = sizeof(bxt_tear_def), .elements = "M1"};
	ck_assert_int_eq(bxt_netlist_tear(n, library, &def, d, &t), BXT_OK);
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_WARNING), 1);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "'node(m).x.p' is left out"));
	char *text = text_of(t);
	ck_assert_ptr_nonnull(
		strstr(text, "<record>node(part2.free).x.p, node(part1.m).x</record>"));
	free(text);
	bxt_netlist_free(t);
	bxt_netlist_free(n);
	bxt_diagnostics_free(d);
	bxt_library_free(library);
}
END_TEST

TEST_SUITE("tear")
{
	const test_case tests[] = {
		{"round trips", test_round_trips, .slow = true},
		{"runs", test_runs, .slow = true},
		{"random", test_random, .slow = true},
		{"text", test_text},
		{"merging", test_merging},
		{"canonical", test_canonical},
		{"included", test_included},
		{"included_signals", test_included_signals},
		{"prefixes", test_prefixes},
		{"momentum of a cut node", test_momentum_of_a_cut_node},
	};
	ADD_TESTS(tests);
}
