/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Grid values of consecutive points. A parabola through those of the last three points gives a
 * guess, which the factors of an earlier point improve: x <- x - J0^-1 G(x). Such changes shrink by
 * a constant ratio, of the size of the relative change of J since then; two changes give an
 * estimate. If they shrink fast, this costs a fraction of Newton's method, which begins with a
 * factorisation at the point itself. If not, Newton's method makes new factors.
 */
#include "motion/start/grid_values_internal.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Relative change of the first improvement above which the guess is useless. */
static const double NEAR = 1e-3;
/* Ratio of consecutive changes above which the factors are no longer used: new ones cost about as
 * much as five improvements. */
static const double WORTH = 0.02;
/* Ratio of consecutive changes above which the iteration is considered not to converge. */
static const double NEARER = 0.5;
enum { MOST_IMPROVEMENTS = 6 };
/* Largest relative change that the final improvement may leave; smaller ones are round-off. */
static const double NOTHING = DBL_EPSILON;
/* Largest last change of each value, relative to itself, or to the largest of its unit, where it is
 * a fraction of the round-off. */
static const double EACH = 1e-12, OF_LARGEST = DBL_EPSILON / 8;
/* Distance of a point, relative to that of the last two points, up to which it counts as the next
 * one. */
static const double FAR = 2;
/* Number of consecutive failures, each of which wastes some solves, after which PAUSE points do not
 * use this method. */
enum { FAILURES = 3, PAUSE = 32 };

struct bxt_grid_track {
	double *x[3]; /* (size) values at the last points, the last one first */
	double t[3];  /* [s] */
	int n;        /* points that are known */
	int failures, pause;
};

bxt_status bxt_grid_values_follow(bxt_grid_values *g)
{
	bxt_grid_track *track = BXT_NEW(g->arena, bxt_grid_track, 1);
	const size_t size = (size_t)g->system->size + BXT_LANES;
	for (int k = 0; k < 3 && track; k++)
		if (!(track->x[k] = BXT_NEW(g->arena, double, size)))
			return BXT_ERR_MEMORY;
	g->track = track;
	return track ? BXT_OK : BXT_ERR_MEMORY;
}

void bxt_grid_forget(bxt_grid_values *g)
{
	if (g->track)
		g->track->n = 0;
}

void bxt_grid_remember(bxt_grid_values *g, double t)
{
	bxt_grid_track *track = g->track;
	if (!track)
		return;
	double *oldest = track->x[2];
	for (int k = 2; k > 0; k--) {
		track->x[k] = track->x[k - 1];
		track->t[k] = track->t[k - 1];
	}
	track->x[0] = oldest;
	track->t[0] = t;
	memcpy(oldest, g->x, (size_t)g->system->size * sizeof *oldest);
	track->n += track->n < 3;
}

/* The weights of the last three points at t on the parabola through them; false: t is not the next
 * point. */
static bool lead_to(const bxt_grid_track *track, double t, double weight[3])
{
	const double last = track->t[0] - track->t[1], before = track->t[1] - track->t[2],
		     ahead = t - track->t[0];
	if (track->n < 3 || !(before * last > 0) || !(ahead * last > 0) ||
	    fabs(ahead) > FAR * fabs(last))
		return false;
	for (int k = 0; k < 3; k++) {
		weight[k] = 1;
		for (int j = 0; j < 3; j++)
			if (j != k)
				weight[k] *= (t - track->t[j]) / (track->t[k] - track->t[j]);
	}
	return true;
}

/*
 * Is the last change negligible for each value, or for the largest of its unit? Small values may
 * converge more slowly than the others, which a common rate does not show.
 */
static bool is_nothing(const bxt_grid_values *g)
{
	const bxt_system *s = g->system;
	for (int i = 0; i < s->spare; i++)
		if (!(fabs(g->dx[i]) <= EACH * fabs(g->x[i]) ||
		      fabs(g->dx[i]) <= OF_LARGEST * g->largest[s->quantity[i]]))
			return false;
	return true;
}

/*
 * Improves g->x. A guess that is near but does not converge soon is handed to Newton's method,
 * which converges from there with factors at the point itself.
 */
static bxt_grid_lead improve(bxt_grid_search *a)
{
	bxt_grid_values *g = a->g;
	const int n = a->b->size;
	double last = INFINITY;
	for (int k = 0; k < MOST_IMPROVEMENTS; k++) {
		a->residual(a, g->x, g->r);
		memcpy(g->dx, g->r, (size_t)n * sizeof *g->dx);
		if (bxt_linsol_solve(a->b->solver, g->dx) != BXT_OK)
			return BXT_GRID_ASTRAY;
		const double change = bxt_grid_change(g, n, g->x, g->dx), rate = change / last;
		if (!(change <= NEAR) || (k > 0 && !(rate <= NEARER)))
			return BXT_GRID_ASTRAY;
		for (int i = 0; i < n; i++)
			g->x[i] -= g->dx[i];
		if (k > 0 && change * rate * rate <= NOTHING && is_nothing(g))
			return BXT_GRID_THERE;
		if (k > 0 && rate > WORTH)
			return BXT_GRID_NEAR;
		last = change;
	}
	return BXT_GRID_NEAR;
}

bxt_grid_lead bxt_grid_follow(bxt_grid_search *a)
{
	bxt_grid_values *g = a->g;
	bxt_grid_track *track = g->track;
	const bxt_bordered *b = a->b;
	if (!b->factored || b->n_u > 0 || g->target || track->n == 0 || b != g->values)
		return BXT_GRID_ASTRAY;
	if (track->pause > 0) {
		track->pause--;
		return BXT_GRID_ASTRAY;
	}
	double w[3];
	const bool led = lead_to(track, a->t, w);
	for (int i = 0; i < g->system->size && led; i++)
		g->x[i] = w[0] * track->x[0][i] + w[1] * track->x[1][i] + w[2] * track->x[2][i];
	memset(g->noise, 0, (size_t)g->system->n_quantities * sizeof *g->noise);
	const bxt_grid_lead lead = improve(a);
	track->failures = lead == BXT_GRID_ASTRAY ? track->failures + 1 : 0;
	if (track->failures == FAILURES) {
		track->failures = 0;
		track->pause = PAUSE;
	}
	return lead;
}
