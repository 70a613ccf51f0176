/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Ways to solve the steps of a torn system, and whose its unknowns are. Each subsystem at
 * the top with all that is below it is a part, and so is what stands beside subsystems; what
 * belongs to D_int, coordinates of ports joined at the top and rows of Sigma_Q, is the interface.
 */
#ifndef BXT_STEP_CONDENSATION_H
#define BXT_STEP_CONDENSATION_H

#include "scheme/settings.h"

typedef struct bxt_condensation_places {
	int n_parts;
	int *part;       /* (size) by place in x: 0 ... n_parts - 1, -1 interface */
	int n_interface; /* places of the interface */
	int n_of_ports;  /* coordinates of ports and multipliers of connections, at any level */
} bxt_condensation_places;

/* Memory in the arena. O(size). */
bxt_status bxt_condensation_find_places(bxt_arena *arena, const bxt_system *s,
					bxt_condensation_places *out);

/*
 * The solver of a step's matrix in the way that the settings say. place[i] is the place in x that
 * unknown i stands for, -1: none; the rest is as in bxt_linsol_create_grouped.
 */
bxt_status bxt_condensation_create_solver(const bxt_system *s, const bxt_settings *settings,
					  const bxt_sparse *pattern, const int *place,
					  const bxt_grouping *grouping, bxt_linsol **out);

#endif
