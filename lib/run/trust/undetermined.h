/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BXT_TRUST_UNDETERMINED_H
#define BXT_TRUST_UNDETERMINED_H

#include "motion/step/stepper.h"

/* Checks that the scheme's equations determine the step that the stepper has tried to solve.
 * BXT_ERR_MODEL after a finding that names the undetermined unknowns. `solved` is the status of
 * that attempt. */
bxt_status bxt_check_determined(const bxt_stepper *st, bxt_status solved, bxt_diagnostics *d);

#endif
