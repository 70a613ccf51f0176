/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/together.h"

#include "model/system/fused.h"
#include "model/system/runner_internal.h"

#include <math.h>
#include <stdlib.h>

/* The values that the time of a point determines, valid for the inputs of that version. */
struct moment {
	bool known;
	long inputs;
	double time, *signal; /* (n_signals) */
};

struct bxt_together {
	double *work; /* (joined_work)(BXT_POINTS) */
	struct moment moment[BXT_POINTS];
};

enum { ALIGNMENT = 64 }; /* [bytes] */

bxt_together *bxt_together_new(const bxt_system *s)
{
	bxt_together *t = calloc(1, sizeof *t);
	const size_t bytes = (s->tapes.fused_work + 1) * BXT_POINTS * sizeof *t->work;
	if (!t)
		return NULL;
	t->work = aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
	double *signal = malloc(((size_t)s->net->timed.n + 1) * BXT_POINTS * sizeof *signal);
	t->moment[0].signal = signal;
	if (!t->work || !signal)
		return bxt_together_free(t);
	for (int l = 0; l < BXT_POINTS; l++)
		t->moment[l].signal = signal + l * (s->net->timed.n + 1);
	for (int f = 0; f < BXT_SET_COUNT; f++)
		if (s->tapes.fused[f])
			bxt_fused_tape_start_points(s->tapes.fused[f]->program,
						    t->work + s->tapes.fused[f]->first_work *
								      BXT_POINTS);
	return t;
}

bxt_together *bxt_together_free(bxt_together *t)
{
	if (t) {
		free(t->moment[0].signal);
		free(t->work);
	}
	free(t);
	return NULL;
}

/* Does a fused tape evaluate the output set for all points alike? For a single point it is faster
 * without vectors. */
static const bxt_fused *fused_of(const bxt_together *t, bxt_evaluator *const *e, int n,
				 bxt_output_set_id id)
{
	const bxt_system *s = e[0]->system;
	bool alike = t && n > 1 && s->tapes.runner[id] == &bxt_fused_runner;
	for (int l = 0; l < n; l++)
		alike = alike && !e[l]->weights_of;
	return alike ? s->tapes.fused[id] : NULL;
}

/*
 * One evaluator may serve several points: its values at a time are kept for the next output sets.
 */
static const struct moment *moment_of(bxt_together *t, bxt_evaluator *e, int l, double time)
{
	struct moment *m = &t->moment[l];
	const bxt_system *s = e->system;
	if (m->known && m->time == time && m->inputs == s->inputs->version)
		return m;
	bxt_evaluator_set_time(e, time);
	m->known = true;
	m->time = time;
	m->inputs = s->inputs->version;
	for (int k = 0; k < s->net->timed.n; k++)
		m->signal[k] = e->signal[k];
	return m;
}

/* The results: number i of point l is [i * BXT_POINTS + l]. */
static const double *run_together(bxt_together *t, bxt_evaluator *const *e, int n,
				  const bxt_fused *j, const bxt_point *at)
{
	double *work = t->work + j->first_work * BXT_POINTS;
	const double *source[BXT_POINTS][BXT_JOINED_SOURCES], *const *sources[BXT_POINTS];
	for (int l = 0; l < n; l++) {
		const struct moment *m = moment_of(t, e[l], l, at[l].t);
		source[l][BXT_JOINED_Q] = at[l].q;
		source[l][BXT_JOINED_X] = at[l].x;
		source[l][BXT_JOINED_TIME] = &m->time;
		source[l][BXT_JOINED_STEP] = e[l]->step;
		source[l][BXT_JOINED_SIGNAL] = m->signal;
		source[l][BXT_JOINED_CONDITION] = e[l]->system->inputs->offset;
		sources[l] = source[l];
	}
	bxt_fused_tape_run_points(j->program, sources, n, work);
	return work;
}

static void fused_residual(const bxt_fused *j, const double *work, int n, const bxt_weights *w,
			   const bxt_residual *to)
{
	for (const bxt_fused_output *o = j->outputs, *end = o + j->n; o < end; o++) {
		const double weight = w->of[o->role][o->term];
		const double *y = work + (size_t)o->value * BXT_POINTS;
		const bool momentum = o->term == BXT_P;
		if (weight == 0)
			continue;
		for (int l = 0; l < n; l++) {
			const double term = weight * y[l];
			double *abs = momentum ? to[l].p_abs : to[l].r_abs;
			(momentum ? to[l].p : to[l].r)[o->place] += term;
			if (abs)
				abs[o->place] += fabs(term);
		}
	}
}

void bxt_evaluate_together(bxt_together *t, bxt_evaluator *const *e, int n, bxt_output_set_id id,
			   const bxt_point *at, const bxt_weights *w, const bxt_residual *to)
{
	const bxt_system *s = e[0]->system;
	const bool rows = id == BXT_SET_CONSTRAINT && s->constraints.a.colptr;
	const bxt_fused *j = fused_of(t, e, n, rows ? BXT_SET_REST : id);
	if (!rows && !j) {
		for (int l = 0; l < n; l++) {
			bxt_evaluator_set_time(e[l], at[l].t);
			bxt_evaluate_apart(e[l], id, at[l], w, &to[l]);
		}
		return;
	}
	if (rows) {
		const bxt_weights only_c = {{{[BXT_C] = w->of[0][BXT_C]}, {0}}};
		for (int l = 0; l < n; l++)
			bxt_evaluate_constant_rows(e[l], at[l], w, &to[l]);
		for (int l = 0; l < n && s->constraints.have_b && !j; l++) {
			bxt_evaluator_set_time(e[l], at[l].t);
			bxt_evaluate_apart(e[l], BXT_SET_REST, at[l], &only_c, &to[l]);
		}
		if (s->constraints.have_b && j)
			fused_residual(j, run_together(t, e, n, j, at), n, &only_c, to);
		return;
	}
	fused_residual(j, run_together(t, e, n, j, at), n, w, to);
	for (int l = 0; l < n && id == BXT_SET_CONSTRAINT; l++)
		bxt_evaluate_ports(s, at[l], w, &to[l]);
}

/* ---- Slopes ---- */

enum { MOST = 16 }; /* destinations of a point that are listed; more are evaluated point by point */

/* Of one term: the destinations of a point where it has a weight. */
struct shares {
	int n;
	double weight[MOST], *to[MOST];
};

static void list_shares(const bxt_destinations *d, int role, int term, struct shares *out)
{
	out->n = 0;
	for (int i = 0; i < d->n; i++)
		if (d->w[i].of[role][term] != 0) {
			out->weight[out->n] = d->w[i].of[role][term];
			out->to[out->n++] = d->to[i];
		}
}

/*
 * Point after point, as without fused tapes: what several points add to one entry is summed in that
 * order. Outputs of one term follow each other mostly.
 */
static void fused_jacobian(const bxt_fused *j, const double *work, int n,
			   const bxt_destinations *to)
{
	for (int l = 0; l < n; l++) {
		struct shares shares = {.n = 0};
		int role = -1, term = -1;
		for (const bxt_fused_output *o = j->outputs, *end = o + j->n; o < end; o++) {
			const double y = work[(size_t)o->value * BXT_POINTS + (size_t)l];
			if (o->role != role || o->term != term)
				list_shares(&to[l], o->role, o->term, &shares);
			role = o->role;
			term = o->term;
			for (int i = 0; i < shares.n; i++)
				shares.to[i][o->place] += shares.weight[i] * y;
		}
	}
}

void bxt_evaluate_jacobian_together(bxt_together *t, bxt_evaluator *const *e, int n,
				    bxt_output_set_id id, const bxt_point *at,
				    const bxt_destinations *to)
{
	const bxt_fused *j = fused_of(t, e, n, id);
	bool wanted = false;
	for (int l = 0; l < n && j; l++) {
		wanted = wanted || bxt_has_wanted(j->terms, to[l].n, to[l].w);
		j = to[l].n <= MOST ? j : NULL;
	}
	if (j && wanted)
		fused_jacobian(j, run_together(t, e, n, j, at), n, to);
	for (int l = 0; l < n && !j; l++) {
		bxt_evaluator_set_time(e[l], at[l].t);
		bxt_evaluate_jacobian_to(e[l], id, at[l], to[l].n, to[l].w, to[l].to);
	}
}

/* ---- Sums ---- */

void bxt_evaluate_sums_together(bxt_together *t, bxt_evaluator *const *e, int n,
				bxt_output_set_id id, const bxt_point *at, const bxt_sums *sums)
{
	const bxt_fused *j = fused_of(t, e, n, id);
	if (!j) {
		for (int l = 0; l < n; l++) {
			bxt_evaluator_set_time(e[l], at[l].t);
			bxt_evaluate_sums(e[l], id, at[l], &sums[l]);
		}
		return;
	}
	const double *work = run_together(t, e, n, j, at);
	for (int l = 0; l < n; l++) /* as without fused tapes: sums to the same bits */
		for (const bxt_fused_output *o = j->outputs, *end = o + j->n; o < end; o++)
			sums[l].to[o->role][o->place] +=
				sums[l].weight[o->role] *
				work[(size_t)o->value * BXT_POINTS + (size_t)l];
}
