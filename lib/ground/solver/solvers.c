/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of linear solvers. */
#include "ground/solver/linsol.h"

#include <stddef.h>

const bxt_linsol_kind *const bxt_linsol_kinds[] = {&bxt_linsol_klu,      &bxt_linsol_klu_metis,
						   &bxt_linsol_umfpack,  &bxt_linsol_condensed,
						   &bxt_linsol_compiled, NULL};
