/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two stores on one node, of every kind that there is, with one effort: loops that nothing resists.
 */
#include "support/allocation.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define HOT "<heat-capacity id='A' a='a' C='10 J/K' U='1000 J'/>"
#define WARM "<heat-capacity id='B' a='a' C='30 J/K' %s/>"
#define OUT                                                                                        \
	"<conduction id='G' a='a' b='e' G='2 W/K'/>"                                               \
	"<temperature-source id='E' a='e' temperature='300 K'/>"

/* more: what stands behind the elements. */
static model two_capacities(const char *attributes, const char *more)
{
	char text[1000];
	snprintf(text, sizeof text, NETLIST(HOT WARM OUT "%s"), attributes, more);
	return model_of_text(text);
}

/* ---- Heat: the temperatures of rows T(U) S' = U' ---- */

/* U of A at t: both capacities relax together, T - 300 K = (T_0 - 300 K) exp(-t G/(C_A + C_B)). */
static double heat_at(double start, double t)
{
	return 10 * (300 + (start - 300) * exp(-t * 2 / 40) - 293.15);
}

START_TEST(test_sum)
{
	static const struct {
		const char *scheme;
		double tolerance; /* of T - 300 K, 18.15 K at the start */
	} schemes[] = {
		/* h^2/12 (1/20 s)^2 t/20 e^-1 18.15 K for the second order, 0.05 s: 3.5e-6 K */
		{"gauss1", 5e-6},
		{"discrete-gradient", 5e-6},
		{"theta", 5e-6},
		/* the fourth order leaves 1e-11, the third 2e-8; round-off of 300 K some 1e-11 */
		{"gauss2", 1e-10},
		{"gauss3", 1e-10},
		{"radau2", 2e-8},
		{"radau3", 1e-10},
	};
	model m = two_capacities("U='0 J'", "");
	model one =
		model_of_text(NETLIST("<heat-capacity id='A' a='a' C='40 J/K' U='1000 J'/>" OUT));
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.05,
					 .end = 20,
					 .scheme = schemes[i].scheme,
					 .record = "A.U, A.T, B.U, B.T, node(a).T"};
		bxt_run_def of_one = def;
		bxt_summary summary;
		of_one.record = "A.U";
		bxt_table *t = model_run(&m, &def, &summary);
		bxt_table *sum = model_run(&one, &of_one, NULL);
		/* the start shares the heat, (10 J/K 393.15 K + 30 J/K 293.15 K)/40 J/K */
		ck_assert_double_eq_tol(value_at(t, 0, "A.T"), 318.15, 1e-11);
		ck_assert_double_eq_tol(value_at(t, 0, "B.T"), 318.15, 1e-11);
		ck_assert_double_eq_tol(value_at(t, 0, "A.U") + value_at(t, 0, "B.U"), 1000, 1e-10);
		ck_assert_double_eq_tol(last_value(t, "A.T"), last_value(t, "B.T"), 1e-10);
		ck_assert_double_eq_tol(last_value(t, "A.U"), heat_at(318.15, 20),
					10 * schemes[i].tolerance);
		/* linear in U: the scheme does the same to both and to their sum */
		ck_assert_double_eq_tol(last_value(t, "A.U") + last_value(t, "B.U"),
					last_value(sum, "A.U"), 1e-9);
		/* balance to round-off: some hundred eps of 1000 J; Radau is not conservative */
		if (schemes[i].scheme[0] != 'r')
			ck_assert_double_le(fabs(summary.total.residual), 1e-10);
		bxt_summary_free(&summary);
		bxt_table_free(sum);
		bxt_table_free(t);
	}
	ck_assert(has_finding(&m, BXT_WARNING, "A.U moved from 1000 to 250"));
	ck_assert(has_finding(&m, BXT_WARNING, "B.U moved from 0 to 750"));
	model_free(&one);
	model_free(&m);
}
END_TEST

/* What nobody wrote follows what is written, as charges do. */
START_TEST(test_follows)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 0.05, .record = "A.U, B.U"};
	model m = two_capacities("", "");
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq(value_at(t, 0, "A.U"), 1000);
	ck_assert_double_eq_tol(value_at(t, 0, "B.U"), 3000, 1e-9);
	ck_assert(has_finding(&m, BXT_NOTE, "B.U starts at 3000: joined stores have one effort"));
	ck_assert(!has_finding(&m, BXT_WARNING, ""));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_three)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 20, .record = "A.T, B.T, D.S"};
	model m = model_of_text(
		NETLIST(HOT "<heat-capacity id='B' a='a' C='30 J/K'/>"
			    "<thermal-storage id='D' a='a' energy='20*293.15*exp(S/20)'/>" OUT));
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(value_at(t, 0, "B.T"), 393.15, 1e-9);
	ck_assert_double_eq_tol(293.15 * exp(value_at(t, 0, "D.S") / 20), 393.15, 1e-9);
	/* the sum of 60 J/K; the second order of the storage's curved energy */
	ck_assert_double_eq_tol(last_value(t, "A.T"), 300 + 93.15 * exp(-2.0 / 3), 1e-4);
	ck_assert_double_eq_tol(last_value(t, "B.T"), last_value(t, "A.T"), 1e-10);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_fixed)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 0.05, .record = "A.U, B.U"};
	bxt_state *state = NULL;
	model m = two_capacities("U='0 J'", "<fix of='A.U, B.U'/>");
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "A.U may not move, but joined stores"));
	ck_assert(has_finding(&m, BXT_ERROR, "B.U may not move, but joined stores"));
	model_free(&m);
	m = two_capacities("U='0 J'", "<fix of='A.U'/>"); /* then the other gives way */
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq(value_at(t, 0, "A.U"), 1000);
	ck_assert_double_eq_tol(value_at(t, 0, "B.U"), 3000, 1e-9);
	ck_assert(has_finding(&m, BXT_WARNING, "B.U moved from 0 to 3000"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* At a source the capacity has its temperature at once, and follows it. */
START_TEST(test_at_source)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 2, .record = "A.U, A.T"};
	model m = model_of_text(
		NETLIST(HOT "<temperature-source id='E' a='a' temperature='=320 + 5*t'/>"));
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(value_at(t, 0, "A.T"), 320, 1e-10);
	ck_assert_double_eq_tol(last_value(t, "A.T"), 330, 1e-9); /* linear in time: exact */
	ck_assert(has_finding(&m, BXT_WARNING, "A.U moved from 1000 to 268.5"));
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* U enters no force but the coefficient of a row: the search must not put it back. */
START_TEST(test_operating_point)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.05,
				 .end = 1,
				 .start = "operating-point",
				 .record = "A.U"};
	model m = model_of_text(NETLIST(HOT OUT));
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(value_at(t, 0, "A.U"), heat_at(300, 0), 1e-8);
	ck_assert_double_eq_tol(last_value(t, "A.U"), heat_at(300, 0), 1e-8);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Every kind of store, doubled and with every other of its domain ---- */

static const struct {
	const char *ports, *rest;
	const char *store[5]; /* NULL behind the last */
} domains[] = {
	{"p='a' n='0'",
	 "<resistor id='G' p='a' n='e' R='1 ohm'/><voltage-source id='E' p='e' n='0' e='5 V'/>",
	 {"<capacitor id='%s' C='2 F' q='1 C' %s/>",
	  "<nonlinear-capacitor id='%s' energy='q^2/2 + q^4/4' %s/>"}},
	{"p='a' n='0'",
	 "<hydraulic-resistance id='G' p='a' n='e' R='1e5 Pa.s/m3'/>"
	 "<pressure-source id='E' p='e' n='0' pressure='50 kPa'/>",
	 {"<accumulator id='%s' V0='2 m3' p0='150 kPa' V='0.1 m3' %s/>",
	  "<fluid-volume id='%s' V0='2 m3' K='1 MPa' %s/>",
	  "<hydraulic-storage id='%s' energy='1e5*V^2 + 1e4*V^4' %s/>",
	  "<tank id='%s' A='1 m2' V='3 m3' %s/>"}},
	{"a='a'",
	 OUT,
	 {"<heat-capacity id='%s' C='10 J/K' U='200 J' %s/>",
	  "<thermal-storage id='%s' energy='20*293.15*exp(S/20)' %s/>",
	  "<gas-volume id='%s' p='0' n='0' V0='0.1 m3' %s/>"}},
	{"p='a' n='0'",
	 "<winding id='W' p='x' n='0' mp='a' mn='0' N='100'/>"
	 "<resistor id='G' p='x' n='e' R='1 ohm'/><voltage-source id='E' p='e' n='0' e='5 V'/>",
	 {"<reluctance id='%s' Rm='1e6 H-1' phi='1 mWb' %s/>",
	  "<magnetic-storage id='%s' energy='1e6*phi^2 + 1e11*phi^4' %s/>",
	  "<saturating-core id='%s' l='0.1 m' A='1e-3 m2' mur='1000' %s/>"}},
};

static void check_pair(int d, int i, int j)
{
	char a[200], b[200], text[1200];
	snprintf(a, sizeof a, domains[d].store[i], "A", domains[d].ports);
	snprintf(b, sizeof b, domains[d].store[j], "B", domains[d].ports);
	snprintf(text, sizeof text, NETLIST("%s%s%s"), a, b, domains[d].rest);
	static const char *const schemes[] = {"discrete-gradient", "gauss1", "gauss2", "radau2"};
	for (int k = 0; k < 4; k++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.02,
					 .end = 2,
					 .scheme = schemes[k],
					 .record = "energy"};
		bxt_summary summary;
		model m = model_of_text(text);
		bxt_table *t = model_run(&m, &def, &summary);
		const double size = fabs(summary.total.start) + fabs(summary.total.end) +
				    fabs(summary.total.supplied);
		ck_assert_msg(isfinite(size) && size > 0, "%s: %s", schemes[k], text);
		/* round-off of 100 steps, where the scheme is exact for any energy */
		if (k == 0)
			ck_assert_msg(fabs(summary.total.residual) <= 1e-13 * size,
				      "%s: residual %g of %g: %s", schemes[k],
				      summary.total.residual, size, text);
		bxt_summary_free(&summary);
		bxt_table_free(t);
		model_free(&m);
	}
}

static void check_domain(int d)
{
	for (int i = 0; i < 5 && domains[d].store[i]; i++)
		for (int j = i; j < 5 && domains[d].store[j]; j++)
			check_pair(d, i, j);
}

START_TEST(test_electrical)
{
	check_domain(0);
}
END_TEST

START_TEST(test_hydraulic)
{
	check_domain(1);
}
END_TEST

START_TEST(test_thermal)
{
	check_domain(2);
}
END_TEST

START_TEST(test_magnetic)
{
	check_domain(3);
}
END_TEST

/* Memory that ends during the start is that, and no fault of the model. */
START_TEST(test_memory_ends)
{
	model m = two_capacities("U='0 J'", "");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.05, .end = 1, .scheme = "gauss1"};
	long n = 0;
	allocation_hook();
	for (bool failed = true; failed; n++) {
		bxt_state *state = NULL;
		allocation_fail(n);
		const bxt_status status = bxt_initialize(m.system, &def, NULL, &state);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		bxt_state_free(state);
	}
	ck_assert_int_gt(n, 100);
	model_free(&m);
}
END_TEST

/* phi + L i stays, and i = -exp(phi): phi - exp(phi) = 5.1 has no solution. That is told. */
START_TEST(no_common_current)
{
	model m = model_of_text(NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='coil' domain='electrical'>"
		"<port name='p' kind='electrical'/><port name='n' kind='electrical'/>"
		"<port-hamiltonian><state name='phi' unit='Wb' rate='v' effort='j'/>"
		"<hamiltonian>-exp(phi)</hamiltonian><input port='p' return='n'>1</input>"
		"</port-hamiltonian></component>"
		"<coil id='A' p='a' n='0' phi='0.1'/><inductor id='L' p='b' n='a' L='1 H' i='5 A'/>"
		"<resistor id='R' p='b' n='0' R='1 ohm'/>"));
	const bxt_run_def def = {.size = sizeof def, .step = 0.01, .end = 0.1};
	bxt_state *state = NULL;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert(has_finding(&m, BXT_WARNING, "keep their initial values"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

TEST_SUITE("joined stores")
{
	const test_case tests[] = {
		{"two capacities are their sum", test_sum},
		{"unwritten heat follows", test_follows},
		{"three stores", test_three},
		{"fixed values", test_fixed},
		{"a capacity at a source", test_at_source},
		{"operating point of a capacity", test_operating_point},
		{"memory ends", test_memory_ends, .slow = true},
		{"pairs, electrical", test_electrical},
		{"pairs, hydraulic", test_hydraulic, .slow = true},
		{"pairs, thermal", test_thermal, .slow = true},
		{"pairs, magnetic", test_magnetic, .slow = true},
		{"no common current", no_common_current},
	};
	ADD_TESTS(tests);
}
