/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/numerical.h"

#include "motion/scheme/traits.h"

#include <string.h>

struct bxt_numerical {
	const bxt_system *system;
	double gained;             /* [J] sum of h b_i E'(t_i) so far */
	double *p[BXT_MAX_STAGES]; /* (size) momenta of the stages */
	double *f[BXT_MAX_STAGES]; /* (size) D - F + f there */
	bool *has_term; /* (size) the momentum is that of a <momentum> term: no energy has it */
};

bxt_status bxt_numerical_new(const bxt_system *s, const bxt_settings *settings, bxt_arena *arena,
			     bxt_numerical **out)
{
	const size_t size = (size_t)s->size + BXT_LANES;
	*out = NULL;
	if (!bxt_traits(settings).numerical_loss)
		return BXT_OK;
	bxt_numerical *n = BXT_NEW(arena, bxt_numerical, 1);
	if (!n)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < BXT_MAX_STAGES; i++) {
		n->p[i] = BXT_NEW(arena, double, size);
		n->f[i] = BXT_NEW(arena, double, size);
		if (!n->p[i] || !n->f[i])
			return BXT_ERR_MEMORY;
	}
	n->system = s;
	n->has_term = BXT_NEW(arena, bool, (size_t)s->size);
	if (!n->has_term)
		return BXT_ERR_MEMORY;
	for (int g = 0; g < s->n_groups; g++)
		for (int a = 0; a < s->groups[g].type->n_own; a++)
			for (int i = 0; i < s->groups[g].count; i++)
				n->has_term[s->groups[g].at[a][i]] |=
					s->groups[g].type->has_term[a];
	*out = n;
	return BXT_OK;
}

/* Weights of the values at t[0 ... n] in the derivative at t[i] of the polynomial through them. */
static void derivative_at(const double *t, int n, int i, double *w)
{
	w[i] = 0;
	for (int j = 0; j <= n; j++) {
		if (j == i)
			continue;
		w[i] += 1 / (t[i] - t[j]);
		w[j] = 1 / (t[j] - t[i]);
		for (int k = 0; k <= n; k++)
			if (k != i && k != j)
				w[j] *= (t[i] - t[k]) / (t[j] - t[k]);
	}
}

/* Evaluates P and D - (F - f) at the stages. */
static void evaluate_stages(bxt_numerical *n, bxt_together *t, bxt_evaluator *e,
			    const bxt_quadrature_list *list, int stages)
{
	static const bxt_weights inner = {
		{{[BXT_P] = 1, [BXT_F] = -1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	static const bxt_weights outer = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	bxt_evaluator *const same[BXT_MAX_STAGES] = {e, e, e, e};
	const size_t bytes = (size_t)n->system->size * sizeof(double);
	bxt_point at[BXT_MAX_STAGES] = {{0}};
	bxt_residual to[BXT_MAX_STAGES] = {{0}};
	for (int i = 0; i < stages; i++) {
		memset(n->p[i], 0, bytes);
		memset(n->f[i], 0, bytes);
		at[i] = (bxt_point){list->entry[i].q, list->entry[i].x, list->entry[i].t};
		to[i] = (bxt_residual){n->f[i], NULL, n->p[i], NULL};
	}
	bxt_evaluate_together(t, same, stages, BXT_SET_DYNAMICS, at, &inner, to);
	bxt_evaluate_together(t, same, stages, BXT_SET_EXTERNAL, at, &outer, to);
}

/* Returns E' at stage i; w are the weights of momenta in their derivative there. */
static double rate_at(const bxt_numerical *n, const bxt_quadrature_list *list, const double *w,
		      int stages, int i)
{
	const bxt_system *s = n->system;
	const double *x = list->entry[i].x;
	double sum = 0;
	for (int c = 0; c < s->n; c++) {
		double rate = n->f[i][c];
		for (int j = 0; j <= stages && !s->pinned[c] && !n->has_term[c]; j++)
			rate += w[j] * (j == 0 ? list->p_start : n->p[j - 1])[c];
		sum += x[c] * rate;
	}
	return sum;
}

void bxt_numerical_step(bxt_numerical *n, bxt_together *together, bxt_evaluator *e,
			const bxt_quadrature_list *list)
{
	double t[BXT_MAX_STAGES + 1] = {list->t}, w[BXT_MAX_STAGES + 1];
	int stages = 0;
	for (; stages < list->n && list->entry[stages].kind == BXT_ENTRY_STAGE; stages++)
		t[stages + 1] = list->entry[stages].t;
	evaluate_stages(n, together, e, list, stages);
	for (int i = 0; i < stages; i++) {
		derivative_at(t, stages, i + 1, w);
		n->gained += list->entry[i].weight * rate_at(n, list, w, stages, i);
	}
}

void bxt_numerical_gain(bxt_numerical *n, double energy)
{
	n->gained += energy;
}

double bxt_numerical_part(const bxt_numerical *n, const bxt_ledger_entry *total)
{
	return n ? total->residual + total->supplied - total->dissipated - n->gained : 0;
}

void bxt_numerical_keep(bxt_numerical *n, bxt_account *account)
{
	if (n)
		BXT_KEEP(account, n->gained);
}
