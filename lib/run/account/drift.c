/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/account/drift.h"

#include <math.h>
#include <string.h>

/* ---- Making ---- */

/* Lists the rows by family, and makes A by rows if it is constant. */
static bxt_status make_rows(bxt_drift *d, bxt_arena *arena)
{
	const bxt_system *s = d->system;
	d->runs = BXT_NEW(arena, bxt_run_of_rows, (size_t)s->m);
	if (!d->runs)
		return BXT_ERR_MEMORY;
	for (int i = 0; i < s->m; i++) {
		const bxt_family family = s->dirac.row[s->row_of_x[i]].family;
		if (d->n_runs == 0 || d->runs[d->n_runs - 1].family != family)
			d->runs[d->n_runs++] = (bxt_run_of_rows){family, i, i};
		d->runs[d->n_runs - 1].end = i + 1;
	}
	return s->constraints.a.colptr ? bxt_sparse_transpose(arena, &s->constraints.a, &d->by_rows)
				       : BXT_OK;
}

bxt_status bxt_drift_new(const bxt_system *s, const bxt_state *state, bxt_arena *arena,
			 bxt_drift **out)
{
	bxt_drift *d = *out = BXT_NEW(arena, bxt_drift, 1);
	if (!d)
		return BXT_ERR_MEMORY;
	d->system = s;
	d->rows = BXT_NEW(arena, double, (size_t)s->size);
	d->q0 = BXT_NEW(arena, double, (size_t)s->size);
	d->dq = BXT_NEW(arena, double, (size_t)s->size);
	if (s->constraints.a.colptr && s->constraints.have_b &&
	    !(d->impulse_b = BXT_NEW(arena, double, (size_t)s->m)))
		return BXT_ERR_MEMORY;
	if (!d->rows || !d->q0 || !d->dq)
		return BXT_ERR_MEMORY;
	memcpy(d->q0, state->q, (size_t)s->size * sizeof *d->q0);
	return make_rows(d, arena);
}

bool bxt_drift_needs_time(const bxt_drift *d)
{
	return !d->by_rows.colptr || d->impulse_b;
}

void bxt_drift_resume(bxt_drift *d, const bxt_state *state)
{
	memcpy(d->q0, state->q, (size_t)d->system->size * sizeof *d->q0);
	for (int i = 0; i < d->system->m && d->impulse_b; i++)
		d->impulse_b[i] = 0;
}

/* ---- Rows ---- */

/* Writes -b to the constraint rows that have a b, 0 to others; the remaining entries of `rows` are
 * unchanged. */
static void rows_at_rest(bxt_drift *d, bxt_evaluator *e, bxt_point at)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = d->system;
	memset(d->rows + s->n, 0, (size_t)(s->m + 1) * sizeof *d->rows);
	if (d->impulse_b)
		bxt_evaluate(e, BXT_SET_REST, at, &rows_only, d->rows, NULL);
}

/* rows = A v - b: by rows where A is constant, by the tapes elsewhere. */
static void evaluate_rows(bxt_drift *d, bxt_evaluator *e, bxt_point at)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = d->system;
	double *restrict rows = d->rows + s->n;
	if (!d->by_rows.colptr) {
		memset(rows, 0, (size_t)(s->m + 1) * sizeof *rows);
		bxt_evaluate(e, BXT_SET_CONSTRAINT, at, &rows_only, d->rows, NULL);
		return;
	}
	rows_at_rest(d, e, at);
	const int *restrict ptr = d->by_rows.colptr, *restrict col = d->by_rows.rowind;
	const double *restrict a = d->by_rows.values, *restrict v = at.x;
	for (int i = 0; i < s->m; i++) {
		double sum = rows[i];
		for (int k = ptr[i]; k < ptr[i + 1]; k++)
			sum += a[k] * v[col[k]];
		rows[i] = sum;
	}
}

/* Returns the largest |r_i - minus_i|. Four independent maxima avoid waiting for the previous
 * comparison. */
static double largest_of(const double *r, const double *minus, int first, int end)
{
	double largest[4] = {0};
	for (int i = first; i < end; i++) {
		const double a = fabs(minus ? r[i] - minus[i] : r[i]);
		double *to = &largest[i % 4];
		*to = a > *to ? a : *to;
	}
	for (int k = 1; k < 4; k++)
		if (largest[k] > largest[0])
			largest[0] = largest[k];
	return largest[0];
}

/* The largest |row - minus| of each family, to its figure; minus NULL: |row|. */
static void measure_rows(const bxt_drift *d, const double *minus, bxt_drift_figure *of)
{
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		of[f].last = 0;
	for (int k = 0; k < d->n_runs; k++) {
		double *to = &of[d->runs[k].family].last;
		const double a =
			largest_of(d->rows + d->system->n, minus, d->runs[k].first, d->runs[k].end);
		if (a > *to)
			*to = a;
	}
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		if (of[f].last > of[f].max)
			of[f].max = of[f].last;
}

/* |A v - b| by family, and the integral of b where rows have one; h [s] is the part of the step. */
static void watch_rows(bxt_drift *d, bxt_evaluator *e, const bxt_quadrature_entry *stage, double h)
{
	const bxt_system *s = d->system;
	const bxt_point at = {stage->q_rows, stage->x, stage->t};
	if (stage->rows) {
		memset(d->rows, 0, (size_t)s->size * sizeof *d->rows);
		stage->rows(stage->own, e, stage->x, d->rows);
	} else {
		evaluate_rows(d, e, at);
	}
	measure_rows(d, NULL, d->stages);
	if (!d->impulse_b)
		return;
	rows_at_rest(d, e, at);
	for (int i = 0; i < s->m; i++) /* C at v = 0 is -b */
		d->impulse_b[i] -= h * d->rows[s->n + i];
}

void bxt_drift_stage(bxt_drift *d, bxt_evaluator *e, const bxt_quadrature_entry *stage, double h,
		     bool first)
{
	double last[BXT_FAMILY_COUNT]; /* the largest value over all stages of the step counts */
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		last[f] = d->stages[f].last;
	watch_rows(d, e, stage, h * stage->weight_impulse);
	for (int f = 0; f < BXT_FAMILY_COUNT && !first; f++)
		d->stages[f].last = fmax(d->stages[f].last, last[f]);
}

void bxt_drift_grid(bxt_drift *d, bxt_evaluator *e, const bxt_quadrature_entry *kick)
{
	const bxt_system *s = d->system;
	evaluate_rows(d, e, (bxt_point){kick->q, kick->x, kick->t});
	for (int i = s->n; i < s->spare; i++)
		if (kick->takes_part[i] < 0)
			d->rows[i] = 0;
	measure_rows(d, NULL, d->grid);
	d->has_grid = true;
}

void bxt_drift_positions(bxt_drift *d, bxt_evaluator *e, const bxt_state *state, const double *v)
{
	static const bxt_weights rows_only = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = d->system;
	if (!s->constraints.has_positions)
		return;
	memset(d->rows + s->n, 0, (size_t)(s->m + 1) * sizeof *d->rows);
	bxt_evaluator_set_time(e, state->t);
	bxt_evaluate(e, BXT_SET_POSITION, (bxt_point){state->q, v, state->t}, &rows_only, d->rows,
		     NULL);
	d->positions.last = largest_of(d->rows, NULL, s->n, s->spare);
	if (d->positions.last > d->positions.max)
		d->positions.max = d->positions.last;
}

void bxt_drift_integrated(bxt_drift *d, const bxt_state *state)
{
	const bxt_system *s = d->system;
	if (!d->by_rows.colptr)
		return;
	for (int i = 0; i < s->n; i++)
		d->dq[i] = state->q[i] - d->q0[i];
	memset(d->rows + s->n, 0, (size_t)(s->m + 1) * sizeof *d->rows);
	bxt_sparse_multiply_transposed(&d->by_rows, 1, d->dq, d->rows + s->n);
	for (int i = s->n; i < s->spare && s->constraints.has_positions; i++)
		if (s->constraints.is_position[i]) /* phi itself is checked */
			d->rows[i] = d->impulse_b ? d->impulse_b[i - s->n] : 0;
	measure_rows(d, d->impulse_b, d->integrated);
}

/* ---- Report ---- */

static bxt_drift_entry entry_of(const char *family, bxt_drift_figure figure)
{
	return (bxt_drift_entry){sizeof(bxt_drift_entry), family, figure.max, figure.last};
}

bxt_status bxt_drift_report(const bxt_drift *d, bxt_summary *out, bxt_arena *arena)
{
	out->drift = BXT_NEW(arena, bxt_drift_entry, 3 * BXT_FAMILY_COUNT + 1);
	if (!out->drift)
		return BXT_ERR_MEMORY;
	for (int f = 0; f < BXT_FAMILY_COUNT; f++) {
		bool present = false;
		for (int k = 0; k < d->n_runs; k++)
			present = present || d->runs[k].family == (bxt_family)f;
		if (!present)
			continue;
		out->drift[out->n_drift++] = entry_of(bxt_family_names[f], d->stages[f]);
		const char *grid =
			d->has_grid ? bxt_arena_printf(arena, "%s.grid", bxt_family_names[f]) : "";
		if (!grid)
			return BXT_ERR_MEMORY;
		if (d->has_grid)
			out->drift[out->n_drift++] = entry_of(grid, d->grid[f]);
		if (!d->system->constraints.constant)
			continue;
		const char *name = bxt_arena_printf(arena, "%s.q", bxt_family_names[f]);
		if (!name)
			return BXT_ERR_MEMORY;
		out->drift[out->n_drift++] = entry_of(name, d->integrated[f]);
	}
	if (d->system->constraints.has_positions)
		out->drift[out->n_drift++] = entry_of(bxt_family_of_positions, d->positions);
	return BXT_OK;
}

static void keep_figures(bxt_drift_figure *of, bxt_account *account)
{
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		BXT_KEEP(account, of[f].max);
	for (int f = 0; f < BXT_FAMILY_COUNT; f++)
		BXT_KEEP(account, of[f].last);
}

void bxt_drift_keep(bxt_drift *d, bxt_account *account)
{
	keep_figures(d->stages, account);
	keep_figures(d->integrated, account);
	keep_figures(d->grid, account);
	BXT_KEEP(account, d->positions.max);
	BXT_KEEP(account, d->positions.last);
	/* rows that switch have no fixed start for the drift, unless the run continues with the
	 * same rows */
	if (d->system->net->n_switches > 0 && !account->same_rows)
		return;
	BXT_KEEP_ARRAY(account, d->impulse_b, d->system->m);
	BXT_KEEP_ARRAY(account, d->q0, d->system->size);
}
