/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The energy of small changes, for each element: half of v.PV v and of -q.(FQ + KQ) q. These are
 * the second derivatives of kinetic energy, of potentials, and of the work of constraint forces
 * along the curvature of their rows. The mean over a period is that of the complex amplitudes.
 */
#ifndef BXT_LINEAR_ENERGY_H
#define BXT_LINEAR_ENERGY_H

#include "study/linear/linear.h"

typedef struct bxt_linear_energy bxt_linear_energy;

/* Memory in the arena. */
bxt_status bxt_linear_energy_new(const bxt_linear *l, bxt_arena *arena, bxt_linear_energy **out);
/*
 * The element with the most energy of amplitudes z (n_z), re and im; -1: no element has energy.
 * *share: the absolute value of its energy as a fraction of those of all elements.
 */
int bxt_linear_energy_most(bxt_linear_energy *e, const double *re, const double *im, double *share);

#endif
