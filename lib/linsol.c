/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "linsol.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct bxt_linsol {
	const bxt_linsol_kind *kind;
	void *self;
};

const bxt_linsol_kind *const bxt_linsol_kinds[] = {&bxt_linsol_klu, &bxt_linsol_klu_metis,
						   &bxt_linsol_dense, NULL};

const bxt_linsol_kind *bxt_linsol_find(const char *name)
{
	for (const bxt_linsol_kind *const *kind = bxt_linsol_kinds; *kind; kind++)
		if (strcmp((*kind)->name, name) == 0)
			return *kind;
	return NULL;
}

/*
 * A sum of n products carries at most n eps/2 of the sum of their sizes, and the factors in them
 * bring errors of their own, larger by the growth before them: a decade covers it in practice.
 */
bool bxt_linsol_round_off(double pivot, double sum_of_sizes, int terms)
{
	return fabs(pivot) <= 8 * terms * DBL_EPSILON * sum_of_sizes;
}

bxt_status bxt_linsol_create(const bxt_linsol_kind *kind, const bxt_sparse *pattern,
			     bxt_linsol **out)
{
	*out = NULL;
	if (pattern->nrow != pattern->ncol)
		return BXT_ERR_ARGUMENT;
	bxt_linsol *s = malloc(sizeof *s);
	if (!s)
		return BXT_ERR_MEMORY;
	*s = (bxt_linsol){.kind = kind};
	const bxt_status status = kind->create(pattern, &s->self);
	if (status != BXT_OK)
		s = bxt_free(s);
	*out = s;
	return status;
}

bxt_status bxt_linsol_factor(bxt_linsol *s, const double *values, int *culprit)
{
	return s->kind->factor(s->self, values, culprit);
}

bxt_status bxt_linsol_solve(bxt_linsol *s, double *b)
{
	return s->kind->solve(s->self, b);
}

double bxt_linsol_rcond(bxt_linsol *s)
{
	return s->kind->rcond(s->self);
}

void bxt_linsol_counts(const bxt_linsol *s, size_t *factor_entries, long *full, long *reused)
{
	s->kind->counts(s->self, factor_entries, full, reused);
}

bxt_linsol *bxt_linsol_free(bxt_linsol *s)
{
	if (s) {
		s->kind->destroy(s->self);
		free(s);
	}
	return NULL;
}
