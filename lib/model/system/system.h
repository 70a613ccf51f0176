/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiled system, immutable. One vector holds all unknowns of a stage,
 *
 *     x = [ v (n flows) | l (m impulses h*lambda) | 0 (one spare) | border of a scheme ]
 *
 * and the rows of the residual have the same order: momentum rows, rows of A, spare. Coordinates
 * are laid out by group, so that the elements of a group are adjacent. Ground, redundant rows and
 * padding lanes all have the x index of the spare, whose equation is x = 0.
 */
#ifndef BXT_SYSTEM_SYSTEM_H
#define BXT_SYSTEM_SYSTEM_H

#include "ground/sparse/sparse.h"
#include "model/network/dirac.h"

#include <pthread.h>

enum { BXT_JACOBIANS = 6 };
extern const bxt_output_set_id bxt_jacobian_sets[BXT_JACOBIANS];
int bxt_jacobian_slot(bxt_output_set_id set);

/* All elements of one type whose coordinates play the same roles. */
typedef struct bxt_group {
	const bxt_element_type *type;
	bool *pinned; /* (nl) the coordinate is massless in the whole system */
	/* name of the discretisation rule of the innermost enclosing subsystem that has one; NULL:
	 * the run's */
	const char *rule;
	int count, blocks;
	int *element; /* (count) index in the network */
	int **at;     /* (nl + ml)(blocks*LANES) x index of local coordinate or row; pads: spare */
	int *base;    /* (nl + ml) x index of the first element if consecutive, else -1 */
	double *parameter; /* (blocks)(n_parameter + n_hoisted)(LANES) */
	/* Parameters that follow a time expression: index in `parameter`, and signal. */
	int *signal_place, *signal;
	int n_signal;
	/* of the output sets bxt_jacobian_sets: (n entries)(blocks*LANES) slots */
	int **slot[BXT_JACOBIANS];
	/* by output set: the tape with the values that all elements share (special_tapes.h); NULL:
	 * that of the type */
	bxt_tape *special[BXT_SET_COUNT];
} bxt_group;

/*
 * The data that may change between steps: value, rate and since of each input, from which
 * expressions of time are computed, and the branches that are held. A system has the defaults; a
 * simulation has a copy of the system with its own inputs.
 */
typedef struct bxt_inputs {
	double *number; /* (inputs)(BXT_INPUT_NUMBERS)(LANES), all lanes the same */
	int n;          /* inputs */
	bool own;       /* of a simulation: they may be changed */
	/* (n_conditions) offsets of the conditions of all elements (expr/conditions.h), which hold
	 * branches of a simulation; 0: none is held */
	double *offset;
	int n_conditions;
	long version; /* counts changes: results that belong to an older version are invalid */
} bxt_inputs;

/*
 * Memory that a higher storey derives from a system on its first request. One thread creates it,
 * under the lock; the system stays const. It is freed with the system.
 */
typedef struct bxt_kept {
	pthread_mutex_t lock; /* of the following */
	void *memory;         /* NULL: not made yet */
	void (*free)(void *memory);
} bxt_kept;

/* The group of each element, and its index there. */
typedef struct bxt_element_index {
	int *group, *place;   /* (elements) */
	int *first_condition; /* (elements) among the conditions of all elements */
} bxt_element_index;

/* The entries of A that belong to no element: flows through exported ports, by x index. */
typedef struct bxt_exported_flows {
	int n;
	int *row, *col;     /* (n) */
	double *value;      /* (n) */
	int *slot, *slot_t; /* (n) of the entry, and of its transpose on the momentum row */
} bxt_exported_flows;

/* Properties of the rows of A. */
typedef struct bxt_constraint_rows {
	bool constant;            /* A is constant */
	bxt_sparse a;             /* (m x n) A, where it is constant; colptr NULL otherwise */
	bool have_b;              /* some row has an inhomogeneous part */
	bool has_positions;       /* some constraint is a position constraint */
	bool *is_position;        /* (size) by x index: the row is a position constraint */
	bool quadratic_positions; /* all of them are quadratic: Gauss methods keep them exactly */
} bxt_constraint_rows;

/* The null space of dP/dv on coordinates with mass (singular_inertia.h). */
typedef struct bxt_singular_inertia {
	bxt_sparse basis; /* (n x k) */
	bool *coordinate; /* (n) it occurs in a vector of the basis; NULL: k is 0 */
} bxt_singular_inertia;

/* The way in which the output sets of all elements are evaluated, and the scratch memory for it. */
typedef struct bxt_system_tapes {
	const struct bxt_runner *runner[BXT_SET_COUNT]; /* of each output set */
	struct bxt_fused *fused[BXT_SET_COUNT];         /* fused.h; NULL: tapes of groups */
	struct bxt_fused *fused_signals;
	const struct bxt_native *native; /* native.h; NULL: there is no code */
	size_t fused_work;               /* doubles that all fused tapes need */
	size_t most_work;                /* doubles that a tape may need */
	int most_variables;              /* variables of a tape */
} bxt_system_tapes;

struct bxt_system {
	bxt_arena *arena;
	bxt_network *net;
	bxt_dirac dirac;     /* D, references marked */
	bxt_incidence where; /* in D */
	bxt_inputs *inputs;

	/* Layout of x. */
	int n, m;        /* coordinates, rows of A that are kept */
	int spare;       /* n + m: the x index without a coordinate or row */
	int size;        /* n + m + 1 */
	int *x_of_coord; /* (dirac.n) x index */
	int *x_of_row;   /* (dirac.m) x index, the spare for references */
	int *coord_of_x; /* (n) index into dirac.coord */
	int *row_of_x;   /* (m) index into dirac.row */
	bool *pinned;    /* (n) massless in the whole system */
	int *quantity; /* (size) unknowns with the same unit have the same number, see quantities.h
			*/
	int n_quantities; /* flows even, multipliers odd */
	bxt_group *groups;
	int n_groups;
	bxt_element_index of_element;

	/* Pattern of the Jacobian. */
	bxt_sparse
		pattern; /* size x size, spare's diagonal included; values[nnz] is a spare slot */
	int spare_slot;  /* of the spare's diagonal entry */
	int n_optional;  /* rows that may be omitted from a step: those have a diagonal entry */
	int *diagonal_slot; /* (m) its slot, -1: none */
	bxt_exported_flows exported;

	/* Structure of the equations. */
	bool has_discrete; /* some element type has a written discrete Lagrangian */
	bool has_terms;    /* some element type has momentum terms */
	bool affine; /* residual and Jacobian of a step are affine: one factorisation serves */
	/* All element types have quadratic_motion (element/element_type.h), and A is not constant:
	 * Gauss methods keep energy and momenta without projecting the momenta */
	bool quadratic_motion;
	bxt_constraint_rows constraints;
	bxt_singular_inertia singular;

	bxt_system_tapes tapes;
	size_t bytes; /* memory of the whole system; informational */
	bxt_kept *kept;
};

/*
 * The same system with other values of parameters (network/network.h). It shares element types with
 * the first, which must outlive it. BXT_ERR_MODEL after findings: values that the netlist could not
 * have, or that give the model another structure.
 */
bxt_status bxt_system_rebuild(const bxt_system *from, const bxt_override *list, size_t n,
			      bxt_diagnostics *d, bxt_system **out);

/*
 * The same system with all rows with bounds holding (BXT_HOLDS), or with none of them, their
 * multipliers being 0 (BXT_ABSENT). It shares element types and inputs with the first, which must
 * outlive it. BXT_ERR_ARGUMENT: its coordinates are not those of the first.
 */
bxt_status bxt_system_with_bounds(const bxt_system *from, bxt_switch_state state, bxt_system **out);

/* Compiles a network and takes ownership of it. */
bxt_status bxt_system_of_network(bxt_network *net, bxt_diagnostics *d, bxt_system **out);

/* The defaults of the inputs; NULL when out of memory. */
bxt_inputs *bxt_inputs_new(bxt_arena *arena, const bxt_network *net);
/* Holds condition k, counted over all elements, on the side of that sign; 0: releases it. */
void bxt_inputs_hold(bxt_inputs *inputs, int k, int side);
/* Sets value, rate or since of input k. */
void bxt_inputs_set(bxt_inputs *inputs, int k, int number, double value);
double bxt_inputs_get(const bxt_inputs *inputs, int k, int number);
/* Sets the quantity of a delay to sum c_k (t - since)^k, k = 0 ... BXT_DELAY_DEGREE. */
void bxt_inputs_set_delay(bxt_inputs *inputs, const bxt_net_delay *y, const double *c,
			  double since);
/* Sets all delays to their state before a run; the system must have inputs of its own. */
void bxt_system_begin_delays(const bxt_system *s);
/* Index of the shortest delay; -1: the model has no delay. */
int bxt_shortest_delay(const bxt_system *s);
/* The variables of the expressions of time: in[0] is the time, (1 + 3 inputs) in all. */
void bxt_inputs_offer(const bxt_inputs *inputs, const double *time, const double **in);
static inline size_t bxt_inputs_variables(const bxt_inputs *inputs)
{
	return (size_t)bxt_input_variable(inputs->n, 0);
}

/* The row of D for local row r of an element; -1: the row of the reference node. */
int bxt_system_row_in_d(const bxt_system *s, int element, int r);
/* The name of an x index, for messages; "border" past the spare. The text may lie in the buffer. */
const char *bxt_system_x_name(const bxt_system *s, int place, bxt_buffer *buffer);
/* The source location of the coordinate or row. */
bxt_place bxt_system_x_place(const bxt_system *s, int place);
/* Appends the n-th name (from 0) to a list in a message: ", " between names, ", ..." after
 * BXT_MOST_LISTED. */
enum { BXT_MOST_LISTED = 8 };
void bxt_system_list_x(const bxt_system *s, int place, int n, bxt_buffer *list);

#endif
