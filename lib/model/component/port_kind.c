/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The port kinds. For each coordinate of each kind effort * flow is a power [W]. */
#include "model/component/component.h"

#include <string.h>

/* clang-format off */
/*
 * The kind `spatial`: the origin x and the directors d_j, column j of R, of an orthonormal frame
 * (Betsch and Steinmann, Comput. Methods Appl. Mech. Engrg. 191, 2001). With U = R' the angular
 * velocity is w = sum d_j x U_j / 2. In these coordinates bodies have a constant inertia, and the
 * rows are at most quadratic, so that Gauss schemes conserve the rows, the energy and the angular
 * momentum.
 */
#define D_DOT(i, j) "(a.R1" #i "*a.R1" #j " + a.R2" #i "*a.R2" #j " + a.R3" #i "*a.R3" #j ")"
/* component p of d_1 x U_1 + d_2 x U_2 + d_3 x U_3, where p, q, r is an even permutation */
#define SPIN(q, r) \
	"(a.R" #q "1*a.U" #r "1 - a.R" #r "1*a.U" #q "1 + a.R" #q "2*a.U" #r "2 - a.R" #r "2*a.U" \
	#q "2 + a.R" #q "3*a.U" #r "3 - a.R" #r "3*a.U" #q "3)/2"
/* component i of R^T w = (d_j . U_k' ...): for an orthonormal frame W_1 = (d_3.U_2 - d_2.U_3)/2 */
#define BODY(j, k) \
	"(a.R1" #k "*a.U1" #j " + a.R2" #k "*a.U2" #j " + a.R3" #k "*a.U3" #j \
	" - a.R1" #j "*a.U1" #k " - a.R2" #j "*a.U2" #k " - a.R3" #j "*a.U3" #k ")/2"
/* The quaternion by the largest of its squares 1 + s1 R11 + s2 R22 + s3 R33, which avoids division
 * by the root of a small number (Shepperd, J. Guidance and Control 1, 1978). */
#define TRACE "a.R11 + a.R22 + a.R33"
#define ROOT_W "sqrt(max(1 + a.R11 + a.R22 + a.R33, 0))"
#define ROOT_X "sqrt(max(1 + a.R11 - a.R22 - a.R33, 0))"
#define ROOT_Y "sqrt(max(1 - a.R11 + a.R22 - a.R33, 0))"
#define ROOT_Z "sqrt(max(1 - a.R11 - a.R22 + a.R33, 0))"
#define BY_LARGEST(w, x, y, z) \
	"if(" TRACE " > 0, " w ", if(min(a.R11 - a.R22, a.R11 - a.R33) >= 0, " x \
	", if(a.R22 >= a.R33, " y ", " z ")))"

static const bxt_kind_quantity spatial_derived[] = {
	{"wx", "rad/s", SPIN(2, 3), true}, {"wy", "rad/s", SPIN(3, 1), true},
	{"wz", "rad/s", SPIN(1, 2), true},
	{"Wx", "rad/s", BODY(2, 3), true}, {"Wy", "rad/s", BODY(3, 1), true},
	{"Wz", "rad/s", BODY(1, 2), true},
	/* R = Rz(yaw) Ry(pitch) Rx(roll) */
	{"roll", "rad", "atan2(a.R32, a.R33)", false},
	{"pitch", "rad", "atan2(-a.R31, sqrt(a.R11^2 + a.R21^2))", false},
	{"yaw", "rad", "atan2(a.R21, a.R11)", false},
	{"qw", "", BY_LARGEST(ROOT_W "/2", "(a.R32 - a.R23)/(2*" ROOT_X ")",
			      "(a.R13 - a.R31)/(2*" ROOT_Y ")", "(a.R21 - a.R12)/(2*" ROOT_Z ")"),
	 false},
	{"qx", "", BY_LARGEST("(a.R32 - a.R23)/(2*" ROOT_W ")", ROOT_X "/2",
			      "(a.R12 + a.R21)/(2*" ROOT_Y ")", "(a.R13 + a.R31)/(2*" ROOT_Z ")"),
	 false},
	{"qy", "", BY_LARGEST("(a.R13 - a.R31)/(2*" ROOT_W ")", "(a.R12 + a.R21)/(2*" ROOT_X ")",
			      ROOT_Y "/2", "(a.R23 + a.R32)/(2*" ROOT_Z ")"),
	 false},
	{"qz", "", BY_LARGEST("(a.R21 - a.R12)/(2*" ROOT_W ")", "(a.R13 + a.R31)/(2*" ROOT_X ")",
			      "(a.R23 + a.R32)/(2*" ROOT_Y ")", ROOT_Z "/2"),
	 false},
	{0}};

const bxt_pose_row bxt_pose_rows[BXT_POSE_COUNT] = {
	[BXT_POSE_ROLL] = {"roll", "rad", "start pose: R = Rz(yaw) Ry(pitch) Rx(roll)", 1},
	[BXT_POSE_PITCH] = {"pitch", "rad", "start pose, see roll", 1},
	[BXT_POSE_YAW] = {"yaw", "rad", "start pose, see roll", 1},
	[BXT_POSE_AXIS] = {"axis", "", "start pose: turned about this direction, X Y Z, by angle",
			   3},
	[BXT_POSE_ANGLE] = {"angle", "rad", "start pose, see axis", 1},
	[BXT_POSE_QUATERNION] = {"quaternion", "", "start pose: W X Y Z, of any length", 4},
	[BXT_POSE_SPIN] = {"wx", "rad/s", "angular velocity at the start, in ground axes", 1},
	[BXT_POSE_SPIN + 1] = {"wy", "rad/s", "angular velocity at the start, in ground axes", 1},
	[BXT_POSE_SPIN + 2] = {"wz", "rad/s", "angular velocity at the start, in ground axes", 1},
};

#define NO_FRAME {0}, 0, NULL, NULL, NULL

static const bxt_kind_row spatial_rows[] = {
	{"unit1", "(" D_DOT(1, 1) " - 1)/2", true}, {"unit2", "(" D_DOT(2, 2) " - 1)/2", true},
	{"unit3", "(" D_DOT(3, 3) " - 1)/2", true}, {"normal12", D_DOT(1, 2), true},
	{"normal23", D_DOT(2, 3), true},            {"normal31", D_DOT(3, 1), true},
	{0}};

#define ACROSS(i, j) "a.R1" #i "*b.R1" #j " + a.R2" #i "*b.R2" #j " + a.R3" #i "*b.R3" #j
static const bxt_kind_row spatial_joined[] = {
	{"x", "b.x - a.x", false}, {"y", "b.y - a.y", false}, {"z", "b.z - a.z", false},
	{"turn1", ACROSS(2, 3), true}, {"turn2", ACROSS(3, 1), true},
	{"turn3", ACROSS(1, 2), true}, {0}};

const bxt_port_kind bxt_port_kinds[] = {
	/* name, type, n, coordinate, its unit, flow, its unit, effort, its unit, fixed node */
	{"electrical", BXT_PORT_BALANCE, 1, {"q"}, {"C"}, {"i"}, {"A"}, {"v"}, {"V"}, "0", NO_FRAME},
	{"hydraulic", BXT_PORT_BALANCE, 1, {"V"}, {"m3"}, {"Q"}, {"m3/s"}, {"p"}, {"Pa"}, "0", NO_FRAME},
	{"thermal", BXT_PORT_BALANCE, 1, {"S"}, {"J/K"}, {"Sdot"}, {"W/K"}, {"T"}, {"K"}, "0", NO_FRAME},
	{"magnetic", BXT_PORT_BALANCE, 1, {"phi"}, {"Wb"}, {"phidot"}, {"V"}, {"mmf"}, {"A"}, "0", NO_FRAME},
	{"translational", BXT_PORT_SHARED, 1, {"x"}, {"m"}, {"v"}, {"m/s"}, {"f"}, {"N"}, "wall", NO_FRAME},
	{"rotational", BXT_PORT_SHARED, 1,
	 {"theta"}, {"rad"}, {"omega"}, {"rad/s"}, {"tau"}, {"N.m"}, "wall", NO_FRAME},
	{"planar", BXT_PORT_SHARED, 3,
	 {"x", "y", "theta"}, {"m", "m", "rad"},
	 {"vx", "vy", "omega"}, {"m/s", "m/s", "rad/s"},
	 {"fx", "fy", "tau"}, {"N", "N", "N.m"}, "wall", NO_FRAME},
	{"spatial", BXT_PORT_SHARED, 12,
	 {"x", "y", "z", "R11", "R21", "R31", "R12", "R22", "R32", "R13", "R23", "R33"},
	 {"m", "m", "m", "1", "1", "1", "1", "1", "1", "1", "1", "1"},
	 {"vx", "vy", "vz", "U11", "U21", "U31", "U12", "U22", "U32", "U13", "U23", "U33"},
	 {"m/s", "m/s", "m/s", "1/s", "1/s", "1/s", "1/s", "1/s", "1/s", "1/s", "1/s", "1/s"},
	 {"fx", "fy", "fz", "F11", "F21", "F31", "F12", "F22", "F32", "F13", "F23", "F33"},
	 {"N", "N", "N", "N.m", "N.m", "N.m", "N.m", "N.m", "N.m", "N.m", "N.m", "N.m"}, "wall",
	 {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, 3, spatial_derived, spatial_rows, spatial_joined},
};
/* clang-format on */

const int bxt_port_kind_count = sizeof bxt_port_kinds / sizeof *bxt_port_kinds;

const bxt_port_kind *bxt_port_kind_find(const char *name)
{
	for (int i = 0; i < bxt_port_kind_count; i++)
		if (strcmp(bxt_port_kinds[i].name, name) == 0)
			return &bxt_port_kinds[i];
	return NULL;
}

bool bxt_is_reference(const bxt_port_kind *kind, const char *node)
{
	if (strcmp(node, "ground") == 0)
		return true;
	for (int i = 0; i < bxt_port_kind_count; i++)
		if ((!kind || kind == &bxt_port_kinds[i]) &&
		    strcmp(node, bxt_port_kinds[i].ground) == 0)
			return true;
	return false;
}

int bxt_component_through(const bxt_component *c)
{
	if (c->n_ports < 1 || c->n_ports > 2)
		return -1;
	const char *in = c->ports[0].flow.text, *out = c->ports[c->n_ports - 1].flow.text;
	for (int i = 0; i < c->n_coordinates && in && out; i++)
		if (strcmp(in, c->coordinates[i].flow) == 0 &&
		    (c->n_ports == 1 || (*out == '-' && strcmp(out + 1, in) == 0)))
			return i;
	return -1;
}
