/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that the kinetic energy of each element, and of each set of coupled elements, is nowhere
 * negative. */
#ifndef BXT_START_INERTIA_H
#define BXT_START_INERTIA_H

#include "model/system/evaluate.h"

/*
 * Returns an error that names the elements whose inertia dP/dv at v = 0 has a negative direction.
 * Elements that bindings couple through their inertia are checked together. Semidefinite inertia
 * passes: an inerter between two masses is an example. O(entries) for single elements; for n
 * coupled coordinates the profile of their matrix is factored.
 */
bxt_status bxt_check_inertia_signs(const bxt_system *s, bxt_evaluator *e, bxt_point at,
				   bxt_diagnostics *d);

#endif
