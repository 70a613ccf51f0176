/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A robot: links in a tree of joints. The frame of a joint is that of its child link when the joint
 * is at 0. Matrices are rows of columns: R[i][j], axis j of the inner frame in axes of the outer
 * one.
 */
#ifndef BXT_ROBOT_ROBOT_H
#define BXT_ROBOT_ROBOT_H

#include "ground/base/text.h"
#include "model/netlist/netlist.h"

typedef struct bxt_pose {
	double x[3], R[3][3];
} bxt_pose;

typedef struct bxt_link {
	const char *name, *id; /* id: unique, as netlists allow it */
	bxt_place place;
	bool massive;
	double m, c[3], I[3][3]; /* about the centre of mass, in axes of the link */
	int joint;               /* whose child it is; -1: none */
	bxt_pose pose;           /* at the start, in axes of the base */
	bool posed;
	/*
	 * the link to whose node it belongs: itself, except for a link without mass at a fixed
	 * joint; and its pose in the frame of that link
	 */
	int holder;
	bxt_pose held;
} bxt_link;

typedef enum bxt_joint_type {
	BXT_JOINT_REVOLUTE,
	BXT_JOINT_CONTINUOUS,
	BXT_JOINT_PRISMATIC,
	BXT_JOINT_FIXED,
	BXT_JOINT_PLANAR,
	BXT_JOINT_FLOATING,
	BXT_JOINT_TYPES
} bxt_joint_type;

typedef struct bxt_joint {
	const char *name, *id;
	bxt_place place;
	bxt_joint_type type;
	int parent, child; /* links */
	bxt_pose pose;     /* in axes of the parent */
	double axis[3];    /* of length 1, in axes of the child */
	double damping;
	const bxt_item *limit; /* NULL: none */
	int mimic;             /* the joint that it follows; -1: none */
	double ratio, offset;
	double q;     /* at the start */
	bool settled; /* q is final */
	bool carries; /* its child link, or a link beyond that one, has mass */
} bxt_joint;

typedef struct bxt_closure {
	const char *id;
	int link[2];
	double point[3];
} bxt_closure;

typedef struct bxt_robot {
	bxt_arena *arena;
	bxt_diagnostics *d;
	const char *file, *name;
	bxt_link *links;
	bxt_joint *joints;
	bxt_closure *closures;
	bxt_map link_names, joint_names;
	int n_links, n_joints, n_closures;
	int root; /* the base */
	bool floating;
	int n_shapes, n_friction, n_held; /* that are left out */
	int errors;
	bool failed; /* out of memory */
} bxt_robot;

/* urdf.c: the tree of a file as a robot; findings go to robot->d and are counted. */
void bxt_robot_read(bxt_robot *robot, const struct bxt_netlist *tree);
/* closures.c: "ball A B X Y Z" */
void bxt_robot_close(bxt_robot *robot, const char *const *close, size_t n);
/*
 * robot.c: finds the single base and the poses at the start, and reports what moves without mass.
 */
void bxt_robot_connect(bxt_robot *robot);
/* The link or joint of that name; -1: none. */
int bxt_robot_link(const bxt_robot *robot, const char *name);
int bxt_robot_joint(const bxt_robot *robot, const char *name);
/* An error about the robot, which is counted. */
#define bxt_robot_error(robot, place, ...)                                                         \
	((robot)->errors++, bxt_error((robot)->d, (place), __VA_ARGS__))

/* pose.c */
extern const bxt_pose bxt_pose_here;
bxt_pose bxt_pose_of(const double x[3], const double rpy[3]);
bxt_pose bxt_pose_then(const bxt_pose *outer, const bxt_pose *inner);
/* A rotation about an axis of length 1, and a translation along it. */
bxt_pose bxt_pose_turn(const double axis[3], double angle);
bxt_pose bxt_pose_shift(const double axis[3], double way);
/* The coordinates, in this frame, of a point given in outer axes. */
void bxt_pose_back(const bxt_pose *pose, const double outer[3], double inner[3]);
/* Finds s and t = n x s, both perpendicular to n. All three have length 1. */
void bxt_pose_across(const double n[3], double s[3], double t[3]);
/* R v */
void bxt_rotate(const double R[3][3], const double v[3], double out[3]);

/* netlist.c: the robot as the text of a netlist. */
void bxt_robot_write(bxt_robot *robot, bxt_buffer *out);

#endif
