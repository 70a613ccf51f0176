/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes reduced parts into a netlist. */
#ifndef BXT_REDUCE_WRITE_PART_H
#define BXT_REDUCE_WRITE_PART_H

#include "study/reduce/reduced.h"

/*
 * Replaces the subsystem of the part by one with the same ports and one element, whose inline
 * component has the matrices. method: text for its description.
 */
bxt_status bxt_write_part(bxt_netlist *netlist, const bxt_part_model *part, const bxt_reduced *m,
			  const char *method, bxt_diagnostics *d);

#endif
