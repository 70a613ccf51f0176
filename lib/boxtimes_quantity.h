/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units, read from text. Included by boxtimes.h. */
#ifndef BOXTIMES_QUANTITY_H
#define BOXTIMES_QUANTITY_H

#include "boxtimes_netlist.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Reads a number with or without a unit ("4.7 kohm") as netlists are read, into the coherent SI
 * unit of `unit`'s dimension; "" or "1": a pure number. Without a unit the number is in `unit`.
 * Findings begin with `what`. BXT_ERR_MODEL with a finding: not a number, an unknown unit, or one
 * of another dimension. Level: often.
 */
BXT_API bxt_status bxt_library_read_quantity(bxt_library *library, const char *what,
					     const char *text, const char *unit, bxt_diagnostics *d,
					     double *value);

#ifdef __cplusplus
}
#endif

#endif
