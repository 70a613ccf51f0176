/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The (+)-discrete Dirac structure (Leok & Ohsawa (4.14); Parks, chapter 3), unknowns q_{k+1} and
 * mu_k = -l:
 *
 *     p_k = -D1 L_d - f^- + A^T mu ,   A (q_{k+1} - q_k) = h b ,   p_{k+1} = D2 L_d + f^+
 *
 * A rule with one point c gives P - p_k - (1 - c) h F - K(l) = 0 and p_{k+1} = P + c h F; for
 * others see discrete_lagrangian.h. Momenta of massless coordinates are carried too. Momenta are
 * pre-impulse: the centred value is p_k - A^T mu_k / 2. A^T mu is always evaluated at q_k; only
 * the constraint may be evaluated in the middle of the step.
 *
 * Its adjoint, the (-)-structure, solves p_{k+1} = D2 L_d + f^+ + A(q_{k+1})^T mu for q_k and gives
 * p_k = -D1 L_d - f^-: with v = (q_new - q_old)/h', h' = -h, it has the same form with c
 * measured from the other end. It steps backward in time.
 */
#include "motion/scheme/scheme.h"

#include <string.h>

/* One flow and one point: the form without points. */
static void single(const bxt_discretization *d, bool base, bxt_stages *out)
{
	*out = (bxt_stages){
		.s = 1,
		.a = {{d->c[0]}},
		.b = {1},
		.c = {d->c[0]},
		.rows = base ? 0 : 0.5,
		.momentum = {{1}},
		.of_momentum = {1},
		.force = d->force[0][0],
		.carried = true,
		.end = {1},
		.end_force = d->c[0],
	};
}

/* Forces at the start by one rule, at the end by the other, at the same points. */
static void join_ends(const bxt_discretization *start, const bxt_discretization *end,
		      bxt_mixture *m)
{
	bxt_discretization *forces = &m->forces;
	*forces = *start;
	for (int i = 0; i < forces->r; i++) {
		m->forces_end[i] = end->b[i] * end->c[i];
		if (start != end) /* along a straight line: one flow */
			forces->b[i] = start->force[0][i] + m->forces_end[i];
	}
}

/* If forces have their own rule: adds its points and the difference of its weights from those of L.
 * A mirrored rule begins with f^+. */
static void with_forces(bool mirrored, bxt_mixture *m)
{
	const bxt_rule *rules[BXT_MAX_RULES + 2];
	bxt_discretization all[BXT_MAX_RULES + 2];
	const int n = m->n - m->has_written, own = m->force_rule_plus ? 2 : 1;
	memcpy(rules, m->rule, (size_t)n * sizeof *rules);
	rules[n] = rules[n + own - 1] = m->force_rule;
	if (own == 2)
		rules[mirrored ? n : n + 1] = m->force_rule_plus;
	bxt_rules_discretize(rules, n + own, mirrored, all);
	memcpy(m->of, all, (size_t)n * sizeof *m->of);
	join_ends(&all[n], &all[n + own - 1], m);
	for (int k = 0; k < n; k++) {
		bxt_discretization *more = &m->more[k];
		*more = m->forces;
		memset(more->momentum, 0, sizeof more->momentum);
		for (int i = 0; i < more->r; i++) {
			m->more_end[k][i] = m->forces_end[i] - m->of[k].b[i] * m->of[k].c[i];
			more->b[i] -= m->of[k].b[i];
			for (int j = 0; j < more->s; j++)
				more->force[j][i] -= m->of[k].force[j][i];
		}
	}
	m->more[n] = (bxt_discretization){0}; /* for written discrete Lagrangians */
}

static void dirac(const bxt_settings *settings, bool mirrored, bxt_mixture *m, bxt_stages *out)
{
	const bxt_discretization *d = m->of;
	if (m->force_rule)
		with_forces(mirrored, m);
	else
		bxt_rules_discretize(m->rule, m->n - m->has_written, mirrored, m->of);
	if (m->has_written) { /* the same points with zero weights */
		bxt_discretization *none = &m->of[m->n - 1];
		*none = *d;
		memset(none->b, 0, sizeof none->b);
		memset(none->momentum, 0, sizeof none->momentum);
		memset(none->force, 0, sizeof none->force);
	}
	if (m->rule[0]->taylor) { /* one stage, at the start of L_d (methods/shooting.c) */
		*out = (bxt_stages){.s = 1,
				    .b = {1},
				    .c = {mirrored ? 1 : 0},
				    .carried = true,
				    .points = d,
				    .mixture = m->force_rule ? m : NULL};
		return;
	}
	if (m->n == 1 && d->s == 1 && d->r == 1 && !m->force_rule) {
		single(d, settings->base_constraint, out);
		return;
	}
	*out = (bxt_stages){.s = d->s,
			    .rows = settings->base_constraint ? 0 : 0.5,
			    .carried = true,
			    .points = d,
			    .mixture = m->n > 1 || m->force_rule ? m : NULL};
	for (int i = 0; i < d->s; i++) {
		out->b[i] = d->weight[i];
		out->c[i] = d->node[i];
		out->of_momentum[i] = 1;
		for (int j = 0; j < d->s; j++)
			out->a[i][j] = d->node_a[i][j];
	}
}

static void dirac_plus_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	dirac(settings, false, mixture, out);
}

static void dirac_minus_stages(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out)
{
	dirac(settings, true, mixture, out);
}

const bxt_scheme bxt_scheme_dirac_plus = {
	.name = "dirac+",
	.doc = "the (+)-discrete Dirac scheme of the papers, with a rule and a place of the "
	       "constraint",
	.carries_momenta = true,
	.uses_rule = true,
	.takes = BXT_TAKES_RULE | BXT_TAKES_PLACES | BXT_TAKES_THETA,
	.method = {BXT_METHOD_SHOOTING, BXT_METHOD_RECTANGLE_BORDER, BXT_METHOD_BLOCKS,
		   BXT_METHOD_SINGLE_STAGE},
	.stages = dirac_plus_stages,
};

const bxt_scheme bxt_scheme_dirac_minus = {
	.name = "dirac-",
	.doc = "the (-)-discrete Dirac scheme, the adjoint of dirac+: steps backward in time",
	.carries_momenta = true,
	.uses_rule = true,
	.backward = true,
	.takes = BXT_TAKES_RULE | BXT_TAKES_PLACES | BXT_TAKES_THETA,
	.method = {BXT_METHOD_SHOOTING, BXT_METHOD_RECTANGLE_BORDER, BXT_METHOD_BLOCKS,
		   BXT_METHOD_SINGLE_STAGE},
	.stages = dirac_minus_stages,
};
