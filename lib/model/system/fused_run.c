/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs fused tapes (fused.c makes them). Sums are in the order of the tapes of groups. */
#include "model/system/fused.h"
#include "model/system/runner_internal.h"

#include <math.h>

static const double *run_fused(bxt_evaluator *e, const bxt_fused *j, bxt_point at)
{
	const double *sources[BXT_JOINED_SOURCES] = {
		[BXT_JOINED_Q] = at.q,
		[BXT_JOINED_X] = at.x,
		[BXT_JOINED_TIME] = e->time,
		[BXT_JOINED_STEP] = e->step,
		[BXT_JOINED_SIGNAL] = e->signal,
		[BXT_JOINED_CONDITION] = e->system->inputs->offset};
	double *work = e->joined_work + j->first_work;
	bxt_fused_tape_run(j->program, sources, work);
	return work;
}

static void residual(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_weights *w,
		     const bxt_residual *to)
{
	const bxt_fused *j = e->system->tapes.fused[id];
	const double *work = run_fused(e, j, at);
	double *r = to->r, *r_abs = to->r_abs, *p = to->p, *p_abs = to->p_abs;
	const bxt_fused_output *o = j->outputs, *end = o + j->n;
	for (; o < end && p == r && r_abs && !e->weights_of; o++) { /* the rule */
		const double weight = w->of[o->role][o->term], y = weight * work[o->value];
		if (weight == 0)
			continue;
		r[o->place] += y;
		r_abs[o->place] += fabs(y);
	}
	for (; o < end; o++) {
		const bxt_weights *own = w + (e->weights_of ? e->weights_of[o->group] : 0);
		const double weight = own->of[o->role][o->term];
		if (weight == 0)
			continue;
		const bool momentum = o->term == BXT_P;
		const double y = weight * work[o->value];
		double *abs = momentum ? p_abs : r_abs;
		(momentum ? p : r)[o->place] += y;
		if (abs)
			abs[o->place] += fabs(y);
	}
}

static void jacobian(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, int n,
		     const bxt_weights *w, double *const *values)
{
	const bxt_fused *j = e->system->tapes.fused[id];
	if (!e->weights_of && !bxt_has_wanted(j->terms, n, w))
		return;
	const double *work = run_fused(e, j, at);
	for (const bxt_fused_output *o = j->outputs, *end = o + j->n; o < end; o++) {
		const bxt_weights *own = w + (e->weights_of ? e->weights_of[o->group] * n : 0);
		for (int i = 0; i < n; i++) {
			const double weight = own[i].of[o->role][o->term];
			if (weight != 0)
				values[i][o->place] += weight * work[o->value];
		}
	}
}

static void sums(bxt_evaluator *e, bxt_output_set_id id, bxt_point at, const bxt_sums *s)
{
	const bxt_fused *j = e->system->tapes.fused[id];
	const double *work = run_fused(e, j, at);
	for (const bxt_fused_output *o = j->outputs, *end = o + j->n; o < end; o++) {
		const bxt_sums *own = s + (e->weights_of ? e->weights_of[o->group] : 0);
		own->to[o->role][o->place] += own->weight[o->role] * work[o->value];
	}
}

const bxt_runner bxt_fused_runner = {residual, jacobian, sums};
