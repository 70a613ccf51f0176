/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BXT_BASE_LARGER_H
#define BXT_BASE_LARGER_H

/* The larger of `most`, which is a number, and x; NaN for x counts for nothing, as with fmax, which
 * compilers call as a function. */
static inline double bxt_larger(double most, double x)
{
	return x > most ? x : most;
}

#endif
