/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signals in the <record> of a reduced model, and at the ports of its parts. */
#ifndef BXT_REDUCE_RECORDS_H
#define BXT_REDUCE_RECORDS_H

#include "ground/base/text.h"
#include "model/system/system.h"

/*
 * Appends the list of signals at the ports of a subsystem at the top, NULL: of all of them: flows
 * through ports of balance kinds, flows of nodes at the others, multipliers of their connections.
 */
bxt_status bxt_records_of_ports(bxt_buffer *list, const bxt_system *system, const char *part);
/*
 * Selects the items of a list that the system can record; `missing` is called for the others. *out
 * is heap memory, "" when nothing is left.
 */
bxt_status bxt_records_filter(const bxt_system *system, const char *list,
			      void (*missing)(void *context, const char *item), void *context,
			      char **out);
/*
 * Removes from <record> the items that the system, compiled from the netlist, no longer has, with
 * warnings.
 */
bxt_status bxt_records_keep(bxt_netlist *netlist, const bxt_system *system, bxt_diagnostics *d);

#endif
