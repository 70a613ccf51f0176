/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bordered matrix of equations G(z) = 0 at a grid point, z = (v, lambda), that do not determine
 * z completely. With n the right null vectors of G_z,
 *
 *     [ G_z  C ] [ dz ]   [ r ]
 *     [  0   B ] [ u  ] = [ 0 ]        u in span(n) <=> B u = 0
 *     [  e   0 ]          [ 0 ]        a component of dz for each n stays
 *
 * where C is the derivative of G by a displacement u. B consists of rows of G_z, as many as are
 * independent on the places U at which null vectors have entries. Thus all entries are those of
 * Jacobians, and the matrix follows null vectors that change with the state. The rows, components
 * and places are chosen once, at points where no slope vanishes by symmetry or at rest.
 */
#ifndef BXT_START_BORDERED_H
#define BXT_START_BORDERED_H

#include "ground/solver/linsol.h"
#include "model/system/evaluate.h"

/* The sources of entries: G_z and C, on the system's pattern, and the same of the rows that stand
 * for momenta along singular inertia (system/singular_inertia.h). */
enum { BXT_OF_Z, BXT_OF_U, BXT_OF_KERNEL_Z, BXT_OF_KERNEL_U, BXT_SOURCES };

/* values[to] += by * source[from] */
typedef struct bxt_copied {
	int from, to;
	double by;
} bxt_copied;

/* Definition of the equations. */
typedef struct bxt_border_def {
	bxt_weights weights[BXT_SOURCES];
	/* C = 1: u is a residual that no z removes; else by the weights. */
	bool identity;
	/* A row of momenta along the kernel is replaced by the balance of forces along it. */
	bool kernel_rows;
} bxt_border_def;

typedef struct bxt_bordered {
	const bxt_system *system;
	const bxt_border_def *def;
	bxt_arena *arena;
	int size;     /* unknowns: system->size, then u */
	int n_u;      /* places U */
	int nullity;  /* number of null vectors */
	int moving;   /* dimension of their flows */
	int *x_of_u;  /* (n_u) */
	bool *out;    /* (system->size) rows that are left out; z = 0 there */
	int *instead; /* (n) the kernel vector whose balance of forces replaces the row, or -1 */
	bool force_on_mass; /* flows of U act on rows with mass by forces, too */
	bxt_sparse pattern;
	int *ones, n_ones; /* slots of constant ones */
	bxt_copied *copied[BXT_SOURCES];
	int n_copied[BXT_SOURCES];
	double *source[BXT_SOURCES]; /* (nnz + 1); NULL: no entry comes from it */
	bxt_linsol *solver;
	bool factored;
	double rcond; /* the point at which rows, components and places were chosen */
	bool here; /* the choice was made for the present search, and a new one would not be better
		    */
} bxt_bordered;

/*
 * Finds null vectors around the point; out (size) or NULL marks rows to leave out.
 * BXT_ERR_SINGULAR: rows could not be chosen.
 */
bxt_status bxt_bordered_new(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			    const bool *out, bxt_bordered **result);
/* Finds only the null vectors: their number, their places and flows. There is no matrix to
 * factor. */
bxt_status bxt_bordered_look(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			     const bool *out, bxt_bordered **result);
bxt_bordered *bxt_bordered_free(bxt_bordered *b);
/* Assembles the matrix at a point and factors it; keeps the factors of affine systems. Also returns
 * BXT_ERR_SINGULAR if the choices made at another point have become ill-conditioned. */
bxt_status bxt_bordered_factor(bxt_bordered *b, bxt_evaluator *e, bxt_point at);
/* r += B u, in the rows below those of G, with the values assembled last. */
void bxt_bordered_multiply(const bxt_bordered *b, const double *u, double *r);

#endif
