/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order in which KLU eliminates. Each column is paired with the row in which its pivot is
 * expected:
 *
 *     own       its own row: what symmetric structure there is, [H -A^T; A 0], fills in least so
 *     matched   a row by a matching (matching.h): no pivot is then zero by structure, which pays
 *               where controlled sources or borders leave little symmetry
 *
 * The strongly connected parts of the pairs are the blocks of a block triangular form. So the
 * round-off of one part does not reach a part that it only reads. Within blocks AMD, or METIS
 * (nested dissection), orders the pattern of A + A^T with the rows paired. If rows and columns have
 * groups, groups are paired and ordered.
 */
#ifndef BXT_SOLVER_KLU_ORDER_H
#define BXT_SOLVER_KLU_ORDER_H

#include "ground/solver/linsol.h"

#include <suitesparse/klu.h>

typedef struct bxt_klu_orders {
	klu_symbolic *own;
	klu_symbolic *matched; /* NULL: there is none, or it is not worth a trial */
} bxt_klu_orders;

/* For a square pattern that is not empty, common as klu_defaults sets it; grouping may be NULL. */
bxt_status bxt_klu_orders_find(const bxt_sparse *a, const bxt_grouping *grouping, bool metis,
			       klu_common *common, bxt_klu_orders *out);
void bxt_klu_orders_free(bxt_klu_orders *orders, klu_common *common);

#endif
