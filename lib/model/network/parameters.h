/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All numbers of a model under one index: those of its elements, then those of its netlists. */
#ifndef BXT_NETWORK_PARAMETERS_H
#define BXT_NETWORK_PARAMETERS_H

#include "model/network/network.h"

typedef struct bxt_parameter_ref {
	int element;                   /* -1: of a netlist */
	int index;                     /* in bxt_element.parameter, or in bxt_network.parameters */
	const bxt_parameter *declared; /* by the component; NULL: of a netlist */
} bxt_parameter_ref;

/*
 * Numeric parameters of elements in their order, without those of connections and signals; then the
 * netlists' own. In the arena.
 */
bxt_status bxt_network_parameters(const bxt_network *net, bxt_arena *arena, bxt_parameter_ref **out,
				  size_t *n);
/* "loop.R1.R", "tau", "motor.R"; in the buffer, which is cleared first. */
const char *bxt_parameter_path(const bxt_network *net, const bxt_parameter_ref *p,
			       bxt_buffer *buffer);
/* Its value as compiled; NaN where it follows time. */
double bxt_parameter_value(const bxt_network *net, const bxt_parameter_ref *p);
/* Can it have another value in the same system? Not if it follows time, or is a sample period or a
 * delay, since these determine the layout of samples. */
bool bxt_parameter_is_tunable(const bxt_network *net, const bxt_parameter_ref *p);

#endif
