/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Transfer functions, C (s E - A)^-1 B + D at s = 2 pi i f, by one factorisation for each f. */
#include "ground/base/vector.h"
#include "study/linear/linear.h"

#include <math.h>
#include <string.h>

/* The pattern of E and A together, and where their entries are in it. */
static bxt_status make_pencil(bxt_linear *l)
{
	const bxt_sparse *of[] = {&l->matrix[BXT_LINEAR_E], &l->matrix[BXT_LINEAR_A]};
	const size_t n_e = (size_t)bxt_sparse_nnz(of[0]), n_a = (size_t)bxt_sparse_nnz(of[1]);
	bxt_triplets t = {0};
	bxt_status status = BXT_OK;
	int *slot = BXT_NEW(l->arena, int, n_e + n_a + l->delays.n + 1);
	if (!slot)
		return BXT_ERR_MEMORY;
	for (int m = 0; m < 2; m++)
		for (int j = 0; j < l->n_z && status == BXT_OK; j++)
			for (int k = of[m]->colptr[j]; k < of[m]->colptr[j + 1]; k++)
				if (status == BXT_OK)
					status = bxt_triplets_add(&t, of[m]->rowind[k], j);
	for (size_t k = 0; k < l->delays.n && status == BXT_OK; k++) {
		int row, col;
		bxt_linear_delay_entry(l, k, &row, &col);
		status = bxt_triplets_add(&t, row, col);
	}
	if (status == BXT_OK)
		status = bxt_sparse_pattern(l->arena, &t, l->n_z, l->n_z, &l->pencil.pattern, slot);
	bxt_triplets_free(&t);
	BXT_TRY(status);
	l->pencil.slot_e = slot;
	l->pencil.slot_a = slot + n_e;
	for (size_t k = 0; k < l->delays.n; k++)
		l->delays.entry[k].slot = slot[n_e + n_a + k];
	l->pencil.values =
		BXT_NEW(l->arena, double, 2 * (size_t)bxt_sparse_nnz(&l->pencil.pattern) + 1);
	l->pencil.right = BXT_NEW(l->arena, double, 2 * (size_t)l->n_z + 1);
	if (!l->pencil.values || !l->pencil.right)
		return BXT_ERR_MEMORY;
	return bxt_complex_lu_new(&l->pencil.pattern, &l->pencil.lu);
}

/* i w E - A */
static void fill_pencil(bxt_linear *l, double w)
{
	const bxt_sparse *e = &l->matrix[BXT_LINEAR_E], *a = &l->matrix[BXT_LINEAR_A];
	memset(l->pencil.values, 0,
	       2 * (size_t)bxt_sparse_nnz(&l->pencil.pattern) * sizeof *l->pencil.values);
	for (int k = 0; k < bxt_sparse_nnz(e); k++)
		l->pencil.values[2 * (size_t)l->pencil.slot_e[k] + 1] += w * e->values[k];
	for (int k = 0; k < bxt_sparse_nnz(a); k++)
		l->pencil.values[2 * (size_t)l->pencil.slot_a[k]] -= a->values[k];
}

static bxt_status report_undetermined(const bxt_linear *l, bxt_status status, int culprit,
				      double frequency, bxt_diagnostics *d)
{
	if (status == BXT_ERR_MEMORY)
		return status;
	bxt_error(d, BXT_NOWHERE,
		  "the response at %.9g Hz is not determined%s%s: a resonance without losses, or a "
		  "quantity that nothing fixes there",
		  frequency, culprit >= 0 ? ", at " : "",
		  culprit >= 0 ? l->name[0][culprit].name : "");
	return status;
}

bxt_status bxt_linear_solve_input(bxt_linear *l, int input, double *x)
{
	const bxt_sparse *b = &l->matrix[BXT_LINEAR_B];
	memset(x, 0, 2 * (size_t)l->n_z * sizeof *x);
	for (int k = b->colptr[input]; k < b->colptr[input + 1]; k++)
		x[2 * b->rowind[k]] = b->values[k];
	bxt_linear_add_delayed_input(l, input, x);
	return bxt_complex_lu_solve(l->pencil.lu, x);
}

/* Column k of the transfer functions, to values with the distance of rows. */
static bxt_status solve_column(bxt_linear *l, int input, double *values)
{
	const bxt_sparse *c = &l->matrix[BXT_LINEAR_C], *direct = &l->matrix[BXT_LINEAR_D];
	const size_t row = 2 * (size_t)l->n_inputs;
	BXT_TRY(bxt_linear_solve_input(l, input, l->pencil.right));
	for (int i = 0; i < l->n_outputs; i++)
		values[row * (size_t)i] = values[row * (size_t)i + 1] = 0;
	for (int j = 0; j < l->n_z; j++)
		for (int k = c->colptr[j]; k < c->colptr[j + 1]; k++) {
			double *to = values + row * (size_t)c->rowind[k];
			to[0] += c->values[k] * l->pencil.right[2 * j];
			to[1] += c->values[k] * l->pencil.right[2 * j + 1];
		}
	for (int k = direct->colptr[input]; k < direct->colptr[input + 1]; k++)
		values[row * (size_t)direct->rowind[k]] += direct->values[k];
	return BXT_OK;
}

bxt_status bxt_linear_factor_at(bxt_linear *l, double frequency, bxt_diagnostics *d)
{
	int culprit = -1;
	if (!l->pencil.lu)
		BXT_TRY(make_pencil(l));
	fill_pencil(l, BXT_TURN * frequency);
	bxt_linear_fill_delays(l, frequency, l->pencil.values);
	l->pencil.frequency = frequency;
	const bxt_status status = bxt_complex_lu_factor(l->pencil.lu, l->pencil.values, &culprit);
	return status == BXT_OK ? BXT_OK : report_undetermined(l, status, culprit, frequency, d);
}

bxt_status bxt_linear_response(bxt_linear *l, double frequency, double *values, bxt_diagnostics *d)
{
	BXT_NEEDS(d, l);
	BXT_NEEDS(d, values);
	if (!isfinite(frequency) || frequency < 0) {
		bxt_error(d, BXT_NOWHERE, "bxt_linear_response: %g Hz is no frequency", frequency);
		return BXT_ERR_ARGUMENT;
	}
	BXT_TRY(bxt_linear_factor_at(l, frequency, d));
	bxt_status status = BXT_OK;
	for (int k = 0; k < l->n_inputs && status == BXT_OK; k++)
		status = solve_column(l, k, values + 2 * (size_t)k);
	return status == BXT_OK ? BXT_OK : report_undetermined(l, status, -1, frequency, d);
}
