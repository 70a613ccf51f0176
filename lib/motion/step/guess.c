/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first guess of a step: the last solution, an extrapolation of the last ones, or the
 * collocation polynomial of a solved step, where the caller gives one. */
#include "motion/step/method.h"
#include "motion/step/stepper.h"

#include <math.h>
#include <string.h>

/*
 * Extrapolations of the last solutions a, b, c, d, by their assumption on the second difference
 * a - 2 b + c:
 *
 *     PARABOLA     it stays constant,
 *     ALTERNATING  it changes its sign, as errors of Gauss schemes do,
 *     GEOMETRIC    it continues with the ratio of the last two, separately for each unknown and of
 *                  magnitude at most 1: components that a step does not resolve decay at ratios of
 * their own, and components that it resolves have a ratio near 1.
 */
enum { PARABOLA, ALTERNATING, GEOMETRIC };
/* Factor by which GEOMETRIC must be better than the others: when a difference passes through zero
 * its rate is meaningless. */
static const double RATES = 0.25;
/* Number of solutions that each extrapolation needs. */
static const int needs[BXT_GUESSES] = {3, 3, 4};

/* Extrapolates one unknown from its last values. */
static inline double along_line(double a, double b, double difference)
{
	return 2 * a - b + difference;
}

static inline double geometric(double a, double b, double c, double d)
{
	const double now = a - 2 * b + c, before = b - 2 * c + d;
	const double rate = now / (before == 0 ? 1 : before), least = rate > -1 ? rate : -1;
	return along_line(a, b, (least < 1 ? least : 1) * now);
}

/* Extrapolates the last solutions into st->guesses.ahead (n_x). */
static void lead(bxt_stepper *st, int guess)
{
	const double *restrict a = st->guesses.solution[0], *restrict b = st->guesses.solution[1],
			       *restrict c = st->guesses.solution[2],
			       *restrict d = st->guesses.solution[3];
	double *restrict to = st->guesses.ahead;
	const double sign = guess == PARABOLA ? 1 : -1;
	for (int i = 0; guess != GEOMETRIC && i < st->n_x; i++)
		to[i] = along_line(a[i], b[i], sign * (a[i] - 2 * b[i] + c[i]));
	for (int i = 0; guess == GEOMETRIC && i < st->n_x; i++)
		to[i] = geometric(a[i], b[i], c[i], d[i]);
}

static inline double larger(double most, double off)
{
	return fabs(off) > most ? fabs(off) : most;
}

/* The errors of extrapolations, relative to the typical size of each kind of unknowns. */
static void miss(const bxt_stepper *st, double *sum)
{
	const double *restrict a = st->guesses.solution[0], *restrict b = st->guesses.solution[1],
			       *restrict c = st->guesses.solution[2],
			       *restrict d = st->guesses.solution[3], *restrict x = st->x;
	for (int k = 0; k < st->equations.n_split; k++) {
		const double typical = st->newton.typical[k];
		double most[BXT_GUESSES] = {0};
		for (int i = st->unknowns.split[k]; i < st->unknowns.split[k + 1]; i++) {
			const double now = a[i] - 2 * b[i] + c[i];
			most[PARABOLA] = larger(most[PARABOLA], x[i] - along_line(a[i], b[i], now));
			most[ALTERNATING] =
				larger(most[ALTERNATING], x[i] - along_line(a[i], b[i], -now));
			most[GEOMETRIC] =
				larger(most[GEOMETRIC], x[i] - geometric(a[i], b[i], c[i], d[i]));
		}
		for (int guess = 0; guess < BXT_GUESSES && typical > 0; guess++)
			sum[guess] += most[guess] / typical;
	}
}

/* The extrapolation that would have been the best. */
static int select_guess(const bxt_stepper *st)
{
	double sum[BXT_GUESSES] = {0};
	int best = PARABOLA;
	miss(st, sum);
	for (int guess = 0; guess < BXT_GUESSES; guess++)
		if (st->guesses.n >= needs[guess] &&
		    sum[guess] < (guess == GEOMETRIC ? RATES : 1) * sum[best])
			best = guess;
	return best;
}

/* Stores the solution of a solved step, and selects how to extrapolate. */
void bxt_stepper_remember(bxt_stepper *st, double t_next)
{
	if (st->h != st->guesses.h || st->t != st->guesses.t)
		st->guesses.n = 0;
	/* A caller that provides solved steps to follow needs no extrapolation. */
	if (st->guesses.n >= needs[PARABOLA] && !st->guesses.follows)
		st->guesses.selected = select_guess(st);
	double *oldest = st->guesses.solution[BXT_HISTORY - 1];
	for (int i = BXT_HISTORY - 1; i > 0; i--)
		st->guesses.solution[i] = st->guesses.solution[i - 1];
	st->guesses.solution[0] = oldest;
	memcpy(oldest, st->x, (size_t)st->n_x * sizeof *oldest);
	st->guesses.n += st->guesses.n < BXT_HISTORY;
	st->guesses.h = st->h;
	st->guesses.t = t_next;
}

/* Factor by which an extrapolated guess must reduce the residual to be accepted: beyond a corner of
 * the motion it is wrong. */
static const double CLEARLY = 0.1;

/* A guess with a residual up to this factor times that of the last accepted one is accepted without
 * comparison. */
static const double MUCH = 4;

/* The extrapolation of the last solutions, if it is the better guess. */
static void extrapolate(bxt_stepper *st, double h)
{
	if (st->guesses.n < needs[st->guesses.selected] || h != st->guesses.h ||
	    st->t != st->guesses.t)
		return;
	lead(st, st->guesses.selected);
	const double off = bxt_newton_distance(&st->newton, &st->equations, st->guesses.ahead);
	const bool trusted = off <= MUCH * st->guesses.trusted;
	if (!trusted &&
	    !(off < CLEARLY * bxt_newton_distance(&st->newton, &st->equations, st->x))) {
		st->guesses.trusted = 0;
		return;
	}
	memcpy(st->x, st->guesses.ahead, (size_t)st->n_x * sizeof *st->x);
	st->newton.evaluated = trusted;
	if (!trusted)
		st->guesses.trusted = off;
}

/*
 * Takes flows and multipliers from the polynomial through the stages of st->guesses.like, inside
 * that step or beyond it: a step that ends where this one begins, or that contains this one. The
 * result is used only if it is the better guess.
 */
static bool follow(bxt_stepper *st, double h)
{
	const bxt_solved_step *like = &st->guesses.like;
	const bxt_stages *g = &st->stages;
	const bxt_system *s = st->system;
	const size_t size = (size_t)s->size, stages = (size_t)g->s * size;
	const double begin = (st->t - like->t) / like->h, ratio = h / like->h;
	memcpy(st->guesses.ahead, st->x, (size_t)st->n_x * sizeof *st->guesses.ahead);
	memset(st->guesses.ahead, 0, stages * sizeof *st->guesses.ahead);
	for (int i = 0; i < g->s; i++)
		for (int j = like->begin ? -1 : 0; j < g->s; j++) {
			const double *restrict from =
				j < 0 ? like->begin : like->x + (size_t)j * size;
			double *restrict to = st->guesses.ahead + (size_t)i * size;
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
	bxt_row_mask_residual(&st->rows.mask, NULL, st->guesses.ahead, NULL);
	const double off = bxt_newton_distance(&st->newton, &st->equations, st->guesses.ahead);
	const bool trusted = off <= MUCH * st->guesses.trusted;
	if (!trusted && !(off < bxt_newton_distance(&st->newton, &st->equations, st->x))) {
		st->guesses.trusted = 0;
		return false;
	}
	memcpy(st->x, st->guesses.ahead, (size_t)st->n_x * sizeof *st->x);
	st->newton.evaluated = trusted;
	st->guesses.trusted = off;
	return true;
}

/* The basic guess: each stage equals the last stage of the step before, with the same kick. */
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
		const int at = st->unknowns.stands_for[i];
		if (at < 0 || (at >= s->n && (state->h != h || st->guesses.after_failure)))
			st->x[i] = 0;
		else if (at < s->n)
			st->x[i] = state->x[at];
	}
	st->guesses.after_failure = false;
	bxt_row_mask_residual(&st->rows.mask, NULL, st->x, NULL);
	st->guesses.follows = st->guesses.like.x && st->method->has_stages && !st->stages.points;
	const bool followed = st->guesses.follows && follow(st, h);
	if (!st->guesses.follows)
		extrapolate(st, h);
	st->guesses.like.x = NULL;
	return followed;
}
