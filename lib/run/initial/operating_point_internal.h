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
	bool *stores;            /* (size) a force depends on the coordinate's value */
	bool *kept;              /* (size) the same, or rows connect it to such a coordinate */
	bxt_grid_values *values; /* for positions; NULL: there are none */
	double *q, *p;           /* (size) before the last step */
	double t;
	long steps, damped_steps;
	int n_all;        /* branches that follow nonlinear laws */
	int *damped;      /* (n_all) x indices */
	int *damped_slot; /* (n_all) their diagonal entries */
	int n_damped;     /* of these, the number without inertia, which come first */
	int n_branches;   /* number of the first branches that are damped now */
	double damping;   /* now, 0: none */
	bool holds;       /* efforts of nodes are held at their nodesets */
	bool held;        /* they were held, and are released */
	int n_nodesets;
	struct {
		int x, slot; /* of the row's multiplier, and of its diagonal entry */
		double effort;
	} * nodeset; /* (n_nodesets) */
	/* how the first pseudo-step is solved; NULL: by Newton's method, damped as needed */
	bxt_status (*path)(struct bxt_op_search *a, double h, double *reached);
	double left;                 /* part of the first residual that is still subtracted */
	double *first_r;             /* (size) residual at the guess */
	double *from;                /* (size) the x towards which the damping acts */
	double *start[3];            /* (size) q, p, x where the search began */
	double start_h;              /* [s] step size of the impulses in it */
	const char *way;             /* the method that found the point; NULL: none yet */
	int usual_iterations;        /* of Newton's method */
	double largest_q, largest_p; /* of stores, and of momenta, on the way so far */
	bool moving;                 /* the last series of steps was solved, but reached no rest */
	double *reached;             /* (size) x for the last part of the way */
	double *force;               /* (size) scratch */
	double *largest;             /* (n_quantities) likewise */
	double *slopes;              /* (nnz + 1) likewise */
	double *flows;               /* (n_quantities) the largest of each unit in all steps */
};

/* Solves a step from the guess a->reached with what a->damping and a->left add to its equations,
 * and keeps the solution there and in the stepper. */
bxt_status bxt_op_solve_part(struct bxt_op_search *a);
/* Solves r(x) = left r(from) with `left` from 1 to 0, beginning at a->reached; *left: the last
 * value with a solution. */
bxt_status bxt_op_raise_sources(struct bxt_op_search *a, double *left);

/*
 * Solve one pseudo-step of size h without a good guess. by_conductances: with conductances across
 * branches with nonlinear laws, which decrease to zero (gmin stepping). by_sources: with forces and
 * sources that are raised from zero (source stepping). *reached: the last conductance, or part of
 * the sources, with a solution.
 */
bxt_status bxt_op_by_conductances(struct bxt_op_search *a, double h, double *reached);
bxt_status bxt_op_by_sources(struct bxt_op_search *a, double h, double *reached);

#endif
