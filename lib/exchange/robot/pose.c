/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Places and orientations. As in URDF R = Rz(yaw) Ry(pitch) Rx(roll); a turn by q about n is
 * Rodrigues' formula,
 *
 *     R = cos q 1 + sin q hat(n) + (1 - cos q) n n^T .
 */
#include "exchange/robot/robot.h"

#include <math.h>
#include <string.h>

const bxt_pose bxt_pose_here = {{0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

bxt_pose bxt_pose_turn(const double n[3], double angle)
{
	const double c = cos(angle), s = sin(angle);
	const double hat[3][3] = {{0, -n[2], n[1]}, {n[2], 0, -n[0]}, {-n[1], n[0], 0}};
	bxt_pose p = bxt_pose_here;
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			p.R[i][j] = (i == j) * c + s * hat[i][j] + (1 - c) * n[i] * n[j];
	return p;
}

bxt_pose bxt_pose_shift(const double axis[3], double way)
{
	bxt_pose p = bxt_pose_here;
	for (int i = 0; i < 3; i++)
		p.x[i] = way * axis[i];
	return p;
}

void bxt_rotate(const double R[3][3], const double v[3], double out[3])
{
	for (int i = 0; i < 3; i++)
		out[i] = R[i][0] * v[0] + R[i][1] * v[1] + R[i][2] * v[2];
}

/* The coordinates, in outer axes, of a point given in a frame. */
static void outer_point(const bxt_pose *pose, const double inner[3], double outer[3])
{
	double turned[3];
	bxt_rotate(pose->R, inner, turned);
	for (int i = 0; i < 3; i++)
		outer[i] = pose->x[i] + turned[i];
}

bxt_pose bxt_pose_then(const bxt_pose *outer, const bxt_pose *inner)
{
	bxt_pose p = {{0}, {{0}}};
	outer_point(outer, inner->x, p.x);
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 3; j++)
			for (int k = 0; k < 3; k++)
				p.R[i][j] += outer->R[i][k] * inner->R[k][j];
	return p;
}

bxt_pose bxt_pose_of(const double x[3], const double rpy[3])
{
	static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
	bxt_pose p = bxt_pose_here;
	for (int k = 2; k >= 0; k--) {
		const bxt_pose turn = bxt_pose_turn(axes[k], rpy[k]);
		p = bxt_pose_then(&p, &turn);
	}
	memcpy(p.x, x, sizeof p.x);
	return p;
}

void bxt_pose_back(const bxt_pose *pose, const double outer[3], double inner[3])
{
	for (int j = 0; j < 3; j++) {
		inner[j] = 0;
		for (int i = 0; i < 3; i++)
			inner[j] += pose->R[i][j] * (outer[i] - pose->x[i]);
	}
}

/* The coordinate axis with the smallest component of n is the one farthest from n. */
void bxt_pose_across(const double n[3], double s[3], double t[3])
{
	int k = 0;
	for (int i = 1; i < 3; i++)
		if (fabs(n[i]) < fabs(n[k]))
			k = i;
	double length = 0;
	for (int i = 0; i < 3; i++) {
		s[i] = (i == k) - n[k] * n[i];
		length += s[i] * s[i];
	}
	for (int i = 0; i < 3; i++)
		s[i] /= sqrt(length);
	t[0] = n[1] * s[2] - n[2] * s[1];
	t[1] = n[2] * s[0] - n[0] * s[2];
	t[2] = n[0] * s[1] - n[1] * s[0];
}
