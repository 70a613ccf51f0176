/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Nodes with frames, the port kind spatial: a pinned top against values of another program, in
 * body coordinates with quaternions; poses against rotations by hand; the quantities that follow
 * from a frame; frames that a <connect> joins.
 */
#include "model/system/system.h"
#include "support/harness.h"
#include "support/signals.h"

#include <math.h>
#include <stdio.h>

/* Inertia C = (tr I / 2) 1 - I about the centre of mass, which is at c in the frame. */
#define BODY                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='solid' domain='test'>"                  \
	"<parameter name='m' unit='kg'/><parameter name='cx' unit='m' default='0'/>"               \
	"<parameter name='cy' unit='m' default='0'/><parameter name='cz' unit='m' default='0'/>"   \
	"<parameter name='C1' unit='kg.m2'/><parameter name='C2' unit='kg.m2'/>"                   \
	"<parameter name='C3' unit='kg.m2'/><parameter name='g' unit='m/s2' default='0'/>"         \
	"<port name='a' kind='spatial'/><lagrangian>"                                              \
	"m*((a.vx + a.U11*cx + a.U12*cy + a.U13*cz)^2 + (a.vy + a.U21*cx + a.U22*cy + "            \
	"a.U23*cz)^2 + (a.vz + a.U31*cx + a.U32*cy + a.U33*cz)^2)/2 "                              \
	"+ C1*(a.U11^2 + a.U21^2 + a.U31^2)/2 + C2*(a.U12^2 + a.U22^2 + a.U32^2)/2 "               \
	"+ C3*(a.U13^2 + a.U23^2 + a.U33^2)/2 "                                                    \
	"- m*g*(a.z + a.R31*cx + a.R32*cy + a.R33*cz)</lagrangian></component>"
#define PIN                                                                                        \
	"<component xmlns='urn:boxtimes:component:1' name='spot' domain='test'>"                   \
	"<port name='a' kind='spatial'/><port name='b' kind='spatial'/>"                           \
	"<constraint name='x' kind='position'>b.x - a.x</constraint>"                              \
	"<constraint name='y' kind='position'>b.y - a.y</constraint>"                              \
	"<constraint name='z' kind='position'>b.z - a.z</constraint></component>"
#define TURN                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='turn' domain='test'>"                   \
	"<parameter name='x' unit='N.m' default='0'/><parameter name='y' unit='N.m' default='0'/>" \
	"<parameter name='z' unit='N.m' default='0'/><port name='a' kind='spatial'/>"              \
	"<force on='a.wx'>x</force><force on='a.wy'>y</force><force on='a.wz'>z</force>"           \
	"</component>"

/* ---- The pinned top ---- */

/* R = exp(.4, -.3, .2), body rates (1, .5, 8), as ground rates; I = (.4, .5, .7), m = 2, the centre
 * of mass at (.1, .2, .5) from the pivot. */
#define TOP_START                                                                                  \
	"kind='spatial' axis='.4 -.3 .2' angle='0.53851648071345040313 rad' "                      \
	"wx='-1.1612919097039431 rad/s' wy='-2.6987110495533098 rad/s' wz='7.5245172450779219'"
#define SOLID(id, half)                                                                            \
	"<solid id='" id "' a='b' m='=2*" half "' cx='.1 m' cy='.2 m' cz='.5 m' C1='=0.4*" half    \
	"' C2='=0.3*" half "' C3='=0.1*" half "' g='9.81'/>"
#define TOP                                                                                        \
	NETLIST(BODY PIN "<node id='b' " TOP_START                                                 \
			 "/>" SOLID("B", "1") "<spot id='P' a='wall' b='b'/>")
#define TOP_RECORD                                                                                 \
	"node(b).R31, node(b).R32, node(b).R33, node(b).Wx, node(b).Wy, node(b).Wz, energy"

static const char *const top_names[] = {"node(b).R31", "node(b).R32", "node(b).R33",
					"node(b).Wx",  "node(b).Wy",  "node(b).Wz"};
/* At 2 s; design data of an integration with quaternions at tolerances of 1e-13. */
static const double top_end[] = {-.1304716720983,  .8881990226833,  .4405447070211,
				 -2.6367078598358, 3.9303982764408, 7.0066686942789};

START_TEST(the_top_is_where_another_program_has_it)
{
	static const struct {
		const char *scheme;
		double step, error;
	} runs[] = {{"gauss1", 0.005, 1e-2}, {"gauss2", 0.005, 1e-6}, {"gauss3", 0.005, 1e-11}};
	for (size_t k = 0; k < 3; k++) {
		const bxt_run_def def = {.size = sizeof(bxt_run_def),
					 .step = runs[k].step,
					 .end = 2,
					 .scheme = runs[k].scheme,
					 .record = TOP_RECORD};
		bxt_table *t = run_text(TOP, &def);
		for (size_t i = 0; i < 6; i++)
			ck_assert_double_eq_tol(last_value(t, top_names[i]), top_end[i],
						runs[k].error * (i < 3 ? 1 : 8));
		const double start = value_at(t, 0, "energy");
		ck_assert_double_eq_tol(last_value(t, "energy"), start, 1e-12 * start);
		bxt_table_free(t);
	}
}
END_TEST

START_TEST(two_halves_that_are_joined_are_the_whole)
{
	static const char halves[] =
		NETLIST(BODY PIN "<subsystem id='s'><node id='b' " TOP_START "/>" SOLID(
			"B",
			".5") "<spot id='P' a='wall' b='b'/><port id='p' node='b'/></subsystem>"
			      "<subsystem id='r'><node id='b' " TOP_START
			      "/>" SOLID("B",
					 ".5") "<port id='p' node='b'/></subsystem>"
					       "<interconnection><connect id='c' a='s.p' b='r.p'/>"
					       "</interconnection>");
	const bxt_run_def whole_def = {.size = sizeof(bxt_run_def),
				       .step = 0.01,
				       .end = 2,
				       .scheme = "gauss2",
				       .record = TOP_RECORD};
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 2,
				 .scheme = "gauss2",
				 .record = "node(s.b).*, node(r.b).*, drift(rigid)"};
	bxt_table *torn = run_text(halves, &def), *whole = run_text(TOP, &whole_def);
	ck_assert_double_lt(difference(whole, "node(b).R31", torn, "node(s.b).R31"), 1e-12);
	ck_assert_double_lt(difference(whole, "node(b).Wx", torn, "node(s.b).Wx"), 1e-12);
	ck_assert_double_lt(difference(torn, "node(s.b).R13", torn, "node(r.b).R13"), 1e-13);
	ck_assert_double_lt(difference(torn, "node(s.b).wz", torn, "node(r.b).wz"), 1e-13);
	bxt_table_free(torn);
	bxt_table_free(whole);
}
END_TEST

/* ---- Poses ---- */

static const double HALF_PI = 1.5707963267948966;

#define ONE(start)                                                                                 \
	NETLIST(BODY "<node id='b' kind='spatial' " start "/>"                                     \
		     "<solid id='B' a='b' m='1' C1='1' C2='2' C3='3'/>")

static bxt_table *start_of(const char *text)
{
	return run_text(text, &(bxt_run_def){.size = sizeof(bxt_run_def),
					     .step = 0.001,
					     .end = 0.001,
					     .record = "node(b).*"});
}

START_TEST(a_pose_is_the_same_in_all_ways_of_writing)
{
	/* roll 90 deg, then yaw 90 deg: x to y, y to z, z to x: 120 deg about (1, 1, 1) */
	static const char *const texts[] = {
		ONE("roll='90 deg' yaw='90 deg' wx='2 rad/s' wy='3 rad/s' wz='5 rad/s'"),
		ONE("axis='2 2 2' angle='120 deg' wx='2 rad/s' wy='3 rad/s' wz='5 rad/s'"),
		ONE("quaternion='3, 3, 3, 3' wx='2 rad/s' wy='3 rad/s' wz='5 rad/s'"),
		ONE("R11='0' R21='1' R31='0' R12='0' R22='0' R32='1' R13='1' R23='0' R33='0' "
		    "wx='2 rad/s' wy='3 rad/s' wz='5 rad/s'")};
	static const struct {
		const char *name;
		double value;
	} expected[] = {{"R21", 1}, {"R32", 1},        {"R13", 1},   {"R11", 0},       {"R22", 0},
			{"wx", 2},  {"wy", 3},         {"wz", 5},    {"Wx", 3},        {"Wy", 5},
			{"Wz", 2},  {"roll", HALF_PI}, {"pitch", 0}, {"yaw", HALF_PI}, {"qw", .5},
			{"qx", .5}, {"qy", .5},        {"qz", .5},   {"U31", 2}};
	for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
		bxt_table *t = start_of(texts[k]);
		for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
			char name[32];
			snprintf(name, sizeof name, "node(b).%s", expected[i].name);
			ck_assert_double_eq_tol(value_at(t, 0, name), expected[i].value, 1e-14);
		}
		bxt_table_free(t);
	}
}
END_TEST

/* Quaternions of half turns, where the scalar part is 0 and the others divide by themselves. */
START_TEST(half_turns_have_quaternions)
{
	static const struct {
		const char *text, *name;
	} turns[] = {{ONE("roll='180 deg'"), "node(b).qx"},
		     {ONE("pitch='180 deg'"), "node(b).qy"},
		     {ONE("yaw='180 deg'"), "node(b).qz"}};
	for (size_t k = 0; k < 3; k++) {
		bxt_table *t = start_of(turns[k].text);
		ck_assert_double_eq_tol(fabs(value_at(t, 0, turns[k].name)), 1, 1e-15);
		ck_assert_double_eq_tol(value_at(t, 0, "node(b).qw"), 0, 1e-15);
		bxt_table_free(t);
	}
}
END_TEST

START_TEST(mistakes_in_a_pose_are_named)
{
	static const char *const wrong[][2] = {
		{ONE("roll='1 rad' quaternion='1 0 0 0'"), "written twice"},
		{ONE("axis='0 0 1'"), "belong together"},
		{ONE("axis='0 0 0' angle='1 rad'"), "no direction"},
		{ONE("quaternion='1 0 0'"), "has 3 numbers: 4 are needed"},
		{ONE("R11='1' yaw='1 rad'"), "written twice"},
		{ONE("wx='1' U21='1'"), "angular velocity is written twice"},
		{ONE("rol='1 rad'"), "did you mean 'roll'"},
		{ONE("roll='1 m'"), "roll"}};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		model m;
		ck_assert_int_eq(signals_compile(&m, wrong[k][0]), BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[k][1]), "%s", wrong[k][0]);
		model_free(&m);
	}
}
END_TEST

/* ---- Points and directions at the start pose ---- */

/* It tells its parameters; b turns x to y, y to z and z to x, and stands at (1, 2, 3). */
#define MARK                                                                                       \
	"<component xmlns='urn:boxtimes:component:1' name='mark' domain='test'>"                   \
	"<parameter name='ax' unit='m' default='0'/><parameter name='ay' unit='m' default='0'/>"   \
	"<parameter name='az' unit='m' default='0'/><parameter name='bx' unit='m' default='0'/>"   \
	"<parameter name='by' unit='m' default='0'/><parameter name='bz' unit='m' default='0'/>"   \
	"<parameter name='nx' unit='1' default='0'/><parameter name='ny' unit='1' default='0'/>"   \
	"<parameter name='nz' unit='1' default='1'/><parameter name='sx' unit='1' default='1'/>"   \
	"<parameter name='sy' unit='1' default='0'/><parameter name='sz' unit='1' default='0'/>"   \
	"<parameter name='tx' unit='1' default='0'/><parameter name='ty' unit='1' default='1'/>"   \
	"<parameter name='tz' unit='1' default='0'/>"                                              \
	"<placement attribute='at' part='point' port='a' parameters='ax ay az'/>"                  \
	"<placement attribute='at' part='point' port='b' parameters='bx by bz'/>"                  \
	"<placement attribute='axis' part='n' port='b' parameters='nx ny nz'/>"                    \
	"<placement attribute='axis' part='s' port='b' parameters='sx sy sz'/>"                    \
	"<placement attribute='axis' part='t' port='b' parameters='tx ty tz'/>"                    \
	"<port name='a' kind='spatial'/><port name='b' kind='spatial'/>"                           \
	"<output name='oax' unit='m'>ax</output><output name='oay' unit='m'>ay</output>"           \
	"<output name='obx' unit='m'>bx</output><output name='oby' unit='m'>by</output>"           \
	"<output name='obz' unit='m'>bz</output><output name='onx' unit='1'>nx</output>"           \
	"<output name='ony' unit='1'>ny</output><output name='onz' unit='1'>nz</output>"           \
	"<output name='square' unit='1'>nx*sx + ny*sy + nz*sz + nx*tx + ny*ty + nz*tz + sx*tx + "  \
	"sy*ty + sz*tz</output><output name='turn' unit='1'>nx*(sy*tz - sz*ty) + ny*(sz*tx - "     \
	"sx*tz) + nz*(sx*ty - sy*tx)</output></component>"
#define MARKED(attributes)                                                                         \
	NETLIST(BODY MARK "<parameter name='L' unit='m' default='4 m'/>"                           \
			  "<mark id='M' a='wall' b='b' " attributes "/>"                           \
			  "<node id='b' kind='spatial' x='1' y='2' z='3' axis='1 1 1' "            \
			  "angle='120 deg'/><solid id='B' a='b' m='1' C1='1' C2='2' C3='3'/>")

START_TEST(points_are_placed_at_the_start)
{
	/* (4, 4, 8) - (1, 2, 3) = (3, 2, 5); R^T has rows y, z, x of the ground */
	bxt_table *t = run_text(
		MARKED("at='=L 4 8' axis='0 0 -7'"),
		&(bxt_run_def){
			.size = sizeof(bxt_run_def), .step = 0.001, .end = 0.001, .record = "M.*"});
	static const struct {
		const char *name;
		double value;
	} expected[] = {{"M.oax", 4}, {"M.oay", 4},  {"M.obx", 2}, {"M.oby", 5},    {"M.obz", 3},
			{"M.onx", 0}, {"M.ony", -1}, {"M.onz", 0}, {"M.square", 0}, {"M.turn", 1}};
	for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
		ck_assert_double_eq_tol(value_at(t, 0, expected[i].name), expected[i].value, 1e-14);
	bxt_table_free(t);
}
END_TEST

START_TEST(mistakes_in_placements_are_named)
{
	static const char *const wrong[][2] = {
		{MARKED("at='1 2'"), "has 2 numbers: 3 are needed"},
		{MARKED("at='1 2 3' by='1 m'"), "is given twice: at="},
		{MARKED("axis='0 0 0'"), "has no direction"},
		{MARKED("axiss='0 0 1'"), "did you mean 'axis'"},
		{MARKED("at='1 2 3 s'"), "has 4 numbers"}};
	for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
		model m;
		ck_assert_int_eq(signals_compile(&m, wrong[k][0]), BXT_ERR_MODEL);
		ck_assert_msg(has_finding(&m, BXT_ERROR, wrong[k][1]), "%s", wrong[k][1]);
		model_free(&m);
	}
}
END_TEST

/* ---- Torques ---- */

/* A torque about a fixed axis of inertia: wz = T t / I, and the ledger supplies its work. */
START_TEST(a_torque_does_its_work)
{
	static const char text[] =
		NETLIST(BODY TURN "<node id='b' kind='spatial' wz='1 rad/s'/>"
				  "<solid id='B' a='b' m='1' C1='1' C2='2' C3='3'/>"
				  "<turn id='T' a='b' z='0.6 N.m'/>");
	const bxt_run_def def = {.size = sizeof(bxt_run_def),
				 .step = 0.01,
				 .end = 2,
				 .scheme = "gauss2",
				 .record = "node(b).wz, energy, supplied"};
	bxt_table *t = run_text(text, &def);
	const double I = 1 + 2, w = 1 + 0.6 * 2 / I; /* I3 = C1 + C2 */
	ck_assert_double_eq_tol(last_value(t, "node(b).wz"), w, 1e-7);
	ck_assert_double_eq_tol(last_value(t, "supplied"), I * (w * w - 1) / 2, 1e-6);
	ck_assert_double_eq_tol(last_value(t, "energy") - value_at(t, 0, "energy"),
				last_value(t, "supplied"), 1e-12);
	bxt_table_free(t);
}
END_TEST

/* A node of points alone has neither directors nor their rows. */
START_TEST(points_have_no_frames)
{
	static const char text[] =
		NETLIST("<component xmlns='urn:boxtimes:component:1' name='bead' domain='test'>"
			"<port name='a' kind='spatial'/><lagrangian>(a.vx^2 + a.vy^2 + a.vz^2)/2 - "
			"9.81*a.z</lagrangian></component>"
			"<node id='b' kind='spatial' vx='1 m/s'/><bead id='B' a='b'/>");
	model m = model_of_text(text);
	ck_assert_int_eq(m.system->n, 3);
	ck_assert_int_eq(m.system->m, 0);
	const bxt_run_def def = {
		.size = sizeof(bxt_run_def), .step = 0.01, .end = 1, .record = "node(b).*"};
	bxt_table *t = model_run(&m, &def, NULL);
	ck_assert_double_eq_tol(last_value(t, "node(b).z"), -9.81 / 2, 1e-13);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("frames")
{
	const test_case tests[] = {
		{"the top of another program", the_top_is_where_another_program_has_it},
		{"two halves", two_halves_that_are_joined_are_the_whole},
		{"poses", a_pose_is_the_same_in_all_ways_of_writing},
		{"half turns", half_turns_have_quaternions},
		{"mistakes in poses", mistakes_in_a_pose_are_named},
		{"placements", points_are_placed_at_the_start},
		{"mistakes in placements", mistakes_in_placements_are_named},
		{"torques", a_torque_does_its_work},
		{"points", points_have_no_frames},
	};
	ADD_TESTS(tests);
}
