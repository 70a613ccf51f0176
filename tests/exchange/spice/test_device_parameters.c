/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parameters of devices and sources, as decks in parameters/. Each device has values far from the
 * usual ones and a circuit in which they matter, so that a factor of 1.05 at one of them moves a
 * potential by more than the tolerance. The comments "* at TIME v(NODE) = VALUE" of a deck are the
 * potentials that ngspice 39.3 has for it, with reltol = 1e-6, vntol = 1e-8, chgtol = 1e-17
 * (junctions: 1e-7 and as it is), trtol = 1 and steps of a 5000th of the run at most (a 20000th
 * without transistors).
 *
 * Three laws of ngspice 39 are not those of the manuals, and the decks keep away from them: the
 * reverse saturation current of a bipolar transistor grows with the square of its area (here they
 * have copies, M), the recombination current of a diode ends where it blocks by 3 N kT/q, and an
 * ISWITCH is no VSWITCH of its current.
 */
#include "support/harness.h"

#include "ground/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIGURES = 400 };

typedef struct figure {
	double t, v;
	char node[32];
} figure;

static const struct {
	const char *name;
	double step;      /* of records [s]; each figure's time is one of them */
	double tolerance; /* [1], of the largest figure of the node */
} decks[] = {
	{"bipolar", 1e-7, 1e-5}, {"mos", 1e-7, 1e-5},     {"junctions", 1e-7, 1e-5},
	{"smooth", 1e-4, 1e-5},  {"waves", 2.5e-5, 1e-5},
};

static size_t read_figures(const char *path, figure *figures)
{
	char line[512];
	size_t n = 0;
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (fgets(line, sizeof line, f)) {
		ck_assert_uint_lt(n, MOST_FIGURES);
		n += sscanf(line, "* at %lf v(%31[^)]) = %lf", &figures[n].t, figures[n].node,
			    &figures[n].v) == 3;
	}
	fclose(f);
	ck_assert_uint_gt(n, 0);
	return n;
}

static char *import_deck(const char *path)
{
	char *xml = NULL;
	size_t size = 0;
	bxt_netlist *netlist = NULL;
	ck_assert_int_eq(bxt_import_spice(path, NULL, NULL, &netlist), BXT_OK);
	ck_assert_int_eq(bxt_netlist_to_memory(netlist, &xml, &size), BXT_OK);
	bxt_netlist_free(netlist);
	return xml;
}

static size_t row_at(const bxt_table *t, double time)
{
	size_t row = 0;
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		if (fabs(bxt_table_time(t, i) - time) < fabs(bxt_table_time(t, row) - time))
			row = i;
	ck_assert_double_eq_tol(bxt_table_time(t, row), time, 1e-12);
	return row;
}

static double largest_of(const figure *figures, size_t n, const char *node)
{
	double largest = 0;
	for (size_t i = 0; i < n; i++)
		if (strcmp(figures[i].node, node) == 0)
			largest = fmax(largest, fabs(figures[i].v));
	return largest;
}

START_TEST(parameters)
{
	static figure figures[MOST_FIGURES];
	bxt_buffer path = {0}, record = {0};
	bxt_buffer_printf(&path, "%s/exchange/spice/parameters/%s.cir", getenv("BXT_TESTDATA"),
			  decks[_i].name);
	const size_t n = read_figures(path.text, figures);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || strcmp(figures[i].node, figures[i - 1].node) != 0)
			bxt_buffer_printf(&record, "%snode(%s).v", i ? "," : "", figures[i].node);
	char *xml = import_deck(path.text);
	bxt_table *t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
						    .step = decks[_i].step,
						    .tolerance = 1e-6,
						    .record = record.text});
	for (size_t i = 0; i < n; i++) {
		char name[48];
		snprintf(name, sizeof name, "node(%s).v", figures[i].node);
		const double v = value_at(t, row_at(t, figures[i].t), name);
		ck_assert_msg(fabs(v - figures[i].v) <=
				      decks[_i].tolerance * largest_of(figures, n, figures[i].node),
			      "%s: %s at %g is %.9g, not %.9g", decks[_i].name, name, figures[i].t,
			      v, figures[i].v);
	}
	bxt_table_free(t);
	bxt_buffer_free(&path);
	bxt_buffer_free(&record);
	free(xml);
}
END_TEST

TEST_SUITE("parameters of devices")
{
	const test_case tests[] = {
		{"parameters", parameters, .loops = COUNT(decks)},
	};
	ADD_TESTS(tests);
}
