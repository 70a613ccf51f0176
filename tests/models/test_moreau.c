/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts in steps that end at none of their events, against closed forms. */
#include "ground/base/text.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double G = 9.81;

/* Runs with the scheme moreau; the energy that was exchanged balances to round-off. */
static bxt_table *run_in(model *m, double step, double end, bxt_summary *s)
{
	bxt_summary own = {.size = sizeof own};
	bxt_table *t = model_run(m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "moreau",
						.step = step,
						.end = end,
						.every = 1},
				 &own);
	const double most = fabs(own.total.start) + fabs(own.total.end) + fabs(own.total.supplied) +
			    fabs(own.total.dissipated) + own.energy_largest;
	ck_assert_double_le(fabs(own.total.residual), 1e-12 * most);
	if (s)
		*s = own;
	else
		bxt_summary_free(&own);
	return t;
}

static bxt_table *run(const char *xml, double step, double end)
{
	model m = model_of_text(xml);
	bxt_table *t = run_in(&m, step, end, NULL);
	model_free(&m);
	return t;
}

static void check_last(const bxt_table *t, const char *name, double value, double tolerance)
{
	const double last = last_value(t, name);
	ck_assert_msg(fabs(last - value) <= tolerance, "%s is %.17g, not %.17g", name, last, value);
}

/* ---- One contact ---- */

/* Before it lies a ball keeps the part e of its speed at each impact; steps of h err by O(h). */
START_TEST(ball)
{
	const double fall = sqrt(2 / G), e = 0.8, up = e * G * fall;
	double off[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_file("bouncing-ball.xml");
		const double step = k == 0 ? 1e-3 : 1e-4, t = 1 - fall;
		bxt_table *table = run_in(&m, step, 5, NULL);
		off[k] = fabs(value_at_time(table, 1, "node(b).y") - (up * t - G * t * t / 2));
		check_last(table, "node(b).vy", 0, 1e-6);
		check_last(table, "node(b).y", 0, 2 * G * fall * step);
		check_last(table, "floor.press.lambda", G, 1e-6);
		check_last(table, "node(b).x", 2.5, 1e-12);
		bxt_table_free(table);
		model_free(&m);
	}
	ck_assert_double_le(off[0], 4e-3);
	ck_assert_double_le(off[1], off[0] / 4);
}
END_TEST

/* Between impacts the midpoint rule: of free flight it errs nothing. Impacts with e = 1 keep the
 * energy to round-off, whatever the step. */
START_TEST(elastic)
{
	const char *const xml = NETLIST("<point-mass id=\"M\" a=\"b\" m=\"1 kg\" g=\"9.81 m/s2\"/>"
					"<ground-contact id=\"F\" a=\"b\" e=\"1\"/>"
					"<node id=\"b\" kind=\"planar\" y=\"1 m\"/>"
					"<record>node(b).y, energy, F.press.lambda</record>");
	bxt_table *t = run(xml, 7e-3, 10);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		ck_assert_double_eq_tol(bxt_table_value(t, i, 1), G, 1e-10);
	ck_assert(isnan(bxt_table_value(t, 0, 2))); /* means of steps: there was none */
	bxt_table_free(t);
}
END_TEST

/* A block that is pushed slides over mu m g alone, and comes to rest for good. */
START_TEST(block)
{
	const char *const xml = NETLIST(
		"<mass id=\"M\" a=\"m\" m=\"2 kg\"/>"
		"<coulomb-friction id=\"C\" a=\"wall\" b=\"m\" F=\"4 N\" Fs=\"6 N\"/>"
		"<force id=\"F\" a=\"wall\" b=\"m\" f=\"=if(t &lt; 1, 5.9, if(t &lt; 2, 7, 5))\"/>"
		"<record>node(m).x, node(m).v, C.grip.lambda, dissipated</record>");
	bxt_table *t = run(xml, 1e-2, 9);
	/* it holds 5.9 N; at rest until 1 s, then 1.5 m/s2 against 4 N, then 0.5 m/s2 */
	ck_assert_double_eq_tol(value_at_time(t, 1, "node(m).x"), 0, 1e-15);
	ck_assert_double_eq_tol(value_at_time(t, 1, "C.grip.lambda"), -5.9, 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 2, "node(m).v"), 1.5, 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 9, "node(m).v"), 1.5 + 0.5 * 7, 1e-11);
	check_last(t, "C.grip.lambda", -4, 1e-12);
	check_last(t, "dissipated", 4 * last_value(t, "node(m).x"), 1e-10);
	bxt_table_free(t);
}
END_TEST

/* ---- Many contacts ---- */

/* N masses fall on each other and lie: the stop below each carries all above. */
START_TEST(stack)
{
	enum { N = 60 };
	bxt_buffer xml = {0};
	double weight = 0;
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"stack\">"
				"<simulation step=\"1 ms\" end=\"4 s\"/>");
	for (int i = 0; i < N; i++) {
		const int m = 1 + i % 3;
		bxt_buffer_printf(
			&xml,
			"<mass id=\"M%d\" a=\"b%d\" m=\"%d kg\"/>"
			"<force id=\"G%d\" a=\"wall\" b=\"b%d\" f=\"%.17g N\"/>"
			"<end-stop id=\"S%d\" a=\"%s%.*d\" b=\"b%d\" d=\"0.1 m\" e=\"0.2\"/>"
			"<node id=\"b%d\" kind=\"translational\" x=\"%.17g m\"/>",
			i, i, m, i, i, -G * m, i, i ? "b" : "wall", i ? 1 : 0, i ? i - 1 : 0, i, i,
			0.102 * (i + 1));
		weight += G * m;
	}
	bxt_buffer_printf(&xml,
			  "<record>S0.stop.lambda, S30.stop.lambda, node(b%d).x, "
			  "node(b%d).v</record></netlist>",
			  N - 1, N - 1);
	ck_assert(!xml.failed);
	bxt_table *t = run(xml.text, 1e-3, 4);
	double above = 0;
	for (int i = 30; i < N; i++)
		above += G * (1 + i % 3);
	check_last(t, "S0.stop.lambda", weight, 1e-9 * weight);
	check_last(t, "S30.stop.lambda", above, 1e-9 * weight);
	check_last(t, "node(b59).v", 0, 1e-9);
	check_last(t, "node(b59).x", 0.1 * N, 0.05);
	bxt_table_free(t);
	bxt_buffer_free(&xml);
}
END_TEST

#define BOX(mu)                                                                                    \
	NETLIST("<rigid-body id=\"B\" a=\"b\" m=\"2 kg\" J=\"0.1 kg.m2\" g=\"9.81 m/s2\"/>"        \
		"<body-point id=\"P1\" a=\"b\" b=\"c1\" ax=\"-0.2 m\" ay=\"-0.1 m\"/>"             \
		"<body-point id=\"P2\" a=\"b\" b=\"c2\" ax=\"0.2 m\" ay=\"-0.1 m\"/>"              \
		"<ground-contact id=\"S1\" a=\"c1\" mu=\"" mu "\"/>"                               \
		"<ground-contact id=\"S2\" a=\"c2\" mu=\"" mu "\"/>"                               \
		"<node id=\"b\" kind=\"planar\" y=\"0.1 m\" vx=\"2 m/s\"/>"                        \
		"<record>node(b).x, node(b).y, node(b).vx, S1.press.lambda, S2.press.lambda, "     \
		"S1.rub.lambda, S2.rub.lambda</record>")

/*
 * A box slides on its two lower corners, without mass of their own. Friction presses on the front
 * one, by mu m g times the height of its middle over the distance of the corners. It stops after
 * v^2/(2 mu g), and at rest three rows hold for two that are needed.
 */
START_TEST(box)
{
	const double mu = 0.3, m = 2, front = m * G * (0.5 + mu * 0.1 / 0.4);
	double off[2];
	for (int k = 0; k < 2; k++) {
		bxt_table *t = run(BOX("0.3"), k == 0 ? 4e-3 : 2e-3, 2);
		ck_assert_double_eq_tol(value_at_time(t, 0.2, "S2.press.lambda"), front, 1e-10);
		ck_assert_double_eq_tol(value_at_time(t, 0.2, "S1.press.lambda"), m * G - front,
					1e-10);
		ck_assert_double_eq_tol(value_at_time(t, 0.2, "S2.rub.lambda"), -mu * front, 1e-10);
		check_last(t, "node(b).vx", 0, 1e-14);
		check_last(t, "node(b).y", 0.1, 1e-12);
		ck_assert_double_eq_tol(last_value(t, "S1.press.lambda") +
						last_value(t, "S2.press.lambda"),
					m * G, 1e-10);
		off[k] = fabs(last_value(t, "node(b).x") - 4 / (2 * mu * G));
		bxt_table_free(t);
	}
	ck_assert_double_le(fmax(off[0], off[1]), mu * G * 4e-3 * 4e-3);
}
END_TEST

#define PYRAMID(mu, floor)                                                                         \
	NETLIST("<rigid-body id=\"A\" a=\"a\" m=\"1 kg\" J=\"0.005 kg.m2\" g=\"9.81 m/s2\"/>"      \
		"<rigid-body id=\"B\" a=\"b\" m=\"1 kg\" J=\"0.005 kg.m2\" g=\"9.81 m/s2\"/>"      \
		"<rigid-body id=\"C\" a=\"c\" m=\"1 kg\" J=\"0.005 kg.m2\" g=\"9.81 m/s2\"/>"      \
		"<disk-contact id=\"FA\" a=\"a\" r=\"0.1 m\" mu=\"" floor "\"/>"                   \
		"<disk-contact id=\"FB\" a=\"b\" r=\"0.1 m\" mu=\"" floor "\"/>"                   \
		"<disk-disk-contact id=\"AC\" a=\"a\" b=\"c\" ra=\"0.1 m\" rb=\"0.1 m\" mu=\"" mu  \
		"\"/>"                                                                             \
		"<disk-disk-contact id=\"BC\" a=\"b\" b=\"c\" ra=\"0.1 m\" rb=\"0.1 m\" mu=\"" mu  \
		"\"/>"                                                                             \
		"<node id=\"a\" kind=\"planar\" x=\"-0.1 m\" y=\"0.1 m\"/>"                        \
		"<node id=\"b\" kind=\"planar\" x=\"0.1 m\" y=\"0.1 m\"/>"                         \
		"<node id=\"c\" kind=\"planar\" y=\"=0.1 + 0.1*sqrt(3)\"/>"                        \
		"<record>node(c).y, FA.press.lambda, AC.press.lambda, AC.rub.lambda</record>")

/*
 * Three disks, one on two: they stay where friction at the upper contacts is at least tan(15 deg) =
 * 0.26795, and at the floor a third of that. The balance of a lower disk: at its upper contact the
 * force lies halfway between the way to the centre and the vertical.
 */
START_TEST(disks)
{
	static const struct {
		const char *xml;
		bool stays;
	} cases[] = {{PYRAMID("0.269", "0.1"), true},
		     {PYRAMID("0.267", "0.1"), false},
		     {PYRAMID("0.3", "0.0899"), true},
		     {PYRAMID("0.3", "0.0888"), false}};
	const double angle = acos(-1) / 12;
	for (size_t k = 0; k < COUNT(cases); k++) {
		bxt_table *t = run(cases[k].xml, 2e-3, 1);
		const double fallen = 0.1 + 0.1 * sqrt(3) - last_value(t, "node(c).y");
		if (cases[k].stays) {
			ck_assert_double_le(fabs(fallen), 1e-14);
			check_last(t, "FA.press.lambda", 1.5 * G, 1e-9);
			check_last(t, "AC.press.lambda", 0.5 * G, 1e-9);
			check_last(t, "AC.rub.lambda", 0.5 * G * tan(angle), 1e-9);
		} else {
			ck_assert_double_ge(fallen, 0.005);
		}
		bxt_table_free(t);
	}
}
END_TEST

/* ---- What cannot be stepped so ---- */

static void check_refused(const char *xml, const bxt_run_def *def, const char *words)
{
	model m = model_of_text(xml);
	bxt_state *state = NULL;
	ck_assert_int_ne(bxt_initialize(m.system, def, m.findings, &state), BXT_OK);
	bool told = false;
	for (size_t i = 0; i < bxt_diagnostics_count(m.findings, BXT_NOTE); i++)
		told = told || strstr(bxt_diagnostics_get(m.findings, i)->text, words);
	ck_assert_msg(told, "not said: %s", words);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(refused)
{
	bxt_run_def def = {.size = sizeof def, .scheme = "moreau", .step = 1e-3, .end = 1};
	check_refused(NETLIST("<spring id=\"K\" a=\"wall\" b=\"m\" k=\"2 N/m\"/>"
			      "<damper id=\"D\" a=\"wall\" b=\"m\" c=\"2 N.s/m\"/>"
			      "<end-stop id=\"S\" a=\"wall\" b=\"m\"/>"
			      "<node id=\"m\" kind=\"translational\" x=\"1 m\"/>"),
		      &def, "S.stop moves node(m).v, which has none");
	check_refused(NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"1 V\"/>"
			      "<ideal-diode id=\"D\" p=\"a\" n=\"b\"/>"
			      "<resistor id=\"R\" p=\"b\" n=\"0\" R=\"1 ohm\"/>"),
		      &def, "moves D.i, which has none");
	check_refused(NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"1 V\"/>"
			      "<ideal-switch id=\"S\" p=\"a\" n=\"b\"/>"
			      "<resistor id=\"R\" p=\"b\" n=\"0\" R=\"1 ohm\"/>"
			      "<signal to=\"S.on\">1</signal>"),
		      &def, "ends no step at an event, as mode S.");
	def.tolerance = 1e-6;
	check_refused(NETLIST("<mass id=\"M\" a=\"m\" m=\"1 kg\"/>"
			      "<end-stop id=\"S\" a=\"wall\" b=\"m\"/>"),
		      &def, "it has no step control");
}
END_TEST

/*
 * A rod leans on the floor and slides into its contact, with more friction than any force could
 * serve (mu > 4/(3 sin th cos th) + tan th of a slender rod, Painleve's paradox): it jams. Its tip
 * stops at once, the moment of momentum about the tip stays, and from there the rod is a pendulum
 * that loses nothing: E = m g l sin th + (3/8) m (v sin th)^2. Away from the contact it slides on,
 * with m a = (g - l w' cos th), w' from N l (cos th + mu sin th) = -J w'.
 */
#define ROD                                                                                        \
	"<netlist xmlns='urn:boxtimes:netlist:1' name='rod'>"                                      \
	"<rigid-body id='B' a='b' m='1 kg' J='=1/3' g='9.81 m/s2'/>"                               \
	"<body-point id='P' a='b' b='c' ax='-1 m'/><ground-contact id='S' a='c' mu='2.5'/>"        \
	"<node id='b' kind='planar' x='%.17g m' y='%.17g m' theta='%.17g rad' vx='%g m/s'/>"       \
	"<record>node(c).x, node(b).theta, node(b).omega, energy</record></netlist>"

START_TEST(jams)
{
	static const char *const schemes[] = {"gauss2", "radau3", "moreau"};
	const double th = 0.7 + 0.15 * (_i / 6), v = _i % 2 ? 1 : -1;
	const char *scheme = schemes[_i / 2 % 3];
	const bool steps_over = strcmp(scheme, "moreau") == 0;
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, ROD, cos(th), sin(th), th, v);
	ck_assert(!xml.failed);
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = scheme,
				 .step = steps_over ? 2e-5 : 1e-3,
				 .end = 0.02};
	bxt_table *t = run_text(xml.text, &def);
	const size_t last = bxt_table_rows(t) - 1;
	const double close = steps_over ? 2e-4 : 1e-9;
	if (v < 0) {
		ck_assert_double_eq_tol(value_at(t, last, "energy"),
					G * sin(th) + 0.375 * sin(th) * sin(th), close);
		ck_assert_double_eq_tol(value_at(t, last, "node(c).x"), 0, close);
	} else { /* the tip is where it slid to, by the force at the begin */
		const double lever = cos(th) + 2.5 * sin(th);
		const double force = G / (1 + 3 * lever * cos(th)), turn = -3 * force * lever;
		const double slide = -2.5 * force + turn * sin(th), s = def.end;
		ck_assert_double_eq_tol(value_at(t, last, "node(b).omega"), turn * s,
					0.01 * fabs(turn * s));
		ck_assert_double_eq_tol(value_at(t, last, "node(c).x"), s + slide * s * s / 2,
					0.05 * s * s);
	}
	bxt_table_free(t);
	free(xml.text);
}
END_TEST

TEST_SUITE("moreau")
{
	const test_case tests[] = {
		{"ball", ball},       {"elastic", elastic},
		{"block", block},     {"stack", stack},
		{"box", box},         {"disks", disks},
		{"refused", refused}, {"jams", jams, .loops = 18},
	};
	ADD_TESTS(tests);
}
