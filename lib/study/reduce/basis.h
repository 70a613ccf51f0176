/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States z = (v, q) of a linear part, in the product of its energy:
 *
 *     <a, b> = a_v.M b_v + a_q.K b_q,   H = <z, z> / 2
 *
 * so that the columns of a basis V with <V, V> = 1 are orthonormal in energy coordinates.
 */
#ifndef BXT_REDUCE_BASIS_H
#define BXT_REDUCE_BASIS_H

#include "study/reduce/part_model.h"

/* Columns of states. Zero-initialise; heap memory. */
typedef struct bxt_basis {
	int n, r;        /* coordinates, columns */
	double *v, *q;   /* (n x r) by columns */
	size_t c_v, c_q; /* capacities */
} bxt_basis;

void bxt_basis_free(bxt_basis *b);
/* Appends a column of zeros. *v and *q (may be NULL) point to its two parts. */
bxt_status bxt_basis_add(bxt_basis *b, int n, double **v, double **q);
static inline double *bxt_basis_v(const bxt_basis *b, int j)
{
	return b->v + (size_t)j * (size_t)b->n;
}
static inline double *bxt_basis_q(const bxt_basis *b, int j)
{
	return b->q + (size_t)j * (size_t)b->n;
}

/*
 * Makes the columns orthonormal by Gram-Schmidt, done twice. Columns that depend on earlier ones
 * are left out. coefficients (may be NULL): R of the original columns, (r x r) by columns with r at
 * entry, of which the first b->r rows are used. BXT_ERR_MODEL after a finding: the part can store
 * negative energy.
 */
bxt_status bxt_basis_orthonormalise(const bxt_part_model *p, bxt_basis *b, double *coefficients,
				    bxt_diagnostics *d);
/* b <- b U, with U (b->r x r) by columns. */
bxt_status bxt_basis_combine(bxt_basis *b, const double *u, int r);
/* <z, b_j> for all columns. */
bxt_status bxt_basis_project(const bxt_part_model *p, const bxt_basis *b, const double *v,
			     const double *q, double *out);
/* <z, z> */
bxt_status bxt_basis_energy(const bxt_part_model *p, const double *v, const double *q, double *out);
/* Singular values (least of rows and columns), descending, and left vectors u (rows x least) of a
 * (rows x columns), which is overwritten. */
bxt_status bxt_singular_values(int rows, int columns, double *a, double *values, double *u);

#endif
