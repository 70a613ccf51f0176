/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schemes on Lie groups: coordinates on a <manifold> that is a group move along its retraction,
 * without the rows of the embedding; other coordinates are lines. They are variational: symplectic,
 * their energy is bounded, and momentum maps are kept to round-off. The equations are in
 * methods/lie_midpoint.c, methods/lie_galerkin.c and methods/lie_rule.c; on lines they are those of
 * the Gauss schemes and of dirac+ and dirac-.
 */
#include "motion/scheme/scheme.h"

static void rule_stages(const bxt_settings *settings, bool mirrored, bxt_stages *out)
{
	bxt_quadrature q;
	bxt_rule_quadrature(settings->rule, &q);
	*out = (bxt_stages){.s = q.n < BXT_MAX_STAGES ? q.n : BXT_MAX_STAGES};
	for (int j = 0; j < out->s; j++) {
		out->b[j] = q.b[j];
		out->c[j] = mirrored ? 1 - q.c[j] : q.c[j];
	}
}

static void plus_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)mixture;
	rule_stages(settings, false, out);
}

static void minus_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)mixture;
	rule_stages(settings, true, out);
}

static void gauss_stages(int s, bxt_stages *out)
{
	bxt_tableau t;
	bxt_tableau_gauss(s, &t);
	bxt_stages_collocation(&t, false, out);
}

static void one_stage(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss_stages(1, out);
}

static void two_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss_stages(2, out);
}

static void three_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss_stages(3, out);
}

const bxt_scheme bxt_scheme_lie_midpoint = {
	.name = "lie-midpoint",
	.doc = "midpoint rule on rotations, lifted to momenta: order 2, symplectic, models without "
	       "constraints but on manifolds",
	.order = 2,
	.variational = true,
	.method = {BXT_METHOD_LIE_MIDPOINT},
	.stages = one_stage,
};

const bxt_scheme bxt_scheme_lie_gauss2 = {
	.name = "lie-gauss2",
	.doc = "variational Gauss points on rotations: order 4, symplectic, models without "
	       "constraints but on manifolds",
	.order = 4,
	.variational = true,
	.method = {BXT_METHOD_LIE_GALERKIN},
	.stages = two_stages,
};

const bxt_scheme bxt_scheme_lie_gauss3 = {
	.name = "lie-gauss3",
	.doc = "variational Gauss points on rotations: order 6, symplectic, models without "
	       "constraints but on manifolds",
	.order = 6,
	.variational = true,
	.method = {BXT_METHOD_LIE_GALERKIN},
	.stages = three_stages,
};

const bxt_scheme bxt_scheme_lie_dirac_plus = {
	.name = "lie-dirac+",
	.doc = "the (+)-discrete Dirac scheme on rotations, with a retraction and a rule: "
	       "trapezoid is "
	       "the Lie group integrator of Parks, chapter 4",
	.variational = true,
	.uses_rule = true,
	.takes = BXT_TAKES_RULE | BXT_TAKES_THETA,
	.method = {BXT_METHOD_LIE_RULE},
	.stages = plus_stages,
};

const bxt_scheme bxt_scheme_lie_dirac_minus = {
	.name = "lie-dirac-",
	.doc = "the (-)-discrete Dirac scheme on rotations, the adjoint of lie-dirac+: steps "
	       "backward "
	       "in time",
	.variational = true,
	.uses_rule = true,
	.backward = true,
	.takes = BXT_TAKES_RULE | BXT_TAKES_THETA,
	.method = {BXT_METHOD_LIE_RULE},
	.stages = minus_stages,
};
