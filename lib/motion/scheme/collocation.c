/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collocation on the differential-algebraic equations, massless momenta pinned. The derivatives of
 * momenta are eliminated, h P'_i = sum_j w_ij (P_j - p_0), w = a^-1. The rows of stage i are
 *
 *     sum_j w_ij (P_j - p_0) - h F_i - K(l_i) = 0      with mass
 *     h D_i                  - h F_i - K(l_i) = 0      massless: the differentiated primary
 *     C_i = 0                                          constraint, free of p
 *
 * then q_{k+1} = q_k + h sum b_i V_i and p_{k+1} = p_0 + sum_j d_j (P_j - p_0), d = b^T w.
 * Gauss: symmetric, and symplectic where that is defined. Radau IIA: the last stage is at t_{k+1}.
 */
#include "motion/scheme/scheme.h"

#include <math.h>

void bxt_stages_collocation(const bxt_tableau *t, bool symmetric, bxt_stages *out)
{
	*out = (bxt_stages){
		.s = t->s, .rows = t->a[0][0], .impulses = t->a[0][0], .force = 1, .end_start = 1};
	for (int i = 0; i < t->s; i++) {
		for (int j = 0; j < t->s; j++) {
			out->a[i][j] = t->a[i][j];
			out->momentum[i][j] = t->w[i][j];
			out->of_momentum[i] += t->w[i][j];
		}
		out->b[i] = t->b[i];
		out->c[i] = t->c[i];
		out->end[i] = t->d[i];
	}
	if (symmetric) { /* 1 - sum d = (-1)^s */
		out->kick = out->end_start = t->s % 2 ? -1 : 1;
		return;
	}
	for (int j = 0; j < t->s; j++)
		out->end_start -= out->end[j];
}

static void gauss(int s, bxt_stages *out)
{
	bxt_tableau t;
	bxt_tableau_gauss(s, &t);
	bxt_stages_collocation(&t, true, out);
}

static void radau(int s, bxt_stages *out)
{
	bxt_tableau t;
	bxt_tableau_radau(s, &t);
	bxt_stages_collocation(&t, false, out);
}

static void gauss1_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss(1, out);
}

/* Momenta are not projected, because they may jump at contacts. */
static void moreau_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	gauss1_stages(settings, mixture, out);
	out->kick = 0;
}

static void gauss2_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss(2, out);
}

static void gauss3_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	gauss(3, out);
}

static void radau1_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	radau(1, out);
}

static void radau2_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	radau(2, out);
}

static void radau3_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	(void)settings;
	(void)mixture;
	radau(3, out);
}

const bxt_scheme bxt_scheme_gauss1 = {
	.name = "gauss1",
	.doc = "midpoint collocation, pinned: order 2, symmetric, symplectic where that is defined",
	.order = 2,
	.symmetric = true,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = gauss1_stages,
};

const bxt_scheme bxt_scheme_gauss2 = {
	.name = "gauss2",
	.doc = "Gauss collocation with two stages, pinned: order 4, symmetric",
	.order = 4,
	.symmetric = true,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = gauss2_stages,
};

const bxt_scheme bxt_scheme_gauss3 = {
	.name = "gauss3",
	.doc = "Gauss collocation with three stages, pinned: order 6, symmetric",
	.order = 6,
	.symmetric = true,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = gauss3_stages,
};

const bxt_scheme bxt_scheme_moreau = {
	.name = "moreau",
	.doc = "midpoint rule over contacts, impacts and friction, which end no step: order 2, 1 "
	       "over "
	       "impacts",
	.order = 2,
	.captures = true,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_MOREAU, BXT_METHOD_SINGLE_STAGE},
	.stages = moreau_stages,
};

const bxt_scheme bxt_scheme_radau1 = {
	.name = "radau1",
	.doc = "backward Euler, for operating points, jumps and error estimates",
	.order = 1,
	.method = {BXT_METHOD_SINGLE_STAGE},
	.stages = radau1_stages,
};

const bxt_scheme bxt_scheme_capture = {
	.name = "capture",
	.doc = "backward Euler over contacts, to find what holds after an event",
	.order = 1,
	.captures = true,
	.method = {BXT_METHOD_MOREAU, BXT_METHOD_SINGLE_STAGE},
	.stages = radau1_stages,
};

const bxt_scheme bxt_scheme_radau2 = {
	.name = "radau2",
	.doc = "Radau IIA collocation with two stages: order 3, stiffly accurate, for switched "
	       "circuits",
	.order = 3,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = radau2_stages,
};

const bxt_scheme bxt_scheme_radau3 = {
	.name = "radau3",
	.doc = "Radau IIA collocation with three stages: order 5, stiffly accurate",
	.order = 5,
	.takes = BXT_TAKES_PROJECTION,
	.method = {BXT_METHOD_BLOCKS, BXT_METHOD_SINGLE_STAGE},
	.stages = radau3_stages,
};

bool bxt_stages_collocate(const bxt_stages *stages)
{
	const double round_off = 1e-12;
	for (int i = 0; i < stages->s; i++)
		for (int k = 1; k <= stages->s; k++) {
			double sum = 0;
			for (int j = 0; j < stages->s; j++)
				sum += stages->a[i][j] * pow(stages->c[j], k - 1);
			if (fabs(sum - pow(stages->c[i], k) / k) > round_off)
				return false;
		}
	return true;
}
