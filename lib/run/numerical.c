/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/numerical.h"

#include <string.h>

struct bxt_numerical {
	const bxt_system *system;
	double gained;             /* [J] sum of h b_i E'(t_i) so far */
	double *p[BXT_MAX_STAGES]; /* (size) momenta of the stages */
	double *f;                 /* (size) D - F + f */
	bool *has_term; /* (size) the momentum is that of a <momentum> term: no energy has it */
};

bxt_status bxt_numerical_new(const bxt_system *s, const bxt_settings *settings, bxt_arena *arena,
			     bxt_numerical **out)
{
	const bxt_scheme *scheme = settings->scheme;
	const size_t size = (size_t)s->size + BXT_LANES;
	*out = NULL;
	if (scheme != &bxt_scheme_radau2 && scheme != &bxt_scheme_radau3)
		return BXT_OK;
	bxt_numerical *n = BXT_NEW(arena, bxt_numerical, 1);
	if (!n || !(n->f = BXT_NEW(arena, double, size)))
		return BXT_ERR_MEMORY;
	for (int i = 0; i < BXT_MAX_STAGES; i++)
		if (!(n->p[i] = BXT_NEW(arena, double, size)))
			return BXT_ERR_MEMORY;
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

/* E' at a stage. */
static double rate_at(bxt_numerical *n, bxt_evaluator *e, const bxt_quadrature_entry *at,
		      const double *const *p, const double *w, int stages)
{
	static const bxt_weights inner = {{{[BXT_F] = -1}, {[BXT_D] = 1, [BXT_F] = -1}}};
	static const bxt_weights outer = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = n->system;
	const bxt_point point = {at->q, at->x, at->t};
	double sum = 0;
	memset(n->f, 0, (size_t)s->size * sizeof *n->f);
	bxt_evaluate(e, BXT_SET_DYNAMICS, point, &inner, n->f, NULL);
	bxt_evaluate(e, BXT_SET_EXTERNAL, point, &outer, n->f, NULL);
	for (int c = 0; c < s->n; c++) {
		double rate = n->f[c];
		for (int j = 0; j <= stages && !s->pinned[c] && !n->has_term[c]; j++)
			rate += w[j] * p[j][c];
		sum += at->x[c] * rate;
	}
	return sum;
}

void bxt_numerical_step(bxt_numerical *n, bxt_evaluator *e, const bxt_quadrature_list *list)
{
	static const bxt_weights momenta = {{{[BXT_P] = 1}, {0}}};
	const double *p[BXT_MAX_STAGES + 1] = {list->p_start};
	double t[BXT_MAX_STAGES + 1] = {list->t}, w[BXT_MAX_STAGES + 1];
	int stages = 0;
	for (; stages < list->n && list->entry[stages].kind == BXT_ENTRY_STAGE; stages++) {
		const bxt_quadrature_entry *at = &list->entry[stages];
		double *to = n->p[stages];
		memset(to, 0, (size_t)n->system->size * sizeof *to);
		bxt_evaluator_set_time(e, at->t);
		bxt_evaluate(e, BXT_SET_MOMENTUM, (bxt_point){at->q, at->x, at->t}, &momenta, to,
			     NULL);
		p[stages + 1] = to;
		t[stages + 1] = at->t;
	}
	for (int i = 0; i < stages; i++) {
		const bxt_quadrature_entry *at = &list->entry[i];
		bxt_evaluator_set_time(e, at->t);
		derivative_at(t, stages, i + 1, w);
		n->gained += at->weight * rate_at(n, e, at, p, w, stages);
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
