/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "ground/solver/ldl_internal.h"

#include <stdlib.h>
#include <string.h>

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

bxt_status bxt_cholmod_failure(const cholmod_common *common)
{
	return common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE
		       ? BXT_ERR_MEMORY
		       : BXT_ERR_ARGUMENT;
}

void bxt_cholmod_start(cholmod_common *common)
{
	cholmod_start(common);
	common->print = 0; /* a library does not print */
}

cholmod_sparse bxt_cholmod_view(const bxt_sparse *pattern)
{
	return (cholmod_sparse){.nrow = (size_t)pattern->nrow,
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
}

bxt_status bxt_ldl_new(const bxt_sparse *pattern, bxt_ldl **out)
{
	bxt_ldl *f = *out = calloc(1, sizeof *f);
	if (!f)
		return BXT_ERR_MEMORY;
	bxt_cholmod_start(&f->common);
	f->common.supernodal = CHOLMOD_SIMPLICIAL;
	f->common.final_ll = 0;
	f->common.nmethods = 1;
	f->common.method[0].ordering = CHOLMOD_NATURAL;
	f->common.postorder = 0; /* else CHOLMOD would permute the values in each factorisation */
	f->view = bxt_cholmod_view(pattern);
	f->b = (cholmod_dense){.nrow = (size_t)pattern->nrow,
			       .ncol = 1,
			       .nzmax = (size_t)pattern->nrow,
			       .d = (size_t)pattern->nrow,
			       .xtype = CHOLMOD_REAL,
			       .dtype = CHOLMOD_DOUBLE};
	f->factor = cholmod_analyze(&f->view, &f->common);
	const bxt_status status = f->factor ? BXT_OK : bxt_cholmod_failure(&f->common);
	if (status != BXT_OK)
		*out = bxt_ldl_free(f);
	return status;
}

bxt_status bxt_ldl_factor(bxt_ldl *f)
{
	f->has_factors = false;
	if (!cholmod_factorize(&f->view, f->factor, &f->common))
		return bxt_cholmod_failure(&f->common);
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
		return bxt_cholmod_failure(&f->common);
	memcpy(b, f->x->x, f->view.nrow * sizeof *b);
	return BXT_OK;
}

double bxt_ldl_rcond(bxt_ldl *f)
{
	return f->has_factors ? cholmod_rcond(f->factor, &f->common) : 0;
}

void bxt_ldl_work(const bxt_ldl *f, double *factor, double *solve)
{
	*factor = f->common.fl / 2; /* which counts additions, too */
	*solve = 2 * f->common.lnz;
}

size_t bxt_ldl_entries(const bxt_ldl *f)
{
	return f->factor ? (size_t)f->common.lnz : 0;
}
