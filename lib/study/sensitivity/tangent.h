/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives of a run. A step from z = (q, p) solves r(x; z, theta) = 0 and leads to Phi(x, z,
 * theta), closings included. Along a direction, with a dot,
 *
 *     dr/dx x. = - (dr/dz z. + dr/dtheta theta.) ,   z. at the end = D Phi (x., z., theta.)
 *
 * is exact for the discrete step: it is the derivative of the numbers that a run gives, not an
 * approximation of the derivative of the model. The matrix dr/dx is that of Newton's method, so x.
 * takes one solve with its factors and one of refinement.
 *
 * The derivatives of r with respect to z and theta at a fixed x, and those of Phi and of signals
 * along the direction, are differences of fourth order of these functions, for systems with other
 * parameters. So they exist for each step method, closing and signal, without code for each. Steps
 * that contain an iteration of their own have no matrix dr/dx: corrections of the end in turn with
 * the stages, projections with scaled impulses, rows that are left out. There, whole steps are
 * solved at the points. Source: Maly & Petzold, Numerical methods and software for sensitivity
 * analysis of differential-algebraic systems, Appl. Numer. Math. 20 (1996), the staggered direct
 * method.
 */
#ifndef BXT_SENSITIVITY_TANGENT_H
#define BXT_SENSITIVITY_TANGENT_H

#include "run/simulation/simulation.h"

typedef struct bxt_tangent bxt_tangent;

/*
 * Follows the simulation, which must be at its start. part: the distance between the points of
 * differences, relative to the quantity that is differentiated. BXT_ERR_MODEL after findings:
 * models that are sampled, that switch, or that have steps of controlled size have no such
 * derivative.
 */
bxt_status bxt_tangent_new(bxt_simulation *m, double part, bxt_diagnostics *d, bxt_tangent **out);
bxt_tangent *bxt_tangent_free(bxt_tangent *t);
/*
 * Adds a direction: the logarithm of a parameter, with the starts that belong to its values.
 * BXT_ERR_MODEL after a finding: the value is 0, or the values beside it are out of range.
 */
bxt_status bxt_tangent_add_parameter(bxt_tangent *t, size_t index, bxt_diagnostics *d);
/* Adds a direction: a change of the state, q., p. (size), which are copied. */
bxt_status bxt_tangent_add_state(bxt_tangent *t, const double *q, const double *p);
/* Replaces a direction that was added in this way, when the simulation is at its start again. */
void bxt_tangent_set_state(bxt_tangent *t, int direction, const double *q, const double *p);
/*
 * Adds a direction: the logarithm of the step, with an unchanged number of steps. Only for models
 * that do not depend explicitly on time.
 */
bxt_status bxt_tangent_add_step(bxt_tangent *t);
/* The present derivatives, (size). */
const double *bxt_tangent_q(const bxt_tangent *t, int direction);
const double *bxt_tangent_p(const bxt_tangent *t, int direction);
/* The present derivatives of the signals of the simulation at the grid point, (signals). */
bxt_status bxt_tangent_read(bxt_tangent *t, int direction, double *values);
/*
 * The largest difference so far between derivatives of second and of fourth order of a signal,
 * relative to the largest derivative. Above 1e-3 the result is no derivative: the signal may be
 * round-off.
 */
double bxt_tangent_doubt(const bxt_tangent *t, int direction, size_t signal);
/* An estimate of the largest relative error of differences so far. */
double bxt_tangent_error(const bxt_tangent *t);
/*
 * Reports to d why a step of the simulation failed in the derivatives; false: it did not fail
 * there.
 */
bool bxt_tangent_report(const bxt_tangent *t, bxt_diagnostics *d);

#endif
