/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schemes on Lie groups: coordinates on a <manifold> that is a group move along its retraction,
 * without the rows of the embedding; other coordinates are lines. They are variational: symplectic,
 * their energy is bounded, and momentum maps are kept to round-off. The equations are in
 * step/lie_midpoint.c and step/lie_galerkin.c; on lines they are those of the Gauss schemes.
 */
#include "scheme/scheme.h"

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
