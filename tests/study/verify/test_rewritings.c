/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Structure written otherwise is the same system: a gyrator as a two-form, with its ports
 * exchanged, as an element; a transformer as a row, as an element; rows with a factor. With another
 * sign or ratio it is another one. Which of the two an element in the place of an interconnection
 * is, its equations say, and two runs confirm it.
 */
#include "support/verify_checks.h"

#include "ground/base/text.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIMES "<simulation step='0.01 s' end='1 s'/>"
#define LEFT                                                                                       \
	"<subsystem id='x'><resistor id='R1' p='a' n='0' R='1 ohm'/>"                              \
	"<capacitor id='C1' p='a' n='0' C='1 F' q='1 C'/><port id='s' node='a'/></subsystem>"
#define RIGHT                                                                                      \
	"<subsystem id='y'><inductor id='L2' p='b' n='c' L='2 H'/>"                                \
	"<resistor id='R2' p='c' n='0' R='3 ohm'/><capacitor id='C2' p='b' n='0' C='1 F'/>"        \
	"<port id='s' node='b'/></subsystem>"
/* the same in one piece, with what joins them as elements */
#define WHOLE                                                                                      \
	"<resistor id='R1' p='a' n='0' R='1 ohm'/><capacitor id='C1' p='a' n='0' C='1 F' "         \
	"q='1 C'/><inductor id='L2' p='b' n='c' L='2 H'/><resistor id='R2' p='c' n='0' "           \
	"R='3 ohm'/><capacitor id='C2' p='b' n='0' C='1 F'/>"
/* what a transformer may join without a loop of capacitors */
#define APART                                                                                      \
	"<resistor id='R1' p='a' n='0' R='1 ohm'/><capacitor id='C1' p='a' n='0' C='1 F' "         \
	"q='1 C'/><inductor id='L2' p='b' n='c' L='2 H'/><resistor id='R2' p='c' n='0' "           \
	"R='3 ohm'/>"
#define JOINED(by) NETLIST(TIMES LEFT RIGHT "<interconnection>" by "</interconnection>")

static const struct {
	const char *a, *b;
	bool same;
} pairs[] = {
	/* gyrators */
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 JOINED("<gyrator id='g' a='y.s' b='x.s' ratio='-2 ohm'/>"), true},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 JOINED("<gyrator id='g' a='y.s' b='x.s' ratio='2 ohm'/>"), false},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2.000001 ohm'/>"), false},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 JOINED("<gyrator id='other' a='x.s' b='y.s' ratio='2 ohm'/>"), true},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 kohm'/>"),
	 JOINED("<omega id='g' flows='x.s.i y.s.i'>0, 2000; -2000, 0</omega>"), true},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 mohm'/>"),
	 JOINED("<omega id='w' flows='y.s.i x.s.i'>0, -0.002; 0.002, 0</omega>"), true},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 JOINED("<omega id='w' flows='y.s.i x.s.i'>0, 2; -2, 0</omega>"), false},
	/* v1 = r i2 of the component: its current into p is that out of the subsystem */
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 NETLIST(TIMES WHOLE "<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='2 ohm'/>"), true},
	{JOINED("<gyrator id='g' a='x.s' b='y.s' ratio='2 ohm'/>"),
	 NETLIST(TIMES WHOLE "<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='-2 ohm'/>"), false},
	{NETLIST(TIMES WHOLE "<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='2 ohm'/>"),
	 NETLIST(TIMES WHOLE "<gyrator id='H' p1='b' n1='0' p2='a' n2='0' r='-2 ohm'/>"), true},
	{NETLIST(TIMES WHOLE "<gyrator id='G' p1='a' n1='0' p2='b' n2='0' r='2 ohm'/>"),
	 NETLIST(TIMES WHOLE "<gyrator id='H' p1='0' n1='a' p2='0' n2='b' r='2 ohm'/>"), true},
	/* two gyrators are a transformer: v1 = r i2', v2' = -r i1, v2' = s i3, v3 = -s i2' */
	{NETLIST(TIMES APART "<gyrator id='G' p1='a' n1='0' p2='m' n2='0' r='2 ohm'/>"
			     "<gyrator id='H' p1='m' n1='0' p2='b' n2='0' r='1 ohm'/>"),
	 NETLIST(TIMES APART "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='2'/>"), true},
	{NETLIST(TIMES APART "<gyrator id='G' p1='a' n1='0' p2='m' n2='0' r='2 ohm'/>"
			     "<gyrator id='H' p1='m' n1='0' p2='b' n2='0' r='1 ohm'/>"),
	 NETLIST(TIMES APART "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='-2'/>"), false},
	/* transformers: i_a = ratio i_b, and of the component i2 = -n i1 */
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"),
	 JOINED("<sigma id='tr'>y.s.i + 2*x.s.i</sigma>"), true},
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"),
	 JOINED("<sigma id='tr'>y.s.i - 2*x.s.i</sigma>"), false},
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"),
	 JOINED("<sigma id='sg'>-1e7*x.s.i - 5e6*y.s.i</sigma>"), true},
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"),
	 NETLIST(TIMES WHOLE "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='2'/>"), true},
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"),
	 NETLIST(TIMES WHOLE "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='-2'/>"), false},
	{NETLIST(TIMES WHOLE "<transformer id='T' p1='a' n1='0' p2='b' n2='0' n='2'/>"),
	 NETLIST(TIMES WHOLE "<transformer id='U' p1='b' n1='0' p2='a' n2='0' n='0.5'/>"), true},
	/* without it they are two systems */
	{JOINED("<transformer id='tr' a='y.s' b='x.s' ratio='-2'/>"), NETLIST(TIMES WHOLE), false},
	{JOINED("<gyrator id='g' a='y.s' b='x.s' ratio='2 ohm'/>"), NETLIST(TIMES WHOLE), false},
};

/* The charge of L2 at the end: its sign is that of the coupling. */
static double run_end(model *m)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.record = "L2.q";
	bxt_table *t = model_run(m, &def, NULL);
	const double q = bxt_table_value(t, bxt_table_rows(t) - 1, 0);
	bxt_table_free(t);
	return q;
}

START_TEST(structures)
{
	model m[2] = {model_of_text(pairs[_i].a), model_of_text(pairs[_i].b)};
	const double a = run_end(&m[0]), b = run_end(&m[1]);
	ck_assert_msg((fabs(a - b) <= 1e-12) == pairs[_i].same, "the runs end at %.17g, %.17g", a,
		      b);
	for (int k = 0; k < 2; k++) {
		bxt_verification *v = verify_both(&m[k], &m[1 - k]);
		if (v->passed != pairs[_i].same)
			verify_tell(v, pairs[_i].b);
		ck_assert_int_eq(v->passed, pairs[_i].same);
		bxt_verification_free(v);
	}
	model_free(&m[0]);
	model_free(&m[1]);
}
END_TEST

/* A row with a factor, also one that depends on the state; but not one that is another row. */
#define SLED(row)                                                                                  \
	"<component xmlns='urn:boxtimes:component:1' name='sled'>"                                 \
	"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' flow='vy'/>"       \
	"<lagrangian>vx^2/2 + vy^2/2 - cos(x)</lagrangian>" row "</component><sled id='S'/>"
#define FLOW(text) SLED("<constraint name='c' kind='flow'>" text "</constraint>")
#define PLACE(text) SLED("<constraint name='c' kind='position'>" text "</constraint>")

static const struct {
	const char *a, *b;
	bool same;
} rows[] = {
	{FLOW("vx - x*vy"), FLOW("-3*vx + 3*x*vy"), true},
	{FLOW("vx - x*vy"), FLOW("(2 + sin(y))*(vx - x*vy)"), true},
	{FLOW("vx - x*vy - 1"), FLOW("(2 + sin(y))*(vx - x*vy - 1)"), true},
	{FLOW("vx - x*vy - 1"), FLOW("2*(vx - x*vy) - 1"), false},
	{FLOW("vx - x*vy - 1"), FLOW("1 - vx + x*vy"), true},
	{FLOW("vx - x*vy"), FLOW("vx + x*vy"), false},
	{PLACE("x - y"), PLACE("1000*y - 1000*x"), true},
	{PLACE("x - y"), PLACE("2*x - 2*y - 1"), false},
	{PLACE("x^2 + y^2 - 4"), PLACE("8 - 2*x^2 - 2*y^2"), true},
	{PLACE("x^2 + y^2 - 4"), PLACE("8.00001 - 2*x^2 - 2*y^2"), false},
};

START_TEST(factors)
{
	bxt_buffer text[2] = {{0}, {0}};
	model m[2];
	for (int k = 0; k < 2; k++) {
		bxt_buffer_printf(&text[k],
				  "<netlist xmlns='urn:boxtimes:netlist:1'>" TIMES "%s</netlist>",
				  k ? rows[_i].b : rows[_i].a);
		m[k] = model_of_text(text[k].text);
	}
	for (int k = 0; k < 2; k++) {
		bxt_verification *v = verify_both(&m[k], &m[1 - k]);
		if (v->passed != rows[_i].same)
			verify_tell(v, rows[_i].b);
		ck_assert_int_eq(v->passed, rows[_i].same);
		bxt_verification_free(v);
	}
	for (int k = 0; k < 2; k++) {
		model_free(&m[k]);
		bxt_buffer_free(&text[k]);
	}
}
END_TEST

/* Where the two models start. */
#define OSCILLATOR(at, flow)                                                                       \
	NETLIST(TIMES "<mass id='m' a='n' m='2 kg'/><spring id='k' a='n' b='wall' k='1 N/m'/>"     \
		      "<node id='n' kind='translational' " at " " flow "/>")
#define TORN(left, right)                                                                          \
	NETLIST(TIMES "<subsystem id='l'><mass id='m' a='n' m='2 kg'/><node id='n' "               \
		      "kind='translational' " left "/>"                                            \
		      "<port id='s' node='n'/></subsystem><subsystem id='r'><spring id='k' a='n' " \
		      "b='wall' k='1 N/m'/><node id='n' kind='translational' " right               \
		      "/><port id='s' node='n'/>"                                                  \
		      "</subsystem><interconnection><connect a='l.s' b='r.s'/></interconnection>")

static const struct {
	const char *a, *b, *words; /* NULL: the same */
} starts[] = {
	{OSCILLATOR("x='1 m'", ""), OSCILLATOR("x='100 cm'", "v='0 m/s'"), NULL},
	{OSCILLATOR("x='1 m'", ""), OSCILLATOR("x='1.000001 m'", ""), "node(n).x starts at 1 in A"},
	{OSCILLATOR("x='1 m'", ""), OSCILLATOR("", ""), "node(n).x starts at 1 in A, at 0 in B"},
	{OSCILLATOR("x='1 m'", ""), OSCILLATOR("x='1 m'", "v='1 mm/s'"),
	 "the flow of node(n).x starts at 0 in A, at 0.001 in B"},
	{OSCILLATOR("x='1 m'", "v='2 m/s'"), TORN("x='1 m' v='2 m/s'", ""), NULL},
	{OSCILLATOR("x='1 m'", "v='2 m/s'"), TORN("v='2 m/s'", "x='1 m'"), NULL},
	{OSCILLATOR("x='1 m'", "v='2 m/s'"), TORN("v='2 m/s'", "x='1.1 m'"), "node(n).x starts"},
};

START_TEST(same_start)
{
	model m[2] = {model_of_text(starts[_i].a), model_of_text(starts[_i].b)};
	bxt_verification *v = verify_both(&m[0], &m[1]);
	const bxt_verify_check *c = verify_check_of(v, "same start");
	if (v->passed != !starts[_i].words)
		verify_tell(v, starts[_i].b);
	ck_assert_int_eq(v->passed, !starts[_i].words);
	ck_assert_ptr_nonnull(c);
	if (starts[_i].words)
		ck_assert_msg(strstr(c->text, starts[_i].words), "%s", c->text);
	bxt_verification_free(v);
	model_free(&m[0]);
	model_free(&m[1]);
}
END_TEST

TEST_SUITE("rewritings")
{
	const test_case tests[] = {
		{"structures", structures, .loops = COUNT(pairs)},
		{"factors", factors, .loops = COUNT(rows)},
		{"same start", same_start, .loops = COUNT(starts)},
	};
	ADD_TESTS(tests);
}
