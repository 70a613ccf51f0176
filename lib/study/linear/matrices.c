/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slopes at the point, over the system's pattern, and the matrices made of them (linear.h). */
#include "study/linear/linear.h"

#include "ground/base/disjoint_sets.h"

#include <string.h>

/* ---- Slopes ---- */

static const bxt_weights of_rate = {{{[BXT_PV] = 1}, {0}}};
static const bxt_weights of_x = {{
	{[BXT_PQ] = 1, [BXT_FV] = -1, [BXT_KL] = -1, [BXT_CV] = 1},
	{[BXT_DV] = 1, [BXT_FV] = -1, [BXT_KL] = -1, [BXT_CV] = 1},
}};
static const bxt_weights of_q = {{
	{[BXT_FQ] = -1, [BXT_KQ] = -1, [BXT_CQ] = 1},
	{[BXT_DQ] = 1, [BXT_FQ] = -1, [BXT_KQ] = -1, [BXT_CQ] = 1},
}};

void bxt_linear_slopes(bxt_evaluator *e, bxt_point at, double *by_x, double *by_q)
{
	bxt_assemble(e, at, &of_x, by_x);
	bxt_assemble(e, at, &of_q, by_q);
}

bxt_status bxt_linear_evaluate(bxt_linear *l)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(&l->s->pattern) + 1;
	l->by_rate = BXT_NEW(l->arena, double, nnz);
	l->by_x = BXT_NEW(l->arena, double, nnz);
	l->by_q = BXT_NEW(l->arena, double, nnz);
	if (!l->by_rate || !l->by_x || !l->by_q)
		return BXT_ERR_MEMORY;
	bxt_assemble(l->e, l->at, &of_rate, l->by_rate);
	bxt_linear_slopes(l->e, l->at, l->by_x, l->by_q);
	return BXT_OK;
}

/* ---- Which coordinates, which rows ---- */

/*
 * Is the row the derivative of a position constraint: one of a component, or the equality of two
 * nodes?
 */
static bool is_integrable(const bxt_system *s, int row)
{
	const bxt_row_info *info = &s->dirac.row[s->row_of_x[row - s->n]];
	return s->constraints.is_position[row] ||
	       (info->family == BXT_FAMILY_CONNECTION &&
		bxt_connection_equates(&s->net->connections[info->owner]));
}

static bool is_left_out(const bxt_linear *l, int row)
{
	return l->out && row >= l->s->n && l->out[row];
}

/* Marks coordinates that an equation reads directly. */
static void find_read(bxt_linear *l)
{
	const bxt_sparse *p = &l->s->pattern;
	for (int j = 0; j < l->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k];
			const bool position = i >= l->s->n && i < l->s->spare && l->as_position[i];
			if (l->by_q[k] != 0 && i < l->s->spare && !position && !is_left_out(l, i))
				l->used[j] = true;
		}
}

/*
 * A row that may be replaced by phi is replaced if one of its coordinates is in z. Then all its
 * coordinates are in z, and so on: coordinates that such rows tie together are all in z or none is.
 */
static bxt_status spread(bxt_linear *l, bool *stands)
{
	const bxt_sparse *p = &l->s->pattern;
	int *sets = bxt_sets_new(l->arena, (size_t)l->s->size);
	bool *used = BXT_NEW(l->arena, bool, (size_t)l->s->size);
	if (!sets || !used)
		return BXT_ERR_MEMORY;
	for (int j = 0; j < l->s->n; j++)
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k];
			if (i >= l->s->n && i < l->s->spare && l->as_position[i] &&
			    l->by_x[k] != 0 && !is_left_out(l, i))
				bxt_sets_join(sets, i, j);
		}
	for (int j = 0; j < l->s->n; j++)
		if (l->used[j])
			used[bxt_sets_find(sets, j)] = true;
	for (int x = 0; x < l->s->spare; x++) {
		const bool in = used[bxt_sets_find(sets, x)];
		if (x < l->s->n)
			l->used[x] = in;
		else
			stands[x] = in && l->as_position[x];
	}
	return BXT_OK;
}

static bxt_status find_unknowns(bxt_linear *l)
{
	const bxt_system *s = l->s;
	bool *stands = BXT_NEW(l->arena, bool, (size_t)s->size);
	l->as_position = BXT_NEW(l->arena, bool, (size_t)s->size);
	l->z_of_q = BXT_NEW(l->arena, int, (size_t)s->n);
	l->z_of_input = BXT_NEW(l->arena, int, (size_t)l->n_inputs);
	if (!stands || !l->as_position || !l->z_of_q || !l->z_of_input)
		return BXT_ERR_MEMORY;
	for (int i = s->n; i < s->spare; i++)
		l->as_position[i] = is_integrable(s, i);
	find_read(l);
	for (int k = 0; k < l->n_outputs; k++)
		for (int i = 0; i < l->output[k].n; i++)
			if (l->output[k].part[i].of_q)
				l->used[l->output[k].part[i].x] = true;
	BXT_TRY(spread(l, stands));
	l->as_position = stands;
	for (int j = 0; j < s->n; j++)
		l->z_of_q[j] = l->used[j] ? l->n_q++ : -1;
	l->n_z = l->n_q + s->spare;
	for (int k = 0; k < l->n_inputs; k++) {
		const bxt_linear_input *in = &l->input[k];
		bool rate = false;
		for (int i = 0; i < s->spare; i++)
			rate = rate || (in->rate[i] != 0 && !l->as_position[i]);
		l->z_of_input[k] = rate ? l->n_z++ : -1;
	}
	return BXT_OK;
}

/* ---- Entries ---- */

struct makers {
	bxt_entries of[BXT_LINEAR_MATRIX_COUNT];
};

static bxt_status add_entry(struct makers *m, bxt_linear_matrix which, int row, int col,
			    double value)
{
	return value != 0 ? bxt_entries_add(&m->of[which], row, col, value) : BXT_OK;
}

/* q' = v, and the equations of the system. */
static bxt_status add_equations(const bxt_linear *l, struct makers *m)
{
	const bxt_system *s = l->s;
	const bxt_sparse *p = &s->pattern;
	for (int j = 0; j < s->spare; j++) {
		const int q = j < s->n ? l->z_of_q[j] : -1;
		if (q >= 0) {
			BXT_TRY(add_entry(m, BXT_LINEAR_E, q, q, 1));
			BXT_TRY(add_entry(m, BXT_LINEAR_A, q, bxt_linear_z(l, j), 1));
		}
		if (is_left_out(l, j))
			BXT_TRY(add_entry(m, BXT_LINEAR_A, bxt_linear_z(l, j), bxt_linear_z(l, j),
					  1));
		for (int k = p->colptr[j]; k < p->colptr[j + 1]; k++) {
			const int i = p->rowind[k], row = bxt_linear_z(l, i);
			if (i >= s->spare || is_left_out(l, i))
				continue;
			if (i >= s->n && l->as_position[i]) { /* q is in z */
				if (q >= 0)
					BXT_TRY(add_entry(m, BXT_LINEAR_A, row, q, -l->by_x[k]));
				continue;
			}
			BXT_TRY(add_entry(m, BXT_LINEAR_E, row, bxt_linear_z(l, j), l->by_rate[k]));
			BXT_TRY(add_entry(m, BXT_LINEAR_A, row, bxt_linear_z(l, j), -l->by_x[k]));
			if (q >= 0)
				BXT_TRY(add_entry(m, BXT_LINEAR_A, row, q, -l->by_q[k]));
		}
	}
	return BXT_OK;
}

static bxt_status add_inputs(const bxt_linear *l, struct makers *m)
{
	for (int k = 0; k < l->n_inputs; k++) {
		const bxt_linear_input *in = &l->input[k];
		const int w = l->z_of_input[k];
		for (int i = 0; i < l->s->spare; i++) {
			const bool position = l->as_position[i];
			if (is_left_out(l, i))
				continue;
			/*
			 * the slope of phi with respect to u is the slope of its derivative with
			 * respect to u'
			 */
			BXT_TRY(add_entry(m, BXT_LINEAR_B, bxt_linear_z(l, i), k,
					  -(position ? in->rate[i] : in->rest[i])));
			if (!position && w >= 0)
				BXT_TRY(add_entry(m, BXT_LINEAR_E, bxt_linear_z(l, i), w,
						  in->rate[i]));
		}
		if (w >= 0) {
			BXT_TRY(add_entry(m, BXT_LINEAR_A, w, w, -1));
			BXT_TRY(add_entry(m, BXT_LINEAR_B, w, k, 1));
		}
	}
	return BXT_OK;
}

static bxt_status add_outputs(const bxt_linear *l, struct makers *m)
{
	for (int k = 0; k < l->n_outputs; k++) {
		const bxt_linear_output *out = &l->output[k];
		for (int i = 0; i < out->n; i++) {
			const bxt_linear_part *part = &out->part[i];
			BXT_TRY(add_entry(m, BXT_LINEAR_C, k,
					  part->of_q ? l->z_of_q[part->x]
						     : bxt_linear_z(l, part->x),
					  part->weight));
		}
		for (int i = 0; i < l->n_inputs; i++)
			BXT_TRY(add_entry(m, BXT_LINEAR_D, k, i, out->direct[i]));
	}
	return BXT_OK;
}

bxt_status bxt_linear_assemble(bxt_linear *l)
{
	struct makers m = {{{{0}, NULL, 0}}};
	BXT_TRY(find_unknowns(l));
	const int rows[] = {l->n_z, l->n_z, l->n_z, l->n_outputs, l->n_outputs};
	const int columns[] = {l->n_z, l->n_z, l->n_inputs, l->n_z, l->n_inputs};
	bxt_status status = add_equations(l, &m);
	if (status == BXT_OK)
		status = add_inputs(l, &m);
	if (status == BXT_OK)
		status = add_outputs(l, &m);
	for (int k = 0; k < BXT_LINEAR_MATRIX_COUNT; k++) {
		if (status == BXT_OK)
			status = bxt_entries_matrix(l->arena, &m.of[k], rows[k], columns[k],
						    &l->matrix[k]);
		bxt_entries_free(&m.of[k]);
	}
	return status;
}
