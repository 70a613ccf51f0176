/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floor 3: the canonical form of a netlist; bxt_netlist_canonical is in boxtimes.h. */
#ifndef BXT_NETLIST_CANONICAL_H
#define BXT_NETLIST_CANONICAL_H

#include "netlist/edit.h"

/* Brings a tree into canonical form, in place. BXT_ERR_MEMORY only. */
bxt_status bxt_canonical_tree(struct bxt_netlist *tree);

#endif
