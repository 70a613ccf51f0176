/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extracts the kept rows of A from values in the system's pattern. */
#ifndef BXT_SYSTEM_ROWS_OF_A_H
#define BXT_SYSTEM_ROWS_OF_A_H

#include "model/system/evaluate.h"

/* With these weights bxt_assemble gives A alone: CV, by v. */
extern const bxt_weights bxt_only_rows;

/*
 * A (m x n), zeros omitted, with memory in the arena. values: as bxt_assemble leaves them. Rows
 * (size, by x index) and columns (n) that are not marked stay empty; NULL: all are marked.
 */
bxt_status bxt_rows_of_a(bxt_arena *arena, const bxt_system *s, const double *values,
			 const bool *rows, const bool *columns, bxt_sparse *out);
/* The same, A^T (n x m). */
bxt_status bxt_rows_of_a_transposed(bxt_arena *arena, const bxt_system *s, const double *values,
				    const bool *rows, const bool *columns, bxt_sparse *out);

/* (n) in the arena: all columns but those of coordinates that read a multiplier: their flow is
 * always 0, so they are no constraints. NULL when out of memory. */
bool *bxt_tying_columns(bxt_arena *arena, const bxt_system *s);

#endif
