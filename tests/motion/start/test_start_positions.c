/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The consistent start of positions: what is moved, by how much, what is not, and what is said when
 * no positions satisfy the constraints.
 */
#include "motion/step/stepper.h"
#include "support/allocation.h"
#include "support/harness.h"

#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Positions of order 1, closed to round-off of a row's few terms. */
static const double ROUND_OFF = 8 * DBL_EPSILON;
/* The nearest point is approached until a slide is 1e-8 of the whole move. */
static const double NEAREST = 1e-7;

#define COMPONENT "<component xmlns='urn:boxtimes:component:1' name="

#define MECHANICS                                                                                  \
	COMPONENT                                                                                  \
	"'point'><parameter name='m' unit='kg'/><port name='a' kind='translational'/>"             \
	"<lagrangian>m*a.v^2/2</lagrangian></component>" COMPONENT                                 \
	"'elastic'><parameter name='k' unit='N/m'/><port name='a' kind='translational'/>"          \
	"<port name='b' kind='translational'/>"                                                    \
	"<lagrangian>-k*(b.x-a.x)^2/2</lagrangian></component>" COMPONENT                          \
	"'drive'><parameter name='w' unit='rad/s'/><port name='a' kind='translational'/>"          \
	"<constraint name='set' "                                                                  \
	"kind='position'>a.x-1-2*sin(w*t)</constraint></component>" COMPONENT                      \
	"'lump'><parameter name='m' unit='kg'/><parameter name='J' unit='kg.m2' default='1'/>"     \
	"<port name='a' kind='planar'/>"                                                           \
	"<lagrangian>m*(a.vx^2+a.vy^2)/2+J*a.omega^2/2</lagrangian></component>" COMPONENT         \
	"'strand'><parameter name='L' unit='m'/><port name='a' kind='planar'/>"                    \
	"<port name='b' kind='planar'/><constraint name='length' kind='position'>"                 \
	"(b.x-a.x)^2+(b.y-a.y)^2-L^2</constraint></component>" COMPONENT                           \
	"'nail'><parameter name='px' unit='m'/><parameter name='py' unit='m'/>"                    \
	"<port name='a' kind='planar'/><constraint name='x' kind='position'>a.x-px</constraint>"   \
	"<constraint name='y' kind='position'>a.y-py</constraint></component>"

#define RUN "<simulation step='1e-3' end='1e-2'/>"
#define MODEL(body) NETLIST(RUN MECHANICS body)

/* ---- What a start is ---- */

typedef struct start {
	model m;
	bxt_state *state;
	bxt_status status;
} start;

static start start_of(const char *xml)
{
	start s = {.m = model_of_text(xml)};
	s.status = bxt_initialize(s.m.system, NULL, s.m.findings, &s.state);
	ck_assert_int_eq(s.status == BXT_OK, s.state != NULL);
	ck_assert_int_eq(s.status == BXT_OK, bxt_diagnostics_count(s.m.findings, BXT_ERROR) == 0);
	return s;
}

static void start_free(start *s)
{
	bxt_state_free(s->state);
	model_free(&s->m);
}

static int place(const start *s, const char *name)
{
	bxt_buffer b = {0};
	int found = -1;
	for (int i = 0; i < s->m.system->n && found < 0; i++)
		if (strcmp(bxt_system_x_name(s->m.system, i, &b), name) == 0)
			found = i;
	bxt_buffer_free(&b);
	ck_assert_msg(found >= 0, "no coordinate %s", name);
	return found;
}

static double q(const start *s, const char *name)
{
	ck_assert_int_eq(s->status, BXT_OK);
	return s->state->q[place(s, name)];
}

static double v(const start *s, const char *name)
{
	ck_assert_int_eq(s->status, BXT_OK);
	return s->state->x[place(s, name)];
}

#define NEAR(a, b, tolerance) ck_assert_double_eq_tol(a, b, tolerance)

static void check_fails(const char *xml, const char *const *words, size_t n)
{
	start s = start_of(xml);
	ck_assert_int_eq(s.status, BXT_ERR_MODEL);
	for (size_t i = 0; i < n; i++)
		ck_assert_msg(has_finding(&s.m, BXT_ERROR, words[i]), "not said: %s", words[i]);
	start_free(&s);
}

#define FAILS(xml, ...)                                                                            \
	do {                                                                                       \
		static const char *const words_[] = {__VA_ARGS__};                                 \
		check_fails(xml, words_, sizeof words_ / sizeof *words_);                          \
	} while (0)

/* ---- Smallest moves ---- */

START_TEST(test_radially)
{
	/* the bob's two coordinates weigh the same, whatever its mass: it moves along the rod */
	static const char *const masses[] = {"1e-9 kg", "2 kg", "1e15 kg"};
	for (size_t i = 0; i < 3; i++) {
		bxt_buffer text = {0};
		bxt_buffer_printf(&text,
				  MODEL("<node id='b' kind='planar' x='30' y='-40' vx='3' vy='1'/>"
					"<lump id='P' a='b' m='%s'/>"
					"<strand id='r' a='wall' b='b' L='1'/>"),
				  masses[i]);
		start s = start_of(text.text);
		NEAR(q(&s, "node(b).x"), 0.6, ROUND_OFF);
		NEAR(q(&s, "node(b).y"), -0.8, ROUND_OFF);
		/* v - (v.n) n with n = (0.6, -0.8), v.n = 1 */
		NEAR(v(&s, "node(b).x"), 2.4, 10 * ROUND_OFF);
		NEAR(v(&s, "node(b).y"), 1.8, 10 * ROUND_OFF);
		ck_assert(has_finding(&s.m, BXT_WARNING, "node(b).x moved from 30 to 0.6"));
		ck_assert(has_finding(&s.m, BXT_WARNING, "node(b).vx moved from 3 to 2.4"));
		start_free(&s);
		bxt_buffer_free(&text);
	}
}
END_TEST

#define TWO_MASSES                                                                                 \
	"<node id='a' kind='planar' x='0' y='0'/><node id='b' kind='planar' x='3' y='4'/>"         \
	"<lump id='A' a='a' m='1 kg'/><lump id='B' a='b' m='3 kg'/>"                               \
	"<strand id='r' a='a' b='b' L='7'/>"

START_TEST(test_inversely_to_mass)
{
	start s = start_of(MODEL(TWO_MASSES));
	/* 2 m are missing: 1.5 and 0.5 along (0.6, 0.8); the centre of mass stays */
	NEAR(q(&s, "node(a).x"), -1.5 * 0.6, 8 * ROUND_OFF);
	NEAR(q(&s, "node(a).y"), -1.5 * 0.8, 8 * ROUND_OFF);
	NEAR(q(&s, "node(b).x"), 3 + 0.5 * 0.6, 8 * ROUND_OFF);
	NEAR(q(&s, "node(b).y"), 4 + 0.5 * 0.8, 8 * ROUND_OFF);
	start_free(&s);
}
END_TEST

START_TEST(test_nearest)
{
	/* of all points of the ellipse the one where the way there is normal to it, in the measure
	 * of the inertia diag(2, 6) */
	start s = start_of(NETLIST(
		RUN COMPONENT
		"'bead'><coordinate name='x' unit='m' flow='vx'/><coordinate name='y' unit='m' "
		"flow='vy'/><lagrangian>vx^2+3*vy^2</lagrangian>"
		"<constraint name='wire' kind='position'>x^2/9+y^2-1</constraint></component>"
		"<bead id='B' x='2 m' y='2 m'/>"));
	const double x = q(&s, "B.x"), y = q(&s, "B.y");
	NEAR(x * x / 9 + y * y, 1, ROUND_OFF);
	ck_assert_double_gt(x, 1);
	NEAR((2 - x) * 2 * 2 * y, (2 - y) * 6 * 2 * x / 9, NEAREST);
	start_free(&s);
}
END_TEST

START_TEST(test_without_units)
{
	/* x - r theta = 1 between coordinates without mass: each takes half, at any r */
	static const char *const radii[] = {"1e-6", "1", "1e6"};
	for (size_t i = 0; i < 3; i++) {
		bxt_buffer text = {0};
		bxt_buffer_printf(
			&text,
			NETLIST(RUN COMPONENT
				"'rack'><coordinate name='x' unit='m' flow='v'/><coordinate "
				"name='theta' unit='rad' flow='omega'/><rayleigh>v^2+omega^2"
				"</rayleigh><constraint name='mesh' kind='position'>x-%s*theta-1"
				"</constraint></component><rack id='R'/>"),
			radii[i]);
		start s = start_of(text.text);
		const double r = strtod(radii[i], NULL);
		NEAR(q(&s, "R.x"), 0.5, ROUND_OFF);
		NEAR(q(&s, "R.theta") * r, -0.5, ROUND_OFF);
		start_free(&s);
		bxt_buffer_free(&text);
	}
}
END_TEST

/* ---- What is left alone ---- */

START_TEST(test_good_start_stays)
{
	/* 0.6^2 + 0.8^2 - 1 is no zero in floating point, and none of anyone's business */
	start s =
		start_of(MODEL("<node id='b' kind='planar' x='0.6' y='-0.8'/>"
			       "<lump id='P' a='b' m='2'/><strand id='r' a='wall' b='b' L='1'/>"));
	ck_assert_double_eq(q(&s, "node(b).x"), 0.6);
	ck_assert_double_eq(q(&s, "node(b).y"), -0.8);
	ck_assert_uint_eq(bxt_diagnostics_count(s.m.findings, BXT_NOTE), 0);
	start_free(&s);
}
END_TEST

START_TEST(test_unwritten_first)
{
	/* one pendulum closes by what is not written, the other must move what is */
	start s =
		start_of(MODEL("<node id='a' kind='planar' x='0.6'/><lump id='A' a='a' m='1'/>"
			       "<nail id='p' a='c' px='0' py='-1'/><lump id='C' a='c' m='1'/>"
			       "<strand id='r' a='c' b='a' L='1'/>"
			       "<node id='b' kind='planar' x='3' y='4'/><lump id='B' a='b' m='1'/>"
			       "<strand id='s' a='b' b='wall' L='10'/>"));
	ck_assert_double_eq(q(&s, "node(a).x"), 0.6);
	NEAR(fabs(q(&s, "node(a).y") + 1), 0.8, ROUND_OFF);
	NEAR(q(&s, "node(c).y"), -1, ROUND_OFF);
	NEAR(q(&s, "node(b).x"), 6, 8 * ROUND_OFF);
	ck_assert(!has_finding(&s.m, BXT_WARNING, "node(a)"));
	ck_assert(has_finding(&s.m, BXT_NOTE, "node(a).y starts at"));
	ck_assert(has_finding(&s.m, BXT_WARNING, "node(b).x moved from 3 to 6"));
	start_free(&s);
}
END_TEST

START_TEST(test_fixed_stays)
{
	static const char *const ways[] = {"<fix node='a'/>", "<fix of='node(a).*'/>",
					   "<fix of='node(a).x, node(a).y'/>"};
	for (size_t i = 0; i < 3; i++) {
		bxt_buffer text = {0};
		bxt_buffer_printf(&text, MODEL(TWO_MASSES "%s"), ways[i]);
		start s = start_of(text.text);
		ck_assert_double_eq(q(&s, "node(a).x"), 0);
		ck_assert_double_eq(q(&s, "node(a).y"), 0);
		NEAR(q(&s, "node(b).x"), 7 * 0.6, 8 * ROUND_OFF);
		NEAR(q(&s, "node(b).y"), 7 * 0.8, 8 * ROUND_OFF);
		start_free(&s);
		bxt_buffer_free(&text);
	}
}
END_TEST

START_TEST(test_one_coordinate_fixed)
{
	/* in a subsystem, by a path from outside: x stays, the rest goes round */
	start s = start_of(MODEL("<subsystem id='s'><node id='b' kind='planar' x='0.6' y='-1'/>"
				 "<lump id='P' a='b' m='2'/><strand id='r' a='wall' b='b' L='1'/>"
				 "</subsystem><fix of='node(s.b).x'/>"));
	ck_assert_double_eq(q(&s, "node(s.b).x"), 0.6);
	NEAR(q(&s, "node(s.b).y"), -0.8, ROUND_OFF);
	start_free(&s);
}
END_TEST

START_TEST(test_fixed_charge)
{
#define SOURCE_AND_CAPACITOR                                                                       \
	"<voltage-source id='V' p='a' n='0' e='2 V'/><capacitor id='C' p='a' n='0' C='1 F' "       \
	"q='1 C'/><resistor id='R' p='a' n='0' R='1 ohm'/>"
	start s = start_of(NETLIST(RUN SOURCE_AND_CAPACITOR));
	NEAR(fabs(q(&s, "C.q")), 2, ROUND_OFF);
	start_free(&s);
	FAILS(NETLIST(RUN SOURCE_AND_CAPACITOR "<fix of='C.q'/>"), "C.q may not move");
}
END_TEST

/* ---- Across subsystems ---- */

START_TEST(test_torn_masses)
{
	start s = start_of(MODEL(
		"<subsystem id='l'><node id='a' kind='translational' x='1'/><point id='M' a='a' "
		"m='1'/><port id='s' node='a'/></subsystem>"
		"<subsystem id='r'><node id='a' kind='translational' x='2' v='4'/><point id='M' "
		"a='a' m='3'/><port id='s' node='a'/></subsystem>"
		"<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"));
	NEAR(q(&s, "node(l.a).x"), 1.75, ROUND_OFF);
	NEAR(q(&s, "node(r.a).x"), 1.75, ROUND_OFF);
	NEAR(v(&s, "node(l.a).x"), v(&s, "node(r.a).x"), ROUND_OFF);
	start_free(&s);
}
END_TEST

START_TEST(test_torn_massless)
{
	/* the side without mass follows, and the mass keeps its place */
	start s = start_of(MODEL(
		"<subsystem id='l'><node id='a' kind='translational' x='1'/><point id='M' a='a' "
		"m='1'/><port id='s' node='a'/></subsystem>"
		"<subsystem id='r'><node id='a' kind='translational' x='2'/><elastic id='K' "
		"a='wall' b='a' k='3'/><port id='s' node='a'/></subsystem>"
		"<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"));
	ck_assert_double_eq(q(&s, "node(l.a).x"), 1);
	NEAR(q(&s, "node(r.a).x"), 1, ROUND_OFF);
	start_free(&s);
}
END_TEST

START_TEST(test_loops_and_positions)
{
	/* a ring without mass on a wire, drawn by a spring towards (3, 4): both must hold */
	start s = start_of(NETLIST(
		RUN COMPONENT
		"'ring'><coordinate name='x' unit='m' flow='vx'/><coordinate name='y' unit='m' "
		"flow='vy'/><lagrangian>-((x-3)^2+(y-4)^2)/2</lagrangian>"
		"<constraint name='wire' kind='position'>x^2+y^2-1</constraint></component>"
		"<ring id='R' x='2 m' y='1 m'/>"));
	NEAR(q(&s, "R.x"), 0.6, 8 * ROUND_OFF);
	NEAR(q(&s, "R.y"), 0.8, 8 * ROUND_OFF);
	start_free(&s);
}
END_TEST

/* ---- Time ---- */

START_TEST(test_prescribed)
{
	/* x = 1 + 2 sin(3 t): at the start 1 and 6, whatever was written */
	start s = start_of(MODEL("<node id='a' kind='translational' x='5' v='1'/>"
				 "<point id='M' a='a' m='1'/><drive id='D' a='a' w='3'/>"));
	NEAR(q(&s, "node(a).x"), 1, ROUND_OFF);
	NEAR(v(&s, "node(a).x"), 6, 8 * ROUND_OFF);
	ck_assert(has_finding(&s.m, BXT_WARNING, "node(a).v moved from 1 to 6"));
	start_free(&s);
}
END_TEST

START_TEST(test_nothing_can_move)
{
	/* no freedom at all is statics */
	start s =
		start_of(MODEL("<node id='a' kind='planar' x='1' y='1'/><nail id='p' a='a' px='1' "
			       "py='1'/><lump id='P' a='a' m='1'/>" COMPONENT
			       "'clamp'><port name='a' kind='planar'/><constraint name='angle' "
			       "kind='position'>a.theta</constraint></component>"
			       "<clamp id='c' a='a'/>"));
	ck_assert_int_eq(s.status, BXT_OK);
	NEAR(q(&s, "node(a).x"), 1, ROUND_OFF);
	NEAR(v(&s, "node(a).x"), 0, ROUND_OFF);
	start_free(&s);
}
END_TEST

/* ---- What is impossible ---- */

#define TRIANGLE                                                                                   \
	"<node id='a' kind='planar'/><node id='b' kind='planar' x='0.5' y='0.3'/>"                 \
	"<node id='c' kind='planar' x='1'/><fix node='a, c'/>"                                     \
	"<lump id='A' a='a' m='1'/><lump id='B' a='b' m='3'/><lump id='C' a='c' m='1'/>"           \
	"<strand id='r1' a='a' b='b' L='0.4'/>"

START_TEST(test_triangle)
{
	start s = start_of(MODEL(TRIANGLE "<strand id='r2' a='b' b='c' L='0.8'/>"));
	/* x^2 + y^2 = 0.16, (x-1)^2 + y^2 = 0.64 */
	NEAR(q(&s, "node(b).x"), 0.26, ROUND_OFF);
	NEAR(q(&s, "node(b).y"), sqrt(0.16 - 0.26 * 0.26), ROUND_OFF);
	start_free(&s);
	/* 0.1 m too short together, shared: to first order 0.45^2 - 0.4^2 by 2 x 0.45 each */
	FAILS(MODEL(TRIANGLE "<strand id='r2' a='b' b='c' L='0.5'/>"),
	      "strand 'r1' (length) is off by about 0.04",
	      "strand 'r2' (length) is off by about 0.04",
	      "fixed: node(a).x, node(a).y, node(c).x, node(c).y");
}
END_TEST

START_TEST(test_blames_only_the_guilty)
{
	const char *xml = MODEL(TRIANGLE "<strand id='r2' a='b' b='c' L='0.5'/>"
					 "<node id='e' kind='planar' x='3'/><lump id='E' a='e' "
					 "m='1'/><strand id='good' a='e' b='wall' L='1'/>");
	start s = start_of(xml);
	ck_assert_int_eq(s.status, BXT_ERR_MODEL);
	ck_assert(!has_finding(&s.m, BXT_NOTE, "'good'"));
	start_free(&s);
}
END_TEST

START_TEST(test_fixed_apart)
{
	FAILS(MODEL(TWO_MASSES "<fix node='a b'/>"), "strand 'r' (length) is off by about 2.4 m",
	      "fixed: node(a).x, node(a).y, node(b).x, node(b).y");
	FAILS(MODEL("<subsystem id='l'><node id='a' kind='translational' x='1'/><point id='M' "
		    "a='a' m='1'/><port id='s' node='a'/><fix node='a'/></subsystem>"
		    "<subsystem id='r'><node id='a' kind='translational' x='2'/><point id='M' "
		    "a='a' m='3'/><port id='s' node='a'/><fix node='a'/></subsystem>"
		    "<interconnection><connect id='c' a='l.s' b='r.s'/></interconnection>"),
	      "connection 'c' (x) is off by about 1 m", "fixed: node(l.a).x, node(r.a).x");
}
END_TEST

START_TEST(test_contradiction)
{
	/* each half of what is between them */
	FAILS(MODEL("<lump id='P' a='b' m='2'/><nail id='p1' a='b' px='1' py='0'/>"
		    "<nail id='p2' a='b' px='2' py='0'/>"),
	      "nail 'p1' (x) is off by about 0.5 m", "nail 'p2' (x) is off by about 0.5 m");
}
END_TEST

START_TEST(test_no_direction)
{
	FAILS(MODEL("<lump id='P' a='b' m='2'/><strand id='r' a='wall' b='b' L='1'/>"),
	      "strand 'r' (length)", "has no slope here", "initial values must tell the direction");
}
END_TEST

START_TEST(test_not_finite)
{
	FAILS(MODEL("<lump id='P' a='b' m='2'/>" COMPONENT
		    "'rope'><port name='a' kind='planar'/><constraint name='length' "
		    "kind='position'>sqrt(a.x^2+a.y^2)-1</constraint></component>"
		    "<rope id='r' a='b'/>"),
	      "rope 'r' (length) or its slope is not finite");
}
END_TEST

/* ---- Memory ---- */

START_TEST(test_memory_ends)
{
	allocation_hook();
	model m = model_of_text(
		MODEL(TWO_MASSES
		      "<fix of='node(b).x'/>"
		      "<subsystem id='l'><node id='a' kind='translational' x='1'/><point id='M' "
		      "a='a' m='1'/><port id='s' node='a'/></subsystem>"
		      "<subsystem id='z'><node id='a' kind='translational' x='2'/><point id='M' "
		      "a='a' m='3'/><port id='s' node='a'/></subsystem>"
		      "<interconnection><connect id='c' a='l.s' b='z.s'/></interconnection>"));
	long n = 0;
	for (bool failed = true; failed; n++) {
		bxt_state *state = NULL;
		bxt_diagnostics *d = bxt_diagnostics_new();
		ck_assert_ptr_nonnull(d);
		allocation_fail(n);
		const bxt_status status = bxt_initialize(m.system, NULL, d, &state);
		failed = allocation_failed();
		allocation_fail(-1);
		ck_assert_msg(status == BXT_OK || (failed && status == BXT_ERR_MEMORY),
			      "allocation %ld: %s", n, bxt_status_text(status));
		bxt_state_free(state);
		bxt_diagnostics_free(d);
	}
	ck_assert_int_gt(n, 100); /* else nothing was tested */
	model_free(&m);
}
END_TEST

/* On a circle, and pushed outwards: at (1, 0) no flow does both, however slow. */
START_TEST(test_flows_contradict)
{
	FAILS(NETLIST(RUN
		      "<component xmlns='urn:boxtimes:component:1' name='pushed'>"
		      "<coordinate name='x' unit='m' flow='u'/>"
		      "<coordinate name='y' unit='m' flow='w'/>"
		      "<lagrangian>(u^2 + w^2)/2</lagrangian>"
		      "<constraint name='circle' kind='position'>x^2 + y^2 - 1</constraint>"
		      "<constraint name='outwards' kind='flow'>u - 1e-6</constraint></component>"
		      "<pushed id='a' x='1 m' w='1 m/s'/>"),
	      "the flows cannot meet the constraints", "a.outwards is left over");
}
END_TEST

TEST_SUITE("start of positions")
{
	const test_case tests[] = {
		{"radially", test_radially},
		{"inversely to mass", test_inversely_to_mass},
		{"nearest", test_nearest},
		{"without units", test_without_units},
		{"good start stays", test_good_start_stays},
		{"unwritten first", test_unwritten_first},
		{"fixed stays", test_fixed_stays},
		{"one coordinate fixed", test_one_coordinate_fixed},
		{"fixed charge", test_fixed_charge},
		{"torn masses", test_torn_masses},
		{"torn massless", test_torn_massless},
		{"loops and positions", test_loops_and_positions},
		{"prescribed", test_prescribed},
		{"nothing can move", test_nothing_can_move},
		{"triangle", test_triangle},
		{"blames only the guilty", test_blames_only_the_guilty},
		{"fixed apart", test_fixed_apart},
		{"contradiction", test_contradiction},
		{"flows contradict", test_flows_contradict},
		{"no direction", test_no_direction},
		{"not finite", test_not_finite},
		{"memory ends", test_memory_ends, .slow = true},
	};
	ADD_TESTS(tests);
}
