/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by ldl.c, ldl_order.c. */
#ifndef BXT_SOLVER_LDL_INTERNAL_H
#define BXT_SOLVER_LDL_INTERNAL_H

#include "ground/solver/ldl.h"

#include <suitesparse/cholmod.h>

void bxt_cholmod_start(cholmod_common *common);
/* The status of CHOLMOD's last call. */
bxt_status bxt_cholmod_failure(const cholmod_common *common);
/* A symmetric matrix of which the upper triangle is read. */
cholmod_sparse bxt_cholmod_view(const bxt_sparse *pattern);

#endif
