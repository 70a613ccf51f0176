/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Massless flows (algebra.h has the equations). Z is a sparse basis of the kernel of the massless
 * columns of A. T is solved with its kernel W as a border, [T W; W^T 0], so that w has no component
 * along undetermined directions.
 */
#include "study/reduce/algebra.h"

#include "ground/base/tolerances.h"

#include "ground/solver/linsol.h"
#include "ground/solver/subspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bxt_algebra {
	bxt_arena *arena;
	bxt_part_model *part;
	bool *massless;     /* (n) */
	bxt_sparse z;       /* (n x k) */
	bxt_sparse idle;    /* Z W (n x kernel) */
	bxt_linsol *solver; /* of the bordered T; NULL: k = 0 */
	bxt_sparse bordered;
	int kernel;
	double **through; /* (ports) */
	double *work;     /* (n) */
	double *right;    /* (k + kernel) */
};

/* Terms of a condition below this fraction of the largest term are round-off of the solution. */
static const double ROUND_OFF = 1e-11;

/* ---- Z ---- */

bool bxt_algebra_is_free(const bxt_algebra *a, int coord)
{
	for (int k = 0; k < a->part->n_ports; k++)
		if (a->part->port[k].coord == coord)
			return !a->part->port[k].takes_flow;
	return true;
}

static bxt_status find_z(bxt_algebra *a)
{
	const bxt_part_model *p = a->part;
	int *place = BXT_NEW(a->arena, int, (size_t)p->n);
	int *back = BXT_NEW(a->arena, int, (size_t)p->n);
	int n = 0;
	bxt_sparse columns, kernel;
	if (!place || !back)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->n; i++) {
		place[i] = a->massless[i] && bxt_algebra_is_free(a, i) ? n : -1;
		if (place[i] >= 0)
			back[n++] = i;
	}
	BXT_TRY(bxt_sparse_select(a->arena, &p->rows, NULL, p->m, place, n, &columns));
	BXT_TRY(bxt_sparse_null_space(a->arena, &columns, BXT_DEPENDENT, &kernel));
	return bxt_sparse_select(a->arena, &kernel, back, p->n, NULL, kernel.ncol, &a->z);
}

/* T = Z^T D Z, and W = ker T; idle = Z W. */
static bxt_status find_kernel(bxt_algebra *a, bxt_sparse *t, bxt_sparse *w)
{
	bxt_sparse dz, zt;
	BXT_TRY(bxt_sparse_product(a->arena, &a->part->damping, &a->z, &dz));
	BXT_TRY(bxt_sparse_transpose(a->arena, &a->z, &zt));
	BXT_TRY(bxt_sparse_product(a->arena, &zt, &dz, t));
	BXT_TRY(bxt_sparse_null_space(a->arena, t, BXT_DEPENDENT, w));
	return bxt_sparse_product(a->arena, &a->z, w, &a->idle);
}

/* ---- Ports ---- */

/*
 * Scales column c so that its flow through the port is 1, and removes the port from the other
 * columns.
 */
static void eliminate(const bxt_part_model *p, double *column, int n_columns, int c, int port)
{
	const int n = p->n, at = p->port[port].coord;
	double *pivot = column + (size_t)c * (size_t)n;
	const double scale = pivot[at];
	for (int i = 0; i < n; i++)
		pivot[i] /= scale;
	for (int j = 0; j < n_columns; j++) {
		double *other = column + (size_t)j * (size_t)n;
		const double factor = j == c ? 0 : other[at];
		for (int i = 0; i < n && factor != 0; i++)
			other[i] -= factor * pivot[i];
	}
}

/* Finds the port with an effort, and the column, with the largest flow; false: none is left. */
static bool choose_column(const bxt_algebra *a, const double *column, int n_columns,
			  const bool *done, int *port, int *c)
{
	const bxt_part_model *p = a->part;
	double best = BXT_NULL_PART;
	for (int k = 0; k < p->n_ports; k++)
		for (int j = 0; j < n_columns; j++) {
			const double f =
				fabs(column[(size_t)j * (size_t)p->n + (size_t)p->port[k].coord]);
			if (!p->port[k].takes_flow && !done[j] && f > best) {
				best = f;
				*port = k;
				*c = j;
			}
		}
	return best > BXT_NULL_PART;
}

/* Changes ports to take flows along the kernel; *found: the number of ports changed. */
static bxt_status take_flows(bxt_algebra *a, int *found)
{
	bxt_part_model *p = a->part;
	const int kernel = a->idle.ncol;
	double *column = BXT_NEW(a->arena, double, (size_t)p->n *(size_t)kernel);
	bool *done = BXT_NEW(a->arena, bool, (size_t)kernel);
	int port = 0, c = 0;
	*found = 0;
	if (!column || !done)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < kernel; j++)
		for (int k = a->idle.colptr[j]; k < a->idle.colptr[j + 1]; k++)
			column[(size_t)j * (size_t)p->n + (size_t)a->idle.rowind[k]] =
				a->idle.values[k];
	while (choose_column(a, column, kernel, done, &port, &c)) {
		eliminate(p, column, kernel, c, port);
		p->port[port].takes_flow = done[c] = true;
		a->through[port] = column + (size_t)c * (size_t)p->n;
		++*found;
	}
	/* earlier columns must not contain the flow of a later port */
	for (int k = 0; k < p->n_ports; k++)
		for (int j = 0; j < p->n_ports && a->through[k]; j++) {
			const double f = a->through[k][p->port[j].coord];
			for (int i = 0; i < p->n && j != k && a->through[j] && f != 0; i++)
				a->through[k][i] -= f * a->through[j][i];
		}
	return BXT_OK;
}

/* ---- The solver ---- */

static bxt_status factor_algebra(bxt_algebra *a, const bxt_sparse *t, const bxt_sparse *w,
				 bxt_diagnostics *d)
{
	bxt_entries e = {0};
	int culprit = -1;
	if (t->ncol == 0)
		return BXT_OK;
	bxt_status status = bxt_entries_add_matrix(&e, t, 0, 0, false);
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, w, 0, t->ncol, false);
	if (status == BXT_OK)
		status = bxt_entries_add_matrix(&e, w, t->ncol, 0, true);
	if (status == BXT_OK)
		status = bxt_entries_matrix(a->arena, &e, t->ncol + w->ncol, t->ncol + w->ncol,
					    &a->bordered);
	bxt_entries_free(&e);
	if (status == BXT_OK)
		status = bxt_linsol_create(&bxt_linsol_klu, &a->bordered, &a->solver);
	if (status == BXT_OK)
		status = bxt_linsol_factor(a->solver, a->bordered.values, &culprit);
	if (status == BXT_ERR_SINGULAR) {
		bxt_error(d, a->part->place,
			  "part '%s': its massless flows are not determined: a loss in it is "
			  "negative",
			  a->part->path);
		return BXT_ERR_MODEL;
	}
	return status;
}

static bxt_status make_algebra(bxt_algebra *a, bxt_diagnostics *d)
{
	const bxt_part_model *p = a->part;
	bxt_sparse t = {0}, w = {0};
	int found;
	a->massless = BXT_NEW(a->arena, bool, (size_t)p->n);
	a->through = BXT_NEW(a->arena, double *, (size_t)p->n_ports);
	a->work = BXT_NEW(a->arena, double, (size_t)p->n);
	if (!a->massless || !a->through || !a->work)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->n; i++)
		a->massless[i] = p->mass.colptr[i] == p->mass.colptr[i + 1];
	do {
		BXT_TRY(find_z(a));
		BXT_TRY(find_kernel(a, &t, &w));
		BXT_TRY(take_flows(a, &found));
	} while (found > 0);
	a->kernel = w.ncol;
	if (!(a->right = BXT_NEW(a->arena, double, (size_t)(t.ncol + w.ncol))))
		return BXT_ERR_MEMORY;
	return factor_algebra(a, &t, &w, d);
}

bxt_status bxt_algebra_new(bxt_part_model *part, bxt_diagnostics *d, bxt_algebra **out)
{
	bxt_arena *arena = bxt_arena_new();
	bxt_algebra *a = arena ? BXT_NEW(arena, bxt_algebra, 1) : NULL;
	*out = NULL;
	if (!a) {
		bxt_arena_free(arena);
		return BXT_ERR_MEMORY;
	}
	a->arena = arena;
	a->part = part;
	const bxt_status status = make_algebra(a, d);
	if (status == BXT_OK)
		*out = a;
	else
		bxt_algebra_free(a);
	return status;
}

bxt_algebra *bxt_algebra_free(bxt_algebra *a)
{
	if (a) {
		bxt_linsol_free(a->solver);
		bxt_arena_free(a->arena);
	}
	return NULL;
}

/* ---- Flows ---- */

bxt_status bxt_algebra_complete(bxt_algebra *a, const double *q, const double *f, double *v)
{
	const bxt_part_model *p = a->part;
	double *r = a->work;
	if (!a->solver)
		return BXT_OK;
	memset(r, 0, (size_t)p->n * sizeof *r);
	memset(a->right, 0, (size_t)a->bordered.ncol * sizeof *a->right);
	bxt_sparse_multiply(&p->damping, -1, v, r);
	if (q)
		bxt_sparse_multiply(&p->stiffness, -1, q, r);
	for (int i = 0; i < p->n && f; i++)
		r[i] += f[i];
	bxt_sparse_multiply_transposed(&a->z, 1, r, a->right);
	BXT_TRY(bxt_linsol_solve(a->solver, a->right));
	bxt_sparse_multiply(&a->z, 1, a->right, v);
	return BXT_OK;
}

const double *bxt_algebra_through(const bxt_algebra *a, int port)
{
	return a->through[port];
}

void bxt_algebra_close_ports(const bxt_algebra *a, double *v)
{
	const bxt_part_model *p = a->part;
	for (int k = 0; k < p->n_ports; k++) {
		if (!a->through[k])
			continue;
		const double flow = v[p->port[k].coord];
		for (int i = 0; i < p->n; i++)
			v[i] -= flow * a->through[k][i];
		v[p->port[k].coord] = 0;
	}
}

double bxt_algebra_violation(const bxt_algebra *a, const double *q, int *coord)
{
	const bxt_part_model *p = a->part;
	double worst = 0;
	if (q)
		memset(a->work, 0, (size_t)p->n * sizeof *a->work);
	else
		memcpy(a->work, p->force, (size_t)p->n * sizeof *a->work);
	if (q)
		bxt_sparse_multiply(&p->stiffness, 1, q, a->work);
	for (int j = 0; j < a->idle.ncol; j++) {
		double sum = 0, size = 0, largest = 0;
		int at = 0;
		for (int k = a->idle.colptr[j]; k < a->idle.colptr[j + 1]; k++) {
			const double term = a->idle.values[k] * a->work[a->idle.rowind[k]];
			sum += term;
			size += fabs(term);
			if (fabs(term) > largest) {
				largest = fabs(term);
				at = a->idle.rowind[k];
			}
		}
		if (size > 0 && fabs(sum) > ROUND_OFF * size && fabs(sum) / size > worst) {
			worst = fabs(sum) / size;
			*coord = at;
		}
	}
	return worst;
}
