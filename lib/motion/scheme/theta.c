/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The direct map: R_d(x, v) = (x - theta v, x + (1 - theta) v) on T*Q, for q and p alike
 * (Barbero-Linan et al., sections 4 and 5; Examples 5.2, 5.6),
 *
 *     x_{k+1} = x_k + h f(x_k + theta (x_{k+1} - x_k)) ,
 *
 * which is collocation with one stage, a = c = theta, b = 1, massless momenta pinned as in the
 * other collocation schemes. Symplectic for theta = 1/2 only (section 7). The cotangent lift, the
 * rule theta of dirac+, is symplectic for every theta. theta = 1 is the implicit Euler method,
 * theta = 0 the explicit one: then
 *
 *     P(q_k, V) = p_k ,   p_{k+1} = P + h F ,   massless: h D - h F - K(l) = 0 ,
 *
 * where l may act on massless rows alone. Coordinates on a manifold move by its own R_d
 * (methods/charts.c). With projection both ends of the map are projected on the constraints
 * (methods/projected_ends.h).
 */
#include "motion/scheme/scheme.h"

#include <string.h>

static void explicit_stage(bxt_stages *out)
{
	*out = (bxt_stages){
		.s = 1,
		.b = {1},
		.momentum = {{1}},
		.of_momentum = {1},
		.end = {1},
		.end_force = 1,
	};
}

static void theta_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	const double theta = settings->theta;
	(void)mixture;
	if (theta == 0) {
		explicit_stage(out);
		return;
	}
	const bxt_tableau t = {.s = 1,
			       .a = {{theta}},
			       .b = {1},
			       .c = {theta},
			       .w = {{1 / theta}},
			       .d = {1 / theta}};
	bxt_stages_collocation(&t, false, out);
	if (settings->project_ends) /* its impulses are those at q_k (methods/projected_ends.h) */
		out->impulses = 0;
}

void bxt_theta_read(const char *text, bxt_place place, bxt_diagnostics *d, bxt_settings *settings)
{
	double value = 0.5;
	if (text && (!*text || bxt_read_number(text, strlen(text), &value) != strlen(text) ||
		     !(value >= 0 && value <= 1))) {
		bxt_error(d, place, "theta '%s' is not a number from 0 to 1", text);
		value = 0.5;
	}
	settings->theta = value;
	for (int i = 0; bxt_rules[i].name; i++)
		if (bxt_rules[i].family == BXT_THETA)
			settings->theta_rule = bxt_rules[i];
	settings->theta_rule.theta = value;
}

const bxt_scheme bxt_scheme_theta = {
	.name = "theta",
	.doc = "the discretisation map with theta on T*Q and on manifolds: order 2 at theta = 1/2, "
	       "else 1",
	.order = 1,
	.takes = BXT_TAKES_THETA | BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_PROJECTED_ENDS, BXT_METHOD_CHARTS, BXT_METHOD_SINGLE_STAGE},
	.stages = theta_stages,
};
