/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the equations of a step determine its flows? Their matrix need not look singular where they do
 * not: multipliers that are 0 but for round-off make slopes of it, pivots may be round-off, and
 * equilibration hides how small they are. So the flows are determined where they follow in the same
 * way from a matrix whose entries, and multipliers, are others within their round-off.
 */
#ifndef BXT_STEP_DETERMINED_H
#define BXT_STEP_DETERMINED_H

#include "motion/step/stepper.h"

/* At stepper->x, with the factors that were made there. */
bxt_status bxt_stepper_is_determined(bxt_stepper *stepper, bool *determined);

#endif
