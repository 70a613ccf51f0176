/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers that are unrelated to any model, for samples and generic points. They are the same on
 * every machine and in every run, so that results are reproducible.
 */
#ifndef BXT_BASE_RANDOM_H
#define BXT_BASE_RANDOM_H

#include <stdint.h>

/* splitmix64 (Steele, Lea, Flood 2014): the next 64 bits; the seed may be any number. */
uint64_t bxt_random_next(uint64_t *seed);
/* Uniform in [-1, 1), from the upper 53 bits. */
double bxt_random_number(uint64_t *seed);

/*
 * Element i of the additive recurrence of the golden ratio, the fractional part of i times
 * 0.618..., in [0, 1). Neighbours are far apart, and any n elements differ by at least 0.38/n. A
 * point with such coordinates is generic: it satisfies no equation with small whole numbers by
 * chance.
 */
double bxt_quasi_random(long i);

#endif
