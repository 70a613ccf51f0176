/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a step's matrix small enough for the solver "compiled"? */
#include "run/initial/settings_internal.h"

#include <math.h>

/* Stages of a step couple all copies of what one stage couples. Mechanisms, whose rows vary, have
 * flows and multipliers that vanish, or forces along directions that cancel: with pivots off the
 * diagonal round-off is left of them, on which Newton's method takes longer to end. */
bool bxt_settings_are_small(const bxt_system *s, const bxt_settings *settings)
{
	const double stages = fmax(1, (settings->scheme->order + 1) / 2);
	return s->constraints.constant && s->size * stages <= BXT_COMPILED_UNKNOWNS &&
	       bxt_linsol_predict_products(&s->pattern) * stages * stages * stages <=
		       BXT_COMPILED_PRODUCTS;
}
