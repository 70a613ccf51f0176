/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first guess of a step: the last solution, an extrapolation of the last three, or the
 * collocation polynomial of a solved step, where the caller gives one. */
#include "step/method.h"
#include "step/stepper.h"

#include <math.h>
#include <string.h>

/* Coefficients of the extrapolations from the last three solutions. */
static const double leading[BXT_GUESSES][3] = {
	{3, -3, 1}, /* along a parabola */
	{1, 1, -1}, /* along a line, plus a part that alternates in sign (Gauss schemes) */
};

static double lead(const bxt_stepper *st, int guess, int i)
{
	const double *c = leading[guess];
	return c[0] * st->history[0][i] + c[1] * st->history[1][i] + c[2] * st->history[2][i];
}

/* The error of an extrapolation, relative to the typical size of each kind of unknowns. */
static double miss(const bxt_stepper *st, int guess)
{
	double sum = 0;
	for (int k = 0; k < st->equations.n_split; k++) {
		const double typical = st->newton.typical[k];
		double most = 0;
		for (int i = st->split[k]; i < st->split[k + 1]; i++)
			most = fmax(most, fabs(st->x[i] - lead(st, guess, i)));
		sum += typical > 0 ? most / typical : 0;
	}
	return sum;
}

/* Stores the solution of a solved step, and selects the better extrapolation. */
void bxt_stepper_remember(bxt_stepper *st, double t_next)
{
	if (st->h != st->h_history || st->t != st->t_history)
		st->n_history = 0;
	if (st->n_history == 3)
		st->guess = miss(st, 1) < miss(st, 0);
	double *oldest = st->history[2];
	st->history[2] = st->history[1];
	st->history[1] = st->history[0];
	st->history[0] = oldest;
	memcpy(oldest, st->x, (size_t)st->n_x * sizeof *oldest);
	st->n_history += st->n_history < 3;
	st->h_history = st->h;
	st->t_history = t_next;
}

/* An extrapolated guess must be better by this factor: beyond a corner it is wrong. */
static const double CLEARLY = 0.1;

/* A guess not much worse than the last accepted one is accepted without comparison. */
static const double MUCH = 4;

/* The extrapolation of the last three solutions, if it is the better guess. */
static void extrapolate(bxt_stepper *st, double h)
{
	if (st->n_history < 3 || h != st->h_history || st->t != st->t_history)
		return;
	for (int i = 0; i < st->n_x; i++)
		st->ahead[i] = lead(st, st->guess, i);
	const double off = bxt_newton_distance(&st->newton, &st->equations, st->ahead);
	const bool trusted = off <= MUCH * st->trusted;
	if (!trusted &&
	    !(off < CLEARLY * bxt_newton_distance(&st->newton, &st->equations, st->x))) {
		st->trusted = 0;
		return;
	}
	memcpy(st->x, st->ahead, (size_t)st->n_x * sizeof *st->x);
	st->newton.evaluated = trusted;
	if (!trusted)
		st->trusted = off;
}

/*
 * Flows and multipliers on the polynomial through the stages of st->like, there or beyond: of a
 * step that ends where this one begins, or that this one is a part of. It has to be the better
 * guess.
 */
static bool follow(bxt_stepper *st, double h)
{
	const bxt_solved_step *like = &st->like;
	const bxt_stages *g = &st->stages;
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size, stages = (size_t)g->s * size;
	const double begin = (st->t - like->t) / like->h, ratio = h / like->h;
	memcpy(st->ahead, st->x, (size_t)st->n_x * sizeof *st->ahead);
	memset(st->ahead, 0, stages * sizeof *st->ahead);
	for (int i = 0; i < g->s; i++)
		for (int j = like->begin ? -1 : 0; j < g->s; j++) {
			const double *restrict from =
				j < 0 ? like->begin : like->x + (size_t)j * size;
			double *restrict to = st->ahead + (size_t)i * size;
			const double at = begin + ratio * g->c[i], own = j < 0 ? 0 : g->c[j];
			double l = j < 0 || !like->begin ? 1 : at / own;
			for (int k = 0; k < g->s; k++)
				if (k != j)
					l *= (at - g->c[k]) / (own - g->c[k]);
			const double impulse = l * (j < 0 ? h : ratio);
			for (int c = 0; c < s->n; c++)
				to[c] += l * from[c];
			for (int c = s->n; c < s->spare; c++)
				to[c] += impulse * from[c];
		}
	bxt_row_mask_residual(&st->mask, NULL, st->ahead, NULL);
	const double off = bxt_newton_distance(&st->newton, &st->equations, st->ahead);
	const bool trusted = off <= MUCH * st->trusted;
	if (!trusted && !(off < bxt_newton_distance(&st->newton, &st->equations, st->x))) {
		st->trusted = 0;
		return false;
	}
	memcpy(st->x, st->ahead, (size_t)st->n_x * sizeof *st->x);
	st->newton.evaluated = trusted;
	st->trusted = off;
	return true;
}

/* The guess: each stage like the last one of the step before, the same kick. */
bool bxt_stepper_guess(bxt_stepper *st, const bxt_state *state, double h)
{
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size;
	/* impulses are proportional to the step */
	const double scale = state->h != 0 && state->h != h ? h / state->h : 1;
	for (int i = 0; i < st->stages.s; i++) {
		double *x = st->x + (size_t)i * size;
		memcpy(x, state->x, size * sizeof *x);
		for (int k = s->n; k < s->spare; k++)
			x[k] *= scale;
	}
	for (int i = st->stages.s * s->size; i < st->n_x; i++) {
		const int at = st->group[i];
		if (at < 0 || (at >= s->n && (state->h != h || st->failed)))
			st->x[i] = 0;
		else if (at < s->n)
			st->x[i] = state->x[at];
	}
	st->failed = false;
	bxt_row_mask_residual(&st->mask, NULL, st->x, NULL);
	const bool follows = st->like.x && st->method == &bxt_method_blocks && !st->stages.points;
	const bool followed = follows && follow(st, h);
	if (!follows)
		extrapolate(st, h);
	st->like.x = NULL;
	return followed;
}
