/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds nodes that rows of Sigma_Q other than <connect> make one node. */
#ifndef BXT_COMPARE_TIED_NODES_H
#define BXT_COMPARE_TIED_NODES_H

#include "model/system/system.h"

/*
 * Joins the classes of shared nodes (rewrite/flat_names.h) if rows of Sigma_Q equate all of their
 * coordinates: v_a - v_b = 0, with any factor. In the monolithic twin such nodes are one node, as
 * nodes joined by <connect> are. class_of (nodes) is changed in place.
 */
bxt_status bxt_tie_nodes(bxt_arena *arena, const bxt_system *s, int *class_of);

#endif
