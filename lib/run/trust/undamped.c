/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/undamped.h"

#include "ground/base/arena.h"
#include "motion/scheme/tableau.h"
#include "motion/step/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* If |R| is below this bound, less than a tenth of the error is left after two steps: no check is
 * needed. */
static const double DAMPED = 0.3;
/* An error above this part of the largest flow of its kind is reported. */
static const double SEEN = 1e-2;
/* Errors below this part of the largest of all flows, in units in which each carries about the same
 * energy (step/units.h), are ignored as round-off. A kind whose flows are all round-off has no size
 * of its own to compare with. */
static const double ROUND_OFF = 1e-9;
/* The polynomial through two flows has an error of h^2 v''/12 at the end of a step, and second
 * differences of rows give h^2 v''. A factor of 3 allows for flows that are not smooth. */
static const double SMOOTH = 3.0 / 12;
/* Number of consecutive rows with an error. ALTERNATIONS is that of coordinates (trust/trust.c).
 * OFFSETS: a smooth flow has an apparent offset in so many rows, more than half a period, only if
 * few rows resolve it; that is a coarse step, which is reported as well. */
enum { ALTERNATIONS = 10, OFFSETS = 5 };
/* Of LOOKS_EACH steps, flows are checked in the first LOOK, which are enough for ALTERNATIONS. */
enum { LOOKS_EACH = 128, LOOK = 12 };

struct bxt_undamped {
	const bxt_stepper *st;
	bxt_arena *arena;
	/* weights of the polynomial's flow at the ends of a step */
	double at_start[BXT_MAX_STAGES], at_end[BXT_MAX_STAGES];
	double *end;                /* (n) the polynomial's flow at the last end */
	double *row[2];             /* (n) flows of the last row and of the one before it */
	double *off;                /* (n) error of the last row, with its sign */
	double *count;              /* (n) number of consecutive rows with an error */
	double *largest;            /* (n_quantities) flows */
	double *typical;            /* (n_quantities) coordinates */
	double *unit, *scratch, *x; /* (2n), (n_x), (size) */
	double t, h;                /* [s] of the last row and its step */
	int known;                  /* rows with that step */
	bxt_events_passed passed;   /* by the last step */
	long since;                 /* the step of the last event */
	bool alternates;
};

/* R at infinity by the nodes of a collocation method (II, IV.3): prod (1 - c_i)/prod (0 - c_i). */
static double at_infinity(const bxt_stages *stages)
{
	double r = 1;
	for (int i = 0; i < stages->s; i++)
		r *= (1 - stages->c[i]) / -stages->c[i];
	return r;
}

static bxt_status make(bxt_undamped *u)
{
	const bxt_system *s = u->st->system;
	const size_t n = (size_t)s->n;
	bxt_tableau tableau = {.s = u->st->stages.s};
	double to_end[BXT_MAX_STAGES];
	memcpy(tableau.b, u->st->stages.b, sizeof tableau.b);
	memcpy(tableau.c, u->st->stages.c, sizeof tableau.c);
	bxt_tableau_polynomial(&tableau, 0, u->at_start, to_end);
	bxt_tableau_polynomial(&tableau, 1, u->at_end, to_end);
	u->end = BXT_NEW(u->arena, double, n);
	u->typical = BXT_NEW(u->arena, double, (size_t)s->n_quantities);
	u->row[0] = BXT_NEW(u->arena, double, n);
	u->row[1] = BXT_NEW(u->arena, double, n);
	u->off = BXT_NEW(u->arena, double, n);
	u->count = BXT_NEW(u->arena, double, n);
	u->largest = BXT_NEW(u->arena, double, (size_t)s->n_quantities);
	u->unit = BXT_NEW(u->arena, double, 2 * n);
	u->scratch = BXT_NEW(u->arena, double, (size_t)u->st->n_x);
	u->x = BXT_NEW(u->arena, double, (size_t)s->size);
	const bool rows = u->row[0] && u->row[1] && u->off && u->count && u->largest;
	const bool more = u->end && u->typical && u->unit && u->scratch && u->x;
	return rows && more ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_undamped_new(const bxt_stepper *st, bxt_undamped **out)
{
	*out = NULL;
	const bxt_stages *stages = &st->stages;
	const bool none = st->system->n == 0 || st->method->solve || stages->points ||
			  stages->mixture || !bxt_stages_collocate(stages);
	const double r = none ? 0 : at_infinity(stages);
	if (fabs(r) < DAMPED || (r > 0 && stages->s == 1))
		return BXT_OK;
	bxt_arena *arena = bxt_arena_new();
	bxt_undamped *u = arena ? BXT_NEW(arena, bxt_undamped, 1) : NULL;
	bxt_status status = BXT_ERR_MEMORY;
	if (u) {
		*u = (bxt_undamped){.st = st, .arena = arena, .alternates = r < 0};
		status = make(u);
	}
	if (status == BXT_OK)
		*out = u;
	else
		bxt_arena_free(arena);
	return status;
}

bxt_undamped *bxt_undamped_free(bxt_undamped *u)
{
	if (u)
		bxt_arena_free(u->arena);
	return NULL;
}

bool bxt_undamped_alternates(const bxt_undamped *u)
{
	return u->alternates;
}

static double of_stages(const bxt_undamped *u, const double *weight, int i)
{
	double sum = 0;
	for (int j = 0; j < u->st->stages.s; j++)
		sum += weight[j] * bxt_stepper_stage(u->st, j)[i];
	return sum;
}

/*
 * Estimates the error d of the coordinate itself from the corner between two steps. With d at both
 * ends and 0 at the stages, the polynomials d prod (1 - xi/c_i) have the slopes -+ d sum 1/c_i
 * there.
 */
static double of_coordinate(const bxt_undamped *u, int i)
{
	const bxt_stages *stages = &u->st->stages;
	double slope = 0;
	for (int j = 0; j < stages->s; j++)
		slope += 2 / stages->c[j];
	return fabs(u->h * (of_stages(u, u->at_start, i) - u->end[i]) / slope);
}

/* Returns the difference between the flow of the row and that at the end of the step; 0 if a smooth
 * flow may differ as much. */
static double offset(const bxt_undamped *u, int i, double v, double end, bool shown)
{
	const bxt_system *s = u->st->system;
	const double off = v - end;
	const double curved = SMOOTH * fabs(v - 2 * u->row[0][i] + u->row[1][i]);
	if (fabs(off) <= curved)
		return 0;
	/* flows without inertia are no part of the state: their error is invisible */
	if (!shown && s->pinned[i] && of_coordinate(u, i) <= SEEN * u->typical[s->quantity[i]])
		return 0;
	return off;
}

/* Compares energies of flows: does the error exceed the round-off of the largest flow, and what a
 * step can resolve of coordinates? In a model at rest all flows are round-off. */
static bool carries_energy(const bxt_undamped *u, int at)
{
	double most = 0, still = 0;
	bxt_state_units(u->st, u->h, u->scratch, u->unit);
	for (int i = 0; i < u->st->system->n; i++) {
		const int quantity = u->st->system->quantity[i];
		most = fmax(most, u->largest[quantity] / u->unit[i]);
		still = fmax(still, u->typical[quantity] / u->unit[i]);
	}
	still *= DBL_EPSILON / fabs(u->h);
	return fabs(u->off[at]) / u->unit[at] > fmax(ROUND_OFF * most, still);
}

static int find_worst(const bxt_undamped *u, double *part)
{
	const bxt_system *s = u->st->system;
	const int often = u->alternates ? ALTERNATIONS : OFFSETS;
	int worst = -1;
	*part = SEEN;
	for (int i = 0; i < s->n; i++) {
		/* an alternation is twice the error */
		const double off = fabs(u->off[i]) / (u->alternates ? 2 : 1);
		if (u->count[i] < often || !(off > *part * u->largest[s->quantity[i]]))
			continue;
		*part = off / u->largest[s->quantity[i]];
		worst = i;
	}
	return worst;
}

bool bxt_undamped_looks(bxt_undamped *u, long k, bxt_events_passed passed, double **x)
{
	if (passed.source != u->passed.source || passed.states != u->passed.states) {
		u->passed = passed;
		u->since = k;
	}
	*x = u->x;
	/* alternating coordinates and momenta are followed (trust/trust.c) */
	return !u->alternates && (k - u->since) % LOOKS_EACH < LOOK;
}

/* Updates the error of the flow of the row, and the number of consecutive rows with an error. */
static void follow(bxt_undamped *u, int i, double v, double end, bool shown)
{
	const double before = u->off[i], last = u->row[0][i];
	double now = 0;
	bool off = false;
	if (u->alternates && u->known > 0) {
		now = v - last;
		off = now * before < 0 && fabs(now) <= 2 * fabs(before) &&
		      fabs(before) <= 2 * fabs(now);
	} else if (u->known > 1) {
		now = offset(u, i, v, end, shown);
		off = fabs(now) > SEEN * u->largest[u->st->system->quantity[i]];
	}
	u->count[i] = off ? u->count[i] + 1 : 0;
	u->off[i] = now;
}

int bxt_undamped_row(bxt_undamped *u, const bxt_state *state, const double *x, const bool *unknown,
		     bool shown, double *part)
{
	const bxt_system *s = u->st->system;
	const double h = u->st->h, round_off = 1e-6;
	const bool goes_on = h == u->h && fabs(state->t - u->t - h) < round_off * fabs(h);
	u->known = goes_on ? u->known + (u->known < 2) : 0;
	u->t = state->t;
	u->h = h;
	for (int i = 0; i < s->n; i++) {
		double *largest = &u->largest[s->quantity[i]];
		double *typical = &u->typical[s->quantity[i]];
		const double end = of_stages(u, u->at_end, i);
		*largest = fmax(*largest, fmax(unknown[i] ? 0 : fabs(x[i]), fabs(end)));
		*typical = fabs(state->q[i]) > *typical ? fabs(state->q[i]) : *typical;
		if (unknown[i])
			u->count[i] = u->off[i] = 0;
		else
			follow(u, i, x[i], end, shown);
		u->end[i] = end;
	}
	double *oldest = u->row[1];
	u->row[1] = u->row[0];
	u->row[0] = oldest;
	memcpy(oldest, x, (size_t)s->n * sizeof *oldest);
	const int worst = find_worst(u, part);
	return worst >= 0 && carries_energy(u, worst) ? worst : -1;
}

void bxt_undamped_keep(bxt_undamped *u, bxt_account *account)
{
	const bxt_system *s = u->st->system;
	BXT_KEEP_ARRAY(account, u->row[0], s->n);
	BXT_KEEP_ARRAY(account, u->row[1], s->n);
	BXT_KEEP_ARRAY(account, u->off, s->n);
	BXT_KEEP_ARRAY(account, u->count, s->n);
	BXT_KEEP_ARRAY(account, u->end, s->n);
	BXT_KEEP_ARRAY(account, u->largest, s->n_quantities);
	BXT_KEEP_ARRAY(account, u->typical, s->n_quantities);
	BXT_KEEP(account, u->t);
	BXT_KEEP(account, u->h);
	bxt_account_within(account, &u->known, 0, 2, 0);
	BXT_KEEP(account, u->passed.source);
	bxt_account_count(account, &u->passed.states);
	bxt_account_count(account, &u->since);
}
