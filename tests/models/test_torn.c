/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Torn models against whole ones. D = (D_1 (+) ... (+) D_n) [x] D_int is the structure of the whole
 * (Parks, Theorem 6), so the trajectories are the same but for round-off.
 */
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Another elimination order, a thousand steps: of the signal's maximum. */
static const double SAME = 1e-13;
/* The raw scheme carries momenta of massless coordinates. Along lossless loops it has a double root
 * -1: round-off grows with the steps (measured: 5e-12), the more so where blocked diodes leave
 * potentials to conductances of 1e-12 S (1e-10). */
static const double SAME_RAW = 2e-11, SAME_RAW_DIODES = 1e-9;

typedef struct variant {
	const char *scheme, *rule, *constraint, *start, *projection;
} variant;

static const variant variants[] = {
	{"gauss1", NULL, NULL, NULL, NULL},
	{"gauss1", NULL, NULL, NULL, "off"},
	{"dirac+", "midpoint", "midpoint", NULL, NULL},
	{"dirac+", "midpoint", "base", NULL, NULL},
	{"dirac+", "midpoint", "midpoint", "half-kick", NULL},
	{"dirac+", "rectangle", "midpoint", NULL, NULL},
	{"dirac+", "rectangle", "base", NULL, NULL},
	{"dirac+", "rectangle", "midpoint", "half-kick", NULL},
};
enum { VARIANTS = sizeof variants / sizeof *variants, WITHOUT_RECTANGLE = 5, MOST_PAIRS = 12 };

/* A whole model, a torn one, and signals that are the same quantity in both. */
typedef struct twins {
	const char *whole, *torn;
	double step, end;
	bool diodes;
	const char *pairs[MOST_PAIRS][2];
} twins;

static bxt_table *run_side(const twins *t, int side, const variant *v, bxt_summary *summary)
{
	char record[1024] = "";
	for (int i = 0; i < MOST_PAIRS && t->pairs[i][0]; i++) {
		ck_assert_uint_lt(strlen(record) + strlen(t->pairs[i][side]) + 3, sizeof record);
		strcat(strcat(record, i ? ", " : ""), t->pairs[i][side]);
	}
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = t->step,
				 .end = t->end,
				 .scheme = v->scheme,
				 .rule = v->rule,
				 .constraint = v->constraint,
				 .start = v->start,
				 .projection = v->projection,
				 .record = record};
	model m = model_of_text(side ? t->torn : t->whole);
	bxt_table *table = model_run(&m, &def, summary);
	model_free(&m);
	return table;
}

static const bxt_ledger_entry *entry(const bxt_summary *s, const char *kind, const char *path)
{
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].kind, kind) == 0 && strcmp(s->ledger[i].path, path) == 0)
			return &s->ledger[i];
	ck_abort_msg("no ledger entry %s %s", kind, path);
	return NULL;
}

/*
 * What crosses the interconnections sums to zero; each part's own balance closes where it is exact.
 */
static void check_ledger(const bxt_summary *s)
{
	double exchanged = fabs(s->total.start) + s->total.supplied + s->total.dissipated;
	for (size_t i = 0; i < s->n_ledger; i++)
		exchanged = fmax(exchanged, fabs(s->ledger[i].through));
	for (size_t i = 0; i < s->n_ledger; i++) {
		const bxt_ledger_entry *e = &s->ledger[i];
		const bool connection = strcmp(e->kind, "connection") == 0;
		if (connection || (s->energy_exact && strcmp(e->kind, "port") != 0))
			ck_assert_msg(fabs(e->residual) <= 1e-13 * exchanged,
				      "%s %s: residual %g of %g", e->kind, e->path, e->residual,
				      exchanged);
	}
	if (s->energy_exact)
		ck_assert_double_le(fabs(s->total.residual), 1e-13 * exchanged);
}

static void compare(const twins *t, int n_variants)
{
	for (int v = 0; v < n_variants; v++) {
		bxt_summary a_summary, b_summary;
		bxt_table *a = run_side(t, 0, &variants[v], &a_summary);
		bxt_table *b = run_side(t, 1, &variants[v], &b_summary);
		double worst = 0;
		for (int i = 0; i < MOST_PAIRS && t->pairs[i][0]; i++) {
			const double d = difference(a, t->pairs[i][0], b, t->pairs[i][1]);
			worst = fmax(worst, d);
			const bool raw = strcmp(variants[v].scheme, "dirac+") == 0;
			ck_assert_msg(d <= (!raw        ? SAME
					    : t->diodes ? SAME_RAW_DIODES
							: SAME_RAW),
				      "%s %s %s %s: %s differs by %g of its maximum %g",
				      variants[v].scheme, variants[v].rule ? variants[v].rule : "",
				      variants[v].constraint ? variants[v].constraint : "",
				      variants[v].start ? variants[v].start : "", t->pairs[i][0], d,
				      largest(a, t->pairs[i][0]));
		}
		check_ledger(&a_summary);
		check_ledger(&b_summary);
		if (getenv("BXT_TESTS_TELL"))
			fprintf(stderr, "%s %s: torn - whole %.1e\n", variants[v].scheme,
				variants[v].rule ? variants[v].rule : "", worst);
		bxt_summary_free(&a_summary);
		bxt_summary_free(&b_summary);
		bxt_table_free(a);
		bxt_table_free(b);
	}
}

/* ---- The circuits ---- */

#define CONNECT(list) "<interconnection>" list "</interconnection>"

START_TEST(test_lc)
{
	/* torn between c2 and the loop of c1 and c3: the lossless loop lies in one part */
	static const twins t = {
		NETLIST("<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
			"<capacitor id=\"c2\" p=\"a\" n=\"b\" C=\"2 F\" i=\"10 A\"/>"
			"<capacitor id=\"c1\" p=\"b\" n=\"0\" C=\"1 F\"/>"
			"<capacitor id=\"c3\" p=\"b\" n=\"0\" C=\"3 F\"/>"),
		NETLIST("<subsystem id=\"A\">"
			"<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
			"<capacitor id=\"c2\" p=\"a\" n=\"b\" C=\"2 F\" i=\"10 A\"/>"
			"<port id=\"s\" node=\"b\"/></subsystem>"
			"<subsystem id=\"B\"><capacitor id=\"c1\" p=\"x\" n=\"0\" C=\"1 F\"/>"
			"<capacitor id=\"c3\" p=\"x\" n=\"0\" C=\"3 F\"/>"
			"<port id=\"s\" node=\"x\"/></subsystem>" CONNECT(
				"<connect id=\"j\" a=\"A.s\" b=\"B.s\"/>")),
		0.05,
		50,
		false,
		{{"l.q", "A.l.q"},
		 {"c2.q", "A.c2.q"},
		 {"c1.q", "B.c1.q"},
		 {"c3.q", "B.c3.q"},
		 {"l.p", "A.l.p"},
		 {"l.i", "A.l.i"},
		 {"energy", "energy"}}};
	compare(&t, VARIANTS);
}
END_TEST

START_TEST(test_loop_across)
{
	/* the lossless loop itself is torn: c1 here, c3 there */
	static const twins t = {
		NETLIST("<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
			"<capacitor id=\"c1\" p=\"a\" n=\"0\" C=\"1 F\"/>"
			"<capacitor id=\"c3\" p=\"a\" n=\"0\" C=\"3 F\"/>"),
		NETLIST("<subsystem id=\"A\">"
			"<inductor id=\"l\" p=\"0\" n=\"a\" L=\"0.75 H\" i=\"10 A\"/>"
			"<capacitor id=\"c1\" p=\"a\" n=\"0\" C=\"1 F\"/>"
			"<port id=\"s\" node=\"a\"/></subsystem>"
			"<subsystem id=\"B\"><capacitor id=\"c3\" p=\"x\" n=\"0\" C=\"3 F\"/>"
			"<port id=\"s\" node=\"x\"/></subsystem>" CONNECT(
				"<connect id=\"j\" a=\"A.s\" b=\"B.s\"/>")),
		0.05,
		50,
		false,
		{{"l.q", "A.l.q"}, {"c1.q", "A.c1.q"}, {"c3.q", "B.c3.q"}, {"l.p", "A.l.p"}}};
	compare(&t, VARIANTS);
}
END_TEST

#define PARALLEL                                                                                   \
	NETLIST("<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"                                \
		"<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>"                                  \
		"<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 C\"/>")

START_TEST(test_rlc)
{
	/* the multiplier of the connection is the shared potential */
	static const twins t = {
		PARALLEL,
		NETLIST("<subsystem id=\"loop\"><resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"
			"<inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>"
			"<port id=\"s\" node=\"a\"/></subsystem><subsystem id=\"store\">"
			"<capacitor id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
			"<port id=\"s\" node=\"b\"/></subsystem>" CONNECT(
				"<connect id=\"c1\" a=\"loop.s\" b=\"store.s\"/>")),
		0.05,
		20,
		false,
		{{"C1.q", "store.C1.q"},
		 {"R1.q", "loop.R1.q"},
		 {"L1.i", "loop.L1.i"},
		 {"L1.p", "loop.L1.p"},
		 {"node(a).v", "node(loop.a).v"},
		 {"energy", "energy"},
		 {"node(a).v", "c1.lambda"},
		 {"C1.i", "store.s.i"},
		 {"dissipated", "dissipated(loop)"}}};
	compare(&t, VARIANTS);
}
END_TEST

START_TEST(test_port_power)
{
	model m = model_of_file("rlc-torn.xml");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def),
		.record = "power(loop.s), power(store.s), energy(store), store.s.i, c1.lambda"};
	bxt_summary summary;
	bxt_table *t = model_run(&m, &def, &summary);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double a = value_at(t, i, "power(loop.s)");
		const double b = value_at(t, i, "power(store.s)");
		ck_assert_double_eq_tol(a + b, 0, 1e-15); /* of up to 1 W */
		ck_assert_double_eq_tol(
			b, value_at(t, i, "store.s.i") * value_at(t, i, "c1.lambda"), 1e-15);
	}
	/* the capacitor has nothing but its port: all of its energy leaves there */
	const bxt_ledger_entry *store = entry(&summary, "subsystem", "store");
	ck_assert_double_eq_tol(store->through, store->end - store->start, 1e-14);
	ck_assert_double_eq_tol(entry(&summary, "port", "store.s")->through, store->through, 1e-15);
	ck_assert_double_eq_tol(entry(&summary, "port", "loop.s")->through, -store->through, 1e-14);
	ck_assert_double_eq_tol(last_value(t, "energy(store)"), store->end, 1e-16);
	check_ledger(&summary);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

START_TEST(test_bridge)
{
	/* torn at the load, the source's side floats */
	static const twins t = {
		NETLIST("<voltage-source id=\"V1\" p=\"a\" n=\"b\" e=\"=10*sin(2*pi*50*t)\"/>"
			"<diode id=\"D1\" p=\"a\" n=\"out\"/><diode id=\"D2\" p=\"b\" n=\"out\"/>"
			"<diode id=\"D3\" p=\"0\" n=\"a\"/><diode id=\"D4\" p=\"0\" n=\"b\"/>"
			"<capacitor id=\"C1\" p=\"out\" n=\"0\" C=\"100 uF\"/>"
			"<resistor id=\"R1\" p=\"out\" n=\"0\" R=\"1 kohm\"/>"),
		NETLIST("<subsystem id=\"B\">"
			"<voltage-source id=\"V1\" p=\"a\" n=\"b\" e=\"=10*sin(2*pi*50*t)\"/>"
			"<diode id=\"D1\" p=\"a\" n=\"out\"/><diode id=\"D2\" p=\"b\" n=\"out\"/>"
			"<diode id=\"D3\" p=\"0\" n=\"a\"/><diode id=\"D4\" p=\"0\" n=\"b\"/>"
			"<port id=\"s\" node=\"out\"/></subsystem><subsystem id=\"load\">"
			"<capacitor id=\"C1\" p=\"x\" n=\"0\" C=\"100 uF\"/>"
			"<resistor id=\"R1\" p=\"x\" n=\"0\" R=\"1 kohm\"/>"
			"<port id=\"s\" node=\"x\"/></subsystem>" CONNECT(
				"<connect id=\"j\" a=\"B.s\" b=\"load.s\"/>")),
		1e-4,
		0.06,
		true,
		{{"C1.q", "load.C1.q"},
		 {"R1.q", "load.R1.q"},
		 {"V1.q", "B.V1.q"},
		 {"D1.q", "B.D1.q"},
		 {"D4.q", "B.D4.q"},
		 {"node(out).v", "j.lambda"},
		 {"energy", "energy"},
		 {"dissipated", "dissipated"}}};
	compare(&t, WITHOUT_RECTANGLE);
}
END_TEST

/* a driven ladder, torn inside a part that is itself joined to the rest */
#define NESTED_Q                                                                                   \
	"<subsystem id=\"Q\"><inductor id=\"L1\" p=\"a\" n=\"b\" L=\"1 H\"/>"                      \
	"<capacitor id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"                               \
	"<port id=\"left\" node=\"a\"/><port id=\"right\" node=\"b\"/></subsystem>"
#define NESTED_S                                                                                   \
	"<subsystem id=\"S\"><inductor id=\"L2\" p=\"b\" n=\"c\" L=\"2 H\"/>"                      \
	"<resistor id=\"R2\" p=\"c\" n=\"0\" R=\"3 ohm\"/>"                                        \
	"<port id=\"left\" node=\"b\"/></subsystem>"
#define NESTED_INNER                                                                               \
	CONNECT("<connect id=\"k1\" a=\"mid\" b=\"Q.left\"/>"                                      \
		"<connect id=\"k2\" a=\"Q.right\" b=\"S.left\"/>")
#define NESTED_OUTER CONNECT("<connect id=\"k0\" a=\"drive\" b=\"P.in\"/>")
#define NESTED_P                                                                                   \
	"<subsystem id=\"P\"><resistor id=\"R1\" p=\"x\" n=\"a\" R=\"0.5 ohm\"/>"                  \
	"<port id=\"in\" node=\"x\"/><port id=\"mid\" node=\"a\"/>" NESTED_Q NESTED_S NESTED_INNER \
	"</subsystem>"
#define NESTED_V                                                                                   \
	"<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=sin(3*t)\"/><port id=\"drive\" "           \
	"node=\"in\"/>"

START_TEST(test_nested)
{
	static const twins t = {
		NETLIST("<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=sin(3*t)\"/>"
			"<resistor id=\"R1\" p=\"in\" n=\"a\" R=\"0.5 ohm\"/>"
			"<inductor id=\"L1\" p=\"a\" n=\"b\" L=\"1 H\"/>"
			"<capacitor id=\"C1\" p=\"b\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"
			"<inductor id=\"L2\" p=\"b\" n=\"c\" L=\"2 H\"/>"
			"<resistor id=\"R2\" p=\"c\" n=\"0\" R=\"3 ohm\"/>"),
		NETLIST(NESTED_V NESTED_P NESTED_OUTER),
		0.05,
		20,
		false,
		{{"C1.q", "P.Q.C1.q"},
		 {"L1.i", "P.Q.L1.i"},
		 {"L2.p", "P.S.L2.p"},
		 {"V.q", "V.q"},
		 {"node(b).v", "P.k2.lambda"},
		 {"node(a).v", "P.k1.lambda"},
		 {"node(in).v", "k0.lambda"},
		 {"energy", "energy(P)"},
		 {"dissipated(R2)", "dissipated(P.S)"}}};
	compare(&t, VARIANTS);
}
END_TEST

START_TEST(test_three_ways)
{
	static const twins t = {
		PARALLEL,
		NETLIST("<subsystem id=\"x\"><resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"
			"<port id=\"s\" node=\"a\"/></subsystem>"
			"<subsystem id=\"y\"><inductor id=\"L1\" p=\"a\" n=\"0\" L=\"1 H\"/>"
			"<port id=\"s\" node=\"a\"/></subsystem>"
			"<subsystem id=\"z\"><capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 F\" q=\"1 "
			"C\"/>"
			"<port id=\"s\" node=\"a\"/></subsystem>" CONNECT(
				"<connect id=\"j\" ports=\"x.s y.s z.s\"/>")),
		0.05,
		20,
		false,
		{{"C1.q", "z.C1.q"},
		 {"R1.i", "x.R1.i"},
		 {"L1.p", "y.L1.p"},
		 {"node(a).v", "j.lambda"},
		 {"node(a).v", "node(y.a).v"},
		 {"energy", "energy"}}};
	compare(&t, VARIANTS);
}
END_TEST

START_TEST(test_across_a_float)
{
	/* the secondary side of a transformer, torn at both wires: no part of it touches ground */
	static const twins t = {
		NETLIST("<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"=sin(2*t)\"/>"
			"<transformer id=\"T\" p1=\"a\" n1=\"0\" p2=\"c\" n2=\"d\" n=\"3\"/>"
			"<resistor id=\"R\" p=\"c\" n=\"e\" R=\"5 ohm\"/>"
			"<inductor id=\"L\" p=\"e\" n=\"d\" L=\"2 H\"/>"
			"<capacitor id=\"C\" p=\"c\" n=\"d\" C=\"0.1 F\"/>"),
		NETLIST("<subsystem id=\"A\">"
			"<voltage-source id=\"V\" p=\"a\" n=\"0\" e=\"=sin(2*t)\"/>"
			"<transformer id=\"T\" p1=\"a\" n1=\"0\" p2=\"c\" n2=\"d\" n=\"3\"/>"
			"<port id=\"c\" node=\"c\"/><port id=\"d\" node=\"d\"/></subsystem>"
			"<subsystem id=\"B\"><resistor id=\"R\" p=\"c\" n=\"e\" R=\"5 ohm\"/>"
			"<inductor id=\"L\" p=\"e\" n=\"d\" L=\"2 H\"/>"
			"<capacitor id=\"C\" p=\"c\" n=\"d\" C=\"0.1 F\"/>"
			"<port id=\"c\" node=\"c\"/><port id=\"d\" "
			"node=\"d\"/></subsystem>" CONNECT(
				"<connect id=\"j1\" a=\"A.c\" b=\"B.c\"/>"
				"<connect id=\"j2\" a=\"A.d\" b=\"B.d\"/>")),
		0.05,
		10,
		false,
		{{"R.i", "B.R.i"},
		 {"L.p", "B.L.p"},
		 {"C.q", "B.C.q"},
		 {"V.q", "A.V.q"},
		 {"T.q2", "A.T.q2"},
		 {"dissipated", "dissipated"},
		 {"energy", "energy"}}};
	compare(&t, WITHOUT_RECTANGLE);
	/* one reference beside ground in either model, whichever node it is */
	for (int side = 0; side < 2; side++) {
		bxt_summary summary;
		bxt_table_free(run_side(&t, side, &variants[0], &summary));
		ck_assert_int_eq(summary.references, 1);
		bxt_summary_free(&summary);
	}
}
END_TEST

TEST_SUITE("torn")
{
	const test_case tests[] = {
		{"LC", test_lc, .slow = true},
		{"loop across", test_loop_across},
		{"RLC", test_rlc},
		{"port power", test_port_power},
		{"bridge", test_bridge},
		{"nested", test_nested},
		{"three ways", test_three_ways},
		{"across a float", test_across_a_float},
	};
	ADD_TESTS(tests);
}
