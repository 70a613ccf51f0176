/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "study/sensitivity/repeats.h"

#include "model/system/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Shortest step, as a fraction of the run's step, in whose middle equations are compared. The
 * middle of a shorter one is too near to the edge of a source.
 */
static const double SHORTEST = 1e-6;

struct bxt_repeats {
	bxt_arena *arena;
	bxt_simulation *m;
	bxt_evaluator *e;
	double begin, period;
	size_t rows;             /* number of rows of r: equations, then momenta */
	double *x;               /* (size) */
	double *r[2], *r_abs;    /* (rows) at both times */
	double *apart, *largest; /* (rows) largest difference and largest terms so far */
	bxt_step_follower follower;
};

/*
 * Computes all rows of the equations, then all momenta. *r_abs receives the sums of absolute
 * values.
 */
static void find_rows(const bxt_repeats *c, double t, double *r)
{
	static const bxt_weights w = {
		{{[BXT_P] = 1, [BXT_F] = 1, [BXT_C] = 1, [BXT_K] = 1},
		 {[BXT_P] = 1, [BXT_D] = 1, [BXT_F] = 1, [BXT_C] = 1, [BXT_K] = 1}}};
	const size_t half = c->rows / 2;
	const bxt_residual to = {r, c->r_abs, r + half, c->r_abs + half};
	const bxt_point at = {c->m->state->q, c->x, t};
	memset(r, 0, c->rows * sizeof *r);
	bxt_evaluator_set_time(c->e, t);
	bxt_evaluate_apart(c->e, BXT_SET_DYNAMICS, at, &w, &to);
	bxt_evaluate_apart(c->e, BXT_SET_CONSTRAINT, at, &w, &to);
}

static bxt_status solved(void *context, double h, double t_next)
{
	bxt_repeats *c = context;
	const bxt_state *state = c->m->state;
	const double t = t_next - h / 2;
	if (!(h > SHORTEST * c->m->settings.step))
		return BXT_OK;
	for (int i = 0; i < c->m->s->size; i++)
		c->x[i] = i < c->m->s->n || state->h == 0 ? state->x[i] : state->x[i] / state->h;
	memset(c->r_abs, 0, c->rows * sizeof *c->r_abs);
	find_rows(c, t, c->r[0]);
	find_rows(c, t < c->begin ? t + c->period : t - c->period, c->r[1]);
	for (size_t i = 0; i < c->rows; i++) {
		const double apart = fabs(c->r[1][i] - c->r[0][i]);
		c->apart[i] = apart <= c->apart[i] ? c->apart[i] : apart;
		c->largest[i] = fmax(c->largest[i], c->r_abs[i] / 2);
	}
	return BXT_OK;
}

bxt_status bxt_repeats_new(bxt_simulation *m, double begin, double period, bxt_repeats **out)
{
	bxt_repeats *c = *out = calloc(1, sizeof *c);
	if (!c)
		return BXT_ERR_MEMORY;
	c->m = m;
	c->begin = begin;
	c->period = period;
	c->arena = bxt_arena_new();
	c->e = bxt_evaluator_new(m->s);
	c->rows = 2 * ((size_t)m->s->size + BXT_LANES);
	double **const each[] = {&c->x, &c->r[0], &c->r[1], &c->r_abs, &c->apart, &c->largest};
	bool good = c->arena && c->e;
	for (size_t i = 0; i < sizeof each / sizeof *each && good; i++)
		good = (*each[i] = BXT_NEW(c->arena, double, c->rows)) != NULL;
	if (!good) {
		*out = bxt_repeats_free(c);
		return BXT_ERR_MEMORY;
	}
	c->follower = (bxt_step_follower){solved, c};
	m->follower = &c->follower;
	return BXT_OK;
}

bxt_repeats *bxt_repeats_free(bxt_repeats *c)
{
	if (c) {
		c->m->follower = NULL;
		bxt_evaluator_free(c->e);
		bxt_arena_free(c->arena);
	}
	free(c);
	return NULL;
}

double bxt_repeats_worst(const bxt_repeats *c, int *coordinate)
{
	const size_t half = c->rows / 2, n = (size_t)c->m->s->n;
	double worst = 0;
	*coordinate = -1;
	for (size_t i = 0; i < c->rows; i++) {
		if (!(c->largest[i] > 0) || c->apart[i] <= worst * c->largest[i])
			continue;
		worst = isfinite(c->apart[i]) ? c->apart[i] / c->largest[i] : INFINITY;
		*coordinate = i % half < n ? (int)(i % half) : -1;
	}
	return worst;
}
