/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The roots of a step against closed forms, and against LAPACK's of a matrix built column by column
 * from whole steps. */
#include "ground/sparse/lapack.h"
#include "motion/start/start.h"
#include "motion/step/spectrum.h"
#include "run/simulation/simulation.h"
#include "run/trust/trust.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Roots of a step from the start; an all-zero result where the scheme was refused before. */
static bxt_roots roots_of(const char *xml, bxt_run_def def)
{
	model m = model_of_text(xml);
	bxt_settings settings;
	bxt_stepper *st = NULL;
	bxt_spectrum *sp = NULL;
	bxt_roots roots;
	bxt_state *state = NULL;
	bxt_run_def start = def; /* any scheme may be looked at from the start of gauss1 */
	start.scheme = "gauss1";
	start.rule = NULL;
	start.theta = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &start, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st), BXT_OK);
	ck_assert_int_eq(bxt_spectrum_new(st, &sp), BXT_OK);
	ck_assert_int_eq(bxt_spectrum_find(sp, state, def.step, BXT_ROOT_VECTORS, &roots), BXT_OK);
	bxt_spectrum_free(sp);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
	return roots;
}

static bxt_run_def with(const char *scheme, const char *rule, double h)
{
	return (bxt_run_def){.size = sizeof(bxt_run_def),
			     .scheme = scheme,
			     .rule = rule,
			     .step = h,
			     .end = 100 * h};
}

#define RC                                                                                         \
	NETLIST("<capacitor id='C' p='a' n='0' C='2 uF' q='1 uC'/>"                                \
		"<resistor id='R' p='a' n='0' R='3 kohm'/>")

/* gauss1 on q' = -q/tau: (1 - h/2 tau)/(1 + h/2 tau). */
START_TEST(resistor_and_capacitor)
{
	static const double steps[] = {5, 20, 100, 1e4}; /* of tau */
	const double tau = 6e-3;
	for (size_t k = 0; k < sizeof steps / sizeof *steps; k++) {
		const double x = steps[k] / 2, z = (1 - x) / (1 + x);
		const bxt_roots r = roots_of(RC, with("gauss1", NULL, steps[k] * tau));
		ck_assert_double_eq_tol(r.ringing.re, z, 1e-12);
		ck_assert_double_eq(r.growing.size, 0);
		ck_assert_double_eq(r.alternating.size, 0);
		/* radau3 damps: no root near -1 at any step */
		ck_assert_double_eq(roots_of(RC, with("radau3", NULL, steps[k] * tau)).ringing.size,
				    0);
	}
	/* short steps do not ring: -0.3 is at 3.7 tau */
	ck_assert_double_eq(roots_of(RC, with("gauss1", NULL, 3.6 * tau)).ringing.size, 0);
}
END_TEST

#define OSCILLATOR(extra)                                                                          \
	NETLIST("<mass id='M' a='m' m='2'/><spring id='K' a='wall' b='m' k='8'/>" extra            \
		"<node id='m' kind='translational' x='0.1'/>")

/* omega = 2. Euler's |z|^2 = 1 + (omega h)^2; rk4's polynomial of degree 4; symplectic Euler,
 * dirac+ with rectangle, z = -1 + ... beyond omega h = 2. */
START_TEST(oscillator)
{
	const double h = 0.3, w = 2 * h;
	bxt_roots r = roots_of(OSCILLATOR(""), with("euler", NULL, h));
	ck_assert_double_eq_tol(r.growing.size, sqrt(1 + w * w), 1e-9);
	r = roots_of(OSCILLATOR(""), with("gauss1", NULL, h));
	ck_assert_double_eq(r.growing.size + r.alternating.size + r.ringing.size, 0);
	const double W = 3.2, re = 1 - W * W / 2 + pow(W, 4) / 24, im = W - pow(W, 3) / 6;
	r = roots_of(OSCILLATOR(""), with("rk4", NULL, W / 2));
	ck_assert_double_eq_tol(r.alternating.size + r.growing.size, hypot(re, im), 1e-8);
	/* trace 2 - (omega h)^2, determinant 1 */
	const double a = 1 - 2.5 * 2.5 / 2;
	r = roots_of(OSCILLATOR(""), with("dirac+", "rectangle", 1.25));
	ck_assert_double_eq_tol(r.alternating.re, a - sqrt(a * a - 1), 1e-9);
}
END_TEST

#define TANK                                                                                       \
	NETLIST("<capacitor id='C1' p='a' n='0' C='1 nF' q='1 nC'/>"                               \
		"<capacitor id='C2' p='a' n='0' C='2 nF' q='2 nC'/>"                               \
		"<inductor id='L' p='a' n='0' L='1 uH'/>")

/*
 * Round a loop of stiffness alone, F(q) = -q/c: with points c_i, weights b_i the lift has the roots
 * of z^2 + 2 z (1 - 2 s)/(2 s) ... of numerics.md: -2 -+ sqrt(3) for rules of order 4 on a straight
 * line, 3 + 2 sqrt(2) on a parabola, -7.873 on a cubic. Units of nC change nothing.
 */
START_TEST(twelve_rules)
{
	static const struct {
		const char *rule;
		double root; /* 0: none */
	} rows[] = {
		{"simpson", -3.7320508075688772},
		{"lobatto4", -3.7320508075688772},
		{"lobatto5", -3.7320508075688772},
		{"gauss2", -3.7320508075688772},
		{"gauss3", -3.7320508075688772},
		{"gauss4", -3.7320508075688772},
		{"galerkin2-lobatto4", 5.8284271247461901},
		{"galerkin2-lobatto5", 5.8284271247461901},
		{"galerkin2-gauss3", 5.8284271247461901},
		{"galerkin2-gauss4", 5.8284271247461901},
		{"galerkin3-lobatto5", -7.8729833462074170}, /* -4 - sqrt(15) */
		{"galerkin3-gauss4", -7.8729833462074170},
		{"midpoint", 0},
		{"galerkin2-gauss2", 0},
		{"galerkin3-gauss3", 0},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		const bxt_roots r = roots_of(TANK, with("dirac+", rows[k].rule, 1e-9));
		const double z = rows[k].root < 0 ? r.alternating.re : r.growing.re;
		ck_assert_msg(fabs(z - rows[k].root) <= 1e-7, "%s: %.15g", rows[k].rule, z);
		model m = model_of_text(TANK);
		const bxt_run_def def = with("dirac+", rows[k].rule, 1e-9);
		bxt_state *state = NULL;
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state),
				 rows[k].root != 0 ? BXT_ERR_MODEL : BXT_OK);
		ck_assert_int_eq(has_finding(&m, BXT_ERROR, "C1.q, C2.q grows") ||
					 has_finding(&m, BXT_ERROR, "C2.q, C1.q grows"),
				 rows[k].root != 0);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* ---- Against a dense matrix ---- */

/* Largest |z| of the step's map from central differences of whole steps, Newton's method to the
 * end each time, in the model's own units. */
static double dense_root(const model *m, const bxt_run_def *def)
{
	enum { MOST = 40 };
	const int n = m->system->n, width = 2 * n;
	static double a[MOST * MOST], re[MOST], im[MOST], work[8 * MOST];
	bxt_settings settings;
	bxt_state *base = NULL;
	bxt_stepper *st = NULL;
	ck_assert_int_le(width, MOST);
	ck_assert_int_eq(bxt_initialize(m->system, def, m->findings, &base), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m->system, def, NULL, &settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m->system, &settings, base, &st), BXT_OK);
	const size_t bytes = (size_t)m->system->size * sizeof(double);
	double *q = malloc(bytes), *p = malloc(bytes), *x = malloc(bytes);
	memcpy(q, base->q, bytes);
	memcpy(p, base->p, bytes);
	memcpy(x, base->x, bytes);
	for (int j = 0; j < width; j++)
		for (int side = 0; side < 2; side++) {
			const double d = 1e-5;
			memcpy(base->q, q, bytes);
			memcpy(base->p, p, bytes);
			memcpy(base->x, x, bytes);
			base->t = 0;
			(j < n ? base->q : base->p)[j % n] += side ? -d : d;
			ck_assert_int_eq(bxt_stepper_solve(st, base, def->step), BXT_OK);
			ck_assert_int_eq(bxt_stepper_advance(st, base, def->step), BXT_OK);
			for (int i = 0; i < width; i++) {
				const double z = i < n ? base->q[i] : base->p[i - n];
				a[j * width + i] = side ? (a[j * width + i] - z) / (2 * d) : z;
			}
		}
	const int lwork = 8 * MOST, one = 1;
	int info;
	double none, largest = 0;
	dgeev_("N", "N", &width, a, &width, re, im, &none, &one, &none, &one, work, &lwork, &info,
	       1, 1);
	ck_assert_int_eq(info, 0);
	for (int i = 0; i < width; i++)
		largest = fmax(largest, hypot(re[i], im[i]));
	free(q);
	free(p);
	free(x);
	bxt_stepper_free(st);
	bxt_state_free(base);
	return largest;
}

/* An inverted double pendulum in angles grows by itself: nothing is refused, and the root is that
 * of the dense matrix. */
START_TEST(physical_growth)
{
	static const char xml[] =
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='arm'>"
			"<coordinate name='a' unit='rad' flow='u'/><coordinate name='b' unit='rad' "
			"flow='v'/><lagrangian>u^2 + v^2/2 + u*v*cos(a - b) - 19.62*cos(a) - "
			"9.81*cos(b)</lagrangian></component><arm id='A' a='0.1' b='-0.2'/>");
	static const char *const schemes[] = {
		"gauss1", "gauss2", "radau3", "dirac+", "discrete-gradient", "rk4"};
	for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
		model m = model_of_text(xml);
		const bxt_run_def def = with(schemes[k], NULL, 0.05);
		const double dense = dense_root(&m, &def);
		const bxt_roots r = roots_of(xml, def);
		ck_assert_uint_eq(bxt_diagnostics_count(m.findings, BXT_WARNING), 0);
		ck_assert_double_gt(dense, 1.1);
		ck_assert_msg(fabs(r.growing.size - dense) <= 1e-6, "%s: %.12g, %.12g", schemes[k],
			      r.growing.size, dense);
		model_free(&m);
	}
}
END_TEST

/*
 * A look from where the slope of a law is infinite, 3/4 q^-1/2 at q = 0, ends without factors of
 * the matrix. The step after it makes its own, and is that of a stepper that has never looked
 * there.
 */
static const char root_law[] =
	NETLIST("<nonlinear-capacitor id='C' p='a' n='0' energy='=q^1.5' q='1 C'/>"
		"<resistor id='R' p='a' n='0' R='1 ohm'/>");

START_TEST(lost_factors)
{
	model m = model_of_text(root_law);
	const bxt_run_def def = with("gauss1", NULL, 0.01);
	bxt_settings settings;
	bxt_stepper *st[2] = {NULL, NULL};
	bxt_spectrum *sp = NULL;
	bxt_state *state = NULL, *corner;
	bxt_roots roots;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	ck_assert_ptr_nonnull(corner = bxt_state_copy(state, m.system));
	memset(corner->q, 0, (size_t)m.system->size * sizeof *corner->q);
	memset(corner->x, 0, (size_t)m.system->size * sizeof *corner->x);
	for (int k = 0; k < 2; k++) {
		ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st[k]), BXT_OK);
		ck_assert_int_eq(bxt_stepper_solve(st[k], state, 0.01), BXT_OK);
		if (k == 0) {
			ck_assert_int_eq(bxt_spectrum_new(st[0], &sp), BXT_OK);
			ck_assert_int_ne(bxt_spectrum_find(sp, corner, 0.01, 4, &roots), BXT_OK);
			ck_assert(!st[0]->newton.kept);
		}
		/* as where factors cost much more than solves with them */
		st[k]->newton.keeping.price = st[k]->newton.keeping.cost[0] = 1e3;
		st[k]->newton.keeping.cost[1] = 1;
		ck_assert_int_eq(bxt_stepper_solve(st[k], state, 0.01), BXT_OK);
	}
	for (int i = 0; i < m.system->spare; i++)
		ck_assert_double_eq_tol(st[0]->x[i], st[1]->x[i], 1e-15 * fabs(st[1]->x[i]));
	bxt_spectrum_free(sp);
	bxt_stepper_free(st[0]);
	bxt_stepper_free(st[1]);
	bxt_state_free(corner);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("roots of the step")
{
	const test_case tests[] = {
		{"lost factors", lost_factors},
		{"resistor and capacitor", resistor_and_capacitor},
		{"oscillator", oscillator},
		{"twelve rules", twelve_rules},
		{"physical growth", physical_growth},
	};
	ADD_TESTS(tests);
}
