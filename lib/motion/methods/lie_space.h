/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A configuration space that is a product of groups and lines, for the Lie schemes (methods/lie.h).
 *
 * A part is the coordinates of one manifold, or one other coordinate. Spheres S^2 keep their three
 * coordinates, T = 1, S = 0; the scheme defines their steps. Its flows are V = T(Q) w with the body
 * rates w, that is V = Q w^ for a group and V = w for a line; A rotation d_phi Q = Q phi^ changes V
 * by S(V) phi = Q phi^ w^. From the system's own P = dL/dV and F = dL/dQ + forces, in coordinates
 * of the embedding,
 *
 *     m = T^T P ,   n = T^T F + S^T P ,
 *
 * are the momentum and the generalised torque in the frame of the body: for a rigid body m = I w,
 * n the external torque. The rows of the embedding are never needed. The slopes follow by the
 * chain rule, with B = Q^T P, B' = Q^T F - B w^ and g(B) = B - tr B,
 *
 *     m_w = T^T P_V T                          m_phi = T^T (P_V S + P_Q T) + g(B)
 *     n_w = (T^T F_V + S^T P_V) T + g(B)^T     n_phi = T^T (F_V S + F_Q T) + S^T (P_V S + P_Q T)
 *                                                      + g(B') .
 */
#ifndef BXT_METHODS_LIE_SPACE_H
#define BXT_METHODS_LIE_SPACE_H

#include "model/component/rotation.h"
#include "model/system/evaluate.h"

enum { BXT_LIE_DIMENSION = 3 }; /* the largest of a part */

typedef struct bxt_lie_part {
	const bxt_retraction *retraction; /* NULL: a line, or a sphere */
	const bxt_retraction *sphere;     /* NULL: none */
	int dimension, first;             /* its rates are first ... first + dimension - 1 */
	int place[9];                     /* x indices of its coordinates */
} bxt_lie_part;

/* The slopes of one part's equations by the rates of another one: values by rows. */
typedef struct bxt_lie_block {
	int row, col; /* parts */
	int first;    /* in arrays of values */
} bxt_lie_block;

/* An entry of the system's pattern that the slopes read. */
typedef struct bxt_lie_entry {
	int slot, row, col; /* in its values; x indices */
	int first, columns; /* of its block, in values; of its rows */
} bxt_lie_entry;

typedef struct bxt_lie_space {
	const bxt_system *system;
	bxt_lie_part *part;       /* (n_parts) */
	int n_parts, n;           /* parts, rates */
	int *part_of_x, *at_of_x; /* (system n) the part of a coordinate, and which of its own */
	bxt_lie_block *block;     /* (n_blocks) */
	int n_blocks, n_values;
	int *diagonal;        /* (n_parts) first value of the block of a part and itself */
	bxt_lie_entry *entry; /* (n_entries) */
	int n_entries;
	double *values[4]; /* (system nnz + 1) P_V, P_Q, F_V, F_Q */
	double *p, *f;     /* (size) P and F */
	double *rows[2];   /* (size)(3) rows of T and S at the point of the slopes */
} bxt_lie_space;

/* A point at which m and n are evaluated. */
typedef struct bxt_lie_point {
	double *q, *v;                     /* (size) */
	double *rate;                      /* (n) w */
	double *m, *n;                     /* (n) */
	double *m_w, *m_phi, *n_w, *n_phi; /* (n_values) */
	double t;
} bxt_lie_point;

/* 9 numbers for each part: a matrix by columns; a line uses only the first. */
typedef double bxt_lie_matrix[9];

/* Is that manifold a group? A sphere S^2? */
bool bxt_lie_is_group(const bxt_manifold *m);
bool bxt_lie_is_sphere(const bxt_manifold *m);
/* The map of frames, whose nine coordinates are at local places; NULL: the group has none. */
const bxt_retraction *bxt_lie_of_frames(const bxt_system *s, const bxt_group *group, int *place);
bxt_status bxt_lie_space_new(const bxt_system *s, bxt_arena *arena, bxt_lie_space *out);
bxt_status bxt_lie_point_new(const bxt_lie_space *space, bxt_arena *arena, bxt_lie_point *out);

/* The coordinates of a group from q by x index, and back. */
void bxt_lie_take(const bxt_lie_part *part, const double *q, double *matrix);
void bxt_lie_give(const bxt_lie_part *part, const double *matrix, double *q);

/* Sets V, m and n from q and rates, and the space's p and f. */
void bxt_lie_evaluate(const bxt_lie_space *space, bxt_evaluator *e, bxt_lie_point *point);
/* The slopes, after bxt_lie_evaluate at that point. */
void bxt_lie_slopes(const bxt_lie_space *space, bxt_evaluator *e, bxt_lie_point *point);
/* m = T^T p at q */
void bxt_lie_momenta(const bxt_lie_space *space, const double *q, const double *p, double *m);
/* The rates of flows at q, exact if the flows are tangent. */
void bxt_lie_rates(const bxt_lie_space *space, const double *q, const double *v, double *rate);
/* p += T x/|T|^2, so that T^T p grows by x. */
void bxt_lie_add_momenta(const bxt_lie_space *space, const double *q, const double *x, double *p);

/* out += factor L X R, block by block; left and right are matrices by part, NULL: 1; transposed:
 * L^T. */
typedef struct bxt_lie_factors {
	const bxt_lie_matrix *left, *right;
	bool transposed;
} bxt_lie_factors;
void bxt_lie_add_product(const bxt_lie_space *space, double factor, bxt_lie_factors by,
			 const double *x, double *out);
/* out += factor K, or K^T, on the blocks of parts and themselves. */
void bxt_lie_add_local(const bxt_lie_space *space, double factor, const bxt_lie_matrix *k,
		       bool transposed, double *out);

#endif
