/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bridges between bodies in the plane and parts of one dimension: hinges with shafts, rods with
 * lengths, gears, forces by signals. Motions are held to those in minimal coordinates: figures of
 * scipy 1.10 (solve_ivp, DOP853, rtol = 1e-13) on equations that sympy 1.11 derives from energies,
 * closed forms, and the same model of other parts.
 */
#include "support/harness.h"

#include "ground/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* ---- Figures in minimal coordinates ---- */

/*
 * Two links: a motor with a gear turns the first on wall; spring and damper sit at the shaft of the
 * elbow; a rod from wall to the second has a spring, a damper and a mass. Minimal coordinates: the
 * angles of both links and the charge.
 */
#define TWO_LINKS                                                                                  \
	NETLIST("<voltage-source id='V' p='in' n='0' e='=12*sin(3*t)'/>"                           \
		"<dc-motor id='M' p='in' n='0' shaft='rotor' La='20 mH' Ra='0.8 ohm' "             \
		"k='0.05 V.s/rad' J='2e-4 kg.m2' c='1e-4 N.m.s/rad'/>"                             \
		"<gear id='G' a='rotor' b='shoulder' ratio='20'/>"                                 \
		"<node id='one' kind='planar' x='=0.3*cos(0.4)' y='=0.3*sin(0.4)' "                \
		"theta='0.4 rad'/>"                                                                \
		"<node id='two' kind='planar' theta='0.9 rad' "                                    \
		"x='=0.6*cos(0.4) + 0.2*cos(0.9) - 0.05*sin(0.9)' "                                \
		"y='=0.6*sin(0.4) + 0.2*sin(0.9) + 0.05*cos(0.9)'/>"                               \
		"<rigid-body id='B1' a='one' m='2 kg' J='0.06 kg.m2' g='9.81 m/s2'/>"              \
		"<rigid-body id='B2' a='two' m='1.5 kg' J='0.05 kg.m2' g='9.81 m/s2'/>"            \
		"<motor-revolute id='H1' a='wall' b='one' shaft='shoulder' bx='-0.3 m'/>"          \
		"<motor-revolute id='H2' a='one' b='two' shaft='elbow' ax='0.3 m' bx='-0.2 m' "    \
		"by='-0.05 m' theta0='0.3 rad'/>"                                                  \
		"<torsion-spring id='K' a='wall' b='elbow' k='3 N.m/rad' theta0='0.2 rad'/>"       \
		"<rotational-damper id='C' a='wall' b='elbow' c='0.1 N.m.s/rad'/>"                 \
		"<line-actuator id='A' a='wall' b='two' rod='rod' ax='-0.3 m' ay='0.4 m' "         \
		"bx='0.25 m' by='0.1 m' l0='0.5 m'/>"                                              \
		"<spring id='S' a='wall' b='rod' k='80 N/m' l0='0.05 m'/>"                         \
		"<damper id='D' a='wall' b='rod' c='6 N.s/m'/><mass id='W' a='rod' m='0.4 kg'/>")

/* A bar on a pin, and a block that slides along it against a spring and a damper. */
#define BAR_AND_BLOCK                                                                              \
	NETLIST("<node id='one' kind='planar' x='=0.3*cos(0.3)' y='=0.3*sin(0.3)' "                \
		"theta='0.3 rad' vx='=-1.5*sin(0.3)' vy='=1.5*cos(0.3)' omega='5 rad/s'/>"         \
		"<node id='two' kind='planar' x='0.7227524274072255 m' y='0.34871371624717074 m' " \
		"theta='0.4 rad' vx='-1.7435685812358537 m/s' vy='3.6137621370361273 m/s' "        \
		"omega='5 rad/s'/>"                                                                \
		"<rigid-body id='B1' a='one' m='2 kg' J='0.3 kg.m2' g='9.81 m/s2'/>"               \
		"<rigid-body id='B2' a='two' m='1 kg' J='0.02 kg.m2' g='9.81 m/s2'/>"              \
		"<pin id='P' a='one' ax='-0.3 m'/>"                                                \
		"<rail-prismatic id='A' a='one' b='two' rod='rod' ay='0.05 m' alpha='0.2 rad' "    \
		"bx='-0.1 m' by='0.02 m' theta0='0.1 rad' x0='0.4 m'/>"                            \
		"<spring id='S' a='wall' b='rod' k='30 N/m'/>"                                     \
		"<damper id='D' a='wall' b='rod' c='0.5 N.s/m'/>")

enum { SIGNALS = 6 };

static const struct motion {
	const char *xml;
	double end, step; /* of the coarser run with gauss2; gauss1 has half, gauss3 twice that */
	struct {
		const char *name;
		double value;
	} at_end[SIGNALS];
} motions[] = {
	{TWO_LINKS,
	 1,
	 0.005,
	 {{"node(one).theta", 0.01154697379521515},
	  {"node(two).theta", 1.8218262660815334},
	  {"node(one).omega", -0.048691560254588574},
	  {"node(two).omega", 0.6832222890441567},
	  {"M.i", 3.0122209144454866},
	  {"node(rod).x", 0.14290472169951873}}},
	{BAR_AND_BLOCK,
	 1.5,
	 0.01,
	 {{"node(one).theta", 5.171542824204909},
	  {"node(rod).x", 0.6876581216057448},
	  {"node(one).omega", 3.6641479146672813},
	  {"node(rod).v", -3.7290441191661}}},
};

static const struct {
	const char *scheme;
	double times, order;
} gauss[] = {{"gauss1", 0.5, 2}, {"gauss2", 1, 4}, {"gauss3", 2, 6}};

/* The largest error of a signal at the end. */
static double error_of(const struct motion *o, const char *scheme, double step)
{
	bxt_buffer record = {0};
	for (int i = 0; i < SIGNALS && o->at_end[i].name; i++)
		bxt_buffer_printf(&record, "%s%s", i ? ", " : "", o->at_end[i].name);
	bxt_table *t = run_text(o->xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
						       .scheme = scheme,
						       .step = step,
						       .end = o->end,
						       .record = record.text});
	double worst = 0;
	for (int i = 0; i < SIGNALS && o->at_end[i].name; i++)
		worst = fmax(worst, fabs(last_value(t, o->at_end[i].name) - o->at_end[i].value));
	bxt_table_free(t);
	bxt_buffer_free(&record);
	return worst;
}

/* Errors fall by 2^order where the step is halved. */
START_TEST(orders)
{
	const struct motion *o = &motions[_i / COUNT(gauss)];
	const int k = _i % COUNT(gauss);
	const double h = o->step * gauss[k].times;
	const double coarse = error_of(o, gauss[k].scheme, h);
	const double fine = error_of(o, gauss[k].scheme, h / 2);
	const double order = log2(coarse / fine);
	if (getenv("BXT_TESTS_TELL"))
		printf("%d, %s: %.3g, %.3g, order %.2f\n", _i / COUNT(gauss), gauss[k].scheme,
		       coarse, fine, order);
	ck_assert_msg(fabs(order - gauss[k].order) < 0.35, "%s: %.3g, then %.3g: order %.2f",
		      gauss[k].scheme, coarse, fine, order);
	ck_assert_double_lt(fine, 1e-3);
}
END_TEST

/* ---- Energy ---- */

/* The two links without motor and dampers: schemes that keep energy do, the others balance it. */
START_TEST(energy)
{
	static const char xml[] = NETLIST(
		"<node id='one' kind='planar' x='=0.3*cos(0.4)' y='=0.3*sin(0.4)' "
		"theta='0.4 rad'/>"
		"<node id='two' kind='planar' theta='0.9 rad' "
		"x='=0.6*cos(0.4) + 0.2*cos(0.9)' y='=0.6*sin(0.4) + 0.2*sin(0.9)'/>"
		"<rigid-body id='B1' a='one' m='2 kg' J='0.06 kg.m2' g='9.81 m/s2'/>"
		"<rigid-body id='B2' a='two' m='1.5 kg' J='0.05 kg.m2' g='9.81 m/s2'/>"
		"<pin id='H1' a='one' ax='-0.3 m'/>"
		"<motor-revolute id='H2' a='one' b='two' shaft='elbow' ax='0.3 m' bx='-0.2 m'/>"
		"<inertia id='J' a='elbow' J='0.02 kg.m2'/>"
		"<torsion-spring id='K' a='wall' b='elbow' k='3 N.m/rad'/>"
		"<line-actuator id='A' a='one' b='two' rod='rod' ay='0.4 m' bx='0.25 m' "
		"l0='0.5 m'/><spring id='S' a='wall' b='rod' k='80 N/m'/>"
		"<mass id='W' a='rod' m='0.4 kg'/>");
	static const struct {
		const char *scheme;
		double share; /* of the kinetic energy that the motion reaches, about 10 J */
	} schemes[] = {{"discrete-gradient", 1e-11}, {"gauss1", 1e-2}, {"gauss3", 1e-9}};
	for (int k = 0; k < COUNT(schemes); k++) {
		bxt_table *t = run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
							    .scheme = schemes[k].scheme,
							    .step = 0.005,
							    .end = 10,
							    .record = "energy, node(one).omega"});
		double moved = 0;
		for (size_t r = 0; r < bxt_table_rows(t); r++)
			moved = fmax(moved,
				     fabs(value_at(t, r, "energy") - value_at(t, 0, "energy")));
		ck_assert_double_gt(largest(t, "node(one).omega"), 1); /* it swings */
		ck_assert_msg(moved <= 10 * schemes[k].share, "%s: energy moves by %.3g J",
			      schemes[k].scheme, moved);
		bxt_table_free(t);
	}
}
END_TEST

/* ---- The same of other parts ---- */

#define FREE_BODIES                                                                                \
	"<node id='a' kind='planar' x='0.31 m' y='-0.42 m' theta='0.73 rad' vx='-0.64 m/s'/>"      \
	"<node id='b' kind='planar' x='1.94 m' y='0.85 m' theta='-1.26 rad' omega='0.4 rad/s'/>"   \
	"<rigid-body id='A' a='a' m='2 kg' J='0.3 kg.m2'/>"                                        \
	"<rigid-body id='B' a='b' m='1 kg' J='0.2 kg.m2'/>"
#define ENDS " ax='0.2 m' ay='0.3 m' bx='-0.5 m' by='0.7 m' "
#define JOINED                                                                                     \
	"<node id='b' kind='planar' x='0.5 m'/>"                                                   \
	"<rigid-body id='A' a='a' m='2 kg' J='0.3 kg.m2'/>"                                        \
	"<rigid-body id='B' a='b' m='1 kg' J='0.2 kg.m2'/><pin id='P' a='a'/>"

static const struct {
	const char *what, *one, *other;
} twins[] = {
	{"a force in a rod and along a line",
	 NETLIST(FREE_BODIES "<line-actuator id='L' a='a' b='b' rod='r'" ENDS "/>"
			     "<force id='F' a='wall' b='r' f='=3*sin(5*t)'/>"),
	 NETLIST(FREE_BODIES "<line-force id='L' a='a' b='b'" ENDS "f='=3*sin(5*t)'/>")},
	{"a force along a line by a signal",
	 NETLIST(FREE_BODIES "<line-force-actuator id='L' a='a' b='b'" ENDS "K='3'/>"
			     "<signal to='L.u'>sin(5*t)</signal>"),
	 NETLIST(FREE_BODIES "<line-force id='L' a='a' b='b'" ENDS "f='=3*sin(5*t)'/>")},
	{"a torque by a signal",
	 NETLIST(FREE_BODIES "<joint-torque-actuator id='T' a='a' b='b' K='2'/>"
			     "<signal to='T.u'>cos(4*t)</signal>"),
	 NETLIST(FREE_BODIES "<point-torque id='T' a='a' b='b' tau='=2*cos(4*t)'/>")},
	{"a force on a point by signals",
	 NETLIST(FREE_BODIES "<body-force-actuator id='F' a='b' K='2' ax='0.2 m' ay='0.3 m'/>"
			     "<signal to='F.u'>cos(4*t)</signal><signal to='F.w'>t</signal>"),
	 NETLIST(FREE_BODIES "<body-force id='F' a='b' ax='0.2 m' ay='0.3 m' fx='=2*cos(4*t)' "
			     "fy='=2*t'/>")},
	{"a torque on the shaft of a hinge and on the bodies",
	 NETLIST(JOINED "<motor-revolute id='H' a='a' b='b' shaft='s' ax='0.2 m' bx='-0.3 m'/>"
			"<torque id='T' a='wall' b='s' tau='2 N.m'/>"),
	 NETLIST(JOINED "<revolute id='H' a='a' b='b' ax='0.2 m' bx='-0.3 m'/>"
			"<point-torque id='T' a='a' b='b' tau='2 N.m'/>")},
	{"a shaft beside a hinge, and on it",
	 NETLIST(JOINED "<motor-revolute id='H' a='a' b='b' shaft='s' ax='0.2 m' bx='-0.3 m'/>"
			"<inertia id='J' a='s' J='0.1 kg.m2'/>"
			"<torque id='T' a='wall' b='s' tau='2 N.m'/>"),
	 NETLIST(JOINED "<revolute id='H' a='a' b='b' ax='0.2 m' bx='-0.3 m'/>"
			"<joint-shaft id='S' a='a' b='b' shaft='s'/>"
			"<inertia id='J' a='s' J='0.1 kg.m2'/>"
			"<torque id='T' a='wall' b='s' tau='2 N.m'/>")},
};

START_TEST(other_parts)
{
	static const char *const names[] = {"node(a).theta", "node(b).x", "node(b).y",
					    "node(b).theta"};
	bxt_run_def def = {.size = sizeof def,
			   .scheme = "gauss3",
			   .step = 0.01,
			   .end = 1,
			   .record = "node(a).theta, node(b).x, node(b).y, node(b).theta"};
	bxt_table *one = run_text(twins[_i].one, &def), *other = run_text(twins[_i].other, &def);
	double moved = 0;
	for (int k = 0; k < COUNT(names); k++) {
		const double off = difference(one, names[k], other, names[k]);
		moved = fmax(moved, fabs(last_value(one, names[k]) - value_at(one, 0, names[k])));
		ck_assert_msg(off <= 1e-11, "%s: %s differs by %.3g", twins[_i].what, names[k],
			      off);
	}
	ck_assert_double_gt(moved, 0.1);
	bxt_table_free(one);
	bxt_table_free(other);
}
END_TEST

/* ---- Gears ---- */

/* Wheel a on a pin, wheel b on what carries it: an arm on a pin, or a massless rod. */
#define WHEEL_A                                                                                    \
	"<rigid-body id='A' a='a' m='2 kg' J='0.3 kg.m2'/><pin id='Pa' a='a'/>"                    \
	"<rigid-body id='B' a='b' m='1 kg' J='0.02 kg.m2'/>"                                       \
	"<point-torque id='T' a='wall' b='a' tau='2 N.m'/>"
#define ARM(x, half)                                                                               \
	WHEEL_A "<node id='b' kind='planar' x='" x "'/><node id='c' kind='planar' x='" half "'/>"  \
		"<rigid-body id='C' a='c' m='1 kg' J='0.05 kg.m2'/><pin id='Pc' a='c' ax='-" half  \
		"'/><revolute id='R' a='c' b='b' ax='" half "'/>"                                  \
		"<point-torque id='Tc' a='wall' b='c' tau='-0.5 N.m'/>"

static const struct gears {
	const char *what, *xml;
	double ra, rb;
	double arm, torque; /* inertia of the arm about its pin [kg m2], torque on it [N m] */
} gears[] = {
	{"wheels on an arm",
	 NETLIST(ARM("0.5 m", "0.25 m") "<gear-mesh id='G' a='a' b='b' ra='0.3 m' rb='0.2 m'/>"),
	 0.3, 0.2, 0.05 + 0.0625, -0.5},
	{"a wheel in a ring",
	 NETLIST(ARM("0.2 m", "0.1 m") "<gear-mesh id='G' a='a' b='b' ra='0.3 m' rb='-0.1 m'/>"),
	 0.3, -0.1, 0.05 + 0.01, -0.5},
	{"wheels on a rod",
	 NETLIST(WHEEL_A "<node id='b' kind='planar' x='0.5 m'/>"
			 "<rod id='R' a='wall' b='b' l='0.5 m'/>"
			 "<gear-mesh id='G' a='a' b='b' ra='0.3 m' rb='0.2 m'/>"),
	 0.3, 0.2, 0, 0},
	{"a planetary gear",
	 NETLIST(ARM("0.5 m", "0.25 m") "<planetary-gear id='G' carrier='c' a='a' b='b' "
					"ratio='=-0.2/0.3'/>"),
	 0.3, 0.2, 0.05 + 0.0625, -0.5},
	{"a planetary gear with a ring",
	 NETLIST(ARM("0.2 m", "0.1 m") "<planetary-gear id='G' carrier='c' a='a' b='b' "
				       "ratio='=0.1/0.3'/>"),
	 0.3, -0.1, 0.05 + 0.01, -0.5},
};

/*
 * rb omega_b = r Omega - ra omega_a, r = ra + rb; with it T is quadratic in (omega_a, Omega) with
 * constant coefficients, so that angles are alpha t^2/2. In 4 s they are several turns.
 */
START_TEST(gear_trains)
{
	const struct gears *g = &gears[_i];
	const double r = g->ra + g->rb, Jb = 0.02, mb = 1;
	const double aa = 0.3 + Jb * pow(g->ra / g->rb, 2), ac = -Jb * g->ra * r / pow(g->rb, 2);
	const double cc = g->arm + mb * r * r + Jb * pow(r / g->rb, 2), det = aa * cc - ac * ac;
	const double a = 8 * (cc * 2 - ac * g->torque) / det;
	const double c = 8 * (aa * g->torque - ac * 2) / det, b = (r * c - g->ra * a) / g->rb;
	bxt_table *t = run_text(g->xml,
				&(bxt_run_def){.size = sizeof(bxt_run_def),
					       .scheme = "gauss2",
					       .step = 0.01,
					       .end = 4,
					       .record = "node(a).theta, node(b).theta, node(b).x, "
							 "node(b).y"});
	ck_assert_double_gt(fabs(b), 4 * PI);
	ck_assert_msg(fabs(last_value(t, "node(a).theta") - a) < 1e-6 * fabs(a),
		      "%s: %.12g, right %.12g", g->what, last_value(t, "node(a).theta"), a);
	ck_assert_msg(fabs(last_value(t, "node(b).theta") - b) < 1e-6 * fabs(b),
		      "%s: %.12g, right %.12g", g->what, last_value(t, "node(b).theta"), b);
	/* whatever the errors of the step are, teeth do not slip */
	const double line = atan2(last_value(t, "node(b).y"), last_value(t, "node(b).x"));
	const double slip = remainder(g->ra * last_value(t, "node(a).theta") +
					      g->rb * last_value(t, "node(b).theta") - r * line,
				      2 * PI * r);
	ck_assert_double_le(fabs(slip), 1e-11);
	bxt_table_free(t);
}
END_TEST

/* A rotor that a constant torque turns against a body: the shaft counts turns, either way. */
START_TEST(turns)
{
	static const double tau[] = {3, -3};
	for (int k = 0; k < COUNT(tau); k++) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(&xml,
				  NETLIST("<rigid-body id='B' a='b' m='1 kg' J='0.2 kg.m2'/>"
					  "<motor-revolute id='H' a='wall' b='b' shaft='s' "
					  "theta0='0 rad'/><inertia id='J' a='s' J='0.1 kg.m2'/>"
					  "<torque id='T' a='wall' b='s' tau='%g N.m'/>"),
				  tau[k]);
		bxt_table *t = run_text(xml.text,
					&(bxt_run_def){.size = sizeof(bxt_run_def),
						       .step = 0.01,
						       .end = 4,
						       .record = "node(s).theta, node(b).theta"});
		const double angle = tau[k] / 0.3 * 8; /* 12.7 turns */
		ck_assert_double_eq_tol(last_value(t, "node(s).theta"), angle, 1e-10);
		ck_assert_double_eq_tol(last_value(t, "node(b).theta"), angle, 1e-10);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
}
END_TEST

TEST_SUITE("planar bridges")
{
	const test_case tests[] = {
		{"orders", orders, .loops = COUNT(motions) * COUNT(gauss), .slow = true},
		{"energy", energy, .slow = true},
		{"other parts", other_parts, .loops = COUNT(twins)},
		{"gear trains", gear_trains, .loops = COUNT(gears)},
		{"turns", turns},
	};
	ADD_TESTS(tests);
}
