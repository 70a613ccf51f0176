/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Anderson's acceleration of x <- x + f(x) (J. ACM 12, 1965, "method A"; Walker & Ni, SIAM
 * J. Numer. Anal. 49, 2011): it removes the part of f that the differences of the last
 * iterates explain,
 *
 *     gamma = argmin |f - sum gamma_j df_j| ,   x <- x + f - sum gamma_j (df_j + dx_j) ,
 *
 * a multisecant method. The caller chooses the meaning and units of x and f.
 */
#ifndef BXT_SOLVER_ANDERSON_H
#define BXT_SOLVER_ANDERSON_H

#include "ground/base/arena.h"

enum { BXT_ANDERSON_DEPTH = 10 };

typedef struct bxt_anderson {
	int n, depth;  /* depth <= n: no more differences are independent */
	int count;     /* differences kept, the newest first */
	bool has_last; /* last_f and last_step are valid */
	double *df[BXT_ANDERSON_DEPTH], *dx[BXT_ANDERSON_DEPTH], *basis[BXT_ANDERSON_DEPTH];
	double *last_f, *last_step, *rest; /* (n) */
} bxt_anderson;

bxt_status bxt_anderson_init(bxt_anderson *a, bxt_arena *arena, int n);
/* Begins a new iteration: drops all differences. */
void bxt_anderson_begin(bxt_anderson *a);
/* step (n): what to add to the x that gave f. */
void bxt_anderson_step(bxt_anderson *a, const double *f, double *step);

#endif
