/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "operating_point.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_STEPS = 200, MAX_REPORTED = 40 };

/* Steps grow to this many of the run's before the point counts as reached, and never above. */
static const double LONG_STEP = 1e6, LONGEST_STEP = 1e12, SHORTEST_STEP = 1e-9;
/* Reached when a long step changes nothing by more than this, relative to the largest. */
static const double SETTLED = 1e-11;

/* Backward Euler:  P - p_k - h F - K(l) = 0 or h D - h F - K(l) = 0, C = 0 at q_k + h v, t_k + h.
 */
static void radau1_stages(const bxt_settings *settings, bxt_stages *out)
{
	bxt_tableau tableau;
	(void)settings;
	bxt_tableau_radau(1, &tableau);
	bxt_stages_collocation(&tableau, false, out);
}

static const bxt_scheme radau1 = {
	.name = "radau1",
	.doc = "backward Euler, for operating points",
	.order = 1,
	.stages = radau1_stages,
};

/* While the point is sought. */
struct search {
	const bxt_system *s;
	bxt_settings settings;
	bxt_stepper *stepper;
	bxt_state *state;
	bool *stores;  /* (size) the coordinate's value enters a force */
	double *q, *p; /* (size) before the last step */
	double t;
	long steps;
};

static bxt_status find_stores(struct search *a)
{
	static const bxt_weights stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	bxt_evaluator *e = bxt_evaluator_new(a->s);
	double *values = calloc((size_t)bxt_sparse_nnz(p) + 1, sizeof *values);
	const bool ok = e && values;
	if (ok) {
		const bxt_point at = {a->state->q, a->state->x, a->t};
		bxt_evaluator_set_time(e, a->t);
		bxt_evaluate_jacobian(e, BXT_FORM_JAC_CONST, at, &stiffness, values);
		bxt_evaluate_jacobian(e, BXT_FORM_JAC_DYN, at, &stiffness, values);
	}
	for (int j = 0; ok && j < a->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			a->stores[j] = a->stores[j] || values[k] != 0;
	free(values);
	bxt_evaluator_free(e);
	return ok ? BXT_OK : BXT_ERR_MEMORY;
}

/* The largest change of charges of stores and of momenta in the last step, relative to the largest.
 */
static double change(const struct search *a)
{
	const double *q = a->state->q, *p = a->state->p;
	double dq = 0, dp = 0, largest_q = 0, largest_p = 0;
	for (int i = 0; i < a->s->n; i++) {
		if (a->stores[i]) {
			dq = fmax(dq, fabs(q[i] - a->q[i]));
			largest_q = fmax(largest_q, fabs(q[i]));
		}
		dp = fmax(dp, fabs(p[i] - a->p[i]));
		largest_p = fmax(largest_p, fabs(p[i]));
	}
	return fmax(dq > 0 ? dq / fmax(largest_q, DBL_MIN) : 0,
		    dp > 0 ? dp / fmax(largest_p, DBL_MIN) : 0);
}

/* One pseudo-step of size h at the frozen time; charges that store nothing are put back. */
static bxt_status step(struct search *a, double h)
{
	const size_t bytes = (size_t)a->s->size * sizeof *a->q;
	memcpy(a->q, a->state->q, bytes);
	memcpy(a->p, a->state->p, bytes);
	a->state->t = a->t - h; /* so that the stage is at the frozen time */
	bxt_status status = bxt_stepper_solve(a->stepper, a->state, h);
	if (status == BXT_OK)
		status = bxt_stepper_advance(a->stepper, a->state, a->t);
	a->state->t = a->t;
	for (int i = 0; i < a->s->n && status == BXT_OK; i++)
		if (!a->stores[i])
			a->state->q[i] = a->q[i];
	a->steps += status == BXT_OK;
	return status;
}

static bxt_status march(struct search *a)
{
	const double first = a->settings.step;
	double h = first;
	bxt_status status = BXT_OK;
	for (int k = 0; k < MAX_STEPS; k++) {
		status = step(a, h);
		if (status == BXT_OK) {
			if (h >= LONG_STEP * first && change(a) <= SETTLED)
				return BXT_OK;
			h = fmin(10 * h, LONGEST_STEP * first);
		} else if (status == BXT_ERR_MEMORY || h <= SHORTEST_STEP * first) {
			return status;
		} else {
			h /= 100; /* ten times less than the last that worked */
		}
	}
	return status == BXT_OK ? BXT_ERR_NEWTON : status;
}

static void report(const struct search *a, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	bxt_buffer name = {0};
	int told = 0;
	bxt_note(d, BXT_NOWHERE, "operating point: %ld pseudo-steps, %ld Newton iterations",
		 a->steps, a->stepper->newton.iterations);
	for (int i = 0; i < s->n && told < MAX_REPORTED; i++) {
		const bool flow = !s->pinned[i];
		if (!flow && !a->stores[i])
			continue;
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[i]], flow, &name);
		if (name.text)
			bxt_note(d, BXT_NOWHERE, "operating point: %s = %.9g", name.text,
				 flow ? a->state->x[i] : a->state->q[i]);
		told++;
	}
	bxt_buffer_free(&name);
}

static bxt_status search(struct search *a, bxt_diagnostics *d)
{
	const size_t n = (size_t)a->s->size;
	a->stores = calloc(n, sizeof *a->stores);
	a->q = calloc(n, sizeof *a->q);
	a->p = calloc(n, sizeof *a->p);
	if (!a->stores || !a->q || !a->p)
		return BXT_ERR_MEMORY;
	BXT_TRY(find_stores(a));
	for (int i = 0; i < a->s->n; i++) /* backward Euler carries no pinned momenta */
		if (a->s->pinned[i])
			a->state->p[i] = 0;
	BXT_TRY(bxt_stepper_new(a->s, &a->settings, a->state, &a->stepper));
	bxt_status status = march(a);
	if (status != BXT_OK)
		bxt_stepper_blame(a->stepper, status, a->t, d);
	else
		report(a, d);
	return status;
}

/* Momenta of massless coordinates where the run's scheme carries them: p_D = alpha(q). */
static bxt_status restore_momenta(const struct search *a, const bxt_settings *settings)
{
	static const bxt_weights pinned = {{{0}, {[BXT_P] = 1}}};
	if (!settings->scheme->carries_momenta)
		return BXT_OK;
	bxt_evaluator *e = bxt_evaluator_new(a->s);
	if (!e)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(e, a->t);
	bxt_evaluate(e, BXT_FORM_MOMENTUM, (bxt_point){a->state->q, a->state->x, a->t}, &pinned,
		     a->state->p, NULL);
	a->state->p[a->s->spare] = 0;
	bxt_evaluator_free(e);
	return BXT_OK;
}

bxt_status bxt_operating_point(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			       bxt_diagnostics *d)
{
	struct search a = {.s = s, .settings = *settings, .state = state, .t = state->t};
	a.settings.scheme = &radau1;
	a.settings.project_loops = a.settings.project_rows = false;
	a.settings.solver = &bxt_linsol_klu;
	bxt_status status = search(&a, d);
	if (status == BXT_OK)
		status = restore_momenta(&a, settings);
	bxt_stepper_free(a.stepper);
	free(a.stores);
	free(a.q);
	free(a.p);
	return status;
}
