/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The scheme theta with both ends projected: Method 2 of Barbero-Linan et al. The digits are those
 * of a script in numpy that solves (39) to (43), and the equations of 7.2 for B(x), by Newton's
 * method with differences; lambda follows there from the derivative of B^T dH by complex steps.
 */
#include "motion/step/stepper.h"
#include "run/initial/initialize.h"
#include "support/allocation.h"
#include "support/harness.h"
#include "support/run_checks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PLANES(lagrangian, symmetry)                                                               \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>"                          \
		"<coordinate name='x' unit='1' flow='vx'/><coordinate name='y' unit='1' "          \
		"flow='vy'/><coordinate name='z' unit='1' flow='vz'/><lagrangian>" lagrangian      \
		"</lagrangian><constraint name='plane' kind='flow'>vz - y*vx</constraint>"         \
		"<symmetry name='up'><generator on='z'>1</generator></symmetry></component>"       \
		"<own id='a' x='1' vy='1'/>")
#define PARTICLE PLANES("(vx^2 + vy^2 + vz^2)/2 - (x^2 + y^2)/2", )
/* p = M(q) v + alpha(q) */
#define BENT PLANES("((1 + y^2)*vx^2 + vy^2 + vz^2)/2 + x*vy - (x^2 + y^2)/2", )
/* The particle as a closed port-Hamiltonian system: y = B^T dH is the velocity of a wall. */
#define CLOSED                                                                                     \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>"                          \
		"<port name='a' kind='translational'/><port-hamiltonian>"                          \
		"<state name='q' unit='m' count='3'/><state name='p' unit='N.s' count='3'/>"       \
		"<hamiltonian>(p1^2 + p2^2 + p3^2)/2 + (q1^2 + q2^2)/2</hamiltonian>"              \
		"<structure>0,0,0,1,0,0; 0,0,0,0,1,0; 0,0,0,0,0,1; -1,0,0,0,0,0; 0,-1,0,0,0,0; "   \
		"0,0,-1,0,0,0</structure><input port='a'>0;0;0;-q2;0;1</input>"                    \
		"</port-hamiltonian></component><own id='P' a='wall' q1='1' p2='1'/>")
/* B moves coordinates and momenta */
#define BOTH                                                                                       \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='own'>"                          \
		"<port name='a' kind='translational'/><port-hamiltonian>"                          \
		"<state name='q' unit='m' count='2'/><state name='p' unit='N.s' count='2'/>"       \
		"<hamiltonian>(p1^2 + p2^2)/2 + q1^2/2 + q2^4/4</hamiltonian>"                     \
		"<structure>0,0,1,0; 0,0,0,1; -1,0,0,0; 0,-1,0,0</structure>"                      \
		"<input port='a'>0.3*sin(q2);0;-q2;1</input></port-hamiltonian></component>"       \
		"<own id='P' a='wall' q1='1' q2='0.5' p1='0.2' p2='=0.1 - 0.3*sin(0.5)'/>")

static bxt_run_def projected(const char *theta, double step, double end, const char *record)
{
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.scheme = "theta";
	def.theta = theta;
	def.projection = "on";
	def.step = step;
	def.end = end;
	def.record = record;
	return def;
}

/* The last row's values; 200 steps of round-off. */
static void compare(const char *xml, const bxt_run_def *def, const double *expected)
{
	bxt_table *t = run_text(xml, def);
	char names[200], *rest = names;
	snprintf(names, sizeof names, "%s", def->record);
	for (char *name = strtok_r(names, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
		ck_assert_double_eq_tol(last_value(t, name), *expected++, 2e-13);
	bxt_table_free(t);
}

static const char *const MECHANICAL = "a.x, a.y, a.z, a.vx, a.vy, a.vz";

START_TEST(particle)
{
	static const double half[] = {-.53067501966809, -.54227252198297, -2.47622092695032,
				      -.74507717865051, -.84020266120873, .40403488073877},
			    third[] = {-.47476828815902, -.59833286261048, -2.47623552062159,
				       -.84942607726425, -.92909827344467, .50823953638551},
			    one[] = {-.57504678490765, -.41836253732506, -2.37266074349873,
				     -.50958162258424, -.65717730956809, .21318986059856},
			    bent[] = {.21545798633106, -.70607443172654, -2.57928371346872,
				      .83963572814657, -.21717112507149, -.59284531960839};
	bxt_run_def def = projected("0.5", .05, 10, MECHANICAL);
	compare(PARTICLE, &def, half);
	compare(BENT, &def, bent);
	def.theta = "0.3";
	compare(PARTICLE, &def, third);
	def.theta = "1";
	compare(PARTICLE, &def, one);
}
END_TEST

START_TEST(closed_port)
{
	static const double particle[] = {-.53067501966809, -.54227252198297, -2.47622092695032,
					  -.74507717865051, -.84020266120873, .40403488073877},
			    both[] = {.0099329470436, .23848038332032, 1.00702162376147,
				      .23945097587439};
	bxt_run_def def = projected("0.5", .05, 10, "P.q1, P.q2, P.q3, P.p1, P.p2, P.p3");
	compare(CLOSED, &def, particle);
	def = projected("0.5", .1, 5, "P.q1, P.q2, P.p1, P.p2");
	compare(BOTH, &def, both);
}
END_TEST

/* How far x and vz of the particle at t = 10 s are from its closed form (its netlist tells). */
static double error(const char *theta, double step)
{
	const bxt_run_def def = projected(theta, step, 10, MECHANICAL);
	bxt_table *t = run_text(PARTICLE, &def);
	const double e = fmax(fabs(last_value(t, "a.x") + .5321691345728),
			      fabs(last_value(t, "a.z") + 2.475833427745));
	bxt_table_free(t);
	return e;
}

START_TEST(orders)
{
	ck_assert_double_eq_tol(log2(error("0.5", .05) / error("0.5", .025)), 2, .05);
	ck_assert_double_eq_tol(log2(error("0.6", .0125) / error("0.6", .00625)), 1, .1);
}
END_TEST

/* Rows hold at both ends; the accounts of momentum and energy close in every step. */
START_TEST(accounts)
{
	static const char *const models[] = {PARTICLE, BENT};
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(models[k]);
		const bxt_run_def def = projected("0.5", .05, 10, MECHANICAL);
		bxt_summary summary;
		bxt_table *t = model_run(&m, &def, &summary);
		for (size_t i = 0; i < bxt_table_rows(t); i++)
			ck_assert_double_le(fabs(value_at(t, i, "a.vz") -
						 value_at(t, i, "a.y") * value_at(t, i, "a.vx")),
					    1e-14);
		ck_assert_uint_eq(summary.n_symmetry, 1);
		ck_assert_double_ge(fabs(summary.symmetry[0].constraints), .3);
		ck_assert_double_le(summary.symmetry[0].residual, 1e-14);
		bxt_summary_free(&summary);
		bxt_table_free(t);
		model_free(&m);
	}
	/* a turntable that turns by itself does work through its row, and energy is quadratic */
	model m = model_of_file("turntable.xml");
	const bxt_run_def def = projected("0.5", .05, 20, "energy");
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	ck_assert_double_ge(summary.total.supplied, .01);
	ck_assert_double_le(fabs(summary.total.residual), 1e-15);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* With constant A the step is that of gauss1. */
START_TEST(constant_rows)
{
	static const char record[] = "L1.q, L2.q, L3.q, L3.i";
	model m = model_of_file("l-cutset.xml");
	bxt_run_def def = projected("0.5", 2e-5, .002, record);
	bxt_table *a = model_run(&m, &def, NULL);
	def.scheme = "gauss1";
	bxt_table *b = model_run(&m, &def, NULL);
	ck_assert_double_ge(largest(b, "L3.q"), 1e-6);
	ck_assert_double_le(difference(a, "L3.q", b, "L3.q"), 1e-12);
	ck_assert_double_le(difference(a, "L3.i", b, "L3.i"), 1e-12);
	bxt_table_free(a);
	bxt_table_free(b);
	model_free(&m);
}
END_TEST

START_TEST(refused)
{
	model m = model_of_file("rigid-body-sphere.xml");
	const bxt_run_def def = projected("0.5", .01, 1, NULL);
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "lie on a manifold: leave the projection out"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* Any allocation of a stepper and its first step may fail. */
START_TEST(memory)
{
	allocation_hook();
	model m = model_of_text(PARTICLE);
	const bxt_run_def def = projected("0.5", .05, 1, MECHANICAL);
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
			status = bxt_stepper_solve(st, state, .05);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		bxt_stepper_free(st);
	}
	ck_assert_int_gt(n, 50); /* else nothing was tested */
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("projected ends")
{
	const test_case tests[] = {
		{"particle", particle}, {"closed port", closed_port},     {"orders", orders},
		{"accounts", accounts}, {"constant rows", constant_rows}, {"refused", refused},
		{"memory", memory}};
	ADD_TESTS(tests);
}
