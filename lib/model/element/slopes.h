/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derivatives of the contributions of an element type by any of its variables, including
 * parameters. The output sets of element_type.h have those by q, v and lambda that steps need. The
 * functions below compute the others on demand, by symbolic derivatives at one point of one
 * element.
 */
#ifndef BXT_ELEMENT_SLOPES_H
#define BXT_ELEMENT_SLOPES_H

#include "model/element/element_type.h"

typedef enum bxt_function {
	BXT_FUNCTION_MOMENTUM, /* P                                       (nl) */
	BXT_FUNCTION_BALANCE,  /* dP/dq v + dP/dt - F - K                 (nl) */
	BXT_FUNCTION_ROW,      /* C                                       (ml) */
	BXT_FUNCTION_POSITION, /* phi, 0 of rows that are no positions    (n_constraint) */
	BXT_FUNCTION_OUTPUT    /* <output>s                               (component's n_outputs) */
} bxt_function;

/* The number of functions. */
int bxt_function_count(const bxt_element_type *type, bxt_function f);

/* Functions first ... first + n - 1, by those of the variables [parameters][q][v][lambda][t][h]. */
typedef struct bxt_slopes_def {
	bxt_function function;
	int first, n;
	const int *variable; /* (n_variables) */
	int n_variables;
} bxt_slopes_def;

/*
 * slopes[i n_variables + k] = d f_{first + i} / d variable[k] for i < n, at the values of all
 * variables (bxt_type_var_hoisted(type)). Rates of parameters are separate variables, which stay
 * constant.
 */
bxt_status bxt_type_slopes(const bxt_element_type *type, const bxt_slopes_def *def,
			   const double *values, double *slopes);

#endif
