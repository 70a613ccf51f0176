/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When Newton's method ends: at the floor of its rows, with few factorisations. */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/*
 * The projection's tau has no slope in the matrix. Its rate of convergence is learnt within a step,
 * so that factors serve again: two factorisations a step where positions are corrected, one where
 * Gauss schemes keep them. The energy of these mechanisms, which nothing drives, stays to
 * round-off.
 */
START_TEST(few_factorizations)
{
	static const struct {
		const char *file;
		double each; /* factorisations a step, at most */
	} cases[] = {{"slider-crank.xml", 2.3}, {"four-bar.xml", 1.05}, {"n-four-bar.xml", 1.05}};
	model m = model_of_file(cases[_i].file);
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_summary s;
	def.scheme = "gauss2";
	def.record = "energy";
	bxt_table *t = model_run(&m, &def, &s);
	ck_assert_double_le((double)s.factorizations, cases[_i].each * (double)s.steps);
	ck_assert_int_le(s.most_iterations, 8);
	ck_assert_double_le(fabs(s.total.residual), 1e-12 * largest(t, "energy"));
	bxt_summary_free(&s);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* At steps where tau converges by half an iteration or worse, it is dropped: no step of this crank
 * needs more iterations than a rate of 1/2 does, 53 of them, nor is any halved. */
START_TEST(tau_dropped)
{
	model m = model_of_file("slider-crank.xml");
	bxt_run_def def;
	bxt_default_run_def(&def);
	bxt_summary s;
	def.scheme = "gauss1";
	def.step = 0.15;
	def.end = 30;
	bxt_table_free(model_run(&m, &def, &s));
	ck_assert_int_le(s.most_iterations, 53);
	ck_assert_int_eq(s.halvings, 0);
	bxt_summary_free(&s);
	model_free(&m);
}
END_TEST

/*
 * Oil at 1e6 Pa and 1e-6 m3/s in volumes of some ml, between sharp-edged holes. Updates of
 * pressures are round-off long before those of flows are. The account closes to the round-off of
 * the 10 J that pass, by Gauss' rule 2.3e-8 J were lost in it, and torn = whole.
 */
#define OIL(a, b)                                                                                  \
	"<flow-source id=\"pump\" p=\"a\" n=\"0\" discharge=\"0.1 l/s\"/>"                         \
	"<fluid-volume id=\"v1\" p=\"a\" n=\"0\" V0=\"10 ml\"/>"                                   \
	"<orifice id=\"o1\" p=\"a\" n=\"b\" A=\"2 mm2\" vc=\"1 mm/s\"/>"                           \
	"<check-valve id=\"relief\" p=\"a\" n=\"0\" G=\"1e-9 m3/(Pa.s)\" popen=\"20 bar\" "        \
	"pc=\"0.1 bar\"/>" a "<fluid-volume id=\"v2\" p=\"b\" n=\"0\" V0=\"1 ml\"/>"               \
	"<orifice id=\"o2\" p=\"b\" n=\"c\" A=\"1 mm2\" vc=\"1 mm/s\"/>"                           \
	"<pipe-friction id=\"hose\" p=\"c\" n=\"d\" R=\"1e9 Pa.s/m3\" K=\"1e12 Pa.s2/m6\"/>"       \
	"<fluid-volume id=\"v3\" p=\"d\" n=\"0\" V0=\"0.1 ml\"/>"                                  \
	"<orifice id=\"o3\" p=\"d\" n=\"0\" A=\"3 mm2\" vc=\"1 mm/s\"/>" b

#define CUT "<port id=\"b\" node=\"b\"/></subsystem><subsystem id=\"B\">"

START_TEST(hydraulics)
{
	static const char *const schemes[] = {"gauss1", "radau2", "radau3"};
	static const char *const xml[] = {NETLIST(OIL("", "")),
					  NETLIST("<subsystem id=\"A\">" OIL(
						  CUT, "<port id=\"b\" node=\"b\"/></subsystem>"
						       "<interconnection><connect id=\"j\" "
						       "a=\"A.b\" b=\"B.b\"/></interconnection>"))};
	bxt_table *t[2];
	for (int k = 0; k < 2; k++) {
		model m = model_of_text(xml[k]);
		bxt_run_def def;
		bxt_default_run_def(&def);
		bxt_summary s;
		def.scheme = schemes[_i];
		def.step = 1e-4;
		def.end = 0.05;
		def.record = k ? "A.v1.V, B.v2.V, B.v3.V, energy" : "v1.V, v2.V, v3.V, energy";
		t[k] = model_run(&m, &def, &s);
		ck_assert_int_eq(s.halvings, 0);
		if (_i == 0)
			ck_assert_double_le(fabs(s.total.residual), 1e-13 * s.total.supplied);
		bxt_summary_free(&s);
		model_free(&m);
	}
	ck_assert_double_le(difference(t[0], "v1.V", t[1], "A.v1.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "v2.V", t[1], "B.v2.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "v3.V", t[1], "B.v3.V"), 1e-12);
	ck_assert_double_le(difference(t[0], "energy", t[1], "energy"), 1e-12);
	bxt_table_free(t[0]);
	bxt_table_free(t[1]);
}
END_TEST

TEST_SUITE("newton")
{
	const test_case tests[] = {
		{"few factorisations", few_factorizations, .loops = 3},
		{"tau dropped", tau_dropped},
		{"hydraulics", hydraulics, .loops = 3},
	};
	ADD_TESTS(tests);
}
