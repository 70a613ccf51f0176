/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign of kinetic energy, element by element; coupled elements together. */
#ifndef BXT_START_INERTIA_H
#define BXT_START_INERTIA_H

#include "system/evaluate.h"

/*
 * Refuses elements whose inertia dP/dv at v = 0 has a negative direction, by their names; elements
 * that bindings couple through their inertia are judged together. Semidefinite passes: an inerter
 * between two masses is so. O(entries) for elements alone; of n coupled coordinates the profile of
 * their matrix is factored.
 */
bxt_status bxt_check_inertia_signs(const bxt_system *s, bxt_evaluator *e, bxt_point at,
				   bxt_diagnostics *d);

#endif
