/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The midpoint rule with discrete gradients (the idea: Gonzalez, J. Nonlinear Sci. 6, 1996; the
 * gradients are divided differences, not his quotient): in every step stored energy grows by the
 * energy supplied less dissipated, to round-off, for any potential and any discrete gradient
 * (settings.gradient). The equations are in methods/discrete_gradient.c and
 * element/discrete_gradient.h. Other modules treat it as gauss1: the tapes shared with gauss1 are
 * evaluated in the middle of the step. There is no projection: velocity constraints hold in the
 * middle of the step, positions at the grid points.
 */
#include "motion/scheme/scheme.h"

static void gradient_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	bxt_tableau t;
	(void)settings;
	(void)mixture;
	bxt_tableau_gauss(1, &t);
	bxt_stages_collocation(&t, true, out);
}

const bxt_scheme bxt_scheme_gradient = {
	.name = "discrete-gradient",
	.doc = "midpoint rule with discrete gradients, pinned: balances energy exactly",
	.exact_energy = true,
	.takes = BXT_TAKES_GRADIENT | BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_DISCRETE_GRADIENT, BXT_METHOD_SINGLE_STAGE},
	.stages = gradient_stages,
};
