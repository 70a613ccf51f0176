/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BXT_SIMULATION_SIGNAL_NAMES_H
#define BXT_SIMULATION_SIGNAL_NAMES_H

#include "boxtimes_run.h"
#include "model/system/system.h"

/* As bxt_signal_names, with the signals that an expression reads in place of the expression. Names
 * are freed with bxt_signal_names_free. */
bxt_status bxt_recorded_names(const bxt_system *system, const bxt_run_def *def, bxt_diagnostics *d,
			      char ***names, size_t *n);

#endif
