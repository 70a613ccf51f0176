/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The jump at the start. Lossless loops whose flows occur in rows that depend on coordinates, A(q)
 * v = 0, such as two heat capacities on one node, T(U) S' = U', are not closed along a fixed W
 * (start/lossless_loops.h): W follows q, and the balance W(q)^T F = 0 follows from A alone. If the
 * start violates this balance, the system jumps instantaneously, as capacitors do that are
 * connected:
 *
 *     q_0+ = q_0 + d,   A(q_0+) d = 0,   r(q_0+) d = 0 (resistances and inertia carry no impulse),
 *     F(q_0+) + A(q_0+)^T lambda = 0 ,
 *
 * the limit of a step of backward Euler for h -> 0. Its rows are evaluated at the end of the jump:
 * two heat capacities exchange heat, T dS_1 = -T dS_2, at their common final temperature, so that
 * energy is conserved.
 */
#ifndef BXT_INITIAL_START_MOMENTA_H
#define BXT_INITIAL_START_MOMENTA_H

#include "motion/step/stepper.h"

/*
 * Moves q of a consistent state by the jump if one is necessary, and reports the changed values by
 * name. Returns BXT_OK also if no jump is found: the check of the model then names the undetermined
 * values.
 */
bxt_status bxt_start_jump(const bxt_system *s, const bxt_settings *settings, bxt_state *state,
			  bxt_diagnostics *d);

#endif
