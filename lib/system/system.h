/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiled system, immutable. All unknowns of a stage stand in one vector
 *
 *     x = [ v (n flows) | l (m impulses h*lambda) | 0 (one spare) | border of a scheme ]
 *
 * and the rows of the residual in the same order: momentum rows, rows of A, spare. Coordinates are
 * laid out by kind, so that the elements of a kind are neighbours. Ground, left-out rows and
 * padding lanes all point to the spare, whose equation is x = 0.
 */
#ifndef BXT_SYSTEM_SYSTEM_H
#define BXT_SYSTEM_SYSTEM_H

#include "network/dirac.h"
#include "sparse/sparse.h"

enum { BXT_JACOBIANS = 6 };
extern const bxt_form_id bxt_jacobian_forms[BXT_JACOBIANS];
int bxt_jacobian_slot(bxt_form_id form);

/* All elements of one type whose coordinates play the same roles. */
typedef struct bxt_group {
	const bxt_element_type *type;
	bool *pinned; /* (nl) the coordinate is massless in the whole system */
	/* name of the discretisation rule of the subsystem, or of one that it is in; NULL: the
	 * run's */
	const char *rule;
	int count, blocks;
	int *element; /* (count) index in the network */
	int **at;  /* (nl + ml)(blocks*LANES) place in x of local coordinate or row; pads: spare */
	int *base; /* (nl + ml) place of the first element when the places are consecutive, else -1
		    */
	double *parameter; /* (blocks)(n_parameter + n_hoisted)(LANES) */
	/* Parameters that follow a time expression: place in `parameter`, and which. */
	int *signal_place, *signal;
	int n_signal;
	/* of the forms of bxt_jacobian_forms: (n entries)(blocks*LANES) place in values */
	int **slot[BXT_JACOBIANS];
} bxt_group;

struct bxt_system {
	bxt_arena *arena;
	bxt_network *net;
	bxt_dirac dirac;     /* D, references marked */
	bxt_incidence where; /* in D */
	int n, m;            /* coordinates, rows of A that are kept */
	int spare;           /* n + m: the place in x that stands for nothing */
	int size;            /* n + m + 1 */
	int *x_of_coord;     /* (dirac.n) place in x */
	int *x_of_row;       /* (dirac.m) place in x, the spare for references */
	int *coord_of_x;     /* (n) index into dirac.coord */
	int *row_of_x;       /* (m) index into dirac.row */
	bool *pinned;        /* (n) massless in the whole system */
	bxt_group *groups;
	int n_groups;
	int *group_of_element, *place_in_group; /* (elements) */
	int n_entry;                            /* flows through exported ports, in places of x */
	int *entry_row, *entry_col, *entry_slot, *entry_slot_t;
	double *entry_value;
	bxt_sparse
		pattern; /* size x size, spare's diagonal included; values[nnz] is a spare place */
	int spare_slot;  /* of the spare's diagonal entry */
	int n_optional;  /* rows that may be left out of a step: those have a diagonal entry */
	int *diagonal_slot; /* (m) its slot, -1: none */
	bool has_discrete;  /* some kind has a written discrete Lagrangian */
	bool affine; /* residual and Jacobian of a step are affine: one factorisation serves */
	bool constant_rows;       /* A is constant */
	bxt_sparse rows;          /* (m x n) A, where it is constant; colptr NULL otherwise */
	bool rows_have_b;         /* some row has an inhomogeneous part */
	bool has_positions;       /* some constraint is a position constraint */
	bool *is_position;        /* (size) by place: the row is a position constraint */
	bool quadratic_positions; /* all of them are quadratic: Gauss methods keep them exactly */
	bool *in_kernel;   /* (n) the coordinate is in a vector of it; NULL when it is empty */
	bxt_sparse kernel; /* (n x k) basis of ker dP/dv on coordinates with mass, see
			      singular_inertia.h */
	const struct bxt_runner *runner[BXT_FORM_COUNT]; /* how a form is evaluated */
	struct bxt_fused *joined[BXT_FORM_COUNT];        /* fused.h; NULL where tapes are run */
	struct bxt_fused *joined_signals;
	size_t joined_work; /* doubles that all joined programs need */
	size_t max_work;    /* doubles a tape may need */
	int max_var;        /* variables of a tape */
	size_t bytes;       /* of all of this, for info */
};

/* Floors above use these names for a place in x. */
const char *bxt_system_x_name(const bxt_system *s, int place, bxt_buffer *buffer);
/* Where it was written: a coordinate or a row. */
bxt_place bxt_system_x_place(const bxt_system *s, int place);
/* The n-th (from 0) of a list of them for a message: ", " between, ", ..." after the first few. */
enum { BXT_MOST_LISTED = 8 };
void bxt_system_list_x(const bxt_system *s, int place, int n, bxt_buffer *list);

#endif
