/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/velocity_rows.h"

#include "ground/base/tolerances.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 50 };
/* Parts of a row's terms, as in velocity.c. */
static const double ROUND_OFF = 16 * DBL_EPSILON, SMALL = 1e-9;
/* Size of the diagonal relative to A M^-1 A^T, or to its inverse: each iteration reduces the error
 * by this factor. */
static const double SOFT = 1e-8;
/* An update of all flows below this part of the largest in their unit is the last one: the
 * iteration gains more than half of the digits each time, so the rest is round-off. */
static const double SETTLED = 1e-14;
/* If the softness takes more than this part of an impulse, rows do not take it: else they take all
 * but SOFT. */
static const double UNTIED = 1e-4;

struct bxt_velocity_rows {
	bxt_arena *arena;
	bxt_sparse matrix;      /* (n + m) */
	int *from, *slot;       /* (n_entry) slot in the system's values; in the matrix */
	double *sign;           /* (n_entry) */
	int n_entry, *diagonal; /* (n + m) slots */
	double *slopes;         /* (system nnz + 1) */
	double *r, *terms;      /* (size) */
	double *mass, *weight;  /* (n) M_jj, (m) largest A_ij^2 / M_jj of a row */
	double *largest;        /* (n_quantities) */
	bxt_linsol *solver;
};

static bxt_status make_rows(bxt_velocity_rows *u, const bxt_system *s, const bool *used)
{
	const bxt_sparse *p = &s->pattern;
	const size_t nnz = (size_t)bxt_sparse_nnz(p), all = (size_t)(s->n + s->m);
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	u->from = BXT_NEW(u->arena, int, 2 * nnz);
	u->sign = BXT_NEW(u->arena, double, 2 * nnz);
	u->diagonal = BXT_NEW(u->arena, int, all);
	u->slopes = BXT_NEW(u->arena, double, nnz + 1);
	u->r = BXT_NEW(u->arena, double, (size_t)s->size + BXT_LANES);
	u->terms = BXT_NEW(u->arena, double, (size_t)s->size + BXT_LANES);
	u->mass = BXT_NEW(u->arena, double, (size_t)s->n);
	u->weight = BXT_NEW(u->arena, double, (size_t)s->m);
	u->largest = BXT_NEW(u->arena, double, (size_t)s->n_quantities);
	if (!u->from || !u->sign || !u->diagonal || !u->slopes || !u->r || !u->terms || !u->mass ||
	    !u->weight || !u->largest)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && status == BXT_OK; k++) {
			const int i = p->rowind[k];
			const bool row = i >= s->n && i < s->spare;
			if (!row && (i >= s->n || !used[k] || s->pinned[i] || s->pinned[j]))
				continue;
			u->from[u->n_entry] = k;
			u->sign[u->n_entry++] = 1;
			status = bxt_triplets_add(&t, i, j);
			if (!row || status != BXT_OK)
				continue;
			u->from[u->n_entry] = k;
			u->sign[u->n_entry++] = -1;
			status = bxt_triplets_add(&t, j, i);
		}
	for (size_t i = 0; i < all && status == BXT_OK; i++)
		status = bxt_triplets_add(&t, (int)i, (int)i);
	u->slot = status == BXT_OK ? BXT_NEW(u->arena, int, t.count + 1) : NULL;
	if (!u->slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(u->arena, &t, (int)all, (int)all, &u->matrix, u->slot);
	for (size_t i = 0; i < all && status == BXT_OK; i++)
		u->diagonal[i] = u->slot[(size_t)u->n_entry + i];
	bxt_triplets_free(&t);
	return status == BXT_OK ? bxt_linsol_create(&bxt_linsol_klu, &u->matrix, &u->solver)
				: status;
}

bxt_status bxt_velocity_rows_new(const bxt_system *s, const bool *used, bxt_velocity_rows **out)
{
	bxt_velocity_rows *u = *out = calloc(1, sizeof *u);
	if (!u)
		return BXT_ERR_MEMORY;
	u->arena = bxt_arena_new();
	const bxt_status status = u->arena ? make_rows(u, s, used) : BXT_ERR_MEMORY;
	if (status != BXT_OK)
		*out = bxt_velocity_rows_free(u);
	return status;
}

bxt_velocity_rows *bxt_velocity_rows_free(bxt_velocity_rows *u)
{
	if (u) {
		bxt_linsol_free(u->solver);
		bxt_arena_free(u->arena);
		free(u);
	}
	return NULL;
}

/* The diagonal: SOFT A M^-1 A^T of rows, SOFT A_ij^2 / (A M^-1 A^T)_i of massless columns. */
static void soften(bxt_velocity_rows *u, const bxt_system *s)
{
	const bxt_sparse *p = &s->pattern;
	double heaviest = 0;
	for (int j = 0; j < s->n; j++) {
		u->mass[j] = s->pinned[j] ? 0 : fabs(u->matrix.values[u->diagonal[j]]);
		heaviest = fmax(heaviest, u->mass[j]);
	}
	if (heaviest == 0) /* without inertia, rows alone determine the flows */
		heaviest = 1;
	memset(u->weight, 0, (size_t)s->m * sizeof *u->weight);
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare) {
				double *w = &u->weight[p->rowind[k] - s->n];
				*w = fmax(*w, u->slopes[k] * u->slopes[k] /
						      (u->mass[j] > 0 ? u->mass[j] : heaviest));
			}
	for (int j = 0; j < s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && s->pinned[j]; k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare && u->slopes[k] != 0) {
				double *d = &u->matrix.values[u->diagonal[j]];
				*d = fmax(*d, SOFT * u->slopes[k] * u->slopes[k] /
						      u->weight[p->rowind[k] - s->n]);
			}
	for (int i = 0; i < s->n + s->m; i++) {
		double *d = &u->matrix.values[u->diagonal[i]];
		if (i >= s->n)
			*d += SOFT * u->weight[i - s->n];
		if (*d == 0 && (i >= s->n || s->pinned[i])) /* in no row; a row of nothing */
			*d = 1;
	}
}

/* r = p + A^T mu - P, A_D^T mu, b - A v, and the largest part of the terms. */
static double find_residual(bxt_velocity_rows *u, bxt_evaluator *e, const double *p, bxt_point at)
{
	static const bxt_weights momentum = {{{[BXT_P] = -1}, {0}}};
	static const bxt_weights rows = {
		{{[BXT_K] = 1, [BXT_C] = -1}, {[BXT_K] = 1, [BXT_C] = -1}}};
	const bxt_system *s = e->system;
	const bxt_sparse *m = &u->matrix;
	double worst = 0;
	memset(u->r, 0, (size_t)s->size * sizeof *u->r);
	memset(u->terms, 0, (size_t)s->size * sizeof *u->terms);
	bxt_evaluate(e, BXT_SET_MOMENTUM, at, &momentum, u->r, u->terms);
	bxt_evaluate(e, BXT_SET_CONSTRAINT, at, &rows, u->r, u->terms);
	for (int j = 0; j < s->n; j++)
		for (int k = m->colptr[j]; k < m->colptr[j + 1] && !s->pinned[j]; k++)
			u->terms[m->rowind[k]] += fabs(m->values[k] * at.x[j]);
	for (int i = 0; i < s->n + s->m; i++) {
		if (i < s->n && !s->pinned[i]) {
			u->r[i] += p[i];
			u->terms[i] += fabs(p[i]);
		}
		if (u->r[i] != 0 && !(fabs(u->r[i]) <= worst * u->terms[i]))
			worst = isfinite(u->r[i]) ? fabs(u->r[i]) / u->terms[i] : INFINITY;
	}
	return worst;
}

static bxt_status factor(bxt_velocity_rows *u, bxt_evaluator *e, bxt_point at)
{
	static const bxt_weights w = {{{[BXT_PV] = 1, [BXT_CV] = 1}, {[BXT_CV] = 1}}};
	bxt_assemble(e, at, &w, u->slopes);
	memset(u->matrix.values, 0, (size_t)bxt_sparse_nnz(&u->matrix) * sizeof *u->matrix.values);
	for (int k = 0; k < u->n_entry; k++)
		u->matrix.values[u->slot[k]] += u->sign[k] * u->slopes[u->from[k]];
	soften(u, e->system);
	BXT_TRY(bxt_linsol_factor(u->solver, u->matrix.values, NULL));
	return bxt_linsol_rcond(u->solver) < BXT_RCOND_SINGULAR ? BXT_ERR_SINGULAR : BXT_OK;
}

/* Adds the update u->r; its flows, in parts of the largest flow in their unit. */
static double take_update(bxt_velocity_rows *u, const bxt_system *s, double *v)
{
	double size = 0;
	memset(u->largest, 0, (size_t)s->n_quantities * sizeof *u->largest);
	for (int i = 0; i < s->n + s->m; i++) {
		v[i] += u->r[i];
		if (i < s->n)
			u->largest[s->quantity[i]] = fmax(u->largest[s->quantity[i]], fabs(v[i]));
	}
	for (int i = 0; i < s->n; i++)
		if (u->r[i] != 0 && !(fabs(u->r[i]) <= size * u->largest[s->quantity[i]]))
			size = fabs(u->r[i]) / u->largest[s->quantity[i]];
	return size;
}

bxt_status bxt_velocity_rows_find(bxt_velocity_rows *u, bxt_evaluator *e, const double *q,
				  const double *p, double t, double *v)
{
	const bxt_system *s = e->system;
	const bxt_point at = {q, v, t};
	double last = INFINITY, size = INFINITY;
	for (int k = 0; k < MAX_ITERATIONS; k++) {
		const double worst = find_residual(u, e, p, at);
		if (!isfinite(worst))
			return BXT_ERR_NOT_FINITE;
		/* residuals of rows without forces are only round-off: their flows have settled */
		if (k > 0 &&
		    (worst <= ROUND_OFF || (worst <= SMALL && worst > last / 2) || size <= SETTLED))
			return BXT_OK;
		last = worst;
		BXT_TRY(factor(u, e, at));
		BXT_TRY(bxt_linsol_solve(u->solver, u->r));
		size = take_update(u, s, v);
	}
	return BXT_ERR_NEWTON;
}

bxt_status bxt_velocity_rows_solve(bxt_velocity_rows *u, bxt_evaluator *e, const double *q,
				   const double *p, double t, double *v)
{
	const bxt_system *s = e->system;
	BXT_TRY(bxt_velocity_rows_find(u, e, q, p, t, v));
	for (int i = 0; i < s->size; i++)
		v[i] = i < s->n && !s->pinned[i] ? v[i] : 0;
	return BXT_OK;
}

bxt_status bxt_velocity_rows_respond(bxt_velocity_rows *u, const bxt_system *s, double *f,
				     int *untied)
{
	double largest = 0, worst = UNTIED;
	memset(u->r, 0, (size_t)s->size * sizeof *u->r);
	for (int i = 0; i < s->n; i++) {
		u->r[i] = f[i];
		largest = fmax(largest, fabs(f[i]));
	}
	*untied = -1;
	BXT_TRY(bxt_linsol_solve(u->solver, u->r));
	for (int i = 0; i < s->n; i++) {
		const double soft = s->pinned[i] ? u->matrix.values[u->diagonal[i]] : 0;
		f[i] = u->r[i];
		if (fabs(soft * f[i]) > worst * largest) {
			worst = fabs(soft * f[i]) / largest;
			*untied = i;
		}
	}
	return BXT_OK;
}
