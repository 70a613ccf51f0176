/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The (+)-discrete Dirac structure (Leok & Ohsawa (4.14); Parks, chapter 3), unknowns q_{k+1} and
 * mu_k = -l:
 *
 *     p_k = -D1 L_d - f^- + A^T mu ,   A (q_{k+1} - q_k) = h b ,   p_{k+1} = D2 L_d + f^+
 *
 * For a rule with shares minus and plus (discrete.h) this is P - p_k - minus h F - K(l) = 0 and
 * p_{k+1} = P + plus h F, momenta of massless coordinates being carried like the others. Momenta
 * are pre-impulse: the centred value is p_k - A^T mu_k / 2.
 */
#include "scheme.h"

#include <string.h>

static void dirac_plus_stage(const bxt_settings *settings, double h, bxt_stage *out)
{
	const bxt_rule *rule = settings->rule;
	*out = (bxt_stage){
		.theta = rule->theta,
		.theta_rows = settings->base_constraint ? 0 : 0.5,
		.of_momentum = 1,
	};
	for (int role = 0; role < 2; role++) {
		double *w = out->weights.of[role];
		w[BXT_P] = 1;
		w[BXT_F] = -rule->minus * h;
		w[BXT_K] = -1;
		w[BXT_C] = 1;
	}
}

static void dirac_plus_advance(bxt_stepper *stepper, bxt_state *state, double h)
{
	const bxt_system *s = stepper->system;
	const double share = stepper->settings->rule->plus * h;
	const bxt_weights w = {{{[BXT_P] = 1, [BXT_F] = share}, {[BXT_P] = 1, [BXT_F] = share}}};
	memset(state->p, 0, (size_t)s->size * sizeof *state->p);
	bxt_evaluate(stepper->evaluator, BXT_FORM_DYNAMICS,
		     (bxt_point){stepper->q_stage, stepper->x, stepper->evaluator->time[0]}, &w,
		     state->p, NULL);
	state->p[s->spare] = 0;
	for (int i = 0; i < s->n; i++)
		state->q[i] += h * stepper->x[i];
}

const bxt_scheme bxt_scheme_dirac_plus = {
	.name = "dirac+",
	.doc = "the (+)-discrete Dirac scheme of the papers, with a rule and a place of the "
	       "constraint",
	.carries_momenta = true,
	.uses_rule = true,
	.stage = dirac_plus_stage,
	.advance = dirac_plus_advance,
};
