/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/charts.h"

#include <stdlib.h>
#include <string.h>

/* ---- Making ---- */

static int count_charts(const bxt_system *s)
{
	int n = 0;
	for (int g = 0; g < s->n_groups; g++)
		n += s->groups[g].count * s->groups[g].type->component->n_manifolds;
	return n;
}

static bxt_status list_charts(bxt_charts *c, bxt_arena *arena, int *n_slope)
{
	const bxt_system *s = c->system;
	int k = 0;
	*n_slope = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *of = group->type->component;
		for (int i = 0; i < group->count * of->n_manifolds; i++) {
			const bxt_manifold *m = &of->manifolds[i % of->n_manifolds];
			int *place = BXT_NEW(arena, int, (size_t)m->n);
			if (!place)
				return BXT_ERR_MEMORY;
			for (int a = 0; a < m->n; a++) /* own coordinates come first */
				place[a] = group->at[m->coordinate[a]][i / of->n_manifolds];
			c->chart[k++] = (bxt_chart){m->retraction, m->n, place, *n_slope};
			*n_slope += m->n * m->n;
			c->most = m->n > c->most ? m->n : c->most;
		}
	}
	return BXT_OK;
}

/* The entries of column d, needed in column c of the same chart. */
static bxt_status list_column(bxt_charts *c, bxt_triplets *t, int from, int to, int slope)
{
	const bxt_sparse *p = &c->system->pattern;
	for (int k = p->colptr[from]; k < p->colptr[from + 1]; k++) {
		if (c->product_from) {
			c->product_from[c->n_product] = k;
			c->product_slope[c->n_product] = slope;
			BXT_TRY(bxt_triplets_add(t, p->rowind[k], to));
		}
		c->n_product++;
	}
	return BXT_OK;
}

static bxt_status list_products(bxt_charts *c, bxt_triplets *t)
{
	c->n_product = 0;
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		for (int i = 0; i < chart->n; i++)
			for (int j = 0; j < chart->n; j++) /* J_Q[:,i] dQ_i/du_j */
				BXT_TRY(list_column(c, t, chart->place[i], chart->place[j],
						    chart->slope + i * chart->n + j));
	}
	return BXT_OK;
}

static bxt_status list_entries(bxt_charts *c, bxt_arena *arena, bxt_triplets *t)
{
	const bxt_sparse *p = &c->system->pattern;
	for (int j = 0; j < p->ncol; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			BXT_TRY(bxt_triplets_add(t, p->rowind[k], j));
	BXT_TRY(list_products(c, t)); /* count, then fill */
	c->product_from = BXT_NEW(arena, int, c->n_product);
	c->product_slope = BXT_NEW(arena, int, c->n_product);
	return c->product_from && c->product_slope ? list_products(c, t) : BXT_ERR_MEMORY;
}

static bxt_status make_pattern(bxt_charts *c, bxt_arena *arena)
{
	const bxt_system *s = c->system;
	bxt_triplets t = {0};
	bxt_status status = list_entries(c, arena, &t);
	c->slot_of = status == BXT_OK ? BXT_NEW(arena, int, t.count) : NULL;
	if (!c->slot_of)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, s->size, s->size, &c->pattern, c->slot_of);
	bxt_triplets_free(&t);
	c->product_to = c->slot_of + bxt_sparse_nnz(&s->pattern);
	return status;
}

bxt_status bxt_charts_new(bxt_arena *arena, const bxt_system *s, double theta, bxt_charts **out)
{
	const int n = count_charts(s);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern) + 1;
	int n_slope = 0;
	*out = NULL;
	if (n == 0)
		return BXT_OK;
	bxt_charts *c = BXT_NEW(arena, bxt_charts, 1);
	if (!c)
		return BXT_ERR_MEMORY;
	*c = (bxt_charts){.system = s, .theta = theta, .n = n};
	if (!(c->chart = BXT_NEW(arena, bxt_chart, (size_t)n)))
		return BXT_ERR_MEMORY;
	BXT_TRY(list_charts(c, arena, &n_slope));
	BXT_TRY(make_pattern(c, arena));
	double **const rooms[] = {&c->by_v, &c->by_q, &c->constant};
	for (int i = 0; i < 3; i++)
		if (!(*rooms[i] = BXT_NEW(arena, double, nnz)))
			return BXT_ERR_MEMORY;
	c->slope = BXT_NEW(arena, double, (size_t)n_slope);
	c->x = BXT_NEW(arena, double, 3 * (size_t)c->most);
	if (!c->slope || !c->x)
		return BXT_ERR_MEMORY;
	c->u = c->x + c->most;
	c->q = c->u + c->most;
	*out = c;
	return BXT_OK;
}

/* ---- Inertia ---- */

bool bxt_charts_possible(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d)
{
	bxt_buffer names = {0};
	int n = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *of = group->type->component;
		for (int i = 0; i < group->count * of->n_manifolds; i++) {
			const bxt_manifold *m = &of->manifolds[i % of->n_manifolds];
			for (int a = 0; a < m->n; a++) {
				const int x = group->at[m->coordinate[a]][i / of->n_manifolds];
				if (!s->pinned[x])
					bxt_system_list_x(s, x, n++, &names);
			}
		}
	}
	if (n > 0)
		bxt_error(d, place,
			  "scheme '%s' moves coordinates on manifolds only where they have no "
			  "inertia, which %s %s: use gauss1",
			  settings->scheme->name, names.text ? names.text : "?",
			  n > 1 ? "have" : "has");
	bxt_buffer_free(&names);
	return n == 0;
}

/* ---- Moving ---- */

/* q and u = h V of a chart. */
static void gather(bxt_charts *c, const bxt_chart *chart, const double *q, const double *x,
		   double h)
{
	for (int i = 0; i < chart->n; i++) {
		c->x[i] = q[chart->place[i]];
		c->u[i] = h * x[chart->place[i]];
	}
}

void bxt_charts_move(bxt_charts *c, const double *q, const double *x, double h, double *q_stage)
{
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		gather(c, chart, q, x, h);
		chart->retraction->point(chart->n, c->theta, c->x, c->u, c->q, NULL);
		for (int i = 0; i < chart->n; i++)
			q_stage[chart->place[i]] = c->q[i];
	}
}

void bxt_charts_advance(bxt_charts *c, const double *q_stage, const double *x, double h, double *q)
{
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		gather(c, chart, q_stage, x, h); /* Q, not x_k */
		chart->retraction->next(chart->n, c->theta, c->x, c->u, c->q);
		for (int i = 0; i < chart->n; i++)
			q[chart->place[i]] = c->q[i];
	}
}

/* ---- The matrix ---- */

void bxt_charts_set_step(bxt_charts *c, bxt_evaluator *e, bxt_point at, const bxt_weights *along_v,
			 const bxt_weights *residual)
{
	static const bxt_class of[][2] = {{BXT_PQ, BXT_P},
					  {BXT_DQ, BXT_D},
					  {BXT_FQ, BXT_F},
					  {BXT_CQ, BXT_C},
					  {BXT_KQ, BXT_K}};
	c->weights[0] = *along_v;
	c->weights[1] = (bxt_weights){{{0}}};
	for (int role = 0; role < 2; role++)
		for (size_t k = 0; k < sizeof of / sizeof *of; k++)
			c->weights[1].of[role][of[k][0]] = residual->of[role][of[k][1]];
	memset(c->constant, 0,
	       ((size_t)bxt_sparse_nnz(&c->system->pattern) + 1) * sizeof *c->constant);
	bxt_evaluate_jacobian(e, BXT_FORM_JAC_CONST, at, &c->weights[1], c->constant);
}

/* h dQ/du - theta h: what the chart's curvature adds to the motion along V. */
static void take_slopes(bxt_charts *c, const double *q, const double *x, double h)
{
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		double *slope = c->slope + chart->slope;
		gather(c, chart, q, x, h);
		chart->retraction->point(chart->n, c->theta, c->x, c->u, c->q, slope);
		for (int i = 0; i < chart->n; i++)
			for (int j = 0; j < chart->n; j++) {
				double *to = &slope[i * chart->n + j];
				*to = h * (*to - (i == j ? c->theta : 0));
			}
	}
}

void bxt_charts_matrix(bxt_charts *c, bxt_evaluator *e, bxt_point at, const double *q_start,
		       double h, const double *constant, double *values)
{
	const int nnz = bxt_sparse_nnz(&c->system->pattern);
	double *const to[2] = {c->by_v, c->by_q};
	memcpy(c->by_v, constant, ((size_t)nnz + 1) * sizeof *c->by_v);
	memcpy(c->by_q, c->constant, ((size_t)nnz + 1) * sizeof *c->by_q);
	bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_DYN, at, 2, c->weights, to);
	bxt_evaluate_jacobian_to(e, BXT_FORM_JAC_CON, at, 2, c->weights, to);
	c->by_v[c->system->spare_slot] = 1;
	take_slopes(c, q_start, at.x, h);
	memset(values, 0, (size_t)bxt_sparse_nnz(&c->pattern) * sizeof *values);
	for (int k = 0; k < nnz; k++)
		values[c->slot_of[k]] = c->by_v[k];
	for (size_t k = 0; k < c->n_product; k++)
		values[c->product_to[k]] +=
			c->slope[c->product_slope[k]] * c->by_q[c->product_from[k]];
}
