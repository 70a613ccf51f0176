/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Builds the network from the tree of a netlist. */
#ifndef BXT_BUILDER_BUILD_H
#define BXT_BUILDER_BUILD_H

#include "model/network/network.h"

/*
 * Resolves a netlist and the files that it includes. All findings go to d; after an error *out is
 * NULL. The network keeps references into the netlist and the library: both must outlive it.
 */
bxt_status bxt_network_build(const struct bxt_netlist *netlist, bxt_library *library,
			     bxt_diagnostics *d, bxt_network **out);
/*
 * The same network with other values. It takes over element types, files and tables of `from`,
 * which must outlive it. BXT_ERR_MODEL after findings: a value is out of its range, or an
 * expression is not finite with it. BXT_ERR_ARGUMENT after a finding: the netlist was edited in the
 * meantime.
 */
bxt_status bxt_network_rebuild(const bxt_network *from, const bxt_override *list, size_t n,
			       bxt_diagnostics *d, bxt_network **out);
/* delays.c: the network at rest, where the output of each delay equals its present input; `from`
 * must outlive it. */
bxt_status bxt_network_at_rest(const bxt_network *from, bxt_network **out);
/* Frees a network, also one in other states (network.h). Always NULL; NULL is allowed. */
bxt_network *bxt_network_free(bxt_network *net);

#endif
