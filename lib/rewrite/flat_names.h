/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names that the parts of a torn network have in its monolithic twin. Nodes that are
 * joined by <connect> are one node there; an element keeps its id, a node its name, unless two
 * would meet: then both take their path with "_" for "." ("left.k1" becomes "left_k1"). What stands
 * outside all subsystems keeps its name in any case. The same network gives the same names.
 */
#ifndef BXT_REWRITE_FLAT_NAMES_H
#define BXT_REWRITE_FLAT_NAMES_H

#include "network/network.h"

typedef struct bxt_flat_names {
	const char **element; /* (n_elements) NULL for interactions that are no signals */
	const char **signal;  /* (n_signal_ids) as elements */
	const char **node;    /* (n_nodes) that of its class; "0" or "wall" when that is grounded */
	/* (n_nodes) the first node of those that are joined; BXT_GROUND when one of the ports that
	 * join them stands at the reference */
	int *class_of;
	/* (n_connections) a node of the class that a <connect> makes, BXT_GROUND for the reference
	 * or for rows that make none (is_sigma) */
	int *node_of_connection;
} bxt_flat_names;

/* Memory in the arena. BXT_ERR_MEMORY only. O(size of the network). */
bxt_status bxt_flat_names_make(bxt_arena *arena, const bxt_network *net, bxt_flat_names *out);

#endif
