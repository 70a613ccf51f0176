/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the laws of contacts that steps capture (methods/contacts.h) along a run: in each step,
 * for the impulse l of a row with bounds and s = w - (1 - e) w-/2,
 *
 *     lower <= l <= upper, and s = 0 between the bounds, s >= 0 at the lower one, s <= 0 at the
 *     upper one; l = 0 where the gap is open.
 *
 * The flow w is computed from the start and the end of the step. The check does not use which rows
 * held.
 */
#include "motion/methods/contacts.h"
#include "run/simulation/simulation.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of steps that are checked. */
enum { MOST_STEPS = 1000 };
/*
 * A rate, or an impulse between its bounds, is round-off of zero below this fraction of the
 * largest.
 */
static const double ROUND_OFF = 1e-9;

struct capturing {
	bxt_verifier *v;
	bxt_simulation *m;
	bxt_arena *arena;
	bxt_system *held;
	bxt_contacts *contacts;
	bxt_state *before;
	double *x, *q;  /* (held's size) flows and coordinates in the middle of the step */
	double largest; /* largest impulse so far */
	double worst, t;
	int who; /* index of a switch, -1: none */
	long steps;
};

static bxt_status make_capturing(struct capturing *f)
{
	const bxt_system *s = f->m->s;
	if (!(f->arena = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_system_with_bounds(s, BXT_HOLDS, &f->held));
	BXT_TRY(bxt_contacts_new(f->arena, f->held, s, f->held->size, &f->contacts));
	f->before = bxt_state_new(f->held);
	f->x = BXT_NEW(f->arena, double, (size_t)f->held->size + BXT_LANES);
	f->q = BXT_NEW(f->arena, double, (size_t)f->held->size + BXT_LANES);
	return f->before && f->x && f->q ? BXT_OK : BXT_ERR_MEMORY;
}

static void release(struct capturing *f)
{
	bxt_contacts_release(f->contacts);
	bxt_state_free(f->before);
	bxt_system_free(f->held);
	bxt_arena_free(f->arena);
}

/* The violation of the law of a contact, relative to impulses or to rates. */
static double miss_of(const struct capturing *f, const bxt_contact *c, double s, double impulse,
		      double pressing)
{
	const double unit = c->of >= 0 ? pressing : 1;
	const double most = fmax(f->largest, f->contacts->natural);
	const double impulses = most > 0 ? most : 1, rates = c->size > 0 ? c->size : 1;
	if (!c->takes_part)
		return fabs(impulse) / impulses;
	const double lower = unit * fmin(c->lower, c->lower_held);
	const double upper = unit * fmax(c->upper, c->upper_held);
	const double near = ROUND_OFF * impulses;
	const double outside = fmax(0, fmax(lower - impulse, impulse - upper)) / impulses;
	/* sliding friction is a bound too, if static friction is larger */
	const bool at_lower = impulse <= unit * c->lower + near;
	const bool at_upper = impulse >= unit * c->upper - near;
	const double wrong = at_lower && at_upper ? 0
			     : at_lower           ? fmax(0, -s)
			     : at_upper           ? fmax(0, s)
						  : fabs(s);
	return fmax(outside, wrong / rates);
}

/* The normal impulse of friction i. */
static double pressing_of(const struct capturing *f, int i)
{
	const bxt_contacts *c = f->contacts;
	const int k = c->at[i].of - c->at[0].unknown;
	return k >= 0 && c->at[i].of >= 0 ? f->m->ledger->contact[c->of_switch[k]] * f->m->state->h
					  : NAN;
}

static void check_step(struct capturing *f, double h)
{
	bxt_contacts *c = f->contacts;
	const double *mean = f->m->ledger->contact;
	for (int i = 0; i < c->n; i++)
		f->largest = fmax(f->largest, fabs(mean[c->of_switch[i]] * h));
	for (int i = 0; i < c->n; i++) {
		const int k = c->of_switch[i];
		const double w = bxt_switch_value(c->values, k, BXT_SWITCH_RATE);
		const double pressing = pressing_of(f, i);
		if (c->at[i].of >= 0 && isnan(pressing))
			continue; /* a row that always holds gives the normal impulse */
		c->at[i].size =
			fmax(fmax(c->at[i].size, fabs(w)), c->at[i].response * fabs(mean[k] * h));
		const double miss =
			miss_of(f, &c->at[i], w - c->at[i].target, mean[k] * h, pressing);
		if (f->who >= 0 && !(miss > f->worst) && isfinite(miss))
			continue;
		f->worst = isfinite(miss) ? miss : INFINITY;
		f->who = k;
		f->t = f->m->state->t;
	}
	f->steps++;
}

/* Compares one step of the run with the laws. */
static bxt_status follow(struct capturing *f, bxt_diagnostics *d)
{
	bxt_simulation *m = f->m;
	bxt_contacts *c = f->contacts;
	const long events = m->work.at_events;
	bxt_state_carry(m->state, f->before);
	BXT_TRY(bxt_simulation_step(m, 1, NULL, d));
	const double h = m->state->h, middle = m->state->t - h / 2;
	if (m->work.at_events != events)
		return BXT_OK; /* the step has several parts */
	BXT_TRY(bxt_contacts_begin(c, f->before, NULL, h, middle));
	memset(f->x, 0, (size_t)f->held->size * sizeof *f->x);
	for (int i = 0; i < f->held->n; i++) {
		f->x[i] = (m->state->q[i] - f->before->q[i]) / h;
		f->q[i] = (m->state->q[i] + f->before->q[i]) / 2;
	}
	bxt_switch_values_read(c->values, f->q, f->x, middle);
	check_step(f, h);
	return BXT_OK;
}

bxt_status bxt_verify_capturing(bxt_verifier *v, bxt_simulation *m, bxt_diagnostics *d)
{
	struct capturing f = {.v = v, .m = m, .who = -1};
	bxt_buffer name = {0};
	const long all = lround(bxt_simulation_end(m) / m->settings.step);
	bxt_status status = make_capturing(&f);
	for (long k = 0; k < MOST_STEPS && k < all && status == BXT_OK; k++)
		status = follow(&f, d);
	if (f.steps > 0 && f.who >= 0)
		bxt_checks_add(&v->checks, BXT_CHECK_COMPLEMENTARITY, f.worst, BXT_NOWHERE,
			       "%ld steps of a run; the worst is %s at t = %.9g s", f.steps,
			       bxt_switch_name(v->s, f.who, &name), f.t);
	bxt_checks_release(&v->checks, &name);
	release(&f);
	return status;
}
