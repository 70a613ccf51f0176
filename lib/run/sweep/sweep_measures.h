/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures, numbers that are computed from the rows of a run: "final(node(out).v)", "thd(L1.i)". */
#ifndef BXT_SWEEP_SWEEP_MEASURES_H
#define BXT_SWEEP_SWEEP_MEASURES_H

#include "ground/base/arena.h"
#include "ground/base/diagnostics.h"

typedef struct bxt_row_measure {
	const char *name;   /* as written */
	const char *signal; /* an item of a record list */
	size_t column;      /* of the record that has each signal once */
	int function;       /* row of the table in sweep_measures.c */
} bxt_row_measure;

/* Parses a list of measures. BXT_ERR_MODEL with findings: empty items, parentheses that do not
 * match. */
bxt_status bxt_row_measures_read(const char *text, bxt_arena *arena, bxt_diagnostics *d,
				 bxt_row_measure **out, size_t *n);
/* The unit of the measure of a signal with that unit. */
const char *bxt_row_measure_unit(const bxt_row_measure *m, const char *of_signal);
/* Of n > 0 rows with times t and values y, y[k * stride]. NaN: there is no such number. */
double bxt_row_measure_of(const bxt_row_measure *m, size_t n, const double *t, const double *y,
			  size_t stride);

#endif
