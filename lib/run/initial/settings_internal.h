/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read settings. */
#ifndef BXT_INITIAL_SETTINGS_INTERNAL_H
#define BXT_INITIAL_SETTINGS_INTERNAL_H

#include "motion/scheme/scheme.h"

/*
 * Checks rules along Taylor's polynomial. All flows are found together, so that one rule must serve
 * for all, with one of the same degree for forces. False after findings; `place` is the source
 * location of the force-rule.
 */
bool bxt_settings_taylor(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d);

/* Checks settings of step control against each other; `place` is that of the step control. */
void bxt_settings_steps(const bxt_settings *settings, bxt_place place, bxt_diagnostics *d);
/* Are the linear systems of a step small enough for the solver "compiled"? */
bool bxt_settings_are_small(const bxt_system *s, const bxt_settings *settings);
#endif
