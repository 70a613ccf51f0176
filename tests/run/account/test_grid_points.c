/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grid values of points in a row, each of which helps to find the next, against the node's equation
 * solved by bisection: a source with a resistor and two diodes back to back, which have no memory.
 */
#include "run/account/grid_point.h"
#include "run/simulation/simulation.h"
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

static const double R = 100, IS = 1e-14, VT = 25.85e-3, GMIN = 1e-12;

static const char circuit[] = NETLIST("<voltage-source id='V' p='a' n='0' e='=%s'/>"
				      "<resistor id='R' p='a' n='b' R='100 ohm'/>"
				      "<diode id='D1' p='b' n='0'/><diode id='D2' p='0' n='b'/>");

static double current(double v)
{
	return IS * (exp(v / VT) - exp(-v / VT)) + 2 * GMIN * v;
}

/* v with (e - v)/R = i(v). */
static double by_bisection(double e)
{
	double low = -fabs(e), high = fabs(e);
	for (int k = 0; k < 200 && low < high; k++) {
		const double v = low + (high - low) / 2;
		if (v == low || v == high)
			break;
		if ((e - v) / R > current(v))
			low = v;
		else
			high = v;
	}
	return high;
}

struct followed {
	model m;
	bxt_settings settings;
	bxt_state *state;
	bxt_grid_point *g;
	double *x;
	int row; /* x index of the node's potential */
};

static void open_circuit(struct followed *f, const char *e)
{
	char text[1024];
	snprintf(text, sizeof text, circuit, e);
	const bxt_run_def def = {.size = sizeof def, .step = 1e-4, .end = 1};
	f->m = model_of_text(text);
	ck_assert_int_eq(bxt_settings_resolve(f->m.system, &def, f->m.findings, &f->settings),
			 BXT_OK);
	ck_assert_int_eq(bxt_initialize(f->m.system, &def, f->m.findings, &f->state), BXT_OK);
	ck_assert_int_eq(bxt_grid_point_new(f->m.system, &f->settings, &f->g), BXT_OK);
	f->x = calloc((size_t)f->m.system->size + BXT_LANES, sizeof *f->x);
	bxt_buffer name = {0};
	f->row = -1;
	for (int i = f->m.system->n; i < f->m.system->spare; i++)
		if (strcmp(bxt_system_x_name(f->m.system, i, &name), "node b") == 0)
			f->row = i;
	bxt_buffer_free(&name);
}

static void close_circuit(struct followed *f)
{
	bxt_grid_point_free(f->g);
	bxt_state_free(f->state);
	free(f->x);
	model_free(&f->m);
}

/* The largest distance of flows of the resistor from what bisection gives, relative. */
static double miss_at(struct followed *f, double t, double e)
{
	f->state->t = t;
	ck_assert_int_eq(bxt_grid_point_find(f->g, f->state, f->x), BXT_OK);
	const double v = by_bisection(e), i = (e - v) / R;
	double nearest = INFINITY;
	for (int k = 0; k < f->m.system->n; k++) /* the resistor's flow is one of them */
		nearest = fmin(nearest, fabs(fabs(f->x[k]) - fabs(i)));
	return nearest / 1e-2; /* of about the largest current */
}

static long factorizations(const struct followed *f)
{
	size_t entries;
	long full, reused;
	bxt_linsol_counts(f->g->values->values->solver, &entries, &full, &reused);
	return full + reused;
}

enum { POINTS = 400 };

START_TEST(along_a_sine)
{
	struct followed f;
	open_circuit(&f, "2*sin(314*t)");
	double most = 0;
	for (int k = 0; k < POINTS; k++) {
		const double t = k * 2e-6 + 2e-3;
		most = fmax(most, miss_at(&f, t, 2 * sin(314 * t)));
	}
	ck_assert_double_le(most, 1e-12);
	/* by Newton's method each point needs three or more */
	ck_assert_int_lt(factorizations(&f), POINTS / 2);
	close_circuit(&f);
}
END_TEST

/* A jump, a corner and points at other distances end the track. */
START_TEST(beyond_jumps)
{
	struct followed f;
	open_circuit(&f, "if(t &lt; 0.0105, 2*sin(314*t), if(t &lt; 0.02, -1, 50*(t - 0.02)))");
	double most = 0, t = 0;
	for (int k = 0; k < POINTS; k++, t += k % 97 == 0 ? 3.3e-5 : 1e-4) {
		const double e = t < 0.0105 ? 2 * sin(314 * t) : t < 0.02 ? -1 : 50 * (t - 0.02);
		most = fmax(most, miss_at(&f, t, e));
	}
	ck_assert_double_le(most, 1e-12);
	close_circuit(&f);
}
END_TEST

/* ---- Currents of capacitors across sources that have corners ---- */

static double of_sine(double t, bool before)
{
	const double from = 5.5e-6, w = 2 * acos(-1) * 9488;
	return t < from || (before && t < from + 1e-12) ? 0 : 5 * w * cos(w * (t - from));
}

static double of_sine_from_start(double t, bool before)
{
	const double w = 2 * acos(-1) * 9488;
	(void)before;
	return 5 * w * cos(w * t);
}

/* Up within 1.5 us from 2 us on, there for 3 us, down within .04 us: from 6.5 to 6.54 us. */
static double of_pulse(double t, bool before)
{
	const double off = before ? -1e-12 : 1e-12, at = t + off;
	return at < 2e-6 || at > 6.54e-6 ? 0 : at < 3.5e-6 ? 2e6 : at < 6.5e-6 ? 0 : -7.5e7;
}

static double of_ramp(double t, bool before)
{
	(void)t, (void)before;
	return 1e6;
}

/* Infinite right behind the start, where things are taken to rest. */
static double of_root(double t, bool before)
{
	(void)before;
	return t > 0 ? 0.5e3 / sqrt(t) : 0;
}

static const struct {
	const char *source;
	double (*slope)(double t, bool before);
} sources[] = {
	{"<sine-source id='V' p='a' n='0' amplitude='5 V' frequency='9488 Hz' delay='5.5 us'/>",
	 of_sine},
	{"<sine-source id='V' p='a' n='0' amplitude='5 V' frequency='9488 Hz'/>",
	 of_sine_from_start},
	{"<pulse-source id='V' p='a' n='0' high='3 V' delay='2 us' rise='1.5 us' width='3 us' "
	 "fall='.04 us' period='1 ms'/>",
	 of_pulse},
	{"<voltage-source id='V' p='a' n='0' e='=1e6*max(0, t)'/>", of_ramp},
	{"<voltage-source id='V' p='a' n='0' e='=1e6*abs(t)'/>", of_ramp},
	{"<voltage-source id='V' p='a' n='0' e='=1e3*sqrt(t)'/>", of_root},
	{"<voltage-source id='V' p='a' n='0' e='=if(t &lt;= 0, 0, 1e3*sqrt(t))'/>", of_root},
};

START_TEST(corners)
{
	static const char *const schemes[] = {"gauss1", "radau3"};
	enum { SOURCES = sizeof sources / sizeof *sources };
	char xml[1024];
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = schemes[_i / SOURCES];
	def.step = 1e-6;
	def.end = 1e-5;
	def.record = "V.i";
	snprintf(xml, sizeof xml, NETLIST("%s<capacitor id='C' p='a' n='0' C='50 nF'/>"),
		 sources[_i % SOURCES].source);
	bxt_table *t = run_text(xml, &def);
	const size_t n = bxt_table_rows(t);
	ck_assert_uint_ge(n, 11);
	for (size_t k = 0; k < n; k++) {
		const double time = bxt_table_time(t, k);
		const bool before = k + 1 < n && bxt_table_time(t, k + 1) - time < 1e-12;
		const double slope = sources[_i % SOURCES].slope(time, before);
		ck_assert_double_eq_tol(value_at(t, k, "V.i"), -50e-9 * slope, 1e-12);
	}
	bxt_table_free(t);
}
END_TEST

TEST_SUITE("grid points")
{
	const test_case tests[] = {
		{"along a sine", along_a_sine},
		{"beyond jumps", beyond_jumps},
		{"corners", corners, .loops = 2 * sizeof sources / sizeof *sources},
	};
	ADD_TESTS(tests);
}
