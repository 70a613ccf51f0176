/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reversible steps of variable size. A density of steps Q(q,v,t) says where motion is fast; with
 * z about Q,
 *
 *     h_k = eps / z_{k+1/2} ,   z_{k+1/2} = z_{k-1/2} + eps d/dt ln Q(y_k) ,
 *     z_{1/2} = Q(y_0) + eps/2 d/dt ln Q(y_0) ,   eps = step Q(y_0) .
 *
 * With a symmetric scheme the whole is reversible, so that energies of reversible motions do not
 * drift as they do where an estimate of the error chooses the step. Unless the settings have a
 * density, it is
 *
 *     Q^2 = p'.M^-1 p' / (v.Mv + .01 max v.Mv) .
 *
 * So that no step is above the largest one, h_max, (eps/h_max)^2 is added to Q^2; the first step is
 * as in the settings.
 *
 * E. Hairer, G. Soederlind, Explicit, time reversible, adaptive step size control, SIAM J. Sci.
 * Comput. 26 (2005).
 */
#ifndef BXT_SIMULATION_STEP_REVERSIBLE_H
#define BXT_SIMULATION_STEP_REVERSIBLE_H

#include "run/simulation/simulation.h"

/* From the state of m. BXT_ERR_MODEL after findings: no density there, something is sampled. */
bxt_status bxt_reversible_new(bxt_simulation *m, bxt_reversible **out);
bxt_reversible *bxt_reversible_free(bxt_reversible *r);
/* One step, to `end` or the next event at most. */
bxt_status bxt_reversible_step(bxt_simulation *m, double end);
/* The smallest and the largest step so far, but those that were cut short [s]. */
void bxt_reversible_sizes(const bxt_reversible *r, double *smallest, double *largest);

#endif
