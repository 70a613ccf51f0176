/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that seek operating points: continuation.c, operating_point.c. */
#ifndef BXT_INITIAL_OPERATING_POINT_INTERNAL_H
#define BXT_INITIAL_OPERATING_POINT_INTERNAL_H

#include "motion/start/grid_values.h"
#include "motion/step/stepper.h"

/* While the point is sought. */
struct bxt_op_search {
	const bxt_system *s;
	bxt_settings settings;
	bxt_stepper *stepper;
	bxt_state *state;
	bool *stores;            /* (size) the coordinate's value enters a force */
	bool *kept;              /* (size) that, or rows tie it to such */
	bxt_grid_values *values; /* for positions; NULL: there are none */
	double *q, *p;           /* (size) before the last step */
	double t;
	long steps, damped_steps;
	int n_all;        /* branches that follow nonlinear laws */
	int *damped;      /* (n_all) x indices */
	int *damped_slot; /* (n_all) their diagonal entries */
	int n_damped;     /* the first so many have no inertia */
	int n_branches;   /* the first so many are damped now */
	double damping;   /* now, 0: none */
	bool holds;       /* efforts of nodes at their nodesets */
	bool held;        /* and were let go */
	int n_nodesets;
	struct {
		int x, slot; /* of the row's multiplier, and of its diagonal entry */
		double effort;
	} * nodeset; /* (n_nodesets) */
	/* how the first pseudo-step is solved; NULL: by Newton's method, damped as needed */
	bxt_status (*path)(struct bxt_op_search *a, double h, double *reached);
	double left;                 /* part of the first residual that is still taken off */
	double *first_r;             /* (size) residual at the guess */
	double *from;                /* (size) x that the damping holds on to */
	double *start[3];            /* (size) q, p, x where the search began */
	double start_h;              /* [s] with the impulses there */
	const char *way;             /* that led to the point; NULL: none yet */
	int usual_iterations;        /* of Newton's method */
	double largest_q, largest_p; /* of stores, and of momenta, on the way so far */
	bool moving;                 /* the last march was solved to its end, and found no rest */
	double *reached;             /* (size) x for the last part of the way */
	double *force;               /* (size) scratch */
	double *largest;             /* (n_quantities) likewise */
	double *slopes;              /* (nnz + 1) likewise */
	double *flows;               /* (n_quantities) the largest of each unit in all steps */
};

/* Solves a step from the guess a->reached with what a->damping and a->left add to its equations,
 * and keeps the solution there and in the stepper. */
bxt_status bxt_op_solve_part(struct bxt_op_search *a);
/* r(x) = left r(from), left from 1 to 0, from a->reached; *left: where it ended. */
bxt_status bxt_op_raise_sources(struct bxt_op_search *a, double *left);

/*
 * Solve one pseudo-step of size h by itself, from no guess: with conductances across branches that
 * follow nonlinear laws, which go to zero (gmin stepping); with forces and sources that are raised
 * from zero (source stepping). *reached: the last conductance, the part of the sources, with which
 * there was a solution.
 */
bxt_status bxt_op_by_conductances(struct bxt_op_search *a, double h, double *reached);
bxt_status bxt_op_by_sources(struct bxt_op_search *a, double h, double *reached);

#endif
