/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States of a period, runs of it, and their derivatives (steady.h). */
#include "study/sensitivity/steady.h"

#include "study/sensitivity/tangent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 4 };
static const double AT[POINTS] = {-2, -1, 1, 2};
static const double WEIGHT[POINTS] = {1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12};

/* ---- States ---- */

/*
 * Marks coordinates that an equation reads: derivatives of P in rows with mass, of D in massless
 * ones.
 */
static void mark_read(const bxt_system *s, bool *read)
{
	static const bxt_output_set_id sets[] = {BXT_SET_JAC_CONST, BXT_SET_JAC_DYN,
						 BXT_SET_JAC_CON};
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (size_t k = 0; k < sizeof sets / sizeof *sets; k++) {
			const bxt_output_set *set = &group->type->set[sets[k]];
			for (int i = 0; i < set->n; i++) {
				const bxt_entry *e = &set->entries[i];
				const bool rate = e->term == BXT_PQ || e->term == BXT_DQ;
				if (!rate && e->term != BXT_FQ && e->term != BXT_CQ &&
				    e->term != BXT_KQ)
					continue;
				for (int c = 0; c < group->count; c++) {
					const int col = group->at[e->col][c];
					const int row = rate ? group->at[e->row][c] : -1;
					if (rate &&
					    (row >= s->n || s->pinned[row] != (e->term == BXT_DQ)))
						continue;
					if (col < s->n)
						read[col] = true;
				}
			}
		}
	}
}

bxt_status bxt_period_choose_states(bxt_period_search *f)
{
	const bxt_system *s = f->m->s;
	const size_t most = 2 * (size_t)s->n + 1;
	bool *read = BXT_NEW(f->arena, bool, (size_t)s->size);
	f->x = BXT_NEW(f->arena, int, most);
	f->momentum = BXT_NEW(f->arena, bool, most);
	if (!read || !f->x || !f->momentum)
		return BXT_ERR_MEMORY;
	mark_read(s, read);
	for (int i = 0; i < s->n; i++)
		if (read[i])
			f->x[f->n++] = i;
	for (int i = 0; i < s->n; i++)
		if (!s->pinned[i]) {
			f->momentum[f->n] = true;
			f->x[f->n++] = i;
		}
	f->dense = f->n <= BXT_STEADY_DENSE;
	const size_t n = (size_t)f->n + 1, size = (size_t)s->size + BXT_LANES;
	const size_t all = f->dense ? n * n : 1;
	double **const vectors[] = {&f->scale, &f->change, &f->by_period, &f->flow};
	for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
		if (!(*vectors[k] = BXT_NEW(f->arena, double, n)))
			return BXT_ERR_MEMORY;
	double **const places[] = {&f->q, &f->p, &f->dq, &f->dp};
	for (size_t k = 0; k < sizeof places / sizeof *places; k++)
		if (!(*places[k] = BXT_NEW(f->arena, double, size)))
			return BXT_ERR_MEMORY;
	f->matrix = BXT_NEW(f->arena, double, all);
	f->consistent = BXT_NEW(f->arena, double, all);
	return f->matrix && f->consistent ? BXT_OK : BXT_ERR_MEMORY;
}

double bxt_period_value(const bxt_period_search *f, int i, const double *q, const double *p)
{
	return f->momentum[i] ? p[f->x[i]] : q[f->x[i]];
}

const char *bxt_period_name(const bxt_period_search *f, int x, bxt_buffer *b)
{
	const bxt_system *s = f->m->s;
	const char *name =
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[x]], false, b);
	return name ? name : "?";
}

void bxt_period_note_scales(bxt_period_search *f)
{
	const bxt_system *s = f->m->s;
	const bxt_state *state = f->m->state;
	/* by unit: coordinates first, then momenta */
	const size_t units = (size_t)s->n_quantities;
	double *most = calloc(2 * units + 1, sizeof *most);
	for (int i = 0; i < f->n && most; i++) {
		double *of = &most[(size_t)s->quantity[f->x[i]] + (f->momentum[i] ? units : 0)];
		f->scale[i] = fmax(f->scale[i], fabs(bxt_period_value(f, i, state->q, state->p)));
		*of = fmax(*of, f->scale[i]);
	}
	for (int i = 0; i < f->n && most; i++)
		f->scale[i] = most[(size_t)s->quantity[f->x[i]] + (f->momentum[i] ? units : 0)];
	free(most);
}

/* A change of state i relative to its scale. */
static double scaled(const bxt_period_search *f, int i, const double *dq, const double *dp)
{
	return f->scale[i] > 0 ? bxt_period_value(f, i, dq, dp) / f->scale[i] : 0;
}

/* ---- A period ---- */

bxt_status bxt_period_open(bxt_period_search *f, double period, bxt_diagnostics *d)
{
	bxt_period_close(f);
	f->period = period;
	f->run.end = period;
	if (f->steps > 0) {
		f->run.step = period / (double)f->steps;
		f->run.every = 0;
	}
	BXT_TRY(bxt_simulation_new(f->system, &f->run, d, &f->m));
	f->t0 = f->m->state->t;
	f->beside = bxt_state_new(f->m->s);
	return f->beside ? BXT_OK : BXT_ERR_MEMORY;
}

/* Discards the start of the period. */
static void leave(bxt_period_search *f)
{
	f->along = bxt_tangent_free(f->along);
	bxt_state_free(f->start);
	f->start = NULL;
}

void bxt_period_close(bxt_period_search *f)
{
	leave(f);
	bxt_state_free(f->beside);
	f->beside = NULL;
	f->m = bxt_simulation_free(f->m);
}

bxt_status bxt_period_place(bxt_period_search *f)
{
	const size_t bytes = (size_t)f->m->s->size * sizeof *f->q;
	leave(f);
	bxt_diagnostics *d = bxt_diagnostics_new(); /* the motion is still unknown */
	bxt_status status = d ? bxt_simulation_reset(f->m, d) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_simulation_set_vectors(f->m, f->q, f->p, d);
	if (status != BXT_OK && d)
		bxt_diagnostics_move(d, f->d);
	bxt_diagnostics_free(d);
	BXT_TRY(status);
	memcpy(f->q, f->m->state->q, bytes);
	memcpy(f->p, f->m->state->p, bytes);
	f->start = bxt_state_copy(f->m->state, f->m->s);
	return f->start ? BXT_OK : BXT_ERR_MEMORY;
}

bxt_status bxt_period_run(bxt_period_search *f, int which, bool scales)
{
	const double end = f->t0 + which * f->period;
	while (scales && f->m->state->t + 1.5 * f->m->settings.step < end) {
		BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
		bxt_period_note_scales(f);
	}
	return bxt_simulation_step_to(f->m, end, 0, f->d);
}

double bxt_period_change(const bxt_period_search *f, const double *q, const double *p, int *worst)
{
	const bxt_state *end = f->m->state;
	double most = 0;
	*worst = 0;
	for (int i = 0; i < f->n; i++) {
		const double change =
			bxt_period_value(f, i, end->q, end->p) - bxt_period_value(f, i, q, p);
		f->change[i] = f->scale[i] > 0 ? change / f->scale[i] : 0;
		if (!(fabs(f->change[i]) <= most)) {
			most = fabs(f->change[i]);
			*worst = i;
		}
	}
	return most;
}

/* ---- Derivatives ---- */

bxt_status bxt_period_direction(bxt_period_search *f, const double *v, double *dq, double *dp)
{
	const size_t size = (size_t)f->m->s->size;
	double *q = malloc(2 * size * sizeof *q + 1), *p = q + size, most = 0;
	bxt_status status = q ? BXT_OK : BXT_ERR_MEMORY;
	memset(dq, 0, size * sizeof *dq);
	memset(dp, 0, size * sizeof *dp);
	for (int i = 0; i < f->n; i++)
		most = fmax(most, f->scale[i] > 0 ? fabs(v[i]) : 0);
	for (int c = 0; c < POINTS && status == BXT_OK && most > 0; c++) {
		const double by = AT[c] * BXT_STEADY_PART / most;
		memcpy(q, f->q, size * sizeof *q);
		memcpy(p, f->p, size * sizeof *p);
		for (int i = 0; i < f->n; i++)
			*(f->momentum[i] ? &p[f->x[i]] : &q[f->x[i]]) += by * v[i] * f->scale[i];
		const bxt_state *state = f->beside;
		status = bxt_simulation_start_beside(f->m, f->t0, q, p, f->beside);
		const double weight = WEIGHT[c] * most / BXT_STEADY_PART;
		for (size_t i = 0; i < size && status == BXT_OK; i++) {
			dq[i] += weight * state->q[i];
			dp[i] += weight * state->p[i];
		}
	}
	free(q);
	return status;
}

/*
 * Propagates all directions, one after the other. Their consistent changes P go to f->consistent.
 */
static bxt_status add_states(bxt_period_search *f, bxt_tangent *t)
{
	const size_t n = (size_t)f->n;
	double *v = calloc(n + 1, sizeof *v);
	bxt_status status = v ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t j = 0; j < n && status == BXT_OK; j++) {
		v[j] = 1;
		status = bxt_period_direction(f, v, f->dq, f->dp);
		v[j] = 0;
		for (size_t i = 0; i < n; i++)
			f->consistent[j * n + i] = scaled(f, (int)i, f->dq, f->dp);
		if (status == BXT_OK)
			status = bxt_tangent_add_state(t, f->dq, f->dp);
	}
	free(v);
	return status;
}

/* f->flow: the direction of the first step, of norm 1; 0: nothing moves. */
static bxt_status find_flow(bxt_period_search *f)
{
	double size = 0;
	int worst;
	BXT_TRY(bxt_simulation_step(f->m, 1, NULL, f->d));
	bxt_period_change(f, f->q, f->p, &worst);
	for (int i = 0; i < f->n; i++)
		size = hypot(size, f->change[i]);
	for (int i = 0; i < f->n; i++)
		f->flow[i] = size > 0 ? f->change[i] / size : 0;
	bxt_simulation_rewind(f->m, f->start);
	return BXT_OK;
}

/* The derivatives at the end of the period. */
static void read_tangent(bxt_period_search *f, const bxt_tangent *t)
{
	const size_t n = (size_t)f->n;
	const int first = f->dense ? f->n : 0;
	for (size_t j = 0; j < n && f->dense; j++)
		for (size_t i = 0; i < n; i++)
			f->matrix[j * n + i] = scaled(f, (int)i, bxt_tangent_q(t, (int)j),
						      bxt_tangent_p(t, (int)j));
	for (int i = 0; i < f->n && f->oscillator; i++)
		f->by_period[i] = scaled(f, i, bxt_tangent_q(t, first), bxt_tangent_p(t, first));
}

bxt_status bxt_period_linearise(bxt_period_search *f, double *residual, int *worst)
{
	bxt_tangent *t = NULL;
	if (f->oscillator)
		BXT_TRY(find_flow(f));
	BXT_TRY(bxt_tangent_new(f->m, BXT_STEADY_PART, f->d, &t));
	bxt_status status = f->dense ? add_states(f, t) : BXT_OK;
	if (status == BXT_OK && f->oscillator)
		status = bxt_tangent_add_step(t);
	if (status == BXT_OK)
		status = bxt_period_run(f, 1, false);
	if (status != BXT_OK)
		bxt_tangent_report(t, f->d);
	*residual = status == BXT_OK ? bxt_period_change(f, f->q, f->p, worst) : INFINITY;
	if (status == BXT_OK)
		read_tangent(f, t);
	bxt_tangent_free(t);
	return status;
}

/* The direction that products use. */
static bxt_status aim(bxt_period_search *f)
{
	if (f->along) {
		bxt_tangent_set_state(f->along, 0, f->dq, f->dp);
		return BXT_OK;
	}
	BXT_TRY(bxt_tangent_new(f->m, BXT_STEADY_PART, f->d, &f->along));
	return bxt_tangent_add_state(f->along, f->dq, f->dp);
}

bxt_status bxt_period_multiply(bxt_period_search *f, const double *x, double *y, double *own)
{
	bxt_simulation_rewind(f->m, f->start);
	BXT_TRY(bxt_period_direction(f, x, f->dq, f->dp));
	BXT_TRY(aim(f));
	const bxt_status status = bxt_period_run(f, 1, false);
	if (status != BXT_OK)
		bxt_tangent_report(f->along, f->d);
	for (int i = 0; i < f->n && status == BXT_OK; i++) {
		y[i] = scaled(f, i, bxt_tangent_q(f->along, 0), bxt_tangent_p(f->along, 0));
		if (own)
			own[i] = scaled(f, i, f->dq, f->dp);
	}
	return status;
}
