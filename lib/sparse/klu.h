/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions that the solvers based on KLU share. */
#ifndef BXT_SPARSE_KLU_H
#define BXT_SPARSE_KLU_H

#include "sparse/linsol.h"

#include <suitesparse/klu.h>

/* An elimination order (n) of A + A^T, on groups unless g is NULL, by METIS or by AMD. */
bxt_status bxt_klu_order(const bxt_sparse *a, const bxt_grouping *g, bool metis, int *order);
/* The KLU settings that all of them use (klu.c). */
void bxt_klu_defaults(klu_common *common);
/* Has the condition estimate fallen so far below that of the last full factorisation that new
 * pivots are due?
 */
bool bxt_klu_is_worn(double rcond, double full_rcond);

#endif
