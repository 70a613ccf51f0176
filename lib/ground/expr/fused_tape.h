/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Fused tapes. The tapes of a few elements, each with its own numbers and indices, become one
 * straight line of operations over single numbers. With one or two elements of each element type,
 * unused lanes and the gathering of operands would cost more than the work itself. Operations on
 * numbers alone are folded; an `if` with a known condition is replaced by the selected branch, and
 * 0 x by 0. All other operations are those of the tapes and give the same bits.
 */
#ifndef BXT_EXPR_FUSED_TAPE_H
#define BXT_EXPR_FUSED_TAPE_H

#include "ground/expr/tape.h"

typedef struct bxt_fused_tape bxt_fused_tape;

/* NULL when out of memory. */
bxt_fused_tape *bxt_fused_tape_new(void);
bxt_fused_tape *bxt_fused_tape_free(bxt_fused_tape *p);

/* Index in `work` of a constant number, and of sources[source][index]. -1 when out of memory. */
int bxt_fused_tape_number(bxt_fused_tape *p, double value);
int bxt_fused_tape_input(bxt_fused_tape *p, int source, int index);
/*
 * Adds a tape whose variable v has the index variable[v] in `work` (-1 where it is not read).
 * results[k] is the index of its expression k.
 */
bxt_status bxt_fused_tape_join(bxt_fused_tape *p, const bxt_tape *tape, const int *variable,
			       int *results);

/* Removes operations that no result needs; call after all tapes are joined. */
bxt_status bxt_fused_tape_trim(bxt_fused_tape *p);

/* Number of doubles in `work`. bxt_fused_tape_start writes the constants, once. */
size_t bxt_fused_tape_work(const bxt_fused_tape *p);
void bxt_fused_tape_start(const bxt_fused_tape *p, double *work);
/* Computes all results at their indices. No allocation. */
void bxt_fused_tape_run(const bxt_fused_tape *p, const double *const *sources, double *work);

/*
 * The same for n <= BXT_POINTS points at once, with vector instructions, to the same bits: number i
 * of point l is work[i * BXT_POINTS + l], aligned to 32 bytes. sources[l] are those of point l;
 * results of points beyond the last are undefined.
 */
void bxt_fused_tape_start_points(const bxt_fused_tape *p, double *work);
void bxt_fused_tape_run_points(const bxt_fused_tape *p, const double *const *const *sources, int n,
			       double *work);

#endif
