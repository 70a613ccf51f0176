/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps end where sources change their branch, between grid points, too: orders as on smooth
 * models, against closed forms; and two rows where a recorded value jumps.
 */
#include "run/simulation/time_events.h"
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A switched source and a ramp on R C, tau = 1 s: edges at no multiple of the step. */
#define RC(source)                                                                                 \
	NETLIST("<voltage-source id='V' p='a' n='0' e='" source "'/>"                              \
		"<resistor id='R' p='a' n='b' R='2 ohm'/><capacitor id='C' p='b' n='0' C='0.5 "    \
		"F'/>")
static const char switched[] = RC("=if(t &lt; 0.333, 0, 1) + ramp(t, 0.55, 0.65, 0, 1)");

/* u' = e - u: after a step to 1 at a, and a ramp of slope k from r on for d. */
static double exact(double t)
{
	const double a = 0.333, r = 0.55, d = 0.1, k = 10;
	double u = t < a ? 0 : 1 - exp(a - t);
	if (t > r)
		u += k * (t - r - 1 + exp(r - t));
	if (t > r + d)
		u -= k * (t - r - d - 1 + exp(r + d - t));
	return u;
}

static bxt_table *run_with(const char *xml, const char *scheme, double step, const char *events,
			   const char *record)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .scheme = scheme,
				 .step = step,
				 .end = 1,
				 .events = events,
				 .record = record};
	return run_text(xml, &def);
}

static double error_of(const char *scheme, double step)
{
	bxt_table *t = run_with(switched, scheme, step, NULL, "C.q");
	double error = 0;
	for (size_t k = 0; k < bxt_table_rows(t); k++)
		error = fmax(error, fabs(value_at(t, k, "C.q") - exact(bxt_table_time(t, k)) / 2));
	bxt_table_free(t);
	return error;
}

static const struct {
	const char *scheme;
	double order;
} orders[] = {{"gauss1", 2}, {"gauss2", 4}, {"gauss3", 6}, {"radau2", 3},
	      {"radau3", 5}, {"dirac+", 2}, {"theta", 2},  {"discrete-gradient", 2}};

START_TEST(order)
{
	const double coarse = error_of(orders[_i].scheme, 0.125 / 2),
		     fine = error_of(orders[_i].scheme, 0.125 / 16);
	ck_assert_msg(fine < 1e-13 || log2(coarse / fine) / 3 > orders[_i].order - 0.35,
		      "%s: %g, %g", orders[_i].scheme, coarse, fine);
}
END_TEST

/* Rows of the grid, and one pair at the jump; the corners of the ramp jump in nothing recorded. */
START_TEST(rows)
{
	static const struct {
		const char *events;
		size_t rows, jump;
	} cases[] = {{NULL, 11, 4}, {"both", 11, 4}, {"after", 10, 3}, {"none", 9, 0}};
	bxt_table *t = run_with(switched, "gauss1", 0.125, cases[_i].events, "node(a).v, C.q");
	const size_t jump = cases[_i].jump;
	ck_assert_uint_eq(bxt_table_rows(t), cases[_i].rows);
	if (jump) {
		ck_assert_double_eq(bxt_table_time(t, jump), 0.333);
		ck_assert_double_eq(value_at(t, jump, "node(a).v"), 1);
	}
	if (jump == 4) {
		ck_assert_double_eq(bxt_table_time(t, 3), 0.333);
		ck_assert_double_eq(value_at(t, 3, "node(a).v"), 0);
	}
	bxt_table_free(t);
}
END_TEST

/* A current that only the slope of a source makes: it jumps at the corners. */
START_TEST(slopes)
{
	static const char xml[] =
		NETLIST("<voltage-source id='V' p='a' n='0' e='=ramp(t, 0.3, 0.7, 0, 2)'/>"
			"<capacitor id='C' p='a' n='0' C='3 F'/>");
	bxt_table *t = run_with(xml, "gauss2", 0.125, NULL, "C.i");
	ck_assert_uint_eq(bxt_table_rows(t), 9 + 4);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k);
		const bool pair = at == 0.3 || at == 0.7;
		const bool second = k > 0 && bxt_table_time(t, k - 1) == at;
		const bool rises = pair ? second == (at == 0.3) : at > 0.3 && at < 0.7;
		ck_assert_double_eq_tol(value_at(t, k, "C.i"), rises ? 15 : 0, 1e-11);
	}
	bxt_table_free(t);
}
END_TEST

/* On a grid point, by round-off before or behind: the steps on both sides keep their branch. */
START_TEST(near_the_grid)
{
	static const char *const sources[] = {
		RC("=if(t &lt; 0.3, 0, 1)"), RC("=if(t &lt; 0.3 + 1e-14, 0, 1)"),
		RC("=if(t &lt; 0.3 - 1e-14, 0, 1)"), RC("=if(t &lt;= 3*0.1, 0, 1)")};
	bxt_table *t = run_with(sources[_i], "radau3", 0.1, NULL, "node(a).v, C.q");
	ck_assert_uint_eq(bxt_table_rows(t), 12);
	for (size_t k = 0; k < bxt_table_rows(t); k++) {
		const double at = bxt_table_time(t, k);
		ck_assert_double_eq_tol(value_at(t, k, "node(a).v"), k < 4 ? 0 : 1, 1e-15);
		ck_assert_double_eq_tol(value_at(t, k, "C.q"), k < 5 ? 0 : (1 - exp(0.3 - at)) / 2,
					2e-7);
	}
	bxt_table_free(t);
}
END_TEST

/*
 * Two rows where a value jumps by more than 1e-6 of its largest so far, and by more than 1e-9 of
 * the largest in its unit: less is round-off of both rows. A stop that is never met has the steps
 * end at events of the state, too.
 */
#define TWO_SOURCES                                                                                \
	NETLIST("<voltage-source id='V' p='a' n='0' e='=%s'/>"                                     \
		"<resistor id='R' p='a' n='0' R='1 ohm'/>"                                         \
		"<voltage-source id='W' p='b' n='0' e='=%s'/>"                                     \
		"<resistor id='S' p='b' n='0' R='1 ohm'/>%s")
#define STOP                                                                                       \
	"<mass id='M' a='m' m='1 kg'/><end-stop id='E' a='wall' b='m'/>"                           \
	"<node id='m' kind='translational' x='1 m'/>"
START_TEST(jumps)
{
	static const struct {
		const char *first, *second, *record;
		size_t rows;
	} cases[] = {
		{"if(t &lt; 0.333, 1, 1 + 1e-5)", "0", "node(a).v, node(b).v", 11},
		{"if(t &lt; 0.333, 1, 1 + 1e-7)", "0", "node(a).v, node(b).v", 9},
		{"1000", "if(t &lt; 0.333, 0, 1e-5)", "node(a).v, node(b).v", 11},
		{"1000", "if(t &lt; 0.333, 0, 1e-7)", "node(a).v, node(b).v", 9},
		{"1000", "if(t &lt; 0.333, 0, 1e-7)", "R.i, node(b).v", 11},
		{"0", "if(t &lt; 0.2, 1, if(t &lt; 0.333, 0, 1e-8))", "node(b).v", 11},
		{"0", "if(t &lt; 0.2, 1, if(t &lt; 0.333, 0, 1e-5))", "node(b).v", 13},
		{"0", "if(t &lt; 0.2, 1e-9, if(t &lt; 0.333, 0, 1e-9))", "node(b).v", 13},
	};
	for (int k = 0; k < 2; k++) {
		char xml[1024];
		snprintf(xml, sizeof xml, TWO_SOURCES, cases[_i].first, cases[_i].second,
			 k ? STOP : "");
		bxt_table *t = run_with(xml, "gauss2", 0.125, NULL, cases[_i].record);
		ck_assert_msg(bxt_table_rows(t) == cases[_i].rows, "%zu rows, not %zu",
			      bxt_table_rows(t), cases[_i].rows);
		bxt_table_free(t);
	}
}
END_TEST

/* A pulse much shorter than the step is not missed. */
START_TEST(short_pulse)
{
	static const char xml[] = RC("=if(t &lt; 0.4, 0, if(t &lt; 0.4005, 200, 0))");
	bxt_table *t = run_with(xml, "gauss2", 0.25, NULL, "C.q");
	const double u = 200 * (exp(0.0005) - 1) * exp(0.4 - 1);
	ck_assert_double_eq_tol(last_value(t, "C.q"), u / 2, 2e-5 * u);
	bxt_table_free(t);
}
END_TEST

/* A condition inside a component on a value that follows the time. */
START_TEST(in_a_component)
{
	static const char xml[] = NETLIST("<voltage-source id='V' p='a' n='0' e='1 V'/>"
					  "<switch id='S' p='a' n='b' Ron='2 ohm' Roff='1e9 ohm' "
					  "control='=if(t &lt; 0.333, 0, 1)'/>"
					  "<capacitor id='C' p='b' n='0' C='0.5 F'/>");
	bxt_table *t = run_with(xml, "radau3", 0.125, NULL, "C.q");
	ck_assert_double_eq_tol(last_value(t, "C.q"), (1 - exp(0.333 - 1)) / 2, 1e-6);
	bxt_table_free(t);
}
END_TEST

/* A source of 1 GHz in steps of 1 ms is refused at once, not followed for a week. */
START_TEST(too_many)
{
	model m = model_of_text(
		NETLIST("<pulse-source id='V' p='a' n='0' high='1 V' rise='0 s' fall='0 s' "
			"width='0.5 ns' period='1 ns'/><resistor id='R' p='a' n='0' R='1 ohm'/>"));
	const bxt_run_def def = {.size = sizeof def, .step = 1e-3, .end = 1};
	bxt_state *state;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
	ck_assert_int_eq(bxt_run(m.system, state, &def, NULL, NULL, m.findings), BXT_ERR_NEWTON);
	ck_assert(has_finding(&m, BXT_ERROR, "change their branch more than 1000 times"));
	bxt_state_free(state);
	model_free(&m);
}
END_TEST

/* Steps backward end on the grid alone. */
START_TEST(backward)
{
	bxt_table *t = run_with(switched, "dirac-", 0.125, NULL, "C.q");
	ck_assert_uint_eq(bxt_table_rows(t), 9);
	bxt_table_free(t);
}
END_TEST

/* Edges at 0.333 s of a value and at k 0.1 s of a component, whose pulse ends where its width says:
 * what one system has found serves another one, but for a component with another width. */
#define EDGES(width)                                                                               \
	NETLIST("<voltage-source id='V' p='a' n='0' e='=if(t &lt; 0.333, 0, 1)'/>"                 \
		"<pulse-source id='P' p='b' n='0' high='1 V' rise='0 s' fall='0 s' width='" width  \
		"' period='1 s' delay='0.5 s'/><resistor id='R' p='a' n='b' R='1 ohm'/>")
START_TEST(followed)
{
	static const char *const texts[] = {EDGES("0.1 s"), EDGES("0.1 s"), EDGES("0.2 s")};
	model m = model_of_text(texts[0]); /* its library has one type for all */
	bxt_netlist *netlist[3];
	bxt_system *system[3];
	bxt_time_events *e[3];
	for (int k = 0; k < 3; k++) {
		ck_assert_int_eq(bxt_netlist_read_memory(texts[k], strlen(texts[k]), "edges",
							 m.findings, &netlist[k]),
				 BXT_OK);
		ck_assert_int_eq(bxt_system_compile(netlist[k], m.library, m.findings, &system[k]),
				 BXT_OK);
		ck_assert_int_eq(bxt_time_events_new(system[k], 1e-15, &e[k]), BXT_OK);
		ck_assert_ptr_nonnull(e[k]);
	}
	bxt_time_events_follow(NULL, e[0]);
	bxt_time_events_follow(e[0], NULL);
	ck_assert_double_eq(bxt_time_events_next(e[0], 0, 2), 0.333);
	const double rise = bxt_time_events_next(e[0], 0.4, 2);
	ck_assert_double_eq_tol(rise, 0.5, 1e-15);
	/* known, and not before that time */
	ck_assert(isinf(bxt_time_events_next(e[0], 0.4, 0.45)));
	const double fall = bxt_time_events_next(e[0], 0.55, 2);
	ck_assert_double_eq_tol(fall, 0.6, 1e-15);
	for (int k = 1; k < 3; k++)
		bxt_time_events_follow(e[k], e[0]);
	/* the same bits, and what comes later is found from there on */
	ck_assert_double_eq(bxt_time_events_next(e[1], 0.55, 2), fall);
	ck_assert_double_eq_tol(bxt_time_events_next(e[1], 0.65, 2), 1.5, 1e-15);
	ck_assert_double_eq_tol(bxt_time_events_next(e[2], 0.55, 2), 0.7, 1e-15);
	for (int k = 0; k < 3; k++) {
		bxt_time_events_free(e[k]);
		bxt_system_free(system[k]);
		bxt_netlist_free(netlist[k]);
	}
	model_free(&m);
}
END_TEST

TEST_SUITE("time events")
{
	const test_case tests[] = {{"order", order, .loops = COUNT(orders)},
				   {"rows", rows, .loops = 4},
				   {"slopes", slopes},
				   {"near the grid", near_the_grid, .loops = 4},
				   {"jumps", jumps, .loops = 8},
				   {"short pulse", short_pulse},
				   {"in a component", in_a_component},
				   {"too many", too_many},
				   {"followed", followed},
				   {"backward", backward}};
	ADD_TESTS(tests);
}
