/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What structure-preserving schemes promise of constrained motion: closed forms to ten digits,
 * constraints and energy over many steps, and discrete Dirac schemes that run backward.
 */
#include "support/harness.h"

#include "motion/scheme/scheme.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LENGTH(x) (sizeof x / sizeof *x)

static bool telling(void)
{
	return getenv("BXT_TESTS_TELL") != NULL;
}

/* ---- To ten digits ---- */

/*
 * gauss3, order 6, at the step given; half of it must be closer by 2^6 unless that is round-off.
 * The values are those of the closed forms in the netlists' comments, 13 digits; of the squeezer
 * (no closed form) those of the Test Set for IVP Solvers, 12 digits.
 */
typedef struct known {
	const char *file;
	double time, step;
	double digits; /* relative error allowed */
	struct {
		const char *name;
		double value;
	} signal[7];
} known;

static const known closed_forms[] = {
	{"vertical-rolling-disk.xml",
	 1,
	 0.03125,
	 1e-10,
	 {{"disk.x", 0.4546487134128},
	  {"disk.y", 0.7080734182736},
	  {"disk.theta", 1},
	  {"disk.phi", 2},
	  {"disk.along.lambda", -1.8185948536514}, /* -2 sin 2 */
	  {"disk.across.lambda", -0.8322936730943}}},
	{"knife-edge.xml",
	 5,
	 0.03125,
	 1e-10,
	 {{"knife.x", 0.9590299125081}, {"knife.y", 7.820593127114}, {"knife.phi", 7.5}}},
	{"chaplygin-sleigh.xml",
	 1,
	 0.03125,
	 1e-10,
	 {{"s.x", 0.4159549089283},
	  {"s.y", 0.2495886445387},
	  {"s.theta", 0.8700439108575},
	  {"s.v", 0.735395184667},
	  {"s.w", 0.7029475621409}}},
	{"nonholonomic-particle.xml",
	 10,
	 0.03125,
	 1e-10,
	 {{"a.x", -0.5321691345728},
	  {"a.y", -0.5440211108894}, /* sin 10 */
	  {"a.z", -2.475833427745}}},
	{"andrews.xml",
	 0.03,
	 1e-4,
	 1e-9,
	 {{"s.beta", 15.8107711952},
	  {"s.Theta", -15.7563710584},
	  {"s.gamma", 0.0408222401196},
	  {"s.Phi", -0.534730116342},
	  {"s.delta", 0.52440996588},
	  {"s.Omega", 0.534730116342},
	  {"s.epsilon", 1.04808074104}}},
};

static double worst_drift(const bxt_summary *s)
{
	double most = 0;
	for (size_t i = 0; i < s->n_drift; i++)
		most = fmax(most, s->drift[i].max);
	return most;
}

/* The largest relative error; the largest drift of any constraint, positions included. */
static double error_of(const known *k, double step, double *drift)
{
	char record[256] = "";
	double most = 0;
	bxt_summary s;
	for (size_t i = 0; i < LENGTH(k->signal) && k->signal[i].name; i++)
		snprintf(record + strlen(record), sizeof record - strlen(record), "%s%s",
			 i ? ", " : "", k->signal[i].name);
	model m = model_of_file(k->file);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss3",
						.step = step,
						.end = k->time,
						.record = record},
				 &s);
	for (size_t i = 0; i < LENGTH(k->signal) && k->signal[i].name; i++)
		most = fmax(most, fabs(last_value(t, k->signal[i].name) / k->signal[i].value - 1));
	*drift = worst_drift(&s);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
	return most;
}

START_TEST(test_digits)
{
	static const double TRUSTED = 2e-12; /* the digits given, and round-off of a run */
	for (size_t i = 0; i < LENGTH(closed_forms); i++) {
		const known *k = &closed_forms[i];
		double drift[3];
		const double error = error_of(k, k->step, &drift[0]);
		const double twice = error_of(k, 2 * k->step, &drift[1]);
		if (telling())
			fprintf(stderr, "%s, h = %g s: %.2e (%.2e at 2 h), drift %.2e\n", k->file,
				k->step, error, twice, drift[0]);
		ck_assert_msg(error <= k->digits, "%s: off by %g of the value", k->file, error);
		/* order 6 is a factor of 64; a half of it tells it from order 4 (16) */
		ck_assert_msg(error <= TRUSTED || error <= twice / 32, "%s: %g, then %g", k->file,
			      twice, error);
		/* rows of size 10 (the squeezer's flows: 1e3 of arms of 0.04 m) by round-off */
		ck_assert_msg(drift[0] <= 1e-13, "%s: drift %g", k->file, drift[0]);
	}
}
END_TEST

/* ---- Over many steps ---- */

/*
 * 1e5 steps. A quadratic energy is exact but for round-off: as a random walk 6e-14 of what is
 * exchanged; a trend of 1e-17 a step would be 1e-11 in 1e6 steps. The coefficients of gauss2 are
 * rounded, in one direction: 2e-17 a step were found. That of the vortices swings in a band whose
 * lowest point is the start, but for 8e-12, found in 1e6 steps.
 */
typedef struct endurance {
	const char *file, *scheme;
	double step;
	double size;  /* [J] of the energies exchanged */
	double each;  /* of that size, allowed in each step */
	double band;  /* [J] instead: above the start, and how far below is `each` */
	double drift; /* of rows at stages and at grid points: round-off of their terms */
} endurance;

static const endurance endurances[] = {
	{"rolling-disk.xml", "gauss1", 0.05, 3.2, 1e-17, 0, 1e-14},
	{"vertical-rolling-disk.xml", "gauss1", 0.05, 3, 1e-17, 0, 1e-14},
	{"pendulum-cartesian.xml", "gauss1", 0.05, 10, 1e-17, 0, 1e-14},
	{"pendulum-cartesian.xml", "gauss2", 0.05, 10, 1e-16, 0, 1e-14},
	{"four-bar.xml", "gauss1", 0.05, 60, 1e-17, 0, 1e-13},
	{"nonholonomic-particle.xml", "gauss1", 0.05, 1, 1e-17, 0, 1e-14},
	{"point-vortices.xml", "gauss1", 1, 0.7, 2e-16, 1.600118e-4, 0},
};

enum { STEPS = 100000 };

static double mean_of(const bxt_table *t, const char *name, size_t from, size_t to)
{
	double sum = 0;
	for (size_t i = from; i < to; i++)
		sum += value_at(t, i, name);
	return sum / (double)(to - from);
}

static void check_endurance(const endurance *e)
{
	bxt_summary s;
	model m = model_of_file(e->file);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = e->scheme,
						.step = e->step,
						.end = campaign(STEPS) * e->step,
						.every = 10,
						.record = "energy"},
				 &s);
	const size_t n = bxt_table_rows(t);
	const double start = value_at(t, 0, "energy");
	const double trend = mean_of(t, "energy", n / 2, n) - mean_of(t, "energy", 0, n / 2);
	double least = 0, most = 0, rows = 0, position = 0;
	for (size_t i = 0; i < n; i++) {
		least = fmin(least, value_at(t, i, "energy") - start);
		most = fmax(most, value_at(t, i, "energy") - start);
	}
	for (size_t i = 0; i < s.n_drift; i++)
		if (strcmp(s.drift[i].family, "position") == 0)
			position = s.drift[i].max;
		else
			rows = fmax(rows, s.drift[i].max);
	if (telling())
		fprintf(stderr,
			"%s, %s: energy %.2e to %.2e J, trend %.2e, rows %.2e, positions %.2e, %ld "
			"halvings\n",
			e->file, e->scheme, least, most, trend, rows, position, s.halvings);
	const double exact = campaign(STEPS) * e->each * e->size;
	ck_assert_msg(least >= -exact && most <= exact + e->band, "%s: energy off by %g to %g J",
		      e->file, least, most);
	/* of one half against the other; a band is swept a few hundred times */
	ck_assert_msg(fabs(trend) <= exact + e->band / 100, "%s: trend %g J", e->file, trend);
	ck_assert_int_eq(s.halvings, 0);
	ck_assert_msg(rows <= e->drift, "%s: drift %g", e->file, rows);
	/* lengths, quadratic, too: 3e-14 as a random walk, 1e-12 with a trend of 1e-17 a step */
	ck_assert_msg(position <= campaign(STEPS) * 1e-17, "%s: positions off by %g", e->file,
		      position);
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(test_endurance)
{
	for (size_t i = 0; i < LENGTH(endurances); i++)
		check_endurance(&endurances[i]);
}
END_TEST

/* x p_y - y p_x is quadratic: kept by Gauss schemes, and by dirac+ as its discrete momentum map. */
START_TEST(test_angular_momentum)
{
	/* 1e5 steps of 1e-17 in one direction, as a random walk 3e-14 */
	static const struct {
		const char *scheme, *rule;
		double allowed;
	} schemes[] = {{"gauss1", NULL, 1e-12},
		       {"gauss2", NULL, 1e-12},
		       {"gauss3", NULL, 1e-12},
		       {"dirac+", "midpoint", 1e-12},
		       {"dirac+", "rectangle", 1e-12}};
	for (size_t k = 0; k < LENGTH(schemes); k++) {
		model m = model_of_file("kepler.xml");
		bxt_table *t = model_run(&m,
					 &(bxt_run_def){.size = sizeof(bxt_run_def),
							.scheme = schemes[k].scheme,
							.rule = schemes[k].rule,
							.every = 10,
							.record = "p.x, p.y, p.x.p, p.y.p"},
					 NULL);
		double most = 0;
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			most = fmax(most,
				    fabs(value_at(t, i, "p.x") * value_at(t, i, "p.y.p") -
					 value_at(t, i, "p.y") * value_at(t, i, "p.x.p") - 0.8));
		if (telling())
			fprintf(stderr, "Kepler, %s: angular momentum off by %.2e\n",
				schemes[k].scheme, most);
		ck_assert_msg(most <= schemes[k].allowed, "%s: off by %g", schemes[k].scheme, most);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* ---- Where the rows of dirac+ are taken ---- */

/* The energy at the end of 3000 steps of 0.1 s; 2 J is in the heading, 1 J in rolling. */
static double disk_energy(const char *rule, const char *constraint, bool *warned)
{
	model m = model_of_file("vertical-rolling-disk.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "dirac+",
						.rule = rule,
						.constraint = constraint,
						.step = 0.1,
						.end = 300,
						.every = 10,
						.record = "energy"},
				 NULL);
	const double energy = last_value(t, "energy");
	*warned = has_finding(&m, BXT_WARNING, "dissipative");
	if (telling())
		fprintf(stderr, "rolling disk, dirac+ %s, %s: %.12g J after %.12g J\n", rule,
			constraint, energy, value_at(t, 0, "energy"));
	bxt_table_free(t);
	model_free(&m);
	return energy;
}

START_TEST(test_base_point)
{
	static const char *const rules[] = {"midpoint", "rectangle"};
	for (size_t k = 0; k < LENGTH(rules); k++) {
		bool warned;
		/* a factor 1 - (w_p h)^2/2 = 0.98 of rolling in each step: nothing is left of it */
		ck_assert_double_eq_tol(disk_energy(rules[k], "base", &warned), 2, 1e-9);
		ck_assert(warned);
		/* no part of it; only the start, where p_0 stands for the momentum before half an
		 * impulse, makes a difference of once (w_p h/2)^4/16 = 6e-6 */
		ck_assert_double_eq_tol(disk_energy(rules[k], "midpoint", &warned), 3, 1e-5);
		ck_assert(!warned);
	}
}
END_TEST

/* ---- dirac- retraces dirac+ ---- */

#define SERIES                                                                                     \
	NETLIST("<voltage-source id='V' p='in' n='0' e='=cos(1.7*t)'/>"                            \
		"<resistor id='R' p='in' n='a' R='0.4 ohm'/>"                                      \
		"<inductor id='L' p='a' n='b' L='0.75 H'/>"                                        \
		"<capacitor id='C' p='b' n='0' C='1.25 F' q='0.5 C'/>")

typedef struct retrace {
	const char *file, *xml; /* one of both */
	const char *rule, *constraint;
	double step;
	int steps;
	double size; /* of coordinates and momenta */
	/* what round-off grows by: a dissipative motion on its way back, e^(R/2L 10 s); the double
	 * root -1 of the midpoint rule along a lossless loop, with the number of steps */
	double grows;
	const char *coordinates[4], *momenta[4];
} retrace;

static const retrace retraces[] = {
	{"spring-chain-torn.xml",
	 NULL,
	 "rectangle",
	 NULL,
	 0.01,
	 250,
	 1,
	 1,
	 {"node(left.m1).x", "node(left.m2).x", "node(right.m2).x", "node(right.m3).x"},
	 {0}},
	{"spring-chain-torn.xml",
	 NULL,
	 "midpoint",
	 NULL,
	 0.01,
	 250,
	 1,
	 1,
	 {"node(left.m1).x", "node(left.m2).x", "node(right.m2).x", "node(right.m3).x"},
	 {0}},
	{"lc-leok-ohsawa.xml",
	 NULL,
	 "midpoint",
	 NULL,
	 0.05,
	 250,
	 10,
	 100, /* the double root -1 along its loop */
	 {"l.q", "c1.q", "c2.q", "c3.q"},
	 {"l.p"}},
	{NULL, SERIES, "midpoint", NULL, 0.1, 100, 1, 14, {"C.q", "L.q"}, {"L.p"}},
	{"vertical-rolling-disk.xml",
	 NULL,
	 "midpoint",
	 NULL,
	 0.05,
	 200,
	 20,
	 1,
	 {"disk.x", "disk.y", "disk.theta", "disk.phi"},
	 {"disk.x.p", "disk.y.p", "disk.theta.p"}},
	{"pendulum-cartesian.xml",
	 NULL,
	 "midpoint",
	 NULL,
	 0.01,
	 200,
	 1,
	 1,
	 {"node(p).x", "node(p).y"},
	 {0}},
};

static size_t names_of(const char *const *names)
{
	size_t n = 0;
	while (n < 4 && names[n])
		n++;
	return n;
}

/* q_k forward and backward; p_k^- = p_k^+ - A^T mu_k = 2 pc - p, but for the last, where the way
 * back begins with p^+. */
static double apart(const retrace *r, const bxt_table *forward, const bxt_table *backward)
{
	double most = 0;
	char centred[32];
	for (int k = 0; k <= r->steps; k++) {
		const size_t there = (size_t)k, back = (size_t)(r->steps - k);
		for (size_t i = 0; i < names_of(r->coordinates); i++)
			most = fmax(most, fabs(value_at(forward, there, r->coordinates[i]) -
					       value_at(backward, back, r->coordinates[i])));
		for (size_t i = 0; i < names_of(r->momenta) && k < r->steps; i++) {
			snprintf(centred, sizeof centred, "%sc", r->momenta[i]);
			most = fmax(most, fabs(2 * value_at(forward, there, centred) -
					       value_at(forward, there, r->momenta[i]) -
					       value_at(backward, back, r->momenta[i])));
		}
	}
	return most;
}

/* From the end of a dirac+ run back to its start. */
static double way_back(const retrace *r)
{
	char record[256] = "";
	for (size_t i = 0; i < names_of(r->coordinates); i++)
		snprintf(record + strlen(record), sizeof record - strlen(record), "%s%s",
			 i ? ", " : "", r->coordinates[i]);
	for (size_t i = 0; i < names_of(r->momenta); i++)
		snprintf(record + strlen(record), sizeof record - strlen(record), ", %s, %sc",
			 r->momenta[i], r->momenta[i]);
	model m = r->file ? model_of_file(r->file) : model_of_text(r->xml);
	bxt_run_def def = {.size = sizeof(bxt_run_def),
			   .scheme = "dirac+",
			   .rule = r->rule,
			   .constraint = r->constraint,
			   .step = r->step,
			   .end = r->steps * r->step,
			   .every = 1,
			   .record = record};
	bxt_state *state;
	bxt_table *forward = model_run_to(&m, &def, NULL, &state);
	def.scheme = "dirac-";
	bxt_table *backward = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(backward, &sink);
	ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
	ck_assert_uint_eq(bxt_table_rows(backward), (size_t)r->steps + 1);
	ck_assert_double_eq_tol(bxt_table_time(backward, (size_t)r->steps), 0, 1e-12);
	const double most = apart(r, forward, backward);
	bxt_table_free(forward);
	bxt_table_free(backward);
	bxt_state_free(state);
	model_free(&m);
	return most;
}

START_TEST(test_way_back)
{
	/* rows at the base point are not those at the other end: an error of first order */
	static const retrace base = {.file = "vertical-rolling-disk.xml",
				     .rule = "midpoint",
				     .constraint = "base",
				     .step = 0.05,
				     .steps = 200,
				     .coordinates = {"disk.x", "disk.y"}};
	ck_assert_double_gt(way_back(&base), 0.1);
	for (size_t i = 0; i < LENGTH(retraces); i++) {
		const retrace *r = &retraces[i];
		const double most = way_back(r);
		if (telling())
			fprintf(stderr, "%s, %s, %s: %d steps back, off by %.2e of %g\n",
				r->file ? r->file : "series", r->rule,
				r->constraint ? r->constraint : "", r->steps, most, r->size);
		ck_assert_msg(most <= 2e-14 * r->size * r->grows, "%s, %s: off by %g",
			      r->file ? r->file : "series", r->rule, most);
	}
}
END_TEST

TEST_SUITE("motions")
{
	const test_case tests[] = {
		{"digits", test_digits, .slow = true},
		{"endurance", test_endurance, .slow = true},
		{"angular momentum", test_angular_momentum, .slow = true},
		{"base point", test_base_point},
		{"way back", test_way_back},
	};
	ADD_TESTS(tests);
}
