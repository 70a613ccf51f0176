/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operating points that are hard to find, as decks in points/: rings, chains, latches and Schmitt
 * triggers, references, gates, thyristors, tunnel diodes, cells without capacitances, multipliers,
 * random nets.
 * The comments of a deck say where ngspice is at rest.
 */
#include "exchange/spice/spice_library.h"
#include "support/harness.h"

#include "ground/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the largest potential: ngspice's Boltzmann constant is another one in the seventh digit. */
static const double NEAR = 1e-6;

static const char *const quick[] = {
	"bandgap",         "chain-2",      "chain-7",       "chain-20",
	"class-ab",        "clipper",      "diode-chain",   "ecl",
	"high-gain",       "jfet-cascode", "latch-bipolar", "latch-cmos",
	"memory-cell",     "memory-held",  "mirror-wilson", "multiplier",
	"multiplier-sine", "opamp-741",    "ptat",          "random",
	"random-stiff",    "ring-3",       "ring-5",        "ring-11",
	"schmitt-bipolar", "schmitt-cmos", "scr",           "scr-on",
	"sense-amp",       "sine-diode",   "sine-offset",   "ttl",
	"ttl-high",        "tunnel",       "tunnel-pair"};
static const char *const large[] = {"ring-31", "chain-200"};

/* "* v(NODE) = VALUE" in the comments of the deck. */
static size_t read_rest(const char *path, char node[8][32], double *v)
{
	char line[256];
	size_t n = 0;
	FILE *f = fopen(path, "r");
	ck_assert_msg(f != NULL, "%s", path);
	while (n < 8 && fgets(line, sizeof line, f))
		n += sscanf(line, "* v(%31[^)]) = %lf", node[n], &v[n]) == 2;
	fclose(f);
	ck_assert_uint_gt(n, 0);
	return n;
}

static void find(const char *name)
{
	bxt_netlist *netlist = NULL;
	bxt_buffer path = {0}, record = {0};
	char node[8][32], *xml = NULL;
	double v[8], largest = 0;
	size_t size = 0;
	bxt_buffer_printf(&path, "%s/exchange/spice/points/%s.cir", getenv("BXT_TESTDATA"), name);
	const size_t n = read_rest(path.text, node, v);
	bxt_import_def def;
	bxt_default_import_def(&def);
	def.flat = true; /* nodes have the deck's names */
	def.library = device_library();
	ck_assert_int_eq(bxt_import_spice(path.text, &def, NULL, &netlist), BXT_OK);
	bxt_library_free(def.library);
	ck_assert_int_eq(bxt_netlist_to_memory(netlist, &xml, &size), BXT_OK);
	for (size_t i = 0; i < n; i++) {
		bxt_buffer_printf(&record, "%snode(%s).v", i ? "," : "", node[i]);
		largest = fmax(largest, fabs(v[i]));
	}
	bxt_table *t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
						    .step = 1e-9,
						    .end = 2e-9,
						    .record = record.text});
	for (size_t i = 0; i < n; i++) {
		const double ours = bxt_table_value(t, 0, i);
		ck_assert_msg(fabs(ours - v[i]) <= NEAR * largest, "%s: v(%s) is %.9g, not %.9g",
			      name, node[i], ours, v[i]);
	}
	bxt_table_free(t);
	bxt_netlist_free(netlist);
	bxt_buffer_free(&path);
	bxt_buffer_free(&record);
	free(xml);
}

START_TEST(points)
{
	find(quick[_i]);
}
END_TEST

START_TEST(large_points)
{
	find(large[_i]);
}
END_TEST

TEST_SUITE("operating points of decks")
{
	const test_case tests[] = {
		{"points", points, .loops = COUNT(quick)},
		{"large", large_points, .loops = COUNT(large), .slow = true},
	};
	ADD_TESTS(tests);
}
