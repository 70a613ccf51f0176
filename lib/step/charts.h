/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Coordinates on manifolds in the step of the scheme theta. Instead of
 *
 *     Q = q_k + theta h V ,   q_{k+1} = q_k + h V
 *
 * the discrete Dirac system (Barbero-Linan et al., (3)) has (h V at Q) = R_d^-1(q_k, q_{k+1}), so
 * Q = Q(q_k, u), q_{k+1} = q_{k+1}(q_k, u), u = h V (component/retraction.h). By the chain rule
 * column c of the step's matrix gets
 *
 *     J_V[:,c] + sum_d J_Q[:,d] h dQ_d/du_c
 *
 * over the coordinates d of one manifold, with entries that the system's pattern need not have.
 */
#ifndef BXT_STEP_CHARTS_H
#define BXT_STEP_CHARTS_H

#include "scheme/scheme.h"
#include "system/evaluate.h"

/* The coordinates of one manifold of one element. */
typedef struct bxt_chart {
	const bxt_retraction *retraction;
	int n;
	const int *place; /* (n) in x */
	int slope;        /* its first entry of bxt_charts.slope */
} bxt_chart;

typedef struct bxt_charts {
	const bxt_system *system;
	double theta;
	bxt_chart *chart;   /* (n) */
	int n, most;        /* most coordinates of one */
	bxt_sparse pattern; /* the system's and what is added: size x size */
	int *slot_of;       /* (system nnz) slot in that pattern */
	/* values[product_to] += slope[product_slope] * by_q[product_from] */
	int *product_from, *product_to, *product_slope;
	size_t n_product;
	double *slope;                  /* h dQ/du - theta h, chart by chart, by rows */
	double *by_v, *by_q, *constant; /* (system nnz + 1) slopes with Q moving along V; in Q
					   alone, and what of these does not change */
	bxt_weights weights[2];         /* of by_v and by_q */
	double *x, *u, *q;              /* (most) scratch */
} bxt_charts;

/* *out is NULL when no element has a manifold. */
bxt_status bxt_charts_new(bxt_arena *arena, const bxt_system *s, double theta, bxt_charts **out);
/* False after findings: a coordinate on a manifold that has inertia. */
bool bxt_charts_possible(const bxt_system *s, const bxt_settings *settings, bxt_place place,
			 bxt_diagnostics *d);
/* Q of the charts' coordinates into q_stage, whose others are left alone. */
void bxt_charts_move(bxt_charts *c, const double *q, const double *x, double h, double *q_stage);
/* Their q at the end of the step, from Q. */
void bxt_charts_advance(bxt_charts *c, const double *q_stage, const double *x, double h, double *q);
/* For a step h: the weights of slopes along V and in Q alone; e and `at` as for JAC_CONST. */
void bxt_charts_set_step(bxt_charts *c, bxt_evaluator *e, bxt_point at, const bxt_weights *along_v,
			 const bxt_weights *residual);
/* The step's matrix at `at`, whose q is the stage's; `constant` what of it does not change. */
void bxt_charts_matrix(bxt_charts *c, bxt_evaluator *e, bxt_point at, const double *q_start,
		       double h, const double *constant, double *values);

#endif
