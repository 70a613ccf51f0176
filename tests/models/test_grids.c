/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grids of resistances, inductances and capacitances, large enough for the solver of large ones,
 * and one connection of many ports.
 */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 45 };

static double uniform(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

/* Values of two decades; a voltage source at a corner, a current source at the next, capacitances
 * at the nodes but where the sum of the indices is even. */
static char *grid(void)
{
	char *text = NULL;
	size_t size;
	uint64_t seed = 3;
	FILE *f = open_memstream(&text, &size);
	fputs("<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"grid\">"
	      "<voltage-source id=\"V\" p=\"n0_0\" n=\"0\" e=\"=sin(2e6*t)\"/>"
	      "<current-source id=\"I\" p=\"n0_44\" n=\"0\" I=\"=1e-3*cos(1e6*t)\"/>",
	      f);
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++) {
			if (j + 1 < SIDE)
				fprintf(f,
					"<resistor id=\"R%d_%d\" p=\"n%d_%d\" n=\"n%d_%d\" "
					"R=\"%.17g ohm\"/>",
					i, j, i, j, i, j + 1, pow(10, 2 * uniform(&seed)));
			if (i + 1 < SIDE)
				fprintf(f,
					"<inductor id=\"L%d_%d\" p=\"n%d_%d\" n=\"n%d_%d\" "
					"L=\"%.17g uH\" i=\"0\"/>",
					i, j, i, j, i + 1, j, pow(10, 2 * uniform(&seed)));
			if ((i + j) % 2 == 1)
				fprintf(f,
					"<capacitor id=\"C%d_%d\" p=\"n%d_%d\" n=\"0\" C=\"%.17g "
					"nF\" q=\"0\"/>",
					i, j, i, j, pow(10, uniform(&seed)));
		}
	fputs("</netlist>", f);
	fclose(f);
	return text;
}

/* What "auto" takes and KLU give the same, and rows hold to round-off. */
START_TEST(solvers_agree)
{
	static const char *const name[] = {"node(n22_22).v", "R44_3.i", "L20_20.i", "C43_44.q",
					   "V.i"};
	static const char *const solver[] = {"auto", "klu"};
	char *text = grid();
	bxt_table *table[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(text);
		bxt_summary summary;
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.step = 1e-7;
		def.end = 2e-5;
		def.every = 20;
		def.solver = solver[k];
		def.record = "node(n22_22).v, R44_3.i, L20_20.i, C43_44.q, V.i";
		table[k] = model_run(&m, &def, &summary);
		ck_assert_str_eq(summary.solver, k == 0 ? "condensed" : solver[k]);
		ck_assert_int_eq(summary.factorizations, 1);
		for (size_t i = 0; i < summary.n_drift; i++)
			ck_assert_double_le(summary.drift[i].max, 1e-14 * largest(table[k], "V.i"));
		ck_assert_double_le(fabs(summary.total.residual), 1e-13 * summary.total.supplied);
		bxt_summary_free(&summary);
		model_free(&m);
	}
	for (int c = 0; c < 5; c++)
		ck_assert_double_le(difference(table[0], name[c], table[1], name[c]), 1e-11);
	for (int k = 0; k < 2; k++)
		bxt_table_free(table[k]);
	free(text);
}
END_TEST

/* A cube of capacitances with diodes, joined by resistances and inductances. */
static char *cube(void)
{
	enum { EDGE = 12 };
	static const int step[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fputs("<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"cube\">", f);
	for (int n = 0; n < EDGE * EDGE * EDGE; n++) {
		const int at[3] = {n % EDGE, n / EDGE % EDGE, n / EDGE / EDGE};
		fprintf(f,
			"<capacitor id=\"C%d\" p=\"n%d\" n=\"0\" C=\"1 uF\" q=\"%.17g uC\"/>"
			"<diode id=\"D%d\" p=\"n%d\" n=\"0\"/>",
			n, n, 0.7 * sin(0.3 * at[0] + 0.2 * at[1] + 0.1 * at[2]), n, n);
		for (int k = 0; k < 3; k++) {
			const int to = n + step[k][0] + EDGE * (step[k][1] + EDGE * step[k][2]);
			if (at[k] + 1 < EDGE)
				fprintf(f, "<%s id=\"%c%d\" p=\"n%d\" n=\"n%d\" %s/>",
					k == 1 ? "inductor" : "resistor", "XYZ"[k], n, n, to,
					k == 1 ? "L=\"1 mH\"" : "R=\"10 ohm\"");
		}
	}
	fputs("</netlist>", f);
	fclose(f);
	return text;
}

/* The same for a model that is not affine, whose factors fill up. */
START_TEST(solvers_agree_on_a_cube)
{
	static const char *const name[] = {"node(n800).v", "X0.i", "Y900.i", "C1000.q", "D5.i"};
	static const char *const solver[] = {"auto", "klu"};
	char *text = cube();
	bxt_table *table[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(text);
		bxt_summary summary;
		bxt_run_def def;
		bxt_default_run_def(&def);
		def.step = 1e-6;
		def.end = 2e-5;
		def.solver = solver[k];
		def.record = "node(n800).v, X0.i, Y900.i, C1000.q, D5.i";
		table[k] = model_run(&m, &def, &summary);
		ck_assert_str_eq(summary.solver, k == 0 ? "condensed" : solver[k]);
		for (size_t i = 0; i < summary.n_drift; i++)
			ck_assert_double_le(summary.drift[i].max,
					    1e-14 * largest(table[k], "X0.i"));
		bxt_summary_free(&summary);
		model_free(&m);
	}
	for (int c = 0; c < 5; c++)
		ck_assert_double_le(difference(table[0], name[c], table[1], name[c]), 1e-12);
	for (int k = 0; k < 2; k++)
		bxt_table_free(table[k]);
	free(text);
}
END_TEST

/*
 * Masses m on springs k_1 ... k_n, all joined by one connection, which is one oscillator. With
 * gauss1 x_j = x_0 cos(j a), tan(a/2) = w h/2, w^2 = sum k/(n m), exactly. A matrix with the square
 * of the ports in entries would take gigabytes.
 */
START_TEST(many_ports)
{
	enum { PORTS = 8000, STEPS = 20 };
	const double h = 0.01;
	double sum = 0;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	fputs("<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"ports\">", f);
	for (int i = 0; i < PORTS; i++) {
		const int k = 1 + i % 17;
		sum += k;
		fprintf(f,
			"<subsystem id=\"p%d\"><mass id=\"M\" a=\"a\" m=\"2 kg\"/><spring id=\"K\" "
			"a=\"wall\" b=\"a\" k=\"%d N/m\"/><node id=\"a\" kind=\"translational\" "
			"x=\"1 cm\"/><port id=\"s\" node=\"a\"/></subsystem>",
			i, k);
	}
	fputs("<interconnection><connect id=\"c\" ports=\"", f);
	for (int i = 0; i < PORTS; i++)
		fprintf(f, "p%d.s ", i);
	fputs("\"/></interconnection></netlist>", f);
	fclose(f);
	bxt_run_def def;
	bxt_default_run_def(&def);
	def.step = h;
	def.end = STEPS * h;
	def.record = "node(p0.a).x, node(p4711.a).x";
	bxt_table *t = run_text(text, &def);
	const double angle = 2 * atan(h / 2 * sqrt(sum / (2 * PORTS)));
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double exact = 0.01 * cos((double)k * angle);
		/* round-off of sums over all ports */
		ck_assert_double_eq_tol(value_at(t, k, "node(p0.a).x"), exact, 1e-13);
		ck_assert_double_eq_tol(value_at(t, k, "node(p4711.a).x"), exact, 1e-13);
	}
	ck_assert_int_eq(bxt_table_rows(t), STEPS + 1);
	bxt_table_free(t);
	free(text);
}
END_TEST

TEST_SUITE("grids")
{
	const test_case tests[] = {
		{"solvers agree", solvers_agree},
		{"solvers agree on a cube", solvers_agree_on_a_cube},
		{"many ports", many_ports, .slow = true},
	};
	ADD_TESTS(tests);
}
