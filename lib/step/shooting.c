/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step/shooting.h"

#include "step/explicit.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status make_arrays(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const size_t size = (size_t)st->system->size + BXT_LANES;
	double **const arrays[] = {&own->rate,         &own->force, &own->momentum, &own->force_abs,
				   &own->momentum_abs, &own->unit,  &own->size,     &own->q_end,
				   &own->p_end,        &own->v_end};
	bool failed = false;
	for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
		failed |= !(*arrays[i] = BXT_NEW(st->arena, double, size));
	for (int m = 0; m <= own->degree; m++) {
		failed |= !(own->bar[m] = BXT_NEW(st->arena, double, size));
		if (m >= 2)
			failed |= !(own->y[m] = BXT_NEW(st->arena, double, size));
		if (m >= 1 && m < own->degree)
			failed |= !(own->lambda[m] = BXT_NEW(st->arena, double, size));
	}
	for (int i = 0; i < st->stages.points->r; i++) {
		failed |= !(own->flows[i] = BXT_NEW(st->arena, double, size));
		failed |= !(st->q_stage[1 + i] = BXT_NEW(st->arena, double, size));
	}
	failed |= !(own->update = BXT_NEW(st->arena, double, 2 * (size_t)st->system->n));
	failed |= !(own->step = BXT_NEW(st->arena, double, 2 * (size_t)st->system->n));
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

bxt_status bxt_shooting_new(bxt_stepper *st, const bxt_state *state)
{
	bxt_shooting *own = st->shooting = BXT_NEW(st->arena, bxt_shooting, 1);
	if (!own)
		return BXT_ERR_MEMORY;
	own->degree = st->mixture.rule[0]->degree;
	own->backward = st->settings->scheme->backward;
	BXT_TRY(bxt_explicit_new(st, state));
	BXT_TRY(make_arrays(st));
	own->y[0] = st->q_stage[0];
	own->y[1] = st->x;
	BXT_TRY(bxt_anderson_init(&own->accelerator, st->arena, 2 * st->system->n));
	return bxt_jet_new(st->arena, st->system, own->degree, &own->rates);
}

void bxt_shooting_release(bxt_shooting *shooting)
{
	if (shooting)
		bxt_jet_release(shooting->rates);
}

/* ---- The polynomial ---- */

static double factorial(int m)
{
	double product = 1;
	for (int k = 2; k <= m; k++)
		product *= k;
	return product;
}

/* to += sum_{m>=from} y_m t^{m-k}/(m-k)! */
static void expand(const bxt_shooting *own, int n, int from, int k, double t, double *restrict to)
{
	for (int m = from; m <= own->degree; m++) {
		const double w = pow(t, m - k) / factorial(m - k);
		const double *restrict y = own->y[m];
		for (int i = 0; i < n; i++)
			to[i] += w * y[i];
	}
}

/* (Q(h) - q_0)/h, the mean of V */
static void mean_flow(const bxt_stepper *st, double *to)
{
	const bxt_shooting *own = st->shooting;
	const double h = fabs(st->h);
	memset(to, 0, (size_t)st->system->size * sizeof *to);
	for (int m = own->degree; m >= 1; m--) { /* small terms first */
		const double w = pow(h, m - 1) / factorial(m);
		for (int i = 0; i < st->system->n; i++)
			to[i] += w * own->y[m][i];
	}
}

/* y_{m+1} = -M^-1 rest_m, m = 1 ... degree - 1 */
static bxt_status find_rates(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	for (int m = 1; m < own->degree; m++) {
		double *y = own->y[m + 1];
		memset(y, 0, (size_t)s->size * sizeof *y);
		bxt_jet_rest(own->rates, st->evaluator[0], m, own->y, y);
		for (int i = 0; i < s->n; i++)
			y[i] = -y[i];
		BXT_TRY(bxt_linsol_solve(st->solver, y));
	}
	return BXT_OK;
}

/* ---- The one-form ---- */

/* b_i F_i and b_i P_i of point i; forces may have weights of their own. False: it has no weight. */
static bool evaluate_point(bxt_stepper *st, int i, double t)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	const double b = st->stages.points->b[i],
		     more = st->stages.mixture ? st->stages.mixture->more[0].b[i] : 0;
	const bxt_weights w = {{{[BXT_F] = b, [BXT_P] = b}, {0}}},
			  only_forces = {{{[BXT_F] = more}, {0}}};
	const size_t bytes = (size_t)s->size * sizeof(double);
	double *q = st->q_stage[1 + i], *v = own->flows[i];
	bxt_evaluator *e = st->evaluator[1 + i];
	const bxt_point at = {q, v, e->time[0]};
	if (b == 0 && more == 0)
		return false;
	memcpy(q, own->y[0], bytes);
	memset(v, 0, bytes);
	expand(own, s->n, 1, 0, t, q);
	expand(own, s->n, 1, 1, t, v);
	memset(own->force, 0, bytes);
	memset(own->momentum, 0, bytes);
	if (b != 0)
		bxt_evaluate_apart(e, BXT_FORM_DYNAMICS, at, &w, own->force, own->force_abs,
				   own->momentum, own->momentum_abs);
	if (more != 0)
		bxt_evaluate(e, BXT_FORM_EXTERNAL, at, &only_forces, own->force, own->force_abs);
	return true;
}

/* bar_m = sum_i b_i (F_i t_i^m/m! + P_i t_i^{m-1}/(m-1)!) */
static void integrate(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	const size_t bytes = (size_t)s->size * sizeof(double);
	const bxt_discretization *d = st->stages.points;
	for (int m = 0; m <= own->degree; m++)
		memset(own->bar[m], 0, bytes);
	memset(own->force_abs, 0, bytes);
	memset(own->momentum_abs, 0, bytes);
	for (int i = 0; i < d->r; i++) {
		const double t = fabs(st->h) * (own->backward ? 1 - d->c[i] : d->c[i]);
		if (!evaluate_point(st, i, t))
			continue;
		for (int m = 0; m <= own->degree; m++) {
			const double w_q = pow(t, m) / factorial(m),
				     w_v = m > 0 ? pow(t, m - 1) / factorial(m - 1) : 0;
			double *restrict bar = own->bar[m];
			for (int k = 0; k < s->n; k++)
				bar[k] += w_q * own->force[k] + w_v * own->momentum[k];
		}
	}
}

/* - eta . dQ(h), then down to dq_0 and dv_0: bar_0 and bar_1 are theta_q / h and theta_v / h. */
static bxt_status pull_back(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	const double h = fabs(st->h), *restrict p = st->state->p, *restrict g = own->rate;
	for (int m = 1; m <= own->degree; m++) {
		const double w = pow(h, m - 1) / factorial(m);
		for (int i = 0; i < s->n; i++)
			own->bar[m][i] -= w * (own->backward ? p[i] : p[i] + h * g[i]);
	}
	for (int m = own->degree - 1; m >= 1; m--) {
		/* M lambda_m = bar_{m+1}, M being symmetric */
		memcpy(own->lambda[m], own->bar[m + 1], (size_t)s->size * sizeof **own->lambda);
		own->lambda[m][s->spare] = 0;
		BXT_TRY(bxt_linsol_solve(st->solver, own->lambda[m]));
		bxt_jet_adjoint(own->rates, st->evaluator[0], m, own->y, own->lambda, own->bar);
	}
	return BXT_OK;
}

/* ---- The iteration ---- */

/* Units in which momenta and flows of all coordinates compare: the energy p v of each. */
static void find_units(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_sparse *a = &st->pattern;
	for (int j = 0; j < st->system->n; j++) {
		double inertia = 0;
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++)
			if (a->rowind[k] == j)
				inertia = fabs(st->newton.values[k]);
		own->unit[j] = inertia > 0 ? sqrt(inertia) : 1;
	}
}

static void start_of_backward(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const double h = fabs(st->h);
	for (int i = 0; i < st->system->n; i++)
		own->y[0][i] = st->state->q[i] - h * own->rate[i];
}

/* dv and dg, or dw, from the two rows, and the size of what cancels in them. */
static bxt_status find_update(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	const double h = fabs(st->h), *restrict p = st->state->p;
	double *restrict dv = own->update, *restrict other = own->update + s->n,
			 *restrict rhs = own->force;
	if (own->backward)
		mean_flow(st, own->momentum);
	for (int i = 0; i < s->n; i++) {
		other[i] = own->backward ? own->momentum[i] - own->rate[i] : own->bar[0][i];
		rhs[i] = (own->backward ? 0 : h * other[i]) - own->bar[1][i];
		own->size[i] = (own->momentum_abs[i] + fabs(p[i]) + 2 * h * own->force_abs[i]) /
			       own->unit[i];
	}
	rhs[s->spare] = 0;
	BXT_TRY(bxt_linsol_solve(st->solver, rhs));
	for (int i = 0; i < s->n; i++) {
		dv[i] = own->unit[i] * rhs[i];
		other[i] = own->backward ? own->unit[i] * (other[i] + rhs[i])
					 : h * other[i] / own->unit[i];
	}
	return BXT_OK;
}

static bxt_status iterate(bxt_stepper *st, bool first)
{
	bxt_shooting *own = st->shooting;
	const bxt_system *s = st->system;
	if (own->backward)
		start_of_backward(st);
	if (!st->explicit->constant)
		BXT_TRY(bxt_explicit_factor_at(st, st->x));
	if (first)
		find_units(st);
	BXT_TRY(find_rates(st));
	integrate(st);
	if (first && !own->backward)
		memcpy(own->rate, own->bar[0], (size_t)s->n * sizeof *own->rate);
	for (int i = 0; i < s->n && !own->backward; i++)
		own->bar[0][i] -= own->rate[i];
	BXT_TRY(pull_back(st));
	return find_update(st);
}

static void advance_unknowns(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const int n = st->system->n;
	const double h = fabs(st->h);
	bxt_anderson_step(&own->accelerator, own->update, own->step);
	for (int i = 0; i < n; i++) {
		st->x[i] += own->step[i] / own->unit[i];
		own->rate[i] += own->backward ? own->step[n + i] / own->unit[i]
					      : own->step[n + i] * own->unit[i] / h;
	}
}

/* In parts of what cancels in its row: updates that are done, small enough for the last digits to
 * be round-off when they do not shrink, and the number of times that they do not. */
static const double DONE = 8 * DBL_EPSILON, SMALL = 1e-9;
enum { MAX_ITERATIONS = 60, STALLED = 2 };

/* Rows for the blame, the sum of all squares, and is each below DONE? */
static bool judge(bxt_stepper *st, double *update, double *size)
{
	const bxt_shooting *own = st->shooting;
	const int n = st->system->n;
	bool done = true;
	*update = *size = 0;
	for (int i = 0; i < n; i++) {
		const double most = fmax(fabs(own->update[i]), fabs(own->update[n + i]));
		done = done && most <= DONE * own->size[i];
		*update +=
			own->update[i] * own->update[i] + own->update[n + i] * own->update[n + i];
		*size += own->size[i] * own->size[i];
		st->newton.r[i] = most;
		st->newton.r_abs[i] = own->size[i] > 0 ? own->size[i] : 1;
	}
	return done;
}

static bxt_status shoot(bxt_stepper *st)
{
	double update, size, best = INFINITY;
	bool done = false;
	int stalled = 0;
	bxt_anderson_begin(&st->shooting->accelerator);
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		BXT_TRY(iterate(st, k == 0));
		st->newton.last_iterations++;
		const bool now = judge(st, &update, &size);
		if (!isfinite(update) || !isfinite(size))
			return BXT_ERR_NOT_FINITE;
		/* one more when it is done: what is left over by one step adds up over many */
		if (done)
			return BXT_OK;
		done = now;
		stalled = update <= SMALL * SMALL * size && update > best / 4 ? stalled + 1 : 0;
		if (stalled == STALLED)
			return BXT_OK;
		best = fmin(best, update);
		advance_unknowns(st);
	}
	return BXT_ERR_NEWTON;
}

/* The state at the other end; v_end are flows at the grid point that the step goes to. */
static void find_end(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	const bxt_state *state = st->state;
	const int n = st->system->n;
	const double h = fabs(st->h);
	mean_flow(st, own->q_end);
	for (int i = 0; i < n; i++) {
		/* what the last iteration still found is in it: p_1 = p_0 + h (g + bar_0) */
		const double g = own->backward ? own->bar[0][i] : own->rate[i] + own->bar[0][i];
		own->q_end[i] = state->q[i] + st->h * own->q_end[i];
		own->p_end[i] = state->p[i] + st->h * g;
	}
	memset(own->v_end, 0, (size_t)st->system->size * sizeof *own->v_end);
	expand(own, n, 1, 1, own->backward ? 0 : h, own->v_end);
}

bxt_status bxt_shooting_solve(bxt_stepper *st)
{
	bxt_shooting *own = st->shooting;
	bxt_newton *newton = &st->newton;
	const size_t n = (size_t)st->system->n;
	const double start = bxt_watch_now(&newton->watch);
	own->start = own->backward ? st->t + st->h : st->t;
	memcpy(st->x, st->state->x, (size_t)st->system->size * sizeof *st->x);
	const bxt_newton before = *newton;
	bxt_status status = bxt_explicit_flows(st); /* v_0 is close to that of p_0 */
	newton->iterations = before.iterations;
	newton->most_iterations = before.most_iterations;
	newton->last_iterations = 0;
	if (status != BXT_OK)
		return status;
	bxt_jet_set_time(own->rates, own->start);
	memcpy(own->rate, st->x, n * sizeof *own->rate); /* w; g is found in the first iteration */
	status = shoot(st);
	newton->solves++;
	newton->iterations += newton->last_iterations;
	if (newton->last_iterations > newton->most_iterations)
		newton->most_iterations = newton->last_iterations;
	newton->seconds_evaluate += bxt_watch_now(&newton->watch) - start;
	if (status == BXT_OK)
		find_end(st);
	return status;
}

void bxt_shooting_advance(bxt_stepper *st, bxt_state *state)
{
	const bxt_shooting *own = st->shooting;
	const size_t bytes = (size_t)st->system->n * sizeof *state->q;
	memcpy(state->q, own->q_end, bytes);
	memcpy(state->p, own->p_end, bytes);
	memcpy(st->x, own->v_end, bytes);
}
