/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solves sparse systems whose parts are coupled only by an interface. With K_ii the inside of part
 * i and b the interface,
 *
 *     S = K_bb - sum_i K_bi K_ii^-1 K_ib ,
 *     S x_b = f_b - sum_i K_bi K_ii^-1 f_i ,     x_i = K_ii^-1 (f_i - K_ib x_b)
 *
 * (Schur complement; Haynsworth 1968). The parts are factored and solved separately, in several
 * threads; the results are the same to the last bit for any number of threads.
 */
#ifndef BXT_SPARSE_SCHUR_H
#define BXT_SPARSE_SCHUR_H

#include "sparse/linsol.h"

/*
 * part[i] (n): the part 0 ... n_parts - 1 of unknown and row i, -1 for the interface. The
 * solver `inner` factors S. Rows and columns that make a part singular move to the interface when
 * this is found; where that does not help, `inner` factors the whole matrix. Pattern and
 * grouping as in bxt_linsol_create_grouped; the pattern, and values while their factors are in use,
 * must outlive the solver, the rest is copied.
 */
bxt_status bxt_linsol_schur_create(const bxt_linsol_kind *inner, const bxt_sparse *pattern,
				   const bxt_grouping *grouping, const int *part, int n_parts,
				   int threads, bxt_linsol **out);

#endif
