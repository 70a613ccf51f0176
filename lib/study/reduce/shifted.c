/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solutions at a shift (shifted.h has the equation), by one sparse factorisation. A complex shift
 * gives a real system of twice the size, [Re -Im; Im Re]. Dependent rows of A get a border, which
 * keeps their multipliers free of components along undetermined directions.
 */
#include "study/reduce/shifted.h"

#include "ground/base/tolerances.h"
#include "ground/solver/linsol.h"
#include "ground/solver/subspace.h"

#include <stdlib.h>
#include <string.h>

struct bxt_shifted {
	bxt_arena *arena;
	const bxt_part_model *part;
	const bxt_algebra *algebra;
	double re, im;
	int *place; /* (n) row of a free coordinate, otherwise -1 */
	int size;   /* of one of the two halves */
	bxt_sparse matrix;
	bxt_linsol *solver;
	double *right; /* (2 size) */
	double *work;  /* (2n) */
};

/* ---- The matrix ---- */

/* Adds a block of the matrix, multiplied by weight[0] (diagonal blocks) + i weight[1]. */
static bxt_status add_matrix(bxt_shifted *s, bxt_entries *e, const bxt_sparse *a,
			     const double weight[2], const int *rows, const int *columns)
{
	for (int j = 0; j < a->ncol; j++) {
		const int col = columns[j];
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int row = rows[a->rowind[k]];
			if (row < 0 || col < 0)
				continue;
			for (int half = 0; half < (s->im != 0 ? 2 : 1); half++) {
				const double real = weight[0] * a->values[k];
				const double imaginary = weight[1] * a->values[k];
				if (real != 0)
					BXT_TRY(bxt_entries_add(e, row + half * s->size,
								col + half * s->size, real));
				if (imaginary != 0)
					BXT_TRY(bxt_entries_add(e, row + half * s->size,
								col + (1 - half) * s->size,
								half ? imaginary : -imaginary));
			}
		}
	}
	return BXT_OK;
}

/* [sM + D + K/s, -A^T, 0; A, 0, Y; 0, Y^T, 0] */
static bxt_status fill_entries(bxt_shifted *s, bxt_entries *e, const bxt_sparse *y, int n_free)
{
	const bxt_part_model *p = s->part;
	const double norm = s->re * s->re + s->im * s->im;
	const double by_s[2] = {s->re, s->im}, by_inverse[2] = {s->re / norm, -s->im / norm};
	const double one[2] = {1, 0}, minus[2] = {-1, 0};
	bxt_sparse transposed, border;
	int *row = BXT_NEW(s->arena, int, (size_t)p->m);
	int *last = BXT_NEW(s->arena, int, (size_t)y->ncol);
	if (!row || !last)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->m; i++)
		row[i] = n_free + i;
	for (int i = 0; i < y->ncol; i++)
		last[i] = n_free + p->m + i;
	BXT_TRY(bxt_sparse_transpose(s->arena, &p->rows, &transposed));
	BXT_TRY(bxt_sparse_transpose(s->arena, y, &border));
	BXT_TRY(add_matrix(s, e, &p->mass, by_s, s->place, s->place));
	BXT_TRY(add_matrix(s, e, &p->damping, one, s->place, s->place));
	BXT_TRY(add_matrix(s, e, &p->stiffness, by_inverse, s->place, s->place));
	BXT_TRY(add_matrix(s, e, &transposed, minus, s->place, row));
	BXT_TRY(add_matrix(s, e, &p->rows, one, row, s->place));
	BXT_TRY(add_matrix(s, e, y, one, row, last));
	return add_matrix(s, e, &border, one, last, row);
}

static bxt_status factor_shifted(bxt_shifted *s, bxt_diagnostics *d)
{
	const bxt_part_model *p = s->part;
	int n_free = 0, culprit = -1;
	bxt_sparse columns, y;
	bxt_entries e = {0};
	bool *dropped = BXT_NEW(s->arena, bool, (size_t)p->m);
	s->place = BXT_NEW(s->arena, int, (size_t)p->n);
	s->work = BXT_NEW(s->arena, double, 2 * (size_t)p->n);
	if (!dropped || !s->place || !s->work)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->n; i++)
		s->place[i] = bxt_algebra_is_free(s->algebra, i) ? n_free++ : -1;
	BXT_TRY(bxt_sparse_select(s->arena, &p->rows, NULL, p->m, s->place, n_free, &columns));
	BXT_TRY(bxt_dependent_rows(s->arena, &columns, BXT_DEPENDENT, &y, dropped));
	s->size = n_free + p->m + y.ncol;
	const int all = s->im != 0 ? 2 * s->size : s->size;
	if (!(s->right = BXT_NEW(s->arena, double, 2 * (size_t)s->size)))
		return BXT_ERR_MEMORY;
	bxt_status status = fill_entries(s, &e, &y, n_free);
	if (status == BXT_OK)
		status = bxt_entries_matrix(s->arena, &e, all, all, &s->matrix);
	bxt_entries_free(&e);
	if (status == BXT_OK)
		status = bxt_linsol_create(&bxt_linsol_klu, &s->matrix, &s->solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(s->solver, s->matrix.values, &culprit);
	if (status == BXT_ERR_SINGULAR) {
		bxt_error(d, p->place,
			  "part '%s': its flows are not determined at the frequency %g + %gi s-1",
			  p->path, s->re, s->im);
		return BXT_ERR_MODEL;
	}
	return status;
}

bxt_status bxt_shifted_new(const bxt_part_model *part, const bxt_algebra *algebra, double re,
			   double im, bxt_diagnostics *d, bxt_shifted **out)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_shifted *s = arena ? BXT_NEW(arena, bxt_shifted, 1) : NULL;
	*out = NULL;
	if (!s) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	s->arena = arena;
	s->part = part;
	s->algebra = algebra;
	s->re = re;
	s->im = im;
	const bxt_status status = factor_shifted(s, d);
	if (status == BXT_OK)
		*out = s;
	else
		bxt_shifted_free(s);
	return status;
}

bxt_shifted *bxt_shifted_free(bxt_shifted *s)
{
	if (s) {
		bxt_linsol_free(s->solver);
		bxt_arena_free(s->arena);
	}
	return NULL;
}

/* ---- Solving ---- */

int bxt_part_inputs(const bxt_part_model *part)
{
	return part->n_ports + (part->has_force ? 1 : 0);
}

/* f of one half of the right-hand side, at the rows of free coordinates. */
static void put_right(bxt_shifted *s, int half, const double *f)
{
	double *to = s->right + (size_t)half * (size_t)s->size;
	for (int i = 0; i < s->part->n; i++)
		if (s->place[i] >= 0)
			to[s->place[i]] = f[i];
}

static void get(const bxt_shifted *s, int half, double *v)
{
	const double *from = s->right + (size_t)half * (size_t)s->size;
	for (int i = 0; i < s->part->n; i++)
		v[i] = s->place[i] < 0 ? 0 : from[s->place[i]];
}

/* The flows through ports that take flows, for the inputs u. */
static void flows_through(const bxt_shifted *s, const double *u, double *to)
{
	memset(to, 0, (size_t)s->part->n * sizeof *to);
	for (int k = 0; k < s->part->n_ports && u; k++) {
		const double *through = bxt_algebra_through(s->algebra, k);
		for (int i = 0; i < s->part->n && through && u[k] != 0; i++)
			to[i] += u[k] * through[i];
	}
}

static void forces(const bxt_shifted *s, const double *u, double *f)
{
	const bxt_part_model *p = s->part;
	for (int k = 0; k < p->n_ports && u; k++)
		if (!p->port[k].takes_flow)
			f[p->port[k].coord] += u[k];
	for (int i = 0; i < p->n && u && p->has_force; i++)
		f[i] += u[p->n_ports] * p->force[i];
}

/* f -= (s M + D + K/s) x, complex; x (2n), f (2n) */
static void subtract(const bxt_shifted *s, const double *x, double *f)
{
	const bxt_part_model *p = s->part;
	const double norm = s->re * s->re + s->im * s->im;
	const double *re = x, *im = x + p->n;
	double *f_re = f, *f_im = f + p->n;
	bxt_sparse_multiply(&p->mass, -s->re, re, f_re);
	bxt_sparse_multiply(&p->mass, s->im, im, f_re);
	bxt_sparse_multiply(&p->mass, -s->re, im, f_im);
	bxt_sparse_multiply(&p->mass, -s->im, re, f_im);
	bxt_sparse_multiply(&p->damping, -1, re, f_re);
	bxt_sparse_multiply(&p->damping, -1, im, f_im);
	bxt_sparse_multiply(&p->stiffness, -s->re / norm, re, f_re);
	bxt_sparse_multiply(&p->stiffness, -s->im / norm, im, f_re);
	bxt_sparse_multiply(&p->stiffness, -s->re / norm, im, f_im);
	bxt_sparse_multiply(&p->stiffness, s->im / norm, re, f_im);
}

bxt_status bxt_shifted_inputs(bxt_shifted *s, const double *re, const double *im, double *v,
			      double *q)
{
	const bxt_part_model *p = s->part;
	const size_t n = (size_t)p->n;
	const double norm = s->re * s->re + s->im * s->im;
	double *f = s->work;
	memset(f, 0, 2 * n * sizeof *f);
	memset(s->right, 0, 2 * (size_t)s->size * sizeof *s->right);
	flows_through(s, re, q);
	flows_through(s, im, q + n);
	forces(s, re, f);
	forces(s, im, f + n);
	subtract(s, q, f);
	put_right(s, 0, f);
	if (s->im != 0)
		put_right(s, 1, f + n);
	BXT_TRY(bxt_linsol_solve(s->solver, s->right));
	get(s, 0, v);
	memset(v + n, 0, n * sizeof *v);
	if (s->im != 0)
		get(s, 1, v + n);
	for (size_t i = 0; i < n; i++) { /* q = (v + through)/s */
		const double a = v[i] + q[i], b = v[n + i] + q[n + i];
		q[i] = (a * s->re + b * s->im) / norm;
		q[n + i] = (b * s->re - a * s->im) / norm;
	}
	return BXT_OK;
}

bxt_status bxt_shifted_again(bxt_shifted *s, double *v, double *q)
{
	const bxt_part_model *p = s->part;
	double *f = s->work;
	memset(f, 0, (size_t)p->n * sizeof *f);
	memset(s->right, 0, 2 * (size_t)s->size * sizeof *s->right);
	bxt_sparse_multiply(&p->mass, 1, v, f);
	bxt_sparse_multiply(&p->stiffness, -1 / s->re, q, f);
	put_right(s, 0, f);
	BXT_TRY(bxt_linsol_solve(s->solver, s->right));
	get(s, 0, v);
	for (int i = 0; i < p->n; i++)
		q[i] = (q[i] + v[i]) / s->re;
	return BXT_OK;
}
