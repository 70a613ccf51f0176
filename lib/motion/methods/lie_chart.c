/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Charts of groups at the points of a Lie step, and their slopes by the angle t. */
#include "motion/methods/lie.h"

bxt_status bxt_lie_chart_new(const bxt_lie *lie, bxt_arena *arena, bxt_lie_chart *out)
{
	const size_t n = (size_t)lie->space.n_parts + 1;
	out->angle = BXT_NEW(arena, double, (size_t)lie->space.n + 1);
	out->psi = BXT_NEW(arena, bxt_lie_matrix, n);
	out->tangent = BXT_NEW(arena, bxt_lie_matrix, n);
	out->slope = BXT_NEW(arena, bxt_lie_matrix, n);
	out->inverse = BXT_NEW(arena, bxt_lie_matrix, n);
	if (!out->angle || !out->psi || !out->tangent || !out->slope || !out->inverse)
		return BXT_ERR_MEMORY;
	for (int k = 0; k < lie->space.n_parts; k++) /* of a line: t -> q + t */
		out->psi[k][0] = out->tangent[k][0] = out->inverse[k][0] = 1;
	return BXT_OK;
}

void bxt_lie_set_chart(const bxt_lie *lie, const double *w, bxt_lie_chart *chart)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const double *angle = chart->angle + part->first;
		if (!part->retraction)
			continue;
		part->retraction->group(angle, chart->psi[k]);
		part->retraction->tangent(angle, chart->tangent[k]);
		if (w)
			part->retraction->slope(angle, w + part->first, chart->slope[k]);
	}
}

void bxt_lie_move_from(const bxt_lie *lie, const double *from, const bxt_lie_chart *chart,
		       double *q)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double before[9], after[9];
		if (!part->retraction) {
			q[part->place[0]] = from[part->place[0]] + chart->angle[part->first];
			continue;
		}
		bxt_lie_take(part, from, before);
		bxt_product3(before, chart->psi[k], after);
		bxt_lie_give(part, after, q);
	}
}

void bxt_lie_invert(const bxt_lie *lie, bxt_lie_chart *chart)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		if (part->retraction)
			part->retraction->inverse_tangent(chart->angle + part->first,
							  chart->inverse[k]);
	}
}

/* K = d(D^T x)/dt of groups, from D(t)^T = D(-t). */
void bxt_lie_transposed_slopes(const bxt_lie *lie, const bxt_lie_chart *chart, const double *x,
			       bxt_lie_matrix *out)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const double *t = chart->angle + part->first;
		if (!part->retraction)
			continue;
		const double back[3] = {-t[0], -t[1], -t[2]};
		part->retraction->slope(back, x + part->first, out[k]);
		for (int c = 0; c < 9; c++)
			out[k][c] = -out[k][c];
	}
}

/* - psi x^ D of each part, the slope of psi x while x is fixed. */
void bxt_lie_turns(const bxt_lie *lie, const bxt_lie_chart *chart, const double *x,
		   bxt_lie_matrix *out)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		double hat[9] = {0}, left[9];
		if (!part->retraction)
			continue;
		bxt_add_hat3(-1, x + part->first, hat);
		bxt_product3(chart->psi[k], hat, left);
		bxt_product3(left, chart->tangent[k], out[k]);
	}
}

void bxt_lie_end_slopes(const bxt_lie *lie, const bxt_lie_chart *end, const double *mu,
			bxt_lie_matrix *g, bxt_lie_matrix *h)
{
	for (int k = 0; k < lie->space.n_parts; k++) {
		const bxt_lie_part *part = &lie->space.part[k];
		const double *t = end->angle + part->first;
		double transposed[9], of_mu[9], hat[9] = {0}, turned[9];
		g[k][0] = 1;
		if (!part->retraction)
			continue;
		const double back[3] = {-t[0], -t[1], -t[2]};
		for (int c = 0; c < 9; c++)
			transposed[c] = end->inverse[k][3 * (c % 3) + c / 3];
		bxt_product3(end->psi[k], transposed, g[k]);
		part->retraction->slope(back, mu + part->first, of_mu); /* - d(D^T mu)/dt */
		bxt_product3(g[k], of_mu, h[k]);
		bxt_add_hat3(-1, mu + part->first, hat);
		bxt_product3(end->psi[k], hat, turned);
		bxt_product3(turned, end->tangent[k], of_mu);
		for (int c = 0; c < 9; c++)
			h[k][c] += of_mu[c];
	}
}
