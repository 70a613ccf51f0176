/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method for a start to which the motion returns after a period (steady.h). */
#include "ground/solver/gmres.h"
#include "study/sensitivity/singular_values.h"
#include "study/sensitivity/steady.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITERATIONS = 40, MOST_HALVINGS = 10, MOST_PRODUCTS = 300 };
/*
 * RETURNED: the states return to within this fraction of the largest of their unit. NEARLY: this is
 * accepted if no step reduces the residual, because round-off accumulates over the period.
 */
static const double RETURNED = BXT_STEADY_RETURNED, NEARLY = 1e-9;
/*
 * Singular values of the matrix below these fractions of the largest belong to conserved
 * quantities. The first limit covers round-off, the following ones errors of the steps. The step
 * leaves out their directions. If a step does not help, the next limit is tried.
 */
static const double CONSERVED[] = {1e-9, 1e-6, 1e-4, 1e-2};
enum { CUTS = sizeof CONSERVED / sizeof *CONSERVED };
/*
 * If the ratio of the least to the largest singular value is below this, a failure is reported as
 * that of a family of periodic motions.
 */
static const double FAMILY = 1e-4;
/*
 * Residuals of a step by products with the matrix: below GOOD_STEP the step is good, above
 * POOR_STEP it is useless. Each product is a run of the period. With fewer digits Newton's method
 * needs more steps.
 */
static const double GOOD_STEP = 1e-7, POOR_STEP = 0.5;
/*
 * Largest change in a step of the logarithm of the period, and of states relative to the largest of
 * their unit. Beyond these, the search may reach another motion, or a state of rest.
 */
static const double LONGEST_TIME = 0.2, LONGEST_STEP = 1;

static bxt_status report_failure(const bxt_period_search *f, int worst, double residual,
				 const char *what)
{
	bxt_buffer b = {0};
	bxt_error(f->d, BXT_NOWHERE,
		  "no periodic motion is found (%s): %s%s%s changes by %.3g of the largest of its "
		  "unit in a period of %.9g s%s",
		  what, f->momentum[worst] ? "momentum(" : "", bxt_period_name(f, f->x[worst], &b),
		  f->momentum[worst] ? ")" : "", residual, f->period,
		  f->family ? ". Motions of this model come in families, as where energy is "
			      "conserved, those of its steps only nearly so: shorter steps, or a "
			      "scheme of higher order, close them"
			    : "");
	bxt_buffer_free(&b);
	return BXT_ERR_NEWTON;
}

/* ---- A step ---- */

/* [M - P, dx/dlog T; flow^T, 0] step = - [change; 0], by singular values. */
static bxt_status find_dense_step(bxt_period_search *f, double least, double *step)
{
	const size_t n = (size_t)f->n, all = n + f->oscillator;
	bxt_singular_values s;
	bxt_arena *arena = bxt_arena_new();
	double *a = calloc(all * all + all + 1, sizeof *a), *b = a + all * all;
	bxt_status status = arena && a ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t j = 0; j < n && status == BXT_OK; j++) {
		for (size_t i = 0; i < n; i++)
			a[j * all + i] = f->matrix[j * n + i] - f->consistent[j * n + i];
		if (f->oscillator) {
			a[j * all + n] = f->flow[j];
			a[n * all + j] = f->by_period[j];
		}
		b[j] = -f->change[j];
	}
	if (status == BXT_OK)
		status = bxt_singular_values_find(arena, (int)all, (int)all, a, &s);
	if (status == BXT_OK)
		f->family = s.s[s.k - 1] < FAMILY * s.s[0];
	if (status == BXT_OK)
		bxt_singular_values_solve(&s, least, 0, b, step);
	free(a);
	bxt_arena_free(arena);
	return status;
}

/* y <- the same matrix, times x. */
static bxt_status multiply(void *context, const double *x, double *y)
{
	bxt_period_search *f = context;
	double *own = calloc((size_t)f->n + 1, sizeof *own);
	const bxt_status status = own ? bxt_period_multiply(f, x, y, own) : BXT_ERR_MEMORY;
	for (int i = 0; i < f->n && status == BXT_OK; i++)
		y[i] -= own[i];
	free(own);
	if (status == BXT_OK && f->oscillator) {
		y[f->n] = 0;
		for (int i = 0; i < f->n; i++) {
			y[i] += f->by_period[i] * x[f->n];
			y[f->n] += f->flow[i] * x[i];
		}
	}
	return status;
}

static bxt_status find_sparse_step(bxt_period_search *f, double *step, int worst, double residual)
{
	const size_t all = (size_t)f->n + f->oscillator;
	const bxt_gmres g = {.n = (int)all,
			     .most = MOST_PRODUCTS,
			     .tolerance = GOOD_STEP,
			     .apply = multiply,
			     .context = f};
	bxt_arena *arena = bxt_arena_new();
	double *b = arena ? BXT_NEW(arena, double, all) : NULL, left = 1;
	bxt_status status = b ? BXT_OK : BXT_ERR_MEMORY;
	for (int i = 0; i < f->n && b; i++)
		b[i] = -f->change[i];
	if (status == BXT_OK)
		status = bxt_gmres_solve(arena, &g, b, step, &left);
	bxt_arena_free(arena);
	return status != BXT_OK    ? status
	       : left <= POOR_STEP ? BXT_OK
				   : report_failure(f, worst, residual, "GMRES does not converge");
}

/* Shortens a step that exceeds these limits. */
static void limit(const bxt_period_search *f, double *step)
{
	double most = 0;
	for (int i = 0; i < f->n; i++)
		most = fmax(most, fabs(step[i]) / LONGEST_STEP);
	if (!f->oscillator) /* linear models need no limit */
		return;
	most = fmax(most, fabs(step[f->n]) / LONGEST_TIME);
	for (int i = 0; i <= f->n && most > 1; i++)
		step[i] /= most;
}

/*
 * Moves the start by `part` of (dq, dp) and the period by `part` of `longer`, and computes the
 * residual. Findings go to d.
 */
static bxt_status try_part(bxt_period_search *f, const double *from, double part, double longer,
			   double *residual, int *worst)
{
	const size_t size = (size_t)f->m->s->size;
	bxt_diagnostics *d = bxt_diagnostics_new(), *own = f->d;
	if (!d)
		return BXT_ERR_MEMORY;
	f->d = d;
	bxt_status status = BXT_OK;
	if (f->oscillator)
		status = bxt_period_open(f, from[4 * size] * exp(part * longer), d);
	for (size_t i = 0; i < size; i++) {
		f->q[i] = from[i] + part * from[2 * size + i];
		f->p[i] = from[size + i] + part * from[3 * size + i];
	}
	if (status == BXT_OK)
		status = bxt_period_place(f);
	if (status == BXT_OK)
		status = bxt_period_linearise(f, residual, worst);
	f->d = own;
	bxt_diagnostics_free(d);
	return status;
}

/* Restores the start and the period from `from`. */
static bxt_status go_back(bxt_period_search *f, const double *from)
{
	const size_t size = (size_t)f->m->s->size, bytes = size * sizeof *from;
	memcpy(f->q, from, bytes);
	memcpy(f->p, from + size, bytes);
	return f->oscillator ? bxt_period_open(f, from[4 * size], f->d) : BXT_OK;
}

/* The residual that a step must go below, and the number of times that the step may be halved. */
struct aim {
	double residual;
	int halvings;
};

/*
 * Moves the start by the step, or by less until the residual meets the aim. from (4 size + 1): q,
 * p, their changes, and the period, before the step.
 */
static bxt_status move_state(bxt_period_search *f, const double *step, struct aim aim, double *from,
			     double *residual, int *worst)
{
	const size_t size = (size_t)f->m->s->size;
	double part = 1;
	memcpy(from, f->q, size * sizeof *from);
	memcpy(from + size, f->p, size * sizeof *from);
	from[4 * size] = f->period;
	BXT_TRY(bxt_period_direction(f, step, from + 2 * size, from + 3 * size));
	for (int k = 0; k <= aim.halvings; k++, part /= 2) {
		const double longer = f->oscillator ? step[f->n] : 0;
		const bxt_status status = try_part(f, from, part, longer, residual, worst);
		if (status == BXT_ERR_MEMORY)
			return status;
		if (status == BXT_OK && *residual < aim.residual)
			return BXT_OK;
		if (!f->m) /* there is no simulation for that period */
			BXT_TRY(go_back(f, from));
	}
	return BXT_ERR_NEWTON;
}

/* Restores the start and computes its derivatives again. */
static bxt_status linearise_again(bxt_period_search *f, const double *from, int *worst)
{
	double residual;
	BXT_TRY(go_back(f, from));
	BXT_TRY(bxt_period_place(f));
	return bxt_period_linearise(f, &residual, worst);
}

/*
 * One step. First tries whole steps, leaving out more and more directions until one reduces the
 * residual to a quarter, then shorter steps.
 */
static bxt_status step_once(bxt_period_search *f, double *step, double before, double *from,
			    double *residual, int *worst)
{
	const struct aim aims[] = {{before / 4, 0}, {before, before <= NEARLY ? 0 : MOST_HALVINGS}};
	const int cuts = f->dense ? CUTS : 1;
	bxt_status status = BXT_ERR_NEWTON;
	bool moved = false;
	for (int k = 0; k < 2 * cuts && status == BXT_ERR_NEWTON; k++) {
		if (moved) /* the matrix at the restored start */
			BXT_TRY(linearise_again(f, from, worst));
		BXT_TRY(f->dense ? find_dense_step(f, CONSERVED[k % cuts], step)
				 : find_sparse_step(f, step, *worst, before));
		limit(f, step);
		moved = true;
		status = move_state(f, step, aims[k / cuts], from, residual, worst);
	}
	return status;
}

bxt_status bxt_periodic_find(bxt_period_search *f, int *iterations, double *residual)
{
	const size_t size = (size_t)f->m->s->size;
	double *step = BXT_NEW(f->arena, double, (size_t)f->n + 2);
	double *from = BXT_NEW(f->arena, double, 4 * size + 1);
	int worst;
	if (!step || !from)
		return BXT_ERR_MEMORY;
	*iterations = 0;
	BXT_TRY(bxt_period_linearise(f, residual, &worst));
	while (*residual > RETURNED) {
		const double before = *residual;
		const int culprit = worst;
		if (*iterations == MOST_ITERATIONS)
			return report_failure(f, worst, *residual,
					      "after 40 steps of Newton's method");
		bxt_status status = step_once(f, step, before, from, residual, &worst);
		if (status == BXT_ERR_NEWTON && before <= NEARLY) {
			*residual = before;
			return go_back(f, from); /* its derivatives are as good */
		}
		if (status == BXT_ERR_NEWTON)
			return report_failure(f, culprit, before,
					      "no shorter step of Newton's method helps");
		BXT_TRY(status);
		(*iterations)++;
	}
	return BXT_OK;
}
