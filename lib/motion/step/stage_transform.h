/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Transforms the matrix of a step with several stages into separate matrices of the size of the
 * system (Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8). If the slopes are
 * the same at all stages, its block (i,k) is (blocks.h; w = a^-1)
 *
 *     w_ik P_V + delta_ik (h P_Q + h D_V - h F_V - K_l + C_V) + h a_ik (h D_Q - h F_Q - K_Q + C_Q)
 *
 * With a = T diag(mu) T^-1 the unknowns T^-1 V then separate, with one matrix for each eigenvalue
 * mu,
 *
 *     S(mu) = P_V/mu + h P_Q + h D_V - h F_V - K_l + C_V + h mu (h D_Q - h F_Q - K_Q + C_Q) .
 *
 * A pair of complex eigenvalues needs one complex matrix. Two stages of Gauss or Radau have a pair,
 * three a real one and a pair. The slopes are means over the stages. If they are constant the
 * matrix is the Jacobian; otherwise it approximates the Jacobian to first order in h.
 */
#ifndef BXT_STEP_STAGE_TRANSFORM_H
#define BXT_STEP_STAGE_TRANSFORM_H

#include "ground/solver/complex_lu.h"
#include "ground/solver/linsol.h"
#include "model/system/evaluate.h"
#include "motion/scheme/scheme.h"

/* An eigenvalue (re, im) of a with im >= 0, and the coefficients that combine and distribute the
 * values of the stages: z = sum_i in_i r_i, V_i = out_i y, for a pair 2 Re(out_i y). */
typedef struct bxt_stage_mode {
	bool pair;
	double mu[2], in[BXT_MAX_STAGES][2], out[BXT_MAX_STAGES][2];
} bxt_stage_mode;

/* Fills modes (stages) and returns their number; 0: the stages cannot be separated. */
int bxt_stage_modes(const bxt_stages *stages, bxt_stage_mode *modes);

/* Factors of S(mu). Each mode uses one of the two solvers, the real or the complex one. */
typedef struct bxt_stage_factors {
	bxt_linsol *real[BXT_MAX_STAGES];
	bxt_complex_lu *pair[BXT_MAX_STAGES];
} bxt_stage_factors;

typedef struct bxt_stage_transform {
	const bxt_system *system;
	const bxt_stages *stages;
	const bxt_linsol_kind *kind;
	int n_modes;
	bxt_stage_mode mode[BXT_MAX_STAGES];
	double h;                            /* [s] of the constant values */
	double *constant[BXT_MAX_STAGES][2]; /* (nnz + 1) real and imaginary parts */
	double *value[BXT_MAX_STAGES][2];
	double *joined; /* (2 nnz) a complex matrix as its solver takes it */
	double *right;  /* (stages)(size) */
	double *part;   /* (2 size) */
	double *size;   /* (nnz) largest |S(mu)| */
} bxt_stage_transform;

/* *out NULL: the stages cannot be separated. */
bxt_status bxt_stage_transform_new(bxt_arena *arena, const bxt_system *s, const bxt_stages *stages,
				   const bxt_linsol_kind *kind, bxt_stage_transform **out);
/* Solvers without factors; *out is heap memory. */
bxt_status bxt_stage_factors_new(const bxt_stage_transform *t, bxt_stage_factors **out);
bxt_stage_factors *bxt_stage_factors_free(bxt_stage_factors *f);

/* Computes the values that depend on h alone; q (size) may be any point. */
void bxt_stage_transform_set_step(bxt_stage_transform *t, bxt_evaluator *e, const double *q,
				  double h);
/* Factors S(mu) of the slopes at the stages x (stages)(size), Q_i in q. Errors as
 * bxt_linsol_factor. */
bxt_status bxt_stage_transform_factor(bxt_stage_transform *t, bxt_evaluator *const *e,
				      double *const *q, const double *x, bxt_stage_factors *f);
/* b (stages)(size) is replaced by the solution. */
bxt_status bxt_stage_transform_solve(const bxt_stage_transform *t, bxt_stage_factors *f, double *b);
/* The largest |S(mu)| of each entry of the system's pattern (nnz). */
const double *bxt_stage_transform_sizes(bxt_stage_transform *t);
/* The smallest of the reciprocal condition estimates. */
double bxt_stage_factors_rcond(const bxt_stage_factors *f);
/* Cost of a factorisation and of a solve, in multiplications of real numbers; 0 without factors. */
void bxt_stage_factors_work(const bxt_stage_factors *f, double *factor, double *solve);
/* Real numbers in the factors, factorisations so far. */
void bxt_stage_factors_count(const bxt_stage_factors *f, size_t *entries, long *full, long *reused);

#endif
