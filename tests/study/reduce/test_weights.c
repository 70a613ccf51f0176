/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Least squares with unknowns that are not negative, against scipy's nnls and the conditions of the
 * least value; and element weights of models in modes.
 */
#include "study/reduce/nnls.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Least squares ---- */

/* A is 12 x 7 with a_ij = sin(1 + 3 i + j^2 + i j^2) + 0.3, b_i = cos(0.7 i) + 0.4;
 * scipy.optimize.nnls. */
START_TEST(as_scipy)
{
	static const double wanted[] = {0.432910767488, 0.186076124201, 0, 0, 0,
					0.051908913726, 0.163706793455};
	double a[12 * 7], b[12], x[7], misfit;
	for (int i = 0; i < 12; i++) {
		b[i] = cos(0.7 * i) + 0.4;
		for (int j = 0; j < 7; j++)
			a[12 * j + i] = sin(1 + 3 * i + j * j + i * j * j) + 0.3;
	}
	ck_assert_int_eq(bxt_nnls(12, 7, a, b, 0, x, &misfit), BXT_OK);
	for (int j = 0; j < 7; j++)
		ck_assert_double_eq_tol(x[j], wanted[j], 1e-11);
	ck_assert_double_eq_tol(misfit, 2.7221333878136145, 1e-12);
}
END_TEST

/* x and y >= 0 on a line and in a corner; a zero column; the same column twice. */
START_TEST(by_hand)
{
	double x[3], misfit;
	const double tiny[] = {1e-200, 0, 1, 1}, e[] = {2, 1};
	ck_assert_int_eq(bxt_nnls(2, 2, tiny, e, 0, x, &misfit), BXT_OK);
	ck_assert_double_eq(x[0], 0);
	ck_assert_double_eq_tol(x[1], 1.5, 1e-15);
	const double corner[] = {1, 0, 0, 1}, b[] = {2, -3};
	ck_assert_int_eq(bxt_nnls(2, 2, corner, b, 0, x, &misfit), BXT_OK);
	ck_assert_double_eq_tol(x[0], 2, 1e-15);
	ck_assert_double_eq(x[1], 0);
	ck_assert_double_eq_tol(misfit, 3, 1e-15);
	/* (1, 2) joins first and leaves again: (3, 1) = 1 (3, 1) + 0 (1, 2) */
	const double leaves[] = {1, 2, 3, 1}, c[] = {3, 1};
	ck_assert_int_eq(bxt_nnls(2, 2, leaves, c, 0, x, &misfit), BXT_OK);
	ck_assert_double_eq_tol(x[0], 0, 1e-14);
	ck_assert_double_eq_tol(x[1], 1, 1e-14);
	const double twice[] = {0, 0, 1, 1, 1, 1}, d[] = {3, 1};
	ck_assert_int_eq(bxt_nnls(2, 3, twice, d, 0, x, &misfit), BXT_OK);
	ck_assert_double_eq(x[0], 0);
	ck_assert_double_eq_tol(x[1] + x[2], 2, 1e-14);
	ck_assert_double_eq_tol(misfit, sqrt(2), 1e-14);
	const double nothing[] = {0, 0};
	ck_assert_int_eq(bxt_nnls(2, 2, corner, nothing, 0, x, &misfit), BXT_OK);
	ck_assert_double_eq(x[0] + x[1] + misfit, 0);
}
END_TEST

/* xorshift64: the same numbers on every machine. */
static double random_number(unsigned long long *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (double)(*seed >> 11) * 0x1p-52 - 1;
}

/* A^T (b - A x) is 0 where x > 0, and nowhere positive. */
START_TEST(least_value)
{
	enum { M = 60, N = 90 };
	static double a[M * N], b[M], x[N], left[M];
	unsigned long long seed = 0x2545F4914F6CDD1Du + (unsigned)_i;
	double misfit, sum = 0;
	int active = 0;
	const int m = _i % 2 ? M : 25;
	for (int i = 0; i < m * N; i++)
		a[i] = random_number(&seed) + (_i < 4 ? 0 : 0.5);
	for (int i = 0; i < m; i++)
		left[i] = b[i] = random_number(&seed);
	ck_assert_int_eq(bxt_nnls(m, N, a, b, 0, x, &misfit), BXT_OK);
	for (int j = 0; j < N; j++)
		for (int i = 0; i < m; i++)
			left[i] -= a[m * j + i] * x[j];
	for (int i = 0; i < m; i++)
		sum += left[i] * left[i];
	ck_assert_double_eq_tol(sqrt(sum), misfit, 1e-12);
	for (int j = 0; j < N; j++) {
		double g = 0;
		for (int i = 0; i < m; i++)
			g += a[m * j + i] * left[i];
		ck_assert_double_ge(x[j], 0);
		ck_assert_double_le(x[j] > 0 ? fabs(g) : g, 1e-11);
		active += x[j] > 0;
	}
	ck_assert_int_le(active, m);
	/* half way there fewer columns suffice */
	double size = 0;
	for (int i = 0; i < m; i++)
		size += b[i] * b[i];
	const double enough = (1 + misfit / sqrt(size)) / 2;
	int fewer = 0;
	ck_assert_int_eq(bxt_nnls(m, N, a, b, enough, x, &misfit), BXT_OK);
	for (int j = 0; j < N; j++)
		fewer += x[j] > 0;
	ck_assert_int_lt(fewer, active);
	ck_assert_double_le(misfit, enough * sqrt(size));
}
END_TEST

/* ---- Models ---- */

static bxt_netlist *reduce(model *m, int modes, double weights, bxt_reduction **about)
{
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_default_reduce_def(&def);
	def.as = "modes";
	def.modes = modes;
	def.weights = weights;
	const bxt_status status =
		bxt_netlist_reduce(m->netlist, m->library, &def, m->findings, &out, about);
	ck_assert_msg(status == BXT_OK, "%s",
		      bxt_diagnostics_count(m->findings, BXT_NOTE)
			      ? bxt_diagnostics_get(m->findings, 0)->text
			      : "");
	return out;
}

static bxt_table *run(const bxt_netlist *netlist, model *m)
{
	bxt_system *system;
	bxt_state *state;
	bxt_sink sink;
	bxt_run_def def;
	bxt_table *table = bxt_table_new();
	bxt_default_run_def(&def);
	bxt_table_sink(table, &sink);
	ck_assert_int_eq(bxt_system_compile(netlist, m->library, m->findings, &system), BXT_OK);
	ck_assert_int_eq(bxt_initialize(system, &def, m->findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(system, state, &def, &sink, NULL, m->findings), BXT_OK);
	bxt_state_free(state);
	bxt_system_free(system);
	return table;
}

/* Six springs, one of them with the weight 2, and four masses side by side: one of each is left,
 * with the weights 7 and 4, and the force stays. */
START_TEST(side_by_side)
{
	char *text, *out;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='many'>"
	      "<simulation step='0.02 s' end='6 s'/>",
	      f);
	for (int i = 0; i < 6; i++)
		fprintf(f,
			"<cubic-spring id='K%d' a='wall' b='x' k='1 N/m' k3='0.5 N/m3'"
			"%s/>",
			i, i == 3 ? " weight='2'" : "");
	for (int i = 0; i < 4; i++)
		fprintf(f, "<mass id='M%d' a='x' m='0.3 kg'/>", i);
	fputs("<force id='F' a='wall' b='x' f='=sin(t)'/>"
	      "<node id='x' kind='translational' x='0.5 m'/>"
	      "<record>node(x).x, energy</record></netlist>",
	      f);
	fclose(f);
	model m = model_of_text(text);
	bxt_reduction *about;
	bxt_netlist *modes = reduce(&m, 1, 1e-9, &about);
	ck_assert_int_eq(about->part[0].weighed[0], 10);
	ck_assert_int_eq(about->part[0].weighed[1], 2);
	ck_assert_double_le(about->part[0].misfit, 1e-9);
	ck_assert_double_le(about->signal[0].relative, 1e-11);
	ck_assert_double_le(about->signal[1].relative, 1e-11);
	ck_assert_int_eq(bxt_netlist_to_memory(modes, &out, &length), BXT_OK);
	ck_assert_ptr_nonnull(strstr(out, "<force-of-modes"));
	const char *at = strstr(out, "<mass-of-modes");
	ck_assert_ptr_nonnull(at);
	ck_assert_ptr_nonnull(at = strstr(at, " weight=\""));
	ck_assert_double_eq_tol(strtod(at + 9, NULL), 4, 1e-9);
	bxt_release(out);
	bxt_netlist_free(modes);
	bxt_reduction_free(about);
	model_free(&m);
	free(text);
}
END_TEST

enum { MASSES = 400 };

static char *chain(void)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='springs'>"
	      "<simulation step='0.02 s' end='20 s'/>",
	      f);
	for (int i = 1; i <= MASSES; i++) {
		char left[10] = "wall";
		if (i > 1)
			snprintf(left, sizeof left, "x%d", i - 1);
		fprintf(f,
			"<mass id='M%d' a='x%d' m='1 kg'/><cubic-spring id='K%d' a='%s' b='x%d' "
			"k='2 N/m' k3='2000 N/m3'/>",
			i, i, i, left, i);
	}
	fputs("<force id='F' a='wall' b='x400' f='=0.5*sin(0.3*t)'/>"
	      "<node id='x400' kind='translational' v='0.1 m/s'/>"
	      "<record>node(x400).x, energy</record></netlist>",
	      f);
	fclose(f);
	return text;
}

/* 400 cubic springs and masses in 8 modes: about 100 elements are left, and the motion differs from
 * that of all elements in the same modes by less than the modes differ from the chain. */
START_TEST(cubic_springs)
{
	char *xml = chain();
	model m = model_of_text(xml);
	bxt_reduction *whole, *about;
	bxt_netlist *all = reduce(&m, 8, 0, &whole), *few = reduce(&m, 8, 1e-3, &about);
	const bxt_reduced_part *p = &about->part[0];
	ck_assert_int_eq(whole->part[0].weighed[0], 0);
	ck_assert_int_eq(p->weighed[0], 2 * MASSES);
	ck_assert_int_ge(p->weighed[1], 40);
	ck_assert_int_le(p->weighed[1], 110);
	ck_assert_double_le(p->misfit, 1e-3);
	ck_assert_double_gt(p->misfit, 0);
	for (int i = 0; i < 2; i++)
		ck_assert_double_le(about->signal[i].relative, 1.1 * whole->signal[i].relative);
	bxt_table *a = run(all, &m), *b = run(few, &m);
	const double size = largest(a, "node_x400_x.value");
	ck_assert_double_le(difference(a, "node_x400_x.value", b, "node_x400_x.value"),
			    0.2 * size * whole->signal[0].relative);
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_netlist_free(all);
	bxt_netlist_free(few);
	bxt_reduction_free(whole);
	bxt_reduction_free(about);
	model_free(&m);
	free(xml);
}
END_TEST

static const struct {
	const char *as;
	double weights;
	const char *finding;
} wrong[] = {
	{"matrices", 1e-3, "weights are of the elements of a model in modes"},
	{"rows", 1e-3, "weights are of the elements of a model in modes"},
	{"modes", -1, "between 0 and 1"},
	{"modes", 1, "between 0 and 1"},
	{"modes", NAN, "between 0 and 1"},
};

START_TEST(refused)
{
	model m = model_of_text(NETLIST("<simulation step='0.1 s' end='1 s'/><mass id='M' a='a' "
					"m='1 kg'/><spring id='K' a='a' b='wall' k='1 N/m'/>"
					"<node id='a' kind='translational' x='1 m'/>"));
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_default_reduce_def(&def);
	def.as = wrong[_i].as;
	def.modes = 1;
	def.weights = wrong[_i].weights;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, NULL),
			 BXT_ERR_MODEL);
	ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[_i].finding), "%s", wrong[_i].finding);
	model_free(&m);
}
END_TEST

TEST_SUITE("weights")
{
	const test_case tests[] = {
		{"as scipy", as_scipy},
		{"by hand", by_hand},
		{"least value", least_value, .loops = 8},
		{"side by side", side_by_side},
		{"cubic springs", cubic_springs, .slow = true},
		{"refused", refused, .loops = COUNT(wrong)},
	};
	ADD_TESTS(tests);
}
