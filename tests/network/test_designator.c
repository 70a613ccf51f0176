/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The language of names for quantities: parsed, found from a scope, printed, and the same in all
 * places that take names. */
#include "support/allocation.h"
#include "support/harness.h"

#include "network/designator.h"
#include "network/dirac.h"
#include "system/system.h"

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
static const char torn[] = NETLIST(
	PLANET RAIL IN
	"<subsystem id='grid'><voltage-source id='V' p='a' n='0' e='=2+sin(3*t)'/>"
	"<resistor id='R' p='a' n='b' R='2 ohm'/><port id='s' node='b'/></subsystem>"
	"<subsystem id='plant'><subsystem id='drive'><inductor id='L' p='c' n='d' L='0.1 H' "
	"i='0.2 A'/><capacitor id='C' p='d' n='0' C='0.3 F' q='0.1 C'/><port id='s' node='c'/>"
	"</subsystem><rail id='Z'/><planet id='P' x='1' vy='0.8'/><mass id='M' a='m' m='2 kg'/>"
	"<spring id='K' a='wall' b='m' k='3 N/m'/><node id='m' kind='translational' x='0.2 m'/>"
	"<signal id='level'>node(m).x + 1</signal></subsystem>"
	"<interconnection><connect id='c1' a='grid.s' b='plant.drive.s'/></interconnection>"
	"<symmetry id='turn'><generator on='plant.P.x'>-plant.P.y</generator>"
	"<generator on='plant.P.y'>plant.P.x</generator></symmetry>");

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
		ALL_OF(BXT_OWNER_ELEMENT, i, type->component->n_constraints, BXT_WORD_MULTIPLIER);
		ALL_OF(BXT_OWNER_ELEMENT, i, type->ml - type->n_constraint, BXT_WORD_POWER);
		ALL_OF(BXT_OWNER_ELEMENT, i, 1, BXT_WORD_ENERGY, BXT_WORD_DISSIPATED,
		       BXT_WORD_SUPPLIED, BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_nodes; i++) {
		if (net->nodes[i].kind->type == BXT_PORT_BALANCE)
			ALL_OF(BXT_OWNER_NODE, i, 1, BXT_WORD_EFFORT, BXT_WORD_ALL);
		else
			ALL_OF(BXT_OWNER_NODE, i, net->nodes[i].kind->n, BXT_WORD_COORDINATE,
			       BXT_WORD_FLOW, BXT_WORD_MOMENTUM, BXT_WORD_CENTRED, BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_ports; i++) {
		ALL_OF(BXT_OWNER_PORT, i, 1, BXT_WORD_COORDINATE, BXT_WORD_FLOW, BXT_WORD_POWER,
		       BXT_WORD_ALL);
	}
	for (size_t i = 0; i < net->n_connections; i++) {
		ALL_OF(BXT_OWNER_CONNECTION, i, 3, BXT_WORD_MULTIPLIER);
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

TEST_SUITE("designator")
{
	const test_case tests[] = {
		{"parsed", parsed}, {"scanned", scanned}, {"printed", printed},
		{"found", found},   {"hostile", hostile},
	};
	ADD_TESTS(tests);
}
