/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stages taken apart: eigenvalues of tableaux, solutions against the whole matrix, modes of chains.
 */
#include "motion/step/stepper.h"
#include "support/backward_error.h"
#include "support/harness.h"
#include "support/random_network.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const bxt_scheme *const schemes[] = {&bxt_scheme_gauss2, &bxt_scheme_gauss3,
					    &bxt_scheme_radau2, &bxt_scheme_radau3};

/* Numerator and denominator of the Pade approximation of exp(z) that is the growth of a step. */
static const struct pade {
	double above[4], below[4];
} pades[] = {
	{{1, 1. / 2, 1. / 12}, {1, -1. / 2, 1. / 12}},
	{{1, 1. / 2, 1. / 10, 1. / 120}, {1, -1. / 2, 1. / 10, -1. / 120}},
	{{1, 1. / 3}, {1, -2. / 3, 1. / 6}},
	{{1, 2. / 5, 1. / 20}, {1, -3. / 5, 3. / 20, -1. / 60}},
};

static double complex polynomial(const double *c, double complex z)
{
	return c[0] + z * (c[1] + z * (c[2] + z * c[3]));
}

static bxt_stages stages_of(const bxt_scheme *scheme)
{
	bxt_settings settings = {.scheme = scheme};
	bxt_mixture mixture;
	bxt_stages g;
	scheme->stages(&settings, &mixture, &g);
	return g;
}

/* The poles of the growth are the reciprocals of the eigenvalues of a. */
START_TEST(eigenvalues)
{
	bxt_stages g = stages_of(schemes[_i]);
	bxt_stage_mode mode[BXT_MAX_STAGES];
	double complex product[BXT_MAX_STAGES][BXT_MAX_STAGES] = {{0}};
	const int n = bxt_stage_modes(&g, mode);
	int found = 0;
	for (int m = 0; m < n; m++) {
		const double complex mu = mode[m].mu[0] + I * mode[m].mu[1];
		ck_assert(mode[m].pair == (mode[m].mu[1] > 0));
		found += 1 + mode[m].pair;
		ck_assert_double_lt(cabs(polynomial(pades[_i].below, 1 / mu)), 1e-12);
		for (int i = 0; i < g.s; i++)
			for (int k = 0; k < g.s; k++) {
				const double complex term =
					(mode[m].out[i][0] + I * mode[m].out[i][1]) * mu *
					(mode[m].in[k][0] + I * mode[m].in[k][1]);
				product[i][k] += mode[m].pair ? 2 * creal(term) : term;
			}
	}
	ck_assert_int_eq(found, g.s);
	for (int i = 0; i < g.s; i++)
		for (int k = 0; k < g.s; k++)
			ck_assert_double_lt(cabs(product[i][k] - g.a[i][k]), 1e-14);
	g.momentum[0][0] += 1e-6; /* no more the inverse of a */
	ck_assert_int_eq(bxt_stage_modes(&g, mode), 0);
}
END_TEST

START_TEST(one_stage)
{
	bxt_stages g = stages_of(&bxt_scheme_gauss1);
	bxt_stage_mode mode[BXT_MAX_STAGES];
	ck_assert_int_eq(bxt_stage_modes(&g, mode), 0);
}
END_TEST

/* ---- Against the whole matrix ---- */

static double any_number(uint64_t *seed)
{
	return (double)random_below(seed, 2000001) / 1e6 - 1;
}

static void check_network(uint64_t seed, const bxt_scheme *scheme)
{
	random_network net;
	bxt_buffer xml = {0}, record = {0};
	random_network_make(&net, seed, true);
	random_network_write(&net, NULL, false, &xml, &record);
	model m = model_of_text(xml.text);
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = scheme->name,
				 .step = 1e-3,
				 .end = 1,
				 .solver = "klu"};
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = NULL;
	bxt_stage_transform *t = NULL;
	bxt_stage_factors *f = NULL;
	bxt_buffer_free(&xml);
	bxt_buffer_free(&record);
	if (!m.system || bxt_initialize(m.system, &def, m.findings, &state) != BXT_OK) {
		model_free(&m); /* transformers carried a source to where it contradicts another */
		return;
	}
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, m.findings, &settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st), BXT_OK);
	ck_assert_int_eq(bxt_stepper_factor(st, state, settings.step), BXT_OK);
	if (st->rows.choice || st->n_x != st->stages.s * m.system->size)
		goto out;
	ck_assert_int_eq(
		bxt_stage_transform_new(st->arena, m.system, &st->stages, settings.solver, &t),
		BXT_OK);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(bxt_stage_factors_new(t, &f), BXT_OK);
	bxt_stage_transform_set_step(t, st->evaluator[0], state->q, settings.step);
	ck_assert_int_eq(bxt_stage_transform_factor(t, st->evaluator, st->q_stage, st->x, f),
			 BXT_OK);
	double *b = calloc(3 * (size_t)st->n_x, sizeof *b), *x = b + st->n_x, *y = x + st->n_x;
	for (int i = 0; i < st->n_x; i++)
		b[i] = x[i] = y[i] = any_number(&seed);
	ck_assert_int_eq(bxt_stage_transform_solve(t, f, x), BXT_OK);
	bxt_sparse whole = st->pattern;
	whole.values = st->newton.values;
	const double error = backward_error(&whole, x, b);
	ck_assert_int_eq(bxt_linsol_solve(st->solver, y), BXT_OK);
	const double usual = backward_error(&whole, y, b);
	/* the transformation mixes stages and knows of no row: steps refine what it leaves */
	ck_assert_msg(error < 1e-10 && usual < 1e-10, "%s: %g, as a whole %g", scheme->name, error,
		      usual);
	free(b);
out:
	bxt_stage_factors_free(f);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(networks)
{
	for (int k = 0; k < campaign(10); k++)
		check_network(1 + (uint64_t)k, schemes[_i]);
}
END_TEST

/* ---- A run ---- */

/*
 * N capacitors of 1 F in a row with inductors of 1 H between, in mode M: q_j = cos(pi M (j +
 * 1/2)/N), w = 2 sin(pi M / 2N). A step multiplies the amplitude q + i L i by the growth R(i w h).
 */
START_TEST(modes_of_a_chain)
{
	enum { N = 160, M = 3, STEPS = 200 };
	const double pi = acos(-1), h = 0.5, w = 2 * sin(pi * M / (2 * N));
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = schemes[_i]->name,
				 .step = h,
				 .end = STEPS * h,
				 .record = "*.q"};
	bxt_buffer xml = {0};
	bxt_summary summary;
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"chain\">");
	for (int j = 0; j < N; j++)
		bxt_buffer_printf(&xml, "<capacitor id='C%d' p='n%d' n='0' C='1 F' q='%.17g C'/>",
				  j, j, cos(pi * M * (j + 0.5) / N));
	for (int j = 0; j + 1 < N; j++)
		bxt_buffer_printf(&xml, "<inductor id='L%d' p='n%d' n='n%d' L='1 H'/>", j, j,
				  j + 1);
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	ck_assert_ptr_nonnull(m.system);
	bxt_table *table = model_run(&m, &def, &summary);
	/* one matrix for each mode, in place of that of all stages */
	ck_assert_int_eq((int)summary.factorizations, 1 + (schemes[_i]->order > 4));
	bxt_summary_free(&summary);
	const double complex z = I * w * h, growth = polynomial(pades[_i].above, z) /
						     polynomial(pades[_i].below, z);
	for (int j = 0; j < N; j++) {
		bxt_buffer name = {0};
		bxt_buffer_printf(&name, "C%d.q", j);
		ck_assert_double_eq_tol(last_value(table, name.text),
					creal(cpow(growth, STEPS)) * cos(pi * M * (j + 0.5) / N),
					1e-12);
		bxt_buffer_free(&name);
	}
	bxt_table_free(table);
	bxt_buffer_free(&xml);
	model_free(&m);
}
END_TEST

/* ---- Newton's method ---- */

typedef struct run {
	bxt_settings settings;
	bxt_state *state;
	bxt_stepper *stepper;
} run;

static run run_of(model *m, const char *scheme, const char *solver, double h)
{
	const bxt_run_def def = {
		.size = sizeof def, .scheme = scheme, .step = h, .end = 1, .solver = solver};
	run r = {.state = NULL};
	ck_assert_int_eq(bxt_initialize(m->system, &def, m->findings, &r.state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m->system, &def, m->findings, &r.settings), BXT_OK);
	return r;
}

static void free_run(run *r)
{
	bxt_stepper_free(r->stepper);
	bxt_state_free(r->state);
}

/*
 * A grid of resistors, with a diode and a capacitor at each node, step by step with KLU, whose
 * updates are divided by stages taken apart, and with UMFPACK, whose are divided by the Jacobian.
 */
START_TEST(newton_near)
{
	enum { N = 12, STEPS = 40 };
	bxt_buffer xml = {0};
	bxt_buffer_printf(&xml, "<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"grid\">"
				"<voltage-source id='V' p='n0_0' n='0' e='=sin(t)'/>");
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) {
			const int right = j + 1 < N, below = i + 1 < N;
			bxt_buffer_printf(&xml,
					  "<diode id='D%d_%d' p='n%d_%d' n='0' Is='1e-3 A' "
					  "Vt='0.1 V'/>",
					  i, j, i, j);
			if (i + j > 0)
				bxt_buffer_printf(&xml,
						  "<capacitor id='C%d_%d' p='n%d_%d' n='0' "
						  "C='1 F'/>",
						  i, j, i, j);
			for (int k = 0; k < right + below; k++)
				bxt_buffer_printf(&xml,
						  "<resistor id='R%d_%d_%d' p='n%d_%d' "
						  "n='n%d_%d' R='0.2 ohm'/>",
						  i, j, k, i, j, i + (k == right),
						  j + (k != right));
		}
	bxt_buffer_printf(&xml, "</netlist>");
	model m = model_of_text(xml.text);
	const double h = 0.05;
	run near = run_of(&m, schemes[_i]->name, "klu", h);
	run exact = run_of(&m, schemes[_i]->name, "umfpack", h);
	ck_assert_int_eq(bxt_stepper_new(m.system, &near.settings, near.state, &near.stepper),
			 BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m.system, &exact.settings, exact.state, &exact.stepper),
			 BXT_OK);
	ck_assert_ptr_nonnull(near.stepper->near);
	ck_assert_ptr_null(exact.stepper->near);
	int by_near = 0;
	double worst = 0, most = 0;
	for (int k = 1; k <= STEPS; k++) {
		near.stepper->near->preferred = true; /* whatever it costs */
		near.stepper->near->left = 1;
		ck_assert_int_eq(bxt_stepper_solve(near.stepper, near.state, h), BXT_OK);
		ck_assert_int_eq(bxt_stepper_solve(exact.stepper, exact.state, h), BXT_OK);
		by_near += near.stepper->newton.by_near.all;
		ck_assert_int_eq(bxt_stepper_advance(near.stepper, near.state, k * h), BXT_OK);
		ck_assert_int_eq(bxt_stepper_advance(exact.stepper, exact.state, k * h), BXT_OK);
		for (int c = 0; c < m.system->n; c++) {
			worst = fmax(worst, fabs(near.state->q[c] - exact.state->q[c]));
			most = fmax(most, fabs(exact.state->q[c]));
		}
	}
	ck_assert_int_gt(by_near, STEPS / 4);
	ck_assert_double_lt(worst, 1e-13 * most);
	free_run(&near);
	free_run(&exact);
	bxt_buffer_free(&xml);
	model_free(&m);
}
END_TEST

TEST_SUITE("stages taken apart")
{
	const test_case tests[] = {
		{"eigenvalues", eigenvalues, .loops = COUNT(schemes)},
		{"one stage", one_stage},
		{"networks", networks, .loops = COUNT(schemes)},
		{"Newton's method", newton_near, .loops = COUNT(schemes)},
		{"modes of a chain", modes_of_a_chain, .loops = COUNT(schemes)},
	};
	ADD_TESTS(tests);
}
