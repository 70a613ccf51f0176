/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The declared symmetries of a compiled system, vector fields xi on Q that are evaluated
 * at a state; of all places in x only those where xi may point are looked at.
 */
#ifndef BXT_SYSTEM_SYMMETRY_H
#define BXT_SYSTEM_SYMMETRY_H

#include "system/system.h"

typedef struct bxt_vector_field {
	const bxt_field *field;
	const char *name; /* "loop.P.rotation" */
	int n;
	int *place;        /* (n) in x, where xi points */
	int *at;           /* (field->nl) in x, the coordinates it knows */
	const double **in; /* (variables) lanes of the tape's variables */
	double *lanes, *work;
} bxt_vector_field;

/* All of them, (system->net->n_symmetries) in the arena. */
bxt_status bxt_vector_fields_new(bxt_arena *arena, const bxt_system *s, bxt_vector_field **out);
/* xi(q) to xi (n), its slopes in the order of the field to slopes (field->n_slope; may be NULL). */
void bxt_vector_field_evaluate(bxt_vector_field *v, const double *q, double *xi, double *slopes);
/* f.xi, and, added to *size when that is wanted, the sum of |f_i xi_i|. */
double bxt_vector_field_dot(const bxt_vector_field *v, const double *xi, const double *f,
			    double *size);

#endif
