/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Momentum maps and the discrete forced Noether theorem (de Leon et al., Theorem 2;
 * Marsden and West, 3.2.3). With J = p.xi(q) a step changes
 *
 *     J_{k+1} - J_k = f^-.xi(q_k) + f^+.xi(q_{k+1}) + impulses of constraints along xi + r
 *     r             = D1 L_d.xi(q_k) + D2 L_d.xi(q_{k+1}),   0 where xi leaves L_d invariant.
 *
 * The schemes' own quadratures: one flow: f^- = h sum b_i (1 - c_i) f_i, f^+ = h sum b_i c_i f_i,
 * and A(q_k)^T l acts at q_k; several flows and collocation: h sum b_i f_i.xi(Q_i) and
 * sum b_i K(l_i).xi(Q_i), exact where xi is affine (J is then quadratic, which Gauss methods keep)
 * and a quadrature elsewhere. Kicks of the symmetric projection act at q_k and q_{k+1}; moves of
 * positions and along lossless loops change J by xi at either end.
 */
#ifndef BXT_ACCOUNT_NOETHER_H
#define BXT_ACCOUNT_NOETHER_H

#include "model/system/symmetry.h"
#include "motion/step/quadrature.h"
#include "run/account/account.h"

/* The account of one symmetry. */
typedef struct bxt_noether_account {
	double start, momentum;     /* J at the start and at present */
	double forces, constraints; /* momentum supplied since the start */
	double residual, worst;     /* r of the last step, and the largest so far */
	double scale;               /* the largest sum of |p_i xi_i| or of what a step supplies */
} bxt_noether_account;

typedef struct bxt_noether {
	const bxt_system *system;
	bool carried; /* momenta of massless coordinates are part of the state */
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	int n;
	bxt_vector_field *field;      /* (n) */
	bxt_noether_account *account; /* (n) */
	double **xi_start, **xi_end;  /* (n)(field.n) */
	double **xi;                  /* (n)(field.n) scratch */
	double *forces, *constraints; /* (n) of the step at hand */
	double *terms;                /* (n) sums of the sizes of their terms */
	double *rest;                 /* (size) zeros */
	double *f, *g, *p;            /* (size) scratch */
} bxt_noether;

/* *out is NULL when no symmetry is declared. */
bxt_status bxt_noether_new(const bxt_system *s, const bxt_settings *settings,
			   const bxt_state *state, bxt_noether **out);
bxt_noether *bxt_noether_free(bxt_noether *n);
/* Computes J_0 at the start of the run. */
void bxt_noether_start(bxt_noether *n, const bxt_state *state);
/* Accounts for the step that has just led to the state. */
void bxt_noether_step(bxt_noether *n, const bxt_quadrature_list *list, const bxt_state *state);
/* The accounts, and the fields where the last step ended. */
void bxt_noether_keep(bxt_noether *n, bxt_account *account);

#endif
