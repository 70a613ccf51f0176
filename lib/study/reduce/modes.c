/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Modes of a model with the Lagrangian L(q, v): of the snapshots q - q0 the first singular vectors
 * in the product of M = d2L/dv2 at the start, behind v0/|v0|. With q = q0 + U x the Lagrangian L(q0
 * + U x, U x') has the inertia U^T M U, and rows A v = 0 with a constant A hold for every column of
 * U.
 */
#include "study/reduce/modes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The mass matrix of a simulation at its start, as that of a part without anything else. */
static bxt_status mass_of(bxt_arena *arena, const bxt_system *system, const bxt_run_def *def,
			  bxt_diagnostics *d, bxt_part_model *p)
{
	bxt_simulation *m = NULL;
	bxt_csc found = {.size = sizeof found};
	BXT_TRY(bxt_simulation_new(system, def, d, &m));
	bxt_status status = bxt_simulation_matrix(m, BXT_MATRIX_MASS, &found);
	if (status == BXT_OK) {
		const size_t n = (size_t)system->n, nnz = (size_t)found.colptr[n];
		p->n = system->n;
		p->path = "";
		p->place = system->net->origin.netlist->root->place;
		p->mass = (bxt_sparse){(int)n, (int)n, BXT_NEW(arena, int, n + 1),
				       BXT_NEW(arena, int, nnz), BXT_NEW(arena, double, nnz)};
		p->stiffness = (bxt_sparse){(int)n, (int)n, BXT_NEW(arena, int, n + 1),
					    BXT_NEW(arena, int, 0), BXT_NEW(arena, double, 0)};
		if (!p->mass.colptr || !p->mass.rowind || !p->mass.values || !p->stiffness.colptr ||
		    !p->stiffness.rowind || !p->stiffness.values)
			status = BXT_ERR_MEMORY;
		for (size_t i = 0; i <= n && status == BXT_OK; i++)
			p->mass.colptr[i] = found.colptr[i];
		for (size_t i = 0; i < nnz && status == BXT_OK; i++) {
			p->mass.rowind[i] = found.rowind[i];
			p->mass.values[i] = found.values[i];
		}
	}
	bxt_simulation_free(m);
	return status;
}

/* Removes the direction of v0 from all later columns. */
static bxt_status take_out_first(const bxt_part_model *p, bxt_basis *b)
{
	double energy, *c = malloc(((size_t)b->r + 1) * sizeof *c);
	bxt_basis first = {.n = b->n, .r = 1, .v = b->v, .q = b->q};
	bxt_status status = c ? bxt_basis_energy(p, b->v, b->q, &energy) : BXT_ERR_MEMORY;
	for (int i = 0; i < b->n && status == BXT_OK; i++)
		b->v[i] /= sqrt(energy);
	for (int j = 1; j < b->r && status == BXT_OK; j++) {
		double *v = bxt_basis_v(b, j);
		for (int pass = 0; pass < 2 && status == BXT_OK; pass++) {
			status = bxt_basis_project(p, &first, v, bxt_basis_q(b, j), c);
			for (int i = 0; i < b->n && status == BXT_OK; i++)
				v[i] -= c[0] * b->v[i];
		}
	}
	free(c);
	return status;
}

/* Columns v0 (if it is not 0) and q - q0, treated as flows: their product is that of M. */
static bxt_status find_columns(const bxt_part_model *p, const bxt_trajectory *run, bxt_basis *out,
			       bool *moves)
{
	double *v, energy;
	BXT_TRY(bxt_basis_energy(p, run->v, run->q, &energy));
	*moves = energy > 0;
	if (*moves) {
		BXT_TRY(bxt_basis_add(out, p->n, &v, NULL));
		memcpy(v, run->v, (size_t)p->n * sizeof *v);
	}
	for (size_t k = 1; k < run->rows; k++) {
		BXT_TRY(bxt_basis_add(out, p->n, &v, NULL));
		for (int i = 0; i < p->n; i++)
			v[i] = run->q[(size_t)p->n * k + (size_t)i] - run->q[i];
	}
	return *moves ? take_out_first(p, out) : BXT_OK;
}

/* The columns after the first one, by themselves. */
static bxt_basis behind(const bxt_basis *b, int first)
{
	return (bxt_basis){.n = b->n,
			   .r = b->r - first,
			   .v = b->v ? bxt_basis_v(b, first) : NULL,
			   .q = b->q ? bxt_basis_q(b, first) : NULL};
}

static bxt_status keep_modes(bxt_arena *arena, const bxt_part_model *p, const bxt_trajectory *run,
			     const bxt_basis *columns, const bxt_basis *modes, bool moves,
			     bxt_modes *out)
{
	const size_t n = (size_t)p->n, first = moves;
	double energy = 0;
	const int r = modes->r + (int)first;
	double *u = BXT_NEW(arena, double, n *(size_t)r);
	double *rate = BXT_NEW(arena, double, (size_t)r), *q0 = BXT_NEW(arena, double, n);
	if (!u || !rate || !q0)
		return BXT_ERR_MEMORY;
	if (moves) {
		memcpy(u, columns->v, n * sizeof *u);
		BXT_TRY(bxt_basis_energy(p, run->v, run->q, &energy));
		rate[0] = sqrt(energy);
	}
	if (modes->r > 0)
		memcpy(u + n * first, modes->v, n * (size_t)modes->r * sizeof *u);
	memcpy(q0, run->q, n * sizeof *q0);
	out->n = p->n;
	out->r = r;
	out->q0 = q0;
	out->u = u;
	out->rate = rate;
	return BXT_OK;
}

/* The snapshots in modes. */
static bxt_status project_run(bxt_arena *arena, const bxt_part_model *p, const bxt_trajectory *run,
			      bxt_modes *out)
{
	const size_t n = (size_t)p->n, r = (size_t)out->r;
	double *at = BXT_NEW(arena, double, r * run->rows);
	double *moving = BXT_NEW(arena, double, r * run->rows);
	double *apart = BXT_NEW(arena, double, n), *rest = BXT_NEW(arena, double, n *r);
	double *u = BXT_NEW(arena, double, n *r);
	if (!at || !moving || !apart || !rest || !u)
		return BXT_ERR_MEMORY;
	memcpy(u, out->u, n * r * sizeof *u);
	const bxt_basis modes = {.n = p->n, .r = out->r, .v = u, .q = rest};
	for (size_t k = 0; k < run->rows; k++) {
		for (size_t i = 0; i < n; i++)
			apart[i] = run->q[n * k + i] - run->q[i];
		BXT_TRY(bxt_basis_project(p, &modes, apart, rest, at + r * k));
		BXT_TRY(bxt_basis_project(p, &modes, run->v + n * k, rest, moving + r * k));
	}
	out->at = at;
	out->moving = moving;
	return BXT_OK;
}

bxt_status bxt_modes_find(bxt_arena *arena, const bxt_trajectory *run, const bxt_run_def *def,
			  const bxt_method_def *method, bxt_diagnostics *d, bxt_modes *out,
			  bxt_method_result *result)
{
	const bxt_system *system = out->system;
	bxt_part_model p = {.arena = arena};
	bxt_basis columns = {.n = system->n}, modes = {.n = system->n};
	bxt_method_def own = *method;
	bool moves = false;
	bxt_status status = mass_of(arena, system, def, d, &p);
	if (status == BXT_OK && p.mass.colptr[p.n] == 0) {
		bxt_error(d, p.place, "the model has no inertia, by which modes are told apart");
		status = BXT_ERR_MODEL;
	}
	if (status == BXT_OK)
		status = find_columns(&p, run, &columns, &moves);
	const bxt_basis snapshots = behind(&columns, moves);
	own.snapshots = &snapshots;
	own.modes = method->modes > 0 ? method->modes - (int)moves : 0;
	if (status == BXT_OK && (own.modes > 0 || method->modes == 0))
		status = bxt_method_pod.find(&p, NULL, &own, d, &modes, result);
	if (status == BXT_OK)
		status = keep_modes(arena, &p, run, &columns, &modes, moves, out);
	if (status == BXT_OK)
		status = project_run(arena, &p, run, out);
	bxt_basis_free(&columns);
	bxt_basis_free(&modes);
	return status;
}
