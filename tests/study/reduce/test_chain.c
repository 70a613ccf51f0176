/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A chain of 150 equal masses and springs in three parts, fixed at one end, each part with a few
 * fixed-interface modes: the frequencies of the parts put together against
 * 2 sqrt(k/m) sin((2j - 1) pi / (2 (2N + 1))) of the whole chain. The expected errors were computed
 * with numpy and scipy.linalg.eigh from mass and stiffness matrices of second order, where the
 * shape inside that follows a port without mass is a mode of its own; without that they are larger.
 */
#include "support/harness.h"

#include "ground/sparse/lapack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 3, EACH = 50, MOST = 120 };

/* Part k has the masses k EACH + 1 ... k EACH + EACH, and the springs to their left. */
static char *chain_netlist(void)
{
	char *text;
	size_t length;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='chain'>"
	      "<simulation step='0.05 s' end='5 s'/>",
	      f);
	for (int k = 0; k < PARTS; k++) {
		fprintf(f, "<subsystem id='p%d'>", k);
		for (int i = k * EACH + 1; i <= (k + 1) * EACH; i++) {
			fprintf(f, "<mass id='M%d' a='x%d' m='1 kg'/>", i, i);
			if (i == 1)
				fputs("<spring id='K1' a='wall' b='x1' k='1 N/m'/>", f);
			else
				fprintf(f, "<spring id='K%d' a='x%d' b='x%d' k='1 N/m'/>", i, i - 1,
					i);
		}
		if (k > 0)
			fprintf(f, "<port id='l' node='x%d'/>", k * EACH);
		if (k + 1 < PARTS)
			fprintf(f, "<port id='r' node='x%d'/>", (k + 1) * EACH);
		else
			fputs("<node id='x150' kind='translational' v='1 m/s'/>", f);
		fputs("</subsystem>", f);
	}
	fputs("<interconnection><connect id='c1' a='p0.r' b='p1.l'/>"
	      "<connect id='c2' a='p1.r' b='p2.l'/></interconnection></netlist>",
	      f);
	fclose(f);
	return text;
}

/* The numbers of the tag, which is searched from *at on; how many. */
static int numbers(const char **at, const char *tag, double *to)
{
	int n = 0;
	ck_assert_ptr_nonnull(*at = strstr(*at, tag));
	*at = strchr(*at, '>') + 1;
	while (**at != '<') {
		char *end;
		to[n++] = strtod(*at, &end);
		ck_assert_ptr_ne(end, *at);
		*at = end + strspn(end, ",; \n");
	}
	return n;
}

/*
 * The matrix of all parts. The right port of a part is at a mass: its output is the velocity u =
 * B^T x. The left port takes a velocity: x' = J x + B u, and its output is the force on the part.
 */
static int put_together(const char *text, double *a)
{
	double j[MOST * MOST], left[MOST], right[PARTS][MOST];
	int first[PARTS + 1] = {0};
	for (int k = 0; k < PARTS; k++) {
		char name[40];
		snprintf(name, sizeof name, "name=\"reduced-p%d\"", k);
		const char *at = strstr(text, name);
		numbers(&at, "<structure", j);
		if (k > 0)
			numbers(&at, "takes=\"flow\"", left);
		const int n = k + 1 < PARTS ? numbers(&at, "<input port", right[k])
					    : numbers(&(const char *){strstr(text, name)},
						      "takes=\"flow\"", left);
		first[k + 1] = first[k] + n;
		for (int r = 0; r < n; r++)
			for (int c = 0; c < n; c++)
				a[(first[k] + r) + MOST * (first[k] + c)] = j[r * n + c];
		for (int r = 0; r < n && k > 0; r++)
			for (int c = 0; c < first[k] - first[k - 1]; c++) {
				const double f = left[r] * right[k - 1][c];
				a[(first[k] + r) + MOST * (first[k - 1] + c)] = f;
				a[(first[k - 1] + c) + MOST * (first[k] + r)] = -f;
			}
	}
	return first[PARTS];
}

static int ascending(const void *x, const void *y)
{
	const double *a = x, *b = y;
	return (*a > *b) - (*a < *b);
}

static const struct {
	int modes;
	double error[10];    /* relative, of the frequencies 1 ... 10 */
	double classical[2]; /* of the first and the tenth without the shapes below */
} cases[] = {
	{4,
	 {1.31485e-05, 9.32229e-05, 2.71431e-04, 5.19329e-04, 8.90877e-04, 1.93921e-03, 2.64913e-03,
	  3.06447e-03, 4.59718e-03, 5.98690e-03},
	 {1.695e-05, 7.296e-03}},
	{8,
	 {1.42981e-06, 1.13654e-05, 3.18712e-05, 5.96532e-05, 1.03793e-04, 1.89796e-04, 2.42048e-04,
	  3.06972e-04, 4.20642e-04, 4.60870e-04},
	 {2.170e-06, 6.882e-04}},
};

START_TEST(frequencies)
{
	static double a[MOST * MOST];
	double re[MOST], im[MOST], none, work[8 * MOST];
	const int leading = MOST, one = 1, lwork = 8 * MOST;
	int info;
	char *xml = chain_netlist(), *text;
	model m = model_of_text(xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	size_t length;
	bxt_default_reduce_def(&def);
	def.method = "craig-bampton";
	def.modes = cases[_i].modes;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, NULL),
			 BXT_OK);
	ck_assert_int_eq(bxt_netlist_to_memory(out, &text, &length), BXT_OK);
	const int n = put_together(text, a);
	dgeev_("N", "N", &n, a, &leading, re, im, &none, &one, &none, &one, work, &lwork, &info, 1,
	       1);
	ck_assert_int_eq(info, 0);
	for (int i = 0; i < n; i++) {
		ck_assert_double_le(fabs(re[i]), 1e-12);
		im[i] = im[i] > 1e-9 ? im[i] : INFINITY;
	}
	qsort(im, (size_t)n, sizeof *im, ascending);
	for (int k = 0; k < 10; k++) {
		const double whole = 2 * sin((2 * k + 1) * acos(-1) / (2 * (2 * PARTS * EACH + 1)));
		const double error = im[k] / whole - 1;
		ck_assert_msg(fabs(error / cases[_i].error[k] - 1) < 1e-3,
			      "%d modes: frequency %d is off by %g", cases[_i].modes, k + 1, error);
		ck_assert(k % 9 || error < cases[_i].classical[k / 9]);
	}
	bxt_netlist_free(out);
	bxt_release(text);
	model_free(&m);
	free(xml);
}
END_TEST

TEST_SUITE("reduced chain")
{
	const test_case tests[] = {
		{"frequencies", frequencies, .loops = COUNT(cases)},
	};
	ADD_TESTS(tests);
}
