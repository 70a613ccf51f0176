/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Anderson's acceleration of x <- x + f(x) (J. ACM 12, 1965, "method A"; Walker & Ni, SIAM
 * J. Numer. Anal. 49, 2011): with the differences of the last iterates the part of f that they
 * explain is taken off,
 *
 *     gamma = argmin |f - sum gamma_j df_j| ,   x <- x + f - sum gamma_j (df_j + dx_j) ,
 *
 * a multisecant method. What x and f mean, and in which units, is the caller's.
 */
#ifndef BXT_SPARSE_ANDERSON_H
#define BXT_SPARSE_ANDERSON_H

#include "base/arena.h"

enum { BXT_ANDERSON_DEPTH = 10 };

typedef struct bxt_anderson {
	int n, depth;  /* depth: no more than n differences are independent */
	int count;     /* differences that are kept, the newest first */
	bool has_last; /* f and the step of the last call */
	double *df[BXT_ANDERSON_DEPTH], *dx[BXT_ANDERSON_DEPTH], *basis[BXT_ANDERSON_DEPTH];
	double *last_f, *last_step, *rest; /* (n) */
} bxt_anderson;

bxt_status bxt_anderson_init(bxt_anderson *a, bxt_arena *arena, int n);
/* Forgets all: another iteration begins. */
void bxt_anderson_begin(bxt_anderson *a);
/* step (n): what to add to the x that gave f. */
void bxt_anderson_step(bxt_anderson *a, const double *f, double *step);

#endif
