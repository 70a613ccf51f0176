/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sphere S^2 in the step of lie-midpoint, with inertia. With x_0, x_1 on it, c = x_0.x_1,
 * s = |x_0 + x_1|, d = x_1 - x_0, and k(c) of the discretisation map at theta = 1/2,
 *
 *     Q = (x_0 + x_1)/s ,   V = k d/h ,   L_d = h L(Q, V) ,
 *     p_1 = Pi_1 [h F/s - h x_0 (x_0 + x_1).F/s^3 + k P + k' x_0 d.P] ,
 *     p_0 = - Pi_0 [h F/s - h x_1 (x_0 + x_1).F/s^3 - k P + k' x_1 d.P] ,
 *
 * Pi being the projections onto the tangent planes: the cotangent lift of the map (Barbero-Linan
 * and Martin de Diego, Found. Comput. Math. 23, 2023). The unknown is w, x_1 = (x_0 + h w)/|.|; the
 * row x_0.w = 0, times an inertia, supplements the equations in the direction that the projection
 * removes.
 */
#include "motion/methods/lie_sphere.h"

#include <math.h>
#include <string.h>

void bxt_lie_arc_set(bxt_lie_arc *arc, const double *x0, const double *w, double h)
{
	double z[3];
	for (int i = 0; i < 3; i++)
		z[i] = x0[i] + h * w[i];
	arc->h = h;
	arc->length = sqrt(bxt_dot3(z, z));
	double square = 0;
	for (int i = 0; i < 3; i++) {
		arc->x0[i] = x0[i];
		arc->x1[i] = z[i] / arc->length;
		arc->sum[i] = x0[i] + arc->x1[i];
		arc->d[i] = arc->x1[i] - x0[i];
		square += arc->d[i] * arc->d[i];
	}
	arc->s = sqrt(bxt_dot3(arc->sum, arc->sum));
	arc->square = square;
}

void bxt_lie_arc_point(bxt_lie_arc *arc, const bxt_lie_part *part, double *q, double *rate)
{
	part->sphere->chord(1 - arc->square / 2, arc->k);
	for (int i = 0; i < 3; i++) {
		q[part->place[i]] = arc->sum[i] / arc->s;
		rate[i] = arc->k[0] * arc->d[i] / arc->h;
	}
}

/* v - x (x.v) */
static void project(const double *x, double *v)
{
	const double along = bxt_dot3(x, v);
	for (int i = 0; i < 3; i++)
		v[i] -= x[i] * along;
}

/* The bracket of p_1 (at x_0, sign 1) or of p_0 (at x_1, sign -1), not projected. */
static void bracket(const bxt_lie_arc *arc, const double *p, const double *f, double sign,
		    double *out)
{
	const double *x = sign > 0 ? arc->x0 : arc->x1, s3 = arc->s * arc->s * arc->s;
	const double of_f = arc->h * bxt_dot3(arc->sum, f) / s3,
		     of_p = arc->k[1] * bxt_dot3(arc->d, p);
	for (int i = 0; i < 3; i++)
		out[i] = arc->h * f[i] / arc->s + sign * arc->k[0] * p[i] + (of_p - of_f) * x[i];
}

void bxt_lie_arc_momentum(const bxt_lie_arc *arc, const double *p, const double *f, double *mu)
{
	bracket(arc, p, f, 1, mu);
	project(arc->x1, mu);
}

void bxt_lie_arc_residual(const bxt_lie_arc *arc, const double *p, const double *f,
			  const double *mu, double *r)
{
	bracket(arc, p, f, -1, r);
	for (int i = 0; i < 3; i++)
		r[i] += mu[i];
	project(arc->x0, r);
}

/* out = (1 - x x^T) m, in place */
static void project_columns(const double *x, double *m)
{
	for (int j = 0; j < 3; j++)
		project(x, m + 3 * j);
}

void bxt_lie_arc_slopes(const bxt_lie_arc *arc, const double *p, const double *f, double weight,
			bxt_lie_arc_matrices *to)
{
	const double h = arc->h, s = arc->s, s3 = s * s * s, of_f = bxt_dot3(arc->sum, f),
		     of_p = bxt_dot3(arc->d, p);
	double by_w[9] = {0}, by_x1[9] = {0}, a[9] = {0}, b[9] = {0};
	bxt_add_unit3(h / arc->length, by_w); /* dx_1/dw */
	bxt_add_dyad3(-h / arc->length, arc->x1, arc->x1, by_w);
	bxt_add_unit3(1 / s, a); /* dQ/dx_1, h dV/dx_1 */
	bxt_add_dyad3(-1 / s3, arc->sum, arc->x0, a);
	bxt_add_unit3(arc->k[0], b);
	bxt_add_dyad3(arc->k[1], arc->d, arc->x0, b);
	bxt_product3(a, by_w, to->by_turn);
	bxt_product3(b, by_w, to->by_rate);
	for (int i = 0; i < 9; i++)
		to->by_rate[i] /= h;
	memset(to->of_m, 0, sizeof to->of_m);
	bxt_add_unit3(-arc->k[0], to->of_m);
	bxt_add_dyad3(arc->k[1], arc->x1, arc->d, to->of_m);
	project_columns(arc->x0, to->of_m);
	memset(to->of_n, 0, sizeof to->of_n);
	bxt_add_unit3(h / s, to->of_n);
	bxt_add_dyad3(-h / s3, arc->x1, arc->sum, to->of_n);
	project_columns(arc->x0, to->of_n);
	bxt_add_dyad3(-h / s3, f, arc->x0, by_x1);
	bxt_add_unit3(-h * of_f / s3 + arc->k[1] * of_p, by_x1);
	bxt_add_dyad3(-h / s3, arc->x1, f, by_x1);
	bxt_add_dyad3(3 * h * of_f / (s3 * s * s) + arc->k[2] * of_p, arc->x1, arc->x0, by_x1);
	bxt_add_dyad3(-arc->k[1], p, arc->x0, by_x1);
	bxt_add_dyad3(arc->k[1], arc->x1, p, by_x1);
	bxt_product3(by_x1, by_w, to->local);
	project_columns(arc->x0, to->local);
	bxt_add_dyad3(weight, arc->x0, arc->x0, to->local);
}
