/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removes the infinite eigenvalues from a pencil s E - A. For Y with Y^T E = 0 the rows Y^T A z = 0
 * contain no s. Their null space N gives z = N w, and the independent rows of E give the smaller
 * pencil
 *
 *     s E_r N - A_r N .
 *
 * First the unknowns without rate that equations without rate determine, K x = - B w, are
 * eliminated sparsely, where K is the largest regular part of that block of A. In a circuit these
 * are currents and potentials, whose conductances differ by factors of 1e12 and more. The step
 * above is then repeated for the rest, which constraints hide, as often as the index of the
 * equations requires, until E is regular. Every N and Y is sparse, so round-off of large numbers
 * does not enter small ones, as it would for the eigenvalues of a large block at infinity. Source:
 * Beelen and Van Dooren, Linear Algebra Appl. 105, 1988.
 */
#ifndef BXT_LINEAR_DEFLATE_H
#define BXT_LINEAR_DEFLATE_H

#include "ground/sparse/sparse.h"

typedef struct bxt_deflated {
	bxt_sparse e, a; /* (r x r), E regular */
	bxt_sparse z;    /* (n x r) z = this times w */
} bxt_deflated;

/*
 * Computes a diagonal D for which the entries of D (|E| + |A|) D are near 1, and computes D A D.
 * Memory in the arena.
 */
bxt_status bxt_pencil_scale(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a, double **d);
bxt_status bxt_pencil_scaled(bxt_arena *arena, const bxt_sparse *a, const double *d,
			     bxt_sparse *out);
/*
 * Memory in the arena. BXT_ERR_SINGULAR: s E - A is singular for every s. *rates: the number of
 * unknowns with a rate. If it exceeds `most`, the function ends there with BXT_ERR_ARGUMENT.
 */
bxt_status bxt_deflate(bxt_arena *arena, const bxt_sparse *e, const bxt_sparse *a, int most,
		       int *rates, bxt_deflated *out);

#endif
