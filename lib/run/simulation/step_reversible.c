/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/simulation/step_reversible.h"

#include "ground/base/time.h"
#include "model/system/velocity.h"
#include "run/simulation/step_adapt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* This part of the largest v.Mv is added to v.Mv, so that the density stays finite at rest. */
static const double OF_MOTION = 0.01;
/* The central differences for d/dt ln Q extend over this part of a step; their error of
 * discretisation is then below that of round-off. */
static const double PART = 1e-4;
/* If the settings have no largest step, it is at least this multiple of the first one. */
static const double LEAST_ROOM = 2;
/* If the density changes by more than this factor from one step to the next, it does not fit the
 * motion, and the run fails. */
static const double MOST_CHANGE = 100;

struct bxt_reversible {
	bxt_arena *arena;
	double epsilon, z;
	double most, least; /* the largest step, and the density of it */
	double motion;      /* the largest v.Mv */
	double smallest, largest;
	bxt_settings settings;  /* records the density of the settings */
	bxt_recorder *density;  /* NULL: computed from forces and motion */
	bxt_grid_point *here;   /* its own */
	bxt_velocity *velocity; /* M */
	bxt_evaluator *e;
	bxt_state beside; /* a state shortly before or after the present one, with vectors of its
			     own */
	double *x, *force, *f, *p; /* (size) */
};

static bxt_status make(bxt_simulation *m, bxt_reversible *r)
{
	const bxt_system *s = m->s;
	const size_t size = (size_t)s->size + BXT_LANES;
	double **const arrays[] = {&r->x,        &r->force,    &r->f,       &r->p,
				   &r->beside.q, &r->beside.p, &r->beside.x};
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		if (!(*arrays[i] = BXT_NEW(r->arena, double, size)))
			return BXT_ERR_MEMORY;
	if (!(r->e = bxt_evaluator_new(s)))
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_velocity_new(s, &r->velocity));
	BXT_TRY(bxt_grid_point_new(s, &m->settings, &r->here));
	r->settings = m->settings;
	r->settings.record = m->settings.density;
	r->settings.record_place = m->settings.density_place;
	r->settings.n_record_also = 0;
	if (!m->settings.density)
		return BXT_OK;
	BXT_TRY(bxt_recorder_new(s, &r->settings, m->d, &r->density));
	if (r->density->n == 1)
		return BXT_OK;
	bxt_error(m->d, m->settings.density_place, "the density is one expression: '%s' are %zu",
		  m->settings.density, r->density->n);
	return BXT_ERR_MODEL;
}

bxt_reversible *bxt_reversible_free(bxt_reversible *r)
{
	if (r) {
		bxt_recorder_free(r->density);
		bxt_grid_point_free(r->here);
		bxt_velocity_free(r->velocity);
		bxt_evaluator_free(r->e);
		bxt_arena_free(r->arena);
		free(r);
	}
	return NULL;
}

void bxt_reversible_sizes(const bxt_reversible *r, double *smallest, double *largest)
{
	*smallest = r->smallest;
	*largest = r->largest;
}

/* ---- The density ---- */

/* Finds flows and multipliers at the state, to r->x, and p' of coordinates with mass, to
 * `force`. */
static bxt_status find_force(const bxt_simulation *m, const bxt_state *state, double *force)
{
	static const bxt_weights forces = {{{[BXT_F] = 1}, {0}}}, rows = {{{[BXT_K] = 1}, {0}}};
	bxt_reversible *r = m->reversible;
	const bxt_point at = {state->q, r->x, state->t};
	BXT_TRY(bxt_grid_point_find(r->here, state, r->x));
	memset(force, 0, (size_t)m->s->size * sizeof *force);
	bxt_evaluator_set_time(r->e, state->t);
	bxt_evaluate(r->e, BXT_SET_DYNAMICS, at, &forces, force, NULL);
	bxt_evaluate(r->e, BXT_SET_CONSTRAINT, at, &rows, force, NULL);
	for (int i = 0; i < m->s->n; i++)
		if (m->s->pinned[i])
			force[i] = 0;
	return BXT_OK;
}

/* v.Mv at the point of find_force. */
static double find_motion(const bxt_simulation *m, const bxt_state *state)
{
	static const bxt_weights with = {{{[BXT_P] = 1}, {0}}}, without = {{{[BXT_P] = -1}, {0}}};
	bxt_reversible *r = m->reversible;
	const size_t bytes = (size_t)m->s->size * sizeof *r->p;
	double sum = 0;
	memset(r->p, 0, bytes);
	memset(r->f, 0, bytes);
	bxt_evaluate(r->e, BXT_SET_MOMENTUM, (bxt_point){state->q, r->x, state->t}, &with, r->p,
		     NULL);
	bxt_evaluate(r->e, BXT_SET_MOMENTUM, (bxt_point){state->q, r->f, state->t}, &without, r->p,
		     NULL);
	for (int i = 0; i < m->s->n; i++)
		sum += m->s->pinned[i] ? 0 : r->x[i] * r->p[i];
	return sum;
}

static bxt_status keep_value(void *context, double t, size_t n, const double *values)
{
	(void)t;
	*(double *)context = n == 1 ? values[0] : NAN;
	return BXT_OK;
}

/* Finds Q at the state. */
static bxt_status find_density(bxt_simulation *m, const bxt_state *state, double *out)
{
	bxt_reversible *r = m->reversible;
	double product = 0;
	*out = NAN;
	if (r->density) {
		const bxt_sink to = {.size = sizeof to, .row = keep_value, .context = out};
		BXT_TRY(bxt_recorder_grid(r->density, m->ledger, state, state->t, &to));
		return bxt_recorder_now(r->density, &to);
	}
	BXT_TRY(find_force(m, state, r->force));
	const double motion = find_motion(m, state);
	memcpy(r->f, r->force, (size_t)m->s->size * sizeof *r->f);
	BXT_TRY(bxt_velocity_factor(r->velocity, r->e, (bxt_point){state->q, r->x, state->t}));
	BXT_TRY(bxt_velocity_divide(r->velocity, r->f));
	for (int i = 0; i < m->s->n; i++)
		product += r->force[i] * r->f[i];
	*out = sqrt(product / (motion + OF_MOTION * r->motion));
	return BXT_OK;
}

/* The same with the density of the largest step added. */
static bxt_status find_bounded(bxt_simulation *m, const bxt_state *state, double *out)
{
	double density;
	*out = NAN;
	BXT_TRY(find_density(m, state, &density));
	if (density >= 0)
		*out = hypot(density, m->reversible->least);
	return BXT_OK;
}

static void move(const bxt_simulation *m, double by)
{
	const bxt_state *state = m->state;
	bxt_reversible *r = m->reversible;
	bxt_state *to = &r->beside;
	bxt_state_copy_values(m->s, state, to);
	for (int i = 0; i < m->s->n; i++) {
		to->q[i] += by * r->x[i];
		to->p[i] += by * r->force[i];
	}
	to->t += by;
}

/* d/dt ln Q along the motion at the state. */
static bxt_status find_rate(bxt_simulation *m, double h, double *rate)
{
	bxt_reversible *r = m->reversible;
	double q[2];
	for (int k = 0; k < 2; k++) {
		/* again: find_density has overwritten the values */
		BXT_TRY(find_force(m, m->state, r->force));
		r->motion = fmax(r->motion, find_motion(m, m->state));
		move(m, (k ? 1 : -1) * PART * h);
		BXT_TRY(find_bounded(m, &r->beside, &q[k]));
	}
	*rate = (log(q[1]) - log(q[0])) / (2 * PART * h);
	return BXT_OK;
}

static bxt_status refuse(const bxt_simulation *m, const char *what)
{
	bxt_error(m->d, m->settings.density_place, "t = %.9g s: the density of steps %s: %s",
		  m->state->t, what,
		  m->settings.density ? "give one that is positive and changes smoothly"
				      : "nothing moves there, or no force acts; give a density");
	return BXT_ERR_MODEL;
}

/* Sets eps and the density of the largest step such that the first step is that of the settings. */
static bxt_status find_scale(bxt_simulation *m, double density)
{
	bxt_reversible *r = m->reversible;
	const double step = m->settings.step;
	double most;
	BXT_TRY(bxt_adapt_most(m, &most));
	if (m->settings.max_step > 0 && most <= step) {
		bxt_error(m->d, BXT_NOWHERE,
			  "max-step %g s is not above the step %g s, the first of reversible steps",
			  most, step);
		return BXT_ERR_MODEL;
	}
	most = fmax(most, LEAST_ROOM * step);
	r->epsilon = step * density / sqrt(1 - step * step / (most * most));
	r->most = most;
	r->least = r->epsilon / most;
	return BXT_OK;
}

bxt_status bxt_reversible_new(bxt_simulation *m, bxt_reversible **out)
{
	double density, rate;
	bxt_reversible *r = m->reversible = *out = calloc(1, sizeof *r);
	if (!r || !(r->arena = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	if (m->sampler) {
		bxt_error(m->d, BXT_NOWHERE,
			  "reversible steps end anywhere, and samples need grid points: use a "
			  "tolerance, or steps of one size");
		return BXT_ERR_MODEL;
	}
	if (m->switching) {
		bxt_error(m->d, BXT_NOWHERE,
			  "reversible steps do not end at events of the state, and the model has "
			  "such: use a tolerance, or steps of one size");
		return BXT_ERR_MODEL;
	}
	BXT_TRY(make(m, r));
	BXT_TRY(find_force(m, m->state, r->force));
	r->motion = find_motion(m, m->state);
	BXT_TRY(find_density(m, m->state, &density));
	if (!(density > 0) || !isfinite(density))
		return refuse(m, "is not positive at the start");
	BXT_TRY(find_scale(m, density));
	BXT_TRY(find_rate(m, m->settings.step, &rate));
	r->z = hypot(density, r->least) + r->epsilon / 2 * rate;
	return isfinite(r->z) && r->z > 0 ? BXT_OK : refuse(m, "changes too fast at the start");
}

/* ---- Steps ---- */

static bxt_status solve(bxt_simulation *m, double h, double t)
{
	bxt_stepper *st = m->stepper;
	bxt_status status = bxt_stepper_solve(st, m->state, h);
	if (status == BXT_OK) {
		BXT_TRY(bxt_recorder_stage(m->recorder, st, &m->sink));
		status = bxt_stepper_advance(st, m->state, t);
	}
	if (status != BXT_OK) {
		bxt_stepper_report_failure(st, status, m->state->t, m->d);
		return status;
	}
	return bxt_simulation_account(m, st, m->state);
}

bxt_status bxt_reversible_step(bxt_simulation *m, double end)
{
	bxt_reversible *r = m->reversible;
	const double t = m->state->t, event = bxt_simulation_next_event(m, end);
	const double limit = fmin(event, end), left = limit - t,
		     wanted = fmin(r->epsilon / r->z, r->most);
	const bool cut = wanted >= left * (1 - BXT_SAME_TIME);
	const double h = cut ? left : wanted;
	double rate;
	BXT_TRY(solve(m, h, cut ? limit : t + h));
	if (!cut) {
		r->smallest = r->smallest > 0 ? fmin(r->smallest, h) : h;
		r->largest = fmax(r->largest, h);
	}
	if (cut && limit == end)
		return BXT_OK;
	if (cut) {
		m->work.at_events++;
		bxt_stepper_forget_guesses(m->stepper);
	}
	BXT_TRY(find_rate(m, h, &rate));
	const double z = r->z + (cut ? h * r->z : r->epsilon) * rate;
	if (!(z > r->z / MOST_CHANGE && z < r->z * MOST_CHANGE))
		return refuse(m, "changes too much in a step");
	r->z = z;
	return BXT_OK;
}
