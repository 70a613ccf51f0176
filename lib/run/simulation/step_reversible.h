/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reversible steps of variable size. A density Q(q,v,t), in steps per time up to a factor, is large
 * where motion is fast. The step follows z, an approximation of Q:
 *
 *     h_k = eps / z_{k+1/2} ,   z_{k+1/2} = z_{k-1/2} + eps d/dt ln Q(y_k) ,
 *     z_{1/2} = Q(y_0) + eps/2 d/dt ln Q(y_0) ,   eps = step Q(y_0) .
 *
 * With a symmetric scheme the whole method is reversible. Energies of reversible motions then do
 * not drift, as they do if an estimate of the error chooses the step. If the settings give no
 * density, it is
 *
 *     Q^2 = p'.M^-1 p' / (v.Mv + .01 max v.Mv) .
 *
 * (eps/h_max)^2 is added to Q^2, so that no step exceeds the largest one, h_max. The first step is
 * that of the settings.
 *
 * E. Hairer, G. Soederlind, Explicit, time reversible, adaptive step size control, SIAM J. Sci.
 * Comput. 26 (2005).
 */
#ifndef BXT_SIMULATION_STEP_REVERSIBLE_H
#define BXT_SIMULATION_STEP_REVERSIBLE_H

#include "run/simulation/simulation.h"

/* Begins at the state of m. BXT_ERR_MODEL after findings: there is no density at this state, or the
 * model has sampled states. */
bxt_status bxt_reversible_new(bxt_simulation *m, bxt_reversible **out);
bxt_reversible *bxt_reversible_free(bxt_reversible *r);
/* Makes one step, at most to `end` or the next event. */
bxt_status bxt_reversible_step(bxt_simulation *m, double end);
/* Returns the smallest and the largest step so far [s], without those that were cut short. */
void bxt_reversible_sizes(const bxt_reversible *r, double *smallest, double *largest);

#endif
