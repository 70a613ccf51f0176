/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Discretisation rules L -> L_d, all linear in L (Parks, (3.59)): a quadrature of L along
 * a polynomial of degree s through q_k and q_{k+1} with s - 1 internal nodes,
 *
 *     L_d(q_k, q_{k+1}) = ext  h sum_i b_i L(q(c_i h), v(c_i h)),
 *
 * with forces by the same rule, f^- and f^+ being their parts on the ends. Degree 1 is the linear
 * interpolation (Marsden and West, Discrete mechanics and variational integrators, 2.3); higher
 * ones are Galerkin variational integrators, of order min(2s, order of the quadrature)
 * (Ober-Bloebaum and Saake, Adv. Comput. Math. 41, 2015).
 *
 * Or along Taylor's polynomial of the continuous motion from (q_k, v_k), where v_k is the velocity
 * that reaches q_{k+1} (Parks, 2.3.3): order min(s, order of the quadrature). Degree 1 is the
 * linear interpolation.
 */
#ifndef BXT_SCHEME_DISCRETE_LAGRANGIAN_H
#define BXT_SCHEME_DISCRETE_LAGRANGIAN_H

#include "model/element/element_type.h"
#include "motion/scheme/tableau.h"

typedef enum bxt_points { BXT_LEFT, BXT_RIGHT, BXT_GAUSS, BXT_LOBATTO, BXT_THETA } bxt_points;

typedef struct bxt_rule {
	const char *name, *doc;
	int degree;        /* s */
	bxt_points family; /* of the quadrature */
	int n;             /* points of the quadrature; n >= s, else L_d is degenerate */
	double theta;      /* BXT_THETA: the point; default of the setting `theta` */
	bool taylor;       /* Taylor's polynomial of degree s, by shooting (methods/shooting.c) */
} bxt_rule;

/* All rules, the end marked by name == NULL. */
extern const bxt_rule bxt_rules[];
/* The rule of that name; NULL: there is none, or the name is NULL. */
const bxt_rule *bxt_rule_find(const char *name);

void bxt_rule_quadrature(const bxt_rule *rule, bxt_quadrature *out);
/* min(2s, order of the quadrature); of Taylor's polynomial min(s, order of the quadrature). */
int bxt_rule_order(const bxt_rule *rule);
/*
 * f^- by one rule and f^+ by another, along the straight line. *whole: sum (1 - c) b of the one and
 * sum c b of the other, 1 where their impulse is that of the force. Returns the order of both
 * together, at least 1.
 */
int bxt_rules_of_ends_order(const bxt_rule *minus, const bxt_rule *plus, double *whole);
/* Are L and f evaluated at q_k only? Then the step's matrix has no derivatives by q_{k+1}. */
bool bxt_rule_is_explicit(const bxt_rule *rule);
/*
 * The equations of L_d in the flows V_j at the s Gauss points d_j of the step, with weights w_j.
 * Variation of V_j, and of q_{k+1} with it, gives
 *
 *     p_{k+1} = sum_i b_i (P_i + c_i h F_i)                                    = D2 L_d + f^+
 *     p_k     = sum_i b_i/w_j (flow_ij P_i - (w_j - a_ij) h F_i) ,  j = 1 ... s ,
 *
 * whose mean is -D1 L_d - f^-;  P_i, F_i at q(c_i) = q_k + h sum a_ij V_j, v(c_i) = sum flow_ij
 * V_j.
 */
typedef struct bxt_discretization {
	int s, r;
	double node[BXT_MAX_STAGES], weight[BXT_MAX_STAGES]; /* (s) d, w */
	double node_a[BXT_MAX_STAGES][BXT_MAX_STAGES];       /* (s)(s) of q(d_i) */
	double c[BXT_MAX_POINTS], b[BXT_MAX_POINTS];         /* (r) */
	double flow[BXT_MAX_POINTS][BXT_MAX_STAGES], a[BXT_MAX_POINTS][BXT_MAX_STAGES]; /* (r)(s) */
	double momentum[BXT_MAX_STAGES][BXT_MAX_POINTS]; /* (s)(r) b_i flow_ij / w_j */
	double force[BXT_MAX_STAGES][BXT_MAX_POINTS];    /* (s)(r) b_i (w_j - a_ij) / w_j */
} bxt_discretization;
/* mirrored: discretises the adjoint, from the other end of the step: c -> 1 - c. */
void bxt_rule_discretize(const bxt_rule *rule, bool mirrored, bxt_discretization *out);
/*
 * Discretises rules of one degree at the union of their points; each rule has b = 0 at points of
 * other rules. This sums discrete Lagrangians on the same flows. False: too many points.
 */
bool bxt_rules_discretize(const bxt_rule *const *rules, int n, bool mirrored,
			  bxt_discretization *out);

enum { BXT_MAX_RULES = 4 };
/* The rules of a system's parts. */
typedef struct bxt_mixture {
	int n;
	const bxt_rule *rule[BXT_MAX_RULES + 1];
	bxt_discretization of[BXT_MAX_RULES + 1]; /* (n) at the same points */
	const int *of_group;                      /* (groups) */
	/* the last one is for groups with a written discrete Lagrangian and has no points */
	bool has_written;
	/*
	 * Rule of the forces where it differs from that of L, at the same points; else NULL. f^+
	 * may have one of its own, then force and b are made of both: f^- = h sum force_i F_i,
	 * f^+ = h sum (b_i - force_i) F_i.
	 */
	const bxt_rule *force_rule, *force_rule_plus;
	bxt_discretization forces;
	double forces_end[BXT_MAX_POINTS];          /* the weights of f^+ at the end of the step */
	bxt_discretization more[BXT_MAX_RULES + 1]; /* (n) forces - of[k] in b and force, else 0 */
	double more_end[BXT_MAX_RULES + 1][BXT_MAX_POINTS]; /* (n) forces_end - c b of of[k] */
} bxt_mixture;

#endif
