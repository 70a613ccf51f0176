/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schemes. A scheme is one row of a const table. It defines where the terms P, D, F, C, K are
 * evaluated, with which weights they enter the rows of its stages, and how solved stages advance
 * the state (struct bxt_stages). It does not depend on components.
 */
#ifndef BXT_SCHEME_SCHEME_H
#define BXT_SCHEME_SCHEME_H

#include "motion/scheme/settings.h"
#include "motion/scheme/tableau.h"

#include <stdbool.h>

/* q, p (size, by x index; p of pinned coordinates only where the scheme carries it); x (size): the
 * last stage. */
struct bxt_state {
	const bxt_system *system;
	double t, t0;  /* [s] current time, and start of the grid of steps */
	long steps;    /* since t0 */
	double h_grid; /* [s] step of that grid, 0 before the first step; negative: backward */
	double h;    /* [s] last step, 0 before the first; impulses in x are h times multipliers */
	bool kicked; /* the half impulse at the start has been applied */
	double *q, *p, *x;
	/* (n_remembered) memory of plug-in elements in the order of the sampler
	 * (control/sampler.h); NULL before the first run */
	struct bxt_remembered *remembered;
	int n_remembered;
	/* (n_underway) samples that have not taken effect yet, of sampled elements in the order of
	 * the sampler; NULL: no element has a delay longer than its period */
	struct bxt_underway *underway;
	int n_underway;
	/* (account_size) the account of the run so far (account/account.h); NULL: none is kept */
	unsigned char *account;
	size_t account_size;
	const struct bxt_scheme *scheme; /* of the run that has the account */
	long rows;                       /* rows that the run has emitted */
	uint64_t values; /* hash of the parameters of the model when it was saved; 0: not known */
	/* (inputs)(BXT_INPUT_NUMBERS) values of external inputs; NULL: the defaults */
	double *inputs;
	/* (n_tuned) parameters with other values than the system's, by number
	 * (network/parameters.h) */
	struct bxt_tuned *tuned;
	size_t n_tuned;
	/* (network's n_switches) the states of its switches; NULL: those of the system */
	unsigned char *switches;
	struct bxt_history *history; /* of delays (history.h); NULL: there are none */
};

/* Copies the values of all vectors and all other members. */
void bxt_state_copy_values(const bxt_system *s, const bxt_state *from, bxt_state *to);
/* Copies time, q, p and x to a state of the same model in which other rows hold; drops the
 * multipliers of rows that do not exist there. */
void bxt_state_carry(const bxt_state *from, bxt_state *to);
/* A state of zeros; NULL when out of memory. */
bxt_state *bxt_state_new(const bxt_system *s);

typedef struct bxt_tuned {
	size_t index;
	double value;
} bxt_tuned;

/* Samples of one element that have not taken effect. The oldest is a coordinate; the others are
 * stored here. */
typedef struct bxt_underway {
	double *value; /* (n - 1 samples of so many values), the older ones first */
	int n;
	size_t room; /* doubles of `value` */
} bxt_underway;

/* The memory of one element with a plug-in. */
typedef struct bxt_remembered {
	void *bytes; /* (size) */
	size_t size;
	bool lost; /* the plug-in crashed: its memory is unknown */
} bxt_remembered;

/*
 * The s stages of a step in the unknowns V_i (flows) and l_i = h Lambda_i (impulses), i = 1 ... s:
 *
 *     Q_i = q_k + h sum_j a_ij V_j                                           at t_k + c_i h
 *     sum_j momentum_ij P_j - of_momentum_i p_0 - force h F_i - K(l_i) = 0   rows with mass
 *     h D_i - h F_i - K(l_i) = 0                                             massless rows
 *     C_i = A V_i - b = 0
 *     q_{k+1} = q_k + h sum_i b_i V_i
 *     p_{k+1} = end_start p_0 + sum_j end_j (P_j + end_force h F_j)
 *
 * where massless rows are like rows with mass when the scheme carries their momenta. p_0 = p_k, or
 * with the symmetric projection (step/projection.h) p_0 = p_k + kick A(q_k)^T nu. Explicit schemes
 * use only s, a, b and c; see methods/runge_kutta.h.
 */
typedef struct bxt_stages {
	int s;
	double a[BXT_MAX_STAGES][BXT_MAX_STAGES], b[BXT_MAX_STAGES], c[BXT_MAX_STAGES];
	/* s = 1: C at q_k + rows h V, K at q_k + impulses h V; both a_11 for collocation */
	double rows, impulses;
	double momentum[BXT_MAX_STAGES][BXT_MAX_STAGES], of_momentum[BXT_MAX_STAGES];
	double force;
	bool carried;
	double end[BXT_MAX_STAGES], end_start, end_force;
	int kick; /* (-1)^s for a symmetric method; 0: no symmetric projection */
	/*
	 * Discrete Lagrangians with more than one point (discrete_lagrangian.h): P and F are
	 * evaluated at r points of their own, C and K at the stages (K of a single stage at q_k,
	 * and so C where the base point is asked for; b, c and a are w, d and a of the stages):
	 *
	 *     sum_j (momentum_ij P_j - force_ij h F_j) - p_k - sum_m a_im K(l_m) = 0
	 *     p_{k+1} = sum_j b_j (P_j + c_j h F_j) + sum_m w_m d_m K(l_m)
	 *
	 * A single stage has - K(l) and no K at the end: its momenta are pre-impulse. Along
	 * Taylor's polynomial the points have only times and weights; methods/shooting.c has the
	 * equations. NULL: the points are the stages.
	 */
	const bxt_discretization *points;
	const bxt_mixture *mixture; /* rules by group, `points` of the first; NULL: one */
	bool other_end; /* solved for the momenta at the other end of the step (methods/legendre.h)
			 */
} bxt_stages;

/* Are the stages those of collocation by one polynomial: sum_j a_ij c_j^{k-1} = c_i^k/k, k <= s? */
bool bxt_stages_collocate(const bxt_stages *stages);

/* Step methods; their table is in lib/step. */
typedef enum bxt_method_id {
	BXT_METHOD_END, /* of a list */
	BXT_METHOD_SINGLE_STAGE,
	BXT_METHOD_RECTANGLE_BORDER,
	BXT_METHOD_CHARTS,
	BXT_METHOD_BLOCKS,
	BXT_METHOD_DISCRETE_GRADIENT,
	BXT_METHOD_RUNGE_KUTTA,
	BXT_METHOD_SHOOTING,
	BXT_METHOD_LIE_MIDPOINT,
	BXT_METHOD_LIE_GALERKIN,
	BXT_METHOD_LIE_RULE,
	BXT_METHOD_PROJECTED_ENDS,
	BXT_METHOD_MOREAU,
	BXT_METHOD_COUNT
} bxt_method_id;
enum { BXT_MAX_METHODS = 5 };

/* The settings that a scheme uses besides those of every run. */
enum bxt_takes {
	BXT_TAKES_RULE = 1,
	BXT_TAKES_THETA = 2,
	BXT_TAKES_GRADIENT = 4,
	BXT_TAKES_PLACES = 16,   /* with a rule: of forces, and of constraints */
	BXT_TAKES_PROJECTION = 8 /* at least of lossless loops: massless momenta are pinned */
};

typedef struct bxt_scheme {
	const char *name, *doc;
	int order; /* order in q on smooth models; 0: that of the rule or discrete gradient */
	bool carries_momenta; /* p of massless coordinates is also a state (discrete Dirac) */
	bool uses_rule;
	bool symmetric;    /* Gauss collocation: quadratic energies balance exactly */
	bool variational;  /* of a discrete Lagrangian: its energy error has no trend */
	bool backward;     /* steps backward in time, with -h */
	bool captures;     /* rows with bounds switch within its steps; no step ends at an event */
	bool exact_energy; /* the change of stored energy is supply less loss, to round-off */
	unsigned takes;    /* bxt_takes */
	/* candidate step methods (step/method.h); the first that supports the run is used */
	bxt_method_id method[BXT_MAX_METHODS];
	/* Fills *out, which may point into `mixture`: the mixture must outlive it. The mixture's
	 * groups are set on entry. */
	void (*stages)(const bxt_settings *settings, bxt_mixture *mixture, bxt_stages *out);
} bxt_scheme;

/* All schemes, the end marked by NULL. */
extern const bxt_scheme *const bxt_schemes[];
extern const bxt_scheme bxt_scheme_gauss1, bxt_scheme_gauss2, bxt_scheme_gauss3, bxt_scheme_radau2,
	bxt_scheme_radau3, bxt_scheme_dirac_plus, bxt_scheme_dirac_minus, bxt_scheme_rk4,
	bxt_scheme_rk2, bxt_scheme_euler, bxt_scheme_theta, bxt_scheme_gradient, bxt_scheme_moreau,
	bxt_scheme_lie_midpoint, bxt_scheme_lie_gauss2, bxt_scheme_lie_gauss3,
	bxt_scheme_lie_dirac_plus, bxt_scheme_lie_dirac_minus;
/* Backward Euler, for operating points, jumps and error estimates; no run can choose it. */
extern const bxt_scheme bxt_scheme_radau1;
/* The same with contacts, to find the rows that hold after an event. */
extern const bxt_scheme bxt_scheme_capture;
/* Do momenta lack half of the impulse at their grid point? True for dirac+ and dirac- with one flow
 * per step; with more flows the momenta include the impulses of the stages. */
static inline bool bxt_is_pre_impulse(const bxt_settings *settings)
{
	return settings->scheme->carries_momenta && settings->rule->degree == 1;
}

/* Is the method symmetric: does a step of -h undo a step of h? */
static inline bool bxt_is_symmetric(const bxt_settings *settings)
{
	return settings->scheme->symmetric ||
	       (settings->scheme->exact_energy && settings->gradient->symmetric) ||
	       (settings->scheme == &bxt_scheme_theta && settings->theta == 0.5);
}

/* Reads theta from its text into settings; NULL: 1/2. Adds a finding unless it is a number from 0
 * to 1. */
void bxt_theta_read(const char *text, bxt_place place, bxt_diagnostics *d, bxt_settings *settings);
/* The stages of collocation with a tableau; symmetric: Gauss. */
void bxt_stages_collocation(const bxt_tableau *tableau, bool symmetric, bxt_stages *out);

#endif
