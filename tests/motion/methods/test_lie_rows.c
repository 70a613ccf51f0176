/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows on velocities in the discrete Dirac schemes on groups, against closed forms: Suslov's
 * problem, and a ball that rolls on a turntable.
 */
#include "motion/methods/lie.h"
#include "run/initial/initialize.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATRIX                                                                                     \
	"<coordinate name='R11' unit='1' flow='U11'/>"                                             \
	"<coordinate name='R21' unit='1' flow='U21'/>"                                             \
	"<coordinate name='R31' unit='1' flow='U31'/>"                                             \
	"<coordinate name='R12' unit='1' flow='U12'/>"                                             \
	"<coordinate name='R22' unit='1' flow='U22'/>"                                             \
	"<coordinate name='R32' unit='1' flow='U32'/>"                                             \
	"<coordinate name='R13' unit='1' flow='U13'/>"                                             \
	"<coordinate name='R23' unit='1' flow='U23'/>"                                             \
	"<coordinate name='R33' unit='1' flow='U33'/>"                                             \
	"<manifold kind='SO3' coordinates='R11 R21 R31 R12 R22 R32 R13 R23 R33'/>"
#define VERTICAL                                                                                   \
	"<symmetry name='vertical'><generator on='R11'>-R21</generator><generator on='R21'>R11"    \
	"</generator><generator on='R12'>-R22</generator><generator on='R22'>R12</generator>"      \
	"<generator on='R13'>-R23</generator><generator on='R23'>R13</generator></symmetry>"
/*
 * Suslov: moments of inertia 1, 1.2, 1.4 and I13 = .3 in the frame of the body, W3 = 0 there,
 * W = (1, 0, 0) at the start. With I1 W1' = -I13 W1 W2 and I2 W2' = I13 W1^2,
 *
 *     W1 = 1/cosh(k t) ,   W2 = w tanh(k t) ,   w = sqrt(I1/I2) ,   k = I13 w/I1 .
 */
#define SUSLOV(more)                                                                               \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>" MATRIX                   \
		"<lagrangian>1.6*(U11^2 + U21^2 + U31^2)/4 + 1.2*(U12^2 + U22^2 + U32^2)/4 + "     \
		"0.8*(U13^2 + U23^2 + U33^2)/4 - 0.3*(U11*U13 + U21*U23 + U31*U33)" more           \
		"</lagrangian><constraint name='edge' kind='flow'>R12*U11 + R22*U21 + "            \
		"R32*U31</constraint>"                                                             \
		"<output name='W1' unit='rad/s'>R13*U12 + R23*U22 + R33*U32</output>"              \
		"<output name='W2' unit='rad/s'>R11*U13 + R21*U23 + R31*U33</output>"              \
		"<output name='W3' unit='rad/s'>R12*U11 + R22*U21 + R32*U31</output>" VERTICAL     \
		"</component><own id='B' R11='1' R22='1' R33='1' U32='1' U23='-1'/>")
/*
 * A ball of mass and radius 1, moment of inertia .4, on a table that turns at O = 2 rad/s: its
 * velocity turns at 2 O/7, u' = i (2 O/7) u for u = x' + i y'.
 */
#define BALL                                                                                       \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>" MATRIX                   \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/><lagrangian>(vx^2 + vy^2)/2 + 0.1*(U11^2 + U21^2 + U31^2 + U12^2 + "   \
		"U22^2 + U32^2 + U13^2 + U23^2 + U33^2)</lagrangian>"                              \
		"<constraint name='rollx' kind='flow'>vx - (R31*U11 + R32*U12 + R33*U13 - "        \
		"R11*U31 - R12*U32 - R13*U33)/2 + 2*y</constraint>"                                \
		"<constraint name='rolly' kind='flow'>vy + (R21*U31 + R22*U32 + R23*U33 - "        \
		"R31*U21 - R32*U22 - R33*U23)/2 - 2*x</constraint></component>"                    \
		"<own id='B' R11='1' R22='1' R33='1' x='0.2' vx='0.5' U31='-0.5' U13='0.5' "       \
		"U32='0.4' U23='-0.4'/>")

static bxt_run_def with(const char *scheme, const char *rule, double step, double end)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = scheme;
	def.rule = rule;
	def.step = step;
	def.end = end;
	return def;
}

/* At t = 5, or at t = -5 with lie-dirac-. */
static double suslov_error(const char *scheme, const char *rule, double step)
{
	const double w = sqrt(1 / 1.2), t_end = strcmp(scheme, "lie-dirac-") ? 5 : -5;
	bxt_run_def def = with(scheme, rule, step, 5);
	def.record = "B.W1, B.W2, B.W3";
	bxt_table *t = run_text(SUSLOV(""), &def);
	const double e = fmax(fabs(last_value(t, "B.W1") - 1 / cosh(0.3 * w * t_end)),
			      fabs(last_value(t, "B.W2") - w * tanh(0.3 * w * t_end)));
	/* flows that are recorded are grid values */
	ck_assert_double_le(largest(t, "B.W3"), 1e-14);
	bxt_table_free(t);
	return e;
}

/* Of order 1 at least; here, where A is constant in the frame of the body, 2. */
START_TEST(suslov)
{
	static const char *const schemes[] = {"lie-dirac+", "lie-dirac-"};
	for (int i = 0; i < 2; i++) {
		const double e = suslov_error(schemes[i], "trapezoid", 0.02);
		ck_assert_double_le(e, 2e-4);
		ck_assert_double_eq_tol(log2(e / suslov_error(schemes[i], "trapezoid", 0.01)), 2,
					0.05);
	}
}
END_TEST

static double ball_error(const char *rule, double step)
{
	const double turn = 4.0 / 7, end = 3;
	bxt_run_def def = with("lie-dirac+", rule, step, end);
	def.record = "B.x, B.y, B.vx, B.vy";
	bxt_table *t = run_text(BALL, &def);
	const double e = fmax(fmax(fabs(last_value(t, "B.x") - 0.2 - 0.5 * sin(turn * end) / turn),
				   fabs(last_value(t, "B.y") - 0.5 * (1 - cos(turn * end)) / turn)),
			      fmax(fabs(last_value(t, "B.vx") - 0.5 * cos(turn * end)),
				   fabs(last_value(t, "B.vy") - 0.5 * sin(turn * end))));
	bxt_table_free(t);
	return e;
}

START_TEST(ball)
{
	static const char *const rules[] = {"rectangle", "trapezoid"};
	for (int i = 0; i < 2; i++) {
		const double e = ball_error(rules[i], 0.005);
		ck_assert_double_le(e, 3e-3);
		ck_assert_double_eq_tol(log2(e / ball_error(rules[i], 0.0025)), 1, 0.05);
	}
}
END_TEST

/* On lines it is dirac+ with the rows at the base point. */
START_TEST(lines)
{
	static const char *const names[] = {"a.x", "a.y", "a.z"};
	model m = model_of_file("nonholonomic-particle.xml");
	bxt_run_def def = with("lie-dirac+", "midpoint", 0.05, 5);
	def.record = "a.x, a.y, a.z";
	bxt_table *t = model_run(&m, &def, NULL);
	def.scheme = "dirac+";
	def.constraint = "base";
	bxt_table *base = model_run(&m, &def, NULL);
	for (int i = 0; i < 3; i++)
		ck_assert_double_le(difference(base, names[i], t, names[i]), 1e-12);
	bxt_table_free(t);
	bxt_table_free(base);
	model_free(&m);
}
END_TEST

/* The row acts along the vertical symmetry, and the account of momentum closes. */
START_TEST(account)
{
	model m = model_of_text(SUSLOV(" - 3*R33 - R31"));
	bxt_run_def def = with("lie-dirac+", "gauss2", 0.01, 2);
	bxt_summary summary;
	def.record = "energy";
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_uint_eq(summary.n_symmetry, 1);
	ck_assert_double_ge(fabs(summary.symmetry[0].constraints), 0.05);
	ck_assert_double_le(summary.symmetry[0].residual, 1e-13);
	for (size_t i = 0; i < summary.n_drift; i++)
		if (strcmp(summary.drift[i].family, "constraint") == 0)
			ck_assert_double_le(summary.drift[i].max, 1e-13);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* The step's matrix against differences. */
static void check_matrix(const char *xml)
{
	static const double d = 1e-6;
	model m = model_of_text(xml);
	bxt_run_def def = with("lie-dirac+", "trapezoid", 0.3, 3);
	bxt_settings settings;
	bxt_state *state = NULL;
	bxt_stepper *st = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	ck_assert_int_eq(bxt_stepper_new(m.system, &settings, state, &st), BXT_OK);
	ck_assert_int_eq(bxt_stepper_begin(st, state, 0.3), BXT_OK);
	const int n = st->n_x;
	double *y = calloc(5 * (size_t)n, sizeof *y), *ahead = y + n, *back = y + 2 * n,
	       *sizes = y + 3 * n, *column = y + 4 * n,
	       *values = calloc((size_t)bxt_sparse_nnz(&st->pattern) + 1, sizeof *values);
	for (int i = 0; i < n; i++)
		y[i] = sin(1 + 3 * i);
	st->method->jacobian(st, y, values);
	for (int j = 0; j < n; j++) {
		const double kept = y[j];
		y[j] = kept + d;
		st->method->residual(st, y, ahead, sizes);
		y[j] = kept - d;
		st->method->residual(st, y, back, sizes);
		y[j] = kept;
		memset(column, 0, (size_t)n * sizeof *column);
		for (int k = st->pattern.colptr[j]; k < st->pattern.colptr[j + 1]; k++)
			column[st->pattern.rowind[k]] = values[k];
		for (int i = 0; i < n; i++)
			ck_assert_msg(fabs(column[i] - (ahead[i] - back[i]) / (2 * d)) < 2e-8,
				      "entry %d %d: %g for %g", i, j, column[i],
				      (ahead[i] - back[i]) / (2 * d));
	}
	free(y);
	free(values);
	bxt_stepper_free(st);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(matrices)
{
	check_matrix(SUSLOV(" - 3*R33 - R31"));
	check_matrix(BALL);
}
END_TEST

static void check_refusal(const char *xml, const char *scheme, const char *words)
{
	model m = model_of_text(xml);
	const bxt_run_def def = with(scheme, NULL, 0.01, 0.1);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s", words);
	bxt_state_free(state);
	model_free(&m);
}

START_TEST(refused)
{
	check_refusal(SUSLOV(""), "lie-midpoint", "without constraint rows; this model has 1");
	check_refusal(NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>" MATRIX
			      "<lagrangian>U11^2 + U21^2 + U31^2 + U12^2 + U22^2 + U32^2 + U13^2 + "
			      "U23^2 + U33^2</lagrangian><constraint name='lean' "
			      "kind='position'>R31</constraint></component><own id='B' R11='1' "
			      "R22='1' R33='1'/>"),
		      "lie-dirac+",
		      "without constraint rows on positions; this model has 1 (B.lean)");
}
END_TEST

/* Any allocation of a stepper and its first step may fail. */
START_TEST(memory)
{
	allocation_hook();
	model m = model_of_text(BALL);
	const bxt_run_def def = with("lie-dirac+", NULL, 0.1, 1);
	bxt_settings settings;
	bxt_state *state = NULL;
	long n = 0;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_settings_resolve(m.system, &def, NULL, &settings), BXT_OK);
	for (bool failed = true; failed; n++) {
		bxt_stepper *st = NULL;
		allocation_fail(n);
		bxt_status status = bxt_stepper_new(m.system, &settings, state, &st);
		if (status == BXT_OK)
			status = bxt_stepper_solve(st, state, 0.1);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		bxt_stepper_free(st);
	}
	ck_assert_int_gt(n, 50);
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("lie rows")
{
	const test_case tests[] = {{"suslov", suslov},     {"ball", ball},
				   {"lines", lines},       {"account", account},
				   {"matrices", matrices}, {"refused", refused},
				   {"memory", memory}};
	ADD_TESTS(tests);
}
