/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What Radau schemes do to the energy by themselves: on an oscillator it is known from their
 * stability functions, and elsewhere nothing of the residual is left but round-off.
 */
#include "support/harness.h"

#include <complex.h>
#include <math.h>

/* The stability functions (Hairer and Wanner II, table 5.6 of section IV.5). */
static double complex radau2(double complex z)
{
	return (1 + z / 3) / (1 - 2 * z / 3 + z * z / 6);
}

static double complex radau3(double complex z)
{
	return (1 + 2 * z / 5 + z * z / 20) / (1 - 3 * z / 5 + 3 * z * z / 20 - z * z * z / 60);
}

static const struct {
	const char *name;
	double complex (*stability)(double complex z);
	double step;
} schemes[] = {{"radau2", radau2, 0.1},
	       {"radau3", radau3, 0.1},
	       {"radau2", radau2, 0.5},
	       {"radau3", radau3, 0.5}};

static bxt_summary run_for(const char *xml, const bxt_run_def *def)
{
	model m = model_of_text(xml);
	bxt_summary s = {.size = sizeof s};
	bxt_table *t = model_run(&m, def, &s);
	bxt_table_free(t);
	model_free(&m);
	return s;
}

/* w = 2/s: each step multiplies the energy by |R(i w h)|^2. */
START_TEST(oscillator)
{
	const double h = schemes[_i].step, end = 10;
	const bxt_run_def def = {
		.size = sizeof def, .scheme = schemes[_i].name, .step = h, .end = end};
	bxt_summary s = run_for(NETLIST("<inductor id='L' p='a' n='0' L='0.25 H'/>"
					"<capacitor id='C' p='a' n='0' C='1 F' q='3 C'/>"),
				&def);
	const double factor = pow(cabs(schemes[_i].stability(2 * I * h)), 2);
	const double lost = 4.5 * (1 - pow(factor, round(end / h)));
	ck_assert(s.taken.has_numerical);
	ck_assert_double_ge(lost, 1e-6);
	ck_assert_double_eq_tol(s.taken.numerical, -lost, 1e-12);
	ck_assert_double_eq_tol(s.total.residual, s.taken.numerical, 1e-12);
	bxt_summary_free(&s);
}
END_TEST

/* Of a nonlinear circuit with losses, a gyrator and a source, and of a pendulum on a rod: nothing
 * but round-off is left. */
static const char *const models[] = {
	NETLIST("<voltage-source id='V' p='a' n='0' e='=3*sin(5*t)'/>"
		"<resistor id='R' p='a' n='b' R='1 ohm'/><inductor id='L' p='b' n='c' L='1 H'/>"
		"<diode id='D' p='c' n='d'/><capacitor id='C' p='d' n='0' C='0.1 F'/>"
		"<resistor id='Q' p='d' n='0' R='5 ohm'/>"),
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='bob' domain='mechanical'>"
		"<coordinate name='x' unit='m' flow='vx'/><coordinate name='y' unit='m' "
		"flow='vy'/>"
		"<lagrangian>(1 + x^2)*(vx^2 + vy^2)/2 - 9.81*y</lagrangian>"
		"<rayleigh>0.1*(vx^2 + vy^2)/2</rayleigh>"
		"<constraint name='rod' kind='position'>x^2 + y^2 - 1</constraint></component>"
		"<bob id='b' x='0.6' y='-0.8'/>"),
};

START_TEST(nothing_is_left)
{
	for (int adaptive = 0; adaptive < 2; adaptive++)
		for (int k = 0; k < 2; k++) {
			const bxt_run_def def = {.size = sizeof def,
						 .scheme = schemes[k].name,
						 .step = 0.05,
						 .end = 3,
						 .tolerance = adaptive ? 1e-4 : 0};
			bxt_summary s = run_for(models[_i], &def);
			ck_assert(s.taken.has_numerical);
			ck_assert_double_ge(fabs(s.taken.numerical), 1e-8);
			ck_assert_double_eq_tol(s.total.residual, s.taken.numerical, 1e-12);
			bxt_summary_free(&s);
		}
}
END_TEST

/* Gauss schemes lose nothing by themselves on an oscillator, and say nothing of it. */
START_TEST(other_schemes)
{
	const bxt_run_def def = {.size = sizeof def, .scheme = "gauss2", .step = 0.1, .end = 1};
	bxt_summary s = run_for(models[0], &def);
	ck_assert(!s.taken.has_numerical);
	ck_assert_double_eq(s.taken.numerical, 0);
	bxt_summary_free(&s);
}
END_TEST

TEST_SUITE("numerical")
{
	const test_case tests[] = {{"oscillator", oscillator, .loops = COUNT(schemes)},
				   {"nothing is left", nothing_is_left, .loops = COUNT(models)},
				   {"other schemes", other_schemes}};
	ADD_TESTS(tests);
}
