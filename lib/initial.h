/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 5: the consistent start. Values written in the netlist are held as far as possible:
 *
 *  1. charges: W^T F(q,t0) = 0 on lossless loops, first by moves along W that touch no written
 * value, then by the smallest change of other unwritten values, last along W, written values
 * included (the charge of the nodes is then conserved);
 *  2. flows of coordinates with mass: the rows of A that massless flows cannot meet, Y^T A v = Y^T
 * b with Y^T A_massless = 0, first by the smallest change of unwritten flows, then by the inertia-
 *     orthogonal projection of all (flux and momentum are conserved);
 *  3. p = dL/dv.
 *
 * Every value that moved is reported by name.
 */
#ifndef BXT_INITIAL_H
#define BXT_INITIAL_H

#include "loops.h"
#include "velocity.h"

/* q, v, p (size, by place in x), zero on entry. Findings: notes for unwritten values, warnings for
 * written. */
bxt_status bxt_consistent_start(const bxt_system *s, double t0, double *q, double *v, double *p,
				bxt_diagnostics *d);

#endif
