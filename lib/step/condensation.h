/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Solvers for the step matrix of a torn system, and the partition of its unknowns. A part is a
 * subsystem at the top with everything below it; all elements beside the subsystems form one more.
 * The interface belongs to D_int: coordinates of ports joined at the top and rows of Sigma_Q.
 */
#ifndef BXT_STEP_CONDENSATION_H
#define BXT_STEP_CONDENSATION_H

#include "scheme/settings.h"

typedef struct bxt_condensation_places {
	int n_parts;
	int *part;       /* (size) by x index: 0 ... n_parts - 1, -1 interface */
	int n_interface; /* unknowns of the interface */
	int n_of_ports;  /* coordinates of ports and multipliers of connections, at any level */
} bxt_condensation_places;

/* Memory in the arena. O(size). */
bxt_status bxt_condensation_find_places(bxt_arena *arena, const bxt_system *s,
					bxt_condensation_places *out);

/*
 * Creates the solver that the settings choose for a step's matrix. place[i] is the x index of
 * unknown i, -1: none. The other arguments are those of bxt_linsol_create_grouped.
 */
bxt_status bxt_condensation_create_solver(const bxt_system *s, const bxt_settings *settings,
					  const bxt_sparse *pattern, const int *place,
					  const bxt_grouping *grouping, bxt_linsol **out);

#endif
