/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Vector fields xi on coordinates, what a <symmetry> says. The field of a component is
 * shared by its elements; that of a netlist stands for itself.
 */
#ifndef BXT_ELEMENT_VECTOR_FIELD_H
#define BXT_ELEMENT_VECTOR_FIELD_H

#include "component/component.h"
#include "expr/tape.h"

/* Its tape reads [parameters (n_parameter)][coordinates (nl)]. */
typedef struct bxt_field {
	const char *name, *doc;
	bxt_place place;
	int n_parameter, nl;
	int n, *on;              /* (n) the coordinates along which it points; else it is 0 */
	int n_slope, *row, *col; /* (n_slope) d xi_on[row] / d q_col, those that are not 0 */
	bool affine;             /* the slopes depend on parameters alone */
	bxt_tape *tape;          /* xi (n), then the slopes (n_slope); NULL for the field 0 */
} bxt_field;

/* Components xi[0 ... n) along on[0 ... n) of a graph; n_parameter and nl are set. */
bxt_status bxt_vector_field_compile(bxt_arena *arena, bxt_graph *g, const int *on, const bxt_ex *xi,
				    int n, bxt_field *out);
/* Frees the tape. */
void bxt_vector_field_release(bxt_field *field);

#endif
