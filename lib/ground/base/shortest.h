/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shortest decimal number that reads as a given double, and among those the nearest to it:
 * Schubfach (R. Giulietti, The Schubfach way to render doubles, 2020).
 */
#ifndef BXT_BASE_SHORTEST_H
#define BXT_BASE_SHORTEST_H

#include <stdint.h>

enum { BXT_POWER_FIRST = -292, BXT_POWER_LAST = 324 };
extern const uint64_t bxt_powers_of_ten[BXT_POWER_LAST - BXT_POWER_FIRST + 1][2];

/* value = digits 10^exponent for a finite value > 0; digits has at most 17 digits, and may end in
 * zeros. */
uint64_t bxt_shortest(double value, int *exponent);

#endif
