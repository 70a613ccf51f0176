/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/system/rows_of_a.h"

const bxt_weights bxt_only_rows = {{{[BXT_CV] = 1}, {0}}};

bxt_status bxt_rows_of_a(bxt_arena *arena, const bxt_system *s, const double *values,
			 const bool *rows, const bool *columns, bxt_sparse *out)
{
	const bxt_sparse *p = &s->pattern;
	int nnz = 0;
	for (int k = 0; k < p->colptr[s->n]; k++)
		nnz += p->rowind[k] >= s->n;
	*out = (bxt_sparse){s->m, s->n, BXT_NEW(arena, int, (size_t)s->n + 1),
			    BXT_NEW(arena, int, (size_t)nnz), BXT_NEW(arena, double, (size_t)nnz)};
	if (!out->colptr || !out->rowind || !out->values)
		return BXT_ERR_MEMORY;
	nnz = 0;
	for (int j = 0; j < s->n; j++) {
		for (int k = p->colptr[j]; k < p->colptr[j + 1] && (!columns || columns[j]); k++) {
			const int row = p->rowind[k];
			if (row < s->n || row >= s->spare || values[k] == 0 || (rows && !rows[row]))
				continue;
			out->rowind[nnz] = row - s->n;
			out->values[nnz++] = values[k];
		}
		out->colptr[j + 1] = nnz;
	}
	return BXT_OK;
}

bxt_status bxt_rows_of_a_transposed(bxt_arena *arena, const bxt_system *s, const double *values,
				    const bool *rows, const bool *columns, bxt_sparse *out)
{
	bxt_sparse a;
	BXT_TRY(bxt_rows_of_a(arena, s, values, rows, columns, &a));
	return bxt_sparse_transpose(arena, &a, out);
}

bool *bxt_tying_columns(bxt_arena *arena, const bxt_system *s)
{
	bool *tying = BXT_NEW(arena, bool, (size_t)s->n);
	for (int j = 0; tying && j < s->n; j++)
		tying[j] = !bxt_dirac_is_reading(s->net, &s->dirac.coord[s->coord_of_x[j]]);
	return tying;
}
