/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Events within one step: what crosses and returns before the step ends, as far as a stage sees it,
 * and which crossings are one event; against closed forms of what a step integrates exactly.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bxt_table *run_counting(const char *xml, const char *scheme, double step, double end,
			       long *events)
{
	bxt_summary s = {.size = sizeof s};
	model m = model_of_text(xml);
	const bxt_run_def def = {
		.size = sizeof def, .scheme = scheme, .step = step, .end = end, .every = 1};
	bxt_table *t = model_run(&m, &def, &s);
	*events = s.taken.at_states;
	bxt_summary_free(&s);
	model_free(&m);
	return t;
}

static void check_last(const bxt_table *t, const char *name, double value, double tolerance)
{
	const double last = last_value(t, name);
	ck_assert_msg(fabs(last - value) <= tolerance, "%s is %.17g, not %.17g", name, last, value);
}

/* ---- What returns within a step ---- */

/*
 * x = 3/4 - 2 t + t^2 is below zero from 0.5 s to 1.5 s. One step of 1.6 s ends above, with a stage
 * below; the stop at 0 sends the mass back at 0.5 s, with 1 m/s.
 */
START_TEST(returns)
{
	static const char *const schemes[] = {"gauss2", "gauss3", "radau2", "radau3"};
	long events;
	bxt_table *t = run_counting(
		NETLIST("<mass id='M' a='m' m='1 kg'/><force id='F' a='wall' b='m' f='2 N'/>"
			"<end-stop id='S' a='wall' b='m' e='1'/>"
			"<node id='m' kind='translational' x='0.75 m' v='-2 m/s'/>"
			"<record>node(m).x, node(m).v</record>"),
		schemes[_i], 1.6, 1.6, &events);
	ck_assert_int_eq(events, 1);
	check_last(t, "node(m).x", 1.1 + 1.1 * 1.1, 1e-12);
	check_last(t, "node(m).v", 1 + 2 * 1.1, 1e-12);
	bxt_table_free(t);
}
END_TEST

/*
 * The same in steps of controlled size, whose halves are steps of their own: x = (t - 43.9)^2 - 1/4
 * is integrated exactly in steps of 10 s. In that from 40 s on a stage of the first half alone is
 * below zero. The mass goes back where it comes, at 43.4 s.
 */
START_TEST(returns_in_a_half)
{
	bxt_summary summary = {.size = sizeof summary};
	model m = model_of_text(
		NETLIST("<mass id='M' a='m' m='1 kg'/><force id='F' a='wall' b='m' f='2 N'/>"
			"<end-stop id='S' a='wall' b='m' e='1'/>"
			"<node id='m' kind='translational' x='=43.9^2 - 0.25' v='=-2*43.9'/>"
			"<record>node(m).x, node(m).v</record>"));
	const bxt_run_def def = {.size = sizeof def,
				 .scheme = "gauss2",
				 .tolerance = 1e-6,
				 .step = 10,
				 .max_step = 10,
				 .end = 60,
				 .every = 1};
	bxt_table *t = model_run(&m, &def, &summary);
	const double s = 60 - 43.4;
	ck_assert_int_eq(summary.taken.at_states, 1);
	check_last(t, "node(m).v", 1 + 2 * s, 1e-9);
	check_last(t, "node(m).x", s + s * s, 1e-8);
	bxt_summary_free(&summary);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

/*
 * A mass is held against the force sin(pi t/h), whose square trips at 0.81 between both ends of the
 * only step. At a stage the multiplier is an impulse over h. What was tripped pushes with 1 N.
 */
#define TRIP(h)                                                                                    \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='trip' domain='mechanical'>"     \
		"<coordinate name='x' unit='m' flow='v'/><coordinate name='y' unit='m' flow='w'/>" \
		"<lagrangian>v^2/2 + w^2/2</lagrangian>"                                           \
		"<constraint name='hold' kind='flow'>v</constraint>"                               \
		"<mode name='on'><on when='hold.lambda^2 &gt; 0.81'/>"                             \
		"<off when='hold.lambda^2 &gt; 81'/></mode>"                                       \
		"<force on='x'>sin(pi*t/" h ")</force><force on='y'>on</force></component>"        \
		"<trip id='T'/><record>T.w</record>")

START_TEST(trips)
{
	static const struct {
		const char *xml;
		double h;
	} cases[] = {{TRIP("0.1"), 0.1}, {TRIP("1"), 1}, {TRIP("5"), 5}};
	const double h = cases[_i].h, on = h * asin(0.9) / acos(-1);
	long events;
	bxt_table *t = run_counting(cases[_i].xml, "gauss3", h, h, &events);
	ck_assert_int_eq(events, 1);
	check_last(t, "T.w", h - on, 1e-12 * h);
	bxt_table_free(t);
}
END_TEST

/* ---- What is one event ---- */

/*
 * A bar falls with its ends on ground that takes all of their speed. Its inertia is 3 m b^2: where
 * both ends hit at once, it lies. Where the left one hits first, its impulse 3/4 m v leaves the bar
 * v/4 down and turning with v/4b; then the right one hits with v/2, and its impulse 3/8 m v has the
 * left one rise with v/4. Gaps apart by 1e-9 of the largest are closed at once.
 */
#define BAR                                                                                        \
	NETLIST("<rigid-body id='B' a='b' m='1 kg' J='3 kg.m2'/>"                                  \
		"<body-point id='P' a='b' b='c' ax='-1 m'/>"                                       \
		"<body-point id='Q' a='b' b='d' ax='1 m'/>"                                        \
		"<ground-contact id='L' a='c'/><ground-contact id='R' a='d'/>"                     \
		"<node id='b' kind='planar' y='1 m' theta='%g rad' vy='-1 m/s'/>"                  \
		"<record>node(b).vy, node(b).omega, node(c).vy, node(d).vy</record>")

START_TEST(together)
{
	static const struct {
		double angle; /* gaps are apart by twice as much */
		long events;
	} cases[] = {{0, 1},    {1e-11, 1}, {-1e-11, 1}, {4e-10, 1}, {-4e-10, 1},
		     {1e-9, 1}, {-1e-9, 1}, {1e-3, 2},   {-1e-3, 2}};
	const double angle = cases[_i].angle, side = copysign(1, angle);
	const bool at_once = fabs(angle) < 5e-10;
	char xml[1024];
	long events;
	snprintf(xml, sizeof xml, BAR, angle);
	bxt_table *t = run_counting(xml, "gauss2", 0.1, 1.01, &events);
	ck_assert_int_eq(events, cases[_i].events);
	check_last(t, "node(b).vy", at_once ? 0 : 0.125, 1e-12);
	check_last(t, "node(b).omega", at_once ? 0 : -0.125 * side, 1e-6);
	check_last(t, side > 0 ? "node(c).vy" : "node(d).vy", at_once ? 0 : 0.25, 1e-5);
	bxt_table_free(t);
}
END_TEST

/*
 * Two events, where a clock is at 0.5 and where it is at 0.5 + d: the first makes x what y + 1 is,
 * the second y what x + 3 is. All actions of one event of the run have the values before it: 1 and
 * 2 become 3 and 4. One after the other the second has what the first made: 6 from 3, or 5 from 4.
 * Margins count in parts of 0.5, and the root at 0.5 is exact: both events are in the bracket
 * around it.
 */
#define EXCHANGE                                                                                   \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='exchange' domain='control'>"    \
		"<parameter name='d' unit='1'/><state name='c' unit='1'/><rate of='c'>1</rate>"    \
		"<state name='x' unit='1'/><rate of='x'>0</rate>"                                  \
		"<state name='y' unit='1'/><rate of='y'>0</rate>"                                  \
		"<event name='one' when='c - 0.5'><reset of='x'>y + 1</reset></event>"             \
		"<event name='two' when='c - 0.5 - d'><reset of='y'>x + "                          \
		"3</reset></event></component>"                                                    \
		"<exchange id='E' d='%g' x='1' y='2'/><record>E.x, E.y</record>")

START_TEST(acts_together)
{
	static const double d[] = {0,     1e-11, -1e-11, 2e-10, -2e-10, 1e-9,
				   -1e-9, 1e-7,  -1e-7,  0.25,  -0.25};
	const double apart = d[_i];
	const bool at_once = fabs(apart) < 5e-10;
	char xml[1024];
	long events;
	snprintf(xml, sizeof xml, EXCHANGE, apart);
	for (int k = 0; k < 2; k++) {
		bxt_table *t = run_counting(xml, "gauss2", k ? 0.07 : 1, 1, &events);
		check_last(t, "E.x", at_once || apart > 0 ? 3 : 5, 0);
		check_last(t, "E.y", at_once || apart < 0 ? 4 : 6, 0);
		ck_assert_int_eq(events, fabs(apart) > 0.1 ? 2 : 1);
		bxt_table_free(t);
	}
}
END_TEST

TEST_SUITE("crossings")
{
	const test_case tests[] = {{"returns", returns, .loops = 4},
				   {"returns in a half", returns_in_a_half},
				   {"trips", trips, .loops = 3},
				   {"together", together, .loops = 9},
				   {"acts together", acts_together, .loops = 11}};
	ADD_TESTS(tests);
}
