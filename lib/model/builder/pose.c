/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The start pose of a node with a frame, written in one of the usual ways:
 *
 *   - roll, pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll);
 *   - axis, angle: R = 1 + sin(angle) n^ + (1 - cos(angle)) n^ n^, n the unit vector (Rodrigues);
 *   - quaternion: (w, x, y, z), normalised;
 *   - wx, wy, wz: the angular velocity in ground axes, U = w^ R.
 */
#include "model/builder/builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { X, Y, Z };
struct pose {
	bxt_builder *b;
	const bxt_item *item;
	double value[BXT_POSE_COUNT][4];
	bool given[BXT_POSE_COUNT], bad;
};

#define FAIL(p, ...)                                                                               \
	do {                                                                                       \
		(p)->bad = true;                                                                   \
		bxt_error((p)->b->d, (p)->item->place, __VA_ARGS__);                               \
	} while (0)

static void read_attribute(struct pose *p, int i, const char *text)
{
	const bxt_pose_row *row = &bxt_pose_rows[i];
	const bxt_place place = p->item->place;
	const char *what = bxt_build_describe(p->b, p->item, "attribute", row->name);
	const bool good = row->numbers == 1
				  ? bxt_build_value(p->b, text, row->unit, what, place, p->value[i])
				  : bxt_build_numbers(p->b, text, row->unit, what, place,
						      (bxt_numbers){p->value[i], row->numbers});
	p->given[i] = true;
	p->bad = p->bad || !good;
}

/* ---- R, by columns as the coordinates are ---- */

static void multiply(const double *a, const double *b, double *out)
{
	double product[9];
	for (int j = 0; j < 3; j++)
		for (int i = 0; i < 3; i++) {
			product[3 * j + i] = 0;
			for (int k = 0; k < 3; k++)
				product[3 * j + i] += a[3 * k + i] * b[3 * j + k];
		}
	memcpy(out, product, sizeof product);
}

/* The quaternion (w, x, y, z) of length 1. */
static void by_quaternion(const double *q, double *r)
{
	const double w = q[0], x = q[1], y = q[2], z = q[3];
	const double columns[9] = {
		1 - 2 * (y * y + z * z), 2 * (x * y + w * z),     2 * (x * z - w * y),
		2 * (x * y - w * z),     1 - 2 * (x * x + z * z), 2 * (y * z + w * x),
		2 * (x * z + w * y),     2 * (y * z - w * x),     1 - 2 * (x * x + y * y)};
	memcpy(r, columns, sizeof columns);
}

static void about_axis(const double *axis, double angle, double *r)
{
	const double s = sin(angle / 2);
	by_quaternion((double[]){cos(angle / 2), s * axis[X], s * axis[Y], s * axis[Z]}, r);
}

static bool normalise(struct pose *p, int i)
{
	double length = 0;
	for (int k = 0; k < bxt_pose_rows[i].numbers; k++)
		length = hypot(length, p->value[i][k]);
	if (!(length > 0))
		FAIL(p, "<node>: %s has no direction: all its numbers are 0",
		     bxt_pose_rows[i].name);
	for (int k = 0; k < bxt_pose_rows[i].numbers && length > 0; k++)
		p->value[i][k] /= length;
	return length > 0;
}

/* False: the orientation is not written so, or in error. */
static bool read_orientation(struct pose *p, double *r)
{
	const bool angles =
		p->given[BXT_POSE_ROLL] || p->given[BXT_POSE_PITCH] || p->given[BXT_POSE_YAW];
	const bool axis = p->given[BXT_POSE_AXIS] || p->given[BXT_POSE_ANGLE];
	if (angles + axis + p->given[BXT_POSE_QUATERNION] > 1)
		FAIL(p, "<node>: the orientation is written twice: roll, pitch, yaw; axis and "
			"angle; or quaternion");
	else if (p->given[BXT_POSE_AXIS] != p->given[BXT_POSE_ANGLE])
		FAIL(p, "<node>: axis=\"X Y Z\" and angle=\"ANGLE\" belong together");
	if (p->bad)
		return false;
	if (p->given[BXT_POSE_QUATERNION] && normalise(p, BXT_POSE_QUATERNION))
		return by_quaternion(p->value[BXT_POSE_QUATERNION], r), true;
	if (axis && normalise(p, BXT_POSE_AXIS))
		return about_axis(p->value[BXT_POSE_AXIS], *p->value[BXT_POSE_ANGLE], r), true;
	if (!angles)
		return false;
	double about_y[9], about_x[9];
	about_axis((double[]){0, 0, 1}, *p->value[BXT_POSE_YAW], r);
	about_axis((double[]){0, 1, 0}, *p->value[BXT_POSE_PITCH], about_y);
	about_axis((double[]){1, 0, 0}, *p->value[BXT_POSE_ROLL], about_x);
	multiply(r, about_y, r);
	multiply(r, about_x, r);
	return true;
}

static bxt_status add_pose_value(struct pose *p, int node, int coordinate, bool is_flow,
				 double value)
{
	bxt_network *net = p->b->net;
	BXT_TRY(BXT_GROW(net->initials, p->b->room.initials, net->n_initials + 1));
	net->initials[net->n_initials++] =
		(bxt_initial){-1, node, coordinate, is_flow, value, p->item->place, false};
	return BXT_OK;
}

bxt_status bxt_build_pose(bxt_builder *b, const bxt_item *item, int node, size_t first)
{
	const bxt_port_kind *kind = b->net->nodes[node].kind;
	struct pose p = {.b = b, .item = item};
	double r[9];
	if (kind->frame == 0)
		return BXT_OK;
	for (int i = 0; i < BXT_POSE_COUNT; i++)
		if (bxt_item_get(item, bxt_pose_rows[i].name))
			read_attribute(&p, i, bxt_item_get(item, bxt_pose_rows[i].name));
	memcpy(r, kind->fixed + kind->frame, sizeof r);
	bool entries = false, flows = false;
	for (size_t i = first; i < b->net->n_initials; i++) { /* R_ij as written */
		const bxt_initial *w = &b->net->initials[i];
		const int at = w->coordinate - kind->frame;
		flows = flows || (at >= 0 && w->is_flow);
		if (w->is_flow || w->is_momentum || at < 0)
			continue;
		r[at] = w->value;
		entries = true;
	}
	const bool turned = read_orientation(&p, r);
	if (turned && entries)
		FAIL(&p, "<node>: the orientation is written twice: R11 ... R33, and by angles");
	const bool spins =
		p.given[BXT_POSE_SPIN] || p.given[BXT_POSE_SPIN + 1] || p.given[BXT_POSE_SPIN + 2];
	if (spins && flows)
		FAIL(&p, "<node>: the angular velocity is written twice: wx, wy, wz, and by U11 "
			 "... U33");
	if (p.bad)
		return BXT_OK;
	for (int i = 0; i < 9 && turned; i++)
		BXT_TRY(add_pose_value(&p, node, kind->frame + i, false, r[i]));
	const double *w[3] = {p.value[BXT_POSE_SPIN], p.value[BXT_POSE_SPIN + 1],
			      p.value[BXT_POSE_SPIN + 2]};
	for (int j = 0; j < 3 && spins; j++)
		for (int i = 0; i < 3; i++) {
			const int k = (i + 1) % 3, l = (i + 2) % 3; /* (w x d_j)_i */
			BXT_TRY(add_pose_value(&p, node, kind->frame + 3 * j + i, true,
					       *w[k] * r[3 * j + l] - *w[l] * r[3 * j + k]));
		}
	return BXT_OK;
}
