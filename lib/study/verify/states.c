/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random admissible states near a given one. Coordinates move along Delta, and are then corrected
 * until position constraints hold and lossless loops are closed. Flows change within Delta; momenta
 * follow.
 */
#include "study/verify/verify_internal.h"

#include "motion/scheme/traits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bxt_state *bxt_verify_state_new(const bxt_system *s)
{
	bxt_state *state = calloc(1, sizeof *state);
	if (!state)
		return NULL;
	const size_t n = (size_t)s->size + BXT_LANES;
	state->system = s;
	state->q = calloc(n, sizeof *state->q);
	state->p = calloc(n, sizeof *state->p);
	state->x = calloc(n, sizeof *state->x);
	return state->q && state->p && state->x ? state : bxt_state_free(state);
}

/*
 * Least size of a coordinate, which scales its random displacement: for angles and pure numbers in
 * rad and 1, for all others in their SI unit, if the start has no larger values. With 0,
 * coordinates that start at 0 would not move.
 */
static const double OF_NUMBER = 0.1, OF_LENGTH = 1e-9;

struct walk {
	bxt_verifier *v;
	bxt_arena *arena;
	bxt_projector *rows; /* at the base, for rows that are independent there */
	double *scale;       /* (n by D) the size of a coordinate */
	double *speed;       /* (n by D) of a flow */
	double *move;        /* (n by D) */
	double *phi;         /* (m by D) */
	double *at_x;        /* (size) */
};

/* The size of a length is the largest of its unit, that of angles and pure numbers at least 0.1. */
static bxt_status find_scales(struct walk *w)
{
	const bxt_system *s = w->v->s;
	const bxt_state *base = w->v->base;
	const double h = w->v->settings.step;
	const int n = (int)s->dirac.n;
	bxt_map units = {0};
	bxt_status status = BXT_OK;
	double *of_q = BXT_NEW(w->arena, double, (size_t)n);
	double *of_v = BXT_NEW(w->arena, double, (size_t)n);
	if (!of_q || !of_v)
		return BXT_ERR_MEMORY;
	for (int pass = 0; pass < 2; pass++)
		for (int c = 0; c < n && status == BXT_OK; c++) {
			const char *unit = bxt_dirac_coord_unit(s->net, &s->dirac.coord[c]);
			int u = bxt_map_get(&units, unit);
			if (u < 0) {
				u = (int)units.count;
				status = bxt_map_put(&units, unit, u);
				const bool number =
					strcmp(unit, "rad") == 0 || strcmp(unit, "1") == 0;
				of_q[u] = number ? OF_NUMBER : OF_LENGTH;
			}
			const int x = s->x_of_coord[c];
			of_q[u] = fmax(of_q[u], fmax(fabs(base->q[x]), h * fabs(base->x[x])));
			of_v[u] = fmax(of_v[u], fabs(base->x[x]));
			w->scale[c] = of_q[u];
			w->speed[c] = of_v[u] > 0 ? of_v[u] : of_q[u];
		}
	bxt_map_free(&units);
	return status;
}

static void random_move(struct walk *w, const double *scale, double size)
{
	for (size_t c = 0; c < w->v->s->dirac.n; c++)
		w->move[c] = size * scale[c] * bxt_random_number(&w->v->seed);
}

static void add_move(struct walk *w, double *to)
{
	const bxt_system *s = w->v->s;
	for (size_t c = 0; c < s->dirac.n; c++)
		to[s->x_of_coord[c]] += w->move[c];
}

/* phi by rows of D at q, 0 for rows without a position; returns the largest. */
static double positions(struct walk *w, const double *q, double t)
{
	static const bxt_weights only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = w->v->s;
	double largest = 0;
	memset(w->at_x, 0, (size_t)s->size * sizeof *w->at_x);
	bxt_evaluator_set_time(w->v->e, t);
	bxt_evaluate(w->v->e, BXT_SET_POSITION, (bxt_point){q, w->v->zero, t}, &only, w->at_x,
		     NULL);
	for (size_t r = 0; r < s->dirac.m; r++) {
		const int x = s->x_of_row[r];
		w->phi[r] = x != s->spare && s->constraints.is_position[x] ? w->at_x[x] : 0;
		largest = fmax(largest, fabs(w->phi[r]));
	}
	return largest;
}

/* Gauss-Newton with the slopes at the base, which are accurate enough near it. */
static bxt_status meet_positions(struct walk *w, bxt_state *state)
{
	enum { ROUNDS = 40 };
	double before = INFINITY;
	for (int round = 0; round < ROUNDS && w->v->s->constraints.has_positions; round++) {
		const double miss = positions(w, state->q, state->t);
		if (!isfinite(miss))
			return BXT_ERR_NOT_FINITE;
		if (miss == 0 || (miss >= 0.5 * before && round > 3))
			break; /* this is round-off */
		before = miss;
		BXT_TRY(bxt_projector_least(w->rows, w->phi, w->move));
		for (size_t c = 0; c < w->v->s->dirac.n; c++)
			w->move[c] = -w->move[c];
		add_move(w, state->q);
	}
	return BXT_OK;
}

/*
 * p <- p_base + P(q, v) - P(q_base, v_base). Massless coordinates have momenta only if these are
 * state.
 */
static void follow_momenta(struct walk *w, bxt_state *state)
{
	static const bxt_weights plus = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights minus = {{{[BXT_P] = -1}, {[BXT_P] = -1}}};
	const bxt_system *s = w->v->s;
	const bxt_state *base = w->v->base;
	bxt_evaluator *e = w->v->e;
	memset(w->at_x, 0, (size_t)s->size * sizeof *w->at_x);
	bxt_evaluator_set_time(e, state->t);
	bxt_evaluate(e, BXT_SET_MOMENTUM, (bxt_point){state->q, state->x, state->t}, &plus, w->at_x,
		     NULL);
	bxt_evaluate(e, BXT_SET_MOMENTUM, (bxt_point){base->q, base->x, base->t}, &minus, w->at_x,
		     NULL);
	for (int i = 0; i < s->n; i++)
		if (!s->pinned[i] || bxt_traits(&w->v->settings).massless_momenta)
			state->p[i] = base->p[i] + w->at_x[i];
}

/* W^T F(q) = 0 on lossless loops is a condition on q as well (start/lossless_loops.h). */
static bxt_status close_loops(struct walk *w, bxt_state *state)
{
	bxt_evaluator *e = w->v->e;
	bxt_lossless_loops *loops = NULL;
	bxt_evaluator_set_time(e, state->t);
	bxt_status status =
		bxt_lossless_loops_new(e, (bxt_point){state->q, state->x, state->t}, &loops);
	if (status == BXT_OK && loops->r > 0)
		status = bxt_lossless_loops_close(loops, e, state->q, state->t);
	bxt_lossless_loops_free(loops);
	return status;
}

static bxt_status walk_to_state(struct walk *w, double size)
{
	bxt_verifier *v = w->v;
	const bxt_system *s = v->s;
	const size_t bytes = (size_t)s->size * sizeof(double);
	bxt_state *to = v->near;
	bxt_sparse rows;
	BXT_TRY(bxt_verify_rows(v, w->arena, v->base->q, v->base->t, &rows));
	BXT_TRY(bxt_projector_new(&rows, BXT_VERIFY_DEPENDENT, NULL, &w->rows));
	BXT_TRY(find_scales(w));
	memcpy(to->q, v->base->q, bytes);
	memcpy(to->p, v->base->p, bytes);
	memcpy(to->x, v->base->x, bytes);
	to->t = to->t0 = v->base->t;
	random_move(w, w->scale, size);
	BXT_TRY(bxt_projector_apply(w->rows, false, w->move));
	add_move(w, to->q);
	BXT_TRY(meet_positions(w, to));
	BXT_TRY(close_loops(w, to));
	random_move(w, w->speed, size);
	BXT_TRY(bxt_projector_apply(w->rows, false, w->move));
	add_move(w, to->x);
	follow_momenta(w, to);
	for (int i = 0; i < s->n; i++)
		if (!isfinite(to->q[i]) || !isfinite(to->p[i]))
			return BXT_ERR_NOT_FINITE;
	return BXT_OK;
}

bxt_status bxt_verify_near(bxt_verifier *v, double size)
{
	const bxt_system *s = v->s;
	struct walk w = {.v = v, .arena = bxt_arena_new()};
	if (!w.arena)
		return BXT_ERR_MEMORY;
	w.scale = BXT_NEW(w.arena, double, s->dirac.n);
	w.speed = BXT_NEW(w.arena, double, s->dirac.n);
	w.move = BXT_NEW(w.arena, double, s->dirac.n);
	w.phi = BXT_NEW(w.arena, double, s->dirac.m);
	w.at_x = BXT_NEW(w.arena, double, (size_t)s->size + BXT_LANES);
	const bxt_status status = w.scale && w.speed && w.move && w.phi && w.at_x
					  ? walk_to_state(&w, size)
					  : BXT_ERR_MEMORY;
	bxt_projector_free(w.rows);
	bxt_arena_free(w.arena);
	return status;
}
