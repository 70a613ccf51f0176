/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/collocation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* MOVES: number of points of the polynomial whose slopes are those of the moves along loops, which
 * are polynomials of one or two degrees more than the step's. APART: distance of the points
 * [steps], large enough that round-off is negligible. */
enum { MOVES = 5 };
static const double APART = 1.0 / 16;

static bxt_status make(bxt_collocation *c)
{
	const size_t size = (size_t)c->st->system->size + BXT_LANES;
	double **const room[] = {&c->q_slope, &c->p_slope, &c->flows,    &c->near.q,
				 &c->near.p,  &c->near.x,  &c->round_off};
	for (size_t k = 0; k < sizeof room / sizeof *room; k++)
		if (!(*room[k] = BXT_NEW(c->arena, double, size)))
			return BXT_ERR_MEMORY;
	for (int i = 0; i < c->st->stages.s; i++)
		if (!(c->momentum[i] = BXT_NEW(c->arena, double, size)))
			return BXT_ERR_MEMORY;
	return BXT_OK;
}

bxt_status bxt_collocation_new(bxt_stepper *st, bxt_collocation **out)
{
	bxt_collocation *c = *out = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->st = st;
	c->arena = bxt_arena_new();
	const bxt_status status = c->arena ? make(c) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_collocation_free(c);
	return status;
}

bxt_collocation *bxt_collocation_free(bxt_collocation *c)
{
	if (c)
		bxt_arena_free(c->arena);
	free(c);
	return NULL;
}

void bxt_collocation_begin(bxt_collocation *c, const bxt_state *state)
{
	c->begin = state;
	bxt_stepper_momenta(c->st, c->momentum);
}

/* int_0^x of Lagrange's polynomial i of the stages, by Gauss's rule with enough points. */
static double weight_at(const bxt_stages *g, int i, double x)
{
	bxt_quadrature rule;
	double sum = 0;
	bxt_quadrature_gauss(2, &rule); /* exact up to degree 3 */
	for (int k = 0; k < rule.n; k++) {
		double l = 1;
		for (int j = 0; j < g->s; j++)
			if (j != i)
				l *= (x * rule.c[k] - g->c[j]) / (g->c[i] - g->c[j]);
		sum += x * rule.b[k] * l;
	}
	return sum;
}

/* Lagrange's polynomial i of n points at x, and its slope. */
static double lagrange(const double *c, int n, int i, double x, double *slope)
{
	double l = 1;
	*slope = 0;
	for (int j = 0; j < n; j++) {
		if (j == i)
			continue;
		*slope = (*slope * (x - c[j]) + l) / (c[i] - c[j]);
		l *= (x - c[j]) / (c[i] - c[j]);
	}
	return l;
}

static void look_at_coordinates(const bxt_collocation *c, double x, double *q)
{
	const bxt_system *s = c->st->system;
	memcpy(q, c->begin->q, (size_t)s->size * sizeof *q);
	for (int i = 0; i < c->st->stages.s; i++) {
		const double b = c->st->h * weight_at(&c->st->stages, i, x);
		for (int k = 0; k < s->n; k++)
			q[k] += b * bxt_stepper_stage(c->st, i)[k];
	}
}

/* Momenta and their slopes, by the polynomial through the values at 0 and at c_i. */
static void look_at_momenta(const bxt_collocation *c, double x, double *p)
{
	const bxt_system *s = c->st->system;
	const bxt_stages *g = &c->st->stages;
	double at[BXT_MAX_STAGES + 1] = {0}, l[BXT_MAX_STAGES + 1], slope[BXT_MAX_STAGES + 1];
	memcpy(at + 1, g->c, (size_t)g->s * sizeof *at);
	for (int i = 0; i <= g->s; i++)
		l[i] = lagrange(at, g->s + 1, i, x, &slope[i]);
	memcpy(p, c->begin->p, (size_t)s->size * sizeof *p);
	memset(c->p_slope, 0, (size_t)s->size * sizeof *p);
	for (int k = 0; k < s->n; k++) {
		if (s->pinned[k])
			continue;
		p[k] = 0;
		for (int i = 0; i <= g->s; i++) {
			const double value = i == 0 ? c->begin->p[k] : c->momentum[i - 1][k];
			p[k] += l[i] * value;
			c->p_slope[k] += slope[i] * value / c->st->h;
		}
	}
}

static void look_at_flows(const bxt_collocation *c, double x)
{
	const bxt_system *s = c->st->system;
	const bxt_stages *g = &c->st->stages;
	const size_t bytes = (size_t)s->size * sizeof(double);
	memset(c->flows, 0, bytes);
	for (int i = 0; i < g->s; i++) {
		double unused;
		const double l = lagrange(g->c, g->s, i, x, &unused);
		for (int k = 0; k < s->spare; k++)
			c->flows[k] +=
				l * bxt_stepper_stage(c->st, i)[k] / (k < s->n ? 1 : c->st->h);
	}
	memcpy(c->q_slope, c->flows, bytes);
}

void bxt_collocation_look(bxt_collocation *c, double x, bxt_state *inside)
{
	const bxt_stepper *st = c->st;
	bxt_state_copy_values(st->system, c->begin, inside);
	look_at_coordinates(c, x, inside->q);
	look_at_momenta(c, x, inside->p);
	look_at_flows(c, x);
	memcpy(inside->x, bxt_stepper_stage(st, st->stages.s - 1),
	       (size_t)st->system->size * sizeof *inside->x);
	inside->t = st->t + x * st->h;
	inside->h = st->h;
}

void bxt_collocation_list(bxt_collocation *c, double x, bxt_quadrature_list *list)
{
	const bxt_stages *g = &c->st->stages;
	/* Weights are parts of the whole step; its h stays unchanged. */
	*list = *bxt_stepper_quadrature(c->st);
	for (int i = 0; i < list->n && i < g->s; i++) {
		const double part = weight_at(g, i, x) / g->b[i];
		list->entry[i].weight *= part;
		list->entry[i].weight_impulse *= part;
	}
}

/* c->near: the state of the polynomial at x, and, along loops, `before` it was closed. */
static bxt_status close_at(bxt_collocation *c, double x, double *before)
{
	look_at_coordinates(c, x, c->near.q);
	look_at_momenta(c, x, c->near.p);
	c->near.t = c->st->t + x * c->st->h;
	memcpy(before, c->near.q, (size_t)c->st->system->size * sizeof *before);
	return bxt_stepper_close_loops(c->st, &c->near, c->round_off);
}

bxt_status bxt_collocation_close(bxt_collocation *c, double x, double *q)
{
	const int half = MOVES / 2, n = c->st->system->n;
	const double middle = fmin(fmax(x, half * APART), 1 - half * APART);
	double at[MOVES];
	if (!c->st->closing[BXT_CLOSE_LOOPS])
		return BXT_OK;
	for (int k = 0; k < MOVES; k++)
		at[k] = middle + (k - half) * APART;
	for (int k = 0; k < MOVES; k++) {
		double slope;
		BXT_TRY(close_at(c, at[k], q));
		lagrange(at, MOVES, k, x, &slope);
		for (int i = 0; i < n; i++)
			c->q_slope[i] += slope * (c->near.q[i] - q[i]) / c->st->h;
	}
	BXT_TRY(close_at(c, x, q));
	memcpy(q, c->near.q, (size_t)c->st->system->size * sizeof *q);
	return BXT_OK;
}
