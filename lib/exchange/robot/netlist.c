/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writes the robot as the text of a netlist. The frame of a joint is that of its child link, so
 * points and directions of frame b are the origin and the axes of the child. Those of frame a are
 * expressed in axes of the parent.
 */
#include "exchange/robot/robot.h"

#include <math.h>
#include <string.h>

enum { MOST_RECORDED = 60 };

static bool is_turning(const bxt_joint *j)
{
	return j->type == BXT_JOINT_REVOLUTE || j->type == BXT_JOINT_CONTINUOUS;
}

static bool has_shaft(const bxt_joint *j)
{
	return is_turning(j) || j->type == BXT_JOINT_PRISMATIC;
}

/* ---- Text ---- */

static void add(bxt_buffer *out, const char *text)
{
	bxt_buffer_add(out, text, strlen(text));
}

/* Writes a text as the value of an attribute. */
static void add_escaped(bxt_buffer *out, const char *text)
{
	for (const char *c = text; *c; c++)
		if (strchr("&<>\"\n\t\r", *c))
			bxt_buffer_printf(out, "&#%d;", *c);
		else
			bxt_buffer_add(out, c, 1);
}

/* Writes a text inside a comment, which must not contain "--". */
static void add_remark(bxt_buffer *out, const char *text)
{
	for (const char *c = text; *c; c++) {
		bxt_buffer_add(out, c, 1);
		if (*c == '-')
			add(out, " ");
	}
}

static void add_value(bxt_buffer *out, const char *name, double value, const char *unit)
{
	char number[32];
	bxt_format_number(number, value);
	bxt_buffer_printf(out, " %s=\"%s%s%s\"", name, number, *unit ? " " : "", unit);
}

/* Writes a value unless it is the default. */
static void add_unless(bxt_buffer *out, const char *name, double value, const char *unit,
		       double usual)
{
	if (value != usual)
		add_value(out, name, value, unit);
}

static void add_point(bxt_buffer *out, char port, const double x[3])
{
	for (int k = 0; k < 3; k++)
		add_unless(out, (char[]){port, "xyz"[k], 0}, x[k], "m", 0);
}

/* A direction "an" of a joint: anx, any, anz; `usual` is the axis that is its default. */
static void add_direction(bxt_buffer *out, const char *name, const double v[3], int usual)
{
	bool same = true;
	for (int k = 0; k < 3; k++)
		same = same && v[k] == (k == usual);
	for (int k = 0; k < 3 && !same; k++)
		add_value(out, (char[]){name[0], name[1], "xyz"[k], 0}, v[k], "");
}

/* ---- Links ---- */

/*
 * The base of a fixed robot is the ground. What is fixed to a link without mass uses the node of
 * that link.
 */
static const char *node_of(const bxt_robot *r, int link)
{
	const int holder = r->links[link].holder;
	return holder == r->root && !r->floating ? "wall" : r->links[holder].id;
}

static void write_node(const bxt_link *l, bxt_buffer *out)
{
	bxt_buffer_printf(out, "  <node id=\"%s\" kind=\"spatial\"", l->id);
	for (int k = 0; k < 3; k++)
		add_unless(out, (char[]){"xyz"[k], 0}, l->pose.x[k], "m", 0);
	bool turned = false;
	for (int i = 0; i < 9; i++)
		turned = turned || l->pose.R[i / 3][i % 3] != (i / 3 == i % 3);
	for (int j = 0; j < 3 && turned; j++)
		for (int i = 0; i < 3; i++)
			add_value(out, (char[]){'R', "123"[i], "123"[j], 0}, l->pose.R[i][j], "");
	add(out, "/>\n");
}

static void write_body(const bxt_link *l, bxt_buffer *out)
{
	bxt_buffer_printf(out, "  <body id=\"%s-body\" a=\"%s\"", l->id, l->id);
	add_value(out, "m", l->m, "kg");
	add_point(out, 'c', l->c);
	add_value(out, "Ixx", l->I[0][0], "kg.m2");
	add_value(out, "Iyy", l->I[1][1], "kg.m2");
	add_value(out, "Izz", l->I[2][2], "kg.m2");
	add_unless(out, "Ixy", l->I[0][1], "kg.m2", 0);
	add_unless(out, "Iyz", l->I[1][2], "kg.m2", 0);
	add_unless(out, "Ixz", l->I[0][2], "kg.m2", 0);
	add(out, " gz=\"=-g\"/>\n");
}

/* ---- Joints ---- */

static void write_limit(const bxt_joint *j, bxt_buffer *out)
{
	static const char *const names[] = {"lower", "upper", "effort", "velocity"};
	if (!j->limit)
		return;
	bxt_buffer_printf(out, "  <!-- limits of %s, which nothing holds:", j->id);
	for (int i = 0; i < 4; i++) {
		const char *value = bxt_item_get(j->limit, names[i]);
		if (!value)
			continue;
		bxt_buffer_printf(out, " %s ", names[i]);
		/* the minus sign is kept: no second one follows it */
		if (strstr(value, "--") || value[0] == '\0' || value[strlen(value) - 1] == '-')
			add_remark(out, value);
		else
			add(out, value);
	}
	add(out, " -->\n");
}

static void begin_joint(const bxt_robot *r, const bxt_joint *j, const char *component,
			bxt_buffer *out)
{
	bxt_buffer_printf(out, "  <%s id=\"%s\" a=\"%s\" b=\"%s\"", component, j->id,
			  node_of(r, j->parent), node_of(r, j->child));
}

/* n, s and t of frame a are those of the child, turned; of frame b those that the rows use. */
static void write_joint(const bxt_robot *r, const bxt_joint *j, bxt_buffer *out)
{
	static const double z[3] = {0, 0, 1};
	double n[3], s[3] = {1, 0, 0}, t[3] = {0, 1, 0}, an[3], as[3], at[3];
	const bool weld = j->type == BXT_JOINT_FIXED;
	memcpy(n, weld ? z : j->axis, sizeof n);
	if (n[0] != 0 || n[1] != 0 || n[2] != 1)
		bxt_pose_across(n, s, t);
	const bxt_pose pose = bxt_pose_then(&r->links[j->parent].held, &j->pose);
	bxt_rotate(pose.R, n, an);
	bxt_rotate(pose.R, s, as);
	bxt_rotate(pose.R, t, at);
	begin_joint(r, j,
		    weld                             ? "weld"
		    : is_turning(j)                  ? "motor-hinge"
		    : j->type == BXT_JOINT_PRISMATIC ? "rail-slider"
						     : "plane-joint",
		    out);
	if (has_shaft(j))
		bxt_buffer_printf(out, " %s=\"%s-shaft\"", is_turning(j) ? "shaft" : "rod", j->id);
	add_point(out, 'a', pose.x);
	if (j->type == BXT_JOINT_PRISMATIC || j->type == BXT_JOINT_PLANAR)
		add_direction(out, "an", an, 2);
	add_direction(out, "as", as, 0);
	add_direction(out, "at", at, 1);
	add_direction(out, "bn", n, 2);
	if (is_turning(j))
		add_direction(out, "bs", s, 0);
	if (j->type == BXT_JOINT_PRISMATIC || weld)
		add_direction(out, "bt", t, 1);
	add(out, "/>\n");
}

static void write_shaft(const bxt_joint *j, bxt_buffer *out)
{
	const bool turning = is_turning(j);
	bxt_buffer_printf(out, "  <node id=\"%s-shaft\" kind=\"%s\"", j->id,
			  turning ? "rotational" : "translational");
	add_unless(out, turning ? "theta" : "x", j->q, turning ? "rad" : "m", 0);
	add(out, "/>\n");
	if (j->damping > 0) {
		bxt_buffer_printf(out, "  <%s id=\"%s-damper\" a=\"wall\" b=\"%s-shaft\"",
				  turning ? "rotational-damper" : "damper", j->id, j->id);
		add_value(out, "c", j->damping, turning ? "N.m.s/rad" : "N.s/m");
		add(out, "/>\n");
	}
}

/* A row between both shafts: q' = ratio q'_leader. The initial values contain the offset. */
static void write_mimic(bxt_robot *r, const bxt_joint *j, bxt_buffer *out)
{
	const bxt_joint *leader = &r->joints[j->mimic];
	const bool mixed = is_turning(j) != is_turning(leader);
	if (mixed) {
		const bool rack = !is_turning(j);
		const double radius = rack ? j->ratio : 1 / j->ratio;
		if (!(radius > 0) || !isfinite(radius)) {
			bxt_robot_error(
				r, j->place,
				"joint '%s' follows '%s' by %g, and one slides where the other "
				"turns: only positive multipliers are imported; turn an axis "
				"round",
				j->name, leader->name, j->ratio);
			return;
		}
		bxt_buffer_printf(out,
				  "  <rack-and-pinion id=\"%s-follows\" pinion=\"%s-shaft\" "
				  "rack=\"%s-shaft\"",
				  j->id, rack ? leader->id : j->id, rack ? j->id : leader->id);
		add_value(out, "r", radius, "m");
	} else {
		bxt_buffer_printf(out, "  <%s id=\"%s-follows\" a=\"%s-shaft\" b=\"%s-shaft\"",
				  is_turning(j) ? "gear" : "lever", j->id, j->id, leader->id);
		add_value(out, "ratio", j->ratio, "");
	}
	add(out, "/>\n");
}

static void write_closure(const bxt_robot *r, const bxt_closure *c, bxt_buffer *out)
{
	bxt_buffer_printf(out, "  <ball id=\"%s\" a=\"%s\" b=\"%s\"", c->id, node_of(r, c->link[0]),
			  node_of(r, c->link[1]));
	for (int k = 0; k < 2; k++) {
		double at[3];
		bxt_pose_back(&r->links[r->links[c->link[k]].holder].pose, c->point, at);
		add_point(out, "ab"[k], at);
	}
	add(out, "/>\n");
}

/* ---- The netlist ---- */

static void write_head(const bxt_robot *r, bxt_buffer *out)
{
	add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!--\n  The robot ");
	add_remark(out, r->name);
	add(out, ", imported from a URDF file: links are nodes and bodies, joints have shafts and "
		 "rods for\n"
		 "  drives. At the start all joints are at 0, and the base is at the origin.\n");
	if (!r->floating) {
		add(out, "  The base, link ");
		add_remark(out, r->links[r->root].name);
		add(out, ", is the ground.\n");
	}
	add(out, "-->\n<netlist xmlns=\"urn:boxtimes:netlist:1\" name=\"");
	add_escaped(out, r->name);
	add(out,
	    "\">\n  <simulation end=\"2 s\" step=\"1 ms\"/>\n"
	    "  <parameter name=\"g\" unit=\"m/s2\" default=\"9.81 m/s2\">gravity, along -z of the "
	    "base</parameter>\n");
}

static void write_record(const bxt_robot *r, bxt_buffer *out)
{
	int n = 0;
	add(out, "  <record>");
	for (int i = 0; i < r->n_joints && n < MOST_RECORDED; i++)
		if (has_shaft(&r->joints[i])) {
			bxt_buffer_printf(out, "node(%s-shaft).%s, ", r->joints[i].id,
					  is_turning(&r->joints[i]) ? "theta" : "x");
			n++;
		}
	add(out, "energy</record>\n</netlist>\n");
}

void bxt_robot_write(bxt_robot *r, bxt_buffer *out)
{
	write_head(r, out);
	for (int i = 0; i < r->n_links; i++)
		if (r->links[i].holder == i && (i != r->root || r->floating)) {
			write_node(&r->links[i], out);
			if (r->links[i].massive)
				write_body(&r->links[i], out);
		}
	for (int i = 0; i < r->n_joints; i++) {
		const bxt_joint *j = &r->joints[i];
		write_limit(j, out);
		if (has_shaft(j))
			write_shaft(j, out);
		if (j->type != BXT_JOINT_FLOATING && r->links[j->child].holder == j->child)
			write_joint(r, j, out);
		if (j->mimic >= 0)
			write_mimic(r, j, out);
	}
	for (int i = 0; i < r->n_closures; i++)
		write_closure(r, &r->closures[i], out);
	write_record(r, out);
}
