/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Components that bind to other elements. Windings coupled in pairs are the same system as the
 * components for two and three of them, and follow closed forms where those know no number.
 */
#include "support/harness.h"

#include "ground/base/text.h"
#include "support/allocation.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
/* Another elimination order, a thousand steps and inductances of a condition of some tens: of the
 * signal's maximum (measured: up to 2e-13). */
static const double SAME = 1e-12;

static const char *const schemes[][3] = {
	{"gauss1", NULL, NULL}, {"dirac+", "midpoint", NULL}, {"dirac+", "rectangle", "base"}};
enum { SCHEMES = sizeof schemes / sizeof *schemes };

static bxt_table *run_scheme(const char *xml, int scheme, const char *record, bxt_summary *summary)
{
	model m = model_of_text(xml);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.step = 1e-6,
						.end = 1e-3,
						.scheme = schemes[scheme][0],
						.rule = schemes[scheme][1],
						.constraint = schemes[scheme][2],
						.record = record},
				 summary);
	model_free(&m);
	return t;
}

/* ---- The components for two and three windings ---- */

#define LOADS                                                                                      \
	"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"100 nF\" q=\"1 uC\"/>"                           \
	"<capacitor id=\"C2\" p=\"b\" n=\"0\" C=\"220 nF\"/>"                                      \
	"<resistor id=\"R2\" p=\"b\" n=\"0\" R=\"1 kohm\"/>"
#define THIRD_LOAD "<capacitor id=\"C3\" p=\"c\" n=\"0\" C=\"47 nF\" q=\"-0.5 uC\"/>"
#define WINDING(number, node, value)                                                               \
	"<inductor id=\"L" number "\" p=\"" node "\" n=\"0\" L=\"" value "\"/>"
#define COUPLING(a, b, value)                                                                      \
	"<mutual-inductance id=\"M" a b "\" a=\"L" a "\" b=\"L" b "\" M=\"" value "\"/>"

static void compare(const char *one, const char *other, const char *const (*pairs)[2], int n)
{
	char left[256] = "", right[256] = "";
	for (int i = 0; i < n; i++) {
		ck_assert_uint_lt(strlen(left) + strlen(pairs[i][0]) + 3, sizeof left);
		ck_assert_uint_lt(strlen(right) + strlen(pairs[i][1]) + 3, sizeof right);
		strcat(strcat(left, i ? ", " : ""), pairs[i][0]);
		strcat(strcat(right, i ? ", " : ""), pairs[i][1]);
	}
	for (int s = 0; s < SCHEMES; s++) {
		bxt_table *a = run_scheme(one, s, left, NULL);
		bxt_table *b = run_scheme(other, s, right, NULL);
		for (int i = 0; i < n; i++) {
			const double d = difference(a, pairs[i][0], b, pairs[i][1]);
			ck_assert_msg(d <= SAME, "%s: %s differs by %g", schemes[s][0], pairs[i][0],
				      d);
			ck_assert_double_gt(largest(a, pairs[i][0]), 0);
		}
		bxt_table_free(a);
		bxt_table_free(b);
	}
}

START_TEST(test_two)
{
	static const char whole[] = NETLIST(
		"<coupled-inductors id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" L1=\"1 mH\" "
		"L2=\"2 mH\" M=\"0.9 mH\"/>" LOADS);
	/* what is bound may stand before and after, and be named in any order */
	static const char *const bound[] = {
		NETLIST(WINDING("1", "a", "1 mH") WINDING("2", "b", "2 mH")
				LOADS COUPLING("1", "2", "0.9 mH")),
		NETLIST(COUPLING("2", "1", "0.9 mH") LOADS WINDING("2", "b", "2 mH")
				WINDING("1", "a", "1 mH")),
	};
	static const char *const pairs[][2] = {
		{"C1.q", "C1.q"}, {"C2.q", "C2.q"}, {"T.i1", "L1.i"}, {"T.q2", "L2.q"}};
	for (int k = 0; k < 2; k++)
		compare(whole, bound[k], pairs, 4);
}
END_TEST

START_TEST(test_three)
{
	/* M = k sqrt(La Lb) */
	static const char whole[] =
		NETLIST("<coupled-inductors-3 id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" n2=\"0\" "
			"p3=\"0\" n3=\"c\" L1=\"1 mH\" L2=\"4 mH\" L3=\"9 mH\" k12=\"0.9\" "
			"k13=\"-0.5\" k23=\"-0.4\"/>" LOADS THIRD_LOAD);
	static const char bound[] = NETLIST(
		COUPLING("1", "2", "1.8 mH") WINDING("1", "a", "1 mH")
			LOADS THIRD_LOAD COUPLING("3", "1", "1.5 mH") WINDING("3", "c", "9 mH")
				WINDING("2", "b", "4 mH") COUPLING("2", "3", "2.4 mH"));
	static const char *const pairs[][2] = {
		{"C1.q", "C1.q"}, {"C2.q", "C2.q"}, {"C3.q", "C3.q"}, {"energy", "energy"}};
	compare(whole, bound, pairs, 4);
}
END_TEST

/* ---- Four windings ---- */

/*
 * Equal resonators, each coupled to each: the matrix of inductances has L + 3M for equal currents
 * and L - M for those that sum to zero. gauss1 turns a mode of angular frequency w by
 * 2 atan(w h / 2) in a step, so that its charges are known to round-off.
 */
START_TEST(test_four)
{
	static const char text[] = NETLIST(
		WINDING("1", "a", "1 mH") WINDING("2", "b", "1 mH") WINDING("3", "c", "1 mH")
			WINDING("4", "d", "1 mH") COUPLING("1", "2", "0.2 mH") COUPLING(
				"1", "3", "0.2 mH") COUPLING("1", "4", "0.2 mH")
				COUPLING("2", "3", "0.2 mH") COUPLING("2", "4", "0.2 mH") COUPLING(
					"3", "4", "0.2 mH") "<capacitor id=\"C1\" p=\"a\" n=\"0\" "
							    "C=\"100 nF\" q=\"1 uC\"/>"
							    "<capacitor id=\"C2\" p=\"b\" n=\"0\" "
							    "C=\"100 nF\"/>"
							    "<capacitor id=\"C3\" p=\"c\" n=\"0\" "
							    "C=\"100 nF\"/>"
							    "<capacitor id=\"C4\" p=\"d\" n=\"0\" "
							    "C=\"100 nF\"/>");
	const double h = 1e-6, together = 2 * atan(h / 2 / sqrt(1e-7 * 1.6e-3)),
		     against = 2 * atan(h / 2 / sqrt(1e-7 * 0.8e-3));
	bxt_summary summary;
	bxt_table *t = run_scheme(text, 0, "C1.q, C2.q, C3.q, C4.q", &summary);
	ck_assert_uint_eq(bxt_table_rows(t), 1001);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double x = cos((double)k * together), y = cos((double)k * against);
		const double other = 1e-6 * (x - y) / 4;
		/* round-off of a thousand steps, of 1 uC */
		ck_assert_double_eq_tol(value_at(t, k, "C1.q"), 1e-6 * (x + 3 * y) / 4, 1e-18);
		ck_assert_double_eq_tol(value_at(t, k, "C2.q"), other, 1e-18);
		ck_assert_double_eq_tol(value_at(t, k, "C3.q"), other, 1e-18);
		ck_assert_double_eq_tol(value_at(t, k, "C4.q"), other, 1e-18);
	}
	ck_assert(summary.energy_exact);
	ck_assert_double_eq_tol(summary.total.start, 5e-6, 1e-18);
	/* a sum of a thousand steps (measured: 1.4e-13) */
	ck_assert_double_le(fabs(summary.total.residual), 1e-12 * summary.total.start);
	bxt_table_free(t);
	bxt_summary_free(&summary);
}
END_TEST

enum { N = 4 };

/* x = A^-1 b by Gaussian elimination; A is positive definite. */
static void solve(double (*a)[N], double *b)
{
	for (int p = 0; p < N; p++)
		for (int i = p + 1; i < N; i++) {
			const double f = a[i][p] / a[p][p];
			for (int j = p; j < N; j++)
				a[i][j] -= f * a[p][j];
			b[i] -= f * b[p];
		}
	for (int i = N - 1; i >= 0; i--) {
		for (int j = i + 1; j < N; j++)
			b[i] -= a[i][j] * b[j];
		b[i] /= a[i][i];
	}
}

/* The shipped transformer by steps of the midpoint rule on L di/dt = v - R i. */
START_TEST(test_transformer)
{
	static const double turns[N] = {2, 1, -1, 4}, load[N] = {1, 10, 20, 200};
	const double h = 1e-6, w = 2 * PI * 1e4;
	double current[N] = {0}, charge[N] = {0}, most = 0, worst = 0;
	model m = model_of_file("four-winding-transformer.xml");
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss1",
						.record = "L1.q, L2.q, L3.q, L4.q"},
				 NULL);
	ck_assert_uint_eq(bxt_table_rows(t), 1001);
	for (size_t k = 1; k < bxt_table_rows(t); k++) {
		double a[N][N], next[N];
		for (int i = 0; i < N; i++) {
			next[i] = i == 0 ? 10 * sin(w * h * ((double)k - 0.5)) : 0;
			for (int j = 0; j < N; j++) {
				/* the third winding is wound the other way: p is at the reference
				 */
				const double sign = (turns[i] < 0) == (turns[j] < 0) ? 1 : -1;
				const double l =
					sign * 1e-3 * turns[i] * turns[j] * (i == j ? 1 : 0.98);
				a[i][j] = l / h + (i == j ? load[i] / 2 : 0);
				next[i] += (l / h - (i == j ? load[i] / 2 : 0)) * current[j];
			}
		}
		solve(a, next);
		for (int i = 0; i < N; i++) {
			static const char *const names[N] = {"L1.q", "L2.q", "L3.q", "L4.q"};
			charge[i] += h * (current[i] + next[i]) / 2;
			current[i] = next[i];
			most = fmax(most, fabs(charge[i]));
			worst = fmax(worst, fabs(charge[i] - value_at(t, k, names[i])));
		}
	}
	/* cond(L) is about 2e3; the rest is round-off of a thousand steps */
	ck_assert_msg(worst <= 1e-12 * most, "differs by %g of %g", worst, most);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/* ---- Subsystems ---- */

#define PAIR(one, two, m)                                                                          \
	"<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 mH\"/>"                                         \
	"<mutual-inductance id=\"M\" a=\"L1\" b=\"L2\" M=\"" m "\"/>"                              \
	"<inductor id=\"L2\" p=\"b\" n=\"0\" L=\"2 mH\"/>"                                         \
	"<port id=\"" one "\" node=\"a\"/><port id=\"" two "\" node=\"b\"/>"
#define WHOLE                                                                                      \
	NETLIST(LOADS THIRD_LOAD "<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 mH\"/>"                \
				 "<inductor id=\"L2\" p=\"b\" n=\"0\" L=\"2 mH\"/>"                \
				 "<mutual-inductance id=\"M\" a=\"L1\" b=\"L2\" M=\"1.2 mH\"/>"    \
				 "<mutual-inductance id=\"N\" a=\"L3\" b=\"L4\" M=\"-0.7 mH\"/>"   \
				 "<inductor id=\"L3\" p=\"b\" n=\"0\" L=\"1 mH\"/>"                \
				 "<inductor id=\"L4\" p=\"c\" n=\"0\" L=\"2 mH\"/>")
static const char connections[] =
	"<port id=\"a\" node=\"a\"/><port id=\"b\" node=\"b\"/><port id=\"c\" node=\"c\"/>"
	"</subsystem><interconnection><connect a=\"x.a\" b=\"y.a\"/>"
	"<connect ports=\"x.b y.b z.a\"/><connect a=\"x.c\" b=\"z.b\"/></interconnection>"
	"</netlist>";

static void check_torn(model *torn)
{
	bxt_summary summary;
	bxt_table *a = run_scheme(WHOLE, 0, "C1.q, C2.q, C3.q, L1.i, L4.i", NULL);
	bxt_table *b = model_run(torn,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.step = 1e-6,
						.end = 1e-3,
						.record = "x.C1.q, x.C2.q, x.C3.q, y.L1.i, z.L2.i"},
				 &summary);
	ck_assert_double_le(difference(a, "C1.q", b, "x.C1.q"), SAME);
	ck_assert_double_le(difference(a, "C2.q", b, "x.C2.q"), SAME);
	ck_assert_double_le(difference(a, "C3.q", b, "x.C3.q"), SAME);
	ck_assert_double_le(difference(a, "L1.i", b, "y.L1.i"), SAME);
	ck_assert_double_le(difference(a, "L4.i", b, "z.L2.i"), SAME);
	/* the energy of a coupling belongs to the subsystem in which it stands */
	for (size_t i = 0; i < summary.n_ledger; i++)
		if (strcmp(summary.ledger[i].kind, "subsystem") == 0)
			ck_assert_msg(fabs(summary.ledger[i].residual) <=
					      1e-12 * summary.total.start,
				      "%s: residual %g", summary.ledger[i].path,
				      summary.ledger[i].residual);
	ck_assert_double_le(fabs(summary.total.residual), 1e-12 * summary.total.start);
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_summary_free(&summary);
}

START_TEST(test_torn)
{
	bxt_buffer text = {0};
	bxt_buffer_printf(
		&text,
		"<netlist xmlns=\"urn:boxtimes:netlist:1\">"
		"<subsystem id=\"y\">" PAIR(
			"a", "b",
			"1.2 mH") "</subsystem>"
				  "<subsystem id=\"z\">" PAIR(
					  "a", "b",
					  "-0.7 mH") "</subsystem>"
						     "<subsystem id=\"x\">" LOADS THIRD_LOAD "%s",
		connections);
	model m = model_of_text(text.text);
	check_torn(&m);
	model_free(&m);
	bxt_buffer_free(&text);
}
END_TEST

static void write_file(const char *folder, const char *name, const char *text, bxt_buffer *path)
{
	bxt_buffer_clear(path);
	bxt_buffer_printf(path, "%s/%s", folder, name);
	FILE *f = fopen(path->text, "w");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_ge(fputs(text, f), 0);
	ck_assert_int_eq(fclose(f), 0);
}

/* One file for both pairs of windings, its coupling a parameter. */
START_TEST(test_included)
{
	const char *components = getenv("BOXTIMES_PATH");
	char *folder = scratch_folder();
	bxt_buffer path = {0}, text = {0};
	write_file(
		folder, "pair.xml",
		"<netlist xmlns=\"urn:boxtimes:netlist:1\"><parameter name=\"m\" unit=\"H\"/>" PAIR(
			"a", "b", "=m") "</netlist>",
		&path);
	bxt_buffer_printf(&text,
			  "<netlist xmlns=\"urn:boxtimes:netlist:1\">"
			  "<subsystem id=\"y\" href=\"pair.xml\" m=\"1.2 mH\"/>"
			  "<subsystem id=\"z\" href=\"pair.xml\" m=\"-0.7 mH\"/>"
			  "<subsystem id=\"x\">" LOADS THIRD_LOAD "%s",
			  connections);
	write_file(folder, "main.xml", text.text, &path);
	model m = {.findings = bxt_diagnostics_new()};
	m.library = bxt_library_new(&components, 1, m.findings);
	ck_assert_int_eq(bxt_netlist_read(path.text, m.findings, &m.netlist), BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system), BXT_OK);
	check_torn(&m);
	model_free(&m);
	bxt_buffer_free(&text);
	bxt_buffer_free(&path);
	scratch_remove(folder);
}
END_TEST

/* ---- Definite or not ---- */

/* n windings of 1 H, those whose numbers differ by at most `reach` coupled by m; file order mixed.
 */
static bxt_status check_coupled(int n, int reach, double m, bxt_diagnostics *d)
{
	const char *components = getenv("BOXTIMES_PATH");
	bxt_buffer text = {0};
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	bxt_library *library = bxt_library_new(&components, 1, d);
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 1e-3, .end = 1e-3};
	bxt_buffer_printf(&text, "<netlist xmlns=\"urn:boxtimes:netlist:1\">"
				 "<resistor id=\"R\" p=\"a\" n=\"0\" R=\"1 ohm\"/>");
	for (int i = 0; i < n; i++) /* 7 and n have no common divisor in the tests */
		bxt_buffer_printf(&text, "<inductor id=\"L%d\" p=\"a\" n=\"0\" L=\"1 H\"/>",
				  7 * i % n);
	for (int i = 0; i < n; i++)
		for (int j = i + 1; j < n && j <= i + reach; j++)
			bxt_buffer_printf(&text,
					  "<mutual-inductance id=\"M%d_%d\" a=\"L%d\" b=\"L%d\" "
					  "M=\"%.17g\"/>",
					  i, j, i, j, m);
	bxt_buffer_printf(&text, "</netlist>");
	ck_assert(!text.failed);
	ck_assert_int_eq(bxt_netlist_read_memory(text.text, text.length, "test", d, &netlist),
			 BXT_OK);
	ck_assert_int_eq(bxt_system_compile(netlist, library, d, &system), BXT_OK);
	const bxt_status status = bxt_initialize(system, &def, d, &state);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	bxt_library_free(library);
	bxt_buffer_free(&text);
	return status;
}

static void check_limit(int n, int reach, double limit)
{
	/* 1e-6: far above round-off, and far below what any wrong limit would differ by */
	for (int side = -1; side <= 1; side += 2) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		const bxt_status status = check_coupled(n, reach, limit * (1 + side * 1e-6), d);
		ck_assert_msg(status == (side > 0 ? BXT_ERR_MODEL : BXT_OK),
			      "%d windings, M = %g (1%+d 1e-6): %s", n, limit, side,
			      bxt_status_text(status));
		ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), side > 0);
		if (side > 0)
			ck_assert_ptr_nonnull(
				strstr(bxt_diagnostics_get(d, 0)->text, "not positive definite"));
		bxt_diagnostics_free(d);
	}
}

START_TEST(test_definite)
{
	/* all pairs: eigenvalues 1 - m and 1 + (n - 1) m */
	check_limit(2, 1, 1);
	check_limit(2, 1, -1);
	check_limit(12, 11, 1);
	check_limit(12, 11, -1.0 / 11);
	check_limit(30, 29, -1.0 / 29);
	/* a chain: 1 + 2 m cos(j pi / (n + 1)) */
	check_limit(3, 1, sqrt(0.5));
	check_limit(10, 1, 0.5 / cos(PI / 11));
	check_limit(2000, 1, -0.5 / cos(PI / 2001));
}
END_TEST

/* ---- Other components ---- */

/* What may be bound besides has its coordinates in another order. */
#define CHOKE                                                                                      \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"choke\">"                            \
	"<parameter name=\"L\" unit=\"H\"/><coordinate name=\"x\" unit=\"1\" flow=\"y\"/>"         \
	"<coordinate name=\"q\" unit=\"C\" flow=\"i\"/>"                                           \
	"<port name=\"p\" kind=\"electrical\" flow=\"i\"/>"                                        \
	"<port name=\"n\" kind=\"electrical\" flow=\"-i\"/>"                                       \
	"<lagrangian>L*i^2/2 + 1e-3*y^2/2</lagrangian></component>"                                \
	"<component xmlns=\"urn:boxtimes:component:1\" name=\"mutual\">"                           \
	"<parameter name=\"M\" unit=\"H\"/><binding name=\"a\" component=\"inductor choke\"/>"     \
	"<binding name=\"b\" component=\"inductor choke\"/><lagrangian>M*a.i*b.i</lagrangian>"     \
	"<output name=\"flux\" unit=\"Wb\">M*b.i</output></component>"

START_TEST(test_alternatives)
{
	static const char plain[] = NETLIST(WINDING("1", "a", "1 mH") WINDING("2", "b", "2 mH")
						    LOADS COUPLING("1", "2", "0.9 mH"));
	static const char other[] = NETLIST(CHOKE WINDING("1", "a", "1 mH") LOADS
					    "<choke id=\"L2\" p=\"b\" n=\"0\" L=\"2 mH\"/>"
					    "<mutual id=\"M\" a=\"L1\" b=\"L2\" M=\"0.9 mH\"/>");
	static const char *const pairs[][2] = {
		{"C1.q", "C1.q"}, {"C2.q", "C2.q"}, {"L2.i", "L2.i"}, {"L2.q", "L2.q"}};
	compare(plain, other, pairs, 4);
	bxt_table *t = run_scheme(other, 0, "M.flux, L2.i", NULL);
	for (size_t k = 0; k < bxt_table_rows(t); k++) /* a product of two numbers */
		ck_assert_double_eq_tol(value_at(t, k, "M.flux"), 9e-4 * value_at(t, k, "L2.i"),
					1e-18);
	bxt_table_free(t);
}
END_TEST

/* A binding may act on what it is bound to in every way: here it makes of a resistor a source with
 * inductance, while its sister stays massless. */
START_TEST(test_acting)
{
	static const char plain[] =
		NETLIST("<resistor id=\"R1\" p=\"a\" n=\"m\" R=\"10 ohm\"/>"
			"<inductor id=\"L\" p=\"m\" n=\"k\" L=\"1 mH\"/>"
			"<voltage-source id=\"V\" p=\"k\" n=\"0\" e=\"2 V\"/>"
			"<resistor id=\"R2\" p=\"a\" n=\"0\" R=\"30 ohm\"/>"
			"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>");
	static const char acting[] =
		NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"addition\">"
			"<parameter name=\"L\" unit=\"H\"/><parameter name=\"e\" unit=\"V\"/>"
			"<binding name=\"r\" component=\"resistor\"/>"
			"<lagrangian>L*r.i^2/2</lagrangian><force on=\"r.q\">-e</force></component>"
			"<resistor id=\"R2\" p=\"a\" n=\"0\" R=\"30 ohm\"/>"
			"<addition id=\"A\" r=\"R1\" L=\"1 mH\" e=\"2 V\"/>"
			"<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"10 ohm\"/>"
			"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>");
	bxt_summary a_summary, b_summary;
	bxt_table *a = run_scheme(plain, 0, "C1.q, L.q, R2.q", &a_summary);
	bxt_table *b = run_scheme(acting, 0, "C1.q, R1.q, R2.q", &b_summary);
	ck_assert_double_le(difference(a, "C1.q", b, "C1.q"), SAME);
	ck_assert_double_le(difference(a, "L.q", b, "R1.q"), SAME);
	ck_assert_double_le(difference(a, "R2.q", b, "R2.q"), SAME);
	const double scale = a_summary.total.start + fabs(a_summary.total.supplied);
	ck_assert_double_eq_tol(a_summary.total.supplied, b_summary.total.supplied, 1e-12 * scale);
	ck_assert_double_eq_tol(a_summary.total.dissipated, b_summary.total.dissipated,
				1e-12 * scale);
	ck_assert_double_le(fabs(b_summary.total.residual), 1e-12 * scale);
	bxt_table_free(a);
	bxt_table_free(b);
	bxt_summary_free(&a_summary);
	bxt_summary_free(&b_summary);
}
END_TEST

/*
 * The coordinates of a conductance have the momentum s without inertia, L = s i: bound to an
 * inductance that row is one of motion, while that of its sister remains a constraint.
 */
START_TEST(test_roles)
{
	static const char plain[] =
		NETLIST("<conductance id=\"G2\" p=\"a\" n=\"0\" G=\"30 mS\"/>"
			"<conductance id=\"G1\" p=\"a\" n=\"m\" G=\"100 mS\"/>"
			"<inductor id=\"L\" p=\"m\" n=\"0\" L=\"1 mH\" i=\"10 mA\"/>"
			"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>");
	static const char bound[] =
		NETLIST("<component xmlns=\"urn:boxtimes:component:1\" name=\"inductance\">"
			"<parameter name=\"L\" unit=\"H\"/>"
			"<binding name=\"g\" component=\"conductance\"/>"
			"<lagrangian>L*g.i^2/2</lagrangian></component>"
			"<conductance id=\"G2\" p=\"a\" n=\"0\" G=\"30 mS\"/>"
			"<conductance id=\"G1\" p=\"a\" n=\"0\" G=\"100 mS\" i=\"10 mA\" "
			"s=\"30 uV.s\"/>"
			"<inductance id=\"L\" g=\"G1\" L=\"1 mH\"/>"
			"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>");
	/* the scheme that pins massless momenta: the other carries them and differs in O(h^2) */
	bxt_table *a = run_scheme(plain, 0, "C1.q, G1.q, G2.q", NULL);
	bxt_table *b = run_scheme(bound, 0, "C1.q, G1.q, G2.q, G1.q.p", NULL);
	/* p = L i + s = 10 + 30 uV.s, to its last bits */
	ck_assert_double_eq_tol(value_at(b, 0, "G1.q.p"), 40e-6, 1e-19);
	ck_assert_double_le(difference(a, "C1.q", b, "C1.q"), SAME);
	ck_assert_double_le(difference(a, "G1.q", b, "G1.q"), SAME);
	ck_assert_double_le(difference(a, "G2.q", b, "G2.q"), SAME);
	bxt_table_free(a);
	bxt_table_free(b);
}
END_TEST

/* ---- What is told about them ---- */

/* The library's words about a component, or its schema when the name is NULL; heap memory. */
static char *words(const char *folder, const char *name, bxt_status wanted, bxt_diagnostics *d)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bxt_library *library = bxt_library_new(&folder, 1, d);
	ck_assert_ptr_nonnull(f);
	ck_assert_ptr_nonnull(library);
	ck_assert_int_eq(name ? bxt_component_write_description(library, name, f, d)
			      : bxt_library_write_schema(library, NULL, f, d),
			 wanted);
	ck_assert_int_eq(fclose(f), 0);
	bxt_library_free(library);
	return text;
}

START_TEST(test_words)
{
	static const char *const of_description[] = {
		"  a        inductor; shares a.q with flow a.i\n           one winding\n",
		"  b.q      of the bound element, flow b.i\n", "dL/d(a.i) = M*b.i = p_a.q\n",
		"<mutual-inductance id=\"M1\" a=\"ID\" b=\"ID\" M=\"NUMBER H\"/>\n"};
	const char *components = getenv("BOXTIMES_PATH");
	char *text = words(components, "mutual-inductance", BXT_OK, NULL);
	for (size_t i = 0; i < sizeof of_description / sizeof *of_description; i++)
		ck_assert_msg(strstr(text, of_description[i]), "no '%s' in\n%s", of_description[i],
			      text);
	free(text);
	text = words(components, NULL, BXT_OK, NULL);
	ck_assert_ptr_nonnull(
		strstr(text, "<xs:attribute name=\"b\" type=\"id\" use=\"required\">"));
	ck_assert_ptr_nonnull(strstr(text, "<xs:documentation>the other winding [id of an element "
					   "of this subsystem: inductor]</xs:documentation>"));
	free(text);
}
END_TEST

/* A library component that binds to what the library does not have. */
START_TEST(test_wrong_library)
{
	char *folder = scratch_folder();
	bxt_buffer path = {0};
	bxt_diagnostics *d = bxt_diagnostics_new();
	write_file(folder, "coil.xml",
		   "<component xmlns=\"urn:boxtimes:component:1\" name=\"coil\">"
		   "<coordinate name=\"q\" unit=\"C\" flow=\"i\"/></component>",
		   &path);
	write_file(folder, "link.xml",
		   "<component xmlns=\"urn:boxtimes:component:1\" name=\"link\">"
		   "<binding name=\"a\" component=\"coil coill\"/>"
		   "<lagrangian>a.i^2</lagrangian></component>",
		   &path);
	free(words(folder, "link", BXT_ERR_MODEL, d));
	ck_assert_uint_eq(bxt_diagnostics_count(d, BXT_ERROR), 1);
	ck_assert_str_eq(bxt_diagnostics_get(d, 0)->text,
			 "component 'link', <binding> 'a': no component 'coill' (did you mean "
			 "'coil'?)");
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->file, "link.xml"));
	bxt_diagnostics_free(d);
	bxt_buffer_free(&path);
	scratch_remove(folder);
}
END_TEST

/* ---- Memory ---- */

static bxt_status check_text(const char *text, bxt_library *library, bxt_diagnostics *d)
{
	bxt_netlist *netlist = NULL;
	bxt_system *system = NULL;
	bxt_state *state = NULL;
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 1e-6, .end = 1e-6};
	bxt_status status = bxt_netlist_read_memory(text, strlen(text), "test", d, &netlist);
	if (status == BXT_OK)
		status = bxt_system_compile(netlist, library, d, &system);
	if (status == BXT_OK)
		status = bxt_initialize(system, &def, d, &state);
	bxt_state_free(state);
	bxt_system_free(system);
	bxt_netlist_free(netlist);
	return status;
}

/* Each allocation fails once: the status tells, and the sanitizers find nothing. */
static void fail_each(const char *text, bxt_status wanted)
{
	const char *components = getenv("BOXTIMES_PATH");
	bxt_library *library = bxt_library_new(&components, 1, NULL);
	long n = 0;
	allocation_hook();
	ck_assert_int_eq(check_text(text, library, NULL), wanted); /* components are read now */
	for (bool failed = true; failed; n++) {
		bxt_diagnostics *d = bxt_diagnostics_new();
		ck_assert_ptr_nonnull(d);
		allocation_fail(n);
		const bxt_status status = check_text(text, library, d);
		failed = allocation_failed();
		allocation_fail(-1);
		bool memory = status == BXT_ERR_MEMORY; /* inline components tell it as a finding */
		for (size_t i = 0; i < bxt_diagnostics_count(d, BXT_NOTE); i++)
			memory = memory ||
				 strcmp(bxt_diagnostics_get(d, i)->text, "out of memory") == 0;
		ck_assert_msg(status == wanted || (failed && memory), "allocation %ld: %s", n,
			      bxt_status_text(status));
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 100); /* else nothing was tested */
	bxt_library_free(library);
}

START_TEST(test_memory)
{
	fail_each(NETLIST(CHOKE WINDING("1", "a", "1 mH") LOADS
			  "<choke id=\"L2\" p=\"b\" n=\"0\" L=\"2 mH\"/>"
			  "<mutual id=\"M\" a=\"L1\" b=\"L2\" M=\"0.9 mH\"/>"),
		  BXT_OK);
	fail_each(NETLIST(WINDING("1", "a", "1 mH") WINDING("2", "b", "2 mH")
				  LOADS COUPLING("1", "2", "1.5 mH")),
		  BXT_ERR_MODEL);
}
END_TEST

TEST_SUITE("bindings")
{
	const test_case tests[] = {
		{"two", test_two},
		{"three", test_three},
		{"four", test_four},
		{"transformer", test_transformer},
		{"torn", test_torn},
		{"included", test_included},
		{"definite", test_definite, .slow = true},
		{"alternatives", test_alternatives},
		{"acting", test_acting},
		{"roles", test_roles},
		{"words", test_words},
		{"wrong library", test_wrong_library},
		{"memory", test_memory, .slow = true},
	};
	ADD_TESTS(tests);
}
