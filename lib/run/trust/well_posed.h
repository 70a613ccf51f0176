/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks that the model is well-posed. Null vectors of its matrices name the parts that violate
 * this: undetermined flows (loops of voltage sources), contradicting rows, singular inertia.
 */
#ifndef BXT_TRUST_WELL_POSED_H
#define BXT_TRUST_WELL_POSED_H

#include "model/system/velocity.h"
#include "motion/step/stepper.h"

/*
 * Checks the step's matrix at the state. BXT_ERR_MODEL with a finding for each null vector; BXT_OK
 * when it is regular (also when it is merely ill-conditioned).
 */
bxt_status bxt_check_step(bxt_stepper *stepper, const bxt_state *state, bxt_diagnostics *d);

/*
 * Checks the inertia of the coordinates with mass at (q, t). Reports each element whose own inertia
 * has a negative direction; if there is none, each null vector of the inertia of the whole model.
 */
bxt_status bxt_check_inertia(const bxt_system *s, const double *q, double t, bxt_diagnostics *d);

#endif
