/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts in space but for the joints of test_spatial_joints.c: numbers of other formulations, forces
 * and sensors at free bodies, rolling, long runs, parts that must be the same as others, torn
 * mechanisms, redundant joints, and what is refused. Figures are of scipy 1.10, solve_ivp, DOP853,
 * rtol = 1e-13, on the equations that are told.
 */
#include "support/harness.h"

#include "ground/base/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bxt_table *run(const char *xml, const char *scheme, double step, double end,
		      const char *record)
{
	return run_text(xml, &(bxt_run_def){.size = sizeof(bxt_run_def),
					    .scheme = scheme,
					    .step = step,
					    .end = end,
					    .record = record});
}

/* ---- Joints with shafts ---- */

/*
 * A body hung on a hinge about z, with a spring at the shaft: (Izz + m l^2 + J) theta'' =
 * -m g l sin(theta) - 4 (theta - theta0).
 */
START_TEST(motor_hinge)
{
	static const struct {
		double theta0, end;
	} cases[] = {{-0.7, .408508065722}, {0, .386792240141}, {0.7, .474469592841}};
	for (int k = 0; k < COUNT(cases); k++) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(
			&xml,
			NETLIST("<node id='b' kind='spatial' axis='0 0 1' angle='0.7 rad' "
				"x='=0.5*sin(0.7)' y='=-0.5*cos(0.7)'/>"
				"<body id='B' a='b' m='2 kg' Ixx='.1 kg.m2' Iyy='.15 kg.m2' "
				"Izz='.2 kg.m2' gy='-9.81 m/s2'/>"
				"<motor-hinge id='H' a='wall' b='b' shaft='s' by='0.5 m'/>"
				"<node id='s' kind='rotational' theta='0.7 rad'/>"
				"<inertia id='J' a='s' J='0.3 kg.m2'/>"
				"<torsion-spring id='K' a='wall' b='s' k='4 N.m/rad' "
				"theta0='%g rad'/>"),
			cases[k].theta0);
		bxt_table *t = run(xml.text, "gauss3", 0.01, 2, "node(s).theta, node(b).yaw");
		ck_assert_double_eq_tol(last_value(t, "node(s).theta"), cases[k].end, 1e-10);
		/* the angle is a row: nothing slips */
		ck_assert_double_le(difference(t, "node(s).theta", t, "node(b).yaw"), 1e-14);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
}
END_TEST

/* A shaft counts turns: a constant torque turns 12.7 times within 4 s, either way. */
START_TEST(turns)
{
	for (int sign = -1; sign <= 1; sign += 2) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(&xml,
				  NETLIST("<body id='B' a='b' m='1 kg' Ixx='.2 kg.m2' "
					  "Iyy='.2 kg.m2' Izz='.2 kg.m2'/>"
					  "<motor-hinge id='H' a='wall' b='b' shaft='s'/>"
					  "<inertia id='J' a='s' J='0.1 kg.m2'/>"
					  "<torque id='T' a='wall' b='s' tau='%d N.m'/>"),
				  3 * sign);
		bxt_table *t = run(xml.text, "gauss3", 0.005, 4, "node(s).theta");
		ck_assert_double_eq_tol(last_value(t, "node(s).theta"), sign * 80.0, 1e-6);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
}
END_TEST

/* A nut that falls along its thread: z = -g t^2/2 / (1 + I/(m p^2)), after five turns. */
START_TEST(screw)
{
	bxt_table *t = run(NETLIST("<body id='B' a='b' m='2 kg' Ixx='.15 kg.m2' Iyy='.15 kg.m2' "
				   "Izz='.15 kg.m2' gz='-9.81 m/s2'/>"
				   "<screw id='S' a='wall' b='b' shaft='s' p='0.2 m/rad'/>"),
			   "gauss3", 0.005, 2, "node(b).z, node(s).theta");
	const double z = -2 * 9.81 / (1 + 0.15 / (2 * 0.04));
	ck_assert_double_eq_tol(last_value(t, "node(b).z"), z, 1e-6);
	ck_assert_double_eq_tol(last_value(t, "node(s).theta"), last_value(t, "node(b).z") / 0.2,
				1e-12);
	bxt_table_free(t);
}
END_TEST

/* Two shafts on one body, joined by a gear: theta1 = -2 theta2, J1 + 4 J2 seen from the first. */
START_TEST(gear_between_shafts)
{
	bxt_table *t = run(
		NETLIST("<node id='c' kind='spatial' x='1 m'/>"
			"<body id='B' a='b' m='1 kg' Ixx='.2 kg.m2' Iyy='.2 kg.m2' Izz='.2 kg.m2'/>"
			"<body id='C' a='c' m='1 kg' Ixx='.1 kg.m2' Iyy='.1 kg.m2' Izz='.1 kg.m2'/>"
			"<motor-hinge id='H' a='wall' b='b' shaft='s'/>"
			"<motor-hinge id='I' a='wall' b='c' shaft='r' ax='1 m'/>"
			"<gear id='G' a='s' b='r' ratio='-2'/>"
			"<torque id='T' a='wall' b='s' tau='0.9 N.m'/>"),
		"gauss2", 0.01, 2, "node(s).theta, node(r).theta");
	ck_assert_double_eq_tol(last_value(t, "node(s).theta"), 0.9 / 0.225 * 2, 1e-6);
	ck_assert_double_eq_tol(last_value(t, "node(r).theta"), -0.9 / 0.225, 1e-6);
	bxt_table_free(t);
}
END_TEST

/*
 * Joints where the ground sees them: n = (1, 2, 2)/3 through (.5, .2, .1), a ball of 1 kg and
 * 0.1 kg m2 at (1, -.3, .6), which is off that axis by d^2 = .75 - 1/36. A constant torque or force
 * turns or moves it by t^2/2 over the inertia.
 */
#define TILTED                                                                                     \
	NETLIST("<node id='b' kind='spatial' roll='0.2 rad' yaw='-1.1 rad' x='1 m' y='-0.3 m' "    \
		"z='0.6 m'/><body id='B' a='b' m='1 kg' Ixx='0.1 kg.m2' Iyy='0.1 kg.m2' "          \
		"Izz='0.1 kg.m2'/>%s")
START_TEST(placed)
{
	const double J = 0.1 + 0.75 - 1.0 / 36;
	const struct {
		const char *xml, *signal;
		double end;
	} cases[] = {
		{"<motor-hinge id='J' a='wall' b='b' shaft='s' at='.5 .2 .1' axis='1 2 2'/>"
		 "<torque id='T' a='wall' b='s' tau='2 N.m'/>",
		 "node(s).theta", 1 / J},
		{"<motor-hinge id='J' a='b' b='wall' shaft='s' at='.5 .2 .1' axis='1 2 2'/>"
		 "<torque id='T' a='wall' b='s' tau='2 N.m'/>",
		 "node(s).theta", 1 / J},
		{"<rail-slider id='J' a='wall' b='b' rod='s' at='.5 .2 .1' axis='1 2 2'/>"
		 "<force id='T' a='wall' b='s' f='2 N'/>",
		 "node(s).x", 1},
		{"<screw id='J' a='wall' b='b' shaft='s' p='0.2 m/rad' at='.5 .2 .1' "
		 "axis='1 2 2'/><torque id='T' a='wall' b='s' tau='2 N.m'/>",
		 "node(s).theta", 1 / (J + 0.04)},
		{"<cylindrical id='J' a='wall' b='b' at='.5 .2 .1' axis='1 2 2'/>"
		 "<spatial-force id='T' a='b' at='.5 .2 .1' fx='3 N'/>",
		 "node(b).y", -0.3 + 1.0 / 3 * 2 / 3 * 3 / 2},
		{"<slider id='J' a='wall' b='b' at='.5 .2 .1' axis='1 2 2'/>"
		 "<spatial-force id='T' a='b' fx='3 N'/>",
		 "node(b).y", -0.3 + 1.0 / 3 * 2 / 3 * 3 / 2},
		{"<plane-joint id='J' a='wall' b='b' at='.5 .2 .1' axis='1 2 2'/>"
		 "<spatial-force id='T' a='b' fx='3 N'/>",
		 "node(b).y", -0.3 - 1.0 / 3 * 2 / 3 * 3 / 2},
		{"<weld id='J' a='wall' b='b' at='.5 .2 .1' axis='1 2 2'/>"
		 "<spatial-force id='T' a='b' fx='3 N'/>",
		 "node(b).y", -0.3},
	};
	for (int k = 0; k < COUNT(cases); k++) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(&xml, TILTED, cases[k].xml);
		bxt_table *t = run(xml.text, "gauss3", 0.01, 1, cases[k].signal);
		ck_assert_msg(fabs(last_value(t, cases[k].signal) - cases[k].end) < 1e-9,
			      "%s: %.12g, right %.12g", cases[k].xml,
			      last_value(t, cases[k].signal), cases[k].end);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
}
END_TEST

/* The point of a ball and of a universal joint stays where it was; axes stay at right angles. */
START_TEST(placed_points)
{
	static const char *const joints[] = {
		"<ball id='J' a='wall' b='b' at='.5 .2 .1'/>"
		"<spatial-force id='T' a='b' fx='3 N' fz='1 N'/>",
		"<universal id='J' a='wall' b='b' at='.5 .2 .1' axis='1 2 2' cross='2 1 -2'/>"
		"<spatial-force id='T' a='b' fx='3 N' fz='1 N'/>",
		"<link id='J' a='wall' b='b' from='.5 .2 .1' to='1 -.3 .6' l='=sqrt(0.75)'/>"
		"<spatial-force id='T' a='b' fx='3 N' fz='1 N'/>",
	};
	for (int k = 0; k < COUNT(joints); k++) {
		bxt_buffer xml = {0};
		bxt_buffer_printf(&xml, TILTED, joints[k]);
		bxt_table *t = run(xml.text, "gauss2", 0.01, 1, "node(b).*, drift(position)");
		double r = 0;
		for (int i = 0; i < 3; i++)
			r = hypot(r, last_value(t, (const char *[]){"node(b).x", "node(b).y",
								    "node(b).z"}[i]) -
					     (double[]){.5, .2, .1}[i]);
		ck_assert_double_eq_tol(r, sqrt(0.75), 1e-12);
		ck_assert_double_gt(fabs(last_value(t, "node(b).x") - 1), 0.05); /* it moves */
		ck_assert_double_le(largest(t, "drift(position)"), 1e-12);
		bxt_table_free(t);
		bxt_buffer_free(&xml);
	}
}
END_TEST

/* ---- Rolling ---- */

/* v' = (2/7) Omega z x v for a solid sphere on a turntable: a circle at 2 Omega/7. */
START_TEST(turntable)
{
	bxt_table *t = run(NETLIST("<node id='b' kind='spatial' x='0.2 m' y='0 m' z='0.1 m' "
				   "vx='0 m/s' vy='0.3 m/s' wx='3 rad/s'/>"
				   "<body id='B' a='b' m='2 kg' Ixx='8e-3 kg.m2' Iyy='8e-3 kg.m2' "
				   "Izz='8e-3 kg.m2'/>"
				   "<rolling-sphere id='S' a='b' r='0.1 m' Omega='3 rad/s'/>"),
			   "gauss3", 0.01, 8, "node(b).x, node(b).y");
	const double rate = 2 * 3.0 / 7, radius = 0.3 / rate;
	for (size_t r = 0; r < bxt_table_rows(t); r++) {
		const double angle = rate * bxt_table_time(t, r);
		ck_assert_double_eq_tol(value_at(t, r, "node(b).x"),
					0.2 + radius * (cos(angle) - 1), 1e-9);
		ck_assert_double_eq_tol(value_at(t, r, "node(b).y"), radius * sin(angle), 1e-9);
	}
	bxt_table_free(t);
}
END_TEST

/*
 * A tilted disk that rolls: with e up within the disk, v = r w x e and
 *     I w' + w x I w = -r e x m (r (w' x e + w x e') + g z).
 */
START_TEST(disk)
{
	static const char xml[] =
		NETLIST("<node id='b' kind='spatial' roll='1.2 rad' yaw='0.3 rad' x='0.1 m' "
			"y='-0.2 m' z='=0.3*sin(1.2)' vx='-2.5085043397083 m/s' "
			"vy='-0.88117957042878 m/s' vz='0.039075953126783 m/s' "
			"wx='2.7034910664118 rad/s' wy='-7.5232875849262 rad/s' "
			"wz='3.8988620358134 rad/s'/>"
			"<body id='B' a='b' m='1.2 kg' Ixx='.03 kg.m2' Iyy='.03 kg.m2' "
			"Izz='.055 kg.m2' gz='-9.81 m/s2'/>"
			"<rolling-disk-3d id='D' a='b' r='0.3 m'/>");
	static const struct {
		const char *name;
		double value;
	} end[] = {{"node(b).x", -2.2884349675029},   {"node(b).y", 0.52783931986744},
		   {"node(b).z", 0.27995434315701},   {"node(b).R31", -0.1557235691744},
		   {"node(b).R33", 0.35940638941215}, {"node(b).wx", -6.4217478288344},
		   {"node(b).wz", 3.9212246970537}};
	static const struct {
		const char *scheme;
		double step, order;
	} gauss[] = {{"gauss1", 0.005, 2}, {"gauss2", 0.02, 4}, {"gauss3", 0.04, 6}};
	for (int k = 0; k < COUNT(gauss); k++) {
		double error[2] = {0};
		for (int i = 0; i < 2; i++) {
			bxt_table *t = run(xml, gauss[k].scheme, gauss[k].step / (1 + i), 1,
					   "node(b).*, energy");
			for (int s = 0; s < COUNT(end); s++)
				error[i] = fmax(error[i],
						fabs(last_value(t, end[s].name) - end[s].value));
			/* rolling takes no energy */
			ck_assert_double_eq_tol(last_value(t, "energy"), value_at(t, 0, "energy"),
						1e-12 * 10);
			bxt_table_free(t);
		}
		const double order = log2(error[0] / error[1]);
		if (getenv("BXT_TESTS_TELL"))
			printf("%s: %.3g, %.3g, order %.2f\n", gauss[k].scheme, error[0], error[1],
			       order);
		ck_assert_msg(fabs(order - gauss[k].order) < 0.3, "%s: %.3g, %.3g, order %.2f",
			      gauss[k].scheme, error[0], error[1], order);
	}
}
END_TEST

/* ---- Forces and sensors ---- */

#define TENSOR_A                                                                                   \
	"cx='0.1 m' cy='0.05 m' cz='-0.1 m' Ixx='0.1 kg.m2' Iyy='0.12 kg.m2' Izz='0.09 kg.m2' "    \
	"Ixy='0.01 kg.m2' Ixz='-0.02 kg.m2' Iyz='0.015 kg.m2' "
#define TENSOR_B                                                                                   \
	"cx='0.05 m' cy='-0.1 m' cz='0.2 m' Ixx='0.05 kg.m2' Iyy='0.06 kg.m2' Izz='0.07 kg.m2' "   \
	"Ixy='-0.01 kg.m2' Ixz='0.005 kg.m2' Iyz='0.01 kg.m2' "
#define GRAVITY "gx='1 m/s2' gy='-9.81 m/s2' gz='-2 m/s2'"
#define FREE                                                                                       \
	"<node id='a' kind='spatial' roll='0.7 rad' yaw='0.4 rad' x='0.1 m' y='0.2 m' z='0.3 m' "  \
	"vx='0.3 m/s' vy='-0.2 m/s' vz='1 m/s' wx='1 rad/s' wy='-2 rad/s' wz='0.5 rad/s'/>"        \
	"<node id='b' kind='spatial' roll='0.2 rad' yaw='-1.1 rad' x='1 m' y='-0.3 m' z='0.6 m' "  \
	"vx='0 m/s' vy='0.4 m/s' vz='2 m/s' wx='-0.7 rad/s' wy='0.3 rad/s' wz='2 rad/s'/>"         \
	"<body id='A' a='a' m='2 kg' " TENSOR_A GRAVITY "/>"                                       \
	"<body id='B' a='b' m='1.5 kg' " TENSOR_B GRAVITY "/>"
#define POINT "ax='0.2 m' ay='-0.1 m' az='0.3 m' "
#define OTHER "bx='-0.1 m' by='0.15 m' bz='-0.25 m' "
#define OTHER_A "ax='-0.1 m' ay='0.15 m' az='-0.25 m' "
#define ALL_FORCES                                                                                 \
	"<spatial-spring id='S' a='a' b='b' k='50 N/m' l0='0.7 m' " POINT OTHER "/>"               \
	"<spatial-damper id='D' a='a' b='b' c='3 N.s/m' " POINT OTHER "/>"                         \
	"<spatial-force id='F' a='a' " OTHER_A "fx='=2*sin(5*t)' fy='1 N' fz='=-0.5*t'/>"          \
	"<follower-force id='G' a='b' " POINT "fx='0.5 N' fy='=-cos(3*t)' fz='2 N'/>"              \
	"<spatial-torque id='T' a='a' b='b' tx='0.1 N.m' ty='=0.2*sin(4*t)' tz='-0.3 N.m'/>"       \
	"<follower-torque id='U' a='a' b='b' tx='=0.05*cos(2*t)' ty='0.1 N.m' tz='0.2 N.m'/>"      \
	"<rotary-damper-3d id='R' a='a' b='b' c='0.07 N.m.s/rad'/>"

/*
 * Two free bodies under all of it, m (v' - g) = f and I w' + w x I w = sum r x f + T about centres
 * of mass; the gyroscope reads R^T w, and the accelerometer R^T (a - g) at its point. With and
 * without the sensors the motion is the same.
 */
START_TEST(forces_and_sensors)
{
	static const struct {
		const char *name;
		double value, scale;
	} end[] = {{"node(a).x", 0.68334464611159, 1},   {"node(a).y", -1.5661401109841, 1},
		   {"node(a).z", 0.60918309014764, 1},   {"node(a).R31", 0.86928917567632, 1},
		   {"node(a).wx", -0.24226622308193, 1}, {"node(a).wy", -2.7265349887013, 1},
		   {"node(b).x", 1.1362378913604, 1},    {"node(b).y", -1.9612712074054, 1},
		   {"node(b).z", 1.7058961723233, 1},    {"node(b).R31", 0.072684336404709, 1},
		   {"node(b).wx", -0.82494357492159, 1}, {"node(b).wz", 1.4181488829951, 1},
		   {"Y.Wx", -0.76930058886615, 1},       {"Y.Wy", 0.30793437036048, 1},
		   {"Y.Wz", 1.4456338746816, 1},         {"C.x.lambda", -0.8797215854176, 1e-3},
		   {"C.y.lambda", 1.103439565664, 1e-3}, {"C.z.lambda", 0.7785332804495, 1e-3}};
	static const char sensors[] =
		NETLIST(FREE ALL_FORCES "<gyroscope id='Y' a='b'/>"
					"<accelerometer id='C' a='b' m='1 g' " POINT GRAVITY "/>");
	bxt_table *t = run(sensors, "gauss3", 0.005, 0.6,
			   "node(a).*, node(b).*, Y.Wx, Y.Wy, Y.Wz, C.x.lambda, C.y.lambda, "
			   "C.z.lambda");
	for (int k = 0; k < COUNT(end); k++)
		ck_assert_msg(fabs(last_value(t, end[k].name) / end[k].scale - end[k].value) <
				      1e-11,
			      "%s: %.14g, by hand %.14g", end[k].name,
			      last_value(t, end[k].name) / end[k].scale, end[k].value);
	bxt_table *bare = run(NETLIST(FREE ALL_FORCES), "gauss3", 0.005, 0.6, "node(b).*");
	ck_assert_double_le(difference(bare, "node(b).R31", t, "node(b).R31"), 1e-12);
	ck_assert_double_le(difference(bare, "node(b).wx", t, "node(b).wx"), 1e-12);
	bxt_table_free(bare);
	bxt_table_free(t);
}
END_TEST

static const struct {
	const char *what, *one, *other;
	double tolerance;
} twins[] = {
	{"a force by signals",
	 NETLIST(FREE "<spatial-force-actuator id='F' a='b' K='2' " POINT "/>"
		      "<signal to='F.ux'>cos(4*t)</signal><signal to='F.uy'>t</signal>"
		      "<signal to='F.uz'>1</signal>"),
	 NETLIST(FREE "<spatial-force id='F' a='b' fx='=2*cos(4*t)' fy='=2*t' fz='2 N' " POINT
		      "/>"),
	 1e-12},
	{"a torque by signals",
	 NETLIST(FREE "<spatial-torque-actuator id='T' a='a' b='b' K='0.1'/>"
		      "<signal to='T.ux'>cos(4*t)</signal><signal to='T.uy'>t</signal>"
		      "<signal to='T.uz'>1</signal>"),
	 NETLIST(FREE "<follower-torque id='T' a='a' b='b' tx='=0.1*cos(4*t)' ty='=0.1*t' "
		      "tz='0.1 N.m'/>"),
	 1e-12},
	/* the rod's length is a row on the one side, an expression on the other */
	{"a strut with a spring",
	 NETLIST(FREE "<strut id='S' a='a' b='b' rod='r' l0='0.9 m' " POINT OTHER "/>"
		      "<spring id='K' a='wall' b='r' k='50 N/m' l0='-0.2 m'/>"),
	 NETLIST(FREE "<spatial-spring id='K' a='a' b='b' k='50 N/m' l0='0.7 m' " POINT OTHER "/>"),
	 1e-9},
	{"a body of two, welded",
	 NETLIST(FREE "<body id='C' a='b' m='1 kg' " TENSOR_A GRAVITY "/>"),
	 NETLIST(FREE "<node id='c' kind='spatial' roll='0.2 rad' yaw='-1.1 rad' x='1 m' "
		      "y='-0.3 m' z='0.6 m' vx='0 m/s' vy='0.4 m/s' vz='2 m/s' wx='-0.7 rad/s' "
		      "wy='0.3 rad/s' wz='2 rad/s'/><body id='C' a='c' m='1 kg' " TENSOR_A GRAVITY
		      "/><weld id='W' a='b' b='c'/>"),
	 1e-11},
};

START_TEST(other_parts)
{
	static const char *const names[] = {"node(a).x",   "node(a).R31", "node(b).y",
					    "node(b).R12", "node(b).wx",  "node(b).wz"};
	bxt_table *one = run(twins[_i].one, "gauss3", 0.01, 1, "node(a).*, node(b).*");
	bxt_table *other = run(twins[_i].other, "gauss3", 0.01, 1, "node(a).*, node(b).*");
	for (int k = 0; k < COUNT(names); k++) {
		const double off = difference(one, names[k], other, names[k]);
		ck_assert_msg(off <= twins[_i].tolerance, "%s: %s differs by %.3g", twins[_i].what,
			      names[k], off);
	}
	bxt_table_free(one);
	bxt_table_free(other);
}
END_TEST

/* ---- Long runs ---- */

/* The top of test_frames.c in library parts: 1e5 steps of gauss1 keep energy, the momentum about
 * the upright and the frame. */
START_TEST(a_hundred_thousand_steps)
{
	static const char xml[] = NETLIST(
		"<node id='b' kind='spatial' axis='.4 -.3 .2' angle='0.53851648071345040313 rad' "
		"wx='-1.1612919097039431 rad/s' wy='-2.6987110495533098 rad/s' "
		"wz='7.5245172450779219 rad/s'/>"
		"<body id='B' a='b' m='2 kg' cx='.1 m' cy='.2 m' cz='.5 m' Ixx='.4 kg.m2' "
		"Iyy='.5 kg.m2' Izz='.7 kg.m2' gz='-9.81 m/s2'/><ball id='P' a='wall' b='b'/>"
		"<symmetry id='upright'>"
		"<generator on='node(b).x'>-node(b).y</generator>"
		"<generator on='node(b).y'>node(b).x</generator>"
		"<generator on='node(b).R11'>-node(b).R21</generator>"
		"<generator on='node(b).R21'>node(b).R11</generator>"
		"<generator on='node(b).R12'>-node(b).R22</generator>"
		"<generator on='node(b).R22'>node(b).R12</generator>"
		"<generator on='node(b).R13'>-node(b).R23</generator>"
		"<generator on='node(b).R23'>node(b).R13</generator></symmetry>");
	model m = model_of_text(xml);
	bxt_table *t = model_run(&m,
				 &(bxt_run_def){.size = sizeof(bxt_run_def),
						.scheme = "gauss1",
						.step = 0.01,
						.end = 1000,
						.every = 500,
						.record = "energy, momentum(upright), node(b).*"},
				 NULL);
	double energy = 0, momentum = 0, frame = 0;
	for (size_t r = 0; r < bxt_table_rows(t); r++) {
		double length = 0;
		for (int i = 1; i <= 3; i++) {
			char name[24];
			snprintf(name, sizeof name, "node(b).R%d1", i);
			length += pow(value_at(t, r, name), 2);
		}
		frame = fmax(frame, fabs(length - 1));
		energy = fmax(energy, fabs(value_at(t, r, "energy") - value_at(t, 0, "energy")));
		momentum = fmax(momentum, fabs(value_at(t, r, "momentum(upright)") -
					       value_at(t, 0, "momentum(upright)")));
	}
	if (getenv("BXT_TESTS_TELL"))
		printf("energy %.3g, momentum %.3g, frame %.3g\n", energy, momentum, frame);
	ck_assert_double_le(energy, 1e-11);
	ck_assert_double_le(momentum, 1e-12);
	ck_assert_double_le(frame, 1e-14);
	bxt_table_free(t);
	model_free(&m);
}
END_TEST

TEST_SUITE("parts in space")
{
	const test_case tests[] = {
		{"motor hinge", motor_hinge},
		{"turns", turns},
		{"screw", screw},
		{"gear between shafts", gear_between_shafts},
		{"placed", placed},
		{"placed points", placed_points},
		{"turntable", turntable},
		{"disk", disk, .slow = true},
		{"forces and sensors", forces_and_sensors},
		{"other parts", other_parts, .loops = COUNT(twins)},
		{"a hundred thousand steps", a_hundred_thousand_steps, .slow = true},
	};
	ADD_TESTS(tests);
}
