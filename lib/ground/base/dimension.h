/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dimensions: powers of the base units of SI. The radian counts as a number. */
#ifndef BXT_BASE_DIMENSION_H
#define BXT_BASE_DIMENSION_H

#include <stdbool.h>
#include <stddef.h>

enum {
	BXT_BASE_UNITS = 7,    /* kg, m, s, A, K, mol, cd */
	BXT_DIMENSION_ONE = 12 /* powers are stored in twelfths, so that roots are exact */
};

typedef struct bxt_dimension {
	int of[BXT_BASE_UNITS];
} bxt_dimension;

/* Of base units, "kg.m2.s-3"; other names count as numbers. */
bxt_dimension bxt_dimension_read(const char *text);
/* Writes "kg.m2.s-3", "1" for a number; `out` has room for all of it. */
enum { BXT_DIMENSION_TEXT = 200 };
void bxt_dimension_write(bxt_dimension d, char out[BXT_DIMENSION_TEXT]);
bool bxt_dimension_equal(bxt_dimension a, bxt_dimension b);
bool bxt_dimension_is_number(bxt_dimension d);
/* a b^power */
bxt_dimension bxt_dimension_times(bxt_dimension a, bxt_dimension b, int power);

#endif
