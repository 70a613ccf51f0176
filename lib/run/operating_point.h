/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operating point, where nothing moves any more: p' = 0 and no flow into stores. It is
 * found by pseudo-transient continuation, backward Euler with sources frozen at the start and steps
 * that grow tenfold. Charges without stiffness (of resistors, sources, inductors) mean nothing and
 * stay as they were.
 */
#ifndef BXT_RUN_OPERATING_POINT_H
#define BXT_RUN_OPERATING_POINT_H

#include "step/stepper.h"

/* Backward Euler, which no run can choose. */
extern const bxt_scheme bxt_scheme_radau1;

/*
 * Moves q, p and the stage x of a consistent state to the operating point at its time. A note tells
 * steps and Newton iterations and the values reached; BXT_ERR_NEWTON names the worst rows.
 */
bxt_status bxt_operating_point(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			       bxt_diagnostics *d);

#endif
