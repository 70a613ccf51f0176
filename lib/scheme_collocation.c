/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collocation on the differential-algebraic equations, massless momenta pinned. One Gauss stage:
 * with p' eliminated by (h/2) p' = P - p_k the rows are
 *
 *     2 (P - p_k) - h F - K(l) = 0      with mass
 *     h D         - h F - K(l) = 0      massless: the differentiated primary constraint, free of p
 *     C = 0                             all at q_k + h v / 2, t_k + h / 2
 *
 * then q_{k+1} = q_k + h v and p_{k+1} = p_k + h p' = 2 P - p_k.
 */
#include "scheme.h"

static void gauss1_stage(const bxt_settings *settings, double h, bxt_stage *out)
{
	(void)settings;
	*out = (bxt_stage){
		.theta = 0.5,
		.theta_rows = 0.5,
		.weights.of = {{[BXT_P] = 2, [BXT_F] = -h, [BXT_K] = -1, [BXT_C] = 1},
			       {[BXT_D] = h, [BXT_F] = -h, [BXT_K] = -1, [BXT_C] = 1}},
		.of_momentum = 2,
	};
}

/* p of pinned coordinates is never carried: it stays 0, as P has no weight on their rows. */
static void gauss1_advance(bxt_stepper *stepper, bxt_state *state, double h)
{
	static const bxt_weights twice = {{{[BXT_P] = 2}, {0}}};
	const int n = stepper->system->n;
	double *restrict q = state->q, *restrict p = state->p;
	const double *restrict v = stepper->x;
	for (int i = 0; i < n; i++) {
		q[i] += h * v[i];
		p[i] = -p[i];
	}
	bxt_evaluate(stepper->evaluator, BXT_FORM_MOMENTUM,
		     (bxt_point){stepper->q_stage, stepper->x, stepper->evaluator->time[0]}, &twice,
		     p, NULL);
	p[stepper->system->spare] = 0;
}

const bxt_scheme bxt_scheme_gauss1 = {
	.name = "gauss1",
	.doc = "midpoint collocation, pinned: order 2, symmetric, symplectic where that is defined",
	.order = 2,
	.stage_values_mean = true,
	.stage = gauss1_stage,
	.advance = gauss1_advance,
};
