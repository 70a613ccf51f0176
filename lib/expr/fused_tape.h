/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs. The tapes of a few elements, each with its own numbers and places, joined to
 * one straight line of operations over single numbers: what a tape spends on lanes that nobody
 * wants, and its caller on gathering them, is more than the work itself when there are one or two
 * elements of each kind. Numbers are folded; the operations are those of the tapes, one by one,
 * and so are the bits.
 */
#ifndef BXT_EXPR_FUSED_TAPE_H
#define BXT_EXPR_FUSED_TAPE_H

#include "expr/tape.h"

typedef struct bxt_fused_tape bxt_fused_tape;

/* NULL when out of memory. */
bxt_fused_tape *bxt_fused_tape_new(void);
bxt_fused_tape *bxt_fused_tape_free(bxt_fused_tape *p);

/* Places in `work`: of a number that never changes, and of sources[source][index]. -1 when out of
 * memory. */
int bxt_fused_tape_number(bxt_fused_tape *p, double value);
int bxt_fused_tape_input(bxt_fused_tape *p, int source, int index);
/*
 * Adds a tape whose variable v is at place variable[v] (-1 where it is not read). results[k] is the
 * place of its expression k.
 */
bxt_status bxt_fused_tape_join(bxt_fused_tape *p, const bxt_tape *tape, const int *variable,
			       int *results);

/* Number of doubles in `work`; those of numbers are written by start, once. */
size_t bxt_fused_tape_work(const bxt_fused_tape *p);
void bxt_fused_tape_start(const bxt_fused_tape *p, double *work);
/* All results, in their places. No allocation. */
void bxt_fused_tape_run(const bxt_fused_tape *p, const double *const *sources, double *work);

#endif
