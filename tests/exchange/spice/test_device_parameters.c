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
#include "exchange/spice/spice_library.h"
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
	bxt_import_def def;
	bxt_default_import_def(&def);
	def.library = device_library();
	ck_assert_int_eq(bxt_import_spice(path, &def, NULL, &netlist), BXT_OK);
	bxt_library_free(def.library);
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

/* A device that only a component file knows: two components for one type of card, their names in
 * cards and on lines, and what has no counterpart. */
START_TEST(own_device)
{
	static const char form[] =
		"<component xmlns='urn:boxtimes:component:1' name='spice-own%s' domain='d' "
		"spice='OWN'><spice letter='D' nodes='n p' silent='kf' warm='tw' without='z=4' %s/>"
		"<parameter name='G' unit='S' default='1 S' spice='G0 G1'/>"
		"<parameter name='B' unit='1' default='0' spice='B'/>"
		"<parameter name='Wd' unit='m' default='1 m' spice-line='W'/>"
		"<coordinate name='q' unit='C' flow='i'/><rayleigh>i^2/(2*G)</rayleigh>"
		"<port name='p' kind='electrical' flow='i'/>"
		"<port name='n' kind='electrical' flow='-i'/></component>";
	static const char deck[] = "title\nV1 a 0 1\nD1 a 0 m1\nD2 a 0 m2 w=3\n"
				   ".model m1 own(g1=2 b=0 kf=1 tw=5 z=4)\n"
				   ".model m2 own(g0=3 b=1 z=5 x=6)\n.tran 1u 1m\n.end\n";
	bxt_import_def def;
	bxt_netlist *netlist = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	char *xml = NULL, *back = NULL;
	size_t size = 0;
	bxt_default_import_def(&def);
	def.library = device_library();
	for (int i = 0; i < 2; i++) {
		bxt_buffer text = {0};
		bxt_buffer_printf(&text, form, i ? "-b" : "", i ? "when='B'" : "");
		ck_assert_int_eq(
			bxt_library_add_memory(def.library, text.text, text.length, "own.xml", d),
			BXT_OK);
		bxt_buffer_free(&text);
	}
	ck_assert_int_eq(bxt_import_spice_memory(deck, strlen(deck), "deck.cir", &def, d, &netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_netlist_to_memory(netlist, &xml, &size), BXT_OK);
	ck_assert_ptr_nonnull(
		strstr(xml, "<spice-own id=\"D1\" n=\"a\" p=\"0\" G=\"2 S\" B=\"0\"/>"));
	ck_assert_ptr_nonnull(strstr(
		xml, "<spice-own-b id=\"D2\" n=\"a\" p=\"0\" G=\"3 S\" B=\"1\" Wd=\"3 m\"/>"));
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_NOTE), 1);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "nothing for z=5, x=6:"));
	FILE *f = open_memstream(&back, &size);
	ck_assert_int_eq(bxt_netlist_write_spice(netlist, def.library, f, d), BXT_OK);
	fclose(f);
	ck_assert_ptr_nonnull(strstr(back, "\nD1 a 0 m1\nD2 a 0 m2 W=3\n"));
	ck_assert_ptr_nonnull(strstr(back, "\n.model m1 OWN(G0=2 B=0)\n.model m2 OWN(G0=3 B=1)\n"));
	free(back);
	free(xml);
	bxt_netlist_free(netlist);
	bxt_library_free(def.library);
	bxt_diagnostics_free(d);
}
END_TEST

/* Without a library the names in model cards are not known. */
START_TEST(without_library)
{
	const char *text =
		"title\nV1 a 0 1\nR1 a b 1k\nD1 b 0 dx\n.model dx d\n.tran 1u 1m\n.end\n";
	bxt_netlist *netlist = NULL;
	bxt_diagnostics *d = bxt_diagnostics_new();
	ck_assert_int_eq(bxt_import_spice_memory(text, strlen(text), "deck.cir", NULL, d, &netlist),
			 BXT_ERR_MODEL);
	ck_assert_ptr_null(netlist);
	ck_assert_int_eq(bxt_diagnostics_count(d, BXT_NOTE), 1);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text, "component library"));
	bxt_diagnostics_free(d);
}
END_TEST

TEST_SUITE("parameters of devices")
{
	const test_case tests[] = {
		{"parameters", parameters, .loops = COUNT(decks)},
		{"own device", own_device},
		{"without library", without_library},
	};
	ADD_TESTS(tests);
}
