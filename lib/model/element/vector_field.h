/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Vector fields xi on coordinates, declared by <symmetry>. Elements share the vector field of their
 * component; a vector field of a netlist belongs to that netlist alone.
 */
#ifndef BXT_ELEMENT_VECTOR_FIELD_H
#define BXT_ELEMENT_VECTOR_FIELD_H

#include "ground/expr/tape.h"
#include "model/component/component.h"

/* Its tape reads [parameters (n_parameter)][coordinates (nl)]. */
typedef struct bxt_field {
	const char *name, *doc;
	bxt_place place;
	int n_parameter, nl;
	int n, *on;              /* (n) coordinates of the components of xi that are not 0 */
	int n_slope, *row, *col; /* (n_slope) nonzero slopes d xi_on[row] / d q_col */
	bool affine;             /* the slopes depend on parameters alone */
	bxt_tape *tape;          /* xi (n), then the slopes (n_slope); NULL: xi = 0 */
} bxt_field;

/* Compiles the components xi[0 ... n) along on[0 ... n); out->n_parameter and nl are set before. */
bxt_status bxt_vector_field_compile(bxt_arena *arena, bxt_graph *g, const int *on, const bxt_ex *xi,
				    int n, bxt_field *out);
/* Frees the tape. */
void bxt_vector_field_release(bxt_field *field);

#endif
