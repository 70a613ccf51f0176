/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What irka ends at: with the eigenvalues mu_k of the reduced part and the directions d_k of its
 * residues the reduced transfer function is the whole one at -mu_k, H_r(-mu_k) d_k = H(-mu_k) d_k.
 * Where states and their duals span the same, as in a line of R and C, whose matrix is symmetric,
 * so are the derivatives, d_k^T H_r'(-mu_k) d_k = d_k^T H'(-mu_k) d_k. These are the conditions of
 * first order for the least error in H2 (Gugercin, Antoulas and Beattie, SIAM J. Matrix Anal. Appl.
 * 30, 2008). A part that stays port-Hamiltonian has one space alone, and its derivatives are not
 * those of the whole where coils and capacitors exchange energy.
 *
 * Lines with a capacitor at each port, which takes the current. H is found by nodal analysis: the
 * tridiagonal Y(s) is solved for each port, and H' = -x^T Y' x.
 */
#include "support/harness.h"

#include "ground/sparse/lapack.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SECTIONS = 40, NODES = SECTIONS + 1, MOST = 16, PORTS = 2 };
/* Of the sections [ohm, F], and behind the last node. */
static const double R = 5, C = 1e-7, LOAD = 1e3;

static const struct line {
	double l; /* [H] of a section */
	int ports, modes;
} lines[] = {{0, 1, 4}, {0, 1, 8}, {0, 2, 6}, {1e-6, 1, 4}, {1e-6, 1, 8}, {1e-6, 2, 10}};

static char *netlist_of(const struct line *line)
{
	char *text;
	size_t length;
	const bool two = line->ports == 2;
	FILE *f = open_memstream(&text, &length);
	fputs("<netlist xmlns='urn:boxtimes:netlist:1' name='line'>"
	      "<simulation step='0.05 us' end='2 us'/><subsystem id='rest'>"
	      "<voltage-source id='V' p='a' n='0' e='=sin(1e6*t)'/>"
	      "<resistor id='R' p='a' n='b' R='10 ohm'/><port id='s' node='b'/>",
	      f);
	if (two)
		fputs("<resistor id='R2' p='d' n='0' R='2 ohm'/><port id='u' node='d'/>", f);
	fputs("</subsystem><subsystem id='line'>", f);
	for (int k = 0; k < NODES; k++)
		fprintf(f, "<capacitor id='C%d' p='n%d' n='0' C='0.1 uF'/>", k, k);
	for (int k = 1; k < NODES && line->l == 0; k++)
		fprintf(f, "<resistor id='R%d' p='n%d' n='n%d' R='5 ohm'/>", k, k - 1, k);
	for (int k = 1; k < NODES && line->l > 0; k++)
		fprintf(f,
			"<resistor id='R%d' p='n%d' n='m%d' R='5 ohm'/>"
			"<inductor id='L%d' p='m%d' n='n%d' L='1 uH'/>",
			k, k - 1, k, k, k, k);
	fprintf(f,
		"<resistor id='RL' p='n%d' n='0' R='1 kohm'/><port id='s' node='n0'/>%s"
		"</subsystem><interconnection><connect id='c' a='rest.s' b='line.s'/>%s"
		"</interconnection></netlist>",
		SECTIONS, two ? "<port id='u' node='n40'/>" : "",
		two ? "<connect id='e' a='rest.u' b='line.u'/>" : "");
	fclose(f);
	return text;
}

/* ---- The whole line ---- */

/* x: the potentials where 1 A enters at the first node, or at the last. */
static void potentials(const struct line *line, double complex s, int port, double complex *x)
{
	const double complex y = 1 / (R + s * line->l);
	double complex pivot[NODES];
	for (int k = 0; k < NODES; k++) {
		pivot[k] = s * C + (k > 0 ? y : 0) + (k < SECTIONS ? y : 1 / LOAD);
		x[k] = k == (port ? SECTIONS : 0);
		if (k > 0) {
			pivot[k] -= y * y / pivot[k - 1];
			x[k] += y / pivot[k - 1] * x[k - 1];
		}
	}
	for (int k = SECTIONS; k >= 0; k--)
		x[k] = (x[k] + (k < SECTIONS ? y * x[k + 1] : 0)) / pivot[k];
}

/* H and H', by columns. */
static void whole(const struct line *line, double complex s, double complex *h, double complex *dh)
{
	double complex x[PORTS][NODES];
	const double complex z = R + s * line->l;
	for (int i = 0; i < line->ports; i++)
		potentials(line, s, i, x[i]);
	for (int i = 0; i < line->ports; i++)
		for (int j = 0; j < line->ports; j++) {
			double complex sum = 0;
			for (int k = 0; k < NODES; k++)
				sum -= x[i][k] * C * x[j][k];
			for (int k = 1; k < NODES; k++)
				sum += line->l / (z * z) * (x[i][k] - x[i][k - 1]) *
				       (x[j][k] - x[j][k - 1]);
			dh[i + PORTS * j] = sum;
			h[i + PORTS * j] = x[j][i ? SECTIONS : 0];
		}
}

/* ---- The reduced one ---- */

struct reduced {
	int n, ports;
	double a[MOST * MOST], b[MOST * PORTS]; /* by columns */
};

/* The numbers of <tag> from `text` on, which moves behind them. */
static int numbers(const char **text, const char *tag, double *to)
{
	int n = 0;
	const char *at = strstr(*text, tag);
	ck_assert_ptr_nonnull(at);
	at = strchr(at, '>') + 1;
	while (*at != '<') {
		char *end;
		to[n++] = strtod(at, &end);
		ck_assert_ptr_ne(end, at);
		at = end + strspn(end, ",; \n");
	}
	*text = at;
	return n;
}

static void read_reduced(const char *text, int ports, struct reduced *m)
{
	double j[MOST * MOST], r[MOST * MOST];
	const int all = numbers(&text, "<structure", j);
	ck_assert_int_eq(numbers(&text, "<dissipation", r), all);
	m->n = (int)lround(sqrt(all));
	m->ports = ports;
	for (int i = 0; i < m->n; i++)
		for (int k = 0; k < m->n; k++)
			m->a[i + m->n * k] = j[i * m->n + k] - r[i * m->n + k];
	for (int k = 0; k < ports; k++)
		ck_assert_int_eq(numbers(&text, "<input", m->b + m->n * k), m->n);
}

/* x (n) <- (s - A)^-1 x or, transposed, (s - A)^-T x */
static void divide(const struct reduced *m, double complex s, bool transposed, double complex *x)
{
	double complex k[MOST * MOST];
	int pivot[MOST], one = 1, info;
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++)
			k[i + m->n * j] = (i == j ? s : 0) -
					  (transposed ? m->a[j + m->n * i] : m->a[i + m->n * j]);
	zgesv_(&m->n, &one, (double *)k, &m->n, pivot, (double *)x, &m->n, &info);
	ck_assert_int_eq(info, 0);
}

static void reduced(const struct reduced *m, double complex s, double complex *h,
		    double complex *dh)
{
	double complex right[PORTS][MOST], left[PORTS][MOST];
	for (int k = 0; k < m->ports; k++) {
		for (int i = 0; i < m->n; i++)
			right[k][i] = left[k][i] = m->b[i + m->n * k];
		divide(m, s, false, right[k]);
		divide(m, s, true, left[k]);
	}
	for (int i = 0; i < m->ports; i++)
		for (int j = 0; j < m->ports; j++) {
			h[i + PORTS * j] = dh[i + PORTS * j] = 0;
			for (int k = 0; k < m->n; k++) {
				h[i + PORTS * j] += m->b[k + m->n * i] * right[j][k];
				dh[i + PORTS * j] -= left[i][k] * right[j][k];
			}
		}
}

/* mu (n), and the directions B^T y of y^T A = mu y^T, (ports x n). */
static void find_poles(const struct reduced *m, double complex *mu, double complex *d)
{
	double t[MOST * MOST], re[MOST], im[MOST], y[MOST * MOST], none[1], work[16 * MOST];
	const int one = 1, size = 16 * MOST;
	int info;
	for (int i = 0; i < m->n; i++)
		for (int j = 0; j < m->n; j++)
			t[i + m->n * j] = m->a[j + m->n * i];
	dgeev_("N", "V", &m->n, t, &m->n, re, im, none, &one, y, &m->n, work, &size, &info, 1, 1);
	ck_assert_int_eq(info, 0);
	for (int k = 0; k < m->n; k++) {
		/* of a pair: re + i im of the columns first and second, then its conjugate */
		const int first = im[k] < 0 ? k - 1 : k;
		mu[k] = re[k] + I * im[k];
		for (int c = 0; c < m->ports; c++) {
			double complex sum = 0;
			for (int i = 0; i < m->n; i++) {
				const double part = im[k] != 0 ? y[i + m->n * (first + 1)] : 0;
				sum += m->b[i + m->n * c] *
				       (y[i + m->n * first] + I * (im[k] < 0 ? -part : part));
			}
			d[c + PORTS * k] = sum;
		}
	}
}

START_TEST(conditions)
{
	const struct line *line = &lines[_i];
	char *xml = netlist_of(line), *text;
	model m = model_of_text(xml);
	bxt_reduce_def def;
	bxt_netlist *out;
	bxt_reduction *about;
	size_t length;
	struct reduced small;
	double complex mu[MOST], d[PORTS * MOST];
	bxt_default_reduce_def(&def);
	def.part = "line";
	def.method = "irka";
	def.modes = line->modes;
	ck_assert_int_eq(bxt_netlist_reduce(m.netlist, m.library, &def, m.findings, &out, &about),
			 BXT_OK);
	ck_assert(!about->part[0].stagnated);
	ck_assert_int_eq(about->part[0].flow_ports, line->ports);
	ck_assert_int_eq(bxt_netlist_to_memory(out, &text, &length), BXT_OK);
	read_reduced(text, line->ports, &small);
	ck_assert_int_eq(small.n, line->modes);
	find_poles(&small, mu, d);
	for (int k = 0; k < small.n; k++) {
		double complex h[2][PORTS * PORTS], dh[2][PORTS * PORTS], slope[2] = {0};
		double size = 0, off = 0;
		ck_assert_double_lt(creal(mu[k]), 0);
		whole(line, -mu[k], h[0], dh[0]);
		reduced(&small, -mu[k], h[1], dh[1]);
		for (int i = 0; i < line->ports; i++) {
			double complex y[2] = {0};
			for (int j = 0; j < line->ports; j++)
				for (int w = 0; w < 2; w++) {
					y[w] += h[w][i + PORTS * j] * d[j + PORTS * k];
					slope[w] += d[i + PORTS * k] * dh[w][i + PORTS * j] *
						    d[j + PORTS * k];
				}
			size = fmax(size, cabs(y[0]));
			off = fmax(off, cabs(y[1] - y[0]));
		}
		const double bend = cabs(slope[1] - slope[0]) / cabs(slope[0]);
		printf("line %d, pole %g%+gi: value off by %.1e, derivative by %.1e\n", _i,
		       creal(mu[k]), cimag(mu[k]), off / size, bend);
		ck_assert_double_lt(off / size, 1e-7);
		if (line->l == 0)
			ck_assert_double_lt(bend, 1e-7);
	}
	bxt_reduction_free(about);
	bxt_netlist_free(out);
	bxt_release(text);
	model_free(&m);
	free(xml);
}
END_TEST

TEST_SUITE("optimality of irka")
{
	const test_case tests[] = {{"conditions", conditions, .loops = COUNT(lines)}};
	ADD_TESTS(tests);
}
