/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks whether the equations of a step determine its flows. A condition estimate does not
 * suffice: the matrix may pass for regular although the flows are undetermined. Multipliers that
 * are 0 up to round-off contribute slopes, pivots may be round-off, and equilibration hides how
 * small these are. Therefore flows count as determined if they change little when the entries of
 * the matrix, and the multipliers, change within their round-off.
 */
#ifndef BXT_STEP_DETERMINED_H
#define BXT_STEP_DETERMINED_H

#include "motion/step/stepper.h"

/* At stepper->x, with the factors that were made there. */
bxt_status bxt_stepper_is_determined(bxt_stepper *stepper, bool *determined);

#endif
