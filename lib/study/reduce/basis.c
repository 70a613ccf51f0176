/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Columns of states and their products (basis.h has the equation). The proper orthogonal
 * decomposition of snapshots X is computed from the small R of X = Q R, <Q, Q> = 1: the singular
 * values and left vectors of R give those of X in energy coordinates, and no value is squared.
 */
#include "study/reduce/basis.h"

#include "ground/base/arena.h"
#include "ground/base/vector.h"
#include "ground/sparse/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * A column depends on earlier ones if less than this fraction of its norm remains after projection.
 * The limit is the round-off of the projections with a margin. With a smaller one columns of noise
 * enter the basis.
 */
static const double DEPENDENT = 1e-12;
/*
 * Negative energy of a state, relative to the magnitude of its terms, beyond which it is not
 * round-off.
 */
static const double NEGATIVE = 1e-9;

void bxt_basis_free(bxt_basis *b)
{
	free(b->v);
	free(b->q);
	*b = (bxt_basis){0};
}

bxt_status bxt_basis_add(bxt_basis *b, int n, double **v, double **q)
{
	const size_t need = (size_t)n * ((size_t)b->r + 1) + 1;
	b->n = n;
	BXT_TRY(BXT_GROW(b->v, b->c_v, need));
	BXT_TRY(BXT_GROW(b->q, b->c_q, need));
	memset(bxt_basis_v(b, b->r), 0, (size_t)n * sizeof *b->v);
	memset(bxt_basis_q(b, b->r), 0, (size_t)n * sizeof *b->q);
	if (v)
		*v = bxt_basis_v(b, b->r);
	if (q)
		*q = bxt_basis_q(b, b->r);
	b->r++;
	return BXT_OK;
}

/* ---- Products ---- */

/* (M v, K q) to w (2n) */
static void weigh_vector(const bxt_part_model *p, const double *v, const double *q, double *w)
{
	memset(w, 0, 2 * (size_t)p->n * sizeof *w);
	bxt_sparse_multiply(&p->mass, 1, v, w);
	bxt_sparse_multiply(&p->stiffness, 1, q, w + p->n);
}

/* sum |terms| of <z, z> */
static double size_of(int n, const double *v, const double *q, const double *w)
{
	double sum = 0;
	for (int i = 0; i < n; i++)
		sum += fabs(v[i] * w[i]) + fabs(q[i] * w[n + i]);
	return sum;
}

bxt_status bxt_basis_energy(const bxt_part_model *p, const double *v, const double *q, double *out)
{
	double *w = malloc((2 * (size_t)p->n + 1) * sizeof *w);
	if (!w)
		return BXT_ERR_MEMORY;
	weigh_vector(p, v, q, w);
	*out = bxt_dot(p->n, v, w) + bxt_dot(p->n, q, w + p->n);
	free(w);
	return BXT_OK;
}

bxt_status bxt_basis_project(const bxt_part_model *p, const bxt_basis *b, const double *v,
			     const double *q, double *out)
{
	double *w = malloc((2 * (size_t)p->n + 1) * sizeof *w);
	if (!w)
		return BXT_ERR_MEMORY;
	weigh_vector(p, v, q, w);
	for (int j = 0; j < b->r; j++)
		out[j] = bxt_dot(p->n, bxt_basis_v(b, j), w) +
			 bxt_dot(p->n, bxt_basis_q(b, j), w + p->n);
	free(w);
	return BXT_OK;
}

/* ---- Gram and Schmidt ---- */

struct gram {
	const bxt_part_model *p;
	bxt_basis *b;
	double *weighed; /* (2n x columns) M v and K q of the finished columns */
	double *coefficients, *c;
	int columns, kept;
};

/* Removes the components along finished columns from column j, and adds their coefficients to c. */
static void take_out(struct gram *g, double *v, double *q)
{
	const int n = g->b->n;
	for (int k = 0; k < g->kept; k++) {
		const double *w = g->weighed + 2 * (size_t)n * (size_t)k;
		const double f = bxt_dot(n, v, w) + bxt_dot(n, q, w + n);
		const double *bv = bxt_basis_v(g->b, k), *bq = bxt_basis_q(g->b, k);
		for (int i = 0; i < n; i++) {
			v[i] -= f * bv[i];
			q[i] -= f * bq[i];
		}
		g->c[k] += f;
	}
}

static bxt_status next_column(struct gram *g, int j, double largest, bxt_diagnostics *d)
{
	const int n = g->b->n;
	double *v = bxt_basis_v(g->b, j), *q = bxt_basis_q(g->b, j);
	double *w = g->weighed + 2 * (size_t)n * (size_t)g->kept;
	memset(g->c, 0, (size_t)g->columns * sizeof *g->c);
	take_out(g, v, q);
	take_out(g, v, q);
	weigh_vector(g->p, v, q, w);
	const double energy = bxt_dot(n, v, w) + bxt_dot(n, q, w + n), size = size_of(n, v, q, w);
	if (energy < -NEGATIVE * size && size > DEPENDENT * largest * largest) {
		bxt_error(d, g->p->place,
			  "part '%s' is not stable: it can store negative energy (%g J where the "
			  "terms are %g J)",
			  g->p->path, energy / 2, size / 2);
		return BXT_ERR_MODEL;
	}
	const double norm = energy > 0 ? sqrt(energy) : 0;
	const bool keep = norm > DEPENDENT * largest && norm > 0;
	if (keep) {
		double *to_v = bxt_basis_v(g->b, g->kept), *to_q = bxt_basis_q(g->b, g->kept);
		for (int i = 0; i < n; i++) {
			to_v[i] = v[i] / norm;
			to_q[i] = q[i] / norm;
			w[i] /= norm;
			w[n + i] /= norm;
		}
		g->c[g->kept++] = norm;
	}
	if (g->coefficients)
		memcpy(g->coefficients + (size_t)j * (size_t)g->columns, g->c,
		       (size_t)g->columns * sizeof *g->c);
	return BXT_OK;
}

/* The largest norm of a column. */
static bxt_status largest_norm(const bxt_part_model *p, const bxt_basis *b, double *out)
{
	*out = 0;
	for (int j = 0; j < b->r; j++) {
		double energy;
		BXT_TRY(bxt_basis_energy(p, bxt_basis_v(b, j), bxt_basis_q(b, j), &energy));
		if (energy > *out * *out)
			*out = sqrt(energy);
	}
	return BXT_OK;
}

bxt_status bxt_basis_orthonormalise(const bxt_part_model *p, bxt_basis *b, double *coefficients,
				    bxt_diagnostics *d)
{
	struct gram g = {.p = p, .b = b, .coefficients = coefficients, .columns = b->r};
	double largest;
	BXT_TRY(largest_norm(p, b, &largest));
	g.weighed = malloc((2 * (size_t)b->n * (size_t)b->r + 1) * sizeof *g.weighed);
	g.c = malloc(((size_t)b->r + 1) * sizeof *g.c);
	bxt_status status = g.weighed && g.c ? BXT_OK : BXT_ERR_MEMORY;
	for (int j = 0; j < g.columns && status == BXT_OK; j++)
		status = next_column(&g, j, largest, d);
	b->r = g.kept;
	free(g.weighed);
	free(g.c);
	return status;
}

/* ---- Combinations ---- */

/* to (n x r) += from (n x columns) U, U (columns x r) by columns. */
static void add_product(int n, int columns, const double *from, const double *u, int r, double *to)
{
	for (int j = 0; j < r; j++)
		bxt_dense_multiply(n, columns, from, u + (size_t)j * (size_t)columns,
				   to + (size_t)j * (size_t)n);
}

bxt_status bxt_basis_combine(bxt_basis *b, const double *u, int r)
{
	bxt_basis to = {0};
	bxt_status status = BXT_OK;
	for (int j = 0; j < r && status == BXT_OK; j++)
		status = bxt_basis_add(&to, b->n, NULL, NULL);
	if (status == BXT_OK && r > 0) {
		add_product(b->n, b->r, b->v, u, r, to.v);
		add_product(b->n, b->r, b->q, u, r, to.q);
	}
	if (status != BXT_OK) {
		bxt_basis_free(&to);
		return status;
	}
	to.n = b->n;
	bxt_basis_free(b);
	*b = to;
	return BXT_OK;
}

bxt_status bxt_singular_values(int rows, int columns, double *a, double *values, double *u)
{
	const int least = rows < columns ? rows : columns;
	int info = 0, lwork = -1;
	double size = 0, *work = NULL;
	if (least == 0)
		return BXT_OK;
	int *iwork = malloc(8 * (size_t)least * sizeof *iwork);
	double *vt = malloc((size_t)least * (size_t)columns * sizeof *vt);
	if (iwork && vt) {
		dgesdd_("S", &rows, &columns, a, &rows, values, u, &rows, vt, &least, &size, &lwork,
			iwork, &info, 1);
		lwork = (int)size;
		work = malloc(((size_t)lwork + 1) * sizeof *work);
	}
	if (work)
		dgesdd_("S", &rows, &columns, a, &rows, values, u, &rows, vt, &least, work, &lwork,
			iwork, &info, 1);
	const bool memory = work != NULL;
	free(iwork);
	free(vt);
	free(work);
	return !memory ? BXT_ERR_MEMORY : info == 0 ? BXT_OK : BXT_ERR_NOT_FINITE;
}
