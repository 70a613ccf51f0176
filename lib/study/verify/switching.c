/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks the laws of bounded multipliers along a run. At each point of its grid, for the multiplier
 * lambda of a row and its gap or flow w on the side where it is free:
 *
 *     lower <= lambda <= upper, and w = 0 between the bounds, w >= 0 at the lower one, w <= 0 at
 *     the upper one. Where static friction holds, its bounds are -hold and hold.
 *
 * At each jump of flows, with the impulses Pi of all rows (Moreau, Unilateral contact and dry
 * friction, 1988; Newton's law of restitution):
 *
 *     P(q, v+) = p- + A^T Pi where there is mass, 0 = A^T Pi elsewhere;
 *     0 <= Pi_c, A_c (v+ + e v-) >= 0, and one of them is 0; |Pi_t| <= mu Pi_c.
 *
 * The check does not use which rows hold: it evaluates expressions of the network at the results of
 * the run.
 */
#include "run/switching/switching.h"
#include "model/system/quantities.h"
#include "motion/scheme/traits.h"
#include "run/simulation/simulation.h"
#include "study/verify/verify_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest number of steps that are checked. */
enum { MOST_STEPS = 1000 };

/* The worst figure of one check. */
struct worst {
	double figure, t;
	int who; /* a switch, or an x index; -1: none */
	const bxt_system *in;
};

struct follower {
	bxt_verifier *v;
	bxt_simulation *m;
	const bxt_state *before; /* before the jump */
	struct worst rows, momenta, law;
	long points, jumps;
};

static void meet(struct worst *w, double figure, double t, int who, const bxt_system *in)
{
	if (w->who >= 0 && !(figure > w->figure) && isfinite(figure))
		return;
	*w = (struct worst){isfinite(figure) ? figure : INFINITY, t, who, in};
}

/* ---- Points of the grid ---- */

/* The violation of the row's complementarity, in the unit of lambda or of w. */
static double miss_of_row(const bxt_switch_values *v, int k)
{
	const bxt_switch *of = v->at[k].of;
	const unsigned char state = v->system->net->switches[k];
	if (state == BXT_AT_LOWER)
		return -bxt_switch_value(v, k, BXT_SWITCH_GAP);
	if (state == BXT_AT_UPPER)
		return bxt_switch_value(v, k, BXT_SWITCH_GAP);
	double miss = 0;
	const bool apart = of->bounds->hold.text != NULL;
	const double hold = bxt_switch_value(v, k, BXT_SWITCH_HOLD);
	const double lower = apart ? -hold : bxt_switch_value(v, k, BXT_SWITCH_LOWER);
	const double upper = apart ? hold : bxt_switch_value(v, k, BXT_SWITCH_UPPER);
	if (of->has_lower)
		miss = fmax(miss, lower - v->lambda[k]);
	if (of->has_upper)
		miss = fmax(miss, v->lambda[k] - upper);
	return miss;
}

static bxt_status check_point(struct follower *f)
{
	bxt_simulation *m = f->m;
	bxt_mode_system *in = m->mode;
	const bxt_status status = bxt_grid_point_find(in->here, m->state, in->x);
	if (bxt_status_is_recoverable(status))
		return BXT_OK; /* the run has reported the failure */
	BXT_TRY(status);
	bxt_switch_values_read(in->values, m->state->q, in->x, m->state->t);
	bxt_switching_note(m->switching, in->values, m->state->q, in->x);
	for (int k = 0; k < in->values->n; k++) {
		const unsigned char state = in->system->net->switches[k];
		if (!in->values->at[k].of->row || state == BXT_ABSENT)
			continue;
		const double miss = miss_of_row(in->values, k);
		const double size = bxt_switching_size(m->switching, in->values, k);
		meet(&f->rows,
		     miss > 0   ? miss / size
		     : miss < 0 ? 0
				: miss,
		     m->state->t, k, in->system);
	}
	f->points++;
	return BXT_OK;
}

/* ---- Jumps ---- */

/* The violation of the law of impacts, relative to the rates or to the impulses. */
static double miss_of_law(const bxt_switching *w, const bxt_mode_system *to, int k, double rates,
			  double impulses)
{
	const bxt_switch_values *v = to->values;
	const bxt_switch_info *at = &v->at[k];
	const unsigned char state = v->system->net->switches[k];
	const double closing = w->restitution[k] * w->rate[k];
	const double beyond = bxt_switch_value(v, k, BXT_SWITCH_RATE) + closing;
	if (state != BXT_HOLDS)
		return fmax(0, state == BXT_AT_LOWER ? -beyond : beyond) / rates;
	/*
	 * forces that are bounded give no impulse, except friction, which gets a part of another
	 * row's
	 */
	const double impulse = to->x[v->system->x_of_row[at->row]];
	const bool friction = at->of->bounds->friction_of != NULL;
	double miss = 0;
	if (at->of->has_lower)
		miss = fmax(miss,
			    (friction ? bxt_switch_value(v, k, BXT_SWITCH_LOWER) : 0) - impulse);
	if (at->of->has_upper)
		miss = fmax(miss,
			    impulse - (friction ? bxt_switch_value(v, k, BXT_SWITCH_UPPER) : 0));
	return fmax(fabs(beyond) / rates, impulses > 0 ? miss / impulses : miss);
}

static void check_law(struct follower *f, const bxt_switching *w, const bxt_mode_system *to)
{
	const bxt_system *s = to->system;
	double impulses = 0;
	for (int k = 0; k < w->n; k++)
		if (w->struck[k] && s->net->switches[k] != BXT_ABSENT && w->of_rate[k] > 0)
			meet(&f->law, miss_of_law(w, to, k, w->of_rate[k], impulses), to->at->t, k,
			     s);
}

/* P(q, v+) - p- - A^T Pi, and the size of its terms by unit. */
static bxt_status check_momenta(struct follower *f, const bxt_switching *w,
				const bxt_mode_system *to)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights rows = {{{[BXT_K] = -1}, {[BXT_K] = -1}}};
	const bxt_system *s = to->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	double *r = calloc(3 * size, sizeof *r), *r_abs = r + size, *most = r_abs + size;
	bxt_state *minus = bxt_state_new(s);
	bxt_evaluator *e = bxt_evaluator_new(s);
	if (r && minus && e) {
		const bxt_point at = {to->at->q, to->x, to->at->t};
		bxt_state_carry(w->before, minus);
		bxt_evaluator_set_time(e, at.t);
		bxt_evaluate(e, BXT_SET_MOMENTUM, at, &momentum, r, r_abs);
		bxt_evaluate(e, BXT_SET_CONSTRAINT, at, &rows, r, r_abs);
		for (int i = 0; i < s->n; i++) {
			r[i] -= s->pinned[i] ? 0 : minus->p[i];
			r_abs[i] += s->pinned[i] ? 0 : fabs(minus->p[i]);
			most[s->quantity[i]] = fmax(most[s->quantity[i]], r_abs[i]);
		}
		for (int i = 0; i < s->n; i++)
			if (most[s->quantity[i]] > 0)
				meet(&f->momenta, fabs(r[i]) / most[s->quantity[i]], at.t, i, s);
	}
	const bool made = r && minus && e;
	free(r);
	bxt_state_free(minus);
	bxt_evaluator_free(e);
	return made ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status jumped(void *context, const bxt_switching *w, const bxt_mode_system *to)
{
	struct follower *f = context;
	f->jumps++;
	check_law(f, w, to);
	return check_momenta(f, w, to);
}

/* ---- The whole check ---- */

static void report_switching(struct follower *f)
{
	bxt_checks *c = &f->v->checks;
	bxt_buffer name = {0};
	if (f->points > 0 && f->rows.who >= 0)
		bxt_checks_add(c, BXT_CHECK_COMPLEMENTARITY, f->rows.figure, BXT_NOWHERE,
			       "%ld points of a run; the worst is %s at t = %.9g s", f->points,
			       bxt_switch_name(f->v->s, f->rows.who, &name), f->rows.t);
	if (f->jumps > 0 && f->momenta.who >= 0)
		bxt_checks_add(c, BXT_CHECK_IMPACT_MOMENTA, f->momenta.figure, BXT_NOWHERE,
			       "%ld jumps; the worst is %s at t = %.9g s", f->jumps,
			       bxt_system_x_name(f->momenta.in, f->momenta.who, &name),
			       f->momenta.t);
	if (f->jumps > 0 && f->law.who >= 0)
		bxt_checks_add(c, BXT_CHECK_IMPACT_LAW, f->law.figure, BXT_NOWHERE,
			       "%ld jumps; the worst is %s at t = %.9g s", f->jumps,
			       bxt_switch_name(f->v->s, f->law.who, &name), f->law.t);
	bxt_checks_release(c, &name);
}

bxt_status bxt_verify_switching(bxt_verifier *v, const bxt_verify_def *def)
{
	struct follower f = {.v = v, .rows.who = -1, .momenta.who = -1, .law.who = -1};
	const bxt_jump_follower follows = {jumped, &f};
	if (v->s->net->n_switches == 0)
		return BXT_OK;
	bxt_run_def run = def->run;
	run.record = "energy";
	run.n_record_also = 0;
	bxt_diagnostics *d = bxt_diagnostics_new(); /* findings of the run are no checks */
	bxt_status status =
		d ? bxt_simulation_make(v->s, &run, v->base, NULL, d, &f.m) : BXT_ERR_MEMORY;
	if (status == BXT_OK && bxt_traits(&f.m->settings).events_inside) {
		status = bxt_verify_capturing(v, f.m, d);
	} else if (status == BXT_OK) {
		const long all = lround(bxt_simulation_end(f.m) / f.m->settings.step);
		f.m->switching->follower = &follows;
		status = check_point(&f);
		for (long k = 0; k < MOST_STEPS && k < all && status == BXT_OK; k++) {
			status = bxt_simulation_step(f.m, 1, NULL, d);
			if (status == BXT_OK)
				status = check_point(&f);
		}
	}
	report_switching(&f); /* also for a run that ends early, which has a finding of its own */
	bxt_simulation_free(f.m);
	bxt_diagnostics_free(d);
	return status == BXT_ERR_MEMORY ? status : BXT_OK;
}
