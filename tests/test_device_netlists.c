/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shipped netlists of the electrical devices against references and closed forms. */
#include "harness.h"

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
				 &(bxt_run_def){.step = step,
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
	ck_assert_int_le(summary.most_iterations, 8);
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

/* ---- Ring modulator ---- */

START_TEST(test_ring_modulator)
{
	/*
	 * Test Set for IVP Solvers at 1 ms: y1, y2, y7, -y8. The oscillations at 5 MHz, which this
	 * step does not resolve in phase, reach 1e-3 of y1 and y2 and less of y7 and y8.
	 */
	model m = model_of_file("ring-modulator.xml");
	bxt_summary summary;
	bxt_table *t = model_run(
		&m, &(bxt_run_def){.every = 100, .record = "C1.q, C2.q, Cp.q, Lh1.i"}, &summary);
	ck_assert_double_eq_tol(last_value(t, "C1.q") / 16e-9, -0.02339057358486745, 1e-4);
	ck_assert_double_eq_tol(last_value(t, "C2.q") / 16e-9, -0.007367485485540825, 1e-4);
	ck_assert_double_eq_tol(last_value(t, "Cp.q") / 10e-9, 0.1106761861269975, 1e-6);
	ck_assert_double_eq_tol(last_value(t, "Lh1.i"), -0.2939904342435596e-6, 1e-5 * 3e-7);
	ck_assert_int_le(summary.most_iterations, 10);
	ck_assert_int_eq(summary.halvings, 0);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Filter, oscillator, logic, cutset ---- */

/* max error of the output over the rows: 1 - e^{-at} (cos at + sin at), a = w0/sqrt 2 = 5000/s */
static double filter_error(double step)
{
	model m = model_of_file("sallen-key.xml");
	bxt_table *t = model_run(&m, &(bxt_run_def){.step = step, .record = "C2.q, A1.ic"}, NULL);
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
	bxt_table *t = model_run(&m, &(bxt_run_def){.record = "node(c).v"}, NULL);
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
	bxt_table *t = model_run(&m, &(bxt_run_def){0}, NULL);
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
	bxt_table *t = model_run(&m, &(bxt_run_def){.record = "L1.q, L1.p, node(a).v, I1.q"}, NULL);
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

int main(void)
{
	const named_test tests[] = {
		{"transistor amplifier", test_amplifier},
		{"ring modulator", test_ring_modulator},
		{"Sallen-Key", test_sallen_key},
		{"Colpitts", test_colpitts},
		{"inverters", test_inverters},
		{"current source and inductor", test_current_source_inductor},
	};
	return RUN_TESTS("device netlists", tests);
}
