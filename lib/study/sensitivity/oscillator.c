/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a start for the search for the period of an oscillator, and judges the result. */
#include "study/sensitivity/steady.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* States that change less than this fraction of the largest of their unit are at rest. */
static const double AT_REST = 1e-6;
/*
 * A state has returned if its distance from the start is less than this fraction of the farthest
 * distance since, both relative to the ranges of the states. Neighbouring turns of a motion that
 * still grows are farther apart.
 */
static const double CAME_BACK = 0.25;
/* With fewer steps in a period the estimate of the period is meaningless. */
enum { LEAST_STEPS = 8 };

/* Ranges of the states in the course of a run. */
struct ranges {
	double *least, *most; /* (n) */
	double *unit;         /* (n) the range by which distances of a state are measured */
	double *at; /* (2n) the state that has to return, and the direction of its motion */
};

static bxt_status make_ranges(const bxt_period_search *f, struct ranges *r)
{
	double **const each[] = {&r->least, &r->most, &r->unit};
	for (size_t k = 0; k < sizeof each / sizeof *each; k++)
		if (!(*each[k] = BXT_NEW(f->arena, double, (size_t)f->n + 1)))
			return BXT_ERR_MEMORY;
	r->at = BXT_NEW(f->arena, double, 2 * (size_t)f->n + 1);
	return r->at ? BXT_OK : BXT_ERR_MEMORY;
}

static void begin_ranges(const bxt_period_search *f, struct ranges *r)
{
	for (int i = 0; i < f->n; i++) {
		r->least[i] = INFINITY;
		r->most[i] = -INFINITY;
	}
}

static void note_ranges(const bxt_period_search *f, struct ranges *r)
{
	const bxt_state *state = f->m->state;
	for (int i = 0; i < f->n; i++) {
		const double x = bxt_period_value(f, i, state->q, state->p);
		r->least[i] = fmin(r->least[i], x);
		r->most[i] = fmax(r->most[i], x);
	}
}

/*
 * The largest range of a state relative to its scale. The unit of distances is the largest range of
 * each unit.
 */
static double end_ranges(const bxt_period_search *f, struct ranges *r)
{
	double most = 0;
	for (int i = 0; i < f->n; i++)
		if (f->scale[i] > 0)
			most = fmax(most, (r->most[i] - r->least[i]) / f->scale[i]);
	for (int i = 0; i < f->n; i++) {
		r->unit[i] = 0;
		for (int j = 0; j < f->n; j++)
			if (f->scale[i] == f->scale[j] && f->momentum[i] == f->momentum[j])
				r->unit[i] = fmax(r->unit[i], r->most[j] - r->least[j]);
	}
	return most;
}

static bxt_status refuse_rest(const bxt_period_search *f, const char *where)
{
	bxt_error(f->d, BXT_NOWHERE,
		  "%s rests: its states move by less than %.0e of their largest. An oscillator "
		  "begins away from where it rests: give it an initial value, or a longer --end",
		  where, AT_REST);
	return BXT_ERR_MODEL;
}

/* Runs to the end of the settings. Scales and ranges are those of the second half. */
static bxt_status run_to_end(bxt_period_search *f, struct ranges *r)
{
	const double start = f->m->state->t, end = bxt_simulation_end(f->m);
	const double step = f->m->settings.step;
	bool noted = false;
	while (f->m->state->t + step / 2 < end) {
		if (!noted && f->m->state->t >= start + (end - start) / 2) {
			noted = true;
			begin_ranges(f, r);
			memset(f->scale, 0, (size_t)f->n * sizeof *f->scale);
		}
		BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
		bxt_period_note_scales(f);
		note_ranges(f, r);
	}
	return end_ranges(f, r) < AT_REST ? refuse_rest(f, "after its run the model") : BXT_OK;
}

static void read_states(const bxt_period_search *f, double *to)
{
	const bxt_state *state = f->m->state;
	for (int i = 0; i < f->n; i++)
		to[i] = bxt_period_value(f, i, state->q, state->p);
}

/* (x - at) . flow and |x - at|, both relative to the units of distance. */
static double along(const bxt_period_search *f, const struct ranges *r, const double *x,
		    double *distance)
{
	double sum = 0;
	*distance = 0;
	for (int i = 0; i < f->n; i++) {
		const double by = r->unit[i] > 0 ? (x[i] - r->at[i]) / r->unit[i] : 0;
		sum += by * r->at[f->n + i];
		*distance = hypot(*distance, by);
	}
	return sum;
}

/*
 * Continues until the state passes again through the plane normal to its motion; *period: the time
 * this took.
 */
static bxt_status come_back(bxt_period_search *f, struct ranges *r, double longest, double *period)
{
	const double t0 = f->m->state->t, step = f->m->settings.step;
	double *x = BXT_NEW(f->arena, double, (size_t)f->n + 1), before = 0, farthest = 0;
	if (!x)
		return BXT_ERR_MEMORY;
	read_states(f, r->at);
	for (long k = 1; (double)k * step <= longest; k++) {
		double distance;
		BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
		read_states(f, x);
		for (int i = 0; i < f->n && k == 1; i++)
			r->at[f->n + i] = r->unit[i] > 0 ? (x[i] - r->at[i]) / r->unit[i] : 0;
		const double now = along(f, r, x, &distance);
		farthest = fmax(farthest, distance);
		if (before < 0 && now >= 0 && distance < CAME_BACK * farthest) {
			*period = step * ((double)k - now / (now - before));
			return BXT_OK;
		}
		before = now;
	}
	bxt_error(
		f->d, BXT_NOWHERE,
		"no period is found: after the run to t = %.9g s the state does not come back "
		"within %.9g s; a longer --end lets it settle, or --period says about how long it "
		"takes",
		t0, longest);
	return BXT_ERR_MODEL;
}

bxt_status bxt_oscillator_settle(bxt_period_search *f, double guess)
{
	struct ranges r;
	const double start = f->m->state->t, longest = bxt_simulation_end(f->m) - start;
	const double step = f->m->settings.step;
	BXT_TRY(make_ranges(f, &r));
	begin_ranges(f, &r);
	BXT_TRY(run_to_end(f, &r));
	const size_t bytes = (size_t)f->m->s->size * sizeof *f->q;
	memcpy(f->q, f->m->state->q, bytes);
	memcpy(f->p, f->m->state->p, bytes);
	if (!(guess > 0))
		BXT_TRY(come_back(f, &r, fmax(longest, LEAST_STEPS * step), &guess));
	/*
	 * an even number, so that what alternates from step to step, such as the impulses of a
	 * projection, is the same after a period
	 */
	f->steps = 2 * lround(ceil(guess / step / 2 * (1 - 1e-6)));
	if (f->steps < LEAST_STEPS) {
		bxt_error(f->d, BXT_NOWHERE,
			  "a period of about %.6g s has %ld steps: a --step of %.2g s, or less, "
			  "resolves it",
			  guess, f->steps, guess / 50);
		return BXT_ERR_MODEL;
	}
	BXT_TRY(bxt_period_open(f, guess, f->d));
	return bxt_period_place(f);
}

bxt_status bxt_oscillator_check(bxt_period_search *f)
{
	struct ranges r;
	BXT_TRY(make_ranges(f, &r));
	BXT_TRY(bxt_period_place(f));
	begin_ranges(f, &r);
	note_ranges(f, &r);
	for (long k = 0; k < f->steps; k++) {
		BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
		note_ranges(f, &r);
	}
	return end_ranges(f, &r) < AT_REST ? refuse_rest(f, "the motion that is found") : BXT_OK;
}

bxt_status bxt_oscillator_error(bxt_period_search *f, double *error)
{
	const size_t size = (size_t)f->m->s->size;
	const int order = f->m->settings.scheme->order > 0 ? f->m->settings.scheme->order : 1;
	const double period = f->period, more = pow(2, order);
	double *start = BXT_NEW(f->arena, double, 2 * size), residual;
	bxt_diagnostics *d = bxt_diagnostics_new(), *own = f->d;
	int iterations;
	*error = NAN;
	if (!start || !d) {
		bxt_diagnostics_free(d);
		return BXT_ERR_MEMORY;
	}
	memcpy(start, f->q, size * sizeof *start);
	memcpy(start + size, f->p, size * sizeof *start);
	f->d = d;
	f->steps *= 2;
	bxt_status status = bxt_period_open(f, period, d);
	if (status == BXT_OK)
		status = bxt_period_place(f);
	if (status == BXT_OK)
		status = bxt_periodic_find(f, &iterations, &residual);
	if (status == BXT_OK)
		*error = fmax(fabs(f->period - period) * more / (more - 1),
			      BXT_STEADY_RETURNED * period);
	f->d = own;
	bxt_diagnostics_free(d);
	if (status == BXT_ERR_MEMORY)
		return status;
	f->steps /= 2;
	memcpy(f->q, start, size * sizeof *start);
	memcpy(f->p, start + size, size * sizeof *start);
	BXT_TRY(bxt_period_open(f, period, f->d));
	return bxt_period_place(f);
}
