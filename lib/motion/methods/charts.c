/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coordinates on manifolds in the step of the scheme theta. Instead of
 *
 *     Q = q_k + theta h V ,   q_{k+1} = q_k + h V
 *
 * the discrete Dirac system (Barbero-Linan et al., (3)) has (h V at Q) = R_d^-1(q_k, q_{k+1}), so
 * Q = Q(q_k, u), q_{k+1} = q_{k+1}(q_k, u), u = h V (component/retraction.h). By the chain rule
 * column c of the step's matrix gets
 *
 *     J_V[:,c] + sum_d J_Q[:,d] h dQ_d/du_c
 *
 * over the coordinates d of one manifold, with entries that the system's pattern need not have.
 */
#include "motion/methods/single_stage.h"

#include <stdlib.h>
#include <string.h>

/* A chart: the coordinates of one manifold of one element. */
typedef struct bxt_chart {
	const bxt_retraction *retraction;
	int n;
	const int *place; /* (n) in x */
	int slope;        /* its first entry of bxt_charts.slope */
} bxt_chart;

typedef struct bxt_charts {
	bxt_single_stage stage;
	const bxt_system *system;
	double theta;
	bxt_chart *chart;   /* (n) */
	int n, most;        /* most coordinates of one */
	bxt_sparse pattern; /* the system's and what is added: size x size */
	int *slot_of;       /* (system nnz) slot in that pattern */
	/* values[product_to] += slope[product_slope] * by_q[product_from] */
	int *product_from, *product_to, *product_slope;
	size_t n_product;
	double *slope;                  /* h dQ/du - theta h, chart by chart, by rows */
	double *by_v, *by_q, *constant; /* (system nnz + 1) slopes with Q moving along V; in Q
					   alone, and what of these does not change */
	bxt_weights weights[2];         /* of by_v and by_q */
	double *x, *u, *q;              /* (most) scratch */
} bxt_charts;

/* ---- Making ---- */

static int count_charts(const bxt_system *s)
{
	int n = 0;
	for (int g = 0; g < s->n_groups; g++)
		n += s->groups[g].count * s->groups[g].type->component->geometry.n_manifolds;
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
		for (int i = 0; i < group->count * of->geometry.n_manifolds; i++) {
			const bxt_manifold *m =
				&of->geometry.manifolds[i % of->geometry.n_manifolds];
			int *place = BXT_NEW(arena, int, (size_t)m->n);
			if (!place)
				return BXT_ERR_MEMORY;
			for (int a = 0; a < m->n; a++) /* own coordinates come first */
				place[a] =
					group->at[m->coordinate[a]][i / of->geometry.n_manifolds];
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

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	const bxt_system *s = st->system;
	const int n = count_charts(s);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern) + 1;
	int n_slope = 0;
	(void)state;
	*mine = n > 0;
	if (n == 0)
		return BXT_OK;
	BXT_TRY(bxt_single_stage_new(st, sizeof(bxt_charts)));
	bxt_charts *c = st->own;
	c->system = s;
	c->theta = st->settings->theta;
	c->n = n;
	if (!(c->chart = BXT_NEW(st->arena, bxt_chart, (size_t)n)))
		return BXT_ERR_MEMORY;
	BXT_TRY(list_charts(c, st->arena, &n_slope));
	BXT_TRY(make_pattern(c, st->arena));
	st->pattern = c->pattern;
	double **const rooms[] = {&c->by_v, &c->by_q, &c->constant};
	for (int i = 0; i < 3; i++)
		if (!(*rooms[i] = BXT_NEW(st->arena, double, nnz)))
			return BXT_ERR_MEMORY;
	c->slope = BXT_NEW(st->arena, double, (size_t)n_slope);
	c->x = BXT_NEW(st->arena, double, 3 * (size_t)c->most);
	if (!c->slope || !c->x)
		return BXT_ERR_MEMORY;
	c->u = c->x + c->most;
	c->q = c->u + c->most;
	return BXT_OK;
}

/* ---- Inertia ---- */

/* Reports by name the coordinates on manifolds that have inertia. */
static bool moves_inertia(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	bxt_buffer names = {0};
	int n = 0;
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		const bxt_component *of = group->type->component;
		for (int i = 0; i < group->count * of->geometry.n_manifolds; i++) {
			const bxt_manifold *m =
				&of->geometry.manifolds[i % of->geometry.n_manifolds];
			for (int a = 0; a < m->n; a++) {
				const int x =
					group->at[m->coordinate[a]][i / of->geometry.n_manifolds];
				if (!s->pinned[x])
					bxt_system_list_x(s, x, n++, &names);
			}
		}
	}
	if (n > 0)
		bxt_error(d, settings->scheme_place,
			  "scheme '%s' moves coordinates on manifolds only where they have no "
			  "inertia, which %s %s: use gauss1",
			  settings->scheme->name, names.text ? names.text : "?",
			  n > 1 ? "have" : "has");
	bxt_buffer_free(&names);
	return n > 0;
}

/* theta = 0: reports the first rows that act on coordinates with inertia, because P(q_k, V) = p_k
 * already determines V. */
static bool meets_inertia(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const bxt_sparse *p = &s->pattern;
	bxt_buffer names = {0};
	int n = 0, last = -1;
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int row = p->rowind[k];
			if (s->pinned[j] || row < s->n || row >= s->spare || row == last)
				continue;
			last = row;
			bxt_system_list_x(s, row, n++, &names);
		}
	if (n > 0)
		bxt_error(d, settings->scheme_place,
			  "theta 0 makes an explicit step, which cannot meet constraints on what "
			  "has inertia (%s): use a theta above 0 or gauss1",
			  names.text ? names.text : "?");
	bxt_buffer_free(&names);
	return n > 0;
}

/* Reports what the scheme theta cannot step, with or without manifolds. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	const bool moves = moves_inertia(s, settings, d);
	return moves | (settings->theta == 0 && meets_inertia(s, settings, d)) ? BXT_ERR_MODEL
									       : BXT_OK;
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

static void move_charts(bxt_stepper *st, const double *x)
{
	bxt_charts *c = st->own;
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		gather(c, chart, st->state->q, x, st->h);
		chart->retraction->point(chart->n, c->theta, c->x, c->u, c->q, NULL);
		for (int i = 0; i < chart->n; i++)
			st->q_stage[0][chart->place[i]] = c->q[i];
	}
}

static void move(bxt_stepper *st, const double *x)
{
	bxt_single_stage_move(st, x);
	move_charts(st, x);
}

/* q of the charts at the end from Q, not from x_k. */
static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	bxt_charts *c = st->own;
	move_charts(st, st->x);
	bxt_single_stage_advance(st, state, t_next);
	for (int k = 0; k < c->n; k++) {
		const bxt_chart *chart = &c->chart[k];
		gather(c, chart, st->q_stage[0], st->x, st->h);
		chart->retraction->next(chart->n, c->theta, c->x, c->u, c->q);
		for (int i = 0; i < chart->n; i++)
			state->q[chart->place[i]] = c->q[i];
	}
}

/* ---- The matrix ---- */

/* The weights of slopes along V and in Q alone. */
static void set_step(bxt_stepper *st)
{
	static const bxt_term of[][2] = {{BXT_PQ, BXT_P},
					 {BXT_DQ, BXT_D},
					 {BXT_FQ, BXT_F},
					 {BXT_CQ, BXT_C},
					 {BXT_KQ, BXT_K}};
	bxt_charts *c = st->own;
	bxt_single_stage_set_step(st);
	c->weights[0] = c->stage.slopes;
	c->weights[1] = (bxt_weights){{{0}}};
	for (int role = 0; role < 2; role++)
		for (size_t k = 0; k < sizeof of / sizeof *of; k++)
			c->weights[1].of[role][of[k][0]] = c->stage.weights.of[role][of[k][1]];
	memset(c->constant, 0,
	       ((size_t)bxt_sparse_nnz(&c->system->pattern) + 1) * sizeof *c->constant);
	bxt_evaluate_jacobian(st->evaluator[0], BXT_SET_JAC_CONST,
			      (bxt_point){st->state->q, st->x, st->t}, &c->weights[1], c->constant);
}

/* h dQ/du - theta h: the contribution of the chart's curvature to the motion along V. */
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

static void jacobian(bxt_stepper *st, const double *x, double *values)
{
	bxt_charts *c = st->own;
	bxt_evaluator *e = st->evaluator[0];
	const bxt_point at = {st->q_stage[0], x, bxt_stepper_time(st, 0)};
	const int nnz = bxt_sparse_nnz(&c->system->pattern);
	double *const to[2] = {c->by_v, c->by_q};
	move(st, x);
	memcpy(c->by_v, c->stage.constant, ((size_t)nnz + 1) * sizeof *c->by_v);
	memcpy(c->by_q, c->constant, ((size_t)nnz + 1) * sizeof *c->by_q);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_DYN, at, 2, c->weights, to);
	bxt_evaluate_jacobian_to(e, BXT_SET_JAC_CON, at, 2, c->weights, to);
	c->by_v[c->system->spare_slot] = 1;
	take_slopes(c, st->state->q, x, st->h);
	memset(values, 0, (size_t)bxt_sparse_nnz(&c->pattern) * sizeof *values);
	for (int k = 0; k < nnz; k++)
		values[c->slot_of[k]] = c->by_v[k];
	for (size_t k = 0; k < c->n_product; k++)
		values[c->product_to[k]] +=
			c->slope[c->product_slope[k]] * c->by_q[c->product_from[k]];
}

/* ---- The row ---- */

static void describe(const bxt_system *s, const bxt_settings *settings, FILE *f)
{
	fprintf(f, "theta %g\n", settings->theta);
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_component *c = s->groups[g].type->component;
		for (int i = 0; i < c->geometry.n_manifolds; i++)
			fprintf(f, "%d %s: %s in %d coordinates, %s (%s)\n", s->groups[g].count,
				c->name, c->geometry.manifolds[i].kind->name,
				c->geometry.manifolds[i].n,
				c->geometry.manifolds[i].retraction->name,
				c->geometry.manifolds[i].retraction->doc);
	}
}

const bxt_step_method bxt_method_charts = {
	.name = "charts on manifolds",
	.doc = "one stage with theta, coordinates on manifolds moving by their own discretisation "
	       "maps",
	.create = create,
	.set_step = set_step,
	.move = move,
	.residual = bxt_single_stage_residual,
	.jacobian = jacobian,
	.right_side = bxt_single_stage_right_side,
	.advance = advance,
	.quadrature = bxt_single_stage_quadrature,
	.check = check,
	.describe = describe,
};
