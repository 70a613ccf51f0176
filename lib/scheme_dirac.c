/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The (+)-discrete Dirac structure (Leok & Ohsawa (4.14); Parks, chapter 3), unknowns q_{k+1} and
 * mu_k = -l:
 *
 *     p_k = -D1 L_d - f^- + A^T mu ,   A (q_{k+1} - q_k) = h b ,   p_{k+1} = D2 L_d + f^+
 *
 * For a rule with shares minus and plus (discrete.h) this is P - p_k - minus h F - K(l) = 0 and
 * p_{k+1} = P + plus h F, momenta of massless coordinates being carried like the others. Momenta
 * are pre-impulse: the centred value is p_k - A^T mu_k / 2. A^T mu is taken at q_k always; only the
 * constraint may be taken in the middle of the step.
 *
 * Its adjoint, the (-)-structure, solves p_{k+1} = D2 L_d + f^+ + A(q_{k+1})^T mu for q_k and gives
 * p_k = -D1 L_d - f^-: with v = (q_new - q_old)/h', h' = -h, it has the same form, the shares
 * exchanged and theta seen from the other end. It steps backward in time.
 */
#include "scheme.h"

static void dirac(double theta, double solve, double end, bool base, bxt_stages *out)
{
	*out = (bxt_stages){
		.s = 1,
		.a = {{theta}},
		.b = {1},
		.c = {theta},
		.rows = base ? 0 : 0.5,
		.momentum = {{1}},
		.of_momentum = {1},
		.force = solve,
		.carried = true,
		.end = {1},
		.end_force = end,
	};
}

static void dirac_plus_stages(const bxt_settings *settings, bxt_stages *out)
{
	const bxt_rule *rule = settings->rule;
	dirac(rule->theta, rule->minus, rule->plus, settings->base_constraint, out);
}

static void dirac_minus_stages(const bxt_settings *settings, bxt_stages *out)
{
	const bxt_rule *rule = settings->rule;
	dirac(1 - rule->theta, rule->plus, rule->minus, settings->base_constraint, out);
}

const bxt_scheme bxt_scheme_dirac_plus = {
	.name = "dirac+",
	.doc = "the (+)-discrete Dirac scheme of the papers, with a rule and a place of the "
	       "constraint",
	.carries_momenta = true,
	.uses_rule = true,
	.stages = dirac_plus_stages,
};

const bxt_scheme bxt_scheme_dirac_minus = {
	.name = "dirac-",
	.doc = "the (-)-discrete Dirac scheme, the adjoint of dirac+: steps backward in time",
	.carries_momenta = true,
	.uses_rule = true,
	.backward = true,
	.stages = dirac_minus_stages,
};
