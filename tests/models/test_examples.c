/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the comments of the electrical netlists/examples promise, against closed forms. */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

static bxt_table *example(const char *file, const char *record)
{
	model m = model_of_file(file);
	bxt_table *t = model_run(
		&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .record = record, .every = 1},
		NULL);
	model_free(&m);
	return t;
}

/* Least and most in the rows from a time on. */
typedef struct range {
	double least, most;
} range;

static range range_from(const bxt_table *t, const char *name, double time)
{
	range r = {INFINITY, -INFINITY};
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (bxt_table_time(t, i) >= time) {
			r.least = fmin(r.least, value_at(t, i, name));
			r.most = fmax(r.most, value_at(t, i, name));
		}
	return r;
}

/* ---- Values at the end ---- */

typedef struct claim {
	const char *file, *signal;
	double value, tolerance;
} claim;

START_TEST(test_ends)
{
	const claim claims[] = {
		/* relaxations of five time constants, 1/100 and 1/500 of them a step: (h/T)^2/12
		 * of what is left, times 5 */
		{"examples/conductance.xml", "C1.q", 2e-6 * (1 - exp(-5)), 1e-12},
		{"examples/cccs.xml", "C1.q", 8e-6 + 2e-6 * exp(-5), 1e-12},
		/* the response to the ramp has died out */
		{"examples/constant-power-load.xml", "node(b).v", 24 + sqrt(2304 - 200) / 2, 1e-4},
		/* the gates' junctions leak 1e-12 S */
		{"examples/p-jfet.xml", "C1.q", 5e-6, 1e-12},
		/* whole periods; a phase error e of the midpoint rule costs e^2/2, e = 4e-3, 6e-3
		 */
		{"examples/gyrator.xml", "C1.q", 1e-6, 2e-11},
		{"examples/vccs.xml", "C1.q", 1e-9, 2e-13},
		/* the same, e = 3e-3 in three periods of 200 steps */
		{"examples/nonlinear-capacitor.xml", "N1.q", 1e-6, 1e-11},
		/* eight sections ripple by some parts in 100 */
		{"examples/line-section-pi.xml", "node(n8).v", 0.5, 0.01},
		{"examples/line-section-t.xml", "node(n8).v", 1, 0.02},
		{"examples/line-section-t.xml", "node(n0).v", 1, 0.02},
	};
	for (size_t k = 0; k < sizeof claims / sizeof *claims; k++) {
		bxt_table *t = example(claims[k].file, claims[k].signal);
		const double value = last_value(t, claims[k].signal);
		ck_assert_msg(fabs(value - claims[k].value) <= claims[k].tolerance,
			      "%s: %s ends at %.12g, not %.12g", claims[k].file, claims[k].signal,
			      value, claims[k].value);
		bxt_table_free(t);
	}
}
END_TEST

START_TEST(test_kept_energy)
{
	static const char *const files[] = {"examples/gyrator.xml", "examples/vccs.xml"};
	for (int k = 0; k < 2; k++) {
		bxt_table *t = example(files[k], "energy");
		const range r = range_from(t, "energy", 0);
		/* some hundred steps of round-off */
		ck_assert_double_le(r.most - r.least, 1e-13 * r.most);
		bxt_table_free(t);
	}
}
END_TEST

/* ---- Waveforms ---- */

START_TEST(test_surge)
{
	bxt_table *t = example("examples/exp-source.xml", "C1.q");
	for (size_t i = 0; i <= 100; i++) {
		const double us = bxt_table_time(t, i) * 1e6;
		/* (h/tau)^2/12 = 2e-4 of the source's exponential */
		ck_assert_double_eq_tol(value_at(t, i, "C1.q"),
					1e-4 * (1 + exp(-us) - 2 * exp(-us / 2)), 1e-4 * 2e-4);
	}
	bxt_table_free(t);
}
END_TEST

START_TEST(test_amplifiers)
{
	bxt_table *t = example("examples/ccvs.xml", "node(in).v, node(out).v");
	const double part = 1 / sqrt(1 + 0.04 * PI * PI);
	range r = range_from(t, "node(out).v", 2e-3);
	/* potentials are means over two steps, (w h)^2/8 = 1.2e-4, between rows as much again */
	ck_assert_double_eq_tol(r.most, 1 + part, 3e-4);
	ck_assert_double_eq_tol(r.least, 1 - part, 3e-4);
	ck_assert_double_eq_tol(largest(t, "node(in).v"), 0, 1e-12);
	bxt_table_free(t);

	t = example("examples/n-jfet.xml", "node(d).v, node(s).v");
	r = range_from(t, "node(d).v", 0);
	ck_assert_double_eq_tol(value_at(t, 0, "node(s).v"), 1, 1e-2); /* the sine has begun */
	/* 8 V and 0.8/3 V; the square law's second harmonic moves the middle by I''/4 */
	ck_assert_double_eq_tol((r.most + r.least) / 2, 8, 3e-3);
	ck_assert_double_eq_tol((r.most - r.least) / 2, 0.8 / 3, 1e-3);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_push_pull)
{
	bxt_table *t = example("examples/pnp.xml", "node(out).v, Q1.iC, Q2.iC");
	double v = 4; /* at the peak: 5 V = v + Vt ln(v/100 ohm/Is beta/(beta + 1)) + RB i_B */
	for (int k = 0; k < 50; k++)
		v = 5 - 0.02585 * log(v / 1.01 / 1e-12) - v / 101 / 100;
	const range r = range_from(t, "node(out).v", 0);
	ck_assert_double_eq_tol(r.most, v, 1e-3); /* the row nearest to the peak */
	ck_assert_double_eq_tol(r.least, -v, 1e-3);
	/* 0.3 V at the input: 1e-14 A exp(0.3/0.02585) = 1 nA and 100 ohm */
	ck_assert_double_le(fabs(value_at_time(t, 1e-5, "node(out).v")), 1e-6);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_oscillators)
{
	bxt_table *t = example("examples/vcvs.xml", "C2.q");
	/* linear and undamped: sqrt 2 for ever; between rows (w h)^2/8 */
	for (int period = 0; period < 10; period++)
		ck_assert_double_eq_tol(range_from(t, "C2.q", period * 2e-4 * PI).most,
					sqrt(2) * 1e-8, 1e-8 * 1e-4);
	bxt_table_free(t);

	t = example("examples/hysteresis-switch.xml", "C1.q");
	const range r = range_from(t, "C1.q", 9e-3); /* after the first discharge */
	double first = 0, last = 0;
	int periods = -1;
	for (size_t i = 1; i < bxt_table_rows(t); i++)
		if (value_at(t, i - 1, "C1.q") > 4e-6 && value_at(t, i, "C1.q") <= 4e-6) {
			last = bxt_table_time(t, i);
			first = periods++ < 0 ? last : first;
		}
	ck_assert_int_eq(periods, 2);
	/* it closes above 6 V and opens below 2 V; turning takes about 10 us of 100 and 10000 us */
	ck_assert_double_eq_tol(r.most, 6e-6, 0.05e-6);
	ck_assert_double_eq_tol(r.least, 1.9e-6, 0.1e-6);
	/* two exponentials between what was found, and the turning */
	ck_assert_double_eq_tol((last - first) / periods,
				1e-2 * log((1e-5 - r.least) / (1e-5 - r.most)) +
					1e-4 * log(r.most / r.least),
				5e-5);
	bxt_table_free(t);
}
END_TEST

/* ---- Power ---- */

START_TEST(test_power)
{
	bxt_table *t = example("examples/am-source.xml", "node(out).v");
	range r = range_from(t, "node(out).v", 1e-3);
	/* 7.5 V and 2.5 V less a diode at some mA, and the droop between the peaks */
	ck_assert_double_eq_tol(r.most, 7.5 - 0.7, 0.1);
	ck_assert_double_eq_tol(r.least, 2.5 - 0.7, 0.3);
	bxt_table_free(t);

	t = example("examples/switch.xml", "node(out).v");
	r = range_from(t, "node(out).v", 1.5e-3);
	ck_assert_double_eq_tol((r.most + r.least) / 2, 0.48 * 12 - 0.52 * 0.8, 0.1);
	bxt_table_free(t);

	t = example("examples/voltage-switch.xml", "node(out).v, node(in).v");
	r = range_from(t, "node(out).v", 20e-3);
	ck_assert(r.most > 9.9 && r.most < 10);
	ck_assert_double_ge(r.least, 9.9 * exp(-0.2));
	bxt_table_free(t);

	t = example("examples/zener.xml", "node(out).v");
	r = range_from(t, "node(out).v", 20e-3);
	double v[2];
	for (int k = 0; k < 2; k++) {
		v[k] = 5.1; /* i = (Vin - v)/470 ohm - v/1 kohm */
		for (int n = 0; n < 50; n++)
			v[k] = 5.1 + 0.05 * log(((10 + 4 * k - v[k]) / 470 - v[k] / 1000) / 5e-3);
	}
	/* the extremes of slow sines, filtered by 0.5 us */
	ck_assert_double_eq_tol(r.least, v[0], 1e-4);
	ck_assert_double_eq_tol(r.most, v[1], 1e-4);
	bxt_table_free(t);

	t = example("examples/coupled-inductors-3.xml", "node(b).v, node(c).v");
	/* phasors of the three windings, solved elsewhere; the flux of the start is still there */
	ck_assert_double_eq_tol(range_from(t, "node(b).v", 0.1).most, 22.8528, 0.15);
	ck_assert_double_eq_tol(range_from(t, "node(c).v", 0.1).most, 11.4264, 0.08);
	bxt_table_free(t);
}
END_TEST

/* Half way up the ramp, 50 ns, and then the line's delay. */
START_TEST(test_lines)
{
	bxt_table *t = example("examples/line-section-pi.xml", "node(n4).v, node(n8).v");
	/* the ladder's dispersion costs some ns, and the ramp rises by 5 mV a ns */
	ck_assert_double_eq_tol(value_at_time(t, 130e-9, "node(n4).v"), 0.25, 0.025);
	ck_assert_double_eq_tol(value_at_time(t, 210e-9, "node(n8).v"), 0.25, 0.025);
	bxt_table_free(t);
	t = example("examples/line-section-t.xml", "node(n0).v, node(n8).v");
	ck_assert_double_eq_tol(value_at_time(t, 210e-9, "node(n8).v"), 0.5, 0.05);
	ck_assert_double_eq_tol(value_at_time(t, 300e-9, "node(n0).v"), 0.5, 0.05);
	ck_assert_double_eq_tol(value_at_time(t, 370e-9, "node(n0).v"), 0.75, 0.05);
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("examples")
{
	const test_case tests[] = {
		{"ends", test_ends},
		{"kept energy", test_kept_energy},
		{"surge", test_surge},
		{"amplifiers", test_amplifiers},
		{"push-pull", test_push_pull},
		{"oscillators", test_oscillators, .slow = true},
		{"power", test_power, .slow = true},
		{"lines", test_lines},
	};
	ADD_TESTS(tests);
}
