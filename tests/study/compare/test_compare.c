/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables side by side: names, differences, what is lost; and memory and time for all of it. */
#include "support/allocation.h"
#include "support/both.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Tables by names ---- */

static bxt_table *table_of(size_t n, const char *const *names, const double *values)
{
	bxt_table *t = bxt_table_new();
	ck_assert_ptr_nonnull(t);
	bxt_sink sink;
	bxt_table_sink(t, &sink);
	ck_assert_int_eq(sink.begin(sink.context, n, names), BXT_OK);
	ck_assert_int_eq(sink.row(sink.context, 0, n, values), BXT_OK);
	return t;
}

/* "A=B A=B ...": the pairs of two tables, whose values are 0. */
static char *pairs_of(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
	static const double zeros[16];
	static char text[512];
	bxt_table *x = table_of(n_a, a, zeros), *y = table_of(n_b, b, zeros);
	bxt_difference *out;
	size_t n;
	ck_assert_int_eq(bxt_compare(x, y, NULL, 0, NULL, &out, &n), BXT_OK);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(text);
		snprintf(text + length, sizeof text - length, "%s%s=%s", i ? " " : "", out[i].a,
			 out[i].b);
	}
	free(out);
	bxt_table_free(x);
	bxt_table_free(y);
	return text;
}

START_TEST(names_pair_by_suffix)
{
	static const char *const a[] = {"C1.q",        "R1.i",   "node(a).v",
					"power(C1.p)", "energy", "q2.p"};
	static const char *const b[] = {"x.C1.q",        "x.R1.i",    "y.R1.i", "node(x.y.a).v",
					"power(x.C1.p)", "energy(x)", "T.q"};
	/* R1 is there twice; "energy" and "q2.p" are nobody's end */
	ck_assert_str_eq(pairs_of(a, 6, b, 7),
			 "C1.q=x.C1.q node(a).v=node(x.y.a).v power(C1.p)=power(x.C1.p)");
	ck_assert_str_eq(pairs_of(b, 7, a, 6),
			 "x.C1.q=C1.q node(x.y.a).v=node(a).v power(x.C1.p)=power(C1.p)");
	/* a full name comes before an end, and takes its partner out of the choice */
	static const char *const c[] = {"C1.q", "x.C1.q"}, *const d[] = {"y.x.C1.q", "C1.q"};
	ck_assert_str_eq(pairs_of(c, 2, d, 2), "C1.q=C1.q x.C1.q=y.x.C1.q");
	/* not unique from the other side */
	static const char *const e[] = {"a.C.q", "b.C.q"}, *const f[] = {"C.q"};
	ck_assert_str_eq(pairs_of(e, 2, f, 1), "");
	/* a word's middle is no end */
	static const char *const g[] = {"xC.q"}, *const h[] = {"C.q"};
	ck_assert_str_eq(pairs_of(g, 1, h, 1), "");
}
END_TEST

/* Rows of one column: times and values in turn. */
static bxt_table *rows_of(size_t n, const double (*rows)[2])
{
	static const char *const names[] = {"C1.q"};
	bxt_table *t = bxt_table_new();
	bxt_sink sink;
	bxt_table_sink(t, &sink);
	ck_assert_int_eq(sink.begin(sink.context, 1, names), BXT_OK);
	for (size_t i = 0; i < n; i++)
		ck_assert_int_eq(sink.row(sink.context, rows[i][0], 1, &rows[i][1]), BXT_OK);
	return t;
}

/* Of two rows of one time the first is before a jump. A single row is after it, and a jump between
 * the rows of the other run has no partner. */
START_TEST(rows_of_one_time)
{
	static const double both[][2] = {{0, 0}, {1, 1}, {1, 5}, {1.5, 6}, {1.5, 9}, {2, 3}};
	static const double shifted[][2] = {{0, 0.5},   {1, 1.5},   {1, 5.5},
					    {1.5, 6.5}, {1.5, 9.5}, {2, 3.5}};
	static const double after[][2] = {{0, 0}, {1, 5}, {1.5, 9}, {2, 3}};
	static const double grid[][2] = {{0, 0}, {1, 5}, {2, 3}};
	static const double moved[][2] = {{0, 0}, {1, 5}, {1.25, 9}, {2, 3}};
	static const double more[][2] = {{0, 0}, {1, 5}, {2, 3}, {3, 3}};
	/* the events of `both`, found a little earlier or later; with other values there */
	static const double found[][2] = {{0, 0},         {1, 1},          {1 + 1e-13, 1},
					  {1 + 1e-13, 5}, {1.5 - 1e-9, 6}, {1.5 - 1e-9, 9},
					  {2, 3}};
	static const double other[][2] = {{0, 0},          {1 - 1e-13, 1},  {1 - 1e-13, 5}, {1, 5},
					  {1.5 - 1e-9, 6}, {1.5 - 1e-9, 7}, {2, 3}};
	static const struct {
		const double (*rows)[2];
		size_t n;
		double largest; /* -1: refused */
		const char *why;
	} cases[] = {
		{both, 6, 0, NULL},
		{shifted, 6, 0.5, NULL},
		{after, 4, 0, NULL},
		{grid, 3, 0, NULL},
		{found, 7, 0, NULL},
		{other, 7, 2, NULL},
		{moved, 4, -1, "row 3 is at 1.5 s in one run and at 1.25 s in the other"},
		{more, 4, -1, "the two runs have 6 and 4 rows"},
	};
	for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
		for (int swap = 0; swap < 2; swap++) {
			bxt_table *x = rows_of(6, both), *y = rows_of(cases[k].n, cases[k].rows);
			bxt_diagnostics *d = bxt_diagnostics_new();
			bxt_difference *out;
			size_t n;
			const bxt_status status =
				bxt_compare(swap ? y : x, swap ? x : y, NULL, 0, d, &out, &n);
			ck_assert_int_eq(status, cases[k].why ? BXT_ERR_MODEL : BXT_OK);
			if (!cases[k].why)
				ck_assert_double_eq(out[0].largest, cases[k].largest);
			else if (!swap)
				ck_assert_ptr_nonnull(
					strstr(bxt_diagnostics_get(d, 0)->text, cases[k].why));
			free(out);
			bxt_diagnostics_free(d);
			bxt_table_free(x);
			bxt_table_free(y);
		}
}
END_TEST

START_TEST(names_pair_by_map)
{
	static const char *const a[] = {"C1.q", "L1.i"}, *const b[] = {"C1.q", "X.q"};
	static const double u[] = {2, 1}, v[] = {3, 1};
	static const char *const map[] = {"C1.q", "X.q"}, *const wrong[] = {"C1.x", "X.q"};
	bxt_table *x = table_of(2, a, u), *y = table_of(2, b, v);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_difference *out;
	size_t n;
	ck_assert_int_eq(bxt_compare(x, y, map, 1, d, &out, &n), BXT_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(out[0].b, "X.q");
	ck_assert_double_eq(out[0].largest, 1);
	ck_assert_double_eq(out[0].scale, 2);
	ck_assert_double_eq(out[0].relative, 0.5);
	free(out);
	ck_assert_int_eq(bxt_compare(x, y, wrong, 1, d, &out, &n), BXT_ERR_MODEL);
	ck_assert_ptr_null(out);
	ck_assert_ptr_nonnull(
		strstr(bxt_diagnostics_get(d, 0)->text, "'C1.x' (did you mean 'C1.q'?)"));
	/* X.q has its partner: it is not compared with a column of its own name as well */
	static const char *const both[] = {"C1.q", "X.q"};
	bxt_table *z = table_of(2, both, u);
	ck_assert_int_eq(bxt_compare(z, y, map, 1, d, &out, &n), BXT_OK);
	ck_assert(n == 1 && strcmp(out[0].a, "C1.q") == 0 && strcmp(out[0].b, "X.q") == 0);
	free(out);
	bxt_table_free(z);
	bxt_diagnostics_free(d);
	bxt_table_free(x);
	bxt_table_free(y);
}
END_TEST

/* The end of a column's name will do, if it is that of no other. */
START_TEST(ends_pair_by_map)
{
	static const char *const a[] = {"s.C1.q", "s.C2.q", "node(x.s.a).v"};
	static const char *const b[] = {"r.C1.q", "t.C1.q", "node(b).v"};
	static const double u[] = {1, 2, 3};
	static const char *const map[] = {"C2.q", "r.C1.q", "s.node(a).v", "node(b).v"},
				 *const wrong[] = {"C2.q", "C1.q"};
	bxt_table *x = table_of(3, a, u), *y = table_of(3, b, u);
	bxt_diagnostics *d = bxt_diagnostics_new();
	bxt_difference *out;
	size_t n;
	ck_assert_int_eq(bxt_compare(x, y, map, 2, d, &out, &n), BXT_OK);
	ck_assert_uint_eq(n, 2);
	ck_assert(strcmp(out[0].a, "s.C2.q") == 0 && strcmp(out[0].b, "r.C1.q") == 0);
	ck_assert(strcmp(out[1].a, "node(x.s.a).v") == 0 && strcmp(out[1].b, "node(b).v") == 0);
	free(out);
	ck_assert_int_eq(bxt_compare(x, y, wrong, 1, d, &out, &n), BXT_ERR_MODEL);
	ck_assert_ptr_nonnull(strstr(bxt_diagnostics_get(d, 0)->text,
				     "map: 'C1.q' is ambiguous: 'r.C1.q' and 't.C1.q' match"));
	bxt_diagnostics_free(d);
	bxt_table_free(x);
	bxt_table_free(y);
}
END_TEST

/* ".p" is the pressure of a node, else a momentum, or what an element calls so. */
START_TEST(pressures_are_no_momenta)
{
	static const char *const names[] = {"node(x.a).p", "node(b).x.p", "L1.p", "L1.pc"};
	static const bxt_signal_group groups[] = {BXT_SIGNALS_EFFORT, BXT_SIGNALS_MOMENTUM,
						  BXT_SIGNALS_MOMENTUM, BXT_SIGNALS_MOMENTUM};
	static const double zeros[4];
	static const char heater[] = NETLIST(
		"<component xmlns='urn:boxtimes:component:1' name='heater'>"
		"<coordinate name='q' unit='C' flow='i'/>"
		"<port name='p' kind='electrical' flow='i'/>"
		"<port name='n' kind='electrical' flow='-i'/><rayleigh>i^2/2</rayleigh>"
		"<output name='pc' unit='W'>i^2</output></component>"
		"<heater id='H' p='a' n='0'/><capacitor id='C' p='a' n='0' C='1 F' q='1 C'/>");
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.1, .end = 0.2, .record = "H.pc, C.p"};
	bxt_table *t = table_of(4, names, zeros);
	bxt_difference *out;
	size_t n;
	ck_assert_int_eq(bxt_compare(t, t, NULL, 0, NULL, &out, &n), BXT_OK);
	ck_assert_uint_eq(n, 4);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(out[i].group == groups[i], "%s is a %s", out[i].a,
			      bxt_signal_group_name(out[i].group));
	free(out);
	bxt_table_free(t);
	both x = both_of_texts(heater, heater);
	both_run(&x, &def, BOTH_SAME);
	ck_assert_int_eq(both_twin(&x, "H.pc", "H.pc")->group, BXT_SIGNALS_OUTPUT);
	ck_assert_int_eq(both_twin(&x, "C.p", "C.p")->group, BXT_SIGNALS_MOMENTUM);
	both_close(&x);
}
END_TEST

START_TEST(what_is_no_number_differs)
{
	static const char *const names[] = {"C1.q", "C2.q"};
	static const double u[] = {1, 0}, v[] = {NAN, 0};
	bxt_table *x = table_of(2, names, u), *y = table_of(2, names, v);
	bxt_sink sink, other;
	bxt_table_sink(x, &sink);
	bxt_table_sink(y, &other);
	bxt_difference *out;
	size_t n;
	/* a later row that is fine does not heal it; nor is an absolute difference lost */
	ck_assert_int_eq(sink.row(sink.context, 1, 2, (double[]){1, 0}), BXT_OK);
	ck_assert_int_eq(other.row(other.context, 1, 2, (double[]){1, 3}), BXT_OK);
	ck_assert_int_eq(bxt_compare(x, y, NULL, 0, NULL, &out, &n), BXT_OK);
	ck_assert_double_nan(out[0].relative);
	ck_assert_double_eq(out[0].at, 0);
	ck_assert_double_eq(out[1].relative, 3);
	ck_assert_double_eq(out[1].scale, 0);
	free(out);
	ck_assert_int_eq(other.row(other.context, 2, 2, (double[]){1, 3}), BXT_OK);
	ck_assert_int_eq(bxt_compare(x, y, NULL, 0, NULL, &out, &n), BXT_ERR_MODEL);
	ck_assert_int_eq(sink.row(sink.context, 2.5, 2, (double[]){1, 3}), BXT_OK);
	ck_assert_int_eq(bxt_compare(x, y, NULL, 0, NULL, &out, &n), BXT_ERR_MODEL);
	bxt_table_free(x);
	bxt_table_free(y);
}
END_TEST

#define SIMULATION "<simulation step=\"0.05 s\" end=\"5 s\"/>"
#define LC(a, b)                                                                                   \
	"<inductor id=\"L1\" p=\"" a "\" n=\"0\" L=\"1 H\"/>"                                      \
	"<capacitor id=\"C1\" p=\"" b "\" n=\"0\" C=\"1 F\" q=\"1 C\"/>"

/* ---- Measuring ---- */

START_TEST(a_changed_twin_differs)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x =
		both_of_texts(NETLIST(SIMULATION LC("a", "a") "<resistor id=\"R1\" p=\"a\" n=\"0\" "
							      "R=\"1 ohm\"/>"),
			      NETLIST(SIMULATION LC("a", "a") "<resistor id=\"R1\" p=\"a\" n=\"0\" "
							      "R=\"1.000001 ohm\"/>"));
	both_run(&x, &def, 1e-9);
	/* a millionth in R shows, and no more than that */
	ck_assert_double_gt(x.largest, 1e-8);
	ck_assert_double_lt(x.largest, 1e-5);
	bxt_account_difference *accounts;
	size_t n;
	ck_assert_int_eq(bxt_twins_accounts(&x.twins, &x.summary[0], &x.summary[1], &accounts, &n),
			 BXT_OK);
	ck_assert_uint_eq(n, 4);
	ck_assert_str_eq(accounts[0].kind, "total");
	ck_assert_double_gt(accounts[0].relative, 1e-9);
	free(accounts);
	both_close(&x);
}
END_TEST

/* The table of another run with one column changed. */
static bxt_table *doctored(const bxt_table *t, const char *name, double offset)
{
	const size_t n = bxt_table_columns(t);
	const char **names = calloc(n, sizeof *names);
	double *row = calloc(n, sizeof *row);
	bxt_table *out = bxt_table_new();
	ck_assert(names && row && out);
	ck_assert_int_ge(bxt_table_find(t, name), 0);
	bxt_sink sink;
	bxt_table_sink(out, &sink);
	for (size_t j = 0; j < n; j++)
		names[j] = bxt_table_name(t, j);
	ck_assert_int_eq(sink.begin(sink.context, n, names), BXT_OK);
	for (size_t i = 0; i < bxt_table_rows(t); i++) {
		for (size_t j = 0; j < n; j++)
			row[j] = bxt_table_value(t, i, j) +
				 ((long)j == bxt_table_find(t, name) ? offset : 0);
		ck_assert_int_eq(sink.row(sink.context, bxt_table_time(t, i), n, row), BXT_OK);
	}
	free(names);
	free(row);
	return out;
}

/* What is lost shows, with the connection's name and by what it carries. */
START_TEST(lost_power_shows)
{
	static const char *const files[][2] = {{"rlc-torn.xml", "power(store.s)"},
					       {"spring-chain-torn.xml", "node(right.m2).v"}};
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .end = 5};
	both x = both_of_files(files[_i][0], files[_i][0]);
	bxt_carried *carried;
	size_t n;
	both_run(&x, &def, BOTH_SAME);
	bxt_table *wrong = doctored(x.table[0], files[_i][1], 1e-6);
	ck_assert_int_eq(
		bxt_twins_carried(&x.twins, 0, wrong, &x.summary[0], BOTH_SAME, &carried, &n),
		BXT_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_str_eq(carried[0].connection, "c1");
	ck_assert_uint_eq(carried[0].n_ports, 2);
	/* the ports carry 0.2 to 1 W, or a force below 1 N that does a millionth more */
	ck_assert_double_gt(carried[0].carried, 0.1);
	ck_assert_double_gt(carried[0].relative, 1e-7);
	ck_assert_double_lt(carried[0].relative, 1e-5);
	free(carried);
	bxt_table_free(wrong);
	both_close(&x);
}
END_TEST

/* 2 V across 1 ohm: each of the two ports carries 4 W, and the connection as much. */
START_TEST(carried_power_is_counted_once)
{
	static const char torn[] =
		NETLIST("<subsystem id='x'><voltage-source id='V' p='a' n='0' e='2 V'/>"
			"<port id='s' node='a'/></subsystem>"
			"<subsystem id='y'><resistor id='R' p='b' n='0' R='1 ohm'/>"
			"<port id='s' node='b'/></subsystem>"
			"<interconnection><connect id='c' a='x.s' b='y.s'/></interconnection>");
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.1, .end = 0.3};
	both x = both_of_texts(torn, torn);
	bxt_carried *carried;
	size_t n;
	both_run(&x, &def, BOTH_SAME);
	ck_assert_int_eq(
		bxt_twins_carried(&x.twins, 0, x.table[0], &x.summary[0], BOTH_SAME, &carried, &n),
		BXT_OK);
	ck_assert_uint_eq(n, 1);
	ck_assert_double_eq_tol(carried[0].carried, 4, 1e-12);
	ck_assert_double_le(carried[0].lost, 1e-12);
	free(carried);
	both_close(&x);
}
END_TEST

/* A signal that is round-off of the others does not count as different; a small one that is not
 * does. */
START_TEST(round_off_is_of_the_largest)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	both x = both_of_texts(
		NETLIST(SIMULATION LC("a", "a") "<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"
						"<resistor id=\"R2\" p=\"a\" n=\"0\" R=\"1 "
						"Mohm\"/>"),
		NETLIST(SIMULATION LC("a", "a") "<resistor id=\"R1\" p=\"a\" n=\"0\" R=\"1 ohm\"/>"
						"<resistor id=\"R2\" p=\"a\" n=\"0\" R=\"1 "
						"Mohm\"/>"));
	both_run(&x, &def, 1e-9);
	for (int large = 0; large < 2; large++) {
		bxt_difference *d;
		/* 1e-14 of currents of 1 A; 1e-12 is a millionth of the 1e-6 A in R2 */
		bxt_table *b = doctored(x.table[1], "R2.i", large ? 1e-12 : 1e-14);
		ck_assert_int_eq(bxt_twins_compare(&x.twins, x.table[0], b, NULL, 1e-9, x.d, &d),
				 BXT_OK);
		for (size_t i = 0; i < x.twins.n; i++)
			if (strcmp(d[i].a, "R2.i") == 0)
				ck_assert_msg((d[i].relative > 1e-9) == (large == 1), "%g",
					      d[i].relative);
		free(d);
		bxt_table_free(b);
	}
	both_close(&x);
}
END_TEST

/* ---- Size and memory ---- */

/* A ladder of n sections, in a subsystem or not. */
static char *ladder(int n, bool inside)
{
	char *text = malloc((size_t)n * 200 + 1000);
	ck_assert_ptr_nonnull(text);
	int length = sprintf(text,
			     "<netlist xmlns=\"urn:boxtimes:netlist:1\"><simulation step=\"1 "
			     "ms\" end=\"2 ms\"/>%s",
			     inside ? "<subsystem id=\"S\">" : "");
	for (int i = 0; i < n; i++)
		length += sprintf(text + length,
				  "<inductor id=\"L%d\" p=\"n%d\" n=\"n%d\" L=\"1 mH\"/><capacitor "
				  "id=\"C%d\" p=\"n%d\" n=\"0\" C=\"1 uF\" q=\"1 uC\"/>",
				  i, i, i + 1, i, i);
	sprintf(text + length, "%s</netlist>", inside ? "</subsystem>" : "");
	return text;
}

START_TEST(many_signals_pair_quickly)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .scheme = NULL};
	char *whole = ladder(2500, false), *torn = ladder(2500, true);
	both x = both_of_texts(whole, torn);
	const double start = cpu_seconds();
	ck_assert_int_eq(both_find(&x, &def, NULL, 0), BXT_OK);
	const double seconds = cpu_seconds() - start;
	ck_assert_uint_gt(x.twins.n, 12000);
	ck_assert_uint_eq(x.twins.n_alone[0] + x.twins.n_alone[1], 0);
	/* measured: 0.03 s; the rest is for sanitizers, valgrind and busy machines. Quadratic
	 * pairing takes far longer. */
	ck_assert_double_lt(seconds, 3);
	both_close(&x);
	free(whole);
	free(torn);
}
END_TEST

/* Rows that memory can hold, unless somebody chose them. */
START_TEST(too_many_rows_are_thinned)
{
	char *text = ladder(200, false);
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 1e-6, .end = 1},
			  all = {.size = sizeof(bxt_run_def), .step = 1e-6, .end = 1, .every = 3};
	both x = both_of_texts(text, text);
	ck_assert_int_eq(both_find(&x, &def, NULL, 0), BXT_OK);
	ck_assert(x.twins.fewer_rows);
	/* a million steps of a thousand signals: some 30 rows of each thousand */
	ck_assert_int_gt(x.twins.every[0], 20);
	ck_assert_int_lt(x.twins.every[0], 100);
	ck_assert_int_eq(x.twins.every[0], x.twins.every[1]);
	bxt_twins_free(&x.twins);
	ck_assert_int_eq(both_find(&x, &all, NULL, 0), BXT_OK);
	ck_assert(!x.twins.fewer_rows);
	ck_assert_int_eq(x.twins.every[0], 3);
	both_close(&x);
	free(text);
}
END_TEST

/* What was asked for by name, in a model that may be the second of the pairs below. */
static bxt_status chosen_twins(const both *x)
{
	static const char *const map[] = {"energy(M1)", "energy(left.M1)"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .end = 1,
				 .record = "node(left.m2).x.p, energy(right), c1.lambda"};
	bxt_twins twins;
	const bxt_status status =
		bxt_twins_find(x->m[0].system, x->m[1].system, &def, map, 1, NULL, &twins);
	bxt_twins_free(&twins);
	return status;
}

/* Everything after the runs, which have tests of their own. */
static bxt_status all_of_it(const both *x, const bxt_run_def *def)
{
	bxt_twins twins;
	bxt_difference *differences = NULL, *by_names = NULL;
	bxt_carried *carried = NULL;
	bxt_account_difference *accounts = NULL;
	size_t n;
	bxt_status status =
		bxt_twins_find(x->m[0].system, x->m[1].system, def, NULL, 0, NULL, &twins);
	if (status == BXT_OK)
		status = bxt_twins_compare(&twins, x->table[0], x->table[1], &x->summary[0], 1e-9,
					   NULL, &differences);
	if (status == BXT_OK)
		status = bxt_compare(x->table[0], x->table[1], NULL, 0, NULL, &by_names, &n);
	if (status == BXT_OK)
		status = bxt_twins_carried(&twins, 1, x->table[1], &x->summary[1], 1e-9, &carried,
					   &n);
	if (status == BXT_OK)
		status = bxt_twins_accounts(&twins, &x->summary[0], &x->summary[1], &accounts, &n);
	free(differences);
	free(by_names);
	free(carried);
	free(accounts);
	bxt_twins_free(&twins);
	return status;
}

START_TEST(memory_ends)
{
	static const char *const pairs[][2] = {{"rlc-parallel.xml", "rlc-torn.xml"},
					       {"spring-chain.xml", "spring-chain-torn.xml"}};
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .end = 1};
	both x = both_of_files(pairs[_i][0], pairs[_i][1]);
	long n = 0;
	allocation_hook();
	both_run(&x, &def, BOTH_SAME);
	for (bool failed = true; failed; n++) {
		allocation_fail(n);
		bxt_status status = all_of_it(&x, &def);
		if (status == BXT_OK && _i == 1)
			status = chosen_twins(&x);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
	}
	ck_assert_int_gt(n, 100);
	both_close(&x);
}
END_TEST

TEST_SUITE("compare")
{
	const test_case tests[] = {
		{"names pair by suffix", names_pair_by_suffix},
		{"rows of one time", rows_of_one_time},
		{"names pair by map", names_pair_by_map},
		{"ends of names pair by map", ends_pair_by_map},
		{"pressures are no momenta", pressures_are_no_momenta},
		{"what is no number differs", what_is_no_number_differs},
		{"a changed twin differs", a_changed_twin_differs},
		{"round off is of the largest", round_off_is_of_the_largest},
		{"many signals pair quickly", many_signals_pair_quickly},
		{"too many rows are thinned", too_many_rows_are_thinned},
		{"lost power shows", lost_power_shows, .loops = 2},
		{"carried power is counted once", carried_power_is_counted_once},
		{"memory ends", memory_ends, .loops = 2},
	};
	ADD_TESTS(tests);
}
