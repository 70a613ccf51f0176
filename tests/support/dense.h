/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dense LU (LAPACK), the reference for the sparse solvers. Memory 8 n^2 bytes. n > 20,000 is
 * refused (BXT_ERR_MEMORY), because LAPACK indexes with int.
 */
#ifndef DENSE_H
#define DENSE_H

#include "ground/solver/linsol.h"

extern const bxt_linsol_kind dense_solver;

#endif
