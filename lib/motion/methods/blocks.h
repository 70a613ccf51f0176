/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The step as one sparse matrix of system-sized blocks, (i,k) = d(rows of stage i)/d(x_k), with the
 * end block of the symmetric projection as the last row and column. Each block has the entries of
 * the system's pattern that its terms can fill. Blocks off the diagonal have few.
 *
 *     (i,k), i,k <= s:  momentum_ik P_V + sum_j momentum_ij h a_jk P_Q           rows with mass
 *                       + delta_ik (h D, -h F, -K, C by V and l) + h a_ik (h D, -h F, -K, C by Q)
 *     (i,E):            -of_momentum_i kick A(q_k)^T, columns those of the start's impulses
 *     (E,k):            h b_k (P_q - K_q, C_q) - sum_j end_j (delta_jk P_V + h a_jk P_Q)
 *     (E,E):            P_v, -A^T, A  -  end_start kick A(q_k)^T;  A_D(q_k)^T for pivots
 *
 * Where P and F have r points of their own (scheme/scheme.h, scheme/discrete_lagrangian.h), there
 * is neither D nor an end block. The first two lines are then
 *
 *     (i,k):  sum_j momentum_ij (flow_jk P_V + h a_jk P_Q) - h force_ij (flow_jk F_V + h a_jk F_Q)
 *             - sum_m a_im (delta_mk K_l + h a_mk K_Q) + delta_ik C_V + h a_ik C_Q
 */
#ifndef BXT_METHODS_BLOCKS_H
#define BXT_METHODS_BLOCKS_H

#include "model/system/together.h"
#include "motion/scheme/scheme.h"
#include "motion/step/position_projection.h"

enum { BXT_MAX_BLOCKS = BXT_MAX_STAGES + 1 };

/* The destinations of the slopes of a stage: blocks, with weights that depend on the step size. */
enum { BXT_STAGE_DESTINATIONS = BXT_MAX_STAGES * BXT_MAX_BLOCKS };
typedef struct bxt_slopes_of {
	bxt_weights w[BXT_STAGE_DESTINATIONS];
	double *to[BXT_STAGE_DESTINATIONS];
} bxt_slopes_of;
typedef struct bxt_stage_slopes {
	bxt_slopes_of dynamics[BXT_MAX_STAGES], rows[BXT_MAX_STAGES];
	bxt_destinations to_dynamics[BXT_MAX_STAGES], to_rows[BXT_MAX_STAGES];
} bxt_stage_slopes;

/* Constant slopes, separated by the power of h and the coefficient of the stages that multiply
 * them. */
typedef enum bxt_block_part {
	BXT_PART_MASS,        /* P_V */
	BXT_PART_MASS_BY_Q,   /* P_Q */
	BXT_PART_FLOWS,       /* D_V - F_V */
	BXT_PART_COORDINATES, /* D_Q - F_Q */
	BXT_PART_ROWS,        /* C_V - K_l */
	BXT_PART_ROWS_BY_Q,   /* C_Q - K_Q */
	BXT_BLOCK_PARTS
} bxt_block_part;

/*
 * A(q_k)^T in the rows of the stages and of the end block. Entry e, at slot from[e] of the system's
 * pattern, goes to slot to[i][e] in the rows of block i (-1: absent), times tau of part part[e]. It
 * also goes to slot hold_to[e], in the equations that determine the impulses of pivots.
 */
typedef struct bxt_kicks {
	double *slope; /* (system nnz + 1) A(q_k)^T */
	int n, *from, *part, *to[BXT_MAX_BLOCKS], *hold_to;
} bxt_kicks;

typedef struct bxt_blocks {
	const bxt_system *system;
	const bxt_stages *stages;
	bxt_projection *projection; /* or NULL */
	bxt_position *position;     /* or NULL; not owned */
	int s, n_block;             /* number of stages; of blocks, end block included */
	int n;                      /* unknowns */
	bxt_sparse pattern;         /* (n x n) */
	/* Block (i,k): entry e moves from slot from[e] of the system's pattern to slot to[e]; the
	 * first n_dynamic are not constant. */
	int *from[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS], *to[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS];
	int count[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS], n_dynamic[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS];
	double *value[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS];    /* (system nnz + 1) */
	double *constant[BXT_MAX_BLOCKS][BXT_MAX_BLOCKS]; /* constant part ... */
	double *whole;                                    /* (nnz) ... of the step's matrix */
	bool has_constant;                                /* `whole` is valid for this h ... */
	bxt_stage_slopes *slopes; /* ... and so are these; NULL: P and F have points of their own */
	/* (system nnz + 1) sums of constant slopes; NULL: there are none of that part. Where
	 * `apart` is false blocks are evaluated for each h. */
	double *part[BXT_BLOCK_PARTS];
	bool apart;
	bxt_kicks kicks;
	double *p0, *p0_abs;           /* (size) p_k + kick A(q_k)^T nu */
	double *momenta, *momenta_abs; /* (size) of a stage or point */
	bxt_together *together;        /* evaluates all stages */
	/* Coordinates whose momenta steps carry, and (size) the momenta of the stages; none if P
	 * and F have points of their own. */
	int n_massive, *massive;
	double *p[BXT_MAX_STAGES], *p_abs[BXT_MAX_STAGES];
	double *end, *end_abs;           /* (size) rows of the end block */
	double *x_point[BXT_MAX_POINTS]; /* (r)(size) flows at points of their own, else NULL */
	double *force, *force_abs;       /* (size) F at such a point */
	double *x_start;                 /* (size) tau nu: impulses at the start */
	double *x_end, *q_end;           /* (size) where they are evaluated */
} bxt_blocks;

/* The step being solved. */
typedef struct bxt_step {
	const double *q, *p; /* (size) at its start */
	double h;
	/* (s stages, then r points of their own) each at its time */
	bxt_evaluator *const *evaluator;
	double *const *q_stage; /* (the same)(size) */
} bxt_step;

/* For the system of the evaluator; q (size) is any point. Memory in the arena. The caller sets
 * `together`. */
bxt_status bxt_blocks_new(bxt_arena *arena, bxt_evaluator *e, const double *q,
			  const bxt_stages *stages, bxt_projection *projection,
			  bxt_position *position, bxt_blocks **out);
/* Sets the values that depend on the start of the step: A(q_k)^T. */
void bxt_blocks_begin(bxt_blocks *b, const bxt_step *step);
/* The Jacobian of the step at x, after a call of the method's `move` to x. Values that depend on h
 * alone are set when `has_constant` is false; affine steps with known factors do not need them. */
void bxt_blocks_jacobian(bxt_blocks *b, const bxt_step *step, const double *x, double *values);
/*
 * Slopes of the end block's rows at the point of the last call of the method's `move`, (system nnz
 * + 1) each: by flows and impulses at the end, which is the block (E,E) without kicks; by
 * coordinates there, without the slopes of P.
 */
void bxt_blocks_end_slopes(bxt_blocks *b, double *by_flow, double *by_coordinate);
/* values[to[e]] += share tau kick_e for all entries e of kick with to[e] >= 0. */
void bxt_blocks_add_kicks(const bxt_blocks *b, double share, const int *to, double *values);

#endif
