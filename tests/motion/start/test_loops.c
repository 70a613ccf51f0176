/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which loops are lossless: by structure, whatever the size of values or of the rest of the model.
 */
#include "ground/base/text.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A resistor whose slope vanishes at rest, and one that a time expression opens. */
#define CUBIC                                                                                      \
	"<component xmlns='urn:boxtimes:component:1' name='cubic'><doc>v = r i^3</doc>"            \
	"<coordinate name='q' unit='C' flow='i'/>"                                                 \
	"<port name='p' kind='electrical' flow='i'/><port name='n' kind='electrical' flow='-i'/>"  \
	"<rayleigh>i^4/4</rayleigh></component>"
#define VARIABLE                                                                                   \
	"<component xmlns='urn:boxtimes:component:1' name='variable'><doc>v = r(t) i</doc>"        \
	"<parameter name='r' unit='ohm' time='true'/><coordinate name='q' unit='C' flow='i'/>"     \
	"<port name='p' kind='electrical' flow='i'/><port name='n' kind='electrical' flow='-i'/>"  \
	"<rayleigh>r*i^2/2</rayleigh></component>"

START_TEST(test_slope_at_rest)
{
	/* q' = -q^(1/3): q(1) = (1 - 2/3)^(3/2) */
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 1e-3, .end = 1, .record = "C.q"};
	bxt_table *t = run_text(NETLIST(CUBIC "<cubic id='R' p='a' n='0'/>"
					      "<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"),
				&def);
	/* second order: 4 h^2 is generous */
	ck_assert_double_eq_tol(last_value(t, "C.q"), pow(1.0 / 3, 1.5), 4e-6);
	bxt_table_free(t);
}
END_TEST

START_TEST(test_later_resistance)
{

	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 1e-2, .end = 1, .record = "C.q"};
	bxt_table *t = run_text(NETLIST(VARIABLE "<variable id='R' p='a' n='0' r='=1 + t'/>"
						 "<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"),
				&def);
	/* q' = -q/(1 + t): q(1) = 1/2, second order */
	ck_assert_double_eq_tol(last_value(t, "C.q"), 0.5, 1e-4);
	bxt_table_free(t);
}
END_TEST

/* A ringing pair beside a ladder that has nothing to do with it. */
static double ringing(int sections)
{
	const size_t room = 200 * (size_t)sections + 1000;
	char *text = malloc(room);
	ck_assert_ptr_nonnull(text);
	int n = snprintf(text, room,
			 "<netlist xmlns='urn:boxtimes:netlist:1' name='x'>"
			 "<inductor id='LX' p='x' n='0' L='100 pH'/>"
			 "<capacitor id='CX' p='x' n='0' C='1 uF' q='1 uC'/>");
	for (int k = 1; k <= sections; k++)
		n += snprintf(text + n, room - (size_t)n,
			      "<resistor id='R%d' p='n%d' n='n%d' R='1 ohm'/>"
			      "<capacitor id='C%d' p='n%d' n='0' C='1 uF'/>",
			      k, k - 1, k, k, k);
	snprintf(text + n, room - (size_t)n,
		 "<resistor id='R0' p='n0' n='0' R='1 ohm'/></netlist>");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 1e-11, .end = 2e-8, .record = "CX.q"};
	bxt_table *t = run_text(text, &def);
	const double q = last_value(t, "CX.q");
	bxt_table_free(t);
	free(text);
	return q;
}

START_TEST(test_small_inductance)
{
	/* cos(2e-8 / sqrt(1e-16)) uC, less the midpoint rule's phase error of 1e-3^2/12 * 2 */
	const double exact = 1e-6 * cos(2.0), small = ringing(10), large = ringing(3000);
	ck_assert_double_eq_tol(small, exact, 1e-12);
	/* other unknowns change the pivots, not the physics */
	ck_assert_double_eq_tol(large, small, 1e-15);
}
END_TEST

START_TEST(test_written_flow)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 1e-3, .end = 1e-2, .record = "C.q"};
	model m =
		model_of_text(NETLIST("<resistor id='R' p='a' n='0' R='1 ohm'/>"
				      "<capacitor id='C' p='a' n='0' C='1 F' q='2 C' i='77 A'/>"));
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert(has_finding(&m, BXT_WARNING, "initial value of C.i is not kept"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_energy_of_carried_momenta)
{
	/* L = C = 1, q = 1 C: the midpoint rule keeps the energy of what is quadratic, which the
	 * flow of p + A^T mu that meets the balance of the node shows; that of p alone errs by h */
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.1,
				 .end = 10,
				 .scheme = "dirac+",
				 .record = "energy"};
	bxt_table *t = run_text(NETLIST("<inductor id='L' p='a' n='0' L='1 H'/>"
					"<capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>"),
				&def);
	for (size_t i = 0; i < bxt_table_rows(t); i++)
		ck_assert_double_eq_tol(value_at(t, i, "energy"), 0.5, 1e-14);
	bxt_table_free(t);
}
END_TEST

/*
 * n capacitors in parallel are n - 1 loops, which share a branch. They act as one: RC sum C, of
 * which each step of the midpoint rule takes the factor (1 - a)/(1 + a), a = h/(2 R sum C). The
 * work grows with n.
 */
START_TEST(test_parallel)
{
	enum { FEW = 1000, MANY = 8 * FEW };
	double seconds[2];
	for (int k = 0; k < 2; k++) {
		const int n = k ? MANY : FEW;
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 100,
					 .end = 1000,
					 .record = "C0.q, C5.q"};
		bxt_buffer xml = {0};
		double sum = 0;
		bxt_buffer_printf(&xml, "<netlist xmlns='urn:boxtimes:netlist:1'>"
					"<resistor id='R' p='a' n='0' R='1 ohm'/>");
		for (int i = 0; i < n; i++) {
			sum += 1 + i % 7;
			bxt_buffer_printf(&xml, "<capacitor id='C%d' p='a' n='0' C='%d F'%s/>", i,
					  1 + i % 7, i ? "" : " q='1 C'");
		}
		bxt_buffer_printf(&xml, "</netlist>");
		const double start = cpu_seconds(), a = def.step / (2 * sum);
		bxt_table *t = run_text(xml.text, &def);
		seconds[k] = cpu_seconds() - start;
		ck_assert_double_eq_tol(last_value(t, "C0.q"), pow((1 - a) / (1 + a), 10), 1e-12);
		ck_assert_double_eq_tol(last_value(t, "C5.q"), 6 * pow((1 - a) / (1 + a), 10),
					1e-11);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
	ck_assert_double_lt(seconds[1], 24 * (seconds[0] + 0.02)); /* 8 times as many: 64 or 512 */
}
END_TEST

TEST_SUITE("loops")
{
	const test_case tests[] = {
		{"slope at rest", test_slope_at_rest},
		{"later resistance", test_later_resistance},
		{"small inductance", test_small_inductance, .slow = true},
		{"written flow", test_written_flow},
		{"energy of carried momenta", test_energy_of_carried_momenta},
		{"parallel capacitors", test_parallel, .slow = true},
	};
	ADD_TESTS(tests);
}
