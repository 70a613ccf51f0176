/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The declared symmetries of a compiled system: vector fields xi on Q, evaluated at a state and
 * stored sparsely, only at the x indices where xi may be nonzero.
 */
#ifndef BXT_SYSTEM_SYMMETRY_H
#define BXT_SYSTEM_SYMMETRY_H

#include "model/system/system.h"

typedef struct bxt_vector_field {
	const bxt_field *field;
	const char *name; /* "loop.P.rotation" */
	int n;
	int *place;        /* (n) x indices where xi may be nonzero */
	int *at;           /* (field->nl) x indices of the coordinates it reads */
	const double **in; /* (variables) lanes of the tape's variables */
	double *lanes, *work;
} bxt_vector_field;

/* All of them, (system->net->n_symmetries) in the arena. */
bxt_status bxt_vector_fields_new(bxt_arena *arena, const bxt_system *s, bxt_vector_field **out);
/* xi(q) to xi (n), its derivatives, in the order of the field, to slopes (field->n_slope; may be
 * NULL). */
void bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi, double *slopes);
/* Returns f.xi; adds the sum of |f_i xi_i| to *size unless size is NULL. */
double bxt_vector_field_dot(const bxt_vector_field *v, const double *xi, const double *f,
			    double *size);

#endif
