/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of SPICE's expressions: their values, and their text in netlists. */
#ifndef BXT_SPICE_SPICE_FUNCTIONS_H
#define BXT_SPICE_SPICE_FUNCTIONS_H

#include <stdbool.h>

/*
 * In `text`, % stands for the first argument in parentheses, @ for the second, $ for
 * |first|^second.
 */
typedef struct bxt_spice_builtin {
	const char *name;
	double (*one)(double);
	double (*two)(double, double);
	const char *text;
} bxt_spice_builtin;

/*
 * The function of that name; NULL: none. `behavioural`: as in expressions of sources, where that
 * differs.
 */
const bxt_spice_builtin *bxt_spice_builtin_of(const char *name, int arguments, bool behavioural);

#endif
