/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What must not matter: order, names, directions, ground, the solver, where a run is interrupted.
 */
#include "support/harness.h"

#include "motion/scheme/scheme.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Another order of elimination and summation over a few hundred steps, of the signal's maximum. */
static const double SAME = 1e-11;
/* What Newton's method leaves open in a step is round-off, but junctions pass on 40 times of it,
 * and a hundred steps add up. */
static const double NEWTON = 1e-8;

/* A driven circuit with a floating part, a lossless loop and a nonlinear element. */
#define V "<voltage-source id=\"V\" p=\"in\" n=\"0\" e=\"=sin(2*t)\"/>"
#define R "<resistor id=\"R\" p=\"in\" n=\"a\" R=\"0.4 ohm\"/>"
#define L "<inductor id=\"L\" p=\"a\" n=\"b\" L=\"0.75 H\" i=\"0.5 A\"/>"
#define C "<capacitor id=\"C\" p=\"b\" n=\"0\" C=\"1.25 F\" q=\"0.5 C\"/>"
#define N "<nonlinear-capacitor id=\"N\" p=\"b\" n=\"c\" energy=\"=q^2/2 + q^4/4\"/>"
#define G "<conductance id=\"G\" p=\"c\" n=\"0\" G=\"0.3 S\"/>"
#define D "<diode id=\"D\" p=\"a\" n=\"c\" Is=\"1 mA\" Vt=\"0.2 V\"/>"
#define T "<transformer id=\"T\" p1=\"c\" n1=\"0\" p2=\"x\" n2=\"y\" n=\"2\"/>"
#define S "<resistor id=\"S\" p=\"x\" n=\"y\" R=\"2 ohm\"/>"

static const char base[] = NETLIST(V R L C N G D T S);

static const bxt_run_def along[] = {
	{.size = sizeof(bxt_run_def), .step = 0.05, .end = 10},
	{.size = sizeof(bxt_run_def), .step = 0.05, .end = 10, .scheme = "dirac+"},
};

#define SIGNALS "C.q, N.q, L.q, L.p, V.q, S.i, D.i, node(a).v, node(b).v, node(c).v, energy"

typedef struct same {
	const char *a, *b;
	double sign;
} same;

static void compare(const bxt_table *a, const bxt_table *b, const same *pairs, size_t n,
		    double tolerance)
{
	ck_assert_uint_eq(bxt_table_rows(a), bxt_table_rows(b));
	for (size_t k = 0; k < n; k++) {
		const double scale = largest(a, pairs[k].a);
		for (size_t i = 0; i < bxt_table_rows(a); i++) {
			const double d = fabs(value_at(a, i, pairs[k].a) -
					      pairs[k].sign * value_at(b, i, pairs[k].b));
			ck_assert_msg(d <= tolerance * scale, "%s: %g of %g in row %zu", pairs[k].a,
				      d, scale, i);
		}
	}
}

static void compare_texts(const char *a, const char *record_a, const char *b, const char *record_b,
			  const same *pairs, size_t n)
{
	for (size_t k = 0; k < sizeof along / sizeof *along; k++) {
		bxt_run_def def_a = along[k], def_b = along[k];
		def_a.record = record_a;
		def_b.record = record_b;
		bxt_table *ta = run_text(a, &def_a), *tb = run_text(b, &def_b);
		compare(ta, tb, pairs, n, SAME);
		bxt_table_free(ta);
		bxt_table_free(tb);
	}
}

#define LENGTH(x) (sizeof x / sizeof *x)

START_TEST(test_order_of_elements)
{
	static const char permuted[] = NETLIST(S D C T G N L R V);
	static const same pairs[] = {{"C.q", "C.q", 1},
				     {"N.q", "N.q", 1},
				     {"L.q", "L.q", 1},
				     {"L.p", "L.p", 1},
				     {"V.q", "V.q", 1},
				     {"S.i", "S.i", 1},
				     {"D.i", "D.i", 1},
				     {"node(a).v", "node(a).v", 1},
				     {"node(b).v", "node(b).v", 1},
				     {"node(c).v", "node(c).v", 1},
				     {"energy", "energy", 1}};
	compare_texts(base, SIGNALS, permuted, SIGNALS, pairs, LENGTH(pairs));
}
END_TEST

START_TEST(test_names)
{
	/* all ids and nodes renamed, so that any order by name changes */
	static const char renamed[] = NETLIST(
		"<voltage-source id=\"z1\" p=\"q7\" n=\"0\" e=\"=sin(2*t)\"/>"
		"<resistor id=\"y\" p=\"q7\" n=\"q5\" R=\"0.4 ohm\"/>"
		"<inductor id=\"x\" p=\"q5\" n=\"q3\" L=\"0.75 H\" i=\"0.5 A\"/>"
		"<capacitor id=\"w\" p=\"q3\" n=\"0\" C=\"1.25 F\" q=\"0.5 C\"/>"
		"<nonlinear-capacitor id=\"v\" p=\"q3\" n=\"q1\" energy=\"=q^2/2 + q^4/4\"/>"
		"<conductance id=\"u\" p=\"q1\" n=\"0\" G=\"0.3 S\"/>"
		"<diode id=\"s\" p=\"q5\" n=\"q1\" Is=\"1 mA\" Vt=\"0.2 V\"/>"
		"<transformer id=\"r\" p1=\"q1\" n1=\"0\" p2=\"k\" n2=\"j\" n=\"2\"/>"
		"<resistor id=\"o\" p=\"k\" n=\"j\" R=\"2 ohm\"/>");
	static const same pairs[] = {{"C.q", "w.q", 1},
				     {"N.q", "v.q", 1},
				     {"L.p", "x.p", 1},
				     {"V.q", "z1.q", 1},
				     {"S.i", "o.i", 1},
				     {"D.i", "s.i", 1},
				     {"node(a).v", "node(q5).v", 1},
				     {"energy", "energy", 1}};
	compare_texts(base, SIGNALS, renamed, "w.q, v.q, x.p, z1.q, o.i, s.i, node(q5).v, energy",
		      pairs, LENGTH(pairs));
}
END_TEST

START_TEST(test_directions)
{
	/* every reciprocal branch turned round: its charge and current change sign, nothing else */
	static const char turned[] =
		NETLIST("<voltage-source id=\"V\" p=\"0\" n=\"in\" e=\"=-sin(2*t)\"/>"
			"<resistor id=\"R\" p=\"a\" n=\"in\" R=\"0.4 ohm\"/>"
			"<inductor id=\"L\" p=\"b\" n=\"a\" L=\"0.75 H\" i=\"-0.5 A\"/>"
			"<capacitor id=\"C\" p=\"0\" n=\"b\" C=\"1.25 F\" q=\"-0.5 C\"/>"
			"<nonlinear-capacitor id=\"N\" p=\"c\" n=\"b\" energy=\"=q^2/2 + q^4/4\"/>"
			"<conductance id=\"G\" p=\"0\" n=\"c\" G=\"0.3 S\"/>" D
			"<transformer id=\"T\" p1=\"0\" n1=\"c\" p2=\"x\" n2=\"y\" n=\"2\"/>"
			"<resistor id=\"S\" p=\"x\" n=\"y\" R=\"2 ohm\"/>");
	static const same pairs[] = {{"C.q", "C.q", -1},
				     {"N.q", "N.q", -1},
				     {"L.p", "L.p", -1},
				     {"V.q", "V.q", -1},
				     {"S.i", "S.i", -1},
				     {"D.i", "D.i", 1},
				     {"node(a).v", "node(a).v", 1},
				     {"energy", "energy", 1}};
	compare_texts(base, SIGNALS, turned, SIGNALS, pairs, LENGTH(pairs));
}
END_TEST

START_TEST(test_ground)
{
	/* ground at "b" instead: "0" becomes g, b becomes 0; potentials shift, branches do not */
	static const char moved[] =
		NETLIST("<voltage-source id=\"V\" p=\"in\" n=\"g\" e=\"=sin(2*t)\"/>" R
			"<inductor id=\"L\" p=\"a\" n=\"0\" L=\"0.75 H\" i=\"0.5 A\"/>"
			"<capacitor id=\"C\" p=\"0\" n=\"g\" C=\"1.25 F\" q=\"0.5 C\"/>"
			"<nonlinear-capacitor id=\"N\" p=\"0\" n=\"c\" energy=\"=q^2/2 + q^4/4\"/>"
			"<conductance id=\"G\" p=\"c\" n=\"g\" G=\"0.3 S\"/>" D
			"<transformer id=\"T\" p1=\"c\" n1=\"g\" p2=\"x\" n2=\"y\" n=\"2\"/>" S);
	/* nobody is grounded: a reference is chosen */
	static const char floating[] =
		NETLIST("<voltage-source id=\"V\" p=\"in\" n=\"g\" e=\"=sin(2*t)\"/>" R L
			"<capacitor id=\"C\" p=\"b\" n=\"g\" C=\"1.25 F\" q=\"0.5 C\"/>" N
			"<conductance id=\"G\" p=\"c\" n=\"g\" G=\"0.3 S\"/>" D
			"<transformer id=\"T\" p1=\"c\" n1=\"g\" p2=\"x\" n2=\"y\" n=\"2\"/>" S);
	static const same pairs[] = {{"C.q", "C.q", 1},      {"N.q", "N.q", 1}, {"L.p", "L.p", 1},
				     {"V.q", "V.q", 1},      {"S.i", "S.i", 1}, {"D.i", "D.i", 1},
				     {"energy", "energy", 1}};
	static const char branches[] = "C.q, N.q, L.p, V.q, S.i, D.i, energy";
	compare_texts(base, SIGNALS, moved, branches, pairs, LENGTH(pairs));
	compare_texts(base, SIGNALS, floating, branches, pairs, LENGTH(pairs));
	/* potentials shift by that of b */
	bxt_run_def def = along[0];
	def.record = "node(a).v, node(b).v, node(in).v";
	bxt_table *t = run_text(base, &def);
	def.record = "node(a).v, node(g).v, node(in).v";
	bxt_table *u = run_text(moved, &def);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		const double b = value_at(t, i, "node(b).v");
		ck_assert_double_eq_tol(value_at(u, i, "node(g).v"), -b, SAME);
		ck_assert_double_eq_tol(value_at(u, i, "node(a).v"),
					value_at(t, i, "node(a).v") - b, SAME);
	}
	bxt_table_free(t);
	bxt_table_free(u);
}
END_TEST

/*
 * Signals of a kind, in columns first ... end - 1, agree to the tolerance of their own maximum;
 * what vanishes but for round-off, to a tenth of it of the largest of the kind.
 */
static void check_columns(const bxt_table *const t[2], size_t first, size_t end, double tolerance,
			  const char *netlist)
{
	double most = 0;
	for (size_t j = first; j < end; j++)
		most = fmax(most, largest(t[0], bxt_table_name(t[0], j)));
	for (size_t j = first; j < end; j++) {
		const char *signal = bxt_table_name(t[0], j);
		const double own = largest(t[0], signal);
		const double d = difference(t[0], signal, t[1], signal) * (own > 0 ? own : 1);
		ck_assert_msg(d <= tolerance * (own + 0.1 * most), "%s: %s differs by %g of %g",
			      netlist, signal, d, own);
	}
}

/* One netlist with each solver: coordinates, then flows. */
static void check_solvers(const char *name)
{
	static const char *const solvers[] = {"klu", "umfpack", "compiled"};
	bxt_table *t[3];
	bool affine = true;
	size_t n = 0;
	for (int s = 0; s < 3; s++) {
		model m = model_of_file(name);
		bxt_summary summary;
		affine = m.system->affine;
		/* what is not linear may tear neighbours apart: not as many steps */
		char *record = all_coordinates(&m);
		const bxt_run_def def = first_steps(&m,
						    (bxt_run_def){.size = sizeof(bxt_run_def),
								  .solver = solvers[s],
								  .events = "none",
								  .record = record},
						    affine ? 1000 : 100);
		t[s] = model_run(&m, &def, &summary);
		n = bxt_table_columns(t[s]) / 2;
		ck_assert_str_eq(summary.solver, solvers[s]);
		free(record);
		bxt_summary_free(&summary);
		model_free(&m);
	}
	const double tolerance = affine ? SAME : NEWTON;
	for (int s = 1; s < 3; s++) {
		const bxt_table *const tables[2] = {t[0], t[s]};
		check_columns(tables, 0, n, tolerance, name);
		check_columns(tables, n, 2 * n, tolerance, name);
	}
	for (int s = 0; s < 3; s++)
		bxt_table_free(t[s]);
}

START_TEST(test_solvers)
{
	netlist_names all = all_netlists();
	for (size_t k = 0; k < all.n; k++)
		check_solvers(all.name[k]);
	all_netlists_free(&all);
}
END_TEST

/* ---- Bits ---- */

/* Runs to each of the ends from one state. */
static bxt_state *run_to(model *m, const bxt_run_def *def, const double *ends, int n)
{
	bxt_state *state = NULL;
	ck_assert_msg(bxt_initialize(m->system, def, m->findings, &state) == BXT_OK, "%s %s: %s",
		      def->scheme ? def->scheme : "", def->rule ? def->rule : "",
		      bxt_diagnostics_count(m->findings, BXT_ERROR)
			      ? bxt_diagnostics_get(m->findings, 0)->text
			      : "");
	for (int k = 0; k < n; k++) {
		bxt_run_def part = *def;
		part.end = ends[k];
		ck_assert_int_eq(bxt_run(m->system, state, &part, NULL, NULL, m->findings), BXT_OK);
	}
	return state;
}

static bool same_bits(const bxt_state *a, const bxt_state *b)
{
	const size_t bytes = (size_t)a->system->size * sizeof(double);
	return memcmp(a->q, b->q, bytes) == 0 && memcmp(a->p, b->p, bytes) == 0 &&
	       memcmp(a->x, b->x, bytes) == 0;
}

static double largest_difference(const double *a, const double *b, int n)
{
	double most = 0, scale = 0;
	for (int i = 0; i < n; i++) {
		most = fmax(most, fabs(a[i] - b[i]));
		scale = fmax(scale, fabs(a[i]));
	}
	return scale > 0 ? most / scale : most;
}

/*
 * Two runs are the same to the last bit, and so is one that was interrupted. Where the matrix
 * changes from step to step its pivots come from the first step after an interruption: there the
 * continued run agrees to what Newton leaves open. So does one that switches.
 */
static void check_bits(model *m, const bxt_run_def *def, const char *what)
{
	const double whole[] = {200 * def->step},
		     parts[] = {70 * def->step, 71 * def->step, whole[0]};
	bxt_state *a = run_to(m, def, whole, 1), *b = run_to(m, def, whole, 1);
	bxt_state *c = run_to(m, def, parts, 3);
	ck_assert_int_eq(bxt_state_steps(a), 200);
	ck_assert_int_eq(bxt_state_steps(c), 200);
	ck_assert(bxt_state_time(a) == bxt_state_time(c));
	ck_assert_msg(same_bits(a, b), "%s: two runs differ", what);
	if (m->system->affine && m->system->net->n_switches == 0)
		ck_assert_msg(same_bits(a, c), "%s: a continued run differs", what);
	else
		ck_assert_msg(largest_difference(a->q, c->q, m->system->n) <= NEWTON,
			      "%s: %g apart", what, largest_difference(a->q, c->q, m->system->n));
	bxt_state_free(a);
	bxt_state_free(b);
	bxt_state_free(c);
}

/* Can the system be stepped so? The rectangle rule refuses components by name. */
static bool possible(model *m, const bxt_run_def *def)
{
	bxt_state *state = NULL;
	const bxt_status status = bxt_initialize(m->system, def, NULL, &state);
	bxt_state_free(state);
	return status == BXT_OK;
}

/* Functions like exp() make the bits this machine's, but the same twice. */
static void check_netlist_bits(const char *name)
{
	model m = model_of_file(name);
	bxt_run_def def = first_steps(
		&m, (bxt_run_def){.size = sizeof(bxt_run_def), .scheme = "gauss1"}, 200);
	def.end = 200 * def.step; /* also where the netlist's own end comes before */
	check_bits(&m, &def, name);
	if (m.system->affine && m.system->net->n_switches == 0 && m.system->net->n_delays == 0) {
		def.scheme = "dirac+";
		def.rule = "midpoint";
		check_bits(&m, &def, name);
		def.rule = "rectangle";
		def.start = "half-kick";
		def.step *= 1e-4; /* it is explicit */
		def.end *= 1e-4;
		if (possible(&m, &def))
			check_bits(&m, &def, name);
	}
	model_free(&m);
}

START_TEST(test_bits)
{
	netlist_names all = all_netlists();
	for (size_t k = 0; k < all.n; k++)
		check_netlist_bits(all.name[k]);
	all_netlists_free(&all);
	model m = model_of_text(base);
	check_bits(&m, &along[0], "nonlinear");
	check_bits(&m, &along[1], "nonlinear, dirac+");
	model_free(&m);
}
END_TEST

/* A continued run with another step, and one after a last step that was cut, go on from where they
 * are: times in order, the last one the end. */
START_TEST(test_grid_begins_anew)
{
	static const double ends[][2] = {{0.5, 0.1}, {0.8, 0.05}, {1.03, 0.1}, {2, 0.1}};
	static const size_t rows[] = {6, 7, 4, 11};
	model m = model_of_file("rlc-parallel.xml");
	bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 0.5, .record = "C1.q"};
	bxt_state *state;
	double before = 0;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	for (size_t k = 0; k < LENGTH(ends); k++) {
		bxt_table *t = bxt_table_new();
		bxt_sink sink;
		bxt_table_sink(t, &sink);
		def.end = ends[k][0];
		def.step = ends[k][1];
		ck_assert_int_eq(bxt_run(m.system, state, &def, &sink, NULL, m.findings), BXT_OK);
		ck_assert_uint_eq(bxt_table_rows(t), rows[k]);
		ck_assert_double_eq_tol(bxt_table_time(t, 0), before, 1e-14);
		for (size_t i = 1; i < rows[k]; i++)
			ck_assert_double_gt(bxt_table_time(t, i), bxt_table_time(t, i - 1));
		before = bxt_table_time(t, rows[k] - 1);
		ck_assert_double_eq_tol(before, ends[k][0], 1e-14);
		bxt_table_free(t);
	}
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* Coupling 1 leaves a current without inertia; the ledger closes in any units. */
START_TEST(test_kernel_in_small_units)
{
	static const char *const prefix[] = {"", "u", "n"};
	for (size_t k = 0; k < LENGTH(prefix); k++) {
		char text[1024];
		const double scale = k == 0 ? 1 : k == 1 ? 1e-6 : 1e-9, h = 0.02 * scale;
		snprintf(text, sizeof text,
			 NETLIST("<coupled-inductors id=\"T\" p1=\"a\" n1=\"0\" p2=\"b\" "
				 "n2=\"0\" L1=\"4 %sH\" L2=\"1 %sH\" k=\"1\"/>"
				 "<capacitor id=\"C1\" p=\"a\" n=\"0\" C=\"1 %sF\" q=\"1 %sC\"/>"
				 "<capacitor id=\"C2\" p=\"b\" n=\"0\" C=\"2 %sF\"/>"),
			 prefix[k], prefix[k], prefix[k], prefix[k], prefix[k]);
		bxt_summary s;
		model m = model_of_text(text);
		bxt_table_free(model_run(
			&m, &(bxt_run_def){.size = sizeof(bxt_run_def), .step = h, .end = 1000 * h},
			&s));
		ck_assert_double_gt(s.total.start, 0);
		/* round-off of 1000 steps */
		ck_assert_double_le(fabs(s.total.residual), 1e-11 * s.total.start);
		bxt_summary_free(&s);
		model_free(&m);
	}
}
END_TEST

TEST_SUITE("invariance")
{
	const test_case tests[] = {
		{"order of elements", test_order_of_elements},
		{"names", test_names},
		{"directions", test_directions},
		{"ground", test_ground},
		{"solvers", test_solvers, .slow = true},
		{"bits", test_bits, .slow = true},
		{"grid begins anew", test_grid_begins_anew},
		{"kernel in small units", test_kernel_in_small_units},
	};
	ADD_TESTS(tests);
}
