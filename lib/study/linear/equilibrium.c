/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether the point is an equilibrium, that is, whether all quantities that the coefficients
 * depend on are constant. Momenta have the rates F + K - dP/dq v there, coordinates their flows.
 */
#include "study/linear/linear.h"

#include <math.h>
#include <string.h>

/*
 * Rate of a momentum, relative to the largest force of its unit, up to which it is a residual of
 * the operating point. With a larger value slow motions pass as equilibria.
 */
static const double AT_REST = 1e-5;

/* The largest size of terms of each unit, (n_quantities). */
static void largest_terms(const bxt_system *s, const double *terms, double *most)
{
	memset(most, 0, (size_t)s->n_quantities * sizeof *most);
	for (int i = 0; i < s->n; i++)
		most[s->quantity[i]] = fmax(most[s->quantity[i]], terms[i]);
}

/* The unknown that changes most: its x index, -1: none changes. */
static int find_moving(const bxt_linear *l, const double *rate, const double *terms,
		       const double *most)
{
	const bxt_system *s = l->s;
	const bxt_sparse *p = &s->pattern;
	const double step = l->simulation->settings.step;
	double worst = AT_REST;
	int found = -1;
	for (int i = 0; i < s->n; i++) {
		const double by = fmax(most[s->quantity[i]], terms[i]);
		if (!s->pinned[i] && fabs(rate[i]) > worst * by) {
			worst = fabs(rate[i]) / by;
			found = i;
		}
	}
	for (int j = 0; j < s->n && found < 0; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && l->z_of_q[j] >= 0; k++) {
			const int i = p->rowind[k];
			const double by = i < s->n ? most[s->quantity[i]] : 0;
			if (i < s->spare && fabs(l->by_q[k] * l->x[j]) * step > AT_REST * by)
				found = j;
		}
	return found;
}

bxt_status bxt_linear_check_equilibrium(const bxt_linear *l, bxt_diagnostics *d)
{
	static const bxt_weights force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	static const bxt_weights impulse = {{{[BXT_K] = 1}, {[BXT_K] = 1}}};
	static const bxt_weights by_q = {{{[BXT_PQ] = 1}, {0}}};
	const bxt_system *s = l->s;
	const bxt_sparse *p = &s->pattern;
	double *rate = BXT_NEW(l->arena, double, (size_t)s->size + BXT_LANES);
	double *terms = BXT_NEW(l->arena, double, (size_t)s->size + BXT_LANES);
	double *most = BXT_NEW(l->arena, double, (size_t)s->n_quantities);
	double *slopes = BXT_NEW(l->arena, double, (size_t)bxt_sparse_nnz(p) + 1);
	bxt_buffer name = {0};
	bool vary = !s->affine; /* otherwise the coefficients are constant */
	if (!vary)
		BXT_TRY(bxt_linear_inputs_vary(l, &vary));
	if (!vary)
		return BXT_OK;
	if (s->net->n_delays > 0 && l->delays.under_way >= 0) {
		const bxt_element *e =
			&s->net->elements[s->net->delays[l->delays.under_way].element];
		bxt_warning(d, e->place,
			    "the start is no equilibrium, what is under way in '%s' is not what "
			    "enters it: the model is linearised with the coefficients of that "
			    "moment; start=\"operating-point\" finds one",
			    bxt_network_path(s->net, e->primitive, e->id, &name));
		const bool lost = name.failed;
		bxt_buffer_free(&name);
		return lost ? BXT_ERR_MEMORY : BXT_OK;
	}
	if (!rate || !terms || !most || !slopes)
		return BXT_ERR_MEMORY;
	bxt_evaluate(l->e, BXT_SET_DYNAMICS, l->at, &force, rate, terms);
	bxt_evaluate(l->e, BXT_SET_CONSTRAINT, l->at, &impulse, rate, terms);
	bxt_assemble(l->e, l->at, &by_q, slopes);
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			rate[p->rowind[k]] -= slopes[k] * l->x[j];
			/* the slopes of an expression show terms that cancel in its value */
			terms[p->rowind[k]] += fabs(l->by_x[k] * l->x[j]);
		}
	largest_terms(s, terms, most);
	const int moving = find_moving(l, rate, terms, most);
	if (moving >= 0)
		bxt_warning(d, bxt_system_x_place(s, moving),
			    "the start is no equilibrium, '%s' moves: the model is linearised with "
			    "the coefficients of that moment; start=\"operating-point\" finds one",
			    bxt_system_x_name(s, moving, &name));
	const bool failed = name.failed;
	bxt_buffer_free(&name);
	return failed ? BXT_ERR_MEMORY : BXT_OK;
}
