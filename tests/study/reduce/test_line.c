/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A line of 200 sections (5 ohm, 1 uH, 0.1 uF) behind 10 ohm, with 1 kohm at its end: the
 * admittance of the reduced line against the continued fraction of the whole one. The expected
 * errors are those of the same methods on the matrices in energy coordinates, made with numpy:
 * dense solves, numpy.linalg.svd of the snapshots of the midpoint rule, shifts from
 * numpy.linalg.eig.
 */
#include "support/harness.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 200, FREQUENCIES = 300, MOST = 24 };

static char *line_netlist(void)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='line'>"
	      "<simulation step='0.05 us' end='200 us'/><subsystem id='source'>"
	      "<voltage-source id='V' p='a' n='0' "
	      "e='=pulse(t, 0, 1, 1e-6, 1e-6, 1e-6, 2e-5, 1)'/>"
	      "<port id='s' node='a'/></subsystem><subsystem id='line'>"
	      "<resistor id='Rs' p='in' n='n0' R='10 ohm'/>",
	      f);
	for (int k = 1; k <= SECTIONS; k++)
		fprintf(f,
			"<resistor id='R%d' p='n%d' n='m%d' R='5 ohm'/>"
			"<inductor id='L%d' p='m%d' n='n%d' L='1 uH'/>"
			"<capacitor id='C%d' p='n%d' n='0' C='0.1 uF'/>",
			k, k - 1, k, k, k, k, k, k);
	fprintf(f,
		"<resistor id='RL' p='n%d' n='0' R='1 kohm'/><port id='s' node='in'/></subsystem>"
		"<interconnection><connect id='c' a='source.s' b='line.s'/></interconnection>"
		"<record>line.C200.q, c.lambda</record></netlist>",
		SECTIONS);
	fclose(f);
	return text;
}

static double complex admittance(double complex s)
{
	double complex y = 1e-3;
	for (int k = 0; k < SECTIONS; k++)
		y = 1 / (5 + s * 1e-6 + 1 / (y + s * 1e-7));
	return 1 / (10 + 1 / y);
}

/* The numbers of the first <tag> of the text, by rows; how many. */
static int numbers(const char *text, const char *tag, double *to)
{
	int n = 0;
	const char *at = strstr(text, tag);
	ck_assert_ptr_nonnull(at);
	at = strchr(at, '>') + 1;
	while (*at != '<') {
		char *end;
		to[n++] = strtod(at, &end);
		ck_assert_ptr_ne(end, at);
		at = end + strspn(end, ",; \n");
	}
	return n;
}

/* b^T (s - A)^-1 b by elimination; a is by rows. */
static double complex transfer(int n, const double *a, const double *b, double complex s)
{
	double complex m[MOST][MOST + 1], sum = 0;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < n; j++)
			m[i][j] = (i == j ? s : 0) - a[i * n + j];
		m[i][n] = b[i];
	}
	for (int k = 0; k < n; k++) {
		int pivot = k;
		for (int i = k; i < n; i++)
			pivot = cabs(m[i][k]) > cabs(m[pivot][k]) ? i : pivot;
		for (int j = 0; j <= n; j++) {
			const double complex swap = m[k][j];
			m[k][j] = m[pivot][j];
			m[pivot][j] = swap;
		}
		for (int i = 0; i < n; i++) {
			const double complex f = i == k ? 0 : m[i][k] / m[k][k];
			for (int j = k; j <= n; j++)
				m[i][j] -= f * m[k][j];
		}
	}
	for (int i = 0; i < n; i++)
		sum += b[i] * m[i][n] / m[i][i];
	return sum;
}

static double error_of(const char *text)
{
	double j[MOST * MOST], r[MOST * MOST], b[MOST], largest = 0, worst = 0;
	const int n = numbers(text, "<input", b);
	ck_assert_int_eq(numbers(text, "<structure", j), n * n);
	ck_assert_int_eq(numbers(text, "<dissipation", r), n * n);
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++) {
			ck_assert_double_eq(j[i * n + k], -j[k * n + i]);
			ck_assert(i == k ? r[i * n + i] >= 0 : r[i * n + k] == 0);
		}
	for (int i = 0; i < n * n; i++)
		j[i] -= r[i];
	for (int k = 0; k < FREQUENCIES; k++) {
		const double complex s = I * pow(10, 1 + 7.0 * k / (FREQUENCIES - 1));
		largest = fmax(largest, cabs(admittance(s)));
		worst = fmax(worst, cabs(transfer(n, j, b, s) - admittance(s)));
	}
	return worst / largest;
}

/* The pulse comes later than the step that is verified: all forces there are round-off. */
static void passes_at_rest(const bxt_netlist *netlist, model *m)
{
	bxt_verify_def def;
	bxt_system *system;
	bxt_verification *v;
	bxt_default_verify_def(&def);
	ck_assert_int_eq(bxt_system_compile(netlist, m->library, m->findings, &system), BXT_OK);
	ck_assert_int_eq(bxt_verify(system, &def, m->findings, &v), BXT_OK);
	for (size_t i = 0; i < v->n; i++)
		ck_assert_msg(v->checks[i].passed || v->checks[i].note, "%s: %s", v->checks[i].name,
			      v->checks[i].text);
	ck_assert(v->passed);
	bxt_verification_free(v);
	bxt_system_free(system);
}

static const struct {
	const char *method;
	int modes;
	double error;
} cases[] = {
	{"pod", 6, 0.371001},    {"pod", 10, 0.0439543},    {"pod", 20, 0.0189664},
	{"krylov", 6, 0.131189}, {"krylov", 10, 0.0309771}, {"krylov", 20, 0.00168597},
	{"irka", 6, 0.0917834},  {"irka", 10, 0.0177962},   {"irka", 20, 8.66786e-05},
};

START_TEST(admittances)
{
	char *xml = line_netlist(), *text;
	model m = model_of_text(xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_reduction *about;
	size_t length;
	bxt_default_reduce_def(&def);
	def.part = "line";
	def.method = cases[_i].method;
	def.modes = cases[_i].modes;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, &about),
			 BXT_OK);
	ck_assert_int_eq(bxt_netlist_to_memory(out, &text, &length), BXT_OK);
	const double error = error_of(text);
	ck_assert_msg(fabs(error / cases[_i].error - 1) < 1e-3, "%s, %d modes: error %g, not %g",
		      cases[_i].method, cases[_i].modes, error, cases[_i].error);
	ck_assert_int_eq(about->part[0].unknowns, 1005);
	ck_assert_int_eq(about->part[0].states, cases[_i].modes);
	ck_assert_double_ge(about->part[0].least_loss, -1e-14);
	ck_assert(has_finding(&m, BXT_WARNING, "'line.C200.q' is left out"));
	if (strcmp(cases[_i].method, "pod") == 0) { /* singular values by numpy */
		ck_assert_double_eq_tol(about->part[0].singular[0], 0.00298199, 1e-8);
		ck_assert_double_eq_tol(about->part[0].singular[3], 0.00030143, 1e-8);
	}
	passes_at_rest(out, &m);
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	bxt_release(text);
	model_free(&m);
	free(xml);
}
END_TEST

/* The tolerance is the part of the norm of the snapshots that is lost: 14 modes lose 8.7e-5. */
START_TEST(by_tolerance)
{
	char *xml = line_netlist();
	model m = model_of_text(xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_reduction *about;
	bxt_default_reduce_def(&def);
	def.tolerance = 1e-4;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, &about),
			 BXT_OK);
	const bxt_reduced_part *p = &about->part[0];
	double all = 0, lost = 0;
	for (size_t i = 0; i < p->n_singular; i++) {
		all += p->singular[i] * p->singular[i];
		lost += i >= (size_t)p->states ? p->singular[i] * p->singular[i] : 0;
	}
	ck_assert_double_le(lost, 1e-8 * all);
	const double next = p->singular[p->states - 1];
	ck_assert_double_gt(lost + next * next, 1e-8 * all);
	ck_assert_double_eq_tol(1 - p->kept, lost / all, 1e-12);
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	model_free(&m);
	free(xml);
}
END_TEST

TEST_SUITE("reduced line")
{
	const test_case tests[] = {
		{"admittances", admittances, .loops = COUNT(cases), .slow = true},
		{"by tolerance", by_tolerance},
	};
	ADD_TESTS(tests);
}
