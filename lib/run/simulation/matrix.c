/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices of the equations at the grid point of a simulation, as compressed columns. */
#include "model/system/parts.h"
#include "run/simulation/simulation.h"

#include <stdlib.h>
#include <string.h>

/* The terms of each matrix, with their signs, and its part of the system's pattern. */
static const struct {
	double pq, pv, fq, fv, kq, cv;
	bool rows; /* rows of A; else the momentum rows */
} matrices[] = {
	[BXT_MATRIX_MASS] = {.pv = 1},
	[BXT_MATRIX_CONSTRAINTS] = {.cv = 1, .rows = true},
	[BXT_MATRIX_STIFFNESS] = {.fq = -1, .kq = -1},
	[BXT_MATRIX_DAMPING] = {.pq = 1, .fv = -1},
};

static bxt_weights weights_of(bxt_system_matrix which)
{
	bxt_weights w = {{{0}}};
	for (int role = 0; role < 2; role++) {
		w.of[role][BXT_PQ] = matrices[which].pq;
		w.of[role][BXT_PV] = matrices[which].pv;
		w.of[role][BXT_FQ] = matrices[which].fq;
		w.of[role][BXT_FV] = matrices[which].fv;
		w.of[role][BXT_KQ] = matrices[which].kq;
		w.of[role][BXT_CV] = matrices[which].cv;
	}
	return w;
}

/* Sorts the entries of a column by row. */
static void sort_column(int *row, double *value, int n)
{
	for (int k = 1; k < n; k++)
		for (int i = k; i > 0 && row[i - 1] > row[i]; i--) {
			const int r = row[i];
			const double v = value[i];
			row[i] = row[i - 1];
			value[i] = value[i - 1];
			row[i - 1] = r;
			value[i - 1] = v;
		}
}

/* Returns the numbers of the mode's rows of A as a caller sees them; NULL when out of memory. */
static int *number_rows(bxt_arena *arena, const bxt_simulation *m)
{
	int *to = BXT_NEW(arena, int, (size_t)m->s->size);
	const int n = bxt_rows_outside(m->base);
	for (int i = 0; i < n && to; i++)
		to[m->s->x_of_row[bxt_row_outside(m->base, i)]] = i;
	return to;
}

/* The entries of rows that `to` (size) numbers, or NULL: of the first n_rows, columns 0 ...
 * n_columns - 1, zeros left out. */
static bxt_status cut_out(bxt_arena *arena, const bxt_sparse *from, const double *values,
			  const int *to_row, int n_rows, int n_columns, bxt_csc *out)
{
	int *colptr = BXT_NEW(arena, int, (size_t)n_columns + 1);
	int *rowind = BXT_NEW(arena, int, (size_t)bxt_sparse_nnz(from));
	double *to = BXT_NEW(arena, double, (size_t)bxt_sparse_nnz(from));
	const int first = to_row ? n_columns : 0; /* rows of A come after the coordinates */
	int n = 0;
	if (!colptr || !rowind || !to)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < n_columns; j++) {
		for (int k = from->colptr[j]; k < from->colptr[j + 1]; k++) {
			const int at = from->rowind[k];
			if (at < first || (!to_row && at - first >= n_rows) ||
			    at >= from->ncol - (to_row != NULL) || values[k] == 0)
				continue;
			rowind[n] = to_row ? to_row[at] : at - first;
			to[n++] = values[k];
		}
		if (to_row)
			sort_column(rowind + colptr[j], to + colptr[j], n - colptr[j]);
		colptr[j + 1] = n;
	}
	*out = (bxt_csc){sizeof *out, n_rows, n_columns, colptr, rowind, to};
	return BXT_OK;
}

static bxt_status at_point(bxt_simulation *m, bxt_system_matrix which, bxt_csc *out)
{
	const bxt_system *s = m->s;
	const bxt_weights w = weights_of(which);
	const size_t nnz = (size_t)bxt_sparse_nnz(&s->pattern) + 1;
	double *x = BXT_NEW(m->matrix, double, (size_t)s->size + BXT_LANES);
	double *values = BXT_NEW(m->matrix, double, nnz);
	if (!x || !values)
		return BXT_ERR_MEMORY;
	BXT_TRY(bxt_grid_point_find(m->ledger->here, m->state, x));
	bxt_evaluator *e = bxt_evaluator_new(s);
	if (!e)
		return BXT_ERR_MEMORY;
	bxt_evaluator_set_time(e, m->state->t);
	bxt_evaluator_set_step(e, m->settings.step);
	bxt_assemble(e, (bxt_point){m->state->q, x, m->state->t}, &w, values);
	bxt_evaluator_free(e);
	if (!matrices[which].rows)
		return cut_out(m->matrix, &s->pattern, values, NULL, s->n, s->n, out);
	const int *to_row = number_rows(m->matrix, m);
	return to_row ? cut_out(m->matrix, &s->pattern, values, to_row, bxt_rows_outside(m->base),
				s->n, out)
		      : BXT_ERR_MEMORY;
}

/* Uses a stepper of its own, so that the simulation is unchanged. */
static bxt_status of_step(bxt_simulation *m, bxt_csc *out)
{
	if (m->stepper->method->solve)
		return BXT_ERR_ARGUMENT; /* an explicit step has no matrix */
	if (!m->ahead)
		BXT_TRY(bxt_stepper_new(m->s, &m->settings, m->state, &m->ahead));
	BXT_TRY(bxt_stepper_factor(m->ahead, m->state, bxt_simulation_h(m)));
	const bxt_sparse *pattern = &m->ahead->pattern;
	return cut_out(m->matrix, pattern, m->ahead->newton.values, NULL, pattern->ncol,
		       pattern->ncol, out);
}

bxt_status bxt_simulation_matrix(bxt_simulation *m, bxt_system_matrix which, bxt_csc *out)
{
	bxt_csc found;
	BXT_NEEDS(NULL, m);
	BXT_NEEDS(NULL, out);
	BXT_TRY(bxt_simulation_idle(m, NULL));
	if ((unsigned)which >= BXT_MATRIX_COUNT || out->size < sizeof *out)
		return BXT_ERR_ARGUMENT;
	bxt_arena_free(m->matrix);
	if (!(m->matrix = bxt_arena_new()))
		return BXT_ERR_MEMORY;
	BXT_TRY(which == BXT_MATRIX_STEP ? of_step(m, &found) : at_point(m, which, &found));
	*out = found;
	return BXT_OK;
}
