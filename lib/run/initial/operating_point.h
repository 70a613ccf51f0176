/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operating point is the steady state: p' = 0 and no flow into stores. Pseudo-transient
 * continuation finds it: backward Euler with sources frozen at the start and steps that grow
 * tenfold. Charges without stiffness (of resistors, sources, inductors) have no meaning and are not
 * changed.
 */
#ifndef BXT_INITIAL_OPERATING_POINT_H
#define BXT_INITIAL_OPERATING_POINT_H

#include "motion/step/stepper.h"

/*
 * Moves q, p and the stage x of a consistent state to the operating point at its time. A note
 * reports steps, Newton iterations and the values reached; BXT_ERR_NEWTON names the worst rows.
 */
bxt_status bxt_operating_point(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			       bxt_diagnostics *d);

#endif
