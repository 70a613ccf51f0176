/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Linearised models by states alone: closed forms; the transfer functions and eigenvalues of the
 * descriptor form, with dense algebra of this file's own; what no state space has.
 */
#include "support/harness.h"

#include "ground/sparse/lapack.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979324;

static bxt_linear *linearise(const model *m, const char *from, const char *to, const char *start)
{
	bxt_linear_def def;
	bxt_linear *l = NULL;
	bxt_default_linear_def(&def);
	def.from = from;
	def.to = to;
	def.run.start = start;
	ck_assert_int_eq(bxt_linear_new(m->system, &def, m->findings, &l), BXT_OK);
	return l;
}

static const bxt_linear_states *states_of(const model *m, bxt_linear *l)
{
	const bxt_linear_states *s = NULL;
	const bxt_status status = bxt_linear_to_states(l, &s, m->findings);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(m->findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(m->findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	ck_assert_double_le(s->error, 1e-10);
	return s;
}

/* x (n) <- (w i - A)^-1 x by elimination with pivots. */
static void solve(const bxt_linear_states *s, double w, double complex *x)
{
	const size_t n = s->n;
	double complex *k = calloc(n * n + 1, sizeof *k);
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			k[i * n + j] = (i == j ? I * w : 0) - s->a[j * n + i];
	for (size_t j = 0; j < n; j++) {
		size_t pivot = j;
		for (size_t i = j; i < n; i++)
			if (cabs(k[i * n + j]) > cabs(k[pivot * n + j]))
				pivot = i;
		for (size_t c = 0; c < n; c++) {
			const double complex t = k[j * n + c];
			k[j * n + c] = k[pivot * n + c];
			k[pivot * n + c] = t;
		}
		const double complex t = x[j];
		x[j] = x[pivot];
		x[pivot] = t;
		for (size_t i = 0; i < n; i++) {
			const double complex f = i == j ? 0 : k[i * n + j] / k[j * n + j];
			for (size_t c = j; c < n && f != 0; c++)
				k[i * n + c] -= f * k[j * n + c];
			x[i] -= f * x[j];
		}
	}
	for (size_t j = 0; j < n; j++)
		x[j] /= k[j * n + j];
	free(k);
}

static double complex transfer(const bxt_linear_states *s, double frequency, size_t out, size_t in)
{
	double complex *x = calloc(s->n + 1, sizeof *x), y = s->d[in * s->outputs + out];
	for (size_t i = 0; i < s->n; i++)
		x[i] = s->b[in * s->n + i];
	solve(s, 2 * PI * frequency, x);
	for (size_t i = 0; i < s->n; i++)
		y += s->c[i * s->outputs + out] * x[i];
	free(x);
	return y;
}

/* The transfer functions of both forms at random frequencies, by the largest of each. */
static void same_responses(const model *m, bxt_linear *l, double low, double high)
{
	enum { N = 24 };
	const bxt_linear_states *s = states_of(m, l);
	const size_t all = s->outputs * s->inputs;
	double *whole = calloc(2 * all, sizeof *whole);
	double *most = calloc(all, sizeof *most), *off = calloc(all, sizeof *off);
	srand(7);
	for (int k = 0; k < N; k++) {
		const double frequency = low * pow(high / low, (double)rand() / RAND_MAX);
		ck_assert_int_eq(bxt_linear_response(l, frequency, whole, m->findings), BXT_OK);
		for (size_t out = 0; out < s->outputs; out++)
			for (size_t in = 0; in < s->inputs; in++) {
				const size_t at = out * s->inputs + in;
				const double complex a = whole[2 * at] + I * whole[2 * at + 1];
				most[at] = fmax(most[at], cabs(a));
				off[at] = fmax(off[at], cabs(a - transfer(s, frequency, out, in)));
			}
	}
	for (size_t at = 0; at < all; at++)
		ck_assert_msg(off[at] <= 1e-10 * most[at], "function %zu is off by %g of %g", at,
			      off[at], most[at]);
	free(whole);
	free(most);
	free(off);
}

/* Each eigenvalue of A is a mode, and there are as many. */
static void same_eigenvalues(const model *m, bxt_linear *l, double tolerance)
{
	const bxt_linear_states *s = states_of(m, l);
	const bxt_linear_mode *mode;
	size_t n_modes, count = 0;
	const int n = (int)s->n, one = 1, size = 16 * n + 64;
	int info = 0;
	double *a = calloc(s->n * s->n + 1, sizeof *a), *re = calloc(2 * s->n + 1, sizeof *re);
	double *im = re + s->n, *work = calloc((size_t)size, sizeof *work), none[1];
	memcpy(a, s->a, s->n * s->n * sizeof *a);
	if (n > 0)
		dgeev_("N", "N", &n, a, &n, re, im, none, &one, none, &one, work, &size, &info, 1,
		       1);
	ck_assert_int_eq(info, 0);
	ck_assert_int_eq(bxt_linear_modes(l, &mode, &n_modes, m->findings), BXT_OK);
	for (size_t k = 0; k < n_modes; k++) {
		double best = INFINITY;
		count += mode[k].im != 0 ? 2 : 1;
		for (int i = 0; i < n; i++)
			best = fmin(best, hypot(re[i] - mode[k].re, im[i] - mode[k].im));
		ck_assert_msg(best <= tolerance * hypot(mode[k].re, mode[k].im) + 8 * mode[k].error,
			      "%g%+gi is missing by %g", mode[k].re, mode[k].im, best);
	}
	ck_assert_uint_eq(count, s->n);
	free(a);
	free(re);
	free(work);
}

static double entry(const double *a, size_t rows, size_t row, size_t column)
{
	return a[column * rows + row];
}

/* L i' = u - R i - q/C, q' = i; the voltage at the coil is u - R i - q/C at once. */
START_TEST(series)
{
	model m = model_of_text(NETLIST("<voltage-source id='V1' p='in' n='0' e='0 V'/>"
					"<resistor id='R1' p='in' n='a' R='1 kohm'/>"
					"<inductor id='L1' p='a' n='b' L='50 mH'/>"
					"<capacitor id='C1' p='b' n='0' C='2 uF'/>"));
	bxt_linear *l = linearise(&m, "V1.e", "node(b).v, node(a).v - node(b).v", NULL);
	const bxt_linear_states *s = states_of(&m, l);
	ck_assert_uint_eq(s->n, 2);
	size_t q = 0, i = 1;
	if (strcmp(s->state[0].name, "C1.q") != 0) {
		q = 1;
		i = 0;
	}
	ck_assert_str_eq(s->state[q].name, "C1.q");
	ck_assert_str_eq(s->state[i].name, "L1.i");
	ck_assert_str_eq(s->state[q].unit, "C");
	ck_assert_double_eq_tol(entry(s->a, 2, q, i), 1, 1e-13);
	ck_assert_double_eq_tol(entry(s->a, 2, i, i), -1e3 / 50e-3, 1e-8);
	ck_assert_double_eq_tol(entry(s->a, 2, i, q), -1 / (50e-3 * 2e-6), 1e-5);
	ck_assert_double_eq_tol(s->b[i], 1 / 50e-3, 1e-11);
	ck_assert_double_eq_tol(entry(s->c, 2, 0, q), 5e5, 1e-7);
	ck_assert_double_eq_tol(entry(s->c, 2, 1, i), -1e3, 1e-9);
	ck_assert(s->d[0] == 0);
	ck_assert_double_eq_tol(s->d[1], 1, 1e-12);
	same_responses(&m, l, 1, 1e6);
	same_eigenvalues(&m, l, 1e-11);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* C1 and C2 in series at a source, R across C2: one state, and a part of each charge that follows
 * the source at once. The voltage across C2 is u C1/(C1 + C2) s/(s + 1/R(C1 + C2)). */
START_TEST(tied)
{
	model m = model_of_text(NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
					"<capacitor id='C1' p='a' n='b' C='1 uF'/>"
					"<capacitor id='C2' p='b' n='0' C='2 uF'/>"
					"<resistor id='R' p='b' n='0' R='1 kohm'/>"));
	bxt_linear *l = linearise(&m, "V.e", "node(b).v, R.i", NULL);
	const bxt_linear_states *s = states_of(&m, l);
	ck_assert_uint_eq(s->n, 1);
	ck_assert_double_eq_tol(s->a[0], -1 / (1e3 * 3e-6), 1e-9);
	ck_assert_double_eq_tol(s->d[0], 1.0 / 3, 1e-13);
	ck_assert_double_eq_tol(s->d[1], 1.0 / 3e3, 1e-16);
	ck_assert_msg(strncmp(s->state[0].name, "free part of ", 13) == 0, "%s", s->state[0].name);
	for (double w = 1; w < 1e5; w *= 7) {
		const double complex g = I * w / 3 / (I * w + 1 / 3e-3);
		ck_assert_double_le(cabs(transfer(s, w / (2 * PI), 0, 0) - g), 1e-13);
	}
	bxt_linear_free(l);
	/* the current of C1 is C u' and more: no state space has it, and it is told which */
	l = linearise(&m, "V.e", "node(b).v, C1.i", NULL);
	ck_assert_int_eq(bxt_linear_to_states(l, &s, m.findings), BXT_ERR_MODEL);
	ck_assert_ptr_null(s);
	ck_assert(has_finding(&m, BXT_ERROR, "'C1.i' follows a derivative of 'V.e'"));
	ck_assert(!has_finding(&m, BXT_ERROR, "'node(b).v' follows"));
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* A pendulum of a rod, index 3: x of the mass by a force is 1/m (s^2 + g/l), and the force in the
 * rod does not change; two states of six unknowns in the plane. */
START_TEST(pendulum)
{
	model m = model_of_text(NETLIST("<node id='p' kind='planar' x='0 m' y='-0.5 m'/>"
					"<point-mass id='P' a='p' m='2 kg' g='9.81 m/s2'/>"
					"<rod id='R' a='wall' b='p' l='0.5 m'/>"
					"<point-force id='F' a='p'/>"));
	bxt_linear *l = linearise(&m, "F.fx", "node(p).x", NULL);
	const bxt_linear_states *s = states_of(&m, l);
	ck_assert_uint_eq(s->n, 2);
	for (double w = 0.1; w < 100; w *= 3)
		ck_assert_double_le(
			cabs(transfer(s, w / (2 * PI), 0, 0) * (2 * (9.81 / 0.5 - w * w)) - 1),
			1e-11);
	same_eigenvalues(&m, l, 1e-12);
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

struct shipped {
	const char *file, *from, *to, *start;
	double low, high;
};

/* Amplifiers, mechanisms, fluids, parts that are torn: both forms have the same functions. */
START_TEST(shipped)
{
	static const struct shipped list[] = {
		{"rlc-torn.xml", "loop.R1.R, store.C1.C", "node(loop.a).v, loop.L1.i", NULL, 0.01,
		 1e3},
		{"loudspeaker-parts.xml", "coil.V.e",
		 "coil.L.i, node(membrane.cone).x, glue.lambda", NULL, 1, 1e5},
		{"spring-chain-torn.xml", "left.k1.l0", "node(right.m3).x, c1.lambda", NULL, 0.01,
		 10},
		{"colpitts.xml", "Vee.e, Re.R", "node(c).v, Q1.iC", "operating-point", 1, 1e9},
		{"four-bar.xml", "B.g", "node(c).x, node(b).x", NULL, 0.01, 100},
		{"speed-control.xml", "control.C.r, plant.T.tau", "plant.speed, plant.M.i", NULL,
		 0.01, 1e4},
		{"ua741.xml", "Vin.e", "node(out).v", "operating-point", 1, 1e8},
		{"two-tanks.xml", NULL, NULL, NULL, 1e-4, 10},
	};
	for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
		const struct shipped *of = &list[i];
		model m = model_of_file(of->file);
		bxt_linear *l = linearise(&m, of->from, of->to, of->start);
		if (of->from)
			same_responses(&m, l, of->low, of->high);
		same_eigenvalues(&m, l, 1e-8);
		bxt_linear_free(l);
		model_free(&m);
	}
}
END_TEST

/*
 * A ladder V - R1 - C1 - R2 - C2 of 1 ohm, 1 F and 1 ohm. The current through a small C2 is a
 * difference of voltages that are nearly the same: q1/C1 - q2/C2. Round-off of the states takes
 * digits of it that the descriptor form keeps, which has the current among its unknowns.
 */
static model ladder(const char *c2)
{
	char xml[600];
	snprintf(xml, sizeof xml,
		 NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
			 "<resistor id='R1' p='a' n='b' R='1 ohm'/>"
			 "<capacitor id='C1' p='b' n='0' C='1 F'/>"
			 "<resistor id='R2' p='b' n='c' R='1 ohm'/>"
			 "<capacitor id='C2' p='c' n='0' C='%s F'/>"),
		 c2);
	return model_of_text(xml);
}

/* The current of C2 by V. */
static double complex ladder_current(double complex s, double c2)
{
	const double complex y = s * c2 / (1 + s * c2);
	return y / (1 + s + y);
}

/* The error is told, and it is of the size that is found against the closed form; where it is more
 * than 1e-9 there is no state space. */
START_TEST(lost_digits)
{
	const double c2 = 1e-4;
	model m = ladder("1e-4");
	bxt_linear *l = linearise(&m, "V.e", "C2.i", NULL);
	const bxt_linear_states *s = states_of(&m, l);
	double most = 0, off = 0;
	for (double w = 1e-4; w < 1e6; w *= 1.9) {
		const double complex right = ladder_current(I * w, c2);
		most = fmax(most, cabs(right));
		off = fmax(off, cabs(transfer(s, w / (2 * PI), 0, 0) - right));
	}
	ck_assert_double_gt(off / most, 1e-14);
	ck_assert_double_gt(s->error, 0.02 * off / most);
	ck_assert_double_lt(s->error, 50 * off / most);
	bxt_linear_free(l);
	model_free(&m);

	m = ladder("1e-10");
	l = linearise(&m, "V.e", "C2.i", NULL);
	ck_assert_int_eq(bxt_linear_to_states(l, &s, m.findings), BXT_ERR_SINGULAR);
	ck_assert_ptr_null(s);
	ck_assert(has_finding(&m, BXT_ERROR, "round-off leaves no state space"));
	bxt_linear_free(l);
	/* the voltage itself has all digits */
	l = linearise(&m, "V.e", "node(c).v", NULL);
	s = states_of(&m, l);
	for (double w = 1e-4; w < 1e12; w *= 19) {
		const double complex right = ladder_current(I * w, 1e-10) / (I * w * 1e-10);
		ck_assert_double_le(cabs(transfer(s, w / (2 * PI), 0, 0) - right), 1e-12);
	}
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* Both sides of a bridge have the same R C: the voltage across it is zero but for round-off, and
 * the states are those of any other output. */
START_TEST(balanced)
{
	model m = model_of_text(NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
					"<resistor id='R1' p='a' n='b' R='1.1 kohm'/>"
					"<capacitor id='C1' p='b' n='0' C='0.3 uF'/>"
					"<resistor id='R2' p='a' n='c' R='3.3 kohm'/>"
					"<capacitor id='C2' p='c' n='0' C='0.1 uF'/>"));
	bxt_linear *l = linearise(&m, "V.e", "node(b).v - node(c).v, node(b).v", NULL);
	const bxt_linear_states *s = states_of(&m, l);
	ck_assert_uint_eq(s->n, 2);
	for (double w = 1; w < 1e6; w *= 7) {
		const double complex right = 1 / (1 + I * w * 0.33e-3);
		ck_assert_double_le(cabs(transfer(s, w / (2 * PI), 0, 0)), 1e-14);
		ck_assert_double_le(cabs(transfer(s, w / (2 * PI), 1, 0) - right), 1e-13);
	}
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

TEST_SUITE("states of linearised models")
{
	const test_case tests[] = {{"series", series},           {"tied", tied},
				   {"pendulum", pendulum},       {"shipped", shipped},
				   {"lost digits", lost_digits}, {"balanced", balanced}};
	ADD_TESTS(tests);
}
