/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds N = ker dP/dv and pins momenta: p <- p - N (N^T N)^-1 N^T (p - alpha(q)). */
#include "model/system/singular_inertia.h"

#include "ground/base/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool inertia_is_constant(const bxt_system *s)
{
	for (int g = 0; g < s->n_groups; g++) {
		const bxt_output_set *set = &s->groups[g].type->set[BXT_SET_JAC_DYN];
		for (int e = 0; e < set->n; e++)
			if (set->entries[e].term == BXT_PV)
				return false;
	}
	return true;
}

/* Is dP/dv of the coordinates with mass not diagonal, or is a diagonal entry 0? */
static bool is_suspicious(const bxt_system *s, const double *values)
{
	const bxt_sparse *p = &s->pattern;
	for (int j = 0; j < s->n; j++) {
		bool has_mass = s->pinned[j];
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && !s->pinned[j]; k++) {
			if (p->rowind[k] >= s->n || values[k] == 0)
				continue;
			if (p->rowind[k] != j)
				return true;
			has_mass = true;
		}
		if (!has_mass)
			return true;
	}
	return false;
}

/* dP/dv of the coordinates with mass, 1 on the diagonal of the others. */
static bxt_status inertia(bxt_arena *arena, const bxt_system *s, const double *values,
			  bxt_sparse *out)
{
	const bxt_sparse *p = &s->pattern;
	const int nnz = bxt_sparse_nnz(p);
	int n = 0;
	*out = (bxt_sparse){s->n, s->n, BXT_NEW(arena, int, (size_t)s->n + 1),
			    BXT_NEW(arena, int, (size_t)(nnz + s->n)),
			    BXT_NEW(arena, double, (size_t)(nnz + s->n))};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++) {
		if (s->pinned[j]) {
			out->rowind[n] = j;
			out->values[n++] = 1;
		}
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && !s->pinned[j]; k++) {
			if (p->rowind[k] >= s->n || values[k] == 0)
				continue;
			out->rowind[n] = p->rowind[k];
			out->values[n++] = values[k];
		}
		out->colptr[j + 1] = n;
	}
	return BXT_OK;
}

bxt_status bxt_find_singular_inertia(bxt_system *s)
{
	static const bxt_weights mass = {{{[BXT_PV] = 1}, {0}}};
	s->singular.basis = (bxt_sparse){.nrow = s->n};
	s->singular.coordinate = NULL;
	if (!inertia_is_constant(s))
		return BXT_OK;
	bxt_arena *arena = bxt_arena_new();
	bxt_evaluator *e = bxt_evaluator_new(s);
	double *values = calloc((size_t)bxt_sparse_nnz(&s->pattern) + 1, sizeof *values);
	double *rest = calloc((size_t)s->size + BXT_LANES, sizeof *rest);
	bxt_sparse m;
	bool suspicious = false;
	bxt_status status = arena && e && values && rest ? BXT_OK : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		bxt_evaluate_jacobian(e, BXT_SET_JAC_CONST, (bxt_point){rest, rest, 0}, &mass,
				      values);
		suspicious = is_suspicious(s, values);
	}
	if (status == BXT_OK && suspicious)
		status = inertia(arena, s, values, &m);
	if (status == BXT_OK && suspicious)
		status = bxt_sparse_null_space(s->arena, &m, BXT_DEPENDENT, &s->singular.basis);
	if (status == BXT_ERR_NOT_FINITE) { /* the check of the model reports this */
		s->singular.basis = (bxt_sparse){.nrow = s->n};
		status = BXT_OK;
	}
	free(values);
	free(rest);
	bxt_evaluator_free(e);
	bxt_arena_free(arena);
	s->singular.coordinate =
		s->singular.basis.ncol > 0 ? BXT_NEW(s->arena, bool, (size_t)s->n) : NULL;
	if (s->singular.basis.ncol > 0 && !s->singular.coordinate)
		return BXT_ERR_MEMORY;
	for (int k = 0; s->singular.coordinate && k < bxt_sparse_nnz(&s->singular.basis); k++)
		s->singular.coordinate[s->singular.basis.rowind[k]] = true;
	return status;
}

/* N^T N, by columns. */
static bxt_status make_gram(bxt_arena *arena, const bxt_sparse *n, bxt_sparse *out)
{
	bxt_triplets t = {0};
	bxt_sparse by_rows;
	BXT_TRY(bxt_sparse_transpose(arena, n, &by_rows));
	bxt_status status = BXT_OK;
	for (int i = 0; i < by_rows.ncol; i++)
		for (int a = by_rows.colptr[i]; a < by_rows.colptr[i + 1]; a++)
			for (int b = by_rows.colptr[i];
			     b < by_rows.colptr[i + 1] && status == BXT_OK; b++)
				status = bxt_triplets_add(&t, by_rows.rowind[a], by_rows.rowind[b]);
	int *slot = status == BXT_OK ? BXT_NEW(arena, int, t.count + 1) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, &t, n->ncol, n->ncol, out, slot);
	size_t at = 0;
	for (int i = 0; i < by_rows.ncol && status == BXT_OK; i++)
		for (int a = by_rows.colptr[i]; a < by_rows.colptr[i + 1]; a++)
			for (int b = by_rows.colptr[i]; b < by_rows.colptr[i + 1]; b++)
				out->values[slot[at++]] += by_rows.values[a] * by_rows.values[b];
	bxt_triplets_free(&t);
	return status;
}

bxt_status bxt_pinning_new(bxt_arena *arena, const bxt_system *s, bxt_pinning **out)
{
	*out = NULL;
	if (s->singular.basis.ncol == 0)
		return BXT_OK;
	bxt_pinning *p = BXT_NEW(arena, bxt_pinning, 1);
	if (!p)
		return BXT_ERR_MEMORY;
	p->kernel = &s->singular.basis;
	p->alpha = BXT_NEW(arena, double, (size_t)s->size + BXT_LANES);
	p->y = BXT_NEW(arena, double, (size_t)s->singular.basis.ncol);
	bxt_status status =
		p->alpha && p->y ? make_gram(arena, p->kernel, &p->gram) : BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_linsol_create(&bxt_linsol_klu, &p->gram, &p->solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(p->solver, p->gram.values, NULL);
	if (status == BXT_OK)
		*out = p;
	else
		bxt_pinning_release(p);
	return status;
}

void bxt_pinning_release(bxt_pinning *p)
{
	if (p)
		p->solver = bxt_linsol_free(p->solver);
}

bxt_status bxt_pin_momenta(bxt_pinning *pin, bxt_evaluator *e, const double *q, double *p)
{
	static const bxt_weights minus = {{{[BXT_P] = -1}, {0}}};
	const bxt_system *s = e->system;
	memset(pin->alpha, 0, (size_t)s->size * sizeof *pin->alpha);
	/* REST: P at v = 0; it does not read flows, so any vector will do */
	bxt_evaluate(e, BXT_SET_REST, (bxt_point){q, pin->alpha, e->time[0]}, &minus, pin->alpha,
		     NULL);
	for (int i = 0; i < s->n; i++)
		pin->alpha[i] += s->pinned[i] ? 0 : p[i];
	memset(pin->y, 0, (size_t)pin->kernel->ncol * sizeof *pin->y);
	bxt_sparse_multiply_transposed(pin->kernel, 1, pin->alpha, pin->y);
	BXT_TRY(bxt_linsol_solve(pin->solver, pin->y));
	bxt_sparse_multiply(pin->kernel, -1, pin->y, p);
	return BXT_OK;
}
