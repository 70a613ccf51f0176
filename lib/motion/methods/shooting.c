/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Steps of dirac+ and dirac- with L_d along Taylor's polynomial (Parks, 2.3.3), of systems
 * without rows whose inertia is regular. From (q_0, v_0) the equations of motion give y_2, y_3 ...
 * (system/jet.h), and with y_0 = q_0, y_1 = v_0
 *
 *     Q(t) = sum_{m<=s} y_m t^m/m! ,   V = dQ/dt ,
 *     L_d(q_0, q_1) = h sum_i b_i L(Q_i, V_i) ,   f^-, f^+ = h sum_i b_i f_i dQ_i/d(q_0, q_1) ,
 *
 * v_0 being the one that reaches q_1 = Q(h). With the one-form on (q_0, v_0)
 *
 *     theta = h sum_i b_i (F_i dQ_i + P_i dV_i) - eta dQ(h)  =  theta_q dq_0 + theta_v dv_0
 *
 * (F with the forces) the discrete equations p_0 = -D1 L_d - f^-, p_1 = D2 L_d + f^+ are
 *
 *     theta_v = 0 ,   theta_q = -p_0 ,   eta = p_1 ,
 *
 * one product with the transposed Jacobian of the polynomial, by adjoints. All equations are
 * divided by h, with p_1 = p_0 + h g, so that round-off does not exceed that of p. dirac+ finds v_0
 * and g from q_0 and p_0; dirac- finds v_0 and w = (q_1 - q_0)/h from q_1 and p_1. With dP/dv in
 * place of the whole matrix the iteration contracts by O(h^2), or O(h) with damping; Anderson's
 * acceleration makes it superlinear.
 */
#include "ground/solver/anderson.h"
#include "model/system/jet.h"
#include "motion/methods/runge_kutta.h"

#include <float.h>
#include <math.h>
#include <string.h>

typedef struct bxt_shooting {
	bxt_runge_kutta flows_of; /* a state */
	bxt_jet *rates;
	int degree;
	bool backward;
	double start;                     /* [s] of L_d's interval, whatever the direction */
	double *y[BXT_MAX_DEGREE + 1];    /* (size) q_0 and v_0 in the stepper's own arrays */
	double *bar[BXT_MAX_DEGREE + 1];  /* (size) theta / h by y_m */
	double *lambda[BXT_MAX_DEGREE];   /* (size) [1 ... degree - 1] adjoint of y_{m+1} */
	double *flows[BXT_MAX_POINTS];    /* (size) V_i */
	double *rate;                     /* (size) g, or w */
	double *force, *momentum;         /* (size) b_i F_i and b_i P_i of a point */
	double *force_abs, *momentum_abs; /* (size) the sums of their terms over all points */
	double *unit;                     /* (size) square root of the inertia of each coordinate */
	double *update, *step;         /* (2n) in these units, of v and rate; and as accelerated */
	double *size;                  /* (n) in these units: what cancels in the rows */
	double *q_end, *p_end, *v_end; /* (size) of the step */
	bxt_anderson accelerator;
} bxt_shooting;

/* ---- Making ---- */

static bxt_status make_arrays(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
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
	for (int i = 0; i < st->stages.points->r; i++)
		failed |= !(own->flows[i] = BXT_NEW(st->arena, double, size));
	failed |= !(own->update = BXT_NEW(st->arena, double, 2 * (size_t)st->system->n));
	failed |= !(own->step = BXT_NEW(st->arena, double, 2 * (size_t)st->system->n));
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}

static bool is_shooting(const bxt_settings *settings)
{
	return settings->scheme->uses_rule && settings->rule->taylor;
}

static bxt_status create(bxt_stepper *st, const bxt_state *state, bool *mine)
{
	(void)state;
	*mine = is_shooting(st->settings);
	if (!*mine)
		return BXT_OK;
	BXT_TRY(bxt_runge_kutta_new(st, sizeof(bxt_shooting)));
	bxt_shooting *own = st->own;
	own->degree = st->mixture.rule[0]->degree;
	own->backward = st->settings->scheme->backward;
	BXT_TRY(make_arrays(st));
	BXT_TRY(bxt_anderson_init(&own->accelerator, st->arena, 2 * st->system->n));
	return bxt_jet_new(st->arena, st->system, own->degree, &own->rates);
}

static void release(void *own)
{
	bxt_shooting *shooting = own;
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
	const bxt_shooting *own = st->own;
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
	bxt_shooting *own = st->own;
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

/* b_i F_i and b_i P_i of point i; forces may have weights of their own. False: the point has no
 * weight. */
static bool evaluate_point(bxt_stepper *st, int i, double t)
{
	bxt_shooting *own = st->own;
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
		bxt_evaluate_apart(e, BXT_SET_DYNAMICS, at, &w,
				   &(bxt_residual){own->force, own->force_abs, own->momentum,
						   own->momentum_abs});
	if (more != 0)
		bxt_evaluate(e, BXT_SET_EXTERNAL, at, &only_forces, own->force, own->force_abs);
	return true;
}

/* bar_m = sum_i b_i (F_i t_i^m/m! + P_i t_i^{m-1}/(m-1)!) */
static void integrate(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
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
	bxt_shooting *own = st->own;
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

/* Finds units in which momenta and flows of all coordinates are comparable, by the energy p v of
 * each. */
static void find_units(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
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
	bxt_shooting *own = st->own;
	const double h = fabs(st->h);
	for (int i = 0; i < st->system->n; i++)
		own->y[0][i] = st->state->q[i] - h * own->rate[i];
}

/* dv and dg, or dw, from the two rows, and the size of the terms that cancel in them. */
static bxt_status find_update(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
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
	bxt_shooting *own = st->own;
	const bxt_system *s = st->system;
	if (own->backward)
		start_of_backward(st);
	if (!own->flows_of.constant)
		BXT_TRY(bxt_stepper_factor_here(st));
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
	bxt_shooting *own = st->own;
	const int n = st->system->n;
	const double h = fabs(st->h);
	bxt_anderson_step(&own->accelerator, own->update, own->step);
	for (int i = 0; i < n; i++) {
		st->x[i] += own->step[i] / own->unit[i];
		own->rate[i] += own->backward ? own->step[n + i] / own->unit[i]
					      : own->step[n + i] * own->unit[i] / h;
	}
}

/* Sizes of updates relative to the terms that cancel in the row. DONE: the iteration has converged.
 * SMALL: an update that does not shrink is round-off, after it has failed to shrink this number of
 * times. */
static const double DONE = 8 * DBL_EPSILON, SMALL = 1e-9;
enum { MAX_ITERATIONS = 60, STALLED = 2 };

/* Sets the rows for the step failure and the sum of squares; returns whether each update is below
 * DONE. */
static bool judge(bxt_stepper *st, double *update, double *size)
{
	const bxt_shooting *own = st->own;
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
	bxt_shooting *own = st->own;
	double update, size, best = INFINITY;
	bool done = false;
	int stalled = 0;
	bxt_anderson_begin(&own->accelerator);
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		BXT_TRY(iterate(st, k == 0));
		st->newton.last_iterations++;
		const bool now = judge(st, &update, &size);
		if (!isfinite(update) || !isfinite(size))
			return BXT_ERR_NOT_FINITE;
		/* one more update after convergence, because remaining errors accumulate over many
		 * steps */
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

/* Computes the state at the other end; v_end are flows at the grid point to which the step
 * leads. */
static void find_end(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
	const bxt_state *state = st->state;
	const int n = st->system->n;
	const double h = fabs(st->h);
	mean_flow(st, own->q_end);
	for (int i = 0; i < n; i++) {
		/* includes the correction of the last iteration: p_1 = p_0 + h (g + bar_0) */
		const double g = own->backward ? own->bar[0][i] : own->rate[i] + own->bar[0][i];
		own->q_end[i] = state->q[i] + st->h * own->q_end[i];
		own->p_end[i] = state->p[i] + st->h * g;
	}
	memset(own->v_end, 0, (size_t)st->system->size * sizeof *own->v_end);
	expand(own, n, 1, 1, own->backward ? 0 : h, own->v_end);
}

static bxt_status solve(bxt_stepper *st)
{
	bxt_shooting *own = st->own;
	bxt_newton *newton = &st->newton;
	const size_t n = (size_t)st->system->n;
	const double start = bxt_watch_now(&newton->watch);
	own->start = own->backward ? st->t + st->h : st->t;
	own->y[0] = st->q_stage[0];
	own->y[1] = st->x;
	memcpy(st->x, st->state->x, (size_t)st->system->size * sizeof *st->x);
	const bxt_newton before = *newton;
	bxt_status status = bxt_runge_kutta_flows(st); /* v_0 is close to that of p_0 */
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

static void advance(bxt_stepper *st, bxt_state *state, double t_next)
{
	const bxt_shooting *own = st->own;
	const size_t bytes = (size_t)st->system->n * sizeof *state->q;
	(void)t_next;
	memcpy(state->q, own->q_end, bytes);
	memcpy(state->p, own->p_end, bytes);
	memcpy(st->x, own->v_end, bytes);
}

/* ---- The row ---- */

static void quadrature(bxt_stepper *st, bxt_quadrature_list *list)
{
	const bxt_shooting *own = st->own;
	bxt_quadrature_stages(st, st->q_stage[0], list);
	bxt_quadrature_points(st, own->flows, false, list);
}

/* Reports the x indices first ... end - 1 that are `in` (NULL: all) by name. */
static bool refuse_places(const bxt_system *s, const bxt_settings *settings, int first, int end,
			  const bool *in, const char *why, bxt_diagnostics *d)
{
	enum { MAX_NAMED = 8 };
	bxt_buffer names = {0}, name = {0};
	int n = 0;
	for (int i = first; i < end; i++) {
		if (in && !in[i])
			continue;
		if (n++ < MAX_NAMED)
			bxt_buffer_printf(&names, "%s%s", n > 1 ? ", " : "",
					  bxt_system_x_name(s, i, &name));
	}
	if (n > 0)
		bxt_error(
			d, settings->rule_place,
			"rule '%s' %s (%s%s): use midpoint, galerkin2-gauss2 or the scheme gauss1",
			settings->rule->name, why, names.text ? names.text : "?",
			n > MAX_NAMED ? ", ..." : "");
	bxt_buffer_free(&names);
	bxt_buffer_free(&name);
	return n == 0;
}

/* Shooting requires that accelerations follow from the state: a model without rows and with regular
 * inertia. */
static bxt_status check(const bxt_system *s, const bxt_settings *settings, bxt_diagnostics *d)
{
	bool possible = true;
	if (!is_shooting(settings))
		return BXT_OK;
	if (s->m > 0)
		possible = refuse_places(s, settings, s->n, s->n + s->m, NULL,
					 "shoots along motions that nothing constrains, and there "
					 "are constraint rows",
					 d);
	if (!refuse_places(s, settings, 0, s->n, s->pinned,
			   "shoots with accelerations, which are not defined without inertia", d))
		return BXT_ERR_MODEL;
	if (s->singular.basis.ncol > 0)
		possible = refuse_places(s, settings, 0, s->n, s->singular.coordinate,
					 "shoots with accelerations, which are not defined where "
					 "inertia is singular",
					 d) &&
			   possible;
	return possible ? BXT_OK : BXT_ERR_MODEL;
}

static const char *by_itself(const bxt_settings *settings)
{
	return is_shooting(settings) ? "rule" : NULL;
}

static void move(bxt_stepper *st, const double *x)
{
	(void)st;
	(void)x;
}

const bxt_step_method bxt_method_shooting = {
	.name = "Taylor shooting",
	.doc = "the flow whose Taylor polynomial ends where it must: models with inertia and "
	       "without "
	       "constraints",
	.create = create,
	.begin = bxt_runge_kutta_begin,
	.move = move,
	.residual = bxt_runge_kutta_residual,
	.jacobian = bxt_runge_kutta_jacobian,
	.right_side = bxt_runge_kutta_right_side,
	.solve = solve,
	.advance = advance,
	.quadrature = quadrature,
	.check = check,
	.free = release,
	.by_itself = by_itself,
	.failed = "shooting finds no flow that ends where it must",
	.reason = "the step is too large for Taylor's polynomial",
};
