/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The consistent start. Values written in the netlist are kept as far as possible, fixed ones
 * (<fix>) always:
 *
 *  1. positions: phi(q,t0) = 0 and q_a = q_b of connected shared ports, by moves of unwritten
 *     coordinates, then of written ones without mass, last of all that are not fixed, to the
 *     nearest point in the measure of the inertia (positions_moves.c);
 *  2. charges: W^T F(q,t0) = 0 on lossless loops, first by moves along W that touch no written
 *     value, then by the smallest change of other unwritten values, last along W, written values
 *     included (the charge of the nodes is then conserved); 1 and 2 alternate where both apply;
 *  3. flows of written momenta, then flows of coordinates with mass: the rows of A that massless
 * flows cannot meet, Y^T A v = Y^T b with Y^T A_massless = 0, first by the smallest change of
 * unwritten flows, then by the inertia-orthogonal projection of all (flux and momentum are
 * conserved);
 *  4. p = dL/dv;
 *  5. coordinates that algebraic equations with flows in them determine (start/grid_values.h).
 *
 * Every value that moved is reported by name. An error names the rows that cannot be met.
 */
#ifndef BXT_START_START_H
#define BXT_START_START_H

#include "model/system/velocity.h"
#include "motion/start/lossless_loops.h"

/* q, v, p (size, by x index), zero on entry. Findings for moved values: notes for unwritten ones,
 * warnings for written ones. */
bxt_status bxt_consistent_start(const bxt_system *s, double t0, double *q, double *v, double *p,
				bxt_diagnostics *d);

/* Sets the written coordinates in q (size) and leaves the others unchanged. Inertia is checked at
 * this q. */
bxt_status bxt_written_positions(const bxt_system *s, double *q);

/* Marks the coordinates that the coefficients of rows depend on. mark (size). */
bxt_status bxt_mark_coefficients(const bxt_system *s, const double *q, double t, bool *mark);

#endif
