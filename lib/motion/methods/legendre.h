/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The discrete Legendre transforms with forces, from positions alone (de Leon, Lainz and
 * Lopez-Gordon, (36) to (39), (43), (44)):
 *
 *     p_k = -D1 L_d - f^- ,   p_{k+1} = D2 L_d + f^+
 *     H_d+(q_k, p_{k+1}) = p_{k+1} q_{k+1} - L_d ,   H_d-(q_{k+1}, p_k) = -p_k q_k - L_d
 *
 * Positions are given by q_k and the flows V up to q_{k+1} (scheme/discrete_lagrangian.h): one
 * flow, (q_{k+1} - q_k)/h, or several for rules with internal nodes. Momenta exclude the impulses
 * of constraints.
 */
#ifndef BXT_METHODS_LEGENDRE_H
#define BXT_METHODS_LEGENDRE_H

#include "model/system/evaluate.h"
#include "motion/scheme/scheme.h"

typedef struct bxt_legendre {
	const bxt_system *system;
	bxt_arena *arena;
	bxt_evaluator *evaluator;
	bxt_mixture mixture; /* seen from q_k */
	bxt_stages stages;
	bxt_weights *weights;       /* (groups of rules) scratch */
	double *of_energy;          /* (rules) b_i of the point that is evaluated */
	double *q, *x, *term;       /* (size) at a point */
	double *pull;               /* (r)(size) forces at the points, h b_i f */
	double *zero;               /* (size) */
	double action, action_size; /* L_d, and the sum of |its terms| */
	double *start, *end;        /* (size) -D1 L_d - f^-, D2 L_d + f^+ */
	double *written[2];         /* (size) f^- and f^+ of written discrete Lagrangians */
} bxt_legendre;

/* Uses the rules of the settings and ignores their scheme. */
bxt_status bxt_legendre_new(const bxt_system *s, const bxt_settings *settings, bxt_legendre **out);
bxt_legendre *bxt_legendre_free(bxt_legendre *l);

/* Evaluates all at q_k (size) and the flows v (stages)(size) of a step h > 0 from t on. */
void bxt_legendre_at(bxt_legendre *l, const double *q, const double *v, double t, double h);
/*
 * The virtual work of the forces under variations of q_k and the flows: f^- dq_k + f^+ dq_{k+1}
 * without internal nodes. *size is the sum of |terms|.
 */
double bxt_legendre_work(const bxt_legendre *l, const double *dq, const double *dv, double h,
			 double *size);
/* Sets *at to point i of the rules, with its coordinates and flows in l->q, l->x. */
void bxt_legendre_point(bxt_legendre *l, int i, const double *q, const double *v, double t,
			double h, bxt_point *at);
/* The weights of the forces of a group in f^- and f^+; 0 where a discrete Lagrangian is written. */
void bxt_legendre_force_weights(const bxt_legendre *l, const bxt_group *group, int i, double *minus,
				double *plus);
/* q_{k+1}, or its variation */
void bxt_legendre_next(const bxt_legendre *l, const double *q, const double *v, double h,
		       double *next);

/*
 * The inverse transforms as steps. For `right` the state holds q_k and p_{k+1}; the solution is the
 * flows from q_k to q_{k+1}. For `left` the state holds q_{k+1} and p_k, and the step is -h.
 */
extern const bxt_scheme bxt_legendre_right, bxt_legendre_left;

#endif
