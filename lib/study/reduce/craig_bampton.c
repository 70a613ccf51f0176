/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fixed-interface modes (Craig and Bampton, AIAA Journal 6, 1968): the coordinates of the ports
 * stay, and what is inside moves as
 *
 *     q_i = -K_ii^-1 K_ib q_b + Phi a,   K_ii phi = omega^2 M_ii phi
 *
 * with the lowest omega, found by subspace iteration of K_ii^-1 M_ii (Bathe). Coordinates and flows
 * have the same basis.
 */
#include "study/reduce/methods.h"

#include "ground/solver/linsol.h"
#include "ground/solver/subspace.h"
#include "ground/sparse/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MORE = 8, MOST_ITERATIONS = 200 };
/* Relative change of all 1/omega^2 below which the iteration has converged. */
static const double CONVERGED = 1e-13;

struct inside {
	const bxt_part_model *p;
	bxt_arena *arena;
	int n, *place, *back; /* inner coordinates; (p->n) index of each or -1; (n) inverse */
	bxt_sparse k;         /* K_ii */
	bxt_linsol *solver;
	double *right; /* (n) */
	double *work;  /* (p->n) */
};

/* ---- K_ii ---- */

static bxt_status check_ports(const bxt_part_model *p, bxt_diagnostics *d)
{
	for (int k = 0; k < p->n_ports; k++)
		if (p->port[k].kind->type != BXT_PORT_SHARED) {
			bxt_error(
				d, p->place,
				"part '%s': craig-bampton keeps the motion of ports, and its port "
				"'%s' is %s: choose another method",
				p->path, p->port[k].id, p->port[k].kind->name);
			return BXT_ERR_MODEL;
		}
	if (p->m == 0)
		return BXT_OK;
	bxt_error(
		d, p->place,
		"part '%s': craig-bampton is for parts without constraints: choose another method",
		p->path);
	return BXT_ERR_MODEL;
}

static bool is_port(const bxt_part_model *p, int coord)
{
	for (int k = 0; k < p->n_ports; k++)
		if (p->port[k].coord == coord)
			return true;
	return false;
}

static bxt_status factor_inside(struct inside *in, bxt_diagnostics *d)
{
	const bxt_part_model *p = in->p;
	int culprit = -1;
	in->place = BXT_NEW(in->arena, int, (size_t)p->n);
	in->back = BXT_NEW(in->arena, int, (size_t)p->n);
	in->right = BXT_NEW(in->arena, double, (size_t)p->n);
	in->work = BXT_NEW(in->arena, double, (size_t)p->n);
	if (!in->place || !in->back || !in->right || !in->work)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < p->n; i++) {
		in->place[i] = is_port(p, i) ? -1 : in->n;
		if (in->place[i] >= 0)
			in->back[in->n++] = i;
	}
	if (in->n == 0)
		return BXT_OK;
	BXT_TRY(bxt_sparse_select(in->arena, &p->stiffness, in->place, in->n, in->place, in->n,
				  &in->k));
	BXT_TRY(bxt_linsol_create(&bxt_linsol_klu, &in->k, &in->solver));
	const bxt_status status = bxt_linsol_factor(in->solver, in->k.values, &culprit);
	if (status != BXT_ERR_SINGULAR && culprit < 0)
		return status;
	const int at = culprit >= 0 ? in->back[culprit] : in->back[0];
	bxt_error(d, p->place_of[at],
		  "part '%s': with its ports held '%s' moves without a spring: choose another "
		  "method",
		  p->path, p->name[at]);
	return BXT_ERR_MODEL;
}

/* to <- K_ii^-1 f at inner coordinates, 0 at the ports. */
static bxt_status solve_inside(struct inside *in, const double *f, double *to)
{
	for (int i = 0; i < in->n; i++)
		in->right[i] = f[in->back[i]];
	if (in->n > 0)
		BXT_TRY(bxt_linsol_solve(in->solver, in->right));
	memset(to, 0, (size_t)in->p->n * sizeof *to);
	for (int i = 0; i < in->n; i++)
		to[in->back[i]] = in->right[i];
	return BXT_OK;
}

/* ---- Modes ---- */

/* (K_ii^-1 M_ii) of each column. */
static bxt_status iterate_subspace(struct inside *in, bxt_basis *x)
{
	for (int j = 0; j < x->r; j++) {
		double *q = bxt_basis_q(x, j);
		memset(in->work, 0, (size_t)in->p->n * sizeof *in->work);
		bxt_sparse_multiply(&in->p->mass, 1, q, in->work);
		BXT_TRY(solve_inside(in, in->work, q));
	}
	return BXT_OK;
}

/*
 * Makes the columns orthonormal in K: eigenvectors of X^T M X, the largest values 1/omega^2 first.
 */
static bxt_status rotate(struct inside *in, bxt_basis *x, double *values)
{
	const int r = x->r, lwork = 4 * r + 1;
	const size_t n = (size_t)in->p->n;
	double *m = calloc((size_t)r * (size_t)r + 1, sizeof *m);
	double *u = malloc(((size_t)r * (size_t)r + 1) * sizeof *u);
	double *work = malloc((size_t)lwork * sizeof *work);
	int info = 0;
	bxt_status status = m && u && work ? BXT_OK : BXT_ERR_MEMORY;
	for (int j = 0; j < r && status == BXT_OK; j++) {
		memset(in->work, 0, n * sizeof *in->work);
		bxt_sparse_multiply(&in->p->mass, 1, bxt_basis_q(x, j), in->work);
		for (int i = 0; i <= j; i++)
			for (size_t k = 0; k < n; k++)
				m[i + r * j] += bxt_basis_q(x, i)[k] * in->work[k];
	}
	if (status == BXT_OK) {
		dsyev_("V", "U", &r, m, &r, values, work, &lwork, &info, 1, 1);
		for (int j = 0; j < r; j++)
			memcpy(u + (size_t)r * (size_t)j, m + (size_t)r * (size_t)(r - 1 - j),
			       (size_t)r * sizeof *u);
		for (int j = 0; j < r / 2; j++) {
			const double swap = values[j];
			values[j] = values[r - 1 - j];
			values[r - 1 - j] = swap;
		}
		status = info ? BXT_ERR_NOT_FINITE : bxt_basis_combine(x, u, r);
	}
	free(m);
	free(u);
	free(work);
	return status;
}

/*
 * The first columns: cosine waves over the inner coordinates with a perturbation, so that they are
 * independent.
 */
static bxt_status start_subspace(const struct inside *in, int columns, bxt_basis *x)
{
	for (int j = 0; j < columns; j++) {
		double *q;
		BXT_TRY(bxt_basis_add(x, in->p->n, NULL, &q));
		for (int i = 0; i < in->n; i++)
			q[in->back[i]] = cos((j + 1) * (i + 0.5) * acos(-1) / (in->n + 1)) +
					 0.1 * cos(1.0 + (double)i * i * (j + 1));
	}
	return BXT_OK;
}

static bxt_status find_modes(struct inside *in, int modes, bxt_diagnostics *d, bxt_basis *x,
			     bxt_method_result *result)
{
	const int wanted = 2 * modes + MORE, columns = wanted < in->n ? wanted : in->n;
	double *values = calloc(2 * (size_t)columns + 1, sizeof *values);
	double *before = values ? values + columns : NULL, change = INFINITY;
	bxt_status status = values ? start_subspace(in, columns, x) : BXT_ERR_MEMORY;
	for (int it = 0; it < MOST_ITERATIONS && change > CONVERGED && status == BXT_OK; it++) {
		status = iterate_subspace(in, x);
		if (status == BXT_OK)
			status = bxt_basis_orthonormalise(in->p, x, NULL, d);
		if (status == BXT_OK && x->r < modes)
			break;
		if (status == BXT_OK)
			status = rotate(in, x, values);
		change = 0;
		for (int j = 0; j < modes && status == BXT_OK; j++) {
			change = fmax(change, fabs(values[j] - before[j]) / fabs(values[j]));
			before[j] = values[j];
		}
		result->iterations = it + 1;
	}
	result->stagnated = change > CONVERGED;
	free(values);
	if (status == BXT_OK && x->r < modes) {
		bxt_error(d, in->p->place,
			  "part '%s': %d modes are asked for, and %d masses move with its ports "
			  "held: ask for fewer",
			  in->p->path, modes, x->r);
		return BXT_ERR_MODEL;
	}
	x->r = modes;
	return status;
}

/* ---- The basis ---- */

/* Appends a column of coordinates, and the same one of flows. */
static bxt_status add_pair(const bxt_part_model *p, const double *phi, bxt_basis *out)
{
	double *v, *q;
	BXT_TRY(bxt_basis_add(out, p->n, &v, NULL));
	memcpy(v, phi, (size_t)p->n * sizeof *v);
	BXT_TRY(bxt_basis_add(out, p->n, NULL, &q));
	memcpy(q, phi, (size_t)p->n * sizeof *q);
	return BXT_OK;
}

/* The inner coordinates follow a displacement of one port by 1. */
static bxt_status add_ports(struct inside *in, double *phi, bxt_basis *out)
{
	const bxt_part_model *p = in->p;
	for (int k = 0; k < p->n_ports; k++) {
		memset(phi, 0, (size_t)p->n * sizeof *phi);
		memset(in->work, 0, (size_t)p->n * sizeof *in->work);
		phi[p->port[k].coord] = 1;
		bxt_sparse_multiply(&p->stiffness, -1, phi, in->work);
		BXT_TRY(solve_inside(in, in->work, phi));
		phi[p->port[k].coord] = 1;
		BXT_TRY(add_pair(p, phi, out));
		if (p->port[k].takes_flow) { /* only its flow is an input, and it is no state */
			double *q;
			BXT_TRY(bxt_basis_add(out, p->n, NULL, &q));
			q[p->port[k].coord] = 1;
		}
	}
	return BXT_OK;
}

static bxt_status find_craig_bampton(const bxt_part_model *p, bxt_algebra *algebra,
				     const bxt_method_def *def, bxt_diagnostics *d, bxt_basis *out,
				     bxt_method_result *result)
{
	struct inside in = {.p = p, .arena = bxt_arena_new()};
	bxt_basis modes = {.n = p->n};
	double *phi = in.arena ? BXT_NEW(in.arena, double, (size_t)p->n) : NULL;
	bxt_status status = phi ? check_ports(p, d) : BXT_ERR_MEMORY;
	(void)algebra;
	if (status == BXT_OK)
		status = factor_inside(&in, d);
	if (status == BXT_OK)
		status = find_modes(&in, def->modes, d, &modes, result);
	if (status == BXT_OK)
		status = add_ports(&in, phi, out);
	for (int j = 0; j < modes.r && status == BXT_OK; j++)
		status = add_pair(p, bxt_basis_q(&modes, j), out);
	bxt_basis_free(&modes);
	bxt_linsol_free(in.solver);
	bxt_arena_free(in.arena);
	return status;
}

const bxt_method bxt_method_craig_bampton = {
	.name = "craig-bampton",
	.doc = "the motion of the ports, and the lowest modes with the ports held",
	.find = find_craig_bampton,
};
