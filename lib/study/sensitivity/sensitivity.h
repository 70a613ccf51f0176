/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a simulation with derivatives with respect to parameters. */
#ifndef BXT_SENSITIVITY_SENSITIVITY_H
#define BXT_SENSITIVITY_SENSITIVITY_H

#include "boxtimes_sensitivity.h"
#include "study/sensitivity/parameter_list.h"
#include "study/sensitivity/tangent.h"

/*
 * Steps a simulation from its start to its end. Rows of the grid go to the sink, which has begun:
 * the signals, then dy/dp of all signals for the first parameter, and so on. *error: as
 * bxt_tangent_error. by->value has the values in the simulation.
 */
bxt_status bxt_sensitivity_rows(bxt_simulation *m, const bxt_parameter_list *by, double part,
				const bxt_sink *to, double *error, bxt_diagnostics *d);

#endif
