/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Galerkin's method (reduced.h). With a(z', z) = -v'.D v - v'.K q + q'.K v the matrix of the states
 * z_i and of the flows w_k that ports cause at once is
 *
 *     G_ij = a(z_i, z_j),   J = (G - G^T)/2,   R = -(G + G^T)/2
 *
 * and v'.R v = -a(z, z) >= 0. A port with effort u has the power u v_port: its column of B is the
 * flow of each state at the port. A port with flow u adds the flows u c, where c has no loss: its
 * column is a(z_i, c).
 */
#include "study/reduce/reduced.h"

#include "ground/base/vector.h"
#include "ground/sparse/lapack.h"
#include "study/reduce/shifted.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * Negative loss, relative to the largest loss, beyond which it is not the round-off of matrix
 * products.
 */
static const double NEGATIVE = 1e-9;
/* Violation of a condition on q beyond which it is not the error of a run. */
static const double VIOLATED = 1e-6;
/*
 * Flows that a port causes at once, relative to 1 through the port, up to which they are round-off.
 */
static const double NO_FLOW = 1e-12;

/* ---- Products ---- */

/* a(., z) as (-D v - K q, K v) in to (2n); q NULL: 0 */
static void apply_form(const bxt_part_model *p, const double *v, const double *q, double *to)
{
	memset(to, 0, 2 * (size_t)p->n * sizeof *to);
	bxt_sparse_multiply(&p->damping, -1, v, to);
	if (q)
		bxt_sparse_multiply(&p->stiffness, -1, q, to);
	bxt_sparse_multiply(&p->stiffness, 1, v, to + p->n);
}

/* ---- Flows that ports cause at once ---- */

/*
 * Finds the flows that each input causes, and stores independent, orthonormal ones as columns of
 * extra.
 */
static bxt_status find_extra(const bxt_part_model *p, bxt_algebra *algebra, bxt_basis *extra)
{
	double *f = malloc(((size_t)p->n + 1) * sizeof *f);
	bxt_status status = f ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < bxt_part_inputs(p) && status == BXT_OK; k++) {
		double *v, largest = 0;
		if (k < p->n_ports && p->port[k].takes_flow)
			continue;
		memset(f, 0, (size_t)p->n * sizeof *f);
		if (k < p->n_ports)
			f[p->port[k].coord] = 1;
		else
			memcpy(f, p->force, (size_t)p->n * sizeof *f);
		if ((status = bxt_basis_add(extra, p->n, &v, NULL)) != BXT_OK)
			break;
		status = bxt_algebra_complete(algebra, NULL, f, v);
		for (int pass = 0; pass < 2 && status == BXT_OK; pass++) {
			const double before = sqrt(bxt_dot(p->n, v, v));
			for (int j = 0; j + 1 < extra->r; j++) {
				const double *u = bxt_basis_v(extra, j), c = bxt_dot(p->n, u, v);
				for (int i = 0; i < p->n; i++)
					v[i] -= c * u[i];
			}
			largest = sqrt(bxt_dot(p->n, v, v));
			if (largest <= NO_FLOW * before)
				largest = 0;
			for (int i = 0; i < p->n && largest > 0; i++)
				v[i] /= largest;
		}
		if (largest == 0)
			extra->r--;
	}
	free(f);
	return status;
}

/* ---- Matrices ---- */

static const double *column_v(const bxt_basis *z, const bxt_basis *extra, int j)
{
	return j < z->r ? bxt_basis_v(z, j) : bxt_basis_v(extra, j - z->r);
}

static const double *column_q(const bxt_basis *z, const bxt_basis *extra, int j)
{
	return j < z->r ? bxt_basis_q(z, j) : bxt_basis_q(extra, j - z->r);
}

/* to[i] = a(z_i, (v, q)) for all columns. */
static void test_all(const bxt_part_model *p, const bxt_basis *z, const bxt_basis *extra,
		     const double *applied, double *to)
{
	for (int i = 0; i < z->r + extra->r; i++)
		to[i] = bxt_dot(p->n, column_v(z, extra, i), applied) +
			bxt_dot(p->n, column_q(z, extra, i), applied + p->n);
}

static void split(bxt_reduced *m, const double *g)
{
	const size_t n = (size_t)m->n;
	const double half = 0.5;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			m->j[i + n * j] = half * (g[i + n * j] - g[j + n * i]);
			m->loss[i + n * j] = -half * (g[i + n * j] + g[j + n * i]);
		}
}

static void find_inputs(bxt_reduced *m, const bxt_part_model *p, const bxt_algebra *algebra,
			const bxt_basis *z, const bxt_basis *extra, double *work)
{
	for (int k = 0; k < m->inputs; k++) {
		double *b = m->b + (size_t)k * (size_t)m->n;
		const double *through = k < p->n_ports ? bxt_algebra_through(algebra, k) : NULL;
		if (through) {
			apply_form(p, through, NULL, work);
			test_all(p, z, extra, work, b);
			continue;
		}
		for (int i = 0; i < m->n; i++) {
			const double *v = column_v(z, extra, i);
			b[i] = k < p->n_ports ? v[p->port[k].coord] : bxt_dot(p->n, v, p->force);
		}
	}
}

/* The flows that port k causes at once at other ports: y_l = c[l] u_k, and y_k = -c[l] u_l. */
static bxt_status find_feed(bxt_reduced *m, const bxt_part_model *p, const bxt_algebra *algebra)
{
	const size_t n = (size_t)m->inputs;
	m->feed = BXT_NEW(m->arena, double, n *n);
	bool any = false;
	if (!m->feed)
		return BXT_ERR_MEMORY;
	for (size_t k = 0; k < (size_t)p->n_ports; k++) {
		const double *c = bxt_algebra_through(algebra, (int)k);
		for (size_t l = 0; l < (size_t)p->n_ports && c; l++) {
			const double f = c[p->port[l].coord];
			if (p->port[l].takes_flow || fabs(f) < NO_FLOW)
				continue;
			m->feed[l + n * k] = f;
			m->feed[k + n * l] = -f;
			any = true;
		}
	}
	if (!any)
		m->feed = NULL;
	return BXT_OK;
}

/* ---- Losses ---- */

/* The largest entry of J and R [s-1]. */
static double scale_of(const bxt_reduced *m)
{
	double largest = 0;
	for (int k = 0; k < m->n * m->n; k++)
		largest = fmax(largest, fmax(fabs(m->j[k]), fabs(m->loss[k])));
	return largest;
}

/* Eigenvalues w, ascending, and eigenvectors a of the k rows and columns of R from `first` on. */
static bxt_status eigen(bxt_reduced *m, int first, int k, double **a, double **w)
{
	int info = 0;
	const int lwork = 4 * m->n + 1;
	double *work = BXT_NEW(m->arena, double, (size_t)lwork);
	*a = BXT_NEW(m->arena, double, (size_t)k *(size_t)k);
	*w = BXT_NEW(m->arena, double, (size_t)k);
	if (!*a || !*w || !work)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < k; j++)
		memcpy(*a + (size_t)k * (size_t)j,
		       m->loss + (size_t)m->n * (size_t)(first + j) + first,
		       (size_t)k * sizeof **a);
	if (k > 0)
		dsyev_("V", "U", &k, *a, &k, *w, work, &lwork, &info, 1, 1);
	return info ? BXT_ERR_NOT_FINITE : BXT_OK;
}

static bxt_status check_loss(bxt_reduced *m, const bxt_part_model *p, bxt_diagnostics *d)
{
	double *a, *w;
	const double scale = scale_of(m);
	if (m->n == 0)
		return BXT_OK;
	BXT_TRY(eigen(m, 0, m->n, &a, &w));
	m->least_loss = scale > 0 ? w[0] / scale : 0;
	if (m->least_loss >= -NEGATIVE)
		return BXT_OK;
	bxt_error(d, p->place,
		  "part '%s' is not passive: it has a negative loss, and would not be stable",
		  p->path);
	return BXT_ERR_MODEL;
}

/* A part of the rows of a matrix: entry (i, c) is a[row * i + column * c], c < columns. */
struct rows {
	double *a;
	size_t row, column;
	int columns;
};

/* Rows first ... first + k - 1 <- Q^T of them. */
static void turn_rows(struct rows m, int first, int k, const double *q, double *work)
{
	for (size_t c = 0; c < (size_t)m.columns; c++) {
		double *at = m.a + m.row * (size_t)first + m.column * c;
		for (int i = 0; i < k; i++) {
			work[i] = 0;
			for (int l = 0; l < k; l++)
				work[i] += q[l + k * i] * at[m.row * (size_t)l];
		}
		for (int i = 0; i < k; i++)
			at[m.row * (size_t)i] = work[i];
	}
}

/* Transforms rows and columns of J and R, and the rows of B. */
static void turn(bxt_reduced *m, int first, int k, const double *q, double *work)
{
	const size_t n = (size_t)m->n;
	double *const both[] = {m->j, m->loss};
	for (int h = 0; h < 2; h++) {
		turn_rows((struct rows){both[h], 1, n, m->n}, first, k, q, work);
		turn_rows((struct rows){both[h], n, 1, m->n}, first, k, q, work);
	}
	turn_rows((struct rows){m->b, 1, n, m->inputs}, first, k, q, work);
}

/* Row `to` += f row `from`. */
static void add_row(struct rows m, int to, int from, double f)
{
	for (size_t c = 0; c < (size_t)m.columns; c++)
		m.a[m.row * (size_t)to + m.column * c] +=
			f * m.a[m.row * (size_t)from + m.column * c];
}

/*
 * Adds flows without energy to the states, so that R does not couple them: with S the diagonal
 * block of these flows x' = x, w' = w + S^-1 R_wx x. E stays as it is.
 */
static void uncouple(bxt_reduced *m, const double *s, double least)
{
	const size_t n = (size_t)m->n;
	double *const both[] = {m->j, m->loss};
	for (int k = 0; k < m->w; k++)
		for (int i = 0; i < m->r && s[k] > least; i++) {
			const int w = m->r + k;
			const double f = -m->loss[(size_t)w + n * (size_t)i] / s[k];
			for (int h = 0; h < 2; h++) {
				add_row((struct rows){both[h], 1, n, m->n}, i, w, f);
				add_row((struct rows){both[h], n, 1, m->n}, i, w, f);
			}
			add_row((struct rows){m->b, 1, n, m->inputs}, i, w, f);
		}
}

/* Keeps only the diagonal of R, from `first` on. J becomes exactly skew. */
static void clean(bxt_reduced *m, int first, int k, const double *w, double least)
{
	const size_t n = (size_t)m->n;
	for (int j = first; j < first + k; j++) {
		for (size_t i = 0; i < n; i++)
			m->loss[i + n * (size_t)j] = 0;
		m->loss[(size_t)j * (n + 1)] = w[j - first] > least ? w[j - first] : 0;
	}
	for (size_t j = 0; j < n; j++)
		for (size_t i = 0; i <= j; i++) {
			const double half = (m->j[i + n * j] - m->j[j + n * i]) / 2;
			m->j[i + n * j] = half;
			m->j[j + n * i] = -half;
		}
}

/*
 * Rotates the states so that R is diagonal and thus positive semidefinite in spite of round-off.
 * The states with energy stay orthonormal.
 */
static bxt_status diagonalise(bxt_reduced *m, bxt_basis *z)
{
	double *q, *w, *s;
	const double least = DBL_EPSILON * scale_of(m);
	double *work = BXT_NEW(m->arena, double, (size_t)m->n);
	if (!work)
		return BXT_ERR_MEMORY;
	BXT_TRY(eigen(m, m->r, m->w, &q, &s));
	turn(m, m->r, m->w, q, work);
	uncouple(m, s, least);
	BXT_TRY(eigen(m, 0, m->r, &q, &w));
	turn(m, 0, m->r, q, work);
	clean(m, 0, m->r, w, least);
	clean(m, m->r, m->w, s, least);
	for (int k = 0; k < m->inputs; k++)
		bxt_reduced_round(m->b + (size_t)k * (size_t)m->n, m->n);
	return bxt_basis_combine(z, q, m->r);
}

void bxt_reduced_round(double *column, int n)
{
	static const double ROUND_OFF = 64 * DBL_EPSILON;
	double largest = 0;
	for (int i = 0; i < n; i++)
		largest = fmax(largest, fabs(column[i]));
	for (int i = 0; i < n; i++)
		if (fabs(column[i]) <= ROUND_OFF * largest)
			column[i] = 0;
}

/* ---- Filling ---- */

static bxt_status fill_reduced(bxt_reduced *m, const bxt_part_model *p, const bxt_algebra *algebra,
			       const bxt_basis *z, const bxt_basis *extra)
{
	const size_t n = (size_t)m->n;
	double *g = BXT_NEW(m->arena, double, n *n);
	double *work = BXT_NEW(m->arena, double, 2 * (size_t)p->n);
	m->j = BXT_NEW(m->arena, double, n *n);
	m->loss = BXT_NEW(m->arena, double, n *n);
	m->b = BXT_NEW(m->arena, double, n *(size_t)m->inputs);
	m->start = BXT_NEW(m->arena, double, n);
	if (!g || !work || !m->j || !m->loss || !m->b || !m->start)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < m->n; j++) {
		apply_form(p, column_v(z, extra, j), column_q(z, extra, j), work);
		test_all(p, z, extra, work, g + n * (size_t)j);
	}
	split(m, g);
	find_inputs(m, p, algebra, z, extra, work);
	return find_feed(m, p, algebra);
}

/* ---- Making ---- */

static bxt_status prepare_basis(const bxt_part_model *p, bxt_algebra *algebra, bxt_basis *z,
				bxt_diagnostics *d)
{
	int at = 0;
	if (p->has_force && bxt_algebra_violation(algebra, NULL, &at) > VIOLATED) {
		bxt_error(d, p->place_of[at],
			  "part '%s': the constant force at '%s' is not held by a loss or a mass; "
			  "cut its element off first",
			  p->path, p->name[at]);
		return BXT_ERR_MODEL;
	}
	for (int j = 0; j < z->r; j++)
		bxt_algebra_close_ports(algebra, bxt_basis_v(z, j));
	BXT_TRY(bxt_basis_orthonormalise(p, z, NULL, d));
	for (int j = 0; j < z->r; j++) {
		int coord = 0;
		BXT_TRY(bxt_algebra_complete(algebra, bxt_basis_q(z, j), NULL, bxt_basis_v(z, j)));
		const double violation = bxt_algebra_violation(algebra, bxt_basis_q(z, j), &coord);
		if (violation <= VIOLATED)
			continue;
		bxt_error(d, p->place_of[coord],
			  "part '%s': a mode violates a relation between stores without loss at "
			  "'%s' by %g; its run or snapshots are not accurate enough, or the port "
			  "imposes the energy of a store",
			  p->path, p->name[coord], violation);
		return BXT_ERR_MODEL;
	}
	return BXT_OK;
}

bxt_status bxt_reduced_new(const bxt_part_model *part, bxt_algebra *algebra, bxt_basis *basis,
			   bxt_diagnostics *d, bxt_reduced **out)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_reduced *m = arena ? BXT_NEW(arena, bxt_reduced, 1) : NULL;
	bxt_basis extra = {.n = part->n};
	*out = NULL;
	if (!m) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	m->arena = arena;
	bxt_status status = prepare_basis(part, algebra, basis, d);
	if (status == BXT_OK)
		status = find_extra(part, algebra, &extra);
	if (status == BXT_OK) {
		m->r = basis->r;
		m->w = extra.r;
		m->n = m->r + m->w;
		m->inputs = bxt_part_inputs(part);
		status = fill_reduced(m, part, algebra, basis, &extra);
	}
	if (status == BXT_OK)
		status = check_loss(m, part, d);
	if (status == BXT_OK)
		status = diagonalise(m, basis);
	bxt_basis_free(&extra);
	if (status == BXT_OK)
		*out = m;
	else
		bxt_reduced_free(m);
	return status;
}

bxt_reduced *bxt_reduced_free(bxt_reduced *m)
{
	if (m)
		bxt_arena_free(m->arena);
	return NULL;
}
