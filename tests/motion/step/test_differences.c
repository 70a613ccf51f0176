/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Forces of differences are evaluated as differences: n masses of 1 kg, tied by springs that are k
 * times as stiff as the one that holds the first, swing together as one of n kg, at 1/sqrt(n) rad/s
 * but for 1/k. Expanded, (1 + k) x - k y, the soft spring would be lost: 2.5e-6 of it at k = 1e12,
 * all of it at 1e18.
 */
#include "support/harness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COMPONENT(body)                                                                            \
	"<component xmlns='urn:boxtimes:component:1' name='chain'>" body "</component>"
#define MASS(x) "<coordinate name='" x "' unit='m' flow='v" x "'/>"
#define ONE                                                                                        \
	"<parameter name='m' unit='kg' default='1'/><parameter name='c' unit='N/m' default='1'/>"
#define STIFFNESS "<parameter name='k' unit='N/m' default='%1$g N/m'/>"

/* What is written, and the masses in it. */
static const struct {
	const char *name, *netlist;
	int masses;
	bool linear; /* else 1e12 is as stiff as Newton's method can do */
} models[] = {
	{"two in one component",
	 COMPONENT(ONE MASS("x") MASS("y") "<lagrangian>m*(vx^2 + vy^2)/2 - c*x^2/2 - "
					   "%1$g*(x - y)^2/2</lagrangian>") "<chain id='c' x='1' "
									    "y='1'/>",
	 2, true},
	{"a parameter",
	 COMPONENT(ONE STIFFNESS MASS("x") MASS("y") "<lagrangian>m*(vx^2 + vy^2)/2 - c*x^2/2 - "
						     "k*(x - y)^2/2</lagrangian>") "<chain id='c' "
										   "x='1' y='1'/>",
	 2, true},
	{"a square",
	 COMPONENT(ONE MASS("x")
			   MASS("y") "<lagrangian>m*(vx^2 + vy^2)/2 - c*x^2/2 - %1$g*(x - y)*(x - "
				     "y)/2</lagrangian>") "<chain id='c' x='1' y='1'/>",
	 2, true},
	{"sums of several",
	 COMPONENT(ONE MASS("x") MASS("y")
			   MASS("z") "<lagrangian>m*(vx^2 + vy^2 + vz^2)/2 - (c*x^2 + "
				     "%1$g*((x - y)^2 + 3*(y - z)^2 + (z - x)^2))/2"
				     "</lagrangian>") "<chain id='c' x='1' y='1' "
						      "z='1'/>",
	 3, true},
	{"differences of differences",
	 COMPONENT(ONE MASS("x") MASS("y")
			   MASS("z") "<lagrangian>m*(vx^2 + vy^2 + vz^2)/2 - c*x^2/2 - "
				     "%1$g*(((x - y) - (y - z))^2 + ((x - y) + (x - "
				     "z))^2)/2</lagrangian>") "<chain id='c' x='1' "
							      "y='1' z='1'/>",
	 3, true},
	{"a law that is not linear",
	 COMPONENT(ONE MASS("x")
			   MASS("y") "<lagrangian>m*(vx^2 + vy^2)/2 - c*x^2/2 - %1$g*((x - y)^2 + "
				     "(x - y)^4)/2</lagrangian>") "<chain id='c' x='1' "
								  "y='1'/>",
	 2, false},
	{"rotation at nodes",
	 COMPONENT("<parameter name='c' unit='N.m' default='1'/><port name='a' kind='rotational'/>"
		   "<port name='b' kind='rotational'/><lagrangian>-c*a.theta^2/2 - %1$g*(a.theta - "
		   "b.theta)^2/2</lagrangian>") "<chain id='c' a='a' b='b'/><inertia id='A' a='a' "
						"J='1'/><inertia id='B' a='b' J='1'/>"
						"<node id='a' kind='rotational' theta='1'/><node "
						"id='b' kind='rotational' theta='1'/>",
	 2, true},
};

/* One step of h turns the phase by this much: the diagonal Pade approximations of exp(i w h). */
static double turned(const char *scheme, double wh)
{
	if (strcmp(scheme, "gauss3") == 0)
		return 2 * atan2(wh / 2 - wh * wh * wh / 120, 1 - wh * wh / 10);
	if (strcmp(scheme, "gauss2") == 0)
		return 2 * atan2(wh / 2, 1 - wh * wh / 12);
	return 2 * atan(wh / 2);
}

static const char *const schemes[] = {"gauss1", "gauss2", "gauss3",
				      "dirac+", "theta",  "discrete-gradient"};
static const double stiffness[] = {1e12, 1e15, 1e18};

/*
 * Carried momenta keep the round-off of each step. Newton's method halves a few steps whose
 * residual is round-off of the stiff spring, which turns the phase by less than a millionth.
 */
static double tolerance(const char *scheme, bool linear)
{
	return linear ? strcmp(scheme, "dirac+") == 0 ? 1e-11 : 1e-12 : 1e-6;
}

/* After 10 s, to the 1/k that the closed form leaves and the round-off of 1000 steps. */
START_TEST(swing_together)
{
	const int kind = _i / COUNT(schemes);
	const char *scheme = schemes[_i % COUNT(schemes)];
	const double h = 0.01;
	for (int i = 0; i < (models[kind].linear ? COUNT(stiffness) : 1); i++) {
		char body[2000], netlist[2400];
		snprintf(body, sizeof body, models[kind].netlist, stiffness[i]);
		snprintf(netlist, sizeof netlist, NETLIST("%s"), body);
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .scheme = scheme,
					 .step = h,
					 .end = 10,
					 .every = 1000,
					 .record = kind == COUNT(models) - 1
							   ? "node(a).theta, node(b).theta"
							   : "c.x, c.y"};
		bxt_table *t = run_text(netlist, &def);
		const double expected =
			cos(1000 * turned(scheme, h / sqrt((double)models[kind].masses)));
		for (size_t column = 0; column < 2; column++)
			ck_assert_msg(fabs(bxt_table_value(t, 1, column) - expected) <=
					      tolerance(scheme, models[kind].linear) +
						      10 / stiffness[i],
				      "%s, %s, %g: %.17g, not %.17g", models[kind].name, scheme,
				      stiffness[i], bxt_table_value(t, 1, column), expected);
		bxt_table_free(t);
	}
}
END_TEST

TEST_SUITE("differences")
{
	const test_case tests[] = {
		{"stiff and soft springs", swing_together, .loops = COUNT(models) * COUNT(schemes)},
	};
	ADD_TESTS(tests);
}
