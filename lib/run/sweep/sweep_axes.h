/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The axes of a sweep, whose combinations are the cases. */
#ifndef BXT_SWEEP_SWEEP_AXES_H
#define BXT_SWEEP_SWEEP_AXES_H

#include "boxtimes_sweep.h"
#include "ground/base/arena.h"
#include "model/component/quantity.h"

/* Parameters that vary together over n points; or one that is drawn. */
typedef struct bxt_sweep_axis {
	size_t first, n_parameters; /* columns of the sweep */
	size_t n;                   /* points; 1 if drawn */
	double *value;              /* (n x n_parameters) */
	bool drawn, normal;
	double middle, half; /* of a drawn value: centre, and half the range or the deviation */
} bxt_sweep_axis;

typedef struct bxt_sweep_axes {
	bxt_sweep_axis *axis;
	size_t n;
	size_t n_parameters;
	size_t *parameter;       /* (n_parameters) by number of BXT_PART_PARAMETER */
	const char **name, **si; /* (n_parameters) path and SI unit */
	size_t n_cases, draws;
	uint64_t seed;
} bxt_sweep_axes;

bxt_status bxt_sweep_axes_read(const bxt_system *system, const bxt_parameter_sweep_def *def,
			       bxt_arena *arena, bxt_diagnostics *d, bxt_sweep_axes *out);
/* The parameters of a case to value (n_parameters). */
void bxt_sweep_axes_case(const bxt_sweep_axes *axes, size_t number, double *value);

#endif
