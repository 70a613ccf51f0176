/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Eigenvalues of a large pencil s E - A that lie next to a point, by shift and invert. With the
 * factors of A - sigma E, a few products with (A - sigma E)^-1 E, whose largest eigenvalues are
 * 1/(s - sigma), find those next to sigma (Ericsson and Ruhe, Math. Comp. 35, 1980). Only unknowns
 * with a rate are iterated: the others follow, and infinite eigenvalues have 0 there.
 *
 * The eigenvalues found are removed from the operator by their Schur vectors, and the search is
 * repeated, so multiple eigenvalues are found one by one. Each is then confirmed from a shift of
 * its own, by inverse iteration on both sides, and is
 *
 *     s = y^H A x / y^H E x ,   with an error of about eps |y|^T (|A| + |s| |E|) |x| / |y^H E x| ,
 *
 * or, if that is larger, an error of |y|^T |(A - s E) x| / |y^H E x|.
 *
 * An infinite eigenvalue that round-off turned into a large finite one is not confirmed.
 */
#ifndef BXT_LINEAR_NEAR_H
#define BXT_LINEAR_NEAR_H

#include "ground/sparse/sparse.h"

typedef struct bxt_near_mode {
	double s[2];     /* [s-1] re, im >= 0 */
	double error;    /* [s-1] */
	double residual; /* largest |(A - s E) z|_i by row i of |A| + |s| |E| and the largest z */
	double *z;       /* (2 n) re of all, then im of all */
} bxt_near_mode;

typedef struct bxt_near {
	bxt_near_mode *mode; /* (n) in no order */
	int n;
	int failed;      /* values that were found, but not confirmed by inverse iteration ... */
	double lost;     /* [s-1] ... and the distance of the nearest of them from 2 pi i f */
	int missing;     /* values that the iteration did not find in its restarts */
	bool complete;   /* repeating the search found nothing nearer */
	double first[2]; /* [s-1] position of some modes, if none converged */
	double within;   /* [s-1] every mode within this distance of 2 pi i f is in the list */
} bxt_near;

/*
 * Finds at least `count` modes next to s = 2 pi i frequency, if there are so many; memory in the
 * arena. BXT_ERR_SINGULAR: s E - A is singular for every s that was tried. BXT_ERR_NEWTON: the
 * iteration failed, or no mode converged. BXT_ERR_ARGUMENT: too few unknowns have a rate, or the
 * library has no ARPACK.
 */
bxt_status bxt_near_find(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a, int count,
			 double frequency, bxt_near *out);

#endif
