/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solves P(q,v,t) = p for v by Newton's method: M dv = p - P(q,v), v <- v + dv, M = dP/dv. Done
 * when the backward error of every row is round-off,
 *
 *     |p - P(q,v)|_i <= 16 eps (|p_i| + |P_i| + sum_j |M_ij v_j|)
 *
 * (Oettli and Prager, Numer. Math. 6 (1964) 405). The error of v itself is larger by the condition
 * of M. No iteration removes it, so the size of updates of v is no criterion: an arm's inertia in
 * joint coordinates has a condition of some thousands.
 */
#include "model/system/velocity.h"

#include "ground/base/tolerances.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ITERATIONS = 50 };
/*
 * Residuals as parts of a row's terms, without unit. Up to ROUND_OFF a residual is round-off of a
 * few terms. Up to SMALL a residual that no longer falls is round-off of a long expression with
 * cancellation. A larger one that does not fall is a failure.
 */
static const double ROUND_OFF = 16 * DBL_EPSILON, SMALL = 1e-9;

/* Which entries of the system's pattern dP/dv fills on rows with mass, and whether it is constant.
 */
static bool *find_entries(const bxt_system *s, bool *constant)
{
	bool *used = calloc((size_t)bxt_sparse_nnz(&s->pattern) + 1, sizeof *used);
	*constant = true;
	for (int g = 0; used && g < s->n_groups; g++) {
		const bxt_group *group = &s->groups[g];
		for (int f = 0; f < 2; f++) {
			const bxt_output_set *set =
				&group->type->set[f ? BXT_SET_JAC_DYN : BXT_SET_JAC_CONST];
			for (int k = 0; k < set->n; k++) {
				if (set->entries[k].term != BXT_PV)
					continue;
				*constant = *constant && f == 0;
				for (int i = 0; i < group->blocks * BXT_LANES; i++)
					used[group->slot[f][k][i]] = true;
			}
		}
	}
	return used;
}

/* `from` is a slot of the system's pattern, or one of these. */
enum { FROM_PINNED = -1, FROM_KERNEL = -2 };

/* Triplets of M, of the 1 on pinned rows and of N N^T; from (count) is the source of each. */
static bxt_status list_entries(const bxt_system *s, const bool *used, bxt_triplets *t, int **from,
			       size_t *capacity)
{
	const bxt_sparse *p = &s->pattern, *n = &s->singular.basis;
	for (int j = 0; j < s->n; j++) {
		if (s->pinned[j]) {
			BXT_TRY(BXT_GROW(*from, *capacity, t->count + 1));
			(*from)[t->count] = FROM_PINNED;
			BXT_TRY(bxt_triplets_add(t, j, j));
		}
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && !s->pinned[j]; k++)
			if (used[k] && p->rowind[k] < s->n && !s->pinned[p->rowind[k]]) {
				BXT_TRY(BXT_GROW(*from, *capacity, t->count + 1));
				(*from)[t->count] = k;
				BXT_TRY(bxt_triplets_add(t, p->rowind[k], j));
			}
	}
	for (int c = 0; c < n->ncol; c++)
		for (int a = n->colptr[c]; a < n->colptr[c + 1]; a++)
			for (int b = n->colptr[c]; b < n->colptr[c + 1]; b++) {
				BXT_TRY(BXT_GROW(*from, *capacity, t->count + 1));
				(*from)[t->count] = FROM_KERNEL;
				BXT_TRY(bxt_triplets_add(t, n->rowind[a], n->rowind[b]));
			}
	return BXT_OK;
}

/* Records the places of the entries of n n^T / |n|^2, vector by vector. */
static bxt_status list_kernel(bxt_velocity *u, const bxt_sparse *n, const int *slot, size_t count)
{
	size_t at = 0;
	u->extra_slot = BXT_NEW(u->arena, int, count);
	u->extra = BXT_NEW(u->arena, double, count);
	u->extra_end = BXT_NEW(u->arena, size_t, (size_t)n->ncol);
	if (!u->extra_slot || !u->extra || !u->extra_end)
		return BXT_ERR_MEMORY;
	u->n_kernel = n->ncol;
	for (int c = 0; c < n->ncol; c++) {
		double square = 0;
		for (int k = n->colptr[c]; k < n->colptr[c + 1]; k++)
			square += n->values[k] * n->values[k];
		for (int a = n->colptr[c]; a < n->colptr[c + 1]; a++)
			for (int b = n->colptr[c]; b < n->colptr[c + 1]; b++, at++) {
				u->extra_slot[at] = slot[at];
				u->extra[at] = n->values[a] * n->values[b] / square;
			}
		u->extra_end[c] = at;
	}
	return BXT_OK;
}

/* M + sum c n n^T / |n|^2, c the largest inertia among those that n combines, in its own units. */
static void add_kernel(bxt_velocity *u)
{
	double *largest = u->largest;
	size_t first = 0;
	for (int c = 0; c < u->n_kernel; first = u->extra_end[c++]) {
		largest[c] = 0;
		for (size_t k = first; k < u->extra_end[c]; k++)
			largest[c] = fmax(largest[c], fabs(u->mass.values[u->extra_slot[k]]));
		largest[c] = largest[c] > 0 ? largest[c] : 1;
	}
	first = 0;
	for (int c = 0; c < u->n_kernel; first = u->extra_end[c++])
		for (size_t k = first; k < u->extra_end[c]; k++)
			u->mass.values[u->extra_slot[k]] += largest[c] * u->extra[k];
}

static bxt_status make_pattern(bxt_velocity *u, const bxt_system *s, const bool *used)
{
	bxt_triplets t = {0};
	int *from = NULL;
	size_t capacity = 0;
	bxt_status status = list_entries(s, used, &t, &from, &capacity);
	int *slot = status == BXT_OK ? malloc((t.count + 1) * sizeof *slot) : NULL;
	if (!slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(u->arena, &t, s->n, s->n, &u->mass, slot);
	const size_t nnz = status == BXT_OK ? (size_t)bxt_sparse_nnz(&u->mass) : 0;
	u->from = BXT_NEW(u->arena, int, nnz);
	u->largest = BXT_NEW(u->arena, double, (size_t)s->singular.basis.ncol);
	if (!u->from || !u->largest)
		status = BXT_ERR_MEMORY;
	bool diagonal = true;
	size_t others = t.count;
	for (size_t k = 0; k < nnz && status == BXT_OK; k++)
		u->from[k] = FROM_KERNEL;
	for (size_t k = 0; k < t.count && status == BXT_OK; k++) {
		diagonal = diagonal && t.row[k] == t.col[k];
		if (from[k] != FROM_KERNEL)
			u->from[slot[k]] = from[k];
		else if (k < others)
			others = k;
	}
	if (status == BXT_OK)
		status = list_kernel(u, &s->singular.basis, slot + others, t.count - others);
	free(slot);
	free(from);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	return diagonal ? BXT_OK : bxt_linsol_create(&bxt_linsol_klu, &u->mass, &u->solver);
}

bxt_status bxt_velocity_new(const bxt_system *s, bxt_velocity **out)
{
	bxt_velocity *u = *out = calloc(1, sizeof *u);
	if (!u)
		return BXT_ERR_MEMORY;
	u->used = find_entries(s, &u->constant);
	u->arena = bxt_arena_new();
	bxt_status status = u->used && u->arena ? make_pattern(u, s, u->used) : BXT_ERR_MEMORY;
	if (status == BXT_OK) {
		u->slopes = BXT_NEW(u->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
		u->r = BXT_NEW(u->arena, double, (size_t)s->size);
		u->terms = BXT_NEW(u->arena, double, (size_t)s->size);
		u->dv = BXT_NEW(u->arena, double, (size_t)s->size);
		u->before = BXT_NEW(u->arena, double, (size_t)s->size);
		u->scale = BXT_NEW(u->arena, double, (size_t)s->n);
		if (!u->slopes || !u->r || !u->terms || !u->dv || !u->before || !u->scale)
			status = BXT_ERR_MEMORY;
	}
	if (status != BXT_OK)
		*out = bxt_velocity_free(u);
	return status;
}

bxt_velocity *bxt_velocity_free(bxt_velocity *u)
{
	if (u) {
		bxt_linsol_free(u->solver);
		bxt_velocity_rows_free(u->rows);
		free(u->used);
		bxt_arena_free(u->arena);
		free(u);
	}
	return NULL;
}

bxt_status bxt_velocity_factor(bxt_velocity *u, bxt_evaluator *e, bxt_point at)
{
	static const bxt_weights w = {{{[BXT_PV] = 1}, {0}}};
	if (u->factored && u->constant)
		return BXT_OK;
	bxt_assemble(e, at, &w, u->slopes);
	for (int k = 0; k < bxt_sparse_nnz(&u->mass); k++)
		u->mass.values[k] = (u->from[k] >= 0 ? u->slopes[u->from[k]] : 0) +
				    (u->from[k] == FROM_PINNED ? 1 : 0);
	add_kernel(u);
	const bxt_status status =
		u->solver ? bxt_linsol_factor(u->solver, u->mass.values, NULL) : BXT_OK;
	u->singular = status == BXT_ERR_SINGULAR ||
		      (u->solver && bxt_linsol_rcond(u->solver) < BXT_RCOND_SINGULAR);
	for (int i = 0; i < u->mass.ncol && !u->solver; i++)
		u->singular = u->singular || u->mass.values[i] == 0;
	u->factored = status == BXT_OK;
	return status;
}

bxt_status bxt_velocity_divide(bxt_velocity *u, double *r)
{
	if (u->solver)
		return bxt_linsol_solve(u->solver, r);
	for (int i = 0; i < u->mass.ncol; i++)
		r[i] /= u->mass.values[i];
	return BXT_OK;
}

/* v = M^-1 (p - P(q,0)), where P is affine in v. */
static bxt_status solve_constant(bxt_velocity *u, bxt_evaluator *e, const double *p, bxt_point at,
				 double *v)
{
	static const bxt_weights minus = {{{[BXT_P] = -1}, {0}}};
	const bxt_system *s = e->system;
	double sum = 0;
	memset(v, 0, (size_t)s->size * sizeof *v);
	for (int i = 0; i < s->n; i++)
		u->r[i] = s->pinned[i] ? 0 : p[i];
	bxt_evaluate(e, BXT_SET_MOMENTUM, at, &minus, u->r, NULL);
	BXT_TRY(bxt_velocity_factor(u, e, at));
	BXT_TRY(bxt_velocity_divide(u, u->r));
	for (int i = 0; i < s->n; i++)
		sum += v[i] = u->r[i];
	return isfinite(sum) ? BXT_OK : BXT_ERR_NOT_FINITE;
}

/* r = p - P(q,v) on rows with mass, terms as above with the inertia factored last; the largest
 * |r| / terms. */
static double find_residual(bxt_velocity *u, bxt_evaluator *e, const double *p, bxt_point at)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {0}}};
	const bxt_system *s = e->system;
	const bxt_sparse *m = &u->mass;
	double worst = 0;
	memset(u->r, 0, (size_t)s->size * sizeof *u->r);
	memset(u->terms, 0, (size_t)s->size * sizeof *u->terms);
	bxt_evaluate(e, BXT_SET_MOMENTUM, at, &momentum, u->r, u->terms);
	for (int j = 0; j < s->n; j++)
		for (int k = m->colptr[j]; k < m->colptr[j + 1]; k++)
			u->terms[m->rowind[k]] += fabs(m->values[k] * at.x[j]);
	for (int i = 0; i < s->n; i++) {
		u->r[i] = s->pinned[i] ? 0 : p[i] - u->r[i];
		u->terms[i] += fabs(p[i]);
		if (!(fabs(u->r[i]) <= worst * u->terms[i]) && u->r[i] != 0)
			worst = isfinite(u->r[i]) ? fabs(u->r[i]) / u->terms[i] : INFINITY;
	}
	return worst;
}

/* max |r_i| / (largest of row i of M), infinite when a value is not finite. */
static double norm(const bxt_velocity *u, int n)
{
	double largest = 0;
	for (int i = 0; i < n; i++) {
		if (!isfinite(u->r[i]))
			return INFINITY;
		if (fabs(u->r[i]) > largest * u->scale[i] && u->scale[i] > 0)
			largest = fabs(u->r[i]) / u->scale[i];
	}
	return largest;
}

/* The largest of each row of M, for that norm. */
static void scale_rows(bxt_velocity *u)
{
	const bxt_sparse *m = &u->mass;
	memset(u->scale, 0, (size_t)m->nrow * sizeof *u->scale);
	for (int k = 0; k < bxt_sparse_nnz(m); k++)
		u->scale[m->rowind[k]] = fmax(u->scale[m->rowind[k]], fabs(m->values[k]));
}

/* v <- v + a dv, a = 1, 1/2, 1/4, ... until the residual falls: a momentum that is exponential in a
 * flow, as that of a junction, overflows otherwise. */
static bxt_status search(bxt_velocity *u, bxt_evaluator *e, const double *p, bxt_point at,
			 double *v, double *worst)
{
	static const double SMALLEST_STEP = 1e-10; /* a; below it the search has failed */
	const int n = e->system->n;
	scale_rows(u);
	const double before = norm(u, n);
	memcpy(u->dv, u->r, (size_t)n * sizeof *u->dv);
	memcpy(u->before, v, (size_t)n * sizeof *v);
	BXT_TRY(bxt_velocity_divide(u, u->dv));
	for (double a = 1;; a /= 2) {
		for (int i = 0; i < n; i++)
			v[i] = u->before[i] + a * u->dv[i];
		*worst = find_residual(u, e, p, at);
		const double after = norm(u, n);
		if (after <= (1 - 1e-4 * a) * before || (isfinite(after) && *worst <= SMALL))
			return BXT_OK;
		if (a < SMALLEST_STEP)
			return isfinite(after) ? BXT_ERR_NEWTON : BXT_ERR_NOT_FINITE;
	}
}

/* Newton's method from v. */
static bxt_status iterate(bxt_velocity *u, bxt_evaluator *e, const double *p, bxt_point at,
			  double *v)
{
	const int n = e->system->n;
	double worst = find_residual(u, e, p, at), last;
	u->iterations = 0;
	do {
		if (++u->iterations > MAX_ITERATIONS)
			return BXT_ERR_NEWTON;
		BXT_TRY(bxt_velocity_factor(u, e, at));
		last = worst;
		BXT_TRY(search(u, e, p, at, v, &worst));
	} while (worst > ROUND_OFF && !(worst <= SMALL && worst > last / 2));
	/*
	 * the rest is round-off, but always of the same sign: one more step with the same factors
	 */
	BXT_TRY(bxt_velocity_divide(u, u->r));
	for (int i = 0; i < n; i++)
		v[i] += u->r[i];
	return BXT_OK;
}

bxt_status bxt_velocity_solve(bxt_velocity *u, bxt_evaluator *e, const double *q, const double *p,
			      double t, double *v)
{
	const bxt_system *s = e->system;
	const bxt_point at = {q, v, t};
	bool guessed = false;
	if (u->constant)
		return solve_constant(u, e, p, at, v);
	for (int i = 0; i < s->size; i++) {
		const bool keep = i < s->n && !s->pinned[i] && isfinite(v[i]);
		v[i] = keep ? v[i] : 0;
		guessed = guessed || v[i] != 0;
	}
	const bxt_status status = u->rows ? BXT_OK : iterate(u, e, p, at, v);
	if (u->singular && s->m > 0 && !u->rows)
		BXT_TRY(bxt_velocity_rows_new(s, u->used, &u->rows));
	if (u->rows) {
		memset(v, 0, (size_t)s->size * sizeof *v);
		return bxt_velocity_rows_solve(u->rows, e, q, p, t, v);
	}
	if (status == BXT_OK || status == BXT_ERR_MEMORY || !guessed)
		return status;
	memset(v, 0, (size_t)s->size * sizeof *v);
	return iterate(u, e, p, at, v);
}

void bxt_velocity_report(const bxt_velocity *u, const bxt_system *s, bxt_status status, double t,
			 bxt_diagnostics *d)
{
	enum { NAMED = 3 };
	bxt_buffer words = {0}, name = {0};
	int worst[NAMED], n = 0;
	double of[NAMED];
	for (int i = 0; i < s->n; i++) {
		const double part = isfinite(u->r[i]) ? fabs(u->r[i]) / u->terms[i] : INFINITY;
		int at = n;
		while (at > 0 && part > of[at - 1])
			at--;
		if (!(part > ROUND_OFF) || at == NAMED)
			continue;
		n += n < NAMED;
		for (int k = n - 1; k > at; k--) {
			of[k] = of[k - 1];
			worst[k] = worst[k - 1];
		}
		of[at] = part;
		worst[at] = i;
	}
	for (int k = 0; k < n; k++)
		bxt_buffer_printf(&words, "%s%s (residual %.2g of its terms)", k ? ", " : "",
				  bxt_system_x_name(s, worst[k], &name), of[k]);
	bxt_error(d, BXT_NOWHERE,
		  "t = %.9g s: the flows do not follow from the momenta (%s after %d iterations); "
		  "worst rows: %s",
		  t, bxt_status_text(status), u->iterations, words.text ? words.text : "none");
	bxt_buffer_free(&words);
	bxt_buffer_free(&name);
}
