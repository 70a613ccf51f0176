/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Factors of KLU, of real or of complex matrices:
 *
 *     analyse once:  the order (klu_order.h)
 *     factor:        L U = A(P, Q), P by partial pivoting that keeps the diagonal when it is
 *                    large enough
 *     refactor:      the same P and pattern, new values, no allocation
 *
 * The first factorisation is made in two orders. The order whose factorisations and solves take
 * fewer multiplications is kept.
 */
#ifndef BXT_SOLVER_KLU_FACTORS_H
#define BXT_SOLVER_KLU_FACTORS_H

#include "ground/solver/klu_order.h"

/* KLU's functions for real or for complex numbers. */
typedef struct bxt_klu_arithmetic {
	klu_numeric *(*factor)(int *, int *, double *, klu_symbolic *, klu_common *);
	int (*refactor)(int *, int *, double *, klu_symbolic *, klu_numeric *, klu_common *);
	int (*rcond)(klu_symbolic *, klu_numeric *, klu_common *);
	int (*flops)(klu_symbolic *, klu_numeric *, klu_common *);
	int (*free_numeric)(klu_numeric **, klu_common *);
	double operations; /* floating-point operations that KLU counts for a product and a sum */
} bxt_klu_arithmetic;
extern const bxt_klu_arithmetic bxt_klu_real, bxt_klu_complex;

typedef struct bxt_klu {
	const bxt_klu_arithmetic *with;
	const bxt_sparse *pattern;
	klu_common common;
	klu_symbolic *symbolic;   /* NULL for n = 0, which needs no solver */
	klu_symbolic *other;      /* another order, until the first factorisation; NULL: none */
	klu_numeric *numeric;     /* NULL: there are no factors */
	double rcond, full_rcond; /* of the factors, and of the last full factorisation */
	long full, reused;        /* factorisations with new pivots, and with old ones */
} bxt_klu;

/* The pattern is kept by reference; on failure there is nothing to release. */
bxt_status bxt_klu_init(bxt_klu *f, const bxt_klu_arithmetic *with, const bxt_sparse *pattern,
			const bxt_grouping *grouping, bool metis);
/* Chooses new pivots, unless n = 0. BXT_ERR_SINGULAR: *culprit is the column of a zero pivot in the
 * caller's order, and there are no factors. */
bxt_status bxt_klu_factor(bxt_klu *f, const double *values, int *culprit);
/* Factors with the present pivots, and with a condition estimate if wanted. False: these pivots
 * cannot be used, or are worn by that estimate (pivots.h). */
bool bxt_klu_refactor(bxt_klu *f, const double *values, bool estimate);
/* Entries of the factors, multiplications of a factorisation; 0 without factors. */
size_t bxt_klu_entries(const bxt_klu *f);
double bxt_klu_products(bxt_klu *f);
void bxt_klu_forget(bxt_klu *f);
void bxt_klu_release(bxt_klu *f);

#endif
