/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sparse systems in parts that only an interface couples. With K_ii the inside of part i
 * and b the interface,
 *
 *     S = K_bb - sum_i K_bi K_ii^-1 K_ib ,
 *     S x_b = f_b - sum_i K_bi K_ii^-1 f_i ,     x_i = K_ii^-1 (f_i - K_ib x_b)
 *
 * (Schur complement; Haynsworth 1968). The parts are factored and solved by themselves, in several
 * threads with the same bits for any number of them.
 */
#ifndef BXT_SPARSE_SCHUR_H
#define BXT_SPARSE_SCHUR_H

#include "sparse/linsol.h"

/*
 * part[i] (n): the part 0 ... n_parts - 1 of unknown and row i, -1 for the interface. S is left to
 * the given kind of solver. What makes a part singular by itself is moved to the interface when it
 * shows; where that does not help the whole matrix is factored by the given kind. Pattern and
 * grouping as in bxt_linsol_create_grouped; the pattern, and values while their factors are in use,
 * must outlive the solver, the rest is copied.
 */
bxt_status bxt_linsol_schur_create(const bxt_linsol_kind *inner, const bxt_sparse *pattern,
				   const bxt_grouping *grouping, const int *part, int n_parts,
				   int threads, bxt_linsol **out);

#endif
