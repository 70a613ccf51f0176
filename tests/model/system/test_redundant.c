/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Constraints that depend on each other: always (a parallelogram with three equal cranks, equal
 * prescribed flows), for a moment (four-bars that fold flat, started there, at rest or on either
 * branch, or passing), and in contradiction.
 */
#include "support/allocation.h"
#include "support/harness.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define POINT(i)                                                                                   \
	"<coordinate name='x" #i "' unit='m' flow='u" #i "'/>"                                     \
	"<coordinate name='y" #i "' unit='m' flow='v" #i "'/>"

/* Three points of mass 1 on a bar, spaced 1 m, each on a crank of 1 m. */
#define CRANKS(third)                                                                              \
	"<parameter name='th' unit='rad' default='-0.8 rad'/>"                                     \
	"<parameter name='w' default='0'/>"                                                        \
	"<parameter name='g' unit='m/s2' default='9.81 m/s2'/>"                                    \
	"<parameter name='l' unit='m' default='1 m'/>"                                             \
	"<component xmlns='urn:boxtimes:component:1' name='cranks'>"                               \
	"<doc>a bar on cranks</doc><parameter name='g' unit='m/s2'/>"                              \
	"<parameter name='l' unit='m'/>" POINT(1) POINT(2) POINT(                                  \
		3) "<lagrangian>(u1^2+v1^2+u2^2+v2^2+u3^2+v3^2)/2 - g*(y1+y2+y3)</lagrangian>"     \
		   "<constraint name='a' kind='position'>x1^2+y1^2-1</constraint>"                 \
		   "<constraint name='b' kind='position'>(x2-1)^2+y2^2-1</constraint>" third       \
		   "<constraint name='d' kind='position'>(x2-x1)^2+(y2-y1)^2-1</constraint>"       \
		   "<constraint name='e' kind='position'>x1+x3-2*x2</constraint>"                  \
		   "<constraint name='f' kind='position'>y1+y3-2*y2</constraint></component>"      \
		   "<cranks id='m' g='=g' l='=l' x1='=cos(th)' y1='=sin(th)' x2='=1+cos(th)' "     \
		   "y2='=sin(th)'"                                                                 \
		   " x3='=2+cos(th)' y3='=sin(th)' u1='=-w*sin(th)' v1='=w*cos(th)' "              \
		   "u2='=-w*sin(th)'"                                                              \
		   " v2='=w*cos(th)' u3='=-w*sin(th)' v3='=w*cos(th)'/>"
#define THIRD "<constraint name='c' kind='position'>(x3-2)^2+y3^2-l^2</constraint>"
/* the same crank, as a condition that is not quadratic: it is imposed, not conserved */
#define ROOT "<constraint name='c' kind='position'>sqrt((x3-2)^2+y3^2)-l</constraint>"

static const char three[] = NETLIST(CRANKS(THIRD)), two[] = NETLIST(CRANKS(""));
static const char root[] = NETLIST(CRANKS(ROOT));
static const char *const schemes[] = {"gauss1", "gauss2", "gauss3", "radau2"};

static double drift_of(const bxt_summary *s, const char *family)
{
	for (size_t i = 0; i < s->n_drift; i++)
		if (strcmp(s->drift[i].family, family) == 0)
			return s->drift[i].max;
	ck_abort_msg("no drift of %s", family);
	return 0;
}

/* ---- Redundant throughout ---- */

static void check_cranks(const char *xml, const char *scheme, const char *projection)
{
	static const char *const names[] = {"m.x1", "m.y1", "m.x3", "m.y3"};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 5,
				 .scheme = scheme,
				 .projection = projection,
				 .record = "m.*, m.a.lambda, m.b.lambda, energy"};
	model m = model_of_text(xml);
	bxt_summary s;
	bxt_table *t = model_run(&m, &def, &s), *plain = run_text(two, &def);
	/* round-off of 500 steps of a swing: 1e-16 a step grows as their square */
	for (size_t i = 0; i < 4; i++)
		ck_assert_double_le(difference(plain, names[i], t, names[i]), 1e-10);
	ck_assert(has_finding(&m, BXT_WARNING, "redundant constraint: m.a follows from"));
	ck_assert_int_eq(s.left_out, 1);
	ck_assert_int_eq(s.rank_changes, 0);
	/* radau2 does not conserve positions, but to h^3 */
	ck_assert_double_le(drift_of(&s, "position"), strcmp(scheme, "radau2") ? 1e-13 : 1e-5);
	/* Gauss conserves quadratic energies to round-off of 30 J a step, with quadratic positions;
	 * else to its order, h^2 of 30 J. radau2 damps by h^3. */
	const bool exact = strcmp(scheme, "radau2") != 0 && xml == three;
	ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"),
				exact ? 1e-10 : 3e-3);
	bxt_summary_free(&s);
	bxt_table_free(plain);
	bxt_table_free(t);
	model_free(&m);
}

START_TEST(test_parallel_bars)
{
	for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
		check_cranks(three, schemes[i], "on");
		check_cranks(three, schemes[i], "off");
	}
}
END_TEST

/*
 * Started on the move: whatever the angle, the written flows meet all rows but for round-off, of
 * which rows that depend on each other leave some, and they stay as they are.
 */
START_TEST(test_moving_start)
{
	static const char *const angles[] = {"-0.3", "0.7", "1.9", "2.5", "-2.2"};
	for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
		const bxt_run_def def = {
			.size = sizeof(bxt_run_def), .step = 0.01, .end = 1, .record = "energy"};
		model m = model_of_text(three);
		m.system = bxt_system_free(m.system);
		ck_assert_int_eq(bxt_netlist_set(m.netlist, "", "th", angles[i], m.findings),
				 BXT_OK);
		ck_assert_int_eq(bxt_netlist_set(m.netlist, "", "w", "3", m.findings), BXT_OK);
		ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
				 BXT_OK);
		bxt_table *t = model_run(&m, &def, NULL);
		const double th = strtod(angles[i], NULL);
		/* three points of 1 kg at 3 m/s: what was written, but for round-off of 30 J */
		ck_assert_double_eq_tol(value_at(t, 0, "energy"), 13.5 + 3 * 9.81 * sin(th), 1e-13);
		/* quadratic: exact, to round-off of some 30 J in 100 steps */
		ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"), 1e-10);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* By symmetry equal cranks share: least norm; without the choice a's would be 0. */
START_TEST(test_least_norm)
{
	for (size_t i = 0; i < 3; i++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.01,
					 .end = 2,
					 .scheme = schemes[i],
					 .record = "m.a.lambda, m.b.lambda, m.c.lambda"};
		model m = model_of_text(three);
		bxt_table *t = model_run(&m, &def, NULL);
		ck_assert_double_ge(largest(t, "m.a.lambda"), 1); /* they do carry */
		/* the projection's kicks, h^3, are shared as a step later, h */
		ck_assert_double_le(difference(t, "m.a.lambda", t, "m.b.lambda"), 1e-7);
		ck_assert_double_le(difference(t, "m.a.lambda", t, "m.c.lambda"), 1e-7);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

START_TEST(test_imposed)
{
	check_cranks(root, "gauss1", "on");
	check_cranks(root, "gauss2", "on");
}
END_TEST

/* Two equal prescribed flows of one inertia, an affine model: F = L i' is shared. */
#define TWICE(second)                                                                              \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='driven'>"                       \
		"<doc>prescribed twice</doc><parameter name='j' unit='A' time='true'/>"            \
		"<parameter name='k' unit='A' time='true'/>"                                       \
		"<coordinate name='q' unit='C' flow='i'/><lagrangian>i^2</lagrangian>"             \
		"<constraint name='first' kind='flow'>i - j</constraint>"                          \
		"<constraint name='second' kind='flow'>2*i - 2*k</constraint></component>"         \
		"<driven id='d' j='=1+sin(t)' k='" second "' i='1 A'/>")

START_TEST(test_prescribed_twice)
{
	for (size_t i = 0; i < 3; i++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.01,
					 .end = 2,
					 .scheme = schemes[i],
					 .record = "d.q, d.i, d.first.lambda, d.second.lambda"};
		model m = model_of_text(TWICE("=1+sin(t)"));
		bxt_summary s;
		bxt_table *t = model_run(&m, &def, &s);
		ck_assert(s.affine && s.left_out == 1);
		ck_assert(has_finding(&m, BXT_WARNING, "redundant constraint: d."));
		ck_assert_double_le(drift_of(&s, "constraint"), 1e-14);
		/* gauss1's error of the quadrature of sin: h^2/24 */
		ck_assert_double_eq_tol(last_value(t, "d.q"), 2 + 1 - cos(2), 1e-5);
		/* p' = 2 cos t = l + 2 l', least norm: l' = 2 l = 0.8 cos t; to h^2 */
		const double l = value_at_time(t, 1, "d.first.lambda");
		ck_assert_double_eq_tol(l, 0.4 * cos(1), 1e-4);
		ck_assert_double_eq_tol(value_at_time(t, 1, "d.second.lambda"), 2 * l, 1e-12);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* ---- Four-bars that fold flat ---- */

/* Points on cranks of 1 m and `c` about (0,0) and (d,0), joined by a bar of length b. */
#define FOURBAR(b, d, c, start)                                                                    \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='four-bar'>"                     \
		"<doc>two points and three bars</doc><parameter name='g' unit='m/s2'/>" POINT(1)   \
			POINT(2) "<lagrangian>(u1^2+v1^2+u2^2+v2^2)/2 - g*(y1+y2)</lagrangian>"    \
				 "<constraint name='a' kind='position'>x1^2+y1^2-1</constraint>"   \
				 "<constraint name='b' kind='position'>(x2-x1)^2+(y2-y1)^2-" b     \
				 "^2</constraint><constraint name='c' kind='position'>(x2-" d      \
				 ")^2+y2^2-" c "^2</constraint></component>"                       \
				 "<parameter name='th' unit='rad' default='1 rad'/>"               \
				 "<parameter name='g' unit='m/s2' default='1 m/s2'/>"              \
				 "<four-bar id='m' g='=g' " start "/>")

/* A parallelogram turning through both of its flat positions. */
static const char turning[] =
	FOURBAR("2", "2", "1",
		"x1='=cos(th)' y1='=sin(th)' x2='=2+cos(th)' y2='=sin(th)' u1='=-3*sin(th)' "
		"v1='=3*cos(th)' u2='=-3*sin(th)' v2='=3*cos(th)'");
static const char resting[] = FOURBAR("2", "2", "1", "x1='1' y1='0' x2='3' y2='0'");
/*
 * 1 + 4 = 2 + 3: flat at x1 = -1, x2 = 2. There x1'' = v1^2 and x2'' = v2^2/2 along the cranks, and
 * the bar asks 3 (x2'' - x1'') + (v2 - v1)^2 = 0: v2/v1 = (2 +- sqrt 24)/5, the two branches.
 */
#define FOLDED(v2) FOURBAR("3", "4", "2", "x1='-1' y1='0' x2='2' y2='0' v1='3' v2='" v2 "'")

static bxt_table *run_flat(model *m, const char *scheme, const char *projection, bxt_summary *s)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 4,
				 .scheme = scheme,
				 .projection = projection,
				 .record = "m.*, energy"};
	bxt_table *t = model_run(m, &def, s);
	/* round-off of 400 steps, quadratic positions being conserved */
	ck_assert_double_le(drift_of(s, "position"), 1e-13);
	return t;
}

START_TEST(test_passes_flat)
{
	for (size_t i = 0; i < 6; i++) {
		model m = model_of_text(turning);
		bxt_summary s;
		bxt_table *t = run_flat(&m, schemes[i / 2], i % 2 ? "off" : "on", &s);
		ck_assert(has_finding(&m, BXT_NOTE,
				      "the rank of the constraints drops for a moment: m.a, m.b, "
				      "m.c depend on each other"));
		ck_assert_int_eq(s.left_out, 0);
		ck_assert_int_eq(s.rank_changes, 4); /* four half turns in 4 s */
		/* it stays a parallelogram: noise in the other branch grows in each pass by 1/h at
		 * most */
		for (size_t k = 0; k < bxt_table_rows(t); k++)
			ck_assert_double_eq_tol(value_at(t, k, "m.x2") - value_at(t, k, "m.x1"), 2,
						1e-9);
		ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"), 1e-9);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

START_TEST(test_starts_flat)
{
	static const char *const folded[] = {FOLDED("=3*(2+sqrt(24))/5"),
					     FOLDED("=3*(2-sqrt(24))/5")};
	for (size_t i = 0; i < 8; i++) {
		model m = model_of_text(folded[i % 2]);
		bxt_summary s;
		bxt_table *t = run_flat(&m, schemes[i / 4], i / 2 % 2 ? "off" : "on", &s);
		/* it moves along its branch: the angles turn alike for a start */
		ck_assert_double_eq_tol(value_at(t, 1, "m.y2") / value_at(t, 1, "m.y1"),
					(2 + (i % 2 ? -1 : 1) * sqrt(24)) / 5, 0.02);
		/* the first step ends off the flat position by h v: 1e-2 squared, of the work
		 * there */
		ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"), 1e-4);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

START_TEST(test_rests_flat)
{
	for (size_t i = 0; i < 4; i++) {
		model m = model_of_text(resting);
		bxt_summary s;
		bxt_table *t = run_flat(&m, schemes[i / 2], i % 2 ? "off" : "on", &s);
		ck_assert(has_finding(&m, BXT_WARNING,
				      "redundant constraint: m.a follows "
				      "from m.b, m.c"));
		ck_assert(has_finding(&m, BXT_NOTE, "m.a no longer depends on others"));
		ck_assert_int_eq(s.left_out, 0);
		/* both cranks fall like a pendulum of the same length, y'' = -1 at first */
		ck_assert_double_eq_tol(value_at_time(t, 0.1, "m.y1"), -0.005, 1e-5);
		/* noise in the other branch, that starts at 1e-16 h^-2 */
		ck_assert_double_le(difference(t, "m.y1", t, "m.y2"), 1e-7);
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&m);
	}
}
END_TEST

/* ---- Contradictions ---- */

static void check_contradiction(const char *xml, const char *words)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def), .step = 0.01, .end = 1};
	bxt_state *state = NULL;
	model m = {.findings = bxt_diagnostics_new()};
	m.library = bxt_library_new(NULL, 0, m.findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(xml, strlen(xml), "wrong.xml", m.findings, &m.netlist),
		BXT_OK);
	bxt_status status = bxt_system_compile(m.netlist, m.library, m.findings, &m.system);
	if (status == BXT_OK)
		status = bxt_initialize(m.system, &def, m.findings, &state);
	ck_assert_int_eq(status, BXT_ERR_MODEL);
	ck_assert_ptr_null(state);
	ck_assert(has_finding(&m, BXT_ERROR, words));
	model_free(&m);
}

START_TEST(test_contradictions)
{
	/* a third crank of 1.01 m: whoever finds it, it is m.c or what stands against it */
	check_contradiction(NETLIST(CRANKS("<constraint name='c' kind='position'>(x3-2)^2+y3^2-"
					   "1.0201</constraint>")),
			    "cannot be closed");
	check_contradiction(TWICE("=1+cos(t)"), "contradict");
}
END_TEST

/* When the finding says that something is left over: "... at t = 0.5 s". */
static double time_of_contradiction(model *m)
{
	for (size_t i = 0; i < bxt_diagnostics_count(m->findings, BXT_ERROR); i++) {
		const char *text = bxt_diagnostics_get(m->findings, i)->text;
		const char *at = strstr(text, "at t = ");
		if (strstr(text, "contradict") && at)
			return strtod(at + 7, NULL);
	}
	return -1;
}

static void check_later(const char *xml, double from, double to, const char *who)
{
	model m = {.findings = bxt_diagnostics_new()};
	const char *path = getenv("BOXTIMES_PATH");
	m.library = bxt_library_new(&path, 1, m.findings);
	ck_assert_int_eq(
		bxt_netlist_read_memory(xml, strlen(xml), "wrong.xml", m.findings, &m.netlist),
		BXT_OK);
	ck_assert_int_eq(bxt_system_compile(m.netlist, m.library, m.findings, &m.system),
			 BXT_ERR_MODEL);
	const double t = time_of_contradiction(&m);
	ck_assert_msg(t > from && t <= to, "%s: left over at %g", xml, t);
	ck_assert(has_finding(&m, BXT_ERROR, who));
	model_free(&m);
}

#define SOURCES(simulation, one, other)                                                            \
	NETLIST(simulation "<current-source id='I1' p='0' n='a' I='" one "'/>"                     \
			   "<current-source id='I2' p='a' n='0' I='" other "'/>")

/* What agrees at the start and not later is refused before the run, with a time where it does not:
 * for a moment, at its end, in a netlist's own span. */
START_TEST(test_later_contradictions)
{
	char xml[sizeof TWICE("") + 64];
	for (int k = 1; k < 10; k++) {
		const double from = 0.1 * k;
		snprintf(xml, sizeof xml, TWICE("=1+sin(t)+max(0,t-%.2f)"), from);
		check_later(xml, from, 1, "d.second");
		/* a bump of 0.05 s: samples are 1/64 s apart */
		snprintf(xml, sizeof xml, TWICE("=1+sin(t)+max(0,25e-6-(t-%.3f)^2/25)"), from);
		check_later(xml, from - 0.025, from + 0.025, "d.second");
	}
	check_later(SOURCES("", "=sin(t)", "=sin(t)+1e-9*t"), 0, 1, "I2");
	check_later(
		SOURCES("<simulation step='0.01 s' end='20 s'/>", "=sin(t)", "=sin(t)+max(0,t-15)"),
		15, 20, "I2");
	/* and what agrees is left alone, whatever its round-off */
	model m = model_of_text(SOURCES("", "=sin(t)^2", "=1-cos(t)^2"));
	model_free(&m);
}
END_TEST

/*
 * Positions that agree at the start, with their flows, and part later: a third crank that grows
 * from t = 0.3 s on. No step can meet it and the bar, so the run ends with what is at odds; it does
 * not go on with a crank that is torn off.
 */
START_TEST(test_parting_positions)
{
	static const char parting[] = NETLIST(
		"<parameter name='th' unit='rad' default='-0.8 rad'/>"
		"<parameter name='w' default='0'/>"
		"<component xmlns='urn:boxtimes:component:1' name='cranks'>"
		"<parameter name='l' unit='m' time='true'/>" POINT(1) POINT(2) POINT(
			3) "<lagrangian>(u1^2+v1^2+u2^2+v2^2+u3^2+v3^2)/2 - "
			   "9.81*(y1+y2+y3)</lagrangian>"
			   "<constraint name='a' kind='position'>x1^2+y1^2-1</constraint>"
			   "<constraint name='b' kind='position'>(x2-1)^2+y2^2-1</constraint>" THIRD
			   "<constraint name='d' kind='position'>(x2-x1)^2+(y2-y1)^2-1</constraint>"
			   "<constraint name='e' kind='position'>x1+x3-2*x2</constraint>"
			   "<constraint name='f' "
			   "kind='position'>y1+y3-2*y2</constraint></component>"
			   "<cranks id='m' l='=1+max(0,t-0.3)' x1='=cos(th)' y1='=sin(th)' "
			   "x2='=1+cos(th)' "
			   "y2='=sin(th)' x3='=2+cos(th)' y3='=sin(th)'/>");
	for (int i = 0; i < 2; i++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = 0.01,
					 .end = 1,
					 .scheme = schemes[i],
					 .record = "energy"};
		bxt_state *state = NULL;
		model m = model_of_text(parting);
		ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_OK);
		bxt_table *t = bxt_table_new();
		bxt_sink sink;
		bxt_table_sink(t, &sink);
		const bxt_status status = bxt_run(m.system, state, &def, &sink, NULL, m.findings);
		ck_assert(status == BXT_ERR_NEWTON || status == BXT_ERR_SINGULAR);
		ck_assert(has_finding(&m, BXT_ERROR, "m.a"));
		ck_assert_uint_gt(bxt_table_rows(t), 29); /* as long as they agree */
		bxt_table_free(t);
		bxt_state_free(state);
		model_free(&m);
	}
}
END_TEST

/* ---- Memory ---- */

START_TEST(test_memory)
{
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.1, .end = 0.3, .record = "m.a.lambda"};
	model m = model_of_text(three);
	allocation_hook();
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_state *state = NULL;
		allocation_fail(n);
		bxt_status status = bxt_initialize(m.system, &def, m.findings, &state);
		if (status == BXT_OK)
			status = bxt_run(m.system, state, &def, NULL, NULL, m.findings);
		failed = allocation_failed();
		allocation_fail(-1);
		bxt_state_free(state);
		/* a failure is told, or it hit what a run can do without (a finding's text) */
		ck_assert(status == BXT_OK || (failed && status == BXT_ERR_MEMORY));
	}
	ck_assert_int_ge(n, 200); /* it did run through */
	model_free(&m);
}
END_TEST

/* Without inertia nothing before the step asks whether the flows can be met: rows that are parallel
 * at x = 1 alone, and there ask for u = 1 and u = 2. */
START_TEST(test_flows_apart_at_the_start)
{
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 1,
				 .scheme = "dirac+",
				 .constraint = "base"};
	model m = model_of_text(
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='led'>"
			"<coordinate name='x' unit='m' flow='u'/>"
			"<coordinate name='y' unit='m' flow='w'/>"
			"<lagrangian>-x^2/2 - y^2/2</lagrangian><rayleigh>u^2/2 + w^2/2</rayleigh>"
			"<constraint name='one' kind='flow'>u - 1</constraint>"
			"<constraint name='two' kind='flow'>x*u + (x - 1)*w - 2</constraint>"
			"</component><led id='a' x='1 m' u='1 m/s'/>"));
	bxt_state *state;
	ck_assert_int_eq(bxt_initialize(m.system, &def, m.findings, &state), BXT_ERR_MODEL);
	ck_assert(has_finding(&m, BXT_ERROR, "1 is left over of their flows"));
	model_free(&m);
}
END_TEST

TEST_SUITE("redundant")
{
	const test_case tests[] = {
		{"parallel bars", test_parallel_bars, .slow = true},
		{"moving start", test_moving_start},
		{"least norm", test_least_norm},
		{"imposed positions", test_imposed, .slow = true},
		{"prescribed twice", test_prescribed_twice},
		{"passes flat", test_passes_flat},
		{"starts flat", test_starts_flat},
		{"rests flat", test_rests_flat},
		{"contradictions", test_contradictions},
		{"later contradictions", test_later_contradictions},
		{"flows apart at the start", test_flows_apart_at_the_start},
		{"positions that part", test_parting_positions, .slow = true},
		{"memory", test_memory, .slow = true},
	};
	ADD_TESTS(tests);
}
