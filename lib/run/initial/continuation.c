/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Continuation methods for a pseudo-step whose solution Newton's method does not find from its
 * guess:
 *
 *     r_i(x) + h d (v_i - v_i of before) = 0 ,  d -> 0        damping of massless branches
 *     r_i(x) + h g v_i = 0 ,                    g -> 0        gmin stepping
 *     r(x) = left r(0) ,                        left -> 0     source stepping
 *
 * Each solution is the guess of the next. Source: Nagel, SPICE2 (1975), and ngspice's CKTop.
 */
#include "run/initial/operating_point_internal.h"

#include <math.h>
#include <string.h>

/* First and shortest step along the path from the guess to the solution, whose length is 1. */
static const double FIRST_PART = 0.1, SHORTEST_PART = 1e-6;
/* Conductances, in SI units of force per flow. The first one is increased up to LARGEST_CONDUCTANCE
 * if it is too small. Below LEAST_CONDUCTANCE, a solution counts as one without conductances. */
static const double FIRST_CONDUCTANCE = 1e-2, LARGEST_CONDUCTANCE = 1e6, LEAST_CONDUCTANCE = 1e-15;
/* Conductance that holds nodesets, in SI units of flow per effort: large compared with those of
 * components. */
static const double HOLDING = 1e3;
/* Conductances shrink by the factor DECADE at first, by smaller ones after failures; if
 * LEAST_FACTOR fails as well, the method is given up. */
static const double DECADE = 10, LEAST_FACTOR = 1.0001;

/* r(x) + h d (v - v before) - left r(guess) */
static void damped_residual(void *context, const double *x, double *r, double *r_abs)
{
	const struct bxt_op_search *a = context;
	const bxt_equations *eq = &a->stepper->equations;
	const double w = a->stepper->h * a->damping;
	eq->residual(eq->context, x, r, r_abs);
	for (int k = 0; k < a->n_branches; k++) {
		const int i = a->damped[k];
		r[i] += w * (x[i] - a->from[i]);
		r_abs[i] += w * (fabs(x[i]) + fabs(a->from[i]));
	}
	for (int k = 0; k < a->n_nodesets && a->holds; k++) {
		const int i = a->nodeset[k].x;
		const double effort = x[i] / a->stepper->h;
		r[i] += HOLDING * (effort - a->nodeset[k].effort);
		r_abs[i] += HOLDING * (fabs(effort) + fabs(a->nodeset[k].effort));
	}
	for (int i = 0; i < eq->n && a->left > 0; i++) {
		r[i] -= a->left * a->first_r[i];
		r_abs[i] += a->left * fabs(a->first_r[i]);
	}
}

static void damped_jacobian(void *context, const double *x, double *values)
{
	const struct bxt_op_search *a = context;
	const bxt_equations *eq = &a->stepper->equations;
	eq->jacobian(eq->context, x, values);
	for (int k = 0; k < a->n_branches; k++)
		values[a->damped_slot[k]] += a->stepper->h * a->damping;
	for (int k = 0; k < a->n_nodesets && a->holds; k++)
		values[a->nodeset[k].slot] += HOLDING / a->stepper->h;
}

bxt_status bxt_op_solve_part(struct bxt_op_search *a)
{
	bxt_stepper *st = a->stepper;
	const size_t bytes = (size_t)a->s->size * sizeof *st->x;
	bxt_equations eq = st->equations;
	eq.context = a;
	eq.residual = damped_residual;
	eq.jacobian = damped_jacobian;
	memcpy(st->x, a->reached, bytes);
	const bxt_status status =
		bxt_newton_solve(&st->newton, &eq, st->solver, st->x, &st->culprit);
	if (status == BXT_OK)
		memcpy(a->reached, st->x, bytes);
	return status;
}

bxt_status bxt_op_raise_sources(struct bxt_op_search *a, double *left)
{
	const bxt_equations *eq = &a->stepper->equations;
	double part = FIRST_PART;
	bxt_status status = BXT_OK;
	*left = 1;
	eq->residual(eq->context, a->from, a->first_r, a->stepper->newton.r_abs);
	while (*left > 0 && part >= SHORTEST_PART && status != BXT_ERR_MEMORY) {
		a->left = fmax(*left - part, 0);
		status = bxt_op_solve_part(a);
		if (status == BXT_OK) {
			*left = a->left;
			part *= 2;
		} else {
			part /= 4;
		}
	}
	a->left = 0;
	return status;
}

/* Prepares a step of size h without a guess. */
static bxt_status begin(struct bxt_op_search *a, double h)
{
	const size_t bytes = (size_t)a->s->size * sizeof *a->from;
	if (bxt_stepper_factor(a->stepper, a->state, h) == BXT_ERR_MEMORY)
		return BXT_ERR_MEMORY;
	memset(a->from, 0, bytes);
	memset(a->reached, 0, bytes);
	return BXT_OK;
}

bxt_status bxt_op_by_conductances(struct bxt_op_search *a, double h, double *reached)
{
	double factor = DECADE, g = FIRST_CONDUCTANCE;
	bxt_status status = begin(a, h);
	*reached = INFINITY;
	while (status != BXT_ERR_MEMORY && factor > LEAST_FACTOR && g < LARGEST_CONDUCTANCE) {
		a->damping = g;
		status = bxt_op_solve_part(a);
		if (status == BXT_OK && g == 0) {
			*reached = 0;
			break;
		}
		if (status == BXT_OK) {
			*reached = g;
			factor = fmin(factor * sqrt(factor), DECADE);
		} else if (isfinite(*reached)) {
			factor = sqrt(sqrt(factor));
		}
		if (!isfinite(*reached)) /* the first conductance was too small */
			g *= DECADE;
		else
			g = *reached > LEAST_CONDUCTANCE ? *reached / factor : 0;
	}
	a->damping = 0;
	return g == 0 ? status : BXT_ERR_NEWTON;
}

bxt_status bxt_op_by_sources(struct bxt_op_search *a, double h, double *reached)
{
	double left = 1;
	bxt_status status = begin(a, h);
	a->damping = 0;
	if (status == BXT_OK)
		status = bxt_op_raise_sources(a, &left);
	*reached = 1 - left;
	return status == BXT_ERR_MEMORY || left == 0 ? status : BXT_ERR_NEWTON;
}
