/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/error_estimate.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Relative uncertainty of the time: stage times differ from exact ones by some units in the last
 * place (bxt_stage_time). */
static const double OF_TIME = 64 * DBL_EPSILON;

struct bxt_error_estimate {
	bxt_arena *arena;
	bxt_settings settings; /* of implicit Euler steps */
	bxt_stepper *euler;
	bxt_state moved;          /* a state near the present one */
	double gamma;             /* gamma_0 */
	bool has_momenta;         /* does any coordinate have one that steps carry? */
	double d[BXT_MAX_STAGES]; /* b^_i - b_i */
	/* (size) at the begin of the step: flows and multipliers, p'; and at its end */
	double *x, *rate, *x_end, *rate_end;
	double *momentum[BXT_MAX_STAGES];   /* (size) P_i */
	double *change[BXT_MAX_STAGES];     /* (size) h P'_i */
	double *before, *r, *r_abs, *delta; /* (n_x of Euler's step, at least size) */
	double *e_q, *e_p;                  /* (size) */
	double *timed, *round_off; /* (size) error of coordinates that the time determines, and its
				      round-off */
};

/* gamma_0 by the number of stages: 1/gamma_0 is the real eigenvalue of a^-1 (s = 3); with two
 * stages 1/sqrt(6), the modulus of the pair. */
static double gamma_of(int s)
{
	return s == 3 ? 0.27488882959568 : 1 / sqrt(6.0);
}

/* d solves sum_i d_i c_i^(k-1) = -gamma_0 [k = 1], by Lagrange's polynomials at 0. */
static void set_weights(bxt_error_estimate *e, const bxt_stages *g)
{
	e->gamma = gamma_of(g->s);
	for (int i = 0; i < g->s; i++) {
		e->d[i] = -e->gamma;
		for (int j = 0; j < g->s; j++)
			if (j != i)
				e->d[i] *= -g->c[j] / (g->c[i] - g->c[j]);
	}
}

static double *room(bxt_error_estimate *e, size_t n)
{
	return BXT_NEW(e->arena, double, n + BXT_LANES);
}

static bxt_status make(bxt_error_estimate *e, const bxt_stepper *st, const bxt_state *state)
{
	const size_t size = (size_t)st->system->size;
	bxt_settings_backward_euler(st->settings, &e->settings);
	set_weights(e, &st->stages);
	BXT_TRY(bxt_stepper_make(st->board, st->system, &e->settings, state, &e->euler));
	e->euler->factors.most = BXT_MOST_STEP_FACTORS;
	for (int c = 0; c < st->system->n; c++)
		e->has_momenta = e->has_momenta || !st->system->pinned[c];
	const size_t n_x = (size_t)e->euler->n_x, most = n_x > size ? n_x : size;
	e->x = room(e, size);
	e->rate = room(e, size);
	e->x_end = room(e, size);
	e->rate_end = room(e, size);
	e->e_q = room(e, size);
	e->e_p = room(e, size);
	e->timed = room(e, size);
	e->round_off = room(e, size);
	e->before = room(e, most);
	e->r = room(e, most);
	e->r_abs = room(e, most);
	e->delta = room(e, most);
	e->moved.q = room(e, size);
	e->moved.p = room(e, size);
	e->moved.x = room(e, size);
	bool made = e->x && e->rate && e->x_end && e->rate_end && e->e_q && e->e_p && e->timed &&
		    e->round_off && e->before && e->r && e->r_abs && e->delta && e->moved.q &&
		    e->moved.p && e->moved.x;
	for (int i = 0; i < st->stages.s; i++) {
		e->momentum[i] = room(e, size);
		e->change[i] = room(e, size);
		made = made && e->momentum[i] && e->change[i];
	}
	return made ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_error_estimate_new(const bxt_stepper *st, const bxt_state *state,
				  bxt_error_estimate **out)
{
	*out = NULL;
	if (st->settings->scheme != &bxt_scheme_radau2 &&
	    st->settings->scheme != &bxt_scheme_radau3)
		return BXT_OK;
	bxt_error_estimate *e = *out = calloc(1, sizeof *e);
	if (!e)
		return BXT_ERR_MEMORY;
	e->arena = bxt_arena_new();
	const bxt_status status = e->arena ? make(e, st, state) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_error_estimate_free(e);
	return status;
}

bxt_error_estimate *bxt_error_estimate_free(bxt_error_estimate *e)
{
	if (e) {
		bxt_stepper_free(e->euler);
		bxt_arena_free(e->arena);
		free(e);
	}
	return NULL;
}

void bxt_error_estimate_begin(bxt_error_estimate *e, const bxt_state *state, const double *x,
			      double t)
{
	static const bxt_weights force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}},
				 impulse = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	const bxt_system *s = e->euler->system;
	bxt_evaluator *at = e->euler->evaluator[0];
	const bxt_point here = {state->q, x, t};
	bxt_evaluator_set_time(at, t);
	memcpy(e->x, x, (size_t)s->size * sizeof *e->x);
	memset(e->rate, 0, (size_t)s->size * sizeof *e->rate);
	bxt_evaluate(at, BXT_SET_DYNAMICS, here, &force, e->rate, NULL);
	bxt_evaluate(at, BXT_SET_CONSTRAINT, here, &impulse, e->rate, NULL);
}

/* ---- The formula ---- */

static const bxt_weights momenta = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};

/* h P'_i = sum_j w_ij (P_j - p_k) */
static void find_changes(bxt_error_estimate *e, bxt_stepper *st, const bxt_state *state)
{
	const bxt_system *s = st->system;
	const bxt_stages *g = &st->stages;
	if (!e->has_momenta) /* h P' is 0 and stays so */
		return;
	bxt_stepper_momenta(st, e->momentum);
	for (int i = 0; i < g->s; i++)
		for (int c = 0; c < s->n; c++) {
			e->change[i][c] = 0;
			for (int j = 0; j < g->s && !s->pinned[c]; j++)
				e->change[i][c] +=
					g->momentum[i][j] * (e->momentum[j][c] - state->p[c]);
		}
}

static void find_distance(bxt_error_estimate *e, const bxt_stepper *st)
{
	const bxt_system *s = st->system;
	const int last = st->stages.s - 1;
	const double *stage[BXT_MAX_STAGES];
	for (int i = 0; i <= last; i++)
		stage[i] = bxt_stepper_stage(st, i);
	for (int c = 0; c < s->n; c++) {
		double q = e->gamma * e->x[c];
		for (int i = 0; i <= last; i++)
			q += e->d[i] * stage[i][c];
		e->e_q[c] = st->h * q;
		e->e_p[c] = 0;
	}
	for (int c = 0; c < s->n && e->has_momenta; c++) {
		double p = e->gamma * st->h * e->rate[c];
		for (int i = 0; i <= last && !s->pinned[c]; i++)
			p += e->d[i] * e->change[i][c];
		e->e_p[c] = s->pinned[c] ? 0 : p;
	}
	const double *x = bxt_stepper_stage(st, last);
	for (int k = 0; k < s->size; k++)
		e->x_end[k] = k < s->n ? x[k] : x[k] / st->h;
	for (int c = 0; c < s->n; c++)
		e->rate_end[c] = e->change[last][c] / st->h;
}

/* ---- The filter ---- */

/* P at the end of Euler's step with the flows x from q, to `out` (size). */
static void find_momenta(bxt_error_estimate *e, const double *q, const double *x, double *out)
{
	bxt_stepper *st = e->euler;
	const bxt_system *s = st->system;
	double *end = st->q_stage[0];
	memcpy(end, q, (size_t)s->size * sizeof *end);
	for (int c = 0; c < s->n; c++)
		end[c] += st->h * x[c];
	memset(out, 0, (size_t)s->size * sizeof *out);
	bxt_evaluate(st->evaluator[0], BXT_SET_MOMENTUM,
		     (bxt_point){end, x, bxt_stepper_time(st, 0)}, &momenta, out, NULL);
}

static void set_guess(bxt_error_estimate *e)
{
	bxt_stepper *st = e->euler;
	const bxt_system *s = st->system;
	memset(st->x, 0, (size_t)st->n_x * sizeof *st->x);
	for (int k = 0; k < s->spare; k++)
		st->x[k] = k < s->n ? e->x[k] : e->x[k] * st->h;
}

static bxt_status filter(bxt_error_estimate *e, const bxt_state *state)
{
	bxt_stepper *st = e->euler;
	const bxt_system *s = st->system;
	const size_t bytes = (size_t)s->size * sizeof(double);
	double *p_before = e->momentum[0], *p_after = e->momentum[1];
	BXT_TRY(bxt_stepper_begin(st, state, st->h));
	set_guess(e);
	bxt_stepper_residual(st, st->x, e->before, e->r_abs);
	if (e->has_momenta)
		find_momenta(e, state->q, st->x, p_before);
	memcpy(e->moved.q, state->q, bytes);
	memcpy(e->moved.p, state->p, bytes);
	for (int c = 0; c < s->n; c++) {
		e->moved.q[c] += e->e_q[c];
		e->moved.p[c] += e->e_p[c];
	}
	BXT_TRY(bxt_stepper_begin(st, &e->moved, st->h));
	bxt_stepper_residual(st, st->x, e->r, e->r_abs);
	for (int k = 0; k < st->n_x; k++)
		e->delta[k] = e->before[k] - e->r[k];
	BXT_TRY(bxt_linsol_solve(st->solver, e->delta));
	for (int c = 0; c < s->n; c++) {
		st->x[c] += e->delta[c];
		e->e_q[c] += st->h * e->delta[c];
	}
	if (e->has_momenta)
		find_momenta(e, e->moved.q, st->x, p_after);
	for (int c = 0; c < s->n && e->has_momenta; c++)
		e->e_p[c] = s->pinned[c] ? 0 : p_after[c] - p_before[c];
	return BXT_OK;
}

/*
 * Coordinates that algebraic equations determine have no dynamics. The filter removes their error,
 * and at the end of the step they have none. But if the equations depend on the time, as around a
 * loop of a capacitor and a source, the polynomial has an error between the stages. It is about as
 * large as the error of the embedded formula at the end.
 */
static bxt_status find_timed(bxt_error_estimate *e, bxt_stepper *st, const bxt_state *state)
{
	const bxt_system *s = st->system;
	const int last = st->stages.s - 1;
	memset(e->timed, 0, (size_t)s->size * sizeof *e->timed);
	if (!st->closing[BXT_CLOSE_LOOPS])
		return BXT_OK;
	const double *p = e->has_momenta ? e->momentum[last] : state->p;
	for (int c = 0; c < s->size; c++) {
		e->moved.q[c] = state->q[c];
		for (int i = 0; i <= last && c < s->n; i++)
			e->moved.q[c] += st->h * st->stages.b[i] * bxt_stepper_stage(st, i)[c];
		e->moved.q[c] += e->e_q[c];
		e->moved.p[c] = p[c] + e->e_p[c];
		e->timed[c] = e->moved.q[c];
	}
	e->moved.t = bxt_stepper_time(st, last);
	const bxt_status status = bxt_stepper_close_loops(st, &e->moved, e->round_off);
	const double blur = OF_TIME * fmax(fabs(state->t), fabs(state->t + st->h));
	e->moved.t = state->t;
	for (int c = 0; c < s->n; c++) {
		const double moved = e->timed[c] - e->moved.q[c];
		const double noise = e->round_off[c] + blur * fabs(e->x_end[c]);
		e->timed[c] = copysign(fdim(fabs(moved), noise), moved);
	}
	return bxt_status_is_recoverable(status) ? BXT_OK : status;
}

bxt_status bxt_error_estimate_find(bxt_error_estimate *e, bxt_stepper *st, const bxt_state *state,
				   bool twice, double *error)
{
	const bxt_system *s = st->system;
	const double h = e->gamma * st->h;
	double *q = e->moved.q, *p = e->moved.p, *x = e->moved.x;
	find_changes(e, st, state);
	find_distance(e, st);
	e->moved = *state;
	e->moved.q = q;
	e->moved.p = p;
	e->moved.x = x;
	e->euler->t_first = st->t_first;
	e->euler->t_last = st->t_last;
	if (!e->euler->affine || e->euler->h != h || !e->euler->factors.made) {
		BXT_TRY(bxt_stepper_begin(e->euler, state, h));
		set_guess(e);
		BXT_TRY(bxt_stepper_factor(e->euler, state, h));
	}
	BXT_TRY(find_timed(e, st, state));
	for (int k = 0; k <= twice; k++)
		BXT_TRY(filter(e, state));
	for (int c = 0; c < s->n; c++) {
		error[c] = e->e_q[c] + e->timed[c];
		error[s->n + c] = e->e_p[c];
	}
	return BXT_OK;
}

bxt_status bxt_error_estimate_inside(bxt_error_estimate *e, const bxt_stepper *st,
				     const bxt_state *inside, const double *q, const double *p,
				     double *x)
{
	const bxt_system *s = st->system;
	bxt_stepper *euler = e->euler;
	const double h = e->gamma * st->h;
	bxt_state begin = *inside;
	begin.q = e->moved.q;
	begin.p = e->moved.p;
	begin.x = e->delta;
	begin.t = inside->t - h;
	begin.h = h;
	for (int c = 0; c < s->size; c++) {
		begin.q[c] = inside->q[c] - (c < s->n ? h * q[c] : 0);
		begin.p[c] = inside->p[c] - (c < s->n && !s->pinned[c] ? h * p[c] : 0);
		begin.x[c] = c < s->n ? x[c] : x[c] * h;
	}
	BXT_TRY(bxt_stepper_solve(euler, &begin, h));
	for (int k = 0; k < s->spare; k++)
		x[k] = k < s->n ? euler->x[k] : euler->x[k] / h;
	return BXT_OK;
}

void bxt_error_estimate_accept(bxt_error_estimate *e)
{
	double *x = e->x, *rate = e->rate;
	e->x = e->x_end;
	e->rate = e->rate_end;
	e->x_end = x;
	e->rate_end = rate;
}

void bxt_error_estimate_count(const bxt_error_estimate *e, long *full, long *reused)
{
	size_t entries;
	bxt_stepper_count_factors(e->euler, &entries, full, reused);
}

const double *bxt_error_estimate_flows(const bxt_error_estimate *e, bool before)
{
	return before ? e->x_end : e->x;
}
