/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads URDF: <robot> with <link>s and <joint>s. All errors are reported in one pass, with their
 * lines. The attributes and their defaults are those of the format's description:
 * wiki.ros.org/urdf/XML.
 */
#include "exchange/robot/robot.h"

#include <math.h>
#include <string.h>

/* Round-off of moments that are given by so many digits, by the sum of the moments. */
static const double MOMENTS = 1e-12;

static const char *const types[BXT_JOINT_TYPES] = {"revolute", "continuous", "prismatic",
						   "fixed",    "planar",     "floating"};

/* ---- Attributes ---- */

static const char *name_of(bxt_robot *r, const bxt_item *item)
{
	const char *name = bxt_item_get(item, "name");
	if (name && *name)
		return name;
	bxt_robot_error(r, item->place, "<%s> has no name", item->name);
	return NULL;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Reads n numbers separated by spaces. `value` is unchanged if the attribute is absent. */
static void read_numbers(bxt_robot *r, const bxt_item *item, const char *attribute, int n,
			 double *value)
{
	const char *text = item ? bxt_item_get(item, attribute) : NULL;
	double read[3];
	int found = 0;
	if (!text)
		return;
	const char *c = text;
	for (bool good = true; good;) {
		while (is_space(*c))
			c++;
		const size_t taken =
			*c && found < n ? bxt_read_number(c, strlen(c), &read[found]) : 0;
		good = taken > 0 && (!c[taken] || is_space(c[taken]));
		found += good;
		c += good ? taken : 0;
	}
	if (found == n && !*c)
		memcpy(value, read, (size_t)n * sizeof *value);
	else
		bxt_robot_error(r, item->place, "<%s> %s=\"%s\": %s expected", item->name,
				attribute, text, n == 1 ? "a number is" : "three numbers are");
}

/* Reads a number that must be present. */
static double number_of(bxt_robot *r, const bxt_item *item, const char *attribute)
{
	double value = 0;
	if (!bxt_item_get(item, attribute))
		bxt_robot_error(r, item->place, "<%s> has no %s", item->name, attribute);
	read_numbers(r, item, attribute, 1, &value);
	return value;
}

static bxt_pose origin_of(bxt_robot *r, const bxt_item *item)
{
	double x[3] = {0}, rpy[3] = {0};
	const bxt_item *origin = bxt_item_child(item, "origin", NULL);
	read_numbers(r, origin, "xyz", 3, x);
	read_numbers(r, origin, "rpy", 3, rpy);
	return bxt_pose_of(x, rpy);
}

/* ---- Links ---- */

/*
 * The moments of a body satisfy the triangle inequality, I1 <= I2 + I3 and so on, when
 * C = (tr I/2) 1 - I, the second moments of its mass, has no negative eigenvalue: when its
 * principal minors are not negative.
 */
static bool is_inertia(const double I[3][3])
{
	const double trace = I[0][0] + I[1][1] + I[2][2], slack = MOMENTS * fabs(trace);
	double C[3][3];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			C[i][j] = (i == j) * (trace / 2 + slack) - I[i][j];
	for (int i = 0; i < 3; i++) {
		const int j = (i + 1) % 3;
		if (!(C[i][i] >= 0) || !(C[i][i] * C[j][j] - C[i][j] * C[i][j] >= -slack * trace))
			return false;
	}
	return C[0][0] * (C[1][1] * C[2][2] - C[1][2] * C[2][1]) -
		       C[0][1] * (C[1][0] * C[2][2] - C[1][2] * C[2][0]) +
		       C[0][2] * (C[1][0] * C[2][1] - C[1][1] * C[2][0]) >=
	       -slack * trace * trace;
}

/* The tensor in axes of the link: R I R^T. */
static void turn_inertia(const double R[3][3], double I[3][3])
{
	double left[3][3] = {{0}}, turned[3][3] = {{0}};
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 3; k++)
				left[i][j] += R[i][k] * I[k][j];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 3; k++)
				turned[i][j] += left[i][k] * R[j][k];
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			I[i][j] = (turned[i][j] + turned[j][i]) / 2;
}

static void read_tensor(bxt_robot *r, const bxt_item *inertia, double I[3][3])
{
	static const char *const names[3][3] = {
		{"ixx", "ixy", "ixz"}, {"ixy", "iyy", "iyz"}, {"ixz", "iyz", "izz"}};
	for (int i = 0; i < 3; i++)
		for (int j = i; j < 3; j++)
			I[i][j] = I[j][i] = number_of(r, inertia, names[i][j]);
}

static void read_inertial(bxt_robot *r, const bxt_item *item, bxt_link *l)
{
	const bxt_item *mass = bxt_item_child(item, "mass", NULL);
	const bxt_item *inertia = bxt_item_child(item, "inertia", NULL);
	if (!mass || !inertia) {
		bxt_robot_error(r, item->place, "link '%s': <inertial> has no <%s>", l->name,
				mass ? "inertia" : "mass");
		return;
	}
	const int errors = r->errors;
	l->m = number_of(r, mass, "value");
	read_tensor(r, inertia, l->I);
	const bxt_pose origin = origin_of(r, item);
	if (r->errors > errors || l->m == 0)
		return;
	if (l->m < 0)
		bxt_robot_error(r, mass->place, "link '%s' has a negative mass", l->name);
	else if (!is_inertia(l->I))
		bxt_robot_error(r, inertia->place,
				"link '%s': no body has these moments of inertia: each principal "
				"moment is at most the sum of the other two",
				l->name);
	l->massive = true;
	memcpy(l->c, origin.x, sizeof l->c);
	turn_inertia(origin.R, l->I);
}

static void read_link(bxt_robot *r, const bxt_item *item)
{
	const char *name = name_of(r, item);
	if (!name)
		return;
	const int other = bxt_robot_link(r, name);
	if (other >= 0) {
		bxt_robot_error(r, item->place, "there is a link '%s' already, in line %d", name,
				r->links[other].place.line);
		return;
	}
	bxt_link *l = &r->links[r->n_links++];
	*l = (bxt_link){.name = name,
			.place = item->place,
			.joint = -1,
			.pose = bxt_pose_here,
			.held = bxt_pose_here};
	r->failed = r->failed || bxt_map_put(&r->link_names, name, r->n_links - 1) != BXT_OK;
	const bxt_item *inertial = bxt_item_child(item, "inertial", NULL);
	if (inertial)
		read_inertial(r, inertial, l);
	for (const bxt_item *c = bxt_item_child(item, NULL, NULL); c;
	     c = bxt_item_child(item, NULL, c))
		r->n_shapes += strcmp(c->name, "visual") == 0 || strcmp(c->name, "collision") == 0;
}

/* ---- Joints ---- */

static bool read_type(bxt_robot *r, const bxt_item *item, bxt_joint *j)
{
	const char *type = bxt_item_get(item, "type");
	for (int i = 0; i < BXT_JOINT_TYPES && type; i++)
		if (strcmp(type, types[i]) == 0) {
			j->type = (bxt_joint_type)i;
			return true;
		}
	const char *nearest = type ? bxt_nearest(type, types, BXT_JOINT_TYPES) : NULL;
	bxt_robot_error(r, item->place,
			"joint '%s' has the type '%s': there are revolute, continuous, prismatic, "
			"fixed, planar and floating%s",
			j->name, type ? type : "", bxt_did_you_mean(r->arena, nearest));
	return false;
}

/* The link that <parent> or <child> names. */
static int end_of(bxt_robot *r, const bxt_item *item, const char *end, const char *joint)
{
	const bxt_item *child = bxt_item_child(item, end, NULL);
	const char *name = child ? bxt_item_get(child, "link") : NULL;
	const int link = name ? bxt_robot_link(r, name) : -1;
	if (!name) {
		bxt_robot_error(r, item->place, "joint '%s' has no <%s link=\"...\"/>", joint, end);
	} else if (link < 0) {
		bxt_nearest_search search = {.name = name};
		for (int i = 0; i < r->n_links; i++)
			bxt_nearest_offer(&search, r->links[i].name);
		bxt_robot_error(r, child->place, "joint '%s': there is no link '%s'%s", joint, name,
				bxt_did_you_mean(r->arena, search.best));
	}
	return link;
}

static void read_axis(bxt_robot *r, const bxt_item *item, bxt_joint *j)
{
	const bxt_item *axis = bxt_item_child(item, "axis", NULL);
	j->axis[0] = 1;
	read_numbers(r, axis, "xyz", 3, j->axis);
	const double largest = fmax(fabs(j->axis[0]), fmax(fabs(j->axis[1]), fabs(j->axis[2])));
	double square = 0;
	for (int k = 0; k < 3 && largest > 0; k++)
		square += (j->axis[k] / largest) * (j->axis[k] / largest);
	if (!(square > 0)) {
		bxt_robot_error(r, axis ? axis->place : item->place,
				"joint '%s': the axis has no direction", j->name);
		return;
	}
	for (int k = 0; k < 3; k++)
		j->axis[k] = j->axis[k] / largest / sqrt(square);
}

static bool has_shaft(const bxt_joint *j)
{
	return j->type <= BXT_JOINT_PRISMATIC;
}

static void read_dynamics(bxt_robot *r, const bxt_item *item, bxt_joint *j)
{
	const bxt_item *dynamics = bxt_item_child(item, "dynamics", NULL);
	double friction = 0;
	read_numbers(r, dynamics, "damping", 1, &j->damping);
	read_numbers(r, dynamics, "friction", 1, &friction);
	r->n_friction += friction != 0;
	if (j->damping < 0)
		bxt_robot_error(r, dynamics->place, "joint '%s' has negative damping", j->name);
	else if (j->damping > 0 && !has_shaft(j))
		bxt_warning(r->d, dynamics->place, "joint '%s' is %s: its damping is left out",
			    j->name, types[j->type]);
	j->limit = bxt_item_child(item, "limit", NULL);
}

static void read_joint(bxt_robot *r, const bxt_item *item)
{
	const char *name = name_of(r, item);
	if (!name)
		return;
	const int other = bxt_robot_joint(r, name);
	if (other >= 0) {
		bxt_robot_error(r, item->place, "there is a joint '%s' already, in line %d", name,
				r->joints[other].place.line);
		return;
	}
	bxt_joint j = {.name = name, .place = item->place, .mimic = -1, .ratio = 1};
	const bool typed = read_type(r, item, &j);
	j.parent = end_of(r, item, "parent", name);
	j.child = end_of(r, item, "child", name);
	if (!typed || j.parent < 0 || j.child < 0)
		return;
	j.pose = origin_of(r, item);
	read_axis(r, item, &j);
	read_dynamics(r, item, &j);
	bxt_link *child = &r->links[j.child];
	if (child->joint >= 0) {
		bxt_robot_error(
			r, j.place,
			"link '%s' is the child of joint '%s' already: a loop is closed with "
			"--close",
			child->name, r->joints[child->joint].name);
		return;
	}
	r->failed = r->failed || bxt_map_put(&r->joint_names, name, r->n_joints) != BXT_OK;
	child->joint = r->n_joints;
	r->joints[r->n_joints++] = j;
}

/* A joint may follow a joint that is defined later in the file. */
static void read_mimic(bxt_robot *r, const bxt_item *item)
{
	const char *name = bxt_item_get(item, "name");
	const bxt_item *mimic = bxt_item_child(item, "mimic", NULL);
	const int index = name && mimic ? bxt_robot_joint(r, name) : -1;
	if (index < 0)
		return;
	bxt_joint *j = &r->joints[index];
	const char *leader = bxt_item_get(mimic, "joint");
	j->mimic = leader ? bxt_robot_joint(r, leader) : -1;
	read_numbers(r, mimic, "multiplier", 1, &j->ratio);
	read_numbers(r, mimic, "offset", 1, &j->offset);
	if (j->mimic < 0) {
		bxt_nearest_search search = {.name = leader ? leader : ""};
		for (int i = 0; i < r->n_joints; i++)
			bxt_nearest_offer(&search, r->joints[i].name);
		bxt_robot_error(r, mimic->place, "joint '%s' follows '%s', which is no joint%s",
				j->name, leader ? leader : "",
				bxt_did_you_mean(r->arena, search.best));
	} else if (!has_shaft(j) || !has_shaft(&r->joints[j->mimic])) {
		bxt_robot_error(
			r, mimic->place,
			"joint '%s' cannot follow '%s': one of them is %s, which has no one "
			"coordinate",
			j->name, r->joints[j->mimic].name,
			types[has_shaft(j) ? r->joints[j->mimic].type : j->type]);
	}
}

/* ---- The file ---- */

static int count(const bxt_item *root, const char *name)
{
	int n = 0;
	for (const bxt_item *i = bxt_item_child(root, name, NULL); i;
	     i = bxt_item_child(root, name, i))
		n++;
	return n;
}

static void each(bxt_robot *r, const bxt_item *root, const char *name,
		 void (*read)(bxt_robot *r, const bxt_item *item))
{
	for (const bxt_item *i = bxt_item_child(root, name, NULL); i;
	     i = bxt_item_child(root, name, i))
		read(r, i);
}

static void refuse_macros(bxt_robot *r, const bxt_item *root)
{
	for (const bxt_item *i = root->first; i; i = i->next)
		if (i->type == BXT_ITEM_FOREIGN && strstr(i->ns, "xacro")) {
			bxt_robot_error(r, i->place,
					"<%s:%s> is a macro of xacro: run xacro on the file first",
					i->prefix, i->name);
			return;
		}
}

void bxt_robot_read(bxt_robot *r, const struct bxt_netlist *tree)
{
	const bxt_item *root = tree->root;
	const char *name = bxt_item_get(root, "name");
	r->name = name ? name : "";
	r->links = BXT_NEW(r->arena, bxt_link, (size_t)count(root, "link"));
	r->joints = BXT_NEW(r->arena, bxt_joint, (size_t)count(root, "joint"));
	if (!r->links || !r->joints) {
		r->failed = true;
		return;
	}
	refuse_macros(r, root);
	each(r, root, "link", read_link);
	each(r, root, "joint", read_joint);
	each(r, root, "joint", read_mimic);
	if (r->n_links == 0 && r->errors == 0)
		bxt_robot_error(r, root->place, "the robot has no <link>");
}
