/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "motion/methods/lie_rows.h"

#include "model/system/rows_of_a.h"

#include <math.h>
#include <string.h>

/* ---- Making ---- */

static bxt_status choose(bxt_stepper *st, bxt_lie_rows *rows, int *of_x)
{
	const bxt_system *s = st->system;
	bool *own = BXT_NEW(st->arena, bool, (size_t)s->size);
	rows->place = BXT_NEW(st->arena, int, (size_t)s->m + 1);
	if (!own || !rows->place)
		return BXT_ERR_MEMORY;
	bxt_lie_mark_rows(s, own);
	for (int i = 0; i < s->size; i++)
		of_x[i] = -1;
	for (int i = s->n; i < s->spare; i++)
		if (!own[i]) {
			of_x[i] = rows->n;
			rows->place[rows->n++] = i;
		}
	return BXT_OK;
}

/* An entry A_rx acts on all rates of the part to which x belongs. */
static bxt_status list_entries(bxt_stepper *st, bxt_lie_rows *rows, const int *of_x)
{
	const bxt_system *s = st->system;
	const bxt_lie_space *space = &((bxt_lie *)st->own)->space;
	const bxt_sparse *p = &s->pattern;
	for (int pass = 0; pass < 2; pass++) {
		rows->n_entries = 0;
		for (int x = 0; x < s->n; x++)
			for (int k = p->colptr[x]; k < p->colptr[x + 1]; k++) {
				const int row = of_x[p->rowind[k]];
				const bxt_lie_part *part = &space->part[space->part_of_x[x]];
				for (int i = 0; i < part->dimension && row >= 0; i++) {
					if (pass == 1)
						rows->entry[rows->n_entries] =
							(bxt_lie_row_entry){.row = row,
									    .rate = part->first + i,
									    .source = k,
									    .x = x,
									    .component = i};
					rows->n_entries++;
				}
			}
		if (pass == 0 && !(rows->entry = BXT_NEW(st->arena, bxt_lie_row_entry,
							 (size_t)rows->n_entries + 1)))
			return BXT_ERR_MEMORY;
	}
	return BXT_OK;
}

/* Extends the method's pattern by B and B^T, and renumbers its slots. */
static bxt_status extend_pattern(bxt_stepper *st, bxt_lie_rows *rows)
{
	bxt_lie *lie = st->own;
	const bxt_sparse *p = &st->pattern;
	const int nnz = bxt_sparse_nnz(p), n = rows->first + rows->n;
	bxt_triplets t = {0};
	bxt_sparse wider;
	bxt_status status = BXT_OK;
	for (int c = 0; c < p->ncol; c++)
		for (int k = p->colptr[c]; k < p->colptr[c + 1] && status == BXT_OK; k++)
			status = bxt_triplets_add(&t, p->rowind[k], c);
	for (int k = 0; k < rows->n_entries && status == BXT_OK; k++) {
		const bxt_lie_row_entry *e = &rows->entry[k];
		status = bxt_triplets_add(&t, rows->first + e->row, e->rate);
		if (status == BXT_OK)
			status = bxt_triplets_add(&t, e->rate, rows->first + e->row);
	}
	int *slot = BXT_NEW(st->arena, int, t.count + 1);
	if (status == BXT_OK && !slot)
		status = BXT_ERR_MEMORY;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(st->arena, &t, n, n, &wider, slot);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	for (int k = 0; k < lie->space.n_values; k++)
		lie->slot[k] = slot[lie->slot[k]];
	for (int k = 0; k < rows->n_entries; k++) {
		rows->entry[k].slot = slot[nnz + 2 * k];
		rows->entry[k].transposed = slot[nnz + 2 * k + 1];
	}
	st->pattern = wider;
	return BXT_OK;
}

/* Appends the impulses to the unknowns, each named by its row. */
static bxt_status extend_unknowns(bxt_stepper *st, bxt_lie_rows *rows)
{
	bxt_lie *lie = st->own;
	const int n = rows->first + rows->n;
	int *group = BXT_NEW(st->arena, int, (size_t)n + 1);
	if (!group || !(lie->y = BXT_NEW(st->arena, double, (size_t)n + 1)))
		return BXT_ERR_MEMORY;
	memcpy(group, st->unknowns.stands_for, (size_t)rows->first * sizeof *group);
	for (int k = 0; k < rows->n; k++)
		group[rows->first + k] = rows->place[k];
	st->unknowns.stands_for = group;
	st->n_x = n;
	st->unknowns.split[1] = rows->first;
	st->unknowns.split[2] = n;
	st->equations.n_split = 2;
	return BXT_OK;
}

bxt_status bxt_lie_rows_new(bxt_stepper *st, bxt_lie_rows *rows)
{
	const bxt_system *s = st->system;
	int *of_x = BXT_NEW(st->arena, int, (size_t)s->size);
	if (!of_x)
		return BXT_ERR_MEMORY;
	rows->first = st->n_x;
	BXT_TRY(choose(st, rows, of_x));
	if (rows->n == 0)
		return BXT_OK;
	BXT_TRY(list_entries(st, rows, of_x));
	rows->value = BXT_NEW(st->arena, double, (size_t)rows->n_entries + 1);
	rows->slopes = BXT_NEW(st->arena, double, (size_t)bxt_sparse_nnz(&s->pattern) + 1);
	rows->rest = BXT_NEW(st->arena, double, (size_t)s->size + BXT_LANES);
	rows->x = BXT_NEW(st->arena, double, (size_t)s->size + BXT_LANES);
	rows->met = BXT_NEW(st->arena, double, (size_t)rows->n);
	if (!rows->met || !rows->value || !rows->slopes || !rows->rest || !rows->x)
		return BXT_ERR_MEMORY;
	BXT_TRY(extend_pattern(st, rows));
	return extend_unknowns(st, rows);
}

/* ---- Values ---- */

/* dV/dw_i of coordinate a of a group, the entry (r, j) of Q w^, a = 3 j + r: with {i, j, k} all
 * different Q_rk e_ijk. */
static double tangent(const bxt_lie_part *part, const double *q, int a, int i)
{
	const int j = a / 3, k = 3 - i - j;
	if (!part->retraction)
		return 1;
	if (i == j)
		return 0;
	return ((j - i + 3) % 3 == 1 ? 1 : -1) * q[part->place[3 * k + a % 3]];
}

void bxt_lie_rows_begin(bxt_stepper *st, bxt_lie_rows *rows)
{
	static const bxt_weights c = {{{[BXT_C] = 1}, {0}}};
	const bxt_system *s = st->system;
	const bxt_lie *lie = st->own;
	const bxt_lie_space *space = &lie->space;
	const double t = bxt_stage_time(st->t, 0, st->h);
	if (rows->n == 0)
		return;
	memset(rows->rest, 0, (size_t)s->size * sizeof *rows->rest);
	memset(rows->x, 0, (size_t)s->size * sizeof *rows->x);
	bxt_evaluator_set_time(st->evaluator[0], t);
	const bxt_point at = {lie->q_start, rows->x, t};
	bxt_assemble(st->evaluator[0], at, &bxt_only_rows, rows->slopes);
	bxt_evaluate(st->evaluator[0], BXT_SET_CONSTRAINT, at, &c, rows->rest, NULL);
	bxt_evaluator_set_time(st->evaluator[0], bxt_stepper_time(st, 0));
	for (int k = 0; k < rows->n_entries; k++) {
		const bxt_lie_row_entry *e = &rows->entry[k];
		const bxt_lie_part *part = &space->part[space->part_of_x[e->x]];
		rows->value[k] = rows->slopes[e->source] *
				 tangent(part, lie->q_start, space->at_of_x[e->x], e->component);
	}
}

void bxt_lie_rows_add_impulses(const bxt_lie_rows *rows, const double *y, double *to)
{
	for (int k = 0; k < rows->n_entries && rows->n > 0; k++)
		to[rows->entry[k].rate] += rows->value[k] * y[rows->first + rows->entry[k].row];
}

void bxt_lie_rows_residual(const bxt_lie_rows *rows, const double *y, double *r, double *r_abs)
{
	for (int k = 0; k < rows->n; k++) {
		r[rows->first + k] += rows->rest[rows->place[k]];
		r_abs[rows->first + k] += fabs(rows->rest[rows->place[k]]);
	}
	for (int k = 0; k < rows->n_entries && rows->n > 0; k++) {
		const bxt_lie_row_entry *e = &rows->entry[k];
		const double term = rows->value[k] * y[e->rate];
		r[rows->first + e->row] += term;
		r_abs[rows->first + e->row] += fabs(term);
		r_abs[e->rate] += fabs(rows->value[k] * y[rows->first + e->row]);
	}
}

void bxt_lie_rows_jacobian(const bxt_lie_rows *rows, double *values)
{
	for (int k = 0; k < rows->n_entries && rows->n > 0; k++) {
		values[rows->entry[k].slot] += rows->value[k];
		values[rows->entry[k].transposed] -= rows->value[k];
	}
}
