/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The functions of SPICE's expressions: their values, and how netlists say them. */
#ifndef BXT_SPICE_SPICE_FUNCTIONS_H
#define BXT_SPICE_SPICE_FUNCTIONS_H

#include <stdbool.h>

/* In `text` % is the first argument in parentheses, @ the second, $ the power |first|^second. */
typedef struct bxt_spice_builtin {
	const char *name;
	double (*one)(double);
	double (*two)(double, double);
	const char *text;
} bxt_spice_builtin;

/* NULL: none of that name; `behavioural`: as sources have it, where that differs. */
const bxt_spice_builtin *bxt_spice_builtin_of(const char *name, int arguments, bool behavioural);

#endif
