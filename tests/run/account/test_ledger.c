/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of each element: what it receives through shared coordinates and bindings, where that
 * is known at all; momenta of shared nodes; steps that are halved.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const bxt_ledger_entry *entry(const bxt_summary *s, const char *kind, const char *path)
{
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].kind, kind) == 0 && strcmp(s->ledger[i].path, path) == 0)
			return &s->ledger[i];
	ck_abort_msg("no %s %s", kind, path);
	return NULL;
}

static bxt_summary summary_of(const char *text, const bxt_run_def *def)
{
	bxt_summary s;
	model m = model_of_text(text);
	bxt_table_free(model_run(&m, def, &s));
	model_free(&m);
	return s;
}

/* The account of a component closes to `tolerance`, or is not known and says so. */
static void ck_component(const bxt_summary *s, const char *path, bool known, double tolerance)
{
	const bxt_ledger_entry *e = entry(s, "component", path);
	if (known)
		ck_assert_msg(fabs(e->residual) <= tolerance, "%s: residual %g J, through %g J",
			      path, e->residual, e->through);
	else
		ck_assert_msg(isnan(e->through) && isnan(e->residual), "%s: through %g J", path,
			      e->through);
}

/* ---- Components ---- */

/*
 * Energies are quadratic: Gauss closes them exactly but for round-off, 5000 steps of 1e-16 of 300 J
 * that add up at random. The road is moved by displacements, which springs feel.
 */
START_TEST(test_quarter_car)
{
	const double tolerance = 1e-11;
	model m = model_of_file("examples/quarter-car.xml");
	bxt_summary s;
	bxt_table_free(
		model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "energy"}, &s));
	const bxt_ledger_entry *road = entry(&s, "component", "road");
	const char *const known[] = {"road", "tyre", "S", "D"}, *const unknown[] = {"Mw", "I",
										    "Mb"};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		ck_component(&s, known[i], true, tolerance);
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		ck_component(&s, unknown[i], false, 0);
	ck_assert_double_gt(road->supplied, 100); /* something was exchanged at all */
	ck_assert_double_eq_tol(road->through, -road->supplied, tolerance);
	ck_assert_double_eq_tol(entry(&s, "component", "D")->through,
				entry(&s, "component", "D")->dissipated, tolerance);
	ck_assert(s.total.projection != 0); /* there were displacements */
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* A source across capacitors moves charge along their loop after every step; its work closes the
 * balance, which gauss1 keeps exactly for quadratic energies. */
START_TEST(test_voltage_loop)
{
	model m = model_of_text(NETLIST("<voltage-source id='V' p='a' n='0' e='=sin(3*t)'/>"
					"<capacitor id='C' p='a' n='b' C='1 F'/>"
					"<capacitor id='D' p='b' n='0' C='2 F'/>"
					"<resistor id='R' p='b' n='0' R='3 ohm'/>"));
	bxt_summary s;
	bxt_table_free(model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.1, .end = 2}, &s));
	ck_assert_double_gt(fabs(s.total.projection), 1e-3);
	/* 20 steps of round-off of 0.1 J */
	ck_assert_double_eq_tol(s.total.residual, 0, 1e-15);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* No number, no word "nan": null. */
START_TEST(test_json)
{
	char *text = NULL;
	size_t size = 0;
	bxt_summary s =
		summary_of(NETLIST("<spring id=\"S\" a=\"wall\" b=\"m\" k=\"1 N/m\"/>"
				   "<mass id=\"M\" a=\"m\" m=\"1 kg\"/>"),
			   &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.1, .end = 1});
	FILE *f = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(bxt_summary_write_json(&s, f), BXT_OK);
	ck_assert_int_eq(bxt_summary_write_text(&s, f), BXT_OK);
	ck_assert_int_eq(fclose(f), 0);
	const char *mass = strstr(text, "\"M\": {");
	ck_assert_ptr_nonnull(mass);
	ck_assert(strstr(mass, "\"through_ports\": null, \"residual\": null}"));
	ck_assert(!strstr(text, "nan"));
	free(text);
	bxt_summary_free(&s);
}
END_TEST

/*
 * Two springs with nothing between them: the node is moved along W after each step, and a lever
 * hands on what it gets. Torn in two the halves close as well. Round-off of 1 J in 200 steps.
 */
START_TEST(test_moves)
{
	static const double tolerance = 1e-13;
	static const char *const known[] = {"u.S1", "w.S2", "w.D", "w.F"};
	bxt_summary s = summary_of(
		NETLIST("<subsystem id=\"u\"><mass id=\"M\" a=\"m\" m=\"1 kg\" />"
			"<node id=\"m\" kind=\"translational\" x=\"1 m\"/>"
			"<spring id=\"S1\" a=\"m\" b=\"e\" k=\"2 N/m\"/>"
			"<port id=\"p\" node=\"e\"/></subsystem>"
			"<subsystem id=\"w\"><spring id=\"S2\" a=\"e\" b=\"o\" k=\"3 N/m\"/>"
			"<damper id=\"D\" a=\"o\" b=\"wall\" c=\"0.1 N.s/m\"/>"
			"<mass id=\"M\" a=\"o\" m=\"2 kg\"/>"
			"<force id=\"F\" a=\"wall\" b=\"o\" f=\"=sin(t)\"/>"
			"<port id=\"p\" node=\"e\"/></subsystem><interconnection>"
			"<connect id=\"c\" a=\"u.p\" b=\"w.p\"/></interconnection>"),
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.1, .end = 20});
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		ck_component(&s, known[i], true, tolerance);
	ck_component(&s, "u.M", false, 0);
	ck_assert_double_gt(fabs(entry(&s, "component", "u.S1")->through), 0.01);
	ck_assert_double_le(fabs(entry(&s, "subsystem", "u")->residual), tolerance);
	ck_assert_double_le(fabs(entry(&s, "subsystem", "w")->residual), tolerance);
	bxt_summary_free(&s);
}
END_TEST

/* Rods and hinges that know no energy hand on all of it; the motor gives what it is supplied. */
/*
 * L = v^2/2 + x sin t from rest: v = 1 - cos t, x = t - sin t, and -dL/dt = -x cos t is supplied,
 * 1 - t sin t - cos t + sin^2 t/2 to t. The field is written in t, then as a parameter.
 */
START_TEST(test_lagrangian_of_time)
{
	static const char *const fields[] = {"x*sin(t)", "f*x"};
	const double t = 2, energy = pow(1 - cos(t), 2) / 2 - (t - sin(t)) * sin(t);
	const double given = 1 - t * sin(t) - cos(t) + pow(sin(t), 2) / 2;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		char text[1024];
		snprintf(text, sizeof text,
			 "<netlist xmlns=\"urn:boxtimes:netlist:1\">"
			 "<simulation end=\"2 s\" step=\"0.01 s\" scheme=\"gauss3\"/>"
			 "<component xmlns=\"urn:boxtimes:component:1\" name=\"driven\">"
			 "<parameter name=\"f\" unit=\"N\" time=\"true\"/>"
			 "<coordinate name=\"x\" unit=\"m\" flow=\"v\"/>"
			 "<lagrangian>v^2/2 + %s</lagrangian></component>"
			 "<driven id=\"D\" f=\"=sin(t)\"/><record>energy</record></netlist>",
			 fields[i]);
		bxt_summary s = summary_of(text, &(bxt_run_def){.size = sizeof(bxt_run_def)});
		ck_assert_double_eq_tol(s.total.end, energy, 1e-12);
		ck_assert_double_eq_tol(s.total.supplied, given, 1e-12);
		ck_component(&s, "D", true, 1e-12);
		bxt_summary_free(&s);
	}
}
END_TEST

START_TEST(test_mechanism)
{
	static const char *const known[] = {"P",    "rod",   "rack", "bore",
					    "coil", "motor", "load", "pull"};
	model m = model_of_file("crank-and-roller.xml");
	bxt_summary s;
	bxt_table_free(
		model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "energy"}, &s));
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) /* round-off of 116 J */
		ck_component(&s, known[i], true, 1e-11);
	ck_assert_double_gt(entry(&s, "component", "load")->through, 100);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/* A mutual inductance works on the windings' coordinates: neither's part of the power is known. */
START_TEST(test_bindings)
{
	bxt_summary s =
		summary_of(NETLIST("<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\" i=\"1 A\"/>"
				   "<inductor id=\"L2\" p=\"b\" n=\"0\" L=\"1 H\"/>"
				   "<inductor id=\"L3\" p=\"a\" n=\"0\" L=\"1 H\"/>"
				   "<mutual-inductance id=\"K\" a=\"L1\" b=\"L2\" M=\"0.5 H\"/>"
				   "<capacitor id=\"C\" p=\"a\" n=\"0\" C=\"1 F\"/>"
				   "<resistor id=\"R\" p=\"b\" n=\"0\" R=\"1 ohm\"/>"),
			   &(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.01, .end = 1});
	ck_component(&s, "L1", false, 0);
	ck_component(&s, "L2", false, 0);
	ck_component(&s, "K", false, 0);
	ck_component(&s, "L3", true, 1e-14); /* round-off of 1 J in 100 steps */
	ck_component(&s, "C", true, 1e-14);
	ck_component(&s, "R", true, 1e-14);
	bxt_summary_free(&s);
}
END_TEST

/* ---- Momenta of shared nodes ---- */

/* p = dL/dv of all that stands there: mass and inerter. */
START_TEST(test_node_momenta)
{
	bxt_table *t = run_text(
		NETLIST("<node id=\"a\" kind=\"translational\" x=\"1 m\" v=\"0.5 m/s\"/>"
			"<mass id=\"A\" a=\"a\" m=\"2 kg\"/><mass id=\"B\" a=\"b\" m=\"3 kg\"/>"
			"<inerter id=\"I\" a=\"a\" b=\"b\" B=\"4 kg\"/>"
			"<spring id=\"S\" a=\"a\" b=\"b\" k=\"5 N/m\"/>"
			"<record>node(a).x.p, node(b).x.p, node(a).x.pc, node(a).v, node(b).v"
			"</record>"),
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = 0.01, .end = 1});
	const size_t end = bxt_table_rows(t) - 1;
	ck_assert_double_eq_tol(value_at(t, 0, "node(a).x.p"), 2 * 0.5 + 4 * 0.5, 1e-15);
	ck_assert_double_eq_tol(value_at(t, 0, "node(b).x.p"), -4 * 0.5, 1e-15);
	/* flows are extrapolated to the grid point: sixth order in a quarter of the step */
	const double a = value_at(t, end, "node(a).v"), b = value_at(t, end, "node(b).v");
	ck_assert_double_eq_tol(value_at(t, end, "node(a).x.p"), 2 * a + 4 * (a - b), 1e-4);
	ck_assert_double_eq_tol(value_at(t, end, "node(b).x.p"), 3 * b + 4 * (b - a), 1e-4);
	/* no force from outside: the sum stays, to round-off of 100 steps */
	ck_assert_double_eq_tol(value_at(t, end, "node(a).x.p") + value_at(t, end, "node(b).x.p"),
				1, 1e-13);
	ck_assert_double_gt(fabs(value_at(t, end, "node(a).x.p") - 3), 0.1); /* it has changed */
	ck_assert_double_eq(value_at(t, end, "node(a).x.p"), value_at(t, end, "node(a).x.pc"));
	bxt_table_free(t);
}
END_TEST

/* Under dirac+ momenta are those before the impulse: a pendulum's differ by the rod's A^T mu / 2.
 */
START_TEST(test_node_momenta_centred)
{
	static const char text[] =
		NETLIST("<node id=\"e\" kind=\"planar\" x=\"0.6 m\" y=\"-0.8 m\"/>"
			"<point-mass id=\"M\" a=\"e\" m=\"2 kg\" g=\"9.81 m/s2\"/>"
			"<ground-rod id=\"R\" a=\"e\" l=\"1 m\"/>"
			"<record>node(e).x.p, node(e).x.pc, node(e).y.p, node(e).y.pc, node(e).x, "
			"node(e).y</record>");
	bxt_table *t = run_text(text, &(bxt_run_def){.size = sizeof(bxt_run_def),
						     .step = 0.01,
						     .end = 1,
						     .scheme = "dirac+"});
	const size_t end = bxt_table_rows(t) - 1;
	const double x = value_at(t, end, "node(e).x"), y = value_at(t, end, "node(e).y");
	const double dx = value_at(t, end, "node(e).x.p") - value_at(t, end, "node(e).x.pc");
	const double dy = value_at(t, end, "node(e).y.p") - value_at(t, end, "node(e).y.pc");
	ck_assert_double_gt(hypot(dx, dy), 1e-3); /* the rod's force, h/2 x 20 N */
	/* along the rod, as A at the middle of the next step is, h/2 x 3 rad/s further */
	ck_assert_double_le(fabs(dx * y - dy * x), 0.03 * hypot(dx, dy));
	bxt_table_free(t);
}
END_TEST

/* ---- Steps that are halved ---- */

/*
 * A motor turns a crank by up to 16 rad in a step: neither stages nor positions can be found then.
 * With halved steps the linkage stays closed, and the angle is what the motor says.
 */
START_TEST(test_halving)
{
	bxt_summary s;
	model m = model_of_text(
		NETLIST("<node id=\"c\" kind=\"planar\"/>"
			"<node id=\"p\" kind=\"planar\" x=\"2 m\" y=\"1 m\" theta=\"1.5 rad\"/>"
			"<rigid-body id=\"crank\" a=\"c\" m=\"1 kg\" J=\"1 kg.m2\"/>"
			"<pin id=\"axle\" a=\"c\"/>"
			"<prescribed-rotation id=\"motor\" a=\"wall\" b=\"c\" Theta=\"=t^2/2\"/>"
			"<rigid-body id=\"lever\" a=\"p\" m=\"1 kg\" J=\"1 kg.m2\"/>"
			"<pin id=\"pivot\" a=\"p\" X=\"2 m\" ax=\"-1 m\"/>"
			"<body-rod id=\"coupler\" a=\"c\" b=\"p\" ax=\"0.5 m\" l=\"2 m\"/>"));
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.step = 1.5,
						.end = 12,
						.record = "node(c).theta, node(p).x, node(p).y"},
				 &s);
	const double x = last_value(t, "node(p).x"), y = last_value(t, "node(p).y");
	ck_assert_int_gt(s.halvings, 0);
	ck_assert_int_eq(s.steps, 8);
	ck_assert_double_eq_tol(last_value(t, "node(c).theta"), 72, 1e-11); /* round-off of 72 */
	/* imposed to round-off of 12 m: the lever's and the coupler's length */
	ck_assert_double_eq_tol(hypot(x - 2, y), 1, 1e-12);
	ck_assert_double_eq_tol(hypot(x - 0.5 * cos(72), y - 0.5 * sin(72)), 2, 1e-11);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("ledger")
{
	const test_case tests[] = {
		{"voltage loop", test_voltage_loop},
		{"quarter car", test_quarter_car},
		{"JSON", test_json},
		{"moves", test_moves},
		{"mechanism", test_mechanism},
		{"mechanism", test_lagrangian_of_time},
		{"bindings", test_bindings},
		{"node momenta", test_node_momenta},
		{"node momenta, centred", test_node_momenta_centred},
		{"halving", test_halving, .slow = true},
	};
	ADD_TESTS(tests);
}
