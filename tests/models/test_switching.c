/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Switches, stops and friction against closed forms. Figures that are no formula here were found by
 * bisection of the closed form between two events.
 */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

typedef struct outcome {
	bxt_table *table;
	bxt_summary summary;
} outcome;

static void outcome_free(const outcome *o)
{
	bxt_summary summary = o->summary;
	bxt_summary_free(&summary);
	bxt_table_free(o->table);
}

static outcome run_model(model *m, bxt_run_def def)
{
	outcome o = {.summary = {.size = sizeof o.summary}};
	def.size = sizeof def;
	o.table = model_run(m, &def, &o.summary);
	return o;
}

static outcome run_netlist(const char *file, bxt_run_def def)
{
	model m = model_of_file(file);
	const outcome o = run_model(&m, def);
	model_free(&m);
	return o;
}

static outcome run_of(const char *xml, bxt_run_def def)
{
	model m = model_of_text(xml);
	const outcome o = run_model(&m, def);
	model_free(&m);
	return o;
}

/* How far the nearest jump is from that time: two rows have its time. */
static double to_event(const bxt_table *t, double time)
{
	double least = INFINITY;
	for (size_t i = 1; i < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i) == bxt_table_time(t, i - 1))
			least = fmin(least, fabs(bxt_table_time(t, i) - time));
	return least;
}

/* Energy that was exchanged balances to round-off. */
static void check_account(const outcome *o)
{
	const bxt_ledger_entry *total = &o->summary.total;
	const double most = fabs(total->start) + fabs(total->end) + fabs(total->supplied) +
			    fabs(total->dissipated) + o->summary.energy_largest;
	const double numerical = o->summary.taken.has_numerical ? o->summary.taken.numerical : 0;
	ck_assert_double_le(fabs(total->residual - numerical), 1e-12 * most);
}

/* ---- Impacts ---- */

START_TEST(ball_bounces)
{
	const double g = 9.81, e = 0.8, fall = sqrt(2 / g);
	const outcome o = run_netlist("bouncing-ball.xml", (bxt_run_def){.every = 1});
	ck_assert_double_le(to_event(o.table, fall), 1e-13);
	ck_assert_double_le(to_event(o.table, fall * (1 + 2 * e)), 1e-12);
	ck_assert_double_eq_tol(value_at_time(o.table, 1, "node(b).y"), 0.468004452526037, 1e-13);
	/* 0.125 J of it along the floor */
	ck_assert_double_eq_tol(value_at_time(o.table, 0.5, "energy"), 0.125 + g * e * e, 1e-12);
	/* it lies from 4.0637 s on */
	ck_assert_double_eq(value_at_time(o.table, 4.07, "node(b).vy"), 0);
	ck_assert_double_eq_tol(last_value(o.table, "node(b).y"), 0, 1e-12);
	ck_assert_double_eq_tol(last_value(o.table, "floor.press.lambda"), g, 1e-10);
	ck_assert_double_eq_tol(last_value(o.table, "node(b).x"), 2.5, 1e-12);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* Equal balls exchange their velocities: between impacts each swings as one of the five first
 * motions does, so that the first hit is that of a free swing, and the energy stays in one ball. */
START_TEST(cradle_exchanges)
{
	enum { BALLS = 5 };
	const double w = sqrt(4.905 / 0.1), X = -0.03;
	double x[BALLS] = {X}, v[BALLS] = {0}, t = 0;
	const double gap = 1e-4, until = 0.4;
	const outcome o = run_netlist(
		"newtons-cradle.xml",
		(bxt_run_def){
			.every = 1,
			.end = until,
			.record = "node(b1).x, node(b2).x, node(b3).x, node(b4).x, node(b5).x, "
				  "node(b1).v, node(b2).v, node(b3).v, node(b4).v, node(b5).v"});
	/* the exact motion: rotations with w, and exchanges where a gap closes */
	for (double h = 1e-5; t < until;) {
		double first = fmin(h, until - t);
		int hit = -1;
		for (int k = 0; k + 1 < BALLS; k++) {
			const double d = x[k + 1] - x[k] + gap, dv = v[k + 1] - v[k];
			const double c = (gap - d) / 1; /* d - gap swings about 0 */
			double lo = 0, hi = first;
#define GAP(s) (gap - c * cos(w * (s)) + dv / w * sin(w * (s)))
			if (GAP(hi) >= 0 || (d <= 1e-15 && dv >= 0))
				continue;
			for (int i = 0; i < 60; i++)
				*(GAP((lo + hi) / 2) < 0 ? &hi : &lo) = (lo + hi) / 2;
#undef GAP
			first = hi;
			hit = k;
		}
		for (int k = 0; k < BALLS; k++) {
			const double a = x[k], b = v[k];
			x[k] = a * cos(w * first) + b / w * sin(w * first);
			v[k] = b * cos(w * first) - a * w * sin(w * first);
		}
		t += first;
		if (hit >= 0) {
			const double swap = v[hit];
			v[hit] = v[hit + 1];
			v[hit + 1] = swap;
		}
	}
	for (int k = 0; k < BALLS; k++) {
		char name[32];
		snprintf(name, sizeof name, "node(b%d).x", k + 1);
		ck_assert_double_eq_tol(last_value(o.table, name), x[k], 1e-8);
		snprintf(name, sizeof name, "node(b%d).v", k + 1);
		ck_assert_double_eq_tol(last_value(o.table, name), v[k], 1e-7);
	}
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* ---- Orders ---- */

typedef struct ladder {
	const char *scheme;
	double step, order; /* and half the step */
} ladder;

static double error_of(const char *xml, const char *file, const ladder *l, double step,
		       const char *signal, double end, double value)
{
	const bxt_run_def def = {
		.scheme = l->scheme, .step = step, .end = end, .record = signal, .every = 1};
	const outcome o = xml ? run_of(xml, def) : run_netlist(file, def);
	const double off = fabs(last_value(o.table, signal) - value);
	outcome_free(&o);
	return off;
}

static void check_order(const char *xml, const char *file, const ladder *l, const char *signal,
			double end, double value)
{
	const double coarse = error_of(xml, file, l, l->step, signal, end, value);
	const double fine = error_of(xml, file, l, l->step / 2, signal, end, value);
	ck_assert_msg(fabs(log2(coarse / fine) - l->order) < 0.25, "%s: %g, then %g: order %g",
		      l->scheme, coarse, fine, log2(coarse / fine));
}

START_TEST(belt_keeps_orders)
{
	static const ladder each[] = {{"gauss1", 0.125, 2},
				      {"gauss2", 0.125, 4},
				      {"gauss3", 0.25, 6},
				      {"radau2", 0.125, 3},
				      {"radau3", 0.25, 5}};
	check_order(NULL, "stick-slip-belt.xml", &each[_i], "node(block).x", 10, 1.119792892424646);
}
END_TEST

#define PENDULUM                                                                                   \
	NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"bob\" domain=\"test\">"      \
		"<coordinate name=\"x\" unit=\"m\" flow=\"vx\"/>"                                  \
		"<coordinate name=\"y\" unit=\"m\" flow=\"vy\"/>"                                  \
		"<lagrangian>(vx^2 + vy^2)/2 - 9.81*y</lagrangian>"                                \
		"<constraint name=\"rod\" kind=\"position\">(x^2 + y^2 - 1)/2</constraint>"        \
		"<constraint name=\"wall\" kind=\"position\" side=\"above\" restitution=\"0.7\">"  \
		"x - 0.5</constraint></component><bob id=\"P\" x=\"1 m\" y=\"0 m\"/>")

START_TEST(pendulum_keeps_orders)
{
	static const ladder each[] = {{"gauss1", 0.025, 2},
				      {"gauss2", 0.025, 4},
				      {"gauss3", 0.05, 6},
				      {"radau2", 0.025, 3},
				      {"radau3", 0.05, 5}};
	check_order(PENDULUM, NULL, &each[_i], "P.x", 1, 0.848799030744);
}
END_TEST

START_TEST(pendulum_hits_wall)
{
	const outcome o = run_of(PENDULUM, (bxt_run_def){.scheme = "gauss3",
							 .step = 2e-3,
							 .end = 1,
							 .every = 1,
							 .record = "P.x, energy"});
	ck_assert_double_le(to_event(o.table, 0.470912592316), 1e-12);
	ck_assert_double_eq_tol(last_value(o.table, "P.x"), 0.848799030744, 1e-11);
	ck_assert_double_eq_tol(last_value(o.table, "energy"), -4.332811697674, 1e-11);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* ---- Friction ---- */

START_TEST(belt_sticks_and_slips)
{
	const outcome o =
		run_netlist("stick-slip-belt.xml", (bxt_run_def){.scheme = "gauss3", .every = 1});
	const double period = 6.712388980384690, release = 2; /* 1 N at 1 m, at 0.5 m/s */
	ck_assert_double_le(to_event(o.table, release), 1e-12);
	ck_assert_double_le(to_event(o.table, release + period), 1e-11);
	ck_assert_double_le(to_event(o.table, release + 2 * period), 1e-11);
	ck_assert_double_eq_tol(value_at_time(o.table, 10, "node(block).x"), 1.119792892424646,
				1e-11);
	/* sticking is exact */
	ck_assert_double_eq_tol(value_at_time(o.table, 1, "node(block).v"), 0.5, 1e-15);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

START_TEST(belt_with_tolerance)
{
	static const double tolerances[] = {1e-4, 1e-6, 1e-8};
	const outcome o = run_netlist(
		"stick-slip-belt.xml",
		(bxt_run_def){
			.scheme = "radau3", .tolerance = tolerances[_i], .end = 10, .every = 1});
	ck_assert_double_eq_tol(last_value(o.table, "node(block).x"), 1.119792892424646,
				tolerances[_i] / 100);
	ck_assert_double_le(to_event(o.table, 2 + 6.712388980384690), tolerances[_i] / 100);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* Events of the finer run have other times: those rows count for nothing. */
START_TEST(accuracy_is_estimated)
{
	bxt_accuracy *a;
	size_t n;
	const outcome coarse = run_netlist("backlash-drive.xml", (bxt_run_def){.every = 1});
	const outcome fine = run_netlist(
		"backlash-drive.xml", (bxt_run_def){.step = coarse.summary.step / 2, .every = 2});
	ck_assert_uint_ne(bxt_table_rows(coarse.table), bxt_table_rows(fine.table));
	ck_assert_int_eq(bxt_estimate_accuracy(coarse.table, fine.table, 4, NULL, &a, &n), BXT_OK);
	ck_assert_uint_eq(n, bxt_table_columns(coarse.table));
	for (size_t j = 0; j < n; j++)
		ck_assert_msg(a[j].error <= 1e-8 * a[j].range, "%s", a[j].name);
	free(a);
	outcome_free(&coarse);
	outcome_free(&fine);
}
END_TEST

START_TEST(clutch_locks)
{
	const outcome o = run_netlist("slipping-clutch.xml", (bxt_run_def){.every = 1});
	ck_assert_double_eq_tol(last_value(o.table, "node(engine).omega"), 100.0 / 3, 1e-11);
	ck_assert_double_eq_tol(last_value(o.table, "node(load).omega"), 100.0 / 3, 1e-11);
	ck_assert_double_eq_tol(last_value(o.table, "dissipated"), 1e4 / 3, 1e-9);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* ---- Diodes and thyristors ---- */

START_TEST(half_wave)
{
	const outcome o = run_netlist("half-wave-rectifier.xml",
				      (bxt_run_def){.scheme = "gauss3", .every = 1});
	/* off it decays from where it opened, which is no jump */
	const double off = 0.005101286984;
	ck_assert_double_eq_tol(value_at_time(o.table, 0.02, "node(out).v"),
				10 * sin(100 * PI * off) * exp((off - 0.02) / 0.1), 1e-10);
	ck_assert_double_le(to_event(o.table, 0.023142455618), 1e-11);
	ck_assert_double_eq_tol(last_value(o.table, "node(out).v"), 9.517113636579, 1e-10);
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* L i' + R i = V sin(w t) from the gate at the angle a: the current of the closed form, and the
 * angle b at which it is zero again, by bisection. */
START_TEST(thyristors_conduct)
{
	const double V = 325, R = 10, L = 0.02, w = 100 * PI, a = PI / 3;
	const double Z = hypot(R, w * L), phi = atan(w * L / R), rate = R / (w * L);
#define CURRENT(b) (V / Z * (sin((b)-phi) - sin(a - phi) * exp(-((b)-a) * rate)))
	double lo = PI, hi = 2 * PI;
	for (int i = 0; i < 100; i++)
		*(CURRENT((lo + hi) / 2) > 0 ? &lo : &hi) = (lo + hi) / 2;
	const outcome o =
		run_netlist("thyristor-bridge.xml", (bxt_run_def){.scheme = "gauss3", .every = 1});
	ck_assert_double_le(to_event(o.table, lo / w), 1e-12);
	for (int k = 0; k < 5; k++) { /* every half period the same */
		const double from = 0.01 * k;
		ck_assert_double_eq_tol(value_at_time(o.table, from + 6e-3, "L.i"),
					CURRENT(w * 6e-3), 1e-9);
		ck_assert_double_eq_tol(value_at_time(o.table, from + 3e-3, "L.i"), 0, 1e-12);
	}
#undef CURRENT
	check_account(&o);
	outcome_free(&o);
}
END_TEST

/* A switch keeps v between two levels, v' = 10 - 2 v closed and -v open: hundreds of times in one
 * interval of rows, which steps of controlled size resolve. */
START_TEST(many_events_between_rows)
{
	static const char xml[] = NETLIST(
		"<simulation end=\"10 s\" step=\"10 s\" scheme=\"radau3\" tolerance=\"1e-8\"/>"
		"<component xmlns=\"urn:boxtimes:component:1\" name=\"thermostat\" "
		"domain=\"electrical\"><signal name=\"on\" unit=\"V\"/>"
		"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"
		"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"
		"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"
		"<mode name=\"closed\" initial=\"1\"><on when=\"on &lt; 0.5\"/>"
		"<off when=\"on &gt; 0.52\"/></mode>"
		"<constraint name=\"open\" kind=\"flow\" while=\"not closed\">i</constraint>"
		"</component><voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"10 V\"/>"
		"<resistor id=\"R\" p=\"a\" n=\"b\" R=\"1 ohm\"/>"
		"<thermostat id=\"S\" p=\"b\" n=\"c\"/><signal to=\"S.on\">node(c).v</signal>"
		"<capacitor id=\"C\" p=\"c\" n=\"0\" C=\"1 F\"/>"
		"<resistor id=\"R2\" p=\"c\" n=\"0\" R=\"1 ohm\"/>"
		"<record>node(c).v</record>");
	const double rise = log(4.5 / 4.48) / 2, fall = log(0.52 / 0.5);
	const double first = log(5 / 4.48) / 2, phase = fmod(10 - first, rise + fall);
	const double v = phase < fall ? 0.52 * exp(-phase) : 5 - 4.5 * exp(-2 * (phase - fall));
	const outcome o = run_of(xml, (bxt_run_def){0});
	ck_assert_int_eq(o.summary.taken.at_states,
			 1 + 2 * (int)((10 - first) / (rise + fall)) + (phase >= fall));
	ck_assert_double_eq_tol(value_at_time(o.table, 10, "node(c).v"), v, 1e-7);
	outcome_free(&o);
}
END_TEST

TEST_SUITE("switching")
{
	const test_case tests[] = {{"ball", ball_bounces},
				   {"cradle", cradle_exchanges},
				   {"orders of the belt", belt_keeps_orders, .loops = 5},
				   {"orders of the pendulum", pendulum_keeps_orders, .loops = 5},
				   {"pendulum", pendulum_hits_wall},
				   {"belt", belt_sticks_and_slips},
				   {"belt with a tolerance", belt_with_tolerance, .loops = 3},
				   {"accuracy", accuracy_is_estimated},
				   {"clutch", clutch_locks},
				   {"half wave", half_wave},
				   {"thyristors", thyristors_conduct},
				   {"many events between rows", many_events_between_rows}};
	ADD_TESTS(tests);
}
