/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The matrix of equations G(z) = 0 at a grid point, z = (v, lambda), that do not fix z completely.
 * With n the right null vectors of G_z,
 *
 *     [ G_z  C ] [ dz ]   [ r ]
 *     [  0   B ] [ u  ] = [ 0 ]        u in span(n) <=> B u = 0
 *     [  e   0 ]          [ 0 ]        a component of dz for each n stays
 *
 * where C says what a displacement u does to G. B holds as many rows of G_z as are independent on
 * the places U that null vectors occupy, so that all entries are those of Jacobians and null
 * vectors that turn with the state are followed. Which rows, which components and which places is
 * found once, at points where no slope vanishes by symmetry or at rest.
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

/* What the equations are made of. */
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
	int size;           /* unknowns: system->size, then u */
	int n_u;            /* places U */
	int nullity;        /* number of null vectors */
	int moving;         /* dimension of their flows */
	int *x_of_u;        /* (n_u) */
	bool *out;          /* (system->size) rows that are left out: z = 0 there */
	int *instead;       /* (n) the kernel vector whose balance replaces the row, or -1 */
	bool force_on_mass; /* flows of U act on rows with mass by forces, too */
	bxt_sparse pattern;
	int *ones, n_ones; /* slots of constant ones */
	bxt_copied *copied[BXT_SOURCES];
	int n_copied[BXT_SOURCES];
	double *source[BXT_SOURCES]; /* (nnz + 1); NULL: no entry comes from it */
	bxt_linsol *solver;
	bool factored;
	double rcond; /* where it was laid out */
	bool here;    /* no other choice would be better: it was laid out for the present search */
} bxt_bordered;

/*
 * Finds null vectors around the point; out (size) or NULL marks rows to leave out.
 * BXT_ERR_SINGULAR: rows could not be chosen.
 */
bxt_status bxt_bordered_new(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			    const bool *out, bxt_bordered **result);
/* Null vectors alone: how many, their places and flows. There is no matrix to factor. */
bxt_status bxt_bordered_look(bxt_evaluator *e, bxt_point at, const bxt_border_def *def,
			     const bool *out, bxt_bordered **result);
bxt_bordered *bxt_bordered_free(bxt_bordered *b);
/* Assembles at a point and factors; keeps the factors of affine systems. BXT_ERR_SINGULAR, too,
 * where the choices made elsewhere have become poor. */
bxt_status bxt_bordered_factor(bxt_bordered *b, bxt_evaluator *e, bxt_point at);
/* r += B u: the rows below those of G, at the values last assembled. */
void bxt_bordered_multiply(const bxt_bordered *b, const double *u, double *r);

#endif
