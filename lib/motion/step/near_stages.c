/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/step/near_stages.h"

#include "ground/base/tolerances.h"
#include "motion/step/newton_internal.h"
#include "motion/step/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Largest ratio of consecutive updates that counts as convergence. Updates that shrink less
 * converge by chance or not at all. */
static const double SLOWEST = 0.4;
/* Relative size of an update up to which one factorisation of the Jacobian suffices: its factors
 * are used once more and leave only round-off. Above, two factorisations are assumed (newton.c:
 * CHORD). */
static const double ONE_RENEWAL = 1e-2;
/* Number of updates that Newton's method makes with its last factors. */
static const double LAST_UPDATES = 2;
/* Weight of a new cost in the running means. */
static const double WEIGHT = 0.5;
/* Solves that begin with this matrix must save a tenth of the cost, because the cost of solves
 * varies by about as much. */
static const double WORTH = 0.9;
/* FIRST: steps with the Jacobian before the first step without, so that its costs are known. SPAN
 * and EXACT_SPAN: steps without and with the Jacobian, after it became the more expensive or the
 * cheaper choice, before a trial of the other; the number doubles with each confirmation, up to
 * MOST_SPAN. The costs of the Jacobian fall while the reuse of its factors adapts; therefore SPAN
 * is short. */
enum { FIRST = 4, SPAN = 2, EXACT_SPAN = 16, MOST_SPAN = 64 };

/* ---- The matrix ---- */

/* The end block, and its part in the sizes of rows: all its unknowns have the unit 1. */
static bxt_status set_end(bxt_stepper *st, bxt_newton *newton)
{
	double *one = newton->sample,
	       *sum = newton->noise; /* in scratch memory that is unused here */
	BXT_TRY(st->near->end_kind->factor(st->near->end));
	for (int i = 0; i < st->n_x; i++) {
		one[i] = 1;
		sum[i] = 0;
		if (i >= st->stages.s * st->system->size)
			newton->row_scale[i] = 0;
	}
	st->near->end_kind->spread(st->near->end, st->h, one, sum);
	for (int i = 0; i < st->n_x; i++)
		newton->row_scale[i] = fmax(newton->row_scale[i], sum[i]);
	return BXT_OK;
}

static bxt_status set(void *stepper, bxt_newton *newton, const double *x)
{
	bxt_stepper *st = stepper;
	const bxt_system *s = st->system;
	const bxt_sparse *p = &s->pattern;
	bxt_stage_transform *t = st->factors.transform;
	st->method->move(st, x);
	if (t->h != st->h)
		bxt_stage_transform_set_step(t, st->evaluator[0], st->q_start, st->h);
	BXT_TRY(bxt_stage_transform_factor(t, st->evaluator, st->q_stage, x, st->near->factors));
	const double *size = bxt_stage_transform_sizes(t);
	double *scale = newton->row_scale;
	memset(scale, 0, (size_t)s->size * sizeof *scale);
	for (int j = 0; j < p->ncol; j++) {
		const double unit = j < s->n ? 1 : fabs(st->h);
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			scale[p->rowind[k]] = fmax(scale[p->rowind[k]], size[k] * unit);
	}
	for (int i = 1; i < st->stages.s; i++)
		memcpy(scale + (size_t)i * (size_t)s->size, scale, (size_t)s->size * sizeof *scale);
	if (st->near->end)
		BXT_TRY(set_end(st, newton));
	return bxt_near_stages_rcond(st->near) < BXT_RCOND_SUSPECT ? BXT_ERR_SINGULAR : BXT_OK;
}

double bxt_near_stages_rcond(const bxt_near_stages *near)
{
	const double stages = bxt_stage_factors_rcond(near->factors);
	return near->end ? fmin(stages, near->end_kind->rcond(near->end)) : stages;
}

static bxt_status solve(void *stepper, double *b)
{
	const bxt_stepper *st = stepper;
	BXT_TRY(bxt_stage_transform_solve(st->factors.transform, st->near->factors, b));
	return st->near->end ? st->near->end_kind->solve(st->near->end, st->h, b) : BXT_OK;
}

/* The largest of the stages. */
static void gather(const bxt_stepper *st, const double *from, double *to)
{
	const size_t size = (size_t)st->system->size;
	memcpy(to, from, size * sizeof *to);
	for (size_t c = size; c < size * (size_t)st->stages.s; c++)
		to[c % size] = fmax(to[c % size], from[c]);
}

static void spread(void *stepper, const double *size, const double *offset, double *reach,
		   double *added)
{
	const bxt_stepper *st = stepper;
	const bxt_near_stages *near = st->near;
	const bxt_sparse *p = &st->system->pattern;
	const double *entry = bxt_stage_transform_sizes(st->factors.transform);
	gather(st, size, near->size);
	gather(st, offset, near->offset);
	for (int i = 0; i < st->stages.s; i++) {
		double *to = reach + (size_t)i * (size_t)st->system->size;
		double *more = added + (size_t)i * (size_t)st->system->size;
		for (int j = 0; j < p->ncol; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
				to[p->rowind[k]] += entry[k] * near->size[j];
				more[p->rowind[k]] += entry[k] * near->offset[j];
			}
	}
	if (near->end) {
		near->end_kind->spread(near->end, st->h, size, reach);
		near->end_kind->spread(near->end, st->h, offset, added);
	}
}

/* ---- Costs ---- */

bool bxt_near_pays(const bxt_newton *newton)
{
	const bxt_near_matrix *near = newton->by_near.matrix;
	const double rate = isfinite(newton->ratio_before)
				    ? fmax(newton->ratio, newton->ratio_before)
				    : newton->ratio;
	if (isinf(newton->ratio) || near->exact_update == 0)
		return true;
	if (!(rate < SLOWEST))
		return false;
	const double updates = fmax(log(DBL_EPSILON / 4 / newton->last) / log(rate), 0);
	const double renewals = newton->last < ONE_RENEWAL ? 1 : 2;
	return updates * near->update <=
	       renewals * near->exact_renewal + (renewals + LAST_UPDATES) * near->exact_update;
}

bool bxt_near_renews(const bxt_newton *newton)
{
	if (!newton->by_near.set || (newton->last >= ONE_RENEWAL && isfinite(newton->last)))
		return true;
	if (!newton->by_near.old || isinf(newton->ratio))
		return false;
	if (!(newton->ratio < SLOWEST))
		return true;
	const double updates = log(DBL_EPSILON / 4 / newton->last) / log(newton->ratio);
	return (updates - LAST_UPDATES) * newton->by_near.matrix->update >
	       newton->by_near.matrix->renewal;
}

/* Sets the costs of both matrices, as far as they have been factored. */
static void find_costs(bxt_stepper *st)
{
	bxt_near_stages *near = st->near;
	bxt_near_matrix *m = &near->matrix;
	const bxt_equations *eq = &st->equations;
	const double common = bxt_newton_update_work(eq);
	const double nnz = bxt_sparse_nnz(eq->pattern);
	double factor, solution;
	if (m->exact_update == 0) {
		bxt_linsol_work(st->solver, &factor, &solution);
		if (solution > 0) {
			m->exact_update = solution + common;
			m->exact_renewal = factor + eq->jacobian_work + BXT_NEWTON_ASSEMBLY * nnz;
		}
	}
	if (m->update == 0) {
		bxt_stage_factors_work(near->factors, &factor, &solution);
		if (solution > 0) {
			m->update = solution + common;
			m->renewal = factor + eq->jacobian_work +
				     BXT_NEWTON_ASSEMBLY * st->stages.s *
					     bxt_sparse_nnz(&st->system->pattern);
			if (near->end) {
				near->end_kind->work(near->end, &factor, &solution);
				m->renewal += factor;
				m->update += solution;
			}
		}
	}
}

void bxt_near_stages_choose(bxt_stepper *st)
{
	bxt_near_stages *near = st->near;
	st->newton.by_near.matrix = NULL;
	if (near && st->factors.transform->h != st->h)
		st->newton.by_near.set = false;
	if (!near || near->pause || near->preferred != (near->left > 0) ||
	    st->guesses.after_failure || st->rows.mask.n > 0)
		return;
	st->newton.by_near.matrix = &near->matrix;
}

void bxt_near_stages_learn(bxt_stepper *st)
{
	bxt_near_stages *near = st->near;
	const bxt_newton *n = &st->newton;
	if (!near)
		return;
	find_costs(st);
	const bxt_near_matrix *m = &near->matrix;
	const bool began_near = n->by_near.updates > 0;
	const double cost = n->factorizations * m->exact_renewal + n->updates * m->exact_update +
			    n->by_near.renewals * m->renewal + n->by_near.updates * m->update;
	double *mean = began_near ? &near->cost : &near->exact_cost;
	*mean = *mean == 0 ? cost : *mean + WEIGHT * (cost - *mean);
	near->pause = near->pause && began_near;
	st->newton.by_near.set = st->newton.by_near.set &&
				 began_near; /* otherwise its factors are of a step long ago */
	if (began_near == near->preferred) {
		near->left -= near->left > 0;
		return;
	}
	if (near->left > 0) /* the other matrix was used for a different reason, not as a trial */
		return;
	const bool better = near->cost <= WORTH * near->exact_cost;
	if (better != near->preferred)
		near->span = better ? SPAN : EXACT_SPAN;
	else
		near->span = 2 * near->span < MOST_SPAN ? 2 * near->span : MOST_SPAN;
	near->preferred = better;
	near->left = near->span;
}

void bxt_near_stages_forget(bxt_stepper *st)
{
	bxt_near_stages *near = st->near;
	if (!near)
		return;
	st->newton.by_near.set = false;
	near->preferred = near->pause = false;
	near->left = FIRST;
	near->span = EXACT_SPAN / 2;
	near->cost = near->exact_cost = 0;
}

void bxt_near_stages_pause(bxt_stepper *st)
{
	if (st->near)
		st->near->pause = true;
}

/* ---- Memory ---- */

bxt_status bxt_near_stages_make(bxt_stepper *st)
{
	const size_t size = (size_t)st->system->size;
	bxt_near_stages *near = BXT_NEW(st->arena, bxt_near_stages, 1);
	if (!near)
		return BXT_ERR_MEMORY;
	near->matrix = (bxt_near_matrix){.self = st, .set = set, .solve = solve, .spread = spread};
	near->size = BXT_NEW(st->arena, double, size);
	near->offset = BXT_NEW(st->arena, double, size);
	if (!near->size || !near->offset)
		return BXT_ERR_MEMORY;
	st->near = near;
	bxt_near_stages_forget(st);
	near->end_kind = st->method->near_end;
	if (st->n_x > st->stages.s * st->system->size)
		BXT_TRY(near->end_kind->create(st, &near->end));
	return bxt_stage_factors_new(st->factors.transform, &near->factors);
}

void bxt_near_stages_release(bxt_near_stages *near)
{
	if (!near)
		return;
	bxt_stage_factors_free(near->factors);
	if (near->end)
		near->end_kind->release(near->end);
}
