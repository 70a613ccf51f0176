/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tree of links: finds the base and the poses at the start, and what would move without mass.
 */
#include "exchange/robot/robot.h"

#include <math.h>

int bxt_robot_link(const bxt_robot *robot, const char *name)
{
	return bxt_map_get(&robot->link_names, name);
}

int bxt_robot_joint(const bxt_robot *robot, const char *name)
{
	return bxt_map_get(&robot->joint_names, name);
}

/* ---- The base ---- */

static void find_base(bxt_robot *r)
{
	r->root = -1;
	for (int i = 0; i < r->n_links; i++) {
		if (r->links[i].joint >= 0)
			continue;
		if (r->root >= 0)
			bxt_robot_error(
				r, r->links[i].place,
				"link '%s' is no joint's child, as '%s' is none: a robot has "
				"one base",
				r->links[i].name, r->links[r->root].name);
		else
			r->root = i;
	}
	if (r->root < 0 && r->n_links)
		bxt_robot_error(
			r, r->links[0].place,
			"every link is a joint's child: the joints form a ring; close it with "
			"--close instead of a <joint>");
}

/* ---- Where the joints are ---- */

/*
 * A joint that follows another one is at ratio q' + offset. Chains of such joints are resolved from
 * the joint that follows none. `chain` has room for all joints.
 */
static void settle_joints(bxt_robot *r, int *chain)
{
	for (int i = 0; i < r->n_joints; i++) {
		int n = 0;
		for (int k = i;
		     n <= r->n_joints && r->joints[k].mimic >= 0 && !r->joints[k].settled;
		     k = r->joints[k].mimic)
			if (n++ < r->n_joints)
				chain[n - 1] = k;
		if (n > r->n_joints) {
			bxt_robot_error(r, r->joints[i].place,
					"joint '%s' follows joints that follow it",
					r->joints[i].name);
			return;
		}
		while (n-- > 0) {
			bxt_joint *j = &r->joints[chain[n]];
			j->q = j->ratio * r->joints[j->mimic].q + j->offset;
			j->settled = true;
		}
	}
}

static bxt_pose place_of_child(const bxt_robot *r, const bxt_joint *j)
{
	const bxt_pose at = bxt_pose_then(&r->links[j->parent].pose, &j->pose);
	const bxt_pose moved = j->type == BXT_JOINT_PRISMATIC ? bxt_pose_shift(j->axis, j->q)
							      : bxt_pose_turn(j->axis, j->q);
	return j->q == 0 ? at : bxt_pose_then(&at, &moved);
}

static bool is_finite(const bxt_pose *pose)
{
	double sum = 0;
	for (int i = 0; i < 3; i++)
		sum += pose->x[i] * 0 + pose->R[i][0] + pose->R[i][1] + pose->R[i][2];
	return isfinite(sum);
}

/* A frame without mass that is fixed to a link is no body of its own. */
static void hold(bxt_robot *r, const bxt_joint *j)
{
	const bxt_link *parent = &r->links[j->parent];
	bxt_link *child = &r->links[j->child];
	const bool part = !child->massive && j->type == BXT_JOINT_FIXED;
	child->holder = part ? parent->holder : j->child;
	child->held = part ? bxt_pose_then(&parent->held, &j->pose) : bxt_pose_here;
	r->n_held += part;
}

/*
 * Finds the pose of each link along its chain of joints, from a link whose pose is known. `chain`
 * has room for all joints.
 */
static void place_links(bxt_robot *r, int *chain)
{
	r->links[r->root].posed = true;
	r->links[r->root].holder = r->root;
	for (int i = 0; i < r->n_links; i++) {
		int n = 0;
		for (int k = i; n <= r->n_joints && !r->links[k].posed;
		     k = r->joints[r->links[k].joint].parent)
			if (n++ < r->n_joints)
				chain[n - 1] = r->links[k].joint;
		if (n > r->n_joints) {
			bxt_robot_error(
				r, r->links[i].place,
				"link '%s' does not hang on the base '%s': its joints form a "
				"ring; close it with --close instead of a <joint>",
				r->links[i].name, r->links[r->root].name);
			return;
		}
		while (n-- > 0) {
			const bxt_joint *j = &r->joints[chain[n]];
			bxt_link *child = &r->links[j->child];
			child->pose = place_of_child(r, j);
			child->posed = true;
			hold(r, j);
			if (!is_finite(&child->pose)) {
				bxt_robot_error(r, j->place,
						"joint '%s': its numbers are too large", j->name);
				return;
			}
		}
	}
}

/* ---- Mass ---- */

/* Marks the joints that carry a mass. Links and joints form a tree. */
static void mark_carriers(bxt_robot *r)
{
	for (int i = 0; i < r->n_links; i++)
		if (r->links[i].massive)
			for (int k = r->links[i].joint; k >= 0 && !r->joints[k].carries;
			     k = r->links[r->joints[k].parent].joint)
				r->joints[k].carries = true;
}

static void check_mass(bxt_robot *r)
{
	bool any = false;
	for (int i = 0; i < r->n_links; i++)
		any = any || r->links[i].massive;
	if (r->n_links && !any)
		bxt_robot_error(r, r->links[0].place,
				"no link has a mass: their <inertial> is missing");
	mark_carriers(r);
	for (int i = 0; i < r->n_joints && any; i++)
		if (r->joints[i].type != BXT_JOINT_FIXED && !r->joints[i].carries)
			bxt_robot_error(
				r, r->joints[i].place,
				"joint '%s' moves link '%s', which has no mass, nor has what "
				"hangs on it; give it an <inertial>, or make the joint fixed",
				r->joints[i].name, r->links[r->joints[i].child].name);
}

void bxt_robot_connect(bxt_robot *r)
{
	int *chain = BXT_NEW(r->arena, int, (size_t)r->n_joints);
	r->failed = r->failed || !chain;
	find_base(r);
	if (r->errors == 0 && !r->failed)
		settle_joints(r, chain);
	if (r->errors == 0 && !r->failed)
		place_links(r, chain);
	if (r->errors == 0 && !r->failed)
		check_mass(r);
}
