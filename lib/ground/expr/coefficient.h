/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers that multiply the terms of an expression. */
#ifndef BXT_EXPR_COEFFICIENT_H
#define BXT_EXPR_COEFFICIENT_H

#include <stdbool.h>

/* num/den, exact: den is 1, or both are integers without common factor and den is odd. */
typedef struct bxt_coefficient {
	double num, den;
} bxt_coefficient;

bool bxt_is_integer(double x);
bxt_coefficient bxt_coefficient_reduce(double num, double den);
/* False when the result overflows or underflows: then the caller must not fold. A sum may be 0. */
bool bxt_coefficient_mul(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out);
bool bxt_coefficient_div(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out);
bool bxt_coefficient_add(bxt_coefficient a, bxt_coefficient b, bxt_coefficient *out);

#endif
