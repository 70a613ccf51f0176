/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/sparse/pattern.h"

#include "ground/sparse/sort.h"

bxt_status bxt_triplets_finish(bxt_triplets *t, bxt_status listed, bxt_arena *arena, int nrow,
			       int ncol, bxt_sparse *out, int **slot)
{
	*slot = listed == BXT_OK ? BXT_NEW(arena, int, t->count) : NULL;
	bxt_status status = listed == BXT_OK && !*slot ? BXT_ERR_MEMORY : listed;
	if (status == BXT_OK)
		status = bxt_sparse_pattern(arena, t, nrow, ncol, out, *slot);
	bxt_triplets_free(t);
	return status;
}

bxt_status bxt_sparse_rows(bxt_arena *arena, const bxt_sparse *a, bxt_rows *out)
{
	const size_t nnz = (size_t)bxt_sparse_nnz(a);
	*out = (bxt_rows){BXT_NEW(arena, int, (size_t)a->nrow + 2), BXT_NEW(arena, int, nnz),
			  BXT_NEW(arena, int, nnz)};
	BXT_TRY(bxt_arena_status(arena));
	for (size_t k = 0; k < nnz; k++)
		out->start[a->rowind[k] + 2]++;
	bxt_accumulate_starts(out->start, a->nrow);
	for (int j = 0; j < a->ncol; j++)
		for (int k = a->colptr[j]; k < a->colptr[j + 1]; k++) {
			const int at = out->start[a->rowind[k] + 1]++;
			out->col[at] = j;
			out->slot[at] = k;
		}
	return BXT_OK;
}
