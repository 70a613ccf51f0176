/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The partition of the unknowns of a torn system. A part is a
 * subsystem at the top with everything below it; all elements beside the subsystems form one more.
 * The interface belongs to D_int: coordinates of ports joined at the top and rows of Sigma_Q.
 */
#ifndef BXT_SYSTEM_PARTS_H
#define BXT_SYSTEM_PARTS_H

#include "model/system/system.h"

typedef struct bxt_parts {
	int n_parts;
	int *part;       /* (size) by x index: 0 ... n_parts - 1, -1 interface */
	int n_interface; /* unknowns of the interface */
	int n_of_ports;  /* coordinates of ports and multipliers of connections, at any level */
} bxt_parts;

/* Memory in the arena. O(size). */
bxt_status bxt_parts_find(bxt_arena *arena, const bxt_system *s, bxt_parts *out);

/*
 * Numbers of rows for the caller, independent of the mode: rows that hold in the system, in their
 * order, then those that are released in it, in the order of D. Their number, and the index in D of
 * row i.
 */
int bxt_rows_outside(const bxt_system *s);
int bxt_row_outside(const bxt_system *s, int i);

#endif
