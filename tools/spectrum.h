/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Amplitudes of signals over frequency. */
#ifndef BXT_TOOL_SPECTRUM_H
#define BXT_TOOL_SPECTRUM_H

#include "columns.h"

typedef struct spectrum {
	double step;       /* [Hz] */
	size_t n;          /* of frequencies from 0 on */
	double *amplitude; /* (columns)(n), for free() */
} spectrum;

/*
 * Of the chosen columns in rows[0] <= i < rows[1], which are taken at equal distances by linear
 * interpolation, without their mean: A_k = |sum_j w_j x_j exp(-2 pi i j k/N)| 2/sum_j w_j with the
 * Hann window w, so that a sine of amplitude A between the ends of the range has the peak A. False
 * after a message.
 */
bool spectrum_of(spectrum *s, const bxt_table *table, const size_t rows[2], const choice *x);

#endif
