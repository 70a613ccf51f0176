/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A layer around any linear solver that substitutes some unknowns before the matrix is
 * factored. Of [a b; c D] with a pivot a,
 *
 *     x = (f - b y)/a ,     (D - c b/a) y = g - c f/a ,
 *
 * one pivot after another, in rows or columns that the caller marks and only where a row and a
 * column are merged rather than filled (Markowitz 1957). What remains is the matrix of the model
 * without these rows and columns; it is handed to the given kind of solver.
 */
#ifndef BXT_SPARSE_CONDENSED_H
#define BXT_SPARSE_CONDENSED_H

#include "sparse/linsol.h"

/*
 * candidate[i] (n): row i and column i may hold a pivot. Pattern and grouping as in
 * bxt_linsol_create_grouped; the pattern must outlive the solver, the rest is copied. The pivots
 * are chosen with the first values that are factored: of at least a tenth of their row or column.
 * Those that get too small later are given up and the choice is made anew. The culprit of
 * bxt_linsol_factor is in the caller's columns.
 */
bxt_status bxt_linsol_eliminate_create(const bxt_linsol_kind *inner, const bxt_sparse *pattern,
				       const bxt_grouping *grouping, const bool *candidate,
				       bxt_linsol **out);

#endif
