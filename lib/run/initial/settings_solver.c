/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is a step's matrix small enough for the solver "compiled"? */
#include "run/initial/settings_internal.h"

#include <math.h>

/* The stages of a step couple all copies of the unknowns that are coupled in one stage. In
 * mechanisms, whose rows vary, some flows and multipliers vanish, or forces cancel along some
 * directions: with pivots off the diagonal, round-off remains of them, and Newton's method needs
 * more iterations. */
bool bxt_settings_are_small(const bxt_system *s, const bxt_settings *settings)
{
	const double stages = fmax(1, (settings->scheme->order + 1) / 2);
	return s->constraints.constant && s->size * stages <= BXT_COMPILED_UNKNOWNS &&
	       bxt_linsol_predict_products(&s->pattern) * stages * stages * stages <=
		       BXT_COMPILED_PRODUCTS;
}
