/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/coarseness.h"

#include "ground/base/arena.h"

#include <math.h>
#include <string.h>

/* Number of points in [0, 1] at which |Phi| is evaluated to find its maximum, which needs two
 * digits only. */
enum { SAMPLES = 64 };

struct bxt_coarseness {
	const bxt_stepper *st;
	bxt_arena *arena;
	double *flow[2][BXT_MAX_STAGES]; /* (n) flows of the last step and of the one before it */
	int known;                       /* how many of these steps are known */
	double h;                        /* [s] of these steps */
	double *worst, *worst_at;        /* (n) the largest error of a step, and its time */
	/* s > 1: the last step's polynomial predicts q_{k+1} = q_k + h sum extended_j V_j */
	double extended[BXT_MAX_STAGES], factor;
};

/* ---- Weights ---- */

/* Returns int_0^x prod (xi - c_i) dxi, from the coefficients of the product. */
static double integral_of_nodes(const bxt_stages *stages, double x)
{
	double coefficient[BXT_MAX_STAGES + 1] = {1}, sum = 0;
	for (int i = 0; i < stages->s; i++)
		for (int k = i + 1; k >= 0; k--)
			coefficient[k] = (k > 0 ? coefficient[k - 1] : 0) -
					 stages->c[i] * (k <= i ? coefficient[k] : 0);
	for (int k = stages->s; k >= 0; k--)
		sum = sum * x + coefficient[k] / (k + 1);
	return sum * x;
}

static void set_weights(bxt_coarseness *c)
{
	const bxt_stages *stages = &c->st->stages;
	bxt_tableau tableau = {.s = stages->s};
	double flow[BXT_MAX_STAGES], to_end[BXT_MAX_STAGES], most = 0;
	memcpy(tableau.b, stages->b, sizeof tableau.b);
	memcpy(tableau.c, stages->c, sizeof tableau.c);
	bxt_tableau_polynomial(&tableau, 1, flow, to_end);
	bxt_tableau_polynomial(&tableau, 2, flow, c->extended);
	for (int j = 0; j < stages->s; j++)
		c->extended[j] -= to_end[j];
	for (int k = 1; k <= SAMPLES; k++)
		most = fmax(most, fabs(integral_of_nodes(stages, (double)k / SAMPLES)));
	c->factor = most / fabs(integral_of_nodes(stages, 2));
}

/* ---- The object ---- */

static bxt_status make(bxt_coarseness *c)
{
	const size_t n = (size_t)c->st->system->n;
	const int s = c->st->stages.s;
	for (int k = 0; k < (s > 1 ? 1 : 2); k++)
		for (int j = 0; j < s; j++)
			if (!(c->flow[k][j] = BXT_NEW(c->arena, double, n)))
				return BXT_ERR_MEMORY;
	c->worst = BXT_NEW(c->arena, double, n);
	c->worst_at = BXT_NEW(c->arena, double, n);
	if (!c->worst || !c->worst_at)
		return BXT_ERR_MEMORY;
	if (s > 1)
		set_weights(c);
	return BXT_OK;
}

bxt_status bxt_coarseness_new(const bxt_stepper *st, bxt_coarseness **out)
{
	*out = NULL;
	if (st->method->solve || st->stages.points || st->stages.mixture ||
	    (st->stages.s > 1 && !bxt_stages_collocate(&st->stages)))
		return BXT_OK;
	bxt_arena *arena = bxt_arena_new();
	bxt_coarseness *c = arena ? BXT_NEW(arena, bxt_coarseness, 1) : NULL;
	bxt_status status = BXT_ERR_MEMORY;
	if (c) {
		c->arena = arena;
		c->st = st;
		status = make(c);
	}
	if (status == BXT_OK)
		*out = c;
	else
		bxt_arena_free(arena);
	return status;
}

bxt_coarseness *bxt_coarseness_free(bxt_coarseness *c)
{
	if (c)
		bxt_arena_free(c->arena);
	return NULL;
}

/* ---- Steps ---- */

static void note(bxt_coarseness *c, int i, double error, double time)
{
	if (error > c->worst[i]) {
		c->worst[i] = error;
		c->worst_at[i] = time;
	}
}

static void of_one_flow(bxt_coarseness *c, double time)
{
	const double *restrict v = c->st->x, *restrict v1 = c->flow[0][0],
			       *restrict v2 = c->flow[1][0];
	const double h = fabs(c->h), first = h * fabs(0.5 - c->st->stages.c[0]);
	for (int i = 0; i < c->st->system->n && c->known == 2; i++)
		note(c, i, first * fabs(v[i] - v1[i]) + h / 12 * fabs(v[i] - 2 * v1[i] + v2[i]),
		     time);
	double *oldest = c->flow[1][0];
	c->flow[1][0] = c->flow[0][0];
	c->flow[0][0] = oldest;
	c->known += c->known < 2;
}

static void of_several(bxt_coarseness *c, double time)
{
	const bxt_stages *stages = &c->st->stages;
	const double w = fabs(c->h) * c->factor;
	for (int i = 0; i < c->st->system->n && c->known > 0; i++) {
		double difference = 0;
		for (int j = 0; j < stages->s; j++)
			difference += stages->b[j] * bxt_stepper_stage(c->st, j)[i] -
				      c->extended[j] * c->flow[0][j][i];
		note(c, i, w * fabs(difference), time);
	}
	c->known = 1;
}

void bxt_coarseness_step(bxt_coarseness *c, double time)
{
	const bxt_stepper *st = c->st;
	c->known = st->h == c->h ? c->known : 0;
	c->h = st->h;
	if (st->stages.s == 1)
		of_one_flow(c, time);
	else
		of_several(c, time);
	for (int j = 0; j < st->stages.s; j++)
		memcpy(c->flow[0][j], bxt_stepper_stage(st, j),
		       (size_t)st->system->n * sizeof(double));
}

int bxt_coarseness_worst(const bxt_coarseness *c, const double *largest, double *part, double *at)
{
	const bxt_system *s = c->st->system;
	int worst = -1;
	*part = 0;
	for (int i = 0; i < s->n; i++) {
		const double size = largest[s->quantity[i]];
		if (s->pinned[i] || size <= 0 || c->worst[i] <= *part * size)
			continue;
		*part = c->worst[i] / size;
		*at = c->worst_at[i];
		worst = i;
	}
	return worst;
}

void bxt_coarseness_keep(bxt_coarseness *c, bxt_account *account)
{
	const int n = c->st->system->n, s = c->st->stages.s;
	bxt_account_within(account, &c->known, 0, s > 1 ? 1 : 2, 0);
	BXT_KEEP(account, c->h);
	BXT_KEEP_ARRAY(account, c->worst, n);
	BXT_KEEP_ARRAY(account, c->worst_at, n);
	for (int k = 0; k < (s > 1 ? 1 : 2); k++)
		for (int j = 0; j < s; j++)
			BXT_KEEP_ARRAY(account, c->flow[k][j], n);
}
