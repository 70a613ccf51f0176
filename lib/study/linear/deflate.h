/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Takes the infinite eigenvalues out of a pencil s E - A. With Y^T E = 0 the rows Y^T A z = 0 have
 * no s; their null space N gives z = N w, and rows of E that are independent the smaller pencil
 *
 *     s E_r N - A_r N .
 *
 * First the unknowns without rate that equations without rate give, K x = - B w, are taken out by
 * sparse elimination, K being the largest regular part of that block of A: the currents and
 * potentials of a circuit, whose conductances differ by 1e12 and more. The rest, what constraints
 * hide, is repeated as often as the index of the equations requires, until E is regular. Every N
 * and Y is sparse, and no large numbers are mixed with small ones, as the eigenvalues of a large
 * block at infinity would be by round-off. Source: Beelen and Van Dooren, Linear Algebra Appl. 105,
 * 1988.
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
