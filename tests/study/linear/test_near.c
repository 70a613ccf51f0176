/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Few modes of large models, by shift and invert: against closed forms of chains, ladders and
 * beams, and against all modes of smaller ones by LAPACK.
 */
#include "support/harness.h"

#include "ground/base/text.h"
#include "ground/solver/arnoldi.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979324;

struct found {
	model m;
	bxt_linear *l;
	const bxt_linear_mode *mode;
	size_t n;
};

/* The modes of a text, which is freed. */
static struct found modes_of(bxt_buffer *text, size_t count, double near)
{
	struct found f = {.m = {0}};
	bxt_linear_modes_def def;
	bxt_default_linear_modes_def(&def);
	def.count = count;
	def.near = near;
	ck_assert(!text->failed);
	f.m = model_of_text(text->text);
	ck_assert_int_eq(bxt_linear_new(f.m.system, NULL, f.m.findings, &f.l), BXT_OK);
	const bxt_status status = bxt_linear_modes_near(f.l, &def, &f.mode, &f.n, f.m.findings);
	for (size_t i = 0; status != BXT_OK && i < bxt_diagnostics_count(f.m.findings, BXT_NOTE);
	     i++)
		printf("%s\n", bxt_diagnostics_get(f.m.findings, i)->text);
	ck_assert_int_eq(status, BXT_OK);
	bxt_buffer_free(text);
	return f;
}

static void let_go(struct found *f)
{
	bxt_linear_free(f->l);
	model_free(&f->m);
}

/* Mode k is re + i im, within the error that it tells and not much less accurate than it can be. */
static void is(const struct found *f, size_t k, double re, double im, double tolerance)
{
	const bxt_linear_mode *m = &f->mode[k];
	const double off = hypot(m->re - re, m->im - im), size = hypot(re, im);
	ck_assert_msg(off <= tolerance * size, "mode %zu is %.15g%+.15gi, not %.15g%+.15gi", k,
		      m->re, m->im, re, im);
	ck_assert_msg(off <= 8 * m->error + 1e-15 * size, "mode %zu is off by %g, not %g", k, off,
		      m->error);
	ck_assert_double_le(m->residual, 1e-9);
}

static bool by_shift_and_invert(const struct found *f)
{
	return has_finding(&f->m, BXT_NOTE, "by shift and invert") &&
	       !has_finding(&f->m, BXT_WARNING, "may be missing") &&
	       !has_finding(&f->m, BXT_WARNING, "missing") &&
	       !has_finding(&f->m, BXT_WARNING, "are found");
}

static void begin(bxt_buffer *b)
{
	bxt_buffer_printf(b, "<netlist xmlns='urn:boxtimes:netlist:1' name='test'>");
}

static void end(bxt_buffer *b)
{
	bxt_buffer_printf(b, "</netlist>");
}

/* ---- Closed forms ---- */

/* n masses of 1 kg behind springs of 1 N/m, `copies` of it that know nothing of each other. */
static void write_chain(bxt_buffer *b, int n, int copies, bool free_end)
{
	begin(b);
	for (int c = 0; c < copies; c++)
		for (int i = 0; i < n; i++) {
			bxt_buffer_printf(b, "<mass id='M%d_%d' a='n%d_%d' m='1'/>", c, i, c, i);
			if (i > 0)
				bxt_buffer_printf(
					b, "<spring id='K%d_%d' a='n%d_%d' b='n%d_%d' k='1'/>", c,
					i, c, i - 1, c, i);
			else if (!free_end)
				bxt_buffer_printf(
					b, "<spring id='K%d_0' a='wall' b='n%d_0' k='1'/>", c, c);
		}
	end(b);
}

/* 2 sin((2k - 1) pi / (4n + 2)) for k = 1 .. n. */
static double chain_frequency(int k, int n)
{
	return 2 * sin((2 * k - 1) * PI / (4 * n + 2));
}

START_TEST(chain)
{
	enum { N = 10000 };
	bxt_buffer b = {0};
	write_chain(&b, N, 1, false);
	struct found f = modes_of(&b, 8, 0);
	ck_assert_uint_eq(f.n, 8);
	ck_assert(by_shift_and_invert(&f));
	for (size_t k = 0; k < f.n; k++)
		is(&f, k, 0, chain_frequency((int)k + 1, N), 1e-10);
	let_go(&f);
	/* in the middle: omega = 1 is that of k = (2n + 1)/6 + 1/2 */
	b = (bxt_buffer){0};
	write_chain(&b, N, 1, false);
	const int k = (int)lround((4 * N + 2) / (2 * PI) * asin(0.5) + 0.5);
	const double at = chain_frequency(k, N) + 0.1 * (chain_frequency(k + 1, N) - 1);
	f = modes_of(&b, 3, at / (2 * PI));
	ck_assert_uint_eq(f.n, 3);
	ck_assert(by_shift_and_invert(&f));
	for (size_t j = 0; j < f.n; j++)
		is(&f, j, 0, chain_frequency(k - 1 + (int)j, N), 1e-12);
	let_go(&f);
}
END_TEST

/* A chain without wall moves freely: 0 twice, with one eigenvector; then 2 sin(k pi / 2n). */
START_TEST(free_chain)
{
	enum { N = 400 };
	bxt_buffer b = {0};
	write_chain(&b, N, 1, true);
	struct found f = modes_of(&b, 6, 0);
	ck_assert_uint_eq(f.n, 6);
	ck_assert(by_shift_and_invert(&f));
	for (size_t k = 0; k < 2; k++)
		ck_assert(f.mode[k].re == 0 && f.mode[k].im == 0);
	for (int k = 1; k <= 4; k++)
		is(&f, (size_t)k + 1, 0, 2 * sin(k * PI / (2 * N)), 1e-11);
	let_go(&f);
}
END_TEST

/* Three chains that are the same: each mode comes three times. */
START_TEST(copies)
{
	enum { N = 300 };
	bxt_buffer b = {0};
	write_chain(&b, N, 3, false);
	struct found f = modes_of(&b, 7, 0);
	ck_assert_uint_eq(f.n, 7);
	ck_assert(by_shift_and_invert(&f));
	for (size_t k = 0; k < f.n; k++)
		is(&f, k, 0, chain_frequency((int)k / 3 + 1, N), 1e-11);
	let_go(&f);
}
END_TEST

/* Sections of R and L in series and C across: s^2 + R/L s + omega_k^2 = 0, omega_k those of the
 * chain by 1/sqrt(L C); the source holds the first node. Sections are many capacitors whose
 * currents and potentials have no rate. */
START_TEST(ladder)
{
	enum { N = 3000 };
	const double r = 1e-3, l = 1e-6, c = 1e-9;
	bxt_buffer b = {0};
	begin(&b);
	bxt_buffer_printf(&b, "<voltage-source id='V' p='n0' n='0' e='1 V'/>");
	for (int i = 1; i <= N; i++)
		bxt_buffer_printf(&b,
				  "<resistor id='R%d' p='n%d' n='m%d' R='1 mohm'/><inductor "
				  "id='L%d' p='m%d' n='n%d' L='1 uH'/><capacitor id='C%d' p='n%d' "
				  "n='0' C='1 nF'/>",
				  i, i - 1, i, i, i, i, i, i);
	end(&b);
	struct found f = modes_of(&b, 6, 0);
	ck_assert_uint_eq(f.n, 6);
	ck_assert(by_shift_and_invert(&f));
	for (int k = 1; k <= 6; k++) {
		const double w = chain_frequency(k, N) / sqrt(l * c), a = r / (2 * l);
		is(&f, (size_t)k - 1, -a, sqrt(w * w - a * a), 1e-10);
	}
	ck_assert(f.mode[0].part[0] == 'L' || f.mode[0].part[0] == 'C');
	let_go(&f);
}
END_TEST

/* R and C alone: s = -(2 sin)^2/(R C); 10 s and 1 ns beside them, which no iteration about 0 that
 * also finds these may take for infinite ones. */
START_TEST(diffusion)
{
	enum { N = 2500 };
	bxt_buffer b = {0};
	begin(&b);
	bxt_buffer_printf(&b,
			  "<voltage-source id='V' p='n0' n='0' e='1 V'/><resistor id='RS' "
			  "p='slow' n='0' R='1 Gohm'/><capacitor id='CS' p='slow' n='0' C='1 F'/>");
	for (int i = 1; i <= N; i++)
		bxt_buffer_printf(&b,
				  "<resistor id='R%d' p='n%d' n='n%d' R='1 kohm'/><capacitor "
				  "id='C%d' p='n%d' n='0' C='1 uF'/>",
				  i, i - 1, i, i, i);
	end(&b);
	struct found f = modes_of(&b, 5, 0);
	ck_assert_uint_eq(f.n, 5);
	ck_assert(by_shift_and_invert(&f));
	is(&f, 0, -1e-9, 0, 1e-12);
	for (int k = 1; k <= 4; k++)
		is(&f, (size_t)k, -pow(chain_frequency(k, N), 2) / 1e-3, 0, 1e-9);
	let_go(&f);
}
END_TEST

/* Masses on an elastic beam, k (x_{i-1} - 2 x_i + x_{i+1})^2/2, with both ends held: omega_j =
 * sqrt(k/m) (2 - 2 cos(j pi/(n + 1))). */
START_TEST(beam)
{
	enum { N = 1500 };
	bxt_buffer b = {0};
	begin(&b);
	bxt_buffer_printf(
		&b, "<component xmlns='urn:boxtimes:component:1' name='bend' "
		    "domain='mechanical'><doc>A "
		    "joint that bends.</doc><parameter name='k' unit='N/m' min='0 "
		    "N/m'>stiffness</parameter><port name='a' kind='translational'/><port name='b' "
		    "kind='translational'/><port name='c' kind='translational'/>"
		    "<lagrangian>-k*(a.x - 2*b.x + c.x)^2/2</lagrangian></component>");
	for (int i = 1; i <= N; i++) {
		char left[32] = "wall", right[32] = "wall";
		if (i > 1)
			snprintf(left, sizeof left, "n%d", i - 1);
		if (i < N)
			snprintf(right, sizeof right, "n%d", i + 1);
		bxt_buffer_printf(&b,
				  "<mass id='M%d' a='n%d' m='1'/><bend id='B%d' a='%s' b='n%d' "
				  "c='%s' k='1'/>",
				  i, i, i, left, i, right);
	}
	end(&b);
	struct found f = modes_of(&b, 5, 0);
	ck_assert_uint_eq(f.n, 5);
	ck_assert(by_shift_and_invert(&f));
	/* the lowest is 4e-6 of the stiffest, whose square has the digits */
	for (int j = 1; j <= 5; j++)
		is(&f, (size_t)j - 1, 0, 4 * pow(sin(j * PI / (2 * N + 2)), 2), 1e-5);
	let_go(&f);
}
END_TEST

/* ---- All modes of smaller models, by LAPACK ---- */

static int nearer(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* The modes next to a frequency are those of all that are nearest. */
static void compare(void (*write)(bxt_buffer *), size_t count, double near, double tolerance)
{
	bxt_buffer b = {0};
	write(&b);
	struct found some = modes_of(&b, count, near);
	const double at = 2 * PI * near;
	const bxt_linear_mode *all;
	size_t n;
	bxt_linear *l;
	ck_assert(by_shift_and_invert(&some));
	ck_assert_uint_eq(some.n, count);
	ck_assert_int_eq(bxt_linear_new(some.m.system, NULL, some.m.findings, &l), BXT_OK);
	ck_assert_int_eq(bxt_linear_modes(l, &all, &n, some.m.findings), BXT_OK);
	ck_assert_uint_gt(n, 2 * count);
	double *distance = malloc(n * sizeof *distance);
	for (size_t k = 0; k < n; k++)
		distance[k] = hypot(all[k].re, all[k].im - at);
	qsort(distance, n, sizeof *distance, nearer);
	for (size_t j = 0; j < count; j++) {
		const bxt_linear_mode *m = &some.mode[j];
		double best = INFINITY;
		ck_assert_double_le(hypot(m->re, m->im - at), distance[count - 1] * (1 + 1e-6));
		for (size_t k = 0; k < n; k++)
			best = fmin(best, hypot(m->re - all[k].re, m->im - all[k].im));
		ck_assert_msg(best <= tolerance * hypot(m->re, m->im), "%.15g%+.15gi is off by %g",
			      m->re, m->im, best);
	}
	free(distance);
	bxt_linear_free(l);
	let_go(&some);
}

/* Rods and point masses in the plane: each rod is a position constraint, of index 3. */
static void hang(bxt_buffer *b, int n)
{
	begin(b);
	for (int i = 1; i <= n; i++) {
		char above[32] = "wall";
		if (i > 1)
			snprintf(above, sizeof above, "p%d", i - 1);
		bxt_buffer_printf(b,
				  "<node id='p%d' kind='planar' x='0 m' y='%g m'/><point-mass "
				  "id='P%d' a='p%d' m='2 kg' g='9.81 m/s2'/><rod id='R%d' a='%s' "
				  "b='p%d' l='0.1 m'/>",
				  i, -0.1 * i, i, i, i, above, i);
	}
	end(b);
}

static void write_pendulums(bxt_buffer *b)
{
	hang(b, 70);
}

/* How many zeros of Laguerre's polynomial L_n lie below x: its sequence is one of Sturm. */
static int zeros_below(int n, double x)
{
	double before = 1, now = 1 - x;
	int count = now < 0;
	for (int k = 1; k < n; k++) {
		const double next = ((2 * k + 1 - x) * now - k * before) / (k + 1);
		before = now;
		now = next;
		count += (now < 0) != (before < 0);
	}
	return count;
}

/* n equal masses below each other hang on equal rods: omega^2 l/g are the zeros of L_n. */
START_TEST(hanging)
{
	enum { N = 600 };
	bxt_buffer b = {0};
	hang(&b, N);
	struct found f = modes_of(&b, 7, 0);
	ck_assert_uint_eq(f.n, 7);
	ck_assert(by_shift_and_invert(&f));
	for (int k = 0; k < 7; k++) {
		const double x = f.mode[k].im * f.mode[k].im * 0.1 / 9.81;
		ck_assert_double_eq_tol(f.mode[k].re, 0, 8 * f.mode[k].error);
		ck_assert_int_eq(zeros_below(N, x * (1 - 1e-9)), k);
		ck_assert_int_eq(zeros_below(N, x * (1 + 1e-9)), k + 1);
	}
	let_go(&f);
}
END_TEST

/* Stiff and slow parts, loops of capacitors and sources, losses of all sizes. */
static void write_circuit(bxt_buffer *b)
{
	begin(b);
	bxt_buffer_printf(b, "<voltage-source id='V' p='n0' n='0' e='1 V'/>");
	for (int i = 1; i <= 120; i++) {
		const double scale = pow(3, i % 5 - 2);
		bxt_buffer_printf(b,
				  "<resistor id='R%d' p='n%d' n='m%d' R='%g ohm'/><inductor "
				  "id='L%d' p='m%d' n='n%d' L='%g H'/><capacitor id='C%d' p='n%d' "
				  "n='n%d' C='%g F'/><capacitor id='D%d' p='n%d' n='0' C='%g F'/>",
				  i, i - 1, i, 10 * scale, i, i, i, 1e-3 / scale, i, i - 1, i,
				  1e-9 * scale, i, i, 1e-8);
	}
	end(b);
}

START_TEST(same_as_all)
{
	compare(write_pendulums, 6, 0, 1e-9);
	compare(write_pendulums, 4, 5, 1e-9);
	compare(write_circuit, 8, 0, 1e-9);
	compare(write_circuit, 5, 1e5, 1e-9);
}
END_TEST

/* ---- What is told ---- */

/* Beyond all modes, where those that are next crowd: none converges, and where they are is told. */
START_TEST(crowd)
{
	enum { N = 2000 };
	bxt_buffer b = {0};
	write_chain(&b, N, 1, false);
	const bxt_linear_mode *list;
	size_t n;
	bxt_linear *l;
	bxt_linear_modes_def def;
	bxt_default_linear_modes_def(&def);
	model m = model_of_text(b.text);
	bxt_buffer_free(&b);
	ck_assert_int_eq(bxt_linear_new(m.system, NULL, m.findings, &l), BXT_OK);
	def.count = 2;
	def.near = 0.5;
	ck_assert_int_eq(bxt_linear_modes_near(l, &def, &list, &n, m.findings), BXT_ERR_NEWTON);
	ck_assert(has_finding(&m, BXT_ERROR, "--near looks there (0.31831 Hz)"));
	ck_assert(list == NULL && n == 0);
	def.near = -1;
	ck_assert_int_eq(bxt_linear_modes_near(l, &def, &list, &n, m.findings), BXT_ERR_ARGUMENT);
	/* half of all modes are not few */
	def = (bxt_linear_modes_def){.size = sizeof def, .count = 2000};
	ck_assert_int_eq(bxt_linear_modes_near(l, &def, &list, &n, m.findings), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "at most an eighth of them, 500"));
	bxt_linear_free(l);
	model_free(&m);
}
END_TEST

/* Of small models all are found, and the nearest kept. */
START_TEST(small)
{
	bxt_buffer b = {0};
	write_chain(&b, 5, 1, false);
	struct found f = modes_of(&b, 2, chain_frequency(3, 5) / (2 * PI));
	ck_assert_uint_eq(f.n, 2);
	ck_assert_double_eq_tol(f.mode[0].im, chain_frequency(3, 5), 1e-13);
	ck_assert_double_eq_tol(f.mode[1].im, chain_frequency(4, 5), 1e-13);
	let_go(&f);
}
END_TEST

TEST_SUITE("modes next to a frequency")
{
	const test_case small_ones[] = {{"small", small}};
	ADD_TESTS(small_ones);
	if (bxt_arnoldi_available) {
		const test_case tests[] = {
			{"chain", chain},
			{"free chain", free_chain},
			{"copies", copies},
			{"ladder", ladder},
			{"diffusion", diffusion},
			{"beam", beam},
			{"same as all", same_as_all},
			{"crowd", crowd},
			{"hanging", hanging},
		};
		ADD_TESTS(tests);
	}
}
