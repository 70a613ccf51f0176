/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language of names for quantities: parsed, found from a scope, printed, and the same in all
 * places that take names. */
#include "support/harness.h"

#include "model/names/path_end.h"
#include "model/network/dirac.h"
#include "model/system/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Texts ---- */

static const struct {
	const char *text;
	bxt_call call;
	const char *outer, *path, *rest;
	bxt_name_fault fault;
} texts[] = {
	{"a.b.x", BXT_CALL_NONE, "", "a.b.x", "", BXT_NAME_GOOD},
	{"energy", BXT_CALL_NONE, "", "energy", "", BXT_NAME_GOOD},
	{"node(s).omega", BXT_CALL_NODE, "", "s", ".omega", BXT_NAME_GOOD},
	{"plant.node(s).omega", BXT_CALL_NODE, "plant", "s", ".omega", BXT_NAME_GOOD},
	{"a.b.node(c.d).x.p", BXT_CALL_NODE, "a.b", "c.d", ".x.p", BXT_NAME_GOOD},
	{"node(a).*", BXT_CALL_NODE, "", "a", ".*", BXT_NAME_GOOD},
	{"a.power(M.p)", BXT_CALL_POWER, "a", "M.p", "", BXT_NAME_GOOD},
	{"energy()", BXT_CALL_ENERGY, "", "", "", BXT_NAME_GOOD},
	{"drift(node.q)", BXT_CALL_DRIFT, "", "node.q", "", BXT_NAME_GOOD},
	{"momentum(r)", BXT_CALL_MOMENTUM, "", "r", "", BXT_NAME_GOOD},
	{"a.drift(node)", BXT_CALL_DRIFT, "a", "node", "", BXT_NAME_NO_WORD},
	{"node(a)", BXT_CALL_NODE, "", "a", "", BXT_NAME_WHAT_OF},
	{"node(a).", BXT_CALL_NODE, "", "a", ".", BXT_NAME_WHAT_OF},
	{"node(a)x", BXT_CALL_NODE, "", "a", "x", BXT_NAME_WHAT_OF},
	{"energy(a).x", BXT_CALL_ENERGY, "", "a", ".x", BXT_NAME_TOO_MUCH},
	{"frob(x)", BXT_CALL_UNKNOWN, "", "x", "", BXT_NAME_NO_WORD},
	{".node(x).y", BXT_CALL_UNKNOWN, "", "x", ".y", BXT_NAME_NO_WORD},
	{"(x)", BXT_CALL_UNKNOWN, "", "x", "", BXT_NAME_NO_WORD},
	{"node(a", BXT_CALL_NONE, "", "node(a", "", BXT_NAME_NO_CLOSE},
	{"a).x", BXT_CALL_NONE, "", "a).x", "", BXT_NAME_NO_OPEN},
	{")node(", BXT_CALL_NONE, "", ")node(", "", BXT_NAME_NO_CLOSE},
	{"", BXT_CALL_NONE, "", "", "", BXT_NAME_GOOD},
};

static bool is_span(bxt_span span, const char *text)
{
	return span.length == strlen(text) &&
	       strncmp(span.at ? span.at : "", text, span.length) == 0;
}

START_TEST(parsed)
{
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		const bxt_name name = bxt_name_parse(texts[i].text);
		ck_assert_msg(name.call == texts[i].call && name.fault == texts[i].fault, "%s",
			      texts[i].text);
		ck_assert_msg(is_span(name.outer, texts[i].outer) &&
				      is_span(name.path, texts[i].path) &&
				      is_span(name.rest, texts[i].rest),
			      "%s", texts[i].text);
	}
}
END_TEST

START_TEST(ends)
{
	static const struct {
		const char *full, *written;
		bool is_end;
	} cases[] = {
		{"store.C1.q", "store.C1.q", true},
		{"store.C1.q", "C1.q", true},
		{"store.C1.q", "1.q", false},
		{"store.C1.q", "q", false},
		{"q", "q", true},
		{"C1.q", "store.C1.q", false},
		{"node(a.b.c).v", "node(c).v", true},
		{"node(a.b.c).v", "b.node(c).v", true},
		{"node(a.b.c).v", "a.b.node(c).v", true},
		{"node(a.b.c).v", "a.node(c).v", false},
		{"node(b.c).v", "a.node(b.c).v", false},
		{"node(a.b.c).v", "node(c).x", false},
		{"node(a.b.c).v", "energy(c)", false},
		{"power(a.M.p)", "M.power(p)", true},
		{"energy", "energy", true},
		{"energy(a)", "energy", false},
		{"node(a).v", "node(a", false},
		{"a.b", "", false},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		ck_assert_msg(bxt_name_is_end(cases[i].full, cases[i].written) == cases[i].is_end,
			      "%s in %s", cases[i].written, cases[i].full);
}
END_TEST

/* The calls of expressions, in order. */
START_TEST(scanned)
{
	static const struct {
		const char *expression, *calls;
	} cases[] = {
		{"2*node(a.b).x - sin(node(c).vx)", "node(a.b).x node(c).vx"},
		{"plant.node(s).omega^2+x.power(M.p)/energy(x)",
		 "plant.node(s).omega x.power(M.p) energy(x)"},
		{"node(my-node).x.p.", "node(my-node).x.p"},
		{"a-node(b).x", "node(b).x"},
		{"my_node(b).x + 2node(a).x + nodes(a).x", ""},
		{"node(a) + node(b)x + node(c)..", ""},
		{"node(", ""},
		{"node(a(b).x", ""},
		{"energy + M.omega*t", ""},
		{"", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char found[200] = "";
		const char *text = cases[i].expression;
		for (size_t length, before; *text; text += before + length) {
			before = bxt_name_find_call(text, &length);
			snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s",
				 *found && length ? " " : "", (int)length, text + before);
		}
		ck_assert_str_eq(found, cases[i].calls);
	}
}
END_TEST

/* ---- All quantities of a network ---- */

#define CONTROL(name, body)                                                                        \
	"<component xmlns='urn:boxtimes:component:1' name='" name "' domain='control'>" body       \
	"</component>"
#define PLANET                                                                                     \
	"<component xmlns='urn:boxtimes:component:1' name='planet'>"                               \
	"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"       \
	"<lagrangian>(vx^2 + vy^2)/2 - (x^2 + y^2)/2</lagrangian>"                                 \
	"<output name='r' unit='1'>sqrt(x^2 + y^2)</output>"                                       \
	"<symmetry name='rotation'><generator on='x'>-y</generator><generator on='y'>x"            \
	"</generator></symmetry></component>"
#define RAIL                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='rail'>"                                 \
	"<coordinate name='u' unit='1' flow='du'/><lagrangian>du^2/2</lagrangian>"                 \
	"<constraint name='set' kind='flow'>du - cos(t)</constraint></component>"
#define IN CONTROL("in", "<signal name='y' unit='1'/>")

/* A circuit and a machine, torn, with everything that has a name. */
#define TORN                                                                                       \
	PLANET RAIL IN                                                                             \
		"<subsystem id='grid'><voltage-source id='V' p='a' n='0' e='=2+sin(3*t)'/>"        \
		"<resistor id='R' p='a' n='b' R='2 ohm'/><port id='s' node='b'/></subsystem>"      \
		"<subsystem id='plant'><subsystem id='drive'><inductor id='L' p='c' n='d' L='0.1 " \
		"H' "                                                                              \
		"i='0.2 A'/><capacitor id='C' p='d' n='0' C='0.3 F' q='0.1 C'/><port id='s' "      \
		"node='c'/>"                                                                       \
		"</subsystem><rail id='Z'/><planet id='P' x='1' vy='0.8'/><mass id='M' a='m' "     \
		"m='2 kg'/>"                                                                       \
		"<spring id='K' a='wall' b='m' k='3 N/m'/><node id='m' kind='translational' "      \
		"x='0.2 m'/>"                                                                      \
		"<signal id='level'>node(m).x + 1</signal></subsystem>"                            \
		"<interconnection><connect id='c1' a='grid.s' "                                    \
		"b='plant.drive.s'/></interconnection>"                                            \
		"<symmetry id='turn'><generator on='plant.P.x'>-plant.P.y</generator>"             \
		"<generator on='plant.P.y'>plant.P.x</generator></symmetry>"
static const char torn[] = NETLIST(TORN);

static void found_again(bxt_names *n, const bxt_designator *d, size_t *count)
{
	bxt_buffer text = {0};
	bxt_designator back = {0};
	bxt_designator_print(n->net, 0, d, &text);
	ck_assert_msg(bxt_names_find(n, 0, text.text, &back) == BXT_NAME_GOOD, "%s: %s", text.text,
		      bxt_names_why(n, "signal", true));
	ck_assert_msg(back.word == d->word && back.owner == d->owner &&
			      back.element == d->element && back.index == d->index,
		      "%s", text.text);
	bxt_buffer_free(&text);
	++*count;
}

static void all_of(bxt_names *n, bxt_designator d, const bxt_word *words, size_t n_words,
		   int number, size_t *count)
{
	for (size_t w = 0; w < n_words; w++)
		for (int a = 0; a < number; a++) {
			d.word = words[w];
			d.index = words[w] == BXT_WORD_ALL ? -1 : a;
			found_again(n, &d, count);
		}
}
#define ALL_OF(owner, element, number, ...)                                                        \
	do {                                                                                       \
		static const bxt_word words_[] = {__VA_ARGS__};                                    \
		all_of(&n, (bxt_designator){BXT_WORD_ALL, (owner), (int)(element), 0}, words_,     \
		       sizeof words_ / sizeof *words_, (number), &count);                          \
	} while (0)

/* What is printed is found again as the same quantity. */
START_TEST(printed)
{
	model m = model_of_text(torn);
	const bxt_network *net = m.system->net;
	bxt_arena *arena = bxt_arena_new();
	bxt_names n;
	size_t count = 0;
	bxt_names_begin(&n, net, arena);
	for (size_t i = 0; i < net->n_elements; i++) {
		const bxt_element_type *type = net->types[net->elements[i].type];
		if (net->elements[i].is_interaction)
			continue;
		ALL_OF(BXT_OWNER_ELEMENT, i, type->component->n_coordinates, BXT_WORD_COORDINATE,
		       BXT_WORD_FLOW, BXT_WORD_MOMENTUM, BXT_WORD_CENTRED);
		ALL_OF(BXT_OWNER_ELEMENT, i, type->component->n_outputs, BXT_WORD_OUTPUT);
		ALL_OF(BXT_OWNER_ELEMENT, i, type->component->n_constraints, BXT_WORD_MULTIPLIER,
		       BXT_WORD_IMPULSE);
		ALL_OF(BXT_OWNER_ELEMENT, i, type->ml - type->n_constraint, BXT_WORD_POWER);
		ALL_OF(BXT_OWNER_ELEMENT, i, 1, BXT_WORD_ENERGY, BXT_WORD_DISSIPATED,
		       BXT_WORD_SUPPLIED, BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		if (net->nodes[i].kind->type == BXT_PORT_BALANCE)
			ALL_OF(BXT_OWNER_NODE, i, 1, BXT_WORD_EFFORT, BXT_WORD_IMPULSE,
			       BXT_WORD_ALL);
		else
			ALL_OF(BXT_OWNER_NODE, i, net->nodes[i].kind->n, BXT_WORD_COORDINATE,
			       BXT_WORD_FLOW, BXT_WORD_MOMENTUM, BXT_WORD_CENTRED, BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_ports; i++) {
		ALL_OF(BXT_OWNER_PORT, i, 1, BXT_WORD_COORDINATE, BXT_WORD_FLOW, BXT_WORD_POWER,
		       BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_connections; i++) {
		ALL_OF(BXT_OWNER_CONNECTION, i, 3, BXT_WORD_MULTIPLIER, BXT_WORD_IMPULSE);
		found_again(
			&n,
			&(bxt_designator){BXT_WORD_MULTIPLIER, BXT_OWNER_CONNECTION, (int)i, -1},
			&count);
	}
	for (size_t i = 0; i < net->n_primitives; i++)
		ALL_OF(BXT_OWNER_SUBSYSTEM, i, 1, BXT_WORD_ENERGY, BXT_WORD_DISSIPATED,
		       BXT_WORD_SUPPLIED);
	for (size_t i = 1; i < net->n_primitives; i++)
		ALL_OF(BXT_OWNER_SUBSYSTEM, i, 1, BXT_WORD_ALL);
	for (size_t i = 0; i < net->n_signal_ids; i++)
		ALL_OF(BXT_OWNER_SIGNAL, i, 1, BXT_WORD_FLOW);
	for (size_t i = 0; i < net->n_symmetries; i++)
		ALL_OF(BXT_OWNER_SYMMETRY, i, 1, BXT_WORD_MAP, BXT_WORD_NOETHER);
	ALL_OF(BXT_OWNER_FAMILY, BXT_FAMILY_NODE, 2, BXT_WORD_DRIFT);
	ALL_OF(BXT_OWNER_FAMILY, BXT_FAMILY_CONSTRAINT, 2, BXT_WORD_DRIFT);
	ALL_OF(BXT_OWNER_FAMILY, BXT_FAMILY_CONNECTION, 2, BXT_WORD_DRIFT);
	ck_assert_uint_ge(count, 90);
	bxt_names_end(&n);
	bxt_arena_free(arena);
	model_free(&m);
}
END_TEST

/* ---- One scope rule ---- */

/* A name from a scope, and the full name of what it is, or what is wrong. */
static const struct {
	const char *scope, *name, *full;
} scopes[] = {
	/* exact, by the end of the path, and with the path before the word */
	{"", "plant.drive.C.q", "plant.drive.C.q"},
	{"", "drive.C.q", "plant.drive.C.q"},
	{"", "C.q", "plant.drive.C.q"},
	{"plant", "drive.C.q", "plant.drive.C.q"},
	{"plant", "C.q", "plant.drive.C.q"},
	{"plant.drive", "C.q", "plant.drive.C.q"},
	{"", "node(plant.m).v", "node(plant.m).v"},
	{"", "node(m).v", "node(plant.m).v"},
	{"", "plant.node(m).v", "node(plant.m).v"},
	{"", "plant.node(drive.c).v", "node(plant.drive.c).v"},
	{"", "drive.node(c).v", "node(plant.drive.c).v"},
	{"plant", "node(m).x.p", "node(plant.m).x.p"},
	{"plant", "drive.node(c).v", "node(plant.drive.c).v"},
	{"", "plant.energy(P)", "energy(plant.P)"},
	{"", "plant.energy()", "energy(plant)"},
	{"", "energy()", "energy"},
	{"", "energy", "energy"},
	{"plant", "energy", "energy(plant)"},
	{"plant", "dissipated", "dissipated(plant)"},
	{"", "drive.power(s)", "power(plant.drive.s)"},
	{"", "power(C.p)", "power(plant.drive.C.p)"},
	{"", "plant.power(drive.C.p)", "power(plant.drive.C.p)"},
	{"", "C.power(p)", "power(plant.drive.C.p)"},
	{"", "P.p", "! 'P' has no 'p'"},
	{"", "P.x.p", "plant.P.x.p"},
	{"", "C.p", "plant.drive.C.p"},
	{"", "C.q.p", "plant.drive.C.p"},
	{"", "P.r", "plant.P.r"},
	{"", "level", "plant.level"},
	{"", "plant.level", "plant.level"},
	{"plant", "level", "plant.level"},
	{"", "Z.set.lambda", "plant.Z.set.lambda"},
	{"", "c1.lambda", "c1.lambda"},
	{"", "c1.1.lambda", "c1.1.lambda"},
	{"", "drive.*", "plant.drive.*"},
	{"", "momentum(turn)", "momentum(turn)"},
	{"", "noether(rotation)", "noether(plant.P.rotation)"},
	{"plant", "noether(P.rotation)", "noether(plant.P.rotation)"},
	{"", "plant.momentum(rotation)", "! no symmetry 'plant.rotation'"},
	{"", "drift(connection.q)", "drift(connection.q)"},
	/* below the scope only */
	{"grid", "C.q", "! no signal 'C.q'"},
	{"plant", "V.q", "! no signal 'V.q'"},
	{"plant", "momentum(turn)", "! no symmetry 'turn'"},
	{"plant.drive", "level", "! no signal 'level'"},
	/* ambiguous, with both */
	{"", "power(s)", "! 's' is ambiguous: 2 match, 'grid.s' and 'plant.drive.s'; write more"},
	{"", "s.i", "! 's.i' is ambiguous: 2 match, 'grid.s' and 'plant.drive.s'; write more"},
	{"plant", "power(s)", "power(plant.drive.s)"},
	/* unknown, with the nearest */
	{"", "node(plant.n).v", "! no node 'plant.n' (did you mean 'plant.m'?)"},
	{"plant", "node(n).w", "! no node 'n'"},
	{"", "plant.node(n).v", "! no node 'plant.n' (did you mean 'plant.m'?)"},
	{"", "grid.Q.q", "! no signal 'grid.Q.q' (did you mean 'grid.V'?)"},
	{"", "M.m.a.b", "! no signal 'M.m.a.b'"},
	{"", "levle", "! no signal 'levle' (did you mean 'level'?)"},
	{"", "plant.m.v", "! 'plant.m' is a node, not an element: write 'node(plant.m).v'"},
	{"", "energy(grdi)", "! no element or subsystem 'grdi' (did you mean 'grid'?)"},
	{"", "energie(grid)", "! no such quantity 'energie' (did you mean 'energy'?)"},
	{"", "momentum(trun)", "! no symmetry 'trun' (did you mean 'turn'?)"},
	{"", "drift(nodes)", "! no family of rows 'nodes' (did you mean 'node'?)"},
	{"", "grid.drift(node)", "! no such quantity 'drift'"},
	{"", "L.ii", "! 'L' has no 'ii' (did you mean 'i'?)"},
	{"", "node(m).xx", "! node(m) has no 'xx' (did you mean 'x'?)"},
	{"", "power(C.x)", "! no balance port 'C.x'"},
	{"", "c1.lamda", "! 'c1' has no 'lamda' (did you mean 'lambda'?)"},
	{"", "c1.0.lambda", "! 'c1' has no '0.lambda'"},
	{"", "c1.99999999999999999999.lambda", "! 'c1' has no '99999999999999999999.lambda'"},
	/* nothing at all */
	{"", "", "! no signal ''"},
	{"", ".", "! no signal '.'"},
	{"", "..", "! no signal '..'"},
	{"", "*", "! no signal '*'"},
	{"", ".*", "! no signal '.*'"},
	{"", "plant.", "! no signal 'plant.'"},
	{"", ".C.q", "! no signal '.C.q'"},
	{"", "C..q", "! 'C' has no '.q' (did you mean 'q'?)"},
	{"", "node().x", "! no node ''"},
	{"", "node(.).x", "! no node '.'"},
	{"", "node(m", "! ')' is missing in 'node(m'"},
	{"", "m).x", "! '(' is missing in 'm).x'"},
	{"", "node(m)", "! what of node(m)? Write node(m).NAME, or node(m).* for all"},
	{"", "plant.node(m)", "! what of plant.node(m)? Write plant.node(m).NAME, or"},
	{"", "energy(grid).x", "! '.x' after 'energy(grid)' is too much"},
	{"", "power()", "! no port ''"},
	{"", "node((m)).x", "! what of node((m)? Write"},
};

static int primitive_of(const bxt_network *net, const char *path)
{
	for (size_t i = 0; i < net->n_primitives; i++)
		if (strcmp(net->primitives[i].path, path) == 0)
			return (int)i;
	return -1;
}

START_TEST(found)
{
	model m = model_of_text(torn);
	const bxt_network *net = m.system->net;
	bxt_arena *arena = bxt_arena_new();
	bxt_names n;
	bxt_names_begin(&n, net, arena);
	for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		bxt_designator d = {0};
		bxt_buffer text = {0};
		const int scope = primitive_of(net, scopes[i].scope);
		ck_assert_int_ge(scope, 0);
		if (bxt_names_find(&n, scope, scopes[i].name, &d) == BXT_NAME_GOOD)
			bxt_designator_print(net, 0, &d, &text);
		else
			bxt_buffer_printf(&text, "! %s", bxt_names_why(&n, "signal", true));
		const size_t length = strlen(scopes[i].full);
		ck_assert_msg(text.text[0] == '!' ? strncmp(text.text, scopes[i].full, length) == 0
						  : strcmp(text.text, scopes[i].full) == 0,
			      "'%s' in '%s': %s, not %s", scopes[i].name, scopes[i].scope,
			      text.text, scopes[i].full);
		bxt_buffer_free(&text);
	}
	bxt_names_end(&n);
	bxt_arena_free(arena);
	model_free(&m);
}
END_TEST

/* ---- The same in all places ---- */

/* <signal> may read it; <fix> and <symmetry> may name it; there is no such thing in the flat
 * netlist */
enum { READ = 1, MOVE = 2, GONE = 4 };

static const struct {
	int places;
	const char *full, *other[3];
} quantities[] = {
	{READ | MOVE, "plant.drive.C.q", {"drive.C.q", "C.q"}},
	{READ | MOVE, "node(plant.m).x", {"node(m).x", "plant.node(m).x"}},
	{READ, "plant.drive.C.i", {"drive.C.i", "C.i"}},
	{READ, "plant.drive.C.p", {"C.p"}},
	{READ, "plant.P.y.p", {"P.y.p"}},
	{READ, "node(plant.m).v", {"node(m).v", "plant.node(m).v"}},
	{READ, "node(plant.m).x.p", {"node(m).x.p", "plant.node(m).x.p"}},
	{READ,
	 "node(plant.drive.c).v",
	 {"drive.node(c).v", "plant.node(drive.c).v", "node(drive.c).v"}},
	{READ, "plant.P.r", {"P.r"}},
	{READ, "plant.Z.set.lambda", {"Z.set.lambda"}},
	{READ | GONE, "c1.lambda", {"c1.1.lambda"}},
	{READ, "energy(plant.P)", {"energy(P)", "plant.energy(P)"}},
	{READ | GONE, "energy(plant)", {"plant.energy()"}},
	{READ, "energy", {"energy()"}},
	{READ,
	 "power(plant.drive.C.p)",
	 {"power(C.p)", "drive.power(C.p)", "plant.drive.C.power(p)"}},
	{READ, "plant.level", {"level"}},
	{GONE, "power(grid.s)", {"grid.power(s)"}},
	{GONE, "plant.drive.s.i", {"drive.s.i"}},
	{0, "dissipated(grid.R)", {"dissipated(R)", "grid.dissipated(R)"}},
	{GONE, "supplied(plant)", {"plant.supplied()"}},
	{0, "noether(plant.P.rotation)", {"noether(rotation)", "plant.noether(P.rotation)"}},
	{0, "momentum(turn)", {NULL}},
	{0, "plant.drive.C.pc", {"C.pc"}},
	{GONE, "drift(connection)", {NULL}},
};

/* The netlist with a name in all places that take it. */
static char *everywhere(size_t quantity, const char *name)
{
	const int places = quantities[quantity].places;
	bxt_buffer text = {0};
	bxt_buffer_printf(&text,
			  "<netlist xmlns='urn:boxtimes:netlist:1'>"
			  "<simulation step='0.05 s' end='0.5 s'/>" TORN
			  "<in id='A'/><signal to='A.y'>1 + 2*%s</signal><record>%s</record>",
			  places & READ ? name : "t", name);
	if (places & MOVE)
		bxt_buffer_printf(&text,
				  "<fix of='%s'/><symmetry id='shift'><generator on='%s'>1 + 0*%s"
				  "</generator></symmetry>",
				  name, name, name);
	bxt_buffer_printf(&text, "</netlist>");
	ck_assert(!text.failed);
	return text.text;
}

static char *written(const bxt_netlist *n)
{
	bxt_netlist *one = NULL;
	char *text = NULL;
	size_t length = 0;
	FILE *f = open_memstream(&text, &length);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_netlist_canonical(n, &one), BXT_OK);
	ck_assert_int_eq(bxt_netlist_write(one, f), BXT_OK);
	fclose(f);
	bxt_netlist_free(one);
	return text;
}

/* Recorded under the full name, and read by the signal bit for bit. */
static void same_rows(model *m, model *full, const char *name)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL},
			  signal = {.size = sizeof(bxt_run_def), .record = "A.y"};
	char **names = NULL;
	size_t n = 0;
	ck_assert_int_eq(bxt_signal_names(m->system, &def, m->findings, &names, &n), BXT_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(names[0], name);
	bxt_signal_names_free(names, n);
	bxt_table *a = model_run(m, &signal, NULL), *b = model_run(full, &signal, NULL);
	ck_assert_uint_eq(bxt_table_rows(a), 11);
	for (size_t i = 0; i < bxt_table_rows(a); i++)
		ck_assert(bxt_table_value(a, i, 0) == bxt_table_value(b, i, 0));
	bxt_table_free(a);
	bxt_table_free(b);
}

static void same_places(const bxt_network *a, const bxt_network *b)
{
	ck_assert_uint_eq(a->n_fixes, b->n_fixes);
	for (size_t i = 0; i < a->n_fixes; i++) {
		ck_assert_int_eq(a->fixes[i].element, b->fixes[i].element);
		ck_assert_int_eq(a->fixes[i].node, b->fixes[i].node);
		ck_assert_int_eq(a->fixes[i].coordinate, b->fixes[i].coordinate);
	}
	ck_assert_uint_eq(a->n_symmetries, b->n_symmetries);
	for (size_t i = 0; i < a->n_symmetries; i++) {
		const bxt_net_symmetry *s = &a->symmetries[i], *z = &b->symmetries[i];
		ck_assert_int_eq(s->field->nl, z->field->nl);
		for (int k = 0; s->at && k < s->field->nl; k++) {
			ck_assert_int_eq(s->at[k].element, z->at[k].element);
			ck_assert_int_eq(s->at[k].node, z->at[k].node);
			ck_assert_int_eq(s->at[k].coordinate, z->at[k].coordinate);
		}
	}
}

/* Flat and torn again, however it was written. */
static void same_texts(const model *m, const model *full, const char *name, bool gone)
{
	const bxt_tear_def like = {.size = sizeof(bxt_tear_def), .like = full->netlist};
	const model *of[] = {m, full};
	char *text[2][2];
	for (int k = 0; k < 2; k++) {
		bxt_netlist *flat = NULL, *back = NULL;
		ck_assert_int_eq(
			bxt_netlist_flatten(of[k]->netlist, m->library, m->findings, &flat),
			BXT_OK);
		ck_assert_int_eq(bxt_netlist_tear(flat, m->library, &like, m->findings, &back),
				 BXT_OK);
		text[k][0] = written(flat);
		text[k][1] = written(back);
		bxt_netlist_free(flat);
		bxt_netlist_free(back);
	}
	char *before = written(full->netlist);
	ck_assert_str_eq(text[0][0], text[1][0]);
	ck_assert_str_eq(text[0][1], text[1][1]);
	ck_assert_msg(gone || strcmp(text[0][1], before) == 0, "%s:\n%s\n%s", name, text[0][1],
		      before);
	free(before);
	for (int k = 0; k < 4; k++)
		free(text[k / 2][k % 2]);
}

/* --map */
static void same_twins(const model *m, const model *full, const char *name, const char *other)
{
	const char *const map[] = {other, name};
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	bxt_twins twins = {0};
	ck_assert_int_eq(bxt_twins_find(m->system, full->system, &def, map, 1, m->findings, &twins),
			 BXT_OK);
	bool found = false;
	for (size_t i = 0; i < twins.n; i++)
		found = found || (strcmp(twins.twin[i].side[0].name, name) == 0 &&
				  strcmp(twins.twin[i].side[1].name, name) == 0);
	ck_assert_msg(found, "%s", other);
	bxt_twins_free(&twins);
}

START_TEST(in_all_places)
{
	for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
		const char *name = quantities[i].full;
		char *text = everywhere(i, name);
		model full = model_of_text(text);
		same_texts(&full, &full, name, quantities[i].places & GONE);
		for (size_t k = 0; k < 3 && quantities[i].other[k]; k++) {
			char *other = everywhere(i, quantities[i].other[k]);
			model m = model_of_text(other);
			same_rows(&m, &full, name);
			same_places(m.system->net, full.system->net);
			same_texts(&m, &full, name, quantities[i].places & GONE);
			same_twins(&m, &full, name, quantities[i].other[k]);
			model_free(&m);
			free(other);
		}
		model_free(&full);
		free(text);
	}
}
END_TEST

/* What is ambiguous or unknown is refused in each place, with both or with the nearest. */
START_TEST(refused_in_all_places)
{
	static const struct {
		const char *body, *words;
	} cases[] = {
#define BOTH "'s.i' is ambiguous: 2 match, 'grid.s' and 'plant.drive.s'; write more of the path"
#define TWINS                                                                                      \
	"<subsystem id='x'><mass id='M' a='m' m='1'/></subsystem>"                                 \
	"<subsystem id='y'><mass id='M' a='m' m='1'/></subsystem>"
		{"<record>s.i</record>", "record: " BOTH},
		{"<in id='A'/><signal to='A.y'>s.i</signal>", "<signal>: " BOTH},
		{TWINS "<fix node='x.m m'/>", "<fix>: 'm' is ambiguous: 3 match, 'plant.m' and"},
		{TWINS "<fix of='node(m).x'/>", "<fix>: 'm' is ambiguous: 3 match, 'plant.m' and"},
		{TWINS "<symmetry id='s'><generator on='node(m).x'>1</generator></symmetry>",
		 "<symmetry>: 'm' is ambiguous: 3 match"},
		{"<record>node(plant.n).v</record>", "(did you mean 'plant.m'?)"},
		{"<in id='A'/><signal to='A.y'>plant.node(m).vv</signal>",
		 "'plant.node(m).vv' of an element or a node (did you mean 'node(plant.m).v'?)"},
		{"<fix of='drive.C.qq'/>", "<fix>: 'drive.C' has no 'qq'"},
		{"<symmetry id='s'><generator on='C.i'>1</generator></symmetry>",
		 "<symmetry>: 'C.i' is a flow"},
		{"<in id='A'/><in id='B'/><signal to='A.y'>plant.node(m.x</signal>"
		 "<signal to='B.y'>1</signal>",
		 "<signal>: column"},
	};
	const char *folder = getenv("BOXTIMES_PATH");
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		model m = {.findings = bxt_diagnostics_new()};
		bxt_buffer text = {0};
		m.library = bxt_library_new(&folder, 1, m.findings);
		bxt_buffer_printf(&text,
				  "<netlist xmlns='urn:boxtimes:netlist:1'><simulation step='1 s' "
				  "end='1 s'/>" TORN "%s</netlist>",
				  cases[i].body);
		ck_assert_int_eq(bxt_netlist_read_memory(text.text, text.length, "test", m.findings,
							 &m.netlist),
				 BXT_OK);
		bxt_status status = bxt_system_compile(m.netlist, m.library, m.findings, &m.system);
		if (status == BXT_OK) {
			const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
			char **names = NULL;
			size_t n;
			status = bxt_signal_names(m.system, &def, m.findings, &names, &n);
		}
		ck_assert_int_eq(status, BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, cases[i].words), "%s: %s", cases[i].words,
			      bxt_diagnostics_get(m.findings, 0)->text);
		bxt_buffer_free(&text);
		model_free(&m);
	}
}
END_TEST

/* --map names both, too. */
START_TEST(ambiguous_map)
{
	static const char *const map[] = {"plant.drive.s.i", "s.i"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 1};
	model m = model_of_text(torn);
	bxt_twins twins = {0};
	ck_assert_int_eq(bxt_twins_find(m.system, m.system, &def, map, 1, m.findings, &twins),
			 BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR,
			      "map: in the second model 's.i' is ambiguous: 2 match, 'grid.s' and "
			      "'plant.drive.s'"));
	bxt_twins_free(&twins);
	model_free(&m);
}
END_TEST

/* Hostile texts cost time in proportion to their length, and no memory that stays. */
START_TEST(hostile)
{
	enum { N = 1 << 20 };
	static const char *const pieces[] = {"a.", "(", ")", "node(", "node(a).x.", ".", "x", "*"};
	model m = model_of_text(torn);
	bxt_arena *arena = bxt_arena_new();
	bxt_names n;
	char *text = malloc(N + 16);
	bxt_names_begin(&n, m.system->net, arena);
	for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
		bxt_designator d;
		size_t length = 0, call;
		while (length < N) {
			strcpy(text + length, pieces[i]);
			length += strlen(pieces[i]);
		}
		ck_assert_int_ne(bxt_names_find(&n, 0, text, &d), BXT_NAME_GOOD);
		ck_assert_uint_gt(strlen(bxt_names_why(&n, "signal", false)), 0);
		for (size_t at = 0; text[at]; at += call)
			at += bxt_name_find_call(text + at, &call);
	}
	free(text);
	bxt_names_end(&n);
	bxt_arena_free(arena);
	model_free(&m);
}
END_TEST

START_TEST(path_ends)
{
	ck_assert_int_eq(bxt_path_fits_text("a.b.R1", "a.b.R1"), BXT_PATH_WHOLE);
	ck_assert_int_eq(bxt_path_fits_text("a.b.R1", "b.R1"), BXT_PATH_END);
	ck_assert_int_eq(bxt_path_fits_text("a.bR1", "R1"), BXT_PATH_OTHER);
	ck_assert_int_eq(bxt_path_fits_text("R1", "a.R1"), BXT_PATH_OTHER);
	ck_assert_int_eq(bxt_path_fits_text("a.R1", ""), BXT_PATH_OTHER);
	ck_assert_int_eq(bxt_path_fits_text("a.R1", "a"), BXT_PATH_OTHER);
}
END_TEST

TEST_SUITE("designator")
{
	const test_case tests[] = {
		{"parsed", parsed},
		{"ends", ends},
		{"scanned", scanned},
		{"printed", printed},
		{"found", found},
		{"in_all_places", in_all_places},
		{"refused_in_all_places", refused_in_all_places},
		{"ambiguous_map", ambiguous_map},
		{"hostile", hostile},
		{"path_ends", path_ends},
	};
	ADD_TESTS(tests);
}
