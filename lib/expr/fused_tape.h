/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floor 2: programs. The tapes of a few instances, each with its own numbers and places, joined to
 * one straight line of operations over single numbers: what a tape spends on lanes that nobody
 * wants, and its caller on gathering them, is more than the work itself when there are one or two
 * instances of each kind. Numbers are folded; the operations are those of the tapes, one by one,
 * and so are the bits.
 */
#ifndef BXT_EXPR_FUSED_TAPE_H
#define BXT_EXPR_FUSED_TAPE_H

#include "expr/tape.h"

typedef struct bxt_program bxt_program;

/* NULL when out of memory. */
bxt_program *bxt_program_new(void);
bxt_program *bxt_program_free(bxt_program *p);

/* Places in `work`: of a number that never changes, and of sources[source][index]. -1 when out of
 * memory. */
int bxt_program_number(bxt_program *p, double value);
int bxt_program_input(bxt_program *p, int source, int index);
/*
 * Adds a tape whose variable v is at place variable[v] (-1 where it is not read). results[k] is the
 * place of its expression k.
 */
bxt_status bxt_program_join(bxt_program *p, const bxt_tape *tape, const int *variable,
			    int *results);

/* Number of doubles in `work`; those of numbers are written by start, once. */
size_t bxt_program_work(const bxt_program *p);
void bxt_program_start(const bxt_program *p, double *work);
/* All results, in their places. No allocation. */
void bxt_program_run(const bxt_program *p, const double *const *sources, double *work);

#endif
