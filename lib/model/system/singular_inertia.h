/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Inertia that is singular without being structurally massless: an inerter between nodes without
 * mass, windings with coupling k = 1, a mass of 0 kg. N spans ker dP/dv. Along N the momenta
 * satisfy primary constraints like those of massless coordinates, N^T p = N^T alpha(q), and must be
 * pinned: without that, an error of 1e-9 in them grows to 1e-3 in 2e4 steps.
 */
#ifndef BXT_SYSTEM_SINGULAR_INERTIA_H
#define BXT_SYSTEM_SINGULAR_INERTIA_H

#include "ground/solver/linsol.h"
#include "model/system/evaluate.h"

/* Finds s->singular where dP/dv is constant; 0 columns otherwise, and where it is regular. */
bxt_status bxt_find_singular_inertia(bxt_system *s);

typedef struct bxt_pinning {
	const bxt_sparse *kernel; /* (n x k) N */
	bxt_sparse gram;          /* (k x k) N^T N */
	bxt_linsol *solver;       /* of it */
	double *alpha, *y;        /* (size), (k) */
} bxt_pinning;

/* *out is NULL when there is nothing to pin. */
bxt_status bxt_pinning_new(bxt_arena *arena, const bxt_system *s, bxt_pinning **out);
/* Frees what is not in the arena. NULL is allowed. */
void bxt_pinning_release(bxt_pinning *pinning);
/* p <- p - N (N^T N)^-1 N^T (p - alpha(q)), alpha = P at v = 0; the evaluator's time must be set.
 */
bxt_status bxt_pin_momenta(bxt_pinning *pinning, bxt_evaluator *e, const double *q, double *p);

#endif
