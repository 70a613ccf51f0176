/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Oscillators, whose period is unknown, and periodic motions of many states, which are found by
 * products with the monodromy matrix: against closed forms, in continuous time and of the steps.
 */
#include "support/harness.h"

#include "ground/base/text.h"
#include "ground/solver/arnoldi.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979324
/* Period of van der Pol's oscillator with mu = 1; of a method of Taylor series in the literature.
 */
#define VAN_DER_POL 6.6632868593231301897

static const char van_der_pol[] =
	"<component xmlns='urn:boxtimes:component:1' name='vdp' domain='mechanical'><doc>x'' = mu "
	"(1 - "
	"x^2) x' - x.</doc><parameter name='mu' unit='1'>strength</parameter><coordinate name='x' "
	"unit='1' flow='v'/><lagrangian>v^2/2 - x^2/2</lagrangian><force on='x'>mu*(1 - "
	"x^2)*v</force></component>";

static bxt_status try_find(const model *m, const bxt_run_def *run, double guess, bool oscillator,
			   bxt_steady **out)
{
	bxt_steady_def def;
	bxt_default_steady_def(&def);
	def.run = run;
	def.period = guess;
	def.oscillator = oscillator;
	return bxt_steady_find(m->system, &def, m->findings, out);
}

static bxt_steady *find(const model *m, const bxt_run_def *run, double guess, bool oscillator)
{
	bxt_steady *s = NULL;
	const bxt_status status = try_find(m, run, guess, oscillator, &s);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	ck_assert_double_le(s->residual, 1e-11);
	return s;
}

static model model_of_buffer(bxt_buffer *b)
{
	ck_assert(!b->failed);
	const model m = model_of_text(b->text);
	bxt_buffer_free(b);
	return m;
}

static model vdp_of(double mu, double x)
{
	bxt_buffer b = {0};
	bxt_buffer_printf(&b,
			  "<netlist xmlns='urn:boxtimes:netlist:1' name='test'>%s<vdp id='p' "
			  "mu='%.17g' x='%.17g'/></netlist>",
			  van_der_pol, mu, x);
	return model_of_buffer(&b);
}

/* ---- Limit cycles ---- */

/* One multiplier is 1; the other, by Liouville, exp of the integral of mu (1 - x^2), which the sum
 * over equal steps of a period has to all digits. */
START_TEST(limit_cycle)
{
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss3",
				 .step = 0.02,
				 .end = 40,
				 .record = "p.x, p.v"};
	model m = vdp_of(1, 0.1);
	bxt_steady *s = find(&m, &run, 0, true);
	ck_assert_double_eq_tol(s->period, VAN_DER_POL, 2e-11);
	ck_assert_double_le(fabs(s->period - VAN_DER_POL), 8 * s->period_error);
	const size_t rows = bxt_table_rows(s->rows);
	double sum = 0;
	for (size_t k = 0; k + 1 < rows; k++)
		sum += 1 - pow(value_at(s->rows, k, "p.x"), 2);
	sum *= s->period / (double)(rows - 1);
	ck_assert_uint_eq(s->n_multipliers, 2);
	ck_assert_double_eq_tol(s->multiplier[0], 1, 1e-9);
	ck_assert_double_eq_tol(s->multiplier[2] / exp(sum), 1, 1e-6);
	ck_assert_double_eq_tol(last_value(s->rows, "p.x"), value_at(s->rows, 0, "p.x"), 1e-11);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* 2 pi (1 + mu^2/16 - 5 mu^4/3072 + ...), and the multiplier exp(-mu T + ...). */
START_TEST(weak)
{
	const bxt_run_def run = {
		.size = sizeof run, .scheme = "gauss3", .step = 0.02, .end = 100, .record = "p.x"};
	const double mu = 0.1;
	model m = vdp_of(mu, 0.5);
	bxt_steady *s = find(&m, &run, 0, true);
	ck_assert_double_eq_tol(s->period, 2 * PI * (1 + mu * mu / 16 - 5 * pow(mu, 4) / 3072),
				1e-8);
	ck_assert_double_eq_tol(log(s->multiplier[2]), -mu * s->period, 2e-3);
	bxt_steady_free(s);
	/* a guess, and a start after no more than one turn, lead there as well */
	const bxt_run_def soon = {
		.size = sizeof soon, .scheme = "gauss3", .step = 0.02, .end = 40, .record = "p.x"};
	bxt_steady *t = find(&m, &soon, 6, true);
	ck_assert_double_eq_tol(t->period, 2 * PI * (1 + mu * mu / 16 - 5 * pow(mu, 4) / 3072),
				1e-8);
	bxt_steady_free(t);
	model_free(&m);
}
END_TEST

/* The steps make the period off by h^2, and that is told. */
START_TEST(told_error)
{
	static const double step[] = {0.08, 0.04, 0.02};
	double before = 0;
	model m = vdp_of(1, 0.1);
	for (int k = 0; k < 3; k++) {
		const bxt_run_def run = {.size = sizeof run,
					 .scheme = "gauss1",
					 .step = step[k],
					 .end = 40,
					 .record = "p.x"};
		bxt_steady *s = find(&m, &run, 0, true);
		const double off = fabs(s->period - VAN_DER_POL);
		ck_assert_double_le(off, 1.3 * s->period_error);
		ck_assert_double_le(s->period_error, 1.3 * off);
		if (k > 0)
			ck_assert_double_eq_tol(before / off, 4, 0.2);
		before = off;
		bxt_steady_free(s);
	}
	model_free(&m);
}
END_TEST

/* ---- Where something is conserved ---- */

/* 4 K(k) sqrt(l/g), by the arithmetic and geometric mean: of a pendulum that swings out by phi. */
static double pendulum_period(double phi, double l, double g)
{
	double a = 1, b = cos(phi / 2);
	for (int k = 0; k < 8; k++) {
		const double next = (a + b) / 2;
		b = sqrt(a * b);
		a = next;
	}
	return 2 * PI / a * sqrt(l / g);
}

/* Motions come in a family, by energy: one near the start is found, with the period of its own
 * amplitude. */
START_TEST(pendulum)
{
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss3",
				 .step = 0.01,
				 .end = 3,
				 .record = "node(p).y, energy"};
	model m = model_of_text(NETLIST("<node id='p' kind='planar' x='1 m' y='0 m'/>"
					"<point-mass id='M' a='p' m='1 kg' g='9.81 m/s2'/>"
					"<rod id='R' a='wall' b='p' l='1 m'/>"));
	bxt_steady *s = find(&m, &run, 0, true);
	/* at rest at the height e/(m g) */
	const double height = value_at(s->rows, 0, "energy") / 9.81;
	ck_assert_double_eq_tol(height, 0, 1e-3);
	ck_assert_double_eq_tol(s->period, pendulum_period(acos(-height), 1, 9.81), 1e-8);
	ck_assert_double_eq_tol(s->multiplier[0], 1, 1e-3);
	ck_assert_double_eq_tol(s->multiplier[2], 1, 1e-3);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* All motions of a coil and a capacitor have one period: of the midpoint rule, tan(pi/N) = w h/2.
 */
START_TEST(resonator)
{
	const bxt_run_def run = {
		.size = sizeof run, .scheme = "gauss1", .step = 5e-6, .end = 1e-3, .record = "C.q"};
	model m = model_of_text(NETLIST("<inductor id='L' p='a' n='0' L='1 mH'/>"
					"<capacitor id='C' p='a' n='0' C='1 uF' q='1e-6'/>"));
	bxt_steady *s = find(&m, &run, 0, true);
	const double n = (double)(bxt_table_rows(s->rows) - 1), w = 1 / sqrt(1e-3 * 1e-6);
	ck_assert_double_eq_tol(s->period, n * 2 / w * tan(PI / n), 1e-12 * s->period);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* ---- Many states ---- */

/* Sections of R, L and C at a sine of 50 Hz: in the middle of steps the midpoint rule answers as
 * the ladder does at (2/h) tan(w h/2); at their ends charges are that by cos(w h/2). Multipliers
 * are ((1 + z)/(1 - z))^N with z = s h/2 of its modes. */
START_TEST(driven_ladder)
{
	enum { N = 500, STEPS = 100 };
	const double r = 10, l = 1e-3, c = 1e-6, h = 0.02 / STEPS;
	bxt_buffer b = {0};
	bxt_buffer_printf(&b, "<netlist xmlns='urn:boxtimes:netlist:1' name='test'><voltage-source "
			      "id='V' p='n0' n='0' e='=sin(2*pi*50*t)'/>");
	for (int i = 1; i <= N; i++)
		bxt_buffer_printf(
			&b,
			"<resistor id='R%d' p='n%d' n='m%d' R='10 ohm'/><inductor id='L%d' "
			"p='m%d' n='n%d' L='1 mH'/><capacitor id='C%d' p='n%d' n='0' C='1 "
			"uF'/>",
			i, i - 1, i, i, i, i, i, i);
	bxt_buffer_printf(&b, "</netlist>");
	model m = model_of_buffer(&b);
	const bxt_run_def run = {
		.size = sizeof run, .scheme = "gauss1", .step = h, .record = "C1.q, C60.q, C500.q"};
	bxt_steady *s = find(&m, &run, 0.02, false);
	ck_assert_uint_eq(s->n_states, 2 * N);
	ck_assert_int_le(s->iterations, 3);
	/* from the open end: voltages v and currents i of the sections, the last with v = 1 */
	const double complex p = I * 2 / h * tan(2 * PI * 50 * h / 2);
	double complex v = 1, i = 0, at[N + 1];
	for (int k = N; k >= 1; k--) {
		at[k] = v;
		i += p * c * v;
		v += (r + p * l) * i;
	}
	static const int of[] = {1, 60, 500};
	static const char *const names[] = {"C1.q", "C60.q", "C500.q"};
	for (int j = 0; j < 3; j++)
		for (size_t k = 0; k <= STEPS; k++)
			ck_assert_double_eq_tol(
				value_at(s->rows, k, names[j]),
				c / cos(PI / STEPS) *
					cimag(at[of[j]] / v * cexp(I * 2 * PI * (double)k / STEPS)),
				1e-16 + 1e-10 * c * cabs(at[of[j]] / v));
	if (bxt_arnoldi_available)
		ck_assert_uint_ge(s->n_multipliers, 4);
	for (size_t k = 0; k < s->n_multipliers && k < 4; k++) {
		const double w = 2 * sin((2 * (double)k + 1) * PI / (4 * N + 2)) / sqrt(l * c);
		const double a = r / (2 * l), z = (-a + sqrt(a * a - w * w)) * h / 2;
		ck_assert_double_eq_tol(s->multiplier[2 * k] / pow((1 + z) / (1 - z), STEPS), 1,
					1e-5);
		ck_assert(s->multiplier[2 * k + 1] == 0);
	}
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* Oscillators that are all alike and joined by dampers swing together, each as if it were alone:
 * the period is the same to all digits, steps included. */
START_TEST(together)
{
	enum { N = 30 };
	bxt_buffer b = {0};
	bxt_buffer_printf(&b,
			  "<netlist xmlns='urn:boxtimes:netlist:1' name='test'>"
			  "<component xmlns='urn:boxtimes:component:1' name='swing' "
			  "domain='mechanical'><doc>van der Pol's.</doc><port name='a' "
			  "kind='translational'/><lagrangian>a.v^2/2 - a.x^2/2</lagrangian><force "
			  "on='a.x'>(1 - a.x^2)*a.v</force></component>");
	for (int i = 0; i < N; i++) {
		bxt_buffer_printf(&b,
				  "<node id='n%d' kind='translational' x='%g m'/><swing id='S%d' "
				  "a='n%d'/>",
				  i, 1 + 0.01 * i, i, i);
		if (i > 0)
			bxt_buffer_printf(&b, "<damper id='D%d' a='n%d' b='n%d' c='1'/>", i, i - 1,
					  i);
	}
	bxt_buffer_printf(&b, "</netlist>");
	const bxt_run_def run = {.size = sizeof run,
				 .scheme = "gauss2",
				 .step = 0.05,
				 .end = 30,
				 .record = "node(n0).x, node(n29).x"};
	model m = model_of_buffer(&b);
	bxt_steady *s = find(&m, &run, 0, true);
	ck_assert_uint_eq(s->n_states, 2 * N);
	bxt_run_def alone_run = run;
	alone_run.record = "p.x";
	model alone = vdp_of(1, 1);
	bxt_steady *one = find(&alone, &alone_run, 0, true);
	ck_assert_uint_eq(bxt_table_rows(s->rows), bxt_table_rows(one->rows));
	ck_assert_double_eq_tol(s->period, one->period, 1e-10);
	for (size_t k = 0; k < bxt_table_rows(s->rows); k++)
		ck_assert_double_eq_tol(value_at(s->rows, k, "node(n0).x"),
					value_at(s->rows, k, "node(n29).x"), 1e-9);
	if (bxt_arnoldi_available)
		ck_assert_double_eq_tol(s->multiplier[0], 1, 1e-6);
	bxt_steady_free(one);
	model_free(&alone);
	bxt_steady_free(s);
	model_free(&m);
}
END_TEST

/* ---- What is refused ---- */

static void refused(model m, double step, double end, double guess, const char *words)
{
	const bxt_run_def run = {.size = sizeof run, .step = step, .end = end};
	bxt_steady *s = NULL;
	ck_assert_int_ne(try_find(&m, &run, guess, true, &s), BXT_OK);
	ck_assert_ptr_null(s);
	for (size_t i = 0;
	     !has_finding(&m, BXT_ERROR, words) && i < bxt_diagnostics_count(m.findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m.findings, i)->text);
	ck_assert_msg(has_finding(&m, BXT_ERROR, words), "%s", words);
	model_free(&m);
}

START_TEST(refusals)
{
	refused(vdp_of(1, 0), 0.02, 10, 0, "after its run the model rests");
	refused(vdp_of(0.001, 0.1), 0.02, 40, 0, "the motion that is found rests");
	refused(vdp_of(1, 1), 1.2, 40, 6.6, "resolves it");
	refused(vdp_of(1, 1), 0.02, 40, -1, "a period of -1 s");
	/* it goes on and never comes back */
	refused(model_of_text(NETLIST("<mass id='M' a='a' m='1'/><node id='a' kind='translational' "
				      "v='1 m/s'/><spring id='K' a='wall' b='a' k='1e-6'/>")),
		0.1, 10, 0, "does not come back");
	refused(model_of_file("relay-oscillator.xml"), 2e-3, 1, 0, "switches");
	refused(model_of_file("line-reflections.xml"), 5e-8, 12e-6, 0, "delays");
	refused(model_of_file("bridge-rectifier.xml"), 1e-4, 0.06, 0, "on V1.q knows the time");
	/* an ellipse that turns with each step of a coarse scheme closes nowhere */
	refused(model_of_file("kepler.xml"), 2 * PI / 50, 30, 0, "come in families");
}
END_TEST

TEST_SUITE("oscillators")
{
	const test_case tests[] = {
		{"limit cycle", limit_cycle}, {"weak", weak},
		{"told error", told_error},   {"pendulum", pendulum},
		{"resonator", resonator},     {"driven ladder", driven_ladder},
		{"together", together},       {"refusals", refusals},
	};
	ADD_TESTS(tests);
}
