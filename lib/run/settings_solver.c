/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a step's matrix small enough for the solver "compiled"? */
#include "run/settings_internal.h"

#include <math.h>

/* Stages of a step couple all copies of what one stage couples. What is left of frames has entries
 * that are round-off of directions, where Newton's method takes up to twice as many iterations with
 * pivots that are off the diagonal. */
bool bxt_settings_are_small(const bxt_system *s, const bxt_settings *settings)
{
	const double stages = fmax(1, (settings->scheme->order + 1) / 2);
	for (int k = 0; k < s->m; k++)
		if (s->dirac.row[s->row_of_x[k]].family == BXT_FAMILY_RIGID)
			return false;
	return s->size * stages <= BXT_COMPILED_UNKNOWNS &&
	       bxt_linsol_predict_products(&s->pattern) * stages * stages * stages <=
		       BXT_COMPILED_PRODUCTS;
}
