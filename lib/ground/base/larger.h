/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BXT_BASE_LARGER_H
#define BXT_BASE_LARGER_H

/* The larger of `most`, which is a number, and x. A NaN in x is ignored, as fmax does; compilers do
 * not inline fmax. */
static inline double bxt_larger(double most, double x)
{
	return x > most ? x : most;
}

#endif
