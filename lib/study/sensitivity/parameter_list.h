/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of parameters, "R1.R, C1.C". */
#ifndef BXT_SENSITIVITY_PARAMETER_LIST_H
#define BXT_SENSITIVITY_PARAMETER_LIST_H

#include "boxtimes_model.h"
#include "model/network/network.h"

typedef struct bxt_parameter_list {
	size_t n;
	size_t *index;           /* (n) of BXT_PART_PARAMETER */
	const char **name, **si; /* (n) path and unit */
	double *value;           /* (n) as compiled */
} bxt_parameter_list;

/*
 * Reads a list, in the arena. BXT_ERR_MODEL after findings, which begin with `what`: unknown names
 * with the nearest one, the same one twice, parameters that cannot be changed, an empty list.
 */
bxt_status bxt_parameter_list_read(const bxt_system *system, const char *text, const char *what,
				   bxt_arena *arena, bxt_diagnostics *d, bxt_parameter_list *out);

#endif
