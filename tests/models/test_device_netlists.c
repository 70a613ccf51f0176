/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped netlists of the electrical devices against references and closed forms. */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

/* ---- Transistor amplifier ---- */

/* Test Set for IVP Solvers, potentials of nodes 1 to 8 at 0.2 s */
static const double amplifier[8] = {-0.5562145012262709e-2, 3.006522471903042, 2.849958788608128,
				    2.926422536206241,      2.704617865010554, 2.761837778393145,
				    4.770927631616772,      1.236995868091548};

static double g(double x)
{
	return 1e-6 * expm1(x / 0.026);
}

/* The zero of a falling function between 0 and 6 V. */
static double bisect(double (*f)(double y, const double *c), const double *c)
{
	double low = -1, high = 7;
	for (int i = 0; i < 100; i++) {
		const double middle = (low + high) / 2;
		if (f(middle, c) > 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Currents into the cutset of nodes 1 and 2 as a function of y2; c: y1 - y2, y3 (Ue = 0). */
static double cutset_12(double y2, const double *c)
{
	return -(c[0] + y2) / 1000 - y2 / 9000 + (6 - y2) / 9000 - 0.01 * g(y2 - c[1]);
}

/* Nodes 4 and 5 as a function of y5; c: y4 - y5, y6, g(y2 - y3). */
static double cutset_45(double y5, const double *c)
{
	return (6 - c[0] - y5) / 9000 - 0.99 * c[2] - y5 / 9000 + (6 - y5) / 9000 -
	       0.01 * g(y5 - c[1]);
}

/* Nodes 7 and 8 as a function of y8; c: y7 - y8, g(y5 - y6). */
static double cutset_78(double y8, const double *c)
{
	return (6 - c[0] - y8) / 9000 - 0.99 * c[1] - y8 / 9000;
}

/* The potentials that belong to the charges at a grid point (the problem has index 1). */
static void grid_potentials(const double *charge, double *y)
{
	double u[5];
	for (int k = 0; k < 5; k++)
		u[k] = charge[k] / ((k + 1) * 1e-6);
	y[2] = u[1];
	y[1] = bisect(cutset_12, (double[]){u[0], y[2]});
	y[0] = u[0] + y[1];
	y[5] = u[3];
	y[4] = bisect(cutset_45, (double[]){u[2], y[5], g(y[1] - y[2])});
	y[3] = u[2] + y[4];
	y[7] = bisect(cutset_78, (double[]){u[4], g(y[4] - y[5])});
	y[6] = u[4] + y[7];
}

/* The worst relative errors of grid potentials and of recorded ones at 0.2 s. */
static void amplifier_errors(double step, double *grid, double *recorded)
{
	model m = model_of_file("transistor-amplifier.xml");
	/* one step more: then the recorded potentials at 0.2 s are the mean of two stages */
	bxt_summary summary;
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.step = step,
						.end = 0.2 + step,
						.record = "C1.q, C2.q, C3.q, C4.q, C5.q, "
							  "node(1).v, node(2).v, node(3).v, "
							  "node(4).v, node(5).v, node(6).v, "
							  "node(7).v, node(8).v"},
				 &summary);
	double charge[5], y[8];
	char name[32];
	for (int k = 0; k < 5; k++) {
		snprintf(name, sizeof name, "C%d.q", k + 1);
		charge[k] = value_at_time(t, 0.2, name);
	}
	grid_potentials(charge, y);
	*grid = *recorded = 0;
	for (int k = 0; k < 8; k++) {
		snprintf(name, sizeof name, "node(%d).v", k + 1);
		*grid = fmax(*grid, fabs(y[k] / amplifier[k] - 1));
		*recorded = fmax(*recorded, fabs(value_at_time(t, 0.2, name) / amplifier[k] - 1));
	}
	ck_assert_int_eq(summary.coordinates, 25);
	ck_assert_int_eq(summary.rows, 10);
	/* in one step the last two settle round-off: KLU takes 8, UMFPACK 8 or 9 by the step */
	ck_assert_int_le(summary.most_iterations, 9);
	ck_assert_int_eq(summary.halvings, 0);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(test_amplifier)
{
	double grid, recorded, finer_grid, finer_recorded;
	amplifier_errors(6.25e-5, &grid, &recorded);
	/* an independent midpoint rule on the five charges, in Python, gives 1.200524532e-4 */
	ck_assert_double_eq_tol(grid, 1.200524532e-4, 1e-10);
	ck_assert_double_le(recorded, 3e-4);
	amplifier_errors(3.125e-5, &finer_grid, &finer_recorded);
	/* order 2; the next term is of relative size h^2 */
	ck_assert_double_eq_tol(grid / finer_grid, 4, 0.05);
	ck_assert_double_eq_tol(recorded / finer_recorded, 4, 0.05);
}
END_TEST

/*
 * Collocation with more stages: the recorded potentials are recomputed at grid points. Bounds are
 * the errors that an independent prototype of the same schemes makes.
 */
START_TEST(test_amplifier_high_order)
{
	static const struct {
		const char *scheme;
		double step, error;
	} runs[] = {
		{"gauss2", 2.5e-4, 5.5e-5}, {"gauss2", 1.25e-4, 3.4e-6}, {"gauss3", 5e-4, 9.1e-7},
		{"gauss3", 2.5e-4, 1.0e-8}, {"radau2", 6.25e-5, 3.6e-6}, {"radau3", 5e-4, 2.4e-6},
		{"radau3", 2.5e-4, 6.4e-8},
	};
	model m = model_of_file("transistor-amplifier.xml");
	for (size_t k = 0; k < sizeof runs / sizeof *runs; k++) {
		bxt_table *t =
			model_run(&m,
				  &(bxt_run_def){.size = sizeof(bxt_run_def),
						 .scheme = runs[k].scheme,
						 .step = runs[k].step,
						 .end = 0.2,
						 .record = "node(1).v, node(2).v, node(3).v, "
							   "node(4).v, node(5).v, node(6).v, "
							   "node(7).v, node(8).v"},
				  NULL);
		double error = 0;
		for (int i = 0; i < 8; i++)
			error = fmax(error,
				     fabs(bxt_table_value(t, bxt_table_rows(t) - 1, (size_t)i) /
						  amplifier[i] -
					  1));
		ck_assert_msg(error <= runs[k].error, "%s, %g s: %g", runs[k].scheme, runs[k].step,
			      error);
		bxt_table_free(t);
	}
	model_free(&m);
}
END_TEST

/* ---- Ring modulator ---- */

START_TEST(test_ring_modulator)
{
	/*
	 * Test Set for IVP Solvers at 1 ms: y1, y2, y7, -y8; an independent Radau IIA method of
	 * order 5 with 3.2 million steps has the same digits to 5e-13, relative. The oscillations
	 * at 5 MHz of voltages up to 0.4 V err by 6e-5, and reach 1e-4 of that in y1 and y2.
	 */
	model m = model_of_file("ring-modulator.xml");
	bxt_summary summary;
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.every = 100,
						.record = "C1.q, C2.q, Cp.q, Lh1.i"},
				 &summary);
	ck_assert_double_eq_tol(last_value(t, "C1.q") / 16e-9, -0.02339057358486745, 1e-8);
	ck_assert_double_eq_tol(last_value(t, "C2.q") / 16e-9, -0.007367485485540825, 1e-8);
	ck_assert_double_eq_tol(last_value(t, "Cp.q") / 10e-9, 0.1106761861269975, 1e-11);
	ck_assert_double_eq_tol(last_value(t, "Lh1.i"), -0.2939904342435596e-6, 1e-9 * 3e-7);
	ck_assert_int_le(summary.most_iterations, 10);
	ck_assert_int_eq(summary.halvings, 0);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * All 15 states of the ring at 60 us, while the 5 MHz modes swing after the diodes have switched at
 * 50 us: an independent integration of the Test Set's equations by Radau IIA of order 5, in steps
 * of 0.25 ns; steps of 0.5 ns give the same to 2e-12. The last columns bound the errors at steps of
 * 1 ns and of both steps extrapolated.
 */
static const struct {
	const char *name;
	double unit, value, error, extrapolated;
} ring[] = {
	/* measured 3.7e-7 and 5e-9: a part 1.2e-4 of the fast modes' errors */
	{"C1.q", 16e-9, 0.14564131450898957, 6e-7, 2e-8},
	{"C2.q", 16e-9, 0.057192090105868808, 6e-7, 2e-8},
	/* w = 3e7/s over 10 us: (w h)^2/12 w t = 0.025 of 0.1 V; measured 3e-3 and 4e-5 */
	{"Cs1.q", 2e-12, -0.12915823703039148, 4e-3, 1e-4},
	{"Cs2.q", 2e-12, 0.31557314407976611, 4e-3, 1e-4},
	{"Cs3.q", 2e-12, 0.30153051485826421, 4e-3, 1e-4},
	{"Cs4.q", 2e-12, -0.14320086625299946, 4e-3, 1e-4},
	{"Cp.q", 1e-8, 0.13780066338447533, 2e-9, 5e-12}, /* hardly moved by the fast modes */
	{"Lh1.p", -4.45, -9.9780305107460619e-07, 1e-14, 3e-16},
	{"Lh2.p", -4.45, 5.6402843136153688e-07, 1e-14, 5e-16},
	/* C w of the error of a voltage, at another phase: measured 5e-8 and 9e-9 */
	{"Ls2a.p", 5e-4, 0.0019370525734842409, 1e-7, 2e-8},
	{"Ls3a.p", 5e-4, 0.0011895558890154564, 1e-7, 2e-8},
	{"Ls2b.p", 5e-4, -0.0019531263394913957, 1e-7, 2e-8},
	{"Ls3b.p", 5e-4, -0.0011734821231082168, 1e-7, 2e-8},
	{"Ls1a.p", 2e-3, 0.00019437770879945302, 2e-11, 1e-12},
	{"Ls1b.p", 2e-3, 1.1041307821711375e-05, 8e-12, 1e-12},
};
enum { RING = sizeof ring / sizeof *ring };

static void ring_states(double step, double *y)
{
	model m = model_of_file("ring-modulator.xml");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.scheme = "gauss1",
		.step = step,
		.end = 60e-6,
		.every = 1000,
		.record = "C1.q, C2.q, Cs1.q, Cs2.q, Cs3.q, Cs4.q, Cp.q, Lh1.p, Lh2.p, Ls2a.p, "
			  "Ls3a.p, Ls2b.p, Ls3b.p, Ls1a.p, Ls1b.p",
	};
	bxt_table *t = model_run(&m, &def, NULL);
	for (int k = 0; k < RING; k++)
		y[k] = last_value(t, ring[k].name) / ring[k].unit;
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(test_ring_fast_modes)
{
	double coarse[RING], fine[RING];
	ring_states(2e-9, coarse);
	ring_states(1e-9, fine);
	for (int k = 0; k < RING; k++) {
		const double error = fine[k] - ring[k].value;
		const double ratio = (coarse[k] - ring[k].value) / error;
		const double rest = (4 * fine[k] - coarse[k]) / 3 - ring[k].value;
		ck_assert_msg(fabs(error) <= ring[k].error, "%s: error %g", ring[k].name, error);
		ck_assert_msg(fabs(rest) <= ring[k].extrapolated, "%s: extrapolated, error %g",
			      ring[k].name, rest);
		/* order 2; near the extremes of the fast currents the next term shows: 4.49 */
		ck_assert_msg(fabs(ratio - 4) <= 0.6, "%s: ratio %g", ring[k].name, ratio);
	}
}
END_TEST

/* ---- 741 ---- */

static const double VT = 25.85e-3, BETA_N = 200, BETA_P = 50;

/* The bias of a 741 on +-supply by the equations of the textbook, with all base currents. */
static void bias_by_hand(double supply, double *i10, double *i11)
{
	double i12 = supply / 39e3;
	*i11 = i12;
	*i10 = i12 / 40;
	for (int k = 0; k < 200; k++) {
		/* R5 between the junctions of Q12 and Q11; Q12 feeds its own base and both Q13's */
		const double r5 =
			(2 * supply - VT * log(i12 / 1e-14) - VT * log(*i11 / 1e-14)) / 39e3;
		i12 = r5 / (1 + 2 / BETA_P);
		*i11 = (r5 - *i10 / BETA_N) / (1 + 1 / BETA_N);
		/* Widlar's source, Vt log(i11/i10) = R4 i10 (1 + 1/beta), by Newton's method */
		const double r = 5e3 * (1 + 1 / BETA_N);
		*i10 -= (r * *i10 - VT * log(*i11 / *i10)) / (r + VT / *i10);
	}
}

/* i(Q1) + i(Q2): what Q9 mirrors and the bases of Q3 and Q4 give together is i(Q10). */
static double input_stage(double i10)
{
	return i10 / (1 / (1 + 2 / BETA_P) + (1 + 1 / BETA_N) / (1 + BETA_P));
}

static void check_bias(const bxt_table *t, double supply)
{
	double i10, i11;
	bias_by_hand(supply, &i10, &i11);
	/* junctions conduct 1e-12 S besides: 30 pA at 30 V, 1e-5 of the smallest current here */
	ck_assert_double_eq_tol(value_at(t, 0, "Q11.iC") / i11, 1, 2e-5);
	ck_assert_double_eq_tol(value_at(t, 0, "Q10.iC") / i10, 1, 2e-5);
	ck_assert_double_eq_tol(
		(value_at(t, 0, "Q1.iC") + value_at(t, 0, "Q2.iC")) / input_stage(i10), 1, 2e-5);
	/* the follower's offset, base currents over the stage's slope: some 0.1 mV */
	ck_assert_double_eq_tol(value_at(t, 0, "node(out).v"), 0, 5e-4);
}

START_TEST(test_741)
{
	model m = model_of_file("ua741.xml");
	bxt_summary summary;
	bxt_table *t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def)}, &summary);
	check_bias(t, 15);
	/* settled before each step */
	ck_assert_double_eq_tol(value_at_time(t, 1.9e-6, "node(out).v"), 0, 1e-3);
	ck_assert_double_eq_tol(value_at_time(t, 21.9e-6, "node(out).v"), 5, 1e-3);
	ck_assert_double_eq_tol(value_at_time(t, 44.9e-6, "node(out).v"), -5, 1e-3);
	ck_assert_double_eq_tol(last_value(t, "node(out).v"), 0, 1e-3);
	/* slewing: Q3 carries all of the input stage's current, Q6 mirrors it, Cc takes it; the
	 * bases of Q7 and Q16 take or give 0.4 % each */
	const double slope =
		(value_at_time(t, 9e-6, "Cc.q") - value_at_time(t, 5e-6, "Cc.q")) / 4e-6;
	const double current =
		input_stage(value_at(t, 0, "Q10.iC")) * (1 + 1 / BETA_N) * BETA_P / (1 + BETA_P);
	ck_assert_double_eq_tol(-slope / current, 1, 0.01);
	/* a corner of the input may take more iterations, the steps between take few */
	ck_assert_int_le(summary.most_iterations, 30);
	ck_assert_int_le(summary.newton_iterations, 3 * summary.steps);
	ck_assert_int_eq(summary.halvings, 0);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* From a cold start on any supply: without damping Newton's method is lost at 5 V and 9 V. */
START_TEST(test_741_supplies)
{
	static const struct {
		const char *text;
		double value;
	} supply[] = {{"3 V", 3}, {"5 V", 5}, {"9 V", 9}, {"12 V", 12}, {"20 V", 20}};
	for (size_t k = 0; k < sizeof supply / sizeof *supply; k++) {
		model m = model_of_file("ua741.xml");
		bxt_system_free(m.system);
		ck_assert_int_eq(
			bxt_netlist_set(m.netlist, "", "supply", supply[k].text, m.findings),
			BXT_OK);
		ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
				 BXT_OK);
		bxt_table *t = model_run(
			&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .end = 1e-6}, NULL);
		check_bias(t, supply[k].value);
		/* it is at rest: round-off of the largest potentials, through the loop */
		ck_assert_double_eq_tol(last_value(t, "node(out).v"), value_at(t, 0, "node(out).v"),
					1e-10);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* ---- Filter, oscillator, logic, cutset ---- */

/* max error of the output over the rows: 1 - e^{-at} (cos at + sin at), a = w0/sqrt 2 = 5000/s */
static double filter_error(double step)
{
	model m = model_of_file("sallen-key.xml");
	bxt_table *t = model_run(
		&m,
		&(bxt_run_def){.size = sizeof(bxt_run_def), .step = step, .record = "C2.q, A1.ic"},
		NULL);
	double most = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double at = 5000 * bxt_table_time(t, i);
		most = fmax(most, fabs(value_at(t, i, "C2.q") / 10e-9 - 1 +
				       exp(-at) * (cos(at) + sin(at))));
	}
	ck_assert_double_le(largest(t, "A1.ic"), 1e-18); /* of currents of 1e-4 A */
	bxt_table_free(t);
	model_free(&m);
	return most;
}

START_TEST(test_sallen_key)
{
	const double error = filter_error(2e-6);
	ck_assert_double_le(error, 2e-5); /* (w0 h)^2 / 12 */
	ck_assert_double_eq_tol(error / filter_error(1e-6), 4, 0.01);
}
END_TEST

START_TEST(test_colpitts)
{
	model m = model_of_file("colpitts.xml");
	bxt_table *t = model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = "node(c).v"}, NULL);
	double first = 0, last = 0, low[2] = {9, 9}, high[2] = {-9, -9};
	int periods = -1;
	for (size_t i = 12000; i < bxt_table_rows(t); i++) { /* 0.6 ms on, in two halves */
		const double before = value_at(t, i - 1, "node(c).v"),
			     now = value_at(t, i, "node(c).v");
		const int half = i >= 16000;
		low[half] = fmin(low[half], now);
		high[half] = fmax(high[half], now);
		if (before < 5 && now >= 5) { /* up through the supply's voltage */
			last = bxt_table_time(t, i - 1) + 5e-8 * (5 - before) / (now - before);
			first = periods++ < 0 ? last : first;
		}
	}
	const double frequency = periods / (last - first),
		     tank = 1 / (2 * PI * sqrt(98.5e-6 * 27e-9));
	/* it swings, neither dying out nor growing, a little below the tank's frequency */
	ck_assert_double_ge(high[1] - low[1], 0.3);
	ck_assert_double_eq_tol((high[1] - low[1]) / (high[0] - low[0]), 1, 0.01);
	ck_assert_double_eq_tol(frequency / tank, 0.98, 0.03);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* High for an odd number of inversions of a low input; within 1 mV of the rails. */
static void check_logic(const bxt_table *t, double time, bool input)
{
	char name[32];
	for (int k = 0; k <= 5; k++) {
		snprintf(name, sizeof name, "node(x%d).v", k);
		const bool high = input != (k % 2 == 1);
		ck_assert_double_eq_tol(value_at_time(t, time, name), high ? 3.3 : 0, 1e-3);
	}
}

START_TEST(test_inverters)
{
	model m = model_of_file("cmos-inverter-chain.xml");
	bxt_table *t = model_run(&m, &(bxt_run_def){.size = sizeof(bxt_run_def)}, NULL);
	check_logic(t, 0.5e-9, false);
	check_logic(t, 9.9e-9, true);
	check_logic(t, 19.5e-9, false);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_current_source_inductor)
{
	model m = model_of_file("current-source-inductor.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.record = "L1.q, L1.p, node(a).v, I1.q"},
				 NULL);
	const double h = 5e-3;
	double p = 0, q = 0;
	for (size_t i = 1; i < bxt_table_rows(t); i++) {
		const double time = bxt_table_time(t, i), I = sin(2 * PI * (time - h / 2));
		/* the stage's current is the source's, q_{k+1} - q_k = h I, and the projection
		 * makes it so at grid points, p = L I */
		p = 0.5 * sin(2 * PI * time);
		q += h * I;
		ck_assert_double_eq_tol(value_at(t, i, "L1.p"), p, 1e-12);
		ck_assert_double_eq_tol(value_at(t, i, "L1.q"), q, 1e-13);
		if (i + 1 < bxt_table_rows(t)) /* L dI/dt; the last row is extrapolated */
			ck_assert_double_eq_tol(value_at(t, i, "node(a).v"),
						PI * cos(2 * PI * time), 2e-3);
	}
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("device netlists")
{
	const test_case tests[] = {
		{"transistor amplifier", test_amplifier},
		{"transistor amplifier, high order", test_amplifier_high_order, .slow = true},
		{"ring modulator", test_ring_modulator, .slow = true},
		{"ring modulator, fast modes", test_ring_fast_modes, .slow = true},
		{"741", test_741},
		{"741 on other supplies", test_741_supplies},
		{"Sallen-Key", test_sallen_key},
		{"Colpitts", test_colpitts},
		{"inverters", test_inverters},
		{"current source and inductor", test_current_source_inductor},
	};
	ADD_TESTS(tests);
}
