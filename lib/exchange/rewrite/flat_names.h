/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The names of a torn network's parts in its monolithic twin. The twin has one node for all
 * nodes joined by <connect>, a class. An element keeps its id and a node its name. Where two names
 * collide, both become paths with "_" for "." ("left.k1" becomes "left_k1"); names outside all
 * subsystems never change. The names are deterministic.
 */
#ifndef BXT_REWRITE_FLAT_NAMES_H
#define BXT_REWRITE_FLAT_NAMES_H

#include "model/network/network.h"

typedef struct bxt_flat_names {
	const char **element; /* (n_elements) NULL: interactions other than signals */
	const char **signal;  /* (n_signal_ids) as elements */
	const char **node;    /* (n_nodes) name of its class; "0" or "wall": grounded */
	/* (n_nodes) the first node of the class; BXT_GROUND when one of the joined ports is at the
	 * reference */
	int *class_of;
	/* (n_connections) a node of the class that a <connect> joins; BXT_GROUND: the reference, or
	 * rows that join no nodes (is_sigma) */
	int *node_of_connection;
} bxt_flat_names;

/* Memory in the arena. BXT_ERR_MEMORY only. O(size of the network). */
bxt_status bxt_flat_names_make(bxt_arena *arena, const bxt_network *net, bxt_flat_names *out);

#endif
