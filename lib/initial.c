/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "initial.h"

#include "correct.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CORRECTIONS = 20 };

/* A move below this part of the largest value of its kind is round-off and not worth a finding. */
static const double REPORTED = 1e-12;

/* Entries of a combined row below this of its largest are round-off. */
static const double CANCELLED = 1e-13;

struct start {
	const bxt_system *s;
	bxt_arena *arena;
	bxt_evaluator *e;
	bxt_loops *loops;
	bxt_velocity *velocity;
	double t0;
	double *q, *v, *p;             /* (size) caller's */
	double *q_written, *v_written; /* (size) as the netlist says */
	bool *held_q, *held_v;         /* (size) written in the netlist */
	bool *stiff;           /* (size) dF/dq has an entry: the coordinate's value matters */
	double *values;        /* (nnz + 1) */
	double *delta, *force; /* (size) */
};

static void read_written(struct start *a)
{
	const bxt_network *net = a->s->net;
	for (size_t i = 0; i < net->n_initials; i++) {
		const bxt_initial *w = &net->initials[i];
		const int first = w->instance >= 0 ? a->s->where.first_coord[w->instance]
						   : a->s->where.node_coord[w->node];
		const int x = a->s->x_of_coord[first + w->coordinate];
		(w->is_flow ? a->v : a->q)[x] = w->value;
		(w->is_flow ? a->held_v : a->held_q)[x] = true;
	}
	memcpy(a->q_written, a->q, (size_t)a->s->size * sizeof *a->q);
	memcpy(a->v_written, a->v, (size_t)a->s->size * sizeof *a->v);
}

/* All Jacobian forms with the given weights, into a->values. */
static void slopes(struct start *a, const bxt_weights *w)
{
	const bxt_point at = {a->q, a->v, a->t0};
	memset(a->values, 0, ((size_t)bxt_sparse_nnz(&a->s->pattern) + 1) * sizeof *a->values);
	bxt_evaluate_jacobian(a->e, BXT_FORM_JAC_CONST, at, w, a->values);
	bxt_evaluate_jacobian(a->e, BXT_FORM_JAC_DYN, at, w, a->values);
	bxt_evaluate_jacobian(a->e, BXT_FORM_JAC_CON, at, w, a->values);
}

/* ---- Corrections ------------------------------------------------------------------------------
 */

/* G^T restricted to the entries that may move: a combination y of rows with y^T G = 0 there can be
 * met by held values only. */
static bxt_status unmeetable(struct start *a, const bxt_rows *g, const bool *held, bxt_sparse *y)
{
	bxt_triplets t = {0};
	bxt_sparse free_part;
	int *slot = BXT_NEW(a->arena, int, g->count + 1);
	double *largest = BXT_NEW(a->arena, double, (size_t)g->r);
	bxt_status status = slot && largest ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (!held[g->col[k]] && g->value[k] != 0)
			status = bxt_triplets_add(&t, g->col[k], g->row[k]);
	if (status == BXT_OK)
		status = bxt_sparse_pattern(a->arena, &t, a->s->n, g->r, &free_part, slot);
	size_t at = 0;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (!held[g->col[k]] && g->value[k] != 0)
			free_part.values[slot[at++]] += g->value[k];
	/* what is left of a cancellation is no entry */
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		largest[g->row[k]] = fmax(largest[g->row[k]], fabs(g->value[k]));
	for (int i = 0; status == BXT_OK && i < g->r; i++)
		for (int k = free_part.colptr[i]; k < free_part.colptr[i + 1]; k++)
			if (fabs(free_part.values[k]) <= CANCELLED * largest[i])
				free_part.values[k] = 0;
	bxt_triplets_free(&t);
	return status == BXT_OK ? bxt_sparse_null_space(a->arena, &free_part, 0, y) : status;
}

/*
 * Takes out of the right side what only held values could meet: rhs -= G d, d the smallest move
 * with y^T G d = y^T rhs (fixed entries stay). The rest is met exactly and does not depend on how
 * the rows are combined; left in, such a part would be divided by the tiny epsilon of bxt_correct,
 * and the round-off of that would move other values.
 */
static bxt_status meetable(struct start *a, const bxt_rows *g, const bxt_sparse *h,
			   const bool *held, const bool *fixed, double *rhs)
{
	bxt_sparse y, yt;
	bxt_rows part = {0};
	BXT_TRY(unmeetable(a, g, held, &y));
	if (y.ncol == 0)
		return BXT_OK;
	BXT_TRY(bxt_sparse_transpose(a->arena, &y, &yt));
	double *want = BXT_NEW(a->arena, double, (size_t)y.ncol);
	bxt_status status = want ? BXT_OK : BXT_ERR_MEMORY;
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		for (int z = yt.colptr[g->row[k]]; z < yt.colptr[g->row[k] + 1]; z++)
			if (status == BXT_OK && held[g->col[k]] && !fixed[g->col[k]])
				status = bxt_rows_add(&part, yt.rowind[z], g->col[k],
						      yt.values[z] * g->value[k]);
	part.r = y.ncol;
	if (status == BXT_OK) {
		bxt_sparse_multiply_transposed(&y, 1, rhs, want);
		status = bxt_correct(&part, want, h, fixed, a->s->n, a->delta);
	}
	for (size_t k = 0; status == BXT_OK && k < g->count; k++)
		if (held[g->col[k]] && !fixed[g->col[k]])
			rhs[g->row[k]] -= g->value[k] * a->delta[g->col[k]];
	bxt_rows_free(&part);
	return status == BXT_ERR_SINGULAR ? BXT_OK : status;
}

/* ---- 1. Charges
 * ------------------------------------------------------------------------------------ */

/* Along W, but only in directions that leave written values alone: W N with N = ker of W's held
 * rows. */
static bxt_status close_unwritten(struct start *a)
{
	const bxt_sparse *w = &a->loops->w;
	bxt_sparse held = {a->s->n, w->ncol, BXT_NEW(a->arena, int, (size_t)w->ncol + 1),
			   BXT_NEW(a->arena, int, (size_t)bxt_sparse_nnz(w)),
			   BXT_NEW(a->arena, double, (size_t)bxt_sparse_nnz(w))};
	bxt_sparse n;
	int nnz = 0;
	if (!held.colptr || !held.rowind || !held.values)
		return BXT_ERR_MEMORY;
	for (int c = 0; c < w->ncol; c++) {
		for (int k = w->colptr[c]; k < w->colptr[c + 1]; k++)
			if (a->held_q[w->rowind[k]]) {
				held.rowind[nnz] = w->rowind[k];
				held.values[nnz++] = w->values[k];
			}
		held.colptr[c + 1] = nnz;
	}
	if (nnz == 0)
		return bxt_loops_close(a->loops, a->e, a->q, a->t0);
	BXT_TRY(bxt_sparse_null_space(a->arena, &held, 0, &n));
	if (n.ncol == 0)
		return BXT_OK;
	bxt_loops *part = NULL;
	bxt_status status = bxt_loops_within(a->e, (bxt_point){a->q, a->v, a->t0}, w, &n, &part);
	if (status == BXT_OK)
		status = bxt_loops_close(part, a->e, a->q, a->t0);
	bxt_loops_free(part);
	return status == BXT_ERR_SINGULAR ? BXT_OK : status; /* the next ways may do it */
}

/* The smallest change of unwritten charges: W^T dF/dq delta = -W^T F. */
static bxt_status correct_unwritten(struct start *a)
{
	static const bxt_weights stiffness = {{{[BXT_FQ] = 1}, {[BXT_FQ] = 1}}};
	static const bxt_weights only_force = {{{[BXT_F] = 1}, {[BXT_F] = 1}}};
	const bxt_system *s = a->s;
	const bxt_sparse *w = &a->loops->w, *p = &s->pattern;
	bxt_sparse wt;
	BXT_TRY(bxt_sparse_transpose(a->arena, w, &wt));
	double *rhs = BXT_NEW(a->arena, double, (size_t)w->ncol);
	const bool *none = BXT_NEW(a->arena, bool, (size_t)s->n);
	if (!rhs || !none)
		return BXT_ERR_MEMORY;
	double last = INFINITY;
	bxt_status status = BXT_OK;
	for (int it = 0; it < MAX_CORRECTIONS && status == BXT_OK; it++) {
		bxt_rows g = {.r = w->ncol};
		double size = 0;
		slopes(a, &stiffness);
		memset(a->force, 0, (size_t)s->size * sizeof *a->force);
		bxt_evaluate(a->e, BXT_FORM_REST, (bxt_point){a->q, a->v, a->t0}, &only_force,
			     a->force, NULL);
		memset(rhs, 0, (size_t)w->ncol * sizeof *rhs);
		bxt_sparse_multiply_transposed(w, -1, a->force, rhs);
		for (int j = 0; j < s->n; j++)
			for (int k = p->colptr[j]; k < p->colptr[j + 1] && status == BXT_OK; k++)
				for (int z = p->rowind[k] < s->n ? wt.colptr[p->rowind[k]] : 0;
				     p->rowind[k] < s->n && z < wt.colptr[p->rowind[k] + 1] &&
				     status == BXT_OK;
				     z++)
					if (a->values[k] != 0)
						status = bxt_rows_add(&g, wt.rowind[z], j,
								      wt.values[z] * a->values[k]);
		if (status == BXT_OK)
			status = meetable(a, &g, NULL, a->held_q, none, rhs);
		if (status == BXT_OK)
			status = bxt_correct(&g, rhs, NULL, a->held_q, s->n, a->delta);
		bxt_rows_free(&g);
		if (status == BXT_ERR_SINGULAR)
			return BXT_OK;
		for (int j = 0; status == BXT_OK && j < s->n; j++) {
			a->q[j] += a->delta[j];
			size = fmax(size, fabs(a->delta[j]));
		}
		if (size == 0 || size >= last)
			break;
		last = size;
	}
	return status;
}

static bxt_status close_loops(struct start *a)
{
	bxt_status status = bxt_loops_new(a->e, (bxt_point){a->q, a->v, a->t0}, &a->loops);
	/* an undetermined loop, or values that are no numbers: the check of the model names them */
	if (status == BXT_ERR_SINGULAR || status == BXT_ERR_NOT_FINITE)
		return BXT_OK;
	BXT_TRY(status);
	if (a->loops->r == 0)
		return BXT_OK;
	BXT_TRY(close_unwritten(a));
	BXT_TRY(correct_unwritten(a));
	return bxt_loops_close(a->loops, a->e, a->q, a->t0);
}

/* ---- 2. Flows with mass
 * ---------------------------------------------------------------------------- */

/* A as a sparse matrix over the kept rows (m x n), or only its massless columns. */
static bxt_status rows_matrix(struct start *a, bool massless_only, bxt_sparse *out)
{
	const bxt_system *s = a->s;
	const bxt_sparse *p = &s->pattern;
	int nnz = 0;
	for (int k = 0; k < p->colptr[s->n]; k++)
		nnz += p->rowind[k] >= s->n;
	*out = (bxt_sparse){s->m, s->n, BXT_NEW(a->arena, int, (size_t)s->n + 1),
			    BXT_NEW(a->arena, int, (size_t)nnz),
			    BXT_NEW(a->arena, double, (size_t)nnz)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	nnz = 0;
	for (int j = 0; j < s->n; j++) {
		for (int k = p->colptr[j];
		     k < p->colptr[j + 1] && !(massless_only && !s->pinned[j]); k++)
			if (p->rowind[k] >= s->n && p->rowind[k] < s->spare && a->values[k] != 0) {
				out->rowind[nnz] = p->rowind[k] - s->n;
				out->values[nnz++] = a->values[k];
			}
		out->colptr[j + 1] = nnz;
	}
	return BXT_OK;
}

/* G = Y^T A on columns with mass, where Y^T A_massless = 0. */
static bxt_status projected_rows(struct start *a, const bxt_sparse *y, const bxt_sparse *rows,
				 bxt_rows *g)
{
	bxt_sparse yt;
	BXT_TRY(bxt_sparse_transpose(a->arena, y, &yt));
	for (int j = 0; j < a->s->n; j++)
		for (int k = rows->colptr[j]; k < rows->colptr[j + 1] && !a->s->pinned[j]; k++)
			for (int z = yt.colptr[rows->rowind[k]]; z < yt.colptr[rows->rowind[k] + 1];
			     z++)
				BXT_TRY(bxt_rows_add(g, yt.rowind[z], j,
						     yt.values[z] * rows->values[k]));
	return BXT_OK;
}

/* rhs = Y^T (b - A v) with only the flows with mass in v: massless flows drop out. */
static void projected_residual(struct start *a, const bxt_sparse *y, double *rhs)
{
	static const bxt_weights rows_only = {{{[BXT_C] = -1}, {0}}};
	const bxt_system *s = a->s;
	memset(a->force, 0, (size_t)s->size * sizeof *a->force);
	memcpy(a->delta, a->v, (size_t)s->size * sizeof *a->v);
	for (int j = 0; j < s->n; j++)
		if (s->pinned[j])
			a->delta[j] = 0;
	bxt_evaluate(a->e, BXT_FORM_CONSTRAINT, (bxt_point){a->q, a->delta, a->t0}, &rows_only,
		     a->force, NULL);
	memset(rhs, 0, (size_t)y->ncol * sizeof *rhs);
	bxt_sparse_multiply_transposed(y, 1, a->force + s->n, rhs);
}

static bxt_status project_with(struct start *a, const bxt_rows *g, const bxt_sparse *y, double *rhs,
			       const bxt_sparse *h, const bool *held)
{
	for (int it = 0; it < 3; it++) { /* again for the tiny epsilon of the correction */
		projected_residual(a, y, rhs);
		BXT_TRY(meetable(a, g, h, held, a->s->pinned, rhs));
		bxt_status status = bxt_correct(g, rhs, h, held, a->s->n, a->delta);
		if (status == BXT_ERR_SINGULAR)
			return BXT_OK;
		BXT_TRY(status);
		for (int j = 0; j < a->s->n; j++)
			if (!held[j] && !a->s->pinned[j])
				a->v[j] += a->delta[j];
	}
	return BXT_OK;
}

static bxt_status project_flows(struct start *a)
{
	static const bxt_weights rows_only = {{{[BXT_CV] = 1}, {0}}};
	const bxt_system *s = a->s;
	bxt_sparse rows, massless, transposed, y;
	bxt_rows g = {0};
	bool any = false;
	for (int j = 0; j < s->n; j++)
		any = any || !s->pinned[j];
	if (!any || s->m == 0)
		return BXT_OK;
	slopes(a, &rows_only);
	BXT_TRY(rows_matrix(a, false, &rows));
	BXT_TRY(rows_matrix(a, true, &massless));
	BXT_TRY(bxt_sparse_transpose(a->arena, &massless, &transposed));
	BXT_TRY(bxt_sparse_null_space(a->arena, &transposed, 0, &y));
	if (y.ncol == 0)
		return BXT_OK;
	double *rhs = BXT_NEW(a->arena, double, (size_t)y.ncol);
	bool *fixed = BXT_NEW(a->arena, bool, (size_t)s->n);
	bxt_status status = rhs && fixed ? projected_rows(a, &y, &rows, &g) : BXT_ERR_MEMORY;
	g.r = y.ncol;
	if (status == BXT_OK)
		status = bxt_velocity_factor(a->velocity, a->e, (bxt_point){a->q, a->v, a->t0});
	for (int j = 0; status == BXT_OK && j < s->n; j++)
		fixed[j] = s->pinned[j] || a->held_v[j];
	if (status == BXT_OK)
		status = project_with(a, &g, &y, rhs, &a->velocity->mass, fixed);
	for (int j = 0; status == BXT_OK && j < s->n; j++)
		fixed[j] = s->pinned[j];
	if (status == BXT_OK)
		status = project_with(a, &g, &y, rhs, &a->velocity->mass, fixed);
	bxt_rows_free(&g);
	return status;
}

/* ---- Report
 * ---------------------------------------------------------------------------------------- */

static bxt_place place_of(const bxt_system *s, int x)
{
	const bxt_coord_info *c = &s->dirac.coord[s->coord_of_x[x]];
	return c->type == BXT_COORD_ELEMENT ? s->net->instances[c->owner].place
	       : c->type == BXT_COORD_NODE  ? s->net->nodes[c->owner].place
					    : s->net->ports[c->owner].place;
}

static void report_moves(struct start *a, bool flow, bxt_diagnostics *d)
{
	const bxt_system *s = a->s;
	const double *now = flow ? a->v : a->q, *then = flow ? a->v_written : a->q_written;
	bxt_buffer name = {0};
	double largest = 0;
	for (int j = 0; j < s->n; j++)
		largest = fmax(largest, fabs(now[j]));
	for (int j = 0; j < s->n; j++) {
		if (fabs(now[j] - then[j]) <= REPORTED * largest ||
		    (flow ? s->pinned[j] : !a->stiff[j]))
			continue;
		bxt_dirac_coord_name(s->net, &s->dirac.coord[s->coord_of_x[j]], flow, &name);
		if (!name.text)
			break;
		if ((flow ? a->held_v : a->held_q)[j])
			bxt_warning(d, place_of(s, j),
				    "initial value of %s moved from %.9g to %.9g (by %.3g): the "
				    "equations demand it",
				    name.text, then[j], now[j], now[j] - then[j]);
		else
			bxt_note(d, place_of(s, j), "%s starts at %.9g: the equations demand it",
				 name.text, now[j]);
	}
	bxt_buffer_free(&name);
}

/* Which coordinates' values enter a force at all. */
static void find_stiff(struct start *a)
{
	static const bxt_weights stiffness = {
		{{[BXT_FQ] = 1, [BXT_DQ] = 1}, {[BXT_FQ] = 1, [BXT_DQ] = 1}}};
	const bxt_sparse *p = &a->s->pattern;
	slopes(a, &stiffness);
	for (int j = 0; j < a->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++)
			a->stiff[j] = a->stiff[j] || a->values[k] != 0;
}

/* ---- The whole
 * ------------------------------------------------------------------------------------- */

static bxt_status prepare(struct start *a)
{
	const bxt_system *s = a->s;
	const size_t size = (size_t)s->size;
	a->arena = bxt_arena_new();
	if (!a->arena)
		return BXT_ERR_MEMORY;
	a->e = bxt_evaluator_new(s);
	a->q_written = BXT_NEW(a->arena, double, size);
	a->v_written = BXT_NEW(a->arena, double, size);
	a->held_q = BXT_NEW(a->arena, bool, size);
	a->held_v = BXT_NEW(a->arena, bool, size);
	a->stiff = BXT_NEW(a->arena, bool, size);
	a->delta = BXT_NEW(a->arena, double, size + BXT_LANES);
	a->force = BXT_NEW(a->arena, double, size + BXT_LANES);
	a->values = BXT_NEW(a->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	if (!a->e || !a->q_written || !a->v_written || !a->held_q || !a->held_v || !a->stiff ||
	    !a->delta || !a->force || !a->values)
		return BXT_ERR_MEMORY;
	return bxt_velocity_new(s, &a->velocity);
}

static bxt_status start(struct start *a, bxt_diagnostics *d)
{
	static const bxt_weights momentum = {{{[BXT_P] = 1}, {[BXT_P] = 1}}};
	BXT_TRY(prepare(a));
	bxt_evaluator_set_time(a->e, a->t0);
	read_written(a);
	find_stiff(a);
	BXT_TRY(close_loops(a));
	bxt_evaluator_set_time(a->e, a->t0);
	BXT_TRY(project_flows(a));
	bxt_evaluate(a->e, BXT_FORM_MOMENTUM, (bxt_point){a->q, a->v, a->t0}, &momentum, a->p,
		     NULL);
	a->p[a->s->spare] = a->q[a->s->spare] = a->v[a->s->spare] = 0;
	report_moves(a, false, d);
	report_moves(a, true, d);
	return BXT_OK;
}

bxt_status bxt_consistent_start(const bxt_system *s, double t0, double *q, double *v, double *p,
				bxt_diagnostics *d)
{
	struct start a = {.s = s, .t0 = t0, .q = q, .v = v, .p = p};
	bxt_status status = start(&a, d);
	bxt_loops_free(a.loops);
	bxt_velocity_free(a.velocity);
	bxt_evaluator_free(a.e);
	bxt_arena_free(a.arena);
	return status;
}
