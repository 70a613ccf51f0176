/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sparse/ldl.h"

#include <stdlib.h>
#include <string.h>
#include <suitesparse/cholmod.h>

struct bxt_ldl {
	cholmod_common common;
	cholmod_sparse view; /* of the pattern */
	cholmod_factor *factor;
	cholmod_dense b, *x, *y, *e; /* x, y, e: CHOLMOD's own, used again */
	bool has_factors;
};

bxt_ldl *bxt_ldl_free(bxt_ldl *f)
{
	if (f) {
		cholmod_free_factor(&f->factor, &f->common);
		cholmod_free_dense(&f->x, &f->common);
		cholmod_free_dense(&f->y, &f->common);
		cholmod_free_dense(&f->e, &f->common);
		cholmod_finish(&f->common);
		free(f);
	}
	return NULL;
}

static bxt_status failure(const bxt_ldl *f)
{
	return f->common.status == CHOLMOD_OUT_OF_MEMORY || f->common.status == CHOLMOD_TOO_LARGE
		       ? BXT_ERR_MEMORY
		       : BXT_ERR_ARGUMENT;
}

/* The order: minimum degree, of each level in turn. */
static bxt_status analyse(bxt_ldl *f, const int *level)
{
	int *order = malloc((f->view.ncol + 1) * sizeof *order);
	if (!order)
		return BXT_ERR_MEMORY;
	/* CHOLMOD's interface has no const; it only reads */
	const int good = level ? cholmod_camd(&f->view, NULL, 0, (int *)level, order, &f->common)
			       : cholmod_amd(&f->view, NULL, 0, order, &f->common);
	if (good)
		f->factor = cholmod_analyze_p(&f->view, order, NULL, 0, &f->common);
	free(order);
	return f->factor ? BXT_OK : failure(f);
}

bxt_status bxt_ldl_new(const bxt_sparse *pattern, const int *level, bxt_ldl **out)
{
	bxt_ldl *f = *out = calloc(1, sizeof *f);
	if (!f)
		return BXT_ERR_MEMORY;
	cholmod_start(&f->common);
	f->common.print = 0; /* a library says nothing */
	f->common.supernodal = CHOLMOD_SIMPLICIAL;
	f->common.final_ll = 0;
	f->common.nmethods = 1;
	f->common.method[0].ordering = CHOLMOD_GIVEN;
	f->view = (cholmod_sparse){.nrow = (size_t)pattern->nrow,
				   .ncol = (size_t)pattern->ncol,
				   .nzmax = (size_t)bxt_sparse_nnz(pattern),
				   .p = pattern->colptr,
				   .i = pattern->rowind,
				   .x = pattern->values,
				   .stype = 1,
				   .itype = CHOLMOD_INT,
				   .xtype = CHOLMOD_REAL,
				   .dtype = CHOLMOD_DOUBLE,
				   .sorted = 1,
				   .packed = 1};
	f->b = (cholmod_dense){.nrow = (size_t)pattern->nrow,
			       .ncol = 1,
			       .nzmax = (size_t)pattern->nrow,
			       .d = (size_t)pattern->nrow,
			       .xtype = CHOLMOD_REAL,
			       .dtype = CHOLMOD_DOUBLE};
	const bxt_status status = analyse(f, level);
	if (status != BXT_OK)
		*out = bxt_ldl_free(f);
	return status;
}

bxt_status bxt_ldl_factor(bxt_ldl *f)
{
	f->has_factors = false;
	if (!cholmod_factorize(&f->view, f->factor, &f->common))
		return failure(f);
	if (f->common.status == CHOLMOD_NOT_POSDEF || f->factor->minor < f->factor->n)
		return BXT_ERR_SINGULAR;
	f->has_factors = true;
	return BXT_OK;
}

bxt_status bxt_ldl_solve(bxt_ldl *f, double *b)
{
	if (!f->has_factors)
		return BXT_ERR_ARGUMENT;
	f->b.x = b;
	if (!cholmod_solve2(CHOLMOD_A, f->factor, &f->b, NULL, &f->x, NULL, &f->y, &f->e,
			    &f->common))
		return failure(f);
	memcpy(b, f->x->x, f->view.nrow * sizeof *b);
	return BXT_OK;
}

double bxt_ldl_rcond(bxt_ldl *f)
{
	return f->has_factors ? cholmod_rcond(f->factor, &f->common) : 0;
}

size_t bxt_ldl_entries(const bxt_ldl *f)
{
	return f->factor ? (size_t)f->common.lnz : 0;
}
