/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "run/trust/undetermined.h"

#include "ground/base/tolerances.h"
#include "ground/sparse/sparse.h"

#include <math.h>

/* Null vectors decide: a small reciprocal condition alone is no error of the model. */
static bool is_suspicious(const bxt_stepper *st, bxt_status status)
{
	return !st->method->flows_alone &&
	       (status == BXT_ERR_SINGULAR ||
		(status == BXT_OK && bxt_stepper_rcond(st) < BXT_RCOND_SINGULAR));
}

static void tell_undetermined(const bxt_stepper *st, const bxt_sparse *z, bxt_diagnostics *d)
{
	enum { NAMED = 8 };
	bxt_buffer scheme = {0}, where = {0}, name = {0};
	double largest = 0;
	int named = 0, names[NAMED];
	for (int k = 0; k < z->colptr[1]; k++)
		largest = fmax(largest, fabs(z->values[k]));
	for (int k = 0; k < z->colptr[1] && named < NAMED; k++) {
		const int at = st->unknowns.stands_for[z->rowind[k]];
		int known = 0; /* an x index occurs in every stage; name it once */
		while (known < named && names[known] != at)
			known++;
		if (at < 0 || known < named || fabs(z->values[k]) < BXT_NULL_PART * largest)
			continue;
		bxt_buffer_printf(&where, "%s%s", named ? ", " : "",
				  bxt_system_x_name(st->system, at, &name));
		names[named++] = at;
	}
	bxt_settings_name_scheme(st->settings, &scheme);
	bxt_error(d, st->settings->scheme_place,
		  "%s does not determine a step of this model, at %s: its equations for it are "
		  "singular, those of gauss1 are not; use gauss1",
		  scheme.text ? scheme.text : "?", where.text ? where.text : "?");
	bxt_buffer_free(&scheme);
	bxt_buffer_free(&where);
	bxt_buffer_free(&name);
}

/* Checks whether the step's matrix with scaled rows is singular. That of gauss1 is regular: it was
 * checked before. */
static bxt_status judge_matrix(const bxt_stepper *st, bxt_diagnostics *d)
{
	const int nnz = bxt_sparse_nnz(&st->pattern);
	bxt_arena *arena = bxt_arena_new();
	bxt_sparse matrix = st->pattern, z = {0};
	double *scale = arena ? BXT_NEW(arena, double, (size_t)matrix.nrow) : NULL;
	matrix.values = arena ? BXT_NEW(arena, double, (size_t)nnz) : NULL;
	bxt_status status = scale && matrix.values ? BXT_OK : BXT_ERR_MEMORY;
	for (int k = 0; k < nnz && status == BXT_OK; k++) {
		double *to = &scale[matrix.rowind[k]];
		*to = fmax(*to, fabs(st->newton.values[k]));
	}
	for (int k = 0; k < nnz && status == BXT_OK; k++) {
		const double s = scale[matrix.rowind[k]];
		matrix.values[k] = s > 0 ? st->newton.values[k] / s : 0;
	}
	if (status == BXT_OK)
		status = bxt_sparse_null_space(arena, &matrix, BXT_DEPENDENT, &z);
	if (status == BXT_OK && z.ncol > 0) {
		tell_undetermined(st, &z, d);
		status = BXT_ERR_MODEL;
	}
	bxt_arena_free(arena);
	return status;
}

bxt_status bxt_check_determined(const bxt_stepper *st, bxt_status solved, bxt_diagnostics *d)
{
	return is_suspicious(st, solved) ? judge_matrix(st, d) : BXT_OK;
}
