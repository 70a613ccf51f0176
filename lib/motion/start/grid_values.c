/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/start/grid_values_internal.h"

#include "ground/solver/subspace.h"
#include "model/system/quantities.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 50, STALLED = 8, MAX_HALVINGS = 12 };

/*
 * Changes relative to the largest unknown of the same unit. Newton's method converges
 * quadratically, so that the change after one of SMALL is round-off. The damped search ends at
 * NEAR. A change that no longer shrinks is round-off up to STUCK; beyond, the iteration has failed.
 */
static const double SMALL = BXT_GRID_SMALL, NEAR = 1e-3, STUCK = BXT_GRID_STUCK;
/* Relative round-off of a solve. An affine system is solved once more after a larger change. */
static const double ROUND_OFF = 64 * DBL_EPSILON;
/* Reciprocal condition of a matrix above which each solve gains at least half of the digits, so
 * that two solves suffice. */
static const double HALF_OF_DIGITS = 1e-8;
/* Assumed relative error of a state; few runs are more accurate. */
static const double STATE_ERROR = 1e-6;

const bxt_border_def bxt_border_momenta = {
	.weights = {[BXT_OF_Z] = {{{[BXT_PV] = 1, [BXT_KL] = -1, [BXT_CV] = 1}, {[BXT_KL] = -1}}}},
	.identity = true};

/* ---- Making ---- */

static bxt_status make_by_quantity(bxt_grid_values *g)
{
	const size_t n = (size_t)g->system->n_quantities;
	g->largest = BXT_NEW(g->arena, double, n);
	g->change = BXT_NEW(g->arena, double, n);
	g->noise = BXT_NEW(g->arena, double, n);
	return g->largest && g->change && g->noise ? BXT_OK : BXT_ERR_MEMORY;
}

static bxt_status make(bxt_grid_values *g)
{
	const bxt_system *s = g->system;
	const size_t size = (size_t)s->size + BXT_LANES;
	double **const wide[] = {&g->x, &g->trial, &g->r, &g->dx, &g->r_abs, &g->found, &g->off};
	double **const narrow[] = {&g->q,       &g->p,    &g->f,      &g->g,
				   &g->impulse, &g->move, &g->before, &g->hidden};
	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
		if (!(*wide[i] = BXT_NEW(g->arena, double, 2 * size)))
			return BXT_ERR_MEMORY;
	for (size_t i = 0; i < sizeof narrow / sizeof *narrow; i++)
		if (!(*narrow[i] = BXT_NEW(g->arena, double, size)))
			return BXT_ERR_MEMORY;
	g->slopes = BXT_NEW(g->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	g->out = BXT_NEW(g->arena, bool, size);
	g->read = BXT_NEW(g->arena, bool, size);
	g->blurred = BXT_NEW(g->arena, bool, size);
	g->e = bxt_evaluator_new(s);
	if (!g->slopes || !g->out || !g->read || !g->blurred || !g->e)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->n_groups; i++)
		g->reads_time = g->reads_time ||
				s->groups[i].type->set[BXT_SET_DYNAMICS_BY_TIME].n > 0 ||
				s->groups[i].type->set[BXT_SET_CONSTRAINT_BY_TIME].n > 0;
	BXT_TRY(bxt_time_rates_new(g->arena, s, &g->rates));
	return make_by_quantity(g);
}

/* Marks rows whose multiplier a signal reads. These also contain the flow of the signal's copy,
 * which would absorb moves that belong to coordinates. */
static void find_read_rows(bxt_grid_values *g)
{
	const bxt_system *s = g->system;
	const bxt_network *net = s->net;
	for (size_t e = 0; e < net->n_elements; e++) {
		const bxt_net_row *reads = net->elements[e].reads;
		for (int i = s->n; i < s->spare && reads; i++) {
			const bxt_row_info *row = &s->dirac.row[s->row_of_x[i - s->n]];
			g->read[i] = g->read[i] ||
				     (row->family == reads->family && row->owner == reads->owner &&
				      row->local == reads->local);
		}
	}
}

bxt_status bxt_grid_values_new(const bxt_system *s, double step, bool carried,
			       bxt_grid_values **out)
{
	bxt_grid_values *g = *out = calloc(1, sizeof *g);
	if (!g)
		return BXT_ERR_MEMORY;
	g->system = s;
	g->step = g->last_step = fabs(step);
	g->carried = carried;
	g->arena = bxt_arena_new();
	const bxt_status status = g->arena ? make(g) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		find_read_rows(g);
	else
		*out = bxt_grid_values_free(g);
	return status;
}

bxt_grid_values *bxt_grid_values_free(bxt_grid_values *g)
{
	if (g) {
		bxt_time_rates_release(g->rates);
		bxt_bordered_free(g->values);
		bxt_bordered_free(g->momenta);
		bxt_evaluator_free(g->e);
		bxt_arena_free(g->arena);
		free(g);
	}
	return NULL;
}

void bxt_grid_values_leave_out(bxt_grid_values *g, const bool *out)
{
	const size_t bytes = (size_t)g->system->size * sizeof *out;
	if (memcmp(g->out, out, bytes) == 0)
		return;
	memcpy(g->out, out, bytes);
	g->values = bxt_bordered_free(g->values);
	g->momenta = bxt_bordered_free(g->momenta);
	bxt_grid_forget(g);
}

/* ---- G with u ---- */

/* r -= (dF/dv u_v + A^T u_lambda)_I at q, z */
static void subtract_impulses(bxt_grid_values *g, bxt_point at, const double *u, double *r)
{
	static const bxt_weights impulse = {{{[BXT_K] = -1}, {0}}};
	static const bxt_weights force = {{{[BXT_FV] = -1}, {0}}};
	const bxt_bordered *b = g->values;
	const bxt_system *s = g->system;
	memset(g->f, 0, (size_t)s->size * sizeof *g->f);
	memset(g->impulse, 0, (size_t)s->size * sizeof *g->impulse);
	for (int k = 0; k < b->n_u; k++)
		g->impulse[b->x_of_u[k]] = u[k];
	bxt_evaluate(g->e, BXT_SET_CONSTRAINT, (bxt_point){at.q, g->impulse, at.t}, &impulse, g->f,
		     NULL);
	if (b->force_on_mass) {
		bxt_assemble(g->e, at, &force, g->slopes);
		for (int k = 0; k < b->n_u; k++) {
			const int j = b->x_of_u[k];
			for (int i = s->pattern.colptr[j]; i < s->pattern.colptr[j + 1] && j < s->n;
			     i++)
				g->f[s->pattern.rowind[i]] += g->slopes[i] * u[k];
		}
	}
	for (int i = 0; i < s->n; i++)
		if (!s->pinned[i] && b->instead[i] < 0)
			r[i] += g->f[i];
}

/* Sets the point at which G is evaluated: q + u_v. */
static void displace(bxt_grid_values *g, const double *q, const double *x)
{
	const bxt_bordered *b = g->values;
	memcpy(g->q, q, (size_t)g->system->size * sizeof *q);
	for (int k = 0; k < b->n_u; k++)
		if (b->x_of_u[k] < g->system->n)
			g->q[b->x_of_u[k]] += x[g->system->size + k];
	g->q[g->system->spare] = 0;
}

static void residual_of_values(bxt_grid_search *a, const double *x, double *r)
{
	bxt_grid_values *g = a->g;
	const bxt_bordered *b = a->b;
	const bxt_system *s = g->system;
	displace(g, a->q, x);
	const bxt_point at = {g->q, x, a->t};
	bxt_grid_evaluate(g, g->e, at, r, g->r_abs);
	for (int i = 0; i < s->n; i++)
		if (!s->pinned[i] && b->instead[i] < 0) {
			r[i] -= a->p[i];
			g->r_abs[i] += fabs(a->p[i]);
		}
	if (b->n_u > 0)
		subtract_impulses(g, at, x + s->size, r);
	memset(r + s->size, 0, (size_t)b->n_u * sizeof *r);
	bxt_bordered_multiply(b, x + s->size, r);
}

static void residual_of_momenta(bxt_grid_search *a, const double *x, double *r)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	static const bxt_weights rows = {{{[BXT_C] = 1, [BXT_K] = -1}, {[BXT_K] = -1}}};
	const bxt_system *s = a->g->system;
	const bxt_bordered *b = a->b;
	const bxt_point at = {a->q, x, a->t};
	double *r_abs = a->g->r_abs;
	memset(r, 0, (size_t)b->size * sizeof *r);
	memset(r_abs, 0, (size_t)b->size * sizeof *r);
	bxt_evaluate(a->g->e, BXT_SET_MOMENTUM, at, &momentum, r, r_abs);
	bxt_evaluate(a->g->e, BXT_SET_CONSTRAINT, at, &rows, r, r_abs);
	for (int i = 0; i < s->n; i++) {
		r[i] -= a->p[i];
		r_abs[i] += fabs(a->p[i]);
	}
	for (int i = 0; i < s->size; i++)
		if (i == s->spare || a->g->out[i])
			r[i] = 0;
	bxt_bordered_multiply(b, x + s->size, r);
	for (int k = 0; k < b->n_u; k++)
		r[b->x_of_u[k]] += x[s->size + k];
}

/* ---- The search ---- */

/*
 * Estimates the effect of round-off of the terms of G on flows and multipliers by unit, J^-1 (eps
 * |terms|) with random signs, because values of a unit that are all round-off never converge. With
 * of_units, |J| |largest| with the largest value of each unit replaces the terms: values that
 * vanish by symmetry, such as the velocity of a point on an axis, have no terms except the errors
 * of others. Flows are at least as large as those that a step cannot resolve in coordinates,
 * because at rest all flows may be round-off.
 */
static bxt_status find_noise(bxt_grid_values *g, const bxt_bordered *b, const double *q,
			     bool of_units)
{
	const bxt_system *s = g->system;
	/* set again at each point, because the terms of exp far away from the solution are not
	 * representative */
	memset(g->noise, 0, (size_t)s->n_quantities * sizeof *g->noise);
	memset(g->trial, 0, (size_t)b->size * sizeof *g->trial);
	for (int i = 0; i < s->spare; i++)
		g->trial[i] = g->r_abs[i];
	for (int i = 0; i < s->n && of_units; i++) {
		double *largest = &g->largest[s->quantity[i]];
		*largest = fmax(*largest, fabs(q[i]) / g->last_step);
	}
	for (int j = 0; j < s->spare && of_units; j++)
		for (int k = b->pattern.colptr[j]; k < b->pattern.colptr[j + 1]; k++)
			if (b->pattern.rowind[k] < s->spare)
				g->trial[b->pattern.rowind[k]] +=
					fabs(b->pattern.values[k]) * g->largest[s->quantity[j]];
	BXT_TRY(bxt_grid_spread_noise(g, b));
	for (int i = 0; i < s->spare; i++) {
		double *noise = &g->noise[s->quantity[i]];
		*noise = fmax(*noise, fabs(g->trial[i]));
	}
	return BXT_OK;
}

/* |r|^2 with rows divided by their largest slope. */
static double misfit(const bxt_bordered *b, const double *r, double *scale)
{
	double sum = 0;
	memset(scale, 0, (size_t)b->size * sizeof *scale);
	for (int k = 0; k < bxt_sparse_nnz(&b->pattern); k++)
		scale[b->pattern.rowind[k]] =
			fmax(scale[b->pattern.rowind[k]], fabs(b->pattern.values[k]));
	for (int i = 0; i < b->size; i++)
		if (scale[i] > 0)
			sum += (r[i] / scale[i]) * (r[i] / scale[i]);
	return sum;
}

/*
 * x -= part dx, with the largest part that reduces the misfit. If no part does, or if the misfit is
 * round-off of its terms, the full step is taken. If the misfit is not finite, as exp can be far
 * away, the step is halved until it is finite.
 */
static bxt_status descend(bxt_grid_search *a, double *x, const double *dx, double *r)
{
	const double before = misfit(a->b, r, a->g->trial);
	const double terms = ROUND_OFF * ROUND_OFF * misfit(a->b, a->g->r_abs, a->g->trial);
	double part = 1;
	for (int k = 0; k <= MAX_HALVINGS && before > terms; part /= 2) {
		for (int i = 0; i < a->b->size; i++)
			x[i] -= part * dx[i];
		a->residual(a, x, r);
		const double now = misfit(a->b, r, a->g->trial);
		if (now < before)
			return BXT_OK;
		for (int i = 0; i < a->b->size; i++)
			x[i] += part * dx[i];
		if (!(part > 0))
			return BXT_ERR_NOT_FINITE;
		k += isfinite(now);
	}
	for (int i = 0; i < a->b->size; i++)
		x[i] -= dx[i];
	return BXT_OK;
}

/*
 * Uses the last factors once more if Newton's method predicts that only round-off remains: after
 * changes c and d the next one is d (d/c)^2, and factors made one step before add a relative error
 * of the same size. *done: the change was made. This is not done if rates with the matrix of the
 * solution follow.
 */
static bxt_status use_again(bxt_grid_search *a, double *x, double before, double last, bool *done)
{
	bxt_grid_values *g = a->g;
	const double ratio = isfinite(before) ? last / before : last;
	*done = false;
	if (g->system->affine || a->b->n_u > 0 || !(last < NEAR) || !(last * ratio * ratio < SMALL))
		return BXT_OK;
	a->residual(a, x, g->r);
	memcpy(g->dx, g->r, (size_t)a->b->size * sizeof *g->dx);
	BXT_TRY(bxt_linsol_solve(a->b->solver, g->dx));
	*done = bxt_grid_change(g, a->b->size, x, g->dx) <= SMALL;
	for (int i = 0; i < a->b->size && *done; i++)
		x[i] -= g->dx[i];
	return BXT_OK;
}

/* One step of Newton's method from x, not the first one if `again`; *change: its relative
 * length. */
static bxt_status improve(bxt_grid_search *a, double *x, bool again, double *change)
{
	bxt_grid_values *g = a->g;
	const int n = a->b->size;
	if (a->b == g->values)
		displace(g, a->q, x);
	const double *q = a->b == g->values ? g->q : a->q;
	const bxt_status status = bxt_bordered_factor(a->b, g->e, (bxt_point){q, x, a->t});
	a->residual(a, x, g->r); /* also for the names of rows */
	BXT_TRY(status);
	memcpy(g->dx, g->r, (size_t)n * sizeof *g->dx);
	BXT_TRY(bxt_linsol_solve(a->b->solver, g->dx));
	*change = bxt_grid_change(g, n, x, g->dx);
	if (!g->system->affine && again && *change > SMALL) {
		BXT_TRY(bxt_grid_refine(g, a->b, g->r, g->dx));
		BXT_TRY(find_noise(g, a->b, a->q, false));
		*change = bxt_grid_change(g, n, x, g->dx);
	}
	if (isnan(*change))
		return BXT_ERR_NOT_FINITE;
	if (g->system->affine || *change < NEAR)
		for (int i = 0; i < n; i++)
			x[i] -= g->dx[i];
	else
		return descend(a, x, g->dx, g->r);
	return BXT_OK;
}

/* Is the last change, which no longer shrinks, round-off of the largest values of the same
 * units? */
static bxt_status is_of_units(bxt_grid_search *a, const double *x, bool *is)
{
	bxt_grid_values *g = a->g;
	BXT_TRY(find_noise(g, a->b, a->q, true));
	*is = bxt_grid_change(g, a->b->size, x, g->dx) <= SMALL;
	return BXT_OK;
}

/* Would one more solve leave only round-off? */
static bool is_sound(const bxt_grid_search *a)
{
	return a->polished && a->b->n_u == 0 && bxt_linsol_rcond(a->b->solver) >= HALF_OF_DIGITS;
}

static bxt_status solve(bxt_grid_search *a, double *x)
{
	double before = INFINITY, last = INFINITY, change;
	memset(a->g->noise, 0, (size_t)a->g->system->n_quantities * sizeof *a->g->noise);
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		bool settled = false;
		BXT_TRY(use_again(a, x, before, last, &settled));
		if (settled)
			return BXT_OK;
		BXT_TRY(improve(a, x, k > 0, &change));
		if (a->g->system->affine && (k == 1 || change <= ROUND_OFF || is_sound(a)))
			return BXT_OK;
		if (!a->g->system->affine &&
		    (change <= SMALL || (change <= STUCK && change >= last / 2)))
			return BXT_OK;
		if (k >= STALLED && change >= last / 2 && !a->g->system->affine)
			BXT_TRY(is_of_units(a, x, &settled));
		if (settled)
			return BXT_OK;
		before = last;
		last = change;
	}
	return BXT_ERR_NEWTON;
}

/* The guess, u = 0. */
static void begin(bxt_grid_search *a, const double *guess)
{
	const bxt_grid_values *g = a->g;
	const size_t size = (size_t)g->system->size;
	memcpy(g->x, guess, size * sizeof *g->x);
	memset(g->x + size, 0, (size_t)a->b->n_u * sizeof *g->x);
	g->x[g->system->spare] = 0;
	for (int i = 0; i < g->system->spare; i++)
		if (g->out[i])
			g->x[i] = 0;
}

/*
 * The same, with further attempts. If the matrix is singular: with null vectors of the present
 * point, then from a guess that is not at rest. If the iteration fails from the guess, as far up an
 * exponential: from rest.
 */
static bxt_status search(bxt_grid_search *a, bxt_bordered **b, const bxt_border_def *def,
			 const double *guess)
{
	enum { AS_BEFORE, LAID_OUT_HERE, DISTURBED, FROM_REST, TRIES };
	bxt_grid_values *g = a->g;
	bxt_status status = BXT_OK;
	bxt_evaluator_set_time(g->e, a->t);
	bxt_grid_lead lead = BXT_GRID_ASTRAY;
	a->b = *b;
	if (a->b && g->track && !g->system->affine) {
		begin(a, guess);
		lead = bxt_grid_follow(a);
		a->followed = lead == BXT_GRID_THERE;
		if (a->followed)
			return BXT_OK;
	}
	for (int k = *b ? AS_BEFORE : LAID_OUT_HERE; k < TRIES; k++) {
		if (k == LAID_OUT_HERE) {
			*b = bxt_bordered_free(*b);
			BXT_TRY(bxt_bordered_new(g->e, (bxt_point){a->q, guess, a->t}, def, g->out,
						 b));
		}
		a->b = *b;
		a->b->here = k >= LAID_OUT_HERE;
		if (k != AS_BEFORE || lead == BXT_GRID_ASTRAY)
			begin(a, guess);
		if (k == DISTURBED)
			bxt_grid_disturb(g);
		if (k == FROM_REST)
			memset(g->x, 0, (size_t)a->b->size * sizeof *g->x);
		status = solve(a, g->x);
		if (status == BXT_OK || !bxt_status_is_recoverable(status))
			return status;
		if (status != BXT_ERR_SINGULAR)
			k = k < DISTURBED ? DISTURBED : k; /* from rest next */
	}
	return status;
}

/* ---- Public functions ---- */

bxt_status bxt_grid_values_momenta(bxt_grid_values *g, const double *q, const double *p, double t,
				   double *v, double *p_out)
{
	static const bxt_weights with_mass = {{{[BXT_P] = 1}, {0}}};
	const bxt_system *s = g->system;
	bxt_grid_search a = {.g = g, .q = q, .p = p, .t = t, .residual = residual_of_momenta};
	memcpy(g->trial, v, (size_t)s->n * sizeof *v);
	memset(g->trial + s->n, 0, (size_t)(s->m + 1) * sizeof *v);
	memcpy(g->f, g->trial, (size_t)s->size * sizeof *g->f);
	BXT_TRY(search(&a, &g->momenta, &bxt_border_momenta, g->f));
	memcpy(v, g->x, (size_t)s->n * sizeof *v);
	for (int i = 0; i < s->size; i++)
		p_out[i] = i < s->n && !s->pinned[i] ? 0 : p[i];
	bxt_evaluate(g->e, BXT_SET_MOMENTUM, (bxt_point){q, g->x, t}, &with_mass, p_out, NULL);
	p_out[s->spare] = 0;
	return BXT_OK;
}

/* Removes the round-off of the last solve and of the parts along the null space from G. */
static bxt_status polish(bxt_grid_search *a)
{
	bxt_grid_values *g = a->g;
	a->residual(a, g->x, g->r);
	BXT_TRY(bxt_linsol_solve(a->b->solver, g->r));
	for (int i = 0; i < a->b->size; i++)
		g->x[i] -= g->r[i];
	return BXT_OK;
}

/* The solution of G from the guess x, in g->x; g->q is q + u_v. *a is the search; the caller sets
 * its `polished`. */
static bxt_status find(bxt_grid_values *g, const double *q, const double *p, double t,
		       const double *x, bxt_grid_search *a)
{
	const bxt_system *s = g->system;
	*a = (bxt_grid_search){.g = g,
			       .q = q,
			       .p = p,
			       .t = t,
			       .polished = a->polished,
			       .residual = residual_of_values};
	if (g->carried) {
		memcpy(g->move, x, (size_t)s->size * sizeof *x);
		BXT_TRY(bxt_grid_values_momenta(g, q, p, t, g->move, g->p));
		a->p = g->p;
	}
	BXT_TRY(search(a, &g->values, &bxt_grid_of_values, x));
	displace(g, q, g->x);
	for (int i = 0; i < s->n; i++)
		g->move[i] = g->q[i] - q[i];
	return BXT_OK;
}

/*
 * Adds a relative error to the state: to each coordinate relative to itself or to its move in a
 * step, to each momentum relative to itself or to its inertia times flows. All errors have one
 * sign, so that neither they nor the marks depend on the order of unknowns.
 */
static void add_error(const bxt_grid_values *g, const bxt_grid_search *a, const double *within,
		      double *q, double *p)
{
	const bxt_system *s = g->system;
	const bxt_sparse *m = &g->values->pattern;
	for (int i = 0; i < s->size; i++) {
		const double flow = i < s->n ? within[s->quantity[i]] : 0;
		double inertia = 0;
		for (int k = m->colptr[i]; k < m->colptr[i + 1]; k++)
			inertia = m->rowind[k] == i ? fabs(m->values[k]) : inertia;
		q[i] = a->q[i] + STATE_ERROR * fmax(fabs(a->q[i]), g->last_step * flow);
		p[i] = a->p[i] + STATE_ERROR * fmax(fabs(a->p[i]), inertia * flow);
	}
	q[s->spare] = p[s->spare] = 0;
}

/*
 * Sets g->trial to the change of flows and multipliers by an error of the state, including the
 * parts along the null space, which follow from rates at either state. g->found are the values that
 * the search found; g->x is changed.
 */
static bxt_status find_blur(bxt_grid_values *g, const bxt_grid_search *a, const double *within)
{
	const size_t bytes = (size_t)g->system->size * sizeof *g->x;
	bxt_grid_search off = *a;
	add_error(g, a, within, g->before, g->g);
	off.q = g->before;
	off.p = g->g;
	residual_of_values(&off, g->x, g->r);
	memcpy(g->found, g->x, (size_t)a->b->size * sizeof *g->x);
	BXT_TRY(bxt_linsol_solve(a->b->solver, g->r));
	memcpy(g->off, g->r, (size_t)a->b->size * sizeof *g->off);
	displace(g, a->q, g->x);
	BXT_TRY(bxt_grid_add_hidden(g, a->t));
	memcpy(g->hidden, g->x, bytes);
	for (int i = 0; i < a->b->size; i++)
		g->x[i] = g->found[i] - g->off[i];
	displace(g, off.q, g->x);
	BXT_TRY(bxt_bordered_factor(g->values, g->e, (bxt_point){g->q, g->x, a->t}));
	BXT_TRY(bxt_grid_add_hidden(g, a->t));
	for (int i = 0; i < g->system->size; i++)
		g->trial[i] = g->x[i] - g->hidden[i];
	return BXT_OK;
}

/*
 * Marks values that an error of the state would change by more than the largest value within the
 * steps, and relatively by more than the error of the state. Smaller changes may be round-off of
 * the solves.
 */
static bxt_status mark_blurred(bxt_grid_values *g, const bxt_grid_search *a, const double *guess,
			       const double *within)
{
	const bxt_system *s = g->system;
	bool unusual = false;
	g->n_blurred = 0;
	for (int i = 0; i < s->spare && within; i++)
		unusual = unusual ||
			  fabs(g->x[i] - guess[i]) > BXT_GRID_USUAL * within[s->quantity[i]];
	if (!unusual)
		return BXT_OK;
	if (a->followed)
		BXT_TRY(bxt_bordered_factor(g->values, g->e, (bxt_point){g->q, g->x, a->t}));
	const bxt_status status = find_blur(g, a, within);
	if (status != BXT_OK && !bxt_status_is_recoverable(status))
		return status;
	memcpy(g->x, g->found, (size_t)a->b->size * sizeof *g->x);
	displace(g, a->q, g->x);
	for (int i = 0; i < s->spare && status == BXT_OK; i++) {
		const double most = fmax(within[s->quantity[i]],
					 STATE_ERROR * fmax(fabs(g->x[i]), fabs(g->hidden[i])));
		g->blurred[i] = !(fabs(g->trial[i]) <= most);
		g->n_blurred += g->blurred[i];
	}
	return bxt_bordered_factor(g->values, g->e, (bxt_point){g->q, g->x, a->t});
}

/* Replaces marked values by the guess. */
static void replace_blurred(bxt_grid_values *g, const double *guess)
{
	for (int i = 0; i < g->system->spare && g->n_blurred > 0; i++)
		if (g->blurred[i])
			g->x[i] = guess[i];
}

bxt_status bxt_grid_values_find(bxt_grid_values *g, const double *q, const double *p, double t,
				const double *within, double *x)
{
	bxt_grid_search a = {.polished = true};
	BXT_TRY(find(g, q, p, t, x, &a));
	BXT_TRY(mark_blurred(g, &a, x, within));
	if (g->n_blurred > 0 && g->system->affine && is_sound(&a))
		BXT_TRY(polish(&a));
	replace_blurred(g, x);
	BXT_TRY(bxt_grid_find_hidden(g, t));
	if (g->n_blurred == 0) {
		BXT_TRY(polish(&a));
		bxt_grid_remember(g, t);
	} else {
		bxt_grid_forget(g);
	}
	replace_blurred(g, x);
	memcpy(x, g->x, (size_t)g->system->size * sizeof *x);
	return BXT_OK;
}

/* Adds the slopes of the last search to the sizes of terms: a law counts as one term even if its
 * parts cancel, and its slopes show their size. */
static void add_slopes(bxt_grid_values *g)
{
	const bxt_sparse *j = &g->values->pattern;
	for (int c = 0; c < g->system->spare; c++)
		for (int k = j->colptr[c]; k < j->colptr[c + 1]; k++)
			g->r_abs[j->rowind[k]] += fabs(j->values[k] * g->x[c]);
}

bool bxt_grid_values_hold(bxt_grid_values *g, const double *q, const double *p, double t,
			  const double *x)
{
	const bxt_system *s = g->system;
	const bxt_bordered *b = g->values;
	bxt_grid_search a = {.g = g, .b = g->values, .q = q, .p = p, .t = t};
	if (!b || g->carried)
		return false;
	bxt_evaluator_set_time(g->e, t);
	begin(&a, x);
	residual_of_values(&a, g->x, g->r);
	add_slopes(g);
	for (int i = 0; i < s->spare; i++)
		if (!(g->out[i] || fabs(g->r[i]) <= SMALL * g->r_abs[i]))
			return false;
	return true;
}

bxt_status bxt_grid_values_close(bxt_grid_values *g, double *q, double *p, double t, double *x)
{
	static const bxt_weights force = {{{[BXT_FV] = 1}, {0}}};
	const bxt_system *s = g->system;
	bxt_grid_search a = {.polished = false};
	BXT_TRY(find(g, q, p, t, x, &a));
	if (g->values->force_on_mass) {
		bxt_assemble(g->e, (bxt_point){g->q, g->x, t}, &force, g->slopes);
		for (int j = 0; j < s->n; j++)
			for (int k = s->pattern.colptr[j]; k < s->pattern.colptr[j + 1]; k++)
				if (s->pattern.rowind[k] < s->n)
					p[s->pattern.rowind[k]] += g->slopes[k] * g->move[j];
	}
	memcpy(q, g->q, (size_t)s->n * sizeof *q);
	memcpy(x, g->x, (size_t)s->size * sizeof *x);
	return BXT_OK;
}

bxt_status bxt_grid_values_nudge(bxt_grid_values *g, double *q, const double *p, double t,
				 const double *x, double *round_off)
{
	const int size = g->system->size;
	bxt_grid_search a = {.g = g, .q = q, .p = p, .t = t};
	bxt_evaluator_set_time(g->e, t);
	if (!g->values)
		BXT_TRY(bxt_bordered_new(g->e, (bxt_point){q, x, t}, &bxt_grid_of_values, g->out,
					 &g->values));
	const bxt_bordered *b = a.b = g->values;
	begin(&a, x);
	BXT_TRY(bxt_bordered_factor(a.b, g->e, (bxt_point){q, g->x, t}));
	residual_of_values(&a, g->x, g->r);
	add_slopes(g);
	memset(g->trial, 0, (size_t)b->size * sizeof *g->trial);
	memcpy(g->trial, g->r_abs, (size_t)size * sizeof *g->trial);
	BXT_TRY(bxt_linsol_solve(b->solver, g->r));
	BXT_TRY(bxt_grid_spread_noise(g, b));
	for (int k = 0; k < b->n_u; k++) {
		if (b->x_of_u[k] >= g->system->n)
			continue;
		q[b->x_of_u[k]] -= g->r[size + k];
		round_off[b->x_of_u[k]] = BXT_GRID_NOISE * fabs(g->trial[size + k]);
	}
	return BXT_OK;
}

bxt_status bxt_grid_values_project(bxt_grid_values *g, double *q, double *p, double t, double *x,
				   int *takes_part)
{
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {0}}};
	const bxt_system *s = g->system;
	BXT_TRY(bxt_grid_values_close(g, q, p, t, x));
	const bxt_bordered *b = g->values;
	for (int i = s->n; i < s->size; i++)
		x[i] = 0;
	for (int k = 0; k < b->n_u; k++) {
		if (b->x_of_u[k] < s->n)
			continue;
		x[b->x_of_u[k]] = g->x[s->size + k];
		takes_part[b->x_of_u[k]] = k;
	}
	bxt_evaluate(g->e, BXT_SET_CONSTRAINT, (bxt_point){q, x, t}, &impulse, p, NULL);
	p[s->spare] = 0;
	return BXT_OK;
}
