/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Modes of a whole model, which may be nonlinear. */
#ifndef BXT_REDUCE_MODES_H
#define BXT_REDUCE_MODES_H

#include "study/reduce/methods.h"
#include "study/reduce/trajectory.h"
#include "study/reduce/write_modes.h"

/*
 * Computes U from the snapshots q - q0 of a run, orthonormal in the product of the mass matrix at
 * the start of out->system. The flows at the start are in the span of U, so that the energy at the
 * start is exact. Memory in the arena. BXT_ERR_MODEL after findings: no inertia, fewer snapshots
 * than modes.
 */
bxt_status bxt_modes_find(bxt_arena *arena, const bxt_trajectory *run, const bxt_run_def *def,
			  const bxt_method_def *method, bxt_diagnostics *d, bxt_modes *out,
			  bxt_method_result *result);

#endif
