/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Impacts on bodies that the time moves, with friction, against Newton's law of restitution and
 * Coulomb's bound of the impulse along the ground; and the work of that motion in the ledger.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const schemes[] = {"gauss1", "gauss3", "radau2", "moreau"};

/* Schemes that end steps at events keep an impact's energy in one figure, that of who has it. */
static bool captures(const char *scheme)
{
	return strcmp(scheme, "moreau") == 0;
}

static const bxt_ledger_entry *component(const bxt_summary *s, const char *path)
{
	for (size_t i = 0; i < s->n_ledger; i++)
		if (strcmp(s->ledger[i].kind, "component") == 0 &&
		    strcmp(s->ledger[i].path, path) == 0)
			return &s->ledger[i];
	ck_abort_msg("no component %s", path);
	return NULL;
}

static void check(double value, double expected, double tolerance, const char *what,
		  const char *scheme)
{
	ck_assert_msg(fabs(value - expected) <= tolerance, "%s, %s: %.17g, not %.17g", scheme, what,
		      value, expected);
}

/* Ground at the height Y(t), which moves along itself with the speed U. */
#define GROUND                                                                                     \
	"<component xmlns='urn:boxtimes:component:1' name='moving-ground' domain='planar'>"        \
	"<parameter name='Y' unit='m' time='true'/>"                                               \
	"<parameter name='U' unit='m/s' default='0 m/s'/>"                                         \
	"<parameter name='e' unit='1' default='0'/><parameter name='mu' unit='1' default='0'/>"    \
	"<port name='a' kind='planar'/>"                                                           \
	"<constraint name='press' kind='position' side='above' restitution='e'>a.y - Y"            \
	"</constraint>"                                                                            \
	"<constraint name='rub' kind='flow' friction-of='press' mu='mu'>a.vx - U</constraint>"     \
	"</component>"

/* ---- Ground that carries ---- */

/*
 * A mass on ground at the height A sin(w t), which it never leaves, A w^2 < g: its energy is
 * E = m (A w cos(w t))^2/2 + m g A sin(w t).
 */
static const double CARRIED = 2, HEIGHT = 0.03, TURN = 5, GRAVITY = 9.81;
#define CARRIED_MASS                                                                               \
	NETLIST(GROUND "<point-mass id='M' a='b' m='2 kg' g='9.81 m/s2'/>"                         \
		       "<moving-ground id='F' a='b' Y='=0.03*sin(5*t)'/>"                          \
		       "<node id='b' kind='planar' y='0 m'/><record>node(b).y</record>")

static double energy_at(double t)
{
	const double v = HEIGHT * TURN * cos(TURN * t), y = HEIGHT * sin(TURN * t);
	return CARRIED * (v * v / 2 + GRAVITY * y);
}

static bxt_summary run_for_summary(const char *xml, const char *scheme, double step, double end)
{
	bxt_summary s = {.size = sizeof s};
	model m = model_of_text(xml);
	const bxt_run_def def = {
		.size = sizeof def, .scheme = scheme, .step = step, .end = end, .every = 1};
	bxt_table_free(model_run(&m, &def, &s));
	model_free(&m);
	const double most = fabs(s.total.start) + fabs(s.total.end) + fabs(s.total.supplied) +
			    fabs(s.total.dissipated) + fabs(s.total.impact) + s.energy_largest;
	const double numerical = s.taken.has_numerical ? s.taken.numerical : 0;
	check(s.total.residual, numerical, 1e-12 * most, "residual", scheme);
	return s;
}

/* The mass starts with the ground, which supplies all that its energy grows by. */
START_TEST(carried)
{
	static const struct {
		const char *scheme;
		double tolerance;
	} cases[] = {{"gauss1", 2e-4}, {"gauss2", 2e-9}, {"gauss3", 1e-12}, {"radau3", 1e-8}};
	const char *scheme = cases[_i].scheme;
	const double tolerance = cases[_i].tolerance;
	for (int k = 1; k <= 3; k++) { /* up, down, and up again */
		const double end = 0.3 * k, work = energy_at(end) - energy_at(0);
		bxt_summary s = run_for_summary(CARRIED_MASS, scheme, 0.01, end);
		check(s.total.end, energy_at(end), 1e-12, "energy", scheme);
		check(s.total.supplied, work, tolerance, "supplied", scheme);
		check(component(&s, "F")->supplied, work, tolerance, "supplied by F", scheme);
		check(component(&s, "F")->through, -work, tolerance, "through F", scheme);
		check(s.total.impact, 0, tolerance, "impact", scheme);
		bxt_summary_free(&s);
	}
}
END_TEST

/*
 * With moreau it starts at rest, and the first step is an impact with the impulse m A w, to which
 * the ground supplies m (A w)^2; half of that is lost. All errors are of order 1: those of one
 * step and of half of it cancel but for order 2.
 */
START_TEST(carried_in_steps)
{
	const double impulse = CARRIED * HEIGHT * TURN, lost = impulse * impulse / 2 / CARRIED;
	for (int k = 1; k <= 3; k++) {
		const double end = 0.3 * k, h = 1e-3;
		const double work = 2 * lost + energy_at(end) - energy_at(0);
		bxt_summary s[2];
		double off[2];
		for (int i = 0; i < 2; i++) {
			s[i] = run_for_summary(CARRIED_MASS, "moreau", i ? h / 2 : h, end);
			off[i] = s[i].total.supplied - work;
			check(component(&s[i], "F")->supplied, s[i].total.supplied, 1e-14,
			      "supplied by F", "moreau");
			check(component(&s[i], "F")->through,
			      -s[i].total.supplied - s[i].total.impact, 1e-14, "through F",
			      "moreau");
		}
		ck_assert_double_le(fabs(off[0]), 2 * GRAVITY * impulse * h);
		check(2 * off[1] - off[0], 0, 1e-2 * lost, "supplied", "moreau");
		check(2 * s[1].total.impact - s[0].total.impact, -lost, 1e-2 * lost, "impact",
		      "moreau");
		check(2 * s[1].total.end - s[0].total.end, energy_at(end), 1e-2 * lost, "energy",
		      "moreau");
		bxt_summary_free(&s[0]);
		bxt_summary_free(&s[1]);
	}
}
END_TEST

/*
 * What runs with U takes a mass of 2 kg along with 4 N, its bound or friction's, which supplies
 * 4 N U until the mass has U at 0.3 s; what it loses is 4 N times the way that it slips.
 */
static const char *const runs[] = {
	NETLIST(GROUND "<point-mass id='M' a='b' m='2 kg' g='8 m/s2'/>"
		       "<moving-ground id='F' a='b' Y='0 m' U='0.6 m/s' mu='0.25'/>"
		       "<node id='b' kind='planar' y='0 m'/><record>node(b).vx</record>"),
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='grip' domain='translational'>"
		"<parameter name='U' unit='m/s'/><port name='a' kind='translational'/>"
		"<constraint name='rub' kind='flow' min='-4' max='4'>a.v - "
		"U</constraint></component>"
		"<mass id='M' a='b' m='2 kg'/><grip id='F' a='b' U='0.6 m/s'/>"
		"<record>node(b).v</record>")};

START_TEST(taken_along)
{
	const char *scheme = schemes[_i % (int)COUNT(schemes)];
	const double U = 0.6, force = 4, a = 2;
	for (int k = 0; k < 2; k++)
		for (int j = 1; j <= 5; j++) {
			const double end = 0.1 * j, t = fmin(end, 0.3);
			bxt_summary s = run_for_summary(runs[k], scheme, 0.01, end);
			check(component(&s, "F")->supplied, force * U * t, 1e-12, "supplied",
			      scheme);
			check(component(&s, "F")->dissipated, force * (U * t - a * t * t / 2),
			      1e-12, "dissipated", scheme);
			check(component(&s, "F")->through, -force * a * t * t / 2, 1e-12, "through",
			      scheme);
			check(s.total.end, a * a * t * t, 1e-12, "energy", scheme);
			bxt_summary_free(&s);
		}
}
END_TEST

/* ---- Ground that strikes ---- */

/*
 * Ground that rises with u, and runs with U, meets a mass of 1.5 kg without weight: the impulse is
 * P = m (1 + e) w by the speed w of approach, and that along the ground mu P at most, or what stops
 * the mass on it. All speeds are exact in any step; the ground supplies P u, and what rubs U.
 */
#define STRUCK_AT 0.31
#define STRUCK                                                                                     \
	NETLIST(GROUND "<point-mass id='M' a='b' m='1.5 kg'/>"                                     \
		       "<moving-ground id='F' a='b' Y='=0.7*t' U='%g m/s' e='%g' mu='%g'/>"        \
		       "<node id='b' kind='planar' y='0.31 m' vx='%g m/s' vy='-3 m/s'/>"           \
		       "<record>node(b).vx, node(b).vy, node(b).y</record>")

static const struct {
	double U, e, mu, vx;
} strikes[] = {
	{0.5, 0.4, 0, 2},    {0.5, 0.4, 0.1, 2},
	{0.5, 0.4, 0.4, 2}, /* frictionless, slips, sticks */
	{0.5, 0.4, 0.1, -2}, {0.5, 0.4, 0.4, -2},
	{0.5, 0.4, 0.5, -2},                     /* slips twice, sticks */
	{0.5, 0.9, 0.3, 2},  {0.5, 0.1, 0.3, 2}, /* e decides */
	{0, 0.4, 0.1, 1},    {0, 0.4, 0.1, -1},
	{0, 0.4, 0.3, -1},
};

START_TEST(strikes_obliquely)
{
	const char *scheme = schemes[_i % (int)COUNT(schemes)];
	const double m = 1.5, u = 0.7, down = 3, w = u + down, end = 0.2, step = 0.01;
	for (size_t k = 0; k < COUNT(strikes); k++) {
		const double U = strikes[k].U, e = strikes[k].e, slip = strikes[k].vx - U;
		const double P = m * (1 + e) * w, most = strikes[k].mu * P / m;
		const double left = fabs(slip) > most ? copysign(fabs(slip) - most, slip) : 0;
		const double along = m * (left - slip);
		const double rubbed = -along * (slip + left) / 2,
			     lost = m * (1 - e * e) * w * w / 2;
		const double up = u + e * w, hit = STRUCK_AT / w;
		const double before = m * (strikes[k].vx * strikes[k].vx + down * down) / 2;
		const double after = m * ((U + left) * (U + left) + up * up) / 2;
		char xml[2048];
		snprintf(xml, sizeof xml, STRUCK, U, e, strikes[k].mu, strikes[k].vx);
		model model = model_of_text(xml);
		bxt_summary s = {.size = sizeof s};
		const bxt_run_def def = {
			.size = sizeof def, .scheme = scheme, .step = step, .end = end, .every = 1};
		bxt_table *t = model_run(&model, &def, &s);
		check(last_value(t, "node(b).vx"), U + left, 1e-12, "vx", scheme);
		check(last_value(t, "node(b).vy"), up, 1e-12, "vy", scheme);
		check(last_value(t, "node(b).y"), u * hit + up * (end - hit),
		      captures(scheme) ? 2 * w * step : 1e-12, "y", scheme);
		check(s.total.end, after, 1e-11, "energy", scheme);
		if (captures(scheme)) {
			const double work = P * u + along * U;
			check(s.total.supplied, work, 1e-11, "supplied", scheme);
			check(s.total.impact, -lost, 1e-11, "impact", scheme);
			check(s.total.dissipated, rubbed, 1e-11, "dissipated", scheme);
			check(component(&s, "F")->through, lost + rubbed - work, 1e-11, "through F",
			      scheme);
		} else {
			check(s.total.impact, after - before, 1e-11, "impact", scheme);
			check(component(&s, "M")->impact, after - before, 1e-11, "impact of M",
			      scheme);
			ck_assert_int_eq(s.taken.at_states, 1);
		}
		bxt_summary_free(&s);
		bxt_table_free(t);
		model_free(&model);
	}
}
END_TEST

/*
 * A disk of the inertia m r^2/2 that does not turn yet: an impulse T along the ground changes the
 * speed of its rim by 3 T/m. The impulse across is m (1 + e) 2 m/s.
 */
#define DISK                                                                                       \
	NETLIST("<rigid-body id='M' a='b' m='2 kg' J='0.04 kg.m2'/>"                               \
		"<disk-contact id='S' a='b' r='0.2 m' e='0.5' mu='%g'/>"                           \
		"<node id='b' kind='planar' y='0.31 m' vx='%g m/s' vy='-2 m/s'/>"                  \
		"<record>node(b).vx, node(b).vy, node(b).omega</record>")

START_TEST(turns_a_disk)
{
	static const double mu[] = {0.2, 0.3, 0.35, 0.4}, vx[] = {3, -3};
	const char *scheme = schemes[_i % (int)COUNT(schemes)];
	for (size_t k = 0; k < COUNT(mu) * COUNT(vx); k++) {
		const double v = vx[k % 2], most = mu[k / 2] * 1.5 * 2;
		const double change = copysign(fmin(most, fabs(v) / 3), v); /* T/m */
		char xml[1024];
		snprintf(xml, sizeof xml, DISK, mu[k / 2], v);
		const bxt_run_def def = {
			.size = sizeof def, .scheme = scheme, .step = 0.01, .end = 0.2, .every = 1};
		bxt_table *t = run_text(xml, &def);
		check(last_value(t, "node(b).vx"), v - change, 1e-12, "vx", scheme);
		check(last_value(t, "node(b).omega"), -2 * change / 0.2, 1e-11, "omega", scheme);
		check(last_value(t, "node(b).vy"), 1, 1e-12, "vy", scheme);
		bxt_table_free(t);
	}
}
END_TEST

/*
 * A mass sticks to the ground, and another one hits it without friction along n = (c, -s), at the
 * speed w: the ground gives an impulse J s across and at most mu J s along. Where that is less than
 * J c the mass slips at c - mu s times J/m, and J = (1 + e) w/(1/M + c (c - mu s)/m).
 */
#define HIT                                                                                        \
	NETLIST("<component xmlns='urn:boxtimes:component:1' name='line' domain='planar'>"         \
		"<parameter name='c' unit='1'/><parameter name='s' unit='1'/>"                     \
		"<parameter name='e' unit='1'/><port name='a' kind='planar'/>"                     \
		"<port name='b' kind='planar'/>"                                                   \
		"<constraint name='press' kind='position' side='above' restitution='e'>"           \
		"(a.x - b.x)*c + (b.y - a.y)*s</constraint></component>"                           \
		"<point-mass id='A' a='a' m='2 kg' g='9.81 m/s2'/>"                                \
		"<ground-contact id='F' a='a' mu='%g'/><point-mass id='B' a='b' m='0.5 kg'/>"      \
		"<line id='L' a='a' b='b' c='%.17g' s='%.17g' e='0.3'/>"                           \
		"<node id='a' kind='planar' x='0 m' y='0 m'/>"                                     \
		"<node id='b' kind='planar' x='%.17g m' y='%.17g m' vx='%.17g m/s' "               \
		"vy='%.17g m/s'/><record>node(a).vx, node(b).vx, node(b).vy, F.rub.lambda"         \
		"</record>")

START_TEST(hits_what_sticks)
{
	static const double mu[] = {0, 0.2, 0.5, 0.9}, angles[] = {0, 0.6, 1, 3.14159 - 0.6};
	const char *scheme = schemes[_i % (int)COUNT(schemes)];
	const double m = 2, M = 0.5, e = 0.3, w = 4, hit = 0.0275, end = 0.05, step = 1e-3;
	for (size_t k = 0; k < COUNT(mu) * COUNT(angles); k++) {
		const double f = mu[k / COUNT(angles)], angle = angles[k % COUNT(angles)];
		const double c = cos(angle), s = sin(angle), side = copysign(1, c);
		const double left = fmax(fabs(c) - f * s, 0) * side; /* of J, along */
		const double J = (1 + e) * w / (1 / M + c * left / m);
		const double slides = fabs(J * left / m) - f * GRAVITY * (end - hit);
		const double close = captures(scheme) ? 0.02 : 1e-12;
		char xml[2048];
		snprintf(xml, sizeof xml, HIT, f, c, s, -w * hit * c, w * hit * s, w * c, -w * s);
		const bxt_run_def def = {
			.size = sizeof def, .scheme = scheme, .step = step, .end = end, .every = 1};
		bxt_table *t = run_text(xml, &def);
		ck_assert_double_eq(value_at_time(t, 0.02, "node(a).vx"), 0);
		check(last_value(t, "node(a).vx"), fmax(slides, 0) * side, close, "vx", scheme);
		check(last_value(t, "node(b).vx"), (w - J / M) * c, close, "vx of B", scheme);
		check(last_value(t, "node(b).vy"), -(w - J / M) * s, close, "vy of B", scheme);
		bxt_table_free(t);
	}
}
END_TEST

TEST_SUITE("impacts")
{
	const test_case tests[] = {
		{"carried", carried, .loops = 4},
		{"carried in steps", carried_in_steps},
		{"taken along", taken_along, .loops = COUNT(schemes)},
		{"strikes", strikes_obliquely, .loops = COUNT(schemes)},
		{"turns a disk", turns_a_disk, .loops = COUNT(schemes)},
		{"hits what sticks", hits_what_sticks, .loops = COUNT(schemes)},
	};
	ADD_TESTS(tests);
}
