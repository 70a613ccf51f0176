/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lossless lines: closed forms of matched, open and shorted ones, figures of ngspice, orders by
 * halving the step, the balance of energy, states, and what is refused.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double TURN = 6.283185307179586;

static bxt_run_def run_of(const char *scheme, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.step = step;
	def.end = end;
	return def;
}

/* ---- Closed forms ---- */

#define STAIRS(source, Rs, Rl)                                                                     \
	NETLIST("<voltage-source id='V' p='s' n='0' e='" source "'/>"                              \
		"<resistor id='Rs' p='s' n='a' R='" Rs "'/>"                                       \
		"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1 us'/>"           \
		"<resistor id='Rl' p='b' n='0' R='" Rl "'/>"                                       \
		"<record>node(a).v, node(b).v, energy</record>")

/* What two sums of reflections are at the time t: the steps of the far end come at td, 3 td ... */
static void staircase(double t, double Rs, double Rl, double *a, double *b)
{
	const double z0 = 50, td = 1e-6, first = z0 / (z0 + Rs);
	const double at_source = (Rs - z0) / (Rs + z0), at_load = (Rl - z0) / (Rl + z0);
	double wave = first;
	*a = t > 0 ? first : 0;
	*b = 0;
	for (int k = 1; k * td < t; k++) {
		if (k % 2 == 1) {
			*b += wave * (1 + at_load);
			wave *= at_load;
		} else {
			*a += wave * (1 + at_source);
			wave *= at_source;
		}
	}
}

static void check_stairs(const char *text, double Rs, double Rl, const char *scheme, double step)
{
	bxt_run_def def = run_of(scheme, step, 12e-6);
	bxt_summary summary = {.size = sizeof summary};
	model m = model_of_text(text);
	bxt_table *t = model_run(&m, &def, &summary);
	int compared = 0;
	for (size_t row = 0; row < bxt_table_rows(t); row++) {
		const double at = bxt_table_time(t, row);
		const double beside = fabs(at * 1e6 - round(at * 1e6));
		double a, b;
		if (beside < 1e-6) /* both sides of a step have a row */
			continue;
		staircase(at, Rs, Rl, &a, &b);
		ck_assert_msg(fabs(value_at(t, row, "node(a).v") - a) < 1e-12 &&
				      fabs(value_at(t, row, "node(b).v") - b) < 1e-12,
			      "%s, step %g: t = %g: %.15g, %.15g are not %.15g, %.15g", scheme,
			      step, at, value_at(t, row, "node(a).v"),
			      value_at(t, row, "node(b).v"), a, b);
		compared++;
	}
	ck_assert_int_gt(compared, 10);
	ck_assert_double_lt(fabs(summary.total.residual), 1e-12 * summary.total.supplied);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}

/* Steps that divide the delay, and some that do not: constants are interpolated exactly. */
START_TEST(test_reflections)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2", "radau3"};
	static const double steps[] = {0.25e-6, 0.05e-6, 0.07e-6, 0.9e-6};
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 4; k++) {
			check_stairs(STAIRS("1 V", "50 ohm", "50 ohm"), 50, 50, schemes[i],
				     steps[k]);
			check_stairs(STAIRS("1 V", "10 ohm", "1 Mohm"), 10, 1e6, schemes[i],
				     steps[k]);
			check_stairs(STAIRS("1 V", "150 ohm", "1 mohm"), 150, 1e-3, schemes[i],
				     steps[k]);
		}
}
END_TEST

/* A jump has two rows at each end, td apart, and no other row sees anything between. */
START_TEST(test_rows_at_jumps)
{
	model m = model_of_text(NETLIST(
		"<pulse-source id='V' p='s' n='0' high='1 V' delay='0.33 us' rise='0 s' fall='0 s' "
		"width='1 s' period='2 s'/>"
		"<resistor id='Rs' p='s' n='a' R='50 ohm'/>"
		"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1 us'/>"
		"<resistor id='Rl' p='b' n='0' R='50 ohm'/>"
		"<record>node(a).v, node(b).v</record>"));
	bxt_run_def def = run_of("gauss1", 0.1e-6, 2e-6);
	bxt_table *t = model_run(&m, &def, NULL);
	int jumps = 0;
	for (size_t row = 1; row < bxt_table_rows(t); row++) {
		const double at = bxt_table_time(t, row);
		ck_assert_double_eq_tol(value_at(t, row, "node(a).v"),
					at > 0.33e-6 ? 0.5 : value_at(t, row, "node(a).v"), 1e-13);
		if (at == bxt_table_time(t, row - 1)) {
			const char *name = at < 1e-6 ? "node(a).v" : "node(b).v";
			ck_assert_double_eq_tol(value_at(t, row - 1, name), 0, 1e-13);
			ck_assert_double_eq_tol(value_at(t, row, name), 0.5, 1e-13);
			ck_assert_double_eq_tol(at, jumps == 0 ? 0.33e-6 : 1.33e-6, 1e-17);
			jumps++;
		}
	}
	ck_assert_int_eq(jumps, 2);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* The far end of a matched line loaded by C: z0 C v' + v = e(t - td), e = sin w t from t = 0 on. */
static double charged(double t, double td, double RC, double w)
{
	const double s = t - td, x = w * RC;
	return s <= 0 ? 0 : (sin(w * s) - x * cos(w * s) + x * exp(-s / RC)) / (1 + x * x);
}

static double error_of(const char *scheme, double td, int steps)
{
	char text[1000];
	snprintf(text, sizeof text,
		 NETLIST("<voltage-source id='V' p='s' n='0' e='=sin(2*pi*2e5*t)'/>"
			 "<resistor id='Rs' p='s' n='a' R='50 ohm'/>"
			 "<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='%.17g'/>"
			 "<capacitor id='C' p='b' n='0' C='10 nF'/>"
			 "<record>node(b).v</record>"),
		 td);
	model m = model_of_text(text);
	bxt_run_def def = run_of(scheme, 6e-6 / steps, 6e-6);
	def.every = steps / 30;
	bxt_table *t = model_run(&m, &def, NULL);
	double worst = 0;
	for (size_t row = 0; row < bxt_table_rows(t); row++)
		worst = fmax(worst,
			     fabs(value_at(t, row, "node(b).v") -
				  charged(bxt_table_time(t, row), td, 50 * 10e-9, TURN * 2e5)));
	bxt_table_free(t);
	model_free(&m);
	return worst;
}

/* A delay of whole steps keeps the order of the scheme; another one up to 4. */
START_TEST(test_orders)
{
	static const struct {
		const char *scheme;
		int steps;
		double whole, between;
	} rows[] = {{"gauss1", 120, 2, 2},
		    {"gauss2", 60, 4, 4},
		    {"gauss3", 30, 6, 4},
		    {"radau2", 60, 3, 3},
		    {"radau3", 30, 5, 4}};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int between = 0; between < 2; between++) {
			/* 1/3 and 2/3 of a step beside the grid, in turn: as far from it */
			const double td = between ? 31.0 / 3 * 6e-6 / 60 : 1e-6;
			const double coarse = error_of(rows[i].scheme, td, rows[i].steps),
				     fine = error_of(rows[i].scheme, td, 4 * rows[i].steps);
			const double order = log2(coarse / fine) / 2,
				     wanted = between ? rows[i].between : rows[i].whole;
			ck_assert_msg(order > wanted - 0.35 && fine < 1e-3,
				      "%s%s: order %.3f (%.3g, %.3g), not %g", rows[i].scheme,
				      between ? ", between" : "", order, coarse, fine, wanted);
		}
}
END_TEST

/* Steps of controlled size, to the same closed form. */
START_TEST(test_tolerances)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "radau3"};
	model m = model_of_text(
		NETLIST("<voltage-source id='V' p='s' n='0' e='=sin(2*pi*2e5*t)'/>"
			"<resistor id='Rs' p='s' n='a' R='50 ohm'/>"
			"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1.03 us'/>"
			"<capacitor id='C' p='b' n='0' C='10 nF'/>"
			"<record>node(b).v</record>"));
	for (size_t i = 0; i < 3; i++) {
		bxt_run_def def = run_of(schemes[i], 0.1e-6, 6e-6);
		def.tolerance = 1e-6;
		bxt_table *t = model_run(&m, &def, NULL);
		for (size_t row = 0; row < bxt_table_rows(t); row++) {
			const double at = bxt_table_time(t, row),
				     v = charged(at, 1.03e-6, 50 * 10e-9, TURN * 2e5);
			ck_assert_msg(fabs(value_at(t, row, "node(b).v") - v) < 1e-4,
				      "%s: t = %g: %.9g, not %.9g", schemes[i], at,
				      value_at(t, row, "node(b).v"), v);
		}
		bxt_table_free(t);
	}
	model_free(&m);
}
END_TEST

/* A valve closes at once: the pressure rises by rho c v (Joukowsky), for the time 2 l/c. */
START_TEST(test_water_hammer)
{
	const double rise = 998 * 1200 * 0.002 / 0.01; /* rho c Q/A */
	model m = model_of_text(NETLIST(
		"<pressure-source id='P' p='s' n='0' pressure='300 kPa'/>"
		"<delay-pipe id='L' a='s' b='v' c='1200 m/s' A='0.01 m2' td='0.5 s' p10='300 kPa' "
		"p20='300 kPa' Q10='0.002 m3/s' Q20='-0.002 m3/s'/>"
		"<flow-source id='Q' p='0' n='v' discharge='=if(t &lt; 1, 0.002, 0)'/>"
		"<record>node(v).p</record>"));
	bxt_run_def def = run_of("gauss1", 0.03, 3.9);
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t row = 0; row < bxt_table_rows(t); row++) {
		const double at = bxt_table_time(t, row), since = at - 1;
		if (fabs(since - round(since)) > 1e-9)
			ck_assert_double_eq_tol(value_at(t, row, "node(v).p"),
						3e5 + (since < 0             ? 0
						       : (int)since % 2 == 0 ? rise
									     : -rise),
						1e-6);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Figures ---- */

/*
 * V1 s 0 PULSE(0 1 1n 0.2n 0.3n 3n 20n)
 * R0 s a 20
 * T1 a 0 b 0 Z0=50 TD=2n
 * C1 b 0 4p
 * R1 b c 30
 * T2 c 0 d 0 Z0=75 F=250meg NL=0.325
 * L1 d e 12n
 * R2 e 0 200
 * .options reltol=1e-6 abstol=1e-14 vntol=1e-9 trtol=1 interp
 * .tran 0.5n 14n 0 0.5p
 */
static const char two_lines[] = NETLIST(
	"<pulse-source id='V1' p='s' n='0' high='1 V' delay='1 ns' rise='0.2 ns' fall='0.3 ns' "
	"width='3 ns' period='20 ns'/>"
	"<resistor id='R0' p='s' n='a' R='20 ohm'/>"
	"<delay-line id='T1' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='2 ns'/>"
	"<capacitor id='C1' p='b' n='0' C='4 pF'/>"
	"<resistor id='R1' p='b' n='c' R='30 ohm'/>"
	"<delay-line id='T2' p1='c' n1='0' p2='d' n2='0' z0='75 ohm' td='1.3 ns'/>"
	"<inductor id='L1' p='d' n='e' L='12 nH'/>"
	"<resistor id='R2' p='e' n='0' R='200 ohm'/>"
	"<record>node(a).v, node(b).v, node(d).v, L1.i</record>");

static const double figures[][4] = {
	{3.5e-9, 7.142857e-01, 9.124963e-01, 0},
	{5.5e-9, 1.132632e-01, 9.677419e-01, 1.005177e+00},
	{6.5e-9, 1.448125e-01, 5.897609e-01, 1.005446e+00},
	{8e-9, 2.310307e-01, 6.093684e-02, 9.048296e-02},
	{9.5e-9, 1.361225e-01, -1.32139e-01, -1.36826e-01},
	{11e-9, 7.385486e-02, -1.70103e-01, -1.62891e-01},
	{12.5e-9, -6.11769e-02, -1.26056e-01, -1.14542e-01},
	{14e-9, -3.18809e-02, -2.34289e-02, -9.22524e-02},
};

static void compare_figures(const char *text, const char *scheme, double step, double tolerance)
{
	static const char *const names[] = {"node(a).v", "node(b).v", "node(d).v"};
	model m = model_of_text(text);
	bxt_run_def def = run_of(scheme, step, 14e-9);
	def.tolerance = tolerance;
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		for (int k = 0; k < 3; k++) {
			const double v = value_at_time(t, figures[i][0], names[k]);
			ck_assert_msg(fabs(v - figures[i][k + 1]) < 2e-4,
				      "%s: %s at %g: %.9g, ngspice has %.9g", scheme, names[k],
				      figures[i][0], v, figures[i][k + 1]);
		}
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(test_ngspice)
{
	compare_figures(two_lines, "gauss2", 0.01e-9, 0);
	compare_figures(two_lines, "radau3", 0.02e-9, 0);
	compare_figures(two_lines, "radau3", 0.5e-9, 1e-6);
}
END_TEST

/* ---- One model, written in other ways ---- */

static bxt_table *run_two(const char *text)
{
	bxt_run_def def = run_of("gauss2", 0.02e-9, 14e-9);
	return run_text(text, &def);
}

/* Elements in another order, the second line from its other end. */
START_TEST(test_permuted)
{
	bxt_table *a = run_two(two_lines);
	bxt_table *b = run_two(
		NETLIST("<inductor id='L1' p='d' n='e' L='12 nH'/>"
			"<delay-line id='T2' p2='c' n2='0' p1='d' n1='0' z0='75 ohm' td='1.3 ns'/>"
			"<resistor id='R2' p='e' n='0' R='200 ohm'/>"
			"<resistor id='R1' p='b' n='c' R='30 ohm'/>"
			"<delay-line id='T1' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='2 ns'/>"
			"<capacitor id='C1' p='b' n='0' C='4 pF'/>"
			"<resistor id='R0' p='s' n='a' R='20 ohm'/>"
			"<pulse-source id='V1' p='s' n='0' high='1 V' delay='1 ns' rise='0.2 ns' "
			"fall='0.3 ns' width='3 ns' period='20 ns'/>"
			"<record>node(a).v, node(b).v, node(d).v, L1.i</record>"));
	ck_assert_double_lt(difference(a, "node(a).v", b, "node(a).v"), 1e-11);
	ck_assert_double_lt(difference(a, "L1.i", b, "L1.i"), 1e-11);
	bxt_table_free(a);
	bxt_table_free(b);
}
END_TEST

/* Cut at node b, with a line in each part. */
START_TEST(test_torn)
{
	bxt_table *a = run_two(two_lines);
	bxt_table *b = run_two(
		NETLIST("<subsystem id='one'>"
			"<pulse-source id='V1' p='s' n='0' high='1 V' delay='1 ns' rise='0.2 ns' "
			"fall='0.3 ns' width='3 ns' period='20 ns'/>"
			"<resistor id='R0' p='s' n='a' R='20 ohm'/>"
			"<delay-line id='T1' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='2 ns'/>"
			"<port id='x' node='b'/></subsystem>"
			"<subsystem id='two'><capacitor id='C1' p='b' n='0' C='4 pF'/>"
			"<resistor id='R1' p='b' n='c' R='30 ohm'/>"
			"<delay-line id='T2' p1='c' n1='0' p2='d' n2='0' z0='75 ohm' td='1.3 ns'/>"
			"<inductor id='L1' p='d' n='e' L='12 nH'/>"
			"<resistor id='R2' p='e' n='0' R='200 ohm'/>"
			"<port id='x' node='b'/></subsystem>"
			"<interconnection><connect id='c' a='one.x' b='two.x'/></interconnection>"
			"<record>node(one.a).v, node(one.b).v, node(two.d).v, two.L1.i</record>"));
	ck_assert_double_lt(difference(a, "node(a).v", b, "node(one.a).v"), 1e-11);
	ck_assert_double_lt(difference(a, "L1.i", b, "two.L1.i"), 1e-11);
	bxt_table_free(a);
	bxt_table_free(b);
}
END_TEST

/* ---- Energy ---- */

/* What the line stores is what its ports received: to round-off where the step divides the delay,
 * to the error of the interpolation elsewhere. */
START_TEST(test_balance)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3"};
	const double loose[] = {1e-3, 1e-5, 1e-5};
	model m = model_of_text(
		NETLIST("<voltage-source id='V' p='s' n='0' e='=sin(2*pi*2e5*t)'/>"
			"<resistor id='Rs' p='s' n='a' R='20 ohm'/>"
			"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1 us'/>"
			"<capacitor id='C' p='b' n='0' C='10 nF'/>"
			"<record>energy(T)</record>"));
	for (size_t i = 0; i < 3; i++)
		for (int between = 0; between < 2; between++) {
			bxt_run_def def = run_of(schemes[i], between ? 0.03e-6 : 0.05e-6, 20e-6);
			bxt_summary summary = {.size = sizeof summary};
			bxt_table *t = model_run(&m, &def, &summary);
			const double most = largest(t, "energy(T)");
			ck_assert_double_gt(most, 1e-10);
			for (size_t k = 0; k < summary.n_ledger; k++) {
				const bxt_ledger_entry *e = &summary.ledger[k];
				if (strcmp(e->path, "T") != 0)
					continue;
				ck_assert_msg(
					fabs(e->residual) < (between ? loose[i] : 1e-13) * most,
					"%s: residual %g of %g", schemes[i], e->residual, most);
				ck_assert_double_eq_tol(e->end, last_value(t, "energy(T)"),
							1e-15 * most);
				ck_assert_double_lt(fabs(e->supplied), 1e-13 * most);
				ck_assert_double_gt(fabs(e->through), 1e-3 * most);
			}
			bxt_summary_free(&summary);
			bxt_table_free(t);
		}
	model_free(&m);
}
END_TEST

/* A wave between ends that reflect all of it, for many passes, with steps of all kinds: nothing
 * grows. */
START_TEST(test_nothing_grows)
{
	static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2", "radau3"};
	static const double steps[] = {0.11e-6, 0.247e-6, 0.0317e-6, 0.93e-6};
	model m = model_of_text(NETLIST(
		"<pulse-source id='V' p='s' n='0' high='1 V' delay='0.3 us' rise='0.7 us' "
		"fall='0.5 us' width='0.2 us' period='1 s'/>"
		"<resistor id='Rs' p='s' n='a' R='1 mohm'/>"
		"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1.0333333 us'/>"
		"<resistor id='Rl' p='b' n='0' R='1 Gohm'/>"
		"<record>node(b).v</record>"));
	for (size_t i = 0; i < 5; i++)
		for (size_t k = 0; k < 4; k++) {
			bxt_run_def def = run_of(schemes[i], steps[k], 300e-6);
			bxt_table *t = model_run(&m, &def, NULL);
			ck_assert_msg(largest(t, "node(b).v") < 2.001, "%s, step %g: %g",
				      schemes[i], steps[k], largest(t, "node(b).v"));
			bxt_table_free(t);
		}
	model_free(&m);
}
END_TEST

/* ---- The start ---- */

/* For an operating point a line is a short, and nothing happens after it. */
START_TEST(test_operating_point)
{
	model m = model_of_text(
		NETLIST("<voltage-source id='V' p='s' n='0' e='10 V'/>"
			"<resistor id='Rs' p='s' n='a' R='30 ohm'/>"
			"<delay-line id='T1' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1.03 us'/>"
			"<resistor id='R' p='b' n='c' R='20 ohm'/>"
			"<delay-line id='T2' p1='c' n1='0' p2='d' n2='0' z0='75 ohm' td='0.5 us'/>"
			"<resistor id='Rl' p='d' n='0' R='50 ohm'/>"
			"<record>node(a).v, node(d).v, T1.i1, T1.i2, energy(T1)</record>"));
	bxt_run_def def = run_of("gauss2", 0.07e-6, 5e-6);
	def.start = "operating-point";
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t row = 0; row < bxt_table_rows(t); row++) {
		ck_assert_double_eq_tol(value_at(t, row, "node(a).v"), 7, 1e-12);
		ck_assert_double_eq_tol(value_at(t, row, "node(d).v"), 5, 1e-12);
		ck_assert_double_eq_tol(value_at(t, row, "T1.i1"), 0.1, 1e-13);
		ck_assert_double_eq_tol(value_at(t, row, "T1.i2"), -0.1, 1e-13);
		/* L i^2/2 + C v^2/2, L = z0 td, C = td/z0 */
		ck_assert_double_eq_tol(value_at(t, row, "energy(T1)"),
					1.03e-6 * (50 * 0.01 + 49.0 / 50) / 2, 1e-18);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* A charged line into its impedance: half its voltage, for twice its delay. */
START_TEST(test_charged_line)
{
	model m = model_of_text(NETLIST(
		"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1 us' V1='8 V' "
		"V2='8 V'/>"
		"<resistor id='R' p='a' n='0' R='50 ohm'/>"
		"<resistor id='open' p='b' n='0' R='1e15 ohm'/>"
		"<record>node(a).v, energy</record>"));
	bxt_run_def def = run_of("gauss1", 0.03e-6, 3e-6);
	bxt_table *t = model_run(&m, &def, NULL);
	for (size_t row = 0; row < bxt_table_rows(t); row++) {
		const double at = bxt_table_time(t, row);
		if (fabs(at - 2e-6) > 1e-12)
			ck_assert_double_eq_tol(value_at(t, row, "node(a).v"), at < 2e-6 ? 4 : 0,
						1e-9);
	}
	ck_assert_double_eq_tol(value_at(t, 0, "energy"), 1e-6 / 50 * 64 / 2, 1e-18);
	ck_assert_double_eq_tol(last_value(t, "energy"), 0, 1e-18);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- States ---- */

/* Saved in the middle of everything, read again, and gone on from: the same bits. */
static void check_state(const char *scheme, double step, double tolerance)
{
	enum { STEPS = 150 };
	model m = model_of_text(two_lines);
	bxt_run_def def = run_of(scheme, step, 14e-9);
	bxt_simulation *a, *b;
	bxt_state *state, *again;
	void *bytes;
	size_t size;
	double one[4], other[4];
	def.tolerance = tolerance;
	ck_assert_int_eq(bxt_simulation_new(m.system, &def, m.findings, &a), BXT_OK);
	ck_assert_int_eq(bxt_simulation_step(a, STEPS, NULL, m.findings), BXT_OK);
	ck_assert_int_eq(bxt_simulation_get_state(a, &state), BXT_OK);
	ck_assert_int_eq(bxt_state_to_memory(state, &bytes, &size), BXT_OK);
	ck_assert_int_eq(bxt_state_from_memory(m.system, bytes, size, "saved", m.findings, &again),
			 BXT_OK);
	ck_assert_int_eq(bxt_simulation_new(m.system, &def, m.findings, &b), BXT_OK);
	ck_assert_int_eq(bxt_simulation_set_state(b, again, m.findings), BXT_OK);
	for (int k = 0; k < STEPS; k++) {
		ck_assert_int_eq(bxt_simulation_step(a, 1, NULL, m.findings), BXT_OK);
		ck_assert_int_eq(bxt_simulation_step(b, 1, NULL, m.findings), BXT_OK);
		ck_assert_int_eq(bxt_simulation_read(a, one), BXT_OK);
		ck_assert_int_eq(bxt_simulation_read(b, other), BXT_OK);
		ck_assert_msg(memcmp(one, other, sizeof one) == 0, "%s: step %d", scheme, k);
	}
	/* a history of other times is none */
	for (size_t cut = 1; cut < size; cut += 97) {
		bxt_state *none;
		ck_assert_int_ne(bxt_state_from_memory(m.system, bytes, size - cut, "cut",
						       m.findings, &none),
				 BXT_OK);
	}
	free(bytes);
	bxt_state_free(state);
	bxt_state_free(again);
	bxt_simulation_free(a);
	bxt_simulation_free(b);
	model_free(&m);
}

START_TEST(test_states)
{
	check_state("gauss1", 0.025e-9, 0);
	check_state("gauss2", 0.03e-9, 0);
	check_state("radau3", 0.05e-9, 1e-5);
}
END_TEST

/* ---- Over the frequency ---- */

/* A mismatched line with a load: Z0 (1 + r_l) e / ((Z0 + R) (1 - r_s r_l e^2)), e = exp(-s td). */
START_TEST(test_response)
{
	model m = model_of_text(
		NETLIST("<voltage-source id='V' p='s' n='0' e='0 V'/>"
			"<resistor id='Rs' p='s' n='a' R='30 ohm'/>"
			"<delay-line id='T' p1='a' n1='0' p2='b' n2='0' z0='50 ohm' td='1.03 us'/>"
			"<resistor id='Rl' p='b' n='0' R='200 ohm'/>"));
	bxt_linear_def def;
	bxt_linear *l;
	const bxt_linear_mode *modes;
	size_t n;
	bxt_csc matrix = {.size = sizeof matrix};
	bxt_default_linear_def(&def);
	def.from = "V.e";
	def.to = "node(b).v";
	ck_assert_int_eq(bxt_linear_new(m.system, &def, m.findings, &l), BXT_OK);
	for (double f = 0; f < 3e6; f = 3 * f + 1e3) {
		const double rl = 0.6, rs = -0.25, angle = TURN * f * 1.03e-6;
		double value[2];
		ck_assert_int_eq(bxt_linear_response(l, f, value, m.findings), BXT_OK);
		/* times the denominator */
		const double re = 1 - rs * rl * cos(2 * angle), im = rs * rl * sin(2 * angle);
		const double x = value[0] * re - value[1] * im, y = value[0] * im + value[1] * re;
		ck_assert_double_eq_tol(x, 50.0 / 80 * (1 + rl) * cos(angle), 1e-12);
		ck_assert_double_eq_tol(y, -50.0 / 80 * (1 + rl) * sin(angle), 1e-12);
	}
	ck_assert_int_eq(bxt_linear_modes(l, &modes, &n, m.findings), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "'T' (delay-line) is a delay"));
	ck_assert_int_eq(bxt_linear_get(l, BXT_LINEAR_A, &matrix), BXT_ERR_MODEL);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

static void check_refused(const bxt_run_def *def, const char *words)
{
	model m = model_of_text(two_lines);
	bxt_state *state;
	ck_assert_int_eq(bxt_initialize(m.system, def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s", words);
	model_free(&m);
}

START_TEST(test_refused)
{
	bxt_run_def def = run_of("gauss1", 1.31e-9, 14e-9);
	check_refused(&def, "'T2': the step of 1.31e-09 s is longer than the delay td = 1.3e-09 s");
	def = run_of("dirac+", 0.1e-9, 14e-9);
	check_refused(&def, "delay-line 'T2' delays: dirac+ cannot step it");
	def = run_of("discrete-gradient", 0.1e-9, 14e-9);
	check_refused(&def, "discrete-gradient cannot step it");
}
END_TEST

TEST_SUITE("delays")
{
	const test_case tests[] = {
		{"reflections", test_reflections},
		{"rows at jumps", test_rows_at_jumps},
		{"orders", test_orders},
		{"tolerances", test_tolerances},
		{"water hammer", test_water_hammer},
		{"ngspice", test_ngspice},
		{"permuted", test_permuted},
		{"torn", test_torn},
		{"balance", test_balance},
		{"nothing grows", test_nothing_grows},
		{"operating point", test_operating_point},
		{"charged line", test_charged_line},
		{"states", test_states},
		{"response", test_response},
		{"refused", test_refused},
	};
	ADD_TESTS(tests);
}
