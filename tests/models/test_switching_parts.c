/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The components that switch, stop or rub, one by one, against closed forms. */
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846, G = 9.81;

static bxt_table *run(const char *xml, double step, double end)
{
	bxt_summary s = {.size = sizeof s};
	model m = model_of_text(xml);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss3",
						.step = step,
						.end = end,
						.every = 1},
				 &s);
	const double most = fabs(s.total.start) + fabs(s.total.end) + fabs(s.total.supplied) +
			    fabs(s.total.dissipated) + s.energy_largest;
	ck_assert_double_le(fabs(s.total.residual), 1e-12 * most);
	bxt_summary_free(&s);
	model_free(&m);
	return t;
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

static void check_last(const bxt_table *t, const char *name, double value, double tolerance)
{
	const double last = last_value(t, name);
	ck_assert_msg(fabs(last - value) <= tolerance, "%s is %.17g, not %.17g", name, last, value);
}

/* ---- Dry friction ---- */

#define INCLINE(mu, start)                                                                         \
	NETLIST("<point-mass id=\"M\" a=\"b\" m=\"2 kg\" g=\"9.81 m/s2\"/>"                        \
		"<ground-contact id=\"S\" a=\"b\" slope=\"0.3 rad\" mu=\"" mu "\"/>"               \
		"<node id=\"b\" kind=\"planar\" " start "/>"                                       \
		"<record>node(b).x, node(b).y, S.press.lambda, S.rub.lambda</record>")

/* atan(0.31) = 0.3006, atan(0.3) = 0.2915 */
START_TEST(incline)
{
	const double a = 0.3, cross = 2 * G * cos(a), along = 2 * G * sin(a);
	bxt_table *t = run(INCLINE("0.31", ""), 0.02, 1);
	check_last(t, "node(b).x", 0, 1e-15);
	check_last(t, "S.press.lambda", cross, 1e-13);
	check_last(t, "S.rub.lambda", along, 1e-13);
	bxt_table_free(t);
	t = run(INCLINE("0.3", ""), 0.02, 1);
	const double way = -G * (sin(a) - 0.3 * cos(a)) / 2;
	check_last(t, "node(b).x", way * cos(a), 1e-14);
	check_last(t, "node(b).y", way * sin(a), 1e-14);
	check_last(t, "S.rub.lambda", 0.3 * cross, 1e-13);
	bxt_table_free(t);
	/* up it comes to rest, and stays there */
	t = run(INCLINE("0.4", "vx=\"=cos(0.3)\" vy=\"=sin(0.3)\""), 0.02, 1);
	const double slows = G * (sin(a) + 0.4 * cos(a));
	ck_assert_double_le(to_event(t, 1 / slows), 1e-12);
	check_last(t, "node(b).x", cos(a) / (2 * slows), 1e-13);
	check_last(t, "S.rub.lambda", along, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* Two equal balls, one of which meets the other at 30 degrees from the line of centres: it keeps
 * what is across that line, and the other gets what is along it. */
START_TEST(billiards)
{
	model m = model_of_file("examples/billiard-balls.xml");
	bxt_table *t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .every = 1}, NULL);
	const double c = cos(PI / 6), s = sin(PI / 6), hit = 1 - 0.2 * c, after = 2 - hit;
	ck_assert_double_le(to_event(t, hit), 1e-12);
	check_last(t, "node(b).x", c * c * after, 1e-12);
	check_last(t, "node(b).y", 0.1 + c * s * after, 1e-12);
	check_last(t, "node(a).x", -0.2 * c + s * s * after, 1e-12);
	check_last(t, "node(a).y", -c * s * after, 1e-12);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A disk with the inertia m r^2/2 slides at first with mu g against it, and rolls from v = 2 v0/3.
 */
START_TEST(disk_rolls)
{
	bxt_table *t = run(NETLIST("<rigid-body id=\"M\" a=\"b\" m=\"2 kg\" J=\"0.04 kg.m2\" "
				   "g=\"9.81 m/s2\"/>"
				   "<disk-contact id=\"S\" a=\"b\" r=\"0.2 m\" mu=\"0.2\"/>"
				   "<node id=\"b\" kind=\"planar\" y=\"0.2 m\" vx=\"3 m/s\"/>"
				   "<record>node(b).x, node(b).vx, node(b).omega, S.rub.lambda, "
				   "dissipated</record>"),
			   0.02, 1);
	const double rolls = 1 / (0.2 * G);
	ck_assert_double_le(to_event(t, rolls), 1e-12);
	check_last(t, "node(b).vx", 2, 1e-13);
	check_last(t, "node(b).omega", -10, 1e-12);
	check_last(t, "node(b).x", 2.5 * rolls + 2 * (1 - rolls), 1e-12);
	check_last(t, "S.rub.lambda", 0, 1e-12);
	check_last(t, "dissipated", 3, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* m v' = -F - (Fs - F) exp(-(v/vs)^2): it rests after the integral of m/F(v), by Simpson's rule. */
START_TEST(stribeck)
{
	enum { PARTS = 2000 };
	const double v0 = 2, h = v0 / PARTS;
	double rests = 0;
	for (int i = 0; i <= PARTS; i++) {
		const double v = i * h, weight = i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2;
		rests += weight * h / 3 / (1 + 0.5 * exp(-4 * v * v));
	}
	bxt_table *t = run(NETLIST("<mass id=\"M\" a=\"a\" m=\"1 kg\"/>"
				   "<coulomb-friction id=\"C\" a=\"wall\" b=\"a\" F=\"1 N\" "
				   "Fs=\"1.5 N\" vs=\"0.5 m/s\"/>"
				   "<force id=\"F\" a=\"wall\" b=\"a\" f=\"=ramp(t, 2, 4, 0, 2)\"/>"
				   "<node id=\"a\" kind=\"translational\" v=\"2 m/s\"/>"
				   "<record>node(a).v, C.grip.lambda</record>"),
			   0.01, 4);
	ck_assert_double_lt(rests, 2);
	ck_assert_double_le(to_event(t, rests), 1e-11);
	ck_assert_double_eq(value_at_time(t, 2, "node(a).v"), 0);
	ck_assert_double_eq_tol(value_at_time(t, 3, "C.grip.lambda"), -1, 1e-12);
	/* it holds 1.5 N, until 3.5 s */
	ck_assert_double_eq(value_at_time(t, 3.49, "node(a).v"), 0);
	ck_assert_double_gt(value_at_time(t, 3.52, "node(a).v"), 0);
	bxt_table_free(t);
}
END_TEST

/* Two disks of 1 kg m2; the clutch slips with 10 N m u, where u is the time in s: 9 rad/s are gone
 * where 20 t^2/2 is 9. */
START_TEST(clutch_closes)
{
	bxt_table *t = run(NETLIST("<inertia id=\"J1\" a=\"x\" J=\"1 kg.m2\"/>"
				   "<inertia id=\"J2\" a=\"y\" J=\"1 kg.m2\"/>"
				   "<clutch id=\"K\" a=\"x\" b=\"y\" tau=\"10 N.m\"/>"
				   "<signal to=\"K.u\">ramp(t, 0, 2, 0, 2)</signal>"
				   "<node id=\"x\" kind=\"rotational\" omega=\"9 rad/s\"/>"
				   "<record>node(x).omega, node(y).omega, dissipated</record>"),
			   0.03, 2);
	ck_assert_double_eq_tol(value_at_time(t, 0.9, "node(y).omega"), 5 * 0.81, 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 0.93, "node(y).omega"), 5 * 0.93 * 0.93, 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 0.96, "node(y).omega"), 4.5, 1e-12);
	check_last(t, "node(x).omega", 4.5, 1e-12);
	check_last(t, "node(y).omega", 4.5, 1e-12);
	check_last(t, "dissipated", 81.0 / 4, 1e-11);
	bxt_table_free(t);
}
END_TEST

/* The brake loses its grip: 5 N m pull, and it falls from 10 N m at 1 s to nothing at 2 s. */
START_TEST(brake_releases)
{
	bxt_table *t =
		run(NETLIST("<inertia id=\"J\" a=\"x\" J=\"2 kg.m2\"/>"
			    "<torque id=\"T\" a=\"wall\" b=\"x\" tau=\"5 N.m\"/>"
			    "<brake id=\"B\" a=\"wall\" b=\"x\" tau=\"=ramp(t, 1, 2, 10, 0)\"/>"
			    "<node id=\"x\" kind=\"rotational\" omega=\"1 rad/s\"/>"
			    "<record>node(x).omega, B.grip.lambda</record>"),
		    0.03, 3);
	/* -2.5 rad/s2 to rest at 0.4 s; from 1.5 s on 2 w' = 5 - 10 (2 - t), and 5 from 2 s on */
	ck_assert_double_le(to_event(t, 0.4), 1e-12);
	ck_assert_double_eq(value_at_time(t, 1.47, "node(x).omega"), 0);
	ck_assert_double_eq_tol(value_at_time(t, 1.2, "B.grip.lambda"), -5, 1e-12);
	ck_assert_double_eq_tol(value_at_time(t, 1.8, "node(x).omega"), 2.5 * 0.09, 1e-12);
	check_last(t, "node(x).omega", 0.625 + 2.5, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* ---- Stops and play ---- */

/* Free motion to a stop, and back with half of the speed. */
START_TEST(end_stops)
{
	bxt_table *t = run(
		NETLIST("<inertia id=\"J\" a=\"x\" J=\"1 kg.m2\"/>"
			"<rotational-end-stop id=\"S\" a=\"x\" b=\"wall\" d=\"-1 rad\" e=\"0.5\"/>"
			"<mass id=\"M\" a=\"y\" m=\"1 kg\"/>"
			"<end-stop id=\"R\" a=\"wall\" b=\"y\" d=\"-1 m\" e=\"0.5\"/>"
			"<node id=\"x\" kind=\"rotational\" omega=\"3 rad/s\"/>"
			"<node id=\"y\" kind=\"translational\" v=\"-2 m/s\"/>"
			"<record>node(x).theta, node(y).x</record>"),
		0.07, 1);
	check_last(t, "node(x).theta", 1 - 1.5 * (1 - 1.0 / 3), 1e-12);
	check_last(t, "node(y).x", -1 + 0.5, 1e-12);
	bxt_table_free(t);
}
END_TEST

/* A shaft crosses half of the play under 1 N m, hits the wheel, and takes it along. */
START_TEST(play_is_crossed)
{
	bxt_table *t =
		run(NETLIST("<inertia id=\"J1\" a=\"x\" J=\"0.2 kg.m2\"/>"
			    "<inertia id=\"J2\" a=\"y\" J=\"0.6 kg.m2\"/>"
			    "<backlash id=\"B\" a=\"x\" b=\"y\" gap=\"0.1 rad\"/>"
			    "<torque id=\"T\" a=\"wall\" b=\"x\" tau=\"1 N.m\"/>"
			    "<record>node(x).theta, node(y).theta, node(y).omega, B.low.lambda, "
			    "B.high.lambda, energy</record>"),
		    0.03, 1);
	const double hits = sqrt(2 * 0.05 / 5), speed = 5 * hits / 4, left = 1 - hits;
	ck_assert_double_le(to_event(t, hits), 1e-12);
	check_last(t, "node(y).omega", speed + left / 0.8, 1e-12);
	check_last(t, "node(y).theta", speed * left + left * left / 1.6, 1e-12);
	check_last(t, "node(x).theta", 0.05 + speed * left + left * left / 1.6, 1e-12);
	check_last(t, "B.low.lambda", 0.75, 1e-12);
	check_last(t, "B.high.lambda", 0, 0);
	bxt_table_free(t);
}
END_TEST

/* ---- Valves ---- */

/* 0.1 l/s into 1 l of 1 GPa: 50 bar after 50 ms, then the valve passes all that comes. */
START_TEST(relief)
{
#define RELIEF(rest)                                                                               \
	NETLIST("<flow-source id=\"S\" p=\"a\" n=\"0\" discharge=\"1e-4 m3/s\"/>"                  \
		"<fluid-volume id=\"V\" p=\"a\" n=\"0\" V0=\"1e-3 m3\" K=\"1 GPa\"/>"              \
		"<relief-valve id=\"R\" p=\"a\" n=\"0\" pset=\"50 bar\" " rest "/>"                \
		"<record>node(a).p, R.V, R.Q</record>")
	bxt_table *t = run(RELIEF(""), 3e-3, 0.1);
	ck_assert_double_eq_tol(value_at_time(t, 0.03, "node(a).p"), 3e6, 1e-6);
	check_last(t, "node(a).p", 5e6, 1e-5);
	check_last(t, "R.V", 5e-6, 1e-16);
	bxt_table_free(t);
	/* with 1e9 Pa s/m3 the flow follows in 1 ms */
	t = run(RELIEF("R=\"1e9 Pa.s/m3\""), 2e-4, 0.055);
	check_last(t, "R.Q", 1e-4 * (1 - exp(-5)), 1e-13);
	check_last(t, "node(a).p", 5e6 + 1e5 * (1 - exp(-5)), 1e-4);
	bxt_table_free(t);
#undef RELIEF
}
END_TEST

/* Two tanks and a pipe: half a swing, then the valve is shut. */
START_TEST(check_valve)
{
	bxt_table *t = run(NETLIST("<tank id=\"A\" p=\"a\" n=\"0\" A=\"1 m2\" V=\"2 m3\"/>"
				   "<tank id=\"B\" p=\"b\" n=\"0\" A=\"0.5 m2\" V=\"0.5 m3\"/>"
				   "<ideal-check-valve id=\"C\" p=\"a\" n=\"m\" popen=\"2000 Pa\"/>"
				   "<pipe id=\"P\" p=\"m\" n=\"b\" l=\"10 m\" A=\"0.01 m2\"/>"
				   "<record>A.V, B.V, C.Q, C.on.lambda</record>"),
			   0.5, 100);
	const double slope = 1000 * G * 3, drop = 1000 * G - 2000, inertance = 1e6;
	const double w = sqrt(slope / inertance), most = drop / (w * inertance);
	ck_assert_double_eq_tol(value_at_time(t, 10, "C.Q"), most * sin(10 * w), 1e-10);
	check_last(t, "A.V", 2 - 2 * drop / slope, 1e-10);
	check_last(t, "C.Q", 0, 0);
	/* the drop is less than popen by this */
	check_last(t, "C.on.lambda", 2000 - (1000 * G - 2 * drop), 1e-3);
	bxt_table_free(t);
}
END_TEST

/* ---- Circuits ---- */

/* A buck converter: the diode takes the current at once when the switch opens. */
START_TEST(switch_and_diode)
{
	bxt_table *t =
		run(NETLIST("<voltage-source id=\"E\" p=\"in\" n=\"0\" e=\"24 V\"/>"
			    "<ideal-switch id=\"S\" p=\"in\" n=\"x\" start=\"1\"/>"
			    "<signal to=\"S.on\">pulse(t, 0, 1, 0, 0, 0, 4e-5, 1e-4)</signal>"
			    "<ideal-diode id=\"D\" p=\"0\" n=\"x\"/>"
			    "<inductor id=\"L\" p=\"x\" n=\"out\" L=\"1 mH\"/>"
			    "<resistor id=\"R\" p=\"out\" n=\"0\" R=\"10 ohm\"/>"
			    "<record>L.i, D.i, S.i, node(x).v</record>"),
		    5e-6, 1e-3);
	double i = 0;
	for (int k = 0; k < 10; k++) {
		i = 2.4 + (i - 2.4) * exp(-0.4);
		ck_assert_double_eq_tol(value_at_time(t, 1e-4 * k + 6e-5, "D.i"), i * exp(-0.2),
					1e-10);
		i *= exp(-0.6);
	}
	check_last(t, "L.i", i, 1e-10);
	bxt_table_free(t);
}
END_TEST

/* A charge of 1 uC is shared by two equal capacitors, and half of its energy is lost; a coil that
 * is cut off loses all of it. */
START_TEST(switch_loses)
{
	bxt_table *t = run(NETLIST("<capacitor id=\"A\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>"
				   "<ideal-switch id=\"S\" p=\"a\" n=\"b\"/>"
				   "<signal to=\"S.on\">ramp(t, 1e-3, 2e-3, 0, 1)</signal>"
				   "<capacitor id=\"B\" p=\"b\" n=\"0\" C=\"1 uF\"/>"
				   "<record>A.q, B.q, energy</record>"),
			   4e-4, 2e-3);
	ck_assert_double_eq(value_at_time(t, 1.2e-3, "B.q"), 0);
	check_last(t, "A.q", 5e-7, 1e-20);
	check_last(t, "B.q", 5e-7, 1e-20);
	check_last(t, "energy", 2.5e-7, 1e-20);
	bxt_table_free(t);
	t = run(NETLIST("<voltage-source id=\"E\" p=\"in\" n=\"0\" e=\"10 V\"/>"
			"<ideal-switch id=\"S\" p=\"in\" n=\"x\" start=\"1\"/>"
			"<signal to=\"S.on\">pulse(t, 0, 1, 0, 0, 0, 1.01e-3, 1)</signal>"
			"<inductor id=\"L\" p=\"x\" n=\"0\" L=\"1 mH\"/>"
			"<record>L.i, energy, supplied</record>"),
		5e-5, 2e-3);
	check_last(t, "L.i", 0, 0);
	check_last(t, "energy", 0, 0);
	check_last(t, "supplied", 10.1 * 10.1 * 1e-3 / 2, 1e-14);
	bxt_table_free(t);
}
END_TEST

/* What a switch moves at once goes through a diode forward, and not backward. */
START_TEST(diode_shares)
{
	static const char *const diode[] = {"<ideal-diode id=\"D\" p=\"m\" n=\"b\"/>",
					    "<ideal-diode id=\"D\" p=\"b\" n=\"m\"/>"};
	for (int way = 0; way < 2; way++) {
		char xml[2000];
		snprintf(xml, sizeof xml,
			 NETLIST("<capacitor id=\"A\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"3 uC\"/>"
				 "<ideal-switch id=\"S\" p=\"a\" n=\"m\"/>"
				 "<signal to=\"S.on\">ramp(t, 1e-3, 2e-3, 0, 1)</signal>%s"
				 "<capacitor id=\"B\" p=\"b\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>"
				 "<record>A.q, B.q, D.i</record>"),
			 diode[way]);
		bxt_table *t = run(xml, 4e-4, 2e-3);
		check_last(t, "A.q", way == 0 ? 2e-6 : 3e-6, 1e-20);
		check_last(t, "B.q", way == 0 ? 2e-6 : 1e-6, 1e-20);
		bxt_table_free(t);
	}
}
END_TEST

/*
 * A boost converter: the switch closes a loop of itself, a diode that conducts and a capacitor, and
 * the diode blocks. Half a period i += E T/(2 L), v decays, half a period is a linear oscillation:
 * their exponentials give the current and the voltage after 100 periods.
 */
START_TEST(boost)
{
	bxt_table *t =
		run(NETLIST("<voltage-source id=\"E\" p=\"in\" n=\"0\" e=\"15 V\"/>"
			    "<inductor id=\"L\" p=\"in\" n=\"x\" L=\"20 mH\"/>"
			    "<ideal-switch id=\"S\" p=\"x\" n=\"0\" start=\"1\"/>"
			    "<signal to=\"S.on\">pulse(t, 0, 1, 0, 0, 0, 1e-5, 2e-5)</signal>"
			    "<ideal-diode id=\"D\" p=\"x\" n=\"out\"/>"
			    "<capacitor id=\"C\" p=\"out\" n=\"0\" C=\"20 uF\"/>"
			    "<resistor id=\"R\" p=\"out\" n=\"0\" R=\"30 ohm\"/>"
			    "<record>L.i, node(out).v, D.i</record>"),
		    1e-6, 2e-3);
	check_last(t, "L.i", 1.20430167621, 1e-11);
	check_last(t, "node(out).v", 13.7918127217, 1e-10);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		ck_assert_double_ge(value_at(t, i, "D.i"), -1e-12);
	bxt_table_free(t);
}
END_TEST

/* At each time the highest and the lowest phase. */
START_TEST(three_phases)
{
	model m = model_of_file("three-phase-rectifier.xml");
	bxt_table *t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .every = 1}, NULL);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		if (bxt_table_time(t, i) <= 0) /* at the start none conducts as yet */
			continue;
		double high = -INFINITY, low = INFINITY;
		for (int k = 0; k < 3; k++) {
			const double v =
				325 * sin(100 * PI * bxt_table_time(t, i) - 2 * PI * k / 3);
			high = fmax(high, v);
			low = fmin(low, v);
		}
		const double v = value_at(t, i, "node(top).v") - value_at(t, i, "node(bot).v");
		ck_assert_double_eq_tol(v, high - low, 1e-9);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* The relay oscillator: between switches a linear system of two, whose exponential and the roots of
 * whose thresholds were found in a script of a few lines, by bisection. */
START_TEST(relay)
{
	model m = model_of_file("relay-oscillator.xml");
	bxt_table *t = model_run(
		&m,
		&(bxt_run_def){
			.size = sizeof(bxt_run_def), .scheme = "gauss3", .step = 5e-4, .every = 1},
		NULL);
	ck_assert_double_le(to_event(t, 0.05031169770201019), 1e-12);
	ck_assert_double_le(to_event(t, 0.0668271284266798), 1e-12);
	ck_assert_double_le(to_event(t, 0.10370828527322903), 1e-12);
	ck_assert_double_eq_tol(last_value(t, "node(a).v"), 4.994746247029958, 1e-9);
	ck_assert_double_eq_tol(last_value(t, "S.ic"), 0.02160138669330055, 1e-10);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* Impulses of events turn a particle back at both ends, and resets count: x is a triangle wave. */
START_TEST(events_act)
{
	static const char xml[] = NETLIST(
		"<component xmlns=\"urn:boxtimes:component:1\" name=\"kicked\">"
		"<coordinate name=\"x\" unit=\"m\" flow=\"v\"/><state name=\"n\" unit=\"1\"/>"
		"<lagrangian>v^2/2</lagrangian><rate of=\"n\">0</rate>"
		"<event name=\"right\" when=\"x - 1\">"
		"<impulse on=\"x\">-2*v</impulse><reset of=\"n\">n + 1</reset></event>"
		"<event name=\"left\" when=\"-x - 1\">"
		"<impulse on=\"x\">-2*v</impulse><reset of=\"n\">n + 1</reset></event></component>"
		"<kicked id=\"K\" v=\"1 m/s\"/><record>K.x, K.v, K.n</record>");
	bxt_table *t = run(xml, 0.3, 10.5);
	check_last(t, "K.x", -0.5, 1e-11);
	check_last(t, "K.v", -1, 1e-13);
	check_last(t, "K.n", 5, 0);
	ck_assert_double_le(to_event(t, 9), 1e-11);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("parts that switch")
{
	const test_case tests[] = {{"incline", incline},
				   {"billiards", billiards},
				   {"disk", disk_rolls},
				   {"Stribeck", stribeck},
				   {"clutch", clutch_closes},
				   {"brake", brake_releases},
				   {"end stops", end_stops},
				   {"play", play_is_crossed},
				   {"relief valve", relief},
				   {"check valve", check_valve},
				   {"switch and diode", switch_and_diode},
				   {"switch without a path", switch_loses},
				   {"charge through a diode", diode_shares},
				   {"boost converter", boost},
				   {"three phases", three_phases},
				   {"relay", relay},
				   {"events", events_act}};
	ADD_TESTS(tests);
}
